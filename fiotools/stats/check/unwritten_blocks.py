"""Blocks that were never written: read as zeros without I/O, and direct I/O does not help.

On a sparse file, a dynamic VHDX, a thin volume or a fresh SSD, a read of an unwritten block asks no
medium. fio's ``disk_util`` shows it where the device belongs to the machine that ran fio.
"""

from __future__ import annotations

from collections.abc import Iterator

from fiotools.hints import argument
from fiotools.language import say
from fiotools.stats.check.evidence import Evidence
from fiotools.stats.check.finding import Finding
from fiotools.stats.check.flows import flows
from fiotools.stats.check.littles_law import SYNC_ENGINES
from fiotools.stats.check.runs import Row, Run

_BASIS = "unallocated blocks read as zeros without I/O"
_LOCAL = ("libaio", "io_uring", "posixaio", *sorted(SYNC_ENGINES))  # others pass the kernel by
_SHORT = 1.0  # s
_NO_FILE = ("/dev/zero", "/dev/null", "/dev/random", "/dev/urandom")


def sparse(run: Run, known: Evidence) -> Iterator[Finding]:
    """Ask whether what was read had been written, and whether what was written was stored."""
    if known.media == "ram":
        return
    reads = [row for row in run.wholes() if row["direction"] in ("read", "mixed")]
    reads = [row for row in reads if row["target"] not in _NO_FILE and row["ioengine"] != "null"]
    share = _reached(run, reads)
    rate = max((flow.rate for flow in flows(run, known) if flow.direction == "read"), default=0.0)
    for row in reads:
        yield _read(run, row, known, share, rate)


def _read(run: Run, row: Row, known: Evidence, share: float | None, rate: float) -> Finding:
    subject = run.subject(row)
    if share is not None and share < 0.5:
        why = say(
            "of the direct reads {share} % reached the device: the others asked for blocks that "
            "are not there",
            share=f"{100 * share:.2g}",
        )
        basis = "fio's disk_util: I/Os of the device against I/Os of the jobs"
        figures = (100 * share, 50.0, "%")
        return Finding("sparse", subject, "suspect", why, basis, _remedy(), *figures)
    if known.prefilled:
        why, basis = say("prefilled, as was declared"), argument("prefilled", True)
        return Finding("sparse", subject, "ok", why, basis)
    carried = None if known.is_memory else known.carried
    if carried is not None and row["direct"] and rate > 1.02 * carried:
        why = say("direct reads faster than the link: the blocks may never have been written")
        return Finding("sparse", subject, "suspect", why, _BASIS, _remedy())
    if share is not None:
        why = say(
            "{share} % of the direct reads reached the device", share=f"{100 * min(share, 1):.0f}"
        )
        return Finding(
            "sparse", subject, "ok", why, "fio's disk_util", None, 100 * share, 50.0, "%"
        )
    why = say("whether the blocks that were read had been written before is not in the report")
    return Finding("sparse", subject, "unknown", why, _BASIS, _remedy())


def _reached(run: Run, reads: list[Row]) -> float | None:
    """Give the share of direct reads that reached a device of this machine, where it is certain.

    Direct reads are split on their way and hardly merged; buffered ones are read ahead. fio looks
    at the device every 250 ms, and misses the last of what a run did.
    """
    if run.tool != "fio" or not reads or not all(run.direct(row) for row in reads):
        return None
    if not all(row["ioengine"] in _LOCAL for row in reads):
        return None
    if any((row["runtime_s"] or 0.0) < _SHORT for row in reads):
        return None
    counts = [row["total_ios"] for row in reads]
    seen = [
        (row["read_ios"] or 0) + (row["read_merges"] or 0)
        for row in run.tables["disks"]
        if row["read_ios"] is not None
    ]
    if not seen or None in counts or sum(counts) < 100:
        return None
    # a device over others counts twice, which accuses nobody
    return float(sum(seen)) / float(sum(counts))


def _remedy() -> str:
    return say(
        "fill the file with random data first, and discard the first pass ({prefilled} says so)",
        prefilled=argument("prefilled", True),
    )
