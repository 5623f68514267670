from __future__ import annotations

from datetime import datetime, timedelta
from math import sqrt
from statistics import mean, stdev

import numpy as np
import pytest
from scipy import stats

from fiotools import compare, summarize
from fiotools.errors import SchemaError
from fiotools.flags import sentence
from fiotools.stats.drift import Placed, blocks, drift
from fiotools.stats.summary import center_of, median_interval, outliers


@pytest.mark.parametrize(
    ("n", "lo", "hi", "coverage"),
    [(6, 1, 6, 96.9), (8, 1, 8, 99.2), (10, 2, 9, 97.9), (20, 6, 15, 95.9)],
)
def test_median_intervals(n, lo, hi, coverage):
    assert median_interval(range(1, n + 1)) == (lo, hi)
    # the coverage of [x_lo, x_hi], from the binomial
    inside = stats.binom.cdf(hi - 1, n, 0.5) - stats.binom.cdf(lo - 1, n, 0.5)
    assert round(100 * inside, 1) == coverage


@pytest.mark.parametrize("n", [1, 2, 5])
def test_a_median_of_few_has_none(n):
    assert median_interval(range(n)) == (None, None)


def test_fewer_runs_do_for_less_confidence():
    assert median_interval([1, 2, 3, 4, 5], 0.90) == (1, 5)


def test_columns_and_numbers(tarball, rows):
    found = summarize(tarball, "real_s", by="mount")
    assert list(found.columns) == [
        *("mount", "metric", "unit", "n", "center", "center_lo", "center_hi"),
        *("median", "median_lo", "median_hi", "mean", "stddev", "cov_pct", "min", "max"),
        *("outliers", "varies_in", "flags", "details", "confidence", "method"),
    ]
    assert type(found) is type(tarball)
    sshfs = rows(found)[0]
    values = [15.758, 15.996, 15.586]
    logs = np.log(values)
    half = stats.t.ppf(0.975, 2) * logs.std(ddof=1) / sqrt(3)
    assert sshfs["method"] == "t of logarithms"
    assert sshfs["center"] == pytest.approx(stats.gmean(values))
    assert sshfs["center_lo"] == pytest.approx(np.exp(logs.mean() - half))
    assert sshfs["center_hi"] == pytest.approx(np.exp(logs.mean() + half))
    assert sshfs["mean"] == pytest.approx(mean(values))
    assert sshfs["stddev"] == pytest.approx(stdev(values))
    assert sshfs["cov_pct"] == pytest.approx(100 * stdev(values) / mean(values))
    assert (sshfs["median"], sshfs["min"], sshfs["max"]) == (15.758, 15.586, 15.996)
    assert (sshfs["n"], sshfs["unit"], sshfs["metric"]) == (3, "s", "real_s")
    assert sshfs["told"] is None


def test_the_interval_of_an_amount_is_never_below_0(make, rows):
    (row,) = rows(summarize(make(iops=[0.0, 1.0, 9.0]), "iops"))
    assert 0 < row["center_lo"] < row["center"] == row["mean"] < row["center_hi"]
    (row,) = rows(summarize(make(score=[0.0, 1.0, 9.0]), "score"))
    assert row["center_lo"] < 0, "nobody said that it cannot be"


def test_all_groups_have_one_kind_of_center(make, rows):
    runs = make(g=["a", "a", "b", "b"], iops=[0.0, 2.0, 1.0, 9.0])
    found = rows(summarize(runs, "iops", by="g"))
    assert [(row["center"], row["method"]) for row in found] == [(1.0, "t"), (5.0, "t")]
    above = rows(summarize(make(iops=[1.0, 9.0]), "iops"))
    assert [(row["center"], row["method"]) for row in above] == [
        (pytest.approx(3.0), "t of logarithms")
    ]


def test_the_ratio_of_two_centers_is_that_of_compare(lima, rows):
    centers = {
        row["mount"]: row["center"] for row in rows(summarize(lima, "read_iops", by="mount"))
    }
    found = rows(compare(lima, "read_iops", between="mount", baseline="sshfs"))
    for row in found:
        assert row["ratio"] == pytest.approx(centers[row["mount"]] / centers["sshfs"])
        assert row["center"] == pytest.approx(centers[row["mount"]])


