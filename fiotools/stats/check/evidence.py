"""What the caller knows and the files do not say, and what a check finds."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from fiotools import units
from fiotools.errors import SchemaError, argument
from fiotools.flags import as_json
from fiotools.links import Link
from fiotools.links import link as link_of
from fiotools.stats.check import outcomes
from fiotools.stats.check.outcomes import Values
from fiotools.stats.frames import is_number

Media = Literal["hdd", "sata-ssd", "nvme", "ram"]
Cache = Literal["cold", "warm"]
Sides = Literal["layer", "device", "mirror", "cache"]
Memory: TypeAlias = "str | float | PathLike[str]"


@dataclass(frozen=True, slots=True)
class Evidence:
    """The arguments of `check`, in base units."""

    ram: float | None = None
    host_ram: float | None = None
    link: Link | None = None
    media: str | None = None
    devices: int | None = None
    cache: str | None = None
    copies: int | Mapping[str, int] | None = None
    moved: float | None = None
    capacity: float | None = None
    prefilled: bool = False
    compression: float | None = None
    between: str | None = None
    baseline: str | None = None
    sides: str | None = None
    speedup_max: float | None = None

    @property
    def is_memory(self) -> bool:
        """Whether the caller says that memory was measured, and no device."""
        return self.cache == "warm" or self.media == "ram"

    @property
    def carried(self) -> float | None:
        """Bytes of files that all links together carry in a second; None without a link."""
        if self.link is None:
            return None
        return self.link.bytes_per_s * (self.devices or 1) * (self.compression or 1.0)


def evidence(**arguments: Any) -> Evidence:
    """Convert the arguments of `check`, and refuse what makes no sense."""
    raw = Evidence(**arguments)
    for name, legal in (("media", Media), ("cache", Cache), ("sides", Sides)):
        value = getattr(raw, name)
        if value is not None and value not in get_args(legal):
            raise SchemaError(f"{argument(name, value)} is not one of {', '.join(get_args(legal))}")
    _count("devices", raw.devices)
    for number in raw.copies.values() if isinstance(raw.copies, Mapping) else [raw.copies]:
        _count("copies", number)
    if (raw.between is None) != (raw.baseline is None):
        raise SchemaError(
            f"{argument('between')} and {argument('baseline')} go together: "
            "a column, and one of its values"
        )
    if raw.between is None and (raw.sides is not None or raw.copies is not None):
        raise SchemaError(
            f"{argument('sides')} and {argument('copies')} compare two sides: "
            f"name them with {argument('between')}, {argument('baseline')}"
        )
    if raw.copies is not None and raw.sides not in (None, "mirror"):
        raise SchemaError(
            f"{argument('copies')} is about a mirror, {argument('sides', raw.sides)} is not"
        )
    gain, packed = raw.speedup_max, raw.compression
    if gain is not None and not (is_number(gain) and gain > 1):
        raise SchemaError(f"{argument('speedup_max', gain)}: a cache that helps is above 1")
    if packed is not None and not (is_number(packed) and 1 <= packed < float("inf")):
        raise SchemaError(
            f"{argument('compression', packed)} is not a number from 1: "
            "the data is this many times what is stored"
        )
    default = None if raw.between is None else "layer" if raw.copies is None else "mirror"
    return replace(
        raw,
        ram=_memory("ram", raw.ram),
        host_ram=_memory("host_ram", raw.host_ram),
        link=link_of(arguments.get("link")),
        moved=_size("moved", raw.moved, 1000),
        capacity=_size("capacity", raw.capacity, 1000),
        sides=raw.sides or default,
    )


def _count(name: str, value: object) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise SchemaError(f"{argument(name, value)} is not a whole number from 1")


def _size(name: str, value: str | float | None, kilo: int) -> float | None:
    """Read a size; 0 means that there is none of it."""
    if value is None:
        return None
    try:
        size = units.typed_size(value, kilo=kilo) if isinstance(value, str) else float(value)
    except (TypeError, ValueError):
        size = -1.0
    if isinstance(value, bool) or not 0 <= size < float("inf"):
        given = argument(name, value)
        raise SchemaError(f'{given} is not a size: write "8GB" or a number of bytes')
    return size


def _memory(name: str, value: Memory | None) -> float | None:
    """Read a size of memory, or a file with the output of `free` or a copy of /proc/meminfo."""
    if isinstance(value, str):
        with suppress(OSError):  # too long for a path
            value = Path(value) if Path(value).is_file() else value
    if not isinstance(value, PathLike):  # memory comes in powers of two: "8GB" are 8 GiB
        return _size(name, value, 1024)
    told = units.memory(Path(value).read_text(encoding="utf-8", errors="replace"))
    if told is None:
        raise SchemaError(
            f"{argument(name, str(value))} does not say how much memory there is: keep the output "
            "of free with the command above it, or /proc/meminfo"
        )
    return float(told)


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found about a subject; without an outcome, a question.

    `subject` ("read of job", "run") is a key; `observed` and `limit` are in base units. The outcome
    and its `values` make the sentences (`outcomes`); `source` is where the limit comes from, if the
    outcome does not say it.
    """

    check: str
    subject: str
    observed: float | None = None
    limit: float | None = None
    unit: str = ""
    source: str = ""
    outcome: str = ""
    values: Values = field(default_factory=dict)

    def of(self, observed: float | None, limit: float | None = None, unit: str = "") -> Finding:
        """Add the numbers."""
        return replace(self, observed=observed, limit=limit, unit=unit)

    def found(self, outcome: str, /, **values: Any) -> Finding:
        """Answer the question."""
        # dozens a run: `replace` would look up each field
        about = (self.check, self.subject, self.observed, self.limit, self.unit, self.source)
        return Finding(*about, outcome, values)

    @property
    def finding(self) -> str:
        """The id: the check, and its outcome."""
        return f"{self.check}.{self.outcome}"

    @property
    def verdict(self) -> str:
        """Ok, note, suspect, impossible or unknown."""
        return outcomes.outcomes()[self.finding].verdict

    @property
    def details(self) -> str | None:
        """The values, as a column has them."""
        return as_json(self.values) if self.values else None

    @property
    def why(self) -> str:
        """What was found, in a sentence."""
        return outcomes.why(self.finding, self.values)

    @property
    def remedy(self) -> str | None:
        """What to do, or to find out."""
        return outcomes.remedy(self.finding, self.values) or None

    @property
    def basis(self) -> str:
        """Where the limit comes from."""
        return self.source or outcomes.basis(self.finding, self.values)
