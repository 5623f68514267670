"""time: what a shell or an external ``time`` prints about a command.

Produced by ``time command 2>log`` (tcsh prints to standard output), ``Measure-Command`` in
PowerShell. Fills ``runs``, ``timings`` and ``extras`` (CPU share, page faults, context switches,
blocks read and written, as far as the report has them: ``time/cpu_pct``, ``time/major_faults``,
...). The run has the status error if the report says that the command failed.

Most shells and ``time -p`` print labelled durations: ``real 0.09``, ``user 0.00``, ``sys 0.02`` on
three lines (bash, ksh93, BusyBox, toybox, AIX) or on one line (the user's own format), and
``0.09 real 0.00 user 0.02 sys`` with the label last (mksh, BSD, macOS), followed by the list of
``time -l`` on BSD and macOS. zsh, tcsh and GNU time print one line, with each value before its
label. ``-v`` of GNU time, BusyBox and toybox prints a list, and so does PowerShell for a TimeSpan;
fish prints a table with a unit in every cell. Numbers without labels (``TIMEFORMAT``, ``-f``,
bash's ``times``) are not read. A report without its command does not say what was timed.

Damage. A line that was wrapped, also within a word, is joined; a line that is printed twice counts
once; lines of other programs between those of a report are stepped over, and noted. A list without
a time keeps its other lines; the time is missing, with a note.

Traps. Labels are never translated, and the decimal mark follows the locale. Minutes of bash and
mksh never roll over to hours. User time may exceed real time: several processors. A CPU share that
contradicts its own times is noted. toybox prints user and sys as seconds, a point, and microseconds
*without leading zeros* (``0.1033`` is 1.033 ms; ``toys/posix/time.c``, 0.8.9), while real has three
true decimals. User and sys are left out if all have three decimals, because then toybox looks like
``TIMEFORMAT``. Labels of two commands that ended at once may be mixed: an incomplete report is
noted and left out. Peak memory is in KiB; GNU time before 1.8 printed it four times too large,
which the report does not show. ``-l`` counts it in bytes on macOS and in KiB on BSD, and prints no
unit. ``Exit status: 0`` stands in GNU's list even if a signal ended the command. Counts that
kernels do not keep (swaps, messages, average sizes) are printed as 0, and left out. zsh prints a
line for each job of a pipeline (``TIMEFMT``: ``%J  %U user %S system %P cpu %*E total``) with at
most 80 bytes of the command: a longer command is cut within a word, or loses words, which shows as
double spaces. ``shell`` and ``children`` are the times of the whole shell. tcsh ends with
``0+131072io``, which is not a count of dd. ``Seconds`` of a TimeSpan is the rest after the minutes;
``TotalSeconds`` has the decimal mark of the culture.

Grammar: bash ``execute_cmd.c`` 5.2 (``print_formatted_time``), POSIX ``time -p``, ksh93
``sh/xec.c`` (``p_time``), mksh ``funcs.c``, FreeBSD ``usr.bin/time/time.c``, zsh ``Src/jobs.c`` 5.9
(``printtime``), tcsh ``sh.time.c`` 6.24, GNU time ``src/time.c`` 1.7 to 1.9, BusyBox
``miscutils/time.c`` 1.36, toybox ``toys/posix/time.c`` 0.8, fish ``src/timer.rs`` 4.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from decimal import Decimal
from functools import lru_cache, partial
from itertools import accumulate, islice
from typing import NamedTuple

from fiotools.errors import ParseError
from fiotools.readers import shell
from fiotools.readers.document import (
    Document,
    Report,
    Session,
    line_end,
    line_start,
    lines_above,
    read_reports,
)
from fiotools.readers.formats import DD_FIGURES, DD_RECORDS, TIMES
from fiotools.tables.notes import Note
from fiotools.tables.rows import Rows

# days, hours, minutes, seconds, decimal mark, fraction, unit
_DURATION = re.compile(
    r"(?:(\d+)d ?)?(?:(\d+)h ?)?(?:(\d+)m ?)?(\d+)(?:([.,])(\d+))?([mun]?s)?", re.ASCII
)
_CLOCKED = re.compile(r"()(?:(\d+):)?(\d+):(\d\d)(?:([.,])(\d+))?()", re.ASCII)
# how they look in a line; more digits are not a duration
CLOCK = r"[0-9]{1,9}(?::[0-9]{2}){1,2}(?:[.,][0-9]{1,9})?"
VALUE = (
    rf"(?:{CLOCK}|(?:[0-9]{{1,5}}d ?)?(?:[0-9]{{1,7}}h ?)?(?:[0-9]{{1,9}}m ?)?"
    r"[0-9]{1,10}(?:[.,][0-9]{1,9})?s?)"
)
_POWERS = {"ms": 3, "us": 6, "ns": 9}  # of ten, in a second
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
    >>> duration("1h 42m 27s").seconds, duration("2:17:01.38").seconds, duration("0m75.0s")
    (6147.0, 8221.38, None)
    """
    match = _DURATION.fullmatch(text)
    is_clock = match is None
    match = match or _CLOCKED.fullmatch(text)
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
    power = _POWERS.get(s, 0)
    value = float(f"{whole * 60 + int(seconds)}.{fraction or 0}e-{power}")
    return Duration(value, len(fraction) + power, mark, unit)


