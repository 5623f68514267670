"""How much of a job's I/O reached a device: the device's own count, and how often the job slept.

fio's ``disk_util`` counts the requests of the block devices below the files, and since 3.36 their
sectors. Other programs' I/O counts too, so a share is the most that can have come from there. fio
looks every 250 ms, and misses what came after the last look.

A job with one I/O in flight sleeps until a device has answered, which is a context switch (fio's
``ctx``); it need not sleep if memory answers. This works for runs of any length, and for file
systems whose devices fio does not find; but a job that was interrupted did not sleep for a device.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from fiotools.language import listed, say
from fiotools.stats.check.evidence import Evidence
from fiotools.stats.check.finding import Finding, Probe
from fiotools.stats.check.runs import Row, Run

_DISK_UTIL = "fio's disk_util: the I/O of the device against the I/O of the jobs"
_ENOUGH = 0.9  # a smaller share shows that memory answered, or nothing
_FAR = 1.5  # times: more than a journal and other programs explain
_FEWEST = 100  # I/Os
_SHORT = 1.0  # s: in a shorter run fio may miss everything
_MISSED = 0.6  # s: it looks every 250 ms, and on a busy machine twice as late
_LARGEST = 4 << 20  # B of a request: BLK_DEF_MAX_SECTORS_CAP of Linux 6.16, before it 1.25 MiB
_ASYNC = ("libaio", "io_uring")
_SLEEPING = ("sync", "psync", "vsync", "pvsync")  # pvsync2 may poll, and mmap reads ahead


@dataclass(frozen=True, slots=True)
class Share:
    """How much of the jobs' I/O reached a device.

    Attributes
    ----------
    counted, most : float
        The share that was counted, and the same with what fio may have missed.
    is_whole : bool
        Whether it is certain that nearly all of it did.
    said, basis : str
    """

    counted: float
    most: float
    is_whole: bool
    said: str
    basis: str

    @property
    def is_short(self) -> bool:
        """Whether it is certain that a part of it did not."""
        return self.most < _ENOUGH

    def probe(self, check: str, subject: str) -> Probe:
        """Return a check that has the share as its number."""
        return Probe(check, subject, self.basis, 100 * self.counted, 100 * _ENOUGH, "%")


def read_share(run: Run, known: Evidence) -> Share | None:
    """Return the share of the reads that a device answered; None if nothing tells it."""
    rows = run.wholes()
    reads = [row for row in rows if row["direction"] == "read"]
    if run.tool != "fio" or not reads or any(row["direction"] == "mixed" for row in rows):
        return None
    each = all(_asks_each(run, row) for row in reads)
    packed = known.compression or 1.0
    ios = sum(row["total_ios"] or 0 for row in reads) / packed
    slept = _slept(run, reads, ios) if each else None
    if slept is not None and slept.is_short:
        return slept
    return _counted(run, reads, each, packed)


def amplified(run: Run, known: Evidence) -> Iterator[Finding]:
    """Note devices that moved many times what the jobs read or wrote; needs their sectors."""
    del known
    for direction in ("read", "write"):
        name = f"{direction}_sectors_bytes"
        disks = run.tables["disks"]
        moved = sum(row["io_bytes"] or 0 for row in run.wholes() if row["direction"] == direction)
        if run.tool != "fio" or not moved or not disks or any(row[name] is None for row in disks):
            continue
        times = _at(run, disks, (row[name] for row in disks)) / float(moved)
        if times > _FAR:
            why = say(
                "{devices} moved {times} times what the jobs did: read-ahead, read-modify-write, "
                "copy on write, copies, or other programs",
                devices=listed(run.disks),
                times=f"{times:.3g}",
            )
            remedy = say("it wears the device and costs performance")
            yield Probe("amplified", direction, _DISK_UTIL, times, _FAR).ok(why, remedy)


def waited_share(run: Run, row: Row, waits: float) -> Share | None:
    """Return the share of a row's awaited writes or flushes that its job slept for."""
    return _slept(run, [row], waits) if run.tool == "fio" else None


