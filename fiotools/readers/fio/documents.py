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
from itertools import accumulate, groupby
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import orjson

from fiotools.readers.fio import DIRECTIONS
from fiotools.readers.fio.bins import LONGEST, NONE, PAD, Bins, fine_edges, numbers
from fiotools.readers.formats import FIO_JSON

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Whole: TypeAlias = NDArray[np.int64]

VERSION_KEYS = ("fio version", "fioversion")
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


class JsonPiece(NamedTuple):
    """One document in a text: its place, and its content if it is complete."""

    start: int
    end: int
    document: dict[str, Any] | None
    reason: str = ""  # why it is incomplete
    nans: int = 0  # how many of its values were nan or inf; they are None
    # keys that occur twice in it with different values: options, and all others
    options: Sequence[str] = ()
    leaves: Sequence[str] = ()
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


def pieces(text: str, data: bytes | None = None, wants_bins: bool = True) -> list[JsonPiece]:
    """Split a text into fio's documents; ``data`` are its bytes if they are known."""
    try:
        whole = _reports(loads(text if data is None else data, wants_bins))
    except orjson.JSONDecodeError:
        whole = []
    if whole:
        return [JsonPiece(0, len(text), document) for document in whole]
    found: list[JsonPiece] = []
    at = 0
    while match := _START.search(text, at):
        piece = piece_at(text, match.start(), wants_bins)
        found.append(piece)
        at = max(piece.end, match.end())
    if any(piece.document is not None for piece in found):
        return found
    # other key order or no version, and something that is not JSON, or one value after another
    return list(_stream(text)) or found


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
    return isinstance(value, dict) and "jobname" in value and any(by_direction(value))


