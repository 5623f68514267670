"""One document of DISKSPD's XML: its shape, its values and its buckets.

Most documents are as DISKSPD writes them. Such a text is split into values and what is between
them, its skeleton; all documents of one skeleton have one tree, which is parsed once. Whatever else
is in a document (comments, escapes, text beside elements, numbers that are none) is left to a
parser; then the values are taken out of the parsed tree, and go the same way.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from lxml.etree import XMLSyntaxError

from fiotools.readers.diskspd import buckets, documents
from fiotools.readers.diskspd.buckets import Buckets
from fiotools.readers.diskspd.elements import (
    NUMBERED,
    LxmlElement,
    MalformedError,
    Texts,
    Tree,
    ValuesNeededError,
)
from fiotools.readers.diskspd.figures import Run
from fiotools.readers.diskspd.shapes import Shape

_VALUE = re.compile(r'>([^<>"\s][^<>"]*)(?=</)|="([^<>"]+)(?=")')
_REFERENCE = re.compile("&(?:amp|lt|gt|quot|apos);")
_SKELETONS = 64  # whose trees are kept
_LONG = 2**20  # characters of a skeleton: its tree is too large to be kept


@dataclass(frozen=True)
class Taken:
    """What was taken of a document.

    Attributes
    ----------
    shape : Shape
    texts : sequence of str
        Its values, and an empty one behind them.
    runs : list of Run
    line : callable
        Gives the line of the file of a line of the tree.
    repaired : int
        The line of the first repair; 0 if there was none.
    strays : sequence of (line, text)
        What stands beside elements.
    """

    shape: Shape
    texts: Texts
    runs: list[Run]
    line: Callable[[int], int]
    repaired: int = 0
    strays: Sequence[tuple[int, str]] = ()


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
        If an element does not hold what it must.
    """
    taken = _split(xml, above, samples=samples)
    if taken is not None:
        return taken
    try:
        root = documents.parse(xml)
    except XMLSyntaxError:
        repair = documents.mended(xml)
        if repair is None:
            raise
        taken = _split(repair[0], above, repair[1], samples=samples)
        return taken or _parsed(documents.parse(repair[0]), above, repair[1], samples=samples)
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

    None if there are other values or text beside elements, or if it has to be known what stands
    there twice.
    """
    first, *others = skeleton.split(NUMBERED)
    numbered = [first]
    for number, piece in enumerate(others):
        lead = ">" if piece.startswith("</") else '="'
        numbered.append(f"{lead}{NUMBERED}{number}{piece}")
    try:
        root = documents.parse("".join(numbered))
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
    """Say whether all text in an element is a numbered value."""
    texts = [(element.text or "").strip(), *element.values()]
    return not (element.tail or "").strip() and all(
        not text or text.startswith(NUMBERED) for text in texts
    )


def _parsed(root: LxmlElement, above: int, repaired: int = 0, *, samples: bool) -> Taken:
    """Take a document out of its parsed tree."""
    strays = documents.strays(root)
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
