"""An answer in the shape that was asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from fiotools.cli.output import write, write_bytes

if TYPE_CHECKING:
    import polars as pl

    from fiotools.display.model import Sheet


def give(form: str, frame: Callable[[], pl.DataFrame], sheet: Callable[[], Sheet]) -> None:
    """Print an answer in the shape that was asked for: its frame for machines, else its sheet."""
    if form in ("json", "csv"):
        from fiotools.cli.export import content

        write_bytes(content(frame(), form))
        return
    from fiotools.display import text_table

    shown = sheet()
    text = (
        text_table.markdown(shown) if form == "markdown" else text_table.text(shown, colours=True)
    )
    write(f"{text}\n")
