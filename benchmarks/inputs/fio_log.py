"""fio's logs of single I/Os (``write_lat_log``), of any length.

4 columns: time, value, direction, block size     (fio 2 and 3.0)
5 columns: the same, and a bit of priority        (fio 3)
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

_CHUNK = 1_000_000  # rows


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
    if columns == 5:
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
) -> None:
    """Write the latency of each of so many I/Os, a chunk at a time."""
    rng = np.random.default_rng(seed)
    with path.open("wb") as file:
        for start in range(0, rows, _CHUNK):
            lines = _lines(rng, start, min(_CHUNK, rows - start), columns, iops)
            lines.write_csv(file, include_header=False, quote_style="never")


def four_columns(path: Path, rows: int) -> None:
    """Write a log of fio 2, which is all that fiologparser knows."""
    latencies(path, rows, columns=4)
