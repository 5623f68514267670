"""`scan` and `scan_notes`: fio's logs, lazily.

A scan decides as `read` does, but from the first lines instead of all. polars then reads file after
file, block after block, and each block is checked against these decisions. Lines that are left out
are counted, and a warning at the end says how many. Several logs use one clock: the calendar's, or
as the caller says.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
import polars as pl
from polars.io.plugins import register_io_source

from fiotools.errors import ParseError, ScanWarning, SchemaError, argument, typed
from fiotools.input import sources as files
from fiotools.logs.blocks import Blocks
from fiotools.logs.head import Head, heads
from fiotools.readers.fio import hist_log as fio_hist_log
from fiotools.readers.fio.hist_log import BEFORE_BINS, joined, read_rows
from fiotools.readers.fio.log import (
    DIRECTION,
    FIGURES,
    QUANTITY,
    UNFINISHED,
    continued,
    decided,
    figures,
    parsed,
    shape_of,
    torn,
    unlike_fio,
)
from fiotools.tables.columns import POLARS, label_column
from fiotools.tables.parts import FILE, Part, stacked
from fiotools.tables.results import Frames
from fiotools.vocabulary import COLUMNS, TABLES

if TYPE_CHECKING:
    from fiotools.input.read import Paths
    from fiotools.input.sources import Found
    from fiotools.readers.fio.log import Layout, Meaning, Shape, Types

Align = Literal["wall"] | Mapping[str, float] | None
Batches = Callable[[Collection[str]], Iterator[pl.DataFrame]]

_TINY = pl.UInt8()


class LogReading:
    """The blocks of a log; lines of them that are left out are counted, and told at the end."""

    def __init__(self, found: Found) -> None:
        self._blocks = Blocks(found)
        self.above = 0  # lines before this block: who reads it counts them
        self._left_out: dict[Callable[[int], str], tuple[int, int]] = {}

    def __iter__(self) -> Iterator[bytes]:
        yield from self._blocks
        name = self._blocks.found.name
        said = [f"{name}:{line}: {what(count)}" for what, (count, line) in self._left_out.items()]
        said += [f"{name}: {UNFINISHED}"] if self._blocks.rest else []
        said += [f"{name}: {remark}" for remark in self._blocks.remarks]
        for message in said:
            warnings.warn(message, ScanWarning, stacklevel=2)

    def against(self, what: str, remedy: str = "") -> ParseError:
        """Return the error for a block unlike the first lines."""
        line = self.above + 1
        said = f"{typed('read()', 'fiotools read')} looks at all lines before it decides"
        return ParseError(
            self._blocks.found.name,
            f"from line {line:,} on: {what}",
            line=line,
            remedy=f"{remedy}; {said}" if remedy else said,
        )

    def leave_out(self, what: Callable[[int], str], lines: Sequence[int] | pl.Series) -> None:
        """Count lines of this block; ``what`` describes so many of them."""
        if len(lines):
            count, first = self._left_out.get(what, (0, self.above + int(lines[0])))
            self._left_out[what] = count + len(lines), first


@dataclass(frozen=True)
class Log(ABC):
    """A log whose rows have a known meaning."""

    table: ClassVar[str]
    types: ClassVar[Mapping[str, pl.DataType]]  # of columns, where they differ from the vocabulary
    own: ClassVar[frozenset[str]]  # the columns that the file gives
    shown: ClassVar[str]  # the name that polars shows

    head: Head
    zero: float  # where its times begin, in ms of its own clock
    earliest: float  # no time is before it

    @abstractmethod
    def parts(self) -> Iterator[tuple[Mapping[str, Any], Batches]]:
        """Yield the columns that all rows of a part share, and a function that yields its rows.

        The function takes names of columns, and yields frames of those that the file has.
        """

    def _refuse_earlier(self, time: int, blocks: LogReading) -> None:
        """Refuse a time before the first entry, from which times count."""
        if time < self.earliest:
            raise blocks.against(f"times count from the first entry, and {time} ms is before it")


@dataclass(frozen=True)
class ValueLog(Log):
    """A log of latency, bandwidth or IOPS."""

    table = "samples"
    types: ClassVar = {**FIGURES, "quantity": QUANTITY}
    own = frozenset(FIGURES)
    shown = "fio log"

    shape: Shape
    layout: Layout
    meaning: Meaning

    @classmethod
    def of(cls, head: Head) -> ValueLog:
        """Decide what the rows mean; refuse a log whose later lines would decide their unit."""
        head.rows.start_run()
        layout, meaning = decided(head.document, head.rows, head.name, head.fio)
        shape = shape_of(head.document.text)
        assert shape is not None
        if not (meaning.sure or head.whole):
            raise ParseError(
                head.found.name,
                "the first lines do not decide the unit of this bandwidth: single I/Os (since"
                " 2.15) or windows (before 2.2)",
                remedy=f"{argument('version')} decides",
            )
        return cls(head, meaning.zero, meaning.zero, shape, layout, meaning)

    def parts(self) -> Iterator[tuple[Mapping[str, Any], Batches]]:
        """Yield a part for each quantity."""
        for quantity, column in self.meaning.quantities.items():
            yield {**self.head.keys, "quantity": quantity}, partial(self._rows, column)

    def _rows(self, value: str, wanted: Collection[str]) -> Iterator[pl.DataFrame]:
        blocks, types = LogReading(self.head.found), self._types()
        meaning = replace(self.meaning, zero=self.zero)
        for body in blocks:
            # one number that is too large is rarely the only one: its types stay
            lines, types = parsed(body, self.shape, types)
            part = continued(lines, self.layout)
            if part is None:
                what = "its columns mean something else than those before"
                raise blocks.against(what, f"{argument('version')} may decide")
            data, bad = part
            if lines.others is not None:
                blocks.leave_out(torn, lines.others)
            blocks.leave_out(unlike_fio, bad)
            if len(data):
                self._hold(data, blocks)
                yield figures(data, value, meaning, wanted)
            blocks.above += body.count(b"\n") if lines.others is not None else lines.frame.height

    def _types(self) -> Types:
        """Choose the smallest types that fit the first lines; later lines may need wider ones."""
        small = {"ddir": _TINY, "prio": _TINY, "time": pl.Int32(), "offset": pl.Int64()}
        if self.earliest >= 2**31:
            small["time"] = pl.Int64()
        types = [small.get(name, pl.UInt32()) for name in self.layout.frame.columns]
        return (*types, _TINY) if self.layout.open else tuple(types)

    def _hold(self, data: pl.DataFrame, blocks: LogReading) -> None:
        """Refuse rows that contradict the decisions."""
        if self.meaning.windows and data["bs"].max():
            raise blocks.against("single I/Os follow windows of time")
        if "count" in self.meaning.quantities and not (
            data["value"].min() == 1 == data["value"].max()
        ):
            raise blocks.against("an IOPS log of single I/Os, 1 each, continues with other values")
        self._refuse_earlier(int(data["time"].to_numpy().min()), blocks)


@dataclass(frozen=True)
class HistLog(Log):
    """A log of latency histograms, of known width."""

    table = "bins"
    types: ClassVar = {"direction": DIRECTION}
    own = frozenset({"direction", "bin_lo_ns", "bin_hi_ns", "count", "time_s"})
    shown = "fio histogram log"

    edges: tuple[float, ...]

    @classmethod
    def of(cls, head: Head) -> HistLog:
        """Decide how wide rows are, and when times begin."""
        head.rows.start_run()
        _, edges, zero = fio_hist_log.decided(head.document, head.rows)
        return cls(head, zero, zero, tuple(edges.tolist()))

    def parts(self) -> Iterator[tuple[Mapping[str, Any], Batches]]:
        """Yield the only part."""
        yield {**self.head.keys, "latency": "clat"}, self._rows

    def _rows(self, wanted: Collection[str]) -> Iterator[pl.DataFrame]:
        width, edges = len(self.edges) - 1 + BEFORE_BINS, np.array(self.edges)
        blocks = LogReading(self.head.found)
        for body in blocks:
            bad: list[int] = []
            text = body.decode("utf-8", errors="replace").replace("\r\n", "\n")
            parts = [*read_rows(text, width, bad)]
            blocks.leave_out(torn, sorted(bad))
            if parts:
                rows = joined(parts)
                self._refuse_earlier(int(rows.heads[:, 0].min()), blocks)
                columns = rows.columns(edges, self.zero)
                yield pl.DataFrame({name: columns[name] for name in columns if name in wanted})
            blocks.above += text.count("\n")


def _logs(
    sources: Paths | Mapping[str, Paths],
    version: str | None,
    align: Align,
) -> list[Log]:
    """Find logs, and decide what their rows mean and where their times begin."""
    seen = heads(files.find(sources), version)
    logs: list[Log] = [
        HistLog.of(head) if head.name.kind == "hist" else ValueLog.of(head) for head in seen
    ]
    if align is None:
        return logs
    if isinstance(align, Mapping):
        names = {log.head.found.name for log in logs}
        wrong = sorted(names ^ set(align))
        if wrong:
            raise SchemaError(f"align= must name each file and no other: {wrong[0]}")
        return [_moved(log, 1000 * float(align[log.head.found.name]), "as asked") for log in logs]
    if align != "wall":
        raise SchemaError(f"align={align!r} is neither 'wall' nor seconds by file")
    begun = [_begun(log) for log in logs]
    first = min(moment for moment, _ in begun)
    when = f"{datetime.fromtimestamp(first / 1000, UTC):%Y-%m-%d %H:%M:%S.%f}"[:-3]
    return [
        _moved(log, moment - first, f"from {when} UTC, {how}")
        for log, (moment, how) in zip(logs, begun, strict=True)
    ]


def _begun(log: Log) -> tuple[float, str]:
    """Return the Unix time in ms when a log's times begin, and the source of that."""
    if log.zero:
        return log.zero, "the log's own times"
    report, entry = log.head.report, log.head.keys["entry"]
    if report is not None and entry in report.begun:
        return report.begun[entry], f"job_start of {report.name}"
    name = log.head.found.name
    raise SchemaError(
        f"{name}: its start is unknown: neither its times (log_unix_epoch=1) nor a report beside it"
        f" (job_start, fio 3.36) give it; align={{{name!r}: 0.0}} does"
    )


