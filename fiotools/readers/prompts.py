"""The commands in a session: behind prompts, in Markdown's code, or bare.

Traps: a report belongs to the last command above it, but not across a fence, a heading or another
prompt. Output may look like a prompt (``INFO:> done``, ``50% done``) and prose like a command
("time to run it"): such a line is a command only if something else confirms it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from fiotools.readers import shell
from fiotools.readers.document import Report, line_end
from fiotools.readers.pasted import SEPARATOR

# Commands stand behind prompts of bash, zsh, fish, ksh, csh, PowerShell and cmd, default and
# customised, in the trace of "set -x", in Markdown's code, or bare, as make echoes dd. Traps: "# "
# is a root prompt inside a fence and a heading outside; "> " continues a command, quotes a mail, or
# is a prompt itself; "%" stands in many tables.
FENCE = re.compile(r"[ \t>]*(?:```|~~~)")
_FENCES = re.compile(rf"^{FENCE.pattern}", re.M)
_HEADING = re.compile(r"^#{1,6} +\S|^<summary>")
_LONGEST = 8000  # one-line pastes are long, and nothing longer is a command
_PROMPT = re.compile(
    r"""^[ \t]*(?:\([\w.-]{1,40}\)[ ])?(?P<prompt>
        \[?[\w.-]+@(?P<host>[\w.-]+)(?:[: ][^\n$\#%>]*?)?\]?[ ]?[$\#%>]  # user@host:~$  [u@h dir]#
      | [\w.-]+:[~/]\S*[ ][\w.-]+[$\#%]                                  # Mac:~ user$
      | (?:[\w.-]+:)?[~/][\w./~-]*[ ]?[$\#%]                             # ~/dir$  /var/www $
      | [\w-]{1,40}\$                                                    # bash-5.2$ without dots
      | bash-[\d.]+[$\#] | (?:❯|λ)(?=[ ])
      | ➜[ ]+\S+(?:[ ]git:\(\S+\)(?:[ ]✗)?)?(?=[ ])
      | (?:\w+[ ])?[A-Za-z]:\\[^<>|"*?\n]*>                             # PS C:\dir>  C:\>
      | PS[ ][~/][^\n>]*>                                                 # PS /home/me>
      | (?:PS[ ])?[A-Za-z][\w.:~\\/-]*(?<!-)>                            # wsl-linux>
      | (?P<bare>[$\#%])
    )(?P<space>[ \t]+|(?<=>)|$)(?P<command>\S[^\n]*)?$""",
    re.X,
)
# prompts that no output looks like; the others must be confirmed
_CERTAIN = re.compile(
    r"""\[?[\w.-]+@(?:.*[$\#] | .*(?<![0-9])% | [^~/]*[~/].*>)
      | (?:[\w.-]+:)?[~/].*(?:[$\#] | (?<![0-9])%) | [\w.-]+:[~/]\S*> | bash-.* | \$
      | (?:PS[ ][~/] | (?:PS[ ])?[A-Za-z]:\\).*(?<![-= ])>""",
    re.X,
)
# what all prompts of one session begin with
_FORM = re.compile(r"[\w.@-]+|\S")
_LEVEL = re.compile(r"(?:trace|debug|info|notice|warn(?:ing)?|err(?:or)?|fatal|critical)\b", re.I)
_TRACE = re.compile(r"^\++ (?P<command>[\w./]\S*(?: [^\n]*)?)$")
_UNPROMPTED = re.compile(
    r"^[ \t>]*(?P<command>(?:(?:\S*/)?(?:time|sudo|nice|env|LC_ALL=\w+|LANG=\w+)(?: +-\S+)* +)*"
    r"(?:\S{0,200}/)?dd +(?:\w+=\S+)[^\n]*)$"
)
_TIMED = re.compile(
    r"^[ \t>]*(?P<command>(?:sudo +)?(?:/\S{0,200}/)?g?time(?: +-\S+)* +"
    r"[A-Za-z_./~(\\{'\"$][^\n]*)$"
)
# "- `dd ...`", "### `dd ...`", "**dd ...**", "Run: dd ...", "Sequential write: `dd ...`"
_ANNOUNCED = re.compile(
    r"""^[ \t>]*(?:(?:\#{1,6}|//|[-*+•]|\d{1,3}[.)])[ ]+)?
    (?P<label>(?:\*\*)?\w[^`:*\n]{0,60}(?:\*\*)?:(?:\*\*)?[ ]+)?
    (?P<bold>\*\*)?(?:[$\#%][ ])?(?P<tick>`{1,2})?[ ]?(?:[$\#%][ ])?
    (?P<command>[\w./~(\\{][^\n`]*?)[ ]?(?P<closed>`{1,2})?(?:\*\*)?[ ]?:?$""",
    re.X,
)
_CODE = re.compile(r"(?<!`)`([^`\n]{4,2000})`(?!`)")
_GLUED = re.compile(r"(?<=[\w/~])[$#] +")
_CLOCK = re.compile(r"\[\d\d:\d\d(?::\d\d)?\]$")  # what zsh writes at the right margin
# a session that was put into comments, or quoted
_COMMENTED = re.compile(r"(?:[ \t]*(?:# |> |// ))+(?=\$ |\S+@\S+[$#%] )")
_TAG = "(?:CODE|QUOTE|ICODE|PRE|SPOILER)"  # of forums
_OPENING = re.compile(rf"(?:\[{_TAG}(?:=[^\]\n]{{1,80}})?\])+", re.I)
_CLOSING = re.compile(rf"\[/{_TAG}\](?:[ \t]|\[/{_TAG}\])*$", re.I)
_OPEN = re.compile(r"(?:\bdo|\bthen|\belse|[{(|;]|&&)$")  # what a command goes on behind
_MORE = re.compile(r"^[ \t]*(?P<what>for|while|until|then|do|else|if|cursh|pipe|[db]?quote)?> ?")
# beside the tools, what root types at a "# " that is not a comment
_OF_ROOT = {"cat", "sync", "free", "lsblk", "tar"}


class Boundary(NamedTuple):
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
    is_doubtful: bool = False  # whether only a timing below it makes it a command
    end_of_line: int = 0  # where the line below it begins

    def before(self, position: int, text: str) -> str | None:
        """Return the command, without output on the same line."""
        if self.text is not None and self.start <= position < self.end:
            # where lines were lost, so were those before the last prompt
            told = _GLUED.split(text[self.start : position])[-1]
            return shell.uncommented(told).strip() or None
        return self.text


def commands(text: str, reports: Sequence[Report] = ()) -> Iterator[Boundary]:
    """Find commands, and the fences, headings and prompts that end them, outside of reports."""
    timings = [report.start for report in reports if report.kind == "time"]
    last = Boundary(len(text) + 1)
    for one, below in pairwise((*_candidates(text, reports), last)):
        at = bisect_left(timings, one.position)
        if not one.is_doubtful or (at < len(timings) and timings[at] < below.position):
            yield one


def _candidates(text: str, reports: Sequence[Report]) -> Iterator[Boundary]:
    """Find the same, and lines that are commands if a timing follows."""
    fences = ("```" in text or "~~~" in text) and _FENCES.search(text) is not None
    fenced, at, report, taken = False, 0, 0, 0
    confirmed: frozenset[str] | None = None  # forms of prompts
    end_above = -1  # where a command outside of a fence ends
    while at <= len(text):
        while report < len(reports) and reports[report].start <= at:
            taken, report = reports[report].end, report + 1
        if at < taken:  # on to the first line below the report
            begin, at = at, line_end(text, taken - 1) + 1
            fenced ^= fences and len(_FENCES.findall(text, begin, at)) % 2 == 1
            continue
        begin, stop = at, line_end(text, at)
        line, at = text[begin:stop], stop + 1
        if fences and FENCE.match(line):
            fenced = not fenced
            is_output = fenced and end_above >= 0 and not text[end_above:begin].strip()
            if not is_output:
                yield Boundary(begin)
            end_above = -1
            continue
        if not line:
            continue
        if line.startswith(SEPARATOR):
            yield Boundary(begin, host=line.split(SEPARATOR)[1] or None)
            continue
        is_short = len(line) <= _LONGEST
        found = _prompted(line, in_session=fenced or not fences) if is_short else None
        is_sure = found is not None and found.is_sure
        if found and found.form and not is_sure:
            confirmed = _confirmed(text) if confirmed is None else confirmed
            is_sure = found.form in confirmed
        if found is None or not (is_sure or shell.may_be_timed(found.command)):
            # a heading stands below a blank line; elsewhere it is output
            if not (fenced or text[max(0, begin - 2) : begin].strip()) and _HEADING.match(line):
                yield Boundary(begin)
            continue
        parts, depth = [found.command], _depth(found.command)
        printed = reports[report].start if report < len(reports) else len(text) + 1
        while at <= len(text):
            below = text[at : line_end(text, at)]
            # a mailer's mark stands before reports, too
            if at + len(below) >= printed or not _goes_on(parts[-1], depth, below):
                break
            parts.append(_MORE.sub("", below).strip())
            depth += _depth(parts[-1])
            at += len(below) + 1
        end_above = -1 if fenced else at
        yield Boundary(
            begin,
            shell.uncommented(_joined(parts)).strip() or None,
            found.host,
            begin + found.start,
            stop if len(parts) == 1 else 0,
            is_echo=found.is_echo,
            is_trace=found.is_echo and line.lstrip("\r").startswith("+"),
            is_doubtful=not is_sure,
            end_of_line=at,
        )


class _Prompted(NamedTuple):
    """A line with a command, or what looks like one."""

    command: str
    host: str | None = None
    start: int = 0  # where the command begins
    is_echo: bool = False
    is_sure: bool = True  # whether the prompt or the command is certain
    form: str = ""  # of a prompt that output may look like: it may be confirmed by another


@lru_cache(maxsize=256)  # sessions repeat their commands
def _prompted(line: str, *, in_session: bool) -> _Prompted | None:
    """Split a line with a command."""
    skip = line.rfind("\r") + 1  # the shell drew its prompt anew
    bare = line[skip:]
    mark = _COMMENTED.match(bare) or _OPENING.match(bare)
    if mark:
        skip, bare = skip + mark.end(), bare[mark.end() :]
    prompt = _PROMPT.match(bare)
    if (prompt is None or prompt["bare"]) and (found := _announced(bare)):
        return found._replace(start=skip + found.start)
    if prompt and _MORE.fullmatch(bare, 0, prompt.end("space")) is None:
        command = _CLOCK.sub("", _CLOSING.sub("", prompt["command"] or "").rstrip()).rstrip()
        is_certain = _CERTAIN.fullmatch(prompt["prompt"]) and not command[:1].isdigit()
        form = "" if is_certain else _form(prompt)
        if not command:
            return _Prompted("", prompt["host"]) if prompt["host"] and is_certain else None
        is_sure = bool(is_certain) or shell.is_command(command)
        if prompt["bare"] in ("#", "%") and not (in_session and _is_of_root(command, is_sure)):
            return None
        start = skip + prompt.start("command")
        return _Prompted(command, prompt["host"], start, False, is_sure, form)
    if other := _UNPROMPTED.match(bare):
        return _Prompted(other["command"].rstrip(), None, skip + other.start("command"), True)
    if other := _TRACE.match(bare):
        command, start = other["command"].rstrip(), skip + other.start("command")
        return _Prompted(command, None, start, True, shell.is_command(command), "+")
    other = _TIMED.match(bare)
    if other and shell.may_be_timed(other["command"]):
        start = skip + other.start("command")
        return _Prompted(other["command"].rstrip(), None, start, True, False)
    return None


def _is_of_root(command: str, is_known: bool) -> bool:
    """Whether text behind "# " is a command that matters here, and not a comment."""
    if not is_known:
        return shell.may_be_timed(command)
    return shell.is_measured(command) or not _OF_ROOT.isdisjoint(shell.programs(command))


def _announced(line: str) -> _Prompted | None:
    """Read a line of nothing but a command in Markdown's code or bold, or behind "Run:"."""
    found = _ANNOUNCED.match(line.rstrip()) if "`" in line or "*" in line or ":" in line else None
    is_whole = found and (found["tick"] or "") == (found["closed"] or "")
    if not found or not is_whole or not (found["tick"] or found["bold"] or found["label"]):
        return _quoted(line)
    command = found["command"]
    # without signs of code nothing else may stand in the line
    is_sure = shell.is_measured(command, whole=not found["tick"])
    if is_sure or (_TIMED.match(command) and shell.may_be_timed(command)):
        return _Prompted(command, None, found.start("command"), True, is_sure)
    return None


def _quoted(line: str) -> _Prompted | None:
    """Read the only command in the code of a sentence ("I ran `dd ...` and got:")."""
    own = [code for code in _CODE.finditer(line) if shell.is_measured(code[1], whole=True)]
    if len(own) != 1:
        return None
    return _Prompted(own[0][1].strip(), None, own[0].start(1), True)


def _form(prompt: re.Match[str]) -> str:
    """Return what the other prompts of the session have, too; empty if there is no such thing."""
    text = prompt["prompt"]
    if prompt["bare"] or _LEVEL.match(text):
        return ""
    found = _FORM.match(text)
    return f"{found[0] if found else ''}{text[-1]}"


def _confirmed(text: str) -> frozenset[str]:
    """Return the forms of prompts that stand before a command that is certain."""
    lines = (line for line in text.split("\n") if len(line) <= _LONGEST)
    found = (_prompted(line, in_session=True) for line in lines)
    return frozenset(one.form for one in found if one and one.form and one.is_sure)


_OPENS = re.compile(r"(?<![\w-])(?:for|while|until|if|case)(?![\w=-])|[({]|<<")
_CLOSES = re.compile(r"(?<![\w-])(?:done|fi|esac)(?![\w=-])|[)}]")


def _depth(part: str) -> int:
    """Count the loops, groups and quotations that a line opens, less those that it closes."""
    quotes = part.count('"') % 2 + part.count("`") % 2
    quotes += part.count("'") % 2 if '"' not in part else 0
    return len(_OPENS.findall(part)) - len(_CLOSES.findall(part)) + quotes


def _goes_on(part: str, depth: int, line: str) -> bool:
    """Whether a command has more on the next line."""
    if part.endswith("\\") and not part.endswith("\\\\"):
        return True
    more = _MORE.match(line)
    return more is not None and bool(more["what"] or depth > 0 or _OPEN.search(part))


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
