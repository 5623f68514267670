"""fio's histogram logs (``log_hist_msec``): a line is time, direction, block size and every bin."""

from __future__ import annotations

import math
from pathlib import Path
from random import Random

from benchmarks.inputs.fio_jsonplus import BINS

_MSEC = 100  # of log_hist_msec
_OCCUPIED = 120  # bins


def histograms(path: Path, rows: int, *, coarseness: int = 0, seed: int = 1) -> None:
    """Write so many histograms, half of them of reads and half of writes."""
    rng = Random(seed)
    width, half = BINS >> coarseness, _OCCUPIED // 2
    with path.open("w", newline="") as file:
        for row in range(rows):
            cells = ["0"] * width
            centre = int(width * 0.37 + rng.uniform(-5, 5))
            for at in range(max(0, centre - half), min(width, centre + half)):
                weight = math.exp(-(((at - centre) / (half / 2.5)) ** 2))
                cells[at] = str(int(3000 * weight * rng.uniform(0.7, 1.3)))
            file.write(f"{(row // 2 + 1) * _MSEC + 1}, {row % 2}, 4096, {', '.join(cells)}\n")
