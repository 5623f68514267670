"""The rows of a fio log: from lines to samples, with what there is to say about them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from fiotools.errors import ParseError
from fiotools.readers.fio_log_head import DIRECTIONS, time_zero
from fiotools.readers.fio_log_layout import Layout, layout_of
from fiotools.readers.fio_log_lines import whole_lines
from fiotools.readers.fio_log_units import Said, bw_scale, latency_scale
from fiotools.spelling import argument

if TYPE_CHECKING:
    from fiotools.readers.fio_json_io import Version
    from fiotools.readers.fio_log_name import LogName
    from fiotools.sniff import Document
    from fiotools.tables import Tables

# one value a row; value and maximum of a window
_QUANTITIES = {
    "bw": ("bw_bytes_per_s", "bw_mean_bytes_per_s", "bw_max_bytes_per_s"),
    "iops": ("iops", "iops_mean", "iops_max"),
    **{k: (f"{k}_ns", f"{k}_mean_ns", f"{k}_max_ns") for k in ("slat", "clat", "lat")},
}
_OPEN = (
    "the fifth column is 0 throughout: the priority (fio 3.18 and later), or the offset of an older"
    " fio; it is left out, and {} decides"
)
_WINDOWS = "a row is a window of time: its mean, or its maximum if fio was run with log_max_value=1"
_COMPRESSED = "; with log_compression it is of the rates of single I/Os, and no bandwidth"
_ONES = (
    "every window says 1: with log_compression fio takes the mean of single I/Os, 1 each, and that"
    " is no rate"
)


def add_rows(document: Document, tables: Tables, name: LogName, fio: Version) -> None:
    """Add the samples of one log to its run.

    Raises
    ------
    ParseError
        If no line is whole, or no version of fio writes such lines.
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
            line=int(lines.numbers[0]),
            remedy="three columns are early fio 1.x, in units that are not certain"
            if lines.frame.width == 3
            else "was the file edited, or made by another tool?",
        )
    _note_layout(tables, fio, layout)
    _add(tables, name, fio, layout)


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
            f"{len(layout.bad):,} lines with figures that fio does not write (a direction above 2,"
            " a priority above 1, a maximum below its mean): left out",
            line=int(layout.bad[0]),
            severity="warning",
            run=tables.runs,
        )


def _add(tables: Tables, name: LogName, fio: Version, layout: Layout) -> None:
    """Add the samples."""
    frame, number = layout.frame, None if layout.refuted else fio.number
    windows = not (frame["bs"] > 0).any()
    if layout.open and not windows:
        tables.note(_OPEN.format(argument("version")), run=tables.runs)
    zero = time_zero(tables, frame["time"].to_numpy())
    _note_order(tables, name, frame, windows)
    scale: int | pl.Expr = 1
    if name.kind == "bw":
        said = bw_scale(frame, number, layout.since, layout.open, name.scope == "job")
        single = pl.when(pl.col("bs") > 0)
        scale = single.then(_told(tables, said)).otherwise(1024)
        # fio gives an I/O that took no time no rate
        frame = frame.with_columns(
            value=single.then(pl.col("value").replace(0, None)).otherwise("value")
        )
    elif name.kind != "iops":
        scale = _told(tables, latency_scale(frame, number, layout.since, layout.open, zero == 0))
    one, mean, largest = _QUANTITIES[name.kind]
    if "max" in frame.columns:
        quantities = {mean: "value", largest: "max"}
    else:
        if windows:
            said_of = _COMPRESSED if name.kind == "bw" else ""
            tables.note(_WINDOWS + said_of, run=tables.runs)
        quantities = {one: "value"}
        if name.kind == "iops" and not windows and (frame["value"] == 1).all():
            quantities = {"count": "value"}
            tables.note("a row is one I/O, not a rate", run=tables.runs)
        elif name.kind == "iops" and (frame["value"] == 1).all():
            tables.note(_ONES, severity="warning", run=tables.runs)
    if tables.wants("samples"):
        for quantity, column in quantities.items():
            columns = _columns(frame, column, scale, zero)
            tables.extend("samples", columns, **name.keys(tables.runs), quantity=quantity)


def _told(tables: Tables, said: Said) -> int:
    scale, severity, message = said
    if message:
        tables.note(message, severity=severity, run=tables.runs)
    return scale


def _columns(
    frame: pl.DataFrame, value: str, scale: int | pl.Expr, zero: int
) -> dict[str, list[Any]]:
    """Compute the columns of `samples`."""
    single = pl.col("bs") > 0
    wanted = {
        "value": pl.col(value).cast(pl.Float64) * scale,
        "bs_bytes": pl.when(single).then(pl.col("bs")),
    }
    if "offset" in frame.columns:
        wanted["offset_bytes"] = pl.when(single).then(pl.col("offset"))
    if "prio" in frame.columns:
        wanted["prio"] = pl.when(single).then(pl.col("prio").cast(pl.String).str.strip_chars())
    found = {column.name: _listed(column) for column in frame.select(**wanted)}
    # by numpy: polars divides by a number as it multiplies by its reciprocal, a digit off
    found["time_s"] = ((frame["time"].to_numpy() - zero) / 1000).tolist()
    words = np.array(list(DIRECTIONS.values()), dtype=object)
    return {**found, "direction": words[frame["ddir"].to_numpy()].tolist()}


def _listed(column: pl.Series) -> list[Any]:
    """Make a list of a column, fast where all are alike: block sizes and priorities mostly are."""
    first = column[0]
    return [first] * len(column) if column.eq_missing(first).all() else column.to_list()


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
