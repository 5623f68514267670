"""Noise with a known truth: a level of 1, with a standard deviation of 5 %."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from math import sqrt

import numpy as np
from numpy.typing import NDArray
from scipy import signal

SPREAD = 0.05

Array = NDArray[np.float64]
Noise = Callable[[int, int, np.random.Generator], Array]


def autoregressive(trials: int, n: int, rng: np.random.Generator, rho: float = 0.0) -> Array:
    """Make series in which each sample depends on the one before."""
    noise = rng.normal(0, sqrt(1 - rho**2), (trials, n))
    noise[:, 0] /= sqrt(1 - rho**2)  # stationary from the first sample on
    return np.asarray(1 + SPREAD * signal.lfilter([1.0], [1.0, -rho], noise, axis=1))


def bursts(trials: int, n: int, rng: np.random.Generator) -> Array:
    """Make series that are slow for a twentieth of the time, for ten samples on average."""
    ends, share = 0.1, 0.05
    begins, chance = share * ends / (1 - share), rng.random((trials, n))
    slow = np.empty((trials, n), dtype=bool)
    slow[:, 0] = chance[:, 0] < share
    for i in range(1, n):
        slow[:, i] = np.where(slow[:, i - 1], chance[:, i] > ends, chance[:, i] < begins)
    return np.where(slow, 0.5, 1.0) + SPREAD * rng.normal(0, 1, (trials, n))


def lognormal(trials: int, n: int, rng: np.random.Generator) -> Array:
    """Make runs."""
    return np.asarray(rng.lognormal(0, SPREAD, (trials, n)))


def heavy_tails(trials: int, n: int, rng: np.random.Generator) -> Array:
    """Make runs some of which are far off: Student's t with 3 degrees of freedom."""
    return np.exp(SPREAD / sqrt(3) * rng.standard_t(3, (trials, n)))


def two_modes(trials: int, n: int, rng: np.random.Generator) -> Array:
    """Make runs; one in five does .6 times as much as the others."""
    return np.where(rng.random((trials, n)) < 0.2, 0.6, 1.0) * lognormal(trials, n, rng)


SERIES: Mapping[str, Noise] = {
    "independent": autoregressive,
    **{f"AR(1), rho {rho}": partial(autoregressive, rho=rho) for rho in (0.5, 0.8, 0.95)},
    "bursts": bursts,
}
RUNS: Mapping[str, Noise] = {
    "lognormal": lognormal,
    "t with 3 df": heavy_tails,
    "two modes": two_modes,
}
