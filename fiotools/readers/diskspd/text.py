"""diskspd_text: the tables that DISKSPD prints by default.

Produced by ``diskspd ... target > run.txt``, and copied from there into articles, also as
Markdown. Fills ``runs`` (a run is one ``Results for timespan N``, or one set of bare tables),
``io`` (a row per thread, target and direction, then the totals as printed), ``settings`` (the
command line and ``Input parameters``), ``percentiles`` (of the whole run, and of each target if
there are several), ``cpu`` and ``extras``.

Traps. Columns depend on ``-L``, ``-D`` and the version; they are found by name. ``MB/s`` of old
versions, and of diskspd-for-linux, is 2^20. ``MiB/s``, ``I/O per s`` and ``actual test time`` have
two decimals each, which is one digit of a slow row's rate: a row's rates come from the most precise
of the three, if the others agree with it. The fastest row gives the time of a table without that
line. ``start time`` is when the results were printed: the end. The size behind a path is rounded.
``N/A`` and 0.000 mean that there was no I/O. diskspd-for-linux divides by the requested time, and
its total percentiles are wrong with more than one thread: they are left out. A percentile table
without a title belongs to the run only if there is no other. The text never says a version.

Specified in DISKSPD's ``ResultParser.cpp``, 2.0.12 to 2.2, and ``result_formatter.cc`` of
diskspd-for-linux.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import Any, NamedTuple, TypeAlias

from fiotools import units
from fiotools.errors import ParseError
from fiotools.readers.diskspd import is_progress, is_rule, is_trouble, options, runs, start_of
from fiotools.readers.diskspd.runs import (
    AMOUNTS,
    DIRECTIONS,
    DiskspdRun,
    Entry,
    Measures,
    PrintedCurve,
    nanoseconds,
)
from fiotools.readers.document import Document, Report, Session, line_end, lines_above, read_reports
from fiotools.readers.text import Cursor, Taker, taken
from fiotools.tables.notes import Note
from fiotools.tables.rows import Rows

# --- the layout: which lines make a report, and which blocks it has ---------------------------
#
# Nothing is counted in columns or lines: -L, -D, the machine and eleven versions change them. A
# block is known by its first line, a table's columns by their names. People paste the tables alone,
# also as Markdown; then a report is the three tables with their captions.

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
    sums: list[tuple[int, list[str]]] = field(default_factory=list)  # over several time spans
    rewritten: int | None = None  # the line of percentiles that a person wrote anew
    untitled: int | None = None  # the line of percentiles without a title
    # what `read_rows` makes of the tables, by direction: the rows of the threads, that of the total
    threads: dict[str, list[IoRow]] = field(default_factory=dict)
    totals: dict[str, IoRow] = field(default_factory=dict)
    # the time of the run, how far off it may be, and whether it was printed
    seconds: float = math.nan
    slack: float = math.nan
    is_timed: bool = False
    problems: list[Note] = field(default_factory=list)  # lines count as those of the span

    @property
    def spoiled(self) -> bool:
        """Whether the percentiles of reads and writes together are wrong.

        diskspd-for-linux adds every thread's histogram again to the sum of those before it.
        """
        return self.job and any(len(threads) > 1 for threads in self.threads.values())

    def all(self) -> list[IoRow]:
        """List every row, totals last."""
        return [*chain(*self.threads.values()), *self.totals.values()]

    def entries(self) -> dict[Who, dict[str, IoRow]]:
        """Return rows by thread and target, then by direction; a target may occur twice."""
        entries: dict[Who, dict[str, IoRow]] = {}
        for direction in DIRECTIONS:
            seen: Counter[tuple[int | None, str | None]] = Counter()
            for row in self.threads.get(direction, ()):
                who = (row.thread, row.target)
                seen[who] += 1
                entries.setdefault((*who, seen[who]), {})[direction] = row
        return entries


@dataclass
class Output:
    """One output of DISKSPD, or as much of it as was pasted."""

    command: str | None = None
    parameters: list[str] = field(default_factory=list)
    system: list[str] = field(default_factory=list)
    facts: dict[str, str] = field(default_factory=dict)
    spans: list[Span] = field(default_factory=list)
    errors: list[Note] = field(default_factory=list)
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
        # a percentile table without a title is of the whole run if it is the only one
        untitled = [table for name, table in span.charts if name == ""]
        if untitled and len(span.charts) == 1:
            span.charts = [(None, untitled[0])]
        elif untitled:
            span.charts = [chart for chart in span.charts if chart[0] != ""]
            span.untitled = untitled[0].line
    end = cursor.end
    if output.following:  # a line of dashes below the report belongs to the text behind it
        above = lines_above(text, end + 1)
        end = next(at + len(one) for at, one in above if one.strip() and not is_rule(one))
    return start, end, output


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
    if is_progress(found[0]):
        output.progress += 1
        return True
    if is_trouble(found[0]):
        output.errors.append(_warning("printed", cursor.number, found[0]))
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
        output.errors.append(_warning("repeats", heading, f"{found[0]!r} stands twice: read once"))
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
    if not _HEADER.fullmatch(next(cursor.ahead(1), "")):
        return False
    direction = found[1].lower()
    if not output.spans:
        output.spans.append(Span(cursor.number))
    elif direction in output.spans[-1].tables:
        return False
    output.spans[-1].tables[direction] = take_table(cursor, _HEADER)
    return True


def _take_later(cursor: Cursor, span: Span, found: re.Match[str]) -> bool:
    if span.failed or span.tables or span.cpu:
        return False
    span.facts[found[1]] = found[2]
    return True


def _take_failed(cursor: Cursor, span: Span, found: re.Match[str]) -> None:
    span.failed = found[0]


def _take_cpu(cursor: Cursor, span: Span, found: re.Match[str]) -> None:
    span.cpu = take_table(cursor, _CPU)


def _take_chart(cursor: Cursor, span: Span, found: re.Match[str]) -> None:
    span.charts.append(("", take_table(cursor, _CHART)))


def _take_titled_chart(cursor: Cursor, span: Span, found: re.Match[str]) -> bool:
    """Take the percentiles of one target or of all: the title may be only a path."""
    if not _CHART.fullmatch(next(cursor.ahead(1), "")):
        return False
    title = found[0].removeprefix("Latency distribution:").strip()
    target = None if title in _TOTAL_CHART else title
    rows = [cells for table in span.tables.values() for _, cells in table.rows]
    if target == found[0] and all(_SIZED.sub("", cells[-1]) != target for cells in rows):
        return False  # prose, and behind it they may be anyone's
    span.charts.append((target, take_table(cursor, _CHART)))
    return True


def _take_rewritten_chart(cursor: Cursor, span: Span, found: re.Match[str]) -> bool:
    """Take percentiles from which fences and headings part the tables: a person's work."""
    if span.charts or not span.tables:
        return False
    for line in cursor.ahead(4):
        if _CHART.fullmatch(line):
            table = take_table(cursor, _CHART)
            span.rewritten = table.line
            span.charts.append(("", table))
            return True
        if not _ORNAMENT.fullmatch(line):
            break
    return False


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
                span.sums.append((cursor.number, cells(line)))
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


