"""Where a sequence changes its level: of runs, rounds or commits, and of seconds.

Runs are independent where nothing happened, so every order of them is as likely as the one that
was found; seconds are not, and what looks like a step may be their wandering. So there are two
tests, and both look for the split with the largest difference, then on either side of it:

* Up to 30 runs: the largest sum of squares between two parts, of logarithms, against the same of
  all orders (or 9,999 of them). The order of few runs proves little: two of five come first or last
  in one order of five. Where no order of a split could be rare enough, a step must stand out of
  normal noise, and `ChangePoint.by_chance` says how often a random order would make it.
* Series: the CUSUM of ranks over a normaliser that is itself made of partial sums on both sides, so
  that neither dependence nor spread has to be known (Shao and Zhang, "Testing for change points in
  time series", 2010). How large it gets without a change hangs on the number of independent
  samples alone; `_LARGEST` is by simulation. Ranks, because stalls are far off, and may be 0. A
  level that comes back is seen in parts of the series (seeded intervals; Kovacs et al., 2023).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from math import comb, sqrt

import numpy as np
import scipy
from numpy.typing import NDArray

from fiotools.stats.batch_means import Array

ALPHA = 0.01  # false alarms: of a hundred sequences without a change, one
FEW_RUNS, FEW_SAMPLES = 4, 20  # below, nothing can be said

_MANY_RUNS = 30  # beyond, runs drift, too: a series
_PART = 2  # runs in a part, at least: one alone is an outlier
_EXACT = 8  # runs up to which all orders are tried
_ORDERS = 9_999
_EQUAL = 1 - 1e-9  # sums of the same numbers in another order

# Of independent samples: the normalised CUSUM that one series in 100, and one in 1,000, exceeds
# without a change (autoregressive series of 20 to 400 samples, rho 0 to .95, 16,000 each).
_LARGEST = np.array(
    [
        (2.5, 16.2, 21.5),
        (5.0, 15.0, 21.0),
        (10.0, 12.5, 17.8),
        (22.0, 10.5, 15.1),
        (44.0, 9.4, 13.2),
        (100.0, 8.6, 11.5),
    ]
)
_EDGE = 0.05  # of a series: what is shorter at its end is no level
# Parts of a series, as shares of it: the whole, and what holds one step where a level comes back.
_PARTS = ((0, 1), (0, 2 / 3), (1 / 3, 1), (0, 1 / 2), (1 / 4, 3 / 4), (1 / 2, 1))


@dataclass(frozen=True)
class ChangePoint:
    """A change of level.

    Attributes
    ----------
    at : int
        The place of the first value after it, from 0.
    p : float
        How often a sequence without a change shows one like it.
    by_chance : float or None
        If the order alone proves nothing: the share of random orders that would split two levels
        as cleanly. `p` is then that of normal noise.
    """

    at: int
    p: float
    by_chance: float | None = None


_Search = Callable[[Array, float], ChangePoint | None]


def change_points(
    values: Sequence[float] | Array, *, dependent: bool | None = None, alpha: float = ALPHA
) -> list[ChangePoint]:
    """Find changes of level in a sequence.

    Parameters
    ----------
    values : sequence of float
        In order; at least 0.
    dependent : bool, optional
        Whether neighbours are alike without a change, as seconds of one run are. Without it,
        sequences of more than 30 are.
    alpha : float
        False alarms a sequence.

    Returns
    -------
    list of ChangePoint
        In order. None for fewer than 4 runs or 20 samples.

    Examples
    --------
    >>> change_points([5814, 5703, 8916, 9037, 8910])
    [ChangePoint(at=2, p=4.1...e-05, by_chance=0.2)]
    """
    sequence = np.asarray(values, dtype=np.float64)
    if dependent is None:
        dependent = len(sequence) > _MANY_RUNS
    if dependent:
        return _split(sequence, _of_series, FEW_SAMPLES, alpha)
    positive = bool((sequence > 0).all())
    return _split(np.log(sequence) if positive else sequence, _of_runs, FEW_RUNS, alpha)


def _split(
    values: Array, search: _Search, fewest: int, alpha: float, start: int = 0
) -> list[ChangePoint]:
    """Find a change, then look on either side of it."""
    if len(values) < fewest or np.ptp(values) <= 1e-12 * np.abs(values).max():
        return []
    found = search(values, alpha)
    if found is None:
        return []
    at = found.at
    return [
        *_split(values[:at], search, fewest, alpha, start),
        ChangePoint(start + at, found.p, found.by_chance),
        *_split(values[at:], search, fewest, alpha, start + at),
    ]


def _of_runs(logs: Array, alpha: float) -> ChangePoint | None:
    """Test the cleanest split of a few runs against other orders of them."""
    n = len(logs)
    rest = logs - logs.mean()
    sizes = np.arange(_PART, n - _PART + 1)
    between = _between(rest, sizes)
    place = int(between.argmax())
    at, most = int(sizes[place]), float(between[place])
    orders = _orders(n)
    as_clean = int(np.sum(_between(rest[orders], sizes).max(axis=1) >= most * _EQUAL))
    drawn = n > _EXACT
    chance = (as_clean + drawn) / (len(orders) + drawn)
    if chance <= alpha:
        return ChangePoint(at, chance)
    if 2 / comb(n, at) <= alpha:
        return None
    within = max(float(rest @ rest) - most, 1e-300) / (n - 2)
    p = 2 * len(sizes) * float(scipy.special.stdtr(n - 2, -sqrt(most / within)))
    return ChangePoint(at, p, chance) if p <= alpha else None


def _between(rest: Array, sizes: NDArray[np.int_]) -> Array:
    """Give the sum of squares between the first values, as many as `sizes` says, and the others."""
    n = rest.shape[-1]
    sums = np.cumsum(rest, axis=-1)[..., sizes - 1]
    return np.asarray(sums**2 * n / (sizes * (n - sizes)))


@lru_cache
def _orders(n: int) -> NDArray[np.int_]:
    """Give all orders of a few values, or many orders of more."""
    if n <= _EXACT:
        return np.array([*permutations(range(n))])
    rows = np.broadcast_to(np.arange(n), (_ORDERS, n))
    return np.random.default_rng(n).permuted(rows, axis=1)


def _of_series(values: Array, alpha: float) -> ChangePoint | None:
    """Test the parts of a series, and take the split that is the least likely by chance."""
    n, found = len(values), []
    for first, last in _PARTS:
        start, end = round(first * n), round(last * n)
        if end - start >= FEW_SAMPLES:
            at, p = _test(values[start:end])
            found.append((p, start + at))
    p, at = min(found)
    p = min(1.0, p * len(found))
    return ChangePoint(at, p) if p <= alpha else None


def _test(values: Array) -> tuple[int, float]:
    """Give the likeliest split of a series, and its p."""
    n = len(values)
    ranks = scipy.stats.rankdata(values)
    ranks -= ranks.mean()
    sizes = np.arange(1, n)
    before, sums = _partial(ranks)
    after, _ = _partial(ranks[::-1])
    least = max(_PART, int(_EDGE * n))
    inner = slice(least - 1, n - least)
    normaliser = np.maximum(before + after[::-1], 1e-12)[inner]
    largest = sqrt(float((sums[inner] ** 2 * n / normaliser).max()))
    at = least + int(_between(ranks, sizes[inner]).argmax())
    rest = ranks - np.where(np.arange(n) < at, sums[at - 1] / at, -sums[at - 1] / (n - at))
    place, known = np.log(n / samples_per_one(rest)), np.log(_LARGEST[:, 0])
    hundredth, thousandth = (np.interp(place, known, _LARGEST[:, i]) for i in (1, 2))
    return at, min(1.0, float(0.01 * 0.1 ** ((largest - hundredth) / (thousandth - hundredth))))


def _partial(ranks: Array) -> tuple[Array, Array]:
    """Give, up to each place, the squares of the partial sums about their line, and the sums."""
    sums = np.cumsum(ranks)[:-1]
    i = np.arange(1.0, len(ranks))
    slope = sums / i
    squares = np.cumsum(sums**2) - 2 * slope * np.cumsum(i * sums) + slope**2 * np.cumsum(i**2)
    return squares, sums


def samples_per_one(rest: Array) -> float:
    """Estimate, on the safe side, the samples that tell as much as one independent one.

    The correlation of neighbours, corrected for the split that was taken out, and three standard
    errors more.
    """
    n = len(rest)
    rho = float(rest[1:] @ rest[:-1] / max(float(rest @ rest), 1e-300))
    rho = min(max(0.0, rho + (2 + 3 * rho) / n + 3 * sqrt(max(0.0, 1 - rho**2) / n)), 0.98)
    return (1 + rho) / (1 - rho)
