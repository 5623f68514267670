"""The elements of DISKSPD's XML, and the place of each value in them.

Documents that differ only in their values share one tree: each value in it is the number of its
place among the values of a document. So the elements of a tree and the path of every leaf hold for
all such documents, and the values of each document are taken by their places.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

LxmlElement: TypeAlias = Any  # lxml's class of an element is private
Texts: TypeAlias = Sequence[str]  # the values of a document, and behind them an empty one

NOTHING = -1  # the place of a value that is not there: the last of all, which is empty
LONG = 17  # digits of a whole number: more is not a count of bytes, and sums would overflow
NUMBERED = "\ue000"  # before the number of a place: DISKSPD writes no such character

_NOT_A_NUMBER = re.compile(r"-?(?:\d\.#\w+|nan(?:\(\w*\))?|inf)", re.IGNORECASE)
LARGEST = 10.0**LONG  # of a number that is measured


class MalformedError(Exception):
    """An element does not hold its kind of value."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line, self.reason = line, reason


class ValuesNeededError(Exception):
    """The answer depends on values, not only on their places."""


class Place(NamedTuple):
    """Where a value stands: its number, and the name and the line of its element."""

    at: int
    name: str
    line: int

    def whole(self, text: str) -> int:
        """Read a whole number."""
        if not text.isdecimal() or len(text) > LONG:
            raise MalformedError(self.line, f"{self.name} is {text!r}, not a whole number")
        return int(text)

    def number(self, text: str) -> float:
        """Read a number; C's 0/0 (``-1.#J``, ``-nan(ind)``) is nan: missing."""
        try:
            result = float(text)
        except ValueError:
            result = math.nan
        if abs(result) < LARGEST and "_" not in text:
            return result
        if not _NOT_A_NUMBER.fullmatch(text):
            raise MalformedError(self.line, f"{self.name} is {text!r}, not a number")
        return math.nan


class Tree(NamedTuple):
    """The elements of documents that differ in their values alone."""

    root: LxmlElement  # each value in it is `NUMBERED` and the number of its place
    # those that stand for buckets which were taken out, with their numbers
    marks: dict[LxmlElement, int]

    def filled(self, texts: Texts | None) -> Element:
        """Return the root with the values of one document; with None, of any."""
        return Element(self, texts, self.root)


class Element:
    """An element whose content is found by name.

    Parameters
    ----------
    tree : Tree
    texts : sequence of str or None
        The values of one document; None if they do not matter.
    *elements : lxml elements
        Several are taken as one.
    """

    def __init__(self, tree: Tree, texts: Texts | None, *elements: LxmlElement) -> None:
        self._tree, self._texts, self._elements = tree, texts, elements

    @property
    def line(self) -> int:
        """The line in which the element begins."""
        return int(self._elements[0].sourceline or 1) if self._elements else 1

    @property
    def content(self) -> int:
        """The place of its own text."""
        return _index(self._elements[0].text)

    @cached_property
    def _children(self) -> dict[str, list[LxmlElement]]:
        found: dict[str, list[LxmlElement]] = {}
        for element in self._elements:
            for child in element:
                found.setdefault(child.tag, []).append(child)
        return found

    def all(self, name: str) -> list[Element]:
        """Return the children of a name."""
        return [self._of(child) for child in self._children.get(name, ())]

    def below(self, *names: str) -> Element:
        """Return the children of all children of a name, as if they were of one; and so on."""
        found = self
        for name in names:
            found = self._of(*found._children.get(name, ()))
        return found

    def _of(self, *elements: LxmlElement) -> Element:
        return Element(self._tree, self._texts, *elements)

    def mark(self, name: str) -> int | None:
        """Return the number of the mark in the children of a name, or None."""
        inside = chain.from_iterable(self._children.get(name, ()))
        return next((self._tree.marks[one] for one in inside if one in self._tree.marks), None)

    def attributes(self) -> list[tuple[str, int]]:
        """Return the attributes: name, and place of the value."""
        return [(name, _index(text)) for one in self._elements for name, text in one.items()]

    def leaves(self, skip: tuple[str, ...] = ()) -> list[tuple[str, int]]:
        """Return every value below: path and place, without those below some children.

        A path is ``Target/BlockSize``; ``Target[2]/BlockSize`` where names repeat; ``Node/@Group``.
        """
        return [leaf for element in self._elements for leaf in _leaves(element, "", skip)]

    def place(self, path: str) -> Place:
        """Find the value of an element below: `NOTHING` if it is missing or empty.

        Raises
        ------
        MalformedError
            If it holds elements, or stands there twice with different texts.
        """
        inside, _, name = path.rpartition("/")
        element = self.below(*inside.split("/")) if inside else self
        found = element.all(name)
        if not found:
            return Place(NOTHING, name, element.line)
        if found[0]._children:
            raise MalformedError(found[0].line, f"{name} holds elements, not a value")
        if len({self._text(other.content) for other in found[1:] and found}) > 1:
            raise MalformedError(found[1].line, f"{name} occurs twice with different values")
        return Place(found[0].content, name, found[0].line)

    def places(self, paths: Sequence[str]) -> list[Place]:
        """Find the values of several elements below."""
        return [self.place(path) for path in paths]

    def text(self, name: str) -> str | None:
        """Read a child's text; None if it is missing."""
        return self._text(self.place(name).at) or None

    def whole(self, name: str) -> int | None:
        """Read a child's whole number."""
        place = self.place(name)
        text = self._text(place.at)
        return place.whole(text) if text else None

    def number(self, name: str) -> float | None:
        """Read a child's number."""
        place = self.place(name)
        text = self._text(place.at)
        return place.number(text) if text else None

    def said(self, skip: tuple[str, ...] = ()) -> list[tuple[str, str]]:
        """Return every value below: path and text."""
        return [(path, self._text(index)) for path, index in self.leaves(skip)]

    def _text(self, index: int) -> str:
        if self._texts is None:
            raise ValuesNeededError
        return self._texts[index]


def _index(text: str | None) -> int:
    return int(text[len(NUMBERED) :]) if text and text.startswith(NUMBERED) else NOTHING


def _leaves(element: LxmlElement, prefix: str, skip: tuple[str, ...]) -> Iterator[tuple[str, int]]:
    often = Counter(child.tag for child in element)
    seen: Counter[str] = Counter()
    for child in element:
        seen[child.tag] += 1
        if child.tag in skip:
            continue
        place = f"[{seen[child.tag]}]" if often[child.tag] > 1 else ""
        path = f"{prefix}{child.tag}{place}"
        yield from ((f"{path}/@{name}", _index(text)) for name, text in child.items())
        if len(child):
            yield from _leaves(child, f"{path}/", ())
        elif child.text and child.text.startswith(NUMBERED):
            yield path, _index(child.text)
