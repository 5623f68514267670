"""fio_normal: the report that fio prints for people, alone or in the middle of other text.

Produced by ``fio ...`` or ``fio --output=report.txt ...``. Fills ``runs``, ``jobs``, ``io``,
``percentiles``, ``bins`` (the coarse distribution, as percent), ``disks``, ``samples`` (the
earlier reports of ``--status-interval``), ``settings`` (from a command line, where a transcript
shows one) and ``extras`` (depths, date, the group summary).

The definition line above (``job: (g=0): rw=..., bs=..., iodepth=...``) gives the conditions.
Numbers are recomputed from the exact ones (``issued rwts``, milliseconds, block size) if the result
prints like the printed number; otherwise the printed number, three to six digits, stays.

Traps: units change from line to line (nsec, usec, msec; KiB, MiB; Gibit with ``unit_base=1``);
``k`` is 1000; before 3.0 ``KB`` is 1024, but early fio 1 meant 1000 by it in bandwidths; digits
behind the point can be wrong (fio prints 11.96 as 11.0), so the most precise print of a number is
taken, as far as the others agree; the ``lat (usec)   :`` lines look like ``lat (usec):`` and hold
the completion latency; with ``kb_base=1000`` the line ``bw ( MiB/s)`` counts 1000 KiB; the date has
no zone, so it stays in ``extras``, like latencies by priority; reports of one process repeat with
``--status-interval`` and are cumulative: the last one counts. ``jobs=2`` is a group; conditions on
which its jobs differ are left out. Counts are checked against rates, and a group's entries against
its summary. "All clients" of 3.42 rounds the names of percentiles: 99.5 and above are all 100.

Lines of other programs inside a report, such as the kernel's, are stepped over, with a note, if
lines follow that the report still lacks; a line that it has already ends it. A direction whose line
with IOPS is missing follows from the counts and the summary. Lines without the first line of their
entry, and a summary alone, are runs without a job.

Grammar: fio ``stat.c`` (``show_thread_status_normal``) and ``init.c``, 1.x to 3.42.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from typing import Any, NamedTuple

from fiotools.errors import ParseError
from fiotools.readers.document import (
    Document,
    Report,
    Session,
    line_end,
    line_start,
    lines_above,
    may_hold,
    read_reports,
)
from fiotools.readers.fio import STATISTICS, Version
from fiotools.readers.fio import options as fio_options
from fiotools.readers.fio.bins import NS, coarse_edges
from fiotools.readers.fio.terse import heading, is_entry
from fiotools.readers.fio.text_rows import (
    ALL,
    Direction,
    Disk,
    Entry,
    RunRows,
    Said,
    is_interrupted,
    note_remarks,
)
from fiotools.readers.formats import FIO_DEFINITION, FIO_SAID, READERS, Later
from fiotools.readers.text import Cursor, Taker, taken
from fiotools.tables.rows import Rows

_commands = Later("fiotools.readers.prompts:commands")

# --- numbers as printed, and how far to trust them --------------------------------------------

_AMOUNT = re.compile(r"([\d.]{1,25})\s*([kKMGTPE]?)(i?)(bit|B)?(?:/s(?:ec)?)?")
_COUNT = re.compile(r"(-?[\d.]{1,25})([kKmMGT]?)")
_UNKNOWN = "unknown"  # the direction of latencies whose first line is missing
_MOVING = ("read", "write", "trim")  # in the order of their lines and counts
_SUMMED = (*_MOVING, "mixed")
_BRACKETS = re.compile(r"[()]")
_POWER = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4, "p": 5, "e": 6}


class Printed(NamedTuple):
    """A rounded number: its value, and how far off the true one can be."""

    value: float
    slack: float  # half of the last digit
    # how much too low it may be because of a defect: fio prints 11.96 as 11.0, as it rounds the
    # digits behind the point separately. In the old layout (io=) they can be entirely wrong: 1.59
    # prints 1813.9 as 1813.1
    below: float = 0.0
    above: float = 0.0  # how much too high, likewise

    def agrees(self, exact: float, reach: float = 0.0) -> bool:
        """Whether a value, exact or so far off, prints like this."""
        return self._is_near(exact, reach) or self._is_defect(exact, reach)

    def _is_near(self, exact: float, reach: float) -> bool:
        return abs(exact - self.value) <= self.slack + reach

    def _is_defect(self, exact: float, reach: float) -> bool:
        # a new layout's digits are wrong only right below the next whole unit
        lowest = -self.above if self.above else self.below - self.slack
        return lowest - reach <= exact - self.value <= self.below + reach

    def beside(self, other: Printed) -> Printed:
        """Return it as far as another print of the same number excludes the defect."""
        if self.above or not self.below or not self._is_near(other.value, other.reach):
            return self
        return (
            self if self._is_defect(other.value, other.reach) else Printed(self.value, self.slack)
        )

    def times(self, factor: float) -> Printed:
        """Return it in another unit."""
        return Printed(*(number * factor for number in self))

    @property
    def reach(self) -> float:
        """How far off the true value can be."""
        return max(self.slack, self.below, self.above)


def _printed(digits: str, scale: float, is_old: bool) -> Printed:
    decimals = digits.partition(".")[2]
    # fio rounds the last digit, after truncating at each prefix and at the whole unit
    step = 10.0 ** -len(decimals)
    slack = (0.5 * step + 0.001) * scale + (1.0 if scale > 1 else 0.5)
    wrong = scale if decimals and scale > 1 and (is_old or not decimals.strip("0")) else 0.0
    return Printed(float(digits) * scale, slack, wrong, wrong if is_old else 0.0)


def amount(text: str, is_old: bool = False) -> Printed:
    """Read a size or a rate, in bytes; a prefix without an ``i`` is 1024 in the old layout."""
    match = _AMOUNT.fullmatch(text.strip())
    if not match:
        raise ValueError(f"not an amount: {text!r}")
    kilo = 1024.0 if match[3] or is_old else 1000.0
    scale = kilo ** _POWER[match[2].lower()]
    return _printed(match[1], scale / 8 if match[4] == "bit" else scale, is_old)


def count(text: str) -> Printed:
    """Read a number with fio's k, M, G, which are decimal, and how far to trust it."""
    match = _COUNT.fullmatch(text.strip())
    if not match:
        raise ValueError(f"not a number: {text!r}")
    if match[2]:
        return _printed(match[1], 1000.0 ** _POWER[match[2].lower()], False)
    return Printed(float(match[1]), 1.0)  # truncated, not rounded: 1495.9 prints as 1495


# --- what a report says -----------------------------------------------------------------------


@dataclass
class Definition:
    """A job as fio understood it, printed above the reports."""

    name: str
    group: int
    options: dict[str, str]
    clones: bool = False


@dataclass
class Curve:
    """Percentiles of one latency."""

    line: int
    scale: int = 1  # the ns of their unit
    decimals: int = 0  # how many digits their names have behind the point
    pairs: list[tuple[float, float]] = field(default_factory=list)


class Sum(NamedTuple):
    """One direction in the summary of a group."""

    group: str  # its heading
    direction: str
    io: Printed
    bw: Printed
    longest_ms: int
    is_old: bool


@dataclass
class Section:
    """One direction of an entry."""

    direction: str
    line: int = field(compare=False)
    io: Printed | None = None
    bw: Printed | None = None
    iops: Printed | None = None
    runtime_ms: int | None = None
    is_old: bool = False  # the layout from before 2.18, with KB of 1024 bytes
    measures: dict[str, float] = field(default_factory=dict)  # columns of `io`
    percentiles: dict[str, Curve] = field(default_factory=dict)

    @property
    def is_decimal(self) -> bool:
        """Whether the bandwidth counts 1000 bytes but says 1024, as in fio 1 until 1.3x."""
        if not self.is_old or self.io is None or self.bw is None or not self.runtime_ms:
            return False
        seconds = self.runtime_ms / 1000
        exact, slack = self.io.value / seconds, self.io.reach / seconds + self.bw.slack
        said = self.bw.value
        return abs(exact - said) > slack and abs(exact - said / 1.024) <= slack


