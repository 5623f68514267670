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
    spread: str | None = "lat_stddev_ns",
    order: Sequence[Any] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw mean latencies, with one standard deviation of the single I/Os to each side.

    The bars show the spread of I/Os within a run, not an interval of the mean.

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
    spread : str or None
        The column with the standard deviation.
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
    chart = common.chart(frame, metric, y, hue, order, ax)
    ax, widths = chart.ax, [0.0] * len(chart.table)
    if spread:
        widths = [width or 0.0 for width in numbers(chart.table, spread)]
    edge = max(point.value + widths[point.row] for one in chart.series for point in one.points)
    for one in chart.series:
        for point in one.points:
            mean, place, width = point.value, point.place, widths[point.row]
            # a latency is never negative: the lower arm ends at 0
            arm = [max(0.0, mean - width), mean + width]
            ax.plot(
                arm,
                [place, place],
                color=one.colour,
                alpha=0.35,
                linewidth=5,
                solid_capstyle="butt",
            )
            text = units.human(mean, "ns", like=edge if mean * _FAR > edge else None)
            if width:
                number, _, unit = text.partition(" ")
                decimals = len(number.partition(".")[2])
                text = f"{number} ± {width / units.factor(unit, 'ns'):.{decimals}f} {unit}"
            common.write(ax, text, arm[1], place, one.colour)
        common.mark(ax, one, hue)
    common.fit_texts(ax, chart.least, edge * 1.22 or 1)
    common.few_ticks(ax.xaxis)
    what = say("latency (mean ± standard deviation)" if spread else "mean latency")
    drawn = [point.row for one in chart.series for point in one.points]
    what = common.of_one_run(what, chart.table, drawn, below=bool(spread or hue))
    common.unit_axis(ax, metric, "\n".join([what, *chart.notes]), like=edge)
    if hue:
        common.legend_below(ax)
    return ax
