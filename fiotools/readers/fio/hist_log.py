"""fio_hist_log: histograms of the completion latency, one per interval and direction.

Produced by ``fio --write_hist_log=x --log_hist_msec=1000 ...``: ``x_clat_hist.1.log``. Fills
``runs``, ``bins``, ``samples`` and, if times are Unix times, ``extras`` (when they begin). A row of
the log is ``time, direction, block size, bin, bin, ...``, and holds the I/Os since
the row before of that direction.

``bins`` has a row for every filled bin of every interval, with the end of its interval in
``time_s``: ready for a heat map, and the sum of ``count`` over any stretch of time is its
histogram. ``samples`` has a row for every interval, also the empty ones: ``quantity`` is ``count``,
and ``bs_bytes`` belongs to the I/O that ended the interval. Nothing is lost.

Traps: the number of bins tells the unit (29 octaves of ns since 3.0, 19 of usec before) and the
``log_hist_coarseness``; its bins merge neighbours, by count and not by width. fio writes an
interval when an I/O ends after it: I/Os after the last complete interval are not in the log, so it
counts fewer than the report of the run. The first row of a direction counts from the start of the
run.

Specified in fio's ``iolog.c`` (``flush_hist_samples``) and ``stat.c`` (``add_clat_sample``), 2.17
to 3.42.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import polars as pl

from fiotools.errors import ParseError
from fiotools.readers.fio.bins import LONGEST, PAD, log_edges, numbers
from fiotools.readers.fio.log import (
    DIRECTION,
    LogName,
    begin,
    first_rows,
    is_cut,
    named,
    time_zero,
    warn,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fiotools.readers.document import Document
    from fiotools.tables import Column, Tables

    Whole: TypeAlias = NDArray[np.int64]

_CERTAIN = 100  # no other table has so many columns
BEFORE_BINS = 3  # time, direction, block size
_CODES = len(DIRECTION.categories)
_NUMBER = rf"[0-9]{{1,{LONGEST}}}"
_LINE = re.compile(rf"{_NUMBER}, 0{{0,{LONGEST - 1}}}[0-2](?:, {_NUMBER})*", re.A)
_AT_ONCE = 1 << 18  # bytes: numpy's arrays of these stay in a processor's cache


@dataclass(frozen=True, slots=True)
class FilledRows:
    """Some rows, and their filled bins in the order of the log."""

    heads: Whole  # time, direction and block size of each row
    row: Whole  # of each bin
    bin: Whole
    count: Whole

    def __len__(self) -> int:
        return len(self.heads)

    def totals(self) -> Whole:
        """Return the sum of the bins of each row."""
        ends = np.searchsorted(self.row, np.arange(len(self) + 1))
        return np.diff(np.concatenate([[0], self.count.cumsum()])[ends])

    def columns(self, edges: NDArray[np.float64], zero: float) -> dict[str, Column]:
        """Make the columns of `bins`; times count from a moment in ms."""
        return {
            "direction": directions(self.heads).gather(self.row),
            "bin_lo_ns": edges[self.bin],
            "bin_hi_ns": edges[self.bin + 1],
            "count": self.count,
            "time_s": ((self.heads[:, 0] - zero) / 1000)[self.row],
        }


def joined(parts: Sequence[FilledRows]) -> FilledRows:
    """Concatenate consecutive rows."""
    firsts = np.cumsum([0, *map(len, parts)])
    return FilledRows(
        np.concatenate([part.heads for part in parts]),
        np.concatenate([part.row + first for part, first in zip(parts, firsts, strict=False)]),
        np.concatenate([part.bin for part in parts]),
        np.concatenate([part.count for part in parts]),
    )


def directions(heads: Whole) -> pl.Series:
    """Name the directions of rows."""
    return pl.Series(heads[:, 1].astype(np.uint8)).cat.to(DIRECTION)


def sniff(document: Document) -> bool:
    """Claim rows of as many numbers as fio has bins."""
    name = named(document)
    is_named = name is not None and name.kind == "hist"
    rows = first_rows(document)
    if not rows:
        return is_named and is_cut(document) and not document.kinds
    fields = rows[0].split(", ")
    width = len(fields) - BEFORE_BINS
    known = log_edges(width) is not None and fields[1] in ("0", "1", "2")
    return (is_named or (known and width > _CERTAIN)) and not document.kinds


def edges_of(document: Document) -> NDArray[np.float64] | None:
    """Return the edges of a log's bins, in ns; None if none of its first lines is complete."""
    widths = (row.count(",") + 1 - BEFORE_BINS for row in first_rows(document))
    return next((edges for edges in map(log_edges, widths) if edges is not None), None)


