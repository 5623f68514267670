"""A quantity over time, and whether it was steady."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator
from numpy.typing import NDArray

from fiotools import units
from fiotools.errors import SchemaError
from fiotools.plot import kinds, parts, room, windows
from fiotools.plot.language import say
from fiotools.plot.lines import Line, lines_of
from fiotools.stats import frames
from fiotools.stats.frames import Frame
from fiotools.stats.windows import as_samples

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

_LATENCIES = {"lat_ns": "latency", "clat_ns": "completion latency", "slat_ns": "submission latency"}
_ENDS = ((min, 0), (max, -1))
_MARKS = 8  # markers along a line
_FEW = 5_000  # points that a vector file holds well


def series(
    samples: IntoDataFrame,
    quantity: str | None = None,
    *,
    hue: str | None = None,
    order: Sequence[Any] | None = None,
    steady: IntoDataFrame | None = None,
    limit: windows.Limit = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a quantity over time, each sample as long as the time that it stands for.

    With what `steady` said of it, the window is grey, and dark what its rounds may range over; the
    lines in it are its mean and, dashed, its trend. The verdict stands below, in words. Rounds that
    `steady` made are drawn over their samples.

    Parameters
    ----------
    samples : pandas or polars frame
        A table such as `Results.samples`, of which one series is drawn, or one for each value of
        ``hue``. Amounts become rates, as in `steady`. Single I/Os are points. Or what `window`
        answered.
    quantity : str, optional
        Which of the quantities, if there are several; of windows, which column: ``iops``,
        ``bw_bytes_per_s``, ``mean`` or ``value_ns``.
    hue : str, optional
        The column that names the lines; the name stands at the line's end.
    order : sequence, optional
        The lines, which take their colours in this order.
    steady : pandas or polars frame, optional
        What `steady` answered for these samples.
    limit : float or (float, float), optional
        The limits that `steady` was given, if it was given any.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    SchemaError
        If one line had to show several quantities, directions, jobs or runs, or ``steady`` is about
        other samples or was given other limits.

    Examples
    --------
    >>> import pandas as pd
    >>> import fiotools as ft
    >>> log = pd.DataFrame({
    ...     "run": 1, "direction": "read", "quantity": "iops",
    ...     "time_s": [1.0, 2.0, 3.0, 4.0, 5.0], "value": [103.0, 102.0, 100.0, 99.0, 96.0],
    ... })
    >>> ax = ft.plot.series(log, steady=ft.steady(log))
    >>> ax.get_xlabel().splitlines()[1]
    'window met: range 7.00% (≤20%), rise -6.80% (±10%), drift -1.70% a round'
    """
    taken = as_samples(samples, quantity)
    if taken is not samples:
        quantity = None
    table = _of(parts.opened(taken, hue, "value"), quantity)
    told = None if steady is None else windows.Told(steady, limit)
    lines = lines_of(table, quantity, hue, order, told)
    ax = parts.axes(ax, 7)
    ends, below, top = [], [], 0.0
    for line in lines:
        _draw(ax, line, mark=hue is not None)
        top, mean = max(top, line.top), None
        if line.judged:
            top = max(top, line.judged.draw(ax, line.colour if hue else None))
            words = line.judged.words()
            below += [say("{name}: {text}", name=line.name, text=text) for text in words if hue]
            below += [] if hue else words
            mean = line.judged.mean
        if hue:
            end = line.last if mean is None else mean
            ends.append((float(line.edges[-1]), end, line.name, line.colour))
        elif mean is not None:
            text = units.human(mean, line.series.metric.unit)
            ends.append((float(line.edges[-1]), mean, text, "black"))
    below += [line.judged.key() for line in lines if line.judged and line.judged.mean][:1]
    unit = lines[0].series.metric.unit
    ax.set_ylim(0, top * 1.06 or 1)
    parts.few_ticks(ax.yaxis)
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: parts.tick(value, unit, top)))
    room.label_beside(ax, _what(table, lines, hue))
    first, last = (float(pick(line.edges[at] for line in lines)) for pick, at in _ENDS)
    if all(line.series.timed for line in lines):
        room.time_axis(ax, first, last)
        room.label_below(ax, say("time since the start"), *below)
    else:
        ax.set_xlim(first, last)
        ax.xaxis.set_major_locator(MaxNLocator(5, integer=True))
        room.label_below(ax, say("sample"), *below)
    parts.end_labels(ax, ends)
    return ax


def _of(table: Frame, quantity: str | None) -> Frame:
    """Keep the rows of one quantity."""
    if quantity is None or "quantity" not in table.columns:
        return table
    listed = frames.values(table, "quantity")
    if quantity not in listed:
        there = ", ".join(map(str, frames.distinct(listed)))
        raise SchemaError(f"no sample of {quantity!r}; there are: {there}")
    return table[[row for row, name in enumerate(listed) if name == quantity]]


def _draw(ax: Axes, line: Line, *, mark: bool) -> None:
    """Draw the samples, and over them the rounds, if there are others."""
    values, edges = line.series.values, line.edges
    if line.points:
        ax.plot(
            edges[1:],
            values,
            linestyle="none",
            marker=line.marker,
            markersize=3,
            markeredgewidth=0,
            alpha=0.6,
            clip_on=False,
            color=line.colour,
            rasterized=len(values) > _FEW,
        )
    elif not line.series.single:
        width, alpha = (0.8, 0.5) if line.rounds else (1.3, None)
        _steps(ax, values, edges, line.colour, width, alpha)
    if line.rounds:
        values, edges = line.rounds
        _steps(ax, values, edges, line.colour, 2)
    if mark and (line.rounds or not line.points):
        # told apart in greyscale too
        every = max(1, len(values) // _MARKS)
        ax.plot(
            (edges[1:] + edges[:-1])[every // 2 :: every] / 2,
            values[every // 2 :: every],
            linestyle="none",
            marker=line.marker,
            markersize=5,
            color=line.colour,
        )


def _steps(
    ax: Axes,
    values: NDArray[np.float64],
    edges: NDArray[np.float64],
    colour: str,
    width: float,
    alpha: float | None = None,
) -> None:
    """Draw each value from edge to edge."""
    ends = np.append(values, values[-1])
    ax.plot(edges, ends, drawstyle="steps-post", color=colour, linewidth=width, alpha=alpha)


def _what(table: Frame, lines: Sequence[Line], hue: str | None) -> str:
    """Name what is drawn, and its direction if that is one."""
    metric = lines[0].series.metric
    if len({line.series.quantity for line in lines}) > 1 and metric.unit == "ns":
        what = say("latency")
    else:
        known = _LATENCIES.get(metric.name)
        what = say(known) if known else parts.wording(metric.name)
    ways = frames.distinct(frames.columns(table, ("direction",)).get("direction", []))
    return kinds.going(what, ways[0]) if len(ways) == 1 and hue != "direction" else what
