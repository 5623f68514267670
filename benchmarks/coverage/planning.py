"""Whether the number of runs that `plan` gives has the power asked for.

Runs are made with the spread planned for, as many as planned, and judged by `welch` and its
intervals. A pilot's own spread is uncertain: the study counts how many pilots of 3, 5 and
10 runs a side plan at least the power asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from math import log1p

import numpy as np
import pandas as pd

import fiotools as ft
from benchmarks.coverage.study import Rate, Row, Study
from fiotools.stats.estimates import Power, welch


def planned(cv: float, difference: float) -> pd.Series:
    """Give the plan for one difference, with a power of .8."""
    return ft.plan(cv, differences=[difference], power=[0.8]).iloc[0]


def found_share(
    cv: float, difference: float, question: str, trials: int, rng: np.random.Generator
) -> float:
    """Give how often the runs that were planned answer the question: a difference, or the same."""
    n = int(planned(cv, difference)[f"runs_{question}"])
    sigma, edge = log1p(cv**2) ** 0.5, log1p(difference)
    hits = 0
    for _ in range(trials):
        level, base = rng.normal(0, sigma, (2, n))
        found = welch([((level + edge * (question == "differ")).tolist(), base.tolist())])
        assert found is not None
        ends = found.interval(0.95 if question == "differ" else 0.90)
        assert ends is not None
        hits += ends[0] > 0 if question == "differ" else -edge < ends[0] and ends[1] < edge
    return hits / trials


def pilots_with_power(runs: int, trials: int, rng: np.random.Generator) -> float:
    """Give the share of pilots, of a CV of 5 %, that plan a power of .8 for a difference of 5 %."""
    sigma, edge, enough = log1p(0.05**2) ** 0.5, log1p(0.05), 0
    power = lru_cache(Power(2 * sigma**2).beyond)
    for _ in range(trials):
        pilot = pd.DataFrame(
            {"side": ["a", "b"] * runs, "iops": np.exp(rng.normal(5, sigma, 2 * runs))}
        )
        told = ft.plan(pilot, "iops", between="side", differences=[0.05], power=[0.8]).iloc[0]
        enough += bool(power(int(told["runs_differ"]), edge) >= 0.8)
    return enough / trials


def _plans(trials: int, rng: np.random.Generator) -> Iterator[Row]:
    for cv in (0.02, 0.05, 0.10):
        for difference in (0.02, 0.05, 0.10):
            row: dict[str, object] = {"CV": f"{cv:.0%}", "difference": f"{difference:.0%}"}
            for question in ("differ", "same"):
                n = planned(cv, difference)[f"runs_{question}"]
                share = found_share(cv, difference, question, trials, rng)
                # the fewest runs for a verdict, 3, may have more power than was asked for
                row[f"runs_{question}"] = n
                row[f"{question}: found"] = Rate(share, trials, least=0.78)
            yield row


def _pilots(trials: int, rng: np.random.Generator) -> Iterator[Row]:
    for runs in (3, 5, 10):
        share = pilots_with_power(runs, trials, rng)
        yield {"runs a side": runs, "enough": Rate(share, trials, least=0.80)}


STUDIES = [
    Study(
        "plan",
        "Planned runs",
        "As many lognormal runs as `plan` gives for a power of .8 if their CV is known: how "
        "often the difference is found, and how often two equal sides are found the same within "
        "it. Goal: .78 and more; Welch's test has a little less power than Student's.",
        _plans,
        trials=4000,
    ),
    Study(
        "pilots",
        "Plans from pilots",
        "Pilots of two sides with a CV of 5 %: how many of them plan enough runs for a difference "
        "of 5 % with a power of .8 or more. Goal: .80 and more.",
        _pilots,
        trials=800,
    ),
]
