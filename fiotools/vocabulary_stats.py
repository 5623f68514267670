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
    _c("ratio", "float64", "", "Level / baseline, always; of a log: log / summary."),
    _c("ratio_lo", "float64", "", "Lower end of the ratio's interval; null where n is too small."),
    _c("ratio_hi", "float64", "", "Upper end of the ratio's interval; null where n is too small."),
    _c("speedup", "float64", "", "How many times better the level is: above 1 is a gain."),
    _c("speedup_lo", "float64", "", "Lower end of the speedup's interval."),
    _c("speedup_hi", "float64", "", "Upper end of the speedup's interval."),
    _c("confidence", "float64", "", "Of the interval: compare() says what was reached."),
    _c("method", "str", "", "How it was found: log-welch, ..., snia, fio-slope, bins, bounded."),
    _c("p", "float64", "", "Of the test against the nearer edge of the band."),
    _c("p_holm", "float64", "", "The same, corrected by Holm for all comparisons of the answer."),
    _c("comparisons", "Int64", "", "Tests in the answer."),
    _c(
        "verdict",
        "str",
        "",
        "The answer in words: faster, slower, same within 5 %, ...; check(): ok, suspect,"
        " impossible or unknown.",
    ),
    _c(
        "runs_needed",
        "Int64",
        "",
        "Further runs a side that will probably settle the verdict; 0 where it is settled.",
    ),
    _c("varies_in", "str", "", "Conditions and labels that differ among the runs, unnamed."),
    _c(
        "settings_differ",
        "str",
        "",
        "Options that the sides did not have alike, '; ' between; null if none, or not asked.",
    ),
    _c("text_baseline", "str", "", "The option's value on the side of the baseline."),
    _c("warnings", "str", "", "What to know before believing it, '; ' between; null if nothing."),
    _c("median", "float64", "", "Median of the runs, in the metric's unit."),
    _c("median_lo", "float64", "", "Lower end of the median's interval; null below 6 runs."),
    _c("median_hi", "float64", "", "Upper end of the median's interval; null below 6 runs."),
    _c("mean", "float64", "", "Mean of runs, of a series, or of a window's I/Os, in their unit."),
    _c("mean_lo", "float64", "", "Lower end of the mean's t interval; null where n is too small."),
    _c("mean_hi", "float64", "", "Upper end of the mean's t interval; null where n is too small."),
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
    _c("parts", "Int64", "", "Rows that were added up; of bounds: tables of percentiles."),
    # percentiles_from_bins, bound_percentiles
    _c("bound_lo_ns", "float64", "ns", "The percentile is certainly not below; null: unknown."),
    _c("bound_hi_ns", "float64", "ns", "The percentile is certainly not above; null: unknown."),
    _c("value_lo_ns", "float64", "ns", "Lower end of the percentile's interval."),
    _c("value_hi_ns", "float64", "ns", "Upper end of the percentile's interval."),
    _c("note", "str", "", "What the interval is about, and on which condition."),
    # variance_parts
    _c("stddev_within", "float64", "", "Spread among the threads of a run, in the metric's unit."),
    _c("stddev_between", "float64", "", "Spread of runs beyond what their threads explain."),
    _c("icc", "float64", "", "Share of the variance that lies between runs."),
    _c("icc_lo", "float64", "", "Lower end of its interval."),
    _c("icc_hi", "float64", "", "Upper end of its interval."),
    # check
    _c("subject", "str", "", "What was looked at: a direction of a job, the run, two sides."),
    _c("check", "str", "", "What was asked, by its short name: little, link, budget, ..."),
    _c("observed", "float64", "", "What the limit is held against, in the column unit."),
    _c("limit", "float64", "", "What can be, or should, in the column unit."),
    _c("why", "str", "", "The reason of the verdict, in one sentence."),
    _c("remedy", "str", "", "What to do, or which evidence is missing; null if nothing is."),
    _c("basis", "str", "", "Where the limit comes from."),
    # steady, reconcile, window
    _c("interval_s", "float64", "s", "Median time between samples; length of a round or window."),
    _c("lag1", "float64", "", "Correlation of each sample with the next."),
    _c("tau", "float64", "", "Samples that tell as much as one independent sample would."),
    _c("window", "Int64", "", "Rounds in the window that was judged, at the end of the series."),
    _c("window_mean", "float64", "", "Mean of the window, in the metric's unit."),
    _c("range_pct", "float64", "%", "Largest less smallest of the window, of its mean."),
    _c("deviation_pct", "float64", "%", "Farthest of the window from its mean, of that mean."),
    _c(
        "rise_pct",
        "float64",
        "%",
        "Rise of the least-squares line over the window, of its mean; negative where it falls.",
    ),
    _c("drift_pct", "float64", "%", "The same from one round to the next."),
    _c("met", "boolean", "", "Whether the window meets the rule; null where rounds are too few."),
    _c("span_s", "float64", "s", "Time that the samples cover."),
    _c("coverage_pct", "float64", "%", "The same, of the run time, or of the window."),
    _c("log_rate", "float64", "", "Mean of the samples, weighted by time, in the metric's unit."),
    _c("summary_rate", "float64", "", "What the summary of the run gives, in the metric's unit."),
    _c("tolerance_pct", "float64", "%", "Difference up to which the two agree."),
)

STATISTICS: Mapping[str, Column] = {column.name: column for column in _COLUMNS}
