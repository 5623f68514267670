"""Options that give a number another meaning: fio's, DISKSPD's and dd's; and a busy processor.

DISKSPD's outputs name options differently: elements of ``Profile`` in the XML, sentences of ``Input
parameters`` in the text, and both may hold the command line's own letters.

``dd`` stops its clock when the last write() returns, after closing its files; the data is in the
page cache then without ``fdatasync``, ``fsync``, ``direct`` or ``sync``. It empties an existing
file before its clock begins, so a longer real time does not prove flushing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from fiotools.errors import argument
from fiotools.language import listed, say
from fiotools.stats.check.evidence import Evidence, Finding, host, keep_options
from fiotools.stats.check.page_cache import bypassing, slept_share
from fiotools.stats.check.runs import NO_DEVICE, RANDOM, Row, RunFacts
from fiotools.units import human

_FIO = "fio, HOWTO: "
_DISKSPD = "DISKSPD, wiki: command line and parameters, "
_DD = "GNU coreutils, dd: "
_FLUSHES = ("fsync", "fdatasync", "end_fsync", "fsync_on_close", "sync", "sync_file_range")
_PACED = ("rate", "rate_iops", "thinktime", "Target/Throughput", "-g")
_POOR = ("zero_buffers", "buffer_pattern", "buffer_compress_percentage", "dedupe_percentage")
_SYNC = re.compile(r"(?:^|[;&|(\s'\"{])sync(?:$|[;&|)\s'\"}])")
_TIMED = re.compile(r"(?:^|[\s;&|({])(?:\S*/)?time(?:\s+-\S+)*\s+(.*)", re.S)
# the part that `time` measures: a list in brackets, else one pipeline
_TAKEN = re.compile(
    r"\((?:[^()'\"]|'[^']*'|\"[^\"]*\"|\([^()]*\))*\)|\{[^{}]*\}"
    r"|(?:'[^']*'|\"[^\"]*\"|[^;&\n'\"]|(?<=[<>])&|&(?=>))*"
)
_LONG = 5.0  # seconds: then a system writes back while dd runs
_MEMORY = 1e9  # bytes per second: that fast a page cache takes data for as long as it has room
_PIPE = re.compile(r"(?<!\|)\|(?!\|)")


def options_fio(run: RunFacts, known: Evidence) -> Iterator[Finding]:
    """Check the options of every entry of a fio run."""
    if run.tool != "fio":
        return
    for job, rows in run.entries():
        row = {**rows[0], "direction": None}
        subject = run.subject(row)
        writes = [one for one in rows if one["direction"] == "write"]
        if row["ioengine"] == "null":
            why = say("ioengine=null moves no bytes: the numbers are fio's own speed")
            probe = Finding("engine", subject, f"{_FIO}ioengine")
            yield probe.suspect(why, say("use another engine"))
        elif writes:
            yield _flush(run, writes[0], known)
            yield from _data(run, writes[0], known)
        if error := job.get("error"):
            why = say("the job ended with error {n}: its numbers cover only a part", n=error)
            probe = Finding("error", subject, "the report's own error", float(error), 0.0)
            yield probe.suspect(why, say("fix the cause, and run it again"))
        yield from _short(subject, rows)


def _flush(run: RunFacts, row: Row, known: Evidence) -> Finding:
    """Check that buffered writes were waited for."""
    entry, probe = row["entry"], Finding("flush", run.subject(row), f"{_FIO}end_fsync, direct")
    if known.is_memory:
        return probe.ok(say("memory was measured, as declared"))
    each = 1 if run.direct(row) else run.waits(entry)
    share = None if each is None else slept_share(run, [row], (row["total_ios"] or 0) / each)
    if share is not None and share.is_short:
        why = say("{said}: memory took the writes, and nobody waited for a device", said=share.said)
        return share.probe("flush", probe.subject).suspect(
            why, say("count the bytes at the device")
        )
    if row["direct"]:
        why = say("direct=1: writes do not wait in the page cache")
        if known.host_ram == 0:
            return probe.ok(why)
        why = listed([why, say("they may wait in a host's")], "; ")
        return probe.unknown(why, host())
    if run.is_bypassing(row):
        there = say("the report does not tell whether writes wait at the other end")
        return probe.unknown(
            listed([bypassing(row), there], "; "),
            say("find out whether the other end confirms writes before it has stored them"),
        )
    if asked := run.given(entry, _FLUSHES):
        return probe.ok(say("writes are flushed: {options}", options=listed(asked)))
    if run.direct(row) is None or not run.tells_options(entry):
        why = say("the report does not tell whether writes were direct or flushed")
        return probe.unknown(why, keep_options())
    why = say("buffered writes without fsync: the time ends when the page cache has them")
    return probe.suspect(why, say("set end_fsync=1, or direct=1"))


def _data(run: RunFacts, row: Row, known: Evidence) -> Iterator[Finding]:
    """Check that the data cannot be compressed or left out."""
    subject, entry = run.subject(row), row["entry"]
    found = run.given(entry, _POOR)
    if run.option(entry, "zero_buffers") == "":
        found.insert(0, "zero_buffers")
    if not found and re.search(r"\bzero_buffers\b", run.command):
        found = ["zero_buffers"]
    elif found and known.compression and run.option(entry, "zero_buffers") is None:
        why = say("{options}, and the compression was declared", options=listed(found))
        yield Finding("data", subject, argument("compression", known.compression)).ok(why)
        return
    if found:
        why = say(
            "{options}: a disk that compresses or leaves zeros out stores less than this",
            options=listed(found),
        )
        probe = Finding("data", subject, f"{_FIO}{', '.join(_POOR)}")
        yield probe.suspect(why, say("write fio's random data, its default"))
    elif run.shows_all_options:
        why = say("fio's random data cannot be compressed")
        yield Finding("data", subject, f"{_FIO}refill_buffers").ok(why)
    elif run.tells_options(entry):
        why = say("random data, unless zero_buffers was set: fio does not list it without a value")
        yield Finding("data", subject, f"{_FIO}zero_buffers").unknown(why, keep_options())


def _short(subject: str, rows: list[Row]) -> Iterator[Finding]:
    """Note a run that is short enough for caches of devices alone."""
    longest = max((row["runtime_s"] or 0.0 for row in rows), default=0.0)
    if 0 < longest < 30:
        why = say(
            "a run of {seconds} s may end before caches are full and clocks have settled",
            seconds=f"{longest:.3g}",
        )
        probe = Finding("runtime", subject, "30 s, by custom", longest, 30.0, "s")
        yield probe.ok(why, say("run for 30 s or more"))


def options_diskspd(run: RunFacts, known: Evidence) -> Iterator[Finding]:
    """Check the options of a DISKSPD run."""
    if run.tool != "diskspd" or not run.io:
        return
    options = run.all_options
    yield _caching(run, known)
    if any(row["direction"] == "write" for row in run.io):
        yield from _diskspd_data(options)
    warmup = options.get("-W", options.get("Warmup", options.get("warm up time")))
    if warmup in ("0", "0s"):
        why = say("no warm-up (-W0; the default is 5 s): the first seconds are included")
        yield Finding("warmup", "run", f"{_DISKSPD}-W").ok(why, say("leave -W out"))
    yield from _short("run", run.io)


def _caching(run: RunFacts, known: Evidence) -> Finding:
    direct, probe = {row["direct"] for row in run.io}, Finding("caching", "run", f"{_DISKSPD}-S")
    if known.is_memory:
        return probe.ok(say("memory was measured, as declared"))
    if False in direct:
        why = say("neither -Sh nor -Su: the system's file cache answers (-Sw alone leaves it on)")
        return probe.suspect(why, say("use -Sh"))
    if None in direct:
        why = say("the report does not tell whether -Sh or -Su was given")
        return probe.unknown(why, say("keep the whole output, with its input parameters"))
    return probe.ok(say("the file cache was off (-Sh or -Su)"))


def _diskspd_data(options: dict[str, str]) -> Iterator[Finding]:
    """Check the data that was written: zeros, 0 to 255 again and again, or random data."""
    given, words = options.get("-Z"), " ".join(options)
    pattern = options.get("Target/WriteBufferContent/Pattern", "")
    probe = Finding("data", "run", f"{_DISKSPD}-Z")
    if given == "" or "zero" in pattern or "zeroing write buffers" in words:
        why = say(
            "-Z writes zeros: a disk that compresses or leaves zeros out stores less than this"
        )
        yield probe.suspect(why, say("use -Zr"))
    elif (
        given
        or pattern == "random"  # for all targets
        or any("random data" in name and "write" in name for name in options)
    ):
        yield probe.ok(say("random data was written (-Zr)"))
    elif options:
        why = say("DISKSPD writes the bytes 0 to 255 again and again, which compress well")
        yield probe.ok(why, say("use -Zr if the storage compresses or deduplicates"))


def copying(run: RunFacts, known: Evidence) -> Iterator[Finding]:
    """Check dd: its data, whether it waited for the disk, how long it ran, and who was busy."""
    if run.tool == "dd" and run.io:
        row = run.io[0]
        source, target = run.option(row["entry"], "if"), run.option(row["entry"], "of")
        if source is None and target is None:
            probe = Finding("dd_flush", run.subject(row), f"{_DD}operands")
            yield probe.unknown(
                say("source, target and options are not known: there is no command line"),
                say("keep the command line beside the report"),
            )
        else:
            yield from _source(run, row, source, target)
            if row["direction"] != "read" and target is not None:
                yield _dd_flush(run, row, target, known)
        if row["runtime_s"] is not None:
            yield _dd_time(run, row)
    yield from _busy(run, known)


def _source(run: RunFacts, row: Row, source: str | None, target: str | None) -> Iterator[Finding]:
    probe = Finding("dd_source", run.subject(row), f"{_DD}if=")
    if source in (*NO_DEVICE, *RANDOM) and target in NO_DEVICE:
        why = say("from {source} to {target}: no disk is involved", source=source, target=target)
        yield probe.suspect(why, say("name a file or a device"))
    elif source == "/dev/zero":
        remedy = say("write random data from a file in memory, and count the bytes at the device")
        why = say("zeros were written: the storage may compress them or leave them out")
        yield probe.unknown(why, remedy)
    elif source in RANDOM:
        rate = row["bw_bytes_per_s"]
        why = say(
            "the rate may be that of {source}, which yields a few hundred MB/s"
            if rate is None
            else "the rate, {rate}, may be that of {source}, which yields a few hundred MB/s",
            rate=human(rate, "B/s"),
            source=source,
        )
        remedy = say("make the random data first, in memory")
        yield probe.of(rate, None, "B/s").suspect(why, remedy)


def _dd_flush(run: RunFacts, row: Row, target: str, known: Evidence) -> Finding:
    probe = Finding("dd_flush", run.subject(row), f"{_DD}conv=fdatasync, oflag=")
    if flags := _flags(run, row["entry"]):
        return probe.ok(say("dd waited for the disk: {flags}", flags=listed(sorted(flags))))
    if target in NO_DEVICE or known.is_memory:
        return probe.ok(say("there is nothing to flush"))
    real, rate = run.timing["real_s"] if run.timing else None, row["bw_bytes_per_s"]
    timed = _TIMED.search(run.command)
    taken = _TAKEN.match(timed[1]) if timed else None  # `time dd; sync` waits for no sync
    if real and row["io_bytes"] and taken and _SYNC.search(taken[0]):
        rate = row["io_bytes"] / real
        why = say(
            "the sync within the timed command is the flush: the rate is {rate}",
            rate=human(rate, "B/s"),
        )
        remedy = say("use bytes / real, not the rate that dd printed")
        return probe.of(rate, None, "B/s").ok(why, remedy)
    if target.startswith("/dev/") and not target.startswith(("/dev/shm/", "/dev/std")):
        why = say(
            "dd closes {target} before its clock ends, which flushes it if nobody else has it open",
            target=target,
        )
        return probe.unknown(why, say("use conv=fdatasync to be sure"))
    why = say("no fdatasync, fsync, direct or sync")
    probe, remedy = probe.of(rate, None, "B/s"), say("use conv=fdatasync")
    pace = human(rate, "B/s")
    if rate is not None and rate < _MEMORY and (row["runtime_s"] or 0.0) >= _LONG:
        why = say("{said}: {rate} may include the page cache", said=why, rate=pace)
        return probe.unknown(why, remedy)
    if rate is not None:
        why = say("{said}: {rate} is the rate of the page cache", said=why, rate=pace)
    if real and row["runtime_s"] and real > 1.02 * row["runtime_s"]:
        why = say(
            "{said}; real is longer than dd's time, but that does not prove flushing", said=why
        )
    return probe.suspect(why, remedy)


def _flags(run: RunFacts, entry: int | None) -> set[str]:
    """Return the flags that make dd wait for the disk."""
    return {
        flag
        for name in ("conv", "oflag")
        for flag in (run.option(entry, name) or "").split(",")
        if flag in ("fdatasync", "fsync", "direct", "sync", "dsync")
        # conv=sync pads blocks, and waits for nothing
        and (name, flag) != ("conv", "sync")
    }


def _dd_time(run: RunFacts, row: Row) -> Finding:
    took = row["runtime_s"]
    probe = Finding("dd_time", run.subject(row), "1 s and 5 s, by custom", took, _LONG, "s")
    said = say("dd ran for {time}", time=human(took, "s"))
    if took >= _LONG:
        return probe.ok(said)
    remedy = say("copy more: for 5 s or longer")
    if took >= 0.1 and (row["direct"] or _flags(run, row["entry"])):
        why = say("{said}, and waited for the disk: a short time varies much", said=said)
        return probe.ok(why, remedy)
    if took < 1:
        why = say("{said}: below 1 s the rate means nothing", said=said)
    else:
        why = say("{said}: below 5 s caches and start-up decide", said=said)
    return probe.suspect(why, remedy)


def _busy(run: RunFacts, known: Evidence) -> Iterator[Finding]:
    """Check whether a processor copied memory all the time."""
    timing = run.timing
    if timing is None or _PIPE.search(run.command):  # the others of a pipe are busy too
        return
    real, user, system = (timing[name] for name in ("real_s", "user_s", "sys_s"))
    copies = run.tool == "dd" or re.match(r"\s*(?:time\s+)?(?:cat|cp)\s", run.command)
    if not copies or not real or user is None or system is None or real < 0.05:
        return
    share = (user + system) / real
    said = say(
        "the processor was busy for {busy} of {time}",
        busy=human(user + system, "s"),
        time=human(real, "s"),
    )
    probe = Finding("copying", "command", "user + sys against real", 100 * share, 90.0, "%")
    if share < 0.9:
        yield probe.ok(said)
    elif run.tool == "dd" and run.io and run.option(run.io[0]["entry"], "if") in RANDOM:
        why = say("{said}: it made random data, and did not wait for a disk", said=said)
        yield probe.suspect(why, say("make the random data first, in memory"))
    elif known.is_memory:
        yield probe.ok(say("{said}: it copied memory, as declared", said=said))
    else:
        why = say("{said}: it copied memory, and did not wait for a disk", said=said)
        yield probe.suspect(why, say("flush, empty the caches, or use direct I/O"))


def processor(run: RunFacts, _known: Evidence) -> Iterator[Finding]:
    """Note a processor that was busy: it may be the limit."""
    shares = [row["usage_pct"] for row in run.tables["cpu"] if row["usage_pct"] is not None]
    what = say("a processor")
    if not shares:
        what = say("a job's processor")
        shares = [
            row["usr_cpu_pct"] + row["sys_cpu_pct"]
            for row in run.tables["jobs"]
            if row["usr_cpu_pct"] is not None and row["sys_cpu_pct"] is not None
        ]
    if shares and max(shares) >= 90:
        why = say(
            "{processor} was busy for {share} % of the time: it may be the limit",
            processor=what,
            share=f"{max(shares):.0f}",
        )
        remedy = say("use more jobs, or a faster processor, before blaming the disk")
        yield Finding("processor", "run", "90 % of one processor", max(shares), 90.0, "%").ok(
            why, remedy
        )


def paced(run: RunFacts, _known: Evidence) -> Iterator[Finding]:
    """Note a fixed rate: a stall delays later I/Os, and their latency does not show it."""
    options = run.all_options
    found = [
        f"{name}={options[name]}" for name in _PACED if options.get(name, "0") not in ("", "0")
    ]
    if found and options.get("rate_process") != "poisson":
        why = say(
            "{options}: a stall delays the next I/Os, and their latency does not include the delay",
            options=listed(found),
        )
        remedy = say("high percentiles are not the times that a user would have waited")
        yield Finding("omission", "run", "coordinated omission").ok(why, remedy)
