"""What is measured is what is said: inputs, processes, ratios and goals. Nothing here is timed."""

import ast
import hashlib
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from random import Random

import pytest

import fiotools as ft
from benchmarks import growing, hostile, report
from benchmarks.cases import CASES, ratio
from benchmarks.inputs import dd, diskspd, fio_hist, fio_json, fio_jsonplus, fio_log
from benchmarks.made import INPUTS, size
from benchmarks.process import FailedError, run
from benchmarks.scaling import exponent
from tests.conftest import ROOT

DEPTHS = ROOT / "data" / "how-many-runs" / "depth"
PLUS = {"clat_ns": {}, "slat_ns": {}, "lat_ns": {}}
BASE = {"fio version": "fio-3.33", "jobs": [{"error": 0, "read": PLUS, "write": PLUS}]}


def made(name, folder):
    """Make one small input of a kind, and say what is to be in it: table, rows."""
    path = folder / {"log": "x_lat.1.log", "hist": "x_clat_hist.1.log"}.get(name, name)
    if name == "json":
        fio_json.scale(DEPTHS, path, 6)
        return path, "runs", 6
    if name == "plus":
        fio_jsonplus.plus(path, 2, 3, 50, base=BASE)
        return path, "jobs", 6
    if name == "log":
        fio_log.latencies(path, 500, iops=100)
        return path, "samples", 500
    if name == "hist":
        fio_hist.histograms(path, 4, coarseness=3)
        return path, "runs", 1
    if name == "xml":
        diskspd.results(path, 2, diskspd.Run(threads=2, seconds=3, cpus=1))
        return path, "runs", 2
    if name == "sessions":
        dd.transcripts(path, 5)
        return path, "timings", 5
    dd.reports(path, 7)
    return path, "io", 7


def digest(path):
    files = [path] if path.is_file() else sorted(path.iterdir())
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


@pytest.mark.parametrize("name", ["json", "plus", "log", "hist", "xml", "sessions", "reports"])
def test_inputs_are_the_same_each_time_and_hold_what_was_asked_for(tmp_path, name):
    (tmp_path / "again").mkdir()
    path, table, rows = made(name, tmp_path)
    again, *_ = made(name, tmp_path / "again")
    assert digest(path) == digest(again)
    assert size(path) == size(again)
    assert len(ft.read(path).tables[table]) == rows


def test_every_input_that_grows_grows(tmp_path):
    for at, one in enumerate([*growing.ORDINARY, *hostile.HOSTILE]):
        lengths = []
        for length in (20_000, 80_000):
            folder = tmp_path / f"{at}-{length}"
            folder.mkdir()
            lengths.append(size(one.make(folder, length))["bytes"])
        if one.reader not in ("diskspd_xml", "fio_json", "fio_hist_log") or one.hostile:
            assert lengths[1] > 1.5 * lengths[0], one


def test_all_readers_are_asked():
    from fiotools.readers import READERS

    names = {reader.name for reader in READERS}
    assert {one.reader for one in growing.ORDINARY} == names
    assert {one.reader for one in hostile.HOSTILE} == names | {"any"}


def test_sides_are_functions_and_inputs_have_makers():
    sides = ROOT / "benchmarks" / "sides"
    there = {
        f"{file.stem}.{one.name}"
        for file in sides.glob("*.py")
        for one in ast.parse(file.read_text(encoding="utf-8")).body
        if isinstance(one, ast.FunctionDef)
    }
    assert {side for case in CASES for side in case.sides} <= there
    assert {case.input.name for case in CASES} == {one.name for one in INPUTS}


needs_wait4 = pytest.mark.skipif(not hasattr(os, "wait4"), reason="Windows has no wait4")


MEASURED = """
import sys
from benchmarks.process import run
burn = "import time\\nwhile time.process_time() < 0.3: pass"
waits = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {burn!r}])"
for code in ("pass", waits, "x = b'1' * 10**8"):
    usage = run([sys.executable, "-c", code])
    print(usage.cpu_s, usage.wall_s, usage.rss)
"""


@needs_wait4
def test_a_process_is_counted_with_those_that_it_waits_for():
    # in a process of its own, because a peak begins with that of the one that starts it
    done = subprocess.run(
        [sys.executable, "-c", MEASURED], cwd=ROOT, capture_output=True, text=True, check=True
    )
    idle, busy, large = ([float(x) for x in line.split()] for line in done.stdout.splitlines())
    assert idle[0] < 0.3 <= busy[0]
    assert busy[1] >= 0.3
    assert large[2] - idle[2] == pytest.approx(10**8, rel=0.1)


