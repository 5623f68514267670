"""Percentiles of two sides: the ratio of each, over runs, or within long runs by their windows.

The I/Os of a run are not repeats: slow ones come together. A run is cut into batches of equal time,
as for the mean of a series: a latency may be the percentile if the shares of I/Os up to it, batch
by batch, do not contradict that by the t test. See Woodruff, "Confidence intervals for medians and
other position measures" (1952), for the inversion, and `benchmarks/COVERAGE.md` for how often it is
right, and how often the bootstrap of blocks is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import exp, hypot, inf, log
from typing import Any, NamedTuple

import numpy as np
from narwhals.typing import IntoDataFrameT

from fiotools import units
from fiotools.errors import SchemaError, typed
from fiotools.flags import Flag, flag, flags_of, sentence
from fiotools.stats import frames, submission
from fiotools.stats.compare import Design, Ratio, ratios_of, runs_for
from fiotools.stats.frames import Array, Frame, metric_of
from fiotools.stats.order import TIMES
from fiotools.stats.percentiles import (
    Histogram,
    cell_keys,
    histograms,
    middle,
    of_bins,
    telling,
    wanted_percentiles,
)
from fiotools.stats.question import FOUND, question
from fiotools.stats.sides import SIDES
from fiotools.stats.steady import ENOUGH, batch_interval

PERCENTILES = (50, 90, 99, 99.9)
BEYOND = 30  # I/Os beyond a percentile for an interval: two to a batch

_JOB_LOG = re.compile(r"_hist\.\d+\.log(\.\w+)?$")


@question("bins")
def tails(
    bins: IntoDataFrameT,
    percentiles: float | Sequence[float] = PERCENTILES,
    *,
    between: str = FOUND,
    baseline: Any = FOUND,
    by: str | Sequence[str] | None = None,
    pair: str | None = None,
    unit: str | None = None,
    confidence: float = 0.95,
    band: float = 0.05,
) -> IntoDataFrameT:
    """Compare percentiles of latency, the tail among them, of histograms of two or more sides.

    With several runs a side, the percentile of each run is a number of the run, and the interval is
    that of `compare`. With one run each it is about these two runs, and there is no verdict.

    Parameters
    ----------
    bins : Results, pandas.DataFrame or polars.DataFrame
        Histograms with counts: `Results.bins`, a collected `scan`, or `window` with ``bins=True``.
        An interval within a run needs those of at least 60 windows of time.
    percentiles : float or sequence of float
        Percentiles to compare, above 0 and up to 100.
    between : str, optional
        The column that holds the sides; by default the only label.
    baseline : object, optional
        The side that the others are divided by; by default the first.
    by : str or sequence of str, optional
        Compare within each combination of these columns. Directions, and slat, clat and lat, always
        stay apart.
    pair : str, optional
        The column that pairs runs of both sides, such as a round.
    unit : str, optional
        The column of what was measured together, such as a day: it counts once, as in `compare`.
    confidence : float
        Confidence of the interval.
    band : float
        Differences up to this share do not matter.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        A row per combination of `by`, ``latency``, ``direction``, percentile and level: the columns
        of `compare`, in which ``center`` is the (geometric mean of the) percentile [ns]. For an
        interval within runs ``method`` is "batch-means", and ``windows``, after ``ratio_hi``, how
        many the shorter run has.

    Raises
    ------
    SchemaError
        As in `compare` and `of_bins`; and for logs of several jobs of one run, which
        are not repeats.

    See Also
    --------
    window : Makes windows of logs, and puts the logs of the jobs of one run together.
    of_bins : The percentiles of each histogram.

    Notes
    -----
    Within a run, I/Os are never taken as independent. The run is cut into batches of equal time;
    the interval holds the latencies for which the shares of I/Os up to them agree with the
    percentile by the t test of the batches. The ends of both runs make those of the ratio (Zou and
    Donner, "Construction of confidence limits about effect measures", 2008). There is none below 60
    windows or 30 I/Os beyond the percentile. A disturbance that happens fewer than three times in a
    run's length may be missing in it.

    Examples
    --------
    The first half of a long run against the second; this log has 8 bins to an octave.

    >>> import polars as pl
    >>> import fiotools as ft
    >>> log = ft.scan("data/how-many-runs/long/long_clat_hist.1.log").collect()
    >>> half = pl.when(pl.col("time_s") > 150).then(pl.lit("second")).otherwise(pl.lit("first"))
    >>> halves = ft.window(log.with_columns(half.alias("half")), "1s", by="half", bins=True)
    >>> answer = tails(halves, 99.9, between="half", baseline="first")
    >>> answer.select("percentile", "ratio", "windows", "verdict").row(0)
    (99.9, 1.0967..., 149, 'one run')
    """
    wanted = wanted_percentiles(percentiles)
    named = [between, *frames.names(by), *frames.names(pair)]
    data = frames.opened(bins, named)
    named += frames.present(data, (unit,) if unit in data.columns else TIMES if unit else ())
    apart = list(dict.fromkeys([*named, *frames.present(data, ("source", "run")), *telling(data)]))
    _refuse_jobs(data, named)
    runs = frames.opened(of_bins(bins, wanted, by=apart))
    _refuse_unknown(runs, apart)
    cell = [*dict.fromkeys([*frames.names(by), *cell_keys(data, []), "percentile"])]
    measure = metric_of("value_ns")
    design = Design(
        measure, between, baseline, tuple(cell), pair, None, confidence, band, unit=unit
    )
    columns = dict.fromkeys([*cell_keys(data, apart), "percentile", "value_ns"])
    of_runs = runs_for(runs.select(*columns).to_native(), design)
    ratios = ratios_of(of_runs, design)
    runs, every = of_runs.data, histograms(data, apart)
    told = [frames.optional(data, name) for name in ("time_s", "bin_lo_ns", "count")]
    windows = cache(lambda at: windows_of(every[at], told))
    held = frames.rows_by(frames.keys_of(data, [*cell[:-1], between]))
    shares = None
    if submission.SHARE in data.columns:
        shares = np.array(frames.numbers(data, submission.SHARE), dtype=float)
    of = frames.rows_by(frames.keys_of(runs, [*cell, between]))
    cells, side = frames.keys_of(runs, cell), frames.values(runs, between)
    lines = []
    for found in ratios:
        of_cell = cells[found.row["percentile"]]
        if shares is not None:
            names = (side[found.row[between]], baseline)
            rows_of = (np.array(held.get((*of_cell[:-1], one), ()), dtype=int) for one in names)
            found.notes += submission.flags(shares, dict(zip(SIDES, rows_of, strict=True)))
        line = found.line()
        if found.n == found.n_baseline == 1 and unit is None:
            rows = [of[*of_cell, one][0] for one in (side[found.row[between]], baseline)]
            sides = [windows(row // len(wanted)) for row in rows]
            line |= _within(found, sides, float(of_cell[-1]), confidence)
        lines.append(line)
    return design.answer(runs, "tails", lines)


def _refuse_unknown(runs: Frame, apart: Sequence[str]) -> None:
    """Refuse percentiles without a value, with the reason that stands beside them."""
    found = frames.values(runs, "value_ns")
    if None in found:
        told = frames.keys_of(runs, [*apart, "percentile", "flags", "details"])
        *key, percentile, flags, details = told[found.index(None)]
        why = "; ".join(map(sentence, flags_of(flags, details)))
        run = frames.key_name(apart, tuple(key))
        raise SchemaError(
            f"percentile {units.percentile(percentile)} of {run}: {why}; leave it out"
        )


def _refuse_jobs(data: Frame, named: Sequence[str]) -> None:
    """Refuse logs of the jobs of one run: fio numbers them, but they are not repeats."""
    if "source" in named:
        return
    logs = frames.distinct(frames.optional(data, "source"))
    runs = [_JOB_LOG.sub("", log) for log in logs if _JOB_LOG.search(log)]
    if len({*runs}) < len(runs):
        one = next(run for run in runs if runs.count(run) > 1)
        how = typed(
            f"put them together, window(bins, '1s', by={[*named]!r}, bins=True)",
            "compare each job",
        )
        raise SchemaError(f"{one}_hist.*.log are logs of the jobs of one run, no repeats: {how}")


@dataclass(frozen=True)
class Windows:
    """The histograms of a run's windows of time.

    `edges` has a row per bin [ns], `below` one per window: the I/Os in each bin and all before.
    """

    edges: Array
    below: Array


def windows_of(own: Histogram, told: Sequence[Sequence[Any]]) -> Windows | None:
    """Make the windows of a histogram from times, edges, counts; None if it is of a whole run."""
    time, low, count = ([column[row] for row in own.rows] for column in told)
    if None in time:
        return None
    times, window = np.unique(np.asarray(time, dtype=float), return_inverse=True)
    edges = np.array(list(own.counts), dtype=float)
    place = np.searchsorted(edges[:, 0], np.asarray(low, dtype=float), side="right") - 1
    counts = np.zeros((len(times), len(edges)))
    np.add.at(counts, (window, place), np.asarray(count, dtype=float))
    return Windows(edges, counts.cumsum(axis=1))


class Interval(NamedTuple):
    """A percentile [ns], and the ends of its interval."""

    center: float
    low: float
    high: float


def interval_within(
    run: Windows | None, percentile: float, confidence: float = 0.95
) -> Interval | Flag:
    """Give a percentile's interval from the windows of one run, or say why there is none."""
    if run is None:
        return flag("no-windows")
    share, total = percentile / 100, run.below.sum(axis=0)
    if len(run.below) < ENOUGH:
        return flag("few-windows", n=ENOUGH)
    if total[-1] * min(share, 1 - share) < BEYOND:
        return flag("few-beyond", n=BEYOND)

    def fits(place: int) -> bool:
        # I/Os up to this bin, beyond the percentile's share: may their mean be 0?
        excess = run.below[:, place] - share * run.below[:, -1]
        ends = batch_interval(excess, None, confidence)
        return not excess.any() if ends is None else ends[0] <= 0 <= ends[1]

    center = int(np.argmax(total >= share * total[-1]))
    first, last, end = center, center, len(total) - 1
    while first > 0 and fits(first - 1):
        first -= 1
    while last < end and fits(last):
        last += 1
    if (last == end and fits(end)) or run.edges[last, 1] == inf:
        return flag("uneven-tail")
    middle_of_it = middle(*map(float, run.edges[center]))
    assert middle_of_it is not None  # only the last bin has none
    return Interval(middle_of_it, max(1.0, float(run.edges[first, 0])), float(run.edges[last, 1]))


def ratio_within(level: Interval, baseline: Interval) -> tuple[float, float]:
    """Give the ends of a ratio's interval from those of both percentiles, on logarithms."""
    below, above, base_below, base_above = (
        abs(log(end / own.center)) for own in (level, baseline) for end in (own.low, own.high)
    )
    center = log(level.center / baseline.center)
    return exp(center - hypot(below, base_above)), exp(center + hypot(above, base_below))


def _within(
    found: Ratio, sides: Sequence[Windows | None], percentile: float, confidence: float
) -> Mapping[str, Any]:
    """Give the interval of a ratio of one run each, if their windows have one."""
    notes = [one for one in found.notes if one.code != "need"]
    ends = [interval_within(run, percentile, confidence) for run in sides]
    said = [one for one in ends if isinstance(one, Flag)]
    if said:
        return {"notes": [*notes, *(one for at, one in enumerate(said) if one not in said[:at])]}
    low, high = ratio_within(*(end for end in ends if isinstance(end, Interval)))
    notes.append(flag("these-runs"))
    return {
        "ratio_lo": low,
        "ratio_hi": high,
        "confidence": confidence,
        "method": "batch-means",
        "windows": min(len(run.below) for run in sides if run),
        "notes": notes,
    }
