"""The first minutes of a newcomer: the first screen and the help, both fast."""

import re
import subprocess
import sys
import tomllib

import click
import pytest

import fiotools
from fiotools.cli import main, signatures
from fiotools.cli.app import app, run
from fiotools.cli.verbs import MEANT, SECTIONS, VERBS
from fiotools.notebooks.template import questions
from tests.cli.conftest import environment
from tests.conftest import ROOT


def test_the_first_screen(cli):
    """It lists every verb below what it is for, and says what to type first."""
    done = cli(env=environment(COLUMNS="80"))
    assert (done.returncode, done.stderr) == (0, "")
    for line in (
        "fiotools read run.json",
        "fiotools measure random-io",
        "fiotools formats",
        "--help",
        "Exit codes: 0 done; 1 a file was not read",
        "NAME=FILES",
    ):
        assert line in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
    for heading, verbs in SECTIONS.items():
        assert f"\n{heading}:\n" in done.stdout
        told = " ".join(done.stdout.split())
        for name, verb in verbs.items():
            assert f" {name} {verb.line or signatures.line(verb.asks)} " in told


def test_the_script_is_this_program():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["scripts"] == {"fiotools": f"{main.__module__}:{main.__name__}"}


def test_version_and_the_word_help(inside):
    assert inside("--version").stdout == f"fiotools {fiotools.__version__}\n"
    assert inside("help").stdout == inside("--help").stdout == inside().stdout
    assert inside("help", "read").stdout == inside("read", "--help").stdout
    assert "--dir" in inside("measure", "--help").stdout


KINDS = [*fiotools.plot.KINDS]
EVERY = [
    *(name for name in VERBS if name not in ("plot", "notebook", "measure")),
    *(f"plot {kind}" for kind in KINDS),
    *(f"notebook {one}" for one in questions()),
]


def built(name):
    command = app()
    for word in name.split():
        command = command.get_command(None, word)
    return command


def loaded(code):
    """Name the modules that a process has after some code."""
    code = f"import sys; {code}; print(*sorted(sys.modules), file=sys.stderr)"
    command, told = [sys.executable, "-c", code], {"capture_output": True, "encoding": "utf-8"}
    return {*subprocess.run(command, cwd=ROOT, check=True, **told).stderr.split()}


def test_help_loads_nothing_heavy():
    commands = [["--help"], ["compare", "--x"], *([*name.split(), "--help"] for name in EVERY)]
    found = loaded(f"from fiotools.cli import main; [main(one) for one in {commands}]")
    heavy = "pandas polars numpy scipy matplotlib seaborn narwhals lxml tqdm rich"
    assert not {*heavy.split()} & found


RUN = "data/how-many-runs/depth/16_1.json"
OTHER = RUN.replace("16_1", "16_2")
BATCH = """
from fiotools.input.read import read_batch, Task
from fiotools.input.sources import find
read_batch([*find(['data/how-many-runs/depth', 'data/page-cache'])], Task())
"""
BY_READING = (
    "pandas pyarrow scipy matplotlib seaborn narwhals tqdm rich click zstandard fsspec dask"
    " fiotools.plot fiotools.dataset fiotools.readers.dd.reader fiotools.readers.diskspd.xml"
)


@pytest.mark.parametrize(
    ("code", "heavy"),
    [
        ("import fiotools", f"{BY_READING} numpy polars msgspec orjson lxml"),
        (f"import fiotools as ft; ft.read({RUN!r})", BY_READING),
        (f"exec({BATCH!r})", "pandas pyarrow scipy tqdm dask"),
        ("import fiotools.cli.answers", "pandas polars scipy matplotlib rich"),
    ],
)
def test_unneeded_modules_are_not_loaded(code, heavy):
    assert not {*heavy.split()} & loaded(code)


@pytest.mark.parametrize("verb", ["read --where rw=randread", "compare --metric iops", "check"])
def test_a_verb_loads_only_what_it_needs(verb):
    found = loaded(f"from fiotools.cli import main; main({[*verb.split(), RUN, OTHER]})")
    heavy = "pandas pyarrow scipy.stats matplotlib fiotools.plot.frame fiotools.dataset"
    assert not {*heavy.split()} & found


@pytest.mark.parametrize("name", EVERY)
def test_the_help_of_a_verb(inside, monkeypatch, name):
    monkeypatch.setenv("COLUMNS", "80")
    done = inside(*name.split(), "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert max(map(len, done.stdout.splitlines())) <= 80
    # neither the marks of a docstring, nor what only a reader of Python has
    assert not re.search(r"`|>>>|----|=None|pandas|polars frame", done.stdout)


@pytest.mark.parametrize("name", EVERY)
def test_each_option_has_a_help_that_stands_alone(name):
    command = built(name)
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            _, told = parameter.get_help_record(click.Context(command))
            assert re.match(r"[A-Za-z'].*\S", told), (parameter.name, told)
            assert not re.match(r"Of |As |In |Such |Above |Which of ", told), (parameter.name, told)


def test_each_public_question_has_a_verb():
    questions = {
        name
        for name in fiotools.__all__
        if hasattr(getattr(fiotools, name), "door") or name in ("check", "gate")
    }
    asked = {verb.asks.partition(":")[2] for verb in VERBS.values()}
    # `read` shows the one, --combine and --wide do the others
    assert questions - asked <= {"combine", "overview", "crosstab"}
    assert {"overview", "combine"} <= {*MEANT}


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("fiotools su", ["summarize"]),
        ("fiotools check --media ", ["hdd", "sata-ssd", "nvme", "ram"]),
        ("fiotools check --link usb2 --ca", ["--cache", "--capacity"]),
        ("fiotools compare a.json --metric lat_m", ["lat_min", "lat_max", "lat_mean"]),
        ("fiotools summarize a.json --by direction,rwm", ["direction,rwmixread"]),
        ("fiotools read run.json --reader fio_j", ["fio_json"]),
        ("fiotools check run.json --link usb4", ["usb4-40g"]),
        ("fiotools describe io", ["iodepth", "ioengine", "io", "iops", "iops_min"]),
        ("fiotools plot run.json", []),
    ],
)
def test_completion(monkeypatch, capsys, words, offered):
    at = str(len(words.split(" ")) - 1)
    asked = {"_FIOTOOLS_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": at}
    for name, value in asked.items():
        monkeypatch.setenv(name, value)
    assert run([]) == 0
    lines = capsys.readouterr().out.splitlines()
    found = [line.removeprefix("plain,") for line in lines if line.startswith("plain,")]
    assert found[: len(offered)] == offered


def test_completion_script(monkeypatch, capsys):
    monkeypatch.setenv("_FIOTOOLS_COMPLETE", "fish_source")
    assert run([]) == 0
    assert "_FIOTOOLS_COMPLETE" in capsys.readouterr().out


def test_debug_is_an_option_of_every_verb():
    for words in (["read", "pyproject.toml", "--debug"], ["--debug", "read", "pyproject.toml"]):
        with pytest.raises(fiotools.cli.output.Trouble) as trouble:
            run(words)
        assert isinstance(trouble.value.__cause__, fiotools.FileError)
    with pytest.raises(click.UsageError):
        run(["--debug", "read"])
