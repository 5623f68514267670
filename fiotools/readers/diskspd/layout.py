"""The layout of DISKSPD's text output: which lines make a report, and which blocks it has.

Nothing is counted in columns or lines. A block is known by its first line and a table's columns by
their names, because ``-L``, ``-D``, the machine and eleven versions change them. People paste the
tables alone, also as Markdown; then a report is the three tables with their captions.
"""

from __future__ import annotations

import re
from copy import copy
from dataclasses import dataclass, field
from itertools import islice

from fiotools.readers.diskspd import is_progress, is_rule, is_trouble, start_of
from fiotools.readers.document import line_end, lines_above
from fiotools.readers.text import Cursor, Taker, taken

# all but _ETW are asked of lines without the blanks around them
_COMMAND = re.compile(r"Command Line:\s*(.*)")
_INDENTED = re.compile(r"(?:Input parameters|System info(?:rmation)?):")
_RESULTS = re.compile(r"Results for (timespan|job) \d+:")
_FACT = re.compile(
    r"(actual test time|test time|thread count|request count|proc count"
    r"|effective affinity \([\w/]+\)|Experiment Flags):\s*(\S.*)"
)
# the first line below a heading; pasting may have removed the blanks before it
_FIRST_BELOW = re.compile(r"(?:timespan|job|computer name|processor count):\s*\S.*")
_NEAR = 1000  # lines from there to the results
# facts of later versions above the tables
_LATER = re.compile(r"([A-Za-z][\w /()-]{0,60}):\s+(\S.*)")
_FAILED = re.compile(r"The test was interrupted before the measurements began\..*")
_CPU = re.compile(r"(?:\|\s*)?(?:\w+\s*\|\s*){0,9}CPU\s*\|.*Usage.*")
_CAPTION = re.compile(r"(?:(?:[-+*]|#+|\d+\.)\s+)?\**(Total|Read|Write) IO\**:?")
_HEADER = re.compile(r"(?:\|\s*)?thread\s*\|\s*bytes\s*\|\s*I/Os\s*\|.*")
_CHART = re.compile(r"(?:\|\s*)?(?:%-ile|Percentile)\s*\|.*")
_ORNAMENT = re.compile(r"(?:```|~~~|#{1,6} ).*")
_TOTAL_CHART = ("total:", "Total latency distribution:")
_EXTRA = re.compile(
    r"Effective IO Distributions|NOTE: .*|IoRing Statistics|Wait Statistics.*|ETW:|Totals:"
)
_ETW = re.compile(r"\s+\S.*|\(KB\).*|Size  \|.*|\d[\d ]*|(?:Allocated Buffers|(?i:lost) [\w ]+):.*")
_TOTALS = re.compile(r"(?:type|write|read|total)\b.*")
_ANYTHING = re.compile(r".*")
_LINE = re.compile(r"\S[^\n]*")
# the beginning of a row, but not of a header
_FIRST = re.compile(r"\d+|total|avg|min|max|\d+th|\d+-nines", re.IGNORECASE)
_SIZED = re.compile(r" \(\d[\d.]*(?:[KMGTPE]?i?B)\)$")


@dataclass
class Table:
    """A table between bars: the names of its columns, and its rows with their lines.

    Where the text ends within a row, that row is left out, and ``cut`` is its line.
    """

    columns: list[str]
    line: int
    rows: list[tuple[int, list[str]]] = field(default_factory=list)
    cut: int | None = None


@dataclass
class Span:
    """The results of one time span (one run)."""

    line: int  # where it begins, counted from the report's first line
    job: bool = False  # whether it says ``job``, as diskspd-for-linux does
    failed: str | None = None
    facts: dict[str, str] = field(default_factory=dict)
    tables: dict[str, Table] = field(default_factory=dict)
    charts: list[tuple[str | None, Table]] = field(default_factory=list)
    cpu: Table | None = None
    extras: list[tuple[str, str]] = field(default_factory=list)
    totals: list[tuple[int, list[str]]] = field(default_factory=list)  # of several time spans
    rewritten: int | None = None  # the line of percentiles that a person wrote anew
    untitled: int | None = None  # the line of percentiles without a title


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
    following: int = 0  # how many lines of the text follow, as far as 3


def parse(text: str, match: re.Match[str]) -> tuple[int, int, Output] | None:
    """Read the report whose first known line is at the match."""
    start = _start(text, match)
    cursor, output = Cursor(text, start), Output()
    while not cursor.done:
        if not cursor.bare or is_rule(cursor.bare):
            cursor.take()
        elif not taken(cursor, output, _BLOCKS) and not (
            output.spans and taken(cursor, output.spans[-1], _OF_SPAN)
        ):
            break
    output.following = sum(1 for _ in islice(_LINE.finditer(text, cursor.end), 3))
    if not output.parameters and not output.spans:
        return None
    for span in output.spans:
        _settle_charts(span)
    # a line of dashes below the report belongs to the following text, if there is any
    return start, _firm(text, cursor.end) if output.following else cursor.end, output


