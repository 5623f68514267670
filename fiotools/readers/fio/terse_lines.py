"""The lines of fio's terse output, and what they say: text to plain data, without judgement.

Neither the job's name nor its description is escaped, so both may hold semicolons and ends of
line. They are found by what stands between them, whose shape is fixed: whole numbers, then two
decimal ones, then percentiles (``99.000000%=497``), then percent signs. Old versions lack fields
(no IOPS, no percentiles, no trims); which ones can be seen from the shape as well.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from fiotools.readers.formats import FIO_TERSE
from fiotools.readers.text import line_end

LATENCIES = ("slat", "clat", "lat")
STATS = ("min", "max", "mean", "stddev")
DESCRIPTION = 255  # bytes of a description that fio keeps

_INT = r"\d{1,15}"  # KiB times 1024 fit into 64 bits
_LONG = r"\d{1,20}"
_FLOAT = r"-?(?:\d{1,25}\.\d{1,9}|nan|inf)"
_PERCENT = rf"{_FLOAT}%"


def _fields(pattern: str, *names: str) -> str:
    return "".join(f";(?P<{name}>{pattern})" for name in names)


def _extremes_and_means(column: str, between: str = "") -> str:
    low, high, mean, stddev = map(column.format, STATS)
    return _fields(_LONG, low, high) + between + _fields(_FLOAT, mean, stddev)


# the fields of one direction, called like the columns of `io`
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
_BLOCKS = {5: re.compile(_BLOCK_5)}
_BLOCK_2_TO_4 = re.compile(_BLOCK)
_WHOLE = ("kib", "bw", "iops", "runtime_ms")
# what the printed units, us and KiB/s, are worth in those of the columns
_WORTH = {
    column: 1000 if column.endswith("_ns") else 1024 if column.endswith("_per_s") else 1
    for column in _BLOCKS[5].groupindex
}
# of these one is above 0 where anything was measured; IOPS have a number of samples
_MEASURED = {
    **{kind: (f"{kind}_max_ns", f"{kind}_mean_ns") for kind in LATENCIES},
    "bw": ("bw_max_bytes_per_s", "bw_mean_bytes_per_s"),
    "iops": (),
}
# as columns of `jobs`; depths, and latencies in us and ms
_TAIL = re.compile(
    _fields(_PERCENT, "usr_cpu_pct", "sys_cpu_pct")
    + _fields(_INT, "ctx", "majf", "minf")
    + rf"(?P<shares>(?:;{_PERCENT}){{29}})"
)
_DISK = re.compile(rf";(?P<name>[^;\n]{{1,100}})(?P<counts>(?:;{_INT}){{7}});(?P<util>{_PERCENT})")
_ERRORS = re.compile(r";(\d{1,15});(-?\d{1,9})(?=[;\n])")

_VERSIONED = re.compile(FIO_TERSE)
_NUMBERS = rf";-?\d{{1,9}};-?\d{{1,9}}(?:;{_LONG}){{5,6}};{_FLOAT};{_FLOAT};"
# fio keeps 127 bytes of a name; what looks like another entry is one
_NAME = rf"(?:(?![\n\r][2-5];|{FIO_TERSE})[\s\S]){{0,255}}?"
_HEAD = re.compile(
    rf"(?:(?P<version>[3-5]);(?P<fio>fio[- ][^;\n]{{1,60}})|2);(?P<name>{_NAME})"
    rf"(?={_NUMBERS});(?P<group>-?\d+);(?P<error>-?\d+)"
)
_ENTRY = re.compile(rf"(?:{FIO_TERSE}[^;\n]*|2);[^\n]{{0,255}}?(?={_NUMBERS})")
# by version and number of blocks; a sum alone is unified_rw_reporting's
_DIRECTIONS = {
    **dict.fromkeys([(version, 1) for version in (2, 3, 4, 5)], ("mixed",)),
    **dict.fromkeys([(2, 2), (3, 2)], ("read", "write")),  # before there were trims
    (3, 3): ("read", "write", "mixed"),
    **dict.fromkeys([(2, 3), (4, 3), (5, 3)], ("read", "write", "trim")),
    **dict.fromkeys([(2, 4), (4, 4), (5, 4)], ("read", "write", "trim", "mixed")),
}
_MOST = 4


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
        if f"{kind}_samples" in self.figures:
            return bool(self.figures[f"{kind}_samples"])
        return any(self.figures[column] for column in _MEASURED[kind])

    @property
    def moved(self) -> bool:
        """Whether anything was moved: an I/O may be too small or too slow to show as a number."""
        return bool(self.kib or self.bw or self.iops) or any(map(self.measured, LATENCIES))


@dataclass
class Disk:
    """What one block device did; ``aggregate`` is of those that it is made of."""

    name: str
    counts: tuple[int, ...]
    util: float
    aggregate: Disk | None = None


@dataclass
class Record:
    """One entry of a report: a job's, or a group's."""

    line: int
    version: int
    fio: str | None
    name: str
    group: int
    error: int
    blocks: list[Block]
    cpu: dict[str, float]  # columns of `jobs`
    shares: list[float]  # depths, us and ms
    disks: list[Disk] = field(default_factory=list)
    client_disks: list[Disk] = field(default_factory=list)  # on a line below the last entry
    errors: tuple[int, int] | None = None
    description: str | None = None
    wrapped: bool = False  # the description seems to have several lines
    cut: str | None = None  # what stands at the end of the text and may be cut off

    @property
    def key(self) -> tuple[str, int]:
        """What the reports of one job have in common."""
        return self.name, self.group


@dataclass
class Broken:
    """A line that is not whole, or not fio's."""

    line: int
    reason: str


