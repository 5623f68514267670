from pathlib import Path

import pandas as pd
import pytest

import fiotools as ft
from fiotools.errors import ParseError

FIXTURES = Path(__file__).parents[1] / "fixtures" / "diskspd"
DATA = Path(__file__).parents[2] / "data" / "dda-vhdx"


def load(name):
    return ft.read(FIXTURES / f"diskspd-{name}.xml")


def edited(name, *changes):
    """A fixture's text with some of it replaced."""
    text = (FIXTURES / f"diskspd-{name}.xml").read_bytes().decode()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


def test_published_ratios():
    res = ft.read(DATA / "xml" / "{volume}.xml")
    assert len(res.io) == 27
    assert repr(res).startswith("<Results: 3 files, DISKSPD 2.0.21a, 3 runs")
    assert res.notes.empty
    iops = res.io.query("scope == 'total'").set_index(["volume", "direction"])["iops"]
    mirror = (iops["mirror"] / iops["vhdx"]).round(4)
    assert mirror.to_dict() == {"read": 0.7094, "write": 0.7097, "total": 0.7095}
    assert round(iops["nvme", "total"] / iops["vhdx", "total"], 3) == 1.819


def test_threads_come_first_and_the_totals_are_their_sums():
    res = load("2.0.12--mix_2targets_D_L")
    io = res.io
    assert io["scope"].tolist() == ["thread"] * 6 + ["total"] * 3
    assert io["entry"].tolist() == [1, 1, 1, 2, 2, 2, 3, 3, 3]
    assert io["direction"].tolist() == ["read", "write", "total"] * 3
    assert io["thread"].tolist()[:6] == [0, 0, 0, 1, 1, 1]
    threads = io.query("scope == 'thread'").groupby("direction")[["io_bytes", "total_ios"]].sum()
    totals = io.query("scope == 'total'").set_index("direction")[["io_bytes", "total_ios"]]
    pd.testing.assert_frame_equal(threads, totals.sort_index())
    row = io.iloc[-1]
    assert row["iops"] == row["total_ios"] / 2.0
    assert row["bw_bytes_per_s"] == row["io_bytes"] / 2.0
    assert row["lat_mean_ns"] == 62000.0
    assert (row["lat_min_ns"], row["lat_max_ns"]) == (7000.0, 31699000.0)
    assert row["iops_stddev"] == 1815.0


def test_conditions_and_settings():
    res = load("2.0.12--mix_2targets_D_L")
    thread, total = res.io.iloc[0], res.io.iloc[-1]
    for row in (thread, total):
        assert (row["rw"], row["bs_bytes"], row["rwmixread_pct"]) == ("randrw", 4096, 70.0)
        assert row["direct"]  # DisableAllCache: -h
        assert pd.isna(row["ioengine"])
    assert (thread["iodepth"], thread["numjobs"], thread["size_bytes"]) == (2, 1, 33554432)
    # two threads with two I/Os each; two files have no one size
    assert (total["iodepth"], total["numjobs"]) == (2, 2)
    assert pd.isna(total["size_bytes"])
    settings = res.settings.set_index("option")["text"]
    assert settings["Duration"] == "2"
    assert settings["Target[2]/Path"] == r"C:\dsk\b2.dat"
    assert settings["Target[1]/WriteBufferContent/Pattern"] == "sequential"
    assert settings.index.is_unique


def test_the_run():
    run = load("2.0.21a--seq64k_t4_D_only").runs.iloc[0]
    assert (run["tool"], run["tool_version"], run["host"]) == ("diskspd", "2.0.21a", "vm")
    assert run["reported_at"] == pd.Timestamp("2026-11-21 00:32:43", tz="UTC")
    assert pd.isna(run["started_at"])
    assert run["status"] == "ok"


def test_what_was_not_measured_is_missing():
    res = load("2.0.14--seqread_noLD")
    assert res.io["direction"].tolist() == ["read", "total", "read", "total"]
    assert res.io["rw"].tolist() == ["read"] * 4
    assert res.io.filter(like="lat_").isna().all(axis=None)
    assert res.io["iops_stddev"].isna().all()
    assert res.percentiles.empty
    assert res.samples.empty
    assert res.runs["reported_at"].isna().all()


def test_percentiles_of_the_whole_run():
    res = load("2.0.12--mix_2targets_D_L")
    assert set(res.percentiles["scope"]) == {"total"}
    assert set(res.percentiles["entry"]) == {3}
    read = res.percentiles.query("direction == 'read'").set_index("percentile")["value_ns"]
    assert len(read) == 107
    assert (read[0], read[99], read[99.9], read[100]) == (7e3, 1.704e6, 8.038e6, 16.789e6)
    assert read.is_monotonic_increasing


@pytest.mark.parametrize("version", ["2.0.21a", "2.2"])
def test_bucket_latencies_only_where_latency_was_measured(version):
    res = load(f"{version}--seq64k_t4_D_only")
    assert set(res.samples["quantity"]) == {"iops"}
    assert res.samples.groupby("scope").size().to_dict() == {"thread": 36, "total": 9}
    total = res.samples.query("scope == 'total' and direction == 'total'")
    assert total["time_s"].tolist() == [1.0, 2.0, 3.0]
    iops = res.io.query("scope == 'total' and direction == 'total'")["iops"].item()
    assert total["value"].mean() == pytest.approx(iops, rel=0.05)


