"""Windows of time: how many I/Os, how fast, how long, in each second of a log of any length.

numpy sums up each batch of rows: a row of a log takes some nanoseconds, and a million rows leave
some thousand sums. For single I/Os, the sums are counts, values and bytes by window, direction and
fio's bin. Rows that are intervals (averaged logs, histogram logs) are only summed if they end at
the same moment: the window of an interval is known once its beginning is, which is the end of the
one before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import isfinite
from typing import TYPE_CHECKING, Any, TypeVar

import narwhals as nw
import numpy as np
import polars as pl
from numpy.typing import NDArray

from fiotools import units
from fiotools.errors import SchemaError, argument
from fiotools.readers.fio.bins import bin_numbers, indexed_edges
from fiotools.stats import frames
from fiotools.stats.percentiles import middle, rank, wanted_percentiles
from fiotools.stats.question import question
from fiotools.tables.columns import POLARS
from fiotools.tables.columns import column as typed_column
from fiotools.tables.results import to_pandas
from fiotools.vocabulary import ANSWERS, COLUMNS, CONDITIONS, EVERY, KEYS, STATISTICS, TABLES

if TYPE_CHECKING:
    from fiotools.tables.results import Results

FrameT = TypeVar("FrameT")
_OF_PERCENTILES = ("percentile", "value_ns", "bound_lo_ns", "bound_hi_ns")
_LOG = ("source", "run", "entry", "job")  # by default each log has windows of its own
_SAMPLES = ("quantity", "time_s", "value", "bs_bytes")
_BINS = ("latency", "time_s", "bin_lo_ns", "bin_hi_ns", "count")
SUMS = ("io_bytes", "total_ios")  # since the start of the run
TICK = 0.001  # s: fio's logs count milliseconds, and a run that ends at 9.999 s fills ten seconds
SINGLE = ("lat_ns", "clat_ns", "slat_ns")  # latencies of an I/O each
DIRECTIONS = ("read", "write", "trim", "sync", "mixed", "total", "copy")
_NONE = len(DIRECTIONS)
_AT_ONCE = 1 << 17  # rows: numpy's arrays of more would be most of the memory
_SPARSE = 8  # places to a row: beyond, rows are sorted
_EDGE = 1e-9  # of a window: 0.3 s is the end of the third 0.1 s
_MANY = 10_000_000  # windows: beyond, their length is a slip
_GAP, SOON = 1.5, 0.5  # of the usual interval: a longer or shorter one is not an interval
_LITTLE = 0.1  # of a window: less has no rate
IOPS, BANDWIDTHS = ("iops", "iops_mean"), ("bw_bytes_per_s", "bw_mean_bytes_per_s")
# the sums of a window, beside the columns that tell windows apart
PARTS = {
    "way": pl.UInt8(),
    "at": pl.Int64(),  # number of the window; missing for intervals
    "end": pl.Float64(),  # of an interval
    "bin_lo_ns": pl.Float64(),
    "bin_hi_ns": pl.Float64(),
    "n": pl.Int64(),
    "total": pl.Float64(),
    "bytes": pl.Float64(),
    "first": pl.Float64(),
    "last": pl.Float64(),
}


def _table(results: Results, asked: Mapping[str, Any]) -> str:
    """Take the log of values; that of histograms where only it has the latencies asked for."""
    if not results.tables.height("samples"):
        return "bins"
    if not (asked.get("bins") or np.size(asked.get("percentiles", ()))):
        return "samples"
    single = results.tables.polars("samples")["quantity"].cast(pl.String).is_in(SINGLE).any()
    if single or not results.tables.height("bins"):
        return "samples"
    timed = results.tables.polars("bins")["time_s"].is_not_null().any()
    return "bins" if timed else "samples"


@question(_table)
def window(
    log: FrameT,
    every: str | float,
    *,
    by: str | Sequence[str] | None = None,
    percentiles: float | Sequence[float] = (),
    bins: bool = False,
) -> FrameT:
    """Make windows of a log: rates, means and percentiles of each second, or histograms.

    Parameters
    ----------
    log : Results, polars.LazyFrame, polars.DataFrame or pandas.DataFrame
        The answer of `scan`, or a table such as `Results.samples` or `Results.bins`. A lazy frame
        returns a lazy one, and is read once, in constant memory.
    every : str or float
        The length of a window: 1s, 100ms, or seconds.
    by : str or sequence of str, optional
        Columns that keep windows apart. By default these are the labels, ``source``, ``run``,
        ``entry``, ``job``, and conditions in which logs differ: each log has windows of its own.
        ``by=[]`` adds up the logs; their clocks must be one, see `scan`. Directions and quantities
        always stay apart.
    percentiles : float or sequence of float
        Percentiles of latencies to give, above 0 and up to 100. Each is a row of its own.
    bins : bool
        Make a histogram of the latencies of each window instead.

    Returns
    -------
    polars.LazyFrame, polars.DataFrame or pandas.DataFrame
        With `bins` in the form of `Results.bins`, for `plot.heatmap` and `percentiles`. Else a row
        per window: the columns of `by`, ``direction``, ``quantity`` (for bins ``latency``);

        * ``time_s``, its end; ``interval_s``, its length; ``span_s``, the time in it that the log
          covers, and ``coverage_pct``, the same in percent;
        * ``n``, the I/Os in it (rows, if a row is a window of its log), and ``io_bytes``;
        * ``iops`` and ``bw_bytes_per_s``, over the time covered; null if that is less than a tenth
          of the window, whose rate would be chance;
        * ``mean`` of the latencies of single I/Os [ns]; null for averaged logs, which do not say
          how many I/Os are in a row;
        * if asked for, ``percentile``, ``value_ns`` and ``bound_lo_ns``, ``bound_hi_ns``: the bin
          of fio's in which it is, and its middle, which fio prints;
        * ``varies_in``, the columns whose values were added up; ``flags`` and
          ``details``.

    Raises
    ------
    SchemaError
        For invalid arguments, samples that are sums since the start of the run, and bins that do
        not fit each other.

    See Also
    --------
    steady : Whether a series was steady; it makes rounds of averaged logs.

    Notes
    -----
    A single I/O belongs to the window in which it ended. Single I/Os cover the time from the first
    to the last of them, in any direction; a window between these without I/O has a row with an
    ``n`` of 0. An interval (a row of an averaged log or of a histogram log) belongs to the window
    in which its middle lies, and begins with the end of the one before.

    Percentiles are those of fio's own bins, 64 to an octave. The bins of all windows are kept in
    memory, some hundred each: for very long logs take longer windows.

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
    >>> ft.window(log.assign(value=[128.0, 129, 140, 90, 90]), "1s", bins=True)[
    ...     ["latency", "time_s", "bin_lo_ns", "bin_hi_ns", "count"]
    ... ]
      latency  time_s  bin_lo_ns  bin_hi_ns  count
    0     lat     1.0      128.0      130.0      2
    1     lat     1.0      140.0      142.0      1
    2     lat     2.0       90.0       91.0      2
    """
    wanted = wanted_percentiles(percentiles) if np.size(percentiles) else []
    if bins and wanted:
        raise SchemaError("percentiles of windows, or their histograms: ask for one")
    if bins:
        return _bins(log, every, by)
    shown = [name for name in ANSWERS["window"] if wanted or name not in _OF_PERCENTILES]

    def finish(parts: pl.DataFrame, grid: Grid) -> pl.DataFrame:
        cells = [*grid.by, "way", "at"]
        found = windows(parts, grid).with_columns(
            pl.lit(grid.seconds).alias("interval_s"),
            pl.lit(None, dtype=pl.String).alias("details"),
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

    found: FrameT = _answered(log, every, by, shown, finish, bins=bool(wanted))
    return found


_OF_BINS = ("time_s", "bin_lo_ns", "bin_hi_ns", "count")


def _bins(log: FrameT, every: str | float, by: str | Sequence[str] | None) -> FrameT:
    """Make a histogram of the latencies of each window."""

    def finish(parts: pl.DataFrame, grid: Grid) -> pl.DataFrame:
        found = bins_of_windows(parts, grid).rename({"n": "count"})
        if grid.of_bins:
            return found
        return found.with_columns(
            pl.col("quantity").cast(pl.String).str.strip_suffix("_ns").alias("latency")
        )

    found: FrameT = _answered(log, every, by, _OF_BINS, finish, bins=True)
    return found


def _answered(
    frame: Any,
    every: str | float,
    by: str | Sequence[str] | None,
    shown: Sequence[str],
    finish: Callable[[pl.DataFrame, Grid], pl.DataFrame],
    *,
    bins: bool,
) -> Any:
    """Sum up batches, finish their sums, and return the same frame type."""
    log = frame
    if not isinstance(frame, pl.LazyFrame):
        data = frames.opened(frame)
        if not isinstance(frame, pl.DataFrame):
            lists = {name: frames.values(data, name) for name in data.columns}
            log = pl.DataFrame(
                typed_column(name, given) if name in COLUMNS else pl.Series(name, given)
                for name, given in lists.items()
            )
        log = log.lazy()
    given = log.collect_schema()
    telling = [] if isinstance(frame, pl.LazyFrame) or by is not None else _telling(log.collect())
    grid = _grid(given, every, by, telling, bins=bins)
    needed = [
        name
        for name in (*grid.keys, "direction", *(_BINS if grid.of_bins else _SAMPLES))
        if name in given
    ]
    sums = {**{name: kept_as(given[name]) for name in grid.keys}, **PARTS}
    cells = [*grid.keys, "way", "at", "end", "bin_lo_ns", "bin_hi_ns"]
    parts = (
        log.select(list(dict.fromkeys(needed)))
        .map_batches(partial(parts_of, grid=grid), schema=sums, streamable=True)
        .group_by(cells)
        .agg(pl.col("n", "total", "bytes").sum(), pl.col("first").min(), pl.col("last").max())
    )
    apart = [name for name in (*grid.by, "direction") if name in given and name != grid.what]
    apart.append("latency" if shown[-1] == "count" else grid.what)
    schema = {name: given.get(name, pl.String()) for name in apart}
    schema |= {name: POLARS[EVERY[name].dtype] for name in shown}

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

    found = parts.map_batches(finished, schema=schema)
    if isinstance(frame, pl.LazyFrame):
        return found
    return found.collect() if isinstance(frame, pl.DataFrame) else to_pandas(found.collect())


def _telling(log: pl.DataFrame) -> list[str]:
    """Name the conditions, hosts and targets in which logs differ, and no log does in itself."""
    names = [name for name in (*KEYS, *CONDITIONS) if name in log.columns and name not in _LOG]
    if not names:
        return []
    told = log.select(pl.col(names).drop_nulls().n_unique()).row(0)
    names = [name for name, count in zip(names, told, strict=True) if count > 1]
    logs = [name for name in _LOG if name in log.columns]
    if not names or not logs:
        return []
    within = log.group_by(logs).agg(pl.col(names).n_unique()).select(pl.col(names).max()).row(0)
    return [name for name, count in zip(names, within, strict=True) if count == 1]


def _grid(
    given: pl.Schema,
    every: str | float,
    by: str | Sequence[str] | None,
    telling: Sequence[str] = (),
    *,
    bins: bool,
) -> Grid:
    of_bins = "bin_lo_ns" in given
    what = "latency" if of_bins else "quantity"
    # a label may be named like a column of another table, as {device} is
    own = {*TABLES["samples"], *TABLES["bins"], *STATISTICS}
    labels = [name for name, dtype in given.items() if name not in own and not dtype.is_float()]
    if by is None:
        apart = [*labels, *(name for name in _LOG if name in given)]
        apart += [name for name in telling if name not in ("direction", what)]
    else:
        apart = [name for name in frames.names(by) if name not in ("direction", what)]
    form = nw.from_native(pl.DataFrame(schema=given))
    frames.need(form, ["time_s", *(_BINS if of_bins else ("quantity", "value")), *apart])
    apart.append(what)
    keys = [*labels, *(name for name in KEYS if name in given and name != "direction"), what]
    return Grid(_seconds(every), tuple(dict.fromkeys([*apart, *keys])), tuple(apart), bins, of_bins)


def _seconds(every: str | float) -> float:
    try:
        seconds = units.seconds(every) if isinstance(every, str) else float(every)
    except (TypeError, ValueError):
        seconds = 0.0
    if not (isfinite(seconds) and seconds > 0):
        raise SchemaError(f"{argument('every', every)} is not a length of time: '1s', '100ms', 0.5")
    return seconds


@dataclass(frozen=True, slots=True)
class Grid:
    """Which windows are asked for: `keys` keep logs apart, `by` also windows.

    `bins`: are histograms needed? `of_bins`: are the rows bins, and not samples?
    """

    seconds: float
    keys: tuple[str, ...]
    by: tuple[str, ...]
    bins: bool
    of_bins: bool

    @property
    def what(self) -> str:
        """The key of the measured quantity."""
        return "latency" if self.of_bins else "quantity"

    @property
    def quantity(self) -> pl.Expr:
        """The measured quantity: bins hold counts."""
        return pl.lit("count") if self.of_bins else pl.col("quantity").cast(pl.String)


def parts_of(frame: pl.DataFrame, grid: Grid) -> pl.DataFrame:
    """Sum up a batch."""
    if frame.is_empty():
        keys = [pl.col(name).cast(kept_as(frame.schema[name])) for name in grid.keys]
        return frame.select(keys).with_columns(
            pl.lit(None, dtype=dtype).alias(name) for name, dtype in PARTS.items()
        )
    if not grid.of_bins:
        _refuse_gaps(frame, "time_s")
    counts = frame.select(pl.col(grid.keys).n_unique()).row(0)
    varying = [name for name, count in zip(grid.keys, counts, strict=True) if count > 1]
    alike = frame.partition_by(varying, maintain_order=True) if varying else [frame]
    return pl.concat([_alike(part, grid) for part in alike])


def _refuse_gaps(frame: pl.DataFrame, name: str) -> None:
    """Refuse missing values, which count as 0 in a sum."""
    column = frame[name]
    if column.null_count() or (column.dtype.is_float() and column.is_nan().any()):
        raise SchemaError(f"{name} is missing in some rows: leave them out")


def kept_as(dtype: pl.DataType) -> pl.DataType:
    """Say how a key is kept: the number of a path is enough in a hundred thousand sums."""
    return pl.Categorical() if dtype == pl.String else dtype


def _alike(frame: pl.DataFrame, grid: Grid) -> pl.DataFrame:
    """Sum up rows of one log, and give the sums all columns."""
    # not column by column: a value that all rows share is stored once, until it leaves the frame
    same = frame.select(pl.col(grid.keys).first())
    if grid.of_bins:
        sums = _of_intervals(frame.drop_nulls("time_s"), grid)
    else:
        sums = _of_samples(frame, grid, same["quantity"][0])
    keys = [
        pl.lit(same[name][0], dtype=same.schema[name]).cast(kept_as(same.schema[name])).alias(name)
        for name in grid.keys
    ]
    return sums.select(
        *keys,
        *(
            (pl.col(name) if name in sums.columns else pl.lit(None)).cast(dtype).alias(name)
            for name, dtype in PARTS.items()
        ),
    )


def _of_samples(frame: pl.DataFrame, grid: Grid, quantity: str) -> pl.DataFrame:
    if quantity in SUMS:
        raise SchemaError(
            f"{quantity} counts from the start of the run, but windows need single I/Os or"
            " intervals: steady() makes rates of it"
        )
    # a histogram log has sizes too, of the I/O that ended the interval
    counts = quantity == "count" and frame["value"].max() != 1
    if counts or "bs_bytes" not in frame.columns:
        return _of_intervals(frame, grid)
    gaps = frame["bs_bytes"].null_count()
    if not gaps:
        return _of_singles(frame, grid, quantity)
    if gaps == len(frame):
        return _of_intervals(frame, grid)
    single = _of_singles(frame.drop_nulls("bs_bytes"), grid, quantity)
    others = _of_intervals(frame.filter(pl.col("bs_bytes").is_null()), grid)
    return pl.concat([single, others], how="diagonal_relaxed")


def _ways(frame: pl.DataFrame) -> pl.Series:
    """Give each row the number of its direction."""
    if "direction" not in frame.columns:
        return pl.repeat(_NONE, len(frame), dtype=pl.UInt8, eager=True)
    column = frame["direction"]
    if isinstance(column.dtype, pl.Enum) and (
        tuple(column.dtype.categories) == DIRECTIONS[: len(column.dtype.categories)]
    ):
        return column.to_physical().cast(pl.UInt8).fill_null(_NONE)
    try:
        ways = column.cast(pl.Enum(DIRECTIONS))
    except pl.exceptions.InvalidOperationError:
        there = ", ".join(map(str, column.drop_nulls().unique(maintain_order=True)))
        raise SchemaError(
            f"a direction is one of {', '.join(DIRECTIONS)}; there are: {there}"
        ) from None
    return ways.to_physical().cast(pl.UInt8).fill_null(_NONE)


def _of_singles(frame: pl.DataFrame, grid: Grid, quantity: str) -> pl.DataFrame:
    """Sum up single I/Os by window, direction and bin: exactly, as long as it is below 2^53."""
    time = frame["time_s"].to_numpy()
    first, last = float(time.min()), float(time.max())
    if not first >= 0:
        raise SchemaError(f"time_s is {first:g} in a row: runs begin at 0")
    is_latency = quantity in SINGLE
    if is_latency:
        _refuse_gaps(frame, "value")
    pieces = frame.iter_slices(_AT_ONCE)
    parts = [_sums(piece, grid.seconds, bins=grid.bins and is_latency) for piece in pieces]
    found = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    if "bin" in found:
        found["bin_lo_ns"], found["bin_hi_ns"] = indexed_edges(found.pop("bin"), 1)
    return pl.DataFrame({**found, "first": first, "last": last})


def _sums(frame: pl.DataFrame, seconds: float, *, bins: bool) -> dict[str, NDArray[Any]]:
    """Sum up some single I/Os."""
    # fio gives an I/O that took no time no rate
    value, sizes = frame["value"].fill_null(0).to_numpy(), frame["bs_bytes"]
    at = (frame["time_s"].to_numpy() / seconds + _EDGE).astype(np.int64)
    keys = {"at": at, "way": _ways(frame).to_numpy()}
    if bins:
        keys["bin"] = bin_numbers(value)
    # one number for each window, direction and bin
    place = np.zeros(len(frame), dtype=np.int64)
    least = {name: int(key.min()) for name, key in keys.items()}
    counts = {name: int(key.max()) - least[name] + 1 for name, key in keys.items()}
    for name, key in keys.items():
        place *= counts[name]
        place += key
        place -= least[name]
    known = None
    if place.max() > _SPARSE * len(place):  # few I/Os in many windows
        known, place = np.unique(place, return_inverse=True)
    n = np.bincount(place)
    there = n.nonzero()[0]
    found: dict[str, NDArray[Any]] = {"n": n[there]}
    found["total"] = np.bincount(place, weights=value)[there]
    if sizes.min() == sizes.max():  # as they mostly are
        found["bytes"] = found["n"] * sizes[0]
    else:
        found["bytes"] = np.bincount(place, weights=sizes.to_numpy())[there]
    rest = there if known is None else known
    for name in reversed(keys):
        rest, part = np.divmod(rest, counts[name])
        found[name] = part + least[name]
    return found


def _of_intervals(frame: pl.DataFrame, grid: Grid) -> pl.DataFrame:
    """Keep intervals apart by their ends, and bins by their edges if these matter."""
    edges = ("bin_lo_ns", "bin_hi_ns") if grid.of_bins and grid.bins else ()
    counted = "count" if grid.of_bins else "value"
    _refuse_gaps(frame, counted)
    rows = frame.select(counted, *edges, end="time_s", way=_ways(frame))
    total = pl.col(counted).sum()
    n = total if grid.of_bins else pl.len()
    return rows.group_by("end", "way", *edges).agg(n=n, total=total)


def windows(parts: pl.DataFrame, grid: Grid) -> pl.DataFrame:
    """Give the windows of each log, in their order, from the sums of all batches."""
    singles = _singles(parts.filter(pl.col("end").is_null()), grid)
    logs = pl.concat([singles, _intervals(placed(parts, grid), grid)], how="diagonal")
    logs = logs.sort(grid.keys)  # the last digit of a sum depends on its order
    cells = [*grid.by, "way", "at"]
    others = [name for name in grid.keys if name not in grid.by]
    differing = [pl.when(pl.col(name).n_unique() > 1).then(pl.lit(name)) for name in others]
    said = pl.concat_str([pl.lit(None), *differing], separator=", ", ignore_nulls=True)
    rates = [
        pl.when(pl.col(name).is_not_null().all()).then(pl.col(name).sum()).alias(name)
        for name in ("io_bytes", "iops", "bw_bytes_per_s", "total")
    ]
    found = logs.group_by(cells, maintain_order=True).agg(
        *rates,
        pl.col("n").sum(),
        pl.col("span_s").max(),
        pl.col("flags").drop_nulls().first(),
        said.replace("", None).alias("varies_in"),
    )
    mean = pl.when(pl.col("n") > 0).then(pl.col("total") / pl.col("n")).alias("mean")
    return found.with_columns(mean).sort(cells)


def _singles(parts: pl.DataFrame, grid: Grid) -> pl.DataFrame:
    """Give the windows of logs of single I/Os, including those without I/O."""
    group = [name for name in grid.by if name != grid.what]
    logs = [*grid.keys, "way"]
    found = parts.group_by(*logs, "at").agg(
        pl.col("n", "total", "bytes").sum(), pl.col("first").min(), pl.col("last").max()
    )
    # an I/O in any direction shows that the log went on
    since, to = pl.col("first").min(), pl.col("last").max() + TICK
    low, high = pl.col("at").min(), pl.col("at").max()
    whole = [since.alias("since"), to.alias("to"), low.alias("low"), high.alias("high")]
    each = found.select(*logs, *(end.over(group) if group else end for end in whole)).unique()
    count = each.select((pl.col("high") - pl.col("low") + 1).sum()).item()
    if count > _MANY:
        raise SchemaError(f"windows of {grid.seconds:g} s are {count:,}: take longer ones")
    each = each.with_columns(pl.int_ranges("low", pl.col("high") + 1).alias("at")).explode("at")
    begin, end = pl.col("at") * grid.seconds, (pl.col("at") + 1) * grid.seconds
    span = pl.min_horizontal(end, "to") - pl.max_horizontal(begin, "since")
    least = round(_LITTLE * grid.seconds, 9)  # as spans are
    covered = pl.when(pl.col("span_s") >= least).then("span_s")
    return (
        each.join(found, on=[*logs, "at"], how="left", nulls_equal=True)
        .with_columns(pl.col("n", "total", "bytes").fill_null(0), span.round(9).alias("span_s"))
        .select(
            *logs,
            "at",
            "span_s",
            "n",
            pl.col("bytes").alias("io_bytes"),
            (pl.col("n") / covered).alias("iops"),
            (pl.col("bytes") / covered).alias("bw_bytes_per_s"),
            pl.when(grid.quantity.is_in(SINGLE)).then("total").alias("total"),
        )
    )


def _intervals(parts: pl.DataFrame, grid: Grid) -> pl.DataFrame:
    """Give the windows of logs whose rows are intervals; those without rows are unknown."""
    logs = [*grid.keys, "way", "at"]
    each = parts.group_by(*logs, "end", "width").agg(pl.col("n", "total").sum()).sort("end")
    value = pl.col("total") / pl.col("n") * pl.col("width")
    found = each.group_by(logs, maintain_order=True).agg(
        pl.col("n", "total").sum(), pl.col("width").sum().alias("span_s"), value.sum().alias("sum")
    )
    quantity = grid.quantity
    counted, mean = quantity == "count", pl.col("sum") / pl.col("span_s")
    rate = pl.when(counted).then(pl.col("total") / pl.col("span_s"))
    return found.select(
        *logs,
        "span_s",
        pl.when(counted).then(pl.col("total").cast(pl.Int64)).otherwise("n").alias("n"),
        rate.when(quantity.is_in(IOPS)).then(mean).alias("iops"),
        pl.when(quantity.is_in(BANDWIDTHS)).then(mean).alias("bw_bytes_per_s"),
        pl.when(quantity.str.ends_with("_ns")).then(pl.lit("unweighted")).alias("flags"),
    )


def lengths(step: pl.Expr, rates: pl.Expr) -> tuple[pl.Expr, pl.Expr]:
    """Give the usual length of the intervals of a log, and the longest that one may have.

    fio writes no window without I/O, so that the shortest is usual; the last may be a part of one,
    and one that came late takes nearly twice as long.
    """
    middle = step.median()
    shortest = step.head(pl.len() - 1).min().fill_null(middle)
    usual = pl.when(rates).then(shortest).otherwise(middle)
    late = pl.max_horizontal(_GAP * usual, 2 * usual - 3 * TICK)
    longest = pl.when(rates).then(late).otherwise(_GAP * usual)
    return usual.alias("usual"), longest.alias("longest")


def placed(parts: pl.DataFrame, grid: Grid) -> pl.DataFrame:
    """Say in which window each interval lies: that of its middle; and how long it was.

    It begins with the end of the one before; if that is too long ago, it gets the usual length.
    """
    logs = [*grid.keys, "way"]
    intervals = parts.filter(pl.col("end").is_not_null())
    ends = intervals.select(*logs, "end").unique().sort(*logs, "end")
    step = pl.col("end").diff()
    is_rate = grid.quantity.is_in((*IOPS, *BANDWIDTHS))
    usual, longest = (length.over(logs) for length in lengths(step, is_rate))
    usual, longest = usual.fill_null(pl.col("end")), longest.fill_null(pl.col("end"))
    # the first counts from the start of the run, unless times count from its own end
    start = pl.when(pl.col("end") >= SOON * usual).then(pl.col("end")).otherwise(usual)
    width = step.over(logs).fill_null(start)
    ends = ends.with_columns(pl.when(width <= longest).then(width).otherwise(usual).alias("width"))
    center = (pl.col("end") - pl.col("width") / 2) / grid.seconds + _EDGE
    ends = ends.with_columns(center.floor().cast(pl.Int64).alias("at"))
    return intervals.drop("at").join(ends, on=[*logs, "end"], nulls_equal=True)


def bins_of_windows(parts: pl.DataFrame, grid: Grid) -> pl.DataFrame:
    """Give the bins of each window, in their order, with ``n``."""
    is_bin, is_single = pl.col("bin_lo_ns").is_not_null(), pl.col("end").is_null()
    cells = [*grid.by, "way", "at"]
    bins = [*cells, "bin_lo_ns", "bin_hi_ns"]
    columns = [*bins, "n"]
    # lazily: of a million bins no column is copied that is not needed
    singles = parts.lazy().filter(is_bin & is_single).select(columns).collect()
    intervals = placed(parts.filter(is_bin & ~is_single), grid).select(columns)
    found = pl.concat([singles, intervals])
    found = found.group_by(bins).agg(pl.col("n").sum()).filter(pl.col("n") > 0).sort(bins)
    before = pl.col("bin_hi_ns").shift(1).over(cells)
    if found.select((before > pl.col("bin_lo_ns")).any()).item():
        raise SchemaError(
            f"bins of different widths overlap in a window: keep the logs apart, {argument('by')}"
        )
    return found


def percentiles_of_windows(bins: pl.DataFrame, grid: Grid, wanted: Sequence[float]) -> pl.DataFrame:
    """Read percentiles off the histograms of windows (`bins_of_windows`), as fio does."""
    cells = [*grid.by, "way", "at"]
    sums = bins.with_columns(
        pl.col("n").cum_sum().over(cells).alias("sum"), pl.col("n").sum().over(cells).alias("of")
    )
    found = []
    for percentile in wanted:
        ranks = {n: rank(percentile, n) for n in sums["of"].unique()}
        place = pl.col("of").replace_strict(ranks, return_dtype=pl.Int64)
        reached = sums.filter(pl.col("sum") >= place)
        found.append(
            reached.group_by(cells, maintain_order=True)
            .agg(pl.col("bin_lo_ns", "bin_hi_ns").first())
            .with_columns(pl.lit(percentile, dtype=pl.Float64).alias("percentile"))
        )
    read = pl.concat(found).rename({"bin_lo_ns": "bound_lo_ns", "bin_hi_ns": "bound_hi_ns"})
    edges = read.select("bound_lo_ns", "bound_hi_ns").iter_rows()
    values = [middle(low, high) for low, high in edges]
    return read.with_columns(pl.Series("value_ns", values, dtype=pl.Float64))
