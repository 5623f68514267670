"""An error is one line on stderr, in the words of the command line, and an exit code."""

import os
import shutil

import pytest

from tests.cli.conftest import environment
from tests.conftest import ROOT

VOLUMES = "data/dda-vhdx/xml/{volume}.xml"
CACHE = "data/page-cache/{cache}.txt"
APPENDED = "tests/fixtures/fio/fio-3.33--appended.json"
LIBAIO = "tests/fixtures/fio/fio-3.33--libaio.json"
CLONES = "tests/fixtures/fio/fio-3.33--clones.json"
CLONES = "tests/fixtures/fio/fio-3.33--clones.json"
GROUP = "tests/fixtures/fio/fio-3.33--group.txt"


def refused(done, code, *said):
    assert done.returncode == code
    assert done.stdout == ""
    assert done.stderr.startswith("fiotools: ")
    assert done.stderr.count("\n") == 1
    for words in said:
        assert words in done.stderr


@pytest.mark.parametrize(
    ("command", "said"),
    [
        # what the library says in Python is said in options
        (["compare", CLONES, GROUP, "-m", "iops"], "has 2 rows, but one number"),
        (
            ["compare", CLONES, GROUP, "-m", "iops"],
            "--combine run first, or",
        ),
        (["compare", VOLUMES, "-m", "slat_mean"], "there is no slat_mean: these files have iops"),
        (["compare", VOLUMES, "-m", "iosp"], "no column 'iosp'; did you mean 'iops'"),
        (["compare", VOLUMES, "-m", "p99"], "there is no p99: these files have no percentiles"),
        (["compare", CACHE, "-m", "real", "--baseline", "x"], "there are: 'after', 'before'"),
        (["compare", LIBAIO, "-m", "iops"], "give two files, NAME=FILES for each side"),
        (["summarize", VOLUMES, "-m", "iops", "--by", "volum"], "did you mean 'volume'"),
        (["read", LIBAIO, "--where", "dirction=read"], "did you mean 'direction'"),
        (["read", LIBAIO, "--where", "direction=raed"], "direction holds: read, write"),
        (["read", LIBAIO, "--where", "bs=huge"], "bs_bytes holds numbers"),
        (["read", LIBAIO, "--reader", "dd"], "without --reader"),
        (["read", "pyproject.toml"], "unknown format"),
        (["read", "nowhere.json"], "nowhere.json: no such file or folder"),
        (["read", "nowhere/*.json"], "no file matches"),
        (["read", "nowhere/{a}.json"], "no file matches the template"),
        (["read", "data/dda-vhdx/xml/{A}.xml"], "{A} is not a field"),
        (["read", LIBAIO, "-o", "nowhere/x.csv"], "nowhere: there is no such folder"),
        (["describe", "bandwith"], "no column 'bandwith'"),
        (
            [
                "plot",
                "repeats",
                VOLUMES,
                "-w",
                "direction=total",
                "-o",
                "x.svg",
                "--ceiling",
                "a=nan",
            ],
            "--ceiling a=nan is not a limit: write NAME=50000",
        ),
        (["plot", "heatmap", VOLUMES, "-o", "x.svg"], "about bins, and these files have none"),
        (["settings-diff", VOLUMES, "--baseline", "x"], "'x'"),
        (["compare", LIBAIO, "-m", "iops"], "only one side: give two files, NAME=FILES for each"),
        (
            ["compare", "data/how-many-runs/depth", "-m", "iops"],
            "or --between source or --between iodepth",
        ),
        (
            ["plot", "sweep", "data/sweep/{place}/randread_*.json", "-o", "x.svg"],
            "one curve differ in numjobs (1, 4): name it in --hue or --by, or keep one, --where",
        ),
        (["compare", APPENDED, "-m", "iops"], "NAME=FILES for each side"),
    ],
    ids=lambda value: " ".join(value)[-60:] if isinstance(value, list) else value[:30],
)
def test_no_answer(inside, command, said):
    refused(inside(*command), 1, said)
    assert not (ROOT / "x.svg").exists()


