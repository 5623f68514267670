"""A file is written whole or not at all, whatever stops the writing; streams end cleanly."""

import csv
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from zipfile import ZipFile

import polars as pl
import pytest

import fiotools as ft
from fiotools.cli.output import ENDINGS
from tests.cli.conftest import VOLUMES, environment
from tests.conftest import ROOT
from tests.datasets import write_results

PATIENCE = 300  # seconds; a busy machine is no reason to fail
LIBAIO = ROOT / "tests/fixtures/fio/fio-3.33--libaio.json"
unix = pytest.mark.skipif(os.name == "nt", reason="signals and /dev are Unix's")
needs_full = pytest.mark.skipif(not os.access("/dev/full", os.F_OK), reason="there is no /dev/full")


def start(*args, stdout=subprocess.PIPE, **changes):
    return subprocess.Popen(
        [sys.executable, "-m", "fiotools", *map(str, args)],
        stdout=stdout,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env=environment(**changes),
    )


@pytest.fixture
def mounted(tmp_path):
    """Mount a small file system, or skip the test if that is not allowed."""
    place = tmp_path / "mounted"
    place.mkdir()

    def mount(options):
        command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(place)]
        try:
            done = subprocess.run(command, capture_output=True, check=False)
        except FileNotFoundError:
            pytest.skip("there is no mount here")
        if done.returncode:
            pytest.skip("a tmpfs can be mounted by root only")
        return place

    yield mount
    subprocess.run(["umount", str(place)], capture_output=True, check=False)


# --- forms --------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ENDINGS)
def test_an_answer_is_written_by_its_ending(inside, tmp_path, ending):
    if ending == ".xlsx":
        pytest.importorskip("xlsxwriter", reason="xlsxwriter is not installed")
    target = tmp_path / f"answer{ending}"
    sides = ("compare", VOLUMES, "--metric", "iops", "--by", "direction")
    assert inside(*sides, "-o", target).returncode == 0
    content = target.read_bytes()
    assert content
    if ending == ".jsonl":
        rows = [json.loads(line) for line in content.splitlines()]
        assert {row["direction"] for row in rows} == {"total", "read", "write"}
    elif ending == ".html":
        assert b"1.41" in content
    elif ending == ".parquet":
        assert pl.read_parquet(target)["ratio"].len() == 6


HOSTILE = ("=HYPERLINK(1)", "+1", "-cmd|' /C calc'!A0", "@SUM(1)", "\t=1", "'quoted'", "dd if=a")


def test_no_text_of_a_file_becomes_a_formula(inside, tmp_path):
    """A job may have any name; numbers stay numbers."""
    told = json.loads(LIBAIO.read_text(encoding="utf-8"))
    job = told["jobs"][0]
    told["jobs"] = [{**job, "jobname": name} for name in HOSTILE]
    log = tmp_path / "x.json"
    log.write_text(json.dumps(told), encoding="utf-8")
    written = tmp_path / "io.csv"
    assert inside("read", log, "-t", "io", "-o", written).returncode == 0
    piped = inside("read", log, "-t", "io", "-f", "csv").stdout
    assert piped == written.read_text(encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO(piped, newline="")))
    assert {row["job"].removeprefix("'") for row in rows} == {*HOSTILE}
    assert not [cell for row in rows for cell in row.values() if cell.startswith(tuple("=+-@\t"))]
    assert all(row["job"] == "dd if=a" for row in rows if not row["job"].startswith("'"))


def test_a_workbook_holds_no_formulas(inside, tmp_path):
    pytest.importorskip("xlsxwriter", reason="xlsxwriter is not installed")
    times, target = tmp_path / "a.txt", tmp_path / "a.xlsx"
    times.write_text("$ time =1+1\n\nreal\t0m1.000s\nuser\t0m0.100s\nsys\t0m0.100s\n")
    assert inside("read", times, "-t", "timings", "-o", target).returncode == 0
    with ZipFile(target) as book:
        assert b"<f>" not in book.read("xl/worksheets/sheet1.xml")


# --- datasets -----------------------------------------------------------------------------------


def test_a_conversion_says_what_it_did(inside, tmp_path):
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


def test_a_dataset_has_the_names_and_tables_asked_for(inside, answer, tmp_path):
    old, new = write_results(tmp_path / "old", 2), write_results(tmp_path / "new", 2, start=2)
    path = tmp_path / "ds"
    done = inside("convert", f"old={old}", f"new={new}", "-o", path, "--table", "io")
    assert done.returncode == 0
    assert [*ft.open_dataset(path)] == ["io", "notes"]
    assert [row["label"] for row in answer("read", path)] == ["old", "old", "new", "new"]
    missing = inside("read", path, "--table", "runs")
    assert missing.returncode == 2
    assert "the dataset has no table 'runs', only io, notes" in missing.stderr


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ("run.json", 2, "--output"),
        ("- -o ds", 2, "convert reads files that can be read again, and not -"),
        ("a=one two -o ds", 2, "two has no name: write NAME=two, or name none"),
        ("data/page-cache -o ds --table x", 2, "--table x is not one of runs, jobs"),
        ("data/page-cache -o zz://x", 1, "zz://x/_fiotools.json: Protocol not known: zz"),
    ],
)
def test_a_conversion_that_cannot_be(inside, words, code, said):
    done = inside("convert", *words.split())
    assert (done.returncode, done.stdout) == (code, "")
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


# --- files --------------------------------------------------------------------------------------


