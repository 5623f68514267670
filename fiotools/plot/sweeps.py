"""Metrics against swept conditions: lines through the means, a device under load, and a grid."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import LogNorm, Normalize
from matplotlib.transforms import offset_copy
from narwhals.typing import IntoDataFrame
from numpy.typing import NDArray

from fiotools import units
from fiotools.errors import SchemaError, argument
from fiotools.language import counted, listed, say
from fiotools.plot import common, fit_text
from fiotools.stats import frames
from fiotools.stats.best_under import best_under
from fiotools.stats.columns import Columns
from fiotools.stats.compare import settled
from fiotools.stats.frames import Frame, Key, metric_of
from fiotools.stats.replicates import choose_scope, refuse_directions
from fiotools.stats.summary import summarize

Interval = tuple[float, float | None, float | None]  # a middle, and the ends around it

_FAR = 8  # times: from there on an axis is logarithmic
_ROWS = 7  # of a chart: the height of one panel alone
_COLUMNS, _PANEL = 3, 2.1  # panels side by side, and inches of height for each
_BESIDE = 0.3  # of the figure's width: the widest legend beside panels
_HEIGHT = 5.4  # inches: both panels of a load curve
_RING = {"marker": "o", "markersize": 11, "markerfacecolor": "none", "markeredgewidth": 1.3}
_DIAMOND = {"marker": "D", "markersize": 12, "markerfacecolor": "none", "markeredgewidth": 1.0}
_NAMED = 4  # lines whose best points and knees are listed below the plot
_STEPS = 20  # places on a line between two points where a text may not be
_CELLS = 0.42  # inches for a row of cells


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

    Thin bars are the means' intervals. The runs set the limits of the axis; an arrow marks an
    interval that goes on beyond them, because below six runs it can be very wide. A single run is
    hollow. An axis is logarithmic if its values span a factor of eight.

    Parameters
    ----------
    frame : pandas or polars frame
        One row per run.
    metric : str
        The column to draw.
    x : str
        The swept condition: a column of numbers, with a tick at each.
    hue : str, optional
        The column that names the lines; the name stands at the line's end, or in a legend if there
        are many.
    by : str or sequence of str, optional
        Draw a panel for each combination of these columns, with the same axes.
    summary : pandas or polars frame, optional
        The answer of `summarize` for the metric, by ``by``, ``hue`` and ``x``; made here if left
        out.
    order : sequence, optional
        The lines, which take their colours in this order.
    ax : matplotlib.axes.Axes, optional
        Without `by`.

    Returns
    -------
    matplotlib.axes.Axes, or numpy.ndarray of them if `by` is given

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
    columns = frames.names(by)
    swept = _Swept(frame, metric, x, hue, summary, order, columns)
    if columns and ax is not None:
        raise SchemaError(f"{argument('by')} draws several panels: leave ax= out")
    if columns:
        return _panels(swept, columns)
    ax = common.axes(ax, max(_ROWS, len(swept.lines) / 2))
    ends = swept.draw(ax)
    common.label_below(ax, swept.what)
    if hue:
        common.name_lines(ax, ends, hue)
    return ax


def _panels(swept: _Swept, by: Sequence[str]) -> NDArray[Any]:
    """Draw a panel for each cell, with the same axes and one legend: beside them, or above."""
    wide = min(_COLUMNS, math.ceil(math.sqrt(len(swept.panels))))
    high = -(-len(swept.panels) // wide)
    grid = common.panels(high, wide, 0.9 + _PANEL * high, sharex=True, sharey=True)
    figure, whole = grid[0, 0].get_figure(), 72 * common.WIDTH
    axes = grid.ravel()[: len(swept.panels)]
    names = [common.named(name, swept.hue) for name in swept.lines] if swept.hue else []
    broad = common.legend_width(axes[0], names) if names else 0.0
    is_beside = broad <= _BESIDE * whole
    taken = broad / wide if is_beside else 0.0
    ends: dict[str, common.End] = {}
    for ax, cell in zip(axes, swept.panels, strict=True):
        ends |= {end[2]: end for end in swept.draw(ax, cell, taken)}
        common.title_panel(ax, cell, by, taken)
        ax.label_outer()
    for spare in grid.ravel()[len(axes) :]:
        spare.remove()
        grid[-2, (len(axes) - 1) % wide + 1 :][0].tick_params(labelbottom=True)
    size = common.RC["axes.labelsize"]
    what = fit_text.broken(swept.what, size, whole)
    common.literal([figure.supxlabel(what, x=0.01, ha="left", fontsize=size)])
    if names:
        look: Any = {"fontsize": common.small(axes[0]), "alignment": "left"}
        look["loc"] = "outside right upper" if is_beside else "outside upper left"
        look["ncols"] = 1 if is_beside else max(1, int(whole / broad))
        drawn = common.broken_names(axes[0], ends.values(), whole if is_beside else 2 * whole)
        handles, title = common.line_handles(drawn), common.legend_title(swept.hue)
        common.legend(figure, handles, title, **look)
    return np.asarray(axes)


class _Swept:
    """The runs of a metric and their means by a swept condition.

    An axis is logarithmic if its values are above zero and span a factor of eight.
    """

    def __init__(
        self,
        frame: IntoDataFrame,
        metric: str,
        x: str,
        hue: str | None,
        summary: IntoDataFrame | None,
        order: Sequence[Any] | None,
        by: Sequence[str] = (),
    ) -> None:
        self.metric, self.x, self.hue = metric, x, hue
        keys = [*by, *([hue] if hue else []), x]
        table = common.opened(frame, metric, *keys)
        ys = common.numbers(table, metric)
        common.numbers(table, x)
        if summary is None:
            summary = summarize(table.to_native(), metric, by=keys)
        self.middles = common.Middles(summary, metric, *keys)
        names = common.known(table, hue)
        xs = common.known(table, x)
        self.values = sorted(set(xs))
        there = [y for y in ys if y is not None]
        self.reach = min(there), max(there)
        self.is_log = (is_far(self.values[0], self.values[-1]), is_far(*self.reach))
        self.cut = False  # whether an interval goes on beyond the axis
        self.lines = common.levels(names, order)
        cells = frames.keys_of(table, by)
        self.panels = list(frames.groups(table, by))
        self.drawn: dict[Key, list[tuple[Any, float]]] = {}
        self.missing = 0
        for cell, name, px, y in zip(cells, names, xs, ys, strict=True):
            if name in self.lines and y is not None:
                self.drawn.setdefault((cell, name), []).append((px, y))
            elif name in self.lines:
                self.missing += 1

    def interval(self, name: Any, place: Any, panel: Key = ()) -> Interval:
        """Return the mean of a point of a line, with its interval."""
        return self.middles[(*panel, name, place) if self.hue else (*panel, place)]

    def mean(self, name: Any, place: Any) -> float | None:
        """Return the mean of a point of a line of the only panel, if it has one."""
        cell = (name, place) if self.hue else (place,)
        return self.middles[cell][0] if cell in self.middles.cells else None

    def draw(self, ax: Axes, panel: Key = (), taken: float = 0) -> list[common.End]:
        """Draw every run of a panel, a line through the means, and their intervals.

        A legend takes ``taken`` points of its width. Returns where the lines end.
        """
        ends, bars = [], []
        for at, (name, look) in enumerate(
            zip(self.lines, common.looks(self.lines, ax), strict=True)
        ):
            if not (runs := self.drawn.get((panel, name))):
                continue
            self._points(ax, look, runs)
            places = sorted({px for px, _ in runs})
            means = [self.interval(name, place, panel) for place in places]
            middles = [mean for mean, _, _ in means]
            ax.plot(places, middles, color=look.colour, linestyle=look.line, linewidth=1.6)
            bars.append((at, look.colour, zip(places, means, strict=True)))
            ends.append((places[-1], middles[-1], common.named(name, self.hue), look))
        self._axes(ax, taken)
        for bar in bars:
            self._intervals(ax, *bar)
        return ends

    def _points(self, ax: Axes, look: common.Look, runs: list[tuple[Any, float]]) -> None:
        """Draw the runs of a line, a single one hollow."""
        counts = Counter(px for px, _ in runs)
        filled = {"alpha": 0.6}
        hollow = {"markerfacecolor": common.ground(ax), "markeredgewidth": 1.4, "zorder": 2.5}
        for is_single, own in ((False, filled), (True, hollow)):
            drawn = [run for run in runs if (counts[run[0]] == 1) is is_single]
            if drawn:
                how: Any = {"markersize": 5, "color": look.colour, **own}
                ax.plot(*zip(*drawn, strict=True), look.marker, **how)

    def _intervals(
        self, ax: Axes, at: int, colour: str, means: Iterable[tuple[Any, Interval]]
    ) -> None:
        """Draw the intervals as far as the axis reaches; an arrow marks one that goes on."""
        bottom, top = ax.get_ylim()
        # side by side, where lines meet
        beside = 4 * (at - (len(self.lines) - 1) / 2) * min(1, 7 / len(self.lines))
        aside = offset_copy(ax.transData, ax.get_figure(root=True), x=beside, units="points")
        there = [
            (px, low, high) for px, (_, low, high) in means if low is not None and high is not None
        ]
        bars = [[(px, max(low, bottom)), (px, min(high, top))] for px, low, high in there]
        drawn = LineCollection(bars, colors=colour, linewidths=1, alpha=0.5, transform=aside)
        ax.add_collection(drawn, autolim=False)  # an interval does not widen the axis
        arrows = [(px, bottom, "v") for px, low, _ in there if low < bottom]
        arrows += [(px, top, "^") for px, _, high in there if high > top]
        self.cut |= bool(arrows)
        look: Any = {"markersize": 4, "color": colour, "transform": aside, "clip_on": False}
        for px, edge, marker in arrows:
            ax.plot(px, edge, marker, scalex=False, scaley=False, **look)

    def _axes(self, ax: Axes, taken: float) -> None:
        """Set the axes, with a tick at each value that was swept."""
        first, last = self.values[0], self.values[-1]
        if self.is_log[0]:
            ax.set_xscale("log")
            ax.set_xlim(first / 1.5, last * 1.5)
        else:
            room = 0.06 * (last - first or abs(last) or 1)
            ax.set_xlim(first - room, last + room)
        kept = common.with_room(ax.xaxis, self.values, self.written, 2, taken)
        common.fixed_ticks(ax.xaxis, kept, self.written)
        # the limits are those of all panels, and of what else was drawn
        least, most = self.reach
        ax.update_datalim([(first, least), (last, most)])
        ax.margins(y=0.08)
        if self.is_log[1]:
            ax.set_yscale("log")
            low, high = _widened(*ax.get_ylim())
            ax.set_ylim(low, high, auto=None)  # others may share the axis, and draw on it
            common.log_ticks(ax.yaxis, low, high)  # of all panels, where they share the axis
            common.unit_ticks(ax.yaxis, common.unit(self.metric))
        else:
            ax.set_ylim(bottom=ax.get_ylim()[0] if least < 0 else 0, auto=None)
            common.few_ticks(ax.yaxis, common.unit(self.metric))
        common.label_beside(ax, common.wording(self.metric, short=True))

    def written(self, value: float) -> str:
        """Write a level of the condition."""
        return _tick(value, common.unit(self.x))

    @property
    def what(self) -> str:
        """The axis' label: what was swept, and what is drawn."""
        bars = "line and bars: mean, {confidence} interval"
        runs = Counter((line, px) for line, own in self.drawn.items() for px, _ in own)
        drawn = self.middles.drawn(runs, bars, say("line: mean"))
        if self.cut:
            drawn.append(say("arrow: the interval goes on"))
        if self.missing:
            drawn.append(say("rows without a value: {n}", n=self.missing))
        label = common.condition(self.x)
        return say("{label} ({drawn})", label=label, drawn=listed(drawn, "; "))


