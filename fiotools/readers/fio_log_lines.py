"""The whole lines of a log, as columns of whole numbers.

Logs have 10^6 lines and more, so they are checked and parsed by polars, all lines at once. A line
is taken only if it is laid out as most of the first ones are: what a crash, a full disk or two
writers at once left behind fits no layout and is counted instead.

fio ends every line with a newline. The last line without one may be cut in the middle of a number,
which would then be read as a smaller one: it is never taken.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from fiotools.readers.fio_log_head import HEX, NUMBER, ROW, UNFINISHED

if TYPE_CHECKING:
    from fiotools.sniff import Document
    from fiotools.tables import Tables

_WIDEST = 12  # no log but those of histograms comes near
_LOOKED_AT = 200  # lines that say how all are laid out


@dataclass(frozen=True, slots=True)
class Lines:
    """The lines that were taken.

    Attributes
    ----------
    frame : polars.DataFrame
        Columns ``0``, ``1``, ...; numbers, but for the one in hex, which is text.
    hexed : int or None
        Which column is written in hex.
    numbers : polars.Series
        The line on which each row stands.
    """

    frame: pl.DataFrame
    hexed: int | None
    numbers: pl.Series


def whole_lines(document: Document, tables: Tables) -> Lines | None:
    """Take the lines that are whole, and note the others; None if there is none."""
    text = document.text
    end = text.rfind("\n") + 1
    lines = text[:end].split("\n")[:-1]
    if not text.isascii():
        lines = [line if line.isascii() else "?" for line in lines]
    shape = _shape(lines)
    if shape is None:
        return None
    width, hexed = shape
    fields = [HEX if i == hexed else NUMBER for i in range(width)]
    series = pl.Series(lines, dtype=pl.String)
    good = series.str.contains(f"^{', ?'.join(fields)}$")
    numbers = pl.int_range(1, len(lines) + 1, eager=True)
    if not good.all():
        _note_others(tables, numbers.filter(~good & (series.str.len_bytes() > 0)))
        series, numbers = series.filter(good), numbers.filter(good)
        body = "\n".join(series.to_list())
    else:
        body = text[:end]
    if end < len(text):
        tables.note(UNFINISHED, line=len(lines) + 1, severity="warning", run=tables.runs)
    schema = {str(i): pl.String if i == hexed else pl.Int64 for i in range(width)}
    frame = pl.read_csv(body.encode(), has_header=False, schema=schema, quote_char=None)
    return Lines(frame, hexed, numbers)


def _shape(lines: list[str]) -> tuple[int, int | None] | None:
    """Say how many columns most of the first lines have, and which of them is in hex."""
    shapes: Counter[tuple[int, int | None]] = Counter()
    for line in lines:
        if line.count(",") >= _WIDEST or not ROW.fullmatch(line):
            continue
        fields = line.split(",")
        hexed = [i for i, field in enumerate(fields) if "x" in field]
        if len(hexed) < 2:
            shapes[len(fields), hexed[0] if hexed else None] += 1
        if shapes.total() == _LOOKED_AT:
            break
    return shapes.most_common(1)[0][0] if shapes else None


def _note_others(tables: Tables, others: pl.Series) -> None:
    """Note lines that are laid out otherwise."""
    if len(others):
        tables.note(
            f"{len(others):,} lines not laid out as the others (torn, from another writer, or with"
            " negative or impossible numbers): left out",
            line=int(others[0]),
            severity="warning",
            run=tables.runs,
        )
