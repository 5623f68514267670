"""A file of any length, some complete lines at a time, unpacked if it is compressed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING

from fiotools.errors import ParseError
from fiotools.files import is_packed, packing, remote
from fiotools.files.packing import Packed, unpack
from fiotools.input.sources import is_url

if TYPE_CHECKING:
    from fiotools.input.sources import Found

SIZE = 1 << 24  # bytes of a block: parsed as fast as a whole file
_TAIL = (
    1 << 16
)  # the end of a block, which nearly always has a line end: lines have up to 20,000 characters
_ENDLESS = 1 << 27
_MARK = b"\xef\xbb\xbf"


class Blocks:
    """The complete lines of a file, some at a time.

    Parameters
    ----------
    found : Found
    size : int, optional
        The approximate size of a block in bytes; `SIZE` by default.

    Attributes
    ----------
    torn : bool
        Whether the last line has no end; known when all is read.
    rest : bytes
        That line.
    remarks : list of str
        Problems with the bytes.
    """

    def __init__(self, found: Found, size: int | None = None) -> None:
        self.found, self.size = found, size or SIZE
        self.torn, self.rest = False, b""
        self.remarks: list[str] = []

    def __iter__(self) -> Iterator[bytes]:
        with _opened(self.found) as opened:
            if isinstance(opened, Packed):
                bodies = self._unpacked(opened)
            else:
                bodies = self._plain(opened)
            for number, body in enumerate(bodies):
                yield body if number else body.removeprefix(_MARK)

    def _plain(self, file: IO[bytes]) -> Iterator[bytes]:
        at, total = 0, file.seek(0, 2)
        while at < total:
            size = self._lines_from(file, at, total)
            file.seek(at)
            body = file.read(size)
            at += len(body)
            if at < total:
                yield body
            elif whole := self._last(body):
                yield whole

    def _lines_from(self, file: IO[bytes], at: int, total: int) -> int:
        """Return how many bytes from a place end with a line, so that none is read twice."""
        size = self.size
        while at + size < total:
            tail = min(_TAIL, size)
            file.seek(at + size - tail)
            end = file.read(tail).rfind(b"\n") + 1
            if end:
                return size - tail + end
            size = self._longer(size)
        return total - at

    def _unpacked(self, packed: Packed) -> Iterator[bytes]:
        parts: list[bytes] = []
        length, wanted = 0, self.size
        for part in unpack(packed, self.remarks):
            parts.append(part)
            length += len(part)
            if length >= wanted:
                body = b"".join(parts)
                end = body.rfind(b"\n") + 1
                if end:
                    yield body[:end]
                parts, length = [body[end:]], len(body) - end
                wanted = self.size if end else self._longer(wanted)
        if whole := self._last(b"".join(parts)):
            yield whole

    def _last(self, body: bytes) -> bytes:
        """Return the complete lines of the last bytes."""
        end = body.rfind(b"\n") + 1
        self.torn, self.rest = end < len(body), body[end:]
        return body[:end] if self.torn else body

    def _longer(self, size: int) -> int:
        if size >= _ENDLESS:
            raise ParseError(
                self.found.name,
                f"no line ends within {size:,} bytes",
                remedy="is that a log? if it has other content, cut that out",
            )
        return 2 * size


@contextmanager
def _opened(found: Found) -> Iterator[IO[bytes] | Packed]:
    """Open a file: local, remote, or in an archive."""
    if found.member is not None:
        with packing.opened(found.path, found.member) as packed:
            yield packed
        return
    if is_url(found.place):
        system, path = remote.file_system(found.place)
        with remote.as_os_errors(found.place), system.open(path, "rb") as file:
            yield _told(found, file)
    else:
        with found.path.open("rb", buffering=0) as file:
            yield _told(found, file)


def _told(found: Found, file: IO[bytes]) -> IO[bytes] | Packed:
    packed = is_packed(file.read(8))
    file.seek(0)
    return Packed.of(found.name, file) if packed else file
