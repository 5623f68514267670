"""Packed files are read as they are, within bounds: gzip, xz, zstd, bzip2, and zip as a folder."""

import bz2
import gzip
import io
import lzma
import zipfile
from functools import cache

import pytest
import zstandard

import fiotools as ft
from fiotools.decoding import decode

REPORT = (
    b"16+0 records in\n16+0 records out\n16777216 bytes (17 MB, 16 MiB) copied, 2 s, 8.4 MB/s\n"
)
ZSTD = zstandard.ZstdCompressor(write_checksum=True)
PACK = {"gz": gzip.compress, "xz": lzma.compress, "zst": ZSTD.compress, "bz2": bz2.compress}
packing = pytest.mark.parametrize("suffix", PACK)
# what packing does not shorten, so that half of the file is half of the text
LINES = b"".join(b"%d\n" % (n * n * 7919 % 1_000_003) for n in range(300_000))


@cache
def packed_lines(suffix):
    return PACK[suffix](LINES)


@packing
def test_a_packed_file_is_read(tmp_path, suffix):
    file = tmp_path / f"dd.txt.{suffix}"
    file.write_bytes(PACK[suffix](REPORT))
    results = ft.read(file)
    assert results.io["io_bytes"].tolist() == [16777216]
    assert results.io["source"].tolist() == [file.as_posix()]
    assert results.notes.empty


@packing
def test_streams_one_after_another(suffix):
    pack = PACK[suffix]
    assert decode("x", pack(LINES[:999]) + pack(LINES[999:])).text.encode() == LINES


@packing
def test_a_cut_stream_gives_what_came_before(suffix):
    packed = packed_lines(suffix)
    decoded = decode("x", packed[: len(packed) // 2])
    assert LINES.startswith(decoded.text.encode())
    assert 0.3 < len(decoded.text) / len(LINES) < 0.7
    assert decoded.doubts == [(None, "the packed file is cut off: what came before is read")]


@packing
def test_of_a_damaged_stream_nothing_is_certain(suffix):
    packed = bytearray(packed_lines(suffix))
    packed[len(packed) // 2] ^= 0xFF
    with pytest.raises(ft.FileError, match=r"x: the packed file is damaged .*; copy it again"):
        decode("x", bytes(packed))


@packing
def test_a_bomb_is_refused(suffix):
    packed = PACK[suffix](bytes(80 * 2**20))
    with pytest.raises(ft.FileError, match="expands to more than 250 times its size"):
        decode("x", packed)


def test_what_follows_a_stream_is_said():
    decoded = decode("x", gzip.compress(REPORT) + bytes(100) + b"junk")
    assert decoded.text.encode() == REPORT
    assert decoded.doubts == [(None, "4 bytes after the packed data are left out")]


# what lzma.compress makes of b"x" with a dictionary of 1 GiB, for which it takes as much itself
GREEDY = bytes.fromhex(
    "fd377a585a000004e6d6b44602002101240000005e1fc7f9010000780000000045aeef83f8ee160a"
    "00011901a52c81cc1fb6f37d010000000004595a"
)


def test_xz_may_not_ask_for_much_memory():
    assert lzma.decompress(GREEDY) == b"x"
    with pytest.raises(ft.FileError, match=r"damaged .*[Mm]emory"):
        decode("x", GREEDY)


def zipped(path, **members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name.replace("__", "/"), data)
    return path


def test_a_zip_archive_is_a_folder(tmp_path):
    names = {"qd1__a.txt": REPORT, "qd8__a.txt": REPORT, "qd8__b.txt": b"?", "README": b""}
    path = zipped(tmp_path / "runs.zip", **names)
    place = path.as_posix()
    results = ft.read(path)
    assert results.io["source"].tolist() == [f"{place}/qd1/a.txt", f"{place}/qd8/a.txt"]
    assert results.notes["source"].tolist() == [f"{place}/qd8/b.txt"]
    assert len(ft.read(tmp_path).io) == 2
    assert len(ft.read(f"{place}/qd8/a.txt").io) == 1
    assert len(ft.read(f"{place}/*/a.txt").io) == 2
    labelled = ft.read(f"{place}/qd{{iodepth:d}}/a.txt").io
    assert labelled["iodepth"].tolist() == [1, 8]
    with pytest.raises(FileNotFoundError, match="no such file"):
        ft.read(f"{place}/c.txt")
    with pytest.raises(FileNotFoundError, match="no files to read"):
        ft.read(zipped(tmp_path / "none.zip", README=b""))


def test_a_member_alone_must_be_recognised(tmp_path):
    with pytest.raises(ft.UnknownFormatError, match=r"one\.zip/a\.txt:1: no known format"):
        ft.read(zipped(tmp_path / "one.zip", **{"a.txt": b"?"}))


def test_a_member_with_a_path_of_its_own_touches_nothing(tmp_path):
    members = {"/abs.txt": REPORT, "../out.txt": REPORT, "a/../../out.txt": REPORT}
    results = ft.read(zipped(tmp_path / "x.zip", **members))
    # what points elsewhere is as good as hidden
    assert [source.rpartition("x.zip")[2] for source in results.io["source"]] == ["//abs.txt"]
    assert sorted(file.name for file in tmp_path.rglob("*")) == ["x.zip"]


def test_a_zip_bomb_is_refused(tmp_path):
    path = zipped(tmp_path / "bomb.zip", a=bytes(50 * 2**20), b=bytes(50 * 2**20))
    with pytest.raises(ft.FileError, match="expands to far more than its size"):
        ft.read(path)


def test_a_damaged_archive_costs_only_itself(tmp_path):
    path = zipped(tmp_path / "bad.zip", **{"a.txt": LINES})
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    (tmp_path / "good.txt").write_bytes(REPORT)
    with pytest.raises(ft.ReadErrors, match="the zip archive is damaged") as raised:
        ft.read([path, tmp_path / "good.txt"])
    assert len(raised.value.results.io) == 1
    flipped = bytearray(data)
    flipped[len(data) // 2] ^= 0xFF
    path.write_bytes(bytes(flipped))
    with pytest.raises(ft.FileError, match=r"bad\.zip/a\.txt: the zip archive is damaged"):
        ft.read(path)


def test_other_archives_are_named():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a", b"")
    for data, what in {
        buffer.getvalue(): "a zip archive",
        bytes(257) + b"ustar": "a tar archive",
        b"7z\xbc\xaf\x27\x1c": "a 7-Zip archive",
    }.items():
        with pytest.raises(ft.UnknownFormatError, match=what):
            ft.reads(data)
