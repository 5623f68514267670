"""What speaks against a verdict: memory may have answered, and not a disk."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from fiotools.language import counted, listed, named, say
from fiotools.measure.campaign import Campaign, known
from fiotools.measure.machine import binary, stays_in_memory
from fiotools.reports.subjects import Source, of_one
from fiotools.stats.check import check
from fiotools.vocabulary import GRAVEST

# these find that memory answered, or nothing at all
_NO_DISK = (
    *("link", "medium", "turns", "budget", "cache", "caching", "fast_reads", "fast_writes"),
    *("flush", "dd_flush", "copying", "data", "dd_source", "sparse", "warm"),
)
# how one side is accused, gravest first
ACCUSATIONS = (
    "these are not a disk's numbers",
    "these numbers cannot be as reported",
    "do not take these numbers for a disk's",
    "these numbers are doubtful",
)
# numbers, with the prefix of their unit: what differs in these only is said in the same words
_NUMBER = re.compile(r"\d[\d.,]*(?: (?:[kMGTP]?B(?:/s)?|[mµn]?s)(?!\w))?")


def checked(source: Source, told: Mapping[str, Any]) -> pd.DataFrame:
    """Check every run, with the facts of a campaign's manifest about each place."""
    if source.campaign is None:
        return check(source.results, **told)
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
    return pd.concat(parts, ignore_index=True)


def weighed(checks: pd.DataFrame, side: str | None) -> pd.DataFrame:
    """Count findings of `check` that differ in numbers only, gravest first.

    The values of the column `side` are counted apart. The answer has ``verdict``, ``check``,
    `side`, ``some`` and ``every`` (how many of how many runs), ``why`` (of one of them) and
    ``remedy``.
    """
    keys = [side] if side else []
    alike = ["verdict", "check", *keys, "same"]
    told = checks.assign(
        same=checks["why"].str.replace(_NUMBER, "#", regex=True),
        number=checks.groupby(["source", "run"], dropna=False).ngroup(),
        rank=checks["verdict"].map(GRAVEST.index),
    )
    of_side = keys or (lambda _: 0)
    told["some"] = told.groupby(alike, dropna=False)["number"].transform("nunique")
    told["every"] = told.groupby(of_side, dropna=False)["number"].transform("nunique")
    first = told.drop_duplicates(alike).sort_values("rank", kind="stable", ignore_index=True)
    return first[["verdict", "check", *keys, "some", "every", "why", "remedy"]]


def doubts(source: Source, checks: pd.DataFrame, side: str | None) -> list[tuple[str, str]]:
    """Say of each side why its numbers may not be those of a disk, or not mean much."""
    found = [("", said) for said in _of_campaign(source.campaign)] if source.campaign else []
    table = weighed(checks, side)
    grave = table[table["verdict"].isin(GRAVEST[:2])]
    if side == "place" and source.campaign is not None:
        # memory was named before, and no disk was meant
        in_memory = grave["place"].isin(_memory(source.campaign))
        grave = grave[~(in_memory & grave["check"].isin(_NO_DISK))]
    for which, part in grave.groupby(grave[side] if side else grave["verdict"].eq(""), sort=False):
        found.append((str(which) if side else "", _accused(part)))
    return found


def _accused(part: pd.DataFrame) -> str:
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
        verdict, some, every = say(row["verdict"]), row["some"], row["every"]
        if some != every:
            verdict = say("{verdict} in {n} of {total} runs", verdict=verdict, n=some, total=every)
        elif every != 1:
            verdict = say("{verdict} in all {n} runs", verdict=verdict, n=every)
        reasons.append(say("{said} ({names})", said=row["why"], names=verdict))
    if len(rows) > 3:
        reasons.append(counted(len(rows) - 3, "and {n} other check", "and {n} other checks"))
    return named(say(lead), listed(reasons, "; "))


def _of_campaign(one: Campaign) -> Iterator[str]:
    """List the limits of a campaign that its manifest tells."""
    plan, session = one.asked, one.session
    if one.status not in ("complete", "settled"):
        template = "The campaign is not complete ({status}): {n} of {total} runs done"
        yield say(template, status=one.status, n=len(one.done), total=len(one.plan))
    if plan.effort == "quick":
        parts = [say("A quick campaign")]
        if plan.seconds:
            parts.append(say("runs of {n} s", n=plan.seconds))
        if plan.size_bytes:
            parts.append(say("files of {size}", size=binary(plan.size_bytes)))
        yield say("{said}: only a first look", said=listed(parts))
    elif plan.seconds and plan.seconds < 10:
        template = "The runs took {n} s each: too short for how a device works in the long run"
        yield say(template, n=plan.seconds)
    memory = _memory(one)
    for name in memory:
        yield say("{name} is memory: no disk is measured there, and it is never cold", name=name)
    load, processors = session["machine"]["load_1min"], session["machine"]["processors"]
    if load is not None and load > processors:
        cpus = counted(processors, "{n} processor", "{n} processors")
        template = "The machine was busy at the start (load {load} on {cpus}): runs may have waited"
        yield say(template, load=f"{load:.1f}", cpus=cpus)
    shared: dict[tuple[Any, ...], list[str]] = {}
    for place in session["places"]:
        if place["name"] not in memory:
            yield from _image(place, session["places"])
        if place["mount_point"] is not None:
            shared.setdefault((place["mount_point"], place["source"]), []).append(place["name"])
    for names in shared.values():
        if len(names) > 1:
            template = "{names} are on one file system: this compares folders, not storage"
            yield say(template, names=listed(names, " and "))
    if session["machine"]["is_guest"] and len(memory) < len(session["places"]):
        yield say("This is a virtual machine: its host may answer cold and direct I/O from memory")


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
        yield say(
            "{name} is on a loop device, a disk made of a file: unless the file bypasses the page "
            "cache, direct I/O ends in memory, and cold runs may be warm",
            name=name,
        )
        return
    disk = (below["device"] or {}).get("name")
    same = [
        other["name"]
        for other in places
        if disk is not None and (other["device"] or {}).get("name") == disk
    ]
    said = say("{name} is on a loop device", name=name)
    if same:
        names = listed(same, " and ")
        said = say("{said}, whose file is on the disk of {names}", said=said, names=names)
    else:
        said = say("{said}, whose file is {path}", said=said, path=below["path"])
    if below["is_direct"] and same:
        yield say("{said}: two layers of one disk", said=said)
    elif not below["is_direct"]:
        yield say(
            "{said}, in the page cache here: direct I/O ends there, and cold runs may be warm",
            said=said,
        )
