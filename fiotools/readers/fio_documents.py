"""fio's JSON documents in a text: where each begins and ends, and what stands around them.

fio writes warnings into the same stream, before, between and after documents; it writes several
documents with ``--status-interval``; a killed run leaves half of one.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

import orjson

ANCHOR = r'\{\s*"fio ?version"\s*:'
VERSION_KEYS = ("fio version", "fioversion")

_KEY = re.compile(r'"fio ?version"\s*:')
_START = re.compile(ANCHOR)
_DECODER = json.JSONDecoder(strict=False)  # job names may hold control characters
# what C prints for figures that are none, and backslashes that fio before 3 did not escape
_NOT_A_NUMBER = re.compile(
    r"(?<=[:\[,])(\s*)-?(?:nan|inf(?:inity)?)(?:\(\w*\))?(?=\s*[,}\]])", re.I
)
_BACKSLASH = re.compile(r'\\(?!["\\/bfnrtu])')


@dataclass(frozen=True)
class Piece:
    """One document in a text.

    Attributes
    ----------
    start, end : int
        Its place.
    document : dict or None
        None where the document is not whole.
    reason : str
        Why it is not whole.
    """

    start: int
    end: int
    document: dict[str, Any] | None
    reason: str = ""


def has_key(text: str) -> bool:
    """Whether fio's version stands in the text as a JSON key."""
    return _KEY.search(text) is not None


def pieces(text: str) -> list[Piece]:
    """Split a text into fio's documents."""
    whole = _whole(text)
    if whole:
        return whole
    found: list[Piece] = []
    at = 0
    while match := _START.search(text, at):
        piece = piece_at(text, match.start())
        found.append(piece)
        at = max(piece.end, match.end())
    return found


def _whole(text: str) -> list[Piece]:
    """Take a text that is one JSON value: a document, or a list of documents."""
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return []
    documents = value if isinstance(value, list) else [value]
    return [Piece(0, len(text), one) for one in documents if is_fio(one)]


def is_fio(value: Any) -> bool:
    """Whether a JSON value is a report of fio."""
    return isinstance(value, dict) and any(key in value for key in VERSION_KEYS)


def piece_at(text: str, start: int) -> Piece:
    """Read the document that begins at a place; what is not whole ends where it breaks off."""
    # as fio writes it, only the last brace stands at the beginning of a line
    brace = text.find("\n}", start)
    if brace >= 0:
        body = text[start : brace + 2]
        for attempt in (body, _repaired(body)):
            try:
                value = orjson.loads(attempt)
            except orjson.JSONDecodeError:
                continue
            if is_fio(value):
                return Piece(start, brace + 2, value)
    try:
        value, end = _DECODER.raw_decode(text, start)
    except (json.JSONDecodeError, RecursionError) as error:
        reason = error.msg if isinstance(error, json.JSONDecodeError) else "nested too deeply"
        broken = error.pos if isinstance(error, json.JSONDecodeError) else start + 1
        # the next document may have been swallowed before the break was seen
        following = re.compile(rf"^{ANCHOR}", re.M).search(text, start + 1, max(broken, start + 1))
        return Piece(start, following.start() if following else broken, None, reason)
    return Piece(start, end, value if is_fio(value) else None, "" if is_fio(value) else "not fio's")


def _repaired(body: str) -> str:
    return _BACKSLASH.sub(r"\\\\", _NOT_A_NUMBER.sub(r"\1null", body))
