"""Whatever ends a conversion or one of its workers: begun again, nothing is lost or doubled."""

import signal
import subprocess
import sys
import threading
import time

import pytest

import fiotools as ft
from fiotools import dataset
from fiotools.errors import ScanWarning
from fiotools.vocabulary import TABLES
from tests.cli.conftest import inside  # noqa: F401
from tests.datasets import same_rows, small_batches, write_result, write_results  # noqa: F401

BATCH = len(TABLES)  # files of a batch in the dataset: one for each table
# ends with SIGKILL in the middle of writing its n-th file
KILLED = """
import os, signal, sys
import fiotools as ft
from fiotools import dataset
from fiotools.files import atomic_write

write, left = dataset._write, int(sys.argv[3])

def counted(place, content):
    global left
    left -= 1
    def half(file):
        file.write(content[: len(content) // 2])
        file.flush()
        os.kill(os.getpid(), signal.SIGKILL)
    if left == 0:
        dataset.Path(place).parent.mkdir(parents=True, exist_ok=True)
        atomic_write.write(dataset.Path(place), half)
    write(place, content)

dataset._write, dataset._FILES = counted, 10
ft.convert(sys.argv[1], sys.argv[2])
"""
LIMITED = """
import resource, sys
import fiotools as ft

resource.setrlimit(resource.RLIMIT_FSIZE, (6_000, resource.RLIM_INFINITY))
ft.convert(sys.argv[1], sys.argv[2])
"""
pytestmark = pytest.mark.usefixtures("small_batches")
needs_kill = pytest.mark.skipif(sys.platform == "win32", reason="Windows knows no SIGKILL")


