"""What hyperfine shows in a terminal, and its table in Markdown.

A terminal's block begins with ``Benchmark 1:`` and the command; version 1 writes a line of the mean
and one of the range below, version 2 a table of metrics, without units in a narrow terminal. With
``--show-output`` the command's output stands between. Signs such as ± are often damaged, so any
short word may stand for them.
"""

from __future__ import annotations

import re

from fiotools.readers.document import line_end, line_start
from fiotools.readers.hyperfine.records import COLUMNS, REAL, SINGLE, Benchmark, Output, in_base
from fiotools.readers.text import Cursor

_METRICS = {  # what version 2 calls each of them in text
    "Wall Time": REAL,
    "CPU time": "time_cpu",
    "User time": "time_user",
    "System time": "time_system",
    "Memory": "memory_peak_resident",
    "CPU cycles": "cpu_cycles",
    "Instructions": "instructions",
    "Cache references": "cache_references",
    "Cache misses": "cache_misses",
    "Branch misses": "branch_misses",
}
_N = r"\d{1,15}(?:\.\d{1,9})?"
_OF = r"\S{1,4}"  # between a value and its spread, or the ends of a range
_UNIT = r"[A-Za-zµμ]{1,3}"
_S = r"[ \t\xa0]{1,40}"
_END = r"[ \t\xa0]*+(?:\n\s*+|\Z)"  # of a line, with blank lines below


def _amount(name: str) -> str:
    return rf"(?P<{name}>{_N})(?: (?P<{name}_unit>{_UNIT}))?"


_TIME = (
    rf"Time \((?:(?P<abs>abs)|mean)[^)\n]{{0,16}}\):{_S}{_amount('mean')}"
    rf"(?(abs)|{_S}{_OF}{_S}{_amount('stddev')})"
    rf"(?:{_S}\[User: {_amount('user')}, System: {_amount('system')}\])?{_END}"
)
_RANGE = (
    rf"Range \(min[^)\n]{{0,16}}\):{_S}{_amount('min')}{_S}{_OF}{_S}{_amount('max')}"
    rf"(?:{_S}(?P<count>\d{{1,9}}) runs?)?{_END}"
)
_METRIC = re.compile(
    rf"(?P<label>{'|'.join(_METRICS)})(?: \[(?P<unit>{_UNIT})\])?{_S}{_amount('mean')}"
    rf"(?:{_S}{_OF}{_S}{_amount('stddev')}{_S}{_amount('min')}{_S}{_OF}{_S}{_amount('max')})?"
    rf"(?:{_S}(?:[+-]?[\d.]{{1,20}}%|N/A))?(?:{_S}\([^)\n]{{1,40}}\))?{_END}"
)
_HEADER = re.compile(r"Benchmark #?(?P<number>\d{1,6}): ?(?P<command>[^\n]*)" + _END)
_COUNTED = re.compile(r"(?P<command>.*) \((?P<count>\d{1,9}) runs?\)")
_TIMES = re.compile(rf"{_TIME}(?:{_RANGE})?")
_TITLES = re.compile(rf"(?:Value|mean{_S}{_OF}{_S}\S{{1,4}}{_S}min{_S}{_OF}{_S}max){_END}")
_WARNING = re.compile(rf"Warning: (?P<said>\S[^\n]*){_END}")
_ERROR = re.compile(
    rf"Error: (?P<said>[^\n]*\b(?:terminated|exit code|[Ff]ailed|not)\b[^\n]*){_END}"
)
_FAILED = "Ignoring non-zero exit code"
_SUMMARY = re.compile(
    rf"Summary{_END}(?:[^\n]* ran{_END})?"
    rf"(?:[\d.]{{1,20}}(?: \S{{1,4}} [\d.]{{1,20}})?x? (?:times )?(?:fast|slow|as )[^\n]*{_END})*"
)
_BLANK = re.compile(r"\s*+")
_WINDOW = 1 << 14  # characters above a line of times within which its command is looked for


# --- the terminal -----------------------------------------------------------------------------


def shown(text: str, start: int) -> tuple[int, int, Output] | None:
    """Read the blocks of a terminal that begin at a place."""
    begin = end = _BLANK.match(text, start).end()  # type: ignore[union-attr]  # it matches nothing too
    output, last = Output(), 0
    while True:
        header = _HEADER.match(text, end)
        if header and int(header["number"]) <= last:
            break
        if not header and output.found:
            break
        command = header["command"].strip() if header else _command_above(text, start)
        found = Benchmark(command or None, text.count("\n", begin, end))
        after = _block(text, header.end() if header else end, found)
        if after is None:
            break
        output.found.append(found)
        last, end = int(header["number"]) if header else 0, after
    if output.found and (summary := _SUMMARY.match(text, end)):
        end = summary.end()
    end = start + len(text[start:end].rstrip())
    return (start, end, output) if output.found else None


def _command_above(text: str, start: int) -> str | None:
    """Find the command of a block in which its output stands."""
    low = text.rfind("Benchmark ", max(0, start - _WINDOW), start)
    before = line_start(text, low, _WINDOW, "\r\n") if low >= 0 else None
    # the times between are of that command
    if before is None or text[before:low].strip() or "Time (" in text[low:start]:
        return None
    header = _HEADER.match(text[low : line_end(text, low)])
    return header["command"] if header else None


