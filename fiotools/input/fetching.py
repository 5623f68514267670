"""The bytes of the files to read, from this machine or from elsewhere."""

from __future__ import annotations

import os
from collections.abc import Sequence

from fiotools.errors import UnknownFormatError
from fiotools.input.sources import Found, is_url, is_zip, refuse_no_file

_SMALL = 2**16  # bytes
_HOW = os.O_RDONLY | getattr(os, "O_BINARY", 0)


class Fetch:
    """Reads files; those that are elsewhere many at a time.

    Parameters
    ----------
    found : sequence of Found
        Those that will be asked for, in this order.
    """

    def __init__(self, found: Sequence[Found]) -> None:
        self._ahead = None
        elsewhere = [file for file in found if is_url(file.place)]
        if elsewhere:
            from fiotools.files.remote import Ahead

            self._ahead = Ahead([(file.place, file.stat and file.stat.size) for file in elsewhere])

    def __call__(self, file: Found) -> bytes:
        """Read one file."""
        if self._ahead is None or not is_url(file.place):
            return raw(file)
        return self._ahead.read(file.place)


def raw(file: Found) -> bytes:
    """Read a file's bytes."""
    refuse_no_file(file)
    if file.member is not None or is_zip(file.place):
        from fiotools.files import archive

        if file.member is not None:
            return archive.member(file.path, file.member)
        path = file.path
        if archive.is_archive(path) and not archive.members(path):
            raise UnknownFormatError(file.name, "the zip archive is empty")
    return _whole(file.place)


def _whole(place: str) -> bytes:
    """Read a file; of a small one, making a file object would be more than half of the cost."""
    opened = os.open(place, _HOW)
    try:
        data = os.read(opened, _SMALL)
        more = os.read(opened, 1) if data else b""
        if not more:
            return data
        with open(opened, "rb", buffering=0, closefd=False) as file:
            if not file.seekable():
                return b"".join((data, more, file.read()))
            file.seek(0)  # what was read is little, and two copies of the whole would be much
            return file.read()
    finally:
        os.close(opened)
