"""fio_terse: the lines of numbers that ``--minimal`` and ``--output-format=terse`` write.

Produced by ``fio --minimal ...`` or ``fio --output-format=terse --terse-version=5 ...``. Fills
``runs``, ``jobs``, ``io``, ``percentiles``, ``bins`` (the coarse distribution, as percent),
``disks``, ``samples`` (the earlier reports of ``--status-interval``), ``settings`` (from a command
line, where a transcript shows one, or from a job file beside the file) and ``extras`` (depths,
error counts).

Versions 2 to 5: 2 does not say the version of fio and has no disks; 4 and 5 have trims; 5 counts
samples. IOPS are whole numbers, cut off; I/Os are not counted; amounts are cut off to KiB, rates
to KiB/s, extremes and percentiles to microseconds. Bandwidth is the greater of what is printed and
KiB over time: both are cut off, so it is the nearer.

Traps: fio 1 has no IOPS, and its rates count 1000 bytes; a line does not say how many jobs it
sums up (``group_reporting``); percentiles are those of lat with ``lat_percentiles=1``; before 3.x
``unified_rw_reporting`` shows as reads; nothing is escaped, see `terse_lines`; nothing says
where a run ends, see `terse_runs`. In client mode the disks stand on a line of their own, and
"All clients" repeats what other lines say. With ``json,terse`` the JSON is read and with
``normal,terse`` the report for people, which both say more.

Specified in fio's ``stat.c`` (``show_thread_status_terse_all``, before 3.7 ``_v2`` and ``_v3_v4``)
and ``HOWTO``, "Terse output": 1.5x to 3.4x.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fiotools.errors import ParseError
from fiotools.readers.base import Session
from fiotools.readers.fio.terse_lines import DESCRIPTION, Broken, Record, disks, record
from fiotools.readers.fio.terse_rows import add
from fiotools.readers.formats import FIO_TERSE
from fiotools.readers.text import Cursor, line_start, lines_above

if TYPE_CHECKING:
    from fiotools.input.detect import Document
    from fiotools.tables import Tables

_START = re.compile(rf"(?:[^\n]*\r)?(?={FIO_TERSE}|2;)")
# what fio prints around its entries, and the line of names that people put above them
_SAID = re.compile(
    r"fio: [^\n]*|[Nn]ote: [^\n]*|clock setaff[^\n]*|hostname=[^\n]*|Jobs: \d[^\n]*|<[^>\n]+>"
    r"|[^\n;]*: (?:you need to specify |Laying out IO file)[^\n]*|terse_version[^\n]*"
)
# what says nothing if no entry follows; and a tag of XML looks like the name of a client
_LEADING = ("<", "hostname=")
_FOLLOWING = re.compile(r"\n(?=[2-5];|;)")
_EARLIER = re.compile(rf"(?:^|(?<=\r)){FIO_TERSE}")
_FAR = 20_000  # the longest line that fio writes, with many disks
_NORMAL = re.compile(r"\s*([^\n]*): \(groupid=(\d+), jobs=\d+\): err=")


@dataclass
class Terse:
    """Entries that stand together in a text."""

    items: list[Record | Broken] = field(default_factory=list)
    remarks: list[tuple[int, str]] = field(default_factory=list)


def read(document: Document, tables: Tables) -> None:
    """Read a text that is nothing but fio's terse output."""
    for report in document.reports:
        add(tables, report, Session(), document.version)
    if not tables.runs and document.reports:
        first: Broken = document.reports[0].data.items[0]
        raise ParseError(
            document.name,
            f"no whole entry of fio's terse output: {first.reason}",
            line=document.reports[0].line + first.line,
            remedy="was the file cut, or edited?",
        )


def parse(text: str, match: re.Match[str]) -> tuple[int, int, Terse] | None:
    """Read the entries from the match on, as far as they stand together."""
    if match[0] == "2;" and record(text, match.start(), 0) is None:
        return None
    first = line_start(text, match.start(), _FAR)
    first = match.start() if first is None else first
    # where an entry before this one was not taken, neither is this
    if _EARLIER.search(text, first, match.start()) or _follows_entry(text, first):
        return None
    # all that stands above the first entry is of this report, if it is fio's
    start = first if any(map(_is_foreign, lines_above(text, first))) else 0
    found, cursor = Terse(), Cursor(text, start)
    end = start
    while not cursor.done:
        line = cursor.line
        stop = _stop(cursor, found, alone=start == 0)
        if stop is None:
            break
        end = end if line.startswith(_LEADING) or not line else stop
        cursor.take_to(stop)
    if not found.items or _is_copy(found.items[-1], _NORMAL.match(text, end)):
        return None
    last = text.count("\n", start, end)
    found.remarks = [remark for remark in found.remarks if remark[0] <= last]
    return start, end, found


def _follows_entry(text: str, first: int) -> bool:
    """Whether the line above begins an entry, or what was to be one."""
    stop = max(first - 1, 0)
    above = line_start(text, stop, _FAR)
    line = "" if above is None else text[above:stop]
    begun = _START.match(line)
    return begun is not None and record(line, begun.end(), 0) is not None


def _is_foreign(above: tuple[int, str]) -> bool:
    _, line = above
    return bool(line.strip()) and _SAID.fullmatch(line) is None


def _stop(cursor: Cursor, found: Terse, *, alone: bool) -> int | None:
    """Read what begins on a line, and say where it ends; None if it is not of the report."""
    text, last = cursor.text, found.items[-1] if found.items else None
    begun = _START.match(text, cursor.start)
    entry = record(text, begun.end(), cursor.number) if begun else None
    if entry:
        found.items.append(entry[1])
        return entry[0]
    if cursor.line.startswith(";") and last is not None:
        is_more = isinstance(last, Record) and _continues(cursor, last)
        return cursor.stop if is_more else None
    if _SAID.fullmatch(cursor.line):
        found.remarks.append((cursor.number, cursor.line.rsplit("\r", 1)[-1]))
    elif cursor.bare:
        return _wrapped(cursor, last, alone) if isinstance(last, Record) else None
    return cursor.stop


def _continues(cursor: Cursor, entry: Record) -> bool:
    """Read a line that begins with a semicolon: a client's disks, or (version 2) a description."""
    is_whole = not cursor.is_open
    if entry.version > 2 and not entry.client_disks:
        entry.client_disks, end = disks(cursor.text, cursor.start)
        if end < cursor.stop and not is_whole:
            entry.cut = cursor.text[end : cursor.stop]
        return bool(entry.client_disks or entry.cut) and (end == cursor.stop or not is_whole)
    if entry.version > 2 or entry.description is not None:
        return False
    if is_whole:
        entry.description = cursor.line[1:]
    else:
        entry.cut = cursor.line
    return True


def _wrapped(cursor: Cursor, entry: Record, alone: bool) -> int | None:
    """Read the further lines of a description; return where they end."""
    if entry.description is None:
        return None
    text, at = cursor.text, cursor.start
    room = at + DESCRIPTION - len(entry.description)
    if following := _FOLLOWING.search(text, at, max(room, at)):
        stop = following.start()
    elif alone and len(text) <= room:
        stop = len(text.rstrip("\n"))
    else:
        return None
    entry.description += "\n" + text[at:stop]
    entry.wrapped = True
    return stop


def _is_copy(last: Record | Broken, following: re.Match[str] | None) -> bool:
    """Whether fio's report for people follows, of the same job: it says more."""
    return (
        isinstance(last, Record)
        and following is not None
        and (following[1].strip(), int(following[2])) == (last.name.strip(), last.group)
    )
