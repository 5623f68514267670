"""The two histograms that fio reports: fine bins (json+), and the coarse ``lat (usec)`` lines.

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
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Edges: TypeAlias = NDArray[np.float64]

NS = {"nsec": 1, "usec": 1_000, "msec": 1_000_000}

INDEXED = "FIO_IO_U_PLAT_BITS"
_BITS = 6  # 64 bins an octave
# the middle of the last bin: 29 groups of ns since 3.0, 19 groups of us before
_LAST = {1: (1 << 33) + 127 * (1 << 26), 1000: (1 << 23) + 127 * (1 << 16)}
_STEPS = (0, 2, 4, 10, 20, 50, 100, 250, 500, 750, 1000, 2000)
_BELOW = {step: below for below, step in pairwise(_STEPS)}


def fine_edges(middles: ArrayLike, scale: int) -> tuple[Edges, Edges]:
    """Return the edges of fine bins, in ns.

    Parameters
    ----------
    middles : array-like of int
        The names of the bins in the report; below 2^53, so that a float64 holds them.
    scale : {1, 1000}
        How many ns the report's unit has: 1 since fio 3.0, 1000 before.

    Examples
    --------
    >>> low, high = fine_edges([127, 129, 17112760320], 1)
    >>> low.tolist(), high.tolist()
    ([127.0, 128.0, 17045651456.0], [128.0, 130.0, inf])
    """
    names = np.asarray(middles, dtype=np.int64)
    octaves = names.astype(np.float64).view(np.int64)  # the exponent is in the upper bits
    octaves >>= 52
    octaves -= 1023 + _BITS
    widths = np.left_shift(1, np.maximum(octaves, 0))
    lows = names - (widths >> 1)
    low, high = (edges.astype(np.float64) for edges in (lows * scale, (lows + widths) * scale))
    high[names >= _LAST[scale]] = np.inf
    return low, high


def indexed_edges(indices: ArrayLike, scale: int) -> tuple[Edges, Edges]:
    """Return the edges of fine bins that are named by their numbers, in ns.

    Before 3.0 json+ names them so, and lists `INDEXED` among them.

    Examples
    --------
    >>> low, high = indexed_edges([127, 128, 1215], 1000)
    >>> low.tolist(), high.tolist()
    ([127000.0, 128000.0, 16646144000.0], [128000.0, 130000.0, inf])
    """
    numbers = np.asarray(indices, dtype=np.int64)
    last = (29 if scale == 1 else 19) * (1 << _BITS) - 1
    high = _lows(numbers + 1, scale)
    high[numbers >= last] = np.inf
    return _lows(numbers, scale), high


def log_edges(columns: int) -> list[float] | None:
    """Return the edges of the bins of a histogram log, in ns: one more than there are bins.

    Parameters
    ----------
    columns : int
        How many bins a row has: 29 octaves of 64 ns bins since 3.0, 19 of usec bins before, or
        2^k times fewer with ``log_hist_coarseness=k``; None for any other number.

    Examples
    --------
    >>> log_edges(1856)[126:131], log_edges(116)[8:10], log_edges(1216)[1]
    ([126.0, 127.0, 128.0, 130.0, 132.0], [128.0, 160.0], 1000.0)
    """
    for octaves, scale in ((29, 1), (19, 1000)):
        bins = octaves << _BITS
        for coarseness in range(_BITS + 1):
            if columns == bins >> coarseness:
                return [*_lows(np.arange(0, bins, 1 << coarseness), scale).tolist(), math.inf]
    return None


def bin_numbers(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the numbers of the fine bins of latencies in ns; `indexed_edges` has their edges.

    A bin is the highest seven bits of a number and their place, as in a float64.

    Examples
    --------
    >>> bin_numbers(np.array([0.0, 127.0, 128.0, 131.0, 1e6, 1e12])).tolist()
    [0, 127, 128, 129, 954, 1855]
    """
    number = values.view(np.int64) >> (52 - _BITS)
    number -= ((1023 + _BITS) << _BITS) - (1 << _BITS)
    small = values < 2 << _BITS
    if small.any():
        number[small] = values[small].astype(np.int64)
    np.minimum(number, 29 * (1 << _BITS) - 1, out=number)
    return number


def _lows(indices: NDArray[np.int64], scale: int) -> Edges:
    """Return the lower edges of fine bins by their numbers."""
    octaves = np.clip((indices >> _BITS) - 1, 0, 2000)  # then it is infinite
    firsts = (indices - (octaves << _BITS)) * scale
    lows: Edges = np.ldexp(firsts.astype(np.float64), octaves.astype(np.intc))
    return lows


@dataclass(frozen=True, slots=True)
class Bins:
    """The bins of a histogram; they replace a dict in a document.

    Attributes
    ----------
    low, high : numpy.ndarray
        The edges of each bin, in ns.
    counts : numpy.ndarray
    """

    low: Edges
    high: Edges
    counts: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.counts)


NONE = Bins(np.empty(0), np.empty(0), np.empty(0, dtype=np.int64))


@lru_cache(maxsize=256)
def coarse_edges(name: str, unit: str, has_ns: bool) -> tuple[float, float]:
    """Return the edges of one coarse bin, in ns.

    Parameters
    ----------
    name : str
        ``"20"``, ``">=2000"``.
    unit : {"nsec", "usec", "msec"}
    has_ns : bool
        Whether the version counts nanoseconds too (3.0 and later): then ``2`` usec begins at 1.

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
) -> dict[str, list[float]]:
    """Make columns of coarse bins, without the empty ones.

    Parameters
    ----------
    shares : mapping
        Unit to bin name to percent.
    has_ns : bool
        As in `coarse_edges`.
    """
    columns: dict[str, list[float]] = {"bin_lo_ns": [], "bin_hi_ns": [], "pct": []}
    for unit, bins in shares.items():
        for name, pct in bins.items() if any(bins.values()) else ():
            if pct > 0:
                low, high = coarse_edges(name, unit, has_ns)
                columns["bin_lo_ns"].append(low)
                columns["bin_hi_ns"].append(high)
                columns["pct"].append(pct)
    return columns


def whole_direction(directions: list[str]) -> str:
    """Name the direction of a value that fio counts over all directions of an entry."""
    moved = [direction for direction in directions if direction != "sync"]
    if "mixed" in moved:
        return "mixed"
    return moved[0] if len(moved) == 1 else "total"