def take_table(cursor: Cursor, header: re.Pattern[str]) -> Table:
    """Go to a header, and take it and the rows below it, to the first other line."""
    while not header.fullmatch(cursor.bare):
        cursor.take()
    table = Table(cells(cursor.line), cursor.number)
    cursor.take()
    while not cursor.done:
        if not cursor.bare and _goes_on(cursor, table):
            cursor.take_blanks()  # asked once of all of them: there may be thousands
        elif is_rule(cursor.bare):
            cursor.take()
        elif "|" not in cursor.bare:
            break
        elif table.columns[0] != "%-ile" == cells(cursor.bare)[0]:
            break  # another table begins: the blank lines above it may be lost
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


# --- the rows: what the blocks say ------------------------------------------------------------

_FILE = re.compile(r"(.*?)(?: \((\d[\d.]*(?:[KMGTPE]?i?B))\))?")
_WHOLE = re.compile(r"\d{1,17}")
_DECIMAL = re.compile(r"\d{1,17}(?:\.\d+)?")
_TIME = re.compile(r"(\d{1,9}(?:\.(\d+))?)s")
_MISSING = re.compile(r"|N/A|-?\d\.#\w+|-?nan(?:\(\w*\))?", re.IGNORECASE)
_CELL = re.compile(rf"{_DECIMAL.pattern}|{_MISSING.pattern}", re.IGNORECASE)
_PERCENTILES = {  # by the labels of their rows
    "min": 0.0,
    "max": 100.0,
    **{f"{percentile}th": float(percentile) for percentile in range(100)},
    **{f"{nines}-nines": float("99." + "9" * (nines - 2)) for nines in range(3, 10)},
}
_MEASURES = {  # columns of a table, and of `io`
    "bytes": "io_bytes",
    "i/os": "total_ios",
    "i/opers": "iops",
    "iopsstddev": "iops_stddev",
    "avglat": "lat_mean_ns",
    "latstddev": "lat_stddev_ns",
}
_MIB = 2**20
Who: TypeAlias = tuple[int | None, str | None, int]  # thread, target, which of the same
_USAGE = ("usage", "user", "kernel", "idle")


