"""Percentile curves: how long the slow I/Os take."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from fiotools.errors import SchemaError
from fiotools.plot import bands, parts, room
from fiotools.plot.kinds import latency_name
from fiotools.plot.language import called, say
from fiotools.stats import frames

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

_TICKS = (1, 50, 90, 99, 99.9, 99.99, 99.999)
_APART = 18  # points between 1 and 50 that have room for both


def percentiles(
    frame: IntoDataFrame,
    *,
    hue: str,
    order: Sequence[Any] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw latency against percentile, each further nine as wide as the one before.

    What `percentiles_from_bins` and `bound_percentiles` answer is drawn with its bounds, as a band,
    and its intervals, as bars; the axis says what they are. A percentile that is not bounded from
    both sides is not in the band. From percentile to percentile, lines only lead the eye.

    Parameters
    ----------
    frame : pandas or polars frame
        ``percentile`` and ``value_ns``, such as `Results.percentiles`: of one latency and one
        direction, one row per percentile and curve. With ``bound_lo_ns`` and ``bound_hi_ns`` beside
        it, a value may be missing.
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
        If a curve has a percentile twice: several latencies, directions or runs are mixed.

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
    table = parts.opened(frame, hue, "percentile")
    bounded = {"bound_lo_ns", "bound_hi_ns"} <= {*table.columns}
    if not bounded:
        frames.need(table, ["value_ns"])
    # the least and the greatest latency have no place on the axis
    inner = [share is not None and 0 < share < 100 for share in frames.numbers(table, "percentile")]
    table = table[[row for row, drawn in enumerate(inner) if drawn]]
    shares = parts.known(table, "percentile")
    if bounded:
        latencies, bounds, intervals = bands.known(table)
    else:
        latencies = parts.numbers(table, "value_ns", log=True)
        bounds = intervals = [None] * len(table)
    names = parts.known(table, hue)
    kinds = set(frames.values(table, "latency")) if "latency" in table.columns else set()
    curves = parts.levels(names, order)
    ax = parts.axes(ax, 7)
    ends = []
    for at, name in enumerate(curves):
        rows = sorted(
            (share, row)
            for row, (curve, share) in enumerate(zip(names, shares, strict=True))
            if curve == name and (latencies[row] is not None or bounds[row])
        )
        if not rows:
            continue
        if len({share for share, _ in rows}) != len(rows):
            raise SchemaError(
                f"{name!r} has a percentile twice: filter to one latency, direction and run"
            )
        colour = parts.PALETTE[at % len(parts.PALETTE)]
        if bounded:
            bands.draw(
                ax,
                [_nines(share) for share, _ in rows],
                [bounds[row] for _, row in rows],
                [intervals[row] for _, row in rows],
                at,
                valued=any(latencies[row] is not None for _, row in rows),
                aside=4 * (at - (len(curves) - 1) / 2),  # where curves meet
            )
        points = [(share, value) for share, row in rows if (value := latencies[row]) is not None]
        if points:
            xs, ys = [_nines(share) for share, _ in points], [value for _, value in points]
            ax.plot(
                xs,
                ys,
                color=colour,
                marker=parts.MARKERS[at % len(parts.MARKERS)],
                markersize=4,
                linewidth=1.8,
            )
            ends.append((xs[-1], ys[-1], called(str(name)), colour))
        else:
            share, row = rows[-1]
            low, high = bounds[row] or (1.0, 1.0)
            ends.append((_nines(share), math.sqrt(low * high), called(str(name)), colour))
    ax.set_yscale("log")
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: parts.tick(value, "ns")))
    ax.yaxis.set_minor_locator(NullLocator())
    ax.set_ylabel(latency_name(kinds.pop() if len(kinds) == 1 else None))
    last = max(shares)
    ticks = [share for share in _TICKS if share <= last]
    if bounded and 50 in ticks and _nines(50) / _nines(last) * parts.points(ax)[0] < _APART:
        ticks.remove(1)
    ax.xaxis.set_major_locator(FixedLocator([_nines(share) for share in ticks]))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{_share(value):g}"))
    ax.set_xlim(0, _nines(last) * 1.2)
    firsts = [names.index(name) for name in curves]  # the rows of a curve are of one run
    what = parts.of_one_run(say("percentile of the I/Os"), table, firsts)
    ax.set_xlabel(what, loc="left")
    if bounded:
        room.label_below(ax, what, *bands.legend(table, bounds, intervals))
        parts.log_ticks(ax.yaxis, *ax.get_ylim())
    parts.end_labels(ax, ends)
    return ax


def _nines(share: float) -> float:
    """Place a percentile on the axis: 90 at 1, 99 at 2, 99.9 at 3."""
    return -math.log10(1 - share / 100)


def _share(nines: float) -> float:
    return round(100 * (1 - 10**-nines), 6)
