"""Text for people: in one line, safe to print, and its width."""

from __future__ import annotations

import re
import unicodedata

# commands to a terminal, or unprintable: a name in a file may hold anything
_UNSHOWN = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text: str) -> str:
    r"""Make one line of a text, without commands to the terminal.

    Examples
    --------
    >>> printable("a\x1b[2Jb\n c")
    'a�[2Jb c'
    """
    return _UNSHOWN.sub("\N{REPLACEMENT CHARACTER}", " ".join(text.split()))


def many(count: int, word: str) -> str:
    """Write a count with its word.

    Examples
    --------
    >>> many(1, "row"), many(1200, "row")
    ('1 row', '1,200 rows')
    """
    return f"{count:,} {word}{'' if count == 1 else 's'}"


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
