"""The model of a table for people: columns of written cells, with a title and notes.

A layout makes a `Sheet` of an answer; `html` and `text_table` write it. A verdict
is marked by a sign before its words; its colour only repeats the sign.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple


@dataclass(frozen=True)
class Column:
    """One column of a sheet.

    Attributes
    ----------
    head : str
    cells : list of str
    right : bool
        Numbers stand to the right.
    keep : int
        Columns with a lower number go first if the terminal is too narrow.
    wraps : int
        How many letters a line of a sentence has at least; 0: the text stays in one line in a
        terminal, and its middle is cut if it is very long.
    joins : str or None
        In a terminal, the sentences of a row stand in one column, this one after these letters.
    about : str
        The meaning of the column, a tooltip of its heading.
    once : bool
        A text that the row above has too is written once.
    names : bool
        The cells name their rows.
    links : dict of str to str
        Where a cell links to.
    """

    head: str
    cells: list[str]
    right: bool = False
    keep: int = 0
    wraps: int = 0
    joins: str | None = None
    about: str = ""
    once: bool = False
    names: bool = False
    links: dict[str, str] = field(default_factory=dict)

    def is_said(self, at: int) -> bool:
        """Say whether the row above has the same text and stands for this one too."""
        return self.once and 0 < at < len(self.cells) and self.cells[at] == self.cells[at - 1]


@dataclass
class Sheet:
    """A table with its title and notes.

    Attributes
    ----------
    columns : list of Column
        All of the same length.
    title : str
    notes : list of str
        Below the table.
    shared : str
        The values that all rows share, and that have no column.
    kind : str
        Classes of the table in HTML.
    """

    columns: list[Column]
    title: str = ""
    notes: list[str] = field(default_factory=list)
    shared: str = ""
    kind: str = ""


Mood = Literal["good", "bad", "care", "open"]


class Mark(NamedTuple):
    """A sign, and the colour that goes with it."""

    sign: str
    mood: Mood


_WORDS = {
    "faster": Mark("▲", "good"),
    "better": Mark("▲", "good"),
    "higher": Mark("▲", "open"),
    "slower": Mark("▼", "bad"),
    "worse": Mark("▼", "bad"),
    "lower": Mark("▼", "open"),
    "same": Mark("=", "open"),
    "ok": Mark("✓", "good"),
    "window met": Mark("✓", "good"),
    "window not met": Mark("✕", "bad"),
    "disagrees": Mark("✕", "bad"),
    "impossible": Mark("✕", "bad"),
    "suspect": Mark("!", "care"),
    "error": Mark("✕", "bad"),
    "warning": Mark("!", "care"),
    "info": Mark("i", "open"),
}
_HOLLOW = {"▲": "△", "▼": "▽"}
MARKED = ("verdict", "severity")  # the columns whose values are marked


def mark(words: str) -> Mark:
    """Choose the mark of a verdict, or of a note's severity.

    Examples
    --------
    >>> mark("faster").sign, mark("slower by 2 to 9 %; whether by more is not settled").sign
    ('▲', '▽')
    >>> mark("one run each: not comparable").sign, mark("window not met: range 31 %").sign
    ('?', '✕')
    """
    found = next((one for start, one in _WORDS.items() if _begins(words, start)), Mark("?", "open"))
    if words.endswith("not settled"):
        return Mark(_HOLLOW.get(found.sign, "?"), found.mood)
    return found


def _begins(words: str, start: str) -> bool:
    return words == start or words.startswith((f"{start} ", f"{start}:", f"{start},"))
