"""The gallery: each kind of plot, and each plot of the notebooks, with its code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html import unescape
from pathlib import Path
from xml.etree import ElementTree

import nbformat

from tools.builder.plots import example
from tools.builder.reference import TOPICS
from tools.generator.filled import ROOT

_ROW = re.compile(r"^\| `(?P<name>\d[\w-]+)` \|.*\| (?P<message>[^|]+) \|$", re.M)


ElementTree.register_namespace("", "http://www.w3.org/2000/svg")
ElementTree.register_namespace("xlink", "http://www.w3.org/1999/xlink")
_SVG = "{http://www.w3.org/2000/svg}"
_AT = re.compile(r"translate\([\d.-]+ ([\d.-]+)\)")
_EDGE = 14  # points above and below the baselines of letters


def write(pages: Path, drawn: Iterable[str]) -> None:
    """Write the page and its thumbnails; `drawn` are the names whose example has a plot."""
    thumbs = pages / "thumbs"
    thumbs.mkdir()
    for file in [*(pages / "plots").glob("*.svg"), *(ROOT / "figures").glob("*.svg")]:
        (thumbs / file.name).write_text(cut(file.read_text(encoding="utf-8")), encoding="utf-8")
    (pages / "gallery.md").write_text(_render(thumbs, drawn), encoding="utf-8")


def cut(svg: str) -> str:
    """Cut a plot to its Axes with their heads: its title, its legend and its notes go.

    Examples
    --------
    >>> axes = '<clipPath id="p0"><rect x="30" y="40" width="90" height="100"/></clipPath>'
    >>> root = '<svg height="200pt" viewBox="0 0 150 200" xmlns="{}">{}</svg>'
    >>> cut(root.format("http://www.w3.org/2000/svg", axes)).partition("><")[0]
    '<svg xmlns="http://www.w3.org/2000/svg" height="128pt" viewBox="0 26 150 128"'
    """
    root = ElementTree.fromstring(svg)
    title = root.find(f".//{_SVG}g[@id='title']")
    titles = set[ElementTree.Element]() if title is None else {*title.iter()}
    if title is not None:
        title.set("display", "none")  # others use its letters
    rects = [*root.iterfind(f".//{_SVG}clipPath/{_SVG}rect")]
    tops = [float(one.get("y", 0)) - _EDGE for one in rects]
    ends = [float(one.get("y", 0)) + float(one.get("height", 0)) for one in rects]
    tops += [low - _EDGE for low in _baselines(one for one in root.iter() if one not in titles)]
    for tick in root.iter(f"{_SVG}g"):
        if tick.get("id", "").startswith("xtick_"):
            ends += _baselines(tick.iter())
    wide, high = (float(one) for one in root.get("viewBox", "0 0 0 0").split()[2:])
    top = max(0.0, min(tops, default=0))
    low = min(high, max(ends, default=high) + _EDGE)
    root.set("height", f"{low - top:g}pt")
    root.set("viewBox", f"0 {top:g} {wide:g} {low - top:g}")
    return ElementTree.tostring(root, encoding="unicode")


def _baselines(elements: Iterable[ElementTree.Element]) -> list[float]:
    """Return where the lines of text among elements stand."""
    texts = (one.get("transform", "") for one in elements if one.tag == f"{_SVG}g")
    return [float(place[1]) for place in map(_AT.match, texts) if place]


def _render(thumbs: Path, drawn: Iterable[str]) -> str:
    kinds = [name for name in drawn if name.removeprefix("plot.") in TOPICS["plots"]]
    parts = [
        "# Gallery",
        "A click on a plot opens its page.",
        "## Kinds of plots",
        _grid(_kind(thumbs, name) for name in kinds),
        "## Plots of the notebooks",
        _grid(_of_notebooks(thumbs)),
    ]
    return "\n\n".join(parts) + "\n"


def _kind(thumbs: Path, name: str) -> str:
    use = TOPICS["plots"][name.removeprefix("plot.")]
    said = f"**[`{name}`](reference/{name}.md)** Use it when {use}."
    return _card(thumbs / f"{name}.svg", f"reference/{name}.html", said, example(name))


def _of_notebooks(thumbs: Path) -> Iterator[str]:
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
        yield _card(thumbs / f"{name}.svg", f"notebooks/{stem}.html", said, code)


def finding(svg: str) -> str:
    """Return what an SVG by `fiotools.plot.save` says of itself."""
    told = re.search(r"<desc [^>]*>(.*?)</desc>", svg)
    return unescape(told[1]) if told else ""


def _card(image: Path, target: str, said: str, code: str) -> str:
    alt = finding(image.read_text(encoding="utf-8"))
    link = f"{image.parent.name}/{image.name}"
    return (
        f"````{{container}} card\n```{{image}} {link}\n:alt: {alt}\n:target: {target}\n```\n\n"
        f"{said}\n\n"
        f"<details><summary>Code</summary>\n\n```python\n{code}\n```\n\n</details>\n````"
    )


def _grid(cards: Iterable[str]) -> str:
    return "\n\n".join(["`````{container} gallery", *cards, "`````"])
