"""What hyperfine's outputs say of a command, in seconds, bytes and counts.

Values become base units in decimal, so that 24.1 ms are 0.0241 s and not 0.024100000000000003.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal

# version 2 names what it measures
REAL, MEMORY = "time_wall_clock", "memory_peak_resident"
COLUMNS = {"time_user": "user_s", "time_system": "sys_s", MEMORY: "max_rss_bytes"}  # of `timings`
SINGLE = {"user_s": "user", "sys_s": "system"}  # version 1 has these for a single execution
_UNITS = {
    **dict.fromkeys(("s", "second"), "1"),
    **dict.fromkeys(("ms", "millisecond"), "1e-3"),
    **dict.fromkeys(("us", "µs", "μs", "microsecond"), "1e-6"),
    **dict.fromkeys(("ns", "nanosecond"), "1e-9"),
    **dict.fromkeys(("min", "minute"), "60"),
    **dict.fromkeys(("h", "hour"), "3600"),
    **dict.fromkeys(("B", "byte"), "1"),
    **{f"{name}B": str(1000**power) for power, name in enumerate("kMGT", 1)},
    **{f"{name}iB": str(1024**power) for power, name in enumerate("KMGT", 1)},
    **{f"{name}byte": str(1024**power) for power, name in enumerate(("kibi", "mebi", "gibi"), 1)},
}
# cycles and misses; a billion is B
_COUNTS = {"": "1", "count": "1", "k": "1e3", "M": "1e6", "G": "1e9", "B": "1e9", "T": "1e12"}


@dataclass
class Benchmark:
    """One command: hyperfine's numbers in base units, and its single runs if they are listed."""

    command: str | None
    line: int = 0  # how many lines of the output stand above
    # what it computed, by name; of version 2 by metric and name: ``time_wall_clock/mean``
    measures: dict[str, float] = field(default_factory=dict)
    parameters: dict[str, str] = field(default_factory=dict)
    times: Sequence[float | None] = ()  # of each run; None if its unit is unknown
    # columns of `timings` with a value for each run
    beside: dict[str, Sequence[float | None]] = field(default_factory=dict)
    doubts: list[tuple[str, str]] = field(default_factory=list)  # codes and messages of notes
    count: int | None = None  # how many runs there were, if they are not listed
    is_later: bool = False  # whether version 2 wrote it
    is_bad: bool = False  # whether a run failed that is not listed
    error: str | None = None  # why it was not measured
    name: str | None = None

    def real(self, name: str) -> float | None:
        """Return a statistic of the wall time."""
        return self.measures.get(f"{REAL}/{name}" if self.is_later else name)

    def put(self, metric: str, name: str, value: str | float | None, unit: str = "s") -> None:
        """Keep a statistic of a metric, if there is one."""
        known = None if value is None else in_base(value, unit, metric)
        if known is not None:
            self.measures[f"{metric}/{name}" if self.is_later else name] = known
        elif value is not None:
            message = f"{metric}: the {name} {value} in {unit!r:.40} cannot be read: left out"
            self.doubts.append(("left out", message))


@dataclass
class Output:
    """One output of hyperfine: its commands, what was left out, what it says of itself."""

    found: list[Benchmark] = field(default_factory=list)
    left_out: list[tuple[str, int]] = field(default_factory=list)  # and the lines above
    about: dict[str, str] = field(default_factory=dict)


def in_base(value: str | float, unit: str, metric: str = REAL) -> float | None:
    """Return a number, or its text, in base units; None if the unit is unknown."""
    is_amount = metric == MEMORY or metric.startswith("time")
    factor = (_UNITS if is_amount else _COUNTS).get(unit)
    if factor is None or factor == "1":
        return float(value) if factor else None
    return float(Decimal(str(value)) * Decimal(factor))
