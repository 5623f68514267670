"""time: lists and tables that say more than three durations.

GNU time's ``-v`` (BusyBox has the same list, with the time as ``1h 1m 29s``), toybox's ``-v``,
fish's table, which has a unit in every cell, and the properties of a TimeSpan, as PowerShell's
``Measure-Command`` shows it.

Traps. The peak of memory is in KiB; GNU time before 1.8 printed four times too much of it, which
the report does not tell. ``Exit status: 0`` stands there also when a signal ended the command.
Counts that Linux does not keep (swaps, messages, average sizes) are printed as 0, and left out. In
a TimeSpan ``Seconds`` is the rest beside the minutes; ``TotalSeconds`` has the decimal mark of the
culture.

Grammar: GNU time ``src/time.c`` 1.7 to 1.9, BusyBox ``miscutils/time.c`` 1.36, toybox
``toys/posix/time.c`` 0.8, fish ``src/timer.rs`` 4.
"""

from __future__ import annotations

import re
from decimal import Decimal

from fiotools.readers.time.report import (
    END,
    Found,
    Timing,
    below,
    bytes_of,
    cpu_doubts,
    durations,
    ending,
    line_start,
    timed,
)

_LISTED = (
    *("inputs", "outputs", "major_faults", "minor_faults"),
    *("voluntary_switches", "involuntary_switches"),
)

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
    timing = timed(
        found,
        command=command,
        max_rss_bytes=bytes_of(items.get("max_rss")),
        exit_status=status,
        failed=failed or bool(status),
        extras=extras,
        doubts=tuple(cpu_doubts(share, *found)),
    )
    return begin, end, timing


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
