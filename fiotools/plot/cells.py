"""Cells: a value, in a colour and in words, for each pair of names."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import LinearSegmentedColormap, LogNorm, Normalize
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

from fiotools.language import say
from fiotools.plot import letters, look, words
from fiotools.plot.frame import name_limits, reasons
from fiotools.plot.scales import Labels, Ticks, levels_axis, scale
from fiotools.plot.spec import Axis, Spec, is_far
from fiotools.plot.spoken import says, told
from fiotools.vocabulary import GRAVEST

_NAMES = 0.3  # of a figure's width: the longest line of a name
_LINE = 1.3  # of the letters' size: a line of a reason
_SIZES = (9.0, 8.0, 7.0, 6.0, 5.0)  # points of letters
# told apart by shape and by grey
VERDICTS: dict[str, dict[str, Any]] = {
    "impossible": {"marker": "X", "markersize": 9, "color": "#B03A00"},
    "suspect": {
        "marker": "^",
        "markersize": 8,
        "markerfacecolor": "none",
        "color": "#B03A00",
        "markeredgewidth": 1.6,
    },
    "unknown": {"marker": "$?$", "markersize": 6.5, "color": look.GREY},
    "note": {
        "marker": "o",
        "markersize": 5.5,
        "markerfacecolor": "white",
        "markeredgecolor": look.GOOD,
    },
    "ok": {"marker": "o", "markersize": 5.5, "color": look.GOOD},
    "": {"marker": "_", "markersize": 5, "color": "#BDBDBD"},
}


def draw(ax: Axes, spec: Spec) -> list[Any]:
    """Draw cells, and return the entries of the legend."""
    if spec.x.order is None:
        return _map(ax, spec)
    columns, names = spec.x.order, spec.y.order or ()
    grid = np.full((len(names), len(columns)), math.nan)
    for row in spec.rows:
        if row.value is not None:
            grid[names.index(row.y), columns.index(row.x)] = row.value
    wide, high = look.points(ax)
    of_names = letters.room(_NAMES * wide / 0.775, look.size(ax))
    step = max(8, letters.room(wide / len(columns) - 6, look.size(ax)))
    heads = [words.place(one, spec.x.column) for one in columns]
    longest = max(
        letters.width(line) for head in heads for line in letters.wrapped(head, step).split("\n")
    )
    levels_axis(ax, "x", heads, step, 0.5)
    if 0.6 * look.size(ax) * (longest + 1) > wide / len(columns):  # they do not fit side by side
        ax.set_xticklabels([letters.wrapped(head, 24) for head in heads])
        ax.tick_params(axis="x", labelrotation=90 if ax.axison else 0)
    levels_axis(ax, "y", [words.place(one, spec.y.column) for one in names], of_names, 0.5)
    ax.set(xlim=(0, len(columns)), ylim=(len(names), 0))
    ax.grid(visible=False)
    if "verdicts" in spec.how:
        ax.xaxis.tick_top()
        return _verdicts(ax, spec)
    mesh = ax.pcolormesh(
        np.ma.masked_invalid(grid),
        edgecolors=look.ground(ax),
        linewidth=1.5,
        cmap=sns.color_palette(spec.palette, as_cmap=True),
        norm=_norm(spec),
    )
    words_of = {(row.y, row.x): told(spec, row) for row in spec.rows if row.value is not None}
    says(mesh, *(words_of.get((name, column), "") for name in names for column in columns))
    size = _size(spec, wide / len(columns), high / len(names))
    for row in spec.rows:
        if row.value is None:
            continue
        x, y = columns.index(row.x), names.index(row.y)
        shade = mesh.to_rgba(np.array(row.value))
        ink = "black" if look.luminance(shade) > look.PALE else "white"
        if row.mark == "pale":  # undecided: white with a rim of the colour
            inner: Any = {"facecolor": look.ground(ax), "edgecolor": shade, "linewidth": 2}
            says(ax.add_patch(Rectangle((x + 0.06, y + 0.1), 0.88, 0.8, **inner)), told(spec, row))
            ink = look.ink(ax)
        if size:
            text = row.texts[0] if row.texts else ""
            shown = ax.text(x + 0.5, y + 0.5, text, ha="center", va="center", size=size, color=ink)
            says(shown, told(spec, row))
    if not size and mesh.norm.vmin != mesh.norm.vmax:
        _bar(ax, mesh, replace(spec.colours, log=isinstance(mesh.norm, LogNorm)))
    return []


def _size(spec: Spec, wide: float, high: float) -> float:
    """Return the size of letters that have room in cells of so many points; 0 if none has."""
    longest = max((letters.width(text) for row in spec.rows for text in row.texts), default=0)
    fit = (one for one in _SIZES if 0.6 * one * longest <= wide - 4 and 1.2 * one <= high)
    return next(fit, 0.0)


def _bar(ax: Axes, mesh: ScalarMappable, axis: Axis) -> None:
    """Explain the colours: without an Axes of the figure, which would bind it to a layout."""
    norm: Any = mesh.norm
    ends = float(norm.vmin), float(norm.vmax)
    bar = look.figure_of(ax).colorbar(mesh, cax=ax.inset_axes((1.02, 0, 0.03, 1)))
    bar.ax.yaxis.set_major_locator(Ticks(axis))
    bar.ax.yaxis.set_major_formatter(Labels(axis, ends))
    bar.ax.minorticks_off()
    bar.set_label(axis.label, size=look.size(ax))
    bar.ax.tick_params(labelsize=look.size(ax))
    bar.outline.set_visible(False)


def _norm(spec: Spec) -> Normalize:
    values = [row.value for row in spec.rows if row.value is not None]
    if "ratios" in spec.how:  # 1 has the middle of the colours
        far = max(1.1, *(math.exp(abs(math.log(one))) for one in values))
        return LogNorm(1 / far, far)
    return (LogNorm if is_far(values) else Normalize)(min(values), max(values))


def _verdicts(ax: Axes, spec: Spec) -> list[Any]:
    """Draw the verdict of each cell as a mark, on rules, and the reasons of rows below them."""
    columns, names = spec.x.order or (), spec.y.order or ()
    size, (wide, high) = look.small(ax), look.points(ax)
    texts = reasons(spec, wide, size)
    lines = np.array([texts[name].count("\n") + 1 if name in texts else 0 for name in names])
    marks = (high - _LINE * size * lines.sum()) / len(names)  # points of a row
    if marks < size:  # there is no room for reasons
        texts, lines, marks = {}, 0 * lines, high / len(names)
    rules = np.concatenate([[0.0], np.cumsum(marks + _LINE * size * lines)])
    ax.set_ylim(rules[-1], 0)
    ax.yaxis.set_ticks(
        rules[:-1] + marks / 2, labels=[one.get_text() for one in ax.get_yticklabels()]
    )
    for at in rules:
        ax.axhline(at, color=look.RULE, linewidth=0.8, zorder=0)
    for row in spec.rows:
        x, y = columns.index(row.x) + 0.5, rules[names.index(row.y)] + marks / 2
        if row.texts:
            ax.text(x, y, row.texts[0], ha="center", va="center", size=look.small(ax))
        else:
            (mark,) = ax.plot(x, y, linestyle="none", **VERDICTS[row.mark])
            says(mark, told(spec, row))
    ax.spines["bottom"].set_visible(False)
    below: Any = {"va": "top", "size": size, "color": look.GREY, "linespacing": 1.15}
    for name, text in texts.items():
        look.literal([ax.text(0, rules[names.index(name)] + 0.9 * marks, text, **below)])
    seen = {row.mark for row in spec.rows if not row.texts}
    return [
        Line2D(
            [],
            [],
            linestyle="none",
            label=say(verdict) if verdict else say("does not apply"),
            **VERDICTS[verdict],
        )
        for verdict in (*GRAVEST, "")
        if verdict in seen
    ]


def _map(ax: Axes, spec: Spec) -> list[Any]:
    """Draw cells between edges that are numbers: rows from low to high, columns by x."""
    begins, ends = (sorted({getattr(row, end) for row in spec.rows}) for end in ("low", "high"))
    edges = np.unique(np.array([*begins, *ends]))
    columns = sorted({row.x for row in spec.rows})
    latencies = np.array(spec.y.ticks)
    shares = np.full((len(latencies) - 1, len(edges) - 1), math.nan)
    place = {value: at for at, value in enumerate(edges.tolist())}
    level = {value: at for at, value in enumerate(latencies.tolist())}
    for row in spec.rows:
        shares[level[row.y], place[row.low]] = math.nan if not row.value else row.value
    shown, most = np.ma.masked_invalid(shares), float(np.nanmax(shares))
    least = min(spec.colours.ends[0], most / 10) if spec.colours.ends else most / 100
    # even steps of lightness, none of them that of the paper, which is farthest from most I/Os
    palette = "mako_r" if look.ink(ax) == "black" else "mako"
    whole = sns.color_palette(palette, as_cmap=True)(np.linspace(0.15, 1, 256))
    colours = LinearSegmentedColormap.from_list("pale-to-dark", whole)
    norm = LogNorm(least, most, clip=True)
    # rasterized, or a vector file would have an element for every cell
    mesh: ScalarMappable = ax.pcolormesh(
        edges, latencies, shown, norm=norm, cmap=colours, rasterized=True
    )
    ax.grid(visible=False)
    scale(ax, "x", spec.x, columns)
    scale(ax, "y", spec.y, [float(latencies[0]), float(latencies[-1])])
    ax.yaxis.set_major_locator(Ticks(spec.y))
    name_limits(ax, spec)
    _bar(ax, mesh, spec.colours)
    return []
