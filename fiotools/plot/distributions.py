"""Latencies from fast to slow: how they spread, also over time, and how two sides' differ."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import LinearSegmentedColormap, LogNorm
from matplotlib.ticker import NullLocator
from matplotlib.transforms import offset_copy
from narwhals.typing import IntoDataFrame
from numpy.typing import NDArray

from fiotools import units
from fiotools.errors import SchemaError, typed
from fiotools.language import called, listed, say
from fiotools.plot import common
from fiotools.plot.ratios import sides, ticks_of_ratios
from fiotools.stats import frames
from fiotools.stats.frames import Frame, Key
from fiotools.stats.percentiles import Histogram, histograms
from fiotools.stats.replicates import run_keys

Ends: TypeAlias = "tuple[float, float] | None"

_MARKED = (10, 30, 50, 70, 90)  # percent
_TICKS = (1, 50, 90, 99, 99.9, 99.99, 99.999)
_DASHES = ("-", (0, (5, 2)), (0, (2, 1.5)), (0, (6, 1.5, 1, 1.5)))
_DECADE = 24  # cells of equal height in a decade: 10 % of latency each
_FEW = 10  # I/Os
_GAP = 1.5  # of the usual interval: after more, nothing is known of the time before


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
    # the axis ends a little beyond the bins with I/Os
    filled = [edges for own in drawn.values() for edges, count in own.counts.items() if count]
    low = min(_start(low, high) for low, high in filled)
    high = max(high if math.isfinite(high) else max(low, 1.0) * 2 for low, high in filled)
    beyond = (high / low) ** 0.03
    low, high = low / beyond, high * beyond
    for name, own in drawn.items():
        _curve(ax, own, low, high, curves.index(name), common.named(name, hue))
    common.log_axis(ax, "x", low, high)
    ax.set_ylim(0, 102)  # the line at 100 whole
    common.few_ticks(ax.yaxis)
    ax.yaxis.set_major_formatter(lambda value, _: common.percent(value / 100))
    common.label_beside(ax, say("I/Os that took no longer"))
    what = common.going(common.latency_of(table), table)
    common.label_below(ax, what, say("band: undecided within a bin"))
    common.legend_below(ax)
    return ax


def _start(low: float, high: float) -> float:
    """Return where a bin begins on a logarithmic axis, which has no place for 0."""
    return low or (high / 2 if math.isfinite(high) else 1.0)


def _curve(ax: Axes, own: Histogram, low: float, high: float, at: int, label: str) -> None:
    """Draw a band from the lower to the upper edge of each bin, and a line along the lower."""
    bins = {edges: count for edges, count in own.counts.items() if count}
    edges, sums = np.array(list(bins)), np.cumsum(list(bins.values()))
    maybe = 100 * sums / sums[-1]
    before = np.concatenate([[0.0], maybe[:-1]])
    certain = np.where(np.isfinite(edges[:, 1]), maybe, before)  # the last bin may have no end
    # at both edges of each bin: the share that has certainly ended, and the share that may have
    places = edges.clip(low, high).ravel()
    surely = np.column_stack([before, certain]).ravel()
    maybe = np.repeat(maybe, 2)
    look = common.look_of(at, ax)
    ax.fill_between(places, surely, maybe, step="post", color=look.colour, alpha=0.3, linewidth=0)
    marked = {place for place in np.searchsorted(surely, _MARKED).tolist() if place < len(surely)}
    line: Any = {"color": look.colour, "linestyle": look.line, "linewidth": 1.6}
    line |= {"marker": look.marker, "markersize": 5, "markevery": sorted(marked)}
    ax.plot(places, surely, drawstyle="steps-post", label=label, **line)


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
    # even steps of lightness, none of them that of the paper, which is farthest from most I/Os
    palette = "mako_r" if common.ink(ax) == "black" else "mako"
    whole = sns.color_palette(palette, as_cmap=True)(np.linspace(0.15, 1, 256))
    colours = LinearSegmentedColormap.from_list("pale-to-dark", whole)
    # rasterized, or a vector file would have an element for every cell
    mesh = ax.pcolormesh(edges, latencies, shown, norm=norm, cmap=colours, rasterized=True)
    ax.grid(visible=False)
    common.log_axis(ax, "y", latencies[0], latencies[-1])
    common.label_beside(ax, common.going(common.latency_of(table), table))
    common.time_axis(ax, float(edges[0]), float(edges[-1]))
    each = common.tick(float(np.median(widths)), "s")
    below = [say("time since the start (a column: {length})", length=each)]
    if thin.any():
        below.append(say("blank columns: fewer than {n} I/Os", n=_FEW))
    common.label_below(ax, *below)
    # the bar of colours has no Axes of the figure: they would bind it to a way of laying out
    bar = common.figure_of(ax).colorbar(mesh, cax=ax.inset_axes((1.02, 0, 0.03, 1)))
    common.fixed_ticks(bar.ax.yaxis, common.round_values(least, most, 7), common.percent)
    bar.set_label(say("I/Os of the interval\nper 10 % of latency"))
    bar.outline.set_visible(False)
    return ax


def _filled(own: Histogram) -> NDArray[np.float64]:
    """Return a row for each bin that holds anything: both edges, in cells, and the count."""
    found = []
    for (low, high), count in own.counts.items():
        if count:
            first = _DECADE * math.log10(_start(low, high))
            last = _DECADE * math.log10(high) if math.isfinite(high) else first + 1
            found.append((first, last, count))
    return np.array(found, dtype=np.float64).reshape(-1, 3)


def _grid(filled: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the edges of the cells, in cells: every 10 %, or the end of a wider bin."""
    if not len(filled):
        raise SchemaError("nothing to draw: no bin has an I/O")
    lows, highs = filled[np.lexsort((-filled[:, 1], filled[:, 0])), :2].T
    outer = np.diff(np.maximum.accumulate(highs), prepend=-np.inf) > 0  # not within one before
    lows, highs = lows[outer], highs[outer]
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


