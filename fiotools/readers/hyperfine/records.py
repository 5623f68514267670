"""What each of hyperfine's outputs says of a command, in seconds and bytes.

Version 2 prints a unit beside each value, and names what it measures: its metrics. Values become
base units in decimal, so that 24.1 ms are 0.0241 s and not 0.024100000000000003.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from math import isfinite
from typing import Any, TypeAlias

from fiotools.tables.notes import Note

_INT64 = 2**63 - 1
_THOUSANDS = {name: Decimal(1000) ** power for power, name in enumerate("kMGT", 1)}
_FACTORS = {
    "time": {
        **dict.fromkeys(("s", "second"), Decimal(1)),
        **dict.fromkeys(("ms", "millisecond"), Decimal("1e-3")),
        **dict.fromkeys(("µs", "μs", "us", "microsecond"), Decimal("1e-6")),
        **dict.fromkeys(("ns", "nanosecond"), Decimal("1e-9")),
        **dict.fromkeys(("min", "minute"), Decimal(60)),
        **dict.fromkeys(("h", "hour"), Decimal(3600)),
    },
    "memory": {
        **dict.fromkeys(("B", "byte"), Decimal(1)),
        **{f"{prefix}B": factor for prefix, factor in _THOUSANDS.items()},
        **{f"{prefix}iB": Decimal(1024) ** power for power, prefix in enumerate("KMGT", 1)},
        **{
            f"{prefix}byte": Decimal(1024) ** power
            for power, prefix in enumerate(("kibi", "mebi", "gibi", "tebi"), 1)
        },
    },
    # a billion is B
    "count": {"": Decimal(1), "count": Decimal(1), **_THOUSANDS, "B": Decimal(10**9)},
}
REAL = "time_wall_clock"
MEMORY = "memory_peak_resident"
# version 2: what it calls each metric in text
METRICS = {
    "Wall Time": REAL,
    "CPU time": "time_cpu",
    "User time": "time_user",
    "System time": "time_system",
    "Memory": MEMORY,
    "CPU cycles": "cpu_cycles",
    "Instructions": "instructions",
    "Cache references": "cache_references",
    "Cache misses": "cache_misses",
    "Branch misses": "branch_misses",
}
_KINDS = {REAL: "time", MEMORY: "memory", **dict.fromkeys(list(METRICS.values())[1:4], "time")}
# columns of `timings` for a run, by metric
COLUMNS = {"time_user": "user_s", "time_system": "sys_s", MEMORY: "max_rss_bytes"}


@dataclass
class Benchmark:
    """One command: hyperfine's numbers in base units, and its single runs if they are listed."""

    command: str | None
    # what it computed, by name; of version 2 by metric and name: ``time_wall_clock/mean``
    measures: dict[str, float]
    parameters: dict[str, str] = field(default_factory=dict)
    times: Sequence[float | None] = ()  # of each run; None if it is not a number
    # columns of `timings` with a value for each run (without times: for each that there was)
    beside: dict[str, Sequence[float | int | None]] = field(default_factory=dict)
    # what was left out, or what hyperfine warns of
    doubts: list[Note] = field(default_factory=list)
    count: int | None = None  # how many runs there were, if they are not listed
    is_later: bool = False  # whether version 2 wrote it
    is_bad: bool = False  # whether a run failed
    error: str | None = None  # why it was not measured
    facts: dict[str, str] = field(default_factory=dict)  # for `extras`

    def doubt(self, code: str, message: str) -> None:
        """Note that a part of it is not certain."""
        self.doubts.append(Note(code, "warning", None, message))

    def real(self, name: str) -> float | None:
        """Return a statistic of the wall time."""
        return self.measures.get(f"{REAL}/{name}" if self.is_later else name)


# a command, or why there is none; and how many lines of the output stand above it
Finding: TypeAlias = tuple[Benchmark | None, str, int]


def in_base(value: Any, metric: str = REAL, unit: str | None = "s") -> float | None:
    """Return a number, or its text, in seconds, bytes or counts; None if that is not certain."""
    factor = _FACTORS[_KINDS.get(metric, "count")].get(unit or "")
    if factor is None or not (isinstance(value, str) or type(value) in (int, float)):
        return None
    found = float(value) if factor == 1 else float(Decimal(str(value)) * factor)
    return found if isfinite(found) and found >= 0 else None


def whole(value: Any) -> int | None:
    """Return a whole number; other programs write 0.0."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    return value if is_whole and -_INT64 <= value <= _INT64 else None
