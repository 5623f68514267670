"""A metric as one row per thing measured, its value beside it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from matplotlib.axes import Axes

from fiotools import units
from fiotools.language import called, listed, say
from fiotools.plot import common, fit_text

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame


def throughput(
    frame: IntoDataFrame,
    metric: str = "bw_bytes_per_s",
    *,
    y: str,
    hue: str | None = None,
    order: Sequence[Any] | None = None,
    ceilings: Mapping[str, float] | None = None,
    log: bool = False,
    ax: Axes | None = None,
) -> Axes:
    """Draw a metric as one point per row, with the value written beside it.

    Parameters
    ----------
    frame : pandas or polars frame
        One row per point; `repeats` draws several runs.
    metric : str
        The column to draw, in its base unit.
    y : str
        The column that names the rows.
    hue : str, optional
        The column that gives colour and marker.
    order : sequence, optional
        The rows from top to bottom; in order of appearance by default.
    ceilings : mapping of str to float, optional
        Limits to draw as lines, in the metric's base unit, each with its name.
    log : bool
        Draw a logarithmic axis; a linear one begins at 0.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    SchemaError
        If several rows have the same place, such as a total and its threads.

    Examples
    --------
    >>> import fiotools as ft
    >>> io = ft.read("data/wsl-vhdx/{drive}_{mount}_{operation}.txt").io
    >>> ax = ft.plot.throughput(io[io.drive == "f"], y="mount", hue="operation", log=True)
    >>> len(ax.get_yticks())
    3
    """
    chart = common.chart(frame, metric, y, hue, order, ax, log=log)
    ax, limits = chart.ax, ceilings or {}
    present = [point.value for one in chart.series for point in one.points]
    present += limits.values()
    for one in chart.series:
        for point in one.points:
            if not log:
                ax.plot([0, point.value], [point.place] * 2, color=one.colour, lw=2, alpha=0.35)
        common.mark(ax, one, hue)
    if log:
        common.above_zero("ceilings", limits.values())
        low, high = min(present) / 1.6, max(present) * 2.4
        ax.set_xscale("log")
        ax.set_xlim(low, high)
        common.log_ticks(ax.xaxis, low, high)
    else:
        common.fit_texts(ax, chart.least, max(present) * 1.18 or 1)
        common.few_ticks(ax.xaxis)
    drawn = [point.row for one in chart.series for point in one.points]
    what = common.of_one_run(common.wording(metric), chart.table, drawn, below=bool(hue))
    common.unit_axis(ax, metric, "\n".join([what, *chart.notes]))
    if limits:
        named: dict[float, list[str]] = {}
        for label, limit in limits.items():
            named.setdefault(limit, []).append(called(label))
        common.name_limits(
            ax,
            {
                limit: say(
                    "{name}: {text}", name=listed(names), text=units.human(limit, chart.unit)
                )
                for limit, names in named.items()
            },
        )
    for one in chart.series:
        for point in one.points:
            text = units.human(point.value, chart.unit)
            left = _would_cross(ax, text, point.value, limits.values())
            common.write(ax, text, point.value, point.place, one.colour, left=left)
    if hue:
        common.legend_below(ax)
    return ax


def _would_cross(ax: Axes, text: str, x: float, limits: Iterable[float]) -> bool:
    """Say whether a text to the right of a point would lie on a line, and to its left would not."""
    scale = ax.xaxis.get_transform()
    low, high = scale.transform(ax.get_xlim())
    per_point = (high - low) / common.points(ax)[0]
    wide = (fit_text.width(text, common.small(ax)) + 12) * per_point
    at = float(scale.transform([x])[0])
    lines = [float(scale.transform([limit])[0]) for limit in limits]
    right = any(at <= line <= at + wide for line in lines)
    return right and at - wide > low and not any(at - wide <= line <= at for line in lines)
