"""Differences, intervals and power: the numbers of R, of scipy, and of simulations."""

from __future__ import annotations

from math import log, log1p

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from fiotools.stats.estimates import AnyLooks, Power, StudentT, paired, runs_still_needed, welch
from fiotools.stats.percentiles import ios_needed, ranks_around
from fiotools.stats.summary import median_interval

relaxed = settings(max_examples=60)
# values a run can have, apart enough for a spread that is no rounding
logs = st.integers(-4000, 4000).map(lambda i: i / 1000)
samples = st.lists(logs, min_size=2, max_size=8, unique=True)

# R's data set `sleep`, ?t.test: extra hours of ten patients after two drugs ("Student", 1908)
DRUG_1 = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
DRUG_2 = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]


# the difference


@pytest.mark.parametrize(
    ("found", "t", "df", "p", "interval"),
    [
        (welch([(DRUG_1, DRUG_2)]), -1.8608, 17.776, 0.07939, (-3.3654832, 0.2054832)),
        (paired(DRUG_1, DRUG_2), -4.0621, 9, 0.002833, (-2.4598858, -0.7001142)),
    ],
    ids=["welch", "paired"],
)
def test_the_t_tests_are_rs(found, t, df, p, interval):
    assert found.center / found.se == pytest.approx(t, abs=5e-5)
    assert found.df == pytest.approx(df, abs=5e-4)
    assert found.p(0.0) == pytest.approx(p, abs=5e-6)
    assert found.interval(0.95)[:2] == pytest.approx(interval, abs=5e-8)


@relaxed
@given(samples, samples)
def test_welch_is_scipys_for_sides_of_one_size(level, baseline):
    same = min(len(level), len(baseline))
    level, baseline = level[:same], baseline[:same]
    found, theirs = welch([(level, baseline)]), stats.ttest_ind(level, baseline, equal_var=False)
    ends = theirs.confidence_interval(0.95)
    assert found.interval(0.95)[:2] == pytest.approx((ends.low, ends.high), rel=1e-9, abs=1e-12)
    assert found.p(0.0) == pytest.approx(theirs.pvalue, rel=1e-7, abs=1e-300)


@relaxed
@given(samples, samples)
def test_a_larger_side_brings_no_more_degrees_of_freedom_than_the_smaller_has(level, baseline):
    found, theirs = welch([(level, baseline)]), stats.ttest_ind(level, baseline, equal_var=False)
    most = 2 * (min(len(level), len(baseline)) - 1)
    assert found.df == pytest.approx(min(theirs.df, most), rel=1e-9)


@relaxed
@given(samples, samples, st.sampled_from([0.9, 0.95, 0.999]))
def test_the_interval_for_any_looks_is_its_test_inverted(level, baseline, confidence):
    plain = welch([(level, baseline)])
    found = AnyLooks(**vars(plain))
    ends = found.interval(confidence)
    if ends is None:
        assert found.p(found.center + 1e3 * found.se) > 1 - confidence
        return
    assert [found.p(end) for end in ends[:2]] == pytest.approx([1 - confidence] * 2, rel=1e-6)
    once = plain.interval(confidence)
    assert ends[0] < once[0] < once[1] < ends[1]


def test_the_mixture_is_that_of_a_t_distribution_over_normal_effects():
    # the likelihood ratio at the observed t, mixed over effects of variance 2 by integration
    found = AnyLooks(**vars(paired([0.31, 0.18, 0.27, 0.40, 0.22, 0.35], [0.0] * 6)))
    t, scale = found.center / found.se, np.sqrt(2)
    effects = np.linspace(-6 * scale, 6 * scale, 20_001)
    ratios = stats.nct.pdf(t, 5, effects * np.sqrt(6)) / stats.t.pdf(t, 5)
    mixed = np.trapezoid(ratios * stats.norm.pdf(effects, scale=scale), effects)
    assert found.p(0.0) == pytest.approx(1 / mixed, rel=1e-4)


# medians and percentiles


@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.99])
@pytest.mark.parametrize("n", [5, 6, 7, 9, 10, 15, 20, 21, 50, 101])
def test_the_interval_of_a_median_is_scipys(n, confidence):
    series = np.random.default_rng(n).normal(size=n).tolist()
    theirs = stats.quantile_test(series, q=0, p=0.5).confidence_interval(confidence)
    ours = median_interval(series, confidence)
    if ours == (None, None):
        assert np.isnan(theirs.low)
    else:
        assert ours == (theirs.low, theirs.high)


@pytest.mark.parametrize("percentile", [10, 90, 99])
def test_the_interval_of_a_percentile_is_scipys(percentile):
    series = np.sort(np.random.default_rng(percentile).lognormal(size=2000))
    theirs = stats.quantile_test(series, q=1, p=percentile / 100).confidence_interval(0.95)
    low, high = ranks_around(percentile, len(series))
    assert (series[low - 1], series[high - 1]) == (theirs.low, theirs.high)


@pytest.mark.parametrize("n", range(2, 25))
def test_the_whole_range_has_its_confidence_to_the_last_digit(n):
    confidence = 1 - 2 / 2**n
    assert ios_needed(50, confidence) == n
    assert median_interval(range(n), confidence) == (0, n - 1)
    assert median_interval(range(n - 1), confidence) == (None, None)


@pytest.mark.parametrize(
    ("percentile", "n"), [(50, 6), (90, 36), (99, 368), (99.9, 3688), (99.99, 36887)]
)
def test_the_fewest_ios_for_an_interval(percentile, n):
    assert ios_needed(percentile) == n
    assert ranks_around(percentile, n - 1) is None
    assert ranks_around(percentile, n)[1] == n


# power


@pytest.mark.parametrize("center", [0.0, 0.02])
def test_power_within_is_that_of_two_one_sided_tests(center):
    rng, n, sigma, edge = np.random.default_rng(5), 8, 0.03, log1p(0.05)
    level, base = rng.normal(center, sigma, (40_000, n)), rng.normal(0, sigma, (40_000, n))
    theirs = stats.ttest_ind(level, base, axis=1).confidence_interval(0.90)
    share = np.mean((theirs.low > -edge) & (theirs.high < edge))
    assert Power(2 * sigma**2).within(n, center, edge) == pytest.approx(share, abs=0.01)


@pytest.mark.parametrize("kind", [StudentT, AnyLooks])
@pytest.mark.parametrize("center", [log(1.10), log(1.03), 0.0, -log(1.10)])
def test_runs_needed_is_the_smallest_that_has_the_power(center, kind):
    variance, away, edge = 2 * 0.03**2, abs(center), log1p(0.05)
    difference = kind(center, (variance / 3) ** 0.5, 4, variance, 2, 2)
    n = runs_still_needed(difference, 0.05, now=3).as_seen + 3
    power = Power(variance, interval=kind)

    def chance(n):
        return power.beyond(n, away - edge) if away > edge else power.within(n, away, edge)

    assert chance(n) >= 0.8 > chance(n - 1)


def test_more_confidence_needs_more_runs(compared):
    iops = [10.0, 11, 10.5, 10.2, 11.4, 12.0, 11.1, 11.7]
    usual, more = (
        compared({"g": [*"aaaabbbb"], "iops": iops}, confidence=confidence)["runs_needed"]
        for confidence in (0.95, 0.99)
    )
    assert 0 < usual < more