def durations(texts: Sequence[str]) -> list[Duration] | None:
    """Read the durations of one report: all of them, with one decimal mark, or none."""
    found = [one for one in map(duration, texts) if one is not None]
    marks = {one.mark for one in found if one.mark}
    return found if len(found) == len(texts) and len(marks) < 2 else None


def _doubt(code: str, message: str, at: int | None = None, severity: str = "warning") -> Note:
    """Note what is odd about a report, and its place in the text; `parse` makes it a line."""
    return Note(code, severity, at, message)


class Timing(NamedTuple):
    """One report: durations in seconds, what has no column, and doubts.

    If nothing of the report is certain, all numbers are None, and a doubt says so.
    """

    real: float | None
    user: float | None = None
    sys: float | None = None
    command: str | None = None
    max_rss_bytes: int | None = None
    exit_status: int | None = None
    failed: bool = False
    extras: tuple[tuple[str, str], ...] = ()
    # their lines count from its first
    doubts: tuple[Note, ...] = ()

    @property
    def is_told(self) -> bool:
        """Whether it has a number for a row."""
        return not (self.real is self.user is self.sys is None)


Found = tuple[int, int, Timing]  # where a report starts and ends, and what it says
# of a time's lines, none is longer; a terminal may pad the command's line up to the report
_line_start = partial(line_start, within=400, ends=("\n", "\r", " " * 40))

# --- lines around a report ---------------------------------------------------------------------

_W = r"\s{1,9}"  # a line may be wrapped, or its blanks doubled
_FAILED = re.compile(
    rf"(?:Command{_W}(?:exited{_W}with{_W}non-zero{_W}status{_W}(?P<status>[0-9]{{1,10}})"
    rf"|(?:terminated|stopped){_W}by{_W}signal{_W}(?P<signal>[0-9]{{1,10}})"
    r"|terminated abnormally\.)|time: command terminated abnormally)[ \t]*\n?[ \t>#;'/]*\Z"
)
# people add "<-- here", and comment lines out, as in a shell, C, Lisp, BASIC or a batch file; what
# is copied from a PDF may have every end of line twice
_BELOW = re.compile(
    r"[ \t]*(?:[<#*(][^\n]{0,100})?\n(?:[ \t]{0,400}\n){0,2}"
    r"[ \t]{0,400}(?:(?:[#>;']|//|REM )[ \t]{0,400}){0,3}(?=[^ \t\n])"
)


def _below(text: str, at: int) -> int:
    """Find where the next line with anything on it begins; -1 if the current one says more."""
    found = _BELOW.match(text, at)
    return found.end() if found else -1


def _ended(text: str, found: Found) -> Found:
    """Add what the line above a report says of how the command ended."""
    start, end, timing = found
    match = _FAILED.search(text, max(0, start - 120), start)
    if not match:
        return found
    if not timing.is_told:
        return match.start(), end, timing
    status, signal = match["status"], match["signal"]
    timing = timing._replace(
        exit_status=int(status) if status else None if signal else timing.exit_status,
        failed=True,
        extras=((("signal", signal),) if signal else ()) + timing.extras,
    )
    return match.start(), end, timing


# how many lines of other programs may stand between two of a report
_MOST_FOREIGN = 5
# none of them begins a report; a number alone is the rest of a line that was wrapped
_OTHERS = re.compile("|".join((DD_RECORDS, DD_FIGURES, *TIMES.values(), "Command being timed")))
_REST = re.compile(r"[0-9.,:]+[a-z%]{0,6}[ \t]*(?:\n|\Z)")
_TWICE = "a line of time is printed twice: it counts once"


def _stepped(
    text: str, at: int, known: Callable[[int], re.Match[str] | None]
) -> tuple[re.Match[str], list[int]] | None:
    """Find what is known below a place, and the lines of other programs above that."""
    over: list[int] = []
    while len(over) <= _MOST_FOREIGN:
        here = _below(text, at)
        if here >= 0 and (found := known(here)):
            return found, over
        begin = here if here >= 0 else at  # the current line says more
        stop = text.find("\n", begin, begin + 400)
        if stop <= begin or _OTHERS.search(text, begin, stop):
            return None
        over.append(begin)
        at = stop
    return None


def _foreign(text: str, over: Iterable[int]) -> list[Note]:
    """Name lines of other programs."""
    lines = [(at, text[at : line_end(text, at)].strip()) for at in over]
    return [
        _doubt("repaired", f"{line[:60]!r} stands within the report of time: stepped over", at)
        for at, line in lines
    ]


class _Items(NamedTuple):
    """Values by their labels, where they end, and doubts on the lines between."""

    told: dict[str, str]
    end: int
    doubts: list[Note]


