"""dd: many lines of one layout, one below the other, cut into columns of numbers at once.

The layout is coreutils' in English, which nearly all logs have: two lines of records, then bytes,
perhaps their size in one or two units, seconds and a rate. The text is cut at every byte that can
end a word there (a line's end, a space, a parenthesis, a plus sign); a line that has other cuts,
other words or longer numbers is not of this layout, and left to `dd_lines`. Digits are read eight
at a time, as the machine word that they are.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Integers: TypeAlias = NDArray[np.integer[Any]]
    Flags: TypeAlias = NDArray[np.bool_]

_WORD = 8
_PAD = bytes(2 * _WORD - 1) + b"\n"  # a word may be read that ends anywhere
NEWLINE, SPACE, _OPEN, _CLOSE, _PLUS = b"\n ()+"
_POINT, _E, _MINUS = b".e-"
_DIGITS = 15  # a float64 has them all
_TIME = 12  # digits of seconds; no logarithm of fewer is rounded to the next whole number
_TENS = 10 ** np.arange(_DIGITS + 1, dtype=np.int64)
_NUMBER, _UNIT = 5, 3  # bytes of a size or a rate, and of its unit
_TEXT = re.compile(r"[0-9]+(?:\.[0-9]{1,3})? (?:[kMGTPE]?B(?:/s)?|[KMGTPE]iB)")
# bits of a word that are not of its last bytes, so many as the place says
_SHIFTS = np.array([8 * (_WORD - count) for count in range(_WORD + 1)], dtype=np.uint64)
_BEHIND = np.uint64(8 * _NUMBER)
_ZEROS, _OVER_NINE, _TOP_BITS = np.frombuffer(b"0" * 8 + b"\x76" * 8 + b"\x80" * 8, dtype="<u8")
_PAIRS = tuple(
    (np.uint64(10**digits * 2**bits + 1), np.uint64(bits), np.uint64((2**64 - 1) // mask))
    for digits, bits, mask in ((1, 8, 257), (2, 16, 65537), (4, 32, 1 + 2**32))
)
_SHAPES = (7, 11, 13)  # cuts in a line of figures: with no size in it, one, or two


@dataclass(frozen=True, slots=True)
class Records:
    """``F+P`` of many lines, and of which lines they are certain."""

    full: Integers
    partial: Integers
    good: Flags


@dataclass(frozen=True, slots=True)
class Texts:
    """Few texts that many lines share: the texts, and for each line which; -1 for none."""

    texts: list[str]
    place: NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Figures:
    """Bytes, seconds, sizes and rates of many lines, and of which lines they are certain.

    Attributes
    ----------
    bytes : numpy.ndarray
    digits : numpy.ndarray
        Those of the seconds, without a decimal mark.
    decimals, exponent : numpy.ndarray
        How many of the digits stand behind the mark; the number behind ``e-``.
    rate, size, binary : Texts
        As printed: ``3.1 GB/s``, ``268 MB``, ``256 MiB``.
    good : numpy.ndarray
    """

    bytes: Integers
    digits: Integers
    decimals: Integers
    exponent: Integers
    rate: Texts
    size: Texts
    binary: Texts
    good: Flags


class Cuts:
    r"""A text, and where it can be cut.

    Parameters
    ----------
    text : bytes

    Attributes
    ----------
    bytes : numpy.ndarray
        The text, behind some bytes of padding.
    at, kind : numpy.ndarray
        Of each cut its place among these, and the byte that is cut at.
    lines : numpy.ndarray
        The numbers of the cuts that are ends of lines; first of one before the text.

    Examples
    --------
    >>> cuts = Cuts(b"2+0 records in\n2+0 records out\n1024 bytes copied, 0.5 s, 2.0 kB/s\n")
    >>> cuts.records(cuts.lines[:2], cuts.lines[1:3], b" in").good
    array([ True, False])
    >>> figures = cuts.figures(cuts.lines[2:3], cuts.lines[3:4])
    >>> figures.bytes, figures.digits, figures.decimals, figures.rate.texts
    (array([1024]), array([5]), array([1]), ['2.0 kB/s'])
    """

    def __init__(self, text: bytes) -> None:
        self._text = padded = _PAD + text
        self.bytes = np.frombuffer(padded, dtype=np.uint8)
        size = len(padded) - _WORD + 1
        self._words = np.ndarray(size, dtype="<u8", buffer=padded, strides=(1,))
        self.at = np.flatnonzero(self.bytes <= _PLUS)
        self.kind = self.bytes[self.at]
        self._points = np.append(np.flatnonzero(self.bytes == _POINT), len(padded))
        self.lines = np.flatnonzero(self.kind == NEWLINE)

    def behind(self, cut: Integers) -> Integers:
        """Return where in the text the words behind cuts begin."""
        return self.at[cut] + 1 - len(_PAD)

    def between(self, cut: Integers, other: Integers) -> list[str]:
        """Return what stands between cuts."""
        starts, ends = (self.at[cut] + 1).tolist(), self.at[other].tolist()
        return [self._text[a:b].decode("latin-1") for a, b in zip(starts, ends, strict=True)]

    def records(self, above: Integers, end: Integers, last: bytes) -> Records:
        """Read lines of records.

        Parameters
        ----------
        above, end : numpy.ndarray
            The cuts at the end of the line above, and of the line itself.
        last : bytes
            The line's last word, with the space before it.
        """
        good = end - above == 4
        above = np.where(good, above, 0)
        good &= self.kind[above + 1] == _PLUS
        good &= self._is(above + 3, b" records") & self._is(above + 4, last)
        full, is_full = self.number(self.at[above] + 1, self.at[above + 1])
        partial, is_partial = self.number(self.at[above + 1] + 1, self.at[above + 2])
        return Records(full, partial, good & is_full & is_partial)

    def figures(self, above: Integers, end: Integers) -> Figures:
        """Read lines of bytes, seconds and rates; cuts as for `records`."""
        cuts = end - above
        good = np.isin(cuts, _SHAPES)
        above, end = np.where(good, above, 0), np.where(good, end, max(_SHAPES))
        amount, is_amount = self.number(self.at[above] + 1, self.at[above + 1])
        good &= is_amount & self._is(above + 2, b" bytes")
        good &= self._is(end - 4, b" copied,") & (self.kind[end - 4] == SPACE)
        digits, decimals, exponent, is_time = self._seconds(self.at[end - 4] + 1, end - 3)
        good &= is_time & self._is(end - 2, b" s,") & (self.kind[end - 2] == SPACE)
        good &= self.ends(end, b"/s")
        rate = self._texts(end - 1, good, 2, "/s")
        size = self._texts(above + 4, good & (cuts > 7), np.where(cuts == 13, 1, 0))
        binary = self._texts(above + 6, good & (cuts == 13), 0)
        closed = (self.kind[end - 6] == _CLOSE) & (self.at[end - 5] - self.at[end - 6] == 1)
        opened = (self.kind[above + 3] == _OPEN) & (self.at[above + 3] - self.at[above + 2] == 1)
        opened &= self.kind[above + 2] == SPACE
        comma = self.ends(above + 5, b",") & (self.kind[above + 5] == SPACE)
        good &= (rate.place >= 0) & ((cuts == 7) | (opened & closed & (size.place >= 0)))
        good &= (cuts < 13) | (comma & (binary.place >= 0))
        return Figures(amount, digits, decimals, exponent, rate, size, binary, good)

    def _is(self, cut: Integers, word: bytes) -> Flags:
        """Whether a word, with the space before it, stands between two cuts."""
        end = self.at[cut]
        good: Flags = end - self.at[cut - 1] == len(word)
        return good & self.ends(cut, word)

    def ends(self, cut: Integers, word: bytes) -> Flags:
        """Whether something stands before a cut."""
        shift = np.uint64(8 * (_WORD - len(word)))
        found = self._words[self.at[cut] - _WORD] >> shift
        good: Flags = found == np.uint64(int.from_bytes(word, "little"))
        return good

    def number(self, start: Integers, end: Integers) -> tuple[Integers, Flags]:
        """Read the digits between two places."""
        length = end - start
        good = (length > 0) & (length <= _DIGITS)
        low, is_low = self.digits(end, np.minimum(np.maximum(length, 1), _WORD))
        good &= is_low
        if (length > _WORD).any():
            some = np.flatnonzero(good & (length > _WORD))
            high, is_high = self.digits(end[some] - _WORD, length[some] - _WORD)
            low[some] += high * _TENS[_WORD]
            good[some] &= is_high
        return low, good

    def digits(self, end: Integers, length: Integers) -> tuple[Integers, Flags]:
        """Read one to eight digits before a place."""
        shift = _SHIFTS[length]
        word = (self._words[end - _WORD] ^ _ZEROS) >> shift << shift
        good = (word + _OVER_NINE | word) & _TOP_BITS == 0
        # pairs of digits, pairs of pairs, and both halves: the first digit is the lowest byte
        for times, size, mask in _PAIRS:
            word = word * times >> size & mask
        return word.astype(np.int64), good

    def _seconds(
        self, start: Integers, cut: Integers
    ) -> tuple[Integers, Integers, Integers, Flags]:
        """Read a number as ``%g`` prints it: digits, decimals, exponent, and whether it is one."""
        end = self.at[cut]
        has_exponent = (self.bytes[end - 4] == _E) & (self.bytes[end - 3] == _MINUS)
        exponent, is_exponent = self.digits(end, np.full_like(end, 2))
        end = end - 4 * has_exponent
        point = self._points[np.searchsorted(self._points, start)]
        has_point = point < end
        point = np.where(has_point, point, end)
        whole, good = self.number(start, point)
        decimals = np.where(has_point, end - point - 1, 0)
        rest, is_rest = self.number(end - decimals, end)
        good &= is_rest | ~has_point
        good &= (is_exponent & (exponent > 0)) | ~has_exponent
        good &= point - start + decimals <= _TIME
        scale = _TENS[np.minimum(np.maximum(decimals, 0), _DIGITS)]
        digits = whole * scale + np.where(has_point, rest, 0)
        return digits, decimals, np.where(has_exponent, exponent, 0), good

    def _texts(
        self, cut: Integers, wanted: Flags, tail: int | NDArray[np.int64], behind: str = ""
    ) -> Texts:
        """Read a number and its unit: the two words before a cut and the next.

        Parameters
        ----------
        cut : numpy.ndarray
            That between number and unit.
        wanted : numpy.ndarray of bool
        tail : int or numpy.ndarray
            How many bytes behind the unit do not belong to it.
        behind : str
            What to write there.
        """
        import pandas as pd

        end, stop = self.at[cut], self.at[cut + 1] - tail
        number, unit = end - self.at[cut - 1] - 1, stop - end - 1
        fits = wanted & (number > 0) & (number <= _NUMBER) & (unit > 0) & (unit <= _UNIT)
        fits &= self.kind[cut] == SPACE
        some = np.flatnonzero(fits)
        key = self._before(end[some], number[some])
        key |= self._before(stop[some], unit[some]) << _BEHIND
        codes, keys = pd.factorize(key)
        texts = [_text(key, behind) for key in keys.tolist()]
        place = np.full(len(cut), -1, dtype=np.intp)
        if texts:
            is_text = np.array([text != "" for text in texts])
            place[some] = np.where(is_text[codes], codes, -1)
        return Texts(texts, place)

    def _before(self, end: Integers, length: Integers) -> NDArray[np.uint64]:
        """Return the bytes before a place as one number."""
        return self._words[end - _WORD] >> _SHIFTS[length]


@lru_cache(maxsize=10_000)
def _text(key: int, behind: str) -> str:
    """Write a number and its unit; nothing if they are none."""
    both = key.to_bytes(_WORD, "little").decode("latin-1")
    text = f"{both[:_NUMBER].rstrip(chr(0))} {both[_NUMBER:].rstrip(chr(0))}{behind}"
    return text if _TEXT.fullmatch(text) else ""
