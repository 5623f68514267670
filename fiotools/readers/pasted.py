"""What copying, mailing, publishing and recording do to a tool's output, undone.

Terminals add colours and titles, mailers quote and escape, blogs put tags and entities in,
PowerShell 5 wraps what comes on standard error, programs keep output in the strings of a JSON
document. Each kind of damage is repaired only where a mark of it stands in the text, so that a
clean text is returned as it is, after a few searches for those marks. Lines keep their numbers
where that is possible; else each line of the result has that of the line it came from. What stands
before all lines is taken off last (`fiotools.readers.prefixes`).
"""

from __future__ import annotations

import bisect
import html
import re
import shlex
import unicodedata

import orjson

from fiotools.readers.repaired import SEPARATOR, IsReport, Remark, Repaired

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
_ENTITIES = re.compile(r"&(?:lt|gt|amp|quot|nbsp|micro|eacute|egrave|#\d{2,5}|#x[0-9A-Fa-f]{2,4});")

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
_LARGE = 2000  # lines: no log has a larger object in its text
_COMMANDS = {"cmd", "command", "cmdline", "command_line", "Command"}

# ends of lines that a program escaped; a path of Windows may look so
_TWO_LETTERS = re.compile(r"\\(?:r\\n|[nrt\"\\/])")
_MEANT = {r"\r": "\n", r"\r\n": "\n", r"\n": "\n", r"\t": "\t"}
_WITHIN = re.compile(r"\\n(?=[^\"'\s,\])}])")  # not the end that a line is printed with
_ON_ONE_LINE = re.compile(r"^\S+ \| \w+!? \| rc=\d+ \| \(std(?:out|err)\) ")  # ansible -o
_LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*+)"')
_DRIVE = re.compile(r"\b[A-Za-z]:\\\w")
# rewritten with carriage returns: progress of dd and of fio
_PROGRESS = re.compile(
    r"\s*(?:[\d.,' ]{1,30}[^\W\d]{1,20} (?:\([^()\n]{1,60}\) )?\S+,? [\d.,]+ |Jobs: \d)"
)

# a text without any of these (as of dd) has no prefixes; a line or two of those without marks stand
# near its beginning; the pattern asks for two lines where one is not sure
_HINTS = ":|>\"']\t`%*$\\\xb6\u2022\u2502\u2503\u2551"
_BEGINNINGS = re.compile(r"\n(?:[ ]?2[ .)]|1[678]\d{7,8}[.,]\d{3}|\+|0\.0|E )")
_NEAR = 10_000  # characters
_HYPHEN = re.compile("-(?<![0-9]e-)")  # not that of 5e-05
_PREFIXED = re.compile(
    r"""\n(?:
        [\[(<]?\d\d(?:\d\d)?[-/:]\d\d[-/:]\d\d                           # a time
      | \S{1,80}/\S{1,80}[ ]\d{4}-\d\d-\d\dT | \d{1,6}\.\d{6}[ ]
      | [A-Z][a-z][a-z][ ](?:[A-Z][a-z][a-z][ ])?[ \d]?\d[ ]\d\d:\d\d
      | [IWEF]\d{4}[ ]\d\d: | \d{9,10}[.,]\d{3} | \[[ ]*\d{1,9}\.\d{3} | <\d{1,3}>
      | time= | \[?(?:TRACE|DEBUG|INFO|NOTICE|WARN|ERROR|FATAL)
      | [^\n\t]{1,80}+\t[^\n\t]{1,80}+\t\d{4}-                             # a job and a step
      | [^\n:]{1,200}+:(?:\d{1,9}:)?\d{1,18}(?:\+\d|[ ]bytes[ ])           # a file
      # a number, a name or a border, and again on the next line; but not before DISKSPD's figures
      | [ \t]*+\d{1,6}+(?P<a>[\t:.),|-]|[ ]++\|?+)(?![ ]*(?:[\d.]+%?|N/A)[ ]*\|)
        [^\n]*\n\n?[ \t]*+\d{1,6}+(?P=a)
      | (?:==>[ ])?[^\s:|<>]{1,200}+(?:[ ]\([\w-]+\))?(?P<b>[:>]|[ ]*+\|)
        (?![ ]*(?:[\d.]+%?|N/A)[ ]*\||[ ]\()[^\n]*\n\n?
        (?:==>[ ])?[^\s:|<>]{1,200}+(?:[ ]\([\w-]+\))?(?P=b)
      | (?P<e>[ ]+[^\s:|<>]{1,200}+:)[ ][^\n]*\n\n?(?P=e)
      | [^\n:][^\n:-]*+(?:-(?!\d{1,9}[:-])[^\n:-]*+)*+[:-]\d{1,9}[:-]      # and a line's number
        [^\n]*\n\n?[^\n:]{1,200}?[:-]\d{1,9}[:-]
      | (?P<c>[\w/-]{1,200}\.[A-Za-z]{1,5}-|[ ]*(?:[-+%*\u2022]|--|E[ ]{2})[ ]|[-+])
        [^\n]*\n\n?(?P=c)[^\n]*\n\n?(?P=c)
      | [^\n]*+(?<=(?P<d>[$\\\xb6]))\n[^\n]*+(?<=(?P=d))\n
      | [ \t]*`[^`\n]*`[ \t]*\n
      | \[[^\]\n]{1,100}\][^\n]*\n\n?\[[^\]\n]{1,100}\]
      | [|\u2502\u2503\u2551][ ][^\n]*\n[|\u2502\u2503\u2551]
      | [ \t]*+(?:[|\u2502\u2503\u2551][^|\u2502\u2503\u2551\n]*+[|\u2502\u2503\u2551]
        | b?"(?:[^"\\\n]|\\.)*+",? | b?'(?:[^'\\\n]|\\.)*+',?)[ \t]*\n
    )""",
    re.X,
)


