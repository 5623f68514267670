"""The first minutes of a newcomer: the first screen and the help, both fast."""

import re
import shlex
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


@pytest.mark.parametrize("words", [[], ["--help"]])
def test_the_first_screen(cli, words):
    """It lists every verb below what it is for, and says what to type first."""
    done = cli(*words, env=environment(COLUMNS="80"))
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
        for name, verb in verbs.items():
            told = " ".join(done.stdout.split())
            assert re.search(
                rf" {name} {re.escape(verb.line or signatures.line(verb.asks))} ", told
            )


def test_the_script_is_this_program():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["scripts"] == {"fiotools": f"{main.__module__}:{main.__name__}"}


def test_version_and_the_word_help(inside):
    assert inside("--version").stdout == f"fiotools {fiotools.__version__}\n"
    assert inside("help").stdout == inside("--help").stdout
    assert inside("help", "read").stdout == inside("read", "--help").stdout


def test_help_loads_nothing_heavy():
    every = [name.split() for name in EVERY]
    commands = [["--help"], *([*words, "--help"] for words in every), ["compare", "--x"]]
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
        ("import fiotools.cli.answers", "pandas polars scipy matplotlib rich"),
        *(
            (
                f"from fiotools.cli import main; main({[*verb.split(), *FILES]})",
                "pandas pyarrow scipy.stats matplotlib fiotools.plot.frame fiotools.dataset",
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


# each verb once, as it is typed first; what it writes goes to a new folder
TYPED = """
read run.json --table percentiles
convert . -o dataset
formats
describe
summarize run.json two.json -m iops --by label,direction
per-thread nvme.xml -w direction=total
fairness nvme.xml vhdx.xml -w direction=total
best-under depth -m lat_mean --limit 1ms -w direction=read
percentiles bins.json --at 50,99,99.9
window run_iops.1.log --every 10s
compare nvme.xml vhdx.xml --by direction
speedup before.txt after.txt
gate run.json two.json --fail-if 'iops < 5'
overall depth/{iodepth:d}_{round:d}.json --between round --over iodepth
tails old=run_clat_hist.1.log new=run_clat_hist.1.log
explain nvme.xml vhdx.xml --link pcie4-x4
settings-diff run.json two.json
plan --cv 0.03 --differences 0.1
check run.json --ram 16GB --link pcie4-x4
steady run_iops.1.log --round 10s
shifts run_iops.1.log --round 10s
reconcile logged.json run_iops.1.log
plot sweep depth -o depth.svg
plot ratios nvme.xml vhdx.xml --by direction -o ratios.png
notebook cache nowhere -o cache.txt
report run.json two.json
measure throughput --dir . --dry-run
"""
STAND_INS = {
    "run.json": "data/how-many-runs/depth/16_1.json",
    "two.json": "data/how-many-runs/depth/16_2.json",
    "depth": "data/how-many-runs/depth",
    "bins.json": "tests/fixtures/fio/fio-3.33--jsonplus-libaio.json",
    "nvme.xml": "data/dda-vhdx/xml/nvme.xml",
    "vhdx.xml": "data/dda-vhdx/xml/vhdx.xml",
    "before.txt": "data/page-cache/before.txt",
    "after.txt": "data/page-cache/after.txt",
    "run_clat_hist.1.log": "tests/fixtures/fio/fio-3.33--log-hist_clat_hist.1.log",
    "run_iops.1.log": "data/how-many-runs/long/long_iops.1.log",
    "logged.json": "data/how-many-runs/long/long.json",
}
CODES = {"notebook": 1, "tails": 1}  # the one is no notebook, the other no two sides


@pytest.mark.filterwarnings("default")
def test_each_verb_runs(inside, tmp_path, monkeypatch):
    for link, source in STAND_INS.items():
        (tmp_path / link).symlink_to(ROOT / source)
    commands = [shlex.split(line) for line in TYPED.strip().splitlines()]
    assert {words[0] for words in commands} == {*VERBS}
    monkeypatch.chdir(tmp_path)
    for words in commands:
        done = inside(*words)
        assert done.returncode == CODES.get(words[0], 0), f"{words}\n{done.stderr}"
        assert "a bug of fiotools" not in done.stderr
        if "-o" in words and words[0] != "notebook":
            assert (tmp_path / words[words.index("-o") + 1]).exists()


def test_the_help_of_measure_names_what_it_takes(inside):
    assert "--dir" in inside("measure", "--help").stdout


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("fiotools su", ["summarize"]),
        ("fiotools check --media ", ["hdd", "sata-ssd", "nvme", "ram"]),
        ("fiotools check --link usb2 --ca", ["--cache", "--capacity"]),
        ("fiotools gate --fail", ["--fail-if"]),
        ("fiotools overall a.json --ov", ["--over"]),
        ("fiotools plot ratios a.log --base", ["--baseline"]),
        ("fiotools compare a.json --metric lat_m", ["lat_min", "lat_max", "lat_mean"]),
        ("fiotools plot se", ["series"]),
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


def test_debug_is_an_option_of_every_verb():
    for words in (["read", "pyproject.toml", "--debug"], ["--debug", "read", "pyproject.toml"]):
        with pytest.raises(fiotools.cli.output.Trouble) as trouble:
            run(words)
        assert isinstance(trouble.value.__cause__, fiotools.FileError)
    with pytest.raises(click.UsageError):
        run(["--debug", "read"])
