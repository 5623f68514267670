"""A conversion that is killed again and again: ``python -m benchmarks.interrupted FOLDER``.

FOLDER holds results, such as the 20,000 files of input A. They are converted once without any
disturbance, and once more while SIGKILL ends the process three times: as it plans, in the middle,
and near the end; then as often as asked for, at random moments. Begun again, it must end with the
same bytes in every file.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

PROGRAM = """
import sys
import fiotools as ft
done = ft.convert(sys.argv[1], sys.argv[2], part_files=int(sys.argv[3]), workers=int(sys.argv[4]))
print(done.parts)
"""


def begun(arguments: list[str]) -> subprocess.Popen[str]:
    """Start a conversion."""
    command = [sys.executable, "-c", PROGRAM, *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def hashes(folder: Path) -> dict[str, str]:
    """Give the SHA-256 of every file of a dataset."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "_lock"
    }


def summed(folder: Path) -> str:
    """Say in a line what a dataset is: its files, their bytes, one hash of all names and bytes."""
    files = hashes(folder)
    size = sum((folder / name).stat().st_size for name in files)
    digest = hashlib.sha256(repr(sorted(files.items())).encode()).hexdigest()
    return f"{len(files)} files, {size:,} bytes, SHA-256 of all {digest[:16]}"


def ends(folder: Path, process: subprocess.Popen[str], records: int, pieces: int) -> bool:
    """Kill a conversion as soon as so much is there; say whether it came to that."""
    while process.poll() is None:
        there = len(list(folder.glob("_manifest/part-*.parquet")))
        planned = len(list(folder.glob("_plan/part-*.parquet")))
        if there >= records and planned >= pieces:
            process.kill()
            break
        time.sleep(0.002)
    return process.wait() == -signal.SIGKILL


def at_points(parts: int) -> Iterator[tuple[str, int, int]]:
    """Name three points of a conversion: what is there by then (records, pieces of the plan)."""
    yield "while it plans", 1, parts // 2
    yield "in the middle", 1 + parts // 2, 1
    yield "near the end", parts, 1


def main() -> int:
    """Convert, kill, compare."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder")
    parser.add_argument("--part-files", type=int, default=1000)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--random", type=int, default=0, metavar="N", help="more kills, anywhere")
    options = parser.parse_args()
    scratch = Path(tempfile.mkdtemp(prefix="fiotools-"))
    whole, killed = scratch / "whole", scratch / "killed"
    rest = [str(options.part_files), str(options.workers)]
    try:
        start = time.monotonic()
        process = begun([options.folder, str(whole), *rest])
        parts = int(process.communicate()[0])
        seconds = time.monotonic() - start
        expected = hashes(whole)
        print(f"undisturbed: {parts} parts, {seconds:.1f} s; {summed(whole)}")
        for name, records, pieces in at_points(parts):
            if not ends(killed, begun([options.folder, str(killed), *rest]), records, pieces):
                print(f"  {name}: it was done before")
                continue
            there = max(len(list(killed.glob("_manifest/part-*.parquet"))) - 1, 0)
            pieces = len(list(killed.glob("_plan/part-*.parquet")))
            whole_plan = " whole" if (killed / "_plan/plan.json").exists() else ""
            print(
                f"  SIGKILL {name}: {there} of {parts} parts are there, {pieces} pieces of the"
                f"{whole_plan} plan"
            )
        process = begun([options.folder, str(killed), *rest])
        left = int(process.communicate()[0])
        print(f"begun again: {left} parts were left to do; {summed(killed)}")
        same = hashes(killed) == expected
        print("the same bytes in every file" if same else "OTHER BYTES")
        rng, count = random.Random(7), 0
        for _ in range(options.random):
            shutil.rmtree(killed)
            while True:
                process = begun([options.folder, str(killed), *rest])
                try:
                    process.wait(timeout=rng.uniform(0.5, seconds))
                    break
                except subprocess.TimeoutExpired:
                    os.kill(process.pid, signal.SIGKILL)
                    process.wait()
                    count += 1
            same = same and hashes(killed) == expected
        if options.random:
            told = "the same bytes" if same else "OTHER BYTES"
            print(f"{options.random} conversions, killed {count} times at random: {told}")
        return 0 if same else 1
    finally:
        shutil.rmtree(scratch)


if __name__ == "__main__":
    sys.exit(main())
