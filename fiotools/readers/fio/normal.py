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
from fiotools.readers.fio import normal_lines as lines
from fiotools.readers.fio.normal_data import Run
from fiotools.readers.fio.normal_report import bare, begins
from fiotools.readers.fio.normal_rows import add
from fiotools.readers.fio.terse_lines import heading, is_entry
from fiotools.readers.formats import FIO_DEFINITION, FIO_SAID

if TYPE_CHECKING:
    from fiotools.sniff import Document
    from fiotools.tables import Tables

# how far to look for the ends of a line of fio's: with progress before it, and without
_LINE, _PROGRESS = 5_000, 65_000
_ENTRY = re.compile(r"[^\n]*?([^\n\r]*): \(groupid=(\d+), jobs=\d+\): err=")
_HEAD = re.compile(
    r"""(?:<(?!/)[^>\n]+>[ ]?)?(?:
        \.\.\.$ | \^C | fio-\d | fio[ ]\d+\.\d | fio:[ ] | Starting[ ]\d+ | Jobs:[ ]\d
      | [Nn]ote:[ ] | hostname= | $ | clock[ ]setaffinity | .*:[ ]Laying[ ]out[ ]IO[ ]file
      | file[ ].*exceeds | \(f=\d+\) | fio[ ][\d.]+$
    )""",
    re.X,
)


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
    first = _line_start(text, match.start())
    most = match.end() + _LINE
    stop = text.find("\n", match.end(), most)
    if first is None or (most < len(text) and stop < 0):
        return None
    # what stands above is walked over once, for a report, and not for each line that is none
    if not begins(bare(text[first : stop if stop >= 0 else len(text)])):
        return None
    run = Run()
    start = _head(text, first, run)
    end = lines.body(text, first, run, text.count("\n", start, first))
    return (start, end, run) if run.entries else None


def _line_start(text: str, at: int) -> int | None:
    """Find the beginning of an entry's line; None if what stands there is no entry's name.

    The search is bounded: a line may be a whole file, and hold the anchor everywhere.
    """
    if text[max(0, at - 2) : at] != ": ":
        return None
    least = max(0, at - _LINE)
    name = max(text.rfind("\n", least, at), text.rfind("\r", least, at)) + 1
    if not name and least:
        return None
    least = max(0, at - _PROGRESS)
    start = text.rfind("\n", least, at) + 1
    return start if start or not least else name


def _head(text: str, first: int, run: Run) -> int:
    """Walk up from the first entry over what fio printed before it; return where that begins."""
    start, at = first, first
    above: list[tuple[int, str]] = []
    entry = _ENTRY.match(text, first)
    while at > 0:
        at = text.rfind("\n", 0, at - 1) + 1
        line = bare(text[at : text.find("\n", at)])
        if len(line) > _LINE:
            break
        if is_entry(line):
            # with normal,terse the terse line of a job stands right above its report
            job = heading(line)
            if entry is None or (job and job != (entry[1].strip(), int(entry[2]))):
                break
        elif line and not (_HEAD.match(line) or FIO_DEFINITION.match(line)):
            break
        elif line:
            entry = None
        if line:
            start = at
        above.append((at, line))
    kept = [line for position, line in reversed(above) if position >= start]
    for number, line in enumerate(kept):
        if line:
            lines.head(line, number, run)
    return start
