"""The base of all plots: colours, rows, axes with units, and checks of the frames."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal, TypeVar
from weakref import WeakSet

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import seaborn as sns
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgba
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec, SubplotParams
from matplotlib.lines import Line2D
from matplotlib.text import Annotation, Text
from matplotlib.ticker import FixedLocator, LogLocator, MaxNLocator, NullLocator
from narwhals.typing import IntoDataFrame
from numpy.typing import NDArray

from fiotools import units
from fiotools.errors import SchemaError, argument
from fiotools.language import called, listed, say
from fiotools.plot import fit_text
from fiotools.stats import frames
from fiotools.stats.frames import Frame
from fiotools.stats.replicates import labels
from fiotools.vocabulary import COLUMNS, KEYS, STATISTICS

PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "D", "^", "v", "P", "X")
LINES = ("-", "--", ":", "-.")
GREY = "#6E6E6E"
WIDTH = 7.0  # inches: the column of an article
PALE = 0.55  # luminance from which on words are black
ROW = 0.34  # inches for one row of a chart

# fonts come with matplotlib, ids are salted and dates left out, so that a file changes only if the
# picture does
RC: Any = {  # matplotlib's stubs list all 300 keys as literals
    "font.family": ["DejaVu Sans"],
    "font.size": 10,
    "xtick.labelsize": 10,
    "ytick.labelsize": 10,
    "legend.fontsize": 10,
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlepad": 10,
    "axes.labelsize": 10,
    "axes.prop_cycle": cycler(color=PALETTE),
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "grid.color": "#E3E3E3",
    "ytick.left": False,
    "legend.frameon": False,
    "figure.constrained_layout.use": True,
    "savefig.dpi": 150,
    "svg.hashsalt": "fiotools",
    "svg.fonttype": "path",
    "pdf.fonttype": 42,
}
_SMALL = 0.833  # of the letters' size: "small"
_NAME = 0.3  # of a figure's width: the longest name at the end of a line
NARROW = 300  # points: Axes beside long names
_MOST = 0.6  # of narrow Axes: what a text may take
_MARGIN = 1.2  # times: from a value to the end of a logarithmic axis
_LITTLE = 0.4  # and where a little room is many times the values
_ASIDE_POINT = 10  # points from a point, or the end of its interval, to its text, and a little
_ASIDE = 0.45  # of a figure's width: the widest legend beside Axes
_FEW = 5  # lines below Axes that a figure has room for
_ENTRY = 16  # points: a line of a legend
_OWN: WeakSet[Figure] = WeakSet()  # figures made here, which may grow
_WORDS = {"bs_bytes": "block size", "iodepth": "queue depth", "numjobs": "number of jobs"}
_LINE = 12  # points: the height of a line of small words
_SPACED = 1.2  # of the letters' size: the height of a line of a name
KINDS = ("quantity", "latency", "direction")  # rows that differ in these never add up
_EDGE = 24  # points: what a figure's own edge takes
_BESIDE = 90  # points: what ticks and a label take beside Axes
_TICK = {"x": 52, "y": 22}  # points: what a tick's label takes, with some space
_HALF = 8.0  # points: half of what a tick's label takes in height
_HANDLE = 52  # points: what an entry of a legend takes beside its name
_HIGH = 0.65  # of the height of Axes, which words below them may yet take from
_HIGH_OWN = 0.75  # the same where the figure grows with them
LATENCIES = {"lat": "latency", "clat": "completion latency", "slat": "submission latency"}
_ENOUGH = 6  # runs from which a median has an interval without assumptions
T = TypeVar("T")


def rc() -> Any:
    """Return `RC` with the fonts of the current language."""
    weight = RC["axes.titleweight"] if fit_text.has_bold() else "normal"
    return {**RC, "font.family": fit_text.family(), "axes.titleweight": weight}


def opened(frame: IntoDataFrame, *columns: str | None) -> Frame:
    """Open a frame, or say which of the columns it lacks."""
    return frames.opened(frame, [column for column in columns if column is not None])


def answer(frame: IntoDataFrame, columns: Iterable[str], what: str, give: str) -> Frame:
    """Open what a function of `fiotools` returned, or say ``what`` it is not and what to give."""
    table = opened(frame)
    if missing := sorted({*columns}.difference(table.columns)):
        raise SchemaError(f"not {what}: no column {', '.join(missing)}{give}")
    return table


def records(table: Frame) -> list[dict[str, Any]]:
    """Return the rows of a frame; missing values are None."""
    rows = frames.keys_of(table, table.columns)
    return [dict(zip(table.columns, row, strict=True)) for row in rows]


def only_row(found: Sequence[T], what: str, of: str, give: str) -> T:
    """Return the only row that an answer has for something, or say what to give instead."""
    if len(found) != 1:
        raise SchemaError(f"{what} has {len(found) or 'no'} rows{of}: {give}")
    return found[0]


def known(frame: Frame, column: str | None) -> list[Any]:
    """Return a column of names or places without gaps; all None if no column is named."""
    return [None] * len(frame) if column is None else frames.complete(frame, column)


def numbers(frame: Frame, column: str, *, log: bool = False) -> list[float | None]:
    """Return a column of numbers to draw; at least one is there and all are on the axis."""
    listed = finite(frame, column)
    there = [value for value in listed if value is not None]
    if not there:
        raise SchemaError(f"nothing to draw: no row has a value of {column!r}")
    if log:
        above_zero(column, there)
    return listed


def band_of(band: float) -> tuple[float, float]:
    """Return the ends of the band about 1 that does not matter."""
    if not 0 <= band < 1:
        raise SchemaError(f"band is {band!r}: it is a share, at least 0 and below 1 (0.05)")
    return 1 / (1 + band), 1 + band


def finite(frame: Frame, column: str) -> list[float | None]:
    """Return a column of numbers, or refuse values that no axis can show."""
    listed = frames.numbers(frame, column)
    if any(value is not None and math.isinf(value) for value in listed):
        raise SchemaError(f"{column!r} is infinite in a row: leave it out")
    return listed


def above_zero(column: str, listed: Iterable[float]) -> None:
    """Refuse values that a logarithmic axis cannot show."""
    if (least := min(listed, default=1)) <= 0:
        raise SchemaError(
            f"{column!r} is {least:g} in a row: a logarithmic axis needs values above zero"
        )


def figure_of(ax: Axes | Figure | NDArray[Any]) -> Figure:
    """Return the figure of Axes, or of the first of several, or itself."""
    if isinstance(ax, Figure):
        return ax
    figure = (ax.flat[0] if isinstance(ax, np.ndarray) else ax).get_figure(root=True)
    if figure is None:
        raise ValueError("these Axes are on no figure")
    return figure


@dataclass(frozen=True)
class Look:
    """The colour, marker and stroke of a line."""

    colour: str
    marker: str
    line: Any  # matplotlib's stubs list the four as literals


def looks(names: Sequence[Any], ax: Axes) -> list[Look]:
    """Give each line a look of its own: numbers go from light to dark, names take `look_of`."""
    count = len(names)
    if count < 3 or not all(isinstance(name, (int, float)) for name in names):
        return [look_of(at, ax) for at in range(count)]
    shades = sns.color_palette("flare", count).as_hex()
    return [Look(shades[at], look_of(at, ax).marker, "-") for at in range(count)]


def look_of(at: int, ax: Axes) -> Look:
    """Return the next colour; markers and strokes change when the colours begin again."""
    turn = at // len(PALETTE)
    colours = (*PALETTE[:-1], to_hex(ink(ax)))  # black is not seen on black
    return Look(
        colours[at % len(PALETTE)], MARKERS[(at + turn) % len(MARKERS)], LINES[turn % len(LINES)]
    )


def note(
    ax: Axes, text: str, xy: tuple[float, float], aside: tuple[float, float], **look: Any
) -> None:
    """Write small words at a place, and so many points aside."""
    look = {"fontsize": small(ax), **look}
    literal([ax.annotate(text, xy, xytext=aside, textcoords="offset points", **look)])


def write(
    ax: Axes, text: str, x: float, place: float, colour: str = "", *, left: bool = False
) -> None:
    """Write a value to the right of a point, or to its left."""
    look: Any = {"va": "center", "color": colour or ink(ax), "bbox": paper(ax), "zorder": 4}
    aside, ha = (-8, "right") if left else (8, "left")
    note(ax, text, (x, place), (aside, 0), ha=ha, **look)


def paper(ax: Axes) -> dict[str, Any]:
    """Return the box that keeps lines from running through a text."""
    return {"facecolor": ground(ax), "edgecolor": "none", "pad": 0.8}


def small(ax: Axes) -> float:
    """Return the size of small words: smaller than the labels of the axes in any style."""
    return _SMALL * size_of(ax.xaxis.label)


def line_of(ax: Axes) -> float:
    """Return the height of a line of small words in points."""
    return _LINE * small(ax) / (10 * _SMALL)


def ground(ax: Axes) -> str:
    """Return the colour behind what is drawn: that of the Axes, or of a figure without axes."""
    colour = to_hex((ax if ax.axison else figure_of(ax)).get_facecolor())
    return "white" if colour == "#ffffff" else colour


def shade(ax: Axes) -> str:
    """Return the grey of an area behind what is drawn."""
    return "#EFEFEF" if ink(ax) == "black" else "#3A3A3A"


def ink(ax: Axes) -> str:
    """Return the colour of words: black, or white on a dark ground."""
    return "black" if luminance(to_rgba(ground(ax))) > PALE else "white"


def luminance(colour: Any) -> float:
    """Say how bright a colour looks, from 0 to 1."""
    red, green, blue, _ = colour
    return float(0.299 * red + 0.587 * green + 0.114 * blue)


def axes(ax: Axes | None, rows: float) -> Axes:
    """Return the Axes given, or new ones on a figure high enough for the rows."""
    if ax is not None:
        keep_room(ax)
        return ax
    made: Axes = panels(1, 1, 1.5 + ROW * rows)[0, 0]
    return made


def panels(rows: int, columns: int, high: float, **share: Any) -> NDArray[Any]:
    """Make Axes on a figure of our own, so many inches high."""
    with look():
        figure, made = plt.subplots(rows, columns, squeeze=False, figsize=(WIDTH, high), **share)
    _OWN.add(figure)
    return np.asarray(made)


def keep_room(ax: Axes) -> None:
    """Let the figure keep room for words beside Axes, unless somebody has arranged that.

    Without a layout engine, words below and beside Axes run into their neighbours.
    """
    figure = figure_of(ax)
    as_it_comes = vars(figure.subplotpars) == vars(SubplotParams())
    places = [other.get_subplotspec() for other in figure.axes]
    # a grid within a grid is somebody's arrangement too, if only a colour bar's
    plain = all(place and isinstance(place.get_gridspec(), GridSpec) for place in places)
    if figure.get_layout_engine() is None and as_it_comes and plain:
        figure.set_layout_engine("constrained")


@contextmanager
def look() -> Iterator[None]:
    """Give new Axes the look of `style`, even if nobody called it.

    The first figure of a session loads the backend, and a notebook's backend then switches on that
    figures are shown; a bare ``rc_context`` would switch it off again (matplotlib's issue 24351).
    """
    with mpl.rc_context(
        {**sns.plotting_context("notebook"), **sns.axes_style("whitegrid"), **rc()}
    ):
        yield
        shown = mpl.is_interactive()
    mpl.interactive(shown)


def points(ax: Axes) -> tuple[float, float]:
    """Return the width and height of Axes in points, as they are before anything is drawn."""
    box, (width, height) = ax.get_position(), _paper(ax)
    return box.width * width, box.height * height


def _paper(ax: Axes) -> tuple[float, float]:
    """Return the width and height of a figure, or of the subfigure that Axes are on, in points."""
    root, own = figure_of(ax), ax.get_figure(root=False) or figure_of(ax)
    width, height = 72 * root.get_size_inches() * own.bbox.size / root.bbox.size
    return float(width), float(height)


def along(axis: Any, value: float) -> float:
    """Return how far along its axis a value lies: 0 at the lower limit, 1 at the upper."""
    scale = axis.get_transform()
    low, high, place = (float(one) for one in scale.transform([*axis.get_view_interval(), value]))
    return (place - low) / (high - low)


def levels(listed: Sequence[Any], order: Sequence[Any] | None = None) -> list[Any]:
    """Return distinct values in the order asked for; else numbers by size, others as they come."""
    found: list[Hashable] = frames.ordered(listed)
    if not order:
        return found
    chosen = [value for value in order if value in found]
    if not chosen:
        there = first_five(map(repr, found))
        raise SchemaError(f"{argument('order', list(order))} names nothing that is there: {there}")
    return chosen


def first_five(found: Iterable[Any]) -> str:
    """List values for a message, the first five of them."""
    texts = [str(one) for one in found]
    return ", ".join(texts[:5]) + (", ..." if texts[5:] else "")


def keep_one(table: Frame, column: str, rows: Iterable[int]) -> str:
    """Return the filter that keeps one value of the rows: the total if there is one."""
    listed = frames.values(table, column)
    there = frames.distinct(listed[row] for row in rows)
    return frames.to_type(table, column, "total" if "total" in there else there[0])


def of_one_run(label: str, table: Frame, rows: Iterable[int], *, below: bool = False) -> str:
    """Add to an axis' label that each of the rows is one run, if the frame says so.

    A frame says it with ``source`` and ``run``, or with an ``n`` of 1; ``below`` a label that has a
    legend beside it.
    """
    lists = [frames.optional(table, name) for name in ("source", "run", "n")]
    seen = list(zip(*lists, strict=True))
    found = [seen[row] for row in rows]
    if any(n != 1 if n is not None else None in (source, run) for source, run, n in found):
        return label
    alone = len(found) == 1 or (len(set(found)) == 1 and None not in found[0][:2])
    if below:
        return f"{label}\n{say('one run') if alone else say('one run each')}"
    return say("{label} (one run)" if alone else "{label} (one run each)", label=label)


def unit(column: str) -> str:
    """Return a column's base unit, if it is known."""
    return COLUMNS[column].unit if column in COLUMNS else ""


def unit_ticks(axis: Any, unit: str, like: float | None = None) -> None:
    """Write ticks in a unit, with the prefix that ``like`` would get."""
    _format(axis, lambda value: tick(value, unit, like))


def fixed_ticks(axis: Any, values: Sequence[float], write: Callable[[float], str]) -> None:
    """Set ticks at these values only."""
    axis.set_major_locator(FixedLocator(values))
    axis.set_minor_locator(NullLocator())
    _format(axis, write)


def _format(axis: Any, write: Callable[[float], str]) -> None:
    """Write ticks, in fonts that have the letters of units."""
    axis.set_major_formatter(lambda value, _: write(value))
    fonts = [*axis.label.get_fontfamily(), *fit_text.family()]
    axis.set_tick_params(labelfontfamily=[*dict.fromkeys(fonts)])


def with_room(
    axis: Any,
    values: Iterable[float],
    write: Callable[[float], str],
    gap: float,
    taken: float = 0,
) -> list[float]:
    """Return the ticks whose labels have room, so many points apart; the first matter most.

    A legend takes ``taken`` points of the axis.
    """
    wide = (breadth(axis.axes) if axis.axis_name == "x" else points(axis.axes)[1]) - taken
    kept: dict[float, tuple[float, float]] = {}  # places and halves of labels
    for value in values:
        place, half = along(axis, value) * wide, _HALF
        if axis.axis_name == "x":
            half = (fit_text.width(write(value), RC["xtick.labelsize"]) + gap) / 2
        if all(abs(place - other) >= half + own for other, own in kept.values()):
            kept[value] = place, half
    return list(kept)


End = tuple[float, float, str, Look]  # of a line: x, y, its name and look


def name_lines(ax: Axes, ends: Sequence[End], hue: str | None, *, below: bool = True) -> None:
    """Name lines at their ends, apart from each other; in a legend if they have no room there.

    To be called when limits and labels of the axes are set. A legend that is too wide to stand
    beside the Axes goes ``below`` or is left out.
    """
    if not ends:
        return
    ends = broken_names(ax, ends, _whole(ax))
    size = small(ax)
    needed = sum(name.count("\n") + 1 for _, _, name, _ in ends) * line_of(ax)
    high = points(ax)[1]
    if needed <= high:
        _end_labels(ax, ends)
        return
    handles = line_handles(ends)
    columns = int(-(-needed // max(1, high - line_of(ax))))
    if columns * legend_width(ax, (name for _, _, name, _ in ends)) <= _ASIDE * _whole(ax):
        corner: Any = {"loc": "upper left", "bbox_to_anchor": (1, 1), "alignment": "left"}
        look = {"fontsize": size, "ncols": columns, "handlelength": 2.6, **corner}
        legend(ax, handles, legend_title(hue), **look)
    elif below:
        legend_below(ax, handles, legend_title(hue))


def broken_names(ax: Axes, ends: Iterable[End], wide: float) -> list[End]:
    """Break names of lines that would take too much of so many points."""
    size, most = small(ax), _NAME * wide
    return [(x, y, fit_text.broken(name, size, most), look) for x, y, name, look in ends]


def legend_width(ax: Axes, names: Iterable[str]) -> float:
    """Return the width in points of a legend of lines, in small words."""
    lines = [line for name in names for line in name.split("\n")]
    return _HANDLE + max(fit_text.width(line, small(ax)) for line in lines)


def legend(on: Axes | Figure, handles: Sequence[Any], title: str | None, **look: Any) -> None:
    """Draw a legend of the names that the handles have."""
    made = on.legend(handles=handles, title=title, frameon=False, **look)
    literal([*made.get_texts(), made.get_title()])


def legend_title(hue: str | None) -> str | None:
    """Name the condition that a legend is of; a label of files has no name."""
    return None if hue in (None, "label") else condition(str(hue))


def condition(name: str) -> str:
    """Name a condition in words."""
    return say(_WORDS[name]) if name in _WORDS else called(name)


def _end_labels(ax: Axes, ends: Sequence[End]) -> None:
    """Write names at the ends of lines, in their order and apart from each other."""
    height = points(ax)[1]
    ordered = sorted(ends, key=lambda end: end[1])
    wanted = np.array([along(ax.yaxis, y) * height for _, y, _, _ in ordered])
    lines = np.array([name.count("\n") + 1 for _, _, name, _ in ordered])
    # the middles of names that stand on each other, above that of the lowest
    stack = line_of(ax) * (np.cumsum(lines) - (lines + lines[0]) / 2)
    lowest = np.maximum.accumulate(wanted - stack)
    # what was pushed out at the top comes down again
    places = stack + np.minimum(lowest, max(height, wanted[-1]) - stack[-1])
    for (x, y, name, look), up in zip(ordered, places - wanted, strict=True):
        note(ax, name, (x, y), (8, up), va="center", color=look.colour)


def name_steps(ax: Axes, names: Sequence[tuple[float, str]], align: float) -> int:
    """Write names at places of the x axis, at its top, in lines that do not overlap.

    ``align`` is 0 where a name begins at its place, and .5 where it is in its middle. Returns how
    many lines there are.
    """
    wide = points(ax)[0]
    ends: list[float] = []  # where the last name of each line ends
    look: Any = {"va": "top", "color": ink(ax), "bbox": paper(ax), "zorder": 6}
    look |= {"ha": "center" if align else "left", "xycoords": "axes fraction"}
    for at, name in names:
        taken = fit_text.width(name, small(ax))
        place = along(ax.xaxis, at) * wide - align * taken + (2 if not align else 0)
        place = max(0.0, min(place, wide - taken))
        below = -3 - line_of(ax) * _free_line(ends, place, taken)
        note(ax, name, ((place + align * taken) / wide, 1), (0, below), **look)
    return len(ends)


def _free_line(ends: list[float], place: float, taken: float) -> int:
    """Find the first line where a name has room, and note in ``ends`` where it ends there."""
    line = next((at for at, end in enumerate(ends) if end + 8 <= place), len(ends))
    ends[line : line + 1] = [place + taken]
    return line


def name_limits(ax: Axes, limits: Mapping[float, str]) -> None:
    """Draw limits of the x axis as lines, with their names above the Axes in lines of their own."""
    ends: list[float] = []
    for limit, name in sorted(limits.items()):
        ax.axvline(limit, color=GREY, linestyle="--", linewidth=1.3, zorder=1)
        taken = fit_text.width(name, small(ax))
        place = along(ax.xaxis, limit) * points(ax)[0] - taken / 2
        above = 2 + line_of(ax) * _free_line(ends, place, taken)
        look: Any = {"va": "bottom", "ha": "center", "color": GREY}
        note(ax, name, (limit, 1), (0, above), xycoords=("data", "axes fraction"), **look)
    if own := ax.get_title(loc="left"):
        ax.set_title(own, pad=8 + line_of(ax) * len(ends))  # room for the names


def title_panel(ax: Axes, cell: Sequence[Any], columns: Sequence[str], taken: float = 0) -> None:
    """Name a panel by its conditions; a legend takes ``taken`` points of its width."""
    known = [pair for pair in zip(cell, columns, strict=True) if pair[0] is not None]
    title, size = listed(named(*pair) for pair in known), RC["axes.labelsize"]
    title = fit_text.broken(title, size, points(ax)[0] - taken)
    literal([ax.set_title(title, fontsize=size, loc="left")])


def line_handles(ends: Iterable[End]) -> list[Line2D]:
    """Return the entries of a legend, in the order of the lines' right ends."""
    return [
        Line2D([], [], color=look.colour, marker=look.marker, linestyle=look.line, label=name)
        for _, _, name, look in sorted(ends, key=lambda end: -end[1])
    ]


def tick(value: float, unit: str, like: float | None = None) -> str:
    """Write a tick: a human number without padding zeros."""
    if value == 0:
        return "0"
    text = units.human(value, unit, like=like).removesuffix(" /s" if unit == "1/s" else "\0")
    head, _, tail = text.partition(" ")
    if "." in head:
        head = head.rstrip("0").rstrip(".")
    return f"{head} {tail}".strip()


def factor(ratio: float) -> str:
    """Write a ratio without an exponent."""
    return f"{units.human(ratio, '')}x"


def percent(share: float) -> str:
    """Write a share as a percentage, as the language in use does."""
    return say("{share} %", share=f"{100 * share:g}")


def round_ticks(most: int, *, integer: bool = False) -> MaxNLocator:
    """Return about so many steps of 1, 2, 5, 10, ..., and at least three ticks."""
    return MaxNLocator(most, steps=[1, 2, 5, 10], integer=integer, min_n_ticks=min(most, 3))


def few_ticks(axis: Any, unit: str = "", like: float | None = None) -> None:
    """Set up to seven round ticks, as many as have room, and write them as `unit_ticks` does."""
    unit_ticks(axis, unit, like)
    ax = axis.axes
    room = breadth(ax) / 60 if axis.axis_name == "x" else points(ax)[1] / 22
    for most in range(max(2, min(6, int(room))), 0, -1):
        axis.set_major_locator(round_ticks(most))
        if not _overlap(axis, axis.get_majorticklocs(), unit, like):
            return


def _overlap(axis: Any, ticks: Iterable[float], unit: str, like: float | None = None) -> bool:
    """Whether labels of an x axis run into each other."""
    low, high = sorted(axis.get_view_interval())
    there = [value for value in ticks if low <= value <= high]
    found = with_room(axis, there, lambda value: tick(value, unit, like), 4)
    return axis.axis_name == "x" and len(found) < len(there)


def log_ticks(axis: Any, low: float, high: float) -> None:
    """Set the ticks 1, 2, 5, 10, ... of a logarithmic axis, fewer where it is long."""
    subs = (1.0, 2.0, 5.0) if high / low < 500 else (1.0,)
    axis.set_major_locator(LogLocator(subs=subs))
    axis.set_minor_locator(NullLocator())


def name_rows(ax: Axes, names: Sequence[Any], first: float = 0) -> None:
    """Name the rows, the first at the top; names wider than half a figure are broken.

    A figure of our own becomes higher if they are broken into many lines.
    """
    size, most = size_of(ax.yaxis.label), 0.5 * _whole(ax)
    shown = [fit_text.broken(called(str(name)), size, most) for name in names]
    ax.set_yticks([first + at for at in range(len(names))], shown)
    literal(ax.get_yticklabels())
    ax.set_ylim(len(names) - 0.5 + first, first - 0.5)
    ax.grid(visible=False, axis="y")
    _grow(ax, lacking(ax))


def lacking(ax: Axes) -> float:
    """Return the height in points that the names of rows lack if they have many lines."""
    names = ax.get_yticklabels()
    most = max((name.get_text().count("\n") + 1 for name in names), default=1)
    return len(names) * max(0.0, _SPACED * most * size_of(ax.yaxis.label) - 72 * ROW)


def wording(metric: str, *, short: bool = False) -> str:
    """Name a metric on an axis in words, up to the first comma if ``short``."""
    if metric not in COLUMNS:
        return metric
    words = COLUMNS[metric].meaning.rstrip(".")
    if short:
        words = words.partition(",")[0]
    return say(words if words.startswith("I/O") else words[0].lower() + words[1:])


def named(name: Any, hue: str | None) -> str:
    """Name a level; a bare number gets the name of its column: "thread 0"."""
    return called(units.level(name, hue or ""))


def several(names: Sequence[str], most: int, separator: str = ", ") -> str:
    """List some names, and say how many more there are."""
    some = listed(names[:most], separator)
    return say("{names} and {n} more", names=some, n=len(names) - most) if names[most:] else some


def refuse_several(
    table: Frame,
    names: Sequence[Any],
    what: str,
    *,
    hue: str | None = None,
    apart: Sequence[str] = (),
    also: Callable[[str], str] = lambda column: "",
) -> None:
    """Refuse rows of several kinds under one name, and say what to type.

    ``what`` shows one kind, such as "a heat map"; ``hue`` is the column of the names, ``apart`` are
    more columns that tell kinds apart, and ``also`` gives another remedy for a column.
    """
    own = [name for name in labels(table) if name not in STATISTICS]
    # in the order in which people would name them
    wanted = dict.fromkeys([*KINDS, *own, "scope", *reversed(KEYS), *apart])
    lists = frames.columns(table, [name for name in wanted if name != hue])
    for name, rows in frames.rows_by(names).items():
        for column in frames.differing(lists, rows)[:1]:
            shown = first_five(frames.distinct(lists[column][row] for row in rows))
            whose = "" if hue is None else f" of {name!r}"
            raise SchemaError(
                f"rows{whose} differ in {column} ({shown}), and {what} shows one:"
                f" keep it, {keep_one(table, column, rows)}{also(column)}"
            )


def only(table: Frame, column: str) -> Any:
    """Return the only value of a column; None if it has several, or there is none."""
    found = frames.distinct(frames.optional(table, column))
    return found[0] if len(found) == 1 else None


def latency_of(table: Frame) -> str:
    """Name the latency of all rows: submission or completion if they have one kind."""
    return say(LATENCIES.get(only(table, "latency"), "latency"))


def going(what: str, table: Frame) -> str:
    """Add the direction of all rows to the name of what is drawn, if they have one."""
    direction = only(table, "direction")
    if direction is None:
        return what
    return say("{what} ({direction})", what=what, direction=called(direction))


class Middles:
    """The middle of each cell in an answer of `summarize`, with its interval.

    The middle is the mean, or with ``medians`` the median if all cells have six runs.
    """

    def __init__(
        self, summary: IntoDataFrame, metric: str, *keys: str | None, medians: bool = False
    ) -> None:
        self._keys = [key for key in keys if key]
        give = f"give summarize(frame, {metric!r}, by={self._keys})"
        table = answer(summary, ("metric", "n", "mean", "confidence"), "a summary", f"; {give}")
        if set(frames.values(table, "metric")) != {metric}:
            raise SchemaError(f"the summary is not of {metric!r}: {give}")
        frames.need(table, self._keys)
        robust = medians and min(frames.values(table, "n")) >= _ENOUGH
        self.middle = "median" if robust else "mean"
        self._ends = frames.keys_of(table, [f"{self.middle}{end}" for end in ("", "_lo", "_hi")])
        self.cells = frames.groups(table, self._keys)
        shares = frames.distinct(frames.values(table, "confidence"))
        known = shares and any(low is not None for _, low, _ in self._ends)
        # in percent; empty if no cell has an interval
        self.confidence = percent(shares[0]) if known else ""

    def __getitem__(self, cell: tuple[Any, ...]) -> tuple[float, float | None, float | None]:
        where = ", ".join(f"{k} {v!r}" for k, v in zip(self._keys, cell, strict=True))
        give = f"summarize the frame that is drawn, by={self._keys}"
        row = only_row(self.cells.get(cell, []), "the summary", f" of {where}", give)
        middle, low, high = self._ends[row]
        return middle, low, high

    def drawn(self, runs: Counter[Any], bars: str, line: str = "") -> list[str]:
        """Say what points, ``bars`` or else the ``line`` are, for so many runs at each place."""
        alone = [count == 1 for count in runs.values()]
        if all(alone):
            return [say("one run each" if len(alone) > 1 else "one run")]
        points = say("points: runs, hollow: only one" if any(alone) else "points: runs")
        said = say(bars, confidence=self.confidence) if self.confidence else line
        return [points, said] if said else [points]


def label_below(ax: Axes, *lines: str, spacing: Any = 1.4) -> None:
    """Label the x axis in lines, each broken where it is wider than the Axes."""
    size, wide = size_of(ax.xaxis.label), points(ax)[0]
    if len(figure_of(ax).axes) == 1:  # nothing is to its right
        wide += (1 - ax.get_position().x1) * _whole(ax) - _EDGE
    wide = min(wide, beside(ax))
    label = "\n".join(fit_text.broken(line, size, wide) for line in "\n".join(lines).split("\n"))
    before = ax.get_xlabel()
    _grow(ax, _ENTRY * (max(label.count("\n") + 1, _FEW) - max(before.count("\n") + 1, _FEW)))
    literal([ax.set_xlabel(label, loc="left", linespacing=spacing)])


def name_columns(ax: Axes, names: Sequence[str], first: float) -> None:
    """Name every step of the x axis from the first on, or every second, ..., that has room.

    Long names are broken.
    """
    size, wide = size_of(ax.xaxis.label), points(ax)[0]
    if len({round(one.get_position().x0, 3) for one in figure_of(ax).axes}) == 1:
        wide = max(wide, _whole(ax) - _BESIDE)
    low, high = ax.get_xlim()
    lines = [fit_text.wrapped(name, size, wide / min(len(names), 4) - 6) for name in names]
    longest = max(fit_text.width(line, size) for name in lines for line in name) + 6
    step = max(1, math.ceil(longest * (high - low) / wide))
    shown = range(0, len(names), step)
    ax.set_xticks([first + at for at in shown], ["\n".join(lines[at]) for at in shown])
    literal(ax.get_xticklabels())


def beside(ax: Axes) -> float:
    """Return the width in points that the names of rows leave for Axes."""
    is_alone = len(figure_of(ax).axes) == 1
    if not is_alone and figure_of(ax).get_layout_engine() is None:
        return points(ax)[0]  # somebody has arranged them
    names = ax.get_yticklabels()
    lines = [(line, size_of(name)) for name in names for line in name.get_text().splitlines()]
    label = 1.5 * size_of(ax.yaxis.label) * len(ax.get_ylabel().splitlines())
    left = _whole(ax) - max((fit_text.width(*line) for line in lines), default=0.0) - label - _EDGE
    return left if is_alone else min(left, points(ax)[0])


def breadth(ax: Axes) -> float:
    """Return the width of Axes in points, less what long names of rows take."""
    return min(points(ax)[0], beside(ax))


def _whole(ax: Axes) -> float:
    """Return the width of a figure, or of the columns of a grid that Axes are in, in points."""
    whole, place = _paper(ax)[0], ax.get_subplotspec()
    if place is None or not isinstance(grid := place.get_gridspec(), GridSpec):
        return whole
    widths = np.asarray(grid.get_width_ratios(), dtype=np.float64)
    return float(whole * widths[list(place.colspan)].sum() / widths.sum())


def label_beside(ax: Axes, text: str) -> None:
    """Label the y axis in lines that are no longer than it is."""
    most = _HIGH_OWN if figure_of(ax) in _OWN else _HIGH
    size, high = size_of(ax.yaxis.label), most * points(ax)[1]
    literal([ax.set_ylabel(fit_text.broken(text, size, high))])


def legend_below(ax: Axes, handles: Sequence[Any] | None = None, title: str | None = None) -> None:
    """Put the legend beside the x axis' label if it has room there, else below it."""
    size, lines, room = size_of(ax.xaxis.label), ax.get_xlabel().splitlines(), breadth(ax)
    handles = ax.get_legend_handles_labels()[0] if handles is None else handles
    names = [str(handle.get_label()) for handle in handles]
    if not names:
        return
    own = [fit_text.wrapped(name, size, room - _HANDLE) for name in names]
    entries = [max(fit_text.width(line, size) for line in name) + _HANDLE for name in own]
    columns, place = len(names), 1
    if title or sum(entries) > room - max(fit_text.width(line, size) for line in lines):
        columns, place = max(1, int(room / max(entries))), len(lines) + 1
    rows = -(-len(names) // columns) * max(map(len, own)) + (title is not None)
    _grow(ax, _ENTRY * (rows - 1))
    corner: Any = {"loc": "upper right", "bbox_to_anchor": (1, 0)}
    look = {"fontsize": size, "ncols": columns, "borderaxespad": 0.4 + 1.6 * place, **corner}
    legend(ax, handles, title, labels=["\n".join(name) for name in own], **look)


def _grow(ax: Axes, high: float) -> None:
    """Make a figure of our own higher by so many points."""
    figure = figure_of(ax)
    if high > 0 and figure in _OWN:
        figure.set_figheight(figure.get_figheight() + high / 72)


def beside_points(ax: Axes) -> list[Annotation]:
    """Return the texts that stand beside a point; the caller's own may stand anywhere."""
    return [text for text in ax.texts if isinstance(text, Annotation)]


def fit_texts(ax: Axes, low: float, high: float) -> None:
    """Set an x axis up to ``high``, further if a text beside a point needs room.

    The limits also hold what was drawn before on Axes that share the axis.
    """
    high = _end_of_texts(ax, low, high, _MOST)
    if not ax.get_autoscalex_on():
        low, high = min(low, ax.get_xlim()[0]), max(high, ax.get_xlim()[1])
    ax.set_xlim(low, high)


def _end_of_texts(ax: Axes, low: float, high: float, most: float) -> float:
    """Find where an x axis ends that has room for texts that take less than ``most`` of it."""
    wide, scale = breadth(ax), ax.xaxis.get_transform()
    for text in beside_points(ax) if wide < NARROW else []:
        taken = (fit_text.width(text.get_text(), size_of(text)) + _ASIDE_POINT) / (0.9 * wide)
        if taken < most:
            begin, place = scale.transform([low, text.xy[0]])
            end = scale.inverted().transform([begin + (place - begin) / (1 - taken)])
            high = max(high, float(end[0]))
    return high


def literal(texts: Iterable[Text]) -> None:
    """Write names as they are: a dollar sign does not begin a formula, and letters have a font."""
    for text in texts:
        text.set_parse_math(False)
        add_fonts(text)


def add_fonts(text: Text) -> None:
    """Let a text take the letters that its own fonts lack from others, such as µ or kana."""
    if not text.get_text().isascii():
        fonts = [*text.get_fontfamily(), *fit_text.family(text.get_text())]
        text.set_fontfamily([*dict.fromkeys(fonts)])


def size_of(text: Text) -> float:
    """Return the size of letters in points."""
    return float(text.get_fontsize())


def time_axis(ax: Axes, low: float, high: float) -> None:
    """Make an x axis of seconds, with as many round ticks as have room."""
    ax.set_xlim(low, high)
    ax.xaxis.set_major_locator(round_ticks(max(2, min(5, int(breadth(ax) / _TICK["x"])))))
    unit_ticks(ax.xaxis, "s", like=high)


def log_axis(ax: Axes, axis: Literal["x", "y"], low: float, high: float, unit: str = "ns") -> None:
    """Make a logarithmic axis, with as many round ticks as have room."""
    ax.set(**{f"{axis}scale": "log"})
    named, room = (ax.xaxis, breadth(ax)) if axis == "x" else (ax.yaxis, points(ax)[1])
    if axis == "x":
        # Axes that share the axis may hold more
        others = [one for one in ax.get_shared_x_axes().get_siblings(ax) if one is not ax]
        drawn = [x for one in others for x in one.dataLim.intervalx if 0 < x < math.inf]
        low = min([low, *(x / _MARGIN for x in drawn)])
        high = max([_end_of_texts(ax, low, high, _LITTLE), *(x * _MARGIN for x in drawn)])
    ax.set(**{f"{axis}lim": (low, high)})
    most = max(2, int(room / _TICK[axis]))
    while _overlap(named, ticks := round_values(low, high, most), unit) and most > 1:
        most -= 1
    fixed_ticks(named, ticks, lambda value: tick(value, unit))


def round_values(low: float, high: float, most: int) -> list[float]:
    """Choose the ticks of a logarithmic axis: 1, 2, 5, 10, ..., or powers of ten, or some of these.

    Examples
    --------
    >>> round_values(90, 2100, 6)
    [100.0, 200.0, 500.0, 1000.0, 2000.0]
    >>> round_values(90, 2100, 4), round_values(90, 2e8, 4)
    ([100.0, 1000.0], [100.0, 10000.0, 1000000.0, 100000000.0])
    """
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    choices = [[factor * 10.0**power for power in powers for factor in (1, 2, 5)]]
    choices += [
        [10.0**power for power in powers if power % step == 0] for step in range(1, len(powers) + 1)
    ]
    # less than a decade wide
    choices.append([float(value) for value in round_ticks(min(most, 5)).tick_values(low, high)])
    for choice in choices:
        found = [value for value in choice if low <= value <= high]
        if 2 <= len(found) <= most:
            return found
    return found[:: max(1, -(-len(found) // most))]
