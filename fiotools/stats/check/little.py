"""How many I/Os were in flight: Little's law, and the depth that was asked for.

Little's law: rate x latency I/Os are in flight, and no more than asked for. In fio that is the sum
over directions of I/Os x mean total latency, divided by the time that the jobs ran. `job_runtime`
is summed over the jobs of a group and the phases of a job, so the result is the depth of ONE job;
if it is missing (before 3.8, and in text) the longest direction stands for it, and the result is
the depth of all jobs together. DISKSPD: I/Os per second x mean latency, against outstanding x
threads x targets.
"""

from __future__ import annotations

from collections.abc import Iterator

from fiotools.stats.check.evidence import Evidence, Finding
from fiotools.stats.check.runs import SYNC_ENGINES, Row, RunFacts, directions

_SLACK = 1.05  # of Little's law
_TWICE = 1.3  # of the depth: a run time that was made shorter
_SHORT = 1.0  # s: below, the ends of a run weigh as much as the run
_CRYSTAL = 5.0  # s: the time of each measurement of CrystalDiskMark, which does not print it
_HALF_DIGIT = 500.0  # ns: DISKSPD prints 0.001 ms
_MIXED = ("rw", "randrw", "readwrite", "trimwrite", "randtrimwrite")
# options that keep a queue from being full
_BRAKES = (
    *("rate", "rate_iops", "rate_min", "thinktime", "fsync", "fdatasync", "sync"),
    *("io_submit_mode", "iodepth_batch", "iodepth_low", "latency_target"),
    *("Target/Throughput", "Target/ThinkTime", "-g", "-i"),
)


def little(run: RunFacts, _known: Evidence) -> Iterator[Finding]:
    """Compare the I/Os in flight with the depth that was asked for."""
    if run.tool == "fio":
        for entry in run.entries:
            yield _fio(run, *entry)
        return
    rows = run.totals
    # one direction of a mixture has not all I/Os of the queue
    for row in [row for row in rows if row["direction"] == "total"] or rows:
        if row["direction"] is not None and row["lat_mean_ns"] is not None:
            depth, threads = row["iodepth"], row["numjobs"]
            whole = None if depth is None or threads is None else depth * threads
            flight = None if row["iops"] is None else row["iops"] * row["lat_mean_ns"] / 1e9
            took = _CRYSTAL if run.tool == "crystaldiskmark" else row["runtime_s"]
            yield _judge(run, row, flight, whole, took, row["lat_max_ns"] or 0.0)


def _fio(run: RunFacts, row: Row, job: Row, rows: list[Row]) -> Finding:
    parts = directions(rows) or rows
    slowest = max(part["lat_max_ns"] or 0.0 for part in parts)
    longest = max(part["runtime_s"] or 0.0 for part in parts)
    depth, jobs = run.depth(row), run.jobs(row)
    if any(part["lat_mean_ns"] is None or part["total_ios"] is None for part in parts):
        return Finding("little", run.subject(row)).found("no_latency")
    busy = [part["total_ios"] * part["lat_mean_ns"] / 1e9 for part in parts]
    flight = sum(busy) / job["job_runtime_s"] if job.get("job_runtime_s") else None
    if not longest or jobs is None or depth is None:
        return _judge(run, row, flight, None if flight is None else depth, longest, slowest)
    # verifying comes after writing, and then the two are not in flight together
    together = row["rw"] in _MIXED or len(parts) == 1
    inflight = sum(busy) / longest if together else max(busy) / longest
    # the run's own time, which is no shorter than that of its jobs
    if flight is not None and inflight / jobs <= _TWICE * max(flight, depth):
        return _judge(run, row, flight, depth, longest, slowest)
    return _judge(run, row, inflight, depth * jobs, longest, slowest)


def _judge(
    run: RunFacts,
    row: Row,
    inflight: float | None,
    depth: int | None,
    runtime: float | None,
    slowest: float,
) -> Finding:
    probe = Finding("little", run.subject(row))
    if not depth:
        return probe.found("no_depth")
    if inflight is None or not runtime:
        return probe.found("no_latency")
    tail = slowest / 1e9 / runtime
    printed = 0.0 if run.tool == "fio" else (row["iops"] or 0.0) * _HALF_DIGIT / 1e9
    probe, told = probe.of(inflight, float(depth)), {"inflight": inflight, "depth": depth}
    if inflight > _SLACK * depth + tail + printed:
        if runtime >= _SHORT:
            return probe.found("contradiction", **told)
        return probe.found("short", **told, time=runtime)
    if inflight >= 0.9 * depth:
        return probe.found("full", **told)
    causes = [f"ioengine={row['ioengine']}"] if row["ioengine"] in SYNC_ENGINES else []
    causes += run.given(row["entry"], _BRAKES)
    return (
        probe.found("braked", **told, causes=causes) if causes else probe.found("not_full", **told)
    )


def depth(run: RunFacts, _known: Evidence) -> Iterator[Finding]:
    """Find where the depth had no effect."""
    if run.tool != "fio":
        return
    for row, _, _ in run.entries:
        asked, engine = row["iodepth"], row["ioengine"]
        # submitted by threads of fio, they are all in flight
        is_own = engine is not None and not run.is_offloading(row["entry"])
        if asked is not None and asked > 1 and is_own:
            yield _asked(run, row, asked, engine)


def _asked(run: RunFacts, row: Row, asked: int, engine: str) -> Finding:
    probe, told = Finding("depth", run.subject(row)), {"n": asked, "engine": engine}
    one = probe.of(1.0, float(asked))
    if engine in SYNC_ENGINES:
        return one.found("one", **told)
    is_direct = run.direct(row)
    if engine == "libaio" and is_direct is False:
        return one.found("buffered", **told)
    if engine == "libaio" and is_direct is None:
        return probe.of(None, float(asked)).found("untold", **told)
    return probe.found("kept", **told)
