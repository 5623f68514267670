"""What has to be known before a verdict is believed: what was measured may not have been a disk."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from fiotools.language import ENGLISH, speaking
from fiotools.measure.campaign import Campaign, known
from fiotools.measure.experiments import experiment_named
from fiotools.measure.machine import MEMORY, binary
from fiotools.plain_text import many
from fiotools.reports.subjects import Source, of_one
from fiotools.stats.check import check

# what these find is that memory answered, or nothing at all
_NO_DISK = (
    *("link", "medium", "turns", "budget", "cache", "caching", "fast_reads", "fast_writes"),
    *("flush", "dd_flush", "copying", "data", "dd_source", "sparse", "warm"),
)
# how one side is accused, gravest first
ACCUSATIONS = (
    "these are not a disk's figures",
    "these figures cannot be as they were reported",
    "do not take these for a disk's figures",
    "these figures are doubtful",
)
_GRAVEST = ("impossible", "suspect", "unknown", "ok")
# numbers, with the prefix of their unit: what differs in these only is said in the same words
_NUMBER = re.compile(r"\d[\d.,]*(?: (?:[kMGTP]?B(?:/s)?|[mµn]?s)(?!\w))?")


@speaking(ENGLISH)  # as the page does, whatever its figures speak
def checked(source: Source, told: Mapping[str, Any]) -> pd.DataFrame:
    """Ask `check` of every run; of a campaign, with what its manifest knows of each place."""
    if source.campaign is None:
        return check(source.results, **told)
    one = source.campaign
    cached = experiment_named(one.asked.experiment).cached
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
    """Count what `check` says in the same words, gravest first.

    Parameters
    ----------
    checks : pandas.DataFrame
        What `check` answered.
    side : str or None
        The column whose values are counted apart.

    Returns
    -------
    pandas.DataFrame
        ``verdict``, ``check``, `side`, ``runs`` (how many of how many), ``why`` (of one of them)
        and ``remedy``.
    """
    keys = [side] if side else []
    total = _runs(checks, keys)
    rows = []
    same = checks["why"].str.replace(_NUMBER, "#", regex=True).rename("same")
    for (verdict, name, *which, _), part in checks.groupby(
        ["verdict", "check", *keys, same], sort=False, dropna=False
    ):
        runs = len(part[["source", "run"]].drop_duplicates())
        of = total[which[0]] if which else total[None]
        row = {"verdict": verdict, "check": name, **dict(zip(keys, which, strict=True))}
        first = part.iloc[0]
        said = {"runs": f"{runs} of {of}", "why": first["why"], "remedy": first["remedy"]}
        rows.append({**row, **said})
    frame = pd.DataFrame(rows, columns=["verdict", "check", *keys, "runs", "why", "remedy"])
    rank = frame["verdict"].map({verdict: at for at, verdict in enumerate(_GRAVEST)})
    return frame.iloc[rank.argsort(kind="stable")].reset_index(drop=True)


def _runs(checks: pd.DataFrame, keys: list[str]) -> dict[Any, int]:
    heads = checks[["source", "run", *keys]].drop_duplicates()
    if not keys:
        return {None: len(heads)}
    return {str(key): int(count) for key, count in heads[keys[0]].value_counts().items()}


def doubts(source: Source, checks: pd.DataFrame, side: str | None) -> list[tuple[str, str]]:
    """Say of what, and what speaks against taking the figures for a disk's or for much at all."""
    found = [("", said) for said in _of_campaign(source.campaign)] if source.campaign else []
    table = weighed(checks, side)
    grave = table[table["verdict"].isin(_GRAVEST[:2])]
    if side == "place":  # of memory it was said, and no disk was meant
        in_memory = grave["place"].isin(_memory(source.campaign))
        grave = grave[~(in_memory & grave["check"].isin(_NO_DISK))]
    for which, part in grave.groupby(grave[side] if side else grave["verdict"].eq(""), sort=False):
        found.append((str(which) if side else "", _accused(part)))
    return found


