"""The folder of the results, made when all is checked; raw outputs, none of which is ever half.

Nothing outside of the folder is written: links in it are replaced, and never followed.
"""

from __future__ import annotations

import os
import shutil
from datetime import UTC, datetime
from pathlib import Path

from fiotools.errors import MeasureError
from fiotools.hints import argument
from fiotools.measure.manifest import NAME, sync_folder

_NEW = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0)
_LEAST = 4 * 2**20  # bytes free, for one raw output


def choose(output: str | os.PathLike[str] | None, experiment: str) -> tuple[Path, bool]:
    """Give the folder, and whether it has to be made; one that is there is empty, or a campaign's.

    Raises
    ------
    MeasureError
        If something else is there.
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
        raise MeasureError(f"{folder}: * ? [ ] {{ }} mean something else to fiotools.read")
    return folder, is_new


def make(folder: Path) -> None:
    """Make the folder."""
    try:
        folder.mkdir()
        sync_folder(folder.parent)
    except OSError as error:
        raise MeasureError(f"{folder}: {error.strerror}") from None


class Raw:
    """One raw output while it is written: a hidden file, renamed when it is whole.

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
        # a tool whose report finds no room ends as if nothing had happened
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
        """Give the end of what went to stderr, or of the transcript."""
        file = self.part if self.errors == self.handle else self._errors
        return file.read_bytes()[-4000:].decode("utf-8", "replace").strip()

    def keep(self) -> int:
        """Give it its name, once the disk has it; return its size."""
        size = os.fstat(self.handle).st_size
        try:
            os.fsync(self.handle)
        except OSError as error:  # which file it was, an open one does not say
            raise OSError(error.errno, error.strerror, str(self.path)) from None
        self._close()  # Windows renames no open file
        self.part.replace(self.path)
        sync_folder(self._folder)
        return size

    def drop(self) -> None:
        """Close and remove what has no name yet."""
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
