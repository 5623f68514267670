"""The forest plot: ratios with their intervals and the band that does not matter."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeAlias

from matplotlib.axes import Axes
from narwhals.typing import IntoDataFrame

from fiotools import units
from fiotools.errors import SchemaError
from fiotools.flags import has
from fiotools.language import called, listed, say
from fiotools.plot import common, fit_text
from fiotools.stats.frames import Frame, distinct, to_type, values

Row: TypeAlias = dict[str, Any]

_ENDS = ("ratio", "ratio_lo", "ratio_hi")
_TICKS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100)
_DECADES = tuple(10.0**power for power in range(-12, 13))
_FINE = (0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.2, 1.5, 2, 3, 4, 5)
_GIVE = "; give what compare() returned"
_EACH = "○ one run each: no interval, so chance is not ruled out"
_SIDE = "○ one run on a side: no interval, so chance is not ruled out"
_FEW = "○ too few runs: no interval, so chance is not ruled out"
_SAME = "○ no spread at all: no interval; are these copies of one run?"
_MOST = 0.5  # of narrow Axes: what a text may take


def ratios(
    comparison: IntoDataFrame,
    *,
    band: float = 0.05,
    labels: list[str] | None = None,
    limits: tuple[float, float] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the ratios of `compare`, or the speed-ups of `speedup`, on a logarithmic axis.

    An answer with the columns ``speedup``, ``speedup_lo`` and ``speedup_hi`` is drawn by them:
    above 1 is faster, even if the metric is a time. Any other is drawn by ``ratio``, level /
    baseline. A ratio without an interval is hollow, and the axis says why. A row over all workloads
    is a diamond below a line.

    Parameters
    ----------
    comparison : pandas or polars frame
        The answer of `compare`, `speedup` or `overall`.
    band : float
        Half-width of the relevance band that was used.
    labels : list of str, optional
        A name per row; by default the ``by`` columns and ``level / baseline``
        (``level against baseline`` of speed-ups). With names of your own, the axis names the sides.
    limits : (float, float), optional
        Draw intervals only between these ratios; an arrow says that one goes on.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    SchemaError
        If the frame is not a comparison, has several metrics and no labels, or the number of labels
        differs from that of the rows.

    Examples
    --------
    >>> import fiotools as ft
    >>> io = ft.read("data/dda-vhdx/xml/{volume}.xml").io
    >>> cmp = ft.compare(io, "iops", between="volume", baseline="vhdx", by="direction")
    >>> len(ft.plot.ratios(cmp).get_yticks())
    6
    """
    needed = ("baseline", "metric", *_ENDS)
    table = common.answer(comparison, needed, "a comparison", _GIVE)
    drawn = _measure(table)
    faster = drawn == "speedup"
    # from here on a speed-up is a ratio
    rows = [
        row | {name: row[name.replace("ratio", drawn)] for name in _ENDS}
        for row in common.records(table)
    ]
    names = _names(table, rows, labels, faster=faster)
    equal = common.band_of(band)
    ax = common.axes(ax, len(rows))
    ax.axvspan(*equal, color=common.shade(ax), zorder=0)
    ax.axvline(1, color=common.GREY, linewidth=1, zorder=1)
    reach, cut = _points(ax, rows, limits or (0.0, math.inf))
    reach += equal
    common.name_rows(ax, names)
    common.above_zero(drawn, reach)
    _log_axis(ax, min(reach), max(reach))
    lines = [_what(table, band, faster=faster, by_sides=labels is not None), *_missing(rows)]
    if cut:
        lines.append(say("arrow: the interval goes on"))
    common.label_below(ax, *lines, spacing=1.5)
    return ax


def _measure(table: Frame) -> str:
    """Say which column is drawn: that of a speed-up, or of a ratio."""
    if table.columns[0] == "baseline":
        raise SchemaError(f"not a comparison: no column before baseline{_GIVE}")
    faster = {"speedup", "speedup_lo", "speedup_hi"} <= set(table.columns)
    drawn = "speedup" if faster else "ratio"
    common.numbers(table, drawn, log=True)  # that there is something to draw
    for end in ("_lo", "_hi"):
        common.finite(table, drawn + end)
    return drawn


def _names(table: Frame, rows: list[Row], labels: list[str] | None, *, faster: bool) -> list[str]:
    """Name the rows as the caller does, or by the levels that are compared."""
    if labels is not None:
        if len(labels) != len(rows):
            raise SchemaError(f"{len(labels)} labels for {len(rows)} rows: give one for each")
        return [called(name) for name in labels]
    metrics = distinct(values(table, "metric"))
    if len(metrics) > 1:
        raise SchemaError(
            f"several metrics ({', '.join(metrics)}): draw one at a time, "
            f"{to_type(table, 'metric', metrics[0])}, or give labels="
        )
    *by, level = table.columns[: table.columns.index("baseline")]
    found = []
    for row in rows:
        own = [one for one in by if not _all(row) or row[one] is not None]
        named = [called(units.level(row[one], one)) for one in own]
        if _all(row):
            fixed = row["about"] == "these workloads"
            about = "all {n} workloads" if fixed else "workloads like these {n}"
            named.append(say(about, n=row["workloads"]))
        found.append(listed([*named, sides(row[level], row["baseline"], level, faster=faster)]))
    return found


