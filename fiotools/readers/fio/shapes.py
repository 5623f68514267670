"""The values of records: dictionaries of a few shapes, and the columns that they fill.

A program writes the same keys a thousand times. Which of them are read is found out once; then all
values of a record are taken together.

A reader of structured documents has a table `FIELDS` of `Field`, which say where the columns come
from: the code applies it, and `docs/formats.md` is printed from it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

Record = Mapping[str, Any]
Names = tuple[str, ...]
Leaves = tuple[Any, ...]
Inner = tuple[tuple[str | None, float], ...]
_MOST = 1024  # shapes: hostile files have a new one in every record


class Taker(NamedTuple):
    """How values are taken from dictionaries with the same keys."""

    take: Callable[[Record], Leaves]  # None for a value that is not there
    absent: int  # how many are not there

    @classmethod
    def of(cls, keys: Names, names: Names) -> Taker:
        """Return how to take the values under some keys, given the names that are there."""
        absent = len({*keys}.difference(names))
        if not absent:
            return cls(itemgetter(*keys), 0)
        return cls(lambda record: tuple(map(record.get, keys)), absent)


class Shape(NamedTuple):
    """Records with the same keys."""

    own: Taker
    # under which of its keys each of the dictionaries inside stands, and the unit of that key;
    # None and nan without one
    inner: Inner
    rest: Names  # the keys that are not read


class Shapes:
    """The shapes of records of one kind.

    They have values under ``keys``, at least two (those with a dot belong to `flat` records), and
    dictionaries inside, each under the first of its ``inner`` keys that is there, with values under
    ``inner_keys``. An inner key implies a unit. The keys in ``read`` are read elsewhere.

    Examples
    --------
    >>> shapes = Shapes(["a", "b"], [{"lat_ns": 1.0, "lat": 1000.0}], ["min", "max"])
    >>> shape, leaves, absent = shapes.take({"b": 2, "c": 3, "lat": {"max": 7}})
    >>> leaves, absent, shape.inner, shape.rest
    ((None, 2, None, 7), 2, (('lat', 1000.0),), ('c',))
    """

    def __init__(
        self,
        keys: Iterable[str],
        inner: Sequence[Mapping[str, float]] = (),
        inner_keys: Sequence[str] = (),
        read: Iterable[str] = (),
    ) -> None:
        self.keys, self.inner, self.inner_keys = tuple(keys), inner, tuple(inner_keys)
        self._read = frozenset((*self.keys, *(key for one in inner for key in one), *read))
        self._beside = frozenset(key.partition(".")[0] for key in self.keys if "." in key)
        self._shapes: dict[Names, Shape] = {}
        self._inside: dict[Names, Taker] = {}

    def flat(self, record: Record) -> Record:
        """Return a record in which values of keys with a dot stand beside the others.

        Examples
        --------
        >>> Shapes(["a", "b.max"]).flat({"a": 1, "b": {"min": 2, "max": 7}, "c": {"d": 3}})
        {'a': 1, 'c': {'d': 3}, 'b.min': 2, 'b.max': 7}
        """
        for outer in self._beside:
            if isinstance(inside := record.get(outer), dict):
                others = {key: value for key, value in record.items() if key != outer}
                record = others | {f"{outer}.{key}": value for key, value in inside.items()}
        return record

    def take(self, record: Record) -> tuple[Shape, Leaves, int]:
        """Take the values of a record; return also how many are not there, and are None."""
        names = tuple(record)
        shape = self._shapes.get(names) or _kept(self._shapes, names, self._shape(names))
        take, absent = shape.own
        leaves = take(record)
        for key, _ in shape.inner:
            inside = None if key is None else record[key]
            if type(inside) is not dict:
                inside = {}
            names = tuple(inside)
            known = self._inside.get(names)
            take, lacks = known or _kept(self._inside, names, Taker.of(self.inner_keys, names))
            leaves += take(inside)
            absent += lacks
        return shape, leaves, absent

    def _shape(self, names: Names) -> Shape:
        inner = (
            next(((key, unit) for key, unit in keys.items() if key in names), (None, math.nan))
            for keys in self.inner
        )
        rest = tuple(name for name in names if name not in self._read)
        return Shape(Taker.of(self.keys, names), tuple(inner), rest)


def _kept(known: dict[Names, Any], names: Names, found: Any) -> Any:
    """Keep what was found out about some names."""
    if len(known) == _MOST:
        known.clear()
    known[names] = found
    return found
