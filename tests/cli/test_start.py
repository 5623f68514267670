"""The first minutes of a newcomer: the first screen and the help, both fast."""

import os
import re
import shlex
import subprocess
import sys
import tomllib

import click
import pytest

import fiotools
from fiotools.cli import main, notebook
from fiotools.cli.app import app, run
from fiotools.cli.output import Trouble
from fiotools.cli.plot import KINDS
from fiotools.cli.verbs import VERBS
from fiotools.notebooks.questions import questions
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
    for name, verb in VERBS.items():
        assert re.search(rf"^  {name} +{re.escape(verb.line)}$", done.stdout, re.MULTILINE)


def test_the_script_is_this_program():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["scripts"] == {"fiotools": f"{main.__module__}:{main.__name__}"}


def test_version_and_the_word_help(inside):
    assert inside("--version").stdout == f"fiotools {fiotools.__version__}\n"
    assert inside("help").stdout == inside("--help").stdout
    assert inside("help", "read").stdout == inside("read", "--help").stdout


def test_help_loads_nothing_heavy():
    commands = [["--help"], *([*name.split(), "--help"] for name in EVERY), ["compare", "--x"]]
    code = (
        f"import sys; from fiotools.cli import main; [main(one) for one in {commands}];"
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
            "pandas pyarrow scipy matplotlib seaborn narwhals tqdm rich click zstandard fsspec dask"
            " fiotools.plot fiotools.dataset fiotools.readers.dd.reader fiotools.readers.diskspd.xml",
        ),
        (
            "from fiotools.input.read import read_batch, Task; from fiotools.input.sources import find;"
            " read_batch([*find(['data/how-many-runs/depth', 'data/page-cache'])], Task())",
            "pandas pyarrow scipy tqdm dask",
        ),
        ("import fiotools.cli.read", "pandas polars scipy matplotlib rich"),
        *(
            (
                f"from fiotools.cli import main; main({[*verb.split(), *FILES]})",
                "pandas pyarrow scipy.stats matplotlib fiotools.plot fiotools.dataset",
            )
            for verb in (
                "read --where rw=randread",
                "compare --metric iops",
                "settings-diff",
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


def every():
    """Name each verb, each kind of plot and each notebook, with its facts."""
    yield from ((name, one) for name, one in VERBS.items() if name not in ("plot", "notebook"))
    yield from ((f"plot {kind}", own.verb(kind)) for kind, own in KINDS.items())
    yield from ((f"notebook {one}", notebook.verb(one)) for one in questions())


EVERY = dict(every())


def built(name):
    command = app()
    for word in name.split():
        command = command.get_command(None, word)
    return command


@pytest.mark.parametrize("name", EVERY)
def test_the_help_of_a_verb(inside, monkeypatch, name):
    monkeypatch.setenv("COLUMNS", "80")
    done = inside(*name.split(), "--help")
    assert (done.returncode, done.stderr) == (0, "")
    told, _, examples = done.stdout.partition("\n  Examples:\n")
    assert max(map(len, told.splitlines())) <= 80
    # neither the marks of a docstring, nor what only a reader of Python has
    assert not re.search(r"`|As in|Results|frame\b|=None|pandas|polars frame", told)
    # these read their files again
    assert name not in ("convert", "report") or "standard input" not in told
    # an example has only options that are there
    facts = EVERY[name]
    assert facts.examples
    for example in facts.examples:
        assert f"    fiotools {example}\n" in examples
        words = shlex.split(example.partition(" < ")[0].partition(" || ")[0])
        assert " ".join(words).startswith(name)
        built(name).make_context(name, words[len(name.split()) :])


@pytest.mark.parametrize("name", EVERY)
def test_each_option_has_a_help_that_stands_alone(name):
    command = built(name)
    for parameter in command.params:
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
    assert questions - asked == {"gate"}  # it holds answers to rules, as the verb does


# the files that examples name, and what stands for them
STAND_INS = {
    **{
        f"depth/{2**at}_{round_}.json": f"data/how-many-runs/depth/{2**at}_{round_}.json"
        for at in range(8)
        for round_ in (1, 2, 3)
    },
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
        f"{name}.json": f"data/how-many-runs/rounds/randread_ext4_{at}.json"
        for at, name in enumerate(("new/2", "history/1", "history/2"), 1)
    },
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
        f"runs/{fs}_{bs}_{at}.json": f"data/how-many-runs/depth/{depth}_{at}.json"
        for fs, bs, depth in (
            ("xfs", "4k", 1),
            ("xfs", "8k", 2),
            ("nfs", "4k", 1),
            ("nfs", "8k", 2),
        )
        for at in (1, 2)
    },
    **{f"runs/xfs-{depth}.json": f"data/how-many-runs/depth/{depth}_1.json" for depth in (1, 2, 4)},
    **dict.fromkeys(
        ["run_clat_hist.1.log", "old_clat_hist.1.log", "new_clat_hist.1.log"],
        "tests/fixtures/fio/fio-3.33--log-hist_clat_hist.1.log",
    ),
    "run_lat.1.log": "data/per-io-log/mixed_lat.1.log",
    "random-io-20261121-093000": "data/own-disk/random-io",
    "run_iops.1.log": "data/how-many-runs/long/long_iops.1.log",
    "logged.json": "data/how-many-runs/long/long.json",
}


@pytest.mark.parametrize("name", [name for name in EVERY if name not in ("measure", "report")])
def test_examples_run(inside, tmp_path, monkeypatch, name):
    for link, source in STAND_INS.items():
        (tmp_path / link).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / link).symlink_to(ROOT / source)
    monkeypatch.chdir(tmp_path)
    for example in EVERY[name].examples:
        command = example.partition(" || ")[0]
        words, _, given = command.partition(" < ")
        with open(given or os.devnull) as file:
            monkeypatch.setattr(sys, "stdin", file)
            done = inside(*shlex.split(words))
        assert done.returncode == 0, f"{example}\n{done.stderr}"
        if "-o" in words.split():
            assert (tmp_path / words.split()[words.split().index("-o") + 1]).exists()


def test_each_kind_of_plot_is_a_function_of_plot():
    from fiotools.plot import __all__ as drawn

    assert {*KINDS} == {*drawn} - {"save", "spec", "style", "title"}


def test_the_help_of_measure_names_each_experiment(inside):
    told = " ".join(inside("measure", "--help").stdout.split())
    for name, one in fiotools.measure.EXPERIMENTS.items():
        assert f"{name} (article {one.article})" in told


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
        ("fiotools compare --fail", ["--fail-if"]),
        ("fiotools overall a.json --ov", ["--over"]),
        ("fiotools plot series a.log --st", ["--steady"]),
        ("fiotools compare a.json --metric lat_m", ["lat_min", "lat_max", "lat_mean"]),
        ("fiotools plot th", ["throughput"]),
        ("fiotools summarize a.json --by direction,rwm", ["direction,rwmixread"]),
        ("fiotools read run.json --reader fio_j", ["fio_json"]),
        ("fiotools read run.json --table pe", ["percentiles"]),
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


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_script(cli, shell):
    done = cli(env=environment(_FIOTOOLS_COMPLETE=f"{shell}_source"))
    assert done.returncode == 0
    assert "_FIOTOOLS_COMPLETE" in done.stdout


def test_debug_is_an_option_of_every_verb(inside):
    with pytest.raises(Trouble) as trouble:
        run(["read", "pyproject.toml", "--debug"])
    assert isinstance(trouble.value.__cause__, fiotools.FileError)
    with pytest.raises(click.UsageError):
        run(["--debug", "read"])
