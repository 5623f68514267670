"""The names that people write above reports: headings, labels, comments and separators.

They name the sides of a comparison ("## ext4", "**HDD:**", "=== with cache ==="). Only what is
certain counts: a heading (Markdown's, or underlined) stands for everything below it, any other name
directly above a command, a fence or a report, and for these until a line of prose. Names of one
depth that return below different names ("Read" below "ext4" and below "xfs") tell no sides apart:
then the names above them count.

Traps: ``# `` is a heading outside of a fence, a comment or root's prompt inside; the last line of a
command's output may look like a label (``Password:``), and so may a sentence ("I got this:").
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from fiotools.readers import shell

_MOST_WORDS, _LONGEST = 10, 80
_SIGNS = "=#*-~+"  # of separators, the gravest first
# Markdown's headings have levels 1 to 6; what is below them stands for what follows at once
_SEPARATOR = 7
_LABEL = _SEPARATOR + len(_SIGNS)
_COMMENT = _LABEL + 1

_ATX = re.compile(r"(?P<marks>#{1,6})[ \t]+(?P<name>\S.*?)(?:[ \t]+#+)?")
# below a heading, of Markdown or reStructuredText; their order is their depth
_RULE = re.compile(r"(?P<sign>[=\-~^\"*+#])(?P=sign){2,}")
_DEPTHS = {"=": 1, "-": 2}
_RULED = re.compile(
    rf"(?P<sign>[{re.escape(_SIGNS)}])(?P=sign)+[> ]*"
    r"(?P<name>[^\s=*#~+<>].*?)[< ]*(?P=sign){3,}"
)
_NAMED = re.compile(
    r"(?P<item>(?:[-*+•]|\d{1,2}[.)])[ ]+)?(?:"
    r"<summary>(?P<folded>.+?)</summary>|(?P<label>[^*_].*?)[ ]?(?<!:)[:：]"
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
_ROOT = re.compile(
    r"^[ \t>]*# (?:(?:sudo|time|nice) +)*(?:dd +\w+=|(?:fio|diskspd) +[-\w./])", re.M
)
FENCE = re.compile(r"[ \t>]*(?:```|~~~)")
_FENCES = re.compile(rf"^{FENCE.pattern}", re.M)

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


def clearest(paths: Sequence[tuple[str, ...]]) -> Iterator[str | None]:
    """Yield the name of each report, given the names that stand for it, the outermost first."""
    above: dict[tuple[int, str], tuple[str, ...]] = {}
    vague = {
        depth
        for path in paths
        for depth, name in enumerate(path)
        if above.setdefault((depth, name), path[:depth]) != path[:depth]
    }
    for path in paths:
        names = [name for depth, name in enumerate(path) if depth not in vague]
        yield names[-1] if names else None


class Outline:
    """The names in force while a text is read line by line."""

    def __init__(self, text: str) -> None:
        self._names: list[_Name] = []
        self._waiting: list[_Name] = []  # they stand directly above what follows
        self.is_markdown = _FENCES.search(text) is not None
        # where commands stand behind "# ", it marks a prompt
        self._has_root = _ROOT.search(text) is not None
        self.is_fenced = False
        self.is_alone = True  # whether nothing stands just above
        self._is_output = False  # whether the lines above are a command's output
        self._awaits_report = False
        self._is_commented = False  # whether a command stands below the names that wait

    def report(self) -> tuple[str, ...]:
        """Return the names that stand for a report here."""
        self._settle()
        return tuple(one.text for one in self._names)

    def go_on(self, lines: str) -> None:
        """Go on below the lines of a report."""
        for line in lines.split("\n"):
            if FENCE.match(line):
                self.turn("")
        self.is_alone = self._is_output = self._awaits_report = False

    def command(self, typed: str) -> None:
        """Go on below a command."""
        if self._is_commented and any(one.level == _COMMENT for one in self._waiting):
            self._end(_COMMENT)  # it told what the command above does, and that measured nothing
        self._is_commented = bool(self._waiting)
        self.is_alone, self._is_output = False, True
        self._awaits_report = shell.is_measured(typed)
        told = _ECHO.fullmatch(typed) if typed.startswith("echo") else None
        if told and len(shell.simple(typed)) == 1:
            self._is_commented = False
            if not self._ruled(told["name"].strip()):
                self._wait(_COMMENT, told["name"])

    def prompt(self, line: str) -> None:
        """Go on below a prompt without a command."""
        typed = _PROMPT.fullmatch(line)
        if typed and typed["name"]:
            self._commented(typed["name"])
        self.is_alone = self._is_output = self._awaits_report = False

    def blank(self) -> None:
        """Go on below a blank line."""
        self.is_alone, self._is_output = True, False

    def line(self, line: str, below: str) -> bool:
        """Go on below a line that is neither a report nor of a session; say if it is a heading."""
        bare = line.strip().lstrip("> \t")
        if not bare:
            self.blank()
        elif FENCE.match(line):
            self.turn(bare)
        elif self._heading(line, bare, below):
            return True
        elif not self._read(bare, below) and not self._is_output:
            self._waiting.clear()
            if self.is_alone:
                self._end(_SEPARATOR)
            self.is_alone = False
        return False

    def _settle(self) -> None:
        for one in self._waiting:
            self._enter(one)
        self._waiting.clear()
        self._is_commented = False

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
            one for one in self._names if one.level < level or one.is_fenced != self.is_fenced
        ]

    def turn(self, line: str) -> None:
        """Enter a fence, or leave it."""
        self.is_fenced, self._is_commented = not self.is_fenced, False
        if not self.is_fenced:
            self._waiting.clear()
            self._names = [one for one in self._names if not one.is_fenced]
            self._awaits_report = False
        elif title := _TITLED.fullmatch(line):
            self._wait(_COMMENT, title["name"])
        self.is_alone, self._is_output = True, False

    def _wait(self, level: int, name: str) -> bool:
        """Keep a name until it is known what stands below it."""
        name = _plain(name)
        if not _LETTER.search(name) or len(name) > _LONGEST:
            return False
        self._waiting = [one for one in self._waiting if one.level < level]
        self._waiting.append(_Name(level, name, self.is_fenced))
        self._is_commented = False
        return True

    def _heading(self, line: str, bare: str, below: str) -> bool:
        """Take a line as a heading: behind number signs, or underlined."""
        if self.is_fenced or not self.is_alone:
            return False
        found = _ATX.fullmatch(bare) if self.is_markdown and not line.startswith("    ") else None
        if found:
            self._head(len(found["marks"]), found["name"])
            return True
        rule = _RULE.fullmatch(below.strip())
        if not rule or _may_be_fence(rule, bare) or _RULE.fullmatch(bare) or not _is_title(bare):
            return False
        self._head(_DEPTHS.get(rule["sign"], 3), bare)
        return True

    def _read(self, line: str, below: str) -> bool:
        """Take a line as a name, or as what may stand between a name and a report."""
        if _RULE.fullmatch(line):
            return True
        if tag := _TAG.fullmatch(line):
            if tag["end"] and tag["name"].lower() == "details":
                self._end(_SEPARATOR)
            return True
        if self._ruled(line):
            return True
        if self._is_output:
            return False
        if heading := _ATX.fullmatch(line):
            is_prompt = self._has_root and heading["marks"] == "#"
            is_comment = not self.is_markdown or self.is_fenced
            return (
                is_comment
                and not (is_prompt or self._awaits_report)
                and self._commented(heading["name"])
            )
        return self._labelled(line, below)

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

    def _labelled(self, line: str, below: str) -> bool:
        """Take a line as a label: bold, folded, an item, with a colon, or just above a fence."""
        found = _NAMED.fullmatch(line)
        if found is None:
            is_above = self.is_alone and not self.is_fenced and FENCE.match(below)
            return bool(is_above) and _is_name(line) and self._wait(_LABEL, line)
        name: str = found["folded"] or found["label"] or found["bold"] or found["listed"]
        return bool(_INTRODUCING.fullmatch(name)) or (_is_name(name) and self._wait(_LABEL, name))


def _may_be_fence(rule: re.Match[str], title: str) -> bool:
    """Whether a line of tildes below a title is a fence: it is short, or far from as long."""
    length = len(rule[0])
    is_like_title = length >= max(4, len(title)) or length >= max(6, len(title) * 3 / 4)
    return rule["sign"] == "~" and not is_like_title


def _plain(name: str) -> str:
    """Return a name without its markup."""
    return _MARKUP.sub("", _LINK.sub(r"\1", name)).strip(" \t:：*_")


def _is_short(line: str) -> bool:
    return "|" not in line and len(_WIDE.sub(" w ", line).split()) <= _MOST_WORDS


def _is_name(line: str) -> bool:
    """Whether a line is short, and no sentence."""
    return _is_short(line) and not _SENTENCE.search(line)


def _is_title(line: str) -> bool:
    """Whether a line above a rule is a heading, and no sentence or head of a table."""
    is_table = re.search(r"\S[ \t]{2,}\S|\t", line)
    return (
        bool(_LETTER.search(line)) and _is_short(line) and not is_table and line[-1] not in ".!?,;"
    )
