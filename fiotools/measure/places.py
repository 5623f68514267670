"""The places to measure: folders with a name, and folders that are refused."""

from __future__ import annotations

import os
import re
import shutil
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from fiotools.errors import MeasureError, typed
from fiotools.measure.machine import (
    MEMORY,
    Mount,
    WholeDisk,
    devices_of,
    memory,
    mount_of,
    stays_in_memory,
)

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]{0,39}")
_KERNEL = ("/dev", "/proc", "/sys")
_NOT_STORAGE = {
    *("proc", "sysfs", "devtmpfs", "devpts", "cgroup", "cgroup2", "debugfs", "tracefs", "configfs"),
    *("securityfs", "efivarfs", "pstore", "bpf", "mqueue", "hugetlbfs", "binfmt_misc", "fusectl"),
}

_Path = str | os.PathLike[str]
Given = Mapping[str, _Path] | Iterable[_Path] | _Path


@contextmanager
def refused(where: object, more: str = "") -> Iterator[None]:
    """Raise an error of the system as a MeasureError that says where."""
    try:
        yield
    except MeasureError:
        raise
    except (OSError, RuntimeError, ValueError) as error:  # a loop of links; a zero in a name
        reason = getattr(error, "strerror", None) or error
        raise MeasureError(f"{where}: {reason}{more}") from None


@dataclass(frozen=True)
class Place:
    """A folder to measure."""

    name: str  # its label in the results
    path: Path  # absolute, without symbolic links

    @property
    def mount(self) -> Mount:
        """The mount below it."""
        return mount_of(self.path)

    @property
    def devices(self) -> list[WholeDisk]:
        """The disks below it."""
        return devices_of(self.mount)

    @property
    def is_memory(self) -> bool:
        """Whether files here stay in memory."""
        kind = self.mount.kind
        disks: list[Any] = [asdict(device) for device in self.devices] or [None]
        return all(stays_in_memory({"file_system": kind, "device": disk}) for disk in disks)

    def images(self) -> list[Path]:
        """List the files that are its disks, and the files below those."""
        return [path for device in self.devices for path in device.images()]

    def free(self) -> int:
        """Return the bytes that may be written here, limited by memory or a file below."""
        rooms = [shutil.disk_usage(self.path).free]
        _, available = memory()
        if self.is_memory and available is not None:
            rooms.append(available)
        for image in self.images():
            with suppress(OSError):  # it may not be seen from here
                status = image.stat()
                if status.st_blocks * 512 < status.st_size:  # with holes, it grows
                    rooms.append(shutil.disk_usage(image).free)
        return min(rooms)

    def file_system(self) -> str:
        """Name its file system, to find two places on one (btrfs numbers folders)."""
        return self.mount.device or str(self.path.stat().st_dev)

    def facts(self) -> dict[str, Any]:
        """Return it as plain values."""
        mount, devices = self.mount, self.devices
        usage = shutil.disk_usage(self.path)
        return {
            "name": self.name,
            "path": str(self.path),
            "file_system": mount.kind or None,
            "mount_point": mount.point or None,
            "mount_options": mount.options or None,
            "source": mount.source or None,
            "device": asdict(devices[0]) if len(devices) == 1 else None,
            "devices": [device.name for device in devices],
            "total_bytes": usage.total,
            "free_bytes": usage.free,
        }


def places_of(given: Given) -> list[Place]:
    """Take folders, ``name=folder`` or a mapping of name to folder; refuse others and doubles."""
    if isinstance(given, (str, os.PathLike)):
        given = [given]
    if isinstance(given, Mapping):
        pairs = [(str(name), os.fspath(path)) for name, path in given.items()]
    else:
        pairs = [_split(os.fspath(text)) for text in given]
    if not pairs:
        how = typed("places={'name': 'folder'}", "--dir NAME=FOLDER")
        raise MeasureError(f"no place to measure: name at least one folder, {how}")
    found: list[Place] = []
    for name, text in pairs:
        path = _folder(text)
        place = Place(_name(name or path.name or "root", given=bool(name)), path)
        for other in found:
            # files are named after places, and some file systems take a and A for one
            if other.name.casefold() == place.name.casefold():
                raise MeasureError(
                    f"two places are called {name or place.name!r}: tell them apart with "
                    "NAME=FOLDER"
                )
            if other.path == place.path:
                raise MeasureError(f"{other.name} and {place.name} are one folder, {path}")
        found.append(place)
    return found


def by_file_system(places: Iterable[Place]) -> list[list[Place]]:
    """Group the places that are on one file system."""
    groups: dict[str, list[Place]] = {}
    for place in places:
        groups.setdefault(place.file_system(), []).append(place)
    return list(groups.values())


def _split(text: str) -> tuple[str, str]:
    name, equals, path = text.partition("=")
    # a folder may have a "=" in its name, and a label has no "/"
    if equals and "/" not in name and "\\" not in name and not Path(text).exists():
        return name, path
    return "", text


def _name(text: str, *, given: bool) -> str:
    """Make a label of the last part of a path; a given name must be a label already."""
    name = text if given else re.sub(r"[^A-Za-z0-9.-]+", "-", text).strip("-.")
    if not _NAME.fullmatch(name):
        raise MeasureError(
            f"{text!r} is not a label: use letters, digits, dots and hyphens; write NAME=FOLDER"
        )
    return name


def _folder(text: str) -> Path:
    with refused(repr(text)):
        path = Path(text).expanduser().resolve(strict=True)
        mode = path.stat().st_mode
    said = text if str(path) == text else f"{text} (that is {path})"
    if stat.S_ISBLK(mode) or stat.S_ISCHR(mode):
        raise MeasureError(
            f"{said} is a device: measuring it would destroy what is on it. Give a folder of a "
            "file system on it"
        )
    if not stat.S_ISDIR(mode):
        raise MeasureError(f"{said} is not a folder")
    mount = mount_of(path)
    if mount.kind in _NOT_STORAGE:
        raise MeasureError(f"{said} belongs to the kernel ({mount.kind}), and holds no files")
    for top in _KERNEL:
        # /dev/shm is a memory file system of its own, and a place like any other
        own = mount.kind in MEMORY and mount.point.startswith(f"{top}/")
        if path.is_relative_to(top) and not own:
            raise MeasureError(f"{said} lies in {top}, which is not a place for files")
    return path
