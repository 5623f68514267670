"""Where each column of fio JSON comes from: a line for each, which the code applies.

To read another number, give it a field in `fiotools.readers.fio.schema`, a column in the
vocabulary, and a line here. A rule that a line cannot express is code in
`fiotools.readers.fio.records`, and the line names it. `docs/formats.md` is printed from these.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from fiotools.readers.document import Field
from fiotools.readers.fio import LATENCIES, STATISTICS

if TYPE_CHECKING:
    from fiotools.readers.fio.schema import Record

# how many of our units make one of fio's; ms are divided, as 1/1000 is not exact in binary
_SCALES = {"KiB/s": 1024, "sectors": 512}

JOB = (
    Field("error", "error"),
    Field("usr_cpu_pct", "usr_cpu"),
    Field("sys_cpu_pct", "sys_cpu"),
    *(Field(name, name) for name in ("ctx", "majf", "minf")),
    Field(
        "job_start",
        "job_start",
        since="3.36",
        rule="ms since 1970; an extra if it is another clock's",
    ),
    Field("job_runtime_s", "job_runtime", "ms", zero=False),
)
_KEYS = (
    Field("group", "groupid"),
    Field("port", "port", rule="none in the total of all clients"),
)
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
    *(Field(f"iops_{name}", f"iops_{name}", samples="iops_samples") for name in STATISTICS),
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
    *(Field(name, name) for name in ("read_ios", "write_ios", "read_merges", "write_merges")),
    Field("read_sectors_bytes", "read_sectors", "sectors", since="3.36"),
    Field("write_sectors_bytes", "write_sectors", "sectors", since="3.36"),
    *(Field(f"{name}_s", name, "ms") for name in ("read_ticks", "write_ticks", "in_queue")),
    Field("util_pct", "util"),
)
FIELDS = {"jobs": (*JOB, *_KEYS), "io": (*IO, *LATENCY), "disks": DISK}


class Lines:
    """The lines of a table of `Field`: they take the columns that they name from a record."""

    def __init__(self, fields: Sequence[Field]) -> None:
        self.columns: tuple[str, ...] = tuple(field.column for field in fields)
        self._take = attrgetter(*(field.key for field in fields))
        keys = [field.key for field in fields]
        places = range(len(fields))
        self._sampled = [
            (keys.index(count), [at for at in places if fields[at].samples == count])
            for count in dict.fromkeys(field.samples for field in fields if field.samples)
        ]
        self._unmeasured = [at for at in places if not fields[at].zero]
        self._ms = [at for at in places if fields[at].unit == "ms"]
        self._scaled = [
            (at, _SCALES[fields[at].unit]) for at in places if fields[at].unit in _SCALES
        ]

    def of(self, record: Record) -> list[Any]:
        """Return the values of a record, in our units; None for what was not measured."""
        values = [*self._take(record)]
        for count, places in self._sampled:
            said = values[count]
            if not (any(values[at] for at in places) if said is None else said):
                for at in places:
                    values[at] = None
        for at in self._unmeasured:
            values[at] = values[at] or None
        for at in self._ms:
            if values[at] is not None:
                values[at] /= 1000
        for at, scale in self._scaled:
            if values[at] is not None:
                values[at] *= scale
        return values
