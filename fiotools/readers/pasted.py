"""The damage of copying, mailing, publishing and recording to a tool's output, undone.

Terminals add colours and titles, mailers quote and escape, blogs add tags and entities, PowerShell
5 wraps standard error, programs keep output in the strings of a JSON document. Each kind of damage
is repaired only if the text shows a mark of it, so a clean text is returned as it is after a few
searches. Lines keep their numbers if possible; otherwise each line of the result has the number of
the line it came from.

Prefixes are taken off last: syslog, journald, containers and CI put a time before a line, pdsh and
srun a host or a task, grep a file and a number, tables borders. They are taken off only if all
neighbouring lines have them and a tool's report shows behind them, so that tables and settings that
look alike stay. Lines that several hosts or containers wrote at once are sorted by source, in order
of appearance. A new kind of prefix is a row of `_KINDS`.
"""

from __future__ import annotations

import bisect
import html
import re
import shlex
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import groupby
from typing import NamedTuple

import orjson

# separates texts of different places; the host and the program may follow, each behind one
SEPARATOR = "\f"


class Remark(NamedTuple):
    """A repair of a text, and its line: for the notes."""

    line: int | None
    message: str
    severity: str = "warning"


IsReport = Callable[[str], bool]  # whether a part of a tool's report stands in a text


class Line(NamedTuple):
    """A line, and the number that it had in the file."""

    number: int
    text: str


class Repaired(NamedTuple):
    """A text without the damage."""

    text: str
    # the original number of each line; None if they are equal
    lines: list[int] | None = None
    remarks: Sequence[Remark] = ()  # the parts that were left out or taken off

    @classmethod
    def of(cls, lines: Sequence[Line], remarks: Sequence[Remark], end: str = "") -> Repaired:
        """Join lines to a text."""
        text = "\n".join(line.text for line in lines)
        return cls(text + end, [line.number for line in lines], remarks)


# titles and links, colours and cursor movements, character sets, all other two-letter sequences
_ESCAPE = re.compile(
    r"\x1b\][^\x07\x1b\n]{0,1000}(?:\x07|\x1b\\)?|(?:\x1b\[|\x9b)[0-?]{0,64}[ -/]{0,4}[@-~]"
    r"|\x1b[()#%][ -~]|\x1b[0-Zac-~=>]"
)
# spaces, what is invisible, ligatures, and what word processors make of two signs
_AS_TYPED = str.maketrans(
    {
        **dict.fromkeys("\xa0\u2002\u2003\u2007\u2009\u202f\u3000", " "),
        **dict.fromkeys("\u200b\u2060\ufeff\xad"),
        # marks of direction, which terminals and chats put around numbers
        **dict.fromkeys("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"),
        "\ufb00": "ff",
        "\ufb01": "fi",
        "\ufb02": "fl",
        "\ufb03": "ffi",
        "\u2264": "<=",
        "\u2265": ">=",
    }
)
# word processors replace a hyphen or a minus before a number, and in "%-ile"
_DASH = re.compile(r"[\u2010-\u2013\u2212](?=[\d.]|ile)")
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
_FOLDED = re.compile(r"^(?:[^\n]{0,76}=\n)+[^\n]*", re.M)
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

# ends of lines that a program escaped; a Windows path may look alike
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

_BARS = "|\u2502\u2503\u2551"
# a text without any of these (such as dd's) has no prefixes; a line or two of those without marks
# stand near its beginning
_HINTS = f":>\"']\t`%*$\\\xb6\u2022{_BARS}"
_BEGINNINGS = re.compile(r"\n(?:[ ]?2[ .)]|1[678]\d{7,8}[.,]\d{3}|\+|0\.0|E )")
_NEAR = 10_000  # characters
_HYPHEN = re.compile("-(?<![0-9]e-)")  # not that of 5e-05


