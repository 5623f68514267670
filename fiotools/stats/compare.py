"""How much faster, how sure: ratios between ways of storing data, with interval and verdict."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import exp, log1p
from statistics import fmean
from typing import Any, Literal

import narwhals as nw
import numpy as np
from narwhals.typing import IntoDataFrame, IntoDataFrameT

from fiotools.errors import SchemaError, argument, typed
from fiotools.flags import Flag, flag, rare_modes
from fiotools.stats import estimates, frames, history
from fiotools.stats.columns import NO_ROWS, Codes, Rows, by_code
from fiotools.stats.frames import AnswerRow, Key, Metric, is_number, metric_of
from fiotools.stats.question import FOUND, question
from fiotools.stats.replicates import Runs, run_keys, runs_of
from fiotools.stats.sessions import sessions_of, units_of
from fiotools.stats.settings import (
    OptionTexts,
    differing_options,
    is_offloaded,
    options_of_rows,
    options_of_runs,
    paced,
)
from fiotools.stats.sides import (
    SIDES,
    Side,
    Sides,
    kinds,
    levels_beside,
    matched,
    order_flags,
    sides_of,
)
from fiotools.stats.targets import several_targets
from fiotools.vocabulary import COLUMNS, CONDITIONS

Looks = Literal["once", "any"]
SAME, UNDECIDED = "same", "undecided"
_SWEEP = 4  # comparisons; fewer sides hardly show whether they spread alike


@question()
def compare(
    frame: IntoDataFrameT,
    metric: str = FOUND,
    *,
    between: str = FOUND,
    baseline: Any = FOUND,
    by: str | Sequence[str] | None = None,
    pair: str | None = None,
    unit: str | None = None,
    scope: str | None = None,
    confidence: float = 0.95,
    band: float = 0.05,
    looks: Looks = "once",
    settings: IntoDataFrame | None = None,
) -> IntoDataFrameT:
    """Compare each level of a column with a baseline: the ratio, its interval, a verdict.

    The replicate is the run: threads, jobs and directions of one run are refused, with the filter
    to type. A run under several conditions that `by` does not name counts once, as their geometric
    mean.

    Parameters
    ----------
    frame : Results, pandas.DataFrame or polars.DataFrame
        One row per run and cell, such as `Results.io`. Without a column ``run``, each row is a run.
    metric : str, optional
        The column to compare, of numbers above zero; by default the only one, such as ``real_s``.
    between : str, optional
        The column that holds the sides; by default the only label.
    baseline : object, optional
        The side that the others are divided by; by default the first.
    by : str or sequence of str, optional
        Compare within each combination of these columns.
    pair : str, optional
        The column that pairs runs of both sides, such as a round. Pairs are never inferred.
    unit : str, optional
        The column of what was measured together, such as a day or a machine: it counts once, and
        pairs the sides where it holds both. "session" needs no column: an hour without a run.
    scope : str, optional
        Without it, rows of scope ``total``, or of the only scope there is.
    confidence : float
        Confidence of the interval. "Same" is judged by the interval at ``2 confidence - 1``.
    band : float
        Differences up to this share do not matter.
    looks : {"once", "any"}
        Say "any" if runs were or may be added after a look at the result. The interval is wider,
        and holds at any number of looks. Ask for it from the first look on.
    settings : pandas.DataFrame or polars.DataFrame, optional
        `Results.settings` of the same reading: lists the options in which the sides differ.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        A row per combination of `by` and level:

        * the columns of `by`, `between` (the level) and ``baseline``;
        * ``metric`` and its ``unit``; ``n`` and ``n_baseline``: runs (or pairs, or units of what
          was measured together) on each side;
        * ``center``, ``center_baseline`` [unit]: geometric means;
        * ``ratio``, ``ratio_lo``, ``ratio_hi``: level / baseline. Null interval for one run a side;
        * ``confidence``, reached by all intervals of the answer together; ``method``, as used;
        * ``p_equal``, of equality, two-sided, multiplied by ``comparisons``, the number of
          intervals in the answer;
        * ``verdict``: "faster" or "slower" ("better" or "worse", "higher" or "lower"), "same",
          "undecided"; "one run", "few runs", "no run". The vocabulary, or the metric's unit
          (``_s``, ``_ns``), says whether lower is better. `show` says it in words;
        * ``beyond_band``: whether the difference is more than the ``band``: "yes", "no" (then they
          are the same) or "undecided"; null where there are too few runs;
        * ``runs_needed``: further runs per side that will probably settle it if the ratio is what
          it seems, and ``runs_needed_same`` if the sides are equal, by ``looks="any"``, since they
          are another look; 0 if it is settled, null above 100;
        * ``varies_in``: conditions and labels that differ among the runs and were not named (nor
          are another name of one that was: a label "4k" where bs_bytes is 4096);
        * ``settings_differ``: options in which the sides differ and that `by` and `between` do not
          name; null if there are none;
        * ``flags``: codes of reasons for caution, ";" between; ``details``: the values of each, as
          JSON. `show` says them in sentences.

    Raises
    ------
    SchemaError
        If the question has no answer: a missing column, value or baseline, numbers not above zero,
        mixed scopes or directions, several rows for one run, `between` among `by`.

    See Also
    --------
    speedup : The same, with a factor that is above 1 where the level is better.
    settings_diff : The same options, a row each.
    summarize : One group at a time.

    Notes
    -----
    Intervals: Welch's t on logarithms; paired t with `pair`. The larger side brings no more degrees
    of freedom than the smaller: else 3 runs against 10 would hold .93. See Kalibera and Jones,
    "Quantifying performance changes with effect size confidence intervals" (2012).

    All comparisons of an answer share its error: the chance that any of them is wrongly called
    faster or slower is at most ``1 - confidence``. Each interval has ``1 - (1 - confidence) /
    comparisons`` (Bonferroni), and degrees of freedom half-way between Welch's and those of the
    smaller side. Ask alone for a comparison that was planned alone.

    In a sweep of four and more cells with as many runs of their own, sides may spread alike: by
    Bartlett's test, at .2. Then each interval takes the spread of all of them ("log-pooled-t"), or
    its own if that is larger. Three runs a cell then see a fifth of difference at 5 % of variation
    in .71 of 12 cells, and in .08 otherwise; any of them errs in .05 at most.

    ``looks="any"``: a confidence sequence for t statistics (Wang and Ramdas, arXiv 2310.03722).
    With the interval for one look after each run, "faster" is wrong in .14 to .16, not in .025.

    One or two runs (or units) against a baseline of eight and more are held against its prediction
    interval, ``t(k - 1) * s * sqrt(1 / m + 1 / k)`` on logarithms, at a confidence of .98 or more:
    "slower" is what lies below 99 % of such runs. A baseline that drifts, steps or is skewed has
    none, and a flag says so.

    Geometric means lie below arithmetic ones, by a factor of ``sqrt(1 + cv**2)`` for lognormal
    runs: a side whose runs vary by .5 has .91 times that of one with the same mean that varies by
    .2.

    Examples
    --------
    >>> import pandas as pd
    >>> runs = pd.DataFrame({
    ...     "mount": ["9p"] * 5 + ["virtiofs"] * 5,
    ...     "iops": [100, 104, 98, 101, 97, 131, 127, 140, 129, 133],
    ... })
    >>> answer = compare(runs, "iops", between="mount", baseline="9p")
    >>> answer[["mount", "baseline", "n", "ratio", "ratio_lo", "ratio_hi", "verdict"]].round(2)
          mount baseline  n  ratio  ratio_lo  ratio_hi verdict
    0  virtiofs       9p  5   1.32      1.26      1.39  faster
    """
    cells, measure = frames.names(by), metric_of(metric)
    design = Design(measure, between, baseline, cells, pair, scope, confidence, band, looks, unit)
    runs = runs_for(frame, design)
    ratios = ratios_of(runs, design, settings)
    return design.answer(runs.data, "compare", [found.line() for found in ratios])


@question()
def speedup(
    frame: IntoDataFrameT,
    metric: str = FOUND,
    *,
    between: str = FOUND,
    baseline: Any = FOUND,
    by: str | Sequence[str] | None = None,
    pair: str | None = None,
    unit: str | None = None,
    scope: str | None = None,
    confidence: float = 0.95,
    band: float = 0.05,
    looks: Looks = "once",
    settings: IntoDataFrame | None = None,
) -> IntoDataFrameT:
    """Compare as `compare` does, and say how many times faster each level is than the baseline.

    Parameters
    ----------
    frame : Results, pandas.DataFrame or polars.DataFrame
        As in `compare`.
    metric : str, optional
        The column to compare; by default the only one, such as ``real_s``. It is a column of the
        vocabulary, or named after its unit (lower is better for ``_s`` and ``_ns``, higher for
        ``iops``, ``_per_s`` and ``_mb_s``).
    between : str, optional
        The column that holds the sides; by default the only label.
    baseline : object, optional
        The side that the others are compared with; by default the first.
    by : str or sequence of str, optional
        Compare within each combination of these columns.
    pair : str, optional
        The column that pairs runs of both sides, such as a round.
    unit : str, optional
        The column of what was measured together, such as a day: it counts once.
    scope, settings
        As in `compare`.
    confidence : float
        Confidence of the interval.
    band : float
        Differences up to this share do not matter.
    looks : {"once", "any"}
        Say "any" if runs were or may be added after a look at the result.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        The columns of `compare`, and after ``ratio_hi``: ``speedup``, ``speedup_lo``,
        ``speedup_hi``, above 1 where the level is better. For a time that is baseline / level.

    Raises
    ------
    SchemaError
        As in `compare`, and if it is unknown whether higher or lower is better.

    Examples
    --------
    >>> import pandas as pd
    >>> cat = pd.DataFrame({"cache": ["before", "after"], "real_s": [4.364, 0.466]})
    >>> answer = speedup(cat, "real_s", between="cache", baseline="before")
    >>> answer[["cache", "n", "ratio", "speedup", "verdict"]].round(2)
       cache  n  ratio  speedup  verdict
    0  after  1   0.11     9.36  one run
    """
    measure = metric_of(metric)
    if measure.better is None:
        instead = typed("compare()", "fiotools compare")
        hint = f"that depends on how the tool was run: use {instead}, which does not need it"
        if metric not in COLUMNS:
            hint = (
                "rename it to a column of the vocabulary (real_s, iops, ...) or after its unit "
                f"(_s, _ns, _per_s), or use {instead}"
            )
        raise SchemaError(f"is higher or lower {metric!r} better? {hint}")
    design = Design(
        measure, between, baseline, frames.names(by), pair, scope, confidence, band, looks, unit
    )
    runs = runs_for(frame, design)
    lines = []
    for found in ratios_of(runs, design, settings):
        ends = [found.ratio, found.ratio_lo, found.ratio_hi]
        if measure.sign < 0:  # above 1 is better: the ends swap
            swapped = (found.ratio, found.ratio_hi, found.ratio_lo)
            ends = [None if end is None else 1 / end for end in swapped]
        gain = zip(("speedup", "speedup_lo", "speedup_hi"), ends, strict=True)
        lines.append(found.line() | dict(gain))
    return design.answer(runs.data, "speedup", lines)


def runs_for(frame: IntoDataFrameT, design: Design) -> Runs[IntoDataFrameT]:
    """Check the frame, and find its runs."""
    metric, between, by = design.metric, design.between, design.by
    data = frames.opened(frame, [metric.name, between, *by, *frames.names(design.pair)])
    if "baseline" in (between, *by):
        raise SchemaError("column 'baseline' would hide the answer's own 'baseline': rename it")
    if between in by:
        raise SchemaError(
            f"{between!r} is in {argument('by')} and {argument('between')}: "
            f"take it out of {argument('by')}"
        )
    runs = runs_of(
        data,
        metric.name,
        design.named(data.columns),
        design.scope,
        by=by,
        between=between,
        pair=design.pair,
        positive=True,
    )
    if design.unit is not None:
        runs.unit, runs.units = design.unit, units_of(runs.columns, design.unit, between)
    return runs


def ratios_of(
    runs: Runs[Any], design: Design, settings: IntoDataFrame | None = None
) -> list[Ratio]:
    """Compare each level with the baseline in each cell."""
    between, baseline, by = design.between, design.baseline, design.by
    columns, sessions = runs.columns, None
    named = design.named(runs.data.columns)
    if design.unit is None and design.pair is None:
        sessions = sessions_of(columns)
        sessions = None if sessions is None or not sessions.any() else sessions
    levels = levels_beside(columns, between, baseline)
    told = None if settings is None else _Told.of(settings, runs)
    side, code = columns.codes(between), columns.code_of(between)
    first = columns.first(between).tolist()

    ratios = []
    for rows in columns.groups(by):
        of_sides = by_code(rows, side)
        base = of_sides.get(code[baseline], NO_ROWS)
        for level in levels:
            own = of_sides.get(code[level], NO_ROWS)
            found = ratio_of(sides_of(runs, own, base), design)
            say_what_varies(found, runs, runs.watch, own, base)
            sides = dict(zip(SIDES, (own, base), strict=True))
            if sessions is not None:
                found.notes += _apart(sessions, columns.run, sides)
            if not design.pair:
                for side_name, rows_of_side in sides.items():
                    found.notes += runs.targets.several(rows_of_side, side_name)
            if told is not None and len(own) and len(base):
                told.say(found, sides, named, design)
            # any row with the level: this cell may have none
            found.row = dict.fromkeys(by, int(rows[0]))
            found.row |= {between: first[code[level]], "baseline": first[code[baseline]]}
            ratios.append(found)
    judge(ratios, design)
    return ratios


def _apart(sessions: Codes, runs: Codes, sides: dict[str, Rows]) -> Iterator[Flag]:
    """Flag a side whose runs are of several sessions: those of one are alike."""
    for side, rows in sides.items():
        count = len(np.unique(sessions[rows]))
        if 1 < count < len(np.unique(runs[rows])):
            yield flag("sessions", side=side, n=count)


def say_what_varies(
    found: Ratio, runs: Runs[Any], watch: Iterable[str], level: Rows, baseline: Rows
) -> None:
    """Name the columns that differ and were not named, first those that set the sides apart."""
    columns = runs.columns
    varies = columns.differing(watch, np.concatenate([level, baseline]))
    within = {*columns.differing(varies, level), *columns.differing(varies, baseline)}
    apart = [name for name in varies if name not in within]
    found.varies_in = ", ".join(varies) or None
    if apart:
        found.notes.append(flag("sides", columns=apart))
    # cells weigh the same on both sides; labels do not, and could make the difference
    mixed = [
        name
        for name in varies
        if name in within
        and name not in CONDITIONS
        and not _in_shares(columns.codes(name), level, baseline)
    ]
    if mixed and len(level) and len(baseline):
        found.notes.append(flag("shares", columns=mixed))


def _in_shares(codes: Codes, level: Rows, baseline: Rows) -> bool:
    """Say whether both sides hold each value in the same share."""
    count = int(codes.max()) + 1
    one, other = (np.bincount(codes[rows], minlength=count) for rows in (level, baseline))
    return np.array_equal(one * len(baseline), other * len(level))


@dataclass(frozen=True)
class _Told:
    """What reports tell of the options of each run; `keys` says which run each row is of."""

    options: dict[Key, OptionTexts]
    keys: list[Key]

    @classmethod
    def of(cls, settings: IntoDataFrame, runs: Runs[Any]) -> _Told:
        return cls(options_of_runs(settings), run_keys(runs.data))

    def say(
        self, found: Ratio, sides: dict[str, Rows], named: Collection[str], design: Design
    ) -> None:
        """Name the options in which the sides differ, the folders of either one, and its pace."""
        if self.options.keys().isdisjoint(self.keys):
            found.notes.append(flag("settings-elsewhere"))
            return
        level, baseline = (
            options_of_rows(self.options, self.keys, rows.tolist()) for rows in sides.values()
        )
        _say_what_was_set(found, level, baseline, named)
        if design.metric.unit == "ns":
            sides_paced = [paced(one) for one in (level, baseline) if not is_offloaded(one)]
            if pace := list(dict.fromkeys(one for side in sides_paced for one in side)):
                found.notes.append(flag("paced", options=pace))
        if not design.pair:
            for side, texts in zip(sides, (level, baseline), strict=True):
                found.notes += several_targets(texts.get("directory", ()), side)


def _say_what_was_set(
    found: Ratio, level: OptionTexts, baseline: OptionTexts, named: Collection[str]
) -> None:
    """Name the options in which the sides differ."""
    if not level or not baseline:
        found.notes.append(flag("settings-unknown"))
        return
    differ = differing_options(level, baseline, named=named)
    options = [line["option"] for line in differ]
    found.settings_differ = ", ".join(options) or None
    if differ:
        texts = {
            side: [line[name] for line in differ]
            for side, name in zip(SIDES, ("text", "text_baseline"), strict=True)
        }
        found.notes.append(flag("settings", options=options, texts=texts))


@dataclass(frozen=True)
class Design:
    """What is compared, and how; checked once."""

    metric: Metric
    between: str
    baseline: Any
    by: tuple[str, ...]
    pair: str | None
    scope: str | None
    confidence: float
    band: float
    looks: Looks = "once"
    unit: str | None = None

    def answer(
        self, data: nw.DataFrame[IntoDataFrameT], name: str, lines: Sequence[AnswerRow]
    ) -> IntoDataFrameT:
        """Build an answer, which tells by its first columns what was compared with what."""
        keep = {name: name for name in (*self.by, self.between)} | {"baseline": self.between}
        same = {"metric": self.metric.name, "unit": self.metric.unit, "band": self.band}
        return frames.answer(data, name, keep, lines, **same)

    def named(self, there: Sequence[str]) -> list[str]:
        """List the columns that the question names; a session has none."""
        units = [self.unit] if self.unit in there else []
        every = [self.between, *self.by, *frames.names(self.pair), *filter(None, units)]
        return list(dict.fromkeys(every))

    def __post_init__(self) -> None:
        frames.check_confidence(self.confidence, above=0.5)
        if not (is_number(self.band) and 0 <= self.band < 1):
            raise SchemaError(
                f"band is {self.band!r}: it is a share, at least 0 and below 1 (0.05)"
            )
        frames.check_names(between=self.between, pair=self.pair, unit=self.unit)
        if self.unit is not None and (self.pair or self.unit in (self.between, *self.by)):
            beside = argument("pair") if self.pair else f"{self.unit!r} among the sides or cells"
            raise SchemaError(f"{argument('unit', self.unit)} excludes {beside}")
        if self.looks not in ("once", "any"):
            raise SchemaError(f"looks is {self.looks!r}: it is 'once' or 'any'")


@dataclass(frozen=True)
class Estimate:
    """The difference of two sides, from which a verdict follows.

    If the repeats are `over` other things than runs, more runs do not help; `what` is their word.
    A `history` predicts what is new, and is that long. Single `runs` of two sides may have the
    spread of others, too.
    """

    difference: estimates.StudentT
    fewest: int
    over: bool
    what: str = "runs"
    history: int = 0
    runs: tuple[Side, Side] | None = None


@dataclass
class Ratio:
    """One comparison; its fields, without `row` and `estimate`, are columns of `compare`."""

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
    comparisons: int = 0
    verdict: str = UNDECIDED
    beyond_band: str | None = None
    runs_needed: int | None = None
    runs_needed_same: int | None = None
    varies_in: str | None = None
    settings_differ: str | None = None
    notes: list[Flag] = field(default_factory=list)
    row: dict[str, int] = field(default_factory=dict)
    estimate: Estimate | None = None

    def lacks(self, verdict: str, which: Flag) -> Ratio:
        """Say that runs are missing, and which."""
        self.verdict = verdict
        self.notes.append(which)
        return self

    def line(self) -> AnswerRow:
        """Give the row of the answer."""
        return {name: value for name, value in vars(self).items() if name != "estimate"}


def ratio_of(sides: Sides, design: Design) -> Ratio:
    """Compare the two sides of one level; `judge` then gives all of an answer their verdicts."""
    notes = _how_cells_count(sides)
    had = (len(sides.level), len(sides.baseline))
    pair = design.pair or sides.paired_by
    if pair:
        sides, alone = matched(sides)
        if alone:
            notes.append(flag("no-partner", n=alone, pair=pair))
    found = Ratio(len(sides.level), len(sides.baseline), _method(sides, design), notes=notes)
    paired = pair is not None
    for count, side in zip(had, SIDES, strict=True):
        if count == 0:
            return found.lacks("no run", flag("no-run", side=side))
    if found.n == 0:
        return found.lacks("no run", flag("no-pair"))
    _centers(found, sides)
    sizes = [len(logs) for cell in sides.logs() for logs in cell]
    fewest = min(sizes)
    few = found.n < estimates.ENOUGH and not (paired or sides.own or design.looks == "any")
    if few and found.n_baseline >= history.LEAST:
        return _beside_history(found, sides)
    if few and (found.n_baseline >= estimates.ENOUGH or sides.unit != "run"):
        notes.append(flag("few-history", n=history.LEAST, what=_plural(sides), side="baseline"))
    if fewest == 1:
        which = flag("one-run", side="level" if found.n == 1 else "baseline", what=sides.unit)
        if paired and max(had) > 1:
            which = flag("one-run", side="pairs")
        elif max(sizes) == 1:
            which = flag("one-run", side="each", what=sides.unit)
        elif sides.own:
            which = flag("one-run", side="cell", columns=sides.dims)
        notes.append(_need(design, sides))
        return found.lacks("one run", which)
    if sides.over:
        notes.append(flag("other-values", **sides.over._asdict()))
    notes += kinds(sides, paired=paired)
    notes += order_flags(sides, paired=paired, band=design.band, confidence=design.confidence)
    found.estimate = _estimate(found, sides, design, fewest)
    return found


def _beside_history(found: Ratio, sides: Sides) -> Ratio:
    """Hold one or two new runs against what the runs of the baseline predict."""
    found.method = "log-prediction-t"
    found.notes += kinds(replace(sides, level=sides.level.take(NO_ROWS)), paired=False)
    logs, order, is_ordered = history.in_order(sides)
    void = [*history.faults(logs, order, sides.unit, is_ordered=is_ordered)]
    found.notes += void
    if void:
        return found
    difference = history.prediction(sides.level.logs, logs, sides.within)
    if difference is None:
        found.notes.append(flag("no-spread"))
        return found
    found.estimate = Estimate(difference, estimates.ENOUGH, True, _plural(sides), len(logs))
    return found


def _method(sides: Sides, design: Design) -> str:
    any_looks = ", any looks" if design.looks == "any" else ""
    if design.pair or sides.paired_by:
        return f"log-paired-t{any_looks}"
    return f"log-welch{'-cells' if sides.own else ''}{any_looks}"


def _centers(found: Ratio, sides: Sides) -> None:
    """Fill in the centers of the sides, and their ratio."""
    cells = sides.logs()
    level, baseline = (fmean(fmean(cell[side]) for cell in cells) for side in (0, 1))
    found.center, found.center_baseline, found.ratio = map(exp, (level, baseline, level - baseline))


def _estimate(found: Ratio, sides: Sides, design: Design, fewest: int) -> Estimate | None:
    """Estimate the difference; None if the runs do not differ at all."""
    cells, paired = sides.logs(), bool(design.pair or sides.paired_by)
    difference = estimates.paired(*cells[0]) if paired else estimates.welch(cells)
    if difference is None:
        found.notes.append(flag("no-spread"))
        return None
    if fewest < estimates.ENOUGH:
        found.notes.append(_need(design, sides))
    if not paired:
        found.notes += [
            flag("unlike-spread", side=side)
            for at, side in enumerate(SIDES)
            if not estimates.has_spread([cell[at] for cell in cells])
        ]
    what = "pairs" if paired else _plural(sides)
    is_plain = not (paired or sides.own or sides.over or sides.within)
    runs = (sides.level, sides.baseline) if is_plain else None
    return Estimate(difference, fewest, bool(sides.over), what, runs=runs)


def judge(ratios: Sequence[Ratio], design: Design) -> None:
    """Fill in intervals, p and verdicts: all comparisons of the answer share its error.

    By Bonferroni, the only correction whose intervals always agree with its verdicts: Holm's sees
    more, but beside its verdicts the intervals hold together in .92 instead of .95. Dunnett's is
    narrower, but errs .21 instead of .05 if the baseline of 20 levels spreads twice as far as they.
    """
    asked = [found.estimate for found in ratios if found.estimate is not None]
    common = _common_spread(asked) if design.looks == "once" else None
    for found in ratios:
        found.comparisons = len(asked)
        if found.estimate is not None:
            _judge(found, found.estimate, design, common)


def _common_spread(asked: Sequence[Estimate]) -> estimates.CommonSpread | None:
    """Pool the spreads of a sweep, of which each run is in one side of one cell."""
    sides = [side for one in asked for side in one.runs or ()]
    if len(asked) < _SWEEP or len(sides) < 2 * len(asked):
        return None
    runs = np.concatenate([side.runs for side in sides])
    if len(sides[0]) < estimates.ENOUGH or len(np.unique(runs)) < len(runs):
        return None
    return estimates.common_spread([side.logs for side in sides])


def _judge(
    found: Ratio, estimate: Estimate, design: Design, common: estimates.CommonSpread | None
) -> None:
    count, difference = found.comparisons, estimate.difference
    whole = design.confidence
    if estimate.history:
        whole = max(whole, 1 - 2 * history.LEVEL)
    confidence = whole if count == 1 else 1 - (1 - whole) / count
    if count > 1 and not estimate.history:
        difference = difference.sharing()
    again = estimates.AnyLooks(**vars(difference))  # further runs are another look
    if common is not None:
        difference = common.of(estimate.difference)
        found.method = "log-pooled-t"
        found.notes.append(flag("pooled", n=common.sides, p=common.p))
    if design.looks == "any":
        difference = again
    ends = difference.interval(confidence)
    if ends is None:
        found.notes.append(flag("looks"))
    else:
        found.ratio_lo, found.ratio_hi = map(exp, ends)
        found.confidence = whole
    if estimate.fewest < estimates.ENOUGH:
        found.lacks("few runs", flag("two", what=estimate.what))
        return
    found.p_equal = min(1.0, count * difference.p(0))
    found.verdict, found.beyond_band = verdict(
        difference, design.metric, band=design.band, confidence=confidence
    )
    if estimate.history:
        share = 1 - (1 - confidence) / 2
        found.notes.append(flag("history", n=estimate.history, what=estimate.what, share=share))
        if found.verdict in design.metric.words and rare_modes(estimate.history):
            found.notes.append(flag("rare-modes", n=estimate.history, what=estimate.what))
    if found.verdict == SAME and not estimate.over and rare_modes(estimate.fewest):
        what = estimate.what if estimate.what == "pairs" else f"{estimate.what} a side"
        found.notes.append(flag("rare-modes", n=estimate.fewest, what=what))
    if settled(found.beyond_band):
        found.runs_needed = found.runs_needed_same = 0
        return
    if estimate.over:
        return
    needed = estimates.runs_still_needed(
        again, design.band, now=estimate.fewest, confidence=confidence
    )
    found.runs_needed, found.runs_needed_same = needed
    if needed.as_seen is None:
        same = needed.if_same
        found.notes.append(flag("wide") if same is None else flag("edge", n=same))


def _need(design: Design, sides: Sides) -> Flag:
    runs = "pairs" if design.pair or sides.paired_by else f"{_plural(sides)} a side"
    what = f"{runs}{' in each cell' if sides.own else ''}"
    return flag("need", n=estimates.ENOUGH, what=what)


def _plural(sides: Sides) -> str:
    return f"{sides.unit}s"


def _how_cells_count(sides: Sides) -> list[Flag]:
    """Say how several cells became one number."""
    if not sides.dims or not (len(sides.level) and len(sides.baseline)):
        return []
    if sides.own:
        return [flag("own-cells", columns=sides.dims)]
    return [flag("run-means", cells=sides.each, columns=sides.dims)]


def verdict(
    difference: estimates.StudentT, metric: Metric, *, band: float, confidence: float
) -> tuple[str, str]:
    """Say what the interval says, and no more: the verdict, and whether it is beyond the band.

    The band is ``[1 / (1 + band), 1 + band]``: swapping the sides turns "faster" into "slower" and
    never into something else. "Same" takes the interval at ``2 confidence - 1``, which is two
    one-sided tests.
    """
    ends = difference.interval(confidence)
    if ends is None:
        return UNDECIDED, UNDECIDED
    edge = log1p(band)
    lo, hi = ends
    word = metric.words[0 if metric.sign * difference.center > 0 else 1]
    if lo > edge or hi < -edge:
        return word, "yes"
    narrow = difference.interval(2 * confidence - 1)
    if narrow is not None and -edge <= narrow[0] and narrow[1] <= edge:
        return SAME, "no"
    return UNDECIDED if lo <= 0 <= hi else word, UNDECIDED


def settled(beyond_band: Any) -> bool:
    """Say whether it is decided that a difference is beyond the band, or that it is not."""
    return beyond_band in ("yes", "no")
