"""One new run, or session, against a history of eight and more: is it one of these?

The interval is that of prediction: logarithms of the history are normal, and what is new is one
more of them: ``t(k - 1) * s * sqrt(1 + 1/k)``. A mean of fewer runs than those of the history
spreads more, by what lies within the units. Where the history drifts, steps or is skewed, there is
no such interval, and none is given.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import expm1, sqrt

import numpy as np
import scipy

from fiotools.flags import Flag, flag
from fiotools.stats.drift import Placed, drift
from fiotools.stats.estimates import StudentT, has_spread, satterthwaite
from fiotools.stats.frames import Array
from fiotools.stats.sides import Sides, Within
from fiotools.stats.steps import steps

LEAST = 8  # of a history; the test of skewness needs as many
LEVEL = 0.01  # what is like the history lies below the interval in one of a hundred, and above it
VOID = ("history-drift", "history-step", "history-skew")


def prediction(
    new: Array, history: Array, within: tuple[Within, Within] | None = None
) -> StudentT | None:
    """Estimate how far the mean of a few new units lies from that of a history.

    None if the history has no spread. How far single units spread is known from the history alone.
    """
    if not has_spread([history]):
        return None
    k, m = len(history), len(new)
    shares, dfs = [float(np.var(history, ddof=1)) * (1 / m + 1 / k)], [k - 1]
    if within is not None:
        df = sum(one.df for one in within)
        more = float(within[0].share.mean() - within[1].share.mean()) / m
        if df and more > 0:
            shares.append(more * sum(one.squares for one in within) / df)
            dfs.append(df)
    variance, df_all = satterthwaite(shares, dfs)
    center = float(new.mean() - history.mean())
    return StudentT(center, sqrt(variance), df_all, variance, 1, k - 1)


def faults(history: Array, order: str | None, unit: str, *, is_ordered: bool) -> Iterator[Flag]:
    """Say why a history, as it came, bears no prediction."""
    told = {"n": len(history), "what": f"{unit}s"}
    if not has_spread([history]):
        return
    if is_ordered:
        trend = drift([Placed(np.arange(len(history)), history)], band=0, confidence=1 - LEVEL)
        found = steps(np.exp(history - history.mean()))
        if found:
            at = found[-1].at
            change = expm1(float(history[at:].mean() - history[:at].mean()))
            yield flag("history-step", **told, change=change, at=at, unit=unit)
        elif trend:
            yield flag("history-drift", **told, change=trend.values["change"], order=order)
    if float(scipy.stats.skewtest(history).pvalue) < LEVEL:
        yield flag("history-skew", **told)


def in_order(sides: Sides) -> tuple[Array, str | None, bool]:
    """Give the history as it came, what told so, and whether anything did."""
    logs, order = sides.baseline.logs, sides.order
    places = None if order is None else order.of(sides.baseline.rows)
    if order is None or places is None:
        return logs, None, False
    return logs[np.lexsort((logs, places))], order.name, True
