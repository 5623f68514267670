"""Columns as people read and type them: names without the unit at their end, values with one.

In a table for people the unit stands beside each value, so that its heading is ``lat_mean`` and not
``lat_mean_ns``; and what a heading says can be typed wherever a column is named.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from fiotools import units
from fiotools.errors import SchemaError
from fiotools.vocabulary import COLUMNS, EVERY, describe

if TYPE_CHECKING:
    import polars as pl
    from narwhals.typing import IntoDataFrame

    from fiotools.tables.results import Results

_UNIT = re.compile(r"_(?:bytes_per_s|bytes|ns|s|pct)$")
# where a metric is looked for, in this order
_MEASURED = ("io", "timings", "percentiles", "samples", "cpu", "disks", "bins", "jobs", "runs")
_FIRST = ("iops", "bw_bytes_per_s", "lat_mean_ns", "clat_mean_ns", "real_s")
_BESIDE = re.compile(r"_(min|max|stddev|agg|samples)$")


def short(name: str) -> str:
    """Leave out the unit of a column of the vocabulary: it stands beside each value.

    Examples
    --------
    >>> short("bw_bytes_per_s"), short("lat_mean_ns"), short("iops"), short("round_s")
    ('bw', 'lat_mean', 'iops', 'round_s')
    """
    known = EVERY.get(name)
    return _UNIT.sub("", name) if known and known.unit else name


def full(name: str, columns: Iterable[Any]) -> str:
    """Return the full name of a column; an unknown name stays as it is.

    Examples
    --------
    >>> full("bw", ["iops", "bw_bytes_per_s"]), full("real", ["iops"])
    ('bw_bytes_per_s', 'real')
    """
    there = [str(column) for column in getattr(columns, "columns", columns)]
    if name in there:
        return name
    return next((column for column in there if short(column) == name), name)


def found(name: str, frame: IntoDataFrame, option: str) -> str:
    """Find the column that an option names, or suggest similar names."""
    column = full(name, of(frame))
    if column not in of(frame):
        near = get_close_matches(name, [*dict.fromkeys(map(short, of(frame)))])
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        raise SchemaError(f"{option}: there is no column {name!r}{hint}")
    return column


def of(frame: Any) -> list[str]:
    """Name the columns of a frame."""
    return [str(name) for name in frame.columns]


def split(given: Sequence[str] | None) -> list[str]:
    """Read names that were given one by one or with commas."""
    return [name.strip() for text in given or () for name in text.split(",") if name.strip()]


def value_of(frame: IntoDataFrame, column: str, text: str) -> Any:
    """Read a value in the type of its column: ``4k`` of bytes, ``8`` of numbers, else the text."""
    import narwhals as nw

    kind = nw.from_native(frame, eager_only=True).schema[column]
    if isinstance(kind, nw.Boolean):
        said = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
        if text.lower() in said:
            return said[text.lower()]
        raise SchemaError(f"{column} is true or false, not {text!r}")
    if not kind.is_numeric():
        return text
    try:
        return units.amount(text, COLUMNS[column].unit if column in COLUMNS else "")
    except ValueError:
        raise SchemaError(f"{column} holds numbers, not {text!r}") from None


def main_table(results: Results) -> str:
    """Name the most useful table."""
    return next(iter(_filled(results)), "runs")


def find_metric(results: Results, metric: str, table: str | None = None) -> tuple[str, str]:
    """Name the table that has a metric, and the metric in full.

    Raises
    ------
    SchemaError
        If nothing has it: the message says what there is.
    """
    for name in [table] if table else _filled(results):
        frame = results.tables.polars(name)
        column = full(metric, frame.columns)
        if column in frame.columns and frame[column].null_count() < frame.height:
            return name, column
    describe(full(metric, COLUMNS))  # refuses a name that nothing has
    raise SchemaError(f"there is no {metric}: these files have {measured(results, table)}")


def measured(results: Results, table: str | None = None) -> str:
    """List the metrics of a table, by default the main one, the most important first."""
    frame = results.tables.polars(table or main_table(results))
    return ", ".join(map(short, _worth_asking(frame))) or "no numbers"


def _worth_asking(frame: pl.DataFrame) -> list[str]:
    """Name the metrics of a frame, without their spreads and extremes.

    What matters most comes first.
    """
    found = [
        name
        for name in of(frame)
        if name in COLUMNS
        and COLUMNS[name].better
        and not _BESIDE.search(short(name))
        and frame[name].null_count() < frame.height
    ]
    return sorted(found, key=lambda name: _FIRST.index(name) if name in _FIRST else len(_FIRST))


def _filled(results: Results) -> list[str]:
    return [name for name in _MEASURED if results.tables.height(name)]
