"""`ft.read` pointed at the articles themselves, as they were published."""

import pytest

import fiotools as ft
from fiotools.errors import UnknownFormatError


def test_000_twelve_dd_sessions(articles):
    results = ft.read(articles / "000_4d2cde52cc351edc.txt")
    assert results.runs["tool"].tolist() == ["dd"] * 12
    assert results.io["direction"].tolist() == ["write"] * 6 + ["read"] * 6
    assert results.timings["run"].tolist() == list(range(1, 13))
    assert results.runs["command"].str.startswith("time dd ").all()
    assert results.timings["real_s"].iloc[[0, 4, 11]].tolist() == [10.313, 249.368, 118.071]
    assert results.io["target"].nunique() == 6
    assert results.notes.empty


def test_001_dd_in_japanese_and_two_timings(articles):
    results = ft.read(articles / "001_341e567eb498658d.txt")
    assert results.runs["tool"].tolist() == ["dd", "time", "time"]
    assert results.runs["host"].tolist() == ["XPS-13-9305"] * 3
    assert results.io["io_bytes"].tolist() == [5368709120]
    assert results.timings["command"].tolist() == ["cat data.raw > /dev/null"] * 2
    assert results.timings["real_s"].tolist() == [4.364, 0.466]


def test_002_diskspd_tables(articles):
    results = ft.read(articles / "002_886c6b82539fc1ed.txt")
    assert len(results.runs) == 3
    assert (len(results.io), len(results.threads)) == (6, 12)
    totals = ft.totals(results.io)
    assert totals["io_bytes"].tolist() == [78981672960, 43421843456, 30806515712]
    assert totals["iops"].tolist() == pytest.approx([160686.40, 88330.73, 62672.07], abs=0.0101)
    printed = results.extras.query("path == 'total.iops'")
    assert printed["text"].astype("float64").tolist() == [160686.40, 88330.73, 62672.07]
    assert printed["entry"].isna().all()


def test_003_holds_no_result(articles):
    with pytest.raises(UnknownFormatError):
        ft.read(articles / "003_2528479149eafb49.txt")


def test_004_nine_fio_reports(articles):
    results = ft.read(articles / "004_cea0a5e02602cf12.txt")
    assert results.runs["tool"].tolist() == ["fio"] * 9
    assert results.runs["tool_version"].tolist() == ["3.25"] * 9
    # the path is that of the article's own output
    assert results.runs["command"].str.startswith("fio /work/test.fio --section=").all()
    assert len(results.io) == 12
    assert results.io["total_ios"].iloc[0] == 89735


def test_all_together_with_the_empty_one_as_a_note(articles):
    results = ft.read(f"{articles.as_posix()}/*.txt")
    assert results.files == 5
    assert results.runs["tool"].value_counts().to_dict() == {
        "dd": 13,
        "fio": 9,
        "diskspd": 3,
        "time": 2,
    }
    said = results.notes[results.notes["source"].str.contains("003_")]
    assert said["severity"].tolist() == ["warning"]
