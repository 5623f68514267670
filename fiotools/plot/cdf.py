"""The distribution of latencies: the share of the I/Os that took no longer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from fiotools.errors import SchemaError, typed
from fiotools.language import say
from fiotools.plot import common
from fiotools.stats.percentiles import Histogram, histograms

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

_MARKED = (10, 30, 50, 70, 90)  # percent


def cdf(
    bins: IntoDataFrame,
    *,
    hue: str,
    order: Sequence[Any] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the share of the I/Os that took no longer than a latency.

    A histogram tells the share at the edges of its bins only. The band shows the range within a
    bin; the line along its lower edge counts the I/Os that had certainly ended.

    Parameters
    ----------
    bins : pandas or polars frame
        ``bin_lo_ns``, ``bin_hi_ns`` and ``count``, such as `Results.bins` of fio's JSON+ or the
        answer of `merge_bins`: one latency, one direction and one histogram per curve.
    hue : str
        The column that names the curves.
    order : sequence, optional
        The curves, which take their colours in this order.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    SchemaError
        If a curve has histograms of several latencies, directions, jobs, runs or intervals.

    See Also
    --------
    percentiles : The slowest I/Os in detail.

    Examples
    --------
    >>> import fiotools as ft
    >>> import pandas as pd
    >>> bins = pd.DataFrame({
    ...     "fs": ["ext4"] * 2 + ["xfs"] * 2, "latency": "clat", "direction": "read",
    ...     "bin_lo_ns": [50e3, 100e3] * 2, "bin_hi_ns": [100e3, 250e3] * 2,
    ...     "count": [90, 10, 40, 60],
    ... })
    >>> ax = ft.plot.cdf(bins, hue="fs")
    >>> [float(share) for share in ax.lines[0].get_ydata()]
    [0.0, 90.0, 90.0, 100.0]
    """
    table = common.opened(bins, hue, "bin_lo_ns", "bin_hi_ns", "count")
    names = common.known(table, hue)
    merge = typed(f"merge_bins(bins, by={hue!r})", "--merge")
    merged = f", or add them up first, {merge}"
    common.refuse_several(
        table,
        names,
        "a curve",
        hue=hue,
        apart=("time_s",),
        also=lambda column: "" if column in common.KINDS else merged,
    )
    found: dict[Any, Histogram] = {}
    for own in histograms(table, [hue]):
        name = names[own.rows[0]]
        if any(number > 1 for number in own.parts.values()):
            raise SchemaError(
                f"{name!r} has a bin several times, of jobs, runs or intervals: "
                f"add them up first, {merge}"
            )
        if any(own.counts.values()):
            found[name] = own
    curves = common.levels(names, order)
    drawn = {name: found[name] for name in curves if name in found}
    if not drawn:
        raise SchemaError("nothing to draw: no bin has an I/O")
    ax = common.axes(ax, 7)
    low, high = _limits(list(drawn.values()))
    for name, own in drawn.items():
        _curve(ax, own, low, high, curves.index(name), common.named(name, hue))
    common.latency_axis(ax, "x", low, high)
    ax.set_ylim(0, 102)  # the line at 100 whole
    common.few_ticks(ax.yaxis)
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: common.percent(value / 100)))
    common.label_beside(ax, say("I/Os that took no longer"))
    common.label_below(ax, common.latency_of(table), say("band: undecided within a bin"))
    common.legend_below(ax)
    return ax


def _limits(found: Sequence[Histogram]) -> tuple[float, float]:
    """Return the ends of the axis: a little beyond the bins with I/Os."""
    bins = [edges for own in found for edges, count in own.counts.items() if count]
    low = min(low or (high / 2 if math.isfinite(high) else 1.0) for low, high in bins)
    high = max(high if math.isfinite(high) else max(low, 1.0) * 2 for low, high in bins)
    beyond = (high / low) ** 0.03
    return low / beyond, high * beyond


def _curve(ax: Axes, own: Histogram, low: float, high: float, at: int, label: str) -> None:
    """Draw a band from the lower to the upper edge of each bin, and a line along the lower."""
    total, bins = sum(own.counts.values()), [edges for edges, n in own.counts.items() if n]
    sums = [0.0, *(100 * n / total for n in accumulate(own.counts[edges] for edges in bins))]
    # at each edge: the share that has certainly ended, and the share that may have
    places, surely, maybe = [], [], []
    for before, after, (start, end) in zip(sums[:-1], sums[1:], bins, strict=True):
        places += [max(start, low), min(end, high)]
        # the last bin may have no end
        surely += [before, after if math.isfinite(end) else before]
        maybe += [after, after]
    look = common.look_of(at)
    ax.fill_between(places, surely, maybe, step="post", color=look.colour, alpha=0.3, linewidth=0)
    marked = [
        next((place for place, share in enumerate(surely) if share >= least), None)
        for least in _MARKED
    ]
    ax.plot(
        places,
        surely,
        drawstyle="steps-post",
        color=look.colour,
        linestyle=look.line,
        linewidth=1.6,
        marker=look.marker,
        markersize=5,
        markevery=sorted({place for place in marked if place is not None}),
        label=label,
    )
