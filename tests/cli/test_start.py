"""What a newcomer sees first: the first screen, the help, and that both are there at once."""

import inspect
import re
import shlex
import subprocess
import sys
import tomllib
from importlib import import_module

import pytest
import typer

import fiotools
from fiotools.cli import main
from fiotools.cli.app import VERBS, Verbs, command_of
from fiotools.cli.run import run
from tests.cli.conftest import environment
from tests.conftest import ROOT


def test_alone_it_says_what_to_do_next(cli):
    done = cli()
    assert done.returncode == 0
    assert done.stderr == ""
    for line in (
        "fiotools read run.json",
        "fiotools measure random-io",
        "fiotools formats",
        "--help",
    ):
        assert line in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_help_lists_every_verb(cli):
    done = cli("--help")
    assert done.returncode == 0
    listed = done.stdout.partition("Verbs:\n")[2].split("\n\n")[0].splitlines()
    assert [line.split()[0] for line in listed] == list(VERBS)


def test_the_script_is_this_program():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["scripts"] == {"fiotools": f"{main.__module__}:{main.__name__}"}


def test_commands_in_the_readme_run(inside, tmp_path, monkeypatch):
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```sh\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines()]
    commands = [line for line in lines if line.startswith("fiotools ")]
    assert len(commands) >= 4
    (tmp_path / "data").symlink_to(ROOT / "data")
    monkeypatch.chdir(tmp_path)  # what they write belongs there
    for command in commands:
        done = inside(*shlex.split(command, comments=True)[1:])
        assert done.returncode == 0, f"{command}\n{done.stderr}"
    assert (tmp_path / "ratios.svg").exists()


def test_version_and_the_word_help(inside):
    assert inside("--version").stdout == f"fiotools {fiotools.__version__}\n"
    assert inside("help").stdout == inside("--help").stdout
    assert inside("help", "read").stdout == inside("read", "--help").stdout


def test_help_loads_nothing_heavy():
    code = (
        "import sys; from fiotools.cli import main; main(['--help']);"
        "print(*sorted(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True
    )
    heavy = [
        "pandas",
        "polars",
        "numpy",
        "scipy",
        "matplotlib",
        "seaborn",
        "narwhals",
        "lxml",
        "tqdm",
        "rich",
    ]
    assert not {*heavy} & {*done.stderr.split()}


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_is_a_module_of_its_name(verb):
    command = command_of(verb)
    assert command.run.__name__ == verb
    assert inspect.getdoc(command.run)
    assert all(shlex.split(example)[0] == verb for example in command.examples)


@pytest.mark.parametrize("verb", VERBS)
def test_the_help_of_a_verb_has_examples_that_parse(inside, verb):
    done = inside(verb, "--help")
    assert done.returncode == 0
    assert "Examples:" in done.stdout
    built = Verbs(name="fiotools").get_command(None, verb)
    assert command_of(verb).examples
    for example in command_of(verb).examples:
        assert f"  fiotools {example}\n" in done.stdout
        words = shlex.split(example.partition(" < ")[0].partition(" || ")[0])
        built.make_context(verb, words[1:])  # refuses an option that is not there


def test_choices_are_the_library_s():
    from typing import get_args, get_type_hints

    from fiotools.cli import drawing, evidence, options
    from fiotools.cli.verbs import check, plot
    from fiotools.plot import __all__ as drawn
    from fiotools.stats import credibility, ratio

    for name in ("Media", "Cache", "Sides"):
        assert getattr(evidence, name) == getattr(credibility, name)
    assert options.Method.__origin__ == ratio.Method
    kinds = {*drawn} - {"save", "style", "title"}
    assert {*get_args(plot.Kind)} == {*drawing.TAKES} == kinds
    assert get_type_hints(plot.plot)["kind"] == plot.Kind
    for kind, takes in drawing.TAKES.items():
        there = inspect.signature(getattr(import_module("fiotools.plot"), kind)).parameters
        # of a statistic: what compare, check, steady, best_under and merge_bins take
        if kind in ("ratios", "load", "credibility", "series", "cdf", "heatmap"):
            takes = {*takes} & {"y", "x", "hue", "order"}
        assert {*takes} <= {*there}
    asked = {*inspect.signature(credibility.check).parameters} - {"results"}
    assert asked <= {*inspect.signature(check.check).parameters}
    assert asked <= {*inspect.signature(plot.plot).parameters}


def test_what_measure_says_to_type_is_a_command():
    words = (ROOT / "fiotools" / "measure" / "words.py").read_text(encoding="utf-8")
    typed = re.findall(r"\bfiotools ([a-z]+) ", words)
    assert {"measure", "compare"} <= {*typed} <= {*VERBS}


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("fiotools su", ["summarize"]),
        ("fiotools check --media ", ["hdd", "sata-ssd", "nvme", "ram"]),
        ("fiotools compare --set", ["--settings"]),
    ],
)
def test_completion(cli, words, offered):
    at = str(len(words.split(" ")) - 1)
    asked = {"_FIOTOOLS_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": at}
    assert cli(env=environment(**asked)).stdout.split() == offered


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_script(cli, shell):
    done = cli(env=environment(_FIOTOOLS_COMPLETE=f"source_{shell}"))
    assert done.returncode == 0
    assert "_FIOTOOLS_COMPLETE" in done.stdout


def test_debug_is_an_option_of_every_verb(inside):
    with pytest.raises(fiotools.SchemaError):
        run(["read", "nowhere.json", "--table", "nothing", "--debug"])
    with pytest.raises(typer.TyperException):
        run(["--debug", "nothing"])