def _items(text: str, at: int, item: re.Pattern[str], labels: Container[str]) -> _Items:
    """Read values below each other, as far as their labels are known and new."""

    def known(here: int) -> re.Match[str] | None:
        match = item.match(text, here)
        return match if match and match["label"] in labels else None

    told, end, doubts, above = dict[str, str](), at, list[Note](), ""
    first = known(at) if at >= 0 else None
    found = (first, list[int]()) if first else None
    while found:
        match, over = found
        if over and told and _REST.match(text, over[0]):
            label, value = told.popitem()
            said = f"{label} {value} goes on in a line of its own: left out; join the two lines"
            doubts.append(_doubt("left out", said, over.pop(0)))
        is_new = match["label"] not in told
        if is_new:
            told[match["label"]] = match["value"].strip()
        elif match[0] == above:
            doubts.append(_doubt("repeats", _TWICE, match.start()))
        else:
            break  # of the next report
        doubts += _foreign(text, over)
        end, above = match.end(), match[0] if is_new else ""
        found = _stepped(text, end, known)
    return _Items(told, end, doubts)


# --- values by name ----------------------------------------------------------------------------

_COUNTED = (
    *("inputs", "outputs", "major_faults", "minor_faults"),
    *("voluntary_switches", "involuntary_switches"),
)
_WHOLE = ["real", "user", "sys"]


def _timing(told: Mapping[str, str | None]) -> Timing | None:
    """Make a report of what it says; None if its durations are not certain.

    Those that it does not name are missing.
    """
    names = [name for name in _WHOLE if told.get(name)]
    found = durations([told[name] or "" for name in names])
    if not found:
        return None
    known = dict(zip(names, found, strict=True))
    doubts = _lacking(known)
    kib = told.get("max_rss") or ""
    share = (told.get("cpu_pct") or "?").rstrip("%").replace(",", ".")
    extras = [("cpu_pct", share)] * (share != "?")  # as GNU prints when no time has passed
    extras += [(name, count) for name in _COUNTED if (count := told.get(name))]
    # a share of the processor is held against the times, as far as digits go
    if len(known) == len(_WHOLE) and share[0].isdigit() and not _is_share(float(share), **known):
        said = f"{share} % CPU is not (user + sys) / real: the times are kept as printed"
        doubts.append(_doubt("contradiction", said))
    real, user, sys = (known[name].seconds if name in known else None for name in _WHOLE)
    return Timing(
        *(real, user, sys),
        # 0 was not measured
        max_rss_bytes=int(kib) * 1024 or None if kib.isdigit() and len(kib) < 16 else None,
        extras=tuple(extras),
        doubts=tuple(doubts),
    )


def _lacking(known: Container[str]) -> list[Note]:
    """Tell which times are missing."""
    said = "is missing or cut: left out; paste the report as it was printed"
    return [_doubt("incomplete", f"the {name} time {said}") for name in _WHOLE if name not in known]


def _is_share(share: float, real: Duration, user: Duration, sys: Duration) -> bool:
    """Whether a share of the processor can be that of the times."""
    step = 10.0**-real.places
    if real.seconds <= step:
        return True
    busy, slack = user.seconds + sys.seconds, 2 * max(10.0**-user.places, 0.01)
    low, high = (busy - slack) / (real.seconds + step), (busy + slack) / (real.seconds - step)
    return 100 * low - 1 <= share <= 100 * high + 1


# --- durations with labels ---------------------------------------------------------------------

_IS = r"(?:[ \t]+|[ \t]*[:=][ \t]*)"
# from one label to the next, beside it or below
_ON = (
    r"(?:[ \t]+|[ \t]*[^\w\s.:=+-]{1,2}[ \t]*|[ \t]*->[ \t]*|(?<=s))(?=[A-Za-z])"
    rf"|{_BELOW.pattern}"
)
# lines may have been joined with nothing between: "0m0.600suser"
_LABEL = re.compile(
    rf"(?P<label>[Rr]eal|elapsed|[Uu]ser|[Ss]ys(?:tem)?){_IS}(?P<value>{VALUE}|[.,][0-9]{{1,9}}s?)"
    rf"(?:(?<=s)(?=[Uu]ser|[Ss]ys)|{END})(?P<on>{_ON})?"
)
_MEANT = {"e": "real", "r": "real", "u": "user", "s": "sys"}
_MOST = 12  # labels
# a line may have been wrapped, or its blanks doubled
_S = r"[ \t]*+\n?+[ \t]*+"
_B = rf"(?=\s){_S}"
_THEN = rf"(?:{_B}|[ \t]*,{_S})"
_NEXT = rf"{_IS}{VALUE} ?real{_THEN}{VALUE} ?user{_THEN}{VALUE} ?sys(?:tem)?"
# with a value behind the last label, that one and all others stand before theirs
_BEHIND = re.compile(
    rf"real{_THEN}(?P<user>{VALUE}) ?user{_THEN}(?P<sys>{VALUE}) ?sys(?:tem)?{END}"
    rf"(?!(?:(?>{_NEXT})){{0,9}}+{_IS}[0-9])"
)
_VALUE = re.compile(rf"(?<![\w.,:])({VALUE}) ?\Z")
_OF_SYS = re.compile(rf"[Ss]ys(?:tem)?{_IS}\Z")


