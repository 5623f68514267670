"""Runs of DISKSPD, from both outputs: what they measured, whether it fits together, and the rows.

The numbers of many runs are arrays by row (each thread on a target, then the whole run) and
direction. One run is read in the same way as a campaign of a thousand.

Both outputs say some things twice: reads and writes make the total, threads make the run, every
I/O moves one block. A check gives what is wrong: the place of the run, the line and the message.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import accumulate, chain, compress, groupby, repeat
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import polars as pl

from fiotools.readers.diskspd.options import Asked, Conditions
from fiotools.tables import Column, Made, Tables
from fiotools.units import percentile

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]
    Columns = dict[str, Column]

DIRECTIONS = ("read", "write", "total")
LATENCIES = (  # of a bucket of ``-D``, behind its direction
    *("MinLatencyMilliseconds", "MaxLatencyMilliseconds", "AvgLatencyMilliseconds"),
    "LatencyStdDev",
)
AMOUNTS = ("io_bytes", "total_ios")
RATES = ("lat_mean_ns", "lat_stddev_ns", "iops_stddev")
SPEEDS = ("bw_bytes_per_s", "iops")
USAGE = ("usage_pct", "user_pct", "kernel_pct", "idle_pct")
MISSING = -1  # a whole number that is not there
WAYS = len(DIRECTIONS)
TOTAL = DIRECTIONS.index("total")  # of the others
Problem: TypeAlias = tuple[int, int, str]
_MOST_NS = 1010  # how far off a mean may be: the last digit of what is printed is 1000 ns
_QUANTITIES = ("iops", "lat_min_ns", "lat_max_ns", "lat_mean_ns", "lat_stddev_ns")
_WHOSE = ("run", "entry", "thread", "target", "scope")
_MANY = 2**15  # buckets: rows are made of so many at once


@dataclass(frozen=True)
class Sampled:
    """The samples of ``-D``: of one target of a thread, or of the whole run."""

    # the columns: the time, the I/Os of a direction such as ``Read``, and its latencies
    names: Sequence[str]
    values: Array  # a row for each bucket, as printed; nan if missing
    later: Sequence[str] = ()  # names of a later version, which are left out
    # whether there are latencies though none were measured; only for whole runs
    is_made_up: bool = False


@dataclass(frozen=True)
class PrintedCurve:
    """Percentiles of the latencies of a run, or of one of its targets."""

    percentiles: Array
    # a row for each percentile, a column for each of `DIRECTIONS`; nan if missing
    milliseconds: Array
    target: str | None = None
    number: int = 0  # its place among those of targets, from 1; 0 of the run
    line: int | None = None  # where it stands, if that is not where its run does


_NO_CURVE = PrintedCurve(np.zeros(0), np.zeros((0, len(DIRECTIONS))))


@dataclass
class DiskspdRun:
    """A run, ready to be made into rows."""

    asked: Asked
    # returns the line of an entry and a direction, by their places; the last entry is the whole run
    line: Callable[[int, int], int]
    seconds: float = np.nan  # nan if unknown
    number: int = 0  # in the tables
    # for each entry (a thread on a target): its thread, its target and the target's size
    threads: Sequence[int | None] = ()
    targets: Sequence[str | None] = ()
    sizes: Sequence[int | None] = ()
    # `AMOUNTS` of each entry and of the whole run, by direction; `MISSING` if unknown
    amounts: Sequence[int] = (MISSING,) * (len(AMOUNTS) * WAYS)
    # `RATES` of the same, with latencies in ms, and `SPEEDS`; nan if unknown
    rates: Sequence[float] | Array = (np.nan,) * (len(RATES) * WAYS)
    speeds: Sequence[float] = (np.nan,) * (len(SPEEDS) * WAYS)
    # whether the tool printed the numbers of the whole run; otherwise they are sums
    is_printed: bool = False
    gap: str | None = None  # what is missing among the entries, so that their sum is not a total
    # group and name of each processor
    groups: list[int | None] = field(default_factory=list)
    cpus: list[str | None] = field(default_factory=list)
    usage: Sequence[float] | Array = ()  # `USAGE` of each processor
    # values without a column: the number of the entry, or None for the run; path and text
    extras: list[tuple[int | None, str, str]] = field(default_factory=list)
    # what is wrong with it: line, severity, message
    problems: list[tuple[int, str, str]] = field(default_factory=list)
    curves: Sequence[PrintedCurve] = ()
    # the samples of ``-D`` for each entry, and for the whole run
    sampled: Sequence[Sampled | None] = ()
    is_measured: bool = False  # whether latencies were measured


class Measures:
    """The numbers of runs, by row (the entries of a run, then the whole run) and direction."""

    def __init__(self, runs: Sequence[DiskspdRun]) -> None:
        self.runs = runs
        sizes = np.array([len(run.threads) + 1 for run in runs])
        self.last = np.cumsum(sizes) - 1
        self.first = self.last - sizes + 1
        # of each row: the place of its run, its number within the run, whether it is the whole run
        self.whose = np.arange(len(runs)).repeat(sizes)
        self.entry = np.arange(len(self.whose)) - self.first[self.whose]
        self.is_total = np.zeros(len(self.whose), dtype=bool)
        self.is_total[self.last] = True
        # the columns of `AMOUNTS`, `RATES` and `SPEEDS`
        self.of = dict(_columns(AMOUNTS, [run.amounts for run in runs], np.int64))
        self.of |= _columns(RATES, [run.rates for run in runs], np.float64)
        self.of |= _columns(SPEEDS, [run.speeds for run in runs], np.float64)
        amounts, ios = self.of["io_bytes"], self.of["total_ios"]
        # whether there was any I/O
        self.moved = np.where(ios < 0, amounts, ios) > 0
        for name in ("lat_mean_ns", "lat_stddev_ns"):
            self.of[name] = np.where(self.moved, np.rint(self.of[name] * 1e6), np.nan)
        self._pool()

    def _pool(self) -> None:
        """Make a target's mean and deviation that 2.2 leaves out; its parts are all the I/O."""
        ios, means, deviations = (
            self.of[name] for name in ("total_ios", "lat_mean_ns", "lat_stddev_ns")
        )
        is_sum = ~self.of_rows(run.is_printed for run in self.runs) & ~self.is_total
        parts, total = self.moved[:, :TOTAL], means[:, TOTAL]
        lacks = is_sum & self.moved[:, TOTAL] & np.isnan(total) & parts.any(axis=-1)
        n, mean, deviation = (
            np.where(parts, measures[:, :TOTAL], 0)[lacks] for measures in (ios, means, deviations)
        )
        count = n.sum(axis=-1)
        pooled = (n * mean).sum(axis=-1) / count
        squares = (n * (deviation**2 + (mean - pooled[:, None]) ** 2)).sum(axis=-1)
        total[lacks] = pooled
        spread = deviations[:, TOTAL]
        spread[lacks] = np.where(np.isnan(spread[lacks]), (squares / count) ** 0.5, spread[lacks])

    def of_rows(self, of_runs: Iterable[Any]) -> Array:
        """Spread values of runs over their rows."""
        found: Array = np.array([*of_runs])[self.whose]
        return found

    def sums(self, of_rows: Array) -> Array:
        """Sum over the entries of each run."""
        entries = ~self.is_total.reshape(-1, *[1] * (of_rows.ndim - 1))
        found: Array = np.add.reduceat(np.where(entries, of_rows, 0), self.first)
        return found

    @property
    def there(self) -> Array:
        """Return which rows and directions have a row of `io`.

        A thread that did nothing while its run did something has rows of zeros.
        """
        threads = [thread for run in self.runs for thread in (*run.threads, MISSING)]
        who = [*zip(self.whose.tolist(), threads, strict=True)]
        alive: Array = np.any(self.moved, axis=1)
        busy = {*compress(who, alive.tolist())}
        dead = np.array([one not in busy for one in who])
        known = (self.of["io_bytes"] >= 0) | (self.of["total_ios"] >= 0)
        whole = self.of_rows(run.gap is None for run in self.runs)
        found: Array = self.moved & (whole | ~self.is_total)[:, None]
        found |= dead[:, None] & known & self.moved[self.last][self.whose]
        return found


