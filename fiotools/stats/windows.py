"""Windows of time: how many I/Os, how fast, how long, in each second of a log of any length."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import isfinite
from typing import Any, TypeVar

import narwhals as nw
import polars as pl

from fiotools import units
from fiotools.errors import SchemaError
from fiotools.stats import frames
from fiotools.stats.frames import Frame
from fiotools.stats.quantiles import wanted_percentiles
from fiotools.stats.window_sums import (
    DIRECTIONS,
    PARTS,
    Grid,
    bins_of_windows,
    kept_as,
    parts_of,
    percentiles_of_windows,
    windows,
)
from fiotools.tables.columns import POLARS
from fiotools.tables.columns import column as typed_column
from fiotools.tables.frames import to_pandas
from fiotools.vocabulary import ANSWERS, COLUMNS, EVERY, KEYS

FrameT = TypeVar("FrameT")

_OF_PERCENTILES = ("percentile", "value_ns", "bound_lo_ns", "bound_hi_ns")
_LOG = ("source", "run", "entry", "job")  # by default each log has windows of its own
_SAMPLES = ("quantity", "time_s", "value", "bs_bytes")
_BINS = ("latency", "time_s", "bin_lo_ns", "bin_hi_ns", "count")
FIGURES = ("iops", "bw_bytes_per_s", "mean", "value_ns")
_RATES = ("iops", "bw_bytes_per_s")
# which log of a job tells how many I/Os there were, where there are several
_COUNTING = ("lat_ns", "clat_ns", "slat_ns", "count", "bw_bytes_per_s", "iops")


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
        * ``n``, the I/Os in it (rows, where a row is a window of its log), and ``io_bytes``, their
          bytes;
        * ``iops`` and ``bw_bytes_per_s``, over the time covered; none where that is less than a
          tenth of the window, of which a rate would be chance: ``n`` and ``io_bytes`` still count;
        * ``mean`` of the latencies of single I/Os [ns], however few they are; none where there
          was no I/O, and none of averaged logs, which do not say how many I/Os each row is of;
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
    shown = [name for name in ANSWERS["window"] if wanted or name not in _OF_PERCENTILES]

    def finish(parts: pl.DataFrame, grid: Grid) -> pl.DataFrame:
        cells = [*grid.by, "way", "at"]
        found = windows(parts, grid).with_columns(
            pl.lit(grid.seconds).alias("interval_s"),
            (100 * pl.col("span_s") / grid.seconds).round(6).alias("coverage_pct"),
        )
        if wanted:
            read = percentiles_of_windows(bins_of_windows(parts, grid), grid, wanted)
            asked = pl.DataFrame({"percentile": pl.Series(wanted, dtype=pl.Float64)})
            found = found.join(asked, how="cross", maintain_order="left")
            found = found.join(
                read, on=[*cells, "percentile"], how="left", nulls_equal=True, maintain_order="left"
            )
        return found

    found: FrameT = _answered(frame, every, by, shown, finish, bins=bool(wanted))
    return found


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

    def finish(parts: pl.DataFrame, grid: Grid) -> pl.DataFrame:
        found = bins_of_windows(parts, grid).rename({"n": "count"})
        if grid.of_bins:
            return found
        return found.with_columns(
            pl.col("quantity").cast(pl.String).str.strip_suffix("_ns").alias("latency")
        )

    shown = [name for name in ANSWERS["window_bins"] if name != "latency"]
    found: FrameT = _answered(frame, every, by, shown, finish, bins=True)
    return found


def _any(percentiles: Any) -> bool:
    return isinstance(percentiles, (int, float, str)) or len(percentiles) > 0


def _answered(
    frame: Any,
    every: str | float,
    by: str | Sequence[str] | None,
    shown: Sequence[str],
    finish: Callable[[pl.DataFrame, Grid], pl.DataFrame],
    *,
    bins: bool,
) -> Any:
    """Sum up batches, finish what they come to, and answer in the caller's kind."""
    if isinstance(frame, pl.LazyFrame):
        return _lazily(frame, every, by, shown, finish, bins=bins)
    data = frames.opened(frame)
    is_polars = isinstance(frame, pl.DataFrame)
    whole = frame if is_polars else pl.DataFrame(_series(data, name) for name in data.columns)
    found = _lazily(whole.lazy(), every, by, shown, finish, bins=bins).collect()
    return found if is_polars else to_pandas(found)


