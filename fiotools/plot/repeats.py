"""Repeats: every run as a point, and how well they pin the middle down."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from matplotlib.axes import Axes

from fiotools import units
from fiotools.errors import SchemaError
from fiotools.plot import parts
from fiotools.vocabulary import COLUMNS

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

ENOUGH = 6  # runs from which a median has an interval without assumptions


def repeats(
    frame: IntoDataFrame,
    metric: str,
    *,
    y: str,
    summary: IntoDataFrame,
    hue: str | None = None,
    order: Sequence[Any] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw each run as a point, and under the points the interval of their middle.

    The interval is that of the mean below six runs and of the median from six on; the axis says
    which. Where there is one run, there is a point and no interval.

    Parameters
    ----------
    frame : pandas or polars frame
        One row per run.
    metric : str
        The column to draw, in its base unit.
    y : str
        The column that names the rows.
    summary : pandas or polars frame
        What `summarize` says of the same metric, by ``y`` (and ``hue``).
    hue : str, optional
        The column that gives colour and marker.
    order : sequence, optional
        The rows from top to bottom.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    SchemaError
        If the summary is of another metric.

    Examples
    --------
    >>> import pandas as pd
    >>> import fiotools as ft
    >>> runs = pd.DataFrame({"mount": ["9p"] * 3 + ["virtiofs"] * 3, "iops": range(100, 106)})
    >>> told = ft.summarize(runs, "iops", by="mount")
    >>> ft.plot.repeats(runs, "iops", y="mount", summary=told).get_xlabel()
    'I/Os per second (points: runs; tick and bar: mean, 95% interval)'
    """
    if set(parts.values(summary, "metric")) != {metric}:
        raise SchemaError(
            f"the summary is not of {metric!r}: give summarize(frame, {metric!r}, ...)"
        )
    numbers = parts.values(frame, metric)
    hues = parts.values(frame, hue) if hue else None
    rows, series = parts.arrange(parts.values(frame, y), hues, order)
    ax = parts.axes(ax, len(rows) * (1 + 0.5 * (len(series) - 1)))
    unit = COLUMNS[metric].unit if metric in COLUMNS else ""
    middle = "median" if min(parts.values(summary, "n")) >= ENOUGH else "mean"
    told = _middles(summary, y, hue, middle)
    edge = 0.0
    for one in series:
        places: dict[float, list[float]] = {}
        for place, row in one.points:
            if numbers[row] is not None:
                places.setdefault(place, []).append(numbers[row])
        for place, runs in places.items():
            centre, low, high = told[rows[round(place)], one.name]
            if low is not None and high is not None:
                ax.plot(
                    [low, high],
                    [place, place],
                    color=one.colour,
                    alpha=0.3,
                    linewidth=9,
                    solid_capstyle="butt",
                    zorder=2,
                )
            ax.plot([centre] * 2, [place - 0.13, place + 0.13], color=one.colour, linewidth=2)
            right = max([*runs, high if high is not None else centre])
            edge = max(edge, right)
            parts.write(ax, units.human(centre, unit), right, place, one.colour)
        drawn = [(value, place) for place, runs in places.items() for value in runs]
        parts.mark(ax, one, [v for v, _ in drawn], [p for _, p in drawn], hue, size=5)
    parts.name_rows(ax, rows)
    ax.set_xlim(0, edge * 1.16)
    parts.few_ticks(ax.xaxis)
    confidence = next((c for c in parts.values(summary, "confidence") if c is not None), None)
    least = "at least " if middle == "median" else ""  # an order statistic covers more than asked
    bars = f"; tick and bar: {middle}, {least}{confidence:.0%} interval" if confidence else ""
    what = parts.wording(metric)
    parts.unit_axis(ax, metric, f"{what} (points: runs{bars})", like=edge)
    if hue:
        parts.legend_below(ax, len(series), lines=2)
    return ax


def _middles(
    summary: IntoDataFrame, y: str, hue: str | None, middle: str
) -> dict[tuple[Any, Any], tuple[float, float | None, float | None]]:
    keys = parts.values(summary, y)
    hues = parts.values(summary, hue) if hue else [None] * len(keys)
    ends = (parts.values(summary, f"{middle}{end}") for end in ("", "_lo", "_hi"))
    return dict(zip(zip(keys, hues, strict=True), zip(*ends, strict=True), strict=True))
