"""The interval of the ratio over all workloads, as `overall` computes it.

Each workload has a size, a ratio and (if it says so) a spread of its own. The truth is the
mean of their log ratios.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.coverage.study import Rate, Row, Study
from fiotools.stats.estimates import StudentT, paired, welch

WORKLOADS = (3, 15)
RUNS = (3, 5, 10)
NOISES = ("equal", "unequal", "rounds", "sessions")
_RUN, _SHARED, _AMONG = 0.05, 0.05, 0.1  # spreads in logarithms: runs, what they share, ratios


def coverage(
    k: int, n: int, noise: str, trials: int, rng: np.random.Generator
) -> dict[str, list[bool]]:
    """Say in which trials each interval holds its truth.

    With unequal noise the level varies twice as much as the baseline, and workloads differ in
    spread by a factor of 10. Rounds disturb both sides alike, sessions one side of one round.
    """
    spread = np.full((2, k, 1), _RUN)
    if noise == "unequal":
        spread = np.array([2.0, 1.0])[:, None, None] * np.geomspace(0.02, 0.2, k)[None, :, None]
    found: dict[str, list[bool]] = {}
    for _ in range(trials):
        effects = rng.normal(0, _AMONG, k)
        logs = rng.normal(0, 1, (2, k, n)) * spread + rng.normal(0, 1, k)[:, None]
        if noise in ("rounds", "sessions"):
            sides = 1 if noise == "rounds" else 2
            logs += rng.normal(0, _SHARED, (sides, 1, n))
        logs[0] += effects[:, None]
        truth = float(effects.mean())
        answers = {
            "own": welch([*zip(*logs, strict=True)]),
            "rounds": paired(*logs.mean(axis=1)),
        }
        for name, answer in answers.items():
            found.setdefault(name, []).append(_holds(answer, truth))
    return found


def _holds(answer: StudentT | None, truth: float) -> bool:
    assert answer is not None
    low, high = answer.interval(0.95)
    return low <= truth <= high


def _rows(trials: int, rng: np.random.Generator) -> Iterator[Row]:
    for k in WORKLOADS:
        for n in RUNS:
            for noise in NOISES:
                found = coverage(k, n, noise, trials, rng)
                free = noise == "sessions"  # what several workloads share is not in its spread
                yield {
                    "workloads": k,
                    "runs": n,
                    "noise": noise,
                    "runs of their own": Rate.of(found["own"], least=0.0 if free else 0.94),
                    "rounds": Rate.of(found["rounds"], least=0.94),
                }


STUDIES = [
    Study(
        "overall",
        "The ratio over all workloads",
        "Each workload has a ratio of its own. Noise: runs with one spread; workloads and sides "
        "with unequal spreads; rounds that disturb both sides alike; sessions that disturb one "
        "side of a round, all its workloads alike. Goal: .94 and more; runs taken as independent "
        "have no goal if sessions disturb several of them, which only rounds can show.",
        _rows,
        trials=500,
    ),
]
