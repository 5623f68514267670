"""time: the durations that tools print, each in its own way.

``0.10``, ``0m4.364s``, ``1h 42m 27s``, ``2:17:01.38``, the decimal mark from the locale: one is
read exactly, or not at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

# days, hours, minutes, seconds, decimal mark, fraction, unit
_PARTS = re.compile(r"(?:(\d+)d ?)?(?:(\d+)h ?)?(?:(\d+)m ?)?(\d+)(?:([.,])(\d+))?(s?)", re.ASCII)
_CLOCK = re.compile(r"()(?:(\d+):)?(\d+):(\d\d)(?:([.,])(\d+))?()", re.ASCII)
# how they look in a line; what has more digits is no duration
CLOCK = r"[0-9]{1,9}(?::[0-9]{2}){1,2}(?:[.,][0-9]{1,9})?"
VALUE = (
    rf"(?:{CLOCK}|(?:[0-9]{{1,5}}d ?)?(?:[0-9]{{1,7}}h ?)?(?:[0-9]{{1,9}}m ?)?"
    r"[0-9]{1,10}(?:[.,][0-9]{1,9})?s?)"
)
END = r"(?!\w|[.,:+]\w)"  # where a number or a word is over


class Duration(NamedTuple):
    """A printed duration, its decimals and its decimal mark, and whether it has a unit."""

    seconds: float
    places: int
    mark: str
    unit: bool


@lru_cache(maxsize=4096)  # most are some thousandths of a second
def duration(text: str) -> Duration | None:
    """Read a duration; a whole number without a unit is none.

    Examples
    --------
    >>> duration("147m53.092s").seconds, duration("1h 42m 27s").seconds, duration("0,101").seconds
    (8873.092, 6147.0, 0.101)
    >>> duration("2:17:01.38").seconds, duration("0m75.0s"), duration("5")
    (8221.38, None, None)
    """
    match = _PARTS.fullmatch(text)
    is_clock = match is None
    match = match or _CLOCK.fullmatch(text)
    if not match:
        return None
    days, hours, minutes, seconds, mark, fraction, s = match.groups("")
    unit = is_clock or bool(s)
    if days or hours or minutes:
        # zsh takes the minutes off before it rounds: 1:60.00
        limit = 61 if is_clock and not fraction.strip("0") else 60
        if not unit or int(seconds) >= limit:
            return None
        if (days or hours) and int(minutes or 0) >= 60:
            return None
    elif not unit and not fraction:
        return None
    whole = (int(days or 0) * 24 + int(hours or 0)) * 60 + int(minutes or 0)
    value = float(f"{whole * 60 + int(seconds)}.{fraction or 0}")
    return Duration(value, len(fraction), mark, unit)


def durations(texts: Iterable[str]) -> list[Duration] | None:
    """Read the durations of one report: all of them, with one decimal mark, or none."""
    found = [duration(text) for text in texts]
    known = [one for one in found if one is not None]
    if len(known) < len(found) or len({one.mark for one in known if one.mark}) > 1:
        return None
    return known
