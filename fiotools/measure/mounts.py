"""Which file system a folder is on, as /proc/self/mountinfo tells (Linux)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

_TABLE = Path("/proc/self/mountinfo")
MEMORY = ("tmpfs", "ramfs")  # file systems that are nothing but memory
_ESCAPED = re.compile(r"\\([0-7]{3})")
# values that name folders, addresses or people
_PRIVATE = re.compile(r"(\b(?:\w*addr|username|domain)=)[^,]*|=[^,]*[/:@][^,]*")


@dataclass(frozen=True)
class Mount:
    """One line of the table.

    Attributes
    ----------
    point : str
        Where it is mounted.
    kind : str
        The file system.
    source : str
        The device, the server, or just a word.
    options : str
        Of the mount and of the file system; values that name folders, addresses or people are cut.
    device : str
        Major and minor number.
    upper : str or None
        Where an overlay keeps what is written.
    """

    point: str
    kind: str
    source: str
    options: str
    device: str
    upper: str | None = None


def mount_of(folder: Path, table: str | None = None) -> Mount | None:
    """Find the mount that a resolved folder lies on; None where the system does not tell.

    Examples
    --------
    >>> table = "30 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw,errors=remount-ro"
    >>> mount_of(Path("/srv"), table)
    Mount(point='/', kind='ext4', source='/dev/sda1', options='rw,relatime,errors=remount-ro',
          device='8:1', upper=None)
    """
    if table is None:
        try:
            table = _TABLE.read_text(encoding="utf-8", errors="surrogateescape")
        except OSError:
            return None
    found = None
    for line in table.splitlines():
        before, _, after = line.partition(" - ")
        fields, rest = before.split(), after.split()
        if len(fields) < 6 or len(rest) < 3:
            continue
        point = _plain(fields[4])
        # of several on one point, the last hides the others
        if _within(str(folder), point) and (found is None or len(point) >= len(found.point)):
            options = dict.fromkeys([*fields[5].split(","), *rest[2].split(",")])
            told = _PRIVATE.sub(lambda cut: f"{cut[1] or '='}...", ",".join(options))
            upper = re.search(r"(?:^|,)upperdir=([^,]+)", rest[2]) if rest[0] == "overlay" else None
            kept = None if upper is None else _plain(upper[1])
            found = Mount(point, rest[0], _plain(rest[1]), told, fields[2], kept)
    return found


def _plain(text: str) -> str:
    return _ESCAPED.sub(lambda match: chr(int(match[1], 8)), text)


def _within(path: str, point: str) -> bool:
    return point == "/" or path == point or path.startswith(f"{point}/")
