"""The page cache: whether what was read came from memory.

Memory means the guest's and the host's. Where fio counted the device's I/O, that decides. Else fio
asks the kernel to drop the cache of its files first (``invalidate=1``), which keeps pages that are
dirty, so that a file smaller than memory is neither proof nor enough to be suspected; dd and
DISKSPD drop nothing. Direct I/O passes by the guest's cache, but for file systems that keep one of
their own, and by no other.
"""

from __future__ import annotations

from collections.abc import Iterator

from fiotools.hints import argument, typed
from fiotools.language import listed, say
from fiotools.stats.check.device_share import Share, read_share
from fiotools.stats.check.evidence import Evidence
from fiotools.stats.check.finding import Finding, keep_options
from fiotools.stats.check.pairs import Pair
from fiotools.stats.check.runs import Row, Run
from fiotools.units import human

_FIO = "fio, HOWTO: direct, invalidate, pre_read"
_TWICE = "twice the memory, so that most of it cannot be cached"
DROPS = ("drop_caches", "purge", "Clear-FileSystemCache")  # dd's nocache drops nothing before


def pagecache(run: Run, known: Evidence) -> Iterator[Finding]:
    """Ask of every read whether memory answered it."""
    wholes = run.wholes()
    apart = {row["entry"] for row in wholes if row["direction"] == "read"}
    rows = [
        row
        for row in wholes
        if row["direction"] == "read" or (row["direction"] == "mixed" and row["entry"] not in apart)
    ]
    if known.is_memory:
        for row in rows:
            why = say("memory was measured, as was declared")
            basis = typed("the arguments cache=, media=", "the options --cache, --media")
            yield Finding("cache", run.subject(row), "ok", why, basis)
        return
    for row in rows:
        if row["ioengine"] == "null" or row["target"] in ("/dev/zero", "/dev/null"):
            continue
        yield _fio(run, row, known) if run.tool == "fio" else _plain(run, row, known)


def _fio(run: Run, row: Row, known: Evidence) -> Finding:
    subject, entry = run.subject(row), row["entry"]
    direct = run.direct(row)
    if run.is_bypassing(row):
        return _guest_ok(subject, bypassing(row), known, _FIO)
    if direct:
        return _direct(run, subject, known)
    remedy = say("set direct=1, or declare {warm}", warm=argument("cache", "warm"))
    for option, bad in (("invalidate", "0"), ("pre_read", "1")):
        if run.option(entry, option) == bad:
            why = say(
                "{option}={value} without direct=1: what is read lies in the page cache already",
                option=option,
                value=bad,
            )
            return Finding("cache", subject, "suspect", why, _FIO, remedy)
    share = read_share(run, known)
    if share is not None and (share.is_short or share.is_whole):
        return _counted(subject, share, known)
    if direct is None:
        why = say(
            "whether direct=1 was set is not in the report, nor does it pass by a host's cache"
        )
        remedy = listed([keep_options(), host()], "; ")
        return Finding("cache", subject, "unknown", why, _FIO, remedy)
    ask = listed([say("set direct=1"), host()], "; ")
    if row["direction"] == "mixed" and row["rw"] not in ("read", "randread"):
        why = say("without direct=1, and reads and writes are in one figure")
        return Finding("cache", subject, "unknown", why, _FIO, ask)
    size, moved = row["size_bytes"], row["io_bytes"]
    jobs = (row["numjobs"] or 1) if row["scope"] != "job" else 1
    held = None if known.ram is None else known.ram + (known.host_ram or 0.0)
    if size and held is not None and size * jobs >= 2 * held:
        said = say("the file has {times} times the memory", times=f"{size * jobs / held:.3g}")
        return _guest_ok(subject, said, known, _TWICE)
    if size and moved and moved > 1.01 * size * jobs:
        words = {"moved": human(moved, "B"), "size": human(size * jobs, "B")}
        figures = (float(moved), float(size * jobs), "B")
        if run.option(entry, "norandommap") not in (None, "0"):
            why = say(
                "{moved} were read from {size} without direct=1 and at random: from the second "
                "time on out of the page cache",
                **words,
            )
            return Finding("cache", subject, "suspect", why, _FIO, remedy, *figures)
        why = say(
            "{moved} were read from {size} without direct=1: fio drops the cache before each "
            "pass, but not pages that are dirty",
            **words,
        )
        return Finding("cache", subject, "unknown", why, _FIO, ask, *figures)
    if size is None or not run.tells_options(entry):
        why = say("without direct=1, and the size of the file is not in the report")
        return Finding("cache", subject, "unknown", why, _FIO, ask)
    why = say(
        "without direct=1: fio drops the cache first, but not pages that are dirty, and some file "
        "systems keep all"
    )
    return Finding("cache", subject, "unknown", why, _FIO, ask)


def _direct(run: Run, subject: str, known: Evidence) -> Finding:
    if files := [name for name in run.disks if name.startswith("loop")]:
        why = say(
            "{device} is a file on another file system, whose cache direct=1 does not pass by",
            device=listed(files),
        )
        remedy = say("attach it with losetup --direct-io=on, and count below it")
        return Finding("cache", subject, "unknown", why, _FIO, remedy)
    said = say("direct=1 passes by the page cache")
    if run.tables["disks"]:
        return _guest_ok(subject, said, known, _FIO)
    why = say("{said}, but not by ZFS's own, and no device was counted", said=said)
    remedy = listed([say("count the bytes at the device"), host()], "; ")
    return Finding("cache", subject, "unknown", why, _FIO, remedy)


