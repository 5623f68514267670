"""Where the tables of DISKSPD's text output contradict themselves or what was asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from fiotools.readers.diskspd import checks, options
from fiotools.readers.diskspd.layout import Span
from fiotools.readers.diskspd.rows import Rows, unread


def check_plan(rows: Rows, span: Span, asked: options.Asked) -> options.Asked:
    """Note where the tables contradict what is said of the run; give what of that can be true."""
    first = next((row.line for row in rows.all()), span.line)
    told = rows.threads.get("total") or next(iter(rows.threads.values()), [])
    count = Counter(row.thread for row in told)
    said = options.count(span.facts.get("thread count"))
    missing = checks.gap(said, list(count.items()), asked.each) if told else None
    unread = asked.unread and f"not certain, and left out: {'; '.join(asked.unread)}"
    named = dict.fromkeys(row.target for row in rows.all() if row.target is not None)
    unasked = "" not in asked.targets and [name for name in named if name not in asked.targets]
    strange = asked.settings and unasked and f"no input parameters name {', '.join(unasked)}"
    threads, seen = asked.total.get("numjobs"), said or len(count)
    doubled = None
    if asked.each and seen and threads not in (None, seen):
        doubled = f"the input parameters are of {threads} threads, the results of {seen}"
        asked = replace(asked, total={**asked.total, "numjobs": None})
    messages = (missing, unread, strange, doubled)
    rows.problems += [(first, message) for message in messages if message]
    return asked


def check_totals(
    totals: Sequence[tuple[int, list[str]]], runs: Sequence[Rows]
) -> Iterator[tuple[int, str]]:
    """Ask whether the runs of a file make what its ``Totals:`` say."""
    for line, cells in totals:
        direction = cells[0].lower()
        for name, cell in zip(("io_bytes", "total_ios"), cells[1:3], strict=False):
            parts = [run.totals[direction].figures[name] for run in runs if direction in run.totals]
            if not cell.isdecimal() or None in parts:
                continue
            if sum(parts) != int(cell):
                message = f"Totals: {direction} {name} is {cell}, the runs sum to {sum(parts)}"
                yield line, message


def check(rows: Rows, span: Span) -> None:
    """Note where the tables contradict themselves, as those of the XML cannot."""
    if span.untitled is not None:
        message = "one of several charts of percentiles has no title: left out"
        rows.problems.append((span.untitled, message))
    for _, chart in span.charts:
        rows.problems += unread(chart)
        if rows.spoiled:
            message = "diskspd-for-linux miscounts the total percentiles of several threads"
            line = chart.rows[0][0] if chart.rows else 0
            rows.problems.append((line, f"{message}: left out"))
    for direction, total in rows.totals.items():
        for name in ("io_bytes", "total_ios"):
            parts = [row.figures[name] for row in rows.threads[direction]]
            whole = total.figures[name]
            if parts and whole is not None and None not in parts and sum(parts) != whole:
                message = f"{direction}: {name} of the threads sum to {sum(parts)}, the total says"
                rows.problems.append((total.line, f"{message} {whole}"))
    if rows.seconds is None or rows.slack is None or rows.seconds <= rows.slack:
        return
    seconds, slack = rows.seconds, rows.slack
    wrong = [row for row in rows.all() if not _fits(row.figures, seconds, slack)]
    if wrong:
        figures, others = wrong[0].figures, len(wrong) - 1
        message = "{iops} I/O per s is not {total_ios} I/Os".format_map(figures)
        message += f" in {rows.seconds} s" + (f"; nor in {others} more rows" if others else "")
        rows.problems.append((wrong[0].line, message))


def _fits(figures: dict[str, Any], seconds: float, slack: float) -> bool:
    """Say whether a rate is its count by the time, both rounded."""
    count, iops = figures["total_ios"], figures["iops"]
    if count is None or iops is None:
        return True
    low, high = count / (seconds + slack), count / (seconds - slack)
    return bool(low - 0.0051 <= iops <= high + 0.0051)
