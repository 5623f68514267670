"""The picture of the rooms: the packages of fiotools, and which imports which.

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
from pathlib import Path
from typing import TypeAlias

from docs.generator.filled import ROOT

PACKAGE = ROOT / "fiotools"
GROUND = "fiotools"  # the modules beside the packages
_GROUND_IDEA = "The vocabulary, errors, units, and how a message names an argument."
_WIDE, _HIGH, _GAP, _EDGE = 196, 78, 58, 24  # px: a box, what is between layers, the margin
_STYLE = """
  text { font-family: "DejaVu Sans", Verdana, sans-serif; font-size: 11px; fill: #333 }
  .name { font-size: 14px; font-weight: bold; fill: #000 }
  rect { fill: #F4F8FB; stroke: #0072B2; stroke-width: 1.2 }
  line { stroke: #6E6E6E; stroke-width: 1.2; marker-end: url(#head) }
"""
Graph: TypeAlias = Mapping[str, set[str]]


def modules() -> dict[str, Path]:
    """Give all modules of the library, by dotted name."""
    found = {}
    for file in sorted(PACKAGE.rglob("*.py")):
        parts = file.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return found


def imports(file: Path, known: Mapping[str, Path]) -> Iterator[str]:
    """Give the modules of the library that a module imports: at its top, later, or for types."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names if name.name in known)
        elif isinstance(node, ast.ImportFrom) and node.module in known:
            for name in node.names:
                inner = f"{node.module}.{name.name}"
                yield inner if inner in known else node.module


def room(module: str) -> str:
    """Name the room in which a module lies: its package, or the ground.

    Examples
    --------
    >>> room("fiotools.stats.check.links"), room("fiotools.units")
    ('stats', 'fiotools')
    """
    inner = module.replace("__main__", "cli").split(".")[1:]
    return inner[0] if inner and (PACKAGE / inner[0]).is_dir() else GROUND


@cache
def graph() -> dict[str, set[str]]:
    """Give for each room the rooms that it imports.

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
    """Give the rooms that import each other in a circle; none if there is no circle."""
    left = {name: set(others) for name, others in rooms.items()}
    while ends := [name for name, others in left.items() if not others & left.keys()]:
        for name in ends:
            del left[name]
    while tops := left.keys() - {other for others in left.values() for other in others}:
        for name in tops:
            del left[name]
    return sorted(left)


def layers(rooms: Graph) -> list[list[str]]:
    """Put the rooms in layers, so that each imports only from layers below; the topmost first."""
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
    """Give the imports that no others imply."""
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
    """Say what a room is for: the first line of its docstring."""
    if name == GROUND:
        return _GROUND_IDEA
    tree = ast.parse((PACKAGE / name / "__init__.py").read_text(encoding="utf-8"))
    return (ast.get_docstring(tree) or "").split("\n")[0].replace("`", "")


def render() -> str:
    """Draw the rooms as SVG."""
    rooms = graph()
    rows = layers(rooms)
    wide = max(map(len, rows)) * (_WIDE + _EDGE) + _EDGE
    high = len(rows) * (_HIGH + _GAP) - _GAP + 2 * _EDGE
    places: dict[str, tuple[float, float]] = {}
    links = arrows(rooms)
    for level, names in enumerate(rows):
        above = {
            name: [places[upper][0] for upper, lower in links if lower == name] for name in names
        }
        order = sorted(names, key=lambda one: (sum(above[one]) / max(len(above[one]), 1), one))
        step = wide / len(order)
        for at, name in enumerate(order):
            places[name] = (step * (at + 0.5), _EDGE + level * (_HIGH + _GAP))
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" width="{wide}">',
        f"<style>{_STYLE}</style>",
        '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7"'
        ' markerHeight="7" orient="auto">'
        '<path d="M0 0 L8 4 L0 8 z" fill="#6E6E6E"/></marker></defs>',
        f'<path d="M0 0 H{wide} V{high} H0 z" fill="white"/>',
    ]
    for upper, lower in links:
        (x1, y1), (x2, y2) = places[upper], places[lower]
        out.append(f'<line x1="{x1:.0f}" y1="{y1 + _HIGH:.0f}" x2="{x2:.0f}" y2="{y2:.0f}"/>')
    for name, (x, y) in places.items():
        left = x - _WIDE / 2
        out.append(f'<rect x="{left:.0f}" y="{y:.0f}" width="{_WIDE}" height="{_HIGH}" rx="6"/>')
        shown = f"{name}/" if name != GROUND else "vocabulary, errors, units"
        out.append(f'<text class="name" x="{left + 10:.0f}" y="{y + 19:.0f}">{shown}</text>')
        text = re.sub(r"\.$", "", idea(name))
        for at, line in enumerate(textwrap.wrap(text, 31)[:3]):
            out.append(
                f'<text x="{left + 10:.0f}" y="{y + 36 + 14 * at:.0f}">{escape(line)}</text>'
            )
    return "\n".join([*out, "</svg>", ""])
