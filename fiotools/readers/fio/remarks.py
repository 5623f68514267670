"""What fio and other programs say beside a report: kept as notes."""

from __future__ import annotations

import re

from fiotools.tables.rows import Rows

_ALERT = re.compile(r"error|err=|terminat|fail|no such|cannot|unable|warning", re.I)

Said = list[tuple[int, str]]  # on which line of a report, and what


def note_remarks(rows: Rows, remarks: Said, first: int, run: int | None) -> None:
    """Keep fio's messages beside the report that begins on a line."""
    for at, text in remarks:
        keep(rows, text, first + at, run)


def keep(rows: Rows, text: str, line: int, run: int | None) -> None:
    """Keep one line of text as a note, without progress that a carriage return overwrites."""
    severity = "warning" if _ALERT.search(text) else "info"
    message = text.rsplit("\r", 1)[-1][:300]
    rows.note(message, code="printed", line=line, severity=severity, run=run)


def is_interrupted(remarks: Said) -> bool:
    """Whether fio wrote that a signal ended it."""
    return any("terminating on signal" in text for _, text in remarks)
