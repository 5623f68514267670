"""One group at a time: where its runs lie, and how far apart."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log, sqrt
from statistics import fmean, median, stdev

import scipy
from narwhals.typing import IntoDataFrameT

from fiotools.stats import frames, replicates
from fiotools.stats.drift import drift
from fiotools.stats.frames import AnswerRow, Metric, check_confidence, metric_of
from fiotools.stats.percentiles import ios_needed, ranks_around
from fiotools.units import percent

_NOISY_PCT = 10.0  # where pyperf and Process-DiskSpd start to complain
_FARTHEST = 300.0  # of a logarithm: beyond, its number overflows
_MANY = 6  # runs for a 95 % interval of a median, and before a value may be called odd


def summarize(
    frame: IntoDataFrameT,
    metric: str,
    *,
    by: str | Sequence[str] | None = None,
    scope: str | None = None,
    confidence: float = 0.95,
) -> IntoDataFrameT:
    """Summarize the runs of each group: median and mean with their intervals, spread, odd ones out.

    Parameters
    ----------
    frame : pandas.DataFrame or polars.DataFrame
        One row per run and group, such as `Results.io`. Without a column ``run``, each row is a
        run.
    metric : str
        A column of numbers.
    by : str or sequence of str, optional
        The columns that make the groups.
    scope : str, optional
        Without it, rows of scope ``total``, or of the only scope there is.
    confidence : float
        Of both intervals, at least.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        A row per group: the columns of `by`; ``metric`` and its ``unit``; ``n`` runs; ``median``,
        ``median_lo``, ``median_hi`` (exact, from order statistics; null below 6 runs); ``mean``,
        ``mean_lo``, ``mean_hi`` (Student's t, on logarithms for rates, times and all of the
        vocabulary, which cannot be below 0; null for one run, and if all are equal); ``stddev``;
        ``cov_pct``, the coefficient of variation; ``min``; ``max``; ``outliers``, counted and never
        dropped; ``varies_in``, conditions and labels that differ among the runs and were not named;
        ``warnings``; ``confidence``.

    Raises
    ------
    SchemaError
        For a missing column or value, mixed scopes or directions, several rows for one run.

    Notes
    -----
    An outlier lies 10 scaled median absolute deviations off the median (hyperfine's rule), among 6
    runs or more; if more than half of the values are the same, 10 % off. Drift and a slow first run
    are looked for if the order of the runs is known: from ``started_at``, ``reported_at``, ``run``
    within one ``source``, a column ``round``, numbers in file names, or the rows of a plain frame.

    Examples
    --------
    >>> import pandas as pd
    >>> tar = pd.DataFrame({"mount": ["virtiofs"] * 3, "real_s": [6.130, 5.259, 5.370]})
    >>> answer = summarize(tar, "real_s", by="mount")
    >>> answer[["mount", "n", "median", "mean", "mean_lo", "mean_hi"]].round(2)
          mount  n  median  mean  mean_lo  mean_hi
    0  virtiofs  3    5.37  5.59     4.52      6.9
    >>> answer["warnings"][0]
    'median: need >= 6 runs for its interval'
    """
    check_confidence(confidence)
    named = frames.names(by)
    runs = replicates.runs_of(frames.opened(frame), metric, named, scope)
    data, numbers, measure = runs.data, runs.numbers, metric_of(metric)
    order = runs.order
    if "source" not in data.columns and order is None:
        order = replicates.Order(list(range(len(data))), True, replicates.SERIES)
    found = []
    for rows in frames.groups(data, named).values():
        first = rows[0]
        replicates.one_row_each(data, rows, runs.keys)
        places = order and replicates.sortable([order.places[row] for row in rows])
        if places:
            rows = [row for _, row in sorted(zip(places, rows, strict=True))]
        series = [numbers[row] for row in rows]
        varies = frames.varying(runs.watch, rows)
        # a change made from run to run is not a drift
        line = _summary(series, measure, confidence, order if places and not varies else None)
        line |= {"row": first, "varies_in": varies}
        line["notes"] += replicates.several_targets(runs.targets[row] for row in rows)
        found.append(line)
    same = {"metric": metric, "unit": measure.unit, "confidence": confidence}
    return frames.answer(data, "summarize", named, found, **same)


def _summary(
    series: list[float], metric: Metric, confidence: float, order: replicates.Order | None
) -> AnswerRow:
    n, mean, odd = len(series), fmean(series), outliers(series)
    median_lo, median_hi = median_interval(series, confidence)
    notes: list[str] = []
    line: AnswerRow = {
        "n": n,
        "median": median(series),
        "median_lo": median_lo,
        "median_hi": median_hi,
        "mean": mean,
        "min": min(series),
        "max": max(series),
        "outliers": len(odd),
        "notes": notes,
    }
    if median_lo is None:
        notes.append(f"median: need >= {ios_needed(50, confidence)} runs for its interval")
    if n == 1:
        notes.append("mean: need >= 2 runs for its interval")
        return line
    spread = line["stddev"] = stdev(series)
    if max(series) - min(series) <= 1e-12 * max(map(abs, series)):
        notes.append("mean: no spread at all, so no interval")
    else:
        amount = metric.is_amount and min(series) >= 0
        line["mean_lo"], line["mean_hi"] = mean_interval(series, confidence, amount=amount)
    if mean > 0:
        line["cov_pct"] = 100 * spread / mean
        if line["cov_pct"] >= _NOISY_PCT:
            notes.append(f"runs spread by {percent(line['cov_pct'] / 100)} % (CoV)")
    if min(series) > 0:
        notes += replicates.unlike([log(value) for value in series])
    if odd:
        notes.append("outliers: " + ", ".join(f"{series[i]:.6g}" for i in odd))
    if order and 0 in odd and metric.better and metric.sign * (series[0] - line["median"]) < 0:
        known = "" if order.across else f" {order.over}"
        notes.append(f"slow first run{known}: cold cache?")
    if order and min(series) > 0:
        trend = drift([list(enumerate(series))], confidence=confidence, over=order.over)
        notes += [trend] if trend else []
    return line


def mean_interval(
    series: Sequence[float], confidence: float = 0.95, *, amount: bool = True
) -> tuple[float, float]:
    """Give the interval of a mean: Student's t, for an amount that of the logarithm of the mean.

    It keeps an amount above 0, and for skewed runs holds the mean more often than ``mean +- half``;
    if the runs spread by less than 10 % the two hardly differ.
    """
    n, mean = len(series), fmean(series)
    half = float(scipy.special.stdtrit(n - 1, (1 + confidence) / 2)) * stdev(series) / sqrt(n)
    if not amount:
        return mean - half, mean + half
    factor = exp(min(half / mean, _FARTHEST))
    return mean / factor, mean * factor


def median_interval(
    series: Sequence[float], confidence: float = 0.95
) -> tuple[float | None, float | None]:
    """Give the exact interval of a median: a pair of order statistics, free of assumptions."""
    places = ranks_around(50, len(series), confidence)
    if places is None:
        return None, None
    ordered = sorted(series)
    return float(ordered[places[0] - 1]), float(ordered[places[1] - 1])


def outliers(series: Sequence[float]) -> list[int]:
    """Give the places of odd values, by the modified z score."""
    if len(series) < _MANY:
        return []
    middle = median(series)
    off = [abs(value - middle) for value in series]
    limit = 10 * 1.4826 * median(off) or 0.1 * abs(middle)
    return [i for i, distance in enumerate(off) if distance > limit]
