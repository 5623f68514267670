"""What is around a plot: panels, labels, notes, legends and the names of limits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec, SubplotParams
from matplotlib.lines import Line2D
from matplotlib.text import Text
from matplotlib.transforms import Bbox, offset_copy
from numpy.typing import NDArray

from fiotools.errors import SchemaError
from fiotools.plot import letters, look, words
from fiotools.plot.spec import Limit, Row, Spec

OWN: WeakSet[Figure] = WeakSet()  # figures made here, which may grow
_WHOLE: WeakKeyDictionary[Line2D, Any] = WeakKeyDictionary()  # intervals that are cut
_ARROW = "_arrow"  # the label of a mark where an interval is cut
# inches, of letters of 10 points
_ROW = 0.3  # inches of a row
_LINES, _TALL = 3.4, 0.7  # inches of curves alone, and the most against their width
_NARROW = 2.3  # inches: panels of curves that stand side by side
_PANEL, _COLUMNS = 2.3, 3  # inches of a panel of curves, and how many stand side by side
_AROUND = 0.75  # inches of an axis and its label
_NOTE = 0.155  # inches of a line of a note
_SMALL = 8.3  # points of small letters
_VERDICTS = 0.76  # of a figure's width: Axes of verdicts
_VALUES = 0.15  # of the height of Axes: what the values of rounds may take
_ENTRY = 20  # letters of a line of a legend beside or within Axes
_HANDLE = 6  # letters: what an entry of a legend takes beside its name


# --- figures --------------------------------------------------------------------------------------


def figure(spec: Spec) -> NDArray[Any]:
    """Make a figure high enough for a plot, with its panels."""
    count = len(spec.panels)
    width, scale = look.width(), look.scale()
    notes = letters.paragraph(spec.notes, letters.room(72 * width - 30, _SMALL * scale))
    below = _NOTE * (len(notes.splitlines()) + _legend_lines(spec)) + 0.22 * bool(spec.said)
    if spec.shape == "lines":
        columns = min(_COLUMNS, int(np.ceil(np.sqrt(count))))
        if spec.ys:  # a rate above its latency
            columns = 1 if count == 2 else 2
        columns = min(columns, int(width / _NARROW))
        lines = -(-count // columns)
        alone = min(_LINES, _TALL * width / scale)
        high = alone + below if count == 1 else _AROUND + below + _PANEL * lines
        return _made(lines, columns, high, count, {"sharex": True, "sharey": not spec.ys})
    parts = [spec.panel(name) for name in spec.panels]
    heights = [_height(part) for part in parts]
    share = {"sharex": True} if spec.x.ends or (count > 1 and _alike(spec, parts)) else {}
    return _made(count, 1, sum(heights) + below, count, share, heights)


def shares(panels: NDArray[Any], which: str) -> bool:
    """Whether panels share an axis."""
    joined = getattr(panels[0], f"get_shared_{which}_axes")()
    return all(joined.joined(panels[0], one) for one in panels[1:]) and len(panels) > 1


def _legend_lines(spec: Spec) -> int:
    """Return how many lines the legend of rows or cells takes."""
    if spec.shape == "lines":
        return 0
    if spec.hue is None:
        return 2 * bool({"bars", "verdicts"} & spec.how)
    most = letters.room(72 * look.width() - 60, _SMALL * look.scale())
    names = [letters.wrapped(words.named(one, spec.hue), most) for one in spec.groups]
    wide = max(letters.width(line) for name in names for line in name.split("\n")) + _HANDLE
    lines = sum(name.count("\n") + 1 for name in names)
    return 2 + -(-lines // max(1, min(len(names), most // wide)))


def _alike(spec: Spec, parts: Sequence[Spec]) -> bool:
    """Whether panels of rows can share their axis: none would be lost on it."""
    middles = [float(np.median([*part.values("x")])) for part in parts if any(part.values("x"))]
    return spec.shape == "rows" and min(middles) > 0 and max(middles) / min(middles) < 5


def _height(spec: Spec) -> float:
    """Return the height of a panel of rows or cells in inches."""
    names = [words.named(one, spec.y.column) for one in spec.y.order or ()]
    if not names:
        return _LINES
    around = _AROUND + (0.25 if len(spec.panels) > 1 else 0)
    wide, size = 72 * look.width(), 10 * look.scale()
    most = letters.room(0.34 * wide, size)
    lines = max((letters.wrapped(one, most).count("\n") + 1 for one in names), default=1)
    least = 0.175 * lines + 0.03
    if "verdicts" in spec.how:
        told = reasons(spec, wide * _VERDICTS, _SMALL * look.scale()).values()
        columns = spec.x.order or ("",)
        step = max(8, letters.room(wide * 0.75 / len(columns) - 6, size))
        above = [letters.wrapped(words.place(one, ""), step) for one in columns]
        heads = max(one.count("\n") + 1 for one in above)
        longest = max(letters.width(line) for one in above for line in one.split("\n"))
        if 0.6 * size * (longest + 1) > wide * 0.75 / len(columns):  # they stand upright
            heads = min(24, max(letters.width(one) for one in above)) // 2 + 1
        around += 0.1 + 0.17 * heads + _NOTE * sum(text.count("\n") + 1 for text in told)
        return around + max(0.27, least) * len(names)
    if "lanes" in spec.how:
        return around + 0.8 + max(0.24, least) * len(names)
    if spec.shape == "cells":
        return around + max(0.38, least) * len(names)
    groups = 1 if {"bars", "one row"} & spec.how else len(spec.groups)
    several = len({(row.y, row.group) for row in spec.rows}) > len({row.y for row in spec.rows})
    share = max(_ROW * (1 + 0.45 * (groups - 1)) if several else _ROW, least)
    around += 0.16 * len({one.text for one in spec.limits if one.axis == "x" and one.text})
    return around + (share + 0.16 * ("threads" in spec.how)) * len(names)


def _made(
    rows: int, columns: int, high: float, count: int, share: Any, heights: Any = None
) -> NDArray[Any]:
    size = look.width(), look.scale() * high
    with look.look():
        made, grid = plt.subplots(
            rows, columns, squeeze=False, figsize=size, height_ratios=heights, **share
        )
        made.get_layout_engine().set(h_pad=0.06, hspace=0.02, wspace=0.05)
    OWN.add(made)
    for spare in grid.ravel()[count:]:
        spare.remove()
    for at, ax in enumerate(grid.ravel()[:count]):  # the lowest of each column has the ticks
        if share and at + columns >= count:
            ax.tick_params(labelbottom=True)
    return np.asarray(grid.ravel()[:count])


def given(ax: Any, panels: Sequence[str]) -> NDArray[Any]:
    """Take the Axes that were given, one for each panel."""
    made, count = np.asarray(ax, dtype=object).ravel(), len(panels)
    if len(made) != count or not all(isinstance(one, Axes) for one in made):
        each = f", one for each of {words.first_five(panels)}" if count > 1 else ""
        raise SchemaError(f"ax= is {count} matplotlib Axes here: plt.subplots({count})[1]{each}")
    for one in made:
        _keep_room(one)
    return made


def _keep_room(ax: Axes) -> None:
    """Let the figure keep room for words beside Axes, unless somebody has arranged that.

    Without a layout engine, words below and beside Axes run into their neighbours.
    """
    own = look.figure_of(ax)
    as_it_comes = vars(own.subplotpars) == vars(SubplotParams())
    places = [other.get_subplotspec() for other in own.axes]
    # a grid within a grid is somebody's arrangement too, if only a colour bar's
    plain = all(place and isinstance(place.get_gridspec(), GridSpec) for place in places)
    if own.get_layout_engine() is None and as_it_comes and plain:
        own.set_layout_engine("constrained")


# --- words around Axes ----------------------------------------------------------------------------


def label(ax: Axes, spec: Spec, *, whole: bool) -> None:
    """Label both axes, and write the finding above.

    The notes of a ``whole`` figure stand below it; on Axes of one's own, the first that fits in a
    line stands below the label of the x axis, and all are in the description of an SVG.
    """
    wide, high = look.points(ax)
    size, small = look.size(ax), look.small(ax)
    names = ax.get_yticklabels() if spec.y.order is not None else []
    lines = [line for one in names for line in one.get_text().split("\n")]
    beside = 0.6 * size * max(map(letters.width, lines), default=7) + 24
    most = letters.room(max(wide / 0.775 - beside, 0.3 * wide), size)
    short = [] if whole else [one for one in spec.notes if letters.wrapped(one, most) == one]
    ax.set_xlabel(letters.paragraph(filter(None, [spec.x.label, *short[:1]]), most), loc="left")
    ax.set_ylabel(letters.wrapped(spec.y.label, letters.room(0.8 * high, size)))
    if spec.said:
        said = letters.wrapped(spec.said, letters.room(wide, small))
        above: Any = {"xycoords": "axes fraction", "textcoords": "offset points", "size": small}
        ax.annotate(
            said, (0, 1), (0, 5), va="bottom", color=look.ink(ax), annotation_clip=False, **above
        )


def settle(ax: Axes, head: Text | None = None, ends: Sequence[Artist] = ()) -> None:
    """Give all words their letters, and no formulas; a title or legend that is set later has room.

    A title stands above the words above the Axes, and replaces the name of their panel, the
    ``head``; a legend replaces the names at the ``ends`` of curves.
    """
    texts: list[Any] = ax.findobj(Text)
    look.literal(texts)
    above = [one for one in ax.texts if one.get_verticalalignment() == "bottom"]
    ours = "" if head is None else head.get_text()

    def stripe(_: Any, renderer: Any) -> Bbox:
        """Return the stripe of the words above, which pushes a title of somebody else's up."""
        for one in ends:
            one.set_visible(ax.get_legend() is None)
        left, *others = (ax.get_title(side) for side in ("left", "center", "right"))
        box, tops = ax.bbox, [ax.bbox.y1]
        if left != ours or any(others):
            tops += [one.get_window_extent(renderer).y1 for one in above]
            if head is not None and left == ours:
                head.set_text("")
        inside = (ax.get_figure(root=False) or look.figure_of(ax)).transSubfigure.inverted()
        return Bbox.from_extents(box.x0, box.y1, box.x1, max(tops)).transformed(inside)

    room = ax.inset_axes((0, 1, 1, 0))
    room.set(in_layout=False, axes_locator=stripe)
    room.xaxis.set_visible(False)
    room.set_axis_off()


