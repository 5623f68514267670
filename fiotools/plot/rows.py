"""Plots with a row for each thing measured: throughput, latency, timings, and repeated runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import hypot, inf, isfinite
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from narwhals.typing import IntoDataFrame

from fiotools import units
from fiotools.errors import SchemaError, argument, typed
from fiotools.language import called, listed, say
from fiotools.plot import common, fit_text
from fiotools.stats import frames
from fiotools.stats.replicates import labels
from fiotools.stats.summary import summarize
from fiotools.vocabulary import CONDITIONS, KEYS

_FAR = 1000  # times: what is shorter than the longest by that gets a unit of its own
_SEEN = 0.005  # of the longest bar
_SIZE = 5  # points: a marker


@dataclass(frozen=True)
class Point:
    """The value of one row of the frame and its place."""

    place: float
    value: float
    row: int


@dataclass(frozen=True)
class PointSeries:
    """The points of one colour."""

    name: Any
    look: common.Look
    points: list[Point]


class Chart:
    """A chart with a name per row, its series beside each other in a row.

    Each row of the frame gets its place, rows from the top; ``several`` may share one.
    """

    def __init__(
        self,
        frame: IntoDataFrame,
        metric: str,
        y: str,
        hue: str | None,
        order: Sequence[Any] | None,
        ax: Axes | None,
        *,
        several: bool = False,
        log: bool = False,
    ) -> None:
        self.metric, self.hue, self.unit, self.log = metric, hue, common.unit(metric), log
        self.table = common.opened(frame, metric, y, hue)
        values, names = common.numbers(self.table, metric, log=log), common.known(self.table, y)
        kinds = common.known(self.table, hue)
        self.rows, found = common.levels(names, order), common.levels(kinds)
        apart, share = (0.5, 0.5) if several else (0.35, 0.5)
        if len(found) > 2 and not several:  # each has a value beside it
            apart, share = 0.48, 0.8
        lists = list(enumerate(zip(names, kinds, values, strict=True)))
        drawn: list[list[Point]] = []
        for at, name in enumerate(found):
            aside = (at - (len(found) - 1) / 2) * share / len(found)
            points = [
                Point(self.rows.index(own) + aside, value, row)
                for row, (own, kind, value) in lists
                if kind == name and own in self.rows and value is not None
            ]
            drawn.append(points)
        self.points = [point for points in drawn for point in points]
        if not self.points:
            raise SchemaError(
                f"nothing to draw: {metric!r} is missing in all rows of {argument('order')}"
            )
        if not several:
            self._refuse_crowds()
        self.ax = common.axes(ax, len(self.rows) * (1 + apart * (len(found) - 1)))
        looks = (common.look_of(at, self.ax) for at in range(len(found)))
        self.series = list(map(PointSeries, found, looks, drawn))
        common.name_rows(self.ax, [units.level(row, y) for row in self.rows])
        gaps = sum(value is None and own in self.rows for _, (own, _, value) in lists)
        self.notes = [say("rows without a value: {n}", n=gaps)] if gaps else []

    def _refuse_crowds(self) -> None:
        """Refuse rows on top of each other, such as a total and its threads."""
        table = self.table
        candidates = dict.fromkeys(["scope", "direction", *KEYS, *CONDITIONS, *labels(table)])
        several = f"{typed('plot.repeats', 'fiotools plot repeats')} draws several runs"
        for points in frames.rows_by([(point.place,) for point in self.points]).values():
            rows = [self.points[at].row for at in points]
            if len(rows) == 1:
                continue
            head = f"rows {common.first_five(rows)} would be drawn at one place"
            apart = frames.differing(frames.columns(table, candidates), rows)
            parts = [column for column in apart if column not in ("source", "run")]
            if not parts:
                raise SchemaError(f"{head}: {several}")
            # groups of fio are best told by their jobs
            unsaid = {"entry", "group", "scope"} if "group" in parts else {"entry"}
            part = next((column for column in parts if column not in unsaid), parts[0])
            keep = common.keep_one(table, part, rows)
            raise SchemaError(
                f"{head}; they differ in {', '.join(apart)}: keep one, {keep} ({several})"
            )

    def mark(self, series: PointSeries, size: float = 7, filling: str = "", **more: Any) -> None:
        """Draw the points of a series, with an entry in the legend if the chart has colours."""
        look: Any = {"color": series.look.colour, "markerfacecolor": filling or series.look.colour}
        look["label"] = common.named(series.name, self.hue) if self.hue else ""
        self.ax.plot(
            [point.value for point in series.points],
            [point.place for point in series.points],
            series.look.marker,
            markersize=size,
            zorder=5,
            **{**look, **more},
        )

    def scale(self, low: float, high: float, like: float | None = None) -> None:
        """Set a logarithmic axis, or a linear one from zero or what is below it."""
        if self.log:
            common.log_axis(self.ax, "x", low, high, self.unit)
            return
        least = min(0.0, *(1.1 * point.value for point in self.points))
        common.fit_texts(self.ax, least, high or 1)
        common.few_ticks(self.ax.xaxis, self.unit, like)

    def label(self, text: str, spacing: Any = 1.4) -> None:
        """Label the axis, and explain the colours."""
        common.label_below(self.ax, text, *self.notes, spacing=spacing)
        if self.hue:
            common.legend_below(self.ax)

    def of_one_run(self, label: str, *, below: bool) -> str:
        """Add to the axis' label that each point is one run, if the frame says so."""
        drawn = [point.row for point in self.points]
        return common.of_one_run(label, self.table, drawn, below=below)


