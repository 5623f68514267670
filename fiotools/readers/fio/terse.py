"""fio_terse: the lines of numbers that ``--minimal`` and ``--output-format=terse`` write.

Produced by ``fio --minimal ...`` or ``fio --output-format=terse --terse-version=5 ...``. Fills
``runs``, ``jobs``, ``io``, ``percentiles``, ``bins`` (the coarse distribution, as percent),
``disks``, ``samples`` (the earlier reports of ``--status-interval``), ``settings`` (from a command
line, where a transcript shows one) and ``extras`` (depths, error counts).

Versions 2 to 5: 2 does not say the version of fio and has no disks; 4 and 5 have trims; 5 counts
samples. IOPS are whole numbers, cut off; I/Os are not counted; amounts are cut off to KiB, rates
to KiB/s, extremes and percentiles to microseconds. Bandwidth is the greater of the printed rate and
KiB over time: both are cut off, so the greater is closer.

The job's name and description are not escaped, so both may hold semicolons and line ends. The
fields between them have a fixed shape: whole numbers, then two decimal ones, then percentiles
(``99.000000%=497``), then percent signs. Old versions lack fields (no IOPS, no percentiles, no
trims); the shape also tells which.

Traps: fio 1 has no IOPS, and its rates count 1000 bytes; a line does not say how many jobs it
sums up (``group_reporting``); percentiles are those of lat with ``lat_percentiles=1``; before 3.x
``unified_rw_reporting`` shows as reads; nothing says where a run ends, see `runs`. In client mode
the disks have a line of their own, and "All clients" repeats other lines. With ``json,terse`` the
JSON is read and with ``normal,terse`` the report for people: both say more.

Specified in fio's ``stat.c`` (``show_thread_status_terse_all``, before 3.7 ``_v2`` and ``_v3_v4``)
and ``HOWTO``, "Terse output": 1.5x to 3.4x.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

import msgspec

from fiotools.errors import ParseError
from fiotools.readers.document import Document, Report, Session, line_end, line_start, lines_above
from fiotools.readers.fio import LATENCIES, STATISTICS
from fiotools.readers.fio import options as fio_options
from fiotools.readers.fio.text_rows import (
    Curves,
    Direction,
    Disk,
    Entry,
    RunRows,
    Said,
    is_interrupted,
    note_remarks,
)
from fiotools.readers.formats import FIO_TERSE
from fiotools.readers.text import Cursor
from fiotools.tables.rows import Rows

_DESCRIPTION = 255  # bytes of a description that fio keeps
_OPEN = "description to the end of the text"  # without a line end, so that it may go on
_JOINED = re.compile(FIO_TERSE)  # in the rest of a line: the end of the line was lost
_FAR = 20_000  # the longest line that fio writes, with many disks

# --- the fields, called like the columns ------------------------------------------------------

_INT = r"\d{1,15}"  # KiB times 1024 fit into 64 bits
_LONG = r"\d{1,20}"
_FLOAT = r"-?(?:\d{1,25}\.\d{1,9}|nan|inf)"
_PERCENT = rf"{_FLOAT}%"


def _fields(pattern: str, *names: str) -> str:
    return "".join(f";(?P<{name}>{pattern})" for name in names)


def _extremes_and_means(column: str, between: str = "") -> str:
    low, high, mean, stddev = map(column.format, STATISTICS)
    return _fields(_LONG, low, high) + between + _fields(_FLOAT, mean, stddev)


_BLOCK = (
    _fields(_INT, "kib", "bw")
    + f"(?:{_fields(_INT, 'iops')})?"  # fio 1 has none
    + _fields(_INT, "runtime_ms")
    + _extremes_and_means("slat_{}_ns")
    + _extremes_and_means("clat_{}_ns")
    + rf"(?P<percentiles>(?:;\d{{1,3}}(?:\.\d{{1,9}})?%={_LONG}){{20}})?"
    + _extremes_and_means("lat_{}_ns")
    + _extremes_and_means("bw_{}_bytes_per_s", _fields(_PERCENT, "bw_agg_pct"))
)
_BLOCK_5 = (
    _BLOCK
    + _fields(_INT, "bw_samples")
    + _extremes_and_means("iops_{}")
    + _fields(_INT, "iops_samples")
)
_BLOCKS = {5: re.compile(_BLOCK_5), **dict.fromkeys((2, 3, 4), re.compile(_BLOCK))}
# the printed units, usec and KiB/s, in those of the columns
_WORTH = {
    column: 1000 if column.endswith("_ns") else 1024 if column.endswith("_per_s") else 1
    for column in _BLOCKS[5].groupindex
}
# by version and number of blocks; a single sum comes from unified_rw_reporting
_DIRECTIONS = {
    **dict.fromkeys([(version, 1) for version in (2, 3, 4, 5)], ("mixed",)),
    **dict.fromkeys([(2, 2), (3, 2)], ("read", "write")),  # before there were trims
    (3, 3): ("read", "write", "mixed"),
    **dict.fromkeys([(2, 3), (4, 3), (5, 3)], ("read", "write", "trim")),
    **dict.fromkeys([(2, 4), (4, 4), (5, 4)], ("read", "write", "trim", "mixed")),
}
_MOST = 4
_US = ("2", "4", "10", "20", "50", "100", "250", "500", "750", "1000")
# the shares at the end, by their kind
_SHARES = {
    "depths": ("1", "2", "4", "8", "16", "32", ">=64"),
    "usec": _US,
    "msec": (*_US, "2000", ">=2000"),
}
_TAIL = re.compile(
    _fields(_PERCENT, "usr_cpu_pct", "sys_cpu_pct")
    + _fields(_INT, "ctx", "majf", "minf")
    + "".join(f"(?P<{name}>(?:;{_PERCENT}){{{len(shares)}}})" for name, shares in _SHARES.items())
)
# the fields of a disk; times are in ms
COUNTS = (
    *("read_ios", "write_ios", "read_merges", "write_merges"),
    *("read_ticks_s", "write_ticks_s", "in_queue_s"),
)
_DISK = re.compile(rf";([^;\n]{{1,100}}){f';({_INT})' * len(COUNTS)};({_PERCENT})")
# the beginning of one: its name alone, as kernels call disks, or with some of its numbers
_TORN_DISK = re.compile(
    r";(?:[a-z]{0,2}|(?:sd|hd|vd|xvd|nvme|mmcblk|dm|md|zd|rbd|nbd|loop|sr)[\w-]{0,20})"
    rf"|;[^;\n]{{1,100}}(?:;{_INT}){{0,{len(COUNTS)}}};(?:\d[\d.]*)?"
)
# 0 cannot be the beginning of a number that the end of the text cut
_ERRORS = re.compile(r";(\d{1,15});(-?\d{1,9})(?=[;\n])|;(0);(0)\Z")

_VERSIONED = re.compile(FIO_TERSE)
_NUMBERS = rf";-?\d{{1,9}};-?\d{{1,9}}(?:;{_LONG}){{5,6}};{_FLOAT};{_FLOAT};"
# fio keeps 127 bytes of a name; anything like another entry is one
_NAME = rf"(?:(?![\n\r][2-5];|{FIO_TERSE})[\s\S]){{0,255}}?"
_HEAD = re.compile(
    rf"(?:(?P<version>[3-5]);(?P<fio>fio[- ][^;\n]{{1,60}})|2);(?P<name>{_NAME})"
    rf"(?={_NUMBERS});(?P<group>-?\d+);(?P<error>-?\d+)"
)


# --- the content of an entry ------------------------------------------------------------------


@dataclass
class DirectionBlock:
    """One direction of an entry, as printed."""

    direction: str
    kib: int
    bw: int
    iops: int | None  # fio 1 has none
    runtime_ms: int
    measures: dict[str, float]  # columns of `io`: latencies; over samples bandwidth and IOPS
    percentiles: list[tuple[float, float]]  # with their latencies, in ns

    def measured(self, kind: str) -> bool:
        """Whether it was measured: if not, fio writes zeros."""
        samples = self.measures.get(f"{kind}_samples")
        if samples is not None:
            return bool(samples)
        unit = "bytes_per_s" if kind == "bw" else "ns"
        return any(self.measures[f"{kind}_{stat}_{unit}"] for stat in ("max", "mean"))

    @property
    def moved(self) -> bool:
        """Whether it moved anything: an I/O may be too small or too slow for the numbers."""
        return bool(self.kib or self.bw or self.iops) or any(map(self.measured, LATENCIES))


@dataclass(kw_only=True)
class Record(Entry):
    """An entry of the output."""

    group: int
    version: int
    fio: str | None
    blocks: list[DirectionBlock]
    disks: list[Disk] = field(default_factory=list)
    client_disks: list[Disk] = field(default_factory=list)  # on a line below the last entry
    wrapped: bool = False  # whether the description seems to have several lines
    cut: str | None = None  # the end of the text, which may be cut off

    @property
    def key(self) -> tuple[object, ...]:
        """The key that the reports of one job share."""
        return self.version, self.fio, self.name, self.group

    @property
    def runtime_ms(self) -> int:
        """How long it ran."""
        return max(block.runtime_ms for block in self.blocks)

    @property
    def is_busy(self) -> bool:
        """Whether any of its disks did anything."""
        return any(disk.row[count] for disk in self.disks for count in COUNTS)


@dataclass
class Terse:
    """Consecutive entries in a text, and what stands between them."""

    records: list[Record] = field(default_factory=list)
    broken: Said = field(default_factory=list)  # entries that are incomplete, or not fio's
    remarks: Said = field(default_factory=list)  # fio's messages
    last: Record | None = None  # the entry that further lines may belong to


# --- one entry --------------------------------------------------------------------------------


def is_entry(line: str) -> bool:
    """Whether a line is an entry of fio's terse output, or the disks of a client."""
    return (_HEAD.match(line) or _DISK.match(line)) is not None


