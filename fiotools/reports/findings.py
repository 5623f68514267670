"""What was found of each side: the ratio over all cells, which the title is made of."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import pandas as pd

from fiotools.display.verdicts import LACKING
from fiotools.reports.questions import Comparison
from fiotools.stats.compare import settled
from fiotools.stats.frames import metric_of
from fiotools.stats.overall import over_cells

Row: TypeAlias = dict[str, Any]
# what says how sure a ratio is, and a mean of cells alone has not
_UNSURE = ("ratio_lo", "ratio_hi", "speedup_lo", "speedup_hi", "runs_needed", "p_equal")


def records(frame: pd.DataFrame) -> list[Row]:
    """Return the rows of an answer."""
    return [{str(name): row[name] for name in row} for row in frame.to_dict("records")]


@dataclass(frozen=True)
class Finding:
    """One side of a comparison."""

    comparison: Comparison
    cells: list[Row]  # its rows of the answer, in those cells that have a ratio
    over: Row  # the ratio over all cells, or the row of the only one
    count: int  # of the cells that it is over

    @property
    def clearness(self) -> tuple[int, float]:
        """Rank a finding: a difference that is settled, then one that is found, then the others."""
        found, is_settled = self.over["verdict"], settled(self.over["beyond_band"])
        is_open = found == "undecided" or found in LACKING
        rank = 0 if is_open else 1 if found == "same" else 3 if is_settled else 2
        return rank, abs(math.log(self.over["ratio"]))


def findings(one: Comparison) -> Iterator[Finding]:
    """Find the ratio over all cells of each side, in the order of the answer."""
    if one.answer is None:
        return
    there = one.answer[one.answer["ratio"].notna()]
    whole = _over_all(one)
    for level, part in there.groupby(str(one.between), sort=False):
        cells = records(part)
        if len(cells) == 1:
            yield Finding(one, cells, cells[0], 1)
        elif level in whole:
            over = whole[level]
            yield Finding(one, cells, over, int(over.get("workloads") or 1))
        else:
            yield Finding(one, cells, _mean(cells), len(cells))


def _over_all(one: Comparison) -> dict[Any, Row]:
    """Compute the ratio over all cells that all sides have; a total stands for its parts."""
    between, answer = str(one.between), one.answer
    if answer is None or answer["method"].str.contains("any looks").any():
        return {}  # its interval is for a number of runs that was fixed beforehand
    sides = {"between": between, "baseline": one.baseline}
    told = over_cells(one.frame, one.metric, **sides, by=one.by)
    if told is None:
        of_totals = answer["direction"].eq("total") if [*one.by] == ["direction"] else None
        if of_totals is None or not of_totals.any():
            return {}
        totals = answer[of_totals & answer["ratio"].notna()]
        return {row[between]: row for row in records(totals)}
    if "speedup" in answer:  # a ratio of times, turned round
        ends = {"speedup_lo": 1 / told["ratio_hi"], "speedup_hi": 1 / told["ratio_lo"]}
        told = told.assign(speedup=1 / told["ratio"], **ends)
    return {row[between]: row for row in records(told)}


def _mean(cells: list[Row]) -> Row:
    """Take the geometric mean of the cells, whose interval is not known; they may all agree."""
    ratio = math.exp(sum(math.log(row["ratio"]) for row in cells) / len(cells))
    said = {(row["verdict"], row["beyond_band"]) for row in cells}
    verdict, beyond = said.pop() if len(said) == 1 else ("undecided", "undecided")
    over = cells[0] | dict.fromkeys(_UNSURE) | {"ratio": ratio, "verdict": verdict}
    over["beyond_band"] = beyond
    if "speedup" in over:
        over["speedup"] = 1 / ratio
    if verdict not in LACKING:
        over |= {"flags": None, "details": None}
    return over


@dataclass(frozen=True)
class Top:
    """Where a sweep without sides does most, and least, and most below some latencies."""

    metric: str
    names: list[str]  # the conditions that were swept
    rest: list[str]  # other conditions that tell its cells apart
    most: Row
    least: Row
    below: list[Row]  # by limit


def top(one: Comparison) -> Top | None:
    """Find the top of a sweep; None if nothing was swept, or lower is better."""
    names = one.swept
    if not names or metric_of(one.metric).better == "lower":
        return None
    told = one.summary
    told = told[told["center"].notna()]
    if not len(told):
        return None
    most, least = records(told.loc[[told["center"].idxmax(), told["center"].idxmin()]])
    rest = [name for name in one.by if name not in names and len(told[name].unique()) > 1]
    below = [] if one.best is None or rest else records(one.best[one.best["iops"].notna()])
    return Top(one.metric, names, rest, most, least, below)
