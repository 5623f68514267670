"""The 95 % interval of the mean of one series of dependent samples, as `steady` computes it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import exp, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy import signal

from benchmarks.coverage.study import Rate, Row, Study
from fiotools.stats.steady import batch_interval

LENGTHS = (60, 120, 300, 1000)
FULL = 100.0
GOAL = 0.93

Array = NDArray[np.float64]
Made = tuple[Array, float]  # a series a row, and the mean that they have in truth


def autoregressive(rho: float, noise: float = 0.0) -> Callable[..., Made]:
    """Make series in which each sample depends on the one before, with so much noise over it."""

    def make(n: int, trials: int, rng: np.random.Generator) -> Made:
        steps = rng.normal(0, sqrt(1 - rho**2), (trials, n))
        steps[:, 0] /= sqrt(1 - rho**2)  # stationary from the first sample on
        found = signal.lfilter([1.0], [1.0, -rho], steps, axis=1)
        return FULL + found + rng.normal(0, noise, found.shape), FULL

    return make


def lognormal(sigma: float) -> Callable[..., Made]:
    """Make series of independent, skewed samples."""
    return lambda n, trials, rng: (np.exp(rng.normal(0, sigma, (trials, n))), exp(sigma**2 / 2))


def gamma(n: int, trials: int, rng: np.random.Generator) -> Made:
    """Make series of waiting times."""
    return rng.gamma(1.0, 1.0, (trials, n)), 1.0


def stalls(n: int, trials: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Say which samples lie in a stall: 5 % of the time, 10 samples each on average."""
    end = 1 / LASTING
    begin = end * STALLED / (1 - STALLED)
    chance, now = rng.random((n, trials)), rng.random(trials) < STALLED
    found = [now]
    for drawn in chance[1:]:
        now = np.where(now, drawn > end, drawn < begin)
        found.append(now)
    return np.array(found).T


def coverage(values: Array, truth: float) -> tuple[NDArray[np.bool_], NDArray[np.bool_], Array]:
    """Say which intervals hold the truth, which series have none, and how wide the others are."""
    ends = [batch_interval(one) for one in values]
    none = np.array([end is None for end in ends])
    low, high = np.array([end or (np.nan, np.nan) for end in ends]).T
    return (low <= truth) & (truth <= high), none, high - low


STALLED, LASTING = 0.05, 10  # share of the time, and samples
AUTOREGRESSIVE = {
    f"rho {rho:g}": autoregressive(rho) for rho in (0.0, 0.3, 0.6, 0.8, 0.9, 0.95, -0.3, -0.6)
}
SKEWED = {
    "lognormal, sigma 0.5": lognormal(0.5),
    "lognormal, sigma 1": lognormal(1.0),
    "gamma, shape 1": gamma,
}
NOISY = {
    "rho 0.8 under noise": autoregressive(0.8, 1.0),
    "rho 0.95 under noise": autoregressive(0.95, 1.0),
}
STALLS = {"to 0.2 of it, noise 3 %": (0.2, 0.03), "to 0.6 of it, noise 10 %": (0.6, 0.1)}


def _means(trials: int, rng: np.random.Generator) -> Iterator[Row]:
    for n in LENGTHS:
        for name, make in (AUTOREGRESSIVE | SKEWED | NOISY).items():
            values, truth = make(n, trials, rng)
            held, none, width = coverage(values, truth)
            best = 2 * 1.96 * float(np.sqrt(np.mean((values.mean(axis=1) - truth) ** 2)))
            yield {
                "samples": n,
                "series": name,
                "covered": Rate.of(held[~none], least=0.0 if name in NOISY else GOAL),
                "no interval": Rate.of(none, most=0.0),
                "width, of the best": f"{np.nanmedian(width) / best:.1f}",
            }


def stalled(
    n: int, slow: float, noise: float, trials: int, rng: np.random.Generator
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Say which series hold a stall, and which intervals hold the mean."""
    there = stalls(n, trials, rng)
    values = FULL * (np.where(there, slow, 1.0) + rng.normal(0, noise, there.shape))
    held, none, _ = coverage(values, FULL * (1 - STALLED + STALLED * slow))
    assert not none.any()
    return there.any(axis=1), held


def _stalls(trials: int, rng: np.random.Generator) -> Iterator[Row]:
    for n in LENGTHS:
        for name, (slow, noise) in STALLS.items():
            seen, held = stalled(n, slow, noise, trials, rng)
            yield {
                "samples": n,
                "stalls": name,
                "no stall in the series": Rate.of(~seen),
                "covered, with a stall": Rate.of(held[seen], least=GOAL),
                "covered, of all": Rate.of(held, least=GOAL if n == LENGTHS[-1] else 0.0),
            }


STUDIES = [
    Study(
        "series",
        "The mean of a series",
        "Each sample depends on the one before (AR(1), rho), or is skewed, or has slow changes "
        "and as much noise. Goal: .93 and more of the series that get an interval, and no series "
        "without; no warning chooses among them. The best width is that for a known spread of "
        "the mean. Noise has no goal: 60 samples do not tell the slow part from the noise over "
        "it.\n\n"
        "Other rules covered at their worst, with rho from 0 to .95 (3,000 trials; all at 60 "
        "samples and rho .95) and with stalls in 1,000 samples: six batches .66 and .86, three "
        "batches .86 and .90, overlapping batches of n^(1/2) .54 and .82, of n^(2/3) .69 and "
        ".84, AR(p) by AIC .79 and .84, Newey-West prewhitened .71 and .74, the stationary "
        "bootstrap .47 and .80, AR(1) of the samples, its bias corrected, .90 and .67, with one "
        "standard error more .96 and .69. Six batches withdrawn below 18 autocorrelation times "
        "cover .49 at rho .95: the estimate of that time is too small just when the interval is.",
        _means,
        trials=4_000,
    ),
    Study(
        "stalls",
        "The mean of a series with stalls",
        "The rate falls 5 % of the time, for 10 samples on average. Goal: .93 and more of the "
        "series that hold a stall, and of all at 1,000 samples. A series without a stall looks "
        "like one of a device that never stalls: a rule that gives the latter an interval cannot "
        "cover the former.",
        _stalls,
        trials=4_000,
    ),
]
