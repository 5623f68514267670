"""What media can do: how fast their fastest I/Os are, and how often platters turn to the head.

No flash and no platter is asked where an I/O takes less time than the medium's kind needs, or where
a hard disk answers more often than its heads and its turns allow; a cache did, of the machine, of a
controller or of the disk itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from fiotools.hints import argument
from fiotools.language import say
from fiotools.stats.check.device_share import read_share
from fiotools.stats.check.evidence import Evidence
from fiotools.stats.check.finding import Finding
from fiotools.stats.check.flows import busiest, flows, on_link
from fiotools.stats.check.links import Link
from fiotools.stats.check.littles_law import SYNC_ENGINES
from fiotools.stats.check.runs import Row, Run
from fiotools.units import human


@dataclass(frozen=True, slots=True)
class Medium:
    """A kind of device, and what the fastest percent of its I/Os takes longer than.

    Attributes
    ----------
    name : str
    read_ns : float
        A read from a random place: the medium itself has to answer.
    command_ns : float
        Any I/O: the command goes there and back, and the device's own memory may answer.
    """

    name: str
    read_ns: float
    command_ns: float


_ANY = Medium("NVMe SSD", 3e3, 3e3)
MEDIA = {
    "nvme": _ANY,
    "sata-ssd": Medium("SATA SSD", 20e3, 15e3),
    "hdd": Medium("hard disk", 100e3, 15e3),
}


def medium_of(known: Evidence) -> Medium:
    """Give the kind of a device; the fastest, where it is not known."""
    return MEDIA.get(known.media or "", _ANY)


@dataclass(frozen=True, slots=True)
class Turns:
    """How often a second a hard disk can do something.

    Attributes
    ----------
    alone : float
        With one I/O in flight.
    queued : float, optional
        With several, of which each of two actuators takes the nearest; None if one turn can serve
        all of them.
    is_physics : bool
        Whether three times as much is impossible: the disk's own memory does not help.
    basis : str
    """

    alone: float
    queued: float | None
    is_physics: bool
    basis: str


_READS = Turns(180, 1000, True, "a seek and half a turn: 60 to 180 /s; 500 /s with a queue")
_WRITES = Turns(1000, 1000, False, "random writes that the disk's own memory puts in order")
_SYNCS = Turns(250, None, True, "a turn for each: 90 to 250 /s at 5,400 to 15,000 turns")
_PLATTER = 300e6  # B/s: the outer tracks of a large disk; two actuators give twice as much
_SLACK = 1.02  # rounding of what was printed
# what a path or a device is called that is memory
_MEMORY = re.compile(
    r"(?:^|/)(?:dev/shm|run/shm|(?:tmpfs|ramfs|ram-?disk)\d*|z?ram\d+|nullb\d+)(?=/|$)"
)


def medium(run: Run, known: Evidence) -> Iterator[Finding]:
    """Ask whether there is a medium at all, and whether a hard disk's can be so fast."""
    if known.is_memory:
        return
    if name := _memory(run):
        why = say("{name} is memory, and no device", name=name)
        remedy = say("measure a file on the device, or declare {ram}", ram=argument("media", "ram"))
        yield Finding("medium", "run", "suspect", why, "the name of the file or device", remedy)
    if known.media != "hdd":
        return
    for flow in on_link(Link("", 1, True, ""), busiest(flows(run, known))):
        yield from _platter(flow.subject, flow.rate, known)


def _memory(run: Run) -> str | None:
    """Give the path or the device that is called as memory is."""
    named = [row["target"] for row in run.io]
    if run.tool == "fio":
        named += [run.option(row["entry"], "directory") for row in run.io]
        named += [run.option(row["entry"], "filename") for row in run.io]
    return next((name for name in [*named, *run.disks] if name and _MEMORY.search(name)), None)


