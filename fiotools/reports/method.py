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
from fiotools.language import counted, listed, more, say, spoken
from fiotools.measure.campaign import NAME, Campaign
from fiotools.measure.machine import binary, stays_in_memory
from fiotools.reports.blocks import Block, fold, listing, paragraph, table, together
from fiotools.reports.subjects import Source
from fiotools.units import human

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
    told = {"name": plan.experiment, "article": article, "effort": say(plan.effort)}
    planned = {"n": len(one.done), "total": len(one.plan), "plan": _works(one)}
    rows = [
        (say("procedure"), say("{name}, of article {article} ({effort})", **told)),
        (say("runs"), say("{n} of {total}: {plan}", **planned)),
        (say("began"), began),
        (say("ended"), listed([*(_time(end["at"]) for end in ends[-1:]), say(one.status)])),
        (say("because"), ends[-1].get("reason") if ends else None),
        (say("continued"), listed(again)),
        (say("file size"), plan.size_bytes and binary(plan.size_bytes)),
        (say("time of a run"), plan.seconds and f"{plan.seconds} s"),
        (say("jobs"), plan.jobs),
        (say("page cache"), plan.buffered and say("used, as requested")),
        *_machine(session["machine"]),
        *((name, str(version)) for name, version in session["tools"].items()),
        (say("environment"), " ".join(f"{k}={v}" for k, v in session["environment"].items())),
    ]
    yield table([], [(name, text) for name, text in rows if text])
    heads = [
        *(say("place"), say("folder"), say("file system"), say("mounted")),
        *(say("device"), say("link"), say("size")),
    ]
    yield table(heads, [_place(facts) for facts in session["places"]], "facts wide")
    left = [
        say("{workload} on {place} (no direct I/O there)", workload=workload, place=place)
        for place, workload in session["left_out"]
    ]
    undone = [run.file for run in one.missing]
    if undone:
        names = listed(undone[:_UNDONE] + more(len(undone) - _UNDONE))
        left.append(say("not run: {names}", names=names))
    if left:
        yield paragraph(say("Left out"))
        yield listing(left)
    yield listing(map(spoken, implied(plan, session["machine"]["ram_bytes"])))
    yield _commands(one.plan[one.plan["done"]])
    yield fold(say("the runs, in their order"), _order(one))


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
        planned.append(say("in turns ({one}, {other}, ...)", one=there, other=back))
    return listed(planned)


def _machine(machine: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    guest = {True: say("virtual"), False: say("physical")}
    yield say("machine"), guest.get(machine["is_guest"], say("unknown"))
    yield say("kernel"), str(machine["kernel"])
    cpus = counted(machine["processors"], "{n} processor", "{n} processors")
    yield say("CPU"), listed([machine["cpu"] or say("unknown"), cpus])
    ram = machine["ram_bytes"]
    yield say("memory"), say("unknown") if ram is None else binary(ram)
    if machine["load_1min"] is not None:
        yield say("load before"), f"{machine['load_1min']:.2f}"


def _place(facts: Mapping[str, Any]) -> list[str]:
    device = facts["device"] or {}
    mounted = ", ".join(filter(None, [facts["mount_point"], facts["mount_options"]]))
    several = listed(facts.get("devices") or [], " and ")
    shown = [device.get("name") or several or facts["source"]]
    shown += [device.get("model"), device.get("transport"), _file_of(device)]
    return [
        facts["name"],
        facts["path"],
        facts["file_system"] or say("unknown"),
        mounted,
        listed(filter(None, shown)),
        device.get("link") or (say("none: memory") if stays_in_memory(facts) else say("unknown")),
        binary(facts["total_bytes"]),
    ]


def _file_of(device: Mapping[str, Any]) -> str | None:
    """Say which file is behind a loop device."""
    below = device.get("backing")
    if below is None:
        return None
    where = {"path": below["path"], "file_system": below["file_system"] or "?"}
    if below["is_direct"]:
        return say("the file {path} on {file_system}, past the page cache", **where)
    return say("the file {path} on {file_system}, through the page cache", **where)


def _order(one: Campaign) -> Block:
    began = one.plan[one.plan["done"]]
    rows = zip(began["order"], began["started_at"], began["file"], began["load_1min"], strict=True)
    heads = [say("order"), say("began"), say("file"), say("load")]
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
        return paragraph(say("The files hold no commands."))
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
    when = say("unknown")
    if len(times):
        when, last = (f"{time:%Y-%m-%d %H:%M} UTC" for time in (times.min(), times.max()))
        if times.min() != times.max():
            when = say("{low} to {high}", low=when, high=last)
    rows = [
        (say("files"), f"{source.results.files:,}"),
        (say("tools"), listed(versions)),
        (say("hosts"), listed(map(str, runs["host"].dropna().unique()))),
        (say("when"), when),
    ]
    yield table([], [(name, text) for name, text in rows if text])
    yield _commands(runs)
    yield paragraph(
        say(
            "These files have no manifest, so most of the set-up is unknown: machine, memory, file "
            "systems, mounts, devices, links, the order of the runs and any that were left out. "
            "fiotools measure records that."
        )
    )


def _time(text: str) -> str:
    return f"{text[:10]} {text[11:19]} UTC"


class File(NamedTuple):
    """One file of the page."""

    name: str  # empty if it is too large for a page
    what: str
    size: str  # rows and bytes, as people read them


def written(
    source: Source, answers: Mapping[str, pd.DataFrame], folder: Path, prefix: str = ""
) -> Iterator[File]:
    """Write every table that is not empty, the answers, and the raw outputs."""
    folder.mkdir(parents=True, exist_ok=True)
    tables = {name: frame for name, frame in source.results.tables.items() if len(frame)}
    for name, frame in {**answers, **tables}.items():
        yield _table(f"{prefix}{name}", name, frame, folder)
    yield from _raw(source, folder, prefix)


def _table(name: str, what: str, frame: pd.DataFrame, folder: Path) -> File:
    written = guarded(frame).to_csv(index=False, lineterminator="\n")
    text = written.encode("utf-8", "surrogateescape")
    size = listed([counted(len(frame), "{n} row", "{n} rows"), human(len(text), "B")])
    if len(text) < _PACKED:
        (folder / f"{name}.csv").write_bytes(text)
        return File(f"{name}.csv", what, size)
    packed = gzip.compress(text, mtime=0)
    if len(packed) > _LARGEST:
        command = "fiotools read FILES -o x.parquet"
        return File(
            "", what, say("{size}: too large for a page; {command}", size=size, command=command)
        )
    (folder / f"{name}.csv.gz").write_bytes(packed)
    return File(f"{name}.csv.gz", what, say("{size}, packed", size=size))


def _raw(source: Source, folder: Path, prefix: str) -> Iterator[File]:
    """Pack the outputs of the tools and the manifest, if they are small."""
    files = [Path(name) for name in dict.fromkeys(source.results.runs["source"])]
    if source.campaign is not None:
        files.insert(0, source.campaign.folder / NAME)
    files = [file for file in files if file.is_file()]  # not of an archive, nor of standard input
    size = sum(file.stat().st_size for file in files)
    said = listed([counted(len(files), "{n} file", "{n} files"), human(size, "B")])
    raw = say("raw outputs")
    large = File("", raw, say("{size}: too large for a page; keep them beside it", size=said))
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
    (folder / f"{prefix}raw.zip").write_bytes(packed.getvalue())
    yield File(f"{prefix}raw.zip", raw, say("{size}, packed", size=said))
