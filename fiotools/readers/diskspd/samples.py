"""The buckets of DISKSPD's XML as rows: `samples` over time, `percentiles` of whole runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from fiotools.readers.diskspd import checks
from fiotools.readers.diskspd.buckets import DIRECTIONS, LATENCIES, Curve, Sampled
from fiotools.tables import Made

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fiotools.readers.diskspd.columns import Run

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
    layout, values = run.layout, run.values
    pairs = zip(values.wholes[1:], layout.targets, strict=False)
    threads = [None if thread < 0 else thread for thread, count in pairs for _ in range(count)]
    whose = [
        (thread, path or None, "thread")
        for thread, path in zip(threads, values.texts, strict=False)
    ]
    whose.append((None, None, "total"))
    for entry, (sampled, keys) in enumerate(zip(run.sampled, whose, strict=False), 1):
        if sampled is not None and len(sampled.values):
            yield _Stretch(place, layout.measured, sampled, run.number, entry, *keys)


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
    """The percentiles of several runs.

    Parameters
    ----------
    curves : sequence of Curve
        Of each run.
    entry : int
        The number of the row of the whole run.
    """

    def __init__(self, curves: Sequence[Curve], entry: int) -> None:
        self._runs, self._entry = len(curves), entry
        self._run = np.arange(len(curves)).repeat([len(curve.percentiles) for curve in curves])
        self._percentiles = np.concatenate([curve.percentiles for curve in curves])
        self._values = np.rint(np.concatenate([curve.milliseconds for curve in curves]) * 1e6)
        self._is_there = self._values == self._values
        self._known = self._is_there & ~np.isnan(self._percentiles)[:, None]

    def rows(self) -> tuple[Array, dict[str, Any]]:
        """Give the rows: the place of the run of each, and their columns."""
        chosen = _chosen(self._known)
        whose = chosen(self._run[:, None])
        columns: dict[str, Any] = {
            "entry": np.full(len(whose), self._entry),
            "scope": ["total"] * len(whose),
            "latency": ["lat"] * len(whose),
            "direction": words(DIRECTIONS, chosen(np.arange(len(DIRECTIONS)))),
            "percentile": chosen(self._percentiles[:, None]),
            "value_ns": chosen(self._values),
        }
        return whose, columns

    def falling(self) -> Iterator[tuple[int, str]]:
        """Say of which runs a percentile is below a lower one."""
        run, values, known = self._run, self._values, self._known
        # each after the one above it, where none is missing between them
        odd = (run[1:] == run[:-1])[:, None] & (
            (values[1:] < values[:-1]) | (known[1:] != known[:-1])
        )
        for number in np.unique(run[1:][odd.any(axis=1)]).tolist():
            first, last = np.searchsorted(run, [number, number + 1]).tolist()
            problem = checks.falling(
                (
                    DIRECTIONS[direction],
                    float(self._percentiles[row]),
                    float(values[row, direction]),
                )
                for row in range(first, last)
                for direction in np.flatnonzero(known[row]).tolist()
            )
            if problem:
                yield number, problem

    def extremes(self) -> Array:
        """Return the smallest and the greatest latency (ns) by run and direction."""
        found = np.full((2, self._runs, len(DIRECTIONS)), np.nan)
        for at, end in enumerate((0, 100)):
            rows, direction = np.nonzero((self._percentiles == end)[:, None] & self._is_there)
            found[at, self._run[rows], direction] = self._values[rows, direction]
        return found
