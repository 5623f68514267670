"""The 95 % interval of the ratio of two sides: other shapes and numbers, orders, and boots.

The first study calls `welch`, of which `compare` makes its interval: it has many trials.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from functools import partial
from itertools import product
from math import exp, log
from typing import Any

import numpy as np
import polars as pl

from benchmarks.coverage.noise import Array
from benchmarks.coverage.study import Rate, Row, Study
from fiotools import compare
from fiotools.flags import has
from fiotools.stats.estimates import welch

_BETWEEN, _WITHIN = 0.05, 0.02  # spread of runs, and of cells of one run, in logarithms
Make = Callable[[tuple[int, int], np.random.Generator], Array]

# --- runs of other shapes and numbers ---------------------------------------------------------


def _normal(size: tuple[int, int], rng: np.random.Generator, spread: float = _BETWEEN) -> Array:
    return rng.normal(0, spread, size)


def _two_modes(size: tuple[int, int], rng: np.random.Generator) -> Array:
    return rng.normal(0, _WITHIN, size) + log(0.6) * (rng.random(size) < 0.2)


# the logarithms of the level and of the baseline
SHAPES: Mapping[str, tuple[Make, Make]] = {
    "lognormal": (_normal, _normal),
    "lognormal, CV 50 %": (partial(_normal, spread=0.47), partial(_normal, spread=0.47)),
    "one spreads twice as far": (partial(_normal, spread=2 * _BETWEEN), _normal),
    "one spreads four times as far": (partial(_normal, spread=4 * _BETWEEN), _normal),
    "gamma, CV 30 %": (2 * (lambda size, rng: np.log(rng.gamma(11, 1, size)),)),
    "t with 3 df": (2 * (lambda size, rng: _BETWEEN * rng.standard_t(3, size),)),
    "two modes on both sides": (_two_modes, _two_modes),
    "two modes on one side": (_two_modes, partial(_normal, spread=_WITHIN)),
}


def ratios(shape: str, n: int, m: int, trials: int, rng: np.random.Generator) -> list[bool]:
    """Say of each trial whether the interval holds the ratio, of n runs against m."""
    level, base = SHAPES[shape]
    truth = 0.2 * log(0.6) if shape == "two modes on one side" else 0.0
    return [*map(partial(_holds, truth), level((trials, n), rng), base((trials, m), rng))]


def cells(n: int, trials: int, rng: np.random.Generator) -> tuple[list[bool], list[bool]]:
    """Say the same of runs of four cells each; and of their cells, as if each were a run."""
    logs = rng.normal(0, _BETWEEN, (2, trials, n, 1)) + rng.normal(0, _WITHIN, (2, trials, n, 4))
    as_runs = map(partial(_holds, 0.0), *logs.reshape(2, trials, 4 * n))
    return [*map(partial(_holds, 0.0), *logs.mean(axis=3))], [*as_runs]


def _holds(truth: float, level: Array, base: Array) -> bool:
    found = welch([(level, base)])
    assert found is not None
    low, high = found.interval(0.95)
    return low <= truth <= high


SIZES = ((3, 3), (5, 5), (10, 10), (3, 10), (20, 5))


def _ratios(trials: int, rng: np.random.Generator) -> Iterator[Row]:
    for shape in SHAPES:
        least = 0.0 if shape.startswith("two modes") else 0.93
        held = [Rate.of(ratios(shape, *sizes, trials, rng), least=least) for sizes in SIZES]
        yield _row(shape, held)
    found = [cells(n, trials, rng) for n, _ in SIZES[:3]]
    yield _row("four cells each", [Rate.of(held, least=0.93) for held, _ in found])
    yield _row("their cells, taken for runs", [Rate.of(naive) for _, naive in found])


def _row(shape: str, held: list[Rate]) -> Row:
    names = [f"{n} against {m}" for n, m in SIZES]
    return {"runs": shape, **dict.fromkeys(names, ""), **dict(zip(names, held, strict=False))}


# --- orders -----------------------------------------------------------------------------------

_STARTED = datetime(2026, 1, 1)
_OF_ORDER = ("drift", "step", "step-by-chance", "first-unknown", "few-rounds", "blocks", "order")
DRIFT = -0.02


def _noise(kind: str, size: tuple[int, ...], rng: np.random.Generator) -> Array:
    if kind == "t with 3 df":
        return rng.standard_t(3, size) * _WITHIN
    if kind == "two modes":
        return np.log(np.where(rng.random(size) < 0.2, 0.9, 1)) + rng.normal(0, _WITHIN, size)
    return rng.normal(0, _WITHIN, size)


def ordered(
    design: str, n: int, drift: float, kind: str, trials: int, rng: np.random.Generator
) -> Iterator[dict[str, bool]]:
    """Compare equal sides whose runs get slower; say what the interval holds, and what is told.

    Runs stand in blocks (AAA BBB), or in pairs: in a fixed order (AB AB), or in turns (AB BA).
    "By rounds" says that times are unknown.
    """
    places = np.arange(2 * n).reshape(n, 2)
    if "in turns" in design:
        places[1::2] = places[1::2, ::-1]
    places = places.T if "blocks" not in design else np.arange(2 * n).reshape(2, n)
    columns: dict[str, Any] = {"side": np.repeat(["new", "old"], n), "round": 2 * [*range(n)]}
    if "by rounds" not in design:
        columns["started_at"] = [_STARTED + timedelta(minutes=int(at)) for at in places.ravel()]
    pair = None if "blocks" in design else "round"
    for _ in range(trials):
        logs = _noise(kind, (2, n), rng) + drift * places
        if pair:
            logs += rng.normal(0, _WITHIN, n)
        runs = pl.DataFrame({**columns, "iops": 1000 * np.exp(logs).ravel()})
        row = compare(runs, "iops", between="side", baseline="old", pair=pair).row(0, named=True)
        yield {
            "held": row["ratio_lo"] <= 1 <= row["ratio_hi"],
            "told": any(has(row["flags"], code) for code in _OF_ORDER),
            "drift": has(row["flags"], "drift"),
        }


def _orders(trials: int, rng: np.random.Generator) -> Iterator[Row]:
    for design in ("fixed", "fixed, by rounds", "in turns", "blocks", "blocks, by rounds"):
        for n in (3, 5, 10):
            found = [*ordered(design, n, DRIFT, "normal", trials, rng)]
            wrong = [not one["held"] and not one["told"] for one in found]
            # of sides that were measured apart, only times can tell
            most = 1.0 if design == "blocks, by rounds" else 0.05
            yield {
                "order": design,
                "runs a side": n,
                "held": Rate.of(one["held"] for one in found),
                "a drift is named": Rate.of(one["drift"] for one in found),
                "wrong and not warned": Rate.of(wrong, most=most),
            }
    for kind, design, n in product(
        ("normal", "t with 3 df", "two modes"),
        ("in turns, by rounds", "blocks, by rounds"),
        (5, 10),
    ):
        found = [*ordered(design, n, 0.0, kind, trials, rng)]
        yield {
            "order": f"{design}, no drift, {kind}",
            "runs a side": n,
            "held": Rate.of(one["held"] for one in found),
            "a drift is named": Rate.of((one["drift"] for one in found), most=0.05),
            "wrong and not warned": "",
        }


# --- boots ------------------------------------------------------------------------------------

RUNS = 3  # of a boot
TRUTH = 0.1  # difference of the sides' logarithms


def boots(count: int, times: float, rng: np.random.Generator) -> Array:
    """Make the logarithms of a side, a row for each boot; boots spread so many times as far."""
    return _WITHIN * (rng.normal(0, 1, (count, RUNS)) + times * rng.normal(0, 1, (count, 1)))


def of_boots(level: Array, base: Array) -> pl.DataFrame:
    """Make the table of the runs: each has a boot, a host of two boots, and a batch by chance."""
    logs = np.concatenate([level, base])
    boot = np.repeat(np.arange(len(logs)), RUNS)
    return pl.DataFrame(
        {
            "side": np.repeat(["new", "old"], [level.size, base.size]),
            "boot": [f"b{one}" for one in boot],
            "host": [f"h{one // 2}" for one in boot],
            "batch": ["xyz"[one % RUNS] for one in range(logs.size)],
            "iops": 1000 * np.exp(logs).ravel(),
        }
    )


def _clusters(trials: int, rng: np.random.Generator) -> Iterator[Row]:
    for times, count in product((0.0, 1.0, 3.0), (4, 8)):
        names: tuple[str, ...] = ("each", "asked", "named", "found")
        told: dict[str, list[bool]] = {name: [] for name in names}
        for _ in range(trials):
            level, base = boots(count, times, rng) + TRUTH, boots(count, times, rng)
            told["each"].append(_holds(TRUTH, level.ravel(), base.ravel()))
            for name, unit in (("asked", None), ("named", "boot")):
                one = compare(
                    of_boots(level, base), "iops", between="side", baseline="old", unit=unit
                )
                row = one.row(0, named=True)
                low, high = (row[end] or 0.0 for end in ("ratio_lo", "ratio_hi"))
                told[name].append(low <= exp(TRUTH) <= high)
                if unit is None:
                    codes = ("unit-found", "alike")
                    told["found"].append(any(has(row["flags"], code) for code in codes))
        yield {
            "boots / runs": f"{times:g}",
            "boots a side": count,
            "each run counts": Rate.of(told["each"]),
            "held": Rate.of(told["asked"], least=0.94 if times != 1 else 0.0),
            "held, `unit=`": Rate.of(told["named"], least=0.94),
            "found": Rate.of(told["found"], most=1.0 if times else 0.02),
        }


STUDIES = [
    Study(
        "ratio",
        "The ratio of two sides",
        "How often the interval holds the ratio. Goal: .93 and more, but for second modes, "
        "which few runs may miss, and for cells that are taken for runs, a mistake.",
        _ratios,
        trials=4000,
    ),
    Study(
        "drift",
        "A drift, and the order of the runs",
        "Both sides are equal; each run is 2 % slower than the one before, and spreads by 2 %, "
        "as does the noise that the runs of a pair share. Fixed order (AB AB) and turns (AB BA) "
        "are compared in pairs, blocks (AAA BBB) without. Goals: the interval misses the truth "
        "without a warning in .05 at most, except for blocks without a clock; without a drift "
        "none is named in .95 and more.",
        _orders,
        trials=300,
    ),
    Study(
        "clusters",
        "Runs of one boot that are alike",
        f"Two sides of so many boots with {RUNS} runs each, whose boots spread so many times as "
        "far as runs (0: labels without an effect). A label, a host of two boots and another label "
        "stand beside each run. Goal: `compare`, of which nobody names the boot, holds in .94 and "
        "more; without an effect it finds one in .02 at most. Boots that spread as far as runs are "
        "not always found: no goal. Beside it the interval of all runs, and that with `unit=`.",
        _clusters,
        trials=300,
    ),
]
