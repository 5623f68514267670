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
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from functools import lru_cache, partial
from itertools import islice
from typing import NamedTuple

from fiotools.errors import ParseError
from fiotools.readers import shell
from fiotools.readers.document import (
    Document,
    Report,
    Session,
    line_start,
    lines_above,
    read_reports,
)
from fiotools.readers.formats import TIMES
from fiotools.tables import Tables

# days, hours, minutes, seconds, decimal mark, fraction, unit
_DURATION = re.compile(
    r"(?:(\d+)d ?)?(?:(\d+)h ?)?(?:(\d+)m ?)?(\d+)(?:([.,])(\d+))?(s?)", re.ASCII
)
_CLOCKED = re.compile(r"()(?:(\d+):)?(\d+):(\d\d)(?:([.,])(\d+))?()", re.ASCII)
# how they look in a line; more digits are not a duration
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
    value = float(f"{whole * 60 + int(seconds)}.{fraction or 0}")
    return Duration(value, len(fraction), mark, unit)


def durations(texts: Sequence[str]) -> list[Duration] | None:
    """Read the durations of one report: all of them, with one decimal mark, or none."""
    found = [one for one in map(duration, texts) if one is not None]
    marks = {one.mark for one in found if one.mark}
    return found if len(found) == len(texts) and len(marks) < 2 else None


