"""The bins of json+: cut out of a document's text, and their numbers read all together.

Nearly all of a json+ document is lines such as ``"27" : 1382,``. A JSON parser makes a text and a
number of each. Here the lines are taken out before it sees the document, and numpy reads them
(`fiotools.readers.fio.json_histograms`). That relies on the layout that fio 3 gives them; a text of
which any part is laid out otherwise is left to the parser whole, and its bins are dicts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson

from fiotools.readers.fio.json_histograms import NONE, Bins, Histograms, Place, indent_of
from fiotools.readers.fio.json_io import DIRECTIONS
from fiotools.readers.fio.json_keys import each_once
from fiotools.readers.fio.repeats import entries

_LATENCIES = ("slat_ns", "clat_ns", "lat_ns")  # fio 3's keys; it counts in ns
_OPENING = b'"bins" : {'
KEY = b'bins"'
TAKEN = b'bins" : {"":'  # where they were taken out
_LEAST = 1 << 15  # bytes: shorter texts are quicker read as they are
_SOON = 1 << 15  # json+ has bins so early that other texts need not be searched whole
LINE = 16  # bytes: that of a bin has more
_LARGEST = 1 << 18  # bytes: fio has no more than 1,856 bins


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
        If the text is no JSON, or if keys stand twice in it.

    Examples
    --------
    >>> bins = ",".join(f'\n      "{name}" : {name + 5}' for name in range(2000, 6000, 2))
    >>> text = '{"jobs": [{"read": {"clat_ns": {"bins" : {' + bins + "\n    }}}}]}"
    >>> found = loads(text)["jobs"][0]["read"]["clat_ns"]["bins"]
    >>> len(found), found.counts[:2].tolist(), found.low[:2].tolist()
    (2000, [2005, 2007], [1992.0, 1994.0])
    """
    if len(text) < _LEAST:
        return _loads(text)
    try:
        data = text.encode() if isinstance(text, str) else text
    except UnicodeEncodeError:  # half of a character
        return _loads(text)
    places = find(data) if may_have(data) else None
    found = Histograms(len(data) // LINE)
    if not places or not (found.add(data, places) if wanted else seem_whole(data, places)):
        return _loads(data)
    # The dicts held numbers only, so that the rest is JSON if and only if the whole is.
    rest = without(data, places)
    value = _loads(rest)
    each = [*found.each()] if wanted else [NONE] * len(places)
    # A key may be spelled otherwise, and then a dict that looks like a substitute may be none.
    is_plain = rest.count(KEY) == len(places) and b"\\u00" not in rest
    return value if is_plain and _put_back(value, each) else _loads(data)


def _loads(text: str | bytes) -> Any:
    value = orjson.loads(text)
    if not each_once(text, value):
        raise orjson.JSONDecodeError("a key stands twice", "", 0)
    return value


def may_have(data: bytes) -> bool:
    """Whether it is worth looking for bins in a text."""
    return len(data) >= _LEAST and data.find(_OPENING, 0, _SOON) >= 0


def find(data: bytes) -> list[Place] | None:
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


def without(data: bytes, places: Sequence[Place]) -> bytes:
    r"""Put the number of its histogram into each dict, instead of the bins.

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


def seem_whole(data: bytes, places: Sequence[Place]) -> bool:
    """Whether bins that nobody asked for are laid out as fio does, but for their digits.

    A file with a hole, or with something else in the middle, is found that way. Digits that are
    missing or in another place are not: no figure but those of the bins hangs on them.
    """
    filled = [(start, end) for start, end in places if start < end]
    if not filled:
        return True
    line = b',\n%s"" : ' % (b" " * indent_of(data, filled))
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


def _put_back(value: Any, found: Sequence[Bins]) -> bool:
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
