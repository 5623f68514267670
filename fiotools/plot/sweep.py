"""A metric against a condition that was swept, such as the block size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from fiotools.plot import parts
from fiotools.vocabulary import COLUMNS

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
    swept = sorted(set(parts.values(frame, x)))
    names, xs, ys = (parts.values(frame, column) for column in (hue, x, metric))
    means = {
        (name, place): mean
        for name, place, mean in zip(
            parts.values(summary, hue),
            parts.values(summary, x),
            parts.values(summary, "mean"),
            strict=True,
        )
    }
    ax = parts.axes(ax, 7)
    ends = []
    for at, name in enumerate(parts.levels(names, order)):
        colour = parts.PALETTE[at % len(parts.PALETTE)]
        marker = parts.MARKERS[at % len(parts.MARKERS)]
        runs = [(px, py) for own, px, py in zip(names, xs, ys, strict=True) if own == name]
        ax.plot(
            [px for px, _ in runs],
            [py for _, py in runs],
            linestyle="none",
            marker=marker,
            markersize=5,
            alpha=0.6,
            color=colour,
        )
        line = [(place, means[name, place]) for place in swept if (name, place) in means]
        ax.plot([px for px, _ in line], [py for _, py in line], color=colour, linewidth=1.6)
        ends.append((*line[-1], str(name), colour))
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.xaxis.set_major_locator(FixedLocator(swept))
    ax.xaxis.set_minor_locator(NullLocator())
    unit_x = COLUMNS[x].unit if x in COLUMNS else ""
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: _label(value, unit_x)))
    ax.set_xlim(swept[0] / 1.5, swept[-1] * (swept[-1] / swept[0]) ** 0.28 * 1.5)
    unit = COLUMNS[metric].unit if metric in COLUMNS else ""
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: parts.tick(value, unit)))
    ax.margins(y=0.08)
    parts.log_ticks(ax.yaxis, *ax.get_ylim())  # of all panels, where they share the axis
    ax.set_ylabel(parts.wording(metric))
    ax.set_xlabel("block size" if x == "bs_bytes" else x, loc="left")
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
