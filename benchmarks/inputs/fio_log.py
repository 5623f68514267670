"""fio's logs of single I/Os (``write_lat_log``), of any length.

python -m benchmarks.inputs.fio_log FILE --rows 20000000 --columns 5 --iops 300000

4 columns: time, value, direction, block size     (fio 2 and 3.0)
5 columns: the same, and a bit of priority        (fio 3)
6 columns: the same, offset, and the priority     (fio 3 with log_offset=1 and log_prio=1)
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl


def _lines(
    rng: np.random.Generator, start: int, rows: int, columns: int, iops: int
) -> pl.DataFrame:
    number = np.arange(start, start + rows, dtype=np.int64)
    value = rng.lognormal(11.3, 0.6, rows).astype(np.int64)
    slow = rng.random(rows) < 1e-4
    value[slow] *= 50
    data: dict[str, Any] = {
        "time": number * 1000 // iops,
        "value": value,
        "direction": (rng.random(rows) < 0.3).astype(np.int8),
        "bs": np.full(rows, 4096, dtype=np.int64),
    }
    if columns == 6:
        data["offset"] = rng.integers(0, 1 << 21, rows) * 4096
        data["prio"] = np.full(rows, "0x0000")
    elif columns == 5:
        data["prio"] = np.zeros(rows, dtype=np.int8)
    frame = pl.DataFrame(data)
    return frame.select(pl.format(", ".join(["{}"] * frame.width), *frame.columns))


def latencies(
    path: Path,
    rows: int,
    *,
    columns: int = 5,
    iops: int = 300_000,
    seed: int = 1,
    chunk: int = 1_000_000,
) -> None:
    """Write the latency of each of so many I/Os, a chunk at a time."""
    rng = np.random.default_rng(seed)
    with path.open("wb") as file:
        for start in range(0, rows, chunk):
            lines = _lines(rng, start, min(chunk, rows - start), columns, iops)
            lines.write_csv(file, include_header=False, quote_style="never")


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("path", type=Path)
    parser.add_argument("--columns", type=int, choices=(4, 5, 6), default=5)
    numbers = {"rows": 1_000_000, "iops": 300_000, "seed": 1, "chunk": 1_000_000}
    for name, default in numbers.items():
        parser.add_argument(f"--{name}", type=int, default=default)
    options = vars(parser.parse_args())
    latencies(options.pop("path"), **options)


if __name__ == "__main__":
    main()