def _series(data: Frame, name: str) -> pl.Series:
    given = frames.values(data, name)
    return typed_column(name, given) if name in COLUMNS else pl.Series(name, given)


def _lazily(
    frame: pl.LazyFrame,
    every: str | float,
    by: str | Sequence[str] | None,
    shown: Sequence[str],
    finish: Callable[[pl.DataFrame, Grid], pl.DataFrame],
    *,
    bins: bool,
) -> pl.LazyFrame:
    given = frame.collect_schema()
    grid = _grid(given, every, by, bins=bins)
    needed = [
        name
        for name in (*grid.keys, "direction", *(_BINS if grid.of_bins else _SAMPLES))
        if name in given
    ]
    sums = {**{name: kept_as(given[name]) for name in grid.keys}, **PARTS}
    cells = [*grid.keys, "way", "at", "end", "bin_lo_ns", "bin_hi_ns"]
    parts = (
        frame.select(list(dict.fromkeys(needed)))
        .map_batches(partial(parts_of, grid=grid), schema=sums, streamable=True)
        .group_by(cells)
        .agg(pl.col("n", "total", "bytes").sum(), pl.col("first").min(), pl.col("last").max())
    )
    own = [name for name in grid.by if name != grid.what]
    apart = {name: given[name] for name in own}
    if "direction" in given:
        apart["direction"] = given["direction"]
    what = "latency" if shown[-1] == "count" else grid.what
    apart[what] = given[what] if what in given else pl.String()
    types = {name: POLARS[EVERY[name].dtype] for name in shown}
    schema = {**apart, **types}

    def finished(parts: pl.DataFrame) -> pl.DataFrame:
        if parts.is_empty():
            return pl.DataFrame(schema=schema)
        words = dict(enumerate(DIRECTIONS))
        found = finish(parts, grid).with_columns(
            pl.col("way")
            .replace_strict(words, default=None, return_dtype=pl.String)
            .alias("direction"),
            ((pl.col("at") + 1) * grid.seconds).round(9).alias("time_s"),
        )
        return found.select(pl.col(name).cast(dtype) for name, dtype in schema.items())

    return parts.map_batches(finished, schema=schema)


def _grid(
    given: pl.Schema, every: str | float, by: str | Sequence[str] | None, *, bins: bool
) -> Grid:
    """Check which windows are asked for."""
    of_bins = "bin_lo_ns" in given
    what = "latency" if of_bins else "quantity"
    labels = [name for name, dtype in given.items() if name not in EVERY and not dtype.is_float()]
    if by is None:
        apart = [*labels, *(name for name in _LOG if name in given)]
    else:
        apart = [name for name in frames.names(by) if name not in ("direction", what)]
    form = nw.from_native(pl.DataFrame(schema=given))
    frames.need(form, ["time_s", *(_BINS if of_bins else ("quantity", "value")), *apart])
    apart.append(what)
    keys = [*labels, *(name for name in KEYS if name in given and name != "direction"), what]
    return Grid(_seconds(every), tuple(dict.fromkeys([*apart, *keys])), tuple(apart), bins, of_bins)


def _seconds(every: str | float) -> float:
    """Read the length of a window."""
    try:
        seconds = units.seconds(every) if isinstance(every, str) else float(every)
    except (TypeError, ValueError):
        seconds = 0.0
    if not (isfinite(seconds) and seconds > 0):
        raise SchemaError(f"every={every!r} is no length of time: '1s', '100ms', 0.5")
    return seconds


