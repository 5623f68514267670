"""The buckets of DISKSPD's XML as numbers: I/Os per second and latencies over time, percentiles.

With ``-D`` nearly all of a file is buckets: lines that differ only in their digits. They are cut
out of the text before it is parsed; each sequence of them leaves a mark, and is read at once if it
is as DISKSPD writes it. Otherwise nothing is cut out of that document, and its buckets are taken
out of the parsed tree one by one.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import orjson

from fiotools.readers.diskspd.elements import (
    LARGEST,
    LONG,
    LxmlElement,
    MalformedError,
    Place,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

DIRECTIONS = ("read", "write", "total")
TIME = "SampleMillisecond"
LATENCIES = (
    *("MinLatencyMilliseconds", "MaxLatencyMilliseconds", "AvgLatencyMilliseconds"),
    "LatencyStdDev",
)
ATTRIBUTES = (TIME, *(f"{d.title()}{name}" for d in DIRECTIONS for name in ("", *LATENCIES)))
_OF_SIDES = tuple(f"{word}{name}" for word in ("Read", "Write") for name in LATENCIES)
_SIDES = tuple(f"{direction.title()}Milliseconds" for direction in DIRECTIONS)

_HEAD = re.compile(r"<Results>\s{0,99}<(?:System|Profile|TimeSpan)>")
BUCKET, _CURVE = "<Bucket", "<Bucket>"  # with -D; in percentiles
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


@dataclass(frozen=True)
class Sampled:
    """The samples of ``-D``: of one target of a thread, or of the whole run."""

    # the columns: the time, and some of ``ATTRIBUTES``; or names of a later version
    names: Sequence[str]
    values: Array  # a row for each bucket, as printed; nan if missing
    # whether there are latencies though none were measured; only for whole runs
    is_made_up: bool = False

    @property
    def later(self) -> list[str]:
        """The names of a later version."""
        return [name for name in self.names if name not in ATTRIBUTES]


@dataclass(frozen=True)
class Curve:
    """Percentiles of the latencies of a run, or of one of its targets."""

    percentiles: Array
    # a row for each percentile, a column for each of ``DIRECTIONS``; nan if missing
    milliseconds: Array
    target: str | None = None
    number: int = 0  # its place among those of targets, from 1; 0 of the run
    line: int | None = None  # where it stands, if that is not where its run does


NO_CURVE = Curve(np.zeros(0), np.zeros((0, len(DIRECTIONS))))


class Buckets(NamedTuple):
    """The buckets of a document, by the number of their mark."""

    sampled: dict[int, Sampled]
    curves: dict[int, Curve]


@dataclass(frozen=True)
class Cut:
    """A document whose buckets were cut out."""

    text: str  # the whole document
    # the document with marks in the place of buckets; no other elements of that name are in it
    rest: str
    # the place of each mark's buckets: from the first one to the end of the outer element
    runs: list[tuple[int, int]]

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
        for start, end in self.runs:
            number += self.text.count("\n", at, start)
            marks.append(number)
            lines.append(lines[-1] + self.text.count("\n", start, end))
            at = end
        return marks, lines


def cut(text: str) -> Cut | None:
    r"""Cut the buckets out of a document; None if it does not begin as XML of DISKSPD.

    Examples
    --------
    >>> one = '<Bucket SampleMillisecond="1000" Read="1" Write="2" Total="3"/>\n'
    >>> cut("<Results>\n<System>\n<Iops>\n" + 2 * one + "</Iops>").rest
    '<Results>\n<System>\n<Iops>\n<Bucket/></Iops>'
    """
    if not _HEAD.match(text):
        return None
    parts: list[str] = []
    runs: list[tuple[int, int]] = []
    at = 0
    while (start := text.find(BUCKET, at)) >= 0:
        end = text.find(_LATENCY_END if text.startswith(_CURVE, start) else _IOPS_END, start)
        if end < 0:
            return None
        parts += text[at:start], _MARK
        runs.append((start, end))
        at = end
    parts.append(text[at:])
    return Cut(text, "".join(parts), runs)


def read_cut(taken: Cut, over_time: Mapping[int, bool], *, samples: bool) -> Buckets | None:
    """Read the buckets that were cut out of a document.

    Parameters
    ----------
    taken : Cut
    over_time : mapping of int to bool
        The marks of ``-D``, and whether each is of a whole run without latencies. Their form is
        always checked. The other marks are percentiles.
    samples : bool
        Whether the values over time are wanted.

    Returns
    -------
    Buckets or None
        Only the names of unwanted values; None if anything is not as DISKSPD writes it.
    """
    curves: dict[int, Curve] = {}
    for number, (start, end) in enumerate(taken.runs):
        if number not in over_time:
            curve = _curve(taken.text[start:end].encode())
            if curve is None:
                return None
            curves[number] = curve
    sampled = _over_time(taken, over_time, samples=samples) if over_time else {}
    return None if sampled is None else Buckets(sampled, curves)


def _curve(text: bytes) -> Curve | None:
    """Read percentiles; None if they are not as DISKSPD writes them."""
    bare = text.translate(None, _DIGITS + b".")
    unit = _PERCENTILE.match(bare)
    count = _rows(bare, unit[0]) if unit else None
    if unit is None or count is None:
        return None
    sides = [at for at, side in enumerate(_SIDES) if b"<" + side.encode() in unit[0]]
    found = _IN_TAGS.findall(text)
    # each in its place, and nowhere else a digit
    if len(found) != count * (1 + len(sides)) or sum(map(len, found)) != len(text) - len(bare):
        return None
    try:
        matrix = np.array([*map(float, found)]).reshape(count, -1)
    except ValueError:
        return None
    if max(map(len, found)) > LONG:
        return None
    milliseconds = np.full((count, len(_SIDES)), np.nan)
    milliseconds[:, sides] = matrix[:, 1:]
    return Curve(matrix[:, 0], milliseconds)


def _over_time(
    taken: Cut, unmeasured: Mapping[int, bool], *, samples: bool
) -> dict[int, Sampled] | None:
    """Read the buckets of ``-D`` of each run: all of them have the same attributes."""
    start, end = taken.runs[min(unmeasured)]
    head = taken.text[start : min(end, start + _UNIT_SIZE)].encode()
    unit = _UNIT.match(head.translate(None, _DIGITS))
    names = [name.decode() for name in _ATTRIBUTE.findall(unit[0])] if unit else []
    if unit is None or len(set(names)) < len(names):
        return None
    is_of_side = [name in _OF_SIDES for name in names]
    found: dict[int, Sampled] = {}
    for number, is_unmeasured in unmeasured.items():
        parts = [np.zeros((0, len(names)))]
        for text in _pieces(taken, number):
            count = _rows(text.translate(None, _DIGITS), unit[0])
            listed = None if count is None else _listed(text, count * len(names))
            if listed is None:
                return None
            if samples or is_unmeasured:
                matrix = _numbers(listed)
                if matrix is None:
                    return None
                parts.append(matrix.reshape(-1, len(names)))
        values = parts[1] if len(parts) == 2 else np.concatenate(parts)
        is_made_up = is_unmeasured and bool((values[:, is_of_side] > 0).any())
        found[number] = Sampled(names, values, is_made_up)
    return found


def _pieces(taken: Cut, number: int) -> Iterator[bytes]:
    """Yield a run in pieces of some size: each begins with a bucket."""
    start, end = taken.runs[number]
    while start < end:
        stop = taken.text.find(f"{BUCKET} ", start + _PIECE, end)
        stop = end if stop < 0 else stop
        yield taken.text[start:stop].encode()
        start = stop


def _rows(text: bytes, unit: bytes) -> int | None:
    """Count the rows of a text without digits; None if one is not like the first.

    Examples
    --------
    >>> _rows(b'<a=""/> <a=""/> <a=""/>   ', b'<a=""/>')
    3
    >>> _rows(b'<a=""/> <b=""/> ', b'<a=""/>') is None
    True
    """
    end = text.rfind(unit[-1:]) + 1
    behind = text.find(unit[:1], len(unit), end)
    between = text[len(unit) : behind] if behind >= 0 else b""
    count, over = divmod(end + len(between), len(unit) + len(between))
    same = text.startswith(unit) and text.startswith((between + unit) * (count - 1), len(unit))
    if over or not same or between.strip(_BLANK) or text[end:].strip(_BLANK):
        return None
    return count


def _listed(text: bytes, count: int) -> bytes | None:
    """Put commas between numbers that stand in quotes; None if there are any digits outside.

    Examples
    --------
    >>> _listed(b'<a b="1" c="0.250"/> <a b="2" c="13.007"/>', 4)
    b'1,0.250,2,13.007'
    >>> _listed(b'<a b="1" c5="0.250"/>', 2) is None
    True
    """
    apart = text.translate(_COMMAS, _BUT_NUMBERS)  # ,1,,0.250,
    listed = apart.replace(b",,", b",")
    is_closed = listed[:1] == listed[-1:] == b","
    return listed[1:-1] if is_closed and len(apart) - len(listed) == count - 1 else None


def _numbers(listed: bytes) -> Array | None:
    """Read numbers, each as Python's `float` does; None if one is written in another way."""
    try:
        found = np.array(orjson.loads(b"[%b]" % listed), dtype=np.float64)
    except orjson.JSONDecodeError:
        return None
    return found if found.max(initial=0) < LARGEST else None


