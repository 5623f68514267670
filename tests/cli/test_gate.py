"""`gate`: the exit code, and the output for people and pipelines; GitHub's action, and a script."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import yaml

import fiotools as ft
from fiotools.cli import main
from tests.conftest import ROOT
from tools.generator.filled import DOCS

RUN = ROOT / "data/how-many-runs/depth/16_1.json"
SIDES = ["old=old.txt", "new=new.txt", "--metric", "real"]


@pytest.fixture
def gate(capsys):
    """Run `gate`; give its exit code, what it printed in one line, and its messages."""

    def run(*words):
        code = main(["gate", *map(str, words)])
        said = capsys.readouterr()
        return code, " ".join(said.out.split()), said.err

    return run


@pytest.mark.parametrize(
    ("rule", "form", "code", "out", "err"),
    [
        ("slower:5%", "table", 4, "✕ fail slower:5% new / old: 1.3", ""),
        ("slower:60%", "csv", 0, "new,old,real_s", "passes slower:60%: new / old: 1.3"),
        ("faster", "markdown", 0, "| ✓ pass | faster |", ""),
        ("slower:5%", "json", 4, '"outcome":"fail"', "fails slower:5%: new / old: 1.3"),
        ("slower:5%", "github", 4, "::error title=fiotools slower:5%25::new / old: ", "fails slow"),
        ("not-settled", "table", 0, "✓ pass", ""),
    ],
)
def test_the_exit_code(gate, tmp_path, monkeypatch, rule, form, code, out, err):
    for name, shift in (("old", 1), ("new", 1.3)):
        times = [shift * (2 + at / 100) for at in range(5)]
        reports = [f"real {one:.3f}\nuser 0.100\nsys 0.100\n\n" for one in times]
        (tmp_path / f"{name}.txt").write_text("".join(reports))
    monkeypatch.chdir(tmp_path)
    ended, printed, said = gate(*SIDES, "--fail-if", rule, "--format", form)
    assert ended == code
    assert out in printed
    assert err in said
    assert ("new / old" in said) is bool(err)  # a table has said it


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


SLOWER = "slower: below what 99 % of such sessions show"


@pytest.mark.parametrize(
    ("asked", "code", "said"),
    [
        (["history", "new"], 4, SLOWER),
        (["history/{day}/*.json", "new/*.json"], 4, SLOWER),
        (["history/1", "new"], 3, "cannot judge slower: new / 1"),
        (["history", "new", "--fail-if", "iops < 100"], 0, "passes iops >= 100: new: iops is"),
        (["new", "--fail-if", "iops < 9k"], 4, "fails iops >= 9k: iops is"),
        (["history", "new", "--fail-if", "faster", "--fail-if", "iops > 9k"], 0, "passes faster"),
    ],
)
def test_a_history_and_what_is_new(gate, builds, asked, code, said):
    ended, _, told = gate(*asked, "--metric", "iops", "--format", "csv")
    assert ended == code
    assert said in told


@pytest.mark.parametrize(
    ("history", "new"),
    [
        ("history/*", "new"),
        ("history/*/0.json", "new/0.json"),
    ],
)
def test_globs_that_a_shell_expanded(gate, builds, history, new):
    code, printed, said = gate(*sorted(Path().glob(history)), *Path().glob(new), "-m", "iops")
    assert code == 4
    assert "HISTORY is history" in said
    assert SLOWER in printed


@pytest.mark.filterwarnings("default")
def test_a_new_file_that_stands_among_its_history(gate, builds):
    """It counts as new, and is left out of the history; that is said."""
    for number, file in enumerate(sorted(Path("history").glob("*/*.json"))):
        file.rename(f"history/{number:02d}.json")
    Path("new/0.json").rename("history/new.json")
    every = sorted(Path("history").glob("*.json"))
    for asked, code, said in (
        (["history", "history/new.json"], 4, "new.json is in history too: left out there"),
        ([*every, "history/new.json"], 4, "NEW is new (1 path)"),
        (every, 2, "all 21 lie in history: give HISTORY, and then NEW"),
    ):
        ended, _, told = gate(*asked, "-m", "iops")
        assert ended == code
        assert said in told


@pytest.mark.parametrize("place", ["kept", "file://{here}/kept"])
def test_a_dataset_is_a_history(gate, builds, place):
    pytest.importorskip("fsspec", reason="fsspec is not installed")
    place = place.format(here=Path.cwd().as_posix())
    ft.convert("history/{day}/*.json", place)
    code, printed, _ = gate(place, "new", "--metric", "iops")
    assert code == 4
    assert SLOWER in printed
    named = (f"old={place}", "old2=new", "-m", "iops", "--fail-if", "iops > 1")
    assert gate(*named)[0] == 4
    # a folder of files, which is none
    assert gate(f"{place}-other", "new", "--metric", "iops")[0] == 1


def test_an_unread_file_fails_the_gate(gate, builds):
    Path("new/2.json").write_text(RUN.read_text()[:3000])
    code, printed, _ = gate("history", "new", "-m", "iops", "--fail-if", "faster", "-f", "github")
    assert code == 1
    assert "::error title=fiotools files::new/2.json" in printed


DEPTHS = ["old=data/how-many-runs/depth/16_*.json", "new=data/how-many-runs/depth/4_*.json"]
SWEPT = ["data/how-many-runs/depth/{iodepth:d}_*.json"]
ROUNDS = ["data/how-many-runs/rounds/{test}_{fs}_{round:d}.json", "--between", "fs"]
TWO_TOOLS = [str(RUN), "data/page-cache/after.txt"]


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
            "csv:3: fsync, sync: xfs /",
        ),
        (ROUNDS, "fs,metric,slower\nxfs,iops,30\n", 0, "limits.csv:2: write: xfs / ext4: 1"),
        (ROUNDS, "fs,metric,slower\next4,iops,9\n", 1, "csv:2: ext4 is the old side, and slower"),
        (ROUNDS, "fs,rw,metric,max\next4,randread,p99,9ms\n", 0, "csv:2: randread, read, ext4: p9"),
        (SWEPT, "rw,metric,max\nrandread,p99,1ms\n", 4, "limits.csv:2: randread, iodepth 64: p99"),
        (TWO_TOOLS, "metric,max\np99,1s\n", 1, "the old side, has p99"),
        ([str(RUN)], "\nmetric,max,slower\np99,1ms,\niops,,5\n", 1, "csv:4: slower needs an old"),
        (DEPTHS, "iodepth,metric,slower\n4,iops,5\n", 3, "iodepth 4: new / old: no run of 'old'"),
        (DEPTHS, "rw,metric,max\nwrite,p99,1ms\n", 3, "limits.csv:2: write: there is no such run"),
        (DEPTHS, "iodepht,metric,max\n4,p99,1ms\n", 1, "csv:2: there is no column 'iodepht'; the"),
        (DEPTHS, "bs,metric,max\nmany,p99,1ms\n", 1, "limits.csv:2: bs_bytes holds numbers"),
        (DEPTHS, "rw,metric,max\nread,p98,1ms\n", 1, "limits.csv:2: there is no p98"),
        (DEPTHS, "rw,metric,max\nread,p99,\n", 2, "limits.csv:2: a line has 3 cells, of which"),
        (DEPTHS, "rw,metrik,max\nread,p99,1ms\n", 2, "limits.csv:1: is not a table of limits"),
    ],
)
def test_a_table_of_limits(inside, tmp_path, monkeypatch, files, table, code, says):
    monkeypatch.setenv("COLUMNS", "1000")
    (tmp_path / "limits.csv").write_text(table)
    done = inside("gate", *files, "--limits", tmp_path / "limits.csv")
    assert done.returncode == code, done.stderr
    assert says in " ".join((done.stdout + done.stderr).split())


# --- in pipelines -------------------------------------------------------------------------------

ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
DEPTH = ROOT / "data/how-many-runs/depth"
PATH = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
needs_bash = pytest.mark.skipif(not shutil.which("bash"), reason="there is no bash")
needs_fio = pytest.mark.skipif(not shutil.which("fio"), reason="fio is not installed")


def shell(*words, cwd=None, **environment):
    told = {"capture_output": True, "encoding": "utf-8", "check": False}
    return subprocess.run(words, cwd=cwd, env={**os.environ, **environment, "PATH": PATH}, **told)


def act(tmp_path, **given):
    """Run the last step of action.yml as GitHub does; return what it did, and its files."""
    step = next(one for one in ACTION["runs"]["steps"] if one.get("id") == "gate")
    inputs = {name: one.get("default", "") for name, one in ACTION["inputs"].items()} | given
    environment = {
        name: inputs[value.strip("${ }").removeprefix("inputs.")]
        for name, value in step["env"].items()
    }
    files = {name: str(tmp_path / name) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    strict = ("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"])
    done = shell(*strict, **environment, **files)
    return done, *(Path(file).read_text() for file in files.values())


@needs_bash
@pytest.mark.parametrize(
    ("rules", "code"),
    [("faster\n\nslower:5%\n", 4), ("iops < 10", 0)],
)
def test_a_broken_rule_fails_the_job(tmp_path, rules, code):
    asked = {"baseline": f"{DEPTH}/16_*.json", "files": f"{DEPTH}/4_*.json", "fail-if": rules}
    done, output, summary = act(tmp_path, **asked)
    assert done.returncode == code, done.stderr
    assert f"exit-code={code}\n" in output
    assert "| " in summary
    assert "exit-code" not in summary
    assert ("::error" in done.stdout) == (code != 0)


def test_inputs_are_not_pasted_into_scripts():
    scripts = [step["run"] for step in ACTION["runs"]["steps"] if "run" in step]
    assert not [script for script in scripts if "${{" in script]


@needs_fio
@needs_bash
def test_a_slowed_device_fails_the_build(tmp_path):
    """By the script of docs/gate.md, with a regression made on purpose and without."""
    judged = "fiotools gate old new --metric iops --fail-if slower:10%"  # as the script says
    script = f"sh '{DOCS}/pipeline.sh' one two && {judged}"

    def build(before):  # without a limit a busy machine is not the same twice
        for place in ("one", "two"):
            (tmp_path / before / place).mkdir(parents=True)
        knobs = {"SECONDS_EACH": "1", "ROUNDS": "3", "OLD_RATE": before, "NEW_RATE": "200"}
        return shell("bash", "-c", script, cwd=tmp_path / before, **knobs)

    with ThreadPoolExecutor() as both:
        slowed, same = both.map(build, ("2000", "200"))
    assert (slowed.returncode, same.returncode) == (4, 0), slowed.stderr + same.stderr
    assert "fail slower:10% new / old: " in " ".join((slowed.stdout + slowed.stderr).split())
