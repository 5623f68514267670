"""What the order of the runs may have done: sides made in blocks, fixed pairs, and drift."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, expm1, log, log1p, sqrt
from typing import Any, TypeAlias

import numpy as np
import scipy
from numpy.typing import NDArray

from fiotools.stats.arms import Arms, Replicate
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
    if paired:
        sides = [_means(*cells[0])]
    elif all(_places(one) == _places(other) for one, other in cells):
        sides = [_means(sorted(one), sorted(other)) for one, other in cells]
    trend = drift(sides, band=band, confidence=confidence, over=order.over)
    if trend:
        found.append(trend)
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


def _centred(numbers: Sequence[float]) -> NDArray[np.float64]:
    array = np.asarray(numbers, dtype=np.float64)
    return array - float(array.mean())
