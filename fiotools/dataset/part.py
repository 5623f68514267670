"""One part, from its piece of the plan to its files: the unit of work, in any process.

A worker needs access to the sources and the dataset, and little else; the rows go straight into
files. The record is written last. Done twice, a part has the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from fiotools._version import __version__
from fiotools.dataset import parquet
from fiotools.dataset.contents import About
from fiotools.dataset.parquet import MANIFEST, arrow_schema, rows_of
from fiotools.dataset.plan import (
    BEFORE,
    PENDING,
    Bounds,
    Hashing,
    Key,
    found_again,
    piece_name,
)
from fiotools.dataset.store import RECORDS, Store, part_name
from fiotools.errors import DatasetError, FileError
from fiotools.input import batches
from fiotools.input.batches import JobFiles
from fiotools.input.sources import Found
from fiotools.tables.columns import get
from fiotools.tables.parts import FILE, Part, sizes_of

# files; as Arrow, their rows take a tenth of the memory that reading takes
_AT_ONCE = Bounds(batches.BATCH, 16 << 20)


@dataclass(frozen=True)
class Work:
    """A part to be done."""

    store: Store
    about: About
    number: int
    generation: int
    reading: batches.Task  # how its files are read
    before: Mapping[str, str]  # its files until now, by folder
    # files that are not read: they end every process that reads them
    refused: Mapping[Key, FileError] = field(default_factory=dict)


def files_of(work: Work) -> list[Found]:
    """Return the pending files of a part."""
    piece = pl.read_parquet(work.store.read(piece_name(work.number, work.generation)))
    return list(found_again(piece.filter(PENDING), work.about.labels))


def try_alone(reading: batches.Task, file: Found) -> None:
    """Read a file only to see whether this process survives it."""
    batches.read_batch([file], reading)


def do(work: Work) -> int:
    """Read the pending files of a part, write its files, then its record; return their number."""
    name = piece_name(work.number, work.generation)
    try:
        content = work.store.read(name)
    except FileNotFoundError:
        raise _unwanted(work) from None
    piece = pl.read_parquet(content)
    todo = piece.filter(PENDING)
    sheets, outcomes = _read(todo, work)
    # with the outcomes of its files the piece is the record
    places = piece.with_row_index("_at").filter(PENDING)["_at"]
    for column in outcomes[0] if outcomes else ():
        values = pl.Series([one[column] for one in outcomes], dtype=piece[column].dtype)
        piece = piece.with_columns(piece[column].scatter(places, values))
    before = None
    if RECORDS in work.before:
        before = pl.read_parquet(work.store.read(f"{RECORDS}/{work.before[RECORDS]}"))
    made = {}
    for table, sheet in sheets.items():
        if table in work.before and before is not None:
            whole = _merged(table, sheet, piece, before, work)
            if whole is not None:
                made[table] = whole.close()
        elif sheet.rows:
            made[table] = sheet.close()
    try:
        wanted = work.store.read(name) == content
    except FileNotFoundError:
        wanted = False
    if not wanted:
        raise _unwanted(work)
    file = part_name(work.number, work.generation)
    for table, written in made.items():
        work.store.write(f"{table}/{file}", written)
    work.store.settle(made)
    schema = arrow_schema(MANIFEST, work.about.labels)
    parquet.write(work.store, f"{RECORDS}/{file}", parquet.of_polars(piece, schema))
    return len(todo)


def _unwanted(work: Work) -> DatasetError:
    return DatasetError(
        f"{work.store.url}: part {work.number} is not planned any more: another conversion was"
        " begun, or the process sees another folder of this name"
    )


def _read(todo: pl.DataFrame, work: Work) -> tuple[dict[str, parquet.Sheet], list[dict[str, Any]]]:
    """Read files, some at a time; return their rows, and the columns of the manifest for each."""
    tables, labels = work.about.tables, work.about.labels
    found = list(found_again(todo, labels))
    sheets = {table: parquet.Sheet(arrow_schema(table, labels)) for table in tables}
    outcomes: list[dict[str, Any]] = []
    job_files = JobFiles()
    for start, end in _AT_ONCE.cut(todo["size_bytes"]):
        some = found[start:end]
        fetch = Hashing(some, work.refused)
        part = batches.read_batch(some, work.reading, job_files, fetch=fetch).part
        outcomes += _outcomes(part, some, fetch.hashes, tables)
        for table, rows in parquet.slices_of(part, tables, labels):
            sheets[table].add(rows)
    return sheets, outcomes


def _outcomes(
    part: Part, found: Sequence[Found], hashes: Mapping[str, str], tables: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """Yield the columns of the manifest that tell the outcome of each file."""
    counts = {}
    for table in tables:
        rows = part.tables[table]
        weights = sizes_of(rows)
        counts[table] = np.bincount(rows[FILE], weights=weights, minlength=len(found)).astype(int)
    runs, notes = part.tables["runs"], part.tables["notes"]
    formats = dict(zip(runs[FILE], get(runs, "format"), strict=True))
    told = [get(notes, name) for name in ("severity", "line", "message")]
    said = zip(notes[FILE], *told, strict=True)
    first = {file: note for file, *note in reversed([*said])}
    for number, file in enumerate(found):
        status, line, message = "read", None, None
        if number not in formats:
            # it has a single note: why it gave nothing
            severity, line, message = first[number]
            is_noted = severity == "info" or (severity == "warning" and not file.named)
            status = "noted" if is_noted else "refused"
        yield {
            "hash": hashes.get(file.place),
            "status": status,
            "line": line,
            "message": message,
            "format": formats.get(number),
            "fiotools_version": __version__,
            **{rows_of(table): int(counts[table][number]) for table in tables},
        }


def _merged(
    table: str, new: parquet.Sheet, piece: pl.DataFrame, before: pl.DataFrame, work: Work
) -> parquet.Sheet | None:
    """Put old and new rows together, in the order of the files; None: the old file stays."""
    name, count = f"{table}/{work.before[table]}", rows_of(table)
    kept = piece.filter(~piece[PENDING])[BEFORE].to_numpy()
    had = before[count].fill_null(0).to_numpy()
    if had[kept].sum() == had.sum() and not new.rows:
        return None
    schema = arrow_schema(table, work.about.labels)
    old = parquet.read(work.store.read(name)).cast(schema)
    if len(old) != had.sum():
        raise DatasetError(
            f"{work.store.place(name)}: it has {len(old)} rows, and the manifest says {had.sum()};"
            " convert into another folder"
        )
    both = parquet.joined([old, parquet.read(new.close()).cast(schema)])
    # where each file's rows stand: in the old table, or behind it
    has = piece[count].fill_null(0).to_numpy()
    todo = piece[PENDING].to_numpy()
    starts = np.empty(len(piece), dtype=np.int64)
    starts[~todo] = (np.cumsum(had) - had)[kept]
    starts[todo] = len(old) + np.cumsum(has[todo]) - has[todo]
    within = np.arange(has.sum()) - (np.cumsum(has) - has).repeat(has)
    merged = parquet.Sheet(schema)
    merged.add(both.take(starts.repeat(has) + within))
    return merged
