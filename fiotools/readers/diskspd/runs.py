"""Runs of DISKSPD, from both outputs: what they measured, whether it fits together, and the rows.

Both outputs say some things twice: reads and writes make the total, threads make the run, every
I/O moves one block. What does not agree is told, and changes no number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from fiotools.readers.diskspd.options import Asked, Conditions
from fiotools.tables.notes import Note
from fiotools.tables.parts import FILE
from fiotools.units import percentile
from fiotools.vocabulary import SWEPT

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fiotools.tables.rows import Rows

DIRECTIONS = ("read", "write", "total")
TIME = "SampleMillisecond"  # of a bucket of ``-D``
LATENCIES = (  # of a bucket of ``-D``, behind its direction
    *("MinLatencyMilliseconds", "MaxLatencyMilliseconds", "AvgLatencyMilliseconds"),
    "LatencyStdDev",
)
AMOUNTS = ("io_bytes", "total_ios")
USAGE = ("usage_pct", "user_pct", "kernel_pct", "idle_pct")
_MOST_NS = 1010  # how far off a mean may be: the last digit of what is printed is 1000 ns
_QUANTITIES = ("iops", "lat_min_ns", "lat_max_ns", "lat_mean_ns", "lat_stddev_ns")

# what the rows of each table share, and what is their own
_CONDITIONS = ("rw", "bs_bytes", "iodepth", "numjobs", "direct", "rwmixread_pct", "size_bytes")
_OF_SAMPLES = tuple(name for name in SWEPT if name != "bs_bytes")  # that is a single I/O's
_MEASURES = (
    *("io_bytes", "total_ios", "iops", "bw_bytes_per_s"),
    *("lat_mean_ns", "lat_stddev_ns", "iops_stddev"),
)
_IO = (
    *(FILE, "run", "entry", "direction", "scope", "thread", "target", "runtime_s"),
    *("lat_min_ns", "lat_max_ns", *_MEASURES, *_CONDITIONS),
)
_PERCENTILES = (FILE, "run", "entry", "scope", "target", "latency", *SWEPT, "direction")
_SAMPLES = (
    *(FILE, "run", "entry", "scope", "thread", "target", *_OF_SAMPLES),
    *("direction", "quantity"),
)
_SETTINGS = (FILE, "run", "origin")
_RUN = (FILE, "run")


@dataclass(slots=True)
class Measures:
    """What an entry did in one direction; None if unknown."""

    line: int
    io_bytes: int | None
    total_ios: int | None
    iops: float | None
    bw_bytes_per_s: float | None
    lat_mean_ns: float | None
    lat_stddev_ns: float | None
    iops_stddev: float | None

    def __post_init__(self) -> None:
        if not self.moved:  # 0.000 or no number: there was no latency
            self.lat_mean_ns = self.lat_stddev_ns = None

    @property
    def moved(self) -> bool:
        """Whether there was any I/O."""
        return bool(self.io_bytes if self.total_ios is None else self.total_ios)

    @property
    def known(self) -> bool:
        """Whether an amount is known."""
        return self.io_bytes is not None or self.total_ios is not None


@dataclass(frozen=True)
class Sampled:
    """The samples of ``-D``: of one target of a thread, or of the whole run."""

    # the columns: the time, the I/Os of a direction such as ``Read``, and its latencies
    names: Sequence[str]
    values: NDArray[np.float64]  # a row for each of them, as printed; nan if missing
    later: Sequence[str] = ()  # names of a later version, which are left out
    # whether there are latencies though none were measured; only for whole runs
    is_made_up: bool = False


@dataclass
class Entry:
    """A thread on a target, or the whole run."""

    thread: int | None = None
    target: str | None = None
    size: int | None = None  # of the target, in bytes
    measures: dict[str, Measures] = field(default_factory=dict)  # by direction
    sampled: Sampled | None = None

    @property
    def moved(self) -> bool:
        """Whether there was any I/O."""
        return any(one.moved for one in self.measures.values())


@dataclass(frozen=True)
class PrintedCurve:
    """Percentiles of the latencies of a run, or of one of its targets."""

    line: int
    # of each direction the percentiles that are known, and their latencies in ns
    points: dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]]
    target: str | None = None
    number: int = 0  # its place among those of targets, from 1; 0 of the run

    @classmethod
    def of(cls, line: int, rows: Any, target: str | None = None, number: int = 0) -> PrintedCurve:
        """Make it of rows: a percentile, and latencies in ms of `DIRECTIONS`; None if missing."""
        matrix = np.array(rows, dtype=np.float64).reshape(-1, 1 + len(DIRECTIONS))
        percentiles, values = matrix[:, 0], np.rint(matrix[:, 1:] * 1e6)
        known = (values == values) & (percentiles == percentiles)[:, None]
        points = {
            direction: (percentiles[known[:, at]], values[known[:, at], at])
            for at, direction in enumerate(DIRECTIONS)
        }
        return cls(line, points, target, number)


@dataclass
class DiskspdRun:
    """A run, ready to be made into rows."""

    asked: Asked
    seconds: float | None = None
    entries: list[Entry] = field(default_factory=list)
    total: Entry = field(default_factory=Entry)
    # whether the tool printed the numbers of the whole run; otherwise they are sums
    is_printed: bool = False
    gap: str | None = None  # what is missing among the entries, so that their sum is not a total
    is_measured: bool = False  # whether the latencies of samples were measured
    # group, name and `USAGE` of each processor
    cpus: list[tuple[Any, ...]] = field(default_factory=list)
    # values without a column: the number of the entry, or None for the run; path and text
    extras: list[tuple[int | None, str, str]] = field(default_factory=list)
    curves: Sequence[PrintedCurve] = ()
    problems: list[Note] = field(default_factory=list)


def nanoseconds(milliseconds: float | None) -> float | None:
    """Return a latency in whole ns; None if it is missing."""
    return None if milliseconds is None else float(round(milliseconds * 1e6))


def pool(measures: dict[str, Measures]) -> None:
    """Make a target's mean and deviation that 2.2 leaves out; its parts are all the I/O."""
    total = measures["total"]
    parts = [(one, one.total_ios or 0) for one in (measures["read"], measures["write"])]
    if total.lat_mean_ns is not None or not total.moved or not any(n for _, n in parts):
        return
    known = [(n, one.lat_mean_ns, one.lat_stddev_ns) for one, n in parts if n]
    count = sum(n for n, _, _ in known)
    means = [(n, mean) for n, mean, _ in known if mean is not None]
    if len(means) == len(known):
        total.lat_mean_ns = mean = sum(n * own for n, own in means) / count
        squares = [
            n * (deviation**2 + (own - mean) ** 2)
            for (n, own), (_, _, deviation) in zip(means, known, strict=True)
            if deviation is not None
        ]
        if total.lat_stddev_ns is None and len(squares) == len(known):
            total.lat_stddev_ns = (sum(squares) / count) ** 0.5


