"""Whatever ends a conversion: begun again, it ends with the same bytes; and never are there two."""

import os
import signal
import socket
import subprocess
import sys

import pytest

import fiotools as ft
from fiotools.dataset.store import CLAIM, Bucket, Folder, held, store_at
from fiotools.errors import ScanWarning
from tests.cli.conftest import cli  # noqa: F401
from tests.datasets import data_files, write_result, write_results

pytest.importorskip("pyarrow", reason="pyarrow is not installed")

PART = 20  # files
# ends with SIGKILL in the middle of writing its n-th file
KILLED = f"""
import os, signal, sys
import fiotools as ft
from fiotools.dataset.store import Folder
from fiotools.files import atomic_write

write, left = Folder.write, int(sys.argv[3])

def counted(self, name, content):
    global left
    left -= 1
    def half(file):
        file.write(content)
        file.flush()
        os.kill(os.getpid(), signal.SIGKILL)
    if left == 0:
        self.own(name).parent.mkdir(parents=True, exist_ok=True)
        atomic_write.write(self.own(name), half)
    write(self, name, content)

Folder.write = counted
ft.convert(sys.argv[1], sys.argv[2], part_files={PART})
"""
LIMITED = f"""
import resource, sys
import fiotools as ft

resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]), resource.RLIM_INFINITY))
ft.convert(sys.argv[1], sys.argv[2], part_files={PART})
"""
needs_kill = pytest.mark.skipif(sys.platform == "win32", reason="Windows knows no SIGKILL")


def run(program, *arguments):
    command = [sys.executable, "-c", program, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def killed(runs, path, writes):
    assert run(KILLED, runs, path, writes).returncode == -signal.SIGKILL


def interrupted(runs, path, writes):
    """Press Ctrl-C as the n-th file is written."""
    write, left = Folder.write, writes

    def counted(self, name, content):
        nonlocal left
        left -= 1
        if left == 0:
            raise KeyboardInterrupt
        write(self, name, content)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Folder, "write", counted)
        with pytest.raises(KeyboardInterrupt):
            ft.convert(runs, path, part_files=PART)


def opened(path, missing):
    with pytest.warns(ScanWarning, match=missing):
        return ft.open_dataset(path)


@needs_kill
def test_killed_again_and_again(tmp_path):
    runs, path = write_results(tmp_path / "runs", 100), tmp_path / "ds"
    expected = ft.convert(runs, tmp_path / "whole", part_files=PART)
    # as it says what it is; in part 0; in the mark; in the record of part 1; in parts 3 and 4
    for writes in (1, 8, 15, 9, 12):
        killed(runs, path, writes)
    # what was not committed is not there, and of what was all is
    begun = opened(path, "60 of 100 files are in this dataset: the conversion did not end")
    assert len(begun.runs.collect()) == 60
    assert begun.manifest.collect()["status"].to_list() == ["read"] * 60
    assert list(path.glob("*/.part-*.part"))
    # the manifest says what is missing; a new file is in its place
    write_result(runs / "zz.txt", 1000)
    done = ft.convert(runs, path, part_files=PART)
    assert (done.new, done.unchanged, done.parts) == (41, 60, 3)
    (runs / "zz.txt").unlink()
    found = data_files(path)
    extra = {name for name in found if "part-000006" in name}
    assert {name: found[name] for name in found.keys() - extra} == data_files(tmp_path / "whole")
    assert expected.read == 100


@needs_kill
@pytest.mark.parametrize(
    ("stopped", "writes", "rows"),
    [(interrupted, 5, 60), (killed, 14, 64)],  # in a part; at the end, in part 0
    ids=["ctrl-c", "sigkill"],
)
def test_stopped_while_parts_are_replaced(tmp_path, stopped, writes, rows):
    runs, path = write_results(tmp_path / "runs", 60), tmp_path / "ds"
    for place in (path, tmp_path / "whole"):
        ft.convert(runs, place, part_files=PART)
    for number in (5, 25):
        write_result(runs / f"run-{number:04}.txt", 1000 + number)
    write_results(runs, 3, start=60)
    write_result(runs / "the-same-again.txt", 61)
    stopped(runs, path, writes)
    missing = "60 of 64 files are" if writes == 5 else "what has changed is not all in"
    begun = opened(path, missing)
    assert len(begun.io.collect()) == rows
    assert begun.manifest.collect()["source"].n_unique() == rows
    for place in (path, tmp_path / "whole"):
        done = ft.convert(runs, place, part_files=PART)
    assert data_files(path) == data_files(tmp_path / "whole")
    assert len(done.open().notes.collect()) == 1


