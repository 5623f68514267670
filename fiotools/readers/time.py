"""time: the three lines of bash's keyword and of ``time -p``.

Produced by ``time command`` in bash (on standard error). Fills ``runs`` and ``timings``. The labels
real, user and sys are never translated; the decimal mark follows the locale; bash's minutes never
roll over to hours, ksh's do. A report without its command says nothing of what was timed.

Grammar: bash ``execute_cmd.c`` (``print_formatted_time``), POSIX ``time -p``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fiotools import units
from fiotools.readers import shell
from fiotools.readers.base import Grammar, Reader, Report, Session, only, read_reports

if TYPE_CHECKING:
    from fiotools.sniff import Document
    from fiotools.tables import Tables

_SPAN = r"(?:\d+h ?)?(?:\d+m ?)?\d+(?:[.,]\d+)?s?"
_REPORT = re.compile(
    rf"real[ \t]+(?P<real>{_SPAN})[ \t]*\n\s*"
    rf"user[ \t]+(?P<user>{_SPAN})[ \t]*\n\s*"
    rf"sys[ \t]+(?P<sys>{_SPAN})(?![\d.,])"
)


def sniff(document: Document) -> bool:
    """Claim a text that is nothing but timings."""
    return only("time", document)


def read(document: Document, tables: Tables) -> None:
    """Read a text that is nothing but timings."""
    read_reports(document, tables, GRAMMAR)


def parse(text: str, match: re.Match[str]) -> tuple[int, int, dict[str, float]] | None:
    """Read the three lines that begin at the match."""
    start = match.end() - len(match[0].lstrip())
    found = _REPORT.match(text, start)
    if not found:
        return None
    return (
        start,
        found.end(),
        {name: units.seconds(found[name]) for name in ("real", "user", "sys")},
    )


def add(tables: Tables, report: Report, session: Session) -> int:
    """Add a timing as a run of its own."""
    run = tables.start_run(
        tool="time",
        format="time",
        command=session.command,
        host=session.host,
        duration_s=report.data["real"],
    )
    add_timing(tables, report, session, run)
    return run


def add_timing(tables: Tables, report: Report, session: Session, run: int) -> None:
    """Add a timing to a run that another report began."""
    tables.add(
        "timings",
        run=run,
        command=shell.untimed(session.command) if session.command else None,
        **{f"{name}_s": value for name, value in report.data.items()},
    )


GRAMMAR = Grammar(anchor=r"^[ \t]*real[ \t]+\d", parse=parse, add=add)

READER = Reader(
    name="time",
    title="time reports (bash, time -p)",
    produced_by="time command 2>log",
    tables=("runs", "timings"),
    sniff=sniff,
    read=read,
    grammar=GRAMMAR,
)