def gap(said: int | None, found: Sequence[tuple[int | None, int]], each: int | None) -> str | None:
    """Say which threads, or targets that they work on, are missing.

    There should be ``said`` threads with ``each`` targets; ``found`` has each thread with the
    number of its targets.
    """
    names = {name for name, _ in found}
    if len(names) != len(found):
        return "a thread is in the file twice"
    if said is not None and said != len(found):
        return f"{len(found)} of {said} threads are in the file"
    if each is not None and any(count != each for _, count in found):
        return f"not every thread has rows for its {each} targets"
    return None


# --- rows -------------------------------------------------------------------------------------


def add(rows: Rows, run: DiskspdRun, **about: Any) -> int:
    """Add a run with its problems; return its number."""
    number = rows.start_run(tool="diskspd", duration_s=run.seconds, **about)
    place = rows.file, number
    conditions = _conditions(run)
    _add_lists(rows, run, place)
    _add_io(rows, run, place, conditions)
    _add_percentiles(rows, run, place, conditions[-1])
    if rows.wants("samples"):
        every = (*run.entries, run.total)
        for at, (entry, asked) in enumerate(zip(every, conditions, strict=True), 1):
            whose = *place, at, _scope(entry, run), entry.thread, entry.target
            if entry.sampled is not None:
                shared = *whose, *map(asked.get, _OF_SAMPLES)
                _add_samples(rows, entry.sampled, shared, measured=run.is_measured)
    for note in (*run.problems, *_contradictions(run, conditions)):
        rows.say(note, number)
    return number


