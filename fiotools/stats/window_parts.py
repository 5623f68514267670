"""Windows of a log, first half: what each batch of rows adds to them.

A batch is summed up by numpy: a row of a log costs a few nanoseconds so, and what is left of a
million rows are some thousand sums. Of single I/Os these are counts, sums of values and bytes by
window, direction and fio's bin. Of rows that are intervals themselves (averaged logs, histogram
logs) nothing is summed but what ends at the same moment: to which window an interval belongs is
known only when its beginning is, which is the end of the one before.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from fiotools.errors import SchemaError
from fiotools.readers.fio_bins import bin_numbers, indexed_edges

if TYPE_CHECKING:
    from numpy.typing import NDArray

SINGLE = ("lat_ns", "clat_ns", "slat_ns")  # latencies of an I/O each
SUMS = ("io_bytes", "total_ios")  # since the start of the run
DIRECTIONS = ("read", "write", "trim", "sync", "mixed", "total", "copy")
_NONE = len(DIRECTIONS)
_DENSE = 1 << 21  # sums in one array; beyond, rows are sorted instead
_EDGE = 1e-9  # of a window: 0.3 s is the end of the third 0.1 s
# what the sums of a window are, beside the columns that tell windows apart
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


@dataclass(frozen=True, slots=True)
class Plan:
    """What windows are asked for.

    Attributes
    ----------
    seconds : float
        Their length.
    keys : tuple of str
        Columns that keep logs apart.
    by : tuple of str
        Those of them that keep windows apart.
    bins : bool
        Whether histograms are needed.
    of_bins : bool
        Whether the rows are bins, and not samples.
    """

    seconds: float
    keys: tuple[str, ...]
    by: tuple[str, ...]
    bins: bool
    of_bins: bool

    @property
    def what(self) -> str:
        """The key that says what a row is of."""
        return "latency" if self.of_bins else "quantity"


def parts_of(frame: pl.DataFrame, plan: Plan) -> pl.DataFrame:
    """Sum up a batch."""
    if frame.is_empty():
        return frame.select(plan.keys).with_columns(
            pl.lit(None, dtype=dtype).alias(name) for name, dtype in PARTS.items()
        )
    if not plan.of_bins and frame["time_s"].null_count():
        raise SchemaError("time_s is missing in some rows: leave them out")
    counts = frame.select(pl.col(plan.keys).n_unique()).row(0)
    varying = [name for name, count in zip(plan.keys, counts, strict=True) if count > 1]
    alike = frame.partition_by(varying, maintain_order=True) if varying else [frame]
    return pl.concat([_alike(part, plan) for part in alike])


def _alike(frame: pl.DataFrame, plan: Plan) -> pl.DataFrame:
    """Sum up rows of one log."""
    if plan.of_bins:
        found = _of_bins(frame.drop_nulls("time_s"), plan)
    else:
        sizes = frame["bs_bytes"] if "bs_bytes" in frame.columns else None
        quantity = frame["quantity"][0]
        if quantity in SUMS:
            raise SchemaError(
                f"{quantity} counts from the start of the run, and windows are made of single I/Os"
                " or intervals: steady() makes rates of it"
            )
        if quantity == "count" and frame["value"].max() != 1:
            sizes = None  # a histogram log has sizes too, of the I/O that ended the interval
        if sizes is None or sizes.null_count() == len(frame):
            found = _of_intervals(frame)
        elif not sizes.null_count():
            found = _of_singles(frame, plan)
        else:
            single = sizes.is_not_null()
            parts = _of_singles(frame.filter(single), plan), _of_intervals(frame.filter(~single))
            found = pl.concat(parts)
    same = [pl.lit(frame[name][0], dtype=frame.schema[name]).alias(name) for name in plan.keys]
    return found.with_columns(same).select(*plan.keys, *PARTS)


def _ways(frame: pl.DataFrame) -> pl.Series:
    """Give each row the number of its direction."""
    if "direction" not in frame.columns:
        return pl.repeat(_NONE, len(frame), dtype=pl.UInt8, eager=True)
    column = frame["direction"]
    if isinstance(column.dtype, pl.Enum) and (
        tuple(column.dtype.categories) == DIRECTIONS[: len(column.dtype.categories)]
    ):
        return column.to_physical().cast(pl.UInt8).fill_null(_NONE)
    return column.cast(pl.Enum(DIRECTIONS)).to_physical().cast(pl.UInt8).fill_null(_NONE)


def _of_singles(frame: pl.DataFrame, plan: Plan) -> pl.DataFrame:
    """Sum up single I/Os by window, direction and bin."""
    time = frame["time_s"].to_numpy()
    # fio gives an I/O that took no time no rate
    value = frame["value"].fill_null(0).to_numpy()
    window = np.floor(time / plan.seconds + _EDGE).astype(np.int64)
    low = int(window.min())
    way = _ways(frame).to_numpy()
    ways = int(way.max()) + 1
    place = (window - low) * ways
    place += way
    lowest, bins = 0, 1
    binned = plan.bins and frame["quantity"][0] in SINGLE
    if binned:
        number = bin_numbers(value)
        lowest = int(number.min())
        bins = int(number.max()) - lowest + 1
        place *= bins
        place += number
        place -= lowest
    places, sums = _sums(place, value, frame["bs_bytes"].to_numpy())
    rest, numbers = np.divmod(places, bins)
    at, way = np.divmod(rest, ways)
    found = {"way": way.astype(np.uint8), "at": at + low, **sums}
    if binned:
        found["bin_lo_ns"], found["bin_hi_ns"] = indexed_edges(numbers + lowest, 1)
    return _whole(pl.DataFrame(found), first=float(time.min()), last=float(time.max()))


def _sums(
    place: NDArray[np.int64], value: NDArray[Any], size: NDArray[Any]
) -> tuple[NDArray[np.int64], dict[str, NDArray[Any]]]:
    """Sum up what has the same place: exactly, as long as sums stay below 2^53."""
    places = int(place.max()) + 1
    if places > max(_DENSE, 4 * len(place)):
        # few I/Os in many windows
        known, place = np.unique(place, return_inverse=True)
    n = np.bincount(place)
    total, moved = (np.bincount(place, weights=weights) for weights in (value, size))
    if places > max(_DENSE, 4 * len(place)):
        return known, {"n": n, "total": total, "bytes": moved}
    there = n.nonzero()[0]
    return there, {"n": n[there], "total": total[there], "bytes": moved[there]}


def _of_intervals(frame: pl.DataFrame) -> pl.DataFrame:
    """Keep intervals apart by their ends."""
    sums = (
        frame.select("time_s", "value", way=_ways(frame))
        .group_by(pl.col("time_s").alias("end"), "way")
        .agg(pl.len().cast(pl.Int64).alias("n"), pl.col("value").sum().alias("total"))
    )
    return _whole(sums)


def _of_bins(frame: pl.DataFrame, plan: Plan) -> pl.DataFrame:
    """Keep the bins of intervals apart by their ends, and by their edges where these matter."""
    edges = ("bin_lo_ns", "bin_hi_ns") if plan.bins else ()
    sums = (
        frame.select("time_s", "count", *edges, way=_ways(frame))
        .group_by(pl.col("time_s").alias("end"), "way", *edges)
        .agg(pl.col("count").sum().cast(pl.Int64).alias("n"))
    )
    return _whole(sums)


def _whole(sums: pl.DataFrame, **same: float) -> pl.DataFrame:
    """Give sums all columns."""
    return sums.select(
        (pl.col(name) if name in sums.columns else pl.lit(same.get(name))).cast(dtype).alias(name)
        for name, dtype in PARTS.items()
    )