def heading(line: str) -> tuple[str, int] | None:
    """Return the job's name and group if the line begins an entry, otherwise None."""
    head = _HEAD.match(line)
    return (head["name"], int(head["group"])) if head else None


def _record(text: str, at: int, line: int, into: Terse) -> int | None:
    """Read the entry at a place, and return its end; None if it is not fio's."""
    head = _HEAD.match(text, at)
    if head is None:
        return _broken(text, at, at, line, into) if _VERSIONED.match(text, at) else None
    version = int(head["version"] or 2)
    matches, position = list[re.Match[str]](), head.end()
    while len(matches) < _MOST and (match := _BLOCKS[version].match(text, position)):
        matches.append(match)
        position = match.end()
    directions = _DIRECTIONS.get((version, len(matches)), ())
    tail = _TAIL.match(text, position) if directions else None
    if tail is None:
        return _broken(text, at, head.end(), line, into)
    said = tail.groupdict()
    shares = {
        name: dict(zip(names, map(_number, said.pop(name)[1:].split(";")), strict=True))
        for name, names in _SHARES.items()
    }
    into.last = Record(
        line=line,
        version=version,
        fio=head["fio"] and head["fio"][4:].strip(),
        name=head["name"],
        group=int(head["group"]),
        error=int(head["error"]),
        blocks=list(map(_block, directions, matches)),
        cpu=_finite((name, _number(text)) for name, text in said.items()),
        extras={"iodepth_level": msgspec.json.encode(shares.pop("depths")).decode()},
        shares=shares,
    )
    into.records.append(into.last)
    return _take_rest(text, tail.end(), into.last)


