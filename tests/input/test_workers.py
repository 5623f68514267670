"""Work in other processes: the same results, whatever becomes of the processes."""

import inspect
import itertools
import os
import pickle
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import warnings
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from contextlib import chdir, closing
from pathlib import Path

import pandas as pd
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import fiotools as ft
from fiotools import errors
from fiotools import readers as registry
from fiotools.errors import in_shell
from fiotools.input import workers as processes
from fiotools.input.read import Task, read_shared, shares
from fiotools.input.sources import find
from fiotools.input.workers import PROGRAM, run
from tests import working
from tests.cli.conftest import environment
from tests.conftest import FIXTURES, ROOT

PATIENCE = 60  # seconds
JOBS = "[fill]\nrw=write\n[read]\nstonewall\nrw=read\n[both]\nstonewall\nrw=randrw\n"
posix = pytest.mark.skipif(sys.platform == "win32", reason="signals as Unix has them")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Some hundred outputs, and among them what cannot be read, and job files."""
    folder = tmp_path_factory.mktemp("many")
    every = sorted([*FIXTURES.glob("dd/*.txt"), *FIXTURES.glob("fio/*.json")])
    small = [file for file in every if file.stat().st_size < 30_000][::2]
    for mount, iodepth in (("ext4", 1), ("xfs", 32)):
        inside = folder / mount / str(iodepth)
        inside.mkdir(parents=True)
        for file, number in itertools.product(small, range(4)):
            shutil.copy(file, inside / f"{number}-{file.name}")
        (inside / "cut.xml").write_text("<Results>\n <System>\n")
        (inside / "diary.txt").write_text("Dear diary,\nnothing was measured.\n")
        (inside / "run.fio").write_text(JOBS)
    # only one of the job files is of any use, to a report that is far from it in the list
    shutil.copy(FIXTURES / "fio/fio-3.33--terse-stonewall.terse", folder / "ext4/1/0.terse")
    return folder


def everything(read):
    """Give what came out of reading, the good and the bad."""
    try:
        with warnings.catch_warnings(category=UserWarning, action="ignore"):
            results = read()
        failures = results.failures
    except ft.ReadErrors as error:
        results, failures = error.results, error.failures
    return results, [(type(failure), str(failure)) for failure in failures]


def assert_same(one, other):
    (results, failures), (expected, expected_failures) = one, other
    assert failures == expected_failures
    assert results.files == expected.files
    assert list(results.tables) == list(expected.tables)
    for table, frame in expected.tables.items():
        pd.testing.assert_frame_equal(results.tables[table], frame)


@pytest.mark.parametrize("errors", ["raise", "note"])
def test_the_same_as_in_one_process(folder, errors):
    def read(**others):
        template = f"{folder.as_posix()}/{{mount}}/{{iodepth:d}}/*"
        with in_shell():  # messages of workers are spelled as they are here
            return everything(lambda: ft.read(template, errors=errors, **others))

    expected = read()
    assert len(expected[0].runs) > 100
    failed = [re.sub(f"{re.escape(folder.as_posix())}/|:.*", "", text) for _, text in expected[1]]
    names = ("cut.xml", "diary.txt", "run.fio")
    bad = [f"{place}/{name}" for place in ("ext4/1", "xfs/32") for name in names]
    assert failed == bad
    said = [text for _, text in expected[1]] + expected[0].notes["message"].tolist()
    assert any("--reader" in text for text in said)
    assert_same(read(workers=2), expected)
    with ThreadPoolExecutor(3) as threads:
        assert_same(read(executor=threads), expected)


def test_batches_by_number_and_by_bytes(tmp_path):
    for name, size in (("a", 10), ("b", 300 << 20), ("c", 10), ("d", 10)):
        with (tmp_path / f"{name}.json").open("wb") as file:
            file.truncate(size)
    found = find(tmp_path)
    assert shares(found, 1) == [(1, 2), (2, 4), (0, 1)]
    many = found * 500
    for workers in (1, 3, 64):
        places = shares(many, workers)
        assert sorted(itertools.chain(*(range(*place) for place in places))) == [*range(2000)]
        assert max(stop - start for start, stop in places) <= 512
    assert len(shares(found[2:] * 500, 3)) >= 12
    absent = [file._replace(place="gone") for file in found]
    assert shares(absent, 2) == [(0, 4)]


def test_what_is_in_memory_is_read_where_it_is():
    memory = pytest.importorskip("fsspec", reason="needs the extra [scale]").filesystem("memory")
    for number in range(20):
        memory.pipe(f"/workers/{number}.txt", b"real\t0m1.5s\nuser\t0m0.1s\nsys\t0m0.2s\n")
    assert len(ft.read("memory://workers", workers=2).timings) == 20
    memory.rm("/workers", recursive=True)


def test_relative_paths_begin_where_they_were_given(folder, monkeypatch):
    """An executor's processes may have been started in another folder."""

    class Elsewhere(Frail):
        def submit(self, *given):
            with chdir(FIXTURES):
                return super().submit(*given)

    monkeypatch.chdir(folder)
    expected = everything(lambda: ft.read("ext4"))
    assert_same(everything(lambda: ft.read("ext4", executor=Elsewhere())), expected)


