"""The rows of many files put together: typed columns, and for every row the file that it is of.

Files are read some hundred at a time. What such a batch gave is a `Part`: small enough to be sent
from one process to another, and written row under row into frames when all parts are there.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from fiotools.arrays import Vector, joined, vector
from fiotools.rows import Files, Rows
from fiotools.tables import Block, Column, Maker, Tables
from fiotools.vocabulary import COLUMNS, CONDITIONS, TABLES

Labels = Mapping[str, Any]
_FEW = 32  # rows: a value that so few share is written out where others are
_MANY, _LONG = 50_000, 100  # rows, and rows of a stretch, for which stretches are worth keeping


class Stretches(NamedTuple):
    """How many rows on end share their values, and columns of what they share."""

    sizes: np.ndarray[Any, np.dtype[np.int64]]
    columns: Mapping[str, Column]


class Piece(NamedTuple):
    """Rows of one table.

    Attributes
    ----------
    file : int or numpy.ndarray
        The number of their file within its batch; or of each row's, or stretch's if there are any.
    block : Block
    stretches : Stretches, optional
    """

    file: int | Files
    block: Block
    stretches: Stretches | None = None


@dataclass(slots=True)
class Part:
    """What a batch of files gave.

    Attributes
    ----------
    files : list of (source, labels)
    tables : dict of str to Rows
        In the order of the files.
    """

    files: list[tuple[str, Labels]]
    tables: dict[str, Rows]


class Gathered(Tables):
    """The rows of many files, added one by one: those of the file ``number``.

    Attributes
    ----------
    number : int
    pieces : dict of str to list of Piece
        What was added, when it is finished.
    """

    def __init__(self, wanted: Collection[str] | None) -> None:
        super().__init__("", wanted)
        self.number = 0
        self.pieces: dict[str, list[Piece]] = {}
        self._numbers: dict[str, list[int]] = {}

    def add(self, table: str, **row: Any) -> None:
        """Add one row."""
        if self.wants(table):
            super().add(table, **row)
            self._numbers.setdefault(table, []).append(self.number)

    def _append(self, table: str, block: Block) -> None:
        numbers = self._numbers.pop(table, None)
        file = self.number if numbers is None else np.array(numbers, dtype=np.int32)
        self.pieces.setdefault(table, []).append(Piece(file, block))


def pieces_of(files: Iterable[tuple[int, Tables]]) -> dict[str, list[Piece]]:
    """Sort the rows of some files by table; what was deferred becomes rows here."""
    found: dict[str, list[Piece]] = {}
    direct: dict[str, list[Piece]] = {}
    records: dict[Maker, list[Any]] = {}
    owners: dict[Maker, list[int]] = {}
    wants: Callable[[str], bool] = bool
    for number, tables in files:
        wants = tables.wants
        for table, blocks in tables.blocks.items():
            direct.setdefault(table, []).extend(Piece(number, block) for block in blocks)
        for make, own in tables.deferred.items():
            records.setdefault(make, []).extend(own)
            owners.setdefault(make, []).extend([number] * len(own))
    for make, together in records.items():
        numbers = np.array(owners[make], dtype=np.int32)
        for made in make(together, wants):
            size = len(next(iter(made.columns.values())))
            stretches = None if made.sizes is None else Stretches(made.sizes, made.shared)
            piece = Piece(numbers[made.owners], Block(size, made.columns), stretches)
            found.setdefault(made.table, []).append(piece)
    for table, pieces in direct.items():
        found.setdefault(table, []).extend(pieces)
    return found


def join(table: str, pieces: Sequence[Piece]) -> Rows:
    """Put the rows of one table together, in the order of the files."""
    pieces = [piece for piece in pieces if piece.block.size]
    if not pieces:
        return Rows(np.zeros(0, dtype=np.int32))
    rows = (_in_stretches(table, pieces) or _row_by_row(table, pieces)).in_order()
    return rows if table == "notes" else rows.in_order("run")


def _row_by_row(table: str, pieces: Sequence[Piece]) -> Rows:
    pieces = [_spread(piece) for piece in pieces]
    return Rows(_files(pieces), _columns(table, [piece.block for piece in pieces]))


def _in_stretches(table: str, pieces: Sequence[Piece]) -> Rows | None:
    """Put rows together that share their values in long stretches; None if they do not."""
    count = sum(piece.block.size for piece in pieces)
    if count <= max(_MANY, _LONG * len(pieces)):
        return None
    pieces = [_stretched(piece) for piece in pieces]
    blocks = [piece.block for piece in pieces]
    stretches = [piece.stretches for piece in pieces if piece.stretches]
    own = {name for block in blocks for name in block.columns}
    sizes = np.concatenate([one.sizes for one in stretches])
    mixed = any(name in own for one in stretches for name in one.columns)
    if mixed or count <= _LONG * len(sizes):
        return None
    short = [
        Block(len(one.sizes), one.columns, block.same)
        for one, block in zip(stretches, blocks, strict=True)
    ]
    return Rows(
        np.concatenate([piece.file for piece in pieces]),
        _columns(table, blocks, own),
        sizes,
        {name: one for name, one in _columns(table, short).items() if name not in own},
    )


def _stretched(piece: Piece) -> Piece:
    """Give a piece stretches if it has none: all of it, or the rows of each file."""
    file, block, stretches = piece
    if stretches:
        return piece
    if isinstance(file, int):
        return Piece(np.array([file], dtype=np.int32), block, Stretches(np.array([block.size]), {}))
    starts = np.flatnonzero(np.diff(file, prepend=-1))
    return Piece(file[starts], block, Stretches(np.diff(starts, append=block.size), {}))


def _spread(piece: Piece) -> Piece:
    """Give each row what it shares with those of its stretch."""
    file, block, stretches = piece
    if not stretches:
        return piece
    columns = dict(block.columns)
    for name, values in stretches.columns.items():
        columns[name] = vector(values, COLUMNS[name].dtype).repeat(stretches.sizes)
    return Piece(np.repeat(file, stretches.sizes), block._replace(columns=columns))


def _files(pieces: Sequence[Piece]) -> Files:
    if all(isinstance(piece.file, int) for piece in pieces):
        numbers = np.array([piece.file for piece in pieces], dtype=np.int32)
        return numbers.repeat([piece.block.size for piece in pieces])
    return np.concatenate(
        [
            np.full(block.size, file, dtype=np.int32) if isinstance(file, int) else file
            for file, block, _ in pieces
        ]
    )


def _columns(
    table: str, blocks: Sequence[Block], names: Collection[str] | None = None
) -> dict[str, Vector]:
    """Join columns, all or some, in the order of the table; those in which anything is."""
    given = {name for block in blocks for name in (*block.columns, *block.same)}
    if names is not None:
        given &= set(names)
    joint = {name: _column(name, blocks) for name in TABLES[table] if name in given}
    return {name: one for name, one in joint.items() if one is not None}


def _column(name: str, blocks: Sequence[Block]) -> Vector | None:
    """Join the pieces of a column; None if nothing is in it."""
    dtype = COLUMNS[name].dtype
    found: list[Vector] = []
    values: list[Any] = []  # row by row
    shared: list[Any] = []  # values of whole blocks
    sizes: list[int] = []
    empty = True

    def close() -> None:
        if values:
            found.append(vector(values, dtype))
            values.clear()
        if shared:
            found.append(vector(shared, dtype).repeat(sizes))
            shared.clear()
            sizes.clear()

    for size, columns, same in blocks:
        given = columns.get(name)
        if given is None:
            value = same.get(name)
            empty = empty and value is None
            if size < _FEW and values:
                values += [value] * size
            else:
                if values:
                    close()
                shared.append(value)
                sizes.append(size)
        elif isinstance(given, list):
            empty = False
            if shared:
                close()
            values += given
        else:
            empty = False
            close()
            found.append(vector(given, dtype))
    close()
    return joined(found) if found and not empty else None


def stack(parts: Sequence[Part], wanted: Collection[str] | None = None) -> dict[str, Rows]:
    """Put parts together; files are numbered through all of them."""
    starts = np.cumsum([0, *(len(part.files) for part in parts)], dtype=np.int32)
    built = {}
    for table in TABLES:
        if wanted is not None and table not in wanted and table != "notes":
            continue
        pairs = zip(starts, parts, strict=False)
        rows = [(start, part.tables[table]) for start, part in pairs if table in part.tables]
        rows = [(start, one) for start, one in rows if len(one)]
        built[table] = _stacked(rows) if rows else Rows(np.zeros(0, dtype=np.int32))
    return built


def _stacked(rows: Sequence[tuple[int, Rows]]) -> Rows:
    """Put rows under one another; the files of each begin with a number."""
    own = {name for _, one in rows for name in one.columns}
    shared = [
        Rows(one.files, one.shared)
        for _, one in rows
        if one.sizes is not None and own.isdisjoint(one.shared)
    ]
    sizes = None
    if len(shared) < len(rows):
        rows, shared = [(start, one.spread()) for start, one in rows], []
    else:
        sizes = np.concatenate([one.sizes for _, one in rows])
    return Rows(
        np.concatenate([start + one.files for start, one in rows]),
        _stacked_columns([one for _, one in rows]),
        sizes,
        _stacked_columns(shared),
    )


def _stacked_columns(rows: Sequence[Rows]) -> dict[str, Vector]:
    names = dict.fromkeys(name for one in rows for name in one.columns)
    return {name: joined([one.get(name) for one in rows]) for name in names}


def fill_conditions(
    files: Sequence[tuple[str, Labels]], tables: Mapping[str, Rows]
) -> list[tuple[int, str]]:
    """Fill gaps of conditions from labels that are named like them.

    Returns
    -------
    list of (file, message)
        Where a path says another condition than the file does.
    """
    named = {name for _, labels in files for name in labels}
    said: list[tuple[int, str]] = []
    for name in filter(named.__contains__, CONDITIONS):
        labels = vector([labels.get(name) for _, labels in files], COLUMNS[name].dtype)
        for table, rows in tables.items():
            if name in TABLES[table] and len(rows):
                given, stated = rows.get(name), labels.take(rows.file)
                if table == "io":
                    said += _contradicted(name, rows.file, given, stated)
                rows.put(name, _filled(given, stated))
    return said


def _contradicted(
    name: str, files: Files, given: Vector, stated: Vector
) -> Iterator[tuple[int, str]]:
    others: dict[int, tuple[Any, set[Any]]] = {}
    for place in np.flatnonzero(given.known & stated.known).tolist():
        label, value = stated.at(place), given.at(place)
        if label != value:
            others.setdefault(int(files[place]), (label, set()))[1].add(value)
    for file, (label, values) in others.items():
        said = ", ".join(map(str, sorted(values)))
        yield file, f"the path says {name}={label}, the file {said}: the file's is kept"


def _filled(given: Vector, stated: Vector) -> Vector:
    """Put what labels state where a file says nothing."""
    own = np.arange(len(given))
    return joined([given, stated]).take(np.where(given.known, own, own + len(given)))


def add_notes(
    rows: Rows, said: Sequence[tuple[int, int | None, str]], *, last: bool = False
) -> Rows:
    """Add warnings (file, run, message): behind the notes of their files, or behind all."""
    if not said:
        return rows
    files, runs, messages = zip(*said, strict=True)
    columns = {
        "run": vector(runs, "Int64"),
        "severity": vector(["warning"] * len(said), "str"),
        "message": vector(messages, "str"),
    }
    added = Rows(np.array(files, dtype=np.int32), columns)
    whole = _stacked([(0, one) for one in (rows, added) if len(one)])
    return whole if last else whole.in_order()
