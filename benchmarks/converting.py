"""Whatever is killed, nothing is lost or doubled: ``python -m benchmarks.converting FOLDER``.

Two workers of Dask convert a folder of some thousand results. One of them is killed, then the
conversion is, both with SIGKILL; the same command again does the rest. The dataset is then compared
with what `read` gives, row for row. Linux and macOS only.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from polars.testing import assert_frame_equal

import fiotools as ft

WORKER = ["-m", "distributed.cli.dask_worker", "--no-nanny", "--no-dashboard", "--nthreads", "1"]


def started(*words: str) -> subprocess.Popen[str]:
    """Start Python."""
    return subprocess.Popen(
        [sys.executable, *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )


def waited(dataset: Path, batches: int) -> int:
    """Wait until so many batches count; return how many do."""
    while (count := len(list(dataset.glob("notes/*.parquet")))) < batches:
        time.sleep(0.01)
    return count


def main() -> None:
    """Convert, kill, convert again, compare."""
    import distributed

    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder")
    folder = parser.parse_args().folder
    dataset = Path(tempfile.mkdtemp(prefix="fiotools-"), "dataset")
    with distributed.LocalCluster(n_workers=0, dashboard_address=":0", silence_logs=60) as cluster:
        workers = [started(*WORKER, cluster.scheduler_address) for _ in range(2)]
        with distributed.Client(cluster, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=120)
        command = ["-m", "fiotools", "convert", folder, "-o", str(dataset)]
        command += ["--workers", cluster.scheduler_address]
        first, start = started(*command), time.monotonic()
        told = f"{waited(dataset, 5)} batches: worker killed"
        workers[0].kill()
        print(f"{time.monotonic() - start:5.1f} s: {told}")
        told = f"{waited(dataset, 12)} batches: conversion killed"
        first.kill()
        print(f"{time.monotonic() - start:5.1f} s: {told}, code {first.wait()}")
        start = time.monotonic()
        again = started(*command)
        print(f"again: code {again.wait()}, {again.stderr.read() if again.stderr else ''}", end="")
        print(f"{time.monotonic() - start:5.1f} s: {waited(dataset, 0)} batches")
        for worker in workers:
            worker.kill()
            worker.wait()
    start = time.monotonic()
    expected = ft.read(folder, errors="note").to_polars()
    print(f"{time.monotonic() - start:5.1f} s: read")
    for table, rows in ft.open_dataset(dataset).read().to_polars().items():
        assert_frame_equal(rows, expected[table])
        print(f"  {table}: {len(rows):,} rows, equal")


if __name__ == "__main__":
    main()
