"""The private folder in each place, its test files, and the page cache of a file.

Everything happens in that folder, and it is removed in any case. Its name is in the manifest before
it is made, so the remains of a campaign that was killed can be recognised and removed.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import random
import re
import secrets
import shutil
import stat
import sys
import tarfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from io import BytesIO
from pathlib import Path

from fiotools.errors import MeasureError
from fiotools.measure.places import Place
from fiotools.measure.tools import Watch


def can_drop() -> bool:
    """Whether this system lets a user drop a file from the page cache."""
    return hasattr(os, "posix_fadvise")


def drop(path: Path) -> None:
    """Write a file's data to its device and ask the kernel to forget it; or do nothing."""
    if sys.platform == "win32" or not can_drop():
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)  # what is not yet written is not forgotten
        os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(handle)


def share_pct(path: Path) -> float | None:
    """Say which share of a file lies in memory, in percent; None where the system does not tell.

    Asked of the kernel (mincore), without touching the file.
    """
    if sys.platform != "linux":
        return None
    size = path.stat().st_size
    if not size:
        return None
    try:
        mincore = ctypes.CDLL(None, use_errno=True).mincore
    except (OSError, AttributeError):
        return None
    mincore.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p]
    pages = -(-size // mmap.PAGESIZE)
    answer = ctypes.create_string_buffer(pages)
    with path.open("rb") as file, mmap.mmap(file.fileno(), size, access=mmap.ACCESS_COPY) as mapped:
        start = ctypes.c_char.from_buffer(mapped)
        failed = mincore(ctypes.addressof(start), size, answer)
        del start  # a mapping that is pointed at cannot be closed
    if failed:
        return None
    # only the last bit of each byte means something
    held = len(answer.raw.translate(None, bytes(range(0, 256, 2))))
    return 100 * held / pages


_CHUNK = 4 * 2**20
_FLUSH = 16 * _CHUNK  # a slow disk is asked to keep up, so that no flush takes minutes


def fill(path: Path, size: int, watch: Watch, tick: Callable[[int], object]) -> None:
    """Write a new file of random data, which nothing below can compress or leave out; read it once.

    Where a host or a server has a cache, the first reading fills it and is slower than all others:
    none of the runs is to be that one.
    """
    handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0), 0o600)
    try:
        _write(handle, size, watch, tick)
        os.fsync(handle)
    finally:
        os.close(handle)
    drop(path)
    with path.open("rb", buffering=0) as file:
        while done := len(file.read(_CHUNK)):
            watch.check()
            tick(done)
    drop(path)


def in_memory(size: int, watch: Watch, tick: Callable[[int], object]) -> int | None:
    """Make random data in memory; None where the system has no file without a folder (Linux)."""
    if not hasattr(os, "memfd_create"):
        return None
    handle = os.memfd_create("fiotools-random")
    try:
        _write(handle, size, watch, tick)
    except BaseException:
        os.close(handle)
        raise
    return handle


def _write(handle: int, size: int, watch: Watch, tick: Callable[[int], object]) -> None:
    left = size
    while left:
        watch.check()
        done = os.write(handle, os.urandom(min(left, _CHUNK)))
        left -= done
        tick(done)
        if left // _FLUSH < (left + done) // _FLUSH:
            os.fsync(handle)


def tarball(path: Path, files: int, folders: int, size: int, watch: Watch) -> None:
    """Write a tarball of small files: the same on every machine, sizes as in a source tree.

    Sizes are log-normal, as those of source files are, and their sum is `size`. The data does not
    compress.
    """
    chance = random.Random(20221230)
    names = ["tree"]
    while len(names) < folders:
        parent = names[min(int(chance.expovariate(0.08)), len(names) - 1)]
        names.append(f"{parent}/folder-{len(names):03d}")
    weights = [chance.lognormvariate(0, 1.3) for _ in range(files)]
    total = sum(weights)
    sizes = [int(size * weight / total) for weight in weights]
    sizes[-1] += size - sum(sizes)
    with (
        path.open("xb") as raw,
        tarfile.open(fileobj=raw, mode="w", format=tarfile.USTAR_FORMAT) as tar,
    ):
        for name in names:
            tar.addfile(_entry(name, tarfile.DIRTYPE, 0o755))
        for number, bytes_ in enumerate(sizes):
            watch.check()
            one = _entry(f"{names[number % folders]}/file-{number:04d}.c", tarfile.REGTYPE, 0o644)
            one.size = bytes_
            tar.addfile(one, BytesIO(chance.randbytes(bytes_)))
        tar.close()
        raw.flush()
        os.fsync(raw.fileno())


def _entry(name: str, kind: bytes, mode: int) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.type, entry.mode = kind, mode
    entry.mtime = 1672358400  # one that makes no clock complain
    return entry


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
        drop(path)
        self.drop_below()
        return path

    def drop_below(self) -> None:
        """Drop the file that is the disk of the place, if it is one."""
        for image in self.place.images():
            with suppress(OSError):  # who may not is told so before
                drop(image)

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
