"""What the drawing modules share: colours, rows, axes with units, and which rows go together."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import isinf
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import seaborn as sns
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgba
from matplotlib.gridspec import GridSpec, SubplotParams
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

from fiotools import units
from fiotools.errors import SchemaError
from fiotools.hints import argument, typed
from fiotools.language import called, listed, say
from fiotools.plot import fonts
from fiotools.stats import frames
from fiotools.stats.frames import Frame
from fiotools.stats.replicates import labels
from fiotools.vocabulary import COLUMNS, CONDITIONS, KEYS, STATISTICS

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

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
SMALL = 8.33  # points: letters of the size "small"
_LINE = 12  # points: the height of a line of small words
KINDS = ("quantity", "latency", "direction")  # rows that differ in these never add up
_LATENCIES = {"slat": "submission latency", "clat": "completion latency"}


def rc() -> Any:
    """Give `RC` with the fonts of the current language."""
    weight = RC["axes.titleweight"] if fonts.has_bold() else "normal"
    return {**RC, "font.family": fonts.family(), "axes.titleweight": weight}


def opened(frame: IntoDataFrame, *columns: str | None) -> Frame:
    """Open a frame that has rows and the columns asked for, or say what it lacks."""
    table = frames.opened(frame)
    frames.need(table, [column for column in columns if column is not None])
    return table


def known(frame: Frame, column: str) -> list[Any]:
    """Give a column that names or places what is drawn: nothing in it may be missing."""
    listed = frames.values(frame, column)
    if gaps := listed.count(None):
        pandas = frame.implementation.is_pandas_like()
        drop = typed(
            f".dropna(subset={column!r})" if pandas else f".drop_nulls({column!r})",
            "--drop-missing",
        )
        raise SchemaError(
            f"{column!r} is missing in {gaps} of {len(listed)} rows: leave them out, {drop}"
        )
    return listed


def numbers(frame: Frame, column: str, *, log: bool = False) -> list[float | None]:
    """Give a column to draw: some of it is there, and has a place on the axis."""
    listed = frames.numbers(frame, column)
    there = [value for value in listed if value is not None]
    if not there:
        raise SchemaError(f"nothing to draw: no row has a value of {column!r}")
    if any(isinf(value) for value in there):
        raise SchemaError(f"{column!r} is infinite in a row: leave it out")
    if log:
        above_zero(column, there)
    return listed


def above_zero(column: str, listed: Iterable[float]) -> None:
    """Refuse what has no place on a logarithmic axis."""
    if (least := min(listed, default=1)) <= 0:
        raise SchemaError(
            f"{column!r} is {least:g} in a row: a logarithmic axis needs values above zero"
        )


@dataclass(frozen=True)
class Point:
    """What is drawn of one row of the frame, and where."""

    place: float
    value: float
    row: int


@dataclass(frozen=True)
class Series:
    """The points of one colour."""

    name: Any
    colour: str
    marker: str
    points: list[Point]


@dataclass(frozen=True)
class Look:
    """What tells a line from the others."""

    colour: str
    marker: str
    line: Any  # matplotlib's stubs list the four as literals


def looks(names: Sequence[Any]) -> list[Look]:
    """Give each line a look of its own.

    Numbers go from light to dark. Names take the colours in turn; where these begin again, the
    markers and the strokes are others.
    """
    count = len(names)
    in_order = count > 2 and all(isinstance(name, (int, float)) for name in names)
    shades = sns.color_palette("flare", count).as_hex() if in_order else PALETTE
    return [
        Look(
            shades[at % len(shades)],
            MARKERS[(at + at // len(PALETTE)) % len(MARKERS)],
            "-" if in_order else LINES[at // len(PALETTE) % len(LINES)],
        )
        for at in range(count)
    ]


@dataclass(frozen=True)
class Chart:
    """A chart with a name per row, its series beside each other in a row."""

    ax: Axes
    table: Frame
    rows: list[Any]
    series: list[Series]
    unit: str


def chart(
    frame: IntoDataFrame,
    metric: str,
    y: str,
    hue: str | None,
    order: Sequence[Any] | None,
    ax: Axes | None,
    *,
    several: bool = False,
    log: bool = False,
) -> Chart:
    """Give each row of a frame its place, rows from the top; ``several`` may share one."""
    table = opened(frame, metric, y, hue)
    values, names = numbers(table, metric, log=log), known(table, y)
    kinds = known(table, hue) if hue else [None] * len(names)
    rows, found = levels(names, order), levels(kinds)
    step = 0.5 / len(found)
    series = [
        Series(
            name,
            PALETTE[at % len(PALETTE)],
            MARKERS[at % len(MARKERS)],
            [
                Point(rows.index(own) + (at - (len(found) - 1) / 2) * step, value, row)
                for row, (own, kind, value) in enumerate(zip(names, kinds, values, strict=True))
                if kind == name and own in rows and value is not None
            ],
        )
        for at, name in enumerate(found)
    ]
    if not any(one.points for one in series):
        raise SchemaError(
            f"nothing to draw: {metric!r} is missing in all rows of {argument('order')}"
        )
    if not several:
        _one_row_each(table, series)
    apart = 0.5 if several else 0.35
    ax = axes(ax, len(rows) * (1 + apart * (len(series) - 1)))
    name_rows(ax, [units.level(row, y) for row in rows])
    return Chart(ax, table, rows, series, unit(metric))


def _one_row_each(table: Frame, series: Sequence[Series]) -> None:
    """Refuse rows on top of each other, such as a total and its threads."""
    for one in series:
        places: dict[float, list[int]] = {}
        for point in one.points:
            places.setdefault(point.place, []).append(point.row)
        for rows in places.values():
            if len(rows) > 1:
                raise SchemaError(_crowd(table, rows))


def _crowd(table: Frame, rows: Sequence[int]) -> str:
    """Say which rows want one place, what tells them apart and how to keep one."""
    candidates = dict.fromkeys(["scope", "direction", *KEYS, *CONDITIONS, *labels(table)])
    apart = frames.differing(frames.columns(table, candidates), rows)
    shown = ", ".join(map(str, rows[:5])) + (", ..." if len(rows) > 5 else "")
    head = f"rows {shown} would be drawn at one place"
    several = f"{typed('plot.repeats', 'fiotools plot repeats')} draws several runs"
    part = next((column for column in apart if column not in ("source", "run")), None)
    if part is None:
        return f"{head}: {several}"
    listed = frames.values(table, part)
    there = frames.distinct(listed[row] for row in rows)
    keep = frames.to_type(table, part, "total" if "total" in there else there[0])
    return f"{head}; they differ in {', '.join(apart)}: keep one, {keep} ({several})"


def mark(ax: Axes, series: Series, hue: str | None, size: float = 7, **look: Any) -> None:
    """Draw the points of a series, one entry in the legend."""
    ax.plot(
        [point.value for point in series.points],
        [point.place for point in series.points],
        linestyle="none",
        marker=series.marker,
        markersize=size,
        color=series.colour,
        label=named(series.name, hue),
        zorder=5,
        **look,
    )


def write(
    ax: Axes, text: str, x: float, place: float, colour: str = "", *, left: bool = False
) -> None:
    """Write a value to the right of a point, or to its left."""
    ax.annotate(
        text,
        (x, place),
        xytext=(-8 if left else 8, 0),
        textcoords="offset points",
        va="center",
        ha="right" if left else "left",
        fontsize="small",
        color=colour or ink(ax),
        bbox=paper(ax),
        zorder=4,
    )


def paper(ax: Axes) -> dict[str, Any]:
    """Give the box that keeps lines from running through a text."""
    return {"facecolor": ground(ax), "edgecolor": "none", "pad": 0.8}


def ground(ax: Axes) -> str:
    """Give the colour behind what is drawn: that of the Axes, or of a figure without axes."""
    figure = ax.get_figure(root=True)
    behind = ax.get_facecolor() if ax.axison or figure is None else figure.get_facecolor()
    colour = to_hex(behind)
    return "white" if colour == "#ffffff" else colour


def ink(ax: Axes) -> str:
    """Give the colour of words: black, or white on a dark ground."""
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
    with look():
        return plt.subplots(figsize=(WIDTH, 1.5 + ROW * rows))[1]


def limit_x(ax: Axes, low: float, high: float) -> tuple[float, float]:
    """Set the limits of an x axis, which also hold what was drawn before on Axes that share it."""
    if not ax.get_autoscalex_on():
        low, high = min(low, ax.get_xlim()[0]), max(high, ax.get_xlim()[1])
    ax.set_xlim(low, high)
    return low, high


def keep_room(ax: Axes) -> None:
    """Let the figure keep room for what stands beside Axes, where nobody has arranged that.

    Without a layout engine, matplotlib lets words below and beside Axes run into their neighbours.
    """
    figure = ax.get_figure(root=True)
    if figure is None or figure.get_layout_engine() is not None:
        return
    as_it_comes = vars(figure.subplotpars) == vars(SubplotParams())
    places = [other.get_subplotspec() for other in figure.axes]
    # a grid within a grid is somebody's arrangement too, if only a colour bar's
    plain = all(place and isinstance(place.get_gridspec(), GridSpec) for place in places)
    if as_it_comes and plain:
        figure.set_layout_engine("constrained")


@contextmanager
def look() -> Iterator[None]:
    """Give new Axes the look of `style`, also for who did not call it.

    The first figure of a session loads the backend, and that of a notebook then switches on that
    figures are shown; a bare ``rc_context`` would switch it off again (matplotlib's issue 24351).
    """
    with mpl.rc_context({**sns.axes_style("whitegrid"), **rc()}):
        yield
        shown = mpl.is_interactive()
    mpl.interactive(shown)


def points(ax: Axes) -> tuple[float, float]:
    """Give the width and height of Axes in points, as they are before anything is drawn."""
    box, figure = ax.get_position(), ax.get_figure(root=True)
    width, height = figure.get_size_inches() if figure else (6.4, 4)
    return box.width * width * 72, box.height * height * 72


def levels(listed: Sequence[Any], order: Sequence[Any] | None = None) -> list[Any]:
    """Return distinct values in the order asked for; else numbers by size, others as they come."""
    found: list[Hashable] = frames.ordered(listed)
    if not order:
        return found
    chosen = [value for value in order if value in found]
    if not chosen:
        there = ", ".join(repr(value) for value in found[:5]) + (", ..." if found[5:] else "")
        raise SchemaError(f"{argument('order', list(order))} names nothing that is there: {there}")
    return chosen


def of_one_run(
    label: str, table: Frame, rows: Iterable[int] | None = None, *, below: bool = False
) -> str:
    """Add to an axis' label that each row is one run, where the frame says so.

    A frame says it with ``source`` and ``run``, or with an ``n`` of 1; ``below`` a label that has a
    legend beside it.
    """
    lists = frames.columns(table, ("source", "run", "n"))
    gaps = [None] * len(table)
    seen = list(zip(*(lists.get(name, gaps) for name in ("source", "run", "n")), strict=True))
    found = [seen[row] for row in (range(len(table)) if rows is None else rows)]
    if any(n != 1 if n is not None else None in (source, run) for source, run, n in found):
        return label
    alone = len(found) == 1 or (len(set(found)) == 1 and None not in found[0][:2])
    if below:
        return f"{label}\n{say('one run') if alone else say('one run each')}"
    return say("{label} (one run)" if alone else "{label} (one run each)", label=label)


def unit(column: str) -> str:
    """Give a column's base unit, if it is known."""
    return COLUMNS[column].unit if column in COLUMNS else ""


def unit_axis(ax: Axes, column: str, label: str, like: float | None = None) -> None:
    """Label the x axis; its ticks in the column's unit, with the prefix that ``like`` would get."""
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: tick(value, unit(column), like)))
    ax.set_xlabel(label, loc="left")  # the legend stands to its right


