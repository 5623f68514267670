"""Sides that are told as a mean, a deviation and a number of runs, as hyperfine prints them.

The difference of the logarithms of two means has the variance ``(s / m)**2 / n`` of each side: the
first order of the logarithm, which is close as long as the runs of a side vary by less than .3.
"""

from __future__ import annotations

from math import isnan, log
from typing import Any, NamedTuple

from fiotools.stats import estimates
from fiotools.stats.columns import Columns

_OF_RUNS = {"real_mean_s": "real_stddev_s"}  # means over runs; those of latencies are over I/Os


class Mean(NamedTuple):
    """What is told of the runs of a side: None if it is not."""

    mean: float
    stddev: float | None
    n: int | None


def told(columns: Columns[Any], metric: str, row: int) -> Mean | None:
    """Return what a row tells of its runs; None if its number is that of one run."""
    if metric not in _OF_RUNS:
        return None
    mean, stddev, n = (
        float(columns.numbers(name)[row]) if name in columns else float("nan")
        for name in (metric, _OF_RUNS[metric], "n")
    )
    return Mean(mean, None if isnan(stddev) else stddev, None if isnan(n) else int(n))


def difference(level: Mean, baseline: Mean) -> estimates.StudentT | None:
    """Compare the logarithms of two means; None if something of them is not told."""
    sides = [(one.stddev / one.mean, one.n) for one in (level, baseline) if one.stddev and one.n]
    if len(sides) < 2 or min(n for _, n in sides) < 2:
        return None
    center = log(level.mean / baseline.mean)
    return estimates.of_spreads(center, [(spread**2, n) for spread, n in sides])
