"""transcript: a pasted terminal session, or a Markdown article with such sessions in it.

Produced by people: prompts with commands, reports of any tool below them, prose around. It finds
the commands and hands the reports to their own grammars, so that ``time dd if=... of=...`` becomes
one run with its command, its row of I/O and its timing. Fills whatever the tools found in it fill.

Traps: ``# `` begins a root prompt inside a fence and a heading outside; a report belongs to the
last command above it, but not across a fence, a heading or another prompt; a report without a
command is still a report. Prose is not kept.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fiotools.errors import ParseError
from fiotools.readers import shell
from fiotools.readers import time as time_reader
from fiotools.readers.base import Grammar, Reader, Report, Session

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fiotools.sniff import Document
    from fiotools.tables import Tables

_FENCE = re.compile(r"^[ \t>]*(?:```|~~~)")
_HEADING = re.compile(r"^#{1,6} +\S|^<summary>")
_PROMPT = re.compile(
    r"""^[ \t]*(?:
        \[?[\w.-]+@(?P<host>[\w.-]+)[: ][^\n$\#%>]*?[$\#%>]   # user@host:~$  [user@host dir]#
      | (?P<word>(?:PS[ ])?[A-Za-z][\w.:~\\/-]*)>                       # wsl-linux>  PS C:\dir>
      | (?P<bare>[$\#%])                                                # $  #
    )[ ]+(?P<command>\S[^\n]*)$""",
    re.X,
)
# a bare "# " outside a fence is a heading, unless one of these follows
_TOOLS = {"dd", "fio", "diskspd", "diskspd.exe", "hyperfine", "cat", "sync", "free", "lsblk", "tar"}


@dataclass(frozen=True)
class Break:
    """A place where what follows stops belonging to the command above: or a new command itself."""

    position: int
    session: Session


def sniff(document: Document) -> bool:
    """Claim a text that holds reports and more than one tool's reports alone."""
    kinds = document.kinds
    return bool(kinds) and "fio_json" not in kinds and (document.leftover or len(kinds) > 1)


def read(document: Document, tables: Tables) -> None:
    """Read every report in the text, each with the command above it."""
    reports = document.reports
    if not reports:
        raise ParseError(document.name, "the text holds no report of any tool that is read")
    grammars = _grammars()
    breaks = list(_breaks(document.text))
    starts = [one.position for one in breaks]
    previous: Report | None = None
    run, under = 0, -1
    for report in reports:
        at = bisect_right(starts, report.start) - 1
        session = breaks[at].session if at >= 0 else Session()
        together = previous is not None and at == under and previous.kind != "time"
        # a timing belongs to what was timed: the report just above it, under the same command
        if (
            report.kind == "time"
            and together
            and _adjacent(document.text, previous, report, session)
        ):
            time_reader.add_timing(tables, report, session, run)
        else:
            run = grammars[report.kind].add(tables, report, session)
        previous, under = report, at


def _adjacent(text: str, above: Report | None, report: Report, session: Session) -> bool:
    """Whether one command printed both: it is known, or nothing stands between them."""
    if session.command:
        return shell.is_timed(session.command)
    return above is not None and not text[above.end : report.start].strip()


def _grammars() -> dict[str, Grammar]:
    from fiotools.readers import READERS

    return {reader.name: reader.grammar for reader in READERS if reader.grammar}


def _breaks(text: str) -> Iterator[Break]:
    """Find commands, and the fences and headings that end them."""
    fenced, position = False, 0
    lines = text.split("\n")
    fences = any(_FENCE.match(line) for line in lines)
    for line in lines:
        if _FENCE.match(line):
            fenced = not fenced
            yield Break(position, Session())
        elif (prompt := _PROMPT.match(line)) and _is_prompt(prompt, fenced or not fences):
            yield Break(position, Session(prompt["command"].strip(), prompt["host"]))
        elif not fenced and _HEADING.match(line):
            yield Break(position, Session())
        position += len(line) + 1


def _is_prompt(prompt: re.Match[str], in_session: bool) -> bool:
    if prompt["bare"] != "#":
        return True
    return in_session and bool(_TOOLS.intersection(shell.programs(prompt["command"])))


READER = Reader(
    name="transcript",
    title="terminal sessions and Markdown articles with any of these reports",
    produced_by="(time dd ...) 2>log; copying what a terminal shows",
    tables=(
        *("runs", "jobs", "settings", "io", "percentiles", "bins", "samples", "timings"),
        *("disks", "extras", "notes"),
    ),
    sniff=sniff,
    read=read,
)