class IoRow(NamedTuple):
    """One row of a table, as numbers; latencies in ms."""

    line: int
    thread: int | None
    target: str | None
    size: int | None
    measures: dict[str, Any]
    others: dict[str, str]  # columns of a later version
    printed: tuple[Speed, ...]  # what it says of its speed


class Speed(NamedTuple):
    """Both rates of a row, as one of the printed numbers gives them."""

    half: float  # by how much the reciprocal of its time may be off
    iops: float
    bw: float

    def agrees(self, other: Speed, count: int) -> bool:
        """Return whether another number is that of the same count in the same time."""
        return abs(self.iops - other.iops) <= (self.half + other.half) * count * _ROUNDED


_ROUNDED = 1.02  # doubles are printed: a tie may go either way


def _warning(code: str, line: int, message: str) -> Note:
    return Note(code, "warning", line, message)


def read_rows(span: Span) -> None:
    """Read the Total, Read and Write tables of one run."""
    for direction, table in span.tables.items():
        span.threads[direction] = []
        for line, cells in table.rows:
            row = _row(table, line, cells, span.problems)
            if row is None:
                message = f"not a row of the table: {' | '.join(cells)[:60]!r}"
                span.problems.append(_warning("left out", line, message))
            elif row.thread is None:
                span.totals[direction] = row
            else:
                span.threads[direction].append(row)
    _read_time(span)
    late = [row for row in span.all() if not _set_rates(span, row)]
    if late and span.is_timed:
        measures, others = late[0].measures, len(late) - 1
        message = "{iops} I/O per s is not {total_ios} I/Os".format_map(measures)
        message += f" in {span.seconds} s" + (f"; nor in {others} more rows" if others else "")
        span.problems.append(_warning("contradiction", late[0].line, message))