def test_files_are_counted_as_they_are_done(folder):
    found, steps = find(folder / "ext4"), []
    with ThreadPoolExecutor(2) as threads:
        batches = read_shared(found, Task(), steps.append, executor=threads)
    assert len(steps) > 2
    assert sum(steps) == len(found) == sum(len(batch.part.files) for batch in batches)


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """Another package's reader, in this process and in those that it starts."""
    place = tmp_path / "installed"
    about = place / "toy-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: toy\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[fiotools.readers]\ntoy = toy_reader:READER\n")
    (place / "toy_reader.py").write_text(working.TOY)
    monkeypatch.syspath_prepend(place)
    registry.readers.cache_clear()
    yield place
    registry.readers.cache_clear()
    sys.modules.pop("toy_reader", None)


def deeds(folder, **named):
    """Write a file for each deed, and forty for none."""
    folder.mkdir()
    for number in range(40):
        (folder / f"{number:02}.txt").write_text("toy\n")
    for name, deed in named.items():
        (folder / f"{name}.txt").write_text(f"toy\n{deed}\n")
    return folder


@pytest.mark.usefixtures("toy")
def test_a_file_that_ends_its_reader_costs_only_itself(tmp_path):
    sources = deeds(tmp_path / "runs", bad="die", odd=f"die {tmp_path / 'died'}")
    with pytest.raises(ft.ReadErrors) as caught:
        ft.read(sources, workers=2, errors="raise")
    [failure] = caught.value.failures
    assert failure.path == f"{sources.as_posix()}/bad.txt"
    assert "reading it ended its worker process 2 times, the last one alone (SIGKILL)" in str(
        failure
    )
    read = [Path(source).stem for source in caught.value.results.io["source"]]
    assert read == [*(f"{number:02}" for number in range(40)), "odd"]


