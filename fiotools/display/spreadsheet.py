"""A frame as CSV that a spreadsheet may open: no text of it is taken for a formula."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

# begins a text that a spreadsheet might calculate, or is dropped in front of one
_ACTIVE = r"^[=+\-@\t\r\n']"


def csv(frame: pl.DataFrame) -> bytes:
    """Write CSV with a heading; a text that might be calculated begins with an apostrophe."""
    import polars as pl

    guarded = frame.with_columns(pl.col(pl.String()).str.replace(_ACTIVE, "'$0"))
    return guarded.write_csv(datetime_format="%Y-%m-%dT%H:%M:%S%.3fZ").encode()
