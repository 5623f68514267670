"""Whether parts make up their wholes, and rates are amounts over time.

Counts and bytes add up exactly; a rate is held against what its own figures allow when they were
printed. fio's text cuts what it prints, and counts bytes when they are sent, I/Os when they are
done.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from fiotools import units
from fiotools.stats.check.evidence import Evidence
from fiotools.stats.check.finding import Finding
from fiotools.stats.check.runs import Row, Run

_BASIS = "arithmetic on the report's own figures, within their printed digits"
_SLACK = 0.02
_COARSE = 0.11  # fio's report for people cuts "19.9GiB" down to "19.0GiB"
_CONTRADICTION = re.compile(
    r"is not bytes / seconds|computed again|printed rate is kept|figures are kept as printed"
    r"|I/O per s is not|threads sum to|records of one size"
)
_AMOUNTS = (("io_bytes", "bw_bytes_per_s"), ("total_ios", "iops"))

Answer = tuple[int, str | None]  # how many questions were asked, and what is wrong


def parts(run: Run, known: Evidence) -> Iterator[Finding]:
    """Hold sums, rates and products of a run against each other."""
    del known
    if not run.io:
        return
    answers = [*_sums(run), *_rates(run), *_blocks(run), *_printed(run)]
    asked = sum(number for number, _ in answers)
    wrong = [what for _, what in answers if what]
    if wrong:
        more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
        yield Finding(
            "parts",
            "run",
            "suspect",
            f"{wrong[0]}{more}",
            _BASIS,
            "go back to the raw output: a figure was edited, lost or added up twice",
            observed=float(len(wrong)),
            limit=0.0,
        )
    elif asked:
        why = f"{asked} sums, products and rates agree"
        yield Finding("parts", "run", "ok", why, _BASIS, observed=0.0, limit=0.0)
    else:
        why = "the report has no two figures that follow from each other"
        yield Finding(
            "parts", "run", "unknown", why, _BASIS, "keep the whole output, with bytes and times"
        )
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
            fits = abs(pace * took - moved) <= slack
            unit = "B" if amount == "io_bytes" else ""
            rate_unit = "B/s" if unit else "1/s"
            yield (
                1,
                None
                if fits
                else f"{run.subject(row)}: {_h(pace, rate_unit)} for {_h(took, 's')} is not "
                f"{_h(moved, unit)}" + ("" if unit else " I/Os"),
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
        fits = abs(ios * block - moved) <= share * moved + flying * block
        said = f"{run.subject(row)}: {ios:,} I/Os of {_h(block, 'B')} are not {_h(moved, 'B')}"
        yield 1, None if fits else said


def _pace(run: Run, row: Row, share: float) -> Iterator[Answer]:
    """Ask whether a rate is I/Os a second x their one size, where no amount was printed."""
    block, iops, rate = row["bs_bytes"], row["iops"], row["bw_bytes_per_s"]
    if block and iops and rate is not None:
        # one I/O a second was cut off, or half a digit rounded
        fits = abs(iops * block - rate) <= share * rate + block
        said = f"{run.subject(row)}: {_h(iops, '1/s')} of {_h(block, 'B')} are not "
        yield 1, None if fits else f"{said}{_h(rate, 'B/s')}"


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
                said = (
                    f"{direction}: the {scope}s' {amount} add up to {_h(sum(known), unit)}, "
                    f"the total is {_h(whole, unit)}"
                )
                yield 1, None if fits else said
        by_place: dict[tuple[object, ...], dict[str, float]] = defaultdict(dict)
        for row in run.io:
            if row[amount] is not None:
                place = (row["entry"], row["scope"], row["thread"], row["target"])
                by_place[place][row["direction"]] = row[amount]
        for found in by_place.values():
            if {"read", "write", "total"} <= found.keys():
                both = found["read"] + found["write"]
                fits = abs(both - found["total"]) <= 1e-9 * found["total"]
                said = f"read and write are {_h(both, unit)} of {amount}, the total is another"
                yield 1, None if fits else said


def _printed(run: Run) -> Iterator[Answer]:
    """Ask what the reader found: it had the digits as they were printed."""
    told = [row["message"] or "" for row in run.tables["notes"] if row["severity"] == "warning"]
    for text in told:
        if _CONTRADICTION.search(text):
            yield 1, text.partition(";")[0]
    if run.tool == "dd" and any(row["path"] == "rate" for row in run.tables["extras"]):
        yield 1, None


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
    yield Finding(
        "elapsed",
        "run",
        "unknown",
        f"fio ran for {_h(elapsed, 's')}, its longest job did I/O for {_h(max(times), 's')}: "
        "what happened in the rest is not reported",
        "fio's elapsed against its run times",
        "look for startdelay, a long layout of files, or a phase that was left out",
        observed=float(elapsed),
        limit=shown,
        unit="s",
    )


def _h(value: float, unit: str) -> str:
    return units.human(value, unit) if unit else f"{value:,.0f}"
