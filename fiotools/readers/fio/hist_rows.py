"""The rows of a histogram log out of its text: of two thousand bins in a row few hold anything.

The bytes of some hundred rows are looked at together. What is ``0`` is left where it is, and only
the other numbers are read. Lines that are not laid out as fio does are found one by one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from fiotools.readers.fio.digits import LONGEST, PAD, numbers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Whole: TypeAlias = NDArray[np.int64]

BEFORE_BINS = 3  # time, direction, block size
_LINE = re.compile(rf"[0-9]{{1,{LONGEST}}}(?:, [0-9]{{1,{LONGEST}}})*", re.A)
_AT_ONCE = 1 << 18  # bytes: what numpy makes of them stays in a processor's cache


@dataclass(frozen=True, slots=True)
class Rows:
    """Some rows, and their bins that hold anything.

    Attributes
    ----------
    lines : numpy.ndarray
        The number of each row's line.
    heads : numpy.ndarray
        Time, direction and block size of each.
    row, bin, count : numpy.ndarray
        The bins: of which of these rows, which bin, what is in it; in the order of the log.
    """

    lines: Whole
    heads: Whole
    row: Whole
    bin: Whole
    count: Whole

    def __len__(self) -> int:
        return len(self.lines)

    def totals(self) -> Whole:
        """Return what the bins of each row add up to."""
        ends = np.searchsorted(self.row, np.arange(len(self) + 1))
        return np.diff(np.concatenate([[0], self.count.cumsum()])[ends])

    def kept(self, which: NDArray[np.bool_]) -> Rows:
        """Return some of the rows."""
        own = which[self.row]
        row = (np.cumsum(which) - 1)[self.row[own]]
        return Rows(self.lines[which], self.heads[which], row, self.bin[own], self.count[own])

    def full(self, bins: int) -> Whole:
        """Return the rows with all their bins."""
        table = np.zeros((len(self), bins), dtype=np.int64)
        table[self.row, self.bin] = self.count
        return table


def read_rows(text: str, width: int, bad: list[int]) -> Iterator[Rows]:
    """Read the whole lines of a log, some at a time.

    Parameters
    ----------
    text : str
    width : int
        How many numbers a row has.
    bad : list of int
        Gets the numbers of the lines that are no rows.
    """
    end, at, line = text.rfind("\n") + 1, 0, 1
    while at < end:
        stop = text.find("\n", min(at + _AT_ONCE, end - 1)) + 1
        part = text[at:stop]
        found = _parse(part, width)
        if found is not None:
            yield Rows(np.arange(line, line + len(found[0])), *found)
            line += len(found[0])
        else:  # rare, and slow
            lines = part.split("\n")[:-1]
            is_row = np.array([_is_row(one, width) for one in lines])
            bad += [line + i for i in np.flatnonzero(~is_row).tolist() if lines[i]]
            good = np.flatnonzero(is_row)
            found = _parse("".join(f"{lines[i]}\n" for i in good.tolist()), width)
            if found is not None:
                yield Rows(line + good, *found)
            line += len(lines)
        at = stop


def _parse(text: str, width: int) -> tuple[Whole, Whole, Whole, Whole] | None:
    """Parse whole lines together, as `Rows` has them; None unless each of them is a row."""
    # a line without end is none, and not worth the memory
    if not text or not text.isascii() or len(text) > _AT_ONCE + width * (LONGEST + 2):
        return None
    data = text.encode()
    taken = np.frombuffer(data, dtype=np.uint8)
    comma, blank, line_end = (taken == ord(sign) for sign in ", \n")
    digit = taken - np.uint8(ord("0")) < 10
    ends = comma | line_end
    begins = np.empty_like(ends)
    begins[0] = True
    np.logical_or(blank[:-1], line_end[:-1], out=begins[1:])
    # a blank behind each comma and nowhere else, digits from there to the next comma
    if (
        np.count_nonzero(digit) + 2 * np.count_nonzero(comma) + np.count_nonzero(line_end)
        != len(taken)
        or not np.array_equal(comma[:-1], blank[1:])
        or (begins & ~digit).any()
    ):
        return None
    # most numbers are "0": these are not looked at any further
    zero = begins & (taken == ord("0"))
    zero[:-1] &= ends[1:]
    begins &= ~zero
    ends[1:] &= ~zero[:-1]
    starts, lines = np.flatnonzero(begins), np.flatnonzero(line_end)
    lengths = np.flatnonzero(ends) - starts
    if len(starts) and lengths.max() > LONGEST:
        return None
    # a "0" takes three bytes with what is behind it; the others as many more as they have digits
    firsts = np.concatenate([[0], lines + 1])
    more = np.concatenate([[0], (lengths - 1).cumsum()])
    at = np.searchsorted(starts, firsts)
    if (np.diff(firsts) + 1 - np.diff(more[at]) != 3 * width).any():
        return None
    row = np.repeat(np.arange(len(lines)), np.diff(at))
    column = (starts - firsts[row] - more[:-1] + more[at[row]]) // 3
    values = numbers(data + PAD, starts, lengths)
    if values is None:
        return None
    heads = np.zeros((len(lines), BEFORE_BINS), dtype=np.int64)
    is_head = column < BEFORE_BINS
    heads[row[is_head], column[is_head]] = values[is_head]
    is_bin = ~is_head & (values > 0)  # not as 00
    return heads, row[is_bin], column[is_bin] - BEFORE_BINS, values[is_bin]


def _is_row(line: str, width: int) -> bool:
    return line.count(",") == width - 1 and _LINE.fullmatch(line) is not None
