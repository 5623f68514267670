"""Latency: the mean of each thread or job, and how far its I/Os spread."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from matplotlib.axes import Axes

from fiotools import units
from fiotools.language import say
from fiotools.plot import common
from fiotools.stats.frames import numbers

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

_FAR = 1000  # times: what is shorter than the longest by that gets a unit of its own


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
    frame : pandas or polars frame
        One row per point; `repeats` draws several runs.
    metric : str
        The column to draw.
    y : str
        The column that names the rows.
    hue : str, optional
        The column that gives colour and marker.
    spread : str, (str, str) or None
        The column with the standard deviation, or those with both ends of the bars, such as
        ``("lat_min_ns", "lat_max_ns")``.
    log : bool
        A logarithmic axis. Without it the axis begins at 0.
    order : sequence, optional
        The rows from top to bottom.
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
    >>> io = ft.read("data/dda-vhdx/xml/{volume}.xml").io
    >>> threads = ft.per_thread(io, by="volume").query("direction == 'total'")
    >>> ax = ft.plot.latency(threads, y="volume", hue="thread")
    >>> print(ax.get_xlabel())
    latency (mean ± standard deviation)
    one run each
    """
    chart = common.chart(frame, metric, y, hue, order, ax, log=log)
    ax, points = chart.ax, [point for one in chart.series for point in one.points]
    lows, highs = _ends(chart, spread)
    edge = max(highs[point.row] for point in points)
    least = min(lows[point.row] for point in points)
    for one in chart.series:
        for point in one.points:
            # a latency is never negative: the lower end is at 0
            low, high = max(0.0, lows[point.row]), highs[point.row]
            ax.plot(
                [low, high],
                [point.place, point.place],
                color=one.colour,
                alpha=0.35,
                linewidth=5,
                solid_capstyle="butt",
            )
            like = edge if not log and point.value * _FAR > edge else None
            text = units.human(point.value, "ns", like=like)
            if isinstance(spread, tuple):
                text = say("mean {value}", value=text)
            if isinstance(spread, str) and high > point.value:
                number, _, unit = text.partition(" ")
                decimals, width = len(number.partition(".")[2]), high - point.value
                text = f"{number} ± {width / units.factor(unit, 'ns'):.{decimals}f} {unit}"
            common.write(ax, text, high, point.place, one.colour)
        common.mark(ax, one, hue)
    if log:
        common.above_zero(metric, [least])
        common.latency_axis(ax, "x", least / 1.3, edge * (edge / least) ** 0.22)
    else:
        common.fit_texts(ax, chart.least, edge * 1.22 or 1)
        common.few_ticks(ax.xaxis)
    label = _label(spread, cut=least < 0)
    drawn = [point.row for point in points]
    label = common.of_one_run(label, chart.table, drawn, below=bool(spread or hue))
    label = "\n".join([label, *chart.notes])
    if log:
        ax.set_xlabel(label, loc="left")
    else:
        common.unit_axis(ax, metric, label, like=edge)
    if hue:
        common.legend_below(ax)
    return ax


def _ends(
    chart: common.Chart, spread: str | tuple[str, str] | None
) -> tuple[list[float], list[float]]:
    """Give where the bar of each row of the frame begins and ends."""
    values = {point.row: point.value for one in chart.series for point in one.points}
    means = [values.get(row, 0.0) for row in range(len(chart.table))]
    if spread is None:
        return means, means
    if isinstance(spread, str):
        widths = [width or 0.0 for width in numbers(chart.table, spread)]
        pairs = list(zip(means, widths, strict=True))
        return [mean - width for mean, width in pairs], [mean + width for mean, width in pairs]
    first, last = (zip(means, numbers(chart.table, name), strict=True) for name in spread)
    # a bar without an end ends at the mean
    lows = [mean if end is None else end for mean, end in first]
    highs = [mean if end is None else end for mean, end in last]
    return lows, highs


def _label(spread: str | tuple[str, str] | None, *, cut: bool) -> str:
    """Say what is drawn."""
    if spread is None:
        return say("mean latency")
    if isinstance(spread, str):
        cut_at_zero = "latency (mean ± standard deviation, cut at 0)"
        return say(cut_at_zero if cut else "latency (mean ± standard deviation)")
    if all(name.endswith(end) for name, end in zip(spread, ("_min_ns", "_max_ns"), strict=True)):
        return say("latency (point: mean; bar: fastest to slowest I/O)")
    low, high = (common.wording(name, short=True) for name in spread)
    return say("latency (point: mean; bar: {low} to {high})", low=low, high=high)
