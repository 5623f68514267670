"""The tables themselves: polars frames of many files; pandas at the border.

A reader adds rows to `fiotools.tables.rows.Rows`, checked against the vocabulary, which makes
frames of them; nothing here knows a tool.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fiotools.tables.rows import Rows

    Tables = Rows  # TRANSITION


Column: TypeAlias = Sequence[Any] | np.ndarray[Any, Any] | pl.Series


class Made(NamedTuple):
    """Rows of one table, as columns.

    Attributes
    ----------
    table : str
    owners : numpy.ndarray
        For each row (or stretch, if there are any) the place of its record.
    columns : mapping of str to sequence or array
        As in `Tables.extend`.
    sizes : numpy.ndarray, optional
        How many consecutive rows each stretch has, at least one.
    shared : mapping of str to sequence or array
        The values that the rows of each stretch share, unless ``columns`` has that column.
    """

    table: str
    owners: NDArray[np.int32]
    columns: Mapping[str, Column]
    sizes: NDArray[np.int64] | None = None
    shared: Mapping[str, Column] = {}

    @property
    def size(self) -> int:
        """How many rows there are."""
        return len(self.owners) if self.sizes is None else int(self.sizes.sum())

    def listed(self, name: str) -> Sequence[Any]:
        """Return one column row by row; None for missing values."""
        if name in self.columns:
            return listed(self.columns[name])
        if name not in self.shared or self.sizes is None:
            return [None] * self.size
        return [*chain.from_iterable(map(repeat, listed(self.shared[name]), self.sizes.tolist()))]


# makes rows from the records of many files; its second argument says which tables are wanted
Maker: TypeAlias = Callable[[Sequence[Any], Callable[[str], bool]], Iterable[Made]]


def listed(values: Column) -> Sequence[Any]:
    """Make a list of a column; a sequence stays as it is."""
    if isinstance(values, np.ndarray):
        found: list[Any] = values.tolist()
        return found
    return values.to_list() if isinstance(values, pl.Series) else values


@contextmanager
def resting() -> Iterator[None]:
    """Pause the garbage collector, and leave it as it was: for a batch, not for a session.

    It looks for cycles after every few hundred new objects. Reading makes millions, hardly any of
    them in a cycle: the search took a fifth of the time, and found nothing.

    Examples
    --------
    >>> with resting():
    ...     gc.isenabled()
    False
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def __getattr__(name: str) -> Any:  # TRANSITION
    if name == "Tables":
        from fiotools.tables.rows import Rows

        return Rows
    raise AttributeError(name)
