"""Where a dataset lies, and the names of its files: a folder, or any place that fsspec knows.

Both write a file whole or not at all: here beside its place and then moved there, in an object
store by one request.

A part is a number, and each time it is written a generation: ``part-000007-002.parquet``. Its
record, the file of that name in ``_manifest``, is written last. So a list of names says all: of a
part in a table, the newest file counts that is not newer than the part's newest record; what has no
record was never committed. A table in which a new generation changes nothing keeps its old file.
"""

from __future__ import annotations

import errno
import io
import os
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from fiotools.errors import DatasetError
from fiotools.files import DATASET, atomic_write
from fiotools.files.remote import as_os_errors, file_system
from fiotools.input.sources import is_url

ABOUT = DATASET
LOCK = "_lock"
RECORDS = "_manifest"
PLAN = "_plan"
PLANNED = "plan.json"

_PART = re.compile(r"part-(\d{6,})-(\d{3,})\.parquet")
# what a kill left of a file that was being written
_UNFINISHED = re.compile(
    rf"\.(?:{_PART.pattern}|{re.escape(ABOUT)}|{re.escape(PLANNED)})\.\w+\.part"
)
Content = Callable[[IO[bytes]], object]


def part_name(number: int, generation: int) -> str:
    """Name a file.

    Examples
    --------
    >>> part_name(7, 2)
    'part-000007-002.parquet'
    """
    return f"part-{number:06d}-{generation:03d}.parquet"


def newest(records: Iterable[str]) -> dict[int, int]:
    """Give the newest generation of each part, by number.

    Examples
    --------
    >>> newest(["part-000001-001.parquet", "part-000000-001.parquet", "part-000001-002.parquet"])
    {0: 1, 1: 2}
    """
    found: dict[int, int] = {}
    for number, generation in _parsed(records):
        found[number] = max(generation, found.get(number, 0))
    return dict(sorted(found.items()))


def current(names: Iterable[str], committed: Mapping[int, int]) -> dict[int, str]:
    """Give the file of each part that counts in a table.

    Parameters
    ----------
    names : iterable of str
        The files of the table.
    committed : mapping of int to int
        As `newest` gives it of the records.

    Examples
    --------
    >>> current(["part-000001-001.parquet", "part-000001-003.parquet"], {1: 2})
    {1: 'part-000001-001.parquet'}
    """
    kept = ((n, g) for n, g in _parsed(names) if g <= committed.get(n, 0))
    return {n: part_name(n, g) for n, g in newest(part_name(*one) for one in kept).items()}


def leftover(names: Iterable[str], committed: Mapping[int, int]) -> list[str]:
    """Name the files of a table that do not count: older ones, and what was never committed."""
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
    """Say whether a file is what a kill left of one that was being written.

    Examples
    --------
    >>> is_unfinished("._fiotools.json.k3j9.part"), is_unfinished("part-000001-001.parquet")
    (True, False)
    """
    return _UNFINISHED.fullmatch(name) is not None


def _parsed(names: Iterable[str]) -> Iterable[tuple[int, int]]:
    return ((int(match[1]), int(match[2])) for match in map(_PART.fullmatch, names) if match)


