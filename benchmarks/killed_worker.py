"""A worker of Dask that is killed in the middle: ``python -m benchmarks.killed_worker FOLDER``.

FOLDER holds results, such as the 20,000 files of input A. A cluster of two processes converts them;
when a third of the parts are there, one of the two is killed. What comes of it must equal, row for
row and byte for byte, what one process makes of the same files.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path

import fiotools as ft
from benchmarks.interrupted import hashes, summed


def kill_at(folder: Path, records: int, pid: int, told: list[int]) -> None:
    """Kill a process as soon as so many parts are there."""
    while (there := len(list(folder.glob("_manifest/part-*.parquet")))) < records:
        time.sleep(0.005)
    os.kill(pid, signal.SIGKILL)
    told.append(there - 1)


def main() -> int:
    """Convert by one process and by two of which one is killed; compare."""
    import distributed
    from polars.testing import assert_frame_equal

    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder")
    parser.add_argument("--part-files", type=int, default=500)
    options = parser.parse_args()
    scratch = Path(tempfile.mkdtemp(prefix="fiotools-"))
    try:
        start = time.monotonic()
        alone = ft.convert(options.folder, scratch / "alone", part_files=options.part_files)
        print(f"one process: {alone.files:,} files, {alone.parts} parts, {_since(start)}")
        with (
            distributed.LocalCluster(
                n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
            ) as cluster,
            distributed.Client(cluster) as client,
        ):
            pids = sorted(client.run(os.getpid).values())
            told: list[int] = []
            arguments = (scratch / "both", alone.parts // 3, pids[0], told)
            watch = threading.Thread(target=kill_at, args=arguments)
            start = time.monotonic()
            watch.start()
            both = ft.convert(
                options.folder,
                scratch / "both",
                part_files=options.part_files,
                executor=client.get_executor(),
            )
            watch.join()
            since = _since(start)
            print(
                f"two workers, SIGKILL to one when {told[0]} of {alone.parts} parts were there:"
                f" {both.files:,} files, {both.parts} parts, {since}"
            )
        for table in alone.open():
            frames = [made.open()[table].collect() for made in (alone, both)]
            assert_frame_equal(*frames)
            print(f"  {table}: {len(frames[0]):,} rows, equal row for row")
        for name in ("alone", "both"):
            print(f"  {name}: {summed(scratch / name)}")
        same = hashes(scratch / "alone") == hashes(scratch / "both")
        print("the same bytes in every file" if same else "OTHER BYTES")
        return 0 if same else 1
    finally:
        shutil.rmtree(scratch)


def _since(start: float) -> str:
    return f"{time.monotonic() - start:.1f} s"


if __name__ == "__main__":
    sys.exit(main())
