"""fio's JSON documents in a text: where each begins and ends.

fio writes warnings into the same stream, before, between and after documents; a killed run leaves
half of one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from fiotools.readers.fio import DIRECTIONS
from fiotools.readers.fio.schema import (
    VERSION_KEYS,
    Document,
    Faults,
    Job,
    Part,
    converted,
    decoded,
    loaded,
)
from fiotools.readers.formats import FIO_JSON

_START = re.compile(FIO_JSON)
# a string, or C's spelling of a value that is not a number
_STRING_OR_NAN = re.compile(
    r'"(?:[^"\\]|\\.)*+"?|(?<![\w.])-?(?:nan|inf(?:inity)?)(?![\w.])(?:\(\w*\))?', re.I | re.S
)
# backslashes that fio before 3 did not escape
_BACKSLASH = re.compile(r'\\(?!["\\/bfnrtu])')
_BLANK = re.compile(r"[\s,]*")
# halves of a character, which cannot be encoded
_HALF = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])"
    r"|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2}"
)


class Piece(NamedTuple):
    """One document in a text: its place, and its content if it is complete."""

    start: int
    end: int
    document: Document | None
    reason: str = ""  # why it is incomplete
    faults: Faults = Faults()  # what was wrong with it
    is_put_together: bool = False  # of jobs that stood one after another


@dataclass(slots=True)
class Stretch:
    """Text outside the documents."""

    start: int
    end: int
    before: int  # how many documents are above it
    torn: bool = False  # whether the one above is incomplete: then its rest may be here
    # the places of other reports in it, and their kind if they repeat a document
    reports: list[tuple[int, int, str]] = field(default_factory=list)


def pieces(text: str, data: bytes | None = None) -> list[Piece]:
    """Split a text into fio's documents; ``data`` are its bytes if they are known."""
    data = _bytes(text) if data is None else data
    if (document := decoded(data)) is not None:
        return [Piece(0, len(text), document)]
    if whole := _reports(loaded(data)):
        return [_piece(0, len(text), one) for one in whole]
    found: list[Piece] = []
    at = 0
    while match := _START.search(text, at):
        piece = piece_at(text, match.start())
        found.append(piece)
        at = max(piece.end, match.end())
    if any(piece.document is not None for piece in found):
        return found
    # other key order or no version, and something that is not JSON, or one value after another
    return list(_stream(text)) or found


def _bytes(text: str) -> bytes:
    return text.encode(errors="replace")


def _piece(start: int, end: int, value: Mapping[str, Any], faults: Faults | None = None) -> Piece:
    """Return the piece with a document that was parsed, and is repaired."""
    faults = faults or Faults()
    return Piece(start, end, converted(value, faults), faults=faults)


def _reports(value: Any) -> list[dict[str, Any]]:
    """List the documents in a JSON value: itself, the items of a list, or what holds its jobs."""
    items = value if isinstance(value, list) else [value]
    if items and all(isinstance(one, list) for one in items):  # jq -s .jobs
        return [one for inner in items for one in _reports(inner)] if value is items else []
    found = list(filter(is_fio, items))
    jobs = [] if found else list(filter(_is_job, items))
    return [_of_jobs(jobs)] if jobs else found


def is_fio(value: Any) -> bool:
    """Whether a JSON value is a report of fio; its jobs tell if it has no version."""
    if not isinstance(value, dict):
        return False
    listed = value.get("jobs") or value.get("client_stats")
    first = listed[0] if isinstance(listed, list) and listed else None
    return any(key in value for key in VERSION_KEYS) or (
        isinstance(first, dict) and "jobname" in first
    )


def _is_job(value: Any) -> bool:
    """Whether a JSON value is an entry of a report (``jq .jobs[]``)."""
    return (
        isinstance(value, dict)
        and "jobname" in value
        and any(isinstance(value.get(one), dict) for one in DIRECTIONS)
    )


