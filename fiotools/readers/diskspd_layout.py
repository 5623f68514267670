"""The layout of DISKSPD's text output: which lines make a report, and which blocks it has.

Nothing is counted in columns or lines: a block is known by its first line, a table's columns by
their names, because ``-L``, ``-D``, the machine and eleven versions change which of them there
are. People paste the tables alone, also as Markdown; then a report is the three tables with their
captions.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

# all but _ETW are asked of lines without the blanks around them
_COMMAND = re.compile(r"Command Line:\s*(.*)")
_INDENTED = re.compile(r"(?:Input parameters|System info(?:rmation)?):")
_RESULTS = re.compile(r"Results for (timespan|job) \d+:")
_FACT = re.compile(
    r"(actual test time|test time|thread count|request count|proc count"
    r"|effective affinity \([\w/]+\)|Experiment Flags):\s*(\S.*)"
)
_FAILED = re.compile(r"The test was interrupted before the measurements began\..*")
_CPU = re.compile(r"(?:\|\s*)?(?:(?:Socket|Node|Group|Core|Class)\s*\|\s*)*CPU\s*\|.*Usage.*")
_CAPTION = re.compile(r"(?:(?:[-+*]|#+|\d+\.)\s+)?\**(Total|Read|Write) IO\**:?")
_HEADER = re.compile(r"(?:\|\s*)?thread\s*\|\s*bytes\s*\|\s*I/Os\s*\|.*")
_CHART = re.compile(r"(?:\|\s*)?%-ile\s*\|.*")
_TOTAL_CHART = ("total:", "Total latency distribution:")
_EXTRA = re.compile(
    r"Effective IO Distributions|NOTE: .*|IoRing Statistics|Wait Statistics.*|ETW:|Totals:"
)
_ETW = re.compile(r"\s+\S.*|\(KB\).*|Size  \|.*|\d[\d ]*|(?:Allocated Buffers|Lost [\w ]+):.*")
_TOTALS = re.compile(r"(?:type|write|read|total)\b.*")
_ANYTHING = re.compile(r".*")
_SIZED = re.compile(r" \(\d[\d.]*(?:[KMGTPE]?i?B)\)$")
_NEXT = re.compile(r"\s*([^\n]*)")
# what DISKSPD says on standard error, in the same file
_ERROR = re.compile(
    r"(?:Error |ERROR: |WARNING: |There has been an error|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d: ).*"
)

ANCHOR = (
    r"^[ \t]*(?:Command Line:|Input parameters:|Results for (?:timespan|job) \d"
    r"|(?:\|[ \t]*)?thread[ \t]*\|[ \t]*bytes[ \t]*\|[ \t]*I/Os[ \t]*\|)"
)


@dataclass
class Table:
    """A table between bars: the names of its columns, and its rows with their lines.

    Where the text ends within a row, that row is left out, and ``cut`` is its line.
    """

    columns: list[str]
    rows: list[tuple[int, list[str]]] = field(default_factory=list)
    cut: int | None = None


@dataclass
class Span:
    """The results of one time span (one run).

    Attributes
    ----------
    line : int
        Where it begins, counted from the report's first line.
    job : bool
        Whether it says ``job``, as diskspd-for-linux does.
    """

    line: int
    job: bool = False
    failed: str | None = None
    facts: dict[str, str] = field(default_factory=dict)
    tables: dict[str, Table] = field(default_factory=dict)
    charts: list[tuple[str | None, Table]] = field(default_factory=list)
    cpu: Table | None = None
    extras: list[tuple[str, str]] = field(default_factory=list)


@dataclass
class Output:
    """One output of DISKSPD, or as much of it as was pasted."""

    command: str | None = None
    parameters: list[str] = field(default_factory=list)
    system: list[str] = field(default_factory=list)
    facts: dict[str, str] = field(default_factory=dict)
    spans: list[Span] = field(default_factory=list)
    errors: list[tuple[int, str]] = field(default_factory=list)
    progress: int = 0
    following: int = 0  # how many lines of the text follow


class _Cursor:
    """Reads a text line by line, and knows where the last line with anything on it ended."""

    def __init__(self, text: str, position: int) -> None:
        self._text, self._next = text, position
        self.number, self.end = -1, position
        self.line = self.bare = ""
        self.done = False
        self.take()

    def take(self) -> str:
        """Give the line, and go on to the next."""
        line, bare = self.line, self.bare
        if bare:
            self.end = self._next - 1
        self.done = self._next > len(self._text)
        stop = self._text.find("\n", self._next)
        stop = len(self._text) if stop < 0 else stop
        self.line = self._text[self._next : stop]
        self.bare = self.line.strip()
        self.number, self._next = self.number + 1, stop + 1
        return line

    @property
    def is_open(self) -> bool:
        """Whether the text ends on this line, without an end of line: it may be cut off."""
        return self._next > len(self._text)

    def after(self) -> str:
        """Give the next line that is not blank, behind this one."""
        found = _NEXT.match(self._text, self._next)
        return found[1].strip() if found else ""


def parse(text: str, match: re.Match[str]) -> tuple[int, int, Output] | None:
    """Read the report whose first known line is at the match."""
    start = _start(text, match)
    cursor, output = _Cursor(text, start), Output()
    while not cursor.done:
        if not cursor.bare or _is_rule(cursor.bare):
            cursor.take()
        elif not any(
            (found := pattern.fullmatch(cursor.bare)) and take(cursor, output, found)
            for pattern, take in _BLOCKS
        ):
            break
    rest = text[cursor.end :].strip()
    output.following = len(rest.split("\n")) if rest else 0
    if not output.parameters and not output.spans:
        return None
    return start, cursor.end, output


def _start(text: str, match: re.Match[str]) -> int:
    """Go back over a table's caption, and over what standard error said before the output."""
    start = at = text.rfind("\n", 0, match.end()) + 1
    stop = text.find("\n", match.end())
    head = text[start : stop if stop >= 0 else len(text)]
    caption = _HEADER.fullmatch(head.strip()) is not None
    while at:
        before = text.rfind("\n", 0, at - 1) + 1
        line = text[before : at - 1].strip()
        if (_CAPTION if caption else _ERROR).fullmatch(line):
            start = before
        if line and (caption or start != before):
            break
        at = before
    return start


