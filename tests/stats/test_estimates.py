from __future__ import annotations

from math import exp, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from fiotools.stats.estimates import AnyLooks, paired, welch

# a laptop under load is no failure
relaxed = settings(max_examples=60)

A = [log(x) for x in (100, 104, 98, 101, 97)]
B = [log(x) for x in (131, 127, 140, 129, 133)]

# values a run can have, apart enough for a spread that is no rounding
logs = st.integers(-4000, 4000).map(lambda i: i / 1000)
samples = st.lists(logs, min_size=2, max_size=8, unique=True)


def test_welch_has_the_digits_of_the_oracle():
    found = welch([(B, A)])
    lo, hi = found.interval(0.95)
    assert exp(found.center) == pytest.approx(1.319649, abs=5e-7)
    assert (exp(lo), exp(hi)) == pytest.approx((1.257150, 1.385254), abs=5e-7)
    assert found.df == pytest.approx(7.3148, abs=5e-5)


@relaxed
@given(samples, samples)
def test_welch_is_scipys_for_sides_of_one_size(level, baseline):
    same = min(len(level), len(baseline))
    level, baseline = level[:same], baseline[:same]
    found, theirs = welch([(level, baseline)]), stats.ttest_ind(level, baseline, equal_var=False)
    ends = theirs.confidence_interval(0.95)
    assert found.interval(0.95)[:2] == pytest.approx((ends.low, ends.high), rel=1e-9, abs=1e-12)
    assert found.df == pytest.approx(theirs.df, rel=1e-9)
    assert found.p(0.0) == pytest.approx(theirs.pvalue, rel=1e-7, abs=1e-300)


@relaxed
@given(samples, samples)
def test_a_larger_side_brings_no_more_degrees_of_freedom_than_the_smaller_has(level, baseline):
    found, theirs = welch([(level, baseline)]), stats.ttest_ind(level, baseline, equal_var=False)
    most = 2 * (min(len(level), len(baseline)) - 1)
    assert found.df == pytest.approx(min(theirs.df, most), rel=1e-9)


def test_an_error_that_is_shared_takes_fewer_degrees_of_freedom():
    found = welch([(B, A)])
    assert found.sharing().df == pytest.approx((found.df + 4) / 2)
    assert paired(B, A).sharing() == paired(B, A)


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
    # the likelihood ratio at the observed t, mixed over effects by integration
    found = paired([0.31, 0.18, 0.27, 0.40, 0.22, 0.35], [0.0] * 6)
    found = AnyLooks(**vars(found))
    t, scale = found.center / found.se, np.sqrt(AnyLooks._MIXTURE)
    effects = np.linspace(-6 * scale, 6 * scale, 20_001)
    ratios = stats.nct.pdf(t, 5, effects * np.sqrt(6)) / stats.t.pdf(t, 5)
    mixed = np.trapezoid(ratios * stats.norm.pdf(effects, scale=scale), effects)
    assert found.p(0.0) == pytest.approx(1 / mixed, rel=1e-4)


def test_pairs_are_scipys():
    found, theirs = paired(B, A), stats.ttest_rel(B, A)
    ends = theirs.confidence_interval(0.95)
    assert found.interval(0.95)[:2] == pytest.approx((ends.low, ends.high))
    assert found.p(0.0) == pytest.approx(theirs.pvalue)
    assert found.df == 4


def test_cells_weigh_the_same_with_satterthwaites_df():
    cells = [(B, A), ([1.0, 1.2, 1.1], [0.5, 0.4])]
    found = welch(cells)
    parts = [np.var(arm, ddof=1) / len(arm) / 4 for cell in cells for arm in cell]
    df = sum(parts) ** 2 / sum(
        s**2 / (len(arm) - 1)
        for s, arm in zip(parts, [arm for cell in cells for arm in cell], strict=True)
    )
    assert found.center == pytest.approx((np.mean(B) - np.mean(A) + 1.1 - 0.45) / 2)
    assert found.se == pytest.approx(sum(parts) ** 0.5)
    assert found.df == pytest.approx(df)


def test_equal_values_have_no_spread_to_judge_by():
    assert welch([([0.3, 0.3], [0.1, 0.1])]) is None
    assert paired([0.3, 0.2], [0.1, 0.0]) is None
