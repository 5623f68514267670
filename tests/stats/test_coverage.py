"""The answers are right as often as they say: a short form of `benchmarks.coverage`.

The bounds are four standard errors and more from what many trials give.
"""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.coverage import centers, modes, order, series, sweeps
from benchmarks.coverage.ratios import (
    one_side_coverage,
    order_coverage,
    ratio_coverage,
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


@pytest.mark.parametrize("n", [60, 300])
@pytest.mark.parametrize("name", ["rho 0", "rho 0.8", "rho 0.95", "rho -0.6", "gamma, shape 1"])
def test_the_interval_of_the_mean_of_a_series(n, name):
    make = (series.AUTOREGRESSIVE | series.SKEWED)[name]
    held, none, _ = series.coverage(*make(n, 800, np.random.default_rng(11)))
    assert 0.93 < held.mean() < 0.998
    assert not none.any()


@pytest.mark.parametrize(("n", "none"), [(60, (0.62, 0.77)), (1000, (0.0, 0.02))])
def test_the_interval_of_the_mean_of_a_series_with_stalls(n, none):
    for slow, noise in series.STALLS.values():
        seen, held = series.stalled(n, slow, noise, 800, np.random.default_rng(5))
        assert held[seen].mean() > 0.9
        assert none[0] <= 1 - seen.mean() <= none[1]


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
    assert spread_coverage((5, 20), 4, 1000, np.random.default_rng(5)) > 0.92
    share = spread_coverage((3, 10), 1, 1000, np.random.default_rng(6))
    assert share > 0.925, "Welch's own degrees of freedom hold .933"


def test_levels_of_an_answer_share_its_error():
    rng = np.random.default_rng(7)
    found = family(20, 5, (1, 1), 300, rng)
    assert np.mean([any(ways) for ways in found]) < 0.07
    alone = family(1, 5, (1, 1), 1500, rng)
    assert 0.02 < np.mean([any(ways) for ways in alone]) < 0.07
    assert dunnett(20, 5, (2, 1), 3000, rng) > 0.15


def test_a_common_spread_sees_more_and_holds():
    for name in ("equal spread", "deviations by e^.5", "one cell x3"):
        rng = np.random.default_rng(12)
        logs = [sweeps.NOISES[name]((2, 12, 3), rng) for _ in range(300)]
        found = [sweeps.found(sweeps.asked(own)[0]["compare"]) for own in logs]
        assert np.mean([any(cells) for cells in found]) < 0.09
    seen = {"Welch": [], "compare": []}
    for _ in range(60):
        logs = sweeps.equal((2, 12, 3), rng) + np.array([sweeps.EFFECT, 0.0])[:, None, None]
        told, _ = sweeps.asked(logs)
        for method, own in seen.items():
            own += sweeps.found(told[method])
    assert np.mean(seen["Welch"]) < 0.2 < 0.5 < np.mean(seen["compare"])


@pytest.mark.parametrize(("looks", "low", "high"), [("once", 0.08, 0.2), ("any", 0, 0.035)])
def test_looking_after_each_run(looks, low, high):
    rng = np.random.default_rng(8)
    ways = [stopped("each run", looks, (1, 1), rng)[0] for _ in range(400)]
    assert low <= np.mean([way > 0 for way in ways]) < high


@pytest.mark.parametrize("n", [5, 10])
def test_a_harmful_drift_is_named(n):
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


@pytest.mark.parametrize("kind", centers.NOISE)
def test_the_interval_of_a_center_holds_and_is_above_0(kind):
    rng = np.random.default_rng(9)
    for cov, least in ((0.1, 0.92), (0.8, 0.89)):
        found = list(centers.holds(kind, cov, 5, 1000, rng))
        assert np.mean([held for held, _ in found]) > least
        assert not any(below for _, below in found)
    plain = list(centers.holds(kind, 0.8, 3, 1000, rng, method="t"))
    assert np.mean([below for _, below in plain]) > 0.5


def test_few_runs_miss_a_slow_mode_and_the_chance_is_said():
    found = list(centers.slow_runs(5, 1 / 3, 1500, np.random.default_rng(11)))
    assert np.mean([held for held, _ in found]) < 0.6
    assert abs(np.mean([not seen for _, seen in found]) - 0.9**5) < 0.05
