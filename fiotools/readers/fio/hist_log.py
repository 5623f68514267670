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

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import polars as pl

from fiotools.errors import ParseError
from fiotools.readers.fio.bins import log_edges
from fiotools.readers.fio.digits import LONGEST, PAD, numbers
from fiotools.readers.fio.log_head import (
    DIRECTIONS,
    UNFINISHED,
    first_rows,
    is_cut,
    log_name,
    time_zero,
)
from fiotools.readers.fio.version import Version

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fiotools.input.detect import Document
    from fiotools.tables import Column, Tables

    Whole: TypeAlias = NDArray[np.int64]

_CERTAIN = 100  # so many columns are no other table's
BEFORE_BINS = 3  # time, direction, block size
_LINE = re.compile(rf"[0-9]{{1,{LONGEST}}}(?:, [0-9]{{1,{LONGEST}}})*", re.A)
_AT_ONCE = 1 << 18  # bytes: what numpy makes of them stays in a processor's cache


@dataclass(frozen=True, slots=True)
class Rows:
    """Some rows, and their bins that hold anything.

    Attributes
    ----------
    lines : numpy.ndarray
        The number of each row's line.
    heads : numpy.ndarray
        Time, direction and block size of each.
    row, bin, count : numpy.ndarray
        The bins: of which of these rows, which bin, what is in it; in the order of the log.
    """

    lines: Whole
    heads: Whole
    row: Whole
    bin: Whole
    count: Whole

    def __len__(self) -> int:
        return len(self.lines)

    def totals(self) -> Whole:
        """Return what the bins of each row add up to."""
        ends = np.searchsorted(self.row, np.arange(len(self) + 1))
        return np.diff(np.concatenate([[0], self.count.cumsum()])[ends])

    def kept(self, which: NDArray[np.bool_]) -> Rows:
        """Return some of the rows."""
        own = which[self.row]
        row = (np.cumsum(which) - 1)[self.row[own]]
        return Rows(self.lines[which], self.heads[which], row, self.bin[own], self.count[own])

    def full(self, bins: int) -> Whole:
        """Return the rows with all their bins."""
        table = np.zeros((len(self), bins), dtype=np.int64)
        table[self.row, self.bin] = self.count
        return table


@dataclass
class Intervals:
    """The rows of a log, and its bins that hold anything."""

    size: int = 0
    heads: list[Whole] = field(default_factory=list)  # time, direction, block size
    totals: list[Whole] = field(default_factory=list)
    row: list[Whole] = field(default_factory=list)
    bin: list[Whole] = field(default_factory=list)
    counts: list[Whole] = field(default_factory=list)
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
    heads: Whole,
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
    last: dict[int, Whole] = {}
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


# --- of two thousand bins in a row few hold anything: only these are read ----------------------


def read_rows(text: str, width: int, bad: list[int]) -> Iterator[Rows]:
    """Read the whole lines of a log, some at a time.

    The bytes of some hundred rows are looked at together. What is ``0`` is left where it is, and
    only the other numbers are read. Lines that are not laid out as fio does are found one by one.

    Parameters
    ----------
    text : str
    width : int
        How many numbers a row has.
    bad : list of int
        Gets the numbers of the lines that are no rows.
    """
    end, at, line = text.rfind("\n") + 1, 0, 1
    while at < end:
        stop = text.find("\n", min(at + _AT_ONCE, end - 1)) + 1
        part = text[at:stop]
        found = _parse(part, width)
        if found is not None:
            yield Rows(np.arange(line, line + len(found[0])), *found)
            line += len(found[0])
        else:  # rare, and slow
            lines = part.split("\n")[:-1]
            is_row = np.array([_is_row(one, width) for one in lines])
            bad += [line + i for i in np.flatnonzero(~is_row).tolist() if lines[i]]
            good = np.flatnonzero(is_row)
            found = _parse("".join(f"{lines[i]}\n" for i in good.tolist()), width)
            if found is not None:
                yield Rows(line + good, *found)
            line += len(lines)
        at = stop


def _parse(text: str, width: int) -> tuple[Whole, Whole, Whole, Whole] | None:
    """Parse whole lines together, as `Rows` has them; None unless each of them is a row."""
    # a line without end is none, and not worth the memory
    if not text or not text.isascii() or len(text) > _AT_ONCE + width * (LONGEST + 2):
        return None
    data = text.encode()
    taken = np.frombuffer(data, dtype=np.uint8)
    comma, blank, line_end = (taken == ord(sign) for sign in ", \n")
    digit = taken - np.uint8(ord("0")) < 10
    ends = comma | line_end
    begins = np.empty_like(ends)
    begins[0] = True
    np.logical_or(blank[:-1], line_end[:-1], out=begins[1:])
    # a blank behind each comma and nowhere else, digits from there to the next comma
    if (
        np.count_nonzero(digit) + 2 * np.count_nonzero(comma) + np.count_nonzero(line_end)
        != len(taken)
        or not np.array_equal(comma[:-1], blank[1:])
        or (begins & ~digit).any()
    ):
        return None
    # most numbers are "0": these are not looked at any further
    zero = begins & (taken == ord("0"))
    zero[:-1] &= ends[1:]
    begins &= ~zero
    ends[1:] &= ~zero[:-1]
    starts, lines = np.flatnonzero(begins), np.flatnonzero(line_end)
    lengths = np.flatnonzero(ends) - starts
    if len(starts) and lengths.max() > LONGEST:
        return None
    # a "0" takes three bytes with what is behind it; the others as many more as they have digits
    firsts = np.concatenate([[0], lines + 1])
    more = np.concatenate([[0], (lengths - 1).cumsum()])
    at = np.searchsorted(starts, firsts)
    if (np.diff(firsts) + 1 - np.diff(more[at]) != 3 * width).any():
        return None
    row = np.repeat(np.arange(len(lines)), np.diff(at))
    column = (starts - firsts[row] - more[:-1] + more[at[row]]) // 3
    values = numbers(data + PAD, starts, lengths)
    if values is None:
        return None
    heads = np.zeros((len(lines), BEFORE_BINS), dtype=np.int64)
    is_head = column < BEFORE_BINS
    heads[row[is_head], column[is_head]] = values[is_head]
    is_bin = ~is_head & (values > 0)  # not as 00
    return heads, row[is_bin], column[is_bin] - BEFORE_BINS, values[is_bin]


def _is_row(line: str, width: int) -> bool:
    return line.count(",") == width - 1 and _LINE.fullmatch(line) is not None
