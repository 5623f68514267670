"""How often verdicts are wrong: for several comparisons, and for runs that are looked at again.

All sides are alike, so that every "faster" and every "slower" is wrong; with a band of 0, so that
no "same" comes before. Intervals and verdicts are those of `stats.compare.judge`, which does
the same in an answer of `compare`.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from benchmarks.coverage.study import Rate, Row, Study
from fiotools.stats.compare import Looks, settled, verdict
from fiotools.stats.estimates import AnyLooks, StudentT, runs_still_needed, welch
from fiotools.stats.frames import metric_of

SPREAD = 0.03  # of the logarithms of runs
MOST = 40  # runs a side, when somebody gives up

Array = NDArray[np.float64]
Ways = list[int]


def found_by(level: Array, base: Array) -> StudentT:
    """Estimate the difference of two sides."""
    found = welch([(level.tolist(), base.tolist())])
    assert found is not None
    return found


def judged(difference: StudentT, comparisons: int = 1) -> tuple[str, str]:
    """Give the verdict on one of so many comparisons, and whether it is beyond the band."""
    confidence = 1 - 0.05 / comparisons
    return verdict(difference, metric_of("iops"), band=0, confidence=confidence)


def way(found: str) -> int:
    """Give +1 for "faster", -1 for "slower", else 0."""
    return (found == "faster") - (found == "slower")


def family(
    levels: int, runs: int, spreads: tuple[float, float], trials: int, rng: np.random.Generator
) -> list[Ways]:
    """Compare levels with their baseline, whose runs have the first of the spreads."""
    found = []
    for _ in range(trials):
        base = rng.normal(0, SPREAD * spreads[0], runs)
        others = [
            found_by(level, base) for level in rng.normal(0, SPREAD * spreads[1], (levels, runs))
        ]
        if levels > 1:
            others = [one.sharing() for one in others]
        found.append([way(judged(one, levels)[0]) for one in others])
    return found


def dunnett(
    levels: int, runs: int, spreads: tuple[float, float], trials: int, rng: np.random.Generator
) -> float:
    """Give how often Dunnett's test, with one spread for all sides, finds a difference."""
    df = (levels + 1) * (runs - 1)
    means = rng.normal(size=(100_000, levels + 1))
    most = np.abs(means[:, 1:] - means[:, :1]).max(axis=1) / np.sqrt(2)
    limit = np.quantile(most / np.sqrt(rng.chisquare(df, len(most)) / df), 0.95)
    base = rng.normal(0, spreads[0], (trials, 1, runs))
    sides = np.concatenate([base, rng.normal(0, spreads[1], (trials, levels, runs))], axis=1)
    pooled, centers = sides.var(axis=2, ddof=1).mean(axis=1), sides.mean(axis=2)
    t = np.abs(centers[:, 1:] - centers[:, :1]).max(axis=1) / np.sqrt(2 * pooled / runs)
    return float(np.mean(t > limit))


def stopped(
    rule: str, looks: Looks, spreads: tuple[float, float], rng: np.random.Generator
) -> tuple[int, int]:
    """Look from 3 runs a side on until it is settled; give the direction, and the runs.

    The rule is "each run", or "runs_needed": then the next look is when the verdict said.
    """
    level, base = (rng.normal(0, SPREAD * spread, MOST) for spread in spreads)
    n = 3
    while True:
        once = found_by(level[:n], base[:n])
        again = AnyLooks(**vars(once))
        found, beyond = judged(again if looks == "any" else once)
        if settled(beyond) or n == MOST:
            return way(found), n
        more = 1 if rule == "each run" else runs_still_needed(again, 0, now=n).as_seen
        n = min(MOST, n + (more or MOST))


SPREADS = {
    "equal spread": (1.0, 1.0),
    "baseline x2": (2.0, 1.0),
    "levels x2": (1.0, 2.0),
    "levels x4": (1.0, 4.0),
}


def _families(trials: int, rng: np.random.Generator) -> Iterator[Row]:
    for levels in (1, 3, 20):
        for runs in (3, 5, 10):
            row: dict[str, object] = {"levels": levels, "runs a side": runs}
            for name, spreads in SPREADS.items():
                found = family(levels, runs, spreads, trials, rng)
                row[name] = Rate.of((any(ways) for ways in found), most=0.05)
                row[f"{name}: faster"] = Rate.of((1 in ways for ways in found), most=0.025)
            wrong = dunnett(levels, runs, SPREADS["baseline x2"], trials, rng)
            yield row | {"Dunnett, baseline x2": f"{wrong:.3f}"}


def _looks(trials: int, rng: np.random.Generator) -> Iterator[Row]:
    for rule in ("runs_needed", "each run"):
        for spreads in ((1.0, 1.0), (2.0, 1.0)):
            ends = [stopped(rule, "any", spreads, rng) for _ in range(trials)]
            once = [stopped(rule, "once", spreads, rng)[0] > 0 for _ in range(trials // 5)]
            yield {
                "looks": rule,
                "spreads": f"{spreads[0]:g} to {spreads[1]:g}",
                "faster": Rate.of((found > 0 for found, _ in ends), most=0.025),
                "slower": Rate.of((found < 0 for found, _ in ends), most=0.025),
                "runs a side": f"{np.mean([n for _, n in ends]):.1f}",
                'faster, with looks="once"': f"{np.mean(once):.3f}",
            }


def _needed(trials: int, rng: np.random.Generator) -> Iterator[Row]:
    metric, cv = metric_of("iops"), 0.035
    for n in (3, 5, 7, 10):
        needed, settles = [], []
        for level, base in rng.normal(0, cv, (trials, 2, n + 100)):
            once = found_by(level[:n], base[:n])
            if settled(verdict(once, metric, band=0.05, confidence=0.95)[1]):
                continue
            needed.append(runs_still_needed(AnyLooks(**vars(once)), 0.05, now=n))
            if (more := needed[-1].if_same) is not None:
                later = AnyLooks(**vars(found_by(level[: n + more], base[: n + more])))
                settles.append(settled(verdict(later, metric, band=0.05, confidence=0.95)[1]))
        yield {
            "runs a side": n,
            "open": f"{len(needed) / trials:.2f}",
            "of these: runs_needed is above 100": Rate.of(one.as_seen is None for one in needed),
            "runs_needed_same is above 100": Rate.of(
                (one.if_same is None for one in needed), most=0.05
            ),
            "runs_needed_same, median": f"{np.median([one.if_same or 100 for one in needed]):.0f}",
            "settled after these": Rate.of(settles, least=0.8),
        }


STUDIES = [
    Study(
        "needed",
        "Runs that are still needed",
        "Equal sides with a CV of 3.5 % of which the verdict is open after so many runs. Goals: "
        "the runs that settle it if the sides are equal are named (in .95 and more), and after "
        "that many it is settled by the interval of another look in .8 and more, which few runs "
        "miss: they do not know their spread, and those that are open spread little by chance.",
        _needed,
        trials=1500,
    ),
    Study(
        "families",
        "Several comparisons in an answer",
        "Levels that are all like their baseline: how often any of them is called faster or "
        "slower (goal: .05 at most), or faster (.025). Beside it Dunnett's test, if the "
        "baseline's spread is twice the levels'.",
        _families,
        trials=1500,
    ),
    Study(
        "looks",
        "Looking again",
        'Two sides that are alike, looked at from 3 runs a side on, with `looks="any"`: when '
        f"`runs_needed` says, or after each run, until it is settled or there are {MOST} runs. "
        "Goal: .025 at most. Beside it the same with the interval for one look.",
        _looks,
        trials=10_000,
    ),
]
