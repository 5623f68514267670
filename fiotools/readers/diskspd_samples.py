"""The buckets of DISKSPD's XML as rows: `samples` over time, `percentiles` of the whole run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from fiotools.arrays import Vector, vector
from fiotools.readers import diskspd_checks as checks
from fiotools.readers.diskspd_buckets import DIRECTIONS, LATENCIES, Buckets, Curve
from fiotools.readers.diskspd_elements import from_milliseconds
from fiotools.vocabulary import COLUMNS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fiotools.arrays import Given
    from fiotools.tables import Tables

Keys: TypeAlias = Mapping[str, Any]

_DIRECTIONS = list(DIRECTIONS)
_QUANTITIES = ["iops", "lat_min_ns", "lat_max_ns", "lat_mean_ns", "lat_stddev_ns"]
_WHOSE = ("entry", "thread", "target", "scope")
_EACH = np.arange(len(DIRECTIONS), dtype=np.int32)
_MANY = 1000  # buckets: whose they are is said once


def add_samples(
    tables: Tables, run: int, sampled: Sequence[tuple[Keys, Buckets]], *, measured: bool
) -> None:
    """Add the buckets of ``-D`` of one run: I/Os per second, and latencies.

    Parameters
    ----------
    tables : Tables
    run : int
    sampled : sequence of (keys, Buckets)
        Whose they are, in the order of the rows.
    measured : bool
        Whether latencies were measured (``-L``); else they are left out.
    """
    few: list[tuple[Keys, Buckets]] = []
    for keys, buckets in sampled:
        if len(buckets.values) >= _MANY:
            _add(tables, run, few, measured=measured)
            _add(tables, run, [(keys, buckets)], measured=measured)
            few = []
        elif len(buckets.values):
            few.append((keys, buckets))
    _add(tables, run, few, measured=measured)


def _add(
    tables: Tables, run: int, sampled: Sequence[tuple[Keys, Buckets]], *, measured: bool
) -> None:
    if not sampled:
        return
    values = np.concatenate([buckets.values for _, buckets in sampled])
    places, directions, quantities = _columns(tuple(sampled[0][1].names), measured)
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
        tables.extend("samples", columns, run=run, **sampled[0][0])
        return
    sizes = [len(buckets.values) for _, buckets in sampled]
    rows = chosen(np.repeat(np.arange(len(sampled)), sizes)[:, None])
    for name in _WHOSE:
        each = vector([keys.get(name) for keys, _ in sampled], COLUMNS[name].dtype)
        columns[name] = each.take(rows)
    tables.extend("samples", columns, run=run)


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


def _chosen(known: NDArray[np.bool_]) -> Callable[[NDArray[Any]], NDArray[Any]]:
    """Return what gives one below the other the values of a table that are known."""

    def chosen(of_each: NDArray[Any]) -> NDArray[Any]:
        spread = np.broadcast_to(of_each, known.shape)
        values: NDArray[Any] = spread.reshape(-1) if whole else spread[known]
        return values

    whole = bool(known.all())
    return chosen


def add_percentiles(tables: Tables, keys: Keys, curve: Curve) -> str | None:
    """Add the percentiles of a run; say what is wrong with them."""
    values = np.rint(curve.milliseconds * 1e6)
    percentiles = curve.percentiles[:, None]
    known = (values == values) & (percentiles == percentiles)
    chosen = _chosen(known)
    columns: dict[str, Given] = {
        "direction": Vector(chosen(_EACH), words=_DIRECTIONS),
        "percentile": chosen(percentiles),
        "value_ns": chosen(values),
    }
    if len(columns["value_ns"]):
        tables.extend("percentiles", columns, **keys, latency="lat")
    # each after the one above it, where none is missing between them
    if (known == known[:1]).all() and not (values[1:] < values[:-1]).any():
        return None
    words = [DIRECTIONS[direction] for direction in chosen(_EACH).tolist()]
    pairs = zip(words, chosen(percentiles).tolist(), chosen(values).tolist(), strict=True)
    return checks.falling(pairs)


def extremes(curve: Curve) -> dict[tuple[str, float], float]:
    """Return the smallest and the greatest latency, by direction and percentile (0, 100)."""
    found = {}
    ends = (curve.percentiles == 0) | (curve.percentiles == 100)
    for row in np.flatnonzero(ends).tolist():
        for direction, value in zip(DIRECTIONS, curve.milliseconds[row].tolist(), strict=True):
            if value == value:
                found[direction, float(curve.percentiles[row])] = from_milliseconds(value)
    return found