def _all(row: Row) -> bool:
    """Say whether a row is over all workloads."""
    return (row.get("workloads") or 1) > 1


def _points(ax: Axes, rows: list[Row], limits: tuple[float, float]) -> tuple[list[float], bool]:
    """Draw each ratio with its interval.

    Returns the values that the axis has to show, and whether an interval goes on beyond the limits.
    """
    reach, cut = [], False
    for place, row in enumerate(rows):
        ratio, low, high = (row[name] for name in _ENDS)
        if _all(row) and place and not _all(rows[place - 1]):
            ax.axhline(place - 0.5, color=common.GREY, linewidth=0.8, zorder=1)
        if ratio is None:
            continue
        reach.append(ratio)
        marker, colour = ("D", common.PALETTE[1]) if _all(row) else ("o", common.PALETTE[0])
        text, end, filling = common.factor(ratio), ratio, common.ground(ax)
        if low is not None and high is not None:
            left, right = min(ratio, max(low, limits[0])), max(ratio, min(high, limits[1]))
            ax.plot([left, right], [place, place], color=colour, linewidth=2.2, zorder=3)
            for edge, full, arrow in ((left, low, "<"), (right, high, ">")):
                if edge != full:
                    cut = True
                    ax.plot(edge, place, marker=arrow, markersize=7, color=colour, zorder=3)
            reach += [left, right]
            text = f"{text} [{units.human(low, '')}, {units.human(high, '')}]"
            end, filling = right, colour
        look: Any = {"markersize": 8, "markeredgewidth": 1.8, "color": colour, "zorder": 4}
        ax.plot(ratio, place, marker=marker, markerfacecolor=filling, **look)
        common.write(ax, text, end, place)
    return reach, cut


def _sides(table: Frame, *, faster: bool) -> str:
    """Name the sides that all rows share: both, or the baseline."""
    between = table.columns[table.columns.index("baseline") - 1]
    levels, baselines = (distinct(values(table, name)) for name in (between, "baseline"))
    if len(baselines) > 1:
        return ""
    if len(levels) > 1:
        return say("against {baseline}", baseline=units.sides(baselines[0], levels[0], between)[0])
    return sides(levels[0], baselines[0], between, faster=faster)


def _what(table: Frame, band: float, *, faster: bool, by_sides: bool) -> str:
    """Say what the axis shows, and its sides if the rows do not."""
    metrics = distinct(values(table, "metric"))
    what = listed([common.wording(metric) for metric in metrics], " and ")
    what = say("times faster, by {what}" if faster else "ratio of {what}", what=what)
    if by_sides:
        what = listed(filter(None, (what, _sides(table, faster=faster))))
    return say(
        "{what} (log axis; grey: within {band} of equal)", what=what, band=common.percent(band)
    )


def _missing(rows: list[Row]) -> list[str]:
    """Say why some ratios have no interval."""
    few, is_same = set(), False
    for row in rows:
        ratio, *ends = (row[name] for name in _ENDS)
        if ratio is None or None not in ends:
            continue
        if has(row.get("flags"), "no-spread"):
            is_same = True
            continue
        runs = {row[name] for name in ("n", "n_baseline") if name in row}
        few.add(_EACH if runs <= {1} else _SIDE if 1 in runs else _FEW)
    lines = [say(_FEW if len(few) > 1 else few.pop())] if few else []
    return [*lines, say(_SAME)] if is_same else lines


def sides(level: Any, baseline: Any, between: str, *, faster: bool) -> str:
    """Name the two sides of a ratio."""
    versus = "{level} against {baseline}" if faster else "{level} / {baseline}"
    own, other = map(called, units.sides(level, baseline, between))
    return say(versus, level=own, baseline=other)


def _log_axis(ax: Axes, low: float, high: float) -> None:
    """Set a log axis with ticks that people would write, and room for the texts."""
    ax.set_xscale("log")
    span, wide = math.log(high / low), common.breadth(ax)
    for text in common.beside_points(ax) if wide < common.NARROW else []:
        # the ratio without its interval, which is drawn
        if fit_text.width(text.get_text(), common.size_of(text)) >= _MOST * wide:
            text.set_text(text.get_text().partition(" ")[0])
    common.fit_texts(ax, low * math.exp(-0.08 * span - 0.02), high * math.exp(0.22 * span + 0.05))
    ticks_of_ratios(ax.xaxis)


def ticks_of_ratios(axis: Any) -> None:
    """Set ticks that people would write on a log axis of ratios; 1 matters most."""
    low, high = axis.get_view_interval()
    ticks: Sequence[float] = _FINE
    if high / low >= 4:
        ticks = _TICKS if high / low < 1000 else _DECADES
    there = sorted((value for value in ticks if low <= value <= high), key=lambda x: x != 1)
    common.fixed_ticks(axis, common.with_room(axis, there, _tick, 6), _tick)


def _tick(ratio: float) -> str:
    return f"{common.tick(ratio, '')}x"
