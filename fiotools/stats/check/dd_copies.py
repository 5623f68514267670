"""dd: where its data comes from, whether it waits for the disk, how long it ran, and who was busy.

``dd`` ends its clock when the last write() returns, after closing its files; without ``fdatasync``,
``fsync``, ``direct`` or ``sync`` the data is in the page cache then. It empties an existing file
before its clock begins, so that a longer real time is no sign of flushing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from fiotools.language import listed, say
from fiotools.stats.check.evidence import Evidence
from fiotools.stats.check.finding import Finding
from fiotools.stats.check.runs import Row, Run
from fiotools.units import human

_BASIS = "GNU coreutils, dd: "
_NOWHERE = ("/dev/null", "/dev/zero")
_RANDOM = ("/dev/random", "/dev/urandom")
_SYNC = re.compile(r"(?:^|[;&|(\s'\"{])sync(?:$|[;&|)\s'\"}])")
_TIMED = re.compile(r"(?:^|[\s;&|({])(?:\S*/)?time(?:\s+-\S+)*\s+(.*)", re.S)
# what time takes: a list in brackets, else one pipeline
_TAKEN = re.compile(
    r"\((?:[^()'\"]|'[^']*'|\"[^\"]*\"|\([^()]*\))*\)|\{[^{}]*\}"
    r"|(?:'[^']*'|\"[^\"]*\"|[^;&\n'\"]|(?<=[<>])&|&(?=>))*"
)
_PIPE = re.compile(r"(?<!\|)\|(?!\|)")


def copying(run: Run, known: Evidence) -> Iterator[Finding]:
    """Ask dd's own questions."""
    if run.tool == "dd" and run.io:
        row = run.io[0]
        if run.option(row["entry"], "if") is None and run.option(row["entry"], "of") is None:
            why = say("what was copied, from where and how, is not known: there is no command line")
            remedy = say("keep the command line beside the report")
            yield Finding("dd_flush", run.subject(row), "unknown", why, f"{_BASIS}operands", remedy)
        else:
            yield from _source(run, row)
            if row["direction"] != "read" and run.option(row["entry"], "of") is not None:
                yield _flush(run, row, known)
        if row["runtime_s"] is not None:
            yield _time(run, row)
    yield from _busy(run, known)


def _source(run: Run, row: Row) -> Iterator[Finding]:
    given, to = run.option(row["entry"], "if"), run.option(row["entry"], "of")
    subject, basis = run.subject(row), f"{_BASIS}if="
    if given in (*_NOWHERE, *_RANDOM) and to in _NOWHERE:
        why = say("from {source} to {target}: there is no disk in it", source=given, target=to)
        yield Finding("dd_source", subject, "suspect", why, basis, say("name a file or a device"))
    elif given == "/dev/zero":
        why = say(
            "zeros were written: whether what lies below stores, compresses or leaves them out is "
            "not known"
        )
        remedy = say("write random data from a file in memory, and count the bytes at the device")
        yield Finding("dd_source", subject, "unknown", why, basis, remedy)
    elif given in _RANDOM:
        rate = row["bw_bytes_per_s"]
        if rate is None:
            why = say(
                "the rate may be that of {source}, which makes a few hundred MB/s", source=given
            )
        else:
            why = say(
                "the rate, {rate}, may be that of {source}, which makes a few hundred MB/s",
                rate=human(rate, "B/s"),
                source=given,
            )
        remedy = say("make the random data before, in memory")
        yield Finding("dd_source", subject, "suspect", why, basis, remedy, rate, unit="B/s")


