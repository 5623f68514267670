"""Latency: the mean of each thread or job, and how far its I/Os spread."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from matplotlib.axes import Axes

from fiotools import units
from fiotools.plot import parts

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame


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

    The bars are the spread of I/Os within a run and not an interval of the mean.

    Parameters
    ----------
    frame : pandas or polars frame
        One row per point.
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

    Examples
    --------
    >>> import fiotools as ft
    >>> io = ft.read("data/dda-vhdx/xml/{volume}.xml").io
    >>> threads = ft.per_thread(io, by="volume").query("direction == 'total'")
    >>> ax = ft.plot.latency(threads, y="volume", hue="thread")
    >>> ax.get_xlabel()
    'latency (mean ± standard deviation)'
    """
    means = parts.values(frame, metric)
    widths = parts.values(frame, spread) if spread else [None] * len(means)
    hues = parts.values(frame, hue) if hue else None
    rows, series = parts.arrange(parts.values(frame, y), hues, order)
    ax = parts.axes(ax, len(rows) * (1 + 0.35 * (len(series) - 1)))
    edge = max(mean + (width or 0) for mean, width in zip(means, widths, strict=True) if mean)
    for one in series:
        points = [
            (means[row], place, widths[row] or 0.0) for place, row in one.points if means[row]
        ]
        for mean, place, width in points:
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
            text = units.human(mean, "ns", like=edge)
            if width:
                number, _, unit = text.partition(" ")
                decimals = len(number.partition(".")[2])
                text = f"{number} ± {width / units.factor(unit, 'ns'):.{decimals}f} {unit}"
            parts.write(ax, text, arm[1], place, one.colour)
        xs, places = [mean for mean, _, _ in points], [place for _, place, _ in points]
        parts.mark(ax, one, xs, places, hue)
    parts.name_rows(ax, rows)
    ax.set_xlim(0, edge * 1.22)
    parts.few_ticks(ax.xaxis)
    what = "latency (mean ± standard deviation)" if spread else "mean latency"
    parts.unit_axis(ax, metric, what, like=edge)
    if hue:
        parts.legend_below(ax, len(series))
    return ax
