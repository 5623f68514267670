"""The buckets of DISKSPD's XML as numbers: I/Os per second and latencies over time, percentiles.

With ``-D`` nearly all of a file is buckets: lines that differ only in their digits. They are cut
out of the text before it is parsed; each sequence of them leaves a mark, and is read at once if it
is as DISKSPD writes it. Otherwise the document is parsed whole, and its buckets are read one by
one.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import orjson

from fiotools.readers.diskspd import documents
from fiotools.readers.diskspd.documents import LARGEST, LONG, Element, MalformedError
from fiotools.readers.diskspd.runs import DIRECTIONS, LATENCIES, PrintedCurve, Sampled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

_IOS = ("SampleMillisecond", *(direction.title() for direction in DIRECTIONS))
_OF_SIDES = tuple(f"{word}{name}" for word in ("Read", "Write") for name in LATENCIES)
_ATTRIBUTES = (*_IOS, *_OF_SIDES, *(f"Total{name}" for name in LATENCIES))
_SIDES = tuple(f"{direction.title()}Milliseconds" for direction in DIRECTIONS)

_BUCKET, _CURVE = "<Bucket", "<Bucket>"  # with -D; in percentiles
_MARK = "<Bucket/>"
_IOPS_END, _LATENCY_END = "</Iops>", "</Latency>"
_UNIT = re.compile(rb'<Bucket SampleMillisecond=""(?: \w+="\.?")+/>')
_ATTRIBUTE = re.compile(rb'(\w+)="')
_PERCENTILE = re.compile(
    rb"<Bucket>[ \t\r\n]*<Percentile></Percentile>[ \t\r\n]*"
    rb"(?:<ReadMilliseconds></ReadMilliseconds>[ \t\r\n]*)?"
    rb"(?:<WriteMilliseconds></WriteMilliseconds>[ \t\r\n]*)?"
    rb"(?:<TotalMilliseconds></TotalMilliseconds>[ \t\r\n]*)?</Bucket>"
)
_IN_TAGS = re.compile(rb">([\d.]+)<")
_BLANK = b" \t\r\n"
_DIGITS = b"0123456789"
_COMMAS = bytes.maketrans(b'"', b",")
_BUT_NUMBERS = bytes(set(range(256)) - set(_DIGITS + b'."'))
_PIECE = 2**18  # characters
_UNIT_SIZE = 4096


class OddBucketsError(Exception):
    """Buckets are not as DISKSPD writes them: they are read one by one."""


class Cut:
    """A document whose buckets were cut out: ``rest`` has marks in their place.

    Raises `OddBucketsError` if buckets have no end.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        # the place of each mark's buckets: from the first one to the end of the outer element
        self._places: list[tuple[int, int]] = []
        self._left: dict[Element, tuple[int, int]] = {}
        parts: list[str] = []
        at = 0
        while (start := text.find(_BUCKET, at)) >= 0:
            end = text.find(_LATENCY_END if text.startswith(_CURVE, start) else _IOPS_END, start)
            if end < 0:
                raise OddBucketsError
            parts += text[at:start], _MARK
            self._places.append((start, end))
            at = end
        self.rest = "".join(parts) + text[at:]

    def tree(self) -> Element:
        """Parse the rest."""
        root = documents.tree(self.rest)
        marks = [*root.iter("Bucket")]
        if len(marks) != len(self._places):
            raise OddBucketsError  # some stand in a comment
        self._left = dict(zip(marks, self._places, strict=True))
        return root

    def close(self) -> None:
        """Refuse marks that are left: they stand where DISKSPD writes no buckets."""
        if self._left:
            raise OddBucketsError

    def take(self, buckets: Sequence[Element]) -> tuple[int, int]:
        """Return the place of the buckets for which a mark stands."""
        if len(buckets) != 1:
            raise OddBucketsError
        return self._left.pop(buckets[0])

    def line(self, of_rest: int) -> int:
        """Return which line of the document a line of the rest is."""
        marks, lines = self._lines
        return of_rest + lines[bisect_left(marks, of_rest)]

    @cached_property
    def _lines(self) -> tuple[list[int], list[int]]:
        """The line of each mark in the rest, and how many were cut out with none, one, two."""
        marks: list[int] = []
        lines = [0]
        at, number = 0, 1
        for start, end in self._places:
            number += self._text.count("\n", at, start)
            marks.append(number)
            lines.append(lines[-1] + self._text.count("\n", start, end))
            at = end
        return marks, lines

    def percentiles(self, buckets: Sequence[Element]) -> PrintedCurve:
        """Read percentiles of latencies, as DISKSPD writes them."""
        start, end = self.take(buckets)
        text = self._text[start:end].encode()
        bare = text.translate(None, _DIGITS + b".")
        unit = _PERCENTILE.match(bare)
        if unit is None:
            raise OddBucketsError
        count = _rows(bare, unit[0])
        sides = [at for at, side in enumerate(_SIDES) if b"<" + side.encode() in unit[0]]
        found = _IN_TAGS.findall(text)
        # each in its place, and nowhere else a digit
        if len(found) != count * (1 + len(sides)) or sum(map(len, found)) != len(text) - len(bare):
            raise OddBucketsError
        try:
            matrix = np.array([*map(float, found)]).reshape(count, -1)
        except ValueError:
            raise OddBucketsError from None
        if max(map(len, found)) > LONG:
            raise OddBucketsError
        milliseconds = np.full((count, len(_SIDES)), np.nan)
        milliseconds[:, sides] = matrix[:, 1:]
        return PrintedCurve(matrix[:, 0], milliseconds)

    def over_time(self, buckets: Sequence[Element], *, values: bool) -> tuple[Sequence[str], Array]:
        """Read the samples of ``-D``: the names of all attributes, and a row for each bucket.

        Their form is always checked; without ``values`` there are no rows.
        """
        start, end = self.take(buckets)
        head = self._text[start : min(end, start + _UNIT_SIZE)].encode()
        unit = _UNIT.match(head.translate(None, _DIGITS))
        if unit is None:
            raise OddBucketsError
        names = _names(unit[0])
        parts = [np.zeros((0, len(names)))]
        while start < end:
            stop = self._text.find(f"{_BUCKET} ", start + _PIECE, end)
            stop = end if stop < 0 else stop
            text = self._text[start:stop].encode()
            listed = _listed(text, _rows(text.translate(None, _DIGITS), unit[0]) * len(names))
            if values:
                parts.append(_numbers(listed).reshape(-1, len(names)))
            start = stop
        return names, np.concatenate(parts)


