"""The bins of json+: cut out of a document's text, and their numbers read all together.

Nearly all of a json+ document is lines such as ``"27" : 1382,``. A JSON parser makes a text and a
number of each. Here the lines are taken out before it sees the document, and numpy reads them as
the bytes that they are. That relies on the layout that fio 3 gives them, to the byte; a text of
which any part is laid out otherwise is left to the parser whole, and its bins are dicts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import orjson

from fiotools.readers import fio_digits
from fiotools.readers.fio_bins import fine_edges
from fiotools.readers.fio_digits import LONGEST, PAD
from fiotools.readers.fio_json_io import DIRECTIONS
from fiotools.readers.fio_repeats import entries

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Whole: TypeAlias = NDArray[np.int64]

_LATENCIES = ("slat_ns", "clat_ns", "lat_ns")  # fio 3's keys; it counts in ns
_OPENING = b'"bins" : {'
KEY = b'bins"'
TAKEN = b'bins" : {"":'  # where they were taken out
_LEAST = 1 << 15  # bytes: shorter texts are quicker read as they are
_SOON = 1 << 15  # json+ has bins so early that other texts need not be searched whole
_LARGEST = 1 << 18  # bytes: fio has no more than 1,856 bins
_AT_ONCE = 1 << 18  # bytes: what numpy makes of them stays in a processor's cache


@dataclass(frozen=True, slots=True)
class Bins:
    """A histogram, in the place of the dict that the document has of it.

    Attributes
    ----------
    low, high : numpy.ndarray
        The edges of each bin, in ns.
    counts : numpy.ndarray
    """

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    counts: Whole

    def __len__(self) -> int:
        return len(self.counts)


_NONE = Bins(np.empty(0), np.empty(0), np.empty(0, dtype=np.int64))
Place: TypeAlias = tuple[int, int]


def loads(text: str | bytes, wanted: bool = True) -> Any:
    r"""Parse JSON; where fio has laid out its bins, their dicts become `Bins`.

    Parameters
    ----------
    text : str or bytes
    wanted : bool
        Whether the bins are: if not, they are not read, and none is in any `Bins`.

    Raises
    ------
    orjson.JSONDecodeError
        If the text is no JSON.

    Examples
    --------
    >>> bins = ",".join(f'\n      "{name}" : {name + 5}' for name in range(2000, 6000, 2))
    >>> text = '{"jobs": [{"read": {"clat_ns": {"bins" : {' + bins + "\n    }}}}]}"
    >>> found = loads(text)["jobs"][0]["read"]["clat_ns"]["bins"]
    >>> len(found), found.counts[:2].tolist(), found.low[:2].tolist(), found.high[:2].tolist()
    (2000, [2005, 2007], [1992.0, 1994.0], [2008.0, 2010.0])
    """
    if len(text) < _LEAST:
        return orjson.loads(text)
    try:
        data = text.encode() if isinstance(text, str) else text
    except UnicodeEncodeError:  # half of a character
        return orjson.loads(text)
    taken = take(data, wanted) if may_have(data) else None
    if taken is None:
        return orjson.loads(data)
    # The dicts held numbers only, so that the rest is JSON if and only if the whole is.
    rest, found = taken
    value = orjson.loads(rest)
    # A key may be spelled otherwise, and then a dict that looks like a substitute may be none.
    is_plain = rest.count(KEY) == len(found) and b"\\u00" not in rest
    return value if is_plain and _put_back(value, found) else orjson.loads(data)


def may_have(data: bytes) -> bool:
    """Whether it is worth looking for bins in a text."""
    return len(data) >= _LEAST and data.find(_OPENING, 0, _SOON) >= 0


def take(data: bytes, wanted: bool = True) -> tuple[bytes, list[Bins]] | None:
    r"""Take the bins out of a text: the rest, and the histograms.

    Each is a dict still, and says which of the histograms was in it: ``{"":3}``. None if any is
    not laid out as fio does.

    Examples
    --------
    >>> rest, (bins,) = take(b'{"bins" : {\n      "130" : 7\n    }}')
    >>> rest, bins.low.tolist(), bins.counts.tolist()
    (b'{"bins" : {"":0\n    }}', [129.0], [7])
    """
    places = _places(data)
    found = _histograms(data, places, wanted) if places else None
    return None if not places or found is None else (_without(data, places), found)


def _places(data: bytes) -> list[Place] | None:
    """List where the lines of bins begin and end; None if any are not such lines."""
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


def _without(data: bytes, places: list[Place]) -> bytes:
    """Put the number of its histogram into each dict, instead of the bins."""
    parts: list[bytes] = []
    at = 0
    for number, (start, end) in enumerate(places):
        parts += (data[at:start], b'"":%d' % number)
        at = end
    parts.append(data[at:])
    return b"".join(parts)


def _put_back(value: Any, found: list[Bins]) -> bool:
    """Put the histograms where fio has latencies; say whether that is all of them."""
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


def _histograms(data: bytes, places: list[Place], wanted: bool) -> list[Bins] | None:
    """Read the bins; None if any are not laid out as fio does, or are none of fio's."""
    filled = [(start, end) for start, end in places if start < end]
    if not filled:
        return [_NONE] * len(places)
    first = filled[0][0]
    indent = data.find(b'"', first) - first - 1
    if not wanted:
        return [_NONE] * len(places) if _seem_whole(data, filled, indent) else None
    view = memoryview(data)
    found: list[Bins] = []
    for group in _groups(filled):
        # with a comma before each histogram, all lines are alike
        lines = b",".join([b"", *(view[start:end] for start, end in group)])
        read = _read(lines + PAD, indent)
        if read is None:
            return None
        lengths = np.array([0, *(end - start + 1 for start, end in group)])
        own = _split(*read, lengths.cumsum())
        if own is None:
            return None
        found += own
    each = iter(found)
    return [next(each) if start < end else _NONE for start, end in places]


