"""The rate that dd prints, held against its bytes and seconds.

Each dd rounds in its own way. GNU divides by the unrounded time and prints two or three figures in
units of 1000. uutils divides by whole milliseconds, at least one. BusyBox glues the unit to the
number and counts in 1024, toybox too, without a B, and cuts decimals off. The BSDs print whole
bytes per second from the unrounded time, and for a short run the seconds have fewer figures than
that: then the printed rate is the more precise one and is kept.

Grammar: coreutils ``src/dd.c``, uutils ``dd/src/progress.rs``, BusyBox ``coreutils/dd.c``, toybox
``toys/pending/dd.c``, FreeBSD ``bin/dd/misc.c``.
"""

from __future__ import annotations

import math
import re
from typing import Any, NamedTuple

from fiotools import units
from fiotools.readers.dd.lines import Figures

_SIZES = re.compile(r"([0-9]+(?:[.,][0-9]+)?)[ ]?([kKMGTPEZY]?)(i?B?)")
_TIGHT = 1e-9  # floating point
WHOLE = 0.0099  # seconds: ten milliseconds


class Rate(NamedTuple):
    """A bandwidth in bytes per second, and what the printed one has to do with it.

    ``verdict`` is "agrees", "rounded" (the seconds are too coarse to divide by), "contradicts" or
    "unchecked" (nothing printed, or no time passed).
    """

    value: float | None
    verdict: str


def rate(figures: Figures, *, is_progress: bool = False) -> Rate:
    """Compute the bandwidth, or take the printed one where that knows more."""
    seconds, amount = units.number(figures.seconds), figures.bytes
    ours = amount / seconds if seconds else None
    if figures.rate is None:
        is_coarse = not seconds and _decimals(figures.seconds) == 1  # 0.0 s of uutils 0.0.17
        return Rate(ours, "rounded" if is_coarse else "unchecked")
    value, low, rounded, high = bounds(figures)
    cut_off = high  # uutils and toybox cut off where the others round
    if figures.byte == "bytes":
        low, high = value - 1, value + 1
    elif _is_gnu(figures):
        high = rounded
    half = _half(figures)
    if seconds and _between(amount, seconds - half, seconds + half, low, high):
        # which of the two knows more, by their relative widths
        is_finer = figures.byte == "bytes" and seconds < 2 * half * value
        return Rate(value if is_finer else ours, "agrees")
    if _is_gnu(figures):
        high = cut_off
        if seconds and _of_milliseconds(amount, seconds, half, low, high):
            return Rate(ours, "agrees")
        # uutils 0.0.17 prints one decimal, progress of GNU none
        coarse = {0: 0.5 if is_progress else 0.0, 1: 0.05}.get(_decimals(figures.seconds), 0.0)
        if coarse and _between(amount, seconds - coarse, seconds + coarse, low, high):
            # 0.0 s: whole milliseconds stand behind the rate; of a few of them it says little
            is_known = value > 0 and amount / value >= WHOLE
            return Rate(value if is_known else None, "rounded")
    if not seconds:
        return Rate(None, "unchecked")
    return Rate(ours, "contradicts")


def bounds(figures: Figures) -> tuple[float, float, float, float]:
    """Return the printed rate, and what it may stand for: from, to if rounded, to if cut off."""
    text = figures.rate or "0"
    printed = units.number(text)
    scale = float(_kilo(figures)) ** " KMGTPEZY".find(figures.prefix.upper() or " ")
    digit = 10.0 ** -_decimals(text)
    low, rounded, cut_off = printed - digit / 2, printed + digit / 2, printed + digit
    return printed * scale, low * scale, rounded * scale, cut_off * scale


def _kilo(figures: Figures) -> int:
    """Tell what a prefix stands for: 1024 where the size is written as BusyBox or toybox do."""
    size = figures.size
    if not figures.byte:
        return 1024
    if size is None:
        return 1024 if figures.glued and figures.prefix else 1000
    return 1000 if " " in size or not figures.glued else 1024


def _is_gnu(figures: Figures) -> bool:
    """Whether the line is laid out as GNU's and uutils' are."""
    return figures.byte == "B" and _kilo(figures) == 1000


def _half(figures: Figures) -> float:
    """Half the worth of the last digit of the seconds."""
    seconds = units.number(figures.seconds)
    fixed = 0.5 * 10.0 ** -_decimals(figures.seconds)
    if "e" in figures.seconds or (_is_gnu(figures) and seconds):
        # %g has six figures, and drops zeros at the end
        figure = 0.5 * 10.0 ** (math.floor(math.log10(seconds)) - 5)
        return figure if "e" in figures.seconds else min(fixed, figure)
    return fixed


def _decimals(text: str) -> int:
    return len(re.split("[.,]", text.partition("e")[0])[1]) if re.search("[.,]", text) else 0


def _between(amount: int, shortest: float, longest: float, low: float, high: float) -> bool:
    """Whether some time in a range gives a rate in a range."""
    fastest = amount / shortest if shortest > 0 else math.inf
    return bool(is_between(fastest, amount / longest, low, high))


def is_between(fastest: Any, slowest: Any, low: Any, high: Any) -> Any:
    """Whether two ranges of rates (numbers, or arrays of many) have a rate in common."""
    return (fastest * (1 + _TIGHT) >= low) & (slowest * (1 - _TIGHT) <= high)


def _of_milliseconds(amount: int, seconds: float, half: float, low: float, high: float) -> bool:
    return any(
        low <= amount / (max(1, math.floor(time * 1000)) / 1000) <= high
        for time in (seconds - half, seconds + half)
    )


def size_agrees(figures: Figures) -> bool:
    """Whether the size in parentheses is that of the bytes, to one unit of its last digit."""
    return all(
        any(abs(figures.bytes / unit - number) <= digit for unit in worth)
        for number, digit, worth in sizes(figures.size or "")
    )


def sizes(text: str) -> list[tuple[float, float, tuple[int, ...]]]:
    """Read sizes: each its number, one unit of its last digit, the bytes that its unit may be.

    Examples
    --------
    >>> sizes("268 MB, 1.5 KiB")
    [(268.0, 1.0, (1000000, 1048576)), (1.5, 0.1, (1024,))]
    """
    found = []
    for number, prefix, unit in _SIZES.findall(text):
        power = " KMGTPEZY".find(prefix.upper() or " ")
        kilos = (1024,) if "i" in unit else (1000, 1024)
        worth = tuple(kilo**power for kilo in kilos)
        found.append((units.number(number), 10.0 ** -_decimals(number), worth))
    return found