def _row(table: Table, line: int, cells: list[str], problems: list[Note]) -> IoRow | None:
    names = [re.sub(r"\(ms\)|\s", "", name).lower() for name in table.columns]
    cell = dict(zip(names, cells, strict=False))
    first = label(cell.get("thread", ""))
    if first != "total" and not _WHOLE.fullmatch(first):
        return None
    if len(cells) < len(names):  # only the file may be missing: other gaps shift the cells
        fileless = first == "total" or _DECIMAL.fullmatch(cells[-1]) or cells[-1] == "N/A"
        if names[-1] != "file" or len(cells) < len(names) - 1 or not fileless:
            return None

    def number(name: str) -> Any:
        is_whole = name in ("bytes", "i/os")
        text = cell.get(name, "")
        text = options.ungrouped(text) if is_whole else text
        if (_WHOLE if is_whole else _DECIMAL).fullmatch(text):
            return int(text) if is_whole else float(text)
        if is_whole or not _MISSING.fullmatch(text):
            what = "a whole number" if is_whole else "a number"
            message = f"{name} is {text!r}, not {what}: left out"
            problems.append(_warning("left out", line, message))
        return None

    measures = {measure: number(name) for name, measure in _MEASURES.items()}
    unit = next((name for name in ("mib/s", "mb/s") if name in cell), "")
    rate = number(unit)
    measures["bw_bytes_per_s"] = None if rate is None else rate * _MIB
    texts = cell.get("i/opers", ""), cell.get(unit, "")
    printed = _speeds(measures, *texts)
    if len(printed) == 2 and not printed[0].agrees(printed[1], measures["total_ios"]):
        exact = units.human(printed[0].bw, "B/s")
        message = f"{texts[1]} {unit} is not {exact}, which bytes, I/Os and I/O per s give"
        message = f"{message}; the printed rate is kept"
        problems.append(_warning("contradiction", line, message))
    file = _FILE.fullmatch(cell.get("file", ""))
    known = ("thread", "file", "mib/s", "mb/s", "", *_MEASURES)
    titled = zip(table.columns, names, cells, strict=False)
    return IoRow(
        line,
        None if first == "total" else int(first),
        (file[1] or None) if file else None,
        options.printed_size(file[2]) if file else None,
        measures,
        {title: text for title, name, text in titled if name not in known and text},
        printed,
    )


def _speeds(measures: Mapping[str, Any], per_s: str, mib_per_s: str) -> tuple[Speed, ...]:
    """Return what I/O per s and MiB/s give, as far as they are printed."""
    size, count, iops, bw = (measures[name] for name in (*AMOUNTS, "iops", "bw_bytes_per_s"))
    if not (size and count):
        return ()
    found = []
    if iops is not None:
        found.append(Speed(_half(per_s) / count, iops, iops * size / count))
    if bw is not None:
        found.append(Speed(_half(mib_per_s) * _MIB / size, bw * count / size, bw))
    return tuple(found)


def _half(text: str) -> float:
    """Return half of the last digit that is printed."""
    return 0.5 * 10.0 ** -len(text.partition(".")[2])


def _read_time(span: Span) -> None:
    printed = span.facts.get("actual test time") or span.facts.get("test time")
    found = _TIME.fullmatch(printed or "")
    if found and float(found[1]):
        span.seconds, span.is_timed = float(found[1]), True
        # diskspd-for-linux divides by the requested time, in whole seconds
        span.slack = _half(found[1]) if found[2] else 0.0
        return
    # the fastest row has the rate with the most digits
    rated = [(speed, row) for row in span.all() for speed in row.printed if speed.iops]
    if rated:
        speed, row = min(rated, key=lambda pair: pair[0].half)
        span.seconds = row.measures["total_ios"] / speed.iops
        # as DISKSPD rounds it, at best: an excerpt has the rates of the whole output
        span.slack = max(span.seconds**2 * speed.half, _half("0.00"))


def _set_rates(span: Span, row: IoRow) -> bool:
    """Set a row's rates to the most precise that is printed; return whether its time agrees."""
    measures, count = row.measures, row.measures["total_ios"]
    if not row.printed or any(not row.printed[0].agrees(one, count) for one in row.printed):
        return True
    known = row.printed
    fits = True
    if span.seconds > span.slack:
        half = span.slack / span.seconds / (span.seconds - span.slack)
        timed = Speed(half, count / span.seconds, measures["io_bytes"] / span.seconds)
        fits = all(one.agrees(timed, count) for one in known)
        known += (timed,) * fits
    _, measures["iops"], measures["bw_bytes_per_s"] = min(known, key=lambda one: one.half)
    return fits


