"""Packed files, unpacked in pieces: gzip, xz, zstd, bzip2, and zip archives as folders.

The output is limited by the input read so far, so that a bomb is refused early; members of a zip
archive count for the archive. A stream that was cut off gives what came before the cut; a damaged
stream gives nothing.

Members of an archive are read one at a time, in memory, and never written: their names are only
labels. Stored and deflated ones are read, as nearly all archives have. zipfile lists them, but does
not read them: it trusts a member's stated size, and reads the whole list for each.
"""

from __future__ import annotations

import bz2
import lzma
import os
import struct
import sys
import zipfile
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache, partial
from io import BytesIO
from pathlib import Path
from typing import IO, Any, NamedTuple

from fiotools.errors import FileError
from fiotools.files import PACKED, is_packed, natural

# Text of tools packs to a tenth or a thirtieth; a bomb to a thousandth. Small files may hold zeros.
_RATIO, _FLOOR = 250, 24 * 2**20
PIECE = 1 << 16  # bytes that are read at once
_STEP = 1 << 20  # bytes that come of them at once
_XZ_MEMORY = 96 * 2**20  # xz -9 asks for 65 MiB; a header can ask for 4 GiB
_START, _EMPTY = b"PK\x03\x04", b"PK\x05\x06"
_KIND = "zip archive"
_ENCRYPTED = 0x1
_OTHERS = {9: "deflate64", zipfile.ZIP_BZIP2: "bzip2", zipfile.ZIP_LZMA: "LZMA", 93: "zstd"}


def bound(size: int) -> int:
    """Return the largest output of a packed file of a size."""
    return max(_FLOOR, _RATIO * size)


class Bound:
    """The input and the output of unpacking so far; too much output is refused at once.

    ``name`` and ``kind`` are the file's, as messages name it.
    """

    def __init__(self, name: str, kind: str = "packed file") -> None:
        self.name, self.kind = name, kind
        self._taken = self.size = 0  # bytes in, and out

    def taken(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """Yield pieces of the file, and count them."""
        for piece in pieces:
            self._taken += len(piece)
            yield piece

    def given(self, part: bytes) -> bytes:
        """Count output, and return it if it is within the bound."""
        self.size += len(part)
        if self.size > bound(self._taken):
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
    """Bytes in their order, which may be packed, and the bound on their output."""

    pieces: Iterator[bytes]
    bound: Bound

    @classmethod
    def of(cls, name: str, file: IO[bytes]) -> Packed:
        """Take a file as it lies."""
        bound = Bound(name)
        return cls(bound.taken(pieces(file)), bound)


def pieces(file: IO[bytes], size: int = sys.maxsize) -> Iterator[bytes]:
    """Read a file, or so many bytes of it, some at a time."""
    while piece := file.read(min(size, PIECE)):
        size -= len(piece)
        yield piece


def unpack(packed: Packed, remarks: list[str]) -> Iterator[bytes]:
    """Undo one packing, stream after stream, some bytes at a time; give others as they are."""
    feed = next(packed.pieces, b"")
    magic = next(filter(feed.startswith, PACKED), None)
    if magic is None:
        yield feed
        yield from packed.pieces
        return
    while feed.startswith(magic):
        rest = yield from expand(STREAMS[PACKED[magic]](), feed, packed)
        if rest is None:
            if not packed.bound.size:
                raise packed.bound.damaged("it is cut off before its first byte")
            remarks.append("the packed file is cut off: what came before is read")
            return
        feed = rest
        while (feed := feed.lstrip(b"\0")) == b"" and (more := next(packed.pieces, b"")):
            feed = more  # tapes and xz pad
        if len(feed) < len(magic):
            feed += next(packed.pieces, b"")
    if left := len(feed) + sum(map(len, packed.pieces)):
        remarks.append(f"{left} bytes after the packed data are left out")


def expand(stream: Any, feed: bytes, packed: Packed) -> Generator[bytes, None, bytes | None]:
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
    rest: bytes = stream.unused_data
    return rest


class _Deflate:
    """zlib's decompressor, which returns the input that it did not use."""

    def __init__(self, wbits: int) -> None:
        self._stream = zlib.decompressobj(wbits)
        self.eof, self.needs_input, self.unused_data = False, True, b""

    def decompress(self, data: bytes, max_length: int) -> bytes:
        part = self._stream.decompress(self._stream.unconsumed_tail + data, max_length)
        self.eof, self.unused_data = self._stream.eof, self._stream.unused_data
        self.needs_input = not self._stream.unconsumed_tail
        return part


class _Zstd:
    """zstandard's decompressor, which takes no bound: small input bounds its output."""

    _LEAST = 256  # bytes; a block of four can be 128 KiB of one letter

    def __init__(self) -> None:
        import zstandard

        self._error = zstandard.ZstdError
        self._stream = zstandard.ZstdDecompressor().decompressobj()
        self._held = b""
        self.eof, self.needs_input, self.unused_data = False, True, b""

    def decompress(self, data: bytes, max_length: int) -> bytes:
        feed, parts, size = memoryview(self._held + data), [], 0
        while feed and not self._stream.eof and size < max_length:
            try:
                parts.append(self._stream.decompress(feed[: self._LEAST]))
            except self._error as error:  # no kin of the others' errors
                raise EOFError(error) from None
            feed = feed[self._LEAST :]
            size += len(parts[-1])
        self._held = bytes(feed)
        self.eof, self.needs_input = self._stream.eof, not feed
        self.unused_data = self._stream.unused_data + self._held
        return b"".join(parts)


# what undoes a packing, as lzma and bz2 do it, some bytes at a time, going in and out
STREAMS: Mapping[str, Callable[[], Any]] = {
    "gzip": partial(_Deflate, zlib.MAX_WBITS | 16),
    "deflate": partial(_Deflate, -zlib.MAX_WBITS),
    "xz": partial(lzma.LZMADecompressor, lzma.FORMAT_XZ, _XZ_MEMORY),
    "zstd": _Zstd,
    "bzip2": bz2.BZ2Decompressor,
}


def list_or_none(path: Path) -> list[str] | None:
    """List the files in an archive; None if the file is not an archive, or cannot be read."""
    try:
        return members(path) if is_archive(path) else None
    except (FileError, OSError):
        return None


def is_archive(path: Path) -> bool:
    """Return whether a path is a zip archive: by its name and its first bytes."""
    if path.suffix.lower() != ".zip" or not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(_START)) in (_START, _EMPTY)


