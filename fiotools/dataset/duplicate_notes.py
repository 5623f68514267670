"""Notes that no part can make by itself: of runs that stand in two files.

They are the notes of part 0, to which no file belongs. A sum over the figures of each run tells
which may be twins, part after part; only these are held in memory, and compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from fiotools.dataset import parquet
from fiotools.dataset.manifest import About
from fiotools.dataset.parquet import MANIFEST, polars_schema, rows_of, scan
from fiotools.dataset.store import RECORDS, Store
from fiotools.tables import duplicate_runs
from fiotools.tables.parts import FILE, Labels, Part, add_notes, stack, stacked

if TYPE_CHECKING:
    from numpy.typing import NDArray


def notes(store: Store, about: About, files: Mapping[str, Mapping[int, str]]) -> Any:
    """Make the notes that concern several files, as an Arrow table.

    Parameters
    ----------
    store : Store
    about : About
    files : mapping of str to mapping of int to str
        For each folder the file of each part.
    """
    reader = _Reader(store, about, files)
    repeated = {
        table: _repeated(duplicate_runs.sums_of(rows, names)[1] for rows in reader.each(table))
        for table, names in duplicate_runs.ALIKE.items()
    }
    parts = list(reader.suspects(repeated))
    whole = stack(parts, ("runs", *duplicate_runs.ALIKE))
    found = duplicate_runs.find(
        whole.tables, [source for source, _ in whole.files], reader.count("runs")
    )
    told = Part(whole.files, {"notes": add_notes(stacked(()), found)})
    made = parquet.slices_of(told, ["notes"], about.labels)
    return parquet.joined([parquet.empty("notes", about.labels), *(table for _, table in made)])


def _repeated(sums: Iterator[Any]) -> Any:
    every = np.concatenate([np.zeros(0, dtype=np.uint64), *sums])
    values, counts = np.unique(every, return_counts=True)
    return values[counts > 1]


class _Reader:
    """Reads, part after part, what tells runs apart."""

    def __init__(self, store: Store, about: About, files: Mapping[str, Mapping[int, str]]) -> None:
        self._store, self._about, self._files = store, about, files

    def each(self, table: str) -> Iterator[pl.DataFrame]:
        """Give a table, part after part."""
        for number in self._files[RECORDS]:
            rows = self._rows(table, number)
            if rows is not None:
                yield rows

    def count(self, table: str) -> int:
        """Count the rows of a table, in all parts."""
        return sum(int(self._sizes(table, number).sum()) for number in self._files[RECORDS])

    def suspects(self, repeated: Mapping[str, Any]) -> Iterator[Part]:
        """Give of each part the files that hold a run which another run may be."""
        for number, record in self._files[RECORDS].items():
            tables = {
                table: rows
                for table in ("runs", *repeated)
                if (rows := self._rows(table, number)) is not None
            }
            files: set[int] = set()
            for table, sums in repeated.items():
                if table in tables:
                    runs, own = duplicate_runs.sums_of(tables[table], duplicate_runs.ALIKE[table])
                    files.update((runs[np.isin(own, sums)] >> 32).tolist())
            if files:
                yield self._part(record, tables, sorted(files))

    def _part(self, record: str, tables: Mapping[str, pl.DataFrame], files: list[int]) -> Part:
        """Keep the rows of some files, numbered anew."""
        schema = polars_schema(MANIFEST, self._about.labels)
        names = ["source", *self._about.labels]
        told = scan(self._store, RECORDS, [record], {name: schema[name] for name in names})
        named: list[tuple[str, Labels]] = [
            (row.pop("source"), {name: value for name, value in row.items() if value is not None})
            for row in told.collect()[files].to_dicts()
        ]
        number = pl.col(FILE).replace_strict(files, range(len(files)), return_dtype=pl.Int32())
        kept = {
            table: rows.filter(pl.col(FILE).is_in(files)).with_columns(number)
            for table, rows in tables.items()
        }
        return Part(named, kept)

    def _rows(self, table: str, number: int) -> pl.DataFrame | None:
        """Read the columns of a part that tell runs apart."""
        name = self._files.get(table, {}).get(number)
        if name is None:
            return None
        sizes = self._sizes(table, number)
        schema = polars_schema(table, {})
        needed = {name: schema[name] for name in duplicate_runs.NEEDED[table]}
        read = scan(self._store, table, [name], needed).collect()
        files = np.arange(len(sizes), dtype=np.int32).repeat(sizes)
        return read.with_columns(pl.Series(FILE, files))

    def _sizes(self, table: str, number: int) -> NDArray[np.int64]:
        """Read how many rows of a table each file of a part has."""
        count = rows_of(table)
        record = self._files[RECORDS][number]
        told = scan(self._store, RECORDS, [record], {count: polars_schema(MANIFEST, {})[count]})
        sizes: NDArray[np.int64] = told.collect()[count].fill_null(0).to_numpy()
        return sizes
