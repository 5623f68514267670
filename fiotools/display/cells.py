"""Values as people read them, with a unit and three digits; texts in one line, safe to print."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence
from typing import Any

from fiotools import units
from fiotools.vocabulary import EVERY

NONE = "-"
_ENDS = (("bytes_per_s", "B/s"), ("_ns", "ns"), ("iops", "1/s"), ("_s", "s"), ("_pct", "%"))
# commands to a terminal, or unprintable: a name in a file may hold anything
_UNSHOWN = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_BINARY = ("bs_bytes", "size_bytes")  # people give these to a tool in powers of 1024


def unit_of(column: str) -> str:
    """Return a column's base unit; nothing if the vocabulary has none."""
    known = EVERY.get(column)
    return known.unit if known else ""


def column(values: Sequence[Any], name: str, unit: str | None = None) -> tuple[list[str], bool]:
    """Write a column's values; say whether they are numbers, which stand to the right.

    Examples
    --------
    >>> column([4096, 1048576, 5000], "bs_bytes"), column([1.2e6, 9.9e6], "lat_mean_ns")
    ((['4 KiB', '1 MiB', '5.00 kB'], True), (['1.20 ms', '9.90 ms'], True))
    """
    if name == "percentile":  # three digits would make 100 of 99.95
        return [NONE if is_missing(value) else f"{value:g}" for value in values], True
    unit = unit_of(name) if unit is None else unit
    near = like(values, unit) if name not in _BINARY else None
    cells = [cell(value, unit, binary=name in _BINARY, like=near) for value in values]
    return cells, is_numeric(values, name)


def levels(values: Sequence[Any], name: str) -> list[str]:
    """Write the levels of a column with its name, for places without a heading."""
    return [NONE if is_missing(value) else printable(units.level(value, name)) for value in values]


def is_numeric(values: Sequence[Any], name: str) -> bool:
    """Say whether a column holds numbers to compare, and not names that are numbers."""
    known = EVERY.get(name)
    text = known is not None and known.dtype in ("str", "datetime")
    return not text and any(map(_is_number, values))


def like(values: Sequence[Any], unit: str) -> float | None:
    """Return the value whose prefix suits all, if they are near each other.

    Examples
    --------
    >>> like([466e6, 4364e6], "ns"), like([1e3, 4364e6], "ns")
    (4364000000.0, None)
    """
    there = [abs(value) for value in values if _is_number(value)]
    most = max(there, default=0.0)
    least = min((value for value in there if value), default=0.0)
    return most if unit and least * 1000 > most else None


def each(values: Sequence[Any], quantities: Sequence[Any]) -> list[str]:
    """Write values of several quantities, whose names end in their units.

    Examples
    --------
    >>> each([205838, 1.5e6, 12.5], ["lat_ns", "bw_bytes_per_s", "iops"])
    ['206 µs', '1.50 MB/s', '12.5 /s']
    """
    units_of = [
        next((unit for end, unit in _ENDS if str(quantity).endswith(end)), "")
        for quantity in quantities
    ]
    return [cell(value, unit) for value, unit in zip(values, units_of, strict=True)]


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def cell(value: Any, unit: str, *, binary: bool = False, like: float | None = None) -> str:
    """Write one value."""
    if is_missing(value):
        return NONE
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)):
        if math.isinf(value):
            return str(value)
        if binary and value and value % 1024 == 0:
            return units.binary(value)
        if unit:
            return units.human(float(value), unit, like=like)
        return f"{value:,}" if isinstance(value, int) else figures(value)
    if hasattr(value, "isoformat"):
        return str(value.isoformat(sep=" ", timespec="seconds")).replace("+00:00", " UTC")
    return printable(str(value))


def is_missing(value: Any) -> bool:
    """Say whether a value is None, NaN, NA or NaT."""
    if value is None or isinstance(value, str):
        return value is None
    return _is_na(value) or bool(value != value)  # NaN is not itself


def _is_na(value: Any) -> bool:
    return type(value).__name__ in ("NAType", "NaTType")


def figures(value: float | None) -> str:
    """Write a bare number in three digits."""
    if value is None or is_missing(value):
        return NONE
    if not math.isfinite(value):
        return str(value)
    if value == int(value) and abs(value) < 1e6:
        return f"{int(value):,}"
    if value and abs(value) < 0.001:
        return f"{value:.2g}"
    return units.human(value, "")


def within(value: Any, low: Any, high: Any, unit: str = "", like: float | None = None) -> str:
    """Write a value and the interval around it, their unit once.

    Examples
    --------
    >>> within(1.21e9, 1.2e9, 1.22e9, "B/s"), within(1.0, 0.952, 1.05), within(4.2, None, None)
    ('1.21 [1.20, 1.22] GB/s', '1.00 [0.952, 1.05]', '4.20')
    """
    if is_missing(value) or is_missing(low) or is_missing(high):
        return cell(value, unit, like=like)
    like = abs(value) if like is None else like
    parts = [units.human(float(one), unit, like=like).partition(" ") for one in (value, low, high)]
    number, low, high = (part[0] for part in parts)
    return f"{number} {_between(low, high)} {parts[0][2]}".rstrip()


def _between(low: str, high: str) -> str:
    sign = ";" if "," in low + high else ","  # 2,558, 2,689 would be four numbers
    return f"[{low}{sign} {high}]"


def printable(text: str) -> str:
    r"""Make one line of a text, without commands to the terminal.

    Examples
    --------
    >>> printable("a\x1b[2Jb\n c")
    'a�[2Jb c'
    """
    return _UNSHOWN.sub("\N{REPLACEMENT CHARACTER}", " ".join(text.split()))


def length(text: str) -> int:
    """Count the cells of a text: East Asian letters take two.

    Examples
    --------
    >>> length("µs"), length("秒")
    (2, 2)
    """
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    return len(text) + wide - sum(unicodedata.combining(letter) > 0 for letter in text)
