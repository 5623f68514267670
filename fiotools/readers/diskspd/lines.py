"""Lines and tables of DISKSPD's text output, as the tool prints them and as people paste them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

_LINE = re.compile(r"\S[^\n]*")
# what a row begins with, and no header does
_FIRST = re.compile(r"\d+|total|avg|min|max|\d+th|\d+-nines", re.IGNORECASE)
_SIZED = re.compile(r" \(\d[\d.]*(?:[KMGTPE]?i?B)\)$")


@dataclass
class Table:
    """A table between bars: the names of its columns, and its rows with their lines.

    Where the text ends within a row, that row is left out, and ``cut`` is its line.
    """

    columns: list[str]
    line: int
    rows: list[tuple[int, list[str]]] = field(default_factory=list)
    cut: int | None = None


class Cursor:
    """Reads a text line by line.

    ``end`` is where the last line ended that was not blank, ``firm`` where the last one did that
    was more than a line of dashes.
    """

    def __init__(self, text: str, position: int) -> None:
        self._text, self._next = text, position
        self.number, self.end, self.firm = -1, position, position
        self.line = self.bare = ""
        self.done = False
        self.take()

    def take(self) -> str:
        """Give the line, and go on to the next."""
        line, bare = self.line, self.bare
        if bare:
            self.end = self._next - 1
            self.firm = self.firm if is_rule(bare) else self.end
        self.done = self._next > len(self._text)
        stop = self._text.find("\n", self._next)
        stop = len(self._text) if stop < 0 else stop
        self.line = self._text[self._next : stop]
        self.bare = self.line.strip()
        self.number, self._next = self.number + 1, stop + 1
        return line

    @property
    def is_open(self) -> bool:
        """Whether the text ends on this line, without an end of line: it may be cut off."""
        return self._next > len(self._text)

    def after(self) -> str:
        """Give the next line that is not blank, behind this one."""
        return next(self.ahead(1), "")

    def ahead(self, count: int) -> Iterator[str]:
        """Give some of the lines behind this one that are not blank."""
        for found in islice(_LINE.finditer(self._text, self._next), count):
            yield found[0].strip()


def is_rule(line: str) -> bool:
    """Say whether a line only separates: ``------``, ``******``, Markdown's ``|--|--|``.

    Programs make longer dashes of them.
    """
    marks = line.strip(" \t|")
    return len(marks) > 1 and not marks.strip("-\u2010\u2011\u2013\u2014\u2212*_=:| \t")


def take_table(cursor: Cursor) -> Table:
    """Take a header and the rows below it, to the first line that is none."""
    table = Table(cells(cursor.line), cursor.number)
    cursor.take()
    while not cursor.done:
        is_blank = not cursor.bare and _goes_on(cursor, table)
        if is_blank or is_rule(cursor.bare):
            cursor.take()
        elif "|" not in cursor.bare or _begins_chart(cursor.bare, table):
            break
        elif cursor.is_open and not _is_whole(cursor.bare, table):
            table.cut = cursor.number
            cursor.take()
        else:
            table.rows.append((cursor.number, cells(cursor.take(), len(table.columns))))
    return table


def _goes_on(cursor: Cursor, table: Table) -> bool:
    """Say whether a row stands below a blank line: people double the ends of lines."""
    row = cells(next((line for line in cursor.ahead(3) if not is_rule(line)), ""))
    return bool(_FIRST.fullmatch(label(row[0]))) and len(row) >= width(table, row)


def _begins_chart(line: str, table: Table) -> bool:
    """Say whether a line begins another table: blank lines above it may be lost."""
    return table.columns[0] != "%-ile" and cells(line)[0] == "%-ile"


def _is_whole(line: str, table: Table) -> bool:
    """Say whether a row that ends the text is all there: its last cell looks like those above."""
    row = cells(line, len(table.columns))
    if len(row) < width(table, row):
        return False
    if line.endswith("|") or row[-1] == "N/A" or _SIZED.search(row[-1]):
        return True
    above = {_decimals(cells[len(row) - 1]) for _, cells in table.rows if len(cells) >= len(row)}
    return bool(_decimals(row[-1])) and _decimals(row[-1]) in above


def width(table: Table, row: list[str]) -> int:
    """Give how many cells a row has: a total belongs to no file, an average to no processor."""
    if row[0] == "avg" and "CPU" in table.columns:
        return len(table.columns) - table.columns.index("CPU")
    return len(table.columns) - (row[0] == "total")


def label(cell: str) -> str:
    """Give a row's label without what Markdown adds.

    Examples
    --------
    >>> label("**Min**"), label("3-nines")
    ('min', '3-nines')
    """
    return cell.strip("*`_ ").lower()


def _decimals(cell: str) -> str:
    """Give what follows the point, whose length DISKSPD fixes: ``00`` for 12.34, ``00%``."""
    return re.sub(r"\d", "0", cell.partition(".")[2])


def cells(line: str, columns: int = 0) -> list[str]:
    """Split a row at its bars; what is too much belongs to the last column, the path.

    Examples
    --------
    >>> cells("| 0 |  4096 | IO.dat (64MiB)|"), cells("total:   8192 |   2")
    (['0', '4096', 'IO.dat (64MiB)'], ['total', '8192', '2'])
    """
    line = re.sub(r"^(\|?\s*)(total|avg)[.:]+(?:\s*\|)?", r"\1\2|", line.strip())
    line = line.removeprefix("|")
    if line.endswith("|"):
        line = line[:-1]
    return [cell.strip() for cell in line.split("|", columns - 1 if columns else -1)]