def throughput(
    frame: IntoDataFrame,
    metric: str = "bw_bytes_per_s",
    *,
    y: str,
    hue: str | None = None,
    order: Sequence[Any] | None = None,
    ceilings: Mapping[str, float] | None = None,
    log: bool = False,
    ax: Axes | None = None,
) -> Axes:
    """Draw a metric as one point per row, with the value written beside it.

    Parameters
    ----------
    frame : pandas or polars frame
        One row per point; `repeats` draws several runs.
    metric : str
        The column to draw, in its base unit.
    y : str
        The column that names the rows.
    hue : str, optional
        The column that gives colour and marker.
    order : sequence, optional
        The rows from top to bottom; in order of appearance by default.
    ceilings : mapping of str to float, optional
        Limits to draw as lines, in the metric's base unit, each with its name.
    log : bool
        Draw a logarithmic axis; a linear one begins at 0.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    SchemaError
        If several rows have the same place, such as a total and its threads.

    Examples
    --------
    >>> import fiotools as ft
    >>> io = ft.read("data/wsl-vhdx/{drive}_{mount}_{operation}.txt").io
    >>> ax = ft.plot.throughput(io[io.drive == "f"], y="mount", hue="operation", log=True)
    >>> len(ax.get_yticks())
    3
    """
    chart = Chart(frame, metric, y, hue, order, ax, log=log)
    ax, limits = chart.ax, ceilings or {}
    for name, limit in limits.items():
        if not (isfinite(limit) and (limit > 0 or not log)):
            raise SchemaError(f"the limit {name!r} is {limit:g}, which has no place on the axis")
    present = [*(point.value for point in chart.points), *limits.values()]
    for one in chart.series:
        for point in one.points:
            if not log:
                stem: Any = {"color": one.look.colour, "lw": 2, "alpha": 0.35}
                ax.plot([0, point.value], [point.place] * 2, **stem)
        chart.mark(one)
    ends = min(present) / 1.6, max(present) * (2.4 if log else 1.18)
    chart.scale(*ends)
    for one in chart.series:
        for point in one.points:
            text = units.human(point.value, chart.unit)
            left = _would_cross(ax, text, point.value, limits.values())
            common.write(ax, text, point.value, point.place, one.look.colour, left=left)
    chart.scale(*ends)  # the texts may need more room
    chart.label(chart.of_one_run(common.wording(metric), below=bool(hue)))
    if limits:
        named: dict[float, list[str]] = {}
        for label, limit in limits.items():
            named.setdefault(limit, []).append(called(label))
        lines = {
            limit: say("{name}: {text}", name=listed(names), text=units.human(limit, chart.unit))
            for limit, names in named.items()
        }
        common.name_limits(ax, lines)
    return ax


