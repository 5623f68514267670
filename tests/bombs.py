"""Small files that would unpack to two gigabytes, written without packing so much."""

import bz2
import gzip
import lzma
import struct
import zlib

SIZE = 2 << 30
# bzip2 of bzip2 of so many zeros, of which a block holds 45 MB
_BZ2 = bytes.fromhex(
    "425a6839314159265359cf2eb8b200017cffff667514086320682071420830824008004001208043a06000400400"
    "0090413000b80c068c868308068069a000301a321a0c201a01a680004d554a7a6a31311ea610c08f51a6d4f53f29"
    "bd535330b405a79c2ec85cbbe16adfa02e7859670bdb642d7d1f4d616eb285ef0ba7982f1ca16dfee50b667fa0be"
    "dfc85b617ae386217a059c2ff05a32ed858dfbbd617942eed78858ba217c61678e2c42d58d1f885cdc217b42d5c3"
    "4ffc5dc914e142433cbae2c8"
)


def _flushed(size, wbits):
    """Deflate a megabyte of zeros, repeated; the end, with its sum, is left out."""
    packer = zlib.compressobj(9, zlib.DEFLATED, wbits)
    head = packer.flush(zlib.Z_FULL_FLUSH)
    part = packer.compress(bytes(1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
    return head + part * (size >> 20)


def _xz(dictionary):
    """Repeat the chunks of LZMA2, which begin anew each; the end is left out."""
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": dictionary}]
    chunks = lzma.compress(bytes(1 << 20), lzma.FORMAT_RAW, filters=filters)[:-1]
    packed = lzma.compress(bytes(1 << 20), filters=filters)
    return packed[: packed.index(chunks)] + chunks * (SIZE >> 20)


def _zstd(window):
    """Write blocks of one byte, 128 KiB long: so many of four bytes."""
    head = b"(\xb5/\xfd\0" + bytes([(window - 10) << 3])
    block = struct.pack("<L", (128 << 10) << 3 | 0b010)
    return head + block * (SIZE >> 17)


def zipped(*members):
    """Write an archive whose members are (packed, method, size as stated, sum)."""
    body, central = b"", b""
    for number, (packed, method, size, crc) in enumerate(members):
        name = b"%d.txt" % number
        told = struct.pack("<HHHHLLL", 0, method, 0, 0x21, crc, len(packed), size)
        at = struct.pack("<HHHHHLL", len(name), 0, 0, 0, 0, 0, len(body))
        central += b"PK\1\2" + struct.pack("<HH", 20, 20) + told + at + name
        body += b"PK\3\4" + struct.pack("<H", 20) + told + struct.pack("<HH", len(name), 0)
        body += name + packed
    count = len(members)
    end = struct.pack("<HHHHLLH", 0, 0, count, count, len(central), len(body), 0)
    return body + central + b"PK\5\6" + end


def stored(content):
    """Give a member as `zipped` takes it."""
    return content, 0, len(content), zlib.crc32(content)


def deflated(content):
    """Give a member as `zipped` takes it."""
    return zlib.compress(content, 9)[2:-4], 8, len(content), zlib.crc32(content)


def bombs():
    """Give the content of each, by the name of its file."""
    packed_bz2 = bz2.decompress(_BZ2)
    gz = _flushed(SIZE, zlib.MAX_WBITS | 16)
    packed = _flushed(SIZE, -zlib.MAX_WBITS)
    made = {
        "x.bz2": packed_bz2,
        "x.gz": gz,
        "x.xz": _xz(1 << 20),
        "x.zst": _zstd(20),
        "dictionary-64-MiB.xz": _xz(64 << 20),
        "dictionary-1-GiB.xz": _xz(1 << 30),
        "window-128-MiB.zst": _zstd(27),
        "gz-in-gz.gz": gzip.compress(gz),
        "bz2-in-bz2.bz2": _BZ2,
        "gz-in-zip.zip": zipped(stored(gz)),
        "bz2-in-zip.zip": zipped(stored(packed_bz2)),
        "gz-deflated-in-zip.zip": zipped(deflated(gz)),
        "zst-deflated-in-zip.zip": zipped(deflated(_zstd(20))),
        "zip-in-zip.zip": zipped(deflated(zipped((packed, 8, SIZE, 0)))),
        "many.zip": zipped(*[deflated(bytes(1 << 20))] * 2048),
        "many-small-as-stated.zip": zipped(*[(packed, 8, 10, 0)] * 20),
    }
    for stated in (1000, 20 << 20, SIZE):
        made[f"deflate-of-{stated}.zip"] = zipped((packed, 8, stated, 0))
    return made
