"""Whether parts make up their wholes, rates are amounts over time, and means lie in their bins.

Counts and bytes add up exactly; a rate is held against what its own figures allow when they were
printed. fio's text cuts what it prints, and counts bytes when they are sent, I/Os when they are
done.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from fiotools import units
from fiotools.language import called, say
from fiotools.stats.check.evidence import Evidence
from fiotools.stats.check.finding import Finding
from fiotools.stats.check.own_bins import inside
from fiotools.stats.check.runs import Row, Run

_BASIS = "arithmetic on the report's own figures, within their printed digits"
_SLACK = 0.02
_COARSE = 0.11  # fio's report for people cuts "19.9GiB" down to "19.0GiB"
_CONTRADICTION = re.compile(
    r"is not bytes / seconds|computed again|printed rate is kept|figures are kept as printed"
    r"|I/O per s is not|threads sum to|records of one size"
)
_AMOUNTS = (("io_bytes", "bw_bytes_per_s"), ("total_ios", "iops"))

Answer = str | None  # what is wrong, to one question


def parts(run: Run, known: Evidence) -> Iterator[Finding]:
    """Hold sums, rates and products of a run against each other."""
    del known
    if not run.io:
        return
    answers = [*_sums(run), *_rates(run), *_blocks(run), *_printed(run), *inside(run)]
    wrong = [what for what in answers if what]
    if wrong:
        why = wrong[0]
        if more := len(wrong) - 1:
            why = say("{reason} (and {n} more)", reason=why, n=more)
        remedy = say("go back to the raw output: a figure was edited, lost or added up twice")
        yield Finding("parts", "run", "suspect", why, _BASIS, remedy, float(len(wrong)), 0.0)
    elif answers:
        why = say("{n} sums, products and rates agree", n=len(answers))
        yield Finding("parts", "run", "ok", why, _BASIS, observed=0.0, limit=0.0)
    else:
        why = say("the report has no two figures that follow from each other")
        remedy = say("keep the whole output, with bytes and times")
        yield Finding("parts", "run", "unknown", why, _BASIS, remedy)
    yield from _hidden(run)


def _rates(run: Run) -> Iterator[Answer]:
    share = _COARSE if run.head["format"] == "fio_normal" else _SLACK
    for row in run.io:
        for amount, rate in _AMOUNTS:
            moved, pace, took = row[amount], row[rate], row["runtime_s"]
            if not moved or pace is None or took is None:
                continue
            # a millisecond, a KiB/s and one I/O more or less
            slack = share * moved + 0.0015 * pace + 1024 * took + (amount != "io_bytes")
            if abs(pace * took - moved) <= slack:
                yield None
                continue
            unit = "B" if amount == "io_bytes" else ""
            yield say(
                "{subject}: {rate} for {time} is not {amount}"
                if unit
                else "{subject}: {rate} for {time} is not {amount} I/Os",
                subject=run.subject(row, say),
                rate=_h(pace, "B/s" if unit else "1/s"),
                time=_h(took, "s"),
                amount=_h(moved, unit),
            )


def _blocks(run: Run) -> Iterator[Answer]:
    """Ask whether bytes are I/Os x their one size, where a last I/O is not a part of one."""
    if run.tool == "dd":
        return
    share = _COARSE if run.head["format"] == "fio_normal" else _SLACK
    for row in run.io:
        block, ios, moved = row["bs_bytes"], row["total_ios"], row["io_bytes"]
        if not ios or not moved:
            yield from _pace(run, row, share)
        if not block or not ios or not moved or row["short_ios"]:
            continue
        flying = (row["iodepth"] or 1) * (row["numjobs"] or 1)
        if abs(ios * block - moved) <= share * moved + flying * block:
            yield None
            continue
        yield say(
            "{subject}: {n} I/Os of {size} are not {amount}",
            subject=run.subject(row, say),
            n=f"{ios:,}",
            size=_h(block, "B"),
            amount=_h(moved, "B"),
        )


def _pace(run: Run, row: Row, share: float) -> Iterator[Answer]:
    """Ask whether a rate is I/Os a second x their one size, where no amount was printed."""
    block, iops, rate = row["bs_bytes"], row["iops"], row["bw_bytes_per_s"]
    if block and iops and rate is not None:
        # one I/O a second was cut off, or half a digit rounded
        fits = abs(iops * block - rate) <= share * rate + block
        said = say(
            "{subject}: {iops} of {size} are not {rate}",
            subject=run.subject(row, say),
            iops=_h(iops, "1/s"),
            size=_h(block, "B"),
            rate=_h(rate, "B/s"),
        )
        yield None if fits else said


def _sums(run: Run) -> Iterator[Answer]:
    """Ask whether threads, targets and clients add up, and reads and writes."""
    share = _COARSE if run.head["format"] == "fio_normal" else 1e-9
    for amount in ("io_bytes", "total_ios"):
        unit = "B" if amount == "io_bytes" else ""
        scopes: dict[str, dict[str, list[float | None]]] = defaultdict(lambda: defaultdict(list))
        for row in run.io:
            scopes[row["direction"]][row["scope"]].append(row[amount])
        for direction, columns in scopes.items():
            (whole, *rest) = columns.get("total", [None])
            for scope in ("thread", "client"):
                pieces = columns.get(scope, [])
                known = [value for value in pieces if value is not None]
                if whole is None or rest or not known or len(known) < len(pieces):
                    continue
                fits = abs(sum(known) - whole) <= share * whole
                said = say(
                    "{direction}: the {scope}s' {amount} add up to {sum}, the total is {total}",
                    direction=called(str(direction)),
                    scope=say(scope),
                    amount=amount,
                    sum=_h(sum(known), unit),
                    total=_h(whole, unit),
                )
                yield None if fits else said
        by_place: dict[tuple[object, ...], dict[str, float]] = defaultdict(dict)
        for row in run.io:
            if row[amount] is not None:
                place = (row["entry"], row["scope"], row["thread"], row["target"])
                by_place[place][row["direction"]] = row[amount]
        for found in by_place.values():
            if {"read", "write", "total"} <= found.keys():
                both = found["read"] + found["write"]
                fits = abs(both - found["total"]) <= 1e-9 * found["total"]
                said = say(
                    "read and write are {sum} of {amount}, the total is another",
                    sum=_h(both, unit),
                    amount=amount,
                )
                yield None if fits else said


def _printed(run: Run) -> Iterator[Answer]:
    """Ask what the reader found: it had the digits as they were printed."""
    told = [row["message"] or "" for row in run.tables["notes"] if row["severity"] == "warning"]
    for text in told:
        if _CONTRADICTION.search(text):
            yield called(text.partition(";")[0])
    if run.tool == "dd" and any(row["path"] == "rate" for row in run.tables["extras"]):
        yield None


def _hidden(run: Run) -> Iterator[Finding]:
    """Say where fio ran for much longer than any of its jobs did I/O."""
    elapsed = run.head["duration_s"]
    times = [row["runtime_s"] for row in run.io if row["runtime_s"]]
    if run.tool != "fio" or elapsed is None or not times:
        return
    if len({row["group"] for row in run.io}) > 1:
        return
    try:
        ramp = units.seconds(run.all_options().get("ramp_time", "0"))
    except ValueError:  # several, or one of a day: what is left to explain is not certain
        return
    shown = max(times) + ramp
    if elapsed <= 1.5 * shown + 5:
        return
    why = say(
        "fio ran for {elapsed}, its longest job did I/O for {longest}: what happened in the rest "
        "is not reported",
        elapsed=_h(elapsed, "s"),
        longest=_h(max(times), "s"),
    )
    basis = "fio's elapsed against its run times"
    remedy = say("look for startdelay, a long layout of files, or a phase that was left out")
    yield Finding("elapsed", "run", "unknown", why, basis, remedy, float(elapsed), shown, "s")


def _h(value: float, unit: str) -> str:
    return units.human(value, unit) if unit else f"{value:,.0f}"
