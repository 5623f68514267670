"""fio's histograms: fine bins (json+, logs), the coarse ``lat (usec)`` lines, and their numbers.

Fine bins: each value below 128 has its own bin; above, every octave has 64 equal bins, and the
report names a bin by its middle (fio ``stat.c``, ``plat_idx_to_val``). The last bin takes all
longer values.

Coarse bins: named by their upper edge. Text and JSON call them ``lat``, but fio counts the
completion latency there (``io_u.c``, ``io_u_mark_latency``), over all directions together.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import accumulate, groupby, pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec
import numpy as np
from msgspec import Raw

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Edges: TypeAlias = NDArray[np.float64]
    Whole: TypeAlias = NDArray[np.int64]

NS = {"nsec": 1, "usec": 1_000, "msec": 1_000_000}

INDEXED = "FIO_IO_U_PLAT_BITS"
_BITS = 6  # 64 bins an octave
_OCTAVES = {1: 29, 1000: 19}  # of ns since 3.0, of us before
_STEPS = (0, 2, 4, 10, 20, 50, 100, 250, 500, 750, 1000, 2000)
_BELOW = {step: below for below, step in pairwise(_STEPS)}


@cache
def _edges(scale: int) -> Edges:
    """Return the edges of all fine bins in a unit of so many ns, in ns: one more than bins."""
    numbers = np.arange(_OCTAVES[scale] << _BITS)
    octaves = np.maximum((numbers >> _BITS) - 1, 0)
    lows = (numbers - (octaves << _BITS) << octaves) * scale
    return np.append(lows, math.inf)


def fine_edges(names: ArrayLike, scale: int) -> tuple[Edges, Edges] | None:
    """Return the edges of fine bins, in ns, by their names in a report; None if one is damaged.

    The scale is how many ns the report's unit has: 1 since fio 3.0, 1000 before.
    """
    middles = np.asarray(names, dtype=np.float64)
    behind = middles.view(np.int64) & ((1 << 52 - _BITS) - 1)  # the place within the bin
    if ((behind != 1 << 51 - _BITS) & (middles >= 2 << _BITS)).any():
        return None
    return indexed_edges(bin_numbers(middles), scale)


def indexed_edges(indices: ArrayLike, scale: int) -> tuple[Edges, Edges]:
    """Return the edges of fine bins that are named by their numbers, in ns.

    Before 3.0 json+ names them so, and lists `INDEXED` among them.

    Examples
    --------
    >>> low, high = indexed_edges([127, 128, 1215], 1000)
    >>> low.tolist(), high.tolist()
    ([127000.0, 128000.0, 16646144000.0], [128000.0, 130000.0, inf])
    """
    edges, numbers = _edges(scale), np.asarray(indices, dtype=np.int64)
    return edges.take(numbers, mode="clip"), edges.take(numbers + 1, mode="clip")


def log_edges(columns: int) -> Edges | None:
    """Return the edges of the bins of a histogram log, in ns: one more than there are bins.

    A row has all fine bins, or 2^k times fewer with ``log_hist_coarseness=k``; None for any other
    number of columns.
    """
    for edges in map(_edges, _OCTAVES):
        for coarseness in range(_BITS + 1):
            if columns == len(edges) - 1 >> coarseness:
                return edges[:: 1 << coarseness]
    return None


def bin_numbers(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the numbers of the fine bins of latencies in ns; `indexed_edges` has their edges.

    A bin is the highest seven bits of a number and their place, as in a float64.
    """
    number = values.view(np.int64) >> (52 - _BITS)
    number -= ((1023 + _BITS) << _BITS) - (1 << _BITS)
    small = values < 2 << _BITS
    if small.any():
        number[small] = values[small].astype(np.int64)
    np.minimum(number, (_OCTAVES[1] << _BITS) - 1, out=number)
    return number


