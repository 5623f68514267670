"""fio_hist_log: histograms of the completion latency, one per interval and direction.

Produced by ``fio --write_hist_log=x --log_hist_msec=1000 ...``: ``x_clat_hist.1.log``. Fills
``runs``, ``bins``, ``samples`` and, where times are those of the calendar, ``extras`` (when they
begin). A row of the log is ``time, direction, block size, bin, bin, ...``, and holds the I/Os since
the row before of that direction.

``bins`` has a row for every bin of every interval that holds anything, with the end of its interval
in ``time_s``: a heat map as it is, and the histogram of any stretch of time, or of the whole log,
as the sum of ``count`` over it. ``samples`` has a row for every interval, empty ones too:
``quantity`` is ``count``, ``bs_bytes`` that of the I/O which ended the interval. Nothing is lost.

Traps: the number of bins tells the unit (29 octaves of ns since 3.0, 19 of usec before) and the
``log_hist_coarseness``; its bins merge neighbours, by count and not by width. fio writes an
interval when an I/O ends after it: what came after the last whole interval is not in the log, so
the counts are fewer than in the report of the run. The first row of a direction counts from the
start of the run.

Specified in fio's ``iolog.c`` (``flush_hist_samples``) and ``stat.c`` (``add_clat_sample``), 2.17
to 3.42.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from fiotools.errors import ParseError
from fiotools.readers.fio.bins import log_edges
from fiotools.readers.fio.hist_rows import BEFORE_BINS, Rows, read_rows
from fiotools.readers.fio.log_head import (
    DIRECTIONS,
    UNFINISHED,
    first_rows,
    is_cut,
    time_zero,
)
from fiotools.readers.fio.log_name import log_name
from fiotools.readers.fio.version import Version

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fiotools.sniff import Document
    from fiotools.tables import Column, Tables

_CERTAIN = 100  # so many columns are no other table's


@dataclass
class Intervals:
    """The rows of a log, and its bins that hold anything."""

    size: int = 0
    heads: list[NDArray[np.int64]] = field(default_factory=list)  # time, direction, block size
    totals: list[NDArray[np.int64]] = field(default_factory=list)
    row: list[NDArray[np.int64]] = field(default_factory=list)
    bin: list[NDArray[np.int64]] = field(default_factory=list)
    counts: list[NDArray[np.int64]] = field(default_factory=list)
    falls: bool = False  # whether any count is below that of the interval before

    def add(self, rows: Rows) -> None:
        """Add the next rows."""
        self.heads.append(rows.heads)
        self.totals.append(rows.totals())
        self.row.append(rows.row + self.size)
        self.bin.append(rows.bin)
        self.counts.append(rows.count)
        self.size += len(rows)


def sniff(document: Document) -> bool:
    """Claim rows of as many numbers as fio has bins."""
    name = log_name(document.plain_name)
    named = name is not None and name.kind == "hist"
    rows = first_rows(document)
    if not rows:
        return named and is_cut(document) and not document.kinds
    fields = rows[0].split(", ")
    width = len(fields) - BEFORE_BINS
    known = log_edges(width) is not None and fields[1] in ("0", "1", "2")
    return (named or (known and width > _CERTAIN)) and not document.kinds


def read(document: Document, tables: Tables) -> None:
    """Read one log."""
    name = log_name(document.plain_name)
    text = document.text
    rows = first_rows(document)
    widths = (row.count(",") + 1 - BEFORE_BINS for row in rows)
    edges = next((known for width in widths if (known := log_edges(width))), None)
    if edges is None:
        raise ParseError(
            document.name,
            "no whole line of a histogram log",
            line=1,
            remedy="was the file cut off, or edited?",
        )
    fio = Version.of(document.version)
    run = tables.start_run(
        tool="fio",
        tool_version=fio.text,
        format="fio_hist_log",
        host=name.host if name else None,
        status="ok" if text.endswith("\n") else "truncated",
    )
    found = _intervals(document, tables, len(edges) - 1 + BEFORE_BINS)
    if not found.size:
        raise ParseError(document.name, "no whole line of a histogram log", line=1)
    heads = np.concatenate(found.heads)
    zero = time_zero(tables, heads[:, 0])
    if not found.falls:
        tables.note(
            "no count ever falls from one interval to the next: they may be of the run so far"
            " (early fio 2), and not of the intervals",
            severity="warning",
            run=run,
        )
    keys: dict[str, object] = name.keys(run) if name else {"run": run, "entry": 1}
    _add(tables, keys, found, (heads[:, 0] - zero) / 1000, heads, np.asarray(edges))


def _add(
    tables: Tables,
    keys: dict[str, object],
    found: Intervals,
    times: NDArray[np.float64],
    heads: NDArray[np.int64],
    edges: NDArray[np.float64],
) -> None:
    """Add the intervals, and their bins that hold anything."""
    words = pl.Enum(DIRECTIONS.values())
    directions = pl.Series(heads[:, 1].astype(np.uint8)).cat.to(words)
    columns: dict[str, Column]
    if tables.wants("samples"):
        columns = {
            "time_s": times,
            "value": np.concatenate(found.totals).astype(np.float64),
            "direction": directions,
            "bs_bytes": heads[:, 2],
        }
        tables.extend("samples", columns, **keys, quantity="count")
    if tables.wants("bins"):
        row, number = np.concatenate(found.row), np.concatenate(found.bin)
        columns = {
            "direction": directions.gather(row),
            "bin_lo_ns": edges[number],
            "bin_hi_ns": edges[number + 1],
            "count": np.concatenate(found.counts),
            "time_s": times[row],
        }
        if len(row):
            tables.extend("bins", columns, **keys, latency="clat")


def _intervals(document: Document, tables: Tables, width: int) -> Intervals:
    """Take the whole lines, some at a time, and note the others."""
    found = Intervals()
    last: dict[int, NDArray[np.int64]] = {}
    bad: list[int] = []
    repeated = False
    for rows in read_rows(document.text, width, bad):
        known = rows.heads[:, 1] <= max(DIRECTIONS)
        if not known.all():
            bad += rows.lines[~known].tolist()
            rows = rows.kept(known)
        if not found.falls:
            full = rows.full(width - BEFORE_BINS)
            for code in DIRECTIONS:
                own = full[rows.heads[:, 1] == code]
                if len(own):
                    before = own if code not in last else np.vstack([last[code], own])
                    repeated |= len(before) > 1
                    found.falls |= bool((np.diff(before, axis=0) < 0).any())
                    last[code] = own[-1:].copy()
        found.add(rows)
    found.falls |= not repeated  # one interval says nothing
    if bad:
        tables.note(
            f"{len(bad):,} lines that are torn, or not of a histogram log: left out",
            line=min(bad),
            severity="warning",
            run=tables.runs,
        )
    if not document.text.endswith("\n"):
        line = document.text.count("\n") + 1
        tables.note(UNFINISHED, line=line, severity="warning", run=tables.runs)
    return found
