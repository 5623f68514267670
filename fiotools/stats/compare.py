"""How much faster, how sure: ratios between ways of storing data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from typing import Any

import narwhals as nw
from narwhals.typing import IntoDataFrame, IntoDataFrameT

from fiotools.errors import SchemaError
from fiotools.hints import argument, typed
from fiotools.stats import frames
from fiotools.stats.arguments import metric_of
from fiotools.stats.arms import arms_of, levels_beside
from fiotools.stats.frames import Rows
from fiotools.stats.population import several_targets
from fiotools.stats.ratio import Design, Looks, Method, Ratio, judge, ratio_of
from fiotools.stats.replicates import runs_of
from fiotools.stats.settings_diff import (
    OptionTexts,
    differing_options,
    options_of_rows,
    options_of_runs,
)
from fiotools.vocabulary import ANSWERS, COLUMNS, CONDITIONS


def compare(
    frame: IntoDataFrameT,
    metric: str,
    *,
    between: str,
    baseline: Any,
    by: str | Sequence[str] | None = None,
    pair: str | None = None,
    scope: str | None = None,
    confidence: float = 0.95,
    band: float = 0.05,
    method: Method = "log-welch",
    looks: Looks = "once",
    settings: IntoDataFrame | None = None,
) -> IntoDataFrameT:
    """Compare each level of a column with a baseline: the ratio, its interval, a verdict in words.

    The replicate is the run. Threads, jobs and directions of one run are no repeats of it, and are
    refused with the filter to type. Where a run went through several conditions that `by` does not
    name, it counts once, as their geometric mean.

    Parameters
    ----------
    frame : pandas.DataFrame or polars.DataFrame
        One row per run and cell, such as `Results.io`. Without a column ``run``, each row is a run.
    metric : str
        A column of numbers above zero.
    between : str
        The column whose levels are compared.
    baseline : object
        The level that the others are divided by.
    by : str or sequence of str, optional
        Compare within each combination of these columns.
    pair : str, optional
        The column that pairs runs of both sides, such as a round. Never guessed.
    scope : str, optional
        Without it, rows of scope ``total``, or of the only scope there is.
    confidence : float
        Of the interval. "Same" is judged by the interval at ``2 confidence - 1``.
    band : float
        Differences up to this share do not matter.
    method : {"log-welch", "hodges-lehmann"}
        The t interval and test of the difference of logarithms; or the median of all differences
        with the interval and the test of Mann and Whitney, which take any distribution, but the
        same shape and spread on both sides: exact for up to 2500 pairs of runs without ties, else
        by the normal approximation.
    looks : {"once", "any"}
        Whether the number of runs was fixed beforehand, and is looked at once; or runs were added
        after a look, or may be. Then the interval is a wider one, which holds at any number of
        looks. It has to be asked for from the first look on.
    settings : pandas.DataFrame or polars.DataFrame, optional
        `Results.settings` of the same reading: then the options that the sides did not have alike
        are listed.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        A row per combination of `by` and level:

        * the columns of `by`, `between` (the level) and ``baseline``;
        * ``metric`` and its ``unit``; ``n`` and ``n_baseline``: runs (or pairs) on each side;
        * ``center``, ``center_baseline`` [unit]: geometric means (medians for Hodges-Lehmann);
        * ``ratio``, ``ratio_lo``, ``ratio_hi``: level / baseline. Null interval for one run a side;
        * ``confidence``: that all intervals of the answer together hold, as reached; ``method``: as
          used;
        * ``p_equal``: of equality, ``p_band``: that the difference is within the band (both
          two-sided), ``p_same``: that it is beyond (two one-sided tests); each multiplied by
          ``comparisons``, the number of intervals in the answer;
        * ``verdict``: "faster", "slower", "same within 5 %", "faster by 2 to 10 %; whether by more
          than 5 % is not settled" or "not settled"; "one run each: not comparable". Its percentages
          are those of the ratio: "slower by 10 %" is a ratio of .9, and of times "slower, taking
          10 % more time" one of 1.1. Whether less is better stands in the vocabulary, or in the
          metric's unit (``_s``, ``_ns``);
        * ``runs_needed``: further runs per side that will probably settle it, 0 where it is
          settled. They are another look: the number is that of ``looks="any"``;
        * ``varies_in``: conditions and labels that differ among the runs and were not named (nor
          are another name of what was: a label "4k" where bs_bytes is 4096);
        * ``settings_differ``: options that the sides did not have alike, "; " between, without
          those that `by` and `between` name; null if there are none, or `settings` was not given;
        * ``warnings``: text, "; " between, null if there are none.

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
    Intervals: Welch's t on logarithms; paired t where `pair` names the pairs; Mann-Whitney inverted
    for Hodges-Lehmann, from 3 runs against 5 or 4 against 4 on. The larger of two sides brings no
    more degrees of freedom than the smaller: else 3 runs against 10 would hold .93. See Kalibera
    and Jones, "Quantifying performance changes with effect size confidence intervals" (2012).

    All comparisons of an answer, levels and cells of `by` alike, share its error: the chance that
    any of them is called faster or slower and is not, is at most ``1 - confidence``. Each interval
    has ``1 - (1 - confidence) / comparisons`` (Bonferroni), and degrees of freedom half-way between
    Welch's and those of the smaller side. A comparison that alone was planned is asked for alone.

    ``looks="any"``: a confidence sequence for t statistics (Wang and Ramdas, arXiv 2310.03722).
    Runs that are looked at after each with the interval for one look give a wrong "faster" in .14
    to .16, and not in .025.

    Centers are geometric means. They lie below arithmetic ones, by a factor of ``sqrt(1 + cv**2)``
    for lognormal runs: of two sides that move as many bytes in the long run, the one whose runs
    vary by .5 has .91 times the geometric mean of the one whose runs vary by .2.

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
    design = Design(
        metric_of(metric),
        between,
        baseline,
        frames.names(by),
        pair,
        scope,
        confidence,
        band,
        method,
        looks,
    )
    data, keep, ratios = ratios_of(frame, design, settings)
    return frames.answer(data, ANSWERS["compare"], keep, [found.line() for found in ratios])


