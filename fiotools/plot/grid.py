"""A table of two conditions: a value, or the ratio of two sides, in each cell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm, Normalize

from fiotools import units
from fiotools.errors import SchemaError
from fiotools.language import say
from fiotools.plot import common, fit_text
from fiotools.plot.sweep import is_far, tick
from fiotools.stats import frames
from fiotools.stats.compare import settled
from fiotools.stats.frames import metric_of
from fiotools.stats.summary import summarize

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

_HIGH = 0.42  # inches for a row of cells


class _Cell(NamedTuple):
    """A cell: a value, its text, and whether its verdict is decided."""

    value: float
    text: str
    settled: bool


def grid(
    frame: IntoDataFrame,
    metric: str | None = None,
    *,
    x: str = "iodepth",
    y: str = "numjobs",
    ax: Axes | None = None,
) -> Axes:
    """Draw a value, or the ratio of two sides, for each combination of two conditions.

    Parameters
    ----------
    frame : pandas or polars frame
        One row per run, to draw their mean; or, without `metric`, the answer of `compare` or
        `speedup` by ``x`` and ``y``, to draw the ratio or speed-up of one level. Letters are pale
        if the verdict is undecided.
    metric : str, optional
        The column to draw.
    x, y : str
        The columns that name the columns and the rows of cells, numbers by size.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    SchemaError
        If a cell has rows of several kinds: levels, directions or other conditions.

    Examples
    --------
    >>> import pandas as pd
    >>> import fiotools as ft
    >>> runs = pd.DataFrame({
    ...     "iodepth": [1, 1, 16, 16], "numjobs": [1, 4, 1, 4], "iops": [9e3, 30e3, 78e3, 90e3],
    ... })
    >>> ax = ft.plot.grid(runs, "iops")
    >>> [text.get_text() for text in ax.texts]
    ['9,000', '78,000', '30,000', '90,000']
    """
    table = common.opened(frame, x, y, metric)
    cells = _ratios(table, x, y) if metric is None else _means(table, metric, x, y)
    columns, rows = (frames.ordered(one) for one in zip(*cells, strict=True))
    values = np.full((len(rows), len(columns)), np.nan)
    for (column, row), cell in cells.items():
        values[rows.index(row), columns.index(column)] = cell.value
    ax = common.axes(ax, _HIGH / common.ROW * len(rows))
    mesh = ax.pcolormesh(
        np.ma.masked_invalid(values),
        cmap=sns.color_palette("crest" if metric else _side_colours(table), as_cmap=True),
        norm=_norm(values, is_ratio=metric is None),
        edgecolors="white",
        linewidth=1.5,
    )
    ax.invert_yaxis()
    ax.grid(visible=False)
    for (column, row), cell in sorted(cells.items(), key=lambda one: rows.index(one[0][1])):
        pale = common.luminance(mesh.to_rgba(np.array(cell.value))) > common.PALE
        size = fit_text.fitting(cell.text, common.points(ax)[0] / len(columns) - 4)
        ax.text(
            columns.index(column) + 0.5,
            rows.index(row) + 0.5,
            cell.text,
            ha="center",
            va="center",
            color="black" if pale else "white",
            fontsize=size,
            alpha=1.0 if cell.settled else 0.55,
            fontstyle="normal" if cell.settled else "italic",
        )
    ax.set_yticks(
        np.arange(len(rows)) + 0.5, common.names_beside(ax, [_name(one, y) for one in rows])
    )
    named = common.names_below(ax, [_name(one, x) for one in columns])
    ax.set_xticks([at + 0.5 for at in named], list(named.values()))
    common.literal([*ax.get_xticklabels(), *ax.get_yticklabels()])
    common.label_beside(ax, common.condition(y))
    common.label_below(ax, common.condition(x), _what(table, metric, cells.values()))
    return ax


def _name(value: Any, column: str) -> str:
    """Name a column or row of cells; the axis says what its numbers are."""
    if isinstance(value, (int, float)):
        return tick(value, common.unit(column))
    return common.named(value, column)


def _means(table: frames.Frame, metric: str, x: str, y: str) -> dict[Any, _Cell]:
    """Return the mean of the runs in each cell."""
    told = frames.opened(summarize(table.to_native(), metric, by=[x, y]))
    means = [mean for mean in frames.values(told, "mean") if mean is not None]
    like = min(means) if means and not is_far(means) else None
    unit = common.unit(metric)
    return {
        place: _Cell(mean, common.tick(mean, unit, like), settled=True)
        for place, mean in zip(
            frames.keys_of(told, [x, y]), frames.values(told, "mean"), strict=True
        )
        if mean is not None
    }


def _ratios(table: frames.Frame, x: str, y: str) -> dict[Any, _Cell]:
    """Return the ratio of each cell of a comparison."""
    frames.need(table, ["ratio", "verdict", "baseline"])
    drawn = "speedup" if "speedup" in table.columns else "ratio"
    keys = frames.keys_of(table, [x, y])
    if len(set(keys)) < len(keys):
        raise SchemaError(
            f"several rows for one {x} and {y}: keep one level, or compare by these two alone"
        )
    lines = zip(keys, frames.numbers(table, drawn), frames.values(table, "verdict"), strict=True)
    found = {
        place: _Cell(ratio, common.factor(ratio), settled(verdict))
        for place, ratio, verdict in lines
        if ratio is not None
    }
    if not found:
        raise SchemaError("nothing to draw: no row has a ratio")
    return found


def _norm(values: Any, *, is_ratio: bool) -> Normalize:
    """Give each value its colour; 1 is the middle of ratios, and above and below are alike."""
    there = values[np.isfinite(values)]
    if is_ratio:
        far = max(1.1, *np.exp(np.abs(np.log(there))))
        return LogNorm(1 / far, far)
    least, most = float(there.min()), float(there.max())
    return LogNorm(least, most) if is_far(there) else Normalize(least, most)


def _side_colours(table: frames.Frame) -> str:
    """Name the colours of a ratio: blue is better, as everywhere."""
    is_less_better = metric_of(frames.values(table, "metric")[0]).sign < 0
    return "vlag" if is_less_better and "speedup" not in table.columns else "vlag_r"


def _what(table: frames.Frame, metric: str | None, cells: Any) -> str:
    """Say what stands in the cells."""
    if metric is not None:
        what = common.wording(metric, short=True)
        return say("in each cell: {what}, the mean of the runs", what=what)
    level = table.columns[table.columns.index("baseline") - 1]
    own, base = (frames.values(table, name)[0] for name in (level, "baseline"))
    own, base = units.sides(own, base, level)
    metric = frames.values(table, "metric")[0]
    said = say(
        "in each cell: {level} / {baseline}, {what}",
        level=own,
        baseline=base,
        what=common.wording(metric, short=True),
    )
    if all(cell.settled for cell in cells):
        return said
    return say("{said}; pale: undecided", said=said)
