"""fiotools: the output of storage benchmarks as tidy frames.

`read` and `reads` turn raw output of fio, DISKSPD, dd and time into `Results`; `per_thread`,
`fairness`, `combine`, `summarize`, `compare`, `speedup`, `steady`, `shifts` and `reconcile` take
those frames and return frames; `plot` draws them.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from fiotools.errors import (
    DatasetError,
    FileError,
    FiotoolsError,
    MeasureError,
    ReadErrors,
    SchemaError,
    WorkerError,
)

if TYPE_CHECKING:
    from fiotools import measure, plot
    from fiotools._version import __version__ as __version__
    from fiotools.articles.examples import example
    from fiotools.dataset import convert, open_dataset
    from fiotools.display.show import show
    from fiotools.input.read import formats, read, reads
    from fiotools.logs.scan import scan
    from fiotools.reports.answers import tell
    from fiotools.reports.report import report
    from fiotools.stats.best_under import best_under
    from fiotools.stats.check import check
    from fiotools.stats.combine import combine, fairness, per_thread
    from fiotools.stats.compare import compare, speedup
    from fiotools.stats.explain import explain
    from fiotools.stats.gate import gate
    from fiotools.stats.overall import overall
    from fiotools.stats.overview import overview
    from fiotools.stats.percentiles import percentiles
    from fiotools.stats.plan import plan
    from fiotools.stats.reconcile import reconcile
    from fiotools.stats.scaling import scaling
    from fiotools.stats.settings import settings_diff
    from fiotools.stats.shifts import shifts
    from fiotools.stats.steady import steady
    from fiotools.stats.summary import summarize
    from fiotools.stats.tails import tails
    from fiotools.stats.variance import variance
    from fiotools.stats.windows import window
    from fiotools.tables.results import Results, concat
    from fiotools.vocabulary import describe

__all__ = [
    "DatasetError",
    "FileError",
    "FiotoolsError",
    "MeasureError",
    "ReadErrors",
    "Results",
    "SchemaError",
    "WorkerError",
    "best_under",
    "check",
    "combine",
    "compare",
    "concat",
    "convert",
    "describe",
    "example",
    "explain",
    "fairness",
    "formats",
    "gate",
    "measure",
    "open_dataset",
    "overall",
    "overview",
    "per_thread",
    "percentiles",
    "plan",
    "plot",
    "read",
    "reads",
    "reconcile",
    "report",
    "scaling",
    "scan",
    "settings_diff",
    "shifts",
    "show",
    "speedup",
    "steady",
    "summarize",
    "tails",
    "tell",
    "variance",
    "window",
]

# The module of each name. Names are resolved on first use (PEP 562), so that reading files does not
# wait for scipy and matplotlib.
_MODULES = {
    "_version": ("__version__",),
    "articles.examples": ("example",),
    "dataset": ("convert", "open_dataset"),
    "display.show": ("load_ipython_extension", "show", "unload_ipython_extension"),
    "input.read": ("formats", "read", "reads"),
    "reports.answers": ("tell",),
    "reports.report": ("report",),
    "tables.results": ("Results", "concat"),
    "logs.scan": ("scan",),
    "stats.best_under": ("best_under",),
    "stats.combine": ("combine", "fairness", "per_thread"),
    "stats.compare": ("compare", "speedup"),
    "stats.explain": ("explain",),
    "stats.gate": ("gate",),
    "stats.check": ("check",),
    "stats.overall": ("overall",),
    "stats.overview": ("overview",),
    "stats.percentiles": ("percentiles",),
    "stats.plan": ("plan",),
    "stats.reconcile": ("reconcile",),
    "stats.scaling": ("scaling",),
    "stats.settings": ("settings_diff",),
    "stats.shifts": ("shifts",),
    "stats.steady": ("steady",),
    "stats.summary": ("summarize",),
    "stats.tails": ("tails",),
    "stats.variance": ("variance",),
    "stats.windows": ("window",),
    "vocabulary": ("describe",),
}
_HOME = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name in ("measure", "plot"):
        return import_module(f"fiotools.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'fiotools' has no attribute {name!r}")
    value = getattr(import_module(f"fiotools.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]


if "IPython" in sys.modules:  # answers are then displayed as `show` does
    import_module("fiotools.display.show").load()