def test_another_call_does_the_rest(tmp_path):
    runs, path = write_results(tmp_path / "runs", 60), tmp_path / "ds"
    interrupted(runs, path, 14 + 1 + 7)
    opened(path, "20 of 60 files are in this dataset")
    done = ft.convert(runs, path, part_files=50)
    assert (done.new, done.unchanged, done.parts) == (40, 20, 1)
    assert len(done.open().io.collect()) == 60


def test_files_that_another_call_does_not_name_are_said(tmp_path):
    """Or 40 of 60 files would be gone, and the dataset look whole."""
    runs, path = write_results(tmp_path / "runs", 60), tmp_path / "ds"
    others = write_results(tmp_path / "others", 5, start=60)
    interrupted(runs, path, 14 + 1 + 7)
    with pytest.warns(ScanWarning, match="a conversion of .*runs.* did not end: convert them ag"):
        ft.convert(others, path)
    ft.convert(runs, path)
    assert len(ft.open_dataset(path).io.collect()) == 65


@pytest.mark.parametrize(
    ("writes", "missing"),
    [(2, "no file is in this"), (15, "no file is in this"), (16, "0 of 60 files"), (27, "40 of")],
    ids=["at the beginning", "as it marks that", "in the first part", "in the last"],
)
def test_what_is_half_made_says_so(tmp_path, writes, missing):
    runs, path = write_results(tmp_path / "runs", 60), tmp_path / "ds"
    interrupted(runs, path, writes)
    begun = opened(path, missing)
    assert begun.unfinished in repr(begun)
    results = begun.read()
    assert results.files == len(begun.io.collect())
    (note,) = results.notes[results.notes["source"] == str(path)].itertuples()
    assert (note.severity, note.message) == ("warning", begun.unfinished)
    whole = ft.convert(runs, path, part_files=PART).open()  # a warning is an error here
    assert not whole.unfinished
    assert "not end" not in repr(whole)
    assert not list(path.glob("_unfinished*"))
    assert whole.manifest.collect()["status"].to_list() == ["read"] * 60
    # what is added to a whole one
    write_results(runs, 3, start=60)
    interrupted(runs, path, 1)
    assert not ft.open_dataset(path).unfinished  # nothing was begun
    interrupted(runs, path, 2)
    opened(path, "60 of 63 files are")
    assert ft.convert(runs, path, part_files=PART).new == 3
    assert len(ft.open_dataset(path).io.collect()) == 63


def test_a_half_made_dataset_on_the_command_line(tmp_path, cli):  # noqa: F811
    runs, path = write_results(tmp_path / "runs", 60), tmp_path / "ds"
    interrupted(runs, path, 14 + 1 + 7)
    done = cli("read", path, "--table", "io")
    assert done.returncode == 1
    assert "warning: " in done.stderr
    assert "20 of 60 files are in this dataset" in done.stderr
    assert "run the same fiotools convert again" in done.stderr
    done = cli("report", path, "-o", tmp_path / "page.html")
    assert "20 of 60 files are in this dataset" in (tmp_path / "page.html").read_text("utf-8")
    assert cli("convert", runs, "-o", path).returncode == 0
    done = cli("read", path, "--table", "io")
    assert (done.returncode, "60 files" in done.stderr) == (0, False)


