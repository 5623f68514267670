"""The 95 % interval of a ratio.

The log-Welch interval, as `compare` computes it, is tried on 3, 5 and 10 lognormal runs a side,
each of one cell or of four (a run is reduced to one number first). Beside it what one should not
do: cells taken for runs.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.coverage.study import Rate, Row, Study
from fiotools.stats.arms import Arms, Replicate
from fiotools.stats.estimates import welch

RUNS = (3, 5, 10)
CELLS = (1, 4)
_BETWEEN, _WITHIN = 0.05, 0.02  # spread of runs, and of cells of one run, in logarithms


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
        sides = [
            [
                Replicate((i,), {(c,): log for c, log in enumerate(run)})
                for i, run in enumerate(side)
            ]
            for side in (trial + size).tolist()
        ]
        dims = ["bs_bytes"] if cells > 1 else []
        [cell] = Arms(sides[0], sides[1], dims, own=False).by_cell()
        reduced += _holds(truth, list(cell))
    return reduced / trials, naive / trials


def _holds(truth: float, arms: list[list[float]]) -> bool:
    found = welch([(arms[0], arms[1])])
    assert found is not None
    low, high, _ = found.interval(0.95)
    return low <= truth <= high


def _ratios(trials: int, rng: np.random.Generator) -> Iterator[Row]:
    for cells in CELLS:
        for runs in RUNS:
            good, bad = ratio_coverage(runs, cells, trials, rng)
            yield {
                "runs a side": runs,
                "cells": cells,
                "log-Welch of runs": Rate(good, trials, least=0.94),
                "cells taken for runs": f"{bad:.3f}" if cells > 1 else "",
            }


STUDIES = [
    Study(
        "ratio",
        "The ratio of two sides",
        "Lognormal runs, the level 10 % above the baseline and with twice its spread; each run of "
        "one cell or of four. Goal: .94 and more.",
        _ratios,
        trials=20_000,
    ),
]
