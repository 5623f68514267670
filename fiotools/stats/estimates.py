"""The difference of two groups of logarithms: its interval, its test, its power, and runs needed.

A ratio is a difference of logarithms: there, noise that grows with the value has one size, and
swapping the sides only changes the sign. Everything here is numbers in, numbers out.

Sources: Welch (1947); Satterthwaite (1946); Bartlett (1937); for intervals that hold at any number
of looks Wang & Ramdas, "Anytime-valid t-tests and confidence sequences for Gaussian means with
unknown variance" (arXiv 2310.03722).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import exp, inf, log1p, sqrt
from typing import NamedTuple, Self, TypeAlias

import numpy as np
import scipy
from numpy.typing import ArrayLike

from fiotools.stats.frames import Array

POWER = 0.80  # of a verdict, by default
ENOUGH = 3  # runs a side for a verdict: two know their own spread to a factor of thirty
MOST = 1000  # runs a side; nobody makes more
_AT_ONCE = 100  # further runs a side that are worth naming
_PARTS = 400  # of the distribution of the spread
_ALIKE = 0.2  # p of Bartlett's test from which on sides are taken to spread alike


@dataclass(frozen=True)
class StudentT:
    """A difference with a standard error: Welch's, of pairs, or of cells.

    `variance` is ``se**2`` for one run per side. `df_per_run` are the degrees of freedom that each
    further run per side brings, `least_df` those if the smallest side alone made the error.
    """

    center: float
    se: float
    df: float
    variance: float
    df_per_run: float
    least_df: int

    def sharing(self) -> Self:
        """Give the same difference, for an error that several comparisons share.

        Welch's degrees of freedom are too many so far out in the tails if one side spreads more
        than the other: they are taken half-way to the least.
        """
        df, per_run = (self.df + self.least_df) / 2, (self.df_per_run + 1) / 2
        return replace(self, df=df, df_per_run=per_run)

    def interval(self, confidence: float) -> tuple[float, float] | None:
        """Give the lower and upper end; None for too few runs."""
        runs = self.variance / self.se**2
        half = self.standard_errors(confidence, self.df, runs) * self.se
        return (self.center - half, self.center + half) if half < inf else None

    def p(self, null: float) -> float:
        """Give the two-sided p of the t test."""
        return float(2 * scipy.special.stdtr(self.df, -abs(self.center - null) / self.se))

    @staticmethod
    def standard_errors(confidence: float, df: float, runs: float) -> float:
        """Give half the width of the interval, in standard errors, for n runs a side."""
        return float(scipy.special.stdtrit(df, (1 + confidence) / 2))


class AnyLooks(StudentT):
    """The same for runs that are looked at until they settle something: a confidence sequence.

    It inverts the likelihood ratio of the t statistic, its effect mixed over a normal distribution
    (Wang and Ramdas): exact for pairs; for two sides benchmarks/coverage simulates it.
    """

    # Variance of the mixture, by that of the difference of two runs. The interval is narrowest
    # for 5 to 20 runs a side.
    _MIXTURE = 2.0

    def p(self, null: float) -> float:
        """Give the two-sided p, which holds at any number of looks."""
        gain = self._MIXTURE * self.variance / self.se**2
        x = ((self.center - null) / self.se) ** 2 / self.df
        evidence = (self.df + 1) * (log1p(x) - log1p(x / (1 + gain))) - log1p(gain)
        return min(1.0, exp(-evidence / 2))

    @staticmethod
    def standard_errors(confidence: float, df: float, runs: float) -> float:
        """Give half the width of the interval, in standard errors; infinite for too few runs."""
        gain = AnyLooks._MIXTURE * runs
        share = (sqrt(1 + gain) / (1 - confidence)) ** (-2 / (df + 1))
        rest = share - 1 / (1 + gain)
        return sqrt(df * (1 - share) / rest) if rest > 0 else inf


Values: TypeAlias = "Sequence[float] | Array"
Cells = Sequence[tuple[Values, Values]]


def welch(cells: Cells) -> StudentT | None:
    """Compare logarithms of level and baseline, cell by cell, each cell weighing the same.

    With one cell this is Welch's t; with several ``se^2 = sum(se_c^2) / C^2``. The degrees of
    freedom are Satterthwaite's, but not more than if all sides had the runs of the smallest:
    Welch's interval covers .90 for 2 against 10 runs. None if no side has any spread.
    """
    arms = [np.asarray(arm, dtype=float) for cell in cells for arm in cell]
    k = len(cells)
    center = sum(float(np.mean(level)) - float(np.mean(base)) for level, base in cells) / k
    if not has_spread(arms):
        return None
    total, df = satterthwaite(
        [float(np.var(arm, ddof=1)) / len(arm) / k**2 for arm in arms],
        [len(arm) - 1 for arm in arms],
    )
    variance = sum(float(np.var(arm, ddof=1)) for arm in arms) / k**2
    least = min(len(arm) for arm in arms) - 1
    return StudentT(center, sqrt(total), min(df, 2 * k * least), variance, 2 * k, least)


def satterthwaite(shares: Sequence[float], dfs: Sequence[float]) -> tuple[float, float]:
    """Add up variances of means; give the degrees of freedom of their sum, too."""
    total = sum(shares)
    return total, total**2 / sum(share**2 / df for share, df in zip(shares, dfs, strict=True))


@dataclass(frozen=True)
class CommonSpread:
    """The spread of several sides that spread alike, by the `p` of Bartlett's test."""

    variance: float
    df: int
    sides: int
    p: float

    def of(self, own: StudentT) -> StudentT:
        """Give a difference with this spread, or its own if that is larger.

        One side that spreads further than the others is easily missed by the test: with the common
        spread its comparison would be wrong in up to .1.
        """
        runs = self.df / self.sides + 1
        se = max(own.se, sqrt(2 * self.variance / runs))
        return StudentT(own.center, se, self.df, se**2 * runs, self.sides, own.least_df)