def _scope(entry: Entry, run: DiskspdRun) -> str:
    return "total" if entry is run.total else "thread"


def _conditions(run: DiskspdRun) -> list[Conditions]:
    """Return the conditions of each entry, and of the whole run.

    The size of a target in the results is better than the requested size.
    """
    found = [
        asked if entry.size is None else {**asked, "size_bytes": entry.size}
        for entry in run.entries
        for asked in (run.asked.of(entry.target),)
    ]
    sizes = {entry.target: entry.size for entry in run.entries}
    return [*found, run.asked.for_total(sizes)]


def _add_lists(rows: Rows, run: DiskspdRun, place: tuple[int, int]) -> None:
    """Add settings, processors, and values without a column."""
    if run.asked.settings:
        pairs = zip(*run.asked.settings, strict=True)
        rows.block("settings", _SETTINGS, (*place, "given"), ("option", "text"), *pairs)
    if run.cpus:
        rows.block("cpu", _RUN, place, ("group", "cpu", *USAGE), *zip(*run.cpus, strict=True))
    if run.extras:
        columns = zip(*run.extras, strict=True)
        rows.block("extras", _RUN, place, ("entry", "path", "text"), *columns)


def _add_io(
    rows: Rows,
    run: DiskspdRun,
    place: tuple[int, int],
    conditions: Sequence[Conditions],
) -> None:
    """Add the rows of threads on targets, and of the whole run behind them.

    A thread that did nothing while its run did something has rows of zeros.
    """
    extremes = _extremes(run)
    alive = {entry.thread for entry in run.entries if entry.moved}
    busy = {direction for direction, one in run.total.measures.items() if one.moved}
    for at, (entry, asked) in enumerate(zip((*run.entries, run.total), conditions, strict=True), 1):
        is_total = entry is run.total
        if is_total and run.gap is not None:
            continue
        is_dead = not is_total and entry.thread not in alive
        given = tuple(map(asked.get, _CONDITIONS))
        for direction, one in entry.measures.items():
            if one.moved or (is_dead and one.known and direction in busy):
                least, most = extremes.get(direction, _UNKNOWN) if is_total else _UNKNOWN
                own = direction, _scope(entry, run), entry.thread, entry.target
                measured = (
                    *(one.io_bytes, one.total_ios, one.iops, one.bw_bytes_per_s),
                    *(one.lat_mean_ns, one.lat_stddev_ns, one.iops_stddev),
                )
                row = (*place, at, *own, run.seconds, least, most, *measured, *given)
                rows.append("io", _IO, row)


_UNKNOWN = (None, None)


def _extremes(run: DiskspdRun) -> dict[str, tuple[float | None, float | None]]:
    """Return the smallest and the greatest latency of the whole run, by direction."""
    found = {}
    for curve in run.curves:
        for direction, (percentiles, values) in curve.points.items():
            if curve.target is None:
                known = dict(zip(percentiles.tolist(), values.tolist(), strict=True))
                found[direction] = known.get(0), known.get(100)
    return found


def _add_percentiles(
    rows: Rows, run: DiskspdRun, place: tuple[int, int], asked: Conditions
) -> None:
    """Add the percentiles of the run, and of single targets."""
    names = ("percentile", "value_ns")
    total = len(run.entries) + 1
    for curve in run.curves:
        # those of a target are of all its threads, and so of no entry
        given = [asked.get(name) if curve.target is None else None for name in SWEPT]
        scope = "total" if curve.target is None else "target"
        shared = (*place, total + curve.number, scope, curve.target, "lat", *given)
        for direction, points in curve.points.items():
            rows.block("percentiles", _PERCENTILES, (*shared, direction), names, *points)


def _add_samples(rows: Rows, sampled: Sampled, shared: tuple[Any, ...], *, measured: bool) -> None:
    """Add I/Os per second, and latencies if they were measured, of all buckets."""
    if TIME not in sampled.names or not sampled.values.size:
        return
    kinds = _kinds(tuple(sampled.names), measured)
    times = sampled.values[sampled.names.index(TIME)] / 1000
    given = sampled.values[[row for row, _, _ in kinds]]
    is_latency = np.array([quantity != "iops" for _, _, quantity in kinds])[:, None]
    # 0.000 means that there was no such I/O
    known = (given == given) & (times == times) & ((given != 0) | ~is_latency)
    np.rint(given * 1e6, out=given, where=is_latency)  # ms with three decimals
    are_known = known.all(axis=1).tolist()
    for at, (_, direction, quantity) in enumerate(kinds):
        time, value, there = times, given[at], known[at]
        if not are_known[at]:
            time, value = times[there], value[there]
        values = *shared, direction, quantity
        rows.block("samples", _SAMPLES, values, ("time_s", "value"), time, value)


