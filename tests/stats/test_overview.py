"""The overview: which rows there are, what names them, and values computed by hand."""

import json

import pandas as pd
import pytest

import fiotools as ft
from fiotools.vocabulary import ANSWERS

FIO = "tests/fixtures/fio/fio-3.33--"
OWN = [*ANSWERS["overview"]]
VALUES = ["io_bytes", "runtime_s", "iops", "bw_bytes_per_s", "lat_mean_ns"]


def named(frame):
    """List the columns that name the rows."""
    return [*frame.columns[: -len(OWN)]]


@pytest.fixture(scope="module")
def volumes():
    return ft.read("data/dda-vhdx/xml/{volume}.xml")


def test_a_run_has_the_totals_of_the_tool(volumes):
    told = ft.overview(volumes)
    every = pd.concat([volumes.io, ft.totals(volumes.io)]).sort_values("volume", kind="stable")
    assert len(told) == len(every) == 9
    for name in ("volume", "direction", *VALUES):
        pd.testing.assert_series_equal(told[name], every[name].reset_index(drop=True))
    assert named(told)[:2] == ["volume", "rw"]
    assert named(told)[-1] == "direction"
    assert {"source", "run", "thread", "ioengine"}.isdisjoint(named(told))


@pytest.mark.parametrize(
    ("asked", "first"),
    [
        ({"sort": "iops", "top": 2}, ["nvme", "nvme"]),
        ({"sort": "+iops", "top": 1}, ["mirror"]),
        ({"top": 1}, ["nvme"]),
        ({"sort": "-volume", "top": 1}, ["vhdx"]),
    ],
)
def test_the_largest_stand_first(volumes, asked, first):
    for data in (volumes, volumes.io, volumes.to_polars()["io"]):
        assert list(ft.overview(data, **asked)["volume"]) == first


@pytest.mark.parametrize("label", ["place", "at", "share", "span", "first"])
def test_a_label_may_have_any_name(label):
    """`measure` calls its label place, which was a name of the computation's own."""
    res = ft.read(f"data/dda-vhdx/xml/{{{label}}}.xml")
    assert ft.overview(res)[label].unique().tolist() == ["mirror", "nvme", "vhdx"]


def test_jobs_that_ran_together_are_one_row():
    """Two clones, 500 and 501 I/Os in a second: their rates add, and means weigh by I/Os."""
    (row,) = ft.overview(ft.read(f"{FIO}clones.json")).to_dict("records")
    assert row["io_bytes"] == 8192000 + 8208384
    assert row["iops"] == pytest.approx(499.5005 + 500.4995)
    assert row["lat_mean_ns"] == pytest.approx((500 * 153779.36 + 501 * 149541.898204) / 1001)
    assert row["cpu_pct"] == pytest.approx((3.6 * 1000 + 3.5 * 1000) / 2000)
    assert row["numjobs"] == 2
    # percentiles do not add
    assert pd.isna(row["p99_ns"])
    assert pd.isna(row["latency"])
    assert row["flags"] == "no-start"


def test_jobs_that_ran_one_after_another_have_rows_of_their_own():
    told = ft.overview(ft.read(f"{FIO}stonewall.txt"))
    assert told[["job", "direction"]].to_numpy().tolist() == [
        ["fill", "write"],
        ["read", "read"],
        ["both", "read"],
        ["both", "write"],
    ]
    assert told["p99_ns"].notna().all()
    assert told["iops"].notna().all()


def test_percentiles_and_cpu_are_the_files():
    with open("data/per-io-log/mixed.json", encoding="utf-8") as file:
        jobs = json.load(file)["jobs"]
    told = ft.overview(ft.read("data/per-io-log/mixed.json"))
    for (_, row), job, side in zip(told.iterrows(), jobs, ("read", "write"), strict=True):
        assert (row["job"], row["direction"]) == (job["jobname"], side)
        curve = job[side]["clat_ns"]["percentile"]
        there = [row[name] for name in ("p50_ns", "p99_ns", "p99.9_ns")]
        assert there == [curve[name] for name in ("50.000000", "99.000000", "99.900000")]
        assert row["cpu_pct"] == pytest.approx(job["usr_cpu"] + job["sys_cpu"])
        assert row["latency"] == "clat"


def test_total_latency_comes_first():
    # fsync has percentiles of lat, and writes those of clat
    told = ft.overview(ft.read("data/how-many-runs/rounds/fsync_ext4_1.json"))
    assert dict(zip(told["direction"], told["latency"], strict=True)) == {
        "write": "clat",
        "sync": "lat",
    }
    # where nothing else is known, the mean is that of clat
    told = ft.overview(ft.read(f"{FIO}at-once.json"))
    assert told["lat_mean_ns"].isna().all()
    assert told["clat_mean_ns"].notna().all()
    assert ft.overview(ft.read(f"{FIO}clones.json"))["clat_mean_ns"].isna().all()


