"""What is read is shown: to people as tables, to programs as rows."""

import csv
import io
import json
import re

import polars as pl
import pytest

import fiotools as ft
from tests.cli.conftest import CACHE, DD, LIBAIO, VOLUMES, environment
from tests.conftest import ROOT


def test_formats(inside):
    done = inside("formats")
    assert (done.returncode, done.stderr) == (0, "")
    first = [line.split(" ")[0] for line in done.stdout.splitlines()]
    assert {*ft.formats()["format"]} <= {*first}


def test_describe(inside, answer):
    done = inside("describe", "bw", "lat_mean_ns")
    assert done.stdout.startswith("bw_bytes_per_s [float64, B/s]\n")
    assert "Mean total latency" in done.stdout
    assert inside("describe", "timings").stdout.count("\n") == 11 + 2
    assert {"iops", "real_s", "util_pct"} <= {row["name"] for row in answer("describe")}


def test_files_of_several_kinds_are_listed(inside, tmp_path):
    """Each with its format and its rows, or why it was not read."""
    for name, source in (("a.json", LIBAIO), ("copy.txt", DD)):
        (tmp_path / name).write_bytes((ROOT / source).read_bytes())
    (tmp_path / "notes.txt").write_text("hello\n")
    (tmp_path / "README.md").write_text("mine\n")
    (tmp_path / ".git").mkdir()
    (tmp_path / "cut.json").write_text((ROOT / LIBAIO).read_text()[:500])
    done = inside("read", tmp_path)
    assert done.returncode == 1
    told = done.stdout[done.stdout.index("file   ") :].splitlines()
    assert [" ".join(line.split()) for line in told[1:3]] == [
        "a.json fio_json 1 run, 2 io rows",
        "copy.txt dd 1 run, 1 io row",
    ]
    assert "not read: no complete JSON document of fio" in " ".join(" ".join(told).split())
    assert "notes.txt" in done.stdout
    assert told[-1] == "left out: .git, README.md"
    assert f"fiotools read {tmp_path} --table notes" in done.stderr  # to be typed as it stands
    (tmp_path / "README.md").unlink()
    (tmp_path / ".git").rmdir()
    assert "left out" not in inside("read", tmp_path).stdout
    assert "file   " not in inside("read", CACHE).stdout  # of one kind


def test_many_files_alike_have_a_line_and_those_not_read_their_names(inside, tmp_path):
    for folder in ("dd", "fio"):
        (tmp_path / folder).mkdir()
    for at in range(30):
        (tmp_path / "dd" / f"{at}.txt").write_bytes((ROOT / DD).read_bytes())
        (tmp_path / "fio" / f"{at}.json").write_bytes((ROOT / LIBAIO).read_bytes())
        (tmp_path / "fio" / f"{at}.txt").write_text("hello\n")
    told = inside("read", tmp_path).stdout
    lines = told[told.index("file   ") :].splitlines()
    assert [" ".join(line.split()) for line in lines[1:3]] == [
        "dd/0.txt and 29 more dd 30 runs, 30 io rows",
        "fio/0.json and 29 more fio_json 30 runs, 60 io rows",
    ]
    assert sum("not read: unknown format" in line for line in lines) == 20
    assert "and 10 more not read: fiotools read" in told
    for at in range(30):
        (tmp_path / str(at)).mkdir()
        (tmp_path / str(at) / "dd.txt").write_bytes((ROOT / DD).read_bytes())
    assert "0/dd.txt and 59 more" in inside("read", tmp_path).stdout


@pytest.mark.parametrize(
    ("options", "rows", "first"),
    [
        ("--table overview --sort +iops", 24, "1_3"),
        ("--table overview --sort -source", 24, "8_3"),
        ("--table io --sort +bw --top 1", 1, "1_3"),
    ],
)
def test_rows_are_sorted(answer, options, rows, first):
    found = answer("read", "data/how-many-runs/depth", *options.split())
    assert found[0]["source"] == f"data/how-many-runs/depth/{first}.json"
    assert len(found) == rows


def test_the_overview_is_shown_first(inside, answer):
    done = inside("read", VOLUMES)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0].startswith("3 files, DISKSPD 2.0.21a, 3 runs")
    assert lines[2].split() == ["volume", "direction", "GB", "s", "/s", "MB/s", "ms"]
    assert [line.split()[:2] for line in lines[3:5]] == [["mirror", "read"], ["mirror", "write"]]
    assert "overview is shown; other tables (--table): runs 3" in " ".join(lines)
    some = inside("read", VOLUMES, "--where", "volume=nvme", "--where", "direction=read").stdout
    assert len(some.splitlines()) == len(lines) - 8
    told = answer("read", VOLUMES, "-t", "overview")
    expected = ft.overview(ft.read(str(ROOT / VOLUMES)))["iops"].tolist()
    assert [row["iops"] for row in told] == expected


def test_notes_about_all_rows_hold_for_hidden_rows(inside):
    done = inside("read", LIBAIO, "-t", "percentiles", "--rows", "3")
    assert "\ndirection  percentile  " in done.stdout
    assert "latency clat" in done.stdout
    assert "the first 3 of 34 rows" in done.stdout
    every = inside("read", LIBAIO, "-t", "percentiles", "--rows", "0").stdout
    assert re.search(r"^read +99\.95 ", every, re.MULTILINE)


def test_rows_for_programs(inside, answer, tmp_path):
    truth = ft.read(str(ROOT / VOLUMES)).io
    listed = answer("read", VOLUMES)
    assert [row["iops"] for row in listed] == truth["iops"].tolist()
    assert list(listed[0]) == list(truth)
    assert listed[0]["job"] is None
    rows = list(csv.DictReader(io.StringIO(inside("read", VOLUMES, "--format", "csv").stdout)))
    assert [float(row["bw_bytes_per_s"]) for row in rows] == truth["bw_bytes_per_s"].tolist()
    assert rows[0]["job"] == ""
    file = tmp_path / "io.parquet"
    assert inside("read", VOLUMES, "-o", file).returncode == 0
    frame = ft.read(str(ROOT / VOLUMES)).to_polars()["io"]
    assert pl.read_parquet(file).drop("source").equals(frame.drop("source"))


def test_machines_get_utf_8(cli, tmp_path):
    file = tmp_path / "µ日.json"
    file.write_bytes((ROOT / LIBAIO).read_bytes())
    poor = environment(PYTHONUTF8="0", PYTHONIOENCODING="ascii")
    done = cli("read", file, "-f", "json", env=poor)
    assert json.loads(done.stdout)[0]["source"] == file.as_posix()


def test_colours_are_for_terminals(inside, monkeypatch):
    check = ("check", "data/page-cache/create.log")
    assert "\x1b[" not in inside(*check).stdout
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[33m" in inside(*check).stdout
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[33m" not in inside(*check).stdout


def test_lines_fit(inside, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    for command in (
        ["read", "tests/fixtures/fio"],
        ["read", "tests/fixtures/time", "--table", "notes"],
        ["check", "data/wsl-vhdx"],
        ["compare", VOLUMES, "-m", "lat_mean", "--by", "direction"],
        ["describe"],
        ["formats"],
    ):
        assert max(map(len, inside(*command).stdout.splitlines())) <= 80
