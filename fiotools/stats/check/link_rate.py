"""Rates and bytes against the link: no more passes than it carries, and memory holds the rest.

A guest's disks are what their host makes up, so a file never proves a hard disk or a link. The
kernel names NVMe; it does not say how fast a link is.

The byte budget uses the longest time there is: the tool's, or that of the `time` around it. Bytes
that are moved repeatedly count once, so the size of the file bounds them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from math import expm1
from typing import Any

from fiotools.links import Link
from fiotools.stats.check.evidence import Evidence, Finding
from fiotools.stats.check.outcomes import phrase
from fiotools.stats.check.runs import Row, RunFacts

_TWO_WAY = ("mixed", "total")
_NO_DATA = ("sync", "trim")  # a command goes over the link, and none of the bytes that it names
_SLACK = 1.02  # rounding of printed numbers
_FASTEST = 64e9  # B/s: PCIe 5.0 x16, the fastest link of one device
_NVME = re.compile(r"nvme\d+(?:c\d+)?n\d+(?:p\d+)?")
# options that keep I/Os in a part of the file
_CORNERS = (
    *("zonemode", "zonesize", "zonerange", "percentage_random", "rw_sequencer"),
    *("read_iolog", "-rd", "-f", "-B", "Target/MaxFileSize", "Target/BaseFileOffset"),
)


@dataclass(frozen=True, slots=True)
class Flow:
    """Bytes that went in one direction (`mixed` and `total`: in both) within one time."""

    subject: str
    direction: str
    rate: float
    moved: float | None = None
    seconds: float | None = None
    row: Row | None = None
    is_sum: bool = False  # of all jobs

    @property
    def is_two_way(self) -> bool:
        """Whether the rate is of reads and writes together."""
        return self.direction in _TWO_WAY


def flows(run: RunFacts, known: Evidence) -> list[Flow]:
    """List every certain rate of a run: each row's, and those of jobs side by side."""
    clients = [row for row in run.io if row["scope"] == "client"]
    several_hosts = len({row["host"] for row in clients}) > 1  # each had the links to itself
    found = [
        Flow(
            run.subject(row),
            row["direction"] or "",
            row["bw_bytes_per_s"],
            row["io_bytes"],
            row["runtime_s"],
            row,
        )
        for row in (clients if several_hosts else run.wholes())
        if row["bw_bytes_per_s"] is not None and _has_data(row)
    ]
    found += _together(run)
    timing = run.timing
    if not found and known.moved is not None and timing is not None:
        took = timing["real_s"] if timing["real_s"] is not None else timing["real_mean_s"]
        if took:
            found.append(Flow("command", "", known.moved / took, known.moved, took))
    return found


def _has_data(row: Row) -> bool:
    """Whether the bytes of a row went over the link."""
    is_trimmed = row["direction"] in _TWO_WAY and "trim" in (row["rw"] or "")
    return row["direction"] not in _NO_DATA and not is_trimmed


def _together(run: RunFacts) -> Iterator[Flow]:
    """Add up the jobs of a fio run that has one group, over its whole time.

    The rates are not added, because the jobs may not have overlapped. But all of them were done
    within the time that fio ran.
    """
    rows = [row for row in run.wholes() if _has_data(row)]
    elapsed, groups = run.head["duration_s"], {row["group"] for row in rows}
    is_whole = any(row["scope"] in ("total", "client") for row in rows)
    if run.tool != "fio" or not elapsed or is_whole or len(groups) > 1:
        return
    for direction in dict.fromkeys(row["direction"] for row in rows):
        amounts = [row["io_bytes"] for row in rows if row["direction"] == direction]
        if len(amounts) > 1 and None not in amounts:
            moved = float(sum(amounts))
            yield Flow(
                f"{direction} of all jobs", direction, moved / elapsed, moved, elapsed, is_sum=True
            )


def busiest(several: list[Flow]) -> list[Flow]:
    """Keep the fastest flow of each direction; totals only if there is nothing else."""
    best: dict[str, Flow] = {}
    for flow in several:
        best[flow.direction] = max(best.get(flow.direction, flow), flow, key=lambda one: one.rate)
    one_way = [flow for flow in best.values() if not flow.is_two_way]
    return one_way or list(best.values())


def in_one(found: list[Flow]) -> list[Flow]:
    """Add up reads and writes that share the link; two entries may not have run together."""
    ways = [flow for flow in found if flow.direction in ("read", "write")]
    if len(ways) < 2 or len({flow.row["entry"] if flow.row else None for flow in ways}) > 1:
        return found
    rate = sum(flow.rate for flow in ways)
    return [replace(ways[0], subject="read and write", direction="total", rate=rate)]


def ceiling(run: RunFacts, known: Evidence) -> Iterator[Finding]:
    """Compare the rate of each direction with what the link carries."""
    found = busiest(flows(run, known))
    if not found:
        if any(_has_data(row) for row in run.io) or (run.timing is not None and not run.io):
            yield Finding("link", "run").found("no_bytes")
    elif known.link is None:
        rates = [flow.rate for flow in found]
        probe = Finding("link", "run", max(rates), None, "B/s")
        limit = _FASTEST * (known.devices or 1) * (known.compression or 1.0)
        if run.tool == "dd" and max(rates) > _SLACK * limit and not known.is_memory:
            yield probe.of(max(rates), limit, "B/s").found(
                "beyond_all", rate=max(rates), limit=limit
            )
        else:
            yield probe.found("unknown", rates=rates)
    else:
        for flow in in_one(found) if known.link.is_shared else found:
            yield _carried(flow, known.link, known)


