"""The first lines of a log, and the report of the run that it belongs to.

The report says fio's version and when each job began. The folder and the reports tell which one
that is: the one named like the log (``x.json`` beside ``x_lat.1.log``), otherwise one whose options
name the log (``write_lat_log=x``), or which has a job of that name. None is taken if several say
different things.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

import polars as pl

from fiotools.errors import (
    FileError,
    FiotoolsError,
    NoResultError,
    ParseError,
    ScanWarning,
    UnknownFormatError,
    typed,
)
from fiotools.input.sources import Found, Siblings, is_url, raw, refuse_no_file
from fiotools.logs.blocks import Blocks
from fiotools.readers import opened, read, sniff
from fiotools.readers.document import plain_name, refuse_packed
from fiotools.readers.fio import Version
from fiotools.readers.fio.log import LogName, incomplete, log_name
from fiotools.tables.columns import get
from fiotools.tables.rows import Rows

if TYPE_CHECKING:
    from fiotools.readers.document import Document

_MANY = 100  # reports in a folder: with more, only the one named like the log is read
_LARGE = 1 << 24  # bytes: a report is read whole
_OPTIONS = tuple(f"write_{kind}_log" for kind in ("bw", "iops", "lat", "hist"))
_HEAD = 1 << 20  # bytes


@dataclass(frozen=True, slots=True)
class ReportFacts:
    """The facts that a report gives about its run."""

    name: str  # the file's
    version: str | None  # fio's
    # entry to the start of its job, as Unix time in ms; fio 3.36 and later write it
    begun: Mapping[int, int]
    logs: frozenset[str] = frozenset()  # the names of its logs, before the kind


class Reports:
    """The reports in the folders of the logs; each is read once."""

    def __init__(self) -> None:
        self._siblings = Siblings(_report_name, _LARGE)
        self._read: dict[str, ReportFacts | None] = {}

    def of(self, found: Found, name: LogName) -> ReportFacts | None:
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
        return ReportFacts(names, versions.pop(), {})

    def _report(self, found: Found) -> ReportFacts | None:
        if found.name not in self._read:
            self._read[found.name] = _said_by(found)
        return self._read[found.name]


def _report_name(name: str) -> str | None:
    """Return the name of a JSON file without ``.gz``; None for other files."""
    plain = plain_name(name)
    return plain if plain.lower().endswith((".json", ".jsonplus")) else None


def _said_by(found: Found) -> ReportFacts | None:
    """Read a report; None if it is not fio's."""
    rows = Rows(("runs", "jobs", "settings"))
    rows.begin(0, found.name)
    try:
        document = opened(found.name, raw(found))
        reader = sniff(document)
        if reader.name != "fio_json":
            return None
        read(reader, document, rows)
    except (FiotoolsError, OSError):
        return None  # it cannot tell
    tables = rows.tables()
    runs = _rows(tables, "runs", "tool_version")
    jobs = _rows(tables, "jobs", "entry", "job", "job_start")
    logs = {job for _, job, _ in jobs if job}
    for option, text in _rows(tables, "settings", "option", "text"):
        if option in _OPTIONS and text:
            logs.add(PurePosixPath(str(text)).name)
    begun = {entry: round(start.timestamp() * 1000) for entry, _, start in jobs if start}
    versions = {version for (version,) in runs}
    if len(versions) != 1:
        return None
    return ReportFacts(found.name, versions.pop(), begun if len(runs) == 1 else {}, frozenset(logs))


def _rows(tables: Mapping[str, pl.DataFrame], table: str, *names: str) -> list[tuple[Any, ...]]:
    frame = tables.get(table, pl.DataFrame())
    return pl.DataFrame([get(frame, name) for name in names]).rows() if frame.height else []


@dataclass(frozen=True, slots=True)
class Head:
    """The beginning of a log."""

    found: Found
    name: LogName
    document: Document  # its first lines
    whole: bool  # whether these are all lines
    rows: Rows  # the notes
    fio: Version
    report: ReportFacts | None  # of its run

    @property
    def keys(self) -> Mapping[str, Any]:
        """The values that all rows of the log share."""
        return {"source": self.found.name, **self.name.keys(1)}


def heads(found: list[Found], version: str | None) -> list[Head]:
    """Read the first lines of each log; other files in folders and globs are skipped."""
    reports = Reports()
    seen = []
    for file in found:
        name = log_name(plain_name(file.name))
        if name is not None:
            try:
                seen.append(_head(file, name, version, reports))
            except FileError as error:
                if file.named:
                    raise
                if not isinstance(error, NoResultError):
                    warnings.warn(str(error), ScanWarning, stacklevel=4)  # of `scan`
        elif file.named:
            raise ParseError(
                file.name,
                "it is not named like a log of fio, and its content does not say the quantity",
                remedy="give it back its name (x_lat.1.log, x_clat_hist.1.log, ...)",
            )
    if not seen:
        kinds = "x_lat.1.log, x_bw.1.log, x_clat_hist.1.log"
        raise FileNotFoundError(f"no log of fio among {len(found)} files ({kinds})")
    return seen


def _head(file: Found, name: LogName, version: str | None, reports: Reports) -> Head:
    refuse_no_file(file)
    blocks = Blocks(file, _HEAD)
    lines = iter(blocks)
    first = next(lines, b"")
    whole = next(lines, None) is None
    if b"\0" in (first + blocks.rest)[:4096]:  # as `read` has it
        raise UnknownFormatError(file.name, "this is a binary file, not a tool's output")
    if blocks.rest and not first:
        raise incomplete(file.name)
    refuse_packed(file.name, first)
    report = None if version else reports.of(file, name)
    said = version or (report.version if report else None)
    document = opened(file.name, first, said)
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
    rows = Rows(("notes", "extras"))
    rows.begin(0, file.name)
    if report and said:
        rows.note(f"fio {Version.of(said).text}, as {report.name} says", code="meaning", run=1)
    return Head(file, name, document, whole, rows, Version.of(said), report)
