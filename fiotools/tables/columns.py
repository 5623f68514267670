"""Columns in the types of the vocabulary: in polars, and at the border to pandas.

No code before this border uses pandas, and polars frames do not wait for its import.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from types import NoneType
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from fiotools.vocabulary import COLUMNS

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from fiotools.vocabulary import DType

POLARS: Mapping[DType, pl.DataType] = {
    "Int64": pl.Int64(),
    "float64": pl.Float64(),
    "boolean": pl.Boolean(),
    "str": pl.String(),
    "datetime": pl.Datetime("ms", "UTC"),
}
# the types of values that polars takes as they are
_PLAIN: Mapping[DType, set[type]] = {
    "Int64": {int, NoneType},
    "float64": {int, float, NoneType},
    "boolean": {bool, NoneType},
    "str": {str, NoneType},
    "datetime": {NoneType},
}
_EPOCH, _MILLISECOND = datetime(1970, 1, 1, tzinfo=UTC), timedelta(milliseconds=1)
_NUMPY: Mapping[DType, Any] = {"Int64": np.int64, "float64": np.float64, "boolean": np.bool_}
_LONG = 50_000  # rows: with so many it pays to keep equal texts once
_STRETCH, _PIECE = 100, 1 << 10  # consecutive rows of a text, and rows of the array that holds it


def column(name: str, given: Any, dtype: DType | None = None) -> pl.Series:
    """Type the values of a column.

    Parameters
    ----------
    name : str
    given : sequence, numpy.ndarray or polars.Series
        An array has all its values (nan is missing in float64). Repeated texts may be an Enum or
        a Categorical, and stay so. A time is a datetime, or ms since 1970.
    dtype : str, optional
        The vocabulary's type by default.

    Examples
    --------
    >>> column("run", [3, None]).to_list()
    [3, None]
    """
    dtype = COLUMNS[name].dtype if dtype is None else dtype
    kind = POLARS[dtype]
    if isinstance(given, pl.Series):
        made = given.alias(name)
        if made.dtype != kind and not (dtype == "str" and made.dtype in (pl.Enum, pl.Categorical)):
            made = made.cast(kind)
        return made.fill_nan(None) if dtype == "float64" else made
    if dtype == "float64":
        return pl.Series(name, np.asarray(given, dtype=np.float64), nan_to_null=True)
    if isinstance(given, np.ndarray) and given.dtype != object and dtype in _NUMPY:
        return pl.Series(name, given.astype(_NUMPY[dtype], copy=False))
    return _of_list(name, given.tolist() if hasattr(given, "tolist") else given, dtype)


def _of_list(name: str, values: Sequence[Any], dtype: DType) -> pl.Series:
    if dtype == "datetime":
        found = [None if value is None else _milliseconds(value) for value in values]
        return pl.Series(name, found, dtype=pl.Int64()).cast(POLARS["datetime"])
    try:
        return pl.Series(name, values, dtype=POLARS[dtype])
    except TypeError:
        if dtype != "Int64":
            raise
    whole = [None if value is None or value != value else int(value) for value in values]
    if any(one is not None and one != value for one, value in zip(whole, values, strict=True)):
        raise TypeError(f"{name}: not all of these are whole numbers")
    return pl.Series(name, whole, dtype=POLARS[dtype])


def few_rows(
    columns: Mapping[str, Sequence[Any]], types: Mapping[str, pl.DataType] | None = None
) -> pl.DataFrame:
    """Type the columns of a few rows, as `column` does; those without any value are left out.

    polars needs longer for one column than for all values of so few rows. It takes rows of plain
    values at once, but would cut off 1.5 for a whole number without a word: other values go column
    by column.

    Parameters
    ----------
    columns : mapping of str to sequence
    types : mapping of str to polars.DataType, optional
        The types of columns that are not in the vocabulary; they have all their values.

    Examples
    --------
    >>> few_rows({"run": [1, None], "host": [None, None]}).rows()
    [(1,), (None,)]
    """
    schema = dict(types or {})
    others: list[pl.Series] = []
    plain = {name: columns[name] for name in schema}
    for name, values in columns.items():
        if name in plain:
            continue
        dtype = COLUMNS[name].dtype
        if dtype == "float64":
            values = [None if value != value else value for value in values]
        kinds = set(map(type, values))
        if kinds <= _PLAIN[dtype]:
            if kinds != {NoneType}:
                plain[name], schema[name] = values, POLARS[dtype]
        else:
            others.append(column(name, values))
    rows = [dict(zip(plain, row, strict=True)) for row in zip(*plain.values(), strict=True)]
    return pl.from_dicts(rows, schema=schema).hstack(others) if rows else pl.DataFrame(others)


def _milliseconds(moment: datetime | int) -> int:
    if isinstance(moment, int):
        return moment
    return (moment.replace(tzinfo=moment.tzinfo or UTC) - _EPOCH) // _MILLISECOND


def label_column(name: str, values: list[Any]) -> pl.Series:
    """Type a label: whole numbers if all are, text otherwise."""
    if all(isinstance(value, int) or value is None for value in values):
        return column(name, values, "Int64")
    return column(name, [None if value is None else str(value) for value in values], "str")


def nothing(dtype: DType, size: int) -> pl.Series:
    """Make a column without values."""
    return pl.Series([None], dtype=POLARS[dtype]).new_from_index(0, size)


def get(frame: pl.DataFrame, name: str) -> pl.Series:
    """Return a column of a frame; an empty one if the frame does not have it."""
    if name in frame.columns:
        return frame[name]
    return nothing(COLUMNS[name].dtype, frame.height).alias(name)


def floats(frame: pl.DataFrame, name: str) -> NDArray[np.float64]:
    """Return the numbers of a column; nan for missing ones."""
    if name not in frame.columns:
        return np.full(frame.height, np.nan)
    values = frame[name]
    if values.dtype != pl.Float64:
        values = values.cast(pl.Float64())
    return values.to_numpy()  # which writes nan for null


# --- pandas -----------------------------------------------------------------------------------


def array(values: pl.Series) -> Any:
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
    if not (values.dtype == pl.Boolean or values.dtype.is_integer()):  # a column of the user's own
        return pd.array(values.to_list(), dtype=object)
    if values.null_count():
        values = values.fill_null(False if values.dtype == pl.Boolean else 0)
    kind = pd.arrays.BooleanArray if values.dtype == pl.Boolean else pd.arrays.IntegerArray
    return kind(values.to_numpy(writable=True), missing)


def coded(values: pl.Series) -> pl.Series:
    """Encode texts as numbers, before they are repeated in many rows."""
    if values.dtype == pl.Enum:
        return values
    return values.cast(pl.Enum(values.drop_nulls().unique(maintain_order=True)))


def _texts(values: pl.Series) -> Any:
    """Make a column of texts.

    Arrow copies a text for each row: the path of a file ten million times. But a column may have
    chunks, and the chunks may be slices of one array that repeats the text often enough.
    """
    import pandas as pd

    kind: Any = pd.StringDtype(na_value=np.nan)
    if kind.storage != "pyarrow":
        enum = coded(values)
        kinds: Any = enum.dtype
        words = kinds.categories
        places = enum.to_physical().cast(pl.UInt32()).fill_null(len(words)).to_numpy()
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


def of_pandas(frame: pd.DataFrame) -> pl.DataFrame:
    """Make a polars frame of a pandas frame, which may have columns of the user's own.

    polars converts pandas' nullable types only through pyarrow, which the core does not need.
    """
    return pl.DataFrame([_series(values) for _, values in frame.items()])


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
