"""The model of a table for people: columns of cells that are written already, and what is around.

A layout makes a `Sheet` of an answer, once for all places where it is shown; `html` and
`text_table` write it.
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
        What goes last when the width does not suffice: higher stays longer.
    wraps : int
        How many letters a line of a sentence has at least; 0: the text stays in one line, and is
        cut in its middle where it is very long.
    joins : str or None
        In text, sentences would be narrow beside each other: those of a row are one after the
        other in the last column, this one after these letters.
    about : str
        What the column means, for those who can point at its heading.
    once : bool
        What is the same in rows that follow each other is said once.
    """

    head: str
    cells: list[str]
    right: bool = False
    keep: int = 0
    wraps: int = 0
    joins: str | None = None
    about: str = ""
    once: bool = False

    def is_said(self, at: int) -> bool:
        """Say whether the row above has the same text, which stands for this one too."""
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
        What is to be known of the rows.
    shared : str
        What all rows have alike, where that is not worth a column.
    """

    columns: list[Column]
    title: str = ""
    notes: list[str] = field(default_factory=list)
    shared: str = ""
