"""Whether a series is steady, and what its mean is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from narwhals.typing import IntoDataFrameT

from fiotools.language import say
from fiotools.stats import frames
from fiotools.stats.arguments import check_confidence
from fiotools.stats.batch_means import (
    ENOUGH,
    LASTING,
    STALLED,
    Array,
    autocorrelation,
    batch_interval,
    integrated_time,
    missed,
    weighted_mean,
)
from fiotools.stats.change_points import ALPHA, change_points
from fiotools.stats.drift import trend_p
from fiotools.stats.frames import AnswerRow
from fiotools.stats.sequences import sequences
from fiotools.stats.series import Series, equal
from fiotools.stats.steady_rules import (
    SNIA_ROUNDS,
    WORTH_A_WORD_PCT,
    Judge,
    Rule,
    judge_of,
    mser5,
    whole,
    window_of,
)
from fiotools.units import percent
from fiotools.vocabulary import ANSWERS

_MISSED = 0.04  # share of series without a stall, beyond which it is said


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
    samples : pandas.DataFrame or polars.DataFrame
        A table such as `Results.samples`: a series for each run, entry, direction and quantity.
        ``io_bytes`` and ``total_ios``, which fio's ``--status-interval`` and dd's progress count
        from the start of the run, become rates between reports; ``count``, I/Os since the sample
        before, becomes IOPS. Of what `window` answered, `quantity` names the column. Another frame
        without a column ``value``, such as `Results.io`, is taken
        for rounds that were runs of their own, in order of ``started_at``, ``reported_at`` or the
        rows.
    quantity : str, optional
        Which of the quantities; all of them without it. Of rounds, the column to judge.
    by : str or sequence of str, optional
        Columns to carry along, first, which keep series apart. Of rounds, what makes the series.
    method : {"snia", "fio-deviation", "fio-slope"}
        The rule for the window.
    window : int, optional
        Rounds in the window. SNIA's has 5; fio's, without it, is the whole series, as the samples
        of a ``steadystate`` block are, and with it, the end.
    limit : float or (float, float), optional
        In percent. SNIA's are 20 for the range and 10 for the rise; fio has none of its own.
    round_s : float, optional
        Make rounds of so many seconds; SNIA's last a minute. Without it SNIA's window is the whole
        series, and a round a fifth of it; fio's rules take each sample for one. Single I/Os need
        it.
    confidence : float
        Of the interval of the mean.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        A row per series: the columns of `by` and what tells the series apart;

        * ``metric`` (the rate, for amounts) and its ``unit``; ``n`` samples or rounds, every
          ``interval_s`` [s] (the median; null where times are unknown);
        * ``mean``, weighted by time, ``mean_lo``, ``mean_hi``: of the whole series, by the means of
          15 equal batches, their autocorrelation and their skewness; null below 60 samples;
        * ``lag1``, the correlation of neighbours, and ``tau``, the samples that tell as much as one
          independent one would;
        * ``method``, ``window`` (rounds); ``rounds``, how many there are, ``first_round`` and
          ``last_round``, from 1, which of them make the window, ``cut``, samples left out at the
          start; ``window_mean``; in percent of that mean ``range_pct``
          (largest less smallest), ``deviation_pct`` (farthest from the mean), ``rise_pct`` (of the
          least-squares line over the window, negative where it falls), ``drift_pct`` (a round);
        * ``met`` and ``verdict``: "window met", or not, and why; null where rounds are too few;
        * ``warnings``; ``confidence``.

    Raises
    ------
    SchemaError
        If a column or value is missing or below 0, an amount falls, samples of several jobs or
        scopes stand in one series, a row is a single I/O and `round_s` is not given, or rounds are
        rows of one run (phases of a fio run may be rounds).

    Notes
    -----
    SNIA's window is met if the range is at most 20 % of the mean and the rise at most 10 % either
    way: a decay of 2 % a round passes. Where rounds are given, by `round_s` or as runs, it is the
    first one that is met, as in the Performance Test Specification, which gives up after 25 rounds;
    its report calls `range_pct` the measured maximum data excursion and `rise_pct` the measured
    maximum slope excursion, and the limits the allowed ones. Where the window is the whole series,
    a start of at most one round may be left out, as MSER-5 finds it (White, Cobb and Spratt, 2000).
    The warnings name what a window that is met does not show: the rise over all rounds, a trend
    (Mann-Kendall, corrected for dependence) and steps of 5 % (`shifts`).

    fio's is met if the farthest value, or the slope from one check to the next, stays below the
    limit: 0.3 % a second is 18 % in a minute. That a window is met is no proof: of stationary
    series whose rounds spread by 5 %, one in seven fails SNIA's.

    The interval of the mean covers .93 and more of stationary series from 60 samples on, for a
    correlation of neighbours up to .95: the longer samples depend on each other, the wider it is,
    until it says little. It knows the speeds that the series holds: stalls that take 5 % of the
    time, 10 samples each, are absent from .70 of series of 60 samples, from .20 of 300 and from
    .01 of 1000. Below 600 the warning says how often. Where intervals differ by more than a tenth,
    line and mean of the window are weighted by time, too.

    Examples
    --------
    >>> import pandas as pd
    >>> log = pd.DataFrame({
    ...     "run": 1, "direction": "read", "quantity": "iops",
    ...     "time_s": [1.0, 2.0, 3.0, 4.0, 5.0], "value": [104.0, 102.0, 100.0, 98.0, 96.0],
    ... })
    >>> found = steady(log)
    >>> found[["n", "mean", "range_pct", "rise_pct", "drift_pct", "verdict"]]
       n   mean  range_pct  rise_pct  drift_pct     verdict
    0  5  100.0        8.0      -8.0       -2.0  window met
    >>> found["warnings"][0]
    'met, yet it falls by 8 % over the window, 2 % a round; mean: need >= 60 samples ...'
    """
    judge = judge_of(method, window, limit)
    check_confidence(confidence)
    data, several, apart = sequences(samples, quantity, frames.names(by), round_s)
    # runs are rounds, and so is what was asked for; fio's rules know only samples
    own = judge.rule != "snia" or round_s is not None or "value" not in data.columns
    lines = [_judged(series, judge, confidence, own=own) for series in several]
    return frames.answer(
        data, ANSWERS["steady"], frames.kept(apart, [series.rows[0] for series in several]), lines
    )


