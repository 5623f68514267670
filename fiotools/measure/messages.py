"""What a campaign says before it begins, and at its end."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from datetime import timedelta

from fiotools.errors import typed
from fiotools.measure.campaign import Campaign
from fiotools.measure.experiment import Experiment
from fiotools.measure.machine import stays_in_memory
from fiotools.measure.places import Place, by_file_system
from fiotools.measure.plan import Plan
from fiotools.units import binary, human, many

_MORE_S = 0.4  # of a run, beside the time that its tool measures
_UNLIKE_PCT = 5  # of a file in memory that should be all there, or not at all


def before(asked: Experiment, plan: Plan, places: Sequence[Place]) -> str:
    """Describe the campaign that begins."""
    runs = sum(1 for _ in plan.runs())
    rows = [(asked.name, asked.question)]
    for one in places:
        kind = one.mount.kind or "unknown file system"
        rows.append(("place", f"{one.name}: {one.path}, {kind}, {human(one.free(), 'B')} free"))
    rows.append(("workloads", ", ".join(plan.workloads)))
    turns = ", in turns (A B, B A, ...)" if len(places) > 1 else ""
    rows.append(("runs", f"{runs} in {many(plan.rounds, 'round')}{turns}"))
    if plan.seconds:
        rows.append(
            (
                "time",
                f"{timedelta(seconds=round(runs * (plan.seconds + _MORE_S)))} and the preparation",
            )
        )
    if plan.size_bytes:
        held = asked.held + asked.held_per_run * plan.rounds * len(plan.workloads)
        room = f"up to {binary(held * plan.size_bytes)} in each place, removed at the end"
        rows.append(("room", f"test files of {binary(plan.size_bytes)}; {room}"))
    rows += [("note", note) for note in _notes(asked, plan, places)]
    return "\n".join(f"{name:<13}{text}" for name, text in rows)


def _notes(asked: Experiment, plan: Plan, places: Sequence[Place]) -> Iterator[str]:
    """Tell what options and places mean for the result."""
    if asked.note:
        yield asked.note
    for group in by_file_system(places):
        if len(group) > 1:
            names = " and ".join(place.name for place in group)
            yield f"{names} are on one file system: this compares folders, not storage"
    for place in places:
        files = [one.backing for one in place.devices if one.backing is not None]
        cached = [file.path for file in files if not file.is_direct]
        if place.is_memory:
            yield f"{place.name} is memory: nothing there is ever cold, and no disk is involved"
        elif cached:
            yield (
                f"a disk of {place.name} is a file, {' and '.join(cached)}: even direct I/O goes "
                "through this machine's page cache (losetup --direct-io=on bypasses it)"
            )
    if plan.rounds < 5:
        yield f"{many(plan.rounds, 'round')}: intervals will be wide or missing; use 5 or more"


def after(found: Campaign) -> str:
    """Tell what was kept, what was not as it should be, and what to type next."""
    folder = shlex.quote(str(found.folder))
    name, page = repr(str(found.folder)), f"{found.folder}.html"
    rows = [("note", note) for note in _unlike(found)]
    if found.missing:
        again = typed(f"ft.measure.resume({name})", f"fiotools measure --resume {folder}")
        rows.append(("the others", again))
    rows += [
        ("open", typed(f"c = ft.measure.campaign({name})", "")),
        (
            "report",
            typed(
                f"ft.report({name}, {page!r})", f"fiotools report {folder} -o {shlex.quote(page)}"
            ),
        ),
        ("compare", _compare(found, folder)),
        ("is it real", typed("ft.check(c.results, **ft.measure.known(c))", "")),
    ]
    told = "".join(f"\n  {head:<12}{text}" for head, text in rows if text)
    return f"{found.kept} are in {found.folder}{told}"


def _compare(found: Campaign, folder: str) -> str:
    """Write the comparison that the experiment is about; nothing of one place."""
    asked, (_, metric) = found.experiment, found.experiment.result.split(".")
    if asked.between == "place" and len(found.asked.places) == 1:
        return ""
    baseline = asked.baseline or next(iter(found.asked.places))
    named = f"between={asked.between!r}, baseline={baseline!r}, by={[*asked.by]!r}"
    return typed(
        f"ft.compare(c.results, {metric!r}, {named})",
        f"fiotools compare {folder} --metric {metric} --between {asked.between} "
        f"--baseline {baseline} --by {','.join(asked.by)}",
    )


def _unlike(found: Campaign) -> Iterator[str]:
    """Name the workloads whose file was in memory, or was not, against what they are for."""
    in_memory = {one["name"] for one in found.session["places"] if stays_in_memory(one)}
    told = set(in_memory)
    for line in found.done.values():
        share, place, workload = (line[name] for name in ("resident_pct", "place", "workload"))
        wanted = 100 if workload in found.experiment.warm else 0
        if share is not None and abs(share - wanted) > _UNLIKE_PCT and place not in told:
            told.add(place)
            yield (
                f"{workload} on {place}: {share:.0f} % of the file were in memory before a run "
                f"instead of {wanted} %; the plan has the share of each run (resident_pct)"
            )
