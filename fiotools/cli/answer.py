"""An answer in the shape that was asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from fiotools.cli.output import write, write_bytes

if TYPE_CHECKING:
    import polars as pl

    from fiotools.cli.files import Reading
    from fiotools.display.model import Sheet


def give(
    form: str,
    frame: Callable[[], pl.DataFrame],
    sheet: Callable[[], Sheet],
    output: str | None = None,
    read: Reading | None = None,
) -> None:
    """Print an answer in the shape that was asked for: its frame for machines, else its sheet.

    With an output it is written to that file, which what was read must not be.
    """
    if output is not None and read is not None:
        from fiotools.cli import export

        target = export.target(output, form, 1)
        assert target is not None
        target.write(read, {"answer": frame()}, sheet)
        return
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
