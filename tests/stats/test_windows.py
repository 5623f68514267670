"""Windows of logs, compared with plain Python on the same rows."""

import shutil
from collections import defaultdict
from math import inf

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import fiotools as ft
from fiotools.logs import blocks
from fiotools.stats.percentiles import middle, rank
from tests.conftest import FIXTURES, ROOT

DATA = ROOT / "data" / "per-io-log"


def samples(times, values, **more):
    return pl.DataFrame(
        {"time_s": times, "value": values},
        schema={"time_s": pl.Float64, "value": pl.Float64},
    ).with_columns(**{"quantity": pl.lit("lat_ns"), "bs_bytes": 4096, **more})


def bin_of(value):
    """Find fio's bin of a latency by integers alone (stat.c, plat_val_to_idx)."""
    last = 2**34 - 2**27  # what is longer is in it, too
    if value >= last:
        return float(last), inf
    if value < 128:
        return float(value), float(value + 1)
    shift = value.bit_length() - 7
    low = value >> shift << shift
    return float(low), float(low + (1 << shift))


def ios(longest):
    """Give single I/Os: time in ms, latency in ns, direction and size."""
    one = st.tuples(
        st.integers(0, 4000),
        st.integers(1, longest),
        st.sampled_from(["read", "write"]),
        st.sampled_from([512, 4096]),
    )
    return st.lists(one, min_size=1, max_size=60)


