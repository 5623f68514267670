"""Reports of text tools in a text: nothing but them, or beside a structured document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fiotools.readers.grammar import Later, Report, Session

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from fiotools.readers.document import Document
    from fiotools.tables import Tables

_READ_FIO = Later("fiotools.readers.fio.json:read")
_READ = Later("fiotools.readers.transcript.reader:read")
_ADD_TIMING = Later("fiotools.readers.time:add_timing")


def read_reports(
    document: Document, tables: Tables, add: Callable[[Tables, Report, Session], int]
) -> None:
    """Read a text that holds nothing but one tool's reports."""
    for report in document.reports:
        add(tables, report, Session())


def add(
    tables: Tables, part: Document, above: int | None = None, copies: Collection[Report] = ()
) -> None:
    """Add the reports of a part of a text, as runs of their own; warn of lines that none took.

    Parameters
    ----------
    tables : Tables
    part : Document
        `Document.part` between two documents.
    above : int, optional
        The run whose document ends where the part begins: a timing that follows at once is its.
    copies : collection of Report
        Those of its reports that only repeat a document.
    """
    if unread := part.unread():
        tables.note(unread.message, line=unread.line, severity=unread.severity)
    copied = {report.start for report in copies}
    part.reports = [report for report in part.reports if report.start not in copied]
    first = part.reports[0] if part.reports else None
    if first and above and first.kind == "time" and not part.text[: first.start].strip():
        _ADD_TIMING(tables, first, Session(), above)
        part.reports = part.reports[1:]
    if any(report.kind == "fio_json" for report in part.reports):
        _READ_FIO(part, tables)
    elif part.reports:
        _READ(part, tables)
