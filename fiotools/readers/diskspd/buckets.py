"""The buckets of DISKSPD's XML as numbers: I/Os per second and latencies over time, percentiles.

With ``-D`` nearly all of a file is buckets: lines that differ only in their digits. They are cut
out of the text before it is parsed; each sequence of them leaves a mark, and is read at once if it
is as DISKSPD writes it. Otherwise the document is parsed whole, and its buckets are read one by
one.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import orjson

from fiotools.readers.diskspd.runs import DIRECTIONS, LATENCIES, Sampled
from fiotools.readers.diskspd.shapes import LARGEST, MISSING, Element, Values
from fiotools.readers.document import line_end

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

_IOS = ("SampleMillisecond", *(direction.title() for direction in DIRECTIONS))
_OF_SIDES = tuple(f"{word}{name}" for word in ("Read", "Write") for name in LATENCIES)
_ATTRIBUTES = (*_IOS, *_OF_SIDES, *(f"Total{name}" for name in LATENCIES))

_BUCKET, _END = "<Bucket ", "</Iops>"
_MARK = '<Bucket at="{}"/>'
_UNIT = re.compile(rb'<Bucket SampleMillisecond=""(?: \w{1,99}="\.?"){1,99}/>\n')
_ATTRIBUTE = re.compile(rb'(\w+)="')
_DIGITS = b"0123456789"
_COMMAS = bytes.maketrans(b'"', b",")
_BUT_NUMBERS = bytes({*range(256)} - {*_DIGITS, *b'."'})
_PIECE, _INDENT = 2**18, 200  # characters: how many are read at once; before a bucket


class OddBucketsError(Exception):
    """Buckets are not as DISKSPD writes them: they are read one by one."""


class Cut:
    """A document whose buckets were cut out: ``rest`` has marks in their place.

    Raises `OddBucketsError` if buckets have no end.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        # the place of each mark's buckets
        self._places: list[tuple[int, int]] = []
        parts: list[str] = []
        at = 0
        while (start := text.find(_BUCKET, at)) >= 0:
            stop = text.find(_END, start)
            end = text.rfind(">", start, stop) + 1
            if stop < 0 or not end:
                raise OddBucketsError
            parts += text[at:start], _MARK.format(len(self._places))
            self._places.append((start, end))
            at = end
        self.rest = "".join(parts) + text[at:]
        self._left = {*map(str, range(len(self._places)))}
        self._read: dict[bool, tuple[Sequence[str], Array]] = {}

    def close(self) -> None:
        """Refuse buckets that are left: they stand where DISKSPD writes none."""
        if self._left:
            raise OddBucketsError

    def take(self, buckets: Sequence[Element], values: Values) -> int:
        """Return the number of the mark that stands for buckets."""
        marks = [bucket.get("at") for bucket in buckets]
        if len(marks) != 1 or marks[0] is None:
            raise OddBucketsError
        mark = values.text(int(marks[0]))
        self._left.remove(mark)
        return int(mark)

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

    def over_time(self, number: int, *, wanted: bool) -> tuple[Sequence[str], Array]:
        """Return the samples of a mark: the names of all attributes, and a row for each bucket.

        Their form is always checked; there are only rows that are ``wanted``.
        """
        if wanted not in self._read:
            self._read[wanted] = self._all(wanted)
        names, rows = self._read[wanted]
        return names, rows[slice(*self._rows[number : number + 2])]

    @cached_property
    def _rows(self) -> list[int]:
        """Which row is the first of each mark."""
        counts = (self._text.count(_BUCKET, *place) for place in self._places)
        return [*accumulate(counts, initial=0)]

    def _all(self, wanted: bool) -> tuple[Sequence[str], Array]:
        """Read all buckets, each of them on a line like the first."""
        start, end = self._places[0]
        first = self._text[start : min(end, line_end(self._text, start))].encode()
        unit = first.translate(None, _DIGITS) + b"\n"
        names = _names(unit)
        rows = np.empty((self._rows[-1] if wanted else 0, len(names)))
        at = 0
        for text in self._lines_of_buckets():
            count = text.count(b"\n")
            if text.translate(None, _DIGITS) != unit * count:
                raise OddBucketsError
            listed = _listed(text, count * len(names))
            if wanted:
                rows[at : at + count] = _numbers(listed).reshape(-1, len(names))
                at += count
        return names, rows

    def _lines_of_buckets(self) -> Iterator[bytes]:
        """Yield the buckets, each of them on a line without its indent, many at a time."""
        lines: list[str] = []
        size = 0
        for start, end in self._places:
            above = self._text.rfind("\n", max(0, start - _INDENT), start)
            if above < 0:
                raise OddBucketsError
            between = self._text[above:start]
            while start < end:
                stop = self._text.find(between, start + _PIECE, end)
                stop = end if stop < 0 else stop
                lines.append(self._text[start:stop].replace(between, "\n"))
                size += stop - start
                start = stop + len(between)
                if size > _PIECE:
                    yield "\n".join((*lines, "")).encode()
                    lines, size = [], 0
        if lines:
            yield "\n".join((*lines, "")).encode()


@lru_cache
def _names(unit: bytes) -> tuple[str, ...]:
    """Return the names of a bucket's attributes, none of them twice."""
    names = tuple(name.decode() for name in _ATTRIBUTE.findall(unit))
    if not _UNIT.fullmatch(unit) or len(set(names)) < len(names):
        raise OddBucketsError
    return names


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


class Way(NamedTuple):
    """How a document is read."""

    line: Callable[[int], int]  # gives the line of the file for a line of the document
    samples: bool  # whether the values of ``-D`` are wanted
    cut: Cut | None = None  # holds the buckets, if they were cut out


def sampled(element: Element, *, measured: bool) -> Callable[[Values, Way], Sampled | None]:
    """Look at the buckets of a target or a whole run; return what takes the samples of ``-D``.

    ``measured`` is whether latencies were measured. A whole run without them is asked whether it
    has any.
    """
    buckets = element.findall("Iops/Bucket")
    is_unmeasured = element.tag == "TimeSpan" and not measured
    own = _ATTRIBUTES if measured else _IOS

    def take(values: Values, way: Way) -> Sampled | None:
        if not buckets:
            return None
        if way.cut:
            mark = way.cut.take(buckets, values)
            names, rows = way.cut.over_time(mark, wanted=way.samples or not measured)
            given = [*names]
            of_sides = rows[:, [name in _OF_SIDES for name in names]]
        else:
            names, rows = own, _matrix(buckets if way.samples else [], own, values)
            given = buckets[0].keys()
            of_sides = _matrix(buckets if is_unmeasured else [], _OF_SIDES, values)
        later = [name for name in given if name not in _ATTRIBUTES]
        return Sampled(names, rows, later, is_unmeasured and bool((of_sides > 0).any()))

    return take


def _matrix(buckets: Sequence[Element], names: Sequence[str], values: Values) -> Array:
    """Read attributes of buckets: a row for each; nan where one is missing."""
    places = [int(bucket.get(name, MISSING)) for bucket in buckets for name in names]
    return values.numbers(places).reshape(-1, len(names))
