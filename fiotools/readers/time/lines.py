"""time: the lines of zsh and tcsh, and GNU time's two.

zsh prints a line for each job of a pipeline (``TIMEFMT``: ``%J  %U user %S system %P cpu %*E
total``), with the command in it, of which 80 bytes have room: what is longer is cut off within a
word, or words are left out, which double spaces give away. ``shell`` and ``children`` are the whole
shell's times, of no command. tcsh goes on with ``0+131072io``, which is no count of dd. GNU time
counts the peak of memory in KiB; before 1.8 it printed four times too much of it, which the report
does not tell.

Grammar: zsh ``Src/jobs.c`` 5.9 (``printtime``), tcsh ``sh.time.c`` 6.24, GNU time ``src/time.c``
1.7 to 1.9.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from fiotools.readers.time.report import (
    CLOCK,
    END,
    VALUE,
    Found,
    below,
    bytes_of,
    cpu_doubts,
    durations,
    ending,
    line_start,
    timed,
)

_N = r"[0-9]{1,15}"
_SECONDS = r"[0-9]{1,10}\.[0-9]{1,9}"


class _Line(NamedTuple):
    """How a line looks before and behind the word at which it is found."""

    before: re.Pattern[str]
    behind: re.Pattern[str]


_ZSH = _Line(
    re.compile(r"(?<![\w.,:])(?P<user>[0-9]{1,10}[.,][0-9]{1,9}s) *\Z"),
    re.compile(
        r"user +(?P<sys>[0-9]{1,10}[.,][0-9]{1,9}s) +system +(?P<cpu_pct>[0-9]{1,9})% +cpu"
        rf" +(?P<real>{VALUE}) +total{END}"
    ),
)
_TCSH = _Line(
    re.compile(rf"(?<![\w.,:+])(?P<user>{_SECONDS})\Z"),
    re.compile(
        rf"u +(?P<sys>{_SECONDS})s +(?P<real>{CLOCK}) +(?P<cpu_pct>[0-9]{{1,9}}(?:\.[0-9])?)%[ \t]+"
        rf"{_N}\+{_N}k +(?P<inputs>{_N})\+(?P<outputs>{_N})io"
        rf" +(?P<major_faults>{_N})pf\+{_N}w{END}"
    ),
)
_GNU = _Line(
    re.compile(r"(?<![\d.,:])(?P<user>[0-9]{1,10}\.[0-9]{2})\Z"),
    re.compile(
        rf"user (?P<sys>[0-9]{{1,10}}\.[0-9]{{2}})system (?P<real>{CLOCK})elapsed"
        r" (?P<cpu_pct>[0-9]{1,9}|\?)%CPU"
        rf"(?: \({_N}avgtext\+{_N}avgdata (?P<max_rss>{_N})maxresident\)k)?"
    ),
)
_GNU_BELOW = re.compile(
    rf"(?P<inputs>{_N})inputs\+(?P<outputs>{_N})outputs"
    rf" \((?P<major_faults>{_N})major\+(?P<minor_faults>{_N})minor\)pagefaults {_N}swaps{END}"
)
_EXTRAS = ("cpu_pct", "inputs", "outputs", "major_faults", "minor_faults")


def _found(line: _Line, text: str, at: int) -> Found | None:
    """Read one line; it begins with the user time."""
    before, behind = line.before.search(text, max(0, at - 40), at), line.behind.match(text, at)
    if not before or not behind:
        return None
    told = {**before.groupdict(), **behind.groupdict()}
    found = durations(told[name] for name in ("real", "user", "sys"))
    if not found:
        return None
    timing = timed(
        found,
        max_rss_bytes=bytes_of(told.get("max_rss")),
        extras=tuple((name, told[name]) for name in _EXTRAS if told.get(name, "?") != "?"),
        doubts=tuple(cpu_doubts(told["cpu_pct"], *found)),
    )
    return before.start(), behind.end(), timing


def tcsh(text: str, at: int) -> Found | None:
    """Read a line of tcsh, whose first ``u`` is at the position."""
    return _found(_TCSH, text, at)


def gnu(text: str, at: int) -> Found | None:
    """Read GNU time's two lines, whose ``user`` is at the position."""
    found = _found(_GNU, text, at)
    if not found:
        return None
    start, end, timing = found
    begin, status, failed, extras = ending(text, start)
    extras += timing.extras
    here = below(text, end)
    if here >= 0 and (counts := _GNU_BELOW.match(text, here)):
        end = counts.end()
        extras += tuple(counts.groupdict().items())
    return begin, end, timing._replace(exit_status=status, failed=failed, extras=extras)


def zsh(text: str, at: int) -> Found | None:
    """Read a line of zsh, whose ``user`` is at the position."""
    found, start = _found(_ZSH, text, at), line_start(text, at)
    if not found or start is None:
        return None
    at, end, timing = found
    said = text[start:at]
    command = said.strip()
    if command in ("shell", "children"):
        return None
    if _is_cut(said.lstrip().removesuffix("  ")):
        doubt = ("info", "zsh seems to have cut the command: it is kept in extras")
        timing = timing._replace(
            extras=(*timing.extras, ("command", command)), doubts=(*timing.doubts, doubt)
        )
        command = ""
    return start, end, timing._replace(command=command or None)


def _is_cut(command: str) -> bool:
    """Whether a command may have been too long for zsh."""
    size = len(command.encode("utf-8", "replace"))
    return size >= 75 or (size >= 60 and ("  " in command or command.endswith(" ")))