def as_samples(frame: Any, figure: str | None) -> Any:
    """Take one figure of each window for a sample; give what are no windows as it is.

    A sample stands for the time that its window covers, ``span_s``, be it the first or the last.

    Parameters
    ----------
    frame : pandas or polars frame
    figure : str or None
        A column of what `window` answers.

    Examples
    --------
    >>> import pandas as pd
    >>> log = pd.DataFrame({
    ...     "quantity": "lat_ns", "time_s": [0.1, 0.5, 1.2], "value": 9e5, "bs_bytes": 512,
    ... })
    >>> as_samples(window(log, "1s"), "iops")[["quantity", "time_s", "value", "span_s"]].round(2)
      quantity  time_s  value  span_s
    0     iops    1.00   2.22     0.9
    1     iops    1.20   4.98     0.2
    """
    if not _is_windows(frame):
        return frame
    data = frames.opened(frame)
    if figure not in FIGURES:
        named = ", ".join(FIGURES)
        raise SchemaError(f"windows have several figures: quantity= is one of {named}")
    frames.need(data, [figure])
    return _samples(data, range(len(data)), {figure: frames.values(data, figure)})


def as_rates(frame: Any) -> Any:
    """Take the rates of windows, or of a lazy log, for samples; give what is neither as it is.

    Of single I/Os each counts, be the time that its window covers ever so short.
    """
    if isinstance(frame, pl.LazyFrame):
        log, is_windows = frame, _is_windows(frame)
        frame = (log if is_windows else window(log, "1s")).collect(engine="streaming")
        if not is_windows and frame["io_bytes"].null_count() == len(frame):
            return log.collect(engine="streaming")  # an averaged log, which is short
    if not _is_windows(frame):
        return frame
    data = frames.opened(frame)
    told, percentile = frames.optional(data, "quantity"), frames.optional(data, "percentile")
    rows = []
    for own in frames.groups(data, _apart(data)).values():
        # one of the logs of the same I/Os, and one of the percentiles of a window
        chosen, least = min((told[row] for row in own), key=_place), percentile[own[0]]
        rows += [row for row in own if told[row] == chosen and percentile[row] == least]
    spans, moved = frames.values(data, "span_s"), frames.optional(data, "io_bytes")
    rates = {
        rate: [
            shown if bytes_ is None else amount / span
            for shown, bytes_, amount, span in zip(
                frames.values(data, rate), moved, frames.values(data, of), spans, strict=True
            )
        ]
        for rate, of in (("iops", "n"), ("bw_bytes_per_s", "io_bytes"))
    }
    return _samples(data, rows, rates)


def _place(quantity: str | None) -> int:
    return _COUNTING.index(quantity) if quantity in _COUNTING else len(_COUNTING)


def _is_windows(frame: Any) -> bool:
    lazy = isinstance(frame, pl.LazyFrame)
    names = set(frame.collect_schema() if lazy else getattr(frame, "columns", ()))
    return {"interval_s", "span_s", "coverage_pct"} <= names and "value" not in names


def _apart(data: Frame) -> list[str]:
    """Name the columns that tell logs apart."""
    names = data.columns[: data.columns.index("time_s")]
    return [name for name in names if name not in ("direction", "quantity")]


def _samples(data: Frame, rows: Sequence[int], figures: Mapping[str, Sequence[Any]]) -> Any:
    """Make samples; those of the last windows of a log end with it."""
    lists = frames.columns(data, ("time_s", "interval_s", "span_s"))
    quantities = frames.optional(data, "quantity")  # windows of bins have a latency
    moved = frames.optional(data, "io_bytes")
    ends = {}
    for own in frames.groups(data, _apart(data)).values():
        last = max(lists["time_s"][row] for row in own)
        for row in own:
            time, length, span = (column[row] for column in lists.values())
            ends[row] = time - length + span if time == last and span < length else time
    picked = [(row, name) for name in figures for row in rows if figures[name][row] is not None]
    if not picked:
        raise SchemaError(f"the windows have no {' and no '.join(figures)}")
    lines = [
        {
            "quantity": name if name in _RATES else quantities[row] or "clat_ns",
            "time_s": round(ends[row], 9),
            "value": figures[name][row],
            "span_s": lists["span_s"][row],
            "io_bytes": moved[row],
        }
        for row, name in picked
    ]
    keep = frames.present(data, (*_apart(data), "direction", "percentile"))
    kept = frames.kept(keep, [row for row, _ in picked])
    return frames.answer(data, ("quantity", "time_s", "value", "span_s", "io_bytes"), kept, lines)
