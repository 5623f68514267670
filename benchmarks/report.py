"""What came of it: a table for the terminal, and RESULTS.md."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterator
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from benchmarks import start
from benchmarks.cases import CASES, MB, Case, Goal, Store, own_cpu, own_rss, ratio
from benchmarks.scaling import LINEAR

FOLDER = Path(__file__).resolve().parent
_MARKS = {True: "met", False: "**missed**", None: "not measured"}


class Row(NamedTuple):
    """One goal beside what was measured."""

    letter: str
    name: str
    kind: str
    bound: str
    figure: str
    met: bool | None


def rows(kept: dict[str, Any]) -> Iterator[Row]:
    """Hold every goal against what was measured."""
    for case in CASES:
        found = kept.get("cases", {}).get(case.name)
        for goal in case.goals if found else ():
            met, figure = goal.holds(found), _figure(goal, found)
            yield Row(case.letter, case.name, goal.kind, goal.text, figure, met)
    curves = kept.get("scaling", {})
    for kind in ("ordinary", "hostile", "statistic"):
        exponents = {
            name: one.get("exponent") for name, one in curves.items() if one["kind"] == kind
        }
        if exponents:
            worst = max(exponents, key=lambda name: exponents[name] or 99)
            over = sum(one is None or one > LINEAR for one in exponents.values())
            said = f"{over} of {len(exponents)} above; {exponents[worst] or 0:.2f} ({worst})"
            bound = f"exponent <= {LINEAR} (doubling costs 2.1x)"
            yield Row("all", f"{kind} inputs", "exponent", bound, said, not over)
    if "start" in kept:
        for name, bound, took, most, unit in start.goals(kept["start"]["cpu_s"]):
            yield Row("start", name, "start", bound, f"{took:.2f} {unit}", took <= most)


def _figure(goal: Goal, found: Store) -> str:
    figure, bound = goal.figure(found), goal.bound(found)
    if figure is None:
        return next((one["failed"] for one in found["sides"].values() if "failed" in one), "-")
    if goal.unit == "MB":
        return f"{figure:,.0f} MB" + ("" if bound is None else f" of {bound:,.0f}")
    return f"{figure:.2f}x"


def table(kept: dict[str, Any], letters: Collection[str]) -> str:
    """Write goals of some letters as plain text."""
    lines = [("", "case", "goal", "measured", "")]
    lines += [
        (row.letter, row.name, row.bound, row.figure[:70], _MARKS[row.met].strip("*"))
        for row in rows(kept)
        if row.letter in letters
    ]
    widths = [max(len(line[at]) for line in lines) for at in range(5)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def write(kept: dict[str, Any], *, quick: bool) -> None:
    """Write RESULTS.md and its figures."""
    from benchmarks import figure

    pictures = figure.draw(kept, FOLDER) if "scaling" in kept else []
    text = "\n".join(_page(kept, pictures, quick=quick))
    (FOLDER / "RESULTS.md").write_text(text + "\n", encoding="utf-8")
    print("written:", ", ".join(["benchmarks/RESULTS.md", *pictures]))


def _page(kept: dict[str, Any], pictures: list[str], *, quick: bool) -> Iterator[str]:
    cases = [
        (case, kept["cases"][case.name]) for case in CASES if case.name in kept.get("cases", {})
    ]
    dates = sorted({found["date"] for _, found in cases})
    yield "# How fast, and against what\n"
    yield "Written by `make bench`" + (" QUICK=1: on small inputs" if quick else "") + ". Nothing"
    yield "here is typed by hand but the reasons, which are those of `limits.toml`."
    yield "How it is measured, and what a floor is: [README.md](README.md).\n"
    for name, value in {
        "measured": " to ".join(dates[:1] + dates[1:][-1:]),
        **kept["about"],
    }.items():
        yield f"* {name}: {value}"
    yield "\n## Goals\n\n| | case | goal | measured | |\n|---|---|---|---|---|"
    held = list(rows(kept))
    for row in held:
        yield f"| {row.letter} | {row.name} | {row.bound} | {row.figure} | {_MARKS[row.met]} |"
    missed = [row for row in held if row.met is False]
    if missed:
        yield "\n## What limits it, where a goal is missed\n"
        limits = tomllib.loads((FOLDER / "limits.toml").read_text(encoding="utf-8"))
        for row in missed:
            why = limits.get(row.name, {}).get(row.kind, "nobody has said why yet")
            yield f"* **{row.name}**, {row.bound}: {row.figure}. {why}"
    yield "\n## What was measured\n"
    yield "CPU seconds without those of the imports, and memory above that of the imports: medians."
    yield "The ratio is to the floor, or to the side that stands first.\n"
    yield "| case | input | side | CPU s | wall s | ratio | memory | frames |"
    yield "|---|---|---|---|---|---|---|---|"
    for case, found in cases:
        yield from _sides(case, found)
    if "start" in kept:
        yield "\n## Until anything happens\n\nWhole processes; nothing is subtracted.\n"
        yield "| command | CPU s |\n|---|---|"
        for name, cpu in kept["start"]["cpu_s"].items():
            yield f"| {name} | {median(cpu):.3f} |"
    if "scaling" in kept:
        yield from _scaling(kept["scaling"], pictures)


def _sides(case: Case, found: Store) -> Iterator[str]:
    size = found["size"]
    held = f"{found['count']:,} {case.input.unit}, {size['bytes'] / MB:,.0f} MB"
    for side, told in found["sides"].items():
        name = side.partition(".")[2] if side.startswith(("floors", "peers")) else "fiotools"
        if side == f"ours.{case.beside}":
            name = "fiotools, one process"
        kind = {"floors": "floor", "peers": "peer"}.get(side.partition(".")[0])
        shown = f"{kind}: `{name}`" if kind else name
        if "failed" in told:
            yield f"| {case.name} | {held} | {shown} | {told['failed']} | | | | |"
            continue
        times = ratio(found, side, next(iter(found["sides"])))
        frames = f"{told['bytes'] / MB:,.0f} MB" if told["bytes"] else ""
        yield (
            f"| {case.name} | {held} | {shown} | {median(own_cpu(told)):.2f} |"
            f" {median(told['wall_s']):.2f} | {'-' if times is None else f'{times:.2f}'} |"
            f" {own_rss(told) / MB:,.0f} MB | {frames} |"
        )


def _scaling(curves: dict[str, Any], pictures: list[str]) -> Iterator[str]:
    yield "\n## Cost against size\n"
    yield "The exponent of CPU seconds over size, fitted to 1x, 2x, 4x and 8x; 1 is linear."
    yield "Where it was above the bound, all was measured again at four times the sizes, and both"
    yield "are shown: the figures behind it are those of the second time.\n"
    for picture in pictures:
        yield f"![]({picture.rpartition('/')[2]})\n"
    yield "| | reader | input | exponent | CPU s at 1x, 2x, 4x, 8x | 1x is |"
    yield "|---|---|---|---|---|---|"
    for one in curves.values():
        head = f"| {one['kind']} | {one['what']} | {one['name']} |"
        if "failed" in one:
            yield f"{head} | {one['failed']} | |"
        else:
            over = "**" if one["exponent"] > LINEAR else ""
            before = f"{one['before']['exponent']:.2f}, then " if "before" in one else ""
            costs = ", ".join(f"{cpu:.2f}" for cpu in one["cpu_s"])
            size = f"{one['size'][0]:,} {one['unit']}"
            yield f"{head} {before}{over}{one['exponent']:.2f}{over} | {costs} | {size} |"