def is_entry(line: str) -> bool:
    """Say whether a line is an entry of fio's terse output, or the disks of a client's."""
    return (_ENTRY.match(line) or _DISK.match(line)) is not None


def heading(line: str) -> tuple[str, int] | None:
    """Return the name and the group of the job of an entry; None if the line begins none."""
    head = _HEAD.match(line)
    return (head["name"], int(head["group"])) if head else None


def record(text: str, at: int, line: int) -> tuple[int, Record | Broken] | None:
    """Read the entry that begins at a place.

    Returns
    -------
    (end, Record or Broken), or None
        None if it is none of fio's.
    """
    head = _HEAD.match(text, at)
    if head is None:
        return _broken(text, at, at, line) if _VERSIONED.match(text, at) else None
    version = int(head["version"] or 2)
    found, position = _blocks(text, head.end(), version)
    tail = _TAIL.match(text, position) if found else None
    if tail is None:
        return _broken(text, at, head.end(), line)
    *cpu, shares = tail.groupdict().items()
    entry = Record(
        line=line,
        version=version,
        fio=head["fio"] and head["fio"][4:].strip(),
        name=head["name"],
        group=int(head["group"]),
        error=int(head["error"]),
        blocks=found,
        cpu={column: _number(text) for column, text in cpu},
        shares=[_number(text) for text in shares[1][1:].split(";")],
    )
    return _take_rest(text, tail.end(), entry), entry


def _number(text: str) -> float:
    return float(text.rstrip("%"))


def _broken(text: str, at: int, known: int, line: int) -> tuple[int, Broken]:
    """Say what is wrong with an entry, and where its line ends: behind what is known of it."""
    stop = line_end(text, known)
    fields = text.count(";", at, stop) + 1
    if stop == len(text):
        return stop, Broken(line, f"the entry breaks off in field {fields}")
    return stop, Broken(line, f"an entry of {fields} fields is not laid out as fio's terse output")


def _blocks(text: str, position: int, version: int) -> tuple[list[Block], int]:
    """Read the directions of an entry; none if their number is not one that fio prints."""
    pattern = _BLOCKS.get(version, _BLOCK_2_TO_4)
    matches: list[re.Match[str]] = []
    while len(matches) < _MOST and (match := pattern.match(text, position)):
        matches.append(match)
        position = match.end()
    directions = _DIRECTIONS.get((version, len(matches)), ())
    return list(map(_block, directions, matches)), position


def _block(direction: str, match: re.Match[str]) -> Block:
    fields = match.groupdict()
    kib, bw, iops, runtime_ms = (fields.pop(name) for name in _WHOLE)
    printed = (fields.pop("percentiles") or "")[1:].split(";")
    pairs = (part.partition("%=") for part in printed if part)
    return Block(
        direction,
        int(kib),
        int(bw),
        None if iops is None else int(iops),
        int(runtime_ms),
        {column: float(text.rstrip("%")) * _WORTH[column] for column, text in fields.items()},
        [(float(name), float(value) * 1000) for name, _, value in pairs],
    )


def disks(text: str, at: int) -> tuple[list[Disk], int]:
    """Read disk figures from a place on; return them and where they end."""
    found: list[Disk] = []
    while match := _DISK.match(text, at):
        counts = tuple(map(int, match["counts"][1:].split(";")))
        disk = Disk(match["name"], counts, _number(match["util"]))
        if disk.name == "slaves" and found and found[-1].aggregate is None:
            found[-1].aggregate = disk
        else:
            found.append(disk)
        at = match.end()
    return found, at


def _take_rest(text: str, at: int, entry: Record) -> int:
    """Read what follows the fixed fields: disks, error counts, a description."""
    stop = line_end(text, at)
    if entry.version > 2:
        entry.disks, at = disks(text, at)
    if stop == len(text):  # the text ends within the line: a name or a number may be shortened
        entry.cut = text[at:] or None
        return stop
    if match := _ERRORS.match(text, at):
        total, first = int(match[1]), int(match[2])
        if bool(total) == bool(first):  # else it is what a description begins with
            entry.errors, at = (total, first), match.end()
    if text[at] == ";":
        entry.description = text[at + 1 : stop]
    elif at < stop:
        entry.cut = text[at:stop]
    return stop
