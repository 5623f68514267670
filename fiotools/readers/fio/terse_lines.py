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

_INT = r"\d{1,15}"  # KiB times 1024 fit into 64 bits
_LONG = r"\d{1,20}"
_FLOAT = r"-?(?:\d{1,25}\.\d{1,9}|nan|inf)"
_PERCENT = rf"{_FLOAT}%"
_FOUR = rf";{_LONG};{_LONG};{_FLOAT};{_FLOAT}"
# KiB, KiB/s, IOPS, ms; slat, clat; percentiles; lat; bandwidth and (version 5) IOPS over samples
_BLOCK = (
    rf";{_INT};{_INT}(?:;{_INT})?;{_INT}{_FOUR}{_FOUR}"
    rf"(?P<percentiles>(?:;\d{{1,3}}(?:\.\d{{1,9}})?%={_LONG}){{20}})?{_FOUR}"
    rf";{_LONG};{_LONG};{_PERCENT};{_FLOAT};{_FLOAT}"
)
_BLOCK_5 = rf"{_BLOCK};{_INT};{_LONG};{_LONG};{_FLOAT};{_FLOAT};{_INT}"
_BLOCKS = {5: re.compile(_BLOCK_5)}
_BLOCK_2_TO_4 = re.compile(_BLOCK)
# usr, sys, ctx, majf, minf; depths; latencies in us and ms
_TAIL = re.compile(rf";{_PERCENT};{_PERCENT};{_INT};{_INT};{_INT}(?:;{_PERCENT}){{29}}")
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
_DIRECTIONS = {
    (3, 2): ("read", "write"),
    (3, 3): ("read", "write", "mixed"),
    (2, 2): ("read", "write"),  # before there were trims
}
_ALL = ("read", "write", "trim", "mixed")
DESCRIPTION = 255  # bytes of a description that fio keeps


@dataclass
class Block:
    """One direction of an entry, as printed: KiB, ms and us."""

    direction: str
    kib: int
    bw: int
    iops: int | None  # fio 1 has none
    runtime_ms: int
    latencies: dict[str, tuple[float, ...]]
    percentiles: list[tuple[float, float]]
    bw_stats: tuple[float, ...]
    bw_samples: int | None = None
    iops_stats: tuple[float, ...] = ()
    iops_samples: int | None = None

    @property
    def moved(self) -> bool:
        """Whether anything was moved: an I/O may be too small or too slow to show as a number."""
        return bool(self.kib or self.bw or self.iops) or any(
            stats[1] or stats[2] for stats in self.latencies.values()
        )


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
    cpu: tuple[float, ...]  # usr, sys, ctx, majf, minf
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
    parts = tail[0][1:].split(";")
    entry = Record(
        line=line,
        version=version,
        fio=head["fio"] and head["fio"][4:].strip(),
        name=head["name"],
        group=int(head["group"]),
        error=int(head["error"]),
        blocks=found,
        cpu=tuple(float(part.rstrip("%")) for part in parts[:5]),
        shares=[float(part[:-1]) for part in parts[5:]],
    )
    return _rest(text, tail.end(), entry), entry


def _broken(text: str, at: int, known: int, line: int) -> tuple[int, Broken]:
    """Say what is wrong with an entry, and where its line ends: behind what is known of it."""
    stop = text.find("\n", known)
    fields = text.count(";", at, stop if stop >= 0 else len(text)) + 1
    if stop < 0:
        return len(text), Broken(line, f"the entry breaks off in field {fields}")
    reason = f"an entry of {fields} fields is not laid out as fio's terse output"
    return stop, Broken(line, reason)


def _blocks(text: str, position: int, version: int) -> tuple[list[Block], int]:
    """Read the directions of an entry; none if their number is not one that fio prints."""
    pattern = _BLOCKS.get(version, _BLOCK_2_TO_4)
    matches: list[re.Match[str]] = []
    while len(matches) < len(_ALL) and (match := pattern.match(text, position)):
        matches.append(match)
        position = match.end()
    count = len(matches)
    directions = _DIRECTIONS.get((version, count), _ALL[:count])
    if count == 1:
        directions = ("mixed",)
    if count != len(directions) or (version > 3 and count == 2) or (version == 3 and count == 4):
        return [], position
    return [_block(*pair) for pair in zip(directions, matches, strict=True)], position


def _block(direction: str, match: re.Match[str]) -> Block:
    fields = match[0][1:].split(";")
    # two whole numbers of slat follow, then the first decimal one
    amounts = next(at for at, part in enumerate(fields) if not part.isdigit()) - 2
    kib, bw, *iops, runtime = map(int, fields[:amounts])
    at = amounts + 8
    percentiles = fields[at : at + 20] if match["percentiles"] else []
    after = fields[at + len(percentiles) :]
    block = Block(
        direction,
        kib,
        bw,
        iops[0] if iops else None,
        runtime,
        {
            "slat": _floats(fields[amounts : amounts + 4]),
            "clat": _floats(fields[amounts + 4 : at]),
            "lat": _floats(after[:4]),
        },
        [(float(p), float(v)) for p, _, v in (part.partition("%=") for part in percentiles)],
        _floats(after[4:9]),
    )
    if len(after) > 9:
        block.bw_samples, block.iops_samples = int(after[9]), int(after[14])
        block.iops_stats = _floats(after[10:14])
    return block


def _floats(parts: list[str]) -> tuple[float, ...]:
    return tuple(float(part.rstrip("%")) for part in parts)


def disks(text: str, at: int) -> tuple[list[Disk], int]:
    """Read disk figures from a place on; return them and where they end."""
    found: list[Disk] = []
    while match := _DISK.match(text, at):
        counts = tuple(map(int, match["counts"][1:].split(";")))
        disk = Disk(match["name"], counts, float(match["util"][:-1]))
        if disk.name == "slaves" and found and found[-1].aggregate is None:
            found[-1].aggregate = disk
        else:
            found.append(disk)
        at = match.end()
    return found, at


def _rest(text: str, at: int, entry: Record) -> int:
    """Read what follows the fixed fields: disks, error counts, a description."""
    stop = text.find("\n", at)
    if entry.version > 2:
        entry.disks, at = disks(text, at)
    if stop >= 0 and (match := _ERRORS.match(text, at)):
        total, first = int(match[1]), int(match[2])
        if bool(total) == bool(first):  # else it is what a description begins with
            entry.errors, at = (total, first), match.end()
    if stop < 0:  # the text ends within the line: a name or a number may be shortened
        entry.cut = text[at:] or None
        return len(text)
    if text[at] == ";":
        entry.description = text[at + 1 : stop]
    elif at < stop:
        entry.cut = text[at:stop]
    return stop