@lru_cache(maxsize=256)
def coarse_edges(name: str, unit: str, has_ns: bool) -> tuple[float, float]:
    """Return the edges of one coarse bin, in ns; a `ValueError` if fio has no such bin.

    If the version counts nanoseconds too (3.0 and later), ``2`` usec begins at 1.

    Examples
    --------
    >>> coarse_edges("20", "usec", True), coarse_edges("2", "usec", True)
    ((10000.0, 20000.0), (1000.0, 2000.0))
    """
    scale = NS[unit]
    if name.startswith(">=") and name[2:].isdecimal():
        return float(int(name[2:]) * scale), math.inf
    step = int(name) if name.isdecimal() else -1
    if step not in _BELOW:
        raise ValueError(f"fio has no bin {name!r}")
    below = _BELOW[step]
    if step == 2 and (unit == "msec" or (unit == "usec" and has_ns)):
        below = 1  # the finer unit has the shorter ones
    return float(below * scale), float(step * scale)


def coarse_columns(
    shares: Mapping[str, Mapping[str, float]], has_ns: bool
) -> dict[str, list[float]]:
    """Make columns of coarse bins, without the empty ones, from percentages by unit and name."""
    found = [
        (*coarse_edges(name, unit, has_ns), share)
        for unit, bins in shares.items()
        for name, share in bins.items()
        if share > 0
    ]
    low, high, pct = map(list, zip(*found, strict=True)) if found else ([], [], [])
    return {"bin_lo_ns": low, "bin_hi_ns": high, "pct": pct}


def whole_direction(directions: list[str]) -> str:
    """Name the direction of a value that fio counts over all directions of an entry."""
    moved = [direction for direction in directions if direction != "sync"]
    if "mixed" in moved:
        return "mixed"
    return moved[0] if len(moved) == 1 else "total"


# --- numbers out of bytes ---------------------------------------------------------------------

# numpy's own functions make a Python object or call C's strtod for each number; here all numbers
# of a text go side by side, eight digits at once in the eight bytes of one whole number, through
# the same dozen multiplications, additions and masks

LONGEST = 15  # digits of a number; below 2^53
PAD = b" " * 8  # must follow the last number, so that it has eight bytes too

_ZEROS, _SIXES = np.uint64(0x3030303030303030), np.uint64(0x0606060606060606)
# the upper half of each byte, the first of each two bytes, the first two of each four bytes
_UPPER, _ONE, _TWO = (
    np.uint64(mask) for mask in (0xF0F0F0F0F0F0F0F0, 0x00FF00FF00FF00FF, 0x0000FFFF0000FFFF)
)
_TEN, _HUNDRED, _MYRIAD = (
    np.uint64(factor) for factor in (10 << 8 | 1, 100 << 16 | 1, 10_000 << 32 | 1)
)
_8, _16, _32 = (np.uint64(bits) for bits in (8, 16, 32))


def numbers(data: bytes, starts: Whole, lengths: Whole) -> Whole | None:
    """Read numbers of 1 to `LONGEST` digits in a text before `PAD`; None if there are others."""
    words = np.ndarray(len(data) - 7, dtype="<u8", buffer=data, strides=1)
    long = np.flatnonzero(lengths > 8)
    if not len(long):
        return _eight(words[starts], lengths)
    last = np.minimum(lengths, 8)
    found = _eight(words[starts + lengths - last], last)
    heads = _eight(words[starts[long]], lengths[long] - 8)
    if found is None or heads is None:
        return None
    found[long] += heads * 10**8
    return found


def _eight(words: NDArray[np.uint64], lengths: Whole) -> Whole | None:
    """Read the first digits, at most eight, of each eight bytes."""
    free = (64 - 8 * lengths).view(np.uint64)
    words <<= free  # bytes behind the digits are shifted out, and zeros put in front
    words ^= _ZEROS << free
    odd = words + _SIXES  # the upper half of a digit stays empty
    odd |= words
    odd &= _UPPER
    if odd.any():
        return None
    # neighbours are added up: digits, then pairs of them, then fours
    for factor, bits, mask in ((_TEN, _8, _ONE), (_HUNDRED, _16, _TWO), (_MYRIAD, _32, None)):
        words *= factor
        words >>= bits
        if mask is not None:
            words &= mask
    return words.view(np.int64)