def _columns(
    names: Sequence[str], runs: Sequence[Sequence[Any] | Array], kind: Any
) -> Iterable[tuple[str, Array]]:
    """Yield columns by row and direction from the flat lists of runs."""
    listed = np.concatenate([np.asarray(run, dtype=kind) for run in runs])
    return zip(names, listed.reshape(-1, len(names), WAYS).swapaxes(0, 1).copy(), strict=True)


def _parts(measures: Measures) -> Iterator[Problem]:
    """Yield entries and printed runs whose reads and writes do not add up to their total."""
    asked = ~measures.is_total | measures.of_rows(run.is_printed for run in measures.runs)
    told = np.zeros(len(asked), dtype=bool)
    for name in AMOUNTS:
        values = measures.of[name]
        both = values[:, :TOTAL].sum(axis=1)
        odd = asked & ~told & (values >= 0).all(axis=1) & (both != values[:, TOTAL])
        told |= odd
        for row in np.flatnonzero(odd).tolist():
            run = measures.runs[measures.whose[row]]
            whose = "this target"
            if measures.is_total[row]:
                whose = "the run"
            elif run.is_printed:
                whose = f"thread {run.threads[measures.entry[row]]}"
            said = f"{name}: read + write = {both[row]}, but the total of {whose} is"
            yield _problem(measures, row, TOTAL, f"{said} {values[row, TOTAL]}")