def _labels(text: str, at: int) -> Found | None:
    """Read a report whose first label (real) is at the position."""
    start = _line_start(text, at)
    if start is None or (at and text[at - 1].isalpha()):  # "unreal 5"
        return None
    value = _VALUE.search(text[max(start, at - 40) : at])
    behind = _BEHIND.match(text, at) if value else None
    if value and behind:
        return _behind(text, at - len(value[0]), {"real": value[1], **behind.groupdict()}, behind)
    is_odd = value is not None and not _OF_SYS.search(text[start : at - len(value[0])])
    return _before(text, at, start if is_odd else None)


def _before(text: str, at: int, odd: int | None) -> Found | None:
    """Read labels that stand before their values; where the line has one more, it begins there."""
    end, labels, texts, doubts = at, list[str](), list[str](), list[Note]()
    match = _LABEL.match(text, at)
    for _ in range(_MOST):
        if not match:
            break
        name, value, on = match.groups()
        label = _MEANT[name[0].lower()]
        if labels == _WHOLE and label == "real":
            break
        if (
            labels
            and (label, value) == (labels[-1], texts[-1])
            and "\n" in text[end : match.start()]
        ):
            doubts.append(_doubt("repeats", _TWICE, match.start()))
        else:
            labels.append(label)
            texts.append(value)
        end = match.end("value")
        match = _LABEL.match(text, match.end()) if on is not None else None
        if match is None and labels in (_WHOLE[:1], _WHOLE[:2]) and duration(value):
            wanted = _WHOLE[len(labels)]
            match, over = _labelled(text, end, wanted)
            doubts += _foreign(text, over)
    if len(labels) < 2 or labels[0] != "real":
        return None
    is_one_line = "\n" not in text[at:end]
    is_whole = labels == _WHOLE and not (odd is not None and is_one_line)
    found = durations(texts) if is_whole else None
    if not found:
        told = " ".join(text[at if odd is None else odd : end].split())
        said = f"not a complete report of time ({told:.80}): left out; paste it as it was printed"
        return at, end, Timing(None, doubts=(_doubt("incomplete", said),))
    user, sys, doubted = _toybox(texts, found, is_one_line=is_one_line)
    timing = Timing(found[0].seconds, user, sys, doubts=(*doubted, *doubts))
    if found[0].unit:  # not of time -lp
        return at, end, timing
    return at, *_listed(text, end, at - (_line_start(text, at) or 0), timing)


def _labelled(text: str, at: int, wanted: str) -> tuple[re.Match[str] | None, list[int]]:
    """Find the next label of a report, behind lines of other programs."""

    def known(here: int) -> re.Match[str] | None:
        match = _LABEL.match(text, here)
        return match if match and _MEANT[match[1][0].lower()] == wanted else None

    found = _stepped(text, at, known)
    if not found or any(_REST.match(text, over) for over in found[1]):
        return None, []
    return found


def _toybox(
    texts: list[str], found: list[Duration], *, is_one_line: bool
) -> tuple[float | None, float | None, tuple[Note, ...]]:
    """Read user and sys as toybox means them, where the report may be toybox's.

    toybox prints three lines; in one, three decimals each are rather a ``TIMEFORMAT``'s.
    """
    real, *cpu = found
    user, sys = cpu[0].seconds, cpu[1].seconds
    if real.unit or real.places != 3:
        return user, sys, ()
    if not all(3 <= one.places <= 6 and not one.unit for one in cpu):
        return user, sys, ()
    if any(one.places > 3 for one in cpu):
        parts = [re.split("[.,]", text) for text in texts[1:]]
        micros = [int(whole) * 10**6 + int(rest) for whole, rest in parts]
        said = "toybox: the decimals of user and sys are microseconds without leading zeros"
        return micros[0] / 10**6, micros[1] / 10**6, (_doubt("meaning", said, severity="info"),)
    if user.is_integer() and sys.is_integer():
        return user, sys, ()
    if is_one_line:
        said = "user and sys are taken for seconds; toybox's would lack zeros: use time -p"
        return user, sys, (_doubt("meaning", said),)
    said = "user and sys may be toybox's, whose decimals lack zeros: left out; use time -p"
    certain = [one if one.is_integer() else None for one in (user, sys)]
    return certain[0], certain[1], (_doubt("left out", said),)


