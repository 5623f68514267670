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
from dataclasses import replace

from fiotools.errors import argument
from fiotools.stats.check.evidence import Evidence, Finding
from fiotools.stats.check.outcomes import phrase
from fiotools.stats.check.page_cache import slept_share
from fiotools.stats.check.runs import NO_DEVICE, RANDOM, Row, RunFacts
from fiotools.stats.settings import is_offloaded, paced

_FLUSHES = ("fsync", "fdatasync", "end_fsync", "fsync_on_close", "sync", "sync_file_range")
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
            yield Finding("engine", subject).found("null")
        elif writes:
            yield _flush(run, writes[0], known)
            yield from _data(run, writes[0], known)
        if error := job.get("error"):
            yield Finding("error", subject, float(error), 0.0).found("error", n=error)
        yield from _short(subject, rows)


def _flush(run: RunFacts, row: Row, known: Evidence) -> Finding:
    """Check that buffered writes were waited for."""
    entry, probe = row["entry"], Finding("flush", run.subject(row))
    if known.is_memory:
        return probe.found("memory")
    each = 1 if run.direct(row) else run.waits(entry)
    share = None if each is None else slept_share(run, [row], (row["total_ios"] or 0) / each)
    if share is not None and share.is_short:
        return share.probe("flush", probe.subject).found("short", said=share.said)
    if row["direct"]:
        return probe.found("direct" if known.host_ram == 0 else "direct_host")
    if run.is_bypassing(row):
        return probe.found("other_end", engine=row["ioengine"])
    if asked := run.given(entry, _FLUSHES):
        return probe.found("flushed", options=asked)
    is_untold = run.direct(row) is None or not run.tells_options(entry)
    return probe.found("untold" if is_untold else "buffered")


def _data(run: RunFacts, row: Row, known: Evidence) -> Iterator[Finding]:
    """Check that the data cannot be compressed or left out."""
    entry, probe = row["entry"], Finding("data", run.subject(row))
    found = run.given(entry, _POOR)
    if run.option(entry, "zero_buffers") == "":
        found.insert(0, "zero_buffers")
    if not found and re.search(r"\bzero_buffers\b", run.command):
        found = ["zero_buffers"]
    elif found and known.compression and run.option(entry, "zero_buffers") is None:
        basis = argument("compression", known.compression)
        yield replace(probe, source=basis).found("declared", options=found)
        return
    if found:
        yield probe.found("poor", options=found)
    elif run.shows_all_options:
        yield probe.found("random")
    elif run.tells_options(entry):
        yield probe.found("unlisted")


def _short(subject: str, rows: list[Row]) -> Iterator[Finding]:
    """Note a run that is short enough for caches of devices alone."""
    longest = max((row["runtime_s"] or 0.0 for row in rows), default=0.0)
    if 0 < longest < 30:
        yield Finding("runtime", subject, longest, 30.0, "s").found("short", seconds=longest)


def options_diskspd(run: RunFacts, known: Evidence) -> Iterator[Finding]:
    """Check the options of a DISKSPD run."""
    if run.tool != "diskspd" or not run.io:
        return
    options = run.all_options
    direct, caching = {row["direct"] for row in run.io}, Finding("caching", "run")
    if known.is_memory:
        yield caching.found("memory")
    else:
        yield caching.found("cached" if False in direct else "untold" if None in direct else "off")
    if any(row["direction"] == "write" for row in run.io):
        yield from _diskspd_data(options)
    warmup = options.get("-W", options.get("Warmup", options.get("warm up time")))
    if warmup in ("0", "0s"):
        yield Finding("warmup", "run").found("none")
    yield from _short("run", run.io)


def _diskspd_data(options: dict[str, str]) -> Iterator[Finding]:
    """Check the data that was written: zeros, 0 to 255 again and again, or random data."""
    given, words = options.get("-Z"), " ".join(options)
    pattern, probe = options.get("Target/WriteBufferContent/Pattern", ""), Finding("data", "run")
    if given == "" or "zero" in pattern or "zeroing write buffers" in words:
        yield probe.found("diskspd_zeros")
    elif (
        given
        or pattern == "random"  # for all targets
        or any("random data" in name and "write" in name for name in options)
    ):
        yield probe.found("diskspd_random")
    elif options:
        yield probe.found("diskspd_counted")