def _firm(text: str, end: int) -> int:
    """Go back from the end of a line over lines that only separate."""
    return next(
        at + len(line)
        for at, line in lines_above(text, end + 1)
        if line.strip() and not is_rule(line)
    )


def _settle_charts(span: Span) -> None:
    """Assign a percentile table without a title to the whole run, if it is the only one."""
    untitled = [table for name, table in span.charts if name == ""]
    if untitled and len(span.charts) == 1:
        span.charts = [(None, untitled[0])]
    elif untitled:
        span.charts = [chart for chart in span.charts if chart[0] != ""]
        span.untitled = untitled[0].line


def _start(text: str, match: re.Match[str]) -> int:
    """Go back over a table's caption, and over messages of standard error above it."""
    start = text.rfind("\n", 0, match.end()) + 1
    head = text[start : line_end(text, match.end())]
    if not _HEADER.fullmatch(head.strip()):
        return start_of(text, start)
    for at, line in lines_above(text, start):
        if line.strip():
            return at if _CAPTION.fullmatch(line.strip()) else start
    return start


def _take_message(cursor: Cursor, output: Output, found: re.Match[str]) -> bool:
    """Take a message of standard error."""
    if is_progress(found[0]):
        output.progress += 1
        return True
    if is_trouble(found[0]):
        output.errors.append((cursor.number, found[0]))
        return True
    return False


def _take_command(cursor: Cursor, output: Output, found: re.Match[str]) -> bool:
    if output.spans or output.parameters or output.command is not None:
        return False  # the next output begins
    output.command = found[1]
    return True


def _take_indented(cursor: Cursor, output: Output, found: re.Match[str]) -> bool:
    """Take the parameters or the machine: all lines with a deeper indent."""
    echo = found[0].startswith("Input")
    is_again = echo and bool(output.parameters)
    if echo and output.spans:
        return False
    if is_again and [*cursor.ahead(len(output.parameters))] != output.parameters:
        return False
    heading, depth, below = cursor.number, _heading_depth(cursor), list[str]()
    cursor.take()
    while not cursor.done:
        if cursor.bare:
            is_heading = _RESULTS.fullmatch(cursor.bare) or _INDENTED.fullmatch(cursor.bare)
            if is_heading or _depth(cursor.line) <= depth:
                break
            below.append(cursor.bare)
        cursor.take()
    if is_again:
        output.errors.append((heading, f"{found[0]!r} stands twice: read once"))
    else:
        (output.parameters if echo else output.system).extend(below)
    return True


def _heading_depth(cursor: Cursor) -> int:
    """Return how far in a heading stands; less than any line where the blanks were taken away."""
    depth, below = _depth(cursor.line), copy(cursor)
    below.take()
    while not (below.bare or below.done):
        below.take()
    is_flat = _depth(below.line) <= depth and _FIRST_BELOW.fullmatch(below.bare)
    return -1 if is_flat and any(map(_RESULTS.fullmatch, below.ahead(_NEAR))) else depth


def _depth(line: str) -> int:
    line = line.expandtabs(8)
    return len(line) - len(line.lstrip())


def _take_results(cursor: Cursor, output: Output, found: re.Match[str]) -> None:
    output.spans.append(Span(cursor.number, job=found[1] == "job"))


def _take_fact(cursor: Cursor, output: Output, found: re.Match[str]) -> None:
    (output.spans[-1].facts if output.spans else output.facts)[found[1]] = found[2]


def _take_caption(cursor: Cursor, output: Output, found: re.Match[str]) -> bool:
    """Take a caption with its table; a direction that was there already begins another run."""
    if not _HEADER.fullmatch(_after(cursor)):
        return False
    direction = found[1].lower()
    if not output.spans:
        output.spans.append(Span(cursor.number))
    elif direction in output.spans[-1].tables:
        return False
    _skip_to(_HEADER, cursor)
    output.spans[-1].tables[direction] = take_table(cursor)
    return True


def _take_later(cursor: Cursor, span: Span, found: re.Match[str]) -> bool:
    if span.failed or span.tables or span.cpu:
        return False
    span.facts[found[1]] = found[2]
    return True


def _take_failed(cursor: Cursor, span: Span, found: re.Match[str]) -> None:
    span.failed = found[0]


def _take_cpu(cursor: Cursor, span: Span, found: re.Match[str]) -> None:
    span.cpu = take_table(cursor)


def _take_chart(cursor: Cursor, span: Span, found: re.Match[str]) -> None:
    span.charts.append(("", take_table(cursor)))


def _take_titled_chart(cursor: Cursor, span: Span, found: re.Match[str]) -> bool:
    """Take the percentiles of one target or of all: the title may be only a path."""
    if not _CHART.fullmatch(_after(cursor)):
        return False
    title = found[0].removeprefix("Latency distribution:").strip()
    _skip_to(_CHART, cursor)
    span.charts.append((None if title in _TOTAL_CHART else title, take_table(cursor)))
    return True


