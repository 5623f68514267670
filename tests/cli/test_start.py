"""The first minutes of a newcomer: the first screen and the help, both fast."""

import inspect
import os
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
from fiotools.cli.app import VERBS, Verbs, command_of, run
from fiotools.cli.output import Trouble
from tests.cli.conftest import environment
from tests.conftest import ROOT


def test_without_arguments_it_tells_what_to_do_next(cli):
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


FILES = [f"data/how-many-runs/depth/16_{number}.json" for number in (1, 2)]


@pytest.mark.parametrize(
    ("code", "heavy"),
    [
        (
            "import fiotools",
            "pandas numpy polars scipy matplotlib msgspec orjson lxml pyarrow tqdm rich",
        ),
        (
            "import fiotools as ft; ft.read('data/how-many-runs/depth/16_1.json')",
            "pandas pyarrow scipy matplotlib seaborn narwhals tqdm rich typer zstandard fsspec dask"
            " fiotools.plot fiotools.dataset fiotools.readers.dd.reader fiotools.readers.diskspd.xml",
        ),
        (
            "from fiotools.input.read import read_batch, Task; from fiotools.input.sources import find;"
            " read_batch([*find(['data/how-many-runs/depth', 'data/page-cache'])], Task())",
            "pandas pyarrow scipy tqdm dask",
        ),
        ("import fiotools.cli.read", "pandas polars scipy matplotlib rich pydantic"),
        *(
            (
                f"from fiotools.cli import main; main({[*verb.split(), *FILES]})",
                "pandas pyarrow scipy.stats matplotlib pydantic fiotools.plot fiotools.dataset",
            )
            for verb in (
                "read --where rw=randread",
                "compare --metric iops",
                "compare --settings",
                "summarize --metric iops",
                "check",
            )
        ),
    ],
    ids=["import", "read", "worker", "verb", "see", "compare", "settings", "summarize", "check"],
)
def test_unneeded_modules_are_not_loaded(code, heavy):
    code = f"import sys; {code}; print(*sorted(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, encoding="utf-8", check=True
    )
    assert not {*heavy.split()} & {*done.stdout.split()}


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_is_a_function_of_its_name(verb):
    command = command_of(verb)
    assert command.run.__name__ == verb
    assert inspect.getdoc(command.run)
    assert all(shlex.split(example)[0] == verb for example in command.examples)


@pytest.mark.parametrize("verb", VERBS)
def test_the_help_of_a_verb_has_examples_that_parse(inside, verb):
    done = inside(verb, "--help")
    assert done.returncode == 0
    assert "Examples:" in done.stdout
    assert not any(odd in done.stdout for odd in ("{FILES}", "[[FILES]]"))
    # these read their files again
    assert verb not in ("convert", "report") or "standard input" not in done.stdout
    built = Verbs(name="fiotools").get_command(None, verb)
    assert command_of(verb).examples
    for example in command_of(verb).examples:
        assert f"  fiotools {example}\n" in done.stdout
        words = shlex.split(example.partition(" < ")[0].partition(" || ")[0])
        built.make_context(verb, words[1:])  # refuses an option that is not there


# the files that examples name, and what stands for them
STAND_INS = {
    **dict.fromkeys(
        ["run.json", "single.json", "one.json", "old/1.json", "one/1.json"],
        "data/how-many-runs/depth/16_1.json",
    ),
    **dict.fromkeys(
        ["mirror.json", "two.json", "new/1.json", "two/1.json"],
        "data/how-many-runs/depth/16_2.json",
    ),
    "a.json": "tests/fixtures/fio/fio-3.33--jsonplus-libaio.json",
    "b.json": "tests/fixtures/fio/fio-3.33--log-hist.json",
    "old/2.json": "data/how-many-runs/depth/16_3.json",
    **{
        f"{where}{name}.xml": f"data/dda-vhdx/xml/{name}.xml"
        for where in ("", "data/")
        for name in ("nvme", "vhdx")
    },
    "dd.txt": "data/wsl-vhdx/f_ext4-vhdx_write.txt",
    **dict.fromkeys(
        ["times.txt", "old/1.txt", "page-cache/before.txt"], "data/page-cache/before.txt"
    ),
    **dict.fromkeys(["new/1.txt", "page-cache/after.txt"], "data/page-cache/after.txt"),
    **{
        f"runs/xfs_{bs}_{at}.json": f"data/how-many-runs/depth/{depth}_{at}.json"
        for bs, depth in (("4k", 1), ("8k", 2))
        for at in (1, 2)
    },
    **{f"runs/xfs-{depth}.json": f"data/how-many-runs/depth/{depth}_1.json" for depth in (1, 2, 4)},
    **dict.fromkeys(
        ["run_clat_hist.1.log", "old_clat_hist.1.log", "new_clat_hist.1.log"],
        "tests/fixtures/fio/fio-3.33--log-hist_clat_hist.1.log",
    ),
    "run_iops.1.log": "data/how-many-runs/long/long_iops.1.log",
}


