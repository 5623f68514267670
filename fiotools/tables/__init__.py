"""The tables themselves: polars frames of many files; pandas at the border.

A reader adds rows (or whole columns, if there are many) to `Tables`, checked against the
vocabulary; nothing here knows a tool. `fiotools.tables.parts` makes frames of them.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import polars as pl

from fiotools.errors import SchemaError
from fiotools.vocabulary import TABLES

if TYPE_CHECKING:
    from numpy.typing import NDArray


Column: TypeAlias = Sequence[Any] | np.ndarray[Any, Any] | pl.Series

_KNOWN = {table: frozenset(names) for table, names in TABLES.items()}
_EVERY = frozenset(TABLES)
FEW = 100  # rows: separate columns are not worth it for so few


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


class Tables:
    """The rows of one file, table by table.

    Parameters
    ----------
    source : str
        The file's path, written into every row.
    wanted : collection of str, optional
        The tables to build; all by default. Notes are always kept: a reader's doubts about a number
        belong to the number.

    Attributes
    ----------
    made : list of Made
        Rows, in their order.
    loose : dict of str to list
        For each table the rows behind these, one by one.
    deferred : dict of Maker to list
        Records whose rows are made later, together with those of other files.
    """

    def __init__(self, source: str, wanted: Collection[str] | None = None) -> None:
        self.source = source
        self._wanted = _EVERY if wanted is None else frozenset((*wanted, "notes"))
        self.made: list[Made] = []
        self.loose: dict[str, list[dict[str, Any]]] = {}
        self.deferred: dict[Maker, list[Any]] = {}
        self.runs = 0

    def wants(self, table: str) -> bool:
        """Whether a table is wanted; costly parts are skipped if not."""
        return table in self._wanted

    def add(self, table: str, **row: Any) -> None:
        """Add one row; missing values are left out."""
        if table in self._wanted:
            self._refuse_unknown(table, row)
            self.loose.setdefault(table, []).append(row)

    def extend(self, table: str, columns: Mapping[str, Column], **same: Any) -> None:
        """Add many rows at once.

        Parameters
        ----------
        table : str
        columns : mapping of str to sequence, array or polars.Series
            Columns of equal length. A list may hold None; an array has all its values (nan is
            missing in float64 columns).
        **same
            Values that all of the rows share.
        """
        if table not in self._wanted:
            return
        size, *others = {len(values) for values in columns.values()}
        if others:
            raise SchemaError(f"columns of unequal length for {table!r}")
        shared = {name: [value] for name, value in same.items()}
        self._keep(Made(table, np.zeros(1, np.int32), columns, np.array([size]), shared))

    def defer(self, make: Maker, record: Any) -> None:
        """Keep a record; its rows are made when all files of the batch are read."""
        self.deferred.setdefault(make, []).append(record)

    def settle(self) -> None:
        """Make the rows of deferred records now, for code that reads them."""
        deferred, self.deferred = self.deferred, {}
        for make, records in deferred.items():
            for made in make(records, self.wants):
                if made.table in self._wanted:
                    self._keep(made)

    def start_run(self, **row: Any) -> int:
        """Add a row of `runs` and return its number."""
        self.runs += 1
        self.add("runs", run=self.runs, **{"status": "ok", **row})
        return self.runs

    def note(
        self,
        message: str,
        *,
        code: str = "meaning",
        line: int | None = None,
        severity: str = "info",
        run: int | None = None,
    ) -> None:
        """Add a note about the file; `fiotools.vocabulary.NOTES` lists the codes."""
        self.add("notes", run=run, line=line, severity=severity, code=code, message=message)

    def rows(self, table: str, *names: str) -> Iterator[tuple[Any, ...]]:
        """Yield some columns of a table row by row, None for a missing value."""
        self.settle()
        for made in self.made:
            if made.table == table:
                yield from zip(*map(made.listed, names), strict=True)
        for row in self.loose.get(table, ()):
            yield tuple(map(row.get, names))

    def amend(self, table: str, columns: Mapping[str, Sequence[Any]]) -> None:
        """Replace some columns of all rows, in the order of `rows`."""
        at = 0
        for place, made in enumerate(self.made):
            if made.table == table:
                end = at + made.size
                amended = {name: values[at:end] for name, values in columns.items()}
                self.made[place] = made._replace(columns={**made.columns, **amended})
                at = end
        for number, row in enumerate(self.loose.get(table, ()), at):
            row.update({name: values[number] for name, values in columns.items()})

    def has(self, table: str) -> bool:
        """Whether a table has rows already, not counting deferred ones."""
        return table in self.loose or any(made.table == table for made in self.made)

    def _keep(self, made: Made) -> None:
        """Keep many rows as they are, and a few one by one."""
        names = [*{**made.shared, **made.columns}]
        self._refuse_unknown(made.table, names)
        if made.size <= FEW:
            rows = zip(*map(made.listed, names), strict=True)
            added = [dict(zip(names, row, strict=True)) for row in rows]
            self.loose.setdefault(made.table, []).extend(added)
            return
        above = self.loose.pop(made.table, None)
        self.made += [of_rows(made.table, above), made] if above else [made]

    def _refuse_unknown(self, table: str, names: Collection[str]) -> None:
        # a name that the vocabulary lacks is refused here, not when a frame is made
        if not _KNOWN[table].issuperset(names):
            unknown = sorted({*names} - _KNOWN[table])
            raise SchemaError(f"{self.source}: table {table!r} has no column {unknown[0]!r}")


def of_rows(table: str, rows: Sequence[Mapping[str, Any]]) -> Made:
    """Make columns of rows; None for missing values."""
    names = dict.fromkeys(chain.from_iterable(rows))
    columns = {name: [row.get(name) for row in rows] for name in names}
    return Made(table, np.arange(len(rows), dtype=np.int32), columns)


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
