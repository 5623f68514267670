"""How many runs a question takes: the power of an interval, and the fewest runs that have it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import log1p, sqrt

import numpy as np
import scipy
from numpy.typing import NDArray

from fiotools.stats.estimates import StudentT

POWER = 0.80  # of a verdict, where nobody asks for another
ENOUGH = 3  # runs a side for a verdict: two know their own spread to a factor of thirty
MOST = 1000  # runs a side; nobody makes more

_PARTS = 400  # of the distribution of the spread


@dataclass(frozen=True)
class Power:
    """The power of an interval that is asked for once there are n runs a side.

    Attributes
    ----------
    variance : float
        Of the difference between the logarithms of two runs, one of each side.
    df_per_run : float
        Degrees of freedom that each run per side brings: 2, and 1 for pairs.
    confidence : float
    interval : type
        `StudentT`, or `AnyLooks`.
    """

    variance: float
    df_per_run: float = 2
    confidence: float = 0.95
    interval: type[StudentT] = StudentT

    def beyond(self, n: int, distance: float) -> float:
        """Give the chance that the whole interval lies beyond a point at this distance.

        That is the noncentral t distribution, as the mean over the spread that n runs may show.
        """
        se, reach = self._widths(n, self.confidence)
        return float(np.mean(scipy.special.ndtr(distance / se - reach)))

    def within(self, n: int, center: float, edge: float) -> float:
        """Give the chance that two one-sided tests find the difference within plus or minus edge.

        Exact, by Owen's integral over the spread that n runs may show.
        """
        se, reach = self._widths(n, 2 * self.confidence - 1)
        upper = scipy.special.ndtr((edge - center) / se - reach)
        lower = scipy.special.ndtr((-edge - center) / se + reach)
        return float(np.mean(np.maximum(upper - lower, 0)))

    def runs(self, power: float, chance: Callable[[int], float], limit: int = MOST) -> int | None:
        """Give the fewest runs a side at which the chance is that large; None above the limit."""
        found = ENOUGH + bisect_left(range(ENOUGH, limit + 1), power, key=chance)
        return found if found <= limit else None

    def _widths(self, n: int, confidence: float) -> tuple[float, NDArray[np.float64]]:
        """Give the standard error, and half the interval's width in true standard errors."""
        df = self.df_per_run * (n - 1)
        reach = self.interval.standard_errors(confidence, df, n)
        return sqrt(self.variance / n), reach * _spreads(df)


@lru_cache(maxsize=1024)
def _spreads(df: float) -> NDArray[np.float64]:
    """Give standard deviations that runs may show, each as likely as the next, the true one 1."""
    u = (np.arange(_PARTS) + 0.5) / _PARTS
    return np.asarray(np.sqrt(scipy.special.gammaincinv(df / 2, u) * 2 / df), dtype=np.float64)


def runs_still_needed(
    found: StudentT, band: float, *, now: int, confidence: float = 0.95, limit: int = 100
) -> int | None:
    """Estimate how many more runs per side would settle the verdict, four times in five.

    The difference and the spread are taken for the true ones. Outside the band the interval has to
    leave it, inside it has to be found within.

    Returns
    -------
    int or None
        None where more than `limit` would be needed: the effect lies at the edge of the band, or
        the runs spread far.
    """
    power = Power(found.variance, found.df_per_run, confidence, type(found))
    edge, center = log1p(band), abs(found.center)
    total = power.runs(
        POWER,
        lambda n: (
            power.beyond(n, center - edge) if center > edge else power.within(n, center, edge)
        ),
        limit,
    )
    return None if total is None else max(1, total - now)
