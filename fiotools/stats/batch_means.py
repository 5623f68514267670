"""The mean of a series whose samples depend on each other: numbers in, numbers out.

A slow second is mostly followed by another, so that n samples tell less than n runs would, and the
t interval of single samples is far too narrow. The means of a few long batches hardly depend on
each other. Six of them, always: a number of batches that is chosen by looking at the data picks
out the cases in which the interval is too narrow. `benchmarks/COVERAGE.md` has what came of it.

Sources: Schmeiser, "Batch size effects in the analysis of simulation output" (1982); Sokal, "Monte
Carlo methods in statistical mechanics" (1997) for the window of the autocorrelation time.
"""

from __future__ import annotations

from functools import lru_cache
from math import sqrt

import numpy as np
import scipy
from numpy.typing import NDArray

BATCHES = 6
ENOUGH = 60  # samples for an interval: ten to a batch
PER_TAU = 18  # autocorrelation times in a series that is long enough: three to a batch

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
    """Give the t interval of the mean from six batches of equal time, five degrees of freedom.

    Parameters
    ----------
    values : array
        A series in order of time.
    widths : array, optional
        The time that each sample stands for; all the same without it.
    confidence : float

    Returns
    -------
    (float, float) or None
        None for fewer than 60 samples.

    Examples
    --------
    >>> batch_interval(np.repeat([9.0, 10.0, 11.0, 10.0, 9.0, 11.0], 10))
    (9.0613..., 10.9386...)
    """
    if len(values) < ENOUGH:
        return None
    times = np.ones(len(values)) if widths is None else widths
    edges = np.linspace(0.0, float(np.sum(times)), BATCHES + 1)
    means = portions(values, times, edges)
    center = float(means.mean())
    half = _student(confidence) * sqrt(float(np.var(means, ddof=1)) / BATCHES)
    return center - half, center + half


@lru_cache
def _student(confidence: float) -> float:
    return float(scipy.special.stdtrit(BATCHES - 1, (1 + confidence) / 2))


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

    The sum ends at the first lag that is at least five times what it came to, and the answer is
    at least 1. Of a series much shorter than 18 times itself it is too small.

    Examples
    --------
    For an autoregressive series it is ``(1 + rho) / (1 - rho)``:

    >>> integrated_time(0.6 ** np.arange(100))
    3.9998...
    """
    times = 2 * np.cumsum(correlation) - 1
    far = np.arange(len(times)) >= 5 * times
    return max(1.0, float(times[int(np.argmax(far))] if far.any() else times[-1]))
