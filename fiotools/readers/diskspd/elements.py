"""The elements of DISKSPD's XML, and the values in them: a value is taken once.

DISKSPD writes one kind of XML: no comment, entity or CDATA, each attribute behind one blank. Such
a document is cut into tags by one expression. A campaign writes a thousand documents of a few
shapes, which differ in their values alone, so the tree of a shape is made once. A document of any
other form, and a broken one, is given to lxml. A value that is not what it must be is an error
with a line.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import accumulate, count, repeat
from operator import add
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from lxml import etree

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LONG = 17  # digits of a whole number: more is not a count of bytes, and sums would overflow
_LARGEST = 10.0**_LONG  # of a number that is measured
_NOT_A_NUMBER = re.compile(r"-?(?:\d\.#\w+|nan(?:\(\w*\))?|inf)", re.IGNORECASE)
_PLAIN = b"0123456789.-,"
_DECODE = msgspec.json.Decoder(list[float]).decode
_PLACE = re.compile(r"\[\d+\]")
_DEEP = 50  # elements in one another
_NAME = r"[A-Za-z][A-Za-z0-9]*+"
# printable ASCII without < > & and, in an attribute, without quotes
_TEXT, _VALUE = r"[ -%'-;=?-~]*+", r"[ !#-%'-;=?-~]*+"
_ATTRIBUTE = rf' {_NAME}="{_VALUE}"'
_LEAF = rf"<(?P<leaf>{_NAME})>{_TEXT}</(?P=leaf)>[ \n]*+"
_TAGS = re.compile(
    # the hundreds of buckets: those of -D, and those of percentiles
    rf"((?:<Bucket(?:{_ATTRIBUTE})++/>[ \n]*+)++"
    rf"|(?:<Bucket>[ \n]*+(?:{_LEAF})++</Bucket>[ \n]*+)++)"
    rf"|(<(?:/({_NAME})|(?P<name>{_NAME})((?:{_ATTRIBUTE})*+)"
    rf"(?:/|>({_TEXT})</(?P=name)|(?=(>))))>[ \n]*+)"
)
_PAIR, _VALUE_OF = re.compile(rf' ({_NAME})="({_VALUE})"'), re.compile(rf"<({_NAME})>({_TEXT})</")
_BESIDE = etree.XPath("//*[*]/text()[normalize-space()]")  # text beside elements
_MANY = 20
_LARGE = 10_000  # tags


class MalformedError(Exception):
    """An element does not hold its kind of value."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line, self.reason = line, reason


class NotPlainError(Exception):
    """A document is not as DISKSPD writes it."""


@dataclass(slots=True, eq=False)
class Element:
    """An element of a document, and of others of its shape: values are known by their places.

    In a plain document one element, named ``Bucket``, stands for several: ``is_buckets``.
    """

    tag: str
    number: int  # of its tag in the document
    text: int | None = None  # the place of its text, if there is any
    attributes: Sequence[tuple[str, int]] = ()
    is_buckets: bool = False
    children: list[Element] = field(default_factory=list)
    below: dict[tuple[str, ...], dict[str, int]] = field(default_factory=dict)

    def all(self, path: str) -> list[Element]:
        """Return the elements at a path such as ``Iops/Bucket``."""
        found = [self]
        for name in path.split("/"):
            found = [child for one in found for child in one.children if child.tag == name]
        return found

    def first(self, path: str) -> Element | None:
        """Return the first element at a path."""
        return next(iter(self.all(path)), None)

    def paths(self, skip: tuple[str, ...]) -> dict[str, int]:
        """Return the places of all values below, by path, but not below the paths of ``skip``.

        A path is ``Target/BlockSize``; ``Target[2]/BlockSize`` where names repeat; ``Node/@Group``.
        """
        if skip not in self.below:
            self.below[skip] = dict(_paths(self, skip, ""))
        return self.below[skip]


def _paths(element: Element, skip: tuple[str, ...], above: str) -> Iterator[tuple[str, int]]:
    often = Counter(child.tag for child in element.children)
    seen: Counter[str] = Counter()
    for child in element.children:
        path = above + child.tag
        if path in skip:
            continue
        if child.is_buckets:
            raise NotPlainError
        if often[child.tag] > 1:
            seen[child.tag] += 1
            path = f"{path}[{seen[child.tag]}]"
        for name, place in child.attributes:
            yield f"{path}/@{name}", place
        if child.children:
            yield from _paths(child, skip, f"{path}/")
        elif child.text is not None:
            yield path, child.text


