from __future__ import annotations

from math import log, log1p

import numpy as np
import pytest
from scipy import stats

from fiotools.stats.estimates import AnyLooks, Power, StudentT, runs_still_needed

EDGE = log1p(0.05)


def _difference(center, variance, kind=StudentT):
    return kind(center, (variance / 3) ** 0.5, 4, variance, 2, 2)


@pytest.mark.parametrize("n", [3, 5, 20])
def test_power_beyond_is_the_noncentral_t(n):
    power, df = Power(2 * 0.03**2), 2 * n - 2
    ncp = 0.06 / (2 * 0.03**2 / n) ** 0.5
    assert power.beyond(n, 0.06) == pytest.approx(
        stats.nct.sf(stats.t.ppf(0.975, df), df, ncp), abs=2e-4
    )


@pytest.mark.parametrize("center", [0.0, 0.02])
def test_power_within_is_that_of_two_one_sided_tests(center):
    rng, n, sigma = np.random.default_rng(5), 8, 0.03
    level, base = rng.normal(center, sigma, (40_000, n)), rng.normal(0, sigma, (40_000, n))
    theirs = stats.ttest_ind(level, base, axis=1).confidence_interval(0.90)
    share = np.mean((theirs.low > -EDGE) & (theirs.high < EDGE))
    assert Power(2 * sigma**2).within(n, center, EDGE) == pytest.approx(share, abs=0.01)


@pytest.mark.parametrize("kind", [StudentT, AnyLooks])
@pytest.mark.parametrize("center", [log(1.10), log(1.03), 0.0, -log(1.10)])
def test_runs_needed_is_the_smallest_that_has_the_power(center, kind):
    variance = 2 * 0.03**2
    n = runs_still_needed(_difference(center, variance, kind), 0.05, now=3).as_seen + 3
    power, away = Power(variance, interval=kind), abs(center)

    def chance(n):
        return power.beyond(n, away - EDGE) if away > EDGE else power.within(n, away, EDGE)

    assert chance(n) >= 0.8 > chance(n - 1)


def test_runs_needed_gives_up_at_the_edge_of_the_band():
    assert runs_still_needed(_difference(log(1.0501), 0.01), 0.05, now=3).as_seen is None


def test_one_more_run_at_least_while_undecided():
    assert runs_still_needed(_difference(1.0, 1e-6), 0.05, now=50).as_seen == 1
