"""Percentiles of several jobs, threads or runs: add their histograms, then read the quantile."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from math import inf
from typing import Any

from narwhals.typing import IntoDataFrameT

from fiotools.errors import SchemaError
from fiotools.language import say
from fiotools.stats import frames
from fiotools.stats.arguments import check_confidence
from fiotools.stats.combine import total
from fiotools.stats.frames import AnswerRow, Frame
from fiotools.stats.histograms import Bin, Histogram, cell_keys, histograms
from fiotools.stats.quantiles import (
    FEW,
    PERCENTILES,
    ios_needed,
    middle,
    rank,
    ranks_around,
    wanted_percentiles,
)
from fiotools.stats.replicates import run_name
from fiotools.vocabulary import ANSWERS

_ENTRY = ("source", "run", "entry")


def percentiles_from_bins(
    bins: IntoDataFrameT,
    percentiles: float | Sequence[float] = PERCENTILES,
    *,
    by: str | Sequence[str] | None = None,
    confidence: float = 0.95,
    io: IntoDataFrameT | None = None,
) -> IntoDataFrameT:
    """Read percentiles off histograms, which are added up first as `merge_bins` does.

    Parameters
    ----------
    bins : pandas.DataFrame or polars.DataFrame
        A table such as `Results.bins`, with counts, or what `merge_bins` answered.
    percentiles : float or sequence of float
        Above 0, up to 100.
    by : str or sequence of str, optional
        Columns that keep histograms apart: ``["source", "run"]`` gives the percentiles of each run,
        which `compare` and `summarize` take as numbers of runs. Directions and latencies always
        stay apart.
    confidence : float
        Of the interval, at least.
    io : pandas.DataFrame or polars.DataFrame, optional
        The table `Results.io` of the same entries: nothing is below their smallest latency, nor
        above their largest.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        A row per histogram and percentile: the columns of `by`, ``latency``, ``direction``;
        ``percentile``; ``value_ns``, the middle of its bin, as fio prints it (null for the last,
        which has no end); ``bound_lo_ns`` and ``bound_hi_ns``, the edges of that bin, between which
        the percentile certainly is; ``value_lo_ns`` and ``value_hi_ns``, its interval, which is
        null for too few I/Os; ``confidence``, and in ``note`` what the interval is about;
        ``total_ios`` in the histogram; ``n``, its runs; ``method``, "bins"; ``varies_in``;
        ``warnings``. All ``*_ns`` are ns.

    Raises
    ------
    SchemaError
        As in `merge_bins`; for percentiles that are none; and where `io` lacks the entries.

    See Also
    --------
    bound_percentiles : What is certain where there are no bins.

    Notes
    -----
    The interval lies between two order statistics, by the binomial distribution, and needs
    ``ln((1 - confidence) / 2) / ln(p)`` I/Os: 368 for the 99th percentile, 36887 for 99.99. It is
    about the I/Os of one run as if they were independent; stalls come in bursts, and then it is
    too narrow. It says nothing of other runs: for that, summarize the percentiles of several.

    Examples
    --------
    >>> import pandas as pd
    >>> bins = pd.DataFrame({
    ...     "run": 1, "latency": "clat", "direction": "read",
    ...     "bin_lo_ns": [2048, 2080, 8192], "bin_hi_ns": [2080, 2112, 8320],
    ...     "count": [600, 390, 10],
    ... })
    >>> found = percentiles_from_bins(bins, [50, 99, 99.9])
    >>> ends = ["bound_lo_ns", "bound_hi_ns", "value_lo_ns", "value_hi_ns"]
    >>> found[["percentile", "value_ns", *ends]]
       percentile  value_ns  bound_lo_ns  bound_hi_ns  value_lo_ns  value_hi_ns
    0        50.0    2064.0       2048.0       2080.0       2048.0       2080.0
    1        99.0    2096.0       2080.0       2112.0       2080.0       8320.0
    2        99.9    8256.0       8192.0       8320.0          NaN          NaN
    >>> found["warnings"].iloc[2]
    'need >= 3688 I/Os for an interval; fewer than 5 I/Os beyond it'
    """
    check_confidence(confidence)
    wanted = wanted_percentiles(percentiles)
    named = frames.names(by)
    data = frames.opened(bins)
    found = histograms(data, named)
    limits = _extremes(data, found, cell_keys(data, named), io)
    lines = [
        _quantile(own, limit, percentile, confidence)
        for own, limit in zip(found, limits, strict=True)
        for percentile in wanted
    ]
    first = [own.rows[0] for own in found for _ in wanted]
    return frames.answer(
        data, ANSWERS["percentiles_from_bins"], frames.kept(cell_keys(data, named), first), lines
    )


def _quantile(own: Histogram, limit: Extremes, percentile: float, confidence: float) -> AnswerRow:
    """Make one row of the answer."""
    n = sum(own.counts.values())
    notes = [*own.notes, *limit.notes]
    line: AnswerRow = {
        "percentile": percentile,
        "total_ios": n,
        "n": own.n,
        "method": "bins",
        "varies_in": own.varies_in,
        "confidence": confidence,
        "notes": notes,
    }
    if n == 0:
        notes.append("no I/Os")
        return line
    edges, counted = list(own.counts), list(accumulate(own.counts.values()))

    def bin_of(place: int) -> Bin:
        return limit.clamp(edges[bisect_left(counted, place)])

    bounds = edges[bisect_left(counted, rank(percentile, n))]
    value = middle(*bounds)
    low, high = limit.clamp(bounds)
    line |= {"bound_lo_ns": low, "bound_hi_ns": high}
    if value is None:
        notes.append("in the last bin, which has no end")
    else:
        line["value_ns"] = min(max(value, low), high)
    between = ranks_around(percentile, n, confidence)
    if between is not None:
        line["value_lo_ns"], line["value_hi_ns"] = bin_of(between[0])[0], bin_of(between[1])[1]
        line["note"] = (
            say("within the {n} runs, if I/Os were independent", n=own.n)
            if own.n is not None and own.n > 1
            else say("within the run, if I/Os were independent")
        )
    elif percentile == 100:
        notes.append("no interval of a maximum")
    else:
        notes.append(f"need >= {ios_needed(percentile, confidence):g} I/Os for an interval")
    # in whole numbers, for 100 - 99.9 is a little more than .1
    if round(n * (100 - percentile), 6) < 100 * FEW:
        notes.append(f"fewer than {FEW} I/Os beyond it")
    return line


@dataclass
class Extremes:
    """What a histogram's I/Os lie between, in ns, and what there is to say of that."""

    least: float = -inf
    most: float = inf
    notes: list[str] = field(default_factory=list)

    def clamp(self, edges: Bin) -> Bin:
        """Cut a bin down to what can be in it."""
        low, high = edges
        return max(low, self.least), min(high, self.most)


