"""From the entries of fio's terse output to rows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import orjson

from fiotools.readers.fio import options as fio_options
from fiotools.readers.fio.terse_lines import LATENCIES, Block, Broken, Disk, Record
from fiotools.readers.fio.terse_runs import ALL, Run, runs
from fiotools.readers.fio.text_rows import Direction, RunRows, note_remarks

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fiotools.readers.base import Report, Session
    from fiotools.tables import Tables

_DEPTHS = ("1", "2", "4", "8", "16", "32", ">=64")
_US = ("2", "4", "10", "20", "50", "100", "250", "500", "750", "1000")
_MS = (*_US, "2000", ">=2000")
# the counts of a disk: the column (its time is in ms), what fio's JSON calls that of its parts
_COUNTS = (
    ("read_ios", "aggr_read_ios"),
    ("write_ios", "aggr_write_ios"),
    ("read_merges", "aggr_read_merges"),
    ("write_merges", "aggr_write_merge"),
    ("read_ticks_s", "aggr_read_ticks"),
    ("write_ticks_s", "aggr_write_ticks"),
    ("in_queue_s", "aggr_in_queue"),
)


def add(tables: Tables, report: Report, session: Session, version: str | None = None) -> int:
    """Add the entries that stand together in a text as runs; return the number of the last."""
    items: list[Record | Broken] = report.data.items
    remarks: list[tuple[int, str]] = report.data.remarks
    found = runs([item for item in items if isinstance(item, Record)])
    broken: dict[int, list[Broken]] = {}
    for item in items:
        if isinstance(item, Broken):
            broken.setdefault(_owner(found, item.line), []).append(item)
    interrupted = any("terminating on signal" in said for _, said in remarks)
    for at, run in enumerate(found):
        status = "truncated" if at in broken or any(e.cut for e in run.entries) else "ok"
        if interrupted and run is found[-1]:
            status = "interrupted"
        rows = RunRows(
            tables,
            report,
            session,
            tool_version=version or run.entries[0].fio,
            format="fio_terse",
            status="error" if any(entry.error for entry in run.entries) else status,
        )
        for place, entry in enumerate(run.entries, 1):
            _add_entry(rows, place, run, entry)
            _note_entry(rows, entry)
        _add_samples(rows, run)
        _add_disks(rows, run.entries)
        _note_run(rows, run)
    for at, torn in broken.items():
        owner = tables.runs - len(found) + at + 1 if found else None
        for item in torn:
            message, line = f"{item.reason}: left out", report.line + item.line
            tables.note(message, line=line, severity="warning", run=owner)
    note_remarks(tables, remarks, report.line, tables.runs if found else None)
    return tables.runs


def _owner(found: list[Run], line: int) -> int:
    """Say which run a line that is not whole belongs to: the one before it, or the first."""
    return max(sum(run.reports[0][0].line < line for run in found) - 1, 0)


def _add_entry(rows: RunRows, number: int, whole: Run, entry: Record) -> None:
    options = rows.asked(number, entry.name)
    scope = "group" if options.get("group_reporting", "0") != "0" else "job"
    if whole.clients:
        scope = "total" if entry.name == ALL else "client"
    keys = {"entry": number, "group": entry.group, "job": entry.name, "scope": scope}
    job = {"error": entry.error, "description": entry.description, **_finite(entry.cpu.items())}
    # of clat, if it was not asked otherwise; where only lat was measured, of lat
    kinds = ("lat",) if options.get("lat_percentiles", "0") != "0" else ("clat", "lat")
    directions = [
        Direction(
            block.direction,
            {
                **fio_options.conditions(options, block.direction),
                **_amounts(rows, entry, block),
                **_statistics(block),
            },
            _percentiles(rows, entry, block, kinds),
        )
        for block in entry.blocks
        if block.moved
    ]
    depths, us, ms = entry.shares[:7], entry.shares[7:17], entry.shares[17:]
    shares = {"usec": dict(zip(_US, us, strict=True)), "msec": dict(zip(_MS, ms, strict=True))}
    levels = dict(zip(_DEPTHS, depths, strict=True))
    extras = {"iodepth_level": orjson.dumps(levels).decode()}
    if entry.errors is not None:
        extras |= zip(("total_err", "first_error"), map(str, entry.errors), strict=True)
    # the nanoseconds are in the first bin of microseconds
    rows.entry(keys, job, directions, shares if directions else {}, extras, has_ns=False)


def _finite(figures: Iterable[tuple[str, float]]) -> dict[str, float]:
    """Keep numbers; fio prints nan where nothing was done."""
    return {column: value for column, value in figures if math.isfinite(value)}


def _amounts(rows: RunRows, entry: Record, block: Block) -> dict[str, Any]:
    """Give amounts and rates; 0 means less than one of the unit, which is no figure."""
    seconds = block.runtime_ms / 1000
    over_time = block.kib * 1024 * 1000 / block.runtime_ms if seconds else 0.0
    unit = _agreeing_unit(block)
    if unit is None:
        what = "the printed bandwidth is not KiB over time; it is kept"
        _doubt(rows, entry, block, what)
    printed = block.bw * (unit or _units(block)[0])
    return {
        "io_bytes": block.kib * 1024 or None,
        "runtime_s": seconds or None,
        "iops": float(block.iops) if block.iops else None,
        "bw_bytes_per_s": float(max(printed, over_time) if unit else printed) or None,
    }


def _units(block: Block) -> tuple[int, int]:
    """Give the bytes that a rate counts in, the likelier first: 1000 before there were IOPS."""
    return (1000, 1024) if block.iops is None else (1024, 1000)


def _agreeing_unit(block: Block) -> int | None:
    """Say in which unit the rate can be the amount over time; both were cut off."""
    seconds = block.runtime_ms / 1000
    for unit in _units(block):
        low, high = block.kib * 1024, (block.kib + 1) * 1024
        if low < (block.bw + 1) * unit * seconds and block.bw * unit * seconds < high:
            return unit
    return None if seconds or block.bw else 1024


def _statistics(block: Block) -> dict[str, float]:
    """Give what was measured of latencies, and over samples."""
    measured = {kind: block.measured(kind) for kind in (*LATENCIES, "bw", "iops")}
    return _finite(
        (column, value)
        for column, value in block.figures.items()
        if measured[column.partition("_")[0]]
    )


def _percentiles(
    rows: RunRows, entry: Record, block: Block, kinds: tuple[str, ...]
) -> dict[str, list[tuple[float, float]]]:
    """Give the percentiles that were asked for; unused slots are ``0%=0``."""
    used = [(percentile, value) for percentile, value in block.percentiles if percentile > 0]
    values = [value for _, value in used]
    latency = next((kind for kind in kinds if _can_be(block, kind, values)), None)
    if used and latency is None:
        _doubt(rows, entry, block, "the percentiles are neither clat's nor lat's: left out")
    return {latency: used} if used and latency else {}


def _doubt(rows: RunRows, entry: Record, block: Block, what: str) -> None:
    message = f"{block.direction} of {entry.name}: {what}"
    rows.tables.note(message, severity="warning", run=rows.run)


def _can_be(block: Block, kind: str, percentiles: list[float]) -> bool:
    """Whether percentiles lie within what was measured; each is the middle of a bin of 1/64."""
    low, high, mean = (block.figures[f"{kind}_{stat}_ns"] for stat in ("min", "max", "mean"))
    return bool(mean) and all(
        low * 63 / 64 - 1000 <= value <= high * 65 / 64 + 1000 for value in percentiles
    )


def _add_samples(rows: RunRows, run: Run) -> None:
    """Add how far each entry had come at each report of --status-interval."""
    for report in run.reports if len(run.reports) > 1 else ():
        for place, entry in enumerate(report, 1):
            for block in entry.blocks:
                if block.moved and block.runtime_ms:
                    keys = {"entry": place, "group": entry.group, "job": entry.name}
                    keys |= {"direction": block.direction}
                    rows.progress(keys, block.runtime_ms, io_bytes=block.kib * 1024)


def _add_disks(rows: RunRows, entries: list[Record]) -> None:
    """Add the disks: every entry of a report repeats them; in client mode each client has some."""
    own = next((entry.disks for entry in reversed(entries) if entry.disks), [])
    for disk in [*own, *(disk for entry in entries for disk in entry.client_disks)]:
        row = {
            column: count / 1000 if column.endswith("_s") else count
            for (column, _), count in zip(_COUNTS, disk.counts, strict=True)
        }
        util = _finite([("util_pct", disk.util)])
        rows.tables.add("disks", run=rows.run, device=disk.name, **row, **util)
        if disk.aggregate:
            _add_aggregate(rows, disk.name, disk.aggregate)


def _add_aggregate(rows: RunRows, name: str, parts: Disk) -> None:
    """Keep the mean over the devices that a device is made of."""
    figures: dict[str, float] = dict(zip([key for _, key in _COUNTS], parts.counts, strict=True))
    for key, value in {**figures, "aggr_util": parts.util}.items():
        rows.extra(f"disk_util.{name}.{key}", orjson.dumps(value).decode())


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
