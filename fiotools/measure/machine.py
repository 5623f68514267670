"""The machine in plain values: kernel, memory, file systems (mountinfo) and disks (/sys, Linux).

The disks that a virtual machine sees are its host's invention (virtio disks report that they
rotate), so the caller has to know whether there is a host.
"""

from __future__ import annotations

import os
import platform
import re
import stat
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fiotools import units

_PROC = Path("/proc")
_CGROUP = Path("/sys/fs/cgroup")
_KIB = re.compile(r"^(MemTotal|MemAvailable):\s+(\d+) kB", re.M)


def machine() -> dict[str, Any]:
    """Describe the machine in plain values; None if it does not tell."""
    total, available = memory()
    return {
        "kernel": " ".join((platform.system(), platform.release(), platform.machine())),
        "cpu": _line("model name") or platform.processor() or None,
        "processors": processors(),
        "ram_bytes": total,
        "ram_available_bytes": available,
        "is_guest": is_guest(),
        "load_1min": load(),
        "python": platform.python_version(),
    }


def load() -> float | None:
    """Return the load of the last minute."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else None


def processors() -> int:
    """Count the processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def memory() -> tuple[int | None, int | None]:
    """Return the bytes of memory, and the bytes available here (within the group's limit)."""
    found = {name: int(kib) * 1024 for name, kib in _KIB.findall(_text(_PROC / "meminfo") or "")}
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
    """Return the smallest limit of memory of this process's control group and its parents."""
    group = re.search(r"^0::(/.*)$", _text(_PROC / "self" / "cgroup") or "", re.M)
    files = [_CGROUP / "memory" / "memory.limit_in_bytes"]
    if group:
        place = _CGROUP / group[1].lstrip("/")
        files += [folder / "memory.max" for folder in (place, *place.parents)]
    limits = [int(text) for text in map(_text, files) if text and text.isdecimal()]
    return min(limits, default=None)


def is_guest() -> bool | None:
    """Whether this is a virtual machine; None if that cannot be known."""
    flags = _line("flags")
    return None if flags is None else "hypervisor" in flags.split()


def _line(name: str) -> str | None:
    found = re.search(rf"^{name}\s*: *(.*)$", _text(_PROC / "cpuinfo") or "", re.M)
    return found[1].strip() if found else None


def binary(count: float) -> str:
    """Write a number of bytes in KiB, MiB, GiB or TiB.

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
    """Write a duration for people.

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


_TABLE = Path("/proc/self/mountinfo")
MEMORY = ("tmpfs", "ramfs")  # file systems in memory
_MEMORY_DISKS = ("zram", "ram")
_ESCAPED = re.compile(r"\\([0-7]{3})")
# values with names of folders, addresses or people
_PRIVATE = re.compile(r"(\b(?:\w*addr|username|domain)=)[^,]*|=[^,]*[/:@][^,]*")
_SYS = Path("/sys")
_USB = {"480": "usb2", "5000": "usb3-5g", "10000": "usb3-10g", "20000": "usb3-gen2x2"}
_SATA = {"3.0 Gbps": "sata-2", "6.0 Gbps": "sata-3"}
_PCIE = {"8.0": "pcie3", "16.0": "pcie4", "32.0": "pcie5"}
_MADE_UP = ("loop", "zram", "ram", "md", "dm-")  # disks that the kernel makes


@dataclass(frozen=True)
class Mount:
    """One line of mountinfo; all is empty if the system does not tell."""

    point: str = ""  # where it is mounted
    kind: str = ""  # the file system
    source: str = ""  # the device, the server, or just a word
    # of the mount and the file system, without names of folders, addresses or people
    options: str = ""
    device: str = ""  # major and minor number
    upper: str | None = None  # the folder in which an overlay keeps writes


def mount_of(folder: Path) -> Mount:
    """Find the mount of a resolved folder."""
    try:
        table = _TABLE.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return Mount()
    found = Mount()
    for line in table.splitlines():
        before, _, after = line.partition(" - ")
        fields, rest = before.split(), after.split()
        if len(fields) < 6 or len(rest) < 3:
            continue
        point = _plain(fields[4])
        # of several on one point, the last hides the others
        if folder.is_relative_to(point) and len(point) >= len(found.point):
            options = dict.fromkeys([*fields[5].split(","), *rest[2].split(",")])
            told = _PRIVATE.sub(lambda cut: f"{cut[1] or '='}...", ",".join(options))
            upper = re.search(r"(?:^|,)upperdir=([^,]+)", rest[2]) if rest[0] == "overlay" else None
            kept = None if upper is None else _plain(upper[1])
            found = Mount(point, rest[0], _plain(rest[1]), told, fields[2], kept)
    return found


def _plain(text: str) -> str:
    return _ESCAPED.sub(lambda match: chr(int(match[1], 8)), text)


@dataclass(frozen=True)
class WholeDisk:
    """A whole disk."""

    name: str  # the kernel's
    model: str | None = None
    rotational: bool | None = None
    transport: str | None = None  # nvme, sata, sas, usb, virtio, mmc, loop, ...
    link: str | None = None  # the name for `fiotools.check` if it is certain
    size_bytes: int | None = None
    backing: Backing | None = None  # of a loop device

    def images(self) -> list[Path]:
        """List the file of a loop device, and the files below that."""
        if self.backing is None:
            return []
        below = self.backing.device
        return [Path(self.backing.path), *(() if below is None else below.images())]


