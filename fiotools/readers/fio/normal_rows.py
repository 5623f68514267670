"""What fio's human report says, as its lines leave it, and the rows that are made of that."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fiotools.readers.fio import options as fio_options
from fiotools.readers.fio.text_rows import (
    Direction,
    Disk,
    Entry,
    RunRows,
    is_interrupted,
    note_remarks,
)
from fiotools.readers.fio.version import Version

if TYPE_CHECKING:
    from fiotools.readers.fio.printed import Printed
    from fiotools.readers.fio.text_rows import Said
    from fiotools.readers.grammar import Report, Session
    from fiotools.tables import Tables

_ISSUED = ("read", "write", "trim", "sync")


@dataclass
class Definition:
    """A job as fio understood it, printed above the reports."""

    name: str
    group: int
    options: dict[str, str]
    clones: bool = False


@dataclass
class Section:
    """One direction of an entry.

    Attributes
    ----------
    figures : dict of str to float
        Columns of `io`: latencies, and statistics over samples.
    is_old : bool
        Whether it has the layout of before 2.18, with KB of 1024 bytes.
    """

    direction: str
    io: Printed | None = None
    bw: Printed | None = None
    iops: Printed | None = None
    runtime_ms: int | None = None
    is_old: bool = False
    figures: dict[str, float] = field(default_factory=dict)
    percentiles: dict[str, list[tuple[float, float]]] = field(default_factory=dict)

    @property
    def is_decimal(self) -> bool:
        """Whether the bandwidth is in 1000 bytes under the name of 1024, as in fio 1 until 1.3x."""
        if not self.is_old or self.io is None or self.bw is None or not self.runtime_ms:
            return False
        seconds = self.runtime_ms / 1000
        exact, slack = self.io.value / seconds, self.io.reach / seconds + self.bw.slack
        said = self.bw.value
        return abs(exact - said) > slack and abs(exact - said / 1.024) <= slack


@dataclass(kw_only=True)
class Job(Entry):
    """An entry of the report.

    Attributes
    ----------
    issued : dict of str to list
        I/Os in total, short and dropped: of reads, writes, trims and syncs.
    """

    jobs: int
    pid: int
    message: str | None = None
    sections: list[Section] = field(default_factory=list)
    issued: dict[str, list[int]] = field(default_factory=dict)

    @property
    def key(self) -> tuple[str, int, int, str | None]:
        """What a repeated report of the same entry has in common."""
        return self.name, self.group, self.pid, self.host

    @property
    def summary(self) -> str:
        """The heading of the summary of its group."""
        host = f"<{self.host}> " if self.host else ""
        return f"{host}Run status group {self.group} (all jobs)"

    @property
    def section(self) -> Section:
        """The direction whose lines are being read."""
        if not self.sections:  # a report whose first lines are lost
            self.sections.append(Section("unknown"))
        return self.sections[-1]


@dataclass
class Run:
    """What one fio process printed.

    Attributes
    ----------
    client : str or None
        The machine whose report follows, in client mode.
    earlier : list of list of Job
        The entries of reports before the last one.
    group : str
        The heading of the summary that is being read.
    doubts, strange : list of (int, str)
        What does not fit together, and lines that were not understood.
    cut : int or None
        The line where the text ends although fio had more to say.
    curve : list of (float, float)
        The percentiles that are being read, in units of so many ns; for those of one
        `priority`, which have no table, the name of their extra.
    """

    version: str | None = None
    client: str | None = None
    definitions: list[Definition] = field(default_factory=list)
    entries: list[Job] = field(default_factory=list)
    earlier: list[list[Job]] = field(default_factory=list)
    disks: list[Disk] = field(default_factory=list)
    extras: dict[str, str] = field(default_factory=dict)
    remarks: Said = field(default_factory=list)
    doubts: Said = field(default_factory=list)
    strange: Said = field(default_factory=list)
    cut: int | None = None
    is_summed: bool = False
    group: str = ""
    curve: list[tuple[float, float]] = field(default_factory=list)
    scale: int = 1
    priority: str = ""

    @property
    def entry(self) -> Job:
        """The entry whose lines are being read."""
        return self.entries[-1]

    def begin_again(self) -> None:
        """Go on to a later report of the same entries."""
        self.earlier.append(self.entries)
        self.entries, self.disks, self.extras = [], [], {}
        self.is_summed, self.cut, self.group = False, None, ""


def add(tables: Tables, report: Report, session: Session) -> int:
    """Add one fio process as a run, with an entry for each job or group that it reported."""
    said: Run = report.data
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
        # one entry for several jobs is what group_reporting prints
        scope = "client" if entry.host else "group" if entry.jobs > 1 else "job"
        rows.entry(number, entry, scope, directions, has_ns=has_ns)
    _add_samples(rows, said)
    for disk in said.disks:
        rows.disk(disk)
    for path, text in said.extras.items():
        rows.extra(path, text)
    note_remarks(tables, said.remarks, report.line, rows.run)
    _note_troubles(rows, said)
    return rows.run


def _status(said: Run) -> str:
    if any(entry.error for entry in said.entries):
        return "error"
    if said.cut is not None:
        return "truncated"
    if is_interrupted(said.remarks):
        return "interrupted"
    return "ok" if said.is_summed else "truncated"


def _note_troubles(rows: RunRows, said: Run) -> None:
    for at, text in said.strange:
        rows.note(at, f"a line of the report was not understood: left out: {text[:200]}")
    for at, doubt in said.doubts:
        rows.note(at, f"{doubt}: the figures are kept as printed")
    defined = {one.name for one in said.definitions}
    for entry in said.entries:
        at, name = entry.line, entry.name
        if defined and name not in defined and not entry.is_total:
            rows.note(at, f"no definition above is named {name!r}: its conditions are missing")
        if entry.error:
            message = f"job {name!r} ended with error {entry.error} ({entry.message})"
            rows.note(at, message, "error")
        if not entry.sections:
            rows.note(at, f"job {name!r} did no I/O")
    if not said.is_summed:
        rows.note(0, "the report has no group summary: it was cut off")
    elif said.cut is not None:
        message = "the report was cut off here: its last lines may be missing, or only interim"
        rows.note(said.cut, message)


def _direction(said: Run, entry: Job, section: Section, options: dict[str, str]) -> Direction:
    """Give what a section says, and what follows from it; what contradicts itself is a doubt."""
    direction = section.direction
    if direction == "unknown":  # the first lines of the report are lost
        return Direction(direction, {}, {})
    found = {
        **fio_options.conditions(options, direction),
        **_conditions(said, entry, direction),
        **section.figures,
        **{f"{what}_ios": _issued(entry, direction, what) for what in ("total", "short", "drop")},
    }
    amounts, doubt = _amounts(section, found)
    found |= amounts
    # what clients did together is no job's
    too_deep = None if entry.is_total else _depth_doubt(found)
    for what in filter(None, (doubt, too_deep)):
        said.doubts.append((entry.line, f"{direction} of {entry.name}: {what}"))
    return Direction(direction, found, section.percentiles)


def _depth_doubt(found: dict[str, Any]) -> str | None:
    """Say whether more I/Os would have waited at once than may: by Little's law, rate x latency."""
    depth = found.get("iodepth", math.inf) * found.get("numjobs", 1)
    waiting = found.get("iops", 0) * found.get("lat_mean_ns", 0) / 1e9
    if waiting <= 1.2 * depth + 1:
        return None
    return f"{waiting:.4g} I/Os waiting at once are more than the depth of {depth}"


