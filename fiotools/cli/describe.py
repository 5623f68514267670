"""`fiotools describe` and `formats`: what a column means, and what can be read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Literal

from fiotools.cli.output import WRITERS, show, write_bytes
from fiotools.display.columns import Sheet
from fiotools.display.columns import SheetColumn as Shown
from fiotools.display.layout import WRAPS
from fiotools.tables import naming
from fiotools.vocabulary import COLUMNS, STATISTICS, TABLES
from fiotools.vocabulary import describe as column_of

if TYPE_CHECKING:
    from fiotools.vocabulary import Column


def describe(
    names: Sequence[str] = (), *, form: Literal["table", "json", "csv", "markdown"] = "table"
) -> int:
    """Describe columns: unit, meaning, which way is better, their name in each tool.

    Parameters
    ----------
    names : sequence of str
        Columns or tables; all columns if none is named.
    form : {"table", "json", "csv", "markdown"}
        The form: json and csv have every column, in base units.
    """
    found: dict[str, Column] = {}
    for name in names:
        full = naming.full(name, [*COLUMNS, *STATISTICS])
        if name in TABLES and name not in COLUMNS:
            found |= {column: COLUMNS[column] for column in TABLES[name]}
        else:
            found[full] = column_of(full)
    rows = [_row(column) for column in (found or COLUMNS).values()]

    if form in ("json", "csv"):
        import polars as pl  # only here: the sheets are quick without it

        write_bytes(WRITERS[form](pl.DataFrame(rows)))
    else:
        show(form, [_each(rows) if 0 < len(found) <= 3 else _list(rows)])
    return 0


def _row(column: Column) -> dict[str, Any]:
    row: dict[str, Any] = asdict(column)
    keys = row.pop("keys")
    row["places"] = ", ".join(column.places)
    row["in_tools"] = "; ".join(f"{tool}: {key}" for tool, key in keys.items())
    return {name: value or None for name, value in row.items()}


def _list(rows: list[dict[str, Any]]) -> Sheet:
    def texts(key: str) -> list[str]:
        return [row[key] or "" for row in rows]

    return Sheet(
        [
            Shown("column", texts("name"), keep=4),
            Shown("unit", texts("unit"), keep=3),
            Shown("meaning", texts("meaning"), keep=2, wraps=WRAPS),
            Shown("better", texts("better"), keep=1),
        ],
        notes=[
            "a name may be typed without its unit: bw for bw_bytes_per_s, lat_mean for lat_mean_ns",
            "fiotools describe COLUMN tells what each tool calls it",
        ],
    )


def _each(rows: list[dict[str, Any]]) -> Sheet:
    said = [(key.replace("_", " "), text) for row in rows for key, text in row.items() if text]
    return Sheet(
        [
            Shown("", [key for key, _ in said], keep=2),
            Shown("", [text for _, text in said], keep=1, wraps=WRAPS),
        ]
    )


def formats(*, form: Literal["table", "json", "csv", "markdown"] = "table") -> int:
    """List the formats that can be read, and the commands that make them.

    Parameters
    ----------
    form : {"table", "json", "csv", "markdown"}
        The form: json and csv have every column.
    """
    if form in ("json", "csv"):
        import fiotools as ft
        from fiotools.tables.columns import of_pandas

        write_bytes(WRITERS[form](of_pandas(ft.formats())))
    else:
        show(form, [_formats_sheet()])
    return 0


def _formats_sheet() -> Sheet:
    from fiotools.readers import readers

    known = readers()
    columns = [
        Shown("format", [reader.name for reader in known], keep=3),
        Shown("reads", [reader.title for reader in known], keep=2, wraps=WRAPS),
        Shown("made by", [reader.produced_by for reader in known], keep=1, wraps=WRAPS),
    ]
    notes = ["gzip, xz, zstd and bzip2 are unpacked; a zip archive is read as a folder"]
    return Sheet(columns, notes=notes)
