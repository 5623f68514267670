"""What the drawing modules share: colours, rows, axes with units."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import narwhals as nw
import pandas as pd
import seaborn as sns
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

from fiotools import units
from fiotools.vocabulary import COLUMNS

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "D", "^", "v", "P", "X")
GREY = "#6E6E6E"
WIDTH = 7.0  # inches: the column of an article
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


@dataclass(frozen=True)
class Series:
    """The points of one colour: where each stands, and which row of the frame it is."""

    name: Any
    colour: str
    marker: str
    points: list[tuple[float, int]]


def arrange(
    names: Sequence[Any], hues: Sequence[Any] | None, order: Sequence[Any] | None
) -> tuple[list[Any], list[Series]]:
    """Give each row of a frame its place: rows from the top, series beside each other in a row."""
    rows = levels(names, order)
    kinds = hues if hues is not None else [None] * len(names)
    found = levels(kinds)
    step = 0.5 / len(found) if found else 0.0
    series = [
        Series(
            name,
            PALETTE[at % len(PALETTE)],
            MARKERS[at % len(MARKERS)],
            [
                (rows.index(row) + (at - (len(found) - 1) / 2) * step, index)
                for index, (row, kind) in enumerate(zip(names, kinds, strict=True))
                if kind == name and row in rows
            ],
        )
        for at, name in enumerate(found)
    ]
    return rows, series


def mark(
    ax: Axes,
    series: Series,
    xs: Sequence[float],
    places: Sequence[float],
    hue: str | None,
    size: float = 7,
) -> None:
    """Draw the points of a series, one entry in the legend."""
    ax.plot(
        xs,
        places,
        linestyle="none",
        marker=series.marker,
        markersize=size,
        color=series.colour,
        # a bare number says nothing: "thread 0"
        label=series.name if isinstance(series.name, str) else f"{hue} {series.name}",
        zorder=5,
    )


def write(ax: Axes, text: str, x: float, place: float, colour: str = "black") -> None:
    """Write a value to the right of a point."""
    ax.annotate(
        text,
        (x, place),
        xytext=(8, 0),
        textcoords="offset points",
        va="center",
        fontsize="small",
        color=colour,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8},
        zorder=4,
    )


def axes(ax: Axes | None, rows: float) -> Axes:
    """Return the Axes given, or new ones on a figure high enough for the rows."""
    if ax is not None:
        return ax
    # the look of style(), also for who did not call it
    with mpl.rc_context({**sns.axes_style("whitegrid"), **RC}):
        return plt.subplots(figsize=(WIDTH, 1.5 + ROW * rows))[1]


def values(frame: IntoDataFrame, column: str) -> list[Any]:
    """Return a column as a list, missing values as None."""
    listed = nw.from_native(frame, eager_only=True)[column].to_list()
    return [None if pd.isna(value) else value for value in listed]


def levels(listed: Sequence[Any], order: Sequence[Any] | None = None) -> list[Any]:
    """Return distinct values in the order asked for, or in order of appearance."""
    found: list[Hashable] = list(dict.fromkeys(listed))
    return [value for value in order if value in found] if order else found


def unit_axis(ax: Axes, column: str, label: str, like: float | None = None) -> None:
    """Label the x axis; its ticks in the column's unit, with the prefix that ``like`` would get."""
    unit = COLUMNS[column].unit if column in COLUMNS else ""
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: tick(value, unit, like)))
    ax.set_xlabel(label, loc="left")  # the legend stands to its right


def end_labels(ax: Axes, ends: Sequence[tuple[float, float, str, str]]) -> None:
    """Write names (x, y, name, colour) at the ends of curves, apart from each other.

    To be called when the axes' limits are set.
    """
    figure = ax.get_figure(root=True)
    height = ax.get_position().height * (figure.get_size_inches()[1] if figure else 4) * 72
    scale, limits = ax.yaxis.get_transform(), ax.get_ylim()
    low, high = scale.transform(limits)
    above = float("-inf")
    for x, y, name, colour in sorted(ends, key=lambda end: end[1]):
        wanted = (float(scale.transform([y])[0]) - low) / (high - low) * height
        above = max(wanted, above + 12)  # points: the height of a line
        ax.annotate(
            name,
            (x, y),
            xytext=(8, above - wanted),
            textcoords="offset points",
            va="center",
            fontsize="small",
            color=colour,
        )


def tick(value: float, unit: str, like: float | None = None) -> str:
    """Write a tick: a human number without padding zeros."""
    if value == 0:
        return "0"
    text = units.human(value, unit, like=like).removesuffix(" /s" if unit == "1/s" else "\0")
    head, _, tail = text.partition(" ")
    if "." in head:
        head = head.rstrip("0").rstrip(".")
    return f"{head} {tail}".strip()


def few_ticks(axis: Any) -> None:
    """Ask for about five round ticks."""
    axis.set_major_locator(MaxNLocator(5))


def log_ticks(axis: Any, low: float, high: float) -> None:
    """Set the ticks 1, 2, 5, 10, ... of a logarithmic axis, fewer where it is long."""
    subs = (1.0, 2.0, 5.0) if high / low < 500 else (1.0,)
    axis.set_major_locator(LogLocator(subs=subs))
    axis.set_minor_locator(NullLocator())


def name_rows(ax: Axes, names: Sequence[Any]) -> None:
    """Name the rows of a chart, the first at the top."""
    ax.set_yticks(range(len(names)), [str(name) for name in names])
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.grid(visible=False, axis="y")


def legend_below(ax: Axes, columns: int, lines: int = 1) -> None:
    """Put the legend under the axis at the right, beside its label or some lines below."""
    pad = 0.4 + 1.6 * lines
    ax.legend(loc="upper right", bbox_to_anchor=(1, 0), ncols=columns, borderaxespad=pad)


def wording(metric: str) -> str:
    """Name a metric on an axis, in words."""
    if metric not in COLUMNS:
        return metric
    words = COLUMNS[metric].meaning.rstrip(".")
    return words if words.startswith("I/O") else words[0].lower() + words[1:]
