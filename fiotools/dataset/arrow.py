"""Rows as Arrow has them, and as Parquet files."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from fiotools.arrays import Vector, vector
from fiotools.column import DType
from fiotools.dataset.columns import arrow_schema, shown_as
from fiotools.dataset.store import Store
from fiotools.errors import DatasetError
from fiotools.joining import Part
from fiotools.rows import Rows
from fiotools.scale import needed

_GROUP = 1 << 18  # rows of a row group, and rows that are in memory as Arrow


def slices_of(
    part: Part, tables: Iterable[str], labels: Mapping[str, DType]
) -> Iterator[tuple[str, Any]]:
    """Give what files gave as Arrow tables of so many rows; the part is emptied on the way."""
    of_files = {"source": vector([source for source, _ in part.files], "str")}
    for name, kind in labels.items():
        values = [given.get(name) for _, given in part.files]
        if shown_as(kind) == "str":
            values = [None if value is None else str(value) for value in values]
        of_files[name] = vector(values, shown_as(kind))
    for table in tables:
        rows = part.tables.pop(table)
        yield from ((table, one) for one in _slices(rows, arrow_schema(table, labels), of_files))


def _slices(rows: Rows, schema: Any, of_files: Mapping[str, Vector]) -> Iterator[Any]:
    pa = needed("pyarrow", "a dataset")
    # each column, and for every row where in it its value stands
    row, stretch = np.arange(len(rows)), np.arange(len(rows.files))
    if rows.sizes is not None:
        stretch = stretch.repeat(rows.sizes)
    columns: dict[str, tuple[Vector, Any]] = {
        **{name: (one, row) for name, one in rows.columns.items()},
        **{name: (one, stretch) for name, one in rows.shared.items()},
        **{name: (one, rows.file) for name, one in of_files.items()},
    }
    # a text is made once, however many rows have it
    words = {
        name: pa.array(columns[name][0].words, type=pa.string())
        for name in schema.names
        if name in columns and columns[name][0].words is not None
    }
    for start in range(0, len(rows), _GROUP):
        stop = min(start + _GROUP, len(rows))
        made = []
        for field in schema:
            if field.name not in columns:
                made.append(pa.nulls(stop - start, field.type))
                continue
            values, places = columns[field.name]
            made.append(_column(values.take(places[start:stop]), words.get(field.name), field.type))
        yield pa.table(made, schema=schema)


def _column(values: Vector, words: Any, kind: Any) -> Any:
    pa = needed("pyarrow", "a dataset")
    if words is not None:
        return words.take(pa.array(values.data, mask=values.data < 0))
    if values.data.dtype == np.float64:
        return pa.array(values.data, type=kind, from_pandas=True)  # nan is none
    made = pa.array(values.data, mask=values.missing)
    return made if made.type == kind else made.cast(kind)


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
