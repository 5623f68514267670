"""Little's law: rate x latency I/Os are in flight, and no more than asked for.

fio: the sum over directions of I/Os x mean total latency, divided by the time that the jobs ran.
``job_runtime`` is summed over the jobs of a group and the phases of a job, so the result is the
depth of ONE job; if it is missing (before 3.8, and in text) the longest direction stands for it,
and the result is the depth of all jobs together. DISKSPD: I/Os per second x mean latency, against
outstanding x threads x targets.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fiotools import units
from fiotools.language import listed, say
from fiotools.stats.check.evidence import Evidence
from fiotools.stats.check.finding import Finding, Probe, keep_options
from fiotools.stats.check.runs import Row, Run, directions

_BASIS = "Little's law: I/Os in flight = rate x latency"
_SLACK = 1.05
_SHORT = 1.0  # s: below, the ends of a run weigh as much as the run
_CRYSTAL = 5.0  # s: the time of each measurement of CrystalDiskMark, which does not print it
_HALF_DIGIT = 500.0  # ns: DISKSPD prints 0.001 ms
_MIXED = ("rw", "randrw", "readwrite", "trimwrite", "randtrimwrite")
SYNC_ENGINES = {"sync", "psync", "vsync", "pvsync", "pvsync2", "mmap", "splice"}
# options that keep a queue from being full
_BRAKES = (
    *("rate", "rate_iops", "rate_min", "thinktime", "fsync", "fdatasync", "sync"),
    *("io_submit_mode", "iodepth_batch", "iodepth_low", "latency_target"),
    *("Target/Throughput", "Target/ThinkTime", "-g", "-i"),
)


def little(run: Run, known: Evidence) -> Iterator[Finding]:
    """Compare the I/Os in flight with the depth that was asked for."""
    del known
    if run.tool == "fio":
        for job, rows in run.entries():
            yield _fio(run, job, rows)
        return
    rows = run.wholes()
    # one direction of a mixture has not all I/Os of the queue
    for row in [row for row in rows if row["direction"] == "total"] or rows:
        if row["direction"] is not None and row["lat_mean_ns"] is not None:
            depth, threads = row["iodepth"], row["numjobs"]
            whole = None if depth is None or threads is None else depth * threads
            flight = None if row["iops"] is None else row["iops"] * row["lat_mean_ns"] / 1e9
            took = _CRYSTAL if run.tool == "crystaldiskmark" else row["runtime_s"]
            yield _judge(run, row, flight, whole, took, _HALF_DIGIT)


def _fio(run: Run, job: Row, rows: list[Row]) -> Finding:
    parts = directions(rows)
    if not parts:
        return _unknown(run.subject(rows[0]), say("no row of reads or writes"))
    row: dict[str, Any] = {**parts[0], "direction": None}
    row["lat_max_ns"] = max((part["lat_max_ns"] or 0.0 for part in parts), default=0.0)
    longest = max((part["runtime_s"] or 0.0 for part in parts), default=0.0)
    depth = row["iodepth"] or _default(run, row["entry"])
    if any(part["lat_mean_ns"] is None or part["total_ios"] is None for part in parts):
        missing = say("no mean total latency (lat) or no count of I/Os")
        return _unknown(run.subject(row), missing)
    busy = [part["total_ios"] * part["lat_mean_ns"] / 1e9 for part in parts]
    if job.get("job_runtime_s"):
        return _judge(run, row, sum(busy) / job["job_runtime_s"], depth, longest)
    jobs = 1 if row["scope"] == "job" else row["numjobs"]
    if not longest or jobs is None or depth is None:
        return _judge(run, row, None, None, longest)
    # verifying comes after writing, and then the two are not in flight together
    together = row["rw"] in _MIXED or len(parts) == 1
    inflight = sum(busy) / longest if together else max(busy) / longest
    return _judge(run, row, inflight, depth * jobs, longest)


def _judge(
    run: Run,
    row: Row,
    inflight: float | None,
    depth: int | None,
    runtime: float | None,
    half_digit: float = 0.0,
) -> Finding:
    subject = run.subject(row)
    if not depth:
        missing = say("the depth and the number of jobs are not in the report")
        return _unknown(subject, missing)
    if inflight is None or not runtime:
        return _unknown(subject, say("rate, latency or run time are not in the report"))
    tail = (row.get("lat_max_ns") or 0.0) / 1e9 / runtime
    printed = (row.get("iops") or 0.0) * half_digit / 1e9
    probe = Probe("little", subject, _BASIS, inflight, float(depth))
    said = say(
        "{inflight} of {depth} requested I/Os were in flight on average",
        inflight=f"{inflight:.4g}",
        depth=depth,
    )
    if inflight > _SLACK * depth + tail + printed:
        if runtime >= _SHORT:
            return probe.impossible(
                say("{said}: rate, latency and depth cannot all be right", said=said),
                say("look for a number that was edited, added up twice or read in another unit"),
            )
        lasted = units.human(runtime, "s")
        why = say("{said}, in {time}: too short to tell", said=said, time=lasted)
        return probe.unknown(why, say("run for longer than 1 s"))
    if inflight >= 0.9 * depth:
        return probe.ok(said)
    if causes := _causes(run, row):
        return probe.ok(
            say("{said}: {causes} keeps the queue from filling", said=said, causes=causes)
        )
    return probe.ok(said, say("the queue was not kept full; that alone is not a fault"))


def _causes(run: Run, row: Row) -> str:
    found = [f"ioengine={row['ioengine']}"] if row["ioengine"] in SYNC_ENGINES else []
    for name in _BRAKES:
        text = run.option(row["entry"], name)
        if text not in (None, "", "0", "0ms", "inline", "none"):
            found.append(f"{name}={text}")
    return listed(found)


def _default(run: Run, entry: int | None) -> int | None:
    """Return fio's own depth if the options are listed without one."""
    text = run.default(entry, "iodepth")
    return int(text) if text and text.isdecimal() else None


