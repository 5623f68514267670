"""The interval of the ratio over all workloads, as `overall` computes it.

Each workload has a size, a ratio and (if it says so) a spread of its own. The truth is the
mean of their log ratios; for workloads like these it is the mean of those that they were drawn
from.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.coverage.study import Rate, Row, Study
from fiotools.stats.arms import Arms, Replicate
from fiotools.stats.estimates import StudentT, paired, welch
from fiotools.stats.overall import of_a_sample

WORKLOADS = (3, 15)
RUNS = (1, 3, 5, 10)
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
        own = _arms(logs, together=False)
        rounds = _arms(logs, together=True)
        answers = {"sample": (of_a_sample(own, paired=False), 0.0)}
        if n > 1:
            truth = float(effects.mean())
            answers["own"] = (welch(own.by_cell()), truth)
            answers["rounds"] = (paired(*rounds.by_cell()[0]), truth)
            answers["sample of rounds"] = (of_a_sample(rounds, paired=True), 0.0)
        for name, (answer, truth) in answers.items():
            found.setdefault(name, []).append(_holds(answer, truth))
    return found


def _arms(logs: np.ndarray, *, together: bool) -> Arms:
    """Make the runs of both sides: one for each workload, or rounds that hold all of them."""
    sides = []
    for side in logs:
        if together:
            sides.append([Replicate((r,), dict(enumerate(own))) for r, own in enumerate(side.T)])
        else:
            runs = [(w, r) for w in range(side.shape[0]) for r in range(side.shape[1])]
            sides.append([Replicate(run, {run[0]: side[run]}) for run in runs])
    return Arms(sides[0], sides[1], ["workload"], own=not together)


def _holds(answer: StudentT | None, truth: float) -> bool:
    assert answer is not None
    low, high, _ = answer.interval(0.95)
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
                    "these, runs of their own": _rate(found, "own", 0.0 if free else 0.94),
                    "these, rounds": _rate(found, "rounds", 0.94),
                    "like these": _rate(found, "sample", 0.0 if free else 0.94),
                    "like these, rounds": _rate(found, "sample of rounds", 0.93),
                }


def _rate(found: dict[str, list[bool]], name: str, least: float) -> Rate | str:
    return Rate.of(found[name], least=least) if name in found else ""


STUDIES = [
    Study(
        "overall",
        "The ratio over all workloads",
        "Each workload has a ratio of its own. Noise: runs with one spread; workloads and sides "
        "with unequal spreads; rounds that disturb both sides alike; sessions that disturb one "
        "side of a round, all its workloads alike. Goals: .94 and more, .93 for workloads like "
        "these with rounds; runs taken as independent have no goal if sessions disturb several "
        "of them, which only rounds can show.",
        _rows,
        trials=2000,
    ),
]
