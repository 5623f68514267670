"""A dataset holds what `read` gives, says what it is, and other programs read it too."""

import copy
import hashlib
import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import fiotools as ft
from fiotools.dataset.parquet import MANIFEST, VERSION, columns
from fiotools.vocabulary import COLUMNS, TABLES
from tests.conftest import FIXTURES, ROOT
from tests.datasets import write_results

pytest.importorskip("pyarrow", reason="pyarrow is not installed")
import pyarrow.parquet as pq

VOLUMES = "data/dda-vhdx/xml/{volume}.xml"


@pytest.fixture(autouse=True)
def at_root(monkeypatch):
    monkeypatch.chdir(ROOT)


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    """Every committed output of a tool, in parts of a few files."""
    path = tmp_path_factory.mktemp("mixed") / "dataset"
    done = ft.convert(FIXTURES, path, part_files=40)
    return done, ft.open_dataset(path), ft.read(FIXTURES, errors="note")


def same(dataset, results):
    frames = results.to_polars()
    assert [*dataset] == [*frames]
    for table in dataset:
        assert_frame_equal(dataset[table].collect(), frames[table])


def test_it_holds_what_read_gives(mixed):
    done, dataset, results = mixed
    same(dataset, results)
    assert done.parts > 5
    counted = {
        table: int(dataset.manifest.select(f"rows_{table}").sum().collect().item())
        for table in TABLES
    }
    # but of notes that concern two files
    twice = results.notes["message"].str.startswith("the same run as").sum()
    assert twice > 0
    assert counted == {t: len(results.tables[t]) - twice * (t == "notes") for t in TABLES}


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
def test_labels_come_first(tmp_path, sources):
    done = ft.convert(sources, tmp_path / "dataset", part_files=5)
    same(done.open(), ft.read(sources, errors="note"))


def test_frames_of_pandas_are_the_same(tmp_path):
    done = ft.convert(VOLUMES, tmp_path / "dataset", tables="io")
    read = ft.read(VOLUMES, tables="io").io
    parts = [pq.read_table(path).to_pandas() for path in done.open().files("io")]
    found = parts[0].astype(read.dtypes.to_dict())
    assert [len(part) for part in parts] == [len(read), 0]
    assert found.equals(read)


def test_tables_not_asked_for_are_not_there(tmp_path):
    dataset = ft.convert(VOLUMES, tmp_path / "dataset", tables=["io"]).open()
    assert dataset.tables == ("io", "notes")
    with pytest.raises(AttributeError, match="table 'bins' was not asked for"):
        dataset.bins  # noqa: B018
    with pytest.raises(ft.SchemaError, match="'nonsense' is not one of"):
        ft.convert(VOLUMES, tmp_path / "other", tables=["nonsense"])
    assert not (tmp_path / "other").exists()
    assert repr(dataset) == f"<Dataset {tmp_path / 'dataset'}: 1 part; io, notes>"


def test_columns_carry_unit_and_meaning(mixed):
    _, dataset, _ = mixed
    for table in TABLES:
        for path in dataset.files(table):
            schema = pq.read_schema(path)
            assert schema.metadata[b"fiotools.table"].decode() == table
            assert schema.metadata[b"fiotools.version"].decode() == ft.__version__
            assert schema.metadata[b"fiotools.schema"].decode() == str(VERSION)
            assert tuple(schema.names) == TABLES[table]
            for field in schema:
                column = COLUMNS[field.name]
                assert field.metadata[b"unit"].decode() == column.unit
                assert field.metadata[b"meaning"].decode() == column.meaning
    types = {field.name: str(field.type) for field in pq.read_schema(dataset.files("io")[0])}
    assert [types[name] for name in ("io_bytes", "iops", "direct", "job")] == [
        *("int64", "double", "bool", "string")
    ]
    assert str(pq.read_schema(dataset.files("runs")[0]).field("reported_at").type) == (
        "timestamp[ms, tz=UTC]"
    )


def test_the_version_goes_up_with_the_columns():
    """Files are read by their version: a column more needs another, and its line here."""
    tables = (*TABLES, MANIFEST)
    names = [f"{t}.{c.name} {c.dtype} {c.unit}" for t in tables for c in columns(t, {}).values()]
    known = hashlib.sha256("\n".join(names).encode()).hexdigest()[:12]
    assert (VERSION, len(names), known) == (5, 219, "f38641ccaf4a")


