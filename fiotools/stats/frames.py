"""Frames in, frames out, for pandas and polars alike; the metric, and other common arguments.

Plain lists of values are the same for both libraries; `columns` has those of many rows as arrays.
The answer has the same frame type as the question.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, TypeAlias

import narwhals as nw
import numpy as np
import polars as pl
from narwhals.typing import IntoDataFrameT
from numpy.typing import NDArray

from fiotools.errors import SchemaError, is_about_results, similar, typed
from fiotools.flags import columns_of
from fiotools.tables.columns import column as typed_column
from fiotools.tables.results import to_pandas
from fiotools.vocabulary import ANSWERS, COLUMNS, EVERY, Better, DType

Frame: TypeAlias = "nw.DataFrame[Any]"
Key: TypeAlias = tuple[Any, ...]
Array: TypeAlias = NDArray[np.float64]

AMOUNTS = {"iops": "total_ios", "bw_bytes_per_s": "io_bytes"}  # what each rate counts
LARGEST = 1e150  # beyond it squares are infinite; no measurement is
_SPEED_UNITS = ("1/s", "B/s", "s", "ns")
# before "_s" these make a rate: "bw_mb_s" is not a time
_PER_SECOND = {"per", "b", "kb", "mb", "gb", "kib", "mib", "gib", "ops", "ios", "files"}
_HINTS = {"LazyFrame": "; collect() it first"}


def opened(frame: IntoDataFrameT, columns: Iterable[str] = ()) -> nw.DataFrame[IntoDataFrameT]:
    """Take a pandas or polars frame that has rows, and these columns, or refuse."""
    try:
        data = nw.from_native(frame, eager_only=True)
    except TypeError:
        kind = type(frame).__name__
        hint = _HINTS.get(kind, "")
        raise SchemaError(f"a pandas or polars DataFrame is needed, not {kind}{hint}") from None
    except nw.exceptions.DuplicateError:
        raise SchemaError("the frame has several columns of one name: rename them") from None
    if len(data) == 0:
        raise SchemaError("the frame has no rows")
    for name, dtype in data.schema.items():
        if name in COLUMNS:
            _refuse_lists(data, name, dtype)
    need(data, columns)
    return data


def names(columns: str | Sequence[str] | None) -> tuple[str, ...]:
    """Take one name, several, or none."""
    if columns is None:
        return ()
    if not isinstance(columns, (str, Iterable)):
        raise SchemaError(f"{columns!r} is not a column name")
    return (columns,) if isinstance(columns, str) else tuple(columns)


def check_names(**arguments: Any) -> None:
    """Refuse arguments that are not the name of one column, or None."""
    for what, name in arguments.items():
        if not (name is None or isinstance(name, str)):
            raise SchemaError(f"{what} is {name!r}: it is the name of one column")


def need(frame: Frame, columns: Iterable[str]) -> None:
    """Refuse a frame that lacks a column, or has several values of it in a row."""
    for name in columns:
        if name not in frame.columns:
            hint = similar(name, frame.columns)
            raise SchemaError(f"the frame has no column {name!r}{hint}")
        _refuse_lists(frame, name, frame[name].dtype)


def _refuse_lists(frame: Frame, name: str, dtype: Any) -> None:
    if isinstance(dtype, (nw.List, nw.Array, nw.Struct, nw.Object)) and any(
        isinstance(value, (list, dict, set)) for value in frame[name].to_list()
    ):
        raise SchemaError(f"column {name!r} holds lists, and one value a row is needed")


def values(frame: Frame, name: str) -> list[Any]:
    """Give a column as plain values, missing ones (null, NA, NaN) as None."""
    series = frame[name]
    gone = series.is_null().to_list()
    # NaN is a value in polars, and the one value that differs from itself
    return [
        None if missing or value != value else value
        for value, missing in zip(series.to_list(), gone, strict=True)
    ]


def numbers(frame: Frame, name: str) -> list[float | None]:
    """Give a numeric column, or refuse."""
    need(frame, [name])
    return [None if value is None else float(value) for value in _numeric(frame, name)]


def amounts(frame: Frame, name: str) -> list[Any]:
    """Give a column of counts (whole ones stay whole) or times; all missing if there is none."""
    if name not in frame.columns:
        return [None] * len(frame)
    found = _numeric(frame, name)
    for row, value in enumerate(found):
        if value is not None and not 0 <= value <= LARGEST:
            raise SchemaError(
                f"{name} is {value:g} in row {row}: it cannot be below 0, or so large"
            )
    return [v if v is None or isinstance(v, int) else float(v) for v in found]


def _numeric(frame: Frame, name: str) -> list[Any]:
    """Give a column's values, or refuse; one without any value may be of any type."""
    found = values(frame, name)
    if not frame.schema[name].is_numeric() and any(value is not None for value in found):
        raise no_number(name, frame.schema[name])
    return found


