"""Physical checks of every fio fixture, in any format."""

import math
from functools import cache
from pathlib import Path

import pandas as pd
import pytest

import fiotools as ft
from fiotools.readers import opened
from fiotools.readers.fio.documents import pieces
from tests.fio_forms import assert_same, without_json

FIXTURES = sorted(
    path
    for path in (Path(__file__).parents[1] / "fixtures" / "fio").glob("fio-*")
    if path.suffix in (".json", ".txt")
)


reads = cache(ft.reads)


def text_copy(path):
    """Return the human report of a file that also has the JSON of the same run."""
    return without_json(path.read_text(encoding="utf-8"))


BOTH = [
    path for path in FIXTURES if path.suffix == ".txt" and pieces(path.read_text(encoding="utf-8"))
]


VARIANTS = [
    *(pytest.param(path.read_text(encoding="utf-8"), id=path.name) for path in FIXTURES),
    *(pytest.param(text_copy(path), id=f"{path.name} (text)") for path in BOTH),
]


def test_there_are_fixtures():
    assert len(FIXTURES) > 20
    assert len(BOTH) > 8


@pytest.mark.parametrize("text", VARIANTS)
def test_rates_are_amounts_over_time(text):
    io = reads(text).io
    for row in io[io["direction"] != "sync"].dropna(subset=["io_bytes"]).itertuples():
        assert row.io_bytes > 0
        assert row.iops * row.runtime_s == pytest.approx(row.total_ios, abs=0.01)
        # without one block size the text has no exact bytes
        slack = row.runtime_s + (0 if pd.notna(row.bs_bytes) else 1e-3 * row.io_bytes)
        assert row.bw_bytes_per_s * row.runtime_s == pytest.approx(row.io_bytes, abs=slack)


@pytest.mark.parametrize("text", VARIANTS)
def test_bytes_are_blocks(text):
    io = reads(text).io
    for row in io.dropna(subset=["bs_bytes", "io_bytes"]).itertuples():
        assert row.io_bytes == row.total_ios * row.bs_bytes


@pytest.mark.parametrize("text", VARIANTS)
def test_latencies_are_in_order(text):
    results = reads(text)
    for row in results.io.to_dict("records"):
        means = []
        for kind in ("slat", "clat", "lat"):
            low, mean, high = (row[f"{kind}_{stat}_ns"] for stat in ("min", "mean", "max"))
            assert math.isnan(low) or low <= mean <= high
            means.append(mean)
        if not any(math.isnan(mean) for mean in means[1:]):
            assert means[1] <= means[2]
        # one job cannot keep more I/Os waiting than its depth (Little's law)
        known = pd.notna(row["iodepth"]) and pd.notna(row["iops"]) and pd.notna(means[2])
        if known and row["clones"] == 1 and row["iodepth"] == 1:
            assert row["iops"] * row["lat_mean_ns"] * 1e-9 <= 1.02


@pytest.mark.parametrize("text", VARIANTS)
def test_percentiles_rise_within_the_extremes(text):
    results = reads(text)
    keys = ["run", "entry", "direction"]
    for (*key, latency), rows in results.percentiles.groupby([*keys, "latency"]):
        values = rows.sort_values("percentile")["value_ns"].tolist()
        assert values == sorted(values)
        rows_of_io = results.io.set_index(keys).sort_index()
        if tuple(key) in rows_of_io.index:
            row = rows_of_io.loc[tuple(key)]
            low, high = row[f"{latency}_min_ns"], row[f"{latency}_max_ns"]
        else:  # of reads and writes together
            assert key[-1] == "mixed"
            said = results.extras.query("run == @key[0] and entry == @key[1]")
            said = said.set_index("path")["text"]
            low, high = (float(said[f"mixed.{latency}_{end}_ns"]) for end in ("min", "max"))
        # a percentile is the middle of a bin of 1/64; the text rounds up to its unit
        assert low * 63 / 64 - 1000 <= values[0]
        assert values[-1] <= high * 65 / 64 + 1000


@pytest.mark.parametrize("text", VARIANTS)
def test_bins_hold_all_ios(text):
    results = reads(text)
    assert (results.bins["bin_lo_ns"] < results.bins["bin_hi_ns"]).all()
    keys = ["run", "entry", "direction", "latency"]
    for key, rows in results.bins.groupby(keys):
        rows = rows.sort_values("bin_lo_ns")
        assert (rows["bin_hi_ns"].to_numpy()[:-1] <= rows["bin_lo_ns"].to_numpy()[1:]).all()
        io = results.io.query("run == @key[0] and entry == @key[1]")
        if rows["count"].notna().all():
            one = io[io["direction"] == key[2]].iloc[0]
            assert rows["count"].sum() == one["total_ios"]
            assert rows["bin_lo_ns"].iloc[0] <= one[f"{key[3]}_min_ns"]
            assert one[f"{key[3]}_max_ns"] < rows["bin_hi_ns"].iloc[-1]
        else:
            # each share is rounded, and tiny ones are raised to 0.01
            assert rows["pct"].sum() == pytest.approx(100, abs=0.01 * len(rows) + 0.01)


@pytest.mark.parametrize("path", BOTH, ids=lambda path: path.name)
def test_the_text_of_a_run_agrees_with_its_json(path):
    assert_same(path.read_text(encoding="utf-8"))


def test_a_carriage_return_makes_no_difference():
    path = FIXTURES[0]
    data = path.read_bytes()
    unix = opened(path.name, data).text
    assert opened(path.name, data.replace(b"\n", b"\r\n")).text == unix
