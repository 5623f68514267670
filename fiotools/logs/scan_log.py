"""`scan_log`: fio's logs of latency, bandwidth and IOPS, lazily."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING

from fiotools.input import sources as files
from fiotools.logs.head import Align, aligned, decide, heads
from fiotools.logs.lazy_frame import lazy, warn_of
from fiotools.logs.rows import rows
from fiotools.readers.fio.log_meaning import FIGURES, QUANTITY

if TYPE_CHECKING:
    import polars as pl

Paths = str | PathLike[str] | Iterable[str | PathLike[str]]


def scan_log(
    sources: Paths | Mapping[str, Paths], *, version: str | None = None, align: Align = None
) -> pl.LazyFrame:
    """Read logs of fio lazily, in constant memory: per I/O or averaged, of any length.

    Only the first lines are read now; the rest whenever the frame is collected, best by
    ``collect(engine="streaming")``.

    Parameters
    ----------
    sources : path, glob, folder, path template, list of these, or mapping of label to these
        As in `read`. Of folders and globs those files are taken that are called as such logs.
    version : str, optional
        fio's version, which no log says. Without it, that of the JSON report of the same run is
        taken, if one lies beside the log: named as the log (``x.json`` beside ``x_lat.1.log``), or
        with the log's name in its options.
    align : {"wall"} or mapping of str to float, optional
        Where several logs shall count from one moment: ``"wall"`` takes the calendar's time, of
        logs that have it (``log_unix_epoch=1``) and else of when the job began, which the report
        beside the log says (fio 3.36); times count from the first of these moments. A mapping of
        files, as `sources` names them, to the seconds that they began late says it for each. By
        default each counts for itself, as in `read`.

    Returns
    -------
    polars.LazyFrame
        The table ``samples``, as `read` gives it of the same files: labels first, ``direction`` as
        an Enum.

    Raises
    ------
    FileNotFoundError
        If nothing matches, or nothing of it is a log.
    FileError
        If a file that was named is no log, or its unit cannot be told; while it is collected, if a
        line speaks against what the first lines decided. Nothing is guessed.
    SchemaError
        If the logs cannot be aligned.

    Warns
    -----
    ScanWarning
        Of what was assumed of columns and units, because neither a version nor a report decides;
        and while it is collected, of lines that were left out, because they are torn or are not
        fio's. All that can be said of the first lines is in `scan_notes`.

    See Also
    --------
    window : Rates and percentiles of each second.
    scan_hist_log : The same for logs of histograms.

    Examples
    --------
    >>> import fiotools as ft
    >>> log = ft.scan_log("data/per-io-log/mixed_lat.1.log")
    >>> log.group_by("direction").len().sort("direction").collect(engine="streaming").rows()
    [('read', 4797)]
    """
    seen = heads(files.find(sources), version, histograms=False)
    logs = aligned([decide(head) for head in seen], align)
    warn_of([log.head.tables for log in logs], 3)
    parts = [
        (log.head.found, {**log.head.keys, "quantity": quantity}, partial(rows, log, column))
        for log in logs
        for quantity, column in log.meaning.quantities.items()
    ]
    return lazy("samples", parts, FIGURES, {**FIGURES, "quantity": QUANTITY}, "fio log")