def is_far(low: float, high: float) -> bool:
    """Whether values lie so far apart that equal steps would hide the small ones."""
    return low > 0 and high / low >= _FAR


def _tick(value: float, unit: str) -> str:
    """Write a level of a condition on its axis."""
    return units.binary(value) if unit == "B" else f"{value:g}"


def _widened(low: float, high: float) -> tuple[float, float]:
    """Widen a short axis until it has two of the ticks 1, 2, 5, 10, ..."""
    decades = range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 2)
    ticks = [step * 10.0**power for power in decades for step in (1, 2, 5)]
    if sum(low <= value <= high for value in ticks) > 1:
        return low, high
    below = max(value for value in ticks if value <= low)
    return below, min(value for value in ticks if value >= high and value > below)


def load(
    frame: IntoDataFrame,
    latency: str = "lat_mean_ns",
    *,
    x: str = "iodepth",
    hue: str | None = None,
    limit: float | str | None = None,
    summaries: Sequence[IntoDataFrame] | None = None,
    best: IntoDataFrame | None = None,
    order: Sequence[Any] | None = None,
    axes: Sequence[Axes] | NDArray[Any] | None = None,
) -> NDArray[Any]:
    """Draw IOPS, and latency below it, against the queue depth or any other condition.

    The hockey stick: the IOPS rise up to some depth, and the latency rises from there on. Every run
    is a point, hollow if it is the only one, and lines go through the means; thin bars are the
    means' intervals. An axis is logarithmic if its values span a factor of eight.

    A diamond marks the knee of each line: the level with the highest ratio of mean IOPS to mean
    latency. Up to the knee, more load raises the IOPS by a greater factor than the latency; beyond
    it, the latency rises by the greater factor. The first and the last level are not marked,
    because the knee may lie beyond them.

    Parameters
    ----------
    frame : pandas or polars frame
        One row per run, of one direction (or ``hue="direction"``). If there are several scopes, the
        rows of ``total`` are drawn.
    latency : str
        The column of the lower panel.
    x : str
        The swept condition: a column of numbers that raise the load, with a tick at each.
    hue : str, optional
        The column that names the lines; the name stands at the line's end.
    limit : float or str, optional
        A limit of the latency, in its base unit or as ``"1ms"``: a dashed line. Rings mark the most
        IOPS with a mean below it, as `best_under` finds them.
    summaries : two pandas or polars frames, optional
        The answers of `summarize` for ``iops`` and for ``latency``, by ``x`` (and ``hue``).
    best : pandas or polars frame, optional
        The answer of `best_under` for ``latency`` (by ``hue``; ``sweep=x`` if `x` is a label), to
        be drawn instead of `limit`.
    order : sequence, optional
        The lines, which take their colours in this order.
    axes : two matplotlib.axes.Axes, optional
        For IOPS and for latency.

    Returns
    -------
    numpy.ndarray of matplotlib.axes.Axes
        The two.

    Raises
    ------
    SchemaError
        If several directions are mixed, or a summary or `best` is of another metric or other rows.

    Examples
    --------
    >>> import pandas as pd
    >>> import fiotools as ft
    >>> io = pd.DataFrame({
    ...     "iodepth": [1, 1, 8, 8, 64, 64], "iops": [9e3, 8e3, 60e3, 62e3, 90e3, 91e3],
    ...     "lat_mean_ns": [0.11e6, 0.12e6, 0.13e6, 0.13e6, 0.71e6, 0.70e6],
    ... })
    >>> upper, lower = ft.plot.load(io, limit="500us")
    >>> print(lower.get_xlabel())
    queue depth (points: runs; line and bars: mean, 95 % interval; arrow: the interval goes on)
    ring: most I/Os per second with a mean below the limit: 61,000 /s at 8
    diamond: knee, the highest IOPS / latency: 8
    """
    named = [key for key in (hue, x) if key]
    # the rows that `summarize` keeps
    columns = choose_scope(Columns(common.opened(frame, x, "iops", latency, hue)), None, named)
    refuse_directions(columns, named)
    table = columns.data
    told = (None, None) if summaries is None else summaries
    if not isinstance(told, (list, tuple)) or len(told) != 2:
        raise SchemaError(
            "summaries= are two frames, of the rate and of the latency: "
            f"[summarize(frame, metric, by={named}) for metric in ('iops', {latency!r})]"
        )
    native = table.to_native()
    rates, waits = panels = [
        _Swept(native, metric, x, hue, summary, order)
        for metric, summary in zip(("iops", latency), told, strict=True)
    ]
    if limit is not None:
        if best is not None:
            raise SchemaError(f"best= has a limit of its own: leave {argument('limit')} out")
        best = best_under(native, latency, limit, by=hue, sweep=x)
    chosen = {} if best is None else _chosen(best, rates, waits)
    knees = _knees(rates, waits)
    upper, lower = two = _two(axes)
    rings = {name: row for name, row in chosen.items() if row["iops"] is not None}
    # drawn before the axes are scaled, so that they have room for them
    for row in rings.values():
        _mark(two, row[x], [row["iops"], row["observed"]], _RING)
    for name, at in knees.items():
        if at is not None:
            _mark(two, at, [panel.interval(name, at)[0] for panel in panels], _DIAMOND)
    limits = dict.fromkeys(row["limit"] for row in chosen.values())
    for value in limits:
        lower.axhline(value, color=common.GREY, linestyle="--", linewidth=1.2, zorder=1)
    ends = [panel.draw(ax) for panel, ax in zip(panels, two, strict=True)]
    none = [common.named(name, hue) for name in chosen if name not in rings]
    for value in limits:
        _name_limit(lower, value, latency, none if hue else [say("all")] if none else [])
    rates.cut |= waits.cut
    lines = [rates.what, *_key(rates, rings, knees)]
    common.label_below(lower, *lines)
    if not upper.get_shared_x_axes().joined(upper, lower):
        common.label_below(upper, common.condition(x))
    if hue:
        for ax, own in zip(two, ends, strict=True):
            common.name_lines(ax, own, hue, below=ax is lower)
    return two