@lru_cache
def _names(unit: bytes) -> tuple[str, ...]:
    """Return the names of a bucket's attributes, none of them twice."""
    names = tuple(name.decode() for name in _ATTRIBUTE.findall(unit))
    if len(set(names)) < len(names):
        raise OddBucketsError
    return names


def _rows(text: bytes, unit: bytes) -> int:
    """Count the rows of a text without digits, each of them like the first."""
    end = text.rfind(unit[-1:]) + 1
    behind = text.find(unit[:1], len(unit), end)
    between = text[len(unit) : behind] if behind >= 0 else b""
    count, over = divmod(end + len(between), len(unit) + len(between))
    same = text.startswith(unit) and text.startswith((between + unit) * (count - 1), len(unit))
    if over or not same or between.strip(_BLANK) or text[end:].strip(_BLANK):
        raise OddBucketsError
    return count


def _listed(text: bytes, count: int) -> bytes:
    """Put commas between numbers that stand in quotes, with no digit outside."""
    apart = text.translate(_COMMAS, _BUT_NUMBERS)  # ,1,,0.250,
    listed = apart.replace(b",,", b",")
    if not listed[:1] == listed[-1:] == b"," or len(apart) - len(listed) != count - 1:
        raise OddBucketsError
    return listed[1:-1]


def _numbers(listed: bytes) -> Array:
    """Read numbers, each as Python's `float` does."""
    try:
        found = np.array(orjson.loads(b"[%b]" % listed), dtype=np.float64)
    except orjson.JSONDecodeError:
        raise OddBucketsError from None
    if found.max(initial=0) >= LARGEST:
        raise OddBucketsError
    return found


def sampled(
    buckets: Sequence[Element], cut: Cut | None, *, measured: bool, is_run: bool, samples: bool
) -> Sampled | None:
    """Read the samples of ``-D``, from elements or from what was cut out in their place.

    ``measured`` is whether latencies were measured. A whole run without them is asked whether it
    has any.
    """
    if not buckets:
        return None
    is_unmeasured = is_run and not measured
    if cut:
        names, values = cut.over_time(buckets, values=samples or is_unmeasured)
        given = [*names]
        is_of_side = [name in _OF_SIDES for name in names]
        is_made_up = is_unmeasured and bool((values[:, is_of_side] > 0).any())
    else:
        names = _ATTRIBUTES if measured else _IOS
        values = _matrix(buckets if samples else [], names)
        given = [name for name, _ in documents.attributes(buckets[0])]
        is_made_up = is_unmeasured and bool((_matrix(buckets, _OF_SIDES) > 0).any())
    later = [name for name in given if name not in _ATTRIBUTES]
    return Sampled(names, values, later, is_made_up)


def _matrix(buckets: Sequence[Element], names: Sequence[str]) -> Array:
    """Read attributes of buckets: a row for each; nan where one is missing."""
    matrix = np.full((len(buckets), len(names)), np.nan)
    for row, bucket in enumerate(buckets):
        for column, name in enumerate(names):
            text = bucket.get(name, "nan")
            try:
                matrix[row, column] = documents.to_number(text)
            except ValueError:
                reason = f"{name} is {text!r}, not a number"
                raise MalformedError(bucket, reason) from None
    return matrix


def curve(buckets: Sequence[Element], cut: Cut | None) -> PrintedCurve:
    """Read percentiles of latencies, from elements or from what was cut out in their place."""
    if cut:
        return cut.percentiles(buckets)
    rows = [[*map(documents.ElementValues(one).number, ("Percentile", *_SIDES))] for one in buckets]
    matrix = np.array(rows, dtype=np.float64)
    return PrintedCurve(matrix[:, 0], matrix[:, 1:])
