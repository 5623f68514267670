"""The parts of a conversion: which files make which part, and how a part is done.

A piece is made for each part: the rows that the manifest will have for its files, whether each file
will be read, and where it stood in the part before.

New files make new parts, in their order, each limited in number and size. A part is rewritten if a
file of it has changed or is removed; the rows of its other files come from its old files, and
these are not read.

A part is the unit of work, in any process: a worker needs access to the sources and the dataset,
and little else. The rows go straight into files; the record is written last, and makes them count.
So the manifest alone says what was read, whatever ended a conversion. Done twice, a part has the
same bytes.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes

import numpy as np
import polars as pl

from fiotools._version import __version__
from fiotools.dataset import parquet
from fiotools.dataset.contents import (
    About,
    Unfinished,
)
from fiotools.dataset.parquet import MANIFEST, arrow_schema, columns, polars_schema, rows_of
from fiotools.dataset.store import RECORDS, Store, part_name
from fiotools.errors import DatasetError, FileError, SchemaError
from fiotools.files import digest
from fiotools.files.remote import Stat
from fiotools.input import read
from fiotools.input.read import Bounds
from fiotools.input.sources import Fetch, Found, as_text, is_url, refuse_no_file
from fiotools.tables.columns import get
from fiotools.tables.parts import FILE, Part
from fiotools.vocabulary import DType

Key = tuple[str, str | None]
PENDING = "_todo"  # column of a piece: whether the file is to be read
_BEFORE = "_before"  # its row in the part's record until now
Hash = Callable[["pl.DataFrame"], list[str | None]]  # of each file of a frame
DO = "_do"  # with a file: new, changed, touched (only its time differs), same, gone
_NOW = "_now"  # suffix of listed values
_SEEN = "_seen"  # suffix of values in the manifest
_LISTED = ("place", "member", "named", "size_bytes", "mtime_ns", "etag", "asked")
_OTHERWISE = ("place", "member", "size_bytes", "asked")  # to be read if they differ


def kinds_of(found: Sequence[Found]) -> dict[str, DType]:
    """Return the type of each label."""
    names = dict.fromkeys(name for file in found for name in file.labels)
    if taken := [name for name in names if name in columns(MANIFEST, {})]:
        raise SchemaError(
            f"label {taken[0]!r} is called as a column of the dataset's manifest: rename the field"
        )
    return {name: _kind({type(file.labels.get(name)) for file in found}) for name in names}


def _kind(types: set[type]) -> DType:
    types = types - {type(None)}
    if types == {bool}:
        return "boolean"
    if types == {int}:
        return "Int64"
    return "float64" if types <= {int, float} else "str"


def listed(found: Sequence[Found], labels: Mapping[str, DType], asked: str | None) -> pl.DataFrame:
    """Make the columns of the manifest that are known of files unread, read as ``asked``."""
    listing: dict[str, Any] = {
        "source": [file.name for file in found],
        "place": [_whole(file.place) for file in found],
        "member": [file.member for file in found],
        "named": [file.named for file in found],
        "asked": [asked] * len(found),
    }
    known = zip(*map(_known, found), strict=True)
    listing |= zip(("size_bytes", "mtime_ns", "etag"), known, strict=True)
    for name, kind in labels.items():
        values = [file.labels.get(name) for file in found]
        if kind == "str":
            values = [None if value is None else str(value) for value in values]
        listing[name] = values
    schema = polars_schema(MANIFEST, labels)
    return pl.DataFrame(listing, schema={name: schema[name] for name in listing})


def found_again(rows: pl.DataFrame, labels: Mapping[str, DType]) -> Iterator[Found]:
    """Yield the files of rows of the manifest."""
    for row in rows.iter_rows(named=True):
        given = {name: row[name] for name in labels if row[name] is not None}
        place = row["place"]
        if place.startswith("file://"):  # see _whole
            place = os.fsdecode(unquote_to_bytes(place.removeprefix("file://")))
        stat = Stat(row["size_bytes"], row["mtime_ns"], row["etag"]) if is_url(place) else None
        yield Found(place, row["source"], given, row["named"], row["member"], stat)


def _known(file: Found) -> tuple[int | None, int | None, str | None]:
    """Return size, time, and the object store's tag."""
    if file.stat is not None:
        return file.stat
    try:
        stat = Path(file.place).stat()
    except OSError:  # reading it will say why
        return None, None, None
    return stat.st_size, stat.st_mtime_ns, None


