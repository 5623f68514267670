"""Which of fio's JSON documents are reports of one run, and which are runs of their own.

With ``--status-interval`` fio writes cumulative documents: each repeats the one before with higher
counts. Runs appended to one file, and runs of two places put together, look the same. Documents
are one run only on proof: they stand alone, with the same jobs and options; the clock moved as far
as the run time; nothing that only grows has fallen; and something has grown.

Traps: ``elapsed`` is in whole seconds, rounded up. A report waits for jobs that are busy, so its
clock may be later than its numbers. A job that waits for another has no run time yet, and the start
of threads takes some tenths of a second. Jobs of one group run at once; those of several groups may
run one after another. With ``--client`` there is one document: ``client_stats`` has every report of
each server, and "All clients" only once, behind the first report of all of them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import chain
from operator import attrgetter
from typing import Any

from msgspec.structs import replace

from fiotools.readers.fio import DIRECTIONS
from fiotools.readers.fio.documents import MOVING, TOTAL, Piece, by_direction, elapsed
from fiotools.readers.fio.schema import LATENCIES, Disk, Document, Job, Part, Record

_INSIDE = re.compile(r'"\s*:\s*(?:\[\s*)?\Z')  # the value of a key, or the first item of one
_NEAR = 200  # characters
# what is the same in all documents of one run, and in all reports of one job
_fixed = attrgetter("version", "global_options")
_same = attrgetter("jobname", "groupid", "hostname", "port", "job_options")
# of reports of one run fio's clocks differ by .13 s; a run appended to another is .3 s later, as
# fio needs that to begin
_SLACK_S = 0.3
_CPU = ("ctx", "majf", "minf")
_AMOUNTS = ("io_bytes", "total_ios", "runtime")
_UNITS = ("latency_ns", "latency_us", "latency_ms")
# percent: fio before 3 prints two decimals, and every fio raises less than .01 to .01
_ROUNDED = 0.01
_DIGITS = 1e-6  # of a mean: it has six decimals
# a run time as an option has it, in seconds
_TIME = re.compile(r"(\d{1,9})\s*(us|ms|s|m|h|d)?")
_SECONDS = {"us": 1e-6, "ms": 1e-3, "s": 1.0, None: 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def runs_of(text: str, pieces: Sequence[Piece]) -> list[list[Piece]]:
    """Group consecutive documents of a text by run."""
    runs: list[list[Piece]] = []
    is_inside = False
    for piece in pieces:
        last = runs[-1][-1] if runs else None
        between = text[max(last.end if last else 0, piece.start - _NEAR) : piece.start]
        if between.strip() != ",":  # the next item of a list stands where the one before does
            is_inside = _INSIDE.search(between) is not None
        if last and not is_inside and _continues(last.document, piece.document):
            runs[-1].append(piece)
        else:
            runs.append([piece])
    return runs


def _continues(before: Document | None, after: Document | None) -> bool:
    """Whether one document is certainly a later report of the same run."""
    if before is None or after is None:
        return False
    old, new = before.entries, after.entries
    return (
        0 < len(old) == len(new)
        and _fixed(before) == _fixed(after)
        and _others(before) == _others(after)
        and all(_is_same(*pair) for pair in zip(old, new, strict=True))
        # a job that began in the same millisecond proves what the clock would
        and (any(entry.job_start for entry in old) or _clock_agrees(before, after))
        and all(_grows(*pair) for pair in zip(old, new, strict=True))
        and (_clock(before)[0] != _clock(after)[0] or old != new)
    )


def _others(document: Document) -> dict[str, Any]:
    """Return what a document says beside fio's keys."""
    return {key: one for key, one in (document.rest or {}).items() if key != "time"}


def _is_same(before: Job, after: Job) -> bool:
    """Whether two entries are of the same job, as far as names, options and its start tell."""
    start = before.job_start  # since 3.36; 0 until it starts
    return _same(before) == _same(after) and (not start or start == after.job_start)


# --- the clock --------------------------------------------------------------------------------