def _amounts(section: Section, found: dict[str, Any]) -> tuple[dict[str, Any], str | None]:
    """Compute amounts and rates from exact counts where those print like what is printed.

    Returns
    -------
    (figures, doubt)
        And what of them contradicts itself.
    """
    io, bw, iops = section.io, section.bw, section.iops
    if io is None or bw is None or iops is None or not section.runtime_ms:
        return {}, None
    seconds, total, bs = section.runtime_ms / 1000, found["total_ios"], found.get("bs_bytes")
    if section.direction == "mixed" and total and not io.value:
        # fio 3.33 prints IOPS=0 there with unified_rw_reporting=both
        return {"runtime_s": seconds}, None

    def is_rate(speed: float) -> bool:
        return bw.agrees(speed) or section.is_decimal

    rates, doubt = {"runtime_s": seconds, "iops": iops.value}, None
    if total and iops.agrees(total / seconds):
        rates["iops"] = total / seconds
        exact = total * bs if bs and not found["short_ios"] else 0
        if 0 < exact < 2**63 and io.agrees(exact) and is_rate(exact / seconds):
            return {**rates, "io_bytes": exact, "bw_bytes_per_s": exact / seconds}, None
    elif total:
        doubt = f"{total} I/Os in {seconds} s do not make {iops.value:.10g} a second"
    moved, speed = io.value, bw.value
    # of two prints of one figure, the one that cannot have been cut
    if bw.reach * seconds < io.reach and io.agrees(speed * seconds):
        moved = speed * seconds
    elif io.reach < bw.reach * seconds and is_rate(moved / seconds):
        speed = moved / seconds
    if moved >= 2**63:
        return rates, f"{moved:.3g} bytes are more than fio can count, and are left out"
    return {**rates, "io_bytes": round(moved), "bw_bytes_per_s": speed}, doubt


def _issued(entry: Job, direction: str, what: str) -> int | None:
    """Count the I/Os of a direction; none where fio counts others there.

    Syncs that were timed are counted past the end: as short I/Os, and not as syncs. So fio counts
    ``fdatasync`` (as short reads) and ``sync_file_range`` (as short writes).
    """
    counts = entry.issued.get(what)
    if counts is None:
        return None
    is_timed = any(section.direction == "sync" for section in entry.sections)
    short, syncs = entry.issued.get("short", []), entry.issued.get("total", [])[3:]
    has_spilled = is_timed and (any(short) or not any(syncs))
    if direction == "mixed":
        own = counts[:3]
    else:
        at = _ISSUED.index(direction)
        own = counts[at : at + 1]
    if has_spilled and (direction == "sync" or (what == "short" and any(own))):
        return None
    # short and dropped syncs are a constant 0 in fio's code, not a count
    return sum(own) if own and (direction != "sync" or what == "total") else None


def _conditions(said: Run, entry: Job, direction: str) -> dict[str, Any]:
    """Take the conditions from the definition lines that an entry stands for."""
    group = [one for one in said.definitions if one.group == entry.group]
    own = [one for one in group if one.name == entry.name]
    if not own:
        return {"numjobs": entry.jobs} if entry.jobs > 1 else {}
    together = group if entry.jobs > 1 else own
    conditions = fio_options.common_conditions([one.options for one in together], direction)
    if entry.jobs > 1:
        conditions["numjobs"] = entry.jobs
    elif not own[0].clones and len(own) == 1:
        conditions["numjobs"] = 1
    elif len(own) == 1:
        names = [(one.name, one.group) for one in said.entries]
        conditions["numjobs"] = names.count((entry.name, entry.group))
    return conditions


def _add_samples(rows: RunRows, said: Run) -> None:
    """Add what --status-interval printed before the end: how far each entry had come."""
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
