"""fio_log: latencies, bandwidth and IOPS, as fio logs them while it runs.

Produced by ``fio --write_lat_log=x --write_bw_log=x --write_iops_log=x ...``: ``x_lat.1.log``,
``x_clat.1.log`` and so on, a file per job and quantity. Without ``log_avg_msec`` a row is one I/O,
with it a window of time. Fills ``runs`` (one row), ``samples`` and, with ``log_unix_epoch=1``,
``extras``.

``quantity`` is ``lat_ns``, ``clat_ns`` or ``slat_ns`` (of an I/O, or of a window its mean, or its
maximum with ``log_max_value=1``: the file does not say which), ``bw_bytes_per_s``, ``iops``, or
``count`` where an IOPS log counts single I/Os. With ``log_window_value=both`` a window is two rows:
``lat_mean_ns`` and ``lat_max_ns``, ``bw_mean_bytes_per_s`` and so on. ``bs_bytes``,
``offset_bytes`` and ``prio`` are of single I/Os; windows have none, and fio writes 0 there.
``entry`` is the job's number in the name, as in fio's own report without ``group_reporting``.

Traps: the quantity and the job stand in the file's name alone (`log_head`); columns were added
(`log_lines`) and units changed (`log_meaning`) from version to version, and no log says
which wrote it. Where content and ``version=`` do not settle it, a note says what was taken.
A bandwidth is KiB/s of a window, but 1000 B/s of an I/O. With ``log_compression`` fio (3.33) takes
the mean of single I/Os for every window: 1 in an IOPS log, and rates that are no bandwidth.
``per_job_logs=0`` appends: the file holds several jobs, or several runs, one after another. Times
are ms. Early fio 1.x wrote three columns, in units that are not certain: that is not read. Issue
times (``log_issue_time=1``) have no column and are left out.
``log_store_compressed=1`` writes ``.log.fz``, which ``fio --inflate-log=FILE`` unpacks.

Specified in fio's HOWTO ("Log File Formats"), ``iolog.c`` and ``stat.c``, 2.0 to 3.42.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from fiotools.errors import ParseError
from fiotools.hints import argument
from fiotools.readers.fio.log_head import (
    LogName,
    begin,
    first_rows,
    is_cut,
    named,
    warn,
)
from fiotools.readers.fio.log_lines import Layout, Lines, layout_of, whole_lines
from fiotools.readers.fio.log_meaning import Meaning, figures, meaning_of
from fiotools.readers.fio.version import Version

if TYPE_CHECKING:
    from fiotools.readers.document import Document
    from fiotools.tables import Tables

_WIDEST = 8


def sniff(document: Document) -> bool:
    """Claim lines of numbers that are named as fio's logs are, or that only fio writes."""
    rows = first_rows(document)
    name = named(document)
    if name and name.kind != "hist":
        claimed = rows[0].count(",") < _WIDEST if rows else is_cut(document)
    else:
        claimed = name is None and len(rows) > 1 and all(map(_only_fio_writes, rows))
    return claimed and not document.kinds


def _only_fio_writes(row: str) -> bool:
    """Whether a line is of a single I/O beyond doubt, whatever the file is called."""
    fields = row.split(", ")
    return (
        5 <= len(fields) < _WIDEST
        and fields[2] in ("0", "1", "2")
        and fields[3].isdecimal()
        and int(fields[3]) % 512 == 0 < int(fields[3])
        and (fields[-1] == "0" or fields[-1].startswith("0x"))
    )


def read(document: Document, tables: Tables) -> None:
    """Read one log."""
    name = named(document)
    if name is None or name.kind == "hist":
        raise ParseError(
            document.name,
            "a log of fio, but its name does not say of what",
            remedy=f"say it, {argument('quantity', 'iops')} (or bw, lat, clat, slat), or give it "
            "back its name (x_lat.1.log)",
        )
    fio = begin(document, tables, name, "fio_log")
    layout, meaning = decided(document, tables, name, fio)
    _note_order(tables, name, layout.frame, meaning.windows)
    if tables.wants("samples"):
        for quantity, column in meaning.quantities.items():
            found = figures(layout.frame, column, meaning)
            same = {
                one.name: one[0]  # as block sizes and priorities mostly are
                for one in found.drop("time_s", "value")
                if one.eq_missing(one[0]).all()
            }
            columns = {one.name: one for one in found if one.name not in same}
            keys = {**name.keys(tables.runs), "quantity": quantity, **same}
            tables.extend("samples", columns, **keys)


def decided(
    document: Document, tables: Tables, name: LogName, fio: Version
) -> tuple[Layout, Meaning]:
    """Decide from the lines of a text what its columns are, and what they mean.

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
        warn(tables, f"fio {fio.text} writes no such columns: they are read by what they hold")
    if layout.tied:
        warn(tables, "columns not certain: read as those without log_window_value=both")
    if "issue" in layout.frame.columns:
        tables.note("issue times (log_issue_time=1) are left out", run=tables.runs)
    if len(layout.bad):
        warn(tables, unlike_fio(len(layout.bad)), int(layout.bad[0]))


def unlike_fio(count: int) -> str:
    """Say that lines hold what fio does not write."""
    return (
        f"{count:,} lines with figures that fio does not write (a direction above 2,"
        " a priority above 1, a maximum below its mean): left out"
    )


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
