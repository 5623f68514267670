"""Rows: a name for each, its values along x, and its texts in columns at the right."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from fiotools.language import say
from fiotools.plot import letters, look, words
from fiotools.plot.frame import name_limits
from fiotools.plot.scales import levels_axis, scale
from fiotools.plot.spec import Row, Spec
from fiotools.plot.spoken import says, told

SHARE = 0.72  # of a row: what its groups take
_SPOTS = (0, -0.5, 0.5, -1, 1)  # half markers above and below: points that would hide each other
_SEEN = 0.005  # of the longest bar: a shorter part is not explained
_LETTER = 0.6  # of the letters' size
_NAMES = 0.34  # of a figure's width: the longest line of a name
_BESIDE = 0.7  # of the width of Axes: what texts beside them may take
_ROOM = 11.0  # points of a row with a text


def draw(ax: Axes, spec: Spec) -> list[Any]:
    """Draw rows, and return the entries of the legend."""
    names, groups = spec.y.order or (), spec.groups
    if {"bars", "one row"} & spec.how:
        groups = (None,)
    looks = look.looks(spec.groups, ax)
    if "bars" in spec.how:  # far from each other, and from the grey of the last, in greyscale too
        looks |= {
            name: replace(looks[name], colour=colour)
            for name, colour in zip(spec.groups[:-1], (look.PALETTE[0], look.ODD), strict=False)
        }
    ends = scale(ax, "x", spec.x, spec.reach("x"))
    most = letters.room(_NAMES * look.points(ax)[0] / 0.775, look.size(ax))
    levels_axis(ax, "y", [words.named(one, spec.y.column) for one in names], most)
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.grid(visible=False, axis="y")
    share = SHARE / len(groups)
    for row in spec.rows:
        if row.y not in names:
            continue
        at = 0 if len(groups) == 1 else groups.index(row.group)
        place = names.index(row.y) + (at - (len(groups) - 1) / 2) * share
        if "threads" in spec.how and row.value is not None:
            place = names.index(row.y) + row.value * 0.6
        _row(ax, row, place, looks[row.group if row.group in looks else spec.groups[0]], spec, ends)
    _levels(ax, spec, looks)
    _texts(ax, spec, share)
    name_limits(ax, spec)
    if not spec.legend:
        return []
    return _handles(ax, spec, looks)


def _row(
    ax: Axes, row: Row, place: float, own: look.Look, spec: Spec, ends: tuple[float, float]
) -> None:
    """Draw a row: its interval, its runs and its middle."""
    colour = look.ODD if row.mark == "behind" else own.colour
    words_of = told(spec, row)
    wide: Any = {"solid_capstyle": "butt", "color": colour}
    if "stems" in spec.how and ax.get_xscale() == "linear":
        ax.plot([max(0.0, ends[0]), row.x], [place] * 2, linewidth=2, alpha=0.35, **wide)
    if row.low is not None and row.high is not None:
        low, high = max(row.low, ends[0]), min(row.high, ends[1])
        thick = 7 if row.points else 2.2
        (bar,) = ax.plot(
            [low, high],
            [place] * 2,
            linewidth=thick,
            zorder=2,
            alpha=0.4 if row.points else 1,
            **wide,
        )
        says(bar, words_of)
        for edge, full, arrow in ((low, row.low, "<"), (high, row.high, ">")):
            if edge != full:
                ax.plot(edge, place, arrow, markersize=7, color=colour, zorder=3, clip_on=False)
    runs: Any = {
        "linestyle": "none",
        "marker": own.marker,
        "markersize": 5,
        "color": colour,
        "markeredgecolor": look.ground(ax),
        "markeredgewidth": 0.5,
        "zorder": 5,
    }
    if row.mark == "over" and "bars" in spec.how:
        ax.plot(
            [row.x] * 2, [place - 0.3, place + 0.3], color=look.ink(ax), linewidth=1.6, zorder=5
        )
    if row.points:
        if "bars" in spec.how:  # whose end is the middle
            runs["color"] = look.ink(ax)
        elif len(row.points) > 1:
            (tick,) = ax.plot(
                [row.x] * 2,
                [place - 0.17, place + 0.17],
                color=look.ink(ax),
                linewidth=1.6,
                zorder=4,
            )
            says(tick, words_of)
        for x, spot in zip(sorted(row.points), _apart(row.points, ends, ax), strict=True):
            high = look.points(ax)[1] / max(1, len(spec.y.order or ()))
            (point,) = ax.plot(x, place + spot * 5 / high, **runs)
            says(point, told(spec, row, x))
        return
    if "bars" in spec.how:
        return
    mark = "D" if row.mark == "whole" else "v" if row.mark == "behind" else own.marker
    hollow = row.mark == "hollow"
    size = 4.5 if "small" in spec.how else 7
    (point,) = ax.plot(
        row.x,
        place,
        mark,
        markersize=size,
        color=colour,
        zorder=5,
        markeredgewidth=1.4,
        markerfacecolor=look.ground(ax) if hollow else colour,
        clip_on=False,
    )
    says(point, words_of)


def _apart(points: tuple[float, ...], ends: tuple[float, float], ax: Axes) -> list[float]:
    """Say how far up or down each point goes, in markers, so that none hides another."""
    wide = look.points(ax)[0]
    last: dict[float, float] = {}
    found = []
    transform = ax.xaxis.get_transform()
    low, high = (float(one) for one in transform.transform(ends))
    for value in sorted(points):
        x = (float(transform.transform([value])[0]) - low) / (high - low) * wide
        free = [one for one in _SPOTS if x - last.get(one, -99.0) >= 5]
        spot = free[0] if free else min(_SPOTS, key=lambda one: last.get(one, -99.0))
        last[spot] = x
        found.append(spot)
    return found


def _levels(ax: Axes, spec: Spec, looks: dict[Any, look.Look]) -> None:
    """Draw the parts of bars, and marks across rows."""
    names = spec.y.order or ()
    for one in spec.levels:
        if one.row not in names:
            continue
        place: float = names.index(one.row)
        if "bars" in spec.how:
            colour = look.shade(ax, 1) if one.group == spec.groups[-1] else looks[one.group].colour
            wide = one.end - one.begin
            (bar,) = ax.barh(place, wide, left=one.begin, height=0.6, color=colour)
            words_of = told(spec, Row(wide, one.row, group=one.group))
            says(bar, say("{name}: {text}", name=one.row, text=one.text) if one.text else words_of)
        else:
            ax.plot(
                [one.value] * 2,
                [place - 0.4, place + 0.4],
                color=look.GREY,
                linewidth=1.4,
                zorder=1,
            )


def _texts(ax: Axes, spec: Spec, share: float) -> None:
    """Write the texts of rows in columns at the right, if they have room."""
    names, groups = spec.y.order or (), spec.groups
    texted = [row for row in spec.rows if row.texts and row.y in names]
    if not texted:
        return
    several = len({row.group for row in texted}) > 1 and not {"bars", "one row"} & spec.how
    lines = len(names) * (len(groups) if several else 1)
    if look.points(ax)[1] / max(1, lines) < _ROOM * (0.72 if several else 1):
        return
    size = look.small(ax)
    columns = max(len(row.texts) for row in texted)
    heads = [*spec.heads, *[""] * columns][:columns]
    told = [[row.texts[at] for row in texted if len(row.texts) > at] for at in range(columns)]
    wides = [
        _LETTER * size * max(map(letters.width, [*own, head]))
        for own, head in zip(told, heads, strict=True)
    ]
    if sum(wides) + 12 * columns > _BESIDE * look.points(ax)[0]:
        return
    right = 8.0
    for column in range(columns):
        if columns > 1:
            right += wides[column]
        beside: Any = {
            "textcoords": "offset points",
            "annotation_clip": False,
            "size": size,
            "ha": "right" if columns > 1 else "left",
        }
        for row in texted:
            at = groups.index(row.group) if several else 0
            place: float = names.index(row.y)
            place += (at - (len(groups) - 1) / 2) * share if several else 0
            ax.annotate(
                row.texts[column],
                (1, place),
                (right, 0),
                va="center",
                xycoords=("axes fraction", "data"),
                color=look.ink(ax),
                **beside,
            )
        if head := heads[column]:
            ax.annotate(
                head,
                (1, 1),
                (right, 2),
                va="bottom",
                xycoords="axes fraction",
                color=look.GREY,
                **beside,
            )
        right += 12


def _handles(ax: Axes, spec: Spec, looks: dict[Any, look.Look]) -> list[Any]:
    """Return the entries of the legend."""
    if "bars" in spec.how:
        found = list[Any]()
        for name in spec.groups:
            is_last = name == spec.groups[-1]
            colour = look.shade(ax, 1) if is_last else looks[name].colour
            least = _SEEN * max(one.end for one in spec.levels)
            if any(one.group == name and one.end - one.begin > least for one in spec.levels):
                found.append(Patch(color=colour, label=str(name)))
        return found
    found = list[Any]()
    if spec.hue is not None:
        for name in spec.groups:
            own = looks[name]
            found.append(
                Line2D(
                    [],
                    [],
                    color=own.colour,
                    marker=own.marker,
                    linestyle="none",
                    label=words.named(name, spec.hue),
                )
            )
    if any(row.mark == "behind" for row in spec.rows):
        found.append(
            Line2D(
                [],
                [],
                color=look.ODD,
                marker="v",
                linestyle="none",
                label=say("fell behind"),
            )
        )
    return found
