r"""What logs, cluster shells, pagers and tables put around each line of an output, taken off.

syslog, journald, containers and CI put a time before a line, pdsh and srun a host or a task, grep a
file and a number, tables borders. It is taken off where all lines that stand together have it, and
a tool's report shows behind it; so tables and settings of the same look stay. What several hosts or
containers wrote at the same time is sorted by them, in the order in which they appear. A new kind
is a row of `_KINDS`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from fiotools.readers.repaired import SEPARATOR, IsReport, Remark

_ISO = (
    r"\d{4}[-/]\d\d[-/]\d\d[T ,]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?"
)
_DATE = (
    r"(?:[A-Z][a-z]{2} )?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]?\d"
    r" \d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?: \d{4})?"
)
_TIME = (
    rf"[\[(]?(?:{_ISO}|{_DATE}|\d\d:\d\d:\d\d(?:[.,]\d{{1,9}})?"
    r"|\d{9,10}[.,]\d{3,9}|\d{1,6}\.\d{6})[\])]?:?"
)
_LEVEL = (
    r"\[?(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL|stdout F|stderr F|\d\d[EO]\+?)\]?:?"
)
# what a tool says of itself, and the words of a report, are no names
_OWN = r"(?!(?:dd|fio|Jobs|diskspd|time|real|user|sys|https?)(?:\.exe)?[:|])"
_NAME = rf"{_OWN}(?P<source>[\w.@-]{{1,60}})"
# a name with blanks in it is one only before the number of a line
_PATH = (
    rf"""{_OWN}(?!\[?\d\d:\d\d)(?P<source>(?:[A-Za-z]:)?(?:[^\s:"'<>|{{}}()]{{1,200}}?(?=[:-])"""
    rf"""|[^:\n"'<>|{{}}()]{{1,200}}?(?=:\d{{1,9}}:)))"""
)
_NUMBER = r"[ \t]*(?P<number>\d{1,6})"
_BORDER = r"[|\u2502\u2503\u2551]"
_END = r"(?:[ \t]|$)"
_DEEPEST = 4  # kinds, one behind the other
_ESCAPED = re.compile(r"\\(?:n$|[t\"'\\])")
_MEANT = {r"\t": "\t", r"\n": ""}


class _Kind:
    """One kind of prefix: its name, and what stands before and behind a line's text.

    ``is_sure`` says that nothing else looks so; else its names or numbers have to prove it.
    """

    def __init__(
        self,
        name: str,
        before: str,
        behind: str = "",
        text: str = r"[^\n]*",
        *,
        least: int = 2,
        is_sure: bool = False,
    ) -> None:
        self.name, self.behind, self.least, self.is_sure = name, behind, least, is_sure
        self.line = re.compile(rf"{before}(?P<text>{text}){behind}")


# the kind that fits more lines is taken, and among equals the first
_KINDS = (
    _Kind(
        "a header of syslog",
        rf"(?:<\d{{1,3}}>)?{_TIME} (?P<host>[\w.-]{{1,80}}) "
        rf"(?P<source>[^\s:\[]{{1,80}}(?:\[\d{{1,9}}\])?):{_END}",
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
        rf"(?P<source>[^\t\n]{{1,80}}\t[^\t\n]{{1,80}})\t(?={_ISO})",
        is_sure=True,
    ),
    _Kind("a stream and a time", rf"(?P<source>\S{{1,80}}/\S{{1,80}}) {_ISO}{_END}", is_sure=True),
    _Kind("a time and a level", r"time=\S{1,60} level=\w{1,10} msg=", is_sure=True),
    _Kind("a level", rf"{_LEVEL}(?:(?<=:)[\w.]{{1,60}}:|{_END})", is_sure=True),
    _Kind("a line's number", rf"{_NUMBER}\t", least=3),
    _Kind("a line's number", rf"{_NUMBER} *{_BORDER} ?", least=3),
    _Kind("a line's number", rf"{_NUMBER}[:.)](?: |$)", least=3),
    _Kind("a line's number", rf"{_NUMBER}[:,]", least=3),
    _Kind("a line's number", rf"{_NUMBER}(?: |$)", least=3),
    _Kind(
        "a name in brackets",
        rf"\[(?P<source>[\w./@:,-]{{1,100}})\](?:<std(?:out|err)>: ?|{_END})",
    ),
    _Kind("a name and a bar", rf"[ \t]*{_NAME} *\|(?: |$)"),
    _Kind("a name and a colon", rf" *(?:==> )?{_NAME}(?: \([\w-]{{1,40}}\))?:(?: (?!\()|$)"),
    _Kind("a file's name", rf"{_PATH}(?::(?:\d{{1,9}}:)?|-\d{{1,9}}-)(?![\\/~]| \()", least=1),
    _Kind("a file's name", r"(?P<mark>[\w/-]{1,200}\.[A-Za-z]{1,5}-)(?![\\/~])", least=3),
    _Kind("a line's number", rf"{_NUMBER}-", least=3),
    _Kind("a mark", r"(?P<mark> *(?:[-+%*\u2022]|--|E {2})) ", least=3),
    _Kind("a mark", r"(?P<mark>[-+])", least=3),
    _Kind("a mark", "", r"(?P<mark> ?[$\\\xb6])", least=3),
    _Kind("the name of who is quoted", r"(?P<source>\w{1,20})> ?", least=3),
    _Kind(
        "a border",
        rf"[ \t]*{_BORDER} ?",
        rf"[ \t]*{_BORDER}[ \t]*",
        r"[^|\u2502\u2503\u2551\n]*(?P<column>[|\u2502\u2503\u2551][^\n]*?)?",
    ),
    _Kind("a border", rf"{_BORDER}(?: |$)(?![^\n]*{_BORDER}[ \t]*$)", least=3),
    _Kind("quotation marks", "[ \t]*`", "`[ \t]*", r"[^`\n]*"),
    _Kind("quotation marks", r'[ \t]*b?"', r'"[ \t]*,?[ \t]*', r'(?:[^"\\\n]|\\[^\n])*+'),
    _Kind("quotation marks", r"[ \t]*b?'", r"'[ \t]*,?[ \t]*", r"(?:[^'\\\n]|\\[^\n])*+"),
)


class Line(NamedTuple):
    """A line, and the number that it had in the file."""

    number: int
    text: str


class _Block(NamedTuple):
    """Lines that stand together and have the same kind of prefix; blank ones have no match."""

    kind: _Kind
    start: int
    matches: list[re.Match[str] | None]


def without(lines: Sequence[Line], is_report: IsReport) -> tuple[list[Line], list[Remark]]:
    r"""Take prefixes off the lines that all have them.

    Parameters
    ----------
    lines : sequence of Line
    is_report : callable
        Says whether a part of a tool's report stands in a text.

    Returns
    -------
    lines : list of Line
        What several sources wrote is sorted by them, with `SEPARATOR` between.
    remarks : list of Remark
        What was taken off, and what was left.

    Examples
    --------
    >>> text = ["n1: 1+0 records in", "n2: 2+0 records in", "n1: 1+0 records out", "n2: 2+0 ..."]
    >>> found, remarks = without([Line(*pair) for pair in enumerate(text, 1)], lambda _: True)
    >>> [line.text for line in found][:4]
    ['\x0c\x0cn1', '1+0 records in', '1+0 records out', '\x0c\x0cn2']
    >>> remarks[0].message
    "a name and a colon before 4 lines ('n1: ') taken off; the lines of n1 and n2 put apart"
    """
    found, remarks, _ = _bare(lines, is_report, 0)
    return found, remarks


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
        stop = block.start + len(block.matches)
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
        remarks += _left(lines[at : block.start], is_report)
        kept += lines[at : block.start]
        kept += bare
        at = stop
        names = [block.kind.name, *deeper]
        remarks.append(_taken(block, lines[block.start], names, sources))
    remarks += _left(lines[at:], is_report)
    kept += lines[at:]
    return kept, remarks, names


def _sources(block: _Block, lines: Sequence[Line]) -> dict[tuple[str, str], list[Line]]:
    """Sort the lines of a block by who wrote them, without what stands around their text."""
    found: dict[tuple[str, str], list[Line]] = {}
    own: list[Line] = []
    for line, match in zip(lines[block.start :], block.matches, strict=False):
        text = ""
        if match:
            part = match.groupdict("")
            own = found.setdefault((part.get("host", ""), part.get("source", "")), [])
            # a program rewrites its line with carriage returns, and some put the prefix there too
            before = line.text[: match.start("text")]
            text = part["text"].replace(f"\r{before}", "\r")
            if block.kind.behind and "\\" in text:
                text = _ESCAPED.sub(lambda mark: _MEANT.get(mark[0], mark[0][1:]), text)
        own.append(Line(line.number, text))
    return found


def _taken(
    block: _Block, first: Line, names: list[str], sources: dict[tuple[str, str], list[Line]]
) -> Remark:
    match = block.matches[0]
    assert match is not None  # a block begins with a line that matches
    sample = first.text[: match.start("text")][:60]
    where = "around" if block.kind.behind else "before"
    lines = f"{len(block.matches)} line{'s'[: len(block.matches) > 1]}"
    message = f"{', '.join(names)} {where} {lines} ({sample!r}) taken off"
    if len(sources) > 1:
        told = [" ".join(part for part in source if part) for source in sources]
        more = [f"{len(told) - 5} more"] if len(told) > 6 else told[5:]
        *some, last = told[:5] + more
        message += f"; the lines of {', '.join(some)} and {last} put apart"
    return Remark(first.number, message, "info")


def _left(lines: Sequence[Line], is_report: IsReport) -> list[Remark]:
    """Say which lines of a report have a prefix that their neighbours have not."""
    for line in lines:
        for kind in _KINDS:
            if kind.is_sure and (match := kind.line.fullmatch(line.text)):
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
    found: list[_Block] = []
    for kind in _KINDS:
        for block in _runs(kind, lines):
            found += _proven(block, is_report)
    found.sort(key=lambda block: -len(block.matches))
    is_taken = bytearray(len(lines))
    kept = []
    for block in found:
        place = slice(block.start, block.start + len(block.matches))
        if not any(is_taken[place]):
            is_taken[place] = b"\1" * len(block.matches)
            kept.append(block)
    return sorted(kept, key=lambda block: block.start)


def _runs(kind: _Kind, lines: Sequence[Line]) -> Iterator[_Block]:
    """Find lines that stand together and have one kind of prefix, in growing order if numbered."""
    block = _Block(kind, 0, [])
    for place, line in enumerate(lines):
        match = kind.line.fullmatch(line.text)
        if match is None and block.matches and not line.text.strip(" \t"):
            block.matches.append(None)
            continue
        if block.matches and (match is None or not _goes_on(block, match)):
            yield _trimmed(block)
            block = _Block(kind, place, [])
        if match:
            block = block if block.matches else _Block(kind, place, [])
            block.matches.append(match)
    if block.matches:
        yield _trimmed(block)


def _trimmed(block: _Block) -> _Block:
    while block.matches and block.matches[-1] is None:
        block.matches.pop()
    return block


def _goes_on(block: _Block, match: re.Match[str]) -> bool:
    """Whether the number of a line follows that of the line above it, or the mark is the same."""
    above = next(one for one in reversed(block.matches) if one)
    if "mark" in match.re.groupindex:
        return match["mark"] == above["mark"]
    if "number" not in match.re.groupindex:
        return True
    step = int(match["number"]) - int(above["number"])
    return step == 1 or (step > 1 and ":" in match[0][: match.start("text")])  # of grep


def _proven(block: _Block, is_report: IsReport) -> Iterator[_Block]:
    """Give the parts of a block that are certain: names stand there again, or before a report."""
    matches = block.matches
    if "column" in block.kind.line.groupindex:  # a table has them on all lines, a frame has not
        known = [match for match in matches if match]
        if 2 * sum(match["column"] is not None for match in known) > len(known):
            return
    if block.kind.is_sure or not matches or "source" not in block.kind.line.groupindex:
        if sum(match is not None for match in matches) >= block.kind.least:
            yield block
        return
    count = Counter(match["source"] for match in matches if match)
    at = 0
    for place, match in enumerate([*matches, None]):
        is_known = match is None or count[match["source"]] > 1
        # what grep shows of one line touches it
        if match and not is_known and not match["text"].startswith(" "):
            is_known = is_report(match["text"])
        if place < len(matches) and is_known:
            continue
        part = _trimmed(_Block(block.kind, block.start + at, matches[at:place]))
        own = [match for match in part.matches if match]
        if len(own) >= max(block.kind.least, 1 + (len(own) > 1)) and own:
            yield part
        at = place + 1
