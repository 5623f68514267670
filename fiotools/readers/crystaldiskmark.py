"""crystaldiskmark: what CrystalDiskMark copies and saves as text.

Produced by its menu (Edit, Copy; File, Save); pasted into forums and articles, often without its
header. Fills ``runs``, ``io`` (a row per test and direction), ``settings`` (profile, test, mode,
count) and ``extras`` (edition, OS, comment; the date, which has no zone).

Traps. Each figure is the BEST of several runs, and the smallest latency of these runs stands
beside the highest rate: neither is a mean over runs. ``MB/s`` is 10^6, but the block size ``512KB``
and the size of the test file ``1000 MB``, as 2.x and 3.x print them, count in 1024. The tool
computes IOPS from MB/s. Before 7.0 it does not print the block size of sequential tests: that is a
default in ``settings``. A test that was not run is printed as zeros. The date is that of the text,
which was saved as UTF-16 up to 7.x, as UTF-8 since. KDiskMark and others print alike, but measure
with fio: they are not read.

Specified in ``DiskMarkDlg.cpp`` and ``DiskBench.cpp`` of CrystalDiskMark, 2.x to 9.0.1.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fiotools import units
from fiotools.errors import ParseError
from fiotools.readers.base import Report, Session, read_reports
from fiotools.readers.crystaldiskmark_lines import Result, Row
from fiotools.readers.crystaldiskmark_lines import parse as parse

if TYPE_CHECKING:
    from fiotools.sniff import Document
    from fiotools.tables import Tables

_NAME = "crystaldiskmark"
# above this block size, three decimals of MB/s tell more than one of IOPS
_PRECISE = 10_000
_PATTERNS = {
    "read": ("read", "randread"),
    "write": ("write", "randwrite"),
    "mixed": ("rw", "randrw"),
}


def read(document: Document, tables: Tables) -> None:
    """Read a text that is nothing but CrystalDiskMark's reports."""
    if not document.reports:
        raise ParseError(
            document.name,
            "holds no report of CrystalDiskMark",
            line=1,
            remedy="copy or save the text from its menu",
        )
    read_reports(document, tables, add)


def add(tables: Tables, report: Report, session: Session) -> int:
    """Add one report as a run with a row of I/O per test and direction."""
    result: Result = report.data
    run = tables.start_run(
        tool=_NAME,
        tool_version=result.version,
        format=_NAME,
        host=session.host,
        status="truncated" if result.cut else "ok",
    )
    doubts = [*result.problems, *([result.cut] if result.cut else [])]
    for line, message in doubts:
        tables.note(message, line=report.line + line, severity="warning", run=run)
    _add_facts(tables, run, report, result)
    test = result.facts.get("Test") or result.facts.get("Test Size", "")
    target = re.search(r"\[([A-Z]:)", test)
    size = re.match(r"\d+ *[KMG]i?B", test)
    idle, entry = [], 0
    for row in result.rows:
        if not (row.rate or row.iops or row.latency_us):
            idle.append(f"{row.label} {row.direction or ''}".strip())
            continue
        entry += 1
        tables.add(
            "io",
            run=run,
            entry=entry,
            target=target[1] if target else None,
            direction=row.direction,
            scope="job",
            rw=_PATTERNS[row.direction][row.random] if row.direction else None,
            bs_bytes=row.bs_bytes,
            iodepth=row.depth,
            numjobs=row.threads,
            rwmixread_pct=result.reads_pct if row.direction == "mixed" else None,
            size_bytes=int(units.size(size[0])) if size else None,
            # a rate that prints as zero was measured, but not printed
            bw_bytes_per_s=_whole(row.rate * 1e6),
            iops=_iops(row),
            lat_mean_ns=_whole(row.latency_us * 1000) if row.latency_us else None,
        )
        _add_default(tables, run, entry, row, result)
    if lost := next((row for row in result.rows if row.direction is None), None):
        message = f"{lost.label}: [Read], [Write] or [Mix] is cut off above"
        tables.note(message, line=report.line + lost.line, severity="warning", run=run)
    if idle:
        message = f"{len(idle)} tests were not run: {', '.join(idle[:8])}"
        tables.note(message, line=report.line, run=run)
    return run


def _whole(value: float) -> float | None:
    """Give a value that was printed to whole base units; zero is nothing measured."""
    return float(round(value)) or None


def _iops(row: Row) -> float | None:
    """Give the IOPS as printed, or computed as the tool does it: whichever has more digits."""
    if row.bs_bytes and row.rate and (row.iops is None or row.bs_bytes > _PRECISE):
        return round(row.rate * 1e6) / row.bs_bytes
    return row.iops or None


def _add_facts(tables: Tables, run: int, report: Report, result: Result) -> None:
    """Add what is said of the run, and that its figures are the best ones."""
    for name, text in result.facts.items():
        if not text:
            continue
        if name in ("Date", "OS", "Comment"):
            tables.add("extras", run=run, path=name, text=text)
        else:
            tables.add("settings", run=run, option=name, text=text, origin="given")
    if result.edition:
        tables.add("extras", run=run, path="edition", text=result.edition)
    count = re.search(r"\(x(\d{1,3})\)", result.facts.get("Test", ""))
    if count:
        tables.add("settings", run=run, option="count", text=count[1], origin="given")
    if count is None or count[1] != "1":
        of = f"{count[1]} runs" if count else "the runs"
        tables.note(f"each figure is the best of {of}, not their mean", line=report.line, run=run)


def _add_default(tables: Tables, run: int, entry: int, row: Row, result: Result) -> None:
    """Add the block size of a sequential test that does not say it."""
    if row.bs_bytes or row.random or not result.version:
        return
    queued = row.depth is not None  # since 4.0 there are two sequential tests
    text = "128KiB" if queued else "1MiB"
    tables.add("settings", run=run, entry=entry, option="block size", text=text, origin="default")
