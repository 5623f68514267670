"""Templates run on example data as they are (by nbval), and on other data through the verb."""

import ast
import json
import os
import re
import shutil
import sys
from html import unescape
from itertools import product
from pathlib import Path

import nbformat
import pandas as pd
import pytest
from nbformat.sign import NotebookNotary
from nbformat.v4 import new_code_cell, new_notebook

from fiotools.cli import main
from fiotools.notebooks.choices import found
from fiotools.notebooks.template import FOLDER, NotebookError, execute, parameters, questions
from tests.conftest import ROOT

DATA = ROOT / "data"
TAG = "parameters"
TITLE = re.compile(r"<title id[^>]*>(.*?)</title>")
# of each question: other data than the template's own, with options; parameters that are found;
# and what then stands above the plot
OTHERS = {
    "two-sides": (
        ["data/how-many-runs/rounds/randread_{filesystem}_{round:d}.json"],
        {"metric": "iops", "between": "filesystem", "baseline": "ext4", "by": [], "where": []},
        "xfs and ext4 are the same within 5 %: 0.995 times as many I/Os per second [0.961, 1.03]",
    ),
    "sweep": (
        ["data/wsl-filesystems/{filesystem}_{operation}_{size}_{round:d}.txt"],
        {"metric": "iops", "x": "bs", "between": "filesystem", "by": ["direction"]},
        "Most I/Os per second at read, tmpfs, 4 KiB: 595,344 /s; 2 other points may be as good",
    ),
    "threads": (
        ["tests/fixtures/fio/fio-3.33--clones.json"],
        {"between": "source", "where": []},
        "The busiest of 2 threads did 1.00 times the I/Os of the idlest",
    ),
    "cache": (
        ["data/page-cache/{cache}.txt", "--baseline", "before"],
        {"metric": "real", "between": "cache", "baseline": "before", "by": []},
        "after against before, one run each: 9.36 times as fast",
    ),
    "tails": (
        ["data/own-disk/random-io/{place}_random-write_{round:d}.json"],
        {"between": "place", "baseline": "loop-ext4", "by": []},
        "Cannot tell root from loop-ext4 in all 4 cases: estimates from 0.794 to 0.970 times the latency; tmpfs is faster than loop-ext4 in all 4 cases: estimates from 0.00045 to 0.00596 times the latency",
    ),
    "log": (
        ["data/how-many-runs/long/long_clat_hist.1.log"],
        {"percentile": 99},
        "p99 from 410 µs to 2.23 ms",
    ),
    "campaign": (
        ["data/own-disk/page-cache"],
        {"metric": "real", "between": "cache", "baseline": "cold", "by": ["place"]},
        "warm against cold: faster in 2 of 3 cases (loop-ext4; root), undecided in 1",
    ),
}
each = pytest.mark.parametrize("question", questions())


def cells(path, kind="code"):
    return [one for one in nbformat.read(path, as_version=4).cells if one.cell_type == kind]


def values(path):
    (cell,) = (one for one in cells(path) if TAG in one.metadata.get("tags", ()))
    lines = ast.parse(cell.source).body
    return {line.targets[0].id: ast.literal_eval(line.value) for line in lines}


def source(path):
    return "\n".join(one.source for one in cells(path))


