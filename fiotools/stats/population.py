"""Whether runs are of one kind: far apart, in two groups, of several modes, or too few to tell."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log1p, sqrt

import numpy as np
import scipy
from numpy.typing import NDArray

from fiotools.flags import Flag, flag
from fiotools.stats.frames import Array

_FAR = 10.0  # times between the runs of a side; of noise with a CoV of 50 %, 20 runs reach 6
_WORTH = log1p(0.05)  # modes that lie nearer do not matter
_DIP = (12, 1000)  # runs: below, the dip test finds nothing; above, it takes long


def unlike(logs: Sequence[float] | Array, side: str | None = None, unit: str = "") -> list[Flag]:
    """Flag runs that lie far apart, or in two groups, by the logarithms of their values [unit].

    Two groups of two runs or more have a gap between them above 5 % and above 9 times the median
    gap (among n > 12 runs 3 n / 4 times). The dip test judges 12 to 1,000 runs: Hartigan and
    Hartigan, "The dip test of unimodality" (1985), at 5 % for uniform values. Less than 5 % of
    lognormal runs raise the warning.
    """
    values = np.sort(np.asarray(logs, dtype=np.float64))
    n, found = len(values), []
    if n and (apart := exp(values[-1] - values[0])) >= _FAR:
        found.append(flag("far-apart", side=side, times=float(apart)))
    gaps = np.diff(values)
    if n < 4:
        return found
    at = 1 + int(np.argmax(gaps[1:-1]))
    usual = float(np.median(gaps))  # 0 of rounded values, whose gaps are those of the rounding
    if usual > 0 and gaps[at] > max(_WORTH, max(9.0, 0.75 * n) * usual):
        low, high, low_above, high_above = map(exp, values[[0, at, at + 1, -1]].tolist())
        ends = {"low": low, "high": high, "low_above": low_above, "high_above": high_above}
        told = {"unit": unit} if unit else {}
        found.append(flag("two-groups", side=side, n=at + 1, n_above=n - at - 1, **ends, **told))
    elif (
        _DIP[0] <= n <= _DIP[1]
        and gaps.all()  # of rounded values the test would find the rounding
        and values[-1] - values[0] > _WORTH
        and sqrt(n) * dip(values) > 0.545 - 0.32 / sqrt(n)  # uniform samples of 12 to 200
    ):
        found.append(flag("modes", side=side))
    return found


def dip(values: Array) -> float:
    """Give the distance of sorted values, all different, from the nearest unimodal distribution.

    It narrows the interval of the mode: outside it the distribution is convex below and concave
    above, and the distance of the steps from these hulls is twice the dip.
    """
    low, high, deepest = 0, len(values) - 1, 1.0
    while True:
        x, step = values[low : high + 1], np.arange(low, high + 1, dtype=np.float64)
        below, above = _corners(x, step), _corners(x, -step)
        convex = np.interp(x, x[below], step[below])
        concave = np.interp(x, x[above], step[above] + 1)
        knots = np.union1d(below, above)
        widest = knots[np.argmax((concave - convex)[knots])]
        if concave[widest] - convex[widest] <= deepest:
            break
        first, last = below[below <= widest][-1], above[above >= widest][0]
        deepest = max(
            deepest,
            float(np.max(step[: first + 1] + 1 - convex[: first + 1])),
            float(np.max(concave[last:] - step[last:])),
        )
        if last - first == high - low:
            break
        low, high = low + int(first), low + int(last)
    return deepest / (2 * len(values))


def _corners(x: Array, y: Array) -> NDArray[np.int_]:
    """Give the corners of the greatest convex function below all points: its slopes only rise."""
    widths = np.diff(x)
    return scipy.optimize.isotonic_regression(np.diff(y) / widths, weights=widths).blocks