def lift(root: LxmlElement, *, samples: bool) -> tuple[list[LxmlElement], Buckets]:
    """Take the buckets out of a tree, and leave one of each run as a mark.

    Parameters
    ----------
    root : lxml element
    samples : bool
        Whether the values over time are wanted.

    Returns
    -------
    marks : list of lxml elements
    buckets : Buckets
        Only the names of unwanted values over time.

    Raises
    ------
    MalformedError
        If a value is not a number.
    """
    marks: list[LxmlElement] = []
    found = Buckets({}, {})
    for span in root.iterchildren("TimeSpan"):
        measured = span.find("Latency") is not None
        for place in (*span.iterfind("Thread/Target"), span):
            buckets = place.findall("Iops/Bucket")
            if buckets:
                found.sampled[len(marks)] = _sampled(
                    buckets, measured=measured, is_run=place is span, samples=samples
                )
            _leave_mark(buckets, marks)
        buckets = span.findall("Latency/Bucket")
        if buckets:
            found.curves[len(marks)] = _percentiles(buckets)
        _leave_mark(buckets, marks)
    return marks, found


def _leave_mark(buckets: Sequence[LxmlElement], marks: list[LxmlElement]) -> None:
    for bucket in buckets[1:]:
        bucket.getparent().remove(bucket)
    if buckets:
        buckets[0].clear()
        marks.append(buckets[0])


