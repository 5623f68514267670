"""Each question of the library, typed: its answer is the library's own, shown to people."""

import json
import os
import re
import shutil
import subprocess
import sys
from itertools import product

import polars as pl
import pytest

import fiotools as ft
from fiotools.cli.verbs import MEANT, VERBS
from fiotools.plot import KINDS
from tests.cli.conftest import CACHE, LIBAIO, VOLUMES, environment
from tests.conftest import ROOT

ROUNDS = "data/how-many-runs/rounds/randread_{filesystem}_{round:d}.json"
SIZES = "data/wsl-filesystems/{fs}_{op}_{bs_bytes}_{round:d}.txt"
LOG = "data/how-many-runs/long/long_iops.1.log"
HIST = "tests/fixtures/fio/fio-3.33--log-hist_clat_hist.1.log"
COARSE = "tests/fixtures/fio/fio-3.33--log-coarse_clat_hist.1.log"
BINS = "tests/fixtures/fio/fio-3.33--jsonplus-libaio.json"
IMPOSSIBLE = "data/wsl-vhdx/f_ext4-vhdx_write.txt"


def as_json(frame):
    """Write a frame of the library as the command line does."""
    answer = ft.tables.columns.of_pandas(frame)
    rows = answer.with_columns(pl.col(pl.Float64).fill_nan(None)).to_dicts()
    return json.loads(json.dumps(rows, default=str))


ASKED = {
    "summarize": (
        [ROUNDS, "-m", "iops", "--by", "filesystem", "--confidence", "0.9"],
        lambda res: ft.summarize(res, "iops", by="filesystem", confidence=0.9),
    ),
    "per-thread": (
        [VOLUMES, "--by", "volume", "-w", "direction=total"],
        lambda res: ft.per_thread(res.where("direction=total"), by="volume"),
    ),
    "fairness": ([VOLUMES, "--by", "volume"], lambda res: ft.fairness(res, by="volume")),
    "best-under": (
        ["data/how-many-runs/depth", "-m", "lat_mean", "--limit", "1ms", "-w", "direction=read"],
        lambda res: ft.best_under(res.where("direction=read"), "lat_mean", "1ms"),
    ),
    "percentiles": (
        [BINS, "--at", "50,99", "--at", "99.9", "-w", "latency=clat"],
        lambda res: ft.percentiles(res.where("latency=clat"), [50, 99, 99.9]),
    ),
    "window": ([LOG, "--every", "10s"], lambda res: ft.window(res, "10s")),
    "compare": (
        [
            *(SIZES, "-m", "bw", "--between", "fs", "--baseline", "tmpfs", "--by", "direction"),
            *("--pair", "round", "--looks", "any", "--where", "bs=4k"),
        ],
        lambda res: ft.compare(
            res.where("bs=4k"),
            "bw",
            between="fs",
            baseline="tmpfs",
            by="direction",
            pair="round",
            looks="any",
        ),
    ),
    "speedup": ([CACHE, "--baseline", "before"], lambda res: ft.speedup(res, baseline="before")),
    "overall": (
        ["data/sweep/{place}/*_qd1_jobs1_*.json", "-m", "iops", "--over", "rw,direction"],
        lambda res: ft.overall(res, "iops", over=["rw", "direction"]),
    ),
    "tails": (
        [f"old={HIST}", f"new={COARSE}", "-w", "direction=read", "--percentiles", "50"],
        lambda res: ft.tails(res.where("direction=read"), 50),
    ),
    "plan": (
        [ROUNDS, "-m", "iops", "--power", "0.8", "--differences", "0.02,0.1"],
        lambda res: ft.plan(res, "iops", power=0.8, differences=[0.02, 0.1]),
    ),
    "explain": (
        [VOLUMES, "--baseline", "vhdx", "-w", "direction=read", "--link", "pcie3-x4"],
        lambda res: ft.explain(res, baseline="vhdx", where="direction=read", link="pcie3-x4"),
    ),
    "check": (
        [IMPOSSIBLE, "--link", "usb3-5g", "--prefilled"],
        lambda res: ft.check(res, link="usb3-5g", prefilled=True),
    ),
    "steady": ([LOG, "--round", "10s"], lambda res: ft.steady(res, round_s=10)),
    "shifts": ([LOG, "--round", "10s"], lambda res: ft.shifts(res, round_s=10)),
    "reconcile": (["data/how-many-runs/long/long.json", LOG], ft.reconcile),
    "settings-diff": (
        ["data/how-many-runs/rounds/{workload}_ext4_1.json", "--baseline", "fsync"],
        lambda res: ft.settings_diff(res, baseline="fsync"),
    ),
}


