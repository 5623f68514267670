"""The lines of fio's terse output, and what they say: text to plain data, without judgement.

Neither the job's name nor its description is escaped, so both may hold semicolons and ends of
line. They are found by what stands between them, whose shape is fixed: whole numbers, then two
decimal ones, then percentiles (``99.000000%=497``), then percent signs. Old versions lack fields
(no IOPS, no percentiles, no trims); which ones can be seen from the shape as well.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

import orjson

from fiotools.readers.fio.json_fields import LATENCIES, STATISTICS
from fiotools.readers.fio.text_rows import Disk, Entry, Said
from fiotools.readers.formats import FIO_TERSE
from fiotools.readers.text import Cursor, line_end, line_start, lines_above

_DESCRIPTION = 255  # bytes of a description that fio keeps
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
# what the printed units, usec and KiB/s, are worth in those of the columns
_WORTH = {
    column: 1000 if column.endswith("_ns") else 1024 if column.endswith("_per_s") else 1
    for column in _BLOCKS[5].groupindex
}
# by version and number of blocks; a sum alone is unified_rw_reporting's
_DIRECTIONS = {
    **dict.fromkeys([(version, 1) for version in (2, 3, 4, 5)], ("mixed",)),
    **dict.fromkeys([(2, 2), (3, 2)], ("read", "write")),  # before there were trims
    (3, 3): ("read", "write", "mixed"),
    **dict.fromkeys([(2, 3), (4, 3), (5, 3)], ("read", "write", "trim")),
    **dict.fromkeys([(2, 4), (4, 4), (5, 4)], ("read", "write", "trim", "mixed")),
}
_MOST = 4
_US = ("2", "4", "10", "20", "50", "100", "250", "500", "750", "1000")
# the shares of the tail, by what they are of
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
# of a disk; the times are in ms
COUNTS = (
    *("read_ios", "write_ios", "read_merges", "write_merges"),
    *("read_ticks_s", "write_ticks_s", "in_queue_s"),
)
_DISK = re.compile(rf";([^;\n]{{1,100}}){f';({_INT})' * len(COUNTS)};({_PERCENT})")
_ERRORS = re.compile(r";(\d{1,15});(-?\d{1,9})(?=[;\n])")

_VERSIONED = re.compile(FIO_TERSE)
_NUMBERS = rf";-?\d{{1,9}};-?\d{{1,9}}(?:;{_LONG}){{5,6}};{_FLOAT};{_FLOAT};"
# fio keeps 127 bytes of a name; what looks like another entry is one
_NAME = rf"(?:(?![\n\r][2-5];|{FIO_TERSE})[\s\S]){{0,255}}?"
_HEAD = re.compile(
    rf"(?:(?P<version>[3-5]);(?P<fio>fio[- ][^;\n]{{1,60}})|2);(?P<name>{_NAME})"
    rf"(?={_NUMBERS});(?P<group>-?\d+);(?P<error>-?\d+)"
)


# --- what stands there ------------------------------------------------------------------------


@dataclass
class Block:
    """One direction of an entry.

    Attributes
    ----------
    kib, bw, iops, runtime_ms : int
        As printed; fio 1 has no IOPS.
    figures : dict of str to float
        Columns of `io`: latencies and, over samples, bandwidth and (version 5) IOPS.
    percentiles : list of (float, float)
        With their latencies, in ns.
    """

    direction: str
    kib: int
    bw: int
    iops: int | None
    runtime_ms: int
    figures: dict[str, float]
    percentiles: list[tuple[float, float]]

    def measured(self, kind: str) -> bool:
        """Whether anything was: without, fio writes zeros."""
        samples = self.figures.get(f"{kind}_samples")
        if samples is not None:
            return bool(samples)
        unit = "bytes_per_s" if kind == "bw" else "ns"
        return any(self.figures[f"{kind}_{stat}_{unit}"] for stat in ("max", "mean"))

    @property
    def moved(self) -> bool:
        """Whether anything was moved: an I/O may be too small or too slow to show as a number."""
        return bool(self.kib or self.bw or self.iops) or any(map(self.measured, LATENCIES))


@dataclass(kw_only=True)
class Record(Entry):
    """An entry of the output.

    Attributes
    ----------
    client_disks : list of Disk
        Those on a line below the last entry.
    wrapped : bool
        Whether the description seems to have several lines.
    cut : str or None
        What stands at the end of the text and may be cut off.
    """

    version: int
    fio: str | None
    blocks: list[Block]
    disks: list[Disk] = field(default_factory=list)
    client_disks: list[Disk] = field(default_factory=list)
    wrapped: bool = False
    cut: str | None = None

    @property
    def key(self) -> tuple[object, ...]:
        """What the reports of one job have in common."""
        return self.version, self.fio, self.name, self.group

    @property
    def runtime_ms(self) -> int:
        """How long it ran."""
        return max(block.runtime_ms for block in self.blocks)

    @property
    def is_busy(self) -> bool:
        """Whether any of its disks did anything."""
        return any(disk.row[count] for disk in self.disks for count in COUNTS)


class Broken(NamedTuple):
    """A line that is not whole, or not fio's."""

    line: int
    reason: str


