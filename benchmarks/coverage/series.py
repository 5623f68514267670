"""One series of dependent samples, as `steady` judges it: the mean's interval, and the verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import exp

import numpy as np
from numpy.typing import NDArray

from benchmarks.coverage.noise import SPREAD, Array, autoregressive
from benchmarks.coverage.study import Rate, Row, Study
from fiotools.stats.steady import batch_interval

LENGTHS = (60, 120, 300, 1000)
FULL = 100.0
GOAL = 0.93
STALLED, LASTING = 0.05, 10  # share of the time, and samples

Made = tuple[Array, float]  # a series a row, and the mean that they have in truth
Make = Callable[[int, int, np.random.Generator], Made]


def dependent(rho: float, noise: float = 0.0) -> Make:
    """Make series in which each sample depends on the one before, with so much noise over it."""

    def make(n: int, trials: int, rng: np.random.Generator) -> Made:
        found = (autoregressive(trials, n, rng, rho) - 1) / SPREAD
        return FULL + found + rng.normal(0, noise, found.shape), FULL

    return make


def gamma(n: int, trials: int, rng: np.random.Generator) -> Made:
    """Make series of waiting times."""
    return rng.gamma(1.0, 1.0, (trials, n)), 1.0


MADE: dict[str, Make] = {
    **{f"rho {rho:g}": dependent(rho) for rho in (0.0, 0.8, 0.95, -0.6)},
    "lognormal, sigma 1": lambda n, trials, rng: (rng.lognormal(0, 1, (trials, n)), exp(0.5)),
    "gamma, shape 1": gamma,
    "rho 0.95 under noise": dependent(0.95, 1.0),
}
STALLS = {"to 0.2 of it, noise 3 %": (0.2, 0.03), "to 0.6 of it, noise 10 %": (0.6, 0.1)}


def coverage(values: Array, truth: float) -> NDArray[np.bool_]:
    """Say which intervals hold the truth; every series has one."""
    low, high = np.array([batch_interval(one) for one in values], dtype=float).T
    return (low <= truth) & (truth <= high)


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


def stalled(
    n: int, slow: float, noise: float, trials: int, rng: np.random.Generator
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Say which series hold a stall, and which intervals hold the mean."""
    there = stalls(n, trials, rng)
    values = FULL * (np.where(there, slow, 1.0) + rng.normal(0, noise, there.shape))
    return there.any(axis=1), coverage(values, FULL * (1 - STALLED + STALLED * slow))


def _means(trials: int, rng: np.random.Generator) -> Iterator[Row]:
    for name, make in MADE.items():
        least = 0.0 if "under noise" in name else GOAL
        held = [coverage(*make(n, trials, rng)) for n in LENGTHS]
        yield _row(name, [Rate.of(one, least=least) for one in held])
    for name, (slow, noise) in STALLS.items():
        found = [stalled(n, slow, noise, trials, rng) for n in LENGTHS]
        yield _row(f"stalls {name}", [Rate.of(held[seen], least=GOAL) for seen, held in found])
        yield _row("without any such stall", [Rate.of(~seen) for seen, _ in found])


def _row(name: str, rates: list[Rate]) -> Row:
    return {"series": name, **{f"{n} samples": one for n, one in zip(LENGTHS, rates, strict=True)}}


STUDIES = [
    Study(
        "series",
        "The mean of a series",
        "Each sample depends on the one before (AR(1), rho), or is skewed, or has slow changes "
        "and as much noise, or stalls for 5 % of the time, 10 samples on average. Goal: .93 and "
        "more; of stalls, of the series that hold one: a series without a stall looks like one "
        "of a device that never stalls, and the row below says how many have none. Slow changes "
        "under noise have no goal: 60 samples do not tell them from the noise.",
        _means,
        trials=1000,
    ),
]