def test_a_file_is_replaced_and_keeps_its_rights(inside, tmp_path):
    file = tmp_path / "out.csv"
    file.write_text("old\n")
    file.chmod(0o640)
    link = tmp_path / "link.csv"
    link.symlink_to(file)
    assert inside("read", LIBAIO, "-o", link).returncode == 0
    assert link.is_symlink()
    assert file.read_text().startswith("source,")
    assert file.stat().st_mode & 0o777 == 0o640


def test_a_failed_read_keeps_the_old_output(inside, tmp_path):
    file = tmp_path / "out.csv"
    file.write_text("old\n")
    assert inside("read", "pyproject.toml", "-o", file).returncode == 1
    assert file.read_text() == "old\n"


def test_inputs_are_not_overwritten(inside, tmp_path):
    raw = tmp_path / "io.json"
    shutil.copy(LIBAIO, raw)
    for out in (raw, tmp_path / "../" / tmp_path.name / "io.json"):
        done = inside("read", raw, "--format", "json", "-o", out)
        assert done.returncode == 2
        assert "io.json is being read: write to another file" in done.stderr
    assert raw.read_bytes() == LIBAIO.read_bytes()
    assert [file.name for file in tmp_path.iterdir()] == ["io.json"]
    # what was written there before is no raw data
    for _ in range(2):
        assert inside("read", tmp_path, "-o", tmp_path / "io.csv").returncode == 0


def test_a_plot_is_where_the_message_says(inside, tmp_path):
    done = inside("plot", "percentiles", LIBAIO, "-o", tmp_path / "tail.SVG")
    assert done.stderr == f"fiotools: wrote {tmp_path / 'tail.svg'}\n"
    assert (tmp_path / "tail.svg").exists()


@needs_full
def test_a_device_is_written_to(inside):
    done = inside("read", LIBAIO, "-f", "csv", "-o", "/dev/full")
    assert (done.returncode, done.stderr) == (1, "fiotools: /dev/full: No space left on device\n")


@unix
@pytest.mark.parametrize(
    ("command", "ending"),
    [
        (["read"], ".csv"),
        (["plot", "percentiles"], ".svg"),
    ],
)
def test_a_full_disk(inside, mounted, command, ending):
    place = mounted("size=8k")
    (place / "filling").write_bytes(b"x" * 8192)
    done = inside(*command, LIBAIO, "-o", place / f"out{ending}")
    assert done.returncode == 1
    assert done.stderr.endswith(": No space left on device\n")
    assert done.stderr.count("\n") == 1
    assert ".part" not in done.stderr
    assert [file.name for file in place.iterdir()] == ["filling"]


# --- streams ------------------------------------------------------------------------------------


def test_a_terminal_without_unicode_has_plain_signs(cli):
    poor = environment(PYTHONUTF8="0", PYTHONIOENCODING="ascii")
    done = cli("check", "data/wsl-vhdx/f_ext4-vhdx_write.txt", "--link", "usb3-5g", env=poor)
    assert (done.returncode, done.stderr) == (0, "")
    assert "\nx impossible  link " in done.stdout
    assert done.stdout.isascii()
    assert "\\" not in done.stdout


@unix
@needs_full
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_stdout_is_full(unbuffered):
    with open("/dev/full", "w") as full:
        listing = start("describe", stdout=full, PYTHONUNBUFFERED=unbuffered)
    _, said = listing.communicate(timeout=PATIENCE)
    assert listing.returncode == 1
    assert said == "fiotools: standard output: No space left on device\n"


@unix
def test_a_closed_pipe():
    listing = start("describe", "--format", "markdown")
    # closed before anything is written, as by a `head` that was quicker
    listing.stdout.close()
    assert listing.wait(PATIENCE) == -signal.SIGPIPE
    assert listing.stderr.read() == ""
    listing.stderr.close()


# how a command is held in the middle: what it does next says so, and never ends
HELD = """
import pathlib, sys, time

def held(*args, **options):
    pathlib.Path({mark!r}).touch()
    time.sleep({patience})
"""
LOADING = """
class Finder:
    def find_spec(name, path=None, target=None):
        if name == "click":
            held()

sys.meta_path.insert(0, Finder)
"""
READING = """
import fiotools.input.read
fiotools.input.read.read = held
"""
WRITING = """
import os
os.fsync = held
"""


@unix
@pytest.mark.parametrize(
    ("what", "parts"),
    [(LOADING, 0), (READING, 0), (WRITING, 1)],
    ids=["loading", "reading", "writing"],
)
def test_ctrl_c(tmp_path, what, parts):
    mark, out = tmp_path / "held", tmp_path / "out"
    out.mkdir()
    begin = HELD.format(mark=str(mark), patience=PATIENCE)
    (tmp_path / "sitecustomize.py").write_text(begin + what)
    running = start("read", LIBAIO, "-o", out / "io.parquet", PYTHONPATH=str(tmp_path))
    try:
        end = time.monotonic() + PATIENCE
        while not mark.exists() and running.poll() is None and time.monotonic() < end:
            time.sleep(0.02)
        assert len(list(out.iterdir())) == parts
        running.send_signal(signal.SIGINT)
        stdout, stderr = running.communicate(timeout=PATIENCE)
    finally:
        running.kill()
        running.communicate()
    assert running.returncode == -signal.SIGINT  # a loop in the shell stops too
    assert (stdout, stderr) == ("", "fiotools: interrupted\n")
    assert list(out.iterdir()) == []


@unix
def test_closed_streams():
    for closing, code in ((">&-", 1), ("2>&-", 0)):
        command = f'exec "{sys.executable}" -m fiotools describe {closing}'
        done = subprocess.run(
            ["sh", "-c", command], capture_output=True, env=environment(), check=False
        )
        assert done.returncode == code
        assert b"Traceback" not in done.stderr
