"""Packed files are read as they are, within bounds: gzip, xz, zstd, bzip2, and zip as a folder."""

import bz2
import gzip
import io
import lzma
import re
import subprocess
import sys
import zipfile
import zlib
from functools import cache, partial

import polars as pl
import pytest
import zstandard

import fiotools as ft
from fiotools.errors import UnknownFormatError
from fiotools.readers.document import decode
from tests.bombs import bombs, deflated, stored, zipped
from tests.conftest import ROOT

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
    assert decode("x", pack(LINES[:999]) + pack(LINES[999:]))[0].encode() == LINES


@packing
@pytest.mark.parametrize("share", [0.5, 0])
def test_a_cut_stream_is_refused(suffix, share):
    packed = packed_lines(suffix)
    wanted = "the packed file is cut off; copy it again, or unpack what is there and read that"
    with pytest.raises(ft.FileError, match=wanted):
        decode("x", packed[: max(9, int(share * len(packed)))])


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


@packing
def test_what_follows_a_stream_is_not_passed_over(suffix):
    packed = PACK[suffix](REPORT) + bytes(100_000)
    assert decode("x", packed)[0].encode() == REPORT
    with pytest.raises(ft.FileError, match="is damaged"):
        decode("x", packed + b"somebody's own words")


# what lzma.compress makes of b"x" with a dictionary of 1 GiB, for which it takes as much itself
GREEDY = bytes.fromhex(
    "fd377a585a000004e6d6b44602002101240000005e1fc7f9010000780000000045aeef83f8ee160a"
    "00011901a52c81cc1fb6f37d010000000004595a"
)


def test_xz_may_not_ask_for_much_memory():
    assert lzma.decompress(GREEDY) == b"x"
    with pytest.raises(ft.FileError, match=r"damaged .*[Mm]emory"):
        decode("x", GREEDY)


def zipped_at(path, **members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name.replace("__", "/"), data)
    return path


def test_a_zip_archive_is_a_folder(tmp_path):
    names = {"qd1__a.txt": REPORT, "qd8__a.txt": REPORT, "qd8__b.txt": b"?", "README": b""}
    path = zipped_at(tmp_path / "runs.zip", **names)
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
        ft.read(zipped_at(tmp_path / "none.zip", README=b""))


def test_an_archive_of_windows_has_folders(tmp_path):
    """Compress-Archive of Windows PowerShell writes backslashes."""
    path = tmp_path / "runs.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("qd1\\", "qd1\\a.txt", "qd8\\a.txt", ".hidden\\a.txt"):
            archive.writestr(name, REPORT if name.endswith("t") else b"")
    assert ft.read(path).files == 2
    labelled = ft.read(f"{path.as_posix()}/qd{{iodepth:d}}/a.txt").io
    assert labelled["iodepth"].tolist() == [1, 8]


def test_members_may_have_any_name(tmp_path):
    names = ("1" * 5000, "x[1].txt", "x1.txt", "x2.txt")
    place = zipped_at(tmp_path / "x.zip", **dict.fromkeys(names, REPORT)).as_posix()
    assert ft.read(place).files == 4
    assert ft.read(f"{place}/x[1].txt").files == 2  # the one of this name, and the one it matches
    assert ft.read(f"{place}/x[12].txt").files == 2


def test_an_empty_archive_is_said_to_be_empty(tmp_path):
    with pytest.raises(UnknownFormatError, match="the zip archive is empty"):
        ft.read(zipped_at(tmp_path / "x.zip"))


def test_a_member_alone_must_be_recognised(tmp_path):
    with pytest.raises(UnknownFormatError, match=r"one\.zip/a\.txt:1: unknown format"):
        ft.read(zipped_at(tmp_path / "one.zip", **{"a.txt": b"?"}))


def test_a_member_with_a_path_of_its_own_touches_nothing(tmp_path):
    members = {"/abs.txt": REPORT, "../out.txt": REPORT, "a/../../out.txt": REPORT}
    results = ft.read(zipped_at(tmp_path / "x.zip", **members))
    # what points elsewhere is as good as hidden
    assert [source.rpartition("x.zip")[2] for source in results.io["source"]] == ["//abs.txt"]
    assert sorted(file.name for file in tmp_path.rglob("*")) == ["x.zip"]


def test_a_zip_bomb_is_refused(tmp_path):
    path = zipped_at(tmp_path / "bomb.zip", a=bytes(50 * 2**20), b=bytes(50 * 2**20))
    with pytest.raises(ft.FileError, match="expands to more than 250 times its size"):
        ft.read(path)


def test_a_damaged_archive_costs_only_itself(tmp_path):
    path = zipped_at(tmp_path / "bad.zip", **{"a.txt": LINES})
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
        with pytest.raises(UnknownFormatError, match=what):
            ft.reads(data)


