"""Windows for every kind of frame: lazily where it is lazy, and else in the caller's kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import isfinite
from typing import Any

import narwhals as nw
import polars as pl

from fiotools import units
from fiotools.errors import SchemaError
from fiotools.stats.frames import answer, names, need, opened, values
from fiotools.stats.window_sums import DIRECTIONS, PARTS, Plan, kept_as, parts_of
from fiotools.vocabulary import COLUMNS, KEYS, DType
from fiotools.vocabulary_stats import STATISTICS

_LOG = ("source", "run", "entry", "job")  # by default each log has windows of its own
_SAMPLES = ("quantity", "time_s", "value", "bs_bytes")
_BINS = ("latency", "time_s", "bin_lo_ns", "bin_hi_ns", "count")
_DTYPES: dict[DType, pl.DataType] = {
    "Int64": pl.Int64(),
    "float64": pl.Float64(),
    "boolean": pl.Boolean(),
    "str": pl.String(),
}


def answered(
    frame: Any,
    every: str | float,
    by: str | Sequence[str] | None,
    shown: Sequence[str],
    finish: Callable[[pl.DataFrame, Plan], pl.DataFrame],
    *,
    bins: bool,
) -> Any:
    """Sum up batches, finish what they come to, and answer in the caller's kind."""
    if isinstance(frame, pl.LazyFrame):
        return _lazily(frame, every, by, shown, finish, bins=bins)
    if isinstance(frame, pl.DataFrame):
        opened(frame)  # refuses what has no rows
        return _lazily(frame.lazy(), every, by, shown, finish, bins=bins).collect()
    data = opened(frame)
    lazy = pl.LazyFrame([_series(name, values(data, name)) for name in data.columns])
    found = _lazily(lazy, every, by, shown, finish, bins=bins).collect()
    columns = {
        series.name: (_dtype(series.dtype), series.to_list()) for series in found.iter_columns()
    }
    return answer(data, {}, columns)


def _series(name: str, given: list[Any]) -> pl.Series:
    column = COLUMNS.get(name)
    return pl.Series(name, given, dtype=_DTYPES.get(column.dtype) if column else None)


def _dtype(dtype: pl.DataType) -> DType:
    if dtype.is_integer():
        return "Int64"
    if dtype.is_float():
        return "float64"
    return "boolean" if dtype == pl.Boolean else "str"


def _lazily(
    frame: pl.LazyFrame,
    every: str | float,
    by: str | Sequence[str] | None,
    shown: Sequence[str],
    finish: Callable[[pl.DataFrame, Plan], pl.DataFrame],
    *,
    bins: bool,
) -> pl.LazyFrame:
    given = frame.collect_schema()
    of_bins = "bin_lo_ns" in given
    plan = _plan(given, every, by, bins=bins, of_bins=of_bins)
    needed = [
        name
        for name in (*plan.keys, "direction", *(_BINS if of_bins else _SAMPLES))
        if name in given
    ]
    sums = {**{name: kept_as(given[name]) for name in plan.keys}, **PARTS}
    cells = [*plan.keys, "way", "at", "end", "bin_lo_ns", "bin_hi_ns"]
    parts = (
        frame.select(list(dict.fromkeys(needed)))
        .map_batches(partial(parts_of, plan=plan), schema=sums, streamable=True)
        .group_by(cells)
        .agg(pl.col("n", "total", "bytes").sum(), pl.col("first").min(), pl.col("last").max())
    )
    own = [name for name in plan.by if name != plan.what]
    apart = {name: given[name] for name in own}
    if "direction" in given:
        apart["direction"] = given["direction"]
    what = "latency" if shown[-1] == "count" else plan.what
    apart[what] = given[what] if what in given else pl.String()
    types = {name: _DTYPES[{**COLUMNS, **STATISTICS}[name].dtype] for name in shown}
    schema = {**apart, "time_s": pl.Float64(), **types}

    def finished(parts: pl.DataFrame) -> pl.DataFrame:
        if parts.is_empty():
            return pl.DataFrame(schema=schema)
        words = dict(enumerate(DIRECTIONS))
        found = finish(parts, plan).with_columns(
            pl.col("way")
            .replace_strict(words, default=None, return_dtype=pl.String)
            .alias("direction"),
            ((pl.col("at") + 1) * plan.seconds).round(9).alias("time_s"),
        )
        return found.select(pl.col(name).cast(dtype) for name, dtype in schema.items())

    return parts.map_batches(finished, schema=schema)


def _plan(
    given: pl.Schema,
    every: str | float,
    by: str | Sequence[str] | None,
    *,
    bins: bool,
    of_bins: bool,
) -> Plan:
    """Check what is asked for."""
    what = "latency" if of_bins else "quantity"
    asked = [] if by is None else [name for name in names(by) if name not in ("direction", what)]
    form = nw.from_native(pl.DataFrame(schema=given))
    need(form, ["time_s", *(_BINS if of_bins else ("quantity", "value")), *asked])
    labels = [
        name
        for name, dtype in given.items()
        if name not in COLUMNS and name not in STATISTICS and not dtype.is_float()
    ]
    keys = [*labels, *(name for name in KEYS if name in given and name != "direction"), what]
    apart = asked if by is not None else [*labels, *(name for name in _LOG if name in given)]
    apart.append(what)
    return Plan(_seconds(every), tuple(dict.fromkeys([*apart, *keys])), tuple(apart), bins, of_bins)


def _seconds(every: str | float) -> float:
    """Read the length of a window."""
    try:
        seconds = units.seconds(every) if isinstance(every, str) else float(every)
    except (TypeError, ValueError):
        seconds = 0.0
    if not (isfinite(seconds) and seconds > 0):
        raise SchemaError(f"every={every!r} is no length of time: '1s', '100ms', 0.5")
    return seconds