def _number(text: str) -> float:
    return float(text.rstrip("%"))


def _finite(measures: Iterable[tuple[str, float]]) -> dict[str, float]:
    """Keep finite numbers; fio prints nan if nothing was done."""
    return {column: value for column, value in measures if math.isfinite(value)}


def _broken(text: str, at: int, known: int, line: int, into: Terse) -> int:
    """Say what is wrong with a broken entry, and return where its line ends."""
    stop = line_end(text, known)
    fields = text.count(";", at, stop) + 1
    reason = f"an entry of {fields} fields does not have the layout of fio's terse output"
    if stop == len(text):
        reason = f"the entry breaks off in field {fields}"
    into.broken.append((line, reason))
    into.last = None
    return stop


def _block(direction: str, match: re.Match[str]) -> DirectionBlock:
    said = match.groupdict()
    kib, bw, iops, runtime_ms = map(said.pop, ("kib", "bw", "iops", "runtime_ms"))
    printed = (said.pop("percentiles") or "")[1:].split(";")
    pairs = (part.partition("%=") for part in printed if part)
    return DirectionBlock(
        direction,
        int(kib),
        int(bw),
        None if iops is None else int(iops),
        int(runtime_ms),
        {column: _number(text) * _WORTH[column] for column, text in said.items()},
        [(float(name), float(value) * 1000) for name, _, value in pairs],
    )


