"""Columns of polars in the types of the vocabulary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from types import NoneType
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from fiotools.vocabulary import COLUMNS

if TYPE_CHECKING:
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


def column(name: str, given: Any, dtype: DType | None = None) -> pl.Series:
    """Type the values of a column.

    Parameters
    ----------
    name : str
    given : sequence, numpy.ndarray or polars.Series
        An array has all its values (nan is missing in float64). Repeated texts may be an Enum or
        a Categorical, and stay so.
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
        moments = [None if value is None else _milliseconds(value) for value in values]
        return pl.Series(name, moments, dtype=pl.Int64()).cast(POLARS[dtype])
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


def _milliseconds(moment: datetime) -> int:
    return (moment.replace(tzinfo=moment.tzinfo or UTC) - _EPOCH) // _MILLISECOND


def nothing(name: str, size: int) -> pl.Series:
    """Make a column without values."""
    return pl.Series(name, [None], dtype=POLARS[COLUMNS[name].dtype]).new_from_index(0, size)


def get(frame: pl.DataFrame, name: str) -> pl.Series:
    """Return a column of a frame; an empty one if the frame does not have it."""
    return frame[name] if name in frame.columns else nothing(name, frame.height)


def floats(frame: pl.DataFrame, name: str) -> NDArray[np.float64]:
    """Return the numbers of a column; nan for missing ones."""
    if name not in frame.columns:
        return np.full(frame.height, np.nan)
    values = frame[name]
    if values.dtype != pl.Float64:
        values = values.cast(pl.Float64())
    return values.to_numpy()  # which writes nan for null