def _blocks(measures: Measures, of_rows: Array) -> Iterator[Problem]:
    """Yield the runs in which not every I/O moved one block; its size is 0 if it is unknown."""
    amounts, ios = (measures.of[name] for name in AMOUNTS)
    block = of_rows[:, None]
    odd = (block > 0) & (amounts > 0) & (ios > 0) & (amounts != ios * block)
    rows, ways = np.nonzero(odd)
    _, first, often = np.unique(measures.whose[rows], return_index=True, return_counts=True)
    for at, count in zip(first.tolist(), often.tolist(), strict=True):
        row, way = int(rows[at]), int(ways[at])
        message = (
            f"{amounts[row, way]} bytes are not {ios[row, way]} I/Os of {of_rows[row]} bytes,"
            " the block size"
        )
        more = f"; nor in {count - 1} more rows" if count > 1 else ""
        yield _problem(measures, row, way, message + more)


def _means(measures: Measures) -> Iterator[Problem]:
    """Yield the runs whose mean latency is not that of their threads."""
    ios, mean = measures.of["total_ios"], measures.of["lat_mean_ns"]
    counts = measures.sums(ios)
    made = measures.sums(np.where(ios > 0, ios * mean, 0)) / np.maximum(counts, 1)
    printed = mean[measures.last]
    is_whole = np.array([run.gap is None for run in measures.runs])
    odd = is_whole[:, None] & (counts > 0) & (counts == ios[measures.last])
    for run, way in np.argwhere(odd & (np.abs(made - printed) > _MOST_NS)).tolist():
        ours, theirs = (f"{of[run, way] / 1e6:.3f} ms" for of in (made, printed))
        message = f"{DIRECTIONS[way]}: mean latencies of the threads make {ours}, not {theirs}"
        yield _problem(measures, int(measures.last[run]), way, message)


def _problem(measures: Measures, row: int, way: int, message: str) -> Problem:
    run = int(measures.whose[row])
    return run, measures.runs[run].line(int(measures.entry[row]), way), message


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


class _Stretch(NamedTuple):
    """The samples of ``-D`` for a thread on a target, or for a whole run, the ``place``-th."""

    place: int
    measured: bool
    sampled: Sampled
    run: int
    entry: int
    thread: int | None
    target: str | None
    scope: str