MEASURED = """
import re, sys, time
from pathlib import Path
import fiotools as ft

status = Path("/proc/self/status")
for path in [Path("data/page-cache/after.txt"), *sorted(Path(sys.argv[1]).iterdir())]:
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    began = time.process_time()
    try:
        said = ft.read(path)
    except (ft.FileError, ft.ReadErrors) as error:
        said = str(error)
    took = time.process_time() - began
    peak = int(re.search(r"VmHWM:\\s*(\\d+) kB", status.read_text())[1]) / 1024
    print(path.name, f"{peak:.0f} {took:.1f}", repr(said), sep="\\t")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="/proc says what a process took at most")
def test_bombs_take_little(tmp_path):
    """Each is refused at once, and the whole process stays below 200 MB.

    Where Python and its packages alone take more than 128 MB, 72 MB come on top of that.
    """
    import resource

    made = bombs()
    for name, content in made.items():
        (tmp_path / name).write_bytes(content)
    command = [sys.executable, "-c", MEASURED, tmp_path.as_posix()]
    limit = partial(resource.setrlimit, resource.RLIMIT_AS, (4 << 30, 4 << 30))
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, preexec_fn=limit, cwd=ROOT
    )
    told = [line.split("\t") for line in done.stdout.splitlines()]
    base = float(told.pop(0)[1].split()[0])
    assert [name for name, *_ in told] == sorted(made)
    said = r"more than 250 times|is damaged \(.*copy it again|packed twice|unpack it, or name it"
    assert [line for line in told if not re.search(said, line[2])] == []
    taken = {name: [float(value) for value in values.split()] for name, values, _ in told}
    most = 1.1 * max(200, base + 72)  # from run to run the allocator keeps some MB more or less
    assert {name: one for name, one in taken.items() if one[0] > most or one[1] > 5} == {}


def test_one_bound_for_what_is_packed_in_what_is_packed(tmp_path):
    path = tmp_path / "x.zip"
    path.write_bytes(zipped(deflated(gzip.compress(bytes(30 << 20)))))
    with pytest.raises(ft.FileError, match=r"x\.zip/0\.txt: expands to more than 250 times"):
        ft.read(path)


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_members_are_read(tmp_path, method):
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("0.txt", REPORT)
    assert ft.read(path).io["io_bytes"].tolist() == [16777216]


@pytest.mark.parametrize("method", [9, 12, 14, 93])  # deflate64, bzip2, LZMA, zstd
def test_members_of_other_packings_are_refused(tmp_path, method):
    path = tmp_path / "x.zip"
    path.write_bytes(zipped((REPORT, method, len(REPORT), zlib.crc32(REPORT))))
    wanted = (
        rf"x\.zip/0\.txt: cannot be unpacked here \(it is packed by method {method}\); unpack it"
    )
    with pytest.raises(ft.FileError, match=wanted):
        ft.read(path)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({6: 1}, r"cannot be unpacked here \(it is encrypted\); unpack it first"),
        ({14: 0}, r"damaged \(Bad CRC-32"),
        ({22: 1}, r"damaged \(Bad CRC-32"),
    ],
    ids=["encrypted", "sum", "long"],
)
def test_a_member_that_is_not_as_stated_is_refused(tmp_path, change, why):
    data = bytearray(zipped((REPORT, 0, len(REPORT), zlib.crc32(REPORT))))
    central = data.index(b"PK\1\2")
    for at, value in change.items():
        data[central + 2 + at] = value  # where a local header has it, behind one version more
    (tmp_path / "x.zip").write_bytes(data)
    with pytest.raises(ft.FileError, match=rf"x\.zip/0\.txt: .*{why}"):
        ft.read(tmp_path / "x.zip")


@pytest.mark.parametrize("place", ["name", "offset", "letter"])
def test_a_list_that_is_damaged_is_refused(tmp_path, place):
    data = bytearray(zipped(stored(REPORT), stored(REPORT)))
    central, end = data.index(b"PK\1\2"), data.index(b"PK\5\6")
    if place == "name":  # of no letter
        data[central + 28] = 0
        data[central + 46 : central + 51] = b""
        data[end - 5 + 12] -= 5
    elif place == "offset":
        data[end + 16 : end + 20] = b"\xff\xff\xff\x7f"
    else:
        data[central + 9] |= 0x8  # the name is UTF-8
        data[central + 46] = 0xFF
    (tmp_path / "x.zip").write_bytes(data)
    (tmp_path / "x.txt").write_bytes(REPORT)
    results = ft.read(tmp_path, errors="note")
    assert results.io["source"].str.endswith("x.txt").any()
    said = results.notes["message"].tolist()
    assert place == "name" or any("the zip archive is damaged" in message for message in said)


def test_an_archive_is_listed_once_however_many_files_it_has(tmp_path, monkeypatch):
    path = zipped_at(tmp_path / "x.zip", **{f"{n}.txt": REPORT for n in range(40)})
    opened = []
    really = zipfile.ZipFile
    monkeypatch.setattr(zipfile, "ZipFile", lambda *a: opened.append(a) or really(*a))
    assert len(ft.read(path).runs) == 40
    assert len(opened) == 1


def test_a_large_log_that_packs_well_is_read(tmp_path):
    """Forty megabytes that pack to a twentieth are not a bomb for any reader."""
    rows = "".join(f"{n}, {n * 7919 % 1009}, 0, 4096, 0\n" for n in range(100_000))
    path = tmp_path / "x_lat.1.log.gz"
    path.write_bytes(gzip.compress(rows.encode()) * 20)
    assert ft.scan(path, version="3.33").select(pl.len()).collect().item() == 2_000_000
    assert len(decode("x", path.read_bytes())[0]) == 20 * len(rows)
