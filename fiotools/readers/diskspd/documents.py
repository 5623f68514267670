"""DISKSPD's XML documents: where they are in a text, how they are repaired, and their values.

DISKSPD escapes nothing. Values from outside stand in four places, each on a line of its own: the
machine's name, the paths of targets and of the source of random data, and the name of the power
scheme (``<unknown>`` in 2.2 if there is none). A document that is not well-formed is repaired there
and nowhere else, so that no number can change. Only ``<Results>...</Results>`` reaches the parser,
so no DOCTYPE and no entity does; inside it they are refused.

Most documents are as DISKSPD writes them. Their text is split into values and what stands between
them, the skeleton; documents with one skeleton share one tree, which is parsed once. All other
documents (comments, escapes, text beside elements, values that are not numbers) are parsed; then
their values are taken out of the parsed tree, and go the same way.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from lxml import etree
from lxml.etree import XMLSyntaxError

from fiotools.readers.diskspd import buckets, layout
from fiotools.readers.diskspd.buckets import Buckets
from fiotools.readers.diskspd.elements import (
    NUMBERED,
    LxmlElement,
    MalformedError,
    Texts,
    Tree,
    ValuesNeededError,
)
from fiotools.readers.diskspd.runs import Run
from fiotools.readers.diskspd.shapes import Shape
from fiotools.readers.formats import DISKSPD_XML

# also where the file was cut off at once
_INDENT = 200
_MANY = 20
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
_VALUE = re.compile(r'>([^<>"\s][^<>"]*)(?=</)|="([^<>"]+)(?=")')
_REFERENCE = re.compile("&(?:amp|lt|gt|quot|apos);")
_SKELETONS = 64  # whose trees are kept
_LONG = 2**20  # characters of a skeleton: its tree is too large to be kept


@dataclass
class Piece:
    """One document, or as much of it as there is."""

    xml: str  # from ``<Results>`` to ``</Results>``, or to where it ends
    line: int  # lines of the report above it
    whole: bool  # whether its end is there
    # messages of standard error around it; lines count from the report's first
    errors: list[tuple[int, str]] = field(default_factory=list)
    progress: int = 0  # how many lines of progress stand around it


def piece_at(text: str, match: re.Match[str]) -> tuple[int, int, Piece]:
    """Take the document that begins at the match, with the messages around it.

    Returns
    -------
    start, end : int
        Its place in the text.
    piece : Piece
    """
    at = match.start()
    limit, whole = _limit(text, match.end())
    stop = limit if whole else _last_tag(text, at, limit)
    # a line may be as long as the file: no further back than an indent
    line_start = text.rfind("\n", max(0, at - _INDENT), at) + 1
    inside = at > _INDENT and not line_start
    start = at if inside or text[line_start:at].strip() else layout.start_of(text, line_start)
    end = layout.end_of(text, stop) if whole else stop
    piece = Piece(text[at:stop], text.count("\n", start, at), whole)
    for first, last in ((start, at), (stop, end)):
        above = text.count("\n", start, first)
        for number, line in layout.numbered_lines(text[first:last]):
            if layout.is_progress(line):
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


def mended(xml: str) -> tuple[str, int] | None:
    """Escape the values from outside.

    Returns
    -------
    tuple of (str, int) or None
        The document and the line of the first repair; None if there is nothing to repair.
    """
    found = _FREE.sub(_escape, xml)
    if found == xml:
        return None
    pairs = zip(xml.split("\n"), found.split("\n"), strict=True)
    return found, next(number for number, (a, b) in enumerate(pairs, 1) if a != b)


def _strays(root: LxmlElement) -> list[tuple[int, str]]:
    """Find text beside elements, which DISKSPD does not write: (line, text)."""
    found = root.xpath("//text()[normalize-space()][parent::*/*]")[:_MANY]
    return [(text.getparent().sourceline, text.strip()[:200]) for text in found]


def without_rest(xml: str) -> str | None:
    """Close a document behind its last time span that is whole; None if there is none."""
    stop = xml.rfind(_SPAN_END)
    return None if stop < 0 else xml[: stop + len(_SPAN_END)] + _END


def _escape(match: re.Match[str]) -> str:
    before, after = match["a"] or match["c"], match["b"] or match["d"]
    text = match["text"] if match["scheme"] is None else match["scheme"].replace('"', "&quot;")
    text = _AMPERSAND.sub("&amp;", text).replace("<", "&lt;").replace(">", "&gt;")
    return f"{before}{text}{after}"


def parse(xml: str) -> LxmlElement:
    """Parse a document.

    Raises
    ------
    lxml.etree.XMLSyntaxError
        If it is not well-formed.
    MalformedError
        If an element has more attributes than any of DISKSPD's: each takes the time of all.
    """
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        # a comment would split a number in two
        remove_comments=True,
        remove_pis=True,
    )
    root = etree.fromstring(xml.encode("utf-8", "replace"), parser)
    found: Any = root.xpath(f"//*[count(@*) > {_ATTRIBUTES}]")
    for crowded in found:
        reason = f"{crowded.tag} has more than {_ATTRIBUTES} attributes"
        raise MalformedError(crowded.sourceline, reason)
    return root


@dataclass(frozen=True)
class Taken:
    """The runs of a document, and its values."""

    shape: Shape
    texts: Texts  # its values, and an empty one behind them
    runs: list[Run]
    line: Callable[[int], int]  # gives the line of the file of a line of the tree
    repaired: int = 0  # the line of the first repair; 0 if there was none
    strays: Sequence[tuple[int, str]] = ()  # text beside elements


def take(xml: str, above: int, *, samples: bool) -> Taken:
    """Take the values of a document.

    Parameters
    ----------
    xml : str
    above : int
        Lines of the file above it.
    samples : bool
        Whether the values of ``-D`` are wanted.

    Raises
    ------
    lxml.etree.XMLSyntaxError
        If it is not well-formed, and cannot be repaired.
    MalformedError
        If an element does not hold its kind of value.
    """
    taken = _split(xml, above, samples=samples)
    if taken is not None:
        return taken
    try:
        root = parse(xml)
    except XMLSyntaxError:
        repair = mended(xml)
        if repair is None:
            raise
        taken = _split(repair[0], above, repair[1], samples=samples)
        return taken or _parsed(parse(repair[0]), above, repair[1], samples=samples)
    return _parsed(root, above, samples=samples)


def _split(xml: str, above: int, repaired: int = 0, *, samples: bool) -> Taken | None:
    """Take a document as DISKSPD writes it; None if anything in it is unusual."""
    cut = buckets.cut(xml)
    if cut is None or NUMBERED in cut.rest:
        return None
    parts = _VALUE.split(cut.rest)
    texts = [text or attribute for text, attribute in zip(parts[1::3], parts[2::3], strict=True)]
    values = "\n".join(texts) + "\n"
    if " \n" in values or not "".join(texts).isprintable():
        return None
    if "&" in values:
        if values.count("&") > len(_REFERENCE.findall(values)):
            return None
        texts = [*map(html.unescape, texts)]
    texts.append("")
    try:
        skeleton = NUMBERED.join(parts[::3])
        shape = (_shape if len(skeleton) < _LONG else _shape.__wrapped__)(skeleton)
        if shape is None:
            return None
        over_time, curves = shape.marks
        if sorted((*over_time, *curves)) != list(range(len(cut.runs))):
            return None  # buckets where DISKSPD writes none
        found = buckets.read_cut(cut, over_time, samples=samples)
        if found is None:
            return None
        return _taken(shape, texts, found, lambda line: above + cut.line(line), repaired)
    except MalformedError:
        return None  # the parser says it of the right line


def _taken(
    shape: Shape,
    texts: Texts,
    found: Buckets,
    line: Callable[[int], int],
    repaired: int,
    strays: Sequence[tuple[int, str]] = (),
) -> Taken:
    pairs = zip(shape.spans, shape.asked(texts), strict=False)
    runs = [span.take(texts, asked, found, line) for span, asked in pairs]
    return Taken(shape, texts, runs, line, repaired, strays)


@lru_cache(_SKELETONS)
def _shape(skeleton: str) -> Shape | None:
    """Parse a document with `NUMBERED` in the place of each value.

    None if there are other values or text beside elements, or if the layout depends on values.
    """
    first, *others = skeleton.split(NUMBERED)
    numbered = [first]
    for number, piece in enumerate(others):
        lead = ">" if piece.startswith("</") else '="'
        numbered.append(f"{lead}{NUMBERED}{number}{piece}")
    try:
        root = parse("".join(numbered))
    except XMLSyntaxError:
        return None
    if not all(map(_is_plain, root.iter())):
        return None
    try:
        return Shape(_tree(root, root.iter("Bucket")))
    except ValuesNeededError:
        return None


def _tree(root: LxmlElement, marks: Iterable[LxmlElement]) -> Tree:
    return Tree(root, {mark: number for number, mark in enumerate(marks)})


def _is_plain(element: LxmlElement) -> bool:
    """Return whether all text in an element is a numbered value."""
    texts = [(element.text or "").strip(), *element.values()]
    return not (element.tail or "").strip() and all(
        not text or text.startswith(NUMBERED) for text in texts
    )


def _parsed(root: LxmlElement, above: int, repaired: int = 0, *, samples: bool) -> Taken:
    """Take a document out of its parsed tree."""
    strays = _strays(root)
    marks, found = buckets.lift(root, samples=samples)
    texts: list[str] = []
    for element in root.iter():
        if element.text and element.text.strip():
            element.text = _numbered(texts, element.text.strip())
        for name, text in element.items():
            if text:
                element.set(name, _numbered(texts, text))
    texts.append("")
    shape = Shape(_tree(root, marks), texts)
    return _taken(shape, texts, found, lambda line: above + line, repaired, strays)


def _numbered(texts: list[str], text: str) -> str:
    texts.append(text)
    return f"{NUMBERED}{len(texts) - 1}"