# --- the bins of json+ ------------------------------------------------------------------------

# Nearly all of a json+ document is lines such as "27" : 1382. A JSON parser makes a text and a
# number of each. msgspec hands over each histogram as it stands in the text, and numpy reads the
# bytes of many at once. That relies on fio 3's layout, to the byte; what has another is parsed.

Histogram: TypeAlias = tuple[Any, Any, Any]  # lower and upper edges in ns, counts
_AT_ONCE = 1 << 19  # bytes: numpy's arrays of these stay in a processor's cache
_SOON = 1 << 10  # bytes in which the first bin begins
_load = msgspec.json.Decoder(dict[str, Any]).decode


def histograms(raws: Sequence[Raw], scale: int) -> Iterator[Histogram | tuple[()] | None]:
    """Read histograms of latencies in so many ns; () for one that is empty.

    None for one in which any bin with I/Os is not one of fio's.
    """
    views = [memoryview(raw) for raw in raws]
    pairs = zip(accumulate(map(len, views)), views, strict=True)
    for _, several in groupby(pairs, lambda one: one[0] // _AT_ONCE):
        group = [view for _, view in several]
        filled = [one for one in group if b'"' in bytes(one[:_SOON])]
        read = _together(filled, scale) if filled else []
        each = iter(read if read is not None else [_alone(bytes(one), scale) for one in filled])
        yield from (next(each) if b'"' in bytes(one[:_SOON]) else () for one in group)


def _alone(data: bytes, scale: int) -> Histogram | tuple[()] | None:
    """Parse a histogram."""
    try:
        bins = _load(data)
    except msgspec.DecodeError:
        return None
    if data.count(b'"') != 2 * len(bins):  # a bin occurs twice
        pairs = json.loads(data, object_pairs_hook=list)
        if any(bins[name] != count for name, count in pairs):
            return None
    # 2.x lists the empty ones
    filled = {name: n for name, n in bins.items() if n and not name.startswith("FIO_")}
    if not filled:
        return ()
    counts = [*filled.values()]
    is_count = {*map(type, counts)} == {int} and all(0 < count < 2**63 for count in counts)
    if not (is_count and all(name.isdecimal() and len(name) < 16 for name in filled)):
        return None
    edges = (indexed_edges if INDEXED in bins else fine_edges)([*map(int, filled)], scale)
    if edges is None or np.isinf(edges[0]).any():
        return None
    return (*edges, np.array(counts, dtype=np.int64))


def _together(group: Sequence[memoryview], scale: int) -> list[Histogram | tuple[()]] | None:
    """Read histograms in fio's layout; None if any has another."""
    first = bytes(group[0][:40])
    indent = first.find(b'"') - 2
    if indent < 0:
        return None
    parts: list[Any] = []
    for one in group:
        tail = bytes(one[-40:])
        end = len(one) - len(tail) + tail.rfind(b"\n")
        if bytes(one[:2]) != b"{\n" or bytes(one[end:]).strip(b" \n") != b"}":
            return None
        # with a comma before each histogram, all lines are alike
        parts += (b",", one[1:end])
    lengths = np.array(list(map(len, parts[1::2]))) + 1
    read = _lines(b"".join([*parts, PAD]), indent)
    if read is None:
        return None
    starts, names, counts = read
    sizes = np.diff(np.searchsorted(starts, lengths.cumsum()), prepend=0)
    rises = names[1:] > names[:-1]
    rises[sizes[:-1].cumsum() - 1] = True  # from one histogram to the next
    edges = fine_edges(names, scale) if rises.all() else None
    if edges is None or np.isinf(edges[0]).any():
        return None
    ends = sizes.cumsum()[:-1]
    return [*zip(*(np.split(column, ends) for column in (*edges, counts)), strict=True)]


def _lines(data: bytes, indent: int) -> tuple[Whole, Whole, Whole] | None:
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