def _clock_agrees(before: Document, after: Document) -> bool:
    """Whether the clock advanced as far as the run."""
    (old, slack), (new, _) = _clock(before), _clock(after)
    past, age = elapsed(before), elapsed(after)
    if old is None or new is None:
        if past is None or age is None or age <= past:
            return False
        passed, slack = age - past, 1 + _SLACK_S
    else:
        passed = new - old
        # both are rounded up, so that the difference is less than a second off
        if past is not None and age is not None and abs(passed - age + past) > 1 + slack:
            return False
    if passed < 0 or (slack > _SLACK_S and not _takes_time(before, after)):
        return False
    ran = _advances(before, after)
    if max(ran) - passed > slack + max(0.0, (past or 0) - _longest(before)):
        return False
    return (
        passed - sum(ran) <= slack
        or _is_unfinished(before, after)
        # another run would have begun behind the end of a run as long as this
        or (past is not None and past - 1 > 2 * (1 + slack))
    )


def _clock(document: Document) -> tuple[float | None, float]:
    """Return the seconds of a document's clock, and how far they may be off."""
    if document.timestamp_ms is not None:
        return document.timestamp_ms / 1000, _SLACK_S
    return document.timestamp, 1 + _SLACK_S


def _takes_time(before: Document, after: Document) -> bool:
    """Whether the I/Os that were added fit the run time that was added: a clock may be coarse."""
    for old, new in zip(before.entries, after.entries, strict=True):
        total, ran = _ios(new), _run_time(new)
        passed = ran - _run_time(old)
        if passed < 0.05 * ran and (total - _ios(old)) * ran > 2 * total * (passed + 0.02):
            return False
    return True


def _advances(before: Document, after: Document) -> list[float]:
    """Return by how many seconds the run time of each group rose."""
    found: defaultdict[int | None, float] = defaultdict(float)
    for old, new in zip(before.entries, after.entries, strict=True):
        group = new.groupid
        found[group] = max(found[group], _run_time(new) - _run_time(old))
    return [*found.values()]


def _longest(document: Document) -> float:
    return max(map(_run_time, document.entries))


def _run_time(entry: Job) -> float:
    """Return the seconds that the longest direction of an entry ran."""
    parts = by_direction(entry, MOVING)
    return max((_count(part, "runtime") for _, part in parts), default=0) / 1000


def _is_unfinished(before: Document, after: Document) -> bool:
    """Whether a job had more to do: its time was not over, nor its size, or it began later."""
    shared = before.global_options if isinstance(before.global_options, dict) else {}
    pairs = [*zip(before.entries, after.entries, strict=True)]
    is_idle = all(_moved(old) == _moved(new) for old, new in pairs)
    for old, new in pairs:
        ran = _run_time(old)
        limit = _TIME.fullmatch((old.job_options or {}).get("runtime", shared.get("runtime", "")))
        is_early = limit and ran < int(limit[1]) * _SECONDS[limit[2]] and _moved(old) < _moved(new)
        # while all jobs wait, none has begun later yet
        is_waiting = ran == 0 and (_run_time(new) > 0 or is_idle)
        if not old.error and (is_early or is_waiting):
            return True
    return False


def _moved(entry: Job) -> float:
    return sum(_count(part, "io_bytes") for _, part in by_direction(entry, MOVING))


# --- clients ----------------------------------------------------------------------------------


