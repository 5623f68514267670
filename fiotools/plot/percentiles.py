"""Percentile curves: how long the slow I/Os take."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator
from matplotlib.transforms import offset_copy

from fiotools.errors import SchemaError
from fiotools.language import listed, say
from fiotools.plot import common, fit_text
from fiotools.stats import frames
from fiotools.stats.frames import Frame, Key
from fiotools.stats.replicates import run_keys

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

_TICKS = (1, 50, 90, 99, 99.9, 99.99, 99.999)
Ends: TypeAlias = "tuple[float, float] | None"
_DASHES = ("-", (0, (5, 2)), (0, (2, 1.5)), (0, (6, 1.5, 1, 1.5)))


def percentiles(
    frame: IntoDataFrame,
    *,
    hue: str,
    order: Sequence[Any] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw latency against percentile, each further nine as wide as the one before.

    The answers of `percentiles_from_bins` and `bound_percentiles` are drawn with their bounds as a
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
    inner = [share is not None and 0 < share < 100 for share in frames.numbers(table, "percentile")]
    beyond = frames.distinct(
        share
        for share, drawn in zip(frames.numbers(table, "percentile"), inner, strict=True)
        if not drawn
    )
    table = table[[row for row, drawn in enumerate(inner) if drawn]]
    points = _points(table, bounded=bounded)
    names = common.known(table, hue)
    curves = common.levels(names, order)
    ax = common.axes(ax, 7)
    ends, looks = [], common.looks(curves)
    several = "run" in table.columns and not bounded
    runs: list[Key] = run_keys(table) if several else [()] * len(table)
    is_many = False
    for at, (name, look) in enumerate(zip(curves, looks, strict=True)):
        of_run = frames.rows_by(runs, [row for row, own in enumerate(names) if own == name])
        lines = [own for rows in of_run.values() if (own := _line(name, points, rows))]
        is_many |= len(lines) > 1
        for own in lines:
            if bounded:
                _draw_band(ax, own, at, aside=4 * (at - (len(curves) - 1) / 2))  # where curves meet
            end = _draw_line(ax, own, look, several=len(lines) > 1)
        if lines:
            ends.append((*end, common.named(name, hue), look))
    _latency_axis(ax, table)
    share_axis(ax, max(point.share for point in points))
    what = say("percentile of the I/Os")
    if is_many:
        what = say("{label} (a line: one run)", label=what)
    else:
        what = common.of_one_run(what, table, [names.index(name) for name in curves])
    words = _band_words(table, points) if bounded else []
    if beyond:
        shown = listed(f"p{share:g}" for share in sorted(beyond))
        words.append(say("no place on this axis: {names}", names=shown))
    common.label_below(ax, what, *words)
    if bounded:
        common.log_ticks(ax.yaxis, *ax.get_ylim())
    common.name_lines(ax, ends, hue)
    return ax


class _Point(NamedTuple):
    """A percentile of a curve with a value or a bound."""

    share: float
    value: float | None
    bound: Ends = None
    interval: Ends = None

    @property
    def x(self) -> float:
        """Its place on the axis: 90 at 1, 99 at 2, 99.9 at 3."""
        return nines(self.share)


def _points(table: Frame, *, bounded: bool) -> list[_Point]:
    """Return the point of each row."""
    shares = common.known(table, "percentile")
    if not bounded:
        values = common.numbers(table, "value_ns", log=True)
        return list(map(_Point, shares, values))
    bounds, intervals = _bound_ends(table, "bound"), _bound_ends(table, "value")
    told: list[float | None] = [None] * len(table)
    if "value_ns" in table.columns and (
        not any(bounds) or any(value is not None for value in frames.numbers(table, "value_ns"))
    ):
        told = common.numbers(table, "value_ns", log=True)
    if not any(bounds) and not any(value is not None for value in told):
        raise SchemaError("nothing to draw: no row has a value of 'bound_lo_ns' and 'bound_hi_ns'")
    return list(map(_Point, shares, told, bounds, intervals))


def _bound_ends(table: Frame, what: str) -> list[Ends]:
    """Return ``bound`` or ``value`` with both ends of each row; None where an end is missing."""
    columns = (f"{what}_lo_ns", f"{what}_hi_ns")
    if not {*columns} <= {*table.columns}:
        return [None] * len(table)
    found: list[Ends] = []  # a latency of 0 has no place on the axis
    for low, high in zip(*(frames.numbers(table, name) for name in columns), strict=True):
        found.append((low, high) if low and high and math.isfinite(low + high) else None)
    ends = [end for pair in found if pair for end in pair]
    common.above_zero(columns[0], ends)
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
    drawn = [(point.x, point.value) for point in curve if point.value is not None]
    if not drawn:
        low, high = curve[-1].bound or (1.0, 1.0)
        return curve[-1].x, math.sqrt(low * high)
    ax.plot(
        *zip(*drawn, strict=True),
        color=look.colour,
        linestyle=look.line,
        marker="none" if several else look.marker,
        markersize=4,
        linewidth=0.9 if several else 1.8,
        alpha=0.6 if several else 1,
    )
    return drawn[-1]


def _draw_band(ax: Axes, curve: Sequence[_Point], at: int, *, aside: float) -> None:
    """Draw the bounds of a curve as a band, and its intervals as bars so many points aside.

    The edges of the band are drawn if there are no values between them, and an interval if it is
    wider than the bounds.
    """
    colour = common.look_of(at).colour
    places = [point.x for point in curve]
    low, high = ([one.bound[end] if one.bound else math.nan for one in curve] for end in (0, 1))
    ax.fill_between(places, low, high, color=colour, alpha=0.25, linewidth=0, zorder=1)
    if all(point.value is None for point in curve):
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
        [(point.x, end) for end in point.interval]
        for point in curve
        if point.interval and point.interval != point.bound
    ]
    beside = offset_copy(ax.transData, ax.get_figure(root=True), x=aside, units="points")
    drawn = LineCollection(bars, colors=colour, linewidths=1.2, alpha=0.8, transform=beside)
    ax.add_collection(drawn, autolim=False)
    for bar in bars:
        ax.update_datalim(bar)
    ax.autoscale_view()


def _latency_axis(ax: Axes, table: Frame) -> None:
    kinds = set(frames.values(table, "latency")) if "latency" in table.columns else set()
    ax.set_yscale("log")
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: common.tick(value, "ns")))
    ax.yaxis.set_minor_locator(NullLocator())
    ax.set_ylabel(common.latency_name(kinds.pop() if len(kinds) == 1 else None))


def share_axis(ax: Axes, last: float) -> None:
    """Set the axis of percentiles, up to the last one, with the ticks that have room."""
    wide, ticks, end = common.breadth(ax), list[float](), math.inf
    for share in (share for share in reversed(_TICKS) if share <= last):  # tails matter most
        place = nines(share) / (nines(last) * 1.2) * wide
        half = fit_text.width(f"{share:g}", common.RC["xtick.labelsize"]) / 2 + 2
        if place + half <= end:
            ticks.append(share)
            end = place - half
    ax.xaxis.set_major_locator(FixedLocator([nines(share) for share in reversed(ticks)]))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{_share(value):g}"))
    ax.set_xlim(0, nines(last) * 1.2)


def _band_words(table: Frame, points: Sequence[_Point]) -> list[str]:
    """Say what the bands and bars are."""
    lines = []
    if any(point.bound for point in points):
        methods = frames.columns(table, ("method",)).get("method", [])
        lines.append(
            say("band: the bins that hold the percentiles")
            if {*methods} == {"bins"}
            else say("band: certain bounds of the percentiles")
        )
    if any(point.interval and point.interval != point.bound for point in points):
        told = frames.columns(table, ("confidence", "note"))
        shares, notes = (frames.distinct(told.get(name, [])) for name in ("confidence", "note"))
        bars = say("bars, where wider: interval")
        if len(shares) == 1:
            bars = say(
                "bars, where wider: {confidence} interval", confidence=common.percent(shares[0])
            )
        about = notes[0] if len(notes) == 1 else ""
        lines.append(say("{bars} {about}", bars=bars, about=about))
    return lines


def nines(share: float) -> float:
    """Give a percentile its place on the axis: 90 at 1, 99 at 2, 99.9 at 3."""
    return -math.log10(1 - share / 100)


def _share(nines: float) -> float:
    return round(100 * (1 - 10**-nines), 6)