@dataclass(frozen=True)
class Backing:
    """The file of a loop device."""

    path: str
    file_system: str | None  # of the file
    is_direct: bool  # whether the loop device bypasses the page cache of this file
    device: WholeDisk | None  # the only disk under that file system


def stays_in_memory(facts: Mapping[str, Any]) -> bool:
    """Whether the files of a place, or of a loop device, stay in memory."""
    device = facts["device"] or {}
    below = device.get("backing")
    if below is not None:
        return stays_in_memory(below)
    return facts["file_system"] in MEMORY or device.get("transport") in _MEMORY_DISKS


def devices_of(mount: Mount) -> list[WholeDisk]:
    """Describe the disks under a mount; none if the system does not tell."""
    if mount.kind == "overlay":
        return devices_of(_mount_of(mount.upper))
    for number in dict.fromkeys([mount.device, _number(mount.source)]):
        if not number or number.startswith("0:"):
            continue
        try:
            place = (_SYS / "dev" / "block" / number).resolve(strict=True)
        except OSError:
            continue
        members = _members(place) if mount.kind == "btrfs" else [place]
        disks = dict.fromkeys(disk for member in members for disk in _bottom(member))
        return [_described(disk) for disk in disks]
    return []


def _mount_of(path: str | None) -> Mount:
    """Find the mount of a path from the kernel; a container may not see it."""
    try:
        return Mount() if path is None else mount_of(Path(path).resolve(strict=True))
    except OSError:
        return Mount()


def _number(source: str) -> str | None:
    """Return the number of a device file: btrfs and others have one of their own."""
    with suppress(OSError):
        status = Path(source).stat()
        if source.startswith("/dev/") and stat.S_ISBLK(status.st_mode):
            return f"{os.major(status.st_rdev)}:{os.minor(status.st_rdev)}"
    return None


def _members(place: Path) -> list[Path]:
    """List all devices of a btrfs from one of them: the mount names only one."""
    for folder in (_SYS / "fs" / "btrfs").glob("*/devices"):
        there = {member.name: member.resolve() for member in folder.iterdir()}
        if place.name in there:
            return list(there.values())
    return [place]


def _bottom(place: Path) -> list[Path]:
    """Go from a partition or a mapped device down to the disks."""
    if (place / "partition").exists():
        place = place.parent
    try:
        below = sorted((place / "slaves").iterdir())
    except OSError:
        below = []
    return [disk for one in below for disk in _bottom(one.resolve())] or [place]


def _described(disk: Path) -> WholeDisk:
    rotational = _text(disk / "queue" / "rotational")
    sectors = _text(disk / "size")
    transport, link = _way(disk)
    return WholeDisk(
        disk.name,
        _text(disk / "device" / "model"),
        {"0": False, "1": True}.get(rotational or ""),
        transport,
        link,
        int(sectors) * 512 if sectors and sectors.isdecimal() else None,
        _backing(disk),
    )


def _backing(disk: Path) -> Backing | None:
    path = _text(disk / "loop" / "backing_file")
    if path is None:
        return None
    mount = _mount_of(path)
    below = devices_of(mount)
    return Backing(
        path,
        mount.kind or None,
        _text(disk / "loop" / "dio") == "1",
        below[0] if len(below) == 1 else None,
    )


def _way(disk: Path) -> tuple[str | None, str | None]:
    """Say how a disk is attached, and the name of its link if that is certain."""
    path = str(disk)
    if "/usb" in path:
        speeds = (_text(parent / "speed") for parent in disk.parents)
        return "usb", _USB.get(next((speed for speed in speeds if speed), ""))
    port = re.search(r"/ata(\d+)/", path)
    if port:
        speed = _text(_SYS / "class" / "ata_link" / f"link{port[1]}" / "sata_spd")
        return "sata", _SATA.get(speed or "")
    if "/end_device-" in path:
        return "sas", None
    if disk.name.startswith("nvme"):
        # one disk may be reached by several controllers
        files = (disk / "device" / "transport", *(disk / "device").glob("nvme*/transport"))
        net = sorted({_text(file) or "pcie" for file in files} - {"pcie"})
        return (f"nvme-{net[0]}", None) if net else ("nvme", _pcie(disk))
    if "/virtio" in path:
        return "virtio", None
    if disk.name.startswith("mmcblk"):
        return "mmc", None
    if disk.name.startswith(_MADE_UP):
        return disk.name.rstrip("0123456789-"), None
    return None, None


def _pcie(disk: Path) -> str | None:
    for parent in disk.parents:
        speed, width = _text(parent / "current_link_speed"), _text(parent / "current_link_width")
        if speed and width:
            generation = _PCIE.get(speed.split()[0])
            return f"{generation}-x{width}" if generation and width in ("1", "4") else None
    return None


def _text(file: Path) -> str | None:
    try:
        return file.read_text(encoding="utf-8", errors="replace").strip() or None
    except OSError:
        return None
