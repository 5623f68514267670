"""Several comparisons in an answer, looking again, and how many runs are still needed.

All sides are alike unless it is said, so that every "faster" and every "slower" is wrong; with a
band of 0, so that no "same" comes before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import product
from math import log

import numpy as np
import polars as pl

from benchmarks.coverage.noise import Array
from benchmarks.coverage.study import Rate, Row, Study
from fiotools import compare
from fiotools.stats.compare import Looks, settled, verdict
from fiotools.stats.estimates import AnyLooks, StudentT, runs_still_needed, welch
from fiotools.stats.frames import metric_of

SPREAD = 0.05  # of the logarithms of runs
EFFECT = log(1.2)
MOST = 40  # runs a side, when somebody gives up


def found_by(level: Array, base: Array) -> StudentT:
    """Estimate the difference of two sides, as `compare` does."""
    found = welch([(level.tolist(), base.tolist())])
    assert found is not None
    return found


def verdicts(frame: pl.DataFrame, by: str | None = None) -> list[str]:
    """Ask `compare` for every verdict of an answer."""
    asked = compare(frame, "iops", between="side", baseline="base", by=by, band=0)
    return asked["verdict"].to_list()


# --- levels of one baseline -------------------------------------------------------------------


def family(
    levels: int, runs: int, spreads: tuple[float, float], trials: int, rng: np.random.Generator
) -> Iterator[list[str]]:
    """Compare levels with their baseline, whose runs have the first of the spreads."""
    side = np.repeat(["base", *(f"level {at}" for at in range(levels))], runs)
    each = SPREAD * np.repeat([spreads[0], *levels * [spreads[1]]], runs)
    for _ in range(trials):
        yield verdicts(pl.DataFrame({"side": side, "iops": 1000 * np.exp(rng.normal(0, each))}))


SPREADS = {"alike": (1.0, 1.0), "baseline x2": (2.0, 1.0), "levels x4": (1.0, 4.0)}


def _families(trials: int, rng: np.random.Generator) -> Iterator[Row]:
    for levels, runs in product((1, 3, 20), (3, 10)):
        row: dict[str, object] = {"levels": levels, "runs a side": runs}
        for name, spreads in SPREADS.items():
            found = [*family(levels, runs, spreads, trials, rng)]
            wrong = [not {"faster", "slower"}.isdisjoint(one) for one in found]
            row[name] = Rate.of(wrong, most=0.05)
            row[f"{name}: faster"] = Rate.of(("faster" in one for one in found), most=0.025)
        yield row


# --- sweeps -----------------------------------------------------------------------------------

Shape = tuple[int, int, int]  # side, cell, run
Noise = Callable[[Shape, np.random.Generator], Array]


def _equal(shape: Shape, rng: np.random.Generator) -> Array:
    return rng.normal(0, SPREAD, shape)


def _uneven(shape: Shape, rng: np.random.Generator, by: float) -> Array:
    """Make sides whose deviations differ by e to the power of a normal deviation."""
    return _equal(shape, rng) * np.exp(rng.normal(0, by, shape[:2]))[..., None]


def _wider(shape: Shape, rng: np.random.Generator, times: float) -> Array:
    """Make one cell spread several times as far."""
    return _equal(shape, rng) * np.where(np.arange(shape[1]) == 0, times, 1.0)[:, None]


def _one_side(shape: Shape, rng: np.random.Generator) -> Array:
    return _equal(shape, rng) * np.array([2.0, 1.0])[:, None, None]


def _heavy(shape: Shape, rng: np.random.Generator) -> Array:
    return SPREAD / np.sqrt(3) * rng.standard_t(3, shape)


def _slow(shape: Shape, rng: np.random.Generator) -> Array:
    return _equal(shape, rng) * 0.6 + np.log(0.7) * (rng.random(shape) < 0.1)


NOISES: Mapping[str, Noise] = {
    "alike": _equal,
    "deviations by e^.5": partial(_uneven, by=0.5),
    "one cell x3": partial(_wider, times=3),
    "levels x2": _one_side,
    "t with 3 df": _heavy,
    "one run in ten is slow": _slow,
}


def swept(logs: Array) -> list[bool]:
    """Ask `compare` which cells of a sweep differ."""
    sides, cells, runs = logs.shape
    frame = pl.DataFrame(
        {
            "side": np.repeat(["level", "base"], cells * runs),
            "cell": np.tile(np.repeat(np.arange(cells), runs), sides),
            "iops": 1000 * np.exp(logs).ravel(),
        }
    )
    return [one in ("faster", "slower") for one in verdicts(frame, by="cell")]


def by_own_spread(logs: Array) -> list[bool]:
    """Say the same by the spread of each cell alone, which is what `compare` falls back on."""
    found = [found_by(level, base).sharing() for level, base in zip(*logs, strict=True)]
    return [one.p(0) <= 0.05 / len(found) for one in found]


def _sweeps(trials: int, rng: np.random.Generator) -> Iterator[Row]:
    for (cells, runs), (name, noise) in product(((4, 3), (12, 3), (12, 5)), NOISES.items()):
        shape = (2, cells, runs)
        wrong = [any(swept(noise(shape, rng))) for _ in range(trials)]
        moved = np.array([EFFECT, 0.0])[:, None, None]
        differ = [noise(shape, rng) + moved for _ in range(trials // 4)]
        yield {
            "cells": cells,
            "runs a side": runs,
            "noise": name,
            "wrong in any cell": Rate.of(wrong, most=0.05),
            "sees 20 %": f"{np.mean([swept(one) for one in differ]):.2f}",
            "by each cell's own spread": f"{np.mean([by_own_spread(one) for one in differ]):.2f}",
        }


# --- looking again ----------------------------------------------------------------------------


def stopped(
    rule: str, looks: Looks, spreads: tuple[float, float], rng: np.random.Generator
) -> tuple[str, int]:
    """Look from 3 runs a side on until it is settled; give the verdict, and the runs.

    The rule is "each run", or "runs_needed": then the next look is when the verdict said.
    """
    level, base = (rng.normal(0, SPREAD * spread, MOST) for spread in spreads)
    n = 3
    while True:
        once = found_by(level[:n], base[:n])
        again = AnyLooks(**vars(once))
        asked = again if looks == "any" else once
        found, beyond = verdict(asked, metric_of("iops"), band=0, confidence=0.95)
        if settled(beyond) or n == MOST:
            return found, n
        more = 1 if rule == "each run" else runs_still_needed(again, 0, now=n).as_seen
        n = min(MOST, n + (more or MOST))


def _looks(trials: int, rng: np.random.Generator) -> Iterator[Row]:
    for rule, spreads in product(("runs_needed", "each run"), ((1.0, 1.0), (2.0, 1.0))):
        ends = [stopped(rule, "any", spreads, rng) for _ in range(trials)]
        once = [stopped(rule, "once", spreads, rng)[0] for _ in range(trials // 5)]
        yield {
            "looks": rule,
            "spreads": f"{spreads[0]:g} to {spreads[1]:g}",
            "faster": Rate.of((found == "faster" for found, _ in ends), most=0.025),
            "slower": Rate.of((found == "slower" for found, _ in ends), most=0.025),
            'faster, with looks="once"': Rate.of(found == "faster" for found in once),
        }


def _needed(trials: int, rng: np.random.Generator) -> Iterator[Row]:
    metric, cv = metric_of("iops"), 0.035
    for n in (3, 5, 7, 10):
        needed, settles = [], []
        for level, base in rng.normal(0, cv, (trials, 2, n + 100)):
            once = found_by(level[:n], base[:n])
            if settled(verdict(once, metric, band=0.05, confidence=0.95)[1]):
                continue
            more = runs_still_needed(AnyLooks(**vars(once)), 0.05, now=n).if_same
            needed.append(more)
            if more is not None:
                later = AnyLooks(**vars(found_by(level[: n + more], base[: n + more])))
                settles.append(settled(verdict(later, metric, band=0.05, confidence=0.95)[1]))
        yield {
            "runs a side": n,
            "open": f"{len(needed) / trials:.2f}",
            "runs_needed_same is above 100": Rate.of((one is None for one in needed), most=0.05),
            "its median": f"{np.median([one or 100 for one in needed]):.0f}",
            "settled after these": Rate.of(settles, least=0.8),
        }


STUDIES = [
    Study(
        "families",
        "Several comparisons in an answer",
        "Levels that are all like their baseline: how often any of them is called faster or "
        "slower (goal: .05 at most), or faster (.025).",
        _families,
        trials=400,
    ),
    Study(
        "sweeps",
        "Sweeps with few runs a cell",
        "Each cell has 3 or 5 runs a side, with a deviation of 5 %: how often any cell of equal "
        "sides is called different (goal: .05 at most), and the share of cells that are seen if "
        "all differ by 20 %. Where all sides pass for alike, `compare` takes their common spread, "
        "but a cell's own if that is larger. Beside it each cell by its own spread.",
        _sweeps,
        trials=400,
    ),
    Study(
        "looks",
        "Looking again",
        'Two sides that are alike, looked at from 3 runs a side on, with `looks="any"`: when '
        f"`runs_needed` says, or after each run, until it is settled or there are {MOST} runs. "
        "Goal: .025 at most. Beside it the same with the interval for one look.",
        _looks,
        trials=1000,
    ),
    Study(
        "needed",
        "Runs that are still needed",
        "Equal sides with a CV of 3.5 % of which the verdict is open after so many runs. Goals: "
        "the runs that settle it if the sides are equal are named (in .95 and more), and after "
        "that many it is settled by the interval of another look in .8 and more, which few runs "
        "miss: they do not know their spread, and those that are open spread little by chance.",
        _needed,
        trials=1000,
    ),
]
