"""`fiotools formats`: what can be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fiotools.cli import options
from fiotools.cli.answer import give
from fiotools.cli.command import Command
from fiotools.display.layout import WRAPS
from fiotools.display.model import Column, Sheet

if TYPE_CHECKING:
    import polars as pl


def formats(format: options.Format = "table") -> int:
    """List what can be read, and how to have it made."""
    give(format, _frame, _sheet)
    return 0


def _frame() -> pl.DataFrame:
    import fiotools as ft
    from fiotools.tables.frames import of_pandas

    return of_pandas(ft.formats())


def _sheet() -> Sheet:
    from fiotools.readers import readers

    known = readers()
    columns = [
        Column("format", [reader.name for reader in known], keep=3),
        Column("reads", [reader.title for reader in known], keep=2, wraps=WRAPS),
        Column("made by", [reader.produced_by for reader in known], keep=1, wraps=WRAPS),
    ]
    notes = ["gzip, xz, zstd and bzip2 are unpacked; a zip archive is read as a folder"]
    return Sheet(columns, notes=notes)


COMMAND = Command(formats, ("formats", "formats --format markdown"))
