"""The table that ``lsblk`` prints: the block devices of a machine, what each hangs on and holds.

Any value may be missing, so that the columns are told apart by where they stand: some are flush
right, and may reach to the left of their heading; all others begin below it. A device with several
mount points has a line for each. Where a line does not fit its heading (copied from a page, passed
through ``column``, ``lsblk -r``) nothing is read, nor are pairs (``-P``) and JSON.

Specified by util-linux, misc-utils/lsblk.c (2.38).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

_TREE = str.maketrans(dict.fromkeys("│├└─", " "))
_BRANCHES = " |`-"
_HEADING = re.compile(r"[A-Z][A-Z:%-]*")
_WIDEST = 1000
# flush right; of others it would be seen that their values reach over the heading
_RIGHT = {
    *("ROTA", "SIZE", "RM", "RO", "HOTPLUG", "RA", "RAND", "START", "REV", "ALIGNMENT", "RQ-SIZE"),
    *("MIN-IO", "OPT-IO", "PHY-SEC", "LOG-SEC", "DISC-ALN", "DISC-GRAN", "DISC-MAX", "DISC-ZERO"),
    *("WSAME", "FSAVAIL", "FSSIZE", "FSUSED", "FSUSE%", "DAX", "MQ", "PARTN", "DISK-SEQ"),
}
_LEGAL = {
    "NAME": re.compile(r"\S*"),
    "TYPE": re.compile(r"[a-z][a-z\d_+-]*|"),
    "TRAN": re.compile(r"ata|fc|fcoe|iscsi|mmc|nvme|sas|sata|sbp|spi|usb|virtio|"),
    "ROTA": re.compile(r"[01]?"),
    "SIZE": re.compile(r"(?:\d+(?:[.,]\d+)?[BKMGTPE]?)?"),
    "MOUNTPOINT": re.compile(r"/.*|\[SWAP\]|"),
    "MOUNTPOINTS": re.compile(r"/.*|\[SWAP\]|"),
}
_MOUNTS = ("MOUNTPOINT", "MOUNTPOINTS")
_PLAIN = ("type", "tran", "rota", "size", "model")
_SEVERAL = {*_MOUNTS, "FSROOTS"}  # what has a line for each
# names that the kernel gives: a partition is called after its disk
_DISK = re.compile(r"(?:[shv]|xv)d[a-z]+|nvme\d+n\d+|mmcblk\d+")
_PART = re.compile(r"(?P<numbered>.*\d)p\d+|(?P<lettered>.*\D)\d+")


@dataclass(frozen=True, slots=True)
class Device:
    """A block device; None for what has no column or no value.

    Attributes
    ----------
    name : str
        Without ``/dev/``.
    type, tran, rota, size, model : str or None
        As printed.
    mounts : tuple of str or None
        Where it is mounted; None without a column for that.
    """

    name: str
    type: str | None = None
    tran: str | None = None
    rota: str | None = None
    size: str | None = None
    model: str | None = None
    mounts: tuple[str, ...] | None = None

    @property
    def is_disk(self) -> bool:
        """Whether it is a whole disk, and no layer over others."""
        return self.type == "disk" or (self.type is None and is_disk(self.name))


def is_disk(name: str) -> bool:
    """Say whether the kernel calls a disk so.

    Examples
    --------
    >>> [is_disk(name) for name in ("sda", "nvme0n1", "sda1", "dm-0", "zram0")]
    [True, True, False, False, False]
    """
    return _DISK.fullmatch(name) is not None


def parent(name: str) -> str | None:
    """Name the disk that a partition is called after; it need not exist.

    Examples
    --------
    >>> [parent(name) for name in ("sda1", "nvme0n1p2", "sda")]
    ['sda', 'nvme0n1', None]
    """
    part = _PART.fullmatch(name) if len(name) <= _WIDEST else None
    return part and (part["numbered"] or part["lettered"])


def devices(text: str) -> list[Device]:
    r"""List what a table says; nothing where it is not certain which value is whose.

    Examples
    --------
    >>> sda = "sda    disk    1\n`-sda1 part    1 /mnt/a\n                   /mnt/b\n"
    >>> told = devices("NAME   TYPE ROTA MOUNTPOINTS\n" + sda)
    >>> [(one.name, one.type, one.rota, one.mounts) for one in told]
    [('sda', 'disk', '1', ()), ('sda1', 'part', '1', ('/mnt/a', '/mnt/b'))]
    """
    lines = text.translate(_TREE).split("\n")
    heads = [at for at, line in enumerate(lines) if _is_heading(line)]
    if len(heads) != 1:
        return []
    columns = list(re.finditer(r"\S+", lines[heads[0]]))
    found: list[Device] = []
    for line in lines[heads[0] + 1 :]:
        if not line.strip():
            break
        cells = _cells(line, columns)
        if cells is None:
            return []
        mounts = [cells[name] for name in _MOUNTS if name in cells]
        paths = tuple(path for path in mounts if path.startswith("/")) if mounts else None
        if cells["NAME"]:
            told = {key: cells.get(key.upper()) or None for key in _PLAIN}
            found.append(Device(cells["NAME"], **told, mounts=paths))
        elif found and not any(cell for name, cell in cells.items() if name not in _SEVERAL):
            found[-1] = replace(found[-1], mounts=(*(found[-1].mounts or ()), *(paths or ())))
        else:
            return []
    return found


def _is_heading(line: str) -> bool:
    words = line.split() if len(line) <= _WIDEST else []
    is_whole = len(words) == len({*words}) > 1 and "NAME" in words
    return is_whole and all(_HEADING.fullmatch(word) for word in words)


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