@dataclass
class Document:
    """A document: its elements, the texts of their values, and the line of each tag."""

    root: Element
    texts: Sequence[str]
    lines: Sequence[int]
    beside: list[tuple[int, str]] = field(default_factory=list)  # text beside elements, by line

    def line(self, element: Element) -> int:
        """Return the line on which an element begins."""
        return self.lines[element.number]

    def text(self, element: Element) -> str:
        """Return the text of an element without children."""
        return "" if element.text is None or element.children else self.texts[element.text]

    def attributes(self, element: Element) -> dict[str, str]:
        """Return the attributes of an element."""
        return {name: self.texts[place] for name, place in element.attributes}


_SHAPES: dict[tuple[tuple[Any, ...], ...], Element] = {}


def plain_document(xml: str) -> Document:
    """Read a document as DISKSPD writes it; raises `NotPlainError`."""
    found = _TAGS.findall(xml)
    buckets, _, tags, ends, names, attributes, texts, opens = (
        zip(*found, strict=True) if found else [()] * 8
    )
    if sum(map(len, buckets)) + sum(map(len, tags)) < len(xml):
        raise NotPlainError
    pieces = "|".join(attributes).split('"')
    given = [*map(add, map(str.strip, texts), buckets)]
    is_there = tuple(map(bool, given))
    shape = names, ends, opens, is_there, tuple(pieces[::2])
    root = _SHAPES.get(shape)
    if root is None:
        root = _tree(names, ends, opens, is_there, attributes)
        if len(_SHAPES) > _MANY:
            _SHAPES.clear()
        if len(names) < _LARGE:
            _SHAPES[shape] = root
    ends_of_lines = map(str.count, map(add, buckets, tags), repeat("\n"))
    return Document(root, [*given, *pieces[1::2]], [*accumulate(ends_of_lines, initial=1)])


def _tree(
    names: Sequence[str],
    ends: Sequence[str],
    opens: Sequence[str],
    is_there: Sequence[bool],
    attributes: Sequence[str],
) -> Element:
    """Make the elements of a shape."""
    root = Element("", 0)
    above = [root]
    place = len(names)  # of an attribute: behind the texts
    for number, (name, end) in enumerate(zip(names, ends, strict=True)):
        if end:
            if above.pop().tag != end or not above:
                raise NotPlainError
            continue
        element = Element(name or "Bucket", number, number if is_there[number] else None)
        element.is_buckets = not name
        own = [one for one, _ in _PAIR.findall(attributes[number])]
        element.attributes = [*zip(own, count(place))]
        place += len(own)
        above[-1].children.append(element)
        if opens[number]:
            above.append(element)
        if len({*own}) < len(own) or len(above) > _DEEP:
            raise NotPlainError
    if len(above) > 1 or len(root.children) != 1:
        raise NotPlainError
    return root.children[0]


def any_document(xml: str) -> Document:
    """Parse a document of any form; raises lxml's `XMLSyntaxError`."""
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
    parsed = etree.fromstring(xml.encode("utf-8", "replace"), parser)
    texts: list[str] = []
    lines: list[int] = []
    root = _copied(parsed, texts, lines)
    found: Any = _BESIDE(parsed)
    beside = [(_line(text.getparent()), text.strip()[:200]) for text in found[:_MANY]]
    return Document(root, texts, lines, beside)


def _copied(parsed: Any, texts: list[str], lines: list[int]) -> Element:
    element = Element(parsed.tag, len(lines))
    lines.append(_line(parsed))
    for name, text in parsed.items():
        element.attributes = [*element.attributes, (name, len(texts))]
        texts.append(text)
    if text := (parsed.text or "").strip():
        element.text = len(texts)
        texts.append(text)
    element.children = [_copied(child, texts, lines) for child in parsed]
    return element


def _line(parsed: Any) -> int:
    return int(parsed.sourceline or 1)


