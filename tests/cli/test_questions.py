"""Each question of the library, typed: its answer is the library's own."""

import json
import os
import subprocess
import sys
from itertools import product

import polars as pl
import pytest

import fiotools as ft
from fiotools.cli.app import app
from fiotools.cli.verbs import MEANT, VERBS
from fiotools.plot import KINDS
from tests.cli.conftest import environment
from tests.conftest import ROOT

VOLUMES = "data/dda-vhdx/xml/{volume}.xml"
ROUNDS = "data/how-many-runs/rounds/randread_{filesystem}_{round:d}.json"
LOG = "data/how-many-runs/long/long_iops.1.log"
HIST = "tests/fixtures/fio/fio-3.33--log-hist_clat_hist.1.log"
COARSE = "tests/fixtures/fio/fio-3.33--log-coarse_clat_hist.1.log"
BINS = "tests/fixtures/fio/fio-3.33--jsonplus-libaio.json"
CACHE = "data/page-cache/{cache}.txt"


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
        [ROUNDS, "-m", "iops", "--between", "filesystem", "--pair", "round", "--looks", "any"],
        lambda res: ft.compare(res, "iops", between="filesystem", pair="round", looks="any"),
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
        ["data/wsl-vhdx/f_ext4-vhdx_write.txt", "--link", "usb3-5g", "--prefilled"],
        lambda res: ft.check(res, link="usb3-5g", prefilled=True),
    ),
    "steady": (
        [LOG, "--round", "10s"],
        lambda res: ft.steady(res, round_s=10),
    ),
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
def test_the_answer_is_the_library_s(inside, verb):
    words, asks = ASKED[verb]
    done = inside(verb, *words, "--format", "json")
    assert done.returncode == 0, done.stderr
    # a source and a remedy are as they are typed
    both = json.loads(done.stdout), as_json(asks(library_read(words)))
    answered, expected = (
        [
            {name: one for name, one in row.items() if name not in ("source", "remedy")}
            for row in rows
        ]
        for rows in both
    )
    assert answered == expected


def test_each_question_is_typed_here():
    asked = {name for name, verb in VERBS.items() if verb.asks.startswith(".stats.")} - {"gate"}
    assert asked == {*ASKED}


def test_two_metrics_are_two_answers(inside, tmp_path):
    sides = ("compare", ROUNDS, "--between", "filesystem", "-m", "iops", "-m", "p99")
    rows = json.loads(inside(*sides, "-f", "json").stdout)
    assert [row["metric"] for row in rows] == ["iops", "p99_ns"]
    assert json.loads(inside(*sides[:4], "-m", "iops,p99", "-f", "json").stdout) == rows
    assert inside(*sides, "-o", tmp_path / "both.html").returncode == 0
    page = (tmp_path / "both.html").read_text()
    assert page.count("iops") >= 1 <= page.count("p99")


@pytest.mark.parametrize(
    ("options", "form", "says"),
    [
        ((), "table", "iops, against mirror"),
        ((), "table", "? +157 %"),
        ((), "csv", "direction,metric,unit,baseline,confidence,band,comparisons,mirror,nvme,vhdx,"),
        (("--by", "volume,direction"), "table", "--by"),
    ],
)
def test_a_wide_table_has_the_sides_across(inside, options, form, says):
    done = inside("compare", VOLUMES, "--wide", *options, "-f", form)
    assert says in done.stdout + done.stderr


def test_the_only_metric_is_taken(inside):
    done = inside("compare", CACHE, "--format", "json")
    (row,) = json.loads(done.stdout)
    assert (row["metric"], row["cache"], row["baseline"]) == ("real_s", "before", "after")
    done = inside("compare", "data/page-cache/before.txt")
    assert done.returncode == 1
    assert "there is only one side: give two files" in done.stderr
    # a column that is the same in all runs does not tell sides apart
    done = inside("compare", "data/how-many-runs/depth", "-m", "iops")
    assert "--between iodepth" in done.stderr
    assert "--between bs" not in done.stderr


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