def percentiles(
    frame: IntoDataFrame,
    *,
    hue: str,
    order: Sequence[Any] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw latency against percentile, each further nine as wide as the one before.

    The answers of `percentiles` and `of_tables` are drawn with their bounds as a
    band and their intervals as bars; the axis says what they are. A percentile without both bounds
    is not in the band. Lines between percentiles only lead the eye.

    Parameters
    ----------
    frame : pandas or polars frame
        ``percentile`` and ``value_ns``, such as `Results.percentiles`, of one latency and one
        direction: one row per percentile, run and curve. Several runs of a curve are thin lines.
        With ``bound_lo_ns`` and ``bound_hi_ns`` beside it, a value may be missing.
    hue : str
        The column that names the curves; the name stands at the curve's end.
    order : sequence, optional
        The curves, which take their colours in this order.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    SchemaError
        If a run has a percentile twice: several latencies or directions are mixed.

    Examples
    --------
    >>> import pandas as pd
    >>> import fiotools as ft
    >>> told = pd.DataFrame({
    ...     "mount": ["9p"] * 3, "percentile": [50.0, 99.0, 99.9], "value_ns": [2e3, 5e3, 66e3]
    ... })
    >>> ax = ft.plot.percentiles(told, hue="mount")
    >>> [label.get_text() for label in ax.texts]
    ['9p']
    """
    table = common.opened(frame, hue, "percentile")
    if not (bounded := {"bound_lo_ns", "bound_hi_ns"} <= {*table.columns}):
        frames.need(table, ["value_ns"])
    # the lowest and the highest latency have no place on the axis
    shares = frames.numbers(table, "percentile")
    inner = [share is not None and 0 < share < 100 for share in shares]
    beyond = frames.distinct(share for share, drawn in zip(shares, inner, strict=True) if not drawn)
    table = table[[row for row, drawn in enumerate(inner) if drawn]]
    points = _points(table, bounded=bounded)
    names = common.known(table, hue)
    curves = common.levels(names, order)
    ax = common.axes(ax, 7)
    ends, looks = [], common.looks(curves, ax)
    several = "run" in table.columns and not bounded
    runs: list[Key] = run_keys(table) if several else [()] * len(table)
    is_many = False
    for at, (name, look) in enumerate(zip(curves, looks, strict=True)):
        of_run = frames.rows_by(runs, [row for row, own in enumerate(names) if own == name])
        lines = [own for rows in of_run.values() if (own := _line(name, points, rows))]
        is_many |= len(lines) > 1
        for own in lines:
            if bounded:
                aside = 4 * (at - (len(curves) - 1) / 2)  # where curves meet
                _draw_band(ax, own, look.colour, _DASHES[at % len(_DASHES)], aside)
            end = _draw_line(ax, own, look, several=len(lines) > 1)
        if lines:
            ends.append((*end, common.named(name, hue), look))
    ax.set_yscale("log")
    common.unit_ticks(ax.yaxis, "ns")
    ax.yaxis.set_minor_locator(NullLocator())
    common.label_beside(ax, common.latency_of(table))
    share_axis(ax, max(point.share for point in points))
    what = say("percentile of the I/Os")
    if is_many:
        what = say("{label} (a line: one run)", label=what)
    else:
        what = common.of_one_run(what, table, [names.index(name) for name in curves])
    words = _band_words(table, points) if bounded else []
    if beyond:
        shown = listed(f"p{units.percentile(share)}" for share in sorted(beyond))
        words.append(say("no place on this axis: {names}", names=shown))
    common.label_below(ax, what, *words)
    low, high = ax.get_ylim()
    if math.floor(math.log10(high)) <= math.ceil(math.log10(low)):  # no two powers of ten
        common.log_axis(ax, "y", low, high)
    elif bounded:
        common.log_ticks(ax.yaxis, low, high)
    common.name_lines(ax, ends, hue)
    return ax


class _Point(NamedTuple):
    """A percentile of a curve with a value or a bound."""

    share: float
    value: float | None
    bound: Ends = None
    interval: Ends = None  # if it is not the bound


def _points(table: Frame, *, bounded: bool) -> list[_Point]:
    shares = common.known(table, "percentile")
    if not bounded:
        values = common.numbers(table, "value_ns", log=True)
        return list(map(_Point, shares, values))
    bounds, intervals = _bound_ends(table, "bound"), _bound_ends(table, "value")
    told = frames.optional(table, "value_ns")
    if frames.distinct(told) or ("value_ns" in table.columns and not any(bounds)):
        told = common.numbers(table, "value_ns", log=True)
    elif not any(bounds):
        raise SchemaError("nothing to draw: no row has a value of 'bound_lo_ns' and 'bound_hi_ns'")
    return [
        _Point(share, value, bound, None if interval == bound else interval)
        for share, value, bound, interval in zip(shares, told, bounds, intervals, strict=True)
    ]


def _bound_ends(table: Frame, what: str) -> list[Ends]:
    """Return ``bound`` or ``value`` with both ends of each row; None where an end is missing."""
    columns = (f"{what}_lo_ns", f"{what}_hi_ns")
    if not {*columns} <= {*table.columns}:
        return [None] * len(table)
    found: list[Ends] = []  # a latency of 0 has no place on the axis
    for low, high in zip(*(frames.numbers(table, name) for name in columns), strict=True):
        found.append((low, high) if low and high and math.isfinite(low + high) else None)
    common.above_zero(columns[0], [end for pair in found if pair for end in pair])
    return found


def _line(name: Any, points: Sequence[_Point], rows: Sequence[int]) -> list[_Point]:
    """Return the points of a run with a value or a bound, in order."""
    there = (points[row] for row in rows)
    own = sorted(
        (point for point in there if point.value is not None or point.bound),
        key=lambda point: point.share,
    )
    if len({point.share for point in own}) != len(own):
        raise SchemaError(
            f"{name!r} has a percentile twice: filter to one latency, direction and run"
        )
    return own


def _draw_line(
    ax: Axes, curve: Sequence[_Point], look: common.Look, *, several: bool
) -> tuple[float, float]:
    """Draw the values of a curve, and return where its name goes: the end of it or of its band."""
    drawn = [(nines(point.share), point.value) for point in curve if point.value is not None]
    if not drawn:
        low, high = curve[-1].bound or (1.0, 1.0)
        return nines(curve[-1].share), math.sqrt(low * high)
    line: Any = {"marker": look.marker, "markersize": 4, "linewidth": 1.8}
    if several:
        line = {"linewidth": 0.9, "alpha": 0.6}
    ax.plot(*zip(*drawn, strict=True), color=look.colour, linestyle=look.line, **line)
    return drawn[-1]


def _draw_band(ax: Axes, curve: Sequence[_Point], colour: str, dashes: Any, aside: float) -> None:
    """Draw the bounds of a curve as a band, and its intervals as bars so many points aside.

    The edges of the band are drawn if there are no values between them, and an interval if it is
    wider than the bounds.
    """
    places = [nines(point.share) for point in curve]
    low, high = ([one.bound[end] if one.bound else math.nan for one in curve] for end in (0, 1))
    ax.fill_between(places, low, high, color=colour, alpha=0.25, linewidth=0, zorder=1)
    if all(point.value is None for point in curve):
        # told apart in greyscale too
        edge: Any = {"color": colour, "linestyle": dashes, "linewidth": 1.2}
        ax.plot(places, low, marker="_", markersize=7, zorder=2, **edge)
        ax.plot(places, high, marker="_", markersize=7, zorder=2, **edge)
    drawn = zip(places, curve, strict=True)
    bars = [[(x, end) for end in point.interval] for x, point in drawn if point.interval]
    beside = offset_copy(ax.transData, ax.get_figure(root=True), x=aside, units="points")
    look: Any = {"colors": colour, "linewidths": 1.2, "alpha": 0.8}
    ax.add_collection(LineCollection(bars, transform=beside, **look), autolim=False)
    for bar in bars:
        ax.update_datalim(bar)
    ax.autoscale_view()


def share_axis(ax: Axes, last: float) -> None:
    """Set the axis of percentiles, up to the last one, with the ticks that have room."""

    def write(place: float) -> str:
        return units.percentile(round(100 * (1 - 10**-place), 9))

    ax.set_xlim(0, nines(last) * 1.2)
    places = [nines(share) for share in reversed(_TICKS) if share <= last]  # tails matter most
    common.fixed_ticks(ax.xaxis, common.with_room(ax.xaxis, places, write, 4)[::-1], write)


def _band_words(table: Frame, points: Sequence[_Point]) -> list[str]:
    """Say what the bands and bars are."""
    lines = []
    if any(point.bound for point in points):
        of_bins = {*frames.optional(table, "method")} == {"merged"}
        words = "band: the bins that hold the percentiles"
        lines.append(say(words if of_bins else "band: certain bounds of the percentiles"))
    if any(point.interval for point in points):
        bars = say("bars, where wider: interval")
        if share := common.only(table, "confidence"):
            words = "bars, where wider: {confidence} interval"
            bars = say(words, confidence=common.percent(share))
        runs = common.only(table, "n") or 0
        about = say("within the run, if I/Os were independent")
        if runs > 1:
            about = say("within the {n} runs, if I/Os were independent", n=int(runs))
        lines.append(say("{bars} {about}", bars=bars, about=about))
    return lines


def nines(share: float) -> float:
    """Give a percentile its place on the axis: 90 at 1, 99 at 2, 99.9 at 3."""
    return -math.log10(1 - share / 100)


def tails(comparison: IntoDataFrame, *, band: float = 0.05, ax: Axes | None = None) -> Axes:
    """Draw the ratio of each percentile against the percentile, the answer of `fiotools.tails`.

    Above 1, the I/Os of the level take longer than those of the baseline. The interval is a band;
    a percentile without an interval is a hollow point.

    Parameters
    ----------
    comparison : pandas or polars frame
        The answer of `fiotools.tails`, or of `compare` by percentile.
    band : float
        Half-width of the relevance band that was used.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    SchemaError
        If no row has a ratio, or a curve has a percentile twice.

    Examples
    --------
    >>> import pandas as pd
    >>> import fiotools as ft
    >>> found = pd.DataFrame({
    ...     "percentile": [50.0, 99.0, 99.9], "fs": "xfs", "baseline": "ext4",
    ...     "ratio": [1.0, 1.3, 1.6], "ratio_lo": [0.97, 1.1, 0.9], "ratio_hi": [1.03, 1.5, 2.8],
    ... })
    >>> ax = ft.plot.tails(found)
    >>> [label.get_text() for label in ax.texts]
    ['xfs / ext4']
    """
    table = common.opened(comparison, "percentile", "baseline", "ratio", "ratio_lo", "ratio_hi")
    shares = common.known(table, "percentile")
    common.numbers(table, "ratio", log=True)  # that there is something to draw
    ratio, low, high = (
        np.array(common.finite(table, name), dtype=np.float64)  # missing ones are NaN
        for name in ("ratio", "ratio_lo", "ratio_hi")
    )
    equal = common.band_of(band)
    ax = common.axes(ax, 7)
    ax.axhspan(*equal, color=common.shade(ax), zorder=0)
    ax.axhline(1, color=common.GREY, linewidth=1, zorder=1)
    names = []
    for at, (name, rows) in enumerate(_curves(table).items()):
        # the least and the greatest latency have no place on the axis
        own = sorted((row for row in rows if 0 < shares[row] < 100), key=lambda row: shares[row])
        if not own:
            continue
        if len({shares[row] for row in own}) < len(own):
            raise SchemaError(
                f"{name!r} has a percentile twice: filter to one latency and direction"
            )
        look = common.look_of(at, ax)
        x = [nines(shares[row]) for row in own]
        y, least = ratio[own], low[own]
        ax.fill_between(x, least, high[own], color=look.colour, alpha=0.2, linewidth=0)
        ax.plot(x, y, color=look.colour, linestyle=look.line, linewidth=1.8, zorder=3)
        for place, value, end in zip(x, y, least, strict=True):
            filling = common.ground(ax) if math.isnan(end) else look.colour
            dot: Any = {"marker": look.marker, "markersize": 5, "color": look.colour}
            ax.plot(place, value, markerfacecolor=filling, zorder=4, **dot)
        names.append((x[-1], y[-1], name, look))
    _axes(ax, table, [*ratio, *low, *high, *equal], max(shares), band)
    common.name_lines(ax, names, None)
    for text in common.beside_points(ax):  # the line of equality would run through them
        text.set_bbox(common.paper(ax))
    return ax


def _curves(table: Frame) -> dict[str, list[int]]:
    """Return the rows of each curve, named by its sides and the conditions that differ."""
    before = table.columns[: table.columns.index("baseline")]
    *by, level = [name for name in before if name != "percentile"]
    lists = frames.columns(table, [*by, level, "baseline"])
    apart = frames.differing({name: lists[name] for name in by})
    found: dict[str, list[int]] = {}
    for row in range(len(table)):
        held = sides(lists[level][row], lists["baseline"][row], level, faster=False)
        name = listed([*(called(units.level(lists[one][row], one)) for one in apart), held])
        found.setdefault(name, []).append(row)
    return found


def _axes(ax: Axes, table: Frame, drawn: list[float], last: float, band: float) -> None:
    """Set the axes, and say what the band is."""
    reach = [value for value in drawn if not math.isnan(value)]
    ax.set_yscale("log")
    ax.set_ylim(min(reach) / 1.05, max(reach) * 1.05)
    ticks_of_ratios(ax.yaxis)
    share_axis(ax, min(last, 99.9999))
    common.label_beside(ax, say("ratio of {what}", what=common.latency_of(table)))
    lines = [say("percentile of the I/Os")]
    if confidence := common.only(table, "confidence"):
        words = "band: {confidence} interval over runs"
        if "batch-means" in frames.optional(table, "method"):
            words = "band: {confidence} interval within these runs"
        lines.append(say(words, confidence=common.percent(confidence)))
    ratio, low = (frames.values(table, name) for name in ("ratio", "ratio_lo"))
    if any(end is None for value, end in zip(ratio, low, strict=True) if value is not None):
        lines.append(say("○ no interval, so chance is not ruled out"))
    lines.append(say("grey: within {band} of equal", band=common.percent(band)))
    common.label_below(ax, *lines)
