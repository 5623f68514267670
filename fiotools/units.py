"""Printed amounts ("4k", "1.5MiB/s", "0m4.364s", "2,0 GB/s") to base units, and back.

Base units are bytes, seconds and nanoseconds (for latencies), as in the vocabulary. A prefix
without an ``i`` means 1000 or 1024, depending on the tool, so the caller says which.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

_PREFIXES = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4, "p": 5, "e": 6, "z": 7, "y": 8}
_SECONDS = {
    "h": 3600.0,
    "m": 60.0,
    "min": 60.0,
    "s": 1.0,
    "sec": 1.0,
    "ms": 1e-3,
    "msec": 1e-3,
    "us": 1e-6,
    "µs": 1e-6,
    "usec": 1e-6,
    "ns": 1e-9,
    "nsec": 1e-9,
}
_NUMBER = r"[+-]?\d+(?:[.,]\d+)?(?:[eE][+-]?\d+)?"
_SIZE = re.compile(rf"\s*({_NUMBER})\s*([kKmMgGtTPEZY]?)(i?)([bB]?)(?:ytes?|it)?(?:/s(?:ec)?)?\s*")
_SPAN = re.compile(rf"\s*(?:(\d+)\s*h\s*)?(?:(\d+)\s*m\s*)?(?:({_NUMBER})\s*s)?\s*")
_TIME = re.compile(rf"\s*({_NUMBER})\s*([a-zµ]*)\s*")
_AMBIGUOUS = re.compile(r"\s*[1-9]\d{0,2}(?:,\d{3})+(?!\d)")
_DIGITS = re.compile(r"(-?(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d+)?(?:e-?\d+)?)(k?)")
_CLOCK = re.compile(r"(?:\d+h)?(?:\d+m)?\d+(?:\.\d+)?s")
_RECORDS = re.compile(r"(\d+)\+(\d+)")
# how far below and above the printed number the value may be, in units of the last digit: rounded
# to the nearest, cut off, or not rounded
ROUNDING = {
    "round": (Decimal("0.5"), Decimal("0.5")),
    "trunc": (Decimal(0), Decimal(1)),
    "exact": (Decimal(0), Decimal(0)),
}
# what `free` prints: its first column, in the languages that do not translate it
_FREE = re.compile(r"^Mem:[ \t]+(\d{1,18}(?:[.,]\d{1,3})?)([KMGTP]?i?B?)(?:[ \t]|$)", re.M)
_MEMINFO = re.compile(r"^MemTotal:[ \t]+(\d{1,18})[ \t]+kB\b", re.M)
_COMMAND = re.compile(
    r"(?:^|[\s>$#;&|(])free((?:[ \t]+-{1,2}[\w=-]{1,20}){0,9})[ \t]*(?:$|[;&|>)])", re.M
)
_OF_FREE = {
    **{f"-{letter}": 1024**power for power, letter in enumerate("bkmg")},
    **{f"--{word}": 1024**power for power, word in enumerate(("bytes", "kibi", "mebi", "gibi"))},
    **{f"--{word}": 1000**power for power, word in enumerate(("kilo", "mega", "giga"), 1)},
}


def number(text: str) -> float:
    """Read one number with a decimal point or a decimal comma.

    Examples
    --------
    >>> number("2,0"), number("5.1e-05")
    (2.0, 5.1e-05)
    """
    return float(text.strip().replace(",", "."))


def size(text: str, *, kilo: int = 1024) -> float:
    """Return the bytes (or bytes per second) of a size with or without a prefix.

    ``kilo`` is the meaning of a prefix without an ``i`` in the tool that wrote it: 1024 or 1000.

    Examples
    --------
    >>> size("4k"), size("1.5MiB/s"), size("2,1 GB/s", kilo=1000)
    (4096.0, 1572864.0, 2100000000.0)
    """
    match = _SIZE.fullmatch(text)
    if not match:
        raise ValueError(f"not a size: {text!r}")
    value, prefix, binary, _ = match.groups()
    return number(value) * float(1024 if binary else kilo) ** _PREFIXES[prefix.lower()]


def seconds(text: str) -> float:
    """Return the seconds of a duration as tools print it.

    Examples
    --------
    >>> seconds("0m4.364s"), seconds("1h32m46.26s"), seconds("0,101"), seconds("4171usec")
    (4.364, 5566.26, 0.101, 0.004171)
    """
    match = _SPAN.fullmatch(text)
    if match and any(match.groups()):
        hours, minutes, rest = match.groups()
        # rounded like a decimal: 1 min + 59.802 s is 119.802 s and not 119.80199999
        return round(int(hours or 0) * 3600 + int(minutes or 0) * 60 + number(rest or "0"), 9)
    match = _TIME.fullmatch(text)
    if match and (not match[2] or match[2] in _SECONDS):
        return number(match[1]) * _SECONDS.get(match[2] or "s", 1.0)
    raise ValueError(f"not a duration: {text!r}")


def factor(unit: str, base: str | None = None) -> float:
    """Return how many base units one ``unit`` has; ``base`` is that of a time, the second or ns.

    ``kB`` is 1000 bytes, ``KiB`` 1024. ``%``, ``1/s`` and ``1`` are base units.

    Examples
    --------
    >>> factor("GB/s"), factor("MiB"), factor("ms", base="ns")
    (1000000000.0, 1048576.0, 1000000.0)
    """
    if unit in ("", "1", "1/s", "%"):
        return 1.0
    if unit in _SECONDS:
        found = _SECONDS[unit] * (1e9 if base == "ns" else 1.0)
        return float(round(found)) if found >= 1 else found
    return size(f"1{unit}", kilo=1000)


def percentile(value: float) -> str:
    """Write a percentile with all its nines: rounded, those of the tail would all be 100.

    Examples
    --------
    >>> percentile(99.0), percentile(99.99999)
    ('99', '99.99999')
    """
    return f"{value:.12g}"


def typed_size(text: str, *, kilo: int) -> float:
    """Read a size as people type it; "1,024MB", which may be 1 or 1024 of them, is refused."""
    return size(_unambiguous(text), kilo=kilo)


def _unambiguous(text: str) -> str:
    if _AMBIGUOUS.match(text):
        raise ValueError(f"{text!r} may have thousands or decimals after the comma: leave it out")
    return text


def amount(text: str, unit: str) -> int | float:
    """Read an amount as people type it, in a base unit; a bare number has that unit already.

    Examples
    --------
    >>> amount("4k", "B"), amount("100us", "ns"), amount("1.5", "")
    (4096, 100000, 1.5)
    """
    is_number = re.fullmatch(rf"\s*{_NUMBER}\s*", _unambiguous(text)) is not None
    if unit in ("B", "B/s"):
        found = size(text, kilo=1024 if unit == "B" else 1000)
    elif unit in ("s", "ns") and not is_number:
        found = float(f"{seconds(text) * (1e9 if unit == 'ns' else 1):.15g}")  # 9ms is 9e6 ns
    else:
        found = float(text)
    return int(found) if found == found // 1 else found


class Digits(NamedTuple):
    """A printed number: its value and the step of its last digit."""

    value: Decimal
    step: Decimal


def digits(printed: str) -> Digits:
    """Read a printed number.

    It has decimal digits, with or without thousands commas, or with fio's ``k`` for 1000; or it is
    a time such as ``1m59.802s``, or the records of dd (``20+0``, full and partial), which count
    together.

    Examples
    --------
    >>> digits("86.1").step, digits("1,495").value, digits("1m59.802s").value, digits("20+0").value
    (Decimal('0.1'), Decimal('1495'), Decimal('119.802'), Decimal('20'))
    >>> int(digits("1689.0k").value), int(digits("1689.0k").step)
    (1689000, 100)
    """
    text = printed.strip()
    if records := _RECORDS.fullmatch(text):
        return Digits(Decimal(int(records[1]) + int(records[2])), Decimal(1))
    if _CLOCK.fullmatch(text):
        places = len(text.rstrip("s").partition(".")[2])
        step = Decimal(1).scaleb(-places)
        return Digits(Decimal(str(seconds(text))).quantize(step), step)
    match = _DIGITS.fullmatch(text)
    if not match:
        raise ValueError(f"{printed!r} is not a printed number")
    value = Decimal(match[1].replace(",", "")).scaleb(3 if match[2] else 0)
    return Digits(value, Decimal(1).scaleb(int(value.as_tuple().exponent)))


def interval(printed: str, rounding: str) -> tuple[float, float]:
    """Return the range of values that print like this by a rounding of `ROUNDING`.

    Examples
    --------
    >>> interval("2.1", "round"), interval("0.46", "trunc"), interval("20", "exact")
    ((2.05, 2.15), (0.46, 0.47), (20.0, 20.0))
    """
    value, step = digits(printed)
    below, above = ROUNDING[rounding]
    return float(value - below * step), float(value + above * step)


def memory(text: str) -> int | None:
    """Return the memory of a machine in bytes, as `free` and /proc/meminfo print it.

    It is None if it is not certain. The options of ``free`` decide the unit of its numbers, so they
    mean nothing without the command, which stands above the output; ``free -h`` and /proc/meminfo
    print the unit.
    """
    told = _MEMINFO.search(text)
    if told:
        return int(told[1]) * 1024
    total = _FREE.search(text)
    if total is None:
        return None
    if total[2]:
        return round(size(f"{total[1]}{total[2]}", kilo=1024))
    asked = _COMMAND.search(text[: total.start()])
    if asked is None or not total[1].isdecimal():
        return None
    options = asked[1].split()
    scales = {_OF_FREE[option] for option in options if option in _OF_FREE}
    if {"-h", "--human", "--si"} & {*options} or len(scales) > 1:
        return None
    # procps prints KiB, and so does BusyBox
    return int(total[1]) * (scales.pop() if scales else 1024)


def human(value: float | None, unit: str, *, like: float | None = None, digits: int = 3) -> str:
    """Write a value in base units with the best prefix for people, and three digits.

    Sizes and rates use 1000 (``GB/s``); times go from ns to s. Neighbours can be compared if all
    have the prefix of one value, ``like``.
    """
    if value is None or not math.isfinite(value):
        return "-"
    scale, name = _prefix(abs(value if like is None else like), unit)
    number_ = value / scale
    text = _figures(number_, digits)
    told = name or ("" if unit == "1" else word(unit, None))
    return f"{text} {told}".rstrip()


_TIMES = (1.0, 1e3, 1e6, 1e9)
_SCALES = {
    "ns": _TIMES,
    "s": tuple(nanos / 1e9 for nanos in _TIMES),
    **dict.fromkeys(("B", "B/s"), tuple(1000.0**power for power in range(6))),
}


def readable(values: Sequence[float], unit: str) -> dict[float, int]:
    """Find the prefixes with which values can be read beside each other, as `human` takes them.

    With each, values lie between 0.01 and 9,999; its number is how many do not lie between 0.1 and
    999.

    Examples
    --------
    >>> readable([43.6e3, 194e3, 1.5e6], "ns")
    {1000.0: 1, 1000000.0: 1}
    >>> readable([1, 1e9], "ns")
    {}
    """
    there = [abs(value) for value in values if value]
    if not there:
        return {}
    least, most = min(there), max(there)
    fit = [one for one in _SCALES.get(unit, ()) if least / one >= 0.00995 and most / one < 9999.5]
    return {scale: sum(not 0.0995 <= one / scale < 999.5 for one in there) for scale in fit}


def word(unit: str, like: float | None) -> str:
    """Write a unit as `human` does: with the prefix of a value.

    Examples
    --------
    >>> word("B/s", 2e6), word("1/s", None), word("ns", None)
    ('MB/s', '/s', 'ns')
    """
    if unit == "1/s":
        return "/s"
    return _prefix(like, unit)[1] or unit if like else unit


def _prefix(magnitude: float, unit: str) -> tuple[float, str]:
    """Choose the prefix for a magnitude: its size in base units, and the prefixed unit."""
    if unit in ("ns", "s"):
        if not magnitude:
            return 1.0, unit  # 0 is not a few nanoseconds
        base = 1.0 if unit == "ns" else 1e-9
        for nanos, name in ((1e9, "s"), (1e6, "ms"), (1e3, "µs")):
            if magnitude >= nanos * base * 0.9995:
                return nanos * base, name
        return base, "ns"
    if unit in ("B", "B/s"):
        power = 0
        while magnitude >= 999.5 and power < 5:
            magnitude, power = magnitude / 1000, power + 1
        return 1000.0**power, f"{'  kMGTP'[power + 1].strip()}{unit}"
    return 1.0, ""


def _figures(value: float, count: int) -> str:
    """Write so many digits, and all of a whole number, without an exponent."""
    exponent = int(f"{value:.{count - 1}e}".partition("e")[2])
    return "0" if value == 0 else f"{value:,.{max(0, count - 1 - exponent)}f}"


def percent(share: float) -> str:
    """Write a share as a percentage, short.

    Examples
    --------
    >>> percent(0.05), percent(0.0213), percent(1.234)
    ('5', '2.1', '123')
    """
    value = 100 * share
    return f"{value:.0f}" if value >= 9.95 else f"{value:.1f}".removesuffix(".0")


def binary(value: float) -> str:
    """Write a size as people type it for a tool: in powers of 1024.

    Examples
    --------
    >>> binary(4096), binary(1536), binary(3 * 2**20)
    ('4 KiB', '1.5 KiB', '3 MiB')
    """
    for prefix in ("", "Ki", "Mi", "Gi"):
        if value < 1024:
            return f"{value:g} {prefix}B"
        value /= 1024
    return f"{value:,g} TiB"


def level(value: object, name: str) -> str:
    """Name a level of a condition or a label; a bare number needs its column's name.

    Examples
    --------
    >>> level("virtiofs", "mount"), level(16, "iodepth"), level(4096, "bs_bytes")
    ('virtiofs', 'iodepth 16', '4 KiB')
    """
    if isinstance(value, bool):
        return f"{name} {'yes' if value else 'no'}"
    if not isinstance(value, (int, float)):
        return str(value)
    if name.endswith("_bytes"):
        return binary(value)
    if name.endswith("_pct"):
        return f"{name.removesuffix('_pct')} {value:g} %"
    return f"{name} {percentile(value) if name == 'percentile' else f'{value:g}'}"


def sides(value: object, baseline: object, name: str) -> tuple[str, str]:
    """Name two levels that are compared, with the column's name once.

    Examples
    --------
    >>> sides(16, 1, "iodepth"), sides(16384, 4096, "bs_bytes")
    (('iodepth 16', '1'), ('16 KiB', '4 KiB'))
    """
    return level(value, name), level(baseline, name).removeprefix(f"{name} ")


def many(count: int, word: str) -> str:
    """Write a count with its word."""
    return f"{count:,} {word}{'' if count == 1 else 's'}"
