"""Every column of every table and answer: its type, unit and meaning, and each tool's name for it.

A column exists only here; `fiotools.schema` says which tables and which answers have it. Readers
that fill an unknown one are refused, answers are made and documentation is generated from here, and
statistics look up here which way is better. Names are ``quantity[_statistic]_unit`` in fio's words;
units are base units only: bytes, seconds for durations, nanoseconds for latencies.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Literal

from fiotools.errors import SchemaError
from fiotools.schema import ANSWERS, CONDITIONS, KEYS, TABLES

__all__ = [
    "ANSWERS",
    "COLUMNS",
    "CONDITIONS",
    "EVERY",
    "KEYS",
    "PANDAS",
    "STATISTICS",
    "TABLES",
    "Better",
    "Column",
    "DType",
    "describe",
    "tables_of",
]

DType = Literal["Int64", "float64", "boolean", "str", "datetime"]
Better = Literal["higher", "lower"]

PANDAS: Mapping[DType, str] = {
    "Int64": "Int64",
    "float64": "float64",
    "boolean": "boolean",
    "str": "str",
    "datetime": "datetime64[ms, UTC]",
}


@dataclass(frozen=True)
class Column:
    """The definition of one column.

    Attributes
    ----------
    name : str
    dtype : {"Int64", "float64", "boolean", "str", "datetime"}
    unit : str
        ``B``, ``B/s``, ``s``, ``ns``, ``%``, ``1/s``, or nothing for counts and text.
    meaning : str
    better : {"higher", "lower"} or None
        Which way is better, if any.
    derived : str
        How fiotools computes it; empty if only the tool reports it.
    keys : mapping
        Tool to the name of the number in that tool's output.
    """

    name: str
    dtype: DType
    unit: str
    meaning: str
    better: Better | None = None
    derived: str = ""
    keys: Mapping[str, str] = field(default_factory=dict)

    @property
    def places(self) -> list[str]:
        """The tables that have it, and the functions that return it."""
        tables = [table for table, names in TABLES.items() if self.name in names]
        return tables + [f"{name}()" for name, added in ANSWERS.items() if self.name in added]

    def __str__(self) -> str:
        lines = [f"{self.name} [{self.dtype}{', ' + self.unit if self.unit else ''}]"]
        lines.append(f"  {self.meaning}")
        lines.append(f"  in: {', '.join(self.places)}")
        if self.better:
            lines.append(f"  better: {self.better}")
        if self.derived:
            lines.append(f"  derived: {self.derived}")
        lines += [f"  {tool}: {key}" for tool, key in self.keys.items()]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self)


def _c(
    name: str,
    dtype: DType,
    unit: str,
    meaning: str,
    *,
    better: Better | None = None,
    derived: str = "",
    **keys: str,
) -> Column:
    """Define a column in one line: the tools' names for it are keywords."""
    return Column(name, dtype, unit, meaning, better, derived, keys)


def _latency(kind: str, what: str, *, diskspd: bool = False) -> Iterator[Column]:
    """Define the four columns of one latency."""
    pooled = "combine(), DISKSPD 2.2 targets: weighted by I/Os, spread pooled within and between"
    for stat, words, derived, key in (
        ("min", "Smallest", "", "Bucket[Percentile=0]"),
        ("max", "Largest", "", "Bucket[Percentile=100]"),
        ("mean", "Mean", pooled, "Average*Milliseconds; text AvgLat"),
        ("stddev", "Standard deviation of", pooled, "*LatencyStdev; text LatStdDev"),
    ):
        keys = {"fio": f"{kind}_ns.{stat}; {kind}.{stat} (us) before 3.0"}
        if diskspd:
            keys["diskspd"] = key
        meaning = f"{words} {what}."
        yield Column(f"{kind}_{stat}_ns", "float64", "ns", meaning, "lower", derived, keys)


