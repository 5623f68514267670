"""How often `change_points` and `shifts` find steps that are there, and steps that are not.

A sequence without a step shows one in at most .01 of trials. The power is that of a step of three
standard deviations in the middle, and of one that goes back after a third; how near the place is,
and whether the interval of the ratio, which takes the place for known, holds the truth.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from benchmarks.coverage.noise import RUNS, SERIES, SPREAD, Array, Noise
from benchmarks.coverage.study import Rate, Row, Study
from fiotools import shifts
from fiotools.stats.drift import ALPHA, change_points

STEP = 3 * SPREAD
FEW = (5, 10, 20, 30)
LENGTHS = (60, 120, 300, 1000)


def alarms(noise: Noise, n: int, trials: int, rng: np.random.Generator, *, series: bool) -> Array:
    """Count the changes that are found in sequences without any."""
    made = noise(trials, n, rng)
    return np.array([len(change_points(one, dependent=series)) for one in made])


def power(noise: Noise, n: int, trials: int, rng: np.random.Generator, *, series: bool) -> Array:
    """Give the place found for one step in the middle, as a share of n; NaN for none or several."""
    made = noise(trials, n, rng) + STEP * (np.arange(n) >= n // 2)
    found = (change_points(one, dependent=series) for one in made)
    return np.array([one[0].at / n if len(one) == 1 else np.nan for one in found])


def ratio_holds(
    noise: Noise, n: int, trials: int, rng: np.random.Generator, *, series: bool
) -> list[bool]:
    """Say of each step that `shifts` found whether its interval holds the true ratio."""
    made = noise(trials, n, rng) * (1 + STEP * (np.arange(n) >= n // 2))
    name = "value" if series else "iops"
    columns = {"quantity": "iops", "time_s": np.arange(1.0, n + 1)} if series else {}
    held = []
    for one in made:
        found = shifts(pd.DataFrame({name: one, **columns}), "iops")
        if len(found) == 2 and found["ratio_lo"].notna()[1]:
            held.append(bool(found["ratio_lo"][1] <= 1 + STEP <= found["ratio_hi"][1]))
    return held


def _runs(trials: int, rng: np.random.Generator) -> Iterator[Row]:
    for name, noise in RUNS.items():
        for n in FEW:
            # the order of fewer runs proves nothing: normal noise is taken for known
            sure = n >= 10 or name == "lognormal"
            found = alarms(noise, n, trials, rng, series=False) > 0
            places = power(noise, n, trials, rng, series=False)
            yield {
                "noise": name,
                "runs": n,
                "false alarms": Rate.of(found, most=ALPHA if sure else 1.0),
                "step of 15 %": Rate.of(~np.isnan(places)),
            }


def _series(trials: int, rng: np.random.Generator) -> Iterator[Row]:
    for name, noise in SERIES.items():
        for n in LENGTHS:
            goal = ALPHA if name != "bursts" else 1.0
            found = alarms(noise, n, trials, rng, series=True) > 0
            places = power(noise, n, trials // 2, rng, series=True)
            near = np.abs(places[~np.isnan(places)] - 0.5) <= 0.05
            held = ratio_holds(noise, n, trials // 8, rng, series=True)
            yield {
                "noise": name,
                "samples": n,
                "false alarms": Rate.of(found, most=goal),
                "step of 3 sd": Rate.of(~np.isnan(places)),
                "within n/20": Rate.of(near) if len(near) > 20 else "",
                "ratio's interval": Rate.of(held) if len(held) > 20 else "",
            }


STUDIES = [
    Study(
        "shifts-runs",
        "Steps in a sequence of runs",
        "Runs in a row, with a spread of 5 %, without a step and with one in the middle. Goal: "
        "at most .01 false alarms. The order of fewer than ten runs proves nothing, so that a "
        "step has to stand out of normal noise there; the table shows how often two modes do, "
        "and the answer how often chance does.",
        _runs,
        trials=1000,
    ),
    Study(
        "shifts-series",
        "Steps in a series of samples",
        "Series with a standard deviation of 5 %, independent, autoregressive, or slow in bursts "
        "(a twentieth of the time, ten samples on average, half as fast). Goal: at most .01 false "
        "alarms; bursts have none, as a burst of that length is a change of level and back.",
        _series,
        trials=1000,
    ),
]
