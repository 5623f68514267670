"""Options that make a number mean something else than it seems to: fio's, and DISKSPD's.

DISKSPD's outputs name them differently: elements of ``Profile`` in the XML, sentences of
``Input parameters`` in the text, and both may hold the command line's own letters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from fiotools.hints import argument
from fiotools.language import listed, say
from fiotools.stats.check.device_share import waited_share
from fiotools.stats.check.evidence import Evidence
from fiotools.stats.check.finding import Finding, keep_options
from fiotools.stats.check.media import syncs, waits
from fiotools.stats.check.page_cache import bypassing, host
from fiotools.stats.check.runs import Row, Run

_BASIS = "fio, HOWTO: "
_FLUSHES = ("fsync", "fdatasync", "end_fsync", "fsync_on_close", "sync", "sync_file_range")
_OFF = (None, "", "0", "none")
_POOR = ("zero_buffers", "buffer_pattern", "buffer_compress_percentage", "dedupe_percentage")


def options_fio(run: Run, known: Evidence) -> Iterator[Finding]:
    """Audit the options of every entry of a fio run."""
    if run.tool != "fio":
        return
    for job, rows in run.entries():
        row = {**rows[0], "direction": None}
        writes = [one for one in rows if one["direction"] == "write"]
        if row["ioengine"] == "null":
            why = say("ioengine=null moves no byte: the figures are fio's own speed")
            basis, remedy = f"{_BASIS}ioengine", say("use another engine")
            yield Finding("engine", run.subject(row), "suspect", why, basis, remedy)
        elif writes:
            yield from _flush(run, writes[0], known)
            yield from _data(run, writes[0], known)
        if error := job.get("error"):
            why = say("the job ended with error {n}: its figures are of a part", n=error)
            basis, remedy = "the report's own error", say("mend the cause, and run it again")
            figures = (float(error), 0.0)
            yield Finding("error", run.subject(row), "suspect", why, basis, remedy, *figures)
        yield from _short(run, rows)


def _flush(run: Run, row: Row, known: Evidence) -> Iterator[Finding]:
    """Ask whether buffered writes were waited for."""
    subject, entry, basis = run.subject(row), row["entry"], f"{_BASIS}end_fsync, direct"
    if known.is_memory:
        why = say("memory was measured, as was declared")
        yield Finding("flush", subject, "ok", why, basis)
        return
    each = _waits(run, row)
    share = None if each is None else waited_share(run, row, (row["total_ios"] or 0) / each)
    if share is not None and share.is_short:
        why = say("{said}: memory took the writes, and nobody waited for a device", said=share.said)
        remedy = say("count the bytes at the device")
        yield Finding("flush", subject, "suspect", why, share.basis, remedy, *share.figures)
        return
    if row["direct"]:
        why = say("direct=1: writes do not wait in the page cache")
        if known.host_ram == 0:
            yield Finding("flush", subject, "ok", why, basis)
            return
        why = listed([why, say("whether they wait in a host's is not known")], "; ")
        yield Finding("flush", subject, "unknown", why, basis, host())
        return
    if run.is_bypassing(row):
        there = say("what waits where it writes to is not in the report")
        why = listed([bypassing(row), there], "; ")
        remedy = say("ask how the other end answers writes: stored, or taken in")
        yield Finding("flush", subject, "unknown", why, basis, remedy)
        return
    asked = [f"{name}={run.option(entry, name)}" for name in _FLUSHES]
    asked = [text for text in asked if text.partition("=")[2] not in ("None", *_OFF)]
    if asked:
        why = say("writes are flushed: {options}", options=listed(asked))
        yield Finding("flush", subject, "ok", why, basis)
    elif run.direct(row) is None or not run.tells_options(entry):
        why = say("whether writes were direct or flushed is not in the report")
        yield Finding("flush", subject, "unknown", why, basis, keep_options())
    else:
        why = say("buffered writes without fsync: the time ends when the page cache has them")
        remedy = say("set end_fsync=1, or direct=1")
        yield Finding("flush", subject, "suspect", why, basis, remedy)


def _waits(run: Run, row: Row) -> int | None:
    """Give the writes after which a row waits for the device, if it does so while it runs."""
    if run.direct(row) or waits(run, row["entry"]):
        return 1
    return syncs(run, row["entry"])


def _data(run: Run, row: Row, known: Evidence) -> Iterator[Finding]:
    """Ask whether what was written can be compressed, or left out."""
    subject, entry = run.subject(row), row["entry"]
    found = []
    for name in _POOR:
        text = run.option(entry, name)
        if text not in (None, "0") and not (text == "" and name != "zero_buffers"):
            found.append(f"{name}={text}" if text else name)
    if found and known.compression and run.option(entry, "zero_buffers") is None:
        why = say("{options}, and how far it is packed was declared", options=listed(found))
        yield Finding("data", subject, "ok", why, argument("compression", known.compression))
    elif found:
        yield _poor(subject, listed(found))
    elif re.search(r"\bzero_buffers\b", run.command):
        yield _poor(subject, "zero_buffers")
    elif run.shows_all_options:
        why = say("fio's random data cannot be compressed")
        yield Finding("data", subject, "ok", why, f"{_BASIS}refill_buffers")
    elif run.tells_options(entry):
        why = say("random data, unless zero_buffers was set: fio does not list it without a value")
        yield Finding("data", subject, "unknown", why, f"{_BASIS}zero_buffers", keep_options())


def _poor(subject: str, options: str) -> Finding:
    why = say(
        "{options}: a disk that compresses or leaves zeros out stores less than this",
        options=options,
    )
    remedy = say("write fio's random data, its default")
    return Finding("data", subject, "suspect", why, f"{_BASIS}{', '.join(_POOR)}", remedy)


def _short(run: Run, rows: list[Row]) -> Iterator[Finding]:
    longest = max((row["runtime_s"] or 0.0 for row in rows), default=0.0)
    if 0 < longest < 30:
        yield short(run.subject({**rows[0], "direction": None}), longest)


def short(subject: str, seconds: float) -> Finding:
    """Note a run in which caches of devices, and not what lies behind them, may have worked."""
    why = say(
        "a run of {seconds} s may end before caches are full and clocks have settled",
        seconds=f"{seconds:.3g}",
    )
    basis, remedy = "30 s, by custom", say("run for 30 s or more")
    return Finding("runtime", subject, "ok", why, basis, remedy, seconds, 30.0, "s")


_DISKSPD_BASIS = "DISKSPD, wiki: command line and parameters, "


def options_diskspd(run: Run, known: Evidence) -> Iterator[Finding]:
    """Audit the options of a DISKSPD run."""
    if run.tool != "diskspd" or not run.io:
        return
    options = {
        name.rpartition("/")[2] if name.startswith("Target") else name: text
        for name, text in run.all_options().items()
    }
    yield _caching(run, known)
    if any(row["direction"] == "write" for row in run.io):
        yield from _diskspd_data(options)
    warmup = options.get("-W", options.get("Warmup", options.get("warm up time")))
    if warmup in ("0", "0s"):
        why = say("no warm-up (-W0; the default is 5 s): the first seconds are in the figures")
        yield Finding("warmup", "run", "ok", why, f"{_DISKSPD_BASIS}-W", say("leave -W out"))
    longest = max((row["runtime_s"] or 0.0 for row in run.io), default=0.0)
    if 0 < longest < 30:
        yield short("run", longest)


def _caching(run: Run, known: Evidence) -> Finding:
    direct = {row["direct"] for row in run.io}
    basis = f"{_DISKSPD_BASIS}-S"
    if known.is_memory:
        why = say("memory was measured, as was declared")
        return Finding("caching", "run", "ok", why, basis)
    if False in direct:
        why = say("neither -Sh nor -Su: the system's file cache answers (-Sw alone leaves it on)")
        return Finding("caching", "run", "suspect", why, basis, say("use -Sh"))
    if None in direct:
        why = say("whether -Sh or -Su was given is not in the report")
        remedy = say("keep the whole output, with its input parameters")
        return Finding("caching", "run", "unknown", why, basis, remedy)
    return Finding("caching", "run", "ok", say("the file cache was off (-Sh or -Su)"), basis)


def _diskspd_data(options: dict[str, str]) -> Iterator[Finding]:
    """Ask what was written: zeros, 0 to 255 again and again, or random data."""
    typed = options.get("-Z")
    pattern = options.get("Pattern", "")
    is_zero = typed == "" or pattern == "zero" or "zeroing write buffers" in " ".join(options)
    words = " ".join(options)
    is_random = (
        (typed is not None and typed != "")
        or pattern == "random"
        or "generating random data for each write IO" in words
        or any("random data" in name and "write" in name for name in options)
    )
    basis = f"{_DISKSPD_BASIS}-Z"
    if is_zero:
        why = say(
            "-Z writes zeros: a disk that compresses or leaves zeros out stores less than this"
        )
        yield Finding("data", "run", "suspect", why, basis, say("use -Zr"))
    elif is_random:
        yield Finding("data", "run", "ok", say("random data was written (-Zr)"), basis)
    elif options:
        why = say("DISKSPD writes the bytes 0 to 255 again and again, which compress well")
        remedy = say("use -Zr, if what lies below compresses or deduplicates")
        yield Finding("data", "run", "ok", why, basis, remedy)
