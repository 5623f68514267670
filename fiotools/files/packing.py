"""Packed files, unpacked in pieces: gzip, xz, zstd, bzip2, and zip archives as folders.

The output is limited by the input read so far, so that a bomb is refused early; members of a zip
archive count for the archive. Of a stream that is cut off or damaged nothing is read.

Members of an archive are read one at a time, in memory, and never written: their names are only
labels. Stored and deflated ones are read, as nearly all archives have: of the others zipfile
bounds neither output nor memory.
"""

from __future__ import annotations

import bz2
import lzma
import os
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache, partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from fiotools.errors import FileError, UnknownFormatError
from fiotools.files import PACKED, is_packed, natural

if TYPE_CHECKING:
    from _typeshed import SupportsRead

# Text of tools packs to a tenth or a thirtieth; a bomb to a thousandth. Small files may hold zeros.
_RATIO, _FLOOR = 250, 24 * 2**20
PIECE = 1 << 16  # bytes that are read at once
_STEP = 1 << 20  # bytes that come of them at once
_XZ_MEMORY = 96 * 2**20  # xz -9 asks for 65 MiB; a header can ask for 4 GiB
_ZSTD_PIECE = 256  # bytes; a block of four can be 128 KiB of one letter
_START, _EMPTY = b"PK\x03\x04", b"PK\x05\x06"
_ENCRYPTED = 0x1


class Bound:
    """A file whose bytes are counted, and the bound on what comes of them."""

    def __init__(self, name: str, file: SupportsRead[bytes], kind: str = "packed file") -> None:
        self.name, self._file, self._kind = name, file, kind
        self._taken = self._given = 0

    def read(self, size: int = PIECE, /) -> bytes:
        """Read up to so many bytes."""
        data = self._file.read(size)
        self._taken += len(data)
        return data

    def given(self, part: bytes) -> bytes:
        """Count output, and return it if it is within the bound."""
        self._given += len(part)
        if self._given > _most(self._taken):
            raise _exceeded(self.name)
        return part

    def damaged(self, why: object) -> FileError:
        """Say that the file is damaged."""
        return _damaged(self.name, self._kind, why)

    def cut_off(self) -> FileError:
        """Say that the file ends within a stream."""
        remedy = "copy it again, or unpack what is there and read that"
        return FileError(self.name, f"the {self._kind} is cut off", remedy=remedy)


def _most(size: int) -> int:
    """Return the largest output of a packed file of a size."""
    return max(_FLOOR, _RATIO * size)


def _exceeded(name: str) -> FileError:
    remedy = "if you trust it, unpack it and read what was in it"
    return FileError(name, f"expands to more than {_RATIO} times its size", remedy=remedy)


def _damaged(name: str, kind: str, why: object) -> FileError:
    return FileError(name, f"the {kind} is damaged ({why})", remedy="copy it again")


class Packed(NamedTuple):
    """Bytes that may be packed, and the bound on what comes of the file in which they lie."""

    source: SupportsRead[bytes]
    bound: Bound

    @classmethod
    def of(cls, name: str, file: IO[bytes]) -> Packed:
        """Take a file as it lies."""
        bound = Bound(name, file)
        return cls(bound, bound)


def unpack(packed: Packed) -> Iterator[bytes]:
    """Undo one packing, some bytes at a time; give others as they are.

    Raises
    ------
    FileError
        If the content is cut off or damaged, or expands beyond the bound.
    UnknownFormatError
        If it is packed twice.
    """
    feed = packed.source.read(PIECE)
    kind = next((PACKED[magic] for magic in PACKED if feed.startswith(magic)), None)
    if kind is None:
        yield feed
        yield from iter(lambda: packed.source.read(PIECE), b"")
        return
    parts = _unpacked(_STREAMS[kind], feed, packed)
    first = next(parts, b"")
    if is_packed(first):
        raise UnknownFormatError(packed.bound.name, "it is packed twice", remedy="unpack it once")
    yield first
    yield from parts


def _unpacked(make: Callable[[], Any], feed: bytes, packed: Packed) -> Iterator[bytes]:
    """Undo stream after stream."""
    source, bound = packed
    stream = make()
    while True:
        try:
            part = stream.decompress(feed, _STEP)
        except (zlib.error, lzma.LZMAError, OSError, EOFError) as error:
            raise bound.damaged(error) from None
        if part:
            yield bound.given(part)
        feed = b""
        if stream.eof:
            feed = stream.unused_data.lstrip(b"\0")  # tapes and xz pad
            while not feed:
                if not (more := source.read(PIECE)):
                    return
                feed = more.lstrip(b"\0")
            stream = make()
        elif stream.needs_input and not (feed := source.read(PIECE)):
            raise bound.cut_off()


