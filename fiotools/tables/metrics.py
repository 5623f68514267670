"""The metrics of a `Results`: which table has one, and which there are."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fiotools.errors import SchemaError
from fiotools.tables import naming
from fiotools.vocabulary import COLUMNS, describe

if TYPE_CHECKING:
    from fiotools.tables.results import Results

_FIRST = ("iops", "bw_bytes_per_s", "lat_mean_ns", "clat_mean_ns", "real_s")
_BESIDE = re.compile(r"_(min|max|stddev|agg|samples)$")


def main_table(results: Results) -> str:
    """Name the most useful table."""
    return next(iter(_filled(results)), "runs")


def find_metric(results: Results, metric: str, table: str | None = None) -> tuple[str, str]:
    """Name the table that has a metric, and the metric in full."""
    for name in [table] if table else _filled(results):
        frame = results.tables.polars(name)
        column = naming.full(metric, frame.columns)
        if column in frame.columns and frame[column].null_count() < frame.height:
            return name, column
    describe(naming.full(metric, COLUMNS))  # refuses a name that nothing has
    raise SchemaError(f"there is no {metric}: these files have {measured(results, table)}")


def measured(results: Results, table: str | None = None) -> str:
    """List the metrics of a table, by default the main one, the most important first."""
    return ", ".join(map(naming.short, metrics(results, table))) or "no numbers"


def metrics(results: Results, table: str | None = None) -> list[str]:
    """Name the metrics of a table in full, as `measured` lists them."""
    frame = results.tables.polars(table or main_table(results))
    found = [
        name
        for name in frame.columns
        if name in COLUMNS
        and COLUMNS[name].better
        and not _BESIDE.search(naming.short(name))
        and frame[name].null_count() < frame.height
    ]
    return sorted(found, key=lambda name: _FIRST.index(name) if name in _FIRST else len(_FIRST))


def headlines(results: Results, table: str | None = None) -> list[str]:
    """Name the metrics that people compare first; all if there is none of these."""
    found = metrics(results, table)
    return [name for name in found if name in _FIRST] or found


def _filled(results: Results) -> list[str]:
    return [name for name in naming.MEASURED if results.tables.height(name)]