def check_plan(span: Span, asked: options.Asked) -> options.Asked:
    """Note where the tables contradict the conditions; return the possible conditions."""
    first = next((row.line for row in span.all()), span.line)
    told = span.threads.get("total") or next(iter(span.threads.values()), [])
    count = Counter(row.thread for row in told)
    said = options.count(span.facts.get("thread count"))
    missing = runs.gap(said, list(count.items()), asked.each) if told else None
    unread = asked.unread and f"not certain, and left out: {'; '.join(asked.unread)}"
    named = dict.fromkeys(row.target for row in span.all() if row.target is not None)
    unasked = "" not in asked.targets and [name for name in named if name not in asked.targets]
    strange = asked.settings and unasked and f"no input parameters name {', '.join(unasked)}"
    threads, seen = asked.total.get("numjobs"), said or len(count)
    doubled = None
    if asked.each and seen and threads not in (None, seen):
        doubled = f"the input parameters are of {threads} threads, the results of {seen}"
        asked = replace(asked, total={**asked.total, "numjobs": None})
    found = [("incomplete", missing)]
    found += [("conditions", str(one)) for one in (unread, strange, doubled) if one]
    span.problems += [_warning(code, first, message) for code, message in found if message]
    return asked


def check_sums(spans: Sequence[Span]) -> Iterator[tuple[int, str]]:
    """Yield contradictions between the runs of a file and its ``Totals:``."""
    for line, cells in chain.from_iterable(span.sums for span in spans):
        direction = cells[0].lower()
        for name, cell in zip(AMOUNTS, cells[1:3], strict=False):
            own = [span.totals[direction] for span in spans if direction in span.totals]
            ours = options.sum_of([row.measures[name] for row in own])
            if cell.isdecimal() and ours not in (None, int(cell)):
                yield line, f"Totals: {direction} {name} is {cell}, the runs sum to {ours}"


def check(span: Span) -> None:
    """Note where the tables contradict themselves, as those of the XML cannot."""
    if span.untitled is not None:
        message = "one of several charts of percentiles has no title: left out"
        span.problems.append(_warning("left out", span.untitled, message))
    for _, chart in span.charts:
        for line, cells in chart.rows:
            is_known = label(cells[0]) in _PERCENTILES
            if not is_known or not all(map(_CELL.fullmatch, cells[1:])):
                message = "not all of a row of percentiles can be read"
                message = f"{message}: {' | '.join(cells)[:60]!r}"
                span.problems.append(_warning("left out", line, message))
        if span.spoiled:
            message = "diskspd-for-linux miscounts the total percentiles of several threads"
            line = chart.rows[0][0] if chart.rows else 0
            span.problems.append(_warning("left out", line, f"{message}: left out"))
    for direction, total in span.totals.items():
        for name in AMOUNTS:
            parts, whole = span.threads[direction], total.measures[name]
            ours = options.sum_of([row.measures[name] for row in parts])
            if parts and None not in (ours, whole) and ours != whole:
                message = (
                    f"{direction}: {name} of the threads sum to {ours}, the total says {whole}"
                )
                span.problems.append(_warning("contradiction", total.line, message))


def read(document: Document, rows: Rows) -> None:
    """Read a text that holds nothing but DISKSPD's output."""
    read_reports(document, rows, add)
    if not rows.runs:
        raise ParseError(
            document.name,
            "holds a profile without results",
            line=document.reports[0].line if document.reports else 1,
            remedy="run DISKSPD without -Rp (-Rptext only prints what would be run)",
        )


