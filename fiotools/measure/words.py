"""What is said before a campaign, and after it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from fiotools.measure.experiments import Experiment
from fiotools.measure.facts import binary
from fiotools.measure.places import Place, shared
from fiotools.measure.plan import Plan


def before(
    experiment: Experiment,
    plan: Plan,
    places: Sequence[Place],
    machine: Mapping[str, Any],
    facts: Sequence[Mapping[str, Any]],
    folder: Path | None,
    done: int = 0,
) -> str:
    """Describe what is going to happen."""
    runs = sum(1 for _ in plan.runs())
    rows = [(experiment.name, f"{experiment.question} (article {experiment.article})")]
    rows += [("place" if not at else "", _place(one)) for at, one in enumerate(facts)]
    works = f"{len(plan.workloads)} {_plural('workload', len(plan.workloads))}"
    times = f"{works} x {len(plan.places)} {_plural('place', len(plan.places))}"
    times += f" x {plan.rounds} {_plural('round', plan.rounds)}"
    kept = f", {done} of them kept from before" if done else ""
    rows.append(("runs", f"{runs}: {times}, in turns (AB, BA, ...){kept}"))
    rows.append(("workloads", ", ".join(plan.workloads)))
    rows.append(("time", _time(experiment, plan, runs - done)))
    room = plan.size_bytes * experiment.files
    rows.append(("room", f"up to {binary(room)} in each place, removed at the end"))
    if folder is not None:
        rows.append(("output", str(folder)))
    notes = [*experiment.implies(plan, machine["ram_bytes"]), *remarks(plan, places)]
    rows += [("note", note) for note in notes]
    return "\n".join(f"{name:<13}{text}" for name, text in rows)


def remarks(plan: Plan, places: Sequence[Place]) -> Iterator[str]:
    """Say what the places and the number of rounds mean."""
    for names in shared(places):
        yield (
            f"{' and '.join(names)} are on one file system: this compares folders, and no storage"
        )
    for place in places:
        if place.is_memory:
            yield f"{place.name} is memory: nothing there is ever cold, and no disk is in it"
    if plan.rounds < 5:
        yield (
            f"{plan.rounds} {_plural('round', plan.rounds)}: intervals will be wide or missing; "
            "5 are the least that tells"
        )


def skipped(place: str, workloads: Sequence[str]) -> str:
    """Say that a place does not take direct I/O."""
    return f"{place} refuses direct I/O; left out there: {', '.join(workloads)}"


def unlike(place: str, workload: str, share: float, expected: float) -> str:
    """Say that the page cache was not as the workload's name says."""
    return (
        f"{workload} on {place}: before a run {share:.0f} % of the file were in memory, "
        f"{expected:.0f} % were meant; the manifest has it for each run (resident_pct)"
    )


def changed(first: Mapping[str, Any], last: Mapping[str, Any]) -> Iterator[str]:
    """Say what is not as it was when the campaign began."""
    for name in ("kernel", "cpu", "processors", "ram_bytes"):
        old, new = first["machine"].get(name), last["machine"].get(name)
        if old != new:
            yield f"{name} was {old}, now {new}: earlier and later runs may differ for that"
    for tool, new in last["tools"].items():
        old = first["tools"].get(tool)
        if old != new:
            yield f"{tool} was {old}, now {new}: earlier and later runs may differ for that"
    olds = {one["name"]: one for one in first["places"]}
    for one in last["places"]:
        for name in ("file_system", "mount_options", "source", "device"):
            old = olds.get(one["name"], {}).get(name)
            if old != one[name]:
                yield f"{one['name']}: {name.replace('_', ' ')} was {old}, now {one[name]}"


def after(experiment: Experiment, plan: Plan, folder: Path, done: int, total: int) -> str:
    """Say what was kept, and what to type next."""
    template = shlex.quote(f"{folder}/{plan.template}")
    text = [f"{done} of {total} runs are in {folder}"]
    if done < total:
        text.append(f"  the others:  fiotools measure --resume {shlex.quote(str(folder))}")
    if done:
        table, metric = experiment.metric
        text.append(f"  look:        fiotools read {template}")
        between, baseline, by = question(plan)
        if between:
            by += ["direction"] * (table == "io")
            how = f"--metric {metric} --between {between} --baseline {baseline} --by {','.join(by)}"
            text.append(f"  compare:     fiotools compare {template} {how}")
        text.append(f'  in Python:   c = ft.campaign("{folder}")')
        text.append(f"               c.results.{table}; ft.check(c.results, **ft.measure.known(c))")
    return "\n".join(text)


def question(plan: Plan) -> tuple[str | None, str, list[str]]:
    """Give the comparison that the experiment is about: between, baseline, by."""
    others = list(plan.fields)
    if others == ["cache"]:
        return "cache", "cold", ["place"]
    if len(plan.places) > 1:
        return "place", next(iter(plan.places)), others
    return None, "", others


def _place(facts: Mapping[str, Any]) -> str:
    device = facts["device"] or {}
    kind = [facts["file_system"] or "unknown file system"]
    if device:
        told = [device["model"], device["transport"], device["link"]]
        kind.append(f"on {device['name']}")
        kind += [f"({', '.join(filter(None, told))})"] if any(told) else []
    return f"{facts['name']}: {facts['path']}, {' '.join(kind)}, {binary(facts['free_bytes'])} free"


def _time(experiment: Experiment, plan: Plan, runs: int) -> str:
    limit = "" if plan.limit_s is None else "; stops by itself in any case after 2 min (quick)"
    if plan.seconds:
        return (
            f"{plan.seconds} s a run, {_span(runs * (plan.seconds + 0.4))} and the filling{limit}"
        )
    moved = plan.size_bytes * runs + experiment.to_prepare(plan)
    slow, fast = _span(moved / 100e6), _span(moved / 1e9)
    return f"{slow} if all goes at 100 MB/s, {fast} at 1 GB/s{limit}"


def _span(seconds: float) -> str:
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    if seconds < 5400:
        return f"{round(seconds / 60)} min"
    return f"{seconds / 3600:.1f} h"


def _plural(word: str, count: int) -> str:
    return word if count == 1 else f"{word}s"
