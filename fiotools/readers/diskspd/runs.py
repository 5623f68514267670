"""One XML document of DISKSPD as runs: one for each of its time spans."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lxml.etree import XMLSyntaxError

from fiotools.errors import ParseError
from fiotools.readers.base import Report, Session
from fiotools.readers.diskspd import checks, documents, options
from fiotools.readers.diskspd.buckets import ATTRIBUTES, Marks, Source, marks_of, source_of
from fiotools.readers.diskspd.columns import Columns
from fiotools.readers.diskspd.cut import Cut, cut
from fiotools.readers.diskspd.documents import Piece
from fiotools.readers.diskspd.elements import Element, Elements, Fields, MalformedError
from fiotools.readers.diskspd.profile import read_profile
from fiotools.readers.diskspd.results import extras_of, read_results, said_of
from fiotools.readers.diskspd.samples import Percentiles, sampled_of, samples
from fiotools.tables import Tables


def add(tables: Tables, report: Report, session: Session, *, alone: bool = False) -> None:
    """Add one document whole, or nothing of it (which matters if it is not alone)."""
    piece: Piece = report.data
    for line, message in piece.errors:
        tables.note(message, line=report.line + line, severity="warning")
    if piece.progress:
        tables.note(f"{piece.progress} lines of progress (-v) were left out", line=report.line)
    first = report.line + piece.line
    try:
        parsed = _parsed(piece, samples=tables.wants("samples"))
        if not alone:
            _add_spans(Tables(tables.source), parsed, session, first - 1)
        if parsed.repaired:
            tables.note(
                "repaired the XML: DISKSPD wrote '&' or '<' unescaped",
                line=first - 1 + parsed.repaired,
                severity="warning",
            )
        if not piece.whole:
            spans = len(parsed.root.all("TimeSpan"))
            missing = f"{spans} of {len(parsed.asked)} time spans are whole, and were read"
            tables.note(
                f"the XML ends before </Results>: {missing}",
                line=first + piece.xml.rstrip().count("\n"),
                severity="warning",
            )
        _add_spans(tables, parsed, session, first - 1)
    except XMLSyntaxError as error:
        raise ParseError(
            tables.source,
            "not well-formed XML: " + str(error.msg).partition("\n")[0],
            line=first - 1 + (error.lineno or 1),
            remedy="DISKSPD escapes nothing: correct that line in a copy, or run it with -Rtext",
        ) from None
    except _CutOffError:
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


def add_cut(tables: Tables, taken: Cut, found: tuple[Fields, Marks] | None) -> bool:
    """Add a file whose buckets were cut out, if it is one document and nothing in it is unusual.

    Parameters
    ----------
    tables : Tables
    taken : Cut
    found : tuple or None
        Its values, and where the marks are, if its outline is known.

    Returns
    -------
    bool
        Whether the file was added; if not, the tables are to be dropped.
    """
    samples = tables.wants("samples")
    try:
        if found is not None:
            root, marks = found
            source = source_of(taken, marks, samples=samples)
            parsed = None if source is None else _Parsed(root, _asked(root), source)
        else:
            text = taken.rest.rstrip().decode("utf-8").replace("\r\n", "\n")
            parsed = _parsed_cut(taken, text, samples=samples) if documents.is_one(text) else None
        if parsed is None or parsed.repaired:
            return False
        _add_spans(tables, parsed, Session(), 0)
    except (XMLSyntaxError, MalformedError, UnicodeDecodeError):
        return False
    return True


@dataclass(frozen=True)
class _Parsed:
    """A document of which something is certain.

    Attributes
    ----------
    root : Fields
    asked : list of Asked
        What the profile says of each time span.
    source : Source
        Where its buckets are.
    repaired : int
        The line of the first repair; 0 if there was none.
    strays : sequence of (line, text)
        What stands beside elements.
    """

    root: Fields
    asked: list[options.Asked]
    source: Source
    repaired: int = 0
    strays: Sequence[tuple[int, str]] = ()


class _CutOffError(Exception):
    """A document without an end, and no time span in it is whole."""


def _parsed(piece: Piece, *, samples: bool) -> _Parsed:
    if not piece.whole:
        return _parsed_start(piece)
    taken = cut(piece.xml.encode("utf-8", "replace"))
    if taken is not None:
        try:
            parsed = _parsed_cut(taken, taken.rest.decode(), samples=samples)
        except (XMLSyntaxError, MalformedError):
            parsed = None  # said again of the whole document
        if parsed is not None:
            return parsed
    root, repaired = documents.parse(piece.xml)
    return _whole(root, Source(), repaired)


def _parsed_cut(taken: Cut, rest: str, *, samples: bool) -> _Parsed | None:
    root, repaired = documents.parse(rest)
    marks = marks_of(root, len(taken.runs))
    source = None if marks is None else source_of(taken, marks, samples=samples)
    return None if source is None else _whole(root, source, repaired)


def _parsed_start(piece: Piece) -> _Parsed:
    """Parse a document that was cut off behind its last time span that is whole."""
    closed = documents.without_rest(piece.xml)
    try:
        if closed is not None:
            root, repaired = documents.parse(closed)
            if root.find("TimeSpan") is not None:
                return _whole(root, Source(), repaired)
    except XMLSyntaxError:
        pass
    raise _CutOffError


def _whole(root: Element, source: Source, repaired: int) -> _Parsed:
    fields = Elements(root)
    return _Parsed(fields, _asked(fields), source, repaired, documents.strays(root))


def _asked(root: Fields) -> list[options.Asked]:
    if not root.all("TimeSpan"):
        raise MalformedError(root.line, "the results hold no TimeSpan")
    return list(read_profile(root))


def _add_spans(tables: Tables, parsed: _Parsed, session: Session, offset: int) -> None:
    extras = extras_of(parsed.root)
    for place, span in enumerate(parsed.root.all("TimeSpan")):
        plan = parsed.asked[place] if place < len(parsed.asked) else options.Asked()
        run = _add_run(tables, parsed.root, span, session)
        _extend(tables, run, "settings", plan.settings, ("option", "text"), origin="given")
        failed = span.all("Error")
        if failed:
            _extend(tables, run, "extras", extras, ("path", "text"))
            message = (failed[0].content or "the run failed").strip()
            tables.note(message, line=offset + failed[0].line, severity="error", run=run)
        else:
            _add_results(tables, run, span, parsed.source, plan, offset, extras)
    # standard error in the same file: "Error generating I/O requests" comes before </Results>
    for line, message in parsed.strays:
        tables.note(message, line=offset + line, severity="warning", run=tables.runs)


def _add_results(
    tables: Tables,
    run: int,
    span: Fields,
    source: Source,
    asked: options.Asked,
    offset: int,
    above: Sequence[tuple[str, str]],
) -> None:
    """Add everything that one run measured."""
    layout, values = read_results(span, above)
    percentiles = Percentiles([source.curve(span)], len(layout.lines) + 1)
    columns = Columns(layout, [values], [asked], percentiles.extremes())
    rows = {
        "io": columns.io,
        "cpu": columns.cpu,
        "extras": columns.extras,
        "percentiles": percentiles.rows,
    }
    found = [make() for table, make in rows.items() if tables.wants(table)]
    if tables.wants("samples"):
        targets = [target for thread in span.all("Thread") for target in thread.all("Target")]
        buckets = [source.sampled(place, measured=layout.measured) for place in (*targets, span)]
        found += samples(sampled_of(0, layout, values, buckets))
    for table, _, part, same in found:
        tables.extend(table, part, run=run, **same)
    (problems,) = columns.notes(percentiles.falling())
    for line, problem in problems:
        tables.note(problem, line=offset + line, severity="warning", run=run)
    later = ", ".join(name for name in source.named(span) if name not in ATTRIBUTES)
    if later:
        message = f"figures of a later version in the buckets are left out: {later}"
        tables.note(message, line=offset + layout.iops, run=run)
    if not layout.measured and source.has_latencies(span):
        tables.note(checks.MADE_UP, line=offset + layout.iops, run=run)


def _add_run(tables: Tables, root: Fields, span: Fields, session: Session) -> int:
    host, version, when = said_of(root)
    return tables.start_run(
        tool="diskspd",
        tool_version=version,
        format="diskspd_xml",
        command=session.command if options.arguments(session.command) else None,
        host=host or session.host,
        reported_at=options.moment(when) if when else None,
        duration_s=span.number("TestTimeSeconds"),
        status="error" if span.all("Error") else "ok",
    )


def _extend(
    tables: Tables,
    run: int,
    table: str,
    rows: Sequence[tuple[str, str]],
    names: tuple[str, str],
    **same: str,
) -> None:
    if rows and tables.wants(table):
        columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
        tables.extend(table, columns, run=run, **same)
