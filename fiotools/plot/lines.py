"""Lines: a curve for each group over a number, its intervals and its single runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.transforms import offset_copy

from fiotools.plot import letters, look, words
from fiotools.plot.frame import interval, name_levels, name_limits
from fiotools.plot.scales import scale
from fiotools.plot.spec import Row, Spec

_MANY = 60  # rows of a curve: from there on without markers
_MARKS = 8  # markers along a curve of many rows
_LINE = 1.35  # of the letters' size: from name to name
_NAME = 22  # letters of a line of a name at the end of a curve
_DOTS = 5_000  # that a vector file holds well
_DASHES: Any = ("-", (0, (5, 2)), (0, (2, 1.5)), (0, (6, 1.5, 1, 1.5)))
_RING = "ring"


def draw(ax: Axes, spec: Spec) -> list[Any]:
    """Draw curves, and return the entries of the legend."""
    looks = look.looks(spec.groups, ax, spec.palette)
    scale(ax, "x", spec.x, spec.reach("x"))
    scale(ax, "y", spec.y, spec.reach("y"))
    dodged = len(spec.groups) > 1 and "dodged" in spec.how
    drawn: list[Any] = []
    for at, name in enumerate(spec.groups):
        if not (own := _curve_of(spec, name)):
            continue
        aside = (at - (len(spec.groups) - 1) / 2) * min(5, 26 / len(spec.groups)) if dodged else 0
        place = offset_copy(ax.transData, look.figure_of(ax), x=aside, units="points")
        _curve(ax, own, looks[name], spec, place)
        if any(row.y is not None for row in own):
            drawn.append(name)
    for row in spec.rows:
        if row.mark == _RING:
            ring: Any = {"markersize": 11, "markerfacecolor": "none", "markeredgewidth": 1.3}
            ax.plot(row.x, row.y, "o", markeredgecolor=look.ink(ax), zorder=6, **ring)
    name_levels(ax, spec, looks)
    name_limits(ax, spec)
    if spec.hue is None:
        return []
    return [_handle(spec, name, looks[name]) for name in drawn]


def _curve_of(spec: Spec, name: Any) -> list[Row]:
    own = (row for row in spec.rows if row.group == name and row.mark != _RING)
    return sorted(own, key=lambda row: row.x)


def _handle(spec: Spec, name: Any, own: look.Look) -> Line2D:
    line: Any = "none" if "dots" in spec.how else own.line
    looks: Any = {"color": own.colour, "marker": own.marker, "linestyle": line, "markersize": 5}
    return Line2D([], [], label=words.named(name, spec.hue), **looks)


def _curve(ax: Axes, own: Sequence[Row], kind: look.Look, spec: Spec, place: Any) -> None:
    """Draw a curve with its band or its intervals, and its runs."""
    alone = spec.hue is None
    x = np.array([row.x for row in own], dtype=np.float64)
    y = np.array([math.nan if row.y is None else row.y for row in own], dtype=np.float64)
    if "thin" in spec.how and alone:
        kind = replace(kind, colour=look.shade(ax, 1))
    colour, mark = kind.colour, kind.marker
    label = spec.y.label if alone else words.named(own[0].group, spec.hue)
    if "bands" in spec.how:
        _band(ax, own, x, kind, spec)
    else:
        how: Any = {"color": colour, "transform": place, "zorder": 2}
        bar = {"linewidth": 2.2, "alpha": 0.75, "solid_capstyle": "butt", **how}
        for row in own:
            interval(ax, "y", row, row.x, bar, {"markersize": 5, **how})
    for row in own:
        if row.points:
            dots: Any = {"alpha": 0.55, "markersize": 4, "markeredgewidth": 0, "color": colour}
            ax.plot([row.x] * len(row.points), row.points, mark, transform=place, **dots)
    if "dots" in spec.how:
        many: Any = {"markersize": 3 if len(x) > _MANY else 5, "rasterized": len(x) > _DOTS}
        ax.plot(x, y, mark, color=colour, markeredgewidth=0, alpha=0.6, label=label, **many)
        return
    steps: Any = "steps-post" if "steps" in spec.how else "default"
    how = {"drawstyle": steps, "label": label, "linewidth": 0.8 if "thin" in spec.how else 1.6}
    if "steps" not in spec.how:  # the marker is for a legend that somebody asks for later
        how |= {"marker": mark, "markevery": [], "markersize": 5}
    elif not alone:  # matplotlib takes the steps from a line that gets markers
        how["label"] = "_nolegend_"
        ax.add_line(_handle(spec, own[0].group, kind))
    ax.plot(x, y, color=colour, linestyle=kind.line, zorder=3, transform=place, **how)
    if len(x) > _MANY or "steps" in spec.how:  # some markers, where there are other curves
        every = max(1, len(x) // _MARKS)
        some = slice(len(x) if alone else every // 2, None, every)
        ax.plot(x[some], y[some], mark, color=colour, markersize=4.5, zorder=3)
        return
    for row in own:
        if row.y is not None:
            edge: Any = {"markersize": 5.5, "markeredgewidth": 1.3, "zorder": 4}
            edge["markerfacecolor"] = look.ground(ax) if row.mark == "hollow" else colour
            ax.plot(row.x, row.y, mark, color=colour, transform=place, **edge)


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
        for side in (low, high):
            edge: Any = {"linewidth": 1.2, "linestyle": dashes, "marker": "_"}
            ax.plot(x, side, color=kind.colour, **edge)


def name_ends(ax: Axes, spec: Spec) -> list[Artist] | None:
    """Name curves at their ends, apart from each other; return None if they have no room there.

    Curves that end at one height have the order of their groups, from top to bottom.
    """
    if spec.hue is None:
        return []
    looks, last = look.looks(spec.groups, ax, spec.palette), []
    for name in reversed(spec.groups):
        own = [row for row in _curve_of(spec, name) if _height(row) is not None]
        if own:
            text = letters.wrapped(words.named(name, spec.hue), _NAME)
            last.append((own[-1].x, _height(own[-1]), text, name))
    if not last:
        return []
    size, (_, high) = look.small(ax), look.points(ax)
    last.sort(key=lambda one: one[1])
    line = _LINE * size
    rows = np.array([one[2].count("\n") + 1 for one in last])
    longest = max(map(letters.width, " ".join(one[2] for one in last).split()))
    if rows.sum() * line > high or longest > 40:
        return None
    stack = line * (np.cumsum(rows) - (rows + rows[0]) / 2)

    def places() -> Any:
        trans = ax.transScale + ax.transLimits
        wanted = np.array([float(trans.transform((x, y))[1]) for x, y, *_ in last]) * high
        wanted = wanted.clip(0, high) if named else wanted
        lowest = np.maximum.accumulate(wanted - stack)
        return (stack + np.minimum(lowest, max(high, wanted[-1]) - stack[-1])) / high

    named: list[Any] = []
    spot = offset_copy(ax.transAxes, look.figure_of(ax), x=6, units="points")
    beside: Any = {"xycoords": "axes fraction", "textcoords": "offset points", "va": "center"}
    beside |= {"size": size, "annotation_clip": False, "color": look.ink(ax)}
    for (_, _, text, name), up in zip(last, places(), strict=True):
        written = ax.annotate(text, (1, up), (11, 0), **beside)
        mark: Any = {"marker": looks[name].marker, "color": looks[name].colour, "markersize": 4.5}
        named += [(written, *ax.plot(1, up, transform=spot, clip_on=False, zorder=6, **mark))]

    def follow(_: Any) -> None:
        for (written, mark), up in zip(named, places(), strict=True):
            written.xy = (1, up)
            mark.set_ydata([up])

    ax.callbacks.connect("ylim_changed", follow)
    return [one for pair in named for one in pair]


def _height(row: Row) -> Any:
    """Return where a row is drawn: its value, or the middle of its bounds."""
    if row.y is not None or row.low is None or row.high is None:
        return row.y
    return math.sqrt(row.low * row.high) if row.low > 0 else row.high / 2
