from __future__ import annotations

import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import fiotools as ft
from fiotools import reconcile
from fiotools.errors import SchemaError
from tests.conftest import FIXTURES, ROOT

FIO = FIXTURES / "fio"
GROUPS = FIO / "fio-3.33--log-groups"


@pytest.fixture
def summary(make):
    def build(iops, runtime_s, **more):
        columns = {"source": "a.json", "run": 1, "entry": 1, "direction": "read"}
        return make(**(columns | {"iops": iops, "runtime_s": runtime_s} | more))

    return build


@pytest.fixture
def held(log, summary, rows):
    """Hold a log of these samples against a summary of these I/Os per second and seconds."""

    def hold(values, iops, seconds, **more):
        (row,) = rows(reconcile(log(values, **more), summary(iops, seconds)))
        return row

    return hold


def test_a_log_of_ten_seconds_lacks_the_last(log, summary, rows):
    found = reconcile(log([1000.0] * 8 + [1011.7]), summary(1000.0, 10.0))
    (row,) = rows(found)
    assert (row["n"], row["span_s"], row["coverage_pct"]) == (9, 9.0, 90.0)
    assert row["log_rate"] == pytest.approx(1001.3)
    assert (row["summary_rate"], row["ratio"]) == (1000.0, pytest.approx(1.0013))
    assert (row["words"], row["tolerance_pct"], row["told"]) == ("ok", 1.0, None)
    assert list(found.columns)[:2] == ["direction", "quantity"]


@pytest.mark.parametrize(
    ("iops", "begin", "end"),
    [
        # the last second would have been at 10 * 980 - 9 * 1000
        (980.0, "cannot tell: log 2 % above", "been at 800 1/s, as none of its samples is"),
        (985.0, "cannot tell: log 1.5 % above", "been at 850 1/s, as its samples are too"),
        (900.0, "cannot tell: log 11 % above", "been at 0 1/s, as none of its samples is"),
        (1100.0, "cannot tell: log 9.1 % below", "been at 2000 1/s, as none of its samples is"),
        (1200.0, "disagrees: log 17 % below", "been at 3000 1/s, as none of its samples is"),
        (500.0, "disagrees: log 100 % above", "run without a log can explain"),
        (0.0, "no iops in the summary", ""),
    ],
)
def test_the_rate_that_the_rest_needs_is_said(held, iops, begin, end):
    words = held([850.0, 1150.0] + [1000.0] * 7, iops, 10.0)["words"]
    assert words.startswith(begin)
    assert words.endswith(end)


HALVES = [0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0]
IDLE = "above the summary, unless it was idle in parts of the time between its samples"
LATE = "log 20 % below the summary, unless the samples after its gaps were late"
TEN = [float(second) for second in range(1, 11)]


@pytest.mark.parametrize(
    ("rate", "times", "iops", "seconds", "begin", "end"),
    [
        (1024.0, TEN, 1000.0, 10.0, "disagrees: log 2.4 % above", ", over the whole run"),
        # at the edge of the tolerance
        (989.9, TEN, 1000.0, 10.0, "disagrees", ""),
        (990.0, TEN, 1000.0, 10.0, "ok", ""),
        (1010.0, TEN, 1000.0, 10.0, "ok", ""),
        (1010.05, TEN, 1000.0, 10.0, "disagrees", ""),
        (0.0, TEN, 100.0, 10.0, "disagrees: log 100 % below the summary", ""),
        # windows of 0.1 s every half second, of which nothing but the first tells
        (10.0, [0.1, *HALVES], 2.25, 4.0, "cannot tell", IDLE),
        # the first came late, too
        (10.0, [0.125, *HALVES], 2.0, 4.0, "cannot tell", ""),
        # a gap, and then a sample that came late
        (100.0, [1.0, 2.0, 4.0, 5.0], 100.0, 5.0, "cannot tell", LATE),
        # the part of a window with which a log may end is no measure of the others
        (100.0, [1.0, 2.0, 3.0, 3.1], 100.0, 3.1, "ok", ""),
        # in the time of day it counts from its first sample
        (100.0, [0.0, 0.5, 1.0, 1.5], 100.0, 2.3, "ok", ""),
    ],
)  # fmt: skip
def test_a_log_is_doubted_where_nothing_explains_it(held, rate, times, iops, seconds, begin, end):
    words = held([rate] * len(times), iops, seconds, time_s=times)["words"]
    assert words.startswith(begin)
    assert words.endswith(end)


def test_a_direction_that_did_nothing_has_no_row_of_io(log, summary, rows):
    (row,) = rows(reconcile(log([0.0] * 3), summary(1000.0, 3.0, direction="write")))
    assert (row["words"], row["ratio"]) == ("nothing was done", None)