def _is_rule(line: str) -> bool:
    """Say whether a line only separates: ``------``, ``******``, Markdown's ``|--|--|``."""
    marks = line.strip(" \t|")
    return len(marks) > 1 and not marks.strip("-*_=:| \t")


def _take_error(cursor: _Cursor, output: Output, found: re.Match[str]) -> bool:
    if found[0][0].isdigit():  # a time: progress
        output.progress += 1
    else:
        output.errors.append((cursor.number, found[0]))
    cursor.take()
    return True


def _take_command(cursor: _Cursor, output: Output, found: re.Match[str]) -> bool:
    if output.spans or output.parameters or output.command:
        return False  # the next output begins
    output.command = found[1] or None
    cursor.take()
    return True


def _take_indented(cursor: _Cursor, output: Output, found: re.Match[str]) -> bool:
    """Take what was asked for, or what the machine is: all lines that stand further in."""
    echo = found[0].startswith("Input")
    if echo and (output.spans or output.parameters):
        return False
    into = output.parameters if echo else output.system
    depth = _depth(cursor.take())
    while not cursor.done:
        if cursor.bare:
            if _depth(cursor.line) <= depth or _RESULTS.fullmatch(cursor.bare):
                break
            into.append(cursor.bare)
        cursor.take()
    return True


def _depth(line: str) -> int:
    line = line.expandtabs(8)
    return len(line) - len(line.lstrip())


def _take_results(cursor: _Cursor, output: Output, found: re.Match[str]) -> bool:
    output.spans.append(Span(cursor.number, job=found[1] == "job"))
    cursor.take()
    return True


def _take_fact(cursor: _Cursor, output: Output, found: re.Match[str]) -> bool:
    (output.spans[-1].facts if output.spans else output.facts)[found[1]] = found[2]
    cursor.take()
    return True


def _take_failed(cursor: _Cursor, output: Output, found: re.Match[str]) -> bool:
    if output.spans:
        output.spans[-1].failed = found[0]
        cursor.take()
    return bool(output.spans)


def _take_cpu(cursor: _Cursor, output: Output, found: re.Match[str]) -> bool:
    if output.spans:
        output.spans[-1].cpu = _take_table(cursor)
    return bool(output.spans)


def _take_caption(cursor: _Cursor, output: Output, found: re.Match[str]) -> bool:
    """Take a caption with its table; a direction that was there already begins another run."""
    if not _HEADER.fullmatch(cursor.after()):
        return False
    direction = found[1].lower()
    if not output.spans:
        output.spans.append(Span(cursor.number))
    elif direction in output.spans[-1].tables:
        return False
    _skip_to(_HEADER, cursor)
    output.spans[-1].tables[direction] = _take_table(cursor)
    return True


