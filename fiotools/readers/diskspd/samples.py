"""The buckets of DISKSPD's XML as rows: `samples` over time, `percentiles` of whole runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from fiotools.readers.diskspd.buckets import DIRECTIONS, LATENCIES, NO_CURVE, Sampled
from fiotools.tables import Made

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fiotools.readers.diskspd.figures import Run

    Array = NDArray[Any]

_QUANTITIES = ("iops", "lat_min_ns", "lat_max_ns", "lat_mean_ns", "lat_stddev_ns")
_WHOSE = ("run", "entry", "thread", "target", "scope")
_MANY = 2**15  # buckets: rows are made of so many at once


class _Stretch(NamedTuple):
    """What ``-D`` sampled of a thread on a target, or of a whole run: the ``place``-th of all."""

    place: int
    measured: bool
    sampled: Sampled
    run: int
    entry: int
    thread: int | None
    target: str | None
    scope: str


def samples(runs: Sequence[Run]) -> Iterator[Made]:
    """Give what was sampled, in its order: I/Os per second, and latencies where they are sure."""
    few: list[_Stretch] = []
    size = 0
    for one in (one for place, run in enumerate(runs) for one in _stretches(place, run)):
        if few and (size >= _MANY or not _alike(few[-1], one)):
            yield from _rows(few)
            few, size = [], 0
        few.append(one)
        size += len(one.sampled.values)
    if few:
        yield from _rows(few)


def _stretches(place: int, run: Run) -> Iterator[_Stretch]:
    """Say whose the buckets of a run are: of each entry, and of the whole run at last."""
    whose: list[tuple[int | None, str | None, str]] = [
        (thread, target, "thread") for thread, target in zip(run.threads, run.targets, strict=True)
    ]
    whose.append((None, None, "total"))
    for entry, (sampled, keys) in enumerate(zip(run.sampled, whose, strict=False), 1):
        if sampled is not None and len(sampled.values):
            yield _Stretch(place, run.is_measured, sampled, run.number, entry, *keys)


def _alike(one: _Stretch, other: _Stretch) -> bool:
    return one.measured == other.measured and one.sampled.names == other.sampled.names


def _rows(stretches: Sequence[_Stretch]) -> Iterator[Made]:
    """Give the samples of buckets of the same columns."""
    values = np.concatenate([one.sampled.values for one in stretches])
    first = stretches[0]
    places, directions, quantities = _columns(tuple(first.sampled.names), first.measured)
    given, times = values.take(places, axis=1), values[:, :1] / 1000
    # 0.000 is what stands where there was no such I/O
    known = (given == given) & (times == times) & ((given != 0) | (quantities == 0))
    chosen = _chosen(known)
    np.rint(given * 1e6, out=given, where=quantities > 0)  # ms with three decimals
    columns: dict[str, Any] = {
        "direction": words(DIRECTIONS, chosen(directions)),
        "quantity": words(_QUANTITIES, chosen(quantities)),
        "time_s": chosen(times),
        "value": chosen(given),
    }
    starts = np.cumsum([0, *(len(one.sampled.values) for one in stretches[:-1])])
    sizes = np.add.reduceat(known.sum(axis=1), starts)
    there = np.flatnonzero(sizes).tolist()
    if there:
        shared = {name: [getattr(stretches[at], name) for at in there] for name in _WHOSE}
        whose = np.array([stretches[at].place for at in there], dtype=np.int32)
        yield Made("samples", whose, columns, sizes[there], shared)


def words(names: Sequence[str], places: Array) -> pl.Series:
    """Give names by their places: each is written once."""
    return pl.Series(names, dtype=pl.Enum(names)).gather(places)


@cache
def _columns(names: tuple[str, ...], measured: bool) -> NDArray[np.int32]:
    """Return of each value that a bucket has its place, its direction and its quantity."""
    columns = [
        (names.index(f"{word.title()}{rest}"), direction, quantity)
        for direction, word in enumerate(DIRECTIONS)
        for quantity, rest in enumerate(("", *LATENCIES) if measured else ("",))
        if f"{word.title()}{rest}" in names
    ]
    return np.array(columns, dtype=np.int32).reshape(-1, 3).T.copy()


def _chosen(known: NDArray[np.bool_]) -> Callable[[Array], Array]:
    """Return what gives one below the other the values of a table that are known."""

    def chosen(of_each: Array) -> Array:
        spread = np.broadcast_to(of_each, known.shape)
        values: Array = spread.reshape(-1) if whole else spread[known]
        return values

    whole = bool(known.all())
    return chosen


class Percentiles:
    """The percentiles of runs, and of single targets.

    Parameters
    ----------
    runs : sequence of Run
    entries : sequence of int
        How many entries each run has.
    """

    def __init__(self, runs: Sequence[Run], entries: Sequence[int]) -> None:
        self._runs = runs
        pairs = [(place, curve) for place, run in enumerate(runs) for curve in run.curves]
        self._curves = [curve for _, curve in pairs]
        self._of_curve = np.array([place for place, _ in pairs], dtype=np.int64)
        self._entry = np.array(
            [entries[place] + 1 + curve.number for place, curve in pairs], dtype=np.int64
        )
        curves = [NO_CURVE, *self._curves]
        sizes = [len(curve.percentiles) for curve in self._curves]
        self._curve = np.arange(len(sizes)).repeat(sizes)
        self._percentiles = np.concatenate([curve.percentiles for curve in curves])
        self._values = np.rint(np.concatenate([curve.milliseconds for curve in curves]) * 1e6)
        self._is_there = self._values == self._values
        self._known = self._is_there & ~np.isnan(self._percentiles)[:, None]

    def rows(self) -> tuple[Array, dict[str, Any]]:
        """Give the rows: the place of the run of each, and their columns."""
        chosen = _chosen(self._known)
        which = chosen(self._curve[:, None])
        targets = [curve.target for curve in self._curves]
        curves = which.tolist()
        columns: dict[str, Any] = {
            "entry": self._entry[which],
            "scope": ["total" if targets[one] is None else "target" for one in curves],
            "latency": ["lat"] * len(which),
            "direction": words(DIRECTIONS, chosen(np.arange(len(DIRECTIONS)))),
            "percentile": chosen(self._percentiles[:, None]),
            "value_ns": chosen(self._values),
        }
        if any(targets):
            columns["target"] = [targets[one] for one in curves]
        return self._of_curve[which], columns

    def falling(self) -> Iterator[tuple[int, int, str]]:
        """Say where a percentile is below a lower one, which no measured latencies can be."""
        curve, values, known = self._curve, self._values, self._known
        # each after the one above it, where none is missing between them
        odd = (curve[1:] == curve[:-1])[:, None] & (
            (values[1:] < values[:-1]) | (known[1:] != known[:-1])
        )
        for number in np.unique(curve[1:][odd.any(axis=1)]).tolist():
            run = int(self._of_curve[number])
            problem = self._fall(number)
            if problem:
                line, of_run = self._curves[number].line, self._runs[run]
                yield run, line or of_run.line(len(of_run.threads), 0), problem

    def _fall(self, number: int) -> str | None:
        """Name the first percentile of a curve that is below the known one before it."""
        before: dict[int, int] = {}
        for row, way in np.argwhere(self._known & (self._curve == number)[:, None]).tolist():
            lower = before.get(way, row)
            if self._values[row, way] < self._values[lower, way]:
                high, low = self._percentiles[[row, lower]].tolist()
                return f"{DIRECTIONS[way]}: percentile {high:.10g} is below percentile {low:.10g}"
            before[way] = row
        return None

    def extremes(self) -> Array:
        """Return the smallest and the greatest latency (ns) by run and direction."""
        found = np.full((2, len(self._runs), len(DIRECTIONS)), np.nan)
        is_of_run = np.array([curve.target is None for curve in self._curves], dtype=bool)
        for at, end in enumerate((0, 100)):
            there = (self._percentiles == end) & is_of_run[self._curve]
            rows, direction = np.nonzero(there[:, None] & self._is_there)
            run = self._of_curve[self._curve[rows]]
            found[at, run, direction] = self._values[rows, direction]
        return found
