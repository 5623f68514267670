"""Every column of every table and answer: its type, unit and meaning, and each tool's name for it.

A column exists only here, and so do the lists of those that a table or an answer has. Readers that
fill an unknown one are refused, answers are made and documentation is generated from here, and
statistics look up here which way is better. Names are ``quantity[_statistic]_unit`` in fio's words;
units are base units only: bytes, seconds for durations, nanoseconds for latencies.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

from fiotools.errors import SchemaError, similar

# --- which columns each table and each answer has, in order -----------------------------------

KEYS = (
    *("source", "run", "entry", "host", "port", "group", "job", "thread", "target"),
    *("direction", "scope"),
)
CONDITIONS = (
    *("rw", "bs_bytes", "iodepth", "numjobs", "ioengine", "direct"),
    *("rwmixread_pct", "size_bytes"),
)
SWEPT = ("rw", "bs_bytes", "iodepth", "numjobs")  # every table of numbers has these
# the verdicts of `check`, gravest first
GRAVEST = ("impossible", "suspect", "unknown", "note", "ok")
_RUN = ("source", "run")
_ENTRY = tuple(key for key in KEYS if key != "direction")
_LATENCIES = tuple(
    f"{kind}_{stat}_ns"
    for kind in ("slat", "clat", "lat")
    for stat in ("min", "max", "mean", "stddev")
)

TABLES: Mapping[str, tuple[str, ...]] = {
    "runs": (
        *_RUN,
        *("tool", "tool_version", "format", "command", "host", "heading"),
        *("reported_at", "started_at"),
        *("duration_s", "status"),
    ),
    "jobs": (
        *_ENTRY,
        *("error", "usr_cpu_pct", "sys_cpu_pct", "ctx", "majf", "minf"),
        *("job_start", "job_runtime_s", "cpu_per_io_s", "description"),
    ),
    "settings": (*_RUN, "entry", "job", "option", "text", "origin"),
    "io": (
        *KEYS,
        *CONDITIONS,
        *("io_bytes", "total_ios", "short_ios", "drop_ios", "runtime_s", "iops", "bw_bytes_per_s"),
        *(f"bw_{stat}_bytes_per_s" for stat in ("min", "max", "mean", "stddev")),
        *("bw_agg_pct", "bw_samples"),
        *(f"iops_{stat}" for stat in ("min", "max", "mean", "stddev", "samples")),
        *_LATENCIES,
    ),
    "percentiles": (*KEYS, *SWEPT, "latency", "percentile", "value_ns"),
    "bins": (*KEYS, *SWEPT, "latency", "bin_lo_ns", "bin_hi_ns", "count", "pct", "time_s"),
    "samples": (*KEYS, *SWEPT, "quantity", "time_s", "value", "offset_bytes", "prio"),
    "timings": (
        *_RUN,
        *("command", "real_s", "user_s", "sys_s", "max_rss_bytes", "exit_status"),
        *("real_mean_s", "real_stddev_s", "n"),
    ),
    "cpu": (*_RUN, "group", "cpu", "usage_pct", "user_pct", "kernel_pct", "idle_pct"),
    "disks": (
        *_RUN,
        *("host", "device"),
        *("read_ios", "write_ios", "read_merges", "write_merges"),
        *("read_sectors_bytes", "write_sectors_bytes", "read_ticks_s", "write_ticks_s"),
        *("in_queue_s", "queue_mean", "util_pct"),
    ),
    "extras": (*_RUN, "entry", "path", "text"),
    "notes": (*_RUN, "line", "severity", "code", "message"),
}

# one row of each table
ROWS: Mapping[str, str] = {
    "runs": "one run of a tool, found in a file",
    "jobs": "one entry of a run's report: its values without a direction",
    "settings": "one option of a run or an entry, as the tool took it",
    "io": "one entry and direction: amounts and rates",
    "percentiles": "one percentile of one latency",
    "bins": "one bin of a latency histogram",
    "samples": "one log entry, time bucket, progress line or status interval",
    "timings": "one report of a command's time, or one run of hyperfine",
    "cpu": "one processor of one run, or their average",
    "disks": "one block device of one run",
    "extras": "a value of the file that has no column of its own",
    "notes": "one remark of the reader",
}

# what a note is about: code decides by these, and never by a message
NOTES: Mapping[str, str] = {
    "repaired": "damage of a copied or edited text was undone; the numbers are the tool's",
    "unread": "lines that belong to a report, and that no reader took",
    "other tool": "output of a tool that is recognised, and not read",
    "left out": "a value or a part that is not what the tool writes",
    "contradiction": "numbers of the report that do not agree with each other",
    "incomplete": "the report breaks off, or lacks a part",
    "repeats": "several reports of one run, or text that repeats what is read",
    "conditions": "conditions that are missing or uncertain",
    "unlike jobs": "a group of unlike jobs, whose options are one job's",
    "idle": "a job, a target or a benchmark that did nothing",
    "failed": "the tool or its command reported an error",
    "printed": "a line that the tool printed beside its report; the message is that line",
    "meaning": "how a value is meant, or how it was found",
    "assumed": "what the file leaves open, and how it was read",
    "path": "the path contradicts the file",
    "twin": "the same run stands in an earlier place too",
    "refused": "why a file gave nothing",
    "unfinished": "files that an interrupted conversion has not read",
}

_RATIO = ("ratio", "ratio_lo", "ratio_hi")
_SPEEDUP = ("speedup", "speedup_lo", "speedup_hi")
_SIDES = ("baseline", "metric", "unit", "n", "n_baseline", "center", "center_baseline")
_JUDGED = (
    *("confidence", "method", "p_equal", "comparisons"),
    *("verdict", "beyond_band", "band", "runs_needed", "runs_needed_same"),
    *("varies_in", "settings_differ", "flags", "details"),
)

# the columns of each answer, after those of the frame that it was computed from
ANSWERS: Mapping[str, tuple[str, ...]] = {
    "compare": (*_SIDES, *_RATIO, *_JUDGED),
    "plan": (
        *("metric", "n", "cov_pct", "cov_hi_pct", "correlation", "difference_pct", "power"),
        *("runs_differ", "runs_same", "rounds_differ", "rounds_same"),
        *("confidence", "comparisons", "band", "rule", "varies_in", "flags", "details"),
    ),
    "gate": (
        *("metric", "n", "n_baseline", *_RATIO),
        *("verdict", "beyond_band", "band", "flags", "details", "rule", "outcome"),
        *("detectable", "observed", "observed_lo", "observed_hi", "limit", "unit"),
    ),
    "settings_diff": ("baseline", "option", "text", "text_baseline"),
    "speedup": (*_SIDES, *_RATIO, *_SPEEDUP, *_JUDGED),
    "overall": (*_SIDES, *_RATIO, "workloads", "about", *_JUDGED),
    "tails": (*_SIDES, *_RATIO, "windows", *_JUDGED),
    "summarize": (
        *("metric", "unit", "n"),
        *(f"{center}{end}" for center in ("center", "median") for end in ("", "_lo", "_hi")),
        *("mean", "stddev", "cov_pct", "min", "max", "outliers"),
        *("varies_in", "flags", "details", "confidence", "method"),
    ),
    "overview": (
        *("io_bytes", "runtime_s", "iops", "bw_bytes_per_s", "lat_mean_ns", "clat_mean_ns"),
        *("latency", "p50_ns", "p99_ns", "p99.9_ns", "cpu_pct", "real_s", "user_s", "sys_s"),
        *("quantity", "unit", "n", "mean", "status", "flags", "details"),
    ),
    "per_thread": ("share_pct",),
    "fairness": (
        *("n", "k", "total_ios", "jain", "max_over_min", "iops_lowest", "iops_highest"),
        *("stragglers", "lat_mean_ns", "lat_stddev_ns", "flags", "details"),
    ),
    "combine": ("parts", "flags", "details"),
    "percentiles": (
        *("percentile", "value_ns", "bound_lo_ns", "bound_hi_ns", "value_lo_ns", "value_hi_ns"),
        *("confidence", "total_ios", "n", "parts", "method", "varies_in", "flags", "details"),
    ),
    "best_under": (
        *("metric", "unit", "observed", "observed_lo", "observed_hi", "limit", "n", "n_below"),
        *("confidence", "flags", "details"),
    ),
    "scaling": (
        *("metric", "unit", "load", "loads", "n", "knee", "knee_lo", "knee_hi", "knee_rate"),
        *("peak", "rate_one", "sigma", "kappa", "misfit_pct"),
        *("confidence", "flags", "details"),
    ),
    "variance": (
        *("metric", "unit", "level", "n", "repeats", "stddev", "stddev_lo", "stddev_hi"),
        *("variance_pct", "cost", "repeats_best", "confidence", "flags", "details"),
    ),
    "check": (
        *("subject", "check", "finding", "verdict", "observed", "limit", "unit", "details"),
        *("why", "remedy", "basis"),
    ),
    "steady": (
        *("metric", "unit", "n", "interval_s", "mean", "mean_lo", "mean_hi", "lag1", "tau"),
        *("method", "window", "rounds", "first_round", "last_round", "cut"),
        *("window_mean", "range_pct", "deviation_pct", "rise_pct"),
        *("drift_pct", "met", "verdict", "flags", "details", "confidence"),
    ),
    "shifts": (
        *("metric", "unit", "segment", "start", "time_s", "n", "center", *_RATIO),
        *("confidence", "p", "verdict", "flags", "details"),
    ),
    "reconcile": (
        *("metric", "unit", "n", "span_s", "coverage_pct", "log_rate", "summary_rate", "ratio"),
        *("tolerance_pct", "verdict", "flags", "details"),
    ),
    "window": (
        *("time_s", "interval_s", "span_s", "coverage_pct", "n", "io_bytes"),
        *("iops", "bw_bytes_per_s", "mean"),
        *("percentile", "value_ns", "bound_lo_ns", "bound_hi_ns", "varies_in", "flags", "details"),
    ),
}


# --- the columns ------------------------------------------------------------------------------

DType = Literal["Int64", "float64", "boolean", "str", "datetime"]
Better = Literal["higher", "lower"]


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

    def __repr__(self) -> str:
        lines = [f"{self.name} [{self.dtype}{', ' + self.unit if self.unit else ''}]"]
        lines.append(f"  {self.meaning}")
        lines.append(f"  in: {', '.join(self.places)}")
        if self.better:
            lines.append(f"  better: {self.better}")
        if self.derived:
            lines.append(f"  derived: {self.derived}")
        lines += [f"  {tool}: {key}" for tool, key in self.keys.items()]
        return "\n".join(lines)


_UNITS = {"_bytes_per_s": "B/s", "_bytes": "B", "_ns": "ns", "_s": "s", "pct": "%"}


def _column(
    dtype: DType,
    name: str,
    meaning: str,
    *,
    unit: str = "",
    better: Better | None = None,
    derived: str = "",
    **keys: str,
) -> Column:
    """Define a column; its name says its unit, and keywords are the tools' names for it."""
    said = next((found for end, found in _UNITS.items() if name.endswith(end)), "")
    if dtype == "float64" and name.startswith("iops"):
        said = "1/s"
    return Column(name, dtype, unit or said, meaning, better, derived, keys)


