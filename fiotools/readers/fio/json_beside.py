"""Text around fio's JSON documents: warnings, the same report as text, other reports."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from fiotools.readers.document import Report, read_part
from fiotools.readers.fio.documents import Piece, Stretch, entries
from fiotools.readers.fio.text_rows import keep

if TYPE_CHECKING:
    from fiotools.readers.document import Document
    from fiotools.readers.fio.normal import Job
    from fiotools.tables import Tables

_COPIES = {
    "fio_normal": "text report beside the JSON",
    "fio_terse": "terse output beside the JSON",
}
_JSON = re.compile(r"[\]\[{},\d.]*$|\"[^\"]*\" ?:")
_MANY = 20


def add_reports(
    tables: Tables,
    document: Document,
    around: list[Stretch],
    whole: list[Piece],
    runs: dict[int, int],
) -> None:
    """Add the reports of any tool, except those that repeat one of the documents.

    Parameters
    ----------
    tables : Tables
    document : Document
    around : list of Stretch
        Gets the places of the reports.
    whole : list of Piece
        The complete documents.
    runs : dict of int to int
        The run of each document, by its number.
    """
    known: _Known | None = None
    for stretch in around:
        part = document.part(stretch.start, stretch.end)
        copies: list[Report] = []
        for report in part.reports:
            known = _done(whole) if known is None else known
            repeats = _repeats(report, known)
            place = stretch.start + report.start, stretch.start + report.end
            stretch.reports.append((*place, report.kind if repeats else ""))
            copies += [report] if repeats else []
        read_part(tables, part, runs.get(stretch.before - 1), copies)


class _Known(NamedTuple):
    """The numbers of each job in the documents, by name and group."""

    ios: dict[tuple[str, str], set[int | None]]
    amounts: set[tuple[str, str, int, int]]  # and KiB and milliseconds of a direction


def _repeats(report: Report, known: _Known) -> bool:
    """Whether a text or terse report belongs to the same run as a document."""
    if report.kind == "fio_normal":
        return all(_is_known(entry, known.ios) for entry in report.data.entries)
    if report.kind == "fio_terse":
        from fiotools.readers.fio.terse import Record

        records = [item for item in report.data.items if isinstance(item, Record)]
        return bool(records) and all(
            (name, group) in known.ios
            and all(
                (name, group, block.kib, block.runtime_ms) in known.amounts
                for block in item.blocks
                if block.kib
            )
            for item in records
            for name, group in [(item.name.strip(), str(item.group))]
        )
    return False


def _done(whole: list[Piece]) -> _Known:
    """Collect how much each job had done at each of the reports."""
    found = _Known(defaultdict(set), set())
    for piece in whole:
        for entry in entries(piece.document or {}):
            key = (str(entry.get("jobname", "")).strip(), str(entry.get("groupid")))
            found.ios[key].add(_ios(entry))
            for part in map(entry.get, ("read", "write", "trim", "mixed")):
                if isinstance(part, dict):
                    found.amounts.update((*key, *amount) for amount in _amounts(part))
    return found


def _amounts(part: dict[str, Any]) -> Iterator[tuple[int, int]]:
    """Yield the KiB and milliseconds of a direction; before fio 2.21 ``io_bytes`` is KiB."""
    runtime, size = part.get("runtime"), part.get("io_bytes")
    if type(runtime) is int and type(size) is int:
        yield size, runtime
        yield size // 1024, runtime


def _ios(entry: dict[str, Any]) -> int | None:
    parts = [entry.get(name) for name in ("read", "write", "trim")]
    parts = parts if any(parts) else [entry.get("mixed")]
    counts = [part.get("total_ios") for part in parts if isinstance(part, dict)]
    return sum(c for c in counts if type(c) is int) if any(type(c) is int for c in counts) else None


def _is_known(entry: Job, known: dict[tuple[str, str], set[int | None]]) -> bool:
    """Whether an entry repeats one of the JSON's: the same count of I/Os, if both have one."""
    counts = known.get((entry.name.strip(), str(entry.group)), set())
    issued = entry.issued.get("total")
    return bool(counts) and (issued is None or None in counts or sum(issued[:3]) in counts)


def note(tables: Tables, document: Document, stretch: Stretch, run: int | None) -> None:
    """Keep the text of a stretch around reports that became runs; note the reports left out."""
    at = stretch.start
    for start, end, repeats in stretch.reports:
        _note_lines(tables, document, (at, start), stretch.torn, run)
        if repeats:
            count = document.text.count("\n", start, end) + 1
            tables.note(
                f"{count} lines of {_COPIES[repeats]} were left out: the JSON says more",
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
    for number, part in kept[:_MANY]:
        keep(tables, part, number, run)
    if len(kept) > _MANY:
        message = f"... and {len(kept) - _MANY} more lines of text"
        tables.note(message, line=kept[_MANY][0], run=run)
