"""hyperfine: its exports as JSON or CSV.

Produced by ``hyperfine --export-json out.json ...`` (every single run) or ``--export-csv`` (a
summary of each command). Fills ``runs``, ``timings``, ``settings`` (the parameters) and ``extras``
(what hyperfine computed for each command).

Each timed execution of a command is a run with its row of ``timings``, so that
``summarize(res.timings, "real_s", by="command")`` counts right. hyperfine keeps user and system
time only as means; they stand in ``extras``, and in ``timings`` if there was one execution. CSV has
no single runs: a row holds ``real_mean_s`` and ``real_stddev_s``, without the number of runs.

Traps. Times are seconds whatever ``--time-unit`` says. The start of the shell is subtracted, so a
fast command gets 0, which is taken for missing. With one execution the standard deviation is null
in JSON, and 0 in CSV. Failed executions are there with ``--ignore-failure``; a killed one has the
exit code null. ``exit_codes`` came with 1.12, ``memory_usage_byte`` with 1.19; a parameter is
``parameter`` before 1.11. Tables (Markdown, AsciiDoc, Org) and the terminal's text are rounded for
people: recognised, not read.

Specified in hyperfine's ``src/export/json.rs``, ``csv.rs`` and ``src/benchmark``, 1.0 to 1.20.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from io import StringIO
from math import isclose, isfinite
from statistics import fmean, median, stdev
from typing import Any, NamedTuple, TypeAlias

import orjson

from fiotools.errors import ParseError, UnknownFormatError
from fiotools.readers.document import Document, Field, Report, Session, read_part, read_reports
from fiotools.tables import Tables

_NAME = "hyperfine"
_DECODER = json.JSONDecoder(parse_int=float)  # Python makes no integer of thousands of digits
_NOT_BLANK = re.compile(r"\S")
_INT64 = 2**63 - 1
_FIGURES = ("mean", "stddev", "median", "user", "system", "min", "max")
# CSV: a number, the end of a line that is cut in its last field, and a line
_PRINTED = re.compile(r"\d{1,20}(?:\.\d{1,330})?(?:e[+-]?\d{1,3})?")
_CUT = re.compile(r",(?:[\d.]*+(?:e[+-]?\d{0,3})?|NaN)$", re.M)
_LINE = re.compile(r"[^\n]*\n?")
# what JSON lists for each execution beside its time: the column, and how a note calls it
_BESIDE = {
    "exit_codes": ("exit_status", "exit_codes"),
    "memory_usage_byte": ("max_rss_bytes", "memory"),
}
# columns of `timings` for a single execution, and for a command without single ones
_SINGLE = {"user_s": "user", "sys_s": "system"}
_SUMMARY = {"real_mean_s": "mean", "real_stddev_s": "stddev"}
# for the page of formats
FIELDS = {
    "timings": (
        Field("real_s", "times", rule="a row for each execution"),
        *(Field(column, key, rule="of each execution") for key, (column, _) in _BESIDE.items()),
        *(Field(column, key, rule="of a single execution") for column, key in _SINGLE.items()),
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


class Benchmark(NamedTuple):
    """One command: hyperfine's numbers in seconds, and its single runs if the file has them."""

    command: str
    measures: dict[str, float]
    parameters: dict[str, str]
    times: list[float | None]  # of each run, in seconds; None if it is not a number
    # columns of `timings` with a value for each run (without times: for each that there was)
    beside: dict[str, list[int | None]]
    doubts: list[str]  # parts of the record that were left out


# a command, or why there is none; and how many lines of the export stand above it
Finding: TypeAlias = tuple[Benchmark | None, str, int]


def _seconds(value: Any) -> float | None:
    """Take a number of seconds, or nothing."""
    is_number = type(value) in (int, float) and isfinite(value) and value >= 0
    return float(value) if is_number else None


def read(document: Document, tables: Tables) -> None:
    """Read every command's runs."""
    if document.is_structured:
        try:
            value, end = _parsed(document.text, 0)
        except json.JSONDecodeError as error:
            raise ParseError(
                document.name,
                f"hyperfine's JSON cannot be read: {error}",
                line=error.lineno,
                remedy="was hyperfine stopped, or the file cut off?",
            ) from None
        add(tables, Report(_NAME, 0, end, 1, _listed_results(value)), Session())
        read_part(tables, document.part(end, len(document.text)))
    elif document.reports:
        read_reports(document, tables, add)
    else:
        raise UnknownFormatError(
            document.name,
            "what hyperfine prints for people: recognised, not read",
            line=1,
            remedy="run it with --export-json",
        )
    if not tables.runs:
        raise ParseError(
            document.name,
            "holds no result with a command and a mean",
            line=1,
            remedy="was hyperfine stopped, or the file cut off? run it with --export-json",
        )


