"""Questions of physics, asked of every DISKSPD fixture, XML and text."""

from functools import cache
from pathlib import Path

import pandas as pd
import pytest

import fiotools as ft

FOLDER = Path(__file__).parents[1] / "fixtures" / "diskspd"
NO_RESULT = ("err_nofile", "interrupted", "profile_only")
FIXTURES = [
    path
    for path in sorted(FOLDER.glob("diskspd-*"))
    if not path.stem.endswith(NO_RESULT) and path.suffix in (".xml", ".txt")
]
read = cache(ft.read)
every = pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.name)


def test_there_are_fixtures():
    assert len(FIXTURES) > 20
    assert sum(path.suffix == ".xml" for path in FIXTURES) > 8


@every
def test_rates_are_amounts_over_time(path):
    io = read(path).io
    assert len(io)
    # XML and text have the time to two decimals
    slack = 0.0051 / io["runtime_s"] + 0.01 / io["iops"]
    assert ((io["iops"] * io["runtime_s"] / io["total_ios"] - 1).abs() <= slack).all()
    assert ((io["bw_bytes_per_s"] * io["runtime_s"] / io["io_bytes"] - 1).abs() <= slack).all()


@every
def test_bytes_are_blocks(path):
    io = read(path).io
    assert io["bs_bytes"].notna().all()
    assert (io["io_bytes"] == io["total_ios"] * io["bs_bytes"]).all()
    assert (io["bw_bytes_per_s"] / (io["iops"] * io["bs_bytes"]) - 1).abs().max() < 1e-9


@every
def test_threads_make_the_total_and_reads_and_writes_as_well(path):
    io = read(path).io
    amounts = ["io_bytes", "total_ios"]
    threads = io.query("scope == 'thread'").groupby(["run", "direction"])[amounts].sum()
    totals = io.query("scope == 'total'").groupby(["run", "direction"])[amounts].sum()
    pd.testing.assert_frame_equal(threads, totals)
    both = io.query("direction != 'total'").groupby(["run", "entry"])[amounts].sum()
    whole = io.query("direction == 'total'").groupby(["run", "entry"])[amounts].sum()
    pd.testing.assert_frame_equal(both, whole)


@every
def test_latencies_are_in_order(path):
    res = read(path)
    charts = res.percentiles.sort_values("percentile", kind="stable")
    for key, chart in charts.groupby(["run", "entry", "direction"]):
        values = chart.set_index("percentile")["value_ns"]
        assert values.is_monotonic_increasing, key
        assert values.index.is_unique
        assert {0.0, 100.0} <= set(values.index)
        rows = res.io.set_index(["run", "entry", "direction"]).sort_index()
        if key in rows.index:  # the text has charts of targets, of which there is no row
            row = rows.loc[key]
            assert (row["lat_min_ns"], row["lat_max_ns"]) == (values[0.0], values[100.0])
            assert row["lat_min_ns"] <= row["lat_mean_ns"] <= row["lat_max_ns"]
            assert row["lat_stddev_ns"] <= row["lat_max_ns"] - row["lat_min_ns"]


@every
def test_no_more_waits_than_was_asked_for(path):
    io = read(path).io.query("direction == 'total'")
    known = io.dropna(subset=["iodepth", "numjobs", "lat_mean_ns"])
    # a thread has its own I/Os outstanding, the run those of all threads
    threads = known["numjobs"].where(known["scope"] == "total", 1)
    waiting = known["iops"] * known["lat_mean_ns"] * 1e-9
    assert (waiting <= threads * known["iodepth"] * 1.02).all()


@every
def test_processors_are_busy_with_user_and_kernel(path):
    cpu = read(path).cpu.dropna(subset=["usage_pct"])
    assert len(cpu)
    assert (cpu["user_pct"] + cpu["kernel_pct"] - cpu["usage_pct"]).abs().max() <= 0.02
    # on Linux it may wait for the disk as well
    assert (cpu["usage_pct"] + cpu["idle_pct"]).max() <= 100.02


@every
def test_samples_make_the_rate(path):
    res = read(path)
    iops = res.samples.query("quantity == 'iops'")
    keys = ["run", "entry", "direction"]
    for key, rows in iops.groupby(keys):
        steps = rows["time_s"].diff().dropna()
        assert (steps - steps.median()).abs().max() < 1e-9 or steps.empty
        found = res.io.set_index(keys)["total_ios"].get(key, 0)
        step = rows["time_s"].iloc[0]
        # the last I/Os come after the last sample; each rate was rounded
        assert rows["value"].sum() * step == pytest.approx(found, rel=0.03, abs=len(rows) + 2)
    asked = res.settings.query("option == 'CalculateIopsStdDev'")["text"].eq("true").any()
    assert len(iops) > 0 if asked else iops.empty