@dataclass(kw_only=True)
class Job(Entry):
    """An entry of the report."""

    jobs: int
    pid: int
    message: str | None = None
    sections: list[Section] = field(default_factory=list)
    # I/Os in total, short and dropped: reads, writes, trims and syncs
    issued: dict[str, list[int]] = field(default_factory=dict)
    has_head: bool = True  # whether the text has its first line, with its name

    @property
    def key(self) -> tuple[str, int | None, int, str | None]:
        """The key that repeated reports of the same entry share."""
        return self.name, self.group, self.pid, self.host

    @property
    def summary(self) -> str:
        """The heading of the summary of its group."""
        host = f"<{self.host}> " if self.host else ""
        return f"{host}Run status group {self.group} (all jobs)"

    def is_beyond(self, direction: str) -> bool:
        """Whether a direction's first line belongs to another entry, as this one has passed it."""
        done = self.cpu or self.issued or any(one.direction == direction for one in self.sections)
        return bool(done)


@dataclass
class FioOutput:
    """The output of one fio process."""

    version: str | None = None
    # in client mode, the machines whose reports are to follow, and the one whose report is being
    # read; empty if it is uncertain which
    waiting: list[str] = field(default_factory=list)
    host: str | None = None
    definitions: list[Definition] = field(default_factory=list)
    # how many entries of a name and group are defined, at most, and how many were reported
    defined: dict[tuple[str, int], float] = field(default_factory=dict)
    reported: Counter[tuple[str, int | None]] = field(default_factory=Counter)
    entries: list[Job] = field(default_factory=list)
    earlier: list[list[Job]] = field(default_factory=list)  # of reports before the last one
    disks: list[Disk] = field(default_factory=list)
    extras: dict[str, str] = field(default_factory=dict)
    remarks: Said = field(default_factory=list)
    terse: int | None = None  # the line on which terse output begins above it
    doubts: Said = field(default_factory=list)  # contradictions
    # what was not understood, or is not certain: its line, code and message
    left_out: list[tuple[int, str, str]] = field(default_factory=list)
    cut: int | None = None  # the line where the text ends before fio's output does
    is_summed: bool = False
    begun: int = 0  # which entry is the first of the report that is being read
    is_between: bool = True  # whether the next entry begins a report
    group: str = ""  # the heading of the summary that is being read
    sums: list[Sum] = field(default_factory=list)
    # the percentiles that are being read, if their heading was; the name of their extra if they
    # belong to one priority, which has no table
    curve: Curve | None = None
    priority: str = ""
    # how the lines of the entry, direction or summary begin that is being read
    beginnings: set[str] = field(default_factory=set)

    @property
    def entry(self) -> Job:
        """The entry whose lines are being read."""
        return self.entries[-1]

    @cached_property
    def alike(self) -> dict[tuple[str, int | None, str | None], list[Job]]:
        """The entries of one name, group and machine, once all are read."""
        found = defaultdict(list)
        for entry in self.entries:
            found[entry.name, entry.group, entry.host].append(entry)
        return found

    @cached_property
    def lists(self) -> set[tuple[bool, int, tuple[float, ...]]]:
        """The names of percentiles in all tables, once all are read.

        Each with whether it is of all clients, and how many digits the names have.
        """
        return {
            (entry.is_total, curve.decimals, tuple(name for name, _ in curve.pairs))
            for entry in self.entries
            for section in entry.sections
            for curve in section.percentiles.values()
        }

    @cached_property
    def grouped(self) -> dict[int | None, list[Definition]]:
        """The definitions of each group, once all are read."""
        found: dict[int | None, list[Definition]] = defaultdict(list)
        for one in self.definitions:
            found[one.group].append(one)
        return found


# --- the rows of a run ------------------------------------------------------------------------


def add(tables: Rows, report: Report, session: Session) -> int:
    """Add one fio process as a run, with an entry for each job or group that it reported."""
    said: FioOutput = report.data
    rows = RunRows(
        tables,
        report,
        session,
        tool_version=said.version,
        format="fio_normal",
        status=_status(said),
    )
    has_ns = not Version.of(said.version).before(3, 0, False)
    for number, entry in enumerate(said.entries, 1):
        options = rows.asked(number, entry.name)
        directions = [_direction(said, entry, section, options) for section in entry.sections]
        # group_reporting prints one entry for several jobs; a lone summary does not say how many
        scope = "client" if entry.host is not None else "job" if entry.jobs == 1 else "group"
        rows.entry(number, entry, scope, directions, has_ns=has_ns)
    # the progress of each entry, which --status-interval printed
    numbers = {entry.key: number for number, entry in enumerate(said.entries, 1)}
    for entries in [*said.earlier, said.entries] if said.earlier else ():
        for entry in entries:
            for section in entry.sections:
                if section.io and section.runtime_ms and entry.key in numbers:
                    done = {
                        "io_bytes": section.io.value,
                        "total_ios": _issued(entry, section.direction, "total"),
                    }
                    seconds = section.runtime_ms / 1000
                    rows.progress(numbers[entry.key], entry, section.direction, seconds, done)
    rows.disks(said.disks)
    for path, text in said.extras.items():
        rows.extra(path, text)
    note_remarks(tables, said.remarks, report.line, rows.run)
    _note_troubles(rows, said)
    return rows.run


def _status(said: FioOutput) -> str:
    if any(entry.error for entry in said.entries):
        return "error"
    if said.cut is not None or not all(entry.has_head for entry in said.entries):
        return "truncated"
    if is_interrupted(said.remarks):
        return "interrupted"
    return "ok" if said.is_summed else "truncated"


def _note_troubles(rows: RunRows, said: FioOutput) -> None:
    if said.terse is not None:
        message = "terse output beside the report was left out: the report says more"
        rows.note(said.terse, message, "repeats", "info")
    for at, code, text in said.left_out:
        rows.note(at, text, code)
    for at, doubt in said.doubts:
        rows.note(at, f"{doubt}: the numbers are kept as printed", "contradiction")
    defined = {one.name for one in said.definitions}
    for entry in said.entries:
        at, name = entry.line, entry.name
        if defined and entry.has_head and name not in defined and not entry.is_total:
            message = f"no definition above is named {name!r}: its conditions are missing"
            rows.note(at, message, "conditions")
        if entry.error:
            message = f"job {name!r} ended with error {entry.error} ({entry.message})"
            rows.note(at, message, "failed", "error")
        if not entry.sections:
            is_idle = entry.error or not any(entry.issued.get("total", ()))
            what = "did no I/O" if is_idle else "has no line such as 'read: IOPS=': no rates"
            rows.note(at, f"job {name!r} {what}", "idle" if is_idle else "incomplete")
        elif entry.has_head:
            _note_missing(rows, entry)
    if unknown := [one.line for one in said.entries if one.host == ""]:
        message = "which of the clients reported this is not certain: host is left out"
        rows.note(unknown[0], message, "left out")
    if headless := [one.line for one in said.entries if not one.has_head]:
        message = "a part of fio's report without the line 'NAME: (groupid=...' above it"
        if len(headless) > 1:
            message = (
                f"{len(headless)} parts of fio's report without the line 'NAME: (groupid=...', read"
                " as entries of one run, which is not certain"
            )
        message += ": paste from there to have the job and its conditions"
        rows.note(headless[0], message, "incomplete")
    elif not said.is_summed:
        message = "the report has no group summary: it was cut off, or copied in part"
        rows.note(0, message, "incomplete")
    if said.is_summed and said.cut is not None:
        message = "the report was cut off here: its last lines may be missing, or interim"
        rows.note(said.cut, message, "incomplete")


