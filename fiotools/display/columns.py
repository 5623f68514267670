"""Tables as people read and type them: names without units, values with one, and sheets of both.

In a table for people the unit stands beside each value, so that its heading is ``lat_mean`` and not
``lat_mean_ns`` (`fiotools.tables.naming`). A layout makes a `Sheet` of an answer; `html` and
`text_table` write it.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any, Literal, NamedTuple

from fiotools import units
from fiotools.vocabulary import ANSWERS, EVERY


def named_by(names: Sequence[str], answer: str) -> list[str]:
    """Name the columns of a comparison that name a cell, and the level last.

    They stand before the baseline; where columns were moved, they are those that are not its own.
    """
    own = [name for name in names if name not in ANSWERS[answer]]
    before = [name for name in own if names.index(name) < names.index("baseline")]
    return before or own


NONE = "-"
_ENDS = (("bytes_per_s", "B/s"), ("_ns", "ns"), ("iops", "1/s"), ("_s", "s"), ("_pct", "%"))
# commands to a terminal, or unprintable: a name in a file may hold anything
_UNSHOWN = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
BINARY = ("bs_bytes", "size_bytes")  # people give these to a tool in powers of 1024


def levels(values: Sequence[Any], name: str) -> list[str]:
    """Write the levels of a column with its name, for places without a heading."""
    return [NONE if is_missing(value) else printable(units.level(value, name)) for value in values]


def is_numeric(values: Sequence[Any], name: str) -> bool:
    """Say whether a column holds numbers to compare, and not names that are numbers."""
    known = EVERY.get(name)
    text = known is not None and known.dtype in ("str", "datetime")
    return not text and any(map(is_number, values))


def unit_of_quantity(quantity: Any) -> str:
    """Return the unit of a quantity, whose name ends in it."""
    return next((unit for end, unit in _ENDS if str(quantity).endswith(end)), "")


def is_number(value: Any) -> bool:
    """Say whether a value is a finite number."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def cell(value: Any, unit: str, *, binary: bool = False, like: float | None = None) -> str:
    """Write one value."""
    if is_missing(value):
        return NONE
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)):
        if binary and value and value % 1024 == 0:
            return units.binary(value)
        if unit and math.isfinite(value):
            return units.human(float(value), unit, like=like)
        return f"{value:,}" if isinstance(value, int) else figures(value)
    if isinstance(value, datetime):
        return value.isoformat(sep=" ", timespec="seconds").replace("+00:00", " UTC")
    return printable(str(value))


def is_missing(value: Any) -> bool:
    """Say whether a value is None, NaN, NA or NaT."""
    if value is None or isinstance(value, str):
        return value is None
    # NaN is not itself
    return type(value).__name__ in ("NAType", "NaTType") or bool(value != value)


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


def within(
    value: Any,
    low: Any,
    high: Any,
    unit: str = "",
    *,
    binary: bool = False,
    like: float | None = None,
) -> str:
    """Write a value and the interval around it, their unit once."""
    if is_missing(value) or is_missing(low) or is_missing(high):
        return cell(value, unit, binary=binary, like=like)
    like = abs(value) if like is None else like
    parts = [units.human(float(one), unit, like=like).partition(" ") for one in (value, low, high)]
    number, low, high = (part[0] for part in parts)
    sign = ";" if "," in low + high else ","  # 2,558, 2,689 would be four numbers
    return f"{number} [{low}{sign} {high}] {parts[0][2]}".rstrip()


def printable(text: str) -> str:
    """Make one line of a text, without commands to the terminal."""
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


@dataclass(frozen=True)
class SheetColumn:
    """One column of a sheet."""

    head: str
    cells: list[str]
    unit: str = ""  # of all cells; it stands with the heading
    right: bool = False  # as numbers stand
    keep: int = 0  # columns with a lower number go first if the terminal is too narrow
    # how many letters a line of a sentence has at least; 0: in a terminal the text stays in one
    # line, and its middle is cut if it is very long
    wraps: int = 0
    # in a terminal the sentences of a row stand in one column, this one after these letters
    joins: str | None = None
    about: str = ""  # the meaning, a tooltip of the heading
    once: bool = False  # a text that the row above has too is written once
    names: bool = False  # the cells name their rows
    marks: Sequence[Mark] = ()  # a sign before each cell, and its colour
    links: dict[str, str] = field(default_factory=dict)  # names of files, and where to save from

    @cached_property
    def width(self) -> int:
        """The letters of the longest cell, or of the heading."""
        return max(map(length, [self.head, *self.cells]))

    def is_said(self, at: int) -> bool:
        """Say whether the row above has the same text and stands for this one too."""
        return self.once and 0 < at < len(self.cells) and self.cells[at] == self.cells[at - 1]


@dataclass
class Sheet:
    """A table with its title and notes."""

    columns: list[SheetColumn]  # all of the same length
    title: str = ""
    notes: list[str] = field(default_factory=list)
    shared: str = ""  # the values that all rows share, and that have no column
    kind: str = ""  # classes of the table in HTML
    whole: str = ""  # what has the columns for which a terminal has no room, if not the usual


Mood = Literal["good", "bad", "care", "open"]


class Mark(NamedTuple):
    """A sign, and the colour that goes with it."""

    sign: str
    mood: Mood


OPEN = Mark("?", "open")
_MARKS = {
    "faster": Mark("▲", "good"),
    "better": Mark("▲", "good"),
    "higher": Mark("▲", "open"),
    "slower": Mark("▼", "bad"),
    "worse": Mark("▼", "bad"),
    "lower": Mark("▼", "open"),
    "same": Mark("=", "open"),
    "ok": Mark("✓", "good"),
    "met": Mark("✓", "good"),
    "not met": Mark("✕", "bad"),
    "disagrees": Mark("✕", "bad"),
    "pass": Mark("✓", "good"),
    "fail": Mark("✕", "bad"),
    "impossible": Mark("✕", "bad"),
    "suspect": Mark("!", "care"),
    "note": Mark("i", "open"),
    "error": Mark("✕", "bad"),
    "warning": Mark("!", "care"),
    "info": Mark("i", "open"),
}
_HOLLOW = {"▲": "△", "▼": "▽"}
MARKED = ("verdict", "severity", "outcome")  # the columns whose values are marked


def mark(value: object, *, hollow: bool = False) -> Mark:
    """Choose the mark of a verdict, an outcome or a severity; hollow if it may not count."""
    found = _MARKS.get(str(value), OPEN)
    return Mark(_HOLLOW.get(found.sign, "?"), found.mood) if hollow else found