def _two(axes: Sequence[Axes] | NDArray[Any] | None) -> NDArray[Any]:
    """Take the two Axes given, or make them."""
    if axes is None:
        made = common.panels(2, 1, _HEIGHT, sharex=True).ravel()
        made[0].get_figure().align_ylabels(made)
        return made
    given = np.asarray(axes, dtype=object).ravel()
    if len(given) != 2 or not all(isinstance(ax, Axes) for ax in given):
        raise SchemaError("axes= are two Axes, for IOPS and for latency: plt.subplots(2)[1]")
    for ax in given:
        common.keep_room(ax)
    return given


def _chosen(best: IntoDataFrame, rates: _Swept, waits: _Swept) -> dict[Any, Mapping[str, Any]]:
    """Return the conditions that `best_under` chose for each line."""
    x, hue, latency = waits.x, waits.hue, waits.metric
    by = f", by={hue!r}" if hue else ""
    give = f"give best_under(frame, {latency!r}, limit{by}, sweep={x!r})"
    needed = ["metric", "limit", "observed", "iops", x]
    table = common.answer(best, needed, "what best_under() returned", f"; {give}")
    if set(frames.values(table, "metric")) != {latency}:
        raise SchemaError(f"best= is not about {latency!r}: {give}")
    rows = common.records(table)
    found: dict[Any, Mapping[str, Any]] = {}
    for name in waits.lines:
        own = [row for row in rows if not hue or row.get(hue) == name]
        row = common.only_row(own, "best=", f" of {hue} {name!r}" if hue else "", give)
        found[name] = row
        mean = rates.mean(name, row[x])
        if row["iops"] is not None and (mean is None or not math.isclose(mean, row["iops"])):
            raise SchemaError(f"best= is about other runs than those to draw: {give}")
    return found


