"""An error is one line on stderr, in the words of the command line, and an exit code."""

import os
import shlex
import shutil

import pytest

from tests.cli.conftest import CACHE, DD, LIBAIO, VOLUMES, environment
from tests.conftest import ROOT

FIXTURES = "tests/fixtures/fio/fio-3.33--"
FILES = {
    "VOLUMES": VOLUMES,
    "CACHE": CACHE,
    "LIBAIO": LIBAIO,
    "CLONES": f"{FIXTURES}clones.json",
    "GROUP": f"{FIXTURES}group.txt",
    "DEPTH": "data/how-many-runs/depth",
    "SWEEP": "data/sweep/{place}/randread_*.json",
}


def words(command):
    return [FILES.get(word, word) for word in shlex.split(command)]


def refused(done, code, said):
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr.startswith("fiotools: ")
    assert done.stderr.count("\n") == 1
    assert said in done.stderr


@pytest.mark.parametrize(
    ("command", "said"),
    [
        # what the library says in Python is said in options
        ("compare CLONES GROUP -m iops", "--combine run first, or"),
        ("compare VOLUMES -m slat_mean", "there is no slat_mean: these files have iops"),
        ("compare CACHE -m real --baseline x", "there are: 'after', 'before'"),
        ("compare LIBAIO -m iops", "only one side: give two files, NAME=FILES for each"),
        ("compare DEPTH -m iops", "or --between source or --between iodepth"),
        ("summarize VOLUMES -m iops --by volum", "did you mean 'volume'"),
        ("read VOLUMES --sort iop", "--sort iop: there is no column 'iop'; did you mean 'iops'"),
        ("read LIBAIO --reader dd", "without --reader"),
        ("read nowhere.json", "nowhere.json: no such file or folder"),
        ("read nowhere/*.json", "no file matches"),
        ("read nowhere/{a}.json", "no file matches the template"),
        ("read LIBAIO -o nowhere/x.csv", "nowhere: there is no such folder"),
        ("plot percentiles LIBAIO -o nowhere/x.svg", "nowhere: there is no such folder"),
        ("describe bandwith", "no column 'bandwith'"),
        (
            "plot repeats VOLUMES -w direction=total -o x.svg --ceiling a=nan",
            "--ceiling a=nan is not a limit: write NAME=50000",
        ),
        ("plot sweep SWEEP -o x.svg", "in numjobs (1, 4): name it in --hue or --by, or keep one"),
        ("settings-diff CACHE", "about settings, and these files have none"),
    ],
)
def test_no_answer(inside, command, said):
    refused(inside(*words(command)), 1, said)
    assert not (ROOT / "x.svg").exists()
    assert not (ROOT / "nowhere").exists()


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("Compare", "there is no verb 'Compare'; did you mean 'compare'?"),
        ("compare", "Missing argument 'FILES...'; fiotools compare --help shows how"),
        ("pyproject.toml", "fiotools read pyproject.toml shows what is in it"),
        ("compare VOLUMES --confidence 95", "95 is not a number from 0 to 1; fiotools compare"),
        ("compare VOLUMES --by direction --band 0.1 --band 0.2", "given twice"),
        ("compare VOLUMES --settings", "does not take --settings: fiotools settings-diff"),
        ("compare VOLUMES --group x", "does not take --group; did you mean --between?"),
        ("check VOLUMES --media tape", "--media tape is not one of hdd, sata-ssd"),
        ("check VOLUMES --link usb9", "--link usb9 is neither a rate nor one of usb2"),
        ("check VOLUMES --copies many", "--copies many is not a whole number"),
        ("steady LIBAIO -o x.csv --round ten", "ten is not a time: write 10s"),
        ("ci VOLUMES", "there is no verb 'ci': fiotools gate HISTORY NEW --fail-if slower"),
        ("combine VOLUMES", "'combine': fiotools read FILES --combine run"),
        ("gate LIBAIO", "one side alone takes limits"),
        ("gate VOLUMES --fail-if 'slower > 5%'", "not a rule; did you mean 'slower:5%'?"),
        ("gate VOLUMES --band 5", "--band: fiotools gate OLD NEW --fail-if slower:5%"),
        ("plot pie VOLUMES -o x.svg", "there is no plot 'pie'; there are: repeats, "),
        ("plot ratio VOLUMES -o x.svg", "did you mean 'ratios'?"),
        ("plot repeats VOLUMES -o x.svg --ceiling USB", "USB is not NAME=VALUE"),
        ("plot timings CACHE -o x.svg --log", "plot timings does not take --log; fiotools plot"),
        ("plot timings CACHE -o x.doc", "a plot ends in .svg, .png, .pdf"),
        (
            "plot repeats LIBAIO --palette '#1b7837' '#762a83' -o x.svg",
            "commas part the colours: --palette '#1b7837,#762a83'",
        ),
        ("read LIBAIO -o - -f csv", "-o - is not a file"),
        ("read LIBAIO -o x.doc", ".parquet, .csv, .json, .jsonl, .xlsx, .html"),
        ("read LIBAIO -o x.csv --format json", "do not agree"),
        ("read LIBAIO --format parquet", "--format parquet is not one of table, json"),
        ("read LIBAIO -t io,runs -o x.csv", "--table io,runs is not one of overview"),
        ("read - -", "standard input can be read once"),
        (f"read one={LIBAIO} GROUP", "has no name"),
        ("read LIBAIO --where 'iops >'", "is not a condition: write direction=read"),
        ('''read LIBAIO --where "__import__('os').abort()"''', "compares columns with values"),
    ],
)
def test_wrong_command(inside, command, said):
    refused(inside(*words(command)), 2, said)


