"""Columns of a frame, each taken once, and their values as codes that numpy compares.

A code is a whole number from 0 for each different value of a column. Numbers have codes by size,
missing last; others in order of first appearance, missing among them. So codes group, sort and
compare rows as their values do, and work on a part of the rows is work on a slice of an array: no
call of polars or pandas in a loop over cells.

* Missing (null, NA, NaN) is null, in each library.
* Objects of several types may be equal (True, 1 and 1.0) and polars refuses them: Python compares
  them, and their codes stand for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, Generic, TypeAlias

import narwhals as nw
import numpy as np
import polars as pl
import polars.selectors as selectors
from narwhals.typing import IntoDataFrameT
from numpy.typing import NDArray

from fiotools.stats import frames

Codes: TypeAlias = NDArray[np.int64]
Rows: TypeAlias = NDArray[np.int64]
Mask: TypeAlias = NDArray[np.bool_]

NO_ROWS: Rows = np.zeros(0, dtype=np.int64)
_FEW = 1000  # rows of which a loop of Python takes less time than one call of polars
_ODD = (nw.Object, nw.Unknown, nw.List, nw.Array, nw.Struct)
_NAMED = (nw.Categorical, nw.Enum)  # texts with numbers of their own
_floats, _named = selectors.float(), selectors.by_dtype(pl.Categorical, pl.Enum)


class Columns(Generic[IntoDataFrameT]):
    """The columns of a frame: as series of polars, and as codes."""

    def __init__(self, data: nw.DataFrame[IntoDataFrameT]) -> None:
        self.data = data
        self._taken: dict[str, pl.Series] = {}
        self._odd: dict[str, list[Any]] = {}  # values of which polars has no type
        self._codes: dict[str, Codes] = {}
        self._known: dict[str, Mask] = {}
        self._kinds: dict[str, int] = {}
        self._varies: dict[str, bool] = {}

    def __len__(self) -> int:
        return self._length

    def __contains__(self, name: object) -> bool:
        return name in self.schema

    def __getitem__(self, name: str) -> pl.Series:
        """Give a column; of objects that polars does not take, their codes."""
        if name not in self._taken:
            self.take([name])
        return self._taken[name]

    @cached_property
    def _length(self) -> int:
        return len(self.data)

    @cached_property
    def schema(self) -> nw.Schema:
        """The types of the frame's columns."""
        return self.data.schema

    def present(self, wanted: Iterable[str]) -> list[str]:
        """Name those of the columns that the frame has, each once."""
        return [name for name in dict.fromkeys(wanted) if name in self.schema]

    def take(self, wanted: Iterable[str]) -> None:
        """Take several columns at once, which is faster than one by one."""
        names = [name for name in self.present(wanted) if name not in self._taken]
        odd = {name for name in names if self._is_odd(self.schema[name])}
        for name in odd:
            self._take_odd(name)
        plain = [name for name in names if name not in odd]
        if plain:
            found = self._plain(plain)
            self._keep(found.with_columns(_floats.fill_nan(None), _named.cast(pl.String)))
        if odd:
            self._keep(pl.DataFrame([self._taken[name] for name in odd]))

    def _plain(self, names: list[str]) -> pl.DataFrame:
        """Return columns of numbers, texts, truths and times as polars' own."""
        chosen = self.data.select(names)
        try:
            return chosen.to_polars()
        except ImportError:  # of pyarrow, an extra, which polars needs for what pandas leaves open
            told = {name: frames.values(self.data, name) for name in names}
            return pl.DataFrame(told, schema=chosen.schema.to_polars(), strict=False)

    def _keep(self, found: pl.DataFrame) -> None:
        """Note columns, which of them have gaps, and which known values differ."""
        every = pl.all()
        ends = every.min().ne(every.max()).name.suffix(" varies")
        (told,) = found.select(ends, every.null_count().name.suffix(" gaps")).rows()
        varies, gaps = told[: len(told) // 2], told[len(told) // 2 :]
        for own, is_varying, count in zip(found.get_columns(), varies, gaps, strict=True):
            self._taken[own.name] = own
            self._varies[own.name] = bool(is_varying)
            if not count:
                self._known[own.name] = self._all

    @cached_property
    def _all(self) -> Mask:
        return np.ones(len(self), dtype=bool)

    def _is_odd(self, dtype: Any) -> bool:
        is_polars = self.data.implementation.is_polars()
        return isinstance(dtype, _ODD) or (isinstance(dtype, _NAMED) and not is_polars)

    def _take_odd(self, name: str) -> None:
        values = frames.values(self.data, name)
        if all(value is None or isinstance(value, str) for value in values):
            self._taken[name] = pl.Series(name, values, dtype=pl.String)
            return
        there = frames.ordered(values)
        place = {value: at for at, value in enumerate(there)}
        codes = np.array([place[value] for value in values], dtype=np.int64)
        known = np.array([value is not None for value in values], dtype=bool)
        self._odd[name], self._kinds[name] = values, len(there)
        self._codes[name], self._known[name] = codes, known
        self._taken[name] = pl.Series(name, np.where(known, codes, -1)).replace(-1, None)

    def values(self, name: str, rows: Rows | Sequence[int]) -> list[Any]:
        """Give the values of a few rows, as plain values of the frame's own library."""
        own = self[name]
        if name in self._odd:
            return [self._odd[name][row] for row in rows]
        if own.dtype.is_temporal():
            return frames.values(self.data[[int(row) for row in rows], [name]], name)
        return own.gather(np.asarray(rows)).to_list()

    def is_odd(self, name: str) -> bool:
        """Say whether codes stand for a column, of which polars has no type."""
        return self[name] is not None and name in self._odd

    def known(self, name: str) -> Mask:
        """Say of each row whether it has a value."""
        if name not in self._known:
            self._known[name] = self[name].is_not_null().to_numpy()
        return self._known[name]

    def codes(self, name: str) -> Codes:
        """Give the code of each row's value."""
        if name not in self._codes:
            self._codes[name], self._kinds[name] = codes_of(self[name])
        return self._codes[name]

    def kinds(self, name: str) -> int:
        """Count the different values, missing among them."""
        self.codes(name)
        return self._kinds[name]

    def code_of(self, name: str) -> dict[Any, int]:
        """Give the code of each value."""
        return {value: at for at, value in enumerate(self.values(name, self.first(name)))}

    def first(self, name: str) -> Rows:
        """Give the first row of each code."""
        return _first_rows(self.codes(name), self.kinds(name))

    def rows_with(self, name: str, value: Any) -> Rows:
        """Give the rows with a known value, or one that is equal to it."""
        first = self.first(name)
        places = [at for at, one in enumerate(self.values(name, first)) if one == value]
        return np.flatnonzero(np.isin(self.codes(name), places))

    def numbers(self, name: str) -> frames.Array:
        """Give a numeric column, missing as NaN, or refuse."""
        own = self[name]
        if not self.schema[name].is_numeric():
            if own.null_count() < len(own):
                raise frames.no_number(name, self.schema[name])
            return np.full(len(own), np.nan)
        return own.cast(pl.Float64).fill_null(np.nan).to_numpy()

    def distinct(self, name: str) -> list[Any]:
        """Give the known values, each once, in order of first appearance."""
        rows = np.sort(self.first(name))
        return self.values(name, rows[self.known(name)[rows]])

    def varying(self, wanted: Iterable[str]) -> list[str]:
        """Name the columns that are known to differ; a gap is not a difference."""
        names = self.present(wanted)
        self.take(names)
        return [name for name in names if self._varies[name]]

    def differing(self, names: Iterable[str], rows: Rows | Sequence[int]) -> list[str]:
        """Name the columns that are known to differ among some rows."""
        found = []
        for name in names:
            own = self.codes(name)[rows]
            if self.kinds(name) > 1 and len(own) and (own != own[0]).any():
                own = own[self.known(name)[rows]]
                if len(own) and (own != own[0]).any():
                    found.append(name)
        return found

    def listed(self, names: Iterable[str], rows: Rows | Sequence[int]) -> str | None:
        """List the columns that differ among some rows, as the column ``varies_in`` does."""
        return ", ".join(self.differing(names, rows)) or None

    def one_to_one(self, one: str, other: str) -> bool:
        """Say whether each value of one column stands beside one value of the other, and back."""
        count = self.kinds(one)
        if count != self.kinds(other):
            return False
        both = self.codes(one) * count + self.codes(other)
        return len(np.unique(both)) == count

    def together(self, names: Iterable[str], rows: Rows | None = None) -> Codes:
        """Give each combination of some columns a number, in the order of their values."""
        rows = self.every if rows is None else rows
        return together([self.codes(name)[rows] for name in names], len(rows))

    @cached_property
    def every(self) -> Rows:
        """All rows."""
        return np.arange(len(self), dtype=np.int64)

    def groups(self, names: Iterable[str]) -> list[Rows]:
        """Give the rows of each combination of values: numbers by size, others as they come."""
        names = list(names)
        return split(self.every, self.together(names)) if names else [self.every]

    @cached_property
    def run(self) -> Rows:
        """The run of each row, as the row in which it begins; each row of an unknown run is one."""
        if "run" not in self:
            return self.every
        if "source" in self and self.is_label("source"):  # nearly always
            return self.every
        codes = self.together(self.present(("source", "run")))
        first = _first_rows(codes, int(codes.max(initial=-1)) + 1)[codes]
        return np.where(self.known("run"), first, self.every)

    @cached_property
    def is_row_each(self) -> bool:
        """Whether each row is a run of its own."""
        return self.run is self.every or bool((self.run == self.every).all())

    def has_gaps(self, name: str) -> bool:
        """Say whether a value is missing."""
        return not self.known(name).all()

    def is_label(self, name: str) -> bool:
        """Say whether each row has a value of its own."""
        if len(self) <= _FEW:
            return self.kinds(name) == len(self)
        return self[name].n_unique() == len(self)  # without a table of them

    def of(self, rows: Rows) -> Columns[IntoDataFrameT]:
        """Keep some rows."""
        found = Columns(self.data[rows.tolist(), :])
        for name in self._odd:
            found._take_odd(name)
        found._keep(pl.DataFrame([own.gather(rows) for own in self._taken.values()]))
        return found


def codes_of(column: pl.Series) -> tuple[Codes, int]:
    """Give the code of each value, and how many there are."""
    if len(column) <= _FEW:
        place: dict[Any, int] = {}
        codes = np.array([place.setdefault(value, len(place)) for value in column.to_list()])
        first = _first_rows(codes, len(place))
    else:
        numbered = pl.DataFrame([column.alias("value"), pl.Series("row", np.arange(len(column)))])
        first_of = numbered.select(pl.col("row").first().over("value")).to_series()
        codes = dense(first_of.to_numpy())
        first = _first_rows(codes, int(codes.max()) + 1)
    if column.dtype.is_numeric():
        by_size = column.gather(first).arg_sort(nulls_last=True).to_numpy()
        place_of = np.empty(len(first), dtype=np.int64)
        place_of[by_size] = np.arange(len(first))
        codes = place_of[codes]
    return codes.astype(np.int64, copy=False), len(first)


def _first_rows(codes: Codes, count: int) -> Rows:
    first = np.zeros(count, dtype=np.int64)
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    return first


def together(several: Sequence[Codes], length: int) -> Codes:
    """Give each combination of codes a number from 0, in their order."""
    found = np.zeros(length, dtype=np.int64)
    for one in several:
        found = found * (int(one.max(initial=0)) + 1) + one
        if int(found.max(initial=0)) >= 4 * length + 1000:
            found = dense(found)
    return found


def dense(own: Codes) -> Codes:
    """Make codes of whole numbers, in their order; without sorting if they are small."""
    if not own.size:
        return own
    least = int(own.min())
    if int(own.max()) - least >= 4 * own.size + 1000:
        return np.unique(own, return_inverse=True)[1].astype(np.int64, copy=False)
    there = np.zeros(int(own.max()) - least + 1, dtype=bool)
    there[own - least] = True
    return (np.cumsum(there) - 1)[own - least]


def split(rows: Rows, codes: Codes) -> list[Rows]:
    """Split rows by the codes beside them, in the order of the codes."""
    small = codes.astype(np.uint16) if codes.max(initial=0) < 2**16 else codes  # a radix sort
    at = np.argsort(small, kind="stable")
    ends = np.flatnonzero(np.diff(codes[at])) + 1
    return np.split(rows[at], ends)


def by_code(rows: Rows, codes: Codes) -> dict[int, Rows]:
    """Give the rows of each code."""
    return {int(codes[own[0]]): own for own in split(rows, codes[rows]) if len(own)}
