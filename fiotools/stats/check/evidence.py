"""What the caller knows of the machine, and the files do not say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from fiotools import memory_report, units
from fiotools.errors import SchemaError
from fiotools.hints import argument
from fiotools.stats.check.links import Link, link

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
        """Whether it is said that memory was measured, and no device."""
        return self.cache == "warm" or self.media == "ram"

    @property
    def carried(self) -> float | None:
        """Bytes of files that all links together carry in a second; None without a link."""
        if self.link is None:
            return None
        return self.link.times(self.devices) * (self.compression or 1.0)


def evidence(
    *,
    ram: Memory | None,
    host_ram: Memory | None,
    link: str | float | None,
    media: str | None,
    devices: int | None,
    cache: str | None,
    copies: int | Mapping[str, int] | None,
    moved: str | float | None,
    capacity: str | float | None,
    prefilled: bool,
    compression: float | None,
    between: str | None,
    baseline: str | None,
    sides: str | None,
    speedup_max: float | None,
) -> Evidence:
    """Look at every argument, and refuse what makes no sense."""
    _one_of("media", media, get_args(Media))
    _one_of("cache", cache, get_args(Cache))
    _one_of("sides", sides, get_args(Sides))
    _count("devices", devices)
    for number in copies.values() if isinstance(copies, Mapping) else [copies]:
        _count("copies", number)
    if (between is None) != (baseline is None):
        raise SchemaError(
            f"{argument('between')} and {argument('baseline')} go together: "
            "a column, and one of its values"
        )
    if between is None and (sides is not None or copies is not None):
        raise SchemaError(
            f"{argument('sides')} and {argument('copies')} compare two sides: "
            f"name them with {argument('between')}, {argument('baseline')}"
        )
    if copies is not None and sides not in (None, "mirror"):
        raise SchemaError(
            f"{argument('copies')} is about a mirror, {argument('sides', sides)} is not"
        )
    if speedup_max is not None and not speedup_max > 1:
        raise SchemaError(f"{argument('speedup_max', speedup_max)}: a cache that helps is above 1")
    if compression is not None and not 1 <= compression < float("inf"):
        raise SchemaError(
            f"{argument('compression', compression)} is below 1: "
            "the data is this many times what is stored"
        )
    if between is not None and sides is None:
        sides = "layer" if copies is None else "mirror"
    return Evidence(
        ram=_memory("ram", ram),
        host_ram=_memory("host_ram", host_ram),
        link=_link(link),
        media=media,
        devices=devices,
        cache=cache,
        copies=copies,
        moved=_size("moved", moved, 1000),
        capacity=_size("capacity", capacity, 1000),
        prefilled=prefilled,
        compression=compression,
        between=between,
        baseline=baseline,
        sides=sides,
        speedup_max=speedup_max,
    )


_link = link  # an argument has its name


def _one_of(name: str, value: str | None, legal: tuple[str, ...]) -> None:
    if value is not None and value not in legal:
        raise SchemaError(f"{argument(name, value)} is not one of {', '.join(legal)}")


def _count(name: str, value: object) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise SchemaError(f"{argument(name, value)} is no whole number from 1")


def _size(name: str, value: str | float | None, kilo: int) -> float | None:
    """Read a size; 0 is one, and says that there is none of it."""
    if value is None:
        return None
    try:
        size = units.size(value, kilo=kilo) if isinstance(value, str) else float(value)
    except (TypeError, ValueError):
        size = -1.0
    if isinstance(value, bool) or not 0 <= size < float("inf"):
        given = argument(name, value)
        raise SchemaError(f'{given} is no size: write "8GB" or a number of bytes')
    return size


def _memory(name: str, value: Memory | None) -> float | None:
    """Read a size of memory, or a file that tells it: what `free` printed, or /proc/meminfo."""
    if not isinstance(value, PathLike | str) or (isinstance(value, str) and not _is_file(value)):
        # memory comes in powers of two: "8GB" of it are 8 GiB
        return _size(name, value, 1024)
    told = memory_report.memory(Path(value).read_text(encoding="utf-8", errors="replace"))
    if told is None:
        raise SchemaError(
            f"{argument(name, str(value))} does not say how much memory there is: keep the output "
            "of free with the command above it, or /proc/meminfo"
        )
    return float(told)


def _is_file(value: str) -> bool:
    try:
        return Path(value).is_file()
    except OSError:  # too long for a name, and so no path
        return False
