"""Lines and tables of DISKSPD's text output, as the tool prints them and as people paste them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fiotools.readers.text import Cursor

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
