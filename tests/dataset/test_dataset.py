"""A dataset holds what `read` gives, takes what is new, and others read it too."""

import copy
import hashlib
import json
import pickle
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import fiotools as ft
from fiotools import dataset as module
from fiotools.dataset import VERSION, About
from fiotools.errors import ScanWarning
from fiotools.vocabulary import TABLES
from tests.conftest import FIXTURES, ROOT
from tests.datasets import (
    same_rows,
    small_batches,  # noqa: F401
    stamps,
    write_result,
    write_results,
)

VOLUMES = "data/dda-vhdx/xml/{volume}.xml"


@pytest.fixture(autouse=True)
def at_root(monkeypatch):
    monkeypatch.chdir(ROOT)


@pytest.fixture
def runs(tmp_path):
    return write_results(tmp_path / "runs", 25)


@pytest.fixture
def convert(tmp_path, runs, small_batches):  # noqa: F811
    """Convert the folder."""
    return lambda source=runs, **options: ft.convert(source, tmp_path / "ds", **options)


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    """Every committed output of a tool, in batches of forty files."""
    path = tmp_path_factory.mktemp("mixed") / "dataset"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_FILES", 40)
        ft.convert(FIXTURES, path)
    return ft.open_dataset(path), ft.read(FIXTURES, errors="note").to_polars()


def same(dataset, frames):
    """Compare all rows, and their order."""
    assert [*dataset] == [*frames]
    for table, rows in dataset.read().to_polars().items():
        assert_frame_equal(rows, frames[table])


def test_it_holds_what_read_gives(mixed):
    dataset, frames = mixed
    same(dataset, frames)
    assert len(list(Path(dataset.path, "io").iterdir())) > 5
    twins = pl.col("message").str.starts_with("the same run as")
    assert frames["notes"].filter(twins).height  # which no batch can tell
    for table, rows in frames.items():
        told = rows.filter(~twins) if table == "notes" else rows
        assert_frame_equal(dataset[table].collect(), told)


@pytest.mark.parametrize(
    "sources",
    [
        VOLUMES,
        "data/how-many-runs/rounds/randread_{filesystem}_{round:d}.json",
        {"vhdx": "data/wsl-vhdx", "caches": "data/page-cache"},
        "data/wsl-vhdx/{drive}_{rw}_{operation}.txt",  # a label that fills a condition
    ],
    ids=["template", "numbers", "labels", "condition"],
)
@pytest.mark.usefixtures("small_batches")
def test_labels_come_first(tmp_path, sources):
    dataset = ft.convert(sources, tmp_path / "dataset").open()
    same(dataset, ft.read(sources, errors="note").to_polars())


def test_tables_not_asked_for_are_not_there(tmp_path):
    dataset = ft.convert(VOLUMES, tmp_path / "dataset", tables=["io"]).open()
    assert [*dataset] == ["io", "notes"]
    with pytest.raises(AttributeError, match="table 'bins' was not asked for"):
        dataset.bins  # noqa: B018
    with pytest.raises(ft.DatasetError, match=r"for others convert into another folder"):
        ft.convert(VOLUMES, tmp_path / "dataset", tables=["runs"])
    assert ft.convert(VOLUMES, tmp_path / "dataset").new == 0  # those that it has


def test_the_version_goes_up_with_the_columns():
    """Other columns need another version, and its line here."""
    about = About([*TABLES], {})
    names = [f"{t}.{name} {kind}" for t in TABLES for name, kind in about.types(t).items()]
    known = hashlib.sha256("\n".join(names).encode()).hexdigest()[:12]
    assert (VERSION, len(names), known) == (8, 250, "2a15ddf8f183")


def test_duckdb_reads_the_same(mixed):
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
    dataset, frames = mixed
    with duckdb.connect() as connection:
        for table in TABLES:
            found = connection.sql(f"from '{Path(dataset.path)}/{table}/*.parquet'")
            assert found.columns == frames[table].columns
            count = dataset[table].select(pl.len()).collect().item()
            assert found.count("*").fetchall() == [(count,)]
        io = f"'{Path(dataset.path)}/io/*.parquet'"
        found = connection.sql(f"select sum(io_bytes), max(iops) from {io}").fetchall()
    assert found == frames["io"].select(pl.sum("io_bytes"), pl.max("iops")).rows()


# --- what is new, and what has changed ----------------------------------------------------------


def test_files_that_it_holds_are_not_read(convert, tmp_path, runs, monkeypatch):
    assert (convert().new, len(stamps(tmp_path / "ds"))) == (25, 3 * len(TABLES))
    before = stamps(tmp_path / "ds")
    write_results(runs, 3, start=25)
    write_result(runs / "a-first.txt", 99)
    read = module.read.read_batch
    seen = []
    monkeypatch.setattr(
        "fiotools.input.read.read_batch",
        lambda found, *rest: seen.append(len(found)) or read(found, *rest),
    )
    done = convert()
    assert (done.files, done.new, seen) == (29, 4, [4])
    after = stamps(tmp_path / "ds")
    assert {name: after[name] for name in before} == before
    assert len(after) == 4 * len(TABLES)
    assert (convert().new, stamps(tmp_path / "ds"), seen) == (0, after, [4])
    same_rows(tmp_path / "ds", runs)


