"""A metric over commits, dates or releases, with the steps between its levels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import matplotlib.dates
import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter

from fiotools import units
from fiotools.errors import SchemaError, argument
from fiotools.language import called, listed, say
from fiotools.plot import common, fit_text
from fiotools.plot.shifts import NEEDED, draw_level, step
from fiotools.stats import frames
from fiotools.stats.frames import Frame
from fiotools.stats.replicates import moments, sortable
from fiotools.stats.shifts import shifts as find_shifts
from fiotools.stats.summary import summarize

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

_DATES: Any = matplotlib.dates  # untyped in the stubs
_TIMES = ("started_at", "reported_at")
_SPAN = 0.1  # of the median: the least that the axis spans
_ALONE, _HIGH, _LOW = 3.4, 2.2, 1.4  # inches of a panel: alone, one of four, one of more


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
    axis = _Sequence(table, x or _time_column(table), order)
    table = table[[row for row, one in enumerate(axis.values(table)) if one in axis.places]]
    told = frames.opened(summarize(table.to_native(), metric, by=[*columns, axis.name]))
    runs, medians = frames.groups(table, columns), frames.groups(told, columns)
    axes = _stacked(len(runs)) if ax is None else [common.axes(ax, 0)]
    said: dict[str, None] = {}
    confidence: dict[float, None] = {}
    for panel, cell in zip(axes, runs, strict=True):
        middles = told[medians[cell]]
        levels = (
            _levels(middles, metric, axis)
            if shifts is None
            else _given(shifts, metric, axis, dict(zip(columns, cell, strict=True)))
        )
        _draw(panel, axis, table[runs[cell]], middles, levels, metric)
        said |= dict.fromkeys(level["verdict"] for level in levels if level["verdict"])
        confidence |= dict.fromkeys(one for level in levels if (one := level["confidence"]))
        if columns:
            common.title_panel(panel, cell, columns)
        if panel is not axes[-1]:
            panel.tick_params(labelbottom=False)
    drawn = [say("points: runs")]
    if max(frames.values(told, "n")) > 1:
        drawn.append(say("thin line: median"))
    drawn.append(say("thick line: level"))
    if confidence:
        interval = common.interval_of(next(iter(confidence)))
        drawn.append(say("band: {interval} of its step", interval=interval))
    what = say("time of the run") if axis.name in _TIMES else common.wording(axis.name)
    common.label_below(axes[-1], what, listed(drawn, "; "), listed(said, "; "))
    return np.asarray(axes) if columns else axes[0]


def _time_column(table: Frame) -> str:
    """Find the column of times that is there in each row."""
    for name in frames.present(table, _TIMES):
        if None not in frames.values(table, name):
            return name
    raise SchemaError(f"no column orders the runs: name a commit or date, {argument('x')}")


class _Sequence:
    """The values that runs follow, in order, and the place of each on the axis."""

    def __init__(self, table: Frame, name: str, order: Sequence[Any] | None) -> None:
        self.name = name
        listed = common.known(table, name)
        self.is_time = all(isinstance(value, date) for value in listed)
        ordered = common.levels(listed, order) if order else _in_order(table, name, listed)
        spots: Sequence[float] = range(len(ordered))
        if self.is_time:
            spots = [float(_DATES.date2num(value)) for value in ordered]
        self.places: dict[Any, float] = dict(zip(ordered, spots, strict=True))

    def values(self, table: Frame) -> list[Any]:
        """Return the value of each row."""
        return frames.values(table, self.name)

    @property
    def ends(self) -> tuple[float, float]:
        """Where the axis begins and ends."""
        there = sorted(self.places.values())
        room = 0.02 * (there[-1] - there[0]) or 0.5 if self.is_time else 0.5
        return there[0] - room, there[-1] + room

    def before(self, value: Any) -> float:
        """Return the middle between a value and the one before it."""
        there = sorted(self.places.values())
        at = there.index(self.places[value])
        return (there[at - 1] + there[at]) / 2 if at else self.ends[0]

    def named(self, value: Any) -> str:
        """Name a value beside its step."""
        if self.is_time:
            return _date(self.places[value], self._days)
        return called(str(value)) if isinstance(value, str) else units.level(value, self.name)

    @property
    def _days(self) -> float:
        low, high = self.ends
        return high - low

    def set_axis(self, ax: Axes) -> None:
        """Set the limits and as many ticks as have room."""
        ax.set_xlim(*self.ends)
        ax.grid(visible=False, axis="x")
        if self.is_time:
            most = max(2, int(common.points(ax)[0] / fit_text.width("2024-12-31", 10) / 1.5))
            ax.xaxis.set_major_locator(_DATES.AutoDateLocator(minticks=2, maxticks=most))
            ax.xaxis.set_major_formatter(FuncFormatter(lambda day, _: _date(day, self._days)))
            return
        names = [called(str(value)) for value in self.places]
        kept = common.names_below(ax, names)
        ax.xaxis.set_major_locator(FixedLocator(list(kept)))
        ax.xaxis.set_major_formatter(FuncFormatter(lambda place, _: kept.get(round(place), "")))
        common.literal(ax.get_xticklabels())


def _in_order(table: Frame, name: str, listed: Sequence[Any]) -> list[Any]:
    """Sort values as the runs were made, as far as anything tells."""
    found = frames.ordered(listed)
    if not all(isinstance(value, str) for value in found):
        return sorted(found)
    when = None if name in _TIMES else moments(table)
    if when is not None:
        first: dict[Any, Any] = {}
        for value, moment in zip(listed, when, strict=True):
            first[value] = min(moment, first.get(value, moment))
        return sorted(found, key=first.__getitem__)
    if keys := sortable(found):
        return [value for _, value in sorted(zip(keys, found, strict=True))]
    return found


def _date(day: float, days: float) -> str:
    """Write a date, with the time if the axis is short."""
    moment = _DATES.num2date(day)
    return f"{moment:%Y-%m-%d}" if days > 4 else f"{moment:%m-%d %H:%M}"


def _stacked(count: int) -> list[Axes]:
    """Make panels below each other, which share the axis of commits."""
    high = 1.1 + (_ALONE if count == 1 else count * (_HIGH if count <= 4 else _LOW))
    return list(common.panels(count, 1, high, sharex=True)[:, 0])


def _levels(middles: Frame, metric: str, axis: _Sequence) -> list[Mapping[str, Any]]:
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
    table = common.opened(shifts)
    if missing := sorted({*NEEDED, axis.name, *cell} - {*table.columns}):
        raise SchemaError(
            f"not the answer of shifts(): no column {', '.join(missing)};"
            f" call shifts() with the order {axis.name!r}"
            + (f" and by {list(cell)}" if cell else "")
        )
    lists = {name: frames.values(table, name) for name in table.columns}
    found = [dict(zip(lists, row, strict=True)) for row in zip(*lists.values(), strict=True)]
    found = [level for level in found if cell.items() <= level.items()]
    if not found or any(
        level["metric"] != metric or level[axis.name] not in axis.places for level in found
    ):
        raise SchemaError("shifts= is about other rows: give shifts() those that are drawn")
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
    drawn = [
        (axis.places[value], y)
        for value, y in zip(axis.values(runs), frames.numbers(runs, metric), strict=True)
        if y is not None
    ]
    colour = common.PALETTE[0]
    ax.plot(
        *zip(*drawn, strict=True),
        linestyle="none",
        marker="o",
        markersize=5 if len(axis.places) <= 60 else 3,
        markeredgewidth=0,
        alpha=0.6,
        color=colour,
    )
    medians = sorted(
        (axis.places[value], y)
        for value, y in zip(axis.values(middles), frames.numbers(middles, "median"), strict=True)
        if y is not None
    )
    ax.plot(*zip(*medians, strict=True), color=colour, linewidth=0.8)
    starts = [axis.ends[0], *(axis.before(level["at"]) for level in levels[1:]), axis.ends[1]]
    reach = [y for _, y in drawn]
    for level, (left, right) in zip(levels, pairwise(starts), strict=True):
        reach.append(draw_level(ax, level, left, right))
    axis.set_axis(ax)
    names = [
        (start, say("{name}: {text}", name=axis.named(level["at"]), text=step(level)))
        for level, start in zip(levels[1:], starts[1:], strict=False)
        if level["ratio"] is not None
    ]
    _zoom(ax, min(reach), max(reach), common.name_steps(ax, names, 0))
    unit = common.unit(metric)
    common.few_ticks(ax.yaxis)
    high = max(reach)
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: common.tick(value, unit, high)))
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
