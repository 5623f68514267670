"""fio's histograms: fine bins (json+, logs), the coarse ``lat (usec)`` lines, and their numbers.

Fine bins: each value below 128 has its own bin; above, every octave has 64 equal bins, and the
report names a bin by its middle (fio ``stat.c``, ``plat_idx_to_val``). The last bin takes all
longer values.

Coarse bins: named by their upper edge. Text and JSON call them ``lat``, but fio counts the
completion latency there (``io_u.c``, ``io_u_mark_latency``), over all directions together.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain, pairwise
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

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


@dataclass(frozen=True, slots=True)
class Bins:
    """The bins of a histogram, their edges in ns; they replace a dict in a document."""

    low: Edges
    high: Edges
    counts: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.counts)


NONE = Bins(np.empty(0), np.empty(0), np.empty(0, dtype=np.int64))


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
    if name.startswith(">="):
        return float(int(name[2:]) * scale), math.inf
    step = int(name)
    if step not in _BELOW:
        raise ValueError(f"fio has no bin {name!r}")
    below = _BELOW[step]
    if step == 2 and (unit == "msec" or (unit == "usec" and has_ns)):
        below = 1  # the finer unit has the shorter ones
    return float(below * scale), float(step * scale)


def coarse_columns(
    shares: Mapping[str, Mapping[str, float]], has_ns: bool
) -> dict[str, NDArray[np.float64]]:
    """Make columns of coarse bins, without the empty ones, from percentages by unit and name."""
    low, high, unknown = _coarse_bins(tuple((unit, *bins) for unit, bins in shares.items()), has_ns)
    values = chain.from_iterable(bins.values() for bins in shares.values())
    pct = np.fromiter(values, np.float64, len(low))
    filled = pct > 0
    for place, name, unit in unknown:
        if filled[place]:
            coarse_edges(name, unit, has_ns)  # raises
    return {"bin_lo_ns": low[filled], "bin_hi_ns": high[filled], "pct": pct[filled]}


@lru_cache(maxsize=256)
def _coarse_bins(
    named: tuple[tuple[str, ...], ...], has_ns: bool
) -> tuple[Edges, Edges, list[tuple[int, str, str]]]:
    """Return the edges of coarse bins, given units and their names; and which are not fio's."""
    edges: list[tuple[float, float]] = []
    unknown: list[tuple[int, str, str]] = []
    for unit, *names in named:
        for name in names:
            try:
                edges.append(coarse_edges(name, unit, has_ns))
            except ValueError:
                unknown.append((len(edges), name, unit))
                edges.append((math.nan, math.nan))
    low, high = np.array(edges, dtype=np.float64).reshape(-1, 2).T
    return low, high, unknown


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
