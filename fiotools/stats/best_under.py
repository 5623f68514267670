"""How fast it goes while the latency stays below a limit."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import inf
from numbers import Real
from typing import Any

from narwhals.typing import IntoDataFrameT

from fiotools.errors import SchemaError
from fiotools.stats import frames
from fiotools.stats.arguments import metric_of
from fiotools.stats.frames import AnswerRow, Frame
from fiotools.stats.replicates import (
    choose_scope,
    one_row_each,
    refuse_directions,
    refuse_several,
    run_keys,
    watched,
)
from fiotools.vocabulary import ANSWERS, CONDITIONS

_PERCENTILE = re.compile(r"p([0-9]+(?:\.[0-9]+)?)")
_WHICH = ("source", "run", "group", "entry")
_JOIN = (*_WHICH, "direction")


def best_under(
    io: IntoDataFrameT,
    metric: str,
    limit: float,
    *,
    by: str | Sequence[str] | None = None,
    scope: str | None = None,
    percentiles: IntoDataFrameT | None = None,
) -> IntoDataFrameT:
    """Find the highest IOPS at which a latency stays below a limit.

    Parameters
    ----------
    io : pandas.DataFrame or polars.DataFrame
        A table such as `Results.io`: runs (or fio groups) under several conditions, such as
        iodepth. Jobs that ran side by side are to be added up first, ``combine(io, to="group")``.
    metric : str
        A column of `io`, such as ``lat_mean_ns``, or a percentile, ``p99`` or ``p99.9``, which
        `percentiles` has.
    limit : float
        In the unit of the metric; for a latency, ns. What equals it is not below it.
    by : str or sequence of str, optional
        The columns that make the groups.
    scope : str, optional
        Without it, rows of scope ``total``, or of the only scope there is.
    percentiles : pandas.DataFrame or polars.DataFrame, optional
        For a metric such as ``p99``: a table such as `Results.percentiles`, of one latency, or what
        `percentiles_from_bins` answered for the same runs.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        A row per group: the columns of `by`; of the row chosen ``source``, ``run``, ``group``,
        ``entry``, the conditions and ``iops`` [1/s], as far as `io` has them; ``metric``, its
        ``unit``, ``observed``, its value there, and ``limit``; ``n``, the runs under those very
        conditions; ``warnings``. Where no row is below the limit, all that is null, and the warning
        says how near they came.

    Raises
    ------
    SchemaError
        For a missing column, a limit that is no number above zero, several directions or scopes,
        rows that ran side by side, and percentiles of several latencies.

    Notes
    -----
    The one row chosen is the luckiest of its group. With repeats the warning says how many of the
    same conditions were not below the limit.

    Examples
    --------
    >>> import pandas as pd
    >>> io = pd.DataFrame({
    ...     "iodepth": [1, 4, 16, 64], "iops": [9e3, 31e3, 78e3, 90e3],
    ...     "lat_mean_ns": [0.11e6, 0.13e6, 0.21e6, 0.71e6],
    ... })
    >>> best_under(io, "lat_mean_ns", 500_000)[["iodepth", "iops", "observed", "limit", "n"]]
       iodepth     iops  observed     limit  n
    0       16  78000.0  210000.0  500000.0  1
    """
    named, data = frames.names(by), frames.opened(io)
    frames.need(data, [*named, "iops"])
    if not 0 < _number(limit) < inf:
        raise SchemaError(f"limit is {limit!r}: it is a number above zero, in the metric's unit")
    data = choose_scope(data, scope, named)
    refuse_directions(data, named)
    keys = run_keys(data)
    # of jobs and threads of one run, one is not what the device did
    for rows in frames.groups(data, frames.present(data, ("group", "direction", *named))).values():
        one_row_each(data, rows, keys)
    measured = _measured(data, metric, percentiles)
    iops = frames.amounts(data, "iops")
    alike = frames.keys_of(data, frames.present(data, [*named, *CONDITIONS, *watched(data, named)]))
    unit = "ns" if percentiles is not None else metric_of(metric).unit
    conditions = frames.columns(data, [n for n in (*_WHICH, *CONDITIONS, "iops") if n not in named])
    lines, first = [], []
    for rows in frames.groups(data, named).values():
        known = [row for row in rows if measured[row] is not None and iops[row] is not None]
        below = [row for row in known if (measured[row] or 0.0) < limit]
        notes = []
        if len(known) < len(rows):
            notes.append(f"iops or {metric} is missing in {len(rows) - len(known)} of {len(rows)}")
        best = max(below, key=lambda row: iops[row] or 0.0, default=None)
        line: AnswerRow = {
            "metric": metric,
            "unit": unit,
            "limit": float(limit),
            "n": 0,
            "notes": notes,
        }
        if best is None:
            least = min((measured[row] or 0.0 for row in known), default=None)
            how = "" if least is None else f"; the lowest is {least:.6g}"
            notes.append(f"no {metric} below {limit:g}{how}")
        else:
            same = [row for row in known if alike[row] == alike[best]]
            line |= {name: column[best] for name, column in conditions.items()}
            line |= {"observed": measured[best], "n": len(same)}
            above = len(same) - len({*same} & {*below})
            if above:
                notes.append(f"{above} of {len(same)} runs under these conditions are not below it")
        lines.append(line)
        first.append(rows[0])
    return frames.answer(
        data, [*conditions, *ANSWERS["best_under"]], frames.kept(named, first), lines
    )


def _number(limit: Any) -> float:
    return float(limit) if isinstance(limit, Real) else 0.0


def _measured(data: Frame, metric: str, percentiles: Any | None) -> list[float | None]:
    """Give the metric of each row, from `io` or from the percentiles of the same entry."""
    asked = _PERCENTILE.fullmatch(metric)
    if percentiles is None:
        if asked and metric not in data.columns:
            raise SchemaError(f"{metric} is a percentile: give percentiles=, such as .percentiles")
        return frames.numbers(data, metric)
    if not asked:
        raise SchemaError(f"with percentiles=, the metric is p50, p99, p99.9, ..., not {metric!r}")
    table = frames.opened(percentiles)
    frames.need(table, ["percentile", "value_ns"])
    levels, latencies = frames.numbers(table, "percentile"), frames.numbers(table, "value_ns")
    at = [row for row, level in enumerate(levels) if level == float(asked[1])]
    if not at:
        there = ", ".join(f"{level:g}" for level in sorted(set(frames.distinct(levels))))
        raise SchemaError(f"there is no percentile {asked[1]}; there are: {there}")
    kinds = frames.differing(frames.columns(table, ("latency",)), at)
    if kinds:
        one = frames.distinct(frames.values(table, "latency"))[0]
        raise SchemaError(
            f"percentiles of several latencies: keep one, {frames.to_type(table, 'latency', one)}"
        )
    join = frames.present(table, frames.present(data, _JOIN))
    if "run" not in join:
        raise SchemaError("io and percentiles need 'run' in common, which tells whose they are")
    found = frames.rows_by(frames.keys_of(table, join), at)
    for rows in found.values():
        if len(rows) > 1:
            raise refuse_several(table, rows, run_keys(table)[rows[0]])
    own = [found.get(key, [None])[0] for key in frames.keys_of(data, join)]
    if not frames.distinct(own):
        raise SchemaError(f"no row of io has a {metric} of its own, by {', '.join(join)}")
    return [None if row is None else latencies[row] for row in own]
