"""The latencies of a fio document: four figures each, percentiles, and two kinds of histogram."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from fiotools.readers.fio.bins import (
    INDEXED,
    coarse_columns,
    fine_edges,
    indexed_edges,
    whole_direction,
)
from fiotools.readers.fio.json_histograms import Bins
from fiotools.readers.fio.json_values import Values

if TYPE_CHECKING:
    from fiotools.tables import Tables

_UNITS = {"ns": "nsec", "us": "usec", "ms": "msec"}
_SHARES = tuple(f"latency_{short}" for short in _UNITS)
# each latency under its keys, with how many ns its unit has: 1 since 3.0, 1000 before
_KEYS = tuple((kind, ((f"{kind}_ns", 1), (kind, 1000))) for kind in ("slat", "clat", "lat"))
KEYS = tuple(key for _, keys in _KEYS for key, _ in keys)
_STATS = ("min", "max", "mean", "stddev")
COLUMNS = {kind: {stat: f"{kind}_{stat}_ns" for stat in _STATS} for kind in ("slat", "clat", "lat")}
_SLACK = 0.02  # of I/Os that a job fell short of, or did after it was counted
Latency = tuple[str, int, dict[str, Any]]


def latencies(part: Mapping[str, Any], values: Values, direction: str) -> list[Latency]:
    """Give each latency that was measured: its kind, the ns of its unit, its figures.

    Without a measurement fio writes zeros.
    """
    found = []
    for kind, keys in _KEYS:
        for key, scale in keys:
            latency = part.get(key)
            if isinstance(latency, dict):
                latency = values.numbers(latency, (*_STATS, "N"), f"{direction}.{key}.")
                count = latency.get("N")
                if latency.get("max") or latency.get("mean") if count is None else count:
                    found.append((kind, scale, latency))
                break
    return found


def miscounted(measured: list[Latency], ios: Any, flying: float) -> Iterator[str]:
    """Name latencies of another number of I/Os than were done, and were flying at the end."""
    for kind, _, latency in measured:
        count = latency.get("N")
        is_known = bool(count and ios) and type(ios) is int
        if is_known and is_other_count(count, ios) and not ios < count <= ios + flying:
            yield f"{kind} is of {count} I/Os, but total_ios is {ios}"


def is_other_count(count: Any, ios: Any) -> Any:
    """Whether latencies are of another number of I/Os than were done; of arrays, which are."""
    return abs(count - ios) > _SLACK * ios + 1


def figures(measured: list[Latency]) -> dict[str, float]:
    """Give the columns of `io`, in ns."""
    found = {}
    for kind, scale, latency in measured:
        for stat, column in COLUMNS[kind].items():
            if stat in latency:
                found[column] = float(latency[stat] * scale)
    return found


def add_fine(
    tables: Tables, keys: Mapping[str, Any], measured: list[Latency], values: Values
) -> None:
    """Add percentiles, and the bins of json+."""
    for kind, scale, latency in measured:
        place = f"{keys['direction']}.{kind}."
        listed = latency.get("percentile")
        if isinstance(listed, dict) and tables.wants("percentiles"):
            _add_percentiles(tables, {**keys, "latency": kind}, listed, scale, values, place)
        bins = latency.get("bins")
        if isinstance(bins, (dict, Bins)) and tables.wants("bins"):
            _add_bins(tables, {**keys, "latency": kind}, bins, scale, values, place)


def _add_percentiles(
    tables: Tables,
    keys: dict[str, Any],
    listed: dict[str, Any],
    scale: int,
    values: Values,
    place: str,
) -> None:
    known = values.numbers(listed, listed, f"{place}percentile.")
    # slots that were not used are written as "0.00": 0 before 3.2
    used = {percentile(name): value for name, value in known.items()}
    used.pop(0.0, None)
    if used.pop(None, None) is not None:
        values.left_out.append(f"{place}percentile has a key")
    columns: dict[str, list[Any]] = {
        "percentile": list(used),
        "value_ns": [float(value * scale) for value in used.values()],
    }
    tables.extend("percentiles", columns, **keys)


def percentile(name: str) -> float | None:
    """Read the name of a percentile; None if it is none."""
    try:
        found = float(name)
    except ValueError:
        return None
    return found if 0 <= found <= 100 else None


def _add_bins(
    tables: Tables,
    keys: dict[str, Any],
    bins: dict[str, Any] | Bins,
    scale: int,
    values: Values,
    place: str,
) -> None:
    found = bins if isinstance(bins, Bins) else _bins(bins, scale)
    if found is None:
        values.left_out.append(f"{place}bins has a bin")
    elif len(found):
        columns = {"bin_lo_ns": found.low, "bin_hi_ns": found.high, "count": found.counts}
        tables.extend("bins", columns, **keys)


def _bins(bins: dict[str, Any], scale: int) -> Bins | None:
    """Take a histogram from a document; None if any bin that holds something is none of fio's."""
    names: list[int] = []
    counts: list[int] = []
    for name, count in bins.items():
        if type(count) is int and 0 < count < 2**63 and name.isdecimal() and len(name) < 16:
            names.append(int(name))
            counts.append(count)
        elif count and not name.startswith("FIO_"):  # 2.x lists the empty ones
            return None
    low, high = (indexed_edges if INDEXED in bins else fine_edges)(names, scale)
    if np.isinf(low).any():
        return None
    return Bins(low, high, np.array(counts, dtype=np.int64))


def add_coarse_bins(
    tables: Tables,
    keys: Mapping[str, Any],
    entry: Mapping[str, Any],
    directions: list[str],
    values: Values,
) -> None:
    """Add the coarse distribution (unless json+ has the same in fine bins, which tells the caller).

    It is of the completion latency, and of all directions of the entry.
    """
    if directions and tables.wants("bins"):
        shares = {key: entry[key] for key in _SHARES if isinstance(entry.get(key), dict)}
        sound = {key: values.numbers(bins, bins, f"{key}.") for key, bins in shares.items()}
        add_coarse(tables, keys, coarse(sound), directions)


def add_coarse(
    tables: Tables,
    keys: Mapping[str, Any],
    columns: dict[str, list[float]],
    directions: list[str],
) -> None:
    """Add the columns of a coarse distribution."""
    if columns["pct"]:
        tables.extend(
            "bins", columns, **keys, direction=whole_direction(directions), latency="clat"
        )


def coarse(entry: Mapping[str, Any]) -> dict[str, list[float]]:
    """Give the columns of the coarse distribution, the bins that hold anything."""
    shares = {
        unit: entry[f"latency_{short}"]
        for short, unit in _UNITS.items()
        if isinstance(entry.get(f"latency_{short}"), dict)
    }
    return coarse_columns(shares, has_ns="latency_ns" in entry)
