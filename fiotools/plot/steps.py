"""Sequences with their levels and the steps between them: runs and samples, commits and dates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from itertools import pairwise
from typing import Any

import matplotlib.dates
import numpy as np
import polars as pl
from matplotlib.axes import Axes
from narwhals.typing import IntoDataFrame

from fiotools import units
from fiotools.errors import SchemaError, argument
from fiotools.flags import flags_of
from fiotools.language import called, listed, say
from fiotools.plot import common, fit_text
from fiotools.plot.series import draw_steps, edges_of
from fiotools.stats import frames
from fiotools.stats.columns import Columns
from fiotools.stats.frames import Frame
from fiotools.stats.order import clock_of, sequence
from fiotools.stats.series import Series, sequences
from fiotools.stats.shifts import shifts as find_shifts
from fiotools.stats.summary import summarize

_DATES: Any = matplotlib.dates  # untyped in the stubs
_TOLERANCE = 1e-9
_NEEDED = (
    *("metric", "unit", "segment", "start", "n", "center", "ratio", "ratio_lo", "ratio_hi"),
    *("confidence", "verdict", "flags", "details"),
)
_BY_CHANCE = {
    "step up": "step up, or two levels by chance",
    "step down": "step down, or two levels by chance",
}
_FEW = {
    "too few runs": "too few runs: {n} of {of}",
    "too few samples": "too few samples: {n} of {of}",
}
_OTHERS = "shifts= is about other rows: give shifts() those that are drawn"
_TIMES = ("started_at", "reported_at")
_SPAN = 0.1  # of the median: the least that the axis spans
_ALONE, _HIGH, _LOW = 3.4, 2.2, 1.4  # inches of a panel: alone, one of four, one of more


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
    levels = _levels_of(shifts, series)
    ax = common.axes(ax, 7)
    edges = edges_of(series)
    colour, middles = common.PALETTE[0], (edges[1:] + edges[:-1]) / 2
    if "value" in data.columns:  # each sample as long as its time
        draw_steps(ax, edges, series.values, color=colour, linewidth=0.8, alpha=0.6)
    else:
        ax.plot(middles, series.values, "o", color=colour, markersize=6)
    names, top = [], float(series.values.max())
    for level in levels:
        first = level["start"] - 1
        left, right = float(edges[first]), float(edges[first + level["n"]])
        top = max(top, _draw_level(ax, level, left, right))
        is_step = level["ratio"] is not None
        text = _step(level) if is_step else units.human(level["center"], str(level["unit"]))
        names.append(((left + right) / 2, text))
    ax.set_xlim(float(edges[0]), float(edges[-1]))
    lines = common.name_steps(ax, names, 0.5)
    ax.set_ylim(0, top * (1.15 + 0.06 * lines) or 1)
    common.few_ticks(ax.yaxis, series.metric.unit, like=top)
    common.label_beside(ax, common.wording(series.metric.name))
    below = [say("line: level")]
    if interval := _interval(levels):
        below = [say("line: level; band: {interval} of its step", interval=interval)]
    below += frames.distinct(map(_said, levels))
    if series.timed:
        common.time_axis(ax, float(edges[0]), float(edges[-1]))
        common.label_below(ax, say("time since the start"), *below)
        return ax
    ax.xaxis.set_major_locator(common.round_ticks(6, integer=True))
    if order is not None:
        values = frames.values(data, order)
        names_at = {at: str(values[row]) for at, row in enumerate(series.rows, start=1)}
        if isinstance(values[0], str):
            common.name_columns(ax, [called(name) for name in names_at.values()], 1)
        else:
            ax.xaxis.set_major_formatter(lambda place, _: names_at.get(round(place), ""))
    common.label_below(ax, common.wording(order) if order else say("run, in order"), *below)
    return ax


def _levels_of(shifts: IntoDataFrame, series: Series) -> list[dict[str, Any]]:
    """Return the rows of the answer, if it is about this sequence."""
    found = common.records(common.answer(shifts, _NEEDED, "the answer of shifts()", ""))
    for level in found:
        values = series.values[level["start"] - 1 :][: level["n"]]
        # runs have the geometric mean, samples the arithmetic one
        inside = len(values) == level["n"] and (
            values.min() * (1 - _TOLERANCE) <= level["center"] <= values.max() * (1 + _TOLERANCE)
        )
        if level["metric"] != series.metric.name or not inside:
            raise SchemaError(_OTHERS)
    if sum(level["n"] for level in found) != len(series.values):
        raise SchemaError("shifts= is about a longer or a shorter sequence")
    return found


def _draw_level(ax: Axes, level: Mapping[str, Any], left: float, right: float) -> float:
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


def _interval(levels: Sequence[Mapping[str, Any]]) -> str:
    """Name the intervals of some steps by their confidence; empty if there is none."""
    found = frames.distinct(level["confidence"] for level in levels)
    return say("{confidence} interval", confidence=common.percent(found[0])) if found else ""


def _said(level: Mapping[str, Any]) -> str | None:
    """Say the verdict of a level."""
    told = {one.code: one.values for one in flags_of(level["flags"], level["details"])}
    verdict = level["verdict"]
    if verdict in ("step up", "step down") and "by-chance" in told:
        return say(_BY_CHANCE[verdict])
    return say(_FEW[verdict], **told["of-needed"]) if verdict in _FEW else verdict and say(verdict)


def _step(level: Mapping[str, Any]) -> str:
    """Write the ratio of a step with its interval."""
    text = f"×{units.human(level['ratio'], '')}"
    if level["ratio_lo"] is None:
        return text
    low, high = (units.human(level[end], "") for end in ("ratio_lo", "ratio_hi"))
    return f"{text} [{low}, {high}]"


def history(
    frame: IntoDataFrame,
    metric: str,
    *,
    x: str | None = None,
    by: str | Sequence[str] | None = None,
    shifts: IntoDataFrame | None = None,
    order: Sequence[Any] | None = None,
    ax: Axes | None = None,
) -> Any:
    """Draw a metric by commit, date or any other label that runs follow, with its steps.

    Every run is a point, and a line goes through the median of each commit. Thick lines are the
    levels between the change points that `fiotools.shifts` finds; a band is the interval of a step
    about its new level. The name of a step is the commit or date at which its level starts. The
    axis is zoomed to the runs; it spans at least 10 % of their median.

    Parameters
    ----------
    frame : pandas or polars frame
        One row per run.
    metric : str
        The column to draw.
    x : str, optional
        The column that runs follow; without it ``started_at`` or ``reported_at``. Dates lie on an
        axis of time, anything else at equal steps: numbers by size; texts by ``started_at`` or
        ``reported_at`` if the frame has them, else by their numbers if they differ in these alone,
        else as they come.
    by : str or sequence of str, optional
        Draw a panel for each combination of these columns, below each other.
    shifts : pandas or polars frame, optional
        The answer of `fiotools.shifts` for these runs, with ``order=x`` and ``by``. Without it, the
        steps are those of the medians.
    order : sequence, optional
        The values of `x` from left to right.
    ax : matplotlib.axes.Axes, optional
        Without `by`.

    Returns
    -------
    matplotlib.axes.Axes, or numpy.ndarray of them if `by` is given

    Raises
    ------
    SchemaError
        If nothing orders the runs, or `shifts` is about another metric or other values of `x`; and
        what `summarize` refuses.

    Examples
    --------
    >>> import pandas as pd
    >>> import fiotools as ft
    >>> runs = pd.DataFrame({
    ...     "commit": ["c0ffee", "badc0d", "5eed00", "fa11ed", "ab1e5a"],
    ...     "iops": [8916, 9037, 8910, 5814, 5703],
    ... })
    >>> ax = ft.plot.history(runs, "iops", x="commit")
    >>> [text.get_text() for text in ax.texts]
    ['fa11ed: ×0.643 [0.602, 0.687]']
    """
    columns = frames.names(by)
    if columns and ax is not None:
        raise SchemaError(f"{argument('by')} draws several panels: leave ax= out")
    table = common.opened(frame, metric, x, *columns)
    common.numbers(table, metric)
    axis = _Sequence(table, x, order)
    table = table[[row for row, one in enumerate(axis.values(table)) if one in axis.places]]
    told = frames.opened(summarize(table.to_native(), metric, by=[*columns, axis.name]))
    runs, medians = frames.groups(table, columns), frames.groups(told, columns)
    if ax is None:  # panels below each other, which share the axis of commits
        count = len(runs)
        high = 1.1 + (_ALONE if count == 1 else count * (_HIGH if count <= 4 else _LOW))
        axes = list(common.panels(count, 1, high, sharex=True)[:, 0])
    else:
        axes = [common.axes(ax, 0)]
    drawn: list[Mapping[str, Any]] = []
    for panel, cell in zip(axes, runs, strict=True):
        middles = told[medians[cell]]
        levels = (
            _found(middles, metric, axis)
            if shifts is None
            else _given(shifts, metric, axis, dict(zip(columns, cell, strict=True)))
        )
        _draw(panel, axis, table[runs[cell]], middles, levels, metric)
        drawn += levels
        if columns:
            common.title_panel(panel, cell, columns)
        if panel is not axes[-1]:
            panel.tick_params(labelbottom=False)
    legend = [say("points: runs")]
    if max(frames.values(told, "n")) > 1:
        legend.append(say("thin line: median"))
    legend.append(say("thick line: level"))
    if interval := _interval(drawn):
        legend.append(say("band: {interval} of its step", interval=interval))
    said = frames.distinct(map(_said, drawn))
    what = say("time of the run") if axis.name in _TIMES else common.wording(axis.name)
    common.label_below(axes[-1], what, listed(legend, "; "), listed(said, "; "))
    return np.asarray(axes) if columns else axes[0]


class _Sequence:
    """The values that runs follow, in order, and the place of each on the axis."""

    def __init__(self, table: Frame, name: str | None, order: Sequence[Any] | None) -> None:
        times = frames.present(table, _TIMES)
        full = (one for one in times if None not in frames.values(table, one))
        self.name = name or next(full, "")
        if not self.name:
            raise SchemaError(f"no column orders the runs: name a commit or date, {argument('x')}")
        listed = common.known(table, self.name)
        self.is_time = all(isinstance(value, date) for value in listed)
        ordered = common.levels(listed, order) if order else _in_order(table, self.name, listed)
        spots: Sequence[float] = range(len(ordered))
        if self.is_time:
            spots = [float(_DATES.date2num(value)) for value in ordered]
        self.places: dict[Any, float] = dict(zip(ordered, spots, strict=True))
        first, last = min(spots), max(spots)
        room = 0.02 * (last - first) or 0.5 if self.is_time else 0.5
        self.ends = first - room, last + room

    def values(self, table: Frame) -> list[Any]:
        return frames.values(table, self.name)

    def points(self, table: Frame, column: str) -> list[tuple[float, float]]:
        """Return the place and the number of each row that has one."""
        ys = frames.numbers(table, column)
        rows = zip(self.values(table), ys, strict=True)
        return [(self.places[value], y) for value, y in rows if y is not None]

    def before(self, value: Any) -> float:
        """Return the middle between a value and the one before it."""
        there = sorted(self.places.values())
        at = there.index(self.places[value])
        return (there[at - 1] + there[at]) / 2 if at else self.ends[0]

    def named(self, value: Any) -> str:
        """Name a value beside its step."""
        if self.is_time:
            return self._date(self.places[value])
        return called(str(value)) if isinstance(value, str) else units.level(value, self.name)

    def _date(self, day: float) -> str:
        """Write a date, with the time if the axis is short."""
        moment, (low, high) = _DATES.num2date(day), self.ends
        return f"{moment:%Y-%m-%d}" if high - low > 4 else f"{moment:%m-%d %H:%M}"

    def set_axis(self, ax: Axes) -> None:
        """Set the limits and as many ticks as have room."""
        ax.set_xlim(*self.ends)
        ax.grid(visible=False, axis="x")
        if self.is_time:
            most = max(2, int(common.points(ax)[0] / fit_text.width("2024-12-31", 10) / 1.5))
            ax.xaxis.set_major_locator(_DATES.AutoDateLocator(minticks=2, maxticks=most))
            ax.xaxis.set_major_formatter(lambda day, _: self._date(day))
            return
        common.name_columns(ax, [called(str(value)) for value in self.places], 0)


def _in_order(table: Frame, name: str, listed: Sequence[Any]) -> list[Any]:
    """Sort values as the runs were made, as far as anything tells."""
    found = frames.ordered(listed)
    if not all(isinstance(value, str) for value in found):
        return sorted(found)
    when = None if name in _TIMES else clock_of(Columns(table))
    if when is not None:
        first: dict[Any, int] = {}
        for value, moment in zip(listed, when.tolist(), strict=True):
            first[value] = min(moment, first.get(value, moment))
        return sorted(found, key=first.__getitem__)
    if (keys := sequence(found)) is not None:
        return [value for _, value in sorted(zip(keys, found, strict=True))]
    return found


def _found(middles: Frame, metric: str, axis: _Sequence) -> list[Mapping[str, Any]]:
    """Find the levels of the medians; a level starts at a value of the axis."""
    lists = zip(axis.values(middles), frames.values(middles, "median"), strict=True)
    own = sorted(lists, key=lambda one: axis.places[one[0]])
    data = pl.DataFrame({"place": range(len(own)), metric: [median for _, median in own]})
    answer = find_shifts(data, metric, order="place")
    return [{**level, "at": own[level["place"]][0]} for level in answer.to_dicts()]


def _given(
    shifts: IntoDataFrame, metric: str, axis: _Sequence, cell: Mapping[str, Any]
) -> list[Mapping[str, Any]]:
    """Return the levels of a panel as `fiotools.shifts` found them."""
    how = f" and by {list(cell)}" if cell else ""
    give = f"; call shifts() with the order {axis.name!r}{how}"
    table = common.answer(shifts, [*_NEEDED, axis.name, *cell], "the answer of shifts()", give)
    found = [level for level in common.records(table) if cell.items() <= level.items()]
    if not found or any(
        level["metric"] != metric or level[axis.name] not in axis.places for level in found
    ):
        raise SchemaError(_OTHERS)
    return [{**level, "at": level[axis.name]} for level in found]


def _draw(
    ax: Axes,
    axis: _Sequence,
    runs: Frame,
    middles: Frame,
    levels: Sequence[Mapping[str, Any]],
    metric: str,
) -> None:
    """Draw the runs of a panel, their medians and their levels."""
    xs, ys = zip(*axis.points(runs, metric), strict=True)
    medians = sorted(axis.points(middles, "median"))
    colour, size = common.PALETTE[0], 5 if len(axis.places) <= 60 else 3
    ax.plot(xs, ys, "o", markersize=size, markeredgewidth=0, alpha=0.6, color=colour)
    ax.plot(*zip(*medians, strict=True), color=colour, linewidth=0.8)
    starts = [axis.ends[0], *(axis.before(level["at"]) for level in levels[1:]), axis.ends[1]]
    reach = [*ys]
    for level, (left, right) in zip(levels, pairwise(starts), strict=True):
        reach.append(_draw_level(ax, level, left, right))
    axis.set_axis(ax)
    names = [
        (start, say("{name}: {text}", name=axis.named(level["at"]), text=_step(level)))
        for level, start in zip(levels[1:], starts[1:], strict=False)
        if level["ratio"] is not None
    ]
    _zoom(ax, min(reach), max(reach), common.name_steps(ax, names, 0))
    common.few_ticks(ax.yaxis, common.unit(metric), like=max(reach))
    common.label_beside(ax, common.wording(metric, short=True))


def _zoom(ax: Axes, low: float, high: float, lines: int) -> None:
    """Set the limits to the runs, with room above them for the names of the steps."""
    middle = (low + high) / 2
    half = max((high - low) / 2, _SPAN / 2 * abs(middle)) * 1.15 or 1
    bottom, top = middle - half, middle + half
    if low >= 0:
        bottom = max(0.0, bottom)
    room = min(0.6, (common.line_of(ax) * lines + 4) / common.points(ax)[1])
    ax.set_ylim(bottom, bottom + (top - bottom) / (1 - room))
