"""The intervals hold the truth as often as they say: a short form of `benchmarks.coverage`.

The bounds are five standard errors and more from what many trials give.
"""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.coverage import levels, means, modes, order
from benchmarks.coverage.ratios import RHOS, exact_coverage, ratio_coverage, series_coverage
from fiotools.stats.levels import best_repeats


@pytest.mark.parametrize(("runs", "cells"), [(3, 1), (10, 1), (3, 4)])
def test_the_interval_of_a_ratio(runs, cells):
    reduced, naive = ratio_coverage(runs, cells, 1000, np.random.default_rng(7))
    assert 0.92 < reduced < 0.985
    if cells > 1:
        assert naive < 0.75, "cells of one run are no repeats"


@pytest.mark.parametrize(
    ("n", "rho", "low", "naive"),
    [
        (120, 0.0, 0.92, (0.92, 0.98)),
        (120, 0.8, 0.88, (0.40, 0.58)),
        (300, 0.6, 0.91, (0.59, 0.75)),
    ],
)
def test_the_interval_of_a_series(n, rho, low, naive):
    batches, singles = series_coverage(n, rho, 1000, np.random.default_rng(11))
    assert low < batches < 0.985
    assert naive[0] < singles < naive[1]


@pytest.mark.parametrize(
    ("n", "coverage"),
    # by integration with scipy, apart from the library; the first is Student's own
    [(120, [0.95, 0.9473, 0.9416, 0.9259]), (300, [0.95, 0.9490, 0.9469, 0.9421])],
)
def test_what_six_batches_promise_of_series(n, coverage):
    assert [exact_coverage(n, rho) for rho in RHOS] == pytest.approx(coverage, abs=5e-5)


@pytest.mark.parametrize(("n", "rho"), [(120, 0.8), (300, 0.8), (100, 0.3)])
def test_what_is_calculated_is_what_happens(n, rho):
    held, _ = series_coverage(n, rho, 4000, np.random.default_rng(n))
    assert held == pytest.approx(exact_coverage(n, rho), abs=5 * np.sqrt(0.06 * 0.94 / 4000))


@pytest.mark.parametrize(("rho", "naive"), [(0.3, 0.86), (0.6, 0.68), (0.8, 0.49)])
def test_single_samples_hold_the_mean_much_more_rarely(rho, naive):
    _, singles = series_coverage(300, rho, 4000, np.random.default_rng(1))
    assert singles == pytest.approx(naive, abs=0.025)


@pytest.mark.parametrize("n", [5, 10])
def test_a_drift_is_named_and_what_is_not_does_no_harm(n):
    rng = np.random.default_rng(3)
    asked = [("fixed", order.ROUNDS), ("fixed", order.TIMES), ("in turns", order.TIMES)]
    for design, known in asked:
        holds, warned, seen = order.asked(design, n, order.DRIFT, "normal", known, 300, rng)
        wrong = [not hold and not said for hold, said in zip(holds, warned, strict=True)]
        assert np.mean(wrong) < 0.06
        assert np.mean(seen) > 0.8
        assert (np.mean(holds) < 0.85) == (design == "fixed")
        _, _, seen = order.asked(design, n, 0.0, "two modes", known, 300, rng)
        assert np.mean(seen) < 0.09


@pytest.mark.parametrize(("n", "least"), [(5, 0.1), (12, 0.6), (30, 0.9)])
def test_two_modes_are_seen_and_one_is_one(n, least):
    rng = np.random.default_rng(8)
    for cov in (0.05, 0.3):
        assert np.mean(modes.warned(n, cov, 0.0, 1.0, 400, rng)) < 0.09
    assert np.mean(modes.warned(n, 0.03, 0.2, 0.6, 400, rng)) > least


@pytest.mark.parametrize("kind", means.NOISE)
def test_the_interval_of_a_mean_holds_and_is_above_0(kind):
    rng = np.random.default_rng(9)
    for cov, least in ((0.1, 0.92), (0.8, 0.89)):
        found = list(means.holds(kind, cov, 5, 1000, rng))
        assert np.mean([held for held, _ in found]) > least
        assert not any(below for _, below in found)
    plain = list(means.holds(kind, 0.8, 3, 1000, rng, amount=False))
    assert np.mean([below for _, below in plain]) > 0.5


def test_the_spread_of_levels_is_held_and_gives_a_plan():
    rng = np.random.default_rng(10)
    spread = (1.0, 1.0, 3.0)
    found = [levels.pilot((6, 3, 5), spread, rng) for _ in range(400)]
    for at, own in enumerate(spread):
        held = [one[at].ends[0] <= own**2 <= one[at].ends[1] for one in found]
        assert 0.91 < np.mean(held) < 0.99
    plans = [best_repeats([one.variance for one in own], levels.COSTS) for own in found]
    assert np.mean([levels.waste(plan, spread) <= 1.5 for plan in plans]) > 0.87
    assert levels.waste([None, 1, 1], spread) > 1.5, "a plan can be worse"
