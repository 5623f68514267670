"""The rows that a reader builds of one file: plain columns, checked against the vocabulary.

A reader adds rows (or whole columns, where there are many) to `Tables`; nothing here knows a tool.
What becomes of them is in `fiotools.tables.parts`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from fiotools.errors import SchemaError
from fiotools.schema import TABLES

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray


Column: TypeAlias = "Sequence[Any] | np.ndarray[Any, Any] | pl.Series"

_KNOWN = {table: frozenset(names) for table, names in TABLES.items()}
_EVERY = frozenset(TABLES)


class Block(NamedTuple):
    """Rows of one table.

    Attributes
    ----------
    size : int
        How many.
    columns : dict
        Columns of that length.
    same : dict
        Values that all of the rows share.
    """

    size: int
    columns: Mapping[str, Column]
    same: Mapping[str, Any] = {}

    def listed(self, name: str) -> Sequence[Any]:
        """Return one column row by row; None where the reader gave none."""
        values: Any = self.columns.get(name)
        if values is None:
            return [self.same.get(name)] * self.size
        if isinstance(values, Sequence):
            return values
        return list(values.tolist() if hasattr(values, "tolist") else values)


class Made(NamedTuple):
    """Rows of one table that a `Maker` made of many records.

    Attributes
    ----------
    table : str
    owners : numpy.ndarray
        For each row (each stretch, if there are any) the place of its record among those given.
    columns : mapping of str to sequence or array
        As in `Tables.extend`.
    sizes : numpy.ndarray, optional
        How many rows on end each stretch has, one at least.
    shared : mapping of str to sequence or array
        What the rows of each stretch share.
    """

    table: str
    owners: NDArray[np.int32]
    columns: Mapping[str, Column]
    sizes: NDArray[np.int64] | None = None
    shared: Mapping[str, Column] = {}


# of the records of many files, and of the question which tables are wanted, makes their rows
Maker: TypeAlias = Callable[[Sequence[Any], Callable[[str], bool]], Iterable[Made]]


class Tables:
    """What one file gives, table by table.

    Parameters
    ----------
    source : str
        The file's path, written into every row.
    wanted : collection of str, optional
        The tables to build; without it, all. Notes are always kept: a reader's doubts about a
        figure belong to the figure.

    Attributes
    ----------
    blocks, loose : dict of str to list
        For each table its rows, as they came: in blocks, and behind these one by one.
    deferred : dict of Maker to list
        Records of which rows are made later, together with those of other files.
    """

    def __init__(self, source: str, wanted: Collection[str] | None = None) -> None:
        self.source = source
        self._wanted = _EVERY if wanted is None else frozenset((*wanted, "notes"))
        self.blocks: dict[str, list[Block]] = {}
        self.deferred: dict[Maker, list[Any]] = {}
        self.loose: dict[str, list[dict[str, Any]]] = {}
        self.runs = 0

    def wants(self, table: str) -> bool:
        """Say whether a table was asked for; costly parts are skipped when it was not."""
        return table in self._wanted

    def add(self, table: str, **row: Any) -> None:
        """Add one row; what the file does not say is left out."""
        if table in self._wanted:
            self._refuse_unknown(table, row)
            self.loose.setdefault(table, []).append(row)

    def extend(self, table: str, columns: Mapping[str, Column], **same: Any) -> None:
        """Add many rows at once.

        Parameters
        ----------
        table : str
        columns : mapping of str to sequence, array or polars.Series
            Columns of equal length. A list may have None in it; of an array all values are there
            (in float64 columns nan is none).
        **same
            Values that all of the rows share.
        """
        if table not in self._wanted:
            return
        size = len(next(iter(columns.values())))
        if any(len(values) != size for values in columns.values()):
            raise SchemaError(f"columns of unequal length for {table!r}")
        self._refuse_unknown(table, (*columns, *same))
        self._flush(table)
        self.blocks.setdefault(table, []).append(Block(size, columns, same))

    def defer(self, make: Maker, record: Any) -> None:
        """Keep a record, of which rows are made when all files of the batch have been read."""
        self.deferred.setdefault(make, []).append(record)

    def settle(self) -> None:
        """Make the rows of deferred records now: something else has to look at them."""
        deferred, self.deferred = self.deferred, {}
        for make, records in deferred.items():
            for made in make(records, self.wants):
                columns = dict(made.columns)
                if made.sizes is not None:
                    sizes = made.sizes.tolist()
                    for name, values in made.shared.items():
                        each = values.tolist() if hasattr(values, "tolist") else values
                        pairs = zip(each, sizes, strict=True)
                        columns[name] = [*chain.from_iterable([one] * size for one, size in pairs)]
                self.extend(made.table, columns)

    def start_run(self, **row: Any) -> int:
        """Add a row of `runs` and return its number."""
        self.runs += 1
        self.add("runs", run=self.runs, **{"status": "ok", **row})
        return self.runs

    def note(
        self,
        message: str,
        *,
        line: int | None = None,
        severity: str = "info",
        run: int | None = None,
    ) -> None:
        """Say something about the file: what was left out, repaired, or contradicts itself."""
        self.add("notes", run=run, line=line, severity=severity, message=message)

    def rows(self, table: str, *names: str) -> Iterator[tuple[Any, ...]]:
        """Give some columns of a table row by row, None where a value is missing."""
        self.settle()
        self._flush(table)
        for block in self.blocks.get(table, ()):
            yield from zip(*map(block.listed, names), strict=True)

    def amend(self, table: str, columns: Mapping[str, Sequence[Any]]) -> None:
        """Put other values into some columns of all rows, as `rows` gives them."""
        at = 0
        blocks = self.blocks.get(table, [])
        for place, block in enumerate(blocks):
            end = at + block.size
            amended = {name: values[at:end] for name, values in columns.items()}
            blocks[place] = block._replace(columns={**block.columns, **amended})
            at = end

    def has(self, table: str) -> bool:
        """Say whether a table has rows already; those that were deferred do not count."""
        return table in self.blocks or table in self.loose

    def _flush(self, table: str) -> None:
        rows = self.loose.pop(table, None)
        if rows:
            self.blocks.setdefault(table, []).append(Block(len(rows), listed(rows)))

    def _refuse_unknown(self, table: str, names: Collection[str]) -> None:
        # a name that the vocabulary does not have is refused here, and not when a frame lacks it
        if not _KNOWN[table].issuperset(names):
            unknown = sorted({*names} - _KNOWN[table])
            raise SchemaError(f"{self.source}: table {table!r} has no column {unknown[0]!r}")


def listed(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Make columns of rows; None where a row does not say anything."""
    names = dict.fromkeys(chain.from_iterable(rows))
    return {name: [row.get(name) for row in rows] for name in names}
