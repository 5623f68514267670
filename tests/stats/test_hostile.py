"""Frames made by mistake: each gets its answer or one clear line."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest

from fiotools import (
    best_under,
    combine,
    compare,
    fairness,
    per_thread,
    reconcile,
    steady,
    summarize,
)
from fiotools.errors import SchemaError
from fiotools.stats.estimates import StudentT, runs_still_needed
from fiotools.stats.frames import metric_of
from fiotools.stats.percentiles import merge_bins, percentiles

START = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def jobs(make):
    """Two jobs of one run."""

    def build(**more):
        columns = {"source": "a", "run": 1, "entry": [1, 2], "direction": "read", "clones": 1}
        figures = {"total_ios": [10, 20], "iops": [1.0, 2.0], "lat_mean_ns": [5.0, 6.0]}
        return make(**(columns | figures | {"lat_stddev_ns": [1.0, 1.0]} | more))

    return build


BAD = {
    "text": (["many", "more"], "column '{}' is .*: a metric must be a number"),
    "negative": ([-1, 2], "{} is -1 in row 0: it cannot be below 0, or so large"),
    "infinite": ([1.0, float("inf")], "{} is inf in row 1: it cannot be below 0, or so large"),
    "huge": ([1.0, 1e300], r"{} is 1e\+300 in row 1: it cannot be below 0, or so large"),
    "flag": ([True, False], "column '{}' is .*: a metric must be a number"),
}


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("name", ["total_ios", "iops", "lat_mean_ns", "lat_stddev_ns"])
def test_impossible_numbers_are_refused(jobs, bad, name):
    column, message = BAD[bad]
    frame = jobs(**{name: column})
    for function in (lambda: combine(frame, to="run"), lambda: fairness(frame)):
        with pytest.raises(SchemaError, match=message.format(name)) as error:
            function()
        assert "\n" not in str(error.value)


def test_half_an_io_is_refused(jobs):
    with pytest.raises(SchemaError, match=r"column 'total_ios' holds 12.25, which is not Int64"):
        combine(jobs(total_ios=[1.5, 10.75]), to="run")


def test_sums_stay_whole_and_end_where_integers_do(jobs, rows):
    most = 2**62 - 1
    (row,) = rows(combine(jobs(total_ios=[most, 2]), to="run"))
    assert row["total_ios"] == most + 2
    with pytest.raises(SchemaError, match=r"column 'total_ios' holds .*, which is not Int64"):
        combine(jobs(total_ios=[most, most + 3]), to="run")


def test_a_column_without_values_may_have_any_type(jobs, rows):
    (row,) = rows(combine(jobs(lat_stddev_ns=[None, None]), to="run"))
    assert (row["lat_stddev_ns"], row["lat_mean_ns"]) == (None, pytest.approx(17 / 3))
    assert rows(fairness(jobs(total_ios=[None, None])))[0]["k"] == 2


def test_exact_decimals_are_numbers():
    frame = pl.DataFrame(
        {
            "run": 1,
            "direction": "read",
            "iops": [Decimal("1.5"), Decimal("2.5")],
            "total_ios": [Decimal(15), Decimal(25)],
        },
        schema_overrides={"iops": pl.Decimal(10, 2), "total_ios": pl.Decimal(10, 0)},
    )
    (row,) = combine(frame, to="run").to_dicts()
    assert (row["iops"], row["total_ios"]) == (4.0, 40)


def test_counts_with_gaps_are_floats_in_pandas_and_whole_nevertheless(make, rows):
    io = make(run=[1, 1, 2], direction="read", total_ios=[10.0, 20.0, None], iops=[1.0, 2.0, 3.0])
    found = combine(io, to="run")
    assert [r["total_ios"] for r in rows(found)] == [30, None]


def test_values_so_large_that_their_squares_are_infinite(make):
    with pytest.raises(SchemaError, match=r"iops is 1e\+300 in row 0: too large for a measurement"):
        summarize(make(iops=[1e300, 1.0]), "iops")


@pytest.mark.parametrize("function", [per_thread, fairness])
def test_threads_of_unknown_runs_are_refused(jobs, function):
    frame = jobs(run=[1, None])
    with pytest.raises(SchemaError, match="run is missing in 1 of 2 rows: which run are they of"):
        function(frame)
    with pytest.raises(SchemaError, match="run is missing in 1 of 2 rows"):
        combine(frame, to="run")


def test_threads_may_have_names(make, rows):
    io = make(run=1, thread=["main", "helper"], direction="read", iops=[10.0, 30.0])
    assert rows(fairness(io))[0]["stragglers"] == "thread main"


def test_a_start_is_a_time(jobs, rows):
    one = jobs(job_start=[START, START + timedelta(milliseconds=1)], runtime_s=10.0)
    assert rows(combine(one, to="run"))[0]["iops"] == 3.0
    with pytest.raises(SchemaError, match="column 'job_start' is Int64: it must be a time"):
        combine(jobs(job_start=[5, 6], runtime_s=10.0), to="run")


def test_a_part_without_ios_takes_nothing_away(jobs, rows):
    # (0 - 1) s^2 would
    parts = jobs(total_ios=[0, 11], lat_mean_ns=5.0, lat_stddev_ns=[3.0, 2.0])
    (row,) = rows(combine(parts, to="run"))
    assert row["lat_stddev_ns"] == pytest.approx(2.0)


def test_times_that_are_texts_have_no_order(make, rows):
    # as texts 9:59 comes after 10:00, and the slow one would be the last
    series = [30.0, 10.0, 10.1, 9.9, 10.2, 9.8, 10.0]
    clock = ["9:59", *(f"10:0{minute}" for minute in range(6))]
    (row,) = rows(summarize(make(real_s=series, started_at=clock), "real_s"))
    assert "slow first run" in row["told"]


def test_rounds_are_runs(make, rows):
    threads = {"source": "a", "direction": "write", "thread": [0, 1, 2, 3, 4]}
    with pytest.raises(SchemaError, match=r"run 1 of a has 5 rows, .*threads and jobs are not rep"):
        steady(make(run=1, iops=[1.0] * 5, **threads), "iops")
    # phases of one run of fio come one after the other
    phases = make(source="a", run=1, group=[0, 1, 2, 3, 4], direction="write", iops=[1.0] * 5)
    assert rows(steady(phases, "iops"))[0]["words"] == "window met"


def test_the_length_of_a_sample_at_time_0_is_unknown(make, rows):
    (row,) = rows(steady(make(quantity="lat_ns", time_s=[0.0], value=[7.0])))
    assert (row["mean"], row["interval_s"]) == (7.0, None)
    assert "the only sample is at time 0" in row["told"]


def test_rounds_keep_the_warnings_of_their_samples(make, rows):
    log = make(quantity="iops", time_s=[1.0, 2.0, 3.0, 4.0, 4.0], value=[1.0, 2.0, 3.0, 4.0, 5.0])
    (row,) = rows(steady(log, round_s=2))
    assert "the last sample ends with the one before: left out" in row["told"]


def test_times_are_numbers(make):
    log = make(quantity="iops", time_s=["1", "2"], value=[1.0, 2.0])
    with pytest.raises(SchemaError, match="column 'time_s' is String"):
        steady(log)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"round_s": "1"}, "round_s is '1'"),
        ({"confidence": "0.95"}, "confidence is '0.95'"),
    ],
    ids=["round", "confidence"],
)
def test_texts_are_not_numbers(make, arguments, message):
    with pytest.raises(SchemaError, match=message):
        steady(make(quantity="iops", time_s=[1.0, 2.0], value=[1.0, 2.0]), **arguments)


def test_numbers_of_numpy_are_numbers(make, rows):
    log = make(quantity="iops", time_s=[1.0, 2.0], value=[1.0, 2.0])
    assert rows(steady(log, round_s=np.int64(1), confidence=np.float32(0.9)))[0]["n"] == 2
    io = make(iops=[1.0], lat_mean_ns=[5.0])
    assert rows(best_under(io, "lat_mean_ns", np.int64(6)))[0]["iops"] == 1.0


def test_a_summary_without_a_runtime_is_not_a_text(make, rows):
    log = make(direction="read", quantity="iops", time_s=[1.0], value=[10.0])
    io = make(direction="read", iops=[10.0], runtime_s=[None])
    (row,) = rows(reconcile(log, io))
    assert (row["words"], row["coverage_pct"]) == ("ok", None)


def test_bins_of_more_ios_than_there_can_be(make):
    bins = make(latency="lat", bin_lo_ns=[1.0, 2.0], bin_hi_ns=[2.0, 3.0], count=[2**62, 1])
    with pytest.raises(SchemaError, match=r"the bins hold 4.61e\+18 I/Os"):
        percentiles(bins)


def test_no_latency_is_below_zero(make):
    with pytest.raises(
        SchemaError, match="the bin of row 0 begins at -1: latencies are not below 0"
    ):
        merge_bins(make(latency="lat", bin_lo_ns=[-1.0], bin_hi_ns=[2.0], count=[1]))


def test_equal_runs_have_no_interval_of_their_mean(make, rows):
    # 2.0 GB/s six times is what a rounded figure looks like, and not a mean known exactly
    (row,) = rows(summarize(make(bw_bytes_per_s=[2e9] * 6), "bw_bytes_per_s"))
    assert (row["center"], row["center_lo"], row["stddev"]) == (2e9, None, 0.0)
    assert row["told"] == "center: no spread at all, so no interval"


def test_lists_make_no_groups(make):
    frame = make(g=[[1], [1]], iops=[1.0, 2.0])
    with pytest.raises(SchemaError, match="column 'g' holds lists, and one value a row is needed"):
        summarize(frame, "iops", by="g")
    io = make(run=[[1], [2]], direction="read", iops=[1.0, 2.0])
    with pytest.raises(SchemaError, match="column 'run' holds lists"):
        fairness(io)


def test_names_of_columns_are_names_and_one_each(make):
    with pytest.raises(SchemaError, match="5 is not a column name"):
        summarize(make(iops=[1.0]), "iops", by=5)
    twice = pd.DataFrame([[1.0, 2.0]], columns=["iops", "iops"])
    with pytest.raises(SchemaError, match="the frame has several columns of one name"):
        summarize(twice, "iops")


@pytest.mark.parametrize(
    ("name", "unit", "better"),
    [
        ("read_iops_stddev", "1/s", "lower"),
        ("bw_read_stddev_bytes_per_s", "B/s", "lower"),
        ("iops_share_pct", "%", None),
    ],
)
def test_a_name_without_a_unit_has_no_better_way(name, unit, better):
    found = metric_of(name)
    assert (found.unit, found.better) == (unit, better)


def test_a_column_that_would_hide_the_baseline(make):
    frame = make(baseline=["a", "b"], g=["a", "b"], iops=[1.0, 2.0])
    for arguments in ({"between": "baseline"}, {"between": "g", "by": "baseline"}):
        with pytest.raises(SchemaError, match="'baseline' would hide the answer's own"):
            compare(frame, "iops", baseline="a", **arguments)


def test_more_confidence_needs_more_runs(make, rows):
    difference = StudentT(0.2, 0.05, 4, 0.05, 2, 2)
    need = [
        runs_still_needed(difference, 0.05, now=3, confidence=confidence)
        for confidence in (0.90, 0.95, 0.99)
    ]
    assert need == sorted(set(need))
    assert need[1] == runs_still_needed(difference, 0.05, now=3)
    frame = make(g=["a"] * 4 + ["b"] * 4, iops=[10.0, 11, 10.5, 10.2, 11.4, 12.0, 11.1, 11.7])
    asked = [
        rows(compare(frame, "iops", between="g", baseline="a", confidence=c))[0]["runs_needed"]
        for c in (0.95, 0.99)
    ]
    assert 0 < asked[0] < asked[1]


def test_unused_categories_and_time_zones_stay_as_they_are(rows):
    zone = pd.DatetimeTZDtype("ns", "Europe/Berlin")
    frame = pd.DataFrame(
        {
            "mount": pd.Categorical(["x", "y", "x", "y"], categories=["never", "y", "x"]),
            "day": pd.Series(pd.to_datetime(["2026-03-29 00:30Z"] * 4)).astype(zone),
            "iops": [1.0, 2.0, 1.5, 2.5],
        }
    )
    found = summarize(frame, "iops", by=["mount", "day"])
    assert [(r["mount"], r["n"]) for r in rows(found)] == [("x", 2), ("y", 2)]
    assert found.dtypes["mount"] == frame.dtypes["mount"]
    assert found.dtypes["day"] == frame.dtypes["day"]
    enum = pl.Enum(["never", "y", "x"])
    other = pl.DataFrame(
        {"mount": ["x", "y"], "iops": [1.0, 2.0]}, schema_overrides={"mount": enum}
    )
    answer = compare(other, "iops", between="mount", baseline="x")
    assert (answer.schema["mount"], answer["mount"].to_list()) == (enum, ["y"])
