"""time: the external commands that print more than three durations.

GNU time's two lines, its ``-v`` (BusyBox has the same list, with the time as ``1h 1m 29s``),
toybox's ``-v``, and the properties of a TimeSpan, as PowerShell's ``Measure-Command`` shows it.

Traps. The peak of memory is in KiB; GNU time before 1.8 printed four times too much of it, which
the report does not tell. ``Exit status: 0`` stands there also when a signal ended the command.
Counts that Linux does not keep (swaps, messages, average sizes) are printed as 0, and left out. In
a TimeSpan ``Seconds`` is the rest beside the minutes; ``TotalSeconds`` has the decimal mark of the
culture.

Grammar: GNU time ``src/time.c`` 1.7 to 1.9, BusyBox ``miscutils/time.c`` 1.36, toybox
``toys/posix/time.c`` 0.8.
"""

from __future__ import annotations

import re
from decimal import Decimal

from fiotools.readers.time.report import (
    CLOCK,
    END,
    Found,
    Timing,
    below,
    cpu_doubts,
    durations,
    ending,
    line_start,
)

_N = r"([0-9]{1,15})"
_GNU = re.compile(
    rf"user ([0-9]{{1,10}}\.[0-9]{{2}})system ({CLOCK})elapsed ([0-9]{{1,9}}|\?)%CPU"
    rf"(?: \({_N}avgtext\+{_N}avgdata {_N}maxresident\)k)?"
)
_GNU_USER = re.compile(r"(?<![\d.,:])([0-9]{1,10}\.[0-9]{2})\Z")
_GNU_COUNTS = re.compile(
    rf"{_N}inputs\+{_N}outputs \({_N}major\+{_N}minor\)pagefaults {_N}swaps{END}"
)
_COUNTS = ("inputs", "outputs", "major_faults", "minor_faults")
_LISTED = (*_COUNTS, "voluntary_switches", "involuntary_switches")

# label of -v, GNU's and BusyBox's, then toybox's: what it is
_VERBOSE = {
    "User time (seconds)": "user",
    "System time (seconds)": "sys",
    "Percent of CPU this job got": "cpu_pct",
    "Elapsed (wall clock) time (h:mm:ss or m:ss)": "real",
    "Average shared text size (kbytes)": "",
    "Average unshared data size (kbytes)": "",
    "Average stack size (kbytes)": "",
    "Average total size (kbytes)": "",
    "Maximum resident set size (kbytes)": "max_rss",
    "Average resident set size (kbytes)": "",
    "Major (requiring I/O) page faults": "major_faults",
    "Minor (reclaiming a frame) page faults": "minor_faults",
    "Voluntary context switches": "voluntary_switches",
    "Involuntary context switches": "involuntary_switches",
    "Swaps": "",
    "File system inputs": "inputs",
    "File system outputs": "outputs",
    "Socket messages sent": "",
    "Socket messages received": "",
    "Signals delivered": "",
    "Page size (bytes)": "",
    "Exit status": "exit_status",
    "Real time (s)": "real",
    "User time (s)": "user",
    "System time (s)": "sys",
    "Max RSS (KiB)": "max_rss",
    "Major faults": "major_faults",
    "Minor faults": "minor_faults",
}
_ITEM = re.compile(r"([A-Z][A-Za-z (/:)]{3,50}): ([0-9?][0-9a-z.,: ]{0,30}%?)(?=[ \t]*(?:\n|\Z))")
_COMMAND = re.compile(r'Command being timed: "(.*)"[ \t]*\n[^\n]{0,100}\Z', re.S)

_PROPERTY = re.compile(
    r"[ \t]*((?:Total)?(?:Days|Hours|Minutes|Seconds|Milliseconds)|Ticks)[ \t]*:[ \t]*"
    rf"([0-9]{{1,18}}(?:[.,][0-9]{{1,20}})?(?:E-[0-9]{{2}})?){END}"
)
_PARTS = {
    "Days": Decimal(86400),
    "Hours": Decimal(3600),
    "Minutes": Decimal(60),
    "Seconds": Decimal(1),
    "Milliseconds": Decimal("0.001"),
}


def gnu(text: str, at: int) -> Found | None:
    """Read GNU time's two lines, whose ``user`` is at the position."""
    match, before = _GNU.match(text, at), _GNU_USER.search(text, max(0, at - 30), at)
    found = durations((match[2], before[1], match[1])) if match and before else None
    if not match or not before or not found:
        return None
    begin, status, failed, extras = ending(text, before.start())
    end = match.end()
    extras += (("cpu_pct", match[3]),) * (match[3] != "?")
    here = below(text, end)
    if here >= 0 and (counts := _GNU_COUNTS.match(text, here)):
        end = counts.end()
        extras += tuple(zip(_COUNTS, counts.groups()[:4], strict=True))
    timing = Timing(
        real=found[0].seconds,
        user=found[1].seconds,
        sys=found[2].seconds,
        max_rss_bytes=_bytes(match[6]),
        exit_status=status,
        failed=failed,
        extras=extras,
        doubts=tuple(cpu_doubts(match[3], *found)),
    )
    return begin, end, timing


def verbose(text: str, at: int) -> Found | None:
    """Read the list of ``-v``, whose first duration is at the position."""
    start = line_start(text, at)
    if start is None:
        return None
    items, here, end = dict[str, str](), at, at
    while here >= 0:
        item = _ITEM.match(text, here)
        name = _VERBOSE.get(item[1]) if item else None
        if not item or name is None or (name and name in items):
            break
        items[name] = item[2].strip()
        end, here = item.end(), below(text, item.end())
    found = durations(items.get(name, "") for name in ("real", "user", "sys"))
    if not found:
        return None
    begin, command = at, None
    if text[max(0, start - 3) : start].rstrip(" \t\n").endswith('"'):
        low = text.rfind('Command being timed: "', max(0, start - 8192), start)
        if low >= 0 and (named := _COMMAND.match(text, low, at)):
            begin, command = low, named[1]
    begin, status, failed, extras = ending(text, begin)
    said = items.get("exit_status", "")
    if status is None and not extras and said.isdigit() and len(said) < 11:
        status = int(said)
    share = items.get("cpu_pct", "?").rstrip("%")
    extras += (("cpu_pct", share),) * (share != "?")
    extras += tuple((name, items[name]) for name in _LISTED if name in items)
    timing = Timing(
        real=found[0].seconds,
        user=found[1].seconds,
        sys=found[2].seconds,
        command=command,
        max_rss_bytes=_bytes(items.get("max_rss")),
        exit_status=status,
        failed=failed or bool(status),
        extras=extras,
        doubts=tuple(cpu_doubts(share, *found)),
    )
    return begin, end, timing


def _bytes(kib: str | None) -> int | None:
    """Give bytes of KiB; 0 was not measured."""
    return int(kib) * 1024 or None if kib and kib.isdigit() and len(kib) < 16 else None


def powershell(text: str, at: int) -> Found | None:
    """Read the properties of a TimeSpan, whose ``TotalSeconds`` is at the position."""
    begin = line_start(text, at)
    if begin is None or text[begin:at].strip(" \t"):
        return None
    for _ in range(9):
        above = line_start(text, begin - 1) if begin else None
        item = None if above is None else _PROPERTY.match(text, above)
        if above is None or not item or item[1] in ("TotalSeconds", "TotalMilliseconds"):
            break
        begin = above
    said, here, end = dict[str, str](), begin, begin
    while here >= 0 and (item := _PROPERTY.match(text, here)) and item[1] not in said:
        said[item[1]] = item[2]
        end, here = item.end(), below(text, item.end())
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