def _take_rewritten_chart(cursor: Cursor, span: Span, found: re.Match[str]) -> bool:
    """Take percentiles from which fences and headings part the tables: a person's work."""
    if span.charts or not span.tables:
        return False
    for line in cursor.ahead(4):
        if _CHART.fullmatch(line):
            _skip_to(_CHART, cursor)
            span.rewritten = cursor.number
            span.charts.append(("", take_table(cursor)))
            return True
        if not _ORNAMENT.fullmatch(line):
            break
    return False


def _after(cursor: Cursor) -> str:
    """Return the next line that is not blank, behind that of the cursor."""
    return next(cursor.ahead(1), "")


def _skip_to(pattern: re.Pattern[str], cursor: Cursor) -> None:
    while not pattern.fullmatch(cursor.bare):
        cursor.take()


def _take_extra(cursor: Cursor, span: Span, found: re.Match[str]) -> None:
    """Take a block that no table of ours holds, line by line."""
    heading = found[0].rstrip(":")
    cursor.take()
    while not cursor.done:
        line = cursor.bare
        if heading == "ETW":
            goes_on = not line or is_rule(line) or bool(_ETW.fullmatch(cursor.line))
        elif heading == "Totals":
            goes_on = not line or is_rule(line) or bool(_TOTALS.fullmatch(line))
        else:
            goes_on = bool(line)
        if not goes_on or _RESULTS.fullmatch(line):
            break
        if line and not is_rule(line):
            span.extras.append((heading, line))
            if heading == "Totals":
                span.totals.append((cursor.number, cells(line)))
        cursor.take()


_BLOCKS: tuple[tuple[re.Pattern[str], Taker[Output]], ...] = (
    (_ANYTHING, _take_message),
    (_COMMAND, _take_command),
    (_INDENTED, _take_indented),
    (_RESULTS, _take_results),
    (_FACT, _take_fact),
    (_CAPTION, _take_caption),
)
_OF_SPAN: tuple[tuple[re.Pattern[str], Taker[Span]], ...] = (
    (_FAILED, _take_failed),
    (_CPU, _take_cpu),
    (_CHART, _take_chart),
    (_EXTRA, _take_extra),
    (_LATER, _take_later),
    (_ORNAMENT, _take_rewritten_chart),
    (_ANYTHING, _take_titled_chart),
)


# --- lines and tables, as the tool prints them and as people paste them -----------------------


def take_table(cursor: Cursor) -> Table:
    """Take a header and the rows below it, to the first other line."""
    table = Table(cells(cursor.line), cursor.number)
    cursor.take()
    while not cursor.done:
        is_blank = not cursor.bare and _goes_on(cursor, table)
        if is_blank or is_rule(cursor.bare):
            cursor.take()
        elif "|" not in cursor.bare or _begins_chart(cursor.bare, table):
            break
        elif cursor.is_open and not _is_whole(cursor.bare, table):
            table.cut = cursor.number
            cursor.take()
        else:
            table.rows.append((cursor.number, cells(cursor.take(), len(table.columns))))
    return table


def _goes_on(cursor: Cursor, table: Table) -> bool:
    """Return whether a row stands below a blank line: people double the ends of lines."""
    row = cells(next((line for line in cursor.ahead(3) if not is_rule(line)), ""))
    return bool(_FIRST.fullmatch(label(row[0]))) and len(row) >= width(table, row)


def _begins_chart(line: str, table: Table) -> bool:
    """Return whether a line begins another table: blank lines above it may be lost."""
    return table.columns[0] != "%-ile" and cells(line)[0] == "%-ile"


def _is_whole(line: str, table: Table) -> bool:
    """Return whether the last row of a text is whole: its last cell looks like those above."""
    row = cells(line, len(table.columns))
    if len(row) < width(table, row):
        return False
    if line.endswith("|") or row[-1] == "N/A" or _SIZED.search(row[-1]):
        return True
    above = {_decimals(cells[len(row) - 1]) for _, cells in table.rows if len(cells) >= len(row)}
    return bool(_decimals(row[-1])) and _decimals(row[-1]) in above


def width(table: Table, row: list[str]) -> int:
    """Return how many cells a row has: a total belongs to no file, an average to no processor."""
    if row[0] == "avg" and "CPU" in table.columns:
        return len(table.columns) - table.columns.index("CPU")
    return len(table.columns) - (row[0] == "total")


def label(cell: str) -> str:
    """Return a row's label without Markdown."""
    return cell.strip("*`_ ").lower()


def _decimals(cell: str) -> str:
    """Return the decimals as zeros, whose number DISKSPD fixes: ``00`` for 12.34, ``00%``."""
    return re.sub(r"\d", "0", cell.partition(".")[2])


def cells(line: str, columns: int = 0) -> list[str]:
    """Split a row at its bars; further bars belong to the last column, the path."""
    line = re.sub(r"^(\|?\s*)(total|avg)[.:]+(?:\s*\|)?", r"\1\2|", line.strip())
    line = line.removeprefix("|")
    if line.endswith("|"):
        line = line[:-1]
    return [cell.strip() for cell in line.split("|", columns - 1 if columns else -1)]
