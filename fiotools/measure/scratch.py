"""The private folder in each place, in which everything happens and which goes in any case.

Its name is written into the manifest before it is made, so that whatever kills the campaign, what
it left can be recognised and removed.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import stat
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path

from fiotools.errors import MeasureError
from fiotools.measure import page_cache
from fiotools.measure.places import Place

PREFIX = ".fiotools-"
_AT_ONCE = 8
_NAME = re.compile(re.escape(PREFIX) + r"[0-9a-f]{16}")


class Scratch:
    """A folder that nobody else may enter.

    Parameters
    ----------
    place : Place
    record : callable
        Called with the path before the folder is made.

    Raises
    ------
    MeasureError
        If the place cannot be written to.
    """

    def __init__(self, place: Place, record: Callable[[Path], object]) -> None:
        self.place = place
        self.path = place.path / f"{PREFIX}{secrets.token_hex(8)}"
        record(self.path)
        try:
            self.path.mkdir(mode=0o700)
            try:
                self._identity = _identity(self.path)
            except OSError:
                self.path.rmdir()
                raise
        except OSError as error:
            raise MeasureError(f"{place.name} ({place.path}): {error.strerror}") from None

    def check(self) -> None:
        """Refuse to go on if the folder is not the one that was made."""
        try:
            same = _identity(self.path) == self._identity
        except OSError:
            same = False
        if not same:
            raise MeasureError(f"{self.path} was removed or replaced while {self.place.name} ran")

    def drop(self, name: str) -> Path:
        """Drop a file in it from the page cache, and what lies below it."""
        path = self.path / name
        page_cache.drop(path)
        self.drop_below()
        return path

    def drop_below(self) -> None:
        """Drop the file that is the disk of the place, if it is one."""
        for image in self.place.images():
            with suppress(OSError):  # who may not is told so before
                page_cache.drop(image)

    def remove(self) -> str | None:
        """Remove the folder and all in it; say what is wrong if that fails."""
        if self._is_gone():
            return (
                f"{self.path} is in a file system that is no longer mounted at {self.place.path}: "
                "mount it again, and resume the campaign or delete that folder"
            )
        return _remove(self.path)

    def _is_gone(self) -> bool:
        """Whether another file system is where the place was, and the folder out of reach."""
        try:
            return self.place.path.stat().st_dev != self._identity[0]
        except OSError:
            return False


def empty(folder: Path) -> None:
    """Remove what is in a folder, several at once: a disk may have to be told of each file.

    Links are not followed, not even one that takes the folder's place meanwhile.
    """
    if not hasattr(os, "O_DIRECTORY"):  # Windows; there it goes with the folder
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        with os.scandir(handle) as scanned:
            entries = list(scanned)
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            for _ in pool.map(partial(_remove_one, handle), entries):
                pass  # asked for, so that errors are raised
    finally:
        os.close(handle)


def _remove_one(folder: int, entry: os.DirEntry[str]) -> None:
    if entry.is_dir(follow_symlinks=False):
        shutil.rmtree(entry.name, dir_fd=folder)
    else:
        os.unlink(entry.name, dir_fd=folder)


def left_over(place: Place) -> list[Path]:
    """List what killed campaigns left in a place."""
    try:
        inside = list(place.path.iterdir())
    except OSError:
        return []
    return sorted(path for path in inside if _NAME.fullmatch(path.name))


def remove_left_over(text: str, place: Place) -> str | None:
    """Remove a folder that a manifest names, if it is one of ours; say what is wrong if not."""
    path = Path(text)
    if path.parent != place.path or not _NAME.fullmatch(path.name):
        return f"{path} is named in the manifest, but is no folder of a campaign in {place.path}"
    return _remove(path)


def _remove(path: Path) -> str | None:
    try:
        status = path.lstat()
    except FileNotFoundError:
        return None
    except OSError as error:
        return f"{path}: {error.strerror}"
    if not stat.S_ISDIR(status.st_mode):
        return f"{path} is no folder any more: it was not touched"
    if hasattr(os, "geteuid") and status.st_uid != os.geteuid():
        return f"{path} is somebody else's: it was not touched"
    try:
        empty(path)
        shutil.rmtree(path)  # does not follow links either
    except OSError as error:
        return f"{path} could not be removed ({error.strerror}): remove it yourself"
    return None


def _identity(path: Path) -> tuple[int, int]:
    status = path.lstat()
    if not stat.S_ISDIR(status.st_mode):
        raise NotADirectoryError(path)
    return status.st_dev, status.st_ino
