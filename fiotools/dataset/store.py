"""Where a dataset lies (a folder, or any place that fsspec knows), its file names, and its lock.

No kind leaves a file half written: a folder writes beside the place and moves, an object
store needs one request.

A part is a number, and each rewrite of it a generation: ``part-000007-002.parquet``. Its record,
the file of that name in ``_manifest``, is written last. So a list of names tells everything: in
each table, the newest file of a part counts that is not newer than the part's newest record. A file
without a record was never committed. A table keeps its old file if a new generation does not change
it.

One conversion runs at a time. In a folder the system locks a file while the process lives, so a
kill leaves nothing behind. An object store has no locks: a file says who is at work. After a kill
somebody has to remove it, unless the process ran on this machine and is gone.
"""

from __future__ import annotations

import errno
import json
import os
import re
import socket
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fiotools.errors import DatasetError
from fiotools.files import DATASET, atomic_write, lock
from fiotools.files.remote import as_os_errors, file_system
from fiotools.input.sources import as_text, is_url, local

ABOUT = DATASET
LOCK, CLAIM = "_lock", "_lock-claim"
RECORDS = "_manifest"
UNFINISHED = "_unfinished.json"

_PART = re.compile(r"part-(\d{6,})-(\d{3,})\.parquet")
# the rest of a file that was being written during a kill
_UNFINISHED = re.compile(
    rf"\.(?:{_PART.pattern}|{re.escape(ABOUT)}|{re.escape(UNFINISHED)})\.\w+\.part"
)
_held: set[str] = set()  # by this process, to which the system would give its own lock again
_guard = threading.Lock()


def part_name(number: int, generation: int) -> str:
    """Name the file of a part: ``part-000007-002.parquet``."""
    return f"part-{number:06d}-{generation:03d}.parquet"


def newest(records: Iterable[str]) -> dict[int, int]:
    """Return the newest generation of each part, by number."""
    return dict(sorted(_parsed(records)))


def current(names: Iterable[str], committed: Mapping[int, int]) -> dict[int, str]:
    """Return the file of each part that counts in a table; ``committed`` as `newest` returns it."""
    return {n: part_name(n, g) for n, g in sorted(_parsed(names)) if g <= committed.get(n, 0)}


def leftover(names: Iterable[str], committed: Mapping[int, int]) -> list[str]:
    """Name the files of a table that do not count: older and uncommitted ones."""
    names = list(names)
    counting = set(current(names, committed).values())
    return [
        name
        for name in names
        if (_PART.fullmatch(name) and name not in counting) or is_unfinished(name)
    ]


def uncommitted(names: Iterable[str], committed: Mapping[int, int]) -> list[str]:
    """Name the files of parts, or of generations of them, that have no record."""
    return [part_name(n, g) for n, g in _parsed(names) if g > committed.get(n, 0)]


def is_unfinished(name: str) -> bool:
    """Return whether a file is the rest of one that was being written during a kill."""
    return _UNFINISHED.fullmatch(name) is not None


def _parsed(names: Iterable[str]) -> Iterable[tuple[int, int]]:
    return ((int(match[1]), int(match[2])) for match in map(_PART.fullmatch, names) if match)


