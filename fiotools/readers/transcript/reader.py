"""transcript: a pasted terminal session, or a Markdown article with such sessions in it.

Produced by people: prompts with commands, reports of any tool below them, prose around. The reader
finds the commands and hands each report to its own grammar, so that ``time dd if=... of=...`` is
one run with its command, its row of I/O and its timing. Fills the tables of the tools in it.

Traps: a report belongs to the last command above it, but not across a fence, a heading or another
prompt, and not to a command that cannot have printed it (``cd``, another tool); one command line
may print several reports; a report without a command is still a report. Prose is not kept, nor the
output of other commands, except the memory (``free``) and the device of a run (``lsblk``), if they
are certain, for the runs at the same prompt.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from string import whitespace
from typing import TYPE_CHECKING

from fiotools.errors import ParseError
from fiotools.readers import shell
from fiotools.readers.grammar import Later, Report, Session
from fiotools.readers.transcript import machine
from fiotools.readers.transcript.commands import Command, commands

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fiotools.readers.document import Document
    from fiotools.tables import Tables

_ADD_TIMING = Later("fiotools.readers.time:add_timing")
_BACK = 10  # commands typed while one runs in the background, or listed above their reports


def read(document: Document, tables: Tables) -> None:
    """Read every report in the text, each with the command above it."""
    reports = document.reports
    if not reports:
        raise ParseError(document.name, "the text holds no report of a known tool")
    found = list(commands(document.text, reports))
    starts = [command.position for command in found]
    above: Counter[tuple[int, str]] = Counter()
    previous: Report | None = None
    run, added, under = 0, 0, -1
    owners: dict[int, int] = {}
    for report in reports:
        at = bisect_right(starts, report.start) - 1
        session, at = _session(found, at, report, document.text)
        if report.kind == "dd" and at >= 0 and session.command == found[at].text:
            session = _listed(found, at, session, reports)
        # a timing belongs to what was timed: the report just above it, under the same command
        if (
            report.kind == "time"
            and previous is not None
            and previous.kind != "time"
            and at == under
            and _adjacent(
                document.text[previous.end : report.start],
                None if found and found[at].is_echo else session.command,
                added,
            )
        ):
            _ADD_TIMING(tables, report, session, run)
        else:
            key = at, report.kind
            told = Session(session.command, session.host, above[key])
            before = tables.runs
            assert report.grammar is not None
            run = report.grammar.add(tables, report, told)
            added = tables.runs - before
            if told.above and report.kind == "dd" and _is_one_dd(told.command):
                tables.note(
                    "a second report below one dd command: whether it printed both is not certain",
                    line=report.line,
                    run=run,
                )
            above[key] += added
            owners.update(dict.fromkeys(range(before + 1, tables.runs + 1), at))
        previous, under = report, at
    machine.add(tables, found, owners, document.text)


def _session(found: list[Command], at: int, report: Report, text: str) -> tuple[Session, int]:
    """Return the session of the command that printed a report, and its place in the list."""
    if at < 0:
        return Session(), at
    command = found[at]
    told = command.before(report.start, text)
    if told is None or report.kind == "time":
        return Session(told, command.host), at
    tool = report.kind.partition("_")[0]
    if shell.can_print(told, tool):
        return Session(told, command.host), at
    for place in range(at - 1, max(-1, at - _BACK), -1):
        other = found[place].text
        if other is None:
            break
        if other.endswith("&") and shell.can_print(other, tool):
            return Session(other, found[place].host), place
    return Session(None, command.host), at


def _listed(found: list[Command], at: int, session: Session, reports: Sequence[Report]) -> Session:
    """Join the commands of a list whose reports follow in order."""
    first = at
    while (
        at - first < _BACK
        and first
        and found[first - 1].end_of_line == found[first].position
        and _is_one_dd(found[first - 1].text)
    ):
        first -= 1
    if first == at or found[at].is_trace or not _is_one_dd(found[at].text):
        return session
    stop = found[at + 1].position if at + 1 < len(found) else None
    count = _printed(reports, found[at].position, stop)
    if count < 2:
        return session
    if at + 1 - first != count:
        return Session(None, session.host)
    return Session("; ".join(one.text or "" for one in found[first : at + 1]), session.host)


def _printed(reports: Sequence[Report], start: int, stop: int | None) -> int:
    """Count the dd that reported between two places."""
    first = bisect_left(reports, start, key=_start)
    below = reports[first : None if stop is None else bisect_left(reports, stop, key=_start)]
    return sum(len(report.data.runs()) for report in below if report.kind == "dd")


def _start(report: Report) -> int:
    return report.start


def _is_one_dd(command: str | None) -> bool:
    return (
        command is not None
        and len(shell.commands(command, "dd")) == 1
        and not (shell.is_loop(command) or shell.is_concurrent(command))
    )


def _adjacent(between: str, command: str | None, added: int) -> bool:
    """Whether one command printed both: it is known, or nothing stands between them."""
    if added > 1:  # only the last of several runs can be timed, and the command must say so
        parts = [part for _, part in shell.simple(command or "")]
        return len(parts) > 1 and shell.is_timed(parts[-1])
    if command and not _is_script(command):
        return shell.is_timed(command)
    return not between.strip(f"{whitespace}>#")  # also in a session that was commented out


def _is_script(command: str) -> bool:
    """Whether it is unknown what a command runs."""
    return not any(shell.commands(command, tool) for tool in ("dd", "fio", "diskspd"))