def _disks(text: str, at: int) -> tuple[list[Disk], int]:
    """Read disks from a place on; return them and where they end."""
    found: list[Disk] = []
    while match := _DISK.match(text, at):
        name, *counts, util = match.groups()
        measures = dict(zip(COUNTS, map(int, counts), strict=True))
        if name == "slaves" and found and not found[-1].parts:
            for column, value in {**measures, "util": _number(util)}.items():
                # as fio's JSON calls the mean over the devices that a device is made of
                key = column.removesuffix("_s").replace("write_merges", "write_merge")
                path = f"disk_util.{found[-1].row['device']}.aggr_{key}"
                found[-1].parts[path] = msgspec.json.encode(value).decode()
        else:
            row = {
                column: count / 1000 if column.endswith("_s") else count
                for column, count in measures.items()
            }
            found.append(
                Disk({"device": name, **row, **_finite([("util_pct", _number(util))])}, {})
            )
        at = match.end()
    return found, at


def _take_rest(text: str, at: int, entry: Record) -> int:
    """Read what follows the fixed fields: disks, error counts, a description."""
    stop = line_end(text, at)
    if entry.version > 2:
        entry.disks, at = _disks(text, at)
    # a total without a first error is what a description begins with
    if match := _ERRORS.match(text, at):
        total, first = map(int, filter(None, match.groups()))
        if bool(total) == bool(first):
            entry.extras |= {"total_err": str(total), "first_error": str(first)}
            at = match.end()
    # without a line end a disk may be shortened
    is_bare = entry.version > 2 and not entry.disks
    if _JOINED.search(text, at, stop):
        entry.cut = text[at:stop]
    elif stop == len(text) and at < stop and (is_bare or _TORN_DISK.fullmatch(text, at)):
        entry.cut = text[at:]
    elif stop == len(text) and at < stop:
        entry.extras[_OPEN] = text[at + 1 :]
    elif text.startswith(";", at):
        entry.description = text[at + 1 : stop]
    elif at < stop:
        entry.cut = text[at:stop]
    return stop


# --- consecutive entries ----------------------------------------------------------------------

_START = re.compile(rf"(?:[^\n]*\r)?(?={FIO_TERSE}|2;)")
_EARLIER = re.compile(rf"(?:^|(?<=\r)){FIO_TERSE}")
# fio's messages around its entries, and the header line that people put above them
_SAID = re.compile(
    r"fio: [^\n]*|[Nn]ote: [^\n]*|clock setaff[^\n]*|hostname=[^\n]*|Jobs: \d[^\n]*|<[^>\n]+>"
    r"|[^\n;]*: (?:you need to specify |Laying out IO file)[^\n]*|terse_version[^\n]*"
)
# meaningless if no entry follows; and a tag of XML looks like the name of a client
_LEADING = ("<", "hostname=")
_FOLLOWING = re.compile(r"\n(?=[2-5];|;)")
_NORMAL = re.compile(r"\s*+([^\n]*): \(groupid=(\d+), jobs=\d+\): err=")