def no_number(name: str, dtype: Any) -> SchemaError:
    """Build the error for a metric that is not a number."""
    return SchemaError(f"column {name!r} is {dtype}: a metric must be a number")


def optional(frame: Frame, name: str) -> list[Any]:
    """Give a column as plain values; all missing if the frame does not have it."""
    return values(frame, name) if name in frame.columns else [None] * len(frame)


def present(frame: Frame, wanted: Iterable[str]) -> list[str]:
    """Name those of the columns that the frame has, each once."""
    return [name for name in dict.fromkeys(wanted) if name in frame.columns]


def keys_of(frame: Frame, columns: Iterable[str]) -> list[Key]:
    """Give each row's values in some columns."""
    lists = [values(frame, name) for name in columns]
    return list(zip(*lists, strict=True)) if lists else [()] * len(frame)


def key_name(names: Sequence[str], key: Key) -> str:
    """Name the rows of a key for a message, without what is missing: "source a.json, run 1"."""
    pairs = zip(names, key, strict=True)
    return ", ".join(f"{name} {value}" for name, value in pairs if value is not None)


def rows_by(keys: Sequence[Key], rows: Iterable[int] | None = None) -> dict[Key, list[int]]:
    """Give the rows (or those of them) of each key, in order of first appearance."""
    found: dict[Key, list[int]] = {}
    for row in range(len(keys)) if rows is None else rows:
        found.setdefault(keys[row], []).append(row)
    return found


def groups(frame: Frame, columns: Iterable[str]) -> dict[Key, list[int]]:
    """Give the rows of each combination of values: numbers by size, others as they come."""
    keys = keys_of(frame, columns)
    found = rows_by(keys)
    places = [
        {value: place for place, value in enumerate(ordered(column))}
        for column in zip(*found, strict=True)
    ]
    at = {key: [own[value] for own, value in zip(places, key, strict=True)] for key in found}
    return {key: found[key] for key in sorted(found, key=at.__getitem__)}


def ordered(found: Iterable[Any]) -> list[Any]:
    """Give the values, each once: numbers by size, others in order of first appearance."""
    there = list(dict.fromkeys(found))
    known = [value for value in there if value is not None]
    if not all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in known):
        return there
    return sorted(known) + [None] * (len(there) > len(known))


def distinct(found: Iterable[Any]) -> list[Any]:
    """Give the known values, each once, in order of first appearance."""
    return [value for value in dict.fromkeys(found) if value is not None]


def columns(frame: Frame, wanted: Iterable[str]) -> dict[str, list[Any]]:
    """Give those of the columns that the frame has, as plain values."""
    return {name: values(frame, name) for name in present(frame, wanted)}


def differing(lists: Mapping[str, list[Any]], rows: Iterable[int] | None = None) -> list[str]:
    """Name the columns that are known to differ (among some rows); a gap is not a difference."""
    if rows is not None:
        own = list(rows)
        lists = {name: [column[row] for row in own] for name, column in lists.items()}
    return [name for name, column in lists.items() if len(distinct(column)) > 1]