@dataclass
class Terse:
    """Entries that stand together in a text, and what fio said around them."""

    items: list[Record | Broken] = field(default_factory=list)
    remarks: Said = field(default_factory=list)


# --- one entry --------------------------------------------------------------------------------


def is_entry(line: str) -> bool:
    """Say whether a line is an entry of fio's terse output, or the disks of a client's."""
    return (_HEAD.match(line) or _DISK.match(line)) is not None


def heading(line: str) -> tuple[str, int] | None:
    """Return the name and the group of the job of an entry; None if the line begins none."""
    head = _HEAD.match(line)
    return (head["name"], int(head["group"])) if head else None


def _record(text: str, at: int, line: int) -> tuple[int, Record | Broken] | None:
    """Read the entry that begins at a place: where it ends, and it; None if it is none of fio's."""
    head = _HEAD.match(text, at)
    if head is None:
        return _broken(text, at, at, line) if _VERSIONED.match(text, at) else None
    version = int(head["version"] or 2)
    blocks, position = _blocks(text, head.end(), version)
    tail = _TAIL.match(text, position) if blocks else None
    if tail is None:
        return _broken(text, at, head.end(), line)
    said = tail.groupdict()
    shares = {
        name: dict(zip(names, map(_number, said.pop(name)[1:].split(";")), strict=True))
        for name, names in _SHARES.items()
    }
    entry = Record(
        line=line,
        version=version,
        fio=head["fio"] and head["fio"][4:].strip(),
        name=head["name"],
        group=int(head["group"]),
        error=int(head["error"]),
        blocks=blocks,
        cpu=finite((name, _number(text)) for name, text in said.items()),
        extras={"iodepth_level": orjson.dumps(shares.pop("depths")).decode()},
        shares=shares,
    )
    return _take_rest(text, tail.end(), entry), entry


def _number(text: str) -> float:
    return float(text.rstrip("%"))


def finite(figures: Iterable[tuple[str, float]]) -> dict[str, float]:
    """Keep numbers; fio prints nan where nothing was done."""
    return {column: value for column, value in figures if math.isfinite(value)}


def _broken(text: str, at: int, known: int, line: int) -> tuple[int, Broken]:
    """Say what is wrong with an entry, and where its line ends: behind what is known of it."""
    stop = line_end(text, known)
    fields = text.count(";", at, stop) + 1
    if stop == len(text):
        return stop, Broken(line, f"the entry breaks off in field {fields}")
    return stop, Broken(line, f"an entry of {fields} fields is not laid out as fio's terse output")


def _blocks(text: str, position: int, version: int) -> tuple[list[Block], int]:
    """Read the directions of an entry; none if their number is not one that fio prints."""
    matches: list[re.Match[str]] = []
    while len(matches) < _MOST and (match := _BLOCKS[version].match(text, position)):
        matches.append(match)
        position = match.end()
    directions = _DIRECTIONS.get((version, len(matches)), ())
    return list(map(_block, directions, matches)), position


def _block(direction: str, match: re.Match[str]) -> Block:
    said = match.groupdict()
    kib, bw, iops, runtime_ms = map(said.pop, ("kib", "bw", "iops", "runtime_ms"))
    printed = (said.pop("percentiles") or "")[1:].split(";")
    pairs = (part.partition("%=") for part in printed if part)
    return Block(
        direction,
        int(kib),
        int(bw),
        None if iops is None else int(iops),
        int(runtime_ms),
        {column: float(text.rstrip("%")) * _WORTH[column] for column, text in said.items()},
        [(float(name), float(value) * 1000) for name, _, value in pairs],
    )


