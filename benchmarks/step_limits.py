"""Write what the test for steps in a history is held against: ``python -m benchmarks.step_limits``.

Histories of runs without a step, of each length and rho (autoregressive, rho from -.3 to .95): the
mean and the deviation of the estimate of rho about the best split, and the t of that split which
one history in 100, and one in 1,000, exceeds. It takes about three minutes of processor time.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from benchmarks.coverage.noise import SPREAD, autoregressive
from fiotools.stats.steps import COLUMNS, LIMITS, best_split

SEED = 20_240_229
RHO = (-0.3, *(round(0.05 * i, 2) for i in range(20)))
LENGTHS = (*range(4, 21), 22, 25, 30, 35, 40, 50, 60, 80, 100, 150, 200, 300, 500, 1000)
TRIALS, NUMBERS, ROWS = 40_000, 4_000_000, 2_000  # of a length and rho, at most


def simulated(n: int, rho: float) -> tuple[float, float, float, float]:
    """Give the mean and the deviation of the estimate of rho, and both limits of t."""
    rng = np.random.default_rng(SEED)
    parts = max(1, min(TRIALS, NUMBERS // n) // ROWS)
    found = [best_split(autoregressive(ROWS, n, rng, rho) / SPREAD) for _ in range(parts)]
    t, estimate = (np.concatenate([getattr(one, name) for one in found]) for name in ("t", "rho"))
    hundredth, thousandth = np.quantile(t, (0.99, 0.999))
    return float(estimate.mean()), float(estimate.std()), float(hundredth), float(thousandth)


def rows() -> Iterator[dict[str, float]]:
    """Give a row for each length and rho: estimates and limits never fall as rho grows."""
    for n in LENGTHS:
        table = np.array([simulated(n, rho) for rho in RHO])
        for name in ("mean", "hundredth", "thousandth"):
            at = COLUMNS.index(name) - 2
            table[:, at] = np.maximum.accumulate(table[:, at])
        for rho, line in zip(RHO, table.round(4).tolist(), strict=True):
            yield dict(zip(COLUMNS, (n, rho, *line), strict=True))
        print(f"{n} runs", flush=True)


if __name__ == "__main__":
    pl.DataFrame(list(rows())).write_csv(LIMITS)
