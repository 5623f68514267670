"""One direction of an entry of fio's terse output, in base units: amounts, rates, latencies."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from fiotools.readers.fio.terse_lines import Block

if TYPE_CHECKING:
    from fiotools.tables import Tables

_STATS = ("min", "max", "mean", "stddev")


def finite(value: float) -> float | None:
    """Return a number; None for nan, which fio prints where nothing was done."""
    return value if math.isfinite(value) else None


def amounts(block: Block) -> dict[str, Any]:
    """Give amounts and rates; 0 means less than one of the unit, which is no figure."""
    seconds = block.runtime_ms / 1000
    over_time = block.kib * 1024 * 1000 / block.runtime_ms if seconds else 0.0
    unit = _agreeing_unit(block)
    printed = block.bw * (unit or _units(block)[0])
    return {
        "io_bytes": block.kib * 1024 or None,
        "runtime_s": seconds or None,
        "iops": float(block.iops) if block.iops else None,
        "bw_bytes_per_s": float(max(printed, over_time) if unit else printed) or None,
    }


def _units(block: Block) -> tuple[int, int]:
    """Give the bytes that a rate counts in, the likelier first: 1000 before there were IOPS."""
    return (1000, 1024) if block.iops is None else (1024, 1000)


def _agreeing_unit(block: Block) -> int | None:
    """Say in which unit the rate can be the amount over time; both were cut off."""
    seconds = block.runtime_ms / 1000
    for unit in _units(block):
        low, high = block.kib * 1024, (block.kib + 1) * 1024
        if low < (block.bw + 1) * unit * seconds and block.bw * unit * seconds < high:
            return unit
    return None if seconds or block.bw else 1024


def check_rates(tables: Tables, keys: dict[str, Any], block: Block) -> None:
    """Note a printed bandwidth that amount and time contradict."""
    if _agreeing_unit(block) is None:
        tables.note(
            f"{block.direction} of {keys['job']}: the printed bandwidth is not KiB over time;"
            " it is kept",
            severity="warning",
            run=keys["run"],
        )


def statistics(block: Block) -> dict[str, Any]:
    """Give latencies and statistics over samples; without any, fio writes zeros."""
    found: dict[str, Any] = {}
    for kind, values in block.latencies.items():
        if values[1] or values[2]:
            for stat, value in zip(_STATS, values, strict=True):
                found[f"{kind}_{stat}_ns"] = finite(value * 1000)
    low, high, share, mean, stddev = block.bw_stats
    if block.bw_samples or (block.bw_samples is None and (high or mean)):
        for stat, value in zip(_STATS, (low, high, mean, stddev), strict=True):
            found[f"bw_{stat}_bytes_per_s"] = finite(value * 1024)
        found["bw_agg_pct"] = finite(share)
        found["bw_samples"] = block.bw_samples
    if block.iops_samples:
        for stat, value in zip(_STATS, block.iops_stats, strict=True):
            found[f"iops_{stat}"] = finite(value)
        found["iops_samples"] = block.iops_samples
    return found


def add_percentiles(
    tables: Tables, keys: dict[str, Any], block: Block, kinds: tuple[str, ...]
) -> None:
    """Add the percentiles that were asked for; unused slots are ``0%=0``."""
    used = [(percentile, value) for percentile, value in block.percentiles if percentile > 0]
    values = [value for _, value in used]
    latency = next((kind for kind in kinds if _can_be(block.latencies[kind], values)), None)
    if used and latency:
        columns = {
            "percentile": [percentile for percentile, _ in used],
            "value_ns": [value * 1000 for value in values],
        }
        tables.extend("percentiles", columns, **keys, latency=latency)
    elif used:
        tables.note(
            f"{block.direction} of {keys['job']}: the percentiles are neither clat's nor lat's:"
            " left out",
            severity="warning",
            run=keys["run"],
        )


def _can_be(latency: tuple[float, ...], percentiles: list[float]) -> bool:
    """Whether percentiles lie within what was measured; each is the middle of a bin of 1/64."""
    low, high, mean, _ = latency
    return bool(mean) and all(
        low * 63 / 64 - 1 <= value <= high * 65 / 64 + 1 for value in percentiles
    )