@pytest.mark.skipif(os.name == "nt", reason="there is no pty")
def test_a_terminal_has_messages_wrapped_at_words(tmp_path):
    import pty

    command = [sys.executable, "-m", "fiotools", "compare", VOLUMES, "-m", "slat_mean"]
    shown = {}
    for columns in ("60", "1000"):
        ours, theirs = pty.openpty()
        done = subprocess.Popen(
            command,
            cwd=ROOT,
            env=environment(COLUMNS=columns),
            stdout=subprocess.DEVNULL,
            stderr=theirs,
        )
        os.close(theirs)
        told = b""
        while True:
            try:
                part = os.read(ours, 4096)
            except OSError:  # the end on Linux
                break
            if not part:
                break
            told += part
        os.close(ours)
        assert done.wait() == 1
        shown[columns] = told.decode().replace("\r\n", "\n")
    lines = shown["60"].splitlines()
    assert max(map(len, lines)) <= 60
    assert len(lines) > 1
    assert all(line.startswith("  ") for line in lines[1:])
    # no word is cut, and nothing is lost
    assert " ".join(shown["60"].split()) == " ".join(shown["1000"].split())
    assert shown["1000"].count("\n") == 1


def test_a_kind_of_plot_takes_its_own_options():
    """And those of the question whose answer it draws."""
    plots = app().get_command(None, "plot")
    taken = {
        kind: {name for one in plots.get_command(None, kind).params for name in one.opts}
        for kind in KINDS
    }
    assert {"--ceiling", "--log"} <= taken["repeats"]
    assert {"--between", "--baseline", "--pair"} <= taken["ratios"]
    assert not {"--ceiling", "--ram"} & taken["ratios"]
    assert "--ram" in taken["credibility"]
    assert all({"--title", "--where", "--output"} <= own for own in taken.values())


@pytest.fixture
def two_devices(tmp_path):
    """Two folders that fio wrote to, two depths, three runs of each."""
    told = json.loads((ROOT / "tests/fixtures/fio/fio-3.33--libaio.json").read_text("utf-8"))
    (job,) = told["jobs"]
    for device, depth, run in product(("disk", "mem"), (1, 8), (1, 2, 3)):
        job["job options"] |= {"directory": f"/mnt/{device}", "iodepth": str(depth)}
        (tmp_path / f"{device}-q{depth}-run{run}.json").write_text(json.dumps(told), "utf-8")
    return tmp_path


READS = ("--where", "direction=read")
FOUND = "The sides were found in the files: disk, mem"


def test_sides_are_those_of_a_report(inside, two_devices):
    for files in (two_devices, two_devices / "*.json"):
        done = inside("compare", files, *READS, "--by", "iodepth", "--format", "json")
        assert [(row["label"], row["iodepth"], row["n"]) for row in json.loads(done.stdout)] == [
            ("mem", 1, 3),
            ("mem", 8, 3),
        ]
        said = done.stderr.splitlines()
        assert f"fiotools: {FOUND}; --between names others" in said


def test_fields_that_count_or_were_swept_hold_no_sides(inside, two_devices):
    template = two_devices / "{device}-q{iodepth}-run{run}.json"
    done = inside("compare", template, *READS, "--format", "json")
    assert {row["device"] for row in json.loads(done.stdout)} == {"mem"}
    # a label that agrees with a condition, and one that counts, name no sides in Python either
    results = ft.read(two_devices / "{device}-{depth}-run{run}.json").where("direction=read")
    assert set(ft.compare(results, "iops").columns[:2]) == {"device", "baseline"}


def test_a_number_at_the_end_of_a_name_counts_runs(inside, tmp_path):
    text = (ROOT / "data/page-cache/before.txt").read_text("utf-8")
    for name in ("cold_1", "cold_2", "cold_3", "warm_1", "warm_2", "warm_3"):
        (tmp_path / f"{name}.txt").write_text(text, "utf-8")
    done = inside("speedup", tmp_path, "-m", "real", "--format", "json")
    (row,) = json.loads(done.stdout)
    assert (row["label"], row["baseline"], row["n"]) == ("warm", "cold", 3)


def test_files_of_two_folders_that_a_shell_listed(inside, tmp_path):
    text = (ROOT / "data/page-cache/before.txt").read_text("utf-8")
    for name in ("old/1.txt", "old/2.txt", "new/1.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    files = sorted(tmp_path.glob("*/*.txt"))
    said = inside("compare", *files, "-m", "real").stderr
    assert "Each of the 3 files is a side; for two sides quote the globs: " in said
    assert f"'{tmp_path / 'new'}/*' '{tmp_path / 'old'}/*'" in said
