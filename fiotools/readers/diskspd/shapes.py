"""The shapes of DISKSPD's XML documents, and the values in them.

A campaign writes a thousand documents of a few shapes, which differ in their values alone. So the
elements of a shape are looked at once, by their names, and the values of each document are taken by
their places. A value that is not what it must be is an error with a line.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import count
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

import numpy as np
from lxml import etree

if TYPE_CHECKING:
    Array = np.ndarray[Any, np.dtype[Any]]

Element: TypeAlias = Any  # lxml's class of an element is private
Texts: TypeAlias = Sequence[str]
Made = TypeVar("Made")

LONG = 17  # digits of a whole number: more is not a count of bytes, and sums would overflow
LARGEST = 10.0**LONG  # of a number that is measured
MISSING = -1  # the place of a value that is not there
_DELIMITERS = b'<>"'
_BUT_DELIMITERS = bytes({*range(256)} - {*_DELIMITERS})
_AS_ONE = bytes.maketrans(_DELIMITERS, b"<<<")
_TWICE = "{name} occurs twice with different values"
_MOST = 2**21  # bytes of the documents whose shapes are kept
_ATTRIBUTES = 99  # of an element
_NOT_A_NUMBER = re.compile(r"-?(?:\d\.#\w+|nan(?:\(\w*\))?|inf)", re.IGNORECASE)


class MalformedError(Exception):
    """An element does not hold its kind of value."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line, self.reason = line, reason


def tree(xml: bytes) -> Element:
    """Parse a document; raises lxml's `XMLSyntaxError`."""
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        # a comment would split a number in two
        remove_comments=True,
        remove_pis=True,
        remove_blank_text=True,
    )
    return etree.fromstring(xml, parser)


class Shape:
    """What documents have in common: everything but their values.

    ``root`` is one of them, with the place of each value among its ``texts`` instead of the value.
    """

    def __init__(self, root: Element) -> None:
        self.root = root
        self.texts: list[str] = []
        # the line and the name of each value; places of values that have to be the same
        self.owners: list[tuple[int, str]] = []
        self.alike: list[list[int]] = []
        for element in root.iter():
            for name, text in attributes(element):
                element.set(name, self._placed(element, name, text))
            if not len(element):
                text = (element.text or "").strip()
                element.text = self._placed(element, element.tag, text) if text else None

    def _placed(self, element: Element, name: str, text: str) -> str:
        self.texts.append(text)
        self.owners.append((line_of(element), name))
        return str(len(self.texts) - 1)

    def learn(self, pieces: Texts, delimiters: bytes) -> bool:
        """Learn to recognise documents that are cut into pieces at their delimiters.

        Return False if the values of this one are not simply some of its pieces.
        """
        places = [*_likely(pieces, delimiters.decode())]
        if len(places) < 2 or [pieces[place] for place in places] != self.texts:
            return False
        self._values = itemgetter(*places)
        self._others = itemgetter(*sorted({*range(len(pieces))} - {*places}))
        self._same = self._others(pieces)
        return True

    def take(self, pieces: Texts) -> Texts | None:
        """Take the values of a document; None if it has another shape."""
        if self._others(pieces) != self._same:
            return None
        texts: tuple[str, ...] = self._values(pieces)
        joined = "".join(texts)
        is_plain = joined.isprintable() and "&" not in joined and all(texts)
        return texts if is_plain and (*map(str.strip, texts),) == texts else None


def _likely(pieces: Texts, delimiters: str) -> Iterator[int]:
    """Yield which pieces look like values: those of attributes, and those of elements."""
    for at in range(1, len(pieces) - 1):
        around = delimiters[at - 1 : at + 1]
        is_attribute = around == '""' and pieces[at - 1].endswith("=")
        is_text = around == "><" and pieces[at + 1].startswith("/") and not pieces[at].isspace()
        if pieces[at] and (is_attribute or is_text):
            yield at


class Shapes(Generic[Made]):
    """The shapes met so far, each with what ``make`` made of it."""

    def __init__(self, make: Callable[[Shape], Made]) -> None:
        self._make = make
        # by their delimiters
        self._known: dict[bytes, list[tuple[Shape, Made]]] = {}
        self._size = 0

    def read(self, xml: str) -> tuple[Made, Values]:
        """Return what was made of the shape of a document, and its values.

        Raises lxml's `XMLSyntaxError`, and `MalformedError`.
        """
        data = xml.encode("utf-8", "replace")
        delimiters, pieces = b"", [""]
        if len(data) <= _MOST:
            delimiters = data.translate(None, _BUT_DELIMITERS)
            pieces = data.translate(_AS_ONE).decode().split("<")
        for shape, made in self._known.get(delimiters, ()):
            texts = shape.take(pieces)
            if texts is not None:
                return made, Values(shape, texts)
        shape = Shape(tree(data))
        made = self._make(shape)
        if shape.learn(pieces, delimiters):
            self._size += len(data)
            if self._size > _MOST:
                self._known, self._size = {}, len(data)
            self._known.setdefault(delimiters, []).append((shape, made))
        return made, Values(shape, shape.texts)


