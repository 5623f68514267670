"""The bytes of the files to read, from this machine or from elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

from fiotools.files.remote import Ahead, is_url
from fiotools.input.detect import raw
from fiotools.input.sources import Found


class Fetch:
    """Reads files; those that are elsewhere many at a time.

    Parameters
    ----------
    found : sequence of Found
        Those that will be asked for, in this order.
    """

    def __init__(self, found: Sequence[Found]) -> None:
        elsewhere = [file for file in found if is_url(file.place)]
        self._is_here = not elsewhere
        self._ahead = Ahead([(file.place, file.stat and file.stat.size) for file in elsewhere])

    def __call__(self, file: Found) -> bytes:
        """Read one file."""
        is_here = self._is_here or not is_url(file.place)
        return raw(file) if is_here else self._ahead.read(file.place)
