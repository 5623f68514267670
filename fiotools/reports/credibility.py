"""What speaks against a verdict: memory may have answered, and not a disk."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import pandas as pd

from fiotools.measure.campaign import Campaign, known
from fiotools.measure.machine import binary, stays_in_memory
from fiotools.reports.subjects import Source, of_one
from fiotools.stats.check import check, outcomes
from fiotools.vocabulary import GRAVEST
from fiotools.words import counted

# these find that memory answered, or nothing at all
_NO_DISK = (
    *("link", "medium", "turns", "budget", "cache", "caching", "fast_reads", "fast_writes"),
    *("flush", "dd_flush", "copying", "data", "dd_source", "sparse", "warm"),
)
# how one side is accused, gravest first
ACCUSATIONS = (
    "no device can have done this",
    "these numbers cannot be as reported",
    "memory may have answered, and not the device",
    "these numbers are doubtful",
)


def checked(source: Source, told: Mapping[str, Any]) -> pd.DataFrame:
    """Check every run, with the facts of a campaign's manifest about each place."""
    if source.campaign is None:
        found: pd.DataFrame = check(source.results, **told)
        return found
    one = source.campaign
    cached = one.experiment.cached
    sides: dict[str, Any] = {}
    if cached is not None and {*source.results.runs[cached]} == {"cold", "warm"}:
        sides = {"between": cached, "baseline": "cold", "sides": "cache"}
    parts = []
    for place in one.asked.places:
        of_place = of_one(source.results, "place", place)
        if len(of_place.runs):
            parts.append(check(of_place, **{**known(one, place), **sides, **told}))
    whole: pd.DataFrame = pd.concat(parts, ignore_index=True)
    return whole


def weighed(checks: pd.DataFrame, side: str | None) -> pd.DataFrame:
    """Count findings of `check` that differ in numbers only, gravest first.

    The values of the column `side` are counted apart. The answer has ``verdict``, ``check``,
    `side`, ``some`` and ``every`` (how many of how many runs), ``why`` (of one of them) and
    ``remedy``.
    """
    keys = [side] if side else []
    alike = ["verdict", "check", *keys, "same"]
    kinds = [str(outcomes.kind(outcomes.read(_text(one)))) for one in checks["details"]]
    told = checks.assign(
        same=checks["finding"] + kinds,
        number=checks.groupby(["source", "run"], dropna=False).ngroup(),
        rank=checks["verdict"].map(GRAVEST.index),
    )
    of_side = keys or (lambda _: 0)
    told["some"] = told.groupby(alike, dropna=False)["number"].transform("nunique")
    told["every"] = told.groupby(of_side, dropna=False)["number"].transform("nunique")
    first = told.drop_duplicates(alike).sort_values("rank", kind="stable", ignore_index=True)
    return first[["verdict", "check", *keys, "some", "every", "why", "remedy"]]


class Doubt(NamedTuple):
    """Why the numbers of a side may not be those of a disk; an accusation has a lead."""

    side: str
    said: str
    lead: str = ""

    @property
    def is_impossible(self) -> bool:
        """Say whether it voids what was found, and not only weakens it."""
        return self.lead in ACCUSATIONS[:2]


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def doubts(source: Source, checks: pd.DataFrame, side: str | None) -> list[Doubt]:
    """Say of each side why its numbers may not be those of a disk, or not mean much."""
    found = [Doubt("", said) for said in _of_campaign(source.campaign)] if source.campaign else []
    table = weighed(checks, side)
    grave = table[table["verdict"].isin(GRAVEST[:2])]
    if side == "place" and source.campaign is not None:
        # memory was named before, and no disk was meant
        in_memory = grave["place"].isin(_memory(source.campaign))
        grave = grave[~(in_memory & grave["check"].isin(_NO_DISK))]
    for which, part in grave.groupby(grave[side] if side else grave["verdict"].eq(""), sort=False):
        found.append(_accused(part, str(which) if side else ""))
    return found