def _counted(subject: str, share: Share, known: Evidence) -> Finding:
    if share.is_whole:
        return _guest_ok(subject, share.said, known, share.basis, share.figures)
    why = say("{said}: the rest came from memory", said=share.said)
    remedy = say("set direct=1, or declare {warm}", warm=argument("cache", "warm"))
    return Finding("cache", subject, "suspect", why, share.basis, remedy, *share.figures)


def _plain(run: Run, row: Row, known: Evidence) -> Finding:
    """Ask of dd, DISKSPD and CrystalDiskMark, which drop nothing."""
    subject = run.subject(row)
    if row["direct"]:
        said = say("direct I/O passes by the page cache")
        return _guest_ok(subject, said, known, "direct I/O")
    if run.tool != "dd" and row["direct"] is None:
        why = say("whether the page cache was off is not in the report")
        return Finding("cache", subject, "unknown", why, "DISKSPD, -Su and -Sh", say("use -Sh"))
    if any(word in run.command for word in DROPS):
        said = say("the command drops the cache first")
        return _guest_ok(subject, said, known, "the command line")
    size = row["io_bytes"] if run.tool == "dd" else row["size_bytes"]
    if size is None or known.ram is None:
        why = say("the page cache was on, and how much memory there is is not known")
        remedy = say(
            "give {ram}, such as {example}",
            ram=argument("ram"),
            example=typed('ram="8GB"', "--ram 8GB"),
        )
        return Finding("cache", subject, "unknown", why, _TWICE, remedy)
    held = known.ram + (known.host_ram or 0.0)
    share = {"size": human(size, "B"), "share": f"{100 * size / held:.2g}"}
    said = say("{size} through the page cache, {share} % of the memory", **share)
    if size >= held:
        share["times"] = f"{size / held:.3g}"
        said = say("{size} through the page cache, {times} times the memory", **share)
    warm = argument("cache", "warm")
    remedy = say("drop the cache first, use direct I/O, or declare {warm}", warm=warm)
    figures = (float(size), 2 * held, "B")
    if size < 2 * held:
        return Finding("cache", subject, "suspect", said, _TWICE, remedy, *figures)
    if known.host_ram is None:
        why = say("{said} of the guest; how much a host's cache holds is not known", said=said)
        return Finding("cache", subject, "unknown", why, _TWICE, host(), *figures)
    return Finding("cache", subject, "ok", said, _TWICE, None, *figures)


def _guest_ok(
    subject: str,
    why: str,
    known: Evidence,
    basis: str,
    figures: tuple[float | None, float | None, str] = (None, None, ""),
) -> Finding:
    if known.host_ram == 0:
        return Finding("cache", subject, "ok", why, basis, None, *figures)
    told = listed([why, say("whether a host caches is not known")], "; ")
    return Finding("cache", subject, "unknown", told, basis, host(), *figures)


def bypassing(row: Row) -> str:
    """Say of a row that its engine has no page cache to pass by."""
    return say("ioengine={engine} does not use the page cache of files", engine=row["ioengine"])


def host() -> str:
    """Ask for what caches below a guest or behind a network mount."""
    return say(
        "for a guest or a network mount, give the host's memory; {none} if there is no host",
        none=argument("host_ram", 0),
    )


_BASIS = "share of hits h = (1 - 1/S) / (1 - 1/S_max), for a gain S by the cache"


def warm(pair: Pair, known: Evidence) -> Iterator[Finding]:
    """Say what a cache's gain tells; the baseline is the cold side."""
    if known.sides != "cache":
        return
    gain, words = pair.ratio, {"times": f"{pair.ratio:.3g}"}
    if gain <= 1.1:
        why = say(
            "{times} times as fast: the cache changed nothing, so both sides are cold or warm",
            **words,
        )
        remedy = say(
            "drop the cache before the cold run, and read the file once before the warm one"
        )
        yield Finding("warm", pair.subject, "suspect", why, _BASIS, remedy, gain, 1.1)
        return
    least = 1 - 1 / gain
    share = say("between {least} and 100 % of the warm run were hits", least=f"{100 * least:.0f}")
    if known.speedup_max is not None:
        hits = least / (1 - 1 / known.speedup_max)
        if hits > 1:
            words["most"] = argument("speedup_max", known.speedup_max)
            why = say("{times} times as fast is more than a cache can gain ({most})", **words)
            remedy = say("find out again what a cache gains at most")
            figures = (gain, known.speedup_max)
            yield Finding("warm", pair.subject, "suspect", why, _BASIS, remedy, *figures)
            return
        share = say("{share} % of the warm run were hits", share=f"{100 * hits:.0f}")
    said = say("{times} times as fast: {hits}, if the cold one had none", hits=share, **words)
    if any(word in pair.baseline.command for word in DROPS) or known.cache == "cold":
        remedy = say("never pool the two: they are two populations")
        yield Finding("warm", pair.subject, "ok", said, _BASIS, remedy, gain)
        return
    nothing = say("nothing shows that the cache was empty before the cold run")
    why = listed([said, nothing], "; ")
    remedy = say("drop the cache first and show it; never pool the two")
    yield Finding("warm", pair.subject, "unknown", why, _BASIS, remedy, gain)
