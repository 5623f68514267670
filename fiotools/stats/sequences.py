"""What follows one another in time: samples of a run, or runs."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from numbers import Real
from typing import Any

import narwhals as nw
import numpy as np
from narwhals.typing import IntoDataFrameT

from fiotools.errors import SchemaError
from fiotools.hints import argument
from fiotools.stats import frames
from fiotools.stats.arguments import metric_of
from fiotools.stats.replicates import one_row_each, runs_of
from fiotools.stats.series import Series, series_of
from fiotools.stats.windows import as_samples
from fiotools.vocabulary import KEYS

Taken = tuple[nw.DataFrame[IntoDataFrameT], list[Series], list[str]]


def sequences(
    frame: IntoDataFrameT,
    quantity: str | None,
    by: Sequence[str],
    round_s: float | None = None,
    order: str | None = None,
) -> Taken[IntoDataFrameT]:
    """Take samples for what they are, and other rows for runs.

    Parameters
    ----------
    frame : pandas or polars frame
    quantity : str or None
        Of samples, which of them; of runs, the column.
    by : sequence of str
        What tells sequences apart.
    round_s : float, optional
        Samples are put together to rounds of so many seconds.
    order : str, optional
        Runs follow this column; without it ``started_at``, ``reported_at`` or the rows.

    Returns
    -------
    frame, list of Series, list of str
        The rows that count, the sequences, and the columns that tell them apart.
    """
    _check_round(round_s)
    data: nw.DataFrame[IntoDataFrameT] = frames.opened(as_samples(frame, quantity))
    if "value" not in data.columns:
        return _runs(data, quantity, by, round_s, order)
    if order is not None:
        raise SchemaError(f"samples are in order of time: leave out {argument('order')}")
    several = series_of(data, quantity, by)
    if round_s is not None:
        several = [series.in_rounds(round_s) for series in several]
    for series in several:
        if series.single:
            why = f"one I/O each: {argument('round_s', 1)} makes rounds of a second of them"
            raise SchemaError(f"the rows of {series.quantity or 'the series'} are {why}")
    return data, several, frames.present(data, [*by, *KEYS, "quantity"])


def _check_round(round_s: Any) -> None:
    if round_s is not None and not (isinstance(round_s, Real) and 0 < float(round_s) < inf):
        raise SchemaError(f"round_s is {round_s!r}: it is in seconds and above 0")


def _runs(
    data: nw.DataFrame[IntoDataFrameT],
    quantity: str | None,
    by: Sequence[str],
    round_s: float | None,
    order: str | None,
) -> Taken[IntoDataFrameT]:
    if quantity is None:
        raise SchemaError("the frame has no column 'value': name the column to judge")
    if round_s is not None:
        raise SchemaError("round_s makes rounds of samples, and here each run is one")
    frames.need(data, [order] if order else [])
    runs = runs_of(data, quantity, [*by, order] if order else by)
    data, numbers = runs.data, runs.numbers
    clock: list[Any] | None = frames.values(data, order) if order else runs.moments
    if clock is not None and None in clock:
        raise SchemaError(f"{order} is missing in row {clock.index(None)}: where was that run?")
    # phases of one fio run may be rounds, which its jobs and threads are not
    phases = frames.optional(data, "group")
    found = []
    for rows in frames.groups(data, by).values():
        one_row_each(data, rows, runs.keys, phases)
        placed = rows if clock is None else sorted(rows, key=lambda row: clock[row])
        own = np.array([numbers[row] for row in placed])
        if float(own.min()) < 0:
            raise SchemaError(f"{quantity} is below 0 in row {placed[int(own.argmin())]}")
        found.append(
            Series(placed, quantity, metric_of(quantity), own, np.ones(len(own)), timed=False)
        )
    return data, found, list(by)
