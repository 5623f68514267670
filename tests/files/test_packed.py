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
from tests.bombs import bombs, stored, zipped
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
    pack, file = PACK[suffix], tmp_path / f"dd.txt.{suffix}"
    file.write_bytes(pack(REPORT[:40]) + pack(REPORT[40:]))  # streams one after another
    results = ft.read(file)
    assert results.io["io_bytes"].tolist() == [16777216]
    assert results.io["source"].tolist() == [file.as_posix()]
    assert results.notes.empty


@packing
@pytest.mark.parametrize("share", [0.5, 0])
def test_a_cut_stream_is_refused(suffix, share):
    packed = packed_lines(suffix)
    wanted = "the packed file is cut off; copy it again, or unpack what is there and read that"
    with pytest.raises(ft.FileError, match=wanted):
        decode("x", packed[: max(9, int(share * len(packed)))])


@packing
def test_what_is_not_one_stream_is_refused(suffix):
    packed = bytearray(packed_lines(suffix))
    packed[len(packed) // 2] ^= 0xFF
    with pytest.raises(ft.FileError, match=r"x: the packed file is damaged .*; copy it again"):
        decode("x", bytes(packed))
    padded = PACK[suffix](REPORT) + bytes(100_000)
    assert decode("x", padded)[0].encode() == REPORT
    with pytest.raises(ft.FileError, match="is damaged"):
        decode("x", padded + b"somebody's own words")
    with pytest.raises(ft.FileError, match="expands to more than 250 times its size"):
        decode("x", PACK[suffix](bytes(80 * 2**20)))


# what lzma.compress makes of b"x" with a dictionary of 1 GiB, for which it takes as much itself
GREEDY = bytes.fromhex(
    "fd377a585a000004e6d6b44602002101240000005e1fc7f9010000780000000045aeef83f8ee160a"
    "00011901a52c81cc1fb6f37d010000000004595a"
)


def test_xz_may_not_ask_for_much_memory():
    assert lzma.decompress(GREEDY) == b"x"
    with pytest.raises(ft.FileError, match=r"damaged .*[Mm]emory"):
        decode("x", GREEDY)


def zipped_at(path, members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path.as_posix()


def test_a_zip_archive_is_a_folder(tmp_path):
    members = {"qd1/a.txt": REPORT, "qd8/a.txt": REPORT, "qd8/b.txt": b"?", "README": b""}
    place = zipped_at(tmp_path / "runs.zip", members)
    results = ft.read(place)
    assert results.io["source"].tolist() == [f"{place}/qd1/a.txt", f"{place}/qd8/a.txt"]
    assert results.notes["source"].tolist() == [f"{place}/qd8/b.txt"]
    assert len(ft.read(tmp_path).io) == 2
    assert len(ft.read(f"{place}/qd8/a.txt").io) == 1
    assert len(ft.read(f"{place}/*/a.txt").io) == 2
    labelled = ft.read(f"{place}/qd{{iodepth:d}}/a.txt").io
    assert labelled["iodepth"].tolist() == [1, 8]


def test_an_archive_that_holds_nothing(tmp_path):
    place = zipped_at(tmp_path / "x.zip", {"a.txt": b"?", "README": b""})
    with pytest.raises(UnknownFormatError, match=r"x\.zip/a\.txt:1: unknown format"):
        ft.read(place)
    with pytest.raises(FileNotFoundError, match="no such file"):
        ft.read(f"{place}/c.txt")
    with pytest.raises(FileNotFoundError, match="no files to read"):
        ft.read(zipped_at(tmp_path / "x.zip", {"README": b""}))
    with pytest.raises(UnknownFormatError, match="the zip archive is empty"):
        ft.read(zipped_at(tmp_path / "x.zip", {}))


def test_an_archive_of_windows_has_folders(tmp_path):
    """Compress-Archive of Windows PowerShell writes backslashes."""
    names = ("qd1\\a.txt", "qd8\\a.txt", ".hidden\\a.txt")
    place = zipped_at(tmp_path / "runs.zip", {"qd1\\": b"", **dict.fromkeys(names, REPORT)})
    assert ft.read(place).files == 2
    labelled = ft.read(f"{place}/qd{{iodepth:d}}/a.txt").io
    assert labelled["iodepth"].tolist() == [1, 8]


def test_members_may_have_any_name(tmp_path):
    names = ("1" * 5000, "x[1].txt", "x1.txt", "x2.txt")
    place = zipped_at(tmp_path / "x.zip", dict.fromkeys(names, REPORT))
    assert ft.read(place).files == 4
    assert ft.read(f"{place}/x[1].txt").files == 2  # the one of this name, and the one it matches
    assert ft.read(f"{place}/x[12].txt").files == 2


def test_a_member_with_a_path_of_its_own_touches_nothing(tmp_path):
    names = ("/abs.txt", "../out.txt", "a/../../out.txt")
    results = ft.read(zipped_at(tmp_path / "x.zip", dict.fromkeys(names, REPORT)))
    # what points elsewhere is as good as hidden
    assert [source.rpartition("x.zip")[2] for source in results.io["source"]] == ["//abs.txt"]
    assert sorted(file.name for file in tmp_path.rglob("*")) == ["x.zip"]


def test_a_zip_bomb_is_refused(tmp_path):
    place = zipped_at(tmp_path / "bomb.zip", dict.fromkeys("ab", bytes(50 * 2**20)))
    with pytest.raises(ft.FileError, match="expands to more than 250 times its size"):
        ft.read(place)


def test_a_damaged_archive_costs_only_itself(tmp_path):
    path = tmp_path / "bad.zip"
    zipped_at(path, {"a.txt": LINES})
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


@pytest.mark.parametrize(
    ("method", "change", "why"),
    [
        (9, {}, r"cannot be unpacked here \(it is packed by method 9\); unpack it"),  # deflate64
        (12, {}, r"cannot be unpacked here \(it is packed by method 12\); unpack it"),  # bzip2
        (0, {6: 1}, r"cannot be unpacked here \(it is encrypted\); unpack it first"),
        (0, {14: 0}, r"damaged \(Bad CRC-32"),
        (0, {22: 1}, r"damaged \(Bad CRC-32"),
    ],
    ids=["deflate64", "bzip2", "encrypted", "sum", "long"],
)
def test_a_member_that_cannot_be_unpacked_is_refused(tmp_path, method, change, why):
    data = bytearray(zipped((REPORT, method, len(REPORT), zlib.crc32(REPORT))))
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
    is_told = results.notes["message"].str.contains("the zip archive is damaged").any()
    assert place == "name" or is_told


def test_an_archive_is_listed_once_however_many_files_it_has(tmp_path, monkeypatch):
    place = zipped_at(tmp_path / "x.zip", {f"{n}.txt": REPORT for n in range(40)})
    opened, really = [], zipfile.ZipFile
    monkeypatch.setattr(zipfile, "ZipFile", lambda *a: opened.append(a) or really(*a))
    assert len(ft.read(place).runs) == 40
    assert len(opened) == 1


def test_a_large_log_that_packs_well_is_read(tmp_path):
    """Forty megabytes that pack to a twentieth are not a bomb for any reader."""
    rows = "".join(f"{n}, {n * 7919 % 1009}, 0, 4096, 0\n" for n in range(100_000))
    path = tmp_path / "x_lat.1.log.gz"
    path.write_bytes(gzip.compress(rows.encode()) * 20)
    assert ft.scan(path, version="3.33").select(pl.len()).collect().item() == 2_000_000
    assert len(decode("x", path.read_bytes())[0]) == 20 * len(rows)
