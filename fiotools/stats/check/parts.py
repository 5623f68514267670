"""Whether a run's numbers fit together: parts and wholes, rates and amounts, means and bins.

Counts and bytes add up exactly; a rate is compared with what its own printed digits allow. fio's
text cuts off digits, and counts bytes when they are sent, I/Os when they are done.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import polars as pl

from fiotools import units
from fiotools.stats.check.agreement import agreement
from fiotools.stats.check.evidence import Finding
from fiotools.stats.check.outcomes import Phrase, phrase
from fiotools.stats.check.reading import Reading
from fiotools.stats.check.runs import PARTS, Row, RunFacts
from fiotools.stats.check.tally import Question, Tally

_COARSE = 0.11  # fio's report for people cuts "19.9GiB" down to "19.0GiB"
# an amount, its rate, and in which words it stands
_AMOUNTS = (("io_bytes", "bw_bytes_per_s", "bytes"), ("total_ios", "iops", "ios"))
_GROUP = re.compile(
    r"bw=(?P<rate>[\d.]+\w+?)(?P<bits>bit)?/s .*io=(?P<moved>[\d.]+\w+) .*run=\d+-(?P<took>\d+)msec"
)
_CUT = pl.when(format="fio_normal").then(_COARSE).otherwise(0.02)  # by printing
_TOTALS = ("All clients.", "total.")
Answer = Phrase | None  # to one question: the contradiction, or None


def parts(reading: Reading) -> Iterator[tuple[int, Finding]]:
    """Compare sums, rates and products of each run with each other."""
    tally = Tally(reading)
    for rows in (reading.io, reading.threads):
        tally.ask(rows, *_rates(), *_blocks())
    for nth, run in enumerate(reading.runs):
        for answer in (*_sums(run), *_printed(run), *_groups(run), *_clocks(run)):
            tally.count(nth, answer)
    agreement(reading, tally)
    for nth, run in enumerate(reading.runs):
        probe, wrong, asked = Finding("parts", "run"), tally.wrong.get(nth), tally.asked[nth]
        if wrong and len(wrong) > 1:
            several = probe.of(float(len(wrong)), 0.0)
            said = phrase("several", reason=wrong[0], n=len(wrong) - 1)
            yield nth, several.found("wrong", reason=said)
        elif wrong:
            yield nth, probe.of(1.0, 0.0).found("wrong", reason=wrong[0])
        elif asked and run.io:
            yield nth, probe.of(0.0, 0.0).found("agree", n=asked)
        elif run.io:
            yield nth, probe.found("alone")


def _rates() -> Iterator[Question]:
    """Check that bytes and I/Os are their rates x time."""
    took = pl.col("runtime_s")
    for amount, rate, what in _AMOUNTS:
        moved, pace = pl.col(amount), pl.col(rate)
        # a millisecond, a KiB/s and one I/O more or less
        slack = _CUT * moved + 0.0015 * pace + 1024 * took + (amount == "total_ios")
        is_asked = (moved != 0) & pace.is_not_null() & took.is_not_null()
        yield is_asked, (pace * took - moved).abs() <= slack, _said_rate(what, amount, rate)


def _said_rate(what: str, amount: str, rate: str) -> Callable[[RunFacts, Row], Phrase]:
    return lambda run, row: phrase(
        what, subject=run.subject(row), rate=row[rate], time=row["runtime_s"], amount=row[amount]
    )


def _blocks() -> Iterator[Question]:
    """Check that bytes are I/Os x their one size; without amounts, check the rates."""
    block, ios, moved = pl.col("bs_bytes"), pl.col("total_ios"), pl.col("io_bytes")
    iops, rate = pl.col("iops"), pl.col("bw_bytes_per_s")
    depth, jobs = (pl.when(pl.col(x) != 0).then(x).otherwise(1) for x in ("iodepth", "numjobs"))
    is_sized = (block != 0) & (pl.col("tool") != "dd")
    has_amounts = ((ios != 0) & (moved != 0)).fill_null(value=False)
    is_whole = pl.col("short_ios").fill_null(0) == 0
    fits = (ios * block - moved).abs() <= _CUT * moved + depth * jobs * block
    yield is_sized & has_amounts & is_whole, fits, _said_block
    # one I/O a second was cut off, or half a digit rounded
    fits = (iops * block - rate).abs() <= _CUT * rate + block
    yield is_sized & ~has_amounts & (iops != 0) & rate.is_not_null(), fits, _said_block_rate


def _said_block(run: RunFacts, row: Row) -> Phrase:
    told = {"n": row["total_ios"], "size": row["bs_bytes"], "amount": row["io_bytes"]}
    return phrase("blocks", subject=run.subject(row), **told)


def _said_block_rate(run: RunFacts, row: Row) -> Phrase:
    told = {"iops": row["iops"], "size": row["bs_bytes"], "rate": row["bw_bytes_per_s"]}
    return phrase("block_rates", subject=run.subject(row), **told)


def _sums(run: RunFacts) -> Iterator[Answer]:
    """Check that threads, targets and clients add up, and reads and writes."""
    texts = {row["path"]: row["text"] for row in run.tables["extras"]}
    if not run.threads and not any(path.startswith(_TOTALS) for path in texts if path):
        return
    share = _COARSE if run.head["format"] == "fio_normal" else 1e-9
    for amount, _, what in _AMOUNTS:
        # of each direction: what the parts are, their amounts, and the whole
        wholes: dict[str, list[Any]] = defaultdict(list)
        for row in run.io:
            wholes[row["direction"]].append(row[amount])
        told: list[tuple[str, str, list[Any], Any]] = []
        for direction, own in wholes.items():
            pieces = [row[amount] for row in run.threads if row["direction"] == direction]
            told.append(("thread", direction, pieces, own[0]))
            told.append(("client", direction, own, texts.get(f"All clients.{direction}.{amount}")))
        for scope, direction, pieces, whole in told:
            if pieces and None not in (*pieces, whole):
                added, whole = sum(pieces), float(whole)
                of = {"direction": str(direction), "scope": scope, "amount": amount}
                said = phrase(f"scope_{what}", **of, sum=added, total=whole)
                yield None if abs(added - whole) <= share * whole else said
        both = [row[amount] for row in run.io if row["direction"] in PARTS]
        if (printed := texts.get(f"total.{amount}")) and len(both) > 1 and None not in both:
            said = phrase(f"ways_{what}", sum=sum(both), amount=amount)
            yield None if abs(sum(both) - float(printed)) <= 1e-9 * sum(both) else said


def _printed(run: RunFacts) -> Iterator[Answer]:
    """Repeat what the reader noted: it had the digits as they were printed."""
    for row in run.tables["notes"]:
        if row["severity"] == "warning" and row["code"] == "contradiction":
            yield phrase("noted", message=row["message"])
    if run.tool == "dd" and any(row["path"] == "rate" for row in run.tables["extras"]):
        yield None


def _groups(run: RunFacts) -> Iterator[Answer]:
    """Check fio's sums over a group, which its text prints last, as rows are checked."""
    for row in run.tables["extras"] if run.head["format"] == "fio_normal" else ():
        if found := _GROUP.match(row["text"] or ""):
            rate, moved = (units.size(found[name]) for name in ("rate", "moved"))
            rate, took = rate / (8 if found["bits"] else 1), float(found["took"]) / 1000
            said = phrase("bytes", subject=row["path"], rate=rate, time=took, amount=moved)
            yield None if abs(rate * took - moved) <= _COARSE * moved + 0.0015 * rate else said


def _clocks(run: RunFacts) -> Iterator[Answer]:
    """Check that dd ran no longer than `time` says."""
    real = run.timing["real_s"] if run.tool == "dd" and run.timing else None
    took = max((row["runtime_s"] or 0.0 for row in run.io), default=0.0)
    if real and took:
        yield None if took <= 1.01 * real + 0.02 else phrase("clocks", took=took, real=real)