def test_a_changed_file_is_refused(convert, tmp_path, runs):
    archive = shutil.make_archive(str(tmp_path / "all"), "zip", runs)
    for source in (runs, archive):
        assert [convert(source).new, convert(source).new] == [25, 0]
    write_result(runs / "run-0012.txt", 512)
    write_results(runs, 3, start=25)
    shutil.make_archive(str(tmp_path / "all"), "zip", runs)
    before = stamps(tmp_path / "ds")
    for source, name in ((runs, "runs/run-0012"), (archive, "all.zip/run-0000")):
        said = rf"{name}\.txt: has changed since it was converted: convert into another folder"
        with pytest.raises(ft.DatasetError, match=said):
            convert(source)
    assert stamps(tmp_path / "ds") == before
    assert len(ft.open_dataset(tmp_path / "ds").io.collect()) == 50


def test_other_options_for_a_file_that_it_holds_are_refused(convert, tmp_path):
    log = tmp_path / "logs" / "x_lat.1.log"
    log.parent.mkdir()
    log.write_text("1, 5000, 0, 4096, 0\n2, 7000, 0, 4096, 0\n")
    done = convert(log.parent, version="2.1")
    assert done.open().samples.collect()["value"].to_list() == [5e6, 7e6]  # microseconds, then
    with pytest.raises(ft.DatasetError, match="was converted with another format, version or"):
        convert(log.parent)


