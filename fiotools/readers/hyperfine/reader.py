"""hyperfine: its exports (JSON, CSV, Markdown), and what it shows in a terminal.

Produced by ``hyperfine --export-json out.json ...`` (every single run), ``--export-csv`` (a summary
of each command), ``--export-markdown``, or copied from the terminal. Fills ``runs``, ``timings``,
``settings`` (the parameters) and ``extras`` (what hyperfine computed for each command).

Each timed execution of a command is a run with its row of ``timings``, so that
``summarize(res.timings, "real_s", by="command")`` counts right. Other outputs than JSON have no
single runs: a row holds ``real_mean_s``, ``real_stddev_s``, the peak of the memory, and the number
of runs, which only the terminal prints. Version 1 keeps user and system time only as means; they
stand in ``extras``, and in ``timings`` if there was one execution.

Traps. Version 1 runs commands in a shell, and subtracts the shell's start, so a fast command gets
0, which is taken for missing; version 2 runs them without a shell unless it is told one, and does
not say which: times of both are not like for like. Times of JSON are seconds whatever
``--time-unit`` says, those of tables and of the terminal are rounded, in the unit beside them. With
one execution the standard deviation is null in JSON, and 0 in CSV of version 1. Failed executions
are there with ``--ignore-failure``; a killed one has the exit code null. ``exit_codes`` came with
1.12, ``memory_usage_byte`` with 1.19; a parameter is ``parameter`` before 1.11.

Specified in hyperfine's ``src/export``, ``src/benchmark`` and ``src/output``, 1.0 to 2.0.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from math import isclose
from statistics import fmean, median, stdev
from typing import Any

from fiotools.errors import ParseError
from fiotools.readers.document import Document, Field, Report, Rest, Session, read_reports
from fiotools.readers.hyperfine.exports import BESIDE, parsed, table
from fiotools.readers.hyperfine.records import COLUMNS, MEMORY, SINGLE, Benchmark, Output
from fiotools.readers.hyperfine.text import shown, tabled
from fiotools.tables.rows import Rows

_NAME = "hyperfine"
# columns of `timings` for a command without single runs
_SUMMARY = {"real_mean_s": "mean", "real_stddev_s": "stddev"}
_COMPUTED: dict[str, Callable[[list[float]], float]] = {
    "mean": fmean,
    "median": median,
    "min": min,
    "max": max,
    "stddev": stdev,
}
# for the page of formats
FIELDS = {
    "timings": (
        Field("real_s", "times", rule="a row for each execution"),
        *(Field(column, key, rule="of each execution") for key, column in BESIDE.items()),
        *(Field(column, key, rule="of a single execution") for column, key in SINGLE.items()),
        *(Field(column, f"measurements.{key}", since="2.0") for key, column in COLUMNS.items()),
        *(Field(column, key, rule="where no times are listed") for column, key in _SUMMARY.items()),
    )
}


def read(document: Document, rows: Rows) -> Iterator[Rest]:
    """Read every command's runs."""
    if document.is_structured:
        try:
            output, end = parsed(document.text, 0)
        except json.JSONDecodeError as error:
            raise ParseError(
                document.name,
                f"hyperfine's JSON cannot be read: {error}",
                line=error.lineno,
                remedy="was hyperfine stopped, or the file cut off?",
            ) from None
        reports = [Report(_NAME, 0, end, 1, output)]
        add(rows, reports[0], Session())
        yield Rest(document.part(end, len(document.text)))
    else:
        reports = document.reports
        read_reports(document, rows, add)
    if not rows.runs:
        told = [message for report in reports for message, _ in report.data.left_out]
        raise ParseError(
            document.name,
            told[0] if told else "holds no result of a command",
            line=1,
            remedy="was hyperfine stopped, or the file cut off? run it with --export-json",
        )


def parse(text: str, match: re.Match[str]) -> tuple[int, int, Output] | None:
    """Take the output that begins at the match."""
    start = match.start()
    if text[start] == "{":
        try:
            output, end = parsed(text, start)
        except json.JSONDecodeError:
            return None
        return start, end, output
    if text[start] == "c":
        output, end = table(text, start)
        return start, end, output
    return tabled(text, start) if "Command" in match[0] else shown(text, start)