@pytest.mark.filterwarnings("default")
def test_a_condition_that_some_runs_lack_is_not_offered(inside, tmp_path):
    fio = (ROOT / "tests/fixtures/fio/fio-3.33--libaio.txt").read_text("utf-8")
    copy = "5242880 bytes (5.2 MB, 5.0 MiB) copied, 0.1 s, 52 MB/s\n"
    (tmp_path / "both.txt").write_text(f"{fio}\n$ dd if=/dev/zero of=x bs=1M count=5\n{copy}")
    said = inside("compare", tmp_path / "both.txt", "-m", "iops").stderr
    assert "only one side" in said
    assert "--between iodepth" not in said


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["compar"], "there is no verb 'compar'; did you mean 'compare'?"),
        (["Compare"], "there is no verb 'Compare'; did you mean 'compare'?"),
        (["compare"], "Missing argument 'FILES...'; fiotools compare --help shows how"),
        (["pyproject.toml"], "fiotools read pyproject.toml shows what is in it"),
        (["compare", VOLUMES, "--metrik", "iops"], "--metrik"),
        (["compare", VOLUMES, "--confidence", "much"], "--confidence"),
        (
            ["compare", VOLUMES, "--confidence", "95"],
            "95 is not a number from 0 to 1; fiotools compare",
        ),
        (["check", VOLUMES, "--media", "tape"], "--media tape is not one of hdd, sata-ssd"),
        (
            ["steady", LIBAIO, "-o", "x.csv", "--round", "ten"],
            "ten is not a time: write 10s",
        ),
        (
            ["compare", VOLUMES, "--by", "direction", "--band", "0.1", "--band", "0.2"],
            "given twice",
        ),
        (
            ["plot", "repeats", VOLUMES, "-o", "x.svg", "-m", "bw", "-m", "iops"],
            "--metric is given twice",
        ),
        (
            ["compare", VOLUMES, "--settings"],
            "compare does not take --settings: fiotools settings-diff",
        ),
        (["ci", VOLUMES], "there is no verb 'ci': fiotools gate HISTORY NEW --fail-if slower"),
        (["gate", LIBAIO], "one side alone takes limits"),
        (["gate", VOLUMES, "--fail-if", "p99 > much"], "not a rule"),
        (["combine", VOLUMES], "'combine': fiotools read FILES --combine run"),
        (["Overview", VOLUMES], "'Overview': fiotools read FILES --table overview"),
        (["best_under", VOLUMES], "did you mean 'best-under'?"),
        (["plot", "pie", VOLUMES, "-o", "x.svg"], "there is no plot 'pie'; there are: repeats, "),
        (["plot", "ratio", VOLUMES, "-o", "x.svg"], "did you mean 'ratios'?"),
        (
            ["plot", "timings", CACHE, "-o", "x.svg", "--log"],
            "plot timings does not take --log; fiotools plot timings --help shows how",
        ),
        (["plot", "timings", CACHE, "-o", "x.svg", "--ram", "8GB"], "timings does not take --ram"),
        (["plot", "series", CACHE, "-o", "x.svg", "--table", "io"], "series does not take --table"),
        (["plot", "timings", CACHE, "-o", "x.doc"], "a plot ends in .svg, .png, .pdf"),
        (
            ["plot", "repeats", VOLUMES, "-o", "x.svg", "--ceiling", "USB"],
            "USB is not NAME=VALUE",
        ),
        (["gate", VOLUMES, "-m", "iops", "--fail-if", "slower:"], "'slower:' is not a rule"),
        (["read", LIBAIO, "-o", "x/", "-f", "markdown"], "-o x/ is not a file"),
        (["read", LIBAIO, "-o", "x.doc"], ".parquet, .csv, .json, .jsonl, .xlsx, .html"),
        (["read", LIBAIO, "-o", "x.csv", "--format", "json"], "do not agree"),
        (["read", LIBAIO, "--format", "parquet"], "--format parquet is not one of table, json"),
        (
            ["read", LIBAIO, "-t", "io,runs", "-o", "x.csv"],
            "--table io,runs is not one of overview",
        ),
        (["read", "-", "-"], "standard input can be read once"),
        (["check", VOLUMES, "--ram", "much"], "--ram much is not a size"),
        (["check", VOLUMES, "--link", "usb9"], "--link usb9 is neither a rate nor one of usb2"),
        (["check", VOLUMES, "--copies", "many"], "--copies many is not a whole number"),
        (["read", LIBAIO, "--where", "iops >"], "is not a condition: write direction=read"),
        (["read", LIBAIO, "--where", "__import__('os').abort()"], "compares columns with values"),
        (["read", LIBAIO, "--where", "job.str.len() > 1"], "compares columns with values only"),
        (["read", LIBAIO, "--where", "@pd == 1"], "is not a condition"),
        (["read", LIBAIO, "--where", "(" * 3000], "is not a condition"),
        (["read", LIBAIO, "--table", "ios"], "--table ios is not one of overview, runs, jobs, set"),
        (["gate", VOLUMES, "--band", "5"], "--band: fiotools gate OLD NEW --fail-if slower:5%"),
        (["gate", VOLUMES, "--fail-if", "slower > 5%"], "not a rule; did you mean 'slower:5%'?"),
        (["plot", "series", LIBAIO, "--round-s", "1"], "not take --round-s; did you mean --round?"),
        (["plot", "series", LIBAIO, "--round_s", "1"], "not take --round_s; did you mean --round?"),
        (["plot", "series", LIBAIO, "--log-y"], "does not take --log-y; did you mean --log?"),
        (["plot", "series", LIBAIO, "--rond", "1s"], "does not take --rond; did you mean --round?"),
        (
            ["plot", "repeats", LIBAIO, "--palette", "#1b7837", "#762a83", "-o", "x.svg"],
            "commas part the colours: --palette '#1b7837,#762a83'",
        ),
        (["compare", VOLUMES, "--group", "x"], "does not take --group; did you mean --between?"),
        (["read", LIBAIO, "--reader", "nope"], "--reader nope is not one of crystaldiskmark, dd"),
        (["read", LIBAIO, "-o", "-", "-f", "csv"], "-o - is not a file"),
        (["read", "-c"], "fiotools read --help"),
        (["read", f"one={LIBAIO}", GROUP], "has no name"),
    ],
    ids=lambda value: " ".join(value)[-60:] if isinstance(value, list) else value[:30],
)
def test_wrong_command(inside, command, said):
    refused(inside(*command), 2, said)