def _note_missing(rows: RunRows, entry: Job) -> None:
    """Say where the first line of a direction is missing, and what is known without it."""
    for section in entry.sections:
        of = f"{section.direction} of {entry.name}"
        if section.direction == _UNKNOWN:
            message = (
                "latencies without a line such as 'read: IOPS=' above them: they are left out, as"
                " their direction is not certain"
            )
            rows.note(section.line, message, "left out")
        elif section.direction in _MOVING and section.iops is None:
            known = "only counts and latencies are known"
            if section.io is not None:
                known = "its amounts are those of the group's summary"
            message = f"{of}: the line with its IOPS is missing; {known}"
            rows.note(section.line, message, "incomplete")


def _direction(said: FioOutput, entry: Job, section: Section, options: dict[str, str]) -> Direction:
    """Return a section's values, printed and derived; contradictions become doubts."""
    direction = section.direction
    if direction == _UNKNOWN:
        return Direction(direction, {}, {})
    found = {
        **fio_options.conditions(options, direction),
        **_conditions(said, entry, direction),
        **section.measures,
        **{f"{what}_ios": _issued(entry, direction, what) for what in ("total", "short", "drop")},
    }
    amounts, doubt = _amounts(section, found)
    found |= amounts
    doubts = [doubt] if doubt else []
    # Little's law: rate x latency; the total of all clients is not one job's
    depth = math.inf if entry.is_total else found.get("iodepth", math.inf) * found.get("numjobs", 1)
    waiting = found.get("iops", 0) * found.get("lat_mean_ns", 0) / 1e9
    if waiting > 1.2 * depth + 1:
        doubts.append(f"{waiting:.4g} I/Os waiting at once exceed the depth of {depth}")
    said.doubts += [(entry.line, f"{direction} of {entry.name}: {what}") for what in doubts]
    asked = options.get("percentile_list", "")
    percentiles = {
        kind: _percentiles(said, entry, curve, asked) for kind, curve in section.percentiles.items()
    }
    return Direction(direction, found, percentiles)


def _amounts(section: Section, found: dict[str, Any]) -> tuple[dict[str, Any], str | None]:
    """Compute amounts and rates from exact counts if those print like the printed numbers.

    Otherwise from the print with the most digits. Return them, and a doubt that names a
    contradiction.
    """
    io, bw, iops = section.io, section.bw, section.iops
    if io is None or bw is None or not section.runtime_ms:
        return {}, None
    seconds, total = section.runtime_ms / 1000, found["total_ios"]
    bs = None if found["short_ios"] else found.get("bs_bytes")
    if section.direction == "mixed" and total and not io.value:
        # fio 3.33 prints IOPS=0 here with unified_rw_reporting=both
        return {"runtime_s": seconds}, None
    if section.is_decimal:  # truncated, not rounded
        bw = bw._replace(slack=2 * bw.slack).times(1 / 1.024)
    rates, doubt = {"runtime_s": seconds}, None
    if iops is not None:
        rates["iops"] = iops.value
    if total and (iops is None or iops.agrees(total / seconds)):
        rates["iops"] = total / seconds
        exact = total * bs if bs else 0
        if 0 < exact < 2**63 and io.agrees(exact) and bw.agrees(exact / seconds):
            return {**rates, "io_bytes": exact, "bw_bytes_per_s": exact / seconds}, None
    elif total and iops is not None:
        doubt = f"{total} I/Os in {seconds} s are not {iops.value:.10g} per second"
    # three prints of one number: bytes a second
    moved = io.times(1 / seconds)
    prints = [moved.beside(bw), bw.beside(moved)]
    by_count = iops.times(bs) if iops is not None and bs and not total else None
    if by_count and all(one.agrees(by_count.value) for one in prints):
        prints.append(by_count)
    best = min(prints, key=lambda one: one.reach)
    if all(one.agrees(best.value) for one in prints):
        moved = bw = best
        if bs and by_count in prints:
            rates["iops"] = best.value / bs
    if moved.value * seconds >= 2**63:
        doubt = f"{moved.value * seconds:.3g} bytes exceed fio's counters, and are left out"
        return rates, doubt
    return {**rates, "io_bytes": round(moved.value * seconds), "bw_bytes_per_s": bw.value}, doubt


def _percentiles(
    said: FioOutput, entry: Job, curve: Curve, asked: str
) -> list[tuple[float, float]]:
    """Return percentiles by the names that were asked for, where fio rounded them.

    In "All clients" of 3.42 names have no digits behind the point, so that four of the default list
    are 100. The command has the list, or the servers' own tables, or it is the default.
    """
    is_whole = entry.is_total and not curve.decimals
    if not is_whole and len({percentile for percentile, _ in curve.pairs}) == len(curve.pairs):
        return curve.pairs

    def name(percentile: float) -> str:
        return f"{percentile:.{curve.decimals}f}"

    names = [name(percentile) for percentile, _ in curve.pairs]
    uncertain = {one for one, times in Counter(names).items() if times > 1}
    if is_whole:
        uncertain |= {"100"}.intersection(names)
    lists = {
        asked_for
        for is_total, decimals, asked_for in said.lists
        if decimals > curve.decimals or (entry.is_total and not is_total)
    }
    if asked:
        lists = {tuple(sorted(map(float, _ASKED.findall(asked))))}
    fitting = [one for one in lists or {_DEFAULT} if [*map(name, one)] == names]
    if len(fitting) == 1:
        return [*zip(fitting[0], (value for _, value in curve.pairs), strict=True)]
    kept = [pair for pair in curve.pairs if name(pair[0]) not in uncertain]
    if uncertain:
        message = (
            f"{len(names) - len(kept)} percentiles are left out: fio printed them as"
            f" {' and '.join(sorted(uncertain))}, rounded; which they are is not certain"
        )
        said.left_out.append((curve.line, "left out", message))
    return kept


def _issued(entry: Job, direction: str, what: str) -> int | None:
    """Count the I/Os of a direction; None if fio counts others there.

    fio counts timed syncs past the end of its counters, as short I/Os and not as syncs:
    ``fdatasync`` as short reads, ``sync_file_range`` as short writes.
    """
    counts = entry.issued.get(what)
    if counts is None:
        return None
    is_timed = any(one.direction == "sync" and one.measures for one in entry.sections)
    short, syncs = entry.issued.get("short", []), entry.issued.get("total", [])[3:]
    has_spilled = is_timed and (any(short) or not any(syncs))
    if direction == "mixed":
        own = counts[:3]
    else:
        at = ("read", "write", "trim", "sync").index(direction)
        own = counts[at : at + 1]
    if has_spilled and (direction == "sync" or (what == "short" and any(own))):
        return None
    # short and dropped syncs are a constant 0 in fio's code, not a count
    return sum(own) if own and (direction != "sync" or what == "total") else None


def _conditions(said: FioOutput, entry: Job, direction: str) -> dict[str, Any]:
    """Take the conditions from the definition lines of an entry's jobs."""
    found: dict[str, Any] = {}
    group = said.grouped.get(entry.group, [])
    own = [one for one in group if one.name == entry.name]
    alike = said.alike[entry.name, entry.group, entry.host]
    if len(own) == len(alike):  # fio reports jobs of one name in the order of their definitions
        pairs = zip(own, alike, strict=True)
        own = [one for one, other in pairs if other is entry]
    if own:
        together = [one.options for one in (group if entry.jobs > 1 else own)]
        found = fio_options.common_conditions(together, direction)
    if entry.jobs > 1:
        found["numjobs"] = entry.jobs
    elif len(own) == 1:
        found["numjobs"] = len(alike) if own[0].clones else 1
    return found


# --- the reader -------------------------------------------------------------------------------

# the longest line of fio's, without progress before it and with
_LINE, _PROGRESS = 5_000, 65_000
_LAST = ("%", "msec", "msec)", " zone resets")  # the end of a complete last line
_ASIDE = 40  # so many lines in a row that are not fio's end a report