def _of_jobs(jobs: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the document that had these entries, as far as they tell."""
    return {"client_stats" if "hostname" in jobs[0] else "jobs": jobs}


def _stream(text: str) -> Iterator[Piece]:
    """Yield the documents of JSON values that follow one another.

    Jobs without their document are those of one report as long as fio's clock stands and groups are
    counted up.
    """
    readable, nans = _without_nan(text)
    at, end = 0, len(readable.rstrip())
    jobs: list[dict[str, Any]] = []
    begun = at
    while at < end:
        blank, decoder = _BLANK.match(readable, at), Decoder(nans)
        start = blank.end() if blank else at
        try:
            value, at = decoder.raw_decode(readable, start)
        except (json.JSONDecodeError, RecursionError):
            break
        if jobs and not (_is_job(value) and _is_beside(jobs[-1], value)):
            piece = _piece(begun, start, _of_jobs(jobs))
            yield piece._replace(is_put_together=len(jobs) > 1)
            jobs = []
        if _is_job(value):
            begun = begun if jobs else start
            jobs.append(value)
            continue
        for document in _reports(value):
            yield _piece(start, at, document, decoder.faults)
            nans = 0
    if jobs:
        piece = _piece(begun, at, _of_jobs(jobs), Faults(nans))
        yield piece._replace(is_put_together=len(jobs) > 1)


def _is_beside(last: Mapping[str, Any], job: Mapping[str, Any]) -> bool:
    """Whether two entries can stand in one report."""
    groups = [one.get("groupid") for one in (last, job)]
    before, group = (one if isinstance(one, (int, float)) else 0 for one in groups)
    return last.get("elapsed") == job.get("elapsed") and before <= group


def piece_at(text: str, start: int) -> Piece:
    """Read the document that begins at a place; an incomplete one ends where it breaks off."""
    # documents do not nest: this one ends where the next begins
    following = _START.search(text, start + 1)
    stop = following.start() if following else len(text)
    # in fio's layout only the last brace begins a line
    brace = text.find("\n}", start, stop)
    line = text.find("\n", start, stop)
    for end in (brace + 2, line if line >= 0 else stop):
        if end > start and text[end - 1] == "}":
            data = _bytes(text[start:end])
            if (document := decoded(data)) is not None:
                return Piece(start, end, document)
            if (value := loaded(data)) is not None:  # a newer fio's, or another program's
                return _piece(start, end, value)
    readable, nans = _without_nan(text[start:stop])
    decoder = Decoder(nans)
    try:
        value, end = decoder.raw_decode(readable)
    except RecursionError:
        return Piece(start, start + 1, None, "nested too deeply")
    except json.JSONDecodeError as error:
        if brace >= 0:
            decoder, escaped = Decoder(nans), _BACKSLASH.sub(r"\\\\", readable[: brace + 2 - start])
            with suppress(json.JSONDecodeError, RecursionError):
                return _piece(start, brace + 2, decoder.decode(escaped), decoder.faults)
        return Piece(start, start + error.pos, None, error.msg)
    return _piece(start, start + end, value, decoder.faults)


def stretches(text: str, pieces: list[Piece]) -> list[Stretch]:
    """List the text outside the documents."""
    found, at, torn = [], 0, False
    for number, piece in enumerate(pieces):
        if piece.start > at:
            found.append(Stretch(at, piece.start, number, torn))
        at, torn = max(at, piece.end), piece.document is None
    if at < len(text):
        found.append(Stretch(at, len(text), len(pieces), torn))
    return found


def _without_nan(text: str) -> tuple[str, int]:
    """Replace nan and inf by null of the same length; count them."""
    count = 0

    def replace(found: re.Match[str]) -> str:
        nonlocal count
        if found[0][0] == '"':
            return found[0]
        count += 1
        return "NaN" if len(found[0]) == 3 else "null".ljust(len(found[0]))

    folded = text.lower().replace('"minf"', "")  # fio's key for minor faults
    readable = _STRING_OR_NAN.sub(replace, text) if "nan" in folded or "inf" in folded else text
    if "\\u" in readable:
        readable = _HALF.sub(r"\\ufffd", readable)
    return readable, count


class Decoder(json.JSONDecoder):
    """Reads JSON that faster parsers refuse, and records keys with two different values.

    The last value of an option counts, as in fio. The right value of anything else is unknown, and
    left out.
    """

    def __init__(self, nans: int) -> None:
        # job names may hold control characters; Python refuses numbers of thousands of digits
        super().__init__(
            strict=False,
            parse_constant=lambda _: None,
            parse_int=lambda digits: int(digits) if len(digits) < 40 else float(digits),
            object_pairs_hook=self._object,
        )
        self.faults = Faults(nans)

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            is_options = all(type(value) is str for value in found.values())
            several: dict[str, list[Any]] = {}
            for key, value in pairs:
                several.setdefault(key, []).append(value)
            for key, values in several.items():
                if any(value != values[0] for value in values):
                    (self.faults.options if is_options else self.faults.leaves).append(key)
                    found[key] = values[-1] if is_options else _agreed(values)
        return found


def _agreed(values: Sequence[Any]) -> Any:
    """Keep the values that several have in common; None for the others."""
    if all(type(value) is dict for value in values):
        keys = dict.fromkeys(key for value in values for key in value)
        return {key: _agreed([value.get(key) for value in values]) for key in keys}
    return values[0] if all(value == values[0] for value in values) else None


# --- the content of a document ----------------------------------------------------------------

MOVING = DIRECTIONS[:-1]  # syncs have no amounts
TOTAL = "All clients"  # the name of their sum


def by_direction(entry: Job, directions: Sequence[str] = DIRECTIONS) -> Iterator[tuple[str, Part]]:
    """Yield what an entry says of each direction."""
    for direction in directions:
        if (part := getattr(entry, direction)) is not None:
            yield direction, part


def elapsed(document: Document) -> float | None:
    """Return the seconds from the start of the run to a report."""
    found = (job.elapsed for job in document.entries if job.elapsed is not None)
    return max(map(float, found), default=None)
