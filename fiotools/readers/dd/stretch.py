"""dd: a stretch of many whole reports in coreutils' layout, with nothing else between them.

It stands among the tokens of `dd_lines` for those of all its lines, and gives them where something
in it or beside it asks for a closer look. What does not is runs of one plain report each.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fiotools.arrays import Vector
from fiotools.readers.dd import lines as dd_lines
from fiotools.readers.dd import reports as dd_reports
from fiotools.readers.dd.columns import Cuts
from fiotools.readers.dd.lines import Token
from fiotools.readers.dd.reports import LINES, Reports

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from fiotools.readers.dd.columns import Flags, Integers

FEW = 16  # reports: so few are read one by one
_SHORT = r"(?:[0-9]{1,3}\.[0-9]|[0-9]{1,5})"
_TIME = r"(?:0\.[0-9]{1,11}|[0-9]{1,6}(?:\.[0-9]{1,6})?)(?:e-(?:0[1-9]|1[01]))?"
# what is so laid out is nearly always found to be of reports
_SOME = re.compile(
    r"(?:[0-9]{1,15}\+[0-9]{1,15} records in\n[0-9]{1,15}\+[0-9]{1,15} records out\n"
    rf"[0-9]{{1,15}} bytes (?:\({_SHORT} [kMGTPE]?B(?:, {_SHORT} (?:[KMGTPE]i)?B)?\) )?copied, "
    rf"{_TIME} s, {_SHORT} [kMGTPE]?B/s\n){{{FEW}}}"
)
_FIRST, _MOST = 2**16, 2**20  # characters at a time: where the stretch ends soon, few are wasted


@dataclass(frozen=True, slots=True, eq=False)
class Stretch:
    """Reports one below the other.

    Attributes
    ----------
    text : str
        The text in which they stand.
    starts : numpy.ndarray
        Where each begins; last, where the line below them does.
    reports : Reports
    """

    text: str
    starts: Integers
    reports: Reports

    @property
    def end(self) -> int:
        """Where the last line ends."""
        return int(self.starts[-1]) - 1

    @property
    def lines(self) -> int:
        """How many lines they are."""
        return LINES * len(self.reports)

    def tokens(self, line: int, first: int, last: int) -> Iterator[Token]:
        """Give the tokens of some reports; the stretch begins on a line."""
        at, end = int(self.starts[first]), int(self.starts[last])
        for start, stop, number in dd_lines.segments(self.text, at, line + LINES * first):
            if start >= end:
                return
            for token in dd_lines.segment(self.text[start:stop]).tokens:
                yield dd_lines.placed(token, start, number)

    def pieces(self, line: int) -> Iterator[Many | Token]:
        """Give runs of which there is nothing to ask, and the tokens of the other reports."""
        reports = self.reports
        heads = np.flatnonzero(np.append(True, ~dd_reports.grows(reports)))
        sizes = np.diff(heads, append=len(reports))
        asked = ~dd_reports.plain(reports) | _is_on_its_way(reports, heads, sizes)
        is_asked = np.logical_or.reduceat(asked, heads)
        # with these what stands above and below may have to do
        is_asked[[0, -1]] = True
        bounds = np.flatnonzero(np.append(True, is_asked[1:] != is_asked[:-1]))
        first = 0
        for group, end in zip(bounds, [*bounds[1:], len(heads)], strict=True):
            begin, stop = int(heads[group]), int(heads[end]) if end < len(heads) else len(reports)
            if is_asked[group] or stop - begin < FEW:
                continue
            yield from self.tokens(line, first, begin)
            several = np.zeros(stop - begin, dtype=np.int64)
            several[heads[group:end] - begin] = np.where(sizes[group:end] > 1, sizes[group:end], 0)
            yield Many(line + LINES * begin, reports.take(slice(begin, stop)), several)
            first = stop
        yield from self.tokens(line, first, len(reports))


@dataclass(frozen=True, slots=True, eq=False)
class Many:
    """Runs of one plain report each.

    Attributes
    ----------
    line : int
        That of the first.
    reports : Reports
    several : numpy.ndarray
        Of a run from which on reports grow how many do, and else 0.
    """

    line: int
    reports: Reports
    several: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.reports)

    def printed(self) -> Vector:
        """Give three texts of each run, as printed: records in and out, and the rate."""
        into, out = self.reports.printed_records()
        rate, words = self.reports.printed_rates(), into.words or []
        places = np.column_stack([into.data, out.data, rate.data + np.int32(len(words))])
        return Vector(places.ravel(), words=[*words, *self.reports.rates])


def _is_on_its_way(reports: Reports, heads: Integers, sizes: Integers) -> Flags:
    """Say of every report that grows on whether it shows that its dd had not come to its end."""
    found = np.zeros(len(reports), dtype=bool)
    grown = np.flatnonzero(sizes.repeat(sizes) > 1)
    counts, place = np.unique(reports["full_in"][grown], return_inverse=True)
    is_round = np.array([dd_reports.is_round(count) for count in counts.tolist()], dtype=bool)
    found[grown] = ~is_round[place] | (reports["full_in"] != reports["full_out"])[grown]
    found[heads + sizes - 1] = False  # a last one did
    return found


def find(text: str, at: int) -> Stretch | None:
    """Find the stretch that begins at a place, if there is one."""
    if not _SOME.match(text, at):
        return None
    starts: list[Integers] = []
    parts: list[Reports] = []
    size, is_whole = _FIRST, True
    while is_whole:
        # one byte for each character
        cuts = Cuts(text[at : at + size].encode("latin-1", "replace"))
        ends = cuts.lines[: (len(cuts.lines) - 1) // LINES * LINES + 1]
        if len(ends) == 1:
            break
        above, end = ends[:-1], ends[1:]
        lines = (above[0::LINES], end[0::LINES], end[1::LINES], end[2::LINES])
        reports, good = dd_reports.read(cuts, lines)
        is_whole = bool(good.all())
        count = len(reports) if is_whole else int(good.argmin())
        places = at + cuts.behind(ends[::LINES])
        starts.append(places[:count])
        parts.append(reports.take(slice(count)))
        at, size = int(places[count]), min(2 * size, _MOST)
    if sum(map(len, parts)) < FEW:
        return None
    return Stretch(text, np.append(np.concatenate(starts), at), dd_reports.joined(parts))
