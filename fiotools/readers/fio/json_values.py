"""Values of a fio document that are not what fio writes: programs that pass it on change them.

A number that was put in quotation marks is that number. What is no number, or does not fit its
column, is left out, and the run gets a note.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import NoneType
from typing import TYPE_CHECKING, Any

from fiotools.vocabulary import COLUMNS

if TYPE_CHECKING:
    from fiotools.readers.shapes import Shapes

_NUMBER = re.compile(r"\s*-?\d{1,40}(?:\.\d{1,40})?(?:[eE][-+]?\d{1,3})?\s*")
_KINDS: dict[str, set[type]] = {"float64": {int, float}, "str": {str}}
_LIMIT = 2**63


def fits(column: str, values: Sequence[Any]) -> bool:
    """Whether all values are of a column's type, or None."""
    kinds = set(map(type, values))
    if NoneType in kinds:
        values = [value for value in values if value is not None]
        kinds.discard(NoneType)
    dtype = COLUMNS[column].dtype
    if dtype != "Int64":
        return kinds <= _KINDS.get(dtype, kinds)
    is_whole = kinds <= {int} or (kinds <= {int, float} and all(v == v // 1 for v in values))
    return is_whole and min(values, default=0) > -_LIMIT and max(values, default=0) < _LIMIT


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

    def record(self, record: Mapping[str, Any], shapes: Shapes, place: str) -> dict[str, Any]:
        """Return a copy in which each of the figures that are taken is a number."""
        sound = self.numbers(record, shapes.keys, place)
        for keys in shapes.inner:
            key = next((key for key in keys if isinstance(record.get(key), dict)), None)
            if key is not None:
                sound[key] = self.numbers(record[key], shapes.inner_keys, f"{place}{key}.")
        return sound

    def problems(self, said: int) -> Iterator[tuple[str, str]]:
        """Say what was left out, and that numbers were texts; of so many nulls it is ``said``.

        Yields
        ------
        severity, message : str
        """
        if len(self.nulls) > said:
            more = ", ..." * (len(self.nulls) > 1)
            message = f"{len(self.nulls) - said} figures are null, which fio does not write"
            yield "warning", f"{message}: left out ({self.nulls[0]}{more})"
        if self.quoted:
            yield "info", f"{self.quoted} numbers of the document are texts: read as numbers"
        for what in dict.fromkeys(self.left_out):
            yield "warning", f"{what}, which is not what fio writes: left out"
