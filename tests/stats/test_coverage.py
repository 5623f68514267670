"""The answers are right as often as they say: a short form of `benchmarks.coverage`.

The bounds are four standard errors and more from what many trials give.
"""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.coverage import one_side, several, two_sides
from benchmarks.coverage import series as samples


@pytest.mark.parametrize(
    ("shape", "sizes"),
    [
        ("lognormal", (3, 3)),
        ("one spreads twice as far", (3, 3)),
        ("one spreads twice as far", (10, 10)),
        ("gamma, CV 30 %", (5, 5)),
        ("t with 3 df", (5, 5)),
        ("two modes on both sides", (5, 5)),
        ("one spreads four times as far", (5, 20)),
        ("lognormal", (3, 10)),  # Welch's own degrees of freedom hold .933
    ],
)
def test_the_interval_of_a_ratio(shape, sizes):
    held = two_sides.ratios(shape, *sizes, 1000, np.random.default_rng(7))
    assert 0.92 < np.mean(held) < 0.995


def test_cells_of_one_run_do_not_repeat_it():
    held, as_runs = two_sides.cells(3, 1000, np.random.default_rng(7))
    assert np.mean(as_runs) < 0.75 < 0.92 < np.mean(held)


def test_few_runs_miss_a_mode_of_one_side():
    held = two_sides.ratios("two modes on one side", 3, 3, 1000, np.random.default_rng(3))
    assert np.mean(held) < 0.7


def orders(design, n, drift, noise, trials):
    rng = np.random.default_rng(3)
    found = [*two_sides.ordered(design, n, drift, noise, trials, rng)]
    return {name: np.array([one[name] for one in found]) for name in found[0]}


def test_turns_hold_against_drift_and_blocks_do_not():
    turns, blocks = (
        orders(design, 10, two_sides.DRIFT, "normal", 100) for design in ("in turns", "blocks")
    )
    assert blocks["held"].mean() < 0.1 < 0.9 < turns["held"].mean()


@pytest.mark.parametrize("n", [5, 10])
def test_a_harmful_drift_is_named(n):
    for design in ("fixed", "fixed, by rounds", "in turns"):
        found = orders(design, n, two_sides.DRIFT, "normal", 100)
        assert np.mean(~found["held"] & ~found["told"]) < 0.08
        assert found["drift"].mean() > 0.75
        assert (found["held"].mean() < 0.87) == (design != "in turns")
        assert orders(design, n, 0.0, "two modes", 100)["drift"].mean() < 0.12


@pytest.mark.parametrize("n", [60, 300])
@pytest.mark.parametrize("name", ["rho 0", "rho 0.8", "rho 0.95", "rho -0.6", "gamma, shape 1"])
def test_the_interval_of_the_mean_of_a_series(n, name):
    held = samples.coverage(*samples.MADE[name](n, 800, np.random.default_rng(11)))
    assert 0.93 < held.mean() < 0.998


@pytest.mark.parametrize(("n", "none"), [(60, (0.62, 0.77)), (1000, (0.0, 0.02))])
def test_the_interval_of_the_mean_of_a_series_with_stalls(n, none):
    for slow, noise in samples.STALLS.values():
        seen, held = samples.stalled(n, slow, noise, 800, np.random.default_rng(5))
        assert held[seen].mean() > 0.9
        assert none[0] <= 1 - seen.mean() <= none[1]


def test_levels_of_an_answer_share_its_error():
    rng = np.random.default_rng(7)
    wrong = {
        levels: np.mean(
            [
                not {"faster", "slower"}.isdisjoint(found)
                for found in several.family(levels, 5, (1, 1), trials, rng)
            ]
        )
        for levels, trials in ((20, 100), (1, 400))
    }
    assert wrong[20] < 0.08
    assert 0.005 < wrong[1] < 0.09


def test_a_common_spread_sees_more_and_holds():
    rng = np.random.default_rng(12)
    for name in ("alike", "deviations by e^.5", "one cell x3"):
        wrong = [any(several.swept(several.NOISES[name]((2, 12, 3), rng))) for _ in range(100)]
        assert np.mean(wrong) < 0.12
    moved = np.array([several.EFFECT, 0.0])[:, None, None]
    differ = [several.NOISES["alike"]((2, 12, 3), rng) + moved for _ in range(40)]
    own, found = (np.mean([*map(ask, differ)]) for ask in (several.by_own_spread, several.swept))
    assert own < 0.2 < 0.5 < found


@pytest.mark.parametrize(("looks", "low", "high"), [("once", 0.08, 0.2), ("any", 0, 0.035)])
def test_looking_after_each_run(looks, low, high):
    rng = np.random.default_rng(8)
    told = [several.stopped("each run", looks, (1, 1), rng)[0] for _ in range(400)]
    assert low <= np.mean([one == "faster" for one in told]) < high


@pytest.mark.parametrize(("n", "least"), [(5, 0.1), (12, 0.6), (30, 0.9)])
def test_two_modes_are_seen_and_one_is_one(n, least):
    rng = np.random.default_rng(8)
    for cov in (0.05, 0.3):
        assert np.mean(one_side.warned(n, cov, 0.0, 1.0, 400, rng)) < 0.09
    assert np.mean(one_side.warned(n, 0.03, 0.2, 0.6, 400, rng)) > least


@pytest.mark.parametrize("kind", one_side.NOISE)
def test_the_interval_of_a_center_holds_and_is_above_0(kind):
    rng = np.random.default_rng(9)
    for cov, least in ((0.1, 0.92), (0.8, 0.89)):
        made = one_side.noise(kind, cov, (1000, 5), rng)
        assert np.mean(one_side.holds(made, one_side.geometric_mean(kind, cov))) > least
        assert one_side.summarized(made)["center_lo"].min() > 0


def test_few_runs_miss_a_slow_mode_and_the_chance_is_said():
    made, is_any_slow = one_side.slow_runs(5, 1500, np.random.default_rng(11))
    assert np.mean(one_side.holds(made, one_side.slow_mean())) < 0.6
    assert abs(1 - np.mean(is_any_slow) - 0.9**5) < 0.05
