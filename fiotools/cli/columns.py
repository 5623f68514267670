"""Names of columns as people type them: the unit at the end may be left out.

In a table for people the unit stands beside each value, so that its heading is ``lat_mean`` and not
``lat_mean_ns``; and what a heading says can be typed wherever a column is named.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from fiotools.vocabulary import COLUMNS, STATISTICS

if TYPE_CHECKING:
    import pandas as pd

_UNIT = re.compile(r"_(?:bytes_per_s|bytes|ns|s|pct)$")


def short(name: str) -> str:
    """Leave out the unit of a column of the vocabulary.

    Examples
    --------
    >>> short("bw_bytes_per_s"), short("lat_mean_ns"), short("iops"), short("round_s")
    ('bw', 'lat_mean', 'iops', 'round_s')
    """
    known = COLUMNS.get(name) or STATISTICS.get(name)
    return _UNIT.sub("", name) if known and known.unit else name


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


def of(frame: pd.DataFrame) -> list[str]:
    """Name the columns of a frame."""
    return [str(name) for name in frame.columns]


def split(given: Sequence[str] | None) -> list[str]:
    """Read names that were given one by one or with commas."""
    return [name.strip() for text in given or () for name in text.split(",") if name.strip()]