def parse(text: str, match: re.Match[str]) -> tuple[int, int, Terse] | None:
    """Read the consecutive entries from the match on."""
    if match[0] == "2;" and not _HEAD.match(text, match.start()):
        return None
    at = match.start()
    first = line_start(text, at, _FAR)
    # this entry is not taken if an earlier one was not
    if _EARLIER.search(text, max(0, at - _FAR) if first is None else first, at):
        return None
    first = at if first is None else first
    if _follows_entry(text, first):
        return None
    # the lines above the first entry belong to this report if all of them are fio's
    above = (line for _, line in lines_above(text, first) if line.strip())
    start = 0 if all(map(_SAID.fullmatch, above)) else first
    found, cursor = Terse(), Cursor(text, start)
    end = start
    while not cursor.done:
        line = cursor.line
        stop = _stop(cursor, found, alone=start == 0)
        if stop is None:
            break
        end = end if line.startswith(_LEADING) or not line else stop
        cursor.take_to(stop)
    if not (found.records or found.broken):
        return None
    last, following = found.last, _NORMAL.match(text, end)
    if (
        last
        and following
        and (following[1].strip(), int(following[2])) == (last.name.strip(), last.group)
    ):
        return None  # fio's report for people, which says more, follows for the same job
    lines = text.count("\n", start, end)
    found.remarks = [remark for remark in found.remarks if remark[0] <= lines]
    return start, end, found


def _follows_entry(text: str, first: int) -> bool:
    """Whether the line above begins an entry, complete or not."""
    stop = max(first - 1, 0)
    above = line_start(text, stop, _FAR)
    line = "" if above is None else text[above:stop]
    begun = _START.match(line)
    heads = (_HEAD, _VERSIONED)
    return begun is not None and any(head.match(line, begun.end()) for head in heads)


def _stop(cursor: Cursor, found: Terse, *, alone: bool) -> int | None:
    """Read the item that begins on a line, and return its end; None if it is not the report's."""
    begun = _START.match(cursor.text, cursor.start)
    if begun:
        stop = _record(cursor.text, begun.end(), cursor.number, found)
        if stop is not None:
            return stop
    if _SAID.fullmatch(cursor.line):
        found.remarks.append((cursor.number, cursor.line.rsplit("\r", 1)[-1]))
        return cursor.stop
    if not cursor.bare:
        return cursor.stop
    if found.last is None:
        return None
    if cursor.line[0] == ";":
        return _continued(cursor, found.last)
    return _wrapped(cursor, found.last, alone)


def _continued(cursor: Cursor, entry: Record) -> int | None:
    """Read a line that begins with a semicolon: a client's disks, or (version 2) a description."""
    if entry.client_disks or (entry.version == 2 and entry.description is not None):
        return None
    end = cursor.start
    if entry.version > 2:
        entry.client_disks, end = _disks(cursor.text, end)
    elif cursor.is_open:
        entry.extras[_OPEN], end = cursor.line[1:], cursor.stop
    else:
        entry.description, end = cursor.line[1:], cursor.stop
    if cursor.is_open and end < cursor.stop:
        entry.cut, end = cursor.text[end : cursor.stop], cursor.stop
    return end if end == cursor.stop else None


def _wrapped(cursor: Cursor, entry: Record, alone: bool) -> int | None:
    """Read the further lines of a description; return where they end."""
    if entry.description is None:
        return None
    text, at = cursor.text, cursor.start
    room = at + _DESCRIPTION - len(entry.description)
    if following := _FOLLOWING.search(text, at, max(room, at)):
        stop = following.start()
    elif alone and len(text) <= room:
        stop = len(text.rstrip("\n"))
    else:
        return None
    entry.description += "\n" + text[at:stop]
    entry.wrapped = True
    return stop


# --- the reader -------------------------------------------------------------------------------

_SLACK_MS = 20


def read(document: Document, tables: Rows) -> None:
    """Read a text that holds only fio's terse output."""
    for report in document.reports:
        add(tables, report, Session(), document.version)
    if not tables.runs and document.reports:
        line, reason = document.reports[0].data.broken[0]
        raise ParseError(
            document.name,
            f"no complete entry of fio's terse output: {reason}",
            line=document.reports[0].line + line,
            remedy="was the file cut, or edited?",
        )