class Values:
    """The values of a document, by their places in its shape."""

    def __init__(self, shape: Shape, texts: Texts) -> None:
        self._texts, self._owners = texts, shape.owners
        for first, *others in shape.alike:
            for place in others:
                if texts[place] != texts[first]:
                    raise self.error(place, _TWICE)

    def text(self, place: int) -> str:
        """Return a value; empty if it is missing."""
        return "" if place == MISSING else self._texts[place]

    def whole(self, place: int) -> int | None:
        """Return a whole number; None if it is missing."""
        if place == MISSING:
            return None
        text = self._texts[place]
        if not text.isdecimal() or len(text) > LONG:
            raise self.error(place, "{name} is {text!r}, not a whole number")
        return int(text)

    def number(self, place: int) -> float:
        """Return a number; nan if it is missing."""
        try:
            return math.nan if place == MISSING else to_number(self._texts[place])
        except ValueError:
            raise self.error(place, "{name} is {text!r}, not a number") from None

    def numbers(self, places: Sequence[int]) -> Array:
        """Return several numbers; nearly always they are plain."""
        texts = ["nan" if place == MISSING else self._texts[place] for place in places]
        with suppress(ValueError):
            found = np.fromiter(map(float, texts), np.float64, len(texts))
            if not (np.abs(found) >= LARGEST).any() and "_" not in "".join(texts):
                return found
        return np.array([*map(self.number, places)])

    def error(self, place: int, reason: str) -> MalformedError:
        """Make the error that a value is not what it must be."""
        line, name = self._owners[place]
        return MalformedError(line, reason.format(name=name, text=self._texts[place]))


class Places:
    """The places of the values below an element, by their paths (`leaves`); which were taken."""

    def __init__(self, shape: Shape, element: Element, skip: tuple[str, ...] = ()) -> None:
        self._shape, self.element = shape, element
        self._all = leaves(element, skip)
        self._taken: set[int] = set()

    def of(self, path: str) -> int:
        """Take a value; it may stand there several times."""
        place = self._all.get(path, MISSING)
        if place == MISSING and (found := self.element.findall(path)):
            place = self._repeated(found)
        self._taken.add(place)
        return place

    def _repeated(self, found: Sequence[Element]) -> int:
        places = [place_of(child) for child in found]
        for child, place in zip(found, places, strict=True):
            if len(child):
                reason = f"{child.tag} holds elements, not a value"
                raise MalformedError(line_of(child), reason)
            if (place == MISSING) != (places[0] == MISSING):
                raise MalformedError(line_of(child), _TWICE.format(name=child.tag))
        if places[0] != MISSING:
            self._shape.alike.append(places)
        self._taken.update(places)
        return places[0]

    def rest(self) -> list[tuple[str, int]]:
        """List the values that were not taken: path and place."""
        return [(path, place) for path, place in self._all.items() if place not in self._taken]


def leaves(element: Element, skip: tuple[str, ...] = (), above: str = "") -> dict[str, int]:
    """Return the place of every value below by its path, but not of those below some paths.

    A path is ``Target/BlockSize``; ``Target[2]/BlockSize`` where names repeat; ``Node/@Group``.
    """
    found: dict[str, int] = {}
    children = [*element]
    names = [child.tag for child in children]
    numbers = {name: count(1) for name, often in Counter(names).items() if often > 1}
    for child, name in zip(children, names, strict=True):
        path = above + name
        if path in skip:
            continue
        if name in numbers:
            path = f"{path}[{next(numbers[name])}]"
        found |= {f"{path}/@{attribute}": int(place) for attribute, place in child.items()}
        if len(child):
            found |= leaves(child, skip, f"{path}/")
        elif child.text:
            found[path] = int(child.text)
    return found


def place_of(element: Element) -> int:
    """Return the place of an element's own value."""
    return MISSING if len(element) or not element.text else int(element.text)


def to_number(text: str) -> float:
    """Read a number; C's 0/0 (``-1.#J``, ``-nan(ind)``) is nan: missing."""
    try:
        result = float(text)
    except ValueError:
        result = math.nan
    if abs(result) < LARGEST and "_" not in text:
        return result
    if not _NOT_A_NUMBER.fullmatch(text):
        raise ValueError(text)
    return math.nan


def attributes(element: Element) -> list[tuple[str, str]]:
    """Return names and texts; more than DISKSPD writes are refused: each takes the time of all."""
    if len(element.attrib) > _ATTRIBUTES:
        reason = f"{element.tag} has more than {_ATTRIBUTES} attributes"
        raise MalformedError(line_of(element), reason)
    return list(element.items())


def line_of(element: Element) -> int:
    """Return the line of the document in which an element begins."""
    return int(element.sourceline or 1)
