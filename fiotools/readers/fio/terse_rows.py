"""From the entries of fio's terse output to rows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import orjson

from fiotools.readers.fio import options as fio_options
from fiotools.readers.fio.bins import coarse_columns, whole_direction
from fiotools.readers.fio.terse_figures import (
    add_percentiles,
    amounts,
    check_rates,
    finite,
    statistics,
)
from fiotools.readers.fio.terse_lines import Broken, Disk, Record
from fiotools.readers.fio.terse_runs import ALL, Run, runs

if TYPE_CHECKING:
    from fiotools.readers.base import Report, Session
    from fiotools.tables import Tables

_DEPTHS = ("1", "2", "4", "8", "16", "32", ">=64")
_US = ("2", "4", "10", "20", "50", "100", "250", "500", "750", "1000")
_MS = (*_US, "2000", ">=2000")
_COUNTS = (
    ("read_ios", 1),
    ("write_ios", 1),
    ("read_merges", 1),
    ("write_merges", 1),
    ("read_ticks_s", 0.001),
    ("write_ticks_s", 0.001),
    ("in_queue_s", 0.001),
)
_AGGREGATED = (  # as fio's JSON calls them
    *("read_ios", "write_ios", "read_merges", "write_merge"),
    *("read_ticks", "write_ticks", "in_queue"),
)
_ALERT = re.compile(r"error|err=|terminat|fail|no such|cannot|unable|warning", re.I)


def add(tables: Tables, report: Report, session: Session, version: str | None = None) -> int:
    """Add the entries that stand together in a text as runs; return the number of the last."""
    items: list[Record | Broken] = report.data.items
    found = runs([item for item in items if isinstance(item, Record)])
    broken: dict[int, list[Broken]] = {}
    for item in items:
        if isinstance(item, Broken):
            broken.setdefault(_owner(found, item.line), []).append(item)
    interrupted = any("terminating on signal" in said for _, said in report.data.remarks)
    shared, named = fio_options.from_command(session.command)
    for at, run in enumerate(found):
        status = "truncated" if at in broken or any(e.cut for e in run.entries) else "ok"
        if interrupted and run is found[-1]:
            status = "interrupted"
        number = tables.start_run(
            tool="fio",
            tool_version=version or run.entries[0].fio,
            format="fio_terse",
            command=session.command,
            host=session.host,
            status="error" if any(entry.error for entry in run.entries) else status,
        )
        fio_options.add_settings(tables, number, None, None, shared, "global")
        for place, entry in enumerate(run.entries, 1):
            given = named.get(entry.name, {})
            fio_options.add_settings(tables, number, place, entry.name, given, "given")
            _add_entry(tables, number, place, run, entry, {**shared, **given})
            _note_entry(tables, number, entry, report.line)
        _add_samples(tables, number, run)
        _add_disks(tables, number, run.entries)
        _note_run(tables, number, run, report.line)
        _note_broken(tables, number, broken.get(at, []), report.line)
    if not found:
        _note_broken(tables, None, broken.get(-1, []), report.line)
    for line, said in report.data.remarks:
        severity = "warning" if _ALERT.search(said) else "info"
        run_number = tables.runs if found else None
        tables.note(said[:300], line=report.line + line, severity=severity, run=run_number)
    return tables.runs


def _owner(found: list[Run], line: int) -> int:
    """Say which run a line that is not whole belongs to: the one before it, or the first."""
    before = [at for at, run in enumerate(found) if run.reports[0][0].line < line]
    return before[-1] if before else 0 if found else -1


def _add_entry(
    tables: Tables, run: int, number: int, whole: Run, entry: Record, options: dict[str, str]
) -> None:
    scope = "group" if options.get("group_reporting", "0") != "0" else "job"
    if whole.clients:
        scope = "total" if entry.name == ALL else "client"
    keys: dict[str, Any] = {
        "run": run,
        "entry": number,
        "group": entry.group,
        "job": entry.name,
        "scope": scope,
    }
    usr, sys, ctx, majf, minf = entry.cpu
    tables.add(
        "jobs",
        **keys,
        error=entry.error,
        usr_cpu_pct=finite(usr),
        sys_cpu_pct=finite(sys),
        ctx=int(ctx),
        majf=int(majf),
        minf=int(minf),
        description=entry.description,
    )
    # of clat, if it was not asked otherwise; where only lat was measured, of lat
    kinds = ("lat",) if options.get("lat_percentiles", "0") != "0" else ("clat", "lat")
    moved = [block for block in entry.blocks if block.moved]
    for block in moved:
        row = {**keys, "direction": block.direction}
        conditions = fio_options.conditions(options, block.direction)
        tables.add("io", **row, **conditions, **amounts(block), **statistics(block))
        check_rates(tables, row, block)
        add_percentiles(tables, row, block, kinds)
    if moved and tables.wants("bins"):
        us, ms = entry.shares[7:17], entry.shares[17:]
        shares = {"usec": dict(zip(_US, us, strict=True)), "msec": dict(zip(_MS, ms, strict=True))}
        # the nanoseconds are in the first bin of microseconds
        columns = coarse_columns(shares, has_ns=False)
        direction = whole_direction([block.direction for block in moved])
        tables.extend("bins", columns, **keys, direction=direction, latency="clat")
    depths = dict(zip(_DEPTHS, entry.shares[:7], strict=True))
    extras = {"iodepth_level": orjson.dumps(depths).decode()}
    if entry.errors is not None:
        extras |= {"total_err": str(entry.errors[0]), "first_error": str(entry.errors[1])}
    for path, text in extras.items():
        tables.add("extras", run=run, entry=number, path=path, text=text)


def _add_samples(tables: Tables, number: int, run: Run) -> None:
    """Add how far each entry had come at each report of --status-interval."""
    if len(run.reports) < 2:
        return
    for report in run.reports:
        for place, entry in enumerate(report, 1):
            for block in entry.blocks:
                if block.moved and block.runtime_ms:
                    tables.add(
                        "samples",
                        run=number,
                        entry=place,
                        group=entry.group,
                        job=entry.name,
                        direction=block.direction,
                        time_s=block.runtime_ms / 1000,
                        quantity="io_bytes",
                        value=block.kib * 1024,
                    )


def _add_disks(tables: Tables, number: int, entries: list[Record]) -> None:
    """Add the disks: every entry of a report repeats them; in client mode each client has some."""
    own = next((entry.disks for entry in reversed(entries) if entry.disks), [])
    for disk in [*own, *(disk for entry in entries for disk in entry.client_disks)]:
        row = {
            column: count * scale
            for (column, scale), count in zip(_COUNTS, disk.counts, strict=True)
        }
        tables.add("disks", run=number, device=disk.name, **row, util_pct=finite(disk.util))
        if disk.aggregate:
            _add_aggregate(tables, number, disk.name, disk.aggregate)


def _add_aggregate(tables: Tables, number: int, name: str, parts: Disk) -> None:
    """Keep the mean over the devices that a device is made of, as fio's JSON calls it."""
    figures = {**dict(zip(_AGGREGATED, parts.counts, strict=True)), "util": parts.util}
    for key, value in figures.items():
        path = f"disk_util.{name}.aggr_{key}"
        tables.add("extras", run=number, path=path, text=orjson.dumps(value).decode())