def add(tables: Rows, report: Report, session: Session, version: str | None = None) -> int:
    """Add consecutive entries as runs; return the number of the last."""
    said: Terse = report.data
    found = runs(said.records)
    for line, reason in said.broken if found else ():
        # it belongs to the run before it, or to the first
        at = sum(run.reports[0][0].line < line for run in found)
        found[max(at - 1, 0)].broken.append((line, reason))
    for run in found:
        is_cut = run.broken or any(entry.cut for entry in run.entries)
        status = "truncated" if is_cut else "ok"
        if run is found[-1] and is_interrupted(said.remarks):
            status = "interrupted"
        rows = RunRows(
            tables,
            report,
            session,
            tool_version=version or run.entries[0].fio,
            format="fio_terse",
            status="error" if any(entry.error for entry in run.entries) else status,
        )
        _add_run(rows, run)
        if not rows.has_options:
            tables.note(fio_options.NO_OPTIONS, code="conditions", run=rows.run)
    note_remarks(tables, said.remarks, report.line, tables.runs if found else None)
    if not found:
        for at, reason in said.broken:
            line = report.line + at
            tables.note(f"{reason}: left out", code="incomplete", line=line, severity="warning")
    return tables.runs


# --- which entries are of one run -------------------------------------------------------------


@dataclass
class RunReports:
    """The reports of one run; the last one is its result."""

    reports: list[list[Record]]
    clients: bool = False
    doubtful: bool = False
    broken: Said = field(default_factory=list)

    @property
    def entries(self) -> list[Record]:
        """The entries of the result."""
        return self.reports[-1]


def runs(records: list[Record]) -> list[RunReports]:
    """Group entries, in their order, by run.

    Lines have no time, and a run has no last line. But the entries of one report show the same
    disk numbers, groups are counted up, the clones of a job are consecutive, and "All clients" ends
    a run and sums it up. Reports of one run (``--status-interval``) have the same entries, and no
    count falls. Entries of one group without busy disks may belong to one run or to several: they
    are read as one, so that no statistic takes them for repeats, with a note.
    """
    reports: list[list[Record]] = []
    begun = 0  # the first report that no total of clients covers yet
    for record in records:
        if record.is_total:
            first = _first_summed(reports, record, begun)
            reports[first:] = [[entry for part in reports[first:] for entry in part] + [record]]
            begun = len(reports)
        elif len(reports) == begun or _begins(reports[-1], record):
            reports.append([record])
        else:
            reports[-1].append(record)
    found: list[RunReports] = []
    for report in reports:
        clients = report[-1].is_total or bool(report[-1].client_disks)
        if found and not clients and _continues(found[-1].entries, report):
            found[-1].reports.append(report)
        else:
            groups = [record.group for record in report if not record.is_busy]
            doubtful = not clients and len(set(groups)) < len(groups)
            found.append(RunReports([report], clients, doubtful))
    return found


def _first_summed(reports: list[list[Record]], total: Record, begun: int) -> int:
    """Find the first report that a total covers: their truncated KiB add up to the total's."""
    wanted = {block.direction: block.kib for block in total.blocks}
    sums, count = Counter[str](), 0
    for at in range(len(reports) - 1, begun - 1, -1):
        for entry in reports[at]:
            count += 1
            sums.update({block.direction: block.kib for block in entry.blocks})
        if all(sums[one] <= wanted[one] <= sums[one] + count for one in wanted):
            return at
    return begun


def _begins(report: list[Record], record: Record) -> bool:
    """Whether an entry begins another report."""
    last = report[-1]
    if (record.version, record.fio) != (last.version, last.fio) or last.client_disks:
        return True
    if last.is_busy or record.is_busy:
        return record.disks != last.disks
    if record.group != last.group:
        return record.group < last.group
    if record.key == last.key:
        return record.runtime_ms > last.runtime_ms and _grows(last, record)
    return any(record.key == other.key for other in report)