def _extremes(
    data: Frame, found: Sequence[Histogram], apart: Sequence[str], io: IntoDataFrameT | None
) -> list[Extremes]:
    """Look up the extremes of each histogram; without `io` there are none."""
    if io is None:
        return [Extremes() for _ in found]
    table = frames.opened(io)
    frames.need(data, ["latency"])
    own = [name for name in apart if name != "latency"]
    frames.need(table, own)
    cells, keys, kinds = (
        frames.groups(table, own),
        frames.keys_of(data, own),
        frames.values(data, "latency"),
    )
    entries = frames.present(table, frames.present(data, _ENTRY))
    ours, theirs = frames.keys_of(data, entries), frames.keys_of(table, entries)
    answers = []
    for histogram in found:
        first = histogram.rows[0]
        rows = cells.get(keys[first], [])
        behind = {ours[row] for row in histogram.rows}
        there = {theirs[row] for row in rows}
        for entry in behind:
            if entry not in there:
                raise SchemaError(f"io has no row for {_entry_name(entries, entry)} of the bins")
        rows = [row for row in rows if theirs[row] in behind]
        answers.append(_of(table, rows, kinds[first], histogram))
    return answers


def _of(table: Frame, rows: list[int], kind: Any, histogram: Histogram) -> Extremes:
    """Give the extremes over rows of `io`; what one of them lacks is not known of all."""
    own = table[rows]
    least, most, ios = (
        frames.amounts(own, name) for name in (f"{kind}_min_ns", f"{kind}_max_ns", "total_ios")
    )
    found = Extremes(
        -inf if None in least else float(min(least)), inf if None in most else float(max(most))
    )
    held = [edges for edges, count in histogram.counts.items() if count]
    if any(low > found.most or high <= found.least for low, high in held):
        found = Extremes(notes=["io's smallest and largest latency contradict the bins"])
    done, counted = total(ios), sum(histogram.counts.values())
    if done is not None and done != counted:
        found.notes.append(f"the bins hold {counted} I/Os, io has {done}")
    return found


def _entry_name(names: Sequence[str], entry: tuple[Any, ...]) -> str:
    told = dict(zip(names, entry, strict=True))
    if "run" not in told:
        return "a group"
    place = run_name((told.get("source"), told["run"]))
    return place if told.get("entry") is None else f"entry {told['entry']} of {place}"
