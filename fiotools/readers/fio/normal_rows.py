"""From the lines of fio's human report to rows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from fiotools.readers.fio import options as fio_options
from fiotools.readers.fio.normal_lines import Disk, Entry, Run, Section
from fiotools.readers.fio.text_rows import Direction, RunRows, note_remarks

if TYPE_CHECKING:
    from fiotools.readers.base import Report, Session
    from fiotools.tables import Tables

_ISSUED = {"read": 0, "write": 1, "trim": 2, "sync": 3}
# what a disk's line calls it: the columns, and what one of it is worth; times are in ms
_DISK = {
    "ios": (("read_ios", "write_ios"), 1),
    "merge": (("read_merges", "write_merges"), 1),
    "sectors": (("read_sectors_bytes", "write_sectors_bytes"), 512),
    "ticks": (("read_ticks_s", "write_ticks_s"), 1),
    "in_queue": (("in_queue_s",), 1),
    "util": (("util_pct",), 1),
}


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
    for number, entry in enumerate(said.entries, 1):
        _add_entry(rows, number, said, entry)
    _add_samples(rows, said)
    for disk in said.disks:
        _add_disk(rows, disk)
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
    if any("terminating on signal" in text for _, text in said.remarks):
        return "interrupted"
    return "ok" if said.summed else "truncated"


def _note_troubles(rows: RunRows, said: Run) -> None:
    for at, text in said.strange:
        rows.note(at, f"a line of the report was not understood: left out: {text[:200]}")
    for at, doubt in said.doubts:
        rows.note(at, f"{doubt}: the figures are kept as printed")
    defined = {one.name for one in said.definitions}
    for entry in said.entries:
        at, name = entry.line, entry.name
        if defined and name not in defined and name != "All clients":
            rows.note(at, f"no definition above is named {name!r}: its conditions are missing")
        if entry.error:
            message = f"job {name!r} ended with error {entry.error} ({entry.message})"
            rows.note(at, message, "error")
        if not entry.sections:
            rows.note(at, f"job {name!r} did no I/O")
    if not said.summed:
        rows.note(0, "the report has no group summary: it was cut off")
    elif said.cut is not None:
        message = "the report was cut off here: its last lines may be missing, or only interim"
        rows.note(said.cut, message)


def _add_entry(rows: RunRows, number: int, said: Run, entry: Entry) -> None:
    options = rows.asked(number, entry.name)
    # one entry for several jobs is what group_reporting prints
    scope = "client" if entry.host else "group" if entry.jobs > 1 else "job"
    keys = {
        "entry": number,
        "host": entry.host,
        "group": entry.group,
        "job": entry.name,
        "scope": "total" if entry.name == "All clients" else scope,
    }
    job = {"error": entry.error, "description": entry.description, **entry.cpu}
    directions = [_direction(said, entry, section, options) for section in entry.sections]
    rows.entry(keys, job, directions, entry.shares, entry.extras, has_ns=not _is_old(said))


def _direction(said: Run, entry: Entry, section: Section, options: dict[str, str]) -> Direction:
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
    if doubt:
        said.doubts.append((entry.line, f"{direction} of {entry.name}: {doubt}"))
    return Direction(direction, {**found, **amounts}, section.percentiles)


def _amounts(section: Section, found: dict[str, Any]) -> tuple[dict[str, Any], str | None]:
    """Compute amounts and rates from exact counts where those print like what is printed.

    Returns
    -------
    (figures, doubt)
        And what of them contradicts itself.
    """
    if section.io is None or section.bw is None or section.iops is None or not section.runtime_ms:
        return {}, None
    seconds, total, bs = section.runtime_ms / 1000, found["total_ios"], found.get("bs_bytes")
    if section.direction == "mixed" and total and not section.io.value:
        # fio 3.33 prints IOPS=0 there with unified_rw_reporting=both
        return {"runtime_s": seconds}, None
    rates, doubt = {"runtime_s": seconds, "iops": section.iops.value}, None
    if total and section.iops.agrees(total / seconds):
        rates["iops"] = total / seconds
        exact = total * bs if bs and not found["short_ios"] else None
        if (
            exact
            and exact < 2**63
            and section.io.agrees(exact)
            and _speed_agrees(section, exact / seconds)
        ):
            return {**rates, "io_bytes": exact, "bw_bytes_per_s": exact / seconds}, None
    elif total:
        doubt = f"{total} I/Os in {seconds} s do not make {section.iops.value:.10g} a second"
    moved, speed = section.io.value, section.bw.value
    # of two prints of one figure, the one that cannot have been cut
    if section.bw.reach * seconds < section.io.reach and section.io.agrees(speed * seconds):
        moved = speed * seconds
    elif section.io.reach < section.bw.reach * seconds and _speed_agrees(section, moved / seconds):
        speed = moved / seconds
    if moved >= 2**63:
        return rates, f"{moved:.3g} bytes are more than fio can count, and are left out"
    return {**rates, "io_bytes": round(moved), "bw_bytes_per_s": speed}, doubt


def _speed_agrees(section: Section, exact: float) -> bool:
    """Whether a bandwidth prints like the one that is printed."""
    return section.bw is not None and (section.bw.agrees(exact) or section.is_decimal)


def _issued(entry: Entry, direction: str, what: str) -> int | None:
    counts = entry.issued.get(what)
    if counts is None:
        return None
    spilled = _has_spilled(entry)
    if direction == "mixed":
        return None if spilled and what == "short" and any(counts) else sum(counts[:3])
    at = _ISSUED[direction]
    if spilled and (direction == "sync" or (what == "short" and any(counts[at : at + 1]))):
        return None
    # short and dropped syncs are a constant 0 in fio's code, not a count
    return counts[at] if at < len(counts) and (at < 3 or what == "total") else None


def _has_spilled(entry: Entry) -> bool:
    """Whether syncs that were timed were counted past the end: as short I/Os, and not as syncs.

    So fio counts ``fdatasync`` (as short reads) and ``sync_file_range`` (as short writes).
    """
    timed = any(section.direction == "sync" for section in entry.sections)
    short, total = entry.issued.get("short", []), entry.issued.get("total", [])
    return timed and (any(short) or not any(total[3:]))


def _conditions(said: Run, entry: Entry, direction: str) -> dict[str, Any]:
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


def _is_old(said: Run) -> bool:
    """Whether the version is before 3.0, which counts no nanoseconds."""
    version = re.match(r"\d+", said.version or "")
    return int(version[0]) < 3 if version else False


def _add_samples(rows: RunRows, said: Run) -> None:
    """Add what --status-interval printed before the end: how far each entry had come."""
    numbers = {entry.key: number for number, entry in enumerate(said.entries, 1)}
    for entries in [*said.earlier, said.entries] if said.earlier else ():
        for entry in entries:
            for section in entry.sections:
                if section.io is None or not section.runtime_ms or entry.key not in numbers:
                    continue
                keys = {
                    "entry": numbers[entry.key],
                    "group": entry.group,
                    "job": entry.name,
                    "direction": section.direction,
                }
                done = {
                    "io_bytes": section.io.value,
                    "total_ios": _issued(entry, section.direction, "total"),
                }
                rows.progress(keys, section.runtime_ms, **done)


def _add_disk(rows: RunRows, disk: Disk) -> None:
    row = {
        column: value / 1000 if column.endswith("_s") else value * worth
        for name, (columns, worth) in _DISK.items()
        if len(disk.figures.get(name, ())) == len(columns)
        for column, value in zip(columns, disk.figures[name], strict=True)
    }
    rows.tables.add("disks", run=rows.run, host=disk.host, device=disk.name, **row)
    for name, values in disk.figures.items():
        if name.startswith("agg"):
            rows.extra(f"disk_util.{disk.name}.{name}", "/".join(f"{value:g}" for value in values))