def _knees(rates: _Swept, waits: _Swept) -> dict[Any, float | None]:
    """Find the level of each line with the highest IOPS / latency; None if it is an end.

    Lines of fewer than three levels have no knee and are left out.
    """
    found: dict[Any, float | None] = {}
    for name in rates.lines:
        power = {}
        for value in rates.values:
            iops, latency = rates.mean(name, value), waits.mean(name, value)
            if iops is not None and latency is not None:
                power[value] = iops / latency if latency > 0 else 0.0
        if len(power) > 2:
            highest = max(power, key=power.__getitem__)
            found[name] = None if highest in (min(power), max(power)) else highest
    return found


def _mark(two: NDArray[Any], at: Any, values: Sequence[float], look: Any) -> None:
    """Put a ring or a diamond around a mean in both panels."""
    for ax, value in zip(two, values, strict=True):
        ax.plot(at, value, linestyle="none", color=common.ink(ax), zorder=6, **look)


def _key(
    panel: _Swept, rings: Mapping[Any, Mapping[str, Any]], knees: Mapping[Any, float | None]
) -> list[str]:
    """Say what the rings and diamonds are, and where."""
    lines, best = list[str](), list[str]()
    for name, row in rings.items():
        told = {"rate": units.human(row["iops"], "1/s"), "depth": panel.written(row[panel.x])}
        if panel.hue:
            shown = common.named(name, panel.hue)
            best.append(say("{name}, {rate} at {depth}", name=shown, **told))
        else:
            best.append(say("{rate} at {depth}", **told))
    if best:
        words = "ring: most I/Os per second with a mean below the limit: {best}"
        lines.append(say(words, best=common.several(best, _NAMED, "; ")))
    places = [say("none") if at is None else panel.written(at) for at in knees.values()]
    found = [
        say("{name}: {text}", name=common.named(name, panel.hue), text=place)
        for name, place in zip(knees, places, strict=True)
    ]
    if len(set(places)) == 1:  # the same for every line
        found = places[:1]
    if found:
        words = "diamond: knee, the highest IOPS / latency: {knees}"
        lines.append(say(words, knees=common.several(found, _NAMED)))
    return lines


