"""The bins of json+: cut out of a document's text, and their numbers read all together.

Nearly all of a json+ document is lines such as ``"27" : 1382,``. A JSON parser makes a text and a
number of each. Here the lines are cut out before parsing, and numpy reads their bytes. That relies
on fio 3's layout, to the byte; if any part of a text has another layout, the parser gets the whole
text, and the bins are dicts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from fiotools.readers.fio import DIRECTIONS
from fiotools.readers.fio.bins import LONGEST, NONE, PAD, Bins, fine_edges, numbers
from fiotools.readers.fio.documents import entries, strict_loads

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Whole: TypeAlias = NDArray[np.int64]

Place: TypeAlias = tuple[int, int]

_LATENCIES = ("slat_ns", "clat_ns", "lat_ns")  # fio 3's keys; it counts in ns
_OPENING = b'"bins" : {'
_KEY = b'bins"'
_SOON = 1 << 15  # json+ has bins this early: other texts need no full search
_LINE = 16  # bytes: the line of a bin is longer
_LARGEST = 1 << 18  # bytes: fio has no more than 1,856 bins

_AT_ONCE = 1 << 19  # bytes: numpy's arrays of these stay in a processor's cache


def loads(text: str | bytes, wanted: bool = True) -> Any:
    r"""Parse JSON; where fio has laid out its bins, their dicts become `Bins`.

    Parameters
    ----------
    text : str or bytes
    wanted : bool
        Whether to read the bins; if not, every `Bins` is empty.

    Raises
    ------
    orjson.JSONDecodeError
        If the text is not JSON, or if a key occurs twice in it.

    Examples
    --------
    >>> bins = ",".join(f'\n      "{name}" : {name + 5}' for name in range(2000, 6000, 2))
    >>> text = '{"jobs": [{"read": {"clat_ns": {"bins" : {' + bins + "\n    }}}}]}"
    >>> found = loads(text)["jobs"][0]["read"]["clat_ns"]["bins"]
    >>> len(found), found.counts[:2].tolist(), found.low[:2].tolist()
    (2000, [2005, 2007], [1992.0, 1994.0])
    """
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
    r"""Replace the bins of each dict by the number of its histogram.

    Examples
    --------
    >>> text = b'{"bins" : {\n      "130" : 7\n    }}'
    >>> without(text, find(text))
    b'{"bins" : {"":0\n    }}'
    """
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
            parts = map(entry.get, DIRECTIONS)
            for part in (part for part in parts if isinstance(part, dict)):
                for latency in map(part.get, _LATENCIES):
                    if isinstance(latency, dict) and isinstance(latency.get("bins"), dict):
                        latency["bins"] = found[latency["bins"][""]]
                        done += 1
    return done == len(found)


def _histograms(data: bytes, places: Sequence[Place], wanted: bool) -> list[Bins] | None:
    """Read the bins at each place; None if any does not have fio's layout."""
    filled = [(start, end) for start, end in places if start < end]
    if not wanted:
        return [NONE] * len(places) if not filled or _seem_whole(data, filled) else None
    # there may be ten million bins: they are written once, and unused memory is never touched
    room = len(data) // _LINE
    columns = [np.empty(room, kind) for kind in (np.float64, np.float64, np.int64)]
    ends: list[int] = [0]
    view = memoryview(data)
    for group in _groups(filled):
        read = _together(view, group, _indent(data, group))
        if read is None:
            return None
        own, sizes = read
        start = ends[-1]
        ends += (start + sizes.cumsum()).tolist()
        for column, values in zip(columns, own, strict=True):
            column[start : ends[-1]] = values
    pieces = (np.split(column[: ends[-1]], ends[1:-1]) for column in columns)
    each = map(Bins, *pieces)
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
    lines = b""
    for start, end in filled:
        rest = data[start:end].translate(None, b"0123456789")
        if (len(rest) + 1) % len(line):
            return False
        if len(lines) <= len(rest):
            lines = line * ((len(rest) + 1) // len(line))
        if not lines.startswith(rest, 1):
            return False
    return True


def _groups(places: list[Place]) -> Iterator[list[Place]]:
    """Group as many histograms as are fast to read at once."""
    group: list[Place] = []
    size = 0
    for start, end in places:
        group.append((start, end))
        size += end - start
        if size >= _AT_ONCE:
            yield group
            group, size = [], 0
    if group:
        yield group


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
    return ((*fine_edges(names, 1), counts), sizes) if rises.all() else None


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
