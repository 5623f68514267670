"""One group at a time: where its runs lie, and how far apart."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, sqrt
from statistics import fmean
from typing import NamedTuple

import numpy as np
import scipy
from narwhals.typing import IntoDataFrameT

from fiotools.flags import Flag, flag, rare_modes
from fiotools.stats import frames
from fiotools.stats.drift import Placed, drift
from fiotools.stats.frames import AnswerRow, Array, Metric, check_confidence, metric_of
from fiotools.stats.order import Order, in_rows
from fiotools.stats.percentiles import ios_needed, ranks_around
from fiotools.stats.population import unlike
from fiotools.stats.question import FOUND, question
from fiotools.stats.replicates import one_row_each, runs_of

_NOISY_PCT = 10.0  # where pyperf and Process-DiskSpd start to complain
_FARTHEST = 300.0  # of a logarithm: beyond, its number overflows
_MANY = 6  # runs for a 95 % interval of a median, and before a value may be called odd


@question()
def summarize(
    frame: IntoDataFrameT,
    metric: str = FOUND,
    *,
    by: str | Sequence[str] | None = None,
    scope: str | None = None,
    confidence: float = 0.95,
) -> IntoDataFrameT:
    """Summarize the runs of each group: their center and its interval, spread, odd ones out.

    Parameters
    ----------
    frame : Results, pandas.DataFrame or polars.DataFrame
        One row per run and group, such as `Results.io`. Without a column ``run``, each row is a
        run.
    metric : str, optional
        The column of numbers to look at; by default the only one, such as ``real_s``.
    by : str or sequence of str, optional
        The columns that make the groups.
    scope : str, optional
        Without it, rows of scope ``total``, or of the only scope there is.
    confidence : float
        Confidence of both intervals, at least.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        A row per group: the columns of `by`; ``metric`` and its ``unit``; ``n`` runs; ``center``,
        ``center_lo``, ``center_hi`` (null for one run, and if all are equal) by a ``method``:
        ``log-t``, the geometric mean and Student's t of logarithms, which are the centers of
        `compare` and of plots; or ``t``, the mean, if any value is 0 or below; ``median``,
        ``median_lo``, ``median_hi`` (exact, from order statistics; null below 6 runs); ``mean``;
        ``stddev``; ``cov_pct``, the coefficient of variation; ``min``; ``max``; ``outliers``,
        counted and never dropped; ``varies_in``, conditions and labels that differ among the runs
        and were not named; ``flags``, ``details``; ``confidence``.

    Raises
    ------
    SchemaError
        For a missing column or value, mixed scopes or directions, several rows for one run.

    Notes
    -----
    The center of a few runs that miss a slow mode is that of the others, and its interval does not
    hold the center of all: a flag says with which chance n runs miss a mode of 10 or 20 % of them.

    An outlier lies 10 scaled median absolute deviations off the median (hyperfine's rule), among 6
    runs or more; if more than half of the values are the same, 10 % off. Drift and a slow first run
    are looked for if the order of the runs is known: from ``started_at``, ``reported_at``, ``run``
    within one ``source``, a column ``round``, numbers in file names, or the rows of a plain frame.

    Examples
    --------
    >>> import pandas as pd
    >>> tar = pd.DataFrame({"mount": ["virtiofs"] * 3, "real_s": [6.130, 5.259, 5.370]})
    >>> answer = summarize(tar, "real_s", by="mount")
    >>> answer[["mount", "n", "center", "center_lo", "center_hi", "median", "mean"]].round(2)
          mount  n  center  center_lo  center_hi  median  mean
    0  virtiofs  3    5.57       4.53       6.85    5.37  5.59
    >>> answer["flags"][0], answer["details"][0]
    ('median;rare-modes', '[{"n": 6}, {"n": 3, "what": "runs"}]')
    """
    check_confidence(confidence)
    named = frames.names(by)
    runs = runs_of(frames.opened(frame), metric, named, scope)
    columns, measure = runs.columns, metric_of(metric)
    order = runs.order
    if "source" not in columns and order is None:
        order = Order(in_rows(columns), True)
    method = method_of(runs.numbers)
    found = []
    for rows in columns.groups(named):
        one_row_each(columns, rows)
        places = order.of(rows) if order else None
        placed = rows if places is None else rows[np.argsort(places, kind="stable")]
        varies = columns.listed(runs.watch, rows)
        # a change made from run to run is not a drift
        known = order if places is not None and not varies else None
        line = _summary(runs.numbers[placed], measure, method, confidence, known)
        line |= {"row": int(rows[0]), "varies_in": varies}
        line["notes"] += runs.targets.several(rows)
        found.append(line)
    same = {"metric": metric, "unit": measure.unit, "method": method, "confidence": confidence}
    return frames.answer(runs.data, "summarize", named, found, **same)


def _summary(
    values: Array, metric: Metric, method: str, confidence: float, order: Order | None
) -> AnswerRow:
    n, mean, middle = len(values), fmean(values.tolist()), float(np.median(values))
    least, most, odd = float(values.min()), float(values.max()), outliers(values)
    median_lo, median_hi = median_interval(values, confidence)
    center = center_of(values, confidence, method=method, amount=metric.is_amount)
    notes: list[Flag] = []
    line: AnswerRow = {
        "n": n,
        "center": center.value,
        "center_lo": center.low,
        "center_hi": center.high,
        "median": middle,
        "median_lo": median_lo,
        "median_hi": median_hi,
        "mean": mean,
        "min": least,
        "max": most,
        "outliers": len(odd),
        "notes": notes,
    }
    if median_lo is None:
        notes.append(flag("median", n=ios_needed(50, confidence)))
    if n == 1:
        notes.append(flag("center"))
        return line
    # the deviation of equal numbers is a rest of rounding
    spread = line["stddev"] = float(values.std(ddof=1)) if most > least else 0.0
    if center.low is None:
        notes.append(flag("center-no-spread"))
    elif rare_modes(n):
        notes.append(flag("rare-modes", n=n, what="runs"))
    if mean > 0:
        line["cov_pct"] = 100 * spread / mean
        if line["cov_pct"] >= _NOISY_PCT:
            notes.append(flag("noisy", share=line["cov_pct"] / 100))
    logs = np.log(values) if least > 0 else None
    if logs is not None:
        notes += unlike(logs)
    if odd:
        notes.append(flag("outliers", values=[f"{value:.6g}" for value in values[odd]]))
    if order and 0 in odd and metric.better and metric.sign * (values[0] - middle) < 0:
        notes.append(flag("slow-first", order=order.name))
    if order and logs is not None:
        trend = drift([Placed(np.arange(n), logs)], confidence=confidence, order=order.name)
        notes += [trend] if trend else []
    return line


class Center(NamedTuple):
    """The center of runs, and its interval if they are several that differ."""

    value: float
    low: float | None = None
    high: float | None = None


def method_of(values: Sequence[float] | Array) -> str:
    """Say which center values have that stand beside each other: one with 0 has no logarithm."""
    return "log-t" if min(values) > 0 else "t"


def center_of(
    values: Sequence[float] | Array,
    confidence: float = 0.95,
    *,
    method: str = "",
    amount: bool = True,
) -> Center:
    """Give the geometric mean with the interval of Student's t on logarithms.

    By the method ``t`` it is the mean; the interval of an amount, which is at least 0, is then that
    of the logarithm of the mean, and stays above 0.

    Examples
    --------
    >>> [round(one, 2) for one in center_of([6.130, 5.259, 5.370])]
    [5.57, 4.53, 6.85]
    """
    own = np.asarray(values, dtype=np.float64)
    n, least, most = len(own), float(own.min()), float(own.max())
    method = method or method_of(own)
    if most - least <= 1e-12 * max(abs(least), abs(most)):  # a mean of logarithms is rounded
        return Center(float(own[0]))
    is_log = method == "log-t"
    used = np.log(own) if is_log else own
    mean = fmean(used.tolist())
    reach = float(scipy.special.stdtrit(n - 1, (1 + confidence) / 2))
    half = reach * float(used.std(ddof=1)) / sqrt(n)
    if is_log:
        half = min(half, _FARTHEST)
        return Center(exp(mean), exp(mean - half), exp(mean + half))
    if amount and least >= 0:
        factor = exp(min(half / mean, _FARTHEST))
        return Center(mean, mean / factor, mean * factor)
    return Center(mean, mean - half, mean + half)


def median_interval(
    values: Sequence[float] | Array, confidence: float = 0.95
) -> tuple[float | None, float | None]:
    """Give the exact interval of a median: a pair of order statistics, free of assumptions."""
    places = ranks_around(50, len(values), confidence)
    if places is None:
        return None, None
    by_size = np.sort(values)
    return float(by_size[places[0] - 1]), float(by_size[places[1] - 1])


def outliers(values: Sequence[float] | Array) -> list[int]:
    """Give the places of odd values, by the modified z score."""
    if len(values) < _MANY:
        return []
    middle = float(np.median(values))
    off = np.abs(np.asarray(values) - middle)
    limit = 10 * 1.4826 * float(np.median(off)) or 0.1 * abs(middle)
    return [int(place) for place in np.flatnonzero(off > limit)]
