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
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from fiotools.errors import ParseError
from fiotools.readers.document import Report, Rest, Session
from fiotools.readers.fio import documents
from fiotools.readers.fio.cumulative import runs_of, server_of, snapshots
from fiotools.readers.fio.documents import MOVING, TOTAL, Piece, Stretch, by_direction
from fiotools.readers.fio.fields import FIELDS as FIELDS
from fiotools.readers.fio.options import NO_OPTIONS
from fiotools.readers.fio.records import add_run
from fiotools.readers.fio.schema import Document, decoded
from fiotools.readers.fio.text_rows import keep

if TYPE_CHECKING:
    from fiotools.readers.document import Document as Text
    from fiotools.tables.rows import Rows


def take(data: bytes, rows: Rows) -> bool:
    """Read a file that is one document as fio writes it; return whether it is."""
    document = decoded(data)
    if document is None or document.version is None:
        return False
    _add(rows, [Piece(0, len(data), document)], 1)
    return True


def read(text: Text, rows: Rows) -> Iterator[Rest]:
    """Read every document in the text."""
    found = () if text.is_structured else text.reports
    pieces = [report.data for report in found if report.kind == "fio_json"]
    pieces = pieces or documents.pieces(text.text, text.data)
    around = documents.stretches(text.text, pieces)
    places = [number for number, piece in enumerate(pieces) if piece.document is not None]
    whole = [pieces[number] for number in places]
    killed = {
        one.before
        for one in around
        if text.text.find("terminating on signal", one.start, one.end) >= 0
    }
    names = _headings(text.text, whole) if around else [None] * len(whole)
    runs: dict[int, int] = {}  # the run of each document, by its number
    for group in runs_of(text.text, whole):
        own = places[len(runs) : len(runs) + len(group)]
        status = "interrupted" if killed.intersection(own) else "ok"
        if own[-1] == places[-1]:  # what happened at the end happened to the last run
            status = "interrupted" if len(pieces) in killed else status
            status = "truncated" if own[-1] != len(pieces) - 1 else status
        line = text.line(group[-1].start)
        rows.heading = names[len(runs)]
        run = _add(rows, group, line, status=status, version=text.version)
        runs |= dict.fromkeys(own, run)
        if len(group) > 1:
            rows.note(
                f"{len(group)} cumulative reports of one run (--status-interval): the last is the"
                " result, all of them are in samples; if they are runs of their own, write each to"
                " its own file",
                code="repeats",
                line=text.line(group[0].start),
                severity="warning",
                run=run,
            )
    rows.heading = None
    if around:
        yield from _rests(text, around, whole, runs)
    if not rows.runs:
        raise _nothing_whole(text, pieces)
    for piece in pieces:
        if piece.document is None:
            message = f"an incomplete document was left out ({piece.reason})"
            if piece is pieces[-1]:
                message += "; the numbers before it may be those of an interval"
            line = text.line(piece.start)
            rows.note(message, code="incomplete", line=line, severity="warning")
    for stretch in around:
        # fio speaks before it writes the document of its run
        owners = (runs[n] for n in range(stretch.before, len(pieces)) if n in runs)
        last = runs[places[-1]] if places else None
        _note_beside(rows, text, stretch, next(owners, last))


def _add(
    rows: Rows,
    group: Sequence[Piece],
    line: int,
    *,
    status: str = "ok",
    version: str | None = None,
    session: Session | None = None,
) -> int:
    """Add a run: one document, or the cumulative ones of ``--status-interval``."""
    last = group[-1]
    found = [snapshots(piece.document) for piece in group if piece.document is not None]
    reports = [one for several, _ in found for one in several]
    # before 3.39 fio lists the options of all jobs of several servers in one object
    twice = last.faults.options
    is_shared = bool(twice) and len({*map(server_of, reports[-1].entries)}) > 1
    run = add_run(
        rows,
        reports,
        line=line,
        faults=last.faults,
        version=version,
        status=status,
        session=session,
        unsure=frozenset(twice if is_shared else ()),
    )
    document = reports[-1]
    if not (document.global_options or any(entry.job_options for entry in document.entries)):
        rows.note(NO_OPTIONS, code="conditions", run=run)
    if last.is_put_together:
        rows.note(
            f"{len(document.entries)} jobs without their document are read as one run, so that"
            " none is taken for a repeat; if they are of several runs (jq .jobs[0]), give whole"
            " documents",
            code="incomplete",
            line=line,
            severity="warning",
            run=run,
        )
    if last.document is not None and last.document.client_stats is not None:
        _note_snapshots(rows, last.document, found[-1], line, run)
    return run


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


def _nothing_whole(text: Text, pieces: list[Piece]) -> ParseError:
    """Return the error that says where the first document breaks off."""
    reason, line = "no complete JSON document of fio", 1
    remedy = "fio was killed, or the file was cut: only complete documents can be read"
    if pieces:
        end = pieces[0].end
        around = text.text[max(0, end - _AROUND) : end + _AROUND]
        remedy = next((told for cause, told in _CAUSES if cause.search(around)), remedy)
        last = len(text.text.rstrip()) - 1
        line = text.line(max(0, min(pieces[0].end, last)))
        reason += f": it breaks off ({pieces[0].reason})"
    return ParseError(text.name, reason, line=line, remedy=remedy)


