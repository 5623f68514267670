"""When a sequence of runs or samples changed its level, and by how much."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import exp, log, nan, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from narwhals.typing import IntoDataFrameT

from fiotools.flags import flag
from fiotools.stats import frames
from fiotools.stats.beside import has_logs
from fiotools.stats.drift import FEW_SAMPLES, change_points, samples_per_one
from fiotools.stats.estimates import StudentT, satterthwaite, welch
from fiotools.stats.frames import AnswerRow, Array, check_confidence
from fiotools.stats.question import question
from fiotools.stats.series import Series, sequences, weighted_mean
from fiotools.stats.steps import FEW_RUNS, SHOWING, ChangePoint, steps

if TYPE_CHECKING:
    from fiotools.tables.results import Results


def _table(results: Results, asked: Mapping[str, Any]) -> str | None:
    """Look at a log if there is one, unless runs are to follow a column."""
    is_log = has_logs(results) and not asked.get("order")
    return "samples" if is_log else None


@question(_table)
def shifts(
    frame: IntoDataFrameT,
    metric: str | None = None,
    *,
    by: str | Sequence[str] | None = None,
    order: str | None = None,
    round_s: float | None = None,
    confidence: float = 0.95,
) -> IntoDataFrameT:
    """Find when a sequence of runs, rounds, commits or seconds changed its level.

    Parameters
    ----------
    frame : Results, pandas.DataFrame or polars.DataFrame
        A row per run, such as `Results.io`; or samples, such as `Results.samples` or windows, in
        which each run, entry, direction and quantity is a sequence.
    metric : str, optional
        The column of numbers to look at, or the quantity of a log.
    by : str or sequence of str, optional
        The columns that tell sequences apart.
    order : str, optional
        The column that runs follow, such as a round, a date or a version. ``v1.9`` comes before
        ``v1.10``. By default it is ``started_at`` or ``reported_at``, else the rows as they stand.
    round_s : float, optional
        The length of the rounds to make of samples, in seconds. Single I/Os need it.
    confidence : float
        Confidence of the intervals of the ratios.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        A row per level: the columns of `by`, those that tell the sequence apart, and `order`, as it
        is where the level starts;

        * ``metric``, ``unit``; ``segment``, from 1; ``start``, the place in the sequence, from 1,
          where it starts, and ``time_s`` [s] the end of the sample before; ``n`` runs or samples;
        * ``center``: the geometric mean of runs, the mean of samples;
        * ``ratio`` to the level before, ``ratio_lo``, ``ratio_hi``, ``confidence``; ``p`` of the
          step;
        * ``verdict``: "step up" or "step down", with the flag "by-chance" if random order would
          part so few runs as cleanly, and the number of runs that would prove it; in the first row
          of a sequence "no step", "too few runs" or "too few samples"; ``flags`` and ``details``.

    Raises
    ------
    SchemaError
        If a column or value is missing, a value is below 0, `order` does not tell which run came
        first (hashes do not), several rows are of one run, or rows are single I/Os and `round_s` is
        not given.

    Notes
    -----
    Runs near in time are alike, and their level wanders. The largest t of all splits is held
    against that of histories that depend on themselves as much as these runs may: rho is estimated
    about the best split, corrected for its bias, and raised by a standard error. One in a hundred
    histories of independent runs shows a step that is not there, and at most five in a hundred if
    neighbours correlate by .8, if tails are heavy, or if there are two modes. 20 runs show a step
    of four times their spread four times in five; fewer show larger ones. A level that comes back
    is seen from 15 runs on, if it is far from chance. A steady rise may look like several steps.

    One in a hundred series of samples without a step shows one, also if each sample is like the one
    before; two in a hundred of 120 samples that correlate by .95. A burst that lasts a twentieth of
    a series or longer is a change of level, and may be found as two steps. A shorter level, or one
    that comes and goes many times, is not seen. A steady rise of a series is not a step (`steady`
    tells it).

    The interval of a ratio is Welch's, on logarithms; samples that depend on each other weigh less.
    It takes the place of the step for known: if noise has moved it, the step is a little too large.

    Examples
    --------
    >>> import pandas as pd
    >>> reads = pd.DataFrame({"round": [1, 2, 3, 4, 5], "iops": [5814, 5703, 8916, 9037, 8910]})
    >>> found = shifts(reads, "iops", order="round")
    >>> found[["round", "n", "center", "ratio", "ratio_lo", "ratio_hi"]].round(2)
       round  n   center  ratio  ratio_lo  ratio_hi
    0      1  2  5758.23    NaN       NaN       NaN
    1      3  3  8954.14   1.56      1.46      1.66
    >>> found["verdict"][1], found["flags"][1], found["details"][1]
    ('step up', 'by-chance', '[{"n": 5, "pct": 20.0, "of": 21}]')
    """
    check_confidence(confidence)
    data, several, apart = sequences(frame, metric, frames.names(by), round_s, order)
    runs = "value" not in data.columns
    lines = [
        line | {"row": series.rows[line["start"] - 1 if runs else 0]}
        for series in several
        for line in _levels(series, confidence, runs=runs)
    ]
    keep = [*apart, order] if order and order not in apart else apart
    return frames.answer(data, "shifts", keep, lines)


def _levels(series: Series, confidence: float, *, runs: bool) -> list[AnswerRow]:
    values = series.values
    found = steps(values) if runs else change_points(values)
    edges = [0, *(change.at for change in found), len(values)]
    parts = [values[start:end] for start, end in pairwise(edges)]
    geometric, tau = runs and bool((values > 0).all()), 1.0
    if found and not geometric:
        tau = samples_per_one(np.concatenate([part - part.mean() for part in parts]))
    clock = np.concatenate([[0.0], np.cumsum(series.widths)])
    lines: list[AnswerRow] = []
    for place, part in enumerate(parts):
        center = nan  # of a series that is shorter than a round
        if geometric:
            center = exp(float(np.log(part).mean()))
        elif len(part):
            center = weighted_mean(part, series.widths[edges[place] : edges[place + 1]])
        line: AnswerRow = {
            "metric": series.metric.name,
            "unit": series.metric.unit,
            "segment": place + 1,
            "start": edges[place] + 1,
            "time_s": float(clock[edges[place]]) if series.timed else None,
            "n": len(part),
            "center": center,
            "notes": [],
        }
        if place:
            before = parts[place - 1]
            found_ratio = (
                welch([(np.log(part).tolist(), np.log(before).tolist())])
                if geometric
                else _of_means([(part, center), (before, lines[-1]["center"])], tau)
            )
            line |= _step(found[place - 1], lines[-1]["center"], center)
            ends = None if found_ratio is None else found_ratio.interval(confidence)
            if ends is None:
                line["notes"].append(flag("uncertain-spread"))
            else:
                low, high = ends
                line |= {"ratio_lo": exp(low), "ratio_hi": exp(high), "confidence": confidence}
        lines.append(line)
    n = len(values)
    if runs and n < FEW_RUNS:
        lines[0]["verdict"] = "too few runs"
        lines[0]["notes"].append(flag("of-needed", n=n, of=FEW_RUNS))
    elif not runs and n < FEW_SAMPLES:
        lines[0]["verdict"] = "too few samples"
        lines[0]["notes"].append(flag("of-needed", n=n, of=FEW_SAMPLES))
    elif not found:
        lines[0]["verdict"] = "no step"
        if runs and n < SHOWING:
            lines[0]["notes"].append(flag("few-for-step", n=n, of=SHOWING))
    elif _drifts(parts):
        lines[0]["notes"].append(flag("drift-within"))
    lines[0]["notes"] = [*lines[0]["notes"], *series.notes]
    return lines


def _step(change: ChangePoint, before: float, after: float) -> AnswerRow:
    notes = []
    if (chance := change.by_chance) is not None:
        notes = [flag("by-chance", n=change.n, pct=100 * chance, of=change.proven_by)]
    return {
        "ratio": after / before if before else None,
        "p": change.p,
        "verdict": "step up" if after > before else "step down",
        "notes": notes,
    }


def _of_means(parts: Sequence[tuple[Array, float]], tau: float) -> StudentT | None:
    """Compare the means of two series that depend on themselves; None if too little is known."""
    shares, freedom = [], []
    for part, mean in parts:
        independent = len(part) / tau
        if independent < 2 or mean <= 0:
            return None
        shares.append(float(np.var(part, ddof=1)) / mean**2 / independent)
        freedom.append(independent - 1)
    if sum(shares) <= 0:
        return None
    variance, df = satterthwaite(shares, freedom)
    difference = log(parts[0][1] / parts[1][1])
    return StudentT(difference, sqrt(variance), df, variance, 2, int(min(freedom)))


def _drifts(parts: Sequence[Array]) -> bool:
    """Say whether values change within the levels as they do from level to level."""
    places = np.concatenate([np.arange(len(part)) - (len(part) - 1) / 2 for part in parts])
    rest = np.concatenate([part - part.mean() for part in parts])
    rise = float(places @ rest) / float(places @ places) * len(rest)
    change = float(parts[-1].mean() - parts[0].mean())
    return rise * change >= change**2 / 2
