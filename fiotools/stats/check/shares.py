"""How much of the I/O reached a device: fio's count of the devices, and how often its jobs slept.

fio's ``disk_util`` counts the requests of the block devices below the files, and since 3.36 their
sectors. Other programs' I/O counts too, so a share is the most that can have come from there. fio
looks every 250 ms, and misses what came after the last look.

A job sleeps until a device has answered, which is a context switch (fio's ``ctx``): with D I/Os in
flight at least once in D I/Os, as all of them may be answered while it sleeps. It need not sleep if
memory answers. This works for runs of any length, and for file systems whose devices fio does not
find; but a job that was interrupted did not sleep for a device, and a job whose processor is full
finds answers without waiting for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf

from fiotools.stats.check.evidence import Evidence, Finding
from fiotools.stats.check.outcomes import Phrase, phrase
from fiotools.stats.check.runs import ASYNC_ENGINES, Row, RunFacts

_DISK_UTIL = "fio's disk_util: the I/O of the device against the I/O of the jobs"
_ENOUGH = 0.9  # a smaller share shows that memory answered, or nothing
PARTLY = 0.1  # of the waits: without a device there are hardly any
_FEWEST = 100  # I/Os
_SHORT = 1.0  # s: in a shorter run fio may miss everything
_MISSED = 0.6  # s: it looks every 250 ms, and on a busy machine twice as late
_LARGEST = 4 << 20  # B of a request: BLK_DEF_MAX_SECTORS_CAP of Linux 6.16, before it 1.25 MiB
_POLLS = ("hipri", "sqthread_poll")  # without sleeping
_FULL = 70.0  # % of a processor: the system's work for the job, and other guests, are not in it
# how much less often a job may have slept than it had to, for its engine: an answer may be there
# before it sleeps, for one of two I/Os of an asynchronous engine, and for one of three on a busy
# machine, where others ran meanwhile; with several in flight honest jobs slept .83 times and more,
# and below .5 times is too seldom
_SELDOM = {"sync": 1.5, "async": 2.0, "deep": 1.8}
_SLEEPING = ("sync", "psync", "vsync", "pvsync")  # pvsync2 may poll, and mmap reads ahead


@dataclass(frozen=True, slots=True)
class Share:
    """How much of the jobs' I/O reached a device, and the limits that decide it.

    Below `short` it is certain that a part did not, because what the count may have missed is less
    than that; from `whole` on nearly all of it did; and a share between the two is unknown.
    """

    counted: float
    short: float
    said: Phrase
    basis: str
    whole: float = inf

    @property
    def is_short(self) -> bool:
        """Whether it is certain that a part of it did not."""
        return self.counted < self.short

    @property
    def is_whole(self) -> bool:
        """Whether it is certain that nearly all of it did."""
        return self.counted >= self.whole

    @property
    def is_between(self) -> bool:
        """Whether a count of devices leaves it open."""
        return self.whole < inf and self.short <= self.counted < self.whole

    def probe(self, check: str, subject: str) -> Finding:
        """Return a check that has the share as its number, and the limit that it was held to."""
        limit = self.short if self.is_short else self.whole
        return Finding(check, subject, 100 * self.counted, 100 * limit, "%", self.basis)


def read_share(run: RunFacts, known: Evidence) -> Share | None:
    """Return the share of the reads that a device answered; None if nothing tells it."""
    if "share" not in run.answers:
        run.answers["share"] = _read_share(run, known)
    found: Share | None = run.answers["share"]
    return found


def _read_share(run: RunFacts, known: Evidence) -> Share | None:
    rows = run.io
    reads = [row for row in rows if row["direction"] == "read"]
    if run.tool != "fio" or not reads or any(row["direction"] == "mixed" for row in rows):
        return None
    each = all(_asks_each(run, row) for row in reads)
    packed = known.compression or 1.0
    ios = sum(row["total_ios"] or 0 for row in reads) / packed
    slept = slept_share(run, reads, ios) if each else None
    counted = _counted(run, reads, each, packed)
    if slept is None or not slept.is_short:
        return counted
    # with several I/Os in flight a job that works all the time need not sleep for a device
    is_deep = any((run.depth(row) or 1) > 1 for row in reads)
    # a cache in front of the device that counts all answers some of them at once
    is_partly = is_deep or slept.counted > PARTLY
    is_decided = counted is not None and (counted.is_short or (counted.is_whole and is_partly))
    return counted if is_decided else slept


def slept_share(run: RunFacts, rows: Sequence[Row], waits: float) -> Share | None:
    """Compare how often fio's jobs slept with how often they had to wait for a device."""
    jobs = {row["entry"]: row for row in run.tables["jobs"]}
    slept = [jobs[row["entry"]]["ctx"] if row["entry"] in jobs else None for row in rows]
    engines = [_engine(run, row) for row in rows]
    depths = {run.depth(row) or 1 for row in rows}
    if waits < _FEWEST or not all(slept) or None in engines or len(depths) > 1:
        return None  # fio for Windows has no count, and writes 0
    if any(row["host"] is not None for row in rows):  # clients
        return None
    if any(name.startswith(("pmem", "dax")) for name in run.disks):
        return None  # nobody sleeps for persistent memory
    depth = depths.pop() if "deep" in engines else 1
    if depth > 1 and not _has_room(run, rows):
        return None
    times = float(sum(filter(None, slept)))
    share = times * depth / waits
    said = phrase("slept", slept=times, n=waits, share=100 * share)
    if depth > 1:
        said = phrase("slept_deep", slept=times, n=waits, share=100 * share, depth=depth)
    short = _ENOUGH / max(_SELDOM[engine] for engine in engines if engine)
    return Share(share, short, said, "fio's ctx: context switches against I/Os")


