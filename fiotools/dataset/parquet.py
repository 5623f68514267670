"""The files of a dataset: their columns, rows as Arrow has them, and Parquet, written and scanned.

The columns are the vocabulary's, after the labels, and each carries its unit and its meaning. The
names and types of all of them together have a number, `VERSION`: a test holds it to the vocabulary.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from fiotools.dataset.store import RECORDS, Folder, Store
from fiotools.errors import DatasetError
from fiotools.files import needed
from fiotools.tables.columns import POLARS, column
from fiotools.tables.parts import FILE, Part
from fiotools.vocabulary import COLUMNS, ROWS, TABLES, Column, DType

# Goes up by one when a column is added to a table, or to the manifest. Files of an older version
# are read with that column empty; a column with another meaning needs a new name.
VERSION = 5
MANIFEST = "manifest"
_LABEL = "A label from the path or the caller."

_FILES = {
    column.name: column
    for column in (
        COLUMNS["source"],
        Column("place", "str", "", "Where it was read: the whole path or the URL."),
        Column("member", "str", "", "The file within a zip archive."),
        Column("named", "boolean", "", "Whether it was named itself, not found in a folder."),
        Column("size_bytes", "Int64", "B", "Size of the file, or of its archive."),
        Column(
            "mtime_ns", "Int64", "ns", "When it was last changed, since 1970; missing if unknown."
        ),
        Column("etag", "str", "", "The object store's tag of the content."),
        Column(
            "hash", "str", "", "SHA-256 of its bytes (of its archive's); missing if not readable."
        ),
        Column("asked", "str", "", "The reader and the tool's version, if the caller named them."),
        Column("status", "str", "", "read; noted: no result, and none expected; refused."),
        Column("line", "Int64", "", "Line of the file at which it was refused."),
        Column("message", "str", "", "Why it gave nothing."),
        COLUMNS["format"],
        Column("fiotools_version", "str", "", "The fiotools that read it."),
        Column("part", "Int64", "", "Number of the part that holds its rows."),
        *(Column(f"rows_{table}", "Int64", "", f"Its rows of {table}.") for table in TABLES),
    )
}
_GROUP = 1 << 18  # rows of a row group, and rows that are in memory as Arrow


def columns(table: str, labels: Mapping[str, DType]) -> dict[str, Column]:
    """Return the columns of a table, or of the manifest, in order.

    A label that is named like a condition fills that condition in tables that have it. Tables
    have labels as `read` gives them: whole numbers or text; the manifest has their own types.
    """
    own = _FILES if table == MANIFEST else {name: COLUMNS[name] for name in TABLES[table]}
    named = {
        name: Column(name, kind if table == MANIFEST else shown_as(kind), "", _LABEL)
        for name, kind in labels.items()
        if name not in own
    }
    return {**named, **own}


def rows_of(table: str) -> str:
    """Name the column of the manifest that counts a file's rows of a table."""
    return f"rows_{table}"


def shown_as(kind: DType) -> DType:
    """Return the type that a label has in the tables."""
    return "Int64" if kind in ("Int64", "boolean") else "str"


def polars_schema(table: str, labels: Mapping[str, DType]) -> dict[str, pl.DataType]:
    """Return the types that polars has for them."""
    return {name: POLARS[column.dtype] for name, column in columns(table, labels).items()}


def arrow_schema(table: str, labels: Mapping[str, DType]) -> Any:
    """Return the schema of its files: types, units and meanings."""
    pa = needed("pyarrow", "a dataset")
    from fiotools._version import __version__

    types = {
        "Int64": pa.int64(),
        "float64": pa.float64(),
        "boolean": pa.bool_(),
        "str": pa.string(),
        "datetime": pa.timestamp("ms", tz="UTC"),
    }
    fields = [
        pa.field(name, types[one.dtype], metadata={"unit": one.unit, "meaning": one.meaning})
        for name, one in columns(table, labels).items()
    ]
    about = {
        "fiotools.table": table,
        "fiotools.row": "one file that was converted" if table == MANIFEST else ROWS[table],
        "fiotools.version": __version__,
        "fiotools.schema": str(VERSION),
    }
    return pa.schema(fields, metadata=about)


def slices_of(
    part: Part, tables: Iterable[str], labels: Mapping[str, DType]
) -> Iterator[tuple[str, Any]]:
    """Yield the rows of a part as Arrow tables of limited size; the part is emptied."""
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
    for start in range(0, rows.height, _GROUP):
        some = rows[start : start + _GROUP]
        named = [one.gather(some[FILE]) for one in of_files if one.name in schema.names]
        whole = some.with_columns(*named)
        gaps = [pl.lit(None).alias(name) for name in schema.names if name not in whole.columns]
        yield of_polars(whole.with_columns(gaps), schema)


class ParquetSheet:
    """A Parquet file that grows in memory, compressed, a row group at a time.

    The same rows give the same bytes, however many are added at once.
    """

    def __init__(self, schema: Any) -> None:
        parquet = needed("pyarrow.parquet", "a dataset")
        self._buffer, self.rows = io.BytesIO(), 0
        self._writer = parquet.ParquetWriter(self._buffer, schema, compression="zstd")
        self._waiting = schema.empty_table()

    def add(self, table: Any) -> None:
        """Add rows."""
        self.rows += len(table)
        self._waiting = joined([self._waiting, table])
        while len(self._waiting) >= _GROUP:
            self._write(self._waiting.slice(0, _GROUP))
            self._waiting = self._waiting.slice(_GROUP)

    def close(self) -> bytes:
        """Return the file."""
        if len(self._waiting):
            self._write(self._waiting)
        self._writer.close()
        return self._buffer.getvalue()

    def _write(self, table: Any) -> None:
        self._writer.write_table(table.combine_chunks(), row_group_size=_GROUP)


def file_of(table: Any) -> bytes:
    """Make a Parquet file of a table."""
    sheet = ParquetSheet(table.schema)
    sheet.add(table)
    return sheet.close()


def commit(store: Store, name: str, tables: Mapping[str, bytes], record: Any) -> None:
    """Write the files of a part, then its record, which makes them count."""
    for table, content in tables.items():
        store.write(f"{table}/{name}", content)
    store.settle(tables)
    store.write(f"{RECORDS}/{name}", file_of(record))


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


def of_polars(frame: pl.DataFrame, schema: Any) -> Any:
    """Make an Arrow table of a frame of polars."""
    return frame.select(schema.names).to_arrow().cast(schema)


def folder_of(table: str) -> str:
    """Name the folder of a table, or of the manifest."""
    return RECORDS if table == MANIFEST else table


def scan(
    store: Store, table: str, names: Sequence[str], labels: Mapping[str, DType]
) -> pl.LazyFrame:
    """Return the rows of some files of a table, or of the manifest, in their order.

    Columns that a file lacks are null, others that it has are left out.
    """
    schema = polars_schema(table, labels)
    if not names:
        return pl.LazyFrame(schema=schema)
    paths = [f"{folder_of(table)}/{name}" for name in names]
    if isinstance(store, Folder):
        return pl.scan_parquet(
            [store.place(path) for path in paths],
            schema=schema,
            missing_columns="insert",
            extra_columns="ignore",
            glob=False,
            hive_partitioning=False,
        )
    dataset = needed("pyarrow.dataset", "a dataset that is not in a folder")
    system, root = store.at
    places = [f"{root}/{path}" for path in paths]
    arrow = arrow_schema(table, labels)
    source = dataset.dataset(places, schema=arrow, format="parquet", filesystem=system)
    return pl.scan_pyarrow_dataset(source)
