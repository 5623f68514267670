"""What hyperfine shows in a terminal, and its tables for people: Markdown, AsciiDoc, Org mode.

A terminal's block begins with ``Benchmark 1:`` and the command; version 1 writes a line of the mean
and one of the range below, version 2 a table of metrics, without units in a narrow terminal. With
``--show-output`` the command's output stands between. Signs such as ± are often damaged, so any
short word may stand for them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from copy import copy

from fiotools.readers.document import line_end, line_start, lines_above
from fiotools.readers.hyperfine.exports import SINGLE
from fiotools.readers.hyperfine.records import (
    COLUMNS,
    METRICS,
    REAL,
    Benchmark,
    Finding,
    in_base,
)
from fiotools.readers.text import Cursor

_N = r"\d{1,15}(?:\.\d{1,9})?"
_OF = r"\S{1,4}"  # between a value and its spread, or the ends of a range
_UNIT = r"[A-Za-zµμ]{1,3}"
_SPACE = r"[ \t\xa0]{1,40}"


def _amount(name: str) -> str:
    return rf"(?P<{name}>{_N})(?: (?P<{name}_unit>{_UNIT}))?"


_HEADER = re.compile(r"Benchmark #?(?P<number>\d{1,6}): ?(?P<command>.*)")
_COUNTED = re.compile(r"(?P<command>.*) \((?P<count>\d{1,9}) runs?\)")
_TIME = re.compile(
    rf"Time \((?:(?P<abs>abs)|mean)[^)\n]{{0,16}}\):{_SPACE}{_amount('mean')}"
    rf"(?(abs)|{_SPACE}{_OF}{_SPACE}{_amount('stddev')})"
    rf"(?:{_SPACE}\[User: {_amount('user')}, System: {_amount('system')}\])?"
)
_RANGE = re.compile(
    rf"Range \(min[^)\n]{{0,16}}\):{_SPACE}{_amount('min')}{_SPACE}{_OF}{_SPACE}{_amount('max')}"
    rf"(?:{_SPACE}(?P<count>\d{{1,9}}) runs?)?"
)
_COLUMNS = re.compile(
    rf"Value|mean{_SPACE}{_OF}{_SPACE}\S{{1,4}}{_SPACE}min{_SPACE}{_OF}{_SPACE}max"
)
_METRIC = re.compile(
    rf"(?P<label>{'|'.join(METRICS)})(?: \[(?P<unit>{_UNIT})\])?{_SPACE}{_amount('mean')}"
    rf"(?:{_SPACE}{_OF}{_SPACE}{_amount('stddev')}{_SPACE}{_amount('min')}"
    rf"{_SPACE}{_OF}{_SPACE}{_amount('max')})?"
    rf"(?:{_SPACE}(?:[+-]?[\d.]{{1,20}}%|N/A))?(?:{_SPACE}\([^)\n]{{1,40}}\))?"
)
_WARNING = re.compile(r"Warning: (?P<said>\S.*)")
_ERROR = re.compile(r"Error: (?P<said>.*\b(?:terminated|exit code|[Ff]ailed|not)\b.*)")
_FAILED = "Ignoring non-zero exit code"
_SUMMARY = re.compile(
    r".* ran|[\d.]{1,20}(?: \S{1,4} [\d.]{1,20})?x? (?:times )?(?:fast|slow|as ).*"
)
_WINDOW = 1 << 14  # characters above a line of times within which its command is looked for
# tables
_COLUMN = re.compile(
    rf"(?P<name>Mean|Min|Max|Min\S{{1,4}}Max)(?: (?P<label>{'|'.join(METRICS)}))?"
    rf" \[(?P<unit>{_UNIT}|count)\]"
)
_STATISTICS = {"Mean": ("mean", "stddev"), "Min": ("min",), "Max": ("max",)}
_CELL = re.compile(rf"(?P<one>{_N})(?: ?{_OF} ?(?P<other>{_N}))?")
_CODE = re.compile(r"(`{1,20}|=)(?P<text>.*)\1", re.DOTALL)
_RULE = re.compile(r"[\s|:+=-]+")
_OPENED = re.compile(r'\[cols="[^\n]{1,80}|\|={3,8}')  # AsciiDoc's lines above a table


# --- the terminal -----------------------------------------------------------------------------


def shown(text: str, start: int) -> tuple[int, int, list[Finding]] | None:
    """Read the blocks of a terminal that begin at a place."""
    cursor, found = Cursor(text, start), list[Finding]()
    if not _HEADER.fullmatch(cursor.bare):  # the command's output stands between
        benchmark = _block(cursor, _command_above(text, start))
        if benchmark is None:
            return None
        found.append((benchmark, "", 0))
    last = 0
    while header := _HEADER.fullmatch(cursor.bare):
        below = copy(cursor)
        below.take()
        benchmark = _block(below, header["command"])
        if int(header["number"]) <= last or benchmark is None:
            break
        found.append((benchmark, "", cursor.number))
        last, cursor = int(header["number"]), below
    if cursor.bare == "Summary":
        _take(cursor)
        while _SUMMARY.fullmatch(cursor.bare):
            cursor.take()
    return (start, cursor.end, found) if found else None


def _command_above(text: str, start: int) -> str | None:
    """Find the command of a block in which its output stands."""
    low = text.rfind("Benchmark ", max(0, start - _WINDOW), start)
    before = line_start(text, low, _WINDOW, "\r\n") if low >= 0 else None
    # the times between are of that command
    if before is None or text[before:low].strip() or "Time (" in text[low:start]:
        return None
    header = _HEADER.fullmatch(text[low : line_end(text, low)].strip())
    return header["command"] if header else None


def _block(cursor: Cursor, command: str | None) -> Benchmark | None:
    """Take the numbers of one command, and what hyperfine warns of below them."""
    found = Benchmark(command or None, {})
    cursor.take_blanks()
    counted = _COUNTED.fullmatch(command or "")
    if error := _ERROR.fullmatch(cursor.bare):
        found.error = error["said"].partition(". ")[0]
        cursor.take()
    elif counted and _COLUMNS.fullmatch(cursor.bare):
        found.command, found.count, found.is_later = counted[1], int(counted["count"]), True
        _take(cursor)
        while (row := _METRIC.fullmatch(cursor.bare)) and (row["stddev"] or found.count == 1):
            _take_values(found, row, METRICS[row["label"]], row["unit"] or "")
            _take(cursor)
    elif line := _TIME.fullmatch(cursor.bare):
        _take_values(found, line)
        found.count = 1 if line["abs"] else None
        _take(cursor)
        if ends := _RANGE.fullmatch(cursor.bare):
            _take_values(found, ends)
            found.count = int(ends["count"]) if ends["count"] else None
            cursor.take()
    if not found.measures and not found.error:
        return None
    if found.count == 1:
        _make_run(found)
    _take_warnings(cursor, found)
    return found


def _take_values(
    found: Benchmark, line: re.Match[str], metric: str = REAL, shared: str = ""
) -> None:
    """Take the amounts of a line; ``shared`` is their unit if each has none of its own."""
    for name in ("mean", "stddev", "min", "max", "user", "system"):
        text = line.groupdict().get(name)
        if text is None:
            continue
        unit = line[f"{name}_unit"] or shared
        value = in_base(text, metric, unit)
        if value is None:
            found.doubt("left out", f"{name} {text} {unit!r} is in no known unit: left out")
        else:
            found.measures[f"{metric}/{name}" if found.is_later else name] = value


def _make_run(found: Benchmark) -> None:
    """Make a run of the only one, whose values are its own."""
    names = {column: f"{metric}/mean" for metric, column in COLUMNS.items()}
    if not found.is_later:
        names = SINGLE
    found.times = [found.real("mean")]
    for column, name in names.items():
        value = found.measures.get(name)
        is_bytes = column == "max_rss_bytes" and value is not None
        found.beside[column] = [round(value) if is_bytes and value is not None else value]


def _take_warnings(cursor: Cursor, found: Benchmark) -> None:
    cursor.take_blanks()
    while warning := _WARNING.fullmatch(cursor.bare):
        said = warning["said"].partition(". ")[0].removesuffix(".")
        found.is_bad |= said == _FAILED
        found.doubt("printed", f"hyperfine warns: {said}")
        _take(cursor)


def _take(cursor: Cursor) -> None:
    """Go on to the next line that is not blank."""
    cursor.take()
    cursor.take_blanks()


# --- tables -----------------------------------------------------------------------------------


def tabled(text: str, start: int) -> tuple[int, int, list[Finding]] | None:
    """Read the table whose header begins at a place."""
    cursor = Cursor(text, start)
    rows = _stacked if _cells(cursor.line) == ["Command"] else _listed
    table = iter(rows(cursor))
    _, names = next(table, (0, []))
    columns = {place: one for place, name in enumerate(names) if (one := _COLUMN.fullmatch(name))}
    if not columns:
        return None
    found = [(*_row(names, columns, cells), above) for above, cells in table]
    for above, line in lines_above(text, start):
        if not _OPENED.fullmatch(line.strip()):
            break
        start, found = above, [(one, reason, number + 1) for one, reason, number in found]
    return (start, cursor.end, found) if found else None


def _listed(cursor: Cursor) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a table that has each on a line: Markdown, Org mode, or a page's text."""
    sign = "|" if "|" in cursor.line else "\t"
    head, is_spaced = cursor.number, False  # people double the ends of lines
    while sign in cursor.bare:
        cells = _cells(cursor.line, sign)
        if cells[0] == "Command" and cursor.number > head:
            break  # another table: its unit may differ
        if not _RULE.fullmatch(cursor.bare):
            is_cut = cursor.is_open and sign == "|" and not cursor.bare.endswith("|")
            yield cursor.number, [] if is_cut else cells
        cursor.take()
        is_spaced |= cursor.number == head + 1 and not cursor.bare
        if is_spaced:
            cursor.take_blanks()


