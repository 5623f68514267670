"""Which rows a question is about: the table that has the metric, and the filters asked for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fiotools.cli import options
from fiotools.cli.output import Trouble, say
from fiotools.display import columns
from fiotools.errors import SchemaError
from fiotools.plain_text import many
from fiotools.vocabulary import TABLES

if TYPE_CHECKING:
    import polars as pl

    from fiotools.tables.results import Results


def refuse_other_tables(name: str) -> None:
    """Refuse a name that is no table's."""
    if name not in TABLES:
        raise Trouble(f"--table {name} is not one of {', '.join(TABLES)}", 2)


def asked(results: Results, metric: str | None, table: str | None) -> tuple[pl.DataFrame, str]:
    """Find the table that has the metric, and its full name; without one, say which there are."""
    if table is not None:
        refuse_other_tables(table)
    if metric is None:
        have = columns.measured(results, table)
        raise Trouble(f"say what to look at with --metric: these files have {have}", 2)
    try:
        name, column = columns.find_metric(results, metric, table)
    except SchemaError:
        if (match := re.fullmatch(r"p(\d+(?:\.\d+)?)", metric)) and table in (None, "percentiles"):
            return _percentile(results, float(match[1]))
        raise
    return results.tables.polars(name), column


def _percentile(results: Results, share: float) -> tuple[pl.DataFrame, str]:
    """Give one percentile of each row as a column of its own."""
    frame = results.tables.polars("percentiles")
    there = frame["percentile"].unique().drop_nulls().sort()
    if share not in there:
        known = ", ".join(f"p{one:g}" for one in there) or "none"
        raise SchemaError(f"there is no p{share:g} in these files; there are: {known}")
    name = f"p{share:g}_ns"
    return frame.filter(frame["percentile"] == share).rename({"value_ns": name}), name


def kept(frame: pl.DataFrame, wanted: options.Rows) -> pl.DataFrame:
    """Filter the rows, and add them up."""
    frame = where(frame, wanted.where)
    if wanted.combine:
        if wanted.scope is not None:
            frame = of_scope(frame, wanted.scope)
        from fiotools.stats.combine import combine

        frame = combine(frame, to=wanted.combine)
    return frame


def where(frame: pl.DataFrame, conditions: list[str] | None) -> pl.DataFrame:
    """Keep the rows that fulfil all conditions."""
    if not conditions:
        return frame
    from fiotools.cli.where import fulfilling

    return fulfilling(frame, conditions)


def complete(frame: pl.DataFrame, wanted: options.Rows, *names: str | None) -> pl.DataFrame:
    """With --drop-missing, leave out the rows that lack one of the columns, and say how many."""
    for name in names if wanted.drop_missing else ():
        if name is None or name not in frame:
            continue
        gone = frame[name].null_count()
        frame = frame.drop_nulls(name)
        if gone:
            say(f"left out {many(gone, 'row')} without {columns.short(name)}")
    return frame


def of_scope(frame: pl.DataFrame, scope: str) -> pl.DataFrame:
    """Keep the rows of one scope."""
    if "scope" not in frame:
        raise SchemaError("--scope: this table has no scopes")
    found = frame.filter(frame["scope"] == scope)
    if not len(found):
        there = ", ".join(frame["scope"].drop_nulls().unique(maintain_order=True)) or "none"
        raise SchemaError(f"no row of scope {scope!r}; there are: {there}")
    return found