def common_spread(arms: Sequence[Values], *, alike: float = _ALIKE) -> CommonSpread | None:
    """Pool the variances of independent sides; None if Bartlett's p is below `alike`.

    All have the same number of runs: else the small sides would be judged by the large ones, and
    be wrong twice as often as said where they spread further.
    """
    k, df = len(arms), len(arms[0]) - 1
    if any(len(arm) - 1 != df or not has_spread([arm]) for arm in arms):
        return None
    variances = np.array([np.var(arm, ddof=1) for arm in arms])
    variance = float(variances.mean())
    apart = df * float(np.log(variance / variances).sum())
    p = float(scipy.special.chdtrc(k - 1, apart / (1 + (k + 1) / (3 * k * df))))
    return CommonSpread(variance, k * df, k, p) if p >= alike else None


def paired(level: Values, baseline: Values) -> StudentT | None:
    """Compare logarithms pair by pair: a t interval of the differences."""
    return crossed(np.subtract(level, baseline))


def crossed(differences: Values, repeats: Sequence[Values] = ()) -> StudentT | None:
    """Estimate the mean of differences that are a sample, as the repeats behind them all are.

    Noise of single values is in both errors: counted twice rather than not at all.
    """
    arms = [np.asarray(arm, dtype=float) for arm in (differences, *repeats)]
    if not has_spread(arms):
        return None
    total, df = satterthwaite(
        [float(np.var(arm, ddof=1)) / len(arm) for arm in arms], [len(arm) - 1 for arm in arms]
    )
    least = min(map(len, arms)) - 1
    return StudentT(float(np.mean(arms[0])), sqrt(total), df, total * len(arms[0]), 1, least)


def has_spread(arms: Iterable[ArrayLike]) -> bool:
    """Say whether values within a side differ by more than the last digits of a float."""
    return any(float(np.ptp(arm)) > 1e-12 * max(1.0, float(np.abs(arm).max())) for arm in arms)


@dataclass(frozen=True)
class Power:
    """The power of an interval that is asked for once there are n runs a side.

    `variance` is that of the difference of the logarithms of two runs, one of each side;
    `df_per_run` is 2, and 1 for pairs.
    """

    variance: float
    df_per_run: float = 2
    confidence: float = 0.95
    interval: type[StudentT] = StudentT

    def beyond(self, n: int, distance: float) -> float:
        """Give the chance that the whole interval lies beyond a point: a noncentral t."""
        se, reach = self._widths(n, self.confidence)
        return float(np.mean(scipy.special.ndtr(distance / se - reach)))

    def within(self, n: int, center: float, edge: float) -> float:
        """Give the chance that two one-sided tests find the difference within the edges (Owen)."""
        se, reach = self._widths(n, 2 * self.confidence - 1)
        upper = scipy.special.ndtr((edge - center) / se - reach)
        lower = scipy.special.ndtr((-edge - center) / se + reach)
        return float(np.mean(np.maximum(upper - lower, 0)))

    def runs(self, power: float, chance: Callable[[int], float], limit: int = MOST) -> int | None:
        """Give the fewest runs a side at which the chance is that large; None above the limit."""
        found = ENOUGH + bisect_left(range(ENOUGH, limit + 1), power, key=chance)
        return found if found <= limit else None

    def _widths(self, n: int, confidence: float) -> tuple[float, Array]:
        """Give the standard error, and half the interval's width in true standard errors."""
        df = self.df_per_run * (n - 1)
        reach = self.interval.standard_errors(confidence, df, n)
        return sqrt(self.variance / n), reach * _spreads(df)


@lru_cache(maxsize=1024)
def _spreads(df: float) -> Array:
    """Give standard deviations that runs may show, each as likely as the next, the true one 1."""
    u = (np.arange(_PARTS) + 0.5) / _PARTS
    return np.asarray(np.sqrt(scipy.special.gammaincinv(df / 2, u) * 2 / df), dtype=np.float64)


class Needed(NamedTuple):
    """Further runs per side: if the ratio is what it seems, and if the sides are equal."""

    as_seen: int | None
    if_same: int | None


def runs_still_needed(
    found: StudentT, band: float, *, now: int, confidence: float = 0.95
) -> Needed:
    """Estimate how many more runs per side would settle the verdict, four times in five.

    Outside the band the interval has to leave it, inside it has to be found within. None above 100:
    the effect lies at the edge of the band, or the runs spread far.
    """
    power = Power(found.variance, found.df_per_run, confidence, type(found))
    edge = log1p(band)

    def needed(center: float) -> int | None:
        total = power.runs(
            POWER,
            lambda n: (
                power.beyond(n, center - edge) if center > edge else power.within(n, center, edge)
            ),
            limit=_AT_ONCE,
        )
        return None if total is None else max(1, total - now)

    return Needed(needed(abs(found.center)), needed(0.0))