_COUNT = re.compile(
    r"(?P<value>[0-9]{1,18})  ?(?P<label>[a-z][a-z ]{3,40}[a-z])(?=[ \t]*(?:\n|\Z))"
)
_RSS = "maximum resident set size"
_MACOS = ("instructions retired", "cycles elapsed", "peak memory footprint")
_UNCOUNTED = (  # by the kernels
    *("average shared memory size", "average unshared data size", "average unshared stack size"),
    *("swaps", "messages sent", "messages received", "signals received"),
)
# label of -l: name among the extras, if it is one
_LISTED = {
    **dict.fromkeys((_RSS, *_UNCOUNTED), ""),
    "page reclaims": "minor_faults",
    "page faults": "major_faults",
    "minor page faults": "minor_faults",
    "major page faults": "major_faults",
    "block input operations": "inputs",
    "block output operations": "outputs",
    "voluntary context switches": "voluntary_switches",
    "involuntary context switches": "involuntary_switches",
    **{label: label.replace(" ", "_") for label in _MACOS},
}


def _behind(text: str, at: int, told: dict[str, str], match: re.Match[str]) -> Found | None:
    """Read labels that stand behind their values, and the list of ``-l``."""
    timing = _timing(told)
    if not timing:
        return None
    indent = at + len(told["real"]) - (_line_start(text, at) or 0) - 12  # %9ld.%02ld
    end = match.end()
    again = _again(text, at, end)
    if again > 0 and _COUNT.match(text, max(0, _below(text, again))):
        doubt = _doubt("repeats", _TWICE, end + 1)
        end, timing = again, timing._replace(doubts=(*timing.doubts, doubt))
    return at, *_listed(text, end, indent, timing)


def _listed(text: str, end: int, indent: int, timing: Timing) -> tuple[int, Timing]:
    """Read the list of ``-l`` below times that are indented as they are."""
    above = _stepped(text, end, lambda here: _COUNT.match(text, here))
    if not above or above[0]["label"] not in _LISTED or _REST.match(text, [end, *above[1]][-1]):
        return end, timing
    first = above[0].start()
    found = _items(text, first, _COUNT, _LISTED)
    rss, doubts = None, [*timing.doubts, *_foreign(text, above[1]), *found.doubts]
    size = int(found.told.get(_RSS) or 0)
    if size:  # 0: not measured
        at = text.index(f"{size} ", first) + len(f"{size}")
        # %20ld on macOS, %10ld elsewhere and long ago
        if at - (_line_start(text, at) or 0) - indent == 20 or not found.told.keys().isdisjoint(
            _MACOS
        ):
            rss = size
        # bytes are whole pages
        elif "minor page faults" in found.told or size % 4096:
            rss = size * 1024 if size < 2**53 else None
        else:
            said = f"{_RSS} {size}: bytes (macOS) or KiB (BSD), the report does not tell: left out"
            doubts.append(_doubt("left out", said))
    listed = [(_LISTED[label], str(int(count))) for label, count in found.told.items()]
    extras = tuple(pair for pair in listed if pair[0])
    return found.end, timing._replace(max_rss_bytes=rss, extras=extras, doubts=tuple(doubts))


# --- a line, with values before their labels ---------------------------------------------------

_N = r"[0-9]{1,15}"
_SECONDS = r"[0-9]{1,10}[.,][0-9]{1,9}"
# %U, %*U, %mU
_OF_ZSH = rf"(?:{CLOCK}|{_SECONDS}s?|[0-9]{{1,15}}[mun]s)"
_ZSH = re.compile(
    rf"(?<![\w.,:])(?P<user>{_OF_ZSH}){_S}user{_B}(?P<sys>{_OF_ZSH}){_S}system{_B}"
    rf"(?:(?P<cpu_pct>[0-9]{{1,9}})%{_S}cpu{_B})?(?P<real>{_OF_ZSH}){_S}total{END}"
)
_TCSH = re.compile(
    rf"(?<![\w.,:+])(?P<user>{_SECONDS})u{_B}(?P<sys>{_SECONDS})s{_B}(?P<real>{CLOCK}){_B}"
    rf"(?P<cpu_pct>[0-9]{{1,9}}(?:[.,][0-9])?)%"
    rf"(?:{_B}{_N}\+{_N}k{_B}(?P<inputs>{_N})\+(?P<outputs>{_N})io"
    rf"{_B}(?P<major_faults>{_N})pf\+{_N}w{END})?"
)
_TCSH_REST = re.compile(rf"{_B}{_N}\+{_N}")
_GNU = re.compile(
    rf"(?<![\d.,:])(?P<user>[0-9]{{1,10}}[.,][0-9]{{2}})user{_B}"
    rf"(?P<sys>[0-9]{{1,10}}[.,][0-9]{{2}})system{_B}(?P<real>{CLOCK})elapsed{_B}"
    rf"(?P<cpu_pct>[0-9]{{1,9}}|\?)%CPU"
    rf"(?:{_B}\({_N}avgtext\+{_N}avgdata{_B}(?P<max_rss>{_N})maxresident\)k)?"
)
_GNU_BELOW = re.compile(
    rf"(?P<inputs>{_N})inputs\+(?P<outputs>{_N})outputs{_B}"
    rf"\((?P<major_faults>{_N})major\+(?P<minor_faults>{_N})minor\)pagefaults{_B}{_N}swaps{END}"
)
_WIDEST = 400  # characters from a place to where its line begins or ends, wrapped or not


