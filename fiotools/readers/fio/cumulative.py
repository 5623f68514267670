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
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from fiotools.readers.fio import DIRECTIONS, LATENCIES
from fiotools.readers.fio.documents import (
    IN_NS,
    MOVING,
    TOTAL,
    JsonPiece,
    by_direction,
    elapsed,
    entries,
    number,
)

Json = dict[str, Any]

_INSIDE = re.compile(r'"\s*:\s*(?:\[\s*)?\Z')  # the value of a key, or the first item of one
_NEAR = 200  # characters
# what differs between the documents of one run, and between the reports of one job
_CHANGING = {"timestamp", "timestamp_ms", "time", "jobs", "client_stats", "disk_util"}
_SAME = ("jobname", "groupid", "hostname", "port", "job options")
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


def runs_of(text: str, pieces: Sequence[JsonPiece]) -> list[list[JsonPiece]]:
    """Group consecutive documents of a text by run."""
    runs: list[list[JsonPiece]] = []
    is_inside = False
    for piece in pieces:
        last = runs[-1][-1] if runs else None
        between = text[max(last.end if last else 0, piece.start - _NEAR) : piece.start]
        if between.strip() != ",":  # the next item of a list stands where the one before does
            is_inside = _INSIDE.search(between) is not None
        if last and not is_inside and _continues(last.document or {}, piece.document or {}):
            runs[-1].append(piece)
        else:
            runs.append([piece])
    return runs


def _continues(before: Json, after: Json) -> bool:
    """Whether one document is certainly a later report of the same run."""
    old, new = entries(before), entries(after)
    return (
        0 < len(old) == len(new)
        and _fixed(before) == _fixed(after)
        and all(_is_same(*pair) for pair in zip(old, new, strict=True))
        # a job that began in the same millisecond proves what the clock would
        and (any(entry.get("job_start") for entry in old) or _clock_agrees(before, after))
        and all(_grows(*pair) for pair in zip(old, new, strict=True))
        and (_clock(before)[0] != _clock(after)[0] or old != new)
    )


def _fixed(document: Json) -> Json:
    return {key: value for key, value in document.items() if key not in _CHANGING}


def _is_same(before: Json, after: Json) -> bool:
    """Whether two entries are of the same job, as far as names, options and its start tell."""
    start = before.get("job_start")  # since 3.36; 0 until it starts
    return all(before.get(key) == after.get(key) for key in _SAME) and (
        not start or start == after.get("job_start")
    )


# --- the clock --------------------------------------------------------------------------------


def _clock_agrees(before: Json, after: Json) -> bool:
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


def _clock(document: Json) -> tuple[float | None, float]:
    """Return the seconds of a document's clock, and how far they may be off."""
    exact = number(document.get("timestamp_ms"))
    if exact is not None:
        return exact / 1000, _SLACK_S
    return number(document.get("timestamp")), 1 + _SLACK_S


def _takes_time(before: Json, after: Json) -> bool:
    """Whether the I/Os that were added fit the run time that was added: a clock may be coarse."""
    for old, new in zip(entries(before), entries(after), strict=True):
        total, ran = _ios(new), _run_time(new)
        passed = ran - _run_time(old)
        if passed < 0.05 * ran and (total - _ios(old)) * ran > 2 * total * (passed + 0.02):
            return False
    return True


def _advances(before: Json, after: Json) -> list[float]:
    """Return by how many seconds the run time of each group rose."""
    found: defaultdict[str, float] = defaultdict(float)
    for old, new in zip(entries(before), entries(after), strict=True):
        group = str(new.get("groupid"))
        found[group] = max(found[group], _run_time(new) - _run_time(old))
    return [*found.values()]


def _longest(document: Json) -> float:
    return max(map(_run_time, entries(document)))


def _run_time(entry: Json) -> float:
    """Return the seconds that the longest direction of an entry ran."""
    parts = by_direction(entry, MOVING)
    return max((_count(part, "runtime") for _, part in parts), default=0) / 1000


def _is_unfinished(before: Json, after: Json) -> bool:
    """Whether a job had more to do: its time was not over, nor its size, or it began later."""
    shared = _options(before.get("global options"))
    pairs = [*zip(entries(before), entries(after), strict=True)]
    is_idle = all(_moved(old) == _moved(new) for old, new in pairs)
    for old, new in pairs:
        ran = _run_time(old)
        options = {**shared, **_options(old.get("job options"))}
        limit = _TIME.fullmatch(str(options.get("runtime")))
        is_early = limit and ran < int(limit[1]) * _SECONDS[limit[2]] and _moved(old) < _moved(new)
        # while all jobs wait, none has begun later yet
        is_waiting = ran == 0 and (_run_time(new) > 0 or is_idle)
        if not old.get("error") and (is_early or is_waiting):
            return True
    return False


