"""Reports: results as one page that answers what a reader asks.

`study` opens results and asks them everything; `report` executes a notebook that tells what was
found, and makes one self-contained HTML page of it. The module itself can be called, as
``ft.report(...)``: a function of that name could not stand beside a package of the same name.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fiotools.report.making import Written, report
    from fiotools.report.studying import Part, Study, study

__all__ = ["Part", "Study", "Written", "report", "study"]

# where the names live; a kernel that is to draw is another process, and this one need not wait
_HOME = {
    **dict.fromkeys(("Written", "report"), "making"),
    **dict.fromkeys(("Part", "Study", "study"), "studying"),
}


class _Callable(ModuleType):
    """A module that does what its function of the same name does."""

    def __call__(self, *args: Any, **kwargs: Any) -> Written:
        made: Written = import_module("fiotools.report.making").report(*args, **kwargs)
        return made


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"fiotools.report.{_HOME[name]}"), name)
    raise AttributeError(f"module 'fiotools.report' has no attribute {name!r}")


sys.modules[__name__].__class__ = _Callable
