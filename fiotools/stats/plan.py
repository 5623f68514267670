"""How many runs it will take, before they are made."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations, product
from math import exp, inf, log1p, sqrt
from typing import Any, TypeAlias

import narwhals as nw
import numpy as np
import scipy

from fiotools.errors import SchemaError, argument
from fiotools.flags import Flag, flag
from fiotools.stats import frames
from fiotools.stats.columns import NO_ROWS, Rows, split
from fiotools.stats.estimates import Power
from fiotools.stats.frames import AnswerRow, check_confidence, is_number, metric_of
from fiotools.stats.gate import LOSSES, Rule
from fiotools.stats.population import unlike
from fiotools.stats.question import question
from fiotools.stats.replicates import Runs, runs_of
from fiotools.stats.sides import Sides, matched, sides_of
from fiotools.vocabulary import CONDITIONS

_SHOWS_TAILS = 100  # runs of a pilot in which some are far off, if runs are now and then
_SURE = 0.80  # chance that the spread planned with is at least the true one


# the variance of the logarithms of a pilot's runs, and of the differences of its pairs ("rounds"),
# each with its upper limit
_Spread: TypeAlias = Mapping[str, tuple[float, float]]


@question()
def plan(
    pilot: Any,
    metric: str | None = None,
    *,
    between: str | None = None,
    by: str | Sequence[str] | None = None,
    pair: str | None = None,
    scope: str | None = None,
    differences: float | Sequence[float] = (0.10, 0.15, 0.20),
    power: float | Sequence[float] = (0.8, 0.9),
    confidence: float = 0.95,
    comparisons: int | None = None,
    band: float = 0.05,
    fail_if: str | None = None,
) -> Any:
    """Plan a comparison: how many runs a side it takes until its verdict sees a difference.

    Parameters
    ----------
    pilot : Results, pandas.DataFrame or polars.DataFrame, or float
        Runs made before, a row per run as for `compare`; or the known coefficient of variation of
        the runs, .03 for 3 %, which is then taken for the true one.
    metric : str, optional
        The column of numbers above zero to plan for.
    between : str, optional
        The column that holds the sides of the pilot; without it all runs are of one side.
    by : str or sequence of str, optional
        The cells of the later comparison. The plan is for the one that needs the most runs.
    pair : str, optional
        The column that pairs runs of the sides, such as a round. Then rounds are planned too, with
        the correlation of the pilot's rounds.
    scope : str, optional
        As in `compare`.
    differences : float or sequence of float
        True differences to see, as shares: .1 is a ratio of 1.1. No number of runs shows one up to
        the `band`.
    power : float or sequence of float
        Chances to see the difference.
    confidence : float
        Confidence of the interval of the later `compare`.
    comparisons : int, optional
        How many comparisons the later answer has; by default as many as the pilot: levels beside
        the baseline, times cells of `by`.
    band : float
        Differences up to this share do not matter: the verdict of the later `compare` speaks of
        more than the band. With 0 it is that the interval excludes equality, and "same" is then
        within the difference.
    fail_if : str, optional
        A rule of `gate`, such as ``"slower:5%"`` or ``"shown-not-slower:5%"``, to plan for its
        outcome instead.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        A row per difference and power (a pandas frame if `pilot` is a number):

        * the columns of `by`: the cell that needs the most; ``metric``; ``n``: runs of its pilot;
          ``cov_pct``: their coefficient of variation, and ``cov_hi_pct``: its upper 80 % limit, for
          which it plans; ``correlation``: of the runs of a round; ``difference_pct``, ``power``;
        * ``runs_differ``: runs a side to see it: that the verdict is "faster" or "slower" by more
          than the band, or that the gate fails, with that power if there is the difference;
          ``runs_same``: to rule it out: that the verdict is "same", or that the gate passes as
          shown, if the sides are equal; ``rounds_differ``, ``rounds_same``: the same of pairs; null
          above 1000;
        * ``confidence``, ``comparisons``, ``band``, ``rule``; ``varies_in``: as in `compare`;
          ``flags``, ``details``.

    Raises
    ------
    SchemaError
        If the pilot lacks a column or has no two runs of a side.

    See Also
    --------
    compare : With ``looks="any"``, if the number of runs is not fixed beforehand.

    Notes
    -----
    On logarithms runs have the standard deviation ``sqrt(log(1 + cv**2))``; the power is that of
    the noncentral t distribution, and for "same" of two one-sided tests (Owen), at 3 runs or more.
    A pilot's own spread is uncertain: its upper limit, by the chi-square distribution, is above the
    true spread in 80 of 100 pilots, and so is the power above the one asked for. If one run in many
    is far off (heavy tails), few runs seldom show it, and half of the pilots plan too few: a flag
    says so of pilots below 100 runs.

    Examples
    --------
    >>> columns = ["difference_pct", "power", "runs_differ", "runs_same"]
    >>> plan(0.05, differences=[0.1, 0.2], power=[0.8])[columns]
       difference_pct  power  runs_differ  runs_same
    0            10.0    0.8           20         19
    1            20.0    0.8            4         19
    >>> plan(0.05, differences=[0.1], power=[0.8], band=0)["runs_differ"].tolist()
    [6]
    """
    shares, chances = (np.atleast_1d(one).tolist() for one in (differences, power))
    _check(shares, chances, confidence, comparisons, band)
    rule = None if fail_if is None else Rule.of(fail_if)
    if rule is not None and rule.word not in LOSSES:
        raise SchemaError(f"{fail_if!r} is not a rule to plan for: {', '.join(LOSSES)} are")
    target = Target(shares, chances, confidence, band, rule)
    if is_number(pilot):
        return _of_number(float(pilot), target, comparisons or 1)
    if metric is None:
        raise SchemaError(f"which column is the plan for? Name it: {argument('metric', 'iops')}")
    if pair is not None and between is None:
        raise SchemaError(f"pairs have two sides: name their column, {argument('between')}")
    measure, named = metric_of(metric), frames.names(by)
    data = frames.opened(pilot)
    frames.check_names(between=between, pair=pair)
    told = dict.fromkeys([*named, *frames.names(between), *frames.names(pair)])
    runs = runs_of(data, metric, told, scope, between=between, pair=pair, positive=True)
    cells = runs.columns.groups(named)
    if comparisons is None:
        sides = 1 if between is None else max(1, runs.columns.kinds(between) - 1)
        comparisons = sides * len(cells)
    plans: list[list[AnswerRow]] = []
    for rows in cells:
        n, spread = _spread(runs, rows)
        varies = runs.columns.listed(runs.watch, rows)
        own = {"row": int(rows[0]), "n": n, "varies_in": varies}
        notes = _of_pilot(n, runs, rows) if between is None else _of_pilot(n)
        lines = _lines(spread, target, comparisons)
        plans.append([{**own, **line, "notes": [*line["notes"], *notes]} for line in lines])
    worst = [max(several, key=_runs) for several in zip(*plans, strict=True)]
    return frames.answer(runs.data, "plan", named, worst, metric=measure.name)


def _of_pilot(n: int, runs: Runs[Any] | None = None, rows: Rows = NO_ROWS) -> list[Flag]:
    """Flag a pilot that may show too little of the spread."""
    found = [] if runs is None else unlike(np.log(runs.numbers[rows]))
    return [*found, flag("few-pilot", n=n, of=_SHOWS_TAILS)] if n < _SHOWS_TAILS else found


def _runs(line: AnswerRow) -> tuple[float, float]:
    """Give the runs or rounds that a cell needs, by which cells are sorted."""
    counts = line.get("rounds_differ", line["runs_differ"]), line["runs_same"]
    most = max(inf if count is None else count for count in counts)
    return most, line["cov_hi_pct"]


@dataclass(frozen=True)
class Target:
    """The later answer: the differences that it should see, and the chances of that."""

    differences: Sequence[float]
    powers: Sequence[float]
    confidence: float
    band: float
    rule: Rule | None

    @property
    def limit(self) -> float:
        """The share beyond which the answer speaks."""
        return self.band if self.rule is None else self.rule.share

    def chances(
        self, interval: Power, difference: float
    ) -> Iterator[tuple[str, Callable[[int], float]]]:
        """Give the chance of either answer, by the number of runs."""
        beyond, edge = log1p(difference) - log1p(self.limit), log1p(self.limit)
        yield "differ", partial(interval.beyond, distance=beyond)
        if self.rule is None:
            edge = edge or log1p(difference)
            yield "same", partial(interval.within, center=0, edge=edge)
        else:
            yield "same", partial(interval.beyond, distance=edge)


def _check(
    differences: Sequence[float],
    power: Sequence[float],
    confidence: float,
    comparisons: int | None,
    band: float,
) -> None:
    check_confidence(confidence)
    for one in differences:
        if not (is_number(one) and 0 < one <= 10):
            raise SchemaError(f"a difference of {one!r}: it is a share above 0 (0.05)")
    for one in power:
        if not (is_number(one) and 0.05 < one < 1):
            raise SchemaError(f"a power of {one!r}: it is a share below 1 (0.8)")
    if not (is_number(band) and 0 <= band < 1):
        raise SchemaError(f"band is {band!r}: it is a share, at least 0 and below 1 (0.05)")
    if comparisons is not None and not (
        is_number(comparisons) and comparisons >= 1 and comparisons % 1 == 0
    ):
        raise SchemaError(f"comparisons is {comparisons!r}: it is a whole number, 1 or more")


def _of_number(cv: float, target: Target, comparisons: int) -> Any:
    import pandas as pd

    if not 0 < cv < 1:
        raise SchemaError(f"a coefficient of variation of {cv:g}: write 0.03 for 3 %")
    variance = log1p(cv**2)
    lines = _lines({"runs": (variance, variance)}, target, comparisons)
    return frames.answer(nw.from_native(pd.DataFrame(), eager_only=True), "plan", (), lines)


def _spread(runs: Runs[Any], rows: Rows) -> tuple[int, _Spread]:
    """Count the runs; give the spread within the sides, and that between paired runs."""
    of_sides = [rows]
    if runs.between is not None:
        codes = runs.columns.codes(runs.between)[rows]
        of_sides = sorted(split(rows, codes), key=lambda own: int(own[0]))
    sides = [sides_of(runs, own, NO_ROWS).level for own in of_sides]
    cells = [_cells(runs, own) for own in of_sides]
    whole = [
        len(own) == len(side) * len(cells[0]) for own, side in zip(of_sides, sides, strict=True)
    ]
    if len({*cells}) > 1 or not all(whole):
        raise SchemaError(
            "the runs do not all hold the same conditions: name those that differ in "
            f"{argument('by')}"
        )
    df = sum(len(one) - 1 for one in sides)
    squares = sum(float(np.var(one.logs)) * len(one) for one in sides)
    if df < 1 or squares == 0:
        raise SchemaError("the pilot has no two runs of a side that differ: there is no spread")
    n, found = df + len(sides), {"runs": (squares / df, _upper(squares / df, df))}
    if runs.pair is None:
        return n, found
    if len(sides) < 2:
        raise SchemaError(f"{runs.between!r} has one value only, and pairs have two sides")
    differences = []
    for one, other in combinations(sides, 2):
        pairs, _ = matched(Sides(one, other, [], own=False))
        differences.append(pairs.level.logs - pairs.baseline.logs)
    known = [own for own in differences if len(own) > 1]
    if not known:
        raise SchemaError(f"need >= 2 pairs by {runs.pair!r} to plan with them")
    variance = float(np.mean([np.var(own, ddof=1) for own in known]))
    return n, found | {"rounds": (variance, _upper(variance, min(map(len, known)) - 1))}


def _cells(runs: Runs[Any], rows: Rows) -> frozenset[tuple[int, ...]]:
    """Give the combinations of the conditions that vary within a side."""
    conditions = [name for name in runs.watch if name in CONDITIONS]
    dims = runs.columns.differing(conditions, rows)
    lists = [runs.columns.codes(name)[rows].tolist() for name in dims]
    return frozenset(zip(*lists, strict=True) if lists else [()])


def _upper(variance: float, df: int) -> float:
    return variance * df / float(scipy.special.chdtri(df, _SURE))


def _lines(spread: _Spread, target: Target, comparisons: int) -> list[AnswerRow]:
    level = 1 - (1 - target.confidence) / comparisons
    per_run = 2.0 if comparisons == 1 else 1.5  # as StudentT.sharing() has it
    variance, upper = spread["runs"]
    found = {"runs": Power(2 * upper, per_run, level)}
    facts: AnswerRow = {
        "cov_pct": _cov_pct(variance),
        "cov_hi_pct": _cov_pct(upper),
        "confidence": target.confidence,
        "comparisons": comparisons,
        "band": target.band,
        "rule": target.rule and target.rule.text,
    }
    if "rounds" in spread:
        of_pairs, upper = spread["rounds"]
        facts["correlation"] = 1 - of_pairs / (2 * variance)
        found["rounds"] = Power(upper, 1, level)
    lines = []
    for difference, chance in product(target.differences, target.powers):
        line = facts | {"difference_pct": 100 * difference, "power": chance, "notes": []}
        if difference <= target.limit:
            line["notes"] = [flag("within-band", share=difference, limit=target.limit)]
        for what, interval in found.items():
            for answer, of_runs in target.chances(interval, difference):
                line[f"{what}_{answer}"] = interval.runs(chance, of_runs)
        lines.append(line)
    return lines


def _cov_pct(variance: float) -> float:
    """Give the coefficient of variation of lognormal runs, in per cent."""
    return 100 * sqrt(exp(variance) - 1)
