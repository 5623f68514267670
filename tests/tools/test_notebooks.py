"""The committed notebooks and figures keep their form, and the runner keeps its promises."""

import ast
import platform
import re
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from tests.conftest import needs_letters
from tools.notebooks import SUMS, canonical, checksums, main

ROOT = Path(__file__).resolve().parents[2]
CONDA = Path(sys.prefix, "conda-meta").exists()  # which builds matplotlib with another FreeType
REDRAW = "a figure changed: look at it, run python3 tasks.py figures, and commit"
PLACES = ("notebooks", "fiotools/notebooks")
NOTEBOOKS = [file for place in PLACES for file in sorted((ROOT / place).glob("*.ipynb"))]
SAVES = re.compile(r"plot\.save\(|\.figures\(")  # by a call of its own, or by that of a report
each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def code_of(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


@each_notebook
def test_is_canonical_and_was_executed_from_the_top(path):
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert path.read_bytes() == canonical(notebook).encode(), "run: python3 tasks.py figures"
    code = code_of(notebook)
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    outputs = [output for cell in code for output in cell.outputs]
    assert outputs, "run: python3 tasks.py figures"
    for output in outputs:
        assert output.output_type != "error"
        assert output.get("name") != "stderr", f"a warning was committed: {output.text}"
        assert str(ROOT) not in str(output), "a path of this machine was committed"


@each_notebook
def test_asks_and_answers_in_words_and_defines_nothing(path):
    """What is worth a function belongs to the library, where it is tested."""
    notebook = nbformat.read(path, as_version=4)
    first, last = notebook.cells[0], notebook.cells[-1]
    assert first.cell_type == "markdown", "it opens with its question"
    assert last.cell_type == "markdown", "it ends with its answer"
    assert last.source.strip()
    nodes = [node for cell in code_of(notebook) for node in ast.walk(ast.parse(cell.source))]
    definitions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    assert not [node.name for node in nodes if isinstance(node, definitions)]


@each_notebook
def test_shows_each_figure_that_it_saves(path):
    """nbval would not miss a picture."""
    for cell in code_of(nbformat.read(path, as_version=4)):
        if SAVES.search(cell.source):
            shown = [output for output in cell.outputs if "image/png" in output.get("data", {})]
            assert shown, f"no picture below the cell that begins {cell.source.splitlines()[0]!r}"


@pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() != "x86_64" or CONDA,
    reason="figures are the same to the byte with the locked packages on Linux x86-64 only",
)
def test_figures_are_the_committed_ones():
    """By now nbval has executed the notebooks, so this compares what they draw today."""
    committed = (ROOT / SUMS).read_text(encoding="utf-8")
    assert "\n" in committed
    assert checksums(ROOT / "figures") == committed, REDRAW


# The runner, on projects of its own


def project(folder, **notebooks):
    """Write notebooks of one Markdown and some code cells each."""
    for name in ("notebooks", "figures"):
        (folder / name).mkdir(exist_ok=True)
    for name, sources in notebooks.items():
        cells = [new_markdown_cell("A question?"), *map(new_code_cell, sources)]
        nbformat.write(new_notebook(cells=cells), folder / "notebooks" / f"{name}.ipynb")


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Run the runner in the project's root; give its status and what it printed."""
    monkeypatch.chdir(tmp_path)

    def run(*args):
        try:
            code = main([*args])
        except SystemExit as end:
            code = end.code
        said = capsys.readouterr()
        return code, said.out + said.err

    return run


# what fiotools.plot.save does, as far as the runner is concerned
SAVE = """
import os, pathlib
figure = pathlib.Path("../figures/a.svg")
figure.write_bytes(b"<svg/>")
with open(os.environ["FIOTOOLS_FIGURES_LOG"], "a") as log:
    print(figure.resolve(), file=log)
"""