def snapshots(document: Document) -> tuple[list[Document], bool]:
    """Split a document of clients into the reports of all servers, the last of which is the result.

    A sum that later reports follow is left out. Return also whether that could be proved: if not,
    the one report has all entries.
    """
    listed = document.client_stats
    if listed is None:
        return [document], True
    sums = [at for at, entry in enumerate(listed) if entry.jobname == TOTAL]
    servers: defaultdict[tuple[str, str], list[Job]] = defaultdict(list)
    for entry in listed:
        if entry.jobname != TOTAL:
            servers[server_of(entry)].append(entry)
    reports = [_reports_of(sent) for sent in servers.values()]
    count = max(map(len, reports), default=1)
    if sums[:1] == [len(listed) - 1] or not (sums or (count > 1 and _are_apart(reports))):
        return [document], True
    if sums and sums[0] != sum(len(found[0]) for found in reports):
        rest = [entry for sent in servers.values() for entry in sent]
        return [replace(document, client_stats=rest)], False
    # those of a server that sent fewer are its last ones
    padded = [[[Job()] * len(found[0])] * (count - len(found)) + found for found in reports]
    # every report repeats the disks
    disks = {(*server_of(disk), disk.name): disk for disk in document.disk_util or ()}
    return [
        replace(
            document,
            client_stats=[*chain.from_iterable(parts)],
            disk_util=[*disks.values()],
        )
        for parts in zip(*padded, strict=True)
    ], True


def server_of(values: Job | Disk) -> tuple[str, str]:
    """Return the server that an entry or a disk belongs to."""
    return str(values.hostname), str(values.port)


def _reports_of(sent: list[Job]) -> list[list[Job]]:
    """Split what one server sent into reports: an entry is a later state of that in the last."""
    for size in range(1, len(sent)):
        if len(sent) % size == 0:
            pairs = zip(sent, sent[size:], strict=False)
            if all(_is_same(*pair) and _grows(*pair) for pair in pairs):
                return [sent[at : at + size] for at in range(0, len(sent), size)]
    return [sent]


def _are_apart(reports: list[list[list[Job]]]) -> bool:
    """Whether the first two reports of each server are as far apart as reports are.

    The clones of a job run at once.
    """
    return all(
        any(
            _run_time(new) - _run_time(old) > _SLACK_S
            for old, new in zip(found[0], found[1], strict=True)
        )
        for found in reports
        if len(found) > 1
    )


# --- what only grows --------------------------------------------------------------------------


def _grows(before: Job, after: Job) -> bool:
    """Whether an entry can be a later state of another: nothing that only grows has fallen."""
    earlier, later = dict(by_direction(before)), dict(by_direction(after))
    return (
        earlier.keys() <= later.keys()
        and not _falls(before, after, _CPU)
        and all(_can_follow(earlier[name], later[name]) for name in earlier)
        and _fills(before, after)
    )


def _falls(before: Record, after: Record, keys: Sequence[str]) -> bool:
    return any(_count(after, key) < _count(before, key) for key in keys)


def _can_follow(before: Part, after: Part) -> bool:
    """Whether the I/O of one direction can be a later state of another."""
    if _falls(before, after, _AMOUNTS):
        return False
    for kind in LATENCIES:
        old, new = getattr(before, kind), getattr(after, kind)
        if old is None or new is None or not old.max:
            continue  # nothing was measured before
        if _falls(old, new, ("max", "N")) or _count(new, "min") > _count(old, "min"):
            return False
        count, more = _count(old, "N"), _count(new, "N")
        spent, total = _count(old, "mean") * count, _count(new, "mean") * more
        slack = _DIGITS * more
        # the same I/Os took the same time, and more of them took more
        if total < spent - slack or (count == more and total > spent + slack):
            return False
    return True


def _fills(before: Job, after: Job) -> bool:
    """Whether no bin of the coarse distribution loses I/Os, as far as shares can tell."""
    old, new = _ios(before), _ios(after)
    for unit in _UNITS:
        shares, later = getattr(before, unit), getattr(after, unit)
        if shares is not None and later is not None:
            for name, share in shares.items():
                if (share - _ROUNDED) * old > (later.get(name, 0) + _ROUNDED) * new:
                    return False
    return True


def _ios(entry: Job) -> float:
    """Count the I/Os of an entry; mixed ones repeat the others."""
    done = {name: _count(part, "total_ios") for name, part in by_direction(entry, MOVING)}
    return sum(done[name] for name in DIRECTIONS[:3] if name in done) or done.get("mixed", 0)


def _count(record: Record, key: str) -> float:
    return getattr(record, key) or 0.0