def library_read(words):
    """Read the files among the words of a command."""
    named = [word.rpartition("=") for word in words if "/" in word]
    files = [(name, str(ROOT / file)) for name, _, file in named]
    if files[0][0]:
        return ft.read(dict(files))
    return ft.read([file for _, file in files])


@pytest.mark.parametrize("verb", ASKED)
def test_the_answer_is_the_library_s(inside, answer, verb):
    words, asks = ASKED[verb]
    answered, expected = answer(verb, *words), as_json(asks(library_read(words)))
    for row in (*answered, *expected):  # a source and a remedy are as they are typed
        row.pop("source", None)
        row.pop("remedy", None)
    assert answered == expected
    shown = inside(verb, *words)
    assert (shown.returncode, "a bug of" in shown.stderr) == (0, False)


def test_each_question_is_typed_here():
    asked = {name for name, verb in VERBS.items() if verb.asks.startswith(".stats.")} - {"gate"}
    assert asked == {*ASKED}


# --- sides and metrics --------------------------------------------------------------------------


def test_two_metrics_are_two_answers(inside, answer, tmp_path):
    sides = ("compare", ROUNDS, "--between", "filesystem", "-m", "iops", "-m", "p99")
    rows = answer(*sides)
    assert [row["metric"] for row in rows] == ["iops", "p99_ns"]
    assert answer(*sides[:4], "-m", "iops,p99") == rows
    page = tmp_path / "both.html"
    assert inside(*sides, "-o", page).returncode == 0
    assert {"iops", "p99"} <= {*re.findall(r"\w+", page.read_text())}


def test_the_first_named_side_is_the_baseline(cli, inside):
    before, after = (f"data/page-cache/{side}.txt" for side in ("before", "after"))
    with (ROOT / before).open() as log:
        done = cli("compare", "-", after, "-m", "real", "-f", "csv", "--where", "real>0", stdin=log)
    assert done.stdout.splitlines()[1].split(",")[:2] == ["after", "stdin"]
    # it is not replaced by another where it cannot be read, or where a filter leaves none of it
    done = inside("compare", "README.md", before, after, "-m", "real")
    assert "baseline 'README' is not a value of 'label'" in done.stderr
    done = inside("compare", before, after, "-m", "real", "--where", "real<1")
    assert "there is only one side" in done.stderr
    assert (done.returncode, done.stdout) == (1, "")


def test_sides_are_those_of_a_report(inside, answer, tmp_path):
    """Two folders that fio wrote to, two depths, three runs of each."""
    told = json.loads((ROOT / LIBAIO).read_text("utf-8"))
    (job,) = told["jobs"]
    for device, depth, run in product(("disk", "mem"), (1, 8), (1, 2, 3)):
        job["job options"] |= {"directory": f"/mnt/{device}", "iodepth": str(depth)}
        (tmp_path / f"{device}-q{depth}-run{run}.json").write_text(json.dumps(told), "utf-8")
    reads = ("--where", "direction=read", "--by", "iodepth", "--format", "json")
    done = inside("compare", tmp_path, *reads)
    rows = [(row["label"], row["iodepth"], row["n"]) for row in json.loads(done.stdout)]
    assert rows == [("mem", 1, 3), ("mem", 8, 3)]
    found = "The sides were found in the files: disk, mem; --between names others"
    assert f"fiotools: {found}" in done.stderr.splitlines()
    # what counts and what was swept holds none
    named = answer("compare", tmp_path / "{device}-q{iodepth}-run{run}.json", *reads[:2])
    assert {row["device"] for row in named} == {"mem"}


def test_files_of_two_folders_that_a_shell_listed(inside, tmp_path):
    for name in ("old/1", "old/2", "new/1"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / "data/page-cache/before.txt", tmp_path / f"{name}.txt")
    said = inside("compare", *sorted(tmp_path.glob("*/*.txt")), "-m", "real").stderr
    assert "Each of the 3 files is a side; for two sides quote the globs: " in said
    assert f"'{tmp_path / 'new'}/*' '{tmp_path / 'old'}/*'" in said


