"""A metric against a condition that was swept, such as the block size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from matplotlib.axes import Axes

from fiotools.plot import common
from fiotools.plot.sweep_lines import Swept

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
    is beyond them is cut off: below six runs it can be very wide, and reach below zero. Where there
    is one run, its point is hollow.

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
    swept = Swept(frame, metric, x, hue, summary, order)
    ax = common.axes(ax, 7)
    swept.draw(ax)
    ax.set_xlabel(swept.what, loc="left")
    return ax
