"""Where the spread comes from: threads, runs, machines, and which level to repeat more often."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, inf, sqrt
from statistics import fmean

import scipy
from narwhals.typing import IntoDataFrameT

from fiotools.errors import SchemaError, argument
from fiotools.stats import frames
from fiotools.stats.columns import Columns
from fiotools.stats.combine import thread_rows
from fiotools.stats.frames import AnswerRow, Key, check_confidence, is_number, metric_of
from fiotools.stats.replicates import checked, refuse_directions, run_keys, runs_of, watched


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
    metric, confidence
        As in `summarize`.
    by : str or sequence of str, optional
        The columns that make the groups; directions must be kept apart.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        A row per group: the columns of `by`; ``metric``, ``unit``; ``n`` runs, ``parts``, their
        threads; ``mean``; ``stddev_within``, between the threads of a run, and ``stddev_between``,
        between runs beyond what their threads explain, in the metric's unit; ``icc``, the share of
        the variance that lies between runs (intraclass correlation), with ``icc_lo``, ``icc_hi``;
        ``confidence``; ``varies_in``; ``warnings``. Values that need more runs are null.

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
    threads in each run. If threads compete for one device, the spread between runs is
    underestimated. Searle, Casella and McCulloch, "Variance components" (1992), chapter 3.

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
    frames.opened(io, [*named, metric, "run"])
    data = thread_rows(io, named)
    columns = Columns(data)
    refuse_directions(columns, named)
    series = checked(columns, metric, positive=False).tolist()
    keys, watch = run_keys(data), watched(columns, named)
    phase = frames.optional(data, "group")
    found: list[AnswerRow] = []
    for rows in columns.groups(named):
        runs = [
            [series[row] for row in own] for own in frames.rows_by(keys, rows.tolist()).values()
        ]
        line = components(runs, confidence)
        line |= {"row": int(rows[0]), "varies_in": columns.listed(watch, rows)}
        if len({(keys[row], phase[row]) for row in rows}) > len(runs):
            line["notes"].append(
                "threads of several groups, which may have run one after the other: name 'group' "
                f"in {argument('by')}"
            )
        found.append(line)
    same = {"metric": metric, "unit": metric_of(metric).unit, "confidence": confidence}
    return frames.answer(data, "variance_parts", named, found, **same)


def components(runs: Sequence[Sequence[float]], confidence: float = 0.95) -> AnswerRow:
    """Split the variance of runs of threads; a part that cannot be told is missing."""
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
    if within == 0:
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


def variance_levels(
    frame: IntoDataFrameT,
    metric: str,
    *,
    levels: Sequence[str],
    costs: Mapping[str, float] | None = None,
    by: str | Sequence[str] | None = None,
    scope: str | None = None,
    confidence: float = 0.95,
) -> IntoDataFrameT:
    """Split the spread of values into that of machines, runs and phases, and plan their repeats.

    Parameters
    ----------
    frame : pandas.DataFrame or polars.DataFrame
        One row per value, such as a phase of a run on a machine.
    metric, by, scope, confidence
        As in `summarize`.
    levels : sequence of str
        At least two columns that name the place of a value, the outermost first, such as
        ``["machine", "run", "phase"]``. Names are nested: run 1 of one machine is not run 1 of
        another.
    costs : mapping of str to float, optional
        The cost of one more of each level, without the levels below it, in any unit, such as the
        time to set up a machine or to begin a run; by default 1.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        A row per group and level: the columns of `by`; ``metric``, its ``unit``, ``level``; ``n``
        of the level; ``repeats``, on average in one of the level above; ``stddev``, the spread that
        the level brings by itself, with ``stddev_lo`` and ``stddev_hi``; ``variance_pct``, its
        share of the variance of one value; ``cost``; ``repeats_best``, how many in one of the level
        above give the most precise mean for the same cost (null for the outermost);
        ``confidence``; ``warnings``.

    Raises
    ------
    SchemaError
        For a missing column or value, fewer than two levels, several values of one place, invalid
        costs, mixed scopes or directions.

    See Also
    --------
    variance_parts : The threads of runs.

    Notes
    -----
    The variance of the means of a level less that of the level below over its repeats; below 0 it
    is taken for 0. The best number of repeats is ``sqrt(cost above / cost * variance / variance
    above)``, rounded up: Kalibera and Jones, "Rigorous benchmarking in reasonable time" (2013). The
    interval is exact for normal values of the innermost level, and for others that of Ting et al.,
    "Confidence intervals on linear combinations of variance components" (1990), for equally many
    repeats.

    Examples
    --------
    >>> import pandas as pd
    >>> runs = pd.DataFrame({
    ...     "run": [1, 1, 1, 2, 2, 2, 3, 3, 3], "phase": [1, 2, 3] * 3,
    ...     "iops": [100, 104, 102, 120, 122, 124, 111, 115, 110],
    ... })
    >>> found = variance_levels(runs, "iops", levels=["run", "phase"], costs={"run": 60})
    >>> found[["level", "n", "repeats", "stddev", "variance_pct", "repeats_best"]].round(1)
       level  n  repeats  stddev  variance_pct  repeats_best
    0    run  3      3.0     9.9          95.2          <NA>
    1  phase  9      3.0     2.2           4.8             2
    """
    check_confidence(confidence)
    named, within = frames.names(by), frames.names(levels)
    if len(set(within)) < 2 or len(set(within)) < len(within):
        raise SchemaError("levels= names two columns or more, the outermost first")
    given = dict.fromkeys(within, 1.0) | dict(costs or {})
    if len(given) > len(within) or not all(is_number(v) and 0 < v < inf for v in given.values()):
        raise SchemaError(f"costs={costs!r}: a number above 0 for each of the levels")
    prices = [float(given[name]) for name in within]
    runs = runs_of(frames.opened(frame), metric, [*named, *within], scope)
    data, values = runs.data, runs.numbers.tolist()
    places = list(zip(*(frames.complete(data, name) for name in within), strict=True))
    lines: list[AnswerRow] = []
    for rows in runs.columns.groups(named):
        tree = {places[row]: values[row] for row in rows.tolist()}
        if len(tree) < len(rows):
            raise SchemaError(
                f"several values of one {', '.join(within)}: name what tells them apart as the "
                "last of levels="
            )
        found = split(tree, confidence)
        best = best_repeats([one.variance for one in found], prices)
        total = sum(one.variance for one in found)
        for one, level, cost, repeats in zip(found, within, prices, best, strict=True):
            own = {"row": int(rows[0]), "level": level, "cost": cost, "repeats_best": repeats}
            lines.append(one.answer(total) | own)
    same = {"metric": metric, "unit": metric_of(metric).unit, "confidence": confidence}
    return frames.answer(data, "variance_levels", named, lines, **same)


@dataclass(frozen=True)
class Level:
    """What one level brings: there are `n` of it, `repeats` in one of the level above on average.

    `variance` is its own, with the interval `ends` (None if one of the level above has no two of
    this). `unequal` says that the level below has unequally many repeats.
    """

    n: int
    repeats: float
    variance: float
    ends: tuple[float, float] | None
    unequal: bool

    def answer(self, total: float) -> AnswerRow:
        """Say it in the columns of the answer."""
        line: AnswerRow = {"n": self.n, "repeats": self.repeats, "notes": []}
        if self.ends is None:
            line["notes"].append("need >= 2 in one of the level above for their spread")
            return line
        line |= {"stddev": sqrt(self.variance)}
        line |= {"stddev_lo": sqrt(self.ends[0]), "stddev_hi": sqrt(self.ends[1])}
        if total > 0:
            line["variance_pct"] = 100 * self.variance / total
        if self.variance == 0:
            line["notes"].append("they differ less than the level below suggests: taken as 0")
        if self.unequal:
            line["notes"].append("unequally many repeats: the interval is approximate")
        return line


def split(values: Mapping[Key, float], confidence: float = 0.95) -> list[Level]:
    """Split the variance of values by the levels of their places, the outermost first."""
    means, found = dict(values), []
    below, below_df, unequal = 0.0, 0, False
    while next(iter(means)):
        above: dict[Key, list[float]] = {}
        for key, mean in means.items():
            above.setdefault(key[:-1], []).append(mean)
        sizes = [len(own) for own in above.values()]
        df = sum(sizes) - len(sizes)
        middles = {key: fmean(own) for key, own in above.items()}
        squares = sum((mean - middles[key[:-1]]) ** 2 for key, mean in means.items())
        spread = squares / df if df else 0.0
        ends = _interval(spread, df, below, below_df, confidence) if df else None
        variance = max(0.0, spread - below)
        found.append(Level(len(means), fmean(sizes), variance, ends, unequal))
        below, below_df = spread * fmean(1 / size for size in sizes), df
        unequal, means = unequal or len(set(sizes)) > 1, middles
    return found[::-1]


def _interval(
    spread: float, df: int, below: float, below_df: int, confidence: float
) -> tuple[float, float]:
    """Give the interval of ``spread - below``, two mean squares."""
    tails = (1 - confidence) / 2, (1 + confidence) / 2
    low, high = (df / float(scipy.special.chdtri(df, tail)) for tail in tails)  # < 1 < high
    if below <= 0 or below_df == 0:
        return low * spread, high * spread
    under, over = (below_df / float(scipy.special.chdtri(below_df, tail)) for tail in tails)
    most, least = (float(scipy.special.fdtri(df, below_df, tail)) for tail in tails[::-1])
    g, h = 1 - low, over - 1
    cross = ((most - 1) ** 2 - g**2 * most**2 - h**2) / most
    down = sqrt(max(0.0, g**2 * spread**2 + h**2 * below**2 + cross * spread * below))
    h, g = high - 1, 1 - under
    cross = ((1 - least) ** 2 - h**2 * least**2 - g**2) / least
    up = sqrt(max(0.0, h**2 * spread**2 + g**2 * below**2 + cross * spread * below))
    return max(0.0, spread - below - down), max(0.0, spread - below + up)


def best_repeats(variances: Sequence[float], costs: Sequence[float]) -> list[int | None]:
    """Say how many of each level, the outermost first, one of the level above should have.

    A level without spread is not repeated, and its cost is that of the level above. If nothing
    above a level spreads, there is no best number.
    """
    found: list[int | None] = [None]
    spread, price = variances[0], costs[0]
    for variance, cost in zip(variances[1:], costs[1:], strict=True):
        if variance <= 0 < spread:
            found.append(1)
            price += cost
            continue
        found.append(ceil(sqrt(price / cost * variance / spread)) if spread > 0 else None)
        spread, price = variance, cost
    return found
