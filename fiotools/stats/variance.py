"""Where the spread comes from: threads of one run, or one run and the next."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from statistics import fmean

import scipy
from narwhals.typing import IntoDataFrameT

from fiotools.hints import argument
from fiotools.stats import frames
from fiotools.stats.arguments import check_confidence, metric_of
from fiotools.stats.frames import AnswerRow
from fiotools.stats.replicates import checked, refuse_directions, run_keys, watched
from fiotools.stats.threads import thread_rows
from fiotools.vocabulary import ANSWERS


def variance_parts(
    io: IntoDataFrameT,
    metric: str = "iops",
    *,
    by: str | Sequence[str] | None = None,
    confidence: float = 0.95,
) -> IntoDataFrameT:
    """Split the spread of threads into that within runs and that between runs.

    Parameters
    ----------
    io : pandas.DataFrame or polars.DataFrame
        A table such as `Results.io` of several runs, with rows of threads or jobs, as for
        `per_thread`; a column ``run`` is needed.
    metric : str
        A column of numbers.
    by : str or sequence of str, optional
        The columns that make the groups; directions must be kept apart.
    confidence : float
        Of the interval.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        A row per group: the columns of `by`; ``metric``, ``unit``; ``n`` runs, ``parts``, the
        threads of all of them; ``mean``; ``stddev_within``, between the threads of a run, and
        ``stddev_between``, between runs beyond what their threads explain, both in the metric's
        unit; ``icc``, the share of the variance that lies between runs (intraclass correlation),
        with ``icc_lo``, ``icc_hi``; ``confidence``; ``varies_in``; ``warnings``. Null is what the
        runs are too few for.

    Raises
    ------
    SchemaError
        If a column is missing, no row is of a single thread, a value is missing, or directions are
        mixed.

    Notes
    -----
    One-way analysis of variance with random runs: ``stddev_between^2 = (MS_between - MS_within) /
    n0``, with n0 the threads per run, averaged for unequal runs; below 0 it is taken for 0. The
    interval of ``icc`` is that of the F distribution, exact for normal values and equally many
    threads in each run. Threads that compete for one device are not independent: what one
    gains another loses, and the spread between runs is then underestimated. See Searle, Casella
    and McCulloch, "Variance components" (1992), chapter 3.

    Examples
    --------
    >>> import pandas as pd
    >>> io = pd.DataFrame({
    ...     "run": [1, 1, 2, 2, 3, 3], "thread": [0, 1] * 3, "direction": "read",
    ...     "iops": [100, 104, 120, 122, 111, 115],
    ... })
    >>> found = variance_parts(io)
    >>> found[["n", "parts", "mean", "stddev_within", "stddev_between", "icc"]].round(2)
       n  parts   mean  stddev_within  stddev_between   icc
    0  3      6  112.0           2.45            9.38  0.94
    """
    check_confidence(confidence)
    named = frames.names(by)
    frames.need(frames.opened(io), [*named, metric, "run"])
    data = thread_rows(io, named)
    refuse_directions(data, named)
    series = checked(data, metric, positive=False)
    keys, watch = run_keys(data), frames.columns(data, watched(data, named))
    phase = frames.optional(data, "group")
    unit = metric_of(metric).unit
    found: list[AnswerRow] = []
    cells = list(frames.groups(data, named).values())
    for rows in cells:
        runs = [[series[row] for row in own] for own in frames.rows_by(keys, rows).values()]
        line = components(runs, confidence)
        varies = ", ".join(frames.differing(watch, rows)) or None
        if len({(keys[row], phase[row]) for row in rows}) > len(runs):
            line["notes"].append(
                "threads of several groups, which may have run one after the other: name 'group' "
                f"in {argument('by')}"
            )
        line |= {"metric": metric, "unit": unit, "varies_in": varies, "confidence": confidence}
        found.append(line)
    return frames.answer(
        data, ANSWERS["variance_parts"], frames.kept(named, [rows[0] for rows in cells]), found
    )


def components(runs: Sequence[Sequence[float]], confidence: float = 0.95) -> AnswerRow:
    """Split the variance of runs of threads; what cannot be told is left out, with a note.

    Examples
    --------
    >>> found = components([[9, 11], [19, 21]])
    >>> round(found["stddev_within"] ** 2, 9), round(found["stddev_between"] ** 2, 9)
    (2.0, 49.0)
    """
    sizes = [len(run) for run in runs]
    k, count = len(runs), sum(sizes)
    middle = fmean(value for run in runs for value in run)
    found: AnswerRow = {"n": k, "parts": count, "mean": middle, "notes": []}
    if count == k:
        found["notes"].append("one thread in each run: the two cannot be told apart")
        return found
    means = [fmean(run) for run in runs]
    inner = sum((value - m) ** 2 for run, m in zip(runs, means, strict=True) for value in run)
    within = inner / (count - k)
    found["stddev_within"] = sqrt(within)
    if k < 2:
        found["notes"].append("need >= 2 runs for the spread between them")
        return found
    outer = sum(size * (m - middle) ** 2 for size, m in zip(sizes, means, strict=True)) / (k - 1)
    threads = (count - sum(size**2 for size in sizes) / count) / (k - 1)
    between = (outer - within) / threads
    if between < 0:
        found["notes"].append("runs differ less than threads suggest: between runs taken as 0")
        between = 0.0
    found["stddev_between"] = sqrt(between)
    if within + between == 0 or within == 0:
        return found | ({"icc": 1.0} if between else {})
    found["icc"] = between / (within + between)
    ratio, tail = outer / within, (1 - confidence) / 2
    low, high = (
        (ratio / float(scipy.special.fdtri(k - 1, count - k, q)) - 1) for q in (1 - tail, tail)
    )
    found["icc_lo"], found["icc_hi"] = (max(0.0, end / (end + threads)) for end in (low, high))
    if len(set(sizes)) > 1:
        found["notes"].append("runs have unequally many threads: the interval is approximate")
    return found