_text, _whole = partial(_column, "str"), partial(_column, "Int64")
_number, _flag = partial(_column, "float64"), partial(_column, "boolean")
_moment = partial(_column, "datetime")


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
    _text("source", "The file, as its path was given, with '/'."),
    _whole("run", "Number of the run within the file, from 1."),
    _whole("entry", "Number of the entry within the run's report, from 1."),
    _text("host", "Machine that ran the tool.", fio="hostname (client mode)"),
    _whole("port", "Port of the fio server.", fio="port"),
    _whole("group", "fio's groupid.", fio="groupid"),
    _text("job", "Name of the job; clones share it.", fio="jobname"),
    _whole("thread", "Thread number.", diskspd="Thread/Id"),
    _text(
        "target", "File or device under test.", diskspd="Target/Path", dd="of= (write), if= (read)"
    ),
    _text("direction", "read, write, trim, sync, mixed, total or copy."),
    _text("scope", "What a row sums up: thread, job, group, client, target, device or total."),
    # runs
    _text("tool", "fio, diskspd, dd, time, ..."),
    _text("tool_version", "Version as the tool prints it."),
    _text("format", "Name of the reader that read it."),
    _text("command", "Command line, where the file shows it."),
    _text("heading", "Heading or label above the report, in a text with several."),
    _moment(
        "reported_at",
        "When the tool printed: the END of the run.",
        fio="timestamp_ms, timestamp",
        diskspd="System/RunTime",
    ),
    _moment("started_at", "When the run began, only where the file says so."),
    _number("duration_s", "Wall time of the run.", fio="elapsed"),
    _text("status", "ok, error, interrupted or truncated."),
    # conditions
    _text("rw", "Pattern, in fio's words: read, randrw, ...", fio="rw"),
    _whole("bs_bytes", "Block size.", fio="bs", diskspd="BlockSize, -b", dd="bs="),
    _whole(
        "iodepth",
        "Outstanding I/Os of one job (DISKSPD: of a thread on a target; in totals of a thread).",
        fio="iodepth",
        diskspd="RequestCount, -o, -O",
        crystaldiskmark="Q, QD",
    ),
    _whole(
        "numjobs",
        "Jobs or threads.",
        fio="numjobs",
        diskspd="ThreadsPerFile, -t; ThreadCount, -F",
        crystaldiskmark="T",
    ),
    _text("ioengine", "How I/O is submitted.", fio="ioengine"),
    _flag(
        "direct",
        "True where the page cache is bypassed.",
        fio="direct",
        diskspd="DisableOSCache, -Su, -Sh",
        dd="iflag=, oflag=direct",
    ),
    _number(
        "rwmixread_pct", "Share of reads asked for.", fio="rwmixread", diskspd="100 - WriteRatio"
    ),
    _whole(
        "size_bytes",
        "Size of the file or region under test.",
        fio="size",
        diskspd="Target/FileSize; text file (5120MiB)",
    ),
    # io: amounts and rates
    _whole(
        "io_bytes",
        "Bytes moved.",
        derived="DISKSPD totals: summed over thread x target",
        fio="io_bytes (KiB before 2.21)",
        diskspd="BytesCount, ReadBytes, WriteBytes",
        dd="N bytes",
    ),
    _whole(
        "total_ios",
        "I/Os done.",
        derived="DISKSPD totals: summed over thread x target",
        fio="total_ios",
        diskspd="IOCount, ReadCount, WriteCount; text I/Os",
    ),
    _whole("short_ios", "I/Os that moved less than requested.", fio="short_ios"),
    _whole("drop_ios", "I/Os dropped.", fio="drop_ios"),
    _number(
        "runtime_s",
        "Time over which the row's I/O is counted.",
        derived="DISKSPD tables without a test time: I/Os / (I/O per s)",
        fio="runtime (ms)",
        diskspd="TestTimeSeconds",
        dd="S s",
    ),
    _number(
        "iops",
        "I/Os per second.",
        better="higher",
        derived="total_ios / runtime_s if that agrees with the printed number; DISKSPD XML;"
        " CrystalDiskMark: bandwidth / block size, unless the printed number is more precise",
        fio="iops",
        diskspd="text I/O per s",
        crystaldiskmark="IOPS",
    ),
    _number(
        "bw_bytes_per_s",
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
    _number("bw_min_bytes_per_s", "Minimum of the bandwidth over fio's samples.", fio="bw_min"),
    _number("bw_max_bytes_per_s", "Maximum of the bandwidth over fio's samples.", fio="bw_max"),
    _number(
        "bw_mean_bytes_per_s",
        "Mean of the bandwidth over fio's samples.",
        better="higher",
        fio="bw_mean",
    ),
    _number(
        "bw_stddev_bytes_per_s",
        "Standard deviation of the bandwidth over fio's samples.",
        fio="bw_dev",
    ),
    _number("bw_agg_pct", "Share of the group's bandwidth.", fio="bw_agg"),
    _whole("bw_samples", "Samples behind bw_mean.", fio="bw_samples"),
    _number("iops_min", "Minimum of the IOPS over samples.", fio="iops_min"),
    _number("iops_max", "Maximum of the IOPS over samples.", fio="iops_max"),
    _number("iops_mean", "Mean of the IOPS over samples.", better="higher", fio="iops_mean"),
    _number(
        "iops_stddev",
        "Standard deviation of the IOPS over samples. It cannot be added or pooled.",
        better="lower",
        fio="iops_stddev",
        diskspd="*IopsStdDev; text IopsStdDev",
    ),
    _whole("iops_samples", "Samples behind iops_mean.", fio="iops_samples"),
    # io: latencies
    *_latency("slat", "submission latency"),
    *_latency("clat", "completion latency, from submission"),
    *_latency("lat", "total latency, from request to completion", diskspd=True),
    # percentiles, bins, samples
    _text("latency", "Which latency: slat, clat or lat."),
    _number("percentile", "Percentile: 99.9 is three nines.", unit="%"),
    _number("value_ns", "Latency at the percentile.", better="lower"),
    _number("bin_lo_ns", "Lower edge of the bin."),
    _number("bin_hi_ns", "Upper edge of the bin; infinite for the last."),
    _whole("count", "I/Os in the bin; as a quantity, in the sample."),
    _number("pct", "Share of the I/Os in the bin, if only that is printed."),
    _text(
        "quantity",
        "The sampled quantity: a column of this vocabulary, or lat_ns, clat_ns, slat_ns: one"
        " latency, or one for a whole window.",
    ),
    _number(
        "time_s",
        "Time from the start of the run to the end of the sample; missing for bins of a whole run.",
    ),
    _number("value", "The sample, in the base unit of its quantity."),
    _whole("offset_bytes", "Offset of the I/O."),
    _text("prio", "Priority of the I/O."),
    # jobs
    _whole("error", "Error number; 0 means no error.", fio="error"),
    _number("usr_cpu_pct", "User CPU of the entry.", better="lower", fio="usr_cpu"),
    _number("sys_cpu_pct", "System CPU of the entry.", better="lower", fio="sys_cpu"),
    _whole("ctx", "Context switches.", better="lower", fio="ctx"),
    _whole("majf", "Major page faults.", better="lower", fio="majf"),
    _whole("minf", "Minor page faults.", fio="minf"),
    _moment("job_start", "When the job began (fio 3.36).", fio="job_start"),
    _number(
        "job_runtime_s",
        "Run time of the job; summed over the jobs of a group.",
        fio="job_runtime (ms)",
    ),
    _number(
        "cpu_per_io_s",
        "Processor time for each I/O of the entry.",
        better="lower",
        derived="fio JSON: (usr_cpu_pct + sys_cpu_pct) x job_runtime_s / total_ios of its reads,"
        " writes and trims; null where the processor's clock shows no time",
    ),
    _text("description", "Description of the job.", fio="desc"),
    # settings and extras
    _text("option", "Name of the option, in the tool's words."),
    _text("text", "Value of the option or item, as text."),
    _text("origin", "given, global or default."),
    _text("path", "Place of the item in the document."),
    # timings
    _number("real_s", "Wall time.", better="lower", time="real", hyperfine="times"),
    _number("user_s", "User CPU time.", better="lower", time="user"),
    _number("sys_s", "System CPU time.", better="lower", time="sys"),
    _whole("max_rss_bytes", "Peak resident set.", better="lower"),
    _whole("exit_status", "Exit status of the command.", hyperfine="exit_codes"),
    _number("real_mean_s", "Mean wall time of n runs.", better="lower"),
    _number("real_stddev_s", "Standard deviation of the wall time of n runs."),
    _whole("n", "Runs behind a statistic or summary; samples or I/Os behind a mean."),
    # cpu
    _text("cpu", "Processor number, or 'average'.", diskspd="CPU/Id"),
    _number("usage_pct", "Busy share.", diskspd="UsagePercent", iostat="100 - idle - iowait"),
    _number("user_pct", "User share.", diskspd="UserPercent", iostat="user + nice"),
    _number("kernel_pct", "Kernel share.", diskspd="KernelPercent", iostat="system"),
    _number("idle_pct", "Idle share.", diskspd="IdlePercent", iostat="idle + iowait"),
    # disks
    _text("device", "Block device.", fio="disk_util.name", iostat="disk_device"),
    *(
        make(name, meaning, derived="iostat: a rate, over time", fio=fio, iostat=iostat)
        for make, name, meaning, fio, iostat in (
            (_whole, "read_ios", "Reads that reached the device.", "read_ios", "r/s"),
            (_whole, "write_ios", "Writes that reached the device.", "write_ios", "w/s"),
            (_whole, "read_merges", "Reads merged.", "read_merges", "rrqm/s"),
            (_whole, "write_merges", "Writes merged.", "write_merges", "wrqm/s"),
            (_whole, "read_sectors_bytes", "Bytes read.", "read_sectors x 512 (3.36)", "rkB/s"),
            (
                _whole,
                "write_sectors_bytes",
                "Bytes written.",
                "write_sectors x 512 (3.36)",
                "wkB/s",
            ),
            (_number, "read_ticks_s", "Time spent on reads.", "read_ticks (ms)", "r_await (ms)"),
            (_number, "write_ticks_s", "Time on writes.", "write_ticks (ms)", "w_await (ms)"),
            (_number, "in_queue_s", "Time in the queue.", "in_queue (ms)", "aqu-sz"),
        )
    ),
    _number("queue_mean", "Mean number of requests that wait or are served.", iostat="aqu-sz"),
    _number("util_pct", "Share of time that the device was busy.", fio="util", iostat="util"),
    # notes
    _whole("line", "Line of the file."),
    _text("severity", "info, warning or error."),
    _text("code", "The kind of note."),
    _text("message", "The reader's note."),
    # Columns of answers only. Without a unit here: a count, a text, a ratio, or a value in the
    # metric's unit.
    # compare, speedup, summarize
    _text("baseline", "The level that the others are divided by, in that column's type."),
    _text("metric", "The column that was compared or summarized."),
    _text("unit", "The metric's unit."),
    _whole("n_baseline", "Runs (or pairs) of the baseline."),
    _number("center", "Geometric mean of the runs; their mean if one is 0 or below."),
    _number("center_lo", "Lower end of the center's interval; null for one run, or equal ones."),
    _number("center_hi", "Upper end of the center's interval; null for one run, or equal ones."),
    _number("center_baseline", "The center of the baseline's runs."),
    _number("ratio", "Level / baseline, always; for a log: log / summary."),
    _number("ratio_lo", "Lower end of the ratio's interval; null if n is too small."),
    _number("ratio_hi", "Upper end of the ratio's interval; null if n is too small."),
    _whole("workloads", "Workloads behind the ratio; 1: that workload alone."),
    _text("about", "Scope of a ratio over all workloads: these workloads, or similar ones too."),
    _whole("windows", "Windows of the shorter run, for an interval within runs."),
    _number("speedup", "How many times better the level is: above 1 is a gain."),
    _number("speedup_lo", "Lower end of the speedup's interval."),
    _number("speedup_hi", "Upper end of the speedup's interval."),
    _number("confidence", "Confidence of the interval; compare() returns the confidence reached."),
    _text("method", "Method: log-welch, log-t, t, ..., snia, fio-slope, bins, bounded."),
    _number("p_equal", "p of equality, two-sided, adjusted for all comparisons."),
    _whole("comparisons", "Intervals in the answer, which share its error."),
    _text(
        "verdict",
        "The answer: faster, slower (or better, worse, higher, lower), same, undecided, one run,"
        " few runs, no run; check(): ok, note, suspect, impossible or unknown.",
    ),
    _text("beyond_band", "Whether the difference is more than the band: yes, no or undecided."),
    _number("band", "Share up to which a difference does not matter."),
    _whole(
        "runs_needed",
        "Further runs per side that will probably decide the verdict, as another look, if the ratio"
        " is what it seems; 0 if it is decided.",
    ),
    _whole(
        "runs_needed_same",
        "Further runs per side that will probably decide the verdict if the sides are equal.",
    ),
    _number("cov_hi_pct", "Upper 80 % limit of a pilot's coefficient of variation."),
    _number("correlation", "Correlation of the logarithms of a round's runs."),
    _number("difference_pct", "The difference to detect, or to exclude."),
    _number("power", "The probability of detecting it."),
    _whole(
        "runs_differ",
        "Runs per side to see the difference: the verdict is beyond the band, or the gate fails.",
    ),
    _whole(
        "runs_same",
        "Runs per side to rule it out: equal sides are found the same, or the gate passes.",
    ),
    _whole("rounds_differ", "Rounds of paired runs to see the difference."),
    _whole("rounds_same", "Rounds of paired runs to rule it out."),
    _text("varies_in", "Conditions and labels that differ among the runs and are not in by."),
    _text("settings_differ", "Options on which the sides differ; null if none, or not compared."),
    _text("text_baseline", "The baseline's value of the option."),
    _text("flags", "Codes of reasons for caution, separated by ';'; null if there are none."),
    _text("details", "The values of each flag, in their order, or of a finding, as JSON."),
    _number("median", "Median of the runs, in the metric's unit."),
    _number("median_lo", "Lower end of the median's interval; null below 6 runs."),
    _number("median_hi", "Upper end of the median's interval; null below 6 runs."),
    _number("mean", "Mean of runs, of a series, of samples, or of a window's I/Os, in their unit."),
    _number("mean_lo", "Lower end of the mean's interval; null if n is too small."),
    _number("mean_hi", "Upper end of the mean's interval; null if n is too small."),
    _number("stddev", "Standard deviation between the runs, in the metric's unit."),
    _number("cov_pct", "Coefficient of variation: stddev / mean."),
    _number("min", "Smallest of the runs, in the metric's unit."),
    _number("max", "Largest of the runs, in the metric's unit."),
    _whole("outliers", "Runs far from the others; counted, never dropped."),
    # overview
    _number("p50_ns", "Median latency, as the tool reports it.", better="lower"),
    _number("p99_ns", "99th percentile of the latency, as the tool reports it.", better="lower"),
    _number("p99.9_ns", "The same, 99.9th percentile.", better="lower"),
    _number(
        "cpu_pct",
        "CPU time of a job, user and system, relative to its run time: the mean of the jobs;"
        " DISKSPD: average usage of all processors.",
        better="lower",
    ),
    # per_thread, fairness
    _number("share_pct", "The thread's share of the I/Os per second of its run."),
    _whole("k", "Threads that ran at the same time."),
    _number("jain", "Jain's index of fairness, from 1 (all equal) to 1/k."),
    _number("max_over_min", "IOPS of the fastest thread / IOPS of the slowest."),
    _number("iops_lowest", "IOPS of the slowest thread."),
    _number("iops_highest", "IOPS of the fastest thread."),
    _text("stragglers", "Threads that fell behind; null if none did."),
    # combine
    _whole("parts", "Rows that were added up; for bounds: tables of percentiles."),
    # percentiles, of_tables
    _number("bound_lo_ns", "Certain lower bound of the percentile; null: unknown."),
    _number("bound_hi_ns", "Certain upper bound of the percentile; null: unknown."),
    _number("value_lo_ns", "Lower end of the percentile's interval."),
    _number("value_hi_ns", "Upper end of the percentile's interval."),
    # best_under
    _number("observed_lo", "Lower end of the interval of observed; null for one run."),
    _number("observed_hi", "Upper end of the interval of observed; null for one run."),
    _whole("n_below", "Runs below the limit."),
    # scaling
    _text("load", "Column of the load that was swept."),
    _whole("loads", "Number of different loads."),
    _number("rate_one", "The rate at a load of 1 by the fitted curve, in the metric's unit."),
    _number("sigma", "Contention of the Universal Scalability Law: what is done one by one."),
    _number("kappa", "Crosstalk of the Universal Scalability Law; above 0 the rate falls again."),
    _number("knee", "Load with the highest rate for its latency; null if it is not known."),
    _number("knee_lo", "Lower end of the interval of knee."),
    _number("knee_hi", "Upper end of the interval of knee."),
    _number("knee_rate", "The rate at the knee, in the metric's unit."),
    _number("peak", "Load of the highest rate by the fitted curve; null if it never falls."),
    _number("misfit_pct", "Deviation of the rates at each load from the fitted curve."),
    # variance
    _text("level", "Column whose values are repeats: machines, runs, phases."),
    _number("repeats", "Mean number of repeats in one of the level above."),
    _number("stddev_lo", "Lower end of the interval of stddev."),
    _number("stddev_hi", "Upper end of the interval of stddev."),
    _number("variance_pct", "Share of the variance of one value."),
    _number("cost", "Cost of one more repeat, without the levels below it."),
    _whole("repeats_best", "Most precise number of repeats for the same cost; null: no limit."),
    # check
    _text("subject", "Subject of the check: a direction of a job, the run, two sides."),
    _text("check", "Short name of the check: little, link, budget, ..."),
    _number("observed", "The value checked against the limit, in the column unit."),
    _number("limit", "The largest or smallest plausible value, in the column unit."),
    _text("finding", "What was found: check.outcome, such as flush.buffered."),
    _text("why", "The reason for the verdict, in one sentence."),
    _text("rule", "The rule of a gate, as given."),
    _number("detectable", "The loss, as a share, that these runs show four times in five."),
    _text("outcome", "Outcome of a rule: fail, pass, undecided, or unknown."),
    _text("remedy", "What to do, or which evidence is missing; null if nothing is."),
    _text("basis", "Source of the limit."),
    # steady, shifts, reconcile, window
    _number("p", "Probability that chance alone gives as large a step before this level."),
    _whole("segment", "Number of a level of a sequence, from 1."),
    _whole("start", "Place in the sequence, from 1, where the level starts."),
    _number("interval_s", "Median time between samples; length of a round or window."),
    _number("lag1", "Correlation of each sample with the next."),
    _number("tau", "Samples that tell as much as one independent sample would."),
    _whole("window", "Rounds in the judged window."),
    _whole("rounds", "Number of rounds."),
    _whole("first_round", "First round of the window, from 1."),
    _whole("last_round", "Last round of the window."),
    _whole("cut", "Samples left out at the start."),
    _number("window_mean", "Mean of the window, in the metric's unit."),
    _number("range_pct", "Largest minus smallest value of the window, relative to its mean."),
    _number("deviation_pct", "Largest deviation in the window from its mean, relative to that."),
    _number(
        "rise_pct",
        "Rise of the regression line over the window, relative to its mean; negative if it falls.",
    ),
    _number("drift_pct", "The same from one round to the next."),
    _flag("met", "Whether the window meets the rule; null if there are too few rounds."),
    _number("span_s", "Time that the samples cover."),
    _number("coverage_pct", "The same, relative to the run time or the window."),
    _number("log_rate", "Mean of the samples, weighted by time, in the metric's unit."),
    _number("summary_rate", "The rate in the run's summary, in the metric's unit."),
    _number("tolerance_pct", "Difference up to which the two agree."),
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
    hint = similar(name, [*STATISTICS, *COLUMNS])
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
