"""The elements of DISKSPD's XML, and the values in them: a value is taken once.

DISKSPD writes one kind of XML: no comment, entity or CDATA, each attribute behind one blank. Such
a document is read tag by tag, as fast as a parser of XML gives it to Python. Any other form, and
what is broken, is given to lxml. A value that is not what it must be is an error with a line.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import orjson
from lxml import etree

if TYPE_CHECKING:
    from numpy.typing import NDArray

Pair: TypeAlias = tuple[str, str]
_LONG = 17  # digits of a whole number: more is not a count of bytes, and sums would overflow
_LARGEST = 10.0**_LONG  # of a number that is measured
_NOT_A_NUMBER = re.compile(r"-?(?:\d\.#\w+|nan(?:\(\w*\))?|inf)", re.IGNORECASE)
_PLAIN = b"0123456789.-,"
_PLACE = re.compile(r"\[\d+\]")
_DEEP = 50  # elements in one another
_NAME = r"[A-Za-z][A-Za-z0-9]*+"
# printable ASCII without < > & and, in an attribute, without quotes
_TEXT, _VALUE = r"[ -%'-;=?-~]*+", r"[ !#-%'-;=?-~]*+"
_ATTRIBUTE = rf' {_NAME}="{_VALUE}"'
_LEAF = rf"<(?P<leaf>{_NAME})>{_TEXT}</(?P=leaf)>[ \n]*+"
_TAG = re.compile(
    # the hundreds of buckets: those of -D, and those of percentiles
    rf"(?P<buckets>(?:<Bucket(?:{_ATTRIBUTE})++/>[ \n]*+)++"
    rf"|(?:<Bucket>[ \n]*+(?:{_LEAF})++</Bucket>[ \n]*+)++)"
    rf"|<(?:/(?P<end>{_NAME})|(?P<name>{_NAME})(?P<attributes>(?:{_ATTRIBUTE})*+)"
    rf"(?:/|>(?P<text>{_TEXT})</(?P=name)|(?P<opens>)))>(?P<between>[ \n]*+)"
)
_PAIR, _VALUE_OF = re.compile(rf' ({_NAME})="({_VALUE})"'), re.compile(rf"<({_NAME})>({_TEXT})</")
_BESIDE = etree.XPath("//*[*]/text()[normalize-space()]")  # text beside elements
_MANY = 20


class MalformedError(Exception):
    """An element does not hold its kind of value."""

    def __init__(self, element: Element, reason: str) -> None:
        super().__init__(reason)
        self.line, self.reason = element.line, reason


class NotPlainError(Exception):
    """A document is not as DISKSPD writes it."""


class Element:
    """An element: the line on which it begins, its attributes, its text or its children.

    In a plain document one element, named ``Bucket``, stands for several and has their text.
    """

    __slots__ = ("attributes", "buckets", "children", "line", "tag", "text")

    def __init__(self, tag: str, line: int, text: str, attributes: Sequence[Pair] = ()) -> None:
        self.tag, self.line, self.text, self.attributes = tag, line, text, attributes
        self.children: list[Element] = []
        self.buckets = ""

    def all(self, path: str) -> list[Element]:
        """Return the elements at a path such as ``Iops/Bucket``."""
        found = [self]
        for name in path.split("/"):
            found = [child for one in found for child in one.children if child.tag == name]
        return found

    def first(self, path: str) -> Element | None:
        """Return the first element at a path."""
        return next(iter(self.all(path)), None)


def plain_tree(xml: str) -> Element:
    """Read a document as DISKSPD writes it; raises `NotPlainError`."""
    root = Element("", 0, "")
    above, inside = [], root.children
    line, match = 1, None
    for match in iter(_TAG.scanner(xml).match, None):  # type: ignore[attr-defined]
        buckets, _, end, name, attributes, text, opens, between = match.groups()
        if name:
            element = Element(
                name, line, text or "", _PAIR.findall(attributes) if attributes else ()
            )
            inside.append(element)
            if opens is not None:
                above.append((name, inside))
                inside = element.children
                if len(above) > _DEEP:
                    raise NotPlainError
        elif end:
            name, inside = above.pop() if above else ("", [])
            if name != end:
                raise NotPlainError
        else:
            element = Element("Bucket", line, "")
            element.buckets = between = buckets
            inside.append(element)
        line += between.count("\n")
    if match is None or match.end() < len(xml) or above or len(root.children) != 1:
        raise NotPlainError
    return root.children[0]


def tree(xml: str) -> tuple[Element, list[tuple[int, str]]]:
    """Parse a document of any form; raises lxml's `XMLSyntaxError`.

    Text beside elements comes with it, (line, text): DISKSPD writes none.
    """
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
    root = etree.fromstring(xml.encode("utf-8", "replace"), parser)
    found: Any = _BESIDE(root)
    beside = [(_line(text.getparent()), text.strip()[:200]) for text in found[:_MANY]]
    return _copied(root), beside


def _copied(parsed: Any) -> Element:
    element = Element(parsed.tag, _line(parsed), parsed.text or "", parsed.items())
    element.children = [*map(_copied, parsed)]
    return element


def _line(parsed: Any) -> int:
    return int(parsed.sourceline or 1)


class Values(dict[str, str]):
    """The values below an element, by path; those that are taken are gone.

    A path is ``Target/BlockSize``; ``Target[2]/BlockSize`` where names repeat; ``Node/@Group``.
    What is below the paths of ``skip`` is left out.
    """

    def __init__(self, element: Element, skip: tuple[str, ...] = ()) -> None:
        super().__init__()
        self.element = element
        self._add(element, skip, "")

    def _add(self, element: Element, skip: tuple[str, ...], above: str) -> None:
        names = [child.tag for child in element.children]
        often = Counter(names) if len({*names}) < len(names) else {}
        seen: Counter[str] = Counter()
        for child, name in zip(element.children, names, strict=True):
            path = above + name
            if path in skip:
                continue
            if often.get(name, 1) > 1:
                seen[name] += 1
                path = f"{path}[{seen[name]}]"
            if child.buckets:
                raise NotPlainError
            if child.attributes:
                own = dict(child.attributes)
                if len(own) < len(child.attributes):
                    raise NotPlainError
                for attribute, text in own.items():
                    self[f"{path}/@{attribute}"] = text
            if child.children:
                self._add(child, skip, f"{path}/")
            elif text := child.text.strip():
                self[path] = text

    def take(self, path: str) -> str | None:
        """Take a value; None if it is missing."""
        text = self.pop(path, None)
        return self._repeated(path) if text is None else text

    def _repeated(self, path: str) -> str | None:
        """Take a value that stands there several times."""
        found = self.element.all(path)
        texts = [child.text.strip() or None for child in found]
        for child, text in zip(found, texts, strict=True):
            if child.children:
                raise MalformedError(child, f"{child.tag} holds elements, not a value")
            if text != texts[0]:
                raise MalformedError(child, f"{child.tag} occurs twice with different values")
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
        element = self.element.all(path)[0]
        return MalformedError(element, f"{element.tag} is {what}")


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
        with suppress(orjson.JSONDecodeError):
            found = np.array(orjson.loads(b"[%b]" % listed), dtype=np.float64)
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
