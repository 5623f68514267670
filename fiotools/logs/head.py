"""What the first lines of a log decide: its columns, its quantity, its unit and its clock.

They are decided as `read` decides them, of the first lines instead of all. What only all lines can
tell, the first ones are taken for, and every further line is held to it (`fiotools.logs.rows`).
Several logs go on one clock: the calendar's, or as the caller says.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self, TypeVar

from fiotools.errors import ParseError, ScanWarning, SchemaError, UnknownFormatError
from fiotools.hints import argument, typed
from fiotools.input.detect import document as document_of
from fiotools.input.detect import sniff
from fiotools.input.sources import Found, refuse_no_file
from fiotools.logs.blocks import Blocks
from fiotools.logs.run_report import Report, Reports
from fiotools.readers.document import plain_name, refuse_packed
from fiotools.readers.fio.log import decided
from fiotools.readers.fio.log_head import LogName, log_name
from fiotools.readers.fio.log_lines import Shape, shape_of
from fiotools.readers.fio.version import Version
from fiotools.tables import Tables

if TYPE_CHECKING:
    from fiotools.readers.document import Document
    from fiotools.readers.fio.log_lines import Layout
    from fiotools.readers.fio.log_meaning import Meaning

Align = Literal["wall"] | Mapping[str, float] | None
_HEAD = 1 << 20  # bytes


class Timed(Protocol):
    """A log of which is known when its times begin."""

    @property
    def head(self) -> Head:
        """Its beginning."""

    @property
    def zero(self) -> float:
        """When its times begin, in ms of its own clock."""

    def counted_from(self, zero: float) -> Self:
        """Let times begin at another moment."""


TimedT = TypeVar("TimedT", bound=Timed)


def aligned(logs: Sequence[TimedT], align: Align) -> Sequence[TimedT]:
    """Let all logs count from one moment; see `scan_log`.

    Raises
    ------
    SchemaError
        If it is not known when a log began.
    """
    if align is None:
        return logs
    if isinstance(align, Mapping):
        names = {log.head.found.name for log in logs}
        wrong = sorted(names ^ set(align))
        if wrong:
            raise SchemaError(f"align= names each file, and nothing else: {wrong[0]}")
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


def _begun(log: Timed) -> tuple[float, str]:
    """Say when a log's times begin, in ms of Unix, and what says so."""
    if log.zero:
        return log.zero, "the log's own times"
    report, entry = log.head.report, log.head.keys["entry"]
    if report is not None and entry in report.begun:
        return report.begun[entry], f"job_start of {report.name}"
    name = log.head.found.name
    raise SchemaError(
        f"{name}: nothing says when it began: neither its times (log_unix_epoch=1) nor a report"
        f" beside it (job_start, fio 3.36); align={{{name!r}: 0.0}} does"
    )


def _moved(log: TimedT, late: float, how: str) -> TimedT:
    """Let times count from a moment that is so many ms before the log's own zero."""
    log.head.tables.note(f"time_s counts {how}: this log begins {late / 1000:g} s later", run=1)
    return log.counted_from(log.zero - late)


@dataclass(frozen=True, slots=True)
class Head:
    """The beginning of a log.

    Attributes
    ----------
    found : Found
    name : LogName
    document : Document
        Its first lines.
    whole : bool
        Whether there are no others.
    tables : Tables
        The notes.
    fio : Version
    report : Report or None
        That of its run.
    """

    found: Found
    name: LogName
    document: Document
    whole: bool
    tables: Tables
    fio: Version
    report: Report | None

    @property
    def keys(self) -> Mapping[str, Any]:
        """What all rows of the log share."""
        return {"source": self.found.name, **self.name.keys(1)}


@dataclass(frozen=True, slots=True)
class Log:
    """A log of which is known what its rows stand for; no time is before the earliest."""

    head: Head
    shape: Shape
    layout: Layout
    meaning: Meaning
    earliest: float

    @property
    def zero(self) -> float:
        """When its times begin, in ms of its own clock."""
        return self.meaning.zero

    def counted_from(self, zero: float) -> Log:
        """Let times begin at another moment."""
        return replace(self, meaning=replace(self.meaning, zero=zero))