@each
def test_on_other_data(question, tmp_path, monkeypatch, capsys):
    """The notebook lies in another folder than the command runs in, and its paths still lead."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "data").symlink_to(DATA)
    (tmp_path / "tests").symlink_to(ROOT / "tests")
    monkeypatch.chdir(tmp_path)
    words, values_found, title = OTHERS[question]
    assert main(["notebook", question, *words, "-o", "mine/of-it.ipynb"]) == 0
    path = tmp_path / "mine" / "of-it.ipynb"
    assert capsys.readouterr().err.endswith(
        "wrote mine/of-it.ipynb: jupyter lab mine/of-it.ipynb opens it\n"
    )
    made = values(path)
    assert {name: made[name] for name in values_found} == values_found
    assert made["files"] == f"../{words[0]}"
    nbformat.validate(nbformat.read(path, as_version=4))
    outputs = [output for one in cells(path) for output in one.outputs]
    assert not [one for one in outputs if one.output_type in ("error", "stream")]
    # what it keeps lies beside it
    kept = {file.suffix for file in (tmp_path / "mine" / "of-it-output").iterdir()}
    assert kept == {".svg", ".png", ".csv"}
    # what stands above the plot is of these data
    plots = [file.read_text("utf-8") for file in (tmp_path / "mine" / "of-it-output").glob("*.svg")]
    assert title in [unescape(TITLE.search(one)[1]) for one in plots]


@each
def test_a_template_is_short_and_leaves_units_to_the_library(question):
    code = source(FOLDER / f"{question}.ipynb")
    assert not re.search(r"\.round\(|\.div\(|matplotlib|rcParams|plt\.|set_option", code)
    assert re.search(r"ft\.plot\.title\(\w+, told\.title\)", code)
    assert len(code.splitlines()) <= 45
    assert "environ" not in code


@each
def test_parameters_are_papermills(question):
    """The tag is there once, before any other code, and each line is a plain value."""
    notebook = nbformat.read(FOLDER / f"{question}.ipynb", as_version=4)
    tagged = [TAG in one.metadata.get("tags", ()) for one in notebook.cells]
    assert tagged.count(True) == 1
    assert [one.cell_type for one in notebook.cells].index("code") == tagged.index(True)
    assert values(FOLDER / f"{question}.ipynb") == parameters(question)


def test_pages_list_each_question():
    for page, ending in (
        ("notebooks/README.md", "../fiotools/notebooks/{}.ipynb"),
        ("docs/notebook.md", "fiotools notebook {}"),
    ):
        text = (ROOT / page).read_text(encoding="utf-8")
        for name, heading in questions().items():
            (line,) = (
                one for one in text.splitlines() if ending.format(name) in one and "|" in one
            )
            assert f"| {heading} |" in line
    text = (ROOT / "notebooks/README.md").read_text(encoding="utf-8")
    for link in re.findall(r"\]\(([^)]+)\)", text):
        assert (ROOT / "notebooks" / link).is_file()
    there = {file.name for file in (ROOT / "notebooks").glob("*.ipynb")}
    assert there <= {*re.findall(r"\]\(([^)/]+)\)", text)}


@pytest.fixture
def lettered(tmp_path, monkeypatch):
    """Two devices in a folder, three depths, two runs of each; nothing but an option names them."""
    (tmp_path / "runs").mkdir()
    text = (ROOT / "tests/fixtures/fio/fio-3.33--jsonplus-libaio.json").read_text("utf-8")
    for device, depth, run in product("ab", (1, 8, 64), (1, 2)):
        told = json.loads(text)
        options = {"directory": f"/mnt/{device}", "filename": "x", "iodepth": str(depth)}
        told["jobs"][0]["job options"] |= options
        file = tmp_path / "runs" / f"{device}-q{depth}-run{run}.json"
        file.write_text(json.dumps(told), "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("question", ["two-sides", "sweep", "tails"])
def test_sides_of_a_folder_are_those_of_a_report(question, lettered, capsys):
    assert main(["notebook", question, "runs", "-w", "direction=read", "-o", "a.ipynb"]) == 0
    made = values(lettered / "a.ipynb")
    assert made["files"] == {"a": "runs/a-q*.json", "b": "runs/b-q*.json"}
    assert made["between"] == "label"
    (first, second, *_) = cells(lettered / "a.ipynb", "markdown")
    assert "example" not in first.source
    assert second.source.startswith(f"`fiotools notebook {question}` filled in")


@pytest.mark.filterwarnings("default")
def test_the_log_of_one_latency(tmp_path, monkeypatch, capsys):
    """fio writes lat and clat side by side: lat is the whole."""
    monkeypatch.chdir(tmp_path)
    text = (DATA / "per-io-log/mixed_lat.1.log").read_text("utf-8")
    for kind in ("lat", "clat", "slat"):
        (tmp_path / f"run_{kind}.1.log").write_text("" if kind == "slat" else text, "utf-8")
    made = found("log", ".", {})
    assert (made["files"], made["percentile"]) == ("run_lat.1.log", 99)
    (tmp_path / "other_lat.1.log").write_text(text, "utf-8")
    assert main(["notebook", "log", ".", "-o", "b.ipynb"]) == 1
    assert "of the jobs other, run, and a notebook is of one" in capsys.readouterr().err


@pytest.mark.filterwarnings("default")
def test_an_averaged_log_has_means(tmp_path, monkeypatch):
    """A row of fio's log_avg_msec is a mean: percentiles of its I/Os are not known."""
    averaged = ROOT / "tests/fixtures/fio/fio-3.33--log-windows_lat.1.log"
    shutil.copy(averaged, tmp_path / "run_lat.1.log")
    monkeypatch.chdir(tmp_path)
    assert found("log", "run_lat.*.log", {})["percentile"] is None
    assert main(["notebook", "log", "run_lat.*.log", "-o", "a.ipynb"]) == 0
    assert values(tmp_path / "a.ipynb")["percentile"] is None


def test_execution_names_the_cell(tmp_path):
    cells = [new_code_cell("x = 1"), new_code_cell("answer = (\n    x\n    / 0\n)")]
    with pytest.raises(NotebookError, match=r"cell \[2\], line .*: ZeroDivisionError: division"):
        execute(new_notebook(cells=cells), tmp_path)


