"""Many machines: a cluster of Dask converts, one of its processes is killed, and nothing is lost."""

import subprocess
import sys
import threading
import time

import pytest

import fiotools as ft
from fiotools.errors import ScanWarning
from tests.cli.conftest import inside  # noqa: F401
from tests.datasets import data_files, write_results

pytest.importorskip("pyarrow", reason="pyarrow is not installed")
distributed = pytest.importorskip("distributed", reason="distributed is not installed")

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")  # of the cluster that is killed


def worker(address):
    """Start a worker of its own, which nobody starts again."""
    options = ["--no-nanny", "--no-dashboard", "--nthreads", "1"]
    command = [sys.executable, "-m", "distributed.cli.dask_worker", address, *options]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@pytest.fixture(scope="module")
def cluster():
    """A scheduler, and two processes that work for it."""
    with distributed.LocalCluster(n_workers=0, dashboard_address=":0", silence_logs=60) as made:
        made.processes = [worker(made.scheduler_address) for _ in range(2)]
        try:
            with distributed.Client(made, set_as_default=False) as client:
                client.wait_for_workers(2, timeout=120)
            yield made
        finally:
            for process in made.processes:
                process.kill()
                process.wait()


def killed_at(path, records, process):
    """Kill a process as soon as so many parts are there."""

    def watch():
        while len(list(path.glob("_manifest/part-*-*.parquet"))) < records:
            time.sleep(0.01)
        process.kill()

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    return thread


def test_a_worker_is_killed(tmp_path, cluster):
    runs, path = write_results(tmp_path / "runs", 120), tmp_path / "ds"
    with distributed.Client(cluster, set_as_default=False) as client:
        thread = killed_at(path, 6, cluster.processes[0])
        done = ft.convert(runs, path, part_files=5, executor=client.get_executor())
        thread.join()
        assert len(client.scheduler_info()["workers"]) == 1
    assert (done.read, done.parts) == (120, 24)
    ft.convert(runs, tmp_path / "alone", part_files=5)
    assert data_files(path) == data_files(tmp_path / "alone")


def test_the_command_line_asks_a_scheduler(tmp_path, cluster, inside):  # noqa: F811
    runs, path = write_results(tmp_path / "runs", 3), tmp_path / "ds"
    address = cluster.scheduler_address
    done = inside("convert", runs, "-o", path, "--scheduler", address)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == f"fiotools: converted to {path}: 3 files (3 new)\n"
    assert len(ft.open_dataset(path).io.collect()) == 3
    done = inside("convert", runs, "-o", path, "--scheduler", address, "--workers", 2)
    assert (done.returncode, done.stderr) == (2, "fiotools: --workers or --scheduler, not both\n")
    done = inside("convert", runs, "-o", path, "--scheduler", "nowhere:// x")
    assert done.returncode == 1
    assert done.stderr.startswith("fiotools: --scheduler nowhere:// x: ")


def test_workers_that_see_another_folder(tmp_path, cluster, monkeypatch):
    """As on machines that share nothing: it is said, and nothing passes for done."""
    runs = write_results(tmp_path / "runs", 3)
    wanted = pytest.raises(ft.DatasetError, match=r"sees another folder of this name")
    with distributed.Client(cluster, set_as_default=False) as client, wanted:
        ft.convert(runs, "memory://not-shared", executor=client.get_executor())
    with pytest.warns(ScanWarning, match="0 of 3 files are in this dataset"):
        assert len(ft.open_dataset("memory://not-shared").runs.collect()) == 0