def _take_chart(cursor: _Cursor, output: Output, found: re.Match[str]) -> bool:
    if output.spans:
        output.spans[-1].charts.append((None, _take_table(cursor)))
    return bool(output.spans)


def _take_titled_chart(cursor: _Cursor, output: Output, found: re.Match[str]) -> bool:
    """Take the percentiles of one target or of all: the title may be nothing but a path."""
    if not output.spans or not _CHART.fullmatch(cursor.after()):
        return False
    title = found[0].removeprefix("Latency distribution:").strip()
    _skip_to(_CHART, cursor)
    name = None if title in _TOTAL_CHART else title
    output.spans[-1].charts.append((name, _take_table(cursor)))
    return True


def _skip_to(pattern: re.Pattern[str], cursor: _Cursor) -> None:
    while not pattern.fullmatch(cursor.bare):
        cursor.take()


def _take_extra(cursor: _Cursor, output: Output, found: re.Match[str]) -> bool:
    """Take a block that no table of ours holds, line by line."""
    if not output.spans:
        return False
    heading = found[0].rstrip(":")
    cursor.take()
    while not cursor.done:
        line = cursor.bare
        if heading == "ETW":
            goes_on = not line or _is_rule(line) or bool(_ETW.fullmatch(cursor.line))
        elif heading == "Totals":
            goes_on = not line or _is_rule(line) or bool(_TOTALS.fullmatch(line))
        else:
            goes_on = bool(line)
        if not goes_on or _RESULTS.fullmatch(line):
            break
        if line and not _is_rule(line):
            output.spans[-1].extras.append((heading, line))
        cursor.take()
    return True


def _take_table(cursor: _Cursor) -> Table:
    """Take a header and the rows below it, to the first line without a bar."""
    table = Table(cells(cursor.take()))
    while not cursor.done:
        if _is_rule(cursor.bare):
            cursor.take()
        elif "|" not in cursor.bare:
            break
        elif cursor.is_open and not _is_whole(cursor.bare, table):
            table.cut = cursor.number
            cursor.take()
        else:
            table.rows.append((cursor.number, cells(cursor.take(), len(table.columns))))
    return table


def _is_whole(line: str, table: Table) -> bool:
    """Say whether a row that ends the text is all there: its last cell looks like those above."""
    row = cells(line, len(table.columns))
    total = row[0] in ("total", "avg")  # these belong to no file
    if len(row) < len(table.columns) - total:
        return False
    if line.endswith("|") or row[-1] == "N/A" or _SIZED.search(row[-1]):
        return True
    above = {_decimals(cells[len(row) - 1]) for _, cells in table.rows if len(cells) >= len(row)}
    return bool(_decimals(row[-1])) and _decimals(row[-1]) in above


def _decimals(cell: str) -> str:
    """Give what follows the point, whose length DISKSPD fixes: ``00`` for 12.34, ``00%``."""
    return re.sub(r"\d", "0", cell.partition(".")[2])


def cells(line: str, columns: int = 0) -> list[str]:
    """Split a row at its bars; what is too much belongs to the last column, the path.

    Examples
    --------
    >>> cells("| 0 |  4096 | IO.dat (64MiB)|"), cells("total:   8192 |   2")
    (['0', '4096', 'IO.dat (64MiB)'], ['total', '8192', '2'])
    """
    line = re.sub(r"^(\|?\s*)(total|avg)[.:]+(?:\s*\|)?", r"\1\2|", line.strip())
    line = line.removeprefix("|")
    if line.endswith("|"):
        line = line[:-1]
    return [cell.strip() for cell in line.split("|", columns - 1 if columns else -1)]


Take = Callable[[_Cursor, Output, re.Match[str]], bool]
_BLOCKS: tuple[tuple[re.Pattern[str], Take], ...] = (
    (_ERROR, _take_error),
    (_COMMAND, _take_command),
    (_INDENTED, _take_indented),
    (_RESULTS, _take_results),
    (_FACT, _take_fact),
    (_FAILED, _take_failed),
    (_CPU, _take_cpu),
    (_CAPTION, _take_caption),
    (_CHART, _take_chart),
    (_EXTRA, _take_extra),
    (_ANYTHING, _take_titled_chart),
)