def copying(run: RunFacts, known: Evidence) -> Iterator[Finding]:
    """Check dd: its data, whether it waited for the disk, how long it ran, and who was busy."""
    if run.tool == "dd" and run.io:
        row = run.io[0]
        source, target = run.option(row["entry"], "if"), run.option(row["entry"], "of")
        if source is None and target is None:
            yield Finding("dd_flush", run.subject(row)).found("no_command")
        else:
            yield from _source(run, row, source, target)
            if row["direction"] != "read" and target is not None:
                yield _dd_flush(run, row, target, known)
        if row["runtime_s"] is not None:
            yield _dd_time(run, row)
    yield from _busy(run, known)


def _source(run: RunFacts, row: Row, source: str | None, target: str | None) -> Iterator[Finding]:
    probe = Finding("dd_source", run.subject(row))
    if source in (*NO_DEVICE, *RANDOM) and target in NO_DEVICE:
        yield probe.found("no_disk", source=source, target=target)
    elif source == "/dev/zero":
        is_left_out = "sparse" in (run.option(row["entry"], "conv") or "").split(",")
        yield probe.found("sparse" if is_left_out else "zeros")
    elif source in RANDOM:
        rate = row["bw_bytes_per_s"]
        name = "random" if rate is None else "random_rate"
        yield probe.of(rate, None, "B/s").found(name, rate=rate, source=source)


def _dd_flush(run: RunFacts, row: Row, target: str, known: Evidence) -> Finding:
    probe = Finding("dd_flush", run.subject(row))
    if flags := _flags(run, row["entry"]):
        return probe.found("waited", flags=sorted(flags))
    if target in NO_DEVICE or known.is_memory:
        return probe.found("nothing")
    real, rate = run.timing["real_s"] if run.timing else None, row["bw_bytes_per_s"]
    timed = _TIMED.search(run.command)
    taken = _TAKEN.match(timed[1]) if timed else None  # `time dd; sync` waits for no sync
    if real and row["io_bytes"] and taken and _SYNC.search(taken[0]):
        rate = row["io_bytes"] / real
        return probe.of(rate, None, "B/s").found("sync", rate=rate)
    if target.startswith("/dev/") and not target.startswith(("/dev/shm/", "/dev/std")):
        return probe.found("device", target=target)
    probe = probe.of(rate, None, "B/s")
    if rate is not None and rate < _MEMORY and (row["runtime_s"] or 0.0) >= _LONG:
        return probe.found("partly", rate=rate)
    is_longer = real and row["runtime_s"] and real > 1.02 * row["runtime_s"]
    longer = "_longer" if is_longer else ""
    if rate is None:
        return probe.found(f"none{longer}")
    return probe.found(f"cached{longer}", rate=rate)


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
    probe = Finding("dd_time", run.subject(row), took, _LONG, "s")
    is_waited = row["direct"] or run.drops_cache or _flags(run, row["entry"])
    name = "second" if took < 1 and not (is_waited and took >= 0.1) else "short"
    return probe.found("long" if took >= _LONG else name, time=took)


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
    name = "declared" if known.is_memory else "memory"
    if run.tool == "dd" and run.io and run.option(run.io[0]["entry"], "if") in RANDOM:
        name = "random"
    probe = Finding("copying", "command", 100 * share, 90.0, "%")
    yield probe.found("idle" if share < 0.9 else name, busy=user + system, time=real)


def processor(run: RunFacts, _known: Evidence) -> Iterator[Finding]:
    """Note a processor that was busy: it may be the limit."""
    shares = [row["usage_pct"] for row in run.tables["cpu"] if row["usage_pct"] is not None]
    what = phrase("a_processor" if shares else "a_jobs_processor")
    if not shares:
        shares = [
            row["usr_cpu_pct"] + row["sys_cpu_pct"]
            for row in run.tables["jobs"]
            if row["usr_cpu_pct"] is not None and row["sys_cpu_pct"] is not None
        ]
    if shares and max(shares) >= 90:
        probe = Finding("processor", "run", max(shares), 90.0, "%")
        yield probe.found("busy", processor=what, share=max(shares))


def pace(run: RunFacts, _known: Evidence) -> Iterator[Finding]:
    """Note a fixed rate: a stall delays later I/Os, and their latency does not show it."""
    options = {name: [text] for name, text in run.all_options.items()}
    probe = Finding("omission", "run")
    if found := paced(options):
        of_fio = "offloaded" if is_offloaded(options) else "paced_fio"
        yield probe.found(of_fio if run.tool == "fio" else "paced", options=found)
    if (target := run.all_options.get("latency_target", "0")) not in ("", "0"):
        yield probe.found("target", target=target)
