"""Cells: a value, in a colour and in words, for each pair of names; a map of shares; verdicts."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import LinearSegmentedColormap, LogNorm, Normalize
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.transforms import Affine2D, ScaledTranslation, blended_transform_factory

from fiotools.plot import letters, look, words
from fiotools.plot.frame import name_limits, reasons
from fiotools.plot.scales import Labels, Ticks, levels_axis, scale
from fiotools.plot.spec import Axis, Spec, is_far
from fiotools.vocabulary import GRAVEST

_NAMES = 0.3  # of a figure's width: the longest line of a name
_LINE = 1.3  # of the letters' size: a line of a reason
_SIZES = (9.0, 8.0, 7.0, 6.0, 5.0)  # points of letters
_ALARM, _PALE = "#B03A00", "#BDBDBD"
# told apart by shape and by grey
_VERDICTS: dict[str, dict[str, Any]] = {
    "impossible": {"marker": "X", "markersize": 9, "color": _ALARM},
    "suspect": {
        "marker": "^",
        "markersize": 8,
        "markerfacecolor": "none",
        "color": _ALARM,
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
    "": {"marker": "_", "markersize": 5, "color": _PALE},
}


def draw(ax: Axes, spec: Spec) -> list[Any]:
    """Draw cells, and return the entries of the legend."""
    if "lanes" in spec.how:
        return _lanes(ax, spec)
    if spec.x.order is None:
        return _map(ax, spec)
    columns, names = spec.x.order, spec.y.order or ()
    wide, high = look.points(ax)
    _name_columns(ax, spec, wide)
    most = letters.room(_NAMES * wide / 0.775, look.size(ax))
    levels_axis(ax, "y", [words.place(one, spec.y.column) for one in names], most, 0.5)
    ax.set(xlim=(0, len(columns)), ylim=(len(names), 0))
    ax.grid(visible=False)
    if "verdicts" in spec.how:
        ax.xaxis.tick_top()
        return _verdicts(ax, spec)
    grid = np.full((len(names), len(columns)), math.nan)
    for row in spec.rows:
        if row.value is not None:
            grid[names.index(row.y), columns.index(row.x)] = row.value
    mesh = ax.pcolormesh(
        np.ma.masked_invalid(grid),
        edgecolors=look.ground(ax),
        linewidth=1.5,
        cmap=look.colours_of(spec.palette),
        norm=_norm(spec),
    )
    size = _size(spec, wide / len(columns), high / len(names))
    for row in spec.rows:
        if row.value is None:
            continue
        x, y = columns.index(row.x), names.index(row.y)
        shade = mesh.to_rgba(np.array(row.value))
        ink = "black" if look.luminance(shade) > look.PALE else "white"
        if row.mark == "pale":  # undecided: white with a rim of the colour
            inner: Any = {"facecolor": look.ground(ax), "edgecolor": shade, "linewidth": 2}
            ax.add_patch(Rectangle((x + 0.06, y + 0.1), 0.88, 0.8, **inner))
            ink = look.ink(ax)
        if size and row.texts:
            how: Any = {"ha": "center", "va": "center", "size": size, "color": ink, "clip_on": True}
            ax.text(x + 0.5, y + 0.5, row.texts[0], **how)
    if not size and mesh.norm.vmin != mesh.norm.vmax:
        _bar(ax, mesh, replace(spec.colours, log=isinstance(mesh.norm, LogNorm)))
    return []


def _name_columns(ax: Axes, spec: Spec, wide: float) -> None:
    """Name the columns of cells: upright if they do not fit side by side."""
    heads = [words.place(one, spec.x.column) for one in spec.x.order or ()]
    share = wide / len(heads)
    step = max(8, letters.room(share - 6, look.size(ax)))
    levels_axis(ax, "x", heads, step, 0.5)
    lines = [line for head in heads for line in letters.wrapped(head, step).split("\n")]
    if 0.6 * look.size(ax) * (max(map(letters.width, lines)) + 1) > share:
        ax.set_xticklabels([letters.wrapped(head, 24) for head in heads])
        ax.tick_params(axis="x", labelrotation=90 if ax.axison else 0)


def _size(spec: Spec, wide: float, high: float) -> float:
    """Return the size of letters that have room in cells of so many points; 0 if none has."""
    longest = max((letters.width(text) for row in spec.rows for text in row.texts), default=0)
    fit = (one for one in _SIZES if 0.6 * one * longest <= wide - 4 and 1.2 * one <= high)
    return next(fit, 0.0)


def _bar(ax: Axes, mesh: ScalarMappable, axis: Axis, place: Axes | None = None) -> None:
    """Explain the colours: without an Axes of the figure, which would bind it to a layout."""
    norm: Any = mesh.norm
    own = ax.inset_axes((1.02, 0, 0.03, 1)) if place is None else place
    bar = look.figure_of(ax).colorbar(mesh, cax=own)
    bar.ax.yaxis.set_major_locator(Ticks(axis))
    bar.ax.yaxis.set_major_formatter(Labels(axis, (float(norm.vmin), float(norm.vmax))))
    bar.ax.minorticks_off()
    bar.set_label(axis.label, size=look.size(ax))
    bar.ax.tick_params(labelsize=look.size(ax))
    bar.outline.set_visible(False)


def _norm(spec: Spec) -> Normalize:
    values = [row.value for row in spec.rows if row.value is not None]
    if spec.colours.unit == "x":  # 1 has the middle of the colours
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
    labels = [one.get_text() for one in ax.get_yticklabels()]
    ax.yaxis.set_ticks(rules[:-1] + marks / 2, labels=labels)
    for at in rules:
        ax.axhline(at, color=look.RULE, linewidth=0.8, zorder=0)
    for row in spec.rows:
        x, y = columns.index(row.x) + 0.5, rules[names.index(row.y)] + marks / 2
        if row.texts:
            ax.text(x, y, row.texts[0], ha="center", va="center", size=size, clip_on=True)
        else:
            ax.plot(x, y, linestyle="none", **_VERDICTS[row.mark])
    ax.spines["bottom"].set_visible(False)
    below: Any = {"va": "top", "size": size, "color": look.GREY, "linespacing": 1.15}
    below |= {"xycoords": ("axes fraction", "data"), "annotation_clip": True}
    for name, text in texts.items():
        spot = 0, rules[names.index(name)] + 0.9 * marks
        look.literal([ax.annotate(text, spot, **below)])
    seen = {row.mark for row in spec.rows if not row.texts}
    return [
        Line2D([], [], linestyle="none", label=words.say(one or "does not apply"), **_VERDICTS[one])
        for one in (*GRAVEST, "")
        if one in seen
    ]


def _lanes(ax: Axes, spec: Spec) -> list[Any]:
    """Draw rows over time, their sum above, and what each did at the right."""
    names, size = spec.y.order or (), look.size(ax)
    wide = look.points(ax)[0]
    edges = np.unique([(row.low, row.high) for row in spec.rows])
    rates = np.reshape([row.value for row in spec.rows], (len(names), -1))
    whole = look.colours_of(spec.palette or "mako_r")(np.linspace(0, 0.9, 256))
    colours = LinearSegmentedColormap.from_list("pale-to-dark", whole)
    how: Any = {"norm": Normalize(0, float(rates.max()) or 1), "cmap": colours, "rasterized": True}
    mesh: ScalarMappable = ax.pcolormesh(edges, np.arange(len(names) + 1), rates, **how)
    scale(ax, "x", spec.x, [*edges])
    most = letters.room(_NAMES * wide / 0.775, size)
    levels_axis(ax, "y", [words.named(one, spec.y.column) for one in names], most, 0.5)
    ax.set_ylim(len(names), 0)
    done = [one.value for one in spec.levels]
    bars, texts = 3.5 * size, 0.6 * size * max(letters.width(one.text) for one in spec.levels)
    # a layout makes room for what has a size of its own, in points beyond the edges
    points: Any = Affine2D().scale(1 / 72) + look.figure_of(ax).dpi_scale_trans
    inside: Any = ax.transAxes
    up = blended_transform_factory(inside, points + ScaledTranslation(0, 1, inside))
    aside = blended_transform_factory(points + ScaledTranslation(1, 0, inside), inside)
    above = ax.inset_axes((0, size, 1, 4.5 * size), transform=up, sharex=ax)
    beside = ax.inset_axes((0.6 * size, 0, bars + texts, 1), transform=aside, sharey=ax)
    bar = ax.inset_axes((1.4 * size + bars + texts, 0, size, 1), transform=aside)
    fill = colours(0.6)
    above.fill_between(edges, [*rates.sum(0), rates[:, -1].sum()], step="post", color=fill)
    scale(above, "y", spec.colours, [0, *rates.sum(0)])
    above.tick_params(labelbottom=False, length=0, labelsize=size)
    above.spines[:].set_visible(False)
    beside.barh(np.arange(len(names)) + 0.5, done, height=0.6, color=fill)
    beside.set_xlim(0, (bars + texts) / bars * (max(done) or 1))
    beside.set_axis_off()
    how = {"size": look.small(ax), "va": "center", "color": look.ink(ax)}
    for at, one in enumerate(spec.levels):
        beside.annotate(one.text, (one.value, at + 0.5), (3, 0), textcoords="offset points", **how)
    for own in (ax, above):
        own.grid(visible=False)
    _bar(ax, mesh, replace(spec.colours, label=letters.wrapped(spec.colours.label, 14)), bar)
    return []


def _map(ax: Axes, spec: Spec) -> list[Any]:
    """Draw cells between edges that are numbers: rows from low to high, columns by x."""
    begins, ends = (sorted({getattr(row, end) for row in spec.rows}) for end in ("low", "high"))
    edges = np.unique(np.array([*begins, *ends]))
    latencies = np.array(spec.y.ticks)
    shares = np.full((len(latencies) - 1, len(edges) - 1), math.nan)
    place = {value: at for at, value in enumerate(edges.tolist())}
    level = {value: at for at, value in enumerate(latencies.tolist())}
    for row in spec.rows:
        shares[level[row.y], place[row.low]] = row.value or math.nan
    most = float(np.nanmax(shares))
    least = min(spec.colours.ends[0], most / 10) if spec.colours.ends else most / 100
    # even steps of lightness, none of them that of the paper, which is farthest from most I/Os
    palette = spec.palette or ("mako_r" if look.ink(ax) == "black" else "mako")
    whole = look.colours_of(palette)(np.linspace(0.15, 1, 256))
    mesh: ScalarMappable = ax.pcolormesh(
        edges,
        latencies,
        np.ma.masked_invalid(shares),
        norm=LogNorm(least, most, clip=True),
        cmap=LinearSegmentedColormap.from_list("pale-to-dark", whole),
        rasterized=True,  # or a vector file would have an element for every cell
    )
    ax.grid(visible=False)
    scale(ax, "x", spec.x, [row.x for row in spec.rows])
    scale(ax, "y", spec.y, [float(latencies[0]), float(latencies[-1])])
    ax.yaxis.set_major_locator(Ticks(spec.y))
    name_limits(ax, spec)
    _bar(ax, mesh, spec.colours)
    return []