def line_ends(text: str) -> str:
    r"""Let lines end in ``\n``; carriage returns with which a program rewrites its line stay."""
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
    r"""Undo the damage of pasting in a text whose lines end in ``\n``.

    Prefixes and ``\n`` as two letters may be the text's own; they are undone only if that shows a
    part of a report.
    """
    numbers = None
    if "\x1b" in text or "\x9b" in text:
        text = _ESCAPE.sub("", text)
    if "\b" in text:
        text = _backspaces(text)
    text = text.replace(SEPARATOR, "")
    if "\v" in text or "\x85" in text or "\u2028" in text:
        text = re.sub("\r?[\v\x85\u2028]", "\n", text)
    text = text.replace("\r\n", "\n")  # script(1) writes \r\r\n
    if "=3D" in text and _IS_QUOTED_PRINTABLE.search(text):
        text = _quoted_printable(text)
    if "<" in text and _IS_HTML.search(text):
        text, numbers = _tags(text)
    if "&" in text:
        text = _ENTITIES.sub(lambda found: html.unescape(found[0]), text)
    if not text.isascii():
        text = _DASH.sub("-", text.translate(_AS_TYPED))
        text = _DIGIT.sub(lambda found: str(unicodedata.decimal(found[0])), text)
    if text.startswith(">") or "\n>" in text:
        text = _MAIL.sub(_without_marks, text)
    if "NativeCommandError" in text:
        text = _POWERSHELL.sub("", text)
    is_hinted = any(hint in text for hint in _HINTS) or _HYPHEN.search(text)
    is_hinted = is_hinted or _BEGINNINGS.search(text[:_NEAR])
    signs = "".join([sign for sign in _SIGNS if sign in text])
    is_prefixed = is_hinted and _any_prefix(signs).search(f"\n{text}")
    has_objects = "{\n" in text and "\n}" in text
    if is_report is None or not (is_prefixed or has_objects or "\\n" in text):
        return Repaired(text, numbers)
    places = numbers or range(1, text.count("\n") + 2)
    lines = [Line(*pair) for pair in zip(places, text.split("\n"), strict=True)]
    lines, remarks = _objects(lines, is_report)
    if is_prefixed:
        lines, taken_off = without(lines, is_report)
        lines, others = _objects(lines, is_report)
        remarks += taken_off + others
    return Repaired.of(_two_letters(lines, is_report), remarks)


def _backspaces(text: str) -> str:
    kept: list[str] = []
    for character in text:
        if character != "\b":
            kept.append(character)
        elif kept and kept[-1] not in "\r\n":
            kept.pop()
    return "".join(kept)


def _quoted_printable(text: str) -> str:
    """Join the lines that a mailer folded (blank lines keep the count), and decode them."""
    unfolded = _FOLDED.sub(
        lambda found: found[0].replace("=\n", "") + "\n" * found[0].count("=\n"), text
    )
    return _QUOTED.sub(
        lambda found: bytes.fromhex(found[0].replace("=", "")).decode("utf-8", "replace"),
        unfolded.removesuffix("="),
    )


def _tags(text: str) -> tuple[str, list[int] | None]:
    """Drop the tags of HTML; those that break lines do so, unless the line ends there anyway."""

    def instead(tag: re.Match[str]) -> str:
        if tag["name"].lower() in _BREAKING:
            return "\n"
        return "\t" if tag[0].lower().startswith(("</td", "</th")) else ""

    kept: list[str] = []
    numbers: list[int] = []
    for number, line in enumerate(text.split("\n"), 1):
        parts = _TAG.sub(instead, line).strip("\n").split("\n")
        kept.extend(parts)
        numbers.extend([number] * len(parts))
    return "\n".join(kept), None if len(kept) == numbers[-1] else numbers


