"""What stands around fio's JSON documents: warnings, the same report as text, other reports."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fiotools.readers import fio_normal
from fiotools.readers.base import Report, Session
from fiotools.readers.fio_documents import Piece
from fiotools.readers.fio_normal_data import Entry, Run
from fiotools.readers.fio_repeats import entries
from fiotools.readers.fio_terse_lines import is_entry

if TYPE_CHECKING:
    from fiotools.sniff import Document
    from fiotools.tables import Tables

_ALERT = re.compile(r"error|err=|terminat|fail|no such|cannot|unable|warning", re.I)
_TEXT = re.compile(fio_normal.GRAMMAR.anchor, re.M)
_OTHERS = re.compile(r"^(?:\d+\+\d+ \S+ out$|real[ \t]+\d+m?[\d.,]+s?$)", re.M)
_JSON = re.compile(r"[\]\[{},\d.]*$|\"[^\"]*\" ?:")
_MANY = 20


@dataclass
class Stretch:
    """Text outside the documents.

    Attributes
    ----------
    start, end : int
        Its place.
    before : int
        How many documents stand above it.
    torn : bool
        Whether the one above is not whole: then its rest may stand here.
    reports : list of (int, int, bool)
        The places of fio's reports for people in it, and whether they repeat a document.
    """

    start: int
    end: int
    before: int
    torn: bool = False
    reports: list[tuple[int, int, bool]] = field(default_factory=list)


def stretches(text: str, pieces: list[Piece]) -> list[Stretch]:
    """List what stands outside the documents."""
    found, at, torn = [], 0, False
    for number, piece in enumerate(pieces):
        if piece.start > at:
            found.append(Stretch(at, piece.start, number, torn))
        at, torn = max(at, piece.end), piece.document is None
    if at < len(text):
        found.append(Stretch(at, len(text), len(pieces), torn))
    return found


def says_killed(text: str, stretch: Stretch) -> bool:
    """Whether fio says that a signal ended it."""
    return text.find("terminating on signal", stretch.start, stretch.end) >= 0


def add_reports(
    tables: Tables, document: Document, around: list[Stretch], whole: list[Piece]
) -> None:
    """Add the reports for people that do not repeat one of the documents."""
    known: dict[tuple[str, str], set[int | None]] | None = None
    for stretch in around:
        text = document.text[stretch.start : stretch.end]
        for start, end, run in _reports(text):
            known = _done(whole) if known is None else known
            place = stretch.start + start
            repeats = all(_is_known(entry, known) for entry in run.entries)
            stretch.reports.append((place, stretch.start + end, repeats))
            if not repeats:
                report = Report("fio_normal", place, end, document.line(place), run)
                fio_normal.GRAMMAR.add(tables, report, Session())


def _reports(text: str) -> Iterator[tuple[int, int, Run]]:
    at = 0
    while match := _TEXT.search(text, at):
        parsed = fio_normal.GRAMMAR.parse(text, match)
        at = max(match.end(), parsed[1] if parsed else 0)
        if parsed and isinstance(parsed[2], Run):
            yield parsed[0], parsed[1], parsed[2]


def _done(whole: list[Piece]) -> dict[tuple[str, str], set[int | None]]:
    """Say how many I/Os each job had done, by name and group, at each of the reports."""
    found = defaultdict(set)
    for piece in whole:
        for entry in entries(piece.document or {}):
            key = (str(entry.get("jobname", "")).strip(), str(entry.get("groupid")))
            found[key].add(_ios(entry))
    return found


def _ios(entry: dict[str, Any]) -> int | None:
    parts = [entry.get(name) for name in ("read", "write", "trim")]
    parts = parts if any(parts) else [entry.get("mixed")]
    counts = [part.get("total_ios") for part in parts if isinstance(part, dict)]
    return sum(c for c in counts if type(c) is int) if any(type(c) is int for c in counts) else None


def _is_known(entry: Entry, known: dict[tuple[str, str], set[int | None]]) -> bool:
    """Whether an entry repeats one of the JSON's: as many I/Os, as far as both say how many."""
    counts = known.get((entry.name.strip(), str(entry.group)), set())
    issued = entry.issued.get("total")
    return bool(counts) and (issued is None or None in counts or sum(issued[:3]) in counts)


def note(tables: Tables, document: Document, stretch: Stretch, run: int | None) -> None:
    """Keep what is said in a stretch, beside reports that became runs; of the others say so."""
    at = stretch.start
    for start, end, repeats in stretch.reports:
        _note_lines(tables, document, (at, start), stretch.torn, run)
        if repeats:
            tables.note(
                f"{document.text.count(chr(10), start, end) + 1} lines of text report beside the"
                " JSON were left out: the JSON has the same figures",
                line=document.line(start),
                run=run,
            )
        at = end
    _note_lines(tables, document, (at, stretch.end), stretch.torn, run)


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
    terse = {number for number, part in kept if is_entry(part.rsplit("\r", 1)[-1])}
    if terse:
        tables.note(
            f"{len(terse)} lines of terse output beside the JSON were left out: the JSON says more",
            line=min(terse),
            run=run,
        )
        kept = [(number, part) for number, part in kept if number not in terse]
    if other := _OTHERS.search(text):
        tables.note(
            "a report of dd or of a time command beside the JSON was left out; its lines follow",
            line=document.line(start + other.start()),
            severity="warning",
        )
    for number, part in kept[:_MANY]:
        severity = "warning" if _ALERT.search(part) else "info"
        tables.note(part.rsplit("\r", 1)[-1][:300], line=number, severity=severity, run=run)
    if len(kept) > _MANY:
        message = f"... and {len(kept) - _MANY} more lines of text"
        tables.note(message, line=kept[_MANY][0], run=run)
