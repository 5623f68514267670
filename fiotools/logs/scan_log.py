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

from fiotools.errors import ParseError, ScanWarning, argument, typed
from fiotools.input import sources as files
from fiotools.logs.blocks import Blocks
from fiotools.logs.head import Align, aligned, decide, heads
from fiotools.logs.lazy_frame import lazy, warn_of
from fiotools.readers.fio.log import (
    FIGURES,
    QUANTITY,
    UNFINISHED,
    continued,
    figures,
    parsed,
    torn,
    unlike_fio,
)

if TYPE_CHECKING:
    from fiotools.logs.head import Log
    from fiotools.readers.fio.log import Types

_TINY = pl.UInt8()


class LeftOut:
    """Counts the lines of a file that are left out, and remembers the first."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._torn, self._unlike = [0, 0], [0, 0]

    def torn(self, lines: Sequence[int] | pl.Series, before: int) -> None:
        """Count lines with another layout; ``before`` is the number of lines above the block."""
        _count(self._torn, lines, before)

    def unlike(self, lines: Sequence[int] | pl.Series, before: int) -> None:
        """Count lines with values that fio does not write."""
        _count(self._unlike, lines, before)

    def warn(self, blocks: Blocks) -> None:
        """Warn of the lines left out."""
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
    """Yield the rows of a log, with the wanted columns of `samples`, block after block.

    Parameters
    ----------
    log : Log
    value : {"value", "max"}
    wanted : collection of str
        As in `figures`.

    Raises
    ------
    ParseError
        If a line contradicts the decisions from the first lines.
    """
    blocks = Blocks(log.head.found)
    types, before, left_out = _types(log), 0, LeftOut(log.head.found.name)
    for body in blocks:
        # one number that is too large is rarely the only one: its types stay
        lines, types = parsed(body, log.shape, types)
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


def _types(log: Log) -> Types:
    """Choose the smallest types that fit the first lines; later lines may need wider ones."""
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
    """Refuse rows that contradict the decisions."""
    meaning = log.meaning
    if meaning.windows and data["bs"].max():
        raise _against(log, before, "single I/Os follow windows of time")
    if "count" in meaning.quantities and not _ones(data):
        raise _against(
            log, before, "an IOPS log of single I/Os, 1 each, continues with other values"
        )
    earliest = data["time"].min()
    assert isinstance(earliest, int)
    if earliest < log.earliest:
        raise _against(
            log, before, f"times count from the first entry, and {earliest} ms is before it"
        )


def _ones(data: pl.DataFrame) -> bool:
    return data["value"].min() == 1 == data["value"].max()


def _against(log: Log, before: int, what: str) -> ParseError:
    """Return the error for a block unlike the first lines."""
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

    Only the first lines are read now; the rest when the frame is collected, best with
    ``collect(engine="streaming")``.

    Parameters
    ----------
    sources : path, glob, folder, path template, list of these, or mapping of label to these
        As in `read`. From folders and globs, files named like such logs are taken.
    version : str, optional
        fio's version, which logs do not say. By default it comes from the JSON report of the same
        run beside the log: named like the log (``x.json`` beside ``x_lat.1.log``), or with the
        log's name in its options.
    align : {"wall"} or mapping of str to float, optional
        How several logs count from one moment. ``"wall"`` uses Unix times: the log's own
        (``log_unix_epoch=1``), or the start of the job from the report beside the log (fio 3.36);
        times count from the earliest of these. A mapping gives the seconds by which each file, as
        `sources` names it, began late. By default each log counts by itself, as in `read`.

    Returns
    -------
    polars.LazyFrame
        The table ``samples``, as `read` returns it for the same files: labels first, ``direction``
        as an Enum.

    Raises
    ------
    FileNotFoundError
        If nothing matches, or no match is a log.
    FileError
        If a named file is not a log, or its unit is unknown; while collecting, if a line
        contradicts the decisions from the first lines. Nothing is guessed.
    SchemaError
        If the logs cannot be aligned.

    Warns
    -----
    ScanWarning
        About assumed columns and units, if neither a version nor a report decides; while
        collecting, about lines left out because they are torn or not fio's. `scan_notes` returns
        all notes on the first lines.

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
