"""Values of a fio document that are not what fio writes: programs that pass it on change them.

A number that was put in quotation marks is that number. What is no number, or does not fit its
column, is left out, and the run gets a note.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from fiotools.vocabulary import COLUMNS

if TYPE_CHECKING:
    from fiotools.tables import Tables

_NUMBER = re.compile(r"\s*-?\d{1,40}(?:\.\d{1,40})?(?:[eE][-+]?\d{1,3})?\s*")
_WHOLE = frozenset(name for name, column in COLUMNS.items() if column.dtype == "Int64")
_REAL = frozenset(name for name, column in COLUMNS.items() if column.dtype == "float64")
_TEXT = frozenset(name for name, column in COLUMNS.items() if column.dtype == "str")


class Values:
    """Looks at the values of one run, and remembers what was wrong with them."""

    def __init__(self) -> None:
        self.left_out: list[str] = []
        self.nulls: list[str] = []
        self.quoted = 0

    def numbers(self, values: Mapping[str, Any], keys: Iterable[str], place: str) -> dict[str, Any]:
        """Return a copy in which each of the keys that is there holds a number."""
        sound = dict(values)
        for key in keys:
            value = sound.get(key)
            if type(value) is int or type(value) is float:
                continue
            if isinstance(value, str) and _NUMBER.fullmatch(value):
                self.quoted += 1
                sound[key] = float(value) if re.search("[.eE]", value) else int(value)
            elif key in sound:
                del sound[key]
                if value is None:
                    self.nulls.append(f"{place}{key}")
                else:
                    self.left_out.append(f"{place}{key} is {value!r:.40}")
        return sound

    def fitting(self, row: dict[str, Any], place: str = "") -> dict[str, Any]:
        """Return a row without the values that do not fit their columns."""
        for name, value in row.items():
            if value is None:
                continue
            if name in _WHOLE:
                fits = type(value) is int or (type(value) is float and value == value // 1)
                fits = fits and abs(value) < 2**63
            elif name in _REAL:
                fits = type(value) is int or type(value) is float
            else:
                fits = isinstance(value, str) or name not in _TEXT
            if not fits:
                self.left_out.append(f"{place}{name} is {value!r:.40}")
                row = {**row, name: None}
        return row

    def note(self, tables: Tables, run: int, line: int | None, said: int) -> None:
        """Say what was left out, and that numbers were texts; of so many nulls it is ``said``."""
        if len(self.nulls) > said:
            message = f"{len(self.nulls) - said} figures are null, which fio does not write"
            message += f": left out ({self.nulls[0]}{', ...' * (len(self.nulls) > 1)})"
            tables.note(message, line=line, severity="warning", run=run)
        if self.quoted:
            message = f"{self.quoted} numbers of the document are texts: read as numbers"
            tables.note(message, line=line, run=run)
        for what in dict.fromkeys(self.left_out):
            message = f"{what}, which is not what fio writes: left out"
            tables.note(message, line=line, severity="warning", run=run)
