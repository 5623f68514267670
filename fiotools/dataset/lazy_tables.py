"""`open_dataset`: a dataset's tables as lazy frames."""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike, fspath

import polars as pl

from fiotools.dataset.manifest import About
from fiotools.dataset.parquet import MANIFEST, polars_schema, scan
from fiotools.dataset.store import ABOUT, RECORDS, Store, current, newest, store_at
from fiotools.errors import DatasetError, SchemaError
from fiotools.tables.parts import Part
from fiotools.tables.results import Frames, Results
from fiotools.units import many
from fiotools.vocabulary import TABLES

_PATIENCE = 100  # times that it may have changed while it was looked at


class Dataset:
    """A dataset: each table is a lazy frame of polars, under the name that it has in `Results`.

    ``ds.io`` and ``ds["io"]`` are the same; ``ds.manifest`` has a row for each file that was
    converted, with its status and why it was refused. The dataset is read as it was when it was
    opened; open it again after a conversion has rewritten a part.

    Parameters
    ----------
    path : str
        As it was given.
    store : Folder or Bucket
    about : About
    """

    def __init__(self, path: str, store: Store, about: About) -> None:
        self.path, self.tables, self.labels = path, about.tables, tuple(about.labels)
        self._store, self._about = store, about
        self._files = _snapshot(store, about)

    def __getitem__(self, table: str) -> pl.LazyFrame:
        names = self._names(table)
        schema = polars_schema(table, self._about.labels)
        return scan(self._store, _folder(table), names, schema)

    def __getattr__(self, name: str) -> pl.LazyFrame:
        if name in (*TABLES, MANIFEST):
            return self[name]
        raise AttributeError(f"Dataset has no {name!r}; its tables are {', '.join(self.tables)}")

    def __iter__(self) -> Iterator[str]:
        return iter(self.tables)

    def __repr__(self) -> str:
        parts = len([number for number in self._files[RECORDS] if number])  # 0 is of no file
        return f"<Dataset {self.path}: {many(parts, 'part')}; {', '.join(self.tables)}>"

    def read(self, *, within: str = "") -> Results:
        """Read all tables into memory, as `read` gives those of files.

        Parameters
        ----------
        within : str
            Put before each ``source``: two datasets may hold files of the same name.

        Examples
        --------
        >>> import fiotools as ft
        >>> ft.convert("data/page-cache/{cache}.txt", "memory://whole").open().read()
        <Results: 2 files, time, 2 runs, 2 timings, 0 notes>
        """
        tables = {table: self[table].collect() for table in self.tables}
        if within:
            source = f"{within.rstrip('/')}/" + pl.col("source").str.strip_prefix("/")
            # a sum is named after its first part, which is a text
            source = source.alias("source")
            tables = {table: frame.with_columns(source) for table, frame in tables.items()}
        sources = tables.get("runs", tables["notes"])["source"]
        return Results(Frames(Part([], tables)), sources.n_unique())

    def files(self, table: str) -> list[str]:
        """Name the files of a table that count, for other programs.

        A glob (``dataset/io/*.parquet``) finds the same files, except during a conversion.

        Examples
        --------
        >>> import fiotools as ft
        >>> ds = ft.convert("data/page-cache", "memory://for-others").open()
        >>> ds.files("timings")[-1]
        'memory://for-others/timings/part-000000-001.parquet'
        """
        return [self._store.place(f"{_folder(table)}/{name}") for name in self._names(table)]

    def _names(self, table: str) -> list[str]:
        """Name the files of a table, part after part, and part 0 last."""
        if table not in (*self.tables, MANIFEST):
            if table in TABLES:
                raise AttributeError(f"table {table!r} was not asked for: convert it too")
            raise SchemaError(f"{table!r} is not one of {', '.join((*self.tables, MANIFEST))}")
        found = self._files[_folder(table)]
        return [found[number] for number in sorted(found, key=lambda number: (number == 0, number))]


def _folder(table: str) -> str:
    return RECORDS if table == MANIFEST else table


def _snapshot(store: Store, about: About) -> dict[str, dict[int, str]]:
    """List the files that count at one moment, even during a conversion."""
    for _ in range(_PATIENCE):
        records = store.names(RECORDS)
        committed = newest(records)
        files = {table: current(store.names(table), committed) for table in about.tables}
        if store.names(RECORDS) == records:
            return {**files, RECORDS: current(records, committed)}
    raise DatasetError(f"{store.url}: a conversion is changing it all the time; wait for its end")


def open_dataset(path: str | PathLike[str]) -> Dataset:
    """Open a dataset that `convert` made.

    Nothing is read yet: each table is a `polars.LazyFrame`, which reads only the columns and parts
    that a query needs when it is collected.

    Parameters
    ----------
    path : path or URL
        The folder of the dataset.

    Returns
    -------
    Dataset

    Raises
    ------
    DatasetError
        If there is no dataset, or a newer fiotools has written it.

    Examples
    --------
    >>> import fiotools as ft
    >>> done = ft.convert("data/page-cache/{cache}.txt", "memory://caches")
    >>> ds = ft.open_dataset("memory://caches")
    >>> ds.timings.select("cache", "real_s").collect().rows()
    [('after', 0.466), ('before', 4.364)]
    """
    store = store_at(path)
    about = About.read(store)
    if about is None:
        raise DatasetError(f"{fspath(path)}: not a fiotools dataset (it has no {ABOUT})")
    return Dataset(fspath(path), store, about)
