"""Bytes to text: what a file is packed in, how its characters are coded.

gzip, xz, zstd and bzip2 are undone as they come, also several streams one after another, up to a
bound on what they may expand to. A stream that was cut off gives what came before; of a damaged
one nothing is certain.
"""

from __future__ import annotations

import bz2
import codecs
import lzma
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from io import BytesIO
from typing import IO, Protocol

from fiotools.errors import FileError, UnknownFormatError

# Text of tools packs to a tenth or a thirtieth; a bomb to a thousandth. Small files may hold zeros.
_RATIO, _FLOOR = 250, 64 * 2**20
_PIECE = 1 << 20
_FEED = 4096  # what one step may expand to stays below some 30 MiB
_XZ_MEMORY = 256 * 2**20  # xz -9 asks for 65 MiB; a header can ask for 4 GiB

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_MAGIC = {
    b"\x89PNG": "a PNG image",
    b"\xff\xd8\xff": "a JPEG image",
    b"%PDF": "a PDF document",
    b"SQLite format": "an SQLite database",
    b"PAR1": "a Parquet file",
    b"\x7fELF": "a program",
    b"PK\x03\x04": "a zip archive (unpack it, or name it .zip)",
    b"7z\xbc\xaf\x27\x1c": "a 7-Zip archive (unpack it first)",
    b"Rar!": "a RAR archive (unpack it first)",
    b"x\x9c": "a log that fio compressed (fio --inflate-log=FILE unpacks it)",
}
_SUFFIX = re.compile(r"\.(?:gz|xz|zst|bz2)$", re.IGNORECASE)


@dataclass
class Decoded:
    """The text of a file, and what was wrong with its bytes: (line or None, message)."""

    text: str
    doubts: list[tuple[int | None, str]] = field(default_factory=list)


def decode(name: str, data: bytes) -> Decoded:
    """Unpack and decode: BOM, UTF-16, UTF-8; what is not UTF-8 is replaced.

    Raises
    ------
    UnknownFormatError
        If the bytes are no text.
    FileError
        If they expand beyond the bound.
    """
    doubts: list[tuple[int | None, str]] = []
    if is_packed(data):
        remarks: list[str] = []
        data = b"".join(unpack(name, BytesIO(data), len(data), remarks))
        doubts += [(None, remark) for remark in remarks]
    for magic, what in _MAGIC.items():
        if data.startswith(magic):
            raise UnknownFormatError(name, f"this is {what}, not a tool's output")
    if data[257:262] == b"ustar":
        raise UnknownFormatError(name, "this is a tar archive", remedy="unpack it first")
    encoding = next((name for bom, name in _BOMS if data.startswith(bom)), None)
    if encoding is None:
        # PowerShell's UTF-16 without a mark: every second byte of ASCII is zero
        encoding = "utf-16-le" if data[1:64:2].strip(b"\0") == b"" != data[1:2] else "utf-8"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        wanted = "UTF-16" if encoding.startswith("utf-16") else "UTF-8"
        doubts.append((line, f"bytes that are not {wanted} were replaced"))
        text = data.decode(encoding, errors="replace")
    if "\0" in text[:4096]:
        raise UnknownFormatError(name, "this is a binary file, not a tool's output")
    return Decoded(text, doubts)


def plain_name(name: str) -> str:
    """Return a file's name without the suffix of what it is packed in.

    Examples
    --------
    >>> plain_name("run_lat.1.log.gz")
    'run_lat.1.log'
    """
    return _SUFFIX.sub("", name)


def bound(size: int) -> int:
    """Return how many bytes a packed file of a size may expand to."""
    return max(_FLOOR, _RATIO * size)


class _Stream(Protocol):
    """What zlib, lzma, bz2 and zstandard have in common."""

    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, /) -> bytes: ...


def is_packed(head: bytes) -> bool:
    """Say whether a file is packed, by its first bytes."""
    return head.startswith(tuple(_PACKED))


def unpack(name: str, file: IO[bytes], size: int, remarks: list[str]) -> Iterator[bytes]:
    """Undo one packing, stream after stream, some bytes at a time; give others as they are.

    Parameters
    ----------
    name : str
    file : binary file
        At its beginning.
    size : int
        How many bytes it has, which bounds what it may expand to.
    remarks : list of str
        Takes what else there is to say.

    Raises
    ------
    FileError
        If the file is damaged, or expands beyond the bound.
    """
    feed = file.read(_FEED)
    known = [kind for kind in _PACKED.items() if feed.startswith(kind[0])]
    if not known:
        while feed:
            yield feed
            feed = file.read(_PIECE)
        return
    magic, opened = known[0]
    limit, expanded = bound(size), 0
    while feed.startswith(magic):
        stream = opened()
        while not stream.eof:
            if not feed:
                remarks.append("the packed file is cut off: what came before is read")
                return
            try:
                part = stream.decompress(feed)
            except (zlib.error, lzma.LZMAError, OSError, EOFError) as error:
                raise FileError(
                    name, f"the packed file is damaged ({error})", remedy="copy it again"
                ) from None
            feed = file.read(_FEED)
            expanded += len(part)
            if expanded > limit:
                raise FileError(
                    name,
                    f"expands to more than {_RATIO} times its size",
                    remedy="if you trust it, unpack it and read what was in it",
                )
            yield part
        feed = stream.unused_data + feed
        while (feed := feed.lstrip(b"\0")) == b"" and (more := file.read(_FEED)):
            feed = more  # tapes and xz pad
        if len(feed) < len(magic):
            feed += file.read(_FEED)
    rest = len(feed) + sum(map(len, iter(lambda: file.read(_PIECE), b"")))
    if rest:
        remarks.append(f"{rest} bytes after the packed data are left out")


def _gzip() -> _Stream:
    return zlib.decompressobj(zlib.MAX_WBITS | 16)


def _xz() -> _Stream:
    return lzma.LZMADecompressor(memlimit=_XZ_MEMORY)


class _Zstd:
    """zstandard's decompressor, whose error is no kin of the others'."""

    def __init__(self) -> None:
        import zstandard

        self._error = zstandard.ZstdError
        self._stream = zstandard.ZstdDecompressor().decompressobj()

    @property
    def eof(self) -> bool:
        return self._stream.eof

    @property
    def unused_data(self) -> bytes:
        return self._stream.unused_data

    def decompress(self, data: bytes, /) -> bytes:
        try:
            return self._stream.decompress(data)
        except self._error as error:
            raise EOFError(error) from None


_PACKED: dict[bytes, Callable[[], _Stream]] = {
    b"\x1f\x8b": _gzip,
    b"\xfd7zXZ\x00": _xz,
    b"(\xb5/\xfd": _Zstd,
    b"BZh": bz2.BZ2Decompressor,
}
