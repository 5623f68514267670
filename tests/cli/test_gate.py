"""`gate`: the exit code, and the output for people and pipelines."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import fiotools as ft
from fiotools.cli import main

RUN = Path(__file__).parents[2] / "data/how-many-runs/depth/16_1.json"

SIDES = ["old=old.txt", "new=new.txt", "--metric", "real"]


@pytest.fixture
def sides(tmp_path, monkeypatch):
    for name, shift in (("old", 1.0), ("new", 1.3)):
        times = [shift * (2 + at / 100) for at in range(5)]
        reports = "".join(f"real {one:.3f}\nuser 0.100\nsys 0.100\n\n" for one in times)
        (tmp_path / f"{name}.txt").write_text(reports)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("rule", "form", "code", "out", "err"),
    [
        ("slower:5%", "table", 4, "✕ fail slower:5% new / old: 1.3", ""),
        ("slower:60%", "csv", 0, "new,old,real_s", "passes slower:60%: new / old: 1.3"),
        ("faster", "markdown", 0, "| ✓ pass | faster |", ""),
        ("slower:5%", "json", 4, '"outcome":"fail"', "fails slower:5%: new / old: 1.3"),
        ("slower:5%", "github", 4, "::error title=fiotools slower:5%25::new / old: ", "fails slow"),
        ("not-settled", "table", 0, "✓ pass", ""),
        ("slower:", "table", 2, "", "'slower:' is not a rule"),
    ],
)
def test_the_exit_code(sides, rule, form, code, out, err, capsys):
    assert main(["gate", *SIDES, "--fail-if", rule, "--format", form]) == code
    said = capsys.readouterr()
    assert out in " ".join(said.out.split())
    assert err in said.err
    assert ("new / old" in said.err) is bool(
        "new / old" in err or err == "fails slow"
    )  # a table has said it


def test_compare_leaves_rules_to_the_gate(sides, capsys):
    assert main(["compare", *SIDES, "--fail-if", "slower"]) == 2
    assert "fiotools gate OLD NEW --fail-if slower:5%" in capsys.readouterr().err


def test_two_runs_are_undecided(tmp_path, monkeypatch, capsys):
    for name in ("old", "new"):
        reports = "".join(f"real {one}\nuser 0.100\nsys 0.100\n\n" for one in ("2.00", "2.01"))
        (tmp_path / f"{name}.txt").write_text(reports)
    monkeypatch.chdir(tmp_path)
    assert main(["gate", *SIDES, "--fail-if", "not-settled"]) == 4
    assert "not-settled" in capsys.readouterr().out


@pytest.fixture
def builds(tmp_path, monkeypatch):
    """Make a history of ten days with two runs each, and two runs that are 30 % slower."""
    report, rng = json.loads(RUN.read_text()), np.random.default_rng(1)
    shifts = {f"history/{day}": (day, rng.normal(0, 0.03)) for day in range(10)}
    for folder, (day, shift) in {**shifts, "new": (20, -0.36)}.items():
        (tmp_path / folder).mkdir(parents=True)
        for run in range(2):
            report["timestamp"] = 1_790_000_000 + day * 86_400 + run * 60
            report["timestamp_ms"] = 1000 * report["timestamp"]
            read = report["jobs"][0]["read"]
            read["iops"] = read["total_ios"] / (read["runtime"] / 1000) * float(np.exp(shift))
            for name in ("iops", "total_ios", "io_bytes", "bw_bytes"):
                read[name] = type(read[name])(10_000 * np.exp(shift + rng.normal(0, 0.01)))
            (tmp_path / folder / f"{run}.json").write_text(json.dumps(report))
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("asked", "code", "said"),
    [
        (["history", "new"], 4, "slower: below what 99 % of such sessions show"),
        (
            ["history/{day}/*.json", "new/*.json"],
            4,
            "slower: below what 99 % of such sessions show",
        ),
        (["history", "new", "--fail-if", "slower:60%"], 0, "passes slower:60%"),
        (["history/1", "new"], 3, "cannot judge slower: new / 1"),
        (["history", "new", "--fail-if", "iops < 100"], 0, "passes iops >= 100: new: iops is"),
        (["new", "--fail-if", "iops < 9k"], 4, "fails iops >= 9k: iops is"),
        (["history", "new", "--fail-if", "faster", "--fail-if", "iops > 9k"], 0, "passes faster"),
    ],
)
def test_a_history_and_what_is_new(builds, asked, code, said, capsys):
    assert main(["gate", *asked, "--metric", "iops", "--format", "csv"]) == code
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("history", "new"),
    [
        ("history/*/*.json", "new/*.json"),
        ("history/*", "new"),
        ("history/*/0.json", "new/0.json"),
    ],
)
def test_globs_that_a_shell_expanded(builds, history, new, capsys):
    expanded = [str(one) for one in (*sorted(Path().glob(history)), *sorted(Path().glob(new)))]
    assert main(["gate", *expanded, "-m", "iops"]) == 4
    said = capsys.readouterr()
    assert "HISTORY is history" in said.err
    assert "slower: below what 99 % of such sessions show" in " ".join(said.out.split())


@pytest.mark.filterwarnings("default")
def test_a_new_file_that_stands_among_its_history(builds, capsys):
    """It counts as new, and is left out of the history; that is said."""
    for number, file in enumerate(sorted(Path("history").glob("*/*.json"))):
        file.rename(f"history/{number:02d}.json")
    Path("new/0.json").rename("history/new.json")
    assert main(["gate", "history", "history/new.json", "-m", "iops"]) == 4
    assert "history/new.json is in history too: left out there" in capsys.readouterr().err
    every = [str(one) for one in sorted(Path("history").glob("*.json"))]
    assert main(["gate", *every, "history/new.json", "-m", "iops"]) == 4
    assert "NEW is new (1 path)" in capsys.readouterr().err
    assert main(["gate", *every, "-m", "iops"]) == 2
    assert "all 21 lie in history: give HISTORY, and then NEW" in capsys.readouterr().err


def test_a_dataset_is_a_history(builds, capsys):
    ft.convert("history/{day}/*.json", "kept")
    assert main(["gate", "kept", "new", "--metric", "iops", "--metric", "bw"]) == 4
    assert capsys.readouterr().out.count("new / kept: 0.") == 2


@pytest.mark.parametrize("place", ["memory://gate-history", "file://{here}/kept"])
def test_a_remote_dataset_is_a_history(builds, place, capsys):
    fsspec = pytest.importorskip("fsspec", reason="fsspec is not installed")
    place = place.format(here=Path.cwd().as_posix())
    try:
        ft.convert("history/{day}/*.json", place)
        assert main(["gate", place, "new", "--metric", "iops"]) == 4
        told = " ".join(capsys.readouterr().out.split())
        assert "slower: below what 99 % of such sessions show" in told
        assert (
            main(["gate", f"old={place}", "old2=new", "-m", "iops", "--fail-if", "iops > 1"]) == 4
        )
        # a folder of files, which is none
        assert main(["gate", f"{place}-other", "new", "--metric", "iops"]) == 1
    finally:
        memory = fsspec.filesystem("memory")
        if memory.exists("gate-history"):
            memory.rm("gate-history", recursive=True)


@pytest.mark.parametrize("text", ["{", RUN.read_text()[:3000]], ids=["unknown", "cut"])
def test_an_unread_file_fails_the_gate(builds, text, capsys):
    Path("new/2.json").write_text(text)
    asked = ["gate", "history", "new", "-m", "iops", "--fail-if", "faster", "-f", "github"]
    assert main(asked) == 1
    assert "::error title=fiotools files::new/2.json" in capsys.readouterr().out


DEPTHS = ["old=data/how-many-runs/depth/16_*.json", "new=data/how-many-runs/depth/4_*.json"]
SWEPT = ["data/how-many-runs/depth/{iodepth:d}_*.json"]
ROUNDS = ["data/how-many-runs/rounds/{test}_{fs}_{round:d}.json", "--between", "fs"]


@pytest.mark.parametrize(
    ("files", "table", "code", "says"),
    [
        (DEPTHS, "rw,bs,metric,max,min\nrandread,4k,p99,2ms,\n", 0, "✓ pass p99 <= 2ms"),
        (DEPTHS, "bs,metric,max,min\n# tails\n\n4k,iops,,50k\n", 4, "limits.csv:4: 4 KiB, new"),
        (DEPTHS, "metric,max\np99,100us\n", 4, "limits.csv:2: new: p99 is 310 µs"),
        (
            ROUNDS,
            "test,metric,slower\nrandread,iops,10%\n,p99,30\n",
            0,
            "csv:3: fsync, sync: xfs / ext4",
        ),
        (ROUNDS, "test,metric,slower\nfsync,iops,10\n", 0, "limits.csv:2: fsync: xfs / ext4"),
        (ROUNDS, "fs,metric,slower\nxfs,iops,30\n", 0, "limits.csv:2: write: xfs / ext4: 1"),
        (ROUNDS, "fs,metric,slower\next4,iops,9\n", 1, "csv:2: ext4 is the old side, and slower"),
        (
            ROUNDS,
            "fs,rw,metric,max\next4,randread,p99,9ms\n",
            0,
            "csv:2: randread, read, ext4: p99",
        ),
        (SWEPT, "rw,metric,max\nrandread,p99,1ms\n", 4, "limits.csv:2: randread, iodepth 64: p99"),
        (
            [str(RUN), "data/page-cache/after.txt"],
            "metric,max\np99,1s\n",
            1,
            "the old side, has p99",
        ),
        ([str(RUN)], "\nmetric,max,slower\np99,1ms,\niops,,5\n", 1, "csv:4: slower needs an old"),
        (DEPTHS, "iodepth,metric,slower\n4,iops,5\n", 3, "iodepth 4: new / old: no run of 'old'"),
        (DEPTHS, "rw,metric,max\nwrite,p99,1ms\n", 3, "limits.csv:2: write: there is no such run"),
        (
            DEPTHS,
            "iodepht,metric,max\n4,p99,1ms\n",
            1,
            "csv:2: there is no column 'iodepht'; these runs have label, rw, bs, iodepth,",
        ),
        (DEPTHS, "bs,metric,max\nmany,p99,1ms\n", 1, "limits.csv:2: bs_bytes holds numbers"),
        (DEPTHS, "rw,metric,max\nread,p98,1ms\n", 1, "limits.csv:2: there is no p98"),
        (DEPTHS, "rw,metric,max\nread,p99,\n", 2, "limits.csv:2: a line has 3 cells, of which"),
        (DEPTHS, "rw,metric,max\nread,p99\n", 2, "limits.csv:2: a line has 3 cells, of which"),
        (DEPTHS, "rw,metrik,max\nread,p99,1ms\n", 2, "limits.csv:1: is not a table of limits"),
        (DEPTHS, "", 2, "limits.csv:1: is not a table of limits"),
    ],
)
def test_a_table_of_limits(inside, tmp_path, monkeypatch, files, table, code, says):
    monkeypatch.setenv("COLUMNS", "1000")
    (tmp_path / "limits.csv").write_text(table)
    done = inside("gate", *files, "--limits", tmp_path / "limits.csv")
    assert done.returncode == code, done.stderr
    assert says in " ".join((done.stdout + done.stderr).split())
