"""The outlines of DISKSPD's XML documents: tags, attributes and blank space, without the values.

A campaign writes a thousand documents of a few outlines. What follows from the outline alone (which
elements there are, where each value stands, what the path of every leaf is) is found once, with a
parser; of each further document only the values are taken, by their places. For that a document is
cut at ``<``, ``>`` and ``"``: it has a known outline if it has the same of these, and the same
pieces between them wherever there is no value. What could make a value more than it looks like
(``&``, tabs, characters beyond ASCII) is left to the parser.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import zip_longest
from operator import itemgetter
from typing import TypeAlias, TypeVar

from lxml.etree import XMLSyntaxError

from fiotools.readers.diskspd import documents
from fiotools.readers.diskspd.buckets import Marks, marks_of
from fiotools.readers.diskspd.elements import Element, Elements, Fields, MalformedError
from fiotools.readers.diskspd.form import NOTHING, Form, Texts, form_of, taken
from fiotools.readers.diskspd.numbers import LONG
from fiotools.readers.diskspd.options import Asked
from fiotools.readers.diskspd.profile import read_profile

_Number = TypeVar("_Number")
_Take: TypeAlias = Callable[[Texts], Texts]

_DELIMITERS = b'<>"'
_BUT_DELIMITERS = bytes(set(range(256)) - set(_DELIMITERS))
_MOST = 64  # outlines, and profiles of each


class Outlines:
    """The outlines seen so far."""

    def __init__(self) -> None:
        self._known: dict[bytes, list[Outline]] = {}
        self._count = 0

    def read(self, rest: bytes, count: int) -> tuple[Outline, Texts] | None:
        """Find a document's outline, and take its values.

        Parameters
        ----------
        rest : bytes
            A document without its buckets.
        count : int
            How many marks are in their place.

        Returns
        -------
        tuple or None
            None if a parser has to read it.
        """
        if not rest.isascii():
            return None
        delimiters = rest.translate(None, _BUT_DELIMITERS)
        pieces = rest.decode("ascii").replace(">", "<").replace('"', "<").split("<")
        known = self._known.get(delimiters, [])
        for outline in known:
            texts = outline.texts(pieces)
            if texts is not None:
                return outline, texts
        new = None
        if self._count < _MOST:
            self._count += 1
            new = _outline(rest.decode("ascii"), pieces, delimiters.decode(), count)
        texts = None if new is None else new.texts(pieces)
        if new is None or texts is None:
            return None
        self._known[delimiters] = [*known, new]
        return new, texts


class Outline:
    """What documents have in common.

    Parameters
    ----------
    root : Elements
        The root of a document that has the number of each value in its place.
    marks : Marks
    pieces : list of str
        Those of one such document.
    places : list of int
        Which of them are values.
    """

    def __init__(
        self, root: Elements, marks: Marks, pieces: Sequence[str], places: Sequence[int]
    ) -> None:
        self.numbered, self.marks = root, marks
        self._shape = _Shape(root)
        others = sorted(set(range(len(pieces))) - set(places))
        self._values, self._others = itemgetter(*places), itemgetter(*others)
        self._expected = self._others(pieces)
        self._asked: dict[Texts, Asked] = {}

    @cached_property
    def form(self) -> Form | None:
        """Where its figures are; None if it is of no usual form."""
        return form_of(self.numbered)

    def filled(self, texts: Texts) -> Fields:
        """Give the root of a document, with its values."""
        return _Filled(self._shape, texts)

    def asked(self, form: Form, texts: Texts) -> Asked:
        """Read what a document says it was asked for; many say the same."""
        profile = taken(texts, form.profile)
        if profile not in self._asked:
            if len(self._asked) == _MOST:
                self._asked.clear()
            self._asked[profile] = [*read_profile(self.filled(texts)), Asked()][0]
        return self._asked[profile]

    def texts(self, pieces: Sequence[str]) -> Texts | None:
        """Take the values of a document; None if it has another outline."""
        if self._others(pieces) != self._expected:
            return None
        values: Texts = self._values(pieces)
        joined = "".join(values)
        if "&" in joined or not joined.isprintable():  # no ends of lines either
            return None
        lines = "\n".join(("", *values, ""))
        if "\n\n" in lines or "\n " in lines or " \n" in lines:  # empty, or blanks around it
            return None
        return (*values, "")  # the last is NOTHING


def _outline(text: str, pieces: list[str], delimiters: str, count: int) -> Outline | None:
    """Find the outline of a document, with a parser; None if it is not as DISKSPD writes it."""
    if not documents.is_one(text):
        return None
    places = list(_places(pieces, delimiters))
    numbered = list(pieces)
    for number, place in enumerate(places):
        numbered[place] = str(number)
    ends = (*delimiters, "")
    try:
        root, repaired = documents.parse(text)
        numbers, _ = documents.parse("".join(map("".join, zip(numbered, ends, strict=True))))
    except (XMLSyntaxError, MalformedError):
        return None
    marks = marks_of(root, count)
    if marks is None or repaired or len(places) < 2 or documents.strays(root):
        return None
    if not _agree(root, numbers, [pieces[place] for place in places]):
        return None
    return Outline(Elements(numbers), marks, pieces, places)


def _agree(root: Element, numbers: Element, values: Sequence[str]) -> bool:
    """Say whether each value of a document stands where its number does."""
    for one, other in zip_longest(root.iter(), numbers.iter()):
        if one is None or other is None or one.tag != other.tag or one.keys() != other.keys():
            return False
        given, places = [one.text or "", *one.values()], [other.text or "", *other.values()]
        for value, place in zip(given, places, strict=True):
            if value.strip() and not (place.isdecimal() and values[int(place)] == value):
                return False
        if any(value and not value.strip() for value in one.values()):
            return False
    return True


def _places(pieces: Sequence[str], delimiters: str) -> Iterator[int]:
    """Say which pieces are values: the text of an element without others, an attribute's."""
    quotes = 0  # since the last "<"
    for at in range(1, len(pieces) - 1):
        before, after = delimiters[at - 1], delimiters[at]
        quotes = 0 if before == "<" else quotes + (before == '"')
        is_attribute = before == after == '"' and quotes % 2 == 1
        is_text = before == ">" and after == "<" and pieces[at + 1].startswith("/")
        if (is_attribute or is_text) and pieces[at].strip():
            yield at


