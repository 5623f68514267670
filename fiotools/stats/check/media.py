"""What media can do: how fast their fastest I/Os are, and how often platters turn to the head.

The medium did not answer an I/O that took less time than its kind needs, and a hard disk does not
answer more often than its heads and its turns allow: a cache did, of the machine, of a controller
or of the disk itself.

Two modes of one latency are hits and misses of a cache only if the fast ones are faster than the
medium can be, or if the device gave less than was read: a processor that was taken away, an
interrupt or a throttle makes slow modes, and read-ahead makes fast ones.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import floor, log2

from fiotools.stats.check.evidence import Evidence, Finding
from fiotools.stats.check.link_rate import Flow, busiest, flows, in_one
from fiotools.stats.check.outcomes import Phrase, phrase
from fiotools.stats.check.page_cache import read_share
from fiotools.stats.check.runs import NO_DEVICE, SYNC_ENGINES, Curve, Row, RunFacts


@dataclass(frozen=True, slots=True)
class Medium:
    """A kind of device, and the time that the fastest percent of its I/Os exceeds."""

    name: str
    read_ns: float  # from a random place: the medium itself has to answer
    command_ns: float  # of any I/O: the device's own memory may answer


_ANY = Medium("NVMe SSD", 3e3, 3e3)  # the fastest
_MEDIA = {
    "nvme": _ANY,
    "sata-ssd": Medium("SATA SSD", 20e3, 15e3),
    "hdd": Medium("hard disk", 100e3, 15e3),
}


@dataclass(frozen=True, slots=True)
class Turns:
    """How often a second a hard disk can do something."""

    alone: float  # with one I/O in flight
    queued: float | None  # each of two actuators taking the nearest; None if one turn serves all
    is_physics: bool  # three times as much is impossible: the disk's own memory does not help
    basis: str


_READS = Turns(180, 1000, True, "a seek and half a turn: 60 to 180 /s; 500 /s with a queue")
_WRITES = Turns(1000, 1000, False, "random writes that the disk's own memory puts in order")
_SYNCS = Turns(250, None, True, "a turn for each: 90 to 250 /s at 5,400 to 15,000 turns")
_PLATTER = 300e6  # B/s: the outer tracks of a large disk; two actuators give twice as much
_SLACK = 1.02  # rounding of printed numbers
_APART = 10.0
_LEAST = 0.1  # of the I/Os: a smaller mode is a tail
_ENOUGH = 100  # I/Os: ten in the smaller mode
_VALLEY = 0.25  # of the smaller mode: a shallower valley does not part two modes
# paths and devices with these names are memory
_MEMORY = re.compile(
    r"(?:^|/)(?:dev/shm|run/shm|(?:tmpfs|ramfs|ram-?disk)\d*|z?ram\d+|nullb\d+)(?=/|$)"
)


def medium(run: RunFacts, known: Evidence) -> Iterator[Finding]:
    """Check that there is a medium at all, and that a hard disk can be so fast."""
    if known.is_memory:
        return
    if name := _memory(run):
        yield Finding("medium", "run").found("memory", name=name)
    if known.media == "hdd":
        for flow in in_one(busiest(flows(run, known))):
            yield from _platter(flow, known)


def _memory(run: RunFacts) -> str | None:
    """Return the path or device whose name says that it is memory."""
    named = [row["target"] for row in run.io]
    if run.tool == "fio":
        places = ("directory", "filename")
        named += [run.option(row["entry"], name) for name in places for row in run.io]
    return next((name for name in [*named, *run.disks] if name and _MEMORY.search(name)), None)


def _platter(flow: Flow, known: Evidence) -> Iterator[Finding]:
    rate, limit = flow.rate, _PLATTER * (known.devices or 1)
    if rate <= _SLACK * limit:
        return
    name = "two_actuators" if rate <= 2 * _SLACK * limit else "platter"
    probe = Finding("medium", flow.subject, rate, limit, "B/s")
    yield probe.found(name, rate=rate, times=rate / limit, limit=limit)


def turns(run: RunFacts, known: Evidence) -> Iterator[Finding]:
    """Compare the I/Os per second with the seeks and turns of a hard disk."""
    if known.media != "hdd" or known.is_memory:
        return
    for row in run.wholes():
        bound, syncs = _bound(run, row)
        if bound is None or not row["iops"]:
            continue
        flying = _flying(run, row)
        most = bound.alone if flying == 1 else bound.queued or flying * bound.alone
        rate, limit = row["iops"] / syncs, most * (known.devices or 1)
        name = "within" if rate <= limit else "far_beyond"
        if rate > limit and (rate <= 3 * limit or not bound.is_physics):
            name = "beyond"
        probe = Finding("turns", run.subject(row), rate, limit, "1/s", bound.basis)
        yield probe.found(name, rate=rate, times=rate / limit, limit=limit)


def _bound(run: RunFacts, row: Row) -> tuple[Turns | None, float]:
    """Return the bound of a row, and how many of its I/Os share a flush."""
    entry, is_random = row["entry"], "rand" in (row["rw"] or "")
    if row["direction"] == "read" and is_random:
        # few blocks that are read often lie in the disk's own memory
        is_even = run.option(entry, "random_distribution") in (None, "random")
        return (_READS if is_even else None), 1
    if row["direction"] not in ("write", "copy"):
        return None, 1
    if each := run.waits(entry):
        return _SYNCS, each
    return (_WRITES if is_random else None), 1


def _flying(run: RunFacts, row: Row) -> int:
    """Return the most I/Os in flight; 2, for several, if that is not known."""
    jobs = row["numjobs"] or 1
    if run.tool == "fio":
        jobs = max(jobs, len({other["entry"] for other in run.io}))
    if run.tool == "dd" or row["ioengine"] in SYNC_ENGINES:
        return int(jobs)
    return int(jobs) * (run.depth(row) or (1 if run.tells_options(row["entry"]) else 2))


def fast(run: RunFacts, known: Evidence) -> Iterator[Finding]:
    """Suspect I/Os that are faster than any device of the kind."""
    if known.is_memory or any(name.startswith("pmem") for name in run.disks):
        return
    kind = _MEDIA.get(known.media or "", _ANY)
    share = read_share(run, known)
    is_whole = share is not None and share.is_whole
    for row in run.wholes():
        if row["ioengine"] == "null" or row["target"] in NO_DEVICE:
            continue
        is_direct, is_random = run.direct(row), "rand" in (row["rw"] or "")
        if row["direction"] == "read" and (is_random or is_direct):
            limit = kind.read_ns if is_random else kind.command_ns
            # then a few hits are fine, but a named device is judged
            is_read = is_whole and not (is_direct and known.media)
            yield from _fast_reads(run, row, kind, limit, is_read)
            continue
        is_waiting = row["direction"] == "write" and (is_direct or run.is_sync(row["entry"]))
        # after direct writes there may be nothing left to flush
        if is_waiting or (row["direction"] == "sync" and not is_direct):
            yield from _fast_writes(run, row, kind)


def _fast_reads(
    run: RunFacts, row: Row, kind: Medium, limit: float, is_read: bool
) -> Iterator[Finding]:
    if (found := _fastest(run, row, limit)) is None:
        return
    said, observed = found
    probe = Finding("fast_reads", run.subject(row), observed, limit, "ns")
    name = "slow" if observed >= limit or is_read else "memory"
    yield probe.found(name, said=said, device=kind.name, limit=limit)


def _fast_writes(run: RunFacts, row: Row, kind: Medium) -> Iterator[Finding]:
    limit = kind.command_ns
    if (found := _fastest(run, row, limit)) is None or found[1] >= limit:
        return
    said, observed = found
    probe = Finding("fast_writes", run.subject(row), observed, limit, "ns")
    yield probe.found("memory", said=said, device=kind.name, limit=limit)


def _fastest(run: RunFacts, row: Row, limit: float) -> tuple[Phrase, float] | None:
    """Tell how long the fastest percent of a row's I/Os took, if that says something."""
    first = {
        latency: [point for point in curve if point[0] >= 1][:1]
        for latency, curve in run.curves(row).items()
    }
    whole, clat = row["lat_mean_ns"], row["clat_mean_ns"]
    # if submitting takes the time, clat begins when the work is done
    latency = "lat" if first.get("lat") else "clat"
    if latency == "clat" and (whole is None or clat is None or whole >= 2 * clat):
        return None
    if not first.get(latency):
        return None
    [(percentile, value)] = first[latency]
    # the same I/Os, submitting included, took at least this
    least = max(value + (row["slat_min_ns"] or 0), row["lat_min_ns"] or 0)
    if latency == "clat" and value < limit <= least:
        return phrase("took_more", share=100 - percentile, time=least), least
    if percentile > 1 and value >= limit:
        return None  # the first of a hundred may be faster
    return phrase("took_less", share=percentile, time=value, latency=latency), value


