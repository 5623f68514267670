"""One comparison: from the runs of two sides to a ratio, its interval and a verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import exp, log1p
from statistics import fmean, median
from typing import Any, Literal

from fiotools.errors import SchemaError
from fiotools.spelling import argument
from fiotools.stats.arguments import is_number
from fiotools.stats.arms import Run, Sides, matched
from fiotools.stats.drift import blocks, drift
from fiotools.stats.estimates import (
    Difference,
    HodgesLehmann,
    StudentT,
    holm,
    paired,
    runs_still_needed,
    runs_to_rank,
    welch,
)
from fiotools.stats.metric import Metric
from fiotools.stats.verdict import settled, verdict

Method = Literal["log-welch", "hodges-lehmann"]

NO_SPREAD = "no spread at all: are these copies of one run?"
ENOUGH = 3  # runs a side for a verdict: two know their own spread to a factor of thirty

_AT_THE_EDGE = 0.25  # of the band: what lies nearer is at its edge, whatever the spread


@dataclass(frozen=True)
class Question:
    """What is asked, checked once."""

    metric: Metric
    pair: str | None
    confidence: float
    band: float
    method: Method

    def __post_init__(self) -> None:
        if not (is_number(self.confidence) and 0.5 < self.confidence < 1):
            raise SchemaError(
                f"confidence is {self.confidence!r}: it lies between 0.5 and 1 (0.95)"
            )
        if not (is_number(self.band) and 0 <= self.band < 1):
            raise SchemaError(
                f"band is {self.band!r}: it is a share, at least 0 and below 1 (0.05)"
            )
        if not (self.pair is None or isinstance(self.pair, str)):
            raise SchemaError(f"pair is {self.pair!r}: it is the name of one column")
        if self.method not in ("log-welch", "hodges-lehmann"):
            raise SchemaError(f"method {self.method!r} is neither 'log-welch' nor 'hodges-lehmann'")
        if self.pair and self.method != "log-welch":
            raise SchemaError(
                f"pairs are compared by {argument('method', 'log-welch')} (their t interval) only"
            )


@dataclass
class Ratio:
    """One comparison; its fields are the columns of `compare`."""

    metric: str
    unit: str
    n: int
    n_baseline: int
    method: str
    center: float | None = None
    center_baseline: float | None = None
    ratio: float | None = None
    ratio_lo: float | None = None
    ratio_hi: float | None = None
    confidence: float | None = None
    p: float | None = None
    p_holm: float | None = None
    comparisons: int = 0
    verdict: str = "not settled"
    runs_needed: int | None = None
    varies_in: str | None = None
    settings_differ: str | None = None
    notes: list[str] = field(default_factory=list)

    @property
    def warnings(self) -> str | None:
        """The notes as one text, None if there are none."""
        return "; ".join(self.notes) or None


def ratio_of(sides: Sides, question: Question, sides_names: tuple[Any, Any]) -> Ratio:
    """Compare two sides."""
    notes = _how_cells_count(sides)
    had = (len(sides.level), len(sides.baseline))
    if question.pair:
        sides, alone = matched(sides, question.pair)
        if alone:
            notes.append(
                f"{alone} {'run' if alone == 1 else 'runs'} without a partner in "
                f"{question.pair!r} left out"
            )
    metric = question.metric
    found = Ratio(
        metric.name,
        metric.unit,
        len(sides.level),
        len(sides.baseline),
        _method(sides, question),
        notes=notes,
    )
    for count, name in zip(had, sides_names, strict=True):
        if count == 0:
            found.verdict = f"no run of {name!r}: not comparable"
            return found
    if found.n == 0:
        found.verdict = "no pairs: not comparable"
        return found
    _centers(found, sides, question)
    sizes = [len(arm) for cell in sides.by_cell() for arm in cell]
    fewest = min(sizes)
    if fewest == 1:
        single = sides_names[0] if found.n == 1 else sides_names[1]
        which = f"one run of {single!r}"
        if question.pair and max(had) > 1:
            which = "one pair"
        elif max(sizes) == 1:
            which = "one run each"
        elif sides.own:
            which = f"one run in a cell of {_dims(sides)}"
        found.verdict = f"{which}: not comparable"
        notes.append(_need(question, sides))
        return found
    notes += _order(sides, question)
    _judge(found, sides, question, fewest)
    return found


def _method(sides: Sides, question: Question) -> str:
    if question.pair:
        return "log-paired-t"
    if not sides.own:
        return question.method
    if question.method != "log-welch":
        raise SchemaError(
            f"runs of several {_dims(sides)} need {argument('method', 'log-welch')}, "
            f"or that name in {argument('by')}"
        )
    return "log-welch-cells"


def _centers(found: Ratio, sides: Sides, question: Question) -> None:
    """Fill in where the sides lie, and their ratio."""
    cells = sides.by_cell()
    if question.method == "hodges-lehmann":
        level, baseline = cells[0]
        found.center, found.center_baseline = exp(median(level)), exp(median(baseline))
        found.ratio = exp(HodgesLehmann(tuple(level), tuple(baseline)).center)
        return
    logs = [fmean(fmean(cell[side]) for cell in cells) for side in (0, 1)]
    found.center, found.center_baseline = exp(logs[0]), exp(logs[1])
    found.ratio = exp(logs[0] - logs[1])


def _judge(found: Ratio, sides: Sides, question: Question, fewest: int) -> None:
    """Fill in the interval, and the verdict where there are runs enough for one."""
    cells = sides.by_cell()
    student = paired(*cells[0]) if question.pair else welch(cells)
    if student is None:
        found.notes.append(NO_SPREAD)
        return
    difference: Difference = student
    if question.method == "hodges-lehmann":
        difference = HodgesLehmann(*(tuple(side) for side in cells[0]))
        if difference.tied:
            found.notes.append("tied values: normal approximation")
    ends = difference.interval(question.confidence)
    if ends is None:
        found.notes.append(f"too few runs for an interval: {_enough_to_rank(question)}")
        return
    found.ratio_lo, found.ratio_hi, found.confidence = exp(ends[0]), exp(ends[1]), ends[2]
    if fewest < ENOUGH:
        found.verdict = "two runs: no verdict"
        found.notes.append(_need(question, sides))
        return
    # against the nearer edge, which is the one that is harder to tell from
    edge = log1p(question.band)
    found.p = max(difference.p(edge), difference.p(-edge))
    found.verdict = verdict(
        difference, question.metric, band=question.band, confidence=question.confidence
    )
    _more_runs(found, student, question, fewest)


def _more_runs(found: Ratio, student: StudentT, question: Question, fewest: int) -> None:
    if settled(found.verdict):
        found.runs_needed = 0
        return
    found.runs_needed = runs_still_needed(
        student, question.band, now=fewest, confidence=question.confidence
    )
    if found.runs_needed is None:
        edge = log1p(question.band)
        found.notes.append(
            "the effect lies at the edge of the band: more runs will hardly settle it"
            if abs(abs(student.center) - edge) <= _AT_THE_EDGE * edge
            else "the runs spread far: more than 100 a side would be needed to settle it"
        )


def adjust(ratios: Sequence[Ratio], question: Question) -> None:
    """Correct the tests for their number, and warn where a verdict hangs on that."""
    tested = [found for found in ratios if found.p is not None]
    corrected = holm([found.p for found in tested if found.p is not None])
    alpha = 1 - question.confidence
    for found, p in zip(tested, corrected, strict=True):
        found.p_holm = p
        if found.verdict in question.metric.words and p > alpha:
            found.notes.append(
                f"{found.verdict!r} does not outlast Holm's correction for {len(tested)} tests"
            )
    for found in ratios:
        found.comparisons = len(tested)


def _need(question: Question, sides: Sides) -> str:
    what = "pairs" if question.pair else "runs a side in each cell" if sides.own else "runs a side"
    return f"need >= {ENOUGH} {what} for a verdict"


def _enough_to_rank(question: Question) -> str:
    """Say how many runs have an interval by their ranks."""
    n = runs_to_rank(question.confidence)
    unequal = "3 against 5 or " if question.confidence == 0.95 else ""
    return f"{unequal}{n} against {n} give {100 * question.confidence:g} %"


def _dims(sides: Sides) -> str:
    return ", ".join(sides.dims)


def _how_cells_count(sides: Sides) -> list[str]:
    """Say how several cells became one number."""
    if not sides.dims or not (sides.level and sides.baseline):
        return []
    which = _dims(sides)
    if sides.own:
        return [f"cells of {which} weigh the same, each with runs of its own"]
    count = len(sides.level[0].cells)
    return [f"each run counts once: the geometric mean of its {count} cells of {which}"]


def _order(sides: Sides, question: Question) -> list[str]:
    """Warn of what the order of the runs may have done, where their times are known."""
    if any(run.moment is None for side in (sides.level, sides.baseline) for run in side):
        return []
    notes = []
    # cells have levels of their own, and what differs between them is no drift
    cells = sides.runs_by_cell()
    if all(blocks([[run.moment for run in side] for side in cell]) for cell in cells) and (
        len({_first(*cell) for cell in cells}) == 1
    ):
        notes.append("arms ran in blocks: drift cannot be told from the difference")
    trend = drift(
        [[(run.moment, exp(run.log)) for run in side] for cell in cells for side in cell],
        band=question.band,
        confidence=question.confidence,
    )
    return notes + ([trend] if trend else [])


def _first(level: Sequence[Run], baseline: Sequence[Run]) -> bool:
    """Say whether the level was measured first."""
    return bool(min(run.moment for run in level) < min(run.moment for run in baseline))
