"""What has to fit the room that Axes have: words below them, and ticks of latencies."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from matplotlib.axes import Axes
from matplotlib.text import Text
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator

from fiotools.plot import page, parts

_EDGE = 24  # points: what a figure's own edge takes
_TICK = {"x": 52, "y": 22}  # points: what a tick's label takes, with some space
_HANDLE = 52  # points: what an entry of a legend takes beside its name
_HIGH = 0.65  # of the height of Axes, which words below them may yet take from


def label_below(ax: Axes, *lines: str) -> None:
    """Label the x axis in lines, each broken where it is wider than the Axes."""
    size, wide = _size(ax.xaxis.label), parts.points(ax)[0]
    figure = ax.get_figure(root=True)
    if figure and len(figure.axes) == 1:  # nothing is to its right
        wide += (1 - ax.get_position().x1) * figure.get_size_inches()[0] * 72 - _EDGE
    fitted = [part for line in lines for part in page.wrapped(line, size, wide)]
    ax.set_xlabel("\n".join(fitted), loc="left", linespacing=1.4)


def names_beside(ax: Axes, names: Sequence[str]) -> list[str]:
    """Break names of rows that would take more than half of the figure."""
    size, most = _size(ax.yaxis.label), 0.5 * _whole(ax)
    return ["\n".join(page.wrapped(name, size, most)) for name in names]


def beside(ax: Axes) -> float:
    """Give the width in points that the names of the rows leave of a figure to its only Axes."""
    figure = ax.get_figure(root=True)
    if figure is None or len(figure.axes) > 1:
        return parts.points(ax)[0]
    names = ax.get_yticklabels()
    lines = [(line, _size(name)) for name in names for line in name.get_text().splitlines()]
    return _whole(ax) - max((page.width(*line) for line in lines), default=0.0) - _EDGE


def _whole(ax: Axes) -> float:
    """Give the width of the figure in points."""
    figure = ax.get_figure(root=True)
    return float(figure.get_size_inches()[0]) * 72 if figure else parts.points(ax)[0]


def label_beside(ax: Axes, text: str) -> None:
    """Label the y axis in lines that are no longer than it is."""
    size = _size(ax.yaxis.label)
    ax.set_ylabel("\n".join(page.wrapped(text, size, _HIGH * parts.points(ax)[1])))


def legend_below(ax: Axes, names: Sequence[str]) -> None:
    """Put the legend beside the x axis' label if it has room there, else below it."""
    size, lines = _size(ax.xaxis.label), ax.get_xlabel().splitlines()
    room = parts.points(ax)[0]
    entries = [page.width(name, size) + _HANDLE for name in names]
    beside = room - max(page.width(line, size) for line in lines)
    if sum(entries) <= beside:
        parts.legend_below(ax, len(entries))
    else:
        parts.legend_below(ax, max(1, int(room / max(entries))), len(lines) + 1)


def _size(text: Text) -> float:
    return float(text.get_fontsize())


def time_axis(ax: Axes, low: float, high: float) -> None:
    """Make the x axis one of seconds, with as many round ticks as have room."""
    ax.set_xlim(low, high)
    ax.xaxis.set_major_locator(MaxNLocator(max(2, min(5, int(parts.points(ax)[0] / _TICK["x"])))))
    parts.unit_axis(ax, "time_s", "", like=high)


def latency_axis(ax: Axes, axis: Literal["x", "y"], low: float, high: float) -> None:
    """Make an axis one of latencies, logarithmic, with as many round ticks as have room."""
    named = ax.xaxis if axis == "x" else ax.yaxis
    (ax.set_xscale if axis == "x" else ax.set_yscale)("log")
    (ax.set_xlim if axis == "x" else ax.set_ylim)(low, high)
    most = max(2, int(parts.points(ax)[axis == "y"] / _TICK[axis]))
    named.set_major_locator(FixedLocator(round_values(low, high, most)))
    named.set_minor_locator(NullLocator())
    named.set_major_formatter(FuncFormatter(lambda value, _: parts.tick(value, "ns")))


def round_values(low: float, high: float, most: int) -> list[float]:
    """Choose the ticks of a logarithmic axis: 1, 2, 5, 10, ..., or powers of ten, or some of them.

    Examples
    --------
    >>> round_values(90, 2100, 6)
    [100.0, 200.0, 500.0, 1000.0, 2000.0]
    >>> round_values(90, 2100, 4), round_values(90, 2e8, 4)
    ([100.0, 1000.0], [100.0, 10000.0, 1000000.0, 100000000.0])
    """
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    powers = range(first, last + 1)
    choices = [[factor * 10.0**power for power in powers for factor in (1, 2, 5)]]
    choices += [
        [10.0**power for power in powers if power % step == 0] for step in range(1, len(powers) + 1)
    ]
    for choice in choices:
        found = [value for value in choice if low <= value <= high]
        if 2 <= len(found) <= most:
            return found
    # less than a decade wide
    even = MaxNLocator(min(most, 5)).tick_values(low, high)
    return [float(value) for value in even if low <= value <= high]
