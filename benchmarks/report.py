"""What came of it: a table for the terminal, and RESULTS.md."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.cases import CASES, GROUPS, MB, Case, Goal, Store, middle, ratio, seconds
from benchmarks.growth import LINEAR

FOLDER = Path(__file__).resolve().parent
_MARKS = {True: "met", False: "**missed**", None: "not measured"}


class Held(NamedTuple):
    """One goal beside what was measured."""

    group: str
    name: str
    kind: str
    bound: str
    figure: str
    met: bool | None


def held(kept: dict[str, Any]) -> Iterator[Held]:
    """Hold every goal against what was measured."""
    for case, found in _measured(kept):
        for goal in case.goals_of(found):
            told = goal.kind, goal.text, goal.said(found), goal.holds(found)
            yield Held(case.group, case.name, *told)
    for kind in ("ordinary", "hostile", "statistic"):
        curves = _curves(kept, kind)
        if curves:
            over = sum(_exponent(one) > LINEAR for one in curves)
            worst = max(curves, key=_exponent)
            said = f"{over} of {len(curves)} above; {_worst(worst)}"
            bound = f"exponent <= {LINEAR} (doubling costs 2.1x)"
            yield Held("growth", f"{kind} inputs", "exponent", bound, said, not over)


def _measured(kept: dict[str, Any]) -> list[tuple[Case, Store]]:
    found = kept.get("cases", {})
    return [(case, found[case.name]) for case in CASES if case.name in found]


def table(kept: dict[str, Any], groups: Collection[str]) -> str:
    """Write what was measured of some groups, and its goals, as plain text."""
    lines: list[tuple[str, ...]] = [("case", "floor", "ours", "of floor")]
    lines += [
        (case.name, *_seconds(found)) for case, found in _measured(kept) if case.group in groups
    ]
    goals: list[tuple[str, ...]] = [("case", "goal", "measured", "")]
    goals += [
        (one.name, one.bound, one.figure[:70], _MARKS[one.met].strip("*"))
        for one in held(kept)
        if one.group in groups
    ]
    return "\n".join([*_aligned(lines), "", *_aligned(goals)])


def _aligned(lines: list[tuple[str, ...]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        yield "  ".join(cells).rstrip()


def _seconds(found: Store) -> list[str]:
    times = ratio(found, "ours", "floor")
    taken = [seconds(middle(found, side, "cpu_s")) for side in ("floor", "ours")]
    return [*taken, "" if times is None else f"{times:.2f}x"]


def write(kept: dict[str, Any], *, quick: bool) -> None:
    """Write RESULTS.md."""
    text = "\n".join(_page(kept, quick=quick))
    (FOLDER / "RESULTS.md").write_text(text + "\n", encoding="utf-8")
    print("written: benchmarks/RESULTS.md")


def _page(kept: dict[str, Any], *, quick: bool) -> Iterator[str]:
    cases = _measured(kept)
    dates = sorted({found["date"] for _, found in cases})
    yield "# How fast, and against what\n"
    yield "Written by `make bench`" + (" QUICK=1: on small inputs" if quick else "") + ". Nothing"
    yield "here is typed by hand but the reasons, which are those of `limits.toml`."
    yield "How it is measured, and what a floor is: [README.md](README.md).\n"
    heads = {"measured": " to ".join(dates[:1] + dates[1:][-1:]), **kept["about"]}
    yield from (f"* {name}: {value}" for name, value in heads.items())
    yield "\nSeconds are CPU seconds of one reading, medians of the rounds; memory is what the peak"
    yield "rises by; the first answer is what the whole process took to read its first small input."
    goals = [*held(kept)]
    for group, title in GROUPS.items():
        own = [(case, found) for case, found in cases if case.group == group]
        if own:
            yield f"\n## {title}\n"
            yield from _group(own)
            yield from _missed(one for one in goals if one.group == group)
    if "growth" in kept:
        yield from _growth(kept)
        yield from _missed(one for one in goals if one.group == "growth")


def _group(cases: list[tuple[Case, Store]]) -> Iterator[str]:
    yield (
        "| case | input | floor | | ours | of floor | wall | memory | frames | first answer"
        " | goals |"
    )
    yield "|---" * 11 + "|"
    for case, found in cases:
        floor = case.floor.partition(".")[2]
        cells = [
            *(case.name, _input(case, found), f"`{floor}`" if floor else ""),
            *_seconds(found),
            seconds(middle(found, "ours", "wall_s")),
            *(_megabytes(found, figure) for figure in ("rss", "bytes")),
            seconds(middle(found, "ours", "first_s")),
            "; ".join(_goal(goal, found) for goal in case.goals_of(found)),
        ]
        yield f"| {' | '.join(cells)} |"
    failed = [line for case, found in cases for line in _failed(case, found)]
    yield from ["", *failed] if failed else []


def _input(case: Case, found: Store) -> str:
    if not case.input:
        return ""
    size = found["size"]["bytes"]
    held = f"{size / MB:,.0f} MB" if size >= MB else f"{size / 1000:,.1f} kB"
    return f"{found['count']:,} {case.input.unit}, {held}"


def _megabytes(found: Store, figure: str) -> str:
    value = middle(found, "ours", figure)
    return "" if value is None else f"{value / MB:,.0f} MB"


def _goal(goal: Goal, found: Store) -> str:
    return f"{goal.text}: {_MARKS[goal.holds(found)]}"


def _failed(case: Case, found: Store) -> Iterator[str]:
    for name, side in found["sides"].items():
        if "failed" in side:
            yield f"* **{case.name}**, {name}: {side['failed']}"


def _missed(goals: Iterable[Held]) -> Iterator[str]:
    """Say what limits it, where a goal is missed."""
    limits = tomllib.loads((FOLDER / "limits.toml").read_text(encoding="utf-8"))
    lines = [
        f"* **{one.name}**, {one.bound}: {one.figure}."
        f" {limits.get(one.name, {}).get(one.kind, 'Nobody has said why yet.')}"
        for one in goals
        if one.met is False
    ]
    yield from ["", *lines] if lines else []


def _curves(kept: dict[str, Any], kind: str, what: str = "") -> list[Store]:
    curves = kept.get("growth", {}).values()
    return [one for one in curves if one["kind"] == kind and what in ("", one["what"])]


def _exponent(curve: Store) -> float:
    """Give the exponent; what failed is worse than any."""
    return float(curve.get("exponent", 99))


def _worst(curve: Store) -> str:
    if "failed" in curve:
        return f"{curve['what']}, {curve['name']}: {curve['failed']}"
    return f"{curve['exponent']:.2f} ({curve['what']}, {curve['name']})"


def _growth(kept: dict[str, Any]) -> Iterator[str]:
    yield "\n## Cost against size\n"
    yield "The exponent of CPU seconds over size, fitted to 1x, 2x, 4x and 8x; 1 is linear."
    yield "Where it was above the bound, all was measured again at four times the sizes, and both"
    yield "are shown: the numbers behind it are those of the second time. A line has the worst"
    yield "input of a reader; `any` are texts that no reader takes.\n"
    yield "| | reader | inputs | worst exponent | of | CPU s at 1x, 2x, 4x, 8x | 1x is |"
    yield "|---|---|---|---|---|---|---|"
    for kind in ("ordinary", "hostile", "statistic", "control"):
        for what in dict.fromkeys(one["what"] for one in _curves(kept, kind)):
            curves = _curves(kept, kind, what)
            yield f"| {kind} | {what} | {len(curves)} | {_curve(max(curves, key=_exponent))} |"


def _curve(one: Store) -> str:
    if "failed" in one:
        return f"{one['failed']} | {one['name']} | | "
    over = "**" if one["exponent"] > LINEAR else ""
    smaller = f"{one['smaller']['exponent']:.2f}, then " if "smaller" in one else ""
    costs = ", ".join(f"{cpu:.2f}" for cpu in one["cpu_s"])
    exponent = f"{smaller}{over}{one['exponent']:.2f}{over}"
    return f"{exponent} | {one['name']} | {costs} | {one['size'][0]:,} {one['unit']}"
