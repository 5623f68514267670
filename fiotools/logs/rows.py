"""The rows of a log, block after block, each held to what the first lines decided.

The lines that are left out are counted on the way, and warned of at the end.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

import polars as pl

from fiotools.errors import ParseError, ScanWarning
from fiotools.hints import argument, typed
from fiotools.logs.blocks import Blocks
from fiotools.readers.fio.log import unlike_fio
from fiotools.readers.fio.log_head import UNFINISHED
from fiotools.readers.fio.log_lines import Lines, continued, exact, fast, torn
from fiotools.readers.fio.log_meaning import figures

if TYPE_CHECKING:
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
