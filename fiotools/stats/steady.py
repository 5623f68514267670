"""Whether a series is steady, by the rule of SNIA or one of fio's, and its mean.

A slow second is mostly followed by another, so that the t interval of single samples is far too
narrow. The means of fifteen long batches depend on each other less, and an autoregression of the
first order accounts for the rest. Its coefficient is corrected for its bias and then taken three
quarters of a standard error higher: if it is too small, the interval is too narrow, and choosing
series that look independent would select these. Rare stalls make the mean skewed, and the interval
with it. `benchmarks/COVERAGE.md` has the results of this rule and of others.

Sources: SNIA Solid State Storage Performance Test Specification 2.0.1; fio's ``steadystate.c``;
Tafazzoli and Wilson, "Skart: a skewness- and autoregression-adjusted batch-means procedure for
simulation analysis" (2011); Willink, "A confidence interval and test for the mean of an asymmetric
distribution" (2005); Marriott and Pope, "Bias in the estimation of autocorrelations" (1954); Sokal,
"Monte Carlo methods in statistical mechanics" (1997) for the autocorrelation time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import cbrt, inf, sqrt
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import scipy
from narwhals.typing import IntoDataFrameT

from fiotools.errors import SchemaError, argument
from fiotools.flags import Flag, flag
from fiotools.stats import frames
from fiotools.stats.drift import change_points, trend_p
from fiotools.stats.frames import AnswerRow, Array, check_confidence
from fiotools.stats.question import question
from fiotools.stats.series import Series, equal, portions, sequences, weighted_mean
from fiotools.stats.steps import ALPHA

if TYPE_CHECKING:
    from fiotools.tables.results import Results

BATCHES = 15
ENOUGH = 60  # samples for an interval: four to a batch
_HIGHER = 0.75  # standard errors that are added to the coefficient
_LARGEST = 0.99  # coefficient: of 1 no variance exists
STALLED, LASTING = 0.05, 10  # share of the time, and samples: stalls that a series should hold
_MISSED = 0.04  # share of series without a stall, beyond which it is said
Rule = Literal["snia", "fio-deviation", "fio-slope"]
# the values with a limit, in words, and their attribute of the window
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


def _table(results: Results, asked: Mapping[str, Any]) -> str:
    """Judge a log if there is one, else runs that were rounds."""
    return "samples" if results.tables.height("samples") else "io"


@question(_table)
def steady(
    samples: IntoDataFrameT,
    quantity: str | None = None,
    *,
    by: str | Sequence[str] | None = None,
    method: Rule = "snia",
    window: int | None = None,
    limit: float | Sequence[float] | None = None,
    round_s: float | None = None,
    confidence: float = 0.95,
) -> IntoDataFrameT:
    """Judge whether each series is steady, and give the mean of the whole of it.

    Parameters
    ----------
    samples : Results, pandas.DataFrame or polars.DataFrame
        A table such as `Results.samples`: a series for each run, entry, direction and quantity.
        ``io_bytes`` and ``total_ios``, counted from the start of the run, become rates between
        reports; ``count``, I/Os since the sample before, becomes IOPS. For the answer of `window`,
        `quantity` names the column. The rows of a frame without a column ``value``, such as
        `Results.io`, are rounds that were runs of their own, in order of ``started_at``,
        ``reported_at`` or the rows.
    quantity : str, optional
        The quantity to judge; all of them without it. For rounds, the column to judge.
    by : str or sequence of str, optional
        Columns that keep series apart, and stand first in the answer.
    method : {"snia", "fio-deviation", "fio-slope"}
        The rule for a steady state.
    window : int, optional
        Rounds in the window: 5 for SNIA. For fio those at the end of the series; by default all, as
        in a ``steadystate`` block.
    limit : float or (float, float), optional
        The limit in percent, or two: 20,10. SNIA's are 20 for the range and 10 for the rise; fio
        has no default.
    round_s : float, optional
        The length of the rounds to make, in seconds; SNIA's last a minute. Without it SNIA's window
        is the whole series, and a round a fifth of it; for fio's rules each sample is a round.
        Single I/Os need it.
    confidence : float
        Confidence of the interval of the mean.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        A row per series: the columns of `by` and those that tell the series apart;

        * ``metric`` (the rate, for amounts) and its ``unit``; ``n`` samples or rounds, every
          ``interval_s`` [s] (the median; null if times are unknown);
        * ``mean``, weighted by time, ``mean_lo``, ``mean_hi``: of the whole series, by the means of
          15 equal batches, their autocorrelation and their skewness; null below 60 samples;
        * ``lag1``, the correlation of neighbours, and ``tau``, the samples that tell as much as one
          independent one would;
        * ``method``, ``window`` (rounds); ``rounds``, how many there are, ``first_round`` and
          ``last_round`` of the window, from 1, ``cut``, samples left out at the start;
          ``window_mean``; in percent of that mean ``range_pct`` (largest less smallest),
          ``deviation_pct`` (farthest from the mean), ``rise_pct`` (of the least-squares line over
          the window, negative if it falls), ``drift_pct`` (a round);
        * ``met`` and ``verdict``: "window met", or not, and why; null for too few rounds;
          ``flags``, ``details``; ``confidence``.

    Raises
    ------
    SchemaError
        If a column or value is missing or below 0, an amount falls, a series holds samples of
        several jobs or scopes, a row is a single I/O and `round_s` is not given, or rounds are rows
        of one run (phases of a fio run may be rounds).

    Notes
    -----
    SNIA's window is met if the range is at most 20 % of the mean and the rise at most 10 % either
    way. If rounds are given, by `round_s` or as runs, it is the first one that is met, as in the
    Performance Test Specification, which gives up after 25 rounds; its report calls `range_pct` the
    measured maximum data excursion and `rise_pct` the measured maximum slope excursion. If the
    window is the whole series, a start of at most one round may be left out, as MSER-5 finds it
    (White, Cobb and Spratt, 2000). fio's is met if the farthest value, or the slope from one check
    to the next, stays below the limit: 0.3 % a second is 18 % in a minute.

    A window that is met is not a proof: a decay of 2 % a round passes SNIA's, and one in seven
    stationary series whose rounds spread by 5 % fails it. The flags name what it does not show:
    the rise over all rounds, a trend (Mann-Kendall, corrected for dependence) and steps of 5 %
    (`shifts`).

    The interval of the mean covers .93 and more of stationary series from 60 samples on, for a
    correlation of neighbours up to .95. It knows the speeds that the series holds: stalls that take
    5 % of the time, 10 samples each, are absent from .70 of series of 60 samples, from .20 of 300
    and from .01 of 1000. Below 600 the warning says how often. If intervals differ by more than a
    tenth, line and mean of the window are weighted by time, too.

    Examples
    --------
    >>> import pandas as pd
    >>> log = pd.DataFrame({
    ...     "run": 1, "direction": "read", "quantity": "iops",
    ...     "time_s": [1.0, 2.0, 3.0, 4.0, 5.0], "value": [104.0, 102.0, 100.0, 98.0, 96.0],
    ... })
    >>> found = steady(log)
    >>> found[["n", "mean", "range_pct", "rise_pct", "drift_pct", "verdict"]]
       n   mean  range_pct  rise_pct  drift_pct verdict
    0  5  100.0        8.0      -8.0       -2.0     met
    >>> found["flags"][0]
    'met-yet;few-samples'
    """
    judge = judge_of(method, window, limit)
    check_confidence(confidence)
    data, several, apart = sequences(samples, quantity, frames.names(by), round_s)
    # runs are rounds, and so are samples of round_s; fio's rules know only samples
    own = judge.rule != "snia" or round_s is not None or "value" not in data.columns
    lines = [_judged(series, judge, confidence, own=own) for series in several]
    return frames.answer(data, "steady", apart, lines, method=method, confidence=confidence)


def _judged(series: Series, judge: Judge, confidence: float, *, own: bool) -> AnswerRow:
    """Judge one series, whose samples are rounds (`own`) or have to be put together to rounds."""
    values, widths, n = series.values, series.widths, len(series.values)
    window, mean = _window(series, judge, own=own), _mean(series, confidence)
    return {
        "row": series.rows[0],
        "metric": series.metric.name,
        "unit": series.metric.unit,
        "n": n,
        "window": judge.window or n,
        "interval_s": float(np.median(widths)) if series.timed and n else None,
        "mean": weighted_mean(values, widths) if n else None,
        **window,
        **mean,
        "notes": [*window["notes"], *mean["notes"], *series.notes],
    }


def _window(series: Series, judge: Judge, *, own: bool) -> AnswerRow:
    n = len(series.values)
    size = max(judge.window or n, 2)
    if n < size:
        needed = [flag("of-rounds", n=n, of=size), flag("few-for-window", n=size)]
        return {"verdict": "too few rounds", "notes": needed}
    widths = np.ones(n) if equal(series.widths) else series.widths
    own = own or n == size
    cut, rounds, first = 0, n, n - size
    if not own:
        cut, rounds, first = _start_up(series.values, widths, judge), size, 0
        found = whole(series.values[cut:], widths[cut:], size)
    else:
        starts = range(first + 1) if judge.rule == "snia" else [first]
        windows = [window_of(series.values[i : i + size], widths[i : i + size]) for i in starts]
        fits = [i for i, one in zip(starts, windows, strict=True) if one and not judge.over(one)]
        first = fits[0] if fits else first
        found = windows[first - starts[0]]
    if found is None:
        return {"verdict": "nothing was done", "notes": []}
    notes = judge.over(found)
    met = not notes
    if met and abs(found.rise_pct) >= WORTH_A_WORD_PCT:
        notes.append(flag("met-yet", rise=found.rise_pct, drift=found.drift_pct))
    if cut:
        notes.append(flag("cut", n=cut))
    notes += _cautions(series, widths, judge, last=first + size if own else None, met=met, cut=cut)
    return {
        "rounds": rounds,
        "first_round": first + 1,
        "last_round": first + size,
        "cut": cut,
        "met": met,
        "verdict": "met" if met else "not met",
        **vars(found),
        "notes": notes,
    }


def _start_up(values: Array, widths: Array, judge: Judge) -> int:
    """Say how many samples to leave out at the start: as few as possible, at most one round."""
    size = judge.window or 2
    found = whole(values, widths, size)
    if found is None or not judge.over(found):
        return 0
    cut = mser5(values)
    if not 0 < cut <= len(values) // size:
        return 0
    rest = whole(values[cut:], widths[cut:], size)
    return cut if rest is not None and not judge.over(rest) else 0


def _cautions(
    series: Series, widths: Array, judge: Judge, *, last: int | None, met: bool, cut: int
) -> list[Flag]:
    """Flag drift and steps that a window which is met does not show."""
    if not met:
        return []
    notes: list[Flag] = []
    values, size = series.values, judge.window or 2
    if last is not None and len(values) > size:
        every = whole(values, widths, size)
        if every is not None and abs(every.rise_pct) >= WORTH_A_WORD_PCT:
            notes.append(flag("whole-series", rise=every.rise_pct))
        if judge.rule == "snia" and last > SNIA_ROUNDS:
            notes.append(flag("late", round=last, most=SNIA_ROUNDS))
    rest = values[cut:]
    if (p := trend_p(rest)) is not None and p <= ALPHA:
        notes.append(flag("trend", p=p))
    for change in change_points(rest):
        before, after = rest[: change.at].mean(), rest[change.at :].mean()
        if abs(after - before) >= WORTH_A_WORD_PCT / 100 * before:
            notes.append(flag("step-at", at=cut + change.at + 1))
    return notes


def _mean(series: Series, confidence: float) -> AnswerRow:
    n = len(series.values)
    correlation = autocorrelation(series.values) if n > 2 else None
    line: AnswerRow = {"notes": []}
    if correlation is not None:
        line |= {"lag1": float(correlation[1]), "tau": integrated_time(correlation)}
    if n < ENOUGH:
        line["notes"].append(flag("few-samples", n=ENOUGH))
        return line
    ends = batch_interval(series.values, series.widths, confidence)
    if ends is None:
        line["notes"].append(flag("even-batches"))
        return line
    # rates and latencies are not below 0
    line["mean_lo"], line["mean_hi"] = max(ends[0], 0.0), ends[1]
    if missed(n) > _MISSED:
        told = {"missed": missed(n), "stalled": STALLED, "lasting": LASTING}
        line["notes"].append(flag("short", **told))
    return line


@dataclass(frozen=True)
class Window:
    """Rounds in percent of their mean: `rise_pct` of a least-squares line, `drift_pct` a round."""

    window_mean: float
    range_pct: float
    deviation_pct: float
    rise_pct: float
    drift_pct: float


def window_of(values: Array, widths: Array) -> Window | None:
    """Measure a window of two rounds or more; None if the mean is 0."""
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
    """Measure a whole series, in so many rounds of equal length."""
    edges = np.linspace(0.0, float(widths.sum()), size + 1)
    return window_of(portions(values, widths, edges), np.ones(size))


def mser5(values: Array) -> int:
    """Give the samples to leave out at the start: MSER of means of five, in the first half."""
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

    def over(self, found: Window) -> list[Flag]:
        """Say which limits the window does not keep; none if it is met."""
        over = []
        for (name, attribute), limit in zip(_RULES[self.rule].items(), self.limits, strict=True):
            value = abs(getattr(found, attribute))
            # SNIA's limits may be reached, fio's may not
            within = value <= limit * _DIGITS if self.rule == "snia" else value < limit
            if not within:
                over.append(flag("over-limit", name=name, value=value, limit=limit))
        return over


def judge_of(rule: Rule, window: Any, limit: Any) -> Judge:
    """Check rule, window and limits."""
    if rule not in [*_RULES]:
        raise SchemaError(f"method {rule!r} is not one of {', '.join(map(repr, _RULES))}")
    if window is None and rule == "snia":
        window = _ROUNDS
    if window is not None and not (isinstance(window, (int, np.integer)) and window >= 2):
        raise SchemaError(f"window is {window!r}: it is a number of rounds, at least 2")
    if limit is None and rule == "snia":
        limit = _SNIA
    if limit is None:
        need = f"a limit in percent, as fio's ss does: {argument('limit', 0.3)}"
        raise SchemaError(f"{rule} needs {need}")
    several = [limit] if isinstance(limit, (Real, str)) else list(limit)
    if len(several) != len(_RULES[rule]):
        need = f"one: {argument('limit', 0.3)}"
        if rule == "snia":
            need = f"two, of range and rise: {argument('limit', (20, 10))}"
        raise SchemaError(f"limit is {limit!r}: {rule} has {need}")
    if not all(isinstance(value, Real) and 0 < float(value) < inf for value in several):
        raise SchemaError(f"limit is {limit!r}: it is in percent and above 0")
    return Judge(rule, None if window is None else int(window), tuple(map(float, several)))


def batch_interval(
    values: Array, widths: Array | None = None, confidence: float = 0.95
) -> tuple[float, float] | None:
    """Give the interval of the mean of a series from fifteen batches of equal time.

    None for fewer than 60 samples, and without spread between the batches.
    """
    if len(values) < ENOUGH:
        return None
    times = np.ones(len(values)) if widths is None else widths
    means = portions(values, times, np.linspace(0.0, float(np.sum(times)), BATCHES + 1))
    center = float(means.mean())
    rest = means - center
    variance = float(rest @ rest) / BATCHES
    if sqrt(variance) <= 1e-12 * abs(center):
        return None
    inflated = _inflation(float(rest[1:] @ rest[:-1]) / BATCHES / variance)
    told = BATCHES / inflated  # independent means that would tell as much
    # a variance about the series' own mean is too small by that mean's
    error = sqrt(variance / max(1 - 1 / told, 0.05) / told)
    skew = float(np.mean(rest**3)) / variance**1.5 / (6 * sqrt(told))
    freedom = min(max(told - 1, 1.0), BATCHES - 1.0)
    t = float(scipy.special.stdtrit(freedom, (1 + confidence) / 2))
    return center - error * _skewed(t, skew), center - error * _skewed(-t, skew)


def _inflation(correlation: float) -> float:
    """Say how much larger the variance of the mean is than that of independent batches."""
    n = BATCHES
    r = min((n * correlation + 1) / (n - 4), _LARGEST)
    r = min(max(r + _HIGHER * sqrt(max(1 - r**2, 0.0) / n), 0.0), _LARGEST)
    return (1 + r) / (1 - r) - 2 * r * (1 - r**n) / (n * (1 - r) ** 2)


def _skewed(t: float, skew: float) -> float:
    """Bend a quantile of Student's t as the skewness of the mean asks for (Willink)."""
    if abs(skew) < 1e-6:
        return t
    return (cbrt(1 + 6 * skew * (t - skew)) - 1) / (2 * skew)


def missed(n: int) -> float:
    """Give the chance that a series holds no stall that takes `STALLED` of the time."""
    begin = STALLED / (1 - STALLED) / LASTING  # of each sample after one that is not in a stall
    return (1 - STALLED) * (1 - begin) ** (n - 1)


def autocorrelation(values: Array) -> Array | None:
    """Give the correlation of the series with itself at lags 0, 1, ...; None without spread."""
    rest = values - values.mean()
    if float(np.ptp(values)) <= 1e-12 * float(np.abs(values).max()):
        return None
    size = 2 ** int(2 * len(rest) - 1).bit_length()  # zeros behind, or the end meets the start
    power = np.abs(np.fft.rfft(rest, size)) ** 2
    found = np.fft.irfft(power, size)[: len(rest)]
    return np.asarray(found / found[0], dtype=np.float64)


def integrated_time(correlation: Array) -> float:
    """Estimate how many samples tell as much as one independent sample: ``1 + 2 sum(rho_k)``.

    The sum ends at the first lag that is at least five times what it came to.
    """
    times = 2 * np.cumsum(correlation) - 1
    far = np.arange(len(times)) >= 5 * times
    return max(1.0, float(times[int(np.argmax(far))] if far.any() else times[-1]))
