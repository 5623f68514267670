"""The site of docs/: what breaks it is found, its reference is whole, and its pages stay short."""

import re
import subprocess
import sys

import pytest

import fiotools as ft
from docs.builder.links import problems
from docs.generator.__main__ import PAGES
from docs.generator.filled import DOCS, ROOT

WRITTEN = sorted(page for page in DOCS.glob("*.md") if page.name not in PAGES)


def site(folder, **pages):
    for name, body in pages.items():
        (folder / f"{name}.html").write_text(f"<html><body>{body}</body></html>", encoding="utf-8")
    return problems(folder)


def test_a_whole_site_has_no_problems(tmp_path):
    (tmp_path / "a b.svg").write_text("<svg/>", encoding="utf-8")
    one = '<a href="two.html#here">x</a><a href="#top" id="top">x</a><img src="a%20b.svg">'
    two = '<p id="here"><a href="https://elsewhere.example/">followed, not loaded</a></p>'
    assert site(tmp_path, one=one, two=two) == []


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


def test_a_style_that_loads_a_font_is_found(tmp_path):
    style = "@import 'x.css' print; a {background: url(data:image/png;base64,//x)} b {src: url('//cdn/f')}"
    (tmp_path / "style.css").write_text(style, encoding="utf-8")
    assert site(tmp_path) == ["style.css: loads @import 'x.css'", "style.css: loads url('//cdn/f')"]


def test_an_example_that_fails_fails_the_build(tmp_path):
    warn = "import warnings; warnings.warn('this is old')"
    broken = {
        "cell": ("```{code-cell} python\n1 / 0\n```", "ZeroDivisionError"),
        "warning": (
            f"```{{code-cell}} python\n{warn}\n```",
            "stderr was found in the cell outputs",
        ),
        "command": ("```{shell}\nfiotools nonsense\n```", "ended with 2, and not with 0"),
        "end": ("```{shell}\n:exit: 3\n\nfiotools --version\n```", "ended with 0, and not with 3"),
        "link": ("[a page](absent.md)", "'absent.md'"),
    }
    source = tmp_path / "source"
    source.mkdir()
    head = "---\nfile_format: mystnb\n---\n# x\n\n"
    for name, (text, _) in broken.items():
        (source / f"{name}.md").write_text(head + text, encoding="utf-8")
    pages = "\n".join(broken)
    (source / "index.md").write_text(f"# x\n\n```{{toctree}}\n{pages}\n```\n", encoding="utf-8")
    command = [sys.executable, "-m", "docs.builder", str(source), str(tmp_path / "build")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 1
    assert not [problem for _, problem in broken.values() if problem not in done.stderr]


def test_every_public_name_is_in_the_reference():
    named = set()
    for page in (DOCS / "reference").glob("*.md"):
        text = page.read_text(encoding="utf-8")
        found = re.findall(r"currentmodule:: (\S+)|auto(?:function|class|exception):: (\S+)", text)
        module = ""
        for new, name in found:
            module = new or module
            named |= {f"{module}.{name}"} if name else set()
    public = {f"fiotools.{name}" for name in ft.__all__ if name not in ("measure", "plot")}
    public |= {f"fiotools.plot.{name}" for name in ft.plot.__all__}
    public |= {f"fiotools.measure.{name}" for name in ft.measure.__all__}
    # under the module where it is, and a table of the page "Measure"
    elsewhere = {"fiotools.campaign", "fiotools.measure.EXPERIMENTS"}
    assert public - named == elsewhere


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: page.stem)
def test_pages_are_short(page):
    assert len(page.read_text(encoding="utf-8").splitlines()) < 160