def _of_jobs(jobs: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the document that had these entries, as far as they tell."""
    return {"client_stats" if "hostname" in jobs[0] else "jobs": jobs}


def _stream(text: str) -> Iterator[JsonPiece]:
    """Yield the documents of JSON values that follow one another.

    Jobs without their document are those of one report as long as fio's clock stands and groups are
    counted up.
    """
    readable, nans = _without_nan(text)
    at, end = 0, len(readable.rstrip())
    jobs: list[dict[str, Any]] = []
    begun = at
    while at < end:
        blank, decoder = _BLANK.match(readable, at), Decoder()
        start = blank.end() if blank else at
        try:
            value, at = decoder.raw_decode(readable, start)
        except (json.JSONDecodeError, RecursionError):
            break
        if jobs and not (_is_job(value) and _is_beside(jobs[-1], value)):
            yield JsonPiece(begun, start, _of_jobs(jobs), is_put_together=len(jobs) > 1)
            jobs = []
        if _is_job(value):
            begun = begun if jobs else start
            jobs.append(value)
            continue
        for document in _reports(value):
            yield decoder.piece(start, at, document, nans)
            nans = 0
    if jobs:
        yield JsonPiece(begun, at, _of_jobs(jobs), nans=nans, is_put_together=len(jobs) > 1)


def _is_beside(last: dict[str, Any], job: dict[str, Any]) -> bool:
    """Whether two entries can stand in one report."""
    groups = number(last.get("groupid")), number(job.get("groupid"))
    return last.get("elapsed") == job.get("elapsed") and (groups[0] or 0) <= (groups[1] or 0)


def piece_at(text: str, start: int, wants_bins: bool = True) -> JsonPiece:
    """Read the document that begins at a place; an incomplete one ends where it breaks off."""
    # documents do not nest: this one ends where the next begins
    following = _START.search(text, start + 1)
    stop = following.start() if following else len(text)
    # in fio's layout only the last brace begins a line
    brace = text.find("\n}", start, stop)
    line = text.find("\n", start, stop)
    for end in (brace + 2, line if line >= 0 else stop):
        if end > start and text[end - 1] == "}":
            with suppress(orjson.JSONDecodeError):
                return JsonPiece(start, end, loads(text[start:end], wants_bins))
    readable, nans = _without_nan(text[start:stop])
    decoder = Decoder()
    try:
        value, end = decoder.raw_decode(readable)
    except RecursionError:
        return JsonPiece(start, start + 1, None, "nested too deeply")
    except json.JSONDecodeError as error:
        if brace >= 0:
            decoder, escaped = Decoder(), _BACKSLASH.sub(r"\\\\", readable[: brace + 2 - start])
            with suppress(json.JSONDecodeError, RecursionError):
                return decoder.piece(start, brace + 2, decoder.decode(escaped), nans)
        return JsonPiece(start, start + error.pos, None, error.msg)
    return decoder.piece(start, start + end, value, nans)


def stretches(text: str, pieces: list[JsonPiece]) -> list[Stretch]:
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


def strict_loads(text: str | bytes) -> Any:
    r"""Parse JSON; raise `orjson.JSONDecodeError` also if a key occurs twice.

    JSON parsers silently drop such a key, and its quotation marks with it. A text that writes these
    as ``\u0022`` counts as having lost a key.
    """
    value = orjson.loads(text)
    count = _marks(text) if isinstance(text, bytes) else text.count('"')
    try:
        is_whole = count == _marks(orjson.dumps(value))
    except orjson.JSONEncodeError:  # nested too deeply to be looked through
        is_whole = False
    if not is_whole:
        raise orjson.JSONDecodeError("a key occurs twice", "", 0)
    return value


def _marks(text: bytes) -> int:
    """Count quotation marks: they are too dense for a search from one to the next."""
    return int(np.count_nonzero(np.frombuffer(text, np.uint8) == ord('"')))


class Decoder(json.JSONDecoder):
    """Reads JSON that faster parsers refuse, and records keys with two different values.

    The last value of an option counts, as in fio. The right value of anything else is unknown, and
    left out.
    """

    def __init__(self) -> None:
        # job names may hold control characters; Python refuses numbers of thousands of digits
        super().__init__(
            strict=False,
            parse_constant=lambda _: None,
            parse_int=lambda digits: int(digits) if len(digits) < 40 else float(digits),
            object_pairs_hook=self._object,
        )
        self.options: list[str] = []
        self.leaves: list[str] = []

    def piece(self, start: int, end: int, document: dict[str, Any], nans: int) -> JsonPiece:
        """Return the document that was read, with what was wrong with it."""
        return JsonPiece(start, end, document, "", nans, self.options, self.leaves)

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            is_options = all(type(value) is str for value in found.values())
            several: dict[str, list[Any]] = {}
            for key, value in pairs:
                several.setdefault(key, []).append(value)
            for key, values in several.items():
                if any(value != values[0] for value in values):
                    (self.options if is_options else self.leaves).append(key)
                    found[key] = values[-1] if is_options else _agreed(values)
        return found


def _agreed(values: Sequence[Any]) -> Any:
    """Keep the values that several have in common; None for the others."""
    if all(type(value) is dict for value in values):
        keys = dict.fromkeys(key for value in values for key in value)
        return {key: _agreed([value.get(key) for value in values]) for key in keys}
    return values[0] if all(value == values[0] for value in values) else None


# --- the bins of json+ ------------------------------------------------------------------------

# Nearly all of a json+ document is lines such as "27" : 1382. A JSON parser makes a text and a
# number of each. Here the lines are cut out before parsing, and numpy reads their bytes. That
# relies on fio 3's layout, to the byte; if any part of a text has another layout, the parser gets
# the whole text, and the bins are dicts.

IN_NS = ("slat_ns", "clat_ns", "lat_ns")  # fio 3's keys

Place = tuple[int, int]

_OPENING = b'"bins" : {'
_KEY = b'bins"'
LONG = 1 << 15  # bytes: it pays to cut the bins out of longer texts first
_SOON = 1 << 15  # json+ has bins this early: other texts need no full search
_LARGEST = 1 << 18  # bytes: fio has no more than 1,856 bins
_AT_ONCE = 1 << 19  # bytes: numpy's arrays of these stay in a processor's cache


def loads(text: str | bytes, wanted: bool = True) -> Any:
    """Parse JSON; where fio has laid out its bins, their dicts become `Bins`, empty if not wanted.

    Raise `orjson.JSONDecodeError` if the text is not JSON, or if a key occurs twice in it.
    """
    if len(text) < LONG:
        return strict_loads(text)
    try:
        data = text.encode() if isinstance(text, str) else text
    except UnicodeEncodeError:  # half of a character
        return strict_loads(text)
    places = find(data) if data.find(_OPENING, 0, _SOON) >= 0 else None
    found = _histograms(data, places, wanted) if places else None
    if not places or found is None:
        return strict_loads(data)
    # the dicts held numbers only, so the rest is JSON if and only if the whole is
    rest = without(data, places)
    value = strict_loads(rest)
    # with escapes in a key, a dict that looks like a substitute may be a real one
    is_plain = rest.count(_KEY) == len(places) and b"\\u00" not in rest
    return value if is_plain and _put_back(value, found) else strict_loads(data)


def find(data: bytes) -> list[Place] | None:
    """List where the lines of bins begin and end; None if any line is different."""
    found: list[Place] = []
    at = data.find(_OPENING)
    while at >= 0:
        start = at + len(_OPENING)
        brace = data.find(b"}", start)
        end = data.rfind(b"\n", start, brace)
        if brace < 0 or end < 0 or end - start > _LARGEST or data[end:brace].strip(b" \n"):
            return None
        found.append((start, end))
        at = data.find(_OPENING, brace)
    return found


def without(data: bytes, places: Sequence[Place]) -> bytes:
    """Replace the bins of each dict by the number of its histogram: ``"bins" : {"":0}``."""
    parts: list[bytes] = []
    at = 0
    for number, (start, end) in enumerate(places):
        parts += (data[at:start], b'"":%d' % number)
        at = end
    parts.append(data[at:])
    return b"".join(parts)


def _put_back(value: Any, found: Sequence[Bins]) -> bool:
    """Put the histograms into the latencies; return whether all of them found a place."""
    done = 0
    for document in value if isinstance(value, list) else [value]:
        for entry in entries(document) if isinstance(document, dict) else ():
            for _, part in by_direction(entry):
                for latency in map(part.get, IN_NS):
                    if isinstance(latency, dict) and isinstance(latency.get("bins"), dict):
                        latency["bins"] = found[latency["bins"][""]]
                        done += 1
    return done == len(found)


def _histograms(data: bytes, places: Sequence[Place], wanted: bool) -> list[Bins] | None:
    """Read the bins at each place; None if any does not have fio's layout."""
    filled = [(start, end) for start, end in places if start < end]
    if not wanted:
        return [NONE] * len(places) if not filled or _seem_whole(data, filled) else None
    view, found = memoryview(data), list[Bins]()
    for group in _groups(filled):
        read = _together(view, group, _indent(data, group))
        if read is None:
            return None
        columns, sizes = read
        ends = sizes.cumsum()[:-1]
        found += map(Bins, *(np.split(column, ends) for column in columns))
    each = iter(found)
    return [next(each) if start < end else NONE for start, end in places]


def _indent(data: bytes, filled: Sequence[Place]) -> int:
    """Count the blanks before the first bin."""
    first = filled[0][0]
    return data.find(b'"', first) - first - 1


def _seem_whole(data: bytes, filled: Sequence[Place]) -> bool:
    """Whether bins that nobody asked for have fio's layout, apart from their digits.

    This finds a file with a hole or with other text in the middle. It misses wrong digits, which
    affect only the bins.
    """
    line = b',\n%s"" : ' % (b" " * _indent(data, filled))
    rests = (b"," + data[start:end].translate(None, b"0123456789") for start, end in filled)
    return all(rest == line * (len(rest) // len(line)) for rest in rests)


def _groups(places: list[Place]) -> Iterator[list[Place]]:
    """Group as many histograms as are fast to read at once."""
    ends = accumulate(end - start for start, end in places)
    for _, group in groupby(zip(ends, places, strict=True), lambda one: one[0] // _AT_ONCE):
        yield [place for _, place in group]


def _together(
    view: memoryview, group: list[Place], indent: int
) -> tuple[Sequence[NDArray[Any]], Whole] | None:
    """Return edges and counts of some histograms, end to end, and the size of each."""
    # with a comma before each histogram, all lines are alike
    lines = b"".join([*(part for place in group for part in (b",", view[slice(*place)])), PAD])
    read = _read(lines, indent)
    if read is None:
        return None
    starts, names, counts = read
    lengths = np.array([end - start + 1 for start, end in group])
    sizes = np.diff(np.searchsorted(starts, lengths.cumsum()), prepend=0)
    rises = names[1:] > names[:-1]
    rises[sizes[:-1].cumsum() - 1] = True  # from one histogram to the next
    edges = fine_edges(names, 1) if rises.all() else None
    return ((*edges, counts), sizes) if edges else None


def _read(data: bytes, indent: int) -> tuple[Whole, Whole, Whole] | None:
    r"""Read lines such as ``,\n   "27" : 1382``: where each begins, their names, their counts.

    None if any byte is out of place, or if a count begins with a zero.
    """
    taken = np.frombuffer(data, dtype=np.uint8)
    size = len(data) - len(PAD)
    quotes = np.flatnonzero(taken == ord('"'))
    opening, closing = quotes[::2], quotes[1::2]
    if not len(quotes) or len(quotes) % 2:
        return None
    lines = opening - (indent + 2)
    count = len(lines)
    # names first, then counts
    starts = np.concatenate([opening + 1, closing + 4])
    lengths = np.empty(2 * count, dtype=np.int64)
    np.subtract(closing, starts[:count], out=lengths[:count])
    np.subtract(lines[1:], starts[count:-1], out=lengths[count:-1])
    lengths[-1] = size - starts[-1]
    if lines[0] or lengths.min() < 1 or lengths.max() > LONGEST:
        return None
    # everything between the numbers is in its place: commas, line ends and colons are checked
    # there, and the number of blanks is exactly what remains
    blanks = count * (indent + 2) + len(PAD)
    if (
        np.count_nonzero(taken == ord(" ")) != blanks
        or (taken[lines] != ord(",")).any()
        or (taken[lines + 1] != ord("\n")).any()
        or (taken[closing + 2] != ord(":")).any()
        or (taken[starts[count:]] == ord("0")).any()
    ):
        return None
    found = numbers(data, starts, lengths)
    return None if found is None else (lines, found[:count], found[count:])


# --- the content of a document ----------------------------------------------------------------

MOVING = DIRECTIONS[:-1]  # syncs have no amounts
TOTAL = "All clients"  # the name of their sum
_WHOLE = ("groupid", "error", "elapsed", "runtime", "total_ios", "io_bytes")  # never floats
_DEPTH = 8  # of fio's own documents, at most


def entries(document: dict[str, Any]) -> list[dict[str, Any]]:
    """List the entries of a report: of jobs, or of the jobs of clients."""
    listed = document.get("jobs") or document.get("client_stats")
    return [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []


def by_direction(
    entry: Mapping[str, Any], directions: Sequence[str] = DIRECTIONS
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what an entry says of each direction."""
    for direction in directions:
        if isinstance(part := entry.get(direction), dict):
            yield direction, part


def with_integers(document: dict[str, Any]) -> dict[str, Any]:
    """Return a document with integers where another program made floats of them (4096.0)."""
    parts = entries(document)[:1]
    parts += [part for entry in parts for _, part in by_direction(entry)]
    if float not in {type(part.get(key)) for part in parts for key in _WHOLE}:
        return document
    found: dict[str, Any] = _integers(document, _DEPTH)
    return found


def _integers(value: Any, depth: int) -> Any:
    if type(value) is float and value.is_integer():
        return int(value)
    if type(value) is dict and depth:
        return {key: _integers(one, depth - 1) for key, one in value.items()}
    if type(value) is list and depth:
        return [_integers(one, depth - 1) for one in value]
    return value


def elapsed(document: dict[str, Any]) -> float | None:
    """Return the seconds from the start of the run to a report."""
    found = [number(entry.get("elapsed")) for entry in entries(document)]
    return max((one for one in found if one is not None), default=None)


def number(value: Any) -> float | None:
    """Take a number; a program that passed the document on may have made it a text."""
    return float(value) if type(value) is float or (type(value) is int and value < 2**64) else None
