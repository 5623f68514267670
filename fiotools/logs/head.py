"""The first lines of a log decide its columns, its quantity, its unit and its clock.

`scan_log` decides as `read` does, from the first lines instead of all, and checks every further
line against that (`fiotools.logs.scan_log`). Several logs use one clock: the calendar's, or as the
caller says.

The report of the run that the log belongs to says fio's version and when each job began. The folder
and the reports tell which one that is: the one named like the log (``x.json`` beside
``x_lat.1.log``), otherwise one whose options name the log (``write_lat_log=x``), or which has a job
of that name. None is taken if several say different things.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self, TypeVar

from fiotools.errors import (
    FiotoolsError,
    ParseError,
    ScanWarning,
    SchemaError,
    UnknownFormatError,
    argument,
    typed,
)
from fiotools.input.detect import document as document_of
from fiotools.input.detect import load, sniff
from fiotools.input.sources import Found, Siblings, is_url, refuse_no_file
from fiotools.logs.blocks import Blocks
from fiotools.readers.document import plain_name, refuse_packed
from fiotools.readers.fio import Version
from fiotools.readers.fio.log import LogName, Shape, decided, log_name, shape_of
from fiotools.tables import Tables

if TYPE_CHECKING:
    from fiotools.input.sources import Found
    from fiotools.readers.document import Document
    from fiotools.readers.fio.log import Layout, LogName, Meaning

# --- the report of a log's run ----------------------------------------------------------------

_MANY = 100  # reports in a folder: with more, only the one named like the log is read
_LARGE = 1 << 24  # bytes: a report is read whole
_OPTIONS = tuple(f"write_{kind}_log" for kind in ("bw", "iops", "lat", "hist"))


@dataclass(frozen=True, slots=True)
class Report:
    """The facts that a report gives about its run.

    Attributes
    ----------
    name : str
        The file's.
    version : str or None
        fio's.
    begun : mapping
        Entry to the start of its job, as Unix time in ms; fio 3.36 and later write it.
    logs : frozenset of str
        The names of its logs, before the kind.
    """

    name: str
    version: str | None
    begun: Mapping[int, int]
    logs: frozenset[str] = field(default_factory=frozenset)


class Reports:
    """The reports in the folders of the logs; each is read once."""

    def __init__(self) -> None:
        self._siblings = Siblings(_report_name, _LARGE)
        self._read: dict[str, Report | None] = {}

    def of(self, found: Found, name: LogName) -> Report | None:
        """Find the report of a log's run; None if that is not certain."""
        if name.job is None or is_url(found.place):
            return None
        listed = self._siblings.of(found)
        for report in (f"{name.job}.json", f"{name.job}.jsonplus"):
            if report in listed and (read := self._report(listed[report])):
                return read
        if len(listed) > _MANY:
            return None
        read_all = filter(None, map(self._report, listed.values()))
        alike = [report for report in read_all if name.job in report.logs]
        if len(alike) == 1:
            return alike[0]
        versions = {report.version for report in alike}
        if len(versions) != 1:
            return None
        names = ", ".join(report.name for report in alike)
        return Report(names, versions.pop(), {})

    def _report(self, found: Found) -> Report | None:
        if found.name not in self._read:
            self._read[found.name] = _said_by(found)
        return self._read[found.name]


def _report_name(name: str) -> str | None:
    """Return the name of a JSON file without ``.gz``; None for other files."""
    plain = plain_name(name)
    return plain if plain.lower().endswith((".json", ".jsonplus")) else None


def _said_by(found: Found) -> Report | None:
    """Read a report; None if it is not fio's."""
    tables = Tables(found.name, ("runs", "jobs", "settings"))
    try:
        document = load(found)
        reader = sniff(document)
        if reader.name != "fio_json":
            return None
        reader.read(document, tables)
    except (FiotoolsError, OSError):
        return None  # it cannot tell
    runs = list(tables.rows("runs", "tool_version"))
    jobs = list(tables.rows("jobs", "entry", "job", "job_start"))
    logs = {job for _, job, _ in jobs if job}
    for option, text in tables.rows("settings", "option", "text"):
        if option in _OPTIONS and text:
            logs.add(PurePosixPath(str(text)).name)
    begun = {entry: _milliseconds(start) for entry, _, start in jobs if start is not None}
    versions = {version for (version,) in runs}
    if len(versions) != 1:
        return None
    return Report(found.name, versions.pop(), begun if len(runs) == 1 else {}, frozenset(logs))