def _moved(log: Log, late: float, how: str) -> Log:
    """Count times from a moment that is so many ms before the log's own zero."""
    log.head.rows.note(
        f"time_s counts {how}: this log begins {late / 1000:g} s later", code="meaning", run=1
    )
    return replace(log, zero=log.zero - late)


def _lazy(logs: Sequence[Log]) -> pl.LazyFrame:
    """Warn of assumptions, and make a lazy frame of logs of one kind, in the form of a table."""
    kind = logs[0]
    if other := next((log for log in logs if log.table != kind.table), None):
        raise SchemaError(
            f"{kind.head.found.name} is a {kind.shown}, {other.head.found.name} a {other.shown}: "
            "name one kind, '*_clat_hist.*.log' or '*_lat.*.log'"
        )
    _warn(logs)
    parts = [(log.head.found, *part) for log in logs for part in log.parts()]
    columns = {
        name: kind.types.get(name, POLARS[COLUMNS[name].dtype]) for name in TABLES[kind.table]
    }
    given = [log.head.found.labels for log in logs]
    labels = {
        name: label_column(name, [one.get(name) for one in given]).dtype
        for name in dict.fromkeys(chain.from_iterable(given))
        if name not in columns
    }
    schema = {**labels, **columns}

    def read(
        wanted: list[str] | None, predicate: pl.Expr | None, rows: int | None, _: int | None
    ) -> Iterator[pl.DataFrame]:
        shown = list(schema) if wanted is None else wanted
        # a frame without columns has no rows either
        asked = shown if not kind.own.isdisjoint(shown) else [*shown, "time_s"]
        left = rows
        for found, keys, batches in parts:
            same = {name: keys.get(name, found.labels.get(name)) for name in shown}
            literals = {name: pl.lit(value, dtype=schema[name]) for name, value in same.items()}
            for batch in batches(asked):
                # a label named like a column fills its gaps
                filled = [
                    batch[name].fill_null(found.labels[name])
                    for name in batch.columns
                    if name in found.labels
                ]
                others = {k: v for k, v in literals.items() if k not in batch.columns}
                frame = batch.with_columns(*filled, **others).select(shown)
                if predicate is not None:
                    frame = frame.filter(predicate)
                if left is not None:
                    frame = frame.head(left)
                    left -= len(frame)
                yield frame
                if left == 0:
                    return

    return register_io_source(read, schema=schema, explain_name=kind.shown)


