"""Values out of DISKSPD's XML elements: text, numbers, and every leaf with its path."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

Element = Any  # lxml's class of an element is private

_NOT_A_NUMBER = re.compile(r"-?(?:\d\.#\w+|nan(?:\(\w*\))?|inf)", re.IGNORECASE)
_DIGITS = 17  # of a whole number: more is no count of bytes, and sums would leave 64 bits
_LARGEST = 10.0**_DIGITS


class MalformedError(Exception):
    """An element does not hold what it must."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line, self.reason = line, reason


class Fields(ABC):
    """An element that is asked for what is in it, by name."""

    @property
    @abstractmethod
    def line(self) -> int:
        """Where it stands."""

    @property
    @abstractmethod
    def content(self) -> str | None:
        """Its own text."""

    @abstractmethod
    def all(self, name: str) -> Sequence[Fields]:
        """Return the children of a name."""

    @abstractmethod
    def below(self, name: str) -> Fields:
        """Return the children of all children of a name, as if they were of one."""

    @abstractmethod
    def are(self, names: tuple[str, ...]) -> bool:
        """Say whether all children have known names."""

    @abstractmethod
    def attributes(self) -> Sequence[tuple[str, str]]:
        """Return the attributes: name and value."""

    @abstractmethod
    def leaves(self, skip: tuple[str, ...] = ()) -> Sequence[tuple[str, str]]:
        """Return every value below with its path, without those below some children.

        A path is ``Target/BlockSize``; ``Target[2]/BlockSize`` where names repeat; ``Node/@Group``.
        """

    def attribute(self, name: str) -> str | None:
        """Return one attribute."""
        return dict(self.attributes()).get(name)

    def text(self, name: str) -> str | None:
        """Read a child's text; None where there is no such child, or nothing in it.

        Raises
        ------
        MalformedError
            If it holds elements, or stands there twice with different texts.
        """
        found = self.all(name)
        if not found:
            return None
        if not found[0].are(()):
            raise MalformedError(found[0].line, f"{name} holds elements, not a value")
        if len(found) > 1 and len({other.content for other in found}) > 1:
            raise MalformedError(found[1].line, f"{name} stands there twice, and not the same")
        return (found[0].content or "").strip() or None

    def whole(self, name: str) -> int | None:
        """Read a child's whole number."""
        value = self.text(name)
        if value is None:
            return None
        if not value.isdecimal() or len(value) > _DIGITS:
            line = self.all(name)[0].line
            raise MalformedError(line, f"{name} is {value!r}, not a whole number")
        return int(value)

    def number(self, name: str) -> float | None:
        """Read a child's number; what C prints for 0/0 (``-1.#J``, ``-nan(ind)``) is missing."""
        value = self.text(name)
        return None if value is None else to_number(value, self.all(name)[0], name)

    def wholes(self, names: tuple[str, ...]) -> Sequence[int | None]:
        """Read the whole numbers of several children."""
        return [self.whole(name) for name in names]

    def numbers(self, names: tuple[str, ...]) -> Sequence[float | None]:
        """Read the numbers of several children."""
        return [self.number(name) for name in names]

    def all_wholes(self, name: str, names: tuple[str, ...]) -> Sequence[Sequence[int | None]]:
        """Read whole numbers of each child of a name."""
        return [child.wholes(names) for child in self.all(name)]

    def all_numbers(self, name: str, names: tuple[str, ...]) -> Sequence[Sequence[float | None]]:
        """Read numbers of each child of a name."""
        return [child.numbers(names) for child in self.all(name)]


class Elements(Fields):
    """An element of a parser's tree.

    Parameters
    ----------
    *elements : Element
        Several are taken as one.
    """

    def __init__(self, *elements: Element) -> None:
        self._elements = elements

    @property
    def line(self) -> int:
        """Where the element stands."""
        return int(self._elements[0].sourceline or 1) if self._elements else 1

    @property
    def content(self) -> str | None:
        """Its own text."""
        text = self._elements[0].text if self._elements else None
        return None if text is None else str(text)

    @cached_property
    def _children(self) -> dict[str, list[Element]]:
        found: dict[str, list[Element]] = {}
        for element in self._elements:
            for child in element:
                found.setdefault(child.tag, []).append(child)
        return found

    def all(self, name: str) -> Sequence[Elements]:
        """Return the children of a name."""
        return [Elements(child) for child in self._children.get(name, ())]

    def below(self, name: str) -> Elements:
        """Return the children of all children of a name, as if they were of one."""
        return Elements(*self._children.get(name, ()))

    def are(self, names: tuple[str, ...]) -> bool:
        """Say whether all children have known names."""
        return all(name in names for name in self._children)

    def attributes(self) -> Sequence[tuple[str, str]]:
        """Return the attributes: name and value."""
        return [pair for element in self._elements for pair in element.items()]

    def attribute(self, name: str) -> str | None:
        """Return one attribute."""
        value = self._elements[0].get(name)
        return None if value is None else str(value)

    def leaves(self, skip: tuple[str, ...] = ()) -> Sequence[tuple[str, str]]:
        """Return every value below with its path."""
        return [leaf for element in self._elements for leaf in _leaves(element, "", skip)]


def _leaves(element: Element, prefix: str, skip: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    children = [child for child in element if isinstance(child.tag, str)]
    often = Counter(child.tag for child in children)
    seen: Counter[str] = Counter()
    for child in children:
        seen[child.tag] += 1
        if child.tag in skip:
            continue
        place = f"[{seen[child.tag]}]" if often[child.tag] > 1 else ""
        path = f"{prefix}{child.tag}{place}"
        yield from ((f"{path}/@{name}", value) for name, value in child.items())
        if len(child):
            yield from _leaves(child, f"{path}/", ())
        elif child.text and child.text.strip():
            yield path, child.text.strip()


def to_number(value: str, element: Fields, name: str) -> float | None:
    """Turn the text of an element or an attribute into a number."""
    try:
        result = float(value)
    except ValueError:
        result = float("nan")
    if abs(result) < _LARGEST and "_" not in value:
        return result
    if _NOT_A_NUMBER.fullmatch(value):
        return None
    raise MalformedError(element.line, f"{name} is {value!r}, not a number")


def nanoseconds(milliseconds: float | None) -> float | None:
    """Make nanoseconds of milliseconds, where there are any."""
    return None if milliseconds is None else from_milliseconds(milliseconds)


def from_milliseconds(value: float) -> float:
    """Make nanoseconds of milliseconds that were printed with three decimals.

    Examples
    --------
    >>> from_milliseconds(0.841), from_milliseconds(2.019)  # 2.019 * 1e6 is 2018999.9999999998
    (841000.0, 2019000.0)
    """
    return float(round(value * 1e6))
