"""Lines over a condition that was swept: what `sweep` and `load` share."""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator
from matplotlib.transforms import offset_copy

from fiotools.language import called, listed, say
from fiotools.plot import common
from fiotools.plot.fit_text import width

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

_WORDS = {"bs_bytes": "block size", "iodepth": "queue depth", "numjobs": "number of jobs"}


class Swept:
    """The runs of a metric and their means, by a swept condition; looked at before it is drawn."""

    def __init__(
        self,
        frame: IntoDataFrame,
        metric: str,
        x: str,
        hue: str | None,
        summary: IntoDataFrame,
        order: Sequence[Any] | None,
    ) -> None:
        self.metric, self.x, self.hue = metric, x, hue
        told = common.summary_rows(summary, metric, x, hue)
        table = common.opened(frame, metric, x, hue)
        self.ys = common.numbers(table, metric, log=True)
        common.numbers(table, x, log=True)
        self.names = common.known(table, hue) if hue else [None] * len(self.ys)
        self.xs = common.known(table, x)
        self.values = sorted(set(self.xs))
        self.middles = common.Middles(told, "mean", hue, x)
        self.interval = common.interval_words(told, "mean")
        self.lines = common.levels(self.names, order)
        drawn = zip(self.names, self.xs, self.ys, strict=True)
        self.runs = Counter(
            (name, px) for name, px, py in drawn if py is not None and name in self.lines
        )

    def draw(self, ax: Axes, *, base: float = 10) -> None:
        """Draw every run, a line through the means, and their intervals."""
        ends = []
        for at, name in enumerate(self.lines):
            colour = common.PALETTE[at % len(common.PALETTE)]
            runs = [
                (px, py)
                for own, px, py in zip(self.names, self.xs, self.ys, strict=True)
                if own == name and py is not None
            ]
            if not runs:
                continue
            self._points(ax, at, runs)
            places = sorted({px for px, _ in runs})
            means = [self.middles[(name, place) if self.hue else (place,)] for place in places]
            ax.plot(places, [mean for mean, _, _ in means], color=colour, linewidth=1.6)
            bars = [
                # a logarithmic axis has no zero
                [(place, max(low, sys.float_info.min)), (place, high)]
                for place, (_, low, high) in zip(places, means, strict=True)
                if low is not None and high is not None
            ]
            # side by side, where lines meet
            beside = 4 * (at - (len(self.lines) - 1) / 2)
            aside = offset_copy(ax.transData, ax.get_figure(root=True), x=beside, units="points")
            drawn = LineCollection(bars, colors=colour, linewidths=1, alpha=0.5, transform=aside)
            ax.add_collection(drawn, autolim=False)  # an interval does not widen the axis
            ends.append((places[-1], means[-1][0], called(str(name)), colour))
        self._axes(ax, base)
        if self.hue:
            common.end_labels(ax, ends)

    def _points(self, ax: Axes, at: int, runs: Sequence[tuple[Any, float]]) -> None:
        """Draw the runs of a line, hollow where there is one."""
        colour = common.PALETTE[at % len(common.PALETTE)]
        several = [run for run in runs if self.runs[self.lines[at], run[0]] > 1]
        single = [run for run in runs if self.runs[self.lines[at], run[0]] == 1]
        looks: list[tuple[Any, Any]] = [
            (several, {"alpha": 0.6}),
            (single, {"markerfacecolor": "white", "markeredgewidth": 1.4, "zorder": 2.5}),
        ]
        for drawn, look in looks:
            if drawn:
                ax.plot(
                    [px for px, _ in drawn],
                    [py for _, py in drawn],
                    linestyle="none",
                    marker=common.MARKERS[at % len(common.MARKERS)],
                    markersize=5,
                    color=colour,
                    **look,
                )

    def _axes(self, ax: Axes, base: float) -> None:
        """Set logarithmic axes, with a tick at each value that was swept."""
        ax.set_xscale("log", base=base)
        ax.set_yscale("log")
        unit_x, unit = common.unit(self.x), common.unit(self.metric)
        first, last = self.values[0], self.values[-1]
        names = 0.28 if self.hue else 0.0  # room for them at the lines' ends
        ax.set_xlim(first / 1.5, last * (last / first) ** names * 1.5)
        ax.xaxis.set_major_locator(FixedLocator(self._ticks(ax)))
        ax.xaxis.set_minor_locator(NullLocator())
        ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: label(value, unit_x)))
        ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: common.tick(value, unit)))
        ax.margins(y=0.08)
        low, high = _widened(*ax.get_ylim())
        if (low, high) != ax.get_ylim():
            ax.set_ylim(low, high)
        common.log_ticks(ax.yaxis, low, high)  # of all panels, where they share the axis
        ax.set_ylabel(common.wording(self.metric, short=True))

    def _ticks(self, ax: Axes) -> list[float]:
        """Leave out the ticks whose labels would run into the one before."""
        low, high = (math.log(end) for end in ax.get_xlim())
        per_point = (high - low) / common.points(ax)[0]
        unit, kept = common.unit(self.x), list[float]()
        for value in self.values:
            wide = width(label(value, unit), common.RC["xtick.labelsize"]) + 2
            if not kept or math.log(value / kept[-1]) >= wide * per_point:
                kept.append(value)
        return kept

    @property
    def what(self) -> str:
        """The axis' label: what was swept, and what is drawn."""
        alone = [count == 1 for count in self.runs.values()]
        what = say(_WORDS.get(self.x, self.x))
        if all(alone):
            one = "{label} (one run each)" if len(alone) > 1 else "{label} (one run)"
            return say(one, label=what)
        drawn = [say("points: runs, hollow: only one" if any(alone) else "points: runs")]
        if self.interval:
            drawn.append(say("line and bars: mean, {interval}", interval=self.interval))
        else:
            drawn.append(say("line: mean"))
        return say("{label} ({drawn})", label=what, drawn=listed(drawn, "; "))


def label(value: float, unit: str) -> str:
    """Write a block size as people give it to a tool: in powers of 1024."""
    if unit != "B":
        return f"{value:g}"
    for prefix in ("", "Ki", "Mi"):
        if value < 1024:
            return f"{value:g} {prefix}B"
        value /= 1024
    return f"{value:g} GiB"


def _widened(low: float, high: float) -> tuple[float, float]:
    """Widen a short axis until it has two of the ticks 1, 2, 5, 10, ..."""
    ticks = [step * 10.0**power for power in _decades(low, high) for step in (1, 2, 5)]
    if sum(low <= value <= high for value in ticks) > 1:
        return low, high
    below = max(value for value in ticks if value <= low)
    return below, min(value for value in ticks if value >= high and value > below)


def _decades(low: float, high: float) -> range:
    return range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 2)
