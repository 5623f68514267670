"""The folder of the results: the manifest and the raw outputs, none of which is ever half.

The manifest has one JSON object a line: what was planned, on what, and each run as it ended. A line
is on the disk before anything follows it, so an interruption loses at most the current run. A last
line that was cut off is dropped. Kinds of lines: ``campaign`` (the plan, once), ``session`` (the
machine, the places and the tools, at each start), ``scratch`` (a folder that is about to be made),
``run`` and ``end``.

Nothing outside of the folder is written: links in it are replaced, and never followed.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fiotools.errors import MeasureError, argument

NAME = "manifest.jsonl"
FORMAT = 1
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)

Line = dict[str, Any]


def now() -> str:
    """Return the time as in the manifest.

    Examples
    --------
    >>> len(now()), now()[-1]
    (24, 'Z')
    """
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Manifest:
    """Appends to the manifest of a folder; links are not followed."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / NAME
        flags = os.O_CREAT | os.O_RDWR | os.O_APPEND | _NO_FOLLOW
        try:
            self._handle = os.open(self.path, flags, 0o644)
        except OSError as error:
            raise MeasureError(f"{self.path}: {error.strerror}") from None
        self._end_last_line()
        sync_folder(folder)

    def write(self, kind: str, facts: Mapping[str, Any]) -> Line:
        """Write a line, and wait until it is on the disk."""
        line = {"kind": kind, **facts}
        data = json.dumps(line, ensure_ascii=False).encode("utf-8", "surrogateescape") + b"\n"
        whole = os.fstat(self._handle).st_size
        try:
            while data:
                data = data[os.write(self._handle, data) :]
            os.fsync(self._handle)
        except OSError as error:
            with suppress(OSError):
                os.ftruncate(self._handle, whole)  # no line follows half a line
            raise MeasureError(f"{self.path}: {error.strerror}") from None
        return line

    def close(self) -> None:
        """Close the file."""
        os.close(self._handle)

    def _end_last_line(self) -> None:
        """Cut off a line that a kill or a full disk left unfinished."""
        size = os.fstat(self._handle).st_size
        with os.fdopen(os.dup(self._handle), "rb") as file:
            file.seek(0)
            whole = file.read()
        end = whole.rfind(b"\n") + 1
        if end < size:
            os.ftruncate(self._handle, end)


def lines(folder: Path) -> list[Line]:
    """Read the manifest of a folder.

    Raises
    ------
    MeasureError
        If there is none, or it is damaged before its last line.
    """
    path = folder / NAME
    try:
        text = path.read_bytes().decode("utf-8", "surrogateescape")
    except OSError as error:
        raise MeasureError(
            f"{path}: {error.strerror}; a campaign's folder holds the {NAME} of its runs"
        ) from None
    found = []
    whole = text.split("\n")
    for number, one in enumerate(whole[:-1], 1):  # after the last end of line: nothing, or half
        try:
            line = json.loads(one)
        except ValueError:
            line = None
        if not isinstance(line, dict) or not isinstance(line.get("kind"), str):
            raise MeasureError(f"{path}:{number}: not a line of a manifest")
        found.append(line)
    if not found or found[0]["kind"] != "campaign":
        raise MeasureError(f"{path}: does not begin with a campaign")
    if found[0].get("format") != FORMAT:
        raise MeasureError(
            f"{path}: format {found[0].get('format')!r} of another version of fiotools; "
            f"this one knows {FORMAT}"
        )
    return found


def sync_folder(folder: Path) -> None:
    """Flush the names in a folder if the system can."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    except OSError:  # some file systems cannot, and need not
        pass
    finally:
        os.close(handle)


_NEW = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0)
_LEAST = 4 * 2**20  # bytes free, for one raw output


def choose(output: str | os.PathLike[str] | None, experiment: str) -> tuple[Path, bool]:
    """Return the folder, and whether it is new; one that exists is empty, or a campaign's.

    Raises
    ------
    MeasureError
        If it holds something else.
    """
    if output is None:
        stem = f"{experiment}-{datetime.now(UTC):%Y%m%d-%H%M%S}"
        names = (stem, *(f"{stem}-{number}" for number in range(2, 100)))
        output = next(name for name in names if not Path(name).exists())
    try:
        folder = Path(output).resolve()
        is_new = not folder.exists()
        fits = is_new or (folder / NAME).is_file() or not any(folder.iterdir())
    except (OSError, RuntimeError) as error:
        raise MeasureError(f"{output}: {getattr(error, 'strerror', None) or error}") from None
    if not fits:
        raise MeasureError(
            f"{folder} holds other files: results go to a new or an empty folder, "
            f"{argument('output')}"
        )
    if {*"*?[]{}"} & {*str(folder)}:
        raise MeasureError(
            f"{folder}: * ? [ ] {{ }} have a meaning for fiotools.read: choose another name"
        )
    return folder, is_new


def make(folder: Path) -> None:
    """Make the folder."""
    try:
        folder.mkdir()
        sync_folder(folder.parent)
    except OSError as error:
        raise MeasureError(f"{folder}: {error.strerror}") from None


class Raw:
    """A raw output while it is written: a hidden file, renamed when it is whole.

    Attributes
    ----------
    path : Path
        Its name when it is whole.
    part : Path
        Its name before.
    handle, errors : int
        Open files for stdout and stderr; one and the same for a transcript.
    """

    def __init__(self, folder: Path, name: str, head: str = "") -> None:
        self._folder, self.path = folder, folder / name
        # a tool may end well though its report found no room
        if shutil.disk_usage(folder).free < _LEAST:
            raise MeasureError(f"{folder}: no room is left for the results")
        self.part = folder / f".{name}.part"
        self._errors = folder / f".{name}.err.part"
        self.handle = _opened(self.part)
        self._open = {self.handle}
        try:
            self.errors = self.handle if head else _opened(self._errors)
            self._open.add(self.errors)
            os.write(self.handle, head.encode())
        except BaseException:
            self.drop()
            raise

    def said(self) -> str:
        """Return the end of stderr, or of the transcript."""
        file = self.part if self.errors == self.handle else self._errors
        return file.read_bytes()[-4000:].decode("utf-8", "replace").strip()

    def keep(self) -> int:
        """Flush and rename it; return its size."""
        size = os.fstat(self.handle).st_size
        try:
            os.fsync(self.handle)
        except OSError as error:  # an open file does not tell its name
            raise OSError(error.errno, error.strerror, str(self.path)) from None
        self._close()  # Windows renames no open file
        self.part.replace(self.path)
        sync_folder(self._folder)
        return size

    def drop(self) -> None:
        """Close and remove the hidden files."""
        self._close()
        self.part.unlink(missing_ok=True)
        self._errors.unlink(missing_ok=True)

    def _close(self) -> None:
        for handle in self._open:
            os.close(handle)
        self._open = set()


def _opened(path: Path) -> int:
    try:
        path.unlink(missing_ok=True)  # of a killed campaign
        return os.open(path, _NEW, 0o644)
    except OSError as error:
        raise MeasureError(f"{path}: {error.strerror}") from None