def read(document: Document, tables: Rows) -> None:
    """Read a text that holds only fio's human reports."""
    if not document.reports:
        said = FIO_SAID.search(document.text)
        raise ParseError(
            document.name,
            f"fio printed no report; it said {said[0][:120]!r}" if said else "no report of fio",
            line=document.line(said.start()) if said else 1,
            remedy="correct that and run fio again",
        )
    read_reports(document, tables, add)


# --- where a report begins and ends -----------------------------------------------------------

# the takers of lines, in the order in which they are tried: above the first entry, and from it on
Takers = list[tuple[re.Pattern[str], Taker[FioOutput]]]
_ABOVE: Takers = []
_LINES: Takers = []


def parse(text: str, match: re.Match[str]) -> tuple[int, int, FioOutput] | None:
    """Read the report around the first entry's ``(groupid=0, jobs=1): err=``.

    Or around the first of the lines that say enough without it.
    """
    at, most = match.start(), match.end() + _LINE
    stop = text.find("\n", match.end(), most)
    # a line may be a whole file, with the anchor everywhere
    name = line_start(text, at, _LINE, "\n\r")
    if name is None or (most < len(text) and stop < 0):
        return None
    if match[0][0] != "(":
        return _headless(text, at, name)
    far = line_start(text, at, _PROGRESS) if text[at - 2 : at] == ": " else None
    first = name if far is None else far
    # only a real report walks up through the lines above
    line = bare(text[first : stop if stop >= 0 else len(text)])
    entry = _ENTRY.fullmatch(line) if len(line) <= _LINE else None
    if entry is None:
        return None
    start, run = _beginning(text, first, entry), FioOutput()
    cursor = Cursor(text, start, bare)
    _take_above(cursor, first, run)
    end = _take_entries(cursor, run)
    return (start, end, run) if run.entries else None


def _headless(text: str, at: int, first: int) -> tuple[int, int, FioOutput] | None:
    """Read lines of a report whose entry's first line is missing."""
    head = text.rfind("(groupid=", max(0, at - _LINE), at)
    if text[first:at].strip("> \t") or (head >= 0 and not _is_head(text, head)):
        return None  # within a line, or of an entry that is damaged
    start, run = _beginning(text, first, None), FioOutput()
    cursor = Cursor(text, start, bare)
    _take_above(cursor, first, run)
    if not run.definitions:  # what stands above can belong to anything
        start, run = first, FioOutput()
        cursor = Cursor(text, start, bare)
    if not _says_enough(cursor):
        return None
    run.entries.append(_nameless(cursor.number, run))
    run.is_between = False
    end = _take_entries(cursor, run)
    if not run.entries[0].sections:  # a summary without entries
        run.entries = _summed(run)
    return (start, end, run) if end > first and run.entries else None


def _says_enough(cursor: Cursor) -> bool:
    """Whether a line has the numbers of a direction, or is the heading of one that has."""
    lines = [_plain(bare(line)) for line in (cursor.line, *cursor.ahead(2))]
    if _taker(lines[0]) is _take_group:
        lines = lines[1:]
    line, below = (*lines, "", "")[:2]
    whole = _SUM.fullmatch(line) or _wrapped(_SUM, line, below)
    return whole is not None or _taker(line) is _take_section


def _is_head(text: str, at: int) -> bool:
    """Whether the line of a place is the first line of an entry."""
    begin = line_start(text, at, _LINE, "\n\r")
    line = "" if begin is None else bare(text[begin : min(line_end(text, at), at + _LINE)])
    return _ENTRY.fullmatch(line) is not None


def _nameless(line: int, run: FioOutput) -> Job:
    """Return an entry whose first line is missing; the only definition above has its name."""
    known = run.definitions if not run.entries else []
    only = known[0] if len(known) == 1 and not known[0].clones else None
    return Job(
        line=line,
        name=only.name if only else "",
        group=only.group if only else None,
        error=None,
        host=run.host,
        jobs=1,
        pid=0,
        has_head=False,
    )


def _summed(run: FioOutput) -> list[Job]:
    """Return an entry for each group of a summary that stands alone."""
    found: dict[str, Job] = {}
    for one in run.sums:
        entry = found.setdefault(one.group, replace(run.entries[0], jobs=0, sections=[]))
        entry.sections.append(Section(one.direction, entry.line))
        _fill(entry.sections[-1], one)
    return [*found.values()]


def bare(line: str) -> str:
    """Drop indentation, quoting, and progress that a carriage return overwrites."""
    return line.rsplit("\r", 1)[-1].strip().lstrip("> \t")


def _beginning(text: str, first: int, entry: re.Match[str] | None) -> int:
    """Walk up from the first entry over fio's lines before it; return where they begin.

    Other lines are stepped over if the entry's definition stands above them.
    """
    start, job = first, (entry["name"], int(entry["group"])) if entry else None
    own = "{}: (g={}): ".format(*job) if job else None
    is_next, below = True, ""  # a line that may be the rest of the one above it
    is_defined, aside = job is None, 0
    for at, raw in lines_above(text, first):
        line = bare(raw)
        if len(line) > _LINE:
            break
        if below and not _wrapped(_DEFINITION, line, below):
            if is_defined or aside == _ASIDE or _ends(below):
                break
            aside, below = aside + 1, ""
        if is_entry(line):
            # with normal,terse the terse line of a job is right above its report
            if not is_next or heading(line) not in (None, job):
                break
        elif not any(pattern.fullmatch(line) for pattern, _ in _ABOVE):
            below = line
            continue
        elif line:
            is_next, below = False, ""
            if own and own in line:  # each client has its own
                is_defined, aside = not line.startswith("<"), 0
        start = at if line and not aside else start
    return start


def _ends(line: str) -> bool:
    """Whether a line above the first entry is of another report, or a command."""
    return "(groupid=" in line or _taker(line) is not None or _is_other(line)


def _take_above(cursor: Cursor, first: int, run: FioOutput) -> None:
    """Take fio's lines above the first entry."""
    aside: list[tuple[int, str]] = []
    while cursor.start < first:
        if not taken(cursor, run, _ABOVE):
            if not is_entry(cursor.bare):
                aside += [(cursor.number, cursor.line)] if cursor.bare else []
            elif run.terse is None:
                run.terse = cursor.number
            cursor.take()
    _step_over(run, aside, 0)


def _wrapped(pattern: re.Pattern[str], line: str, below: str) -> re.Match[str] | None:
    """Match a line that a terminal wrapped, and its rest below; None if the line is whole."""
    if pattern.fullmatch(line) or any(own.fullmatch(below) for own, _ in (*_ABOVE, *_LINES)):
        return None
    return pattern.fullmatch(line + below) or pattern.fullmatch(f"{line} {below}")


def _whole(cursor: Cursor, pattern: re.Pattern[str], line: str) -> re.Match[str] | None:
    """Match a line; one that a terminal wrapped is taken with its rest."""
    wrapped = _wrapped(pattern, line, next(cursor.ahead(1), ""))
    if wrapped:
        cursor.take()
        cursor.take()
    return wrapped or pattern.fullmatch(line)


def _take_entries(cursor: Cursor, run: FioOutput) -> int:
    """Take lines from the first entry until one that is not fio's; return their end."""
    end, depth = cursor.start, _indent(cursor.line)
    aside: list[tuple[int, str]] = []  # lines that are not fio's; lines of fio's may follow
    while not cursor.done:
        at, stop, raw, line = cursor.number, cursor.stop, cursor.line, cursor.bare
        take = _taker(line) if aside else None
        goes_on = not aside or _goes_on(run, line, take)
        is_whole = not cursor.is_open or line.endswith(_LAST) or line.startswith("Jobs: ")
        if not is_whole and line:
            if raw[0] not in " \t" and not _is_begun(line, run):
                break
            run.cut, end = at, stop
        elif line and goes_on and _take(cursor, run):
            # the name of a client without further lines may be a tag of XML
            end = end if _CLIENT.fullmatch(line) else stop
            if aside:
                _step_over(run, aside, depth)
                aside = []
            continue
        elif "(groupid=" in line and not (aside and _ENTRY.fullmatch(line)):
            run.cut = at  # a damaged entry of the same process
            break
        elif line:  # of another version, damaged, or of another program
            is_next = take is not None and take not in _ANYWHERE and not goes_on
            is_next = is_next or _BEGUN.match(line) is not None or _is_prefixed(line)
            if is_next or len(aside) == _ASIDE or _is_other(line):
                break
            aside.append((at, raw))
        cursor.take()
    _complete(run)
    if cursor.done and run.cut is None and _lacks_totals(run):
        run.cut = cursor.number - 1
    return end


