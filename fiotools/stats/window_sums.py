"""Windows of a log, first half: what each batch of rows adds to them.

A batch is summed up by numpy: a row of a log costs a few nanoseconds so, and what is left of a
million rows are some thousand sums. Of single I/Os these are counts, sums of values and bytes by
window, direction and fio's bin. Of rows that are intervals themselves (averaged logs, histogram
logs) nothing is summed but what ends at the same moment: to which window an interval belongs is
known only when its beginning is, which is the end of the one before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from fiotools.errors import SchemaError
from fiotools.readers.fio.bins import bin_numbers, indexed_edges

if TYPE_CHECKING:
    from numpy.typing import NDArray

SINGLE = ("lat_ns", "clat_ns", "slat_ns")  # latencies of an I/O each
SUMS = ("io_bytes", "total_ios")  # since the start of the run
DIRECTIONS = ("read", "write", "trim", "sync", "mixed", "total", "copy")
_NONE = len(DIRECTIONS)
_AT_ONCE = 1 << 15  # rows: what numpy makes of them stays in a processor's cache
_SPARSE = 8  # places to a row: beyond, rows are sorted
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
        keys = [pl.col(name).cast(kept_as(frame.schema[name])) for name in plan.keys]
        return frame.select(keys).with_columns(
            pl.lit(None, dtype=dtype).alias(name) for name, dtype in PARTS.items()
        )
    if not plan.of_bins and frame["time_s"].null_count():
        raise SchemaError("time_s is missing in some rows: leave them out")
    counts = frame.select(pl.col(plan.keys).n_unique()).row(0)
    varying = [name for name, count in zip(plan.keys, counts, strict=True) if count > 1]
    alike = frame.partition_by(varying, maintain_order=True) if varying else [frame]
    return pl.concat([_alike(part, plan) for part in alike])


def kept_as(dtype: pl.DataType) -> pl.DataType:
    """Say how a key is kept: of a path in a hundred thousand sums, its number is enough."""
    return pl.Categorical() if dtype == pl.String else dtype


def _alike(frame: pl.DataFrame, plan: Plan) -> pl.DataFrame:
    """Sum up rows of one log."""
    # not column by column: what all rows share is one value, until it is taken out of the frame
    same = frame.select(pl.col(plan.keys).first())
    if plan.of_bins:
        found = _of_bins(frame.drop_nulls("time_s"), plan)
    else:
        found = _of_samples(frame, plan, same["quantity"][0])
    keys = [
        pl.lit(same[name][0], dtype=same.schema[name]).cast(kept_as(same.schema[name])).alias(name)
        for name in plan.keys
    ]
    return found.with_columns(keys).select(*plan.keys, *PARTS)


def _of_samples(frame: pl.DataFrame, plan: Plan, quantity: str) -> pl.DataFrame:
    if quantity in SUMS:
        raise SchemaError(
            f"{quantity} counts from the start of the run, and windows are made of single I/Os or"
            " intervals: steady() makes rates of it"
        )
    # a histogram log has sizes too, of the I/O that ended the interval
    counts = quantity == "count" and frame["value"].max() != 1
    if counts or "bs_bytes" not in frame.columns:
        return _of_intervals(frame)
    gaps = frame.select(pl.col("bs_bytes").null_count()).item()
    if gaps in (0, len(frame)):
        return _of_intervals(frame) if gaps else _of_singles(frame, plan, quantity)
    single = pl.col("bs_bytes").is_not_null()
    parts = _of_singles(frame.filter(single), plan, quantity), _of_intervals(frame.filter(~single))
    return pl.concat(parts)


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


def _of_singles(frame: pl.DataFrame, plan: Plan, quantity: str) -> pl.DataFrame:
    """Sum up single I/Os by window, direction and bin."""
    time, way = frame["time_s"].to_numpy(), _ways(frame).to_numpy()
    first, last = float(time.min()), float(time.max())
    if not first >= 0:
        raise SchemaError(f"time_s is {first:g} in a row: runs begin at 0")
    # fio gives an I/O that took no time no rate
    value = frame["value"].fill_null(0).to_numpy()
    sizes = pl.col("bs_bytes")
    least, most = frame.select(sizes.min(), sizes.max().alias("most")).row(0)
    size = np.array([least]) if least == most else frame["bs_bytes"].to_numpy()
    binned = plan.bins and quantity in SINGLE
    parts = [
        _sums(
            (time[rows] / plan.seconds + _EDGE).astype(np.int64),
            way[rows],
            bin_numbers(value[rows]) if binned else None,
            value[rows],
            size if len(size) == 1 else size[rows],
        )
        for rows in (slice(at, at + _AT_ONCE) for at in range(0, len(time), _AT_ONCE))
    ]
    found = parts[0] if len(parts) == 1 else _added(parts)
    if binned:
        found["bin_lo_ns"], found["bin_hi_ns"] = indexed_edges(found.pop("bin"), 1)
    return _whole(pl.DataFrame(found), first=first, last=last)


def _sums(
    window: NDArray[np.int64],
    way: NDArray[np.uint8],
    number: NDArray[np.int64] | None,
    value: NDArray[Any],
    size: NDArray[Any],
) -> dict[str, NDArray[Any]]:
    """Sum up what has the same window, direction and bin: exactly, as long as it is below 2^53."""
    place, (low, ways, least, bins) = window, (int(window.min()), int(way.max()) + 1, 0, 1)
    place -= low
    place *= ways
    place += way
    if number is not None:
        least = int(number.min())
        bins = int(number.max()) - least + 1
        place *= bins
        place += number
        place -= least
    known = None
    if place.max() > _SPARSE * len(place):  # few I/Os in many windows
        known, place = np.unique(place, return_inverse=True)
    n = np.bincount(place)
    there = n.nonzero()[0]
    n, total = n[there], np.bincount(place, weights=value)[there]
    moved = n * size if len(size) == 1 else np.bincount(place, weights=size)[there]
    rest, bin_ = np.divmod(there if known is None else known, bins)
    at, way = np.divmod(rest, ways)
    sums = {"way": way, "at": at + low, "n": n, "total": total, "bytes": moved}
    return sums if number is None else {**sums, "bin": bin_ + least}


def _added(parts: Sequence[dict[str, NDArray[Any]]]) -> dict[str, NDArray[Any]]:
    """Add up what several sums have of one window, direction and bin: far less is left to keep."""
    found = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    place = np.zeros(len(found["n"]), dtype=np.int64)
    keys = [name for name in ("at", "way", "bin") if name in found]
    for name in keys:
        place *= int(found[name].max()) + 1
        place += found[name]
    _, first, inverse = np.unique(place, return_index=True, return_inverse=True)
    counts = np.bincount(inverse, weights=found["n"]).astype(np.int64)
    sums = {name: np.bincount(inverse, weights=found[name]) for name in ("total", "bytes")}
    return {**{name: found[name][first] for name in keys}, "n": counts, **sums}


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