@pytest.mark.usefixtures("toy")
def test_a_file_that_ends_its_reader_is_refused_by_convert(tmp_path):
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    sources = deeds(tmp_path / "runs", bad="die")
    whole = tmp_path / "whole"
    for place, workers in ((tmp_path / "ds", 2), (whole, None)):
        if workers is None:  # this process must not read it
            (sources / "bad.txt").unlink()
        done = ft.convert(sources, place, workers=workers, part_files=25)
        assert (done.read, done.parts) == (40, 2)
    dataset = ft.open_dataset(tmp_path / "ds")
    (bad,) = dataset.manifest.filter(pl.col("status") != "read").collect().to_dicts()
    assert (bad["source"], bad["status"]) == (f"{sources.as_posix()}/bad.txt", "refused")
    assert "reading it ended its worker process 2 times, the last one alone (SIG" in bad["message"]
    assert "; is there enough memory? ft.scan reads a log" in bad["message"]
    notes = dataset.notes.collect()
    assert notes.select("source", "message").rows() == [(bad["source"], bad["message"])]
    for table in ("runs", "io"):
        expected = ft.open_dataset(whole)[table].collect()
        assert_frame_equal(dataset[table].collect(), expected)
    # another time it may be read: there is more memory, or another process
    (sources / "bad.txt").write_text("toy\nnothing\n")
    done = ft.convert(sources, tmp_path / "ds")
    assert (done.read, done.refused, done.changed) == (41, 0, 1)


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize("deed", ["fill", "grow"])
@pytest.mark.parametrize("workers", [None, 2])
def test_a_file_that_does_not_fit_into_the_memory_costs_only_itself(tmp_path, deed, workers):
    """Itself, or its rows; of a batch whose rows do not fit, the largest file goes."""
    sources = deeds(tmp_path / "runs", bad=f"{deed} {'x' * 100}", worse=f"{deed} {'x' * 999}")
    with pytest.raises(ft.ReadErrors) as caught:
        ft.read(sources, workers=workers, errors="raise")
    assert len(caught.value.results.io) == 40
    bad, worse = sorted(caught.value.failures, key=lambda failure: failure.path)
    assert bad.path == f"{sources.as_posix()}/bad.txt"
    for failure in (bad, worse):
        assert "is too large for the memory here: it has" in failure.reason
        assert "ft.scan reads" in failure.remedy
    noted = ft.read(sources, workers=workers, errors="note")
    assert (len(noted.io), noted.files) == (40, 42)
    assert sorted(noted.notes["source"]) == [bad.path, worse.path]
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    done = ft.convert(sources, tmp_path / "ds", workers=workers)
    assert (done.read, done.refused) == (40, 2)
    assert "too large for the memory here" in done.refusals[0]
    for file in (sources / "bad.txt", sources / "worse.txt"):
        file.write_text("toy\n")
    done = ft.convert(sources, tmp_path / "ds")
    assert (done.read, done.changed) == (42, 2)


def test_an_answer_that_does_not_fit_into_the_memory(monkeypatch):
    really, calls = processes.receive, []

    def receive(stream):
        calls.append(stream)
        if len(calls) == 4:  # two processes have started, and done a task
            raise MemoryError
        return really(stream)

    monkeypatch.setattr(processes, "receive", receive)
    assert sorted(run(working.square, range(8), workers=2)) == [(n, n * n) for n in range(8)]


def test_a_killed_worker_costs_a_retry_and_nothing_is_lost_or_doubled(tmp_path):
    tasks = ((number, tmp_path) for number in range(40))
    done = list(run(working.die_once, tasks, workers=2))
    assert sorted(done) == [(number, number) for number in range(40)]
    goes = [len((tmp_path / str(number)).read_text()) for number in range(40)]
    assert goes == [2 if number % 5 == 2 else 1 for number in range(40)]


def test_a_task_that_always_kills_its_worker_is_told_from_its_neighbours():
    with pytest.raises(ft.WorkerError, match=r"^task 3 ended its worker process 3 times"):
        list(run(working.die_at_three, range(8), workers=2))
    done = dict(run(working.die_at_three, range(8), workers=2, retries=0, errors="return"))
    assert "task 3 ended its worker process once" in str(done.pop(3))
    assert done == {number: number for number in range(8) if number != 3}


def test_an_error_of_the_function_goes_up_and_says_where_it_arose():
    with pytest.raises(ZeroDivisionError, match=r"^three$") as caught:
        list(run(working.fail_at_three, range(8), workers=2))
    assert "in fail_at_three" in str(caught.value.__cause__)


def test_what_a_task_prints_is_not_an_answer(capfd):
    said = ["\n" * 9, "said"]
    assert sorted(run(working.talk, said, workers=2)) == list(enumerate(said))
    assert capfd.readouterr().out == ""