def interval(ax: Axes, which: str, row: Row, at: float, bar: Any, arrow: Any) -> None:
    """Draw an interval as far as an axis reaches; an arrow marks one that goes on."""
    if row.low is None or row.high is None:
        return
    low, high = sorted(getattr(ax, f"get_{which}lim")())
    shown = max(row.low, low), min(row.high, high)
    spots = [(end, at) if which == "x" else (at, end) for end in shown]
    (line,) = ax.plot(*zip(*spots, strict=True), **bar)
    ends = zip(spots, shown, (row.low, row.high), "<>" if which == "x" else "v^", strict=True)
    for spot, end, whole, mark in ends:
        if end != whole:
            ax.plot(*spot, mark, label=_ARROW, clip_on=False, **{"zorder": 3, **arrow})
            _WHOLE[line] = {f"{which}data": (row.low, row.high)}


def loosen(panels: Sequence[Axes]) -> None:
    """Let somebody set the ends of axes: intervals go on, and no mark stands beyond."""
    for ax in panels:
        data = [one for one in ax.lines if one.get_transform().contains_branch(ax.transData)]

        def follow(_: Any, data: Sequence[Line2D] = data) -> None:
            for one in data:
                gone = {"visible": False} if one.get_label() == _ARROW else {}
                one.set(clip_on=True, **gone, **_WHOLE.get(one, {}))

        for which in "xy":
            for one in getattr(ax, f"get_shared_{which}_axes")().get_siblings(ax):
                one.callbacks.connect(f"{which}lim_changed", follow)


