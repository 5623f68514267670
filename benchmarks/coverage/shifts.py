"""How often `steps`, `change_points` and `shifts` find steps that are there, and that are not.

A history of independent runs without a step shows one in at most .01 of trials; one whose
neighbours are alike, or whose runs are far off now and then, in a few more. The power is that of a
step in the middle, of one before the last tenth, and of a level that goes back after a third; of a
series also how near the place is, and whether the interval of the ratio, which takes the place for
known, holds the truth.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product

import numpy as np
import pandas as pd

from benchmarks.coverage.noise import RUNS, SERIES, SPREAD, Array, Noise, autoregressive
from benchmarks.coverage.study import Rate, Row, Study
from fiotools import shifts
from fiotools.stats.steps import ALPHA, ChangePoint, change_points, steps

STEP = 3 * SPREAD  # of a series
HISTORIES: dict[str, Noise] = {
    **RUNS,
    "AR(1), rho 0.5": partial(autoregressive, rho=0.5),
    "AR(1), rho 0.8": partial(autoregressive, rho=0.8),
}
# goals for false alarms, at most
FALSE = {"lognormal": ALPHA, "AR(1), rho 0.5": 0.03, "AR(1), rho 0.8": 0.04}
LENGTHS = (60, 120, 300, 1000)

Search = Callable[[Array], list[ChangePoint]]


def alarms(search: Search, noise: Noise, n: int, trials: int, rng: np.random.Generator) -> Array:
    """Count the changes that are found in sequences without any."""
    return np.array([len(search(one)) for one in noise(trials, n, rng)])


def places(
    search: Search,
    noise: Noise,
    step: Array,
    trials: int,
    rng: np.random.Generator,
) -> Array:
    """Give the place found for one step, as a share of n; NaN for none or several."""
    n = len(step)
    found = (search(one) for one in noise(trials, n, rng) + step)
    return np.array([one[0].at / n if len(one) == 1 else np.nan for one in found])


def seen(noise: Noise, step: Array, trials: int, rng: np.random.Generator) -> list[bool]:
    """Say of each history with a step whether any is found."""
    return [bool(steps(one)) for one in np.exp(noise(trials, len(step), rng) - 1 + step)]


def kept(rho: float, high: float, trials: int, rng: np.random.Generator) -> list[bool]:
    """Say of each history in which a step was far beyond chance whether it stays when runs come.

    From the eleventh of 40 runs on all are higher by `high` times the spread. The step counts from
    when its p is below .0001.
    """
    made = autoregressive(trials, 40, rng, rho) + high * SPREAD * (np.arange(40) >= 10)
    found = []
    for one in made:
        there = [steps(one[:n]) for n in range(13, 41)]
        sure = [any(change.p <= 1e-4 for change in changes) for changes in there]
        if any(sure):
            found.append(all(there[sure.index(True) :]))
    return found


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
    for (name, noise), n in product(HISTORIES.items(), (5, 10, 20, 30, 60)):
        place, high = np.arange(n), 4 * SPREAD
        found = alarms(steps, noise, n, trials, rng) > 0
        row: dict[str, object] = {"noise": name, "runs": n}
        row["false alarms"] = Rate.of(found, most=FALSE.get(name, 0.05))
        for what, there in (
            ("4 sd in the middle", place >= n // 2),
            ("the last tenth at 4 sd", place >= n - max(3, n // 10)),
            ("8 sd, and back", 2 * ((place >= n // 3) & (place < 2 * n // 3))),
        ):
            # of two modes no step of this size can be told
            row[what] = (
                "" if name == "two modes" else Rate.of(seen(noise, high * there, trials, rng))
            )
        yield row


def _kept(trials: int, rng: np.random.Generator) -> Iterator[Row]:
    for rho in (0.0, 0.5):
        for high in (6, 10):
            stays = kept(rho, high, trials, rng)
            yield {
                "rho": rho,
                "step": f"{high} sd",
                "far beyond chance": Rate(len(stays) / trials, trials),
                "stays": Rate.of(stays, least=0.995),
            }


def _series(trials: int, rng: np.random.Generator) -> Iterator[Row]:
    for name, noise in SERIES.items():
        for n in LENGTHS:
            goal = ALPHA if name != "bursts" else 1.0
            found = alarms(change_points, noise, n, trials, rng) > 0
            step = STEP * (np.arange(n) >= n // 2)
            at = places(change_points, noise, step, trials // 2, rng)
            near = np.abs(at[~np.isnan(at)] - 0.5) <= 0.05
            held = ratio_holds(noise, n, trials // 2, rng, series=True)
            yield {
                "noise": name,
                "samples": n,
                "false alarms": Rate.of(found, most=goal),
                "step of 3 sd": Rate.of(~np.isnan(at)),
                "within n/20": Rate.of(near) if len(near) > 20 else "",
                "ratio's interval": Rate.of(held) if len(held) > 20 else "",
            }


STUDIES = [
    Study(
        "shifts-runs",
        "Steps in a history of runs",
        "Runs in a row: independent, far off now and then (Student's t with 3 df), of two modes "
        "(one in five at .6), or like the run before (AR(1)); without a step, and with one of four "
        "times the spread. Goals: .01 false alarms for independent runs, .03 and .04 for rho .5 "
        "and .8, .05 for others.",
        _runs,
        trials=1000,
    ),
    Study(
        "shifts-kept",
        "A step stays when runs are added",
        "Histories that step up after ten runs, looked at after each run up to the fortieth. Of "
        "those in which the step was far beyond chance (p below .0001) at some time, it is found "
        "in all later looks in so many. Goal: .995.",
        _kept,
        trials=200,
    ),
    Study(
        "shifts-series",
        "Steps in a series of samples",
        "Series with a standard deviation of 5 %, independent, autoregressive, or slow in bursts "
        "(a twentieth of the time, ten samples on average, half as fast). Goal: at most .01 false "
        "alarms; bursts have none, as a burst of that length is a change of level and back.",
        _series,
        trials=300,
    ),
]