def _carried(flow: Flow, link: Link, known: Evidence) -> Finding:
    both = 2 if flow.is_two_way and not link.is_shared else 1
    limit = (known.carried or 0.0) * both
    times = flow.rate / limit
    several = (known.devices or 1) > 1
    links = phrase("links", n=known.devices) if several else phrase("one_link")
    ways = "both_ways" if both == 2 else "one_way"
    carried = phrase(ways, limit=limit, links=links, name=link.name)
    if known.compression:
        carried = phrase("packed", carried=carried, times=known.compression)
    told = {"rate": flow.rate, "times": times, "carried": carried}
    probe = Finding("link", flow.subject, flow.rate, limit, "B/s", link.basis)
    if times <= _SLACK:
        return probe.found("carried", **told)
    return probe.found("memory" if known.is_memory else "beyond", **told)


def media_of(run: RunFacts) -> str | None:
    """Tell the kind of a run's devices if their names leave no doubt."""
    is_nvme = run.disks and all(_NVME.fullmatch(name) for name in run.disks)
    return "nvme" if is_nvme else None


def budget(run: RunFacts, known: Evidence) -> Iterator[Finding]:
    """Account for the bytes of each direction: in memory, or over the link."""
    if known.is_memory:
        return
    real, carried = run.timing["real_s"] if run.timing else None, known.carried or 0.0
    # the job that is hardest to account for
    hardest: dict[str, tuple[float, Flow, float | None, float]] = {}
    for flow in flows(run, known):
        if flow.direction != "total" and not flow.is_sum:
            distinct, took = _distinct(run, flow), max(flow.seconds or 0.0, real or 0.0)
            left = (distinct or 0.0) - carried * took
            if flow.direction not in hardest or left > hardest[flow.direction][0]:
                hardest[flow.direction] = (left, flow, distinct, took)
    for _, flow, distinct, took in hardest.values():
        is_sized = flow.row is not None and any(row["size_bytes"] for row in run.io)
        yield _spent(Finding("budget", flow.subject), distinct, took, known, is_sized)


def _spent(
    probe: Finding, distinct: float | None, took: float, known: Evidence, is_sized: bool
) -> Finding:
    if is_sized and distinct is None:
        return probe.found("part")
    if distinct is None or not took:
        return probe.found("no_size")
    terms = {"ram": known.ram, "link": known.carried, "host_ram": known.host_ram}
    missing = [phrase(name) for name, value in terms.items() if value is None]
    if known.ram is None or known.carried is None:
        probe = probe.of(distinct, None, "B")
        return probe.found("unknown", moved=distinct, time=took, missing=missing)
    carried = known.carried * took
    told = {"moved": distinct, "ram": known.ram, "carried": carried, "time": took}
    said = phrase("in_guest", **told)
    if known.host_ram:
        said = phrase("in_host", **told, host=known.host_ram)
    limit = known.ram + carried + (known.host_ram or 0.0)
    probe, rest = probe.of(distinct, limit, "B"), distinct - limit
    if rest <= 0.01 * distinct:
        return probe.found("fits", said=said)
    left = {"said": said, "rest": rest, "share": 100 * rest / distinct}
    if known.host_ram is None:
        return probe.found("host", **left, missing=missing)
    return probe.found("never", **left)


def _distinct(run: RunFacts, flow: Flow) -> float | None:
    """Bound the different bytes from below, however often they were moved.

    Jobs may have a file each or share one, so only what one of them moved is certain. Uniformly
    random I/O of n bytes in a file of s reaches s (1 - exp(-n / s)) of it; other patterns may stay
    in a part of the file.
    """
    row = flow.row
    if row is None or run.tool == "dd":
        return flow.moved
    if row["size_bytes"] or row["scope"] != "total":
        return _reached(run, row, flow.moved, run.jobs(row))
    # DISKSPD's total over several targets has no size, but its threads have one for each
    targets = defaultdict[Any, list[Row]](list)
    for own in run.io:
        if own["scope"] == "thread" and own["direction"] == flow.direction:
            targets[own["target"]].append(own)
    each = [
        _reached(run, own[0], _sum(one["io_bytes"] for one in own), len(own))
        for own in targets.values()
    ]
    return _sum(each) if each else None


def _reached(run: RunFacts, row: Row, moved: float | None, jobs: int | None) -> float | None:
    """Bound the different bytes of one file that its jobs moved."""
    size = row["size_bytes"]
    if not size or moved is None or not jobs or row["rw"] is None:
        return None
    if run.given(row["entry"], _CORNERS):
        return None
    if any("Distribution" in name for name in run.all_options):  # DISKSPD's
        return None
    each = moved / jobs
    if "rand" not in row["rw"]:
        return float(min(each, size))
    if run.option(row["entry"], "random_distribution") not in (None, "random"):
        return None
    # DISKSPD's options are those of all entries
    is_told = run.tells_options(None if run.tool == "diskspd" else row["entry"])
    return float(size * -expm1(-each / size)) if is_told else None


def _sum(amounts: Iterable[float | None]) -> float | None:
    """Add up amounts; None if one is missing."""
    known = [*amounts]
    return None if None in known else float(sum(filter(None, known)))
