"""Results for services that track a project's numbers: Bencher, github-action-benchmark.

A benchmark is what was measured: labels, jobs, conditions and direction, which name it alike each
time. Its runs (those that a number tells apart, such as a round) give a center and its interval.
Bencher's format (BMF) has the measures of a benchmark with value, lower and upper value. That of
github-action-benchmark is a list for one direction: of what is better if it is bigger, or smaller.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import polars as pl

from fiotools.stats.estimates import ENOUGH
from fiotools.stats.frames import Metric, metric_of
from fiotools.stats.summary import Center, center_of
from fiotools.tables.naming import short
from fiotools.units import level
from fiotools.vocabulary import ANSWERS, CONDITIONS, KEYS

_MEASURED = ("iops", "bw_bytes_per_s", "lat_mean_ns", "clat_mean_ns", "p50_ns", "p99_ns")
_MEASURES = (*_MEASURED, "p99.9_ns", "real_s")
_OF_FILES = ("source", "run", "group", "entry")


class Tracked(NamedTuple):
    """One number of a benchmark: the center of its runs, and the interval of three and more."""

    benchmark: str
    metric: Metric
    n: int
    center: Center


def tracked(overview: pl.DataFrame) -> Iterator[Tracked]:
    """Give each measure of each benchmark of an overview."""
    names = [name for name in overview.columns if _tells_apart(overview, name)]
    groups = overview.group_by(names, maintain_order=True) if names else [((), overview)]
    for values, rows in groups:
        pairs = zip(names, values, strict=True)
        benchmark = " ".join(level(value, name) for name, value in pairs if value is not None)
        for name in _MEASURES:
            series = rows[name].drop_nulls().to_list()
            if not series:
                continue
            center = center_of(series)
            if len(series) < ENOUGH:
                center = Center(center.value)
            yield Tracked(benchmark or "all", metric_of(name), len(series), center)


def _tells_apart(overview: pl.DataFrame, name: str) -> bool:
    """Say whether a column names what was measured, and does not number its runs."""
    if name in _OF_FILES or name in ANSWERS["overview"]:
        return False
    if name in CONDITIONS or name in KEYS:
        return True
    column = overview[name]
    return column.dtype == pl.String and not column.drop_nulls().str.contains(r"^\d+$").all()


def bencher(overview: pl.DataFrame) -> str:
    """Write Bencher's metric format."""
    found: dict[str, dict[str, dict[str, float]]] = {}
    for one in tracked(overview):
        center = one.center
        value = {"value": center.value}
        if center.low is not None and center.high is not None:
            value |= {"lower_value": center.low, "upper_value": center.high}
        slug = re.sub(r"[^a-z0-9]+", "-", one.metric.name)
        found.setdefault(one.benchmark, {})[slug] = value
    return _text(found)


def _github(overview: pl.DataFrame, better: str) -> str:
    return _text(
        [
            {
                "name": f"{one.benchmark}: {short(one.metric.name)}",
                "unit": one.metric.unit,
                "value": one.center.value,
                **_range(one.center),
                "extra": f"{one.n} runs" if one.n > 1 else "1 run",
            }
            for one in tracked(overview)
            if one.metric.better == better
        ]
    )


def _range(center: Center) -> dict[str, str]:
    if center.low is None:
        return {}
    return {"range": f"{center.low:.6g} to {center.high:.6g}"}


def _text(found: Any) -> str:
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"


TRACKERS: Mapping[str, Callable[[pl.DataFrame], str]] = {
    "bencher": bencher,
    "github-bigger": lambda overview: _github(overview, "higher"),
    "github-smaller": lambda overview: _github(overview, "lower"),
}
