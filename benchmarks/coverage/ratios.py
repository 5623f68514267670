"""The 95 % interval of a ratio.

The log-Welch interval, as `compare` computes it, is tried on 3, 5 and 10 lognormal runs a side,
each of one cell or of four (a run is reduced to one number first), and on runs of other shapes, in
other orders and of unequal number. Beside it the mistake: cells taken for runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from math import sqrt

import numpy as np
from numpy.typing import NDArray
from scipy import signal

from benchmarks.coverage.study import Rate, Row, Study
from fiotools.stats.estimates import ENOUGH, welch

RUNS = (3, 5, 10)
CELLS = (1, 4)
_BETWEEN, _WITHIN = 0.05, 0.02  # spread of runs, and of cells of one run, in logarithms

Array = NDArray[np.float64]


def ratio_coverage(
    runs: int, cells: int, trials: int, rng: np.random.Generator
) -> tuple[float, float]:
    """Give the coverage of the ratio's interval, runs reduced first and cells taken for runs.

    The level is 10 % above the baseline and varies twice as much; each cell has a size of its own,
    which all runs share.
    """
    truth = float(np.log(1.1))
    spread = np.array([2.0, 1.0])[:, None]
    sizes = rng.normal(0, 1, (trials, 1, 1, cells))
    between = rng.normal(0, _BETWEEN, (trials, 2, runs)) * spread
    logs = between[..., None] + rng.normal(0, _WITHIN, (trials, 2, runs, cells))
    logs[:, 0] += truth
    reduced = naive = 0
    for trial, size in zip(logs, sizes, strict=True):
        if cells > 1:  # without their sizes, which would only widen the wrong interval
            naive += _holds(truth, [side.ravel().tolist() for side in trial])
        level, baseline = ((trial + size)[side].mean(axis=1) for side in (0, 1))
        reduced += _holds(truth, [level.tolist(), baseline.tolist()])
    return reduced / trials, naive / trials


def _holds(truth: float, arms: list[list[float]]) -> bool:
    found = welch([(arms[0], arms[1])])
    assert found is not None
    low, high = found.interval(0.95)
    return low <= truth <= high


def _two_modes(rng: np.random.Generator, shape: tuple[int, int]) -> Array:
    return rng.normal(0, _WITHIN, shape) + np.log(0.6) * (rng.random(shape) < 0.2)


SHAPES: Mapping[str, Callable[[np.random.Generator, tuple[int, int]], Array]] = {
    "lognormal": lambda rng, shape: rng.normal(0, _BETWEEN, shape),
    "lognormal, CV 50 %": lambda rng, shape: rng.normal(0, 0.47, shape),
    "gamma, CV 30 %": lambda rng, shape: np.log(rng.gamma(11, 1, shape)),
    "gamma, CV 100 %": lambda rng, shape: np.log(rng.gamma(1, 1, shape)),
    "t3": lambda rng, shape: _BETWEEN * rng.standard_t(3, shape),
    "two modes on both sides": _two_modes,
}


def shape_coverage(shape: str, runs: int, trials: int, rng: np.random.Generator) -> float:
    """Give the coverage of runs of one shape on both sides."""
    level, base = (SHAPES[shape](rng, (trials, runs)) for _ in range(2))
    return _coverage(level, base, 0.0)


def one_side_coverage(runs: int, trials: int, rng: np.random.Generator) -> float:
    """Give the coverage where the level has a second mode, at .6 times, in a fifth of its runs."""
    base = rng.normal(0, _WITHIN, (trials, runs))
    return _coverage(_two_modes(rng, (trials, runs)), base, 0.2 * np.log(0.6))


def _drift(rng: np.random.Generator, shape: tuple[int, int]) -> Array:
    return np.broadcast_to(0.02 * np.arange(shape[1]), shape)


def _ar(rng: np.random.Generator, shape: tuple[int, int]) -> Array:
    noise = rng.normal(0, _BETWEEN, shape)
    noise[:, 0] /= sqrt(1 - 0.5**2)
    return np.asarray(signal.lfilter([1.0], [1.0, -0.5], noise, axis=1))


def _bursts(rng: np.random.Generator, shape: tuple[int, int]) -> Array:
    """Slow a tenth of the time to .6 times the rate, five runs on end in the mean."""
    slow = rng.random((shape[0], 1)) < 0.1
    for _ in range(shape[1] - 1):
        goes_on = rng.random((shape[0], 1)) < np.where(slow[:, -1:], 0.8, 0.2 / 9)
        slow = np.concatenate([slow, goes_on], axis=1)
    return np.log(0.6) * slow


ORDERS: Mapping[str, Callable[[np.random.Generator, tuple[int, int]], Array]] = {
    "drift of 2 % a run": _drift,
    "AR(1), rho .5": _ar,
    "bursts": _bursts,
}


def order_coverage(
    disturbance: str, runs: int, trials: int, rng: np.random.Generator, *, blocks: bool
) -> float:
    """Give the coverage of runs that a disturbance in time hits, in turns (ABBA) or in blocks."""
    series = ORDERS[disturbance](rng, (trials, 2 * runs))
    series = series + rng.normal(0, _WITHIN, series.shape)
    places = np.arange(2 * runs)
    first = places < runs if blocks else (places + 1) // 2 % 2 == 0
    return _coverage(series[:, first], series[:, ~first], 0.0)


def spread_coverage(
    sizes: tuple[int, int], spread: float, trials: int, rng: np.random.Generator
) -> float:
    """Give the coverage where the level spreads so much further."""
    level = rng.normal(0, _BETWEEN * spread, (trials, sizes[0]))
    base = rng.normal(0, _BETWEEN, (trials, sizes[1]))
    return _coverage(level, base, 0.0)


def _coverage(level: Array, base: Array, truth: float) -> float:
    sides = zip(level.tolist(), base.tolist(), strict=True)
    return sum(_holds(truth, list(arms)) for arms in sides) / len(level)


def _ratios(trials: int, rng: np.random.Generator) -> Iterator[Row]:
    for cells in CELLS:
        for runs in RUNS:
            good, bad = ratio_coverage(runs, cells, trials, rng)
            yield {
                "runs a side": runs,
                "cells": cells,
                "Welch t of runs": Rate(good, trials, least=0.94),
                "cells taken for runs": f"{bad:.3f}" if cells > 1 else "",
            }


def _shapes(trials: int, rng: np.random.Generator) -> Iterator[Row]:
    sides: dict[str, tuple[Callable[[int], float], bool]] = {
        name: (partial(shape_coverage, name, trials=trials, rng=rng), True) for name in SHAPES
    }
    sides["two modes on one side"] = partial(one_side_coverage, trials=trials, rng=rng), False
    for name in ORDERS:
        for way in ("in turns", "in blocks"):
            found = partial(order_coverage, name, trials=trials, rng=rng, blocks=way == "in blocks")
            sides[f"{name}, {way}"] = found, way == "in turns"
    for name, (coverage, is_held) in sides.items():
        row: dict[str, object] = {"noise": name}
        for runs in (3, 5, 10, 20):
            share = coverage(runs)
            row[f"n {runs}"] = Rate(share, trials, least=0.93) if is_held else f"{share:.3f}"
        yield row


def _spreads(trials: int, rng: np.random.Generator) -> Iterator[Row]:
    for sizes in ((3, 3), (5, 5), (10, 10), (20, 20), (2, 10), (3, 10), (5, 20), (20, 5)):
        row: dict[str, object] = {"runs": f"{sizes[0]} against {sizes[1]}"}
        for spread in (1, 2, 4):
            share = spread_coverage(sizes, spread, trials, rng)
            # two runs have an interval, and no verdict
            held = min(sizes) >= ENOUGH
            row[f"x{spread}"] = Rate(share, trials, least=0.93) if held else f"{share:.3f}"
        yield row


STUDIES = [
    Study(
        "ratio",
        "The ratio of two sides",
        "Lognormal runs, the level 10 % above the baseline and with twice its spread; each run of "
        "one cell or of four. Goal: .94 and more.",
        _ratios,
        trials=20_000,
    ),
    Study(
        "shapes",
        "The ratio of runs of other shapes, and in other orders",
        "Goal: .93 and more if the runs are repeats of each other. A second mode of one side, "
        "which few runs may miss, has no goal, and neither have sides that ran in blocks.",
        _shapes,
        trials=4000,
    ),
    Study(
        "spreads",
        "The ratio of sides of unlike spread and number",
        "The first side spreads once, twice and four times as far as the second. Goal with "
        "3 runs a side or more: .93 and more.",
        _spreads,
        trials=4000,
    ),
]