def _goes_on(run: FioOutput, line: str, take: Taker[FioOutput] | None) -> bool:
    """Whether a line below others that are not fio's continues the report, as it lacks the line."""
    is_new = line.partition("=")[0] not in run.beginnings
    if take is _take_entry:
        found = _ENTRY.fullmatch(line)
        return found is not None and _is_expected(run, found)
    if take is _take_client:
        return run.host is not None
    if take is _take_group:
        known = (f"{_heading(run, line.partition(':')[0])}.{name.upper()}" for name in _SUMMED)
        return run.entry.has_head and run.extras.keys().isdisjoint(known)
    if take in (_take_sum, _take_disk):
        return run.is_between and is_new
    if run.is_between or take is None or take in _ANYWHERE:
        return False
    if take is _take_section:
        return run.entry.has_head and not run.entry.is_beyond(line.partition(":")[0].strip())
    return is_new or take is _take_percentiles


def _taker(line: str, takers: Takers = _LINES) -> Taker[FioOutput] | None:
    """Return what would take a line, by default from the first entry on."""
    return next((take for pattern, take in takers if pattern.fullmatch(line)), None)


def _is_expected(run: FioOutput, found: re.Match[str]) -> bool:
    """Whether an entry below lines that are not fio's is of the same process."""
    name, first = found["name"], run.entries[0]
    if (name, int(found["pid"])) == (first.name, first.pid):
        return True  # a later report of --status-interval
    key = name, int(found["group"])
    is_left = run.reported[key] < run.defined.get(key, 0)
    return name == ALL or (is_left and (not run.is_summed or run.host is not None))


def _is_other(line: str) -> bool:
    """Whether a line begins the report of another tool, or is a command."""
    return any(anchor.search(line) for needs, anchor in _others() if may_hold(line, needs)) or any(
        True for _ in _commands(line)
    )


def _is_prefixed(line: str) -> bool:
    """Whether something stands before a line of fio: what takes that off has to see it."""
    mark = _own_mark().search(line)
    before = line[: mark.start()].strip() if mark else ""
    # a row of percentiles begins with a bar
    return bool(mark and before and not (before == "|" and mark[0].endswith("th=[")))


@cache
def _own_mark() -> re.Pattern[str]:
    return next(re.compile(one.mark, re.I) for one in READERS if one.name == "fio_normal")


@cache
def _others() -> list[tuple[tuple[str, ...], re.Pattern[str]]]:
    """List what begins the reports of other tools, and the words that they need."""
    return [
        (reader.grammar.needs, re.compile(reader.grammar.anchor, re.MULTILINE))
        for reader in READERS
        if reader.grammar and reader.name != "fio_normal"
    ]


def _step_over(run: FioOutput, aside: list[tuple[int, str]], depth: int) -> None:
    """Say which lines in the middle of a report were not understood, or are not fio's."""
    foreign: list[tuple[int, str]] = []
    for at, raw in aside:
        line = bare(raw)
        take = _taker(line, _ABOVE) or _taker(line)
        if take is _take_remark:
            run.remarks.append((at, line))
        elif take not in _ANYWHERE:
            foreign.append((at, raw))
    if not foreign:
        return
    is_one, is_inside = len(foreign) == 1, all(_indent(raw) > depth for _, raw in foreign)
    lines = "a line" if is_one else f"{len(foreign)} lines"
    if is_inside:  # of another version, or damaged
        what = f"{lines} of the report {'was' if is_one else 'were'} not understood, and left out"
    else:
        what = f"{lines} inside the report {'is' if is_one else 'are'} not fio's, and stepped over"
    at, first = foreign[0]
    code = "unread" if is_inside else "left out"
    run.left_out.append((at, code, f"{what}: {bare(first)[:200]}"))


def _take(cursor: Cursor, run: FioOutput) -> bool:
    """Take a line from the first entry on; return whether it is fio's."""
    line = cursor.bare
    if len(line) > _LINE:
        return False
    if not _is_taken(cursor, run):
        cursor.bare = _plain(line)
        if cursor.bare == line or not _is_taken(cursor, run):
            return False
    run.beginnings.add(line.partition("=")[0])
    return True


def _plain(line: str) -> str:
    """Return a line without Markdown's marks around its words."""
    return _EMPHASIS.sub(lambda found: found["most"] or found["under"], line)


def _is_taken(cursor: Cursor, run: FioOutput) -> bool:
    try:
        return taken(cursor, run, _LINES)
    except ValueError:  # not a number: the line is damaged, or not fio's
        return False


def _indent(raw: str) -> int:
    """Count the columns before a line, which may be quoted."""
    line = raw.rsplit("\r", 1)[-1]
    return len(line) - len(line.lstrip("> \t"))


def _complete(run: FioOutput) -> None:
    """Name the directions whose first lines are missing, as far as counts and summary tell."""
    often = Counter(entry.summary for entry in run.entries)
    known_sums = {(one.group, one.direction): one for one in run.sums}
    for entry in run.entries:
        unknown = [one for one in entry.sections if one.direction == _UNKNOWN]
        known = {one.direction for one in entry.sections}
        sums = {
            name: known_sums[entry.summary, name]
            for name in _SUMMED
            if often[entry.summary] == 1 and (entry.summary, name) in known_sums
        }
        counts = entry.issued.get("total") or [name in sums for name in _MOVING]
        did = [name for name, count in zip(_MOVING, counts, strict=False) if count]
        did = ["mixed"] if "mixed" in {*sums, *known} else did
        lost = [name for name in did if name not in known]
        if unknown and len(unknown) == len(lost):
            for section, name in zip(unknown, lost, strict=True):
                section.direction = name
            order = [one.direction for one in entry.sections if one.direction in _MOVING]
            if order != sorted(order, key=_MOVING.index):
                for section in unknown:
                    section.direction = _UNKNOWN
        elif not unknown and entry.has_head:
            entry.sections += [Section(name, entry.line) for name in lost if name in sums]
        for section in entry.sections:
            if section.io is None and section.direction in sums:
                _fill(section, sums[section.direction])


def _fill(section: Section, known: Sum) -> None:
    """Take the amounts of a direction from the summary of a group that has nothing else."""
    section.io, section.bw, section.is_old = known.io, known.bw, known.is_old
    section.runtime_ms = known.longest_ms


def _is_begun(line: str, run: FioOutput) -> bool:
    """Whether the text's last line, without a line end, begins like one of fio's."""
    names = (f"{entry.name}: (groupid=" for entry in run.entries)
    starts = (*names, "Jobs: ", "Run status group ", "Disk stats (read/write):")
    return "(groupid=" in line or any(
        start.startswith(line) or line.startswith(start) for start in starts
    )


def _lacks_totals(run: FioOutput) -> bool:
    """Whether the group summary has begun, but lacks directions of its entries."""
    did = {
        f"{entry.summary}.{section.direction.upper()}"
        for entry in run.entries
        for section in entry.sections
        if section.io is not None and section.io.value and entry.has_head and not entry.is_total
    }
    return run.is_summed and bool(run.group) and not did <= set(run.extras)


# --- what lines look like ---------------------------------------------------------------------

