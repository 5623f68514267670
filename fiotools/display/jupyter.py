"""Results and answers show themselves in the readable form: an extension of IPython.

It is loaded with fiotools. IPython asks a formatter of a type before the type's own
``_repr_html_``. Ours takes results and whole answers (`answer_of`) and hands every other frame to
what was there before: an earlier formatter, or the frame's own method. It is an extension so that
IPython's own commands switch it: ``%unload_ext fiotools`` and ``%load_ext fiotools``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

# module and name of the classes, as IPython looks for them while they are not imported
_CLASSES = (("pandas", "pandas"), ("polars", "polars.dataframe.frame"))
_RESULTS = ("fiotools.tables.results", "Results")
_Formatter = Callable[[Any], Any]
_before: dict[str, _Formatter | None] = {}


def load() -> None:
    """Load the extension if IPython runs this code; `fiotools` calls it when it is imported."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if shell is not None:
        shell.extension_manager.load_extension("fiotools")


def load_ipython_extension(shell: Any) -> None:
    """Show whole answers as `show` does: ``%load_ext fiotools``.

    Parameters
    ----------
    shell : IPython.core.interactiveshell.InteractiveShell
    """
    known = shell.display_formatter.formatters["text/html"]
    known.for_type_by_name(*_RESULTS, _shown)
    for package, module in _CLASSES:
        if package in _before:
            continue
        if package in sys.modules:
            _before[package] = known.for_type(sys.modules[package].DataFrame, _readable(package))
        else:
            _before[package] = known.for_type_by_name(module, "DataFrame", _readable(package))


def unload_ipython_extension(shell: Any) -> None:
    """Show answers as any other frame: ``%unload_ext fiotools``.

    Parameters
    ----------
    shell : IPython.core.interactiveshell.InteractiveShell
    """
    known = shell.display_formatter.formatters["text/html"]
    known.pop(".".join(_RESULTS), None)
    for package, module in _CLASSES:
        before = _before.pop(package)
        kind = sys.modules[package].DataFrame if package in sys.modules else f"{module}.DataFrame"
        if before is None:
            known.pop(kind, None)
        else:
            known.for_type(kind, before)


def _readable(package: str) -> _Formatter:
    """Make the formatter of a package's frames."""

    def html(frame: Any) -> Any:
        before = _before[package]
        shown = frame._repr_html_() if before is None else before(frame)
        if shown is None:  # HTML is switched off, pandas.options.display.notebook_repr_html
            return None
        from fiotools.display.frame import answer_of

        if answer_of(list(frame.columns)) is None:
            return shown
        return _shown(frame)

    return html


def _shown(thing: Any) -> str:
    from fiotools.display.show import show

    return show(thing)._repr_html_()