def _flush(run: Run, row: Row, known: Evidence) -> Finding:
    subject, entry, basis = run.subject(row), row["entry"], f"{_BASIS}conv=fdatasync, oflag="
    if flags := _flags(run, entry):
        why = say("dd waited for the disk: {flags}", flags=listed(sorted(flags)))
        return Finding("dd_flush", subject, "ok", why, basis)
    if run.option(entry, "of") in _NOWHERE or known.is_memory:
        return Finding("dd_flush", subject, "ok", say("there is nothing to flush"), basis)
    real = run.timing["real_s"] if run.timing else None
    if real and row["io_bytes"] and _SYNC.search(_timed(run.command)):
        rate = row["io_bytes"] / real
        why = say(
            "the sync within the timed command is the flush: the rate is {rate}",
            rate=human(rate, "B/s"),
        )
        remedy = say("take bytes / real, and not what dd printed")
        return Finding("dd_flush", subject, "ok", why, basis, remedy, rate, None, "B/s")
    to = run.option(entry, "of") or ""
    if to.startswith("/dev/") and not to.startswith(("/dev/shm/", "/dev/std")):
        why = say(
            "dd closes {target} before its clock ends, which flushes it if nobody else has it open",
            target=to,
        )
        remedy = say("use conv=fdatasync to be sure")
        return Finding("dd_flush", subject, "unknown", why, basis, remedy)
    rate = row["bw_bytes_per_s"]
    why = say("no fdatasync, fsync, direct or sync")
    if rate is not None:
        pace = human(rate, "B/s")
        why = say("{said}: {rate} is how fast the page cache took it", said=why, rate=pace)
    if real and row["runtime_s"] and real > 1.02 * row["runtime_s"]:
        why = say("{said}, and that real is longer than dd's time shows no flushing", said=why)
    remedy = say("use conv=fdatasync")
    return Finding("dd_flush", subject, "suspect", why, basis, remedy, rate, None, "B/s")


def _flags(run: Run, entry: int | None) -> set[str]:
    """Give what makes dd wait for the disk."""
    return {
        flag
        for name in ("conv", "oflag")
        for flag in (run.option(entry, name) or "").split(",")
        if flag in ("fdatasync", "fsync", "direct", "sync", "dsync")
        # conv=sync pads blocks, and waits for nothing
        and (name, flag) != ("conv", "sync")
    }


def _timed(command: str) -> str:
    """Give what `time` timed of a command line: `time dd; sync` waits for no sync."""
    found = _TIMED.search(command)
    taken = found and _TAKEN.match(found[1])
    return taken[0] if taken else ""


def _time(run: Run, row: Row) -> Finding:
    took, subject, basis = row["runtime_s"], run.subject(row), "1 s and 5 s, by custom"
    figures = (took, 5.0, "s")
    said = say("dd ran for {time}", time=human(took, "s"))
    remedy = say("copy more, for 5 s at least")
    if 0.1 <= took < 5 and (row["direct"] or _flags(run, row["entry"])):
        why = say("{said}, and waited for the disk: a short time varies much", said=said)
        return Finding("dd_time", subject, "ok", why, basis, remedy, *figures)
    if took < 1:
        why = say("{said}: below 1 s the rate means nothing", said=said)
        return Finding("dd_time", subject, "suspect", why, basis, remedy, *figures)
    if took < 5:
        why = say("{said}: below 5 s caches and start-up decide", said=said)
        return Finding("dd_time", subject, "suspect", why, basis, remedy, *figures)
    return Finding("dd_time", subject, "ok", said, basis, None, *figures)


def _busy(run: Run, known: Evidence) -> Iterator[Finding]:
    """Ask whether a processor copied memory all the time."""
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
    figures = (100 * share, 90.0, "%")
    basis = "user + sys against real"
    if share < 0.9:
        yield Finding("copying", "command", "ok", said, basis, None, *figures)
        return
    if run.tool == "dd" and run.io and run.option(run.io[0]["entry"], "if") in _RANDOM:
        why = say("{said}: it made random data, and did not wait for a disk", said=said)
        remedy = say("make the random data before, in memory")
        yield Finding("copying", "command", "suspect", why, basis, remedy, *figures)
        return
    if known.is_memory:
        why = say("{said}: it copied memory, as was declared", said=said)
        yield Finding("copying", "command", "ok", why, basis, None, *figures)
        return
    why = say("{said}: it copied memory, and did not wait for a disk", said=said)
    remedy = say("flush, empty the caches, or use direct I/O")
    yield Finding("copying", "command", "suspect", why, basis, remedy, *figures)
