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
from benchmarks import growing, hostile, report, rounds
from benchmarks.cases import CASES, GROUPS, Case, Goal, ratio, seconds
from benchmarks.growth import exponent
from benchmarks.inputs import dd, diskspd, fio_hist, fio_json, fio_jsonplus, fio_log, fio_mixed
from benchmarks.made import INPUTS, size
from benchmarks.process import Child, FailedError, run
from benchmarks.sides.commands import COMMANDS
from tests.conftest import ROOT


def made(name, folder):
    """Make one small input of a kind, and say what is to be in it: table, rows."""
    path = folder / {"log": "x_lat.1.log", "hist": "x_clat_hist.1.log"}.get(name, name)
    if name == "json":
        fio_json.small(path, 6)
        return path, "runs", 6
    if name == "mixed":
        fio_mixed.mixed(path, 60)
        return path, "runs", 60
    if name == "plus":
        fio_jsonplus.plus(path, 2, 3, 50)
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


@pytest.mark.parametrize(
    "name", ["json", "mixed", "plus", "log", "hist", "xml", "sessions", "reports"]
)
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


def test_copies_agree_with_themselves(tmp_path):
    fio_json.small(tmp_path / "small", 20)
    read = ft.read(tmp_path / "small")
    assert list(read.notes.message) == []
    assert read.io["total_ios"].nunique() > 10


def test_layouts_are_many_also_without_the_corpus():
    names = [name for name, _ in fio_mixed.layouts(fio_mixed.DATA)]
    assert len(names) >= 20


def test_sides_are_functions_and_inputs_have_makers():
    there = {
        f"{folder}.{file.stem}.{one.name}"
        for folder in ("sides", "inputs")
        for file in (ROOT / "benchmarks" / folder).glob("*.py")
        for one in ast.parse(file.read_text(encoding="utf-8")).body
        if isinstance(one, ast.FunctionDef)
    }
    there |= {f"sides.commands.{name}" for name in COMMANDS}
    assert {f"sides.{what}" for case in CASES for what in case.sides.values()} <= there
    assert {f"inputs.{one.make}" for one in INPUTS} <= there
    assert {case.input.name for case in CASES if case.input} == {one.name for one in INPUTS}
    assert {case.group for case in CASES} == {*GROUPS}


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


def test_a_child_answers_each_line_and_its_end_has_a_reason():
    code = "import json, sys\nfor line in sys.stdin: print(json.dumps(1 / int(line)), flush=True)"
    with Child([sys.executable, "-c", code]) as child:
        assert [child.ask("2"), child.ask("4")] == [0.5, 0.25]
        with pytest.raises(FailedError) as raised:
            child.ask("0")
    assert str(raised.value) == "ZeroDivisionError: division by zero"
    sleeping = [sys.executable, "-c", "import time; time.sleep(60)"]
    with Child(sleeping, timeout=0.5) as child, pytest.raises(FailedError) as raised:
        child.ask()
    assert str(raised.value) == "exit code -9"


class Given:
    """An input that is there already."""

    unit, full, quick, first = "files of fio JSON", 3, 3, 1

    def __init__(self, folder):
        self.folder = folder

    def path(self, count):
        path = self.folder / str(count)
        if not path.exists():
            fio_json.small(path, count)
        return path


@needs_wait4
def test_a_case_is_measured_in_rounds_beside_another_checkout(tmp_path):
    case = Case("A, x", "ours.everything", "floors.orjson_loads", Given(tmp_path))
    plan = rounds.Plan(quick=True, least=2, most=2, seconds=0, before=ROOT)
    found = rounds.measure(case, plan)
    assert found["size"] == size(tmp_path / "3")
    assert [*found["sides"]] == ["floor", "ours", "before"]
    for side in found["sides"].values():
        assert len(side["cpu_s"]) == len(side["wall_s"]) == 2
        assert len(side["first_s"]) == len(side["rss"]) == 1
        assert all(value > 0 for value in (*side["cpu_s"], *side["first_s"]))
    assert found["sides"]["ours"]["bytes"] == found["sides"]["before"]["bytes"]
    assert found["sides"]["ours"]["bytes"][0] > 1000


@needs_wait4
def test_a_checkout_without_fiotools_is_not_measured(tmp_path):
    case = Case("A, x", "ours.everything", input=Given(tmp_path))
    plan = rounds.Plan(quick=True, least=1, most=1, seconds=0, before=tmp_path)
    before = rounds.measure(case, plan)["sides"]["before"]
    assert before == {"failed": f"fiotools was not imported from {tmp_path}"}


