"""Typed columns: numbers, texts and what is missing, as numpy has them.

What many files give is put together of pieces: lists that a reader filled row by row, arrays that
it computed at once, and values that a thousand rows share. A piece becomes a `Vector` here, vectors
become one, and only when all files are read does that become a column of a frame.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import polars as pl

from fiotools.vocabulary import PANDAS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fiotools.column import DType

Given: TypeAlias = "Sequence[Any] | NDArray[Any] | pl.Series | Vector"
Sizes: TypeAlias = "NDArray[np.int64]"

_NONE = type(None)
_EPOCH, _MILLISECOND = datetime(1970, 1, 1, tzinfo=UTC), timedelta(milliseconds=1)


@dataclass(slots=True)
class Vector:
    """A typed column.

    Attributes
    ----------
    data : numpy.ndarray
        Numbers; of a date its milliseconds; of a text its place in ``words``.
    missing : numpy.ndarray or None
        Which values there are not; None where all are there. A float64 has nan instead, a text
        the place -1.
    words : list of str or None
        The texts; a text may stand in it more than once.
    """

    data: NDArray[Any]
    missing: NDArray[np.bool_] | None = None
    words: list[str] | None = None

    def __len__(self) -> int:
        return len(self.data)

    @property
    def known(self) -> NDArray[np.bool_]:
        """Which values there are."""
        known: NDArray[np.bool_] = np.ones(len(self.data), dtype=bool)
        if self.words is not None:
            known = self.data >= 0
        elif self.data.dtype == np.float64:
            known = ~np.isnan(self.data)
        elif self.missing is not None:
            known = ~self.missing
        return known

    def floats(self) -> NDArray[np.float64]:
        """Return the numbers as float64, nan where there are none."""
        values = self.data.astype(np.float64)
        if self.missing is not None:
            values[self.missing] = np.nan
        return values

    def numbers(self) -> NDArray[Any]:
        """Return numbers that are equal where the values are."""
        if self.words is None:
            return self.data if self.missing is None else np.where(self.missing, -1, self.data)
        texts: dict[str, int] = {}
        same = [texts.setdefault(word, len(texts)) for word in self.words]
        numbers = np.array([*same, -1], dtype=np.int32)
        return numbers.take(self.data)

    def take(self, index: NDArray[Any]) -> Vector:
        """Return the values at some places."""
        missing = None if self.missing is None else self.missing[index]
        return Vector(self.data[index], missing, self.words)

    def spans(self, starts: Sizes, sizes: Sizes) -> Vector:
        """Return stretches of values: so many each, from some places on."""
        missing = None if self.missing is None else spans(self.missing, starts, sizes)
        return Vector(spans(self.data, starts, sizes), missing, self.words)

    def repeat(self, sizes: Any) -> Vector:
        """Return every value several times."""
        missing = None if self.missing is None else self.missing.repeat(sizes)
        return Vector(self.data.repeat(sizes), missing, self.words)

    def at(self, place: int) -> Any:
        """Return one value as Python has it, None where there is none."""
        if self.words is not None:
            return self.words[self.data[place]] if self.data[place] >= 0 else None
        if self.missing is not None and self.missing[place]:
            return None
        value = self.data[place].item()
        return None if value != value else value

    def listed(self) -> list[Any]:
        """Return all values as Python has them, None where there are none."""
        if self.words is not None:
            words = [*self.words, None]  # the place -1
            return [words[place] for place in self.data.tolist()]
        values: list[Any] = self.data.tolist()
        known = self.known
        if known.all():
            return values
        return [value if there else None for value, there in zip(values, known, strict=True)]

    tolist = listed  # as arrays have it


def vector(given: Given, dtype: DType) -> Vector:
    """Type the values of a column.

    Parameters
    ----------
    given : sequence, numpy.ndarray or Vector
        An array has all its values (of float64, nan is none).
    dtype : str
        As the vocabulary has it.

    Examples
    --------
    >>> vector([3, None], "Int64").missing
    array([False,  True])
    >>> vector(["read", None, "read"], "str").at(2)
    'read'
    """
    if isinstance(given, Vector):
        return given
    if isinstance(given, pl.Series):
        given = given.to_list()
    if isinstance(given, np.ndarray) and given.dtype != object and dtype in _NUMPY:
        return Vector(given.astype(_NUMPY[dtype], copy=False))
    values = given.tolist() if isinstance(given, np.ndarray) else given
    if dtype == "str":
        return _texts(values)
    if dtype == "float64":
        return Vector(np.array(values, dtype=np.float64))
    kinds = set(map(type, values))
    if dtype == "Int64" and kinds <= {int}:
        return Vector(np.array(values, dtype=np.int64))
    if kinds <= {_NONE}:
        return nothing(len(values), dtype)
    missing = np.fromiter((value is None for value in values), bool, len(values))
    if kinds <= {_PLAIN.get(dtype), _NONE}:
        data = np.array([value or 0 for value in values], dtype=_NUMPY[dtype])
    elif dtype == "datetime" and all(value is None or value.tzinfo for value in values):
        moments = (0 if value is None else (value - _EPOCH) // _MILLISECOND for value in values)
        data = np.fromiter(moments, np.int64, len(values))
    else:
        return _odd(values, dtype)
    return Vector(data, missing if missing.any() else None)


def _odd(values: Sequence[Any], dtype: DType) -> Vector:
    """Type what is not plainly of the type, as pandas does, or refuse it."""
    import pandas as pd

    kind: Any = pd.api.types.pandas_dtype(PANDAS[dtype])
    array: Any = pd.array(list(values), dtype=kind)
    missing = np.asarray(array.isna())
    if dtype == "datetime":
        data = array.asi8
    else:
        data = array.to_numpy(dtype=_NUMPY[dtype], na_value=_NUMPY[dtype](0))
    return Vector(data, missing if missing.any() else None)


_NUMPY: dict[DType, Any] = {"Int64": np.int64, "float64": np.float64, "boolean": np.bool_}
_PLAIN: dict[DType, type] = {"Int64": int, "boolean": bool}


def _texts(values: Sequence[Any]) -> Vector:
    odd = [kind for kind in set(map(type, values)) if kind not in (str, _NONE)]
    if odd:
        value = next(value for value in values if type(value) in odd)
        raise TypeError(f"{value!r} is no text")
    first = values[0] if values else None
    if first is not None and all(value is first for value in values):
        return Vector(np.zeros(len(values), dtype=np.int32), words=[first])
    places = np.arange(len(values), dtype=np.int32)
    if None in values:
        none = np.fromiter((value is None for value in values), dtype=bool, count=len(values))
        places = np.where(none, -1, np.cumsum(~none, dtype=np.int32) - 1)
    return Vector(places, words=[value for value in values if value is not None])


def spans(array: NDArray[Any], starts: Sizes, sizes: Sizes) -> NDArray[Any]:
    """Take stretches of an array: so many values each, from some places on."""
    pairs = zip(starts.tolist(), (starts + sizes).tolist(), strict=True)
    return np.concatenate([array[:0], *(array[start:end] for start, end in pairs)])


def nothing(size: int, dtype: DType) -> Vector:
    """Return a column without values."""
    if dtype == "float64":
        return Vector(np.full(size, np.nan))
    if dtype == "str":
        return Vector(np.full(size, -1, dtype=np.int32), words=[])
    data: NDArray[Any] = np.zeros(size, dtype=np.bool_ if dtype == "boolean" else np.int64)
    return Vector(data, np.ones(size, dtype=bool))


def joined(vectors: Sequence[Vector]) -> Vector:
    """Put vectors of one type together, one under another."""
    if len(vectors) == 1:
        return vectors[0]
    missing = None
    if any(vector.missing is not None for vector in vectors):
        parts = [np.zeros(len(v), dtype=bool) if v.missing is None else v.missing for v in vectors]
        missing = np.concatenate(parts)
    if vectors[0].words is None:
        return Vector(np.concatenate([vector.data for vector in vectors]), missing)
    words: list[str] = []
    places = []
    begins: dict[int, int] = {}  # vectors of one origin share their words
    for one in vectors:
        assert one.words is not None
        at = begins.setdefault(id(one.words), len(words))
        if at == len(words):
            words.extend(one.words)
        places.append(np.where(one.data < 0, -1, one.data + np.int32(at)) if at else one.data)
    return Vector(np.concatenate(places), words=words)
