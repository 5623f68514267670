"""The I/O tables and percentile charts of DISKSPD's text output: cells to figures.

The tables can contradict themselves, and what was asked for, as the elements of the XML cannot.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np

from fiotools import units
from fiotools.readers.diskspd import options
from fiotools.readers.diskspd.buckets import DIRECTIONS, Curve
from fiotools.readers.diskspd.checks import gap
from fiotools.readers.diskspd.layout import Span, Table, label

_FILE = re.compile(r"(.*?)(?: \((\d[\d.]*(?:[KMGTPE]?i?B))\))?")
_WHOLE = re.compile(r"\d{1,17}")
_DECIMAL = re.compile(r"\d{1,17}(?:\.\d+)?")
_TIME = re.compile(r"(\d{1,9}(?:\.(\d+))?)s")
_MISSING = re.compile(r"|N/A|-?\d\.#\w+|-?nan(?:\(\w*\))?", re.IGNORECASE)
_CELL = re.compile(rf"{_DECIMAL.pattern}|{_MISSING.pattern}", re.IGNORECASE)
_NINES = re.compile(r"([3-9])-nines")
_PLAIN = re.compile(r"(\d\d?)th")
_COLUMNS = (
    *("thread", "bytes", "i/os", "mib/s", "mb/s", "i/opers"),
    *("avglat", "latstddev", "iopsstddev", "file", ""),
)
_MIB = 2**20
Who: TypeAlias = tuple[int | None, str | None, int]  # thread, target, which of the same


@dataclass
class Row:
    """One row of a table, as numbers; latencies in ms."""

    line: int
    thread: int | None
    target: str | None
    size: int | None
    figures: dict[str, Any]
    others: dict[str, str]  # columns of a later version


@dataclass
class Rows:
    """The I/O tables of one run.

    Attributes
    ----------
    threads, totals : dict
        By direction: the rows of the threads, the row of the total.
    seconds, slack : float or None
        The time of the run, and how far rounding may have moved it; no slack where it was computed.
    problems : list of (line, message)
        What does not fit.
    spoiled : bool
        Whether the percentiles of reads and writes together are wrong.
    """

    threads: dict[str, list[Row]] = field(default_factory=dict)
    totals: dict[str, Row] = field(default_factory=dict)
    seconds: float | None = None
    slack: float | None = None
    problems: list[tuple[int, str]] = field(default_factory=list)
    spoiled: bool = False

    def all(self) -> Iterator[Row]:
        """Give every row, totals last."""
        for rows in self.threads.values():
            yield from rows
        yield from self.totals.values()

    def entries(self) -> dict[Who, dict[str, Row]]:
        """Give the rows of each thread on each target by direction; a target may be there twice."""
        entries: dict[Who, dict[str, Row]] = {}
        for direction in DIRECTIONS:
            seen: Counter[tuple[int | None, str | None]] = Counter()
            for row in self.threads.get(direction, ()):
                who = (row.thread, row.target)
                seen[who] += 1
                entries.setdefault((*who, seen[who]), {})[direction] = row
        return entries


def listed(entries: Sequence[Mapping[str, Row]], names: Sequence[str], none: Any) -> list[Any]:
    """Give figures of entries one behind the other, as a `Run` has them."""
    figures = [
        entry[direction].figures[name] if direction in entry else None
        for entry in entries
        for name in names
        for direction in DIRECTIONS
    ]
    return [none if figure is None else figure for figure in figures]


def read_rows(span: Span) -> Rows:
    """Read the Total, Read and Write tables of one run."""
    rows = Rows()
    for direction, table in span.tables.items():
        rows.threads[direction] = []
        for line, cells in table.rows:
            row = _row(table, line, cells, rows.problems)
            if row is None:
                rows.problems.append((line, f"not a row of the table: {' | '.join(cells)[:60]!r}"))
            elif row.thread is None:
                rows.totals[direction] = row
            else:
                rows.threads[direction].append(row)
    _read_time(rows, span)
    # diskspd-for-linux adds every thread's histogram again to the sum of those before it
    rows.spoiled = span.job and any(len(threads) > 1 for threads in rows.threads.values())
    return rows


def _row(table: Table, line: int, cells: list[str], problems: list[tuple[int, str]]) -> Row | None:
    names = [re.sub(r"\(ms\)|\s", "", name).lower() for name in table.columns]
    cell = dict(zip(names, cells, strict=False))
    first = label(cell.get("thread", ""))
    if first != "total" and not _WHOLE.fullmatch(first):
        return None
    if len(cells) < len(names):  # only the file may miss: what else is cut out shifts the others
        fileless = first == "total" or _DECIMAL.fullmatch(cells[-1]) or cells[-1] == "N/A"
        if names[-1] != "file" or len(cells) < len(names) - 1 or not fileless:
            return None

    def value(name: str) -> float | None:
        text = cell.get(name, "")
        if _DECIMAL.fullmatch(text):
            return float(text)
        if not _MISSING.fullmatch(text):
            problems.append((line, f"{name} is {text!r}, no number: left out"))
        return None

    def whole(name: str) -> int | None:
        text = options.ungrouped(cell.get(name, ""))
        if _WHOLE.fullmatch(text):
            return int(text)
        problems.append((line, f"{name} is {text!r}, no whole number: left out"))
        return None

    amount, count, iops = whole("bytes"), whole("i/os"), value("i/opers")
    printed = next((name for name in ("mib/s", "mb/s") if name in cell), "")
    rate = value(printed)
    exact = None if rate is None else rate * _MIB
    if amount and count and iops:
        given, exact = exact, iops * amount / count
        digits = len(cell[printed].partition(".")[2]) if printed else 0
        # both were rounded to half their last digit
        slack = 0.5 * 10**-digits * _MIB + exact * 0.005 / iops
        if given is not None and abs(exact - given) > slack * 1.001:
            message = f"{cell[printed]} {printed} is not {units.human(exact, 'B/s')}, which bytes,"
            problems.append((line, f"{message} I/Os and I/O per s give; the printed rate is kept"))
            exact = given
    file = _FILE.fullmatch(cell.get("file", ""))
    return Row(
        line,
        None if first == "total" else int(first),
        (file[1] or None) if file else None,
        options.printed_size(file[2]) if file else None,
        {
            "io_bytes": amount,
            "total_ios": count,
            "iops": iops,
            "bw_bytes_per_s": exact,
            "iops_stddev": value("iopsstddev"),
            "lat_mean_ns": value("avglat"),
            "lat_stddev_ns": value("latstddev"),
        },
        {
            title: text
            for title, name, text in zip(table.columns, names, cells, strict=False)
            if name not in _COLUMNS and text
        },
    )


def _read_time(rows: Rows, span: Span) -> None:
    printed = span.facts.get("actual test time") or span.facts.get("test time")
    found = _TIME.fullmatch(printed or "")
    if found and float(found[1]):
        rows.seconds = float(found[1])
        # diskspd-for-linux divides by the whole seconds that it was asked for
        rows.slack = 0.5 * 10 ** -len(found[2]) if found[2] else 0.0
        return
    # the fastest row has the rate with the most figures
    rated = [row.figures for row in rows.all() if row.figures["total_ios"] and row.figures["iops"]]
    if rated:
        best = max(rated, key=lambda figures: float(figures["iops"]))
        rows.seconds = best["total_ios"] / best["iops"]


def curve(chart: Table, **place: Any) -> Curve:
    """Read the cells of a chart of percentiles."""
    titles = [name.split(" ")[0].lower() for name in chart.columns[1:]]
    rows = []
    for _, (name, *cells) in chart.rows:
        percentile = _percentile(label(name))
        if percentile is not None:
            cell = dict(zip(titles, cells, strict=False))
            texts = [cell.get(direction, "") for direction in DIRECTIONS]
            values = [float(text) if _DECIMAL.fullmatch(text) else math.nan for text in texts]
            rows.append((percentile, *values))
    matrix = np.array(rows, dtype=np.float64).reshape(-1, 1 + len(DIRECTIONS))
    return Curve(matrix[:, 0], matrix[:, 1:], **place)


def unread(chart: Table) -> Iterator[tuple[int, str]]:
    """Say which rows of a chart are none, or hold something that is no number."""
    for line, cells in chart.rows:
        is_known = _percentile(label(cells[0])) is not None
        if not is_known or not all(map(_CELL.fullmatch, cells[1:])):
            yield line, f"not all of a row of percentiles can be read: {' | '.join(cells)[:60]!r}"


def _percentile(name: str) -> float | None:
    nines = _NINES.fullmatch(name)
    if nines:
        return float("99." + "9" * (int(nines[1]) - 2))
    if name in ("min", "max"):
        return 0.0 if name == "min" else 100.0
    plain = _PLAIN.fullmatch(name)
    return float(plain[1]) if plain else None


def percentage(cell: str | None) -> float:
    """Read a cell such as ``87.38%``; 0/0 is printed as no number."""
    digits = (cell or "").removesuffix("%").strip()
    return float(digits) if _DECIMAL.fullmatch(digits) else math.nan


def check_plan(rows: Rows, span: Span, asked: options.Asked) -> options.Asked:
    """Note where the tables contradict what is said of the run; give what of that can be true."""
    first = next((row.line for row in rows.all()), span.line)
    told = rows.threads.get("total") or next(iter(rows.threads.values()), [])
    count = Counter(row.thread for row in told)
    said = options.count(span.facts.get("thread count"))
    missing = gap(said, list(count.items()), asked.each) if told else None
    unread = asked.unread and f"not certain, and left out: {'; '.join(asked.unread)}"
    named = dict.fromkeys(row.target for row in rows.all() if row.target is not None)
    unasked = "" not in asked.targets and [name for name in named if name not in asked.targets]
    strange = asked.settings and unasked and f"no input parameters name {', '.join(unasked)}"
    threads, seen = asked.total.get("numjobs"), said or len(count)
    doubled = None
    if asked.each and seen and threads not in (None, seen):
        doubled = f"the input parameters are of {threads} threads, the results of {seen}"
        asked = replace(asked, total={**asked.total, "numjobs": None})
    messages = (missing, unread, strange, doubled)
    rows.problems += [(first, message) for message in messages if message]
    return asked


def check_totals(
    totals: Sequence[tuple[int, list[str]]], runs: Sequence[Rows]
) -> Iterator[tuple[int, str]]:
    """Ask whether the runs of a file make what its ``Totals:`` say."""
    for line, cells in totals:
        direction = cells[0].lower()
        for name, cell in zip(("io_bytes", "total_ios"), cells[1:3], strict=False):
            parts = [run.totals[direction].figures[name] for run in runs if direction in run.totals]
            if not cell.isdecimal() or None in parts:
                continue
            if sum(parts) != int(cell):
                message = f"Totals: {direction} {name} is {cell}, the runs sum to {sum(parts)}"
                yield line, message


def check(rows: Rows, span: Span) -> None:
    """Note where the tables contradict themselves, as those of the XML cannot."""
    if span.untitled is not None:
        message = "one of several charts of percentiles has no title: left out"
        rows.problems.append((span.untitled, message))
    for _, chart in span.charts:
        rows.problems += unread(chart)
        if rows.spoiled:
            message = "diskspd-for-linux miscounts the total percentiles of several threads"
            line = chart.rows[0][0] if chart.rows else 0
            rows.problems.append((line, f"{message}: left out"))
    for direction, total in rows.totals.items():
        for name in ("io_bytes", "total_ios"):
            parts = [row.figures[name] for row in rows.threads[direction]]
            whole = total.figures[name]
            if parts and whole is not None and None not in parts and sum(parts) != whole:
                message = f"{direction}: {name} of the threads sum to {sum(parts)}, the total says"
                rows.problems.append((total.line, f"{message} {whole}"))
    if rows.seconds is None or rows.slack is None or rows.seconds <= rows.slack:
        return
    seconds, slack = rows.seconds, rows.slack
    wrong = [row for row in rows.all() if not _fits(row.figures, seconds, slack)]
    if wrong:
        figures, others = wrong[0].figures, len(wrong) - 1
        message = "{iops} I/O per s is not {total_ios} I/Os".format_map(figures)
        message += f" in {rows.seconds} s" + (f"; nor in {others} more rows" if others else "")
        rows.problems.append((wrong[0].line, message))


def _fits(figures: dict[str, Any], seconds: float, slack: float) -> bool:
    """Say whether a rate is its count by the time, both rounded."""
    count, iops = figures["total_ios"], figures["iops"]
    if count is None or iops is None:
        return True
    low, high = count / (seconds + slack), count / (seconds - slack)
    return bool(low - 0.0051 <= iops <= high + 0.0051)
