"""The page on what runs: four calls, each followed through the functions of the library."""

from __future__ import annotations

import ast
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType, MappingProxyType

import matplotlib.pyplot as plt

import fiotools as ft
from tools.generator.filled import ROOT
from tools.generator.rooms import GROUND, PACKAGE, idea, modules, room

Function = tuple[str, str]  # module, qualified name
RUNS = "data/how-many-runs/rounds/randread_{filesystem}_{round:d}.json"
ONE = "data/how-many-runs/rounds/randread_ext4_1.json"
_SIDES = MappingProxyType({"between": "filesystem", "baseline": "ext4"})
_NAMED = 4  # functions of a module; the rest is counted
_HEAD = f"""# From a file to an answer

This page is written by `tools/generator/walk_page.py`: it calls the library and notes each
function of it that runs. A move is a function that calls another. Each call is made twice and the
second time counts, so that what a process makes once is left out. A module stands where it is
first entered, with its first {_NAMED} functions or classes. [One picture](rooms.svg) has all
packages.
"""


@dataclass
class Walk:
    """What ran during a call.

    Attributes
    ----------
    functions : list of (module, qualified name)
        In the order of their first call.
    moves : set of pairs of functions
        Who called whom, once each.
    """

    functions: list[Function] = field(default_factory=list)
    moves: set[tuple[Function, Function]] = field(default_factory=set)

    def rooms(self, by: Callable[[str], str]) -> dict[str, list[Function]]:
        """Group the functions by module, or by what else a module gives."""
        found: dict[str, list[Function]] = {}
        for function in self.functions:
            found.setdefault(by(function[0]), []).append(function)
        return found


def walk(call: Callable[[], object]) -> Walk:
    """Follow a call."""
    known = {str(file): name for name, file in modules().items()}
    seen: dict[Function, None] = {}
    moves = set()

    def of(frame: FrameType | None) -> Function | None:
        """Give the function of a frame; a lambda or a loop belongs to the one around it."""
        while frame is not None:
            code = frame.f_code
            module = known.get(code.co_filename)
            if module and not code.co_name.startswith("<"):
                return module, code.co_qualname.replace(".<locals>", "")
            frame = frame.f_back
        return None

    def note(frame: FrameType, event: str, _: object) -> None:
        if event != "call" or frame.f_code.co_filename not in known:
            return
        here, caller = of(frame), of(frame.f_back)
        if here is not None and not frame.f_code.co_name.startswith("<"):
            seen.setdefault(here)
            if caller is not None and caller != here:
                moves.add((caller, here))

    call()
    before = sys.getprofile()
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(before)
    return Walk([*seen], moves)


def render() -> str:
    """Write ``walk.md``."""
    res = ft.read(str(ROOT / RUNS))
    cmp = ft.compare(res, "iops", **_SIDES)
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "page.html")
        parts = [
            _HEAD,
            _section(
                "A file becomes a table", f'ft.read("{ONE}").io', lambda: ft.read(ROOT / ONE).io
            ),
            _section(
                "Tables become an answer",
                'ft.compare(res, "iops", between="filesystem", baseline="ext4")',
                lambda: ft.compare(res, "iops", **_SIDES),
            ),
            _section(
                "An answer becomes a plot", "ft.plot.ratios(cmp)", lambda: ft.plot.ratios(cmp)
            ),
            _section(
                "Everything on a page",
                'ft.report(res, "page.html", between="filesystem", baseline="ext4")',
                lambda: ft.report(res, page, overwrite=True, **_SIDES),
                by=room,
            ),
        ]
    plt.close("all")
    return "\n".join(parts)


def _section(
    title: str, code: str, call: Callable[[], object], by: Callable[[str], str] = str
) -> str:
    """Write one walk: by module, or by room where that would be too long."""
    found = walk(call)
    count = len(found.rooms(str))
    told = f"{len(found.functions)} functions of {count} modules, {len(found.moves)} moves."
    head, rule = ("| module | it holds | it runs |", "|---|---|---|")
    if by is room:
        head = "| package | it holds | it runs |"
    rows = [_row(name, own, by is room) for name, own in found.rooms(by).items()]
    return "\n".join([f"## {title}", "", f"`{code}`: {told}", "", head, rule, *rows, ""])


def _row(name: str, functions: list[Function], is_room: bool) -> str:
    if is_room:
        count = len({module for module, _ in functions})
        shown = "the modules of no package" if name == GROUND else f"`{name}/`"
        return f"| {shown} | {idea(name)} | {len(functions)} functions of {count} modules |"
    path = modules()[name].relative_to(PACKAGE).as_posix()
    names = [function.removesuffix(".__init__").rpartition(".")[2] for _, function in functions]
    more = f", {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    # one span: the site would link a name by itself to the public function of this name
    shown = ", ".join(names[:_NAMED])
    return f"| `{path}` | {_first_line(name)} | `{shown}`{more} |"


def _first_line(module: str) -> str:
    tree = ast.parse(modules()[module].read_text(encoding="utf-8"))
    return (ast.get_docstring(tree) or "").split("\n")[0].replace("|", "\\|")
