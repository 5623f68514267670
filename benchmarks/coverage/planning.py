"""Whether the number of runs that `plan` gives has the power asked for.

Runs are made with the spread planned for, as many as planned, and judged by the verdict of
`compare`, or by a rule of `gate`. A pilot's own spread is uncertain: the
study counts how many pilots plan at least the power asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from math import exp, log1p, sqrt

import numpy as np
import pandas as pd

import fiotools as ft
from benchmarks.coverage.noise import Array
from benchmarks.coverage.several import found_by
from benchmarks.coverage.study import Rate, Row, Study
from fiotools.stats.compare import SAME, verdict
from fiotools.stats.estimates import MOST, Power
from fiotools.stats.frames import metric_of
from fiotools.stats.gate import FAIL, PASS, Rule


def planned(cv: float, difference: float, fail_if: str | None = None) -> pd.Series:
    """Give the plan for one difference, with a power of .8."""
    return ft.plan(cv, differences=[difference], power=[0.8], fail_if=fail_if).iloc[0]


def found_share(
    cv: float,
    difference: float,
    question: str,
    trials: int,
    rng: np.random.Generator,
    fail_if: str | None = None,
) -> float:
    """Give how often the runs that were planned answer: a difference beyond the band, or the same.

    With `fail_if`, how often the gate fails, or passes.
    """
    n = int(planned(cv, difference, fail_if)[f"runs_{question}"])
    sigma, hits = log1p(cv**2) ** 0.5, 0
    for _ in range(trials):
        level, base = rng.normal(0, sigma, (2, n))
        loss = log1p(difference) * (question == "differ")
        found = found_by(level - loss, base)
        if fail_if is None:
            said, beyond = verdict(found, metric_of("iops"), band=0.05, confidence=0.95)
            hits += beyond == "yes" if question == "differ" else said == SAME
            continue
        ends = found.interval(0.95)
        assert ends is not None
        row = {"metric": "iops", "flags": None, "ratio_lo": exp(ends[0]), "ratio_hi": exp(ends[1])}
        hits += Rule.of(fail_if).judge(row) == (FAIL if question == "differ" else PASS)
    return hits / trials


def of_pilots(
    noise: Callable[[tuple[int, int]], Array], runs: int, trials: int, rng: np.random.Generator
) -> tuple[float, float]:
    """Let pilots plan for 10 %; give the share with a power of .8, and how often it is seen.

    The noise has a CV of 5 %.
    """
    sigma, edge = log1p(0.05**2) ** 0.5, log1p(0.10) - log1p(0.05)
    enough, seen, power = 0, 0, lru_cache(Power(2 * sigma**2).beyond)
    for _ in range(trials):
        sides = np.exp(5 + noise((2, runs)))
        pilot = pd.DataFrame({"side": ["a"] * runs + ["b"] * runs, "iops": sides.ravel()})
        told = ft.plan(pilot, "iops", between="side", differences=[0.1], power=[0.8]).iloc[0]
        n = MOST if pd.isna(told["runs_differ"]) else int(told["runs_differ"])
        enough += bool(power(n, edge) >= 0.8)
        level, base = noise((2, n))
        found = verdict(
            found_by(level + log1p(0.1), base), metric_of("iops"), band=0.05, confidence=0.95
        )
        seen += found[1] == "yes"
    return enough / trials, seen / trials


def _plans(trials: int, rng: np.random.Generator) -> Iterator[Row]:
    for cv in (0.03, 0.10):
        for difference in (0.10, 0.20):
            for rule in (None, "slower:5%"):
                row: dict[str, object] = {"CV": f"{cv:.0%}", "difference": f"{difference:.0%}"}
                row["for"] = rule or "the verdict"
                for question in ("differ", "same"):
                    n = planned(cv, difference, rule)[f"runs_{question}"]
                    share = found_share(cv, difference, question, trials, rng, rule)
                    # the fewest runs for a verdict, 3, may have more power than was asked for
                    row[f"runs_{question}"] = n
                    row[f"{question}: found"] = Rate(share, trials, least=0.78)
                yield row


def _pilots(trials: int, rng: np.random.Generator) -> Iterator[Row]:
    sigma = log1p(0.05**2) ** 0.5
    shapes: dict[str, Callable[[tuple[int, int]], Array]] = {
        "lognormal": lambda size: rng.normal(0, sigma, size),
        "t with 3 df": lambda size: sigma / sqrt(3) * rng.standard_t(3, size),
    }
    for name, noise in shapes.items():
        for runs in (3, 5, 10, 20):
            enough, seen = of_pilots(noise, runs, trials, rng)
            yield {
                "noise": name,
                "runs a side": runs,
                "enough": Rate(enough, trials, least=0.80),
                "seen": Rate(seen, trials, least=0.80),
            }


STUDIES = [
    Study(
        "plan",
        "Planned runs",
        "As many lognormal runs as `plan` gives for a power of .8 if their CV is known: how "
        "often the verdict is beyond the band of 5 % (or the gate fails) at that loss, and how "
        "often equal sides are found the same (or pass). Goal: .78 and more; Welch's test has a "
        "little less power than Student's.",
        _plans,
        trials=1000,
    ),
    Study(
        "pilots",
        "Plans from pilots",
        "Pilots of two sides with a CV of 5 %: how many of them plan enough runs for a difference "
        "of 10 % with a power of .8 or more, and how often that difference is then seen to be more "
        "than 5 %. Goal: .80 and more. Runs that are far off now and then are seldom in a short "
        "pilot; its plan says so.",
        _pilots,
        trials=300,
    ),
]