def _platter(subject: str, rate: float, known: Evidence) -> Iterator[Finding]:
    limit = _PLATTER * (known.devices or 1)
    if rate <= _SLACK * limit:
        return
    said = say(
        "{rate} is {times} times what the platters of a hard disk give at best (about {limit})",
        rate=human(rate, "B/s"),
        times=f"{rate / limit:.3g}",
        limit=human(limit, "B/s"),
    )
    basis = "outer tracks of large hard disks, as their makers state it"
    figures = (rate, limit, "B/s")
    if rate <= 2 * _SLACK * limit:
        remedy = say("only disks with two actuators are so fast: say that it is one")
        yield Finding("medium", subject, "ok", said, basis, remedy, *figures)
        return
    yield Finding("medium", subject, "suspect", said, basis, not_the_disk(), *figures)


def turns(run: Run, known: Evidence) -> Iterator[Finding]:
    """Hold I/Os a second against the seeks and turns of a hard disk."""
    if known.media != "hdd" or known.is_memory:
        return
    for row in run.wholes():
        bound, syncs = _bound(run, row)
        if bound is None or not row["iops"]:
            continue
        flying = _flying(run, row)
        most = bound.alone if flying == 1 else bound.queued or flying * bound.alone
        rate, limit = row["iops"] / syncs, most * (known.devices or 1)
        said = say(
            "{rate} are {times} times the {limit} that the seeks and turns of a hard disk leave",
            rate=human(rate, "1/s"),
            times=f"{rate / limit:.3g}",
            limit=human(limit, "1/s"),
        )
        subject, figures = run.subject(row), (rate, limit, "1/s")
        if rate <= limit:
            yield Finding("turns", subject, "ok", said, bound.basis, None, *figures)
        elif rate <= 3 * limit or not bound.is_physics:
            yield Finding("turns", subject, "suspect", said, bound.basis, not_the_disk(), *figures)
        else:
            why = say("{said}: impossible as a rate of the disk", said=said)
            yield Finding(
                "turns", subject, "impossible", why, bound.basis, not_the_disk(), *figures
            )


def _bound(run: Run, row: Row) -> tuple[Turns | None, float]:
    """Say what bounds a row, and how many of its I/Os share a flush."""
    entry, is_random = row["entry"], "rand" in (row["rw"] or "")
    if row["direction"] == "read" and is_random:
        # few blocks that are read often lie in the disk's own memory
        is_even = run.option(entry, "random_distribution") in (None, "random")
        return (_READS if is_even else None), 1
    if row["direction"] not in ("write", "copy"):
        return None, 1
    if waits(run, entry):
        return _SYNCS, 1
    if each := syncs(run, entry):
        return _SYNCS, each
    return (_WRITES if is_random else None), 1


def waits(run: Run, entry: int | None) -> bool:
    """Whether each write waits until it is stored: O_SYNC or O_DSYNC."""
    if run.tool == "dd":
        flags = (run.option(entry, "oflag") or "").split(",")
        return "sync" in flags or "dsync" in flags
    return run.option(entry, "sync") not in (None, "", "0", "none")


def syncs(run: Run, entry: int | None) -> int | None:
    """Give the number of writes after which each is flushed, if they are while the job runs."""
    for name in ("fsync", "fdatasync"):
        number = run.option(entry, name) or "0"
        if number.isdecimal() and int(number):
            return int(number)
    return None


def _flying(run: Run, row: Row) -> int:
    """Give the I/Os in flight at most; 2, for several, where that is not known."""
    jobs = row["numjobs"] or 1
    if run.tool == "fio":
        jobs = max(jobs, len({other["entry"] for other in run.io}))
    if run.tool == "dd" or row["ioengine"] in SYNC_ENGINES:
        return int(jobs)
    depth = row["iodepth"] or run.default(row["entry"], "iodepth")
    return int(jobs) * int(depth or (1 if run.tells_options(row["entry"]) else 2))


