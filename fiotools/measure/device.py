"""What /sys tells of the device under a file system: its kind, and the link it hangs on (Linux).

What a virtual machine is shown is the host's invention (virtio disks call themselves rotating), so
the caller has to know whether there is a host.
"""

from __future__ import annotations

import os
import re
import stat
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from fiotools.measure.mounts import Mount

_SYS = Path("/sys")
_USB = {"480": "usb2", "5000": "usb3-5g", "10000": "usb3-10g", "20000": "usb3-gen2x2"}
_SATA = {"3.0 Gbps": "sata-2", "6.0 Gbps": "sata-3"}
_PCIE = {"8.0": "pcie3", "16.0": "pcie4", "32.0": "pcie5"}


@dataclass(frozen=True)
class Device:
    """A whole disk.

    Attributes
    ----------
    name : str
        As the kernel calls it.
    model : str or None
    rotational : bool or None
    transport : str or None
        nvme, sata, usb, virtio, mmc, ...
    link : str or None
        As `fiotools.check` calls it, where that is certain.
    size_bytes : int or None
    """

    name: str
    model: str | None = None
    rotational: bool | None = None
    transport: str | None = None
    link: str | None = None
    size_bytes: int | None = None

    def facts(self) -> dict[str, Any]:
        """Give it as plain values."""
        return asdict(self)


def device_of(mount: Mount, root: Path = _SYS) -> Device | None:
    """Find the one disk under a mount; None if there is none, or several."""
    for number in dict.fromkeys([mount.device, _number(mount.source)]):
        if number is None or number.startswith("0:"):
            continue
        try:
            place = (root / "dev" / "block" / number).resolve(strict=True)
        except OSError:
            continue
        disk = _bottom(place)
        if disk is not None:
            return _described(disk, root)
    return None


def _number(source: str) -> str | None:
    """Give the number of a device file: btrfs and others have one of their own."""
    if not source.startswith("/dev/"):
        return None
    try:
        status = Path(source).stat()
    except OSError:
        return None
    if not stat.S_ISBLK(status.st_mode):
        return None
    return f"{os.major(status.st_rdev)}:{os.minor(status.st_rdev)}"


def _bottom(place: Path) -> Path | None:
    """Go from a partition or a mapped device down to the disk, as long as there is just one."""
    for _ in range(8):
        if (place / "partition").exists():
            place = place.parent
        try:
            below = sorted((place / "slaves").iterdir())
        except OSError:
            below = []
        if not below:
            return place
        if len(below) > 1:
            return None
        place = below[0].resolve()
    return None


def _described(disk: Path, root: Path) -> Device:
    rotational = _text(disk / "queue" / "rotational")
    sectors = _text(disk / "size")
    transport, link = _way(disk, root)
    return Device(
        disk.name,
        _text(disk / "device" / "model"),
        {"0": False, "1": True}.get(rotational or ""),
        transport,
        link,
        int(sectors) * 512 if sectors and sectors.isdecimal() else None,
    )


def _way(disk: Path, root: Path) -> tuple[str | None, str | None]:
    """Say how a disk is attached, and the name of its link if that is certain."""
    path = str(disk)
    if "/usb" in path:
        speeds = (_text(parent / "speed") for parent in disk.parents)
        return "usb", _USB.get(next((speed for speed in speeds if speed), ""))
    port = re.search(r"/ata(\d+)/", path)
    if port:
        speed = _text(root / "class" / "ata_link" / f"link{port[1]}" / "sata_spd")
        return "sata", _SATA.get(speed or "")
    if "/nvme/" in path or disk.name.startswith("nvme"):
        return "nvme", _pcie(disk)
    if "/virtio" in path:
        return "virtio", None
    if disk.name.startswith("mmcblk"):
        return "mmc", None
    if disk.name.startswith(("loop", "zram", "md", "dm-")):
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
