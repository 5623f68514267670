"""Frames for machines: every column, base units, every digit; missing is empty, or null."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from typing import IO, TYPE_CHECKING, Any

from fiotools.spreadsheet import marked

if TYPE_CHECKING:
    import polars as pl

_TIME = "%Y-%m-%dT%H:%M:%S%.3fZ"


def write_parquet(frame: pl.DataFrame, file: IO[bytes]) -> None:
    """Write Parquet, as polars does."""
    frame.write_parquet(file)


def write_csv(frame: pl.DataFrame, file: IO[bytes]) -> None:
    """Write CSV with a heading, which a spreadsheet may open."""
    import polars as pl

    texts = frame.select(pl.col(pl.String()))
    guarded = [pl.Series(one.name, map(marked, one), dtype=pl.String()) for one in texts]
    frame.with_columns(guarded).write_csv(file, datetime_format=_TIME)


def write_json(frame: pl.DataFrame, file: IO[bytes]) -> None:
    """Write a list of objects, one on each line."""
    import orjson

    option = orjson.OPT_UTC_Z | orjson.OPT_NAIVE_UTC
    file.write(b"[")
    for at, row in enumerate(frame.iter_rows(named=True)):
        file.write((b",\n" if at else b"\n") + orjson.dumps(row, option=option))
    file.write(b"\n]\n")


WRITERS: Mapping[str, Callable[[Any, IO[bytes]], None]] = {
    "parquet": write_parquet,
    "csv": write_csv,
    "json": write_json,
}


def content(frame: pl.DataFrame, form: str) -> bytes:
    """Give a frame as Parquet, CSV or JSON; texts are UTF-8, whatever the terminal has."""
    buffer = io.BytesIO()
    WRITERS[form](frame, buffer)
    return buffer.getvalue()