def _objects(lines: list[Line], is_report: IsReport) -> tuple[list[Line], list[Remark]]:
    """Replace JSON objects (``ok: [host] => {``) by the reports in their strings."""
    ends = [place for place, line in enumerate(lines) if line.text.startswith("}")]
    kept: list[Line] = []
    remarks: list[Remark] = []
    at = 0
    while at < len(lines):
        line, found = lines[at], None
        if line.text.endswith("{") and (place := bisect.bisect(ends, at)) < len(ends):
            inside = lines[at : min(ends[place], at + _LARGE) + 1]
            inner = [one.text for one in inside[1:-1]] if len(inside) <= _LARGE else []
            found = unwrap("\n".join(["{", *inner, "}"]), is_report) if inner else None
        if found is None or not is_report(found.text):
            kept.append(line)
            at += 1
            continue
        told, said = _placed(found, inside)
        kept += [Line(line.number, line.text[:-1]), *told]
        remarks += said
        at += len(inside)
    return kept, remarks


def _placed(found: Repaired, within: Sequence[Line]) -> tuple[list[Line], list[Remark]]:
    """Return the lines of a text, and the remarks on it, with the numbers of those around it."""

    def number(line: int | None) -> int:
        return within[min(line or 1, len(within)) - 1].number

    texts = found.text.split("\n")
    numbers = found.lines or range(1, len(texts) + 1)
    lines = [Line(number(at), text) for at, text in zip(numbers, texts, strict=False)]
    return lines, [remark._replace(line=number(remark.line)) for remark in found.remarks]


def _two_letters(lines: list[Line], is_report: IsReport) -> list[Line]:
    r"""End lines at a written ``\n``, in a string literal or between lines."""

    def ended(text: str) -> str:
        told = _ON_ONE_LINE.sub(r"\g<0>\\n", text)
        return _TWO_LETTERS.sub(lambda found: _MEANT.get(found[0], found[0][1:]), told)

    def literal(found: re.Match[str]) -> str:
        is_text = r"\n" in found[1] and is_report(ended(found[1]))
        return f"\n{ended(found[1])}\n" if is_text else found[0]

    kept: list[Line] = []
    for number, text in lines:
        told = text
        if _WITHIN.search(text) and not _DRIVE.search(text):
            told = _LITERAL.sub(literal, text)
            if told == text and is_report(ended(text)):
                told = ended(text)
        kept += [Line(number, part) for part in told.split("\n")]
    return kept


def _without_marks(found: re.Match[str]) -> str:
    """Drop a mailer's quotation marks, but not a shell's prompt for more lines of a command."""
    above = found.string[max(0, found.start() - 500) : found.start()]
    if _PROMPT_ABOVE.search(above) or above.endswith("\\\n"):
        return found[0]
    return _MARKS.sub("", found[0])


def unwrap(text: str, is_report: IsReport | None = None) -> Repaired | None:
    """Return the texts in the strings of a JSON document, repaired, one below the other.

    The items of a list are lines of one text. A text that repeats another (``stderr_lines`` of
    Ansible) is left out with a remark. A command beside it stands above it, after a prompt. None if
    the text is not JSON, or has no string in it.
    """
    try:
        orjson.loads(text)
    except orjson.JSONDecodeError:
        told = _logged(text)
    else:
        told = _texts(text)
    lines: list[Line] = []
    remarks: list[Remark] = []
    seen: set[str] = set()
    for key, own in told:
        at, values = own[0].number, [line.text for line in own]
        whole = "\n".join(values)
        if key in _COMMANDS:
            command = values[0] if len(values) == 1 else shlex.join(values)
            if command and "\n" not in command:
                lines.append(Line(at, f"$ {command}"))
            continue
        if key and whole.strip() in seen:
            remarks.append(Remark(at, f"the text of {key!r} is repeated: left out"))
            continue
        if "\n" in whole:
            seen.add(whole.strip())
        # a \r\n is an end of line here as well, and so are \r and \n of their own
        found = repair(whole.replace("\r\n", "\n").rstrip("\n"), is_report)
        placed, said = _placed(found, own)
        lines += [*placed, Line(own[-1].number, SEPARATOR)]
        remarks += said
    return Repaired.of(lines, remarks, end="\n") if lines else None


