"""Names of columns as people type them: the unit at the end may be left out.

In a table for people the unit stands beside each value, so that its heading is ``lat_mean`` and not
``lat_mean_ns``; and what a heading says can be typed wherever a column is named.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from fiotools.display.cells import short as short
from fiotools.errors import SchemaError

if TYPE_CHECKING:
    import pandas as pd


def full(name: str, columns: Iterable[Any]) -> str:
    """Find the column that is meant; what is none of them stays as it is, to be refused by name.

    Examples
    --------
    >>> full("bw", ["iops", "bw_bytes_per_s"]), full("real", ["iops"])
    ('bw_bytes_per_s', 'real')
    """
    there = [str(column) for column in columns]
    if name in there:
        return name
    return next((column for column in there if short(column) == name), name)


def found(name: str, frame: pd.DataFrame, option: str) -> str:
    """Find the column that an option means, or say which are called nearly so."""
    column = full(name, frame)
    if column not in frame:
        near = get_close_matches(name, [*dict.fromkeys(map(short, of(frame)))])
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        raise SchemaError(f"{option}: there is no column {name!r}{hint}")
    return column


def of(frame: pd.DataFrame) -> list[str]:
    """Name the columns of a frame."""
    return [str(name) for name in frame.columns]


def split(given: Sequence[str] | None) -> list[str]:
    """Read names that were given one by one or with commas."""
    return [name.strip() for text in given or () for name in text.split(",") if name.strip()]