@pytest.mark.parametrize(
    ("n", "seconds", "coverage", "told"),
    [
        (2, 10.0, 20, "the log covers only 20 % of the run"),
        (12, 10.0, 120, "the log is longer than the run: 12 s"),
        (2, None, None, "no runtime_s: the coverage of the log is unknown"),
    ],
)
def test_the_coverage_of_a_log_is_told(held, n, seconds, coverage, told):
    row = held([1000.0] * n, 1000.0, seconds)
    assert (row["words"], row["coverage_pct"], row["told"]) == ("ok", coverage, told)


def test_logs_of_several_jobs_add_up_to_their_group(log, summary, rows):
    jobs = log(
        [100.0, 200.0] * 2,
        source=["a_iops.1.log"] * 2 + ["a_iops.2.log"] * 2,
        entry=[1, 1, 2, 2],
        time_s=[1.0, 2.0] * 2,
    )
    (row,) = rows(reconcile(jobs, summary(300.0, 2.0, clones=2)))
    assert (row["log_rate"], row["words"], row["n"]) == (300.0, "ok", 4)
    assert row["told"] is None
    # each its own row of io
    io = summary([150.0, 75.0], 2.0, entry=[1, 2])
    assert [(r["entry"], r["ratio"]) for r in rows(reconcile(jobs, io))] == [(1, 1.0), (2, 2.0)]


def test_labels_say_which_log_is_of_which_run(log, summary, rows):
    logs = log([1.0, 2.0], time_s=1.0, source=["x.log", "y.log"], mount=["x", "y"])
    sources = ["x.json", "y.json"]
    io = summary([1.0, 2.0], 1.0, source=sources, mount=["x", "y"])
    assert [(r["mount"], r["words"]) for r in rows(reconcile(logs, io))] == [
        *(("x", "ok"), ("y", "ok"))
    ]
    other = summary([1.0, 2.0], 1.0, source=sources, mount=["x", "z"])
    assert rows(reconcile(logs, other, by="mount"))[1]["words"] == "no row of io to compare with"


def test_a_log_of_fio_against_its_json(rows):
    io = ft.read(FIO / "fio-3.33--log-windows.json").io
    samples = ft.read(FIO / "fio-3.33--log-windows_iops.1.log").samples
    found = {r["direction"]: r for r in rows(reconcile(samples, io))}
    read = found["read"]
    # 1004, 1000, 1000, 1004 and three times 1000, of 2 s
    assert read["log_rate"] == pytest.approx(7008 / 7)
    assert read["coverage_pct"] == pytest.approx(87.5, abs=0.1)
    assert (read["words"], found["write"]["words"]) == ("ok", "ok")
    bandwidth = ft.read(FIO / "fio-3.33--log-windows_bw.1.log").samples
    assert [r["words"] for r in rows(reconcile(bandwidth, io))] == ["ok", "ok"]


def test_reports_of_one_run_end_where_its_summary_does(rows):
    res = ft.read(FIO / "fio-3.33--status-interval.json")
    for row in rows(reconcile(res.samples, res.io)):
        assert row["ratio"] == pytest.approx(1, rel=1e-6)
        assert row["coverage_pct"] == pytest.approx(100)


def test_each_thread_of_diskspd_has_its_own_row(rows):
    res = ft.read(FIXTURES / "diskspd/diskspd-2.2--seq64k_t4_D_only.xml")
    runs, found = rows(reconcile(res)), rows(reconcile(res.thread_samples, res.threads))
    assert (len(runs), len(found)) == (2, 8)
    assert {r["words"] for r in (*runs, *found)} == {"ok"}
    assert [r["direction"] for r in runs] == ["read", "write"]
    assert (found[-1]["source"], found[-1]["entry"]) == (res.io["source"][0], 4)


@settings(max_examples=60)
@given(
    st.lists(
        st.tuples(st.integers(0, 5_000), st.sampled_from([512, 4096, 65_536])),
        min_size=1,
        max_size=80,
    ),
    st.integers(0, 3_000),
    st.sampled_from([0.001, 0.1, 1.0]),
)
@example([(999, 512)], 2_999, 1.0)  # alone, at the end of its window, in a long run
@example([(0, 512), (950, 512), (1_000, 512)], 0, 1.0)  # the last window is a millisecond
def test_a_log_that_holds_the_ios_of_its_summary_agrees_with_it(ios, after, every):
    times, sizes = zip(*sorted(ios), strict=True)
    runtime = (times[-1] + 1 + after) / 1000
    log = pl.DataFrame({"time_s": [time / 1000 for time in times], "bs_bytes": sizes})
    log = log.with_columns(pl.lit("read").alias("direction"))
    latencies = log.with_columns(quantity=pl.lit("lat_ns"), value=pl.lit(1e5))
    counts = log.with_columns(quantity=pl.lit("count"), value=pl.lit(1.0))
    rates = {"iops": len(ios) / runtime, "bw_bytes_per_s": int(sum(sizes) / runtime)}
    io = pl.DataFrame(
        {
            "direction": "read",
            **{name: [float(rate)] for name, rate in rates.items()},
            "total_ios": len(ios),
            "io_bytes": sum(sizes),
            "runtime_s": runtime,
        }
    )
    for samples in (latencies.lazy(), ft.window(latencies, every), counts):
        for row in reconcile(samples, io).iter_rows(named=True):
            assert row["ratio"] == pytest.approx(1, rel=1e-9)
            assert (row["verdict"], row["coverage_pct"], row["flags"]) == ("ok", 100, None)
    # without the amounts, the rates are as exact as they were printed
    for row in reconcile(latencies.lazy(), io.drop("total_ios", "io_bytes")).iter_rows(named=True):
        assert row["ratio"] == pytest.approx(1, rel=1e-9 + 1 / max(rates[row["metric"]], 1e-300))


