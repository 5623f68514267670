"""fio_json: what ``--output-format=json`` and ``json+`` write.

Produced by ``fio --output-format=json --output=run.json ...``. Fills ``runs``, ``jobs``,
``settings`` (global options, job options, and fio's documented defaults where the options are
known), ``io``, ``percentiles``, ``bins`` (fine with json+, else the coarse distribution),
``disks``, ``samples`` (the earlier reports of ``--status-interval``), ``extras`` and ``notes``
(every line around the JSON).

Traps: before 2.21 ``io_bytes`` is KiB; before 3.0 latencies are usec; ``bw`` is KiB/s always, and
``bw_bytes`` is there from 3.2; 0 means "not measured" with ``gtod_reduce``, ``disable_clat`` and
where ``N`` is 0; documents of one run are cumulative, so the last one counts, while separate runs
may have been appended to one file (clocks, counts and extremes tell them apart); "All clients" and
``mixed`` repeat what other rows say; ``group_reporting`` without a value is not written into the
options, so a group is known by having fewer entries than ``numjobs``; the coarse distribution is
of the completion latency and of all directions. With ``normal,json`` the JSON is read and the text
copy is a note.

Specified in fio's ``stat.c`` (``show_thread_status_json``, ``add_ddir_status_json``), 2.1 to 3.42.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fiotools.errors import ParseError
from fiotools.readers import fio_documents as documents
from fiotools.readers import fio_json_rows as rows
from fiotools.readers.base import Grammar, Reader, Report, Session
from fiotools.readers.fio_documents import Piece
from fiotools.readers.fio_repeats import runs_of

if TYPE_CHECKING:
    from fiotools.sniff import Document
    from fiotools.tables import Tables

_ALERT = re.compile(r"error|err=|terminat|fail|no such|cannot|unable|warning", re.I)
_TEXT_COPY = re.compile(r"\(groupid=\d+, jobs=\d+\): err=")
_MANY = 20


def sniff(document: Document) -> bool:
    """Claim a text with a fio document in it, whatever else stands there."""
    if document.is_structured:
        return document.text.lstrip()[:1] in "{[" and documents.has_key(document.text)
    return "fio_json" in document.kinds


def read(document: Document, tables: Tables) -> None:
    """Read every document in the text."""
    text = document.text
    pieces = [r.data for r in document.reports if r.kind == "fio_json"] or documents.pieces(text)
    whole = [piece for piece in pieces if piece.document is not None]
    if not whole:
        raise _nothing_whole(document, pieces)
    # what happened at the end happened to the last run
    at_end = "ok"
    if pieces[-1].document is None:
        at_end = "truncated"
    elif "terminating on signal" in _around(text, pieces):
        at_end = "interrupted"
    for group in runs_of(whole):
        line = document.line(group[-1].start)
        try:
            rows.add_run(
                tables,
                [piece.document for piece in group if piece.document is not None],
                version=document.version,
                status=at_end if group[-1] is whole[-1] else "ok",
                line=line,
            )
        except (TypeError, ValueError, KeyError, AttributeError, OverflowError) as error:
            reason = f"the document is not laid out as fio's ({type(error).__name__}: {error})"
            raise ParseError(
                document.name, reason, line=line, remedy="was it edited, or made by another tool?"
            ) from error
        _note_repeats(tables, document, group)
        _note_nans(tables, group[-1], line)
    _note_broken(tables, document, pieces)
    _note_strays(tables, document, pieces)


def _nothing_whole(document: Document, pieces: list[Piece]) -> ParseError:
    """Say where the first document breaks off."""
    reason, line = "no whole JSON document of fio", 1
    if pieces:
        last = len(document.text.rstrip()) - 1
        line = document.line(max(0, min(pieces[0].end, last)))
        reason += f": it breaks off ({pieces[0].reason})"
    return ParseError(
        document.name,
        reason,
        line=line,
        remedy="fio was killed, or the file was cut or abridged: only whole documents can be read",
    )


def _around(text: str, pieces: list[Piece]) -> str:
    """Return all that stands outside the documents."""
    at, parts = 0, []
    for piece in pieces:
        parts.append(text[at : piece.start])
        at = max(at, piece.end)
    return "\n".join([*parts, text[at:]])


def _note_repeats(tables: Tables, document: Document, group: list[Piece]) -> None:
    if len(group) > 1:
        tables.note(
            f"{len(group)} cumulative reports of one run (--status-interval): the last is the"
            " result, all of them are in samples",
            line=document.line(group[0].start),
            run=tables.runs,
        )


def _note_nans(tables: Tables, piece: Piece, line: int) -> None:
    if piece.nans:
        message = f"{piece.nans} figures of the document are nan or inf: left out"
        tables.note(message, line=line, run=tables.runs, severity="warning")


def _note_broken(tables: Tables, document: Document, pieces: list[Piece]) -> None:
    for piece in pieces:
        if piece.document is None:
            tables.note(
                f"a document that is not whole was left out ({piece.reason})"
                + (
                    "; the figures before it may be those of an interval"
                    if piece is pieces[-1]
                    else ""
                ),
                line=document.line(piece.start),
                severity="warning",
            )


def _note_strays(tables: Tables, document: Document, pieces: list[Piece]) -> None:
    """Keep the lines around the documents."""
    at = 0
    for start, end in [*((p.start, p.end) for p in pieces), (len(document.text), 0)]:
        if start > at:
            _note_stray(tables, document, at, start)
        at = max(at, end)


def _note_stray(tables: Tables, document: Document, start: int, end: int) -> None:
    text = document.text[start:end]
    if not text.strip(" \n\t\r,[]"):
        return
    line = document.line(start)
    if _TEXT_COPY.search(text):
        first = line + text[: len(text) - len(text.lstrip())].count("\n")
        tables.note(
            f"{text.strip().count(chr(10)) + 1} lines of text report beside the JSON were left out:"
            " the JSON has the same figures",
            line=first,
        )
        return
    kept = [(line + i, part.strip()) for i, part in enumerate(text.split("\n")) if part.strip()]
    for number, part in kept[:_MANY]:
        severity = "warning" if _ALERT.search(part) else "info"
        tables.note(part.rsplit("\r", 1)[-1][:300], line=number, severity=severity)
    if len(kept) > _MANY:
        tables.note(f"... and {len(kept) - _MANY} more lines of text", line=kept[_MANY][0])


def parse(text: str, match: re.Match[str]) -> tuple[int, int, Piece]:
    """Read the document that begins at the match."""
    piece = documents.piece_at(text, match.start())
    return piece.start, max(piece.end, match.end()), piece


def add(tables: Tables, report: Report, session: Session) -> int:
    """Add one document as a run."""
    piece: Piece = report.data
    if piece.document is None:
        tables.note(
            f"a fio document that is not whole was left out ({piece.reason})",
            line=report.line,
            severity="warning",
        )
        return tables.runs
    run = rows.add_run(tables, [piece.document], line=report.line, session=session)
    _note_nans(tables, piece, report.line)
    return run


READER = Reader(
    name="fio_json",
    title="fio JSON (json, json+), 1.99 to 3.4x",
    produced_by="fio --output-format=json (or json+) --output=run.json ...",
    tables=(
        *("runs", "jobs", "settings", "io", "percentiles", "bins", "samples", "disks"),
        *("extras", "notes"),
    ),
    sniff=sniff,
    read=read,
    grammar=Grammar(anchor=documents.ANCHOR, parse=parse, add=add),
)
