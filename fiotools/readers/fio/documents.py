"""fio's JSON documents in a text: where each begins and ends, and what stands around them.

fio writes warnings into the same stream, before, between and after documents; it writes several
documents with ``--status-interval``; a killed run leaves half of one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import orjson

from fiotools.readers.fio.json_keys import Decoder
from fiotools.readers.formats import FIO_JSON

VERSION_KEYS = ("fio version", "fioversion")
Loads: TypeAlias = Callable[[str | bytes], Any]

_START = re.compile(FIO_JSON)
# a string, or what C prints for figures that are none
_STRING_OR_NAN = re.compile(
    r'"(?:[^"\\]|\\.)*+"?|(?<![\w.])-?(?:nan|inf(?:inity)?)(?![\w.])(?:\(\w*\))?', re.I | re.S
)
# backslashes that fio before 3 did not escape
_BACKSLASH = re.compile(r'\\(?!["\\/bfnrtu])')
# halves of a character, which no encoding can write
_HALF = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])"
    r"|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2}"
)


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
    nans : int
        How many of its figures were nan or inf; they are None.
    options, figures : tuple of str
        Keys that stand twice in it with other values, of options and of all else.
    """

    start: int
    end: int
    document: dict[str, Any] | None
    reason: str = ""
    nans: int = 0
    options: tuple[str, ...] = ()
    figures: tuple[str, ...] = ()


def pieces(text: str, loads: Loads = orjson.loads, data: bytes | None = None) -> list[Piece]:
    """Split a text into fio's documents.

    Parameters
    ----------
    text : str
    loads : callable
        Parses JSON, and raises `orjson.JSONDecodeError` for anything else, and for JSON in which
        keys stand twice.
    data : bytes, optional
        The same text, where it is known as bytes.
    """
    try:
        if whole := _documents(loads(text if data is None else data), text):
            return whole
    except orjson.JSONDecodeError:
        pass
    found: list[Piece] = []
    at = 0
    while match := _START.search(text, at):
        piece = piece_at(text, match.start(), loads)
        found.append(piece)
        at = max(piece.end, match.end())
    if any(piece.document is not None for piece in found):
        return found
    # keys in another order, or without the version, and something that is no JSON
    readable, nans = _without_nan(text)
    decoder = Decoder()
    try:
        return _documents(decoder.decode(readable), text, nans, decoder) or found
    except (json.JSONDecodeError, RecursionError):
        return found


def _documents(value: Any, text: str, nans: int = 0, decoder: Decoder | None = None) -> list[Piece]:
    """Take a JSON value that is a document, or a list of documents."""
    documents = value if isinstance(value, list) else [value]
    return [_piece(0, len(text), one, nans, decoder) for one in documents if is_fio(one)]


def _piece(
    start: int, end: int, document: dict[str, Any], nans: int, decoder: Decoder | None
) -> Piece:
    options, figures = (decoder.options, decoder.figures) if decoder else ((), ())
    return Piece(start, end, document, "", nans, tuple(options), tuple(figures))


def is_fio(value: Any) -> bool:
    """Whether a JSON value is a report of fio; one that lost its version is known by its jobs."""
    if not isinstance(value, dict):
        return False
    listed = value.get("jobs") or value.get("client_stats")
    first = listed[0] if isinstance(listed, list) and listed else None
    return any(key in value for key in VERSION_KEYS) or (
        isinstance(first, dict) and "jobname" in first
    )


def piece_at(text: str, start: int, loads: Loads = orjson.loads) -> Piece:
    """Read the document that begins at a place; what is not whole ends where it breaks off."""
    # none holds another: where the next one begins, this one is over
    following = _START.search(text, start + 1)
    stop = following.start() if following else len(text)
    # as fio writes it, only the last brace stands at the beginning of a line
    brace = text.find("\n}", start, stop)
    line = text.find("\n", start, stop)
    for end in (brace + 2, line if line >= 0 else stop):
        if end > start and text[end - 1] == "}":
            try:
                return Piece(start, end, loads(text[start:end]))
            except orjson.JSONDecodeError:
                pass
    readable, nans = _without_nan(text[start:stop])
    decoder = Decoder()
    try:
        value, end = decoder.raw_decode(readable)
    except RecursionError:
        return Piece(start, start + 1, None, "nested too deeply")
    except json.JSONDecodeError as error:
        try:
            if brace >= 0:
                decoder = Decoder()
                value = decoder.decode(_BACKSLASH.sub(r"\\\\", readable[: brace + 2 - start]))
                return _piece(start, brace + 2, value, nans, decoder)
        except (json.JSONDecodeError, RecursionError):
            pass
        return Piece(start, start + error.pos, None, error.msg)
    return _piece(start, start + end, value, nans, decoder)


def _without_nan(text: str) -> tuple[str, int]:
    """Put what JSON can say for figures that are none, as long as they were; count them."""
    count = 0

    def replace(found: re.Match[str]) -> str:
        nonlocal count
        if found[0][0] == '"':
            return found[0]
        count += 1
        return "NaN" if len(found[0]) == 3 else "null".ljust(len(found[0]))

    readable = _STRING_OR_NAN.sub(replace, text)
    if "\\u" in readable:
        readable = _HALF.sub(r"\\ufffd", readable)
    return readable, count
