"""The same numbers as other implementations: scipy here, R where its documentation has them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from fiotools.stats.estimates import paired, welch
from fiotools.stats.percentiles import ios_needed, ranks_around
from fiotools.stats.summary import median_interval

# R's data set `sleep`, ?t.test: extra hours of ten patients after two drugs ("Student", 1908)
DRUG_1 = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
DRUG_2 = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]

# ?wilcox.test, Hollander & Wolfe (1973), 69f: permeability of the chorioamnion at and before term
TERM = (0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46)
EARLY = (1.15, 0.88, 0.90, 0.74, 1.21)


def test_welch_is_rs_t_test():
    # t = -1.8608, df = 17.776, p-value = 0.07939, -3.3654832 0.2054832
    found = welch([(DRUG_1, DRUG_2)])
    assert found.center / found.se == pytest.approx(-1.8608, abs=5e-5)
    assert found.df == pytest.approx(17.776, abs=5e-4)
    assert found.p(0.0) == pytest.approx(0.07939, abs=5e-6)
    assert found.interval(0.95)[:2] == pytest.approx((-3.3654832, 0.2054832), abs=5e-8)


def test_pairs_are_rs_paired_t_test():
    # t = -4.0621, df = 9, p-value = 0.002833, -2.4598858 -0.7001142
    found = paired(DRUG_1, DRUG_2)
    assert found.center / found.se == pytest.approx(-4.0621, abs=5e-5)
    assert found.df == 9
    assert found.p(0.0) == pytest.approx(0.002833, abs=5e-7)
    assert found.interval(0.95)[:2] == pytest.approx((-2.4598858, -0.7001142), abs=5e-8)


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