def add(rows: Rows, report: Report, session: Session) -> int:
    """Add the commands of one output; the session may know the command of a block without one."""
    output: Output = report.data
    for message, above in output.left_out:
        rows.note(message, code="left out", severity="warning", line=report.line + above)
    for index, one in enumerate(output.found):
        about = {
            "tool_version": output.about.get("hyperfine_version"),
            "host": session.host,
            "command": one.command or session.command,
        }
        _add_benchmark(rows, index, one, report.line + one.line, about)
    for name, text in output.about.items():
        if name != "hyperfine_version":
            rows.add("extras", path=f"metadata/{name}", text=text)
    if any(not one.times and not one.count and not one.error for one in output.found):
        rows.note(
            "means of an unknown number of runs: --export-json keeps the runs",
            code="meaning",
            line=report.line,
        )
    if any(one.is_later for one in output.found):
        rows.note(
            "hyperfine 2 runs commands without a shell unless -S or --shell is given, version 1 in"
            " a shell: compare their times only if both were told the same",
            code="conditions",
            line=report.line,
        )
    return rows.runs


def _add_benchmark(
    rows: Rows, index: int, one: Benchmark, line: int, about: dict[str, Any]
) -> None:
    """Add a command: a run for each execution, or one with its summary."""
    first, name = rows.runs + 1, f"{about['command'] or 'a command'!s:.80}"
    timings = [*_timings(one)]
    bad = [row.get("exit_status", 0) != 0 if one.times else one.is_bad for row in timings]
    for row, is_bad in zip(timings, bad, strict=True):
        run = rows.start_run(
            tool=_NAME,
            format=_NAME,
            status="error" if is_bad or one.error else "ok",
            duration_s=row.get("real_s"),
            **about,
        )
        if row:
            rows.add("timings", run=run, command=about["command"], **row)
        for option, text in one.parameters.items():
            rows.add("settings", run=run, option=option, text=text, origin="given")
    # about the command, so of no single run
    told = {path: repr(value) for path, value in one.measures.items()}
    for path, text in {**told, **({"name": one.name} if one.name else {})}.items():
        rows.add("extras", path=f"results/{index}/{path}", text=text)
    of = f"of {len(timings)} runs of {name!r}"
    if one.times and (none := sum(row["real_s"] is None for row in timings)):
        message = f"{none} {of} have no time: faster than the shell's start; use --shell=none"
        rows.note(message, code="meaning", severity="warning", run=first)
    if one.times and any(bad):
        message = f"{sum(bad)} {of} failed (--ignore-failure)"
        rows.note(message, code="failed", severity="warning", run=first)
    for code, what in (*one.doubts, *_contradictions(one)):
        rows.note(f"{name!r}: {what}", code=code, severity="warning", line=line, run=first)
    if one.error:
        message = f"{name!r}: {one.error}"
        rows.note(message, code="failed", severity="error", line=line, run=first)


def _timings(one: Benchmark) -> Iterator[dict[str, Any]]:
    """Yield the timings of each execution, or those of a command that does not list them."""
    if one.error:
        yield {}
    elif not one.times:
        peak = one.measures.get(f"{MEMORY}/max")
        yield {
            "real_mean_s": one.real("mean") or None,
            "real_stddev_s": one.real("stddev"),
            "n": one.count,
            "max_rss_bytes": round(peak) if peak else None,
        }
    for at, seconds in enumerate(one.times):
        beside = {column: values[at] for column, values in one.beside.items() if values}
        memory = beside.get("max_rss_bytes")
        # 0: the command was faster than the shell's start
        yield {
            "real_s": seconds or None,
            **beside,
            "max_rss_bytes": round(memory) if memory else None,
        }


def _contradictions(one: Benchmark) -> Iterator[tuple[str, str]]:
    """Yield where hyperfine's own statistics contradict its runs."""
    told = {name: value for name in _COMPUTED if (value := one.real(name)) is not None}
    known = [value for value in one.times if value is not None]
    if not one.times:
        low, high = told.get("min", 0.0) * (1 - 1e-9), told.get("max", 1e300) * (1 + 1e-9)
        if not all(low <= told.get(name, low) <= high for name in ("mean", "median")):
            yield "contradiction", "its mean or median is not between its min and its max"
    elif len(known) < len(one.times):
        yield "left out", f"{len(one.times) - len(known)} times are in no known unit: left out"
    elif not one.is_later or one.count == len(known):  # else some runs are missing
        for name, compute in _COMPUTED.items():
            if name in told and len(known) > (name == "stddev"):
                own = compute(known)
                if not isclose(told[name], own, rel_tol=1e-6, abs_tol=1e-9):
                    what = f"the {name} {told[name]:.6g} is not that of its times, {own:.6g}"
                    yield "contradiction", what
