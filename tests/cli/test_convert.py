"""`fiotools convert`: its output and exit code."""

import csv

import pytest

import fiotools as ft
from tests.datasets import write_results


def test_convert(inside, tmp_path):
    runs, path = write_results(tmp_path / "runs", 3), tmp_path / "ds"
    done = inside("convert", runs, "-o", path)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == f"fiotools: converted to {path}: 3 files (3 new)\n"
    (runs / "broken.json").write_text('{"fio version": "fio-3.33", "jobs": [')
    (runs / "notes.txt").write_text("dear diary")
    done = inside("convert", runs, "-o", path)
    refusal, told = done.stderr.splitlines()
    assert refusal.startswith(f"fiotools: {runs}/broken.json:1: ")
    assert told == f"fiotools: converted to {path}: 5 files (2 new, 1 refused)"
    assert (done.returncode, done.stdout) == (1, "")


def test_names_and_tables(inside, tmp_path):
    old, new = write_results(tmp_path / "old", 2), write_results(tmp_path / "new", 2, start=2)
    path = tmp_path / "ds"
    done = inside("convert", f"old={old}", f"new={new}", "-o", path, "--table", "io")
    assert done.returncode == 0
    dataset = ft.open_dataset(path)
    assert [*dataset] == ["io", "notes"]
    assert dataset.io.collect()["label"].to_list() == ["old", "old", "new", "new"]
    shown = csv.DictReader(inside("read", path, "--format", "csv").stdout.splitlines())
    assert [row["label"] for row in shown] == ["old", "old", "new", "new"]
    missing = inside("read", path, "--table", "runs")
    assert missing.returncode == 2
    assert "the dataset has no table 'runs', only io, notes" in missing.stderr


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["run.json"], 2, "--output"),
        (["-", "-o", "ds"], 2, "convert reads files that can be read again, and not -"),
        (["a=one", "two", "-o", "ds"], 2, "two has no name: write NAME=two, or name none"),
        (["nowhere", "-o", "ds"], 1, "nowhere: no such file or folder"),
        (["data/page-cache", "-o", "ds", "--table", "x"], 2, "--table x is not one of runs, jobs"),
        (["data/page-cache", "-o", "data"], 1, "and not a dataset; name a new folder"),
        (["data/page-cache", "-o", "zz://x"], 1, "zz://x/_fiotools.json: Protocol not known: zz"),
    ],
    ids=["no-output", "stdin", "no-name", "no-file", "no-table", "no-dataset", "no-protocol"],
)
def test_an_error_is_one_line(inside, words, code, said):
    done = inside("convert", *words)
    assert (done.returncode, done.stdout) == (code, "")
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
