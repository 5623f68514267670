"""hyperfine: its exports (JSON, CSV, tables), and what it shows in a terminal.

Produced by ``hyperfine --export-json out.json ...`` (every single run), ``--export-csv`` (a summary
of each command), ``--export-markdown``, ``--export-asciidoc``, ``--export-orgmode``, or copied from
the terminal. Fills ``runs``, ``timings``, ``settings`` (the parameters) and ``extras`` (what
hyperfine computed for each command).

Each timed execution of a command is a run with its row of ``timings``, so that
``summarize(res.timings, "real_s", by="command")`` counts right. Other outputs than JSON have no
single runs: a row holds ``real_mean_s``, ``real_stddev_s``, the peak of the memory, and the number
of runs if it is printed. Version 1 keeps user and system time only as means; they stand in
``extras``, and in ``timings`` if there was one execution.

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
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from math import isclose
from statistics import fmean, median, stdev
from typing import Any, NamedTuple

from fiotools.errors import ParseError
from fiotools.readers.document import Document, Field, Report, Rest, Session, read_reports
from fiotools.readers.hyperfine.exports import (
    BESIDE,
    SINGLE,
    end_of_table,
    lines,
    listed_results,
    metadata,
    parsed,
)
from fiotools.readers.hyperfine.records import COLUMNS, MEMORY, Benchmark, Finding
from fiotools.readers.hyperfine.text import shown, tabled
from fiotools.tables.notes import Note
from fiotools.tables.rows import Rows

_NAME = "hyperfine"
# columns of `timings` for a command without single runs
_SUMMARY = {"real_mean_s": "mean", "real_stddev_s": "stddev"}
# for the page of formats
FIELDS = {
    "timings": (
        Field("real_s", "times", rule="a row for each execution"),
        *(Field(column, key, rule="of each execution") for key, (column, _) in BESIDE.items()),
        *(Field(column, key, rule="of a single execution") for column, key in SINGLE.items()),
        *(Field(column, f"measurements.{key}", since="2.0") for key, column in COLUMNS.items()),
        *(Field(column, key, rule="where no times are listed") for column, key in _SUMMARY.items()),
    )
}
_COMPUTED: dict[str, Callable[[list[float]], float]] = {
    "mean": fmean,
    "median": median,
    "min": min,
    "max": max,
    "stddev": stdev,
}


class Output(NamedTuple):
    """One output of hyperfine: its commands, and what the JSON of version 2 says of itself."""

    found: list[Finding]
    about: Mapping[str, str]


def read(document: Document, rows: Rows) -> Iterator[Rest]:
    """Read every command's runs."""
    if document.is_structured:
        try:
            value, end = parsed(document.text, 0)
        except json.JSONDecodeError as error:
            raise ParseError(
                document.name,
                f"hyperfine's JSON cannot be read: {error}",
                line=error.lineno,
                remedy="was hyperfine stopped, or the file cut off?",
            ) from None
        add(rows, Report(_NAME, 0, end, 1, _of_json(value)), Session())
        yield Rest(document.part(end, len(document.text)))
    else:
        read_reports(document, rows, add)
    if not rows.runs:
        raise ParseError(
            document.name,
            "holds no result with a command and a mean",
            line=1,
            remedy="was hyperfine stopped, or the file cut off? run it with --export-json",
        )


def parse(text: str, match: re.Match[str]) -> tuple[int, int, Output] | None:
    """Take the output that begins at the match."""
    start = match.start()
    if text[start] == "{":
        try:
            value, end = parsed(text, start)
        except json.JSONDecodeError:
            return None
        return start, end, _of_json(value)
    if text[start] == "c":
        end = end_of_table(text, start)
        return start, end, Output([*lines(text[start:end])], {})
    take = tabled if "Command" in match[0] else shown
    taken = take(text, start)
    return None if taken is None else (taken[0], taken[1], Output(taken[2], {}))


def _of_json(value: Any) -> Output:
    return Output(listed_results(value), metadata(value))