def _samples(runs: Sequence[DiskspdRun]) -> Iterator[Made]:
    """Yield the samples in order: I/Os per second, and latencies if they were measured."""
    every = [one for place, run in enumerate(runs) for one in _stretches(place, run)]
    ends = accumulate(len(one.sampled.values) for one in every)

    def batch(pair: tuple[_Stretch, int]) -> tuple[object, ...]:
        one, end = pair
        return one.measured, one.sampled.names, end // _MANY

    for _, alike in groupby(zip(every, ends, strict=True), batch):
        yield from _sampled_rows([one for one, _ in alike])


def _stretches(place: int, run: DiskspdRun) -> Iterator[_Stretch]:
    """Yield the buckets of a run: those of each entry, then those of the whole run."""
    whose: list[tuple[int | None, str | None, str]] = [
        *zip(run.threads, run.targets, repeat("thread")),
        (None, None, "total"),
    ]
    for entry, (sampled, keys) in enumerate(zip(run.sampled, whose, strict=False), 1):
        if sampled is not None and len(sampled.values):
            yield _Stretch(place, run.is_measured, sampled, run.number, entry, *keys)


def _sampled_rows(stretches: Sequence[_Stretch]) -> Iterator[Made]:
    """Yield the samples of buckets of the same columns."""
    values = np.concatenate([one.sampled.values for one in stretches])
    first = stretches[0]
    places, directions, quantities = _places(tuple(first.sampled.names), first.measured)
    given, times = values.take(places, axis=1), values[:, :1] / 1000
    # 0.000 means that there was no such I/O
    known = (given == given) & (times == times) & ((given != 0) | (quantities == 0))
    np.rint(given * 1e6, out=given, where=quantities > 0)  # ms with three decimals
    columns: dict[str, Any] = {
        "direction": words(DIRECTIONS, _chosen(directions, known)),
        "quantity": words(_QUANTITIES, _chosen(quantities, known)),
        "time_s": _chosen(times, known),
        "value": _chosen(given, known),
    }
    starts = np.cumsum([0, *(len(one.sampled.values) for one in stretches[:-1])])
    sizes = np.add.reduceat(known.sum(axis=1), starts)
    there = np.flatnonzero(sizes).tolist()
    if there:
        shared = {name: [getattr(stretches[at], name) for at in there] for name in _WHOSE}
        whose = np.array([stretches[at].place for at in there], dtype=np.int32)
        yield Made("samples", whose, columns, sizes[there], shared)


def words(names: Sequence[str], places: Array) -> pl.Series:
    """Return names by their places: each is written once."""
    return pl.Series(names, dtype=pl.Enum(names)).gather(places)


@cache
def _places(names: tuple[str, ...], measured: bool) -> NDArray[np.int32]:
    """Return of each value that a bucket has its place, its direction and its quantity."""
    columns = [
        (names.index(f"{word.title()}{rest}"), direction, quantity)
        for direction, word in enumerate(DIRECTIONS)
        for quantity, rest in enumerate(("", *LATENCIES) if measured else ("",))
        if f"{word.title()}{rest}" in names
    ]
    return np.array(columns, dtype=np.int32).reshape(-1, 3).T.copy()


def _chosen(of_each: Array, known: NDArray[np.bool_]) -> Array:
    """List the known values of a table."""
    chosen: Array = np.broadcast_to(of_each, known.shape)[known]
    return chosen


