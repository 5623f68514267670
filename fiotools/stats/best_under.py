"""How fast it goes while the latency stays below a limit."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from numbers import Real
from statistics import fmean
from typing import Any

import numpy as np
from narwhals.typing import IntoDataFrameT

from fiotools.errors import SchemaError, argument, typed
from fiotools.flags import Flag, flag
from fiotools.stats import frames, replicates
from fiotools.stats.columns import Columns
from fiotools.stats.frames import AnswerRow, Frame, check_confidence, metric_of
from fiotools.stats.order import places_of
from fiotools.stats.question import question
from fiotools.stats.summary import mean_interval
from fiotools.units import amount
from fiotools.vocabulary import ANSWERS, CONDITIONS

_PERCENTILE = re.compile(r"p([0-9]+(?:\.[0-9]+)?)")
_NAMED = 5  # faster conditions that a warning lists
_JOIN = ("source", "run", "group", "entry", "direction")


@question("io")
def best_under(
    io: IntoDataFrameT,
    metric: str,
    limit: float | str,
    *,
    by: str | Sequence[str] | None = None,
    sweep: str | Sequence[str] | None = None,
    scope: str | None = None,
    percentiles: IntoDataFrameT | None = None,
    confidence: float = 0.95,
) -> IntoDataFrameT:
    """Find the conditions of the highest IOPS at which a latency stays below a limit.

    The runs under the same conditions are repeats, judged by their mean.

    Parameters
    ----------
    io : Results, pandas.DataFrame or polars.DataFrame
        A table such as `Results.io`: runs (or fio groups) under several conditions, such as
        iodepth. Add up jobs that ran side by side first, ``combine(io, to="group")``.
    metric : str
        The latency: a column such as ``lat_mean_ns``, or a percentile, ``p99`` or ``p99.9``. The
        latter is in `percentiles`.
    limit : float or str
        The limit of the latency, in ns or with a unit: ``100us``.
    by : str or sequence of str, optional
        The columns that make the groups.
    scope
        As in `summarize`.
    sweep : str or sequence of str, optional
        Columns of numbers that are conditions too. Texts are, unless they number the runs.
    percentiles : pandas.DataFrame or polars.DataFrame, optional
        For a metric such as ``p99``: a table such as `Results.percentiles`, of one latency, or the
        answer of `percentiles` for the same runs; by default it is asked of the same `Results`.
    confidence : float
        Confidence of the interval.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        A row per group: the columns of `by`; the conditions chosen (null if none is below the
        limit); ``iops`` [1/s], the mean of the runs under these; ``metric``, its ``unit``;
        ``observed``, its mean over them, with ``observed_lo`` and ``observed_hi``, null for one
        run; ``limit``; ``n``, these runs, and ``n_below``, those that were below the limit by
        themselves; ``confidence``; ``flags`` and ``details``, which say how near the lowest came.

    Raises
    ------
    SchemaError
        For a missing column, a metric of which more is better, a limit that is not a number above
        zero, several directions or scopes, rows that ran side by side, and percentiles of several
        latencies.

    Notes
    -----
    A flag says if the interval, which is that of `summarize`, reaches the limit, and names the
    conditions that were faster but not below.

    Examples
    --------
    >>> import pandas as pd
    >>> io = pd.DataFrame({
    ...     "iodepth": [1, 1, 16, 16, 64, 64], "iops": [9e3, 8e3, 78e3, 80e3, 90e3, 110e3],
    ...     "lat_mean_ns": [0.11e6, 0.12e6, 0.21e6, 0.20e6, 0.71e6, 0.48e6],
    ... })
    >>> best = best_under(io, "lat_mean_ns", 500_000)
    >>> best[["iodepth", "iops", "observed", "limit", "n", "n_below"]]
       iodepth     iops  observed     limit  n  n_below
    0       16  79000.0  205000.0  500000.0  2        2
    >>> best["flags"][0]
    'faster'
    """
    check_confidence(confidence)
    named, swept = frames.names(by), frames.names(sweep)
    data = frames.opened(io, [*named, *swept, "iops"])
    bounded = metric_of(metric)
    if bounded.better == "higher":
        raise SchemaError(
            f"{metric} is not a latency: take lat_mean_ns, or another that has a limit"
        )
    unit = "ns" if percentiles is not None else bounded.unit
    limit = _number(limit, unit)
    if not 0 < limit < inf:
        raise SchemaError(f"limit is {limit!r}: it is a number above zero, in the metric's unit")
    columns = replicates.choose_scope(Columns(data), scope, [*named, *swept])
    data = columns.data
    replicates.refuse_directions(columns, named)
    # one of several jobs and threads of a run is not all that the device did
    for rows in columns.groups(columns.present(("group", "direction", *named))):
        replicates.one_row_each(columns, rows)
    measured = _measured(data, metric, percentiles)
    iops = frames.amounts(data, "iops")
    # a text that numbers the runs is not a condition; any other may be
    texts = [
        name
        for name in replicates.labels(data)
        if places_of(columns, name).of(np.flatnonzero(columns.known(name))) is None
    ]
    names = frames.present(data, [*swept, *CONDITIONS, *texts])
    names = [name for name in names if name not in named]
    alike = frames.keys_of(data, names)
    lines = []
    for rows in (own.tolist() for own in columns.groups(named)):
        known = [row for row in rows if measured[row] is not None and iops[row] is not None]
        found = [
            _Condition(
                dict(zip(names, condition, strict=True)),
                fmean(iops[row] for row in own),
                [measured[row] or 0.0 for row in own],
            )
            for condition, own in frames.rows_by(alike, known).items()
        ]
        notes: list[Flag] = []
        if len(known) < len(rows):
            gone = len(rows) - len(known)
            notes.append(flag("missing", metric=metric, n=gone, of=len(rows)))
        below = [one for one in found if one.mean < limit]
        best = max(below, key=lambda one: (one.iops, -one.mean), default=None)
        line: AnswerRow = {"row": rows[0], "n": 0, "n_below": 0, "notes": notes}
        if best is None:
            least = min((one.mean for one in found), default=None)
            code = "none-below" if least is None else "lowest"
            notes.append(flag(code, metric=metric, limit=limit, unit=unit, least=least))
        else:
            line |= best.told | {"iops": best.iops, "observed": best.mean, "n": len(best.values)}
            line["n_below"] = sum(value < limit for value in best.values)
            line |= _interval(best.values, limit, confidence, unit, notes)
            notes += _faster(found, best, unit)
        lines.append(line)
    own_columns = [*names, "iops", *ANSWERS["best_under"]]
    same = {"metric": metric, "unit": unit, "limit": limit, "confidence": confidence}
    return frames.answer(data, own_columns, named, lines, **same)


@dataclass(frozen=True)
class _Condition:
    """The runs under the same conditions: their mean IOPS, and the metric of each."""

    told: dict[str, Any]
    iops: float
    values: list[float]

    @property
    def mean(self) -> float:
        return fmean(self.values)


def _faster(found: Sequence[_Condition], best: _Condition, unit: str) -> list[Flag]:
    over = sorted((one for one in found if one.iops > best.iops), key=lambda one: one.iops)
    apart = frames.differing({name: [one.told[name] for one in found] for name in best.told})
    conditions = [
        (" ".join(f"{name} {one.told[name]}" for name in apart), one.mean) for one in over
    ]
    more = max(0, len(over) - _NAMED)
    told = {"conditions": conditions[:_NAMED], "more": more, "unit": unit}
    return [flag("faster", **told)] if over else []


def _interval(
    values: list[float], limit: float, confidence: float, unit: str, notes: list[Flag]
) -> AnswerRow:
    """Give the interval of the mean; add cautions to the notes."""
    if len(values) == 1:
        notes.append(flag("one-below"))
    if min(values) == max(values):
        return {}
    low, high = mean_interval(values, confidence, amount=min(values) >= 0)
    if high >= limit:
        notes.append(flag("reaches", high=high, unit=unit))
    return {"observed_lo": low, "observed_hi": high}


def _number(limit: Any, unit: str) -> float:
    if isinstance(limit, str):
        try:
            return float(amount(limit, unit))
        except ValueError as error:
            raise SchemaError(f"limit: {error}") from None
    return float(limit) if isinstance(limit, Real) else 0.0


def _measured(data: Frame, metric: str, percentiles: Any | None) -> list[float | None]:
    """Give the metric of each row, from `io` or from the percentiles of the same entry."""
    asked = _PERCENTILE.fullmatch(metric)
    if percentiles is None:
        if asked and metric not in data.columns:
            missing = typed("give percentiles=, such as .percentiles", "these files have none")
            raise SchemaError(f"{metric} is a percentile: {missing}")
        return frames.numbers(data, metric)
    if not asked:
        given = argument("percentiles")
        raise SchemaError(f"with {given}, the metric is p50, p99, p99.9, ..., not {metric!r}")
    table = frames.opened(percentiles, ["percentile", "value_ns"])
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
            raise replicates.refuse_several(table, rows, replicates.run_keys(table)[rows[0]])
    own = [found.get(key, [None])[0] for key in frames.keys_of(data, join)]
    if not frames.distinct(own):
        raise SchemaError(f"no row of io has a {metric} of its own, by {', '.join(join)}")
    return [None if row is None else latencies[row] for row in own]
