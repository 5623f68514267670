"""Results for other programs: OpenMetrics for Prometheus and Grafana, safe texts for spreadsheets.

In OpenMetrics each number is a gauge in base units: seconds, bytes, ratios. Its labels are the
columns that identify it. Values have no time, because the collector of text files refuses times;
the time of a report is a gauge.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from fiotools.tables.naming import UNIT
from fiotools.vocabulary import COLUMNS, CONDITIONS, KEYS, TABLES

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

    from fiotools.tables.results import Results

# a column's unit here, there, and how many of ours are one of theirs
_UNITS = {
    "ns": ("seconds", 1e-9),
    "s": ("seconds", 1.0),
    "B": ("bytes", 1.0),
    "B/s": ("bytes_per_second", 1.0),
    "%": ("ratio", 0.01),
}
_ESCAPED = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n"})
# begins a text that a spreadsheet might calculate: formulas of Excel, LibreOffice and their kin;
# what these drop in front of one; and the mark itself
ACTIVE = r"^[=+\-@\t\r\n']"
_TOLD = ("io", "percentiles", "timings", "jobs", "runs")
_QUALITIES = ("latency", "percentile", "quantity", "cpu", "device")


def openmetrics(results: Results) -> Iterator[str]:
    """Write the tables, line by line."""
    for table in _TOLD:
        if table in results.tables and results.tables.height(table):
            yield from _table(results.tables.polars(table), table)
    yield "# EOF"


def _table(frame: pl.DataFrame, table: str) -> Iterator[str]:
    """Write a gauge for each column of numbers."""
    own = [name for name in frame.columns if name not in TABLES[table]]
    told = [name for name in (*KEYS, *CONDITIONS, *_QUALITIES, "command") if name in frame.columns]
    named = list(dict.fromkeys([*own, *told]))
    labels = [
        ",".join(f'{name}="{_label(value)}"' for name, value in row.items() if value is not None)
        for row in frame.select(named).iter_rows(named=True)
    ]
    for name in frame.columns:
        column = COLUMNS.get(name)
        is_number = column is not None and column.dtype in ("Int64", "float64", "datetime")
        if column is None or name in told or not is_number:
            continue
        is_moment = column.dtype == "datetime"
        unit, scale = _UNITS.get("s" if is_moment else column.unit, ("", 1.0))
        stem = UNIT.sub("", name) if unit else name
        if is_moment:
            stem += "_timestamp"
        metric = "_".join(part for part in ("fiotools", table, stem, unit) if part)
        samples = []
        for label, value in zip(labels, frame[name], strict=True):
            number = value.timestamp() if is_moment and value is not None else value
            if number is not None and not math.isnan(number):
                samples.append(f"{metric}{{{label}}} {float(number) * scale!r}")
        if samples:
            yield f"# TYPE {metric} gauge"
            if unit:
                yield f"# UNIT {metric} {unit}"
            yield f"# HELP {metric} {column.meaning.translate(_ESCAPED)}"
            yield from samples


def _label(value: Any) -> str:
    said = "true" if value is True else "false" if value is False else str(value)
    return said.translate(_ESCAPED)


def guarded(frame: pd.DataFrame) -> pd.DataFrame:
    """Mark texts by an apostrophe that a spreadsheet might calculate; numbers stay as they are.

    A text that begins with an apostrophe gets another, so that taking one away gives all back.
    """
    texts = frame.select_dtypes(exclude=["number", "bool", "datetime", "datetimetz"])

    def marked(value: Any) -> Any:
        return f"'{value}" if isinstance(value, str) and re.match(ACTIVE, value) else value

    return frame.assign(**{str(name): column.map(marked) for name, column in texts.items()})
