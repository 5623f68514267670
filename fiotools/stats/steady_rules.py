"""Whether rounds of a series are steady, by the rule of SNIA or one of fio's.

A rule says that a window meets it, and no more: a decay of 2 % a round passes SNIA's, and of
stationary series whose rounds spread by 5 % one in seven fails it. So the figures stand beside.

Sources: SNIA Solid State Storage Performance Test Specification 2.0.1; fio's ``steadystate.c``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from numbers import Real
from typing import Any, Literal

import numpy as np

from fiotools.errors import SchemaError
from fiotools.hints import argument
from fiotools.stats.batch_means import Array, portions, weighted_mean

Rule = Literal["snia", "fio-deviation", "fio-slope"]

# what is held against the limits, in words, and which figure of the window that is
_RULES: Mapping[Rule, Mapping[str, str]] = {
    "snia": {"range": "range_pct", "rise": "rise_pct"},
    "fio-deviation": {"deviation": "deviation_pct"},
    "fio-slope": {"slope a round": "drift_pct"},
}
_SNIA = (20.0, 10.0)  # range and rise, in percent of the mean
_ROUNDS = 5  # of SNIA's window
WORTH_A_WORD_PCT = 5.0  # as in compare(): a rise from here on matters
SNIA_ROUNDS = 25  # in which SNIA's window has to be found
_BATCH = 5  # samples, of MSER-5
_DIGITS = 1 + 1e-9  # lets 20 % be 20 %


@dataclass(frozen=True)
class Window:
    """Rounds, in percent of their mean.

    Attributes
    ----------
    mean : float
    range_pct : float
        Largest less smallest.
    deviation_pct : float
        The largest distance from the mean.
    rise_pct : float
        Of the least-squares line, from the first round to the last; negative where it falls.
    drift_pct : float
        The same from one round to the next.
    """

    mean: float
    range_pct: float
    deviation_pct: float
    rise_pct: float
    drift_pct: float


def window_of(values: Array, widths: Array) -> Window | None:
    """Measure a window of two rounds or more; None where the mean is 0 and nothing a share of it.

    Examples
    --------
    >>> window_of(np.array([104.0, 102.0, 100.0, 98.0, 96.0]), np.ones(5))
    Window(mean=100.0, range_pct=8.0, deviation_pct=4.0, rise_pct=-8.0, drift_pct=-2.0)
    """
    mean = weighted_mean(values, widths)
    if mean <= 0:
        return None
    middle = np.cumsum(widths) - widths / 2
    x = middle - weighted_mean(middle, widths)
    slope = float((widths * x) @ (values - mean) / ((widths * x) @ x))
    rise = 100 * slope * float(middle[-1] - middle[0]) / mean
    return Window(
        mean,
        100 * float(np.ptp(values)) / mean,
        100 * float(np.abs(values - mean).max()) / mean,
        rise,
        rise / (len(values) - 1),
    )


def whole(values: Array, widths: Array, size: int) -> Window | None:
    """Measure a whole series, in so many rounds of equal length.

    Examples
    --------
    >>> whole(np.linspace(104.9, 95.0, 100), np.ones(100), 5).rise_pct
    -8.0...
    """
    edges = np.linspace(0.0, float(widths.sum()), size + 1)
    return window_of(portions(values, widths, edges), np.ones(size))


def mser5(values: Array) -> int:
    """Give the samples to leave out at the start: MSER of means of five, in the first half.

    Examples
    --------
    >>> mser5(np.array([500.0] * 10 + [100.0, 101.0, 99.0] * 20))
    10
    """
    means = values[: len(values) // _BATCH * _BATCH].reshape(-1, _BATCH).mean(axis=1)
    left = np.arange(len(means), 0, -1.0)
    sums = np.cumsum(means[::-1])[::-1]
    spread = np.cumsum(means[::-1] ** 2)[::-1] - sums**2 / left
    half = len(means) // 2
    return _BATCH * int(np.argmin((spread / left**2)[:half])) if half else 0


@dataclass(frozen=True)
class Judge:
    """A rule with its window and its limits in percent, checked once."""

    rule: Rule
    window: int | None
    limits: tuple[float, ...]

    def verdict(self, found: Window) -> tuple[bool, str]:
        """Say whether the window is met, and in words why not."""
        over = []
        for (name, figure), limit in zip(_RULES[self.rule].items(), self.limits, strict=True):
            value = abs(getattr(found, figure))
            # SNIA's limits may be reached, fio's may not
            within = value <= limit * _DIGITS if self.rule == "snia" else value < limit
            if not within:
                over.append(f"{name} {value:.3g} %, limit {limit:g} %")
        if over:
            return False, "window not met: " + "; ".join(over)
        return True, "window met"

    def caution(self, found: Window) -> str | None:
        """Warn of a window that is met by what still rises or falls."""
        if abs(found.rise_pct) < WORTH_A_WORD_PCT:
            return None
        way = "rises" if found.rise_pct > 0 else "falls"
        return (
            f"met, yet it {way} by {abs(found.rise_pct):.2g} % over the window, "
            f"{abs(found.drift_pct):.2g} % a round"
        )


def judge_of(rule: Rule, window: Any, limit: Any) -> Judge:
    """Check what was asked for."""
    if rule not in [*_RULES]:
        raise SchemaError(f"method {rule!r} is none of {', '.join(map(repr, _RULES))}")
    if window is None and rule == "snia":
        window = _ROUNDS
    if window is not None and not (isinstance(window, (int, np.integer)) and window >= 2):
        raise SchemaError(f"window is {window!r}: it is a number of rounds, at least 2")
    return Judge(rule, None if window is None else int(window), _limits(rule, limit))


def _limits(rule: Rule, limit: Any) -> tuple[float, ...]:
    if limit is None:
        if rule != "snia":
            need = f"a limit in percent, as fio's ss does: {argument('limit', 0.3)}"
            raise SchemaError(f"{rule} needs {need}")
        return _SNIA
    several = [limit] if isinstance(limit, (Real, str)) else list(limit)
    if len(several) != len(_RULES[rule]):
        need = f"one: {argument('limit', 0.3)}"
        if rule == "snia":
            need = f"two, of range and rise: {argument('limit', (20, 10))}"
        raise SchemaError(f"limit is {limit!r}: {rule} has {need}")
    if not all(isinstance(value, Real) and 0 < float(value) < inf for value in several):
        raise SchemaError(f"limit is {limit!r}: it is in percent and above 0")
    return tuple(map(float, several))