@cache
def _kinds(names: tuple[str, ...], measured: bool) -> list[tuple[int, str, str]]:
    """Return of each value that a bucket has its place, its direction and its quantity."""
    return [
        (names.index(f"{direction.title()}{rest}"), direction, quantity)
        for direction in DIRECTIONS
        for rest, quantity in zip(("", *LATENCIES), _QUANTITIES, strict=True)
        if f"{direction.title()}{rest}" in names and (measured or quantity == "iops")
    ]


# --- what does not agree ----------------------------------------------------------------------


def _contradictions(run: DiskspdRun, conditions: Sequence[Conditions]) -> Iterator[Note]:
    said = (*_parts(run), *_blocks(run, conditions), *_means(run), *_falling(run))
    for line, message in said:
        yield Note("contradiction", "warning", line, message)


def _parts(run: DiskspdRun) -> Iterator[tuple[int, str]]:
    """Yield entries, and a printed run, whose reads and writes do not add up to their total."""
    for entry in (*run.entries, *[run.total] * run.is_printed):
        whose = "this target"
        if entry is run.total:
            whose = "the run"
        elif run.is_printed:
            whose = f"thread {entry.thread}"
        for name in AMOUNTS if len(entry.measures) == len(DIRECTIONS) else ():
            read, write, total = (getattr(entry.measures[one], name) for one in DIRECTIONS)
            if None not in (read, write, total) and read + write != total:
                said = f"{name}: read + write = {read + write}, but the total of {whose} is {total}"
                yield entry.measures["total"].line, said
                break


def _blocks(run: DiskspdRun, conditions: Sequence[Conditions]) -> Iterator[tuple[int, str]]:
    """Yield the first row of a run in which not every I/O moved one block."""
    odd = [
        (one, block)
        for entry, asked in zip((*run.entries, run.total), conditions, strict=True)
        if (block := asked.get("bs_bytes"))
        for one in entry.measures.values()
        if one.io_bytes and one.total_ios and one.io_bytes != one.total_ios * block
    ]
    for one, block in odd[:1]:
        message = f"{one.io_bytes} bytes are not {one.total_ios} I/Os of {block} bytes"
        more = f"; nor in {len(odd) - 1} more rows" if len(odd) > 1 else ""
        yield one.line, f"{message}, the block size{more}"


def _means(run: DiskspdRun) -> Iterator[tuple[int, str]]:
    """Yield the directions whose mean latency is not that of the threads."""
    for direction, total in run.total.measures.items() if run.gap is None else ():
        parts = [one.measures[direction] for one in run.entries if direction in one.measures]
        counts = [(one.total_ios, one.lat_mean_ns) for one in parts if one.total_ios]
        count = sum(n for n, _ in counts)
        means = [n * mean for n, mean in counts if mean is not None]
        if count and count == total.total_ios and len(means) == len(counts):
            ours, theirs = sum(means) / count, total.lat_mean_ns
            if theirs is not None and abs(ours - theirs) > _MOST_NS:
                ours_ms, theirs_ms = (f"{of / 1e6:.3f} ms" for of in (ours, theirs))
                message = f"mean latencies of the threads make {ours_ms}, not {theirs_ms}"
                yield total.line, f"{direction}: {message}"


def _falling(run: DiskspdRun) -> Iterator[tuple[int, str]]:
    """Yield curves with a percentile below a lower one, which is impossible for latencies."""
    for curve in run.curves:
        for direction, (percentiles, values) in curve.points.items():
            falls = np.flatnonzero(np.diff(values) < 0)
            if len(falls):
                below, above = map(percentile, percentiles[falls[0] : falls[0] + 2].tolist())
                message = f"percentile {above} is below percentile {below}"
                yield curve.line, f"{direction}: {message}"
                break
