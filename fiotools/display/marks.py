"""How a verdict is marked: by a sign before its words; its colour only repeats the sign."""

from __future__ import annotations

from typing import Literal, NamedTuple

Mood = Literal["good", "bad", "care", "open"]


class Mark(NamedTuple):
    """A sign, and the colour that goes with it."""

    sign: str
    mood: Mood


_WORDS = {
    "faster": Mark("▲", "good"),
    "better": Mark("▲", "good"),
    "higher": Mark("▲", "open"),
    "slower": Mark("▼", "bad"),
    "worse": Mark("▼", "bad"),
    "lower": Mark("▼", "open"),
    "same": Mark("=", "open"),
    "ok": Mark("✓", "good"),
    "window met": Mark("✓", "good"),
    "window not met": Mark("✕", "bad"),
    "disagrees": Mark("✕", "bad"),
    "impossible": Mark("✕", "bad"),
    "suspect": Mark("!", "care"),
    "error": Mark("✕", "bad"),
    "warning": Mark("!", "care"),
    "info": Mark("i", "open"),
}
_HOLLOW = {"▲": "△", "▼": "▽"}
MARKED = ("verdict", "severity")  # the columns whose values are marked


def mark(words: str) -> Mark:
    """Choose the mark of a verdict, or of a note's severity.

    Examples
    --------
    >>> mark("faster").sign, mark("slower by 2 to 9 %; whether by more is not settled").sign
    ('▲', '▽')
    >>> mark("one run each: not comparable").sign, mark("window not met: range 31 %").sign
    ('?', '✕')
    """
    found = next((one for start, one in _WORDS.items() if _begins(words, start)), Mark("?", "open"))
    if words.endswith("not settled"):
        return Mark(_HOLLOW.get(found.sign, "?"), found.mood)
    return found


def _begins(words: str, start: str) -> bool:
    return words == start or words.startswith((f"{start} ", f"{start}:", f"{start},"))
