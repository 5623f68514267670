"""transcript: a pasted terminal session, or a Markdown article with such sessions in it.

Produced by people: prompts with commands, reports of any tool below them, prose around. The reader
finds the commands and hands each report to its own grammar, so that ``time dd if=... of=...`` is
one run with its command, its row of I/O and its timing. Fills the tables of the tools in it, and
``runs.heading`` with the name that stands above a report ("## ext4", "**HDD:**", "=== cold ===").

Traps: a report belongs to the last command above it, but not across a fence, a heading or another
prompt, and not to a command that cannot have printed it (``cd``, another tool); one command line
may print several reports; a report without a command is still a report. Output may look like a
prompt (``INFO:> done``, ``50% done``) and prose like a command ("time to run it"): such a line is
a command only if something else confirms it. Prose is not kept, nor the output of other commands.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Sequence
from itertools import zip_longest
from operator import attrgetter
from string import whitespace

from fiotools.errors import ParseError
from fiotools.readers import shell
from fiotools.readers.document import Document, Report, Session
from fiotools.readers.headings import headings
from fiotools.readers.prompts import Boundary, commands
from fiotools.readers.time import add_timing
from fiotools.tables.rows import Rows

_BACK = 10  # commands typed while one runs in the background, or listed above their reports


def read(document: Document, rows: Rows) -> None:
    """Read every report in the text, each with the command above it."""
    reports = document.reports
    if not reports:
        raise ParseError(document.name, "the text holds no report of a known tool")
    text = document.text
    found = list(commands(text, reports))
    starts = [command.position for command in found]
    above: defaultdict[tuple[int, str], int] = defaultdict(int)
    previous: Report | None = None
    run, added, under, is_timed = 0, 0, -1, False
    names = headings(text, reports, found)
    for report, below, rows.heading in zip_longest(reports, reports[1:], names):
        at = bisect_right(starts, report.start) - 1
        session, at = _session(found, at, report, text)
        if report.kind == "dd" and at >= 0 and session.command == found[at].text:
            session = _listed(found, at, session, reports)
        # a timing belongs to what was timed: the report just above it, under the same command
        command = None if found and found[at].is_echo else session.command
        if previous and at == under and _is_timing(report, previous, command, added, text):
            add_timing(rows, report, session, run)
            is_timed = True
        else:
            if is_timed and previous and _repeats(report, previous, text):
                rows.note(
                    "the same numbers of time as above: are they printed twice? count them once",
                    code="repeats",
                    line=report.line,
                    run=rows.runs + 1,
                    severity="warning",
                )
            is_timed = False
            session = session._replace(above=above[at, report.kind])
            is_over = below and bisect_right(starts, below.start) - 1 != at
            if below and not is_over and _is_timing(below, report, command, 1, text):
                session = session._replace(real_s=below.data.real)
            before = rows.runs
            assert report.grammar is not None
            run = report.grammar.add(rows, report, session)
            added = rows.runs - before
            if session.above and report.kind == "dd" and _is_one_dd(session.command):
                rows.note(
                    "a second report below one dd command: whether it printed both is not certain",
                    code="conditions",
                    line=report.line,
                    run=run,
                )
            above[at, report.kind] += added
        previous, under = report, at


def _repeats(report: Report, above: Report, text: str) -> bool:
    """Whether a timing stands twice."""
    return (
        report.kind == above.kind == "time"
        and report.data == above.data
        and not text[above.end : report.start].strip()
    )


def _session(found: list[Boundary], at: int, report: Report, text: str) -> tuple[Session, int]:
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


def _listed(found: list[Boundary], at: int, session: Session, reports: Sequence[Report]) -> Session:
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
    stop = found[at + 1].position if at + 1 < len(found) else reports[-1].end
    low, high = (
        bisect_left(reports, place, key=attrgetter("start")) for place in (found[at].position, stop)
    )
    count = sum(len([*report.data.runs()]) for report in reports[low:high] if report.kind == "dd")
    if count < 2:
        return session
    if at + 1 - first != count:
        return Session(None, session.host)
    return Session("; ".join(one.text or "" for one in found[first : at + 1]), session.host)


def _is_one_dd(command: str | None) -> bool:
    return (
        command is not None
        and len(shell.commands(command, "dd")) == 1
        and not (shell.is_loop(command) or shell.is_concurrent(command))
    )


def _is_timing(timing: Report, report: Report, command: str | None, added: int, text: str) -> bool:
    """Whether a report is a timing of the command that printed the one above it."""
    between = text[report.end : timing.start]
    return timing.kind == "time" != report.kind and _adjacent(between, command, added)


def _adjacent(between: str, command: str | None, added: int) -> bool:
    """Whether one command printed both: it is known, or nothing stands between them."""
    if added > 1:  # only the last of several runs can be timed, and the command must say so
        parts = [part for _, part in shell.simple(command or "")]
        return len(parts) > 1 and shell.is_timed(parts[-1])
    # what a script runs is unknown
    if command and any(shell.commands(command, tool) for tool in ("dd", "fio", "diskspd")):
        return shell.is_timed(command)
    return not between.strip(f"{whitespace}>#")  # also in a session that was commented out
