"""Many small fio documents of the usual layout, read side by side.

Documents that are equal but for their numbers, names, options and dates are of one shape: what its
numbers are is found once, and then they are read from all of its documents together, as columns. A
document that is of no usual shape, or says what is seldom said, is left to the reader that takes
documents one by one.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from typing import TYPE_CHECKING

from fiotools.readers import fio_json_bins
from fiotools.readers.fio_json_columns import Columns, Cut
from fiotools.readers.fio_json_cut import BEGINS, cut, skeleton
from fiotools.readers.fio_json_marks import UnusualError
from fiotools.readers.fio_json_matrix import Matrix
from fiotools.readers.fio_json_shape import Shape

if TYPE_CHECKING:
    from fiotools.joining import Piece
    from fiotools.readers.fio_json_bins import Bins

# bytes: a larger document gains nothing by company; of json+ some tenth is left without its bins
_LARGEST, _LARGEST_PLUS = 2**20, 2**24
_TOGETHER = 2**21  # bytes of documents that are read at once: what is made of them is small then
_WAITING = 2**23  # bytes of documents that wait for others of their shape
_REMEMBERED = 2**15  # bytes of a skeleton whose shapes are worth keeping
_VARIANTS = 8  # shapes of one skeleton: they differ in the digits within texts


class _Group:
    """The documents that wait to be read together.

    Attributes
    ----------
    shape : Shape
    next : _Group or None
        Where those go that have the skeleton, and another shape.
    """

    def __init__(self, shapes: list[Shape], at: int) -> None:
        self.shape, self._shapes, self._at = shapes[at], shapes, at
        self.next: _Group | None = None
        self.size = 0
        self.documents: list[Cut] = []

    def add(self, document: Cut) -> None:
        """Add a document."""
        self.size += len(document.rest)
        self.documents.append(document)

    def read(self, columns: Columns) -> None:
        """Read the documents."""
        if not self.documents:
            return
        documents, self.documents, self.size = self.documents, [], 0
        matrix = Matrix(self.shape.form, [document.rest for document in documents])
        if not matrix.fits.all():
            pairs = zip(documents, matrix.fits.tolist(), strict=True)
            fitting = []
            for document, fits in pairs:
                if fits:
                    fitting.append(document)
                elif not self._pass_on(document):
                    columns.odd.append(document.file)
            documents = fitting
        if documents:
            columns.add(self.shape, matrix, documents)

    def _pass_on(self, document: Cut) -> bool:
        """Give a document to the next shape of the skeleton, its own if there is none yet."""
        if self.next is None:
            at = self._at + 1
            if at == len(self._shapes):
                if at == _VARIANTS:
                    return False
                try:
                    self._shapes.append(Shape.of(document.rest, len(document.texts)))
                except UnusualError:
                    return False
            self.next = _Group(self._shapes, at)
        self.next.add(document)
        return True


class Bulk:
    """Takes documents of the usual layout, as `fiotools.readers.base.Bulk` says."""

    def __init__(self, wanted: Collection[str] | None) -> None:
        self._columns = Columns(wanted)
        self._wants_bins = wanted is None or "bins" in wanted
        self._groups: dict[bytes, _Group | None] = {}  # by skeleton; None if it is not usual
        self._waiting = 0

    def take(self, number: int, data: bytes) -> bool:
        """Take a file's document if it is of a usual shape."""
        if len(data) > _LARGEST_PLUS or not data.startswith(BEGINS):
            return False
        bins: list[Bins] = []
        if fio_json_bins.may_have(data):
            taken = fio_json_bins.take(data, self._wants_bins)
            if taken is None:
                return False
            data, bins = taken
        found = cut(data) if len(data) <= _LARGEST else None
        if found is None:
            return False
        document = Cut(number, *found, bins)
        rest, texts = found
        key = skeleton(rest)
        if key not in self._groups:
            self._groups[key] = _first(key, rest, len(texts))
        group = self._groups[key]
        if group is None or len(texts) != group.shape.texts:
            return False
        if len(bins) != len(group.shape.fine.entry):
            return False
        group.add(document)
        self._waiting += len(rest)
        if group.size >= _TOGETHER:
            self._waiting -= group.size
            group.read(self._columns)
        elif self._waiting >= _WAITING:
            self._read()
        return True

    def _read(self) -> None:
        """Read what waits."""
        self._waiting = 0
        for group in self._groups.values():
            while group:
                group.read(self._columns)
                group = group.next

    def finish(self) -> tuple[dict[str, list[Piece]], list[int]]:
        """Give the rows of all documents, and the files whose documents were unusual after all."""
        self._read()
        return self._columns.pieces(), self._columns.odd


def _first(key: bytes, rest: bytes, texts: int) -> _Group | None:
    """Find the first shape of a skeleton; None if it is not usual."""
    shapes = _shapes(key) if len(key) <= _REMEMBERED else []
    try:
        if not shapes:
            shapes.append(Shape.of(rest, texts))
    except UnusualError:
        return None
    return _Group(shapes, 0)


@lru_cache(maxsize=128)
def _shapes(_skeleton: bytes) -> list[Shape]:
    """Keep the shapes of a skeleton, which are added when they are met."""
    return []
