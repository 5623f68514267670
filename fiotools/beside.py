"""Files that lie beside a report and say more about it: fio's job files.

Which they are is told by the folder (or the zip archive) alone: nothing in a file makes another be
opened.
"""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from fiotools import archive
from fiotools.decoding import plain_name
from fiotools.errors import FileError
from fiotools.readers.base import Later
from fiotools.sniff import load
from fiotools.sources import Found
from fiotools.tables import Tables

if TYPE_CHECKING:
    from fiotools.readers.fio.jobfile_beside import JobNames

NEEDED = ("runs", "jobs", "settings", "io")  # the tables that are looked at
# a report that lists its options does not wake them
_lacking, _complete, _note_lack, _JobNames = (
    Later(f"fiotools.readers.fio.jobfile_beside:{name}")
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
        self._folders: dict[tuple[object, ...], tuple[JobNames, dict[str, Found]]] = {}
        self._texts: dict[str, str | FileError] = {}
        self.used: set[tuple[object, ...]] = set()

    def complete(self, file: Found, tables: Tables) -> None:
        """Complete what a file does not say of its jobs from a job file beside it."""
        if not tables.has("jobs") or not _lacking(tables):
            return
        own = PurePosixPath(file.member or file.name)
        names, found_by = self._listed(file, own)
        name, namesake = names.likely(plain_name(own.name), own.name)
        if name is not None:
            found = found_by[name]
            text = self._text(found)
            if isinstance(text, FileError):
                tables.note(f"the job file {name} beside it cannot be read: {text.reason}")
            elif _complete(tables, name, text, namesake):
                self.used.add(identity(found))
        _note_lack(tables)

    def _listed(self, file: Found, own: PurePosixPath) -> tuple[JobNames, dict[str, Found]]:
        """List the job files of a file's folder, once for all files in it."""
        key = file.path.parent, file.member and (file.path, own.parent)
        if key not in self._folders:
            names = _members(file, own.parent) if file.member else _files(file)
            found = {name: _sibling(file, name) for name in names if name.lower().endswith(".fio")}
            self._folders[key] = _JobNames(found), found
        return self._folders[key]

    def _text(self, found: Found) -> str | FileError:
        if found.name not in self._texts:
            try:
                self._texts[found.name] = load(found).text
            except FileError as error:
                self._texts[found.name] = error
            except OSError as error:
                self._texts[found.name] = FileError(found.name, error.strerror or str(error))
        return self._texts[found.name]


def _files(file: Found) -> list[str]:
    try:
        return [path.name for path in file.path.parent.glob("*.[fF][iI][oO]") if path.is_file()]
    except OSError:
        return []


def _members(file: Found, folder: PurePosixPath) -> list[str]:
    members = map(PurePosixPath, archive.list_or_none(file.path) or ())
    return [member.name for member in members if member.parent == folder]


def _sibling(file: Found, name: str) -> Found:
    """Name a file of the same folder as the file itself is named."""
    whole = PurePosixPath(file.name).with_name(name).as_posix()
    if file.member:
        inside = PurePosixPath(file.member).with_name(name).as_posix()
        return file._replace(name=whole, member=inside)
    return file._replace(place=file.path.with_name(name).as_posix(), name=whole)


def identity(file: Found) -> tuple[object, ...]:
    """Say which file is meant, however its path is spelled."""
    return file.path.resolve(), file.member
