"""Three plots of it: beside the floors, cost against size, and how it grows."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullLocator

import fiotools as ft
from benchmarks.cases import CASES
from benchmarks.growth import LINEAR

MB = 1_000_000
_MET, _MISSED, _PLAIN = "C2", "C3", "C0"
_ACROSS = 4  # panels
_ROWS = {"statistic": "statistics", "control": "control"}  # the others have a row by name
_ROOM = 0.0005  # seconds, below which nothing is drawn but what the lines are


def draw(kept: dict[str, Any], folder: Path) -> list[str]:
    """Draw what there is, and name the files."""
    ft.plot.style()
    drawn = []
    for name, ax in (
        ("results-floors", _floors(kept.get("cases", {}))),
        ("results-sizes", _sizes(kept.get("growth", {}))),
        ("results-exponents", _exponents(kept.get("growth", {}))),
    ):
        if ax is not None:
            drawn += [file.name for file in ft.plot.save(ax, folder / f"{name}.svg")]
    plt.close("all")
    return drawn


def _floors(cases: dict[str, Any]) -> Axes | None:
    """Draw each case as a multiple of its floor, and the goal as a mark."""
    found = []
    for case in CASES:
        for goal in case.goals if case.name in cases else ():
            figure = goal.figure(cases[case.name])
            if goal.kind == "floor" and figure is not None:
                found.append((case.name, figure, goal.bound))
    if not found:
        return None
    _, ax = plt.subplots(figsize=(7, 1.1 + 0.32 * len(found)), layout="constrained")
    for at, (_, figure, bound) in enumerate(found):
        colour = _MET if figure <= bound else _MISSED
        ax.plot([0, figure], [at, at], color=colour, linewidth=3, solid_capstyle="butt")
        ax.plot(figure, at, "o", color=colour)
        ax.plot([bound, bound], [at - 0.35, at + 0.35], color="black", linewidth=1.5)
        end = max(figure, bound)
        ax.annotate(f"{figure:.2f}", (end, at), (8, 0), textcoords="offset points", va="center")
    ax.set_yticks(range(len(found)), [name for name, *_ in found])
    ax.set_ylim(len(found) - 0.5, -0.5)
    ax.set_xlim(0, 1.15 * max(max(figure, bound) for _, figure, bound in found))
    ax.set_xlabel("CPU seconds, as a multiple of the floor's (black: the goal)")
    ax.grid(visible=False, axis="y")
    ft.plot.title(ax, "How much more than the parser alone")
    return ax


def _sizes(curves: dict[str, Any]) -> Figure | None:
    """Draw CPU seconds against size, a panel for each reader: ordinary inputs by name."""
    names = sorted({one["what"] for one in curves.values() if one["kind"] == "ordinary"})
    if not names:
        return None
    rows = -(-len(names) // _ACROSS)
    figure, axes = plt.subplots(
        rows, _ACROSS, figsize=(8, 0.6 + 1.9 * rows), layout="constrained", sharex=True, sharey=True
    )
    for name, ax in zip(names, axes.flat, strict=False):
        own = [one for one in curves.values() if one["what"] == name and "size" in one]
        for one in own:
            if one["kind"] == "hostile":
                ax.plot([size / MB for size in one["size"]], one["cpu_s"], color=".75", linewidth=1)
        for at, one in enumerate([one for one in own if one["kind"] == "ordinary"]):
            sizes = [size / MB for size in one["size"]]
            label = f"{one['name']}: {one['exponent']:.2f}"
            ax.plot(sizes, one["cpu_s"], "o-", color=f"C{at}", markersize=3, label=label)
        ax.set_title(name, fontsize="medium", loc="left")
        ax.legend(fontsize="x-small", loc="lower right", handlelength=1, frameon=False)
        ax.set(xscale="log", yscale="log")
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
            axis.set_minor_locator(NullLocator())
    axes.flat[0].set_ylim(bottom=_ROOM)  # of all, when all is drawn
    for ax in axes.flat[len(names) :]:
        ax.set_axis_off()
    figure.supxlabel("size (MB)", fontsize="medium")
    figure.supylabel("CPU seconds", fontsize="medium")
    ft.plot.title(
        figure, "Twice the size, twice the cost: ordinary inputs, and hostile ones in grey"
    )
    return figure


def _exponents(curves: dict[str, Any]) -> Axes | None:
    """Draw the exponent of every input, by reader."""
    found: dict[str, list[tuple[float, str]]] = defaultdict(list)
    for one in curves.values():
        if "exponent" in one:
            row = _ROWS.get(one["kind"], one["what"])
            found[row].append((one["exponent"], one["kind"]))
    if not found:
        return None
    names = sorted(found, key=lambda name: (name in ("any", *_ROWS.values()), name))
    _, ax = plt.subplots(figsize=(7, 0.9 + 0.32 * len(names)), layout="constrained")
    ax.axvspan(LINEAR, 99, color=_MISSED, alpha=0.12, linewidth=0)
    kinds = {
        "hostile": "hostile input",
        "statistic": "many rows",
        "control": "linear by what it does",
        "ordinary": "ordinary input",
    }
    for kind, (colour, marker) in zip(
        kinds, ((_PLAIN, "o"), (_MET, "s"), (_MISSED, "^"), ("black", "D")), strict=True
    ):
        points = [
            (exponent, at)
            for at, name in enumerate(names)
            for exponent, own in found[name]
            if own == kind
        ]
        if points:
            at = list(zip(*points, strict=True))
            ax.plot(*at, marker, color=colour, alpha=0.6, markersize=5, label=kinds[kind])
    every = [exponent for points in found.values() for exponent, _ in points]
    ax.set_xlim(min([0.8, *every]) - 0.05, max([1.2, *every]) + 0.05)
    ax.set_yticks(range(len(names)), ["any text" if name == "any" else name for name in names])
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.set_xlabel("exponent of CPU seconds over size (1: linear; shaded: doubling costs over 2.1x)")
    below = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.12), "ncols": 4}  # hides no point
    ax.legend(**below, fontsize="small", frameon=False)
    ft.plot.title(ax, "How the cost grows, on ordinary and on hostile input")
    return ax
