"""Which columns each table has, in order. `fiotools.vocabulary` explains the columns."""

from __future__ import annotations

from collections.abc import Mapping

KEYS = (
    "source",
    "run",
    "entry",
    "host",
    "port",
    "group",
    "job",
    "thread",
    "target",
    "direction",
    "scope",
)
CONDITIONS = (
    "rw",
    "bs_bytes",
    "iodepth",
    "numjobs",
    "ioengine",
    "direct",
    "rwmixread_pct",
    "size_bytes",
)
SWEPT = ("rw", "bs_bytes", "iodepth", "numjobs")  # every table of numbers has these
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
        *("tool", "tool_version", "format", "command", "host", "reported_at", "started_at"),
        *("duration_s", "status"),
    ),
    "jobs": (
        *_ENTRY,
        *("error", "usr_cpu_pct", "sys_cpu_pct", "ctx", "majf", "minf"),
        *("job_start", "job_runtime_s", "description"),
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
        *("in_queue_s", "util_pct"),
    ),
    "extras": (*_RUN, "entry", "path", "text"),
    "notes": (*_RUN, "line", "severity", "message"),
}

# one row of each table
ROWS: Mapping[str, str] = {
    "runs": "one run of a tool, found in a file",
    "jobs": "one entry of a run's report: its values without a direction",
    "settings": "one option of a run or an entry, as the tool had it",
    "io": "one entry and direction: amounts and rates",
    "percentiles": "one percentile of one latency",
    "bins": "one bin of a latency histogram",
    "samples": "one log entry, time bucket, progress line or status interval",
    "timings": "one report of a command's time, or one run of hyperfine",
    "cpu": "one processor of one run, or their average",
    "disks": "one block device of one run",
    "extras": "anything certain without a column",
    "notes": "one remark of the reader",
}

_RATIO = ("ratio", "ratio_lo", "ratio_hi")
_SPEEDUP = ("speedup", "speedup_lo", "speedup_hi")
_SIDES = ("baseline", "metric", "unit", "n", "n_baseline", "center", "center_baseline")
_JUDGED = (
    *("confidence", "method", "p_equal", "p_band", "p_same", "comparisons"),
    *("verdict", "runs_needed", "varies_in", "settings_differ", "warnings"),
)

# the columns of each answer, after those of the frame that it was computed from
ANSWERS: Mapping[str, tuple[str, ...]] = {
    "compare": (*_SIDES, *_RATIO, *_JUDGED),
    "plan": (
        *("metric", "n", "cov_pct", "cov_hi_pct", "correlation", "difference_pct", "power"),
        *("runs_differ", "runs_same", "rounds_differ", "rounds_same"),
        *("confidence", "comparisons", "varies_in"),
    ),
    "gate": ("metric", *_RATIO, "verdict", "rule", "outcome", "why"),
    "settings_diff": ("baseline", "option", "text", "text_baseline"),
    "speedup": (*_SIDES, *_RATIO, *_SPEEDUP, *_JUDGED),
    "overall": (*_SIDES, *_RATIO, "workloads", "about", *_JUDGED),
    "tails": (*_SIDES, *_RATIO, "windows", *_JUDGED),
    "summarize": (
        *("metric", "unit", "n"),
        *(f"{center}{end}" for center in ("median", "mean") for end in ("", "_lo", "_hi")),
        *("stddev", "cov_pct", "min", "max", "outliers", "varies_in", "warnings", "confidence"),
    ),
    "per_thread": ("share_pct",),
    "fairness": (
        *("n", "k", "total_ios", "jain", "max_over_min", "iops_lowest", "iops_highest"),
        *("stragglers", "lat_mean_ns", "lat_stddev_ns", "warnings"),
    ),
    "combine": ("parts", "warnings"),
    "merge_bins": ("bin_lo_ns", "bin_hi_ns", "count", "n", "parts", "varies_in", "warnings"),
    "percentiles_from_bins": (
        *("percentile", "value_ns", "bound_lo_ns", "bound_hi_ns", "value_lo_ns", "value_hi_ns"),
        *("confidence", "note", "total_ios", "n", "method", "varies_in", "warnings"),
    ),
    "bound_percentiles": (
        *("percentile", "bound_lo_ns", "bound_hi_ns", "total_ios", "parts", "n"),
        *("method", "varies_in", "warnings"),
    ),
    "best_under": (
        *("metric", "unit", "observed", "observed_lo", "observed_hi", "limit", "n", "n_below"),
        *("confidence", "warnings"),
    ),
    "variance_parts": (
        *("metric", "unit", "n", "parts", "mean", "stddev_within", "stddev_between"),
        *("icc", "icc_lo", "icc_hi", "confidence", "varies_in", "warnings"),
    ),
    "variance_levels": (
        *("metric", "unit", "level", "n", "repeats", "stddev", "stddev_lo", "stddev_hi"),
        *("variance_pct", "cost", "repeats_best", "confidence", "warnings"),
    ),
    "check": (
        *("subject", "check", "verdict", "observed", "limit", "unit"),
        *("why", "remedy", "basis"),
    ),
    "steady": (
        *("metric", "unit", "n", "interval_s", "mean", "mean_lo", "mean_hi", "lag1", "tau"),
        *(
            "method",
            "window",
            "rounds",
            "first_round",
            "last_round",
            "cut",
            "window_mean",
            "range_pct",
            "deviation_pct",
            "rise_pct",
        ),
        *("drift_pct", "met", "verdict", "warnings", "confidence"),
    ),
    "shifts": (
        *("metric", "unit", "segment", "start", "time_s", "n", "center", *_RATIO),
        *("confidence", "p", "verdict", "warnings"),
    ),
    "reconcile": (
        *("metric", "unit", "n", "span_s", "coverage_pct", "log_rate", "summary_rate", "ratio"),
        *("tolerance_pct", "verdict", "warnings"),
    ),
    "window": (
        *("time_s", "interval_s", "span_s", "coverage_pct", "n", "io_bytes"),
        *("iops", "bw_bytes_per_s", "mean"),
        *("percentile", "value_ns", "bound_lo_ns", "bound_hi_ns", "varies_in", "warnings"),
    ),
    "window_bins": ("latency", "time_s", "bin_lo_ns", "bin_hi_ns", "count"),
}