def _disks(text: str, at: int) -> tuple[list[Disk], int]:
    """Read disk figures from a place on; return them and where they end."""
    found: list[Disk] = []
    while match := _DISK.match(text, at):
        name, *counts, util = match.groups()
        figures = dict(zip(COUNTS, map(int, counts), strict=True))
        if name == "slaves" and found and not found[-1].parts:
            for column, value in {**figures, "util": _number(util)}.items():
                # as fio's JSON calls the mean over the devices that a device is made of
                key = column.removesuffix("_s").replace("write_merges", "write_merge")
                path = f"disk_util.{found[-1].row['device']}.aggr_{key}"
                found[-1].parts[path] = orjson.dumps(value).decode()
        else:
            row = {
                column: count / 1000 if column.endswith("_s") else count
                for column, count in figures.items()
            }
            found.append(Disk({"device": name, **row, **finite([("util_pct", _number(util))])}, {}))
        at = match.end()
    return found, at


def _take_rest(text: str, at: int, entry: Record) -> int:
    """Read what follows the fixed fields: disks, error counts, a description."""
    stop = line_end(text, at)
    if entry.version > 2:
        entry.disks, at = _disks(text, at)
    if stop == len(text):  # the text ends within the line: a name or a number may be shortened
        entry.cut = text[at:] or None
        return stop
    # a total without a first error is what a description begins with
    if (match := _ERRORS.match(text, at)) and bool(int(match[1])) == bool(int(match[2])):
        entry.extras |= {"total_err": str(int(match[1])), "first_error": str(int(match[2]))}
        at = match.end()
    if text[at] == ";":
        entry.description = text[at + 1 : stop]
    elif at < stop:
        entry.cut = text[at:stop]
    return stop


# --- the entries that stand together ----------------------------------------------------------

_START = re.compile(rf"(?:[^\n]*\r)?(?={FIO_TERSE}|2;)")
_EARLIER = re.compile(rf"(?:^|(?<=\r)){FIO_TERSE}")
# what fio prints around its entries, and the line of names that people put above them
_SAID = re.compile(
    r"fio: [^\n]*|[Nn]ote: [^\n]*|clock setaff[^\n]*|hostname=[^\n]*|Jobs: \d[^\n]*|<[^>\n]+>"
    r"|[^\n;]*: (?:you need to specify |Laying out IO file)[^\n]*|terse_version[^\n]*"
)
# what says nothing if no entry follows; and a tag of XML looks like the name of a client
_LEADING = ("<", "hostname=")
_FOLLOWING = re.compile(r"\n(?=[2-5];|;)")
_NORMAL = re.compile(r"\s*([^\n]*): \(groupid=(\d+), jobs=\d+\): err=")


def parse(text: str, match: re.Match[str]) -> tuple[int, int, Terse] | None:
    """Read the entries from the match on, as far as they stand together."""
    if match[0] == "2;" and _record(text, match.start(), 0) is None:
        return None
    first = line_start(text, match.start(), _FAR)
    first = match.start() if first is None else first
    # where an entry before this one was not taken, neither is this
    if _EARLIER.search(text, first, match.start()) or _follows_entry(text, first):
        return None
    # all that stands above the first entry is of this report, if it is fio's
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
    return begun is not None and _record(line, begun.end(), 0) is not None


def _stop(cursor: Cursor, found: Terse, *, alone: bool) -> int | None:
    """Read what begins on a line, and say where it ends; None if it is not of the report."""
    begun = _START.match(cursor.text, cursor.start)
    if begun and (entry := _record(cursor.text, begun.end(), cursor.number)):
        found.items.append(entry[1])
        return entry[0]
    if _SAID.fullmatch(cursor.line):
        found.remarks.append((cursor.number, cursor.line.rsplit("\r", 1)[-1]))
        return cursor.stop
    if not cursor.bare:
        return cursor.stop
    last = found.items[-1] if found.items else None
    if not isinstance(last, Record):
        return None
    return _continued(cursor, last) if cursor.line[0] == ";" else _wrapped(cursor, last, alone)


def _continued(cursor: Cursor, entry: Record) -> int | None:
    """Read a line that begins with a semicolon: a client's disks, or (version 2) a description."""
    if entry.client_disks or (entry.version == 2 and entry.description is not None):
        return None
    end = cursor.start
    if entry.version > 2:
        entry.client_disks, end = _disks(cursor.text, end)
    elif not cursor.is_open:
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


def _is_copy(last: Record | Broken, following: re.Match[str] | None) -> bool:
    """Whether fio's report for people follows, of the same job: it says more."""
    return (
        isinstance(last, Record)
        and following is not None
        and (following[1].strip(), int(following[2])) == (last.name.strip(), last.group)
    )
