"""The buckets of DISKSPD's XML as rows: `samples` over time, `percentiles` of whole runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fiotools.arrays import Vector, vector
from fiotools.readers.diskspd import checks
from fiotools.readers.diskspd.buckets import DIRECTIONS, LATENCIES, Buckets, Curve
from fiotools.readers.diskspd.columns import Rows
from fiotools.vocabulary import COLUMNS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fiotools.arrays import Given
    from fiotools.readers.diskspd.results import Layout, Values

    Array = NDArray[Any]

_DIRECTIONS = list(DIRECTIONS)
_QUANTITIES = ["iops", "lat_min_ns", "lat_max_ns", "lat_mean_ns", "lat_stddev_ns"]
_WHOSE = ("entry", "thread", "target", "scope")
_EACH = np.arange(len(DIRECTIONS), dtype=np.int32)
_MANY = 1000  # buckets: whose they are is said once


class Sampled(NamedTuple):
    """What ``-D`` sampled of a thread on a target, or of a whole run.

    Attributes
    ----------
    run : int
        The place of the run among those that are read together.
    measured : bool
        Whether latencies were measured (``-L``); else they are left out.
    """

    run: int
    measured: bool
    buckets: Buckets
    entry: int
    scope: str
    thread: int | None = None
    target: str | None = None


def sampled_of(
    run: int, layout: Layout, values: Values, buckets: Sequence[Buckets | None]
) -> Iterator[Sampled]:
    """Say whose the buckets of a run are: of each entry, and of the whole run at last."""
    named = values.wholes[1 : 1 + len(layout.targets)]
    pairs = zip(named, layout.targets, strict=True)
    threads = [thread for thread, targets in pairs for _ in range(targets)]
    for at, one in enumerate(buckets):
        if one is None:
            continue
        if at == len(threads):
            yield Sampled(run, layout.measured, one, at + 1, "total")
        else:
            path = values.texts[at] or None
            yield Sampled(run, layout.measured, one, at + 1, "thread", threads[at], path)


def samples(sampled: Iterable[Sampled]) -> Iterator[Rows]:
    """Give what was sampled, in its order: I/Os per second, and latencies."""
    few: list[Sampled] = []
    for one in sampled:
        size = len(one.buckets.values)
        if few and size and (size >= _MANY or not _alike(few[-1], one)):
            yield _rows(few)
            few = []
        if size >= _MANY:
            yield _rows([one])
        elif size:
            few.append(one)
    if few:
        yield _rows(few)


def _alike(one: Sampled, other: Sampled) -> bool:
    return one.measured == other.measured and one.buckets.names == other.buckets.names


def _rows(sampled: Sequence[Sampled]) -> Rows:
    """Give the samples of buckets of the same columns."""
    values = np.concatenate([one.buckets.values for one in sampled])
    first = sampled[0]
    places, directions, quantities = _columns(tuple(first.buckets.names), first.measured)
    given, times = values.take(places, axis=1), values[:, :1] / 1000
    # 0.000 is what stands where there was no such I/O
    known = (given == given) & (times == times) & ((given != 0) | (quantities == 0))
    chosen = _chosen(known)
    np.rint(given * 1e6, out=given, where=quantities > 0)  # as from_milliseconds
    columns: dict[str, Given] = {
        "direction": Vector(chosen(directions), words=_DIRECTIONS),
        "quantity": Vector(chosen(quantities), words=_QUANTITIES),
        "time_s": chosen(times),
        "value": chosen(given),
    }
    if len(sampled) == 1:
        return Rows("samples", first.run, columns, {name: getattr(first, name) for name in _WHOSE})
    sizes = [len(one.buckets.values) for one in sampled]
    rows = chosen(np.arange(len(sampled)).repeat(sizes)[:, None])
    for name in _WHOSE:
        each = vector([getattr(one, name) for one in sampled], COLUMNS[name].dtype)
        columns[name] = each.take(rows)
    return Rows("samples", np.array([one.run for one in sampled]).take(rows), columns)


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

    def rows(self) -> Rows:
        """Give the rows."""
        chosen = _chosen(self._known)
        columns: dict[str, Given] = {
            "direction": Vector(chosen(_EACH), words=_DIRECTIONS),
            "percentile": chosen(self._percentiles[:, None]),
            "value_ns": chosen(self._values),
        }
        same = {"entry": self._entry, "scope": "total", "latency": "lat"}
        return Rows("percentiles", chosen(self._run[:, None]), columns, same)

    def falling(self) -> dict[int, str]:
        """Say of which runs a percentile is below a lower one."""
        run, values, known = self._run, self._values, self._known
        # each after the one above it, where none is missing between them
        odd = (run[1:] == run[:-1])[:, None] & (
            (values[1:] < values[:-1]) | (known[1:] != known[:-1])
        )
        found = {}
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
                found[number] = problem
        return found

    def extremes(self) -> Array:
        """Return the smallest and the greatest latency (ns) by run and direction."""
        found = np.full((2, self._runs, len(DIRECTIONS)), np.nan)
        for at, end in enumerate((0, 100)):
            rows, direction = np.nonzero((self._percentiles == end)[:, None] & self._is_there)
            found[at, self._run[rows], direction] = self._values[rows, direction]
        return found
