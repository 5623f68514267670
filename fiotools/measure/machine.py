"""What this machine is, in plain values; and sizes and durations as they are said of it."""

from __future__ import annotations

import os
import platform
import re
from pathlib import Path
from typing import Any

from fiotools import units

_PROC = Path("/proc")
_CGROUP = Path("/sys/fs/cgroup")
_KIB = re.compile(r"^(MemTotal|MemAvailable):\s+(\d+) kB", re.M)


def machine() -> dict[str, Any]:
    """Describe the machine in plain values; what it does not tell is None."""
    total, available = memory()
    return {
        "kernel": " ".join((platform.system(), platform.release(), platform.machine())),
        "cpu": _line("model name") or platform.processor() or None,
        "processors": processors(),
        "ram_bytes": total,
        "ram_available_bytes": available,
        "is_guest": is_guest(),
        "load_1min": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
        "python": platform.python_version(),
    }


def processors() -> int:
    """Count the processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def memory() -> tuple[int | None, int | None]:
    """Give the bytes of memory, and how many of them may be used here (the group's limit kept)."""
    found = {name: int(kib) * 1024 for name, kib in _KIB.findall(_read(_PROC / "meminfo") or "")}
    total, available = found.get("MemTotal"), found.get("MemAvailable")
    if total is None and hasattr(os, "sysconf"):  # macOS
        try:
            total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        except (ValueError, OSError):
            return None, None
        available = total // 2
    limit = _limit()
    if limit is not None and total is not None and available is not None and limit < total:
        return limit, min(available, limit)
    return total, available


def _limit() -> int | None:
    """Give the smallest limit of memory on the way up from this process's control group."""
    group = re.search(r"^0::(/.*)$", _read(_PROC / "self" / "cgroup") or "", re.M)
    files = [_CGROUP / "memory" / "memory.limit_in_bytes"]
    if group:
        place = _CGROUP / group[1].lstrip("/")
        files += [folder / "memory.max" for folder in (place, *place.parents)]
    limits = [int(text) for text in map(_read, files) if text and text.strip().isdecimal()]
    return min(limits, default=None)


def is_guest() -> bool | None:
    """Say whether this is a virtual machine; None where it cannot be known."""
    flags = _line("flags")
    if flags is None:
        return None
    return "hypervisor" in flags.split()


def _line(name: str) -> str | None:
    found = re.search(rf"^{name}\s*: *(.*)$", _read(_PROC / "cpuinfo") or "", re.M)
    return found[1].strip() if found else None


def _read(file: Path) -> str | None:
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None


def binary(count: float) -> str:
    """Write a number of bytes as memory and files are counted.

    Examples
    --------
    >>> binary(2**30), binary(1.5 * 2**30), binary(24684092 * 1024), binary(1008 * 2**20)
    ('1 GiB', '1.5 GiB', '23.5 GiB', '1008 MiB')
    """
    for unit in ("TiB", "GiB", "MiB", "KiB"):
        value = count / units.size(f"1{unit}")
        if value >= 1:
            return f"{value:{'.0f' if value >= 100 else '.3g'}} {unit}"
    return f"{count:.0f} B"


def span(seconds: float) -> str:
    """Write a duration as people say it.

    Examples
    --------
    >>> span(0.2), span(59.6), span(600), span(10000)
    ('1 s', '60 s', '10 min', '2.8 h')
    """
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    if seconds < 5400:
        return f"{round(seconds / 60)} min"
    return f"{seconds / 3600:.1f} h"
