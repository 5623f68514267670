"""Plots: a `Results`, a frame or an answer in, Axes out. The statistics stand in `fiotools.stats`.

A kind makes a `Spec` of plain values (`spec.py`), which one of three shapes draws: `rows`, `lines`
or `cells`. `frame.py` has what is around them.
"""

from typing import Any

from fiotools.errors import SchemaError
from fiotools.plot.checks import credibility
from fiotools.plot.comparisons import latency, ratios, repeats, throughput
from fiotools.plot.distributions import cdf, heatmap, percentiles, tails
from fiotools.plot.kind import KINDS
from fiotools.plot.planning import plan
from fiotools.plot.shares import fairness, timings
from fiotools.plot.spec import Spec
from fiotools.plot.style import save, style, title
from fiotools.plot.sweeps import grid, load, sweep
from fiotools.plot.times import history, series, shifts
from fiotools.plot.waterfall import parts

__all__ = [
    "cdf",
    "credibility",
    "fairness",
    "grid",
    "heatmap",
    "history",
    "latency",
    "load",
    "parts",
    "percentiles",
    "plan",
    "ratios",
    "repeats",
    "save",
    "series",
    "shifts",
    "spec",
    "style",
    "sweep",
    "tails",
    "throughput",
    "timings",
    "title",
]


def spec(kind: str, *given: Any, **named: Any) -> Spec:
    """Return what a kind of plot would draw, as plain values.

    Parameters
    ----------
    kind : str
        The name of the kind, such as ``"repeats"``.
    *given, **named
        Its arguments, without ``ax``.

    Returns
    -------
    Spec
        Its ``rows`` have the roles x, y, low, high, points, texts, group and panel.

    Raises
    ------
    SchemaError
        If there is no such kind; and what the kind refuses.

    Examples
    --------
    >>> import pandas as pd
    >>> import fiotools as ft
    >>> runs = pd.DataFrame({"mount": ["9p"] * 2, "iops": [100.0, 121.0]})
    >>> row, = ft.plot.spec("repeats", runs, "iops", y="mount").rows
    >>> row.y, round(row.x, 6), row.points
    ('9p', 110.0, (100.0, 121.0))
    """
    if kind not in KINDS:
        raise SchemaError(f"{kind!r} is not a kind of plot: {', '.join(KINDS)}")
    return KINDS[kind].spec(*given, **named)
