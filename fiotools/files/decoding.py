"""Bytes to text: what a file is packed in is undone, and its characters are decoded."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, field
from io import BytesIO

from fiotools.errors import UnknownFormatError
from fiotools.files.packing import Packed, is_packed, unpack

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
_BEGINNINGS = tuple(_MAGIC)
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
        data = b"".join(unpack(Packed.of(name, BytesIO(data)), remarks))
        doubts += [(None, remark) for remark in remarks]
        refuse_packed(name, data)
    if data.startswith(_BEGINNINGS):
        what = next(what for magic, what in _MAGIC.items() if data.startswith(magic))
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


def refuse_packed(name: str, data: bytes) -> None:
    """Refuse what came of a packed file, if it is packed itself."""
    if is_packed(data):
        raise UnknownFormatError(name, "the file is packed twice", remedy="unpack it once")


def plain_name(name: str) -> str:
    """Return a file's name without the suffix of what it is packed in.

    Examples
    --------
    >>> plain_name("run_lat.1.log.gz")
    'run_lat.1.log'
    """
    return _SUFFIX.sub("", name)