@needs_wait4
def test_a_process_that_fails_says_why():
    with pytest.raises(FailedError) as raised:
        run([sys.executable, "-c", "raise ValueError('no')"])
    assert str(raised.value) == "ValueError: no"
    with pytest.raises(FailedError) as raised:
        run([sys.executable, "-c", "import time; time.sleep(60)"], timeout=0.5)
    assert str(raised.value) == "exit code -9"


def side(cpu_s, rss, frames=None):
    imports = {"cpu_s": [0.9, 1.0, 1.1], "wall_s": [1.0] * 3, "rss": [50e6] * 3}
    return {"cpu_s": cpu_s, "wall_s": [9.0] * 3, "rss": rss, "bytes": frames, "imports": imports}


CASE = next(case for case in CASES if case.name == "A, runs and io")
FOUND = {
    "ours": "io",
    "floor": "orjson_loads",
    "count": 10,
    "size": {"files": 10, "bytes": 10**6},
    "date": "2026-01-02",
    "sides": {
        "floors.orjson_loads": side([2.0, 3.0, 2.0], [60e6] * 3),
        "ours.io": side([3.0, 4.0, 4.0], [190e6] * 3, 40_000_000),
        "peers.fio_plot": {"failed": "not here"},
    },
}


def test_imports_are_subtracted_of_every_side_and_rounds_are_paired():
    # (3 - 1) / (2 - 1), (4 - 1) / (3 - 1), (4 - 1) / (2 - 1)
    assert ratio(FOUND, "ours.io", "floors.orjson_loads") == 2.0
    assert ratio(FOUND, "peers.fio_plot", "ours.io") is None


def test_goals_are_met_missed_or_not_known():
    held = [(goal.kind, goal.holds(FOUND), goal.figure(FOUND), goal.bound(FOUND))
            for goal in CASE.goals]  # fmt: skip
    assert held == [
        ("floor", True, 2.0, 2.0),
        ("peer", None, None, 5),
        ("memory", True, 140.0, 152.0),  # 3 x 40 MB + 32 MB
    ]


def test_the_page_has_every_goal_and_says_what_limits_those_missed(monkeypatch, tmp_path):
    sides = {**FOUND["sides"], "ours.io": side([4.0] * 3, [300e6] * 3, 40_000_000)}
    kept = {"about": {"memory": "1 GiB"}, "cases": {CASE.name: {**FOUND, "sides": sides}}}
    (tmp_path / "limits.toml").write_text('["A, runs and io"]\nfloor = "Because."\n')
    monkeypatch.setattr(report, "FOLDER", tmp_path)
    report.write(kept, quick=False)
    page = (tmp_path / "RESULTS.md").read_text()
    assert "| A | A, runs and io | <= 2x the floor | 3.00x | **missed** |" in page
    assert "| A | A, runs and io | >= 5x faster than fio-plot | not here | not measured |" in page
    assert "* **A, runs and io**, <= 2x the floor: 3.00x. Because." in page
    assert "250 MB of 152. nobody has said why yet" in page
    assert "* measured: 2026-01-02\n* memory: 1 GiB\n" in page


def test_reasons_are_of_goals_that_there_are():
    limits = tomllib.loads((Path(report.__file__).parent / "limits.toml").read_text("utf-8"))
    goals = {case.name: {goal.kind for goal in case.goals} for case in CASES}
    goals |= {f"{kind} inputs": {"exponent"} for kind in ("ordinary", "hostile", "statistic")}
    goals |= {name: {"start"} for name in ("import fiotools", "fiotools --help")}
    assert not {name: kinds for name, kinds in limits.items() if {*kinds} - goals.get(name, set())}


def test_the_exponent_of_a_power_is_the_power():
    sizes = [2**n for n in range(4)]
    rng = Random(1)
    assert exponent(sizes, [3.0 * n**1.5 for n in sizes]) == pytest.approx(1.5)
    noisy = exponent(sizes, [n * rng.uniform(0.98, 1.02) for n in sizes])
    assert noisy == pytest.approx(1, abs=0.03)
