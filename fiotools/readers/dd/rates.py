"""The rate that dd prints, held against its bytes and seconds.

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
_SECONDS = re.compile(r"[0-9]+[.,]?([0-9]*)(e?)")
_PREFIXES = " KMGTPEZYRQ"
_TIGHT = 1e-9  # floating point
_WHOLE = 0.0099  # seconds: ten milliseconds
_LEAST, _MOST = -120, 120  # powers of ten of the seconds
_MAGNITUDES = np.array([10.0**power for power in range(_LEAST, _MOST)])
_FIGURES = np.array([0.5 * 10.0 ** (power - 5) for power in range(_LEAST, _MOST)])
_DECIMALS = np.array([0.5 * 10.0**-places for places in range(20)])


class Rates(NamedTuple):
    """Bandwidths in bytes per second (nan: not known), and what the printed ones say of them."""

    value: Floats
    verdict: NDArray[np.int64]


class _Rate(NamedTuple):
    """A printed rate, and what it may stand for: from, to if rounded, to if cut off."""

    value: float
    low: float
    rounded: float
    cut_off: float
    is_gnu: bool  # laid out as GNU's and uutils' are
    is_bytes: bool


_NO_RATE = _Rate(math.nan, math.nan, math.nan, math.nan, is_gnu=False, is_bytes=False)


def rates(figures: Sequence[Figures], is_progress: Flags) -> Rates:
    """Compute bandwidths, or take the printed ones where these know more."""
    amount = np.array([one.bytes for one in figures], dtype=np.float64)
    seconds = np.array([one.elapsed for one in figures], dtype=np.float64)
    printed = _each(_rate, [(one.rate, one.size and " " in one.size) for one in figures])
    value, low, rounded, cut_off, is_gnu, is_bytes = printed
    is_gnu, is_bytes = is_gnu > 0, is_bytes > 0
    decimals, has_exponent = _each(_decimals, [(one.seconds,) for one in figures]).astype(int)
    with np.errstate(divide="ignore", invalid="ignore"):
        ours = np.where(seconds > 0, amount / seconds, np.nan)
        # half the worth of the last digit of the seconds; %g has six, and drops zeros at the end
        half = _DECIMALS[decimals]
        figure = _FIGURES[np.searchsorted(_MAGNITUDES, seconds, side="right") - 1]
        half = np.where(is_gnu & (seconds > 0), np.minimum(half, figure), half)
        half = np.where(has_exponent > 0, figure, half)
        shortest, longest = seconds - half, seconds + half
        # uutils and toybox cut off where the others round
        bounds = (
            np.where(is_bytes, value - 1, low),
            np.select([is_bytes, is_gnu], [value + 1, rounded], cut_off),
        )
        agrees = (seconds > 0) & _between(amount, shortest, longest, *bounds)
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
    return Rates(kept, verdict)


def _between(amount: Floats, shortest: Floats, longest: Floats, low: Floats, high: Floats) -> Any:
    """Whether some time in a range gives a rate in a range."""
    fastest = np.where(shortest > 0, amount / shortest, np.inf)
    return (fastest * (1 + _TIGHT) >= low) & (amount / longest * (1 - _TIGHT) <= high)


def _each(
    ask: Callable[..., Sequence[float]], given: Sequence[tuple[Any, ...]]
) -> NDArray[np.float64]:
    """Ask once for all that are alike, and give the answers as columns."""
    places: dict[tuple[Any, ...], int] = {}
    place = np.array([places.setdefault(one, len(places)) for one in given], dtype=int)
    table = np.array([ask(*one) for one in places] or [ask()], dtype=np.float64)
    columns: NDArray[np.float64] = table[place].T
    return columns


@lru_cache(maxsize=4096)
def _rate(printed: str | None = None, is_spaced: bool | None = None) -> _Rate:
    """Read a rate; the size beside it may have a space before its unit."""
    found = _RATE.fullmatch(printed or "")
    if not found:
        return _NO_RATE
    number, glue, prefix, byte = found.groups()
    # 1024 where the size is written as BusyBox or toybox do
    is_decimal = (glue or not prefix) if is_spaced is None else (is_spaced or glue)
    kilo = 1000 if byte and is_decimal else 1024
    scale = float(kilo) ** _PREFIXES.find(prefix.upper() or " ")
    value, digit = units.number(number), 10.0 ** -_decimals(number)[0]
    return _Rate(
        value * scale,
        (value - digit / 2) * scale,
        (value + digit / 2) * scale,
        (value + digit) * scale,
        is_gnu=byte == "B" and kilo == 1000,
        is_bytes=byte == "bytes",
    )


def _decimals(number: str = "0") -> tuple[int, bool]:
    """Count the digits behind the decimal mark, and say whether there is an exponent."""
    found = _SECONDS.match(number)
    assert found is not None
    return len(found[1]), bool(found[2])


def sizes_agree(figures: Sequence[Figures]) -> Flags:
    """Say whether the sizes in parentheses are those of the bytes, to one unit of the last digit.

    Examples
    --------
    >>> from fiotools.readers.dd.lines import Figures
    >>> given = [("268 MB, 256 MiB", 2**28), ("1.5 KiB", 1700), (None, 7)]
    >>> sizes_agree([Figures(amount, size, "1", 1.0, None) for size, amount in given])
    array([ True, False,  True])
    """
    amount = np.array([one.bytes for one in figures], dtype=np.float64)
    good = np.ones(len(figures), dtype=bool)
    sizes = _each(_sizes, [(one.size,) for one in figures])
    for number, digit, unit, other in (sizes[:4], sizes[4:]):
        is_one = np.abs(amount / unit - number) <= digit
        good &= is_one | (np.abs(amount / other - number) <= digit)
    return good


@lru_cache(maxsize=4096)
def _sizes(text: str | None = None) -> tuple[float, ...]:
    """Read two sizes: each its number, one unit of its last digit, what its unit may be worth."""
    told: list[float] = []
    for number, prefix, unit in _SIZES.findall(text or "")[:2]:
        power = _PREFIXES.find(prefix.upper() or " ")
        worth = [float(kilo**power) for kilo in ((1024, 1024) if "i" in unit else (1000, 1024))]
        told += [units.number(number), 10.0 ** -_decimals(number)[0], *worth]
    return (*told, *(0.0, math.inf, 1.0, 1.0) * ((8 - len(told)) // 4))
