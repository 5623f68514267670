"""Percentiles of several jobs, threads or runs: read off their histograms, or bounded by tables.

Histograms are lists of bins, and nothing is counted twice. Ranks are fio's (``stat.c``,
``calc_clat_percentiles``): the first bin at which at least the share asked for has been counted.
The interval is that of order statistics. It assumes independent I/Os, but no distribution; see
Conover, "Practical nonparametric statistics" (1999).
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise
from math import ceil, inf, log
from typing import TYPE_CHECKING, Any

import narwhals as nw
import scipy
from narwhals.typing import IntoDataFrameT

from fiotools import units
from fiotools.errors import SchemaError, argument, typed
from fiotools.flags import Flag, flag
from fiotools.stats import frames
from fiotools.stats.columns import Columns
from fiotools.stats.combine import total
from fiotools.stats.frames import AnswerRow, Frame, check_confidence
from fiotools.stats.question import question
from fiotools.stats.replicates import refuse_scopes, run_keys, run_name, watched
from fiotools.vocabulary import KEYS, STATISTICS, TABLES

if TYPE_CHECKING:
    from fiotools.tables.results import Results

Bin = tuple[float, float]
_ENTRY = ("source", "run", "entry")
_JOIN = ("source", "run", "entry", "thread", "target", "direction")
PERCENTILES = (50, 90, 95, 99, 99.9, 99.99)
FEW = 5  # I/Os beyond a percentile: with fewer it depends on single ones
# never added up, even if `by` does not name them
_APART = ("latency", "direction")

# the columns of merged histograms, after those that keep them apart
_MERGED = ("bin_lo_ns", "bin_hi_ns", "count", "n", "parts", "varies_in", "flags", "details")
_MOST = 10**15  # I/Os: three years of a thousand devices, and ranks are still exact


@dataclass
class Histogram:
    """The bins of one cell, in order and disjoint.

    `rows` are the rows of the frame, `counts` and `parts` the I/Os and rows in each bin; `n` runs
    (None if unknown); `varies_in` names labels and conditions that differ among the rows and were
    not named; `least` and `most` are the smallest and the largest latency, as far as known.
    """

    rows: list[int]
    counts: dict[Bin, int]
    parts: dict[Bin, int]
    n: int | None
    varies_in: str | None
    notes: list[Flag]
    least: float = -inf
    most: float = inf

    def clamp(self, edges: Bin) -> Bin:
        """Cut a bin down to the extremes."""
        low, high = edges
        return max(low, self.least), min(high, self.most)


def _table(results: Results, asked: Mapping[str, Any]) -> str:
    """Take the histograms if they have counts, else what the tool printed."""
    bins = results.tables.polars("bins") if results.tables.height("bins") else None
    return "percentiles" if bins is None or bins["count"].null_count() == len(bins) else "bins"


@question(_table)
def percentiles(
    bins: IntoDataFrameT,
    at: float | Sequence[float] = PERCENTILES,
    *,
    by: str | Sequence[str] | None = None,
    confidence: float = 0.95,
    io: IntoDataFrameT | None = None,
) -> IntoDataFrameT:
    """Give the percentiles of several files, jobs, threads or runs together.

    Histograms are added up, and their percentiles are exact to a bin. Percentiles that a tool
    printed can be bounded, and never averaged.

    Parameters
    ----------
    bins : Results, pandas.DataFrame or polars.DataFrame
        A table such as `Results.bins`, with counts; or such as `Results.percentiles`, of tools that
        print no histogram. Parts, without their total beside them.
    at : float or sequence of float
        The percentiles to give, above 0 and up to 100.
    by : str or sequence of str, optional
        Columns that keep histograms apart, such as source,run. ``["source", "run"]`` gives
        percentiles of runs, which `compare` and `summarize` take. Directions, and slat, clat and
        lat, always stay apart.
    confidence : float
        Confidence of the interval of merged histograms, at least.
    io : pandas.DataFrame or polars.DataFrame, optional
        The table `Results.io` of the same entries, by default of the same `Results`. Its extremes
        bound the percentiles of bins, and its ``total_ios`` weight printed ones.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        A row per cell and percentile: the columns of `by`, ``latency``, ``direction``;

        * ``percentile``; ``value_ns`` [ns], the middle of its bin, as fio prints it (null for the
          last, which has no end), or the value that a tool printed; null where it is only bounded;
        * ``bound_lo_ns`` and ``bound_hi_ns`` [ns], between which it certainly is: the edges of the
          bin, or as far as the printed points are exact (null: unbounded);
        * ``value_lo_ns`` and ``value_hi_ns``, the interval of merged histograms, null for too few
          I/Os; ``confidence``;
        * ``total_ios``; ``n``, the runs (null if unknown); ``parts``, the tables of printed ones;
        * ``method``: "merged", "bounded", or "as printed" for a single table;
        * ``varies_in``; ``flags``, ``details``.

    Raises
    ------
    SchemaError
        For bins that overlap and do not nest, have only ``pct`` or are there twice; for a total
        beside its parts; a table without its I/Os in `io`; values that fall as percentiles rise.

    Notes
    -----
    The interval lies between two order statistics, by the binomial distribution, and needs ``ln((1
    - confidence) / 2) / ln(p)`` I/Os: 368 for p99, 36887 for p99.99. It takes I/Os as independent:
    stalls come in bursts, and then it is too narrow. For other runs, summarize the percentiles of
    several.

    Bounds: the share of all I/Os below x is the mean of the shares in each part, weighted by its
    I/Os. The share of a part is known at its points only. No value between the bounds is better
    founded than another.

    Examples
    --------
    >>> import pandas as pd
    >>> bins = pd.DataFrame({
    ...     "run": 1, "latency": "clat", "direction": "read",
    ...     "bin_lo_ns": [2048, 2080, 8192], "bin_hi_ns": [2080, 2112, 8320],
    ...     "count": [600, 390, 10],
    ... })
    >>> found = percentiles(bins, [50, 99, 99.9])
    >>> ends = ["bound_lo_ns", "bound_hi_ns", "value_lo_ns", "value_hi_ns"]
    >>> found[["percentile", "value_ns", *ends]]
       percentile  value_ns  bound_lo_ns  bound_hi_ns  value_lo_ns  value_hi_ns
    0        50.0    2064.0       2048.0       2080.0       2048.0       2080.0
    1        99.0    2096.0       2080.0       2112.0       2080.0       8320.0
    2        99.9    8256.0       8192.0       8320.0          NaN          NaN
    >>> found["flags"].iloc[2], found["details"].iloc[2]
    ('few-ios;rare', '[{"n": 3688}, {"n": 5}]')
    """
    if "percentile" in getattr(bins, "columns", ()):
        return of_tables(bins, io, by=by, at=at)
    return of_bins(bins, at, by=by, confidence=confidence, io=io)


def merge_bins(bins: IntoDataFrameT, *, by: str | Sequence[str] | None = None) -> IntoDataFrameT:
    """Add up histograms, bin by bin: over jobs, threads, runs and the intervals of a log.

    Parameters
    ----------
    bins : pandas.DataFrame or polars.DataFrame
        A table such as `Results.bins`, with counts: parts, without their total beside them. Finer
        bins (a smaller ``log_hist_coarseness``) are added to the coarser ones that hold them.
    by : str or sequence of str, optional
        Columns that keep histograms apart. Directions, and slat, clat and lat, always stay apart.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        A row per bin: the columns of `by`, ``latency``, ``direction``; ``bin_lo_ns``, ``bin_hi_ns``
        [ns], ``count``; ``n``, the runs in the histogram (null if `bins` does not tell them apart);
        ``parts``, the rows added; ``varies_in``, the labels that differ and are not in `by`;
        ``flags``, ``details``. `percentiles` takes it too.

    Raises
    ------
    SchemaError
        For bins that overlap and do not nest, have only ``pct`` or are there twice, a total beside
        its parts, intervals beside their whole run, and a frame without rows or columns.

    Examples
    --------
    Two jobs of one run, the second from a coarser log:

    >>> import pandas as pd
    >>> bins = pd.DataFrame({
    ...     "run": 1, "entry": [1, 1, 1, 2, 2], "latency": "clat", "direction": "read",
    ...     "bin_lo_ns": [128, 130, 132, 128, 132], "bin_hi_ns": [130, 132, 134, 132, 136],
    ...     "count": [5, 3, 1, 4, 2],
    ... })
    >>> merge_bins(bins)[["direction", "bin_lo_ns", "bin_hi_ns", "count", "n", "parts"]]
      direction  bin_lo_ns  bin_hi_ns  count  n  parts
    0      read      128.0      132.0     12  1      3
    1      read      132.0      136.0      3  1      2
    """
    named = frames.names(by)
    data = frames.opened(bins)
    found = histograms(data, named)
    lines = []
    for own in found:
        same = {"row": own.rows[0], "n": own.n, "varies_in": own.varies_in, "notes": own.notes}
        for edges, count in own.counts.items():
            low, high = edges
            line = {"bin_lo_ns": low, "bin_hi_ns": high, "count": count, "parts": own.parts[edges]}
            lines.append(line | same)
    return frames.answer(data, _MERGED, cell_keys(data, named), lines)


def telling(data: Frame) -> list[str]:
    """Name the labels of bins: texts that are not columns of theirs, such as {device} of a path."""
    texts = (nw.String, nw.Categorical, nw.Enum, nw.Boolean)
    own = {*TABLES["bins"], *STATISTICS}
    return [
        name for name, dtype in data.schema.items() if name not in own and isinstance(dtype, texts)
    ]


def cell_keys(data: Frame, by: Sequence[str]) -> list[str]:
    """Name the columns whose values make a histogram: of `by`, then latency and direction."""
    return list(dict.fromkeys([*by, *frames.present(data, _APART)]))


def histograms(data: Frame, by: Sequence[str]) -> list[Histogram]:
    """Add up the bins of each cell, or refuse."""
    frames.need(data, [*by, "bin_lo_ns", "bin_hi_ns", "count"])
    counts, edges = _counts(data), _edges(data)
    if "scope" not in by:
        refuse_scopes(data)
    _refuse_overlaps(data, edges)
    # of merged bins it is known of how many runs they are
    runs = run_keys(data) if "run" in data.columns else frames.optional(data, "n")
    columns = Columns(data)
    watch = watched(columns, [*by, *_APART])
    times = frames.optional(data, "time_s")
    found = []
    for rows in frames.groups(data, cell_keys(data, by)).values():
        if "time_s" not in by and len({times[row] is None for row in rows}) > 1:
            whole = '.filter(pl.col("time_s").is_null())'
            if data.implementation.is_pandas_like():
                whole = typed(".query('time_s.isna()')", '--where "time_s >= 0"')
            raise SchemaError(
                "bins of whole runs and bins of intervals may count the same I/Os twice: keep one "
                f"kind, {whole}"
            )
        outer = _coarsest({edges[row] for row in rows})
        none = dict.fromkeys(sorted(set(outer.values())), 0)
        n = _number({runs[row] for row in rows})
        varies = columns.listed(watch, rows)
        own = Histogram(rows, {**none}, {**none}, n, varies, [])
        if any(inner != bin_ for inner, bin_ in outer.items()):
            own.notes.append(flag("coarser"))
        if varies:
            own.notes.append(flag("bins-vary", columns=varies))
        for row in rows:
            own.counts[outer[edges[row]]] += counts[row]
            own.parts[outer[edges[row]]] += 1
        found.append(own)
    return found


def _counts(data: Frame) -> list[int]:
    found = frames.values(data, "count")
    missing = found.count(None)
    if missing:
        why = "nothing to add"
        if frames.distinct(frames.optional(data, "pct")):
            why = (
                "they have pct only, a rounded share, which needs total_ios to be a count"
                " (fio --output-format=json+ prints counts)"
            )
        remedy = f"; {frames.leave_out(data, 'count')}" if missing < len(found) else ""
        raise SchemaError(f"count is missing in {missing} of {len(found)} bins: {why}{remedy}")
    frames.numbers(data, "count")  # refuses text
    for row, count in enumerate(found):
        if count < 0 or count % 1:
            raise SchemaError(f"count is {count:g} in row {row}: I/Os are counted from 0")
    if sum(found) > _MOST:
        raise SchemaError(f"the bins hold {sum(found):.3g} I/Os, which cannot be")
    return [int(count) for count in found]


def _edges(data: Frame) -> list[Bin]:
    found = []
    pairs = zip(frames.numbers(data, "bin_lo_ns"), frames.numbers(data, "bin_hi_ns"), strict=True)
    for row, (low, high) in enumerate(pairs):
        if low is None or high is None:
            raise SchemaError(f"a bin needs both edges: one is missing in row {row}")
        if low < 0:
            raise SchemaError(f"the bin of row {row} begins at {low:g}: latencies are not below 0")
        if not low < high:
            raise SchemaError(f"the bin of row {row} ends at {high:g}, and begins at {low:g}")
        found.append((low, high))
    return found


def _refuse_overlaps(data: Frame, edges: Sequence[Bin]) -> None:
    """Refuse bins of one entry (and interval) that overlap: they would count I/Os twice."""
    keys = run_keys(data)
    for rows in frames.groups(data, frames.present(data, (*KEYS, "latency", "time_s"))).values():
        key = keys[rows[0]]
        if len(key) < 2:
            continue  # it is unknown which rows are of one run
        own = sorted(edges[row] for row in rows)
        for before, after in pairwise(own):
            if before == after:
                raise SchemaError(
                    f"{run_name(key)} has bins that are there twice: was a file read twice?"
                )
            if after[0] < before[1]:
                raise SchemaError(
                    f"{run_name(key)} has an entry whose own bins overlap: {_name(before)} and "
                    f"{_name(after)}; keep one of its histograms"
                )


def _coarsest(edges: Iterable[Bin]) -> dict[Bin, Bin]:
    """Say for each bin which of them holds it whole; refuse bins that cross."""
    found: dict[Bin, Bin] = {}
    outer: Bin | None = None
    for bin_ in sorted(edges, key=lambda edge: (edge[0], -edge[1])):
        if outer is None or bin_[0] >= outer[1]:
            outer = bin_
        elif bin_[1] > outer[1]:
            raise SchemaError(
                f"bins {_name(outer)} and {_name(bin_)} overlap, and neither holds the other: "
                f"these histograms have no bins in common, keep them apart with {argument('by')}"
            )
        found[bin_] = outer
    return found


def _number(runs: set[Any]) -> int | None:
    """Count the runs of a cell, if they are known."""
    if all(isinstance(run, tuple) and len(run) == 2 for run in runs):
        return len(runs)
    known = next(iter(runs))
    return int(known) if len(runs) == 1 and isinstance(known, (int, float)) else None


def _name(edges: Bin) -> str:
    return f"[{edges[0]:.10g}, {edges[1]:.10g})"


def of_bins(
    bins: IntoDataFrameT,
    at: float | Sequence[float] = PERCENTILES,
    *,
    by: str | Sequence[str] | None = None,
    confidence: float = 0.95,
    io: IntoDataFrameT | None = None,
) -> IntoDataFrameT:
    """Read percentiles off histograms, which are added up first as `merge_bins` does."""
    check_confidence(confidence)
    wanted = wanted_percentiles(at)
    named = frames.names(by)
    data = frames.opened(bins)
    found = histograms(data, named)
    if io is not None:
        _add_extremes(found, data, cell_keys(data, named), frames.opened(io))
    lines = [_quantile(own, percentile, confidence) for own in found for percentile in wanted]
    same = {"method": "merged", "confidence": confidence}
    return frames.answer(data, "percentiles", cell_keys(data, named), lines, **same)


def _quantile(own: Histogram, percentile: float, confidence: float) -> AnswerRow:
    n, notes = sum(own.counts.values()), [*own.notes]
    line: AnswerRow = {
        "row": own.rows[0],
        "percentile": percentile,
        "total_ios": n,
        "n": own.n,
        "varies_in": own.varies_in,
        "notes": notes,
    }
    if not n:
        notes.append(flag("empty"))
        return line
    edges, counted = list(own.counts), list(accumulate(own.counts.values()))

    def bin_of(place: int) -> Bin:
        return edges[bisect_left(counted, place)]

    inside = bin_of(rank(percentile, n))
    value = middle(*inside)
    low, high = own.clamp(inside)
    line |= {"bound_lo_ns": low, "bound_hi_ns": high}
    if value is None:
        notes.append(flag("last-bin"))
    else:
        line["value_ns"] = min(max(value, low), high)
    between = ranks_around(percentile, n, confidence)
    if between is not None:
        first, last = (own.clamp(bin_of(place)) for place in between)
        line |= {"value_lo_ns": first[0], "value_hi_ns": last[1]}
        notes.append(flag("independent", n=own.n or 1))
    elif percentile == 100:
        notes.append(flag("maximum"))
    else:
        notes.append(flag("few-ios", n=ios_needed(percentile, confidence)))
    # in whole numbers, for 100 - 99.9 is a little more than .1
    if round(n * (100 - percentile), 6) < 100 * FEW:
        notes.append(flag("rare", n=FEW))
    return line


def _add_extremes(
    found: Sequence[Histogram], data: Frame, apart: Sequence[str], table: Frame
) -> None:
    """Look up the extremes of each histogram in `io`."""
    frames.need(data, ["latency"])
    own = [name for name in apart if name != "latency"]
    frames.need(table, own)
    cells, kinds = frames.groups(table, own), frames.values(data, "latency")
    keys = frames.keys_of(data, own)
    entries = frames.present(table, frames.present(data, _ENTRY))
    ours, theirs = frames.keys_of(data, entries), frames.keys_of(table, entries)
    for histogram in found:
        first = histogram.rows[0]
        behind = {ours[row] for row in histogram.rows}
        rows = [row for row in cells.get(keys[first], []) if theirs[row] in behind]
        if {theirs[row] for row in rows} < behind:
            continue  # a histogram log has no report beside it: its extremes are unknown
        _add_extremes_of(histogram, table[rows], kinds[first])


def _add_extremes_of(histogram: Histogram, io: Frame, kind: Any) -> None:
    """Take the extremes over rows of `io`; unknown if one of them lacks its own."""
    names = (f"{kind}_min_ns", f"{kind}_max_ns", "total_ios")
    least, most, ios = (frames.amounts(io, name) for name in names)
    low = -inf if None in least else float(min(least))
    high = inf if None in most else float(max(most))
    held = [edges for edges, count in histogram.counts.items() if count]
    if any(start > high or end <= low for start, end in held):
        histogram.notes.append(flag("extremes"))
    else:
        histogram.least, histogram.most = low, high
    done, counted = total(ios), sum(histogram.counts.values())
    if done is not None and done != counted:
        histogram.notes.append(flag("bins-count", n=counted, of=done))


def of_tables(
    percentiles: IntoDataFrameT,
    io: IntoDataFrameT | None,
    *,
    by: str | Sequence[str] | None = None,
    at: float | Sequence[float] = PERCENTILES,
) -> IntoDataFrameT:
    """Bound the percentiles of several tables together, from those of each."""
    wanted, named = wanted_percentiles(at), frames.names(by)
    data = frames.opened(percentiles, [*named, "percentile", "value_ns"])
    if io is None:
        raise SchemaError(
            "printed percentiles need the I/Os of each table: the io rows of the same files"
        )
    whole_io = frames.opened(io, ["total_ios"])
    if "scope" not in named:
        refuse_scopes(data)
    cells = list(frames.groups(data, cell_keys(data, named)).values())
    tables = _tables(data, cells, named, _ios(data, whole_io, named))
    runs = run_keys(data)
    columns = Columns(data)
    watch = watched(columns, [*named, *_APART])
    lines: list[AnswerRow] = []
    for rows, parts in zip(cells, tables, strict=True):
        varies = columns.listed(watch, rows)
        whole: AnswerRow = {
            "row": rows[0],
            "total_ios": sum(part.ios for part in parts),
            "parts": len(parts),
            "n": _number({runs[row] for row in rows}),
            "method": "as printed" if len(parts) == 1 else "bounded",
            "varies_in": varies,
            "notes": [flag("tables-vary", columns=varies)] if varies else [],
        }
        printed = dict(parts[0].points) if len(parts) == 1 else {}
        for percentile in wanted:
            low, high = bounds(parts, percentile)
            value = printed.get(share(percentile))
            ends = {"percentile": percentile, "bound_lo_ns": low, "bound_hi_ns": high}
            lines.append(ends | whole | {"value_ns": value})
    return frames.answer(data, "percentiles", cell_keys(data, named), lines)


def _ios(data: Frame, io: Frame, by: Sequence[str]) -> list[int]:
    """Give the I/Os behind each row: those of the same entry and direction."""
    join = frames.present(io, frames.present(data, [*_JOIN, *by]))
    ios, theirs = frames.amounts(io, "total_ios"), frames.groups(io, join)
    found = [0] * len(data)
    for key, rows in frames.groups(data, join).items():
        there = theirs.get(key, [])
        name = frames.key_name(join, key)
        if len(there) != 1:
            why = f"{len(there)} rows" if there else "no row"
            raise SchemaError(f"io has {why} for {name or 'the percentiles'}, where one is needed")
        if ios[there[0]] is None:
            raise SchemaError(f"total_ios is missing in io for {name}: it weights the percentiles")
        for row in rows:
            found[row] = int(ios[there[0]])
    return found


def _tables(
    data: Frame, cells: Sequence[list[int]], by: Sequence[str], ios: Sequence[int]
) -> list[list[Curve]]:
    """Make the tables of each group, their points in order."""
    whose = frames.keys_of(data, frames.present(data, [*by, *KEYS, "latency"]))
    latencies, levels = frames.numbers(data, "value_ns"), []
    for row, level in enumerate(frames.numbers(data, "percentile")):
        if level is None or not 0 <= level <= 100:
            raise SchemaError(f"row {row} has no percentile between 0 and 100")
        levels.append(share(level))
    found = []
    for rows in cells:
        tables = []
        for own in frames.rows_by(whose, rows).values():
            known: dict[int, float] = {}
            for row in own:
                latency, level = latencies[row], levels[row]
                if latency is not None and level in known:
                    raise SchemaError(
                        f"percentile {units.percentile(level / 10**9)} of "
                        f"{run_name(run_keys(data)[row])} is there twice, and nothing tells the "
                        "tables apart: was a file read twice?"
                    )
                if latency is not None:
                    known[level] = latency
            points = sorted(known.items())
            for (low, least), (high, most) in pairwise(points):
                if most < least:
                    above, below = (units.percentile(one / 10**9) for one in (high, low))
                    raise SchemaError(
                        f"percentile {above} is below percentile {below}: "
                        "measured latencies never are, leave the table out"
                    )
            if ios[own[0]]:
                tables.append(Curve(ios[own[0]], points))
        found.append(tables)
    return found


@dataclass
class Curve:
    """One table of percentiles: how many I/Os it is about, and its points in order."""

    ios: int
    points: list[tuple[int, float]]  # share of the I/Os, latency; empty if unknown


def bounds(parts: Sequence[Curve], percentile: float) -> tuple[float | None, float | None]:
    """Bracket a percentile of the mixture; None if no point bounds it.

    Up to a latency, a part has at least the share of its last point there, and less than that of
    its next, which may be reached only where no more points follow. The percentile lies between the
    first latencies at which the most and the least that all parts may have come up to it.
    """
    whole = len(parts) + 1  # an I/O; to stay below a share is to lack one such part of it
    least, most = defaultdict[float, int](int), defaultdict[float, int](int)
    for part in parts:
        values = [value for _, value in part.points]
        shares = [whole * part.ios * own for own, _ in part.points]
        nexts = [*(own - (own > 0) for own in shares), whole * part.ios * share(100)]
        for value, more in zip(values, _steps(shares), strict=True):
            least[value] += more
        for value, more in zip([-inf, *values], _steps(nexts), strict=True):
            most[value] += more
    asked = whole * share(percentile) * sum(part.ios for part in parts)
    low, high = _reached(most, asked), _reached(least, asked)
    return None if low == -inf else low, high


def _steps(sums: Sequence[int]) -> list[int]:
    """Give what each sum adds to the one before."""
    return [after - before for before, after in pairwise([0, *sums])]


def _reached(steps: Mapping[float, int], asked: int) -> float | None:
    """Give the first place at which the sum of the steps is what was asked, if there is one."""
    places = sorted(steps)
    sums = accumulate(steps[place] for place in places)
    return next((place for place, sum_ in zip(places, sums, strict=True) if sum_ >= asked), None)


def share(percentile: float) -> int:
    """Give a percentile in whole billionths of a percent, so that sums of shares are exact."""
    return round(percentile * 10**9)


def rank(percentile: float, n: int) -> int:
    """Give the place of a percentile among n sorted I/Os, from 1."""
    # fio takes 99.9 for the float that it is, a little more: so its 99.9 of 1000 is the last
    return max(1, ceil(Fraction(percentile) * n / 100))


def ios_needed(percentile: float, confidence: float = 0.95) -> float:
    """Give the fewest I/Os with an equal-tailed interval of the percentile; infinite at 100."""
    scarce = max(percentile, 100 - percentile) / 100
    return inf if scarce == 1 else ceil(log((1 - confidence) / 2) / log(scarce))


def ranks_around(percentile: float, n: int, confidence: float = 0.95) -> tuple[int, int] | None:
    """Give the places of the two I/Os that hold the percentile between them; None if n is small."""
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

    Before fio 3.0 that unit is 1 us. The last bin has no end, though fio prints 17.1 s.
    """
    if high == inf:
        return None
    unit = 1 if low % 1000 or high % 1000 else 1000  # bins of whole ns are powers of two
    return float(low + unit * ((high - low) // unit // 2))


def wanted_percentiles(asked: float | Sequence[float]) -> list[float]:
    """Check the percentiles that were asked for: one or several, above 0 and up to 100."""
    several = [asked] if isinstance(asked, (int, float, str)) else asked
    try:
        found = list(dict.fromkeys(float(percentile) for percentile in several))
    except (TypeError, ValueError):
        raise SchemaError(f"percentiles are numbers such as 99.9, not {asked!r}") from None
    for percentile in found:
        if not 0 < percentile <= 100:
            raise SchemaError(
                f"percentile {units.percentile(percentile)} does not lie above 0 and up to 100"
            )
    if not found:
        raise SchemaError("no percentile was asked for")
    return found