def _note_snapshots(
    rows: Rows, document: Document, found: tuple[list[Document], bool], line: int, run: int
) -> None:
    """Note that a document of clients has several reports of each server."""
    reports, is_proved = found
    listed = document.entries
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
    if len(listed) > sum(len(report.entries) for report in reports):
        message += f"; {TOTAL!r} sums up the first: left out"
    rows.note(message, code="repeats", line=line, severity="warning", run=run)


# --- text around the documents ----------------------------------------------------------------

_COPIES = {
    "fio_normal": "text report beside the JSON",
    "fio_terse": "terse output beside the JSON",
}
_JSON = re.compile(r"[\]\[{},\d.]*$|\"[^\"]*\" ?:")
_MANY = 20


def _headings(text: str, pieces: list[Piece]) -> list[str | None]:
    """Return the name above each document."""
    from fiotools.readers.headings import headings  # hardly any file has text around its JSON
    from fiotools.readers.prompts import commands

    reports = [Report("fio_json", piece.start, piece.end, 0, piece) for piece in pieces]
    return headings(text, reports, [*commands(text, reports)])


# what each job, by name and group, had done at the reports: I/Os; KiB and ms of each direction
Done = dict[tuple[str, str], tuple[set[int | None], set[tuple[int, int]]]]


def _rests(
    text: Text, around: list[Stretch], whole: list[Piece], runs: dict[int, int]
) -> Iterator[Rest]:
    """Yield the reports of any tool, except those that repeat one of the complete documents.

    The places of all of them are recorded in the stretches.
    """
    done = _done(whole)
    for stretch in around:
        part = text.part(stretch.start, stretch.end)
        copies: list[Report] = []
        for report in part.reports:
            repeats = _repeats(report, done)
            place = stretch.start + report.start, stretch.start + report.end
            stretch.reports.append((*place, report.kind if repeats else ""))
            copies += [report] if repeats else []
        yield Rest(part, runs.get(stretch.before - 1), copies)


def _done(whole: list[Piece]) -> Done:
    found: Done = defaultdict(lambda: (set(), set()))
    for piece in whole:
        for entry in piece.document.entries if piece.document else ():
            ios, amounts = found[(entry.jobname or "").strip(), str(entry.groupid)]
            counts: dict[str, int] = {}
            for direction, part in by_direction(entry, MOVING):
                size, runtime = part.io_bytes, part.runtime
                if isinstance(runtime, int) and size is not None:
                    # before fio 2.21 io_bytes is KiB
                    amounts |= {(size, runtime), (size // 1024, runtime)}
                if part.total_ios is not None:
                    counts[direction] = part.total_ios
            if entry.read or entry.write or entry.trim:
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


def _note_beside(rows: Rows, text: Text, stretch: Stretch, run: int | None) -> None:
    """Keep the text of a stretch around reports that became runs; note the reports left out."""
    at = stretch.start
    for start, end, repeats in [*stretch.reports, (stretch.end, stretch.end, "")]:
        _note_lines(rows, text, (at, start), stretch.torn, run)
        if repeats:
            count = text.text.count("\n", start, end) + 1
            rows.note(
                f"{count} lines of {_COPIES[repeats]} were left out: the JSON says more",
                code="repeats",
                line=text.line(start),
                run=run,
            )
        at = end


def _note_lines(
    rows: Rows, text: Text, place: tuple[int, int], torn: bool, run: int | None
) -> None:
    start, end = place
    beside = text.text[start:end]
    if not beside.strip(" \n\t\r,[]"):
        return
    line = text.line(start)
    kept = [(line + i, part.strip()) for i, part in enumerate(beside.split("\n")) if part.strip()]
    if torn:
        kept = [(number, part) for number, part in kept if not _JSON.match(part)]
    for number, part in kept[:_MANY]:
        keep(rows, part, number, run)
    if len(kept) > _MANY:
        message = f"... and {len(kept) - _MANY} more lines of text"
        rows.note(message, code="printed", line=kept[_MANY][0], run=run)


# --- a document in other text -----------------------------------------------------------------


def parse(text: str, match: re.Match[str]) -> tuple[int, int, Piece]:
    """Read the document that begins at the match."""
    piece = documents.piece_at(text, match.start())
    return piece.start, max(piece.end, match.end()), piece


def add(rows: Rows, report: Report, session: Session) -> int:
    """Add one document as a run."""
    piece: Piece = report.data
    if piece.document is None:
        rows.note(
            f"an incomplete fio document was left out ({piece.reason})",
            code="incomplete",
            line=report.line,
            severity="warning",
        )
        return rows.runs
    return _add(rows, [piece], report.line, session=session)
