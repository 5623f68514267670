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
from functools import cache
from typing import Any, TypeAlias

from lxml import etree

from fiotools.readers.diskspd import end_of, is_progress, numbered_lines, start_of
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
_NOT_A_NUMBER = re.compile(r"-?(?:\d\.#\w+|nan(?:\(\w*\))?|inf)", re.IGNORECASE)


class MalformedError(Exception):
    """An element does not hold its kind of value."""

    def __init__(self, element: Element, reason: str) -> None:
        super().__init__(reason)
        self.line, self.reason = line_of(element), reason


@dataclass
class Piece:
    """One document, or as much of it as there is."""

    xml: str  # from ``<Results>`` to ``</Results>``, or to where it ends
    line: int  # lines of the report above it
    whole: bool  # whether its end is there
    # messages of standard error around it; lines count from the report's first
    errors: list[tuple[int, str]] = field(default_factory=list)
    progress: int = 0  # how many lines of progress stand around it


def parse(text: str, match: re.Match[str]) -> tuple[int, int, Piece]:
    """Take the document that begins at the match, with the messages around it, and its place."""
    at = match.start()
    limit, whole = _limit(text, match.end())
    stop = limit if whole else _last_tag(text, at, limit)
    # a line may be as long as the file: no further back than an indent
    line_start = text.rfind("\n", max(0, at - _INDENT), at) + 1
    inside = at > _INDENT and not line_start
    start = at if inside or text[line_start:at].strip() else start_of(text, line_start)
    end = end_of(text, stop) if whole else stop
    piece = Piece(text[at:stop], text.count("\n", start, at), whole)
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


def _last_tag(text: str, at: int, limit: int) -> int:
    """Find where a document without an end ends: its lines begin with tags."""
    end = at
    while at < limit:
        stop = text.find("\n", at, limit)
        stop = limit if stop < 0 else stop
        line = text[at:stop].strip()
        if line and not line.startswith("<"):
            break
        end = stop if line else end
        at = stop + 1
    return end


def without_rest(xml: str) -> str | None:
    """Close a document behind its last time span that is whole; None if there is none."""
    stop = xml.rfind(_SPAN_END)
    return None if stop < 0 else xml[: stop + len(_SPAN_END)] + _END


def mended(xml: str) -> str:
    """Escape the values from outside."""
    return _FREE.sub(_escape, xml)


def _escape(match: re.Match[str]) -> str:
    before, after = match["a"] or match["c"], match["b"] or match["d"]
    text = match["text"] if match["scheme"] is None else match["scheme"].replace('"', "&quot;")
    text = _AMPERSAND.sub("&amp;", text).replace("<", "&lt;").replace(">", "&gt;")
    return f"{before}{text}{after}"


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


def values(element: Element, paths: tuple[str, ...]) -> list[str]:
    """Return the texts of elements below; empty for those that are missing.

    Raises
    ------
    MalformedError
        If one holds elements, or stands there twice with different texts.
    """
    found: dict[str, str] = {}
    for inside, names in _by_parent(paths).items():
        for parent in element.findall(inside) if inside else (element,):
            for child in parent.iterchildren(*names):
                name = child.tag
                if len(child):
                    raise MalformedError(child, f"{name} holds elements, not a value")
                text = (child.text or "").strip()
                if found.setdefault(names[name], text) != text:
                    raise MalformedError(child, f"{name} occurs twice with different values")
    return [found.get(path, "") for path in paths]


@cache
def _by_parent(paths: tuple[str, ...]) -> dict[str, dict[str, str]]:
    """Return the paths by their last name, by what is above that."""
    found: dict[str, dict[str, str]] = {}
    for path in paths:
        inside, _, name = path.rpartition("/")
        found.setdefault(inside, {})[name] = path
    return found


def wholes(element: Element, paths: tuple[str, ...]) -> list[int | None]:
    """Read the whole numbers in elements below; None for those that are missing."""
    found = values(element, paths)
    for path, text in zip(paths, found, strict=True):
        if text and (not text.isdecimal() or len(text) > LONG):
            wrong = element.find(path)
            raise MalformedError(wrong, f"{wrong.tag} is {text!r}, not a whole number")
    return [int(text) if text else None for text in found]


def numbers(element: Element, paths: tuple[str, ...]) -> list[float]:
    """Read the numbers in elements below; nan for those that are missing."""
    found = []
    for path, text in zip(paths, values(element, paths), strict=True):
        try:
            found.append(to_number(text) if text else math.nan)
        except ValueError:
            wrong = element.find(path)
            raise MalformedError(wrong, f"{wrong.tag} is {text!r}, not a number") from None
    return found


def value(element: Element, path: str) -> str:
    """Return the text of an element below; empty if it is missing."""
    return values(element, (path,))[0]


def whole(element: Element, path: str) -> int | None:
    """Read the whole number in an element below; None if it is missing."""
    return wholes(element, (path,))[0]


def number(element: Element, path: str) -> float:
    """Read the number in an element below; nan if it is missing."""
    return numbers(element, (path,))[0]


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


def leaves(
    element: Element, skip: tuple[str, ...] = (), above: str = ""
) -> Iterator[tuple[str, str]]:
    """Yield every value below, but not those of some children: path and text.

    A path is ``Target/BlockSize``; ``Target[2]/BlockSize`` where names repeat; ``Node/@Group``.
    """
    children = [child for child in element if child.tag not in skip]
    often = Counter([child.tag for child in children])
    seen = dict.fromkeys(often, 0)
    for child in children:
        name = child.tag
        seen[name] += 1
        path = f"{above}{name}[{seen[name]}]" if often[name] > 1 else above + name
        for attribute, text in attributes(child):
            yield f"{path}/@{attribute}", text
        if len(child):
            yield from leaves(child, above=f"{path}/")
        elif text := (child.text or "").strip():
            yield path, text


def attributes(element: Element) -> list[tuple[str, str]]:
    """Return names and texts; more than DISKSPD writes are refused: each takes the time of all."""
    if len(element.attrib) > _ATTRIBUTES:
        reason = f"{element.tag} has more than {_ATTRIBUTES} attributes"
        raise MalformedError(element, reason)
    return list(element.items())


def line_of(element: Element) -> int:
    """Return the line of the document in which an element begins."""
    return int(element.sourceline or 1)