def _would_cross(ax: Axes, text: str, x: float, limits: Iterable[float]) -> bool:
    """Say whether a text to the right of a point would lie on a line, and to its left would not."""
    wide, all_wide = fit_text.width(text, common.small(ax)) + 12, common.points(ax)[0]
    at, *lines = (common.along(ax.xaxis, value) * all_wide for value in (x, *limits))
    right = any(at <= line <= at + wide for line in lines)
    return right and at > wide and not any(at - wide <= line <= at for line in lines)


def latency(
    frame: IntoDataFrame,
    metric: str = "lat_mean_ns",
    *,
    y: str,
    hue: str | None = None,
    spread: str | tuple[str, str] | None = "lat_stddev_ns",
    log: bool = False,
    order: Sequence[Any] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw mean latencies, with the spread of the single I/Os as bars.

    The bars are one standard deviation to each side, or reach from one column to another. They
    show the spread of I/Os within a run, not an interval of the mean.

    Parameters
    ----------
    frame, metric, y, hue, log, order, ax
        As in `throughput`.
    spread : str, (str, str) or None
        The column with the standard deviation, or those with both ends of the bars, such as
        ``("lat_min_ns", "lat_max_ns")``.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    SchemaError
        If several rows have the same place, such as a total and its threads.

    Examples
    --------
    >>> import fiotools as ft
    >>> io = ft.read("data/dda-vhdx/xml/{volume}.xml").io
    >>> threads = ft.per_thread(io, by="volume").query("direction == 'total'")
    >>> ax = ft.plot.latency(threads, y="volume", hue="thread")
    >>> print(ax.get_xlabel())
    latency (mean ± standard deviation)
    one run each
    """
    chart = Chart(frame, metric, y, hue, order, ax, log=log)
    if chart.unit not in ("ns", ""):
        draws = typed("plot.throughput", "fiotools plot throughput")
        raise SchemaError(f"{metric!r} is not a latency: {draws} draws it")
    ax, ends = chart.ax, _ends(chart, spread)
    drawn = [value for point in chart.points for value in (*ends[point.row], point.value)]
    edge, least = max(drawn), min((value for value in drawn if value > 0), default=1.0)
    begin = least / 1.3 if log else 0.0
    for one in chart.series:
        for point in one.points:
            low, high = ends[point.row]
            bar = max(begin, low), high  # a latency is never negative
            look: Any = {"color": one.look.colour, "alpha": 0.35, "linewidth": 5}
            ax.plot(bar, [point.place] * 2, solid_capstyle="butt", **look)
            like = edge if not log and point.value * _FAR > edge else None
            text = units.human(point.value, "ns", like=like)
            if isinstance(spread, tuple):
                text = say("mean {value}", value=text)
            if isinstance(spread, str) and high > point.value:
                number, _, unit = text.partition(" ")
                decimals, width = len(number.partition(".")[2]), high - point.value
                text = f"{number} ± {width / units.factor(unit, 'ns'):.{decimals}f} {unit}"
            common.write(ax, text, max(high, point.value), point.place, one.look.colour)
        chart.mark(one)
    chart.scale(begin, edge * ((edge / least) ** 0.22 if log else 1.22), like=edge)
    label = chart.of_one_run(_label(spread, cut=min(drawn) < 0), below=bool(spread or hue))
    chart.label(label, spacing="normal" if log else 1.4)
    return ax


def _ends(chart: Chart, spread: str | tuple[str, str] | None) -> dict[int, tuple[float, float]]:
    """Give where the bar of each point begins and ends, by its row of the frame."""
    if isinstance(spread, str):
        widths = common.finite(chart.table, spread)
        pairs = [(point, widths[point.row] or 0.0) for point in chart.points]
        return {point.row: (point.value - width, point.value + width) for point, width in pairs}
    lows, highs = (common.finite(chart.table, name) for name in spread or [chart.metric] * 2)
    if spread and chart.log:
        common.above_zero(spread[0], frames.distinct(lows))
    found = {}
    for point in chart.points:  # a bar without an end ends at the mean
        ends = (lows[point.row], highs[point.row])
        low, high = (point.value if end is None else end for end in ends)
        found[point.row] = low, high
    return found


def _label(spread: str | tuple[str, str] | None, *, cut: bool) -> str:
    if spread is None:
        return say("mean latency")
    if isinstance(spread, str):
        cut_at_zero = "latency (mean ± standard deviation, cut at 0)"
        return say(cut_at_zero if cut else "latency (mean ± standard deviation)")
    if all(name.endswith(end) for name, end in zip(spread, ("_min_ns", "_max_ns"), strict=True)):
        return say("latency (point: mean; bar: fastest to slowest I/O)")
    low, high = (common.wording(name, short=True) for name in spread)
    return say("latency (point: mean; bar: {low} to {high})", low=low, high=high)


def timings(
    frame: IntoDataFrame,
    *,
    y: str,
    order: Sequence[Any] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw where wall time went: user CPU, system CPU, and the rest, which is waiting.

    Several processors may take more CPU time than the clock shows: the bar is then longer than wall
    time, and a line in it marks the wall time.

    Parameters
    ----------
    frame : pandas or polars frame
        ``real_s``, ``user_s``, ``sys_s``: one row per bar.
    y : str
        The column that names the bars.
    order : sequence, optional
        The bars from top to bottom.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    SchemaError
        If a bar is named more than once.

    Examples
    --------
    >>> import fiotools as ft
    >>> t = ft.read("data/page-cache/{cache}.txt").timings
    >>> ax = ft.plot.timings(t, y="cache", order=["before", "after"])
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['before', 'after']
    """
    table = common.opened(frame, y, "real_s", "user_s", "sys_s")
    names = common.known(table, y)
    rows = common.levels(names, order)
    if len(set(names)) != len(names):
        several = typed("plot.repeats", "fiotools plot repeats")
        raise SchemaError(
            f"{y!r} names a bar more than once: name what tells the bars apart with "
            f"{argument('y')} ({several} draws several runs)"
        )
    common.numbers(table, "real_s")  # that they are numbers, and some are there
    at = [names.index(row) for row in rows]
    reals = np.array(common.known(table, "real_s"), dtype=np.float64)
    users, systems = (
        np.array([time or 0.0 for time in frames.numbers(table, name)])
        for name in ("user_s", "sys_s")
    )
    for name, times in (("real_s", reals), ("user_s", users), ("sys_s", systems)):
        if (least := times[at].min()) < 0:
            raise SchemaError(f"{name!r} is {least:g} in a row: times are not negative")
    longest = float(max(*reals, *(users + systems)))
    ax = common.axes(ax, len(rows))
    parts = (
        # told apart in greyscale too: dark, middle, light
        (say("user CPU"), common.PALETTE[0], users),
        (say("system CPU"), common.PALETTE[4], systems),
        (say("waiting"), "#DDDDDD", np.maximum(0.0, reals - users - systems)),
    )
    left = np.zeros(len(rows))
    for label, colour, times in parts:
        # a part that is too short to be seen is not explained
        shown = label if times[at].max() > longest * _SEEN else None
        ax.barh(range(len(rows)), times[at], left=left, height=0.6, color=colour, label=shown)
        left = left + times[at]
    over = _write_times(ax, reals[at].tolist(), left.tolist(), longest)
    common.name_rows(ax, [units.level(row, y) for row in rows])
    common.fit_texts(ax, 0, longest * (1.24 if over else 1.12) or 1)
    common.few_ticks(ax.xaxis, "s", like=longest)
    label = say("wall time, to the black line where CPU time is more") if over else say("wall time")
    common.label_below(ax, common.of_one_run(label, table, at, below=True))
    common.legend_below(ax)
    return ax


def _write_times(ax: Axes, walls: Sequence[float], ends: Sequence[float], longest: float) -> bool:
    """Write wall time beside each bar, and mark its end where CPU time is more; say if it is."""
    over = False
    for place, (wall, end) in enumerate(zip(walls, ends, strict=True)):
        text = units.human(wall, "s", like=longest)
        if end - wall > longest * _SEEN:
            over = True
            ax.vlines(wall, place - 0.3, place + 0.3, colors=common.ink(ax), linewidths=1.6)
            text = say("{wall}, CPU {cpu}", wall=text, cpu=units.human(end, "s", like=longest))
        common.write(ax, text, max(wall, end), place)
    return over


def repeats(
    frame: IntoDataFrame,
    metric: str,
    *,
    y: str,
    hue: str | None = None,
    summary: IntoDataFrame | None = None,
    order: Sequence[Any] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw each run as a point, and under the points the interval of their middle.

    Points that would hide each other are moved up or down.

    The interval is that of the mean below six runs and of the median from six on; the axis says
    which. A single run is a hollow point without an interval.

    Parameters
    ----------
    frame : pandas or polars frame
        One row per run.
    metric, y, hue, order, ax
        As in `throughput`.
    summary : pandas or polars frame, optional
        The answer of `summarize` for the same metric, by ``y`` (and ``hue``); made here if left
        out.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    SchemaError
        If the summary is of another metric, or of other rows.

    Examples
    --------
    >>> import pandas as pd
    >>> import fiotools as ft
    >>> runs = pd.DataFrame({"mount": ["9p"] * 3 + ["virtiofs"] * 3, "iops": range(100, 106)})
    >>> ft.plot.repeats(runs, "iops", y="mount").get_xlabel()
    'I/Os per second (points: runs; tick and bar: mean, 95 % interval)'
    """
    if summary is None:
        summary = summarize(frame, metric, by=[key for key in (y, hue) if key])
    middles = common.Middles(summary, metric, y, hue, medians=True)
    chart = Chart(frame, metric, y, hue, order, ax, several=True)
    ax, edge = chart.ax, 0.0
    runs = Counter(point.place for point in chart.points)
    for one in chart.series:
        for place in dict.fromkeys(point.place for point in one.points):
            name = chart.rows[round(place)]
            centre, low, high = middles[(name, one.name) if hue else (name,)]
            colour = one.look.colour
            if low is not None and high is not None:
                bar: Any = {"linewidth": 9, "alpha": 0.3, "solid_capstyle": "butt"}
                ax.plot([low, high], [place] * 2, color=colour, zorder=2, **bar)
            if runs[place] > 1:
                ax.plot([centre] * 2, [place - 0.13, place + 0.13], color=colour, linewidth=2)
            end = high if high is not None else centre
            right = max(end, *(point.value for point in one.points if point.place == place))
            edge = max(edge, right)
            common.write(ax, units.human(centre, chart.unit), right, place, colour)
    chart.scale(0.0, edge * 1.16, like=edge)
    for one in chart.series:
        filled = [point for point in one.points if runs[point.place] > 1]
        hollow = [point for point in one.points if runs[point.place] == 1]
        ground = common.ground(ax)
        look: Any = {"size": _SIZE, "markeredgecolor": ground, "markeredgewidth": 0.5}
        if filled:
            chart.mark(_apart(ax, replace(one, points=filled)), **look)
        if hollow:
            own = {"label": ""} if filled else {}  # one entry in the legend
            chart.mark(replace(one, points=hollow), size=_SIZE, filling=ground, **own)
    bars = "tick and bar: mean, {confidence} interval"
    if middles.middle == "median":
        bars = "tick and bar: median, at least {confidence} interval"  # of an order statistic
    drawn = listed(middles.drawn(runs, bars), "; ")
    chart.label(say("{label} ({drawn})", label=common.wording(metric), drawn=drawn))
    return ax


def _apart(ax: Axes, series: PointSeries) -> PointSeries:
    """Move points that would hide each other, up and down in turn."""
    wide, high = common.points(ax)
    per_row = high / abs(ax.get_ylim()[1] - ax.get_ylim()[0])
    steps = [0, -1, 1, -2, 2]  # half a marker each
    moved, seen = list[Point](), dict[float, list[tuple[float, int]]]()
    for point in sorted(series.points, key=lambda point: point.value):
        x, near = common.along(ax.xaxis, point.value) * wide, seen.setdefault(point.place, [])
        free = [
            step
            for step in steps
            if all(hypot(x - px, (step - py) * _SIZE / 2) >= _SIZE for px, py in near)
        ]
        last = {one: max((px for px, py in near if py == one), default=-inf) for one in steps}
        step = free[0] if free else min(steps, key=lambda one: last[one])
        near.append((x, step))
        moved.append(replace(point, place=point.place + step * _SIZE / 2 / per_row))
    return replace(series, points=moved)