def _accused(part: pd.DataFrame, side: str) -> Doubt:
    """Say why the numbers of one side are doubtful."""
    memory, impossible = part["check"].isin(_NO_DISK), part["verdict"].eq("impossible")
    if memory.any():
        lead = ACCUSATIONS[0 if (memory & impossible).any() else 2]
    else:
        lead = ACCUSATIONS[1 if impossible.any() else 3]
    order = part.assign(apart=~memory).sort_values("apart", kind="stable")
    rows = order.drop_duplicates("check").to_dict("records")
    reasons = []
    for row in rows[:3]:
        verdict, some, every = row["verdict"], row["some"], row["every"]
        if some != every:
            verdict = f"{verdict} in {some} of {every} runs"
        elif every != 1:
            verdict = f"{verdict} in all {every} runs"
        reasons.append(f"{row['why']} ({verdict})")
    if len(rows) > 3:
        reasons.append(counted(len(rows) - 3, "and {n} other check", "and {n} other checks"))
    return Doubt(side, f"{lead}: {'; '.join(reasons)}", lead)


def _of_campaign(one: Campaign) -> Iterator[str]:
    """List the limits of a campaign that its manifest tells."""
    plan, session = one.asked, one.session
    if one.status not in ("complete", "settled"):
        template = "The campaign is not complete ({status}): {n} of {total} runs done"
        yield (template).format(status=one.status, n=len(one.done), total=len(one.plan))
    if plan.effort == "quick":
        parts = ["A quick campaign"]
        if plan.seconds:
            parts.append(f"runs of {plan.seconds} s")
        if plan.size_bytes:
            parts.append(f"files of {binary(plan.size_bytes)}")
        yield f"{', '.join(parts)}: only a first look"
    elif plan.seconds and plan.seconds < 10:
        template = "The runs took {n} s each: too short for how a device works in the long run"
        yield (template).format(n=plan.seconds)
    memory = _memory(one)
    for name in memory:
        yield f"{name} is memory: no disk is measured there, and it is never cold"
    load, processors = session["machine"]["load_1min"], session["machine"]["processors"]
    if load is not None and load > processors:
        cpus = counted(processors, "{n} processor", "{n} processors")
        template = "The machine was busy at the start (load {load} on {cpus}): runs may have waited"
        yield (template).format(load=f"{load:.1f}", cpus=cpus)
    shared: dict[tuple[Any, ...], list[str]] = {}
    for place in session["places"]:
        if place["name"] not in memory:
            yield from _image(place, session["places"])
        if place["mount_point"] is not None:
            shared.setdefault((place["mount_point"], place["source"]), []).append(place["name"])
    for names in shared.values():
        if len(names) > 1:
            template = "{names} are on one file system: this compares folders, not storage"
            yield (template).format(names=" and ".join(names))
    if session["machine"]["is_guest"] and len(memory) < len(session["places"]):
        yield "This is a virtual machine: its host may answer cold and direct I/O from memory"


def _memory(one: Campaign) -> list[str]:
    """Name the places that are memory."""
    return [place["name"] for place in one.session["places"] if stays_in_memory(place)]


def _image(facts: Mapping[str, Any], places: list[dict[str, Any]]) -> Iterator[str]:
    """Say where the file of a loop device is, and which cache is between."""
    device = facts["device"] or {}
    if device.get("transport") != "loop":
        return
    below, name = device.get("backing"), facts["name"]
    if below is None:
        yield (
            f"{name} is on a loop device, a disk made of a file: unless the file bypasses "
            "the page cache, direct I/O ends in memory, and cold runs may be warm"
        )
        return
    disk = (below["device"] or {}).get("name")
    same = [
        other["name"]
        for other in places
        if disk is not None and (other["device"] or {}).get("name") == disk
    ]
    said = f"{name} is on a loop device"
    if same:
        names = " and ".join(same)
        said = f"{said}, whose file is on the disk of {names}"
    else:
        said = f"{said}, whose file is {below['path']}"
    if below["is_direct"] and same:
        yield f"{said}: two layers of one disk"
    elif not below["is_direct"]:
        yield (f"{said}, in the page cache here: direct I/O ends there, and cold runs may be warm")
