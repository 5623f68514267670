"""The values of records: dictionaries of a few shapes, and the columns that they fill.

A program writes the same keys a thousand times. For each new shape, a function is generated that
recognises it and takes all its values at once. Only requested keys are written into the code.

A reader of structured documents has a table `FIELDS` of `Field`, which say where the columns come
from: the code applies it, and `docs/formats.md` is printed from it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

Record = Mapping[str, Any]
_MOST = 1024  # shapes: hostile files have a new one in every record


class Shape(NamedTuple):
    """Records with the same keys in the same order, and the same in the dictionaries inside."""

    # returns the values that are there; None if an inner dictionary has another shape
    take: Callable[[Record], tuple[Any, ...] | None]
    # puts them in the order asked for, None for those that are not there; None if all are
    order: Callable[[tuple[Any, ...]], tuple[Any, ...]] | None
    # under which of its keys each of the dictionaries inside stands, and the unit of that key
    inner: tuple[str | None, ...]
    units: tuple[float, ...]  # nan without a dictionary
    rest: tuple[str, ...]  # the keys that are not read

    def ordered(self, leaves: tuple[Any, ...]) -> tuple[Any, ...]:
        """Put the values in the requested order."""
        return leaves if self.order is None else self.order((*leaves, None))


class Shapes:
    """The shapes of records of one kind.

    They have values under ``keys``, at least two (those with a dot belong to `flat` records), and
    dictionaries inside, each under the first of its ``inner`` keys that is there, with values under
    ``inner_keys``. An inner key implies a unit. The keys in ``read`` are read elsewhere.

    Examples
    --------
    >>> shapes = Shapes(["a", "b"], [{"lat_ns": 1.0, "lat": 1000.0}], ["max"])
    >>> shape, leaves = shapes.take({"b": 2, "c": 3, "lat": {"max": 7}})
    >>> shape.ordered(leaves), shape.units, shape.rest
    ((None, 2, 7), (1000.0,), ('c',))
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
        self._known: dict[tuple[str, ...], list[Shape]] = {}
        self._count = 0

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

    def take(self, record: Record) -> tuple[Shape, tuple[Any, ...]]:
        """Take the values of a record: those that are there, in the order of its shape."""
        names = tuple(record)
        for shape in self._known.get(names, ()):
            leaves = shape.take(record)
            if leaves is not None:
                return shape, leaves
        shape = self._look_at(record)
        if self._count == _MOST:
            self._known, self._count = {}, 0
        self._known.setdefault(names, []).append(shape)
        self._count += 1
        leaves = shape.take(record)
        assert leaves is not None
        return shape, leaves

    def _look_at(self, record: Record) -> Shape:
        """Write the function that takes the values of records like this one."""
        places = [f"record[{key!r}]" if key in record else None for key in self.keys]
        inner = tuple(
            next((key for key in keys if isinstance(record.get(key), dict)), None)
            for keys in self.inner
        )
        lines: list[str] = []
        space: dict[str, Any] = {}
        for number, (keys, key) in enumerate(zip(self.inner, inner, strict=True)):
            inside: Record = {} if key is None else record[key]
            # which of the keys counts is the shape's, too
            for other in filter(record.__contains__, keys):
                test = "is not" if other == key else "is"
                lines.append(f"if type(record[{other!r}]) {test} dict: return None")
                if other == key:
                    break
            places += [
                f"inner{number}[{name!r}]" if name in inside else None for name in self.inner_keys
            ]
            if key is not None:
                space[f"names{number}"] = tuple(inside)
                lines.append(f"inner{number} = record[{key!r}]")
                lines.append(f"if tuple(inner{number}) != names{number}: return None")
        there = [place for place in places if place]
        lines.append(f"return ({''.join(f'{place}, ' for place in there)})")
        exec("def take(record):\n  " + "\n  ".join(lines), space)  # our keys only
        numbers = iter(range(len(there)))
        order = [next(numbers) if place else len(there) for place in places]
        is_whole = len(there) == len(places)
        rest = tuple(name for name in record if name not in self._read)
        units = tuple(
            math.nan if key is None else keys[key]
            for keys, key in zip(self.inner, inner, strict=True)
        )
        return Shape(space["take"], None if is_whole else itemgetter(*order), inner, units, rest)
