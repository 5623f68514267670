"""Windows as samples: what takes a log takes the windows of one that is too long for it, too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from fiotools.errors import SchemaError
from fiotools.stats.frames import Frame, answer, columns, groups, kept, need, opened
from fiotools.stats.windows import window

FIGURES = ("iops", "bw_bytes_per_s", "mean", "value_ns")
_RATES = ("iops", "bw_bytes_per_s")
# which log of a job tells how many I/Os there were, where there are several
_COUNTING = ("lat_ns", "clat_ns", "slat_ns", "count", "bw_bytes_per_s", "iops")


def as_samples(frame: Any, figure: str | None) -> Any:
    """Take one figure of each window for a sample; give what are no windows as it is.

    Parameters
    ----------
    frame : pandas or polars frame
    figure : str or None
        A column of what `window` answers.

    Examples
    --------
    >>> import pandas as pd
    >>> log = pd.DataFrame({
    ...     "quantity": "lat_ns", "time_s": [0.1, 0.5, 1.2], "value": 9e5, "bs_bytes": 512,
    ... })
    >>> as_samples(window(log, "1s"), "iops")[["quantity", "time_s", "value"]].round(2)
      quantity  time_s  value
    0     iops    1.00   2.22
    1     iops    1.20   4.98
    """
    if not _is_windows(frame):
        return frame
    data = opened(frame)
    if figure not in FIGURES:
        named = ", ".join(FIGURES)
        raise SchemaError(f"windows have several figures: quantity= is one of {named}")
    need(data, [figure])
    return _samples(data, range(len(data)), [figure])


def as_rates(frame: Any) -> Any:
    """Take the rates of windows, or of a lazy log, for samples; give what is neither as it is."""
    if isinstance(frame, pl.LazyFrame):
        frame = (frame if _is_windows(frame) else window(frame, "1s")).collect(engine="streaming")
    if not _is_windows(frame):
        return frame
    data = opened(frame)
    what = columns(data, ("quantity", "percentile"))
    logs = groups(data, _apart(data))
    rows = []
    for own in logs.values():
        # one of the logs of the same I/Os, and one of the percentiles of a window
        told = what.get("quantity", [None] * len(data))
        chosen = min((told[row] for row in own), key=_place)
        first = what.get("percentile", [None] * len(data))
        least = first[own[0]]
        rows += [row for row in own if told[row] == chosen and first[row] == least]
    return _samples(data, rows, _RATES)


def _place(quantity: str | None) -> int:
    return _COUNTING.index(quantity) if quantity in _COUNTING else len(_COUNTING)


def _is_windows(frame: Any) -> bool:
    lazy = isinstance(frame, pl.LazyFrame)
    names = set(frame.collect_schema() if lazy else getattr(frame, "columns", ()))
    return {"interval_s", "span_s", "coverage_pct"} <= names and "value" not in names


def _apart(data: Frame) -> list[str]:
    """Name the columns that tell logs apart."""
    names = data.columns[: data.columns.index("time_s")]
    return [name for name in names if name not in ("direction", "quantity")]


def _samples(data: Frame, rows: Sequence[int], figures: Sequence[str]) -> Any:
    """Make samples; those of the last windows of a log end with it."""
    lists = columns(data, ("time_s", "interval_s", "span_s", "quantity", *figures))
    quantities = lists.get("quantity", [None] * len(data))  # windows of bins have a latency
    ends = {}
    for own in groups(data, _apart(data)).values():
        last = max(lists["time_s"][row] for row in own)
        for row in own:
            time, length, span = (lists[name][row] for name in ("time_s", "interval_s", "span_s"))
            ends[row] = time - length + span if time == last and span < length else time
    picked = [(row, figure) for figure in figures for row in rows if lists[figure][row] is not None]
    if not picked:
        raise SchemaError(f"the windows have no {' and no '.join(figures)}")
    names = [_named(figure, quantities[row]) for row, figure in picked]
    keep = [name for name in (*_apart(data), "direction", "percentile") if name in data.columns]
    return answer(
        data,
        kept(keep, [row for row, _ in picked]),
        {
            "quantity": ("str", names),
            "time_s": ("float64", [round(ends[row], 9) for row, _ in picked]),
            "value": ("float64", [lists[figure][row] for row, figure in picked]),
        },
    )


def _named(figure: str, quantity: str | None) -> str:
    return figure if figure in _RATES else quantity or "clat_ns"
