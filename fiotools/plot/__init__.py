"""Plots: a `Results`, a frame or an answer in, Axes out. The statistics stand in `fiotools.stats`.

A kind makes a `Spec` of plain values (`spec.py`), which one of three shapes draws: `rows`, `lines`
or `cells`. `frame.py` has what is around them.
"""

import sys
from types import ModuleType
from typing import Any, NoReturn

from fiotools.errors import FiotoolsError, SchemaError, similar
from fiotools.plot.checks import credibility
from fiotools.plot.comparisons import latency, ratios, repeats, throughput
from fiotools.plot.distributions import cdf, heatmap, percentiles, tails
from fiotools.plot.kind import KINDS
from fiotools.plot.names import MEANT
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


class NoSuchPlotError(FiotoolsError, AttributeError):
    """There is no such kind of plot."""


def _unknown(name: str) -> str:
    """Say which plots there are, and which one is meant by another name."""
    meant = " or ".join(MEANT.get(name, ()))
    hint = f"; did you mean {meant}?" if meant else similar(name, KINDS)
    return f"{name!r} is not a kind of plot: {', '.join(KINDS)}{hint}"


class _Plots(ModuleType):
    """The package of plots: its plots and helpers are all that it shows."""

    def __dir__(self) -> list[str]:
        return [*__all__]

    def __getattr__(self, name: str) -> NoReturn:
        raise NoSuchPlotError(_unknown(name))

    def __call__(self, *_: Any, **__: Any) -> NoReturn:
        """Say which plots there are to somebody who calls the package like one."""
        lines = [f"  ft.plot.{name}: {one.draws}" for name, one in KINDS.items()]
        raise SchemaError("\n".join(["each kind of plot is a function:", *lines]))


class _Part(ModuleType):
    """A module of the package, whose name somebody may take for a plot."""

    def __call__(self, *_: Any, **__: Any) -> NoReturn:
        raise SchemaError(_unknown(self.__name__.rpartition(".")[2]))


sys.modules[__name__].__class__ = _Plots
for _name, _module in [*sys.modules.items()]:
    if _name.startswith(f"{__name__}."):
        _module.__class__ = _Part


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
        raise SchemaError(_unknown(kind))
    return KINDS[kind].spec(*given, **named)