def test_means_and_deviations_that_2_2_leaves_out():
    xml = load("2.2--F2O8_weights").io
    text = ft.read(FIXTURES / "diskspd-2.2--F2O8_weights.txt").io
    totals = xml["direction"] == "total"
    assert xml["lat_mean_ns"].notna().all()
    difference = (xml["lat_mean_ns"] - text["lat_mean_ns"]).abs()
    assert (difference[totals] <= 1000).all()
    assert (difference[~totals] == 0).all()
    assert ((xml["lat_stddev_ns"] - text["lat_stddev_ns"]).abs() <= 1000).all()


def test_a_pool_of_threads():
    io = load("2.2--F2O8_weights").io
    assert io["numjobs"].tolist() == [2] * 15
    # eight I/Os in each thread, spread over the targets by their weights
    assert io.query("scope == 'thread'")["iodepth"].isna().all()
    assert io.query("scope == 'total'")["iodepth"].tolist() == [8, 8, 8]


@pytest.mark.parametrize("case", ["2.0.21a--err_nofile", "2.1--interrupted"])
def test_a_failed_run_is_a_run(case):
    res = load(case)
    assert res.runs["status"].tolist() == ["error"]
    assert res.io.empty
    error = res.notes.query("severity == 'error'").iloc[0]
    assert error["message"].startswith("The test was interrupted before")
    assert error["line"] > 60
    assert not res.settings.empty


def test_standard_error_in_the_file():
    notes = load("2.0.21a--err_nofile").notes
    messages = notes.set_index("line")["message"]
    assert messages[1] == r"Error opening file: C:\dsk\nope\missing.dat [3]"
    assert "Error generating I/O requests" in set(messages)
    merged = load("2.0.21a--stderr_merged")
    assert len(merged.io) == 6
    note = merged.notes.iloc[0]
    assert note["message"].startswith("text beside the XML: ")
    assert (note["line"], note["severity"]) == (1, "info")


def test_repairs_what_diskspd_does_not_escape():
    res = load("2.0.21a--ampersand_in_path")
    assert res.io["target"].iloc[0] == r"C:\dsk\R&D (a) it's test.dat"
    assert res.notes["line"].item() == 38
    assert res.io["bs_bytes"].notna().all()
    power = ('<PowerScheme Name="Balanced"', '<PowerScheme Name="<unknown>"')
    res = ft.reads(edited("2.2--seq64k_t4_D_only", power))
    assert "repaired" in res.notes["message"].item()
    assert "<unknown>" in set(res.extras["text"])


def test_what_is_escaped_is_not_repaired():
    res = ft.reads(edited("2.0.14--seqread_noLD", (r"C:\dsk\test.dat", "R&amp;D.dat")))
    assert res.notes.empty
    assert set(res.io["target"].dropna()) == {"R&D.dat"}


def test_ansi_bytes_are_replaced_and_noted():
    data = edited("2.0.14--seqread_noLD", ("test.dat", "müll.dat")).encode("cp1252")
    res = ft.reads(data)
    assert res.io["target"].iloc[0] == "C:\\dsk\\m\ufffdll.dat"
    assert "not UTF-8" in res.notes["message"].item()


def test_a_profile_is_no_result():
    with pytest.raises(ParseError, match=r"profile_only.xml:1: holds a profile, no results; run"):
        load("2.1--profile_only")


def test_truncated():
    text = edited("2.0.14--seqread_noLD")
    lines = text[:1500].rstrip().count("\n") + 1
    with pytest.raises(ParseError, match=rf"<text>:{lines}: the XML ends before </Results>; "):
        ft.reads(text[:1500])


def test_not_well_formed():
    broken = edited("2.0.14--seqread_noLD", ("<Id>1</Id>", "<Id>1</Ix>"))
    line = broken[: broken.index("</Ix>")].count("\n") + 1
    with pytest.raises(ParseError, match=rf"<text>:{line}: not well-formed XML: .*Ix.*; DISKSPD"):
        ft.reads(broken)


def test_a_figure_that_is_none():
    broken = edited("2.0.14--seqread_noLD", ("<IOCount>54145<", "<IOCount>54.145<"))
    line = broken[: broken.index("<IOCount>")].count("\n") + 1
    with pytest.raises(ParseError, match=rf":{line}: IOCount is '54.145', not a whole number"):
        ft.reads(broken)


def test_a_doctype_is_refused():
    bomb = '<?xml version="1.0"?>\n<!DOCTYPE r [<!ENTITY a "b">]>\n' + edited(
        "2.0.14--seqread_noLD"
    )
    with pytest.raises(ParseError, match=r"<text>:2: the XML declares a DOCTYPE"):
        ft.reads(bomb)


def test_parts_that_do_not_make_the_total_are_noted():
    res = ft.reads(edited("2.0.14--seqread_noLD", ("<ReadCount>54145<", "<ReadCount>54144<")))
    assert "read + write = 54144, but this target's total is 54145" in res.notes["message"].item()


def test_a_thread_cut_out_leaves_no_total():
    res = ft.reads(edited("2.0.14--seqread_noLD", ("<ThreadCount>1<", "<ThreadCount>2<")))
    assert set(res.io["scope"]) == {"thread"}
    assert "1 of 2 threads are in the file" in res.notes["message"].item()


def test_several_documents_in_one_file():
    one = edited("2.0.14--seqread_noLD")
    res = ft.reads(f"{one}\n{one}\n{one[:900]}")
    assert res.io["run"].tolist() == [1] * 4 + [2] * 4
    note = res.notes.iloc[-1]
    assert (note["severity"], note["message"]) == ("error", "the XML ends before </Results>")


def test_only_what_is_asked_for():
    path = FIXTURES / "diskspd-2.0.21a--seq64k_t4_D_only.xml"
    assert set(ft.read(path, tables=("io",)).tables) == {"io", "notes"}
