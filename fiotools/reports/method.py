"""How it was measured, by the manifest or the files, and the raw tables to take along."""

from __future__ import annotations

import gzip
import io
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from fiotools.display import columns
from fiotools.display.exports import guarded
from fiotools.measure.campaign import NAME, Campaign
from fiotools.measure.machine import binary, stays_in_memory
from fiotools.reports.blocks import Block, fold, listing, paragraph, table, together
from fiotools.reports.subjects import Source
from fiotools.units import human
from fiotools.words import counted, more

_COMMANDS = 40  # that are shown
_UNDONE = 5
_PACKED = 200_000  # bytes from which on a table is packed
_LARGEST = 4_000_000  # bytes that a file of a page may have
_RAW = 8_000_000  # bytes of raw outputs that are looked at


def measured(source: Source) -> Block:
    """Tell how one campaign, or the runs of some files, were measured."""
    if source.campaign is None:
        return together(_of_files(source))
    return together(_of_campaign(source.campaign))


def _of_campaign(one: Campaign) -> Iterator[Block]:
    plan, session = one.asked, one.session
    began, *again = (_time(it["started_at"]) for it in one.sessions)
    ends = [line for line in one.log if line["kind"] == "end"]
    article, implied = one.experiment.article, one.experiment.implies
    told = {"name": plan.experiment, "article": article, "effort": plan.effort}
    procedure = "{name}, of article {article} ({effort})" if article else "{name}: its job.fio"
    rows = [
        ("procedure", procedure.format_map(told)),
        ("runs", f"{len(one.done)} of {len(one.plan)}: {_works(one)}"),
        ("began", began),
        ("ended", ", ".join([*(_time(end["at"]) for end in ends[-1:]), one.status])),
        ("because", ends[-1].get("reason") if ends else None),
        ("continued", ", ".join(again)),
        ("file size", plan.size_bytes and binary(plan.size_bytes)),
        ("time of a run", plan.seconds and f"{plan.seconds} s"),
        ("jobs", plan.jobs),
        ("page cache", plan.buffered and "used, as requested"),
        *_machine(session["machine"]),
        *((name, str(version)) for name, version in session["tools"].items()),
        ("environment", " ".join(f"{k}={v}" for k, v in session["environment"].items())),
    ]
    yield table([], [(name, text) for name, text in rows if text])
    heads = [
        *("place", "folder", "file system", "mounted"),
        *("device", "link", "size"),
    ]
    yield table(heads, [_place(facts) for facts in session["places"]], "facts wide")
    left = [
        f"{workload} on {place} (no direct I/O there)" for place, workload in session["left_out"]
    ]
    undone = [run.file for run in one.missing]
    if undone:
        names = ", ".join(undone[:_UNDONE] + more(len(undone) - _UNDONE))
        left.append(f"not run: {names}")
    if left:
        yield paragraph("Left out")
        yield listing(left)
    yield listing(implied(plan, session["machine"]["ram_bytes"]))
    yield _commands(one.plan[one.plan["done"]])
    yield fold("the runs, in their order", _order(one))


def _works(one: Campaign) -> str:
    """Count what was planned, and show the order of the places: there and back."""
    workloads, places = len(one.asked.workloads), len(one.asked.places)
    counts = (
        counted(workloads, "{n} workload", "{n} workloads"),
        counted(places, "{n} place", "{n} places"),
        counted(one.asked.rounds, "{n} round", "{n} rounds"),
    )
    planned = [" x ".join(counts)]
    if places > 1:
        there, back = one.asked.turns
        planned.append(f"in turns ({there}, {back}, ...)")
    return ", ".join(planned)


