"""hyperfine: the record of a command, and its CSV, which has a line for each."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import StringIO
from math import isfinite
from typing import Any, TypeAlias

FIGURES = ("mean", "stddev", "median", "user", "system", "min", "max")
_NUMBER = re.compile(r"\d{1,20}(?:\.\d{1,330})?(?:e[+-]?\d{1,3})?")
_CUT = re.compile(r",(?:[\d.]*+(?:e[+-]?\d{0,3})?|NaN)$", re.M)  # perhaps in its last field
_LINE = re.compile(r"[^\n]*\n?")


@dataclass
class Benchmark:
    """One command: hyperfine's figures in seconds, and its single runs where the file has them.

    Attributes
    ----------
    times : list of float or None
        Of each run, in seconds; None where that is no number.
    beside : dict of str to list
        Columns of `timings` with a value for each run (without times: for each that there was).
    doubts : list of str
        What was left out of the record.
    """

    command: str
    figures: dict[str, float]
    parameters: dict[str, str]
    times: list[float | None] = field(default_factory=list)
    beside: dict[str, list[int | None]] = field(default_factory=dict)
    doubts: list[str] = field(default_factory=list)


# a command, or why there is none; and how many lines of the export stand above it
Finding: TypeAlias = "tuple[Benchmark | None, str, int]"


def seconds(value: Any) -> float | None:
    """Take a number of seconds, or nothing."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value) if isfinite(value) and value >= 0 else None


def end_of(text: str, start: int) -> int:
    """Return where a table ends: before the first line that is narrower and ends in no figure."""
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


def benchmarks(text: str) -> Iterator[Finding]:
    """Read one summary for each line: what it says, or why it says nothing, and its place."""
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
                benchmark, reason = _benchmark(dict(zip(header[:known], cells, strict=False)))
            yield benchmark, reason and f"{reason}: the line is left out", before
    except csv.Error as error:
        yield None, f"what follows is no CSV ({error}): left out", line


def _benchmark(cells: dict[str, str]) -> tuple[Benchmark | None, str]:
    """Take one line's cells, by the header's names."""
    figures = {}
    for name in FIGURES:
        text = cells.get(name, "")
        if text in ("", "NaN"):
            continue
        value = seconds(float(text)) if _NUMBER.fullmatch(text) else None
        if value is None:
            return None, f"{name} {text[:40]!r} is no number of seconds"
        figures[name] = value
    if "mean" not in figures:
        return None, "no mean"
    # one run has no spread, which CSV prints as 0
    if not figures.get("stddev") and figures.get("min") == figures.get("max"):
        figures.pop("stddev", None)
    prefix = "parameter_"
    parameters = {
        name.removeprefix(prefix): text
        for name, text in cells.items()
        if name.startswith(prefix) or name == "parameter"
    }
    return Benchmark(cells.get("command", ""), figures, parameters), ""