class _Shape:
    """An element of an outline, and what follows from it, once it has been asked for."""

    def __init__(self, element: Elements) -> None:
        self.element = element
        self.line = element.line
        self.value = _index(element.content)
        self.attributes = [(name, _index(number)) for name, number in element.attributes()]
        self._all: dict[str, list[_Shape]] = {}
        self._below: dict[str, _Shape] = {}
        self._only: dict[str, int | None] = {}
        self._are: dict[tuple[str, ...], bool] = {}
        self._several: dict[tuple[str | None, tuple[str, ...]], _Take | None] = {}
        self._leaves: dict[tuple[str, ...], list[tuple[str, int]]] = {}

    def all(self, name: str) -> list[_Shape]:
        """Return the children of a name."""
        if name not in self._all:
            self._all[name] = [_Shape(child) for child in self.element.all(name)]
        return self._all[name]

    def below(self, name: str) -> _Shape:
        """Return the children of all children of a name."""
        if name not in self._below:
            self._below[name] = _Shape(self.element.below(name))
        return self._below[name]

    def leaves(self, skip: tuple[str, ...]) -> list[tuple[str, int]]:
        """Return the path of every value below, and its number."""
        if skip not in self._leaves:
            leaves = self.element.leaves(skip)
            self._leaves[skip] = [(path, _index(number)) for path, number in leaves]
        return self._leaves[skip]

    def are(self, names: tuple[str, ...]) -> bool:
        """Say whether all children have known names."""
        if names not in self._are:
            self._are[names] = self.element.are(names)
        return self._are[names]

    def only(self, name: str) -> int | None:
        """Return the number of the value of the one child of a name; None if that is not clear."""
        if name not in self._only:
            found = self.all(name)
            clear = len(found) == 1 and found[0].element.are(())
            self._only[name] = found[0].value if clear else None if found else NOTHING
        return self._only[name]

    def several(self, names: tuple[str, ...], of: str | None = None) -> _Take | None:
        """Return what takes the values of several children, of all elements of a name or its own.

        None if one of them is not clear.
        """
        key = of, names
        if key not in self._several:
            places = [
                shape.only(name)
                for shape in ([self] if of is None else self.all(of))
                for name in names
            ]
            clear = [place for place in places if place is not None]
            is_clear = len(clear) == len(places) > 1
            self._several[key] = itemgetter(*clear) if is_clear else None
        return self._several[key]


