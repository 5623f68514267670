"""What results have measured: the tables that hold it, and the columns worth asking about."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fiotools.display import columns
from fiotools.errors import SchemaError
from fiotools.vocabulary import COLUMNS, describe

if TYPE_CHECKING:
    import polars as pl

    from fiotools.tables.results import Results

# where a metric is looked for, in this order
_MEASURED = ("io", "timings", "percentiles", "samples", "cpu", "disks", "bins", "jobs", "runs")
_FIRST = ("iops", "bw_bytes_per_s", "lat_mean_ns", "clat_mean_ns", "real_s")
_BESIDE = re.compile(r"_(min|max|stddev|agg|samples)$")


def main_table(results: Results) -> str:
    """Name the table that one wants to see first."""
    return next(iter(_filled(results)), "runs")


def find(results: Results, metric: str, table: str | None = None) -> tuple[str, str]:
    """Name the table that has a metric, and the metric in full.

    Raises
    ------
    SchemaError
        If nothing has it: the message says what there is.
    """
    for name in [table] if table else _filled(results):
        frame = results.tables.polars(name)
        column = columns.full(metric, frame.columns)
        if column in frame.columns and frame[column].null_count() < frame.height:
            return name, column
    describe(columns.full(metric, COLUMNS))  # refuses a name that nothing has
    raise SchemaError(f"there is no {metric}: these files have {listed(results, table)}")


def listed(results: Results, table: str | None = None) -> str:
    """List what a table holds, by default the main one; what matters most comes first."""
    frame = results.tables.polars(table or main_table(results))
    return ", ".join(map(columns.short, of(frame))) or "no numbers"


def of(frame: pl.DataFrame) -> list[str]:
    """Name what a frame holds that is worth asking about; spreads and extremes go without saying.

    What matters most comes first.
    """
    found = [
        name
        for name in columns.of(frame)
        if name in COLUMNS
        and COLUMNS[name].better
        and not _BESIDE.search(columns.short(name))
        and frame[name].null_count() < frame.height
    ]
    return sorted(found, key=lambda name: _FIRST.index(name) if name in _FIRST else len(_FIRST))


def _filled(results: Results) -> list[str]:
    return [name for name in _MEASURED if results.tables.height(name)]