def test_what_cannot_be_sent():
    with pytest.raises(ft.WorkerError, match=r"cannot be sent to a worker process: .*lambda"):
        list(run(lambda task: task, [1], workers=2))
    with pytest.raises(ft.WorkerError, match="lock"):
        list(run(working.square, [threading.Lock()], workers=2))
    with pytest.raises((AttributeError, pickle.PicklingError), match="lambda"):
        list(run(working.unsendable, [1], workers=2))


def test_a_process_that_cannot_be_started(monkeypatch):
    monkeypatch.setattr("fiotools.input.workers.PROGRAM", "raise SystemExit(3)")
    with pytest.raises(ft.WorkerError, match=r"cannot be started: it ends at once \(exit code 3\)"):
        list(run(working.square, [1, 2], workers=2))


@pytest.mark.parametrize("told", [b"", pickle.dumps(sys.path)], ids=["at once", "while it starts"])
def test_a_process_whose_program_is_gone_ends_in_silence(told):
    program = subprocess.Popen(
        [sys.executable, "-P", "-c", PROGRAM],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with program as process:
        process.stdout.close()  # its number cannot be told any more
        process.stdin.write(told)
        if told:
            process.stdin.flush()
            assert process.wait(PATIENCE) == 0
        process.stdin.close()
        assert process.wait(PATIENCE) == 0
        assert process.stderr.read() == b""


def test_arguments():
    with pytest.raises(ft.SchemaError, match=r"^workers=0: give a number of processes"):
        ft.read("data/wsl-vhdx", workers=0)
    with pytest.raises(ft.SchemaError, match=r"^workers='2': "):
        ft.read("data/wsl-vhdx", workers="2")
    with in_shell(), pytest.raises(ft.SchemaError, match=r"^--workers -1: "):
        run(working.square, [], workers=-1)
    with pytest.raises(ft.SchemaError, match=r"^2 is not an executor, it has no submit\(\)"):
        ft.read("data/wsl-vhdx", executor=2)


def test_tasks_are_taken_as_they_are_needed():
    taken = itertools.count()
    with closing(run(working.square, taken, workers=2)) as done:
        assert len(list(itertools.islice(done, 50))) == 50
    assert next(taken) < 60


def ended(place):
    """Say whether the process is gone that left its trace at a place."""
    place.unlink(missing_ok=True)
    time.sleep(0.3)
    return not place.exists()


def until(place, process=None):
    end = time.monotonic() + PATIENCE
    while not place.exists():
        assert time.monotonic() < end
        assert process is None or process.poll() is None, process.communicate()
        time.sleep(0.01)


def test_nothing_is_left_running_when_nobody_wants_more(tmp_path):
    places = [tmp_path / str(number) for number in range(3)]
    tasks = [None, *map(str, places), *["never begun"] * 9]
    with closing(run(working.wait, tasks, workers=3)) as done:
        assert next(done) == (0, None)
        for place in places:
            until(place)
    assert all(map(ended, places))


LIBRARY = """
import sys
from fiotools.input.workers import PROGRAM, run
from tests.working import wait

print(next(run(wait, sys.argv[1:], workers=2)))
"""


@posix
@pytest.mark.parametrize(
    ("verb", "number", "whom"),
    [
        (None, signal.SIGINT, os.kill),
        (None, signal.SIGKILL, os.kill),
        ("read", signal.SIGINT, os.killpg),
    ],
    ids=["ctrl-c", "killed", "ctrl-c in a terminal"],
)
def test_the_end_of_the_program_is_that_of_its_workers(tmp_path, toy, verb, number, whom):
    place, another = tmp_path / "trace", tmp_path / "another"
    runs = deeds(tmp_path / "runs", slow=f"wait {place}")
    read = ("-m", "fiotools", "read", "--workers", "2", runs)
    process = subprocess.Popen(
        [sys.executable, *(read if verb else ("-c", LIBRARY, place, another))],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        cwd=ROOT,
        env=environment(PYTHONPATH=str(toy)),
        start_new_session=True,
    )
    try:
        until(place, process)
        whom(process.pid, number)
        stdout, stderr = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
        process.communicate()
    assert process.returncode == -number
    assert ended(place)
    assert stdout == ""
    if verb:
        assert stderr == "fiotools: interrupted\n"
    elif number == signal.SIGINT:
        assert stderr.startswith("Traceback (most recent call last):\n")
        assert stderr.endswith("\nKeyboardInterrupt\n")
        assert stderr.count("Traceback") == 1
    else:
        assert stderr == ""


class Frail(Executor):
    """Does each task at once, loses some, and takes only so many."""

    def __init__(self, *, takes=10**6, loses=(), error=None):
        self.takes, self.loses, self.error, self.tasks = takes, loses, error, []

    def submit(self, function, *given):
        if len(self.tasks) == self.takes:
            raise RuntimeError("cannot schedule new futures after shutdown")
        future = Future()
        self.tasks.append(given[-1])
        if len(self.tasks) not in self.loses:
            future.set_result(function(*given))
        elif self.error is not None:
            future.set_exception(self.error)
        else:
            future.cancel()
            future.set_running_or_notify_cancel()
        return future


def killed():
    scheduler = pytest.importorskip("distributed.scheduler", reason="needs the extra [scale]")
    return scheduler.KilledWorker("task", None, 3)


@pytest.mark.parametrize(
    "error",
    [lambda: None, BrokenExecutor, killed],
    ids=["cancelled", "broken", "killed by its task, as Dask says"],
)
def test_what_an_executor_lost_is_done_again(error):
    frail = Frail(loses={2, 5}, error=error())
    done = sorted(run(working.square, range(4), executor=frail))
    assert done == [(0, 0), (1, 1), (2, 4), (3, 9)]
    assert frail.tasks == [0, 1, 2, 3, 1, 1]


def test_an_executor_that_loses_everything_is_given_up():
    with pytest.raises(ft.WorkerError, match=r"100 tasks in a row .* after 0 were done"):
        list(run(working.square, itertools.count(), executor=Frail(loses=range(10**6))))


def test_an_executor_that_takes_no_more_leaves_what_was_done(folder):
    with pytest.raises(
        ft.WorkerError, match=r"no more tasks \(cannot schedule .*\) after 3 were done"
    ) as caught:
        ft.read(folder, errors="note", executor=Frail(takes=3))
    done = caught.value.results
    assert 0 < done.files == len({*done.runs["source"], *done.notes["source"]})


def test_dask(folder, tmp_path):
    distributed = pytest.importorskip("distributed", reason="needs the extra [scale]")
    expected = everything(lambda: ft.read(folder, tables=("io",)))
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=60
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        executor = client.get_executor()
        read = everything(lambda: ft.read(folder, tables=("io",), executor=executor))
        assert_same(read, expected)
        # by itself Dask would take these for one task
        done = run(working.die_once, [(1, tmp_path), (1, tmp_path)], executor=executor)
        assert sorted(done) == [(0, 1), (1, 1)]
        assert (tmp_path / "1").read_text() == "xx"


def test_errors_survive_a_trip_between_processes():
    made = {
        ft.ReadErrors: lambda kind: kind(
            [ft.FileError("a", "b")], ft.reads("real\t0m1.5s\nuser\t0m0s\nsys\t0m0s"), 2
        ),
        ft.WorkerError: lambda kind: kind("lost", task=3),
    }
    kinds = [kind for _, kind in inspect.getmembers(errors, inspect.isclass)]
    kinds = [kind for kind in kinds if issubclass(kind, ft.FiotoolsError)]
    assert len(kinds) > 10
    for kind in kinds:
        if issubclass(kind, ft.FileError):
            error = kind("a.txt", "is wrong", line=3, remedy="mend it")
        else:
            error = made.get(kind, lambda kind: kind("is wrong"))(kind)
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), str(again)) == (kind, str(error))
        assert vars(again).keys() == vars(error).keys()
