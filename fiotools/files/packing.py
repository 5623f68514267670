"""What files are packed in, undone as they come: gzip, xz, zstd and bzip2, and what zip uses.

At any moment what came of a file is bounded by what was read of it, so that a bomb is refused when
little has come of it; what is packed in a zip archive counts for the archive. A stream that was cut
off gives what came before; of a damaged one nothing is certain.
"""

from __future__ import annotations

import bz2
import lzma
import sys
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from functools import partial
from typing import IO, NamedTuple, Protocol

from fiotools.errors import FileError

# Text of tools packs to a tenth or a thirtieth; a bomb to a thousandth. Small files may hold zeros.
_RATIO, _FLOOR = 250, 24 * 2**20
_PIECE = 1 << 16  # bytes that are read at once
_STEP = 1 << 20  # bytes that come of them at once
_XZ_MEMORY = 96 * 2**20  # xz -9 asks for 65 MiB; a header can ask for 4 GiB


def bound(size: int) -> int:
    """Return how many bytes may come of a packed file of a size, whatever it is packed in."""
    return max(_FLOOR, _RATIO * size)


class Bound:
    """What was read of a packed file, and what came of it: too much is refused as it comes.

    Parameters
    ----------
    name : str
        The file, as messages name it.
    kind : str
        What is packed.
    """

    def __init__(self, name: str, kind: str = "packed file") -> None:
        self.name, self.kind = name, kind
        self._taken = self._given = 0

    def taken(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """Give pieces of the file, and count them."""
        for piece in pieces:
            self._taken += len(piece)
            yield piece

    def given(self, part: bytes) -> bytes:
        """Give what came of the file, if that is within the bound."""
        self._given += len(part)
        if self._given > bound(self._taken):
            raise self.exceeded()
        return part

    def exceeded(self) -> FileError:
        """Say that the file expands beyond the bound."""
        return FileError(
            self.name,
            f"expands to more than {_RATIO} times its size",
            remedy="if you trust it, unpack it and read what was in it",
        )

    def damaged(self, why: object) -> FileError:
        """Say that the file is damaged."""
        return FileError(self.name, f"the {self.kind} is damaged ({why})", remedy="copy it again")


class Packed(NamedTuple):
    """Bytes in their order, which may be packed, and the bound on what may come of them."""

    pieces: Iterator[bytes]
    bound: Bound

    @classmethod
    def of(cls, name: str, file: IO[bytes]) -> Packed:
        """Take a file as it lies."""
        bound = Bound(name)
        return cls(bound.taken(pieces(file)), bound)


def pieces(file: IO[bytes], size: int = sys.maxsize) -> Iterator[bytes]:
    """Read a file, or so many bytes of it, some at a time."""
    while piece := file.read(min(size, _PIECE)):
        size -= len(piece)
        yield piece


class _Stream(Protocol):
    """What undoes a packing, as lzma and bz2 do it: some bytes at a time, going in and out."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...


def is_packed(head: bytes) -> bool:
    """Say whether a file is packed, by its first bytes."""
    return head.startswith(tuple(_MAGIC))


def unpack(packed: Packed, remarks: list[str]) -> Iterator[bytes]:
    """Undo one packing, stream after stream, some bytes at a time; give others as they are.

    Parameters
    ----------
    packed : Packed
    remarks : list of str
        Takes what else there is to say.

    Raises
    ------
    FileError
        If the file is damaged, or expands beyond the bound.
    """
    feed = next(packed.pieces, b"")
    magic = next(filter(feed.startswith, _MAGIC), None)
    if magic is None:
        yield feed
        yield from packed.pieces
        return
    while feed.startswith(magic):
        rest = yield from expand(STREAMS[_MAGIC[magic]](), feed, packed)
        if rest is None:
            remarks.append("the packed file is cut off: what came before is read")
            return
        feed = rest
        while (feed := feed.lstrip(b"\0")) == b"" and (more := next(packed.pieces, b"")):
            feed = more  # tapes and xz pad
        if len(feed) < len(magic):
            feed += next(packed.pieces, b"")
    if left := len(feed) + sum(map(len, packed.pieces)):
        remarks.append(f"{left} bytes after the packed data are left out")


def expand(stream: _Stream, feed: bytes, packed: Packed) -> Generator[bytes, None, bytes | None]:
    """Undo one stream; return what was read of what follows it, None if the stream is cut off."""
    while not stream.eof:
        try:
            part = stream.decompress(feed, _STEP)
        except (zlib.error, lzma.LZMAError, OSError, EOFError) as error:
            raise packed.bound.damaged(error) from None
        if part:
            yield packed.bound.given(part)
        feed = b""
        if stream.needs_input and not stream.eof:
            feed = next(packed.pieces, b"")
            if not feed and not part:
                return None
    return stream.unused_data


class _Deflate:
    """zlib's decompressor, which hands back what it did not get to."""

    def __init__(self, wbits: int) -> None:
        self._stream = zlib.decompressobj(wbits)

    @property
    def eof(self) -> bool:
        return self._stream.eof

    @property
    def needs_input(self) -> bool:
        return not self._stream.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        return self._stream.unused_data

    def decompress(self, data: bytes, max_length: int, /) -> bytes:
        return self._stream.decompress(self._stream.unconsumed_tail + data, max_length)


class _Zstd:
    """zstandard's decompressor, which takes no bound: what it is fed at once bounds what comes."""

    _LEAST = 256  # bytes; a block of four can be 128 KiB of one letter

    def __init__(self) -> None:
        import zstandard

        self._error = zstandard.ZstdError
        self._stream = zstandard.ZstdDecompressor().decompressobj()
        self._feed, self._at = b"", 0

    @property
    def eof(self) -> bool:
        return self._stream.eof

    @property
    def needs_input(self) -> bool:
        return self._at >= len(self._feed)

    @property
    def unused_data(self) -> bytes:
        return self._stream.unused_data + self._feed[self._at :]

    def decompress(self, data: bytes, max_length: int, /) -> bytes:
        self._feed, self._at = self._feed[self._at :] + data, 0
        parts, size = [], 0
        while not self.eof and not self.needs_input and size < max_length:
            end = self._at + self._LEAST
            try:
                parts.append(self._stream.decompress(self._feed[self._at : end]))
            except self._error as error:  # no kin of the others' errors
                raise EOFError(error) from None
            self._at = end
            size += len(parts[-1])
        return b"".join(parts)


STREAMS: Mapping[str, Callable[[], _Stream]] = {
    "gzip": partial(_Deflate, zlib.MAX_WBITS | 16),
    "deflate": partial(_Deflate, -zlib.MAX_WBITS),
    "xz": partial(lzma.LZMADecompressor, lzma.FORMAT_XZ, _XZ_MEMORY),
    "lzma": partial(lzma.LZMADecompressor, lzma.FORMAT_ALONE, _XZ_MEMORY),
    "zstd": _Zstd,
    "bzip2": bz2.BZ2Decompressor,
}
_MAGIC = {b"\x1f\x8b": "gzip", b"\xfd7zXZ\x00": "xz", b"(\xb5/\xfd": "zstd", b"BZh": "bzip2"}
