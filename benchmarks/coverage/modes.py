"""How often two modes between runs are seen, and how often falsely.

A mode is a group of runs at another level: 20 % of the runs, or half of them, at .6 or .8 times the
others. Beside it is the chance that all runs of a side miss a mode of 20 %, which "same within 5 %"
cannot know.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.coverage.study import Rate, Row, Study
from fiotools.stats.sides import unlike

RUNS = (4, 5, 7, 10, 12, 15, 20, 30, 50)
_COV = (0.02, 0.1, 0.3)


def warned(
    n: int, cov: float, share: float, factor: float, trials: int, rng: np.random.Generator
) -> list[bool]:
    """Say of each trial whether lognormal runs, a share of them at a factor, get a warning."""
    spread = np.sqrt(np.log1p(cov**2))
    logs = rng.normal(0, spread, (trials, n)) + np.log(factor) * (rng.random((trials, n)) < share)
    return [bool(unlike(side)) for side in logs.tolist()]


def _modes(trials: int, rng: np.random.Generator) -> Iterator[Row]:
    for n in RUNS:
        row: dict[str, object] = {"runs": n}
        for cov in _COV:
            found = warned(n, cov, 0.0, 1.0, trials, rng)
            row[f"one mode, CoV {100 * cov:g} %"] = Rate.of(found, most=0.05)
        for share, factor in ((0.2, 0.6), (0.5, 0.8)):
            hits = warned(n, 0.03, share, factor, trials, rng)
            row[f"{100 * share:g} % at {factor}"] = str(Rate.of(hits))
        row["no run of 20 % among them"] = f"{0.8**n:.3f}"
        yield row


STUDIES = [
    Study(
        "modes",
        "Two modes between runs",
        "Lognormal runs of one mode, at most .05 of which may get a warning; and of two modes 20 "
        "% or 40 % apart, each with a CoV of 3 %. Two runs tell a mode from an outlier.",
        _modes,
        trials=3000,
    )
]