def legend(ax: Axes, handles: Sequence[Any], spec: Spec) -> None:
    """Put the legend below the label of Axes."""
    if not handles:
        return
    size = look.small(ax)
    names, columns = _entries(handles, look.points(ax)[0] / 0.8, size)
    place = offset_copy(ax.transAxes, look.figure_of(ax), y=-_below(ax) - 2, units="points")
    shown: Any = {"loc": "upper left", "bbox_to_anchor": (0, 0), "bbox_transform": place}
    shown |= {"borderaxespad": 0, "columnspacing": 1.4, "ncols": columns, "borderpad": 0}
    made = ax.legend(handles, names, **shown, **_shown(spec, size))
    look.literal([*made.get_texts(), made.get_title()])


def legend_inside(ax: Axes, handles: Sequence[Any], spec: Spec) -> None:
    """Put the legend where curves and points leave room in Axes; below what fills them."""
    if spec.shape == "cells" or "bars" in spec.how:
        legend(ax, handles, spec)
    elif handles:
        names = [letters.wrapped(one.get_label(), _ENTRY) for one in handles]
        over: Any = {"frameon": True, "facecolor": look.ground(ax), "edgecolor": "none"}
        made = ax.legend(handles, names, **_shown(spec, look.small(ax)) | over, loc="best")
        look.literal([*made.get_texts(), made.get_title()])