def test_runner_writes_once_and_accounts_for_figures(tmp_path, run):
    project(tmp_path, first=["1 + 1", SAVE])
    notebook = tmp_path / "notebooks" / "first.ipynb"
    code, printed = run()
    assert code == 0, printed
    assert "first.ipynb: rewritten" in printed
    assert nbformat.read(notebook, as_version=4).cells[1].outputs[0].data == {"text/plain": "2"}
    assert (tmp_path / SUMS).read_bytes().endswith(b"  a.svg\n")

    written = notebook.stat().st_mtime_ns
    project(tmp_path, second=[SAVE])
    (tmp_path / "figures" / "old.png").write_bytes(b"")
    code, printed = run()
    assert code == 1
    assert "first.ipynb: unchanged" in printed
    assert notebook.stat().st_mtime_ns == written
    assert "figures/old.png: no notebook writes this" in printed
    assert "a.svg: written by first.ipynb and by second.ipynb" in printed


DRAW = """
import pandas as pd
import fiotools as ft

ft.plot.style()
ax = ft.plot.repeats(pd.DataFrame({"fs": ["the fast one"], "iops": [5.0], "n": 1}), "iops", y="fs")
files = ft.plot.save(ax, "../figures/a", formats=["svg"])
"""


def test_the_first_figure_leaves_the_others_to_be_shown(tmp_path, run):
    """It loads the backend, in the middle of drawing, which is what switches the showing on."""
    project(tmp_path, first=[DRAW, DRAW.replace("figures/a", "figures/b")])
    code, printed = run()
    assert code == 0, printed
    cells = nbformat.read(tmp_path / "notebooks" / "first.ipynb", as_version=4).cells[1:]
    assert [[list(output.data) for output in cell.outputs] for cell in cells] == [
        [["image/png", "text/plain"]]
    ] * 2


@needs_letters
def test_runner_draws_in_another_language_beside_the_rest(tmp_path, run):
    project(tmp_path, first=[DRAW, "1 + 1"])
    notebook, folder = tmp_path / "notebooks" / "first.ipynb", tmp_path / "figures"
    words = '[first]\n"the fast one" = "速いもの"\n'
    (tmp_path / "notebooks" / "figures.ja.toml").write_text(words, encoding="utf-8")
    before = notebook.read_bytes()
    code, printed = run("--lang", "ja")
    assert code == 0, printed
    assert "first.ipynb: unchanged" in printed
    assert notebook.read_bytes() == before
    assert [file.name for file in folder.iterdir()] == ["ja"]
    assert sorted(file.name for file in (folder / "ja").iterdir()) == ["SHA256SUMS", "a.svg"]
    drawn = (folder / "ja" / "a.svg").read_text(encoding="utf-8")
    assert ">IOPS" in drawn
    assert ">速いもの</text>" in drawn


def test_runner_refuses_what_there_is_not(tmp_path, run, monkeypatch):
    for asked in ([], ["notebooks/none.ipynb"]):
        code, printed = run(*asked)
        assert code
        assert "no such notebook" in printed
    project(tmp_path, first=["1"])
    monkeypatch.setenv("LANG_FIGURES", "xx")  # as make figures LANG_FIGURES=xx sets it
    assert run() == (2, "lang='xx' is not a language of plots: en, ja\n")


def test_runner_names_what_failed_and_runs_the_rest(tmp_path, run):
    project(tmp_path, bad=["1", "x = 0\nx / 0"], good=["2"])
    bad = tmp_path / "notebooks" / "bad.ipynb"
    before = bad.read_bytes()
    code, printed = run()
    assert code == 1
    assert "bad.ipynb: FAILED" in printed
    assert "cell [2], line 2: x / 0\n    ZeroDivisionError: division by zero" in printed
    assert "good.ipynb: rewritten" in printed
    assert bad.read_bytes() == before
    assert not (tmp_path / SUMS).exists()


def test_every_figure_is_explained():
    readme = (ROOT / "figures" / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([^`]+)` \| .+ \| .+ \| .+ \|$", readme, re.MULTILINE)
    drawn = {file.stem for file in (ROOT / "figures").glob("*.svg")}
    assert sorted(rows) == sorted(drawn)
    assert drawn == {file.stem for file in (ROOT / "figures").glob("*.png")}