def test_duckdb_reads_the_same(mixed):
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
    _, dataset, results = mixed
    with duckdb.connect() as connection:
        for table, frame in results.to_polars().items():
            found = connection.sql(f"from '{Path(dataset.path)}/{table}/*.parquet'")
            assert found.columns == frame.columns
            assert found.count("*").fetchall() == [(len(frame),)]
        query = f"""
            select direction, count(*), sum(io_bytes), max(iops)
            from '{Path(dataset.path)}/io/*.parquet' where direction in ('read', 'write')
            group by direction order by direction
        """
        found = connection.sql(query).fetchall()
    io = results.to_polars()["io"].filter(pl.col("direction").is_in(["read", "write"]))
    expected = io.group_by("direction").agg(
        n=pl.len(), size=pl.sum("io_bytes"), most=pl.max("iops")
    )
    for row, other in zip(found, expected.sort("direction").rows(), strict=True):
        assert row == pytest.approx(other)


@pytest.mark.filterwarnings("ignore::pandas.errors.Pandas4Warning")  # Dask's own
def test_dask_reads_the_same(mixed):
    pytest.importorskip("dask.dataframe", reason="dask[dataframe] is not installed")
    import dask
    import dask.dataframe as dd

    _, dataset, results = mixed
    with dask.config.set(scheduler="synchronous"):
        found = dd.read_parquet(f"{dataset.path}/io/*.parquet")
        assert tuple(found.columns) == TABLES["io"]
        sums = found.groupby("direction")["io_bytes"].sum().compute()
    expected = results.io.groupby("direction")["io_bytes"].sum()
    assert sums.sort_index().to_dict() == expected.to_dict()


def test_a_question_reads_only_the_parts_that_it_needs(tmp_path):
    dataset = ft.convert(
        write_results(tmp_path / "runs", 30), tmp_path / "ds", part_files=10
    ).open()
    first, second, _, _ = map(Path, dataset.files("io"))
    # who looks at the rows of the second part now will notice
    damaged = bytearray(second.read_bytes())
    rows = len(damaged) - 8 - int.from_bytes(damaged[-8:-4], "little")  # where they end
    damaged[4:rows] = bytes(rows - 4)
    second.write_bytes(damaged)
    asked = dataset.io.filter(pl.col("source").str.ends_with("run-0003.txt"))
    with pytest.raises(pl.exceptions.ComputeError):
        asked.collect()
    name = next(iter(pl.read_parquet(first)["source"]))
    assert len(dataset.io.filter(pl.col("source") == name).collect()) == 1


def test_an_older_dataset_is_readable(tmp_path):
    """One that was written before columns were added: they are null, and the rest is there."""
    path = tmp_path / "dataset"
    expected = ft.convert(VOLUMES, path).open().io.collect()
    for file in path.glob("io/*.parquet"):
        pq.write_table(pq.read_table(file).drop_columns(["lat_mean_ns", "job"]), file)
    for file in path.glob("_manifest/*.parquet"):
        pq.write_table(pq.read_table(file).drop_columns(["etag"]), file)
    about = json.loads((path / "_fiotools.json").read_text())
    (path / "_fiotools.json").write_text(json.dumps({**about, "schema": 0}))
    older = ft.open_dataset(path)
    missing = [pl.lit(None, pl.Float64).alias("lat_mean_ns"), pl.lit(None, pl.String).alias("job")]
    assert_frame_equal(older.io.collect(), expected.with_columns(missing))
    assert older.manifest.collect()["etag"].null_count() == 3
    with pytest.raises(ft.DatasetError, match=r"of version 0.*convert into another folder"):
        ft.convert(VOLUMES, path)


def test_a_newer_dataset_is_refused(tmp_path):
    path = tmp_path / "dataset"
    ft.convert(VOLUMES, path)
    about = json.loads((path / "_fiotools.json").read_text())
    newer = {**about, "schema": VERSION + 1, "fiotools": "9.9"}
    (path / "_fiotools.json").write_text(json.dumps(newer))
    wanted = rf"written by fiotools 9\.9 .*version {VERSION + 1}; .*: update it"
    for use in (lambda: ft.open_dataset(path), lambda: ft.convert(VOLUMES, path)):
        with pytest.raises(ft.DatasetError, match=wanted):
            use()


def test_what_is_not_a_dataset_is_said(tmp_path):
    with pytest.raises(ft.DatasetError, match=r"not a fiotools dataset"):
        ft.open_dataset(tmp_path)
    (tmp_path / "letter.txt").write_text("dear diary")
    with pytest.raises(ft.DatasetError, match="and not a dataset; name a new folder"):
        ft.convert(VOLUMES, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]
    (tmp_path / "_fiotools.json").write_text("{}")
    with pytest.raises(ft.DatasetError, match="not what fiotools wrote"):
        ft.open_dataset(tmp_path)


