"""The page cache and unwritten blocks: whether what was read came from the device.

Memory means the guest's and the host's. fio's count of the device's I/O decides if there is one.
Else fio asks the kernel to drop the cache of its files first (``invalidate=1``), which keeps dirty
pages, so a file smaller than memory proves nothing; dd and DISKSPD drop nothing. Direct I/O
bypasses the guest's cache, but not a cache that a file system keeps itself, nor any other.

A read of an unwritten block (sparse file, dynamic VHDX, thin volume, fresh SSD) returns zeros
without I/O, and direct I/O does not help. The device's own count shows it.
"""

from __future__ import annotations

from collections.abc import Iterator

from fiotools.errors import argument, typed
from fiotools.language import listed, say
from fiotools.stats.check.device_share import Share, read_share
from fiotools.stats.check.evidence import Evidence
from fiotools.stats.check.finding import Finding, Probe, host, keep_options
from fiotools.stats.check.link_rate import flows
from fiotools.stats.check.runs import NO_DEVICE, RANDOM, Row, Run
from fiotools.units import human

_FIO = "fio, HOWTO: direct, invalidate, pre_read"
_TWICE = "twice the memory, so that most of it cannot be cached"


def pagecache(run: Run, known: Evidence) -> Iterator[Finding]:
    """Check for every read whether memory answered it."""
    wholes = run.wholes()
    apart = {row["entry"] for row in wholes if row["direction"] == "read"}
    for row in wholes:
        is_mixed = row["direction"] == "mixed" and row["entry"] not in apart
        if row["direction"] != "read" and not is_mixed:
            continue
        if known.is_memory:
            basis = typed("the arguments cache=, media=", "the options --cache, --media")
            why = say("memory was measured, as declared")
            yield Probe("cache", run.subject(row), basis).ok(why)
        elif row["ioengine"] != "null" and row["target"] not in NO_DEVICE:
            yield _fio(run, row, known) if run.tool == "fio" else _plain(run, row, known)


def _fio(run: Run, row: Row, known: Evidence) -> Finding:
    entry, probe = row["entry"], Probe("cache", run.subject(row), _FIO)
    direct = run.direct(row)
    if run.is_bypassing(row):
        return _guest_ok(probe, bypassing(row), known)
    if direct:
        return _direct(run, probe, known)
    remedy = say("set direct=1, or declare {warm}", warm=argument("cache", "warm"))
    for option, bad in (("invalidate", "0"), ("pre_read", "1")):
        if run.option(entry, option) == bad:
            why = say(
                "{option}={value} without direct=1: the file is in the page cache already",
                option=option,
                value=bad,
            )
            return probe.suspect(why, remedy)
    share = read_share(run, known)
    if share is not None and share.is_whole:
        return _guest_ok(share.probe("cache", probe.subject), share.said, known)
    if share is not None and share.is_short:
        why = say("{said}: the rest came from memory", said=share.said)
        return share.probe("cache", probe.subject).suspect(why, remedy)
    if direct is None:
        why = say(
            "the report does not tell whether direct=1 was set, and direct=1 does not bypass a "
            "host's cache"
        )
        return probe.unknown(why, listed([keep_options(), host()], "; "))
    ask = listed([say("set direct=1"), host()], "; ")
    if row["direction"] == "mixed" and row["rw"] not in ("read", "randread"):
        why = say("without direct=1, and reads and writes are in one number")
        return probe.unknown(why, ask)
    size, moved = row["size_bytes"], row["io_bytes"]
    jobs = (row["numjobs"] or 1) if row["scope"] != "job" else 1
    held = None if known.ram is None else known.ram + (known.host_ram or 0.0)
    if size and held is not None and size * jobs >= 2 * held:
        said = say(
            "the file is {times} times as large as the memory", times=f"{size * jobs / held:.3g}"
        )
        return _guest_ok(Probe("cache", probe.subject, _TWICE), said, known)
    if size and moved and moved > 1.01 * size * jobs:
        words = {"moved": human(moved, "B"), "size": human(size * jobs, "B")}
        again = probe.of(float(moved), float(size * jobs), "B")
        if run.option(entry, "norandommap") not in (None, "0"):
            why = say(
                "{moved} were read at random from {size} without direct=1: repeated reads came "
                "from the page cache",
                **words,
            )
            return again.suspect(why, remedy)
        why = say(
            "{moved} were read from {size} without direct=1: fio drops the cache before each pass, "
            "but not dirty pages",
            **words,
        )
        return again.unknown(why, ask)
    if size is None or not run.tells_options(entry):
        why = say("without direct=1, and the size of the file is not in the report")
        return probe.unknown(why, ask)
    why = say(
        "without direct=1: fio drops the cache first, but not dirty pages, and some file systems "
        "keep all pages"
    )
    return probe.unknown(why, ask)