Told = dict[str, str | None]


def _line(text: str, at: int, form: re.Pattern[str]) -> tuple[int, int, Told] | None:
    """Match a form around a place, also where its line was wrapped, within a word if need be."""
    low, high = max(0, at - _WIDEST), at + _WIDEST
    match = _around(text, _line_start(text, at) or low, at, high, form)
    match = match or _around(text, low, at, high, form)
    start, end = match.span() if match else (at, at)
    told = match.groupdict() if match else {}
    if (not told or None in told.values()) and "\n" in text[low:high]:
        places = [place for place in range(low, min(high, len(text))) if text[place] != "\n"]
        flat, here = text[low:high].replace("\n", ""), bisect_left(places, at)
        match = _around(flat, 0, here, len(flat), form)
        if match and all(match[name] == value for name, value in told.items() if value):
            start, end = places[match.start()], places[match.end() - 1] + 1
            told = match.groupdict()
    user = told.get("user") or ""
    # the number is broken, or a line that ends in another stands above it
    if "\n" in text[start : start + len(user)] and not text.endswith("  ", 0, start):
        told["user"] = None
    return (start, end, told) if told else None


def _around(text: str, low: int, at: int, high: int, form: re.Pattern[str]) -> re.Match[str] | None:
    for match in form.finditer(text, low, high):
        if match.end() > at:
            return match if match.start() <= at else None
    return None


_STATUS = "non-zero status "
_USER = re.compile(r"(?:0|[1-9][0-9]*)[.,][0-9]+")


def _gnu(text: str, at: int) -> Found | None:
    """Read the two lines of GNU time."""
    found = _line(text, at, _GNU)
    if not found:
        return None
    start, end, told = found
    if text.endswith(_STATUS, 0, start):  # the line above was joined
        user = told["user"] or "0"
        cuts = [cut for cut in (1, 2, 3) if user[0] != "0" and _USER.fullmatch(user, cut)]
        at = start + (cuts[0] if len(cuts) == 1 else 0)
        told["user"], start = user[at - start :] if at > start else None, at
    doubts: list[Note] = []
    if told["max_rss"]:  # the format with a second line
        below = _gnu_below(text, end)
        if not below and (again := _again(text, start, end)) > 0:
            below, doubts = _gnu_below(text, again), [_doubt("repeats", _TWICE, end + 1)]
        if below:
            end, more, over = below
            told |= more
            doubts += _foreign(text, over)
    timing = _timing(told)
    return (start, end, timing._replace(doubts=(*timing.doubts, *doubts))) if timing else None


def _again(text: str, start: int, end: int) -> int:
    """Find where a line ends that is printed once more below itself; -1 if it is not."""
    below = _below(text, end)
    return below + end - start if below >= 0 and text.startswith(text[start:end], below) else -1


def _gnu_below(text: str, at: int) -> tuple[int, Told, list[int]] | None:
    """Find the second line, which may be joined or wrapped, or have others above it."""
    if match := _GNU_BELOW.match(text, at):
        return match.end(), match.groupdict(), []
    if stepped := _stepped(text, at, lambda here: _GNU_BELOW.match(text, here)):
        return stepped[0].end(), stepped[0].groupdict(), stepped[1]
    below = _below(text, at)
    found = _line(text, below, _GNU_BELOW) if below >= 0 else None
    return (found[1], found[2], []) if found else None


def _tcsh(text: str, at: int) -> Found | None:
    """Read the line of tcsh."""
    found = _line(text, at, _TCSH)
    timing = _timing(found[2]) if found else None
    if not found or not timing:
        return None
    start, end, told = found
    if told["inputs"] is None and _TCSH_REST.match(text, end):
        message = "the blocks and faults of tcsh's line are cut: left out; paste the whole line"
        timing = timing._replace(doubts=(*timing.doubts, _doubt("incomplete", message)))
    return start, end, timing


# the user time stands behind two blanks, and a wrapped line may end within it
_BROKEN = re.compile(r"  [0-9]{1,9}[.,]?[0-9]{0,9}\n\Z")


def _zsh(text: str, at: int) -> Found | None:
    """Read a line of zsh."""
    found = _line(text, at, _ZSH)
    start = _line_start(text, found[0]) if found else None
    if not found or start is None:
        return None
    user, end, told = found
    said = text[start:user]
    command = said.strip()
    if not command and _BROKEN.search(text, max(0, start - 24), start):
        told["user"] = None
    timing = _timing(told)
    if not timing:
        return None
    if command in ("shell", "children"):
        return None
    kept = said.lstrip().removesuffix("  ")
    size = len(kept.encode("utf-8", "replace"))
    if size >= 75 or (size >= 60 and ("  " in kept or kept.endswith(" "))):
        message = "zsh seems to have cut the command: it is kept in extras"
        doubt = _doubt("incomplete", message, severity="info")
        timing = timing._replace(
            extras=(*timing.extras, ("command", command)), doubts=(*timing.doubts, doubt)
        )
        command = ""
    return start, end, timing._replace(command=command or None)


