"""The order of the runs: arms made in blocks, and drift."""

from __future__ import annotations

from collections.abc import Sequence
from math import expm1, log, log1p, sqrt
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

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


def _centred(numbers: Sequence[float]) -> NDArray[np.float64]:
    array = np.asarray(numbers, dtype=np.float64)
    return array - float(array.mean())
