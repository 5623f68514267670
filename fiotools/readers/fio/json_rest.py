"""What many fio documents say beside their figures: settings, disks, and what has no column."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import orjson

from fiotools.arrays import Vector
from fiotools.joining import Piece
from fiotools.readers.fio.json_extras import DISK
from fiotools.readers.fio.json_listed import Jobs, plain
from fiotools.tables import Block

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fiotools.readers.fio.json_matrix import Matrix
    from fiotools.readers.fio.json_shape import Shape

    Array = NDArray[Any]
    Numbers = NDArray[np.int32]


class Read(NamedTuple):
    """Numbers of the documents of one shape: of disks, and of extras as texts."""

    disks: dict[str, Array]
    said: Array | None


class Rest:
    """The settings, disks and extras of a batch."""

    def __init__(self, wanted: Collection[str]) -> None:
        self._wants_settings = "settings" in wanted
        self._wants_disks = "disks" in wanted
        self._wants_extras = "extras" in wanted
        self._disks: list[Piece] = []
        self._extras: list[tuple[Numbers, list[int], list[str], list[str]]] = []

    def read(self, shape: Shape, matrix: Matrix) -> Read:
        """Read the numbers of documents."""
        disks: dict[str, Array] = {}
        if self._wants_disks:
            for key, places in shape.disks.at.items():
                read = matrix.real if key == "util" else matrix.whole
                disks[key] = read(places)
        return Read(disks, _texts(shape, matrix) if self._wants_extras else None)

    def add(
        self,
        shape: Shape,
        read: Read,
        taken: Array,
        files: Numbers,
        texts: Sequence[Sequence[bytes]],
    ) -> None:
        """Add documents: those ``taken`` of the ones that were read."""
        if read.disks:
            self._disks.append(_disk_rows(shape, read.disks, taken, files, texts))
        if read.said is not None and shape.extras:
            self._add_extras(shape, read.said[taken], files, texts)

    def _add_extras(
        self, shape: Shape, said: Array, files: Numbers, texts: Sequence[Sequence[bytes]]
    ) -> None:
        paths: list[Sequence[str]] = []
        values: list[Sequence[str]] = []
        at = 0
        for extra in shape.extras:
            if isinstance(extra.text, int):
                values.append([plain(one[extra.text]) for one in texts])
            elif extra.numbers:
                numbers = said[:, at : at + extra.numbers].tolist()
                values.append([extra.text % tuple(row) for row in numbers])
            else:
                values.append([extra.text % ()] * len(texts))
            at += extra.numbers
            if extra.disk is None:
                paths.append([extra.path] * len(texts))
            else:
                disk = [plain(one[extra.disk]) for one in texts]
                paths.append([f"disk_util.{name}.{extra.path}" for name in disk])
        entries = [extra.entry for extra in shape.extras] * len(texts)
        rows = files.repeat(len(shape.extras))
        self._extras.append((rows, entries, _in_turn(paths), _in_turn(values)))

    def pieces(
        self, jobs: Jobs, known: Array, files: Numbers, keys: Mapping[str, Vector]
    ) -> dict[str, list[Piece]]:
        """Give the rows."""
        found: dict[str, list[Piece]] = {"disks": self._disks}
        if self._wants_settings:
            found["settings"] = [_settings(jobs, known, files, keys)]
        if self._extras:
            rows, entries, paths, values = zip(*self._extras, strict=True)
            entry = np.array(_in_line(entries), dtype=np.int64)
            columns = {
                "entry": Vector(entry, entry == 0),
                "path": words(_in_line(paths)),
                "text": words(_in_line(values)),
            }
            found["extras"] = [piece(np.concatenate(rows), columns, {"run": 1})]
        return found


def _texts(shape: Shape, matrix: Matrix) -> Array:
    """Write the numbers in the extras as JSON does."""
    is_real = shape.has_decimals[shape.said]
    found = np.empty((len(matrix), len(is_real)), dtype=object)
    found[:, ~is_real] = matrix.whole(shape.said[~is_real])
    real = np.ascontiguousarray(matrix.real(shape.said[is_real]))
    if real.size:
        listed = orjson.dumps(real.reshape(-1), option=orjson.OPT_SERIALIZE_NUMPY)
        texts = listed[1:-1].decode().split(",")
        found[:, is_real] = np.array(texts, dtype=object).reshape(real.shape)
    return found


def _disk_rows(
    shape: Shape,
    numbers: Mapping[str, Array],
    taken: Array,
    files: Numbers,
    texts: Sequence[Sequence[bytes]],
) -> Piece:
    names = shape.disks.names
    columns: dict[str, Any] = {"device": words([plain(one[at]) for one in texts for at in names])}
    for key, values in numbers.items():
        column, scale = DISK[key]
        columns[column] = values[taken].reshape(-1) * scale
    return piece(files.repeat(len(names)), columns, {"run": 1})


def _settings(jobs: Jobs, known: Array, files: Numbers, keys: Mapping[str, Vector]) -> Piece:
    """Give the options: before those of a file's first entry those of all its jobs."""
    blocks = [
        [*_rows(one.shared, "global")]
        if is_shared
        else [*_rows(one.given, "given"), *_rows(one.defaults, "default")]
        for is_shared in (False, True)
        for one in jobs.listed
    ]
    option, text, origin = (words(column) for column in zip(*_in_line(blocks), strict=True))
    sizes = np.array([len(block) for block in blocks])
    begins = np.cumsum(sizes) - sizes
    # the blocks of all entries
    options = np.array(jobs.options)[known]
    is_first = np.diff(files, prepend=-1) != 0
    entry = np.arange(len(known)).repeat(1 + is_first)
    is_shared = np.diff(entry, append=-1) == 0
    block = options[entry] + len(jobs.listed) * is_shared
    # the rows of all blocks
    size = sizes[block]
    first = (begins[block] - np.cumsum(size) + size).repeat(size)
    row = first + np.arange(len(first))
    entry, is_shared = entry.repeat(size), is_shared.repeat(size)
    number, job = keys["entry"].take(entry), keys["job"].take(entry)
    columns = {
        "entry": Vector(number.data, is_shared),
        "job": Vector(np.where(is_shared, -1, job.data), words=job.words),
        "option": option.take(row),
        "text": text.take(row),
        "origin": origin.take(row),
    }
    return piece(files[entry], columns, {"run": 1})


def _rows(options: Mapping[str, str], origin: str) -> Iterator[tuple[str, str, str]]:
    return ((name, text, origin) for name, text in options.items())


def piece(files: Numbers, columns: Mapping[str, Any], same: Mapping[str, Any]) -> Piece:
    """Put rows into a piece, each with the number of its file."""
    return Piece(files, Block(len(files), columns, same))


def words(texts: Sequence[str]) -> Vector:
    """Type texts of which many are alike."""
    known: dict[str, int] = {}
    places = [known.setdefault(text, len(known)) for text in texts]
    return Vector(np.array(places, dtype=np.int32), words=list(known))


def _in_turn(columns: Sequence[Sequence[str]]) -> list[str]:
    """List the first of each, then the second of each, and so on."""
    return _in_line(zip(*columns, strict=True))


def _in_line(parts: Iterable[Sequence[Any]]) -> list[Any]:
    return [*chain.from_iterable(parts)]
