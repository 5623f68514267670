"""The answers are right as often as they say: a short form of `benchmarks.coverage`.

The bounds are five standard errors and more from what many trials give.
"""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.coverage.ratios import (
    RHOS,
    exact_coverage,
    one_side_coverage,
    order_coverage,
    ratio_coverage,
    series_coverage,
    shape_coverage,
    spread_coverage,
)
from benchmarks.coverage.verdicts import dunnett, family, stopped


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


@pytest.mark.parametrize("shape", ["lognormal", "gamma, CV 30 %", "t3", "two modes on both sides"])
def test_the_interval_of_a_ratio_whatever_the_shape(shape):
    assert 0.92 < shape_coverage(shape, 5, 1000, np.random.default_rng(2)) < 0.995


def test_few_runs_miss_a_mode_of_one_side():
    assert one_side_coverage(3, 1000, np.random.default_rng(3)) < 0.7


def test_turns_hold_against_drift_and_blocks_do_not():
    turns, blocks = (
        order_coverage("drift of 2 % a run", 10, 500, np.random.default_rng(4), blocks=blocks)
        for blocks in (False, True)
    )
    assert blocks < 0.1 < 0.93 < turns


def test_unequal_sides():
    student, ranked = spread_coverage((5, 20), 4, 1000, np.random.default_rng(5))
    assert ranked < 0.9 < 0.92 < student
    student, _ = spread_coverage((3, 10), 1, 1000, np.random.default_rng(6))
    assert student > 0.925, "Welch's own degrees of freedom hold .933"


def test_levels_of_an_answer_share_its_error():
    rng = np.random.default_rng(7)
    found = family(20, 5, (1, 1), 300, rng)
    assert np.mean([any(ways) for ways in found]) < 0.07
    alone = family(1, 5, (1, 1), 1500, rng)
    assert 0.02 < np.mean([any(ways) for ways in alone]) < 0.07
    assert dunnett(20, 5, (2, 1), 3000, rng) > 0.15


@pytest.mark.parametrize(("looks", "low", "high"), [("once", 0.08, 0.2), ("any", 0, 0.035)])
def test_looking_after_each_run(looks, low, high):
    rng = np.random.default_rng(8)
    ways = [stopped("each run", looks, (1, 1), rng)[0] for _ in range(400)]
    assert low <= np.mean([way > 0 for way in ways]) < high