def _milliseconds(moment: Any) -> int:
    return round(moment.timestamp() * 1000) if hasattr(moment, "timestamp") else int(moment)


Align = Literal["wall"] | Mapping[str, float] | None
# --- the first lines --------------------------------------------------------------------------

_HEAD = 1 << 20  # bytes


class Timed(Protocol):
    """A log whose first time is known."""

    @property
    def head(self) -> Head:
        """Its beginning."""

    @property
    def zero(self) -> float:
        """Where its times begin, in ms of its own clock."""

    def counted_from(self, zero: float) -> Self:
        """Return the log with times that begin at another moment."""


TimedT = TypeVar("TimedT", bound=Timed)


def aligned(logs: Sequence[TimedT], align: Align) -> Sequence[TimedT]:
    """Count the times of all logs from one moment; see `scan_log`.

    Raises
    ------
    SchemaError
        If a log's start is unknown.
    """
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


def _begun(log: Timed) -> tuple[float, str]:
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


def _moved(log: TimedT, late: float, how: str) -> TimedT:
    """Count times from a moment that is so many ms before the log's own zero."""
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
        Whether these are all lines.
    tables : Tables
        The notes.
    fio : Version
    report : Report or None
        The report of its run.
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
        """The values that all rows of the log share."""
        return {"source": self.found.name, **self.name.keys(1)}


@dataclass(frozen=True, slots=True)
class Log:
    """A log whose rows have a known meaning; no time is before the earliest."""

    head: Head
    shape: Shape
    layout: Layout
    meaning: Meaning
    earliest: float

    @property
    def zero(self) -> float:
        """Where its times begin, in ms of its own clock."""
        return self.meaning.zero

    def counted_from(self, zero: float) -> Log:
        """Return the log with times that begin at another moment."""
        return replace(self, meaning=replace(self.meaning, zero=zero))


def heads(found: list[Found], version: str | None, *, histograms: bool | None) -> list[Head]:
    """Read the first lines of each log; other files in folders and globs are skipped.

    Parameters
    ----------
    found : list of Found
    version : str or None
    histograms : bool or None
        True for logs of histograms, False for the others, None for all.

    Raises
    ------
    FileError
        If a named file is not a log, or nothing in it is certain.
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
            "it is not named like a log of fio, and its content does not say the quantity",
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
            "no complete line of a log",
            line=1,
            remedy="the file was cut off: copy it again, or run fio again",
        )
    refuse_packed(file.name, first)
    report = None if version else reports.of(file, name)
    said = version or (report.version if report else None)
    document = document_of(file.name, first, said)
    plain = first.decode("utf-8", errors="replace").replace("\r\n", "\n")
    if document.text != plain:
        raise ParseError(
            file.name,
            "not as fio writes it: pasted, or encoded as UTF-16",
            remedy=typed("read() reads it", "fiotools read reads it"),
        )
    reader = sniff(document)
    wanted = "fio_hist_log" if name.kind == "hist" else "fio_log"
    if reader.name != wanted:
        raise UnknownFormatError(file.name, f"not a log of fio: it is {reader.name}")
    tables = Tables(file.name, ("notes", "extras"))
    if report and said:
        tables.note(f"fio {Version.of(said).text}, as {report.name} says", run=1)
    return Head(file, name, document, whole, tables, Version.of(said), report)


def decide(head: Head) -> Log:
    """Decide what the rows of a log mean.

    Raises
    ------
    ParseError
        If no fio writes such lines, or if later lines would decide their unit.
    """
    head.tables.start_run()
    layout, meaning = decided(head.document, head.tables, head.name, head.fio)
    shape = shape_of(head.document.text)
    assert shape is not None
    if not (meaning.sure or head.whole):
        raise ParseError(
            head.found.name,
            "the first lines do not decide the unit of this bandwidth: single I/Os (since 2.15) or"
            " windows (before 2.2)",
            remedy=f"{argument('version')} decides",
        )
    return Log(head, shape, layout, meaning, meaning.zero)