_COLUMNS: tuple[Column, ...] = (
    # keys: where a row comes from and what it is about
    _c("source", "str", "", "The file, as its path was given, with '/'."),
    _c("run", "Int64", "", "Number of the run within the file, from 1."),
    _c("entry", "Int64", "", "Number of the entry within the run's report, from 1."),
    _c("host", "str", "", "Machine that ran the tool.", fio="hostname (client mode)"),
    _c("port", "Int64", "", "Port of the fio server.", fio="port"),
    _c("group", "Int64", "", "fio's groupid.", fio="groupid"),
    _c("job", "str", "", "Name of the job; clones share it.", fio="jobname"),
    _c("thread", "Int64", "", "Thread number.", diskspd="Thread/Id"),
    _c(
        "target",
        "str",
        "",
        "File or device under test.",
        diskspd="Target/Path",
        dd="of= (write), if= (read)",
    ),
    _c("direction", "str", "", "read, write, trim, sync, mixed, total or copy."),
    _c("scope", "str", "", "What a row sums up: thread, job, group, client, target or total."),
    # runs
    _c("tool", "str", "", "fio, diskspd, dd, time, ..."),
    _c("tool_version", "str", "", "Version as the tool prints it."),
    _c("format", "str", "", "Name of the reader that read it."),
    _c("command", "str", "", "Command line, where the file shows it."),
    _c(
        "reported_at",
        "datetime",
        "",
        "When the tool printed: the END of the run.",
        fio="timestamp_ms, timestamp",
        diskspd="System/RunTime",
    ),
    _c("started_at", "datetime", "", "When the run began, only where the file says so."),
    _c("duration_s", "float64", "s", "Wall time of the run.", fio="elapsed"),
    _c("status", "str", "", "ok, error, interrupted or truncated."),
    # conditions
    _c("rw", "str", "", "Pattern, in fio's words: read, randrw, ...", fio="rw"),
    _c("bs_bytes", "Int64", "B", "Block size.", fio="bs", diskspd="BlockSize, -b", dd="bs="),
    _c(
        "iodepth",
        "Int64",
        "",
        "Outstanding I/Os of one job (DISKSPD: of a thread on a target; in totals of a thread).",
        fio="iodepth",
        diskspd="RequestCount, -o, -O",
        crystaldiskmark="Q, QD",
    ),
    _c(
        "numjobs",
        "Int64",
        "",
        "Jobs or threads.",
        fio="numjobs",
        diskspd="ThreadsPerFile, -t; ThreadCount, -F",
        crystaldiskmark="T",
    ),
    _c("ioengine", "str", "", "How I/O is submitted.", fio="ioengine"),
    _c(
        "direct",
        "boolean",
        "",
        "True where the page cache is bypassed.",
        fio="direct",
        diskspd="DisableOSCache, -Su, -Sh",
        dd="iflag=, oflag=direct",
    ),
    _c(
        "rwmixread_pct",
        "float64",
        "%",
        "Share of reads asked for.",
        fio="rwmixread",
        diskspd="100 - WriteRatio",
    ),
    _c(
        "size_bytes",
        "Int64",
        "B",
        "Size of the file or region under test.",
        fio="size",
        diskspd="Target/FileSize; text file (5120MiB)",
    ),
    # io: amounts and rates
    _c(
        "io_bytes",
        "Int64",
        "B",
        "Bytes moved.",
        derived="DISKSPD totals: summed over thread x target",
        fio="io_bytes (KiB before 2.21)",
        diskspd="BytesCount, ReadBytes, WriteBytes",
        dd="N bytes",
    ),
    _c(
        "total_ios",
        "Int64",
        "",
        "I/Os done.",
        derived="DISKSPD totals: summed over thread x target",
        fio="total_ios",
        diskspd="IOCount, ReadCount, WriteCount; text I/Os",
    ),
    _c("short_ios", "Int64", "", "I/Os that moved less than requested.", fio="short_ios"),
    _c("drop_ios", "Int64", "", "I/Os dropped.", fio="drop_ios"),
    _c(
        "runtime_s",
        "float64",
        "s",
        "Time over which the row's I/O is counted.",
        derived="DISKSPD tables without a test time: I/Os / (I/O per s)",
        fio="runtime (ms)",
        diskspd="TestTimeSeconds",
        dd="S s",
    ),
    _c(
        "iops",
        "float64",
        "1/s",
        "I/Os per second.",
        better="higher",
        derived="total_ios / runtime_s if that agrees with the printed number; DISKSPD XML;"
        " CrystalDiskMark: bandwidth / block size, unless the printed number is more precise",
        fio="iops",
        diskspd="text I/O per s",
        crystaldiskmark="IOPS",
    ),
    _c(
        "bw_bytes_per_s",
        "float64",
        "B/s",
        "Bandwidth.",
        better="higher",
        derived="io_bytes / runtime_s: dd, DISKSPD XML, fio before 3.2 and fio text;"
        " DISKSPD text from iops x bytes / I/Os",
        fio="bw_bytes; bw (KiB/s) before 3.2",
        diskspd="text MiB/s",
        crystaldiskmark="MB/s",
        dd="rate",
    ),
    # io: statistics over the tool's samples
    _c(
        "bw_min_bytes_per_s",
        "float64",
        "B/s",
        "Minimum of the bandwidth over fio's samples.",
        fio="bw_min",
    ),
    _c(
        "bw_max_bytes_per_s",
        "float64",
        "B/s",
        "Maximum of the bandwidth over fio's samples.",
        fio="bw_max",
    ),
    _c(
        "bw_mean_bytes_per_s",
        "float64",
        "B/s",
        "Mean of the bandwidth over fio's samples.",
        better="higher",
        fio="bw_mean",
    ),
    _c(
        "bw_stddev_bytes_per_s",
        "float64",
        "B/s",
        "Standard deviation of the bandwidth over fio's samples.",
        fio="bw_dev",
    ),
    _c("bw_agg_pct", "float64", "%", "Share of the group's bandwidth.", fio="bw_agg"),
    _c("bw_samples", "Int64", "", "Samples behind bw_mean.", fio="bw_samples"),
    _c("iops_min", "float64", "1/s", "Minimum of the IOPS over samples.", fio="iops_min"),
    _c("iops_max", "float64", "1/s", "Maximum of the IOPS over samples.", fio="iops_max"),
    _c(
        "iops_mean",
        "float64",
        "1/s",
        "Mean of the IOPS over samples.",
        better="higher",
        fio="iops_mean",
    ),
    _c(
        "iops_stddev",
        "float64",
        "1/s",
        "Standard deviation of the IOPS over samples. It cannot be added or pooled.",
        better="lower",
        fio="iops_stddev",
        diskspd="*IopsStdDev; text IopsStdDev",
    ),
    _c("iops_samples", "Int64", "", "Samples behind iops_mean.", fio="iops_samples"),
    # io: latencies
    *_latency("slat", "submission latency"),
    *_latency("clat", "completion latency, from submission"),
    *_latency("lat", "total latency, from request to completion", diskspd=True),
    # percentiles, bins, samples
    _c("latency", "str", "", "Which latency: slat, clat or lat."),
    _c("percentile", "float64", "%", "Percentile: 99.9 is three nines."),
    _c("value_ns", "float64", "ns", "Latency at the percentile.", better="lower"),
    _c("bin_lo_ns", "float64", "ns", "Lower edge of the bin."),
    _c("bin_hi_ns", "float64", "ns", "Upper edge of the bin; infinite for the last."),
    _c("count", "Int64", "", "I/Os in the bin; as a quantity, in the sample."),
    _c("pct", "float64", "%", "Share of the I/Os in the bin, if only that is printed."),
    _c(
        "quantity",
        "str",
        "",
        "The sampled quantity: a column of this vocabulary, or lat_ns, clat_ns, slat_ns: one"
        " latency, or one for a whole window.",
    ),
    _c(
        "time_s",
        "float64",
        "s",
        "Time from the start of the run to the end of the sample; missing for bins of a whole run.",
    ),
    _c("value", "float64", "", "The sample, in the base unit of its quantity."),
    _c("offset_bytes", "Int64", "B", "Offset of the I/O."),
    _c("prio", "str", "", "Priority of the I/O."),
    # jobs
    _c("error", "Int64", "", "Error number; 0 means no error.", fio="error"),
    _c("usr_cpu_pct", "float64", "%", "User CPU of the entry.", better="lower", fio="usr_cpu"),
    _c("sys_cpu_pct", "float64", "%", "System CPU of the entry.", better="lower", fio="sys_cpu"),
    _c("ctx", "Int64", "", "Context switches.", better="lower", fio="ctx"),
    _c("majf", "Int64", "", "Major page faults.", better="lower", fio="majf"),
    _c("minf", "Int64", "", "Minor page faults.", fio="minf"),
    _c("job_start", "datetime", "", "When the job began (fio 3.36).", fio="job_start"),
    _c(
        "job_runtime_s",
        "float64",
        "s",
        "Run time of the job; summed over the jobs of a group.",
        fio="job_runtime (ms)",
    ),
    _c("description", "str", "", "Description of the job.", fio="desc"),
    # settings and extras
    _c("option", "str", "", "Name of the option, in the tool's words."),
    _c("text", "str", "", "Value of the option or item, as text."),
    _c("origin", "str", "", "given, global or default."),
    _c("path", "str", "", "Place of the item in the document."),
    # timings
    _c("real_s", "float64", "s", "Wall time.", better="lower", time="real", hyperfine="times"),
    _c("user_s", "float64", "s", "User CPU time.", better="lower", time="user"),
    _c("sys_s", "float64", "s", "System CPU time.", better="lower", time="sys"),
    _c("max_rss_bytes", "Int64", "B", "Peak resident set.", better="lower"),
    _c("exit_status", "Int64", "", "Exit status of the command.", hyperfine="exit_codes"),
    _c("real_mean_s", "float64", "s", "Mean wall time of n runs.", better="lower"),
    _c("real_stddev_s", "float64", "s", "Standard deviation of the wall time of n runs."),
    _c("n", "Int64", "", "Runs behind a printed summary or a statistic; I/Os in a window."),
    # cpu
    _c("cpu", "str", "", "Processor number, or 'average'.", diskspd="CPU/Id"),
    _c("usage_pct", "float64", "%", "Busy share.", diskspd="UsagePercent"),
    _c("user_pct", "float64", "%", "User share.", diskspd="UserPercent"),
    _c("kernel_pct", "float64", "%", "Kernel share.", diskspd="KernelPercent"),
    _c("idle_pct", "float64", "%", "Idle share.", diskspd="IdlePercent"),
    # disks
    _c("device", "str", "", "Block device.", fio="disk_util.name"),
    _c("read_ios", "Int64", "", "Reads that reached the device.", fio="read_ios"),
    _c("write_ios", "Int64", "", "Writes that reached the device.", fio="write_ios"),
    _c("read_merges", "Int64", "", "Reads merged.", fio="read_merges"),
    _c("write_merges", "Int64", "", "Writes merged.", fio="write_merges"),
    _c("read_sectors_bytes", "Int64", "B", "Bytes read (3.36).", fio="read_sectors x 512"),
    _c("write_sectors_bytes", "Int64", "B", "Bytes written (3.36).", fio="write_sectors x 512"),
    _c("read_ticks_s", "float64", "s", "Time spent on reads.", fio="read_ticks (ms)"),
    _c("write_ticks_s", "float64", "s", "Time on writes.", fio="write_ticks (ms)"),
    _c("in_queue_s", "float64", "s", "Time in the queue.", fio="in_queue (ms)"),
    _c("util_pct", "float64", "%", "Share of time that the device was busy.", fio="util"),
    # notes
    _c("line", "Int64", "", "Line of the file."),
    _c("severity", "str", "", "info, warning or error."),
    _c("message", "str", "", "The reader's note."),
    # Columns of answers only. Without a unit here: a count, a text, a ratio, or a value in the
    # metric's unit.
    # compare, speedup, summarize
    _c("baseline", "str", "", "The level that the others are divided by, in that column's type."),
    _c("metric", "str", "", "The column that was compared or summarized."),
    _c("unit", "str", "", "The metric's unit."),
    _c("n_baseline", "Int64", "", "Runs (or pairs) of the baseline."),
    _c("center", "float64", "", "Geometric mean of the level's runs (Hodges-Lehmann: median)."),
    _c("center_baseline", "float64", "", "The same for the baseline's runs."),
    _c("ratio", "float64", "", "Level / baseline, always; for a log: log / summary."),
    _c("ratio_lo", "float64", "", "Lower end of the ratio's interval; null if n is too small."),
    _c("ratio_hi", "float64", "", "Upper end of the ratio's interval; null if n is too small."),
    _c("workloads", "Int64", "", "Workloads behind the ratio; 1: that workload alone."),
    _c(
        "about",
        "str",
        "",
        "Scope of a ratio over all workloads: these workloads, or similar ones too.",
    ),
    _c("windows", "Int64", "", "Windows of the shorter run, for an interval within runs."),
    _c("speedup", "float64", "", "How many times better the level is: above 1 is a gain."),
    _c("speedup_lo", "float64", "", "Lower end of the speedup's interval."),
    _c("speedup_hi", "float64", "", "Upper end of the speedup's interval."),
    _c(
        "confidence",
        "float64",
        "",
        "Confidence of the interval; compare() returns the confidence reached.",
    ),
    _c("method", "str", "", "Method: log-welch, ..., snia, fio-slope, bins, bounded."),
    _c("p_equal", "float64", "", "p of equality, two-sided, adjusted for all comparisons."),
    _c("p_band", "float64", "", "p of a difference within the band, two-sided, adjusted likewise."),
    _c(
        "p_same",
        "float64",
        "",
        "p of a difference beyond the band: two one-sided tests, adjusted likewise.",
    ),
    _c("comparisons", "Int64", "", "Intervals in the answer, which share its error."),
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
        "Further runs per side that will probably decide the verdict, as another look; 0 if it is"
        " decided.",
    ),
    _c("cov_hi_pct", "float64", "%", "Upper 80 % limit of a pilot's coefficient of variation."),
    _c("correlation", "float64", "", "Correlation of the logarithms of a round's runs."),
    _c("difference_pct", "float64", "%", "The difference to detect, or to exclude."),
    _c("power", "float64", "", "The probability of detecting it."),
    _c("runs_differ", "Int64", "", "Runs per side that will detect the difference."),
    _c("runs_same", "Int64", "", "Runs per side that will find equal sides the same within it."),
    _c("rounds_differ", "Int64", "", "Rounds of paired runs that will detect the difference."),
    _c("rounds_same", "Int64", "", "Rounds that will find equal sides the same within it."),
    _c(
        "varies_in",
        "str",
        "",
        "Conditions and labels that differ among the runs and are not in by.",
    ),
    _c(
        "settings_differ",
        "str",
        "",
        "Options on which the sides differ, separated by '; '; null if none, or not compared.",
    ),
    _c("text_baseline", "str", "", "The baseline's value of the option."),
    _c("warnings", "str", "", "Reasons for caution, separated by '; '; null if there are none."),
    _c("median", "float64", "", "Median of the runs, in the metric's unit."),
    _c("median_lo", "float64", "", "Lower end of the median's interval; null below 6 runs."),
    _c("median_hi", "float64", "", "Upper end of the median's interval; null below 6 runs."),
    _c("mean", "float64", "", "Mean of runs, of a series, or of a window's I/Os, in their unit."),
    _c("mean_lo", "float64", "", "Lower end of the mean's interval; null if n is too small."),
    _c("mean_hi", "float64", "", "Upper end of the mean's interval; null if n is too small."),
    _c("stddev", "float64", "", "Standard deviation between the runs, in the metric's unit."),
    _c("cov_pct", "float64", "%", "Coefficient of variation: stddev / mean."),
    _c("min", "float64", "", "Smallest of the runs, in the metric's unit."),
    _c("max", "float64", "", "Largest of the runs, in the metric's unit."),
    _c("outliers", "Int64", "", "Runs far from the others; counted, never dropped."),
    # per_thread, fairness
    _c("share_pct", "float64", "%", "The thread's share of the I/Os per second of its run."),
    _c("k", "Int64", "", "Threads that ran at the same time."),
    _c("jain", "float64", "", "Jain's index of fairness, from 1 (all equal) to 1/k."),
    _c("max_over_min", "float64", "", "IOPS of the fastest thread / IOPS of the slowest."),
    _c("iops_lowest", "float64", "1/s", "IOPS of the slowest thread."),
    _c("iops_highest", "float64", "1/s", "IOPS of the fastest thread."),
    _c("stragglers", "str", "", "Threads that fell behind; null if none did."),
    # combine
    _c("parts", "Int64", "", "Rows that were added up; for bounds: tables of percentiles."),
    # percentiles_from_bins, bound_percentiles
    _c("bound_lo_ns", "float64", "ns", "Certain lower bound of the percentile; null: unknown."),
    _c("bound_hi_ns", "float64", "ns", "Certain upper bound of the percentile; null: unknown."),
    _c("value_lo_ns", "float64", "ns", "Lower end of the percentile's interval."),
    _c("value_hi_ns", "float64", "ns", "Upper end of the percentile's interval."),
    _c("note", "str", "", "The scope of the interval, and its condition."),
    # best_under
    _c("observed_lo", "float64", "", "Lower end of the interval of observed; null for one run."),
    _c("observed_hi", "float64", "", "Upper end of the interval of observed; null for one run."),
    _c("n_below", "Int64", "", "Runs below the limit."),
    # variance_parts
    _c("stddev_within", "float64", "", "Spread among the threads of a run, in the metric's unit."),
    _c("stddev_between", "float64", "", "Spread of runs that their threads do not explain."),
    _c("icc", "float64", "", "Share of the variance between runs."),
    _c("icc_lo", "float64", "", "Lower end of its interval."),
    _c("icc_hi", "float64", "", "Upper end of its interval."),
    # variance_levels
    _c("level", "str", "", "Column whose values are repeats: machines, runs, phases."),
    _c("repeats", "float64", "", "Mean number of repeats in one of the level above."),
    _c("stddev_lo", "float64", "", "Lower end of the interval of stddev."),
    _c("stddev_hi", "float64", "", "Upper end of the interval of stddev."),
    _c("variance_pct", "float64", "%", "Share of the variance of one value."),
    _c("cost", "float64", "", "Cost of one more repeat, without the levels below it."),
    _c(
        "repeats_best",
        "Int64",
        "",
        "Most precise number of repeats for the same cost; null: no limit.",
    ),
    # check
    _c("subject", "str", "", "Subject of the check: a direction of a job, the run, two sides."),
    _c("check", "str", "", "Short name of the check: little, link, budget, ..."),
    _c("observed", "float64", "", "The value checked against the limit, in the column unit."),
    _c("limit", "float64", "", "The largest or smallest plausible value, in the column unit."),
    _c("why", "str", "", "The reason for the verdict, in one sentence."),
    _c("rule", "str", "", "The rule of a gate, as given."),
    _c("outcome", "str", "", "Outcome of a rule: fail, pass or undecided."),
    _c("remedy", "str", "", "What to do, or which evidence is missing; null if nothing is."),
    _c("basis", "str", "", "Source of the limit."),
    # steady, shifts, reconcile, window
    _c(
        "p", "float64", "", "Probability that chance alone gives as large a step before this level."
    ),
    _c("segment", "Int64", "", "Number of a level of a sequence, from 1."),
    _c("start", "Int64", "", "Place in the sequence, from 1, where the level starts."),
    _c("interval_s", "float64", "s", "Median time between samples; length of a round or window."),
    _c("lag1", "float64", "", "Correlation of each sample with the next."),
    _c("tau", "float64", "", "Samples that tell as much as one independent sample would."),
    _c("window", "Int64", "", "Rounds in the judged window."),
    _c("rounds", "Int64", "", "Number of rounds."),
    _c("first_round", "Int64", "", "First round of the window, from 1."),
    _c("last_round", "Int64", "", "Last round of the window."),
    _c("cut", "Int64", "", "Samples left out at the start."),
    _c("window_mean", "float64", "", "Mean of the window, in the metric's unit."),
    _c(
        "range_pct",
        "float64",
        "%",
        "Largest minus smallest value of the window, relative to its mean.",
    ),
    _c(
        "deviation_pct",
        "float64",
        "%",
        "Largest deviation in the window from its mean, relative to that.",
    ),
    _c(
        "rise_pct",
        "float64",
        "%",
        "Rise of the regression line over the window, relative to its mean; negative if it falls.",
    ),
    _c("drift_pct", "float64", "%", "The same from one round to the next."),
    _c(
        "met", "boolean", "", "Whether the window meets the rule; null if there are too few rounds."
    ),
    _c("span_s", "float64", "s", "Time that the samples cover."),
    _c("coverage_pct", "float64", "%", "The same, relative to the run time or the window."),
    _c("log_rate", "float64", "", "Mean of the samples, weighted by time, in the metric's unit."),
    _c("summary_rate", "float64", "", "The rate in the run's summary, in the metric's unit."),
    _c("tolerance_pct", "float64", "%", "Difference up to which the two agree."),
)

