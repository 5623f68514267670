"""Which columns each table has, in order. What the columns mean is in `fiotools.vocabulary`."""

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
    "percentiles": (*KEYS, "latency", "percentile", "value_ns"),
    "bins": (*KEYS, "latency", "bin_lo_ns", "bin_hi_ns", "count", "pct"),
    "samples": (*KEYS, "quantity", "time_s", "value", "bs_bytes", "offset_bytes", "prio"),
    "timings": (
        *_RUN,
        *("command", "real_s", "user_s", "sys_s", "max_rss_bytes", "exit_status"),
        *("real_mean_s", "real_stddev_s", "n"),
    ),
    "cpu": (*_RUN, "group", "cpu", "usage_pct", "user_pct", "kernel_pct", "idle_pct"),
    "disks": (
        *_RUN,
        "device",
        *("read_ios", "write_ios", "read_merges", "write_merges"),
        *("read_sectors_bytes", "write_sectors_bytes", "read_ticks_s", "write_ticks_s"),
        *("in_queue_s", "util_pct"),
    ),
    "extras": (*_RUN, "entry", "path", "text"),
    "notes": (*_RUN, "line", "severity", "message"),
}