def _continues(before: list[Record], after: list[Record]) -> bool:
    """Whether one report can be a later one of the same run."""
    if [entry.key for entry in before] != [entry.key for entry in after]:
        return False
    pairs = [*zip(before, after, strict=True)]
    return (
        any(block.moved for entry in before for block in entry.blocks)
        and all(_grows(one, other) for one, other in pairs)
        # behind a stonewall one job after another advances
        and any(other.runtime_ms > one.runtime_ms for one, other in pairs)
    )


def _grows(before: Record, after: Record) -> bool:
    """Whether an entry can be a later state of another: nothing that only grows has fallen."""
    old, new = _growing(before), _growing(after)
    if len(before.blocks) != len(after.blocks) or len(old) != len(new):
        return False
    if any(one > two for one, two in zip(old, new, strict=True)):
        return False
    for one, two in zip(before.blocks, after.blocks, strict=True):
        means = [[block.measures[f"{kind}_mean_ns"] for kind in LATENCIES] for block in (one, two)]
        if one.kib == two.kib and means[0] != means[1]:
            return False  # the same I/Os took the same time
        passed = two.runtime_ms - one.runtime_ms
        # a repeated run of the same length: the difference is too much for the time
        if two.kib and passed < 0.05 * two.runtime_ms:
            most = 2 * two.kib / max(two.runtime_ms, 1) * (passed + _SLACK_MS)
            if two.kib - one.kib > most:
                return False
    return _fills(before, after)


def _growing(record: Record) -> list[float]:
    """List values that never fall while an entry runs: counts, maxima, and negated minima."""
    found = [record.cpu[name] for name in ("ctx", "majf", "minf")]
    found += [disk.row[count] for disk in record.disks for count in COUNTS]
    for block in record.blocks:
        found += [block.kib, block.runtime_ms]
        for kind in LATENCIES:
            low, high = (block.measures[f"{kind}_{stat}_ns"] for stat in ("min", "max"))
            found += [high, -low if high else -math.inf]
    return found


def _fills(before: Record, after: Record) -> bool:
    """Whether no bin of the coarse distribution loses I/Os, as far as shares can tell."""
    old, new = _ios(before, 0), _ios(after, 1)
    if old is None or new is None:
        return True
    # shares are rounded, and tiny ones raised to 0.01
    return not any(
        max(share - 0.02, 0) * old > (after.shares[unit][name] + 0.02) * new
        for unit, shares in before.shares.items()
        for name, share in shares.items()
    )


def _ios(record: Record, more: int) -> float | None:
    """Estimate the I/Os of an entry from its truncated rates."""
    total = 0.0
    for block in record.blocks:
        if block.iops is None:
            return None
        if block.direction != "mixed" or len(record.blocks) == 1:
            total += (block.iops + (more if block.iops else 0)) * block.runtime_ms / 1000
    return total


# --- the rows of a run ------------------------------------------------------------------------


def _add_run(rows: RunRows, run: RunReports) -> None:
    for number, entry in enumerate(run.entries, 1):
        options = rows.asked(number, entry.name)
        scope = "group" if fio_options.is_set(options, "group_reporting") else "job"
        directions = [
            _direction(rows, entry, block, options) for block in entry.blocks if block.moved
        ]
        # the first bin of microseconds includes the nanoseconds
        rows.entry(number, entry, "client" if run.clients else scope, directions, has_ns=False)
        _note_entry(rows, entry)
    for report in run.reports if len(run.reports) > 1 else ():
        for number, entry in enumerate(report, 1):
            for block in entry.blocks:
                if block.moved and block.runtime_ms:
                    seconds, done = block.runtime_ms / 1000, {"io_bytes": block.kib * 1024}
                    rows.progress(number, entry, block.direction, seconds, done)
    # every entry of a report repeats the disks; in client mode each client has its own
    own = next((entry.disks for entry in reversed(run.entries) if entry.disks), [])
    rows.disks([*own, *(disk for entry in run.entries for disk in entry.client_disks)])
    first = run.reports[0][0].line
    if len(run.reports) > 1:
        message = (
            f"{len(run.reports)} cumulative reports of one run (--status-interval): the last is the"
            " result, all of them are in samples; if they are runs of their own, write each to its"
            " own file"
        )
        rows.note(first, message, "repeats")
    if run.doubtful:
        rows.note(
            first,
            "the lines do not say whether these entries ran together: they are read as one run;"
            " if they were appended to the file one after another, they are separate runs",
            "meaning",
        )
    for at, reason in run.broken:
        rows.note(at, f"{reason}: left out", "incomplete")


