"""A lazy scan returns the rows of `read`, or refuses; tests/readers test `read` itself."""

import bz2
import csv
import gzip
import lzma
import warnings
import zipfile
from contextlib import nullcontext

import polars as pl
import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

import fiotools as ft
from fiotools.errors import NoResultError, ParseError, ScanWarning, UnknownFormatError
from fiotools.files import packing
from fiotools.logs import blocks
from fiotools.logs.scan import scan_notes
from fiotools.readers.fio import log as fio_log
from tests.conftest import FIXTURES, ROOT, SHARED
from tests.fuzz import mutated

FIO = FIXTURES / "fio"
LOGS = sorted(
    path
    for folder in (FIO, ROOT / "data")
    for path in folder.rglob("*_*.log")
    if path.parent.name != "page-cache"
)
SMALL = [(path.name, path.read_bytes()) for path in LOGS if path.stat().st_size < 20_000]
ROWS = "".join(f"{at // 3}, {100 + 7 * at}, {at % 3}, 4096, 0\n" for at in range(90))


def table_of(path):
    return "bins" if "_hist" in path.name else "samples"


def read(path, **more):
    return ft.read(path, tables=(table_of(path),), **more).to_polars()[table_of(path)]


def scan(path, **more):
    scanned = ft.scan(path, **more)
    texts = [name for name in ("direction", "quantity") if name in scanned.collect_schema()]
    return scanned.cast(dict.fromkeys(texts, pl.String)).collect(engine="streaming")


def write(folder, text, name="x_lat.1.log"):
    path = folder / name
    path.write_text(text, encoding="utf-8", newline="")
    return path


def split(monkeypatch, size):
    """Read blocks of a size."""
    monkeypatch.setattr(blocks, "SIZE", size)
    monkeypatch.setattr(packing, "PIECE", size)


