"""`scan_hist_log`: fio's logs of latency histograms, lazily."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from fiotools.errors import ParseError
from fiotools.input import sources as files
from fiotools.logs.blocks import Blocks
from fiotools.logs.head import Align, Head, aligned, heads
from fiotools.logs.lazy_frame import lazy, warn_of
from fiotools.logs.scan_log import LeftOut
from fiotools.readers.fio import hist_log as fio_hist_log
from fiotools.readers.fio.hist_log import BEFORE_BINS, edges_of, joined, read_rows
from fiotools.readers.fio.log import DIRECTION

if TYPE_CHECKING:
    from fiotools.logs.scan_log import Paths

_BINS = ("direction", "bin_lo_ns", "bin_hi_ns", "count", "time_s")


@dataclass(frozen=True, slots=True)
class HistLog:
    """A log of known width; no time is before the earliest, in ms."""

    head: Head
    edges: tuple[float, ...]
    zero: float
    earliest: float

    def counted_from(self, zero: float) -> HistLog:
        """Return the log with times that begin at another moment."""
        return replace(self, zero=zero)


def scan_hist_log(
    sources: Paths | Mapping[str, Paths], *, version: str | None = None, align: Align = None
) -> pl.LazyFrame:
    """Read fio's logs of latency histograms lazily, in constant memory.

    Parameters
    ----------
    sources, version, align
        As in `scan_log`. The number of bins decides their unit, for any version.

    Returns
    -------
    polars.LazyFrame
        The table ``bins``, as `read` returns it for the same files: a row for every filled bin of
        every interval.

    Raises
    ------
    FileNotFoundError
        If nothing matches, or no match is a histogram log.
    FileError
        If a named file is not one.
    SchemaError
        If the logs cannot be aligned.

    Warns
    -----
    ScanWarning
        About counts that may be totals of the run so far; while collecting, about lines left
        out.

    Examples
    --------
    >>> import fiotools as ft
    >>> log = ft.scan_hist_log("data/how-many-runs/long/long_clat_hist.1.log")
    >>> seconds = ft.window(log, "100s", percentiles=99).collect(engine="streaming")
    >>> seconds.select("time_s", "n", "value_ns").rows()
    [(100.0, 3951804, 688128.0), (200.0, 4140189, 622592.0), (300.0, 4020776, 688128.0)]
    """
    seen = heads(files.find(sources), version, histograms=True)
    logs = aligned([decide_histogram(head) for head in seen], align)
    warn_of([log.head.tables for log in logs], 3)
    parts = [
        (log.head.found, {**log.head.keys, "latency": "clat"}, partial(_bins, log)) for log in logs
    ]
    return lazy("bins", parts, _BINS, {"direction": DIRECTION}, "fio histogram log")


def decide_histogram(head: Head) -> HistLog:
    """Decide how wide rows are, and when times begin."""
    fio_hist_log.read(head.document, head.tables)
    edges = edges_of(head.document)
    assert edges is not None
    extras = head.tables.rows("extras", "path", "text")
    zero = next((float(text) for path, text in extras if path == "time_zero_ms"), 0.0)
    return HistLog(head, tuple(edges.tolist()), zero, zero)


def _bins(log: HistLog, wanted: Collection[str]) -> Iterator[pl.DataFrame]:
    """Yield the bins of a log, block after block."""
    width, edges = len(log.edges) - 1 + BEFORE_BINS, np.array(log.edges)
    blocks, left_out, before = Blocks(log.head.found), LeftOut(log.head.found.name), 0
    for body in blocks:
        bad: list[int] = []
        text = body.decode("utf-8", errors="replace").replace("\r\n", "\n")
        parts = [*read_rows(text, width, bad)]
        if any((part.heads[:, 0] < log.earliest).any() for part in parts):
            raise ParseError(
                log.head.found.name,
                f"from line {before + 1:,} on: times count from the first entry, and one is"
                " before it",
                line=before + 1,
            )
        left_out.torn(sorted(bad), before)
        before += text.count("\n")
        if parts:
            columns = joined(parts).columns(edges, log.zero)
            yield pl.DataFrame(columns).select(name for name in _BINS if name in wanted)
    left_out.warn(blocks)
