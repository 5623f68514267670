"""What a dataset says of itself: what it is, and the record of each file that was converted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import orjson

from fiotools import __version__
from fiotools.column import DType
from fiotools.dataset.columns import MANIFEST, VERSION, polars_schema
from fiotools.dataset.names import ABOUT, RECORDS
from fiotools.dataset.scanning import scan
from fiotools.dataset.store import Store
from fiotools.errors import DatasetError
from fiotools.vocabulary import TABLES

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class About:
    """What a dataset is, for as long as it is there.

    Attributes
    ----------
    tables : tuple of str
        The tables that it has; their order is the vocabulary's.
    labels : mapping of str to str
        Its labels, and their types.
    schema : int
        The version of its columns.
    """

    tables: tuple[str, ...]
    labels: Mapping[str, DType]
    schema: int = VERSION

    @classmethod
    def of(cls, tables: Sequence[str] | None, labels: Mapping[str, DType]) -> About:
        """Say what a new dataset is to be; notes belong to any."""
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
        store.write(ABOUT, lambda file: file.write(content))


def records(store: Store, about: About, names: Sequence[str]) -> pl.LazyFrame:
    """Give the rows of the manifest that some record files hold."""
    return scan(store, RECORDS, names, polars_schema(MANIFEST, about.labels))