def _shown(spec: Spec, size: float) -> dict[str, Any]:
    named = spec.hue not in (None, "label", "direction")
    return {
        "title": words.condition(str(spec.hue)) if named else None,
        "fontsize": size,
        "title_fontsize": size,
        "alignment": "left",
        "frameon": False,
        "handletextpad": 0.5,
    }


def _below(ax: Axes) -> float:
    """Return how many points below Axes their label ends."""
    size, text = look.size(ax), ax.get_xlabel()
    ticks = 0 if ax.xaxis.get_ticks_position() == "top" else 1
    lines = max((one.get_text().count("\n") + 1 for one in ax.get_xticklabels()), default=1)
    return size * (0.9 + 1.3 * ticks * lines + 1.25 * (text.count("\n") + 1 if text else 0)) + 4


def _entries(handles: Sequence[Any], wide: float, size: float) -> tuple[list[str], int]:
    most = letters.room(wide - 40, size)
    names = [letters.wrapped(one.get_label(), max(10, most - _HANDLE)) for one in handles]
    wides = [max(map(letters.width, name.split("\n"))) + _HANDLE for name in names]
    in_line = len(names) if sum(wides) <= most else most // max(wides)
    return names, max(1, min(len(names), in_line))


def around(own: Figure, axes: NDArray[Any], spec: Spec, handles: Sequence[Any]) -> None:
    """Put the notes of a whole figure below it, and its legend below or beside its Axes."""
    first = axes[0]
    size = look.small(first)
    names = [letters.wrapped(one.get_label(), _ENTRY) for one in handles]
    notes = letters.paragraph(spec.notes, letters.room(72 * own.get_figwidth() - 20, size))
    lines = sum(name.count("\n") + 1 for name in names) + notes.count("\n") + 3
    high = look.scale() * _NOTE * lines
    if handles and spec.shape != "lines":
        legend(axes[-1], handles, spec)
    elif handles and (len(axes) == 1 or high > own.get_figheight()):
        below, columns = _entries(handles, look.points(first)[0] / 0.8, size)
        more = 1 + sum(name.count("\n") + 1 for name in below) / columns
        own.set_figheight(own.get_figheight() + look.scale() * _NOTE * more)
        legend(axes[-1], handles, spec)
    elif handles:
        shown = _shown(spec, size) | {"loc": "outside right upper", "borderpad": 0.2}
        made = own.legend(handles, names, **shown)
        look.literal([*made.get_texts(), made.get_title()])
    if notes:
        written = own.supxlabel(notes, x=0.01, ha="left", size=size)
        written.set_color(look.GREY if look.ink(first) == "black" else "#BBBBBB")
        look.literal([written])


def reasons(spec: Spec, wide: float, size: float) -> dict[Any, str]:
    """Return the reasons below the marks of each row, in lines for so many points."""
    most = letters.room(wide, size)
    return {
        one.row: "\n".join(letters.wrapped(text, most) for text in one.text.split("\n"))
        for one in spec.levels
    }


# --- limits and levels ----------------------------------------------------------------------------


def name_limits(ax: Axes, spec: Spec) -> None:
    """Draw limits, and name each beside its line: those of the x axis above each other."""
    for one in spec.limits:
        if one.high is not None:
            span = ax.axvspan if one.axis == "x" else ax.axhspan
            span(one.low, one.high, color=look.shade(ax), linewidth=0, zorder=0)
        else:
            across = ax.axvline if one.axis == "x" else ax.axhline
            style = "--" if one.dashed else "-"
            across(one.low, color=look.GREY, linewidth=1.2, zorder=1, linestyle=style)
    named = sorted((one for one in spec.limits if one.text), key=lambda one: one.low)
    _name_upright(ax, [one for one in named if one.axis == "x"])
    _name_level(ax, [one for one in named if one.axis == "y"], spec.rows)