def run(program, *arguments):
    command = [sys.executable, "-c", program, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def killed(runs, path, writes):
    assert run(KILLED, runs, path, writes).returncode == -signal.SIGKILL


def rows_of(path, files, found):
    """Give the rows of a conversion that did not end."""
    with pytest.warns(ScanWarning, match=f"{files} of {found} files are there: convert"):
        begun = ft.open_dataset(path)
    assert begun.unfinished in repr(begun)
    results = begun.read()
    (note,) = results.notes[results.notes["source"] == str(path)].itertuples()
    assert (note.severity, note.message) == ("warning", begun.unfinished)
    return len(results.io)


def assert_whole(path, sources):
    """Compare with `read`; nothing else is left in the folder, and nothing warns."""
    same_rows(path, sources)
    batches = {one.name for one in (path / "notes").iterdir()}
    for table in TABLES:
        assert {one.name for one in (path / table).iterdir()} == batches


def until(path, batches):
    end = time.monotonic() + 300
    while len(list(path.glob("notes/*.parquet"))) < batches:
        assert time.monotonic() < end
        time.sleep(0.005)


@needs_kill
def test_killed_again_and_again(tmp_path):
    runs, others, path = write_results(tmp_path / "runs", 60), tmp_path / "others", tmp_path / "ds"
    # in the first table of a batch, in its notes, and in a table behind two batches
    for writes, files in ((2, 0), (1 + BATCH, 0), (1 + 2 * BATCH + 5, 20)):
        killed(runs, path, writes)
        assert rows_of(path, files, 60) == files
    assert list(path.glob("*/.*.part"))
    write_result(runs / "a-new.txt", 1000)  # from here on batches would hold other files
    (runs / "run-0059.txt").unlink()
    done = ft.convert(runs, path)
    assert (done.files, done.new) == (60, 40)
    assert_whole(path, runs)
    assert ft.convert(runs, path).new == 0
    # and while new files are taken in
    killed(write_results(others, 15, start=60), path, 2 + BATCH)
    assert rows_of(path, 70, 75) == 70
    assert ft.convert(others, path).new == 5
    assert_whole(path, [str(runs / "*.txt"), str(others / "*.txt")])


def test_two_batches_with_one_file_are_refused(tmp_path):
    runs, path = write_results(tmp_path / "runs", 3), tmp_path / "ds"
    ft.convert(runs, path)
    for table in (path / "io", path / "notes"):
        (one,) = table.iterdir()
        (table / f"{0:08}-{0:016}.parquet").write_bytes(one.read_bytes())
    for use in (lambda: ft.open_dataset(path), lambda: ft.convert(runs, path)):
        with pytest.raises(ft.DatasetError, match="two batches hold the same file"):
            use()


def test_on_the_command_line(tmp_path, inside, monkeypatch):  # noqa: F811
    runs, path = write_results(tmp_path / "runs", 30), tmp_path / "ds"
    ft.convert(runs / "run-0000.txt", path)
    with monkeypatch.context() as patch:
        patch.setattr(dataset, "_clear", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            ft.convert(runs, path)
    done = inside("read", path, "--table", "io")
    assert done.returncode == 1
    assert "1 of 30 files are there: run the same fiotools convert again" in done.stderr
    inside("report", path, "-o", tmp_path / "page.html")
    assert "1 of 30 files are there" in (tmp_path / "page.html").read_text("utf-8")


@needs_kill
def test_a_full_disk(tmp_path):
    runs, path = write_results(tmp_path / "runs", 30), tmp_path / "ds"
    done = run(LIMITED, runs, path)
    assert (done.returncode, f"File too large: '{path}/" in done.stderr) == (1, True)
    assert not list(path.glob("*/.*.part"))
    assert rows_of(path, 0, 30) == 0
    ft.convert(runs, path)
    assert_whole(path, runs)


@needs_kill
def test_processes_end_with_a_conversion_that_is_killed(tmp_path):
    psutil = pytest.importorskip("psutil", reason="psutil is not installed")
    runs, path = write_results(tmp_path / "runs", 3000), tmp_path / "ds"
    command = [sys.executable, "-m", "fiotools", "convert", runs, "-o", path, "--workers", "2"]
    with subprocess.Popen(command) as process:
        until(path, 1)
        children = psutil.Process(process.pid).children(recursive=True)
        process.kill()
    assert len(children) >= 2
    assert not psutil.wait_procs(children, timeout=300)[1]


# --- many machines ------------------------------------------------------------------------------

WORKER = ["-m", "distributed.cli.dask_worker", "--no-nanny", "--no-dashboard", "--nthreads", "1"]
on_dask = pytest.mark.filterwarnings("ignore::ResourceWarning")  # of the cluster that is killed


@pytest.fixture
def cluster():
    """A scheduler, and two processes that work for it, which nobody starts again."""
    distributed = pytest.importorskip("distributed", reason="distributed is not installed")
    with distributed.LocalCluster(n_workers=0, dashboard_address=":0", silence_logs=60) as made:
        command = [sys.executable, *WORKER, made.scheduler_address]
        nowhere = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        made.processes = [subprocess.Popen(command, **nowhere) for _ in range(2)]
        try:
            with distributed.Client(made, set_as_default=False) as made.client:
                made.client.wait_for_workers(2, timeout=300)
                yield made
        finally:
            for process in made.processes:
                process.kill()
                process.wait()


@on_dask
def test_a_worker_is_killed_and_the_conversion_ends(tmp_path, cluster):
    runs, path = write_results(tmp_path / "runs", 300), tmp_path / "ds"

    def kill():
        until(path, 6)
        cluster.processes[0].kill()

    thread = threading.Thread(target=kill, daemon=True)
    thread.start()
    done = ft.convert(runs, path, executor=cluster.client)
    thread.join()
    assert (done.files, done.new) == (300, 300)
    same_rows(path, runs)
    assert ft.convert(runs, path).new == 0  # removes what the worker had half written
    assert_whole(path, runs)


@on_dask
def test_workers_that_see_another_place(tmp_path, cluster):
    """As on machines that share nothing: it is said, and nothing passes for done."""
    runs = write_results(tmp_path / "runs", 3)
    with pytest.raises(ft.DatasetError, match=r"a worker sees another place of this name"):
        ft.convert(runs, "memory://not-shared", executor=cluster.client)
    with pytest.warns(ScanWarning, match="0 of 3 files are there"):
        assert len(ft.open_dataset("memory://not-shared").runs.collect()) == 0


@on_dask
def test_the_command_line_asks_a_scheduler_or_starts_processes(tmp_path, cluster, inside):  # noqa: F811
    runs = write_results(tmp_path / "runs", 3)
    for number, workers in enumerate((cluster.scheduler_address, 2)):
        path = tmp_path / f"ds{number}"
        done = inside("convert", runs, "-o", path, "--workers", workers)
        assert (done.returncode, done.stdout) == (0, "")
        assert done.stderr == f"fiotools: converted to {path}: 3 files (3 new)\n"
        assert_whole(path, runs)
    for wrong, code in (("0", 2), ("two", 2), ("nowhere:// x", 1)):
        done = inside("convert", runs, "-o", path, "--workers", wrong)
        assert done.returncode == code
        assert done.stderr.startswith(f"fiotools: --workers {wrong}: give a number of processes,")