@dataclass(frozen=True)
class Folder:
    """A folder of this machine."""

    url: str  # the folder, as messages name it

    def place(self, name: str) -> str:
        """Return what other programs open."""
        return (Path(self.url) / name).as_posix()

    def own(self, name: str) -> Path:
        """Return the path of a file or folder of the dataset; refuse a link, which leads out."""
        path = Path(self.url) / name
        real = Path(os.path.realpath(path))
        if real != Path(os.path.realpath(self.url)) / name:
            raise DatasetError(
                f"{path.as_posix()}: leads out of the dataset (to {real.as_posix()}); remove the"
                " link, or convert into another folder"
            )
        return path

    def names(self, folder: str = "") -> list[str]:
        """List the files of a folder, sorted; none if it is not there."""
        try:
            with os.scandir(self.own(folder)) as entries:
                return sorted(entry.name for entry in entries)
        except FileNotFoundError:
            return []

    def read(self, name: str) -> bytes:
        """Read one file."""
        return self._at(name).read_bytes()

    def _at(self, name: str) -> Path:
        """Return the place of a file, which may be a link, in a folder that may not."""
        folder, _, file = name.rpartition("/")
        return self.own(folder) / file

    def write(self, name: str, content: bytes) -> None:
        """Write one file, which has its name only when it is whole."""
        path = self.own(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        atomic_write.write_bytes(path, content)

    def settle(self, folders: Iterable[str]) -> None:
        """Wait until the names in some folders are on the disk, before something counts on them."""
        for folder in folders:
            atomic_write.sync_folder(Path(self.url) / folder)

    def remove(self, names: Iterable[str]) -> None:
        """Remove files, those that are gone already too."""
        for name in names:
            self._at(name).unlink(missing_ok=True)


@dataclass(frozen=True)
class Bucket:
    """A place that fsspec knows: ``s3://bucket/runs``, ``memory://runs``."""

    url: str

    @property
    def at(self) -> tuple[Any, str]:
        """The file system, which fsspec keeps open, and the place as it calls it."""
        system, root = file_system(self.url)
        return system, root.rstrip("/")

    def place(self, name: str) -> str:
        """Return what other programs open."""
        return f"{self.url.rstrip('/')}/{name}"

    def names(self, folder: str = "") -> list[str]:
        """List the files of a folder, sorted; none if it is not there."""
        system, root = self.at
        place = f"{root}/{folder}".rstrip("/")
        try:
            with as_os_errors(self.place(folder)):
                system.invalidate_cache()  # another process writes there too
                listed = system.ls(place, detail=False)
        except FileNotFoundError:
            return []
        return sorted(path.rstrip("/").rpartition("/")[2] for path in listed)

    def read(self, name: str) -> bytes:
        """Read one file."""
        system, root = self.at
        with as_os_errors(self.place(name)):
            return bytes(system.cat_file(f"{root}/{name}"))

    def write(self, name: str, content: bytes, *, new: bool = False) -> None:
        """Write one file by one request; ``new``: only if it is not there."""
        system, root = self.at
        path = f"{root}/{name}"
        with as_os_errors(self.place(name)):
            if not (new and self._created(system, path, content)):
                system.pipe_file(path, content)

    def _created(self, system: Any, path: str, content: bytes) -> bool:
        """Write a file that is not there; False: this kind of store cannot do both at once."""
        try:
            system.pipe_file(path, content, mode="create")
        except (TypeError, ValueError, NotImplementedError, OSError) as error:
            # the first three are how stores say that they do not know the mode
            system.invalidate_cache()
            # not every server says why it refused
            if system.exists(path):
                raise FileExistsError(errno.EEXIST, "is there already", path) from None
            if isinstance(error, OSError):
                raise
            return False
        return True

    def settle(self, folders: Iterable[str]) -> None:
        """Do nothing: an object store has already stored its files."""

    def remove(self, names: Iterable[str]) -> None:
        """Remove files, those that are gone already too."""
        system, root = self.at
        for name in names:
            with suppress(FileNotFoundError), as_os_errors(self.place(name)):
                system.rm_file(f"{root}/{name}")


Store = Folder | Bucket


def store_at(place: str | os.PathLike[str]) -> Store:
    """Return where a dataset lies."""
    place = local(os.fspath(place))
    if is_url(place):
        return Bucket(place)
    path = Path(place).absolute().as_posix()
    if as_text(path) != path:
        raise DatasetError(f"{as_text(path)}: polars opens no folder whose name is not text")
    return Folder(path)


def is_dataset(place: str) -> bool:
    """Whether a folder, here or in an object store, is a dataset."""
    try:
        store_at(place).read(DATASET)
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


@contextmanager
def held(store: Store) -> Iterator[None]:
    """Hold the lock of a dataset, which no other conversion has."""
    place = os.path.realpath(store.url) if isinstance(store, Folder) else store.url
    with _guard:
        if place in _held:
            raise DatasetError(f"{store.url}: another conversion of this program is at work there")
        _held.add(place)
    try:
        with _lock_file(store) if isinstance(store, Bucket) else _system_lock(store):
            yield
    finally:
        _held.discard(place)


@contextmanager
def _system_lock(folder: Folder) -> Iterator[None]:
    Path(folder.url).mkdir(parents=True, exist_ok=True)
    how = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0)
    handle = os.open(folder.own(LOCK), how, 0o666)
    try:
        if lock.take(handle, inherited=False) is False:
            raise DatasetError(
                f"{folder.url}: another conversion is at work there; wait for its end"
            )
        yield
    finally:
        os.close(handle)


@contextmanager
def _lock_file(store: Bucket) -> Iterator[None]:
    mine = {
        "host": socket.gethostname(),
        "process": os.getpid(),
        "since": f"{datetime.now(UTC):%Y-%m-%d %H:%M:%SZ}",
    }
    try:
        store.write(LOCK, json.dumps(mine).encode(), new=True)
    except FileExistsError:
        _refuse_at_work(store)
        _take_over(store, json.dumps(mine).encode())
    try:
        yield
    finally:
        store.remove([LOCK])


def _refuse_at_work(store: Bucket) -> None:
    other: dict[str, object] = {"host": "an unknown host", "process": "?", "since": "?"}
    with suppress(FileNotFoundError, ValueError):
        other |= json.loads(store.read(LOCK))
    if not _is_gone(other):
        raise DatasetError(
            f"{store.url}: another conversion is at work there (process {other['process']} on"
            f" {other['host']}, since {other['since']}); if it was killed, remove"
            f" {store.place(LOCK)}"
        ) from None


def _take_over(store: Bucket, mine: bytes) -> None:
    """Take the lock of a process that is gone; only one of several conversions can."""
    try:
        store.write(CLAIM, mine, new=True)
    except FileExistsError:
        raise DatasetError(
            f"{store.url}: another conversion is just beginning there; wait for its end. If it was"
            f" killed, remove {store.place(CLAIM)}"
        ) from None
    try:
        _refuse_at_work(store)  # another one may have taken it over since
        store.write(LOCK, mine)
    finally:
        store.remove([CLAIM])


def _is_gone(other: dict[str, object]) -> bool:
    """Return whether the holder was a process of this machine and has ended."""
    process = other["process"]
    if (
        other["host"] != socket.gethostname()
        or not isinstance(process, int)
        or sys.platform == "win32"
    ):
        return False
    try:
        os.kill(process, 0)
    except OSError as error:
        return isinstance(error, ProcessLookupError)
    return process == os.getpid()  # `held` knows of those at work
