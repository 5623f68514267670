"""Which runs were measured together: on a day, on a machine, or in a session.

Runs of one unit are alike, so that the unit is the replicate: one mean of logarithms for each. A
unit is a column; where there is no column `session`, runs are of one session until an hour or more
passes between them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from fiotools.errors import SchemaError, argument
from fiotools.stats.columns import Codes, Columns
from fiotools.stats.frames import Array
from fiotools.stats.order import TIMES, moments

SESSION = "session"
GAP_S = 3600.0  # without a run: the device has rested, the cache is another, neighbours have gone
_LENGTHS = ("runtime_s", "duration_s")


def units_of(columns: Columns[Any], unit: str, between: str) -> Codes:
    """Give the unit of each row: a value of the column, or a session.

    A side without any value is one unit: a history has days, what is new may have none.
    """
    if unit not in columns:
        found = sessions_of(columns) if unit == SESSION else None
        if found is None:
            times = f", nor are {' and '.join(TIMES)} known of all" if unit == SESSION else ""
            raise SchemaError(f"{argument('unit', unit)}: there is no column {unit!r}{times}")
        return found
    known, side = columns.known(unit), columns.codes(between)
    mixed = np.intersect1d(side[known], side[~known])
    if len(mixed) or not known.any():
        raise SchemaError(
            f"{argument('unit', unit)}: {unit!r} is missing in {int((~known).sum())} of "
            f"{len(known)} rows"
        )
    return np.where(known, columns.codes(unit), columns.kinds(unit) + side)


def sessions_of(columns: Columns[Any]) -> Codes | None:
    """Number the sessions of all rows by their gaps in time; None if a time is unknown."""
    name = moments(columns)
    if name is None:
        return None
    times, lengths = _seconds(columns[name]), np.zeros(len(columns))
    for length in columns.present(_LENGTHS):
        lengths = np.maximum(lengths, np.nan_to_num(columns.numbers(length)))
    starts = times if name == TIMES[0] else times - lengths
    by_start = np.argsort(starts, kind="stable")
    ends = np.maximum.accumulate((starts + lengths)[by_start])
    parts = np.concatenate([[False], starts[by_start][1:] - ends[:-1] >= GAP_S])
    found = np.empty(len(starts), dtype=np.int64)
    found[by_start] = np.cumsum(parts)
    return found


def _seconds(times: pl.Series) -> Array:
    if times.dtype == pl.String:
        times = times.str.to_datetime(strict=False, time_zone="UTC")
    if times.dtype.is_temporal():
        times = times.cast(pl.Datetime("ms")).cast(pl.Int64) / 1000
    return times.cast(pl.Float64).to_numpy()
