"""The table of ``lsblk``: a session's block devices, and where they are mounted.

Any value in the table may be missing, so columns are told apart by position: some are right-aligned
and may begin left of their heading; all others begin below it. A device with several mount points
has a line for each. Nothing is read if a line does not fit its heading (copied from a page, passed
through ``column``, ``lsblk -r``), nor from pairs (``-P``) and JSON. Specified by util-linux,
misc-utils/lsblk.c (2.38).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

_TREE = str.maketrans(dict.fromkeys("│├└─", " "))
_BRANCHES = " |`-"
_HEADING = re.compile(r"[A-Z][A-Z:%-]*")
_WIDEST = 1000
# right-aligned columns
_RIGHT = {
    *("ROTA", "SIZE", "RM", "RO", "HOTPLUG", "RA", "RAND", "START", "REV", "ALIGNMENT", "RQ-SIZE"),
    *("MIN-IO", "OPT-IO", "PHY-SEC", "LOG-SEC", "DISC-ALN", "DISC-GRAN", "DISC-MAX", "DISC-ZERO"),
    *("WSAME", "FSAVAIL", "FSSIZE", "FSUSED", "FSUSE%", "DAX", "MQ", "PARTN", "DISK-SEQ"),
}
_MOUNTS = ("MOUNTPOINT", "MOUNTPOINTS")
_LEGAL = {
    "NAME": re.compile(r"\S*"),
    "TYPE": re.compile(r"[a-z][a-z\d_+-]*|"),
    "TRAN": re.compile(r"ata|fc|fcoe|iscsi|mmc|nvme|sas|sata|sbp|spi|usb|virtio|"),
    "ROTA": re.compile(r"[01]?"),
    "SIZE": re.compile(r"(?:\d+(?:[.,]\d+)?[BKMGTPE]?)?"),
    **dict.fromkeys(_MOUNTS, re.compile(r"/.*|\[SWAP\]|")),
}
FACTS = ("type", "tran", "rota", "size", "model")
_SEVERAL = {*_MOUNTS, "FSROOTS"}  # columns with a line for each value
# names that the kernel gives: a partition is called after its disk
_DISK = re.compile(r"(?:[shv]|xv)d[a-z]+|nvme\d+n\d+|mmcblk\d+")
_ODD = re.compile(r"\.\.|[$`*?:]")  # a path that is another, or several
_PART = re.compile(r"(?P<numbered>.*\d)p\d+|(?P<lettered>.*\D)\d+")


@dataclass(frozen=True, slots=True)
class BlockDevice:
    """A block device; None for a missing column or value."""

    name: str  # without ``/dev/``
    # as printed
    type: str | None = None
    tran: str | None = None
    rota: str | None = None
    size: str | None = None
    model: str | None = None
    mounts: tuple[str, ...] | None = None  # where it is mounted; None without a column for that

    @property
    def is_disk(self) -> bool:
        """Whether it is a whole disk, and no layer over others; by its name without a type."""
        return self.type == "disk" if self.type else _DISK.fullmatch(self.name) is not None


def parent(name: str) -> str | None:
    """Name the disk that a partition is called after; it need not exist."""
    part = _PART.fullmatch(name) if len(name) <= _WIDEST else None
    return part and (part["numbered"] or part["lettered"])


def devices(text: str) -> list[BlockDevice]:
    """List the devices of a table; none if it is uncertain which value belongs to which."""
    lines = text.translate(_TREE).split("\n")
    words = [line.split() if len(line) <= _WIDEST else [] for line in lines]
    heads = [
        at
        for at, names in enumerate(words)
        if "NAME" in names
        and len(names) == len({*names}) > 1
        and all(_HEADING.fullmatch(name) for name in names)
    ]
    if len(heads) != 1:
        return []
    columns = list(re.finditer(r"\S+", lines[heads[0]]))
    found: list[BlockDevice] = []
    for line in lines[heads[0] + 1 :]:
        if not line.strip():
            break
        cells = _cells(line, columns)
        if cells is None:
            return []
        mounts = [cells[name] for name in _MOUNTS if name in cells]
        paths = tuple(path for path in mounts if path.startswith("/")) if mounts else None
        if cells["NAME"]:
            told = {key: cells.get(key.upper()) or None for key in FACTS}
            found.append(BlockDevice(cells["NAME"], **told, mounts=paths))
        elif found and not any(cell for name, cell in cells.items() if name not in _SEVERAL):
            found[-1] = replace(found[-1], mounts=(*(found[-1].mounts or ()), *(paths or ())))
        else:
            return []
    return found


def _cells(line: str, columns: list[re.Match[str]]) -> dict[str, str] | None:
    """Cut a line into its cells, from the right to the left."""
    if len(line) > _WIDEST or not line.isascii():  # wide letters move what follows
        return None
    cells = {}
    end = len(line)
    for column in reversed(columns):
        name, start, stop = column[0], column.start(), end
        if name in _RIGHT:
            stop = column.end()
            if line[stop - 1 : stop].strip():
                start = line.rfind(" ", 0, stop) + 1
        cell = line[start:stop].strip()
        if line[stop:end].strip() or line[max(start - 1, 0) : start].strip():
            return None
        if name == "NAME":
            cell = cell.lstrip(_BRANCHES).removeprefix("/dev/")
        if name in _LEGAL and not _LEGAL[name].fullmatch(cell):
            return None
        cells[name], end = cell, min(start, len(line))
    return None if line[:end].strip() else cells


@dataclass
class Disks:
    """The devices and mount points of a machine; None for a fact with two values."""

    devices: dict[str, BlockDevice | None] = field(default_factory=dict)  # by name
    # between one ``mount`` or ``umount`` and the next: for each path the name of the device
    mounts: dict[int, dict[str, str | None] | None] = field(default_factory=dict)

    def add(self, told: list[BlockDevice], stage: int) -> None:
        """Put a list beside the others."""
        paths: dict[str, str | None] = {}
        for device in told:
            before = self.devices.get(device.name, device)
            self.devices[device.name] = before and _merged(before, device)
            for path in device.mounts or ():
                same = paths.get(path, device.name) == device.name
                paths[path] = device.name if same else None
        if any(device.mounts is not None for device in told):
            is_same = self.mounts.get(stage, paths) == paths
            self.mounts[stage] = paths if is_same else None

    def below(self, target: str, stage: int) -> BlockDevice | None:
        """Find the disk below a target's path, where it is certain."""
        if target.startswith("/dev/"):
            return self._disk(target.removeprefix("/dev/"))
        if not target.startswith("/") or len(target) > _WIDEST or _ODD.search(target):
            return None
        mounts, path = self.mounts.get(stage) or {}, target
        while path := path.rpartition("/")[0]:
            if path in mounts:
                return self._disk(mounts[path] or "")
        return None

    def _disk(self, name: str) -> BlockDevice | None:
        """Return a disk by its own name, or by that of a partition."""
        device = self.devices.get(name)
        if device is not None and device.is_disk:
            return device
        if name in self.devices and (device is None or device.type not in ("part", None)):
            return None
        disk = self.devices.get(parent(name) or "")
        return disk if disk is not None and disk.is_disk else None


def _merged(one: BlockDevice, other: BlockDevice) -> BlockDevice | None:
    """Merge two descriptions of a device; None if they contradict each other."""
    pairs = {name: (getattr(one, name), getattr(other, name)) for name in FACTS}
    if any(None not in pair and pair[0] != pair[1] for pair in pairs.values()):
        return None
    return replace(one, **{name: ours or theirs for name, (ours, theirs) in pairs.items()})
