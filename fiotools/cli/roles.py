"""Which column names the rows of a figure, its curves and its axis, where nobody said it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fiotools.errors import SchemaError

if TYPE_CHECKING:
    import polars as pl

    from fiotools.cli import files

_WITHIN = ("source", "job", "thread", "direction", "command")


def naming(
    read: files.Reading,
    frame: pl.DataFrame,
    *,
    role: str,
    taken: str | None = None,
    within: Sequence[str] = _WITHIN,
) -> str | None:
    """Find what tells the rows apart: the sides, else what differs within the files."""
    sides = [side for side in read.sides if side != taken]
    if len(sides) == 1:
        return sides[0]
    if sides:
        raise SchemaError(f"the paths hold {', '.join(sides)}: say which names the rows, --{role}")
    for name in within:
        if differs(frame, name) and not frame[name].null_count():
            return name
    return None


def differs(frame: pl.DataFrame, name: str) -> bool:
    """Say whether a column has several values."""
    return name in frame and frame[name].drop_nulls().n_unique() > 1
