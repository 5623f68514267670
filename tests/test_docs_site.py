"""The site of docs/: errors in it are found, and its reference is whole."""

import re
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from xml.etree import ElementTree

import pytest

import fiotools as ft
from fiotools.cli import main
from tools.builder import gallery, plots, reference
from tools.builder.links import problems
from tools.generator.filled import DOCS, ROOT


def site(folder, **pages):
    for name, body in pages.items():
        (folder / f"{name}.html").write_text(f"<html><body>{body}</body></html>", encoding="utf-8")
    return problems(folder)


def test_a_whole_site_has_no_problems(tmp_path):
    (tmp_path / "a b.svg").write_text("<svg/>", encoding="utf-8")
    one = '<a href="two.html#here">x</a><a href="#top" id="top">x</a><img src="a%20b.svg">'
    two = '<p id="here"><a href="https://elsewhere.example/">followed, not loaded</a></p>'
    assert site(tmp_path, one=one, two=two) == []
    # but a style that loads something
    style = "@import 'x.css' print; a {background: url(data:image/png;base64,//x)} b {src: url('//cdn/f')}"
    (tmp_path / "style.css").write_text(style, encoding="utf-8")
    assert site(tmp_path) == ["style.css: loads @import 'x.css'", "style.css: loads url('//cdn/f')"]


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ('<a href="gone.html">x</a>', "leads nowhere: gone.html"),
        ('<a href="two.html#gone">x</a>', "no such place: two.html#gone"),
        ('<a href="#gone">x</a>', "no such place: #gone"),
        ('<img src="gone.png">', "leads nowhere: gone.png"),
        ('<script src="https://cdn.example/x.js"></script>', "loads https://cdn.example/x.js"),
        ('<link rel="stylesheet" href="//cdn.example/x.css">', "loads //cdn.example/x.css"),
        ('<div class="output traceback highlight"></div>', "shows the error of a cell"),
        ('<aside class="system-message"></aside>', "shows an error of Sphinx"),
    ],
    ids=lambda value: re.sub(r"\W+", "-", value).strip("-"),
)
def test_what_is_broken_is_found(tmp_path, body, problem):
    assert site(tmp_path, one=body, two="") == [f"one.html: {problem}"]


WARN = "import warnings; warnings.warn('this is old')"
BROKEN = {
    "cell": ("```{code-cell} python\n1 / 0\n```", ["ZeroDivisionError"]),
    "warning": (f"```{{code-cell}} python\n{WARN}\n```", ["was found in the cell outputs"]),
    "command": (
        "[a page](absent.md)\n\n```{shell}\nfiotools nonsense\n```\n\n"
        "```{shell}\n:exit: 3\n\nfiotools --version\n```",
        ["ended with 2, and not with 0", "ended with 0, and not with 3", "'absent.md'"],
    ),
}


def test_an_example_that_fails_fails_the_build(tmp_path):
    source = tmp_path / "source"
    source.mkdir()
    head = "---\nfile_format: mystnb\n---\n# x\n\n"
    for name, (text, _) in BROKEN.items():
        (source / f"{name}.md").write_text(head + text, encoding="utf-8")
    pages = "\n".join(BROKEN)
    (source / "index.md").write_text(f"# x\n\n```{{toctree}}\n{pages}\n```\n", encoding="utf-8")
    command = [sys.executable, "-m", "tools.builder", str(source), str(tmp_path / "build")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 1
    problems = [problem for _, told in BROKEN.values() for problem in told]
    assert not [problem for problem in problems if problem not in done.stderr]


def test_every_public_name_is_in_the_reference_once():
    listed = [name for names in reference.CHAPTERS.values() for name in names]
    assert not [name for name, n in Counter(listed).items() if n > 1]
    assert all(map(reference.found, listed))
    public = {name for name in ft.__all__ if name not in ("measure", "plot")}
    public |= {f"plot.{name}" for name in ft.plot.__all__}
    public |= {f"measure.{name}" for name in ft.measure.__all__}
    # the table of the page "Measure on your machine"
    assert public - set(listed) == {"measure.experiments"}


def test_every_kind_of_plot_is_in_the_gallery():
    helpers = {"save", "spec", "style", "title"}
    assert set(ft.plot.__all__) - helpers <= set(reference.TOPICS["plots"]), "docs/topics.toml"
    assert all(plots.example(f"plot.{name}") for name in ft.plot.__all__)


def test_every_plot_of_the_notebooks_is_in_the_gallery(tmp_path):
    gallery.write(tmp_path, [])
    page = (tmp_path / "gallery.md").read_text(encoding="utf-8")
    figures = {file.stem for file in (ROOT / "figures").glob("*.svg")}
    told = dict(re.findall(r"\{image\} thumbs/([\w-]+)\.svg\n:alt: (.*)", page))
    assert {*told} == figures
    assert all(told.values())  # the finding
    for name in figures:  # cut below the letters of the ticks: smaller, and the same width
        was, now = (
            ElementTree.parse(folder / f"{name}.svg").getroot().get("viewBox").split()
            for folder in (ROOT / "figures", tmp_path / "thumbs")
        )
        assert was[2] == now[2]
        assert float(now[3]) < float(was[3])


def test_terms_lead_to_pages():
    listed = {name for names in reference.CHAPTERS.values() for name in names}
    made = {file.name for file in DOCS.glob("*.md")}
    places = [p for text in reference.TOPICS["terms"].values() for p in text.split(", ")]
    assert not [place for place in places if place not in listed | made]


RUNS = "runs/{fs}_{round:d}.json"


def cheat_sheet(column):
    page = (DOCS / "cheat-sheet.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| [^|]+ \| (.*?) \| (.*?) ?\|$", page, re.M)[1:]
    cells = [row[column].strip("` ") for row in rows]
    return [cell for cell in cells if cell and cell not in ("Python", "shell", "---")]


@pytest.fixture
def runs(tmp_path, monkeypatch):
    (tmp_path / "runs").mkdir()
    for file in (ROOT / "data" / "how-many-runs" / "rounds").glob("randread_*_[1-6].json"):
        (tmp_path / "runs" / file.name.removeprefix("randread_")).write_bytes(file.read_bytes())
    shutil.copy(ROOT / "data" / "how-many-runs" / "long" / "long_iops.1.log", tmp_path)
    (tmp_path / "limits.csv").write_text("rw,metric,max\nrandread,p99,1s\n")
    monkeypatch.chdir(tmp_path)


def test_the_calls_of_the_cheat_sheet_run(runs):
    names = {"ft": ft, "runs": RUNS}
    for call in cheat_sheet(0):
        if not call.startswith(("ft.measure", "ft.report")):  # these take a minute
            exec(call, names)
    assert names["cmp"]["verdict"].item()
    assert len(names["p99"]) == 12


def test_the_commands_of_the_cheat_sheet_run(runs, capsys):
    for line in cheat_sheet(1):
        words = shlex.split(line.replace("$runs", RUNS))
        if words[0] == "fiotools" and words[1] not in ("measure", "report"):
            assert main(words[1:]) == 0, line
    assert "xfs" in capsys.readouterr().out