def test_good_files_are_shown_beside_bad_ones(inside, tmp_path):
    done = inside("read", LIBAIO, "README.md", "nowhere.json", "--format", "csv")
    assert done.returncode == 1
    assert len(done.stdout.splitlines()) == 1 + 2
    named = [line.split(":")[1].strip() for line in done.stderr.splitlines()]
    assert named == ["nowhere.json", "README.md"]
    (tmp_path / "a.txt").write_text("hello\n")
    done = inside("read", tmp_path)
    assert done.returncode == 1
    assert "a.txt: unknown format" in done.stderr
    assert "none of these files can be read" in done.stderr


def test_a_bug_is_one_line_too(cli, tmp_path):
    (tmp_path / "sitecustomize.py").write_text(
        "import fiotools.input.read\nfiotools.input.read.read = lambda *a, **k: 1 / 0\n"
    )
    env = environment(PYTHONPATH=str(tmp_path))
    done = cli("read", LIBAIO, env=env)
    assert done.returncode == 1
    assert done.stderr == (
        "fiotools: ZeroDivisionError: division by zero (a bug of fiotools; --debug shows where)\n"
    )
    assert "Traceback" in cli("read", LIBAIO, "--debug", env=env).stderr


def test_names_with_terminal_commands(inside, tmp_path):
    hostile = "a\x1b[2J\x07[red]\u202eb.txt"
    shutil.copy(ROOT / DD, tmp_path / hostile)
    overview, table = inside("read", tmp_path), inside("read", tmp_path, "-t", "io")
    absent = inside("read", tmp_path / f"no{hostile}")
    assert (overview.returncode, table.returncode, absent.returncode) == (0, 0, 1)
    assert "[red]" in table.stdout
    assert not {"\x1b", "\x07", "\u202e"} & {*overview.stdout, *table.stdout, *absent.stderr}


@pytest.mark.skipif(os.name == "nt", reason="names of files are Unicode there")
def test_names_that_are_not_utf_8(inside, tmp_path):
    name = os.fsdecode(b"\xff\xfe.txt")
    try:
        shutil.copy(ROOT / DD, tmp_path / name)
    except OSError:
        pytest.skip("this file system takes only names that are text")
    for form in ("table", "json"):
        assert inside("read", tmp_path, "--format", form).returncode == 0
    assert inside("read", tmp_path, "-o", tmp_path / "x.parquet").returncode == 0
    assert inside("read", tmp_path / f"x{name}").returncode == 1


@pytest.mark.parametrize("columns", ["0", "30", "-5", "wide"])
def test_any_width(inside, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", columns)
    assert inside("read", LIBAIO).returncode == 0
    assert inside("check", LIBAIO).returncode == 0
