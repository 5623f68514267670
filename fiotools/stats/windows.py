"""Windows of time: how many I/Os, how fast, how long, in each second of a log of any length."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import polars as pl

from fiotools.stats.quantiles import wanted_percentiles
from fiotools.stats.window_frames import answered
from fiotools.stats.window_rows import histograms, read_off, windows
from fiotools.stats.window_sums import Plan

FrameT = TypeVar("FrameT")

_FIGURES = (
    *("interval_s", "span_s", "coverage_pct", "n", "iops", "bw_bytes_per_s", "mean"),
    *("percentile", "value_ns", "bound_lo_ns", "bound_hi_ns", "varies_in", "warnings"),
)
_OF_PERCENTILES = ("percentile", "value_ns", "bound_lo_ns", "bound_hi_ns")


def window(
    frame: FrameT,
    every: str | float,
    *,
    by: str | Sequence[str] | None = None,
    percentiles: float | Sequence[float] = (),
) -> FrameT:
    """Make windows of a log: rates, means and percentiles of each second.

    Parameters
    ----------
    frame : polars.LazyFrame, polars.DataFrame or pandas.DataFrame
        What `scan_log` or `scan_hist_log` gave, or a table such as `Results.samples` or
        `Results.bins`. A lazy frame is answered lazily, and read once, in constant memory.
    every : str or float
        How long a window is: ``"1s"``, ``"100ms"``, or seconds.
    by : str or sequence of str, optional
        Columns that keep windows apart. By default these are the labels, ``source``, ``run``,
        ``entry`` and ``job``: each log has windows of its own. With ``by=[]`` what several logs
        did at the same time is added up; their clocks must be one, see `scan_log`. Directions and
        quantities always stay apart.
    percentiles : float or sequence of float
        Of latencies, above 0, up to 100. Each is a row of its own.

    Returns
    -------
    polars.LazyFrame, polars.DataFrame or pandas.DataFrame
        A row per window: the columns of `by`, ``direction``, ``quantity`` (of bins ``latency``);

        * ``time_s``, its end; ``interval_s``, its length; ``span_s``, the time in it that the log
          covers, and ``coverage_pct``, the same in percent: the first and the last window are
          seldom whole;
        * ``n``, the I/Os in it (rows, where a row is a window of its log);
        * ``iops`` and ``bw_bytes_per_s``, over the time covered; none where that is less than a
          tenth of the window;
        * ``mean`` of the latencies of single I/Os [ns];
        * if asked for, ``percentile``, ``value_ns`` and ``bound_lo_ns``, ``bound_hi_ns``: the bin
          of fio's in which it is, and its middle, which is what fio prints;
        * ``varies_in``, the columns over which was added up; ``warnings``.

    Raises
    ------
    SchemaError
        For arguments that are none, samples that are sums since the start of the run, and bins
        that do not fit each other.

    See Also
    --------
    window_bins : The histogram of each window.
    steady : Whether a series was steady; it makes rounds of averaged logs.

    Notes
    -----
    A single I/O belongs to the window in which it ended. Single I/Os cover the time from the first
    to the last of them, whatever their direction; a window between these without I/O has a row
    with an ``n`` of 0. An interval (a row of an averaged log or of a histogram log) belongs to the
    window in which its middle lies, and begins with the end of the one before.

    Percentiles are those of fio's own bins, 64 to an octave, which are counted and never averaged.
    What has to be kept are the bins of all windows, some hundred each: for very long logs take
    longer windows.

    Examples
    --------
    >>> import pandas as pd
    >>> import fiotools as ft
    >>> log = pd.DataFrame({
    ...     "direction": "read", "quantity": "lat_ns", "bs_bytes": 4096,
    ...     "time_s": [0.0, 0.4, 0.999, 1.2, 1.499], "value": [100e3, 120e3, 140e3, 90e3, 110e3],
    ... })
    >>> ft.window(log, "1s", percentiles=50)[["time_s", "span_s", "n", "iops", "mean", "value_ns"]]
       time_s  span_s  n  iops      mean  value_ns
    0     1.0     1.0  3   3.0  120000.0  120320.0
    1     2.0     0.5  2   4.0  100000.0   89600.0
    """
    wanted = wanted_percentiles(percentiles) if _any(percentiles) else []
    shown = [name for name in _FIGURES if wanted or name not in _OF_PERCENTILES]

    def finish(parts: pl.DataFrame, plan: Plan) -> pl.DataFrame:
        cells = [*plan.by, "way", "at"]
        found = windows(parts, plan).with_columns(
            pl.lit(plan.seconds).alias("interval_s"),
            (100 * pl.col("span_s") / plan.seconds).round(6).alias("coverage_pct"),
        )
        if wanted:
            read = read_off(histograms(parts, plan), plan, wanted)
            asked = pl.DataFrame({"percentile": pl.Series(wanted, dtype=pl.Float64)})
            found = found.join(asked, how="cross", maintain_order="left")
            found = found.join(
                read, on=[*cells, "percentile"], how="left", nulls_equal=True, maintain_order="left"
            )
        return found

    answer: FrameT = answered(frame, every, by, shown, finish, bins=bool(wanted))
    return answer


def window_bins(
    frame: FrameT, every: str | float, *, by: str | Sequence[str] | None = None
) -> FrameT:
    """Make histograms of the latencies of a log, one for each window of time.

    Parameters
    ----------
    frame, every, by
        As in `window`.

    Returns
    -------
    polars.LazyFrame, polars.DataFrame or pandas.DataFrame
        In the form of `Results.bins`, for `plot.heatmap`, `merge_bins` and
        `percentiles_from_bins`: the columns of `by`, ``direction``, ``latency``; ``time_s``, the
        end of the window; ``bin_lo_ns``, ``bin_hi_ns`` [ns] and ``count``.

    Raises
    ------
    SchemaError
        As in `window`.

    Examples
    --------
    >>> import pandas as pd
    >>> import fiotools as ft
    >>> log = pd.DataFrame({
    ...     "direction": "read", "quantity": "clat_ns", "bs_bytes": 4096,
    ...     "time_s": [0.0, 0.4, 0.999, 1.2], "value": [128.0, 129.0, 140.0, 90.0],
    ... })
    >>> ft.window_bins(log, "1s")[["latency", "time_s", "bin_lo_ns", "bin_hi_ns", "count"]]
      latency  time_s  bin_lo_ns  bin_hi_ns  count
    0    clat     1.0      128.0      130.0      2
    1    clat     1.0      140.0      142.0      1
    2    clat     2.0       90.0       91.0      1
    """

    def finish(parts: pl.DataFrame, plan: Plan) -> pl.DataFrame:
        found = histograms(parts, plan).rename({"n": "count"})
        if plan.of_bins:
            return found
        return found.with_columns(
            pl.col("quantity").cast(pl.String).str.strip_suffix("_ns").alias("latency")
        )

    shown = ["bin_lo_ns", "bin_hi_ns", "count"]
    answer: FrameT = answered(frame, every, by, shown, finish, bins=True)
    return answer


def _any(percentiles: Any) -> bool:
    return isinstance(percentiles, (int, float, str)) or len(percentiles) > 0