def _stacked(cursor: Cursor) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of AsciiDoc's table: a cell on each line, a blank line between rows."""
    while cursor.bare and cursor.bare != "|===":
        above, row = cursor.number, list[str]()
        while cursor.bare.startswith("|") and cursor.bare != "|===":
            row += _cells(cursor.bare)
            cursor.take()
        yield above, row
        if cursor.bare:
            break
        cursor.take_blanks()
    if cursor.bare == "|===":
        cursor.take()


def _cells(line: str, sign: str = "|") -> list[str]:
    line = line.strip(" ")
    if sign == "|":
        line = line.strip().removeprefix("|").removesuffix("|")
    return [
        cell.strip().replace(r"\|", "|") for cell in re.split(rf"(?<!\\){re.escape(sign)}", line)
    ]


def _row(
    names: list[str], columns: dict[int, re.Match[str]], cells: list[str]
) -> tuple[Benchmark | None, str]:
    """Take one row by the header's columns, or say why there is none."""
    if len(cells) != len(names):
        return None, f"{len(cells)} cells where the header has {len(names)}: the row is left out"
    code = _CODE.fullmatch(cells[0])
    command = code["text"].strip() if code else cells[0]
    found = Benchmark(command, {}, is_later=any(one["label"] for one in columns.values()))
    for place, column in columns.items():
        cell = _CELL.fullmatch(cells[place])
        metric = METRICS[column["label"]] if column["label"] else REAL
        statistics = _STATISTICS.get(column["name"], ("min", "max"))
        for name, text in zip(statistics, cell.groups() if cell else ("",), strict=False):
            value = None if text is None else in_base(text or None, metric, column["unit"])
            if text is not None and value is None:
                return None, f"{column[0]} is {cells[place][:40]!r}: the row is left out"
            if value is not None:
                found.measures[f"{metric}/{name}" if found.is_later else name] = value
    return found, ""
