"""One direction of an entry of a fio document: what was moved, and how fast."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fiotools.readers.fio.documents import VERSION_KEYS

DIRECTIONS = ("read", "write", "trim", "mixed", "sync")
FIGURES = (
    *("io_bytes", "io_kbytes", "bw_bytes", "bw", "iops", "runtime"),
    *("total_ios", "short_ios", "drop_ios"),
    *("bw_min", "bw_max", "bw_agg", "bw_mean", "bw_dev", "bw_samples"),
    *("iops_min", "iops_max", "iops_mean", "iops_stddev", "iops_samples"),
)
# names of figures in io: of the mean, the extremes and the spread of fio's samples
BW = {
    "bw_min": "bw_min_bytes_per_s",
    "bw_max": "bw_max_bytes_per_s",
    "bw_mean": "bw_mean_bytes_per_s",
    "bw_dev": "bw_stddev_bytes_per_s",
}
_SYNCS = ("fsync", "fdatasync", "sync_file_range")
IOPS = {name: name for name in ("iops_min", "iops_max", "iops_mean", "iops_stddev")}


@dataclass(frozen=True)
class Version:
    """fio's version, as far as the units depend on it."""

    text: str | None
    number: tuple[int, int] | None

    @classmethod
    def of(cls, document: Mapping[str, Any], override: str | None) -> Version:
        """Take the version from a document, or from the caller who knows better."""
        said = override or next((document[k] for k in VERSION_KEYS if document.get(k)), None)
        text = str(said).removeprefix("fio-") if said else None
        found = re.match(r"(\d{1,9})\.(\d{1,9})", text or "")
        return cls(text, (int(found[1]), int(found[2])) if found else None)

    @property
    def lists_options(self) -> bool:
        """Whether an option that is not listed was not given."""
        return not self.before(2, 17, True)

    def before(self, major: int, minor: int, otherwise: bool) -> bool:
        """Whether it is older; ``otherwise`` is what the document's keys tell without one."""
        return otherwise if self.number is None else self.number < (major, minor)


def has_io(part: Mapping[str, Any]) -> bool:
    """Whether anything was moved in a direction; fio lists unused ones as zeros."""
    if "io_kbytes" in part and isinstance(part.get("io_bytes"), (int, float, str)):
        return bool(part["io_bytes"])  # an I/O that failed counts as issued
    return any(part.get(key) for key in ("io_bytes", "total_ios", "iops", "bw"))


def syncs(part: Mapping[str, Any], measured: Mapping[str, Any]) -> int | None:
    """Count the syncs: ``total_ios`` has those of ``fsync`` alone, ``N`` all that were timed."""
    counts = (part.get("total_ios"), measured.get("N"))
    return max((count for count in counts if count), default=None)


def has_spilled(entry: Mapping[str, Any], options: Mapping[str, str]) -> bool:
    """Whether syncs were counted as I/Os that fell short, past the end of fio's counters.

    ``fdatasync`` counts as short reads, ``sync_file_range`` as short writes.
    """
    sync = entry.get("sync")
    if not isinstance(sync, dict):  # before 3.6, or not listed apart
        return any(options.get(name, "0") != "0" for name in _SYNCS)
    timed = sync.get("lat_ns")
    if not isinstance(timed, dict):
        return False
    counted, done = sync.get("total_ios") or 0, timed.get("N")
    return bool(timed.get("max")) and counted == 0 if done is None else done != counted


def io_bytes(part: Mapping[str, Any], fio: Version) -> int | float | None:
    """Give what was moved: fio counted KiB before 2.21, where it began to give ``io_kbytes`` too.

    A document without a version is known by its keys: nanoseconds came later than bytes.
    """
    if part.get("io_bytes") is None or "io_kbytes" in part:
        return part.get("io_bytes")
    newer = any(key in part for key in ("bw_bytes", "lat_ns", "clat_ns", "slat_ns"))
    size: int = part["io_bytes"]
    return size * (1024 if fio.before(2, 21, not newer) else 1)


def amounts(part: Mapping[str, Any], fio: Version) -> dict[str, Any]:
    """Give amounts and rates, in base units."""
    moved, total, iops, bw = (
        io_bytes(part, fio),
        part.get("total_ios"),
        part.get("iops"),
        part.get("bw_bytes"),
    )
    runtime = (part.get("runtime") or 0) / 1000
    if part.get("runtime") == 0:  # fio writes 0 where it could not divide
        iops = bw = None
    elif iops is not None and total and runtime:
        # printed with six decimals, or cut off to a whole number (2.1)
        slack = 1.0 if isinstance(iops, int) else 1e-5
        iops = total / runtime if abs(total / runtime - iops) < slack else iops
    if bw is None and part.get("bw") is not None and part.get("runtime") != 0:
        bw = part["bw"] * 1024
        exact = moved / runtime if runtime and moved else None
        if exact is not None and abs(exact - bw) <= 1024 * (1 + 1 / runtime):
            bw = exact
    found = {
        "io_bytes": moved,
        "total_ios": total,
        "short_ios": part.get("short_ios"),
        "drop_ios": part.get("drop_ios"),
        "runtime_s": runtime or None,
        "iops": iops,
        "bw_bytes_per_s": bw,
        **_samples_of(part, "bw_samples", BW, 1024),
        **_samples_of(part, "iops_samples", IOPS, 1),
    }
    if part.get("bw_agg") and found.get("bw_mean_bytes_per_s") is not None:
        found["bw_agg_pct"] = part["bw_agg"]
    return found


def _samples_of(
    part: Mapping[str, Any], count: str, names: Mapping[str, str], scale: int
) -> dict[str, Any]:
    """Give the statistics over fio's samples; without samples there are none."""
    samples = part.get(count)
    values = {
        column: part[key] * scale for key, column in names.items() if part.get(key) is not None
    }
    if samples == 0 or (samples is None and not any(values.values())):
        return {}
    return {**values, count: samples}
