"""Sweeps with few runs a cell: what each correction errs, and what it sees.

Every cell has runs of its own on both sides. The intervals are those of `compare`, or what it might
do instead: Holm's verdicts, Welch's own degrees of freedom, and one spread for all sides (always,
or where Bartlett's test finds them alike; with or without that of a cell that is larger).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from math import log

import numpy as np
import scipy.stats
from numpy.typing import NDArray

from benchmarks.coverage.study import Rate, Row, Study
from fiotools.stats.estimates import CommonSpread, StudentT, common_spread, welch

Array = NDArray[np.float64]
Noise = Callable[[tuple[int, int, int], np.random.Generator], Array]  # side, cell, run

ERROR, SPREAD = 0.05, 0.05
EFFECT = log(1.2)


def equal(shape: tuple[int, int, int], rng: np.random.Generator) -> Array:
    """Make sides that spread alike."""
    return rng.normal(0, SPREAD, shape)


def uneven(shape: tuple[int, int, int], rng: np.random.Generator, by: float) -> Array:
    """Make sides whose deviations differ by e to the power of a normal deviation."""
    return equal(shape, rng) * np.exp(rng.normal(0, by, shape[:2]))[..., None]


def wider(
    shape: tuple[int, int, int], rng: np.random.Generator, times: float, share: float = 0.0
) -> Array:
    """Make a share of the cells, or one, that spread several times as far."""
    logs = equal(shape, rng)
    logs[:, : max(1, int(shape[1] * share))] *= times
    return logs


def one_side(shape: tuple[int, int, int], rng: np.random.Generator, times: float) -> Array:
    """Make levels that spread several times as far as their baselines."""
    return equal(shape, rng) * np.array([times, 1.0])[:, None, None]


def related(shape: tuple[int, int, int], rng: np.random.Generator, share: float) -> Array:
    """Make runs that have a share of their variance in common with that run of every cell."""
    common = rng.normal(0, SPREAD, (shape[0], 1, shape[2]))
    return np.sqrt(share) * common + np.sqrt(1 - share) * equal(shape, rng)


def heavy(shape: tuple[int, int, int], rng: np.random.Generator) -> Array:
    """Make runs some of which are far off."""
    return SPREAD / np.sqrt(3) * rng.standard_t(3, shape)


def modes(shape: tuple[int, int, int], rng: np.random.Generator) -> Array:
    """Make runs of which one in ten is slow."""
    return equal(shape, rng) * 0.6 + np.log(0.7) * (rng.random(shape) < 0.1)


NOISES: Mapping[str, Noise] = {
    "equal spread": equal,
    "deviations by e^.25": partial(uneven, by=0.25),
    "deviations by e^.5": partial(uneven, by=0.5),
    "deviations by e^.8": partial(uneven, by=0.8),
    "one cell x2": partial(wider, times=2),
    "one cell x3": partial(wider, times=3),
    "one cell x4": partial(wider, times=4),
    "a quarter of the cells x2": partial(wider, times=2, share=0.25),
    "a quarter of the cells x3": partial(wider, times=3, share=0.25),
    "levels x2": partial(one_side, times=2),
    "levels x4": partial(one_side, times=4),
    "runs share .8 of their variance": partial(related, share=0.8),
    "t with 3 df": heavy,
    "one run in ten is slow": modes,
}


def asked(logs: Array) -> tuple[dict[str, list[StudentT]], CommonSpread | None]:
    """Estimate each cell, by each method."""
    cells = [(logs[0, at], logs[1, at]) for at in range(logs.shape[1])]
    own = [one for one in (welch([cell]) for cell in cells) if one is not None]
    common = common_spread([side for cell in cells for side in cell])
    every = common_spread([side for cell in cells for side in cell], alike=0.0)
    assert every is not None
    plain = [one.sharing() for one in own]
    taken = plain if common is None else [common.of(one) for one in own]
    return {
        "Welch": plain,
        "Welch's df": own,
        "one spread": [_pooled(every, one, logs.shape[2]) for one in own],
        "one spread if alike": plain
        if common is None
        else [_pooled(common, one, logs.shape[2]) for one in own],
        "compare": taken,
    }, common


def _pooled(spread: CommonSpread, own: StudentT, n: int) -> StudentT:
    se = (2 * spread.variance / n) ** 0.5
    return StudentT(own.center, se, spread.df, 2 * spread.variance, spread.sides, own.least_df)


def found(cells: list[StudentT], *, holm: bool = False) -> list[bool]:
    """Say which cells differ: by Bonferroni, as the intervals say, or by Holm."""
    p = np.array([one.p(0) for one in cells])
    rank = np.argsort(np.argsort(p)) if holm else np.zeros(len(p))
    by_p = np.maximum.accumulate(np.sort(p * (len(p) - rank)))
    adjusted = by_p[np.argsort(np.argsort(p))] if holm else p * len(p)
    return (adjusted <= ERROR).tolist()


METHODS = ("Welch", "Welch's df", "one spread", "one spread if alike", "compare")


def _sweeps(trials: int, rng: np.random.Generator) -> Iterator[Row]:
    for k, n in ((4, 3), (12, 3), (40, 3), (12, 5)):
        for name, noise in NOISES.items():
            errors: dict[str, list[bool]] = {method: [] for method in METHODS}
            sees: dict[str, list[float]] = {method: [] for method in METHODS}
            alike, wrong = [], []
            count = trials if k < 40 else trials // 3
            for at in range(count):
                logs = noise((2, k, n), rng)
                told, common = asked(logs)
                for method, cells in told.items():
                    errors[method].append(any(found(cells)))
                alike.append(common is not None)
                if common is not None:
                    wrong.append(errors["compare"][-1])
                if at % 4 == 0:
                    logs = noise((2, k, n), rng)
                    logs[0] += EFFECT
                    for method, cells in asked(logs)[0].items():
                        sees[method].append(float(np.mean(found(cells))))
            row: dict[str, object] = {"cells": k, "runs a side": n, "noise": name}
            for method in METHODS:
                goal = 0.05 if method in ("Welch", "compare") else 1.0
                row[f"{method}: errs"] = Rate.of(errors[method], most=goal)
                row[f"{method}: sees"] = f"{np.mean(sees[method]):.2f}"
            row["taken for alike"] = f"{np.mean(alike):.2f}"
            row["errs then"] = f"{np.mean(wrong):.2f}" if len(wrong) >= 20 else ""
            yield row


def joint(
    k: int, n: int, equal_cells: int, trials: int, rng: np.random.Generator
) -> dict[str, list[bool]]:
    """Say in which trials all intervals hold, and all verdicts are right.

    Some cells are equal, the others differ by far. With Holm a verdict cuts the interval at 1.
    """
    truth = np.where(np.arange(k) < equal_cells, 0.0, 10 * EFFECT)
    told: dict[str, list[bool]] = {"Bonferroni": [], "Holm": []}
    for _ in range(trials):
        logs = equal((2, k, n), rng)
        logs[0] += truth[:, None]
        cells = asked(logs)[0]["Welch's df"]
        ends = [one.interval(1 - ERROR / k) for one in cells]
        held = all(
            end is not None and end[0] <= true <= end[1]
            for end, true in zip(ends, truth, strict=True)
        )
        false = any(
            said for said, true in zip(found(cells, holm=True), truth, strict=True) if not true
        )
        told["Bonferroni"].append(held)
        told["Holm"].append(held and not false)
    return told


def _holm(trials: int, rng: np.random.Generator) -> Iterator[Row]:
    for k, n in ((4, 5), (12, 5), (12, 10)):
        for equal_cells in (k, k // 2, 1):
            held = joint(k, n, equal_cells, trials, rng)
            sees = {False: [], True: []}
            for _ in range(trials // 4):
                logs = equal((2, k, n), rng)
                logs[0, equal_cells:] += EFFECT
                for holm, own in sees.items():
                    cells = asked(logs)[0]["Welch"]
                    own += found(cells, holm=holm)[equal_cells:]
            yield {
                "cells": k,
                "runs a side": n,
                "of them equal": equal_cells,
                "Bonferroni: all hold": Rate.of(held["Bonferroni"], least=0.95),
                "Holm: all hold": f"{np.mean(held['Holm']):.3f}",
                **{
                    f"{name}: sees 20 %": f"{np.mean(sees[holm]):.2f}" if sees[holm] else ""
                    for name, holm in (("Bonferroni", False), ("Holm", True))
                },
            }


# cells, runs of level and baseline, how far the levels spread, whether they share a baseline
LEFT_OUT = {
    "two cells, levels x3": (2, (3, 3), 3.0, False),
    "three cells, levels x3": (3, (3, 3), 3.0, False),
    "12 levels with one baseline, which is x2": (12, (3, 3), 0.5, True),
    "four cells, levels x2": (4, (3, 10), 2.0, False),
    "12 cells, levels x1.5": (12, (3, 10), 1.5, False),
}


def as_if(levels: Array, baselines: Array) -> tuple[bool, bool]:
    """Say whether any cell differs, by Welch's spread and by that of all sides if alike."""
    arms = [*levels, *baselines]
    dfs = np.array([len(arm) - 1 for arm in arms])
    variance = float(dfs @ [np.var(arm, ddof=1) for arm in arms]) / int(dfs.sum())
    least = np.sqrt(variance * (1 / levels.shape[1] + 1 / baselines.shape[1]))
    paired_up = np.broadcast_to(baselines, (len(levels), baselines.shape[1]))
    own = [one for one in (welch([cell]) for cell in zip(levels, paired_up, strict=True)) if one]
    plain = [one.sharing() for one in own]
    is_alike = scipy.stats.bartlett(*arms).pvalue >= 0.2
    common = [
        replace(one, se=max(one.se, least), df=float(dfs.sum())) if is_alike else other
        for one, other in zip(own, plain, strict=True)
    ]
    return any(found(plain)), any(found(common))


