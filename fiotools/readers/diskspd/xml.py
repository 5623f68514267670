"""diskspd_xml: the output of ``-Rxml``.

Produced by ``diskspd ... -Rxml target > run.xml``. Fills ``runs`` (a run is one
``Results/TimeSpan``), ``io`` (a row per thread, target and direction, then the totals),
``settings`` (every element of the ``Profile``), ``percentiles`` (of the whole run: there are no
others), ``samples`` (with ``-D``), ``cpu`` and ``extras`` (the machine, ETW counters,
distributions).

Traps. There are no totals: bytes, I/Os and rates are sums over ``Thread/Target``; means, standard
deviations and extremes stand under ``TimeSpan/Latency`` and ``TimeSpan/Iops``.
``TestTimeSeconds`` has two decimals, so rates agree with the text output to that only.
``TimeSpan``, ``Target``, ``Path``, ``RequestCount`` and ``Bucket`` each mean two things.
``RandomAccess`` and ``SequentialScan`` are hints to the cache: the pattern is random where
``Random`` is present. Bucket rates are per second whatever the bucket's length. 2.0.20a to 2.1
write garbage as bucket latencies where latency was not measured; 2.2 leaves out each target's
mean latency, which follows from its reads and writes. ``RunTime`` is when the results were
printed: the end. Nothing is escaped: a path with ``&`` and 2.2's unknown power scheme make broken
XML, which is repaired there, with a note. A failed run is a complete document whose ``TimeSpan``
holds only ``Error``. If a document was cut off, its whole time spans are read. The
text output of other runs may stand in the same file, and is read as well. A thread that did
nothing while others did is listed with zeros, and so are its rows.

Specified in ``XmlResultParser.cpp``, ``XmlProfileParser.cpp`` and ``Common.cpp``, 2.0.12 to 2.2.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from lxml.etree import XMLSyntaxError

from fiotools.errors import ParseError
from fiotools.readers.diskspd import documents, is_trouble, numbered_lines, options, runs
from fiotools.readers.diskspd.documents import XmlPiece
from fiotools.readers.diskspd.documents import parse as parse
from fiotools.readers.diskspd.elements import MalformedError
from fiotools.readers.diskspd.results import (
    AMOUNTS_OF_TARGET,
    RATES_OF_RUN,
    RATES_OF_TARGET,
    USAGE_OF_CPU,
    Found,
    find,
)
from fiotools.readers.document import Document, Field, Grammars, Report, Rest, Session
from fiotools.readers.formats import READERS, is_profile
from fiotools.tables.rows import Rows

# a file of XML is searched for XML, and what stands beside that for text output
_XML, _TEXT = (
    Grammars(reader for reader in READERS if reader.name == name)
    for name in ("diskspd_xml", "diskspd_text")
)
_DECLARATION = re.compile(r"<\?xml[^<>]*\?>")
# for the page of formats: of a thread on a target, and of the run
FIELDS = {
    "io": tuple(
        Field(
            column,
            ", ".join(f"Target/{path}" for path in paths),
            "ms" if column.startswith("lat_") else "",
            rule="of the run " + ", ".join(RATES_OF_RUN.get(column, ("the sum over the targets",))),
        )
        for column, paths in (AMOUNTS_OF_TARGET | RATES_OF_TARGET).items()
    ),
    "cpu": tuple(Field(column, f"CPU/{path}") for column, path in USAGE_OF_CPU.items()),
}


def read(document: Document, rows: Rows) -> Iterator[Rest]:
    """Read every ``Results`` in the file, and text output beside them."""
    name = document.name
    if document.is_structured and "<!DOCTYPE" in document.text:
        raise ParseError(
            name,
            "the XML declares a DOCTYPE, which DISKSPD never writes; it was not read",
            line=document.line(document.text.index("<!DOCTYPE")),
            remedy="remove it if the file is known to be good",
        )
    reports = document.reports
    if document.is_structured:
        reports = [*_reports(document)]
    if not reports and not is_profile(document.text):
        raise ParseError(name, "holds no results of DISKSPD in XML", line=1)
    if not reports:
        raise ParseError(
            name,
            "holds a profile without results",
            line=1,
            remedy="run DISKSPD without -Rp (-Rpxml only prints what would be run)",
        )
    failures: list[ParseError] = []
    at = 0
    for report in reports:
        yield from _beside(rows, document, at, report.start)
        try:
            if report.kind == "diskspd_xml":
                _add(rows, report, Session())
            elif report.grammar:
                report.grammar.add(rows, report, Session())
        except ParseError as error:
            failures.append(error)
        at = report.end
    yield from _beside(rows, document, at, len(document.text))
    if failures and (len(failures) == len(reports) or not rows.runs):
        raise failures[0]
    for failure in failures:
        rows.note(failure.reason, code="left out", line=failure.line, severity="error")


def _reports(document: Document) -> Iterator[Report]:
    """Find the XML in a file, and text output in front of, between and behind it."""
    at = 0
    for xml in document.found_by(_XML):
        yield from _texts(document, at, xml.start)
        yield xml
        at = xml.end
    yield from _texts(document, at, len(document.text))


def _texts(document: Document, start: int, end: int) -> Iterator[Report]:
    if not document.text[start:end].strip():  # nearly always
        return
    for found in document.part(start, end).found_by(_TEXT):
        yield found._replace(start=start + found.start, end=start + found.end)


def _beside(rows: Rows, document: Document, start: int, end: int) -> Iterator[Rest]:
    """Yield reports of other tools that stand beside the XML, and keep the rest as a note."""
    if not document.text[start:end].strip():
        return
    part = document.part(start, end)
    others = [
        (part.line(at) + above, line)
        for at, stop in part.gaps()
        for above, line in numbered_lines(part.text[at:stop])
        if not _DECLARATION.fullmatch(line)
    ]
    yield Rest(part, rows.runs)
    if others:
        more = f" and {len(others) - 1} more lines" if len(others) > 1 else ""
        message = f"text beside the XML: {others[0][1][:80]!r}{more}"
        severity = "warning" if any(is_trouble(line) for _, line in others) else "info"
        rows.note(message, code="unread", line=others[0][0], severity=severity)


def add(rows: Rows, report: Report, session: Session) -> int:
    """Add one document: a run for each of its time spans."""
    try:
        _add(rows, report, session)
    except ParseError as error:
        message = f"left out: {error.reason}"
        rows.note(message, code="left out", line=error.line, severity="error")
    return rows.runs


def _add(rows: Rows, report: Report, session: Session) -> None:
    """Add one document whole, or nothing of it: a run for each of its time spans."""
    piece: XmlPiece = report.data
    for line, message in piece.errors:
        rows.note(message, code="printed", line=report.line + line, severity="warning")
    if piece.progress:
        rows.note(
            f"{piece.progress} lines of progress (-v) were left out",
            code="left out",
            line=report.line,
        )
    above = report.line + piece.line - 1
    last = above + 1 + (0 if piece.whole else piece.xml.rstrip().count("\n"))
    found = _found(rows, piece, above, last)
    if found.repaired:
        rows.note(
            "repaired the XML: DISKSPD wrote '&' or '<' unescaped",
            code="repaired",
            line=found.repaired,
            severity="warning",
        )
    if not piece.whole:
        missing = f"{len(found.runs)} of {found.asked} time spans are whole, and were read"
        message = f"the XML ends before </Results>: {missing}"
        rows.note(message, code="incomplete", line=last, severity="warning")
    host, version, when = found.about
    about: dict[str, Any] = {
        "tool_version": version,
        "format": "diskspd_xml",
        "command": session.command if options.arguments(session.command) else None,
        "host": host or session.host,
        "reported_at": options.moment(when) if when else None,
    }
    for run in found.runs:
        failed = any(note.severity == "error" for note in run.problems)
        runs.add(rows, run, status="error" if failed else "ok", **about)
    # standard error in the same file: "Error generating I/O requests" comes before </Results>
    for line, message in found.strays:
        rows.note(message, code="printed", line=line, severity="warning", run=rows.runs)


def _found(rows: Rows, piece: XmlPiece, above: int, last: int) -> Found:
    """Take a document; one that was cut off as far as its last time span that is whole."""
    xml = piece.xml if piece.whole else documents.without_rest(piece.xml)
    try:
        if xml is not None:
            return find(xml, above, samples=rows.wants("samples"))
    except XMLSyntaxError as error:
        if piece.whole:
            raise ParseError(
                rows.source,
                "not well-formed XML: " + str(error.msg).partition("\n")[0],
                line=above + (error.lineno or 1),
                remedy="DISKSPD escapes nothing: correct that line in a copy,"
                " or run it with -Rtext",
            ) from None
    except MalformedError as error:
        raise ParseError(
            rows.source,
            error.reason,
            line=above + error.line,
            remedy="DISKSPD does not write that: was the file edited?",
        ) from None
    raise ParseError(
        rows.source,
        "the XML ends before </Results>",
        line=last,
        remedy="the file was cut off: copy it whole, or run DISKSPD again",
    )
