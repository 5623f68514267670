"""The hash of the files to convert: of the bytes that were read, taken as they are read."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from fiotools.errors import FileError
from fiotools.fetching import Fetch
from fiotools.sources import Found, is_url, refuse_no_file

Key = tuple[str, str | None]


def key(file: Found) -> Key:
    """Say which file it is, whatever it is called."""
    return file.place, file.member


class Hashing(Fetch):
    """Reads files, and takes their hash.

    Parameters
    ----------
    found : sequence of Found
    refused : mapping of (place, member) to FileError
        Those that are not to be read, and why.

    Attributes
    ----------
    hashes : dict
        SHA-256 of each place that was read; a file in an archive has that of the archive.
    """

    def __init__(self, found: Sequence[Found], refused: Mapping[Key, FileError]) -> None:
        super().__init__([file for file in found if key(file) not in refused])
        self._refused = refused
        self.hashes: dict[str, str] = {}

    def __call__(self, file: Found) -> bytes:
        """Read one file."""
        if key(file) in self._refused:
            raise self._refused[key(file)]
        data = super().__call__(file)
        if file.member is None:
            self.hashes[file.place] = hashlib.sha256(data).hexdigest()
        elif file.place not in self.hashes:
            self.hashes[file.place] = _digest(file.place)
        return data


def digests(found: Sequence[Found]) -> list[str | None]:
    """Take the hash of some files, or of their archives; None of one that cannot be read."""
    fetch = Fetch(found)
    hashes: list[str | None] = []
    for file in found:
        try:
            if is_url(file.place):
                hashes.append(hashlib.sha256(fetch(file)).hexdigest())
            else:
                refuse_no_file(file)
                hashes.append(_digest(file.place))
        except (OSError, FileError):
            hashes.append(None)
    return hashes


def _digest(path: str) -> str:
    with Path(path).open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
