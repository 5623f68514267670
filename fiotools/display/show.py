"""`show`: results and answers in the form that people read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fiotools.display import html, layout, preview, text_table
from fiotools.display.frame import Frame
from fiotools.display.model import Sheet
from fiotools.errors import SchemaError
from fiotools.tables.results import Results

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

ROWS = 60


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

    Values have units (1.2 GB/s, 350 µs), an interval stands beside its value, a verdict has a sign
    and a colour, and warnings are listed below. Columns without a value are left out, and columns
    with one value in all rows are named once. The frame itself is not changed.

    Parameters
    ----------
    x : Results or pandas or polars frame
        The result of `read`, one of its tables, or the answer of a statistic.
    rows : int, optional
        The most rows to show; None for all. Tables of a Results show at most five.

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
    In IPython and JupyterLab, where fiotools is imported, the answers of `compare`, `speedup`,
    `summarize`, `check`, `fairness`, `steady`, `shifts`, `reconcile`, `settings_diff`,
    `best_under`, `plan`, `variance_levels` and `variance_parts` show themselves in this form; a
    selection of columns is shown as ever.
    ``%unload_ext fiotools`` ends that, and ``%load_ext fiotools`` brings it back.

    Examples
    --------
    >>> import fiotools as ft
    >>> t = ft.read("data/page-cache/{cache}.txt").timings
    >>> ft.show(ft.speedup(t, "real_s", between="cache", baseline="before"))
    real of each cache, against before
    cache    real  of before  speedup  n  verdict
    after  466 ms     4.36 s     9.36  1  ? one run each: not comparable
    need >= 3 runs a side for a verdict
    """
    if rows is not None and rows < 1:
        raise SchemaError(f"rows={rows!r} is not a number of rows: give 1 or more, or None for all")
    if isinstance(x, Results):
        return Readable(preview.overview(x, rows))
    return Readable(layout.sheet(Frame(x, rows)))
