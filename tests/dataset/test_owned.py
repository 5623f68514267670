"""A conversion deletes and writes what is its own, and follows no link out of the dataset."""

import pytest

import fiotools as ft
from fiotools.dataset.store import held, store_at
from tests.datasets import data_files, write_result, write_results

pytest.importorskip("pyarrow", reason="pyarrow is not installed")


@pytest.fixture
def runs(tmp_path):
    return write_results(tmp_path / "runs", 3)


@pytest.fixture
def elsewhere(tmp_path):
    """A folder of somebody else's, whose files are named as ours are."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    for name in ("letter.txt", "plan.json", "part-000001-001.parquet", "part-000000-002.parquet"):
        (folder / name).write_text("dear diary")
    return folder


def link(path, target):
    try:
        path.symlink_to(target)
    except OSError:
        pytest.skip("no links may be made here")


def letters(folder):
    return {path.name: path.read_text() for path in folder.iterdir()}


def test_a_mark_of_somebody_elses_is_refused(tmp_path, runs):
    ft.convert(runs, tmp_path / "ds")
    mark = tmp_path / "ds" / "_unfinished.json"
    mark.write_text('{"goal": "world peace"}')
    with pytest.raises(ft.DatasetError, match=r"ed\.json: not what fiotools wrote; move it"):
        ft.convert(runs, tmp_path / "ds")
    assert mark.read_text() == '{"goal": "world peace"}'


@pytest.mark.parametrize("name", ["io", "_manifest", "notes", "bins"])
def test_a_folder_that_is_a_link_is_refused(tmp_path, runs, elsewhere, name):
    path = tmp_path / "ds"
    ft.convert(runs, path)
    if (path / name).exists():
        (path / name).rename(tmp_path / "away")
    link(path / name, elsewhere)
    before = letters(elsewhere)
    write_result(runs / "run-0001.txt", 50)
    with pytest.raises(ft.DatasetError, match=rf"ds/{name}: leads out of the dataset .*elsewhere"):
        ft.convert(runs, path)
    assert letters(elsewhere) == before


@pytest.mark.parametrize("there", [True, False], ids=["there", "dangling"])
def test_a_lock_that_is_a_link_is_refused(tmp_path, runs, elsewhere, there):
    path = tmp_path / "ds"
    path.mkdir()
    link(path / "_lock", elsewhere / ("letter.txt" if there else "nothing.txt"))
    with pytest.raises(ft.DatasetError, match=r"ds/_lock: leads out of the dataset"):
        ft.convert(runs, path)
    assert not (elsewhere / "nothing.txt").exists()


def test_a_file_that_is_a_link_is_not_written_through(tmp_path, runs, elsewhere):
    path = tmp_path / "ds"
    ft.convert(runs, path)
    link(path / "io/part-000002-001.parquet", elsewhere / "part-000001-001.parquet")
    before = letters(elsewhere)
    write_result(runs / "more.txt", 50)
    with pytest.raises(ft.DatasetError, match="fiotools did not write this"):
        ft.convert(runs, path)
    assert letters(elsewhere) == before


def test_the_dataset_itself_may_be_a_link(tmp_path, runs):
    (tmp_path / "large").mkdir()
    link(tmp_path / "ds", tmp_path / "large")
    assert ft.convert(runs, tmp_path / "ds").new == 3
    assert data_files(tmp_path / "large")
    with held(store_at(tmp_path / "large")), pytest.raises(ft.DatasetError, match="at work there"):
        ft.convert(runs, tmp_path / "ds")


def test_a_part_that_fiotools_did_not_write_is_refused(tmp_path, runs):
    path = tmp_path / "ds"
    ft.convert(runs, path)
    stranger = path / "io" / "part-000007-001.parquet"
    stranger.write_text("dear diary")
    with pytest.raises(ft.DatasetError, match=r"io/part-000007-001\.parquet: .*move it"):
        ft.convert(runs, path)
    assert stranger.read_text() == "dear diary"
    stranger.unlink()
    other = path / "io" / ".part-of-something.part"
    other.write_text("dear diary")
    assert ft.convert(runs, path).unchanged == 3
    assert other.read_text() == "dear diary"


def test_what_lies_beside_in_an_object_store_stays():
    fsspec = pytest.importorskip("fsspec", reason="fsspec is not installed")
    memory = fsspec.filesystem("memory")
    try:
        for number in range(2):
            memory.pipe_file(f"/owned/runs/{number}.txt", b"1+0 records in\n1+0 records out\n")
            memory.pipe_file("/owned/ds/_attic/letter.txt", b"dear diary") if number else None
            if not number:
                ft.convert("memory://owned/runs", "memory://owned/ds")
        assert ft.convert("memory://owned/runs", "memory://owned/ds").new == 1
        assert memory.cat_file("/owned/ds/_attic/letter.txt") == b"dear diary"
        assert memory.find("/owned/ds/_attic") == ["/owned/ds/_attic/letter.txt"]
    finally:
        memory.rm("/owned", recursive=True)
