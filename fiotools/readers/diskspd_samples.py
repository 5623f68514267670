"""The buckets of DISKSPD's XML as rows: `samples` over time, `percentiles` of the whole run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from fiotools.arrays import Vector, vector
from fiotools.readers import diskspd_checks as checks
from fiotools.readers.diskspd_buckets import DIRECTIONS, LATENCIES, Buckets, Curve
from fiotools.readers.diskspd_elements import from_milliseconds
from fiotools.vocabulary import COLUMNS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fiotools.tables import Tables

Keys: TypeAlias = Mapping[str, Any]

_DIRECTIONS = list(DIRECTIONS)
_QUANTITIES = ["iops", "lat_min_ns", "lat_max_ns", "lat_mean_ns", "lat_stddev_ns"]
_WHOSE = ("entry", "thread", "target", "scope")


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
    sampled = [(keys, buckets) for keys, buckets in sampled if len(buckets.values)]
    if not sampled:
        return
    names = list(sampled[0][1].names)
    values = np.concatenate([buckets.values for _, buckets in sampled])
    columns = [
        (names.index(f"{word.title()}{rest}"), direction, quantity)
        for direction, word in enumerate(DIRECTIONS)
        for quantity, rest in enumerate(("", *LATENCIES) if measured else ("",))
        if f"{word.title()}{rest}" in names
    ]
    places, directions, quantities = np.array(columns, dtype=np.int32).reshape(-1, 3).T
    given, times = values[:, places], values[:, 0] / 1000
    latencies = quantities > 0
    # 0.000 is what stands where there was no such I/O
    known = ~(np.isnan(given) | np.isnan(times)[:, None] | (latencies & (given == 0)))
    given[:, latencies] = _nanoseconds(given[:, latencies])

    def chosen(of_each: NDArray[Any]) -> NDArray[Any]:
        spread: NDArray[Any] = np.broadcast_to(of_each, given.shape)[known]
        return spread

    whose = np.repeat(np.arange(len(sampled)), [len(buckets.values) for _, buckets in sampled])
    rows = np.repeat(whose, known.sum(axis=1))
    if len(rows):
        tables.extend(
            "samples",
            {
                **{name: _of_each(name, sampled).take(rows) for name in _WHOSE},
                "direction": Vector(chosen(directions), words=_DIRECTIONS),
                "quantity": Vector(chosen(quantities), words=_QUANTITIES),
                "time_s": chosen(times[:, None]),
                "value": given[known],
            },
            run=run,
        )


def _of_each(name: str, sampled: Sequence[tuple[Keys, Buckets]]) -> Vector:
    return vector([keys.get(name) for keys, _ in sampled], COLUMNS[name].dtype)


def _nanoseconds(milliseconds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Do what `diskspd_elements.from_milliseconds` does, of many."""
    return np.rint(milliseconds * 1e6)


def add_percentiles(tables: Tables, keys: Keys, curve: Curve) -> str | None:
    """Add the percentiles of a run; say what is wrong with them."""
    values = _nanoseconds(curve.milliseconds)
    known = ~(np.isnan(values) | np.isnan(curve.percentiles)[:, None])
    percentiles = np.broadcast_to(curve.percentiles[:, None], known.shape)[known]
    directions = np.broadcast_to(np.arange(len(DIRECTIONS), dtype=np.int32), known.shape)[known]
    if not len(percentiles):
        return None
    tables.extend(
        "percentiles",
        {
            "direction": Vector(directions, words=_DIRECTIONS),
            "percentile": percentiles,
            "value_ns": values[known],
        },
        **keys,
        latency="lat",
    )
    sides = zip(values.T, known.T, strict=True)
    if not any((np.diff(side[there]) < 0).any() for side, there in sides):
        return None
    words = [DIRECTIONS[direction] for direction in directions.tolist()]
    return checks.falling(zip(words, percentiles.tolist(), values[known].tolist(), strict=True))


def extremes(curve: Curve) -> dict[tuple[str, float], float]:
    """Return the smallest and the greatest latency, by direction and percentile (0, 100)."""
    found = {}
    for row in np.flatnonzero(np.isin(curve.percentiles, (0.0, 100.0))).tolist():
        for direction, value in zip(DIRECTIONS, curve.milliseconds[row].tolist(), strict=True):
            if value == value:
                found[direction, float(curve.percentiles[row])] = from_milliseconds(value)
    return found
