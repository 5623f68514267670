"""Depths that are no depths: engines that wait, and submissions that wait."""

from __future__ import annotations

from collections.abc import Iterator

from fiotools.stats.credibility.finding import Finding
from fiotools.stats.credibility.known import Known
from fiotools.stats.credibility.little import SYNC_ENGINES
from fiotools.stats.credibility.runs import Row, Run, directions

_BASIS = "fio, HOWTO: iodepth and ioengine"


def depth(run: Run, known: Known) -> Iterator[Finding]:
    """Say where the depth had no effect, and where submitting is all that took time."""
    del known
    if run.tool != "fio":
        return
    for _, rows in run.entries():
        row = {**rows[0], "direction": None}
        asked, engine = row["iodepth"], row["ioengine"]
        if asked is not None and asked > 1 and engine is not None:
            yield from _asked(run, row, asked, engine)
        yield from _submission(run, row, directions(rows))


def _asked(run: Run, row: Row, asked: int, engine: str) -> Iterator[Finding]:
    subject = run.subject(row)
    said = f"iodepth={asked} was asked of ioengine={engine}"
    if run.option(row["entry"], "io_submit_mode") == "offload":
        why = f"{said}, which threads of fio's own submit (io_submit_mode=offload)"
        yield Finding("depth", subject, "ok", why, _BASIS)
    elif engine in SYNC_ENGINES:
        yield Finding(
            "depth",
            subject,
            "suspect",
            f"{said}, which has one I/O in flight: the depth had no effect",
            _BASIS,
            "use ioengine=io_uring or libaio with direct=1, or more jobs",
            observed=1.0,
            limit=float(asked),
        )
    elif engine == "libaio" and run.direct(row) is False:
        yield Finding(
            "depth",
            subject,
            "suspect",
            f"{said} with direct=0: Linux then waits in io_submit, so the depth had no effect",
            _BASIS,
            "set direct=1, or use io_uring",
            observed=1.0,
            limit=float(asked),
        )
    elif engine == "libaio" and run.direct(row) is None:
        yield Finding(
            "depth",
            subject,
            "unknown",
            f"{said}, and whether direct=1 was set is not in the report",
            _BASIS,
            "keep the job file or the command line beside the report",
            limit=float(asked),
        )
    else:
        yield Finding("depth", subject, "ok", f"{said}, which can keep it", _BASIS)


def _submission(run: Run, row: Row, parts: list[Row]) -> Iterator[Finding]:
    """Note where the time went into submitting: then clat is void, and lat the figure."""
    jobs = 1 if row["scope"] == "job" else row["numjobs"]
    known = [part for part in parts if part["slat_mean_ns"] and part["iops"]]
    if not jobs or not known or len(known) < len(parts):
        return
    share = sum(part["iops"] * part["slat_mean_ns"] / 1e9 for part in known) / jobs
    if not 0.9 <= share <= 1.1:
        return
    yield Finding(
        "submission",
        run.subject(row),
        "ok",
        f"submission-bound: the job spent {100 * share:.0f} % of its time submitting",
        "I/Os per second x mean submission latency / jobs",
        "read lat and not clat, which begins when the work is done",
        observed=100 * share,
        limit=90.0,
        unit="%",
    )
