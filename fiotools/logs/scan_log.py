"""`scan_log`: fio's logs of latency, bandwidth and IOPS, lazily.

A log is read block after block, and each block is checked against the decisions from the first
lines. Lines that are left out are counted, and a warning at the end says how many.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING

import polars as pl

from fiotools.errors import ParseError, ScanWarning
from fiotools.hints import argument, typed
from fiotools.input import sources as files
from fiotools.logs.blocks import Blocks
from fiotools.logs.head import Align, aligned, decide, heads
from fiotools.logs.lazy_frame import lazy, warn_of
from fiotools.readers.fio.log import (
    FIGURES,
    QUANTITY,
    Lines,
    continued,
    exact,
    fast,
    figures,
    torn,
    unlike_fio,
)
from fiotools.readers.fio.log_head import UNFINISHED

if TYPE_CHECKING:
    import polars as pl

    from fiotools.logs.head import Log

_TINY = pl.UInt8()
_WIDE = (pl.Int64(),)


class LeftOut:
    """How many lines of a file are not taken, and which is the first."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._torn, self._unlike = [0, 0], [0, 0]

    def torn(self, lines: Sequence[int] | pl.Series, before: int) -> None:
        """Count lines that are laid out otherwise, after so many lines before."""
        _count(self._torn, lines, before)

    def unlike(self, lines: Sequence[int] | pl.Series, before: int) -> None:
        """Count lines with figures that fio does not write."""
        _count(self._unlike, lines, before)

    def warn(self, blocks: Blocks) -> None:
        """Say what was left out."""
        said = [
            f"{self._name}:{line}: {what(count)}"
            for (count, line), what in ((self._torn, torn), (self._unlike, unlike_fio))
            if count
        ]
        said += [f"{self._name}: {UNFINISHED}"] if blocks.torn else []
        said += [f"{self._name}: {remark}" for remark in blocks.remarks]
        for message in said:
            warnings.warn(message, ScanWarning, stacklevel=2)


def _count(found: list[int], lines: Sequence[int] | pl.Series, before: int) -> None:
    if len(lines):
        found[1] = found[1] or before + int(lines[0])
        found[0] += len(lines)


def rows(log: Log, value: str, wanted: Collection[str]) -> Iterator[pl.DataFrame]:
    """Give the rows of a log, with the wanted columns of `samples`, block after block.

    Parameters
    ----------
    log : Log
    value : {"value", "max"}
    wanted : collection of str
        As in `figures`.

    Raises
    ------
    ParseError
        If a line speaks against what the first lines decided.
    """
    blocks = Blocks(log.head.found)
    types, before, left_out = _types(log), 0, LeftOut(log.head.found.name)
    for body in blocks:
        frame = fast(body, log.shape, types)
        if frame is None and types is not _WIDE:
            wide = fast(body, log.shape, _WIDE)
            if wide is not None:  # one number that is too large is seldom the only one
                frame, types = wide, _WIDE
        lines = Lines(frame, log.shape[1]) if frame is not None else exact(body, log.shape)
        part = continued(lines, log.layout)
        if part is None:
            raise _against(log, before, "its columns mean something else than those before")
        data, bad = part
        if lines.others is not None:
            left_out.torn(lines.others, before)
        left_out.unlike(bad, before)
        if len(data):
            _hold(log, data, before)
            yield figures(data, value, log.meaning, wanted)
        before += body.count(b"\n") if lines.others is not None else lines.frame.height
    left_out.warn(blocks)


def _types(log: Log) -> tuple[pl.DataType, ...]:
    """Choose the smallest columns that the first lines fit into; later ones may be wider."""
    names = log.layout.frame.columns
    small = {"ddir": _TINY, "prio": _TINY, "time": pl.Int32()}
    types = [small.get(name, pl.UInt32()) for name in names]
    last = [_TINY] if log.layout.open else []
    if log.meaning.zero >= 2**31:
        types[0] = pl.Int64()
    offset = names.index("offset") if "offset" in names else None
    if offset is not None:
        types[offset] = pl.Int64()
    return (*types, *last)


def _hold(log: Log, data: pl.DataFrame, before: int) -> None:
    """Refuse rows that speak against what was decided."""
    meaning = log.meaning
    if meaning.windows and data["bs"].max():
        raise _against(log, before, "single I/Os follow on windows of time")
    if "count" in meaning.quantities and not _ones(data):
        raise _against(log, before, "an IOPS log of single I/Os, 1 each, goes on with others")
    earliest = data["time"].min()
    assert isinstance(earliest, int)
    if earliest < log.earliest:
        raise _against(
            log, before, f"times count from the first entry, and {earliest} ms is before it"
        )


def _ones(data: pl.DataFrame) -> bool:
    return data["value"].min() == 1 == data["value"].max()


def _against(log: Log, before: int, what: str) -> ParseError:
    """Say that a block is not as the first lines are."""
    return ParseError(
        log.head.found.name,
        f"from line {before + 1:,} on: {what}",
        line=before + 1,
        remedy=f"{argument('version')} may decide;"
        f" {typed('read()', 'fiotools read')} looks at all lines before it decides",
    )


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
