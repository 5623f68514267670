"""fio_json: what ``--output-format=json`` and ``json+`` write.

Produced by ``fio --output-format=json --output=run.json ...``. Fills ``runs``, ``jobs``,
``settings`` (global options, job options, and fio's documented defaults where the options are
known), ``io``, ``percentiles``, ``bins`` (fine with json+, else the coarse distribution),
``disks``, ``samples`` (the earlier reports of ``--status-interval``, the seconds of a steady
state), ``extras`` (also latencies by priority) and ``notes`` (every line around the JSON).

Traps: before 2.21 ``io_bytes`` is KiB; before 3.0 latencies are usec, and json+ numbers its bins
instead of naming them; ``bw`` is KiB/s always, and ``bw_bytes`` is there from 3.2; 0 means "not
measured" with ``gtod_reduce``, ``disable_clat``, where ``N`` is 0 and where ``runtime`` is;
documents of one run are cumulative, so the last one counts, but runs that were appended to one file
look alike (`fio.cumulative` has the proof); clients send all their reports in one document; "All
clients" and ``mixed`` repeat other rows; the options omit ``group_reporting`` without a value, so
an entry is a group if there are fewer entries than ``numjobs``; the coarse distribution covers the
completion latency and all directions; keys may occur twice (`fio.documents`), and only other
programs write ``null``.
With ``normal,json`` the JSON is read, and the text that repeats it becomes a note; a report of
another run beside it is a run.

Specified in fio's ``stat.c`` (``show_thread_status_json``, ``add_ddir_status_json``), 2.1 to 3.42.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from fiotools.errors import ParseError
from fiotools.readers.document import Later, Report, Session, read_part
from fiotools.readers.fio import documents
from fiotools.readers.fio import json_columns as columns
from fiotools.readers.fio.cumulative import runs_of, server_of, snapshots
from fiotools.readers.fio.documents import (
    MOVING,
    TOTAL,
    JsonPiece,
    Stretch,
    by_direction,
    entries,
    with_integers,
)
from fiotools.readers.fio.json_run import FIELDS as FIELDS
from fiotools.readers.fio.json_run import JsonRun, taken
from fiotools.readers.fio.text_rows import NO_OPTIONS

if TYPE_CHECKING:
    from fiotools.readers.document import Document
    from fiotools.tables import Tables

# most files have no text around the JSON
_keep = Later("fiotools.readers.fio.text_rows:keep")


def read(document: Document, tables: Tables) -> None:
    """Read every document in the text."""
    found = () if document.is_structured else document.reports
    pieces = [report.data for report in found if report.kind == "fio_json"]
    pieces = pieces or documents.pieces(document.text, document.data, tables.wants("bins"))
    around = documents.stretches(document.text, pieces)
    places = [number for number, piece in enumerate(pieces) if piece.document is not None]
    whole = [pieces[number] for number in places]
    killed = {
        one.before
        for one in around
        if document.text.find("terminating on signal", one.start, one.end) >= 0
    }
    runs: dict[int, int] = {}  # the run of each document, by its number
    for group in runs_of(document.text, whole):
        own = places[len(runs) : len(runs) + len(group)]
        status = "interrupted" if killed.intersection(own) else "ok"
        if own[-1] == places[-1]:  # what happened at the end happened to the last run
            status = "interrupted" if len(pieces) in killed else status
            status = "truncated" if own[-1] != len(pieces) - 1 else status
        line = document.line(group[-1].start)
        run = _add_run(tables, group, line, status=status, version=document.version)
        runs |= dict.fromkeys(own, run)
        if len(group) > 1:
            message = (
                f"{len(group)} cumulative reports of one run (--status-interval): the last is the"
                " result, all of them are in samples; if they are runs of their own, write each to"
                " its own file"
            )
            line = document.line(group[0].start)
            tables.note(message, line=line, run=run, severity="warning")
    if around:
        _add_reports(tables, document, around, whole, runs)
    if not tables.runs:
        raise _nothing_whole(document, pieces)
    for piece in pieces:
        if piece.document is None:
            message = f"an incomplete document was left out ({piece.reason})"
            if piece is pieces[-1]:
                message += "; the numbers before it may be those of an interval"
            tables.note(message, line=document.line(piece.start), severity="warning")
    for stretch in around:
        # fio speaks before it writes the document of its run
        owners = (runs[n] for n in range(stretch.before, len(pieces)) if n in runs)
        last = runs[places[-1]] if places else None
        _note_beside(tables, document, stretch, next(owners, last))


def _add_run(tables: Tables, group: list[JsonPiece], line: int, **known: Any) -> int:
    """Add a run: one document, or the cumulative ones of ``--status-interval``."""
    last = group[-1]
    documents_of = (with_integers(piece.document) for piece in group if piece.document)
    found = [*map(snapshots, documents_of)]
    reports = [one for several, _ in found for one in several]
    # before 3.39 fio lists the options of all jobs of several servers in one object
    is_shared = bool(last.options) and len({*map(server_of, entries(reports[-1]))}) > 1
    known["unsure"] = frozenset(last.options if is_shared else ())
    try:
        run = taken(tables, reports, line=line, said=last.nans + len(last.leaves), **known)
        tables.defer(columns.rows, run)
    except (TypeError, ValueError, KeyError, AttributeError, OverflowError) as error:
        reason = f"the document does not have fio's layout ({type(error).__name__}: {error})"
        raise ParseError(
            tables.source, reason, line=line, remedy="was it edited, or made by another tool?"
        ) from error
    if not (run.shared.all or any(entry.own.all for entry in run.entries)):
        tables.note(NO_OPTIONS, code="conditions", run=run.number)
    _note_odd(tables, last, line, run)
    _note_snapshots(tables, last, found[-1], line, run.number)
    return run.number


_AROUND = 200  # characters around the place where a document breaks off
_CAUSES = (
    (
        re.compile("[\u201c-\u201f]"),
        'it has typographic quotation marks: give the file as fio wrote it, with "',
    ),
    (
        re.compile(r":\s*-?[0-9]+,[0-9]+\s*[,}\]\n]"),
        "it has decimal commas: give the file as fio wrote it, with points",
    ),
)


def _nothing_whole(document: Document, pieces: list[JsonPiece]) -> ParseError:
    """Return the error that says where the first document breaks off."""
    reason, line = "no complete JSON document of fio", 1
    remedy = "fio was killed, or the file was cut: only complete documents can be read"
    if pieces:
        end = pieces[0].end
        around = document.text[max(0, end - _AROUND) : end + _AROUND]
        remedy = next((told for cause, told in _CAUSES if cause.search(around)), remedy)
        last = len(document.text.rstrip()) - 1
        line = document.line(max(0, min(pieces[0].end, last)))
        reason += f": it breaks off ({pieces[0].reason})"
    return ParseError(
        document.name,
        reason,
        line=line,
        remedy=remedy,
    )


def _note_odd(tables: Tables, piece: JsonPiece, line: int, taken: JsonRun) -> None:
    """Note values that are not numbers, and keys that occur twice."""
    run = taken.number
    if piece.is_put_together:
        message = (
            f"{len(taken.entries)} jobs without their document are read as one run, so that none is"
            " taken for a repeat; if they are of several runs (jq .jobs[0]), give whole documents"
        )
        tables.note(message, line=line, run=run, severity="warning")
    if piece.nans:
        message = f"{piece.nans} numbers of the document are nan or inf: left out"
        tables.note(message, line=line, run=run, severity="warning")
    last_one = "info", "the last one counts; check that fio used it"
    of_a_server = "warning", "which server used which is unknown: left out as options of all jobs"
    for names, (severity, what) in (
        (piece.leaves, ("warning", "the right one is unknown: those that differ are left out")),
        (piece.options, of_a_server if taken.unsure else last_one),
    ):
        if names:
            told = ", ".join(dict.fromkeys(names))
            message = f"keys that occur twice with different values: {told:.200}; {what}"
            tables.note(message, line=line, run=run, severity=severity)


def _note_snapshots(
    tables: Tables,
    piece: JsonPiece,
    found: tuple[list[dict[str, Any]], bool],
    line: int,
    run: int,
) -> None:
    """Note that a document of clients has several reports of each server."""
    reports, is_proved = found
    listed = entries(piece.document or {})
    count = len({*map(server_of, listed)})
    what = f"{len(listed)} entries of {count} {'server' if count == 1 else 'servers'} are"
    if not is_proved:
        message = (
            f"{what} more than one report (--client with --status-interval), and which are the last"
            " is uncertain: all are kept; give a report without --status-interval"
        )
    elif len(reports) > 1:
        message = (
            f"{what} {len(reports)} cumulative reports (--client with --status-interval): the last"
            " of each server is the result, all of them are in samples"
        )
    else:
        return
    if len(listed) > sum(map(len, map(entries, reports))):
        message += f"; {TOTAL!r} sums up the first: left out"
    tables.note(message, line=line, run=run, severity="warning")


# --- text around the documents ----------------------------------------------------------------

_COPIES = {
    "fio_normal": "text report beside the JSON",
    "fio_terse": "terse output beside the JSON",
}
_JSON = re.compile(r"[\]\[{},\d.]*$|\"[^\"]*\" ?:")
_MANY = 20

# what each job, by name and group, had done at the reports: I/Os; KiB and ms of each direction
Done = dict[tuple[str, str], tuple[set[int | None], set[tuple[int, int]]]]


def _add_reports(
    tables: Tables,
    document: Document,
    around: list[Stretch],
    whole: list[JsonPiece],
    runs: dict[int, int],
) -> None:
    """Add the reports of any tool, except those that repeat one of the complete documents.

    The places of all of them are recorded in the stretches.
    """
    done = _done(whole)
    for stretch in around:
        part = document.part(stretch.start, stretch.end)
        copies: list[Report] = []
        for report in part.reports:
            repeats = _repeats(report, done)
            place = stretch.start + report.start, stretch.start + report.end
            stretch.reports.append((*place, report.kind if repeats else ""))
            copies += [report] if repeats else []
        read_part(tables, part, runs.get(stretch.before - 1), copies)


def _done(whole: list[JsonPiece]) -> Done:
    found: Done = defaultdict(lambda: (set(), set()))
    for piece in whole:
        for entry in entries(piece.document or {}):
            ios, amounts = found[str(entry.get("jobname", "")).strip(), str(entry.get("groupid"))]
            counts: dict[str, int] = {}
            for direction, part in by_direction(entry, MOVING):
                size, runtime, count = map(part.get, ("io_bytes", "runtime", "total_ios"))
                if type(runtime) is int and type(size) is int:
                    # before fio 2.21 io_bytes is KiB
                    amounts |= {(size, runtime), (size // 1024, runtime)}
                if type(count) is int:
                    counts[direction] = count
            if any(map(entry.get, ("read", "write", "trim"))):
                counts.pop("mixed", None)
            ios.add(sum(counts.values()) if counts else None)
    return found


def _repeats(report: Report, done: Done) -> bool:
    """Whether a text or terse report belongs to the same run as a document."""
    if report.kind == "fio_normal":
        for entry in report.data.entries:
            counts, _ = done.get((entry.name.strip(), str(entry.group)), (set(), set()))
            issued = entry.issued.get("total")
            # the same count of I/Os, if both have one
            if not (counts and (issued is None or None in counts or sum(issued[:3]) in counts)):
                return False
        return True
    if report.kind == "fio_terse":
        records = report.data.records
        for item in records:
            key = item.name.strip(), str(item.group)
            blocks = [(block.kib, block.runtime_ms) for block in item.blocks if block.kib]
            if key not in done or not done[key][1].issuperset(blocks):
                return False
        return bool(records)
    return False


def _note_beside(tables: Tables, document: Document, stretch: Stretch, run: int | None) -> None:
    """Keep the text of a stretch around reports that became runs; note the reports left out."""
    at = stretch.start
    for start, end, repeats in [*stretch.reports, (stretch.end, stretch.end, "")]:
        _note_lines(tables, document, (at, start), stretch.torn, run)
        if repeats:
            count = document.text.count("\n", start, end) + 1
            tables.note(
                f"{count} lines of {_COPIES[repeats]} were left out: the JSON says more",
                line=document.line(start),
                run=run,
            )
        at = end


def _note_lines(
    tables: Tables, document: Document, place: tuple[int, int], torn: bool, run: int | None
) -> None:
    start, end = place
    text = document.text[start:end]
    if not text.strip(" \n\t\r,[]"):
        return
    line = document.line(start)
    kept = [(line + i, part.strip()) for i, part in enumerate(text.split("\n")) if part.strip()]
    if torn:
        kept = [(number, part) for number, part in kept if not _JSON.match(part)]
    for number, part in kept[:_MANY]:
        _keep(tables, part, number, run)
    if len(kept) > _MANY:
        message = f"... and {len(kept) - _MANY} more lines of text"
        tables.note(message, line=kept[_MANY][0], run=run)


# --- a document in other text -----------------------------------------------------------------


def parse(text: str, match: re.Match[str]) -> tuple[int, int, JsonPiece]:
    """Read the document that begins at the match."""
    piece = documents.piece_at(text, match.start())
    return piece.start, max(piece.end, match.end()), piece


def add(tables: Tables, report: Report, session: Session) -> int:
    """Add one document as a run."""
    piece: JsonPiece = report.data
    if piece.document is None:
        tables.note(
            f"an incomplete fio document was left out ({piece.reason})",
            line=report.line,
            severity="warning",
        )
        return tables.runs
    return _add_run(tables, [piece], report.line, session=session)
