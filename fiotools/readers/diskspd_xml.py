"""diskspd_xml: what DISKSPD prints with ``-Rxml``.

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
holds only ``Error``. Of a document that was cut off, the time spans that are whole are read. The
text output of other runs may stand in the same file, and is read as well.

Specified in ``XmlResultParser.cpp``, ``XmlProfileParser.cpp`` and ``Common.cpp``, 2.0.12 to 2.2.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lxml import etree

from fiotools.errors import ParseError
from fiotools.readers import diskspd_documents as documents
from fiotools.readers import diskspd_messages as messages
from fiotools.readers import diskspd_options as options
from fiotools.readers import diskspd_text
from fiotools.readers.base import Grammar, Reader, Report, Session, only
from fiotools.readers.diskspd_documents import Piece
from fiotools.readers.diskspd_elements import Element, MalformedError, leaves, number, text
from fiotools.readers.diskspd_profile import read_profile
from fiotools.readers.diskspd_results import add_results
from fiotools.tables import Tables

if TYPE_CHECKING:
    from fiotools.sniff import Document

_PROFILE = re.compile(r"\s*(?:<\?xml[^<>]*\?>\s*)?<Profile>\s*<")
_DECLARATION = re.compile(r"<\?xml[^<>]*\?>")
_MANY = 20
_IN_RUNS = ("System/ComputerName", "System/Tool/Version", "System/RunTime")


def sniff(document: Document) -> bool:
    """Claim DISKSPD's results, and its bare profile."""
    if not document.is_structured:
        return only("diskspd_xml", document)
    return bool(re.search(documents.ANCHOR, document.text) or _PROFILE.match(document.text))


def read(document: Document, tables: Tables) -> None:
    """Read every ``Results`` in the file, and what text output stands beside them."""
    name = document.name
    if document.is_structured and "<!DOCTYPE" in document.text:
        raise ParseError(
            name,
            "the XML declares a DOCTYPE, which DISKSPD never writes; it was not read",
            line=document.line(document.text.index("<!DOCTYPE")),
            remedy="remove it if the file is known to be good",
        )
    reports = _search(document) if document.is_structured else document.reports
    if not reports and not _PROFILE.match(document.text):
        raise ParseError(name, "holds no results of DISKSPD in XML", line=1)
    if not reports:
        raise ParseError(
            name,
            "holds a profile, no results",
            line=1,
            remedy="run DISKSPD without -Rp (-Rpxml only prints what would be run)",
        )
    failures: list[ParseError] = []
    at = 0
    for report in reports:
        _note_beside(tables, document, at, report.start)
        try:
            if report.kind == "diskspd_xml":
                _add(tables, report, Session(), alone=len(reports) == 1)
            else:
                diskspd_text.add(tables, report, Session())
        except ParseError as error:
            failures.append(error)
        at = report.end
    _note_beside(tables, document, at, len(document.text))
    if failures and (len(failures) == len(reports) or not tables.runs):
        raise failures[0]
    for failure in failures:
        tables.note(failure.reason, line=failure.line, severity="error")


def _search(document: Document) -> list[Report]:
    """Find XML and text in a file that begins as XML and is therefore searched for nothing else."""
    found: list[Report] = []
    both = {"diskspd_xml": GRAMMAR, "diskspd_text": diskspd_text.GRAMMAR}
    anchors = re.compile("|".join(f"(?P<{k}>{g.anchor})" for k, g in both.items()), re.MULTILINE)
    at = 0
    while match := anchors.search(document.text, at):
        kind = match.lastgroup or ""
        parsed = both[kind].parse(document.text, match)
        at = match.end()
        if parsed and parsed[0] >= (found[-1].end if found else 0):
            start, end, data = parsed
            found.append(Report(kind, start, end, document.line(start), data))
            at = max(at, end)
    return found


def _note_beside(tables: Tables, document: Document, start: int, end: int) -> None:
    """Keep what stands beside the reports."""
    others = []
    line = document.line(start)
    for above, text_ in messages.lines(document.text[start:end]):
        if not _DECLARATION.fullmatch(text_):
            others.append((line + above, text_))
    if others:
        more = f" and {len(others) - 1} more lines" if len(others) > 1 else ""
        message = f"text beside the XML: {others[0][1][:80]!r}{more}"
        severity = "warning" if any(messages.is_trouble(line) for _, line in others) else "info"
        tables.note(message, line=others[0][0], severity=severity)


def parse(text: str, match: re.Match[str]) -> tuple[int, int, Piece]:
    """Take the document that begins at the match."""
    return documents.piece_at(text, match)


def add(tables: Tables, report: Report, session: Session) -> int:
    """Add one document: a run for each of its time spans."""
    try:
        _add(tables, report, session)
    except ParseError as error:
        tables.note(f"left out: {error.reason}", line=error.line, severity="error")
    return tables.runs