def complete(frame: Frame, name: str) -> list[Any]:
    """Give a column as plain values, or refuse gaps."""
    found = values(frame, name)
    refuse_gaps(frame, name, found.count(None))
    return found


def refuse_gaps(frame: Frame, name: str, gaps: int) -> None:
    """Refuse a column in which values are missing."""
    if gaps:
        gone = f"{name!r} is missing in {gaps} of {len(frame)} rows"
        raise SchemaError(f"{gone}: {leave_out(frame, name)}")


def to_type(frame: Frame, column: str, value: Any, sign: str = "==") -> str:
    """Give the filter to type, in the words of the frame's own library, or of a shell."""
    if is_about_results():
        return f'.where("{column}{sign.removeprefix("=")}{value}")'
    condition = f'"{column} {sign} {value!r}"'
    if frame.implementation.is_pandas_like():
        return typed(f".query({condition})", f"--where {condition}")
    return typed(f'.filter(pl.col("{column}") {sign} {value!r})', f"--where {condition}")


def leave_out(frame: Frame, column: str) -> str:
    """Say how to leave out rows without a value, in the words of the frame's own library."""
    if is_about_results():
        drop = f'.where("{column}>=0")'
    elif frame.implementation.is_pandas_like():
        drop = typed(f".dropna(subset={column!r})", "--drop-missing")
    else:
        more = " (and drop_nans)" if frame.schema[column].is_numeric() else ""
        drop = typed(f".drop_nulls({column!r}){more}", "--drop-missing")
    return f"leave them out knowingly, {drop}"


AnswerRow: TypeAlias = dict[str, Any]  # one row of an answer


def answer(
    frame: nw.DataFrame[IntoDataFrameT],
    own: str | Collection[str],
    keep: Sequence[str] | Mapping[str, str],
    lines: Sequence[AnswerRow],
    **same: Any,
) -> IntoDataFrameT:
    """Build a frame of the same type: columns of the frame that was given, then own ones.

    `own` columns (a list, or the name of an answer) are typed by the vocabulary, or if it does not
    have them, by their values. The columns to `keep` (or a mapping of their new names to them) keep
    their type, even a date or a category. `lines` are the rows: ``row`` is that of the frame from
    which columns are kept (or a mapping of columns to rows); a column that a line does not have is
    missing, unless all have the `same`; its ``notes`` become its ``flags`` and ``details``.
    """
    own = ANSWERS[own] if isinstance(own, str) else own
    stray = set(same).union(*lines).difference(own, ("notes", "row"))
    if stray:
        raise SchemaError(f"the answer has no column {', '.join(sorted(stray))}")
    if "flags" in own:
        lines = [columns_of(line.get("notes", ())) | line for line in lines]
    columns = {name: _told(name, lines, same) for name in own}
    return beside(frame, keep, [line.get("row") for line in lines], columns)


def beside(
    frame: nw.DataFrame[IntoDataFrameT],
    keep: Sequence[str] | Mapping[str, str],
    places: Sequence[Any],
    columns: Mapping[str, list[Any]],
) -> IntoDataFrameT:
    """Put columns of an answer beside those of some rows of the frame, as `answer` does."""
    sources = keep if isinstance(keep, Mapping) else {name: name for name in keep}
    for name, source in sources.items():
        if name == source and name in columns:
            raise SchemaError(f"column {name!r} would hide the answer's own {name!r}: rename it")
    made = pl.DataFrame(
        _typed(name, values) for name, values in columns.items() if name not in sources
    )
    parts = []
    for name, source in sources.items():
        rows = [at.get(name) if isinstance(at, Mapping) else at for at in places]
        taken = nw.maybe_reset_index(frame[[row or 0 for row in rows], [source]])
        if None in rows:
            given = [row is not None for row in rows]
            is_given = nw.new_series("given", given, backend=frame.implementation)
            value = nw.when(nw.col("given")).then(nw.col(source)).alias(source)
            taken = taken.with_columns(is_given).select(value)
        parts.append(taken.rename({source: name}))
    native: Any = to_pandas(made) if frame.implementation.is_pandas_like() else made
    parts.append(nw.from_native(native, eager_only=True))
    built: nw.DataFrame[IntoDataFrameT] = nw.concat(parts, how="horizontal")
    return built.to_native()


