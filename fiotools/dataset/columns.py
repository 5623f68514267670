"""The columns of a dataset's files, and what each file says of itself.

They are the vocabulary's, after the labels, and each carries its unit and its meaning. The names
and types of all of them together have a number, `VERSION`: a test holds it to the vocabulary.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from fiotools.column import Column, DType
from fiotools.column import column as _c
from fiotools.scale import needed
from fiotools.schema import ROWS
from fiotools.tables.columns import POLARS
from fiotools.vocabulary import COLUMNS, TABLES

if TYPE_CHECKING:
    import polars as pl

# Goes up by one when a column is added to a table, or to the manifest. Files of an older version
# are read with that column empty; a change of what a column holds would need a new name for it.
VERSION = 1
MANIFEST = "manifest"
_LABEL = "A label, from the path or from whoever converted."

_FILES = {
    column.name: column
    for column in (
        COLUMNS["source"],
        _c("place", "str", "", "Where it was read: the whole path, or the URL."),
        _c("member", "str", "", "The file within, where the place is a zip archive."),
        _c("named", "boolean", "", "Whether it was named itself, and not swept in by a folder."),
        _c("size_bytes", "Int64", "B", "Size of the file; of the archive that it is in."),
        _c("mtime_ns", "Int64", "ns", "When it was last changed, since 1970; missing if unknown."),
        _c("etag", "str", "", "What an object store says of the content."),
        _c("hash", "str", "", "SHA-256 of its bytes (of its archive's); missing if not readable."),
        _c("beside", "str", "", "SHA-256 of the names, sizes and times of job files beside it."),
        _c("asked", "str", "", "The reader and the tool's version, where the caller named them."),
        _c("status", "str", "", "read; noted: no result, and none expected; refused."),
        _c("line", "Int64", "", "Line of the file at which it was refused."),
        _c("message", "str", "", "Why it gave nothing."),
        COLUMNS["format"],
        _c("fiotools_version", "str", "", "The fiotools that read it."),
        _c("part", "Int64", "", "Number of the part that holds its rows."),
        *(_c(f"rows_{table}", "Int64", "", f"Its rows of {table}.") for table in TABLES),
    )
}


def columns(table: str, labels: Mapping[str, DType]) -> dict[str, Column]:
    """Give the columns of a table, or of the manifest, in order.

    A label that is named like a condition has filled that condition where a table has it. Tables
    have labels as `read` gives them: whole numbers or text; the manifest has what they were.
    """
    own = _FILES if table == MANIFEST else {name: COLUMNS[name] for name in TABLES[table]}
    named = {
        name: _c(name, kind if table == MANIFEST else shown_as(kind), "", _LABEL)
        for name, kind in labels.items()
        if name not in own
    }
    return {**named, **own}


def rows_of(table: str) -> str:
    """Name the column of the manifest that counts a file's rows of a table."""
    return f"rows_{table}"


def shown_as(kind: DType) -> DType:
    """Say as what a label of a type stands in the tables."""
    return "Int64" if kind in ("Int64", "boolean") else "str"


def polars_schema(table: str, labels: Mapping[str, DType]) -> dict[str, pl.DataType]:
    """Give the types that polars has for them."""
    return {name: POLARS[column.dtype] for name, column in columns(table, labels).items()}


def arrow_schema(table: str, labels: Mapping[str, DType]) -> Any:
    """Give the schema of its files: the types, and beside them what the columns mean."""
    pa = needed("pyarrow", "a dataset")
    from fiotools import __version__

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
