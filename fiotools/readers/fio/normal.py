"""fio_normal: the report that fio prints for people, alone or in the middle of other text.

Produced by ``fio ...`` or ``fio --output=report.txt ...``. Fills ``runs``, ``jobs``, ``io``,
``percentiles``, ``bins`` (the coarse distribution, as percent), ``disks``, ``samples`` (the
earlier reports of ``--status-interval``), ``settings`` (from a command line, where a transcript
shows one) and ``extras`` (depths, date, the group summary).

The definition line above (``job: (g=0): rw=..., bs=..., iodepth=...``) gives the conditions.
Figures are recomputed from the exact ones (``issued rwts``, milliseconds, block size) where the
result prints like what is printed; else the printed one, three to six digits, stands.

Traps: units change from line to line (nsec, usec, msec; KiB, MiB; Gibit with ``unit_base=1``);
``k`` is 1000; before 3.0 ``KB`` is 1024, but early fio 1 meant 1000 by it in bandwidths; digits
behind the point can be wrong (11.96 is printed as 11.0), so of two prints of one figure the safer
one is taken; the ``lat (usec)   :`` lines look like ``lat (usec):`` and hold the completion
latency; with ``kb_base=1000`` the line ``bw ( MiB/s)`` counts 1000 KiB; the date has no zone, so it
stays in ``extras``, like latencies by priority; reports of one process repeat with
``--status-interval`` and are cumulative: the last one counts. ``jobs=2`` is a group; which
conditions hold for a group of unlike jobs is left open. Counts and rates, and a group's entries and
its summary, are held against each other.

Grammar: fio ``stat.c`` (``show_thread_status_normal``) and ``init.c``, 1.x to 3.42.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fiotools.errors import ParseError
from fiotools.readers.base import read_reports
from fiotools.readers.fio.normal_lines import (
    CLIENT,
    Run,
    bare,
    begins,
    stands_above,
    take,
    take_above,
)
from fiotools.readers.fio.normal_rows import add
from fiotools.readers.fio.terse_lines import heading, is_entry
from fiotools.readers.formats import FIO_SAID
from fiotools.readers.text import Cursor, line_start, lines_above

if TYPE_CHECKING:
    from fiotools.input.detect import Document
    from fiotools.tables import Tables

# how far to look for the ends of a line of fio's: with progress before it, and without
_LINE, _PROGRESS = 5_000, 65_000
_ENTRY = re.compile(r"[^\n]*?([^\n\r]*): \(groupid=(\d+), jobs=\d+\): err=")
_LAST = ("%", "msec")  # the end of a last line that is whole
_STRANGE = 5  # so many lines on end that are not understood are not fio's


def read(document: Document, tables: Tables) -> None:
    """Read a text that is nothing but fio's human reports."""
    if not document.reports:
        said = FIO_SAID.search(document.text)
        raise ParseError(
            document.name,
            f"fio printed no report; it said {said[0][:120]!r}" if said else "no report of fio",
            line=document.line(said.start()) if said else 1,
            remedy="correct that and run fio again",
        )
    read_reports(document, tables, add)


def parse(text: str, match: re.Match[str]) -> tuple[int, int, Run] | None:
    """Read the report around the first entry's ``(groupid=0, jobs=1): err=``."""
    first = _entry_start(text, match.start())
    most = match.end() + _LINE
    stop = text.find("\n", match.end(), most)
    if first is None or (most < len(text) and stop < 0):
        return None
    # what stands above is walked over once, for a report, and not for each line that is none
    if not begins(bare(text[first : stop if stop >= 0 else len(text)])):
        return None
    start, run = _above(text, first), Run()
    cursor = Cursor(text, start, bare)
    while cursor.start < first:
        take_above(cursor, run)
    end = _take_entries(cursor, run)
    return (start, end, run) if run.entries else None


def _entry_start(text: str, at: int) -> int | None:
    """Find the beginning of an entry's line; None if what stands there is no entry's name.

    The search is bounded: a line may be a whole file, and hold the anchor everywhere.
    """
    if text[max(0, at - 2) : at] != ": ":
        return None
    name = line_start(text, at, _LINE, "\n\r")
    if name is None:
        return None
    start = line_start(text, at, _PROGRESS)
    return name if start is None else start


def _above(text: str, first: int) -> int:
    """Walk up from the first entry over what fio printed before it; return where that begins."""
    start = first
    entry = _ENTRY.match(text, first)
    for at, raw in lines_above(text, first):
        line = bare(raw)
        if len(line) > _LINE:
            break
        if is_entry(line):
            # with normal,terse the terse line of a job stands right above its report
            job = heading(line)
            if entry is None or (job and job != (entry[1].strip(), int(entry[2]))):
                break
        elif not stands_above(line):
            break
        elif line:
            entry = None
        start = at if line else start
    return start


def _take_entries(cursor: Cursor, run: Run) -> int:
    """Take lines from the first entry on, until one that is not fio's; return their end."""
    end, depth = cursor.start, 0
    strange: list[tuple[int, str]] = []
    while not cursor.done:
        at, stop, raw, line = cursor.number, cursor.stop, cursor.line, cursor.bare
        is_whole = not cursor.is_open or line.endswith(_LAST) or line.startswith("Jobs: ")
        if not is_whole and line:
            if raw[0] not in " \t" and not _is_begun(line, run):
                break
            run.cut, end = at, stop
        elif line and take(cursor, run):
            # the name of a client says nothing, and may be a tag of XML, if no line follows
            end = end if CLIENT.fullmatch(line) else stop
            run.strange += strange
            strange = []
            if run.entries[-1].line == at:
                depth = _indent(raw)
            continue
        elif "(groupid=" in line:  # an entry of the same process, damaged
            run.cut = at
            break
        elif line:  # of another version, or damaged: only if lines follow that are fio's
            if run.summed or _indent(raw) <= depth or len(strange) == _STRANGE:
                break
            strange.append((at, line))
        cursor.take()
    if cursor.done and run.cut is None and _lacks_totals(run):
        run.cut = cursor.number - 1
    return end


def _indent(raw: str) -> int:
    """Count the columns before a line, which may be quoted."""
    line = raw.rsplit("\r", 1)[-1]
    return len(line) - len(line.lstrip("> \t"))


def _is_begun(line: str, run: Run) -> bool:
    """Say whether a line that ends the text, without an end of line, began as one of fio's."""
    names = (f"{entry.name}: (groupid=" for entry in run.entries)
    starts = (*names, "Jobs: ", "Run status group ", "Disk stats (read/write):")
    return "(groupid=" in line or any(
        start.startswith(line) or line.startswith(start) for start in starts
    )


def _lacks_totals(run: Run) -> bool:
    """Say whether the group summary has begun, and does not hold what its entries did."""
    did = {
        (f"<{entry.host}> " if entry.host else "")
        + f"Run status group {entry.group} (all jobs).{section.direction.upper()}"
        for entry in run.entries
        for section in entry.sections
        if section.io is not None and section.io.value and entry.name != "All clients"
    }
    return run.summed and bool(run.group) and not did <= set(run.extras)
