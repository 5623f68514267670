"""hyperfine: what it exports as JSON or CSV.

Produced by ``hyperfine --export-json out.json ...`` (every single run) or ``--export-csv`` (a
summary of each command). Fills ``runs``, ``timings``, ``settings`` (the parameters) and ``extras``
(what hyperfine computed for each command).

Each timed execution of a command is a run, and has its row of ``timings``: that is what repeats, so
``summarize(res.timings, "real_s", by="command")`` counts right. hyperfine keeps user and system
time as means only; they stand in ``extras``, and in ``timings`` where there was one execution. CSV
has no single runs: a row holds ``real_mean_s`` and ``real_stddev_s``, their number is not told.

Traps. Times are seconds whatever ``--time-unit`` says. The time that starting the shell takes is
subtracted, so a fast command gets 0: that is no time. With one execution the standard deviation is
null in JSON, and 0 in CSV. Failed executions are there with ``--ignore-failure``; a killed one has
the exit code null. ``exit_codes`` came with 1.12, ``memory_usage_byte`` with 1.19; a parameter is
``parameter`` before 1.11. Tables (Markdown, AsciiDoc, Org) and the terminal's text are rounded for
people: recognised, not read.

Specified in hyperfine's ``src/export/json.rs``, ``csv.rs`` and ``src/benchmark``, 1.0 to 1.20.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import orjson

from fiotools.errors import ParseError, UnknownFormatError
from fiotools.readers import hyperfine_csv, surroundings
from fiotools.readers import hyperfine_rows as rows
from fiotools.readers.base import Report, Session, read_reports
from fiotools.readers.hyperfine_rows import Benchmark, Finding, seconds

if TYPE_CHECKING:
    from fiotools.sniff import Document
    from fiotools.tables import Tables

_NAME = "hyperfine"
_DECODER = json.JSONDecoder(parse_int=float)  # Python makes no integer of thousands of digits
_NOT_BLANK = re.compile(r"\S")


def read(document: Document, tables: Tables) -> None:
    """Read every command's runs."""
    if document.is_structured:
        value, end = _decoded(document)
        _add(tables, _listed_results(value))
        surroundings.add(tables, document.part(end, len(document.text)))
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


def _decoded(document: Document) -> tuple[Any, int]:
    """Parse the JSON that a text begins with; say where it ends."""
    try:
        return _parsed(document.text, 0)
    except json.JSONDecodeError as error:
        raise ParseError(
            document.name,
            f"hyperfine's JSON cannot be read: {error}",
            line=error.lineno,
            remedy="was hyperfine stopped, or the file cut off?",
        ) from None


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
        end = hyperfine_csv.end_of(text, start)
        return start, end, list(hyperfine_csv.benchmarks(text[start:end]))
    try:
        value, end = _parsed(text, start)
    except json.JSONDecodeError:
        return None
    return start, end, _listed_results(value)


def add(tables: Tables, report: Report, session: Session) -> int:
    """Add the commands of one export; ``session`` says nothing that the export does not."""
    _add(tables, report.data, report.line)
    return tables.runs


def _add(tables: Tables, found: list[Finding], line: int = 1) -> None:
    index = 0
    for benchmark, reason, above in found:
        at = line + above
        if reason:
            tables.note(reason, line=at, severity="warning")
        if benchmark is not None:
            benchmark.line = at
            rows.add(tables, index, benchmark)
            index += 1


def _listed_results(value: Any) -> list[Finding]:
    """List the entries of a document."""
    results = value.get("results") if isinstance(value, dict) else None
    found: list[Finding] = []
    for index, result in enumerate(results if isinstance(results, list) else ()):
        benchmark = _benchmark(result)
        reason = "" if benchmark else f"results/{index} has no command with a mean: left out"
        found.append((benchmark, reason, 0))
    return found


def _benchmark(result: Any) -> Benchmark | None:
    """Take one entry of ``results``; what is not of its type counts as missing."""
    if not isinstance(result, dict) or not isinstance(result.get("command"), str):
        return None
    figures = {name: result.get(name) for name in hyperfine_csv.FIGURES}
    if seconds(figures["mean"]) is None:
        return None
    parameters = result.get("parameters")
    if not isinstance(parameters, dict):
        single = result.get("parameter")
        parameters = {} if single is None else {"parameter": single}
    return Benchmark(
        command=result["command"],
        figures={name: found for name in figures if (found := seconds(figures[name])) is not None},
        times=_listed(result, "times"),
        exit_codes=_listed(result, "exit_codes"),
        memory=_listed(result, "memory_usage_byte"),
        parameters={
            name: value if isinstance(value, str) else orjson.dumps(value).decode()
            for name, value in parameters.items()
        },
    )


def _listed(result: dict[str, Any], name: str) -> list[Any] | None:
    found = result.get(name)
    return found if isinstance(found, list) and found else None