def test_a_log_that_lacks_ios_is_told(log, summary, rows):
    counts = log([1.0] * 3, quantity="count", time_s=[0.5, 1.0, 1.5], bs_bytes=512)
    (row,) = rows(reconcile(counts, summary(2.0, 2.0, total_ios=4)))
    assert row["words"] == "disagrees: log 25 % below the summary, over the whole run"
    assert row["told"] == "the log has 3 I/Os, the summary 4"


@pytest.mark.parametrize("name", ["slow", "stopped"])
def test_honest_logs_of_single_ios(rows, name):
    # two I/Os a second, of which the last is at 3.5 of 4 s; a job that stood still at the end
    path = FIO / f"fio-3.33--log-{name}"
    io = ft.read(f"{path}.json").io
    found = rows(reconcile(ft.scan(f"{path}_lat.1.log"), io))
    assert [(row["ratio"], row["words"], row["told"]) for row in found] == [(1, "ok", None)] * 2


def test_an_averaged_log_with_pauses(rows):
    path = FIO / "fio-3.33--log-think"
    (row,) = rows(reconcile(ft.read(f"{path}_iops.1.log").samples, ft.read(f"{path}.json").io))
    # fifty I/Os at once, then a pause: eight windows of 28 have I/Os, and fio drops the last
    assert row["log_rate"] * row["span_s"] == pytest.approx(349.5, abs=1)
    assert row["words"].startswith(
        "cannot tell: log 15 % above the summary; the 13 % of the run without a log would have been"
    )
    # a millisecond of 0.1 s, and 1 I/O per second of the mean
    assert row["tolerance_pct"] == pytest.approx(1 + 100 / row["log_rate"])


MIXED = {"time_s": 1.0, "source": ["x.log", "y.log"]}


@pytest.mark.parametrize(
    ("samples", "io", "asked", "message"),
    [
        ({"quantity": "lat_ns"}, {}, {}, "no samples of a rate over time: there are: lat_ns"),
        ({}, {}, {"quantity": "lat_ns"}, "'lat_ns' is none; there are: iops"),
        ({"quantity": "bw_bytes_per_s", "bs_bytes": 4096}, {}, {}, "there are: bw_bytes_per_s"),
        ({}, {"source": ["b.json", "c.json"]}, {}, "several rows of io for read, 1: name the"),
        (MIXED, {}, {}, "several logs of iops of one entry"),
    ],
)
def test_bad_questions_get_one_line(log, summary, samples, io, asked, message):
    with pytest.raises(SchemaError, match=message):
        reconcile(log([1.0, 1.0], **samples), summary(1.0, 1.0, **io), **asked)


def test_a_histogram_log_that_counts_from_its_first_report(rows):
    # in the time of day: the first report is at 0, and nobody knows how long it is of
    data = ROOT / "data/per-io-log"
    samples = ft.read(f"{data}/mixed_clat_hist.*.log").samples
    found = rows(reconcile(samples, ft.read(f"{data}/mixed.json").io))
    assert [row["words"] for row in found] == ["ok", "ok"]
    assert found[0]["told"].startswith("the first sample ends where the times begin: left out")


@pytest.mark.parametrize("by", [None, "entry"])
def test_a_group_of_three_is_three(by):
    results = ft.read([f"{GROUPS}.json", f"{GROUPS}_iops.*.log"])
    found = reconcile(results, by=by)
    assert found["entry"].tolist() == [1, 2]
    assert found["n"].tolist() == [15, 10]
    assert found["verdict"].tolist() == ["undecided", "undecided"]
    assert found["ratio"].between(0.97, 1.04).all()


def test_a_group_is_not_judged_by_some_of_its_logs():
    logs = [f"{GROUPS}_iops.{job}.log" for job in (1, 4, 5)]
    found = reconcile(ft.read([f"{GROUPS}.json", *logs]), by="entry")
    assert found["verdict"].tolist() == ["no summary", "undecided"]
    assert found["flags"][0].endswith("of-group")