_DIGITS = 18  # fit into 64 bits
_COUNTED = 4  # reads, writes, trims and syncs
_END = r"(?![,'_]?\d)"  # people put commas between thousands
_INT = rf"\d{{1,{_DIGITS}}}{_END}"
_REAL = rf"[\d.]{{1,25}}{_END}"
_NUMBER = rf"-?{_REAL}[kKmMG]?"
_UNIT = r"\((?P<unit>nsec|usec|msec)\)"
# two levels of priority until 3.29; from 3.30 each priority has its number
_KIND = r"(?P<level>(?:high|low) prio[_ ](?:\([^)]*\) )?)?(?P<kind>slat|clat|lat|sync)"
_DIRECTION = r"(?P<direction>read|write|trim|mixed) *:"
_SIZE = r"(\d{1,9}(?:\.\d{1,9})?)([KMG]?)(?:iB|B)?"
_TAG = r"(?:<(?!/)[^>\n]+>[ ]?)?"

# what begins the output of another process of fio
_BEGUN = re.compile(
    rf"{FIO_DEFINITION.pattern}|{_TAG}(?:fio-\d|fio \d+\.\d+\Z|Starting \d+ (?:process|thread))"
    r"|(?:sudo )?(?:\S{0,200}/)?fio +--?\w"
)
_EMPHASIS = re.compile(
    r"(?<![\w*`])(?P<mark>\*{1,3}|`{1,2})(?P<most>[^\s*`][^*`]{0,300})(?<!\s)(?P=mark)(?![\w*`])"
    r"|(?<!\w)(?P<line>__?)(?P<under>[^\s_][^_]{0,300})(?<!\s)(?P=line)(?!\w)"
)
_ASKED = re.compile(r"\d{1,3}(?:\.\d{1,9})?")
# the percentiles that fio prints without percentile_list
_DEFAULT = (1, 5, *range(10, 100, 10), 95, 99, 99.5, 99.9, 99.95, 99.99)
_DEFINITION = re.compile(
    r"(?:<[^>]{1,200}> )?(?P<name>.{0,200}): \(g=(?P<group>\d{1,9})\): rw=(?P<rw>[^,]{1,40}),"
    r" bs=(?P<bs>.{0,200}?), ioengine=(?P<ioengine>[^,]*), iodepth=(?P<iodepth>\d{1,9}).*"
)
_BS = re.compile(rf"{_SIZE}-{_SIZE}")
_CLIENT = re.compile(r"(?:Jobs: .*)?<(?P<client>[^<>\s]+)>")
_DECIMAL = re.compile(rf"{_REAL}[kMGTPE](?!i)")  # "512B/s" has no prefix, and cannot tell
_ENTRY = re.compile(
    rf"(?P<name>.*): \(groupid=(?P<group>{_INT}), jobs=(?P<jobs>{_INT})\):"
    rf" err=\s*(?P<error>{_INT})(?: \((?P<message>.*)\))?: pid=(?P<pid>{_INT})(?:: (?P<date>.*))?"
)
_PERCENTILE = re.compile(
    rf"(\d{{1,3}}(?:\.\d{{1,9}})?)th=\[?\s*>?=?\s*({_NUMBER})(?=\s*(?:[],;]|\Z))"
)
_SUM = re.compile(
    r"(?P<name>READ|WRITE|TRIM|MIXED): (?P<rest>(?:bw=(?P<bw>[^=,]*)[^=]*, )?"
    r"io=(?P<io>[^\s,]+(?: \([^),]+\))?)(?:, aggrb=(?P<old>[^,\s]+))?.*?"
    r"(?:run=(?P<run>\d{1,18})-|mint=(?P<mint>\d{1,18})msec, maxt=)(?P<longest>\d{1,18})msec.*)"
)
# the fields of a disk's line: their columns, and how many make one of the column's unit
_DISK: dict[str, tuple[tuple[str, ...], float]] = {
    "ios": (("read_ios", "write_ios"), 1),
    "merge": (("read_merges", "write_merges"), 1),
    "sectors": (("read_sectors_bytes", "write_sectors_bytes"), 1 / 512),
    "ticks": (("read_ticks_s", "write_ticks_s"), 1000),
    "in_queue": (("in_queue_s",), 1000),
    "util": (("util_pct",), 1),
}
_DISK_COUNTS = ("ios", "merge", "sectors")
# names in fio's JSON for lines without a column
_AS_IN_JSON = {
    "IO depths": "iodepth_level",
    "submit": "iodepth_submit",
    "complete": "iodepth_complete",
}


def _line(*patterns: str, into: Takers = _LINES) -> Callable[[Taker[FioOutput]], Taker[FioOutput]]:
    """Let a function take the lines that one of the patterns matches."""

    def listed(take: Taker[FioOutput]) -> Taker[FioOutput]:
        into.extend((re.compile(pattern), take) for pattern in patterns)
        return take

    return listed


_above = partial(_line, into=_ABOVE)


# --- lines above the first entry --------------------------------------------------------------


@_above(FIO_DEFINITION.pattern + ".*")
def _take_definition(cursor: Cursor, run: FioOutput, found: re.Match[str]) -> None:
    at, whole = cursor.number, _whole(cursor, _DEFINITION, found[0])
    if whole is None:
        said = f"the definition {found[0][:60]!r} cannot be read: no conditions"
        run.doubts.append((at, said))
        return
    blocks = (_block(*block) for block in _BS.findall(whole["bs"]))
    options = {**whole.groupdict(), "bs": ",".join(blocks)}
    name, group = options.pop("name"), int(options.pop("group"))
    run.definitions.append(Definition(name, group, options))
    run.defined[name, group] = run.defined.get((name, group), 0) + 1


def _block(low: str, low_unit: str, high: str, high_unit: str) -> str:
    """Return a block size as an option; a question mark if it is a range, or rounded."""
    size = float(low) * 1024 ** ("", "K", "M", "G").index(low_unit)
    whole = int(size)
    is_exact = not low_unit or low.endswith(".0") or whole & (whole - 1) == 0
    is_one = (low, low_unit) == (high, high_unit) and is_exact and whole == size
    return str(whole) if is_one else "?"


@_above(r"(?:<[^>]+> )?(?:\.\.\.|…)")
def _take_clones(cursor: Cursor, run: FioOutput, found: re.Match[str]) -> None:
    if run.definitions:
        last = run.definitions[-1]
        last.clones, run.defined[last.name, last.group] = True, math.inf


# --- lines of an entry, the most frequent first -----------------------------------------------


@_line(_ENTRY.pattern)
def _take_entry(cursor: Cursor, run: FioOutput, found: re.Match[str]) -> bool:
    plain = _plain(found[0])
    if plain != found[0] and (found["name"], int(found["group"])) not in run.defined:
        found = _ENTRY.fullmatch(plain) or found
    name = found["name"]
    if name.startswith("Jobs: "):  # progress without a line end before the report
        known = [one.name for one in run.definitions if name.endswith(one.name)]
        name = max(known, key=len) if known else re.split(r"\[eta [^\]]*\]|s\]", name)[-1]
    if run.is_between and name != ALL:
        run.host = _next_host(run)
    entry = Job(
        line=cursor.number,
        name=name,
        group=int(found["group"]),
        error=int(found["error"]),
        host=None if name == ALL else run.host,
        jobs=int(found["jobs"]),
        pid=int(found["pid"]),
        message=found["message"],
    )
    if found["date"] and found["date"].strip():
        entry.extras["date"] = found["date"].strip()
    # after a summary: a new process, another client, or the same entries with higher counts
    if run.is_summed and run.host != "" and entry.key in {one.key for one in run.entries}:
        _complete(run)
        run.earlier.append(run.entries)
        run.entries, run.disks, run.extras, run.sums = [], [], {}, []
        run.reported.clear()
        run.is_summed, run.cut, run.group = False, None, ""
    elif run.is_summed and run.host is None:
        return False
    if run.is_between:
        run.begun, run.is_between = len(run.entries), False
    run.entries.append(entry)
    run.reported[entry.name, entry.group] += 1
    _begin(run)
    return True


def _begin(run: FioOutput) -> None:
    """Forget the lines above, as those of another part of the report follow."""
    run.beginnings.clear()
    run.curve, run.priority = None, ""


