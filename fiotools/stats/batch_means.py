"""The mean of a series whose samples depend on each other: numbers in, numbers out.

A slow second is mostly followed by another, so that n samples tell less than n runs would, and the
t interval of single samples is far too narrow. The means of fifteen long batches depend on each
other less, and an autoregression of the first order accounts for the rest. Its coefficient is
corrected for its bias and then taken three quarters of a standard error higher: if it is too small,
the interval is too narrow, and choosing series that look independent would select these. Rare
stalls make the mean skewed, and the interval with it. `benchmarks/COVERAGE.md` has the results of
this rule and of others. `missed` says how often a series holds no stall at all.

Sources: Tafazzoli and Wilson, "Skart: a skewness- and autoregression-adjusted batch-means
procedure for simulation analysis" (2011); Willink, "A confidence interval and test for the mean of
an asymmetric distribution" (2005); Marriott and Pope, "Bias in the estimation of autocorrelations"
(1954); Sokal, "Monte Carlo methods in statistical mechanics" (1997) for the autocorrelation time.
"""

from __future__ import annotations

from math import cbrt, sqrt

import numpy as np
import scipy
from numpy.typing import NDArray

BATCHES = 15
ENOUGH = 60  # samples for an interval: four to a batch
_HIGHER = 0.75  # standard errors that are added to the coefficient
_LARGEST = 0.99  # coefficient: of 1 no variance exists
STALLED, LASTING = 0.05, 10  # share of the time, and samples: stalls that a series should hold

Array = NDArray[np.float64]


def weighted_mean(values: Array, widths: Array) -> float:
    """Weight each sample by the time that it stands for."""
    return float(values @ widths / widths.sum())


def portions(values: Array, widths: Array, edges: Array) -> Array:
    """Give the mean between each two edges in time, cutting samples that lie across one.

    Examples
    --------
    >>> portions(np.array([1.0, 4.0]), np.array([2.0, 1.0]), np.array([0.0, 1.5, 3.0]))
    array([1., 3.])
    """
    ends = np.concatenate([[0.0], np.cumsum(widths)])
    sums = np.concatenate([[0.0], np.cumsum(values * widths)])
    return np.asarray(np.diff(np.interp(edges, ends, sums)) / np.diff(edges), dtype=np.float64)


def batch_interval(
    values: Array, widths: Array | None = None, confidence: float = 0.95
) -> tuple[float, float] | None:
    """Give the interval of the mean of a series from fifteen batches of equal time.

    `widths` are the times that the samples stand for. None for fewer than 60 samples, and without
    spread between the batches.

    Examples
    --------
    >>> batch_interval(np.repeat([9.0, 10.0, 11.0, 10.0, 9.0, 11.0] * 5, 2))
    (9.7659..., 10.2340...)
    """
    if len(values) < ENOUGH:
        return None
    times = np.ones(len(values)) if widths is None else widths
    means = portions(values, times, np.linspace(0.0, float(np.sum(times)), BATCHES + 1))
    center = float(means.mean())
    rest = means - center
    variance = float(rest @ rest) / BATCHES
    if sqrt(variance) <= 1e-12 * abs(center):
        return None
    inflated = _inflation(float(rest[1:] @ rest[:-1]) / BATCHES / variance)
    told = BATCHES / inflated  # independent means that would tell as much
    # a variance about the series' own mean is too small by that mean's
    error = sqrt(variance / max(1 - 1 / told, 0.05) / told)
    skew = float(np.mean(rest**3)) / variance**1.5 / (6 * sqrt(told))
    freedom = min(max(told - 1, 1.0), BATCHES - 1.0)
    t = float(scipy.special.stdtrit(freedom, (1 + confidence) / 2))
    return center - error * _skewed(t, skew), center - error * _skewed(-t, skew)


def _inflation(correlation: float) -> float:
    """Say how much larger the variance of the mean is than that of independent batches.

    It is never taken to be smaller: that batches alternate is mostly chance.
    """
    n = BATCHES
    r = min((n * correlation + 1) / (n - 4), _LARGEST)
    r = min(max(r + _HIGHER * sqrt(max(1 - r**2, 0.0) / n), 0.0), _LARGEST)
    return (1 + r) / (1 - r) - 2 * r * (1 - r**n) / (n * (1 - r) ** 2)


def _skewed(t: float, skew: float) -> float:
    """Bend a quantile of Student's t as the skewness of the mean asks for (Willink)."""
    if abs(skew) < 1e-6:
        return t
    return (cbrt(1 + 6 * skew * (t - skew)) - 1) / (2 * skew)


def missed(n: int) -> float:
    """Give the chance that a series holds no stall, if they take 5 % of the time, 10 samples each.

    Examples
    --------
    >>> [round(missed(n), 2) for n in (60, 300, 1000)]
    [0.7, 0.2, 0.0]
    """
    begin = STALLED / (1 - STALLED) / LASTING  # of each sample after one that is not in a stall
    return (1 - STALLED) * (1 - begin) ** (n - 1)


def autocorrelation(values: Array) -> Array | None:
    """Give the correlation of the series with itself at lags 0, 1, ...; None without spread."""
    rest = values - values.mean()
    if float(np.ptp(values)) <= 1e-12 * float(np.abs(values).max()):
        return None
    size = 2 ** int(2 * len(rest) - 1).bit_length()  # zeros behind, or the end meets the start
    power = np.abs(np.fft.rfft(rest, size)) ** 2
    found = np.fft.irfft(power, size)[: len(rest)]
    return np.asarray(found / found[0], dtype=np.float64)


def integrated_time(correlation: Array) -> float:
    """Estimate how many samples tell as much as one independent sample: ``1 + 2 sum(rho_k)``.

    The sum ends at the first lag that is at least five times what it came to. The answer is at
    least 1, and too small for a series that is not many times as long.

    Examples
    --------
    For an autoregressive series it is ``(1 + rho) / (1 - rho)``:

    >>> integrated_time(0.6 ** np.arange(100))
    3.9998...
    """
    times = 2 * np.cumsum(correlation) - 1
    far = np.arange(len(times)) >= 5 * times
    return max(1.0, float(times[int(np.argmax(far))] if far.any() else times[-1]))
