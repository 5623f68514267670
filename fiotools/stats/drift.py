"""What the order of the runs may have done: blocks, fixed pairs, drift and steps."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, expm1, log, log1p, sqrt
from typing import Any, TypeAlias

import numpy as np
import scipy
from numpy.typing import NDArray

from fiotools.stats.arms import Arms, Replicate
from fiotools.stats.change_points import FEW_SAMPLES, change_points, samples_per_one
from fiotools.stats.order import sortable
from fiotools.units import percent

_LEAST_DF = 2  # with one degree of freedom a line has to be thirteen times its error

Side: TypeAlias = list[tuple[Any, float]]  # where each run stands in the order, and its value


def order_notes(
    arms: Arms, names: Sequence[Any], *, paired: bool, band: float, confidence: float
) -> list[str]:
    """Warn of what the order of the runs may have done, as far as it is known.

    Parameters
    ----------
    arms : Arms
    names : sequence
        What level and baseline are called.
    paired : bool
        Whether the runs that stand in one place on both sides are a pair. What disturbs a pair, or
        a round, disturbs both of its runs, so that a drift is looked for in their means, which are
        independent.
    band, confidence : float
        As `drift` takes them.
    """
    order = arms.order
    if order is None:
        return []
    # cells have levels of their own, and what differs between them is no drift
    cells = [[_placed(side) for side in cell] for cell in arms.runs_by_cell()]
    sides = [side for cell in cells for side in cell]
    if not all(sides):
        return []
    found = _fixed_order(cells, names, paired=paired) if order.across else []
    if arms.over:  # what was changed from run to run is not a drift
        return found
    if paired:
        sides = [_means(*cells[0])]
    elif all(_places(one) == _places(other) for one, other in cells):
        sides = [_means(sorted(one), sorted(other)) for one, other in cells]
    trend = drift(sides, band=band, confidence=confidence, over=order.over)
    jump = step(sides, band=band)
    found += [note for note in (trend, jump) if note]
    one_run = all(a.key == b.key for a, b in zip(arms.level, arms.baseline, strict=False))
    if order.across or one_run:
        return found
    if trend:
        found.append(
            "which side ran first is not known: unless they alternated, the drift is part of the "
            "difference"
        )
    elif len(sides) == 1 and len(sides[0]) - 2 < _LEAST_DF:
        found.append(
            f"{len(sides[0])} {'pairs' if paired else 'rounds'} are too few to show a drift, and "
            "which side ran first is not known"
        )
    return found


def _placed(runs: Sequence[Replicate]) -> Side:
    """Put the value of each run beside its place; nothing where there is no order of these."""
    places = sortable([run.place for run in runs]) or []
    return [(place, exp(run.log)) for place, run in zip(places, runs, strict=False)]


def _places(side: Side) -> list[Any]:
    return sorted(place for place, _ in side)


def _means(level: Side, baseline: Side) -> Side:
    """Give the geometric mean of both runs of each round."""
    rounds = zip(level, baseline, strict=True)
    return [(place, sqrt(one) * sqrt(other)) for (place, one), (_, other) in rounds]


def _fixed_order(
    cells: Sequence[Sequence[Side]], names: Sequence[Any], *, paired: bool
) -> list[str]:
    """Warn where one side always came first."""
    places = [[[place for place, _ in side] for side in cell] for cell in cells]
    if all(map(blocks, places)) and len({min(a) < min(b) for a, b in places}) == 1:
        return ["arms ran in blocks: drift cannot be told from the difference"]
    for name, (one, other) in zip(names, (places[0], places[0][::-1]), strict=True):
        if paired and all(a < b for a, b in zip(one, other, strict=True)):
            return [
                f"{name!r} ran first in every pair: drift cannot be told from the difference "
                "unless the order alternates"
            ]
    return []


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
    sides: Sequence[Side],
    *,
    band: float = 0.05,
    confidence: float = 0.95,
    over: str = "over the series of runs",
) -> str | None:
    """Look for a trend over the order of the runs, apart from the sides' own levels.

    Parameters
    ----------
    sides : sequence of lists of (place, value)
        Values above zero. The trend is a line through the logarithms over the rank of the places,
        with one level per side.
    band : float
        A change over the whole series below this share is not worth a word.
    confidence : float
    over : str
        What the places are, as the sentence ends.

    Returns
    -------
    str or None
        A warning if the t interval of the slope excludes 0 and the change is at least the band.

    Notes
    -----
    The t test of the slope is that of the correlation of the residuals with their places. A
    permutation test of it is free of assumptions, and can find nothing among three or four runs.
    """
    there = sorted({place for side in sides for place, _ in side})
    rank = {place: position for position, place in enumerate(there)}
    df = sum(map(len, sides)) - len(sides) - 1
    if df < _LEAST_DF:
        return None
    x = np.concatenate([_centred([rank[place] for place, _ in side]) for side in sides])
    if not x.any():
        return None
    y = np.concatenate([_centred([log(value) for _, value in side]) for side in sides])
    slope = float(x @ y / (x @ x))
    rest = y - slope * x
    half = float(scipy.special.stdtrit(df, (1 + confidence) / 2)) * sqrt(
        float(rest @ rest / df / (x @ x))
    )
    change = slope * (len(there) - 1)
    if abs(slope) <= half or abs(change) < log1p(band):
        return None
    way = "up" if slope > 0 else "down"
    return f"values drift {way} by {percent(abs(expm1(change)))} % {over}"


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
