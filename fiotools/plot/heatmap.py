"""Latency over time: how the I/Os of each moment spread, and when the slow ones came."""

from __future__ import annotations

import math

import numpy as np
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.colors import LinearSegmentedColormap, LogNorm
from narwhals.typing import IntoDataFrame
from numpy.typing import NDArray

from fiotools.errors import SchemaError, typed
from fiotools.language import say
from fiotools.plot import common
from fiotools.stats import frames
from fiotools.stats.percentiles import Histogram, histograms

_DECADE = 24  # cells of equal height in a decade: 10 % of latency each
_FEW = 10  # I/Os
_GAP = 1.5  # of the usual interval: after more, nothing is known of the time before


def heatmap(bins: IntoDataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw latency over time, each interval's I/Os by colour.

    Every interval is a column. Its colours are shares of its own I/Os: the map shows how latencies
    spread, and not how many I/Os there were. White means no I/O. An interval with fewer than ten
    I/Os is blank if most have ten times as many: its shares would say nothing.

    A cell is 10 % of latency high: finer bins are added up. A wider bin is one cell in the colour
    of its share per 10 % of latency, so that it does not look denser than it is.

    Parameters
    ----------
    bins : pandas or polars frame
        ``time_s``, ``bin_lo_ns``, ``bin_hi_ns`` and ``count``, such as `Results.bins` of a fio
        histogram log, or the answer of `merge_bins` by ``time_s``: one latency, one direction and
        one entry of one run.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    SchemaError
        If latencies, directions, jobs or runs are mixed, or the bins are those of whole runs.

    Notes
    -----
    ``time_s`` is the end of an interval, which began at the end of the one before. An interval
    more than half too long gets the usual length, and the time before it stays white: no I/O ended
    there, or none was logged. The last bin has no end and is one cell high.

    Examples
    --------
    >>> import fiotools as ft
    >>> import pandas as pd
    >>> bins = pd.DataFrame({
    ...     "latency": "clat", "direction": "read", "time_s": [1.0, 1.0, 2.0],
    ...     "bin_lo_ns": [99e3, 8e6, 101e3], "bin_hi_ns": [101e3, 9e6, 103e3],
    ...     "count": [990, 10, 1000],
    ... })
    >>> ft.plot.heatmap(bins).get_ylabel()
    'completion latency (read)'
    """
    table = common.opened(bins, "time_s", "bin_lo_ns", "bin_hi_ns", "count")
    if not frames.distinct(frames.values(table, "time_s")):
        raise SchemaError(
            "nothing to draw: these are bins of whole runs, and a heat map needs those of intervals"
            " (fio --write_hist_log=x --log_hist_msec=1000);"
            f" {typed('plot.cdf', 'fiotools plot cdf')} draws whole runs"
        )
    common.numbers(table, "time_s")  # that they are, and finite
    clock = common.known(table, "time_s")
    if min(clock) < 0:
        raise SchemaError(f"'time_s' is {min(clock):g} in a row: runs begin at 0")
    common.refuse_several(table, [None] * len(table), "a heat map")
    found = {float(clock[own.rows[0]]): _filled(own) for own in histograms(table, ["time_s"])}
    ends = np.array(sorted(found))
    # an interval begins at the end of the one before, unless that is too long ago
    steps = np.diff(ends)
    usual = float(np.median(steps)) if len(steps) else float(ends[0]) or 1.0
    since = np.concatenate([[ends[0] or usual], steps])
    widths = np.where(since > _GAP * usual, usual, since)
    intervals = [found[end] for end in ends.tolist()]
    grid = _grid(np.concatenate(intervals))
    shares = np.array([_shares(filled, grid) for filled in intervals])
    counts = np.array([filled[:, 2].sum() for filled in intervals])
    thin = (counts < _FEW) & (counts < np.median(counts) / 10)
    shares[thin] = 0
    ax = common.axes(ax, 7)
    columns, edges = _columns(shares, ends, widths)
    shown = np.ma.masked_less_equal(columns.T, 0)
    most = float(shares.max())
    # one I/O of the fullest interval is the palest
    least = min(1 / float(counts.max()), most / 10)
    norm, latencies = LogNorm(least, most, clip=True), 10.0 ** (grid / _DECADE)
    # rasterized, or a vector file would have an element for every cell
    mesh = ax.pcolormesh(edges, latencies, shown, norm=norm, cmap=_pale_to_dark(), rasterized=True)
    ax.grid(visible=False)
    common.latency_axis(ax, "y", latencies[0], latencies[-1])
    common.label_beside(ax, common.going(common.latency_of(table), table))
    common.time_axis(ax, float(edges[0]), float(edges[-1]))
    each = common.tick(float(np.median(widths)), "s")
    below = [say("time since the start (a column: {length})", length=each)]
    if thin.any():
        below.append(say("blank columns: fewer than {n} I/Os", n=_FEW))
    common.label_below(ax, *below)
    _explain(ax, mesh, least, most)
    return ax


def _explain(ax: Axes, mesh: QuadMesh, least: float, most: float) -> None:
    """Draw the bar of colours."""
    # within these Axes: one of its own binds the figure to a way of laying out
    bar = common.figure_of(ax).colorbar(mesh, cax=ax.inset_axes((1.02, 0, 0.03, 1)))
    common.fixed_ticks(bar.ax.yaxis, common.round_values(least, most, 7), common.percent)
    bar.set_label(say("I/Os of the interval\nper 10 % of latency"))
    bar.outline.set_visible(False)


def _filled(own: Histogram) -> NDArray[np.float64]:
    """Return a row for each bin that holds anything: both edges, in cells, and the count."""
    found = []
    for (low, high), count in own.counts.items():
        if count:
            start = low or (high / 2 if math.isfinite(high) else 1.0)
            first = _DECADE * math.log10(start)
            last = _DECADE * math.log10(high) if math.isfinite(high) else first + 1
            found.append((first, last, count))
    return np.array(found, dtype=np.float64).reshape(-1, 3)


def _grid(filled: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the edges of the cells, in cells: every 10 %, or the end of a wider bin."""
    bins = sorted({(first, -last) for first, last, _ in filled.tolist()})
    if not bins:
        raise SchemaError("nothing to draw: no bin has an I/O")
    outer = [bins[0]]
    for first, last in bins:
        if last < outer[-1][1]:  # not within the one before
            outer.append((first, last))
    lows, highs = np.array([first for first, _ in outer]), np.array([-last for _, last in outer])
    even = np.arange(math.floor(lows[0] + 1e-9), math.ceil(highs[-1] - 1e-9) + 1, dtype=np.float64)
    at = np.maximum(np.searchsorted(lows, even, side="right") - 1, 0)
    nearer = np.where(even - lows[at] < highs[at] - even, lows[at], highs[at])
    inside = (lows[at] < even) & (even < highs[at])
    return np.unique(np.where(inside, nearer, even).round(9))


def _shares(filled: NDArray[np.float64], grid: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the share of an interval's I/Os in each cell, for 10 % of latency."""
    if not len(filled):
        return np.zeros(len(grid) - 1)
    counts = filled[:, 2]
    sums = np.cumsum(counts)
    before_and_after = np.column_stack([sums - counts, sums]).ravel()
    ios = np.diff(np.interp(grid, filled[:, :2].ravel(), before_and_after))
    ios[ios < 1e-6] = 0  # edges that meet, but for the last digit
    return np.asarray(np.minimum(ios / sums[-1] / np.diff(grid), 1), dtype=np.float64)


def _columns(
    shares: NDArray[np.float64], ends: NDArray[np.float64], widths: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Put the intervals beside each other, with an empty column wherever time is missing."""
    begins = ends - widths
    late = begins[1:] > ends[:-1] + 1e-9 * np.maximum(1.0, ends[1:])
    after_gaps = np.flatnonzero(late) + 1
    edges = np.insert(np.concatenate([begins[:1], ends]), after_gaps + 1, begins[after_gaps])
    return np.insert(shares, after_gaps, 0.0, axis=0), edges


def _pale_to_dark() -> LinearSegmentedColormap:
    """Make the colours: even steps of lightness, dark for most I/Os, none as pale as the paper."""
    whole = sns.color_palette("mako_r", as_cmap=True)
    return LinearSegmentedColormap.from_list("pale-to-dark", whole(np.linspace(0.15, 1, 256)))
