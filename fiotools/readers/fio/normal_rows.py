"""From the lines of fio's human report to rows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from fiotools.readers.fio import options as fio_options
from fiotools.readers.fio.bins import coarse_columns, whole_direction
from fiotools.readers.fio.normal_data import Definition, Disk, Entry, Run, Section

if TYPE_CHECKING:
    from fiotools.readers.base import Report, Session
    from fiotools.tables import Tables

_ISSUED = {"read": 0, "write": 1, "trim": 2, "sync": 3}
_ALERT = re.compile(r"error|err=|terminat|fail|no such|cannot|unable", re.I)


def add(tables: Tables, report: Report, session: Session) -> int:
    """Add one fio process as a run, with an entry for each job or group that it reported."""
    said: Run = report.data
    run = tables.start_run(
        tool="fio",
        tool_version=said.version,
        format="fio_normal",
        command=session.command,
        host=session.host,
        status=_status(said),
    )
    shared, named = fio_options.from_command(session.command)
    fio_options.add_settings(tables, run, None, None, shared, "global")
    for number, entry in enumerate(said.entries, 1):
        given = named.get(entry.name, {})
        fio_options.add_settings(tables, run, number, entry.name, given, "given")
        _add_entry(tables, run, number, said, entry, {**shared, **given})
    _add_samples(tables, run, said)
    for disk in said.disks:
        _add_disk(tables, run, disk)
    for path, text in said.extras.items():
        tables.add("extras", run=run, path=path, text=text)
    for at, text in said.remarks:
        severity = "warning" if _ALERT.search(text) else "info"
        tables.note(text[:300], line=report.line + at, severity=severity, run=run)
    _note_troubles(tables, run, said, report.line)
    return run


def _status(said: Run) -> str:
    if any(entry.error for entry in said.entries):
        return "error"
    if said.cut is not None:
        return "truncated"
    if any("terminating on signal" in text for _, text in said.remarks):
        return "interrupted"
    return "ok" if said.summed else "truncated"


def _note_troubles(tables: Tables, run: int, said: Run, line: int) -> None:
    for at, text in said.strange:
        message = f"a line of the report was not understood: left out: {text[:200]}"
        tables.note(message, line=line + at, severity="warning", run=run)
    for at, doubt in said.doubts:
        message = f"{doubt}: the figures are kept as printed"
        tables.note(message, line=line + at, severity="warning", run=run)
    defined = {one.name for one in said.definitions}
    for entry in said.entries:
        at = line + entry.line
        if defined and entry.name not in defined and entry.name != "All clients":
            message = f"no definition above is named {entry.name!r}: its conditions are missing"
            tables.note(message, line=at, severity="warning", run=run)
        if entry.error:
            message = f"job {entry.name!r} ended with error {entry.error} ({entry.message})"
            tables.note(message, line=at, severity="error", run=run)
        if not entry.sections:
            tables.note(f"job {entry.name!r} did no I/O", line=at, severity="warning", run=run)
    if not said.summed:
        message = "the report has no group summary: it was cut off"
        tables.note(message, line=line, severity="warning", run=run)
    elif said.cut is not None:
        message = "the report was cut off here: its last lines may be missing, or only interim"
        tables.note(message, line=line + said.cut, severity="warning", run=run)


def _add_entry(
    tables: Tables, run: int, number: int, said: Run, entry: Entry, options: dict[str, str]
) -> None:
    # one entry for several jobs is what group_reporting prints
    scope = "client" if entry.host else "group" if entry.jobs > 1 else "job"
    if entry.name == "All clients":
        scope = "total"
    keys = {
        "run": run,
        "entry": number,
        "host": entry.host,
        "group": entry.group,
        "job": entry.name,
        "scope": scope,
    }
    tables.add(
        "jobs",
        **keys,
        error=entry.error,
        description=entry.description,
        **{
            column: entry.cpu.get(name)
            for column, name in (
                *(("usr_cpu_pct", "usr"), ("sys_cpu_pct", "sys")),
                *(("ctx", "ctx"), ("majf", "majf"), ("minf", "minf")),
            )
        },
    )
    for section in entry.sections:
        if section.direction != "unknown":
            row = {**keys, "direction": section.direction}
            _add_io(tables, row, said, entry, section, options)
            for latency, pairs in section.percentiles.items():
                columns = {
                    "percentile": [percentile for percentile, _ in pairs],
                    "value_ns": [value for _, value in pairs],
                }
                tables.extend("percentiles", columns, **row, latency=latency)
    if entry.shares and tables.wants("bins"):
        columns = coarse_columns(entry.shares, has_ns=not _is_old(said))
        direction = whole_direction([section.direction for section in entry.sections])
        tables.extend("bins", columns, **keys, direction=direction, latency="clat")
    listed = {path: " ".join(texts).strip() for path, texts in entry.listed.items()}
    for path, text in {"date": entry.date, **entry.extras, **listed}.items():
        if text is not None:
            tables.add("extras", run=run, entry=number, path=path, text=text)


def _add_io(
    tables: Tables,
    keys: dict[str, Any],
    said: Run,
    entry: Entry,
    section: Section,
    options: dict[str, str],
) -> None:
    conditions = {
        **fio_options.conditions(options, section.direction),
        **_conditions(said, entry, section.direction),
    }
    found, doubt = _amounts(entry, section, conditions.get("bs_bytes"))
    if doubt:
        said.doubts.append((entry.line, f"{section.direction} of {entry.name}: {doubt}"))
    # until about 1.40 "KiB/s" were 1000 bytes a second
    kilo = 1000 / 1024 if _is_decimal(section) else 1.0
    tables.add(
        "io",
        **keys,
        **conditions,
        **found,
        **{
            f"{kind}_{stat}_ns": value
            for kind, stats in section.latencies.items()
            for stat, value in stats.items()
        },
        **{
            f"bw_{stat}_bytes_per_s": section.bw_stats[stat] * kilo
            for stat in ("min", "max", "mean", "stddev")
            if stat in section.bw_stats
        },
        bw_agg_pct=section.bw_stats.get("per"),
        bw_samples=section.bw_stats.get("samples"),
        **{f"iops_{name}": value for name, value in section.iops_stats.items()},
    )


def _amounts(entry: Entry, section: Section, bs: int | None) -> tuple[dict[str, Any], str | None]:
    """Compute amounts and rates from exact counts where those print like what is printed.

    Returns
    -------
    (figures, doubt)
        And what of them contradicts itself.
    """
    total = _issued(entry, section.direction, "total")
    short = _issued(entry, section.direction, "short")
    found: dict[str, Any] = {
        "total_ios": total,
        "short_ios": short,
        "drop_ios": _issued(entry, section.direction, "drop"),
    }
    if section.io is None or section.bw is None or section.iops is None or not section.runtime_ms:
        return found, None
    seconds = section.runtime_ms / 1000
    if section.direction == "mixed" and total and not section.io.value:
        # fio 3.33 prints IOPS=0 there with unified_rw_reporting=both
        return {**found, "runtime_s": seconds}, None
    found |= {"runtime_s": seconds, "iops": section.iops.value}
    if total and section.iops.agrees(total / seconds):
        found["iops"] = total / seconds
        exact = total * bs if bs and not short else None
        if (
            exact
            and exact < 2**63
            and section.io.agrees(exact)
            and _speed_agrees(section, exact / seconds)
        ):
            return {**found, "io_bytes": exact, "bw_bytes_per_s": exact / seconds}, None
    doubt = None
    if total and not section.iops.agrees(total / seconds):
        doubt = f"{total} I/Os in {seconds} s do not make {section.iops.value:.10g} a second"
    moved, speed = section.io.value, section.bw.value
    # of two prints of one figure, the one that cannot have been cut
    if section.bw.reach * seconds < section.io.reach and section.io.agrees(speed * seconds):
        moved = speed * seconds
    elif section.io.reach < section.bw.reach * seconds and _speed_agrees(section, moved / seconds):
        speed = moved / seconds
    if moved >= 2**63:
        return found, f"{moved:.3g} bytes are more than fio can count, and are left out"
    return {**found, "io_bytes": round(moved), "bw_bytes_per_s": speed}, doubt


def _speed_agrees(section: Section, exact: float) -> bool:
    """Whether a bandwidth prints like the one that is printed."""
    return section.bw is not None and (section.bw.agrees(exact) or _is_decimal(section))


def _is_decimal(section: Section) -> bool:
    """Whether the bandwidth is in 1000 bytes under the name of 1024, as in fio 1 until 1.3x."""
    if not section.is_old or section.io is None or section.bw is None or not section.runtime_ms:
        return False
    seconds = section.runtime_ms / 1000
    exact, slack = section.io.value / seconds, section.io.reach / seconds + section.bw.slack
    said = section.bw.value
    return abs(exact - said) > slack and abs(exact - said / 1.024) <= slack


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
    found: dict[str, set[Any]] = {
        "rw": {fio_options.pattern(one.rw) for one in together},
        "bs_bytes": {_bs(one, direction) for one in together},
        "iodepth": {one.iodepth for one in together},
        "ioengine": {one.ioengine for one in together},
    }
    conditions = {name: values.pop() for name, values in found.items() if len(values) == 1}
    if entry.jobs > 1:
        conditions["numjobs"] = entry.jobs
    elif not own[0].clones and len(own) == 1:
        conditions["numjobs"] = 1
    elif len(own) == 1:
        names = [(one.name, one.group) for one in said.entries]
        conditions["numjobs"] = names.count((entry.name, entry.group))
    return {name: value for name, value in conditions.items() if value is not None}


def _bs(definition: Definition, direction: str) -> int | None:
    at = _ISSUED.get(direction)
    blocks = definition.bs
    if at is None or at > 2:
        return blocks[0] if len(set(blocks)) == 1 and direction == "mixed" else None
    return blocks[at] if at < len(blocks) else None


def _is_old(said: Run) -> bool:
    """Whether the version is before 3.0, which counts no nanoseconds."""
    version = re.match(r"\d+", said.version or "")
    return int(version[0]) < 3 if version else False


def _add_samples(tables: Tables, run: int, said: Run) -> None:
    """Add what --status-interval printed before the end: how far each entry had come."""
    if not said.earlier:
        return
    numbers = {entry.key: number for number, entry in enumerate(said.entries, 1)}
    for entries in [*said.earlier, said.entries]:
        for entry in entries:
            for section in entry.sections:
                if section.io is None or not section.runtime_ms or entry.key not in numbers:
                    continue
                keys = {
                    "run": run,
                    "entry": numbers[entry.key],
                    "group": entry.group,
                    "job": entry.name,
                    "direction": section.direction,
                    "time_s": section.runtime_ms / 1000,
                }
                total = _issued(entry, section.direction, "total")
                tables.add("samples", **keys, quantity="io_bytes", value=section.io.value)
                tables.add("samples", **keys, quantity="total_ios", value=total)


def _add_disk(tables: Tables, run: int, disk: Disk) -> None:
    row: dict[str, Any] = {}
    figures = disk.figures
    for name, column, scale in (
        ("ios", "ios", 1),
        ("merge", "merges", 1),
        ("sectors", "sectors_bytes", 512),
        ("ticks", "ticks_s", 0.001),
    ):
        if len(figures.get(name, ())) == 2:
            row[f"read_{column}"], row[f"write_{column}"] = (v * scale for v in figures[name])
    if "in_queue" in figures:
        row["in_queue_s"] = figures["in_queue"][0] / 1000
    if "util" in figures:
        row["util_pct"] = figures["util"][0]
    tables.add("disks", run=run, host=disk.host, device=disk.name, **row)
    for name, values in figures.items():
        if name.startswith("agg"):
            text = "/".join(f"{value:g}" for value in values)
            tables.add("extras", run=run, path=f"disk_util.{disk.name}.{name}", text=text)
