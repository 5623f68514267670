"""time: zsh's line, tcsh's line and fish's table.

zsh prints a line for each job of a pipeline (``TIMEFMT``: ``%J  %U user %S system %P cpu %*E
total``), with the command in it, of which 80 bytes have room: what is longer is cut off within a
word, or words are left out, which double spaces give away. ``shell`` and ``children`` are the whole
shell's times, of no command. tcsh goes on with ``0+131072io``, which is no count of dd. fish has a
unit in every cell.

Grammar: zsh ``Src/jobs.c`` 5.9 (``printtime``), tcsh ``sh.time.c`` 6.24, fish ``src/timer.rs`` 4.
"""

from __future__ import annotations

import re
from decimal import Decimal

from fiotools.readers.time.report import (
    CLOCK,
    END,
    VALUE,
    Found,
    Timing,
    cpu_doubts,
    durations,
    line_start,
)

_ZSH = re.compile(
    rf"user +([0-9]{{1,10}}[.,][0-9]{{1,9}}s) +system +([0-9]{{1,9}})% +cpu +({VALUE}) +total{END}"
)
_ZSH_USER = re.compile(r"(?<![\w.,:])([0-9]{1,10}[.,][0-9]{1,9}s) *\Z")

_TCSH = re.compile(
    rf"u +([0-9]{{1,10}}\.[0-9]{{1,9}})s +({CLOCK}) +([0-9]{{1,9}}(?:\.[0-9])?)%"
    r"[ \t]+[0-9]{1,15}\+[0-9]{1,15}k +([0-9]{1,15})\+([0-9]{1,15})io"
    rf" +([0-9]{{1,15}})pf\+[0-9]{{1,15}}w{END}"
)
_TCSH_USER = re.compile(r"(?<![\w.,:+])([0-9]{1,10}\.[0-9]{1,9})\Z")

_CELL = r"([0-9]{1,10}[.,][0-9]{2}) ([a-z]{4,12})"
_ROW = rf"{_CELL}(?: +{_CELL} +{_CELL})?[ \t]*"
_FISH = re.compile(
    rf"Executed in +{_CELL}(?: +fish +external)?[ \t]*\n"
    rf"[ \t]*usr time +{_ROW}\n[ \t]*sys time +{_ROW}(?=\n|\Z)"
)
_RULE = re.compile(r"_{20,80}\n[ \t]*\Z")
_UNITS = {
    **dict.fromkeys(("micros", "microseconds"), Decimal("0.000001")),
    **dict.fromkeys(("millis", "milliseconds"), Decimal("0.001")),
    **dict.fromkeys(("secs", "seconds"), Decimal(1)),
    **dict.fromkeys(("mins", "minutes"), Decimal(60)),
    "hours": Decimal(3600),
}


def zsh(text: str, at: int) -> Found | None:
    """Read a line of zsh, whose ``user`` is at the position."""
    match, start = _ZSH.match(text, at), line_start(text, at)
    before = None if start is None else _ZSH_USER.search(text, max(start, at - 40), at)
    if not match or not before or start is None:
        return None
    found = durations((match[3], before[1], match[1]))
    said = text[start : before.start()]
    command = said.strip()
    if not found or command in ("shell", "children"):
        return None
    extras, doubts = [("cpu_pct", match[2])], cpu_doubts(match[2], *found)
    if _is_cut(said.lstrip().removesuffix("  ")):
        extras.append(("command", command))
        doubts.append(("info", "zsh seems to have cut the command: it is kept in extras"))
        command = ""
    timing = Timing(
        real=found[0].seconds,
        user=found[1].seconds,
        sys=found[2].seconds,
        command=command or None,
        extras=tuple(extras),
        doubts=tuple(doubts),
    )
    return start, match.end(), timing


def _is_cut(command: str) -> bool:
    """Whether a command may have been too long for zsh."""
    size = len(command.encode("utf-8", "replace"))
    return size >= 75 or (size >= 60 and ("  " in command or command.endswith(" ")))


def tcsh(text: str, at: int) -> Found | None:
    """Read a line of tcsh, whose first ``u`` is at the position."""
    match, before = _TCSH.match(text, at), _TCSH_USER.search(text, max(0, at - 30), at)
    found = durations((match[2], before[1], match[1])) if match and before else None
    if not match or not before or not found:
        return None
    names = ("cpu_pct", "inputs", "outputs", "major_faults")
    timing = Timing(
        real=found[0].seconds,
        user=found[1].seconds,
        sys=found[2].seconds,
        extras=tuple(zip(names, match.groups()[2:], strict=True)),
        doubts=tuple(cpu_doubts(match[3], *found)),
    )
    return before.start(), match.end(), timing


def fish(text: str, at: int) -> Found | None:
    """Read the table of fish, whose first word is at the position."""
    match = _FISH.match(text, at)
    if not match:
        return None
    try:
        real, user, sys = (_cell(match, group) for group in (1, 3, 9))
        apart = [_apart(match, group) for group in (3, 9) if match[group + 2]]
    except KeyError:  # a unit that fish does not have
        return None
    said = ("warning", "user or sys is not what fish and external add up to: kept as printed")
    rule = _RULE.search(text, max(0, at - 120), at)
    timing = Timing(float(real), float(user), float(sys), doubts=(said,) * any(apart))
    return rule.start() if rule else at, match.end(), timing


def _cell(match: re.Match[str], group: int) -> Decimal:
    return Decimal(match[group].replace(",", ".")) * _UNITS[match[group + 1]]


def _apart(match: re.Match[str], group: int) -> bool:
    """Whether a row's sum is further from its parts than rounding can be."""
    total, *parts = (_cell(match, group + column) for column in (0, 2, 4))
    slack = sum(_UNITS[match[group + column]] for column in (1, 3, 5)) / 200
    return abs(total - sum(parts)) > slack
