"""Numbers out of bytes: eight digits at once, in the eight bytes of one whole number.

numpy's own functions make a Python object or call C's ``strtod`` for each number; here all numbers
of a text go through the same dozen multiplications, additions and masks, side by side.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Whole: TypeAlias = NDArray[np.int64]

LONGEST = 15  # digits of a number; below 2^53
PAD = b" " * 8  # must follow the last number, so that it has eight bytes too

_ZEROS, _SIXES = np.uint64(0x3030303030303030), np.uint64(0x0606060606060606)
# the upper half of each byte, the first of each two bytes, the first two of each four bytes
_UPPER, _ONE, _TWO = (
    np.uint64(mask) for mask in (0xF0F0F0F0F0F0F0F0, 0x00FF00FF00FF00FF, 0x0000FFFF0000FFFF)
)
_TEN, _HUNDRED, _MYRIAD = (
    np.uint64(factor) for factor in (10 << 8 | 1, 100 << 16 | 1, 10_000 << 32 | 1)
)
_8, _16, _32 = (np.uint64(bits) for bits in (8, 16, 32))


def numbers(data: bytes, starts: Whole, lengths: Whole) -> Whole | None:
    """Read numbers; None if any of their bytes is not a digit.

    Parameters
    ----------
    data : bytes
        A text, and `PAD`.
    starts, lengths : numpy.ndarray
        Where each number begins, and how many digits it has: 1 to `LONGEST`.

    Examples
    --------
    >>> numbers(b"7, 1234567890" + PAD, np.array([0, 3]), np.array([1, 10])).tolist()
    [7, 1234567890]
    """
    words = np.ndarray(len(data) - 7, dtype="<u8", buffer=data, strides=1)
    long = np.flatnonzero(lengths > 8)
    if not len(long):
        return _eight(words[starts], lengths)
    last = np.minimum(lengths, 8)
    found = _eight(words[starts + lengths - last], last)
    heads = _eight(words[starts[long]], lengths[long] - 8)
    if found is None or heads is None:
        return None
    found[long] += heads * 10**8
    return found


def _eight(words: NDArray[np.uint64], lengths: Whole) -> Whole | None:
    """Read the first digits, at most eight, of each eight bytes."""
    free = (64 - 8 * lengths).view(np.uint64)
    words <<= free  # bytes behind the digits are shifted out, and zeros put in front
    words ^= _ZEROS << free
    odd = words + _SIXES  # the upper half of a digit stays empty
    odd |= words
    odd &= _UPPER
    if odd.any():
        return None
    # neighbours are added up: digits, then pairs of them, then fours
    for factor, bits, mask in ((_TEN, _8, _ONE), (_HUNDRED, _16, _TWO), (_MYRIAD, _32, None)):
        words *= factor
        words >>= bits
        if mask is not None:
            words &= mask
    return words.view(np.int64)