Modes = tuple[float, float, float]  # the share of the fast mode, and where both lie, in ns


def modes(run: RunFacts, known: Evidence) -> Iterator[Finding]:
    """Look for two modes in each direction that has one block size."""
    for row in run.wholes():
        if row["direction"] not in ("read", "write") or row["ioengine"] == "null":
            continue
        bins, curves = run.bins(row), run.curves(row)
        of_bins, of_curve = _most_complete(bins), _most_complete(curves)
        if of_bins is None and of_curve is None:
            continue
        probe = Finding("modes", run.subject(row))
        if row["bs_bytes"] is None:
            yield probe.found("no_size")
            continue
        if row["total_ios"] is not None and row["total_ios"] < _ENOUGH:
            yield probe.found("few", n=row["total_ios"])
            continue
        found = in_bins(bins[of_bins]) if of_bins else _in_curve(curves[of_curve or ""])
        if found is not None and found[1] < (row["lat_min_ns"] or 0):
            # clat begins when the submitting is over, which may have waited for the I/O itself
            yield probe.found("submitting", low=found[1], least=row["lat_min_ns"])
        elif found is None:
            yield probe.found("one")
        else:
            yield _two_modes(probe, run, row, found, known)


def _most_complete(latencies: Collection[str]) -> str | None:
    return "lat" if "lat" in latencies else next((x for x in latencies if x != "slat"), None)


