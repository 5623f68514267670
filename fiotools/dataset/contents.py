"""What a dataset holds: its description, its manifest, and its tables as lazy frames."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from os import PathLike, fspath
from typing import Any

import polars as pl

from fiotools._version import __version__
from fiotools.dataset import parquet
from fiotools.dataset.parquet import (
    MANIFEST,
    VERSION,
    arrow_schema,
    folder_of,
    rows_of,
    scan,
)
from fiotools.dataset.store import (
    ABOUT,
    CLAIM,
    LOCK,
    RECORDS,
    UNFINISHED,
    Store,
    current,
    is_unfinished,
    leftover,
    newest,
    part_name,
    store_at,
    uncommitted,
)
from fiotools.errors import DatasetError, ScanWarning, SchemaError, typed, warn
from fiotools.tables.parts import Part
from fiotools.tables.results import Frames, Results
from fiotools.units import many
from fiotools.vocabulary import TABLES, DType

# a dataset with the first type takes in labels of the second
_WIDER = {("str", "Int64"), ("str", "boolean"), ("str", "float64"), ("float64", "Int64")}


@dataclass(frozen=True)
class About:
    """The description of a dataset, which never changes."""

    tables: tuple[str, ...]  # the tables that it has; their order is the vocabulary's
    labels: Mapping[str, DType]  # its labels, and their types
    schema: int = VERSION  # the version of its columns

    @classmethod
    def of(cls, tables: Sequence[str] | None, labels: Mapping[str, DType]) -> About:
        """Describe a new dataset; it always has notes."""
        wanted = TABLES if tables is None else {*tables, "notes"}
        return cls(tuple(table for table in TABLES if table in wanted), dict(labels))

    @classmethod
    def read(cls, store: Store) -> About | None:
        """Read it; None if there is no dataset."""
        try:
            content = store.read(ABOUT)
        except FileNotFoundError:
            return None
        try:
            told = json.loads(content)
            about = cls(tuple(told["tables"]), told["labels"], int(told["schema"]))
        except (KeyError, TypeError, ValueError):
            raise DatasetError(
                f"{store.place(ABOUT)}: not what fiotools wrote; is the folder a dataset of it?"
            ) from None
        if about.schema > VERSION:
            raise DatasetError(
                f"{store.url}: written by fiotools {told.get('fiotools')} with columns of version"
                f" {about.schema}; this one ({__version__}) knows them up to version {VERSION}:"
                " update it"
            )
        return about

    def write(self, store: Store) -> None:
        """Write it, as the first file of a dataset."""
        told = {
            "schema": self.schema,
            "fiotools": __version__,
            "tables": self.tables,
            "labels": self.labels,
        }
        content = json.dumps(told, indent=2).encode() + b"\n"
        store.write(ABOUT, content)


@dataclass(frozen=True)
class Unfinished:
    """The mark of a conversion that is at work, or did not end: a file that its end removes."""

    token: str  # of this conversion: who works for another one writes nothing
    sources: str  # what it was given
    files: int  # how many the manifest has at its end

    @classmethod
    def read(cls, store: Store) -> Unfinished | None:
        """Read it; None if there is none."""
        try:
            told = json.loads(store.read(UNFINISHED))
            return cls(str(told["token"]), str(told["sources"]), int(told["files"]))
        except FileNotFoundError:
            return None
        except (KeyError, TypeError, ValueError):
            raise DatasetError(
                f"{store.place(UNFINISHED)}: not what fiotools wrote; move it elsewhere"
            ) from None

    def write(self, store: Store) -> None:
        """Write it, before anything changes."""
        store.write(UNFINISHED, json.dumps(asdict(self)).encode())


class Destination:
    """A dataset, while its lock is held."""

    def __init__(self, store: Store, about: About) -> None:
        self.store, self.about = store, about
        self.committed: dict[int, int] = {}  # the newest generation of each part
        self.files: dict[str, dict[int, str]] = {}  # by folder: the file of each part that counts
        self.refresh()
        if 0 not in self.committed:  # no rows, but the columns of every table
            self.commit(
                {one: arrow_schema(one, about.labels).empty_table() for one in about.tables}
            )

    def refresh(self) -> None:
        """List the files again, and remove those that do not count."""
        records = self.store.names(RECORDS)
        self.committed = newest(records)
        for folder in (*TABLES, RECORDS):
            names = records if folder == RECORDS else self.store.names(folder)
            self.files[folder] = current(names, self.committed)
            others = uncommitted(names, self.committed)
            parquet.refuse_others(self.store, [f"{folder}/{name}" for name in others])
            self.store.remove(f"{folder}/{name}" for name in leftover(names, self.committed))

    def of_part(self, number: int) -> dict[str, str]:
        """Return the files of a part that count, by folder."""
        files = self.files.items()
        return {folder: names[number] for folder, names in files if number in names}

    def records(self, numbers: Iterable[int] | None = None) -> pl.LazyFrame:
        """Return the rows of the manifest, of some parts or of all."""
        files = self.files[RECORDS]
        names = [files[number] for number in (files if numbers is None else numbers)]
        return scan(self.store, MANIFEST, names, self.about.labels)

    def commit(self, tables: Mapping[str, Any]) -> None:
        """Write tables of part 0, which has no files."""
        name = part_name(0, self.committed.get(0, 0) + 1)
        files = {table: parquet.file_of(rows) for table, rows in tables.items()}
        record = arrow_schema(MANIFEST, self.about.labels).empty_table()
        parquet.commit(self.store, name, files, record)
        self.refresh()


def refuse_stranger(store: Store) -> None:
    """Refuse a folder that holds something else, before anything is written into it."""
    others = (
        name for name in store.names() if name not in (LOCK, CLAIM) and not is_unfinished(name)
    )
    if About.read(store) is None and any(others):
        raise DatasetError(
            f"{store.url}: the folder is not empty, and not a dataset; name a new folder"
        )


def prepared(
    store: Store, tables: tuple[str, ...] | None, labels: Mapping[str, DType]
) -> Destination:
    """Open a dataset to convert into it, or make one; refuse other tables or labels than it has."""
    about = About.read(store)
    if about is None:
        store.remove(filter(is_unfinished, store.names()))
        about = About.of(tables, labels)
        about.write(store)
    _refuse_others(store, about, tables, labels)
    return Destination(store, about)


def _refuse_others(
    store: Store, about: About, tables: tuple[str, ...] | None, labels: Mapping[str, DType]
) -> None:
    if about.schema < VERSION:
        raise DatasetError(
            f"{store.url}: its columns are of version {about.schema}, and now there are more"
            f" (version {VERSION}); it can be read, but convert into another folder"
        )
    if tables is not None and About.of(tables, {}).tables != about.tables:
        raise DatasetError(
            f"{store.url}: it has the tables {', '.join(about.tables)};"
            " for others convert into another folder"
        )
    if set(labels) != set(about.labels):
        raise DatasetError(
            f"{store.url}: its files have {_listed(about.labels)}, and these have"
            f" {_listed(labels)}; give the same ones, or convert into another folder"
        )
    for name, kind in labels.items():
        if kind != about.labels[name] and (about.labels[name], kind) not in _WIDER:
            raise DatasetError(
                f"{store.url}: {name!r} holds values of type {about.labels[name]} there, and"
                f" {kind} here; rename it, or convert into another folder"
            )


def _listed(labels: Mapping[str, DType]) -> str:
    return f"the labels {', '.join(labels)}" if labels else "no labels"


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

    Attributes
    ----------
    unfinished : str
        What is missing if the conversion did not end, and what to do; empty if it did.
    """

    tables: tuple[str, ...] = ()  # also while it is unpickled

    def __init__(self, path: str, store: Store, about: About) -> None:
        self.path, self.tables, self.labels = path, about.tables, tuple(about.labels)
        self._store, self._about = store, about
        self._files, mark = _snapshot(store, about)
        self.unfinished = self._missing(mark)

    def _missing(self, mark: Unfinished | None) -> str:
        """Say what is missing if a conversion did not end."""
        files = self.manifest.select(pl.len()).collect().item()
        if mark and files < mark.files:
            said = f"{files:,} of {many(mark.files, 'file')} are in this dataset"
        elif mark:
            said = "what has changed is not all in this dataset"
        elif not files:
            said = "no file is in this dataset yet"
        else:
            return ""
        again = typed("convert() the same files again", "run the same fiotools convert again")
        return f"{said}: the conversion did not end, or is still at work; {again}"

    def __getitem__(self, table: str) -> pl.LazyFrame:
        return scan(self._store, table, self._names(table), self._about.labels)

    def __getattr__(self, name: str) -> pl.LazyFrame:
        if name in (*TABLES, MANIFEST):
            return self[name]
        raise AttributeError(f"Dataset has no {name!r}; its tables are {', '.join(self.tables)}")

    def __iter__(self) -> Iterator[str]:
        return iter(self.tables)

    def __repr__(self) -> str:
        parts = len([number for number in self._files[RECORDS] if number])  # 0 is of no file
        unfinished = f"; {self.unfinished}" if self.unfinished else ""
        return f"<Dataset {self.path}: {many(parts, 'part')}; {', '.join(self.tables)}{unfinished}>"

    def read(self, *, within: str = "") -> Results:
        """Read all tables into memory, as `read` gives those of files.

        If the conversion did not end, a note says what is missing.

        Parameters
        ----------
        within : str
            Put before each ``source``: two datasets may hold files of the same name.

        Raises
        ------
        DatasetError
            If rows that the manifest counts are not there.

        Examples
        --------
        >>> import fiotools as ft
        >>> ft.convert("data/page-cache/{cache}.txt", "memory://whole").open().read()
        <Results: 2 files, time, 2 runs, 2 timings, 0 notes>
        """
        tables = {table: self[table].collect() for table in self.tables}
        sums = [pl.sum(rows_of(table)) for table in self.tables]
        files, *counts = self.manifest.select(pl.len(), *sums).collect().row(0)
        for (table, rows), count in zip(tables.items(), counts, strict=True):
            if len(rows) < count:  # notes on files without rows are not counted
                raise DatasetError(
                    f"{self.path}: {table} has {len(rows)} rows, and the manifest counts {count}:"
                    " files of it are missing; convert the sources into a new folder"
                )
        if self.unfinished:
            told = {
                "source": self.path,
                "severity": "warning",
                "code": "unfinished",
                "message": self.unfinished,
            }
            note = pl.DataFrame([told], schema_overrides=tables["notes"].schema)
            tables["notes"] = pl.concat([tables["notes"], note], how="diagonal")
        if within:
            source = f"{within.rstrip('/')}/" + pl.col("source").str.strip_prefix("/")
            tables = {table: rows.with_columns(source=source) for table, rows in tables.items()}
        return Results(Frames(Part([], tables)), files, labels=self.labels)

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
        return [self._store.place(f"{folder_of(table)}/{name}") for name in self._names(table)]

    def _names(self, table: str) -> list[str]:
        """Name the files of a table, part after part, and part 0 last."""
        if table not in (*self.tables, MANIFEST):
            if table in TABLES:
                raise AttributeError(f"table {table!r} was not asked for: convert it too")
            raise SchemaError(f"{table!r} is not one of {', '.join((*self.tables, MANIFEST))}")
        found = self._files[folder_of(table)]
        return [found[number] for number in sorted(found, key=lambda number: (number == 0, number))]


def _snapshot(store: Store, about: About) -> tuple[dict[str, dict[int, str]], Unfinished | None]:
    """List the files that count at one moment, even during a conversion, and its mark."""
    for _ in range(_PATIENCE):
        mark, records = Unfinished.read(store), store.names(RECORDS)
        committed = newest(records)
        files = {table: current(store.names(table), committed) for table in about.tables}
        if store.names(RECORDS) == records:
            return {**files, RECORDS: current(records, committed)}, mark
    raise DatasetError(f"{store.url}: a conversion is changing it all the time; wait for its end")


def open_dataset(path: str | PathLike[str]) -> Dataset:
    """Open a dataset that `convert` made.

    Nothing is read yet: each table is a `polars.LazyFrame`, which reads only the columns and parts
    that a query needs when it is collected. If the conversion did not end, a warning says how many
    files are missing.

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

    Warns
    -----
    ScanWarning
        If the conversion did not end.

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
    dataset = Dataset(fspath(path), store, about)
    if dataset.unfinished:
        warn(f"{dataset.path}: {dataset.unfinished}", ScanWarning)
    return dataset