def line_ends(text: str) -> str:
    r"""Let lines end in ``\n``; carriage returns stay where a program rewrites its line with them.

    Examples
    --------
    >>> line_ends("a\r\nb\r\n"), line_ends("1+0 records in\r1+0 records out\r")
    ('a\nb\n', '1+0 records in\n1+0 records out\n')
    """
    if "\n" in text:
        usual = text.replace("\r\n", "\n")
        if "\r" not in usual:
            return usual
        returns = text.count("\n\r")
        if returns > 2 and returns >= text.count("\n") - 1:
            return text.replace("\n\r", "\n")
        return usual
    parts = [part for part in text.split("\r") if part.strip()]
    rewritten = sum(_PROGRESS.match(part) is not None for part in parts)
    return text if 2 * rewritten > len(parts) else text.replace("\r", "\n")


def repair(text: str, is_report: IsReport | None = None) -> Repaired:
    r"""Undo what pasting did to a text.

    Parameters
    ----------
    text : str
        Lines end in ``\n``.
    is_report : callable, optional
        Says whether a part of a tool's report stands in a text. What might as well be its own
        (prefixes, ``\n`` as two letters) is undone only where that shows such a part.

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
    if SEPARATOR in text:
        text = text.replace(SEPARATOR, "")
    if "\v" in text or "\x85" in text or "\u2028" in text:
        text = re.sub("\r?[\v\x85\u2028]", "\n", text)
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
    repaired = Repaired(text, lines)
    if is_report is None:
        return repaired
    repaired = _objects(repaired, is_report)
    is_hinted = any(hint in text for hint in _HINTS) or _HYPHEN.search(text)
    if (is_hinted or _BEGINNINGS.search(text[:_NEAR])) and _PREFIXED.search(f"\n{text}"):
        repaired = _objects(_without_prefixes(repaired, is_report), is_report)
    return _two_letters(repaired, is_report) if "\\n" in repaired.text else repaired


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


def _instead(tag: re.Match[str]) -> str:
    """Give what a tag stands for: an end of line, what keeps two cells apart, or nothing."""
    if tag["name"].lower() in _BREAKING:
        return "\n"
    return "\t" if tag[0].lower().startswith(("</td", "</th")) else ""


def _tags(text: str) -> tuple[str, list[int] | None]:
    """Drop the tags of HTML; those that break lines do so, unless the line ends there anyway."""
    if not _IS_HTML.search(text):
        return text, None
    kept: list[str] = []
    numbers: list[int] = []
    for number, line in enumerate(text.split("\n"), 1):
        bare = line
        if "<" in line:
            bare = _TAG.sub(_instead, line)
            bare = bare.strip("\n") if "\n" in bare else bare
        parts = bare.split("\n")
        kept.extend(parts)
        numbers.extend([number] * len(parts))
    return "\n".join(kept), None if len(kept) == numbers[-1] else numbers


def _numbered(repaired: Repaired) -> list[tuple[int, str]]:
    """List the lines with the numbers that they had in the file."""
    lines = repaired.text.split("\n")
    return list(zip(repaired.lines or range(1, len(lines) + 1), lines, strict=True))


def _objects(repaired: Repaired, is_report: IsReport) -> Repaired:
    """Put reports in the strings of JSON objects (``ok: [host] => {``) in the place of these."""
    if "{\n" not in repaired.text or "\n}" not in repaired.text:
        return repaired
    lines, at = _numbered(repaired), 0
    ends = [place for place, (_, line) in enumerate(lines) if line.startswith("}")]
    kept: list[tuple[int, str]] = []
    remarks: list[Remark] = []
    while at < len(lines):
        number, line = lines[at]
        found, stop = None, at
        if line.endswith("{") and (place := bisect.bisect(ends, at)) < len(ends):
            stop = ends[place]
            inner = [text for _, text in lines[at + 1 : stop]] if stop - at < _LARGE else []
            found = unwrap("\n".join(["{", *inner, "}"])) if inner else None
        at += 1
        if found is None or not is_report(found.text):
            kept.append((number, line))
            continue
        numbers = [number, *(number for number, _ in lines[at : stop + 1])]
        kept.append((number, line[:-1]))
        told = zip(found.lines or (), found.text.split("\n"), strict=False)
        kept += [(numbers[above - 1], text) for above, text in told]
        remarks += [one._replace(line=numbers[(one.line or 1) - 1]) for one in found.remarks]
        at = stop + 1
    if not remarks and len(kept) == len(lines):
        return repaired
    remarks = [*repaired.remarks, *remarks]
    return Repaired("\n".join(text for _, text in kept), [n for n, _ in kept], remarks)


def _two_letters(repaired: Repaired, is_report: IsReport) -> Repaired:
    """End lines where a program wrote so, in a string literal or between its lines."""

    def ended(text: str) -> str:
        told = _ON_ONE_LINE.sub(r"\g<0>\\n", text)
        return _TWO_LETTERS.sub(lambda found: _MEANT.get(found[0], found[0][1:]), told)

    def literal(found: re.Match[str]) -> str:
        is_text = r"\n" in found[1] and is_report(ended(found[1]))
        return f"\n{ended(found[1])}\n" if is_text else found[0]

    kept: list[tuple[int, str]] = []
    for number, line in _numbered(repaired):
        told = line
        if _WITHIN.search(line) and not _DRIVE.search(line):
            told = _LITERAL.sub(literal, line)
            if told == line and is_report(ended(line)):
                told = ended(line)
        kept += [(number, part) for part in told.split("\n")]
    if len(kept) == repaired.text.count("\n") + 1:
        return repaired
    numbers = [number for number, _ in kept]
    return Repaired("\n".join(text for _, text in kept), numbers, repaired.remarks)


def _without_prefixes(repaired: Repaired, is_report: IsReport) -> Repaired:
    from fiotools.readers import prefixes

    lines = [prefixes.Line(*pair) for pair in _numbered(repaired)]
    kept, remarks = prefixes.without(lines, is_report)
    numbers = [line.number for line in kept]
    if kept == lines:
        return repaired._replace(remarks=[*repaired.remarks, *remarks])
    text = "\n".join(line.text for line in kept)
    return Repaired(text, numbers, [*repaired.remarks, *remarks])


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
        return _unwrapped_lines(text)
    kept: list[str] = []
    numbers: list[int] = []
    remarks: list[Remark] = []
    seen: set[str] = set()
    for key, line, values in _texts(text):
        if key in _COMMANDS:
            command = values[0] if len(values) == 1 else shlex.join(values)
            parts = [f"$ {command}"] if command and "\n" not in command else []
        else:
            told = "\n".join(values)
            if told.strip() in seen:
                remarks.append(Remark(line, f"the text of {key!r} is there already: left out"))
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


def _unwrapped_lines(text: str) -> Repaired | None:
    """Return the strings of a log whose lines are JSON objects, those of each key together."""
    told: dict[str, list[tuple[int, str]]] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            value = orjson.loads(line)
        except orjson.JSONDecodeError:
            return None
        for key, part in value.items() if isinstance(value, dict) else ():
            if isinstance(part, str):
                ended = part.replace("\r\n", "\n").removesuffix("\n")
                told.setdefault(key, []).extend((number, one) for one in ended.split("\n"))
    lines = [line for texts in told.values() for line in (*texts, (texts[-1][0], SEPARATOR))]
    if not lines:
        return None
    return Repaired("\n".join(line for _, line in lines) + "\n", [number for number, _ in lines])


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
