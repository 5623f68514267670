"""The private folder in each place, its test files, and the page cache of a file.

Everything happens in that folder, and it is removed in any case. Its name is in the manifest before
it is made, so the remains of a campaign that was killed can be recognised and removed.
"""

from __future__ import annotations

import ctypes
import errno
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
from io import BytesIO
from pathlib import Path

from fiotools.errors import MeasureError
from fiotools.measure.places import Place, refused

Tick = Callable[[int], object]  # is told of bytes that are done, and raises if it is time to stop


def can_drop() -> bool:
    """Whether a user can drop a file from the page cache of this system."""
    return hasattr(os, "posix_fadvise")


def drop(path: Path) -> None:
    """Flush a file and ask the kernel to drop it from the page cache; or do nothing."""
    if sys.platform == "win32" or not can_drop():
        return
    with path.open("rb") as file:
        os.fsync(file.fileno())  # dirty pages are not dropped
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def share_pct(path: Path) -> float | None:
    """Return the share of a file in memory, in percent; None if the system does not tell.

    The kernel tells (mincore), without touching the file.
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


_REFUSALS = {errno.EINVAL, errno.EOPNOTSUPP, errno.ENOTSUP, errno.ENOSYS}


def refuses_direct(folder: Path) -> bool:
    """Write one block with direct I/O, in a file that is removed again."""
    if not hasattr(os, "O_DIRECT"):
        return False
    file = folder / "direct.tmp"
    try:
        handle = os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_DIRECT, 0o600)
        # memory of a mapping is aligned for direct I/O
        with open(handle, "wb", buffering=0) as raw, mmap.mmap(-1, mmap.PAGESIZE) as block:
            raw.write(block)
    except OSError as error:
        if error.errno not in _REFUSALS:
            raise  # no room, or a lost place
        return True
    finally:
        file.unlink(missing_ok=True)  # some file systems make the file before they refuse
    return False


_CHUNK = 4 * 2**20
_FLUSH = 16 * _CHUNK  # so that no flush of a slow disk takes minutes


def fill(path: Path, size: int, tick: Tick) -> None:
    """Write a new file of random data, which no storage can compress or leave out; read it once.

    The first reading fills the cache of a host or a server and is slower than all others, so none
    of the runs should be that one.
    """
    with path.open("xb", buffering=0) as file:
        _write(file.fileno(), size, tick)
        os.fsync(file.fileno())
    drop(path)
    with path.open("rb", buffering=0) as file:
        while done := len(file.read(_CHUNK)):
            tick(done)
    drop(path)


def in_memory(size: int, tick: Tick) -> int | None:
    """Make random data in memory; None if the system has no such files (Linux has)."""
    if not hasattr(os, "memfd_create"):
        return None
    handle = os.memfd_create("fiotools-random")
    try:
        _write(handle, size, tick)
    except BaseException:
        os.close(handle)
        raise
    return handle


def _write(handle: int, size: int, tick: Tick) -> None:
    left = size
    while left:
        done = os.write(handle, os.urandom(min(left, _CHUNK)))
        left -= done
        tick(done)
        if left // _FLUSH < (left + done) // _FLUSH:
            os.fsync(handle)


def tarball(path: Path, files: int, folders: int, size: int, tick: Tick) -> None:
    """Write a tarball of small files: the same on every machine, sizes as in a source tree.

    Sizes are log-normal, as in a source tree, and their sum is `size`. The data does not compress.
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
            one = _entry(f"{names[number % folders]}/file-{number:04d}.c", tarfile.REGTYPE, 0o644)
            one.size = bytes_
            tar.addfile(one, BytesIO(chance.randbytes(bytes_)))
            tick(bytes_)
        tar.close()
        raw.flush()
        os.fsync(raw.fileno())


def _entry(name: str, kind: bytes, mode: int) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.type, entry.mode = kind, mode
    entry.mtime = 1672358400  # in the past, for every clock
    return entry


PREFIX = ".fiotools-"
_AT_ONCE = 8
_NAME = re.compile(re.escape(PREFIX) + r"[0-9a-f]{16}")


class Scratch:
    """A folder that nobody else may enter; ``record`` gets place and path before it is made."""

    def __init__(self, place: Place, record: Callable[[dict[str, str]], object]) -> None:
        self.place = place
        self.path = place.path / f"{PREFIX}{secrets.token_hex(8)}"
        record({"place": place.name, "path": str(self.path)})
        with refused(f"{place.name} ({place.path})"):
            self.path.mkdir(mode=0o700)
            try:
                self._identity = _identity(self.path)
            except OSError:
                self.path.rmdir()
                raise

    def check(self) -> None:
        """Refuse to continue if the folder was replaced."""
        with suppress(OSError):
            if _identity(self.path) == self._identity:
                return
        raise MeasureError(f"{self.path} was removed or replaced while {self.place.name} ran")

    def drop(self, name: str) -> Path:
        """Drop a file in it, and the file below it, from the page cache."""
        path = self.path / name
        drop(path)
        self.drop_below()
        return path

    def drop_below(self) -> None:
        """Drop the file that is the disk of the place, if there is one."""
        for image in self.place.images():
            with suppress(OSError):  # a message before told those who may not
                drop(image)

    def remove(self) -> str | None:
        """Remove the folder and its content; return the problem if that fails."""
        with suppress(OSError):
            if self.place.path.stat().st_dev != self._identity[0]:
                return (
                    f"{self.path} is in a file system that is no longer mounted at "
                    f"{self.place.path}: mount it again, and resume the campaign or delete that "
                    "folder"
                )
        return _remove(self.path)


def empty(folder: Path) -> None:
    """Remove the content of a folder, several files at once: a disk may be told of each file.

    Links are not followed, not even one that replaces the folder meanwhile.
    """
    if not hasattr(os, "O_DIRECTORY"):  # Windows: removed with the folder
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        with os.scandir(handle) as scanned:
            entries = list(scanned)

        def remove(entry: os.DirEntry[str]) -> None:
            is_folder = entry.is_dir(follow_symlinks=False)
            (shutil.rmtree if is_folder else os.unlink)(entry.name, dir_fd=handle)

        with ThreadPoolExecutor(_AT_ONCE) as pool:
            list(pool.map(remove, entries))  # raises their errors
    finally:
        os.close(handle)


def left_over(place: Place) -> list[Path]:
    """List the folders that killed campaigns left in a place."""
    with suppress(OSError):
        return sorted(path for path in place.path.iterdir() if _NAME.fullmatch(path.name))
    return []


def remove_left_over(text: str, place: Place) -> str | None:
    """Remove a folder that a manifest names if it is one of ours; return the problem if not."""
    path = Path(text)
    if path.parent != place.path or not _NAME.fullmatch(path.name):
        return f"{path} is named in the manifest, but is not a folder of a campaign in {place.path}"
    return _remove(path)


def _remove(path: Path) -> str | None:
    try:
        status = path.lstat()
    except FileNotFoundError:
        return None
    except OSError as error:
        return f"{path}: {error.strerror}"
    if not stat.S_ISDIR(status.st_mode):
        return f"{path} is not a folder any more: it was not touched"
    if hasattr(os, "geteuid") and status.st_uid != os.geteuid():
        return f"{path} belongs to somebody else: it was not touched"
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