def _whole(place: str) -> str:
    """Return the whole path, as a URL if it is not text; a URL as it is."""
    if is_url(place):
        return place
    path = place if place.startswith("/") else Path(place).absolute().as_posix()
    return path if as_text(path) == path else Path(path).as_uri()


def pending(piece: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of the files to be read."""
    return piece.filter(PENDING)


def key(file: Found) -> Key:
    """Return a key of the file that does not depend on its name."""
    return file.place, file.member


class Hashing(Fetch):
    """Reads files, and takes their hash; those that are refused it does not read."""

    def __init__(self, found: Sequence[Found], refused: Mapping[Key, FileError]) -> None:
        super().__init__([file for file in found if key(file) not in refused])
        self._refused = refused
        # SHA-256 of each place that was read; a file in an archive has that of the archive
        self.hashes: dict[str, str] = {}

    def __call__(self, file: Found) -> bytes:
        """Read one file."""
        if key(file) in self._refused:
            raise self._refused[key(file)]
        data = super().__call__(file)
        if file.member is None:
            self.hashes[file.place] = hashlib.sha256(data).hexdigest()
        elif file.place not in self.hashes:
            self.hashes[file.place] = digest(file.place)
        return data


def digests(found: Sequence[Found]) -> list[str | None]:
    """Return the hashes of some files, or of their archives; None if a file cannot be read."""
    fetch = Fetch(found)
    hashes: list[str | None] = []
    for file in found:
        try:
            if is_url(file.place):
                hashes.append(hashlib.sha256(fetch(file)).hexdigest())
            else:
                refuse_no_file(file)
                hashes.append(digest(file.place))
        except (OSError, FileError):
            hashes.append(None)
    return hashes


def compared(
    listing: pl.DataFrame,
    known: pl.LazyFrame,
    labels: Mapping[str, DType],
    *,
    prune: bool,
    check: bool,
    hashes: Hash,
) -> pl.DataFrame:
    """Tell what to do with each file that was listed, or that is in the manifest and goes.

    ``prune`` and ``check`` are those of `convert`.
    """
    keys = [*labels, "source"]
    named = listing.select(keys)
    if (twice := named.is_duplicated()).any():
        name = named.filter(twice)["source"][0]
        raise DatasetError(f"{name}: two of the files have this name, and the same labels")
    seen = known.join(named.lazy(), on=keys, how="semi", nulls_equal=True).select(
        *keys, *_LISTED, "hash", "status", "fiotools_version", "part"
    )
    both = listing.join(
        seen.collect(engine="streaming"),
        on=keys,
        how="left",
        nulls_equal=True,
        suffix=_SEEN,
        maintain_order="left",
    )
    _refuse_others(both)
    gone = known.join(named.lazy(), on=keys, how="anti", nulls_equal=True)
    if not prune:  # but of a file that is called otherwise now
        held = [*labels, "place", "member"]
        gone = gone.join(listing.lazy().select(held), on=held, how="semi", nulls_equal=True)
    gone = gone.select(*keys, "part", pl.lit("gone").alias(DO))
    decided = _decided(both, hashes, check=check).select(*keys, *_LISTED, "part", DO)
    return pl.concat([decided, gone.collect(engine="streaming")], how="diagonal")


def _decided(both: pl.DataFrame, hashes: Hash, *, check: bool) -> pl.DataFrame:
    """Tell what is new, changed, touched or the same: by content if only the size is."""

    def alike(*names: str) -> pl.Expr:
        return pl.all_horizontal(pl.col(n).eq_missing(pl.col(f"{n}{_SEEN}")) for n in names)

    is_new = pl.col("part").is_null()
    # a newer fiotools may read it
    is_open = (pl.col("status") != "read") & (pl.col("fiotools_version") != __version__)
    is_other = ~alike(*_OTHERWISE) | pl.col("hash").is_null() | is_open
    is_as_old = alike("mtime_ns", "etag")
    is_dated = pl.col("mtime_ns").is_not_null() | pl.col("etag").is_not_null()
    in_doubt = ~is_new & ~is_other & ~(is_as_old & is_dated & (not check))
    content = both["hash"]
    places = both.select(in_doubt.arg_true()).to_series()
    if len(places):
        content = content.scatter(places, pl.Series(hashes(both[places]), dtype=pl.String))
    return both.with_columns(
        pl.when(is_new)
        .then(pl.lit("new"))
        .when(is_other | pl.lit(content).ne_missing(pl.col("hash")))
        .then(pl.lit("changed"))
        .when(is_as_old)
        .then(pl.lit("same"))
        .otherwise(pl.lit("touched"))
        .alias(DO)
    )


def _refuse_others(both: pl.DataFrame) -> None:
    """Refuse two files of one name that are both there; one that was moved is the same file."""
    moved = both.filter(pl.col("place") != pl.col(f"place{_SEEN}"))
    pairs = zip(moved["source"], moved["place"], moved[f"place{_SEEN}"], strict=True)
    for name, place, before in pairs:
        if not is_url(before) and Path(before).exists():
            raise DatasetError(
                f"{name}: the dataset has rows of this name from {before}, and this one is"
                f" {place}; give other names, or a label to each side"
            )


def rewritten(
    record: pl.DataFrame, changes: pl.DataFrame, labels: Mapping[str, DType]
) -> pl.DataFrame:
    """Plan a part that is there already, from its record and the files to do something with."""
    keys = [*labels, "source"]
    now = changes.select(*keys, *_LISTED, DO)
    rows = (
        record.with_row_index(_BEFORE)
        .join(now, on=keys, how="left", nulls_equal=True, suffix=_NOW, maintain_order="left")
        .filter(pl.col(DO).ne_missing("gone"))
    )
    is_listed = pl.col(DO).is_not_null()
    todo = pl.col(DO).eq_missing("changed")
    own = {*keys, *_LISTED, "part"}
    found = [name for name in columns(MANIFEST, labels) if name not in own]
    return rows.with_columns(
        *(pl.when(is_listed).then(f"{name}{_NOW}").otherwise(name).alias(name) for name in _LISTED),
        *(pl.when(todo).then(None).otherwise(pl.col(name)).alias(name) for name in found),
        todo.alias(PENDING),
    ).select(*columns(MANIFEST, labels), PENDING, _BEFORE)


def added(new: pl.DataFrame, number: int, labels: Mapping[str, DType]) -> pl.DataFrame:
    """Plan a part of files that are not in the dataset."""
    schema = {**polars_schema(MANIFEST, labels), PENDING: pl.Boolean(), _BEFORE: pl.Int64()}
    known = new.select(
        *labels,
        "source",
        *_LISTED,
        pl.lit(number, pl.Int64).alias("part"),
        pl.lit(True).alias(PENDING),
    )
    return pl.concat([pl.DataFrame(schema=schema), known], how="diagonal")


# files; as Arrow, their rows take a tenth of the memory that reading takes
_AT_ONCE = Bounds(read.BATCH, 16 << 20)


@dataclass(frozen=True)
class Work:
    """A part to be done."""

    store: Store
    about: About
    number: int
    generation: int
    reading: read.Task  # how its files are read
    before: Mapping[str, str]  # its files until now, by folder
    piece: pl.DataFrame  # the rows of its record, as far as they are known
    token: str  # of the conversion
    # files that are not read: they end every process that reads them
    refused: Mapping[Key, FileError] = field(default_factory=dict)

    def refuse_other(self) -> None:
        """Refuse to write for a conversion that is not the last one: it has begun anew."""
        mark = Unfinished.read(self.store)
        if mark is None or mark.token != self.token:
            raise DatasetError(
                f"{self.store.url}: part {self.number} is not wanted any more: another conversion"
                " was begun, or the process sees another folder of this name"
            )

    def files(self) -> list[Found]:
        """Return the files to be read."""
        return list(found_again(pending(self.piece), self.about.labels))


def try_alone(reading: read.Task, file: Found) -> None:
    """Read a file only to see whether this process survives it."""
    read.read_batch([file], reading)


def do_part(work: Work) -> int:
    """Read the pending files of a part, write its files, then its record; return their number."""
    piece = work.piece
    todo = pending(piece)
    sheets, outcomes = _read(todo, work)
    # with the outcomes of its files the piece is the record
    places = piece[PENDING].arg_true()
    for column in outcomes[0] if outcomes else ():
        values = pl.Series([one[column] for one in outcomes], dtype=piece[column].dtype)
        piece = piece.with_columns(piece[column].scatter(places, values))
    before = piece.clear()
    if RECORDS in work.before:
        before = pl.read_parquet(work.store.read(f"{RECORDS}/{work.before[RECORDS]}"))
    made = {}
    for table, sheet in sheets.items():
        if table in work.before:
            whole = _merged(table, sheet, piece, before, work)
            if whole is not None:
                made[table] = whole.close()
        elif sheet.rows:
            made[table] = sheet.close()
    work.refuse_other()
    record = parquet.of_polars(piece, arrow_schema(MANIFEST, work.about.labels))
    parquet.commit(work.store, part_name(work.number, work.generation), made, record)
    return len(todo)


def _read(
    todo: pl.DataFrame, work: Work
) -> tuple[dict[str, parquet.ParquetSheet], list[dict[str, Any]]]:
    """Read files, some at a time; return their rows, and the columns of the manifest for each."""
    tables, labels = work.about.tables, work.about.labels
    found = list(found_again(todo, labels))
    sheets = {table: parquet.ParquetSheet(arrow_schema(table, labels)) for table in tables}
    outcomes: list[dict[str, Any]] = []
    for start, end in _AT_ONCE.cut(todo["size_bytes"]):
        told, slices = _read_some(found[start:end], work, frozenset())
        outcomes += told
        for table, rows in slices:
            sheets[table].add(rows)
    return sheets, outcomes


def _read_some(
    found: Sequence[Found], work: Work, left_out: frozenset[int]
) -> tuple[list[dict[str, Any]], list[tuple[str, Any]]]:
    """Read files at once; leave the largest out if their rows do not fit into the memory."""
    tables = work.about.tables
    fetch = Hashing(found, work.refused)
    try:
        batch = read.read_batch(found, work.reading, fetch=fetch, left_out=left_out)
        outcomes = [*_outcomes(batch.part, found, fetch.hashes, tables)]
        return outcomes, [*parquet.slices_of(batch.part, tables, work.about.labels)]
    except MemoryError as error:
        error.with_traceback(None)
        if len(left_out) == len(found):
            raise
    others = set(range(len(found))) - left_out
    largest = max(others, key=lambda number: read.size_of(found[number]))
    return _read_some(found, work, left_out | {largest})


def _outcomes(
    part: Part, found: Sequence[Found], hashes: Mapping[str, str], tables: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """Yield the columns of the manifest that tell the outcome of each file."""
    counts = {}
    for table in tables:
        rows = part.tables[table]
        counts[table] = np.bincount(rows[FILE], minlength=len(found))
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
    table: str, new: parquet.ParquetSheet, piece: pl.DataFrame, before: pl.DataFrame, work: Work
) -> parquet.ParquetSheet | None:
    """Put old and new rows together, in the order of the files; None: the old file stays."""
    name, count = f"{table}/{work.before[table]}", rows_of(table)
    kept = piece.filter(~piece[PENDING])[_BEFORE].to_numpy()
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
    # the place of each row's file in the part; -1 if the row goes
    todo, places = piece[PENDING].to_numpy(), np.full(len(before), -1)
    places[kept] = np.flatnonzero(~todo)
    counts = piece[count].fill_null(0).to_numpy()[todo]
    of_rows = np.concatenate([places.repeat(had), np.flatnonzero(todo).repeat(counts)])
    order = np.argsort(of_rows, kind="stable")
    merged = parquet.ParquetSheet(schema)
    merged.add(both.take(order[np.count_nonzero(of_rows < 0) :]))
    return merged