def _two_modes(probe: Finding, run: RunFacts, row: Row, found: Modes, known: Evidence) -> Finding:
    """Suspect reads whose fast mode is a cache's: faster than the medium, or not the device's."""
    fast, low, high = found
    told = {"share": 100 * fast, "low": low, "high": high, "times": high / low}
    probe, share = probe.of(high / low, _APART), read_share(run, known)
    # the fast ones of sequential reads were read ahead
    medium = _MEDIA.get(known.media or "", _ANY)
    is_cached = "rand" in (row["rw"] or "") and low < medium.read_ns
    if share is not None and (share.is_short or share.is_whole):
        is_cached = share.is_short
    if not is_cached or row["direction"] != "read" or known.is_memory:
        return probe.found("two", **told)
    return probe.found("cache", **told)


def in_bins(rows: Sequence[Row]) -> Modes | None:
    """Find the two highest octaves that are far apart with a valley between them.

    fio's coarsest histogram has one bin an octave: anything finer would find valleys in it.
    """
    counts: dict[int, float] = defaultdict(float)
    for row in rows:
        if row["count"] and row["bin_lo_ns"]:
            counts[floor(log2(row["bin_lo_ns"]))] += row["count"]
    every = sum(counts.values())
    if not every:
        return None
    series = [counts[at] for at in range(min(counts), max(counts) + 1)]
    first, top = min(counts), max(range(len(series)), key=series.__getitem__)
    for other in sorted(range(len(series)), key=lambda at: -series[at]):
        if abs(other - top) <= log2(_APART):
            continue
        low, high = sorted((top, other))
        middle = (low + high) / 2  # of several empty places take the one in the middle
        valley = min((series[at], abs(at - middle), at) for at in range(low, high + 1))[2]
        below = sum(series[: valley + 1]) / every
        if series[valley] <= _VALLEY * series[other] and _LEAST <= below <= 1 - _LEAST:
            return below, 2 ** (first + low + 0.5), 2 ** (first + high + 0.5)
    return None


def _in_curve(curve: Curve) -> Modes | None:
    """Find neighbouring percentiles in the bulk that are far apart."""
    for (a, low), (b, high) in pairwise(point for point in curve if point[1]):
        is_bulk = a >= 100 * _LEAST and b <= 100 - 100 * _LEAST and b - a <= 10
        if is_bulk and high > _APART * low:
            return (a + b) / 200, low, high
    return None


def fresh(run: RunFacts, known: Evidence) -> Iterator[Finding]:
    """Compare the bytes written with the capacity: an SSD's cache takes the first of them."""
    if known.media not in ("sata-ssd", "nvme"):
        return
    written = sum(row["io_bytes"] or 0 for row in run.wholes() if row["direction"] == "write")
    if not written:
        return
    probe = Finding("preconditioning", "run", float(written))
    if known.capacity is None and run.disks:
        yield probe.found("unknown_on", moved=written, disks=run.disks)
    elif known.capacity is None:
        yield probe.found("unknown", moved=written)
    elif written < 2 * known.capacity:
        probe = probe.of(float(written), 2 * known.capacity, "B")
        yield probe.found("fresh", moved=written, share=100 * written / known.capacity)
