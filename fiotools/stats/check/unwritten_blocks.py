"""Blocks that were never written: read as zeros without I/O, and direct I/O does not help.

On a sparse file, a dynamic VHDX, a thin volume or a fresh SSD, a read of an unwritten block asks no
medium. The device's own count shows it.
"""

from __future__ import annotations

from collections.abc import Iterator

from fiotools.hints import argument
from fiotools.language import say
from fiotools.stats.check.device_share import Share, read_share
from fiotools.stats.check.evidence import Evidence
from fiotools.stats.check.finding import Finding
from fiotools.stats.check.flows import flows
from fiotools.stats.check.runs import Row, Run

_BASIS = "unallocated blocks read as zeros without I/O"
_NO_FILE = ("/dev/zero", "/dev/null", "/dev/random", "/dev/urandom")


def sparse(run: Run, known: Evidence) -> Iterator[Finding]:
    """Ask whether what was read had been written, and whether what was written was stored."""
    if known.media == "ram":
        return
    reads = [row for row in run.wholes() if row["direction"] in ("read", "mixed")]
    reads = [row for row in reads if row["target"] not in _NO_FILE and row["ioengine"] != "null"]
    share = read_share(run, known)
    rate = max((flow.rate for flow in flows(run, known) if flow.direction == "read"), default=0.0)
    for row in reads:
        yield _read(run, row, known, share, rate)


def _read(run: Run, row: Row, known: Evidence, share: Share | None, rate: float) -> Finding:
    subject = run.subject(row)
    if share is not None and share.is_short and run.direct(row):
        why = say(
            "{said}, though the reads were direct: the others asked for blocks that are not there, "
            "or a cache answered",
            said=share.said,
        )
        return Finding("sparse", subject, "suspect", why, share.basis, _remedy(), *share.figures)
    if known.prefilled:
        why, basis = say("prefilled, as was declared"), argument("prefilled", True)
        return Finding("sparse", subject, "ok", why, basis)
    carried = None if known.is_memory else known.carried
    if carried is not None and row["direct"] and rate > 1.02 * carried:
        why = say("direct reads faster than the link: the blocks may never have been written")
        return Finding("sparse", subject, "suspect", why, _BASIS, _remedy())
    if share is not None and share.is_whole:
        return Finding("sparse", subject, "ok", share.said, share.basis, None, *share.figures)
    why = say("whether the blocks that were read had been written before is not in the report")
    return Finding("sparse", subject, "unknown", why, _BASIS, _remedy())


def _remedy() -> str:
    return say(
        "fill the file with random data first, and discard the first pass ({prefilled} says so)",
        prefilled=argument("prefilled", True),
    )