def speedup(
    frame: IntoDataFrameT,
    metric: str,
    *,
    between: str,
    baseline: Any,
    by: str | Sequence[str] | None = None,
    pair: str | None = None,
    scope: str | None = None,
    confidence: float = 0.95,
    band: float = 0.05,
    method: Method = "log-welch",
    looks: Looks = "once",
    settings: IntoDataFrame | None = None,
) -> IntoDataFrameT:
    """Compare as `compare` does, and say how many times faster each level is than the baseline.

    Parameters
    ----------
    frame, metric, between, baseline, by, pair, scope, confidence, band, method, looks, settings
        As in `compare`. Of the metric it must be known which way is better: it is a column of the
        vocabulary, or named after its unit (``_s`` and ``_ns``: less; ``iops``, ``_per_s``: more).

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        The columns of `compare`, and after ``ratio_hi``: ``speedup``, ``speedup_lo``,
        ``speedup_hi``, above 1 where the level is better. For a time that is baseline / level.

    Raises
    ------
    SchemaError
        As in `compare`, and where nobody knows which way is better.

    Examples
    --------
    >>> import pandas as pd
    >>> cat = pd.DataFrame({"cache": ["before", "after"], "real_s": [4.364, 0.466]})
    >>> answer = speedup(cat, "real_s", between="cache", baseline="before")
    >>> answer[["cache", "n", "ratio", "speedup", "verdict"]].round(2)
       cache  n  ratio  speedup                       verdict
    0  after  1   0.11     9.36  one run each: not comparable
    """
    measure = metric_of(metric)
    if measure.better is None:
        raise SchemaError(f"is more {metric!r} better, or less? {_which_way(metric)}")
    design = Design(
        measure, between, baseline, frames.names(by), pair, scope, confidence, band, method, looks
    )
    data, keep, ratios = ratios_of(frame, design, settings)
    lines = [found.line() | _gain(found, measure.sign) for found in ratios]
    return frames.answer(data, ANSWERS["speedup"], keep, lines)


