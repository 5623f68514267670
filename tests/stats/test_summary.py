"""`summarize`: the center and the spread of runs, and what is odd about them."""

from __future__ import annotations

from datetime import datetime, timedelta
from statistics import mean, stdev

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from fiotools import summarize
from fiotools.errors import SchemaError
from fiotools.stats.summary import center_of, outliers

SLOW_FIRST = [30.0, 10.0, 10.1, 9.9, 10.2, 9.8, 10.0]


@pytest.fixture
def summed(make, rows):
    """Summarize runs that are one group."""

    def summary(values, metric="iops", **more):
        (row,) = rows(summarize(make(**{metric: list(values)}, **more), metric))
        return row

    return summary


def test_the_numbers_of_a_summary(tarball, rows):
    found = summarize(tarball, "real_s", by="mount")
    assert type(found) is type(tarball)
    sshfs = rows(found)[0]
    values = [15.758, 15.996, 15.586]
    ends = stats.t.interval(0.95, 2, np.log(values).mean(), stats.sem(np.log(values)))
    assert sshfs["method"] == "t of logarithms"
    assert sshfs["center"] == pytest.approx(stats.gmean(values))
    assert (sshfs["center_lo"], sshfs["center_hi"]) == pytest.approx(tuple(np.exp(ends)))
    assert sshfs["mean"] == pytest.approx(mean(values))
    assert sshfs["stddev"] == pytest.approx(stdev(values))
    assert sshfs["cov_pct"] == pytest.approx(100 * stdev(values) / mean(values))
    assert (sshfs["median"], sshfs["min"], sshfs["max"]) == (15.758, 15.586, 15.996)
    assert (sshfs["n"], sshfs["unit"], sshfs["metric"]) == (3, "s", "real_s")
    assert sshfs["told"] is None


# the center


def test_the_interval_of_an_amount_is_never_below_0(summed):
    row = summed([0.0, 1.0, 9.0])
    assert 0 < row["center_lo"] < row["center"] == row["mean"] < row["center_hi"]
    assert summed([0.0, 1.0, 9.0], "score")["center_lo"] < 0, "nobody said that it cannot be"
    row = summed([-1.0, 0.0, 1.0], "delta")
    assert (row["mean"], row["cov_pct"]) == (0.0, None)


@pytest.mark.parametrize(
    ("asked", "center"),
    [
        ({}, (1.53, 0.36, 6.62)),
        ({"method": "t"}, (1.73, 0.36, 8.40)),
        ({"method": "t", "amount": False}, (1.73, -1.0, 4.47)),
    ],
)
def test_the_center_of_three_runs_by_each_method(asked, center):
    assert center_of([1.0, 1.2, 3.0], **asked) == pytest.approx(center, abs=0.005)


def test_all_groups_have_one_kind_of_center(make, rows):
    found = rows(summarize(make(g=[*"aabb"], iops=[0.0, 2.0, 1.0, 9.0]), "iops", by="g"))
    assert [(row["center"], row["method"]) for row in found] == [(1.0, "t"), (5.0, "t")]


def test_one_run(summed):
    row = summed([5.0])
    assert (row["n"], row["mean"], row["median"]) == (1, 5.0, 5.0)
    assert [row[c] for c in ("center_lo", "median_lo", "stddev", "cov_pct")] == [None] * 4
    assert "need >= 2 runs" in row["told"]


def test_equal_runs_have_no_interval_of_their_mean(summed):
    # 2.0 GB/s six times is what a rounded figure looks like, and not a mean known exactly
    row = summed([2e9] * 6, "bw_bytes_per_s", host=[*"xxyyzz"])
    assert (row["center"], row["center_lo"], row["stddev"]) == (2e9, None, 0.0)
    assert row["told"] == "center: no spread at all, so no interval"


def test_runs_of_a_host_that_are_alike_count_once(make, summed, rows):
    """Four hosts that differ by far more than their runs do."""
    levels = [100.0, 130.0, 90.0, 115.0]
    iops = [level * share for level in levels for share in (0.99, 1.0, 1.01)]
    host = [f"h{at}" for at in range(4) for _ in range(3)]
    row, once = summed(iops, host=host), summed(levels)
    assert row["n"] == 12
    assert "each host counts once: its runs are alike" in row["told"]
    for name in ("center", "center_lo", "center_hi"):
        assert row[name] == pytest.approx(once[name], rel=1e-4)
    each = rows(summarize(make(iops=iops, host=host), "iops", by="host"))
    assert {one["flags"] for one in each} == {None}