def _logged(text: str) -> list[tuple[str, list[Line]]]:
    """List the strings of a log of JSON lines, those of one key together; their key is empty."""
    told: dict[str, list[Line]] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            value = orjson.loads(line)
        except orjson.JSONDecodeError:
            return []
        for key, part in value.items() if isinstance(value, dict) else ():
            if isinstance(part, str):
                ended = part.replace("\r\n", "\n").removesuffix("\n")
                told.setdefault(key, []).extend(Line(number, one) for one in ended.split("\n"))
    return [("", lines) for lines in told.values()]


def _texts(text: str) -> list[tuple[str, list[Line]]]:
    """List the strings of a document with their keys; neighbours in a list together."""
    found: list[tuple[str, list[Line]]] = []
    key, line, at, end = "", 1, 0, -1
    for literal in _STRING.finditer(text):
        line += text.count("\n", at, literal.start())
        at = literal.start()
        if literal["colon"]:
            key, end = str(orjson.loads(literal[0][: -len(literal["colon"])])), -1
            continue
        value = str(orjson.loads(literal[0]))
        if end >= 0 and not text[end:at].strip(", \t\r\n"):
            found[-1][1].append(Line(found[-1][1][0].number, value))
        elif value:
            found.append((key, [Line(line, value)]))
        else:
            continue
        end = literal.end()
    return found


_ISO = (
    r"\d{4}[-/]\d\d[-/]\d\d[T ,]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?"
)
_DATE = (
    r"(?:[A-Z][a-z]{2} )?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]?\d"
    r" \d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?: \d{4})?"
)
_TIME = (
    rf"(?=[\[(\dA-Z])[\[(]?(?:{_ISO}|{_DATE}|\d\d:\d\d:\d\d(?:[.,]\d{{1,9}})?"
    r"|\d{9,10}[.,]\d{3,9}|\d{1,6}\.\d{6})[\])]?:?"
)
_LEVEL = (
    r"\[?(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL|stdout F|stderr F|\d\d[EO]\+?)\]?:?"
)
# words of a tool or of a report are not names
_OWN = r"(?!(?:dd|fio|Jobs|diskspd|time|real|user|sys|https?)(?:\.exe)?[:|])"
_NAME = rf"{_OWN}(?P<source>[\w.@-]{{1,60}}+)"
# a time is not a name; one with blanks in it is one only before the number of a line
_PATH = (
    rf"""{_OWN}(?!\[?\d\d:\d\d|\d:\d\d[.,]\d)(?P<source>(?:[A-Za-z]:)?(?:[^\s:"'<>|{{}}()]{{1,200}}?(?=[:-])"""
    rf"""|[^:\n"'<>|{{}}()]{{1,200}}+(?=:\d{{1,9}}:)))"""
)
_NUMBER = r"[ \t]*(?P<number>\d{1,6})"
_BORDER = f"[{_BARS}]"
_SIGNS = f":-{_BARS}"  # of the kinds that are costly to search for
_END = r"(?:[ \t]|$)"
_DEEPEST = 4  # kinds, one behind the other
_ESCAPED = re.compile(r"\\(?:n$|[t\"'\\])")
_IN_QUOTES = {r"\t": "\t", r"\n": ""}


class _Kind(NamedTuple):
    """One kind of prefix: its name, and the patterns before and behind a line's text."""

    name: str
    before: str
    behind: str = ""
    text: str = r"[^\n]*"
    signs: str = ""  # one of these stands in each; if none is given, it is always searched for
    least: int = 2  # lines
    is_sure: bool = False  # nothing else looks like it; if not, names or numbers must prove it


@cache
def _line(kind: _Kind) -> re.Pattern[str]:
    return re.compile(rf"{kind.before}(?P<text>{kind.text}){kind.behind}")


@cache
def _any_prefix(signs: str) -> re.Pattern[str]:
    """Return the pattern of a line with a prefix; of two lines where one proves nothing.

    Kinds without any of these signs are left out.
    """

    def lines(kinds: Iterable[_Kind]) -> str:
        every = "|".join(f"{kind.before}{kind.text}{kind.behind}" for kind in kinds)
        return "\n(?:{})".format(re.sub(r"\?P<\w+>", "?:", every))

    likely = [kind for kind in _KINDS if not kind.signs or {*kind.signs}.intersection(signs)]
    single = [kind for kind in likely if kind.is_sure or kind.least == 1]
    other = lines(kind for kind in likely if kind not in single)
    return re.compile(rf"{lines(single)}$|{other}\n{{0,2}}{other}$", re.M)


