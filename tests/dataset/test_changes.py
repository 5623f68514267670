"""What is new or has changed is read, what is gone may go, and nothing else is written anew."""

import os
import shutil
from contextlib import suppress

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import fiotools as ft
from tests.conftest import FIXTURES
from tests.datasets import data_files, stamps, write_result, write_results

pytest.importorskip("pyarrow", reason="pyarrow is not installed")


@pytest.fixture
def runs(tmp_path):
    return write_results(tmp_path / "runs", 25)


@pytest.fixture
def convert(tmp_path, runs):
    """Convert the folder, ten files a part."""

    def run(source=runs, **options):
        return ft.convert(source, tmp_path / "ds", part_files=10, **options)

    return run


def same_as_read(path, sources):
    """Whatever happened to it, a dataset has the rows that `read` gives; parts keep their order."""
    dataset, frames = ft.open_dataset(path), ft.read(sources, errors="note").to_polars()
    for table, frame in frames.items():
        keys = [name for name in ("source", "run", "entry", "message") if name in frame.columns]
        whole = dataset[table].sort(keys, maintain_order=True).collect()
        assert_frame_equal(whole, frame.sort(keys, maintain_order=True))


def test_unchanged_files_are_not_read(convert, tmp_path, runs, monkeypatch):
    first = convert()
    assert (first.new, first.parts, first.read) == (25, 3, 25)
    before = stamps(tmp_path / "ds")
    monkeypatch.setattr("fiotools.dataset.plan.Hashing.__call__", None)  # nothing may be read
    again = convert()
    assert (again.new, again.changed, again.unchanged, again.parts) == (0, 0, 25, 0)
    assert stamps(tmp_path / "ds") == before


def test_new_files_make_new_parts(convert, tmp_path, runs):
    convert()
    before = stamps(tmp_path / "ds")
    write_results(runs, 3, start=25)
    done = convert()
    assert (done.new, done.unchanged, done.parts) == (3, 25, 1)
    after = stamps(tmp_path / "ds")
    assert {name: after[name] for name in before} == before
    assert {name.split("/")[1] for name in after.keys() - before.keys()} == {
        "part-000004-001.parquet"
    }
    same_as_read(tmp_path / "ds", runs)


def test_a_changed_file_replaces_its_rows(convert, tmp_path, runs):
    convert()
    before = stamps(tmp_path / "ds")
    opened = ft.open_dataset(tmp_path / "ds")
    write_result(runs / "run-0012.txt", 512)
    done = convert()
    assert (done.new, done.changed, done.unchanged, done.parts) == (0, 1, 24, 1)
    after = stamps(tmp_path / "ds")
    gone, come = before.keys() - after.keys(), after.keys() - before.keys()
    assert {name.split("/")[1] for name in gone} == {"part-000002-001.parquet"}
    assert {name.split("/")[1] for name in come} == {"part-000002-002.parquet"}
    assert {name: after[name] for name in after.keys() & before.keys()} == {
        name: before[name] for name in before if name not in gone
    }
    # a table in which nothing changed keeps its file
    assert "disks/part-000000-001.parquet" in after
    same_as_read(tmp_path / "ds", runs)
    whole = ft.open_dataset(tmp_path / "ds").io.collect()
    assert whole["source"].to_list() == [str(path) for path in sorted(runs.iterdir())]
    # who opened it before finds that it is gone, and not other rows
    with pytest.raises(FileNotFoundError):
        opened.io.collect()


def test_the_others_of_its_part_are_not_read(convert, tmp_path, runs):
    convert()
    write_result(runs / "run-0012.txt", 512)
    for number in range(10, 20):
        if number != 12:
            # of the same size and time, and now with another content
            path = runs / f"run-{number:04}.txt"
            stat = path.stat()
            path.write_text("x" * stat.st_size)
            os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    done = convert()
    assert (done.changed, done.read, done.refused) == (1, 25, 0)
    rows = ft.open_dataset(tmp_path / "ds").io.collect()
    assert len(rows) == 25
    assert rows["io_bytes"][12] == 1_512_000_000
    # unless their content is looked at
    done = convert(check_hashes=True)
    assert (done.changed, done.read, done.noted) == (9, 16, 9)