def add(rows: Rows, report: Report, session: Session) -> int:
    """Add one output: a run for each of its time spans."""
    output: Output = report.data
    command = output.command or session.command
    given = options.arguments(command)
    for note in output.errors:
        rows.say(_moved(note, report.line))
    if output.progress:
        rows.note(f"{output.progress} lines of progress (-v) were left out", line=report.line)
    if not output.spans:
        rows.say(_warning("incomplete", report.line, "DISKSPD's parameters without results"))
    pairs = (line.strip().partition(":") for line in output.system)
    system = {name: text.strip() for name, _, text in pairs if text.strip()}
    when = system.get("start time")
    about: dict[str, Any] = {
        "format": "diskspd_text",
        "command": command,
        "host": system.get("computer name") or session.host,
        "reported_at": options.moment(when) if when else None,
    }
    asked = list(options.read_echo(output.parameters, given))
    for number, span in enumerate(output.spans):
        # without Input parameters, the command line holds for every time span
        plan = asked[number] if number < len(asked) else asked[0] if not output.parameters else None
        read_rows(span)
        check(span)
        gap = _gap(span, output)
        if gap is None and span is output.spans[-1] and len(output.spans) < len(asked):
            gap = (span.line, f"{len(asked)} time spans were asked for: the output ends before")
        run = _run(span, report.line, plan or options.Asked(), system)
        problems = _problems(span, gap, is_full=bool(output.parameters))
        run.problems = [_moved(note, report.line) for note in problems]
        status = "error" if span.failed else "truncated" if gap else "ok"
        place = runs.add(rows, run, status=status, **about)
        for name, value in output.facts.items():
            rows.add("settings", run=place, option=name, text=value, origin="given")
    for line, message in check_sums(output.spans):
        rows.say(_warning("contradiction", report.line + line, message))
    return rows.runs


def _moved(note: Note, first: int) -> Note:
    """Count the line of a note from the start of the file."""
    return note._replace(line=first + (note.line or 0))


def _problems(span: Span, gap: tuple[int, str] | None, *, is_full: bool) -> Iterator[Note]:
    """Yield what is wrong with a run."""
    if span.failed:
        yield Note("failed", "error", span.line, span.failed)
    elif gap:
        yield _warning("incomplete", *gap)
    if span.rewritten is not None:
        message = "the percentile table was rewritten by hand"
        yield Note("repaired", "info", span.rewritten, message)
    yield from span.problems
    if is_full and not gap and _lacks_chart(span):
        message = "no percentiles of the whole run were found"
        yield Note("incomplete", "info", span.line, message)


def _run(span: Span, first: int, asked: options.Asked, system: dict[str, str]) -> DiskspdRun:
    """Put the parts of a run together, and note what does not fit."""
    asked = check_plan(span, asked)
    entries = span.entries()
    of_run = [
        (f"System information/{name}", text)
        for name, text in system.items()
        if name not in ("computer name", "start time")
    ]
    run = DiskspdRun(
        asked,
        None if math.isnan(span.seconds) else span.seconds,
        [
            Entry(thread, target, _size(by_direction), _measures(by_direction, first))
            for (thread, target, _), by_direction in entries.items()
        ],
        Entry(measures=_measures(span.totals, first)),
        is_printed=True,
        curves=[*_curves(span, first)],
        extras=[
            (place, f"{direction.title()} IO/{name}", text)
            for place, entry in enumerate((*entries.values(), span.totals), 1)
            for direction, row in entry.items()
            for name, text in row.others.items()
        ],
    )
    if span.cpu is not None:
        _read_cpus(run, span.cpu, span.problems)
    run.extras += [(None, *pair) for pair in (*of_run, *span.facts.items(), *span.extras)]
    return run


def _size(by_direction: Mapping[str, IoRow]) -> int | None:
    return next((row.size for row in by_direction.values() if row.size is not None), None)


