"""A metric against a condition that was swept, such as the block size."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator
from matplotlib.transforms import offset_copy

from fiotools.plot import parts

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame


def sweep(
    frame: IntoDataFrame,
    metric: str = "bw_bytes_per_s",
    *,
    x: str = "bs_bytes",
    hue: str,
    summary: IntoDataFrame,
    order: Sequence[Any] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a metric against a swept condition: every run, and a line through the means.

    Thin bars are the means' intervals. The runs set the limits of the axis, and what of an interval
    is beyond them is cut off: below six runs it can be very wide, and reach below zero.

    Parameters
    ----------
    frame : pandas or polars frame
        One row per run.
    metric : str
        The column to draw; the axis is logarithmic.
    x : str
        The swept condition; the axis is logarithmic too, with a tick at each value.
    hue : str
        The column that names the lines; the name stands at the line's end.
    summary : pandas or polars frame
        What `summarize` says of the metric, by ``x`` and ``hue``.
    order : sequence, optional
        The lines, which take their colours in this order.
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
    >>> runs = pd.DataFrame({
    ...     "fs": ["ext4"] * 4,
    ...     "bs_bytes": [4096, 4096, 32768, 32768],
    ...     "bw_bytes_per_s": [1.0e9, 1.2e9, 2.0e9, 2.1e9],
    ... })
    >>> told = ft.summarize(runs, "bw_bytes_per_s", by=["fs", "bs_bytes"])
    >>> ax = ft.plot.sweep(runs, hue="fs", summary=told)
    >>> [tick.get_text() for tick in ax.get_xticklabels()]
    ['4 KiB', '32 KiB']
    """
    told = parts.told(summary, metric, x, hue)
    table = parts.opened(frame, metric, x, hue)
    ys = parts.numbers(table, metric, log=True)
    parts.numbers(table, x, log=True)
    names, xs = parts.known(table, hue), parts.known(table, x)
    swept, middles = sorted(set(xs)), parts.Middles(told, "mean", hue, x)
    lines = parts.levels(names, order)
    ax = parts.axes(ax, 7)
    ends = []
    for at, name in enumerate(lines):
        colour = parts.PALETTE[at % len(parts.PALETTE)]
        marker = parts.MARKERS[at % len(parts.MARKERS)]
        runs = [
            (px, py)
            for own, px, py in zip(names, xs, ys, strict=True)
            if own == name and py is not None
        ]
        if not runs:
            continue
        ax.plot(
            [px for px, _ in runs],
            [py for _, py in runs],
            linestyle="none",
            marker=marker,
            markersize=5,
            alpha=0.6,
            color=colour,
        )
        places = sorted({px for px, _ in runs})
        means = [middles[name, place] for place in places]
        ax.plot(places, [mean for mean, _, _ in means], color=colour, linewidth=1.6)
        bars = [
            # a logarithmic axis has no zero
            [(place, max(low, sys.float_info.min)), (place, high)]
            for place, (_, low, high) in zip(places, means, strict=True)
            if low is not None and high is not None
        ]
        # side by side, where lines meet
        beside = 4 * (at - (len(lines) - 1) / 2)
        aside = offset_copy(ax.transData, ax.get_figure(root=True), x=beside, units="points")
        drawn = LineCollection(bars, colors=colour, linewidths=1, alpha=0.5, transform=aside)
        ax.add_collection(drawn, autolim=False)  # an interval does not widen the axis
        ends.append((places[-1], means[-1][0], str(name), colour))
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.xaxis.set_major_locator(FixedLocator(swept))
    ax.xaxis.set_minor_locator(NullLocator())
    unit_x, unit = parts.unit(x), parts.unit(metric)
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: _label(value, unit_x)))
    ax.set_xlim(swept[0] / 1.5, swept[-1] * (swept[-1] / swept[0]) ** 0.28 * 1.5)
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: parts.tick(value, unit)))
    ax.margins(y=0.08)
    parts.log_ticks(ax.yaxis, *ax.get_ylim())  # of all panels, where they share the axis
    ax.set_ylabel(parts.wording(metric))
    interval = parts.intervals(told, "mean")
    shown = f"line and bars: mean, {interval}" if interval else "line: mean"
    what = "block size" if x == "bs_bytes" else x
    ax.set_xlabel(f"{what} (points: runs; {shown})", loc="left")
    parts.end_labels(ax, ends)
    return ax


def _label(value: float, unit: str) -> str:
    """Write a block size as people give it to a tool: in powers of 1024."""
    if unit != "B":
        return f"{value:g}"
    for prefix in ("", "Ki", "Mi"):
        if value < 1024:
            return f"{value:g} {prefix}B"
        value /= 1024
    return f"{value:g} GiB"
