"""`ft.read` pointed at the articles themselves, as they were published."""

import fiotools as ft


def test_000_twelve_dd_sessions(articles):
    results = ft.read(articles / "000_4d2cde52cc351edc.txt")
    assert results.runs["tool"].tolist() == ["dd"] * 12
    assert results.io["direction"].tolist() == ["write"] * 6 + ["read"] * 6
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
