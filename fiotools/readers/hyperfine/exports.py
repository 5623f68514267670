"""hyperfine's JSON and CSV, of version 1 and of version 2."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Mapping
from io import StringIO
from typing import Any

import orjson

from fiotools.readers.hyperfine.records import (
    COLUMNS,
    MEMORY,
    REAL,
    Benchmark,
    Finding,
    in_base,
    whole,
)

_DECODER = json.JSONDecoder(parse_int=float)  # Python makes no integer of thousands of digits
_NOT_BLANK = re.compile(r"\S")
_FIGURES = ("mean", "stddev", "median", "user", "system", "min", "max")
_STATISTICS = ("mean", "stddev", "median", "min", "max")  # of each metric of version 2
# CSV: a number, the end of a line that is cut in its last field, and a line
_PRINTED = re.compile(r"\d{1,20}(?:\.\d{1,330})?(?:e[+-]?\d{1,3})?")
_CUT = re.compile(r",(?:[\d.]*+(?:e[+-]?\d{0,3})?|NaN)$", re.M)
_LINE = re.compile(r"[^\n]*\n?")
# what JSON 1 lists for each execution beside its time: the column, and how a note calls it
BESIDE = {
    "exit_codes": ("exit_status", "exit_codes"),
    "memory_usage_byte": ("max_rss_bytes", "memory"),
}
# columns of `timings` that version 1 has for a single execution
SINGLE = {"user_s": "user", "sys_s": "system"}

# --- JSON -------------------------------------------------------------------------------------


def parsed(text: str, start: int) -> tuple[Any, int]:
    """Parse the JSON that begins at a place; say where it ends."""
    found = _NOT_BLANK.search(text, start)
    at = found.start() if found else start
    try:
        _, end = _DECODER.raw_decode(text, at)
    except RecursionError:
        raise json.JSONDecodeError("nested too deeply", text, at) from None
    return orjson.loads(text[at:end]), end


def listed_results(value: Any) -> list[Finding]:
    """Take each entry of ``results``, or say why there is none."""
    value = value if isinstance(value, dict) else {}
    results = value.get("results")
    take = _measured if "schema_version" in value else _timed
    found = [take(one) for one in results] if isinstance(results, list) else []
    return [
        (one, "" if one else f"results/{index} has no command with a mean: left out", 0)
        for index, one in enumerate(found)
    ]


def metadata(value: Any) -> dict[str, str]:
    """Return what the JSON of version 2 says of itself: the version, the start, the machine."""
    told = value.get("metadata") if isinstance(value, dict) else None
    found = told if isinstance(told, dict) else {}
    platform = found.get("platform")
    parts = {**found, **(platform if isinstance(platform, dict) else {})}
    return {name: text for name, text in parts.items() if isinstance(text, str)}


def _timed(result: Any) -> Benchmark | None:
    """Take a result of version 1; values of another type are missing."""
    if not isinstance(result, dict) or not isinstance(result.get("command"), str):
        return None
    measures = {
        name: value for name in _FIGURES if (value := _seconds(result.get(name))) is not None
    }
    if "mean" not in measures:
        return None
    parameters = result.get("parameters")
    if not isinstance(parameters, dict):
        single = result.get("parameter")
        parameters = {} if single is None else {"parameter": single}
    lists = {name: result.get(name) for name in ("times", *BESIDE)}
    listed = {name: one if isinstance(one, list) else [] for name, one in lists.items()}
    found = Benchmark(
        result["command"],
        measures,
        _texts(parameters),
        [_seconds(value) for value in listed["times"]],
    )
    for key, (column, name) in BESIDE.items():
        values, counts = listed[key], [whole(value) for value in listed[key]]
        pairs = zip(values, counts, strict=True)
        odd = [value for value, count in pairs if count is None and value is not None]
        if found.times and values and len(values) != len(found.times):
            message = f"{len(values)} {name} for {len(found.times)} times: left out"
            found.doubt("left out", message)
            counts = []
        if odd:
            what = f"are not whole numbers ({odd[0]!r:.40}): left out"
            found.doubt("left out", f"{len(odd)} {name} {what}")
        found.beside[column] = counts
    if len(found.times) == 1:
        found.beside |= {column: [measures.get(name)] for column, name in SINGLE.items()}
    found.count = len(found.beside["exit_status"]) or None
    return found


def _seconds(value: Any) -> float | None:
    return None if isinstance(value, str) else in_base(value)


def _texts(parameters: Mapping[str, Any]) -> dict[str, str]:
    return {
        name: value if isinstance(value, str) else orjson.dumps(value).decode()
        for name, value in parameters.items()
    }


def _measured(result: Any) -> Benchmark | None:
    """Take a result of version 2, in which each value has its unit."""
    if not isinstance(result, dict) or not isinstance(result.get("command"), str):
        return None
    summary, rows = (result.get(name) for name in ("summary", "measurements"))
    summary = summary if isinstance(summary, dict) else {}
    rows = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    found = Benchmark(result["command"], {}, is_later=True)
    counts = set[int | None]()
    for metric, told in summary.items():
        if isinstance(told, dict):
            counts.add(whole(told.get("count")))
            if odd := _add_statistics(found, metric, told.get("unit"), told):
                what = f"{', '.join(odd)} in {told.get('unit')!r:.40}"
                found.doubt("left out", f"{metric}: {what} cannot be read: left out")
    found.count = next(iter(counts)) if len(counts) == 1 else None
    found.times = [_value(row, REAL) for row in rows]
    for metric, column in COLUMNS.items():
        values = [_value(row, metric) for row in rows]
        is_bytes = metric == MEMORY
        found.beside[column] = [whole(value) for value in values] if is_bytes else values
    found.beside["exit_status"] = [whole(row.get("exit_code")) for row in rows]
    if found.count is not None and rows and len(rows) != found.count:
        found.doubt(
            "incomplete",
            f"{found.count} runs were summarized, {len(rows)} are listed: the others are missing",
        )
    parameters, environment, name = (
        result.get(key) for key in ("parameters", "environment", "name")
    )
    if isinstance(parameters, dict):
        found.parameters |= _texts(
            {
                key: one["value"] if isinstance(one, dict) and "value" in one else one
                for key, one in parameters.items()
            }
        )
    if isinstance(environment, dict):
        found.parameters |= _texts({f"env {key}": one for key, one in environment.items()})
    if isinstance(name, str):
        found.facts["name"] = name
    return found if found.times or found.real("mean") is not None else None


def _value(row: Mapping[str, Any], metric: str) -> float | None:
    told = row.get(metric)
    if not isinstance(told, dict) or isinstance(told.get("value"), str):
        return None
    unit = told.get("unit")
    return in_base(told.get("value"), metric, unit if isinstance(unit, str) else None)


def _add_statistics(found: Benchmark, metric: str, unit: Any, told: Mapping[str, Any]) -> list[str]:
    """Add the statistics of a metric; return the names of those that are not numbers."""
    odd = []
    for name in _STATISTICS:
        if (given := told.get(name)) is not None:
            value = in_base(given, metric, unit if isinstance(unit, str) else None)
            if value is None:
                odd.append(name)
            else:
                found.measures[f"{metric}/{name}"] = value
    return odd


# --- CSV --------------------------------------------------------------------------------------


def end_of_table(text: str, start: int) -> int:
    """Return the end of a CSV: before a narrower line that does not end in a number."""
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


def lines(text: str) -> Iterator[Finding]:
    """Yield the summary of each line of a CSV, or why there is none, and the line."""
    rows = csv.reader(StringIO(text), strict=True)
    # a last line without an end may be cut within its last field
    line, unended = 0, -1 if text.endswith("\n") else text.count("\n") + 1
    try:
        header = next(rows)
        summary = _summary if "mean" in header else _summaries
        for cells in rows:
            line, before = rows.line_num, line
            if not cells:
                continue
            if line == unended:
                yield None, "the file ends within this line: its last field is left out", before
            benchmark, reason = None, f"{len(cells)} fields where the header has {len(header)}"
            if len(cells) == len(header):
                known = len(cells) - (line == unended)
                benchmark, reason = summary(dict(zip(header[:known], cells, strict=False)))
            yield benchmark, reason and f"{reason}: the line is left out", before
    except csv.Error as error:
        yield None, f"the rest is not CSV ({error}): left out", line


def _summary(cells: dict[str, str]) -> tuple[Benchmark | None, str]:
    """Take one line of version 1, by the header's names."""
    measures = dict[str, float]()
    for name in _FIGURES:
        text = cells.get(name, "")
        if text in ("", "NaN"):
            continue
        value = in_base(text) if _PRINTED.fullmatch(text) else None
        if value is None:
            return None, f"{name} {text[:40]!r} is not a number of seconds"
        measures[name] = value
    if "mean" not in measures:
        return None, "no mean"
    # one run has no spread, which CSV prints as 0
    if not measures.get("stddev") and measures.get("min") == measures.get("max"):
        measures.pop("stddev", None)
    return Benchmark(cells.get("command", ""), measures, _parameters(cells)), ""


def _parameters(cells: Mapping[str, str]) -> dict[str, str]:
    prefix = "parameter_"
    return {
        name.removeprefix(prefix): text
        for name, text in cells.items()
        if name.startswith(prefix) or name == "parameter"
    }


def _summaries(cells: dict[str, str]) -> tuple[Benchmark | None, str]:
    """Take one line of version 2: the statistics of each metric, with their unit."""
    found = Benchmark(cells.get("command", ""), {}, _parameters(cells), is_later=True)
    for name, unit in cells.items():
        metric = name.removesuffix("_unit")
        if metric == name:
            continue
        texts = {one: cells.get(f"{metric}_{one}") or None for one in _STATISTICS}
        odd = [one for one, text in texts.items() if text and not _PRINTED.fullmatch(text)]
        if odd := odd or _add_statistics(found, metric, unit, texts):
            what = f"{texts[odd[0]]!r:.40} in {unit[:20]!r}"
            return None, f"{metric} {odd[0]} {what} is not a number"
    return (found, "") if found.measures else (None, "no mean")
