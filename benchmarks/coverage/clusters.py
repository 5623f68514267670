"""How often the interval of a ratio holds if runs of one boot are alike, and nobody says so."""

from __future__ import annotations

from collections.abc import Iterator
from math import exp

import numpy as np
import polars as pl

from benchmarks.coverage.noise import Array
from benchmarks.coverage.study import Rate, Row, Study
from fiotools import compare
from fiotools.flags import has
from fiotools.stats.estimates import welch

RUNS = 3  # of a boot
SPREAD = 0.02  # of the logarithms of runs
TRUTH = 0.1  # difference of the sides' logarithms


def boots(count: int, times: float, rng: np.random.Generator, noise: str) -> Array:
    """Make the logarithms of a side, a row for each boot; boots spread so many times as far."""
    within = rng.normal(0, 1, (count, RUNS))
    if noise == "skewed":
        within = rng.exponential(1, (count, RUNS)) - 1
    return SPREAD * (within + times * rng.normal(0, 1, (count, 1)))


def frame(level: Array, base: Array) -> pl.DataFrame:
    """Make the table of the runs: each has a boot, a host of two boots, and a batch by chance."""
    logs = np.concatenate([level, base])
    boot = np.repeat(np.arange(len(logs)), RUNS)
    return pl.DataFrame(
        {
            "side": np.repeat(["new", "old"], [level.size, base.size]),
            "boot": [f"b{one}" for one in boot],
            "host": [f"h{one // 2}" for one in boot],
            "batch": [f"{'xyz'[one % RUNS]}" for one in range(logs.size)],
            "iops": 1000 * np.exp(logs).ravel(),
        }
    )


def _holds(ends: tuple[float | None, float | None]) -> bool:
    low, high = ends
    return low is not None and high is not None and low <= exp(TRUTH) <= high


def _rows(trials: int, rng: np.random.Generator) -> Iterator[Row]:
    for times, noise in ((0.0, "normal"), (0.0, "skewed"), (1.0, "normal"), (3.0, "normal")):
        for count in (4, 8):
            names: tuple[str, ...] = ("runs", "asked", "named", "found")
            told: dict[str, list[bool]] = {name: [] for name in names}
            for _ in range(trials):
                level = boots(count, times, rng, noise) + TRUTH
                base = boots(count, times, rng, noise)
                each = welch([(level.ravel(), base.ravel())])
                ends = each.interval(0.95) if each else None
                told["runs"].append(ends is not None and ends[0] <= TRUTH <= ends[1])
                runs = frame(level, base)
                for name, unit in (("asked", None), ("named", "boot")):
                    one = compare(runs, "iops", between="side", baseline="old", unit=unit)
                    row = one.row(0, named=True)
                    told[name].append(_holds((row["ratio_lo"], row["ratio_hi"])))
                    if unit is None:
                        found = [has(row["flags"], code) for code in ("unit-found", "alike")]
                        told["found"].append(any(found))
            least = 0.94 if times != 1 else 0.0
            yield {
                "boots / runs": f"{times:g}{', skewed' if noise == 'skewed' else ''}",
                "boots a side": count,
                "each run counts": Rate.of(told["runs"]),
                "held": Rate.of(told["asked"], least=least),
                "held, `unit=`": Rate.of(told["named"], least=0.94),
                "found": Rate.of(told["found"], most=1.0 if times else 0.02),
            }


STUDIES = [
    Study(
        "clusters",
        "Runs of one boot that are alike",
        f"Two sides of so many boots with {RUNS} runs each, whose boots spread so many times as "
        "far as runs (0: labels without an effect). A label, a host of two boots and another label "
        "stand beside each run. Goal: `compare`, of which nobody names the boot, holds in .94 and "
        "more; without an effect it finds one in .02 at most. Boots that spread as far as runs are "
        "not always found: no goal. Beside it the interval of all runs, and that with `unit=`.",
        _rows,
        trials=2000,
    ),
]