def _slept(run: Run, rows: Sequence[Row], waits: float) -> Share | None:
    """Compare how often jobs slept with how often they had to."""
    jobs = {row["entry"]: row["ctx"] for row in run.tables["jobs"]}
    slept = [jobs.get(row["entry"]) for row in rows]
    engines = [_engine(run, row) for row in rows]
    if waits < _FEWEST or not all(slept) or None in engines or _is_lasting(run):
        return None  # fio for Windows has no count, and writes 0
    if any(row["scope"] not in ("job", "group") for row in rows):
        return None
    times = float(sum(filter(None, slept)))
    said = say(
        "a job sleeps until a device has answered, and slept {slept} times in {n} I/Os",
        slept=f"{times:,.0f}",
        n=f"{waits:,.0f}",
    )
    # an answer may be there before the job sleeps: for one of two I/Os of an asynchronous engine,
    # and for one of three on a busy machine, where others ran meanwhile
    most = times / waits * (2.0 if "async" in engines else 1.5)
    return Share(times / waits, most, False, said, "fio's ctx: context switches against I/Os")


def _engine(run: Run, row: Row) -> str | None:
    """Tell how a row's engine waits for each I/O by itself; None if it does not, or may poll."""
    engine = row["ioengine"]
    if engine in _SLEEPING or (engine is None and run.tells_options(row["entry"])):
        return "sync"  # psync is the default
    polls = any(run.option(row["entry"], name) for name in ("hipri", "sqthread_poll"))
    depth = row["iodepth"] or run.default(row["entry"], "iodepth")
    is_alone = depth == 1 or (depth is None and run.tells_options(row["entry"]))
    return "async" if engine in _ASYNC and is_alone and not polls else None


def _is_lasting(run: Run) -> bool:
    """Whether a device of the run is persistent memory, for which nobody sleeps."""
    return any(name.startswith(("pmem", "dax")) for name in run.disks)


def _counted(run: Run, reads: list[Row], each: bool, packed: float) -> Share | None:
    """Compare the bytes or requests of the devices with those of the jobs."""
    disks = [row for row in run.tables["disks"] if row["read_ios"] is not None]
    if not disks or _is_blind(disks):
        return None
    if any(run.is_bypassing(row) for row in reads):
        return None
    if any((row["runtime_s"] or 0.0) < _SHORT for row in reads):
        return None
    moved = sum(row["io_bytes"] or 0 for row in reads)
    ios = sum(row["total_ios"] or 0 for row in reads)
    if not moved or ios < _FEWEST:
        return None
    is_bound = False
    if all(row["read_sectors_bytes"] is not None for row in disks):
        counted = _at(run, disks, (row["read_sectors_bytes"] for row in disks)) / moved
    elif each:  # requests are split on their way, and hardly merged
        requests = (row["read_ios"] + (row["read_merges"] or 0) for row in disks)
        counted = _at(run, disks, requests) / ios
    else:
        counted = _at(run, disks, (_LARGEST * row["read_ios"] for row in disks)) / moved
        is_bound = True
    counted *= packed
    most = counted + _MISSED / min(row["runtime_s"] for row in reads)
    words = {"devices": listed(run.disks), "share": f"{100 * min(counted, 1):.3g}"}
    said = say("{devices} gave {share} % of what was read", **words)
    if is_bound:
        said = say("{devices} gave at most {share} % of what was read", **words)
    # a loop device is a file of another file system
    is_device = not all((row["device"] or "").startswith("loop") for row in disks)
    is_whole = is_device and not is_bound and most >= _ENOUGH
    return Share(counted, most, is_whole, said, _DISK_UTIL)


def _is_blind(disks: list[Row]) -> bool:
    """Whether the device never counts: the heads of NVMe multipath have zeros."""
    some = any(row[name] for row in disks for name in ("read_ios", "write_ios"))
    return not some and any((row["device"] or "").startswith("nvme") for row in disks)


def _asks_each(run: Run, row: Row) -> bool:
    """Whether each read that misses asks the device for itself: nothing is read ahead."""
    if run.direct(row):
        return True
    is_told = run.option(row["entry"], "fadvise_hint") in (None, "1", "random")
    return "rand" in (row["rw"] or "") and row["ioengine"] != "mmap" and is_told


def _at(run: Run, disks: list[Row], values: Iterable[float]) -> float:
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
