"""How often `steady` calls a series steady that is, or that falls by 30 %."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from benchmarks.coverage.noise import Array, autoregressive
from benchmarks.coverage.study import Rate, Row, Study
from fiotools import steady

LENGTHS = (60, 120, 300, 1000)
RHOS = (0.0, 0.5, 0.8)
DRIFT = 0.3
START = 0.1  # of a series, four times as fast, as a cache is before it is full


def met(series: Array) -> list[bool]:
    """Ask `steady` about samples of a second, with its defaults."""
    n = series.shape[1]
    log = pd.DataFrame(
        {
            "run": np.repeat(np.arange(len(series)), n),
            "quantity": "iops",
            "time_s": np.tile(np.arange(1.0, n + 1), len(series)),
            "value": np.maximum(series, 0.0).ravel(),
        }
    )
    return [bool(one) for one in steady(log)["met"]]


def _rows(trials: int, rng: np.random.Generator) -> Iterator[Row]:
    for rho in RHOS:
        for n in LENGTHS:
            level = autoregressive(trials, n, rng, rho)
            falls = level - DRIFT * (np.linspace(0, 1, n) - 0.5)
            starts = level * np.where(np.arange(n) < START * n, 4.0, 1.0)
            yield {
                "rho": rho,
                "samples": n,
                "stationary": Rate.of(met(level), least=0.9),
                "falls by 30 %": Rate.of(met(falls), most=0.05),
                "falls by 10 %": Rate.of(met(level - 0.1 * (np.linspace(0, 1, n) - 0.5))),
                "a fast start": Rate.of(met(starts)),
            }


STUDIES = [
    Study(
        "steady",
        "Steady or not",
        "Shares of series that `steady` calls met: samples with a standard deviation of 5 % that "
        "depend on the one before (AR(1)). Some are stationary, some fall evenly by 30 % or 10 % "
        "of their mean from end to end, and some are four times as fast in their first tenth. "
        "Goal: .9 and more of the stationary ones, and at most .05 of those that fall by 30 %. A "
        "fall of 10 % is within SNIA's limits, and the warning names it.",
        _rows,
        trials=200,
    ),
]