def _direction(
    rows: RunRows, entry: Record, block: DirectionBlock, options: dict[str, str]
) -> Direction:
    """Return the values of a block; contradictions get a note."""
    speed, percentiles = _speed(block), _percentiles(block, options)
    of = f"{block.direction} of {entry.name}"
    if speed is None:
        message = f"{of}: the printed bandwidth is not KiB over time; it is kept"
        rows.note(entry.line, message, "contradiction")
    if percentiles is None:
        message = f"{of}: the percentiles are neither clat's nor lat's: left out"
        rows.note(entry.line, message, "contradiction")
    measures = {
        column: value
        for column, value in block.measures.items()
        if block.measured(column.partition("_")[0])
    }
    columns = {
        **fio_options.conditions(options, block.direction),
        # 0 means less than one unit, which is not a number
        "io_bytes": block.kib * 1024 or None,
        "runtime_s": block.runtime_ms / 1000 or None,
        "iops": float(block.iops) if block.iops else None,
        "bw_bytes_per_s": float(block.bw * _units(block)[0] if speed is None else speed) or None,
        **_finite(measures.items()),
    }
    return Direction(block.direction, columns, percentiles or {})


def _speed(block: DirectionBlock) -> float | None:
    """Return the greater of the printed bandwidth and KiB over time: both are truncated.

    None if they contradict each other in both units that fio has used for rates.
    """
    seconds = block.runtime_ms / 1000
    if not seconds and not block.bw:
        return 0.0
    for unit in _units(block):
        low, high = block.kib * 1024, (block.kib + 1) * 1024
        if low < (block.bw + 1) * unit * seconds and block.bw * unit * seconds < high:
            return max(block.bw * unit, low * 1000 / block.runtime_ms)
    return None


def _units(block: DirectionBlock) -> tuple[int, int]:
    """Return the possible bytes in a rate's unit, the likelier first: 1000 before IOPS existed."""
    return (1000, 1024) if block.iops is None else (1024, 1000)


def _percentiles(block: DirectionBlock, options: dict[str, str]) -> Curves | None:
    """Return the percentiles of the latency that they fit; None if they fit neither."""
    used = [pair for pair in block.percentiles if pair[0] > 0]  # unused slots are 0%=0
    # clat's by default; lat's if only that was measured
    for kind in ("lat",) if fio_options.is_set(options, "lat_percentiles") else ("clat", "lat"):
        low, high, mean = (block.measures[f"{kind}_{stat}_ns"] for stat in ("min", "max", "mean"))
        # each is the middle of a bin of 1/64
        low, high = low * 63 / 64 - 1000, high * 65 / 64 + 1000
        if mean and all(low <= value <= high for _, value in used):
            return {kind: used} if used else {}
    return None if used else {}


def _note_entry(rows: RunRows, entry: Record) -> None:
    at, name = entry.line, entry.name
    idle = not any(block.moved for block in entry.blocks)
    if entry.error:
        what = ", without I/O" if idle else ""
        rows.note(at, f"job {name!r} ended with error {entry.error}{what}", "failed", "error")
    elif idle:
        trims = f", or only trims, which terse version {entry.version} does not list"
        rows.note(at, f"job {name!r} did no I/O{trims if entry.version < 4 else ''}", "idle")
    if entry.wrapped:
        rows.note(at, f"the lines below are read as the description of {name!r}", "meaning")
    if entry.cut and _JOINED.search(entry.cut):
        what = f"{entry.cut[:60]!r} is left out; give each a line of its own"
        rows.note(at, f"another line of terse output stands in this one: {what}", "left out")
    elif entry.cut:
        what = f"{entry.cut[:60]!r} may be cut off, and is left out"
        rows.note(at, f"the text ends within an entry: {what}", "incomplete")
