"""From a fio document to rows: runs, jobs, settings, disks and the amounts of `io`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import orjson

from fiotools.readers import fio_options
from fiotools.readers.base import Session
from fiotools.readers.fio_documents import VERSION_KEYS
from fiotools.readers.fio_json_io import Version, checked, figures, has_io
from fiotools.readers.fio_json_latency import add_coarse_bins, add_fine
from fiotools.readers.fio_repeats import elapsed, entries

if TYPE_CHECKING:
    from fiotools.tables import Tables

DIRECTIONS = ("read", "write", "trim", "mixed", "sync")
_JOB = {
    "error": "error",
    "usr_cpu": "usr_cpu_pct",
    "sys_cpu": "sys_cpu_pct",
    "ctx": "ctx",
    "majf": "majf",
    "minf": "minf",
    "desc": "description",
}
# what has been read elsewhere, or says nothing
_READ_JOB = {
    *_JOB,
    *DIRECTIONS,
    *("jobname", "groupid", "hostname", "port", "job options", "elapsed", "eta"),
    *("job_start", "job_runtime", "latency_ns", "latency_us", "latency_ms"),
}
_READ_TOP = {
    *VERSION_KEYS,
    *("timestamp", "timestamp_ms", "global options", "jobs", "client_stats", "disk_util"),
}
_DISK = {
    "read_ios": ("read_ios", 1),
    "write_ios": ("write_ios", 1),
    "read_merges": ("read_merges", 1),
    "write_merges": ("write_merges", 1),
    "read_sectors": ("read_sectors_bytes", 512),
    "write_sectors": ("write_sectors_bytes", 512),
    "read_ticks": ("read_ticks_s", 0.001),
    "write_ticks": ("write_ticks_s", 0.001),
    "in_queue": ("in_queue_s", 0.001),
    "util": ("util_pct", 1),
}


def add_run(
    tables: Tables,
    reports: list[dict[str, Any]],
    *,
    version: str | None = None,
    status: str = "ok",
    line: int | None = None,
    session: Session | None = None,
) -> int:
    """Add the reports of one run: the last is the result, all of them are samples if several."""
    document = reports[-1]
    session = session or Session()
    fio, listed = Version.of(document, version), entries(document)
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
    alike = Counter(map(_alike, listed))
    for number, entry in enumerate(listed, 1):
        _add_entry(tables, run, number, entry, fio, shared, alike[_alike(entry)])
        _note_trouble(tables, run, entry, line)
    if not listed:
        tables.note("the document lists no jobs", line=line, severity="warning", run=run)
    if len(reports) > 1:
        _add_samples(tables, run, reports, fio)
    for disk in document.get("disk_util") or ():
        _add_disk(tables, run, _mapping(disk))
    _add_extras(tables, run, None, document, _READ_TOP)
    return run


def _alike(entry: Mapping[str, Any]) -> tuple[Any, ...]:
    """Tell the clones of one job from other entries."""
    return tuple(entry.get(key) for key in ("jobname", "groupid", "hostname", "port"))


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _reported_at(document: Mapping[str, Any]) -> datetime | None:
    for key, scale in (("timestamp_ms", 1000), ("timestamp", 1)):
        value = document.get(key)
        if isinstance(value, int) and 0 < value < 10**15:
            return datetime.fromtimestamp(value / scale, UTC)
    return None


def _add_entry(
    tables: Tables,
    run: int,
    number: int,
    entry: dict[str, Any],
    fio: Version,
    shared: dict[str, str],
    alike: int,
) -> None:
    own = fio_options.normalise(_mapping(entry.get("job options")))
    options = {**shared, **own}
    scope = _scope(entry, options, alike)
    if _of_another_job(entry, own, options, alike):
        # for a group of unlike jobs fio gives the name of the first and the options of the last
        tables.note(
            f"entry {number} sums up a group of unlike jobs: fio lists the options of its last job"
            " only, so they are no conditions of the group",
            severity="warning",
            run=run,
        )
        options, scope = shared, "group"
    total = scope == "total"  # fio names the last client there
    keys: dict[str, Any] = {
        "run": run,
        "entry": number,
        "host": None if total else entry.get("hostname"),
        "port": None if total else entry.get("port"),
        "group": entry.get("groupid"),
        "job": entry.get("jobname"),
        "target": options.get("filename", "").replace("\\:", ":") or None,
        "scope": scope,
    }
    job = {column: entry.get(key) for key, column in _JOB.items()}
    started, ran = entry.get("job_start"), entry.get("job_runtime")
    if started:
        job["job_start"] = datetime.fromtimestamp(started / 1000, UTC)
    job["job_runtime_s"] = ran / 1000 if ran else None
    tables.add("jobs", **checked({**keys, **job}))
    own_settings = {name: value for name, value in own.items() if name != "name"}
    fio_options.add_settings(tables, run, number, keys["job"], own_settings, "given")
    if own or (shared and fio.lists_options and "hostname" not in entry):
        unset = fio_options.defaults(options)
        fio_options.add_settings(tables, run, number, keys["job"], unset, "default")
    moved = []
    for direction in DIRECTIONS:
        part = _mapping(entry.get(direction))
        if has_io(part):
            moved.append(direction)
            row = {**keys, "direction": direction}
            conditions = fio_options.conditions(options, direction)
            amounts = figures(tables, run, part, direction, fio)
            tables.add("io", **checked({**row, **conditions, **amounts}))
            add_fine(tables, row, part, direction)
            extra = {key: part[key] for key in ("prios", "cachehit") if key in part}
            _add_extras(tables, run, number, {f"{direction}.{k}": v for k, v in extra.items()}, ())
    add_coarse_bins(tables, keys, entry, moved, fio.before(3, 0, "latency_ns" not in entry))
    _add_extras(tables, run, number, entry, _READ_JOB)


def _scope(entry: Mapping[str, Any], options: Mapping[str, str], alike: int) -> str:
    if "hostname" in entry:
        return "total" if entry.get("jobname") == "All clients" else "client"
    # group_reporting without a value is not listed, but fewer entries than jobs are a group
    clones = options.get("numjobs", "1")
    grouped = clones.isdigit() and int(clones) > alike
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
    # no job runs for longer than fio itself: more run time than that is of more jobs
    clones = options.get("numjobs", "1")
    known = max(1.0, int(clones) / alike) if clones.isdigit() else 1.0
    ran, passed = entry.get("job_runtime") or 0, entry.get("elapsed") or 0
    return bool(ran and passed and ran / 1000 > known * (passed + 1))


def _note_trouble(tables: Tables, run: int, entry: Mapping[str, Any], line: int | None) -> None:
    idle = not any(has_io(_mapping(entry.get(direction))) for direction in DIRECTIONS)
    error, job = entry.get("error"), entry.get("jobname")
    if error:
        message = f"job {job!r} ended with error {error}" + (", without I/O" if idle else "")
        tables.note(message, line=line, severity="error", run=run)
    elif idle:
        tables.note(f"job {job!r} did no I/O", line=line, severity="warning", run=run)


def _add_samples(tables: Tables, run: int, reports: list[dict[str, Any]], fio: Version) -> None:
    """Add how far each entry had come at each report; the counts are cumulative."""
    for document in reports:
        for number, entry in enumerate(entries(document), 1):
            for direction in DIRECTIONS[:-1]:
                part = _mapping(entry.get(direction))
                if not part.get("runtime") or not has_io(part):
                    continue
                kib = fio.before(2, 21, "io_kbytes" not in part)
                keys = {
                    "run": run,
                    "entry": number,
                    "host": entry.get("hostname"),
                    "group": entry.get("groupid"),
                    "job": entry.get("jobname"),
                    "direction": direction,
                    "time_s": part["runtime"] / 1000,
                }
                done = part.get("io_bytes", 0) * (1024 if kib else 1)
                amounts = {"io_bytes": done, "total_ios": part.get("total_ios")}
                for quantity, value in amounts.items():
                    row = {**keys, "quantity": quantity, "value": value}
                    tables.add("samples", **checked(row))


def _add_disk(tables: Tables, run: int, disk: dict[str, Any]) -> None:
    row = {column: disk[key] * scale for key, (column, scale) in _DISK.items() if key in disk}
    tables.add("disks", **checked({"run": run, "device": disk.get("name"), **row}))
    slaves = {f"disk_util.{disk.get('name')}.{k}": v for k, v in disk.items() if k not in _DISK}
    _add_extras(tables, run, None, slaves, (f"disk_util.{disk.get('name')}.name",))


def _add_extras(
    tables: Tables,
    run: int,
    entry: int | None,
    items: Mapping[str, Any],
    known: Any,
) -> None:
    """Keep what has no column, objects as JSON."""
    for path, value in items.items():
        if path not in known and tables.wants("extras"):
            text = value if isinstance(value, str) else orjson.dumps(value).decode()
            tables.add("extras", run=run, entry=entry, path=path, text=text)
