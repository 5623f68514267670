"""All pages of the site: those of ``docs/``, the notebooks, and those made from the code."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import nbformat

from tools.builder import gallery, plots, reference
from tools.generator import formats_page
from tools.generator.filled import DOCS, ROOT

# the row of the home page that stands for the pages that are made here
_ON_THE_SITE = re.compile(r"^\| every plot .*\n", re.M)
_PAGES_HERE = """\
| every plot, with its code | [Gallery](gallery.md) |
| each function | [Reference](reference/index.md) |
| a word such as "p99" or "queue depth" | [Find by term](terms.md) |
| which format fills which column | [Matrix](which-columns.md) |
"""
_LINK = re.compile(r"\[([^\]]+)\]\((?:\.\./(?!notebooks/))?([\w./-]+)\)")


def write(build: Path, work: Path) -> Path:
    """Write the folder ``build/pages``, and return it."""
    pages = build / "pages"
    skipped = shutil.ignore_patterns("builder", "generator", "__pycache__", "*.py", "*.toml")
    shutil.copytree(DOCS, pages, ignore=skipped)
    shutil.copytree(ROOT / "figures", build / "figures")
    home = (pages / "index.md").read_text(encoding="utf-8")
    (pages / "index.md").write_text(_ON_THE_SITE.sub(_PAGES_HERE, home), encoding="utf-8")
    (pages / "notebooks").mkdir()
    for file in sorted((ROOT / "notebooks").glob("*.ipynb")):
        notebook = nbformat.read(file, as_version=4)
        for cell in notebook.cells:
            if cell.cell_type == "markdown":
                cell.source = _LINK.sub(_within, cell.source)
        nbformat.write(notebook, pages / "notebooks" / file.name)
    drawn = plots.draw(filter(plots.example, _names()), work, pages / "plots")
    reference.write(pages / "reference", drawn)
    gallery.write(pages, drawn)
    (pages / "which-columns.md").write_text(formats_page.coverage(), encoding="utf-8")
    (pages / "terms.md").write_text(_terms(pages), encoding="utf-8")
    return pages


def _names() -> Iterator[str]:
    return (name for names in reference.CHAPTERS.values() for name in names)


def _within(link: re.Match[str]) -> str:
    """Keep a notebook's link to another notebook; write other links as text and path."""
    return link[0] if link[2].endswith(".ipynb") else f"{link[1]} (`{link[2]}`)"


def _terms(pages: Path) -> str:
    """Write the page of terms, and put each term into the index, where the search looks too."""
    rows, index = [], {}
    for terms, places in reference.TOPICS["terms"].items():
        links = []
        for place in places.split(", "):
            page = place if place.endswith(".md") else f"reference/{place}.md"
            index.setdefault(page, []).extend(terms.split(", "))
            title = re.search(r"^# (.*)$", (pages / page).read_text(encoding="utf-8"), re.M)[1]
            links.append(f"[{title}]({page})" if page == place else f"[`{place}`]({page})")
        rows.append(f"| {terms} | {', '.join(links)} |")
    for page, terms in index.items():
        text = (pages / page).read_text(encoding="utf-8")
        entry = f"```{{index}} {', '.join(dict.fromkeys(terms))}\n```\n\n"
        head, title, rest = text.partition("# ")
        (pages / page).write_text(f"{head}{entry}{title}{rest}", encoding="utf-8")
    head = "# Find by term\n\nWords that people search for, and where the answer is.\n\n"
    return head + "\n".join(["| term | see |", "|---|---|", *rows]) + "\n"