_IN_TABLES = {name for names in TABLES.values() for name in names}
EVERY: Mapping[str, Column] = {column.name: column for column in _COLUMNS}
COLUMNS: Mapping[str, Column] = {name: EVERY[name] for name in EVERY if name in _IN_TABLES}
STATISTICS: Mapping[str, Column] = {name: EVERY[name] for name in EVERY if name not in _IN_TABLES}


def describe(name: str) -> Column:
    """Describe a column: type, unit, meaning, and its name in each tool.

    Parameters
    ----------
    name : str
        A column of one of the tables, or one that a statistic adds.

    Raises
    ------
    SchemaError
        If the vocabulary has no such column; the message names near ones.

    Examples
    --------
    >>> describe("iops").better
    'higher'
    """
    if name in EVERY:
        return EVERY[name]
    near = get_close_matches(name, [*STATISTICS, *COLUMNS], n=3, cutoff=0.5)
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    raise SchemaError(f"the vocabulary has no column {name!r}{hint}")


def tables_of(tables: str | Iterable[str] | None) -> tuple[str, ...] | None:
    """Check the names of tables; None means all.

    Examples
    --------
    >>> tables_of("io"), tables_of(None)
    (('io',), None)
    """
    if tables is None:
        return None
    wanted = (tables,) if isinstance(tables, str) else tuple(tables)
    for table in wanted:
        if table not in TABLES:
            raise SchemaError(f"tables={table!r} is not one of {', '.join(TABLES)}")
    return wanted
