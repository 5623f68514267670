"""Every example of README.md runs, top to bottom, as a reader would type it."""

import doctest
import re
from pathlib import Path

import pandas as pd
import pytest

import fiotools as ft

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def blocks(language):
    """Return (line of the first statement, code) of the fenced blocks in a language."""
    found = re.finditer(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    return [(README.count("\n", 0, match.start(1)), match[1]) for match in found]


def test_python_blocks_run(monkeypatch):
    plt = pytest.importorskip("matplotlib.pyplot")
    monkeypatch.chdir(ROOT)
    assert blocks("python")
    names = {"__name__": "readme"}
    parser = doctest.DocTestParser()
    try:
        for line, code in blocks("python"):
            if ">>>" in code:
                test = parser.get_doctest(code, names, "README", "README.md", line)
                results = doctest.DocTestRunner(optionflags=FLAGS).run(test, clear_globs=False)
                assert not results.failed, f"README.md, block at line {line + 1}"
                names = test.globs
            else:
                # blank lines in front, so that a traceback has the README's own line numbers
                exec(compile("\n" * line + code, "README.md", "exec"), names)
    finally:
        plt.close("all")


def test_every_fence_names_its_language():
    fences = re.findall(r"^```(.*)$", README, re.MULTILINE)
    assert set(fences[::2]) <= {"python", "sh", "text"}
    assert set(fences[1::2]) == {""}


def test_linked_files_exist():
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)", README)
    assert links
    assert not [link for link in links if not (ROOT / link).exists()]


def test_formats_are_listed_as_they_are():
    rows = re.findall(r"^\| `(\w+)` \| (.*) \| `(.*)` \|$", README, re.MULTILINE)
    formats = ft.formats()
    assert rows == list(
        zip(formats["format"], formats["reads"], formats["produced_by"], strict=True)
    )


def test_the_numbers_are_counted():
    counted = 0
    for csv in sorted((ROOT / "data").glob("*/published.csv")):
        rows = pd.read_csv(csv, dtype=str)
        counted += len(rows.drop_duplicates(["place", "quantity"]))
    assert re.search(r"every published number of five articles \(([\d,]+) numbers\)", README)[
        1
    ] == (f"{counted:,}")
