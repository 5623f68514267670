"""Rows: a name for each, its values along x, and its texts in columns at the right."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from fiotools.plot import letters, look, words
from fiotools.plot.frame import interval, name_limits
from fiotools.plot.scales import levels_axis, scale
from fiotools.plot.spec import Row, Spec

_SHARE = 0.72  # of a row: what its groups take
_SPOTS = (0, -0.5, 0.5, -1, 1)  # half markers above and below: points that would hide each other
_SEEN = 0.005  # of the longest bar: a shorter part is not explained
_LETTER = 0.6  # of the letters' size
_NAMES = 0.34  # of a figure's width: the longest line of a name
_BESIDE = 0.7  # of the width of Axes: what texts beside them may take
_ROOM = 11.0  # points of a row with a text


def draw(ax: Axes, spec: Spec) -> list[Any]:
    """Draw rows, and return the entries of the legend."""
    names = spec.y.order or ()
    groups = (None,) if {"bars", "one row"} & spec.how else spec.groups
    looks = _looks(ax, spec)
    ends = scale(ax, "x", spec.x, spec.reach("x"))
    most = letters.room(_NAMES * look.points(ax)[0] / 0.775, look.size(ax))
    levels_axis(ax, "y", [words.named(one, spec.y.column) for one in names], most)
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.grid(visible=False, axis="y")
    labels: dict[str, Any] = {}  # for a legend that somebody asks for later
    for row in spec.rows:
        if row.y not in names:
            continue
        place = names.index(row.y) + _aside(row, groups)
        if "threads" in spec.how and row.value is not None:
            place = names.index(row.y) + row.value * 0.6
        own = looks[row.group if row.group in looks else spec.groups[0]]
        label = spec.x.label if spec.hue is None else words.named(row.group, spec.hue)
        label = words.say("fell behind") if row.mark == "behind" else label
        labels[label] = _row(ax, row, place, own, spec, ends)
    _levels(ax, spec, looks)
    for label, drawn in labels.items() if "bars" not in spec.how else ():
        drawn.set_label(label)
    _texts(ax, spec)
    name_limits(ax, spec)
    return _handles(ax, spec, looks)


def _looks(ax: Axes, spec: Spec) -> dict[Any, look.Look]:
    """Give each group its look; the last of the parts of bars is grey."""
    own = spec.palette
    if "bars" not in spec.how:
        return look.looks(spec.groups, ax, own)
    *parts, rest = spec.groups
    grey = own.get(rest) if isinstance(own, Mapping) else None
    if own is None and not look.chosen():
        # far from each other and from grey, in greyscale too
        own = [look.PALETTE[0], look.ODD, *look.PALETTE[2:]]
    return look.looks(parts, ax, own) | {rest: look.Look(grey or look.shade(ax, 1), "")}


def _aside(row: Row, groups: tuple[Any, ...]) -> float:
    """Say how far from the middle of its row a group is drawn."""
    at = 0 if len(groups) == 1 else groups.index(row.group)
    return (at - (len(groups) - 1) / 2) * _SHARE / len(groups)


def _row(
    ax: Axes, row: Row, place: float, own: look.Look, spec: Spec, ends: tuple[float, float]
) -> Any:
    """Draw a row: its interval, its runs and its middle; return what stands in a legend."""
    colour = look.ODD if row.mark == "behind" else own.colour
    wide: Any = {"solid_capstyle": "butt", "color": colour}
    if "stems" in spec.how and ax.get_xscale() == "linear":
        ax.plot([max(0.0, ends[0]), row.x], [place] * 2, linewidth=2, alpha=0.35, **wide)
    wide |= {"linewidth": 7, "alpha": 0.4} if row.points else {"linewidth": 2.2}
    interval(ax, "x", row, place, {"zorder": 2, **wide}, {"markersize": 7, "color": colour})
    ink: Any = {"color": look.ink(ax), "linewidth": 1.6}
    if row.mark == "over":
        ax.plot([row.x] * 2, [place - 0.3, place + 0.3], zorder=5, **ink)
    if row.points:
        if "bars" not in spec.how:
            ax.plot([row.x] * 2, [place - 0.17, place + 0.17], zorder=4, **ink)
        ink = ink["color"] if "bars" in spec.how else colour
        return _points(ax, row, place, own.marker, ink, ends)
    if "bars" not in spec.how:
        mark = {"whole": "D", "behind": "v"}.get(row.mark, own.marker)
        face = look.ground(ax) if row.mark == "hollow" else colour
        small: Any = {"markersize": 4.5 if "small" in spec.how else 7, "markeredgewidth": 1.4}
        small |= {"markerfacecolor": face, "zorder": 5, "clip_on": False}
        return ax.plot(row.x, place, mark, color=colour, **small)[0]
    return None


def _points(
    ax: Axes, row: Row, place: float, mark: str, colour: str, ends: tuple[float, float]
) -> Any:
    """Draw single runs, moved up or down so that none hides another; return the last one."""
    wide, high = look.points(ax)
    step = 5 * abs(ax.get_ylim()[0] - ax.get_ylim()[1]) / high  # a marker
    edge: Any = {"markersize": 5, "markeredgecolor": look.ground(ax), "markeredgewidth": 0.5}
    transform = ax.xaxis.get_transform()
    left, right = (float(one) for one in transform.transform(ends))
    last: dict[float, float] = {}
    for value in sorted(row.points):
        x = (float(transform.transform([value])[0]) - left) / (right - left) * wide
        free = [one for one in _SPOTS if x - last.get(one, -99.0) >= 5]
        spot = free[0] if free else min(_SPOTS, key=lambda one: last.get(one, -99.0))
        last[spot] = x
        (drawn,) = ax.plot(value, place + spot * step, mark, color=colour, zorder=5, **edge)
    return drawn


def _levels(ax: Axes, spec: Spec, looks: dict[Any, look.Look]) -> None:
    """Draw the parts of bars, and marks across rows."""
    names, named = spec.y.order or (), set[Any]()
    for one in spec.levels:
        if one.row not in names:
            continue
        at: float = names.index(one.row)
        if "bars" in spec.how:
            wide, colour = one.end - one.begin, looks[one.group].colour
            label = "_nolegend_" if one.group in named else str(one.group)
            ax.barh(at, wide, left=one.begin, height=0.6, color=colour, label=label)
            named.add(one.group)
        else:
            across: Any = {"color": look.GREY, "linewidth": 1.4, "zorder": 1}
            ax.plot([one.value] * 2, [at - 0.4, at + 0.4], **across)


def _texts(ax: Axes, spec: Spec) -> None:
    """Write the texts of rows in columns at the right, if they have room."""
    names = spec.y.order or ()
    texted = [row for row in spec.rows if row.texts and row.y in names]
    if not texted:
        return
    several = len({row.group for row in texted}) > 1 and not {"bars", "one row"} & spec.how
    groups = spec.groups if several else (None,)
    wide, high = look.points(ax)
    if high / max(1, len(names) * len(groups)) < _ROOM * (0.72 if several else 1):
        return
    size = look.small(ax)
    columns = max(len(row.texts) for row in texted)
    heads = [*spec.heads, *[""] * columns][:columns]
    told = [[row.texts[at] for row in texted if len(row.texts) > at] for at in range(columns)]
    wides = [
        _LETTER * size * max(map(letters.width, [*own, head]))
        for own, head in zip(told, heads, strict=True)
    ]
    if sum(wides) + 12 * columns > _BESIDE * wide:
        return
    beside: Any = {"textcoords": "offset points", "annotation_clip": True, "size": size}
    beside["ha"] = "right" if columns > 1 else "left"
    right = 8.0
    for column, head in enumerate(heads):
        right += wides[column] if columns > 1 else 0
        for row in texted:
            if len(row.texts) > column:
                spot = (1, names.index(row.y) + _aside(row, groups))
                coords: Any = {"xycoords": ("axes fraction", "data"), "va": "center"}
                text = row.texts[column]
                ax.annotate(text, spot, (right, 0), color=look.ink(ax), **coords, **beside)
        if head:
            coords = {"xycoords": "axes fraction", "va": "bottom", "color": look.GREY}
            ax.annotate(head, (1, 1), (right, 2), **coords, **beside)
        right += 12


def _handles(ax: Axes, spec: Spec, looks: dict[Any, look.Look]) -> list[Any]:
    """Return the entries of the legend."""
    if "bars" in spec.how:
        least = _SEEN * max(one.end for one in spec.levels)
        seen = {one.group for one in spec.levels if one.end - one.begin > least}
        return [
            Patch(color=looks[name].colour, label=str(name)) for name in spec.groups if name in seen
        ]
    handles: list[Any] = []
    if spec.hue is not None:
        for name, own in looks.items():
            how: Any = {"color": own.colour, "marker": own.marker, "linestyle": "none"}
            handles.append(Line2D([], [], label=words.named(name, spec.hue), **how))
    if any(row.mark == "behind" for row in spec.rows):
        how = {"color": look.ODD, "marker": "v", "linestyle": "none"}
        handles.append(Line2D([], [], label=words.say("fell behind"), **how))
    return handles
