"""From a fio document to rows: the run, its entries, and what they moved."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from fiotools.readers.base import Session
from fiotools.readers.fio import json_extras as extras
from fiotools.readers.fio import options as fio_options
from fiotools.readers.fio.documents import VERSION_KEYS
from fiotools.readers.fio.json_io import (
    DIRECTIONS,
    FIGURES,
    Version,
    amounts,
    has_io,
    has_spilled,
    io_bytes,
    syncs,
)
from fiotools.readers.fio.json_latency import (
    KEYS,
    add_coarse_bins,
    add_fine,
    figures,
    latencies,
    miscounted,
)
from fiotools.readers.fio.json_values import Values
from fiotools.readers.fio.repeats import elapsed, entries

if TYPE_CHECKING:
    from fiotools.tables import Tables

_JOB = {
    "error": "error",
    "usr_cpu": "usr_cpu_pct",
    "sys_cpu": "sys_cpu_pct",
    "ctx": "ctx",
    "majf": "majf",
    "minf": "minf",
    "desc": "description",
}
_NUMBERS = (
    *("error", "usr_cpu", "sys_cpu", "ctx", "majf", "minf"),
    *("groupid", "port", "elapsed", "job_start", "job_runtime"),
)
# what has been read elsewhere, or says nothing
READ_JOB = frozenset(
    {
        *_JOB,
        *DIRECTIONS,
        *("jobname", "groupid", "hostname", "port", "job options", "elapsed", "eta"),
        *("job_start", "job_runtime", "latency_ns", "latency_us", "latency_ms"),
    }
)
READ_TOP = frozenset(
    {
        *VERSION_KEYS,
        *("timestamp", "timestamp_ms", "global options", "jobs", "client_stats", "disk_util"),
    }
)
_READ_PART = frozenset({*FIGURES, *KEYS})
# a latency's key in units that fio does not use
_ODD = re.compile(r"[sc]?lat_(?:u|m|us|ms|s)(?:ec)?")


@dataclass(frozen=True)
class _Document:
    """What holds for every entry of a document."""

    tables: Tables
    run: int
    fio: Version
    shared: dict[str, str]
    values: Values
    line: int | None


def add_run(
    tables: Tables,
    reports: list[dict[str, Any]],
    *,
    version: str | None = None,
    status: str = "ok",
    line: int | None = None,
    session: Session | None = None,
    said: int = 0,
) -> int:
    """Add the reports of one run: the last is the result, all of them are samples if several.

    Of so many of its figures that are none it is ``said`` already.
    """
    document = reports[-1]
    session, values, fio = session or Session(), Values(), Version.of(document, version)
    listed = [values.numbers(entry, _NUMBERS, "") for entry in entries(document)]
    failed = any(entry.get("error") for entry in listed)
    run = tables.start_run(
        tool="fio",
        tool_version=fio.text,
        format="fio_json",
        command=session.command,
        host=session.host,
        reported_at=_reported_at(document),
        duration_s=elapsed(document),
        status="error" if failed and status == "ok" else status,
    )
    shared = fio_options.normalise(_mapping(document.get("global options")))
    fio_options.add_settings(tables, run, None, None, shared, "global")
    read = _Document(tables, run, fio, shared, values, line)
    alike = Counter(map(_alike, listed))
    for number, entry in enumerate(listed, 1):
        _add_entry(read, number, entry, alike[_alike(entry)])
        _note_trouble(tables, run, entry, line)
    if not listed:
        tables.note("the document lists no jobs", line=line, severity="warning", run=run)
    if fio.number is None:
        message = "the document says no version of fio: its units are told by its keys"
        tables.note(message, line=line, run=run)
    if len(reports) > 1:
        _add_samples(read, reports)
    extras.add_disks(tables, run, document.get("disk_util"), values)
    extras.add(tables, run, None, document, READ_TOP)
    values.note(tables, run, line, said)
    return run


def _alike(entry: Mapping[str, Any]) -> tuple[str, ...]:
    """Tell the clones of one job from other entries."""
    return tuple(str(entry.get(key)) for key in ("jobname", "groupid", "hostname", "port"))


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def is_moment(milliseconds: Any) -> Any:
    """Whether it is a time of this century; ``job_start_clock_id`` counts from another one.

    Of an array, which of its numbers are.
    """
    return (milliseconds > 10**12) & (milliseconds < 10**13)


def _moment(milliseconds: Any) -> datetime | None:
    if not isinstance(milliseconds, (int, float)) or not is_moment(milliseconds):
        return None
    return datetime.fromtimestamp(milliseconds / 1000, UTC)


def _reported_at(document: Mapping[str, Any]) -> datetime | None:
    seconds = document.get("timestamp")
    return _moment(document.get("timestamp_ms")) or _moment(
        seconds * 1000 if isinstance(seconds, (int, float)) else None
    )


def _add_entry(read: _Document, number: int, entry: dict[str, Any], alike: int) -> None:
    tables, run = read.tables, read.run
    own = fio_options.normalise(_mapping(entry.get("job options")))
    options = {**read.shared, **own}
    scope = _scope(entry, options, alike)
    if _of_another_job(entry, own, options, alike):
        # for a group of unlike jobs fio gives the name of the first and the options of the last
        tables.note(
            f"entry {number} sums up a group of unlike jobs: fio lists the options of its last job"
            " only, so they are no conditions of the group",
            severity="warning",
            run=run,
        )
        options, scope = read.shared, "group"
    keys = read.values.fitting(_keys(entry, number, scope, options))
    keys["run"] = run
    job = {column: entry.get(key) for key, column in _JOB.items()}
    job["job_start"] = _moment(entry.get("job_start"))
    job["job_runtime_s"] = entry["job_runtime"] / 1000 if entry.get("job_runtime") else None
    tables.add("jobs", **keys, **read.values.fitting(job))
    own_settings = {name: value for name, value in own.items() if name != "name"}
    fio_options.add_settings(tables, run, number, keys["job"], own_settings, "given")
    if own or (read.shared and read.fio.lists_options and "hostname" not in entry):
        unset = fio_options.defaults({**read.shared, **own})
        fio_options.add_settings(tables, run, number, keys["job"], unset, "default")
    moved, is_fine = [], False
    # what is not listed may be any number
    flying = _flying(options) if own and options is not read.shared else math.inf
    for direction in DIRECTIONS:
        part = entry.get(direction)
        if isinstance(part, dict):
            if part.get("short_ios") and has_io(part) and has_spilled(entry, options):
                part = {**part, "short_ios": None}
                tables.note(
                    f"{direction} of {keys['job']!r:.60}: short_ios may be syncs, which fio counts"
                    " there by mistake: left out",
                    run=run,
                )
            found = _add_direction(read, keys, direction, part, options)
            if found is not None:
                moved.append(direction)
                ios = None if direction == "sync" else part.get("total_ios")
                for doubt in miscounted(found, ios, flying):
                    message = f"{direction} of {keys['job']!r:.60}: {doubt}: kept as printed"
                    tables.note(message, line=read.line, severity="warning", run=run)
                is_fine |= any(latency.get("bins") for _, _, latency in found)
    if not is_fine:
        add_coarse_bins(tables, keys, entry, moved, read.values)
    extras.add_steadystate(tables, keys, entry, moved)
    odd_start = {"job_start"} if entry.get("job_start") and not job["job_start"] else set()
    extras.add(tables, run, number, entry, READ_JOB - odd_start)


def _flying(options: Mapping[str, str]) -> int:
    """Give the I/Os that may be on their way at once."""
    depth, jobs = (fio_options.whole(options.get(name)) for name in ("iodepth", "numjobs"))
    return (depth or 1) * (jobs or 1)


def _keys(
    entry: Mapping[str, Any], number: int, scope: str, options: Mapping[str, str]
) -> dict[str, Any]:
    total = scope == "total"  # fio names the last client there
    return {
        "entry": number,
        "host": None if total else entry.get("hostname"),
        "port": None if total else entry.get("port"),
        "group": entry.get("groupid"),
        "job": entry.get("jobname"),
        "target": fio_options.target(options),
        "scope": scope,
    }


def _add_direction(
    read: _Document,
    keys: dict[str, Any],
    direction: str,
    part: dict[str, Any],
    options: Mapping[str, str],
) -> list[tuple[str, int, dict[str, Any]]] | None:
    """Add what one direction did; return its latencies, or None if it did nothing."""
    if not has_io(part) and direction != "sync":
        return None
    place = f"{direction} of {keys['job']!r:.60}: "
    part = read.values.numbers(part, FIGURES, place)
    measured = latencies(part, read.values, direction)
    if not has_io(part) and not (direction == "sync" and measured):  # "0"
        return None
    found: dict[str, Any]
    if direction == "sync":
        found = {"total_ios": syncs(part, measured[0][2] if measured else {})}
    else:
        found = amounts(part, read.fio)
    found.update(figures(measured))
    row = {**keys, "direction": direction}
    conditions = fio_options.conditions(options, direction)
    read.tables.add("io", **row, **conditions, **read.values.fitting(found, place))
    add_fine(read.tables, row, measured, read.values)
    rest = [key for key in part if key not in _READ_PART]
    unread = {f"{direction}.{key}": part[key] for key in rest}
    extras.add(read.tables, read.run, keys["entry"], unread, ())
    if odd := [key for key in rest if _ODD.fullmatch(key)]:
        read.tables.note(
            f"{direction}: {', '.join(odd)} is no key of fio's; its unit is not certain: left out",
            severity="warning",
            run=read.run,
        )
    return measured


def _scope(entry: Mapping[str, Any], options: Mapping[str, str], alike: int) -> str:
    if "hostname" in entry:
        return "total" if entry.get("jobname") == "All clients" else "client"
    # group_reporting without a value is not listed, but fewer entries than jobs are a group
    grouped = (fio_options.whole(options.get("numjobs")) or 1) > alike
    return "group" if grouped or options.get("group_reporting", "0") != "0" else "job"


def _of_another_job(
    entry: Mapping[str, Any], own: Mapping[str, str], options: Mapping[str, str], alike: int
) -> bool:
    """Whether the options are certainly not those of all jobs behind the entry."""
    if "hostname" in entry:
        return False
    job = str(entry.get("jobname", ""))
    if not own.get("name", job).startswith(job):  # a name is cut off at 127 bytes
        return True
    clones = (fio_options.whole(options.get("numjobs")) or 1) / alike
    ran_ms, elapsed = entry.get("job_runtime") or 0, entry.get("elapsed") or 0
    return bool(ran_longer(ran_ms, elapsed, clones))


def ran_longer(ran_ms: Any, elapsed: Any, clones: Any) -> Any:
    """Whether an entry ran for longer than its clones can: it is of more jobs.

    No job runs for longer than fio itself. Of arrays, which of the entries did.
    """
    ran, longest = ran_ms / 1000, elapsed + 1
    return (ran_ms != 0) & (elapsed != 0) & (ran > longest) & (ran > clones * longest)


def _note_trouble(tables: Tables, run: int, entry: Mapping[str, Any], line: int | None) -> None:
    parts = [_mapping(entry.get(direction)) for direction in DIRECTIONS]
    idle = not any(map(has_io, parts))
    error, job = entry.get("error"), entry.get("jobname")
    if error:
        message = f"job {job!r} ended with error {error}" + (", without I/O" if idle else "")
        tables.note(message, line=line, severity="error", run=run)
    elif idle:
        is_said = all(
            part.get(key, 0) is not None for part in parts for key in ("io_bytes", "iops")
        )
        message = f"job {job!r} did no I/O" if is_said else f"job {job!r} does not say its I/O"
        tables.note(message, line=line, severity="warning", run=run)


def _add_samples(read: _Document, reports: list[dict[str, Any]]) -> None:
    """Add how far each entry had come at each report; the counts are cumulative."""
    values = Values()  # what is wrong with the last report is said already
    for document in reports:
        for number, entry in enumerate(entries(document), 1):
            entry = values.numbers(entry, _NUMBERS, "")
            for direction in DIRECTIONS[:-1]:
                part = values.numbers(_mapping(entry.get(direction)), FIGURES, "")
                if not part.get("runtime") or not has_io(part):
                    continue
                keys = {
                    "run": read.run,
                    "entry": number,
                    "host": entry.get("hostname"),
                    "group": entry.get("groupid"),
                    "job": entry.get("jobname"),
                    "direction": direction,
                    "time_s": part["runtime"] / 1000,
                }
                keys = values.fitting(keys)
                done = {"io_bytes": io_bytes(part, read.fio), "total_ios": part.get("total_ios")}
                for quantity, value in done.items():
                    read.tables.add("samples", **keys, quantity=quantity, value=value)