def _parsed(text: str, start: int) -> tuple[Any, int]:
    """Parse the JSON that begins at a place; say where it ends."""
    found = _NOT_BLANK.search(text, start)
    at = found.start() if found else start
    try:
        _, end = _DECODER.raw_decode(text, at)
    except RecursionError:
        raise json.JSONDecodeError("nested too deeply", text, at) from None
    return orjson.loads(text[at:end]), end


def parse(text: str, match: re.Match[str]) -> tuple[int, int, list[Finding]] | None:
    """Take the JSON or the CSV that begins at the match."""
    start = match.start()
    if text[start] == "c":
        end = _end_of(text, start)
        return start, end, list(_lines(text[start:end]))
    try:
        value, end = _parsed(text, start)
    except json.JSONDecodeError:
        return None
    return start, end, _listed_results(value)


def _listed_results(value: Any) -> list[Finding]:
    results = value.get("results") if isinstance(value, dict) else None
    found = [_benchmark(result) for result in results] if isinstance(results, list) else []
    return [
        (one, "" if one else f"results/{index} has no command with a mean: left out", 0)
        for index, one in enumerate(found)
    ]


def _benchmark(result: Any) -> Benchmark | None:
    """Take one entry of ``results`` as a plain record; values of another type are missing."""
    if not isinstance(result, dict) or not isinstance(result.get("command"), str):
        return None
    measures = {name: _seconds(result.get(name)) for name in _FIGURES}
    if measures["mean"] is None:
        return None
    parameters = result.get("parameters")
    if not isinstance(parameters, dict):
        single = result.get("parameter")
        parameters = {} if single is None else {"parameter": single}
    lists = {name: result.get(name) for name in ("times", *_BESIDE)}
    listed = {name: one if isinstance(one, list) else [] for name, one in lists.items()}
    times = [_seconds(value) for value in listed["times"]]
    beside: dict[str, list[int | None]] = {}
    doubts: list[str] = []
    for key, (column, name) in _BESIDE.items():
        values, counts = listed[key], [_count(value) for value in listed[key]]
        pairs = zip(values, counts, strict=True)
        odd = [value for value, count in pairs if count is None and value is not None]
        if times and values and len(values) != len(times):
            doubts.append(f"{len(values)} {name} for {len(times)} times: left out")
            counts = []
        if odd:
            what = f"are not whole numbers ({odd[0]!r:.40}): left out"
            doubts.append(f"{len(odd)} {name} {what}")
        beside[column] = counts
    return Benchmark(
        result["command"],
        {name: value for name, value in measures.items() if value is not None},
        {
            name: value if isinstance(value, str) else orjson.dumps(value).decode()
            for name, value in parameters.items()
        },
        times,
        beside,
        doubts,
    )


def _count(value: Any) -> int | None:
    if isinstance(value, float) and value.is_integer():  # other programs write 0.0
        value = int(value)
    whole = isinstance(value, int) and not isinstance(value, bool)
    return value if whole and -_INT64 <= value <= _INT64 else None


def _end_of(text: str, start: int) -> int:
    """Return the end of a table: before a narrower line that does not end in a number."""
    at, quotes, width = start, 0, text.count(",", start, text.find("\n", start))
    while at < len(text):
        line = _LINE.match(text, at)
        assert line is not None
        quotes += line[0].count('"')
        is_row = line[0].count(",") >= width or _CUT.search(line[0]) is not None
        if quotes % 2 == 0 and not is_row and (line[0].strip() or quotes == 0):
            break
        at = line.end()
    return start + len(text[start:at].rstrip("\n")) + 1 if at < len(text) else at


def _lines(text: str) -> Iterator[Finding]:
    """Yield the summary of each line, or why there is none, and the line."""
    rows = csv.reader(StringIO(text), strict=True)
    # a last line without an end may be cut within its last field
    line, unended = 0, -1 if text.endswith("\n") else text.count("\n") + 1
    try:
        header = next(rows)
        for cells in rows:
            line, before = rows.line_num, line
            if not cells:
                continue
            if line == unended:
                yield None, "the file ends within this line: its last field is left out", before
            benchmark, reason = None, f"{len(cells)} fields where the header has {len(header)}"
            if len(cells) == len(header):
                known = len(cells) - (line == unended)
                benchmark, reason = _summary(dict(zip(header[:known], cells, strict=False)))
            yield benchmark, reason and f"{reason}: the line is left out", before
    except csv.Error as error:
        yield None, f"the rest is not CSV ({error}): left out", line