class Values(dict[str, str]):
    """The values below an element, by path (`Element.paths`); those that are taken are gone."""

    def __init__(self, document: Document, element: Element, skip: tuple[str, ...] = ()) -> None:
        paths = element.paths(skip)
        super().__init__(zip(paths, map(document.texts.__getitem__, paths.values()), strict=True))
        self.document, self.element = document, element

    @property
    def line(self) -> int:
        """The line on which the element begins."""
        return self.document.line(self.element)

    def take(self, path: str) -> str | None:
        """Take a value; None if it is missing."""
        text = self.pop(path, None)
        return self._repeated(path) if text is None else text

    def _repeated(self, path: str) -> str | None:
        """Take a value that stands there several times."""
        found = self.element.all(path)
        texts = [self.document.text(child) or None for child in found]
        for child, text in zip(found, texts, strict=True):
            if child.children:
                raise self._malformed(child, "holds elements, not a value")
            if text != texts[0]:
                raise self._malformed(child, "occurs twice with different values")
        for other in [one for one in self if found and _PLACE.sub("", one) == path]:
            del self[other]
        return texts[0] if texts else None

    def whole(self, path: str) -> int | None:
        """Take a whole number; None if it is missing."""
        text = self.take(path)
        if text is None:
            return None
        if not text.isdecimal() or len(text) > _LONG:
            raise self.wrong(path, f"{text!r}, not a whole number")
        return int(text)

    def number(self, path: str) -> float | None:
        """Take a number; None if it is missing."""
        text = self.take(path)
        try:
            number = math.nan if text is None else to_number(text)
        except ValueError:
            raise self.wrong(path, f"{text!r}, not a number") from None
        return None if math.isnan(number) else number

    def wrong(self, path: str, what: str) -> MalformedError:
        """Make the error that a value is not what it must be."""
        return self._malformed(self.element.all(path)[0], f"is {what}")

    def _malformed(self, element: Element, what: str) -> MalformedError:
        return MalformedError(self.document.line(element), f"{element.tag} {what}")


def columns(text: str) -> dict[str, list[str]]:
    """Return the values of buckets of a plain document by their names.

    Raises `NotPlainError` unless all of them have the same names.
    """
    if text.startswith("<Bucket>"):
        pairs = _VALUE_OF.findall(text)
        names, texts = [name for name, _ in pairs], [value for _, value in pairs]
        count = text.count("</Bucket>")
        own = names[: len(names) // count]
        is_alike = names == own * count
    else:
        # <Bucket SampleMillisecond= 1000  Read= 25 />\n  <Bucket SampleMillisecond= 2000  Read= ..
        head, *pieces = text.split('"')
        texts, between = pieces[::2], pieces[1::2]
        own = names_of(text)
        unit, count = between[: len(own)], len(texts) // len(own)
        is_alike = between[:-1] == (unit * count)[:-1]
        is_alike = is_alike and (count == 1 or unit[-1].endswith(head))
    if not is_alike or len({*own}) < len(own):
        raise NotPlainError
    return {name: texts[at :: len(own)] for at, name in enumerate(own)}


def names_of(text: str) -> list[str]:
    """Return the attributes of the first bucket of a plain document."""
    return [name for name, _ in _PAIR.findall(text[: text.find("/>")])]


def numbers(texts: Sequence[str]) -> NDArray[np.float64]:
    """Read many numbers; raises `ValueError` if one is none."""
    listed = ",".join(texts).encode()
    if not listed.translate(None, _PLAIN):  # nearly always
        with suppress(msgspec.DecodeError):
            found = np.array(_DECODE(b"[%b]" % listed), dtype=np.float64)
            if len(found) == len(texts) and (np.abs(found) < _LARGEST).all():
                return found
    return np.array([*map(to_number, texts)], dtype=np.float64)


def to_number(text: str) -> float:
    """Read a number; C's 0/0 (``-1.#J``, ``-nan(ind)``) is nan: missing."""
    try:
        result = float(text)
    except ValueError:
        result = math.nan
    if abs(result) < _LARGEST and "_" not in text:
        return result
    if not _NOT_A_NUMBER.fullmatch(text):
        raise ValueError(text)
    return math.nan