def test_a_file_is_the_same_whatever_it_is_called(convert, tmp_path, runs, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert convert("runs").new == 25
    same_files = [runs, "./runs", f"file://{runs.as_posix()}", "runs/*.txt"]
    with suppress(OSError):  # where no links may be made
        (tmp_path / "link").symlink_to(runs)
        same_files.append(tmp_path / "link")
    for source in same_files:
        assert (convert(source).new, convert(source).files) == (0, 25)


def test_two_files_of_one_name_are_refused(convert, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    convert("runs")
    shutil.copytree("runs", "elsewhere/runs")
    monkeypatch.chdir("elsewhere")
    with pytest.raises(ft.DatasetError, match=r"runs/run-0000\.txt: .*has rows of this name"):
        convert("runs")


def test_a_dataset_among_its_sources(tmp_path, runs, monkeypatch):
    """It does not take itself in, however its place is spelled."""
    (runs / "below").mkdir()
    monkeypatch.chdir(runs / "below")
    for source, destination in ((runs, runs / "ds"), ("..", "../ds")):
        for expected in (25, 0):
            done = ft.convert(source, destination)
            assert (done.new, done.files) == (expected, 25)
        shutil.rmtree(runs / "ds")


def test_what_cannot_be_read_is_noted_once(convert, runs):
    (runs / "letter.txt").write_text("dear diary")
    (runs / "broken.json").write_text('{"fio version": "fio-3.33", "jobs": [')
    done = convert()
    assert (done.files, done.new) == (27, 27)
    assert [Path(one.path).name for one in done.refusals] == ["broken.json"]
    notes = done.open().notes.collect()
    assert notes["source"].str.split("/").list.last().to_list() == ["broken.json", "letter.txt"]
    assert notes["message"][0].startswith(done.refusals[0].reason)
    assert convert().new == 0


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="no file whose reading fails")
def test_what_cannot_be_opened_is_tried_again(convert, tmp_path, runs):
    bad = runs / "run-0011.txt"
    bad.unlink()
    bad.symlink_to("/proc/self/mem")
    done = convert()
    assert [one.reason for one in done.refusals] == ["Input/output error"]
    with pytest.warns(ScanWarning, match="24 of 25 files are there: convert"):
        assert done.open().notes.collect().is_empty()
    bad.unlink()
    write_result(bad, 11)
    assert convert().new == 1
    same_rows(tmp_path / "ds", runs)


# --- what is refused ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "wrong",
    [{"executor": 5}, {"quantity": "nope"}, {"format": "nope"}, {"tables": "nope"}],
    ids=str,
)
def test_a_wrong_argument_leaves_nothing_behind(tmp_path, runs, wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        ft.convert(runs, tmp_path / "new", **wrong)
    assert not (tmp_path / "new").exists()


def test_other_labels_are_refused(convert, runs):
    convert({"a": runs})
    said = r"have the labels \{'label': 'str'\}, and these \{\};"
    with pytest.raises(ft.DatasetError, match=said):
        convert()
    done = convert({"b": runs})
    assert (done.new, done.open().io.collect()["label"].n_unique()) == (25, 2)


@pytest.mark.parametrize(
    ("version", "said"),
    [
        (7, r"fiotools 9\.9 in version 7; now there is version 8: convert the files into another"),
        (9, r"fiotools 9\.9 in version 9; update it: "),
    ],
)
def test_a_dataset_of_another_version_is_refused(tmp_path, version, said):
    path = tmp_path / "dataset"
    ft.convert(VOLUMES, path)
    told = json.loads((path / "_fiotools.json").read_text())
    (path / "_fiotools.json").write_text(json.dumps({**told, "schema": version, "fiotools": "9.9"}))
    for use in (lambda: ft.open_dataset(path), lambda: ft.convert(VOLUMES, path)):
        with pytest.raises(ft.DatasetError, match=said):
            use()


def test_what_is_not_a_dataset_is_said(tmp_path):
    with pytest.raises(ft.DatasetError, match=r"not a fiotools dataset"):
        ft.open_dataset(tmp_path)
    (tmp_path / "letter.txt").write_text("dear diary")
    with pytest.raises(ft.DatasetError, match="and not a dataset; name a new folder"):
        ft.convert(VOLUMES, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]
    with pytest.raises(NotADirectoryError, match=r"letter\.txt/ds"):
        ft.convert(VOLUMES, tmp_path / "letter.txt" / "ds")
    for content in ("{}", "[]", "{"):
        (tmp_path / "_fiotools.json").write_text(content)
        with pytest.raises(ft.DatasetError, match="not what fiotools wrote"):
            ft.open_dataset(tmp_path)


def test_files_that_are_gone_and_those_of_others_stay(convert, tmp_path, runs):
    convert()
    (runs / "run-0003.txt").unlink()
    others = [tmp_path / "ds" / name for name in ("io/a.txt", "notes/b.parquet", "io/.c.part")]
    for file in others:
        file.write_text("dear diary")
    assert (convert().new, len(convert().open().io.collect())) == (0, 25)
    assert [file.read_text() for file in others] == ["dear diary"] * 3


# --- elsewhere, and opened ----------------------------------------------------------------------


def test_in_memory(tmp_path):
    memory = pytest.importorskip("fsspec", reason="needs the extra [scale]").filesystem("memory")
    for path in sorted(Path("data/dda-vhdx/xml").iterdir()):
        memory.pipe_file(f"/fleet/xml/{path.name}", path.read_bytes())
    memory.pipe_file("/fleet/xml/.hidden/x.xml", b"not looked at")
    here = ft.read(VOLUMES)
    try:
        there = ft.read("memory://fleet/xml/{volume}.xml")
        assert there.io.drop(columns="source").equals(here.io.drop(columns="source"))
        assert there.io.source.iloc[0] == "memory://fleet/xml/mirror.xml"
        for new in (3, 0):
            done = ft.convert("memory://fleet", "memory://fleet/dataset/")
            assert (done.files, done.new) == (3, new)
        expected = here.to_polars()["io"].select("iops", "lat_mean_ns")
        assert_frame_equal(done.open().io.select("iops", "lat_mean_ns").collect(), expected)
        with pytest.raises(FileNotFoundError, match="no such file"):
            ft.read("memory://fleet/nothing")
    finally:
        memory.rm("/fleet", recursive=True)


WITHOUT = """
import sys
for name in ("pyarrow", "fsspec", "distributed", "dask"):
    sys.modules[name] = None
import fiotools as ft
assert len(ft.convert("data/page-cache", sys.argv[1]).open().timings.collect()) == 2
try:
    ft.read("s3://x/y")
except ft.errors.MissingPackageError as error:
    print(error)
"""


def test_without_its_packages_the_rest_works(tmp_path):
    """The core does without what the extra `scale` brings, and says so where it cannot."""
    command = [sys.executable, "-c", WITHOUT, str(tmp_path / "dataset")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "s3://x/y needs fsspec: python -m pip install 'fiotools[scale]'\n"


def test_a_dataset_can_be_sent_and_copied_and_read_by_other_names(convert, tmp_path):
    dataset = convert().open()
    for again in (pickle.loads(pickle.dumps(dataset)), copy.copy(dataset)):
        assert again.io.collect().equals(dataset.io.collect())
    plain, within = dataset.read().io, dataset.read(within="new/").io
    assert list(within.columns) == list(plain.columns)
    assert list(within["source"]) == [f"new/{name.lstrip('/')}" for name in plain["source"]]
    # a file that somebody removed is missed
    next((tmp_path / "ds" / "io").iterdir()).unlink()
    with pytest.raises(FileNotFoundError, match="ds/io/"):
        dataset.read()


@pytest.mark.parametrize("tables", [None, ["io"], []])
def test_read_counts_the_files_as_read_does(tmp_path, tables):
    sides = {name: write_results(tmp_path / name, 2, start=9 * (name == "b")) for name in "ab"}
    for folder in sides.values():
        (folder / "other.txt").write_text("?")
    done = ft.convert(sides, tmp_path / "ds", tables=tables)
    results, again = ft.read(sides, tables=tables), done.open().read()
    assert again.files == results.files == 6
    assert repr(again) == repr(results)