def _engine(run: RunFacts, row: Row) -> str | None:
    """Tell how a row's engine waits for its I/Os; None if it need not sleep for them."""
    engine = row["ioengine"]
    if engine in _SLEEPING or (engine is None and run.tells_options(row["entry"])):
        return "sync"  # psync is the default
    polls = any(run.option(row["entry"], name) not in (None, "0") for name in _POLLS)
    never_waits = run.option(row["entry"], "iodepth_batch_complete_min") == "0"
    depth = run.depth(row)
    is_helped = run.is_offloading(row["entry"])
    if engine not in ASYNC_ENGINES or polls or never_waits or is_helped:
        return None
    if depth is None:
        return "async" if run.tells_options(row["entry"]) else None
    return "async" if depth == 1 else "deep"


def _has_room(run: RunFacts, rows: Sequence[Row]) -> bool:
    """Whether all jobs that ran with these had room on one processor."""
    groups = {row["group"] for row in rows}
    numbers = {row["entry"]: run.jobs(row) for row in run.io}
    busy = 0.0
    for row in run.tables["jobs"]:
        user, system, count = row["usr_cpu_pct"], row["sys_cpu_pct"], numbers.get(row["entry"], 1)
        if row["group"] in groups:
            if user is None or system is None or count is None:
                return False
            busy += (user + system) * count
    return busy < _FULL


def _counted(run: RunFacts, reads: list[Row], each: bool, packed: float) -> Share | None:
    """Compare the bytes or requests of the devices with those of the jobs."""
    disks = [row for row in run.tables["disks"] if row["read_ios"] is not None]
    is_counting = any(row["read_ios"] or row["write_ios"] for row in disks)
    is_nvme = any((row["device"] or "").startswith("nvme") for row in disks)
    if not disks or (is_nvme and not is_counting):  # the heads of NVMe multipath have zeros
        return None
    is_short = any((row["runtime_s"] or 0.0) < _SHORT for row in reads)
    if is_short or any(run.is_bypassing(row) for row in reads):
        return None
    moved = sum(row["io_bytes"] or 0 for row in reads)
    ios = sum(row["total_ios"] or 0 for row in reads)
    if not moved or ios < _FEWEST:
        return None
    is_bound = False
    if all(row["read_sectors_bytes"] is not None for row in disks):
        counted = at_devices(run, disks, (row["read_sectors_bytes"] for row in disks)) / moved
    elif each:  # requests are split on their way, and hardly merged
        requests = (row["read_ios"] + (row["read_merges"] or 0) for row in disks)
        counted = at_devices(run, disks, requests) / ios
    else:
        counted = at_devices(run, disks, (_LARGEST * row["read_ios"] for row in disks)) / moved
        is_bound = True
    counted *= packed
    short = _ENOUGH - _MISSED / min(row["runtime_s"] for row in reads)
    gave = "gave_most" if is_bound else "gave"
    said = phrase(gave, devices=run.disks, share=100 * min(counted, 1))
    # a loop device is a file of another file system
    is_device = not all((row["device"] or "").startswith("loop") for row in disks)
    whole = _ENOUGH if is_device and not is_bound else inf
    return Share(counted, short, said, _DISK_UTIL, whole)


def _asks_each(run: RunFacts, row: Row) -> bool:
    """Whether each read that misses asks the device for itself: nothing is read ahead."""
    if run.direct(row):
        return True
    is_told = run.option(row["entry"], "fadvise_hint") in (None, "1", "random")
    return "rand" in (row["rw"] or "") and row["ioengine"] != "mmap" and is_told


def at_devices(run: RunFacts, disks: list[Row], values: Iterable[float]) -> float:
    """Add up the devices that lie over others, and those below; return the larger sum."""
    over = {
        row["path"].split(".")[1]
        for row in run.tables["extras"]
        if (row["path"] or "").startswith("disk_util.") and ".aggr" in row["path"]
    }
    sums = {True: 0.0, False: 0.0}
    for row, value in zip(disks, values, strict=True):
        sums[row["device"] in over] += value
    return max(sums.values())


def is_in_memory(run: RunFacts, known: Evidence) -> bool:
    """Whether the files are in memory: their name says so, or nobody waited and no device is there.

    tmpfs takes direct I/O since Linux 6.6.
    """
    return bool(run.memory) or no_device(run, known) is not None


def no_device(run: RunFacts, known: Evidence) -> Share | None:
    """Return the share of direct reads that nobody waited for, where fio found no device."""
    if run.disks or not all(run.direct(row) for row in run.io if row["direction"] == "read"):
        return None
    share = read_share(run, known)
    is_seldom = share is not None and share.is_short and share.counted < PARTLY
    return share if is_seldom else None
