"""The columns that statistics add to the frames they are given; no table has them.

Part of `fiotools.vocabulary`, and beside it only because together they are too long. What has no
unit here is a count, a text, a ratio, or in the unit of the metric that was asked for.
"""

from __future__ import annotations

from collections.abc import Mapping

from fiotools.column import Column
from fiotools.column import column as _c

_COLUMNS: tuple[Column, ...] = (
    # compare, speedup, summarize
    _c("baseline", "str", "", "The level that the others are divided by, in that column's type."),
    _c("metric", "str", "", "The column that was asked about."),
    _c("unit", "str", "", "The metric's unit."),
    _c("n_baseline", "Int64", "", "Runs (or pairs) on the side of the baseline."),
    _c("center", "float64", "", "Geometric mean of the level's runs (Hodges-Lehmann: median)."),
    _c("center_baseline", "float64", "", "The same of the baseline's runs."),
    _c("ratio", "float64", "", "Level / baseline, always."),
    _c("ratio_lo", "float64", "", "Lower end of the ratio's interval; null where n is too small."),
    _c("ratio_hi", "float64", "", "Upper end of the ratio's interval; null where n is too small."),
    _c("speedup", "float64", "", "How many times better the level is: above 1 is a gain."),
    _c("speedup_lo", "float64", "", "Lower end of the speedup's interval."),
    _c("speedup_hi", "float64", "", "Upper end of the speedup's interval."),
    _c("confidence", "float64", "", "Of the interval: compare() says what was reached."),
    _c("method", "str", "", "How the ratio was judged: log-welch, log-paired-t, ..."),
    _c("p", "float64", "", "Of the test against the nearer edge of the band."),
    _c("p_holm", "float64", "", "The same, corrected by Holm for all comparisons of the answer."),
    _c("comparisons", "Int64", "", "Tests in the answer."),
    _c("verdict", "str", "", "The answer in words: faster, slower, same within 5 %, ..."),
    _c(
        "runs_needed",
        "Int64",
        "",
        "Further runs a side that will probably settle the verdict; 0 where it is settled.",
    ),
    _c("varies_in", "str", "", "Conditions and labels that differ among the runs, unnamed."),
    _c("warnings", "str", "", "What to know before believing it, '; ' between; null if nothing."),
    _c("median", "float64", "", "Median of the runs, in the metric's unit."),
    _c("median_lo", "float64", "", "Lower end of the median's interval; null below 6 runs."),
    _c("median_hi", "float64", "", "Upper end of the median's interval; null below 6 runs."),
    _c("mean", "float64", "", "Mean of the runs, in the metric's unit."),
    _c("mean_lo", "float64", "", "Lower end of the mean's t interval; null for one run."),
    _c("mean_hi", "float64", "", "Upper end of the mean's t interval; null for one run."),
    _c("stddev", "float64", "", "Standard deviation between the runs, in the metric's unit."),
    _c("cov_pct", "float64", "%", "Coefficient of variation: stddev / mean."),
    _c("min", "float64", "", "Smallest of the runs, in the metric's unit."),
    _c("max", "float64", "", "Largest of the runs, in the metric's unit."),
    _c("outliers", "Int64", "", "Runs that lie far off the others; counted, never dropped."),
    # per_thread, fairness
    _c("share_pct", "float64", "%", "The thread's share of the I/Os per second of its run."),
    _c("k", "Int64", "", "Threads that ran side by side."),
    _c("jain", "float64", "", "Jain's index of fairness, from 1 (all equal) to 1/k."),
    _c("max_over_min", "float64", "", "IOPS of the fastest thread over those of the slowest."),
    _c("iops_lowest", "float64", "1/s", "IOPS of the slowest thread."),
    _c("iops_highest", "float64", "1/s", "IOPS of the fastest thread."),
    _c("stragglers", "str", "", "Threads that fell behind; null if none did."),
    # combine
    _c("parts", "Int64", "", "Rows that were added up."),
)

STATISTICS: Mapping[str, Column] = {column.name: column for column in _COLUMNS}
