"""The metrics of a `Results`: which table has one, and which there are."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fiotools.errors import SchemaError, typed
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
        column = naming.of_metric(metric, frame.columns)
        if column not in frame.columns or not (table or frame[column].dtype.is_numeric()):
            continue  # "latency" is a text of percentiles, and what people call lat_mean
        if frame[column].null_count() < frame.height:
            return name, column
    describe(naming.of_metric(metric, COLUMNS))  # refuses a name that nothing has
    raise SchemaError(f"there is no {metric}: these files have {measured(results, table)}")


def measured(results: Results, table: str | None = None) -> str:
    """List the metrics of a table, by default the main one, the most important first."""
    found = [*map(naming.short, metrics(results, table))]
    if table is None and (results.tables.height("percentiles")):
        found += ["p99"] if 99.0 in results.tables.polars("percentiles")["percentile"] else []
    return ", ".join(found) or of_logs(results) or "no numbers"


def of_logs(results: Results) -> str:
    """Say of logs of single I/Os what makes percentiles of them; nothing of other files."""
    if not results.tables.height("samples"):
        return ""
    quantities = results.tables.polars("samples")["quantity"].unique()
    if not any(str(one).endswith("lat_ns") for one in quantities):
        return ""
    windows = typed("window(log, '1s', bins=True)", "fiotools window LOG --every 1s --bins")
    return f"logs of I/Os: make windows of them first, {windows}"


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