def members(path: Path) -> list[str]:
    """List the files in an archive, sorted by name.

    The bound is for all files together: members that share their bytes do not count once only.
    """
    return sorted(_listed(path), key=natural)


def _listed(path: Path) -> Mapping[str, zipfile.ZipInfo]:
    stat = path.stat()
    return _directory(os.fspath(path), stat.st_size, (stat.st_mtime_ns, stat.st_dev, stat.st_ino))


@lru_cache(maxsize=1)
def _directory(path: str, size: int, which: tuple[int, ...]) -> Mapping[str, zipfile.ZipInfo]:
    """List the files in an archive: once, for who reads one after another."""
    limit = Bound(Path(path).as_posix(), _KIND)
    try:
        with zipfile.ZipFile(path) as archive:
            infos = {_name(info): info for info in archive.infolist()}
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError) as error:
        # also if it is split into several disks, or its places lie before its beginning
        raise limit.damaged(error) from None
    infos = {name: info for name, info in infos.items() if not name.endswith("/")}
    if any(info.header_offset < 0 for info in infos.values()):
        raise limit.damaged("in its list of files")
    if sum(info.file_size for info in infos.values()) > bound(size):
        raise limit.exceeded()
    return infos


def _name(info: zipfile.ZipInfo) -> str:
    r"""Return the name of a file in an archive; Windows PowerShell writes ``\`` for ``/``."""
    return info.filename.replace("\\", "/")


def member(path: Path, name: str) -> bytes:
    """Read one file of an archive; if it is packed itself, it is held to the archive's bound."""
    with opened(path, name) as packed:
        data = b"".join(packed.pieces)
        if is_packed(data):  # the bound is lost once the data is handed on
            for _ in unpack(Packed(pieces(BytesIO(data)), packed.bound), []):
                pass
    return data


@contextmanager
def opened(path: Path, name: str) -> Iterator[Packed]:
    """Open one file of an archive, unless it is damaged or cannot be unpacked here."""
    limit = Bound(f"{path.as_posix()}/{name}", _KIND)
    info = _listed(path).get(name)
    if info is None:
        raise limit.damaged("the file is not in it any more")
    if info.flag_bits & _ENCRYPTED:
        raise _unable(limit, "it is encrypted")
    method = info.compress_type
    if method not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise _unable(limit, f"it is packed by {_OTHERS.get(method, f'method {method}')}")
    with path.open("rb") as file:
        file.seek(info.header_offset)
        header = file.read(30)
        if len(header) < 30 or not header.startswith(_START):
            raise limit.damaged("a file does not begin where the list says")
        file.seek(sum(struct.unpack("<HH", header[26:])), os.SEEK_CUR)
        source = Packed(limit.taken(pieces(file, info.compress_size)), limit)
        yield Packed(_checked(info, source), limit)


def _unable(limit: Bound, why: str) -> FileError:
    return FileError(limit.name, f"cannot be unpacked here ({why})", remedy="unpack it first")


def _checked(info: zipfile.ZipInfo, source: Packed) -> Iterator[bytes]:
    """Yield the parts of a file, and hold them against the size and the sum that are stated."""
    left, crc = info.file_size, 0
    for part in _parts(info, source):
        left -= len(part)
        if left < 0:
            raise source.bound.damaged(f"the file is larger than {info.file_size:,} bytes")
        crc = zlib.crc32(part, crc)
        yield part
    if left or crc != info.CRC:
        raise source.bound.damaged("the file ends early" if left else "its checksum is another")


def _parts(info: zipfile.ZipInfo, source: Packed) -> Iterator[bytes]:
    if info.compress_type == zipfile.ZIP_STORED:
        yield from source.pieces
        return
    yield from expand(STREAMS["deflate"](), next(source.pieces, b""), source)