def _add(tables: Tables, report: Report, session: Session, *, alone: bool = False) -> None:
    """Add one document whole, or nothing of it (which matters if it is not alone)."""
    piece: Piece = report.data
    first = report.line + piece.line
    for line, message in piece.errors:
        tables.note(message, line=report.line + line, severity="warning")
    if piece.progress:
        tables.note(f"{piece.progress} lines of progress (-v) were left out", line=report.line)
    try:
        root, repaired = _parsed(piece)
        if root.find("TimeSpan") is None:
            raise MalformedError(root, "the results hold no TimeSpan")
        asked = list(read_profile(root))
        if not alone:
            _add_spans(Tables(tables.source), root, asked, first - 1, session)
        if repaired:
            tables.note(
                "repaired the XML: DISKSPD wrote '&' or '<' unescaped",
                line=first - 1 + repaired,
                severity="warning",
            )
        if not piece.whole:
            spans = len(root.findall("TimeSpan"))
            missing = f"{spans} of {len(asked)} time spans are whole, and were read"
            tables.note(
                f"the XML ends before </Results>: {missing}",
                line=first + piece.xml.rstrip().count("\n"),
                severity="warning",
            )
        _add_spans(tables, root, asked, first - 1, session)
    except etree.XMLSyntaxError as error:
        raise ParseError(
            tables.source,
            "not well-formed XML: " + str(error.msg).partition("\n")[0],
            line=first - 1 + (error.lineno or 1),
            remedy="DISKSPD escapes nothing: correct that line in a copy, or run it with -Rtext",
        ) from None
    except _CutError:
        raise ParseError(
            tables.source,
            "the XML ends before </Results>",
            line=first + piece.xml.rstrip().count("\n"),
            remedy="the file was cut off: copy it whole, or run DISKSPD again",
        ) from None
    except MalformedError as error:
        raise ParseError(
            tables.source,
            error.reason,
            line=first - 1 + (error.line or 1),
            remedy="DISKSPD does not write that: was the file edited?",
        ) from None


class _CutError(Exception):
    """A document without an end, and no time span in it is whole."""


def _parsed(piece: Piece) -> tuple[Element, int]:
    if piece.whole:
        return documents.parse(piece.xml)
    closed = documents.without_rest(piece.xml)
    try:
        if closed is not None:
            root, repaired = documents.parse(closed)
            if root.find("TimeSpan") is not None:
                return root, repaired
    except etree.XMLSyntaxError:
        pass
    raise _CutError


def _add_spans(
    tables: Tables, root: Element, asked: list[options.Asked], offset: int, session: Session
) -> None:
    for place, span in enumerate(root.findall("TimeSpan")):
        plan = asked[place] if place < len(asked) else options.Asked()
        _add_span(tables, root, span, plan, offset, session)
    # standard error in the same file: "Error generating I/O requests" comes before </Results>
    for stray in root.xpath("//text()[normalize-space()][parent::*/*]")[:_MANY]:
        line = offset + stray.getparent().sourceline
        message = stray.strip()[:200]
        tables.note(message, line=line, severity="warning", run=tables.runs)


def _add_span(
    tables: Tables,
    root: Element,
    span: Element,
    asked: options.Asked,
    offset: int,
    session: Session,
) -> None:
    failed = span.find("Error")
    when = text(root, "System/RunTime")
    run = tables.start_run(
        tool="diskspd",
        tool_version=text(root, "System/Tool/Version"),
        format="diskspd_xml",
        command=session.command if options.arguments(session.command) else None,
        host=text(root, "System/ComputerName") or session.host,
        reported_at=options.moment(when) if when else None,
        duration_s=number(span, "TestTimeSeconds"),
        status="ok" if failed is None else "error",
    )
    for option, value in asked.settings:
        tables.add("settings", run=run, option=option, text=value, origin="given")
    for path, value in leaves(root, skip=("Profile", "TimeSpan")):
        if path not in _IN_RUNS:
            tables.add("extras", run=run, path=path, text=value)
    if failed is None:
        add_results(tables, run, span, asked, offset)
    else:
        message = (failed.text or "the run failed").strip()
        tables.note(message, line=offset + failed.sourceline, severity="error", run=run)


GRAMMAR = Grammar(anchor=documents.ANCHOR, parse=parse, add=add)

READER = Reader(
    name="diskspd_xml",
    title="DISKSPD results in XML (2.0.12 to 2.2)",
    produced_by="diskspd ... -Rxml target > run.xml",
    tables=("runs", "settings", "io", "percentiles", "samples", "cpu", "extras", "notes"),
    sniff=sniff,
    read=read,
    grammar=GRAMMAR,
)
