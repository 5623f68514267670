"""Load curves: how a rate grows with the load, and the knee beyond which only the latency grows.

The curve is Gunther's Universal Scalability Law, ``X(N) = X(1) N / (1 + sigma (N - 1) + kappa N (N
- 1))``. Its knee is where ``X^2 / N``, the rate over the latency by Little's law, is highest
(Kleinrock's power): a point that exists with and without a peak.

By a load ``g`` in knees and a share ``t`` between the two ways to bend, the same curve is ``N / (1
+ (1 - t) g + t g^2 / 3)``: so its knee has a profile, and the unit of the load does not matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log, sqrt

import numpy as np
import scipy
from narwhals.typing import IntoDataFrameT

from fiotools.errors import SchemaError, argument
from fiotools.flags import Flag, flag
from fiotools.stats import frames
from fiotools.stats.frames import AnswerRow, Array, check_confidence, metric_of
from fiotools.stats.question import question
from fiotools.stats.replicates import one_row_each, runs_of

LEAST = 5  # loads: three of them go into the curve
_MISFIT = 0.2  # of the rates about a curve, from which on it says nothing
_FAR = 8  # times beyond the loads, where a knee is looked for
_STEPS = 60  # of the first search
_SHARES = np.linspace(0, 1, 201)[:, None] ** 3  # a small one matters at loads of many knees
_CHANCE = 0.01  # that runs alone lie as far off the curve


@dataclass(frozen=True)
class Curve:
    """A load curve, and the interval of its knee; None where it has no end.

    `misfit` is the deviation of the loads' rates from the curve, as a share.
    """

    rate_one: float
    sigma: float
    kappa: float
    knee: float
    knee_lo: float | None
    knee_hi: float | None
    misfit: float

    def rate(self, load: float) -> float:
        """Give the rate at a load."""
        return self.rate_one * load / self.bend(load)

    def bend(self, load: float) -> float:
        """Give how many times as long an I/O takes as at a load of 1."""
        return 1 + self.sigma * (load - 1) + self.kappa * load * (load - 1)

    @property
    def peak(self) -> float | None:
        """The load of the highest rate; None if it never falls."""
        return sqrt((1 - self.sigma) / self.kappa) if self.kappa > 0 else None


def fitted(loads: Array, logs: Array, confidence: float = 0.95) -> Curve:
    """Fit the curve to the mean logarithm of the rate at each load.

    The loads' distance from the curve is the error, whether by chance or because the law does not
    hold: its mean square has the degrees of freedom of the loads less three.
    """
    low, high = log(loads[0] / _FAR), log(loads[-1] * _FAR)
    grid = np.linspace(low, high, _STEPS)
    squares = [_squares(place, loads, logs) for place in grid]
    at = int(np.argmin(squares))
    near = grid[max(0, at - 1)], grid[min(_STEPS - 1, at + 1)]
    best = scipy.optimize.minimize_scalar(
        _squares, bounds=near, args=(loads, logs), method="bounded"
    )
    place, least = min(
        (float(best.x), float(best.fun)), (float(grid[at]), squares[at]), key=_second
    )
    df = len(loads) - 3
    most = least * (1 + scipy.special.stdtrit(df, (1 + confidence) / 2) ** 2 / df)
    lower, upper = (
        None
        if _squares(end, loads, logs) <= most
        else exp(scipy.optimize.brentq(_beyond, end, place, (loads, logs, most)))
        for end in (low, high)
    )
    rest, share = _rest(place, loads, logs)
    knee = exp(place)
    linear, square = (1 - share) / knee, share / (3 * knee**2)
    one = 1 + linear + square
    return Curve(
        exp(rest) / one,
        (linear + square) / one,
        square / one,
        knee,
        lower,
        upper,
        sqrt(least / df),
    )


def _second(pair: tuple[float, float]) -> float:
    return pair[1]


def _off(place: float, loads: Array, logs: Array) -> Array:
    """Give how far the logarithms lie above those of curves with a knee, by their shares."""
    g = loads / exp(place)
    return np.asarray(logs - np.log(loads) + np.log1p((1 - _SHARES) * g + _SHARES * g**2 / 3))


def _squares(place: float, loads: Array, logs: Array) -> float:
    """Give the sum of squares about the best curve with a knee."""
    off = _off(place, loads, logs)
    return float(((off - off.mean(axis=1, keepdims=True)) ** 2).sum(axis=1).min())


def _beyond(place: float, loads: Array, logs: Array, most: float) -> float:
    return _squares(place, loads, logs) - most


def _rest(place: float, loads: Array, logs: Array) -> tuple[float, float]:
    """Give the level of the best curve with a knee, and its share."""
    off = _off(place, loads, logs)
    means = off.mean(axis=1)
    best = int(((off - means[:, None]) ** 2).sum(axis=1).argmin())
    return float(means[best]), float(_SHARES[best, 0])


def refused(curve: Curve, loads: Array) -> Flag | None:
    """Say why the points do not bear a knee."""
    if curve.misfit > _MISFIT:
        return flag("poor-fit", share=curve.misfit)
    if curve.knee_hi is None:
        return flag("no-bend")
    if curve.knee_lo is None:
        return flag("full")
    if curve.knee_lo < loads[0] or curve.knee_hi > loads[-1]:
        ends = {"low": curve.knee_lo, "high": curve.knee_hi}
        return flag("knee-outside", **ends, least=float(loads[0]), most=float(loads[-1]))
    return None


@question("io")
def scaling(
    frame: IntoDataFrameT,
    metric: str = "iops",
    *,
    sweep: str = "iodepth",
    by: str | Sequence[str] | None = None,
    scope: str | None = None,
    confidence: float = 0.95,
) -> IntoDataFrameT:
    """Fit the Universal Scalability Law to a load curve, and find its knee with an interval.

    The knee is the load with the highest rate for its latency: more load raises the rate by a
    greater factor than the latency below it, and by a smaller one above.

    Parameters
    ----------
    frame : Results, pandas.DataFrame or polars.DataFrame
        One row per run, such as `Results.io`. Runs at one load are repeats.
    metric : str
        The rate, a column of numbers above zero.
    sweep : str
        The load: a column of numbers above zero that were swept, such as ``iodepth``.
    by : str or sequence of str, optional
        The columns that make the curves.
    scope
        As in `summarize`.
    confidence : float
        Confidence of the interval.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        A row per curve: the columns of `by`; ``metric``, its ``unit``; ``load``, the column swept;
        ``loads``, how many; ``n`` runs; ``knee``, ``knee_lo`` and ``knee_hi``, and ``knee_rate``
        [unit], null if the points do not bear it, for which a flag has the reason; ``peak``, the
        load of the highest rate, null beside a null knee, and if the curve never falls;
        ``rate_one`` [unit], ``sigma`` and ``kappa`` of the law; ``misfit_pct``; ``confidence``;
        ``flags``, ``details``.

    Raises
    ------
    SchemaError
        For a missing column or value, numbers not above zero, mixed scopes or directions.

    See Also
    --------
    best_under : The highest rate below a limit of the latency.

    Notes
    -----
    ``X(N) = X(1) N / (1 + sigma (N - 1) + kappa N (N - 1))``, with sigma for what is done one after
    the other and kappa for what each has to settle with every other: Gunther, "A general theory of
    computational scalability based on rational functions" (arXiv 0808.1431). Least squares of
    logarithms, each load weighs the same. The knee has the highest ``X^2 / N``, which is the rate
    over the latency by Little's law: Kleinrock, "Power and deterministic rules of thumb" (1979).

    The interval is the profile of the knee. The loads' distance from the curve counts as chance,
    so that it widens where the law does not hold. It needs five loads; the knee is refused if its
    interval leaves the loads, and if they lie 20 % and more off the curve.

    Examples
    --------
    >>> import fiotools as ft
    >>> io = ft.read("data/how-many-runs/depth/{iodepth:d}_{round:d}.json").io
    >>> scaling(io)[["load", "loads", "n", "knee", "knee_lo", "knee_hi", "knee_rate"]].round(1)
          load  loads   n  knee  knee_lo  knee_hi  knee_rate
    0  iodepth      8  24   6.3      4.2      9.2    28646.9
    """
    check_confidence(confidence)
    named = frames.names(by)
    if sweep in named:
        raise SchemaError(f"{sweep!r} is in {argument('by')} and {argument('sweep')}")
    runs = runs_of(frames.opened(frame), metric, [*named, sweep], scope, by=named, positive=True)
    columns = runs.columns
    loads = np.array(frames.numbers(runs.data, sweep), dtype=np.float64)
    if not (loads > 0).all():
        raise SchemaError(f"{sweep} is missing or not above zero in some rows: keep the others")
    lines = []
    for rows in columns.groups(named):
        one_row_each(columns, rows)
        varies = columns.differing(runs.watch, rows)
        line = _line(loads[rows], np.log(runs.numbers[rows]), varies, confidence)
        lines.append(line | {"row": int(rows[0])})
    unit = metric_of(metric).unit
    same = {"metric": metric, "unit": unit, "load": sweep, "confidence": confidence}
    return frames.answer(runs.data, "scaling", named, lines, **same)


def _line(loads: Array, logs: Array, varies: Sequence[str], confidence: float) -> AnswerRow:
    places, which = np.unique(loads, return_inverse=True)
    counts = np.bincount(which)
    line: AnswerRow = {"loads": len(places), "n": len(loads)}
    if varies:
        return line | {"notes": [flag("mixed-curve", columns=[*varies])]}
    if len(places) < LEAST:
        return line | {"notes": [flag("few-loads", n=len(places), of=LEAST)]}
    means = np.bincount(which, weights=logs) / counts
    curve = fitted(places, means, confidence)
    line |= {"rate_one": curve.rate_one, "sigma": curve.sigma, "kappa": curve.kappa}
    line["misfit_pct"] = 100 * curve.misfit
    if (reason := refused(curve, places)) is not None:
        return line | {"notes": [reason]}
    line |= {"knee": curve.knee, "knee_lo": curve.knee_lo, "knee_hi": curve.knee_hi}
    line |= {"knee_rate": curve.rate(curve.knee), "peak": curve.peak}
    squares, df = float(((logs - means[which]) ** 2).sum()), len(loads) - len(places)
    notes = []
    if squares > 0:
        ratio = curve.misfit**2 * float(counts.mean()) / (squares / df)
        if scipy.special.fdtrc(len(places) - 3, df, ratio) < _CHANCE:
            notes.append(flag("misfit", share=curve.misfit))
    return line | {"notes": notes}
