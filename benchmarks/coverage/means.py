"""The interval of the mean of few runs that cannot be below 0, and may be skewed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
from numpy.typing import NDArray

from benchmarks.coverage.study import Rate, Row, Study
from fiotools.stats.summary import mean_interval

RUNS = (3, 5, 10)
COV = (0.1, 0.4, 0.8)
NOISE = ("lognormal", "gamma")


def noise(
    kind: str, cov: float, size: tuple[int, int], rng: np.random.Generator
) -> NDArray[np.float64]:
    """Draw runs with a mean of 1."""
    if kind == "gamma":
        return rng.gamma(1 / cov**2, cov**2, size)
    variance = np.log1p(cov**2)
    return np.exp(rng.normal(-variance / 2, np.sqrt(variance), size))


def holds(
    kind: str, cov: float, n: int, trials: int, rng: np.random.Generator, *, amount: bool = True
) -> Iterator[tuple[bool, bool]]:
    """Say of each trial whether the interval holds the mean, and whether it reaches below 0."""
    for series in noise(kind, cov, (trials, n), rng).tolist():
        low, high = mean_interval(series, amount=amount)
        yield low <= 1 <= high, low < 0


def _means(trials: int, rng: np.random.Generator) -> Iterator[Row]:
    for kind, cov, n in product(NOISE, COV, RUNS):
        ours = [held for held, _ in holds(kind, cov, n, trials, rng)]
        plain = list(holds(kind, cov, n, trials, rng, amount=False))
        yield {
            "noise": kind,
            "CoV": f"{100 * cov:g} %",
            "runs": n,
            "t of the logarithm": Rate.of(ours, least=0.93 if cov < 0.5 else 0.91),
            "mean ± t": str(Rate.of(held for held, _ in plain)),
            "of it below 0": str(Rate.of(below for _, below in plain)),
        }


STUDIES = [
    Study(
        "means",
        "The mean of few runs",
        "Runs that cannot be below 0, lognormal or gamma. Goal: .93 and more, and .91 where they "
        "spread by 80 %.",
        _means,
        trials=10_000,
    )
]
