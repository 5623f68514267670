"""Worked numbers, calculated without the library, which no other test has.

The others stand with what they are about: the ratio of five runs a side in `test_compare` and
`test_estimates`, medians in `test_summary`, article 002 in `test_combine` and `test_threads`, I/Os
for a percentile in `test_histograms`, windows in `test_steady`, a log in `test_reconcile`.
"""

from __future__ import annotations

from itertools import product
from math import log, sqrt
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import fiotools as ft
from fiotools import combine
from fiotools.stats.compare import verdict
from fiotools.stats.drift import blocks
from fiotools.stats.estimates import StudentT, welch
from fiotools.stats.frames import metric_of
from fiotools.stats.steady import BATCHES, ENOUGH, batch_interval, window_of
from fiotools.stats.summary import outliers

ROOT = Path(__file__).parents[2]
FIXTURES = ROOT / "tests/fixtures/fio"
A, B = (100, 104, 98, 101, 97), (131, 127, 140, 129, 133)


# the ratio


def _narrow(low, high):
    """Make a difference whose 90 % interval of the ratio is this, of very many runs."""
    center, half = (log(high) + log(low)) / 2, (log(high) - log(low)) / 2
    return StudentT(center, half / stats.norm.ppf(0.95), 1e9, 1.0, 2, 1)


@pytest.mark.parametrize(
    ("low", "high", "found"),
    [
        (0.9525, 1.0499, ("same", "no")),
        (0.9523, 1.0499, ("undecided", "undecided")),
        (0.9525, 1.0501, ("undecided", "undecided")),
    ],
)
def test_the_band_is_from_9524_to_105(low, high, found):
    assert verdict(_narrow(low, high), metric_of("iops"), band=0.05, confidence=0.95) == found


def test_drift_makes_a_difference_of_blocks_and_none_of_turns():
    # 2 % a run, noise of 3 %: AAAAABBBBB differ .93 of the time, ABABABABAB hardly ever
    rng = np.random.default_rng(12)
    series = 0.02 * np.arange(10) + rng.normal(0, 0.03, (2000, 10))
    for arms, share in (
        ((slice(5), slice(5, 10)), pytest.approx(0.93, abs=0.02)),
        ((slice(0, 10, 2), slice(1, 10, 2)), pytest.approx(0.0, abs=0.01)),
    ):
        found = [welch([(list(one[arms[0]]), list(one[arms[1]]))]) for one in series]
        excluded = [not low <= 0 <= high for low, high in (d.interval(0.95) for d in found)]
        assert np.mean(excluded) == share
        assert blocks([range(10)[arm] for arm in arms]) is (arms[0] == slice(5))


def test_three_runs_make_one_in_nine_an_outlier_and_so_need_six():
    rng = np.random.default_rng(4)
    runs = np.sort(rng.normal(size=(20_000, 3)), axis=1)
    gaps = np.diff(runs, axis=1)  # the smaller one is the median deviation, the larger one is held
    assert np.mean(gaps.max(axis=1) > 14.826 * gaps.min(axis=1)) == pytest.approx(0.11, abs=0.01)
    assert not any(outliers(list(run)) for run in runs[:100])


# threads


def test_iops_stddev_of_the_vhdx_neither_adds_nor_pools():
    res = ft.read(ROOT / "data/dda-vhdx/text/vhdx.txt")
    texts = res.extras.set_index("path")["text"]
    spread = [float(text) for text in texts["thread.total.iops_stddev"]]
    assert sum(spread) == pytest.approx(3252.8, abs=0.06)
    assert sqrt(sum(s**2 for s in spread)) == pytest.approx(2321.7, abs=0.05)
    assert float(texts["total.iops_stddev"]) == pytest.approx(2473.5, abs=0.05)
    row = combine(ft.totals(res.threads), to="run").iloc[0]
    assert np.isnan(row["iops_stddev"])
    assert row["total_ios"] == int(texts["total.total_ios"])


def test_a_printed_number_is_held_against_rounding_intervals():
    # article 002, NVMe: .105 and .090 pool to .0978, printed is .097, and both are right
    def pooled(*spread):
        threads = {"total_ios": [9642152, 9640483], "lat_mean_ns": 0.397, "lat_stddev_ns": spread}
        whole = combine(pd.DataFrame({"run": 1, "direction": "total", **threads}), to="run")
        return whole["lat_stddev_ns"].item()

    found = [pooled(0.105 + a, 0.090 + b) for a, b in product((-0.0005, 0.0005), repeat=2)]
    assert pooled(0.105, 0.090) == pytest.approx(0.0978, abs=5e-5)
    assert min(found) < 0.0975
    assert max(found) > 0.0965


# series


def test_a_mean_is_of_fifteen_batches_their_autocorrelation_and_their_skewness():
    assert (BATCHES, ENOUGH) == (15, 60)
    means = np.array([9.0, 10, 11, 12, 10, 9, 9, 10, 8, 9, 10, 14, 12, 11, 10])
    rest = means - means.mean()
    # Marriott and Pope: the coefficient of n means is too small by (1 + 4 rho) / n
    biased = float(rest[1:] @ rest[:-1] / (rest @ rest))
    rho = (biased + 1 / 15) / (1 - 4 / 15)
    rho += 0.75 * sqrt((1 - rho**2) / 15)
    assert 0.7 < rho < 0.9
    # the variance of the mean by the matrix of all correlations, and what it takes away from s^2
    inflation = float(np.mean(rho ** np.abs(np.subtract.outer(range(15), range(15))))) * 15
    told = 15 / inflation
    error = sqrt(np.var(means) / (1 - 1 / told) / told)
    beta = stats.skew(means) / (6 * sqrt(told))
    ends = [
        means.mean() - error * (np.cbrt(1 + 6 * beta * (t - beta)) - 1) / (2 * beta)
        for t in stats.t.ppf([0.975, 0.025], told - 1)
    ]
    assert batch_interval(np.repeat(means, 4)) == pytest.approx(ends)
    # most of what is far from the mean is above it
    assert ends[1] - means.mean() > means.mean() - ends[0]


def test_a_rule_of_fio_has_fios_own_numbers():
    # what fio printed of these seconds: criterion 0.024981 %, the farthest from the mean
    samples = ft.read(FIXTURES / "fio-3.33--steadystate.txt").samples
    values = samples.query("quantity == 'iops'")["value"].to_numpy()
    found = window_of(values, np.ones(len(values)))
    assert found.deviation_pct == pytest.approx(0.024981, abs=5e-7)


def test_a_slope_is_that_of_fio():
    # fio 3.33, bw_slope over three seconds: slope 5712148.5, criterion 14.373461 %
    found = window_of(np.array([34185216.0, 39428096.0, 45609513.0]), np.ones(3))
    # fio divides by a mean cut to a whole number
    assert found.drift_pct == pytest.approx(14.373461, abs=1e-6)
    assert found.drift_pct / 100 * found.window_mean == pytest.approx(5712148.5)