@settings(max_examples=60)
@given(ios(10) | ios(2**35), st.sampled_from([100, 1000]))  # many in a bin, or one in each
@example([(0, 10**15, "read", 512)], 100)
@example([(100 * at, 1, "read", 512) for at in range(41)], 100)  # 0.3 / 0.1 is less than 3
@example([(0, 1, "read", 512), (3409, 1, "read", 512)], 100)  # a tenth, and not a bit less
def test_windows_of_single_ios(rows, every):
    first, last = min(row[0] for row in rows), max(row[0] for row in rows) + 1
    cells = defaultdict(list)
    for time, value, direction, size in rows:
        cells[direction, time // every].append((value, size))
    directions, columns = {row[2] for row in rows}, list(zip(*rows, strict=True))
    log = samples(
        [time / 1000 for time in columns[0]],
        columns[1],
        direction=pl.Series(columns[2]),
        bs_bytes=pl.Series(columns[3]),
    )
    found = {
        (row["direction"], round(row["time_s"] * 1000) // every - 1, row["percentile"]): row
        for row in ft.window(log, f"{every}ms", percentiles=(50, 99)).iter_rows(named=True)
    }
    places = range(first // every, (last - 1) // every + 1)
    assert set(found) == {(d, w, p) for d in directions for w in places for p in (50, 99)}
    for (direction, number, percentile), row in found.items():
        own = cells[direction, number]
        span = min((number + 1) * every, last) - max(number * every, first)
        assert row["n"] == len(own)
        assert row["span_s"] == pytest.approx(span / 1000)
        assert row["coverage_pct"] == pytest.approx(100 * span / every)
        if span * 10 >= every:
            assert row["iops"] == pytest.approx(len(own) * 1000 / span)
            moved = sum(size for _, size in own)
            assert row["bw_bytes_per_s"] == pytest.approx(moved * 1000 / span)
        else:
            assert row["iops"] is None is row["bw_bytes_per_s"]
        if not own:
            assert row["mean"] is row["value_ns"] is row["bound_lo_ns"] is None
            continue
        values = sorted(value for value, _ in own)
        assert row["mean"] == pytest.approx(sum(values) / len(values), rel=1e-12)
        low, high = bin_of(values[rank(percentile, len(values)) - 1])
        assert (row["bound_lo_ns"], row["bound_hi_ns"]) == (low, high)
        assert row["value_ns"] == middle(low, high)


def test_percentiles_of_the_whole_run_are_those_that_fio_printed():
    log = ft.scan(FIXTURES / "fio/fio-3.33--log-single_clat.1.log")
    found = ft.window(log, "1h", percentiles=[1, 50, 99, 99.9]).collect()
    printed = ft.read(FIXTURES / "fio/fio-3.33--log-single.json").percentiles
    assert len(found) == 8
    for row in found.iter_rows(named=True):
        own = printed.query(
            f"direction == '{row['direction']}' and percentile == {row['percentile']}"
        )
        assert row["value_ns"] == own["value_ns"].item()


def test_blocks_do_not_show(monkeypatch):
    def answers():
        log = ft.scan(f"{DATA}/mixed_lat.*.log", align="wall")
        told = ft.window(log, "500ms", percentiles=(50, 99.9))
        return told.collect(engine="streaming"), ft.window(log, "2s", bins=True).collect()

    whole = answers()
    monkeypatch.setattr(blocks, "SIZE", 5000)
    for one, other in zip(whole, answers(), strict=True):
        assert one.equals(other)
    assert whole[1]["count"].sum() == 4797 + 1500


def test_jobs_are_added_up_where_they_are_asked_to_be():
    log = ft.scan(f"{DATA}/mixed_lat.*.log", align="wall")
    apart = ft.window(log, "1s").collect()
    assert apart["varies_in"].null_count() == len(apart)
    assert apart.group_by("entry").agg(pl.col("n").sum()).sort("entry").rows() == [
        (1, 4797),
        (2, 1500),
    ]
    twice = pl.concat([log, log.with_columns(entry=pl.lit(9, dtype=pl.Int64))])
    both = ft.window(twice, "1s", by=[]).collect()
    assert both["n"].sum() == 2 * (4797 + 1500)
    assert set(both["varies_in"]) == {"entry"}
    assert both.columns[:2] == ["direction", "quantity"]


def test_the_order_of_logs_does_not_show():
    """Sums of the rates of many jobs have the same bytes every time."""
    rng, times = np.random.default_rng(1), [0.1 * i for i in range(1, 4000)]
    jobs = [
        samples(times, rng.lognormal(7, 1, len(times)), entry=job, quantity=pl.lit("iops"))
        for job in range(4)
    ]
    log = pl.concat(job.drop("bs_bytes") for job in jobs)
    found = [ft.window(log, "0.5s", by=[]).write_csv() for _ in range(8)]
    assert len(set(found)) == 1


def test_a_log_that_was_idle_takes_nothing_from_the_others():
    log = samples([0.1, 1.5], [1e5, 3e5], entry=pl.Series([1, 2]))
    found = ft.window(log, "1s", by=[])
    assert found["n"].to_list() == [1, 1]
    assert found["mean"].to_list() == [1e5, 3e5]
    assert found["io_bytes"].to_list() == [4096, 4096]


def test_windows_of_averaged_logs():
    rates = pl.DataFrame(
        {
            "quantity": ["iops"] * 4 + ["lat_ns"] * 2,
            # 1 ms late, as fio is
            "time_s": [0.5, 1.001, 1.501, 2.0, 0.5, 1.0],
            "value": [100.0, 200.0, 300.0, 400.0, 5e5, 6e5],
        }
    ).with_columns(bs_bytes=pl.lit(None, dtype=pl.Int64))
    found = ft.window(rates, "1s", percentiles=99)
    iops = found.filter(pl.col("quantity") == "iops")
    assert iops["time_s"].to_list() == [1, 2]
    # by the time that each stands for: 500 and 501 ms, 500 and 499
    assert iops["iops"].to_list() == pytest.approx([150.2 / 1.001, 349.6 / 0.999])
    assert iops["span_s"].to_list() == pytest.approx([1.001, 0.999])
    assert iops["n"].to_list() == [2, 2]
    latency = found.filter(pl.col("quantity") == "lat_ns")
    # over time: how many I/Os are in a row is not known, and so is no percentile
    assert latency["mean"].to_list() == pytest.approx([5.5e5])
    assert latency["value_ns"].null_count() == len(latency) == 1
    assert latency["flags"][0] == "unweighted"
    with pytest.raises(ft.SchemaError, match="averaged logs, which tell no single latency"):
        ft.window(rates.filter(pl.col("quantity") == "lat_ns"), "1s", bins=True)


def test_an_interval_is_as_long_in_windows_as_in_a_series():
    """A window of fio's that came late takes less than twice the shortest."""
    late = samples([1.0, 2.0, 3.6, 4.6], [100.0, 200.0, 300.0, 400.0], quantity=pl.lit("iops"))
    late = late.drop("bs_bytes")
    found = ft.window(late, "10s")
    assert found["span_s"].to_list() == [4.6]
    assert found["iops"].to_list() == pytest.approx(ft.steady(late)["mean"].to_list())


def test_the_short_last_window_of_an_averaged_log_is_not_a_pause():
    ends = [k / 10 for k in range(1, 24)]
    rates = pl.DataFrame({"quantity": "iops", "time_s": ends, "value": 100.0, "direction": "read"})
    io = pl.DataFrame({"direction": "read", "iops": [100.0], "runtime_s": [2.3]})
    (row,) = ft.reconcile(ft.window(rates, "1s"), io).iter_rows(named=True)
    assert (row["ratio"], row["n"], row["coverage_pct"]) == pytest.approx((1, 3, 100))


def test_windows_of_an_averaged_log_with_pauses_cover_less():
    rates = pl.DataFrame(
        {
            "quantity": "iops",
            "direction": "read",
            "time_s": [0.1, 0.2, 0.6, 1.0, 1.1, 1.6, 2.0],
            "value": 100.0,
        }
    )
    found = ft.window(rates, "1s")
    assert found["iops"].to_list() == pytest.approx([100, 100])
    assert found["coverage_pct"].to_list() == pytest.approx([40, 30])
    # seven tenths of a second of two
    io = pl.DataFrame({"direction": "read", "iops": [35.0], "runtime_s": [2.0]})
    for log in (rates, rates.lazy()):
        (row,) = ft.reconcile(log, io).iter_rows(named=True)
        assert (row["ratio"], row["verdict"]) == (pytest.approx(1), "ok")
    # where in the last window the log ended is no longer known
    (row,) = ft.reconcile(found, io).iter_rows(named=True)
    assert row["verdict"] == "undecided"


def test_windows_of_histogram_logs_hold_what_the_log_holds():
    path = ROOT / "data/how-many-runs/long/long_clat_hist.1.log"
    whole = ft.read(path).bins
    found = ft.window(ft.scan(path), "60s", percentiles=(50, 99)).collect()
    assert found["n"].sum() == 2 * whole["count"].sum()
    assert found["iops"].is_between(35_000, 45_000).all()
    # the second that ended at 60.001 s began before the 60th
    first = whole[whole["time_s"] <= 60.5]
    told = ft.percentiles(first, [50, 99])
    ours = found.filter(pl.col("time_s") == 60)
    assert ours["value_ns"].to_list() == told["value_ns"].tolist()
    assert ours["n"].unique().to_list() == [first["count"].sum()]
    bins = ft.window(ft.scan(path), "60s", bins=True).collect()
    assert bins.filter(pl.col("time_s") == 60)["count"].sum() == first["count"].sum()


def test_windows_are_drawn_and_judged_as_samples_are():
    log = ft.read(DATA / "mixed_lat.1.log").samples
    windows = ft.window(log, "1s")
    (line,) = [line for line in ft.plot.series(windows, "iops").lines if len(line.get_ydata()) > 2]
    assert {*line.get_ydata()} == {*windows["iops"].dropna()}
    assert ft.plot.heatmap(ft.window(log, "1s", bins=True)).get_ylabel() == "latency (read)"
    with pytest.raises(ft.SchemaError, match="windows have several columns: quantity= is one of"):
        ft.plot.series(windows)
    steady = ft.steady(windows, "iops")
    assert (steady["n"].item(), steady["mean"].item()) == (8, pytest.approx(599, rel=0.01))


@pytest.mark.parametrize(
    ("columns", "asked", "why"),
    [
        ({}, {"every": "soon"}, "every='soon' is not a length of time"),
        ({}, {"every": 0}, "every=0 is not a length of time"),
        ({}, {"every": "1ns"}, "take longer ones"),
        ({"time_s": pl.lit(-1.0)}, {}, "runs begin at 0"),
        ({"quantity": pl.lit("io_bytes")}, {}, r"steady\(\)"),
        ({"direction": pl.lit("randread")}, {}, "a direction is one of read, .* are: randread"),
        # a missing value is not 0
        ({"value": pl.Series([1.0, None, 2.0])}, {}, "value is missing in some rows: leave them"),
        (
            {"value": pl.Series([1.0, None, 2.0]), "quantity": pl.lit("iops"), "bs_bytes": None},
            {},
            "value is missing in some rows",
        ),
    ],
)
def test_what_cannot_be_answered_is_refused(columns, asked, why):
    log = samples([0.0, 0.5, 1.5], [1e5, 2e5, 3e5], **columns)
    for frame in (log, log.to_pandas()):
        with pytest.raises(ft.SchemaError, match=why):
            ft.window(frame, **({"every": 1} | asked))


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda log: log.drop("value"), "no column 'value'"),
        (lambda log: log.head(0), "no rows"),
        (lambda log: log.to_dict(), "a pandas or polars DataFrame is needed"),
    ],
)
def test_other_tables_than_logs_are_refused(change, why):
    with pytest.raises(ft.SchemaError, match=why):
        ft.window(change(samples([0.0], [1e5])), 1)


