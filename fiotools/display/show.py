"""`show`: results and answers in the form that people read; in IPython they show themselves so.

The extension of IPython is loaded with fiotools. IPython asks a formatter of a type before the
type's own ``_repr_html_``. Ours takes results and whole answers (`answer_of`) and hands every other
frame to what was there before: an earlier formatter, or the frame's own method. It is an extension
so that IPython's own commands switch it: ``%unload_ext fiotools`` and ``%load_ext fiotools``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from fiotools.display import html, layout, text_table
from fiotools.display.columns import Sheet
from fiotools.errors import SchemaError

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

    from fiotools.tables.results import Results

ROWS = 60
# names of the classes, by which IPython looks for them while they are not imported
_FRAMES = {"pandas": "pandas.DataFrame", "polars": "polars.dataframe.frame.DataFrame"}
_RESULTS = "fiotools.tables.results.Results"
_Formatter = Callable[[Any], Any]
_before: dict[str, _Formatter | None] = {}


class Readable:
    """A readable form: HTML in a notebook, text when printed."""

    def __init__(self, sheet: Sheet) -> None:
        self._sheet = sheet

    def __repr__(self) -> str:
        return text_table.text(self._sheet)

    def _repr_html_(self) -> str:
        return html.html(self._sheet)


def show(x: Results | IntoDataFrame, *, rows: int | None = ROWS) -> Readable:
    """Show results, or any frame of them, as people read them.

    A Results is shown as its `overview`. Values have units (1.2 GB/s, 350 µs), those of one unit
    the same prefix where all can be read with it; an interval stands beside its value, a verdict
    has a sign and a colour, and flags are said in sentences below. Columns without a value are left
    out, and columns with one value in all rows are named once. The frame itself is not changed.

    Parameters
    ----------
    x : Results or pandas or polars frame
        The result of `read`, one of its tables, or the answer of a statistic.
    rows : int, optional
        The most rows to show; None for all. At most twelve of a Results are shown: `overview`
        has all.

    Returns
    -------
    Readable
        Shows itself in a notebook, and prints as text.

    Raises
    ------
    SchemaError
        If `x` is none of these.

    Notes
    -----
    In IPython and JupyterLab, where fiotools is imported, the answers of `overview`, `compare`,
    `speedup`, `summarize`, `check`, `fairness`, `steady`, `shifts`, `reconcile`, `settings_diff`,
    `best_under`, `plan` and `variance` show themselves in this form; a selection of columns
    is shown as ever.
    ``%unload_ext fiotools`` ends that, and ``%load_ext fiotools`` brings it back.

    Examples
    --------
    >>> import fiotools as ft
    >>> t = ft.read("data/page-cache/{cache}.txt").timings
    >>> ft.show(ft.speedup(t, "real_s", between="cache", baseline="before"))
    real of each cache, against before
    cache     real  of before  speedup  n  verdict
    after  0.466 s     4.36 s     9.36  1  ? one run each: no error known
    need >= 3 runs a side for a verdict
    """
    if rows is not None and rows < 1:
        raise SchemaError(f"rows={rows!r} is not a number of rows: give 1 or more, or None for all")
    from fiotools.tables.results import Results  # and polars, which an IPython may not need

    if isinstance(x, Results):
        return Readable(layout.overview(x, rows))
    return Readable(layout.sheet(x, rows))


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
    known.for_type(_RESULTS, _shown)
    for package in _FRAMES:
        if package not in _before:
            _before[package] = known.for_type(_class_of(package), _readable(package))


def unload_ipython_extension(shell: Any) -> None:
    """Show answers as any other frame: ``%unload_ext fiotools``.

    Parameters
    ----------
    shell : IPython.core.interactiveshell.InteractiveShell
    """
    known = shell.display_formatter.formatters["text/html"]
    known.pop(_RESULTS, None)
    for package in _FRAMES:
        before = _before.pop(package)
        if before is None:
            known.pop(_class_of(package), None)
        else:
            known.for_type(_class_of(package), before)


def _class_of(package: str) -> Any:
    """Return the class of a package's frames, or its name if it is not imported."""
    return sys.modules[package].DataFrame if package in sys.modules else _FRAMES[package]


def _readable(package: str) -> _Formatter:
    """Make the formatter of a package's frames."""

    def formatted(frame: Any) -> Any:
        before = _before[package]
        shown = frame._repr_html_() if before is None else before(frame)
        if shown is None:  # HTML is switched off, pandas.options.display.notebook_repr_html
            return None
        return shown if layout.answer_of(list(frame.columns)) is None else _shown(frame)

    return formatted


def _shown(thing: Any) -> str:
    return show(thing)._repr_html_()
