"""Rows as Arrow has them, and as Parquet files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import IO, Any

import numpy as np

from fiotools.arrays import Vector, vector
from fiotools.column import DType
from fiotools.dataset.columns import arrow_schema, columns
from fiotools.dataset.store import Store
from fiotools.joining import Part, Rows
from fiotools.scale import needed

_GROUP = 1 << 20  # rows: of a row group, and made into Arrow at once


def tables_of(part: Part, tables: Iterable[str], labels: Mapping[str, DType]) -> dict[str, Any]:
    """Make Arrow tables of what files gave; the part is emptied on the way."""
    sources = vector([source for source, _ in part.files], "str")
    named = {
        name: vector([_shown(given.get(name), kind) for _, given in part.files], "str")
        if columns("runs", {name: kind})[name].dtype == "str"
        else vector([given.get(name) for _, given in part.files], "Int64")
        for name, kind in labels.items()
    }
    return {
        table: _table(table, part.tables.pop(table), {**named, "source": sources}, labels)
        for table in tables
    }


def _shown(value: Any, kind: DType) -> str | None:
    return None if value is None else str(value)


def _table(
    table: str, rows: Rows, of_files: Mapping[str, Vector], labels: Mapping[str, DType]
) -> Any:
    pa = needed("pyarrow", "a dataset")
    schema = arrow_schema(table, labels)
    made: dict[str, Any] = {}
    for field in schema:
        if field.name in of_files:
            made[field.name] = _column(of_files[field.name].take(rows.file), field.type)
        elif field.name in rows.columns:
            made[field.name] = _column(rows.columns.pop(field.name), field.type)
        else:
            made[field.name] = pa.nulls(len(rows), field.type)
    return pa.table(list(made.values()), schema=schema)


def _column(values: Vector, kind: Any) -> Any:
    """Make a column, in pieces: no piece of text may have more than two gigabytes."""
    pa = needed("pyarrow", "a dataset")
    words = None if values.words is None else pa.array(values.words, type=pa.string())
    pieces = []
    for start in range(0, len(values), _GROUP):
        part = slice(start, start + _GROUP)
        data = values.data[part]
        if words is not None:
            pieces.append(words.take(pa.array(data, mask=data < 0)))
        elif data.dtype == np.float64:
            pieces.append(pa.array(data, type=kind, from_pandas=True))  # nan is none
        else:
            missing = None if values.missing is None else values.missing[part]
            made = pa.array(data, mask=missing)
            pieces.append(made if made.type == kind else made.cast(kind))
    return pa.chunked_array(pieces, type=kind)


def write(store: Store, name: str, table: Any) -> int:
    """Write a table as a Parquet file; the same table gives the same bytes. Return their number."""
    parquet = needed("pyarrow.parquet", "a dataset")
    written = 0

    def content(file: IO[bytes]) -> None:
        nonlocal written
        with parquet.ParquetWriter(file, table.schema, compression="zstd") as writer:
            writer.write_table(table.combine_chunks(), row_group_size=_GROUP)
        written = file.tell()

    store.write(name, content)
    return written


def joined(tables: list[Any]) -> Any:
    """Put tables of one schema together, one under another."""
    return needed("pyarrow", "a dataset").concat_tables(tables)


def empty(table: str, labels: Mapping[str, DType]) -> Any:
    """Make a table without rows: who reads the files of a table finds its columns even so."""
    return arrow_schema(table, labels).empty_table()


def of_polars(frame: Any, schema: Any) -> Any:
    """Make an Arrow table of a frame of polars."""
    return frame.select(schema.names).to_arrow().cast(schema)