@needs_wait4
def test_commands_are_whole_processes(tmp_path):
    case = Case("start, x", "commands.help", "commands.import_fiotools")
    found = rounds.measure(case, rounds.Plan(quick=True, least=1, most=1, seconds=0, before=ROOT))
    assert [*found["sides"]] == ["floor", "ours", "before"]
    assert all(side["rss"][0] > 10**6 and side["cpu_s"][0] > 0 for side in found["sides"].values())


def side(cpu_s, rss, frames=None):
    return {"cpu_s": cpu_s, "wall_s": [9.0], "rss": [rss], "bytes": [frames], "first_s": [0.7]}


CASE = next(case for case in CASES if case.name == "A, runs and io")
FOUND = {
    "quick": False,
    "count": 10,
    "size": {"files": 10, "bytes": 10**6},
    "date": "2026-01-02",
    "sides": {
        "floor": side([2.0, 9.0, 2.5], 0),
        "ours": side([4.0, 3.0, 5.0], 140e6, 40_000_000),
    },
}


def test_a_ratio_is_of_medians():
    assert ratio(FOUND, "ours", "floor") == 1.6
    assert ratio(FOUND, "nothing", "ours") is None


def test_goals_are_met_missed_or_not_known():
    held = [(goal.text, goal.holds(FOUND), goal.figure(FOUND)) for goal in CASE.goals]
    assert held == [
        ("<= 2.8x the floor", True, 1.6),
        ("memory <= 3x the frames", False, 3.5),
    ]
    found = {**FOUND, "sides": {"ours": side([0.002], 450e6)}}
    assert Goal("seconds", 0.003).holds(found)
    assert Goal("memory", 400).said(found) == "450 MB"
    assert not Goal("memory", 400).holds(found)
    assert Goal("memory", 1.5, "file").figure(found) == 450
    assert Goal("floor", 1).holds(found) is None


def test_memory_is_not_judged_on_small_inputs():
    kinds = {goal.kind for goal in CASE.goals_of({**FOUND, "quick": True})}
    assert kinds == {"floor"}


def test_seconds_are_written_as_people_read_them():
    assert [seconds(value) for value in (None, 2.345, 0.1, 0.00345)] == [
        "",
        "2.35 s",
        "0.10 s",
        "3.45 ms",
    ]


def test_the_page_has_every_goal_and_says_what_limits_those_missed(monkeypatch, tmp_path):
    sides = {**FOUND["sides"], "ours": side([4.0] * 3, 140e6, 40_000_000)}
    curve = {"kind": "hostile", "what": "dd", "unit": "bytes", "size": [1024], "cpu_s": [0.5]}
    kept = {
        "about": {"memory": "1 GiB"},
        "cases": {CASE.name: {**FOUND, "sides": sides | {"floor": side([1.0], 0)}}},
        "growth": {
            "a": {**curve, "name": "pluses", "exponent": 1.0},
            "b": {**curve, "name": "digits", "exponent": 1.2, "smaller": {"exponent": 1.1}},
        },
    }
    (tmp_path / "limits.toml").write_text('["A, runs and io"]\nfloor = "Because."\n')
    monkeypatch.setattr(report, "FOLDER", tmp_path)
    report.write(kept, quick=False)
    page = (tmp_path / "RESULTS.md").read_text()
    assert "| 1.00 s | 4.00 s | 4.00x |" in page
    assert "<= 2.8x the floor: **missed**; memory <= 3x the frames: **missed**" in page
    assert "* **A, runs and io**, <= 2.8x the floor: 4.00x. Because." in page
    assert "memory <= 3x the frames: 3.50x. Nobody has said why yet." in page
    assert "* measured: 2026-01-02\n* memory: 1 GiB\n" in page
    # of the inputs of a reader, the worst
    assert "| hostile | dd | 2 | 1.10, then **1.20** | digits | 0.50 | 1,024 bytes |" in page
    assert "1 of 2 above; 1.20 (dd, digits)" in page


def test_reasons_are_of_goals_that_there_are():
    limits = tomllib.loads((Path(report.__file__).parent / "limits.toml").read_text("utf-8"))
    goals = {case.name: {goal.kind for goal in case.goals} for case in CASES}
    goals |= {f"{kind} inputs": {"exponent"} for kind in ("ordinary", "hostile", "statistic")}
    assert not {name: kinds for name, kinds in limits.items() if {*kinds} - goals.get(name, set())}


def test_the_exponent_of_a_power_is_the_power():
    sizes = [2**n for n in range(4)]
    rng = Random(1)
    assert exponent(sizes, [3.0 * n**1.5 for n in sizes]) == pytest.approx(1.5)
    noisy = exponent(sizes, [n * rng.uniform(0.98, 1.02) for n in sizes])
    assert noisy == pytest.approx(1, abs=0.03)
