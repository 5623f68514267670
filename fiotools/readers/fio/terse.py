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
where a run ends, see `runs`. In client mode the disks stand on a line of their own, and
"All clients" repeats what other lines say. With ``json,terse`` the JSON is read and with
``normal,terse`` the report for people, which both say more.

Specified in fio's ``stat.c`` (``show_thread_status_terse_all``, before 3.7 ``_v2`` and ``_v3_v4``)
and ``HOWTO``, "Terse output": 1.5x to 3.4x.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fiotools.errors import ParseError
from fiotools.readers.fio import options as fio_options
from fiotools.readers.fio.jobfile import is_set
from fiotools.readers.fio.json_fields import LATENCIES
from fiotools.readers.fio.terse_lines import COUNTS, Block, Broken, Record, Terse, finite, parse
from fiotools.readers.fio.text_rows import Direction, RunRows, is_interrupted, note_remarks
from fiotools.readers.grammar import Session

if TYPE_CHECKING:
    from fiotools.readers.document import Document
    from fiotools.readers.fio.text_rows import Curves
    from fiotools.readers.grammar import Report
    from fiotools.tables import Tables

__all__ = ["add", "parse", "read"]

_SLACK_MS = 20


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


def add(tables: Tables, report: Report, session: Session, version: str | None = None) -> int:
    """Add the entries that stand together in a text as runs; return the number of the last."""
    said: Terse = report.data
    found = runs([item for item in said.items if isinstance(item, Record)])
    broken = [item for item in said.items if isinstance(item, Broken)]
    for item in broken if found else ():
        # of the run before it, or of the first
        at = sum(run.reports[0][0].line < item.line for run in found)
        found[max(at - 1, 0)].broken.append(item)
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
    note_remarks(tables, said.remarks, report.line, tables.runs if found else None)
    if not found:
        for item in broken:
            line = report.line + item.line
            tables.note(f"{item.reason}: left out", line=line, severity="warning")
    return tables.runs


# --- which entries are of one run -------------------------------------------------------------


@dataclass
class Run:
    """The reports of one run, the last of which is its result."""

    reports: list[list[Record]]
    clients: bool = False
    doubtful: bool = False
    broken: list[Broken] = field(default_factory=list)

    @property
    def entries(self) -> list[Record]:
        """The entries of the result."""
        return self.reports[-1]


def runs(records: list[Record]) -> list[Run]:
    """Group entries, in their order, by run.

    Lines have no time, and a run has no last line. What can be told: the entries of one report show
    the same disk figures; groups are counted up; the clones of a job stand together; "All clients"
    ends a run and sums it up. Reports of one run (``--status-interval``) have the same entries, and
    no count falls. Where entries of one group have no disks that did anything, they may be of one
    run as well as of several: they are read as one, which no statistic takes for repeats, with a
    note.
    """
    reports: list[list[Record]] = []
    begun = 0  # of the reports of clients that have not been summed up
    for record in records:
        if record.is_total:
            first = _first_summed(reports, record, begun)
            reports[first:] = [[entry for part in reports[first:] for entry in part] + [record]]
            begun = len(reports)
        elif len(reports) == begun or _begins(reports[-1], record):
            reports.append([record])
        else:
            reports[-1].append(record)
    found: list[Run] = []
    for report in reports:
        clients = report[-1].is_total or bool(report[-1].client_disks)
        if found and not clients and _continues(found[-1].entries, report):
            found[-1].reports.append(report)
        else:
            groups = [record.group for record in report if not record.is_busy]
            doubtful = not clients and len(set(groups)) < len(groups)
            found.append(Run([report], clients, doubtful))
    return found


def _first_summed(reports: list[list[Record]], total: Record, begun: int) -> int:
    """Find the first of the reports that a total sums up: their KiB, each cut off, make its."""
    wanted = {block.direction: block.kib for block in total.blocks}
    sums, count = dict.fromkeys(wanted, 0), 0
    for at in range(len(reports) - 1, begun - 1, -1):
        for entry in reports[at]:
            count += 1
            for block in entry.blocks:
                if block.direction in sums:
                    sums[block.direction] += block.kib
        if all(sums[one] <= wanted[one] <= sums[one] + count for one in wanted):
            return at
    return begun


def _begins(report: list[Record], record: Record) -> bool:
    """Whether an entry is of another report than those before it."""
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
        # of those behind a stonewall one after another goes on
        and any(other.runtime_ms > one.runtime_ms for one, other in pairs)
    )


def _grows(before: Record, after: Record) -> bool:
    """Whether an entry can be a later state of another: what only grows has grown."""
    old, new = _growing(before), _growing(after)
    if len(before.blocks) != len(after.blocks) or len(old) != len(new):
        return False
    if any(one > two for one, two in zip(old, new, strict=True)):
        return False
    for one, two in zip(before.blocks, after.blocks, strict=True):
        passed = two.runtime_ms - one.runtime_ms
        # a run of the same length again: it cannot do the difference in no time
        if two.kib and passed < 0.05 * two.runtime_ms:
            most = 2 * two.kib / max(two.runtime_ms, 1) * (passed + _SLACK_MS)
            if two.kib - one.kib > most:
                return False
    return _fills(before, after)