# --- lists and tables --------------------------------------------------------------------------

_AVERAGES = ("shared text", "unshared data", "stack", "total", "resident set")
# label of -v, GNU's and BusyBox's, then toybox's: what it is
_VERBOSE = {
    **{f"Average {what} size (kbytes)": "" for what in _AVERAGES},
    **dict.fromkeys(("Swaps", "Socket messages sent", "Socket messages received"), ""),
    **dict.fromkeys(("Signals delivered", "Page size (bytes)"), ""),
    "User time (seconds)": "user",
    "System time (seconds)": "sys",
    "Percent of CPU this job got": "cpu_pct",
    "Elapsed (wall clock) time (h:mm:ss or m:ss)": "real",
    "Maximum resident set size (kbytes)": "max_rss",
    "Major (requiring I/O) page faults": "major_faults",
    "Minor (reclaiming a frame) page faults": "minor_faults",
    "Voluntary context switches": "voluntary_switches",
    "Involuntary context switches": "involuntary_switches",
    "File system inputs": "inputs",
    "File system outputs": "outputs",
    "Exit status": "exit_status",
    "Real time (s)": "real",
    "User time (s)": "user",
    "System time (s)": "sys",
    "Max RSS (KiB)": "max_rss",
    "Major faults": "major_faults",
    "Minor faults": "minor_faults",
}
_ITEM = re.compile(
    r"(?P<label>[A-Z][A-Za-z (/:)]{3,50}): (?P<value>[0-9?][0-9a-z.,: ]{0,30}%?)"
    r"(?=[ \t]*(?:\n|\Z))"
)
_COMMAND = re.compile(
    r'Command being timed: ["“”](?P<command>.*)["”][ \t]*\n'
    rf"(?P<over>(?:[^\n]{{1,400}}\n){{0,{_MOST_FOREIGN}}}?)[^\n]{{0,100}}\Z",
    re.S,
)


def _verbose(text: str, at: int) -> Found | None:
    """Read the list of ``-v``, whose first duration is at the position."""
    start = _line_start(text, at)
    if start is None:
        return None
    found = _items(text, at, _ITEM, _VERBOSE)
    told = {_VERBOSE[label]: value for label, value in found.told.items() if _VERBOSE[label]}
    # what cannot be read is missing, and the other lines stay certain
    unread = [name for name in _WHOLE if not duration(told.get(name, ""))]
    timing = _timing({name: value for name, value in told.items() if name not in unread})
    if not timing or len(told) < 2:
        return None
    said = told.get("exit_status", "")
    if said.isdigit() and len(said) < 11:
        timing = timing._replace(exit_status=int(said), failed=bool(int(said)))
    timing = timing._replace(doubts=(*timing.doubts, *found.doubts))
    low = text.rfind("Command being timed: ", max(0, start - 8192), start)
    named = _COMMAND.match(text, low, at) if low >= 0 else None
    if not named or _OTHERS.search(named["over"]):
        return at, found.end, timing
    places = accumulate(map(len, named["over"].splitlines(True)), initial=named.start("over"))
    over = _foreign(text, [*places][:-1])
    timing = timing._replace(command=named["command"], doubts=(*over, *timing.doubts))
    return low, found.end, timing


_PARTS = {
    "Days": Decimal(86400),
    "Hours": Decimal(3600),
    "Minutes": Decimal(60),
    "Seconds": Decimal(1),
    "Milliseconds": Decimal("0.001"),
}
_PROPERTIES = {*_PARTS, *map("Total{}".format, _PARTS), "Ticks"}
_PROPERTY = re.compile(
    r"[ \t]*(?P<label>(?:Total)?(?:Days|Hours|Minutes|Seconds|Milliseconds)|Ticks)[ \t]*:[ \t]*"
    rf"(?P<value>[0-9]{{1,18}}(?:[.,][0-9]{{1,20}})?(?:E-[0-9]{{2}})?){END}"
)


def _powershell(text: str, at: int) -> Found | None:
    """Read the properties of a TimeSpan, whose ``TotalSeconds`` is at the position."""
    begin = _line_start(text, at)
    if begin is None or text[begin:at].strip(" \t"):
        return None
    for above, line in islice(lines_above(text, begin), 9):
        item = _PROPERTY.match(line)
        if not item or item["label"] in ("TotalSeconds", "TotalMilliseconds"):
            break
        begin = above
    said = _items(text, begin, _PROPERTY, _PROPERTIES)
    if "TotalSeconds" not in said.told:
        return None
    value = {name: Decimal(number.replace(",", ".")) for name, number in said.told.items()}
    total = value["TotalSeconds"]
    slack = max(Decimal("1e-6"), total * Decimal("1e-12"))
    wrong = "Ticks" in value and abs(total - value["Ticks"] / 10**7) > slack
    if value.keys() >= _PARTS.keys():
        rest = total - sum(value[name] * worth for name, worth in _PARTS.items())
        wrong |= not -slack < rest < _PARTS["Milliseconds"] + slack
    message = "TotalSeconds is not what the other properties say: it is kept"
    doubt = _doubt("contradiction", message)
    doubts = (*said.doubts, *(doubt,) * wrong)
    return begin, said.end, Timing(float(total), doubts=doubts)