def add(rows: Rows, report: Report, session: Session) -> int:
    """Add the commands of one output; the session may know the command of a block without one."""
    output: Output = report.data
    about = {
        "tool_version": output.about.get("hyperfine_version"),
        "host": session.host,
    }
    index = 0
    for benchmark, reason, above in output.found:
        line = report.line + above
        if reason:
            rows.say(Note("left out", "warning", line, reason))
        if benchmark is not None:
            command = benchmark.command or session.command
            _add_benchmark(rows, index, benchmark, line, {**about, "command": command})
            index += 1
    for name, text in output.about.items():
        if name != "hyperfine_version":
            rows.add("extras", path=f"metadata/{name}", text=text)
    if any(benchmark and benchmark.is_later for benchmark, *_ in output.found):
        rows.note(
            "hyperfine 2 runs commands without a shell unless -S or --shell is given, version 1 in"
            " a shell: compare their times only if both were told the same",
            code="conditions",
            line=report.line,
        )
    return rows.runs


def _add_benchmark(
    rows: Rows, index: int, benchmark: Benchmark, line: int, about: dict[str, Any]
) -> None:
    """Add a command: a run for each execution, or one with its summary."""
    first, command, times = rows.runs + 1, about["command"], benchmark.times
    name = f"{command or 'a command'!s:.80}"
    counts = Counter[tuple[str, str]]()
    for row in _timings(benchmark):
        codes = [row.get("exit_status", 0)] if times else benchmark.beside.get("exit_status", ())
        # a killed command has the code null
        is_bad = benchmark.is_bad or any(code != 0 for code in codes)
        real = row.get("real_s")
        counts["meaning", "have no time: faster than the shell's start; use --shell=none"] += (
            real is None
        )
        counts["failed", "failed (--ignore-failure)"] += is_bad
        run = rows.start_run(
            tool=_NAME,
            format=_NAME,
            status="error" if is_bad or benchmark.error else "ok",
            duration_s=real,
            **about,
        )
        if row:
            rows.add("timings", run=run, command=command, **row)
        for option, text in benchmark.parameters.items():
            rows.add("settings", run=run, option=option, text=text, origin="given")
    of = f"of {len(times)} runs of {name!r}"
    for (code, what), count in counts.items() if times else ():
        if count:
            rows.say(Note(code, "warning", None, f"{count} {of} {what}"), first)
    # about the command, so of no single run
    for path, value in {**benchmark.measures, **benchmark.facts}.items():
        text = value if isinstance(value, str) else repr(value)
        rows.add("extras", path=f"results/{index}/{path}", text=text)
    _compare(benchmark)
    for doubt in benchmark.doubts:
        rows.say(doubt._replace(line=line, message=f"{name!r}: {doubt.message}"), first)
    if benchmark.error:
        rows.say(Note("failed", "error", line, f"{name!r}: {benchmark.error}"), first)


def _timings(benchmark: Benchmark) -> Iterator[dict[str, Any]]:
    """Yield the timings of each execution, or those of a command that does not list them."""
    if benchmark.error:
        yield {}
    elif not benchmark.times:
        summary: dict[str, Any] = {
            column: benchmark.real(name) for column, name in _SUMMARY.items()
        }
        summary["real_mean_s"] = summary["real_mean_s"] or None
        peak = benchmark.measures.get(f"{MEMORY}/max")
        yield {**summary, "n": benchmark.count, "max_rss_bytes": round(peak) if peak else None}
    for at, measured in enumerate(benchmark.times):
        beside = {column: values[at] for column, values in benchmark.beside.items() if values}
        beside["max_rss_bytes"] = beside.get("max_rss_bytes") or None
        # 0: the command was faster than the shell's start
        yield {"real_s": measured or None, **beside}


def _compare(benchmark: Benchmark) -> None:
    """Note where hyperfine's own statistics contradict its runs."""
    told = {name: value for name in _COMPUTED if (value := benchmark.real(name)) is not None}
    times = benchmark.times
    if not times:
        middle = [told[name] for name in ("mean", "median") if name in told]
        low, high = told.get("min", 0.0), told.get("max", float("inf"))
        if not all(low * (1 - 1e-9) <= value <= high * (1 + 1e-9) for value in middle):
            message = "its mean or median is not between its min and its max"
            benchmark.doubt("contradiction", message)
        return
    known = [value for value in times if value is not None]
    if len(known) < len(times):
        message = f"{len(times) - len(known)} times are not numbers of seconds: left out"
        benchmark.doubt("left out", message)
        return
    if benchmark.is_later and len(times) != benchmark.count:
        return  # some runs are missing
    for name, compute in _COMPUTED.items():
        if name in told and len(known) > (name == "stddev"):
            own = compute(known)
            if not isclose(told[name], own, rel_tol=1e-6, abs_tol=1e-9):
                message = f"the {name} {told[name]:.6g} is not that of its times, {own:.6g}"
                benchmark.doubt("contradiction", message)
