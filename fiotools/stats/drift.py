"""The order of the runs: arms made in blocks, drift, and steps."""

from __future__ import annotations

from collections.abc import Sequence
from math import expm1, log, log1p, sqrt
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from fiotools.stats.change_points import FEW_SAMPLES, change_points, samples_per_one
from fiotools.units import percent


def blocks(sides: Sequence[Sequence[Any]]) -> bool:
    """Say whether all runs of one side came before all of the other.

    Examples
    --------
    >>> blocks([[1, 2, 3], [4, 5]]), blocks([[1, 3, 5], [2, 4]])
    (True, False)
    """
    if min(len(side) for side in sides) < 2:
        return False
    first, second = sorted(sides, key=min)
    return bool(max(first) < min(second))


def drift(
    sides: Sequence[Sequence[tuple[Any, float]]], *, band: float = 0.05, confidence: float = 0.95
) -> str | None:
    """Look for a trend over the order of the runs, apart from the sides' own levels.

    Parameters
    ----------
    sides : sequence of sequences of (moment, value)
        Values above zero. The trend is a line through the logarithms over the rank in time, with
        one level per side.
    band : float
        A change over the whole series below this share is not worth a word.
    confidence : float

    Returns
    -------
    str or None
        A warning if the interval of the slope excludes 0 and the change is at least the band.
    """
    times = sorted(moment for side in sides for moment, _ in side)
    rank = {moment: position for position, moment in enumerate(times)}
    df = len(times) - len(sides) - 1
    if df < 2 or len(rank) < len(times):
        return None
    x = np.concatenate([_centred([rank[moment] for moment, _ in side]) for side in sides])
    y = np.concatenate([_centred([log(value) for _, value in side]) for side in sides])
    slope = float(x @ y / (x @ x))
    rest = y - slope * x
    half = float(scipy.special.stdtrit(df, (1 + confidence) / 2)) * sqrt(
        float(rest @ rest / df / (x @ x))
    )
    change = slope * (len(times) - 1)
    if abs(slope) <= half or abs(change) < log1p(band):
        return None
    way = "up" if slope > 0 else "down"
    return f"values drift {way} by {percent(abs(expm1(change)))} % over the series of runs"


def step(sides: Sequence[Sequence[tuple[Any, float]]], *, band: float = 0.05) -> str | None:
    """Look for a side whose runs change their level half-way, as `shifts` does.

    Parameters
    ----------
    sides : sequence of sequences of (moment, value)
        Values above zero.
    band : float
        A step below this share is not worth a word.

    Returns
    -------
    str or None
        A warning.

    Examples
    --------
    >>> step([list(enumerate([5814.0, 5703.0, 8916.0, 9037.0, 8910.0]))])
    'values of a side step up by 56 % after run 2 of 5, or lie so by chance: see shifts()'
    """
    for side in sides:
        if len({moment for moment, _ in side}) < len(side):
            continue
        values = np.array([value for _, value in sorted(side)])
        for found in change_points(values):
            logs = np.log(values)
            change = float(logs[found.at :].mean() - logs[: found.at].mean())
            if abs(change) >= log1p(band):
                way = "up" if change > 0 else "down"
                chance = "" if found.by_chance is None else ", or lie so by chance"
                return (
                    f"values of a side step {way} by {percent(abs(expm1(change)))} % after run "
                    f"{found.at} of {len(values)}{chance}: see shifts()"
                )
    return None


def trend_p(values: NDArray[np.float64]) -> float | None:
    """Test a series for a trend by Mann and Kendall, with as much weight as its dependence leaves.

    The variance of Kendall's tau is multiplied by the samples that tell as much as one independent
    one (Yue and Wang, 2004), with the trend taken out first.

    Returns
    -------
    float or None
        Two-sided; None for fewer than 20 samples, or without spread.
    """
    n = len(values)
    if n < FEW_SAMPLES or float(np.ptp(values)) == 0:
        return None
    x = _centred(range(n))
    rest = values - values.mean() - float(x @ values / (x @ x)) * x
    found = scipy.stats.kendalltau(x, values).statistic
    variance = 2 * (2 * n + 5) / (9 * n * (n - 1)) * samples_per_one(rest)
    return float(2 * scipy.special.ndtr(-abs(found) / sqrt(variance)))


def _centred(numbers: Sequence[float]) -> NDArray[np.float64]:
    array = np.asarray(numbers, dtype=np.float64)
    return array - float(array.mean())
