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
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from lxml.etree import XMLSyntaxError

from fiotools.errors import ParseError
from fiotools.readers import surroundings
from fiotools.readers.diskspd import documents, messages, options, runs, spans
from fiotools.readers.diskspd.documents import MalformedError, Piece
from fiotools.readers.diskspd.documents import parse as parse
from fiotools.readers.diskspd.spans import FIELDS as FIELDS
from fiotools.readers.diskspd.spans import NoSpanError, Taken
from fiotools.readers.formats import DISKSPD_TEXT, DISKSPD_XML, is_profile
from fiotools.readers.grammar import Later, Report, Session
from fiotools.tables import Tables

if TYPE_CHECKING:
    from fiotools.readers.document import Document

_XML, _TEXT = re.compile(DISKSPD_XML), re.compile(DISKSPD_TEXT, re.MULTILINE)
_DECLARATION = re.compile(r"<\?xml[^<>]*\?>")
# text output in a file of XML: most files have none
_add_text, _parse_text = (
    Later(f"fiotools.readers.diskspd.text:{name}") for name in ("add", "parse")
)


def read(document: Document, tables: Tables) -> None:
    """Read every ``Results`` in the file, and text output beside them."""
    name = document.name
    if document.is_structured and "<!DOCTYPE" in document.text:
        raise ParseError(
            name,
            "the XML declares a DOCTYPE, which DISKSPD never writes; it was not read",
            line=document.line(document.text.index("<!DOCTYPE")),
            remedy="remove it if the file is known to be good",
        )
    reports = _search(document) if document.is_structured else document.reports
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
        _add_beside(tables, document, at, report.start)
        try:
            if report.kind == "diskspd_xml":
                _add(tables, report, Session())
            else:
                _add_text(tables, report, Session())
        except ParseError as error:
            failures.append(error)
        at = report.end
    _add_beside(tables, document, at, len(document.text))
    if failures and (len(failures) == len(reports) or not tables.runs):
        raise failures[0]
    for failure in failures:
        tables.note(failure.reason, line=failure.line, severity="error")


def _search(document: Document) -> list[Report]:
    """Find XML, and text output beside it, in a file that is searched for nothing else."""
    text = document.text
    found: list[Report] = []
    at = 0
    xml = _XML.search(text)
    while match := _TEXT.search(text, at, xml.start() if xml else len(text)) or xml:
        kind, read_at = ("xml", parse) if match is xml else ("text", _parse_text)
        parsed = read_at(text, match)
        at = match.end()
        if parsed and parsed[0] >= (found[-1].end if found else 0):
            start, end, data = parsed
            found.append(Report(f"diskspd_{kind}", start, end, document.line(start), data))
            at = max(at, end)
        if xml and xml.start() < at:
            xml = _XML.search(text, at)
    return found


def _add_beside(tables: Tables, document: Document, start: int, end: int) -> None:
    """Add reports of other tools that stand beside the XML, and keep the rest as a note."""
    if not document.text[start:end].strip():
        return
    part = document.part(start, end)
    reports = part.reports
    surroundings.add(tables, part, tables.runs)
    others = []
    at = 0
    for stop, following in [*((report.start, report.end) for report in reports), (end - start, 0)]:
        line = part.line(at)
        for above, text_ in messages.numbered_lines(part.text[at:stop]):
            if not _DECLARATION.fullmatch(text_):
                others.append((line + above, text_))
        at = following
    if others:
        more = f" and {len(others) - 1} more lines" if len(others) > 1 else ""
        message = f"text beside the XML: {others[0][1][:80]!r}{more}"
        severity = "warning" if any(messages.is_trouble(line) for _, line in others) else "info"
        tables.note(message, line=others[0][0], severity=severity)


def add(tables: Tables, report: Report, session: Session) -> int:
    """Add one document: a run for each of its time spans."""
    try:
        _add(tables, report, session)
    except ParseError as error:
        tables.note(f"left out: {error.reason}", line=error.line, severity="error")
    return tables.runs


def _add(tables: Tables, report: Report, session: Session) -> None:
    """Add one document whole, or nothing of it: a run for each of its time spans."""
    piece: Piece = report.data
    for line, message in piece.errors:
        tables.note(message, line=report.line + line, severity="warning")
    if piece.progress:
        tables.note(f"{piece.progress} lines of progress (-v) were left out", line=report.line)
    above = report.line + piece.line - 1
    last = above + 1 + piece.xml.rstrip().count("\n")  # if the document was cut off
    try:
        taken = _taken(piece, above, samples=tables.wants("samples"))
    except XMLSyntaxError as error:
        raise ParseError(
            tables.source,
            "not well-formed XML: " + str(error.msg).partition("\n")[0],
            line=above + (error.lineno or 1),
            remedy="DISKSPD escapes nothing: correct that line in a copy, or run it with -Rtext",
        ) from None
    except MalformedError as error:
        raise ParseError(
            tables.source,
            error.reason,
            line=above + error.line,
            remedy="DISKSPD does not write that: was the file edited?",
        ) from None
    if taken is None:
        raise ParseError(
            tables.source,
            "the XML ends before </Results>",
            line=last,
            remedy="the file was cut off: copy it whole, or run DISKSPD again",
        )
    if taken.repaired:
        tables.note(
            "repaired the XML: DISKSPD wrote '&' or '<' unescaped",
            line=taken.repaired,
            severity="warning",
        )
    if not piece.whole:
        missing = f"{len(taken.spans)} of {taken.asked} time spans are whole, and were read"
        tables.note(f"the XML ends before </Results>: {missing}", line=last, severity="warning")
    host, version, when = taken.about
    about: dict[str, Any] = {
        "tool_version": version or None,
        "format": "diskspd_xml",
        "command": session.command if options.arguments(session.command) else None,
        "host": host or session.host,
        "reported_at": options.moment(when) if when else None,
    }
    for span in taken.spans:
        runs.add(tables, span.run, span.problems, **about)
    # standard error in the same file: "Error generating I/O requests" comes before </Results>
    for line, message in taken.strays:
        tables.note(message, line=line, severity="warning", run=tables.runs)


def _taken(piece: Piece, above: int, *, samples: bool) -> Taken | None:
    """Take a document; one that was cut off as far as its last time span that is whole."""
    if piece.whole:
        return spans.take(piece.xml, above, samples=samples)
    closed = documents.without_rest(piece.xml)
    with suppress(XMLSyntaxError, NoSpanError):
        return spans.take(closed, above, samples=samples) if closed is not None else None
    return None
