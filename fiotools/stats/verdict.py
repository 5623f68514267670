"""The verdict in words, from an interval and a band of what matters."""

from __future__ import annotations

from math import expm1, log1p

from fiotools.stats.estimates import Difference
from fiotools.stats.metric import Metric


def verdict(difference: Difference, metric: Metric, *, band: float, confidence: float) -> str:
    """Say what the interval says, and no more.

    The band is ``[1 / (1 + band), 1 + band]``, symmetric on logarithms, so that swapping the sides
    turns "faster" into "slower" and never into something else. "Same" takes two one-sided tests,
    which is the interval at ``2 confidence - 1`` inside the band. A percentage is that of the ratio
    that stands beside it: the share of the baseline's value by which the level's is more or less. A
    ratio of IOPS of .56 is "slower by 44 %", and a ratio of times of 1.8 "slower, taking 80 % more
    time"; the lower edge of a band of 5 % is 4.8 % less.

    Parameters
    ----------
    difference : Difference
        Of logarithms, level minus baseline.
    metric : Metric
    band : float
        Differences up to this share do not matter: .05 is 5 %.
    confidence : float
    """
    ends = difference.interval(confidence)
    if ends is None:
        return "not settled"
    edge = log1p(band)
    lo, hi = ends[:2]
    word = metric.words[0 if metric.sign * difference.center > 0 else 1]
    if lo > edge or hi < -edge:
        return word
    narrow = difference.interval(2 * confidence - 1)
    if narrow is not None and -edge <= narrow[0] and narrow[1] <= edge:
        return f"same within {percent(band)} %"
    if lo <= 0 <= hi:
        return "not settled"
    least, most = sorted(abs(expm1(end)) for end in (lo, hi))
    more, limit = ("more", band) if lo > 0 else ("less", -expm1(-edge))
    share = f"{percent(least)} to {percent(most)} %"
    by = f", taking {share} {more} time" if metric.is_time else f" by {share}"
    return f"{word}{by}; whether by more than {percent(limit)} % is not settled"


def settled(words: str) -> bool:
    """Say whether a verdict leaves nothing open."""
    return not words.endswith("not settled")


def percent(share: float) -> str:
    """Write a share as a percentage, short.

    Examples
    --------
    >>> percent(0.05), percent(0.0213), percent(1.234)
    ('5', '2.1', '123')
    """
    value = 100 * share
    return f"{value:.0f}" if value >= 9.95 else f"{value:.1f}".removesuffix(".0")
