"""Percentiles of a mixture, bracketed by those of its parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass
class Table:
    """One table of percentiles: how many I/Os it is about, and its points in order."""

    ios: int
    points: list[tuple[int, float]]  # share of the I/Os, latency; none where none is known


def bounds(parts: Sequence[Table], percentile: float) -> tuple[float | None, float | None]:
    """Bracket a percentile of the mixture; None where no point bounds it.

    Examples
    --------
    >>> half, most = share(50), share(90)
    >>> bounds([Table(10, [(half, 4.0), (most, 7.0)])], 50)
    (4.0, 4.0)
    >>> bounds([Table(10, [(half, 4.0), (most, 7.0)]), Table(10, [(half, 9.0)])], 80)
    (9.0, None)
    """
    asked = share(percentile) * sum(part.ios for part in parts)
    low: float | None = None
    # Up to x, a part has at least the share of its last point there, and less than that of its
    # next: the percentile lies above x as long as the sum of the latter is not above it.
    firsts = [part.points[0][0] if part.points else share(100) for part in parts]
    least, most = 0, sum(part.ios * first for part, first in zip(parts, firsts, strict=True))
    strict = sum(bool(part.points) and part.points[0][0] > 0 for part in parts)
    is_above = most <= asked
    for value, steps in _steps(parts):
        least += sum(step[0] for step in steps)
        most += sum(step[1] for step in steps)
        strict += sum(step[2] for step in steps)
        if is_above and (most > asked or (most == asked and not strict)):
            low, is_above = value, False
        if least >= asked:
            return low, value
    return low, None


def share(percentile: float) -> int:
    """Give a percentile in whole billionths of a percent, so that sums of shares are exact."""
    return round(percentile * 10**9)


def _steps(parts: Sequence[Table]) -> Iterator[tuple[float, list[tuple[int, int, int]]]]:
    """Say at each value by how much the least and the most, and the parts yet to come, change."""
    found: dict[float, list[tuple[int, int, int]]] = {}
    for part in parts:
        shares = [0, *(point[0] for point in part.points), share(100)]
        for i, (own, value) in enumerate(part.points, start=1):
            is_last = i == len(part.points)
            step = (
                part.ios * (own - shares[i - 1]),
                part.ios * (shares[i + 1] - own),
                int(not is_last) - int(own > 0),
            )
            found.setdefault(value, []).append(step)
    for value in sorted(found):
        yield value, found[value]
