"""Percentile curves: how long the slow I/Os take."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from fiotools.errors import SchemaError
from fiotools.plot import parts
from fiotools.stats import frames

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

_LATENCIES = {"slat": "submission latency", "clat": "completion latency"}
_TICKS = (1, 50, 90, 99, 99.9, 99.99, 99.999)


def percentiles(
    frame: IntoDataFrame,
    *,
    hue: str,
    order: Sequence[Any] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw latency against percentile, each further nine as wide as the one before.

    Parameters
    ----------
    frame : pandas or polars frame
        ``percentile`` and ``value_ns``, such as `Results.percentiles`: of one latency and one
        direction, one row per percentile and curve.
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
    table = parts.opened(frame, hue, "percentile", "value_ns")
    # the least and the greatest latency have no place on the axis
    inner = [share is not None and 0 < share < 100 for share in frames.numbers(table, "percentile")]
    table = table[[row for row, drawn in enumerate(inner) if drawn]]
    shares, latencies = parts.known(table, "percentile"), parts.numbers(table, "value_ns", log=True)
    names = parts.known(table, hue)
    kinds = set(frames.values(table, "latency")) if "latency" in table.columns else set()
    curves = parts.levels(names, order)
    ax = parts.axes(ax, 7)
    ends = []
    for at, name in enumerate(curves):
        points = sorted(
            (share, value)
            for curve, share, value in zip(names, shares, latencies, strict=True)
            if curve == name and value is not None
        )
        if not points:
            continue
        if len({share for share, _ in points}) != len(points):
            raise SchemaError(
                f"{name!r} has a percentile twice: filter to one latency, direction and run"
            )
        colour = parts.PALETTE[at % len(parts.PALETTE)]
        xs, ys = [_nines(share) for share, _ in points], [value for _, value in points]
        ax.plot(
            xs,
            ys,
            color=colour,
            marker=parts.MARKERS[at % len(parts.MARKERS)],
            markersize=4,
            linewidth=1.8,
        )
        ends.append((xs[-1], ys[-1], str(name), colour))
    ax.set_yscale("log")
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: parts.tick(value, "ns")))
    ax.yaxis.set_minor_locator(NullLocator())
    ax.set_ylabel(_LATENCIES.get(kinds.pop(), "latency") if len(kinds) == 1 else "latency")
    last = max(shares)
    ax.xaxis.set_major_locator(FixedLocator([_nines(share) for share in _TICKS if share <= last]))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{_share(value):g}"))
    ax.set_xlim(0, _nines(last) * 1.2)
    ax.set_xlabel("percentile of the I/Os", loc="left")
    parts.end_labels(ax, ends)
    return ax


def _nines(share: float) -> float:
    """Place a percentile on the axis: 90 at 1, 99 at 2, 99.9 at 3."""
    return -math.log10(1 - share / 100)


def _share(nines: float) -> float:
    return round(100 * (1 - 10**-nines), 6)