def heads(found: list[Found], version: str | None, *, histograms: bool | None) -> list[Head]:
    """Look at the first lines of each log; of folders and globs, what is none is passed over.

    Parameters
    ----------
    found : list of Found
    version : str or None
    histograms : bool or None
        Whether logs of histograms are meant, or the others; None: all.

    Raises
    ------
    FileError
        If a file that was named is no log, or nothing certain is in it.
    FileNotFoundError
        If there is no log.
    """
    reports = Reports()
    seen = []
    for file in found:
        name = log_name(plain_name(file.name))
        if name is not None and histograms in (None, name.kind == "hist"):
            try:
                refuse_no_file(file)
            except UnknownFormatError as error:
                if file.named:
                    raise
                warnings.warn(str(error), ScanWarning, stacklevel=2)
                continue
            seen.append(_head(file, name, version, reports))
        elif file.named:
            raise _not_one(file, name)
    if not seen:
        kind = "x_clat_hist.1.log" if histograms else "x_lat.1.log, x_bw.1.log, ..."
        raise FileNotFoundError(f"no log of fio among {len(found)} files ({kind})")
    return seen


def _not_one(file: Found, name: LogName | None) -> ParseError:
    if name is None:
        return ParseError(
            file.name,
            "its name is not that of a log of fio, and nothing else says of what it is",
            remedy="give it back its name (x_lat.1.log, x_clat_hist.1.log, ...)",
        )
    other = "scan_hist_log" if name.kind == "hist" else "scan_log"
    return ParseError(file.name, "another kind of log", remedy=f"{other}() reads it")


def _head(file: Found, name: LogName, version: str | None, reports: Reports) -> Head:
    blocks = Blocks(file, _HEAD)
    lines = iter(blocks)
    first = next(lines, b"")
    whole = next(lines, None) is None
    if b"\0" in (first + blocks.rest)[:4096]:  # as `read` has it
        raise UnknownFormatError(file.name, "this is a binary file, not a tool's output")
    if whole and blocks.torn and not first:
        raise ParseError(
            file.name,
            "no whole line of a log",
            line=1,
            remedy="the file was cut off: copy it whole, or run fio again",
        )
    refuse_packed(file.name, first)
    report = None if version else reports.of(file, name)
    said = version or (report.version if report else None)
    document = document_of(file.name, first, said)
    plain = first.decode("utf-8", errors="replace").replace("\r\n", "\n")
    if document.text != plain:
        raise ParseError(
            file.name,
            "not as fio writes it: pasted, or coded as UTF-16",
            remedy=typed("read() reads it", "fiotools read reads it"),
        )
    reader = sniff(document)
    wanted = "fio_hist_log" if name.kind == "hist" else "fio_log"
    if reader.name != wanted:
        raise UnknownFormatError(file.name, f"no log of fio: it is {reader.name}")
    tables = Tables(file.name, ("notes", "extras"))
    if report and said:
        tables.note(f"fio {Version.of(said).text}, as {report.name} says", run=1)
    return Head(file, name, document, whole, tables, Version.of(said), report)


def decide(head: Head) -> Log:
    """Decide what the rows of a log stand for.

    Raises
    ------
    ParseError
        If no fio writes such lines, or their unit hangs on lines that are not seen yet.
    """
    head.tables.start_run()
    layout, meaning = decided(head.document, head.tables, head.name, head.fio)
    shape = shape_of(head.document.text)
    assert shape is not None
    if not (meaning.sure or head.whole):
        raise ParseError(
            head.found.name,
            "the first lines do not tell the unit of this bandwidth: that of single I/Os (since"
            " 2.15), or of windows (before 2.2)",
            remedy=f"{argument('version')} decides",
        )
    return Log(head, shape, layout, meaning, meaning.zero)