# the kind that fits most lines is taken; of equals the first
_KINDS = (
    _Kind(
        "a header of syslog",
        rf"(?:<\d{{1,3}}>)?{_TIME} (?P<host>[\w.-]{{1,80}}) "
        rf"(?P<source>[^\s:\[]{{1,80}}(?:\[\d{{1,9}}\])?):{_END}",
        signs=":",
        is_sure=True,
    ),
    _Kind(
        "a header of syslog",
        rf"<\d{{1,3}}>\d {_ISO} (?P<host>\S{{1,80}}) (?P<source>\S{{1,80}} \S{{1,80}}) \S{{1,80}} "
        rf"(?:-|\[[^\]\n]{{1,400}}\]){_END}",
        is_sure=True,
    ),
    _Kind(
        "a time and a level",
        rf"{_TIME} (?:- [\w.]{{1,60}} - )?{_LEVEL}(?: -)?{_END}",
        is_sure=True,
    ),
    _Kind("a time", rf"{_TIME}{_END}", is_sure=True),
    _Kind(
        "a header of klog",
        rf"[IWEF]\d{{4}} \d\d:\d\d:\d\d\.\d{{6}} +\d{{1,9}} \S{{1,80}}:\d{{1,6}}\]{_END}",
        is_sure=True,
    ),
    _Kind("a time of the kernel", rf"\[ *\d{{1,9}}\.\d{{3,9}}\]{_END}", is_sure=True),
    _Kind(
        "a job and a step",
        rf"(?P<source>[^\t\n]{{1,80}}+\t[^\t\n]{{1,80}}+)\t(?={_ISO})",
        signs=":",
        is_sure=True,
    ),
    _Kind(
        "a stream and a time",
        rf"(?P<source>\S{{1,80}}/\S{{1,80}}) {_ISO}{_END}",
        signs=":",
        is_sure=True,
    ),
    _Kind("a time and a level", r"time=\S{1,60} level=\w{1,10} msg=", is_sure=True),
    _Kind("a level", rf"{_LEVEL}(?:(?<=:)[\w.]{{1,60}}:|{_END})", is_sure=True),
    _Kind("a line's number", rf"{_NUMBER}\t", least=3),
    _Kind("a line's number", rf"{_NUMBER} *{_BORDER} ?", signs=_BARS, least=3),
    _Kind("a line's number", rf"{_NUMBER}[:.)](?: |$)", least=3),
    _Kind("a line's number", rf"{_NUMBER}[:,]", least=3),
    _Kind("a line's number", rf"{_NUMBER}(?: |$)", least=3),
    _Kind(
        "a name in brackets",
        rf"\[(?P<source>[\w./@:,-]{{1,100}})\](?:<std(?:out|err)>: ?|{_END})",
    ),
    _Kind("a name and a bar", rf"[ \t]*{_NAME} *\|(?: |$)", signs="|"),
    _Kind(
        "a name and a colon", rf" *(?:==> )?{_NAME}(?: \([\w-]{{1,40}}\))?:(?: (?!\()|$)", signs=":"
    ),
    _Kind(
        "a file's name",
        rf"{_PATH}(?::(?:\d{{1,9}}:)?|-\d{{1,9}}-)(?![\\/~]| \()",
        signs=":-",
        least=1,
    ),
    _Kind("a file's name", r"(?P<mark>[\w/-]{1,200}\.[A-Za-z]{1,5}-)(?![\\/~])", least=3),
    _Kind("a line's number", rf"{_NUMBER}-", least=3),
    _Kind("a mark", r"(?P<mark> *(?:[-+%*\u2022]|--|E {2})) ", least=3),
    _Kind("a mark", r"(?P<mark>[-+])", least=3),
    # the end of a line is looked at first: most have no mark there
    _Kind("a mark", r"(?=[^\n]*+(?<=[$\\\xb6]))", r"(?P<mark>[$\\\xb6])", least=3),
    _Kind("the name of who is quoted", r"(?P<source>\w{1,20})> ?", least=3),
    _Kind(
        "a border",
        rf"[ \t]*{_BORDER} ?",
        rf"[ \t]*{_BORDER}[ \t]*",
        rf"[^{_BARS}\n]*(?P<column>{_BORDER}[^\n]*?)?",
        signs=_BARS,
    ),
    _Kind("a border", rf"{_BORDER}(?: |$)(?![^\n]*{_BORDER}[ \t]*$)", signs=_BARS, least=3),
    _Kind("quotation marks", "[ \t]*`", "`[ \t]*", r"[^`\n]*"),
    _Kind("quotation marks", r'[ \t]*b?"', r'"[ \t]*,?[ \t]*', r'(?:[^"\\\n]|\\[^\n])*+'),
    _Kind("quotation marks", r"[ \t]*b?'", r"'[ \t]*,?[ \t]*", r"(?:[^'\\\n]|\\[^\n])*+"),
)