def _beside(ax: Axes) -> dict[str, Any]:
    small = {"size": look.small(ax), "color": look.GREY}
    return {"textcoords": "offset points", "annotation_clip": True, **small}


def _name_upright(ax: Axes, limits: Sequence[Limit]) -> None:
    texts = dict[float, list[str]]()
    for one in limits:
        texts.setdefault(one.low, []).append(one.text)
    trans = ax.transScale + ax.transLimits
    for at, (value, names) in enumerate(texts.items()):
        is_right = float(trans.transform((value, 0))[0]) > 0.5
        aside = (3 if is_right else -3, 3 + 1.35 * look.small(ax) * at)
        where: Any = {"xycoords": ("data", "axes fraction"), "va": "bottom"}
        where["ha"] = "right" if is_right else "left"
        ax.annotate(", ".join(names), (value, 1), aside, **where, **_beside(ax))


def _name_level(ax: Axes, limits: Sequence[Limit], rows: Sequence[Row]) -> None:
    size, (wide, high) = look.small(ax), look.points(ax)
    trans = ax.transScale + ax.transLimits
    last, named = -99.0, [text for text in ax.texts if text.get_verticalalignment() == "top"]
    free = high - 1.4 * size * len({text.get_position()[1] for text in named})
    for one in limits:
        place = float(trans.transform((1, one.low))[1]) * high
        up = max(0.0, last + 1.35 * size - place)
        last = place + up
        at, below = _freer_end(ax, rows, (place + up) / high), place + 2.5 * size > free
        text = letters.wrapped(one.text, letters.room(0.7 * wide, size))
        last += 1.35 * size * text.count("\n")
        ax.annotate(
            text,
            (at, one.low),
            (-4 if at else 4, -2 if below else 2 + up),
            va="top" if below else "bottom",
            ha="right" if at else "left",
            xycoords=("axes fraction", "data"),
            bbox=look.paper(ax),
            zorder=7,
            **_beside(ax),
        )


def _freer_end(ax: Axes, rows: Sequence[Row], height: float) -> int:
    """Say at which end of Axes a text at a height hides less: 0 is the left one."""
    trans = ax.transScale + ax.transLimits
    places = [trans.transform((row.x, row.y)) for row in rows if row.y is not None]
    near = [x > 0.5 for x, y in places if -0.02 < y - height < 0.12]
    return int(near.count(True) < near.count(False))


def name_levels(ax: Axes, spec: Spec, looks: dict[Any, look.Look]) -> None:
    """Draw levels as short thick bars, with their values above them in lines of their own."""
    size, (wide, high) = look.small(ax), look.points(ax)
    trans = ax.transScale + ax.transLimits
    ends, named = list[float](), list[Any]()
    for one in spec.levels:
        colour = look.ODD if spec.hue is None else looks[one.group].colour
        thick: Any = {"color": colour, "linewidth": 3, "zorder": 5, "solid_capstyle": "butt"}
        ax.plot([one.begin, one.end], [one.value] * 2, **thick)
        if not one.text:
            continue
        place = float(trans.transform(((one.begin + one.end) / 2, one.value))[0]) * wide
        half = 0.6 * size * letters.width(one.text) / 2
        place = min(max(place, half), wide - half)
        line = next((n for n, end in enumerate(ends) if end + 8 <= place - half), len(ends))
        ends[line : line + 1] = [place + half]
        how = _beside(ax) | {"color": look.ink(ax), "bbox": look.paper(ax), "zorder": 7}
        how |= {"xycoords": ("data", "axes fraction"), "ha": "center", "va": "top"}
        x = float(trans.inverted().transform((place / wide, 0))[0])
        named.append(ax.annotate(one.text, (x, 1), (0, -2 - 1.4 * size * line), **how))
    if spec.limits and spec.said and 1.4 * size * len(ends) > _VALUES * high:
        for text in named:  # the limits keep their names
            text.remove()
        return
    if ends and ax.get_yscale() == "linear":  # room above for the lines of names
        low, top = ax.get_ylim()
        share = min(0.6, 1.4 * size * len(ends) / high)
        ax.set_ylim(low, low + (top - low) / (1 - share))