@pytest.fixture(params=[1 << 24, 300], ids=["one block", "many blocks"])
def size(request, monkeypatch):
    split(monkeypatch, request.param)
    return request.param


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.name)
def test_a_scan_equals_read(path, size, monkeypatch):
    split(monkeypatch, max(size, path.stat().st_size // 100))
    assert_frame_equal(scan(path, version="3.33"), read(path, version="3.33"), check_exact=True)


def corpus():
    if not SHARED.is_dir():
        pytest.skip("the corpus (../shared/corpus) does not lie beside the project")
    with (SHARED / "corpus/fio/MANIFEST.tsv").open(encoding="utf-8") as lines:
        for row in csv.DictReader(lines, delimiter="\t"):
            path = SHARED / "corpus/fio" / row["file"]
            if row["kind"].startswith("log") and 0 < path.stat().st_size < 1 << 20:
                yield path, row["fio_version"].lstrip("~").split()[0]


def test_logs_of_the_corpus(monkeypatch):
    split(monkeypatch, 10_000)
    tried = 0
    for path, version in list(corpus())[::3]:  # all of them take a quarter of a minute
        said = None if version == "?" else version
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ScanWarning)
            assert_frame_equal(scan(path, version=said), read(path, version=said), check_exact=True)
        tried += 1
    assert tried > 13


@settings(
    max_examples=25,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(broken=mutated(SMALL), size=st.sampled_from([1 << 24, 300]))
def test_a_broken_log_is_refused_or_read_the_same(broken, size, tmp_path, monkeypatch):
    split(monkeypatch, size)
    path = tmp_path / broken[0]
    path.write_bytes(broken[1])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ScanWarning)
            scanned = scan(path, version="3.33")
    except ft.FileError:
        return
    assert_frame_equal(scanned, read(path, version="3.33"), check_exact=True)


def test_the_other_logs_of_a_folder_are_scanned(tmp_path):
    (tmp_path / "x_lat.1.log").write_text("1, 2, 0, 4096, 0\n")
    empty = tmp_path / "x_slat.1.log"  # psync has no submission latency
    empty.touch()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(scan(tmp_path, version="3.33")) == 1
    notes = ft.read(tmp_path).notes.set_index("source")
    assert notes.loc[empty.as_posix(), "severity"] == "info"
    with pytest.raises(NoResultError, match="an empty log of fio"):
        scan(empty)
    (tmp_path / "x_bw.1.log").write_text("1, 2")
    with pytest.warns(ScanWarning, match="no complete line of a log"):
        assert len(scan(tmp_path, version="3.33")) == 1


@given(st.text("0123456789, \n\r\t+-x.e_\"'#", max_size=40))
def test_lines_parse_the_same_together_and_one_by_one(text):
    body = f"1, 2, 0, 4096\n{text}\n3, 4, 0, 4096\n".encode()
    together = fio_log.fast(body, (4, None), (pl.Int64(),))
    if together is not None:
        each = fio_log.exact(body, (4, None))
        assert not len(each.others)
        assert together.rows() == each.frame.rows()


PACKED = {
    ".gz": lambda data: gzip.compress(data[:700]) + gzip.compress(data[700:]),
    ".xz": lzma.compress,
    ".bz2": bz2.compress,
    ".zst": zstandard.compress,
}


@pytest.mark.parametrize("suffix", PACKED)
def test_packed_logs(suffix, tmp_path, size):
    path = tmp_path / f"x_lat.1.log{suffix}"
    path.write_bytes(PACKED[suffix](ROWS.encode()))
    assert_frame_equal(scan(path, version="3.33"), read(path, version="3.33"), check_exact=True)
    path.write_bytes(PACKED[suffix](ROWS.encode())[:-60])
    with pytest.raises(ft.FileError, match="the packed file is cut off"):
        scan(path, version="3.33")


def test_logs_in_an_archive(tmp_path):
    with zipfile.ZipFile(tmp_path / "runs.zip", "w") as archive:
        archive.writestr("a/x_lat.1.log", ROWS)
        archive.writestr("a/README", "none")
    found = scan(tmp_path / "runs.zip", version="3.33")
    assert found["source"].unique().to_list() == [f"{tmp_path.as_posix()}/runs.zip/a/x_lat.1.log"]
    assert len(found) == 90


@pytest.mark.parametrize(
    ("torn", "said"),
    [
        ("12, 34", r"x_lat.1.log: the last line has no end"),
        ("12, 34, 0\n", r"x_lat.1.log:91: 1 lines unlike the others"),
        ("12, 34, 3, 4096, 0\n", r"x_lat.1.log:91: 1 lines with values that fio does not write"),
        ("fio: terminating\n0x\n", r"x_lat.1.log:91: 2 lines unlike"),
        ("12, 9876543210, 0, 4096, 0\n", None),  # wider than the columns before
        ("12, 30, 1, 4096, 1\n", None),
        (" 12,30,  1,\t+4096, 0\r\n", None),
        ("12, 30, 1, -0, 0\n", None),
    ],
    ids=lambda value: repr(value)[:24],
)
def test_lines_left_out_are_reported(torn, said, tmp_path, size):
    path = write(tmp_path, ROWS + torn)
    with pytest.warns(ScanWarning, match=said) if said else nullcontext():
        found = scan(path, version="3.33")
    assert_frame_equal(found, read(path, version="3.33"), check_exact=True)


@pytest.mark.parametrize(
    ("name", "first", "then", "version", "why"),
    [
        ("lat", "9, 70, 1, 4096, 0\n", "9, 70, 1, 4096, 8192\n", None, "columns mean something"),
        ("lat", "500, 70, 1, 0, 0\n", "900, 70, 1, 4096, 0\n", "3.33", "single I/Os follow"),
        ("iops", "5, 1, 1, 512, 0\n", "5, 2, 1, 512, 0\n", "3.33", "continues with other values"),
        ("lat", f"{10**12}, 7, 1, 512, 0\n", "9, 7, 1, 512, 0\n", "3.33", "9 ms is before it"),
    ],
)
def test_lines_that_contradict_the_first_lines_are_refused(
    name, first, then, version, why, tmp_path
):
    path = write(tmp_path, first * 100_000 + then, f"x_{name}.1.log")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ScanWarning)
        lazy = ft.scan(path, version=version)
    with pytest.raises(ParseError, match=rf"x_{name}.1.log:\d+: from line [\d,]+ on: .*{why}"):
        lazy.collect(engine="streaming")


def test_a_bandwidth_without_a_certain_unit_is_refused(tmp_path):
    rows = "".join(f"{7 * at}, 1000, 0, 4096\n" for at in range(80_000))
    path = write(tmp_path, rows, "x_bw.1.log")
    with pytest.raises(ParseError, match=r"do not decide the unit of this bandwidth.*version= dec"):
        ft.scan(path)
    assert ft.scan(path, version="2.20").select("value").head(1).collect().item() == 1e6


def test_the_caller_or_the_report_beside_the_log_decides_the_unit(tmp_path):
    path = write(tmp_path, "1000, 13709, 0, 0\n2000, 13578, 0, 0\n", "job_lat.1.log")
    with pytest.warns(ScanWarning, match=r"unit unknown.*version='2.21'"):
        assert ft.scan(path).collect()["value"][0] == 13709
    assert ft.scan(path, version="2.18").collect()["value"][0] == 13709e3
    report = '{"fio version": "fio-%s", "jobs": [{"jobname": "%s", "job options": {%s}}]}'
    named = '"write_lat_log": "logs/job"'
    write(tmp_path, report % ("2.18", "other", named), "run.json")
    assert ft.scan(path).collect()["value"][0] == 13709e3
    message = f"fio 2.18, as {tmp_path.as_posix()}/run.json says"
    assert message in scan_notes(path)["message"].to_list()
    # a contradicting second report leaves it undecided
    write(tmp_path, report % ("3.33", "job", ""), "again.json")
    with pytest.warns(ScanWarning, match="unit unknown"):
        ft.scan(path)
    # but one named like the log decides
    write(tmp_path, report % ("2.2.10", "other", ""), "job.json")
    assert ft.scan(path).collect()["value"][0] == 13709e3