@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb not in ("measure", "report")])
def test_examples_run(inside, tmp_path, monkeypatch, verb):
    for name, source in STAND_INS.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).symlink_to(ROOT / source)
    monkeypatch.chdir(tmp_path)
    for example in command_of(verb).examples:
        command = example.partition(" || ")[0]
        words, _, given = command.partition(" < ")
        with open(given or os.devnull) as file:
            monkeypatch.setattr(sys, "stdin", file)
            done = inside(*shlex.split(words))
        assert done.returncode == 0, f"{example}\n{done.stderr}"
        if "-o" in words:
            assert (tmp_path / words.split()[words.split().index("-o") + 1]).exists()


def test_every_kind_of_plot_has_an_example():
    from fiotools.cli.plot import KINDS

    assert {example.split()[1] for example in command_of("plot").examples} == {*KINDS}


def test_choices_are_the_library_s():
    from dataclasses import fields

    from fiotools.cli import check as verb
    from fiotools.cli import options, plot
    from fiotools.plot import __all__ as drawn
    from fiotools.stats import check

    assert verb.Media == check.Media
    assert verb.Cache == check.Cache
    assert verb.Kind == check.Sides
    kinds = {*drawn} - {"save", "style", "title"}
    assert {*plot.KINDS} == kinds
    for kind, way in plot.KINDS.items():
        takes = way.takes
        there = inspect.signature(getattr(import_module("fiotools.plot"), kind)).parameters
        # of a statistic: what compare, plan, check, steady, best_under and merge_bins take
        own = ("ratios", "plan", "grid", "tails", "load", "credibility", "series", "cdf", "heatmap")
        if kind in own:
            takes = {*takes} & {"y", "x", "hue", "order"}
        renamed = {"ceiling": "ceilings", "round": "round_s"}
        assert {renamed.get(one, one) for one in takes} <= {*there}
    asked = {*inspect.signature(check.check).parameters} - {"results"}
    assert asked == {field.name for group in (verb.Known, options.Sides) for field in fields(group)}


def test_commands_in_messages_of_measure_exist():
    words = (ROOT / "fiotools" / "measure" / "messages.py").read_text(encoding="utf-8")
    typed = re.findall(r"\bfiotools ([a-z]+) ", words)
    assert {"measure", "compare"} <= {*typed} <= {*VERBS}


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("fiotools su", ["summarize"]),
        ("fiotools check --media ", ["hdd", "sata-ssd", "nvme", "ram"]),
        ("fiotools check --link usb2 --ca", ["--cache", "--capacity"]),
        ("fiotools compare --set", ["--settings"]),
        ("fiotools compare a.json --metric lat_m", ["lat_min", "lat_max", "lat_mean"]),
        ("fiotools plot th", ["throughput"]),
        ("fiotools summarize a.json --by direction,rwm", ["direction,rwmixread"]),
        ("fiotools read run.json --reader fio_j", ["fio_json"]),
        ("fiotools read run.json --table pe", ["percentiles"]),
        ("fiotools check run.json --link usb4", ["usb4-40g"]),
        ("fiotools describe io", ["iodepth", "ioengine", "io", "iops", "iops_min"]),
        ("fiotools run.json ", []),
    ],
)
def test_completion(monkeypatch, capsys, words, offered):
    at = str(len(words.split(" ")) - 1)
    asked = {"_FIOTOOLS_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": at}
    for name, value in asked.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(SystemExit):
        run([])
    assert capsys.readouterr().out.split()[: len(offered)] == offered


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_script(cli, shell):
    done = cli(env=environment(_FIOTOOLS_COMPLETE=f"source_{shell}"))
    assert done.returncode == 0
    assert "_FIOTOOLS_COMPLETE" in done.stdout


def test_debug_is_an_option_of_every_verb(inside):
    with pytest.raises(Trouble) as trouble:
        run(["read", "pyproject.toml", "--debug"])
    assert isinstance(trouble.value.__cause__, fiotools.FileError)
    with pytest.raises(typer.TyperException):
        run(["--debug", "read"])
