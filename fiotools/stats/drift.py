"""What changes along a sequence of runs, or of samples: a trend, or a step.

Every order of independent runs is as likely as the one found if nothing happened. Seconds depend on
each other, and an apparent step may be their wandering. So there are two tests for steps.
Both look for the split with the largest difference, then on either side of it:

* Up to 30 runs: the largest sum of squares between two parts, of logarithms, against the same of
  all orders (or 9,999 of them). The order of few runs proves little: two of five come first or last
  in one order of five. If no order of a split could be rare enough, a step must stand out of normal
  noise, and `ChangePoint.by_chance` says how often a random order would make it.
* Series: the CUSUM of ranks over a normaliser made of partial sums on both sides, so that neither
  dependence nor spread has to be known (Shao and Zhang, "Testing for change points in time series",
  2010). How large it gets without a change depends on the number of independent samples alone;
  `_LARGEST` is simulated. It uses ranks, because stalls are far off, and may be 0. Parts of the
  series show a level that comes back (seeded intervals; Kovacs et al., 2023).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from math import comb, expm1, log1p, sqrt
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from fiotools.flags import Flag, flag
from fiotools.stats.frames import Array

LEAST_DF = 2  # with one degree of freedom a line has to be thirteen times its error
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
_EDGE = 0.05  # of a series: a shorter end is not a level
# Parts of a series, as shares of it: the whole, and parts with one step if a level comes back.
_PARTS = ((0, 1), (0, 2 / 3), (1 / 3, 1), (0, 1 / 2), (1 / 4, 3 / 4), (1 / 2, 1))


@dataclass(frozen=True)
class Placed:
    """Runs of one level: where each stands in the order, and its logarithm."""

    places: NDArray[np.int64]
    logs: Array

    def sorted(self) -> Placed:
        """Give them as they came."""
        at = np.lexsort((self.logs, self.places))
        return Placed(self.places[at], self.logs[at])


def drift(
    series: Sequence[Placed],
    *,
    band: float = 0.05,
    confidence: float = 0.95,
    order: str | None = None,
) -> Flag | None:
    """Look for a line through the logarithms over the rank of the places, one level per series.

    The flag, which names the `order`, is raised if the t interval of the slope excludes 0 and the
    change over the series is at least the `band`. A permutation test needs no assumptions, but
    finds nothing among three or four runs.
    """
    sizes = [len(one.places) for one in series]
    df = sum(sizes) - len(series) - 1
    if df < LEAST_DF:
        return None
    there, rank = np.unique(np.concatenate([one.places for one in series]), return_inverse=True)
    x = np.concatenate([_centred(own) for own in np.split(rank, np.cumsum(sizes)[:-1])])
    if not x.any():
        return None
    y = np.concatenate([_centred(one.logs) for one in series])
    slope = float(x @ y / (x @ x))
    rest = y - slope * x
    half = float(scipy.special.stdtrit(df, (1 + confidence) / 2)) * sqrt(
        float(rest @ rest / df / (x @ x))
    )
    change = slope * (len(there) - 1)
    if abs(slope) <= half or abs(change) < log1p(band):
        return None
    return flag("drift", change=expm1(change), order=order)


def step(series: Sequence[Placed], *, band: float = 0.05) -> Flag | None:
    """Look for a series whose runs change their level half-way by the `band` or more."""
    for one in series:
        if len(np.unique(one.places)) < len(one.places):
            continue
        logs = one.logs[np.argsort(one.places)]
        for found in change_points(np.exp(logs)):
            change = float(logs[found.at :].mean() - logs[: found.at].mean())
            if abs(change) >= log1p(band):
                code = "step" if found.by_chance is None else "step-by-chance"
                return flag(code, change=expm1(change), at=found.at, n=len(logs))
    return None


def trend_p(values: Array) -> float | None:
    """Test a series for a trend by Mann and Kendall: the two-sided p, None for too few samples.

    The variance of Kendall's tau is multiplied by the samples that tell as much as one independent
    one (Yue and Wang, 2004), with the trend taken out first.
    """
    n = len(values)
    if n < FEW_SAMPLES or float(np.ptp(values)) == 0:
        return None
    x = _centred(range(n))
    rest = values - values.mean() - float(x @ values / (x @ x)) * x
    found = scipy.stats.kendalltau(x, values).statistic
    variance = 2 * (2 * n + 5) / (9 * n * (n - 1)) * samples_per_one(rest)
    return float(2 * scipy.special.ndtr(-abs(found) / sqrt(variance)))


def _centred(numbers: Sequence[float] | NDArray[Any]) -> Array:
    array = np.asarray(numbers, dtype=np.float64)
    return array - float(array.mean())


@dataclass(frozen=True)
class ChangePoint:
    """A change of level: `at` is the place of the first value after it, from 0.

    If the order alone proves nothing, `p` is that of normal noise, and `by_chance` the share of
    random orders that would split two levels as cleanly.
    """

    at: int
    p: float
    by_chance: float | None = None


_Search = Callable[[Array], ChangePoint | None]


def change_points(
    values: Sequence[float] | Array, *, dependent: bool | None = None
) -> list[ChangePoint]:
    """Find changes of level in at least 4 runs, or 20 samples.

    Neighbours are `dependent` if they are alike without a change, as seconds of one run are; by
    default in sequences of more than 30.
    """
    sequence = np.asarray(values, dtype=np.float64)
    if dependent is None:
        dependent = len(sequence) > _MANY_RUNS
    if dependent:
        return _split(sequence, _of_series, FEW_SAMPLES)
    positive = bool((sequence > 0).all())
    return _split(np.log(sequence) if positive else sequence, _of_runs, FEW_RUNS)


def _split(values: Array, search: _Search, fewest: int, start: int = 0) -> list[ChangePoint]:
    """Find a change, then look on either side of it."""
    if len(values) < fewest or np.ptp(values) <= 1e-12 * np.abs(values).max():
        return []
    found = search(values)
    if found is None:
        return []
    at = found.at
    return [
        *_split(values[:at], search, fewest, start),
        ChangePoint(start + at, found.p, found.by_chance),
        *_split(values[at:], search, fewest, start + at),
    ]


def _of_runs(logs: Array) -> ChangePoint | None:
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
    if chance <= ALPHA:
        return ChangePoint(at, chance)
    if 2 / comb(n, at) <= ALPHA:
        return None
    within = max(float(rest @ rest) - most, 1e-300) / (n - 2)
    p = 2 * len(sizes) * float(scipy.special.stdtr(n - 2, -sqrt(most / within)))
    return ChangePoint(at, p, chance) if p <= ALPHA else None


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


def _of_series(values: Array) -> ChangePoint | None:
    """Test the parts of a series, and take the split that is the least likely by chance."""
    n, found = len(values), []
    for first, last in _PARTS:
        start, end = round(first * n), round(last * n)
        if end - start >= FEW_SAMPLES:
            at, p = _test(values[start:end])
            found.append((p, start + at))
    p, at = min(found)
    p = min(1.0, p * len(found))
    return ChangePoint(at, p) if p <= ALPHA else None


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
    """Estimate, on the safe side, the samples that tell as much as one independent one."""
    n = len(rest)
    # of neighbours, corrected for the split that was taken out, and three standard errors more
    rho = float(rest[1:] @ rest[:-1] / max(float(rest @ rest), 1e-300))
    rho = min(max(0.0, rho + (2 + 3 * rho) / n + 3 * sqrt(max(0.0, 1 - rho**2) / n)), 0.98)
    return (1 + rho) / (1 - rho)
