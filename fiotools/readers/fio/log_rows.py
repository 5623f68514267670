"""The rows of a fio log: from lines to samples, with what there is to say about them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from fiotools.errors import ParseError
from fiotools.readers.fio.log_layout import Layout, layout_of
from fiotools.readers.fio.log_lines import Lines, whole_lines
from fiotools.readers.fio.log_meaning import Meaning, figures, meaning_of

if TYPE_CHECKING:
    from fiotools.readers.fio.log_name import LogName
    from fiotools.readers.fio.version import Version
    from fiotools.sniff import Document
    from fiotools.tables import Tables


def add_rows(document: Document, tables: Tables, name: LogName, fio: Version) -> None:
    """Add the samples of one log to its run.

    Raises
    ------
    ParseError
        If no line is whole, or no version of fio writes such lines.
    """
    layout, meaning = decided(document, tables, name, fio)
    _note_order(tables, name, layout.frame, meaning.windows)
    if tables.wants("samples"):
        for quantity, column in meaning.quantities.items():
            columns, same = _columns(layout.frame, column, meaning)
            same.update(name.keys(tables.runs), quantity=quantity)
            tables.extend("samples", columns, **same)


def decided(
    document: Document, tables: Tables, name: LogName, fio: Version
) -> tuple[Layout, Meaning]:
    """Decide from the lines of a text what its columns are, and what they mean.

    Raises
    ------
    ParseError
        As in `add_rows`.
    """
    lines = whole_lines(document, tables)
    if lines is None:
        raise ParseError(
            document.name,
            "no whole line of a log",
            line=1,
            remedy="the file was cut off: copy it whole, or run fio again",
        )
    layout = layout_of(lines, fio.number)
    if layout is None or layout.frame.is_empty():
        raise ParseError(
            document.name,
            f"lines of {lines.frame.width} columns, not laid out as in any fio from 2.0 to 3.42",
            line=_first(lines),
            remedy="three columns are early fio 1.x, in units that are not certain"
            if lines.frame.width == 3
            else "was the file edited, or made by another tool?",
        )
    _note_layout(tables, fio, layout)
    return layout, meaning_of(tables, name, fio, layout)


def _first(lines: Lines) -> int:
    return 1 if lines.numbers is None else int(lines.numbers[0])


def _note_layout(tables: Tables, fio: Version, layout: Layout) -> None:
    if layout.refuted:
        tables.note(
            f"fio {fio.text} writes no such columns: they are read by what they hold",
            severity="warning",
            run=tables.runs,
        )
    if layout.tied:
        tables.note(
            "columns not certain: read as those without log_window_value=both",
            severity="warning",
            run=tables.runs,
        )
    if "issue" in layout.frame.columns:
        tables.note("issue times (log_issue_time=1) are left out", run=tables.runs)
    if len(layout.bad):
        tables.note(
            unlike_fio(len(layout.bad)),
            line=int(layout.bad[0]),
            severity="warning",
            run=tables.runs,
        )


def unlike_fio(count: int) -> str:
    """Say that lines hold what fio does not write."""
    return (
        f"{count:,} lines with figures that fio does not write (a direction above 2,"
        " a priority above 1, a maximum below its mean): left out"
    )


def _columns(
    frame: pl.DataFrame, value: str, meaning: Meaning
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Give the columns of `samples`, and apart from them what all rows have alike."""
    found = figures(frame, value, meaning)
    columns: dict[str, Any] = {name: found[name] for name in ("time_s", "value")}
    same: dict[str, Any] = {}
    for name in ("direction", "bs_bytes", "offset_bytes", "prio"):
        column = found[name]
        if column.eq_missing(column[0]).all():  # as block sizes and priorities mostly are
            same[name] = column[0]
        elif column.dtype == pl.Int64:
            columns[name] = column
        else:
            columns[name] = column.cast(pl.Enum(column.unique().drop_nulls().cast(pl.String())))
    return columns, same


def _note_order(tables: Tables, name: LogName, frame: pl.DataFrame, windows: bool) -> None:
    """Note times that step back, and windows that end twice; the rows are kept as they are."""
    steps = frame["time"].diff()
    back = steps.filter(steps < 0)
    if len(back):
        largest = back.min()
        assert isinstance(largest, int)
        tables.note(
            f"times step back {len(back):,} times, by up to {-largest / 1000:g} s: rows of several"
            " jobs or runs stand in this file",
            severity="info" if name.scope != "job" or largest > -1000 else "warning",
            run=tables.runs,
        )
    twice = int(frame.select("time", "ddir").is_duplicated().sum()) if windows else 0
    if twice and name.scope == "job":
        tables.note(
            f"{twice:,} windows end at the time of another of their direction", run=tables.runs
        )
