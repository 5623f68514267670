"""The latencies of a fio document: four figures each, percentiles, and two kinds of histogram."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from fiotools.readers.fio_bins import coarse_columns, fine_edges, whole_direction

if TYPE_CHECKING:
    from fiotools.tables import Tables

_UNITS = {"ns": "nsec", "us": "usec", "ms": "msec"}


def _objects(part: Mapping[str, Any]) -> Iterator[tuple[str, int, dict[str, Any]]]:
    """Give each latency of a direction, with how many ns its unit has: 1 since 3.0, 1000 before."""
    for kind in ("slat", "clat", "lat"):
        for key, scale in ((f"{kind}_ns", 1), (kind, 1000)):
            value = part.get(key)
            if isinstance(value, dict):
                yield kind, scale, value
                break


def _measured(latency: Mapping[str, Any]) -> bool:
    """Whether anything was measured: without, fio writes zeros."""
    if latency.get("N") is not None:
        return bool(latency["N"])
    return bool(latency.get("max") or latency.get("mean"))


def latency_columns(
    tables: Tables, run: int, part: Mapping[str, Any], direction: str
) -> dict[str, float]:
    """Give the columns of `io`, in ns; what was not measured is left out."""
    found = {}
    for kind, scale, latency in _objects(part):
        if _measured(latency):
            for stat in ("min", "max", "mean", "stddev"):
                if isinstance(latency.get(stat), (int, float)):
                    found[f"{kind}_{stat}_ns"] = float(latency[stat]) * scale
    odd = [
        key
        for key in part
        if key.partition("_")[0] in ("slat", "clat", "lat") and key[-2:] in ("us", "ms")
    ]
    if odd:
        tables.note(
            f"{direction}: {', '.join(odd)} is no key of fio's; its unit is not certain: left out",
            severity="warning",
            run=run,
        )
    return found


def add_fine(
    tables: Tables, keys: Mapping[str, Any], part: Mapping[str, Any], direction: str
) -> None:
    """Add percentiles, and the bins of json+."""
    for kind, scale, latency in _objects(part):
        if not _measured(latency):
            continue
        listed = latency.get("percentile")
        if isinstance(listed, dict) and tables.wants("percentiles"):
            # slots that were not used are written as "0.00": 0 before 3.2
            used = {float(name): value for name, value in listed.items() if float(name) > 0}
            columns = {
                "percentile": list(used),
                "value_ns": [float(value) * scale for value in used.values()],
            }
            tables.extend("percentiles", columns, **keys, latency=kind)
        bins = latency.get("bins")
        if isinstance(bins, dict) and bins and tables.wants("bins"):
            low, high = fine_edges(map(int, bins), scale)
            counts = [operator.index(count) for count in bins.values()]
            edges = {"bin_lo_ns": low, "bin_hi_ns": high}
            tables.extend("bins", {**edges, "count": counts}, **keys, latency=kind)


def add_coarse_bins(
    tables: Tables,
    keys: Mapping[str, Any],
    entry: Mapping[str, Any],
    directions: list[str],
    before_3: bool,
) -> None:
    """Add the coarse distribution, unless json+ has the same in fine bins."""
    fine = any(latency.get("bins") for d in directions for _, _, latency in _objects(entry[d]))
    if fine or not directions or not tables.wants("bins"):
        return
    shares = {
        unit: entry[f"latency_{short}"]
        for short, unit in _UNITS.items()
        if isinstance(entry.get(f"latency_{short}"), dict)
    }
    columns = coarse_columns(shares, has_ns=not before_3)
    if columns["pct"]:
        tables.extend(
            "bins", columns, **keys, direction=whole_direction(directions), latency="clat"
        )
