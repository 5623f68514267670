"""The places to measure: folders with a name, and what must not be one."""

from __future__ import annotations

import os
import re
import shutil
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fiotools.errors import MeasureError
from fiotools.measure.device import device_of
from fiotools.measure.facts import memory
from fiotools.measure.mounts import Mount, mount_of

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]{0,39}")
_KERNEL = ("/dev", "/proc", "/sys")
_NOT_STORAGE = {
    *("proc", "sysfs", "devtmpfs", "devpts", "cgroup", "cgroup2", "debugfs", "tracefs", "configfs"),
    *("securityfs", "efivarfs", "pstore", "bpf", "mqueue", "hugetlbfs", "binfmt_misc", "fusectl"),
}
_MEMORY = ("tmpfs", "ramfs")

_Path = str | os.PathLike[str]
Given = Mapping[str, _Path] | Iterable[_Path] | _Path


@dataclass(frozen=True)
class Place:
    """A folder to measure.

    Attributes
    ----------
    name : str
        Its label in the results.
    path : Path
        Absolute, without symbolic links.
    """

    name: str
    path: Path

    @property
    def mount(self) -> Mount | None:
        """The mount that it lies on."""
        return mount_of(self.path)

    @property
    def is_memory(self) -> bool:
        """Whether what is written here stays in memory."""
        mount = self.mount
        return mount is not None and mount.kind in _MEMORY

    def free(self) -> int:
        """Give the bytes that may be written here; in memory, no more than memory has."""
        room = shutil.disk_usage(self.path).free
        _, available = memory()
        return min(room, available) if self.is_memory and available is not None else room

    def file_system(self) -> int:
        """Give the number of its file system."""
        return self.path.stat().st_dev

    def facts(self) -> dict[str, Any]:
        """Describe it in plain values."""
        mount = self.mount
        device = None if mount is None else device_of(mount)
        usage = shutil.disk_usage(self.path)
        return {
            "name": self.name,
            "path": str(self.path),
            "file_system": None if mount is None else mount.kind,
            "mount_point": None if mount is None else mount.point,
            "mount_options": None if mount is None else mount.options,
            "source": None if mount is None else mount.source,
            "device": None if device is None else device.facts(),
            "total_bytes": usage.total,
            "free_bytes": usage.free,
        }


def places_of(given: Given) -> list[Place]:
    """Take folders, ``name=folder`` or a mapping of name to folder, and refuse what is no place.

    Raises
    ------
    MeasureError
        If something is no folder, a device, or the kernel's; if two have one name or are one.
    """
    if isinstance(given, (str, os.PathLike)):
        given = [given]
    if isinstance(given, Mapping):
        pairs = [(str(name), os.fspath(path)) for name, path in given.items()]
    else:
        pairs = [_split(os.fspath(text)) for text in given]
    if not pairs:
        raise MeasureError("no place to measure: name at least one folder with --dir NAME=FOLDER")
    found: list[Place] = []
    for name, text in pairs:
        path = _folder(text)
        place = Place(_name(name or path.name or "root", given=bool(name)), path)
        for other in found:
            if other.name == place.name:
                raise MeasureError(
                    f"two places are called {name or place.name!r}: tell them apart with "
                    "NAME=FOLDER"
                )
            if other.path == place.path:
                raise MeasureError(f"{other.name} and {place.name} are one folder, {path}")
        found.append(place)
    return found


def shared(places: Iterable[Place]) -> list[list[str]]:
    """Give the names of places that are on one file system, group by group."""
    groups: dict[int, list[str]] = {}
    for place in places:
        groups.setdefault(place.file_system(), []).append(place.name)
    return [names for names in groups.values() if len(names) > 1]


def _split(text: str) -> tuple[str, str]:
    name, equals, path = text.partition("=")
    # a folder may have a "=" in its name, and a label has no "/"
    if equals and "/" not in name and "\\" not in name and not Path(text).exists():
        return name, path
    return "", text


def _name(text: str, *, given: bool) -> str:
    """Make a label of the last part of a path; one that was given must be one."""
    name = text if given else re.sub(r"[^A-Za-z0-9.-]+", "-", text).strip("-.")
    if not _NAME.fullmatch(name):
        raise MeasureError(
            f"{text!r} is no label: a name has letters, digits, dots and hyphens; write NAME=FOLDER"
        )
    return name


def _folder(text: str) -> Path:
    try:
        path = Path(text).expanduser().resolve(strict=True)
        mode = path.stat().st_mode
    except (OSError, RuntimeError, ValueError) as error:  # a loop of links; a zero in a name
        raise MeasureError(f"{text!r}: {getattr(error, 'strerror', None) or error}") from None
    said = text if str(path) == text else f"{text} (that is {path})"
    if stat.S_ISBLK(mode) or stat.S_ISCHR(mode):
        raise MeasureError(
            f"{said} is a device: measuring it would destroy what is on it. Give a folder of a "
            "file system on it"
        )
    if not stat.S_ISDIR(mode):
        raise MeasureError(f"{said} is no folder")
    _refuse_kernel(path, said)
    return path


def _refuse_kernel(path: Path, said: str) -> None:
    mount = mount_of(path)
    if mount is not None and mount.kind in _NOT_STORAGE:
        raise MeasureError(f"{said} is the kernel's own ({mount.kind}), and holds no files")
    for top in _KERNEL:
        if str(path) != top and not str(path).startswith(top + "/"):
            continue
        # /dev/shm is a memory file system of its own, and a place like any other
        if mount is not None and mount.kind in _MEMORY and mount.point.startswith(top + "/"):
            continue
        raise MeasureError(f"{said} lies in {top}, which is no place for files")
