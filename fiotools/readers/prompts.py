"""The command on a line of a session: behind a prompt, in Markdown's code, or bare.

Prompts are those of bash, zsh, fish, ksh, csh, PowerShell and cmd, default and customised; a
command also stands in the trace of ``set -x``, and bare where make or a person wrote it.

Traps: ``# `` is root's prompt inside a fence and a heading outside; ``> `` continues a command,
quotes a mail, or is a prompt; output may look like a prompt (``INFO:> done``, ``50% done``) and
prose like a command ("time to run it"): such a line is a command only if something confirms it.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from fiotools.readers import shell

_LONGEST = 8000  # one-line pastes are long, and nothing longer is a command
_PROMPT = re.compile(
    r"""[ \t]*(?:\([\w.-]{1,40}\)[ ])?(?P<prompt>
        \[?[\w.-]+@(?P<host>[\w.-]+)(?:[: \[][^\n$\#%>]*?)?\]?[ ]?[$\#%>]  # user@host:~$
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
_TRACE = re.compile(r"\++ (?P<command>[\w./]\S*(?: [^\n]*)?)$")
_UNPROMPTED = re.compile(
    r"[ \t>]*(?P<command>(?:(?:\S*/)?(?:time|sudo|nice|env|LC_ALL=\w+|LANG=\w+)(?: +-\S+)* +)*"
    r"(?:\S{0,200}/)?(?P<tool>dd +\w+=\S|fio +[\w./-]|diskspd(?:\.exe)? +[-/\w#]"
    r"|(?:dd|fio|diskspd(?:\.exe)?) +\\$)[^\n]*)$"
)
_INTRODUCES = re.compile(r"\w\w[:;,!?]$")  # the end of a sentence, and of no drive (``E:``)
_TIMED = re.compile(
    r"[ \t>]*(?P<command>(?:(?:sudo +)?(?:/\S{0,200}/)?g?time(?: +-\S+)* +"
    r"[A-Za-z_./~(\\{'\"$]|Measure-Command +[{$(-])[^\n]*)$"
)
# "- `dd ...`", "### `dd ...`", "**dd ...**", "Run: dd ...", "Sequential write: `dd ...`"
_ANNOUNCED = re.compile(
    r"""[ \t>]*(?:(?:\#{1,6}|//|[-*+•]|\d{1,3}[.)])[ ]+)?
    (?P<label>(?:\*\*)?\w[^`:*\n]{0,60}(?:\*\*)?:(?:\*\*)?[ ]+)?
    (?P<bold>\*\*)?(?:[$\#%][ ])?(?P<tick>`{1,2})?[ ]?(?:[$\#%][ ])?
    (?P<command>[\w./~(\\{][^\n`]*?)[ ]?(?P<closed>`{1,2})?(?:\*\*)?[ ]?:?$""",
    re.X,
)
_CODE = re.compile(r"(?<!`)`([^`\n]{4,2000})`(?!`)")
_CLOCK = re.compile(r"\[\d\d:\d\d(?::\d\d)?\]$")  # what zsh writes at the right margin
# a session that was put into comments, or quoted
_COMMENTED = re.compile(r"(?:[ \t]*(?:# |> |// ))+(?=\$ |\[?\S+@[^$#%\n]{1,60}[$#%] )")
_TAG = "(?:CODE|QUOTE|ICODE|PRE|SPOILER)"  # of forums
_OPENING = re.compile(rf"(?:\[{_TAG}(?:=[^\]\n]{{1,80}})?\])+", re.I)
_CLOSING = re.compile(rf"\[/{_TAG}\](?:[ \t]|\[/{_TAG}\])*$", re.I)
_OPEN = re.compile(r"(?:\bdo|\bthen|\belse|[{(|;]|&&)$")  # what a command goes on behind
_MORE = re.compile(r"[ \t]*(?P<what>for|while|until|then|do|else|if|cursh|pipe|[db]?quote)?> ?")
# beside the tools, what root types at a "# " that is not a comment
_OF_ROOT = {"cat", "sync", "free", "lsblk", "tar"}


class Command(NamedTuple):
    """A command on a line, or what looks like one; an empty one is a prompt alone."""

    text: str
    host: str | None = None
    # whether a program or a person wrote it, not a shell: ``time`` may have been left out
    is_echo: bool = False
    is_trace: bool = False  # whether ``set -x`` wrote it: it ran just then
    is_sure: bool = True  # whether the prompt or the command is certain
    form: str = ""  # of a prompt that output may look like: it may be confirmed by another

    @property
    def may_be_timed(self) -> bool:
        """Whether a timing below it makes it a command."""
        return shell.may_be_timed(self.text)


@lru_cache(maxsize=256)  # sessions repeat their commands
def command_of(line: str, *, in_session: bool = True) -> Command | None:
    """Split a line with a command; ``in_session``: whether ``# `` may be root's prompt."""
    if len(line) > _LONGEST:
        return None
    bare = line[line.rfind("\r") + 1 :]  # the shell drew its prompt anew
    mark = _COMMENTED.match(bare) or _OPENING.match(bare)
    bare = bare[mark.end() :] if mark else bare
    prompt = _PROMPT.match(bare)
    if (prompt is None or prompt["bare"]) and (found := _announced(bare)):
        return found
    if prompt and _MORE.fullmatch(bare, 0, prompt.end("space")) is None:
        return _prompted(prompt, in_session)
    return _unprompted(bare)


def _prompted(prompt: re.Match[str], in_session: bool) -> Command | None:
    command = _CLOCK.sub("", _CLOSING.sub("", prompt["command"] or "").rstrip()).rstrip()
    is_certain = _CERTAIN.fullmatch(prompt["prompt"]) is not None and not command[:1].isdigit()
    form = "" if is_certain else _form(prompt)
    if not command:
        return Command("", prompt["host"]) if prompt["host"] and is_certain else None
    is_sure = is_certain or shell.is_command(command)
    if prompt["bare"] in ("#", "%") and not (in_session and _is_of_root(command, is_sure)):
        return None
    return Command(command, prompt["host"], is_sure=is_sure, form=form)


def _is_of_root(command: str, is_known: bool) -> bool:
    """Whether text behind "# " is a command that matters here, and not a comment."""
    if not is_known:
        return shell.may_be_timed(command)
    return shell.is_measured(command) or not _OF_ROOT.isdisjoint(shell.programs(command))


def _form(prompt: re.Match[str]) -> str:
    """Return what the other prompts of the session have, too; empty if there is no such thing."""
    text = prompt["prompt"]
    if prompt["bare"] or _LEVEL.match(text):
        return ""
    found = _FORM.match(text)
    return f"{found[0] if found else ''}{text[-1]}"


def _unprompted(line: str) -> Command | None:
    """Read a line of nothing but a command."""
    other = _UNPROMPTED.match(line)
    if other:
        command = other["command"].rstrip()
        is_certain = other["tool"].startswith("dd") or other["tool"].endswith("\\")
        if is_certain or (
            not _INTRODUCES.search(command) and shell.is_measured(command, whole=True)
        ):
            return Command(command, is_echo=True)
    if other := _TRACE.match(line):
        command = other["command"].rstrip()
        is_known = shell.is_command(command)
        return Command(command, is_echo=True, is_trace=True, is_sure=is_known, form="+")
    other = _TIMED.match(line)
    if other and shell.may_be_timed(other["command"]):
        return Command(other["command"].rstrip(), is_echo=True, is_sure=False)
    return None


def _announced(line: str) -> Command | None:
    """Read a line of nothing but a command in Markdown's code or bold, or behind "Run:"."""
    if not ("`" in line or "*" in line or ":" in line):
        return None
    found = _ANNOUNCED.match(line.rstrip())
    is_whole = found and (found["tick"] or "") == (found["closed"] or "")
    if not found or not is_whole or not (found["tick"] or found["bold"] or found["label"]):
        return _quoted(line)
    command = found["command"]
    # without signs of code nothing else may stand in the line
    is_sure = shell.is_measured(command, whole=not found["tick"])
    if is_sure or (_TIMED.match(command) and shell.may_be_timed(command)):
        return Command(command, is_echo=True, is_sure=is_sure)
    return None


def _quoted(line: str) -> Command | None:
    """Read the only command in the code of a sentence ("I ran `dd ...` and got:")."""
    own = [code for code in _CODE.finditer(line) if shell.is_measured(code[1], whole=True)]
    return Command(own[0][1].strip(), is_echo=True) if len(own) == 1 else None


# --- commands of several lines ----------------------------------------------------------------

_OPENS = re.compile(r"(?<![\w-])(?:for|while|until|if|case)(?![\w=-])|[({]|<<")
_CLOSES = re.compile(r"(?<![\w-])(?:done|fi|esac)(?![\w=-])|[)}]")


class Lines:
    """The lines of a command, as far as it has more."""

    def __init__(self, first: str) -> None:
        self._parts, self._depth = [first], _depth(first)

    def take(self, line: str) -> bool:
        """Take the next line, if the command goes on there."""
        last = self._parts[-1]
        if not (last.endswith("\\") and not last.endswith("\\\\")):
            more = _MORE.match(line)
            if not more or not (more["what"] or self._depth > 0 or _OPEN.search(last)):
                return False
        self._parts.append(_MORE.sub("", line, count=1).strip())
        self._depth += _depth(self._parts[-1])
        return True

    def joined(self) -> str:
        """Write the command on one line, without comments."""
        pieces = self._parts[:1]
        for part in self._parts[1:]:
            between = " "
            if pieces[-1].endswith("\\"):
                pieces[-1] = pieces[-1][:-1].rstrip()
                while len(pieces) > 1 and not pieces[-1]:
                    pieces.pop()
                    pieces[-1] = pieces[-1].rstrip()
            elif not _OPEN.search(pieces[-1]):
                between = "; "
            pieces.append(between + part)
        return shell.uncommented("".join(pieces)).strip()


def _depth(part: str) -> int:
    """Count the loops, groups and quotations that a line opens, less those that it closes."""
    quotes = part.count('"') % 2 + part.count("`") % 2
    quotes += part.count("'") % 2 if '"' not in part else 0
    return len(_OPENS.findall(part)) - len(_CLOSES.findall(part)) + quotes
