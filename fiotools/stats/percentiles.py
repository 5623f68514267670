"""Percentiles of several jobs, threads or runs: add their histograms, then read the quantile."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from narwhals.typing import IntoDataFrameT

from fiotools.stats.arguments import check_confidence
from fiotools.stats.extremes import extremes
from fiotools.stats.frames import answer, kept, names, opened
from fiotools.stats.histograms import cell_keys, histograms
from fiotools.stats.quantile_rows import COLUMNS, quantile_row, warnings_of
from fiotools.stats.quantiles import PERCENTILES, wanted_percentiles
from fiotools.vocabulary import DType


def merge_bins(bins: IntoDataFrameT, *, by: str | Sequence[str] | None = None) -> IntoDataFrameT:
    """Add up histograms, bin by bin: over jobs, threads, runs and the intervals of a log.

    Parameters
    ----------
    bins : pandas.DataFrame or polars.DataFrame
        A table such as `Results.bins`, with counts: parts, and not their total beside them. Where
        some are finer than others, as of logs with ``log_hist_coarseness``, the finer bins are
        added to the coarser ones that hold them.
    by : str or sequence of str, optional
        Columns that keep histograms apart. Directions, and slat, clat and lat, always stay apart.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        A row per bin: the columns of `by`, ``latency``, ``direction``; ``bin_lo_ns``,
        ``bin_hi_ns`` [ns], ``count``; ``n``, the runs in the histogram (null where `bins` does not
        tell them apart); ``parts``, the rows added; ``varies_in``, the labels that differ and are
        not in `by`; ``warnings``. `percentiles_from_bins` takes it too.

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
    named = names(by)
    data = opened(bins)
    found = histograms(data, named)
    lines = [(own, edges) for own in found for edges in own.counts]
    told: dict[str, tuple[DType, list[Any]]] = {
        "bin_lo_ns": ("float64", [edges[0] for _, edges in lines]),
        "bin_hi_ns": ("float64", [edges[1] for _, edges in lines]),
        "count": ("Int64", [own.counts[edges] for own, edges in lines]),
        "n": ("Int64", [own.n for own, _ in lines]),
        "parts": ("Int64", [own.parts[edges] for own, edges in lines]),
        "varies_in": ("str", [own.varies_in for own, _ in lines]),
        "warnings": ("str", ["; ".join(warnings_of(own)) or None for own, _ in lines]),
    }
    return answer(data, kept(cell_keys(data, named), [own.rows[0] for own, _ in lines]), told)


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
    named = names(by)
    data = opened(bins)
    found = histograms(data, named)
    limits = extremes(data, found, cell_keys(data, named), io)
    lines = [
        quantile_row(own, limit, percentile, confidence)
        for own, limit in zip(found, limits, strict=True)
        for percentile in wanted
    ]
    told: dict[str, tuple[DType, list[Any]]] = {
        name: (dtype, [line[name] for line in lines]) for name, dtype in COLUMNS.items()
    }
    first = [own.rows[0] for own in found for _ in wanted]
    return answer(data, kept(cell_keys(data, named), first), told)
