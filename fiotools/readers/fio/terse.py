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
``unified_rw_reporting`` shows as reads; nothing is escaped, see `fio_terse_lines`; nothing says
where a run ends, see `fio_terse_runs`. In client mode the disks stand on a line of their own, and
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
from fiotools.readers.base import Report, Session
from fiotools.readers.fio import terse_lines as lines
from fiotools.readers.fio import terse_rows as rows
from fiotools.readers.fio.terse_lines import Broken, Record
from fiotools.readers.formats import FIO_TERSE

if TYPE_CHECKING:
    from fiotools.sniff import Document
    from fiotools.tables import Tables

_START = re.compile(rf"[^\n]*\r(?={FIO_TERSE}|2;)|(?={FIO_TERSE}|2;)")
# what fio prints around its entries, and the line of names that people put above them
_SAID = re.compile(
    r"fio: [^\n]*|[Nn]ote: [^\n]*|clock setaff[^\n]*|hostname=[^\n]*|Jobs: \d[^\n]*|<[^>\n]+>"
    r"|[^\n;]*: (?:you need to specify |Laying out IO file)[^\n]*|terse_version[^\n]*"
)
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
        rows.add(tables, report, Session(), document.version)
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
    if match[0] == "2;" and lines.record(text, match.start(), 0) is None:
        return None
    first = text.rfind("\n", max(match.start() - _FAR, 0), match.start()) + 1
    if not first and match.start() > _FAR:
        first = match.start()
    # where an entry before this one was not taken, neither is this
    if _EARLIER.search(text, first, match.start()) or _begins(_line_above(text, first)):
        return None
    found, start, line = Terse(), _above(text, first), 0
    position, end = start, start
    while position < len(text):
        stop = text.find("\n", position)
        stop = len(text) if stop < 0 else stop
        begun = _START.match(text, position)
        taken = lines.record(text, begun.end(), line) if begun else None
        if taken:
            stop = taken[0]
            found.items.append(taken[1])
        elif text[position] == ";" and found.items:
            if not _continued(text, position, stop, found.items[-1]):
                break
        elif said := _SAID.fullmatch(text, position, stop):
            found.remarks.append((line, said[0].rsplit("\r", 1)[-1]))
        elif text[position:stop].strip():
            more = _wrapped(text, position, found.items[-1], start == 0) if found.items else None
            if more is None:
                break
            stop = more
        line += text.count("\n", position, stop) + 1
        # what stands above a client's entries is of this report only if an entry follows; a tag
        # of XML looks like it
        if stop > position and not text.startswith(("<", "hostname="), position):
            end = stop
        position = stop + 1
    if not found.items or _is_copy(found.items[-1], _NORMAL.match(text, end)):
        return None
    last = text.count("\n", start, end)
    found.remarks = [remark for remark in found.remarks if remark[0] <= last]
    return start, end, found


def _is_copy(last: Record | Broken, following: re.Match[str] | None) -> bool:
    """Whether fio's report for people follows, of the same job: it says more."""
    return (
        isinstance(last, Record)
        and following is not None
        and (following[1].strip(), int(following[2])) == (last.name.strip(), last.group)
    )


def _begins(line: str) -> bool:
    """Whether a line begins an entry, or what was to be one."""
    begun = _START.match(line)
    return begun is not None and lines.record(line, begun.end(), 0) is not None


def _line_above(text: str, first: int) -> str:
    """Return the line above a place, as far as it is of a length that fio writes."""
    stop = max(first - 1, 0)
    start = text.rfind("\n", max(stop - _FAR, 0), stop) + 1
    return text[start : min(stop, start + _FAR)]


def _above(text: str, first: int) -> int:
    """Return where the text begins if all that stands above the first entry is fio's."""
    at = first
    while at > 0:
        stop = at - 1
        at = text.rfind("\n", 0, stop) + 1
        if text[at:stop].strip() and not _SAID.fullmatch(text, at, stop):
            return first
    return 0


def _continued(text: str, at: int, stop: int, entry: Record | Broken) -> bool:
    """Read a line that begins with a semicolon: a client's disks, or (version 2) a description."""
    if isinstance(entry, Broken):
        return False
    whole = stop < len(text)
    if entry.version > 2 and not entry.client_disks:
        entry.client_disks, end = lines.disks(text, at)
        if end < stop and not whole:
            entry.cut = text[end:stop]
        return bool(entry.client_disks or entry.cut) and (end == stop or not whole)
    if entry.version == 2 and entry.description is None and whole:
        entry.description = text[at + 1 : stop]
    elif entry.version == 2 and entry.description is None:
        entry.cut = text[at:stop]
    else:
        return False
    return True


def _wrapped(text: str, at: int, entry: Record | Broken, alone: bool) -> int | None:
    """Read the further lines of a description; return where they end."""
    if isinstance(entry, Broken) or entry.description is None:
        return None
    room = at + lines.DESCRIPTION - len(entry.description)
    if following := _FOLLOWING.search(text, at, max(room, at)):
        stop = following.start()
    elif alone and len(text) <= room:
        stop = len(text.rstrip("\n"))
    else:
        return None
    entry.description += "\n" + text[at:stop]
    entry.wrapped = True
    return stop


def add(tables: Tables, report: Report, session: Session) -> int:
    """Add the entries of a report as runs; return the number of the last."""
    return rows.add(tables, report, session)
