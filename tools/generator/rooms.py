"""The plot of the packages of fiotools: which imports which.

It is drawn from the imports, so that it stays true. An arrow means "imports"; one is left out where
others lead to the same room. A package says in the first line of its docstring what it is for; the
modules that lie in no package are one room, on which all stand.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator, Mapping
from functools import cache
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

from tools.generator.filled import ROOT

PACKAGE = ROOT / "fiotools"
GROUND = "fiotools"  # the modules beside the packages
_ALONE = ("dataset",)  # a module that is a room, since it stands on others
_GROUND_IDEA = "The vocabulary, errors, units, and how a message names an argument."
_WIDE, _HIGH, _GAP, _EDGE = 196, 78, 58, 24  # px: box, gap between layers, margin
_STYLE = """
  text { font-family: "DejaVu Sans", Verdana, sans-serif; font-size: 11px; fill: #333 }
  .name { font-size: 14px; font-weight: bold; fill: #000 }
  rect { fill: #F4F8FB; stroke: #0072B2; stroke-width: 1.2 }
  polyline { fill: none; stroke: #6E6E6E; stroke-width: 1.2; marker-end: url(#head) }
"""
_WAY = 30  # px: an arrow that passes a layer
Graph: TypeAlias = Mapping[str, set[str]]
Spot: TypeAlias = tuple[str, str]  # a room, or the arrow from one to another


def modules() -> dict[str, Path]:
    """Return all modules of the library, by dotted name."""
    found = {}
    for file in sorted(PACKAGE.rglob("*.py")):
        parts = file.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return found


def imports(file: Path, known: Mapping[str, Path]) -> Iterator[str]:
    """Return the modules of the library that a module imports: at its top, later, or for types."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names if name.name in known)
        elif isinstance(node, ast.ImportFrom) and node.module in known:
            for name in node.names:
                inner = f"{node.module}.{name.name}"
                yield inner if inner in known else node.module


def room(module: str) -> str:
    """Return the package of a module; the ground if it has none.

    Examples
    --------
    >>> room("fiotools.stats.check.runs"), room("fiotools.units")
    ('stats', 'fiotools')
    """
    inner = module.replace("__main__", "cli").split(".")[1:]
    is_room = inner and (inner[0] in _ALONE or (PACKAGE / inner[0]).is_dir())
    return inner[0] if is_room else GROUND


@cache
def graph() -> dict[str, set[str]]:
    """Return the rooms that each room imports.

    The module `fiotools` itself names what is public, and imports it when it is asked for; so it
    counts as no room.
    """
    known = modules()
    found: dict[str, set[str]] = {room(name): set() for name in known}
    for name, file in known.items():
        if name != GROUND:
            found[room(name)] |= {room(one) for one in imports(file, known) if one != GROUND}
    return {name: others - {name} for name, others in found.items()}


def circle(rooms: Graph) -> list[str]:
    """Return the rooms that import each other in a circle."""
    left = {name: set(others) for name, others in rooms.items()}
    while ends := [name for name, others in left.items() if not others & left.keys()]:
        for name in ends:
            del left[name]
    while tops := left.keys() - {other for others in left.values() for other in others}:
        for name in tops:
            del left[name]
    return sorted(left)


def layers(rooms: Graph) -> list[list[str]]:
    """Put the rooms in layers, the topmost first; each imports only from layers below."""
    depth: dict[str, int] = {}

    def place(name: str) -> int:
        if name not in depth:
            depth[name] = 1 + max((place(other) for other in rooms[name]), default=-1)
        return depth[name]

    for name in sorted(rooms):
        place(name)
    return [
        sorted(name for name in depth if depth[name] == level)
        for level in range(max(depth.values()), -1, -1)
    ]


def arrows(rooms: Graph) -> list[tuple[str, str]]:
    """Return the imports that others do not imply."""
    below: dict[str, set[str]] = {}

    def reach(name: str) -> set[str]:
        if name not in below:
            below[name] = set().union(*({other} | reach(other) for other in rooms[name]))
        return below[name]

    return [
        (name, other)
        for name in sorted(rooms)
        for other in sorted(rooms[name])
        if not any(other in reach(way) for way in rooms[name] - {other})
    ]


def idea(name: str) -> str:
    """Return the first line of the docstring of a room."""
    if name == GROUND:
        return _GROUND_IDEA
    file = modules()[f"fiotools.{name}"]
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return (ast.get_docstring(tree) or "").split("\n")[0].replace("`", "")


def render() -> str:
    """Draw the rooms as SVG.

    An arrow that passes layers has a place in each of them, so that it crosses no room.
    """
    rooms = graph()
    rows: list[list[Spot]] = [[(name, "") for name in row] for row in layers(rooms)]
    level = {name: at for at, row in enumerate(rows) for name, _ in row}
    ways: list[list[Spot]] = []
    for upper, lower in arrows(rooms):
        between = range(level[upper] + 1, level[lower])
        for at in between:
            rows[at].append((upper, lower))
        ways.append([(upper, ""), *[(upper, lower)] * len(between), (lower, "")])
    places = _places(rows, ways)
    wide = max(sum(map(_width, row)) for row in rows) + _EDGE
    high = len(rows) * (_HIGH + _GAP) - _GAP + 2 * _EDGE
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" width="{wide}">',
        f"<style>{_STYLE}</style>",
        '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7"'
        ' markerHeight="7" orient="auto">'
        '<path d="M0 0 L8 4 L0 8 z" fill="#6E6E6E"/></marker></defs>',
        f'<path d="M0 0 H{wide} V{high} H0 z" fill="white"/>',
    ]
    for way in ways:
        top = level[way[0][0]]
        points = []
        for at, spot in enumerate(way):
            x, y = places[top + at, spot], _EDGE + (top + at) * (_HIGH + _GAP)
            points += [f"{x:.0f},{y:.0f}"] * (at > 0) + [f"{x:.0f},{y + _HIGH:.0f}"] * (
                at < len(way) - 1
            )
        out.append(f'<polyline points="{" ".join(points)}"/>')
    for at, row in enumerate(rows):
        for spot in row:
            if not spot[1]:
                out += _box(spot[0], places[at, spot], _EDGE + at * (_HIGH + _GAP))
    return "\n".join([*out, "</svg>", ""])


def _width(spot: Spot) -> int:
    return _WAY if spot[1] else _WIDE + _EDGE


def _places(rows: list[list[Spot]], ways: list[list[Spot]]) -> dict[tuple[int, Spot], float]:
    """Return the middle of each spot, ordered by the spots above it."""
    wide = max(sum(map(_width, row)) for row in rows) + _EDGE
    places: dict[tuple[int, Spot], float] = {}
    for at, row in enumerate(rows):
        above: dict[Spot, list[float]] = {}
        for way in ways:
            for upper, lower in pairwise(way):
                if (at - 1, upper) in places and lower in row:
                    above.setdefault(lower, []).append(places[at - 1, upper])
        middle = {spot: sum(found) / len(found) for spot, found in above.items()}
        row.sort(key=lambda spot: (middle.get(spot, 0.0), spot))
        x = (wide - sum(map(_width, row))) / 2
        for spot in row:
            places[at, spot] = x + _width(spot) / 2
            x += _width(spot)
    return places


def _box(name: str, x: float, y: float) -> list[str]:
    left = x - _WIDE / 2
    shown = f"{name}/" if name != GROUND else "fiotools/*.py"
    text = re.sub(r"\.$", "", idea(name))
    return [
        f'<rect x="{left:.0f}" y="{y:.0f}" width="{_WIDE}" height="{_HIGH}" rx="6"/>',
        f'<text class="name" x="{left + 10:.0f}" y="{y + 19:.0f}">{shown}</text>',
        *(
            f'<text x="{left + 10:.0f}" y="{y + 36 + 14 * at:.0f}">{escape(line)}</text>'
            for at, line in enumerate(textwrap.wrap(text, 31))
        ),
    ]