def _index(number: str | None) -> int:
    return int(number) if number and number.strip() else NOTHING


class _Filled(Fields):
    """An element of an outline, with the values of one document."""

    __slots__ = ("_shape", "_texts")

    def __init__(self, shape: _Shape, texts: Texts) -> None:
        self._shape, self._texts = shape, texts

    @property
    def line(self) -> int:
        """Where the element stands."""
        return self._shape.line

    @property
    def content(self) -> str | None:
        """Its own text."""
        return self._texts[self._shape.value]

    def all(self, name: str) -> Sequence[_Filled]:
        """Return the children of a name."""
        return [_Filled(shape, self._texts) for shape in self._shape.all(name)]

    def below(self, name: str) -> _Filled:
        """Return the children of all children of a name, as if they were of one."""
        return _Filled(self._shape.below(name), self._texts)

    def are(self, names: tuple[str, ...]) -> bool:
        """Say whether all children have known names."""
        return self._shape.are(names)

    def attributes(self) -> Sequence[tuple[str, str]]:
        """Return the attributes: name and value."""
        return [(name, self._texts[number]) for name, number in self._shape.attributes]

    def leaves(self, skip: tuple[str, ...] = ()) -> Sequence[tuple[str, str]]:
        """Return every value below with its path."""
        return [(path, self._texts[number]) for path, number in self._shape.leaves(skip)]

    def text(self, name: str) -> str | None:
        """Read a child's text."""
        number = self._shape.only(name)
        return super().text(name) if number is None else self._texts[number] or None

    def wholes(self, names: tuple[str, ...]) -> Sequence[int | None]:
        """Read the whole numbers of several children."""
        found = self._plain(int, names)
        return super().wholes(names) if found is None else found

    def numbers(self, names: tuple[str, ...]) -> Sequence[float | None]:
        """Read the numbers of several children."""
        found = self._plain(float, names)
        return super().numbers(names) if found is None else found

    def all_wholes(self, name: str, names: tuple[str, ...]) -> Sequence[Sequence[int | None]]:
        """Read whole numbers of each child of a name."""
        found = self._plain(int, names, name)
        return super().all_wholes(name, names) if found is None else _rows(found, len(names))

    def all_numbers(self, name: str, names: tuple[str, ...]) -> Sequence[Sequence[float | None]]:
        """Read numbers of each child of a name."""
        found = self._plain(float, names, name)
        return super().all_numbers(name, names) if found is None else _rows(found, len(names))

    def _plain(
        self, kind: Callable[[str], _Number], names: tuple[str, ...], of: str | None = None
    ) -> list[_Number | None] | None:
        """Read several numbers; None if one of them is more than digits and a point."""
        take = self._shape.several(names, of)
        if take is None:
            return None
        texts = take(self._texts)
        joined = "".join(texts).replace(".", "")
        if joined and not (joined.isdecimal() and max(map(len, texts)) < LONG):
            return None
        try:
            return [kind(text) if text else None for text in texts]
        except ValueError:
            return None


def _rows(values: list[_Number], width: int) -> list[list[_Number]]:
    return [values[at : at + width] for at in range(0, len(values), width)]