class Timing(NamedTuple):
    """One report: durations in seconds, what has no column, and (severity, message) of doubts.

    If the report is not whole, ``real`` is None, and a doubt says so.
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
_line_start = partial(line_start, within=400, ends="\n\r")  # of a time's lines, none is longer

# --- lines around a report ---------------------------------------------------------------------

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


def _below(text: str, at: int) -> int:
    """Find where the next line with anything on it begins; -1 if the current one says more."""
    found = _BELOW.match(text, at)
    return found.end() if found else -1


def _ended(text: str, found: Found) -> Found:
    """Add what the line above a report says of how the command ended."""
    start, end, timing = found
    begin = _line_start(text, start) or 0
    match = _FAILED.search(text, max(0, begin - 120), begin)
    if not match:
        return found
    if timing.real is None:
        return match.start(), end, timing
    status, signal = match["status"], match["signal"]
    timing = timing._replace(
        exit_status=int(status) if status else None if signal else timing.exit_status,
        failed=True,
        extras=((("signal", signal),) if signal else ()) + timing.extras,
    )
    return match.start(), end, timing


def _items(
    text: str, at: int, item: re.Pattern[str], names: Mapping[str, str]
) -> tuple[dict[str, str], int]:
    """Read values below each other, as far as their labels are known and new; say where they end.

    Their names are those of the labels; one without a name may come again.
    """
    found, end = dict[str, str](), at
    while at >= 0 and (match := item.match(text, at)):
        name = names.get(match["label"])
        if name is None or (name and name in found):
            break
        found[name] = match["value"].strip()
        end, at = match.end(), _below(text, match.end())
    return found, end


# --- values by name ----------------------------------------------------------------------------

_COUNTED = (
    *("inputs", "outputs", "major_faults", "minor_faults"),
    *("voluntary_switches", "involuntary_switches"),
)


def _timing(told: Mapping[str, str | None]) -> Timing | None:
    """Make a report of what it says; None if not all of its durations are certain."""
    found = durations([told.get(name) or "" for name in ("real", "user", "sys")])
    if not found:
        return None
    real, user, sys = found
    kib = told.get("max_rss") or ""
    share = (told.get("cpu_pct") or "?").rstrip("%")
    extras = [("cpu_pct", share)] * (share != "?")  # as GNU prints when no time has passed
    extras += [(name, count) for name in _COUNTED if (count := told.get(name))]
    doubts: tuple[tuple[str, str], ...] = ()
    # a share of the processor is held against the times, as far as digits go
    step = 10.0**-real.places
    if share[0].isdigit() and real.seconds > step:
        busy, slack = user.seconds + sys.seconds, 2 * max(10.0**-user.places, 0.01)
        low, high = (busy - slack) / (real.seconds + step), (busy + slack) / (real.seconds - step)
        if not 100 * low - 1 <= float(share) <= 100 * high + 1:
            said = f"{share} % CPU is not (user + sys) / real: the times are kept as printed"
            doubts = (("warning", said),)
    return Timing(
        *(real.seconds, user.seconds, sys.seconds),
        # 0 was not measured
        max_rss_bytes=int(kib) * 1024 or None if kib.isdigit() and len(kib) < 16 else None,
        extras=tuple(extras),
        doubts=doubts,
    )


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
_WHOLE, _MOST = ["real", "user", "sys"], 12  # labels
_THEN = r"(?:[ \t]+|[ \t]*,[ \t]*)"
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
    end, labels, texts = at, list[str](), list[str]()
    match = _LABEL.match(text, at)
    while match and len(labels) < _MOST:
        name, value, on = match.groups()
        label = _MEANT[name[0].lower()]
        if labels == _WHOLE and label == "real":
            break
        labels.append(label)
        texts.append(value)
        end = match.end("value")
        match = _LABEL.match(text, match.end()) if on is not None else None
    if len(labels) < 2 or labels[0] != "real":
        return None
    is_one_line = "\n" not in text[at:end]
    is_whole = labels == _WHOLE and not (odd is not None and is_one_line)
    found = durations(texts) if is_whole else None
    if not found:
        told = " ".join(text[at if odd is None else odd : end].split())
        said = f"not a complete report of time ({told:.80}): left out; paste it as it was printed"
        return at, end, Timing(None, doubts=(("warning", said),))
    user, sys, doubts = _toybox(texts, found, is_one_line=is_one_line)
    return at, end, Timing(found[0].seconds, user, sys, doubts=doubts)


def _toybox(
    texts: list[str], found: list[Duration], *, is_one_line: bool
) -> tuple[float | None, float | None, tuple[tuple[str, str], ...]]:
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
        return micros[0] / 10**6, micros[1] / 10**6, (("info", said),)
    if user.is_integer() and sys.is_integer():
        return user, sys, ()
    if is_one_line:
        said = "user and sys are taken for seconds; toybox's would lack zeros: use time -p"
        return user, sys, (("warning", said),)
    said = "user and sys may be toybox's, whose decimals lack zeros: left out; use time -p"
    certain = [one if one.is_integer() else None for one in (user, sys)]
    return certain[0], certain[1], (("warning", said),)


_COUNT = re.compile(
    r"(?P<value>[0-9]{1,18})  ?(?P<label>[a-z][a-z ]{3,40}[a-z])(?=[ \t]*(?:\n|\Z))"
)
_RSS = "maximum resident set size"
_PEAK = re.compile(rf"([0-9]+) +{_RSS}")
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
    first = _below(text, match.end())
    counts, end = _items(text, first, _COUNT, {label: label for label in _LISTED})
    if not counts:
        return at, match.end(), timing
    rss, doubts = None, timing.doubts
    peak = _PEAK.search(text, first, end)
    if peak and int(peak[1]):  # 0: not measured
        size = int(peak[1])
        # %9ld.%02ld above; %20ld on macOS, %10ld elsewhere and long ago
        above = at + len(told["real"]) - (_line_start(text, at) or 0)
        columns = peak.end(1) - (_line_start(text, peak.end(1)) or 0) - above + 12
        if columns == 20 or not counts.keys().isdisjoint(_MACOS):
            rss = size
        # bytes are whole pages
        elif "minor page faults" in counts or size % 4096:
            rss = size * 1024 if size < 2**53 else None
        else:
            said = f"{_RSS} {size}: bytes (macOS) or KiB (BSD), the report does not tell: left out"
            doubts = (("warning", said),)
    listed = [(_LISTED[label], str(int(count))) for label, count in counts.items()]
    extras = tuple(pair for pair in listed if pair[0])
    return at, end, timing._replace(max_rss_bytes=rss, extras=extras, doubts=doubts)


# --- a line, with values before their labels ---------------------------------------------------

_N = r"[0-9]{1,15}"
_SECONDS = r"[0-9]{1,10}\.[0-9]{1,9}"


class _Line(NamedTuple):
    """How a line looks before and behind the word at which it is found, and the one below it."""

    before: re.Pattern[str]
    behind: re.Pattern[str]
    below: re.Pattern[str] | None = None

    def read(self, text: str, at: int) -> Found | None:
        """Read what it says; it begins with the user time."""
        before = self.before.search(text, max(0, at - 40), at)
        behind = self.behind.match(text, at)
        if not before or not behind:
            return None
        told, end = {**before.groupdict(), **behind.groupdict()}, behind.end()
        here = _below(text, end) if self.below else -1
        if self.below and here >= 0 and (more := self.below.match(text, here)):
            told, end = {**told, **more.groupdict()}, more.end()
        timing = _timing(told)
        return (before.start(), end, timing) if timing else None


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
    re.compile(
        rf"(?P<inputs>{_N})inputs\+(?P<outputs>{_N})outputs"
        rf" \((?P<major_faults>{_N})major\+(?P<minor_faults>{_N})minor\)pagefaults {_N}swaps{END}"
    ),
)


def _zsh(text: str, at: int) -> Found | None:
    """Read a line of zsh, whose ``user`` is at the position."""
    found, start = _ZSH.read(text, at), _line_start(text, at)
    if not found or start is None:
        return None
    user, end, timing = found
    said = text[start:user]
    command = said.strip()
    if command in ("shell", "children"):
        return None
    kept = said.lstrip().removesuffix("  ")
    size = len(kept.encode("utf-8", "replace"))
    if size >= 75 or (size >= 60 and ("  " in kept or kept.endswith(" "))):
        doubt = ("info", "zsh seems to have cut the command: it is kept in extras")
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
_COMMAND = re.compile(r'Command being timed: "(.*)"[ \t]*\n[^\n]{0,100}\Z', re.S)


def _verbose(text: str, at: int) -> Found | None:
    """Read the list of ``-v``, whose first duration is at the position."""
    start = _line_start(text, at)
    if start is None:
        return None
    items, end = _items(text, at, _ITEM, _VERBOSE)
    timing = _timing(items)
    if not timing:
        return None
    said = items.get("exit_status", "")
    if said.isdigit() and len(said) < 11:
        timing = timing._replace(exit_status=int(said), failed=bool(int(said)))
    if text[max(0, start - 3) : start].rstrip(" \t\n").endswith('"'):
        low = text.rfind('Command being timed: "', max(0, start - 8192), start)
        if low >= 0 and (named := _COMMAND.match(text, low, at)):
            return low, end, timing._replace(command=named[1])
    return at, end, timing


_PARTS = {
    "Days": Decimal(86400),
    "Hours": Decimal(3600),
    "Minutes": Decimal(60),
    "Seconds": Decimal(1),
    "Milliseconds": Decimal("0.001"),
}
_PROPERTIES = {name: name for name in (*_PARTS, *map("Total{}".format, _PARTS), "Ticks")}
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
    said, end = _items(text, begin, _PROPERTY, _PROPERTIES)
    if "TotalSeconds" not in said:
        return None
    value = {name: Decimal(number.replace(",", ".")) for name, number in said.items()}
    total = value["TotalSeconds"]
    slack = max(Decimal("1e-6"), total * Decimal("1e-12"))
    wrong = "Ticks" in value and abs(total - value["Ticks"] / 10**7) > slack
    if value.keys() >= _PARTS.keys():
        rest = total - sum(value[name] * worth for name, worth in _PARTS.items())
        wrong |= not -slack < rest < _PARTS["Milliseconds"] + slack
    doubt = ("warning", "TotalSeconds is not what the other properties say: it is kept")
    return begin, end, Timing(float(total), doubts=(doubt,) * wrong)


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


def _fish(text: str, at: int) -> Found | None:
    """Read the table of fish, whose first word is at the position."""
    match = _FISH.match(text, at)
    if not match:
        return None
    try:
        real, user, sys = (_cell(match, group) for group in (1, 3, 9))
        is_apart = False
        for group in (3, 9):
            if match[group + 2]:  # a sum, and its parts: fish and external
                total, *parts = (_cell(match, group + column) for column in (0, 2, 4))
                slack = sum(_UNITS[match[group + column]] for column in (1, 3, 5)) / 200
                is_apart |= abs(total - sum(parts)) > slack
    except KeyError:  # a unit that fish does not have
        return None
    said = ("warning", "user or sys is not what fish and external add up to: kept as printed")
    rule = _RULE.search(text, max(0, at - 120), at)
    timing = Timing(float(real), float(user), float(sys), doubts=(said,) * is_apart)
    return rule.start() if rule else at, match.end(), timing


def _cell(match: re.Match[str], group: int) -> Decimal:
    return Decimal(match[group].replace(",", ".")) * _UNITS[match[group + 1]]


_READ: dict[str, Callable[[str, int], Found | None]] = {  # the most frequent first
    "labels": _labels,
    "verbose": _verbose,
    "zsh": _zsh,
    "gnu": _GNU.read,
    "tcsh": _TCSH.read,
    "fish": _fish,
    "powershell": _powershell,
}
_FORMS = [(re.compile(TIMES[name]), read) for name, read in _READ.items()]


# --- runs and rows -----------------------------------------------------------------------------


def read(document: Document, tables: Tables) -> None:
    """Read a text that holds nothing but timings."""
    read_reports(document, tables, add)
    if not tables.runs and document.reports:
        first = document.reports[0]
        raise ParseError(document.name, first.data.doubts[0][1], line=first.line)


def parse(text: str, match: re.Match[str]) -> Found | None:
    """Read the report that has one of the forms' beginnings at the match."""
    for beginning, form in _FORMS:
        if beginning.match(match[0]) and (found := form(text, match.start())):
            return _ended(text, found)
    return None


def add(tables: Tables, report: Report, session: Session) -> int:
    """Add a timing as a run of its own."""
    timing: Timing = report.data
    run = None
    if timing.real is not None:
        run = tables.start_run(
            tool="time",
            format="time",
            command=session.command or timing.command,
            host=session.host,
            duration_s=timing.real,
            status="error" if timing.failed else "ok",
        )
    add_timing(tables, report, session, run)
    return tables.runs


def add_timing(tables: Tables, report: Report, session: Session, run: int | None) -> None:
    """Add a timing to a run that another report began."""
    timing: Timing = report.data
    if timing.real is not None:
        named = shell.untimed(session.command) if session.command else None
        tables.add(
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
        tables.add("extras", run=run, path=f"time/{name}", text=text)
    for severity, message in timing.doubts:
        tables.note(message, line=report.line, severity=severity, run=run)
    if timing.failed:
        how = f"with status {timing.exit_status}" if timing.exit_status else "by a signal"
        tables.note(f"time: the command ended {how}", line=report.line, severity="warning", run=run)
