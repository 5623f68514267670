"""Arguments of many statistics: a metric, a confidence, a tolerance."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any

from fiotools.errors import SchemaError
from fiotools.vocabulary import COLUMNS, Better

_SPEED_UNITS = ("1/s", "B/s", "s", "ns")


@dataclass(frozen=True)
class Metric:
    """One measure: `unit` is empty and `better` None if they are unknown."""

    name: str
    unit: str
    better: Better | None

    @property
    def sign(self) -> int:
        """+1 if higher is better or it is unknown, -1 if lower is."""
        return -1 if self.better == "lower" else 1

    @property
    def is_time(self) -> bool:
        """Whether it is how long something takes, not how far that spreads."""
        return self.better == "lower" and self.unit in ("s", "ns") and "stddev" not in self.name

    @property
    def is_amount(self) -> bool:
        """Whether it is known that it cannot be below 0."""
        return self.name in COLUMNS or self.unit in _SPEED_UNITS

    @property
    def words(self) -> tuple[str, str]:
        """The words for a gain and for a loss."""
        if self.better is None:
            return "higher", "lower"
        # a steadier run is better, not faster
        if self.unit in _SPEED_UNITS and "stddev" not in self.name:
            return "faster", "slower"
        return "better", "worse"


def metric_of(name: str) -> Metric:
    """Look a metric up in the vocabulary, else read its name: ``quantity[_statistic]_unit``."""
    if not isinstance(name, str):
        raise SchemaError(f"the metric is {name!r}: it is the name of one column")
    if name in COLUMNS:
        column = COLUMNS[name]
        return Metric(name, column.unit, column.better)
    words = name.lower().split("_")
    if words[-1] == "pct":
        return Metric(name, "%", None)
    # a steadier run is better in every unit
    more: Better = "lower" if "stddev" in words else "higher"
    if name.endswith("bytes_per_s"):
        return Metric(name, "B/s", more)
    if name.endswith("_per_s") or "iops" in words:
        return Metric(name, "1/s", more)
    for unit in ("ns", "s"):
        if name.endswith(f"_{unit}"):
            return Metric(name, unit, "lower")
    return Metric(name, "", None)


def check_confidence(confidence: Any) -> None:
    """Refuse a confidence that is not between 0 and 1."""
    if not _is_share(confidence):
        raise SchemaError(f"confidence is {confidence!r}: it lies between 0 and 1 (0.95)")


def check_tolerance(tolerance: Any) -> None:
    """Refuse a tolerance that is not between 0 and 1."""
    if not _is_share(tolerance):
        raise SchemaError(f"tolerance is {tolerance!r}: it is a share, above 0 and below 1 (0.01)")


def is_number(value: Any) -> bool:
    """Say whether an argument can be compared with numbers at all."""
    return isinstance(value, Real)


def _is_share(value: Any) -> bool:
    return is_number(value) and 0 < float(value) < 1
