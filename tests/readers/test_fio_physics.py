"""Questions of physics, asked of every fio fixture, whatever its format."""

import math
from pathlib import Path

import pandas as pd
import pytest

import fiotools as ft
from fiotools.readers.fio_documents import pieces
from fiotools.sniff import Document

FIXTURES = sorted(
    path
    for path in (Path(__file__).parents[1] / "fixtures" / "fio").glob("fio-*")
    if path.suffix in (".json", ".txt")
)


def text_copy(path):
    """Give the human report of a file that also has the JSON of the same run."""
    text = path.read_text(encoding="utf-8")
    found = pieces(text)
    assert len(found) == 1
    return text[: found[0].start] + text[found[0].end :].lstrip("\n")


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
    io = ft.reads(text).io
    for row in io[io["direction"] != "sync"].dropna(subset=["io_bytes"]).itertuples():
        assert row.io_bytes > 0
        assert row.iops * row.runtime_s == pytest.approx(row.total_ios, abs=0.01)
        # without one block size the text has no exact bytes
        slack = row.runtime_s + (0 if pd.notna(row.bs_bytes) else 1e-3 * row.io_bytes)
        assert row.bw_bytes_per_s * row.runtime_s == pytest.approx(row.io_bytes, abs=slack)


@pytest.mark.parametrize("text", VARIANTS)
def test_bytes_are_blocks(text):
    io = ft.reads(text).io
    for row in io.dropna(subset=["bs_bytes", "io_bytes"]).itertuples():
        assert row.io_bytes == row.total_ios * row.bs_bytes


@pytest.mark.parametrize("text", VARIANTS)
def test_latencies_are_in_order(text):
    results = ft.reads(text)
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
        if known and row["scope"] == "job" and row["iodepth"] == 1:
            assert row["iops"] * row["lat_mean_ns"] * 1e-9 <= 1.02


@pytest.mark.parametrize("text", VARIANTS)
def test_percentiles_rise_within_the_extremes(text):
    results = ft.reads(text)
    keys = ["run", "entry", "direction"]
    for (*key, latency), rows in results.percentiles.groupby([*keys, "latency"]):
        values = rows.sort_values("percentile")["value_ns"].tolist()
        assert values == sorted(values)
        row = results.io.set_index(keys).sort_index().loc[tuple(key)]
        low, high = row[f"{latency}_min_ns"], row[f"{latency}_max_ns"]
        # a percentile is the middle of a bin of 1/64; the text rounds up to its unit
        assert low * 63 / 64 - 1000 <= values[0]
        assert values[-1] <= high * 65 / 64 + 1000


@pytest.mark.parametrize("text", VARIANTS)
def test_bins_hold_all_ios(text):
    results = ft.reads(text)
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
    structured = ft.reads(path.read_text(encoding="utf-8"), name="json")
    human = ft.reads(text_copy(path), name="text")
    assert set(structured.runs["format"]) == {"fio_json"}
    assert set(human.runs["format"]) == {"fio_normal"}
    keys = ["entry", "direction"]
    one, other = (part.io.set_index(keys).sort_index() for part in (structured, human))
    assert one.index.tolist() == other.index.tolist()
    for column in ("total_ios", "short_ios", "runtime_s", "io_bytes"):
        exact = other[column].notna()
        if column == "io_bytes":
            exact &= other["bs_bytes"].notna()
        assert one.loc[exact, column].tolist() == other.loc[exact, column].tolist(), column
    for column in ("rw", "bs_bytes", "ioengine"):
        said = one[column].notna()
        assert one.loc[said, column].tolist() == other.loc[said, column].tolist()
    for column in one.columns:
        if column.endswith(("_ns", "_pct")) or column.startswith(("iops", "bw_", "io_bytes")):
            for at in one.index:
                compare_printed(one.loc[at, column], other.loc[at, column], f"{column} {at}")
    assert one["group"].tolist() == other["group"].tolist()
    assert structured.jobs["error"].tolist() == human.jobs["error"].tolist()
    assert human.jobs["ctx"].tolist() == structured.jobs["ctx"].tolist()
    assert len(human.disks) == len(structured.disks)


def compare_printed(exact, printed, what):
    if what.startswith("rwmixread"):
        return
    if "mixed" in what and pd.isna(printed):
        return  # fio 3.33 prints IOPS=0 with unified_rw_reporting=both, and no samples
    assert pd.isna(exact) == pd.isna(printed), what
    if pd.notna(exact):
        # four figures at worst, and one of the unit in which small numbers are cut off
        slack = max(abs(exact) * 1e-3, 1000.0 if what.split()[0].endswith("_ns") else 1.0)
        if what.startswith("bw_") and "samples" not in what:
            slack = max(slack, 1024.0 * 1024 * 1.01)
        assert abs(exact - printed) <= slack, f"{what}: {exact} {printed}"


@pytest.mark.parametrize("path", BOTH, ids=lambda path: path.name)
def test_percentiles_of_the_text_are_those_of_the_json(path):
    structured = ft.reads(path.read_text(encoding="utf-8")).percentiles
    human = ft.reads(text_copy(path)).percentiles
    keys = ["entry", "direction", "latency", "percentile"]
    one, other = (part.set_index(keys)["value_ns"].sort_index() for part in (structured, human))
    assert one.index.tolist() == other.index.tolist()
    assert ((other - one).between(0, 1_000_000)).all()
    assert ((other - one) <= 0.5 * one + 1000).all()


def test_a_carriage_return_makes_no_difference():
    path = FIXTURES[0]
    data = path.read_bytes()
    unix = Document(path.name, data).text
    assert Document(path.name, data.replace(b"\n", b"\r\n")).text == unix