def _next_host(run: FioOutput) -> str | None:
    """Name the machine whose report begins; empty if several ended before any was printed.

    fio names a machine when it ends, and may print the reports in another order.
    """
    if len({*run.waiting}) > 1:
        run.waiting = [""] * len(run.waiting)
    return run.waiting.pop() if run.waiting else run.host


@_line(r"(?:\| *)?\d{1,3}(?:\.\d+)?th=\[.*|\d{1,3}\.\d+th=\d+(?:,.*)?")
def _take_percentiles(cursor: Cursor, run: FioOutput, found: re.Match[str]) -> None:
    if run.priority:
        _add_text(run.entry.extras, run.priority, found[0].strip("| "))
        return
    pairs = _pairs(found[0])
    curve = run.curve
    if curve is None or (curve.pairs and float(pairs[0][0]) < curve.pairs[-1][0]):
        curve = run.curve = Curve(cursor.number)
        message = (
            "percentiles without the line 'clat percentiles (usec)' above them: they are left out,"
            " as their unit is not certain"
        )
        run.left_out.append((cursor.number, "left out", message))
    _add_percentiles(run, curve, pairs, cursor.number)


def _pairs(text: str) -> list[tuple[str, str]]:
    """Split a line of percentiles into their names and values."""
    found: list[tuple[str, str]] = _PERCENTILE.findall(text)
    if len(found) < text.count("th="):
        raise ValueError(f"not percentiles: {text!r}")
    return found


def _add_percentiles(
    run: FioOutput, curve: Curve, pairs: Iterable[tuple[str, str]], at: int
) -> None:
    """Add percentiles; fio sorts them, so one that falls is damaged."""
    for name, value in pairs:
        pair = float(name), count(value).value * curve.scale
        if curve.pairs and pair[0] < curve.pairs[-1][0]:
            run.doubts.append((at, f"the percentiles are out of order at {name}"))
        curve.pairs.append(pair)
        curve.decimals = len(name.partition(".")[2])


def _add_text(extras: dict[str, str], name: str, text: str) -> None:
    """Keep several lines without a column as one text."""
    extras[name] = f"{extras.get(name, '')} {text}".strip()


@_line(
    rf"(?:{_KIND}(?P<prio>[^(:]*) {_UNIT}|bw \( *(?P<rate>\w+) */s\)|iops) *:"
    rf" min=\s*(?P<min>{_NUMBER}) *, max=\s*(?P<max>{_NUMBER}) *,"
    rf"(?: per=(?P<per>-?{_REAL})?(?:-?nan|inf)?%,)?"
    rf" avg=\s*(?P<mean>{_NUMBER}) *, stdev=\s*(?P<stddev>{_NUMBER})"
    rf"(?:, samples=(?P<samples>{_INT}))?.*",
)
def _take_statistics(cursor: Cursor, run: FioOutput, found: re.Match[str]) -> None:
    entry, kind, samples = run.entry, found["kind"], found["samples"]
    if priority := _priority(found):
        direction = entry.sections[-1].direction if entry.sections else _UNKNOWN
        entry.extras[f"{direction}.{priority}"] = found[0]
        return
    if kind == "sync":
        entry.sections.append(Section("sync", cursor.number))
    section, counts = entry.sections[-1] if entry.sections else None, dict[str, str]()
    if kind:
        column, scale = f"{_measured(kind)}_{{}}_ns", float(NS[found["unit"]])
    elif unit := found["rate"]:
        column, counts = "bw_{}_bytes_per_s", {"bw_agg_pct": found["per"], "bw_samples": samples}
        # fio samples KiB/s, whatever it calls them; "MiB" is kb_base times that, and until about
        # 1.40 "KiB/s" were 1000 bytes per second
        thousand = 1000 if run.extras.get("kb_base") == "1000" else 1024
        scale = 1024 * (thousand if unit.startswith("M") else 1) / (8 if "bit" in unit else 1)
        scale = scale * 1000 / 1024 if section and section.is_decimal else scale
    else:
        column, scale, counts = "iops_{}", 1.0, {"iops_samples": samples}
    measures = {
        column.format(statistic): count(found[statistic]).value * scale for statistic in STATISTICS
    }
    measures |= {name: float(text) for name, text in counts.items() if text}
    if section is None or any(
        section.measures.get(name, value) != value for name, value in measures.items()
    ):
        section = _nameless_section(run, cursor.number)
    section.measures |= measures
    run.curve, run.priority = None, ""


def _nameless_section(run: FioOutput, line: int) -> Section:
    """Begin a direction whose first line is missing: no other has two lines of one kind."""
    run.entry.sections.append(Section(_UNKNOWN, line))
    _begin(run)
    return run.entry.sections[-1]


def _measured(kind: str) -> str:
    """Name the latency of a line; syncs have only one."""
    return "lat" if kind == "sync" else kind


def _priority(found: re.Match[str]) -> str | None:
    """Name a latency of one priority as printed; those have no table."""
    if not found["level"] and not (found["prio"] or "").strip():
        return None
    return f"{found['level'] or ''}{found['kind']}{found['prio']}".strip()


@_line(rf"{_KIND}(?P<prio>.*) percentiles {_UNIT} *:(?P<rest>.*)")
def _take_percentile_head(cursor: Cursor, run: FioOutput, found: re.Match[str]) -> None:
    kind, priority = _measured(found["kind"]), _priority(found)
    section = run.entry.sections[-1] if run.entry.sections else None
    if found["kind"] == "sync" and not (section and section.direction == "sync"):
        section = Section("sync", cursor.number)
        run.entry.sections.append(section)
    # a direction has one table of each latency
    if not section or (not priority and kind in section.percentiles):
        section = _nameless_section(run, cursor.number)
    curve = run.curve = Curve(cursor.number, NS[found["unit"]])
    run.priority = ""
    if priority:
        run.priority = f"{section.direction}.{priority} percentiles ({found['unit']})"
    else:
        section.percentiles[kind] = curve
    # in 1.5x they begin on the same line
    _add_percentiles(run, curve, _pairs(found["rest"]), cursor.number)


@_line(rf"lat {_UNIT} *: *(?P<list>(?:>=)?\d+=[\d.]+%.*)")
def _take_shares(cursor: Cursor, run: FioOutput, found: re.Match[str]) -> None:
    into = run.entry.shares.setdefault(found["unit"], {})
    shares = re.findall(rf"(>=\d{{1,9}}|\b\d{{1,9}})=({_REAL})%", found["list"])
    if len(shares) < found["list"].count("%"):
        raise ValueError(f"not shares: {found[0]!r}")
    for name, pct in shares:
        coarse_edges(name, found["unit"], True)  # raises for a bin that fio does not have
        into[name] = float(pct)


@_line(
    rf"{_DIRECTION} IOPS=(?P<iops>[^,]+), BW=(?P<bw>\S+ \(\S+\)) ?"
    rf"\((?P<io>[^/]+)/(?P<ms>{_INT})msec\)(?:; (?P<more>.*))?.*",
    rf"{_DIRECTION} io=(?P<io>[^,]+), bw=(?P<bw>[^,]+), iops=(?P<iops>[^,]+),"
    rf" runt=\s*(?P<ms>{_INT})msec.*",
)
def _take_section(cursor: Cursor, run: FioOutput, found: re.Match[str]) -> bool:
    said = found.groupdict()
    is_old = "more" not in said
    section = Section(
        said["direction"],
        cursor.number,
        _amount(said["io"], is_old),
        _amount(said["bw"], is_old),
        count(said["iops"]),
        int(said["ms"]),
        is_old,
    )
    if run.is_between:
        return False
    if run.entry.is_beyond(section.direction):
        run.entries.append(_nameless(cursor.number, run))
    run.entry.sections.append(section)
    _begin(run)
    if more := said.get("more"):  # "0 zone resets", "Cachehit=50.00%"
        name = "zone_resets" if more.endswith(" zone resets") else "more"
        run.entry.extras[f"{section.direction}.{name}"] = more.removesuffix(" zone resets")
    # kb_base=1000 puts the decimal unit first, and changes the unit of the bw line below
    if not is_old and _DECIMAL.match(said["bw"]):
        run.extras["kb_base"] = "1000"
    return True