def test_one_run(make, rows):
    (row,) = rows(summarize(make(iops=[5.0]), "iops"))
    assert (row["n"], row["mean"], row["median"]) == (1, 5.0, 5.0)
    assert [row[c] for c in ("center_lo", "median_lo", "stddev", "cov_pct")] == [None] * 4
    assert "need >= 2 runs" in row["told"]


def test_spread_is_flagged_from_ten_percent_on(lima, rows):
    found = {r["mount"]: r["told"] for r in rows(summarize(lima, "read_iops", by="mount"))}
    assert "runs spread by 23 % (CoV)" in found["9p"]
    assert "CoV" not in (found["sshfs"] or "")


def test_two_populations_are_not_outliers(lima, rows):
    # article 004: the 9p reads are 5.7k and 8.9k
    assert [r["outliers"] for r in rows(summarize(lima, "read_iops", by="mount"))] == [0, 0, 0]


def test_outliers_are_shown_and_kept(make, rows):
    (row,) = rows(summarize(make(real_s=[10.0, 10.1, 9.9, 10.2, 9.8, 30.0]), "real_s"))
    assert row["outliers"] == 1
    assert row["max"] == 30.0
    assert row["n"] == 6
    assert "outliers: 30" in row["told"]


def test_the_outlier_threshold():
    base = [8.0, 9.0, 10.0, 11.0, 12.0]
    # with the sixth value the median is 10.5 and the deviations 2.5, 1.5, .5, .5, 1.5, x - 10.5
    limit = 10.5 + 10 * 1.4826 * 1.5
    assert outliers([*base, limit + 0.1]) == [5]
    assert outliers([*base, limit - 0.1]) == []


def test_outliers_need_six_runs():
    assert outliers([1.0, 1.0, 1.1, 0.9, 100.0]) == []


def test_equal_values_and_one_off():
    assert outliers([10.0] * 5 + [10.9]) == []
    assert outliers([10.0] * 5 + [11.1]) == [5]


def test_a_slow_first_run(make, rows):
    series = [30.0, 10.0, 10.1, 9.9, 10.2, 9.8, 10.0]
    (slow,) = rows(summarize(make(real_s=series), "real_s"))
    assert "slow first run: cold cache?" in slow["told"]
    (fast,) = rows(summarize(make(iops=series), "iops"))
    assert "slow first run" not in fast["told"]
    (later,) = rows(summarize(make(real_s=series[::-1]), "real_s"))
    assert "slow first run" not in later["told"]


def test_the_order_is_that_of_the_clock_if_known(make, rows):
    start = datetime(2026, 1, 1)
    series = [10.0, 10.1, 9.9, 10.2, 9.8, 10.0, 30.0]
    times = [start - timedelta(minutes=i) for i in range(7)]
    (row,) = rows(summarize(make(real_s=series, started_at=times), "real_s"))
    assert "slow first run" in row["told"]


def test_the_order_of_files_is_that_of_their_numbers(make, rows):
    series = [30.0, 10.0, 10.1, 9.9, 10.2, 9.8, 10.0]
    files = make(real_s=series, source=[f"{i}.txt" for i in range(7)], run=1)
    said = rows(summarize(files, "real_s"))[0]["told"]
    assert "slow first run in the order of the file names: cold cache?" in said
    words = make(real_s=series, source=[f"{name}.txt" for name in "abcdefg"], run=1)
    assert "slow first run" not in rows(summarize(words, "real_s"))[0]["told"]
    one = make(real_s=series, source="all.txt", run=list(range(1, 8)))
    assert "slow first run" in rows(summarize(one, "real_s"))[0]["told"]


def placed(series):
    """Give runs one after the other."""
    return Placed(np.arange(len(series)), np.log(series))