def _block(text: str, at: int, found: Benchmark) -> int | None:
    """Take the numbers of one command, and what hyperfine warns of below; return where it ends."""
    counted = _COUNTED.fullmatch(found.command or "")
    if error := _ERROR.match(text, at):
        found.error, at = error["said"].partition(". ")[0].rstrip(), error.end()
    elif times := _TIMES.match(text, at):
        _take_values(found, times)
        found.count = 1 if times["abs"] else int(times["count"] or 0) or None
        at = times.end()
    elif counted and (titles := _TITLES.match(text, at)):
        found.command, found.count, found.is_later = counted[1], int(counted["count"]), True
        at = titles.end()
        while (row := _METRIC.match(text, at)) and (row["stddev"] or found.count == 1):
            _take_values(found, row, _METRICS[row["label"]], row["unit"] or "")
            at = row.end()
    if not found.measures and not found.error:
        return None
    if found.count == 1:
        _make_run(found)
    while warning := _WARNING.match(text, at):
        said = warning["said"].partition(". ")[0].rstrip().removesuffix(".")
        found.is_bad |= said == _FAILED
        found.doubts.append(("printed", f"hyperfine warns: {said}"))
        at = warning.end()
    return at


def _take_values(
    found: Benchmark, line: re.Match[str], metric: str = REAL, shared: str = ""
) -> None:
    """Take the amounts of a line; ``shared`` is their unit if each has none of its own."""
    told = line.groupdict()
    for name in ("mean", "stddev", "user", "system", "min", "max"):
        found.put(metric, name, told.get(name), told.get(f"{name}_unit") or shared)


def _make_run(found: Benchmark) -> None:
    """Make a run of the only one, whose values are its own."""
    later = {column: f"{metric}/mean" for metric, column in COLUMNS.items()}
    names = later if found.is_later else SINGLE
    found.times = [found.real("mean")]
    found.beside = {column: [found.measures.get(name)] for column, name in names.items()}


# --- the table --------------------------------------------------------------------------------

_COLUMN = re.compile(
    rf"(?P<name>Mean|Min|Max|Min\S{{1,4}}Max)(?: (?P<label>{'|'.join(_METRICS)}))?"
    rf" \[(?P<unit>{_UNIT}|count)\]"
)
_STATISTICS = {"Mean": ("mean", "stddev"), "Min": ("min",), "Max": ("max",)}
_CELL = re.compile(rf"(?P<one>{_N})(?: ?{_OF} ?(?P<other>{_N}))?")
_CODE = re.compile(r"(`{1,20})(?P<text>.*)\1", re.DOTALL)
_RULE = re.compile(r"[\s|:-]+")


def tabled(text: str, start: int) -> tuple[int, int, Output] | None:
    """Read the table whose header begins at a place: Markdown, or as a page shows it."""
    cursor, output = Cursor(text, start), Output()
    sign = "|" if "|" in cursor.line else "\t"
    names = _cells(cursor.take(), sign)
    columns = {place: one for place, name in enumerate(names) if (one := _COLUMN.fullmatch(name))}
    if not columns or cursor.bare.startswith(("|-+", "|--+")):  # Org mode
        return None
    while sign in cursor.bare:
        cells = _cells(cursor.line, sign)
        if cells[0] == "Command":
            break  # another table: its unit may differ
        if not _RULE.fullmatch(cursor.bare):
            is_cut = cursor.is_open and sign == "|" and not cursor.bare.endswith("|")
            found = _row(names, columns, [] if is_cut else cells)
            if isinstance(found, Benchmark):
                found.line = cursor.number
                output.found.append(found)
            else:
                output.left_out.append((f"{found}: the row is left out", cursor.number))
        cursor.take()
    if not output.found and not output.left_out:
        output.left_out.append(("a table without rows below its header: nothing was read", 0))
    return start, cursor.end, output


def _cells(line: str, sign: str) -> list[str]:
    if sign == "|":
        line = line.strip().removeprefix("|").removesuffix("|")
    cells = re.split(rf"(?<!\\){re.escape(sign)}", line)
    return [cell.strip().replace(r"\|", "|") for cell in cells]


def _row(names: list[str], columns: dict[int, re.Match[str]], cells: list[str]) -> Benchmark | str:
    """Take one row by the header's columns, or say why there is none."""
    if len(cells) != len(names):
        return f"{len(cells)} cells where the header has {len(names)}"
    code = _CODE.fullmatch(cells[0])
    found = Benchmark(code["text"].strip() if code else cells[0])
    found.is_later = any(one["label"] for one in columns.values())
    for place, column in columns.items():
        cell = _CELL.fullmatch(cells[place])
        metric = _METRICS[column["label"]] if column["label"] else REAL
        if cell is None or in_base(cell["one"], column["unit"], metric) is None:
            return f"{column[0]} is {cells[place][:40]!r}"
        statistics = _STATISTICS.get(column["name"], ("min", "max"))
        for name, value in zip(statistics, cell.groups(), strict=False):
            found.put(metric, name, value, column["unit"])
    return found
