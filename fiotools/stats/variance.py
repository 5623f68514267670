"""Where the spread comes from: machines, runs, phases, and which level to repeat more often."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, inf, sqrt
from statistics import fmean

import numpy as np
import scipy
from narwhals.typing import IntoDataFrameT

from fiotools.errors import SchemaError, argument
from fiotools.flags import flag
from fiotools.stats import frames
from fiotools.stats.frames import AnswerRow, Array, Key, check_confidence, is_number, metric_of
from fiotools.stats.question import FOUND, question
from fiotools.stats.replicates import runs_of

_SKEWED = 1.75  # standard errors of the skewness of normal values


@question()
def variance(
    frame: IntoDataFrameT,
    metric: str = FOUND,
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
    frame : Results, pandas.DataFrame or polars.DataFrame
        One row per value, such as a phase of a run on a machine.
    metric : str, optional
        The column of numbers to look at; by default the only one, such as ``real_s``.
    levels : sequence of str
        Two columns or more that name the place of a value, the outermost first: machine,run,phase.
        Names are nested: run 1 of one machine is not run 1 of
        another.
    costs : mapping of str to float, optional
        The cost of one more of a level, without the levels below it: machine=3600; by default 1.
        Any unit will do, such as the time to set up a machine or to begin a run.
    by : str or sequence of str, optional
        The columns that make the groups.
    scope
        As in `summarize`.
    confidence : float
        Confidence of the intervals.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        A row per group and level: the columns of `by`; ``metric``, its ``unit``, ``level``; ``n``
        of the level; ``repeats``, on average in one of the level above; ``stddev``, the spread that
        the level brings by itself, with ``stddev_lo`` and ``stddev_hi``; ``variance_pct``, its
        share of the variance of one value; ``cost``; ``repeats_best``, how many in one of the level
        above give the most precise mean for the same cost (null for the outermost);
        ``confidence``; ``flags``, ``details``.

    Raises
    ------
    SchemaError
        For a missing column or value, fewer than two levels, several values of one place, invalid
        costs, mixed scopes or directions.

    Notes
    -----
    The variance of the means of a level less that of the level below over its repeats; below 0 it
    is taken for 0. The best number of repeats is ``sqrt(cost above / cost * variance / variance
    above)``, rounded up: Kalibera and Jones, "Rigorous benchmarking in reasonable time" (2013). The
    interval is exact for normal values of the innermost level, and for others that of Ting et al.,
    "Confidence intervals on linear combinations of variance components" (1990), for equally many
    repeats. Skewed values of the innermost level have wider intervals than that: a flag says it.

    Examples
    --------
    >>> import pandas as pd
    >>> runs = pd.DataFrame({
    ...     "run": [1, 1, 1, 2, 2, 2, 3, 3, 3], "phase": [1, 2, 3] * 3,
    ...     "iops": [100, 104, 102, 120, 122, 124, 111, 115, 110],
    ... })
    >>> found = variance(runs, "iops", levels=["run", "phase"], costs={"run": 60})
    >>> found[["level", "n", "repeats", "stddev", "variance_pct", "repeats_best"]].round(1)
       level  n  repeats  stddev  variance_pct  repeats_best
    0    run  3      3.0     9.9          95.2          <NA>
    1  phase  9      3.0     2.2           4.8             2
    """
    check_confidence(confidence)
    named, within = frames.names(by), frames.names(levels)
    if len(set(within)) < 2 or len(set(within)) < len(within):
        raise SchemaError(f"{argument('levels')} names two columns or more, the outermost first")
    given = dict.fromkeys(within, 1.0) | dict(costs or {})
    if len(given) > len(within) or not all(is_number(v) and 0 < v < inf for v in given.values()):
        raise SchemaError(f"{argument('costs')}{costs!r}: a number above 0 for each of the levels")
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
                f"last of {argument('levels')}"
            )
        found = split(tree, confidence)
        best = best_repeats([one.variance for one in found], prices)
        total = sum(one.variance for one in found)
        for one, level, cost, repeats in zip(found, within, prices, best, strict=True):
            own = {"row": int(rows[0]), "level": level, "cost": cost, "repeats_best": repeats}
            lines.append(one.answer(total) | own)
    same = {"metric": metric, "unit": metric_of(metric).unit, "confidence": confidence}
    return frames.answer(data, "variance", named, lines, **same)


@dataclass(frozen=True)
class Level:
    """What one level brings: there are `n` of it, `repeats` in one of the level above on average.

    `variance` is its own, with the interval `ends` (None if one of the level above has no two of
    this). `unequal` says that the level below has unequally many repeats, `skewed` that the values
    of the innermost level lie far off on one side: the interval takes them for normal.
    """

    n: int
    repeats: float
    variance: float
    ends: tuple[float, float] | None
    unequal: bool
    skewed: bool = False

    def answer(self, total: float) -> AnswerRow:
        """Say it in the columns of the answer."""
        line: AnswerRow = {"n": self.n, "repeats": self.repeats, "notes": []}
        if self.ends is None:
            line["notes"].append(flag("one-in-each"))
            return line
        line |= {"stddev": sqrt(self.variance)}
        line |= {"stddev_lo": sqrt(self.ends[0]), "stddev_hi": sqrt(self.ends[1])}
        if total > 0:
            line["variance_pct"] = 100 * self.variance / total
        if self.variance == 0:
            line["notes"].append(flag("below-0"))
        if self.unequal:
            line["notes"].append(flag("unequal"))
        if self.skewed:
            line["notes"].append(flag("skewed"))
        return line


def split(values: Mapping[Key, float], confidence: float = 0.95) -> list[Level]:
    """Split the variance of values by the levels of their places, the outermost first."""
    means = dict(values)
    found: list[Level] = []
    below, below_df, unequal = 0.0, 0, False
    while next(iter(means)):
        above: dict[Key, list[float]] = {}
        for key, mean in means.items():
            above.setdefault(key[:-1], []).append(mean)
        sizes = [len(own) for own in above.values()]
        df = sum(sizes) - len(sizes)
        middles = {key: fmean(own) for key, own in above.items()}
        rest = np.array([mean - middles[key[:-1]] for key, mean in means.items()])
        squares = float(rest @ rest)
        skewed = not found and _is_skewed(rest)
        spread = squares / df if df else 0.0
        ends = _interval(spread, df, below, below_df, confidence) if df else None
        variance = max(0.0, spread - below)
        found.append(Level(len(means), fmean(sizes), variance, ends, unequal, skewed))
        below, below_df = spread * fmean(1 / size for size in sizes), df
        unequal, means = unequal or len(set(sizes)) > 1, middles
    return found[::-1]


def _is_skewed(rest: Array) -> bool:
    """Say whether deviations lie on one side farther than those of normal values do."""
    spread = float(np.mean(rest**2))
    skew = abs(float(np.mean(rest**3))) / spread**1.5 if spread else 0.0
    return skew > _SKEWED * sqrt(6 / len(rest))


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