def ratios_of(
    frame: IntoDataFrameT, design: Design, settings: IntoDataFrame | None
) -> tuple[nw.DataFrame[IntoDataFrameT], Rows, list[Ratio]]:
    """Check the frame, then compare each level with the baseline in each cell."""
    metric, between, baseline, by = design.metric, design.between, design.baseline, design.by
    named = dict.fromkeys([between, *by, *frames.names(design.pair)])
    data = frames.opened(frame)
    frames.need(data, [metric.name, *named])
    if "baseline" in (between, *by):
        raise SchemaError("column 'baseline' would hide the answer's own 'baseline': rename it")
    if between in by:
        raise SchemaError(
            f"{between!r} is in {argument('by')} and is what to compare between: "
            f"take it out of {argument('by')}"
        )
    runs = runs_of(data, metric.name, named, design.scope, by=by, between=between, positive=True)
    data, keys = runs.data, runs.keys
    levels, side = levels_beside(data, between, baseline), frames.values(data, between)
    had = None if settings is None else options_of_runs(settings)

    ratios, cells, held = [], [], []
    for rows in frames.groups(data, by).values():
        base = [row for row in rows if side[row] == baseline]
        for level in levels:
            own = [row for row in rows if side[row] == level]
            arms = arms_of(runs, own, base, design.pair)
            found = ratio_of(arms, design, level)
            say_what_varies(found, runs.watch, own, base)
            for name, side_rows in () if design.pair else ((level, own), (baseline, base)):
                found.notes += several_targets(
                    (runs.targets[row] for row in side_rows), f"the runs of {name!r}"
                )
            if had is not None and own and base:
                if had.keys().isdisjoint(keys):
                    found.notes.append("settings= is of none of these runs: of another reading?")
                else:
                    options, others = (options_of_rows(had, keys, arm) for arm in (own, base))
                    _say_what_was_set(found, options, others, named)
                    for name, texts in (
                        () if design.pair else ((level, options), (baseline, others))
                    ):
                        folders = [frozenset([text]) for text in texts.get("directory", ())]
                        found.notes += several_targets(folders, f"the runs of {name!r}")
            ratios.append(found)
            cells.append(rows[0])
            held.append(side.index(level))  # a row with the level; this cell may have none
    judge(ratios, design)
    keep = {
        **frames.kept(by, cells),
        between: (between, held),
        "baseline": (between, [side.index(baseline)] * len(held)),
    }
    return data, keep, ratios


def say_what_varies(
    found: Ratio, watch: Mapping[str, list[Any]], level: list[int], baseline: list[int]
) -> None:
    """Name what differs though nobody named it; worst is what sets the sides apart."""
    varies = frames.differing(watch, [*level, *baseline])
    within = {*frames.differing(watch, level), *frames.differing(watch, baseline)}
    apart = [name for name in varies if name not in within]
    found.varies_in = ", ".join(varies) or None
    if apart:
        found.notes.append(f"the sides differ in {', '.join(apart)} too")
    # cells weigh the same on both sides; labels do not, and their own effect would look like one
    mixed = [
        name
        for name in varies
        if name in within
        and name not in CONDITIONS
        and _shares(watch[name], level) != _shares(watch[name], baseline)
    ]
    if mixed and level and baseline:
        found.notes.append(f"the sides hold {', '.join(mixed)} in unlike shares")


def _shares(column: list[Any], rows: list[int]) -> dict[Any, Fraction]:
    """Say which share of the rows has each value."""
    found = Counter(column[row] for row in rows)
    return {value: Fraction(count, len(rows)) for value, count in found.items()}


def _say_what_was_set(
    found: Ratio, level: OptionTexts, baseline: OptionTexts, named: Collection[str]
) -> None:
    """Name the options that the sides did not have alike."""
    if not level or not baseline:
        found.notes.append("whether both sides had the same options is not in the reports")
        return
    differ = differing_options(level, baseline, named=named)
    found.settings_differ = "; ".join(map(str, differ)) or None
    if differ:
        options = ", ".join(one.option for one in differ)
        found.notes.append(f"the sides had other options: {options}")


def _which_way(metric: str) -> str:
    """Say why nobody knows whether more is better, and what to do about it."""
    compare_it = typed("compare()", "fiotools compare")
    if metric in COLUMNS:
        return (
            "the vocabulary does not say, because that depends on how the tool was run: use "
            f"{compare_it}, which does without"
        )
    return (
        "rename it to a column of the vocabulary (real_s, iops, ...) or after its unit "
        f"(_s, _ns, _per_s), or use {compare_it}"
    )


def _gain(found: Ratio, sign: int) -> dict[str, float | None]:
    """Turn a ratio so that above 1 is better; the ends change places with it."""
    ends = found.ratio, found.ratio_lo, found.ratio_hi
    if sign < 0:
        center, hi, lo = (None if end is None else 1 / end for end in ends)
        ends = center, lo, hi
    return dict(zip(("speedup", "speedup_lo", "speedup_hi"), ends, strict=True))
