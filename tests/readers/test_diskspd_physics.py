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


@pytest.mark.parametrize("table", ["io", "threads"])
@every
def test_rates_are_amounts_over_time(path, table):
    io = read(path).tables[table]
    assert len(io)
    # XML and text have the time to two decimals
    slack = 0.0051 / io["runtime_s"] + 0.01 / io["iops"]
    assert ((io["iops"] * io["runtime_s"] / io["total_ios"] - 1).abs() <= slack).all()
    assert ((io["bw_bytes_per_s"] * io["runtime_s"] / io["io_bytes"] - 1).abs() <= slack).all()


@pytest.mark.parametrize("table", ["io", "threads"])
@every
def test_bytes_are_blocks(path, table):
    io = read(path).tables[table]
    assert io["bs_bytes"].notna().all()
    assert (io["io_bytes"] == io["total_ios"] * io["bs_bytes"]).all()
    assert (io["bw_bytes_per_s"] / (io["iops"] * io["bs_bytes"]) - 1).abs().max() < 1e-9


@every
def test_threads_make_the_run_and_reads_and_writes_the_printed_total(path):
    res = read(path)
    amounts = ["io_bytes", "total_ios"]
    of_threads, of_runs = (
        table.groupby(["run", "direction"])[amounts].sum() for table in (res.threads, res.io)
    )
    pd.testing.assert_frame_equal(of_threads, of_runs)
    assert set(res.io["direction"]) <= {"read", "write"}
    assert (res.io["entry"] == 1).all()
    clones = res.threads.groupby("run")["thread"].nunique()
    assert (res.io["clones"] == res.io["run"].map(clones)).all()
    assert (res.threads["clones"] == 1).all()
    for amount in amounts:
        run, threads = printed(res, f"total.{amount}"), printed(res, f"thread.total.{amount}")
        if path.suffix == ".txt":
            assert run.droplevel(1).to_dict() == res.io.groupby("run")[amount].sum().to_dict()
            own = res.threads.groupby(["run", "entry"])[amount].sum()
            assert threads.loc[own.index].to_dict() == own.to_dict()
            assert not threads.drop(own.index).any()  # threads that did nothing
        else:  # the XML has no total of the run
            assert run.empty


@every
def test_the_computed_total_is_the_printed_one(path):
    res = read(path)
    for row in ft.totals(res.io).query("direction == 'total'").to_dict("records"):
        told = res.extras[(res.extras["run"] == row["run"]) & res.extras["entry"].isna()]
        told = told.set_index("path")["text"]
        # XML has only latencies of the total; the text has rates to two decimals
        slack = {"iops": 0.0101, "bw_bytes_per_s": 0.0101 * row["bs_bytes"], "lat_mean_ns": 1010}
        for name in slack:
            if f"total.{name}" in told:
                assert row[name] == pytest.approx(float(told[f"total.{name}"]), abs=slack[name])


def printed(res, path):
    """Give what the tool printed, by run and entry."""
    found = res.extras[res.extras["path"] == path].set_index(["run", "entry"])["text"]
    return found.astype("int64")


@every
def test_latencies_are_in_order(path):
    res = read(path)
    charts = res.percentiles.sort_values("percentile", kind="stable")
    for key, chart in charts.groupby(["run", "entry", "direction", "target"], dropna=False):
        values = chart.set_index("percentile")["value_ns"]
        assert values.is_monotonic_increasing, key
        assert values.index.is_unique
        assert {0.0, 100.0} <= set(values.index)
        rows = res.io.set_index(["run", "entry", "direction"]).sort_index()
        if key[:3] in rows.index:  # the text has charts of targets and totals, which are no rows
            row = rows.loc[key[:3]]
            assert (row["lat_min_ns"], row["lat_max_ns"]) == (values[0.0], values[100.0])
            assert row["lat_min_ns"] <= row["lat_mean_ns"] <= row["lat_max_ns"]
            assert row["lat_stddev_ns"] <= row["lat_max_ns"] - row["lat_min_ns"]


@every
def test_no_more_waits_than_was_asked_for(path):
    # a thread has its own I/Os outstanding, the run those of all threads
    for io in (read(path).io, read(path).threads):
        known = io.dropna(subset=["iodepth", "lat_mean_ns"])
        waiting = known["iops"] * known["lat_mean_ns"] * 1e-9
        keys = ["run", "entry"]
        together = waiting.groupby([known[key] for key in keys]).sum()
        most = (known["clones"] * known["iodepth"]).groupby([known[key] for key in keys]).first()
        assert (together <= most * 1.02).all()


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
    asked = res.settings.query("option == 'CalculateIopsStdDev'")["text"].eq("true").any()
    keys = ["run", "entry", "direction"]
    for samples, table in ((res.samples, res.io), (res.thread_samples, res.threads)):
        iops = samples.query("quantity == 'iops'")
        measured = pd.concat([table, ft.totals(table)]).set_index(keys)["total_ios"]
        for key, rows in iops.groupby(keys):
            steps = rows["time_s"].diff().dropna()
            assert (steps - steps.median()).abs().max() < 1e-9 or steps.empty
            step = rows["time_s"].iloc[0]
            # the last I/Os come after the last sample; each rate was rounded
            found = measured.get(key, 0)
            assert rows["value"].sum() * step == pytest.approx(found, rel=0.03, abs=len(rows) + 2)
        assert len(iops) > 0 if asked else iops.empty
