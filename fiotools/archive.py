"""A zip archive as a folder of files.

Members are read one at a time, in memory, and never written anywhere: their names are labels only.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from fiotools.decoding import bound
from fiotools.errors import FileError


def list_or_none(path: Path) -> list[str] | None:
    """List the files in an archive; None for what is no archive, or a damaged one."""
    try:
        return members(path) if is_archive(path) else None
    except FileError:
        return None


def is_archive(path: Path) -> bool:
    """Say whether a path is a zip archive: by its name and its first bytes."""
    if path.suffix.lower() != ".zip" or not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(4) == b"PK\x03\x04"


def members(path: Path) -> list[str]:
    """List the files in an archive, sorted by name.

    Raises
    ------
    FileError
        If the archive is damaged, or expands to more than its bound: all files together, so that
        members which share their bytes do not count once only.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            infos = [info for info in archive.infolist() if not info.is_dir()]
    except (zipfile.BadZipFile, NotImplementedError) as error:  # split into several disks
        raise FileError(
            path.as_posix(), f"the zip archive is damaged ({error})", remedy="copy it again"
        ) from None
    if sum(info.file_size for info in infos) > bound(path.stat().st_size):
        raise FileError(
            path.as_posix(),
            "the archive expands to far more than its size",
            remedy="if you trust it, unpack it and read what was in it",
        )
    return sorted({info.filename for info in infos})


def member(path: Path, name: str) -> bytes:
    """Read one file of an archive.

    Raises
    ------
    FileError
        As in `opened`.
    """
    with opened(path, name) as (file, _):
        # the size that the archive states was checked; zipfile hands out no more than that
        return file.read()


@contextmanager
def opened(path: Path, name: str) -> Iterator[tuple[IO[bytes], int]]:
    """Open one file of an archive; give its size too.

    Raises
    ------
    FileError
        If it is damaged, encrypted, packed in a way that Python does not know, or larger than the
        archive says.
    """
    place = f"{path.as_posix()}/{name}"
    try:
        with zipfile.ZipFile(path) as archive, archive.open(name) as file:
            yield file, archive.getinfo(name).file_size
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise FileError(
            place, f"the zip archive is damaged ({error})", remedy="copy it again"
        ) from None
    except (RuntimeError, NotImplementedError) as error:  # a password, a packing unknown to Python
        raise FileError(
            place, f"cannot be unpacked here ({error})", remedy="unpack it first"
        ) from None
