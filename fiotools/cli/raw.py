"""Frames for machines: every column, base units, every digit; missing is empty, or null."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from typing import IO, TYPE_CHECKING, Any

from fiotools.spreadsheet import guarded
from fiotools.vocabulary import COLUMNS, STATISTICS

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

_TIME = "%Y-%m-%dT%H:%M:%S%.3fZ"


def to_polars(frame: pd.DataFrame) -> pl.DataFrame:
    """Give a frame of the vocabulary as polars, without pyarrow."""
    import polars as pl

    types: Mapping[str, Any] = {
        "Int64": pl.Int64(),
        "float64": pl.Float64(),
        "boolean": pl.Boolean(),
        "str": pl.String(),
        "datetime": pl.Datetime("ms", "UTC"),
    }
    made = []
    for name in frame.columns:
        column = frame[name]
        values = [
            None if missing else value
            for value, missing in zip(column.tolist(), column.isna(), strict=True)
        ]
        kind = str(column.dtype)
        known = COLUMNS.get(name) or STATISTICS.get(name)
        if kind not in types and known:
            kind = known.dtype
        kind = {"int64": "Int64", "bool": "boolean"}.get(kind, kind)
        if kind == "str" or kind not in types:
            # a name of a file need not be text in any encoding
            kind = "str"
            values = [value if value is None else _text(value) for value in values]
        made.append(pl.Series(name, values, dtype=types[kind]))
    return pl.DataFrame(made)


def _text(value: object) -> str:
    """Take back what Python escaped in the name of a file that is no text in the locale."""
    text = str(value)
    try:
        told = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # not Python's: Windows takes half a letter in a name
        told = text.encode("utf-8", "surrogatepass")
    return told.decode("utf-8", "replace")


def write_parquet(frame: pd.DataFrame, file: IO[bytes]) -> None:
    """Write Parquet, as polars does."""
    to_polars(frame).write_parquet(file)


def write_csv(frame: pd.DataFrame, file: IO[bytes]) -> None:
    """Write CSV with a heading, which a spreadsheet may open."""
    to_polars(guarded(frame)).write_csv(file, datetime_format=_TIME)


def write_json(frame: pd.DataFrame, file: IO[bytes]) -> None:
    """Write a list of objects, one on each line."""
    import orjson

    option = orjson.OPT_UTC_Z | orjson.OPT_NAIVE_UTC
    file.write(b"[")
    for at, row in enumerate(to_polars(frame).iter_rows(named=True)):
        file.write((b",\n" if at else b"\n") + orjson.dumps(row, option=option))
    file.write(b"\n]\n")


WRITERS: Mapping[str, Callable[[Any, IO[bytes]], None]] = {
    "parquet": write_parquet,
    "csv": write_csv,
    "json": write_json,
}


def content(frame: pd.DataFrame, form: str) -> bytes:
    """Give a frame as Parquet, CSV or JSON; texts are UTF-8, whatever the terminal has."""
    buffer = io.BytesIO()
    WRITERS[form](frame, buffer)
    return buffer.getvalue()
