"""One comparison: from the runs of two sides to a ratio, its interval and a verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import exp, expm1, log1p
from statistics import fmean, median, stdev
from typing import Any, Literal

from fiotools.errors import SchemaError
from fiotools.hints import argument
from fiotools.stats.arguments import Metric, is_number
from fiotools.stats.arms import Arms, kinds, matched
from fiotools.stats.drift import order_notes
from fiotools.stats.estimates import (
    AnyLooks,
    Difference,
    HodgesLehmann,
    StudentT,
    has_spread,
    paired,
    runs_to_rank,
    welch,
)
from fiotools.stats.population import unseen
from fiotools.stats.power import ENOUGH, runs_still_needed
from fiotools.units import percent

Method = Literal["log-welch", "hodges-lehmann"]
Looks = Literal["once", "any"]

NO_SPREAD = "no spread at all: are these copies of one run?"

_UNLIKE = (
    3  # times the other side's spread: then Mann-Whitney's interval is no longer to be trusted
)
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
    looks : {"once", "any"}
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
    looks: Looks = "once"

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
        if self.looks not in ("once", "any"):
            raise SchemaError(f"looks is {self.looks!r}: it is 'once' or 'any'")
        if self.looks == "any" and self.method != "log-welch":
            raise SchemaError(
                f"{argument('looks', 'any')} needs {argument('method', 'log-welch')}: "
                "ranks have no interval that holds at any number of looks"
            )


@dataclass(frozen=True)
class Estimate:
    """The difference of two sides, from which a verdict follows.

    Attributes
    ----------
    difference : Difference
        By the method that was asked for.
    student : StudentT
        By its standard error, which tells how many more runs are needed.
    fewest : int
        Runs of the smallest side.
    over : bool
        Whether the repeats are of other things, and not of other runs: more runs are no remedy.
    what : str
        What the repeats are called.
    """

    difference: Difference
    student: StudentT
    fewest: int
    over: bool
    what: str = "runs"


@dataclass
class Ratio:
    """One comparison; its fields are the columns of `compare`, but for `estimate`."""

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
    p_equal: float | None = None
    p_band: float | None = None
    p_same: float | None = None
    comparisons: int = 0
    verdict: str = "not settled"
    runs_needed: int | None = None
    varies_in: str | None = None
    settings_differ: str | None = None
    notes: list[str] = field(default_factory=list)
    estimate: Estimate | None = None

    def line(self) -> dict[str, Any]:
        """Give the row of the answer."""
        return {name: value for name, value in vars(self).items() if name != "estimate"}


def ratio_of(arms: Arms, design: Design, level: Any) -> Ratio:
    """Compare the two arms of one level; `judge` then gives all of an answer their verdicts."""
    notes = _how_cells_count(arms)
    had = (len(arms.level), len(arms.baseline))
    if design.pair:
        arms, alone = matched(arms)
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
    if arms.over:
        notes.append(
            f"over {arms.over}, one run each: the interval is of other such values, not of other "
            "runs of these"
        )
    notes += kinds(arms, (level, design.baseline), paired=design.pair is not None)
    notes += order_notes(
        arms,
        (level, design.baseline),
        paired=design.pair is not None,
        band=design.band,
        confidence=design.confidence,
    )
    found.estimate = _estimate(found, arms, design, level, fewest)
    return found


def _method(arms: Arms, design: Design) -> str:
    any_looks = ", any looks" if design.looks == "any" else ""
    if design.pair:
        return f"log-paired-t{any_looks}"
    if not arms.own:
        return f"{design.method}{any_looks}"
    if design.method != "log-welch":
        raise SchemaError(
            f"runs of several {_dims(arms)} need {argument('method', 'log-welch')}, "
            f"or that name in {argument('by')}"
        )
    return f"log-welch-cells{any_looks}"


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


def _estimate(found: Ratio, arms: Arms, design: Design, level: Any, fewest: int) -> Estimate | None:
    """Estimate the difference; None where the runs do not differ at all."""
    cells = arms.by_cell()
    student = paired(*cells[0]) if design.pair else welch(cells)
    if student is None:
        found.notes.append(NO_SPREAD)
        return None
    if fewest < ENOUGH:
        found.notes.append(_need(design, arms))
    if not design.pair:
        found.notes += [
            f"the runs of {name!r} do not differ at all: the interval is all from the other side"
            for side, name in enumerate((level, design.baseline))
            if not has_spread([cell[side] for cell in cells])
        ]
    if design.method == "log-welch":
        return Estimate(student, student, fewest, bool(arms.over))
    ranked = HodgesLehmann(*(tuple(side) for side in cells[0]))
    if ranked.tied:
        found.notes.append("tied values: normal approximation")
    low, high = sorted(stdev(side) for side in cells[0])
    if low * _UNLIKE < high:
        found.notes.append(
            f"one side spreads more than {_UNLIKE} times as far as the other, which "
            f"'hodges-lehmann' assumes it does not: use {argument('method', 'log-welch')}"
        )
    return Estimate(ranked, student, fewest, bool(arms.over))


def judge(ratios: Sequence[Ratio], design: Design) -> None:
    """Fill in intervals, p values and verdicts: all comparisons of the answer share its error.

    Each has its share by Bonferroni, the only correction whose intervals always agree with its
    verdicts. Dunnett's, with one spread for all sides, gives narrower intervals, and errs .21 for
    .05 where the baseline of 20 levels spreads twice as far as they do, which few runs cannot show.
    """
    asked = [found for found in ratios if found.estimate is not None]
    for found in ratios:
        found.comparisons = len(asked)
        if found.estimate is not None:
            _judge(found, found.estimate, design)


def _judge(found: Ratio, estimate: Estimate, design: Design) -> None:
    count, difference, student = found.comparisons, estimate.difference, estimate.student
    confidence = design.confidence if count == 1 else 1 - (1 - design.confidence) / count
    if count > 1:
        student = student.sharing()
    again = AnyLooks.of(student)  # further runs are another look, whatever this one was
    if isinstance(difference, StudentT):
        difference = again if design.looks == "any" else student
    ends = difference.interval(confidence)
    if ends is None:
        found.notes.append(f"too few runs for an interval{_enough(design, confidence)}")
    else:
        found.ratio_lo, found.ratio_hi, found.confidence = exp(ends[0]), exp(ends[1]), ends[2]
        if count > 1:
            found.confidence = 1 - count * (1 - ends[2])
    if estimate.fewest < ENOUGH:
        found.verdict = f"two {estimate.what}: no verdict"
        return
    if ends is None and isinstance(difference, HodgesLehmann):
        return
    _test(found, difference, log1p(design.band))
    found.verdict = verdict(difference, design.metric, band=design.band, confidence=confidence)
    is_same = found.verdict.startswith("same") and not estimate.over
    if is_same and (note := unseen(estimate.fewest, _runs(design))):
        found.notes.append(note)
    if settled(found.verdict):
        found.runs_needed = 0
        return
    if estimate.over:
        return
    found.runs_needed = runs_still_needed(
        again, design.band, now=estimate.fewest, confidence=confidence
    )
    if found.runs_needed is None:
        found.notes.append(_hopeless(student, log1p(design.band)))


def _test(found: Ratio, difference: Difference, edge: float) -> None:
    """Fill in the p values, for all comparisons together."""
    count, is_inside = found.comparisons, abs(difference.center) < edge
    # of the two edges the one that is harder to tell from
    nearer = max(difference.p(edge), difference.p(-edge))
    found.p_equal = min(1.0, count * difference.p(0))
    found.p_band = 1.0 if is_inside else min(1.0, count * nearer)
    found.p_same = min(1.0, count * (nearer / 2 if is_inside else 1 - nearer / 2))


def _hopeless(student: StudentT, edge: float) -> str:
    if abs(abs(student.center) - edge) <= _AT_THE_EDGE * edge:
        return "the effect lies at the edge of the band: more runs will hardly settle it"
    return "the runs spread far: more than 100 a side would be needed to settle it"


def _need(design: Design, arms: Arms) -> str:
    what = f"{_runs(design)}{' in each cell' if arms.own else ''}"
    return f"need >= {ENOUGH} {what} for a verdict"


def _runs(design: Design) -> str:
    return "pairs" if design.pair else "runs a side"


def _enough(design: Design, confidence: float) -> str:
    """Say which interval there is none of, or how many runs have an interval by their ranks."""
    if design.method == "log-welch":
        return " that holds at any number of looks"
    n = runs_to_rank(confidence)
    unequal = "3 against 5 or " if confidence == 0.95 else ""
    all_of = "" if confidence == design.confidence else " over all comparisons"
    return f": {unequal}{n} against {n} give {100 * design.confidence:g} %{all_of}"


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
    return not words.endswith(("not settled", "no verdict", "not comparable"))
