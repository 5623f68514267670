"""Documents that wait for others of their shape, and are then read together.

Documents that are equal but for their numbers, names, options and dates are of one shape: what its
numbers are is found once, and then they are read from all of its documents, as columns.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from fiotools.readers.fio.json_cut import skeleton
from fiotools.readers.fio.json_marks import UnusualError
from fiotools.readers.fio.json_matrix import Matrix
from fiotools.readers.fio.json_shape import Shape

if TYPE_CHECKING:
    from fiotools.readers.fio.json_columns import Columns, Cut

_TOGETHER = 2**21  # bytes of documents that are read at once: what is made of them is small then
_WAITING = 2**23  # bytes of documents that wait for others of their shape
_REMEMBERED = 2**15  # bytes of a skeleton whose shapes are worth keeping
_VARIANTS = 8  # shapes of one skeleton: they differ in the digits within texts


class Together:
    """Sorts documents by their shapes.

    Parameters
    ----------
    columns : Columns
        Takes what they say.
    """

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._groups: dict[bytes, Group | None] = {}  # by skeleton; None if it is not usual
        self._waiting = 0

    def take(self, document: Cut) -> bool:
        """Take a document; False if it is of no usual shape."""
        group = self.group(skeleton(document.rest), document)
        if group is not None:
            self.add(group, document)
        return group is not None

    def group(self, key: bytes, document: Cut) -> Group | None:
        """Find the group of a document by its skeleton; None if it is of no usual shape."""
        if key not in self._groups:
            self._groups[key] = _first(key, document.rest, len(document.texts))
        group = self._groups[key]
        if group is None or len(document.texts) != group.shape.texts:
            return None
        return group if len(document.bins) == len(group.shape.fine.entry) else None

    def add(self, group: Group, document: Cut) -> None:
        """Add a document to its group."""
        group.add(document)
        self._waiting += len(document.rest)
        if group.size >= _TOGETHER:
            self._waiting -= group.size
            group.read(self._columns)
        elif self._waiting >= _WAITING:
            self.read()

    def read(self) -> None:
        """Read what waits."""
        self._waiting = 0
        for group in self._groups.values():
            while group:
                group.read(self._columns)
                group = group.next


class Group:
    """The documents that wait to be read together.

    Attributes
    ----------
    shape : Shape
    next : Group or None
        Where those go that have the skeleton, and another shape.
    """

    def __init__(self, shapes: list[Shape], at: int) -> None:
        self.shape, self._shapes, self._at = shapes[at], shapes, at
        self.next: Group | None = None
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
            self.next = Group(self._shapes, at)
        self.next.add(document)
        return True


def _first(key: bytes, rest: bytes, texts: int) -> Group | None:
    """Find the first shape of a skeleton; None if it is not usual."""
    shapes = _shapes(key) if len(key) <= _REMEMBERED else []
    try:
        if not shapes:
            shapes.append(Shape.of(rest, texts))
    except UnusualError:
        return None
    return Group(shapes, 0)


@lru_cache(maxsize=128)
def _shapes(_skeleton: bytes) -> list[Shape]:
    """Keep the shapes of a skeleton, which are added when they are met."""
    return []