def _summary(cells: dict[str, str]) -> tuple[Benchmark | None, str]:
    """Take one line's cells, by the header's names, as the record that JSON would have."""
    record: dict[str, Any] = {}
    for name in _FIGURES:
        text = cells.get(name, "")
        if text in ("", "NaN"):
            continue
        value = _seconds(float(text)) if _PRINTED.fullmatch(text) else None
        if value is None:
            return None, f"{name} {text[:40]!r} is not a number of seconds"
        record[name] = value
    if "mean" not in record:
        return None, "no mean"
    # one run has no spread, which CSV prints as 0
    if not record.get("stddev") and record.get("min") == record.get("max"):
        record.pop("stddev", None)
    prefix = "parameter_"
    parameters = {
        name.removeprefix(prefix): text
        for name, text in cells.items()
        if name.startswith(prefix) or name == "parameter"
    }
    told = {**record, "command": cells.get("command", ""), "parameters": parameters}
    return _benchmark(told), ""


def add(tables: Tables, report: Report, session: Session) -> int:
    """Add the commands of one export; ``session`` says nothing that the export does not."""
    found: list[Finding] = report.data
    index = 0
    for benchmark, reason, above in found:
        line = report.line + above
        if reason:
            tables.note(reason, line=line, severity="warning")
        if benchmark is not None:
            _add_benchmark(tables, index, benchmark, line)
            index += 1
    return tables.runs


def _add_benchmark(tables: Tables, index: int, benchmark: Benchmark, line: int) -> None:
    """Add a command: a run for each execution, or one with its summary."""
    first, command, times = tables.runs + 1, benchmark.command, benchmark.times
    counts = Counter[str]()
    for row in _timings(benchmark):
        codes = [row.get("exit_status", 0)] if times else benchmark.beside["exit_status"]
        is_bad = any(code != 0 for code in codes)  # a killed command has the code null
        real = row.get("real_s")
        counts["have no time: faster than the shell's start; use --shell=none"] += real is None
        counts["failed (--ignore-failure)"] += is_bad
        run = tables.start_run(
            tool=_NAME,
            format=_NAME,
            command=command,
            status="error" if is_bad else "ok",
            duration_s=real,
        )
        tables.add("timings", run=run, command=command, **row)
        for option, text in benchmark.parameters.items():
            tables.add("settings", run=run, option=option, text=text, origin="given")
    of = f"of {len(times)} runs of {command[:80]!r}"
    for what, count in counts.items() if times else ():
        if count:
            tables.note(f"{count} {of} {what}", severity="warning", run=first)
    for name, value in benchmark.measures.items():
        # about the command, so of no single run
        tables.add("extras", path=f"results/{index}/{name}", text=repr(value))
    for message in [*benchmark.doubts, *_contradictions(benchmark)]:
        said = f"{command[:80]!r}: {message}"
        tables.note(said, line=line, severity="warning", run=first)


def _timings(benchmark: Benchmark) -> Iterator[dict[str, Any]]:
    """Yield the timings of each execution, or those of a command that does not list them."""
    measures, times = benchmark.measures, benchmark.times
    if not times:
        summary = {column: measures.get(name) for column, name in _SUMMARY.items()}
        summary["real_mean_s"] = summary["real_mean_s"] or None
        yield {**summary, "n": len(benchmark.beside["exit_status"]) or None}
    single = {column: measures.get(name) for column, name in _SINGLE.items()}
    for at, measured in enumerate(times):
        beside = {column: values[at] for column, values in benchmark.beside.items() if values}
        beside["max_rss_bytes"] = beside.get("max_rss_bytes") or None
        # 0: the command was faster than the shell's start
        yield {"real_s": measured or None, **(single if len(times) == 1 else {}), **beside}


def _contradictions(benchmark: Benchmark) -> list[str]:
    """Say where hyperfine's own statistics contradict its runs."""
    measures, times = benchmark.measures, benchmark.times
    if not times:
        middle = [measures[name] for name in ("mean", "median") if name in measures]
        low, high = measures.get("min", 0.0), measures.get("max", float("inf"))
        if not all(low * (1 - 1e-9) <= value <= high * (1 + 1e-9) for value in middle):
            return ["its mean or median is not between its min and its max"]
        return []
    known = [value for value in times if value is not None]
    if len(known) < len(times):
        return [f"{len(times) - len(known)} times are not numbers of seconds: left out"]
    found = []
    for name, compute in _COMPUTED.items():
        if name in measures and len(known) > (name == "stddev"):
            own = compute(known)
            if not isclose(measures[name], own, rel_tol=1e-6, abs_tol=1e-9):
                found.append(f"the {name} {measures[name]:.6g} is not that of its times, {own:.6g}")
    return found
