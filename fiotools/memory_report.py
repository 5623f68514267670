"""The memory of the machine that a text comes from, as `free` and /proc/meminfo print it.

The options of ``free`` decide the unit of its numbers, so they mean nothing without the command;
``free -h`` and /proc/meminfo print the unit.
"""

from __future__ import annotations

import re

from fiotools import units

# free's first column, in the languages that do not translate it
_FREE = re.compile(r"^Mem:[ \t]+(\d{1,18}(?:[.,]\d{1,3})?)([KMGTP]?i?B?)(?:[ \t]|$)", re.M)
_MEMINFO = re.compile(r"^MemTotal:[ \t]+(\d{1,18})[ \t]+kB\b", re.M)
_COMMAND = re.compile(
    r"(?:^|[\s>$#;&|(])free((?:[ \t]+-{1,2}[\w=-]{1,20}){0,9})[ \t]*(?:$|[;&|>)])", re.M
)
_UNITS = {
    "-b": 1,
    "-k": 1024,
    "-m": 1024**2,
    "-g": 1024**3,
    "--bytes": 1,
    "--kibi": 1024,
    "--mebi": 1024**2,
    "--gibi": 1024**3,
    "--kilo": 1000,
    "--mega": 1000**2,
    "--giga": 1000**3,
}


def memory(text: str, command: str | None = None) -> int | None:
    r"""Return the memory in bytes that a text states; None if that is not certain.

    Parameters
    ----------
    text : str
        The output, with or without the command above it.
    command : str, optional
        The command, if it is elsewhere.

    Examples
    --------
    >>> memory("$ free -m\n               total        used\nMem:            7741         497\n")
    8117026816
    >>> memory("MemTotal:        7926928 kB\n")
    8117174272
    >>> memory("Mem:            7741         497\n")  # MiB? GiB?
    """
    told = _MEMINFO.search(text)
    if told:
        return int(told[1]) * 1024
    total = _FREE.search(text)
    if total is None:
        return None
    if total[2]:
        return round(units.size(f"{total[1]}{total[2]}", kilo=1024))
    asked = _COMMAND.search(text[: total.start()] if command is None else command)
    if asked is None or not total[1].isdecimal():
        return None
    options = asked[1].split()
    scales = {_UNITS[option] for option in options if option in _UNITS}
    if {"-h", "--human", "--si"} & {*options} or len(scales) > 1:
        return None
    # procps prints KiB, and so does BusyBox
    return int(total[1]) * (scales.pop() if scales else 1024)