def _left_out(trials: int, rng: np.random.Generator) -> Iterator[Row]:
    for name, (k, (n, m), times, is_shared) in LEFT_OUT.items():
        said = [
            as_if(
                rng.normal(0, SPREAD * times, (k, n)),
                rng.normal(0, SPREAD, (1 if is_shared else k, m)),
            )
            for _ in range(trials)
        ]
        yield {
            "sides": name,
            "runs": f"{n} against {m}",
            "Welch, as it is": Rate.of((one for one, _ in said), most=0.05),
            "with the spread of all": Rate.of((one for _, one in said), most=0.05),
        }


STUDIES = [
    Study(
        "sweeps-left-out",
        "Sweeps that keep the spread of each side",
        "Equal sides for which the spread of all sides, if Bartlett's test finds them alike and "
        "a cell's own is not larger, would err: fewer than four cells, levels that share a "
        "baseline, and unlike numbers of runs. `compare` takes Welch's there. Goal: .05 at most.",
        _left_out,
        trials=4000,
    ),
    Study(
        "sweeps",
        "Sweeps with few runs a cell",
        "Each cell has 3 or 5 runs a side, with a deviation of 5 %: how often any cell of equal "
        "sides is called different (goal: .05 at most), and the share of cells that are seen if "
        "all differ by 20 %. `Welch`: with degrees of freedom half-way to the least; `Welch's df`: "
        "with his own. `one spread`: that of all sides; `if alike`: where Bartlett's test has a p "
        "of .2 and more. `compare` takes it there too, but a cell's own spread if that is larger. "
        "The last columns: how often the sides pass for alike, and how often any verdict is wrong "
        "then; a cell that spreads far and is not noticed errs, so that this has no goal.",
        _sweeps,
        trials=1500,
    ),
    Study(
        "holm",
        "Holm's correction beside intervals",
        "Cells of which some are equal and the others differ by far: how often all intervals of "
        "the answer hold the truth (goal: .95), with Holm's verdicts beside them, which would cut "
        "an interval at 1. Holm sees more, and breaks what the answer says of all its intervals: "
        "`compare` keeps Bonferroni's.",
        _holm,
        trials=2000,
    ),
]
