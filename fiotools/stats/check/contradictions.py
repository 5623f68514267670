"""Numbers of one row of fio that cannot all be of one run: an edit, or another thing's number.

A mean lies between the least and the greatest. fio samples rates in windows of 500 ms, and leaves
out those without I/O; so what its samples hold is no more than what was done. For a group it counts
the samples of all jobs, and their mean is that of one job or of all together. The total latency of
each I/O has the time of submitting and the time until completion as its parts. A job submits its
I/Os one after the other, by one thread, which has one processor.
"""

from __future__ import annotations

from collections.abc import Iterator

from fiotools.stats.check.evidence import Evidence, Finding
from fiotools.stats.check.latencies import ROUNDED
from fiotools.stats.check.runs import ASYNC_ENGINES, PARTS, SYNC_ENGINES, Row, RunFacts, directions

_DIGITS = 0.001  # of a value in JSON: more than its printed digits
_COARSE = 0.11  # fio's text cuts "19.9GiB" down to "19.0GiB"
# what has a least, a mean and a greatest value; the unit of it, and the smallest digit
_SPREADS = (
    *(("bw", "_bytes_per_s", "B/s", 2048.0), ("iops", "", "1/s", 1.0)),
    *(
        ("slat", "_ns", "ns", ROUNDED),
        ("clat", "_ns", "ns", ROUNDED),
        ("lat", "_ns", "ns", ROUNDED),
    ),
)
# of samples: the quantity, and the amount that it is the rate of, in its word
_SAMPLED = (
    ("iops", "", "1/s", "total_ios", "I/Os"),
    ("bw", "_bytes_per_s", "B/s", "io_bytes", "B"),
)
_WINDOW = 0.49  # s: 500 ms, and the 10 ms that fio may come too early
# options that give samples other windows
_WINDOWS = (
    *("bwavgtime", "iopsavgtime", "log_avg_msec", "write_iops_log", "write_bw_log"),
    *("per_job_logs", "log_window_value"),
)
_BATCHES = ("iodepth_batch", "iodepth_batch_submit")
_EARLY = 0.05  # of the I/Os
_BUSY = 1.0  # % of a processor: rounding
_TICK = 2.0  # % of a second: the processor's clock, and that of the run
_BOUND, _MOST = 0.9, 1.1  # of a thread's time


def contradictions(run: RunFacts, _known: Evidence) -> Iterator[Finding]:
    """Check each row, and each entry, of a fio run."""
    if run.tool != "fio":
        return
    share = _COARSE if run.head["format"] == "fio_normal" else _DIGITS
    for row in run.io:
        yield from _spread(run, row, share)
        yield from _samples(run, row)
        yield from _latency(run, row, share)
    for job, rows in run.entries():
        row = {**rows[0], "direction": None}
        yield from _cpu_time(run, row, job)
        yield from _submission(run, row, directions(rows))


def _spread(run: RunFacts, row: Row, share: float) -> Iterator[Finding]:
    """Check that means lie between the least and the greatest."""
    for name, suffix, unit, digit in _SPREADS:
        least, mean, most = (row[f"{name}_{end}{suffix}"] for end in ("min", "mean", "max"))
        if None in (least, mean, most):
            continue
        if least > mean * (1 + share) + digit or mean > most * (1 + share) + digit:
            told = {"name": name, "least": least, "mean": mean, "most": most, "unit": unit}
            yield Finding("spread", run.subject(row), mean, None, unit).found("order", **told)
            return


def _samples(run: RunFacts, row: Row) -> Iterator[Finding]:
    """Check that fio's samples hold no more than was done."""
    entry = row["entry"]
    if not run.tells_options(entry) or any(run.option(entry, x) is not None for x in _WINDOWS):
        return
    for name, suffix, unit, amount, what in _SAMPLED:
        n, mean, total = row[f"{name}_samples"], row[f"{name}_mean{suffix}"], row[amount]
        jobs = run.jobs(row)
        if not n or mean is None or not total or not jobs or row["direction"] not in PARTS:
            continue  # a mixture counts the samples of each direction
        done = n / jobs * mean * _WINDOW
        if done > (1 + _EARLY) * total:
            told = {"name": name, "n": n, "mean": mean, "unit": unit}
            probe = Finding("samples", run.subject(row), done, float(total))
            yield probe.found("more", **told, done=done, total=total, amount=what)
            return


def _latency(run: RunFacts, row: Row, share: float) -> Iterator[Finding]:
    """Check that the whole latency is no shorter than its parts."""
    for end, word in (("min", "least"), ("max", "greatest")):
        whole = row[f"lat_{end}_ns"]
        for name in ("slat", "clat") if whole is not None else ():
            part = row[f"{name}_{end}_ns"]
            if part is not None and part > whole * (1 + share) + ROUNDED:
                told = {"end": word, "whole": whole, "name": name, "part": part}
                probe = Finding("latency", run.subject(row), whole, part, "ns")
                yield probe.found("shorter", **told)
                return


def _cpu_time(run: RunFacts, row: Row, job: Row) -> Iterator[Finding]:
    """Check that a thread used no more than one processor."""
    user, system, took = job.get("usr_cpu_pct"), job.get("sys_cpu_pct"), row["runtime_s"]
    is_alone = row["ioengine"] in (*SYNC_ENGINES, *ASYNC_ENGINES) and job.get("ctx")
    # where fio does not count by thread, all threads of it count as one; so do its helpers
    if run.option(row["entry"], "thread") is not None or run.is_offloading(row["entry"]):
        return
    if user is None or system is None or not took or not is_alone:
        return
    limit = 100 + _BUSY + _TICK / took
    if user + system > limit:
        probe = Finding("cpu_time", run.subject(row), user + system, limit, "%")
        yield probe.found("beyond", share=user + system)


def _submission(run: RunFacts, row: Row, parts: list[Row]) -> Iterator[Finding]:
    """Note where the time went into submitting: then clat means nothing, and lat is the value."""
    jobs, engine = run.jobs(row), row["ioengine"]
    probe = Finding("submission", run.subject(row))
    if engine in SYNC_ENGINES and any(part["slat_mean_ns"] for part in parts):
        yield probe.found("exchanged", engine=engine)
        return
    known = [part for part in parts if part["slat_mean_ns"] and part["iops"]]
    if not jobs or not known or len(known) < len(parts):
        return
    share = sum(part["iops"] * part["slat_mean_ns"] / 1e9 for part in known) / jobs
    # in a batch the first wait for the last; and offloading is done by several threads
    is_alone = not run.given(row["entry"], _BATCHES) and not run.is_offloading(row["entry"])
    if share > _MOST and is_alone and run.tells_options(row["entry"]):
        yield probe.of(100 * share, 100 * _MOST, "%").found("beyond", share=100 * share)
    elif _BOUND <= share <= _MOST:
        yield probe.of(100 * share, 100 * _BOUND, "%").found("bound", share=100 * share)
