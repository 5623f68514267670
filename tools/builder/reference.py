"""The reference: a page for each public name, in the chapters of `TOPICS`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from operator import attrgetter
from pathlib import Path

import fiotools as ft
from tools.generator.filled import DOCS

TOPICS = tomllib.loads((DOCS / "topics.toml").read_text(encoding="utf-8"))


def split(names: str) -> list[str]:
    """Split a list of `TOPICS`; ``plot.*`` stands for each public name of `fiotools.plot`."""
    every = {"plot.*": [f"plot.{name}" for name in ft.plot.__all__]}
    return [one for name in names.split(", ") for one in every.get(name, [name])]


CHAPTERS = {title: split(names) for title, names in TOPICS["chapters"].items()}


def found(name: str) -> object:
    """Return what a dotted name below `fiotools` stands for."""
    module, _, last = name.rpartition(".")
    if module in ("", "plot", "measure"):
        return attrgetter(name)(ft)
    return getattr(__import__(f"fiotools.{module}", fromlist=[last]), last)


def write(folder: Path, plots: Iterable[str]) -> None:
    """Write the pages into a folder; `plots` are the names whose example has a plot."""
    folder.mkdir()
    parts = ["# Reference", "After `import fiotools as ft`, `ft.name` is the function `name`."]
    pages = []
    for title, names in CHAPTERS.items():
        page = re.sub(r"\W+", "-", title.lower())
        pages.append(page)
        parts.append(f"## {title}\n\n{_summary(names)}")
        text = f"# {title}\n\n{_summary(names)}\n\n{_toctree(names)}"
        (folder / f"{page}.md").write_text(text, encoding="utf-8")
        for name in names:
            (folder / f"{name}.md").write_text(_page(name, name in plots), encoding="utf-8")
    (folder / "index.md").write_text("\n\n".join([*parts, _toctree(pages)]), encoding="utf-8")


def _page(name: str, has_plot: bool) -> str:
    thing = found(name)
    module, _, last = f"fiotools.{name}".rpartition(".")
    kind = "function"
    if isinstance(thing, type):
        kind = "exception" if issubclass(thing, Exception) else "class"
    option = {"class": "\n   :members:", "exception": "\n   :show-inheritance:", "function": ""}
    lines = f".. currentmodule:: {module}\n\n.. auto{kind}:: {last}{option[kind]}"
    plot = f"\n\n![The plot of the example](../plots/{name}.svg)" if has_plot else ""
    return f"# {name}\n\n```{{eval-rst}}\n{lines}\n```{plot}\n"


def _summary(names: Iterable[str]) -> str:
    listed = "\n".join(f"   ~fiotools.{name}" for name in names)
    return f"```{{eval-rst}}\n.. autosummary::\n   :nosignatures:\n\n{listed}\n```"


def _toctree(pages: Iterable[str]) -> str:
    return "\n".join(["```{toctree}", ":hidden:", "", *pages, "```\n"])
