"""The commands of a pasted session: the lines that hold them, and where their output ends.

Prompts of bash, zsh, fish, ksh, csh, PowerShell and cmd, default and customised; the trace of
``set -x``; a bare ``dd if=...`` as make echoes it. Commands over several lines are joined. Traps:
``# `` is a root prompt inside a fence and a heading outside; ``> `` continues a command, quotes a
mail, or is a prompt itself; ``%`` stands in many tables.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from fiotools.readers import shell
from fiotools.readers.pasted import SEPARATOR
from fiotools.readers.text import line_end

if TYPE_CHECKING:
    from fiotools.readers.grammar import Report

_FENCE = re.compile(r"[ \t>]*(?:```|~~~)")
_FENCES = re.compile(rf"^{_FENCE.pattern}", re.M)
_HEADING = re.compile(r"^#{1,6} +\S|^<summary>")
_LONGEST = 8000  # one-line pastes are long, and nothing longer is a command
_PROMPT = re.compile(
    r"""^[ \t]*(?:\([\w.-]{1,40}\)[ ])?(?:
        \[?[\w.-]+@(?P<host>[\w.-]+)(?:[: ][^\n$\#%>]*?)?\]?[ ]?[$\#%>]  # user@host:~$  [u@h dir]#
      | [\w.-]+:[~/]\S*[ ][\w.-]+[$\#%]                                  # Mac:~ user$
      | (?:[\w.-]+:)?[~/][\w./~-]*[ ]?[$\#%]                             # ~/dir$  /var/www $
      | [\w-]{1,40}\$                                                    # bash-5.2$ without dots
      | bash-[\d.]+[$\#] | (?:❯|λ)(?=[ ])
      | ➜[ ]+\S+(?:[ ]git:\(\S+\)(?:[ ]✗)?)?(?=[ ])
      | (?P<dos>(?:\w+[ ])?[A-Za-z]:\\[^<>|"*?\n]*>)                     # PS C:\dir>  C:\>
      | (?P<word>(?:PS[ ])?[A-Za-z][\w.:~\\/-]*>)                        # wsl-linux>
      | (?P<bare>[$\#%])
    )(?P<space>[ \t]+|(?<=>)|$)(?P<command>\S[^\n]*)?$""",
    re.X,
)
_TRACE = re.compile(r"^\++ (?P<command>[\w./]\S*(?: [^\n]*)?)$")
_UNPROMPTED = re.compile(
    r"^[ \t>]*(?P<command>(?:(?:\S*/)?(?:time|sudo|nice|env|LC_ALL=\w+|LANG=\w+)(?: +-\S+)* +)*"
    r"(?:\S{0,200}/)?dd +(?:\w+=\S+)[^\n]*)$"
)
_GLUED = re.compile(r"(?<=[\w/~])[$#] +")
_CLOCK = re.compile(r"[ \t]*\[\d\d:\d\d(?::\d\d)?\]$")  # what zsh writes at the right margin
# a session that was put into comments, or quoted
_COMMENTED = re.compile(r"(?:[ \t]*(?:# |> |// ))+(?=\$ |\S+@\S+[$#%] )")
# the tags of forums
_OPENING = re.compile(r"(?:\[(?:CODE|QUOTE|ICODE|PRE|SPOILER)(?:=[^\]\n]{1,80})?\])+", re.I)
_CLOSING = re.compile(r"(?:\[/(?:CODE|QUOTE|ICODE|PRE|SPOILER)\][ \t]*)+$", re.I)
_OPEN = re.compile(r"(?:\bdo|\bthen|\belse|[{(|;]|&&)$")  # what a command goes on behind
_OPEN_LOOP = re.compile(r"(?:\bdo|\bthen|[{(|;]|&&|\bin [^\n]*)$")
_MORE = re.compile(r"^[ \t]*(?:(?:for|while|until|then|do|else|if|cursh|pipe|[db]?quote)?> ?)")
# a bare "# " outside a fence is a heading, unless one of these follows
_TOOLS = {"dd", "fio", "diskspd", "diskspd.exe", "hyperfine", "cat", "sync", "free", "lsblk", "tar"}


class Command(NamedTuple):
    """A place where the output of the command above ends: a new command, or a break."""

    position: int  # where its line begins
    # the command, on one line; None for a fence, a heading, a prompt without a command
    text: str | None = None
    host: str | None = None
    # where the command stands, where it is on one line
    start: int = 0
    end: int = 0
    # whether a program wrote it (``set -x``, make); then ``time`` may have been left out
    is_echo: bool = False
    is_trace: bool = False  # whether ``set -x`` wrote it: it ran just then
    end_of_line: int = 0  # where the line below it begins

    def before(self, position: int, text: str) -> str | None:
        """Return the command, without output on the same line."""
        if self.text is not None and self.start <= position < self.end:
            # where lines were lost, so were those before the last prompt
            told = _GLUED.split(text[self.start : position])[-1]
            return shell.uncommented(told).strip() or None
        return self.text


def commands(text: str, reports: Sequence[Report] = ()) -> Iterator[Command]:
    """Find commands, and the fences, headings and prompts that end them, outside of reports."""
    fences = ("```" in text or "~~~" in text) and _FENCES.search(text) is not None
    fenced, at, report, taken = False, 0, 0, 0
    while at <= len(text):
        begin, stop = at, line_end(text, at)
        line, at = text[begin:stop], stop + 1
        while report < len(reports) and reports[report].start <= begin:
            taken, report = reports[report].end, report + 1
        if fences and _FENCE.match(line):
            fenced = not fenced
            if begin >= taken:
                yield Command(begin)
            continue
        if begin < taken:
            # the fences in a report count
            at = at if fences else max(at, line_end(text, taken - 1) + 1)
            continue
        if not line:
            continue
        if line.startswith(SEPARATOR):
            yield Command(begin, host=line.split(SEPARATOR)[1] or None)
            continue
        found = _prompted(line, in_session=fenced or not fences)
        if found is None:
            if not fenced and _HEADING.match(line):
                yield Command(begin)
            continue
        told, host, start, is_echo = found
        parts = [told]
        while at <= len(text) and _goes_on(parts[-1], below := text[at : line_end(text, at)]):
            parts.append(_MORE.sub("", below).strip())
            at += len(below) + 1
        whole = shell.uncommented(_joined(parts)).strip()
        end = stop if len(parts) == 1 else 0
        is_trace = is_echo and line.lstrip("\r").startswith("+")
        yield Command(begin, whole or None, host, begin + start, end, is_echo, is_trace, at)


def _prompted(line: str, *, in_session: bool) -> tuple[str, str | None, int, bool] | None:
    """Split a line with a command: command, host, where it begins, whether it is an echo."""
    if len(line) > _LONGEST:
        return None
    skip = line.rfind("\r") + 1  # the shell drew its prompt anew
    bare = line[skip:]
    mark = _COMMENTED.match(bare) or _OPENING.match(bare)
    if mark:
        skip, bare = skip + mark.end(), bare[mark.end() :]
    prompt = _PROMPT.match(bare)
    if prompt and _MORE.fullmatch(prompt[0][: prompt.end("space")]) is None:
        command = prompt["command"] or ""
        is_marked = command.rstrip().endswith("]")
        if is_marked:
            command = _CLOSING.sub("", command)
        if not command:
            return ("", prompt["host"], 0, False) if prompt["host"] else None
        if prompt["bare"] in ("#", "%") and not (
            in_session and _TOOLS.intersection(shell.programs(command))
        ):
            return None
        start = skip + prompt.start("command")
        command = command.rstrip()
        return _CLOCK.sub("", command) if is_marked else command, prompt["host"], start, False
    other = _TRACE.match(bare) or _UNPROMPTED.match(bare)
    if other:
        return other["command"].rstrip(), None, skip + other.start("command"), True
    return None


def _goes_on(part: str, line: str) -> bool:
    """Whether a command has more on the next line."""
    if part.endswith("\\") and not part.endswith("\\\\"):
        return True
    if not _MORE.match(line):
        return False
    # a quoted command of its own, unless the one above it is open
    is_own = _UNPROMPTED.match(line.lstrip("> "))
    return not is_own or bool(_OPEN_LOOP.search(part))


def _joined(parts: list[str]) -> str:
    """Write a command of several lines on one."""
    pieces = parts[:1]
    for part in parts[1:]:
        between = " "
        if pieces[-1].endswith("\\"):
            pieces[-1] = pieces[-1][:-1].rstrip()
            while len(pieces) > 1 and not pieces[-1]:
                pieces.pop()
                pieces[-1] = pieces[-1].rstrip()
        elif not _OPEN.search(pieces[-1]):
            between = "; "
        pieces.append(between + part)
    return "".join(pieces)