def test_what_fails_leaves_nothing(tmp_path, monkeypatch, capsys):
    """Neither a notebook nor its folder, also where the plots were already made."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine-output").mkdir()
    (tmp_path / "mine-output" / "old.csv").write_text("of an earlier one")
    monkeypatch.setattr("fiotools.files.atomic_write.write_bytes", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        main(["notebook", "threads", DDA, "-o", "mine.ipynb"])
    assert [one.name for one in tmp_path.rglob("*")] == ["mine-output", "old.csv"]


DDA = (DATA / "dda-vhdx/xml").as_posix()
RUNS = (DATA / "how-many-runs").as_posix()
ROUNDS = "rounds/randread_{filesystem}_{round:d}.json"


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["too", "x"], 2, "there is no notebook 'too'; there are: cache, campaign, log"),
        (["compare", "x"], 2, "there is no notebook 'compare'; did you mean 'two-sides'?"),
        (["is it real", "x"], 2, "there is no notebook 'is it real'; did you mean 'cache'?"),
        (["two-side", "x"], 2, "there is no notebook 'two-side'; did you mean 'two-sides'?"),
        (["sweep", "x", "-o", "a.txt"], 1, "a.txt: a notebook ends in .ipynb"),
        (["sweep", "x", "-o", "old.ipynb"], 1, "old.ipynb is there, and may have been edited"),
        (["sweep", "x", "-o", "kept.ipynb"], 1, "kept-output is there, and holds other files"),
        (["sweep", "x", "-o", "no/a.ipynb"], 1, "no: there is no such folder"),
        (["sweep", "none.json"], 1, "none.json: no such file or folder"),
        (["sweep", "-"], 2, "a notebook reads its files again, and not -"),
        (["sweep", f"{DDA}/nvme.xml"], 1, "nothing was swept in these files"),
        (["two-sides", f"{DDA}/nvme.xml"], 1, "there is only one side"),
        (["threads", DDA, "--metric", "iops"], 2, "threads does not take --metric"),
        (["campaign", DDA], 1, "a campaign's folder holds the manifest.jsonl"),
        (["campaign", DDA, DDA], 1, "a notebook is of one campaign"),
        (["log", f"{RUNS}/long/long_iops.1.log"], 1, "a log of iops: the notebook is of latencies"),
        # before any cell ran: json without + has no counts of its histograms
        (["tails", f"{RUNS}/{ROUNDS}"], 1, "(fio --output-format=json+ prints counts)\n"),
    ],
)
def test_refusals(words, code, said, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("old.ipynb").write_text("mine", encoding="utf-8")
    Path("kept-output").mkdir()
    Path("kept-output", "run.json").write_text("{}")
    output = [] if "-o" in words else ["-o", "a.ipynb"]
    assert main(["notebook", *words, *output]) == code
    assert said in capsys.readouterr().err
    assert {file.name for file in tmp_path.iterdir()} == {"old.ipynb", "kept-output"}
    assert Path("old.ipynb").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("module", ["nbclient", "ipykernel"])
def test_what_is_missing_is_named(module, tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.chdir(tmp_path)
    assert main(["notebook", "threads", DDA, "-o", "a.ipynb"]) == 1
    assert "pip install 'fiotools[notebooks]'" in capsys.readouterr().err


def test_jobs_side_by_side_are_added_up(tmp_path, monkeypatch):
    """fio without group_reporting: two jobs with 500 I/Os a second each are a run with 1,000."""
    monkeypatch.chdir(tmp_path)
    for name in ("old.json", "new.json"):
        shutil.copy(ROOT / "tests/fixtures/fio/fio-3.33--clones.json", name)
    assert main(["notebook", "two-sides", "old.json", "new.json", "-o", "a.ipynb"]) == 0
    assert values(tmp_path / "a.ipynb")["together"] is True
    kept = pd.read_csv("a-output/answer.csv")
    assert kept["center"].item() == pytest.approx(499.5005 + 500.4995)


def test_files_without_a_name_are_sides(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files = {name: f"{DDA}/{name}.xml" for name in ("nvme", "vhdx")}
    words = ["two-sides", *files.values(), "-w", "direction=total", "-o", "a.ipynb"]
    assert main(["notebook", *words]) == 0
    made = values(tmp_path / "a.ipynb")
    assert (made["files"], made["between"]) == (files, "label")


def test_what_was_executed_here_is_trusted(tmp_path, monkeypatch):
    """JupyterLab takes the looks of its tables away otherwise."""
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "jupyter"))
    made = execute(new_notebook(cells=[new_code_cell("1")]), tmp_path)
    assert NotebookNotary().check_signature(nbformat.reads(made, as_version=4))
    monkeypatch.setenv("JUPYTER_DATA_DIR", os.devnull)  # no place for signatures
    assert execute(new_notebook(cells=[new_code_cell("1")]), tmp_path)