def _unknown(subject: str, missing: str) -> Finding:
    why = say("Little's law cannot be applied: {missing}", missing=missing)
    return Probe("little", subject, _BASIS).unknown(why, keep_options())


def depth(run: Run, known: Evidence) -> Iterator[Finding]:
    """Find where the depth had no effect, and where submitting took all the time."""
    del known
    if run.tool != "fio":
        return
    for _, rows in run.entries():
        row = {**rows[0], "direction": None}
        asked, engine = row["iodepth"], row["ioengine"]
        if asked is not None and asked > 1 and engine is not None:
            yield _asked(run, row, asked, engine)
        yield from _submission(run, row, directions(rows))


def _asked(run: Run, row: Row, asked: int, engine: str) -> Finding:
    probe = Probe("depth", run.subject(row), "fio, HOWTO: iodepth and ioengine")
    one = probe.of(1.0, float(asked))
    words = {"n": asked, "engine": engine}
    if run.option(row["entry"], "io_submit_mode") == "offload":
        why = say(
            "iodepth={n} with ioengine={engine}: fio's own threads submit (io_submit_mode=offload)",
            **words,
        )
        return probe.ok(why)
    if engine in SYNC_ENGINES:
        why = say(
            "iodepth={n} with ioengine={engine}, which has one I/O in flight: the depth had no "
            "effect",
            **words,
        )
        return one.suspect(why, say("use ioengine=io_uring or libaio with direct=1, or more jobs"))
    is_direct = run.direct(row)
    if engine == "libaio" and is_direct is False:
        why = say(
            "iodepth={n} with ioengine={engine} and direct=0: Linux then waits in io_submit, so "
            "the depth had no effect",
            **words,
        )
        return one.suspect(why, say("set direct=1, or use io_uring"))
    if engine == "libaio" and is_direct is None:
        why = say(
            "iodepth={n} with ioengine={engine}: the report does not tell whether direct=1 was set",
            **words,
        )
        return probe.of(None, float(asked)).unknown(why, keep_options())
    return probe.ok(say("iodepth={n} with ioengine={engine}, which can keep it", **words))


def _submission(run: Run, row: Row, parts: list[Row]) -> Iterator[Finding]:
    """Note where the time went into submitting: then clat means nothing, and lat is the value."""
    jobs = 1 if row["scope"] == "job" else row["numjobs"]
    known = [part for part in parts if part["slat_mean_ns"] and part["iops"]]
    if not jobs or not known or len(known) < len(parts):
        return
    share = sum(part["iops"] * part["slat_mean_ns"] / 1e9 for part in known) / jobs
    if not 0.9 <= share <= 1.1:
        return
    basis = "I/Os per second x mean submission latency / jobs"
    yield Probe("submission", run.subject(row), basis, 100 * share, 90.0, "%").ok(
        say(
            "submission-bound: the job spent {share} % of its time submitting",
            share=f"{100 * share:.0f}",
        ),
        say("use lat, not clat: clat begins when the work is done"),
    )
