"""Repeats: every run as a point, with the interval of their middle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from matplotlib.axes import Axes

from fiotools import units
from fiotools.language import listed, say
from fiotools.plot import common
from fiotools.stats import frames
from fiotools.stats.summary import summarize

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

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
        filled = [point for point in one.points if len(places[point.place]) > 1]
        hollow = [point for point in one.points if len(places[point.place]) == 1]
        if filled:
            common.mark(ax, replace(one, points=filled), hue, size=5)
        if hollow:
            own = None if filled else hue  # one entry in the legend
            common.mark(ax, replace(one, points=hollow), own, size=5, filling=common.ground(ax))
    common.fit_texts(ax, chart.least, edge * 1.16 or 1)
    common.few_ticks(ax.xaxis)
    interval = common.interval_words(told, middle)
    drawn = [say("points: runs, hollow: only one" if any(alone) else "points: runs")]
    if interval and middle == "median":  # an order statistic covers more than asked
        drawn.append(say("tick and bar: median, at least {interval}", interval=interval))
    elif interval:
        drawn.append(say("tick and bar: mean, {interval}", interval=interval))
    if all(alone):
        drawn = [say("one run each" if len(alone) > 1 else "one run")]
    words = {"label": common.wording(metric), "drawn": listed(drawn, "; ")}
    label = "\n".join([say("{label} ({drawn})", **words), *chart.notes])
    common.unit_axis(ax, metric, label, like=edge)
    if hue:
        common.legend_below(ax)
    return ax
