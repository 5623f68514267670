"""Repeats: every run as a point, with the interval of their middle."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from math import hypot, inf
from typing import TYPE_CHECKING, Any

from matplotlib.axes import Axes

from fiotools import units
from fiotools.language import listed, say
from fiotools.plot import common
from fiotools.stats import frames
from fiotools.stats.summary import summarize

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

_SIZE = 5  # points: a marker
ENOUGH = 6  # runs from which a median has an interval without assumptions


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
    metric : str
        The column to draw, in its base unit.
    y : str
        The column that names the rows.
    hue : str, optional
        The column that gives colour and marker.
    summary : pandas or polars frame, optional
        The answer of `summarize` for the same metric, by ``y`` (and ``hue``); made here if left
        out.
    order : sequence, optional
        The rows from top to bottom.
    ax : matplotlib.axes.Axes, optional

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
    told = common.summary_rows(summary, metric, y, hue)
    chart = common.chart(frame, metric, y, hue, order, ax, several=True)
    middle = "median" if min(frames.values(told, "n")) >= ENOUGH else "mean"
    middles = common.Middles(told, middle, y, hue)
    ax, edge, alone = chart.ax, 0.0, list[bool]()
    for one in chart.series:
        places: dict[float, list[float]] = {}
        for point in one.points:
            places.setdefault(point.place, []).append(point.value)
        for place, runs in places.items():
            name = chart.rows[round(place)]
            centre, low, high = middles[(name, one.name) if hue else (name,)]
            if low is not None and high is not None:
                ax.plot(
                    [low, high],
                    [place, place],
                    color=one.colour,
                    alpha=0.3,
                    linewidth=9,
                    solid_capstyle="butt",
                    zorder=2,
                )
            alone.append(len(runs) == 1)
            if not alone[-1]:
                ax.plot([centre] * 2, [place - 0.13, place + 0.13], color=one.colour, linewidth=2)
            right = max([*runs, high if high is not None else centre])
            edge = max(edge, right)
            common.write(ax, units.human(centre, chart.unit), right, place, one.colour)
    common.fit_texts(ax, chart.least, edge * 1.16 or 1)
    edges: Any = {"markeredgecolor": common.ground(ax), "markeredgewidth": 0.5}
    for one in chart.series:
        count = Counter(point.place for point in one.points)
        filled = [point for point in one.points if count[point.place] > 1]
        hollow = [point for point in one.points if count[point.place] == 1]
        if filled:
            common.mark(ax, _apart(ax, replace(one, points=filled)), hue, size=_SIZE, **edges)
        if hollow:
            own = None if filled else hue  # one entry in the legend
            ground = common.ground(ax)
            common.mark(ax, replace(one, points=hollow), own, size=_SIZE, filling=ground)
    common.few_ticks(ax.xaxis)
    confidence = common.confidence_of(told, middle)
    drawn = [say("points: runs, hollow: only one" if any(alone) else "points: runs")]
    if confidence and middle == "median":  # an order statistic covers more than asked
        words = "tick and bar: median, at least {confidence} interval"
        drawn.append(say(words, confidence=confidence))
    elif confidence:
        words = "tick and bar: mean, {confidence} interval"
        drawn.append(say(words, confidence=confidence))
    if all(alone):
        drawn = [say("one run each" if len(alone) > 1 else "one run")]
    label = say("{label} ({drawn})", label=common.wording(metric), drawn=listed(drawn, "; "))
    label = "\n".join([label, *chart.notes])
    common.unit_axis(ax, metric, label, like=edge)
    if hue:
        common.legend_below(ax)
    return ax


def _apart(ax: Axes, series: common.Series) -> common.Series:
    """Move points that would hide each other, up and down in turn."""
    wide, high = common.points(ax)
    low, right = ax.get_xlim()
    per_x, per_row = wide / (right - low), high / abs(ax.get_ylim()[1] - ax.get_ylim()[0])
    steps = [0, -1, 1, -2, 2]  # half a marker each
    moved, seen = list[common.Point](), dict[float, list[tuple[float, int]]]()
    for point in sorted(series.points, key=lambda point: point.value):
        x, near = point.value * per_x, seen.setdefault(point.place, [])
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