class _Gzip:
    """zlib's decompressor, as lzma and bz2 have theirs."""

    def __init__(self) -> None:
        self._stream = zlib.decompressobj(zlib.MAX_WBITS | 16)
        self.eof, self.needs_input, self.unused_data = False, True, b""

    def decompress(self, data: bytes, max_length: int) -> bytes:
        part = self._stream.decompress(self._stream.unconsumed_tail + data, max_length)
        self.eof, self.unused_data = self._stream.eof, self._stream.unused_data
        self.needs_input = not self._stream.unconsumed_tail
        return part


class _Zstd:
    """zstandard's decompressor, which takes no bound: small input bounds its output."""

    def __init__(self) -> None:
        import zstandard

        self._error = zstandard.ZstdError
        self._stream = zstandard.ZstdDecompressor().decompressobj()
        self._held = b""
        self.eof, self.needs_input, self.unused_data = False, True, b""

    def decompress(self, data: bytes, _: int) -> bytes:
        held = self._held + data
        self._held = held[_ZSTD_PIECE:]
        try:
            part: bytes = self._stream.decompress(held[:_ZSTD_PIECE])
        except self._error as error:  # no kin of the others' errors
            raise EOFError(error) from None
        self.eof, self.needs_input = self._stream.eof, not self._held
        self.unused_data = self._stream.unused_data + self._held
        return part


_STREAMS: Mapping[str, Callable[[], Any]] = {
    "gzip": _Gzip,
    "xz": partial(lzma.LZMADecompressor, lzma.FORMAT_XZ, _XZ_MEMORY),
    "zstd": _Zstd,
    "bzip2": bz2.BZ2Decompressor,
}


# --- zip archives -------------------------------------------------------------------------------


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
    return _directory(path.as_posix(), stat.st_size, (stat.st_mtime_ns, stat.st_dev, stat.st_ino))


@lru_cache(maxsize=1)
def _directory(path: str, size: int, _: tuple[int, ...]) -> Mapping[str, zipfile.ZipInfo]:
    """List the files in an archive: once, for who reads one after another."""
    try:
        with zipfile.ZipFile(path) as archive:
            # Windows PowerShell writes ``\`` for ``/``
            infos = {info.filename.replace("\\", "/"): info for info in archive.infolist()}
        if any(info.header_offset < 0 for info in infos.values()):
            raise zipfile.BadZipFile("a file begins before the archive")
    # zipfile raises each of them for a damaged archive, or one that is split into several disks
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError) as error:
        raise _damaged(path, "zip archive", error) from None
    infos = {name: info for name, info in infos.items() if not name.endswith("/")}
    if sum(info.file_size for info in infos.values()) > _most(size):
        raise _exceeded(path)
    return infos


def member(path: Path, name: str) -> bytes:
    """Read one file of an archive, and unpack it if it is packed itself."""
    with opened(path, name) as packed:
        return b"".join(unpack(packed))


@contextmanager
def opened(path: Path, name: str) -> Iterator[Packed]:
    """Open one file of an archive, unless it is damaged or cannot be unpacked here."""
    info = _listed(path).get(name)
    with path.open("rb") as file:
        bound = Bound(f"{path.as_posix()}/{name}", file, "zip archive")
        if info is None:
            raise bound.damaged("the file is not in it any more")
        if why := _not_readable(info):
            raise FileError(
                bound.name, f"cannot be unpacked here ({why})", remedy="unpack it first"
            )
        try:
            _skip_header(file, info)
            # ZipFile.open would read the list again for each file
            with zipfile.ZipExtFile(bound, "r", info) as source:
                yield Packed(source, bound)
        except (zipfile.BadZipFile, zlib.error, EOFError) as error:
            raise bound.damaged(error) from None


def _not_readable(info: zipfile.ZipInfo) -> str | None:
    """Say why a file of an archive cannot be unpacked here; None if it can."""
    if info.flag_bits & _ENCRYPTED:
        return "it is encrypted"
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return f"it is packed by method {info.compress_type}"
    return None


def _skip_header(file: IO[bytes], info: zipfile.ZipInfo) -> None:
    """Go from the place of a file in an archive to its bytes."""
    file.seek(info.header_offset)
    header = file.read(30)
    if len(header) < 30 or not header.startswith(_START):
        raise zipfile.BadZipFile("a file does not begin where the list says")
    file.seek(sum(struct.unpack("<HH", header[26:])), os.SEEK_CUR)
