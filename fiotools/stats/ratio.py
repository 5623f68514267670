"""One comparison: from the runs of two sides to a ratio, its interval and a verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import exp, expm1, log1p
from statistics import fmean, median
from typing import Any, Literal

from fiotools.errors import SchemaError
from fiotools.hints import argument
from fiotools.stats.arguments import Metric, is_number
from fiotools.stats.arms import Arms, Replicate, matched
from fiotools.stats.drift import blocks, drift, step
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
from fiotools.units import percent

Method = Literal["log-welch", "hodges-lehmann"]

NO_SPREAD = "no spread at all: are these copies of one run?"
ENOUGH = 3  # runs a side for a verdict: two know their own spread to a factor of thirty

_AT_THE_EDGE = 0.25  # of the band: what lies nearer is at its edge, whatever the spread


@dataclass(frozen=True)
class Design:
    """What is compared, and how; checked once.

    Attributes
    ----------
    metric : Metric
    between, baseline : str and object
        The column whose levels are compared, and the level that the others are divided by.
    by : tuple of str
    pair, scope : str or None
    confidence, band : float
    method : {"log-welch", "hodges-lehmann"}
    """

    metric: Metric
    between: str
    baseline: Any
    by: tuple[str, ...]
    pair: str | None
    scope: str | None
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


def ratio_of(arms: Arms, design: Design, level: Any) -> Ratio:
    """Compare the two arms of one level."""
    notes = _how_cells_count(arms)
    had = (len(arms.level), len(arms.baseline))
    if design.pair:
        arms, alone = matched(arms, design.pair)
        if alone:
            notes.append(
                f"{alone} {'run' if alone == 1 else 'runs'} without a partner in "
                f"{design.pair!r} left out"
            )
    metric = design.metric
    found = Ratio(
        metric.name,
        metric.unit,
        len(arms.level),
        len(arms.baseline),
        _method(arms, design),
        notes=notes,
    )
    for count, name in zip(had, (level, design.baseline), strict=True):
        if count == 0:
            found.verdict = f"no run of {name!r}: not comparable"
            return found
    if found.n == 0:
        found.verdict = "no pairs: not comparable"
        return found
    _centers(found, arms, design)
    sizes = [len(arm) for cell in arms.by_cell() for arm in cell]
    fewest = min(sizes)
    if fewest == 1:
        single = level if found.n == 1 else design.baseline
        which = f"one run of {single!r}"
        if design.pair and max(had) > 1:
            which = "one pair"
        elif max(sizes) == 1:
            which = "one run each"
        elif arms.own:
            which = f"one run in a cell of {_dims(arms)}"
        found.verdict = f"{which}: not comparable"
        notes.append(_need(design, arms))
        return found
    notes += _order(arms, design)
    _judge(found, arms, design, fewest)
    return found


def _method(arms: Arms, design: Design) -> str:
    if design.pair:
        return "log-paired-t"
    if not arms.own:
        return design.method
    if design.method != "log-welch":
        raise SchemaError(
            f"runs of several {_dims(arms)} need {argument('method', 'log-welch')}, "
            f"or that name in {argument('by')}"
        )
    return "log-welch-cells"


def _centers(found: Ratio, arms: Arms, design: Design) -> None:
    """Fill in where the sides lie, and their ratio."""
    cells = arms.by_cell()
    if design.method == "hodges-lehmann":
        level, baseline = cells[0]
        found.center, found.center_baseline = exp(median(level)), exp(median(baseline))
        found.ratio = exp(HodgesLehmann(tuple(level), tuple(baseline)).center)
        return
    logs = [fmean(fmean(cell[side]) for cell in cells) for side in (0, 1)]
    found.center, found.center_baseline = exp(logs[0]), exp(logs[1])
    found.ratio = exp(logs[0] - logs[1])


def _judge(found: Ratio, arms: Arms, design: Design, fewest: int) -> None:
    """Fill in the interval, and the verdict where there are runs enough for one."""
    cells = arms.by_cell()
    student = paired(*cells[0]) if design.pair else welch(cells)
    if student is None:
        found.notes.append(NO_SPREAD)
        return
    difference: Difference = student
    if design.method == "hodges-lehmann":
        difference = HodgesLehmann(*(tuple(side) for side in cells[0]))
        if difference.tied:
            found.notes.append("tied values: normal approximation")
    ends = difference.interval(design.confidence)
    if ends is None:
        found.notes.append(f"too few runs for an interval: {_enough_to_rank(design)}")
        return
    found.ratio_lo, found.ratio_hi, found.confidence = exp(ends[0]), exp(ends[1]), ends[2]
    if fewest < ENOUGH:
        found.verdict = "two runs: no verdict"
        found.notes.append(_need(design, arms))
        return
    # against the nearer edge, which is the one that is harder to tell from
    edge = log1p(design.band)
    found.p = max(difference.p(edge), difference.p(-edge))
    found.verdict = verdict(
        difference, design.metric, band=design.band, confidence=design.confidence
    )
    _more_runs(found, student, design, fewest)


def _more_runs(found: Ratio, student: StudentT, design: Design, fewest: int) -> None:
    if settled(found.verdict):
        found.runs_needed = 0
        return
    found.runs_needed = runs_still_needed(
        student, design.band, now=fewest, confidence=design.confidence
    )
    if found.runs_needed is None:
        edge = log1p(design.band)
        found.notes.append(
            "the effect lies at the edge of the band: more runs will hardly settle it"
            if abs(abs(student.center) - edge) <= _AT_THE_EDGE * edge
            else "the runs spread far: more than 100 a side would be needed to settle it"
        )


def adjust(ratios: Sequence[Ratio], design: Design) -> None:
    """Correct the tests for their number, and warn where a verdict hangs on that."""
    tested = [found for found in ratios if found.p is not None]
    corrected = holm([found.p for found in tested if found.p is not None])
    alpha = 1 - design.confidence
    for found, p in zip(tested, corrected, strict=True):
        found.p_holm = p
        if found.verdict in design.metric.words and p > alpha:
            found.notes.append(
                f"{found.verdict!r} does not outlast Holm's correction for {len(tested)} tests"
            )
    for found in ratios:
        found.comparisons = len(tested)


def _need(design: Design, arms: Arms) -> str:
    what = "pairs" if design.pair else "runs a side in each cell" if arms.own else "runs a side"
    return f"need >= {ENOUGH} {what} for a verdict"


def _enough_to_rank(design: Design) -> str:
    """Say how many runs have an interval by their ranks."""
    n = runs_to_rank(design.confidence)
    unequal = "3 against 5 or " if design.confidence == 0.95 else ""
    return f"{unequal}{n} against {n} give {100 * design.confidence:g} %"


def _dims(arms: Arms) -> str:
    return ", ".join(arms.dims)


def _how_cells_count(arms: Arms) -> list[str]:
    """Say how several cells became one number."""
    if not arms.dims or not (arms.level and arms.baseline):
        return []
    which = _dims(arms)
    if arms.own:
        return [f"cells of {which} weigh the same, each with runs of its own"]
    count = len(arms.level[0].cells)
    return [f"each run counts once: the geometric mean of its {count} cells of {which}"]


def _order(arms: Arms, design: Design) -> list[str]:
    """Warn of what the order of the runs may have done, where their times are known."""
    if any(run.moment is None for side in (arms.level, arms.baseline) for run in side):
        return []
    notes = []
    # cells have levels of their own, and what differs between them is no drift
    cells = arms.runs_by_cell()
    if all(blocks([[run.moment for run in side] for side in cell]) for cell in cells) and (
        len({_first(*cell) for cell in cells}) == 1
    ):
        notes.append("arms ran in blocks: drift cannot be told from the difference")
    sides = [[(run.moment, exp(run.log)) for run in side] for cell in cells for side in cell]
    trend = drift(sides, band=design.band, confidence=design.confidence)
    return [*notes, *(note for note in (trend, step(sides, band=design.band)) if note)]


def _first(level: Sequence[Replicate], baseline: Sequence[Replicate]) -> bool:
    """Say whether the level was measured first."""
    return bool(min(run.moment for run in level) < min(run.moment for run in baseline))


def verdict(difference: Difference, metric: Metric, *, band: float, confidence: float) -> str:
    """Say what the interval says, and no more.

    The band is ``[1 / (1 + band), 1 + band]``, symmetric on logarithms, so that swapping the sides
    turns "faster" into "slower" and never into something else. "Same" takes two one-sided tests,
    which is the interval at ``2 confidence - 1`` inside the band. A percentage is that of the ratio
    that stands beside it: the share of the baseline's value by which the level's is more or less. A
    ratio of IOPS of .56 is "slower by 44 %", and a ratio of times of 1.8 "slower, taking 80 % more
    time"; the lower edge of a band of 5 % is 4.8 % less.

    Parameters
    ----------
    difference : Difference
        Of logarithms, level minus baseline.
    metric : Metric
    band : float
        Differences up to this share do not matter: .05 is 5 %.
    confidence : float
    """
    ends = difference.interval(confidence)
    if ends is None:
        return "not settled"
    edge = log1p(band)
    lo, hi = ends[:2]
    word = metric.words[0 if metric.sign * difference.center > 0 else 1]
    if lo > edge or hi < -edge:
        return word
    narrow = difference.interval(2 * confidence - 1)
    if narrow is not None and -edge <= narrow[0] and narrow[1] <= edge:
        return f"same within {percent(band)} %"
    if lo <= 0 <= hi:
        return "not settled"
    least, most = sorted(abs(expm1(end)) for end in (lo, hi))
    more, limit = ("more", band) if lo > 0 else ("less", -expm1(-edge))
    share = f"{percent(least)} to {percent(most)} %"
    by = f", taking {share} {more} time" if metric.is_time else f" by {share}"
    return f"{word}{by}; whether by more than {percent(limit)} % is not settled"


def settled(words: str) -> bool:
    """Say whether a verdict leaves nothing open."""
    return not words.endswith("not settled")
