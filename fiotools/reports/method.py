"""How it was measured: what the manifest says, or what the files say, and what is not known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from fiotools.display import cells
from fiotools.measure.campaign import Campaign, wanted
from fiotools.measure.experiments import experiment_named
from fiotools.measure.machine import MEMORY, binary
from fiotools.plain_text import many
from fiotools.reports.blocks import Block, fold, listing, paragraph, table, together
from fiotools.reports.subjects import Source

if TYPE_CHECKING:
    import pandas as pd

_COMMANDS = 40  # that are shown
_UNDONE = 5


def measured(source: Source) -> Block:
    """Tell how one campaign, or the runs of some files, came about."""
    if source.campaign is None:
        return together(_of_files(source))
    return together(_of_campaign(source, source.campaign))


def _of_campaign(source: Source, one: Campaign) -> Iterator[Block]:
    plan, session = one.asked, one.session
    experiment = experiment_named(plan.experiment)
    done = {*one.plan.loc[one.plan["done"], "order"]}
    sessions = [line for line in one.log if line["kind"] == "session"]
    ends = [line for line in one.log if line["kind"] == "end"]
    rows = [
        ("procedure", f"{plan.experiment}, of article {experiment.article} ({plan.effort})"),
        ("runs", f"{len(done)} of {len(one.plan)}: {_works(one)}{_turns(one)}"),
        ("began", _time(sessions[0]["started_at"])),
        ("ended", f"{_time(ends[-1]['at'])}, {one.status}" if ends else one.status),
    ]
    if ends and ends[-1].get("reason"):
        rows.append(("because", str(ends[-1]["reason"])))
    if len(sessions) > 1:
        rows.append(("continued", f"{many(len(sessions) - 1, 'time')}, {_times(sessions[1:])}"))
    rows += [("file size", binary(plan.size_bytes))] if plan.size_bytes else []
    rows += [("time of a run", f"{plan.seconds} s")] if plan.seconds else []
    rows += [("jobs", str(plan.jobs))] if plan.jobs else []
    rows += [("page cache", "used, as was asked for")] if plan.buffered else []
    rows += [(name, text) for name, text in _machine(session["machine"])]
    rows += [(name, str(version)) for name, version in session["tools"].items()]
    variables = [f"{name}={value}" for name, value in session["environment"].items()]
    rows += [("environment", " ".join(variables))] if variables else []
    yield table([], rows)
    heads = ["place", "folder", "file system", "mounted", "device", "link", "size"]
    yield table(heads, [_place(facts) for facts in session["places"]], "facts wide")
    left = [
        f"{workload} on {place} (no direct I/O there)" for place, workload in session["left_out"]
    ]
    undone = [run.file for run in wanted(one.asked, one.log) if run.order not in done]
    more = f" and {len(undone) - _UNDONE} more" if len(undone) > _UNDONE else ""
    left += [f"not run: {', '.join(undone[:_UNDONE])}{more}"] if undone else []
    if left:
        yield paragraph("Left out:")
        yield listing(left)
    yield listing(experiment.implies(plan, session["machine"]["ram_bytes"]))
    yield _commands(one.plan[one.plan["done"]], "command")
    yield fold("the runs, in their order", _order(one))


def _works(one: Campaign) -> str:
    counts = (len(one.asked.workloads), len(one.asked.places), one.asked.rounds)
    words = ("workload", "place", "round")
    return " x ".join(many(count, word) for count, word in zip(counts, words, strict=True))


def _turns(one: Campaign) -> str:
    """Show the order of the places: there and back."""
    letters = "ABCD"[: len(one.asked.places)]
    if len(letters) < 2:
        return ""
    return f", in turns ({letters}, {letters[::-1]}, ...)"


def _machine(machine: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    guest = {True: "a virtual machine", False: "no virtual machine"}
    yield "machine", guest.get(machine["is_guest"], "whether it is a virtual one is not known")
    yield "kernel", str(machine["kernel"])
    yield (
        "processor",
        f"{machine['cpu'] or 'not known'}, {many(machine['processors'], 'processor')}",
    )
    ram = machine["ram_bytes"]
    yield "memory", "not known" if ram is None else binary(ram)
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
        facts["file_system"] or "not known",
        mounted,
        ", ".join(filter(None, shown)),
        device.get("link") or ("none: memory" if facts["file_system"] in MEMORY else "not known"),
        binary(facts["total_bytes"]),
    ]


def _file_of(device: Mapping[str, Any]) -> str | None:
    """Say which file a loop device is made of."""
    below = device.get("backing")
    if below is None:
        return None
    way = "past" if below["is_direct"] else "through"
    return f"the file {below['path']} on {below['file_system'] or '?'}, {way} the page cache"


def _order(one: Campaign) -> Block:
    began = one.plan[one.plan["done"]]
    rows = zip(began["order"], began["started_at"], began["file"], began["load_1min"], strict=True)
    heads = ["order", "began", "file", "load"]
    listed = [
        (order, f"{at:%H:%M:%S}", file, "" if cells.is_missing(load) else f"{load:.2f}")
        for order, at, file, load in rows
    ]
    return table(heads, listed)


def _commands(frame: pd.DataFrame, column: str) -> Block:
    """List the commands, each once, with how often it was run."""
    counts = frame[column].dropna().value_counts(sort=False)
    rows = [(f"{count} x", command) for command, count in counts.items()]
    if not rows:
        return paragraph("Commands: not known; no file says one.")
    more = [("...", f"and {len(rows) - _COMMANDS} more")] if len(rows) > _COMMANDS else []
    return fold(
        "the command" if len(rows) == 1 else f"the {len(rows)} different commands",
        table([], [*rows[:_COMMANDS], *more], "facts commands"),
        printed=True,
    )


def _of_files(source: Source) -> Iterator[Block]:
    runs = source.results.runs
    tools = runs[["tool", "tool_version"]].drop_duplicates()
    versions = [
        " ".join(str(part) for part in row if not cells.is_missing(part))
        for row in tools.itertuples(index=False)
    ]
    rows = [("files", many(source.results.files, "file")), ("tools", ", ".join(versions))]
    hosts = [str(host) for host in runs["host"].dropna().unique()]
    rows += [("hosts", ", ".join(hosts))] if hosts else []
    times = [runs[name].dropna() for name in ("started_at", "reported_at")]
    known = next((time for time in times if len(time)), None)
    rows.append(("when", "not known" if known is None else _span(known)))
    yield table([], rows)
    yield _commands(runs, "command")
    yield paragraph(
        "There is no manifest beside these files. Not known, unless a file says it: the machine "
        "and its memory, the file systems and how they were mounted, the devices and their links, "
        "in which order the runs were made, and whether any were left out. fiotools measure "
        "writes that down."
    )


def _span(times: pd.Series[Any]) -> str:
    first, last = times.min(), times.max()
    shown = f"{first:%Y-%m-%d %H:%M} UTC"
    return shown if first == last else f"{shown} to {last:%Y-%m-%d %H:%M} UTC"


def _time(text: str) -> str:
    return f"{text[:10]} {text[11:19]} UTC"


def _times(sessions: list[Any]) -> str:
    return ", ".join(_time(one["started_at"]) for one in sessions)
