"""Files are written whole or not at all: beside their place first, then moved there at once."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

_PART = ".part"


def refuse_missing_folder(path: Path) -> None:
    """Refuse a file in a folder that is not there, before there is something to write."""
    if not path.resolve().parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "there is no such folder", str(path.parent))


def write(path: Path, content: Callable[[IO[bytes]], object]) -> None:
    """Write one file; if that fails, the old one stays, and nothing beside it."""
    with named(path):
        if path.exists() and (not path.is_file() or path.parent == Path("/dev")):
            with path.open("ab") as file:  # /dev/stdout, a pipe: there is nothing to replace
                content(file)
        else:
            _write_beside(path.resolve(), content)  # a link stays one


def write_bytes(path: Path, content: bytes) -> None:
    """Write one file of known content."""
    write(path, lambda file: file.write(content))


def _write_beside(path: Path, content: Callable[[IO[bytes]], object]) -> None:
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=_PART, dir=path.parent)
    part = Path(name)
    try:
        with open(handle, "wb") as file:
            content(file)
            file.flush()
            os.fsync(file.fileno())  # a full disk says so here at the latest
        _as_new(part, path)
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def write_folder(folder: Path, contents: Mapping[str, Callable[[IO[bytes]], object]]) -> None:
    """Write several files of a folder; none takes its place before all are written."""
    with named(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        parts = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", suffix=_PART, dir=folder.parent))
        try:
            for name, content in contents.items():
                _write_beside(parts / name, content)
            folder.mkdir(exist_ok=True)
            for name in contents:
                (parts / name).replace(folder / name)
        finally:
            shutil.rmtree(parts, ignore_errors=True)


@contextmanager
def named(path: Path) -> Iterator[None]:
    """Make errors name the path that was requested, not the temporary file beside it."""
    try:
        yield
    except OSError as error:
        if error.filename is not None and not str(error.filename).endswith(_PART):
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error


def _as_new(part: Path, path: Path) -> None:
    """Return the file the rights that it would have, had it been opened plainly."""
    if path.exists():
        part.chmod(path.stat().st_mode & 0o777)
        return
    mask = os.umask(0)
    os.umask(mask)
    part.chmod(0o666 & ~mask)


def sync_folder(folder: Path) -> None:
    """Wait until the names in a folder are on the disk, if the system can."""
    if not hasattr(os, "O_DIRECTORY"):  # Windows opens no folders
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with suppress(OSError):  # some file systems cannot, and need not
            os.fsync(handle)
    finally:
        os.close(handle)
