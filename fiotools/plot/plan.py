"""A plan: how many runs it takes to find a difference."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes
from narwhals.typing import IntoDataFrame

from fiotools.errors import SchemaError
from fiotools.language import say
from fiotools.plot import common
from fiotools.stats import frames
from fiotools.units import percent


def plan(frame: IntoDataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw how many runs a side are needed, against the difference to be found.

    Solid lines are for finding a difference of that size, dashed ones for finding that two equal
    sides are the same within it. Both axes are logarithmic. A plan of rounds is drawn in rounds.

    Parameters
    ----------
    frame : pandas or polars frame
        The answer of `plan` for one combination of `by`; ten differences make a curve.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    SchemaError
        If the frame is not a plan, has no number of runs, or has a difference twice.

    Examples
    --------
    >>> import fiotools as ft
    >>> told = ft.plan(0.03, differences=[0.01, 0.02, 0.05, 0.1])
    >>> print(ft.plot.plan(told).get_xlabel())
    difference to be found (runs vary by up to 3 %; solid: to find it,
    dashed: to find equal sides the same within it)
    """
    table = common.opened(frame, "difference_pct", "power", "runs_differ", "cov_hi_pct")
    differences = common.known(table, "difference_pct")
    powers = common.known(table, "power")
    if len(set(zip(differences, powers, strict=True))) < len(table):
        raise SchemaError("a difference is there twice: keep the rows of one plan")
    what = "rounds" if frames.distinct(frames.optional(table, "rounds_differ")) else "runs"
    ax, most = common.axes(ax, 7), 0.0
    for colour, power in zip(common.PALETTE, common.levels(powers), strict=False):
        rows = sorted(
            (row for row, one in enumerate(powers) if one == power), key=differences.__getitem__
        )
        for question, dashes in (("differ", "-"), ("same", (0, (4, 2)))):
            counts = frames.numbers(table, f"{what}_{question}")
            points = [(differences[row], count) for row in rows if (count := counts[row])]
            if not points:
                continue
            most = max(most, *(count for _, count in points))
            power_of = say("power {share}", share=common.percent(power))
            label = power_of if question == "differ" else None
            look: Any = {"linestyle": dashes, "marker": "o", "markersize": 3.5, "color": colour}
            ax.plot(*zip(*points, strict=True), label=label, **look)
    if not most:
        raise SchemaError("nothing to draw: every difference takes more than 1000 runs a side")
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_ylim(2.5, max(20, most * 1.3))
    common.log_ticks(ax.xaxis, *ax.get_xlim())
    common.log_ticks(ax.yaxis, *ax.get_ylim())
    ax.xaxis.set_major_formatter(lambda value, _: common.percent(value / 100))
    ax.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    common.label_beside(ax, say("runs a side") if what == "runs" else say("rounds"))
    words = (
        "difference to be found (runs vary by up to {cov} %; solid: to find it,\n"
        "dashed: to find equal sides the same within it)"
    )
    cov = percent(max(common.known(table, "cov_hi_pct")) / 100)
    common.label_below(ax, say(words, cov=cov))
    ax.legend(loc="upper right", frameon=False)
    return ax
