"""A metric against a condition that was swept, such as the block size."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes

from fiotools.errors import SchemaError
from fiotools.hints import argument
from fiotools.language import called, listed
from fiotools.plot import common, fit_text
from fiotools.plot.sweep_lines import Swept
from fiotools.stats.frames import names
from fiotools.units import level

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame
    from numpy.typing import NDArray

_ROWS = 7  # of a chart: the height of one panel alone
_COLUMNS, _PANEL = 3, 2.1  # panels side by side, and inches of height for each


def sweep(
    frame: IntoDataFrame,
    metric: str = "bw_bytes_per_s",
    *,
    x: str = "bs_bytes",
    hue: str | None = None,
    by: str | Sequence[str] | None = None,
    summary: IntoDataFrame | None = None,
    order: Sequence[Any] | None = None,
    ax: Axes | None = None,
) -> Any:
    """Draw a metric against a swept condition: every run, and a line through the means.

    Thin bars are the means' intervals. The runs set the limits of the axis; an arrow says that an
    interval goes on beyond them, for below six runs it can be very wide. Where there is one run,
    its point is hollow. An axis is logarithmic where its greatest value is many times the least.

    Parameters
    ----------
    frame : pandas or polars frame
        One row per run.
    metric : str
        The column to draw.
    x : str
        The swept condition: a column of numbers, with a tick at each.
    hue : str, optional
        The column that names the lines; the name stands at the line's end, or in a legend where
        there are many.
    by : str or sequence of str, optional
        Draw a panel for each combination of these columns, with the same axes.
    summary : pandas or polars frame, optional
        What `summarize` says of the metric, by ``by``, ``hue`` and ``x``; made here if not given.
    order : sequence, optional
        The lines, which take their colours in this order.
    ax : matplotlib.axes.Axes, optional
        Without `by`.

    Returns
    -------
    matplotlib.axes.Axes, or numpy.ndarray of them where `by` is given

    Raises
    ------
    SchemaError
        If the summary is of another metric, or of other rows; and what `summarize` refuses.

    Examples
    --------
    >>> import pandas as pd
    >>> import fiotools as ft
    >>> runs = pd.DataFrame({
    ...     "fs": ["ext4"] * 4,
    ...     "bs_bytes": [4096, 4096, 32768, 32768],
    ...     "bw_bytes_per_s": [1.0e9, 1.2e9, 2.0e9, 2.1e9],
    ... })
    >>> ax = ft.plot.sweep(runs, hue="fs")
    >>> [tick.get_text() for tick in ax.get_xticklabels()]
    ['4 KiB', '32 KiB']
    """
    columns = names(by)
    swept = Swept(frame, metric, x, hue, summary, order, columns)
    if not columns:
        ax = common.axes(ax, max(_ROWS, len(swept.lines) / 2))
        swept.draw(ax)
        common.label_below(ax, swept.what)
        return ax
    if ax is not None:
        raise SchemaError(f"{argument('by')} draws several panels: leave ax= out")
    return _panels(swept, columns)


def _panels(swept: Swept, by: Sequence[str]) -> NDArray[Any]:
    """Draw a panel for each cell, with the same axes and one legend."""
    wide = min(_COLUMNS, ceil(sqrt(len(swept.panels))))
    high = -(-len(swept.panels) // wide)
    grid = common.panels(high, wide, 0.9 + _PANEL * high, sharex=True, sharey=True)
    figure = grid[0, 0].get_figure()
    axes = grid.ravel()[: len(swept.panels)]
    ends: dict[str, common.End] = {}
    size = common.RC["axes.labelsize"]
    for ax, cell in zip(axes, swept.panels, strict=True):
        ends |= {end[2]: end for end in swept.draw(ax, cell, named=False)}
        title = listed(called(level(*one)) for one in zip(cell, by, strict=True))
        lines = fit_text.wrapped(title, size, common.points(ax)[0])
        ax.set_title("\n".join(lines), fontsize=size, loc="left", parse_math=False)
        ax.label_outer()
    for spare in grid.ravel()[len(axes) :]:
        spare.remove()
        grid[-2, (len(axes) - 1) % wide + 1 :][0].tick_params(labelbottom=True)
    what = fit_text.wrapped(swept.what, size, 72 * common.WIDTH)
    figure.supxlabel("\n".join(what), x=0.01, ha="left", fontsize=size)
    if swept.hue:
        figure.legend(
            handles=common.line_handles(ends.values()),
            title=common.legend_title(swept.hue),
            frameon=False,
            loc="outside right upper",
            fontsize=common.small(axes[0]),
            alignment="left",
        )
    return np.asarray(axes)