def _name_limit(ax: Axes, limit: float, latency: str, none: Sequence[str]) -> None:
    """Write the limit over its line, and name the lines that are nowhere below it."""
    ms = common.tick(limit, common.unit(latency))
    text = say("limit: {limit}", limit=ms)
    if none:
        words = "limit: {limit} ({names}: no mean below)"
        text = say(words, limit=ms, names=common.several(none, 2))
        if fit_text.width(text, common.small(ax)) > common.points(ax)[0]:
            text = say(words, limit=ms, names=counted(len(none), "{n} line", "{n} lines"))
    right, below = _free_corner(ax, limit, fit_text.width(text, common.small(ax)))
    look: Any = {"color": common.GREY, "bbox": common.paper(ax)}
    look |= {"ha": "right" if right else "left", "va": "top" if below else "bottom"}
    aside = (-3 if right else 3, -2 if below else 2)
    common.note(ax, text, (right, limit), aside, xycoords=("axes fraction", "data"), **look)


def _free_corner(ax: Axes, limit: float, taken: float) -> tuple[int, int]:
    """Find where a text at a limit hides least: at its right end or not, below it or not."""
    wide, high = common.points(ax)
    middle = common.along(ax.yaxis, limit) * high
    places = ax.transScale + ax.transLimits  # from values to shares of the Axes
    drawn = []
    for line in ax.lines:
        if line.get_transform() == ax.transData:  # not the limit itself
            there = places.transform(np.asarray(line.get_xydata()))
            drawn += [there, *np.linspace(there[:-1], there[1:], _STEPS)]
    x, y = np.concatenate(drawn).T * [[wide], [high]]
    tall = common.line_of(ax) + 4

    def hidden(corner: tuple[int, int]) -> float:
        right, below = corner
        left, bottom = right * (wide - taken - 8), middle - below * tall
        inside = (left < x) & (x < left + taken + 8) & (bottom < y) & (y < bottom + tall)
        is_off = bottom < 0 or bottom + tall > high
        return float(np.inf if is_off else inside.sum())

    return min(((0, 0), (1, 0), (0, 1), (1, 1)), key=hidden)


