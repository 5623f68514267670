"""Which rows a question is about: the table that has the metric, and the filters asked for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from fiotools.cli import columns, options
from fiotools.cli.stream import Trouble, say
from fiotools.display.text import many
from fiotools.errors import SchemaError
from fiotools.vocabulary import COLUMNS, TABLES, describe

if TYPE_CHECKING:
    import pandas as pd

    from fiotools.results import Results

# where a metric is looked for, in this order
_MEASURED = ("io", "timings", "percentiles", "samples", "cpu", "disks", "bins", "jobs", "runs")
_FIRST = ("iops", "bw_bytes_per_s", "lat_mean_ns", "clat_mean_ns", "real_s")
_BESIDE = re.compile(r"_(min|max|stddev|agg|samples)$")


def main_table(results: Results) -> str:
    """Name the table that one wants to see first."""
    return next((name for name in _MEASURED if len(results.tables[name])), "runs")


def metrics(frame: pd.DataFrame) -> list[str]:
    """Name what a frame holds that is worth asking about; spreads and extremes go without saying.

    What matters most comes first.
    """
    found = [
        name
        for name in columns.of(frame)
        if name in COLUMNS
        and COLUMNS[name].better
        and not _BESIDE.search(columns.short(name))
        and bool(frame[name].notna().any())
    ]
    return sorted(found, key=lambda name: _FIRST.index(name) if name in _FIRST else len(_FIRST))


def refuse_other_tables(name: str) -> None:
    """Refuse a name that is no table's."""
    if name not in TABLES:
        raise Trouble(f"--table {name} is not one of {', '.join(TABLES)}", 2)


def asked(results: Results, metric: str | None, table: str | None) -> tuple[pd.DataFrame, str]:
    """Find the table that has the metric, and its full name; without one, say which there are."""
    if table is not None:
        refuse_other_tables(table)
    tables = [table] if table else [name for name in _MEASURED if len(results.tables[name])]
    frames = [results.tables[name] for name in tables]
    listed = ", ".join(columns.short(name) for frame in frames[:1] for name in metrics(frame))
    have = f"these files have {listed or 'no numbers'}"
    if metric is None:
        raise Trouble(f"say what to look at with --metric: {have}", 2)
    for frame in frames:
        name = columns.full(metric, frame)
        if name in frame and frame[name].notna().any():
            return frame, name
    if match := re.fullmatch(r"p(\d+(?:\.\d+)?)", metric):
        raise SchemaError(f"a percentile is --metric value --where percentile={match[1]}")
    describe(columns.full(metric, COLUMNS))  # refuses a name that nothing has
    raise SchemaError(f"there is no {metric}: {have}")


def kept(frame: pd.DataFrame, wanted: options.Rows) -> pd.DataFrame:
    """Filter the rows, and add them up."""
    frame = where(frame, wanted.where)
    if wanted.combine:
        if wanted.scope is not None:
            frame = of_scope(frame, wanted.scope)
        from fiotools.stats.combine import combine

        frame = combine(frame, to=wanted.combine)
    return frame


def where(frame: pd.DataFrame, conditions: list[str] | None) -> pd.DataFrame:
    """Keep the rows that fulfil all conditions."""
    if not conditions:
        return frame
    from fiotools.cli.where import fulfilling

    return fulfilling(frame, conditions)


def complete(frame: pd.DataFrame, wanted: options.Rows, *names: str | None) -> pd.DataFrame:
    """With --drop-missing, leave out the rows that lack one of the columns, and say how many."""
    for name in names if wanted.drop_missing else ():
        if name is None or name not in frame:
            continue
        gone = int(frame[name].isna().sum())
        frame = frame.dropna(subset=[name])
        if gone:
            say(f"left out {many(gone, 'row')} without {columns.short(name)}")
    return frame


def of_scope(frame: pd.DataFrame, scope: str) -> pd.DataFrame:
    """Keep the rows of one scope."""
    if "scope" not in frame:
        raise SchemaError("--scope: this table has no scopes")
    found = frame[frame["scope"].eq(scope)]
    if not len(found):
        there = ", ".join(frame["scope"].dropna().unique()) or "none"
        raise SchemaError(f"no row of scope {scope!r}; there are: {there}")
    return found


def one_scope(frame: pd.DataFrame, scope: str | None, named: list[str]) -> pd.DataFrame:
    """Keep one scope as the statistics do: the one asked for, else totals, and lose no run."""
    from fiotools.stats.frames import opened
    from fiotools.stats.runs import choose_scope

    return choose_scope(opened(frame), scope, named).to_native()


def value_of(frame: pd.DataFrame, column: str, text: str) -> Any:
    """Read a value in the type of its column: ``4k`` of bytes, ``8`` of numbers, else the text."""
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    from fiotools import units

    kind = frame[column].dtype
    if is_bool_dtype(kind):
        said = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
        if text.lower() in said:
            return said[text.lower()]
        raise SchemaError(f"{column} is true or false, not {text!r}")
    if not is_numeric_dtype(kind):
        return text
    try:
        return _number(text, COLUMNS[column].unit if column in COLUMNS else "", units)
    except ValueError:
        raise SchemaError(f"{column} holds numbers, not {text!r}") from None


def _number(text: str, unit: str, units: Any) -> int | float:
    if unit in ("B", "B/s"):
        found = units.size(text, kilo=1024 if unit == "B" else 1000)
    elif unit in ("s", "ns") and not _plain(text):
        found = units.seconds(text) * (1e9 if unit == "ns" else 1)
    else:
        found = float(text)
    return int(found) if found == found // 1 else found


def _plain(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