def _sampled(
    buckets: Sequence[LxmlElement], *, measured: bool, is_run: bool, samples: bool
) -> Sampled:
    """Read the samples of ``-D``; for latencies without ``-L`` only whether there are any."""
    later = [name for name in dict(buckets[0].attrib) if name not in ATTRIBUTES]
    known = ATTRIBUTES if measured else (TIME, *map(str.title, DIRECTIONS))
    rows = _matrix(buckets if samples else [], known)
    values = np.hstack([rows, np.full((len(rows), len(later)), np.nan)])
    is_made_up = is_run and not measured and bool((_matrix(buckets, _OF_SIDES) > 0).any())
    return Sampled((*known, *later), values, is_made_up)


def _matrix(buckets: Sequence[LxmlElement], names: Sequence[str]) -> Array:
    """Read attributes of buckets: a row for each; nan where one is missing."""
    rows = [[_number(one, name, one.get(name)) for name in names] for one in buckets]
    return np.array(rows, dtype=np.float64).reshape(-1, len(names))


def _percentiles(buckets: Sequence[LxmlElement]) -> Curve:
    """Read percentiles of latencies."""
    rows = [[_of_child(one, name) for name in ("Percentile", *_SIDES)] for one in buckets]
    matrix = np.array(rows, dtype=np.float64)
    return Curve(matrix[:, 0], matrix[:, 1:])


def _of_child(bucket: LxmlElement, name: str) -> float:
    found = bucket.findall(name)
    texts = {(child.text or "").strip() for child in found}
    if any(map(len, found)):
        raise MalformedError(_line(found[0]), f"{name} holds elements, not a value")
    if len(texts) > 1:
        raise MalformedError(_line(found[1]), f"{name} occurs twice with different values")
    return _number(found[0], name, texts.pop() or None) if found else math.nan


def _number(element: LxmlElement, name: str, text: str | None) -> float:
    return math.nan if text is None else Place(0, name, _line(element)).number(text)


def _line(element: LxmlElement) -> int:
    return int(element.sourceline or 1)