@needs_kill
def test_a_full_disk(tmp_path):
    runs, path = write_results(tmp_path / "runs", 60), tmp_path / "ds"
    done = run(LIMITED, runs, path, 16_500)
    assert done.returncode == 1
    assert f"File too large: '{path}/io/part-000001-001.parquet'" in done.stderr
    assert not list(path.glob("*/.part-*.part"))
    assert len(opened(path, "0 of 60 files are").io.collect()) == 0
    ft.convert(runs, path, part_files=PART)
    ft.convert(runs, tmp_path / "whole", part_files=PART)
    assert data_files(path) == data_files(tmp_path / "whole")


def test_a_destination_that_cannot_be_written(tmp_path):
    runs = write_results(tmp_path / "runs", 2)
    (tmp_path / "file").write_text("")
    with pytest.raises(NotADirectoryError, match="file/ds"):
        ft.convert(runs, tmp_path / "file" / "ds")


def test_two_at_once(tmp_path):
    runs, path = write_results(tmp_path / "runs", 2), tmp_path / "ds"
    program = "import fiotools as ft, sys; ft.convert(*sys.argv[1:])"
    with held(store_at(path)):
        with pytest.raises(ft.DatasetError, match="another conversion of this program is at work"):
            ft.convert(runs, path)
        done = run(program, runs, path)
    assert f"DatasetError: {path}: another conversion is at work there; wait" in done.stderr
    assert ft.convert(runs, path).new == 2


def test_two_at_once_in_an_object_store(tmp_path):
    fsspec = pytest.importorskip("fsspec", reason="fsspec is not installed")
    runs, memory = write_results(tmp_path / "runs", 2), fsspec.filesystem("memory")
    here, gone = socket.gethostname(), subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    try:
        ft.convert(runs, "memory://at-once")
        assert not memory.exists("/at-once/_lock")
        elsewhere = '{"host": "elsewhere", "process": 7, "since": "2026-01-01 00:00:00Z"}'
        memory.pipe_file("/at-once/_lock", elsewhere.encode())
        with pytest.raises(
            ft.DatasetError,
            match=r"process 7 on elsewhere, since 2026-01-01 00:00:00Z\); if it was killed, remove"
            r" memory://at-once/_lock",
        ):
            ft.convert(runs, "memory://at-once")
        for process in (os.getppid(), gone.pid):
            told = f'{{"host": "{here}", "process": {process}, "since": "then"}}'
            memory.pipe_file("/at-once/_lock", told.encode())
            if process != gone.pid:
                with pytest.raises(ft.DatasetError, match="another conversion is at work"):
                    ft.convert(runs, "memory://at-once")
        assert ft.convert(runs, "memory://at-once").unchanged == 2
    finally:
        memory.rm("/at-once", recursive=True)


def test_one_of_two_takes_a_dead_lock_over(tmp_path, monkeypatch):
    fsspec = pytest.importorskip("fsspec", reason="fsspec is not installed")
    runs, memory = write_results(tmp_path / "runs", 2), fsspec.filesystem("memory")
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    dead, other = (
        f'{{"host": "{socket.gethostname()}", "process": {process}, "since": "then"}}'.encode()
        for process in (gone.pid, os.getppid())
    )
    write = Bucket.write

    def late(self, name, content, *, new=False):
        if name == CLAIM:  # the other one was faster, and is done with taking over
            memory.pipe_file("/take-over/_lock", other)
        write(self, name, content, new=new)

    try:
        memory.pipe_file("/take-over/_lock", dead)
        memory.pipe_file("/take-over/_lock-claim", other)
        with pytest.raises(
            ft.DatasetError, match=r"just beginning there.*remove memory://take-over/_lock-claim"
        ):
            ft.convert(runs, "memory://take-over")
        memory.rm_file("/take-over/_lock-claim")
        monkeypatch.setattr(Bucket, "write", late)
        with pytest.raises(ft.DatasetError, match=f"at work there .process {os.getppid()} on"):
            ft.convert(runs, "memory://take-over")
        assert memory.cat_file("/take-over/_lock") == other
        assert not memory.exists("/take-over/_lock-claim")
        monkeypatch.undo()
        memory.pipe_file("/take-over/_lock", dead)
        assert ft.convert(runs, "memory://take-over").new == 2
    finally:
        memory.rm("/take-over", recursive=True)