def _warn(logs: Sequence[Log]) -> None:
    """Warn of assumptions; one that several files share is reported once.

    Warnings about lines come later, when all of them are counted.
    """
    said: dict[str, list[str]] = {}
    for rows in (log.head.rows for log in logs):
        for note in rows.notes():
            message = note["message"]
            if note["line"] is None and (note["severity"] != "info" or note["code"] == "assumed"):
                said.setdefault(message, []).append(rows.source)
    for message, names in said.items():
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        warnings.warn(f"{names[0]}{more}: {message}", ScanWarning, stacklevel=4)  # of `scan`


def scan(
    sources: Paths | Mapping[str, Paths], *, version: str | None = None, align: Align = None
) -> pl.LazyFrame:
    """Read logs of fio lazily, in constant memory, of any length: of I/Os, averages or histograms.

    Only the first lines are read now; the rest when the frame is collected, best with
    ``collect(engine="streaming")``.

    Parameters
    ----------
    sources : path, glob, folder, path template, list of these, or mapping of label to these
        As in `read`. From folders and globs, files named like such logs are taken.
    version : str, optional
        fio's version, which logs do not say. By default it comes from the JSON report of the same
        run beside the log: named like the log (``x.json`` beside ``x_lat.1.log``), or with the
        log's name in its options.
    align : {"wall"} or mapping of str to float, optional
        How several logs count from one moment. ``"wall"`` uses Unix times: the log's own
        (``log_unix_epoch=1``), or the start of the job from the report beside the log (fio 3.36);
        times count from the earliest of these. A mapping gives the seconds by which each file, as
        `sources` names it, began late. By default each log counts by itself, as in `read`.

    Returns
    -------
    polars.LazyFrame
        The table ``samples``, or ``bins`` of logs of histograms, as `read` returns it for the same
        files: labels first, ``direction`` as an Enum.

    Raises
    ------
    FileNotFoundError
        If nothing matches, or no match is a log.
    FileError
        If a named file is not a log, or its unit is unknown; while collecting, if a line
        contradicts the decisions from the first lines. Nothing is guessed.
    SchemaError
        If the logs cannot be aligned, or some are of histograms and others are not.

    Warns
    -----
    ScanWarning
        About assumed columns and units, if neither a version nor a report decides, and files of
        a folder that cannot be read; while collecting, about lines left out because they are torn
        or not fio's. `fiotools.logs.scan.scan_notes` returns all notes on the first lines.

    See Also
    --------
    window : Rates and percentiles of each second.

    Examples
    --------
    >>> import fiotools as ft
    >>> log = ft.scan("data/per-io-log/mixed_lat.1.log")
    >>> log.group_by("direction").len().sort("direction").collect(engine="streaming").rows()
    [('read', 4797)]
    >>> log = ft.scan("data/how-many-runs/long/long_clat_hist.1.log")
    >>> seconds = ft.window(log, "100s", percentiles=99).collect(engine="streaming")
    >>> seconds.select("time_s", "n", "value_ns").rows()
    [(100.0, 3951804, 688128.0), (200.0, 4140189, 622592.0), (300.0, 4020776, 688128.0)]
    """
    return _lazy(_logs(sources, version, align))


def scan_notes(
    sources: Paths | Mapping[str, Paths], *, version: str | None = None, align: Align = None
) -> pl.DataFrame:
    """Return what a lazy scan of these logs assumes.

    Parameters
    ----------
    sources, version, align
        As for `scan`; logs of both kinds may be mixed.

    Returns
    -------
    polars.DataFrame
        The table ``notes``, from the first lines of each log: what decided units and columns, and
        the moment that times count from.

    Raises
    ------
    FileNotFoundError, FileError, SchemaError
        As in `scan`.

    Examples
    --------
    >>> scan_notes("tests/fixtures/fio/fio-3.33--log-windows_lat.1.log")["message"][0]
    'fio 3.33, as tests/fixtures/fio/fio-3.33--log-windows.json says'
    """
    heads = [log.head for log in _logs(sources, version, align)]
    made = (head.rows.tables().get("notes", stacked(())) for head in heads)
    notes = [one.with_columns(pl.lit(at, pl.Int32()).alias(FILE)) for at, one in enumerate(made)]
    files = [(head.found.name, head.found.labels) for head in heads]
    part = Part(files, {"notes": stacked(notes)})
    return Frames(part).polars("notes").with_columns(run=pl.lit(1, pl.Int64()))
