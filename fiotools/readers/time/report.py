"""time: what one report says; the durations in it, and the lines around it.

Every tool writes durations its own way (``0.10``, ``0m4.364s``, ``1h 42m 27s``, ``2:17:01.38``, the
decimal mark from the locale): one is read exactly, or not at all. All searches have a bound, so
that a file of nothing but beginnings of reports takes no longer than any other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

_WORTH = {"days": 86400, "hours": 3600, "minutes": 60, "seconds": 1}
_PARTS = re.compile(
    r"(?:(?P<days>\d+)d ?)?(?:(?P<hours>\d+)h ?)?(?:(?P<minutes>\d+)m ?)?"
    r"(?P<seconds>\d+)(?:(?P<mark>[.,])(?P<fraction>\d+))?(?P<unit>s?)",
    re.A,
)
_CLOCK = re.compile(
    r"(?:(?P<hours>\d+):)?(?P<minutes>\d+):(?P<seconds>\d\d)(?:(?P<mark>[.,])(?P<fraction>\d+))?",
    re.A,
)
# how they look in a line; what has more digits is no duration
CLOCK = r"[0-9]{1,9}(?::[0-9]{2}){1,2}(?:[.,][0-9]{1,9})?"
VALUE = (
    rf"(?:{CLOCK}|(?:[0-9]{{1,5}}d ?)?(?:[0-9]{{1,7}}h ?)?(?:[0-9]{{1,9}}m ?)?"
    r"[0-9]{1,10}(?:[.,][0-9]{1,9})?s?)"
)
END = r"(?!\w|[.,:+]\w)"  # where a number or a word is over

_FAILED = re.compile(
    r"(?:Command (?:exited with non-zero status (?P<status>[0-9]{1,10})"
    r"|(?:terminated|stopped) by signal (?P<signal>[0-9]{1,10})|terminated abnormally\.)"
    r"|time: command terminated abnormally)[ \t]*\n\Z"
)
# people add "<-- here", and comment lines out, as in a shell, C, Lisp, BASIC or a batch file; what
# is copied from a PDF may have every end of line twice
_BELOW = re.compile(
    r"[ \t]*(?:[<#*(][^\n]{0,100})?\n(?:[ \t]{0,400}\n){0,2}"
    r"[ \t]{0,400}(?:(?:[#>;']|//|REM )[ \t]{0,400}){0,3}(?=[^ \t\n])"
)


class Duration(NamedTuple):
    """A printed duration, its decimals and its decimal mark, and whether it has a unit."""

    seconds: float
    places: int
    mark: str
    unit: bool


class Timing(NamedTuple):
    """One report: durations in seconds, what has no column, and (severity, message) of doubts.

    Of what is no whole report, ``real`` is None, and a doubt says so.
    """

    real: float | None
    user: float | None = None
    sys: float | None = None
    command: str | None = None
    max_rss_bytes: int | None = None
    exit_status: int | None = None
    failed: bool = False
    extras: tuple[tuple[str, str], ...] = ()
    doubts: tuple[tuple[str, str], ...] = ()


Found = tuple[int, int, Timing]  # where a report starts and ends, and what it says


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
    match = _PARTS.fullmatch(text) or _CLOCK.fullmatch(text)
    if not match:
        return None
    part = match.groupdict("")
    worth = {name: int(part[name]) for name in _WORTH if part.get(name)}
    fraction, unit = part["fraction"], match.re is _CLOCK or bool(part["unit"])
    if len(worth) > 1:
        # zsh takes the minutes off before it rounds: 1:60.00
        limit = 61 if match.re is _CLOCK and not fraction.strip("0") else 60
        if not unit or worth["seconds"] >= limit:
            return None
    if worth.get("minutes", 0) >= 60 and len(worth) > 2:
        return None
    if not unit and not fraction:
        return None
    whole = sum(count * _WORTH[name] for name, count in worth.items())
    return Duration(float(f"{whole}.{fraction or 0}"), len(fraction), part["mark"], unit)


def durations(texts: Iterable[str]) -> list[Duration] | None:
    """Read the durations of one report: all of them, with one decimal mark, or none."""
    found = [duration(text) for text in texts]
    known = [one for one in found if one is not None]
    if len(known) < len(found) or len({one.mark for one in known if one.mark}) > 1:
        return None
    return known


def timed(found: Sequence[Duration], **more: Any) -> Timing:
    """Make a report of the durations real, user and sys, and of what else it says."""
    real, user, sys = (one.seconds for one in found)
    return Timing(real, user, sys, **more)


def bytes_of(kib: str | None) -> int | None:
    """Give bytes of KiB; 0 was not measured."""
    return int(kib) * 1024 or None if kib and kib.isdigit() and len(kib) < 16 else None


def line_start(text: str, at: int) -> int | None:
    """Find where the line of a position starts, unless that is far away."""
    low = max(0, at - 400)
    found = max(text.rfind("\n", low, at), text.rfind("\r", low, at))
    if found >= 0:
        return found + 1
    return 0 if low == 0 else None


def below(text: str, at: int) -> int:
    """Find where the next line with anything on it begins, behind all that the current line says.

    Returns
    -------
    int
        A position, or -1 if the line says more, or none follows.
    """
    found = _BELOW.match(text, at)
    return found.end() if found else -1


def ending(text: str, start: int) -> tuple[int, int | None, bool, tuple[tuple[str, str], ...]]:
    """Read the line above a report that says how the command ended.

    Returns
    -------
    tuple
        Where the report starts, counting that line in; the exit status; whether the command failed;
        the signal, as extras.
    """
    begin = line_start(text, start) or 0
    low = max(0, begin - 120)
    match = _FAILED.search(text[low:begin])
    if not match:
        return start, None, False, ()
    status = int(match["status"]) if match["status"] else None
    return low + match.start(), status, True, (("signal", match["signal"]),) * bool(match["signal"])


def cpu_doubts(share: str, real: Duration, user: Duration, sys: Duration) -> list[tuple[str, str]]:
    """Hold a printed share of the processor (percent) against the times, as far as digits go."""
    if not share[0].isdigit():  # GNU prints "?" when no time has passed
        return []
    step = 10.0**-real.places
    busy, slack = user.seconds + sys.seconds, 2 * max(10.0**-user.places, 0.01)
    if real.seconds <= step:
        return []
    low, high = (busy - slack) / (real.seconds + step), (busy + slack) / (real.seconds - step)
    if 100 * low - 1 <= float(share) <= 100 * high + 1:
        return []
    return [("warning", f"{share} % CPU is not (user + sys) / real: the times are kept as printed")]