class _Block(NamedTuple):
    """Lines that have the same kind of prefix, by place; only blank lines stand between them."""

    kind: _Kind
    matches: dict[int, re.Match[str]]

    @property
    def places(self) -> range:
        """Where it stands, blank lines included."""
        return range(next(iter(self.matches)), next(reversed(self.matches)) + 1)


def without(lines: Sequence[Line], is_report: IsReport) -> tuple[list[Line], list[Remark]]:
    """Take prefixes off the lines that all have them; say which were taken off, and which left.

    Lines of several sources are sorted by source, with `SEPARATOR` between.
    """
    return _bare(lines, is_report, 0)[:2]


def _bare(
    lines: Sequence[Line], is_report: IsReport, depth: int
) -> tuple[list[Line], list[Remark], list[str]]:
    told = [line.text for line in lines if line.text.strip()]
    if depth and told and told[0].endswith("{") and told[-1].startswith("}"):
        return list(lines), [], []  # the quotation marks are those of a JSON document
    kept: list[Line] = []
    remarks: list[Remark] = []
    names: list[str] = []
    at = 0
    for block in _blocks(lines, is_report) if depth < _DEEPEST else ():
        start, stop = block.places.start, block.places.stop
        sources = _sources(block, lines)
        bare, deeper = [], []
        for (host, source), own in sources.items():
            inner, _, more = _bare(own, is_report, depth + 1)
            if host or source:
                bare.append(Line(own[0].number, f"{SEPARATOR}{host}{SEPARATOR}{source}"))
            bare += inner
            deeper += [name for name in more if name not in deeper]
        if not is_report("\n".join(line.text for line in bare)):
            continue
        if bare[0].text.startswith(SEPARATOR):
            bare.append(Line(lines[stop - 1].number, SEPARATOR))
        remarks += _remaining(lines[at:start], is_report)
        kept += lines[at:start]
        kept += bare
        at = stop
        names = [block.kind.name, *deeper]
        remarks.append(_taken_off(block, lines[start], names, sources))
    remarks += _remaining(lines[at:], is_report)
    kept += lines[at:]
    return kept, remarks, names


def _sources(block: _Block, lines: Sequence[Line]) -> dict[tuple[str, str], list[Line]]:
    """Sort the lines of a block by their source, without prefixes."""
    found: dict[tuple[str, str], list[Line]] = {}
    own: list[Line] = []
    for place in block.places:
        line, text = lines[place], ""
        if match := block.matches.get(place):
            part = match.groupdict("")
            own = found.setdefault((part.get("host", ""), part.get("source", "")), [])
            # a program rewrites its line with carriage returns, and some put the prefix there too
            before = line.text[: match.start("text")]
            text = part["text"].replace(f"\r{before}", "\r")
            if block.kind.behind and "\\" in text:
                text = _ESCAPED.sub(lambda mark: _IN_QUOTES.get(mark[0], mark[0][1:]), text)
        own.append(Line(line.number, text))
    return found


