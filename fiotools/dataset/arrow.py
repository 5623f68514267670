"""Rows as Arrow has them, and as Parquet files."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import polars as pl

from fiotools.column import DType
from fiotools.dataset.columns import arrow_schema, shown_as
from fiotools.dataset.store import Store
from fiotools.errors import DatasetError
from fiotools.scale import needed
from fiotools.tables.columns import column
from fiotools.tables.parts import FILE, Part, lists, sizes_of

_GROUP = 1 << 18  # rows of a row group, and rows that are in memory as Arrow


def slices_of(
    part: Part, tables: Iterable[str], labels: Mapping[str, DType]
) -> Iterator[tuple[str, Any]]:
    """Give what files gave as Arrow tables of so many rows; the part is emptied on the way."""
    of_files = [column("source", [source for source, _ in part.files])]
    for name, kind in labels.items():
        values = [given.get(name) for _, given in part.files]
        if shown_as(kind) == "str":
            values = [None if value is None else str(value) for value in values]
        of_files.append(column(name, values, shown_as(kind)))
    for table in tables:
        rows = part.tables.pop(table)
        yield from ((table, one) for one in _slices(rows, arrow_schema(table, labels), of_files))


def _slices(rows: pl.DataFrame, schema: Any, of_files: list[pl.Series]) -> Iterator[Any]:
    pa = needed("pyarrow", "a dataset")
    sizes = sizes_of(rows)
    # of each row the place of what it shares with others
    stretch = np.arange(rows.height) if sizes is None else np.arange(rows.height).repeat(sizes)
    own = pl.DataFrame([rows[name].explode() for name in lists(rows)])
    shared = rows.drop(own.columns)
    for start in range(0, len(stretch), _GROUP):
        stop = min(start + _GROUP, len(stretch))
        some = shared[stretch[start:stop]]
        named = [one.gather(some[FILE]) for one in of_files if one.name in schema.names]
        whole = some.with_columns(*own[start:stop], *named)
        arrays = [
            whole[field.name].to_arrow().cast(field.type)
            if field.name in whole.columns
            else pa.nulls(stop - start, field.type)
            for field in schema
        ]
        yield pa.table(arrays, schema=schema)


class Sheet:
    """A Parquet file that grows in memory, compressed, a row group at a time.

    The same rows give the same bytes, however many are added at once.

    Parameters
    ----------
    schema : pyarrow.Schema

    Attributes
    ----------
    rows : int
    """

    def __init__(self, schema: Any) -> None:
        parquet = needed("pyarrow.parquet", "a dataset")
        self._schema, self._buffer, self.rows = schema, io.BytesIO(), 0
        self._writer = parquet.ParquetWriter(self._buffer, schema, compression="zstd")
        self._waiting: list[Any] = []
        self._count = 0

    def add(self, table: Any) -> None:
        """Add rows."""
        self.rows += len(table)
        self._waiting.append(table)
        self._count += len(table)
        while self._count >= _GROUP:
            whole = joined(self._waiting)
            self._write(whole.slice(0, _GROUP))
            self._waiting, self._count = [whole.slice(_GROUP)], len(whole) - _GROUP

    def close(self) -> bytes:
        """Give the file."""
        if self._count:
            self._write(joined(self._waiting))
        self._writer.close()
        return self._buffer.getvalue()

    def _write(self, table: Any) -> None:
        self._writer.write_table(table.combine_chunks(), row_group_size=_GROUP)


def write(store: Store, name: str, table: Any) -> None:
    """Write a table as a Parquet file."""
    sheet = Sheet(table.schema)
    sheet.add(table)
    content = sheet.close()
    store.write(name, lambda file: file.write(content))


def read(content: bytes) -> Any:
    """Read a Parquet file."""
    return needed("pyarrow.parquet", "a dataset").read_table(io.BytesIO(content))


def refuse_others(store: Store, names: Iterable[str]) -> None:
    """Refuse files that are named as parts are, and that fiotools did not write."""
    parquet = needed("pyarrow.parquet", "a dataset")
    for name in names:
        try:
            metadata = parquet.read_schema(io.BytesIO(store.read(name))).metadata or {}
        except (ValueError, OSError):  # no Parquet, or nothing that can be read
            metadata = {}
        if b"fiotools.table" not in metadata:
            raise DatasetError(
                f"{store.place(name)}: fiotools did not write this, and would remove a file of"
                " this name; move it elsewhere"
            )


def joined(tables: list[Any]) -> Any:
    """Put tables of one schema together, one under another."""
    return needed("pyarrow", "a dataset").concat_tables(tables)


def empty(table: str, labels: Mapping[str, DType]) -> Any:
    """Make a table without rows: who reads the files of a table finds its columns even so."""
    return arrow_schema(table, labels).empty_table()


def of_polars(frame: Any, schema: Any) -> Any:
    """Make an Arrow table of a frame of polars."""
    return frame.select(schema.names).to_arrow().cast(schema)