# the spread


def test_outliers_are_shown_and_kept(summed):
    row = summed([10.0, 10.1, 9.9, 10.2, 9.8, 30.0])
    assert (row["outliers"], row["max"], row["n"]) == (1, 30.0, 6)
    assert "outliers: 30" in row["told"]


# with x the median of 8 to 12 is 10.5, and the deviations 2.5, 1.5, .5, .5, 1.5, x - 10.5
LIMIT = 10.5 + 10 * 1.4826 * 1.5


@pytest.mark.parametrize(
    ("values", "places"),
    [
        ([8.0, 9.0, 10.0, 11.0, 12.0, LIMIT + 0.1], [5]),
        ([8.0, 9.0, 10.0, 11.0, 12.0, LIMIT - 0.1], []),
        ([10.0] * 5 + [10.9], []),
        ([10.0] * 5 + [11.1], [5]),
        ([1.0, 1.0, 1.1, 0.9, 100.0], []),
    ],
)
def test_the_limit_of_outliers(values, places):
    assert outliers(values) == places


# the order of the runs


@pytest.mark.parametrize(
    ("more", "first"),
    [
        ({}, True),
        ({"metric": "iops"}, False),
        ({"values": SLOW_FIRST[::-1]}, False),
        # by the clock, if it is known
        (
            {
                "values": SLOW_FIRST[::-1],
                "started_at": [datetime(2026, 1, 1) - timedelta(minutes=i) for i in range(7)],
            },
            True,
        ),
        # as texts 9:59 comes after 10:00, and the slow one would be the last
        ({"started_at": ["9:59", *(f"10:0{minute}" for minute in range(6))]}, True),
        ({"source": [f"{name}.txt" for name in "abcdefg"], "run": 1}, False),
        # by their numbers
        ({"source": ["9.json", *(f"{at}.json" for at in range(10, 16))], "run": 1}, True),
        ({"source": "all.txt", "run": [*range(1, 8)]}, True),
    ],
    ids=["slow", "fast", "last", "clock", "texts", "words", "files", "runs"],
)
def test_a_slow_first_run(summed, more, first):
    told = summed(**({"values": SLOW_FIRST, "metric": "real_s"} | more))["told"]
    assert ("cold cache?" in told) is first


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ([100 * 0.97**i * (1 + 0.001 * (i % 2)) for i in range(8)], "values drift down by 19 %"),
        ([1.001**i for i in range(8)], None),  # significant, but too small to matter
        ([1.0, 2.0, 1.1, 2.1, 1.2], None),  # large, but within the noise
        ([1.0, 2.0], None),  # two runs tell no line from its noise
    ],
)
def test_a_drift_is_told_if_it_is_certain_and_matters(summed, values, told):
    found = summed(values, started_at=[*range(len(values))])["told"] or ""
    assert ("drift" in found) is (told is not None)
    assert (told or "") in found


def test_drift_is_linregress(summed):
    rng = np.random.default_rng(1)
    series = np.exp(0.02 * np.arange(12) + rng.normal(0, 0.01, 12))
    theirs = stats.linregress(np.arange(12), np.log(series))
    change = 100 * (np.exp(theirs.slope * 11) - 1)
    told = summed(series, started_at=[*range(12)])["told"]
    assert f"values drift up by {change:.2g} % over the series of runs" in told


# what cannot be summarized


def test_frames_that_have_no_answer_get_one_line(make):
    two = pd.DataFrame([[1.0, 2.0]], columns=["iops", "iops"])
    sizes = make(source="a", run=1, bs_bytes=[4096, 8192], iops=[1.0, 2.0])
    for frame, asked, message in (
        (sizes, {}, r"run 1 of a has 2 rows, .* name it in by= \(bs_bytes\)"),
        (make(iops=[1e300, 1.0]), {}, r"iops is 1e\+300 in row 0: too large for a measurement"),
        (make(iops=[None, None], real_s=1.0), {}, "^iops is missing in 2 of 2 rows, all of them$"),
        (make(iops=[1.0]), {"by": 5}, "5 is not a column name"),
        (make(g=[[1], [1]], iops=1.0), {"by": "g"}, "column 'g' holds lists, and one value a row"),
        (two, {}, "the frame has several columns of one name"),
    ):
        with pytest.raises(SchemaError, match=message):
            summarize(frame, "iops", **asked)