def _taken_off(
    block: _Block, first: Line, names: list[str], sources: dict[tuple[str, str], list[Line]]
) -> Remark:
    places = block.places
    sample = first.text[: block.matches[places.start].start("text")][:60]
    where = "around" if block.kind.behind else "before"
    lines = f"{len(places)} line{'s'[: len(places) > 1]}"
    message = f"{', '.join(names)} {where} {lines} ({sample!r}) taken off"
    if len(sources) > 1:
        told = [" ".join(part for part in source if part) for source in sources]
        more = [f"{len(told) - 5} more"] if len(told) > 6 else told[5:]
        *some, last = told[:5] + more
        message += f"; the lines of {', '.join(some)} and {last} put apart"
    return Remark(first.number, message, "info")


def _remaining(lines: Sequence[Line], is_report: IsReport) -> list[Remark]:
    """Return a remark on a line of a report with a prefix that its neighbours lack."""
    for line in lines:
        for kind in _KINDS:
            if kind.is_sure and (match := _line(kind).fullmatch(line.text)):
                if not is_report(match["text"]):
                    break
                message = (
                    f"{kind.name} before this line, not before its neighbours, was left; give all"
                    " lines of a report the same beginning, or none"
                )
                return [Remark(line.number, message)]
    return []


def _blocks(lines: Sequence[Line], is_report: IsReport) -> list[_Block]:
    """Find blocks of any kind that do not overlap; the longer ones first."""
    found = [
        part
        for kind in _KINDS
        for block in _runs(kind, lines)
        for part in _proven(block, is_report)
    ]
    found.sort(key=lambda block: -len(block.places))
    taken: set[int] = set()
    kept = []
    for block in found:
        if taken.isdisjoint(block.places):
            taken.update(block.places)
            kept.append(block)
    return sorted(kept, key=lambda block: block.places.start)


def _runs(kind: _Kind, lines: Sequence[Line]) -> Iterator[_Block]:
    """Find lines that stand together and have one kind of prefix, in growing order if numbered."""
    pattern = _line(kind)
    block = _Block(kind, {})
    for place, line in enumerate(lines):
        match = pattern.fullmatch(line.text)
        if match is None and not line.text.strip(" \t"):
            continue
        if block.matches and not (match and _goes_on(block, match)):
            yield block
            block = _Block(kind, {})
        if match:
            block.matches[place] = match
    if block.matches:
        yield block


def _goes_on(block: _Block, match: re.Match[str]) -> bool:
    """Whether the number of a line follows that of the line above it, or the mark is the same."""
    above = block.matches[block.places[-1]]
    if "mark" in match.re.groupindex:
        return match["mark"] == above["mark"]
    if "number" not in match.re.groupindex:
        return True
    step = int(match["number"]) - int(above["number"])
    return step == 1 or (step > 1 and ":" in match[0][: match.start("text")])  # of grep


def _proven(block: _Block, is_report: IsReport) -> Iterator[_Block]:
    """Yield the certain parts of a block: their names repeat, or stand before a report."""
    kind, matches = block
    groups = _line(kind).groupindex
    if "column" in groups:  # a table has them on all lines, a frame has not
        columns = [match["column"] for match in matches.values()]
        if 2 * columns.count(None) < len(columns):
            return
    if kind.is_sure or "source" not in groups:
        if len(matches) >= kind.least:
            yield block
        return
    count = Counter(match["source"] for match in matches.values())

    def is_known(one: tuple[int, re.Match[str]]) -> bool:
        source, text = one[1].group("source", "text")
        # what grep shows of one line touches it
        return count[source] > 1 or (not text.startswith(" ") and is_report(text))

    for known, part in groupby(matches.items(), is_known):
        own = dict(part)
        if known and len(own) >= kind.least:
            yield _Block(kind, own)
