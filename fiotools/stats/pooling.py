"""Means and standard deviations of parts, put together exactly."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Any


def total(parts: Sequence[Any]) -> Any:
    """Add up; None if any part is missing, for the others are not the whole."""
    return None if None in parts else sum(parts)


def pooled_mean(counts: Sequence[float | None], means: Sequence[float | None]) -> float | None:
    """Weight means by their counts; None if any is missing that has a weight.

    Examples
    --------
    >>> pooled_mean([1, 3], [2.0, 4.0]), pooled_mean([1, 3, 0], [2.0, 4.0, None])
    (3.5, 3.5)
    """
    weights, centers = _whole(counts), _weighted(counts, means)
    if not weights or not centers or sum(weights) <= 0:
        return None
    return sum(n * m for n, m in zip(weights, centers, strict=True)) / sum(weights)


def pooled_stddev(
    counts: Sequence[float | None],
    means: Sequence[float | None],
    stddevs: Sequence[float | None],
) -> float | None:
    """Put standard deviations together: the spread within the parts and that between their means.

    ``sqrt((sum((n_i - 1) s_i^2) + sum(n_i (m_i - m)^2)) / (N - 1))``, the identity of the analysis
    of variance; the sum over deviations is the same as ``sum(n_i m_i^2) - N m^2``, and loses no
    digits.

    Examples
    --------
    Two DISKSPD threads (I/Os, ms, ms) into what the tool prints for both, 0.724 and 0.434:

    >>> counts, means, stddevs = [4561868, 6039168], [0.841, 0.635], [0.456, 0.395]
    >>> round(pooled_mean(counts, means), 4), round(pooled_stddev(counts, means, stddevs), 4)
    (0.7236, 0.4345)
    """
    mean = pooled_mean(counts, means)
    weights = _whole(counts)
    centers, spreads = _weighted(counts, means), _weighted(counts, stddevs)
    if mean is None or not weights or not centers or not spreads or sum(weights) < 2:
        return None
    within = sum(max(n - 1, 0) * s**2 for n, s in zip(weights, spreads, strict=True))
    between = sum(n * (m - mean) ** 2 for n, m in zip(weights, centers, strict=True))
    return sqrt((within + between) / (sum(weights) - 1))


def _weighted(counts: Sequence[float | None], parts: Sequence[float | None]) -> list[float]:
    """Give the parts, whatever stands for those of nothing."""
    return _whole([0.0 if n == 0 else part for n, part in zip(counts, parts, strict=True)])


def _whole(parts: Sequence[float | None]) -> list[float]:
    """Give the parts if all are known, else none of them."""
    known = [part for part in parts if part is not None]
    return known if len(known) == len(parts) else []
