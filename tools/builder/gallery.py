"""The gallery: each kind of plot, and each plot of the notebooks, with its code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import nbformat

from tools.builder.plots import example
from tools.builder.reference import TOPICS
from tools.generator.filled import ROOT

_ROW = re.compile(r"^\| `(?P<name>\d[\w-]+)` \|.*\| (?P<message>[^|]+) \|$", re.M)


def render(drawn: Iterable[str]) -> str:
    """Write the page; `drawn` are the public names whose example has a plot."""
    kinds = [name for name in drawn if name.removeprefix("plot.") in TOPICS["plots"]]
    parts = [
        "# Gallery",
        "A click on a plot opens its page.",
        "## Kinds of plots",
        _grid(_kind(name) for name in kinds),
        "## Plots of the notebooks",
        _grid(_of_notebooks()),
    ]
    return "\n\n".join(parts) + "\n"


def _kind(name: str) -> str:
    use = TOPICS["plots"][name.removeprefix("plot.")]
    said = f"**[`{name}`](reference/{name}.md)** Use it when {use}."
    return _card(f"plots/{name}.svg", f"reference/{name}.html", said, example(name))


def _of_notebooks() -> Iterator[str]:
    cells = [
        (file.stem, cell.source)
        for file in sorted((ROOT / "notebooks").glob("*.ipynb"))
        for cell in nbformat.read(file, as_version=4).cells
        if "plot.save(" in cell.source
    ]
    for row in _ROW.finditer((ROOT / "figures" / "README.md").read_text(encoding="utf-8")):
        name = row["name"]
        saved = f'{name.partition("-")[2]}"'
        stem, code = next(cell for cell in cells if cell[0][:2] == name[:2] and saved in cell[1])
        used = sorted(set(re.findall(r"ft\.plot\.(\w+)\(", code)) & TOPICS["plots"].keys())
        kinds = ", ".join(f"[`plot.{one}`](reference/plot.{one}.md)" for one in used)
        said = f"**{row['message']}.** {kinds} in [{stem}](notebooks/{stem}.ipynb)."
        yield _card(f"../figures/{name}.png", f"notebooks/{stem}.html", said, code)


def _card(image: str, target: str, said: str, code: str) -> str:
    alt = image.rpartition("/")[2].rpartition(".")[0]
    return (
        f"````{{container}} card\n```{{image}} {image}\n:alt: {alt}\n:target: {target}\n```\n\n"
        f"{said}\n\n"
        f"<details><summary>Code</summary>\n\n```python\n{code}\n```\n\n</details>\n````"
    )


def _grid(cards: Iterable[str]) -> str:
    return "\n\n".join(["`````{container} gallery", *cards, "`````"])
