"""Which entries of fio's terse output are of one report, and which reports are of one run.

Nothing says so: lines have no time, and a run has no last line. What can be told: the entries of
one report show the same disk figures; groups are counted up; the clones of a job stand together;
"All clients" ends a run and sums it up. Reports of one run (``--status-interval``) have the same
entries, and no count falls. Where entries of one group have no disks that did anything, they may
be of one run as well as of several: they are read as one, which no statistic takes for repeats,
with a note.
"""

from __future__ import annotations

from dataclasses import dataclass

from fiotools.readers.fio.terse_lines import LATENCIES, Record

ALL = "All clients"
_SLACK_MS = 20


@dataclass
class Run:
    """The reports of one run, the last of which is its result."""

    reports: list[list[Record]]
    clients: bool = False
    doubtful: bool = False

    @property
    def entries(self) -> list[Record]:
        """The entries of the result."""
        return self.reports[-1]


def runs(records: list[Record]) -> list[Run]:
    """Group entries, in their order, by run."""
    reports: list[list[Record]] = []
    begun = 0  # of the reports of clients that have not been summed up
    found: list[Run] = []
    for record in records:
        if record.name == ALL:
            first = _first_summed(reports, record, begun)
            reports[first:] = [[entry for part in reports[first:] for entry in part] + [record]]
            begun = len(reports)
        elif len(reports) == begun or _begins(reports[-1], record):
            reports.append([record])
        else:
            reports[-1].append(record)
    for report in reports:
        clients = report[-1].name == ALL or bool(report[-1].client_disks)
        if found and not clients and _continues(found[-1].entries, report):
            found[-1].reports.append(report)
        else:
            found.append(Run([report], clients, not clients and _doubtful(report)))
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


def _busy(record: Record) -> bool:
    return any(any(disk.counts) for disk in record.disks)


def _begins(report: list[Record], record: Record) -> bool:
    """Whether an entry is of another report than those before it."""
    last = report[-1]
    if (record.version, record.fio) != (last.version, last.fio) or last.client_disks:
        return True
    if _busy(last) or _busy(record):
        return record.disks != last.disks
    if record.group != last.group:
        return record.group < last.group
    if record.key == last.key:
        return _goes_on(last, record) and _grows(last, record)
    return any(record.key == other.key for other in report)


def _doubtful(report: list[Record]) -> bool:
    """Whether several entries of one group may be of one run as well as of several."""
    groups = [record.group for record in report if not _busy(record)]
    return len(set(groups)) < len(groups)


def _continues(before: list[Record], after: list[Record]) -> bool:
    """Whether one report can be a later one of the same run."""
    return (
        [(entry.version, entry.fio, *entry.key) for entry in before]
        == [(entry.version, entry.fio, *entry.key) for entry in after]
        and any(block.moved for entry in before for block in entry.blocks)
        and all(_grows(one, other) for one, other in zip(before, after, strict=True))
        # of those behind a stonewall one after another goes on
        and any(_goes_on(one, other) for one, other in zip(before, after, strict=True))
    )


def _goes_on(before: Record, after: Record) -> bool:
    """Whether an entry ran for longer."""
    later = max(block.runtime_ms for block in after.blocks)
    return later > max(block.runtime_ms for block in before.blocks)


def _grows(before: Record, after: Record) -> bool:
    """Whether no count of an entry falls, no minimum rises and no maximum falls."""
    if len(before.blocks) != len(after.blocks) or len(before.disks) != len(after.disks):
        return False
    if any(before.cpu[count] > after.cpu[count] for count in ("ctx", "majf", "minf")):
        return False
    for disk, other in zip(before.disks, after.disks, strict=True):
        if any(old > new for old, new in zip(disk.counts, other.counts, strict=True)):
            return False
    for one, two in zip(before.blocks, after.blocks, strict=True):
        passed = two.runtime_ms - one.runtime_ms
        if one.kib > two.kib or passed < 0:
            return False
        # a run of the same length again: it cannot do the difference in no time
        if two.kib and passed < 0.05 * two.runtime_ms:
            most = 2 * two.kib / max(two.runtime_ms, 1) * (passed + _SLACK_MS)
            if two.kib - one.kib > most:
                return False
        old, new = one.figures, two.figures
        for low, high in [(f"{kind}_min_ns", f"{kind}_max_ns") for kind in LATENCIES]:
            if old[high] and (new[high] < old[high] or new[low] > old[low]):
                return False
    return _fills(before, after)


def _fills(before: Record, after: Record) -> bool:
    """Whether no bin of the coarse distribution loses I/Os, as far as shares can tell."""
    old, new = _ios(before, 0), _ios(after, 1)
    if old is None or new is None:
        return True
    pairs = zip(before.shares[7:], after.shares[7:], strict=True)
    # shares are rounded, and tiny ones raised to 0.01
    return all(not (max(one - 0.02, 0) * old > (two + 0.02) * new) for one, two in pairs)


def _ios(record: Record, more: int) -> float | None:
    """Count the I/Os of an entry from its rates, which are cut off."""
    total = 0.0
    for block in record.blocks:
        if block.iops is None:
            return None
        if block.direction != "mixed" or len(record.blocks) == 1:
            total += (block.iops + (more if block.iops else 0)) * block.runtime_ms / 1000
    return total
