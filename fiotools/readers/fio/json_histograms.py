"""The bins of json+ as numbers: those of many histograms, one under another, in three arrays.

numpy reads their lines as the bytes that they are. That relies on the layout that fio 3 gives them,
to the byte; bins that are laid out otherwise are not read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from fiotools.arrays import spans
from fiotools.readers.fio import digits as fio_digits
from fiotools.readers.fio.bins import fine_edges
from fiotools.readers.fio.digits import LONGEST, PAD

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Whole: TypeAlias = NDArray[np.int64]
    Edges: TypeAlias = NDArray[np.float64]

Place: TypeAlias = tuple[int, int]

_AT_ONCE = 1 << 19  # bytes: what numpy makes of them stays in a processor's cache
_ROOM = 1 << 24  # rows: what is not used of it is never touched


@dataclass(frozen=True, slots=True)
class Bins:
    """Bins of one histogram or of several; in a document, in the place of a dict.

    Attributes
    ----------
    low, high : numpy.ndarray
        The edges of each bin, in ns.
    counts : numpy.ndarray
    """

    low: Edges
    high: Edges
    counts: Whole

    def __len__(self) -> int:
        return len(self.counts)


NONE = Bins(np.empty(0), np.empty(0), np.empty(0, dtype=np.int64))


class Histograms:
    """Histograms, by their number.

    Bins are ten million soon: they are written once, where they are to stay.

    Parameters
    ----------
    room : int
        How many bins there may be, if that is known.

    Attributes
    ----------
    sizes : list of int
        How many bins each has.
    """

    def __init__(self, room: int = _ROOM) -> None:
        self.sizes: list[int] = []
        self._size, self._room = 0, room
        kinds = (np.float64, np.float64, np.int64)
        self._arrays: list[NDArray[Any]] = [np.empty(0, kind) for kind in kinds]

    def add(self, data: bytes, places: Sequence[Place]) -> bool:
        """Read histograms.

        Parameters
        ----------
        data : bytes
        places : sequence of (start, end)
            Where the lines of each begin and end.

        Returns
        -------
        bool
            Whether all are laid out as fio does; if not, none is added.
        """
        filled = [(start, end) for start, end in places if start < end]
        before, sizes = self._size, []
        if filled:
            indent = indent_of(data, filled)
            view = memoryview(data)
            for group in _groups(filled):
                own = self._add_group(view, group, indent)
                if own is None:
                    self._size = before
                    return False
                sizes += own
        each = iter(sizes)
        self.sizes += [next(each) if start < end else 0 for start, end in places]
        return True

    def _add_group(self, view: memoryview, group: list[Place], indent: int) -> list[int] | None:
        # with a comma before each histogram, all lines are alike
        lines = b"".join([*(part for place in group for part in (b",", view[slice(*place)])), PAD])
        read = _read(lines, indent)
        if read is None:
            return None
        starts, names, counts = read
        lengths = np.array([end - start + 1 for start, end in group])
        sizes = np.diff(np.searchsorted(starts, lengths.cumsum()), prepend=0)
        rises = names[1:] > names[:-1]
        rises[sizes[:-1].cumsum() - 1] = True  # from one histogram to the next
        if not rises.all():
            return None
        self._append(*fine_edges(names, 1), counts)
        return list(sizes.tolist())

    def _append(self, *columns: NDArray[Any]) -> None:
        size = self._size + len(columns[0])
        if size > len(self._arrays[0]):
            room = max(2 * size, self._room)
            self._arrays = [self._larger(array, room) for array in self._arrays]
        for array, column in zip(self._arrays, columns, strict=True):
            array[self._size : size] = column
        self._size = size

    def _larger(self, array: NDArray[Any], room: int) -> NDArray[Any]:
        found = np.empty(room, array.dtype)
        found[: self._size] = array[: self._size]
        return found

    def each(self) -> Iterator[Bins]:
        """Give the histograms one by one; nothing is added any more."""
        start = 0
        for size in self.sizes:
            yield Bins(*(array[start : start + size] for array in self._arrays))
            start += size

    def taken(self, numbers: Whole) -> tuple[Whole, Bins]:
        """Give the sizes and the bins of some histograms; nothing is added any more."""
        sizes = np.array(self.sizes, dtype=np.int64)
        if np.array_equal(numbers, np.flatnonzero(sizes)):
            for array in self._arrays:
                array.resize(self._size, refcheck=False)  # nobody else has it
            return sizes[numbers], Bins(*self._arrays)
        starts, sizes = (sizes.cumsum() - sizes)[numbers], sizes[numbers]
        return sizes, Bins(*(spans(array, starts, sizes) for array in self._arrays))


def indent_of(data: bytes, filled: Sequence[Place]) -> int:
    """Give the blanks before the first bin."""
    first = filled[0][0]
    return data.find(b'"', first) - first - 1


def _groups(places: list[Place]) -> Iterator[list[Place]]:
    """Take as many histograms together as are quickly read at once."""
    group: list[Place] = []
    size = 0
    for start, end in places:
        group.append((start, end))
        size += end - start
        if size >= _AT_ONCE:
            yield group
            group, size = [], 0
    if group:
        yield group


def _read(data: bytes, indent: int) -> tuple[Whole, Whole, Whole] | None:
    r"""Read lines such as ``,\n   "27" : 1382``: where each begins, their names, their counts.

    None if any byte is not where it has to be, or if a count begins with a zero.
    """
    taken = np.frombuffer(data, dtype=np.uint8)
    size = len(data) - len(PAD)
    quotes = np.flatnonzero(taken == ord('"'))
    opening, closing = quotes[::2], quotes[1::2]
    if not len(quotes) or len(quotes) % 2:
        return None
    lines = opening - (indent + 2)
    count = len(lines)
    # names first, then counts
    starts = np.concatenate([opening + 1, closing + 4])
    lengths = np.empty(2 * count, dtype=np.int64)
    np.subtract(closing, starts[:count], out=lengths[:count])
    np.subtract(lines[1:], starts[count:-1], out=lengths[count:-1])
    lengths[-1] = size - starts[-1]
    if lines[0] or lengths.min() < 1 or lengths.max() > LONGEST:
        return None
    # Where everything between the numbers is a comma, a new line, a colon or a blank, it is in its
    # place: the first three are looked for there, and there are as many blanks as are left.
    blanks = count * (indent + 2) + len(PAD)
    if (
        np.count_nonzero(taken == ord(" ")) != blanks
        or (taken[lines] != ord(",")).any()
        or (taken[lines + 1] != ord("\n")).any()
        or (taken[closing + 2] != ord(":")).any()
        or (taken[starts[count:]] == ord("0")).any()
    ):
        return None
    numbers = fio_digits.numbers(data, starts, lengths)
    return None if numbers is None else (lines, numbers[:count], numbers[count:])
