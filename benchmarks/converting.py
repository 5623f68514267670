"""What a conversion costs, step by step: ``python -m benchmarks.converting FOLDER ...``.

Each folder of results is converted twice by one process, and the second time finds nothing new.
Printed are CPU seconds of each step, per file and per megabyte, and how large the dataset is.
`README.md` beside this file reckons with these numbers what a million files take.
"""

from __future__ import annotations

import argparse
import resource
import shutil
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any

import fiotools as ft
from fiotools.dataset import convert

STEPS = (
    (convert, "find", "list the folder"),
    (convert, "listed", "size and time of each"),
    (convert, "compared", "hold against the manifest"),
    (convert.Converter, "_planned", "write the plan"),
    (convert, "do_part", "parts: read, write"),
    (convert, "_duplicate_notes", "compare all runs"),
)


def timed(spent: dict[str, float]) -> None:
    """Have each step note what it took."""
    for owner, name, told in STEPS:
        setattr(owner, name, _timed(getattr(owner, name), told, spent))


def _timed(function: Callable[..., Any], told: str, spent: dict[str, float]) -> Callable[..., Any]:
    def noted(*given: Any, **named: Any) -> Any:
        start = process_time()
        answer = function(*given, **named)
        spent[told] += process_time() - start
        return answer

    return noted


def main() -> None:
    """Convert each folder, and print what it took."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folders", nargs="+")
    spent: dict[str, float] = defaultdict(float)
    timed(spent)
    for folder in parser.parse_args().folders:
        scratch = Path(tempfile.mkdtemp(prefix="fiotools-"))
        first = next(path for path in sorted(Path(folder).iterdir()) if path.is_file())
        ft.convert(first, scratch / "warm")  # imports, patterns, first calls
        for again in (False, True):
            spent.clear()
            start = process_time()
            done = ft.convert(folder, scratch / "dataset")
            whole = process_time() - start
            files = done.files
            if not again:
                size = sum(path.stat().st_size for path in Path(folder).iterdir())
                print(f"{folder}: {files:,} files, {size / 1e6:,.0f} MB, {done.parts} parts")
            print(f"  {'again' if again else 'first'}: {whole:.2f} s CPU", end="")
            print(f" = {1e3 * whole / files:.3f} ms a file, {whole / size * 1e6:.4f} s a MB")
            for told, seconds in spent.items():
                print(f"    {told:27} {1e3 * seconds / files:9.4f} ms a file")
        for name in ("_manifest", "io"):
            bytes_ = sum(path.stat().st_size for path in (scratch / "dataset" / name).iterdir())
            print(f"  {name}: {bytes_ / files:,.0f} bytes a file")
        all_ = sum(path.stat().st_size for path in (scratch / "dataset").rglob("*.parquet"))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"  dataset: {all_ / files:,.0f} bytes a file, {all_ / size:.3f} of the files")
        print(f"  peak memory so far: {peak:,.0f} MB")
        shutil.rmtree(scratch)


if __name__ == "__main__":
    sys.exit(main())