def _groups(places: list[Place]) -> Iterator[list[Place]]:
    """Take as many histograms together as are quickly read at once."""
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


def _seem_whole(data: bytes, places: list[Place], indent: int) -> bool:
    """Whether bins that nobody asked for are laid out as fio does, but for their digits.

    A file with a hole, or with something else in the middle, is found that way. Digits that are
    missing or in another place are not: no figure but those of the bins hangs on them.
    """
    line = b',\n%s"" : ' % (b" " * indent)
    for start, end in places:
        rest = data[start:end].translate(None, b"0123456789")
        if rest != (line * ((len(rest) + 1) // len(line)))[1:]:
            return False
    return True


def _read(data: bytes, indent: int) -> tuple[Whole, Whole, Whole] | None:
    r"""Read lines such as ``,\n   "27" : 1382``: where each begins, their names, their counts.

    None if any byte is not where it has to be, or if a count begins with a zero.
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
    # Where everything between the numbers is a comma, a new line, a colon or a blank, it is in its
    # place: the first three are looked for there, and there are as many blanks as are left.
    blanks = count * (indent + 2) + len(PAD)
    if (
        np.count_nonzero(taken == ord(" ")) != blanks
        or (taken[lines] != ord(",")).any()
        or (taken[lines + 1] != ord("\n")).any()
        or (taken[closing + 2] != ord(":")).any()
        or (taken[starts[count:]] == ord("0")).any()
    ):
        return None
    numbers = fio_digits.numbers(data, starts, lengths)
    return None if numbers is None else (lines, numbers[:count], numbers[count:])


def _split(lines: Whole, names: Whole, counts: Whole, ends: Whole) -> list[Bins] | None:
    """Give each histogram its lines; None if the bins of any do not rise."""
    at = np.searchsorted(lines, ends)
    rises = names[1:] > names[:-1]
    rises[at[1:-1] - 1] = True  # from one histogram to the next
    if not rises.all():
        return None
    low, high = fine_edges(names, 1)
    bounds = at.tolist()
    return [
        Bins(low[start:end], high[start:end], counts[start:end]) for start, end in pairwise(bounds)
    ]