def end_labels(ax: Axes, ends: Sequence[tuple[float, float, str, str]]) -> None:
    """Write names (x, y, name, colour) at the ends of curves, apart from each other.

    To be called when the axes' limits are set.
    """
    height = points(ax)[1]
    scale, limits = ax.yaxis.get_transform(), ax.get_ylim()
    low, high = scale.transform(limits)
    ordered = sorted(ends, key=lambda end: end[1])
    wanted = [
        (float(scale.transform([y])[0]) - low) / (high - low) * height for _, y, _, _ in ordered
    ]
    places = list(wanted)
    for at in range(1, len(places)):
        places[at] = max(places[at], places[at - 1] + _LINE)
    top = max(height, wanted[-1]) if wanted else 0.0
    for at in reversed(range(len(places))):  # what was pushed out at the top comes down again
        places[at] = min(places[at], top)
        top = places[at] - _LINE
    for (x, y, name, colour), own, place in zip(ordered, wanted, places, strict=True):
        ax.annotate(
            name,
            (x, y),
            xytext=(8, place - own),
            textcoords="offset points",
            va="center",
            fontsize="small",
            color=colour,
        )


End = tuple[float, float, str, Look]  # of a line: x, y, its name and look


def name_lines(ax: Axes, ends: Sequence[End], hue: str) -> None:
    """Name lines at their ends; where there is no room, in a legend beside."""
    if len(ends) * _LINE <= points(ax)[1]:
        end_labels(ax, [(x, y, name, look.colour) for x, y, name, look in ends])
        return
    columns = -(-len(ends) * _LINE // points(ax)[1])
    ax.legend(
        handles=line_handles(ends),
        title=called(hue),
        loc="upper left",
        bbox_to_anchor=(1, 1),
        ncols=int(columns),
        fontsize="small",
        handlelength=2.6,
        alignment="left",
    )


def line_handles(ends: Iterable[End]) -> list[Line2D]:
    """Give the entries of a legend, in the order of the lines' right ends."""
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


def percent(share: float) -> str:
    """Write a share as a percentage, as the language in use does."""
    return say("{share} %", share=f"{100 * share:g}")


def round_ticks(most: int, *, integer: bool = False) -> MaxNLocator:
    """Give about so many steps of 1, 2, 5, 10, ..., and at least three ticks."""
    return MaxNLocator(most, steps=[1, 2, 5, 10], integer=integer, min_n_ticks=min(most, 3))


def few_ticks(axis: Any) -> None:
    """Set up to seven round ticks, as many as have room."""
    wide, high = points(axis.axes)
    room = wide / 60 if axis.axis_name == "x" else high / 22
    axis.set_major_locator(round_ticks(max(2, min(6, int(room)))))


def log_ticks(axis: Any, low: float, high: float) -> None:
    """Set the ticks 1, 2, 5, 10, ... of a logarithmic axis, fewer where it is long."""
    subs = (1.0, 2.0, 5.0) if high / low < 500 else (1.0,)
    axis.set_major_locator(LogLocator(subs=subs))
    axis.set_minor_locator(NullLocator())


def name_rows(ax: Axes, names: Sequence[Any]) -> None:
    """Name the rows of a chart, the first at the top."""
    ax.set_yticks(range(len(names)), [called(str(name)) for name in names])
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.grid(visible=False, axis="y")


def legend_below(ax: Axes, columns: int, lines: int = 1) -> None:
    """Put the legend under the axis at the right, beside its label or some lines below."""
    pad = 0.4 + 1.6 * lines
    ax.legend(loc="upper right", bbox_to_anchor=(1, 0), ncols=columns, borderaxespad=pad)


def wording(metric: str, *, short: bool = False) -> str:
    """Name a metric on an axis, in words; or in those before its first comma."""
    if metric not in COLUMNS:
        return metric
    words = COLUMNS[metric].meaning.rstrip(".")
    if short:
        words = words.partition(",")[0]
    return say(words if words.startswith("I/O") else words[0].lower() + words[1:])


def by_name(names: Sequence[Any]) -> dict[Any, list[int]]:
    """Give the rows that are drawn under each name."""
    found: dict[Any, list[int]] = {}
    for row, name in enumerate(names):
        found.setdefault(name, []).append(row)
    return found


def named(name: Any, hue: str | None) -> str:
    """Name what is drawn; a bare number says nothing: "thread 0"."""
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

    Parameters
    ----------
    names : sequence
        The name that each row is drawn under.
    what : str
        What shows one kind, such as ``"a heat map"``.
    hue : str, optional
        The column of the names.
    apart : sequence of str
        More columns that tell kinds apart.
    also : callable
        Gives another remedy for a column, or nothing.
    """
    own = [name for name in labels(table) if name not in STATISTICS]
    # in the order in which people would name them
    wanted = dict.fromkeys([*KINDS, *own, "scope", *reversed(KEYS), *apart])
    lists = frames.columns(table, [name for name in wanted if name != hue])
    for name, rows in by_name(names).items():
        for column in frames.differing(lists, rows)[:1]:
            listed = frames.distinct(lists[column][row] for row in rows)
            shown = ", ".join(map(str, listed[:5])) + (", ..." if len(listed) > 5 else "")
            keep = frames.to_type(table, column, "total" if "total" in listed else listed[0])
            whose = "" if hue is None else f" of {name!r}"
            raise SchemaError(
                f"rows{whose} differ in {column} ({shown}), and {what} shows one:"
                f" keep it, {keep}{also(column)}"
            )


def latency_of(table: Frame) -> str:
    """Name the latency of all rows, and their direction, as far as the frame knows."""
    found = frames.columns(table, ("latency", "direction"))
    kinds, ways = (frames.distinct(found.get(name, [])) for name in ("latency", "direction"))
    name = latency_name(kinds[0] if len(kinds) == 1 else None)
    return going(name, ways[0]) if len(ways) == 1 else name


def latency_name(kind: str | None) -> str:
    """Name a latency on an axis: slat, clat, or any."""
    return say(_LATENCIES.get(kind or "", "latency"))


def going(what: str, direction: str) -> str:
    """Add a direction to what goes that way."""
    return say("{what} ({direction})", what=what, direction=called(direction))


def summary_rows(summary: IntoDataFrame, metric: str, *keys: str | None) -> Frame:
    """Open what `summarize` said of a metric by some columns."""
    give = f"give summarize(frame, {metric!r}, by={[key for key in keys if key]})"
    table = opened(summary)
    if missing := {"metric", "n", "mean", "confidence"} - set(table.columns):
        raise SchemaError(f"not a summary: no column {', '.join(sorted(missing))}; {give}")
    if set(frames.values(table, "metric")) != {metric}:
        raise SchemaError(f"the summary is not of {metric!r}: {give}")
    frames.need(table, [key for key in keys if key])
    return table


class Middles:
    """The middle of each cell of a summary with its interval."""

    def __init__(self, summary: Frame, middle: str, *keys: str | None) -> None:
        self.keys = [key for key in keys if key]
        ends = (frames.values(summary, f"{middle}{end}") for end in ("", "_lo", "_hi"))
        self.ends = list(zip(*ends, strict=True))
        self.cells = frames.groups(summary, self.keys)

    def __getitem__(self, cell: tuple[Any, ...]) -> tuple[float, float | None, float | None]:
        rows = self.cells.get(cell, [])
        if len(rows) != 1:
            where = ", ".join(f"{k} {v!r}" for k, v in zip(self.keys, cell, strict=True))
            raise SchemaError(
                f"the summary has {len(rows) or 'no'} rows of {where}:"
                f" summarize the frame that is drawn, by={self.keys}"
            )
        return self.ends[rows[0]]


def confidence_of(summary: Frame, middle: str) -> str:
    """Give the confidence of a summary's intervals, or nothing if it has none."""
    if not frames.distinct(frames.values(summary, f"{middle}_lo")):
        return ""
    confidence = frames.distinct(frames.values(summary, "confidence"))
    return percent(confidence[0]) if confidence else ""


def interval_of(confidence: float) -> str:
    """Name an interval by its confidence."""
    return say("{confidence} interval", confidence=percent(confidence))