class _Cell(NamedTuple):
    """A cell: a value, its text, and whether its verdict is decided."""

    value: float
    text: str
    settled: bool = True


# all cells by their column and row, their palette and its ends, and what they show
_Cells: TypeAlias = tuple[dict[Key, _Cell], str, Normalize, str]


def grid(
    frame: IntoDataFrame,
    metric: str | None = None,
    *,
    x: str = "iodepth",
    y: str = "numjobs",
    ax: Axes | None = None,
) -> Axes:
    """Draw a value, or the ratio of two sides, for each combination of two conditions.

    Parameters
    ----------
    frame : pandas or polars frame
        One row per run, to draw their mean; or, without `metric`, the answer of `compare` or
        `speedup` by ``x`` and ``y``, to draw the ratio or speed-up of one level. Letters are pale
        if the verdict is undecided.
    metric : str, optional
        The column to draw.
    x, y : str
        The columns that name the columns and the rows of cells, numbers by size.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    SchemaError
        If a cell has rows of several kinds: levels, directions or other conditions.

    Examples
    --------
    >>> import pandas as pd
    >>> import fiotools as ft
    >>> runs = pd.DataFrame({
    ...     "iodepth": [1, 1, 16, 16], "numjobs": [1, 4, 1, 4], "iops": [9e3, 30e3, 78e3, 90e3],
    ... })
    >>> ax = ft.plot.grid(runs, "iops")
    >>> [text.get_text() for text in ax.texts]
    ['9,000', '78,000', '30,000', '90,000']
    """
    table = common.opened(frame, x, y, metric)
    found, palette, norm, what = (
        _ratios(table, x, y) if metric is None else _means(table, metric, x, y)
    )
    columns, rows = (frames.ordered(one) for one in zip(*found, strict=True))
    values = np.full((len(rows), len(columns)), np.nan)
    for (column, row), cell in found.items():
        values[rows.index(row), columns.index(column)] = cell.value
    ax = common.axes(ax, _CELLS / common.ROW * len(rows))
    colours = sns.color_palette(palette, as_cmap=True)
    shown = np.ma.masked_invalid(values)
    mesh = ax.pcolormesh(shown, cmap=colours, norm=norm, edgecolors="white", linewidth=1.5)
    ax.grid(visible=False)
    for (column, row), cell in sorted(found.items(), key=lambda one: rows.index(one[0][1])):
        pale = common.luminance(mesh.to_rgba(np.array(cell.value))) > common.PALE
        size = fit_text.fitting(cell.text, common.points(ax)[0] / len(columns) - 4)
        look: Any = {"ha": "center", "va": "center", "color": "black" if pale else "white"}
        if not cell.settled:
            look |= {"alpha": 0.55, "fontstyle": "italic"}
        middle = columns.index(column) + 0.5, rows.index(row) + 0.5
        ax.text(*middle, cell.text, fontsize=size, **look)
    common.name_rows(ax, [_name(one, y) for one in rows], 0.5)
    common.name_columns(ax, [_name(one, x) for one in columns], 0.5)
    common.label_beside(ax, common.condition(y))
    common.label_below(ax, common.condition(x), what)
    return ax


