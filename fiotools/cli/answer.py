"""An answer in the shape that was asked for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from fiotools.cli import cells, columns, sheet, stream
from fiotools.cli.sheet import Sheet, Shown

if TYPE_CHECKING:
    import pandas as pd

_NUMBER = re.compile(r"\d[\d.,]*")


def give(frame: pd.DataFrame, form: str, sheet_of: Callable[[pd.DataFrame], Sheet]) -> None:
    """Print a frame for machines, or its sheet for people."""
    if form in ("json", "csv"):
        from fiotools.cli import raw

        stream.write(raw.text(frame, form))
    else:
        sheet.show(sheet_of(frame), form)


def shown(
    frame: pd.DataFrame, names: Sequence[str], *, keep: Callable[[str], int] = lambda _: 0
) -> list[Shown]:
    """Make columns of a sheet from columns of a frame."""
    made = []
    for name in names:
        texts, right = cells.column(frame[name].tolist(), name)
        made.append(Shown(columns.short(name), texts, right=right, keep=keep(name)))
    return made


def places(columns_: Sequence[Shown]) -> list[str]:
    """Name each row by what some of its columns show."""
    return [" ".join(row) for row in zip(*(one.cells for one in columns_), strict=True)]


def grouped(notes: Iterable[Any], where: Sequence[str]) -> list[str]:
    """List what is said of rows: each thing once, though its figures differ, and of which rows."""
    where = where or [""]  # one row, of everything
    said: dict[str, tuple[str, list[str]]] = {}
    for text, place in zip(notes, where, strict=True):
        for note in [] if cells.is_missing(text) else stream.printable(str(text)).split("; "):
            said.setdefault(_NUMBER.sub("#", note), (note, []))[1].append(place)
    lines = []
    for note, rows in said.values():
        few = list(dict.fromkeys(row for row in rows if row))
        more = f"; and {len(few) - 2} more alike" if len(few) > 2 else ""
        lines.append(note if len(rows) == len(where) else f"{note} ({', '.join(few[:2])}{more})")
    return lines
