"""An answer in the shape that was asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from fiotools.cli import sheet, stream
from fiotools.display.sheet import Sheet

if TYPE_CHECKING:
    import polars as pl


def give(frame: pl.DataFrame, form: str, sheet_of: Callable[[pl.DataFrame], Sheet]) -> None:
    """Print a frame for machines, or its sheet for people."""
    if form in ("json", "csv"):
        from fiotools.cli import raw

        stream.write_bytes(raw.content(frame, form))
    else:
        sheet.show(sheet_of(frame), form)
