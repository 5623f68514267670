"""Lazy frames of files: one source for polars, which reads file after file, block after block."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import polars as pl
from polars.io.plugins import register_io_source

from fiotools.errors import ScanWarning, argument
from fiotools.tables.columns import POLARS, label_column
from fiotools.vocabulary import COLUMNS, TABLES

if TYPE_CHECKING:
    from fiotools.input.sources import Found
    from fiotools.tables import Tables

Batches = Callable[[Collection[str]], Iterator[pl.DataFrame]]


def lazy(
    table: str,
    parts: Sequence[tuple[Found, Mapping[str, Any], Batches]],
    given: Collection[str],
    types: Mapping[str, pl.DataType],
    name: str,
) -> pl.LazyFrame:
    """Make a lazy frame in the form of a table.

    Parameters
    ----------
    table : str
    parts : sequence of (Found, keys, batches)
        For each file the columns that all its rows share, and a function that yields its rows:
        called with names of columns, it yields frames of those that it has.
    given : collection of str
        The columns of the files, including ``time_s``.
    types : mapping
        The types of columns that differ from the vocabulary.
    name : str
        The name that polars shows.
    """
    columns = {name: types.get(name, POLARS[COLUMNS[name].dtype]) for name in TABLES[table]}
    given = frozenset(given)
    labels = label_types([found for found, _, _ in parts])
    schema = {**{name: labels[name] for name in labels if name not in columns}, **columns}

    def read(
        wanted: list[str] | None, predicate: pl.Expr | None, rows: int | None, _: int | None
    ) -> Iterator[pl.DataFrame]:
        shown = list(schema) if wanted is None else wanted
        # a frame without columns has no rows either
        asked = shown if not given.isdisjoint(shown) else [*shown, "time_s"]
        left = rows
        for found, keys, batches in parts:
            same = {name: keys.get(name, found.labels.get(name)) for name in shown}
            literals = {name: pl.lit(value, dtype=schema[name]) for name, value in same.items()}
            for batch in batches(asked):
                # a label named like a column fills its gaps
                filled = [
                    batch[name].fill_null(found.labels[name])
                    for name in batch.columns
                    if name in found.labels
                ]
                others = {k: v for k, v in literals.items() if k not in batch.columns}
                frame = batch.with_columns(*filled, **others).select(shown)
                if predicate is not None:
                    frame = frame.filter(predicate)
                if left is not None:
                    frame = frame.head(left)
                    left -= len(frame)
                yield frame
                if left == 0:
                    return

    return register_io_source(read, schema=schema, explain_name=name)


def label_types(files: Sequence[Found]) -> dict[str, pl.DataType]:
    """Choose the types of labels, as `read` does."""
    labels = dict.fromkeys(label for found in files for label in found.labels)
    return {
        label: label_column(label, [found.labels.get(label) for found in files]).dtype
        for label in labels
    }


def warn_of(notes: Sequence[Tables], stacklevel: int) -> None:
    """Warn of assumptions; one that several files share is reported once.

    Warnings about lines come later, when all of them are counted.
    """
    said: dict[str, list[str]] = {}
    for tables in notes:
        for line, severity, message in tables.rows("notes", "line", "severity", "message"):
            if line is None and (severity != "info" or argument("version") in message):
                said.setdefault(message, []).append(tables.source)
    for message, names in said.items():
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        warnings.warn(f"{names[0]}{more}: {message}", ScanWarning, stacklevel=stacklevel)
