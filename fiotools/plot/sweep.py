"""A metric against a swept condition: the runs and lines through their means."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator
from matplotlib.transforms import offset_copy

from fiotools.errors import SchemaError, argument
from fiotools.language import listed, say
from fiotools.plot import common, fit_text
from fiotools.stats import frames
from fiotools.stats.frames import Key
from fiotools.stats.summary import summarize
from fiotools.units import binary

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame
    from numpy.typing import NDArray

Interval = tuple[float, float | None, float | None]  # a middle, and the ends around it

_FAR = 8  # times: from there on an axis is logarithmic
_ROWS = 7  # of a chart: the height of one panel alone
_COLUMNS, _PANEL = 3, 2.1  # panels side by side, and inches of height for each


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
    swept = Swept(frame, metric, x, hue, summary, order, columns)
    if not columns:
        ax = common.axes(ax, max(_ROWS, len(swept.lines) / 2))
        ends = swept.draw(ax)
        common.label_below(ax, swept.what)
        if hue:
            common.name_lines(ax, ends, hue)
        return ax
    if ax is not None:
        raise SchemaError(f"{argument('by')} draws several panels: leave ax= out")
    return _panels(swept, columns)


def _panels(swept: Swept, by: Sequence[str]) -> NDArray[Any]:
    """Draw a panel for each cell, with the same axes and one legend."""
    wide = min(_COLUMNS, math.ceil(math.sqrt(len(swept.panels))))
    high = -(-len(swept.panels) // wide)
    grid = common.panels(high, wide, 0.9 + _PANEL * high, sharex=True, sharey=True)
    figure = grid[0, 0].get_figure()
    axes = grid.ravel()[: len(swept.panels)]
    ends: dict[str, common.End] = {}
    size = common.RC["axes.labelsize"]
    for ax, cell in zip(axes, swept.panels, strict=True):
        ends |= {end[2]: end for end in swept.draw(ax, cell)}
        common.title_panel(ax, cell, by)
        ax.label_outer()
    for spare in grid.ravel()[len(axes) :]:
        spare.remove()
        grid[-2, (len(axes) - 1) % wide + 1 :][0].tick_params(labelbottom=True)
    what = fit_text.wrapped(swept.what, size, 72 * common.WIDTH)
    figure.supxlabel("\n".join(what), x=0.01, ha="left", fontsize=size)
    if swept.hue:
        figure.legend(
            handles=common.line_handles(ends.values()),
            title=common.legend_title(swept.hue),
            frameon=False,
            loc="outside right upper",
            fontsize=common.small(axes[0]),
            alignment="left",
        )
    return np.asarray(axes)


class Swept:
    """The runs of a metric and their means by a swept condition.

    An axis is logarithmic if its values are above zero and span a factor of eight.
    """

    def __init__(
        self,
        frame: IntoDataFrame,
        metric: str,
        x: str,
        hue: str | None,
        summary: IntoDataFrame | None = None,
        order: Sequence[Any] | None = None,
        by: Sequence[str] = (),
    ) -> None:
        self.metric, self.x, self.hue = metric, x, hue
        keys = [*by, *([hue] if hue else []), x]
        table = common.opened(frame, metric, *keys)
        self.ys = common.numbers(table, metric)
        common.numbers(table, x)
        if summary is None:
            summary = summarize(table.to_native(), metric, by=keys)
        told = common.summary_rows(summary, metric, *keys)
        self.names = common.known(table, hue) if hue else [None] * len(self.ys)
        self.xs = common.known(table, x)
        self.values = sorted(set(self.xs))
        self.is_log = (is_far(self.xs), is_far(y for y in self.ys if y is not None))
        self.middles = common.Middles(told, "mean", *keys)
        self.confidence = common.confidence_of(told, "mean")
        self.cut = False  # whether an interval goes on beyond the axis
        self.lines = common.levels(self.names, order)
        self.looks = common.looks(self.lines)
        self.panels = frames.groups(table, by)
        cells = frames.keys_of(table, by)
        drawn = zip(cells, self.names, self.xs, self.ys, strict=True)
        self.runs = Counter(
            (cell, name, px) for cell, name, px, y in drawn if y is not None and name in self.lines
        )
        pairs = zip(self.names, self.ys, strict=True)
        self.missing = sum(y is None and name in self.lines for name, y in pairs)

    def draw(self, ax: Axes, cell: Key = ()) -> list[common.End]:
        """Draw every run of a panel, a line through the means, and their intervals.

        Returns where the lines end.
        """
        ends, bars = [], []
        rows = self.panels[cell]
        for at, (name, look) in enumerate(zip(self.lines, self.looks, strict=True)):
            runs = [
                (self.xs[row], y)
                for row in rows
                if self.names[row] == name and (y := self.ys[row]) is not None
            ]
            if not runs:
                continue
            self._points(ax, at, cell, runs)
            places = sorted({px for px, _ in runs})
            line = (*cell, name) if self.hue else cell
            means = [self.middles[*line, place] for place in places]
            middles = [mean for mean, _, _ in means]
            ax.plot(places, middles, color=look.colour, linestyle=look.line, linewidth=1.6)
            bars.append((at, zip(places, means, strict=True)))
            ends.append((places[-1], middles[-1], common.named(name, self.hue), look))
        self._axes(ax)
        for at, means_ in bars:
            self._intervals(ax, at, means_)
        return ends

    def _points(self, ax: Axes, at: int, cell: Key, runs: Sequence[tuple[Any, float]]) -> None:
        """Draw the runs of a line, a single one hollow."""
        several = [run for run in runs if self.runs[cell, self.lines[at], run[0]] > 1]
        single = [run for run in runs if self.runs[cell, self.lines[at], run[0]] == 1]
        looks: list[tuple[Any, Any]] = [
            (several, {"alpha": 0.6}),
            (single, {"markerfacecolor": common.ground(ax), "markeredgewidth": 1.4, "zorder": 2.5}),
        ]
        for drawn, look in looks:
            if drawn:
                ax.plot(
                    [px for px, _ in drawn],
                    [py for _, py in drawn],
                    linestyle="none",
                    marker=self.looks[at].marker,
                    markersize=5,
                    color=self.looks[at].colour,
                    **look,
                )

    def _intervals(self, ax: Axes, at: int, means: Iterable[tuple[Any, Interval]]) -> None:
        """Draw the intervals as far as the axis reaches; an arrow marks one that goes on."""
        bottom, top = ax.get_ylim()
        colour = self.looks[at].colour
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
        for px, edge, marker in arrows:
            look: Any = {
                "marker": marker,
                "linestyle": "none",
                "markersize": 4,
                "color": colour,
                "transform": aside,
            }
            ax.plot(px, edge, scalex=False, scaley=False, clip_on=False, **look)

    def _axes(self, ax: Axes) -> None:
        """Set the axes, with a tick at each value that was swept."""
        unit_x, unit = common.unit(self.x), common.unit(self.metric)
        first, last = self.values[0], self.values[-1]
        if self.is_log[0]:
            ax.set_xscale("log")
            ax.set_xlim(first / 1.5, last * 1.5)
        else:
            room = 0.06 * (last - first or abs(last) or 1)
            ax.set_xlim(first - room, last + room)
        ax.xaxis.set_major_locator(FixedLocator(self._ticks(ax)))
        ax.xaxis.set_minor_locator(NullLocator())
        ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: tick(value, unit_x)))
        # the limits are those of all panels, and of what else was drawn
        there = [y for y in self.ys if y is not None]
        ax.update_datalim([(first, min(there)), (last, max(there))])
        ax.margins(y=0.08)
        if self.is_log[1]:
            ax.set_yscale("log")
            low, high = _widened(*ax.get_ylim())
            ax.set_ylim(low, high, auto=None)  # others may share the axis, and draw on it
            common.log_ticks(ax.yaxis, low, high)  # of all panels, where they share the axis
        else:
            ax.set_ylim(bottom=ax.get_ylim()[0] if min(there) < 0 else 0, auto=None)
            common.few_ticks(ax.yaxis)
        ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: common.tick(value, unit)))
        ax.set_ylabel(common.wording(self.metric, short=True))

    def _ticks(self, ax: Axes) -> list[float]:
        """Leave out the ticks whose labels would run into the one before."""
        place = math.log if self.is_log[0] else float
        low, high = map(place, ax.get_xlim())
        per_point = (high - low) / common.points(ax)[0]
        unit, kept = common.unit(self.x), list[float]()
        for value in self.values:
            wide = fit_text.width(tick(value, unit), common.RC["xtick.labelsize"]) + 2
            if not kept or place(value) - place(kept[-1]) >= wide * per_point:
                kept.append(value)
        return kept

    @property
    def what(self) -> str:
        """The axis' label: what was swept, and what is drawn."""
        alone = [count == 1 for count in self.runs.values()]
        if all(alone):
            drawn = [say("one run each" if len(alone) > 1 else "one run")]
        else:
            drawn = [say("points: runs, hollow: only one" if any(alone) else "points: runs")]
            if self.confidence:
                words = "line and bars: mean, {confidence} interval"
                drawn.append(say(words, confidence=self.confidence))
            else:
                drawn.append(say("line: mean"))
            if self.cut:
                drawn.append(say("arrow: the interval goes on"))
        if self.missing:
            drawn.append(say("rows without a value: {n}", n=self.missing))
        label = common.condition(self.x)
        return say("{label} ({drawn})", label=label, drawn=listed(drawn, "; "))


def is_far(values: Iterable[float]) -> bool:
    """Whether values lie so far apart that equal steps would hide the small ones."""
    there = list(values)
    return min(there) > 0 and max(there) / min(there) >= _FAR


def tick(value: float, unit: str) -> str:
    """Write a level of a condition on its axis."""
    return binary(value) if unit == "B" else f"{value:g}"


def _widened(low: float, high: float) -> tuple[float, float]:
    """Widen a short axis until it has two of the ticks 1, 2, 5, 10, ..."""
    ticks = [step * 10.0**power for power in _decades(low, high) for step in (1, 2, 5)]
    if sum(low <= value <= high for value in ticks) > 1:
        return low, high
    below = max(value for value in ticks if value <= low)
    return below, min(value for value in ticks if value >= high and value > below)


def _decades(low: float, high: float) -> range:
    return range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 2)
