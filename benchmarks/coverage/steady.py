"""How often `steady` calls a series steady that is, or that falls or steps."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
import polars as pl

from benchmarks.coverage.noise import Array, autoregressive
from benchmarks.coverage.study import Rate, Row, Study
from fiotools import steady


def met(series: Array) -> list[bool | None]:
    """Ask `steady` about samples of a second, with its defaults."""
    n = series.shape[1]
    log = pl.DataFrame(
        {
            "run": np.repeat(np.arange(len(series)), n),
            "quantity": "iops",
            "time_s": np.tile(np.arange(1.0, n + 1), len(series)),
            "value": np.maximum(series, 0.0).ravel(),
        }
    )
    return steady(log)["met"].to_list()


def _rows(trials: int, rng: np.random.Generator) -> Iterator[Row]:
    for rho, n in product((0.0, 0.5, 0.8), (60, 120, 300, 1000)):
        level, place = autoregressive(trials, n, rng, rho), np.linspace(0, 1, n)
        told = met(level)
        others = {
            "falls by 8 %": level - 0.08 * (place - 0.5),
            "steps by 15 %": level * np.where(place < 0.5, 1.0, 0.85),
            "a fast start": level * np.where(place < 0.1, 4.0, 1.0),  # a cache that fills up
        }
        falls = met(level - 0.3 * (place - 0.5))
        yield {
            "rho": rho,
            "samples": n,
            "stationary": Rate.of(map(bool, told)),
            "not met": Rate.of((one is False for one in told), most=0.1),
            "falls by 30 %": Rate.of(map(bool, falls), most=0.05),
            **{name: Rate.of(map(bool, met(made))) for name, made in others.items()},
        }


STUDIES = [
    Study(
        "steady",
        "Steady or not",
        "Shares of series that `steady` calls met: samples with a standard deviation of 5 % that "
        "depend on the one before (AR(1)). Some are stationary (the rest is undecided, or not met: "
        "goal .1 at most), some fall evenly by 30 % (goal: .05 at most) or 8 % of their mean from "
        "end to end, some step by 15 % half-way, and some are four times as fast in their first "
        "tenth. A fall of 8 % is within SNIA's limits: it is undecided where the means of 15 "
        "batches show it, or the interval of the mean is wider than the mean.",
        _rows,
        trials=200,
    ),
]
