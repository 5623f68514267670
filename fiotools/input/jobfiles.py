"""Files that lie beside a report and say more about it: fio's job files."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from fiotools.errors import FileError
from fiotools.files.decoding import plain_name
from fiotools.input.detect import load
from fiotools.input.siblings import Siblings, folder
from fiotools.input.sources import Found
from fiotools.readers.grammar import Later
from fiotools.tables import Tables

if TYPE_CHECKING:
    from fiotools.readers.fio.jobfile import JobNames

NEEDED = ("runs", "jobs", "settings", "io")  # the tables that are looked at
# a report that lists its options does not wake them
_lacking, _complete, _note_lack, _JobNames = (
    Later(f"fiotools.readers.fio.jobfile:{name}")
    for name in ("lacking", "complete", "note_lack", "JobNames")
)


def note_lack(tables: Tables) -> None:
    """Note the runs of which nothing says under what conditions they were made."""
    if tables.has("jobs"):  # a million runs of dd have none
        _note_lack(tables)


class JobFiles:
    """The job files of the folders from which files are read; each folder is listed once.

    Attributes
    ----------
    used : set
        The `identity` of those that completed anything.
    """

    def __init__(self) -> None:
        self._siblings = Siblings(lambda name: name if name.lower().endswith(".fio") else None)
        self._names: dict[tuple[object, ...], JobNames] = {}
        self._texts: dict[str, str | FileError] = {}
        self.used: set[tuple[object, ...]] = set()

    def complete(self, file: Found, tables: Tables) -> None:
        """Complete what a file does not say of its jobs from a job file beside it."""
        if not tables.has("jobs") or not _lacking(tables):
            return
        own = PurePosixPath(file.member or file.name)
        found_by, key = self._siblings.of(file), folder(file)
        if key not in self._names:
            self._names[key] = _JobNames(found_by)
        name, namesake = self._names[key].likely(plain_name(own.name), own.name)
        if name is not None:
            found = found_by[name]
            text = self._text(found)
            if isinstance(text, FileError):
                tables.note(f"the job file {name} beside it cannot be read: {text.reason}")
            elif _complete(tables, name, text, namesake):
                self.used.add(identity(found))
        _note_lack(tables)

    def _text(self, found: Found) -> str | FileError:
        if found.name not in self._texts:
            try:
                self._texts[found.name] = load(found).text
            except FileError as error:
                self._texts[found.name] = error
            except OSError as error:
                self._texts[found.name] = FileError(found.name, error.strerror or str(error))
        return self._texts[found.name]


def identity(file: Found) -> tuple[object, ...]:
    """Say which file is meant, however its path is spelled."""
    return file.path.resolve(), file.member