def test_good_files_are_shown_beside_bad_ones(inside):
    done = inside("read", LIBAIO, "README.md", "nowhere.json", "--format", "csv")
    assert done.returncode == 1
    assert len(done.stdout.splitlines()) == 1 + 2
    assert [line.split(":")[1].strip() for line in done.stderr.splitlines()] == [
        "nowhere.json",
        "README.md",
    ]


def test_a_folder_without_results(inside, tmp_path):
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


HOSTILE = "a\x1b[2J\x07[red]\u202eb.txt"


def test_names_with_terminal_commands(inside, tmp_path):
    source = ROOT / "tests/fixtures/dd/gnu-dd-9.1--C_ibs1k_obs1M.txt"
    shutil.copy(source, tmp_path / HOSTILE)
    done = inside("read", tmp_path)
    assert done.returncode == 0
    assert not {"\x1b", "\x07", "\u202e"} & {*done.stdout}
    done = inside("read", tmp_path, "-t", "io")
    assert not {"\x1b", "\x07", "\u202e"} & {*done.stdout}
    assert "[red]" in done.stdout
    assert not {"\x1b", "\x07", "\u202e"} & {*inside("read", tmp_path / f"no{HOSTILE}").stderr}


@pytest.mark.skipif(os.name == "nt", reason="names of files are Unicode there")
def test_names_that_are_not_utf_8(inside, tmp_path):
    source = ROOT / "tests/fixtures/dd/gnu-dd-9.1--C_ibs1k_obs1M.txt"
    name = os.fsdecode(b"\xff\xfe.txt")
    try:
        shutil.copy(source, tmp_path / name)
    except OSError:
        pytest.skip("this file system takes only names that are text")
    for form in ("table", "json", "csv", "markdown"):
        assert inside("read", tmp_path, "--format", form).returncode == 0
    assert inside("read", tmp_path, "-o", tmp_path / "x.parquet").returncode == 0
    assert inside("read", tmp_path / f"x{name}").returncode == 1


@pytest.mark.parametrize("columns", ["0", "1", "30", "-5", "wide", "100000"])
def test_any_width(inside, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", columns)
    assert inside("read", LIBAIO).returncode == 0
    assert inside("check", LIBAIO).returncode == 0


def test_a_terminal_without_unicode(cli):
    done = cli("read", LIBAIO, env=environment(PYTHONUTF8="0", PYTHONIOENCODING="ascii"))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.isascii()