class Percentiles:
    """The known percentiles of runs and of single targets, one below the other."""

    def __init__(self, runs: Sequence[DiskspdRun]) -> None:
        self._runs = runs
        pairs = [(place, curve) for place, run in enumerate(runs) for curve in run.curves]
        self._curves = [curve for _, curve in pairs]
        curves = [_NO_CURVE, *self._curves]
        percentiles = np.concatenate([curve.percentiles for curve in curves])
        values = np.rint(np.concatenate([curve.milliseconds for curve in curves]) * 1e6)
        row, self._way = np.nonzero((values == values) & (percentiles == percentiles)[:, None])
        # of each: its curve and the place of its run; the percentile, its direction and its value
        sizes = [len(curve.percentiles) for curve in self._curves]
        self._curve = np.arange(len(sizes)).repeat(sizes)[row]
        self._run = np.array([place for place, _ in pairs], dtype=np.int64)[self._curve]
        self._percentile, self._value = percentiles[row], values[row, self._way]

    def rows(self) -> tuple[Array, dict[str, Any]]:
        """Return the rows: the place of the run of each, and their columns."""
        targets = [curve.target for curve in self._curves]
        numbers = np.array([curve.number for curve in self._curves], dtype=np.int64)
        sizes = np.array([len(run.threads) + 1 for run in self._runs], dtype=np.int64)
        curves = self._curve.tolist()
        columns: dict[str, Any] = {
            "entry": sizes[self._run] + numbers[self._curve],
            "scope": ["total" if targets[one] is None else "target" for one in curves],
            "latency": ["lat"] * len(curves),
            "direction": words(DIRECTIONS, self._way),
            "percentile": self._percentile,
            "value_ns": self._value,
        }
        if any(targets):
            columns["target"] = [targets[one] for one in curves]
        return self._run, columns

    def falling(self) -> Iterator[Problem]:
        """Yield curves with a percentile below a lower one, which is impossible for latencies."""
        order = np.lexsort((self._way, self._curve))
        low, high = order[:-1], order[1:]
        falls = self._value[high] < self._value[low]
        for name in (self._way, self._curve):
            falls &= name[high] == name[low]
        told: set[int] = set()
        for at, lower in sorted(zip(high[falls].tolist(), low[falls].tolist(), strict=True)):
            number, place = int(self._curve[at]), int(self._run[at])
            if number not in told:
                told.add(number)
                run = self._runs[place]
                line = self._curves[number].line or run.line(len(run.threads), 0)
                above, below = self._percentile[[at, lower]].tolist()
                message = f"percentile {percentile(above)} is below percentile {percentile(below)}"
                yield place, line, f"{DIRECTIONS[self._way[at]]}: {message}"

    def extremes(self) -> Array:
        """Return the smallest and the greatest latency (ns) by run and direction."""
        found = np.full((2, len(self._runs), WAYS), np.nan)
        is_of_run = np.array([curve.target is None for curve in self._curves], dtype=bool)
        for at, end in enumerate((0, 100)):
            there = (self._percentile == end) & is_of_run[self._curve]
            found[at, self._run[there], self._way[there]] = self._value[there]
        return found


def add(tables: Tables, run: DiskspdRun, **about: Any) -> None:
    """Add a run with its problems; its rows are made later."""
    run.number = tables.start_run(
        tool="diskspd", duration_s=None if np.isnan(run.seconds) else run.seconds, **about
    )
    tables.defer(make, run)
    for line, severity, message in run.problems:
        tables.note(message, line=line, severity=severity, run=run.number)


def make(runs: Sequence[DiskspdRun], wants: Callable[[str], bool]) -> Iterator[Made]:
    """Make the rows of runs of many files."""
    measures = Measures(runs)
    percentiles = Percentiles(runs)
    conditions = _conditions(runs)
    numbers = np.array([run.number for run in runs])
    tables: dict[str, Callable[[], tuple[Any, Columns]]] = {
        "settings": lambda: _settings(runs),
        "io": lambda: _io(measures, percentiles, conditions),
        "cpu": lambda: _cpu(runs),
        "extras": lambda: _extras(runs),
        "percentiles": percentiles.rows,
        "notes": lambda: _notes(measures, percentiles, conditions["bs_bytes"]),
    }
    for table, of_table in tables.items():
        if wants(table):
            whose, columns = of_table()
            owners = np.array(whose, dtype=np.int32)
            if len(owners):
                yield Made(table, owners, {"run": numbers[owners], **columns})
    if wants("samples"):
        yield from _samples(runs)


