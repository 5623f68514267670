"""An executor reads: the same results, and a plain word if one of its workers is gone."""

import inspect
import itertools
import pickle
import re
import shutil
import sys
import warnings
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import chdir
from multiprocessing import get_context

import pandas as pd
import pytest

import fiotools as ft
from fiotools import errors
from fiotools import readers as registry
from fiotools.errors import in_shell
from fiotools.input.read import run
from tests import working
from tests.conftest import FIXTURES

JOBS = "[fill]\nrw=write\n[read]\nstonewall\nrw=read\n[both]\nstonewall\nrw=randrw\n"


def processes():
    return ProcessPoolExecutor(2, get_context("spawn"))


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


def test_the_same_as_in_one_process(folder):
    def read(errors, **others):
        template = f"{folder.as_posix()}/{{mount}}/{{iodepth:d}}/*"
        with in_shell():  # messages of workers are spelled as they are here
            return everything(lambda: ft.read(template, errors=errors, **others))

    expected = {errors: read(errors) for errors in ("raise", "note")}
    for results, failures in expected.values():
        assert len(results.runs) > 100
        failed = [re.sub(f"{re.escape(folder.as_posix())}/|:.*", "", text) for _, text in failures]
        names = ("cut.xml", "diary.txt", "run.fio")
        assert failed == [f"{place}/{name}" for place in ("ext4/1", "xfs/32") for name in names]
        said = [text for _, text in failures] + results.notes["message"].tolist()
        assert any("--reader" in text for text in said)
    for executor in (ThreadPoolExecutor(3), processes()):
        with executor:
            for errors, truth in expected.items():
                assert_same(read(errors, executor=executor), truth)


class Elsewhere(Executor):
    """Works in another folder, as processes may that were started there."""

    def submit(self, function, *given):
        future = Future()
        with chdir(FIXTURES):
            future.set_result(function(*given))
        return future


def test_relative_paths_begin_where_they_were_given(folder, monkeypatch):
    monkeypatch.chdir(folder)
    expected = everything(lambda: ft.read("ext4"))
    assert_same(everything(lambda: ft.read("ext4", executor=Elsewhere())), expected)


def test_another_object_than_an_executor_is_refused():
    with pytest.raises(ft.SchemaError, match=r"^executor=2 has no submit\(\): give an executor of"):
        ft.read("data/wsl-vhdx", executor=2)


def test_what_is_not_wanted_any_more_is_cancelled():
    class Slow(Executor):
        def __init__(self):
            self.futures = []

        def submit(self, function, task):
            self.futures.append(future := Future())
            if len(self.futures) == 1:
                future.set_result(function(task))
            return future

    done = run(abs, [-1, -2, -3], slow := Slow())
    assert next(done) == 1
    done.close()
    assert [future.cancelled() for future in slow.futures] == [False, True, True]


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
def test_a_killed_process_is_told(tmp_path):
    sources = deeds(tmp_path / "runs", bad="die")
    for use in (ft.read, lambda *given, **named: ft.convert(*given, tmp_path / "ds", **named)):
        with (
            processes() as pool,
            pytest.raises(ft.WorkerError, match=r"^a worker is gone \(.*memory"),
        ):
            use(sources, executor=pool)


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize("deed", ["fill", "grow"])
@pytest.mark.parametrize("executor", [None, ThreadPoolExecutor(2)], ids=["here", "executor"])
def test_a_file_that_does_not_fit_into_the_memory_costs_only_itself(tmp_path, deed, executor):
    """Itself, or its rows; of a batch whose rows do not fit, the largest file goes."""
    sources = deeds(tmp_path / "runs", bad=f"{deed} {'x' * 100}", worse=f"{deed} {'x' * 999}")
    with pytest.raises(ft.ReadErrors) as caught:
        ft.read(sources, executor=executor, errors="raise")
    assert len(caught.value.results.io) == 40
    bad, worse = sorted(caught.value.failures, key=lambda failure: failure.path)
    assert bad.path == f"{sources.as_posix()}/bad.txt"
    for failure in (bad, worse):
        assert "is too large for the memory here: it has" in failure.reason
        assert "ft.scan reads" in failure.remedy
    noted = ft.read(sources, executor=executor, errors="note")
    assert (len(noted.io), noted.files) == (40, 40)
    assert sorted(noted.notes["source"]) == [bad.path, worse.path]
    done = ft.convert(sources, tmp_path / "ds", executor=executor)
    assert len(done.refusals) == 2
    assert "too large for the memory here" in done.refusals[0].reason


@pytest.fixture
def client():
    distributed = pytest.importorskip("distributed", reason="needs the extra [scale]")
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with (
        distributed.LocalCluster(**options, silence_logs=60) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client


def test_dask(folder, client):
    expected = everything(lambda: ft.read(folder, tables=("io",)))
    for executor in (client, client.get_executor()):
        read = everything(lambda one=executor: ft.read(folder, tables=("io",), executor=one))
        assert_same(read, expected)


@pytest.mark.usefixtures("toy")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_file_that_ends_every_worker_of_dask_is_told(tmp_path, client):
    sources = deeds(tmp_path / "runs", bad="die")
    with pytest.raises(ft.WorkerError, match=r"^a worker is gone \(Attempted to run task"):
        ft.read(sources, executor=client)


def test_errors_survive_a_trip_between_processes():
    results = ft.reads("real\t0m1.5s\nuser\t0m0s\nsys\t0m0s")
    kinds = [kind for _, kind in inspect.getmembers(errors, inspect.isclass)]
    kinds = [kind for kind in kinds if issubclass(kind, ft.FiotoolsError)]
    assert len(kinds) > 10
    for kind in kinds:
        if issubclass(kind, ft.FileError):
            error = kind("a.txt", "is wrong", line=3, remedy="mend it")
        elif kind is ft.ReadErrors:
            error = kind([ft.FileError("a", "b")], results, 2)
        else:
            error = kind("is wrong")
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), str(again)) == (kind, str(error))
        assert vars(again).keys() == vars(error).keys()