def _note_entry(tables: Tables, run: int, entry: Record, line: int) -> None:
    at = line + entry.line
    idle = not any(block.moved for block in entry.blocks)
    if entry.error:
        message = f"job {entry.name!r} ended with error {entry.error}"
        message += ", without I/O" if idle else ""
        tables.note(message, line=at, severity="error", run=run)
    elif idle:
        message = f"job {entry.name!r} did no I/O"
        if entry.version < 4:
            message += f", or only trims, which terse version {entry.version} does not list"
        tables.note(message, line=at, severity="warning", run=run)
    if entry.wrapped:
        message = f"the lines below are read as the description of {entry.name!r}"
        tables.note(message, line=at, severity="warning", run=run)
    if entry.cut:
        message = (
            f"the text ends within an entry: {entry.cut[:60]!r} may be cut off, and is left out"
        )
        tables.note(message, line=at, severity="warning", run=run)


def _note_run(tables: Tables, number: int, run: Run, line: int) -> None:
    first = line + run.reports[0][0].line
    if len(run.reports) > 1:
        tables.note(
            f"{len(run.reports)} cumulative reports of one run (--status-interval): the last is the"
            " result, all of them are in samples",
            line=first,
            run=number,
        )
    if run.doubtful:
        tables.note(
            "the lines do not tell whether these entries ran together: they are read as one run;"
            " if they were appended to the file one after another, none is a part of another",
            line=first,
            severity="warning",
            run=number,
        )


def _note_broken(tables: Tables, number: int | None, broken: list[Broken], line: int) -> None:
    for item in broken:
        message = f"{item.reason}: left out"
        tables.note(message, line=line + item.line, severity="warning", run=number)
