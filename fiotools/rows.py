"""The rows of one table, of many files: typed columns, and for every row the file that it is of.

The thousand bins of a histogram are of one file, run, job and direction. Rows on end that share
such values are a stretch, and what they share is kept once for each stretch, not for each row.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from fiotools.arrays import Vector, nothing
from fiotools.vocabulary import COLUMNS

if TYPE_CHECKING:
    from numpy.typing import NDArray

Files = np.ndarray[Any, np.dtype[np.int32]]


class Rows:
    """The rows of one table.

    Parameters
    ----------
    files : numpy.ndarray
        For each row (each stretch, if there are any) the number of its file.
    columns : dict of str to Vector
        Those of which the files say anything.
    sizes : numpy.ndarray, optional
        How many rows each stretch has, one at least.
    shared : dict of str to Vector
        The other columns: what the rows of each stretch share.
    """

    def __init__(
        self,
        files: Files,
        columns: Mapping[str, Vector] | None = None,
        sizes: NDArray[np.int64] | None = None,
        shared: Mapping[str, Vector] | None = None,
    ) -> None:
        self.files, self.sizes = files, sizes
        self.columns, self.shared = dict(columns or {}), dict(shared or {})
        self._count = len(files) if sizes is None else int(sizes.sum())

    def __len__(self) -> int:
        return self._count

    def __contains__(self, name: str) -> bool:
        return name in self.columns or name in self.shared

    @property
    def file(self) -> Files:
        """For each row the number of its file."""
        return self.files if self.sizes is None else self.files.repeat(self.sizes)

    def get(self, name: str) -> Vector:
        """Return a column, one of nothing if the files do not say anything."""
        found = self.columns.get(name)
        if found is None and name in self.shared:
            return self.shared[name].repeat(self.sizes)
        return nothing(len(self), COLUMNS[name].dtype) if found is None else found

    def put(self, name: str, values: Vector) -> None:
        """Set a column, row by row."""
        self.shared.pop(name, None)
        self.columns[name] = values

    def spread(self) -> Rows:
        """Return the rows one by one."""
        if self.sizes is None:
            return self
        return Rows(self.file, {name: self.get(name) for name in (*self.shared, *self.columns)})

    def in_order(self, within: str | None = None) -> Rows:
        """Return the rows file after file, and by whole numbers within a file if that is said."""
        keys = self.files.astype(np.int64) << 32
        if within is not None:
            own = self.shared if self.sizes is not None else self.columns
            if within not in own:
                return self
            keys |= own[within].data
        if (np.diff(keys) >= 0).all():
            return self
        return self.take(np.argsort(keys, kind="stable"))

    def take(self, index: NDArray[Any]) -> Rows:
        """Return some rows (some stretches, if there are any), in some order."""
        if self.sizes is None:
            columns = {name: column.take(index) for name, column in self.columns.items()}
            return Rows(self.files[index], columns)
        shared = {name: column.take(index) for name, column in self.shared.items()}
        sizes = self.sizes[index]
        starts = (np.cumsum(self.sizes) - self.sizes)[index]
        columns = {name: column.spans(starts, sizes) for name, column in self.columns.items()}
        return Rows(self.files[index], columns, sizes, shared)

    def firsts(self, names: Iterable[str]) -> tuple[NDArray[np.intp], Rows]:
        """Find stretches in which some columns are the same: where each begins, its first row."""
        names = [name for name in names if name in self]
        if self.sizes is not None and self.columns.keys().isdisjoint(names):
            return np.cumsum(self.sizes) - self.sizes, Rows(self.files, self.shared)
        file, columns = self.file, {name: self.get(name) for name in names}
        differs = np.diff(file, prepend=-1) != 0
        for values in columns.values():
            number = values.numbers()
            differs[1:] |= number[1:] != number[:-1]
        starts = np.flatnonzero(differs)
        return starts, Rows(file[starts], {name: one.take(starts) for name, one in columns.items()})
