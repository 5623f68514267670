"""How it was measured, by the manifest of a campaign or the files; and how it was compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from fiotools.errors import argument
from fiotools.measure.machine import stays_in_memory
from fiotools.reports.asked import Asked
from fiotools.reports.blocks import Block, fold, paragraph, table
from fiotools.tables import naming
from fiotools.units import binary, many, percent
from fiotools.words import more

if TYPE_CHECKING:
    from fiotools.measure.campaign import Campaign

_COMMANDS = 40  # that are shown
_SHORT = 10  # seconds of a run
_UNDONE = 5  # runs that are named


def measured(asked: Asked) -> Iterator[Block]:
    """Tell how it was measured and compared."""
    rows = [*_of_runs(asked)]
    if asked.campaign is not None:
        rows = [*_of_campaign(asked.campaign), *rows]
    yield table([], [(name, text) for name, text in [*rows, *_method(asked)] if text])
    if asked.campaign is None:
        yield paragraph(
            "These files do not say on which machine, memory, file system and device they were "
            "made, nor in which order: fiotools measure records that.",
            "how",
        )
    else:
        heads = ["place", "folder", "file system", "mounted", "device", "link", "size"]
        yield table(heads, map(_place, asked.campaign.session["places"]))
    yield from _commands(asked)


def tools_of(asked: Asked) -> str:
    """Name the tools with their versions, as far as these are known."""
    runs = asked.results.runs
    known = runs.dropna(subset=["tool_version"])[["tool", "tool_version"]].drop_duplicates()
    named = {*known["tool"]}
    bare = [one for one in dict.fromkeys(runs["tool"]) if one not in named]
    return ", ".join([*map(" ".join, known.itertuples(index=False)), *bare])


def _method(asked: Asked) -> Iterator[tuple[str, str]]:
    """Say what was compared, and how."""
    one = asked.comparison
    if one is None or one.answer is None:
        return
    cells = ", ".join(map(naming.short, one.by))
    yield "compared", f"{naming.short(one.metric)}, within each {cells}" if cells else one.metric
    yield "sides", f"{one.between}; the baseline is {one.answer['baseline'].iloc[0]}"
    if asked.others:
        ways = " or ".join(argument("between", other) for other in asked.others)
        yield "other sides", ways
    counts = sorted({*one.answer["n"], *one.answer["n_baseline"]} - {0})
    runs = (
        "one run"
        if counts == [1]
        else " to ".join(map(str, dict.fromkeys([counts[0], counts[-1]])))
    )
    yield "repeats", f"{runs} a side; their means are geometric"
    known = one.answer[one.answer["ratio_lo"].notna()]
    if len(known):
        share = percent(known["confidence"].iloc[0])
        yield "intervals", f"{share} % for all together, {', '.join(known['method'].unique())}"
    yield "counts as equal", f"a difference of up to {percent(one.answer['band'].iloc[0])} %"


def _of_runs(asked: Asked) -> Iterator[tuple[str, str]]:
    """Say which tools ran, where and when."""
    runs = asked.results.runs
    yield "tools", tools_of(asked)
    yield "hosts", ", ".join(map(str, runs["host"].dropna().unique()))
    known = (runs[name].dropna() for name in ("started_at", "reported_at"))
    times = next((own for own in known if len(own)), None)
    if times is not None:
        ends = dict.fromkeys(f"{one:%Y-%m-%d %H:%M} UTC" for one in (times.min(), times.max()))
        yield "when", " to ".join(ends)


def _of_campaign(one: Campaign) -> Iterator[tuple[str, str]]:
    """Tell what the manifest has of the procedure and the machine."""
    plan, session, experiment = one.asked, one.session, one.experiment
    machine = session["machine"]
    yield "question", experiment.question
    works = [
        many(len(plan.workloads), "workload"),
        many(len(plan.places), "place"),
        many(plan.rounds, "round"),
    ]
    turns = ", places in turns" if len(plan.places) > 1 else ""
    yield "runs", f"{len(one.done)} of {len(one.plan)} ({' x '.join(works)}{turns}), {one.status}"
    undone = [run.file for run in one.missing]
    yield "not run", ", ".join(undone[:_UNDONE] + more(len(undone) - _UNDONE))
    yield "files", binary(plan.size_bytes) if plan.size_bytes else ""
    yield "time of a run", f"{plan.seconds} s" if plan.seconds else ""
    guest = {True: "virtual", False: "physical"}.get(machine["is_guest"], "unknown")
    cpu = machine["cpu"] or "unknown CPU"
    ram = "unknown" if machine["ram_bytes"] is None else _rounded(machine["ram_bytes"])
    yield "machine", f"{guest}, {cpu}, {many(machine['processors'], 'processor')}, {ram} of memory"
    yield "kernel", str(machine["kernel"])
    if machine["load_1min"] is not None:
        yield "load before", f"{machine['load_1min']:.2f}"
    yield "programs", ", ".join(map(str, session["tools"].values()))
    yield "environment", " ".join(f"{k}={v}" for k, v in session["environment"].items())
    yield "note", experiment.note


def _place(facts: Mapping[str, Any]) -> list[str]:
    """Write the facts of a place, as a row."""
    device = facts["device"] or {}
    below = device.get("backing")
    several = " and ".join(facts.get("devices") or [])
    shown = [device.get("name") or several or facts["source"]]
    shown += [device.get("model"), device.get("transport")]
    if below is not None:
        way = "past" if below["is_direct"] else "through"
        shown.append(f"the file {below['path']}, {way} the page cache")
    return [
        facts["name"],
        facts["path"],
        facts["file_system"] or "unknown",
        ", ".join(filter(None, [facts["mount_point"], facts["mount_options"]])),
        ", ".join(filter(None, shown)),
        device.get("link") or ("none: memory" if stays_in_memory(facts) else "unknown"),
        _rounded(facts["total_bytes"]),
    ]


def _rounded(size: int) -> str:
    """Write the size of a memory or a disk, with three digits."""
    return f"{size / 2**30:.3g} GiB"


def _commands(asked: Asked) -> Iterator[Block]:
    """List each command once, with how often it was run."""
    counts = asked.results.runs["command"].dropna().value_counts(sort=False)
    rows = [(f"{count} x", command) for command, count in counts.items()]
    if rows:
        left = [("and", text.removeprefix("and ")) for text in more(len(rows) - _COMMANDS)]
        told = table([], [*rows[:_COMMANDS], *left], "facts commands")
        yield fold(many(len(rows), "command"), told, printed=True)


def cautions(one: Campaign) -> Iterator[str]:
    """List the limits of a campaign that its manifest tells."""
    session, places = one.session, one.session["places"]
    if one.status != "complete":
        yield f"The campaign is not complete ({one.status}): {one.kept}"
    if 0 < (seconds := one.asked.seconds) < _SHORT:
        yield f"The runs took {seconds} s each: too short for how a device works in the long run"
    memory = [place["name"] for place in places if stays_in_memory(place)]
    for name in memory:
        yield f"{name} is memory: no disk is measured there, and it is never cold"
    machine = session["machine"]
    if (load := machine["load_1min"]) is not None and load > machine["processors"]:
        cpus = many(machine["processors"], "processor")
        yield f"The machine was busy at the start (load {load:.1f} on {cpus}): runs may have waited"
    shared: dict[tuple[Any, ...], list[str]] = {}
    for place in places:
        below = (place["device"] or {}).get("backing")
        if below is not None and not below["is_direct"] and place["name"] not in memory:
            yield (
                f"{place['name']} is a file, {below['path']}, in the page cache here: "
                "direct I/O ends there, and cold runs may be warm"
            )
        if place["mount_point"] is not None:
            shared.setdefault((place["mount_point"], place["source"]), []).append(place["name"])
    for names in shared.values():
        if len(names) > 1:
            yield f"{' and '.join(names)} are on one file system: folders are compared, not storage"
    if machine["is_guest"] and len(memory) < len(places):
        yield "This is a virtual machine: its host may answer cold and direct I/O from memory"
