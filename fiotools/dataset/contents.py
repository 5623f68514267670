"""A dataset's description of itself: its version, tables and labels, and its manifest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson
import polars as pl

from fiotools._version import __version__
from fiotools.dataset import parquet
from fiotools.dataset.parquet import MANIFEST, VERSION, polars_schema, scan
from fiotools.dataset.store import (
    ABOUT,
    CLAIM,
    LOCK,
    RECORDS,
    Store,
    current,
    is_unfinished,
    leftover,
    newest,
    part_name,
    uncommitted,
)
from fiotools.errors import DatasetError
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
        """Read it; None if there is no dataset.

        Raises
        ------
        DatasetError
            If a newer fiotools has written it, or something else.
        """
        try:
            content = store.read(ABOUT)
        except FileNotFoundError:
            return None
        try:
            told = orjson.loads(content)
            about = cls(tuple(told["tables"]), told["labels"], int(told["schema"]))
        except (orjson.JSONDecodeError, KeyError, TypeError, ValueError):
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
        content = orjson.dumps(told, option=orjson.OPT_INDENT_2) + b"\n"
        store.write(ABOUT, content)


def records(store: Store, about: About, names: Sequence[str]) -> pl.LazyFrame:
    """Return the rows of the manifest that some record files hold."""
    return scan(store, RECORDS, names, polars_schema(MANIFEST, about.labels))


class Destination:
    """A dataset, while its lock is held.

    Attributes
    ----------
    store : Folder or Bucket
    about : About
    committed : dict of int to int
        The newest generation of each part.
    files : dict of str to dict of int to str
        For each folder the file of each part that counts.
    """

    def __init__(self, store: Store, about: About) -> None:
        self.store, self.about = store, about
        self.committed: dict[int, int] = {}
        self.files: dict[str, dict[int, str]] = {}

    def refresh(self) -> None:
        """List the files again, and remove those that do not count."""
        records = self.store.names(RECORDS)
        self.committed = newest(records)
        for folder in (*TABLES, RECORDS):
            names = records if folder == RECORDS else self.store.names(folder)
            self.files[folder] = current(names, self.committed)
            others = uncommitted(names, self.committed)
            parquet.refuse_others(self.store, [f"{folder}/{name}" for name in others])
            old = leftover(names, self.committed)
            self.store.remove(f"{folder}/{name}" for name in old)

    def begin(self) -> None:
        """Write part 0, if it is not there: no rows, but the columns of every table."""
        if 0 not in self.committed:
            for table in self.about.tables:
                self.write(table, 0, 1, parquet.empty(table, self.about.labels))
            self.commit(0, 1)

    def read(self, table: str, number: int) -> Any:
        """Read the rows of a part, as Arrow has them."""
        return parquet.read(self.store.read(f"{table}/{self.files[table][number]}"))

    def write(self, table: str, number: int, generation: int, rows: object) -> None:
        """Write a file of a table."""
        parquet.write(self.store, f"{table}/{part_name(number, generation)}", rows)

    def commit(self, number: int, generation: int) -> None:
        """Write the record of a part without files, which makes its generation count."""
        self.store.settle(self.about.tables)
        self.write(RECORDS, number, generation, parquet.empty(MANIFEST, self.about.labels))
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
    store: Store, tables: Iterable[str] | None, labels: Mapping[str, DType]
) -> Destination:
    """Open a dataset to convert into it, or make a new one.

    Raises
    ------
    DatasetError
        If the existing dataset cannot take in the requested tables or labels.
    """
    wanted = None if tables is None else tuple(tables)
    about = About.read(store)
    if about is None:
        store.remove(filter(is_unfinished, store.names()))
        about = About.of(wanted, labels)
        about.write(store)
    _refuse_others(store, about, wanted, labels)
    there = Destination(store, about)
    there.refresh()
    there.begin()
    return there


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