def test_the_processors_of_diskspd():
    res = ft.read("tests/fixtures/diskspd/diskspd-2.1--three_timespans.xml")
    average = res.cpu[res.cpu["cpu"].eq("average")].set_index("run")["usage_pct"]
    assert len(average) == 3
    told = ft.overview(res, by="run")
    assert told["cpu_pct"].tolist() == told["run"].map(average).tolist()


def test_dd_has_its_time_beside_it():
    res = ft.read("data/wsl-vhdx/{drive}_{mount}_{operation}.txt")
    told = ft.overview(res)
    assert len(told) == 12
    assert told["io_bytes"].tolist() == [20 * 2**30] * 12
    assert told["real_s"].tolist() == res.timings["real_s"].tolist()
    rates = [20 * 2**30 / seconds for seconds in told["runtime_s"]]
    assert told["bw_bytes_per_s"].tolist() == pytest.approx(rates, rel=1e-6)


def test_what_was_timed():
    told = ft.overview(ft.read("data/page-cache/{cache}.txt"))
    assert named(told) == ["cache", "command", "direction"]
    assert told["real_s"].tolist() == [0.466, 4.364]
    assert told["direction"].isna().all()
    # hyperfine printed a summary, and not the runs
    told = ft.overview(ft.read("tests/fixtures/hyperfine/hyperfine-1.15.0--session.txt"))
    summary = told[told["quantity"].eq("real_s")]
    assert summary[["n", "mean", "unit"]].to_numpy().tolist() == [
        [3, 0.0325, "s"],
        [3, 0.0273, "s"],
    ]
    assert summary["real_s"].isna().all()


def test_repeats_are_named_by_their_file_and_only_they():
    told = ft.overview(ft.read("data/how-many-runs/rounds"))
    assert named(told)[0] == "source"
    assert not told.duplicated(named(told)).any()
    labelled = ft.overview(ft.read("data/how-many-runs/rounds/{workload}_{fs}_{round:d}.json"))
    assert named(labelled)[:3] == ["workload", "fs", "round"]
    assert "source" not in labelled
    assert len(labelled) == len(told)


def test_a_run_that_gave_nothing_has_a_row():
    told = ft.overview(ft.read([f"{FIO}enospc.json", f"{FIO}libaio.json"]))
    assert told["status"].tolist()[0] == "error"
    assert told.iloc[0][VALUES].isna().all()
    assert told["status"].tolist()[1:] == ["ok"] * (len(told) - 1)
    assert told["source"].nunique() == 2


def test_logs_have_a_row_only_alone():
    log = "data/per-io-log/mixed_lat.1.log"
    (row,) = ft.overview(ft.read(log)).to_dict("records")
    samples = ft.read(log).samples
    assert (row["quantity"], row["n"], row["unit"]) == ("lat_ns", len(samples), "ns")
    assert row["mean"] == pytest.approx(samples["value"].mean())
    assert row["runtime_s"] == samples["time_s"].max()
    beside = ft.overview(ft.read([log, "data/per-io-log/mixed.json"]))
    assert beside["quantity"].isna().all()
    bins = ft.read(f"{FIO}log-coarse_clat_hist.1.log")
    told = ft.overview(bins)
    assert told["n"].iloc[-1] == bins.bins["count"].sum()


def test_a_field_of_the_path_may_be_a_condition():
    told = ft.overview(ft.read("data/how-many-runs/depth/{iodepth:d}_{round:d}.json"))
    assert list(told.columns[:2]) == ["round", "iodepth"]


def test_columns_may_be_named(volumes):
    assert named(ft.overview(volumes, by="volume")) == ["volume", "direction"]
    both = ft.overview(volumes, by=["tool", "volume"])
    assert named(both) == ["tool", "volume", "direction"]


def test_a_frame_is_as_good_as_results(volumes):
    alone = ft.overview(volumes.io).drop(columns=["status", "cpu_pct"])
    told = ft.overview(volumes).drop(columns=["status", "cpu_pct"])
    parts = told[told["direction"] != "total"].reset_index(drop=True)
    pd.testing.assert_frame_equal(alone, parts)
    bare = pd.DataFrame({"disk": ["a", "b"], "direction": "read", "iops": [1.0, 2.0]})
    assert ft.overview(bare)[["disk", "iops"]].equals(bare[["disk", "iops"]])


@pytest.mark.parametrize(
    ("change", "asked", "words"),
    [
        (lambda res: res, {"top": 0}, "top=0: give a whole number from 1"),
        (lambda res: res.percentiles, {}, "percentiles neither add"),
        (lambda res: ft.concat([res, res]), {}, "there twice"),
        (lambda res: pd.concat([res.io, res.io]), {}, "there twice"),
        (lambda res: res.io.assign(iops="many"), {}, "a metric must be a number"),
        (lambda res: res.io.assign(unit="x"), {}, "would hide the answer's own 'unit'"),
    ],
)
def test_refusals(change, asked, words):
    data = change(ft.read(f"{FIO}libaio.json"))
    with pytest.raises(ft.SchemaError, match=words):
        ft.overview(data, **asked)