def _direct(run: Run, probe: Probe, known: Evidence) -> Finding:
    if files := [name for name in run.disks if name.startswith("loop")]:
        why = say(
            "{device} is a file on another file system, and direct=1 does not bypass the cache of "
            "that",
            device=listed(files),
        )
        remedy = say("attach it with losetup --direct-io=on, and count the bytes below it")
        return probe.unknown(why, remedy)
    said = say("direct=1 bypasses the page cache")
    if run.tables["disks"]:
        return _guest_ok(probe, said, known)
    why = say("{said}, but not ZFS's own, and no device was counted", said=said)
    return probe.unknown(why, listed([say("count the bytes at the device"), host()], "; "))


def _plain(run: Run, row: Row, known: Evidence) -> Finding:
    """Check dd, DISKSPD and CrystalDiskMark, which drop nothing."""

    def probe(basis: str) -> Probe:
        return Probe("cache", run.subject(row), basis)

    if row["direct"]:
        said = say("direct I/O bypasses the page cache")
        return _guest_ok(probe("direct I/O"), said, known)
    if run.tool != "dd" and row["direct"] is None:
        why = say("the report does not tell whether the page cache was off")
        return probe("DISKSPD, -Su and -Sh").unknown(why, say("use -Sh"))
    if run.drops_cache:
        said = say("the command drops the cache first")
        return _guest_ok(probe("the command line"), said, known)
    size = row["io_bytes"] if run.tool == "dd" else row["size_bytes"]
    if size is None or known.ram is None:
        return probe(_TWICE).unknown(
            say("the page cache was on, and the size of the memory is not known"),
            say(
                "give {ram}, such as {example}",
                ram=argument("ram"),
                example=typed('ram="8GB"', "--ram 8GB"),
            ),
        )
    held = known.ram + (known.host_ram or 0.0)
    share = {"size": human(size, "B"), "share": f"{100 * size / held:.2g}"}
    said = say("{size} through the page cache, {share} % of the memory", **share)
    if size >= held:
        share["times"] = f"{size / held:.3g}"
        said = say("{size} through the page cache, {times} times the memory", **share)
    twice = probe(_TWICE).of(float(size), 2 * held, "B")
    if size < 2 * held:
        warm = argument("cache", "warm")
        remedy = say("drop the cache first, use direct I/O, or declare {warm}", warm=warm)
        return twice.suspect(said, remedy)
    if known.host_ram is None:
        why = say("{said} of the guest; the size of a host's cache is not known", said=said)
        return twice.unknown(why, host())
    return twice.ok(said)


def _guest_ok(probe: Probe, why: str, known: Evidence) -> Finding:
    if known.host_ram == 0:
        return probe.ok(why)
    return probe.unknown(listed([why, say("a host may cache")], "; "), host())


def bypassing(row: Row) -> str:
    """Tell that a row's engine has no page cache to bypass."""
    return say("ioengine={engine} does not use the page cache of files", engine=row["ioengine"])


_UNWRITTEN = "unallocated blocks read as zeros without I/O"


def sparse(run: Run, known: Evidence) -> Iterator[Finding]:
    """Check that the blocks that were read had been written."""
    if known.media == "ram":
        return
    share = read_share(run, known)
    rate = max((flow.rate for flow in flows(run, known) if flow.direction == "read"), default=0.0)
    for row in run.wholes():
        is_read = row["direction"] in ("read", "mixed") and row["ioengine"] != "null"
        if is_read and row["target"] not in (*NO_DEVICE, *RANDOM):
            yield _read(run, row, known, share, rate)


def _read(run: Run, row: Row, known: Evidence, share: Share | None, rate: float) -> Finding:
    subject = run.subject(row)
    probe, declared = Probe("sparse", subject, _UNWRITTEN), argument("prefilled", True)
    remedy = say(
        "fill the file with random data first, and discard the first pass ({prefilled} says so)",
        prefilled=declared,
    )
    if share is not None and share.is_short and run.direct(row):
        why = say(
            "{said}, though the reads were direct: the other reads were of unwritten blocks, or a "
            "cache answered",
            said=share.said,
        )
        return share.probe("sparse", subject).suspect(why, remedy)
    if known.prefilled:
        return Probe("sparse", subject, declared).ok(say("prefilled, as declared"))
    carried = None if known.is_memory else known.carried
    if carried is not None and row["direct"] and rate > 1.02 * carried:
        why = say("direct reads faster than the link: the blocks may never have been written")
        return probe.suspect(why, remedy)
    if share is not None and share.is_whole:
        return share.probe("sparse", subject).ok(share.said)
    why = say("the report does not tell whether the blocks had been written before")
    return probe.unknown(why, remedy)