@dataclass(frozen=True)
class Folder:
    """A folder of this machine.

    Attributes
    ----------
    url : str
        The folder, as messages name it.
    """

    url: str

    def place(self, name: str) -> str:
        """Say what other programs open."""
        return (Path(self.url) / name).as_posix()

    def own(self, name: str) -> Path:
        """Give the path of a file or folder of the dataset.

        Raises
        ------
        DatasetError
            If it is a link: what it leads to is not the dataset's.
        """
        path = Path(self.url) / name
        real = Path(os.path.realpath(path))
        if real != Path(os.path.realpath(self.url)) / name:
            raise DatasetError(
                f"{path.as_posix()}: leads out of the dataset (to {real.as_posix()}); remove the"
                " link, or convert into another folder"
            )
        return path

    def names(self, folder: str = "") -> list[str]:
        """List the files of a folder, sorted; of one that is not there, none."""
        try:
            with os.scandir(self.own(folder)) as entries:
                return sorted(entry.name for entry in entries)
        except FileNotFoundError:
            return []

    def read(self, name: str) -> bytes:
        """Read one file."""
        return self._at(name).read_bytes()

    def _at(self, name: str) -> Path:
        """Give the place of a file, which may be a link itself, in a folder that is none."""
        folder, _, file = name.rpartition("/")
        return self.own(folder) / file

    def write(self, name: str, content: Content) -> None:
        """Write one file, which has its name only when it is whole."""
        path = self.own(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        atomic_write.write(path, content)

    def settle(self, folders: Iterable[str]) -> None:
        """Wait until the names in some folders are on the disk, before something counts on them."""
        if os.name == "nt":  # which opens no folders
            return
        for folder in folders:
            handle = os.open(Path(self.url) / folder, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)

    def remove(self, names: Iterable[str]) -> None:
        """Remove files, those that are gone already too."""
        for name in names:
            self._at(name).unlink(missing_ok=True)

    def leave(self, folder: str) -> None:
        """Remove a folder of ours, unless something is in it."""
        if not self.names(folder):
            with suppress(FileNotFoundError):
                self.own(folder).rmdir()


@dataclass(frozen=True)
class Bucket:
    """A place that fsspec knows: ``s3://bucket/runs``, ``memory://runs``.

    Attributes
    ----------
    url : str
    """

    url: str

    @property
    def system(self) -> Any:
        """The file system, which fsspec keeps open."""
        return self._at[0]

    @property
    def root(self) -> str:
        """The place as the file system calls it."""
        return str(self._at[1])

    @property
    def _at(self) -> tuple[Any, str]:
        system, root = file_system(self.url)
        return system, root.rstrip("/")

    def place(self, name: str) -> str:
        """Say what other programs open."""
        return f"{self.url.rstrip('/')}/{name}"

    def names(self, folder: str = "") -> list[str]:
        """List the files of a folder, sorted; of one that is not there, none."""
        system, root = self._at
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
        system, root = self._at
        with as_os_errors(self.place(name)):
            return bytes(system.cat_file(f"{root}/{name}"))

    def write(self, name: str, content: Content) -> None:
        """Write one file by one request, when all of it is there."""
        # a file of fsspec that is closed by an error would keep what was written until then
        buffer = io.BytesIO()
        content(buffer)
        self.put(name, buffer.getvalue())

    def put(self, name: str, content: bytes, *, new: bool = False) -> None:
        """Write one file; ``new``: only if it is not there, or raise `FileExistsError`."""
        system, root = self._at
        path = f"{root}/{name}"
        with as_os_errors(self.place(name)):
            if new and self._created(system, path, content):
                return
            system.pipe_file(path, content)

    def _created(self, system: Any, path: str, content: bytes) -> bool:
        """Write a file that is not there; False: this kind of store cannot do both at once."""
        try:
            system.pipe_file(path, content, mode="create")
        except (TypeError, ValueError, NotImplementedError, OSError) as error:
            system.invalidate_cache()
            # not every server says why it refused
            if system.exists(path):
                raise FileExistsError(errno.EEXIST, "is there already", path) from None
            if isinstance(error, OSError):
                raise
            return False
        return True

    def settle(self, folders: Iterable[str]) -> None:
        """Do nothing: what an object store has taken, it has."""

    def remove(self, names: Iterable[str]) -> None:
        """Remove files, those that are gone already too."""
        system, root = self._at
        for name in names:
            with suppress(FileNotFoundError), as_os_errors(self.place(name)):
                system.rm_file(f"{root}/{name}")

    def leave(self, folder: str) -> None:
        """Do nothing: an object store has no folders, only files."""


Store = Folder | Bucket


def store_at(place: str | os.PathLike[str]) -> Store:
    """Say where a dataset lies."""
    place = os.fspath(place)
    if place.lower().startswith("file://"):
        place = str(file_system(place)[1])
    if is_url(place):
        return Bucket(place)
    return Folder(Path(place).absolute().as_posix())
