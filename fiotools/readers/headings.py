"""The names that people write above reports: headings, labels, comments and separators.

They name the sides of a comparison ("## ext4", "**HDD:**", "=== with cache ==="). Only what is
certain counts: a heading of Markdown stands for everything below it, any other name directly above
a command, a fence or a report, and for these until a line of prose. Names of one depth that return
below different names ("Read" below "ext4" and below "xfs") tell no sides apart: then the names
above them count.

Traps: ``# `` is a heading outside of a fence, a comment or root's prompt inside; the last line of a
command's output may look like a label (``Password:``), and so may a sentence ("I got this:").
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from fiotools.readers import shell
from fiotools.readers.document import Report, line_end
from fiotools.readers.pasted import SEPARATOR
from fiotools.readers.prompts import FENCE, Boundary

_MOST_WORDS, _LONGEST = 10, 80
_SIGNS = "=#*-~+"  # of separators, the gravest first
# Markdown's headings have levels 1 to 6; what is below them stands for what follows at once
_SEPARATOR = 7
_LABEL = _SEPARATOR + len(_SIGNS)
_COMMENT = _LABEL + 1

_ATX = re.compile(r"(?P<marks>#{1,6})[ \t]+(?P<name>\S.*?)(?:[ \t]+#+)?")
_RULE = re.compile(r"={3,}|-{3,}")
_RULED = re.compile(
    rf"(?P<sign>[{re.escape(_SIGNS)}])(?P=sign)+[> ]*"
    r"(?P<name>[^\s=*#~+<>].*?)[< ]*(?P=sign){3,}"
)
_NAMED = re.compile(
    r"(?P<item>(?:[-*+•]|\d{1,2}[.)])[ ]+)?(?:"
    r"<summary>(?P<folded>.+?)</summary>|(?P<label>[^*_].*?)[ ]?[:：]"
    r"|(?:\*\*|__|<b>|<strong>|\[b\])(?P<bold>.+?)[ ]?[:：]?"
    r"(?:\*\*|__|</b>|</strong>|\[/b\])[ ]?[:：]?|(?(item)(?P<listed>.+)|(?!)))",
    re.IGNORECASE,
)
# "```console:ext4", "```console title="ext4""
_TITLED = re.compile(
    r"[`~]{3,}[ ]*[\w+-]*(?::|[ ].*?\btitle=)(?P<quote>[\"']?)(?P<name>.+?)(?P=quote)"
)
_TAG = re.compile(r"<(?P<end>/?)(?P<name>details|summary|pre|code|p|br|div)\b[^<>]*>", re.I)
_ECHO = re.compile(r"echo[ ]+(?P<quote>[\"']?)(?P<name>[^\"'$`\\|;&<>]+)(?P=quote)")
# a prompt without a command, or with nothing but a comment
_PROMPT = re.compile(r".*?[$#%>❯][ \t]*(?:#[ ]+(?P<name>\S.*?))?[ \t]*")
_ROOT = re.compile(r"[ \t>]*# ")
# lines other than prompts that end a session
_BREAK = re.compile(rf"{FENCE.pattern}|#{{1,6}} +\S|<summary>|{re.escape(SEPARATOR)}")

_MARKUP = re.compile(r"\*\*|__|`|(?<!\w)\*(?=\w)|(?<=\w)\*(?!\w)|</?[a-z]\w*>")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_LETTER = re.compile(r"[^\W\d_]")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{1,3}")  # no blanks between words
# a line with one of these words is a sentence, and names nothing
_SENTENCE = re.compile(
    r"\b(?:i|we|you|he|they|it|this|that|these|those|here|there|is|are|was|were|be|been|am|can"
    r"|could|should|would|will|do|does|did|has|have|had|gets?|got|gives?|gave|follow(?:s|ing)?"
    r"|shows?|shown|see|try|tried|let|run|ran|running|used?|then|now|so|but|please|what|which|how"
    r"|why)\b|[。.!?;,\\]$|: | = ",
    re.IGNORECASE,
)
# a line of nothing but these introduces what is below it
_INTRODUCING = re.compile(
    r"(?:\W*\b(?:a|the|an|my|and|of|with|for|from|to|in|on|as|outputs?|results?|commands?|cmd"
    r"|examples?|logs?|code|console|terminal|reports?|tests?|fio|dd|time|diskspd|benchmarks?|notes?"
    r"|details|below|above|stdout|stderr|password|結果|実行結果|出力|コマンド)\b)+\W*",
    re.IGNORECASE,
)


class _Name(NamedTuple):
    level: int
    text: str
    is_fenced: bool = False  # then it ends with its fence


def headings(
    text: str, reports: Sequence[Report], commands: Sequence[Boundary]
) -> list[str | None]:
    """Return the name above each report; None where none is certain."""
    paths = _paths(text, reports, commands)
    above: dict[tuple[int, str], tuple[str, ...]] = {}
    vague: set[int] = set()
    for path in paths:
        for depth, name in enumerate(path):
            if above.setdefault((depth, name), path[:depth]) != path[:depth]:
                vague.add(depth)
    clear = ([name for depth, name in enumerate(path) if depth not in vague] for path in paths)
    return [names[-1] if names else None for names in clear]


def _paths(
    text: str, reports: Sequence[Report], commands: Sequence[Boundary]
) -> list[tuple[str, ...]]:
    """Return the names that stand for each report, the outermost first."""
    outline = _Outline(text, commands)
    known = {one.position: at for at, one in enumerate(commands)}
    starts = list(known)
    measured = {bisect_right(starts, report.start) - 1 for report in reports}
    found: list[tuple[str, ...]] = []
    at = 0
    while len(found) < len(reports):
        begin, stop = at, line_end(text, at)
        report, at, place = reports[len(found)], stop + 1, known.get(begin)
        if report.start <= stop:
            found.append(outline.report())
            is_last = len(found) == len(reports)
            at = line_end(text, max(begin, report.end - 1)) + 1
            if is_last or reports[len(found)].start >= at:
                outline.go_on(text[begin:at])
            else:
                at = begin  # another one on the same line
        elif place is not None and commands[place].text is not None:
            outline.command(commands[place], is_measured=place in measured)
            # the command may have more lines, and the last of them a report
            end = min(commands[place].end_of_line, report.start)
            at = max(at, text.rfind("\n", 0, end) + 1)
        elif place is not None and not _BREAK.match(text, begin):
            outline.prompt(text[begin:stop])
        else:
            outline.line(text[begin:stop], text[at : line_end(text, at)])
    return found


class _Outline:
    """The names in force while a text is read line by line."""

    def __init__(self, text: str, commands: Iterable[Boundary]) -> None:
        self._names: list[_Name] = []
        self._waiting: list[_Name] = []  # they stand directly above what follows
        self._is_markdown = "```" in text or "~~~" in text
        # where commands stand behind "# ", it marks a prompt
        self._has_root = any(
            one.text and not one.is_echo and _ROOT.match(text, one.position) for one in commands
        )
        self._is_fenced = False
        self._is_alone = True  # whether nothing stands just above
        self._is_output = False  # whether the lines above are a command's output
        self._awaits_report = False
        self._echoed = ""

    def report(self) -> tuple[str, ...]:
        """Return the names that stand for a report here."""
        self._settle()
        return tuple(one.text for one in self._names)

    def go_on(self, lines: str) -> None:
        """Go on below the lines of a report."""
        for line in lines.split("\n"):
            if FENCE.match(line):
                self._turn("")
        self._is_alone = self._is_output = self._awaits_report = False

    def command(self, command: Boundary, *, is_measured: bool) -> None:
        """Go on below a command."""
        typed = command.text or ""
        if is_measured:
            self._settle()
        elif any(one.level == _COMMENT for one in self._waiting):
            self._end(_COMMENT)  # it tells what is done here, and that measures nothing
        self._is_alone, self._is_output, self._echoed = False, True, ""
        self._awaits_report = shell.is_measured(typed)
        told = _ECHO.fullmatch(typed)
        if told and len(shell.simple(typed)) == 1:
            self._echoed = told["name"].strip()
            if not self._ruled(self._echoed):
                self._wait(_COMMENT, told["name"])

    def prompt(self, line: str) -> None:
        """Go on below a prompt without a command."""
        typed = _PROMPT.fullmatch(line)
        if typed and typed["name"]:
            self._commented(typed["name"])
        self._is_alone = self._is_output = self._awaits_report = False

    def line(self, line: str, below: str) -> None:
        """Go on below a line that is neither a report nor of a session."""
        bare = line.strip().lstrip("> \t")
        if FENCE.match(line):
            self._turn(bare)
        elif not bare:
            self._is_alone, self._is_output = True, False
        elif self._is_output and bare == self._echoed:
            pass
        elif not self._read(bare, below, is_indented=line.startswith("    ")):
            self._waiting.clear()
            if self._is_alone:
                self._end(_SEPARATOR)
            self._is_alone = False

    def _settle(self) -> None:
        for one in self._waiting:
            self._enter(one)
        self._waiting.clear()

    def _enter(self, name: _Name) -> None:
        while self._names and self._names[-1].level >= name.level:
            self._names.pop()
        self._names.append(name)

    def _head(self, level: int, name: str) -> None:
        """Begin a section of Markdown."""
        self._waiting.clear()
        self._enter(_Name(level, _plain(name)))
        self._awaits_report = False

    def _end(self, level: int) -> None:
        """End the names from a level on; prose and comments in a fence end none outside of it."""
        self._waiting = [one for one in self._waiting if one.level < level]
        self._names = [
            one for one in self._names if one.level < level or one.is_fenced != self._is_fenced
        ]

    def _turn(self, line: str) -> None:
        """Enter a fence, or leave it."""
        self._is_fenced = not self._is_fenced
        if not self._is_fenced:
            self._waiting.clear()
            self._names = [one for one in self._names if not one.is_fenced]
            self._awaits_report = False
        elif title := _TITLED.fullmatch(line):
            self._wait(_COMMENT, title["name"])
        self._is_alone, self._is_output = True, False

    def _wait(self, level: int, name: str) -> bool:
        """Keep a name until it is known what stands below it."""
        name = _plain(name)
        if not _LETTER.search(name) or len(name) > _LONGEST:
            return False
        self._waiting = [one for one in self._waiting if one.level < level]
        self._waiting.append(_Name(level, name, self._is_fenced))
        return True

    def _read(self, line: str, below: str, *, is_indented: bool) -> bool:
        """Take a line as a name, or as what may stand between a name and a report."""
        if _RULE.fullmatch(line):
            return True
        if tag := _TAG.fullmatch(line):
            if tag["end"] and tag["name"].lower() == "details":
                self._end(_SEPARATOR)
            return True
        heading = _ATX.fullmatch(line)
        if heading and self._is_markdown and not (self._is_fenced or is_indented):
            if self._is_alone:
                self._head(len(heading["marks"]), heading["name"])
            return self._is_alone
        if self._ruled(line):
            return True
        if self._is_output:
            return False
        if heading:
            is_prompt = self._has_root and heading["marks"] == "#"
            return not (is_prompt or self._awaits_report) and self._commented(heading["name"])
        return self._underlined(line, below) or self._labelled(line)

    def _ruled(self, line: str) -> bool:
        """Take a line as a separator with a name in it."""
        found = _RULED.fullmatch(line)
        if found is None or not _is_short(found["name"]):
            return False
        return self._wait(_SEPARATOR + _SIGNS.index(found["sign"]), found["name"])

    def _commented(self, name: str) -> bool:
        """Take a comment as a name; any other ends those of the comments above it."""
        is_name = _is_name(name) and self._wait(_COMMENT, name)
        if not is_name:
            self._end(_COMMENT)
        return is_name

    def _underlined(self, line: str, below: str) -> bool:
        """Take a line as a heading if the line below it says so."""
        rule = _RULE.fullmatch(below.strip())
        if rule is None or not (self._is_alone and _is_name(line)) or self._is_fenced:
            return False
        if self._is_markdown:
            self._head(1 if rule[0][0] == "=" else 2, line)
            return True
        return rule[0][0] == "=" and self._wait(_SEPARATOR, line)

    def _labelled(self, line: str) -> bool:
        """Take a line as a label: bold, folded, an item of a list, or with a colon."""
        found = _NAMED.fullmatch(line)
        if found is None:
            return False
        name: str = found["folded"] or found["label"] or found["bold"] or found["listed"]
        return bool(_INTRODUCING.fullmatch(name)) or (_is_name(name) and self._wait(_LABEL, name))


def _plain(name: str) -> str:
    """Return a name without its markup."""
    return _MARKUP.sub("", _LINK.sub(r"\1", name)).strip(" \t:：*_")


def _is_short(line: str) -> bool:
    return "|" not in line and len(_WIDE.sub(" w ", line).split()) <= _MOST_WORDS


def _is_name(line: str) -> bool:
    """Whether a line is short, and no sentence."""
    return _is_short(line) and not _SENTENCE.search(line)
