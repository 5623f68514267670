"""The XML documents of DISKSPD in a text: where they are, and what it takes to parse them.

DISKSPD escapes nothing. What it takes from outside stands in four places, each on a line of its
own: the name of the machine, the paths of targets and of the source of random data, and the name
of the power scheme (``<unknown>`` in 2.2 where there is none). A document that is not well-formed
is repaired there and nowhere else, so that no figure can change. Nothing outside of
``<Results>...</Results>`` reaches the parser, hence no DOCTYPE and no entity; inside it is refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from lxml import etree

from fiotools.readers.diskspd import messages
from fiotools.readers.diskspd.elements import LxmlElement, MalformedError
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


@dataclass
class Piece:
    """One document, or as much of it as there is.

    Attributes
    ----------
    xml : str
        From ``<Results>`` to ``</Results>``, or to where it ends.
    line : int
        Lines of the report above it.
    whole : bool
        Whether its end is there.
    errors : list of (line, message)
        What standard error said around it, the line counted from the report's first.
    progress : int
        How many lines of progress stand around it.
    """

    xml: str
    line: int
    whole: bool
    errors: list[tuple[int, str]] = field(default_factory=list)
    progress: int = 0


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
    start = at if inside or text[line_start:at].strip() else messages.start_of(text, line_start)
    end = messages.end_of(text, stop) if whole else stop
    piece = Piece(text[at:stop], text.count("\n", start, at), whole)
    for first, last in ((start, at), (stop, end)):
        above = text.count("\n", start, first)
        for number, line in messages.lines(text[first:last]):
            if messages.is_progress(line):
                piece.progress += 1
            else:
                piece.errors.append((above + number, line))
    return start, end, piece


def _limit(text: str, at: int) -> tuple[int, bool]:
    """Find where a document ends, or the next output begins; say whether that is its end."""
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
    """Escape what DISKSPD takes from outside.

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


def strays(root: LxmlElement) -> list[tuple[int, str]]:
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
        # a comment would split a figure in two
        remove_comments=True,
        remove_pis=True,
    )
    root = etree.fromstring(xml.encode("utf-8", "replace"), parser)
    found: Any = root.xpath(f"//*[count(@*) > {_ATTRIBUTES}]")
    for crowded in found:
        reason = f"{crowded.tag} has more than {_ATTRIBUTES} attributes"
        raise MalformedError(crowded.sourceline, reason)
    return root
