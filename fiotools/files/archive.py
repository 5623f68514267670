"""A zip archive as a folder of files.

Members are read one at a time, in memory, and never written anywhere: their names are labels only.
Only the list of them is zipfile's: it would take a member's word for its size, and expand what it
reads of some packings whole.
"""

from __future__ import annotations

import os
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from io import BytesIO
from pathlib import Path

from fiotools.errors import FileError
from fiotools.files.packing import STREAMS, Bound, Packed, bound, expand, is_packed, pieces, unpack
from fiotools.files.path_labels import natural

_START = b"PK\x03\x04"
_KIND = "zip archive"
_ENCRYPTED = 0x1
_END_IS_MARKED = 0x2  # of LZMA
_METHODS = {
    zipfile.ZIP_STORED: "",
    zipfile.ZIP_DEFLATED: "deflate",
    zipfile.ZIP_BZIP2: "bzip2",
    zipfile.ZIP_LZMA: "lzma",
    93: "zstd",
}


def list_or_none(path: Path) -> list[str] | None:
    """List the files in an archive; None for what is no archive, or cannot be read."""
    try:
        return members(path) if is_archive(path) else None
    except (FileError, OSError):
        return None


def is_archive(path: Path) -> bool:
    """Say whether a path is a zip archive: by its name and its first bytes."""
    if path.suffix.lower() != ".zip" or not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(_START)) == _START


def members(path: Path) -> list[str]:
    """List the files in an archive, sorted by name.

    Raises
    ------
    FileError
        If the archive is damaged, or expands to more than its bound: all files together, so that
        members which share their bytes do not count once only.
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
            # ZipInfo.is_dir() of Python 3.11 takes no empty name
            infos = [info for info in archive.infolist() if not info.filename.endswith("/")]
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError) as error:
        # also if it is split into several disks, or its places lie before its beginning
        raise limit.damaged(error) from None
    if any(info.header_offset < 0 for info in infos):
        raise limit.damaged("its list of files is")
    if sum(info.file_size for info in infos) > bound(size):
        raise limit.exceeded()
    return {info.filename: info for info in infos}


def member(path: Path, name: str) -> bytes:
    """Read one file of an archive.

    Raises
    ------
    FileError
        As in `opened`; also if it is packed itself, and expands beyond the bound of the archive.
    """
    with opened(path, name) as packed:
        data = b"".join(packed.pieces)
        if is_packed(data):  # who gets it will not know of what little it came
            for _ in unpack(Packed(pieces(BytesIO(data)), packed.bound), []):
                pass
    return data


@contextmanager
def opened(path: Path, name: str) -> Iterator[Packed]:
    """Open one file of an archive.

    Raises
    ------
    FileError
        If it is damaged, encrypted, packed in a way that is not known here, or larger than the
        archive says.
    """
    limit = Bound(f"{path.as_posix()}/{name}", _KIND)
    info = _listed(path).get(name)
    if info is None:
        raise limit.damaged("the file is not in it any more")
    if info.flag_bits & _ENCRYPTED:
        raise _unable(limit, "it is encrypted")
    if info.compress_type not in _METHODS:
        raise _unable(limit, f"it is packed by method {info.compress_type}")
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
    """Give the parts of a file, and hold them against the size and the sum that are stated."""
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
    feed = next(source.pieces, b"")
    if info.compress_type == zipfile.ZIP_LZMA:
        # the head of a .lzma file, but with version and length before it and no size behind it
        size = -1 if info.flag_bits & _END_IS_MARKED else info.file_size
        feed = feed[4:9] + struct.pack("<q", size) + feed[9:]
    yield from expand(STREAMS[_METHODS[info.compress_type]](), feed, source)
