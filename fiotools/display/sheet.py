"""A table for people: columns of cells that are written already, and what stands around them.

What is the same in every row becomes one line beside the table, and what is said of several rows is
said once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fiotools.display import cells, columns
from fiotools.display.text import printable

if TYPE_CHECKING:
    import polars as pl

_NUMBER = re.compile(r"\d[\d.,]*")


@dataclass
class Shown:
    """One column of a sheet.

    Attributes
    ----------
    head : str
    cells : list of str
    right : bool
        Numbers stand to the right.
    keep : int
        What goes last when the width does not suffice: higher stays longer.
    wraps : bool
        Sentences are broken into lines; anything else is cut in its middle.
    about : str
        What the column means, for those who can point at its heading.
    once : bool
        What is the same in rows that follow each other is said once.
    """

    head: str
    cells: list[str]
    right: bool = False
    keep: int = 0
    wraps: bool = False
    about: str = ""
    once: bool = False


@dataclass
class Sheet:
    """A table with what stands above and below it: a title, what all rows share, and notes."""

    columns: list[Shown]
    title: str = ""
    notes: list[str] = field(default_factory=list)
    above: list[str] = field(default_factory=list)

    def fold(self, heads: Sequence[str]) -> None:
        """Write beside the table, once, what these columns say where it is the same in all rows."""
        if not self.columns or len(self.columns[0].cells) < 2:
            return
        same = [one for one in self.columns if len(set(one.cells)) == 1 and one.head in heads]
        if len(same) == len(self.columns):
            same = same[1:]
        said = [f"{one.head} {one.cells[0]}" for one in same if one.cells[0] != cells.NONE]
        if said:
            self.notes.insert(0, f"in all rows: {', '.join(said)}")
        self.columns = [one for one in self.columns if one not in same]


def shown(
    frame: pl.DataFrame, names: Sequence[str], *, keep: Callable[[str], int] = lambda _: 0
) -> list[Shown]:
    """Make columns of a sheet from columns of a frame."""
    made = []
    for name in names:
        texts, right = cells.column(frame[name].to_list(), name)
        made.append(Shown(columns.short(name), texts, right=right, keep=keep(name)))
    return made


def places(columns: Sequence[Shown]) -> list[str]:
    """Name each row by what some of its columns show."""
    return [" ".join(row) for row in zip(*(one.cells for one in columns), strict=True)]


def grouped(notes: Iterable[Any], where: Sequence[str]) -> list[str]:
    """List what is said of rows: each thing once, though its figures differ, and of which rows."""
    where = where or [""]  # one row, of everything
    said: dict[str, tuple[str, list[str]]] = {}
    for text, place in zip(notes, where, strict=True):
        for note in [] if cells.is_missing(text) else printable(str(text)).split("; "):
            said.setdefault(_NUMBER.sub("#", note), (note, []))[1].append(place)
    lines = []
    for note, rows in said.values():
        few = list(dict.fromkeys(row for row in rows if row))
        more = f"; and {len(few) - 2} more alike" if len(few) > 2 else ""
        lines.append(note if len(rows) == len(where) else f"{note} ({', '.join(few[:2])}{more})")
    return lines