def _conditions(runs: Sequence[DiskspdRun]) -> dict[str, list[Any]]:
    """Return the conditions of the entries of all runs, each followed by those of the whole run.

    The size of a target in the results is better than the requested size.
    """
    every: list[Conditions] = []
    for run in runs:
        for path, size in zip(run.targets, run.sizes, strict=True):
            asked = run.asked.of(path)
            every.append(asked if size is None else {**asked, "size_bytes": size})
        every.append(run.asked.for_total(dict(zip(run.targets, run.sizes, strict=True))))
    names = dict.fromkeys(chain(("bs_bytes",), *every))
    return {name: [one.get(name) for one in every] for name in names}


def _settings(runs: Sequence[DiskspdRun]) -> tuple[Any, Columns]:
    whose = [place for place, run in enumerate(runs) for _ in run.asked.settings]
    pairs = [pair for run in runs for pair in run.asked.settings]
    return whose, {
        "option": [option for option, _ in pairs],
        "text": [text for _, text in pairs],
        "origin": ["given"] * len(pairs),
    }


def _io(
    measures: Measures, percentiles: Percentiles, conditions: Mapping[str, list[Any]]
) -> tuple[Any, Columns]:
    """Return the rows of threads on targets, and of whole runs behind them."""
    runs = measures.runs
    row, way = np.nonzero(measures.there)
    whose, is_total = measures.whose[row], measures.is_total[row]
    columns: Columns = {
        "entry": measures.entry[row] + 1,
        "direction": [DIRECTIONS[one] for one in way.tolist()],
        "scope": ["total" if one else "thread" for one in is_total.tolist()],
        "runtime_s": np.array([run.seconds for run in runs])[whose],
    }
    for name, values in measures.of.items():
        columns[name] = known(values[row, way])
    for name, extreme in zip(("lat_min_ns", "lat_max_ns"), percentiles.extremes(), strict=True):
        columns[name] = np.where(is_total, extreme[whose, way], np.nan)
    of_rows: dict[str, list[Any]] = {
        "thread": [one for run in runs for one in (*run.threads, None)],
        "target": [one for run in runs for one in (*run.targets, None)],
        **conditions,
    }
    rows = row.tolist()
    for name, listed in of_rows.items():
        columns[name] = [listed[one] for one in rows]
    return whose, columns


def known(numbers: Array) -> Column:
    """Replace whole numbers below 0 by None."""
    if numbers.dtype.kind == "f" or (numbers >= 0).all():
        return numbers
    return [None if number < 0 else number for number in numbers.tolist()]


def _cpu(runs: Sequence[DiskspdRun]) -> tuple[Any, Columns]:
    """Return the rows of processors, and of averages behind them."""
    usage = np.concatenate([run.usage for run in runs]).reshape(-1, len(USAGE))
    return [place for place, run in enumerate(runs) for _ in run.cpus], {
        "group": [group for run in runs for group in run.groups],
        "cpu": [name for run in runs for name in run.cpus],
        **dict(zip(USAGE, usage.T, strict=True)),
    }


def _extras(runs: Sequence[DiskspdRun]) -> tuple[Any, Columns]:
    """Return the values that have no column of their own."""
    rows = [row for run in runs for row in run.extras]
    return [place for place, run in enumerate(runs) for _ in run.extras], {
        "entry": [entry for entry, _, _ in rows],
        "path": [path for _, path, _ in rows],
        "text": [text for _, _, text in rows],
    }


def _notes(
    measures: Measures, percentiles: Percentiles, blocks: Sequence[int | None]
) -> tuple[Any, Columns]:
    """Return the problems of each run, with their lines."""
    said = [
        *_parts(measures),
        *_blocks(measures, np.array([block or 0 for block in blocks], dtype=np.int64)),
        *_means(measures),
        *percentiles.falling(),
    ]
    said.sort(key=lambda one: one[0])
    return [run for run, _, _ in said], {
        "line": [line for _, line, _ in said],
        "severity": ["warning"] * len(said),
        "message": [message for _, _, message in said],
    }
