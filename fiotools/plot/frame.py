"""What is around a plot: its figure and panels, labels, notes, legends and the names of limits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from weakref import WeakSet

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec, SubplotParams
from matplotlib.text import Text
from matplotlib.transforms import offset_copy
from numpy.typing import NDArray

from fiotools.errors import SchemaError
from fiotools.plot import letters, look, words
from fiotools.plot.spec import Spec
from fiotools.plot.spoken import level as level_told
from fiotools.plot.spoken import says

ROW = 0.3  # inches of a row
_LINES = 3.4  # inches of curves alone
_PANEL, _COLUMNS = 2.3, 3  # inches of a panel of curves, and how many stand side by side
_AROUND = 0.75  # inches of an axis and its label
_NOTE = 0.155  # inches of a line of a note
OWN: WeakSet[Figure] = WeakSet()  # figures made here, which may grow
_NOTES = 0.45  # of the height of Axes of one's own: what is written below
_VERDICTS = 0.76  # of a figure's width: Axes of verdicts
_VALUES = 0.15  # of the height of Axes: what the values of rounds may take
_HANDLE = 6  # letters: what an entry of a legend takes beside its name


def figure(spec: Spec) -> NDArray[Any]:
    """Make a figure high enough for a plot, with its panels."""
    count = len(spec.panels)
    parts = [spec.panel(name) for name in spec.panels]
    notes = letters.paragraph(spec.notes, letters.room(72 * look.WIDTH - 30, 8.3))
    below = _NOTE * (len(notes.splitlines()) if spec.notes else 0)
    below += _NOTE * _legend_lines(spec) + 0.22 * bool(spec.said)
    if spec.shape == "lines":
        wide = min(_COLUMNS, int(np.ceil(np.sqrt(count))))
        if spec.ys:  # a rate above its latency
            wide = 1 if count == 2 else 2
        high = -(-count // wide)
        size = _LINES + below if count == 1 else _AROUND + below + _PANEL * high
        share: Any = {"sharex": True, "sharey": not spec.ys}
        return _made(high, wide, size, count, share, None)
    heights = [_height(part) for part in parts]
    share = {"sharex": True} if spec.x.ends or (count > 1 and _alike(spec, parts)) else {}
    return _made(count, 1, sum(heights) + below, count, share, heights)


def shares(panels: NDArray[Any], which: str) -> bool:
    """Whether panels share an axis."""
    joined = getattr(panels[0], f"get_shared_{which}_axes")()
    return all(joined.joined(panels[0], one) for one in panels[1:]) and len(panels) > 1


def _legend_lines(spec: Spec) -> int:
    """Return how many lines the legend of rows or cells takes."""
    if spec.shape == "lines" or not spec.legend:
        return 0
    if spec.hue is None:
        return 2 * bool({"bars", "verdicts"} & spec.how)
    most = letters.room(72 * look.WIDTH - 60, 8.3)
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
    most = letters.room(0.34 * 72 * look.WIDTH, 10)
    lines = max((letters.wrapped(one, most).count("\n") + 1 for one in names), default=1)
    groups, below = 1 if {"bars", "one row"} & spec.how else len(spec.groups), 0.0
    several = len({(row.y, row.group) for row in spec.rows}) > len({row.y for row in spec.rows})
    share = ROW * (1 + 0.45 * (groups - 1)) if several else ROW
    if spec.shape == "cells":
        share = 0.27 if "verdicts" in spec.how else 0.38
        told = reasons(spec, 72 * look.WIDTH * _VERDICTS, 8.3).values()
        below = _NOTE * sum(text.count("\n") + 1 for text in told)
        if not names:
            return _LINES
    share = max(share, 0.175 * lines + 0.03)
    if "threads" in spec.how:
        share += 0.16
    heads = 0.0
    if spec.shape == "cells" and "verdicts" in spec.how:
        wide = letters.room(72 * look.WIDTH * 0.75 / len(spec.x.order or ("",)) - 6, 10)
        named = [letters.wrapped(words.place(one, ""), max(8, wide)) for one in spec.x.order or ()]
        heads = 0.1 + 0.17 * max(one.count("\n") + 1 for one in named)
    top = len({one.text for one in spec.limits if one.axis == "x" and one.text}) * 0.16
    return (
        _AROUND
        + heads
        + top
        + share * max(1, len(names))
        + below
        + (0.25 if len(spec.panels) > 1 else 0)
    )


def _made(
    rows: int, columns: int, high: float, count: int, share: Any, heights: list[float] | None
) -> NDArray[Any]:
    with look.look():
        made, grid = plt.subplots(
            rows, columns, squeeze=False, figsize=(look.WIDTH, high), height_ratios=heights, **share
        )
        made.get_layout_engine().set(h_pad=0.06, hspace=0.02, wspace=0.05)
    OWN.add(made)
    for spare in grid.ravel()[count:]:
        spare.remove()
    for at, ax in enumerate(grid.ravel()[:count]):  # the lowest of each column has the ticks
        if share and at + columns >= count:
            ax.tick_params(labelbottom=True)
    return np.asarray(grid.ravel()[:count])


def keep_room(ax: Axes) -> None:
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


def label(ax: Axes, spec: Spec, *, whole: bool) -> None:
    """Label both axes, and write the finding above.

    The notes of a ``whole`` figure stand below it, others below the label of the x axis.
    """
    wide, high = look.points(ax)
    right = max((sum(map(letters.width, row.texts)) for row in spec.rows), default=0)
    taken = 0.6 * look.small(ax) * right if spec.shape == "rows" else 0.0
    names = ax.get_yticklabels() if spec.y.order is not None else []
    longest = max(
        (letters.width(line) for one in names for line in one.get_text().split("\n")), default=7
    )
    room = max(wide / 0.775 - 0.6 * look.size(ax) * longest - taken - 24, 0.3 * wide)
    most = letters.room(room, look.size(ax))
    text = letters.paragraph(filter(None, [spec.x.label]), most)
    for note in () if whole else spec.notes:  # as many as leave room for the plot
        more = letters.paragraph(filter(None, [text, note]), most)
        if 1.25 * look.size(ax) * (more.count("\n") + 1) > _NOTES * high:
            break
        text = more
    ax.set_xlabel(text, loc="left")
    ax.set_ylabel(letters.wrapped(spec.y.label, letters.room(0.8 * high, look.size(ax))))
    if spec.said:
        size = look.small(ax)
        said = letters.wrapped(spec.said, letters.room(wide, size))
        ax.annotate(
            said,
            (0, 1),
            (0, 5),
            xycoords="axes fraction",
            textcoords="offset points",
            va="bottom",
            size=size,
            color=look.ink(ax),
            annotation_clip=False,
        )


def _below(ax: Axes, text: str) -> float:
    """Return how many points below Axes their label ends."""
    size = look.size(ax)
    ticks = 0 if ax.xaxis.get_ticks_position() == "top" else 1
    lines = max((one.get_text().count("\n") + 1 for one in ax.get_xticklabels()), default=1)
    return size * (0.9 + 1.3 * ticks * lines + 1.25 * (text.count("\n") + 1 if text else 0)) + 4


def legend(ax: Axes, handles: Sequence[Any], spec: Spec) -> None:
    """Put the legend below the label of Axes."""
    if not handles:
        return
    wide = look.points(ax)[0] / 0.8
    size = look.small(ax)
    names, columns = _entries(handles, wide, size)
    below = _below(ax, ax.get_xlabel()) + 2
    shown: Any = {
        "fontsize": size,
        "ncols": columns,
        "loc": "upper left",
        "frameon": False,
        "borderaxespad": 0,
        "borderpad": 0,
        "columnspacing": 1.4,
        "handletextpad": 0.5,
    }
    place = offset_copy(ax.transAxes, look.figure_of(ax), y=-below, units="points")
    made = ax.legend(
        handles,
        names,
        title=_title(spec),
        bbox_to_anchor=(0, 0),
        bbox_transform=place,
        alignment="left",
        title_fontsize=size,
        **shown,
    )
    look.literal([*made.get_texts(), made.get_title()])


def _entries(handles: Sequence[Any], wide: float, size: float) -> tuple[list[str], int]:
    most = letters.room(wide - 40, size)
    names = [letters.wrapped(one.get_label(), max(10, most - _HANDLE)) for one in handles]
    wides = [max(map(letters.width, name.split("\n"))) + _HANDLE for name in names]
    in_line = len(names) if sum(wides) <= most else most // max(wides)
    return names, max(1, min(len(names), in_line))


def _title(spec: Spec) -> str | None:
    return None if spec.hue in (None, "label", "direction") else words.condition(str(spec.hue))


def around(own: Figure, axes: NDArray[Any], spec: Spec, handles: Sequence[Any]) -> None:
    """Put the notes of a whole figure below it, and its legend below or beside its Axes."""
    first = axes[0]
    size = look.small(first)
    wide = 72 * own.get_figwidth() - 20
    names = [letters.wrapped(one.get_label(), 20) for one in handles]
    notes = letters.paragraph(spec.notes, letters.room(wide, size))
    high = _NOTE * (sum(name.count("\n") + 1 for name in names) + notes.count("\n") + 3)
    if handles and spec.shape != "lines":
        legend(axes[-1], handles, spec)
    elif handles and (len(axes) == 1 or high > own.get_figheight()):
        below, columns = _entries(handles, look.points(first)[0] / 0.8, size)
        lines = 1 + sum(name.count("\n") + 1 for name in below) / columns
        own.set_figheight(own.get_figheight() + _NOTE * lines)
        legend(axes[-1], handles, spec)
    elif handles:
        made = own.legend(
            handles,
            names,
            title=_title(spec),
            loc="outside right upper",
            fontsize=size,
            title_fontsize=size,
            frameon=False,
            alignment="left",
            handletextpad=0.5,
            borderpad=0.2,
        )
        look.literal([*made.get_texts(), made.get_title()])
    if notes:
        shown = own.supxlabel(notes, x=0.01, ha="left", size=size)
        shown.set_color(look.GREY if look.ink(first) == "black" else "#BBBBBB")
        look.literal([shown])


def reasons(spec: Spec, wide: float, size: float) -> dict[Any, str]:
    """Return the reasons below the marks of each row, in lines for so many points."""
    most = letters.room(wide, size)
    return {
        one.row: "\n".join(letters.wrapped(text, most) for text in one.text.split("\n"))
        for one in spec.levels
        if "verdicts" in spec.how
    }


def name_limits(ax: Axes, spec: Spec) -> None:
    """Draw limits, and name each beside its line: those of the x axis above each other."""
    size, (_, high) = look.small(ax), look.points(ax)
    upright = sorted((one for one in spec.limits if one.axis == "x"), key=lambda one: one.low)
    texts = dict[float, list[str]]()
    for one in spec.limits:
        line: Any = {
            "color": look.GREY,
            "linewidth": 1.2,
            "zorder": 1,
            "linestyle": "--" if one.dashed else "-",
        }
        across = ax.axvline if one.axis == "x" else ax.axhline
        if one.high is not None:
            span = ax.axvspan if one.axis == "x" else ax.axhspan
            span(one.low, one.high, color=look.shade(ax), linewidth=0, zorder=0)
        else:
            across(one.low, **line)
    beside: Any = {
        "textcoords": "offset points",
        "size": size,
        "color": look.GREY,
        "annotation_clip": False,
    }
    for one in upright:
        if one.text:
            texts.setdefault(one.low, []).append(one.text)
    trans = ax.transScale + ax.transLimits
    for at, (value, names) in enumerate(texts.items()):
        is_right = float(trans.transform((value, 0))[0]) > 0.5
        ax.annotate(
            ", ".join(names),
            (value, 1),
            (3 if is_right else -3, 3 + 1.35 * size * at),
            xycoords=("data", "axes fraction"),
            va="bottom",
            ha="right" if is_right else "left",
            **beside,
        )
    level = [one for one in spec.limits if one.axis == "y" and one.text]
    last, named = -99.0, [text for text in ax.texts if text.get_verticalalignment() == "top"]
    free = high - 1.4 * size * len({text.get_position()[1] for text in named})
    for one in sorted(level, key=lambda one: one.low):
        place = float(trans.transform((1, one.low))[1]) * high
        up = max(0.0, last + 1.35 * size - place)
        last = place + up
        at, below = _freer_end(ax, spec, (place + up) / high), place + 2.5 * size > free
        text = letters.wrapped(one.text, letters.room(0.7 * look.points(ax)[0], size))
        last += 1.35 * size * text.count("\n")
        ax.annotate(
            text,
            (at, one.low),
            (-4 if at else 4, -2 if below else 2 + up),
            va="top" if below else "bottom",
            xycoords=("axes fraction", "data"),
            ha="right" if at else "left",
            bbox=look.paper(ax),
            zorder=7,
            **beside,
        )


def _freer_end(ax: Axes, spec: Spec, height: float) -> int:
    """Say at which end of Axes a text at a height hides less: 0 is the left one."""
    trans = ax.transScale + ax.transLimits
    places = [trans.transform((row.x, row.y)) for row in spec.rows if row.y is not None]
    near = [x > 0.5 for x, y in places if -0.02 < y - height < 0.12]
    return int(near.count(True) < near.count(False))


def name_levels(ax: Axes, spec: Spec, looks: dict[Any, look.Look]) -> None:
    """Draw levels as short thick bars, with their values above them in lines of their own."""
    size, (wide, high) = look.small(ax), look.points(ax)
    trans = ax.transScale + ax.transLimits
    ends, named = list[float](), list[Any]()
    for one in spec.levels:
        alone = spec.hue is None
        colour = look.ODD if alone else looks[one.group].colour
        if one.low is not None and one.high is not None:
            ax.fill_between(
                [one.begin, one.end],
                one.low,
                one.high,
                color=colour,
                alpha=0.25,
                linewidth=0,
                zorder=1,
            )
        (bar,) = ax.plot(
            [one.begin, one.end],
            [one.value] * 2,
            color=colour,
            linewidth=3,
            zorder=5,
            solid_capstyle="butt",
        )
        says(bar, level_told(spec, one))
        if not one.text:
            continue
        middle = (one.begin + one.end) / 2
        place = float(trans.transform((middle, one.value))[0]) * wide
        half = 0.6 * size * letters.width(one.text) / 2
        place = min(max(place, half), wide - half)
        line = next((n for n, end in enumerate(ends) if end + 8 <= place - half), len(ends))
        ends[line : line + 1] = [place + half]
        named += [
            ax.annotate(
                one.text,
                (place / wide, 1),
                (0, -2 - 1.4 * size * line),
                ha="center",
                va="top",
                xycoords="axes fraction",
                textcoords="offset points",
                size=size,
                color=look.ink(ax),
                bbox=look.paper(ax),
                zorder=7,
            )
        ]
    if spec.limits and spec.said and 1.4 * size * len(ends) > _VALUES * high:
        for text in named:  # the limits keep their names
            text.remove()
        return
    if ends and ax.get_yscale() == "linear":  # room above for the lines of names
        low, top = ax.get_ylim()
        share = min(0.6, 1.4 * size * len(ends) / high)
        ax.set_ylim(low, low + (top - low) / (1 - share))


def settle(ax: Axes) -> None:
    """Give all words their letters, and no formulas."""
    texts: list[Any] = ax.findobj(Text)
    look.literal(texts)


def given(ax: Any, count: int) -> NDArray[Any]:
    """Take the Axes that were given, one for each panel."""
    made = np.asarray(ax, dtype=object).ravel()
    if len(made) != count or not all(isinstance(one, Axes) for one in made):
        raise SchemaError(f"ax= is {count} matplotlib Axes here: plt.subplots({count})[1]")
    for one in made:
        keep_room(one)
    return made
