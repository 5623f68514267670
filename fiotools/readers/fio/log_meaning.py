"""What the rows of a log stand for: which quantity, in which unit, from when on.

It is decided once for a log, by what can be seen of it: `read` sees all rows, `scan_log` the first
ones, and holds the others to it.

The file does not say in which unit its values are, and fio changed it twice. Latencies are ns since
3.0 and were usec before; only a version, a column that older ones do not write, or physics decides.
An I/O takes no longer than the run has lasted: a latency that, read as usec, began long before the
run did is ns. (By a wide margin, because I/Os that were under way when ``ramp_time`` ended began
before the clock.) That a figure is usec, physics cannot prove.

Bandwidth is KiB/s per window. A log of single I/Os has units of 1000 B/s, whatever the manual
says: ``bytes * 1000000 / nsec`` (``stat.c``, ``add_bw_sample``; usec and 1000 before 3.0). Fio
before 2.2 logged windows only, and wrote a block size beside them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from fiotools.hints import argument
from fiotools.readers.fio.log_head import DIRECTION, time_zero, warn
from fiotools.units import human

if TYPE_CHECKING:
    from fiotools.readers.fio.log_head import LogName
    from fiotools.readers.fio.log_lines import Layout, Number
    from fiotools.readers.fio.version import Version
    from fiotools.tables import Tables

# one value a row; value and maximum of a window
_QUANTITIES = {
    "bw": ("bw_bytes_per_s", "bw_mean_bytes_per_s", "bw_max_bytes_per_s"),
    "iops": ("iops", "iops_mean", "iops_max"),
    **{k: (f"{k}_ns", f"{k}_mean_ns", f"{k}_max_ns") for k in ("slat", "clat", "lat")},
}
QUANTITY = pl.Enum(["count", *(name for names in _QUANTITIES.values() for name in names)])
FIGURES: Mapping[str, pl.DataType] = {
    "direction": DIRECTION,
    "time_s": pl.Float64(),
    "value": pl.Float64(),
    "bs_bytes": pl.Int64(),
    "offset_bytes": pl.Int64(),
    "prio": pl.String(),
}
_OPEN = (
    "the fifth column is 0 throughout: the priority (fio 3.18 and later), or the offset of an older"
    " fio; it is left out, and {} decides"
)
_WINDOWS = "a row is a window of time: its mean, or its maximum if fio was run with log_max_value=1"
_COMPRESSED = "; with log_compression it is of the rates of single I/Os, and no bandwidth"
_MAYBE_OLD = (
    "latencies are read as ns (fio 3.18 and later); an older fio with log_offset=1 wrote as many"
    " columns, before 3.0 in usec: {} decides"
)
_UNCERTAIN = (
    "unit not certain: latencies are read as ns (fio 3), half of them above {}; {} reads usec"
    " (fio 2), {}"
)
_UNCERTAIN_BW = (
    "unit not certain: bandwidths are read as {}, 2.4 % more or less than otherwise; {} decides"
)
_ONES = (
    "every window says 1: with log_compression fio takes the mean of single I/Os, 1 each, and that"
    " is no rate"
)
Said = tuple[int, str, str]  # scale, severity and text of a note; no text, no note

_MARGIN_MS, _MARGIN = 60_000, 10
_PER_IO_SINCE, _WINDOWS_ONLY_BEFORE = (2, 15), (2, 2)
_WINDOW_MS = 400  # fio's own windows are of 500


@dataclass(frozen=True, slots=True)
class Meaning:
    """What the rows of a log stand for.

    Attributes
    ----------
    kind : str
        What was logged, as the name says it.
    quantities : mapping
        Each quantity, and the column that has it.
    scale : int
        What a value is multiplied by; in a log of bandwidth, that of a single I/O.
    sure : bool
        Whether the scale is the same whatever other rows there are.
    zero : float
        When times begin, in ms.
    windows : bool
        Whether each row is a window of time; else rows with a block size are single I/Os.
    ones : bool
        Whether every value is 1, in a log of IOPS.
    """

    kind: str
    quantities: Mapping[str, str]
    scale: int
    sure: bool
    zero: float
    windows: bool
    ones: bool


def meaning_of(tables: Tables, name: LogName, fio: Version, layout: Layout) -> Meaning:
    """Decide what rows stand for, and note what has to be said of it."""
    frame, number = layout.frame, None if layout.refuted else fio.number
    windows = not (frame["bs"] > 0).any()
    if layout.open and not windows:
        tables.note(_OPEN.format(argument("version")), run=tables.runs)
    zero = time_zero(tables, frame["time"].to_numpy())
    said: Said = 1, "", ""
    if name.kind == "bw":
        said = _bw_scale(layout, number, name.scope == "job")
    elif name.kind != "iops":
        said = _latency_scale(layout, number, zero == 0)
    scale, severity, message = said
    if message:
        tables.note(message, severity=severity, run=tables.runs)
    one, mean, largest = _QUANTITIES[name.kind]
    ones = name.kind == "iops" and bool((frame["value"] == 1).all())
    if "max" in frame.columns:
        quantities = {mean: "value", largest: "max"}
    else:
        quantities = {one: "value"}
        if windows:
            said_of = _COMPRESSED if name.kind == "bw" else ""
            tables.note(_WINDOWS + said_of, run=tables.runs)
        if ones and not windows:
            quantities = {"count": "value"}
            tables.note("a row is one I/O, not a rate", run=tables.runs)
        elif ones:
            warn(tables, _ONES)
    sure = name.kind != "bw" or windows or not message
    return Meaning(name.kind, quantities, scale, sure, zero, windows, ones)


def _latency_scale(layout: Layout, version: Number, relative: bool) -> Said:
    """Say how many ns a latency's unit has; physics needs times from the start of the run."""
    value, time = layout.frame["value"], layout.frame["time"]
    early = (value // 1000 > time + _MARGIN_MS) & (value // 1000 > time * _MARGIN)
    why = _why(layout.frame.filter(early)) if relative and early.any() else ""
    if version is not None:
        if version >= (2, 99):
            return 1, "", ""
        said = "usec as fio {}.{} writes them, but {}".format(*version, why) if why else ""
        return 1000, "warning", said
    if layout.since is not None:
        return 1, "", ""
    if why:
        return 1, "info", f"latencies are ns: {why}"
    if layout.open:
        return 1, "info", _MAYBE_OLD.format(argument("version"))
    median = value.median()
    assert isinstance(median, float)
    older = argument("version", "2.21")
    read = human(median, "ns"), older, human(median * 1000, "ns")
    return 1, "warning", _UNCERTAIN.format(*read)


def _why(early: pl.DataFrame) -> str:
    """Say what is impossible of a latency that is read as usec."""
    row = early.row(0, named=True)
    return (
        f"as usec an I/O of {row['value'] / 1e6:.4g} s would have ended"
        f" {row['time'] / 1000:g} s after the start"
    )


def _bw_scale(layout: Layout, version: Number, one_job: bool) -> Said:
    """Say how many bytes the unit has in which rows with a block size are.

    Windows of one job end one after another: two at once are single I/Os.
    """
    single = layout.frame.filter(pl.col("bs") > 0)
    if single.is_empty() or layout.since is not None:
        return 1000, "", ""
    if version is not None and not _WINDOWS_ONLY_BEFORE <= version < _PER_IO_SINCE:
        return (1024 if version < _WINDOWS_ONLY_BEFORE else 1000), "", ""
    gaps = single.select(pl.col("time").diff().over("ddir")).to_series()
    if one_job and (gaps == 0).any():
        return 1000, "", ""
    typical = gaps.median()
    if isinstance(typical, float) and typical >= _WINDOW_MS:
        scale, severity, read = 1024, "warning", "KiB/s of windows (fio before 2.2)"
    else:
        scale, severity = 1000, "info" if layout.open else "warning"
        read = "1000 B/s of single I/Os (since 2.15)"
    return scale, severity, _UNCERTAIN_BW.format(read, argument("version"))


def figures(
    frame: pl.DataFrame, value: str, meaning: Meaning, wanted: Collection[str] = FIGURES
) -> pl.DataFrame:
    """Compute the columns of `samples` that a log has; those that are alike cost nothing.

    Parameters
    ----------
    frame : polars.DataFrame
        As in `Layout`, with a row at least.
    value : {"value", "max"}
    meaning : Meaning
    wanted : collection of str
        Which of the columns of `FIGURES`.
    """
    columns: dict[str, pl.Expr | pl.Series] = {}
    if "direction" in wanted:
        columns["direction"] = pl.col("ddir").cast(pl.UInt8).cat.to(DIRECTION)
    if "time_s" in wanted:
        # by numpy: polars divides by a number as it multiplies by its reciprocal, a digit off
        times = (frame["time"].to_numpy() - meaning.zero) / 1000
        columns["time_s"] = pl.Series(times, dtype=pl.Float64)
    if "value" in wanted:
        columns["value"] = _scaled(frame, value, meaning)
    for name, source in (("bs_bytes", "bs"), ("offset_bytes", "offset"), ("prio", "prio")):
        if name in wanted:
            columns[name] = _of_single(frame, source, FIGURES[name])
    return frame.with_columns(**columns).select(name for name in FIGURES if name in wanted)


def _scaled(frame: pl.DataFrame, value: str, meaning: Meaning) -> pl.Expr:
    """Give values in the base unit."""
    values = pl.col(value).cast(pl.Float64)
    if meaning.kind == "bw":
        if meaning.windows:
            return values * 1024
        # fio gives an I/O that took no time no rate
        single = pl.when(pl.col(value) > 0).then(values * meaning.scale)
        return pl.when(pl.col("bs") > 0).then(single).otherwise(values * 1024)
    return values if meaning.scale == 1 else values * meaning.scale


def _of_single(frame: pl.DataFrame, name: str, dtype: pl.DataType) -> pl.Expr:
    """Give a column that windows have not: one value where all are alike, as they mostly are."""
    sizes = frame["bs"]
    if name not in frame.columns or not sizes.max():
        return pl.lit(None, dtype=dtype)
    column, single = pl.col(name), bool(sizes.min())
    if single and frame[name].min() == frame[name].max():
        column = pl.lit(frame[name][0])
    column = column.cast(dtype)
    if dtype == pl.String:
        column = column.str.strip_chars()
    return column if single else pl.when(pl.col("bs") > 0).then(column)
