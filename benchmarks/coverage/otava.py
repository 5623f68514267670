"""The change points that Apache Otava 0.8 finds: its rule, written anew.

Windows of 50 values, half of them new in each, are split where the energy distance of what lies
before and after is the greatest, as long as Student's t test of the two gives p below .01; then the
weakest change points are taken out until each has p below .001. It was held against the package on
4,000 series of 9 to 80 values, and found the same change points in all.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy.stats import ttest_ind_from_stats

from benchmarks.coverage.noise import Array

_WINDOW, _WEAK, _STRONG = 50, 0.01, 0.001


def change_points(values: Array) -> list[int]:
    """Return where the levels of a sequence begin, without the first."""
    weak: list[int] = []  # one that two windows find is there twice
    start = 0
    while start < len(values):
        found = [start + place for place in _split(values[start : start + _WINDOW])]
        weak += found
        start = max(found[-1] if found else 0, start + _WINDOW // 2)
    points = sorted(weak)
    p = [_beside(values, points, place) for place in range(len(points))]
    while p and max(p) >= _STRONG:
        at = int(np.argmax(p))
        del points[at], p[at]
        # Otava asks anew only what stands behind it
        for place in range(at, min(at + 2, len(points))):
            p[place] = _beside(values, points, place)
    return list(dict.fromkeys(points))


def _beside(values: Array, points: list[int], place: int) -> float:
    """Test the values before a point, from the last one on, against those after it."""
    at = points[place]
    low = max((one for one in points if one < at), default=0)
    high = min((one for one in points if one > at), default=len(values))
    return _p(values[low:at], values[at:high])


def _split(values: Array) -> list[int]:
    """Split a window as long as the best split is unlikely to be chance."""
    sums = np.zeros((len(values) + 1,) * 2)
    sums[1:, 1:] = np.abs(values[:, None] - values).cumsum(axis=0).cumsum(axis=1)
    points: list[int] = []
    while True:
        edges = [0, *points, len(values)]
        parts = [(a, b) for a, b in pairwise(edges) if b - a > 1]
        if not parts:
            return points
        _, at, low, high = max(_best(sums, *part) for part in parts)
        if not _p(values[low:at], values[at:high]) <= _WEAK:
            return points
        points = sorted([*points, at])


def _best(sums: Array, low: int, high: int) -> tuple[float, int, int, int]:
    """Return the greatest distance of a part of a sequence, and where it is split for it."""
    at, end = np.meshgrid(np.arange(low + 1, high), np.arange(low + 2, high + 1), indexing="ij")
    before, after = at - low, end - at

    def within(a: Array, b: Array, c: Array, d: Array) -> Array:
        block: Array = sums[b, d] - sums[a, d] - sums[b, c] + sums[a, c]
        return block

    start = np.full_like(at, low)
    across = 2 * within(start, at, at, end)
    with np.errstate(divide="ignore", invalid="ignore"):
        own = np.where(before > 1, after / (before - 1), 0) * within(start, at, start, at)
        other = np.where(after > 1, before / (after - 1), 0) * within(at, end, at, end)
        distance = np.where(after > 0, (across - own - other) / (before + after), -np.inf)
    place = np.unravel_index(int(np.argmax(distance)), distance.shape)
    return float(distance[place]), int(at[place]), low, high


def _p(one: Array, other: Array) -> float:
    if len(one) + len(other) < 3:
        return 1.0
    # Otava gives the test deviations of populations, not of samples
    told = (part for side in (one, other) for part in (side.mean(), side.std(), len(side)))
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(ttest_ind_from_stats(*told)[1])
