"""One XML document of DISKSPD as runs: one for each of its time spans."""

from __future__ import annotations

from collections.abc import Iterator

from lxml.etree import XMLSyntaxError

from fiotools.errors import ParseError
from fiotools.readers.base import Report, Session
from fiotools.readers.diskspd import checks, documents, options, trees
from fiotools.readers.diskspd.buckets import NO_CURVE
from fiotools.readers.diskspd.columns import Run, make
from fiotools.readers.diskspd.documents import Piece
from fiotools.readers.diskspd.elements import MalformedError
from fiotools.readers.diskspd.shapes import NoSpanError
from fiotools.readers.diskspd.trees import Taken
from fiotools.tables import Tables


def add(tables: Tables, report: Report, session: Session) -> None:
    """Add one document whole, or nothing of it."""
    piece: Piece = report.data
    for line, message in piece.errors:
        tables.note(message, line=report.line + line, severity="warning")
    if piece.progress:
        tables.note(f"{piece.progress} lines of progress (-v) were left out", line=report.line)
    above = report.line + piece.line - 1
    last = above + 1 + piece.xml.rstrip().count("\n") if not piece.whole else 0
    try:
        taken = _taken(piece, samples=tables.wants("samples"))
    except XMLSyntaxError as error:
        raise ParseError(
            tables.source,
            "not well-formed XML: " + str(error.msg).partition("\n")[0],
            line=above + (error.lineno or 1),
            remedy="DISKSPD escapes nothing: correct that line in a copy, or run it with -Rtext",
        ) from None
    except _CutOffError:
        raise ParseError(
            tables.source,
            "the XML ends before </Results>",
            line=last,
            remedy="the file was cut off: copy it whole, or run DISKSPD again",
        ) from None
    except MalformedError as error:
        raise ParseError(
            tables.source,
            error.reason,
            line=above + error.spot.line,
            remedy="DISKSPD does not write that: was the file edited?",
        ) from None
    if taken.repaired:
        tables.note(
            "repaired the XML: DISKSPD wrote '&' or '<' unescaped",
            line=above + taken.repaired,
            severity="warning",
        )
    if not piece.whole:
        missing = f"{len(taken.values)} of {len(taken.asked)} time spans are whole, and were read"
        tables.note(f"the XML ends before </Results>: {missing}", line=last, severity="warning")
    for place in range(len(taken.values)):
        _add_run(tables, taken, place, session, above)
    # standard error in the same file: "Error generating I/O requests" comes before </Results>
    for line, message in taken.strays:
        tables.note(message, line=above + line, severity="warning", run=tables.runs)


class _CutOffError(Exception):
    """A document without an end, and no time span in it is whole."""


def _taken(piece: Piece, *, samples: bool) -> Taken:
    """Take a document; one that was cut off, behind its last time span that is whole."""
    if piece.whole:
        return trees.take(piece.xml, samples=samples)
    closed = documents.without_rest(piece.xml)
    try:
        if closed is not None:
            return trees.take(closed, samples=samples)
    except (XMLSyntaxError, NoSpanError):
        pass
    raise _CutOffError


def _add_run(tables: Tables, taken: Taken, place: int, session: Session, above: int) -> None:
    """Add a run; its rows are made together with those of other files."""
    layout, values = taken.shape.spans[place], taken.values[place]
    host, version, when = (taken.texts[where.at] for where in taken.shape.said)
    seconds = values.numbers[0]
    number = tables.start_run(
        tool="diskspd",
        tool_version=version or None,
        format="diskspd_xml",
        command=session.command if options.arguments(session.command) else None,
        host=host or session.host,
        reported_at=options.moment(when) if when else None,
        duration_s=seconds if seconds == seconds else None,
        status="error" if layout.failed else "ok",
    )
    sampled, curves = taken.buckets
    run = Run(
        number,
        layout,
        values,
        taken.asked[place],
        [None if mark is None else sampled[mark] for mark in layout.marks],
        NO_CURVE if layout.curve is None else curves[layout.curve],
        taken.cut,
        above,
    )
    tables.defer(make, run)
    if layout.failed:
        message = taken.texts[layout.failed.at].strip() or "the run failed"
        line = run.line(layout.failed.spot)
        tables.note(message, line=line, severity="error", run=number)
    for message in _left_out(run):
        tables.note(message, line=run.line(layout.iops), run=number)


def _left_out(run: Run) -> Iterator[str]:
    """Say what of the samples of the whole run is left out."""
    for one in filter(None, run.sampled[-1:]):
        if one.later:
            later = ", ".join(one.later)
            yield f"figures of a later version in the buckets are left out: {later}"
        if not run.layout.measured and one.has_latencies:
            yield checks.MADE_UP