def _judged(series: Series, judge: Judge, confidence: float, *, own: bool) -> AnswerRow:
    """Judge one series, whose samples are rounds (`own`) or have to be put together to rounds."""
    values, widths, n = series.values, series.widths, len(series.values)
    window, mean = _window(series, judge, own=own), _mean(series, confidence)
    return {
        "metric": series.metric.name,
        "unit": series.metric.unit,
        "n": n,
        "method": judge.rule,
        "window": judge.window or n,
        "confidence": confidence,
        "interval_s": float(np.median(widths)) if series.timed and n else None,
        "mean": weighted_mean(values, widths) if n else None,
        **window,
        **mean,
        "notes": [*window["notes"], *mean["notes"], *series.notes],
    }


def _window(series: Series, judge: Judge, *, own: bool) -> AnswerRow:
    """Say how the rounds of the window are."""
    n = len(series.values)
    size = max(judge.window or n, 2)
    if n < size:
        verdict = say("too few rounds: {n} of {size}", n=n, size=size)
        return {"verdict": verdict, "notes": [f"need >= {size} rounds for a window"]}
    widths = np.ones(n) if equal(series.widths) else series.widths
    own = own or n == size
    cut, rounds, first = 0, n, n - size
    if not own:
        cut, rounds, first = _start_up(series.values, widths, judge), size, 0
        found = whole(series.values[cut:], widths[cut:], size)
    else:
        starts = range(first + 1) if judge.rule == "snia" else [first]
        windows = [window_of(series.values[i : i + size], widths[i : i + size]) for i in starts]
        fits = [i for i, one in zip(starts, windows, strict=True) if one and judge.verdict(one)[0]]
        first = fits[0] if fits else first
        found = windows[first - starts[0]]
    if found is None:
        return {"verdict": say("nothing was done in the window"), "notes": []}
    met, verdict = judge.verdict(found)
    notes = [caution] if met and (caution := judge.caution(found)) else []
    if cut:
        notes.append(f"the first {cut} samples are apart, and left out")
    notes += _cautions(series, widths, judge, last=first + size if own else None, met=met, cut=cut)
    return {
        "rounds": rounds,
        "first_round": first + 1,
        "last_round": first + size,
        "cut": cut,
        "met": met,
        "verdict": verdict,
        "window_mean": found.mean,
        "range_pct": found.range_pct,
        "deviation_pct": found.deviation_pct,
        "rise_pct": found.rise_pct,
        "drift_pct": found.drift_pct,
        "notes": notes,
    }