# --- columns of the runs (host, command, tool), whichever table has the metric ------------------

TIMING = "\nreal\t0m{}s\nuser\t0m0.100s\nsys\t0m0.200s\n"
REPORT = (
    "{}:/w$ dd if=/dev/zero of=x bs=1M count=100\n100+0 records in\n100+0 records out\n"
    "104857600 bytes (105 MB, 100 MiB) copied, {} s, 105 MB/s\n"
)


@pytest.fixture
def logs(tmp_path, monkeypatch):
    """Three timings on each of two machines, and a dd on each."""
    seconds = {"u@one": ("2.620", "2.766", "2.429"), "u@two": ("0.702", "0.705", "0.712")}
    timings = [
        f"{user}:/w$ time du -s\n{TIMING.format(one)}"
        for user, each in seconds.items()
        for one in each
    ]
    (tmp_path / "hosts.log").write_text("".join(timings))
    (tmp_path / "dds.log").write_text(REPORT.format("u@one", "1.0") + REPORT.format("u@two", "2.0"))
    return tmp_path


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("compare hosts.log --between host", {"host": ["two"], "baseline": ["one"], "n": [3]}),
        ("summarize hosts.log --by host,tool", {"host": ["one", "two"], "tool": ["time"] * 2}),
        ("summarize hosts.log --where host=two", {"n": [3], "max": [0.712]}),
        ("summarize dds.log --by command", {"n": [2]}),
    ],
)
def test_columns_of_the_runs_are_named(answer, logs, words, expected):
    verb, file, *more = words.split()
    metric = "bw" if file == "dds.log" else "real"
    rows = answer(verb, logs / file, "--metric", metric, *more)
    assert {name: [row[name] for row in rows] for name in expected} == expected


def test_columns_of_the_runs_are_conditions_and_axes(inside, answer, logs):
    hosts = logs / "hosts.log"
    assert {row["host"] for row in answer("read", hosts, "-t", "runs", "-w", "host=two")} == {"two"}
    refused = inside("summarize", hosts, "--metric", "real", "--where", "host=three")
    assert "host holds: one, two" in refused.stderr
    # a condition adds no column
    assert all("tool" not in row for row in answer("read", logs / "dds.log", "-w", "tool=dd"))
    target = logs / "repeats.svg"
    done = inside("plot", "repeats", hosts, "--metric", "real", "--y", "host", "-o", target)
    assert (done.returncode, target.exists()) == (0, True), done.stderr


# --- answers for people -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        (
            ["compare", ROUNDS, "-m", "p99.9", "--between", "filesystem", "-w", "p99.9<3ms"],
            [
                "p99.9 of each filesystem, against ext4 (geometric means)",
                "filesystem p99.9 of ext4 ratio [95 %] n verdict",
                "xfs 2.09 ms 2.09 ms 1.00 [0.894, 1.12] 23 vs 19 ? cannot tell",
            ],
        ),
        (["check", IMPOSSIBLE, "--link", "usb3-5g"], ["this run is impossible"]),
        (
            ["plan", "--cv", "0.03", "--differences", "0.1"],  # of no files
            ["cov cov hi difference", "% % % power runs to see it runs to rule it out"],
        ),
        (
            ["explain", "data/lima-mounts/fio/9p_randread.txt"],
            ["the call that submits an I/O sleeps 81.1 % of the time"],
        ),
    ],
)
def test_an_answer_for_people(inside, words, lines):
    done = inside(*words)
    assert (done.returncode, done.stderr) == (0, "")
    shown = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert [line[: len(start)] for line, start in zip(shown, lines, strict=False)] == lines


def test_a_wide_table_has_the_sides_across(inside):
    shown = inside("compare", VOLUMES, "--wide").stdout
    assert "iops, against mirror" in shown
    assert "? +157 %" in shown
    rows = inside("compare", VOLUMES, "--wide", "-f", "csv").stdout
    names = "direction,metric,unit,baseline,confidence,band,comparisons,mirror,nvme,vhdx,"
    assert rows.startswith(names)


def test_other_settings_are_a_warning(inside):
    sides = [f"{n}=data/how-many-runs/depth/{n}_*.json" for n in (1, 2)]
    done = inside("compare", *sides, "-m", "iops", "-w", "direction=read")
    assert "options that differ: iodepth is 2 against 1" in done.stdout


