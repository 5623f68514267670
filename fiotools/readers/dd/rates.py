"""The rate and the size that dd prints, held against its bytes and seconds.

Each dd rounds in its own way. GNU divides by the unrounded time and prints two or three figures in
units of 1000. uutils divides by whole milliseconds, at least one. BusyBox glues the unit to the
number and counts in 1024, toybox too, without a B, and cuts decimals off. The BSDs print whole
bytes per second from the unrounded time, and for a short run the seconds have fewer figures than
that: then the printed rate is the more precise one and is kept.

All reports are asked at once. Grammar: coreutils ``src/dd.c``, uutils ``dd/src/progress.rs``,
BusyBox ``coreutils/dd.c``, toybox ``toys/pending/dd.c``, FreeBSD ``bin/dd/misc.c``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import polars as pl

from fiotools import units

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fiotools.readers.dd.lines import Figures

    Floats: TypeAlias = NDArray[np.float64]
    Flags: TypeAlias = NDArray[np.bool_]

# what a printed rate has to do with bytes and seconds; "rounded": these are too coarse to divide by
UNCHECKED, AGREES, ROUNDED, CONTRADICTS = range(4)
_RATE = re.compile(r"([0-9]+(?:[.,][0-9]+)?)( ?)([kKMGTPEZYRQ]?)((?:i?B|bytes)?)/s")
_SIZES = re.compile(r"([0-9]+(?:[.,][0-9]+)?)[ ]?([kKMGTPEZY]?)(i?B?)")
_PREFIXES = " KMGTPEZYRQ"
_SCALES = np.array([[kilo**power for power in range(len(_PREFIXES))] for kilo in (1024.0, 1000.0)])
_BYTES = ("", "B", "bytes", "iB")  # what a rate is in
_TIGHT = 1e-9  # floating point
_WHOLE = 0.0099  # seconds: ten milliseconds
_LEAST, _MOST = -120, 120  # powers of ten of the seconds
_MAGNITUDES = np.array([10.0**power for power in range(_LEAST, _MOST)])
_FIGURES = np.array([0.5 * 10.0 ** (power - 5) for power in range(_LEAST, _MOST)])
_DECIMALS = np.array([0.5 * 10.0**-places for places in range(20)])


class Checked(NamedTuple):
    """Bandwidths in bytes per second (nan: not known), and what is printed beside them.

    ``is_sized`` says that the size in parentheses is that of the bytes, to one unit of its last
    digit.
    """

    value: Floats
    verdict: NDArray[np.int64]
    is_sized: Flags


def check(figures: Sequence[Figures], is_progress: Flags) -> Checked:
    """Compute bandwidths, or take the printed ones where these know more.

    Examples
    --------
    >>> from fiotools.readers.dd.lines import Figures
    >>> given = [("268 MB, 256 MiB", 2**28), ("1.5 KiB", 1700), (None, 7)]
    >>> printed = [Figures(amount, size, "1", 1.0, None) for size, amount in given]
    >>> check(printed, np.zeros(3, dtype=bool)).is_sized
    array([ True, False,  True])
    """
    amount = np.array([one.bytes for one in figures], dtype=np.float64)
    seconds = np.array([one.elapsed for one in figures], dtype=np.float64)
    texts = pl.Series([one.seconds for one in figures], dtype=pl.String)
    decimals = texts.str.extract("[.,]([0-9]+)").str.len_bytes().fill_null(0).to_numpy()
    has_exponent = texts.str.contains("e", literal=True).to_numpy()
    spaced, *sizes = each(_sizes, [one.size for one in figures])
    number, digit, power, byte, is_glued = each(_rate, [one.rate for one in figures])
    # 1024 where the size is written as BusyBox or toybox do
    is_decimal = np.where(spaced < 0, power == 0, spaced > 0) | (is_glued == 0)
    scale = _SCALES[((byte > 0) & is_decimal).astype(int), power.astype(int)]
    is_bytes, is_gnu = byte == 2, (byte == 1) & is_decimal  # laid out as GNU's and uutils' are
    # what may stand behind the printed rate: from, to if rounded, to if cut off
    value, low = number * scale, (number - digit / 2) * scale
    rounded, cut_off = (number + digit / 2) * scale, (number + digit) * scale
    with np.errstate(divide="ignore", invalid="ignore"):
        ours = np.where(seconds > 0, amount / seconds, np.nan)
        # half the worth of the last digit of the seconds; %g has six, and drops zeros at the end
        half = _DECIMALS[decimals]
        figure = _FIGURES[np.searchsorted(_MAGNITUDES, seconds, side="right") - 1]
        half = np.where(is_gnu & (seconds > 0), np.minimum(half, figure), half)
        half = np.where(has_exponent, figure, half)
        shortest, longest = seconds - half, seconds + half
        # uutils and toybox cut off where the others round
        lowest = np.where(is_bytes, value - 1, low)
        highest = np.select([is_bytes, is_gnu], [value + 1, rounded], cut_off)
        agrees = (seconds > 0) & _between(amount, shortest, longest, lowest, highest)
        # which of the two knows more, by their relative widths
        is_finer = agrees & is_bytes & (seconds < 2 * half * value)
        for bound in (shortest, longest):  # of whole milliseconds, at least one
            stepped = amount / (np.maximum(1, np.floor(bound * 1000)) / 1000)
            agrees |= is_gnu & (seconds > 0) & (low <= stepped) & (stepped <= cut_off)
        # uutils 0.0.17 prints one decimal, progress of GNU none
        coarse = np.select([decimals == 0, decimals == 1], [0.5 * is_progress, 0.05])
        is_rounded = is_gnu & (coarse > 0)
        is_rounded &= _between(amount, seconds - coarse, seconds + coarse, low, cut_off)
        # 0.0 s: whole milliseconds stand behind the rate; of a few of them it says little
        known = np.where((value > 0) & (amount / value >= _WHOLE), value, np.nan)
        is_none = np.isnan(value)
        is_rounded |= is_none & (seconds == 0) & (decimals == 1)  # 0.0 s of uutils 0.0.17
        verdict = np.select(
            [agrees, is_rounded, is_none | (seconds == 0)],
            [AGREES, ROUNDED, UNCHECKED],
            CONTRADICTS,
        )
    kept = np.select([is_finer, verdict == ROUNDED], [value, known], ours)
    return Checked(kept, verdict, _agree(amount, *sizes[:4]) & _agree(amount, *sizes[4:]))


def _between(amount: Floats, shortest: Floats, longest: Floats, low: Floats, high: Floats) -> Any:
    """Whether some time in a range gives a rate in a range."""
    fastest = np.where(shortest > 0, amount / shortest, np.inf)
    return (fastest * (1 + _TIGHT) >= low) & (amount / longest * (1 - _TIGHT) <= high)


def _agree(amount: Floats, number: Floats, digit: Floats, unit: Floats, other: Floats) -> Any:
    """Whether a size is that of the bytes, in one of the units that it may be in."""
    good = np.abs(amount / unit - number) <= digit
    return good | (np.abs(amount / other - number) <= digit)


def each(ask: Callable[[str | None], Sequence[float]], texts: Sequence[str | None]) -> NDArray[Any]:
    """Ask once for all texts that are alike, and give the answers as columns."""
    places = {text: place for place, text in enumerate(dict.fromkeys((None, *texts)))}
    place = np.fromiter(map(places.__getitem__, texts), dtype=np.int64, count=len(texts))
    columns: NDArray[Any] = np.array([ask(text) for text in places])[place].T
    return columns


@lru_cache(maxsize=4096)
def _rate(printed: str | None) -> tuple[float, ...]:
    """Read a rate: number, one unit of its last digit, power of its prefix, unit, is it glued."""
    found = _RATE.fullmatch(printed or "")
    if not found:
        return math.nan, math.nan, 0, 0, 0
    number, glue, prefix, byte = found.groups()
    power = _PREFIXES.find(prefix.upper() or " ")
    return units.number(number), _digit(number), power, _BYTES.index(byte), not glue


@lru_cache(maxsize=4096)
def _sizes(text: str | None) -> tuple[float, ...]:
    """Read two sizes: each its number, one unit of its last digit, what its unit may be worth.

    Before them stands whether there is a space in the text; -1 if there is no text.
    """
    told: list[float] = [-1 if text is None else " " in text]
    for number, prefix, unit in _SIZES.findall(text or "")[:2]:
        power = _PREFIXES.find(prefix.upper() or " ")
        worth = [float(kilo**power) for kilo in ((1024, 1024) if "i" in unit else (1000, 1024))]
        told += [units.number(number), _digit(number), *worth]
    return (*told, *(0.0, math.inf, 1.0, 1.0) * ((9 - len(told)) // 4))


def _digit(number: str) -> float:
    """Give the worth of one unit of the last digit."""
    decimals = number.replace(",", ".").partition(".")[2]
    worth: float = 10.0 ** -len(decimals)
    return worth
