"""Values out of DISKSPD's XML elements: text, numbers, and every leaf with its path."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

Element = Any  # lxml's class of an element is private

_NOT_A_NUMBER = re.compile(r"-?(?:\d\.#\w+|nan(?:\(\w*\))?|inf)", re.IGNORECASE)
_DIGITS = 17  # of a whole number: more is no count of bytes, and sums would leave 64 bits
_LARGEST = 10.0**_DIGITS


class MalformedError(Exception):
    """An element does not hold what it must."""

    def __init__(self, element: Element, reason: str) -> None:
        super().__init__(reason)
        self.line, self.reason = int(element.sourceline or 1), reason


def leaves(
    element: Element,
    prefix: str = "",
    *,
    skip: tuple[str, ...] = (),
    only: tuple[str, ...] = (),
) -> Iterator[tuple[str, str]]:
    """Give every value below an element with its path.

    Parameters
    ----------
    element : Element
    prefix : str
        What to put before each path.
    skip : tuple of str
        The children to leave out.
    only : tuple of str
        The children to look at; without it, all.

    Yields
    ------
    path, text : str
        ``Target/BlockSize``; ``Target[2]/BlockSize`` where names repeat; ``Node/@Group``.
    """
    children = [child for child in element if isinstance(child.tag, str)]
    often = Counter(child.tag for child in children)
    seen: Counter[str] = Counter()
    for child in children:
        seen[child.tag] += 1
        if child.tag in skip or (only and child.tag not in only):
            continue
        place = f"[{seen[child.tag]}]" if often[child.tag] > 1 else ""
        path = f"{prefix}{child.tag}{place}"
        yield from ((f"{path}/@{name}", value) for name, value in child.attrib.items())
        if len(child):
            yield from leaves(child, f"{path}/")
        elif child.text and child.text.strip():
            yield path, child.text.strip()


def text(parent: Element, path: str) -> str | None:
    """Read a child's text; None where there is no such child, or nothing in it.

    Raises
    ------
    MalformedError
        If it holds elements, or stands there twice with different texts.
    """
    found = parent.findall(path)
    if not found:
        return None
    if len(found[0]):
        raise MalformedError(found[0], f"{path} holds elements, not a value")
    if len(found) > 1 and len({other.text for other in found}) > 1:
        raise MalformedError(found[1], f"{path} stands there twice, and not the same")
    return str(found[0].text or "").strip() or None


def whole(parent: Element, path: str) -> int | None:
    """Read a child's whole number."""
    value = text(parent, path)
    if value is None:
        return None
    if not value.isdecimal() or len(value) > _DIGITS:
        raise MalformedError(parent.find(path), f"{path} is {value!r}, not a whole number")
    return int(value)


def number(parent: Element, path: str) -> float | None:
    """Read a child's number; what C prints for 0/0 (``-1.#J``, ``-nan(ind)``) is missing."""
    value = text(parent, path)
    return None if value is None else to_number(value, parent.find(path), path)


def to_number(value: str, element: Element, name: str) -> float | None:
    """Turn the text of an element or an attribute into a number."""
    try:
        result = float(value)
    except ValueError:
        result = float("nan")
    if abs(result) < _LARGEST and "_" not in value:
        return result
    if _NOT_A_NUMBER.fullmatch(value):
        return None
    raise MalformedError(element, f"{name} is {value!r}, not a number")


def nanoseconds(parent: Element, path: str) -> float | None:
    """Read a child's milliseconds as nanoseconds."""
    value = number(parent, path)
    return None if value is None else from_milliseconds(value)


def from_milliseconds(value: float) -> float:
    """Make nanoseconds of milliseconds that were printed with three decimals.

    Examples
    --------
    >>> from_milliseconds(0.841), from_milliseconds(2.019)  # 2.019 * 1e6 is 2018999.9999999998
    (841000.0, 2019000.0)
    """
    return float(round(value * 1e6))
