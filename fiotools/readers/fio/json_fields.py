"""Where the columns of fio JSON come from: a line for each.

To read another number, add its column to the vocabulary and write a line here. A rule that a line
cannot express is in `fiotools.readers.fio.json_columns`, and the line names it.
"""

from __future__ import annotations

from fiotools.readers.shapes import Field

DIRECTIONS = ("read", "write", "trim", "mixed", "sync")
LATENCIES = ("slat", "clat", "lat")
STATISTICS = ("min", "max", "mean", "stddev")
VERSION_KEYS = ("fio version", "fioversion")

# how many of our units make one of fio's; ms are divided, as 1/1000 is not exact in binary
SCALES = {"": 1, "KiB/s": 1024, "sectors": 512, "ms": 1000}

JOB = (
    Field("error", "error"),
    Field("usr_cpu_pct", "usr_cpu"),
    Field("sys_cpu_pct", "sys_cpu"),
    Field("ctx", "ctx"),
    Field("majf", "majf"),
    Field("minf", "minf"),
    Field(
        "job_start",
        "job_start",
        since="3.36",
        rule="ms since 1970; an extra if it is another clock's",
    ),
    Field("job_runtime_s", "job_runtime", "ms", zero=False),
    Field("group", "groupid"),
    Field("port", "port", rule="none in the total of all clients"),
)
# the lines of one direction of an entry
IO = (
    Field("io_bytes", "io_bytes", rule="KiB before 2.21, if there is no `io_kbytes`"),
    Field("total_ios", "total_ios", rule="for syncs the greater of it and `N`"),
    Field("short_ios", "short_ios", rule="none if syncs are counted there by mistake"),
    Field("drop_ios", "drop_ios"),
    Field("runtime_s", "runtime", "ms", zero=False),
    Field("iops", "iops", rule="`total_ios` / `runtime` if that agrees; none if `runtime` is 0"),
    Field(
        "bw_bytes_per_s",
        "bw_bytes",
        since="3.2",
        rule="otherwise `bw` (KiB/s), or `io_bytes` / `runtime` if that agrees;"
        " none if `runtime` is 0",
    ),
    Field("bw_min_bytes_per_s", "bw_min", "KiB/s", samples="bw_samples"),
    Field("bw_max_bytes_per_s", "bw_max", "KiB/s", samples="bw_samples"),
    Field("bw_mean_bytes_per_s", "bw_mean", "KiB/s", samples="bw_samples"),
    Field("bw_stddev_bytes_per_s", "bw_dev", "KiB/s", samples="bw_samples"),
    Field("bw_agg_pct", "bw_agg", zero=False, samples="bw_samples"),
    Field("bw_samples", "bw_samples", zero=False),
    Field("iops_min", "iops_min", samples="iops_samples"),
    Field("iops_max", "iops_max", samples="iops_samples"),
    Field("iops_mean", "iops_mean", samples="iops_samples"),
    Field("iops_stddev", "iops_stddev", samples="iops_samples"),
    Field("iops_samples", "iops_samples", zero=False),
)
LATENCY = tuple(
    Field(
        f"{kind}_{statistic}_ns",
        f"{kind}_ns.{statistic}",
        since="3.0",
        rule=f"before in usec, `{kind}.{statistic}`; none if `N` is 0",
    )
    for kind in LATENCIES
    for statistic in STATISTICS
)
DISK = (
    Field("read_ios", "read_ios"),
    Field("write_ios", "write_ios"),
    Field("read_merges", "read_merges"),
    Field("write_merges", "write_merges"),
    Field("read_sectors_bytes", "read_sectors", "sectors", since="3.36"),
    Field("write_sectors_bytes", "write_sectors", "sectors", since="3.36"),
    Field("read_ticks_s", "read_ticks", "ms"),
    Field("write_ticks_s", "write_ticks", "ms"),
    Field("in_queue_s", "in_queue", "ms"),
    Field("util_pct", "util"),
)
FIELDS = {"jobs": JOB, "io": (*IO, *LATENCY), "disks": DISK}