def _amount(text: str, is_old: bool) -> Printed:
    """Read a number that may be printed with both kinds of prefix: the more precise print."""
    parts = filter(str.strip, _BRACKETS.split(text))
    return min((amount(part, is_old) for part in parts), key=lambda one: one.reach)


@_line(
    rf"cpu *: usr=(?P<usr_cpu_pct>{_REAL})%, sys=(?P<sys_cpu_pct>{_REAL})%,"
    rf" ctx=(?P<ctx>{_INT})(?:, majf=(?P<majf>{_INT}), minf=(?P<minf>{_INT}))?.*",
)
def _take_cpu(cursor: Cursor, run: FioOutput, found: re.Match[str]) -> None:
    run.entry.cpu = {name: float(text) for name, text in found.groupdict().items() if text}


@_line(r"issued(?: rwts?| r/w(?:/d)?)? *: ?total=.*")
def _take_issued(cursor: Cursor, run: FioOutput, found: re.Match[str]) -> bool:
    for name, numbers in re.findall(r"(total|short|drop)\w*=([\d,rwd=/]+)", found[0]):
        counts = re.findall(r"\d+", numbers)
        if max(map(len, counts), default=0) > _DIGITS or len(counts) > _COUNTED:
            return False
        run.entry.issued[name] = [int(number) for number in counts]
    sections = run.entry.sections
    is_listed = any(section.direction == "sync" for section in sections)
    if any(run.entry.issued.get("total", [])[3:]) and not is_listed:  # they were not timed
        sections.append(Section("sync", cursor.number))
    return True


@_line(
    r"(?P<name>IO depths|submit|complete|errors|latency|steadystate|Description|states) *:"
    r" *(?P<rest>.*)",
)
def _take_extra(cursor: Cursor, run: FioOutput, found: re.Match[str]) -> None:
    name = found["name"]
    if name == "Description":
        run.entry.description = found["rest"].strip("[]")
    else:
        run.entry.extras[_AS_IN_JSON.get(name, name)] = found["rest"]


@_line(r"(?:block lifetime percentiles *:|\|)(?P<rest>(?: *\d{1,3}\.\d+th=\d+,?)*)")
def _take_lifetimes(cursor: Cursor, run: FioOutput, found: re.Match[str]) -> None:
    _add_text(run.entry.extras, "block lifetime percentiles", found["rest"].strip())


# --- lines below the entries ------------------------------------------------------------------


@_line(rf"(?P<title>Run status group {_INT} \(all jobs\)):.*")
def _take_group(cursor: Cursor, run: FioOutput, found: re.Match[str]) -> None:
    run.group = _heading(run, found["title"])
    run.is_summed = run.is_between = True
    run.beginnings.clear()


def _heading(run: FioOutput, title: str) -> str:
    return f"<{run.host}> {title}" if run.host else title


@_line(r"(?P<name>READ|WRITE|TRIM|MIXED): (?P<rest>(?:io|bw)=.*)")
def _take_sum(cursor: Cursor, run: FioOutput, found: re.Match[str]) -> None:
    at, total = cursor.number, _whole(cursor, _SUM, found[0])
    found, direction = total or found, found["name"].lower()
    known = None
    if total and (total["bw"] or total["old"]):
        is_old = total["old"] is not None
        io, bw = (_amount(text, is_old) for text in (total["io"], total["old"] or total["bw"]))
        known = Sum(run.group, direction, io, bw, int(total["longest"]), is_old)
    _add_text(run.extras, f"{run.group}.{found['name']}", found["rest"])
    if not total or not known:
        return
    run.sums.append(known)
    run.cut = None  # it is not an interim report
    parts = [
        section
        for entry in run.entries[run.begun :]
        if entry.has_head and entry.summary == run.group
        for section in entry.sections
        if section.direction == direction
    ]
    if not parts or direction == "mixed":
        return  # fio 3.33 counts nothing in mixed
    ran = [section.runtime_ms or 0 for section in parts]
    if (min(ran), max(ran)) != (int(total["run"] or total["mint"]), known.longest_ms):
        what = "the run times in the group's summary are not its entries'"
        run.doubts.append((at, f"{direction}: {what}"))
        return
    amounts = [section.io for section in parts if section.io is not None]
    done, reach = sum(io.value for io in amounts), sum(io.reach for io in amounts)
    if abs(done - known.io.value) > reach + known.io.reach:
        what = "the entries of the group do not add up to its summary"
        run.doubts.append((at, f"{direction}: {what}"))


@_line(r"(?P<name>\S+): (?P<rest>ios=\d+/\d+, .*)")
def _take_disk(cursor: Cursor, run: FioOutput, found: re.Match[str]) -> bool:
    name = found["name"]
    row: dict[str, Any] = {"host": run.host or None, "device": name}
    parts: dict[str, str] = {}
    for key, *texts in re.findall(rf"(\w{{1,40}})=({_REAL})(?:/({_REAL}))?", found["rest"]):
        values = [float(text) for text in texts if text]
        columns, unit = _DISK.get(key, ((), 1))
        if key in _DISK_COUNTS and any(value % 1 or value > 1e15 for value in values):
            return False
        if len(columns) == len(values):
            row |= {column: value / unit for column, value in zip(columns, values, strict=True)}
        elif columns:
            return False
        else:  # of the devices that it is made of, or not known
            parts[f"disk_util.{name}.{key}"] = "/".join(f"{value:g}" for value in values)
    run.disks.append(Disk(row, parts))
    run.is_summed = run.is_between = True
    run.cut = None
    return True


# --- lines anywhere ---------------------------------------------------------------------------


@_above(
    r"(?:fio-|fio )(?P<version>\d[\w.-]*)",
    r"hostname=.*fio=fio-(?P<version>[\w.-]+).*",
)
def _take_version(cursor: Cursor, run: FioOutput, found: re.Match[str]) -> None:
    run.version = found["version"]


@_above(_CLIENT.pattern)
@_line(_CLIENT.pattern)
def _take_client(cursor: Cursor, run: FioOutput, found: re.Match[str]) -> None:
    run.waiting.append(found["client"])


@_line(r"(?:<[^>]+> )?Jobs: \d+ \(f=\d+\).*")
def _take_progress(cursor: Cursor, run: FioOutput, found: re.Match[str]) -> None:
    if run.is_summed and run.host is None:  # an interim report: fio was still running
        run.cut = cursor.number


@_above(
    r"(?:fio: |[Nn]ote: |clock setaff|verify: |\w+: verify failed|(?:Expected|Received) CRC: ).*",
    r".* : Saving output of (?:prerun|postrun) in .*",
)
@_line(r"fio: .*")
def _take_remark(cursor: Cursor, run: FioOutput, found: re.Match[str]) -> None:
    run.remarks.append((cursor.number, found[0]))


@_above(
    rf"{_TAG}(?:(?:\^C|fio-\d|fio[ ]\d+\.\d|fio:[ ]|Starting[ ]\d+|Jobs:[ ]\d|[Nn]ote:[ ]"
    r"|hostname=|clock[ ]setaffinity|.*:[ ]Laying[ ]out[ ]IO[ ]file|file[ ].*exceeds"
    r"|\(f=\d+\)).*|\.\.\.)?",
)
@_line(r"(?:<[^>]+> )?|fsync/fdatasync/sync_file_range.*:|Disk stats \(read/write\):.*")
def _pass(cursor: Cursor, run: FioOutput, found: re.Match[str]) -> None:
    """Skip a line without information."""


# the takers of lines that may stand between any others
_ANYWHERE = (_take_clones, _take_client, _take_progress, _take_remark, _pass)
