"""Lines: a curve for each group over a number, its intervals and its single runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.transforms import offset_copy

from fiotools.plot import letters, look, words
from fiotools.plot.frame import name_levels, name_limits
from fiotools.plot.scales import scale
from fiotools.plot.spec import Row, Spec
from fiotools.plot.spoken import says, told

_MANY = 60  # rows of a curve: from there on without markers
_MARKS = 8  # markers along a curve of many rows
_LINE = 1.35  # of the letters' size: from name to name
_NAME = 22  # letters of a line of a name at the end of a curve
_DOTS = 5_000  # that a vector file holds well
_DASHES: Any = ("-", (0, (5, 2)), (0, (2, 1.5)), (0, (6, 1.5, 1, 1.5)))
_RINGS = {"ring": ("o", 11, 1.3), "knee": ("D", 12, 1.0)}


def draw(ax: Axes, spec: Spec) -> list[Any]:
    """Draw curves, and return the entries of the legend: none if their ends are named."""
    looks = looks_of(ax, spec)
    scale(ax, "x", spec.x, spec.reach("x"))
    ends = scale(ax, "y", spec.y, spec.reach("y"))
    last: list[tuple[float, float, Any]] = []
    dodged = len(spec.groups) > 1 and "dodged" in spec.how
    for at, name in enumerate(spec.groups):
        own = sorted(
            (row for row in spec.rows if row.group == name and row.mark not in _RINGS),
            key=lambda row: row.x,
        )
        if not own:
            continue
        aside = (at - (len(spec.groups) - 1) / 2) * min(5, 26 / len(spec.groups)) if dodged else 0
        place = offset_copy(ax.transData, look.figure_of(ax), x=aside, units="points")
        _curve(ax, own, looks[name], spec, place, ends)
        known = [row for row in own if row.y is not None]
        if known:
            last.append((known[-1].x, known[-1].y, name))
    for row in spec.rows:
        if row.mark in _RINGS:
            marker, size, edge = _RINGS[row.mark]
            (ring,) = ax.plot(
                row.x,
                row.y,
                marker,
                markersize=size,
                markerfacecolor="none",
                markeredgecolor=look.ink(ax),
                markeredgewidth=edge,
                zorder=6,
            )
            says(ring, told(spec, row))
    name_levels(ax, spec, looks)
    name_limits(ax, spec)
    if spec.hue is None or not spec.legend:
        return []
    return [_handle(spec, name, looks[name]) for *_, name in sorted(last, key=lambda one: -one[1])]


def looks_of(ax: Axes, spec: Spec) -> dict[Any, look.Look]:
    """Give each curve its look; the second of a pair has the colour of the first, dashed."""
    if "paired" not in spec.how:
        return look.looks(spec.groups, ax)
    firsts = [name for at, name in enumerate(spec.groups) if at % 2 == 0]
    own = look.looks(firsts, ax)
    return {
        name: replace(own[firsts[at // 2]], line="--" if at % 2 else "-")
        for at, name in enumerate(spec.groups)
    }


def _handle(spec: Spec, name: Any, own: look.Look) -> Line2D:
    line: Any = "none" if "dots" in spec.how else own.line
    return Line2D(
        [],
        [],
        color=own.colour,
        marker=own.marker,
        linestyle=line,
        markersize=5,
        label=_named(spec, name),
    )


def _named(spec: Spec, name: Any) -> str:
    return words.named(name, spec.hue)


def _curve(
    ax: Axes,
    own: Sequence[Row],
    kind: look.Look,
    spec: Spec,
    place: Any,
    ends: tuple[float, float],
) -> None:
    """Draw a curve with its band or its intervals, and its runs."""
    alone = spec.hue is None
    x = np.array([row.x for row in own], dtype=np.float64)
    y = np.array([math.nan if row.y is None else row.y for row in own], dtype=np.float64)
    if "thin" in spec.how and alone:
        kind = replace(kind, colour=look.shade(ax, 1))
    colour, mark = kind.colour, kind.marker
    if "bands" in spec.how:
        _band(ax, own, x, kind, spec)
    else:
        _intervals(ax, own, colour, place, ends, spec)
    for row in own:
        dots: Any = {"alpha": 0.55, "markersize": 4, "markeredgewidth": 0, "color": colour}
        if row.points:
            (runs,) = ax.plot([row.x] * len(row.points), row.points, mark, transform=place, **dots)
            says(runs, *(told(spec, row, one) for one in row.points))
    if "thin runs" in spec.how:
        ax.plot(x, y, color=colour, linewidth=0.8)
    if {"dots", "points alone", "thin runs"} & spec.how:
        small = 6 if "points alone" in spec.how else 3 if len(x) > _MANY else 5
        look_of: Any = {"markersize": small, "markeredgewidth": 0, "alpha": 0.6}
        drawn = [row for row in own if not row.points]
        look_of["rasterized"] = len(x) > _DOTS
        xs, ys = [row.x for row in drawn], [row.y for row in drawn]
        (points,) = ax.plot(xs, ys, mark, color=colour, **look_of)
        if len(drawn) <= _MANY:
            says(points, *(told(spec, row) for row in drawn))
        return
    steps: Any = "steps-post" if "steps" in spec.how else "default"
    how: Any = {"drawstyle": steps, "linewidth": 0.8 if "thin" in spec.how else 1.6}
    (line,) = ax.plot(x, y, color=colour, linestyle=kind.line, zorder=3, transform=place, **how)
    if not alone:
        says(line, _named(spec, own[0].group))
    if len(x) > _MANY or steps != "default":  # some markers, where there are others
        every = max(1, len(x) // _MARKS)
        some = slice(len(x) if alone else every // 2, None, every)
        (points,) = ax.plot(x[some], y[some], mark, color=colour, markersize=4.5, zorder=3)
        says(points, *(told(spec, row) for row in own[some]))
        return
    for row in own:
        if row.y is not None:
            edge: Any = {"markersize": 5.5, "markeredgewidth": 1.3, "zorder": 4}
            edge["markerfacecolor"] = look.ground(ax) if row.mark == "hollow" else colour
            (point,) = ax.plot(row.x, row.y, mark, color=colour, transform=place, **edge)
            says(point, told(spec, row))


def _band(ax: Axes, own: Sequence[Row], x: Any, kind: look.Look, spec: Spec) -> None:
    """Draw an area between both ends, and its edges if there are no values between them."""
    low, high = (
        np.array([math.nan if end is None else end for end in side], dtype=np.float64)
        for side in zip(*((row.low, row.high) for row in own), strict=True)
    )
    pale: Any = {"alpha": 0.25 if len(spec.groups) < 4 else 0.12, "linewidth": 0, "zorder": 1}
    step: Any = "post" if "steps" in spec.how else None
    ax.fill_between(x, low, high, step=step, color=kind.colour, **pale)
    if all(row.y is None for row in own):  # told apart in greyscale too
        dashes = _DASHES[spec.groups.index(own[0].group) % len(_DASHES)]
        edge: Any = {"linewidth": 1.2, "linestyle": dashes, "marker": "_"}
        for side in (low, high):
            (line,) = ax.plot(x, side, color=kind.colour, **edge)
            says(line, *(told(spec, row) for row in own))


def _intervals(
    ax: Axes,
    own: Sequence[Row],
    colour: str,
    place: Any,
    ends: tuple[float, float],
    spec: Spec,
) -> None:
    """Draw the intervals as far as the axis reaches; an arrow marks one that goes on."""
    bottom, top = ends
    for row in own:
        if row.low is None or row.high is None:
            continue
        bar = [max(row.low, bottom), min(row.high, top)]
        (drawn,) = ax.plot(
            [row.x] * 2,
            bar,
            color=colour,
            linewidth=2.2,
            alpha=0.75,
            transform=place,
            solid_capstyle="butt",
            zorder=2,
        )
        says(drawn, told(spec, row))
        for edge, full, arrow in ((bar[0], row.low, "v"), (bar[1], row.high, "^")):
            if edge != full:
                ax.plot(
                    row.x,
                    edge,
                    arrow,
                    markersize=5,
                    color=colour,
                    transform=place,
                    clip_on=False,
                    zorder=2,
                )


def name_ends(ax: Axes, spec: Spec) -> bool:
    """Name curves at their ends, apart from each other; say whether they have room there."""
    if spec.hue is None or not spec.legend:
        return True
    looks, last = looks_of(ax, spec), []
    for name in spec.groups:
        own = [
            row
            for row in spec.rows
            if row.group == name and row.mark not in _RINGS and _height(row) is not None
        ]
        if own:
            end = max(own, key=lambda row: row.x)
            last.append((end.x, _height(end), letters.wrapped(_named(spec, name), _NAME), name))
    if not last:
        return True
    size, (_, high) = look.small(ax), look.points(ax)
    last.sort(key=lambda one: one[1])
    line = _LINE * size
    rows = np.array([one[2].count("\n") + 1 for one in last])
    if (
        rows.sum() * line > high
        or max(map(letters.width, " ".join(o[2] for o in last).split())) > 40
    ):
        return False
    trans = ax.transScale + ax.transLimits
    wanted = np.array([float(trans.transform((x, y))[1]) * high for x, y, *_ in last])
    stack = line * (np.cumsum(rows) - (rows + rows[0]) / 2)
    lowest = np.maximum.accumulate(wanted - stack)
    places = stack + np.minimum(lowest, max(high, wanted[-1]) - stack[-1])
    for (_, _, text, name), up in zip(last, places, strict=True):
        ax.annotate(
            text,
            (1, up / high),
            (11, 0),
            xycoords="axes fraction",
            va="center",
            textcoords="offset points",
            size=size,
            annotation_clip=False,
            color=look.ink(ax),
        )
        kind = looks[name]
        spot = offset_copy(ax.transAxes, look.figure_of(ax), x=6, units="points")
        ax.plot(
            1,
            up / high,
            kind.marker,
            color=kind.colour,
            markersize=4.5,
            transform=spot,
            clip_on=False,
            zorder=6,
        )
    return True


def _height(row: Row) -> Any:
    """Return where a row is drawn: its value, or the middle of its bounds."""
    if row.y is not None or row.low is None or row.high is None:
        return row.y
    return math.sqrt(row.low * row.high) if row.low > 0 else row.high / 2
