"""hyperfine's JSON and CSV, of version 1 and of version 2.

A value of another type or range is an error of its entry, which is left out.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Mapping
from io import StringIO
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from fiotools.readers.hyperfine.records import (
    COLUMNS,
    REAL,
    SINGLE,
    Benchmark,
    Output,
    in_base,
)

_Amount = Annotated[float, Meta(ge=0, lt=1e300)]
_Whole = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]


class _Statistics(Struct):
    """What hyperfine computes of a metric."""

    unit: str = "s"
    count: _Whole | None = None
    mean: _Amount | None = None
    stddev: _Amount | None = None
    median: _Amount | None = None
    min: _Amount | None = None
    max: _Amount | None = None


class _Result1(_Statistics, kw_only=True):
    """A command of version 1, which has statistics of the wall time in seconds."""

    command: str
    mean: _Amount
    user: _Amount | None = None
    system: _Amount | None = None
    times: list[_Amount] | None = None
    exit_codes: list[_Whole | None] | None = None
    memory_usage_byte: list[_Whole] | None = None
    parameters: dict[str, Any] | None = None
    parameter: Any = None  # up to 1.10: one, without its name


class _Value(Struct):
    value: _Amount
    unit: str = ""


class _Run(Struct):
    time_wall_clock: _Value | None = None
    time_user: _Value | None = None
    time_system: _Value | None = None
    memory_peak_resident: _Value | None = None
    exit_code: _Whole | None = None


class _Result2(Struct):
    """A command of version 2, in which each value has its unit."""

    command: str
    summary: dict[str, _Statistics] = {}
    measurements: list[_Run] = []
    parameters: dict[str, Any] | None = None
    environment: dict[str, Any] | None = None
    name: str | None = None


class _Document(Struct):
    results: list[msgspec.Raw]
    schema_version: int | UnsetType = UNSET
    metadata: dict[str, Any] = {}


# version 1 lists these for each execution, beside its time
BESIDE = {"exit_codes": "exit_status", "memory_usage_byte": "max_rss_bytes"}
_STATISTICS = ("mean", "stddev", "median", "min", "max")
# in the order of JSON
_SECONDS = ("mean", "stddev", "median", "user", "system", "min", "max")
_NAME = re.compile(  # of a column of CSV
    rf"command|parameter(?:_.*)?|{'|'.join(_SECONDS)}|[a-z_]+_(?:unit|count|{'|'.join(_STATISTICS)})"
)
_DECODER = json.JSONDecoder(parse_int=float)  # Python makes no integer of thousands of digits
_NOT_BLANK = re.compile(r"\S|\Z")
# lines of fields; a quoted one may hold ends of lines
_LINES = re.compile(r'(?:(?:[^",\n]|"[^"]*+")*+(?:,(?:[^"\n]|"[^"]*+"?)*+(?:\n|\Z)|"[^"]*+\Z))++')


# --- JSON -------------------------------------------------------------------------------------


def parsed(text: str, start: int) -> tuple[Output, int]:
    """Read the JSON that begins at a place; return also where it ends."""
    begin = _NOT_BLANK.search(text, start)
    at = begin.start() if begin else start
    try:
        _, end = _DECODER.raw_decode(text, at)
    except RecursionError:
        raise json.JSONDecodeError("nested too deeply", text, at) from None
    try:
        document = msgspec.json.decode(text[at:end], type=_Document)
    except msgspec.DecodeError as error:
        return Output(left_out=[(f"hyperfine's JSON: {error}: left out", 0)]), end
    about = document.metadata
    platform = about.get("platform")
    about |= platform if isinstance(platform, dict) else {}
    output = Output(about={name: one for name, one in about.items() if isinstance(one, str)})
    for index, result in enumerate(document.results):
        try:
            if document.schema_version is UNSET:
                found = _of_version_1(msgspec.json.decode(result, type=_Result1))
            else:
                found = _of_version_2(msgspec.json.decode(result, type=_Result2))
        except msgspec.DecodeError as error:
            output.left_out.append((f"results/{index}: {error}: left out", 0))
        else:
            output.found.append(found)
    return output, end


def _of_version_1(result: _Result1) -> Benchmark:
    parameters = result.parameters
    if parameters is None:
        parameters = {} if result.parameter is None else {"parameter": result.parameter}
    found = Benchmark(result.command, parameters=_texts(parameters))
    for name in _SECONDS:
        found.put(REAL, name, getattr(result, name))
    found.times = result.times or []
    for key, column in BESIDE.items():
        found.beside[column] = values = getattr(result, key) or []
        if found.times and values and len(values) != len(found.times):
            message = f"{len(values)} {key} for {len(found.times)} times: left out"
            found.doubts.append(("left out", message))
            found.beside[column] = []
    codes = result.exit_codes or []
    found.count, found.is_bad = len(codes) or None, any(code != 0 for code in codes)
    if len(found.times) == 1:
        found.beside |= {column: [found.measures.get(name)] for column, name in SINGLE.items()}
    return found


def _of_version_2(result: _Result2) -> Benchmark:
    found = Benchmark(result.command, is_later=True, name=result.name)
    for metric, told in result.summary.items():
        found.count = found.count or told.count
        for name in _STATISTICS:
            found.put(metric, name, getattr(told, name), told.unit)
    runs = result.measurements
    found.times = [_in_base(run, REAL) for run in runs]
    for metric, column in COLUMNS.items():
        found.beside[column] = [_in_base(run, metric) for run in runs]
    found.beside["exit_status"] = [run.exit_code for run in runs]
    if found.count is not None and runs and len(runs) != found.count:
        message = f"{found.count} runs were summarized, {len(runs)} are listed"
        found.doubts.append(("incomplete", f"{message}: the others are missing"))
    found.parameters = _texts(result.parameters or {})
    for name, text in _texts(result.environment or {}).items():
        found.parameters[f"env {name}"] = text
    return found


def _in_base(run: _Run, metric: str) -> float | None:
    told: _Value | None = getattr(run, metric)
    return in_base(told.value, told.unit, metric) if told else None


def _texts(values: Mapping[str, Any]) -> dict[str, str]:
    """Return parameters as texts; version 2 writes a type beside each."""
    plain = {
        name: one["value"] if isinstance(one, dict) and "value" in one else one
        for name, one in values.items()
    }
    return {
        name: one if isinstance(one, str) else msgspec.json.encode(one).decode()
        for name, one in plain.items()
    }


# --- CSV --------------------------------------------------------------------------------------


def table(text: str, start: int) -> tuple[Output, int]:
    """Read the CSV that begins at a place, a summary in each line; return also where it ends."""
    lines = _LINES.match(text, start)
    end = lines.end() if lines else start
    # a last line without an end may be cut within its last field
    unended = text.count("\n", start) + 1 if end == len(text) and text[-1] != "\n" else 0
    rows, output, above = csv.reader(StringIO(text[start:end]), strict=True), Output(), 1
    try:
        header = next(rows)
        if odd := [name for name in header if not _NAME.fullmatch(name)]:
            message = f"columns that hyperfine does not write: {', '.join(odd):.60}: left out"
            output.left_out.append((message, 0))
        for cells in rows:
            is_cut = rows.line_num == unended
            if len(cells) != len(header):
                message = f"{len(cells)} fields where the header has {len(header)}"
                output.left_out.append((f"{message}: the line is left out", above))
            else:
                if is_cut:
                    message = "the file ends within this line: its last field is left out"
                    output.left_out.append((message, above))
                _add_line(output, header[: len(header) - is_cut], cells, above)
            above = rows.line_num
    except csv.Error as error:
        output.left_out.append((f"the rest is not CSV ({error}): left out", above))
    return output, end


def _add_line(output: Output, header: list[str], fields: list[str], above: int) -> None:
    """Add the command of a line, by the header's names."""
    pairs = zip(header, fields, strict=False)
    cells = {name: text for name, text in pairs if text not in ("", "NaN") or name == "command"}
    prefix = "parameter_"
    parameters = {
        name.removeprefix(prefix): text
        for name, text in cells.items()
        if name.startswith(prefix) or name == "parameter"
    }
    try:
        if "mean" in header:
            result = msgspec.convert({**cells, "parameters": parameters}, _Result1, strict=False)
            # one run has no spread, which version 1 prints as 0
            if not result.stddev and result.min == result.max:
                result.stddev = None
            found = _of_version_1(result)
        else:
            summary = {
                metric: {one: cells.get(f"{metric}_{one}") for one in ("unit", *_STATISTICS)}
                for metric in (name.removesuffix("_unit") for name in cells if "_unit" in name)
            }
            own = {"command": cells.get("command"), "summary": summary, "parameters": parameters}
            found = _of_version_2(msgspec.convert(own, _Result2, strict=False))
    except msgspec.ValidationError as error:
        output.left_out.append((f"{error}: the line is left out", above))
    else:
        found.line = above
        output.found.append(found)
