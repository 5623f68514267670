"""The frames that people get: pandas frames, each made on first use; or polars frames.

No code before this border uses pandas, and polars frames do not wait for its import.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from fiotools.tables.columns import POLARS, column
from fiotools.tables.parts import FILE, Part, height, lists, sizes_of
from fiotools.vocabulary import COLUMNS, TABLES

if TYPE_CHECKING:
    import pandas as pd

    from fiotools.vocabulary import DType

_LONG = 50_000  # rows: with so many it pays to keep equal values once
_STRETCH, _PIECE = (
    100,
    1 << 10,
)  # consecutive rows of a text, and the rows of the array that holds it


class Frames(Mapping[str, "pd.DataFrame"]):
    """Tables as pandas frames, made on first use, and kept: users may change them.

    Labels are the first columns; every column has its type. A label named like a condition has
    filled that condition's gaps instead.

    Parameters
    ----------
    part : Part, optional
    made : mapping of str to pandas.DataFrame, optional
        Tables that are pandas frames already.
    """

    def __init__(
        self, part: Part | None = None, made: Mapping[str, pd.DataFrame] | None = None
    ) -> None:
        self._part = Part([], {}) if part is None else part
        self._made = dict(made or {})
        self._names = (*self._part.tables, *self._made)

    def __getitem__(self, table: str) -> pd.DataFrame:
        if table not in self._made:
            rows = self._part.tables.pop(table)
            self._made[table] = to_pandas(rows, table, self._labels)
        return self._made[table]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, table: object) -> bool:
        return table in self._names

    def height(self, table: str) -> int:
        """Count the rows of a table."""
        made = self._made.get(table)
        return height(self._part.tables[table]) if made is None else len(made)

    def polars(self, table: str) -> pl.DataFrame:
        """Return a table as a polars frame, with the changes that a user made in pandas."""
        if table in self._made:
            return of_pandas(self._made[table])
        rows = self._part.tables[table]
        if FILE in rows.columns:
            rows = self._part.tables[table] = _polars(table, rows, self._labels)
        return rows.clone()

    @cached_property
    def _labels(self) -> list[pl.Series]:
        """The labels of files, and their names."""
        labels = dict.fromkeys(name for _, named in self._part.files for name in named)
        found = [
            of_files(name, [named.get(name) for _, named in self._part.files]) for name in labels
        ]
        return [*found, column("source", [source for source, _ in self._part.files])]


def of_files(name: str, values: list[Any]) -> pl.Series:
    """Type a label: whole numbers if all are, text otherwise."""
    if all(isinstance(value, int) or value is None for value in values):
        return column(name, values, "Int64")
    return column(name, [None if value is None else str(value) for value in values], "str")


def _columns(
    table: str, rows: pl.DataFrame, of_files: Sequence[pl.Series]
) -> Iterator[tuple[str, pl.Series | None]]:
    """Yield the columns of a table in order, row by row; None for a column without values."""
    if FILE not in rows.columns:  # whole tables that were put together
        for name in rows.columns:
            lacks = name in COLUMNS and rows[name].null_count() == rows.height
            yield name, None if lacks else rows[name]
        return
    labels = {one.name: one for one in of_files if one.name not in TABLES[table]}
    source, sizes = of_files[-1], sizes_of(rows)
    own, there, file = lists(rows), {*rows.columns}, rows[FILE]
    stretch = None
    if sizes is not None:
        stretch = pl.Series(np.arange(len(sizes), dtype=np.uint32).repeat(sizes))
    for name in (*labels, *TABLES[table]):
        if name in own:
            yield name, rows[name].explode()
        elif name in labels or name == source.name or name in there:
            values = rows[name] if name in there else labels.get(name, source)[file]
            if stretch is not None:
                values = (_coded(values) if values.dtype == pl.String else values)[stretch]
            yield name, values
        else:
            yield name, None


def _coded(values: pl.Series) -> pl.Series:
    """Encode texts as numbers, before they are repeated in many rows."""
    if values.dtype == pl.Enum:
        return values
    return values.cast(pl.Enum(values.drop_nulls().unique(maintain_order=True)))


def _polars(table: str, rows: pl.DataFrame, of_files: Sequence[pl.Series]) -> pl.DataFrame:
    size = height(rows)
    none = cache(lambda dtype: pl.Series([None], dtype=POLARS[dtype]).new_from_index(0, size))
    made = []
    for name, values in _columns(table, rows, of_files):
        whole = none(COLUMNS[name].dtype) if values is None else values
        is_coded = whole.dtype in (pl.Enum, pl.Categorical)
        made.append((whole.cast(pl.String()) if is_coded else whole).alias(name))
    return pl.DataFrame(made)


def to_pandas(
    rows: pl.DataFrame, table: str = "", of_files: Sequence[pl.Series] = ()
) -> pd.DataFrame:
    """Make a pandas frame: from a whole frame, or from the rows of a table and labels of files.

    Columns are moved out of ``rows``, so that the table is never in memory twice.
    """
    import pandas as pd

    size = height(rows)
    if not size and len(of_files) == 1:
        return _empty(table).copy(deep=False)  # it has no values to change
    none: Callable[[DType], Any] = partial(_none, size=size)
    if size > _LONG:
        # such columns share memory until one of them is changed: pandas tracks that for a series
        none = cache(lambda dtype: pd.Series(_none(dtype, size), copy=False))
    data: dict[str, Any] = {}
    for name, values in _columns(table, rows, of_files):
        data[name] = none(COLUMNS[name].dtype) if values is None else _array(values)
        if values is not None and name in rows.columns:
            rows.drop_in_place(name)
    return pd.DataFrame(data, copy=False)


def _none(dtype: DType, size: int) -> Any:
    """Make a column without values."""
    if size <= _LONG:
        return _nothing(dtype).repeat(size)
    return _array(pl.Series([None], dtype=POLARS[dtype]).new_from_index(0, size))


@cache
def _nothing(dtype: DType) -> Any:
    return _array(pl.Series([None], dtype=POLARS[dtype]))


@cache
def _empty(table: str) -> pd.DataFrame:
    """Build a table without rows, once: most files leave most tables empty."""
    import pandas as pd

    return pd.DataFrame({name: _none(COLUMNS[name].dtype, 0) for name in TABLES[table]})


def _array(values: pl.Series) -> Any:
    """Make a pandas column.

    pyarrow is not needed; pandas keeps texts in its arrays if it is installed.
    """
    import pandas as pd

    if values.dtype in (pl.String, pl.Enum, pl.Categorical):
        return _texts(values)
    if values.dtype.is_float():
        return values.to_numpy(writable=True)
    # a column without gaps needs no second look
    missing = np.zeros(len(values), dtype=bool)
    if values.null_count():
        missing = values.is_null().to_numpy(writable=True)
    if values.dtype == POLARS["datetime"]:
        dates = np.where(missing, np.datetime64("NaT", "ms"), values.to_numpy())
        return pd.array(dates, dtype=pd.DatetimeTZDtype("ms", "UTC"))
    if values.null_count():
        values = values.fill_null(False if values.dtype == pl.Boolean else 0)
    if values.dtype == pl.Boolean:
        return pd.arrays.BooleanArray(values.to_numpy(writable=True), missing)
    if not values.dtype.is_integer():  # a column of the user's own
        return pd.array(values.to_list(), dtype=object)
    return pd.arrays.IntegerArray(values.to_numpy(writable=True), missing)


def _texts(values: pl.Series) -> Any:
    """Make a column of texts.

    Arrow copies a text for each row: the path of a file ten million times. But a column may have
    chunks, and the chunks may be slices of one array that repeats the text often enough.
    """
    import pandas as pd

    kind: Any = pd.StringDtype(na_value=np.nan)
    if kind.storage != "pyarrow":
        coded = _coded(values)
        enum: Any = coded.dtype
        words = enum.categories
        places = coded.to_physical().cast(pl.UInt32()).fill_null(len(words)).to_numpy()
        return pd.array(np.array([*words, None], dtype=object).take(places), dtype=kind)
    import pyarrow as pa

    runs = values.rle().struct.unnest() if len(values) > _LONG else None
    if runs is None or len(values) <= _STRETCH * runs.height:
        return kind.construct_array_type()(values.cast(pl.String()).to_arrow(), dtype=kind)
    text_type = pa.large_string()
    longest = runs.group_by("value").agg(pl.col("len").max().clip(upper_bound=_PIECE))
    written = {text: pa.repeat(pa.scalar(text, text_type), size) for text, size in longest.rows()}
    parts = []
    for size, text in runs.rows():
        whole, rest = divmod(size, _PIECE)
        parts += [written[text]] * whole
        if rest:
            parts.append(written[text].slice(0, rest))
    return kind.construct_array_type()(pa.chunked_array(parts), dtype=kind)


# --- polars frames of pandas frames -----------------------------------------------------------


def of_pandas(frame: pd.DataFrame) -> pl.DataFrame:
    """Make a polars frame of a pandas frame, which may have columns of the user's own.

    polars converts pandas' nullable types only through pyarrow, which the core does not need.
    """
    return pl.DataFrame([_series(frame[name]) for name in frame.columns])


def _series(values: pd.Series[Any]) -> pl.Series:
    """Make a polars column of a pandas one, with null for missing values."""
    import pandas as pd

    name, kind = str(values.name), str(values.dtype)
    missing = values.isna().to_numpy()
    plain: Any = getattr(values.dtype, "numpy_dtype", values.dtype)
    if kind == "str":
        places, words = pd.factorize(values)
        every = pl.Series(name, [*words, None], dtype=pl.String())
        return every.gather(np.where(missing, len(words), places))
    if kind.startswith("datetime"):
        unit = values.dt.unit
        moments = pl.Series(name, values.to_numpy(dtype=f"M8[{'ms' if unit == 's' else unit}]"))
        return moments if values.dt.tz is None else moments.dt.replace_time_zone("UTC")
    if not isinstance(plain, np.dtype) or plain.kind not in "iufb":  # a column of the user's own
        there = zip(values.tolist(), missing, strict=True)
        return pl.Series(name, [None if gone else value for value, gone in there], strict=False)
    numbers = values.to_numpy(dtype=plain, na_value=plain.type(0))
    series = pl.Series(name, numbers)
    if missing.any():
        series = series.set(pl.Series(missing), None)
    return series
