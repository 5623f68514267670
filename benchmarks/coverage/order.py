"""The effect of a drift on a comparison, and whether the warnings about the order show it.

Both sides are equal, and each run is 2 % slower than the one before. Pairs are made in a fixed
order (AB AB), in turns (AB BA), or the sides in blocks (AAA BBB, no pairs). A frame knows
the time of each run, or only the round or the number in the name of its file.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from benchmarks.coverage.study import Rate, Row, Study
from fiotools.stats.drift import order_flags
from fiotools.stats.estimates import paired, welch
from fiotools.stats.order import Order, Places
from fiotools.stats.sides import Side, Sides

RUNS = (3, 5, 10)
NOISE = ("normal", "t3", "two modes")
_SPREAD = 0.02  # of a run, and of what both runs of a pair share, in logarithms
DRIFT = -0.02
_NOWHERE = Places(*np.zeros((2, 0), dtype=np.int64))
TIMES = Order(_NOWHERE, True)
ROUNDS = Order(_NOWHERE, False, "'round'")


def positions(design: str, n: int) -> NDArray[np.int_]:
    """Say at which place of the series the runs of both sides stand."""
    if design == "blocks":
        return np.arange(2 * n).reshape(2, n)
    turns = np.arange(2 * n).reshape(n, 2)
    if design == "in turns":
        turns[1::2] = turns[1::2, ::-1]
    return turns.T


def noise(kind: str, size: tuple[int, ...], rng: np.random.Generator) -> NDArray[np.float64]:
    """Draw the logarithms of runs without drift."""
    if kind == "t3":
        return rng.standard_t(3, size) * _SPREAD
    if kind == "two modes":
        return np.log(np.where(rng.random(size) < 0.2, 0.9, 1)) + rng.normal(0, _SPREAD, size)
    return rng.normal(0, _SPREAD, size)


def asked(
    design: str,
    n: int,
    drift: float,
    kind: str,
    known: Order,
    trials: int,
    seed: np.random.Generator,
) -> tuple[list[bool], list[bool], list[bool]]:
    """Say of each trial whether the interval holds 1, whether anything is said, and a drift is."""
    places = positions(design, n)
    pairs = design != "blocks"
    logs = noise(kind, (trials, 2, n), seed) + drift * places
    if pairs:
        logs = logs + seed.normal(0, _SPREAD, (trials, 1, n))
    marks = places if known.across else np.arange(n)[None, :].repeat(2, axis=0)
    order = replace(known, places=Places(np.zeros(2 * n, dtype=np.int64), marks.ravel()))
    rows, pair, cell = np.arange(2 * n).reshape(2, n), np.arange(n), np.zeros(n, dtype=np.int64)
    holds, warned, seen = [], [], []
    for both in logs:
        sides = [Side(own, at, at, pair, cell) for own, at in zip(both, rows, strict=True)]
        found = paired(*both) if pairs else welch([(both[0], both[1])])
        assert found is not None
        low, high = found.interval(0.95)
        flags = order_flags(
            Sides(sides[0], sides[1], [], own=False, order=order),
            paired=pairs,
            band=0.05,
            confidence=0.95,
        )
        holds.append(low <= 0 <= high)
        warned.append(bool(flags))
        seen.append(any(one.code == "drift" for one in flags))
    return holds, warned, seen


def _drifting(trials: int, rng: np.random.Generator) -> Iterator[Row]:
    for design, known in (
        ("fixed", TIMES),
        ("fixed", ROUNDS),
        ("in turns", TIMES),
        ("blocks", TIMES),
        ("blocks", ROUNDS),
    ):
        for n in RUNS:
            holds, warned, seen = asked(design, n, DRIFT, "normal", known, trials, rng)
            wrong = [not hold and not said for hold, said in zip(holds, warned, strict=True)]
            yield {
                "order": design,
                "known by": "times" if known.across else "rounds",
                "runs a side": n,
                "holds": str(Rate.of(holds)),
                "a drift is named": str(Rate.of(seen)),
                # of sides that were measured apart, only times can tell
                "wrong and not warned": (
                    Rate.of(wrong)
                    if design == "blocks" and not known.across
                    else Rate.of(wrong, most=0.05)
                ),
            }


def _steady(trials: int, rng: np.random.Generator) -> Iterator[Row]:
    for kind, design, n in product(NOISE, ("in turns", "blocks"), RUNS):
        _, _, seen = asked(design, n, 0.0, kind, ROUNDS, trials, rng)
        yield {
            "noise": kind,
            "order": design,
            "runs a side": n,
            "a drift is named": Rate.of(seen, most=0.05),
        }


STUDIES = [
    Study(
        "drift",
        "A drift, and the order of the runs",
        "Both sides are equal; each run is 2 % slower than the one before, and spreads by 2 %, "
        "as does the noise that the runs of a pair share. Fixed order (AB AB) and turns (AB BA) "
        "are compared in pairs, blocks (AAA BBB) without. Goal: the interval misses the truth "
        "without a warning in .05 at most, except for blocks without a clock.",
        _drifting,
        trials=4000,
    ),
    Study(
        "no-drift",
        "False alarms of a drift",
        "The same without drift, known by rounds, and with other noise: t with 3 degrees of "
        "freedom, and a fifth of the runs 10 % slower. Goal: .05 at most.",
        _steady,
        trials=4000,
    ),
]
