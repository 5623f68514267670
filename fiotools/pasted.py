"""What copying, mailing, publishing and recording do to a tool's output, undone.

Terminals add colours and titles, mailers quote and escape, blogs put tags and entities in,
PowerShell 5 wraps what comes on standard error, programs keep output in the strings of a JSON
document. Each kind of damage is repaired only where a mark of it stands in the text, so that a
clean text is returned as it is, after a few searches for those marks. Lines keep their numbers
where that is possible; else each line of the result has that of the line it came from.
"""

from __future__ import annotations

import html
import re
import shlex
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

import orjson


class Repaired(NamedTuple):
    """A text without the damage.

    Attributes
    ----------
    text : str
    lines : list of int, or None
        For each line of the text the number of the line that it came from; None if they are equal.
    remarks : sequence of (line, message)
        What was left out.
    """

    text: str
    lines: list[int] | None = None
    remarks: Sequence[tuple[int | None, str]] = ()


# titles and links, colours and cursor movements, character sets, all other two-letter sequences
_ESCAPE = re.compile(
    r"\x1b\][^\x07\x1b\n]{0,1000}(?:\x07|\x1b\\)?|(?:\x1b\[|\x9b)[0-?]{0,64}[ -/]{0,4}[@-~]"
    r"|\x1b[()#%][ -~]|\x1b[0-Zac-~=>]"
)
_SPACES = ("\xa0", "\u2002", "\u2003", "\u2007", "\u2009", "\u202f", "\u3000")
_INVISIBLE = ("\u200b", "\u200e", "\u200f", "\u2060", "\ufeff", "\xad")

# what a word processor makes of a hyphen or a minus before a number
_DASH = re.compile(r"[\u2010-\u2013\u2212](?=[\d.])")
_LIGATURES = str.maketrans({"\ufb00": "ff", "\ufb01": "fi", "\ufb02": "fl", "\ufb03": "ffi"})
_DIGIT = re.compile(r"(?![0-9])\d")  # of another script, or as wide as one

_IS_HTML = re.compile(r"<br ?/?>|</(?:pre|code|p|div|span|samp|td)>", re.I)
_TAG = re.compile(
    r"</?(?P<name>br|p|pre|code|span|div|tt|samp|kbd|font|td|th|tr|table|tbody|blockquote|html|body"
    r"|strong|em|b|i|u|a)(?:\s[^<>\n]{0,400})?\s?/?>",
    re.I,
)
_BREAKING = {"br", "p", "pre", "div", "tr", "blockquote", "body"}
_ENTITIES = re.compile(r"&(?:lt|gt|amp|quot|nbsp|#39|#x27|#160|micro|eacute|egrave);")

# operands of dd, words of fio's report and definition lines, with their "=" escaped
_IS_QUOTED_PRINTABLE = re.compile(r"\b(?:if|of|bs|count|rw|IOPS|BW|groupid|err)=3D")
_QUOTED = re.compile(r"(?:=[0-9A-F]{2})+")

_MAIL = re.compile(r"(?:^>[^\n]*\n?){3,}", re.M)
_MARKS = re.compile(r"^(?:> ?)+", re.M)
_PROMPT_ABOVE = re.compile(r"[$#%>] \S[^\n]*\n\Z")

_POWERSHELL = re.compile(
    r"^(?:At (?:line|[^\n]{1,300}\.ps1):\d+ char:\d+|[ \t]*\+ [^\n]*)$"
    r"|^(?:\S{1,200}\.exe|\w{1,40}) : (?=\S)",
    re.M,
)

_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"(?P<colon>\s*:)?', re.S)
_COMMANDS = {"cmd", "command", "cmdline", "command_line", "Command"}
SEPARATOR = "\f"  # stands between texts that come from different places


def repair(text: str) -> Repaired:
    r"""Undo what pasting did to a text.

    Parameters
    ----------
    text : str
        Lines end in ``\n``.

    Examples
    --------
    >>> repair("\x1b[1m2+0\x1b[0m records in\n").text
    '2+0 records in\n'
    """
    # a character that is not there is known soonest: it is asked for before the words it stands in
    lines = None
    if "\x1b" in text or "\x9b" in text:
        text = _ESCAPE.sub("", text)
    if "\b" in text:
        text = _backspaces(text)
    if "\r" in text and "\r\n" in text:  # script(1) writes \r\r\n
        text = text.replace("\r\n", "\n")
    if "=" in text and "=3D" in text and _IS_QUOTED_PRINTABLE.search(text):
        text = _quoted_printable(text)
    if "<" in text and ("</" in text or "<br" in text or "<BR" in text):
        text, lines = _tags(text)
    if "&" in text and _ENTITIES.search(text):
        text = _ENTITIES.sub(lambda found: html.unescape(found[0]), text)
    if not text.isascii():
        for space in _SPACES:
            text = text.replace(space, " ")
        for nothing in _INVISIBLE:
            text = text.replace(nothing, "")
    if not text.isascii():
        text = _DASH.sub("-", text).translate(_LIGATURES)
        text = _DIGIT.sub(lambda found: str(unicodedata.decimal(found[0])), text)
    if ">" in text and (text.startswith(">") or "\n>" in text):
        text = _MAIL.sub(_without_marks, text)
    if "N" in text and "NativeCommandError" in text:
        text = _POWERSHELL.sub("", text)
    return Repaired(text, lines)


