"""The model of a table for people: columns of written cells, with a title and notes.

A layout makes a `Sheet` of an answer; `html` and `text_table` write it.
"""

from __future__ import annotations

from dataclasses import dataclass, field


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
    """A table, and what stands around it.

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