def test_a_file_that_was_only_touched_is_not_read_again(convert, tmp_path, runs):
    convert()
    before = stamps(tmp_path / "ds")
    os.utime(runs / "run-0003.txt", ns=(1, 1))
    done = convert()
    assert (done.changed, done.unchanged, done.parts) == (0, 25, 1)
    after = stamps(tmp_path / "ds")
    changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
    assert changed == {f"_manifest/part-000001-00{n}.parquet" for n in (1, 2)}
    assert convert().parts == 0  # its time is known now


def test_files_that_are_gone_stay_until_told(convert, tmp_path, runs):
    convert()
    for number in (3, 11, 12):
        (runs / f"run-{number:04}.txt").unlink()
    before = data_files(tmp_path / "ds")
    done = convert()
    assert (done.files, done.removed, done.parts) == (22, 0, 0)
    assert data_files(tmp_path / "ds") == before
    assert len(ft.open_dataset(tmp_path / "ds").io.collect()) == 25
    done = convert(prune=True)
    assert (done.removed, done.parts, done.unchanged) == (3, 2, 22)
    same_as_read(tmp_path / "ds", runs)
    for path in sorted(runs.iterdir())[:8]:
        path.unlink()
    for path in sorted(runs.iterdir())[1:]:
        path.unlink()
    assert convert(prune=True).removed == 21
    assert len(ft.open_dataset(tmp_path / "ds").runs.collect()) == 1


def test_a_folder_that_was_moved_is_the_same(convert, tmp_path, runs, monkeypatch):
    """As long as nothing is left where it was: else two files would have one name."""
    monkeypatch.chdir(tmp_path)
    assert convert("runs").new == 25
    shutil.copytree("runs", "elsewhere/runs")
    monkeypatch.chdir("elsewhere")
    with pytest.raises(
        ft.DatasetError, match=r"runs/run-0000\.txt: .*give other names, or a label"
    ):
        convert("runs")
    shutil.rmtree(tmp_path / "runs")
    done = convert("runs")
    assert (done.new, done.changed, len(done.open().io.collect())) == (0, 25, 25)
    # and the same files under other names are the same files
    done = convert(tmp_path / "elsewhere" / "runs")
    assert (done.removed, len(done.open().io.collect())) == (25, 25)


def test_refused_files_are_in_the_manifest(convert, tmp_path, runs):
    (runs / "letter.txt").write_text("dear diary")
    (runs / "broken.json").write_text('{"fio version": "fio-3.33", "jobs": [')
    done = convert([runs, runs / "letter.txt"])
    assert (done.read, done.noted, done.refused) == (25, 1, 1)
    manifest = done.open().manifest.filter(pl.col("status") != "read").collect()
    told = {row["source"].split("/")[-1]: row for row in manifest.to_dicts()}
    assert told["letter.txt"]["message"].startswith("unknown format; it begins 'dear diary'")
    assert told["letter.txt"]["line"] == 1
    assert told["broken.json"]["status"] == "refused"
    assert told["broken.json"]["hash"] is not None
    [refusal] = done.refusals
    assert refusal.startswith(f"{runs}/broken.json")
    assert told["broken.json"]["message"] in refusal
    assert convert().refused == 1  # it still is
    assert convert().unchanged == 27
    # what this fiotools could not read, another may
    write_result(runs / "broken.json", 99)
    assert convert().refused == 0


def test_what_another_fiotools_could_not_read_is_tried_again(convert, runs, monkeypatch):
    (runs / "letter.txt").write_text("dear diary")
    convert()
    assert convert().changed == 0
    monkeypatch.setattr("fiotools.dataset.plan.__version__", "9.9")
    assert convert().changed == 1


