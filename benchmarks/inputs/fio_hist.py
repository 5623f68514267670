"""fio's histogram logs (``log_hist_msec``): time, direction, block size and every bin, a line each.

python -m benchmarks.inputs.fio_hist FILE --rows 20000 --coarseness 0 --msec 100
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from random import Random

from benchmarks.inputs.fio_layout import BINS


def histograms(
    path: Path,
    rows: int,
    *,
    msec: int = 100,
    coarseness: int = 0,
    occupied: int = 120,
    seed: int = 1,
) -> None:
    """Write so many histograms, half of them of reads and half of writes."""
    rng = Random(seed)
    width, half = BINS >> coarseness, occupied // 2
    with path.open("w", newline="") as file:
        for row in range(rows):
            cells = ["0"] * width
            centre = int(width * 0.37 + rng.uniform(-5, 5))
            for at in range(max(0, centre - half), min(width, centre + half)):
                weight = math.exp(-(((at - centre) / (half / 2.5)) ** 2))
                cells[at] = str(int(3000 * weight * rng.uniform(0.7, 1.3)))
            file.write(f"{(row // 2 + 1) * msec + 1}, {row % 2}, 4096, {', '.join(cells)}\n")


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("path", type=Path)
    numbers = {"rows": 2000, "msec": 100, "coarseness": 0, "occupied": 120, "seed": 1}
    for name, default in numbers.items():
        parser.add_argument(f"--{name}", type=int, default=default)
    options = vars(parser.parse_args())
    histograms(options.pop("path"), **options)


if __name__ == "__main__":
    main()
