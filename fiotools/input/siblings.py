"""The files beside a file: in its folder, or in its zip archive. Each folder is listed once.

Which they are is told by the folder (or the archive) alone: nothing in a file makes another be
opened.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import PurePosixPath

from fiotools.input.sources import Found


class Siblings:
    """Files of one kind beside other files.

    Parameters
    ----------
    called : callable
        Given a file's name, under which name it is listed; None leaves it out.
    largest : int, optional
        Bytes beyond which a file of a folder is left out.
    """

    def __init__(self, called: Callable[[str], str | None], largest: int | None = None) -> None:
        self._called, self._largest = called, largest
        self._folders: dict[tuple[object, ...], dict[str, Found]] = {}

    def of(self, file: Found) -> dict[str, Found]:
        """Give the files of a file's folder, by name."""
        key = folder(file)
        if key not in self._folders:
            names = sorted(_members(file) if file.member else self._files(file))
            self._folders[key] = {
                called: _sibling(file, name)
                for name in names
                if (called := self._called(name)) is not None
            }
        return self._folders[key]

    def _files(self, file: Found) -> Iterator[str]:
        try:
            with os.scandir(file.path.parent) as entries:
                for entry in entries:
                    if self._called(entry.name) is None or not entry.is_file():
                        continue
                    if self._largest is None or entry.stat().st_size <= self._largest:
                        yield entry.name
        except OSError:
            return


def folder(file: Found) -> tuple[object, ...]:
    """Say which folder a file is in, on the disk or in an archive."""
    return file.path.parent, file.member and (file.path, PurePosixPath(file.member).parent)


def _members(file: Found) -> Iterator[str]:
    from fiotools.files import archive

    own = PurePosixPath(file.member or "").parent
    for member in map(PurePosixPath, archive.list_or_none(file.path) or ()):
        if member.parent == own:
            yield member.name


def _sibling(file: Found, name: str) -> Found:
    """Name a file of the same folder as the file itself is named."""
    whole = PurePosixPath(file.name).with_name(name).as_posix()
    if file.member:
        inside = PurePosixPath(file.member).with_name(name).as_posix()
        return file._replace(name=whole, member=inside, labels={})
    return file._replace(place=file.path.with_name(name).as_posix(), name=whole, labels={})
