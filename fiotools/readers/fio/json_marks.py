"""Places instead of numbers: a fio document in which each number says where it stands.

So a document is asked by name for the places of its figures, and these hold for all documents that
are equal to it but for their numbers. Texts that were cut out have places of their own.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import orjson

from fiotools.readers.fio.json_cut import CUT
from fiotools.readers.fio.json_keys import each_once
from fiotools.readers.fio.json_matrix import NUMBER, TOKEN

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Places = NDArray[np.int64]

# instead of a place: what is 0, and a count that is not said, for which -1 stands
ZERO, UNSAID = -1, -2
# in a document places count from 1
ZERO_MARK, UNSAID_MARK = ZERO + 1, UNSAID + 1
_TEXT = "\0"  # stands in no text of JSON


class UnusualError(Exception):
    """A document is not of the usual layout."""


def marked(rest: bytes) -> tuple[dict[str, Any], list[bool]]:
    """Put the place of every number and of every text that was cut out, from 1, for itself.

    A number with decimals becomes one and a half: it is told apart by its type.
    """
    decimals: list[bool] = []
    parts, at, cuts = [], 0, 0
    for token in TOKEN.finditer(rest):
        text = token[0]
        if text[:1] == b'"' and CUT not in text:
            continue
        parts.append(rest[at : token.start()])
        at = token.end()
        if text == CUT:
            parts.append(b'"\\u0000":%d' % cuts)
            cuts += 1
        elif text[:1] == b'"':
            parts.append(text.replace(CUT, b"\\u0000%d" % cuts))
            cuts += 1
        else:
            number = NUMBER.fullmatch(text)
            if not number:
                raise UnusualError
            decimals.append(number[1] is not None)
            parts.append(b"%d.5" % len(decimals) if number[1] else b"%d" % len(decimals))
    text = b"".join([*parts, rest[at:]])
    document = orjson.loads(text)
    if type(document) is not dict or not each_once(text, document):
        raise UnusualError
    return document, decimals


class Texts:
    """The texts that were cut out, each of which has to be found where it is looked for."""

    def __init__(self) -> None:
        self.next = 0

    def text(self, found: str, before: str = "") -> int:
        """Take the next, a text."""
        return self._take(found, f"{before}{_TEXT}{self.next}")

    def options(self, found: dict[str, Any]) -> int:
        """Take the next, which is what stands between braces."""
        return self._take(found, {_TEXT: self.next})

    def _take(self, found: Any, mark: Any) -> int:
        if found != mark:
            raise UnusualError
        self.next += 1
        return self.next - 1


class Gathered:
    """The places of numbers that are all with decimals, or all without."""

    def __init__(self, kind: type) -> None:
        self._kind = kind
        self._marks: list[Any] = []

    def add(self, marks: Iterable[Any]) -> None:
        """Add places; what is 0 or not said is of either kind."""
        for mark in marks:
            if type(mark) is not self._kind and not (type(mark) is int and mark <= ZERO_MARK):
                raise UnusualError
            self._marks.append(mark)

    def places(self) -> Places:
        """Give them all, from 0."""
        return places(self._marks)


def places(marks: Iterable[float]) -> Places:
    """Give places from 0."""
    return np.array([int(mark) - 1 for mark in marks], dtype=np.int64)