def test_in_memory(tmp_path):
    pytest.importorskip("fsspec", reason="fsspec is not installed")
    import fsspec

    memory = fsspec.filesystem("memory")
    for path in sorted(Path("data/dda-vhdx/xml").iterdir()):
        memory.pipe_file(f"/fleet/xml/{path.name}", path.read_bytes())
    memory.pipe_file("/fleet/xml/.hidden/x.xml", b"not looked at")
    here = ft.read(VOLUMES)
    try:
        there = ft.read("memory://fleet/xml/{volume}.xml")
        assert there.io.drop(columns="source").equals(here.io.drop(columns="source"))
        assert there.io.source.iloc[0] == "memory://fleet/xml/mirror.xml"
        done = ft.convert("memory://fleet/xml", "memory://fleet/dataset", part_files=2)
        assert (done.files, done.read, done.parts) == (3, 3, 2)
        dataset = ft.open_dataset("memory://fleet/dataset")
        assert len(dataset.io.collect()) == len(here.io)
        assert_frame_equal(
            dataset.io.select("iops", "lat_mean_ns").collect(),
            here.to_polars()["io"].select("iops", "lat_mean_ns"),
        )
        assert ft.convert("memory://fleet/**/*.xml", "memory://fleet/dataset").unchanged == 3
        with pytest.raises(ft.SchemaError, match=r"of this process alone: leave workers= out"):
            ft.convert("memory://fleet/xml", tmp_path / "dataset", workers=2)
        with pytest.raises(FileNotFoundError, match="no such file"):
            ft.read("memory://fleet/nothing")
    finally:
        memory.rm("/fleet", recursive=True)


def test_without_its_packages_the_rest_works(tmp_path):
    """The core does without what the extra `scale` brings, and says so where it cannot."""
    ft.convert("data/page-cache", tmp_path / "dataset")
    program = """
import sys
for name in ("pyarrow", "fsspec", "distributed", "dask"):
    sys.modules[name] = None
import fiotools as ft
from fiotools.errors import MissingPackageError
assert len(ft.read("data/page-cache").timings) == 2
assert len(ft.open_dataset(sys.argv[1]).timings.collect()) == 2
for use in (lambda: ft.convert("data/page-cache", sys.argv[1]), lambda: ft.read("s3://x/y")):
    try:
        use()
    except MissingPackageError as error:
        print(error)
"""
    command = [sys.executable, "-c", program, str(tmp_path / "dataset")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    convert, url = done.stdout.splitlines()
    assert convert == "convert needs pyarrow: python -m pip install 'fiotools[scale]'"
    assert url == "s3://x/y needs fsspec: python -m pip install 'fiotools[scale]'"


def test_a_dataset_can_be_sent_and_copied(tmp_path):
    done = ft.convert(write_results(tmp_path / "runs", 2), tmp_path / "ds")
    for again in (pickle.loads(pickle.dumps(done.open())), copy.copy(done.open())):
        assert again.io.collect().equals(done.open().io.collect())


@pytest.mark.parametrize("tables", [None, ["io"], []])
def test_read_counts_the_files_as_read_does(tmp_path, tables):
    folder = write_results(tmp_path / "runs", 2)
    (folder / "other.txt").write_text("?")
    done = ft.convert({"a": folder, "b": folder}, tmp_path / "ds", tables=tables)
    results, again = ft.read({"a": folder, "b": folder}, tables=tables), done.open().read()
    assert again.files == results.files == 6
    assert repr(again) == repr(results)


def test_a_part_that_somebody_removed_is_missed(tmp_path):
    done = ft.convert(write_results(tmp_path / "runs", 2), tmp_path / "ds")
    for file in (tmp_path / "ds" / "io").glob("part-000001-*.parquet"):
        file.unlink()
    with pytest.raises(ft.DatasetError, match="io has 0 rows, and the manifest counts 2"):
        done.open().read()


@pytest.mark.skipif(os.name == "nt", reason="every name is text there")
def test_a_folder_whose_name_is_not_text_is_refused(tmp_path):
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff"))
    with pytest.raises(ft.DatasetError, match=r"/\\xff: polars opens no folder"):
        ft.convert(write_results(tmp_path / "runs", 1), folder)
    assert not folder.exists()


def test_read_within_names_the_sources_anew_and_adds_no_column(tmp_path):
    done = ft.convert(write_results(tmp_path / "runs", 2), tmp_path / "ds")
    plain, within = done.open().read().io, done.open().read(within="new/").io
    assert list(within.columns) == list(plain.columns)
    assert list(within["source"]) == [f"new/{name.lstrip('/')}" for name in plain["source"]]