def read(document: Document, tables: Tables) -> None:
    """Read one log."""
    name = named(document) or LogName("hist", None, None, None, None)  # known by its content
    edges, bad = edges_of(document), list[int]()
    parts = [] if edges is None else [*read_rows(document.text, len(edges) - 1 + BEFORE_BINS, bad)]
    if edges is None or not parts:
        raise ParseError(
            document.name,
            "no complete line of a histogram log",
            line=1,
            remedy="was the file cut off, or edited?",
        )
    begin(document, tables, name, "fio_hist_log")
    if bad:
        what = "lines that are torn, or not from a histogram log: left out"
        warn(tables, f"{len(bad):,} {what}", min(bad))
    rows = joined(parts)
    zero = time_zero(tables, rows.heads[:, 0])
    if not _falls(rows, len(edges) - 1):
        warn(
            tables,
            "no count ever falls from one interval to the next: they may be totals of the run so"
            " far (early fio 2), and not of the intervals",
        )
    keys = name.keys(tables.runs)
    samples: dict[str, Column] = {
        "time_s": (rows.heads[:, 0] - zero) / 1000,
        "value": rows.totals().astype(np.float64),
        "direction": directions(rows.heads),
        "bs_bytes": rows.heads[:, 2],
    }
    tables.extend("samples", samples, **keys, quantity="count")
    if len(rows.row) and tables.wants("bins"):
        tables.extend("bins", rows.columns(edges, zero), **keys, latency="clat")


def _falls(rows: FilledRows, bins: int) -> bool:
    """Whether any count is below the previous interval's; one interval cannot tell."""
    last: dict[int, Whole] = {}
    is_repeated = False
    ends = np.searchsorted(rows.row, np.arange(len(rows) + 1)).tolist()
    for code, start, end in zip(rows.heads[:, 1].tolist(), ends, ends[1:], strict=False):
        own = np.zeros(bins, dtype=np.int64)
        own[rows.bin[start:end]] = rows.count[start:end]
        if code in last:
            is_repeated = True
            if (own < last[code]).any():
                return True
        last[code] = own
    return not is_repeated


# --- few of a row's two thousand bins are filled: only these are read -------------------------


def read_rows(text: str, width: int, bad: list[int]) -> Iterator[FilledRows]:
    """Read the complete lines of a log, some hundred at a time; ``bad`` gets the other lines.

    ``width`` is how many numbers a row has.
    """
    end, at, line = text.rfind("\n") + 1, 0, 1
    while at < end:
        stop = text.find("\n", min(at + _AT_ONCE, end - 1)) + 1
        part = text[at:stop]
        rows = _parse(part, width)
        if rows is None:  # rare, and slow
            good: list[str] = []
            for number, one in enumerate(part.split("\n")[:-1], line):
                if one.count(",") == width - 1 and _LINE.fullmatch(one):
                    good.append(f"{one}\n")
                elif one:
                    bad.append(number)
            rows = _parse("".join(good), width)
        if rows is not None:
            yield rows
        line += part.count("\n")
        at = stop


def _parse(text: str, width: int) -> FilledRows | None:
    """Parse complete lines together, numbers other than ``0``; None unless each line is a row."""
    # an endless line is not a row, and not worth the memory
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
    # a blank behind each comma and nowhere else, then digits up to the next comma
    if (
        np.count_nonzero(digit) + 2 * np.count_nonzero(comma) + np.count_nonzero(line_end)
        != len(taken)
        or not np.array_equal(comma[:-1], blank[1:])
        or (begins & ~digit).any()
    ):
        return None
    # most numbers are "0": these are skipped
    zero = begins & (taken == ord("0"))
    zero[:-1] &= ends[1:]
    begins &= ~zero
    ends[1:] &= ~zero[:-1]
    starts, lines = np.flatnonzero(begins), np.flatnonzero(line_end)
    lengths = np.flatnonzero(ends) - starts
    if len(starts) and lengths.max() > LONGEST:
        return None
    # a "0" takes three bytes with its separator; each further digit one more
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
    if heads[:, 1].max() >= _CODES:
        return None
    is_bin = ~is_head & (values > 0)  # 00 is empty too
    return FilledRows(heads, row[is_bin], column[is_bin] - BEFORE_BINS, values[is_bin])
