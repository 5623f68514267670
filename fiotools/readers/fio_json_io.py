"""One direction of an entry of a fio document: what was moved, and how fast."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fiotools.readers.fio_documents import VERSION_KEYS
from fiotools.readers.fio_json_latency import latency_columns
from fiotools.vocabulary import COLUMNS

if TYPE_CHECKING:
    from fiotools.tables import Tables


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
        found = re.match(r"(\d+)\.(\d+)", text or "")
        return cls(text, (int(found[1]), int(found[2])) if found else None)

    @property
    def lists_options(self) -> bool:
        """Whether an option that is not listed was not given."""
        return not self.before(2, 17, True)

    def before(self, major: int, minor: int, otherwise: bool) -> bool:
        """Whether it is older; ``otherwise`` is what the document's keys tell without one."""
        return otherwise if self.number is None else self.number < (major, minor)


def checked(row: dict[str, Any]) -> dict[str, Any]:
    """Refuse values that are not of their column's type: then the document is not fio's own.

    Raises
    ------
    TypeError
        Naming the column.
    """
    for name, value in row.items():
        dtype = COLUMNS[name].dtype
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        fits = {
            "Int64": number and value == value // 1 and abs(value) < 2**63,
            "float64": number,
            "str": isinstance(value, str),
        }
        if value is not None and not fits.get(dtype, True):
            raise TypeError(f"{name} is {value!r:.40}")
    return row


def has_io(part: Mapping[str, Any]) -> bool:
    """Whether anything was moved in a direction; fio lists unused ones as zeros."""
    if "io_kbytes" in part:  # bytes are exact; an I/O that failed counts as issued
        return bool(part.get("io_bytes"))
    return any(part.get(key) for key in ("io_bytes", "total_ios", "iops", "bw"))


def figures(
    tables: Tables, run: int, part: dict[str, Any], direction: str, fio: Version
) -> dict[str, Any]:
    """Give the figures of one direction, in base units."""
    latencies = latency_columns(tables, run, part, direction)
    if direction == "sync":
        return {"total_ios": part.get("total_ios"), **latencies}
    kib = fio.before(2, 21, "io_kbytes" not in part)
    runtime = (part.get("runtime") or 0) / 1000
    found: dict[str, Any] = {
        "io_bytes": part["io_bytes"] * (1024 if kib else 1) if "io_bytes" in part else None,
        "total_ios": part.get("total_ios"),
        "short_ios": part.get("short_ios"),
        "drop_ios": part.get("drop_ios"),
        "runtime_s": runtime or None,
        "iops": part.get("iops"),
        "bw_bytes_per_s": part.get("bw_bytes"),
        **latencies,
        **_samples_of(part, "bw", 1024, {"dev": "stddev"}, "_bytes_per_s"),
        **_samples_of(part, "iops", 1, {"stddev": "stddev"}, ""),
    }
    if part.get("bw_agg") and found.get("bw_mean_bytes_per_s") is not None:
        found["bw_agg_pct"] = part["bw_agg"]
    if runtime and found["total_ios"] and found["iops"] is not None:
        exact = found["total_ios"] / runtime
        # printed with six decimals, or cut off to a whole number (2.1)
        if abs(exact - found["iops"]) < (1.0 if isinstance(part["iops"], int) else 1e-5):
            found["iops"] = exact
    if found["bw_bytes_per_s"] is None and "bw" in part:
        exact = found["io_bytes"] / runtime if runtime and found["io_bytes"] else None
        agrees = exact is not None and abs(exact - part["bw"] * 1024) <= 1024 * (1 + 1 / runtime)
        found["bw_bytes_per_s"] = exact if agrees else part["bw"] * 1024
    return found


def _samples_of(
    part: Mapping[str, Any], quantity: str, scale: int, spread: dict[str, str], suffix: str
) -> dict[str, Any]:
    """Give the statistics over fio's samples; without samples there are none."""
    count = part.get(f"{quantity}_samples")
    names = {"min": "min", "max": "max", "mean": "mean", **spread}
    values = {
        f"{quantity}_{stat}{suffix}": part[f"{quantity}_{name}"] * scale
        for name, stat in names.items()
        if part.get(f"{quantity}_{name}") is not None
    }
    if count == 0 or (count is None and not any(values.values())):
        return {}
    return {**values, f"{quantity}_samples": count}