def _growing(record: Record) -> list[float]:
    """List what never falls while an entry runs: counts, maxima, and minima by their negatives."""
    found = [record.cpu[name] for name in ("ctx", "majf", "minf")]
    found += [disk.row[count] for disk in record.disks for count in COUNTS]
    for block in record.blocks:
        found += [block.kib, block.runtime_ms]
        for kind in LATENCIES:
            low, high = (block.figures[f"{kind}_{stat}_ns"] for stat in ("min", "max"))
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
    """Count the I/Os of an entry from its rates, which are cut off."""
    total = 0.0
    for block in record.blocks:
        if block.iops is None:
            return None
        if block.direction != "mixed" or len(record.blocks) == 1:
            total += (block.iops + (more if block.iops else 0)) * block.runtime_ms / 1000
    return total


# --- the rows of a run ------------------------------------------------------------------------


def _add_run(rows: RunRows, run: Run) -> None:
    for number, entry in enumerate(run.entries, 1):
        options = rows.asked(number, entry.name)
        scope = "group" if is_set(options, "group_reporting") else "job"
        directions = [
            _direction(rows, entry, block, options) for block in entry.blocks if block.moved
        ]
        # the nanoseconds are in the first bin of microseconds
        rows.entry(number, entry, "client" if run.clients else scope, directions, has_ns=False)
        _note_entry(rows, entry)
    for report in run.reports if len(run.reports) > 1 else ():
        for number, entry in enumerate(report, 1):
            for block in entry.blocks:
                if block.moved and block.runtime_ms:
                    seconds, done = block.runtime_ms / 1000, {"io_bytes": block.kib * 1024}
                    rows.progress(number, entry, block.direction, seconds, done)
    # every entry of a report repeats the disks; in client mode each client has some
    own = next((entry.disks for entry in reversed(run.entries) if entry.disks), [])
    for disk in [*own, *(disk for entry in run.entries for disk in entry.client_disks)]:
        rows.disk(disk)
    _note_run(rows, run)


def _direction(rows: RunRows, entry: Record, block: Block, options: dict[str, str]) -> Direction:
    """Give what a block says; of what contradicts itself there is a note."""
    speed, percentiles = _speed(block), _percentiles(block, options)
    of = f"{block.direction} of {entry.name}"
    if speed is None:
        rows.note(entry.line, f"{of}: the printed bandwidth is not KiB over time; it is kept")
    if percentiles is None:
        rows.note(entry.line, f"{of}: the percentiles are neither clat's nor lat's: left out")
    kinds = {column: column.partition("_")[0] for column in block.figures}
    measured = {kind for kind in {*kinds.values()} if block.measured(kind)}
    columns = {
        **fio_options.conditions(options, block.direction),
        # 0 means less than one of the unit, which is no figure
        "io_bytes": block.kib * 1024 or None,
        "runtime_s": block.runtime_ms / 1000 or None,
        "iops": float(block.iops) if block.iops else None,
        "bw_bytes_per_s": float(block.bw * _units(block)[0] if speed is None else speed) or None,
        **finite(
            (column, value) for column, value in block.figures.items() if kinds[column] in measured
        ),
    }
    return Direction(block.direction, columns, percentiles or {})


def _speed(block: Block) -> float | None:
    """Give the greater of the printed bandwidth and KiB over time, which were both cut off.

    None if they contradict each other in either of the units that fio's rates were in.
    """
    seconds = block.runtime_ms / 1000
    if not seconds and not block.bw:
        return 0.0
    for unit in _units(block):
        low, high = block.kib * 1024, (block.kib + 1) * 1024
        if low < (block.bw + 1) * unit * seconds and block.bw * unit * seconds < high:
            return max(block.bw * unit, low * 1000 / block.runtime_ms)
    return None


def _units(block: Block) -> tuple[int, int]:
    """Give the bytes that a rate counts in, the likelier first: 1000 before there were IOPS."""
    return (1000, 1024) if block.iops is None else (1024, 1000)


def _percentiles(block: Block, options: dict[str, str]) -> Curves | None:
    """Give the percentiles, of the latency that they are of; None if they can be of none."""
    used = [pair for pair in block.percentiles if pair[0] > 0]  # unused slots are 0%=0
    # of clat, if it was not asked otherwise; where only lat was measured, of lat
    for kind in ("lat",) if is_set(options, "lat_percentiles") else ("clat", "lat"):
        low, high, mean = (block.figures[f"{kind}_{stat}_ns"] for stat in ("min", "max", "mean"))
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
        rows.note(at, f"job {name!r} ended with error {entry.error}{what}", "error")
    elif idle:
        trims = f", or only trims, which terse version {entry.version} does not list"
        rows.note(at, f"job {name!r} did no I/O{trims if entry.version < 4 else ''}")
    if entry.wrapped:
        rows.note(at, f"the lines below are read as the description of {name!r}")
    if entry.cut:
        what = f"{entry.cut[:60]!r} may be cut off, and is left out"
        rows.note(at, f"the text ends within an entry: {what}")


def _note_run(rows: RunRows, run: Run) -> None:
    first = run.reports[0][0].line
    if len(run.reports) > 1:
        message = (
            f"{len(run.reports)} cumulative reports of one run (--status-interval): the last is the"
            " result, all of them are in samples"
        )
        rows.note(first, message, "info")
    if run.doubtful:
        rows.note(
            first,
            "the lines do not tell whether these entries ran together: they are read as one run;"
            " if they were appended to the file one after another, none is a part of another",
        )
    for item in run.broken:
        rows.note(item.line, f"{item.reason}: left out")