def _accused(part: pd.DataFrame) -> str:
    """Say of one side what its runs are accused of."""
    memory = part["check"].isin(_NO_DISK)
    worst = part[memory & part["verdict"].eq("impossible")]
    if len(worst):
        lead = ACCUSATIONS[0]
    elif memory.any():
        lead = ACCUSATIONS[2]
    elif part["verdict"].eq("impossible").any():
        lead = ACCUSATIONS[1]
    else:
        lead = ACCUSATIONS[3]
    order = part.assign(apart=~memory).sort_values("apart", kind="stable")
    rows = order.drop_duplicates("check").to_dict("records")
    said = "; ".join(f"{row['why']} ({row['verdict']}{_share(row['runs'])})" for row in rows[:3])
    more = f"; and {many(len(rows) - 3, 'other check')} too" if len(rows) > 3 else ""
    return f"{lead}: {said}{more}"


def _share(runs: str) -> str:
    """Say in how many of the runs."""
    some, _, every = runs.partition(" of ")
    if some != every:
        return f" in {runs} runs"
    return f" in all {every} runs" if every != "1" else ""


def _of_campaign(one: Campaign) -> Iterator[str]:
    """Say what the manifest knows that limits what follows."""
    plan, session = one.asked, one.session
    done, total = int(one.plan["done"].sum()), len(one.plan)
    if one.status not in ("complete", "settled"):
        yield f"The campaign is not complete ({one.status}): {done} of {many(total, 'run')} done"
    if plan.effort == "quick":
        size = f", files of {binary(plan.size_bytes)}" if plan.size_bytes else ""
        span = f" of {plan.seconds} s" if plan.seconds else ""
        yield f"A quick campaign, short runs{span}{size}: a first look, and no more"
    elif plan.seconds and plan.seconds < 10:
        yield f"The runs took {plan.seconds} s each: too short for what a device does for long"
    memory = _memory(one)
    for name in memory:
        yield f"{name} is memory: no disk is measured there, and nothing in it is ever cold"
    load, processors = session["machine"]["load_1min"], session["machine"]["processors"]
    if load is not None and load > processors:
        yield (
            f"The machine was busy when it began: a load of {load:.1f} on "
            f"{many(processors, 'processor')}, so that the runs may have waited for others"
        )
    for place in session["places"]:
        if place["name"] not in memory:
            yield from _image(place, session["places"])
    for names in _together(session["places"]):
        yield f"{' and '.join(names)} are on one file system: folders are compared, and no storage"
    if session["machine"]["is_guest"] and len(memory) < len(session["places"]):
        yield (
            "This machine is a virtual one: cold and direct are so for its own cache, and its host "
            "may have answered from memory"
        )


def _memory(one: Campaign | None) -> list[str]:
    """Name the places that are memory."""
    if one is None:
        return []
    return [place["name"] for place in one.session["places"] if _in_memory(place)]


def _in_memory(facts: Mapping[str, Any]) -> bool:
    """Say whether what is written there stays in memory, be it in an image there."""
    device = facts["device"] or {}
    below = device.get("backing")
    if below is not None:
        return _in_memory(below)
    return facts["file_system"] in MEMORY or device.get("transport") in ("zram", "ram")


def _image(facts: Mapping[str, Any], places: list[dict[str, Any]]) -> Iterator[str]:
    """Say of a place whose disk is a file where that lies, and which cache is between."""
    device = facts["device"] or {}
    if device.get("transport") != "loop":
        return
    below, name = device.get("backing"), facts["name"]
    if below is None:
        yield (
            f"{name} is on a loop device, a disk made of a file: unless that passes the page cache "
            "by, direct I/O ends in this machine's memory, and what is called cold may be warm"
        )
        return
    disk = (below["device"] or {}).get("name")
    same = [
        other["name"]
        for other in places
        if disk is not None and (other["device"] or {}).get("name") == disk
    ]
    also = f" on the disk of {' and '.join(same)}" if same else ""
    where = f" at {below['path']}"
    if below["is_direct"] and also:
        yield f"{name} is on a loop device, whose file lies{also}: two layers of one disk"
    elif not below["is_direct"]:
        yield (
            f"{name} is on a loop device, whose file lies{also or where} and goes "
            "through this machine's page cache: direct I/O ends there, and what is called cold may "
            "be warm"
        )


def _together(places: list[dict[str, Any]]) -> list[list[str]]:
    """Give the names of places that share a file system."""
    found: dict[tuple[Any, ...], list[str]] = {}
    for one in places:
        if one["mount_point"] is not None:
            found.setdefault((one["mount_point"], one["source"]), []).append(one["name"])
    return [names for names in found.values() if len(names) > 1]