def _machine(machine: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    guest = {True: "virtual", False: "physical"}
    yield "machine", guest.get(machine["is_guest"], "unknown")
    yield "kernel", str(machine["kernel"])
    cpus = counted(machine["processors"], "{n} processor", "{n} processors")
    yield "CPU", ", ".join([machine["cpu"] or "unknown", cpus])
    ram = machine["ram_bytes"]
    yield "memory", "unknown" if ram is None else binary(ram)
    if machine["load_1min"] is not None:
        yield "load before", f"{machine['load_1min']:.2f}"


def _place(facts: Mapping[str, Any]) -> list[str]:
    device = facts["device"] or {}
    mounted = ", ".join(filter(None, [facts["mount_point"], facts["mount_options"]]))
    several = " and ".join(facts.get("devices") or [])
    shown = [device.get("name") or several or facts["source"]]
    shown += [device.get("model"), device.get("transport"), _file_of(device)]
    return [
        facts["name"],
        facts["path"],
        facts["file_system"] or "unknown",
        mounted,
        ", ".join(filter(None, shown)),
        device.get("link") or ("none: memory" if stays_in_memory(facts) else "unknown"),
        binary(facts["total_bytes"]),
    ]


def _file_of(device: Mapping[str, Any]) -> str | None:
    """Say which file is behind a loop device."""
    below = device.get("backing")
    if below is None:
        return None
    where = {"path": below["path"], "file_system": below["file_system"] or "?"}
    way = "past" if below["is_direct"] else "through"
    return f"the file {where['path']} on {where['file_system']}, {way} the page cache"


def _order(one: Campaign) -> Block:
    began = one.plan[one.plan["done"]]
    rows = zip(began["order"], began["started_at"], began["file"], began["load_1min"], strict=True)
    heads = ["order", "began", "file", "load"]
    lines = [
        (order, f"{at:%H:%M:%S}", file, "" if columns.is_missing(load) else f"{load:.2f}")
        for order, at, file, load in rows
    ]
    return table(heads, lines)


def _commands(runs: pd.DataFrame) -> Block:
    """List each command once, with how often it was run."""
    counts = runs["command"].dropna().value_counts(sort=False)
    rows = [(f"{count} x", command) for command, count in counts.items()]
    if not rows:
        return paragraph("The files hold no commands.")
    left = [("...", text) for text in more(len(rows) - _COMMANDS)]
    return fold(
        counted(len(rows), "the command", "the {n} different commands"),
        table([], [*rows[:_COMMANDS], *left], "facts commands"),
        printed=True,
    )


def _of_files(source: Source) -> Iterator[Block]:
    runs = source.results.runs
    tools = runs[["tool", "tool_version"]].drop_duplicates()
    versions = [
        " ".join(str(part) for part in row if not columns.is_missing(part))
        for row in tools.itertuples(index=False)
    ]
    times = runs["started_at"].dropna()
    times = times if len(times) else runs["reported_at"].dropna()
    when = "unknown"
    if len(times):
        when, last = (f"{time:%Y-%m-%d %H:%M} UTC" for time in (times.min(), times.max()))
        if times.min() != times.max():
            when = f"{when} to {last}"
    rows = [
        ("files", f"{source.results.files:,}"),
        ("tools", ", ".join(versions)),
        ("hosts", ", ".join(map(str, runs["host"].dropna().unique()))),
        ("when", when),
    ]
    yield table([], [(name, text) for name, text in rows if text])
    yield _commands(runs)
    yield paragraph(
        "These files have no manifest, so most of the set-up is unknown: machine, "
        "memory, file systems, mounts, devices, links, the order of the runs and any "
        "that were left out. fiotools measure records that."
    )


def _time(text: str) -> str:
    return f"{text[:10]} {text[11:19]} UTC"


class File(NamedTuple):
    """One file to save from the page."""

    name: str  # empty if it is too large for a page
    what: str
    size: str  # rows and bytes, as people read them
    content: bytes = b""


def files(source: Source, answers: Mapping[str, pd.DataFrame]) -> Iterator[File]:
    """Write every table that is not empty, the answers, and the raw outputs."""
    tables = {name: frame for name, frame in source.results.tables.items() if len(frame)}
    for name, frame in {**answers, **tables}.items():
        yield _table(name, frame, source.prefix)
    if source.is_of_files:
        yield from _raw(source)


def _table(what: str, frame: pd.DataFrame, prefix: str = "") -> File:
    written = guarded(frame).to_csv(index=False, lineterminator="\n")
    text = written.encode("utf-8", "surrogateescape")
    size = ", ".join([counted(len(frame), "{n} row", "{n} rows"), human(len(text), "B")])
    if len(text) < _PACKED:
        return File(f"{prefix}{what}.csv", what, size, text)
    packed = gzip.compress(text, mtime=0)
    if len(packed) > _LARGEST:
        command = "fiotools read FILES -o x.parquet"
        return File("", what, f"{size}: too large for a page; {command}")
    return File(f"{prefix}{what}.csv.gz", what, f"{size}, packed", packed)


def _raw(source: Source) -> Iterator[File]:
    """Pack the outputs of the tools and the manifest, if they are small."""
    files = [Path(name) for name in dict.fromkeys(source.results.runs["source"])]
    if source.campaign is not None:
        files.insert(0, source.campaign.folder / NAME)
    files = [file for file in files if file.is_file()]  # not of an archive, nor of standard input
    size = sum(file.stat().st_size for file in files)
    said = ", ".join([counted(len(files), "{n} file", "{n} files"), human(size, "B")])
    raw = "raw outputs"
    large = File("", raw, f"{said}: too large for a page; keep them beside it")
    if not files:
        return
    if size > _RAW:
        yield large
        return
    paths = [file.resolve().parts for file in files]
    while all(len(path) > 1 for path in paths) and len({path[0] for path in paths}) == 1:
        paths = [path[1:] for path in paths]  # without the folders that all have
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for file, path in zip(files, paths, strict=True):
            # the time of a file is not part of a result, and would change each page
            info = zipfile.ZipInfo("/".join(part.strip("/\\:") for part in path))
            archive.writestr(info, file.read_bytes(), zipfile.ZIP_DEFLATED)
    if len(packed.getvalue()) > _LARGEST:
        yield large
        return
    yield File(f"{source.prefix}raw.zip", raw, f"{said}, packed", packed.getvalue())
