"""In which unit a log's values are: the file does not say it, and fio changed it twice.

Latencies are ns since 3.0 and were usec before; only a version, a column that older ones do not
write, or physics decides. An I/O takes no longer than the run has lasted: a latency that, read as
usec, began long before the run did is ns. (By a wide margin, because I/Os that were under way
when ``ramp_time`` ended began before the clock.) That a figure is usec, physics cannot prove.

Bandwidth is KiB/s per window. A log of single I/Os has units of 1000 B/s, whatever the manual
says: ``bytes * 1000000 / nsec`` (``stat.c``, ``add_bw_sample``; usec and 1000 before 3.0). Fio
before 2.2 logged windows only, and wrote a block size beside them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from fiotools.spelling import argument
from fiotools.units import human

if TYPE_CHECKING:
    from fiotools.readers.fio.log_layout import Number

Said = tuple[int, str, str]  # scale, severity and text of a note; no text, no note

_MARGIN_MS, _MARGIN = 60_000, 10
_PER_IO_SINCE, _WINDOWS_ONLY_BEFORE = (2, 15), (2, 2)
_WINDOW_MS = 400  # fio's own windows are of 500


def latency_scale(
    frame: pl.DataFrame, version: Number, since: Number, open_: bool, relative: bool
) -> Said:
    """Say how many ns a latency's unit has.

    Parameters
    ----------
    frame : polars.DataFrame
        With ``time`` and ``value``, as printed.
    version, since : tuple of int or None
        fio's version as the caller has it, and the oldest one that writes such columns.
    open_ : bool
        Whether the fifth column may be that of an old fio.
    relative : bool
        Whether times count from the start of the run.
    """
    value, time = frame["value"], frame["time"]
    early = (value // 1000 > time + _MARGIN_MS) & (value // 1000 > time * _MARGIN)
    refuted = relative and bool(early.any())
    if version is not None:
        scale = 1000 if version < (2, 99) else 1
        if scale == 1000 and refuted:
            return (
                scale,
                "warning",
                f"usec as fio {_text(version)} writes them, but {_why(frame, early)}",
            )
        return scale, "", ""
    if since is not None:
        return 1, "", ""
    if refuted:
        return 1, "info", f"latencies are ns: {_why(frame, early)}"
    if open_:
        return (
            1,
            "info",
            "latencies are read as ns (fio 3.18 and later); an older fio with log_offset=1 wrote as"
            f" many columns, before 3.0 in usec: {argument('version')} decides",
        )
    median = value.median()
    assert isinstance(median, float)
    return (
        1,
        "warning",
        "unit not certain: latencies are read as ns (fio 3), half of them above"
        f" {human(median, 'ns')}; {argument('version', '2.21')} reads usec (fio 2),"
        f" {human(median * 1000, 'ns')}",
    )


def _why(frame: pl.DataFrame, early: pl.Series) -> str:
    row = frame.filter(early).row(0, named=True)
    return (
        f"as usec an I/O of {row['value'] / 1e6:.4g} s would have ended"
        f" {row['time'] / 1000:g} s after the start"
    )


def _text(version: tuple[int, int]) -> str:
    return "{}.{}".format(*version)


def bw_scale(
    frame: pl.DataFrame, version: Number, since: Number, open_: bool, one_job: bool
) -> Said:
    """Say how many bytes the unit has in which rows with a block size are.

    Parameters
    ----------
    frame : polars.DataFrame
        With ``time``, ``ddir`` and ``bs``.
    version, since, open_
        As in `latency_scale`.
    one_job : bool
        Whether the log is of one job alone, so that its windows end one after another.
    """
    single = frame.filter(pl.col("bs") > 0)
    if single.is_empty() or since is not None:
        return 1000, "", ""
    if version is not None and not _WINDOWS_ONLY_BEFORE <= version < _PER_IO_SINCE:
        return (1024 if version < _WINDOWS_ONLY_BEFORE else 1000), "", ""
    gaps = single.select(pl.col("time").diff().over("ddir")).to_series()
    if one_job and (gaps == 0).any():
        return 1000, "", ""  # two in one ms and direction: single I/Os
    typical = gaps.median()
    windows = isinstance(typical, float) and typical >= _WINDOW_MS
    return (
        1024 if windows else 1000,
        "info" if open_ and not windows else "warning",
        "unit not certain: bandwidths are read as "
        + (
            "KiB/s of windows (fio before 2.2)"
            if windows
            else "1000 B/s of single I/Os (since 2.15)"
        )
        + f", 2.4 % more or less than otherwise; {argument('version')} decides",
    )
