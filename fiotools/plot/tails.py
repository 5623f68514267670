"""Shifts of percentiles: the ratio of two sides at each, with its interval as a band."""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING

from matplotlib.axes import Axes

from fiotools import units
from fiotools.errors import SchemaError
from fiotools.language import called, listed, say
from fiotools.plot import common
from fiotools.plot.percentiles import nines, share_axis
from fiotools.plot.ratios import sides, ticks_of_ratios
from fiotools.stats import frames
from fiotools.stats.frames import Frame

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

_OVER = "band: {confidence} interval over runs"
_WITHIN = "band: {confidence} interval within these runs"


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
        [nan if value is None else value for value in frames.numbers(table, name)]
        for name in ("ratio", "ratio_lo", "ratio_hi")
    )
    ax = common.axes(ax, 7)
    ax.axhspan(1 / (1 + band), 1 + band, color=common.shade(ax), zorder=0)
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
        look = common.look_of(at)
        colour = look.colour
        x, y = [nines(shares[row]) for row in own], [ratio[row] for row in own]
        ax.fill_between(
            *(x, [low[row] for row in own], [high[row] for row in own]),
            color=colour,
            alpha=0.2,
            linewidth=0,
        )
        ax.plot(x, y, color=colour, linestyle=look.line, linewidth=1.8, zorder=3)
        for place, value, row in zip(x, y, own, strict=True):
            filling = colour if low[row] == low[row] else common.ground(ax)
            ax.plot(
                *(place, value),
                marker=look.marker,
                markersize=5,
                color=colour,
                markerfacecolor=filling,
                zorder=4,
            )
        names.append((x[-1], y[-1], name, look))
    _axes(ax, table, [*ratio, *low, *high, 1 / (1 + band), 1 + band], max(shares), band)
    common.name_lines(ax, names, None)
    for text in ax.texts:  # the line of equality would run through them
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
    reach = [value for value in drawn if value == value]
    ends = min(reach) / 1.05, max(reach) * 1.05
    ax.set_yscale("log")
    ax.set_ylim(*ends)
    ticks_of_ratios(ax.yaxis, *ends)
    share_axis(ax, min(last, 99.9999))
    told = frames.columns(table, ("latency", "confidence", "method"))
    ratio, low = (frames.values(table, name) for name in ("ratio", "ratio_lo"))
    kinds = frames.distinct(told.get("latency", []))
    what = common.latency_name(kinds[0] if len(kinds) == 1 else None)
    ax.set_ylabel(say("ratio of {what}", what=what))
    confidence = frames.distinct(told.get("confidence", []))
    lines = [say("percentile of the I/Os")]
    if len(confidence) == 1:
        within = {*told.get("method", [])} & {"batch-means"}
        lines.append(say(_WITHIN if within else _OVER, confidence=common.percent(confidence[0])))
    if any(end is None for value, end in zip(ratio, low, strict=True) if value is not None):
        lines.append(say("○ no interval, so chance is not ruled out"))
    lines.append(say("grey: within {band} of equal", band=common.percent(band)))
    common.label_below(ax, *lines)