def test_files_are_found_as_read_finds_them(tmp_path):
    for size in ("4k", "64k"):
        (tmp_path / size).mkdir()
        write(tmp_path / size, ROWS, "x_lat.1.log")
        write(tmp_path / size, "no log", "notes.txt")
    source = f"{tmp_path.as_posix()}/{{size}}/x_lat.{{round:d}}.log"
    found = ft.scan(source, version="3.33")
    assert found.collect_schema().names()[:3] == ["size", "round", "source"]
    assert found.group_by("size", "round").len().sort("size").collect().rows() == [
        ("4k", 1, 90),
        ("64k", 1, 90),
    ]
    sizes = ft.scan(f"{tmp_path.as_posix()}/{{bs_bytes}}/*_lat.1.log", version="3.33")
    assert sizes.collect()["bs_bytes"].unique().to_list() == [4096]  # the file's is kept
    with pytest.raises(FileNotFoundError, match="no log of fio among 1 files"):
        ft.scan(f"{tmp_path}/4k/*.txt")
    with pytest.raises(ParseError, match="it is not named like a log"):
        ft.scan(tmp_path / "4k" / "notes.txt")
    with pytest.raises(ft.SchemaError, match="name one kind"):
        ft.scan([FIO / "fio-3.33--log-hist_clat_hist.1.log", tmp_path / "4k"])


def test_only_wanted_columns_are_made(tmp_path):
    lazy = ft.scan(write(tmp_path, ROWS), version="3.33")
    assert lazy.select("quantity").collect().height == 90
    first = lazy.select("prio", "value").head(3).collect()
    assert first.rows() == [("0", 100.0), ("0", 107.0), ("0", 114.0)]
    some = lazy.filter(pl.col("direction") == "write", pl.col("value") > 600).collect()
    assert len(some) == sum(at % 3 == 1 and 100 + 7 * at > 600 for at in range(90))


EPOCH = 1_700_000_000_000


def test_several_logs_on_one_clock(tmp_path):
    for number, start in ((1, EPOCH), (2, EPOCH + 2500)):
        rows = "".join(f"{start + 10 * at}, 7, 0, 4096, 0\n" for at in range(3))
        write(tmp_path, rows, f"x_lat.{number}.log")
    both = f"{tmp_path.as_posix()}/x_lat.*.log"

    def starts(**align):
        found = ft.scan(both, version="3.33", **align).group_by("entry").agg(pl.min("time_s"))
        return found.sort("entry").collect()["time_s"].to_list()

    assert starts() == [0.0, 0.0]
    assert starts(align="wall") == [0.0, 2.5]
    asked = {f"{tmp_path.as_posix()}/x_lat.{number}.log": 0.25 * number for number in (1, 2)}
    assert starts(align=asked) == [0.25, 0.5]
    said = scan_notes(both, version="3.33", align="wall")["message"].to_list()
    assert any("2023-11-14 22:13:20.000 UTC, the log's own times" in one for one in said)


def test_an_unknown_clock_is_refused(tmp_path):
    path = write(tmp_path, ROWS)
    with pytest.raises(ft.SchemaError, match=r"its start is unknown.*job_start, fio 3.36"):
        ft.scan(path, version="3.40", align="wall")
    with pytest.raises(ft.SchemaError, match="must name each file"):
        ft.scan(path, version="3.40", align={"other": 1.0})
    report = '{"fio version": "fio-3.40", "jobs": [{"jobname": "x", "job_start": %d}]}'
    write(tmp_path, report % EPOCH, "x.json")
    assert ft.scan(path, align="wall").select("time_s").head(1).collect().item() == 0
    assert "job_start of" in scan_notes(path, align="wall")["message"][-1]


def test_both_refuse_binary_files(tmp_path):
    path = tmp_path / "x_lat.1.log"
    for data in (b"1, 2, 0, 0, 0\n2, 3, 0, 0, \0", b"1, 2, 0, 0, 0\n\0\n3, 4, 0, 0, 0\n"):
        path.write_bytes(data)
        for function in (ft.read, ft.scan):
            with pytest.raises(UnknownFormatError, match="binary file"):
                function(path, version="3.33")