def _told(name: str, lines: Sequence[AnswerRow], same: Mapping[str, Any]) -> list[Any]:
    """Give a column of the lines."""
    usual = same.get(name)
    return [line.get(name, usual) for line in lines]


def _typed(name: str, data: list[Any]) -> pl.Series:
    """Give a column the type of the vocabulary; a column carried along may have another."""
    if name not in EVERY:  # a label of the user's
        return pl.Series(name, data, dtype=None if distinct(data) else pl.String)
    dtype = EVERY[name].dtype
    plain = {*map(type, data)} <= _PLAIN.get(dtype, set())  # nearly always
    for value in () if plain else data:
        if value is not None and not _fits(value, dtype):
            raise SchemaError(f"column {name!r} holds {value!r}, which is not {dtype}")
    return typed_column(name, data, dtype)


# types of which each value fits; a whole number may be too large
_PLAIN: Mapping[DType, set[type]] = {
    "str": {str, type(None)},
    "boolean": {bool, type(None)},
    "float64": {float, int, type(None)},
}


def _fits(value: Any, dtype: DType) -> bool:
    if dtype == "Int64":
        return isinstance(value, (int, float)) and value % 1 == 0 and abs(value) < 2**63
    return isinstance(value, {"str": str, "boolean": bool}.get(dtype, (int, float)))


@dataclass(frozen=True)
class Metric:
    """One measure: `unit` is empty and `better` None if they are unknown."""

    name: str
    unit: str
    better: Better | None

    @property
    def sign(self) -> int:
        """+1 if higher is better or it is unknown, -1 if lower is."""
        return -1 if self.better == "lower" else 1

    @property
    def is_time(self) -> bool:
        """Whether it is how long something takes, not how far that spreads."""
        return self.better == "lower" and self.unit in ("s", "ns") and "stddev" not in self.name

    @property
    def is_amount(self) -> bool:
        """Whether it is known that it cannot be below 0."""
        return self.name in COLUMNS or self.unit in _SPEED_UNITS

    @property
    def words(self) -> tuple[str, str]:
        """The words for a gain and for a loss."""
        if self.better is None:
            return "higher", "lower"
        # a steadier run is better, not faster
        if self.unit in _SPEED_UNITS and "stddev" not in self.name:
            return "faster", "slower"
        return "better", "worse"


def metric_of(name: str) -> Metric:
    """Look a metric up in the vocabulary, else read its name: ``quantity[_statistic]_unit``."""
    if not isinstance(name, str):
        raise SchemaError(f"the metric is {name!r}: it is the name of one column")
    if name in COLUMNS:
        column = COLUMNS[name]
        return Metric(name, column.unit, column.better)
    words = name.lower().split("_")
    if words[-1] == "pct":
        return Metric(name, "%", None)
    # a steadier run is better in every unit
    more: Better = "lower" if "stddev" in words else "higher"
    if name.endswith(("bytes_per_s", "bytes_s")):
        return Metric(name, "B/s", more)
    if "iops" in words or (words[-1] == "s" and not _PER_SECOND.isdisjoint(words[-2:-1])):
        return Metric(name, "1/s", more)
    if name.endswith(("_ns", "_s")):
        return Metric(name, words[-1], "lower")
    return Metric(name, "", None)


def check_confidence(confidence: Any, above: float = 0) -> None:
    """Refuse a confidence that is not between a bound and 1."""
    if not (is_number(confidence) and above < confidence < 1):
        raise SchemaError(f"confidence is {confidence!r}: it lies between {above} and 1 (0.95)")


def is_number(value: Any) -> bool:
    """Say whether an argument can be compared with numbers at all."""
    return isinstance(value, Real)
