"""Histograms as lists of bins: which rows make one, with nothing counted twice."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from narwhals.typing import IntoDataFrameT

from fiotools.errors import SchemaError, argument, typed
from fiotools.stats import frames
from fiotools.stats.frames import Frame
from fiotools.stats.replicates import refuse_scopes, run_keys, run_name, watched
from fiotools.vocabulary import KEYS

Bin = tuple[float, float]

# never added up, even if `by` does not name them
_APART = ("latency", "direction")

_MOST = 10**15  # I/Os: three years of a thousand devices, and ranks are still exact


@dataclass
class Histogram:
    """The bins of one cell, in order and disjoint.

    `rows` are the rows of the frame, `counts` and `parts` the I/Os and rows in each bin; `n` runs
    (None if unknown); `varies_in` names labels and conditions that differ among the rows and were
    not named; `coarser` says that finer bins were added to coarser ones.
    """

    rows: list[int]
    counts: dict[Bin, int]
    parts: dict[Bin, int]
    n: int | None
    varies_in: str | None
    coarser: bool

    @property
    def notes(self) -> list[str]:
        """What to know of it before believing it."""
        found = ["finer bins were added to coarser ones"] if self.coarser else []
        return found + ([f"bins vary in {self.varies_in}"] if self.varies_in else [])


def merge_bins(bins: IntoDataFrameT, *, by: str | Sequence[str] | None = None) -> IntoDataFrameT:
    """Add up histograms, bin by bin: over jobs, threads, runs and the intervals of a log.

    Parameters
    ----------
    bins : pandas.DataFrame or polars.DataFrame
        A table such as `Results.bins`, with counts: parts, without their total beside them. Finer
        bins, as in logs with a smaller ``log_hist_coarseness``, are added to the coarser ones that
        hold them.
    by : str or sequence of str, optional
        Columns that keep histograms apart. Directions, and slat, clat and lat, always stay apart.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        A row per bin: the columns of `by`, ``latency``, ``direction``; ``bin_lo_ns``, ``bin_hi_ns``
        [ns], ``count``; ``n``, the runs in the histogram (null if `bins` does not tell them apart);
        ``parts``, the rows added; ``varies_in``, the labels that differ and are not in `by`;
        ``warnings``. `percentiles_from_bins` takes it too.

    Raises
    ------
    SchemaError
        For bins that overlap and do not nest, for bins that have only ``pct``, for a total beside
        its parts or intervals beside their whole run, for a bin that is there twice, and for a
        frame without rows or columns.

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
    lines, first = [], []
    for own in found:
        same = {"n": own.n, "varies_in": own.varies_in, "notes": own.notes}
        for edges, count in own.counts.items():
            low, high = edges
            line = {"bin_lo_ns": low, "bin_hi_ns": high, "count": count, "parts": own.parts[edges]}
            lines.append(line | same)
            first.append(own.rows[0])
    return frames.answer(data, "merge_bins", frames.kept(cell_keys(data, named), first), lines)


def cell_keys(data: Frame, by: Sequence[str]) -> list[str]:
    """Name the columns whose values make a histogram: of `by`, then latency and direction."""
    return list(dict.fromkeys([*by, *frames.present(data, _APART)]))


def histograms(data: Frame, by: Sequence[str]) -> list[Histogram]:
    """Add up the bins of each cell, or refuse."""
    frames.need(data, [*by, "bin_lo_ns", "bin_hi_ns", "count"])
    counts = _counts(data)
    edges = _edges(data)
    if "scope" not in by:
        refuse_scopes(data)
    _refuse_overlaps(data, edges)
    runs, watch = _runs(data), frames.columns(data, watched(data, [*by, *_APART]))
    times = frames.optional(data, "time_s")
    found = []
    for rows in frames.groups(data, cell_keys(data, by)).values():
        if "time_s" not in by and len({times[row] is None for row in rows}) > 1:
            raise SchemaError(
                "bins of whole runs and bins of intervals may count the same I/Os twice: keep one "
                f"kind, {_whole_runs(data)}"
            )
        outer = _coarsest({edges[row] for row in rows})
        own = Histogram(
            rows,
            dict.fromkeys(sorted(set(outer.values())), 0),
            dict.fromkeys(sorted(set(outer.values())), 0),
            _number(runs, rows),
            frames.varying(watch, rows),
            any(inner != bin_ for inner, bin_ in outer.items()),
        )
        for row in rows:
            own.counts[outer[edges[row]]] += counts[row]
            own.parts[outer[edges[row]]] += 1
        found.append(own)
    return found


def _counts(data: Frame) -> list[int]:
    found = frames.values(data, "count")
    missing = found.count(None)
    if missing:
        pandas = data.implementation.is_pandas_like()
        hint = typed(
            ".dropna(subset='count')" if pandas else ".drop_nulls('count')", "--drop-missing"
        )
        shares = frames.optional(data, "pct")
        why = (
            "they have pct only, a rounded share, which needs total_ios to be a count"
            " (fio --output-format=json+ prints counts)"
            if any(share is not None for share in shares)
            else "nothing to add"
        )
        raise SchemaError(
            f"count is missing in {missing} of {len(found)} bins: {why}; "
            f"leave them out knowingly, {hint}"
        )
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
    """Say for each bin which of them holds it whole; refuse bins that cross.

    Examples
    --------
    >>> _coarsest([(4.0, 5.0), (4.0, 6.0), (6.0, 8.0)])
    {(4.0, 6.0): (4.0, 6.0), (4.0, 5.0): (4.0, 6.0), (6.0, 8.0): (6.0, 8.0)}
    """
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


def _runs(data: Frame) -> list[Any]:
    """Say for each row which run it is of, or, in merged bins, of how many runs."""
    if "run" in data.columns:
        return list(run_keys(data))
    return frames.optional(data, "n")


def _number(runs: Sequence[Any], rows: Sequence[int]) -> int | None:
    """Count the runs of a cell, if they are known."""
    own = {runs[row] for row in rows}
    if all(isinstance(run, tuple) and len(run) == 2 for run in own):
        return len(own)
    known = next(iter(own))
    return int(known) if len(own) == 1 and isinstance(known, (int, float)) else None


def _whole_runs(data: Frame) -> str:
    if data.implementation.is_pandas_like():
        return typed(".query('time_s.isna()')", '--where "time_s >= 0"')
    return '.filter(pl.col("time_s").is_null())'


def _name(edges: Bin) -> str:
    return f"[{edges[0]:.10g}, {edges[1]:.10g})"