def _backspaces(text: str) -> str:
    kept: list[str] = []
    for character in text:
        if character != "\b":
            kept.append(character)
        elif kept and kept[-1] not in "\r\n":
            kept.pop()
    return "".join(kept)


def _quoted_printable(text: str) -> str:
    """Join the lines that a mailer folded (blank lines keep the count), and decode the rest."""
    kept: list[str] = []
    folded: list[str] = []
    for line in text.split("\n"):
        if line.endswith("=") and len(line) <= 77:
            folded.append(line[:-1])
            continue
        kept.append("".join(folded) + line)
        kept.extend([""] * len(folded))
        folded = []
    if folded:
        kept.append("".join(folded))
    return _QUOTED.sub(
        lambda found: bytes.fromhex(found[0].replace("=", "")).decode("utf-8", "replace"),
        "\n".join(kept),
    )


def _tags(text: str) -> tuple[str, list[int] | None]:
    """Drop the tags of HTML; those that break lines do so, unless the line ends there anyway."""
    if not _IS_HTML.search(text):
        return text, None
    kept: list[str] = []
    numbers: list[int] = []
    for number, line in enumerate(text.split("\n"), 1):
        bare = line
        if "<" in line:
            bare = _TAG.sub(lambda found: "\n" if found["name"].lower() in _BREAKING else "", line)
            bare = bare.strip("\n") if "\n" in bare else bare
        parts = bare.split("\n")
        kept.extend(parts)
        numbers.extend([number] * len(parts))
    return "\n".join(kept), None if len(kept) == numbers[-1] else numbers


def _without_marks(found: re.Match[str]) -> str:
    """Drop a mailer's quotation marks, but not a shell's prompt for more lines of a command."""
    above = found.string[max(0, found.start() - 500) : found.start()]
    if _PROMPT_ABOVE.search(above) or above.endswith("\\\n"):
        return found[0]
    return _MARKS.sub("", found[0])


def unwrap(text: str) -> Repaired | None:
    r"""Return the texts in the strings of a JSON document, one below the other.

    The items of a list are lines of one text. A text that repeats another (``stderr_lines`` of
    Ansible) is left out with a remark. A command beside it stands above it, after a prompt.

    Returns
    -------
    Repaired or None
        None if the text is no JSON, or has no string in it.

    Examples
    --------
    >>> unwrap('{"cmd": ["dd", "bs=4k"], "stderr": "1+0 records in\\n1+0 records out"}').text
    '$ dd bs=4k\n1+0 records in\n1+0 records out\n\x0c\n'
    """
    try:
        orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    kept: list[str] = []
    numbers: list[int] = []
    remarks: list[tuple[int | None, str]] = []
    seen: set[str] = set()
    for key, line, values in _texts(text):
        if key in _COMMANDS:
            command = values[0] if len(values) == 1 else shlex.join(values)
            parts = [f"$ {command}"] if command and "\n" not in command else []
        else:
            told = "\n".join(values)
            if told.strip() in seen:
                remarks.append((line, f"the text of {key!r} is there already: left out"))
                continue
            if "\n" in told:
                seen.add(told.strip())
            # a \r\n is an end of line here as well, and so are \r and \n of their own
            parts = [*told.replace("\r\n", "\n").rstrip("\n").split("\n"), SEPARATOR]
        kept.extend(parts)
        numbers.extend([line] * len(parts))
    if not kept:
        return None
    return Repaired("\n".join(kept) + "\n", numbers, remarks)


def _texts(text: str) -> list[tuple[str, int, list[str]]]:
    """List the strings of a document, with their key and line; neighbours in a list together."""
    found: list[tuple[str, int, list[str]]] = []
    key, line, at, end = "", 1, 0, -1
    for literal in _STRING.finditer(text):
        line += text.count("\n", at, literal.start())
        at = literal.start()
        if literal["colon"]:
            key, end = str(orjson.loads(literal[0][: -len(literal["colon"])])), -1
            continue
        value = str(orjson.loads(literal[0]))
        if end >= 0 and not text[end:at].strip(", \t\r\n"):
            found[-1][2].append(value)
        elif value:
            found.append((key, line, [value]))
        else:
            continue
        end = literal.end()
    return found