def _measures(by_direction: Mapping[str, IoRow], first: int) -> dict[str, Measures]:
    """Return the numbers of an entry's rows."""
    found = {}
    for direction in DIRECTIONS:
        if row := by_direction.get(direction):
            of = row.measures
            found[direction] = Measures(
                first + row.line,
                of["io_bytes"],
                of["total_ios"],
                of["iops"],
                of["bw_bytes_per_s"],
                nanoseconds(of["lat_mean_ns"]),
                nanoseconds(of["lat_stddev_ns"]),
                of["iops_stddev"],
            )
    return found


def _curves(span: Span, first: int) -> Iterator[PrintedCurve]:
    for number, (target, chart) in enumerate(span.charts, 1):
        titles = [name.split(" ")[0].lower() for name in chart.columns[1:]]
        rows = []
        for _, (name, *cells) in chart.rows:
            percentile = _PERCENTILES.get(label(name))
            if percentile is not None:
                cell = dict(zip(titles, cells, strict=False))
                texts = [cell.get(direction, "") for direction in DIRECTIONS]
                values = [float(text) if _DECIMAL.fullmatch(text) else None for text in texts]
                if span.spoiled and 0 < percentile < 100:
                    values[-1] = None
                rows.append((percentile, *values))
        line = first + (chart.rows[0][0] if chart.rows else 0)
        yield PrintedCurve.of(line, rows, target, 0 if target is None else number)


def _gap(span: Span, output: Output) -> tuple[int, str] | None:
    """Find where a run's results break off; a full report has three tables, and percentiles."""
    if not span.tables:
        return span.line, "the output ends before its tables"
    # people leave out the totals of an excerpt, but then of all its tables
    without = len(span.tables) - len(span.totals)
    totals_due = output.parameters or (not output.following and without == 1)
    last = span.line
    for direction, table in span.tables.items():
        last = table.rows[-1][0] if table.rows else last
        if table.cut is not None:
            return table.cut, "the output ends within this row: it is left out"
        if direction not in span.totals and totals_due:
            return last, f"the output ends before the row 'total:' of the {direction} table"
    for direction in ("total", "read", "write"):
        if output.parameters and direction not in span.tables:
            return last, f"the output ends before the {direction} table"
    for _, chart in span.charts:
        last = chart.rows[-1][0] if chart.rows else last
        if not chart.rows or label(chart.rows[-1][1][0]) != "max":
            return last, "the output ends within its percentiles"
    # at most a caption and half a header follow where it was cut
    if output.parameters and output.following <= 2 and _lacks_chart(span):
        return last, "the output ends before its percentiles"
    return None


def _lacks_chart(span: Span) -> bool:
    """Return whether latency was measured, and yet the run has no percentiles."""
    columns = next((table.columns for table in span.tables.values()), [])
    measured = any(name.startswith("AvgLat") for name in columns)
    return measured and None not in (target for target, _ in span.charts)


def _read_cpus(run: DiskspdRun, table: Table, problems: list[Note]) -> None:
    """Read the processors into a run; an average's cells are counted from the right."""
    names = [name.lower() for name in table.columns]
    count = 0
    for line, cells in table.rows:
        average = cells[0] == "avg"
        count += not average
        if cells[-1].lower() == names[-1]:  # the header again
            continue
        if len(cells) not in (len(names), width(table, cells)):
            message = f"not a row of processors: {' | '.join(cells)[:60]!r}"
            problems.append(_warning("left out", line, message))
            continue
        row = dict(zip(names[-len(cells) :], cells, strict=True))
        place = "CpuUtilization/" + ("Average" if average else f"CPU[{count}]")
        # such as 87.38%; 0/0 is printed as no number
        shares = [row.get(name, "").removesuffix("%").strip() for name in _USAGE]
        usage = [float(share) if _DECIMAL.fullmatch(share) else None for share in shares]
        name = "average" if average else row.get("cpu")
        run.cpus.append((options.count(row.get("group")), name, *usage))
        run.extras += [
            (None, f"{place}/{title}", row[name])
            for name, title in zip(names, table.columns, strict=True)
            if name not in ("cpu", "group", *_USAGE) and row.get(name)
        ]
