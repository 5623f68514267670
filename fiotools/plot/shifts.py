"""A sequence of runs or samples with its levels and the steps between them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from fiotools import units
from fiotools.errors import SchemaError
from fiotools.language import say
from fiotools.plot import common
from fiotools.stats import frames
from fiotools.stats.series import Series, sequences

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

_TOLERANCE = 1e-9
NEEDED = (
    *("metric", "unit", "segment", "start", "n", "center", "ratio", "ratio_lo", "ratio_hi"),
    *("confidence", "verdict"),
)


def shifts(
    frame: IntoDataFrame,
    metric: str | None = None,
    *,
    shifts: IntoDataFrame,
    order: str | None = None,
    round_s: float | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw one sequence with its levels; the interval of each step is a band about its new level.

    Parameters
    ----------
    frame : pandas or polars frame
        Runs or samples of one sequence, as they were passed to `fiotools.shifts`.
    metric : str, optional
        The column to draw, or which quantity.
    shifts : pandas or polars frame
        The answer of `fiotools.shifts` for them.
    order, round_s : optional
        As they were passed to `fiotools.shifts`.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    SchemaError
        If there are several sequences, or the answer is about another one.

    Examples
    --------
    >>> import pandas as pd
    >>> import fiotools as ft
    >>> reads = pd.DataFrame({"round": [1, 2, 3, 4, 5], "iops": [5814, 5703, 8916, 9037, 8910]})
    >>> told = ft.shifts(reads, "iops", order="round")
    >>> ax = ft.plot.shifts(reads, "iops", shifts=told, order="round")
    >>> ax.texts[1].get_text()
    '×1.56 [1.46, 1.66]'
    """
    data, several, _ = sequences(frame, metric, (), round_s, order)
    if len(several) != 1:
        raise SchemaError(f"{len(several)} sequences are in the frame: draw one at a time")
    series = several[0]
    levels = _levels(shifts, series)
    ax = common.axes(ax, 7)
    edges = np.concatenate([[0.0], np.cumsum(series.widths)]) + (0 if series.timed else 0.5)
    _draw(ax, series, edges, runs="value" not in data.columns)
    top, confidence = float(series.values.max()), None
    for level in levels:
        first = level["start"] - 1
        left, right = float(edges[first]), float(edges[first + level["n"]])
        top = max(top, draw_level(ax, level, left, right))
        confidence = confidence or level["confidence"]
    ax.set_xlim(float(edges[0]), float(edges[-1]))
    lines = _name(ax, levels, edges)
    ax.set_ylim(0, top * (1.15 + 0.06 * lines) or 1)
    common.few_ticks(ax.yaxis)
    unit = series.metric.unit
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: common.tick(value, unit, top)))
    common.label_beside(ax, common.wording(series.metric.name))
    below = [say("line: level")]
    if confidence is not None:
        below = [
            say(
                "line: level; band: {interval} of its step", interval=common.interval_of(confidence)
            )
        ]
    below += frames.distinct(level["verdict"] for level in levels)
    if series.timed:
        common.time_axis(ax, float(edges[0]), float(edges[-1]))
        common.label_below(ax, say("time since the start"), *below)
        return ax
    ax.xaxis.set_major_locator(common.round_ticks(6, integer=True))
    if order is not None:
        names = [str(one) for one in frames.values(data, order)]
        ax.xaxis.set_major_formatter(FuncFormatter(lambda place, _: _called(series, names, place)))
    common.label_below(ax, common.wording(order) if order else say("run, in order"), *below)
    return ax


def _levels(shifts: IntoDataFrame, series: Series) -> list[dict[str, Any]]:
    """Return the rows of the answer, if it is about this sequence."""
    table = common.opened(shifts)
    if missing := sorted({*NEEDED} - {*table.columns}):
        raise SchemaError(f"not the answer of shifts(): no column {', '.join(missing)}")
    lists = {name: frames.values(table, name) for name in table.columns}
    found = [dict(zip(lists, row, strict=True)) for row in zip(*lists.values(), strict=True)]
    for level in found:
        values = series.values[level["start"] - 1 :][: level["n"]]
        # runs have the geometric mean, samples the arithmetic one
        inside = len(values) == level["n"] and (
            values.min() * (1 - _TOLERANCE) <= level["center"] <= values.max() * (1 + _TOLERANCE)
        )
        if level["metric"] != series.metric.name or not inside:
            raise SchemaError("shifts= is about other rows: give shifts() those that are drawn")
    if sum(level["n"] for level in found) != len(series.values):
        raise SchemaError("shifts= is about a longer or a shorter sequence")
    return found


def _draw(ax: Axes, series: Series, edges: np.ndarray, *, runs: bool) -> None:
    """Draw runs as points, and each sample as long as its time."""
    colour = common.PALETTE[0]
    if runs:
        middles = (edges[1:] + edges[:-1]) / 2
        ax.plot(middles, series.values, linestyle="none", marker="o", markersize=6, color=colour)
        return
    ends = np.append(series.values, series.values[-1])
    ax.plot(edges, ends, drawstyle="steps-post", color=colour, linewidth=0.8, alpha=0.6)


def draw_level(ax: Axes, level: Mapping[str, Any], left: float, right: float) -> float:
    """Draw a level with the interval of its step; return the top."""
    colour, high = common.PALETTE[1], level["center"]
    if level["ratio_lo"] is not None:
        before = level["center"] / level["ratio"]
        low, high = before * level["ratio_lo"], before * level["ratio_hi"]
        ax.fill_between([left, right], low, high, color=colour, alpha=0.25, linewidth=0, zorder=1)
    ax.plot([left, right], [level["center"]] * 2, color=colour, linewidth=2, zorder=4)
    if level["segment"] > 1:
        ax.axvline(left, color="#808080", linewidth=1, linestyle=(0, (2, 2)), zorder=1)
    return float(high)


def _name(ax: Axes, levels: list[dict[str, Any]], edges: np.ndarray) -> int:
    """Write the value of each level, or its step, above it; return in how many lines."""
    names = []
    for level in levels:
        text = units.human(level["center"], str(level["unit"]))
        if level["ratio"] is not None:
            text = step(level)
        first = level["start"] - 1
        names.append((float(edges[first] + edges[first + level["n"]]) / 2, text))
    return common.name_steps(ax, names, 0.5)


def step(level: Mapping[str, Any]) -> str:
    """Write the ratio of a step with its interval."""
    text = f"×{units.human(level['ratio'], '')}"
    if level["ratio_lo"] is None:
        return text
    low, high = (units.human(level[end], "") for end in ("ratio_lo", "ratio_hi"))
    return f"{text} [{low}, {high}]"


def _called(series: Series, names: list[str], place: float) -> str:
    """Name a run by the column that orders them."""
    at = round(place) - 1
    return names[series.rows[at]] if 0 <= at < len(series.rows) and place == at + 1 else ""