def test_settings_tell_the_tool_and_the_machine(answer, tmp_path):
    text = (ROOT / LIBAIO).read_text()
    (tmp_path / "old.json").write_text(text.replace('"fio-3.33"', '"fio-3.4"'))
    (tmp_path / "new.json").write_text(text.replace('"fio-3.33"', '"fio-3.40"'))
    (row,) = answer("settings-diff", tmp_path / "old.json", tmp_path / "new.json")
    # as amounts, 3.4 and 3.40 would be one
    assert (row["option"], row["text"], row["text_baseline"]) == ("tool", "fio 3.40", "fio 3.4")
    xml = (ROOT / "tests/fixtures/diskspd/diskspd-2.2--seq64k_t4_D_only.xml").read_text()
    for name in ("vm", "metal"):
        text = xml.replace("<ComputerName>vm<", f"<ComputerName>{name}<")
        (tmp_path / f"{name}.xml").write_text(text)
    told = answer("settings-diff", tmp_path / "vm.xml", tmp_path / "metal.xml")
    assert ("host", "metal", "vm") in [tuple(row.values())[-3:] for row in told]


def test_what_is_impossible_ends_a_strict_check(inside):
    done = inside("check", IMPOSSIBLE, "--ram", "7926928KiB", "--link", "usb3-5g", "--strict")
    assert done.returncode == 3
    assert "1.98 GB/s is 3.95 times the 500 MB/s" in " ".join(done.stdout.split())
    assert "prefilled=" not in done.stdout


@pytest.mark.skipif(os.name == "nt", reason="there is no pty")
def test_a_terminal_has_messages_wrapped_at_words(inside):
    import pty

    words = ("compare", VOLUMES, "-m", "slat_mean")
    command = [sys.executable, "-m", "fiotools", *words]
    ours, theirs = pty.openpty()
    options = {"cwd": ROOT, "env": environment(COLUMNS="60"), "stderr": theirs}
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, **options) as done:
        os.close(theirs)
        told = b""
        try:
            while part := os.read(ours, 4096):
                told += part
        except OSError:  # the end on Linux
            pass
        os.close(ours)
    assert done.returncode == 1
    first, *others = told.decode().splitlines()
    assert max(map(len, (first, *others))) <= 60
    assert others
    assert all(line.startswith("  ") for line in others)
    # no word is cut, and nothing is lost
    assert " ".join(told.decode().split()) == inside(*words).stderr.strip()


# --- plots --------------------------------------------------------------------------------------


def test_what_people_type_for_a_verb_is_answered_by_one_that_is_there(inside):
    for word, meant in MEANT.items():
        assert word not in VERBS
        verb, *kind = meant.split()
        assert verb in {*VERBS, "--version"}, meant
        assert not kind or verb != "plot" or kind[0] in {*KINDS, "KIND"}
    for kind in {*KINDS} - {*VERBS}:
        done = inside(kind, "run.json")
        assert (done.returncode, done.stdout) == (2, "")
        assert f"fiotools plot {kind} FILES" in done.stderr


DRAWN = {
    "repeats": (
        ["data/wsl-filesystems/{fs}_{op}_4k_{round:d}.txt", "-m", "bw", "--ceiling", "USB=9GB/s"],
        lambda res: ft.plot.repeats(res, "bw", ceilings={"USB": "9GB/s"}),
    ),
    "timings": (
        [CACHE, "--order", "before,after"],
        lambda res: ft.plot.timings(res, order=["before", "after"]),
    ),
    "ratios": (
        [VOLUMES, "--baseline", "vhdx", "--by", "direction"],
        lambda res: ft.plot.ratios(ft.compare(res, baseline="vhdx", by="direction")),
    ),
}


@pytest.mark.parametrize("kind", DRAWN)
def test_a_plot_is_the_library_s(inside, tmp_path, kind):
    """To the byte; a kind that draws an answer asks for it."""
    words, draw = DRAWN[kind]
    done = inside("plot", kind, *words, "-o", tmp_path / "typed.svg")
    assert (done.returncode, done.stdout) == (0, "")
    results = ft.read(words[0], frames="polars")
    ft.plot.style()
    ft.plot.save(draw(results), tmp_path / "called.svg", data=results)
    assert (tmp_path / "typed.svg").read_text() == (tmp_path / "called.svg").read_text()
