"""time: what a shell or an external ``time`` says of a command.

Produced by ``time command 2>log`` (tcsh prints on standard output), ``Measure-Command`` in
PowerShell. Fills ``runs``, ``timings`` and ``extras`` (the processor's share, page faults, context
switches, blocks read and written, as far as the report has them: ``time/cpu_pct``,
``time/major_faults``, ...). A command that failed, where the report says so, is a run of status
error.

Read are the forms that carry labels, the lines of zsh, tcsh and GNU time, and the lists of GNU
time's ``-v`` and its likes, of fish and of PowerShell. Numbers without labels (``TIMEFORMAT``,
``-f``, bash's ``times``) are nobody's report. A report without its command says nothing of what was
timed.

Traps. Labels are never translated, the decimal mark follows the locale. bash's and mksh's minutes
never roll over to hours. User time above real time is right: several processors. A share of the
processor that its own times contradict is noted.

Grammar: bash ``execute_cmd.c`` 5.2 (``print_formatted_time``), POSIX ``time -p``, ksh93
``sh/xec.c`` (``p_time``), mksh ``funcs.c``, FreeBSD ``usr.bin/time/time.c``; the rest in
the module `forms`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fiotools.errors import ParseError
from fiotools.readers import shell
from fiotools.readers.base import read_reports
from fiotools.readers.formats import TIMES
from fiotools.readers.grammar import Report, Session
from fiotools.readers.time import forms
from fiotools.readers.time.forms import Found, Timing

if TYPE_CHECKING:
    from collections.abc import Callable

    from fiotools.readers.document import Document
    from fiotools.tables import Tables

# who reads on from what a timing begins with: the functions have the names of the beginnings
_FORMS: tuple[tuple[re.Pattern[str], Callable[[str, int], Found | None]], ...] = tuple(
    (re.compile(beginning), getattr(forms, name)) for name, beginning in TIMES.items()
)


def read(document: Document, tables: Tables) -> None:
    """Read a text that is nothing but timings."""
    read_reports(document, tables, add)
    if not tables.runs and document.reports:
        first = document.reports[0]
        raise ParseError(document.name, first.data.doubts[0][1], line=first.line)


def parse(text: str, match: re.Match[str]) -> Found | None:
    """Read the report that has one of the forms' beginnings at the match."""
    for beginning, form in _FORMS:
        if beginning.match(match[0]) and (found := form(text, match.start())):
            return forms.ended(text, found)
    return None


def add(tables: Tables, report: Report, session: Session) -> int:
    """Add a timing as a run of its own."""
    timing: Timing = report.data
    if timing.real is None:
        _note_doubts(tables, report, None)
        return tables.runs
    run = tables.start_run(
        tool="time",
        format="time",
        command=session.command or timing.command,
        host=session.host,
        duration_s=timing.real,
        status="error" if timing.failed else "ok",
    )
    add_timing(tables, report, session, run)
    return run


def add_timing(tables: Tables, report: Report, session: Session, run: int) -> None:
    """Add a timing to a run that another report began."""
    timing: Timing = report.data
    if timing.real is None:
        _note_doubts(tables, report, run)
        return
    named = shell.untimed(session.command) if session.command else None
    tables.add(
        "timings",
        run=run,
        command=timing.command or named,
        real_s=timing.real,
        user_s=timing.user,
        sys_s=timing.sys,
        max_rss_bytes=timing.max_rss_bytes,
        exit_status=timing.exit_status,
    )
    for name, text in timing.extras:
        tables.add("extras", run=run, path=f"time/{name}", text=text)
    _note_doubts(tables, report, run)
    if timing.failed:
        how = f"with status {timing.exit_status}" if timing.exit_status else "by a signal"
        tables.note(f"time: the command ended {how}", line=report.line, severity="warning", run=run)


def _note_doubts(tables: Tables, report: Report, run: int | None) -> None:
    for severity, message in report.data.doubts:
        tables.note(message, line=report.line, severity=severity, run=run)
