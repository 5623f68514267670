"""Quantiles of counted I/Os: which of them it is, which bin it is in, and how sure.

Ranks are fio's (``stat.c``, ``calc_clat_percentiles``): the first bin at which at least the share
asked for has been counted. The interval is that of order statistics, free of assumptions on the
distribution, though not on independence; see Conover, "Practical nonparametric statistics" (1999).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, inf, log

import scipy

from fiotools.errors import SchemaError

PERCENTILES = (50, 90, 95, 99, 99.9, 99.99)
FEW = 5  # I/Os beyond a percentile below which it hangs on single ones


def rank(percentile: float, n: int) -> int:
    """Give the place of a percentile among n sorted I/Os, from 1.

    Examples
    --------
    >>> rank(50, 10), rank(99, 10), rank(99.9, 3000)
    (5, 10, 2998)
    """
    # fio takes 99.9 for the float that it is, a little more: so its 99.9 of 1000 is the last
    return max(1, ceil(Fraction(percentile) * n / 100))


def ios_needed(percentile: float, confidence: float = 0.95) -> float:
    """Give the fewest I/Os with an equal-tailed interval of the percentile; infinite at 100.

    ``ln((1 - confidence) / 2) / ln(p)``; below the median the other end is the scarce one.

    Examples
    --------
    >>> [ios_needed(percentile) for percentile in (50, 90, 99, 99.9, 99.99)]
    [6, 36, 368, 3688, 36887]
    """
    scarce = max(percentile, 100 - percentile) / 100
    return inf if scarce == 1 else ceil(log((1 - confidence) / 2) / log(scarce))


def ranks_around(percentile: float, n: int, confidence: float = 0.95) -> tuple[int, int] | None:
    """Give the places of the two I/Os that hold the percentile between them; None if n is small.

    Examples
    --------
    >>> ranks_around(50, 10), ranks_around(50, 5), ranks_around(99, 1000)
    ((2, 9), None, (983, 997))
    """
    if n < ios_needed(percentile, confidence):
        return None
    tail = (1 - confidence) / 2
    low, high = (_binomial(q, n, percentile / 100) for q in (tail, 1 - tail))
    return max(1, low), min(n, high + 1)


def _binomial(q: float, n: int, p: float) -> int:
    """Give the quantile of a binomial distribution, as scipy.stats has it."""
    found = ceil(scipy.special.bdtrik(q, n, p))
    below = max(found - 1, 0)
    return below if scipy.special.bdtr(below, n, p) >= q else found


def middle(low: float, high: float) -> float | None:
    """Give the latency by which fio names a bin: its middle, rounded down in the bin's own unit.

    Before fio 3.0 that unit is 1 us. The last bin has no end and no middle, though fio gives it
    one, 17.1 s.

    Examples
    --------
    >>> middle(127, 128), middle(128, 130), middle(127000, 128000)
    (127.0, 129.0, 127000.0)
    """
    if high == inf:
        return None
    unit = 1 if low % 1000 or high % 1000 else 1000  # bins of whole ns are powers of two
    return float(low + unit * ((high - low) // unit // 2))


def wanted_percentiles(asked: float | Sequence[float]) -> list[float]:
    """Check the percentiles that were asked for: one or several, above 0 and up to 100."""
    several = [asked] if isinstance(asked, (int, float, str)) else asked
    try:
        found = [float(percentile) for percentile in several]
    except (TypeError, ValueError):
        raise SchemaError(f"percentiles are numbers such as 99.9, not {asked!r}") from None
    for percentile in found:
        if not 0 < percentile <= 100:
            raise SchemaError(f"percentile {percentile:g} is none: above 0, and up to 100")
    if not found:
        raise SchemaError("no percentile was asked for")
    return found