def _start_up(values: Array, widths: Array, judge: Judge) -> int:
    """Say how many samples to leave out at the start: as few as may be, and at most one round."""
    size = judge.window or 2
    found = whole(values, widths, size)
    if found is None or judge.verdict(found)[0]:
        return 0
    cut = mser5(values)
    if not 0 < cut <= len(values) // size:
        return 0
    rest = whole(values[cut:], widths[cut:], size)
    return cut if rest is not None and judge.verdict(rest)[0] else 0


def _cautions(
    series: Series, widths: Array, judge: Judge, *, last: int | None, met: bool, cut: int
) -> list[str]:
    """Warn of drift and steps that a window which is met does not show."""
    if not met:
        return []
    notes, values, size = [], series.values, judge.window or 2
    if last is not None and len(values) > size:
        every = whole(values, widths, size)
        if every is not None and abs(every.rise_pct) >= WORTH_A_WORD_PCT:
            way = "rises" if every.rise_pct > 0 else "falls"
            notes.append(f"over the whole series it {way} by {abs(every.rise_pct):.2g} %")
        if judge.rule == "snia" and last > SNIA_ROUNDS:
            notes.append(f"met after round {last}: SNIA stops after {SNIA_ROUNDS}")
    rest = values[cut:]
    if (p := trend_p(rest)) is not None and p <= ALPHA:
        notes.append(f"a trend goes through it (Mann-Kendall, p {p:.2g})")
    for change in change_points(rest, dependent=True):
        before, after = rest[: change.at].mean(), rest[change.at :].mean()
        if abs(after - before) >= WORTH_A_WORD_PCT / 100 * before:
            notes.append(f"a step at sample {cut + change.at + 1}: see shifts()")
    return notes


def _mean(series: Series, confidence: float) -> AnswerRow:
    """Say how sure the mean is."""
    n = len(series.values)
    correlation = autocorrelation(series.values) if n > 2 else None
    line: AnswerRow = {"notes": []}
    if correlation is not None:
        line |= {"lag1": float(correlation[1]), "tau": integrated_time(correlation)}
    if n < ENOUGH:
        line["notes"].append(f"mean: need >= {ENOUGH} samples for its interval")
        return line
    ends = batch_interval(series.values, series.widths, confidence)
    if ends is None:
        line["notes"].append("mean: no spread between its batches, so no interval")
        return line
    # neither are rates nor latencies below 0
    line["mean_lo"], line["mean_hi"] = max(ends[0], 0.0), ends[1]
    if missed(n) > _MISSED:
        line["notes"].append(
            f"mean: {percent(missed(n))} % of series as short hold no stall, if stalls take "
            f"{percent(STALLED)} % of the time, {LASTING} samples each"
        )
    return line
