"""Many numbers at once out of text that is the same in every row but for its digits.

Two texts say what a row holds: what is left of it without digits, which must be the same row after
row, and its digits without anything else. Both take one pass over the bytes. Where a row is not
what it should be there is no answer, and the text is for a parser.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fiotools.readers.diskspd.elements import LONG

if TYPE_CHECKING:
    from numpy.typing import NDArray

DIGITS = b"0123456789"
_BLANK = b" \t\r\n"
_ELSE = bytes(set(range(256)) - set(DIGITS + b'."'))
_QUOTE = ord('"')
_WORD = 8  # bytes, the first the lowest
_PAD = b"0" * _WORD

_ONES = 0x0F0F0F0F0F0F0F0F
# for each n what makes digits of the last n bytes of a word, and nought of the others
_LAST = np.array([_ONES << 8 * (_WORD - n) & 2**64 - 1 for n in range(_WORD + 1)], dtype="<u8")
_PAIRS = np.uint64(0x000000FF000000FF)
_FIRST, _SECOND = np.uint64(100 + (1000000 << 32)), np.uint64(1 + (10000 << 32))
# a number with three decimals: its point, and the bytes before it (moved over it) and behind it
_POINT, _AT_POINT = np.uint64(ord(".") << 32), np.uint64(0xFF << 32)
_BEFORE, _BEHIND = np.uint64(0x000000FFFFFFFFFF), np.uint64(0xFFFFFF0000000000)


def rows(text: bytes, unit: bytes) -> int | None:
    """Count the rows of a text that all are the same but for blank space behind the last one.

    Parameters
    ----------
    text : bytes
        Rows without their digits.
    unit : bytes
        One row without its digits.

    Returns
    -------
    int or None
        None if anything else is in the text.

    Examples
    --------
    >>> rows(b'<a=""/> <a=""/> <a=""/>   ', b'<a=""/>')
    3
    >>> rows(b'<a=""/> <b=""/> ', b'<a=""/>') is None
    True
    """
    end = text.rfind(unit[-1:]) + 1
    behind = text.find(unit[:1], len(unit), end)
    between = text[len(unit) : behind] if behind >= 0 else b""
    count, over = divmod(end + len(between), len(unit) + len(between))
    same = text.startswith(unit) and text.startswith((between + unit) * (count - 1), len(unit))
    if over or not same or between.strip(_BLANK) or text[end:].strip(_BLANK):
        return None
    return count


@dataclass(frozen=True)
class Quoted:
    """The digits of a text of rows, in quotes.

    Attributes
    ----------
    bare : bytes
        Digits, points and quotes, and nothing else: ``"1""0.250""2""13.007"``.
    closed, size : numpy.ndarray
        For each number of each row the place of the quote behind it, and how long it is.
    """

    bare: bytes
    closed: NDArray[np.intp]
    size: NDArray[np.intp]


def quoted(text: bytes, count: int, width: int) -> Quoted | None:
    """Find the numbers in quotes; None if there are any digits outside.

    Parameters
    ----------
    text : bytes
        Rows, which are the same but for their digits.
    count, width : int
        How many rows, and how many numbers in each.
    """
    bare = _PAD + text.translate(None, _ELSE)
    quotes = np.flatnonzero(np.frombuffer(bare, np.uint8) == _QUOTE)
    if len(quotes) != 2 * count * width or not count:
        return None
    opened, closed = quotes[::2], quotes[1::2]
    beside = opened[0] != _WORD or closed[-1] != len(bare) - 1
    if beside or (opened[1:] - closed[:-1] != 1).any():
        return None
    shape = count, width
    return Quoted(bare, closed.reshape(shape), (closed - opened - 1).reshape(shape))


def values(found: Quoted, points: int) -> NDArray[np.float64] | None:
    """Read the numbers, each as Python's `float` does.

    Parameters
    ----------
    found : Quoted
    points : int
        From which number of a row on they have a point.

    Returns
    -------
    numpy.ndarray or None
        A row for each of the text's; None if one has not three digits behind its point, none
        before it, or too many.

    Examples
    --------
    >>> values(quoted(b'<a="1" b="0.250"/> <a="2" b="13.007"/>', 2, 2), 1)
    array([[ 1.   ,  0.25 ],
           [ 2.   , 13.007]])
    """
    size = found.size
    if size.min() < 1 or size[:, points:].min(initial=LONG) < len("0.000") or size.max() > LONG:
        return None
    # every byte of the text begins a word; wanted are those that end where a number does
    words: NDArray[Any] = np.ndarray(len(found.bare) - _WORD + 1, "<u8", found.bare, strides=(1,))
    digits = words[found.closed - _WORD]
    pointed = digits[:, points:]
    if ((pointed & _AT_POINT) != _POINT).any():
        return None
    pointed[...] = (pointed & _BEHIND) | ((pointed << np.uint64(8)) & _BEFORE)
    length = np.minimum(size, _WORD)
    length[:, points:] -= 1
    digits &= _LAST.take(length)
    read = _whole(digits).astype(np.float64)
    read[:, points:] /= 1000  # nearest to what is printed, as float() is
    for row, place in np.argwhere(size > _WORD).tolist():
        end = int(found.closed[row, place])
        read[row, place] = float(found.bare[end - int(size[row, place]) : end])
    return read


def _whole(words: NDArray[Any]) -> NDArray[Any]:
    """Make whole numbers of words of eight digits: pairs of them, then fours, then all."""
    pairs = words * np.uint64(10) + (words >> np.uint64(8))
    fours = (pairs & _PAIRS) * _FIRST + ((pairs >> np.uint64(16)) & _PAIRS) * _SECOND
    return fours >> np.uint64(32)
