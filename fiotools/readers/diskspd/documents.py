"""DISKSPD's XML documents: where they are in a text, how they are repaired, and their values.

DISKSPD escapes nothing. Values from outside stand in four places, each on a line of its own: the
machine's name, the paths of targets and of the source of random data, and the name of the power
scheme (``<unknown>`` in 2.2 if there is none). A document that is not well-formed is repaired there
and nowhere else, so that no number can change. Only ``<Results>...</Results>`` reaches the parser,
so no DOCTYPE and no entity does; inside it they are refused.

Values are found by the names of elements. One that is not what it must be is an error with a line.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any, TypeAlias

from lxml import etree

from fiotools.readers.diskspd import end_of, is_message, is_progress, numbered_lines, start_of
from fiotools.readers.formats import DISKSPD_XML

Element: TypeAlias = Any  # lxml's class of an element is private

LONG = 17  # digits of a whole number: more is not a count of bytes, and sums would overflow
LARGEST = 10.0**LONG  # of a number that is measured

# also where the file was cut off at once
_INDENT = 200
_ATTRIBUTES = 99
_END, _SPAN_END = "</Results>", "</TimeSpan>"
_ANCHOR, _RESULTS = re.compile(DISKSPD_XML), re.compile("</?Results>")
_COMMAND, _COMMAND_LINE = "Command Line:", re.compile(r"^[ \t]*Command Line:", re.MULTILINE)
_FREE = re.compile(
    r"^(?P<a>[ \t]*<(?P<name>Path|FilePath|ComputerName)>)"
    r"(?P<text>[^\n]*)(?P<b></(?P=name)>[ \t]*)$"
    r'|^(?P<c>[ \t]*<PowerScheme Name=")(?P<scheme>[^\n]*)(?P<d>" Guid="[^\n"<>]*"/>[ \t]*)$',
    re.MULTILINE,
)
_AMPERSAND = re.compile(r"&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[0-9A-Fa-f]+);)")
_PLACE = re.compile(r"\[\d+\]")  # in a path
_NOT_A_NUMBER = re.compile(r"-?(?:\d\.#\w+|nan(?:\(\w*\))?|inf)", re.IGNORECASE)


class MalformedError(Exception):
    """An element does not hold its kind of value."""

    def __init__(self, element: Element, reason: str) -> None:
        super().__init__(reason)
        self.line, self.reason = line_of(element), reason


@dataclass
class XmlPiece:
    """One document, or as much of it as there is."""

    xml: str  # from ``<Results>`` to ``</Results>``, or to where it ends
    line: int  # lines of the report above it
    whole: bool  # whether its end is there
    # messages of standard error around it; lines count from the report's first
    errors: list[tuple[int, str]] = field(default_factory=list)
    progress: int = 0  # how many lines of progress stand around it


def parse(text: str, match: re.Match[str]) -> tuple[int, int, XmlPiece]:
    """Take the document that begins at the match, with the messages around it, and its place."""
    at = match.start()
    limit, whole = _limit(text, match.end())
    # without its end a document goes on as long as its lines begin with tags
    stop = limit if whole else end_of(text, at, limit, lambda line: line.startswith("<"))
    # a line may be as long as the file: no further back than an indent
    line_start = text.rfind("\n", max(0, at - _INDENT), at) + 1
    inside = at > _INDENT and not line_start
    start = at if inside or text[line_start:at].strip() else start_of(text, line_start)
    end = end_of(text, stop, len(text), is_message) if whole else stop
    piece = XmlPiece(text[at:stop], text.count("\n", start, at), whole)
    for first, last in ((start, at), (stop, end)):
        above = text.count("\n", start, first)
        for number, line in numbered_lines(text[first:last]):
            if is_progress(line):
                piece.progress += 1
            else:
                piece.errors.append((above + number, line))
    return start, end, piece


def _limit(text: str, at: int) -> tuple[int, bool]:
    """Find where a document ends, or the next output begins; return whether it is whole."""
    limit, whole = len(text), False
    for tag in _RESULTS.finditer(text, at):
        whole = tag[0] == _END
        if whole or _ANCHOR.match(text, tag.start()):
            limit = tag.end() if whole else tag.start()
            break
    # text output may stand in a document that was cut off
    if text.rfind(_COMMAND, at, limit) >= 0:
        command = _COMMAND_LINE.search(text, at, limit)
        return (command.start(), False) if command else (limit, whole)
    return limit, whole


def without_rest(xml: str) -> str | None:
    """Close a document behind its last time span that is whole; None if there is none."""
    stop = xml.rfind(_SPAN_END)
    return None if stop < 0 else xml[: stop + len(_SPAN_END)] + _END


def mended(xml: str) -> str:
    """Escape the values from outside."""

    def escaped(match: re.Match[str]) -> str:
        before, after = match["a"] or match["c"], match["b"] or match["d"]
        text = match["text"] if match["scheme"] is None else match["scheme"].replace('"', "&quot;")
        text = _AMPERSAND.sub("&amp;", text).replace("<", "&lt;").replace(">", "&gt;")
        return f"{before}{text}{after}"

    return _FREE.sub(escaped, xml)


def tree(xml: str) -> Element:
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
    return etree.fromstring(xml.encode("utf-8", "replace"), parser)


# --- the values of elements -------------------------------------------------------------------


class ElementValues:
    """The values below an element, by their paths (`leaves`), and which of them were taken."""

    def __init__(self, element: Element, skip: tuple[str, ...] = ()) -> None:
        self.element = element
        self.all = leaves(element, skip)
        self._taken: set[str] = set()

    def text(self, path: str) -> str:
        """Take a value; empty if it is missing."""
        self._taken.add(path)
        found = self.all.get(path)
        return self._repeated(path) if found is None else found

    def _repeated(self, path: str) -> str:
        """Take a value that stands there several times, or not at all."""
        texts: list[str] = []
        for child in self.element.findall(path):
            if len(child):
                raise MalformedError(child, f"{child.tag} holds elements, not a value")
            texts.append((child.text or "").strip())
            if texts[0] != texts[-1]:
                raise MalformedError(child, f"{child.tag} occurs twice with different values")
        if texts:
            self._taken.update(one for one in self.all if _PLACE.sub("", one) == path)
        return texts[0] if texts else ""

    def whole(self, path: str) -> int | None:
        """Take a whole number; None if it is missing."""
        text = self.text(path)
        if text and (not text.isdecimal() or len(text) > LONG):
            raise self._odd(path, text, "a whole number")
        return int(text) if text else None

    def number(self, path: str) -> float:
        """Take a number; nan if it is missing."""
        text = self.text(path)
        try:
            return to_number(text) if text else math.nan
        except ValueError:
            raise self._odd(path, text, "a number") from None

    def _odd(self, path: str, text: str, what: str) -> MalformedError:
        wrong = self.element.find(path)
        return MalformedError(wrong, f"{wrong.tag} is {text!r}, not {what}")

    def rest(self) -> Iterator[tuple[str, str]]:
        """Yield the values that were not taken: path and text."""
        return ((path, text) for path, text in self.all.items() if path not in self._taken)


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


def leaves(element: Element, skip: tuple[str, ...] = (), above: str = "") -> dict[str, str]:
    """Return every value below by its path, but not those below some paths.

    A path is ``Target/BlockSize``; ``Target[2]/BlockSize`` where names repeat; ``Node/@Group``.
    """
    found: dict[str, str] = {}
    children = [*element]
    names = [child.tag for child in children]
    numbers = {name: count(1) for name, often in Counter(names).items() if often > 1}
    for child, name in zip(children, names, strict=True):
        path = above + name
        if path in skip:
            continue
        if name in numbers:
            path = f"{path}[{next(numbers[name])}]"
        if child.keys():
            found |= {f"{path}/@{attribute}": text for attribute, text in attributes(child)}
        if len(child):
            found |= leaves(child, skip, f"{path}/")
        elif text := (child.text or "").strip():
            found[path] = text
    return found


def attributes(element: Element) -> list[tuple[str, str]]:
    """Return names and texts; more than DISKSPD writes are refused: each takes the time of all."""
    if len(element.attrib) > _ATTRIBUTES:
        reason = f"{element.tag} has more than {_ATTRIBUTES} attributes"
        raise MalformedError(element, reason)
    return list(element.items())


def line_of(element: Element) -> int:
    """Return the line of the document in which an element begins."""
    return int(element.sourceline or 1)
