"""A log of any length, some complete lines at a time, unpacked if it is compressed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from fiotools.errors import ParseError
from fiotools.files import packing, remote
from fiotools.files.packing import Packed, unpack
from fiotools.input.sources import is_url

if TYPE_CHECKING:
    from fiotools.input.sources import Found

SIZE = 1 << 24  # bytes of a block: parsed as fast as a whole file
_ENDLESS = 1 << 27  # bytes of a line
_MARK = b"\xef\xbb\xbf"


class Blocks:
    """The complete lines of a file, at least `size` bytes at a time."""

    def __init__(self, found: Found, size: int | None = None) -> None:
        self.found, self.size = found, size or SIZE
        self.rest = b""  # the last line if it has no end; known when all is read
        self.remarks: list[str] = []  # problems with the bytes

    def __iter__(self) -> Iterator[bytes]:
        with _opened(self.found) as packed:
            for number, body in enumerate(self._bodies(unpack(packed, self.remarks))):
                yield body if number else body.removeprefix(_MARK)

    def _bodies(self, parts: Iterator[bytes]) -> Iterator[bytes]:
        held: list[bytes] = []
        length = line = 0  # of what is held, and of its last line
        for part in parts:
            end = part.rfind(b"\n") + 1
            length += len(part)
            line = len(part) - end if end else line + len(part)
            if line >= _ENDLESS:
                raise ParseError(
                    self.found.name,
                    f"no line ends within {_ENDLESS:,} bytes",
                    remedy="is that a log? if it has other content, cut that out",
                )
            if end and length >= self.size:
                yield b"".join([*held, memoryview(part)[:end]])
                held, length = [part[end:]], line
            else:
                held.append(part)
        body = b"".join(held)
        end = body.rfind(b"\n") + 1
        self.rest = body[end:]
        if end:
            yield body[:end]


@contextmanager
def _opened(found: Found) -> Iterator[Packed]:
    """Open a file: local, remote, or in an archive."""
    if found.member is not None:
        with packing.opened(found.path, found.member) as packed:
            yield packed
    elif is_url(found.place):
        system, path = remote.file_system(found.place)
        with remote.as_os_errors(found.place), system.open(path, "rb") as file:
            yield Packed.of(found.name, file)
    else:
        with found.path.open("rb", buffering=0) as file:
            yield Packed.of(found.name, file)