def test_how_a_file_is_read_belongs_to_it(convert, tmp_path):
    log = tmp_path / "logs" / "x_lat.1.log"
    log.parent.mkdir()
    log.write_text("1, 5000, 0, 4096, 0\n2, 7000, 0, 4096, 0\n")
    convert(log.parent)
    done = convert(log.parent, version="2.1")
    assert (done.changed, done.unchanged) == (1, 0)
    assert done.open().manifest.collect()["asked"].to_list() == ["version=2.1"]
    assert done.open().samples.collect()["value"].to_list() == [5e6, 7e6]  # microseconds, then


def test_a_zip_archive_changes_as_a_whole(convert, tmp_path, runs):
    archive = shutil.make_archive(str(tmp_path / "all"), "zip", runs)
    assert convert(archive).read == 25
    assert convert(archive).unchanged == 25
    write_result(runs / "run-0024.txt", 99)
    shutil.make_archive(str(tmp_path / "all"), "zip", runs)
    assert convert(archive).changed == 25
    assert [*convert(archive).open().io.collect()["io_bytes"]][-1] == 1_099_000_000


def test_a_dataset_among_its_sources(tmp_path, runs, monkeypatch):
    """It does not take itself in, however its place is spelled."""
    (runs / "below").mkdir()
    monkeypatch.chdir(runs / "below")
    same = [runs, "..", f"file://{runs.as_posix()}"]
    with suppress(OSError):  # where no links may be made
        (tmp_path / "link").symlink_to(runs)
        same.append(tmp_path / "link")
    for source in same:
        for destination in (runs / "ds", "../ds", f"{same[-1]}/ds"):
            for expected in (25, 0):
                done = ft.convert(source, destination)
                assert (done.new, done.files) == (expected, 25)
            shutil.rmtree(runs / "ds")


@pytest.mark.parametrize(
    "wrong",
    [
        {"workers": 0},
        {"workers": "2"},
        {"executor": 5},
        {"part_files": 0},
        {"part_bytes": -1},
        {"quantity": "nope"},
        {"format": "nope"},
        {"tables": "nope"},
    ],
    ids=str,
)
def test_a_wrong_argument_leaves_nothing_behind(tmp_path, runs, wrong):
    with pytest.raises(
        ValueError, match=next(iter(wrong)) if "executor" not in wrong else "5 is not"
    ):
        ft.convert(runs, tmp_path / "new", **wrong)
    assert not (tmp_path / "new").exists()


def test_other_labels_and_tables_are_refused(convert, tmp_path, runs):
    convert({"a": runs})
    with pytest.raises(
        ft.DatasetError, match=r"its files have the labels label, and these have no"
    ):
        convert()
    with pytest.raises(ft.DatasetError, match=r"for others convert into another folder"):
        convert({"b": runs}, tables=["io"])
    done = convert({"b": runs})
    assert (done.new, done.read) == (25, 25)
    assert done.open().io.collect()["label"].value_counts(sort=True).rows() in (
        [("a", 25), ("b", 25)],
        [("b", 25), ("a", 25)],
    )


def test_twins_of_another_part_are_noted(convert, tmp_path, runs):
    convert()
    shutil.copy(FIXTURES / "fio" / "fio-3.33--libaio.json", runs / "zz-one.json")
    shutil.copy(FIXTURES / "fio" / "fio-3.33--libaio.json", runs / "zz-two.json")
    write_results(runs, 9, start=25)  # so that the two are in two parts
    done = convert()
    assert done.parts == 2
    same_as_read(tmp_path / "ds", runs)
    notes = done.open().notes.filter(pl.col("message").str.contains("same run")).collect()
    assert [source.split("/")[-1] for source in notes["source"]] == ["zz-two.json"]
    (runs / "zz-one.json").unlink()
    convert(prune=True)
    same_as_read(tmp_path / "ds", runs)
