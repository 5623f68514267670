"""Where the time of an I/O goes: the seconds of one place in the queue, in terms that add up.

A job keeps up to ``iodepth`` I/Os in flight, and each of these places does one I/O after another.
N places that do X I/Os per second have S = N / X seconds for each (Little's law of all places,
whether an I/O is in them or not). The latency is a part of S, and the rest is time in which the
place had no I/O: a flush, an I/O of the other direction, a pause that was asked for.

What is measured by itself is taken first, and no term is more than what is left of the time that it
is in: the device's own count (fio's ``disk_util``), flushes, the other direction, the
processor.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fiotools.stats.check.evidence import Evidence
from fiotools.stats.check.page_cache import at_devices, is_in_memory, slept_share
from fiotools.stats.check.runs import PARTS, SYNC_ENGINES, Row, RunFacts
from fiotools.stats.explain.stalls import stalled

_PAUSES = ("rate", "rate_iops", "rate_min", "thinktime", "latency_target")
_CERTAIN = 0.9  # a smaller share of the I/O at the device was surely answered elsewhere
_MISSED = 0.6  # s: fio looks at the device every 250 ms, and misses what came after


@dataclass(frozen=True)
class Budget:
    """What an I/O took (or a command), in seconds by term, and what multiplies the rate."""

    value: float  # of the metric
    seconds: Mapping[str, float]
    factors: Mapping[str, float] = field(default_factory=dict)
    reached: float | None = None  # share of the I/O that a device answered; None: nothing tells
    facts: Mapping[str, Any] = field(default_factory=dict)  # for sentences and limits

    @property
    def whole(self) -> float:
        """All seconds."""
        return sum(self.seconds.values())


@dataclass
class _Left:
    """The seconds that no term has taken yet."""

    seconds: float
    taken: dict[str, float]

    def give(self, term: str, wanted: float) -> float:
        """Give a term what it asks for, and no more than there is; return what it did not get."""
        given = min(max(wanted, 0.0), self.seconds)
        self.seconds -= given
        self.taken[term] = self.taken.get(term, 0.0) + given
        return max(wanted, 0.0) - given


def of_io(run: RunFacts, rows: Sequence[Row], metric: str, known: Evidence) -> Budget | None:
    """Divide the time of an I/O of a run: `rows` are those of one direction, of its entries.

    All directions of these entries share the places, so the time is that of an I/O of any of them,
    and the share of the direction multiplies its rate.
    """
    own = sum(row["iops"] or 0.0 for row in rows)
    if not own:
        return _by_bytes(run, rows, metric)
    every = [*rows, *_beside(run, rows)]
    iops = sum(row["iops"] or 0.0 for row in every)
    latency = _mean(every, "lat_mean_ns")
    if latency is None and (clat := _mean(every, "clat_mean_ns")) is not None:
        latency = clat + (_mean(every, "slat_mean_ns") or 0.0)
    places = [_places(run, row) for row in rows]
    asked = 0 if None in places else sum(filter(None, places))
    # as measured, if more is in flight than is known to be asked for
    flying = max(float(asked), iops * (latency or 0.0)) or 1.0
    pauses = run.given(rows[0]["entry"], _PAUSES)
    taken, reached = _divided(run, every, flying / iops, latency, known, pauses)
    rate = sum(row["bw_bytes_per_s"] or 0.0 for row in rows)
    factors = {"inflight": flying}
    if metric == "bw_bytes_per_s":
        factors["size"] = rate / own
    if len(every) > len(rows):
        factors["mix"] = own / iops
    facts = {
        "pauses": pauses,
        "util": max((row["util_pct"] or 0.0 for row in run.tables["disks"]), default=None),
        "rate": rate,
        "random": "rand" in (rows[0]["rw"] or ""),
    }
    value = sum(row[metric] or 0.0 for row in rows)
    return Budget(value, taken, factors, reached, facts)


def _beside(run: RunFacts, rows: Sequence[Row]) -> Iterator[Row]:
    """Yield the rows of the same entries in their other directions."""
    entries, first = {row["entry"] for row in rows}, rows[0]
    for row in run.io if first["direction"] in PARTS else ():
        is_other = row["direction"] in PARTS and row["direction"] != first["direction"]
        if is_other and row["entry"] in entries and row["scope"] == first["scope"]:
            yield row


def _divided(
    run: RunFacts,
    rows: Sequence[Row],
    whole: float,
    latency: float | None,
    known: Evidence,
    pauses: Sequence[str],
) -> tuple[dict[str, float], float | None]:
    """Divide the seconds of a place, and tell the share of the I/Os that reached a device."""
    taken = dict[str, float]()
    inside = _Left(0.0 if latency is None else min(latency, whole), taken)
    outside = _Left(whole - inside.seconds, taken)
    jobs = sum({row["entry"]: run.jobs(row) or 1 for row in rows}.values())
    outside.give("flush", _flushes(run, rows) * whole / jobs)
    reached, device = _at_devices(run, rows, known)
    inside.give("device", device or 0.0)
    user, system = _processor(run, rows, jobs)
    more, less = inside.give("processor", system * whole), outside.give("processor", user * whole)
    outside.give("processor", more)
    inside.give("processor", less)
    # a job that was not told to pause, and did not work, was kept from it
    is_kept = device is not None and not pauses and run.tells_options(rows[0]["entry"])
    if latency is not None:
        outside.give("waiting" if is_kept else "idle", outside.seconds)
    # what an O_SYNC write waits for beside its data is the flush, which the device does not count
    writes = [row["entry"] for row in rows if row["direction"] == "write"]
    if any(map(run.is_sync, writes)):
        inside.give("flush", inside.seconds)
    elif device is not None:  # a job that pauses takes answers late, which the latency counts
        inside.give("idle" if pauses else "waiting", inside.seconds)
    submitted = _mean(rows, "slat_mean_ns")
    if submitted and latency:
        inside.give("submission", inside.seconds * min(1.0, submitted / latency))
    inside.give("tail", inside.seconds * stalled(run, rows))
    inside.give("completion", inside.seconds)
    outside.give("unknown", outside.seconds)
    return taken, reached


def of_timing(row: Row) -> Budget | None:
    """Divide the wall time of a command: its processors may have worked side by side."""
    real, user, system = row["real_s"], row["user_s"], row["sys_s"]
    if not real:
        return None
    left = _Left(real, {})
    if user is None or system is None:
        left.give("unknown", real)
        return Budget(real, left.taken)
    shared = min(1.0, real / (user + system)) if user + system else 1.0
    left.give("user", user * shared)
    left.give("system", system * shared)
    left.give("asleep", left.seconds)
    return Budget(real, left.taken)


def _by_bytes(run: RunFacts, rows: Sequence[Row], metric: str) -> Budget | None:
    """Divide the time of a block of dd, which counts bytes, by the time of its command."""
    rate = sum(row["bw_bytes_per_s"] or 0.0 for row in rows)
    if not rate or metric == "iops":
        return None
    size = float(rows[0]["bs_bytes"] or 1)
    left = _Left(size / rate, {})
    timing = run.timing
    if timing and timing["real_s"] and timing["user_s"] is not None:
        busy = (timing["user_s"] + (timing["sys_s"] or 0.0)) / timing["real_s"]
        left.give("processor", busy * left.seconds)
    left.give("unknown", left.seconds)
    facts = {"rate": rate, "direction": rows[0]["direction"], "pauses": []}
    return Budget(rate, left.taken, {"inflight": 1.0, "size": size}, None, facts)


def _places(run: RunFacts, row: Row) -> int | None:
    """Count the I/Os that were asked for in flight; an engine that waits for each has one a job."""
    jobs = run.jobs(row)
    engine = row["ioengine"]
    is_sync = engine in SYNC_ENGINES or (engine is None and run.tells_options(row["entry"]))
    depth = 1 if run.tool == "fio" and is_sync else run.depth(row)
    if depth is None and run.tool == "fio" and run.tells_options(row["entry"]):
        depth = 1
    return None if jobs is None or depth is None else jobs * depth


def _mean(rows: Sequence[Row], name: str) -> float | None:
    """Give a latency in seconds, weighted by I/Os; None if a row lacks it."""
    known = [(row[name], row["total_ios"] or 1) for row in rows]
    if any(value is None for value, _ in known):
        return None
    return float(sum(value * n for value, n in known) / sum(n for _, n in known) / 1e9)


def _flushes(run: RunFacts, rows: Sequence[Row]) -> float:
    """Add up the seconds of flushes that all jobs spend in each second."""
    entries = {row["entry"] for row in rows}
    taken = 0.0
    for row in run.io:
        if row["direction"] != "sync" or row["entry"] not in entries:
            continue
        latency = row["lat_mean_ns"] if row["lat_mean_ns"] is not None else row["clat_mean_ns"]
        runtime = next((own["runtime_s"] for own in rows if own["entry"] == row["entry"]), None)
        if latency and runtime and row["total_ios"]:
            taken += row["total_ios"] * latency / 1e9 / runtime
    return taken


def _at_devices(
    run: RunFacts, rows: Sequence[Row], known: Evidence
) -> tuple[float | None, float | None]:
    """Tell the share of the I/Os that a device answered, and the seconds there of each I/O."""
    if is_in_memory(run, known):
        return 0.0, 0.0
    reached, seconds, whole = 0.0, 0.0, sum(row["total_ios"] or 0 for row in rows)
    for direction in dict.fromkeys(row["direction"] for row in rows):
        own = [row for row in rows if row["direction"] == direction]
        count = sum(row["total_ios"] or 0 for row in own)
        share, took = _at_device(run, own, direction, count)
        if share is None or took is None:
            return None, None
        reached += share * count / whole
        seconds += took * count / whole
    return reached, seconds


def _at_device(
    run: RunFacts, rows: Sequence[Row], direction: str, count: int
) -> tuple[float | None, float | None]:
    disks = [row for row in run.tables["disks"] if row["read_ios"] is not None]
    has_one_phase = len({row["group"] for row in run.io}) == 1
    if direction not in ("read", "write") or not disks or not has_one_phase or not count:
        return None, None
    is_direct = all(run.direct(row) for row in rows)
    if direction == "write" and not is_direct:
        if any(run.direct(row) is None for row in rows):
            return None, None
        if not any(run.is_sync(row["entry"]) for row in rows):
            return 0.0, 0.0  # the page cache takes them, and writes them later
    is_counting = any(row["read_ios"] or row["write_ios"] for row in disks)
    if not is_counting and any((row["device"] or "").startswith("nvme") for row in disks):
        return None, None  # the heads of NVMe multipath have zeros
    ios, merged, ticks = (
        at_devices(run, disks, (row[f"{direction}_{name}"] or 0.0 for row in disks))
        for name in ("ios", "merges", "ticks_s")
    )
    each = ticks / ios if ios else 0.0  # others' I/Os count too: no sum of theirs is a time of ours
    if not (is_direct or "rand" in (rows[0]["rw"] or "")):
        # requests of a read-ahead are larger than those of the job
        return (1.0 if ios else 0.0), each * min(1.0, ios / count)
    reached = (ios + merged) / count
    slept = slept_share(run, rows, count) if direction == "read" else None
    if slept is not None and slept.is_short:
        reached = min(reached, slept.counted)
    took = min(row["runtime_s"] or 1.0 for row in rows)
    # fio saw fewer of them than there were
    reached = 1.0 if reached >= _CERTAIN - _MISSED / took else reached
    return reached, each * reached


def _processor(run: RunFacts, rows: Sequence[Row], jobs: int) -> tuple[float, float]:
    """Give the shares of a job's time that it was on a processor, by user and system."""
    entries = {row["entry"] for row in rows}
    own = [job for job, _ in run.entries() if job.get("entry") in entries]
    known = [job for job in own if job["usr_cpu_pct"] is not None]
    if known:
        user, system = (
            sum(job[f"{name}_cpu_pct"] or 0.0 for job in known) / len(known) / 100
            for name in ("usr", "sys")
        )
        return min(user, 1.0), min(system, 1.0)
    processors = [row for row in run.tables["cpu"] if row["cpu"] != "average"]
    busy = sum(row["usage_pct"] or 0.0 for row in processors) / 100 / jobs
    return 0.0, min(busy, 1.0)
