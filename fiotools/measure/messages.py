"""Messages before a campaign, and after it."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from fiotools.errors import typed
from fiotools.measure.campaign import Campaign
from fiotools.measure.experiments import experiment_named
from fiotools.measure.machine import binary
from fiotools.measure.places import Place, by_file_system
from fiotools.measure.plan import CampaignPlan
from fiotools.units import many


def before(
    plan: CampaignPlan,
    places: Sequence[Place],
    machine: Mapping[str, Any],
    facts: Sequence[Mapping[str, Any]],
    folder: Path | None,
    done: int = 0,
) -> str:
    """Describe the campaign that begins."""
    experiment = experiment_named(plan.experiment)
    runs = sum(1 for _ in plan.runs())
    article = f" (article {experiment.article})" if experiment.article else ""
    rows = [(experiment.name, f"{experiment.question}{article}")]
    rows += [("place" if not at else "", _place(one)) for at, one in enumerate(facts)]
    times = f"{many(len(plan.workloads), 'workload')} x {many(len(plan.places), 'place')}"
    most = "" if plan.until == "rounds" else "up to "
    times += f" x {most}{many(plan.rounds, 'round')}"
    if len(plan.places) > 1:
        times += f", in turns ({', '.join(plan.turns)}, ...)"
    if most:
        times += ", until every comparison has a verdict"
    kept = f", {done} of them kept from before" if done else ""
    rows.append(("runs", f"{runs}: {times}{kept}"))
    rows.append(("workloads", ", ".join(plan.workloads)))
    limit = "" if plan.limit_s is None else "; at most 2 min (quick)"
    rows.append(("time", f"{experiment.lasts(plan, runs - done)}{limit}"))
    room = plan.size_bytes * experiment.held(plan.rounds * len(plan.workloads))
    files = "" if experiment.is_fixed else f"test files of {binary(plan.size_bytes)}; "
    rows.append(("room", f"{files}up to {binary(room)} in each place, removed at the end"))
    if folder is not None:
        rows.append(("output", str(folder)))
    notes = [*experiment.implies(plan, machine["ram_bytes"]), *remarks(plan, places)]
    rows += [("note", note) for note in notes]
    return "\n".join(f"{name:<13}{text}" for name, text in rows)


def remarks(plan: CampaignPlan, places: Sequence[Place]) -> Iterator[str]:
    """Warn about the places and the number of rounds."""
    for group in by_file_system(places):
        if len(group) > 1:
            names = " and ".join(place.name for place in group)
            yield f"{names} are on one file system: this compares folders, not storage"
    for place in places:
        if place.is_memory:
            yield f"{place.name} is memory: nothing there is ever cold, and no disk is involved"
        else:
            yield from _image(place)
    if plan.rounds < 5:
        yield f"{many(plan.rounds, 'round')}: intervals will be wide or missing; use 5 or more"


def changed(first: Mapping[str, Any], last: Mapping[str, Any]) -> Iterator[str]:
    """List the changes since the campaign began."""
    names = ("kernel", "cpu", "processors", "ram_bytes")
    earlier, later = (
        {name: one["machine"].get(name) for name in names} | one["tools"] for one in (first, last)
    )
    for name, new in later.items():
        old = earlier.get(name)
        if old != new:
            yield f"{name} was {old}, now {new}: earlier and later runs may differ"
    olds = {one["name"]: one for one in first["places"]}
    for one in last["places"]:
        for name in ("file_system", "mount_options", "source", "device"):
            old, new = olds[one["name"]][name], one[name]
            if old != new:
                told = [_device(text) if name == "device" else text for text in (old, new)]
                yield f"{one['name']}: {name.replace('_', ' ')} was {told[0]}, now {told[1]}"


def after(campaign: Campaign) -> str:
    """Tell what was kept, and what to type next."""
    plan, folder = campaign.asked, campaign.folder
    done, total = len(campaign.done), len(campaign.wanted)
    template = shlex.quote(f"{folder}/{plan.template}")
    name, quoted = str(folder), shlex.quote(str(folder))
    text = [f"{done} of {total} runs are in {folder}"]
    if done < total:
        again = typed(f"ft.measure.resume({name!r})", f"fiotools measure --resume {quoted}")
        text.append(f"  the others:  {again}")
    if done:
        table, metric = campaign.experiment.metric
        page = f"{folder}.html"
        shell = f"fiotools report {quoted} -o {shlex.quote(page)}"
        text.append(f"  report:      {typed(f'ft.report({name!r}, {page!r})', shell)}")
        text.append(f"  in Python:   c = ft.measure.campaign({name!r})")
        text.append(f"               c.results.{table}; ft.check(c.results, **ft.measure.known(c))")
        main = campaign.experiment.questions[0]
        if main.between != "place" or len(plan.places) > 1:
            between, by = main.between, list(main.by)
            baseline = main.baseline or next(iter(plan.places))
            again = typed(", looks='any'", " --looks any") if plan.until == "settled" else ""
            how = typed(
                f"ft.compare(c.results.{table}, {metric!r}, "
                f"between={between!r}, baseline={baseline!r}, by={by!r}{again})",
                f"fiotools compare {template} --metric {metric} "
                f"--between {between} --baseline {baseline} --by {','.join(by)}{again}",
            )
            text.append(f"  compare:     {how}")
    return "\n".join(text)


def _image(place: Place) -> Iterator[str]:
    """Warn about a disk of a place that is a file."""
    files = [one.backing for one in place.devices if one.backing is not None]
    cached = [file.path for file in files if not file.is_direct]
    if not cached:
        return
    yield (
        f"a disk of {place.name} is a file, {' and '.join(cached)}: even direct I/O goes through "
        "this machine's page cache (losetup --direct-io=on bypasses it)"
    )
    if not all(os.access(image, os.R_OK) for image in place.images()):
        yield (
            "that file cannot be dropped from the page cache: cold runs on "
            f"{place.name} may be warm"
        )


def _place(facts: Mapping[str, Any]) -> str:
    kind = [facts["file_system"] or "unknown file system"]
    if facts["device"]:
        kind.append(f"on {_device(facts['device'])}")
    elif facts["devices"]:
        kind.append(f"on {' and '.join(facts['devices'])}")
    return f"{facts['name']}: {facts['path']}, {' '.join(kind)}, {binary(facts['free_bytes'])} free"


def _device(facts: Mapping[str, Any] | None) -> str:
    """Name a disk, and what it is made of."""
    if facts is None:
        return "several disks or none"
    below = facts.get("backing")
    if below is not None:
        on = f" on {_device(below['device'])}" if below["device"] else ""
        return f"{facts['name']}, a file on {below['file_system'] or 'an unknown file system'}{on}"
    told = [facts["model"], facts["transport"], facts["link"]]
    return f"{facts['name']} ({', '.join(filter(None, told))})" if any(told) else facts["name"]