def fast(run: Run, known: Evidence) -> Iterator[Finding]:
    """Suspect I/Os that are faster than any device of the kind."""
    if known.is_memory or any(name.startswith("pmem") for name in run.disks):
        return
    kind = medium_of(known)
    share = read_share(run, known)
    is_whole = share is not None and share.is_whole
    for row in run.wholes():
        if row["ioengine"] == "null" or row["target"] in ("/dev/zero", "/dev/null"):
            continue
        is_direct, is_random = run.direct(row), "rand" in (row["rw"] or "")
        if row["direction"] == "read" and (is_random or is_direct):
            limit = kind.read_ns if is_random else kind.command_ns
            # then a few hits are no fault, but a device that was named is another
            is_read = is_whole and not (is_direct and known.media)
            yield from _fast_reads(run, row, kind, limit, is_read)
            continue
        is_waiting = row["direction"] == "write" and (is_direct or waits(run, row["entry"]))
        if is_waiting or row["direction"] == "sync":
            yield from _fast_writes(run, row, kind)


def _fast_reads(run: Run, row: Row, kind: Medium, limit: float, is_read: bool) -> Iterator[Finding]:
    if (found := _fastest(run, row, limit)) is None:
        return
    said, observed = found
    basis, figures = _basis(kind, limit), (observed, limit, "ns")
    if observed >= limit or is_read:
        yield Finding("fast_reads", run.subject(row), "ok", said, basis, None, *figures)
        return
    name = say(kind.name)
    why = say("{said}: faster than any {device}, so memory answered them", said=said, device=name)
    warm = argument("cache", "warm")
    remedy = say("set direct=1, prefill the file, or declare {warm}", warm=warm)
    yield Finding("fast_reads", run.subject(row), "suspect", why, basis, remedy, *figures)


def _fast_writes(run: Run, row: Row, kind: Medium) -> Iterator[Finding]:
    if (found := _fastest(run, row, kind.command_ns)) is None or found[1] >= kind.command_ns:
        return
    said, observed = found
    why = say(
        "{said}: faster than any {device}, so memory took them", said=said, device=say(kind.name)
    )
    basis, figures = _basis(kind, kind.command_ns), (observed, kind.command_ns, "ns")
    yield Finding("fast_writes", run.subject(row), "suspect", why, basis, not_the_disk(), *figures)


def _basis(kind: Medium, limit: float) -> str:
    return f"the fastest I/Os of any {kind.name}, about {human(limit, 'ns')}"


def _fastest(run: Run, row: Row, limit: float) -> tuple[str, float] | None:
    """Say how long the fastest percent of a row's I/Os took, where that tells something."""
    p1 = run.fastest.get((row["entry"], row["direction"], row["scope"]), {})
    whole, clat = row["lat_mean_ns"], row["clat_mean_ns"]
    # where submitting takes the time, clat begins when the work is done
    latency = "lat" if "lat" in p1 else "clat"
    if latency == "clat" and (whole is None or clat is None or whole >= 2 * clat):
        return None
    if latency not in p1:
        return None
    percentile, value = p1[latency]
    # the same I/Os, submitting included, took at least this
    least = max(value + (row["slat_min_ns"] or 0), row["lat_min_ns"] or 0)
    if latency == "clat" and value < limit <= least:
        return say(
            "{share} % of the I/Os took {time} or more, submitting included",
            share=f"{100 - percentile:.3g}",
            time=human(least, "ns"),
        ), least
    if percentile > 1 and value >= limit:
        return None  # the first of a hundred may be faster
    return say(
        "{share} % of the I/Os took less than {time} ({latency})",
        share=f"{percentile:.3g}",
        time=human(value, "ns"),
        latency=latency,
    ), value


def not_the_disk() -> str:
    """Advise against a figure that no disk can have made."""
    return say(
        "do not report it as a rate of the disk: empty the caches of guest and host, flush, use "
        "random data, and count the bytes at the device; {compression} says how far it is packed",
        compression=argument("compression"),
    )