def _options(listed: Any) -> Json:
    return listed if isinstance(listed, dict) else {}


def _moved(entry: Json) -> float:
    return sum(_count(part, "io_bytes") for _, part in by_direction(entry, MOVING))


# --- clients ----------------------------------------------------------------------------------


def snapshots(document: Json) -> tuple[list[Json], bool]:
    """Split a document of clients into the reports of all servers, the last of which is the result.

    A sum that later reports follow is left out. Return also whether that could be proved: if not,
    the one report has all entries.
    """
    if "client_stats" not in document:
        return [document], True
    listed = entries(document)
    sums = [at for at, entry in enumerate(listed) if entry.get("jobname") == TOTAL]
    servers: defaultdict[tuple[str, str], list[Json]] = defaultdict(list)
    for entry in listed:
        if entry.get("jobname") != TOTAL:
            servers[server_of(entry)].append(entry)
    reports = [_reports_of(sent) for sent in servers.values()]
    count = max(map(len, reports), default=1)
    if sums[:1] == [len(listed) - 1] or not (sums or (count > 1 and _are_apart(reports))):
        return [document], True
    if sums and sums[0] != sum(len(found[0]) for found in reports):
        rest = [entry for sent in servers.values() for entry in sent]
        return [{**document, "client_stats": rest}], False
    # those of a server that sent fewer are its last ones
    none: Json = {}
    padded = [[[none] * len(found[0])] * (count - len(found)) + found for found in reports]
    disks = document.get("disk_util")
    if isinstance(disks, list):  # every report repeats them
        known = (disk for disk in disks if isinstance(disk, dict))
        disks = [*{(*server_of(disk), disk.get("name")): disk for disk in known}.values()]
    return [
        {**document, "client_stats": list(chain.from_iterable(parts)), "disk_util": disks}
        for parts in zip(*padded, strict=True)
    ], True


def server_of(values: Mapping[str, Any]) -> tuple[str, str]:
    """Return the server that an entry, a disk or options belong to."""
    return str(values.get("hostname")), str(values.get("port"))


def _reports_of(sent: list[Json]) -> list[list[Json]]:
    """Split what one server sent into reports: an entry is a later state of that in the last."""
    for size in range(1, len(sent)):
        if len(sent) % size == 0:
            pairs = zip(sent, sent[size:], strict=False)
            if all(_is_same(*pair) and _grows(*pair) for pair in pairs):
                return [sent[at : at + size] for at in range(0, len(sent), size)]
    return [sent]


def _are_apart(reports: list[list[list[Json]]]) -> bool:
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


def _grows(before: Json, after: Json) -> bool:
    """Whether an entry can be a later state of another: nothing that only grows has fallen."""
    earlier, later = dict(by_direction(before)), dict(by_direction(after))
    return (
        earlier.keys() <= later.keys()
        and not _falls(before, after, _CPU)
        and all(_can_follow(earlier[name], later[name]) for name in earlier)
        and _fills(before, after)
    )


def _falls(before: Json, after: Json, keys: Sequence[str]) -> bool:
    return any(_count(after, key) < _count(before, key) for key in keys)


def _can_follow(before: Json, after: Json) -> bool:
    """Whether the I/O of one direction can be a later state of another."""
    if _falls(before, after, _AMOUNTS):
        return False
    for kind in (*IN_NS, *LATENCIES):
        old, new = before.get(kind), after.get(kind)
        if not isinstance(old, dict) or not isinstance(new, dict) or not old.get("max"):
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


def _fills(before: Json, after: Json) -> bool:
    """Whether no bin of the coarse distribution loses I/Os, as far as shares can tell."""
    old, new = _ios(before), _ios(after)
    for unit in _UNITS:
        shares, later = before.get(unit), after.get(unit)
        if isinstance(shares, dict) and isinstance(later, dict):
            for name in shares:
                most = (_count(later, name) + _ROUNDED) * new
                if (_count(shares, name) - _ROUNDED) * old > most:
                    return False
    return True


def _ios(entry: Json) -> float:
    """Count the I/Os of an entry; mixed ones repeat the others."""
    done = {name: _count(part, "total_ios") for name, part in by_direction(entry, MOVING)}
    return sum(done[name] for name in DIRECTIONS[:3] if name in done) or done.get("mixed", 0)


def _count(values: Json, key: str) -> float:
    return number(values.get(key)) or 0.0
