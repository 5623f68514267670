"""How often a gate fails builds that are alike, and passes builds that are slower.

Builds of lognormal runs are compared by `compare`'s own functions, and held to a rule of `gate`.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import exp, log1p

import numpy as np

from benchmarks.coverage.several import found_by
from benchmarks.coverage.study import Rate, Row, Study
from fiotools.stats.gate import FAIL, PASS, Rule

MARGIN, LARGE = 0.05, 0.15  # losses
FAILS, SHOWN = Rule.of("slower:5%"), Rule.of("shown-not-slower:5%")


def rows(
    loss: float, cv: float, n: int, trials: int, rng: np.random.Generator
) -> Iterator[dict[str, object]]:
    """Compare a build that is slower by the loss with the one before."""
    sigma = log1p(cv**2) ** 0.5
    for new, old in rng.normal(0, sigma, (trials, 2, n)):
        ends = found_by(new - log1p(loss), old).interval(0.95)
        assert ends is not None
        row = dict(zip(("ratio_lo", "ratio_hi"), map(exp, ends), strict=True))
        yield row | {"metric": "iops", "flags": None, "n": n, "n_baseline": n}


def outcomes(
    rule: Rule, loss: float, cv: float, n: int, trials: int, rng: np.random.Generator
) -> list[str]:
    """Hold builds to a rule."""
    return [rule.judge(row) for row in rows(loss, cv, n, trials, rng)]


def detected(cv: float, n: int, trials: int, rng: np.random.Generator) -> tuple[float, float]:
    """Give the median loss that equal builds are said to show, and how often it is seen."""
    told = [FAILS.detectable(row) for row in rows(0.0, cv, n, trials, rng)]
    middle = float(np.median([one for one in told if one is not None]))
    loss = 1 / (1 - middle) - 1  # as the band has it
    seen = outcomes(FAILS, loss, cv, n, trials, rng)
    return middle, float(np.mean([one == FAIL for one in seen]))


def _gates(trials: int, rng: np.random.Generator) -> Iterator[Row]:
    for cv in (0.03, 0.10):
        for n in (3, 5, 10):
            row: dict[str, object] = {"CV": f"{cv:.0%}", "runs a side": n}
            fails = {
                loss: [one == FAIL for one in outcomes(FAILS, loss, cv, n, trials, rng)]
                for loss in (0.0, MARGIN, LARGE)
            }
            passes = {
                loss: [one == PASS for one in outcomes(SHOWN, loss, cv, n, trials, rng)]
                for loss in (0.0, MARGIN)
            }
            row["equal fails"] = Rate.of(fails[0.0], most=0.025)
            row["-5 % fails"] = Rate.of(fails[MARGIN], most=0.025)
            row["-15 % fails"] = Rate.of(fails[LARGE])
            middle, seen = detected(cv, n, trials, rng)
            row["detectable"] = f"{middle:.0%}"
            row["that fails"] = Rate(seen, trials, least=0.75)
            row["shown: -5 % passes"] = Rate.of(passes[MARGIN], most=0.025)
            row["shown: equal passes"] = Rate.of(passes[0.0])
            yield row


STUDIES = [
    Study(
        "gate",
        "The gate",
        "Builds that are alike, or slower by 5 % or 15 %, held to `slower:5%`, which fails if a "
        "loss of more than 5 % is shown, and to `shown-not-slower:5%`, which passes if it is shown "
        "that it is less. Goals: at most .025 false failures, and at most .025 passes at the "
        "margin. `detectable` is the loss of which the gate says that these runs show it four "
        "times in five (its median), with the share of such builds that fail; goal .75 and more.",
        _gates,
        trials=1000,
    )
]
