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

import polars as pl
import pytest

from fiotools.cli.output import WRITERS
from tests.cli.conftest import environment
from tests.conftest import ROOT

PATIENCE = 120  # seconds; a busy machine is no reason to fail
LIBAIO = ROOT / "tests/fixtures/fio/fio-3.33--libaio.json"
unix = pytest.mark.skipif(os.name == "nt", reason="signals and /dev are Unix's")


def start(*args, **changes):
    return subprocess.Popen(
        [sys.executable, "-m", "fiotools", *map(str, args)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env=environment(**changes),
    )


@pytest.fixture
def many(tmp_path):
    """A folder with more output than a pipe holds."""
    folder = tmp_path / "many"
    folder.mkdir()
    for at in range(200):
        os.link(LIBAIO, folder / f"{at}.json")
    return folder


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


def test_no_folder_is_made_for_a_file(inside, tmp_path):
    folder = tmp_path / "nowhere"
    for verb, name in ((["read", LIBAIO], "x.csv"), (["plot", "percentiles", LIBAIO], "x.svg")):
        done = inside(*verb, "-o", folder / name)
        assert (done.returncode, folder.exists()) == (1, False)
        assert done.stderr == f"fiotools: {folder}: there is no such folder\n"


def test_a_plot_is_where_the_message_says(inside, tmp_path):
    done = inside("plot", "percentiles", LIBAIO, "-o", tmp_path / "tail.SVG")
    assert done.stderr == f"fiotools: wrote {tmp_path / 'tail.svg'}\n"
    assert (tmp_path / "tail.svg").exists()


def test_a_device_is_written_to(inside):
    if not os.path.exists("/dev/full"):  # noqa: PTH110
        pytest.skip("there is no /dev/full here")
    done = inside("read", LIBAIO, "-f", "csv", "-o", "/dev/full")
    assert (done.returncode, done.stderr) == (1, "fiotools: /dev/full: No space left on device\n")


@unix
@pytest.mark.parametrize(
    "command",
    [
        ["read", LIBAIO, "-o", "{}.csv"],
        ["read", LIBAIO, "-o", "{}.parquet"],
        ["plot", "percentiles", LIBAIO, "-o", "{}.svg"],
    ],
    ids=["csv", "parquet", "figure"],
)
def test_a_full_disk(inside, mounted, command):
    place = mounted("size=8k")
    (place / "filling").write_bytes(b"x" * 8192)
    done = inside(*(str(word).format(place / "out") for word in command))
    assert done.returncode == 1
    assert done.stderr.endswith(": No space left on device\n")
    assert done.stderr.count("\n") == 1
    assert ".part" not in done.stderr
    assert [file.name for file in place.iterdir()] == ["filling"]


@unix
def test_a_folder_that_cannot_be_written(inside, mounted):
    place = mounted("ro")
    done = inside("read", LIBAIO, "-o", place / "out.csv")
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert done.stderr == f"fiotools: {place / 'out.csv'}: Read-only file system\n"


@unix
def test_a_folder_that_one_may_not_write(inside, tmp_path):
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    tmp_path.chmod(0o500)
    done = inside("read", LIBAIO, "-o", tmp_path / "out.csv")
    tmp_path.chmod(0o700)
    assert done.returncode == 1
    assert done.stderr == f"fiotools: {tmp_path / 'out.csv'}: Permission denied\n"


def test_a_terminal_without_unicode_has_plain_signs(cli):
    poor = environment(PYTHONUTF8="0", PYTHONIOENCODING="ascii")
    done = cli("check", "data/wsl-vhdx/f_ext4-vhdx_write.txt", "--link", "usb3-5g", env=poor)
    assert "\nx impossible  link " in done.stdout
    assert "\\" not in done.stdout


@unix
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_stdout_is_full(unbuffered):
    if not os.path.exists("/dev/full"):  # noqa: PTH110
        pytest.skip("there is no /dev/full here")
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "fiotools", "describe"],
            stdout=full,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            env=environment(PYTHONUNBUFFERED=unbuffered),
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr == "fiotools: standard output: No space left on device\n"


@unix
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_closed_pipe(unbuffered):
    listing = start("describe", "--format", "markdown", PYTHONUNBUFFERED=unbuffered)
    # closed before anything is written, as by a `head` that was quicker
    listing.stdout.close()
    assert listing.wait(PATIENCE) == -signal.SIGPIPE
    assert listing.stderr.read() == ""
    listing.stderr.close()


@unix
def test_a_pipe_closed_in_the_middle(many):
    reading = start("read", many, "--format", "json", PYTHONUNBUFFERED="1")
    assert reading.stdout.read(1) == "["
    reading.stdout.close()
    assert reading.wait(PATIENCE) == -signal.SIGPIPE
    assert "Traceback" not in reading.stderr.read()
    reading.stderr.close()


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


HOSTILE = {
    "formula": "=HYPERLINK(1)",
    "plus": "+1",
    "minus": "-cmd|' /C calc'!A0",
    "at": "@SUM(1)",
    "tab": "\t=1",
    "apostrophe": "'quoted'",
    "none": "dd if=a",
}


def test_no_text_of_a_file_becomes_a_formula(inside, tmp_path):
    """A job may have any name; numbers stay numbers."""
    told = json.loads(LIBAIO.read_text(encoding="utf-8"))
    job = told["jobs"][0]
    told["jobs"] = [{**job, "jobname": name} for name in HOSTILE.values()]
    log = tmp_path / "x.json"
    log.write_text(json.dumps(told), encoding="utf-8")
    written = tmp_path / "io.csv"
    assert inside("read", log, "-t", "io", "-o", written).returncode == 0
    piped = inside("read", log, "-t", "io", "-f", "csv").stdout
    assert piped == written.read_text(encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO(piped, newline="")))
    assert {row["job"].removeprefix("'") for row in rows} == set(HOSTILE.values())
    assert not [cell for row in rows for cell in row.values() if cell.startswith(tuple("=+-@\t"))]
    assert all(row["job"] == "dd if=a" for row in rows if not row["job"].startswith("'"))


def test_numbers_of_a_csv_stay_numbers():
    frame = pl.DataFrame({"offset": [-1.5, 2.0], "text": ["-1.5", None]})
    assert WRITERS["csv"](frame).decode().splitlines() == [
        "offset,text",
        "-1.5,'-1.5",
        "2.0,",
    ]
    assert frame["text"][0] == "-1.5"
