"""Percentiles that are known between bounds only, and their intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.transforms import offset_copy

from fiotools.errors import SchemaError
from fiotools.plot import parts
from fiotools.plot.language import say, sentence
from fiotools.stats import frames
from fiotools.stats.frames import Frame

Ends: TypeAlias = "tuple[float, float] | None"

_DASHES = ("-", (0, (5, 2)), (0, (2, 1.5)), (0, (6, 1.5, 1, 1.5)))


def between(table: Frame, what: str) -> list[Ends]:
    """Give ``bound`` or ``value`` with both ends of each row; None where an end is missing."""
    columns = (f"{what}_lo_ns", f"{what}_hi_ns")
    if not {*columns} <= {*table.columns}:
        return [None] * len(table)
    found: list[Ends] = []  # a latency of 0 has no place on the axis
    for low, high in zip(*(frames.numbers(table, name) for name in columns), strict=True):
        found.append((low, high) if low and high and math.isfinite(low + high) else None)
    ends = [end for pair in found if pair for end in pair]
    parts.above_zero(columns[0], ends)
    return found


def known(table: Frame) -> tuple[list[float | None], list[Ends], list[Ends]]:
    """Give value, bounds and interval of each row; something of them is there."""
    bounds, intervals = between(table, "bound"), between(table, "value")
    values: list[float | None] = [None] * len(table)
    if "value_ns" in table.columns:
        told = frames.numbers(table, "value_ns")
        if any(value is not None for value in told) or not any(bounds):
            values = parts.numbers(table, "value_ns", log=True)
    if not any(bounds) and not any(value is not None for value in values):
        raise SchemaError("nothing to draw: no row has a value of 'bound_lo_ns' and 'bound_hi_ns'")
    return values, bounds, intervals


def draw(
    ax: Axes,
    places: Sequence[float],
    bounds: Sequence[Ends],
    intervals: Sequence[Ends],
    at: int,
    *,
    valued: bool,
    aside: float,
) -> None:
    """Draw the bounds of a curve as a band, and its intervals as bars so many points aside.

    The edges of the band are drawn where there are no values between them, and an interval where it
    is more than the bounds.
    """
    colour = parts.PALETTE[at % len(parts.PALETTE)]
    low, high = ([pair[end] if pair else math.nan for pair in bounds] for end in (0, 1))
    ax.fill_between(places, low, high, color=colour, alpha=0.25, linewidth=0, zorder=1)
    if not valued:
        for edge in (low, high):
            ax.plot(
                *(places, edge),
                color=colour,
                linestyle=_DASHES[at % len(_DASHES)],  # told apart in greyscale too
                linewidth=1.2,
                marker="_",
                markersize=7,
                zorder=2,
            )
    bars = [
        [(x, end) for end in pair]
        for x, pair, bound in zip(places, intervals, bounds, strict=True)
        if pair and pair != bound
    ]
    beside = offset_copy(ax.transData, ax.get_figure(root=True), x=aside, units="points")
    drawn = LineCollection(bars, colors=colour, linewidths=1.2, alpha=0.8, transform=beside)
    ax.add_collection(drawn, autolim=False)
    for bar in bars:
        ax.update_datalim(bar)
    ax.autoscale_view()


def legend(table: Frame, bounds: Sequence[Ends], intervals: Sequence[Ends]) -> list[str]:
    """Say what the bands and bars of a figure are."""
    lines = []
    if any(bounds):
        methods = frames.columns(table, ("method",)).get("method", [])
        lines.append(
            say("band: the bins that hold the percentiles")
            if {*methods} == {"bins"}
            else say("band: between which the percentiles certainly are")
        )
    if any(pair and pair != bound for pair, bound in zip(intervals, bounds, strict=True)):
        told = frames.columns(table, ("confidence", "note"))
        shares, notes = (frames.distinct(told.get(name, [])) for name in ("confidence", "note"))
        bars = say("bars, where wider: interval")
        if len(shares) == 1:
            bars = say("bars, where wider: {confidence} interval", confidence=f"{shares[0]:.0%}")
        about = sentence(notes[0]) if len(notes) == 1 else ""
        lines.append(say("{bars} {about}", bars=bars, about=about))
    return lines