def _name(value: Any, column: str) -> str:
    """Name a column or row of cells; the axis says what its numbers are."""
    if isinstance(value, (int, float)):
        return _tick(value, common.unit(column))
    return common.named(value, column)


def _means(table: Frame, metric: str, x: str, y: str) -> _Cells:
    """Return the mean of the runs in each cell."""
    told = frames.opened(summarize(table.to_native(), metric, by=[x, y]))
    cells = zip(frames.keys_of(told, [x, y]), frames.values(told, "mean"), strict=True)
    means = {place: mean for place, mean in cells if mean is not None}
    least, most = min(means.values()), max(means.values())
    far, unit = is_far(least, most), common.unit(metric)
    like = None if far else least
    found = {place: _Cell(mean, common.tick(mean, unit, like)) for place, mean in means.items()}
    what = common.wording(metric, short=True)
    said = say("in each cell: {what}, the mean of the runs", what=what)
    return found, "crest", (LogNorm if far else Normalize)(least, most), said


def _ratios(table: Frame, x: str, y: str) -> _Cells:
    """Return the ratio of each cell of a comparison; 1 has the middle of the colours."""
    frames.need(table, ["ratio", "beyond_band", "baseline"])
    drawn = "speedup" if "speedup" in table.columns else "ratio"
    keys = frames.keys_of(table, [x, y])
    if len(set(keys)) < len(keys):
        raise SchemaError(
            f"several rows for one {x} and {y}: keep one level, or compare by these two alone"
        )
    lines = zip(
        keys, frames.numbers(table, drawn), frames.values(table, "beyond_band"), strict=True
    )
    found = {
        place: _Cell(ratio, common.factor(ratio), settled(beyond))
        for place, ratio, beyond in lines
        if ratio is not None
    }
    if not found:
        raise SchemaError("nothing to draw: no row has a ratio")
    level = table.columns[table.columns.index("baseline") - 1]
    own, base, metric = (frames.values(table, name)[0] for name in (level, "baseline", "metric"))
    own, base = units.sides(own, base, level)
    what = common.wording(metric, short=True)
    said = say("in each cell: {level} / {baseline}, {what}", level=own, baseline=base, what=what)
    if not all(cell.settled for cell in found.values()):
        said = say("{said}; pale: undecided", said=said)
    far = max(1.1, *(math.exp(abs(math.log(cell.value))) for cell in found.values()))
    # blue is better, as everywhere
    is_less_better = metric_of(metric).sign < 0 and drawn == "ratio"
    return found, "vlag" if is_less_better else "vlag_r", LogNorm(1 / far, far), said
