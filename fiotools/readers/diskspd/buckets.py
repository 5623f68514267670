"""The buckets of DISKSPD's XML as numbers: I/Os per second and latencies over time, percentiles.

They are read in two ways with the same result: element by element, whatever stands in them, or,
where `diskspd_cut` took them out of the file, all at once if they are as DISKSPD writes them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fiotools.readers.diskspd.cut import NUMBER, Cut
from fiotools.readers.diskspd.elements import Element, Fields, to_number
from fiotools.readers.diskspd.numbers import (
    DIGITS,
    LONG,
    quoted,
    rows,
    values,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

DIRECTIONS = ("read", "write", "total")
TIME = "SampleMillisecond"
LATENCIES = (
    *("MinLatencyMilliseconds", "MaxLatencyMilliseconds", "AvgLatencyMilliseconds"),
    "LatencyStdDev",
)
ATTRIBUTES = (TIME, *(f"{d.title()}{name}" for d in DIRECTIONS for name in ("", *LATENCIES)))
_OF_SIDES = tuple(f"{word}{name}" for word in ("Read", "Write") for name in LATENCIES)
_SIDES = tuple(f"{direction.title()}Milliseconds" for direction in DIRECTIONS)

_UNIT = re.compile(rb'<Bucket SampleMillisecond=""(?: \w+="\.?")+/>')
_ATTRIBUTE = re.compile(rb'(\w+)="(\.?)"')
_PERCENTILE = re.compile(
    rb"<Bucket>[ \t\r\n]*<Percentile></Percentile>[ \t\r\n]*"
    rb"(?:<ReadMilliseconds></ReadMilliseconds>[ \t\r\n]*)?"
    rb"(?:<WriteMilliseconds></WriteMilliseconds>[ \t\r\n]*)?"
    rb"(?:<TotalMilliseconds></TotalMilliseconds>[ \t\r\n]*)?</Bucket>"
)
_BUT_VALUES = bytes(set(range(256)) - set(DIGITS + b".<>"))
_IN_TAGS = bytes.maketrans(b"<", b">")
_PIECE = 2**18  # bytes
_UNIT_SIZE = 4096
_BETWEEN = b"|"  # of runs; one that has it itself is not as DISKSPD writes it


@dataclass(frozen=True)
class Buckets:
    """What ``-D`` sampled of one target of a thread, or of the whole run.

    Attributes
    ----------
    names : sequence of str
        What the columns are: the time, and some of ``ATTRIBUTES``.
    values : numpy.ndarray
        A row for each bucket, as printed; nan where something is missing.
    """

    names: Sequence[str]
    values: NDArray[np.float64]


@dataclass(frozen=True)
class Curve:
    """Percentiles of the latencies of a run.

    Attributes
    ----------
    percentiles : numpy.ndarray
    milliseconds : numpy.ndarray
        A row for each percentile, a column for each of ``DIRECTIONS``; nan where missing.
    """

    percentiles: NDArray[np.float64]
    milliseconds: NDArray[np.float64]


NO_CURVE = Curve(np.zeros(0), np.zeros((0, len(DIRECTIONS))))


class Source:
    """Gives the buckets of an element: reads them from the elements in it."""

    def sampled(self, place: Fields, *, measured: bool) -> Buckets:
        """Read the buckets of ``-D`` of a ``Target`` or a ``TimeSpan``.

        Parameters
        ----------
        place : Fields
        measured : bool
            Whether latencies were measured; else nobody asks for them.
        """
        names = ATTRIBUTES if measured else (TIME, "Read", "Write", "Total")
        values = [[_attribute(bucket, name) for name in names] for bucket in _of_iops(place)]
        return Buckets(names, _matrix(values, len(names)))

    def has_latencies(self, span: Fields) -> bool:
        """Say whether any bucket of a ``TimeSpan`` has a latency that is not 0."""
        return any(_attribute(bucket, name) for bucket in _of_iops(span) for name in _OF_SIDES)

    def named(self, place: Fields) -> Sequence[str]:
        """Name the attributes of the first bucket of a ``TimeSpan``."""
        return [name for bucket in _of_iops(place)[:1] for name, _ in bucket.attributes()]

    def curve(self, span: Fields) -> Curve:
        """Read the percentiles of a ``TimeSpan``."""
        rows = [
            [bucket.number(name) for name in ("Percentile", *_SIDES)]
            for bucket in span.below("Latency").all("Bucket")
        ]
        matrix = _matrix(rows, 1 + len(_SIDES))
        return Curve(matrix[:, 0], matrix[:, 1:])


def _of_iops(place: Fields) -> Sequence[Fields]:
    return place.below("Iops").all("Bucket")


def _attribute(bucket: Fields, name: str) -> float | None:
    value = bucket.attribute(name)
    return None if value is None else to_number(value, bucket, name)


def _matrix(rows: list[list[float | None]], width: int) -> NDArray[np.float64]:
    return np.array(rows, dtype=np.float64).reshape(-1, width)


@dataclass(frozen=True)
class CutSource(Source):
    """Gives the buckets that were cut out of a file, by the number of their mark.

    Attributes
    ----------
    names : sequence of str
        The attributes of all buckets of ``-D``.
    over_time : dict of int to numpy.ndarray
        Their values, where they are wanted.
    curves : dict of int to Curve
    """

    names: Sequence[str]
    over_time: dict[int, NDArray[np.float64]]
    curves: dict[int, Curve]

    def buckets(self, mark: int) -> Buckets:
        """Look up what a mark stands for."""
        return Buckets(self.names, self.over_time[mark])

    def sampled(self, place: Fields, *, measured: bool) -> Buckets:
        """Look up what was cut out of a ``Target`` or a ``TimeSpan``."""
        mark = mark_of(place, "Iops")
        if mark is None:
            return super().sampled(place, measured=measured)
        return self.buckets(mark)

    def has_latencies(self, span: Fields) -> bool:
        """Say whether any bucket cut out of a ``TimeSpan`` has a latency that is not 0."""
        return has_latencies(self.sampled(span, measured=True))

    def named(self, place: Fields) -> Sequence[str]:
        """Name the attributes of what was cut out of a ``TimeSpan``."""
        return self.names if _of_iops(place) else ()

    def curve(self, span: Fields) -> Curve:
        """Look up the percentiles that were cut out of a ``TimeSpan``."""
        mark = mark_of(span, "Latency")
        return super().curve(span) if mark is None else self.curves[mark]


def mark_of(place: Fields, holder: str) -> int | None:
    """Return the number of the mark in an ``Iops`` or a ``Latency``; None if there is none."""
    marks = place.below(holder).all("Bucket")
    return int(marks[0].attribute(NUMBER) or "") if marks else None


def has_latencies(buckets: Buckets) -> bool:
    """Say whether any latency of reads or writes is not 0."""
    return bool((buckets.values[:, [name in _OF_SIDES for name in buckets.names]] > 0).any())


@dataclass(frozen=True)
class Marks:
    """What the marks of a document stand for.

    Attributes
    ----------
    over_time : dict of int to bool
        The runs of ``-D``, and whether their latencies are to be asked whether they are made up.
    curves : sequence of int
        The runs of percentiles.
    """

    over_time: dict[int, bool]
    curves: Sequence[int]


def marks_of(root: Element, count: int) -> Marks | None:
    """Find the marks of a document.

    Parameters
    ----------
    root : Element
    count : int
        How many there must be.

    Returns
    -------
    Marks or None
        None if one is missing, or not where DISKSPD writes buckets.
    """
    over_time: dict[int, bool] = {}
    curves: list[int] = []
    for number, mark in enumerate(root.iter("Bucket")):
        if mark.get(NUMBER) != str(number) or not _is_in_place(mark, root):
            return None
        holder = mark.getparent()
        if holder.tag == "Iops":
            place = holder.getparent()
            over_time[number] = place.tag == "TimeSpan" and place.find("Latency") is None
        else:
            curves.append(number)
    return Marks(over_time, curves) if len(over_time) + len(curves) == count else None


def _is_in_place(mark: Element, root: Element) -> bool:
    """Say whether buckets stand where DISKSPD writes them, and once."""
    holder = mark.getparent()
    place = holder.getparent()
    if place is None or not (_is_alone(mark, holder) and _is_alone(holder, place)):
        return False
    if holder.tag == "Iops" and place.tag == "Target":
        thread = place.getparent()
        span = None if thread is None or thread.tag != "Thread" else thread.getparent()
    else:
        span = place if holder.tag in ("Iops", "Latency") else None
    return span is not None and span.tag == "TimeSpan" and span.getparent() is root


def _is_alone(element: Element, parent: Element) -> bool:
    return len([*parent.iterchildren(element.tag)]) == 1


def source_of(taken: Cut, marks: Marks, *, samples: bool) -> CutSource | None:
    """Read what was cut out of a file.

    Parameters
    ----------
    taken : Cut
    marks : Marks
    samples : bool
        Whether the values over time are wanted. They are held to their form in any case.

    Returns
    -------
    CutSource or None
        None if anything is not what DISKSPD writes.
    """
    curves: dict[int, Curve] = {}
    for number in marks.curves:
        curve = _curve(taken.data[slice(*taken.runs[number])])
        if curve is None:
            return None
        curves[number] = curve
    if not marks.over_time:
        return CutSource((), {}, curves)
    wanted = {number: samples or asked for number, asked in marks.over_time.items()}
    read = _over_time(taken, wanted)
    return None if read is None else CutSource(*read, curves)


def _curve(text: bytes) -> Curve | None:
    """Read percentiles; None if they are not what DISKSPD writes."""
    bare = text.translate(None, DIGITS + b".")
    unit = _PERCENTILE.match(bare)
    count = rows(bare, unit[0]) if unit else None
    if unit is None or count is None:
        return None
    sides = [at for at, side in enumerate(_SIDES) if b"<" + side.encode() in unit[0]]
    # in turn what stands in a tag and behind it: a value in every fourth place, else nothing
    parts = text.translate(_IN_TAGS, _BUT_VALUES).split(b">")
    step = 4 * len(sides) + 8
    if len(parts) - parts.count(b"") != count * (1 + len(sides)) or max(map(len, parts)) > LONG:
        return None
    try:
        columns = [list(map(float, parts[at::step])) for at in range(4, step - 3, 4)]
    except ValueError:
        return None
    milliseconds = np.full((count, len(_SIDES)), np.nan)
    milliseconds[:, sides] = np.array(columns[1:]).T.reshape(count, -1)
    return Curve(np.array(columns[0]), milliseconds)


def _over_time(
    taken: Cut, wanted: dict[int, bool]
) -> tuple[Sequence[str], dict[int, NDArray[np.float64]]] | None:
    """Read the buckets of ``-D``: of all runs, a piece of some size at a time."""
    start, end = taken.runs[min(wanted)]
    unit = _UNIT.match(taken.data[start : min(end, start + _UNIT_SIZE)].translate(None, DIGITS))
    attributes = [] if unit is None else _ATTRIBUTE.findall(unit[0])
    names = [name.decode() for name, _ in attributes]
    points = [bool(point) for _, point in attributes]
    known = set(names) <= set(ATTRIBUTES) and len(set(names)) == len(names)
    if unit is None or not known or points != sorted(points):
        return None
    found: dict[int, list[NDArray[np.float64]]] = {number: [] for number in wanted}
    for pieces in _grouped(taken, wanted):
        joined = _BETWEEN.join([text for _, text in pieces])
        bare = joined.translate(None, DIGITS).split(_BETWEEN)
        counts = [rows(text, unit[0]) for text in bare]
        if None in counts or len(counts) != len(pieces):
            return None
        lengths = [count or 0 for count in counts]
        digits = quoted(joined, sum(lengths), len(names))
        if digits is None:
            return None
        if not any(wanted[number] for number, _ in pieces):
            continue
        matrix = values(digits, points.count(False))
        if matrix is None:
            return None
        start = 0
        for (number, _), length in zip(pieces, lengths, strict=True):
            if wanted[number]:
                found[number].append(matrix[start : start + length])
            start += length
    return names, {
        number: parts[0] if len(parts) == 1 else np.concatenate(parts)
        for number, parts in found.items()
        if parts
    }


def _grouped(taken: Cut, numbers: Iterable[int]) -> Iterator[list[tuple[int, memoryview]]]:
    """Give the runs in groups of about one size: short ones together, long ones in pieces."""
    view = memoryview(taken.data)
    group: list[tuple[int, memoryview]] = []
    size = 0
    for number in numbers:
        start, end = taken.runs[number]
        while start < end:
            stop = taken.data.find(b"<Bucket ", start + _PIECE, end) if end - start > _PIECE else -1
            stop = end if stop < 0 else stop
            group.append((number, view[start:stop]))
            size += stop - start
            start = stop
            if size >= _PIECE:
                yield group
                group, size = [], 0
    if group:
        yield group