def test_an_empty_lazy_frame_has_an_empty_answer():
    none = ft.window(samples([0.0], [1.0]).lazy().filter(pl.col("value") > 5), "1s")
    assert none.collect().is_empty()
    assert none.collect_schema() == none.collect().schema


def test_of_results_the_table_with_the_latencies_is_taken():
    # beside a log of IOPS only the histogram log has latencies
    res = ft.read(f"{ROOT}/data/how-many-runs/long")
    assert "iops" in set(ft.window(res, "100s")["quantity"])
    percentiles = ft.window(res, "100s", percentiles=99)
    assert percentiles["n"].tolist() == [3951804, 4140189, 4020776]
    assert ft.window(res, "100s", bins=True)["count"].sum() == percentiles["n"].sum()
    # single I/Os have their own
    single = ft.read(f"{ROOT}/data/per-io-log")
    assert {*single.samples["quantity"]} >= {"lat_ns"}
    assert "lat_ns" in set(ft.window(single, "1s", percentiles=99)["quantity"])


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_labels_of_other_tables_keep_windows_apart(tmp_path, kind):
    """{device} is a column of `disks`, and {iodepth} of the samples themselves."""
    for name in ("disk_1", "mem_2"):
        shutil.copy(DATA / "mixed_lat.1.log", tmp_path / f"{name}_lat.1.log")
    both = ft.read(f"{tmp_path}/{{device}}_{{iodepth:d}}_lat.1.log", frames=kind).samples
    for bins in (True, False):
        found = ft.window(both, "1s", bins=bins)
        assert {*zip(found["device"], found["iodepth"], strict=True)} == {("disk", 1), ("mem", 2)}
        alone = ft.window(ft.read(DATA / "mixed_lat.1.log").samples, "1s", bins=bins)
        assert len(found) == 2 * len(alone)
        assert "bs_bytes" not in found.columns  # it may differ from I/O to I/O