_CELL = r"[0-9]{1,10}[.,][0-9]{2} [a-z]{4,12}"
_ROW = re.compile(
    r"(?P<label>Executed in|usr time|sys time) +"
    rf"(?P<value>{_CELL}(?: +fish +external| +{_CELL} +{_CELL})?)(?=[ \t]*(?:\n|\Z))"
)
_ROWS = {"Executed in": "real", "usr time": "user", "sys time": "sys"}
_FISH_CELL = re.compile(r"([0-9.,]+) ([a-z]+)")
_RULE = re.compile(r"_{20,80}\n[ \t]*\Z")
_UNITS = {
    **dict.fromkeys(("micros", "microseconds"), Decimal("0.000001")),
    **dict.fromkeys(("millis", "milliseconds"), Decimal("0.001")),
    **dict.fromkeys(("secs", "seconds"), Decimal(1)),
    **dict.fromkeys(("mins", "minutes"), Decimal(60)),
    "hours": Decimal(3600),
}


def _fish(text: str, at: int) -> Found | None:
    """Read the table of fish, whose first word is at the position."""
    found = _items(text, at, _ROW, _ROWS)
    known, is_apart = dict[str, float](), False
    for label, value in found.told.items():
        cells = _FISH_CELL.findall(value)
        if any(unit not in _UNITS for _, unit in cells):  # one that fish does not have
            return None
        total, *parts = [Decimal(number.replace(",", ".")) * _UNITS[unit] for number, unit in cells]
        known[_ROWS[label]] = float(total)
        if parts:  # fish and external
            slack = sum(_UNITS[unit] for _, unit in cells) / 200
            is_apart |= abs(total - sum(parts)) > slack
    if len(known) < 2:
        return None
    message = "user or sys is not what fish and external add up to: kept as printed"
    said = _doubt("contradiction", message)
    doubts = (*_lacking(known), *(said,) * is_apart, *found.doubts)
    rule = _RULE.search(text, max(0, at - 120), at)
    real, user, sys = map(known.get, _WHOLE)
    timing = Timing(real, user, sys, doubts=doubts)
    return rule.start() if rule else at, found.end, timing


_READ: dict[str, Callable[[str, int], Found | None]] = {  # the most frequent first
    "labels": _labels,
    "verbose": _verbose,
    "zsh": _zsh,
    "gnu": _gnu,
    "tcsh": _tcsh,
    "fish": _fish,
    "powershell": _powershell,
}
_FORMS = [(re.compile(TIMES[name]), read) for name, read in _READ.items()]


# --- runs and rows -----------------------------------------------------------------------------


def read(document: Document, rows: Rows) -> None:
    """Read a text that holds nothing but timings."""
    read_reports(document, rows, add)
    if not rows.runs and document.reports:
        first = document.reports[0]
        raise ParseError(document.name, first.data.doubts[0].message, line=first.line)


def parse(text: str, match: re.Match[str]) -> Found | None:
    """Read the report that has one of the forms' beginnings at the match."""
    for beginning, form in _FORMS:
        if beginning.match(match[0]) and (found := form(text, match.start())):
            start, end, timing = _ended(text, found)
            placed = [
                doubt._replace(line=text.count("\n", start, max(start, doubt.line or 0)))
                for doubt in timing.doubts
            ]
            return start, end, timing._replace(doubts=tuple(placed))
    return None


def add(rows: Rows, report: Report, session: Session) -> int:
    """Add a timing as a run of its own."""
    timing: Timing = report.data
    run = None
    if timing.is_told:
        run = rows.start_run(
            tool="time",
            format="time",
            command=session.command or timing.command,
            host=session.host,
            duration_s=timing.real,
            status="error" if timing.failed else "ok",
        )
    add_timing(rows, report, session, run)
    return rows.runs


def add_timing(rows: Rows, report: Report, session: Session, run: int | None) -> None:
    """Add a timing to a run that another report began."""
    timing: Timing = report.data
    if timing.is_told:
        named = shell.untimed(session.command) if session.command else None
        rows.add(
            "timings",
            run=run,
            command=timing.command or named,
            real_s=timing.real,
            user_s=timing.user,
            sys_s=timing.sys,
            max_rss_bytes=timing.max_rss_bytes,
            exit_status=timing.exit_status,
        )
    for name, text in timing.extras:
        rows.add("extras", run=run, path=f"time/{name}", text=text)
    for doubt in timing.doubts:
        rows.say(doubt._replace(line=report.line + (doubt.line or 0)), run)
    if timing.failed:
        how = f"with status {timing.exit_status}" if timing.exit_status else "by a signal"
        message = f"time: the command ended {how}"
        rows.say(Note("failed", "warning", report.line, message), run)