def test_drift_is_linregress():
    rng = np.random.default_rng(1)
    series = np.exp(0.02 * np.arange(12) + rng.normal(0, 0.01, 12))
    theirs = stats.linregress(np.arange(12), np.log(series))
    change = np.exp(theirs.slope * 11) - 1
    assert theirs.pvalue < 0.05
    found = drift([placed(series)])
    assert (found.code, found.values["change"]) == ("drift", pytest.approx(change))


def test_drift_down_and_none():
    found = drift([placed([100 * 0.97**i * (1 + 0.001 * (i % 2)) for i in range(8)])])
    assert sentence(found) == "values drift down by 19 % over the series of runs"
    # significant, but too small to matter
    assert drift([placed([1.001**i for i in range(8)])]) is None
    # large, but within the noise
    assert drift([placed([1.0, 2.0, 1.1, 2.1, 1.2])]) is None
    # two runs tell no line from its noise
    assert drift([placed([1.0, 2.0])]) is None


def test_blocks_need_two_runs_a_side():
    assert not blocks([[1], [2, 3]])


def test_zeros_and_negatives_have_a_summary(make, rows):
    (row,) = rows(summarize(make(delta=[-1.0, 0.0, 1.0]), "delta"))
    assert row["mean"] == 0.0
    assert row["cov_pct"] is None


def test_percentiles_of_runs_are_numbers_like_any_other(make, rows):
    frame = make(
        source=["a", "b", "c"], run=1, percentile=99.0, direction="read", value_ns=[1e3, 2e3, 3e3]
    )
    (row,) = rows(summarize(frame, "value_ns", by="percentile"))
    assert (row["n"], row["median"], row["unit"]) == (3, 2e3, "ns")


def test_several_rows_of_a_run_are_refused(make):
    frame = make(source="a", run=1, bs_bytes=[4096, 8192], iops=[1.0, 2.0])
    with pytest.raises(SchemaError, match=r"run 1 of a has 2 rows, .* name it in by= \(bs_bytes\)"):
        summarize(frame, "iops")


def test_what_varies_has_a_column(make, rows):
    frame = make(g=["a", "a", "b", "b"], bs_bytes=[4096, 8192, 4096, 4096], iops=[1.0, 2.0, 3.0, 4])
    first, second = rows(summarize(frame, "iops", by="g"))
    assert (first["varies_in"], second["varies_in"]) == ("bs_bytes", None)
    assert "bs_bytes" not in first["told"], "said once, in its own column"


def test_a_swept_condition_is_not_a_drift(make, rows):
    swept = {"iops": [100.0, 99.0, 101.0, 2.0, 2.1, 1.9], "started_at": list(range(6))}
    (row,) = rows(summarize(make(**swept, bs_bytes=[4096] * 3 + [1048576] * 3), "iops"))
    assert "drift" not in row["told"]
    assert row["varies_in"] == "bs_bytes"
    (row,) = rows(summarize(make(**swept, bs_bytes=4096), "iops"))
    assert "values drift down by" in row["told"]


def test_the_interval_of_an_amount_is_above_zero():
    runs = [1.0, 1.2, 3.0]
    assert center_of(runs) == pytest.approx((1.53, 0.36, 6.62), abs=0.005)
    assert center_of(runs, method="t") == pytest.approx((1.73, 0.36, 8.40), abs=0.005)
    plain = center_of(runs, method="t", amount=False)
    assert plain == pytest.approx((1.73, -1.0, 4.47), abs=0.005)


def test_runs_of_a_host_that_are_alike_count_once(make, rows):
    """Four hosts that differ by far more than their runs do."""
    levels = [100.0, 130.0, 90.0, 115.0]
    frame = make(
        host=[f"h{at}" for at in range(4) for _ in range(3)],
        iops=[level * share for level in levels for share in (0.99, 1.0, 1.01)],
    )
    (row,) = rows(summarize(frame, "iops"))
    (once,) = rows(summarize(make(iops=levels), "iops"))
    assert row["n"] == 12
    assert "each host counts once: its runs are alike" in row["told"]
    for name in ("center", "center_lo", "center_hi"):
        assert row[name] == pytest.approx(once[name], rel=1e-4)
    each = rows(summarize(frame, "iops", by="host"))
    assert all(one["flags"] is None for one in each)
