"""The numbers of one report held against each other: bytes, seconds, rate and sizes.

Each dd rounds in its own way. GNU divides by the unrounded time and prints two or three digits in
units of 1000. uutils divides by whole milliseconds, at least one. BusyBox prints the unit without a
space and counts in 1024; toybox too, without the B, and it truncates. The BSDs print whole bytes
per second from the unrounded time. The printed rate is kept if it is more precise than the seconds,
as in a short run.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache
from math import floor
from typing import NamedTuple

from fiotools import units
from fiotools.readers.dd.report import DdReport

# a printed rate against bytes and seconds; "rounded": these are too coarse to divide by
UNCHECKED, AGREES, ROUNDED, CONTRADICTS = range(4)
_RATE = re.compile(r"([0-9]+(?:[.,][0-9]+)?)( ?)([kKMGTPEZYRQ]?)((?:i?B|bytes)?)/s")
_SIZES = re.compile(r"([0-9]+(?:[.,][0-9]+)?)[ ]?([kKMGTPEZY]?)(i?B?)")
_PREFIXES = " KMGTPEZYRQ"
_TIGHT = 1e-9  # floating point
_WHOLE = 0.0099  # seconds: ten milliseconds
_LEAST, _MOST = -120, 120  # powers of ten of the seconds
_MAGNITUDES = [10.0**power for power in range(_LEAST, _MOST)]
_FIGURES = [0.5 * 10.0 ** (power - 5) for power in range(_LEAST, _MOST)]


class _Rate(NamedTuple):
    """A printed rate, and what may stand behind it."""

    value: float
    # between these, as its dd rounds
    low: float
    high: float
    cut_off: float  # the highest, if it was cut off
    is_bytes: bool  # laid out as the BSDs do
    is_gnu: bool  # laid out as GNU and uutils do


def checked(report: DdReport) -> tuple[float | None, int]:
    """Compute the rate in bytes per second, or take the printed one if it is more precise.

    None: not known. Beside it stands how the printed rate compares.
    """
    amount, seconds, text, size = report.bytes, report.elapsed, report.seconds, report.size
    if amount < 0:
        return None, UNCHECKED
    ours = amount / seconds if seconds > 0 else None
    printed = _rate(report.rate or "", None if size is None else " " in size)
    if (
        printed
        and ours is not None
        and not printed.is_bytes
        and printed.low <= ours <= printed.high
    ):
        return ours, AGREES
    decimals = len(text.replace(",", ".").partition(".")[2].partition("e")[0])
    if printed is None:
        is_none = seconds == 0 and decimals == 1  # 0.0 s of uutils 0.0.17
        return ours, ROUNDED if is_none else UNCHECKED
    value, low, high, cut_off, is_bytes, is_gnu = printed
    if ours is not None:
        # half the worth of the last digit of the seconds; %g has six, and drops zeros at the end
        half = 0.5 * 10.0**-decimals
        if is_gnu or "e" in text:
            last = _FIGURES[bisect_right(_MAGNITUDES, seconds) - 1]
            half = last if "e" in text else min(half, last)
        shortest, longest = seconds - half, seconds + half
        if _may_be(amount, shortest, longest, low, high):
            # which of the two is more precise, by their relative widths
            return value if is_bytes and seconds < 2 * half * value else ours, AGREES
        for bound in (shortest, longest) if is_gnu else ():
            # of whole milliseconds, at least one
            if low <= amount / (max(1, floor(bound * 1000)) / 1000) <= cut_off:
                return ours, AGREES
    # uutils 0.0.17 prints one decimal, progress of GNU none
    coarse = {0: 0.5 * (report.out is None), 1: 0.05}.get(decimals, 0.0) if is_gnu else 0.0
    if coarse and _may_be(amount, seconds - coarse, seconds + coarse, low, cut_off):
        # 0.0 s: the rate comes from whole milliseconds, too coarse if they are few
        return value if value > 0 and amount / value >= _WHOLE else None, ROUNDED
    return ours, CONTRADICTS if seconds else UNCHECKED


def _may_be(amount: int, shortest: float, longest: float, low: float, high: float) -> bool:
    """Whether some time in a range gives a rate in a range."""
    is_slow = shortest > 0 and amount / shortest * (1 + _TIGHT) < low
    return not is_slow and amount / longest * (1 - _TIGHT) <= high


def is_sized(report: DdReport) -> bool:
    """Whether the printed sizes are those of the bytes, to one unit of their last digit."""
    for number, digit, decimal, binary in _sizes(report.size) if report.size else ():
        size = report.bytes
        if abs(size / decimal - number) > digit and abs(size / binary - number) > digit:
            return False
    return True


@lru_cache(maxsize=4096)
def _rate(text: str, is_spaced: bool | None) -> _Rate | None:
    """Read a rate; ``is_spaced``: whether the size beside it has a space, if there is one."""
    found = _RATE.fullmatch(text)
    if not found:
        return None
    figures, glue, prefix, unit = found.groups()
    number, digit, power = units.number(figures), _digit(figures), _power(prefix)
    # 1024 where the size is written as BusyBox or toybox do
    is_decimal = glue != "" or (power == 0 if is_spaced is None else is_spaced)
    scale = (1000.0 if unit and is_decimal else 1024.0) ** power
    value, cut_off = number * scale, (number + digit) * scale
    if unit == "bytes":
        return _Rate(value, value - 1, value + 1, cut_off, is_bytes=True, is_gnu=False)
    is_gnu = unit == "B" and is_decimal
    # toybox and others cut off
    high = (number + digit / 2) * scale if is_gnu else cut_off
    return _Rate(value, (number - digit / 2) * scale, high, cut_off, is_bytes=False, is_gnu=is_gnu)


@lru_cache(maxsize=4096)
def _sizes(text: str) -> list[tuple[float, float, float, float]]:
    """Read two sizes: number, one unit of its last digit, what its unit may be worth."""
    return [
        (
            units.number(number),
            _digit(number),
            float((1024 if "i" in unit else 1000) ** _power(prefix)),
            float(1024 ** _power(prefix)),
        )
        for number, prefix, unit in _SIZES.findall(text)[:2]
    ]


def _power(prefix: str) -> int:
    return _PREFIXES.find(prefix.upper() or " ")


def _digit(number: str) -> float:
    """Return the worth of one unit of the last digit."""
    return float(10.0 ** -len(number.replace(",", ".").partition(".")[2]))
