"""hyperfine: its CSV, a line of summary for each command."""

from __future__ import annotations

import csv
import re
from io import StringIO
from typing import TYPE_CHECKING

from fiotools.errors import ParseError
from fiotools.readers.hyperfine_rows import Benchmark, add, seconds

if TYPE_CHECKING:
    from fiotools.sniff import Document
    from fiotools.tables import Tables

FIGURES = ("mean", "stddev", "median", "user", "system", "min", "max")
# the median came with 1.6
_HEADER = re.compile(r"command,mean,stddev,(?:median,)?user,system,min,max(?=[,\n]|\Z)")
_NUMBER = re.compile(r"\d{1,20}(?:\.\d{1,330})?(?:e[+-]?\d{1,3})?")


def is_ours(text: str) -> bool:
    """Say whether a text begins with the header of hyperfine's CSV."""
    return _HEADER.match(text) is not None


def read(document: Document, tables: Tables) -> None:
    """Read one summary for each line."""
    text = document.text
    rows = csv.reader(StringIO(text), strict=True)
    # a last line without an end may be cut within its last field
    index, line, unended = 0, 1, -1 if text.endswith("\n") else text.count("\n") + 1
    try:
        header = next(rows)
        for cells in rows:
            line, before = rows.line_num, line
            if not cells:
                continue
            if line == unended:
                message = "the file ends within this line: its last field is left out"
                tables.note(message, line=before + 1, severity="warning")
            benchmark, reason = None, f"{len(cells)} fields where the header has {len(header)}"
            if len(cells) == len(header):
                known = len(cells) - (line == unended)
                benchmark, reason = _benchmark(dict(zip(header[:known], cells, strict=False)))
            if benchmark is None:
                message = f"{reason}: the line is left out"
                tables.note(message, line=before + 1, severity="warning")
                continue
            benchmark.line = before + 1
            add(tables, index, benchmark)
            index += 1
    except csv.Error as error:
        message = f"what follows is no CSV ({error}): left out"
        tables.note(message, line=line, severity="warning")
    if not tables.runs:
        raise ParseError(
            document.name,
            "hyperfine's CSV holds no whole line of figures",
            line=line,
            remedy="was hyperfine stopped? --export-json keeps every single run",
        )


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
    return Benchmark(cells.get("command", ""), figures, parameters=parameters), ""
