"""Many files, each of one session in which bash timed a dd: where everything stands in them.

The layout: some text, a line with a command, perhaps the progress that ``status=progress`` rewrites
with carriage returns, coreutils' report, a blank line, and bash's three lines of time. Whether the
command is one, and what stands above it, is asked elsewhere (`transcript_bulk`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fiotools.readers.dd import reports as dd_reports
from fiotools.readers.dd.columns import NEWLINE, Cuts
from fiotools.readers.dd.reports import Reports
from fiotools.readers.time import columns as time_columns

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fiotools.readers.dd.columns import Flags, Integers

_RETURN = ord("\r")
_BELOW = 8  # lines from the command, or the progress, to the end
_SLACK = 0.5  # seconds: what whole ones may be off, as in `dd_series`


class Printed(NamedTuple):
    """Figures as numbers, and the cuts at the ends of the line above and of their own."""

    reports: Reports
    above: Integers
    end: Integers

    def take(self, index: Integers) -> Printed:
        """Return some of them."""
        return Printed(self.reports.take(index), self.above[index], self.end[index])


@dataclass
class Sessions:
    """Sessions, one in each row.

    Attributes
    ----------
    cuts : Cuts
        All files, one behind the other.
    file : numpy.ndarray
        The number of the file.
    start : numpy.ndarray
        Where in it the line of the command begins.
    line : numpy.ndarray
        The number of the line below that.
    final : Printed
        The reports.
    shown : Printed
        The progress of all sessions.
    count : numpy.ndarray
        How much of it belongs to each.
    broken : numpy.ndarray of bool
        Whether the progress is not of the dd that reported.
    times : list of numpy.ndarray
        Seconds: real, user, sys.
    """

    cuts: Cuts
    file: Integers
    start: Integers
    line: Integers
    final: Printed
    shown: Printed
    count: Integers
    broken: Flags
    times: list[NDArray[np.float64]]

    def __len__(self) -> int:
        return len(self.file)

    def take(self, index: Integers) -> Sessions:
        """Return some of them."""
        return Sessions(
            self.cuts,
            self.file[index],
            self.start[index],
            self.line[index],
            self.final.take(index),
            self.shown.take(spread((np.cumsum(self.count) - self.count)[index], self.count[index])),
            self.count[index],
            self.broken[index],
            [times[index] for times in self.times],
        )


def spread(starts: Integers, counts: Integers) -> Integers:
    """Count on from each start so many times.

    Examples
    --------
    >>> spread(np.array([5, 20]), np.array([2, 3]))
    array([ 5,  6, 20, 21, 22])
    """
    behind = np.cumsum(counts)
    place: Integers = np.arange(behind[-1] if len(behind) else 0)
    return place + (starts - behind + counts).repeat(counts)


def find(texts: Sequence[bytes]) -> Sessions:
    """Find the sessions among files, each of which ends with its last line."""
    cuts = Cuts(b"".join(texts))
    stops = np.flatnonzero((cuts.kind == NEWLINE) | (cuts.kind == _RETURN))
    sizes = np.array([len(text) for text in texts])
    ends = np.cumsum(sizes)
    last = np.searchsorted(cuts.behind(stops), ends)
    above = np.append(0, last[:-1])
    is_return = cuts.kind[stops] == _RETURN
    returns = np.cumsum(is_return)
    file = np.flatnonzero(last - above >= _BELOW)
    last, above = last[file], above[file]
    # all carriage returns stand between the command and the report, the first by itself
    count = returns[last] - returns[above]
    command = last - 7 - count - (count > 0)
    good = (command > above) & ~is_return[last - 7]
    command = np.where(good, command, 1)
    good &= returns[last - 7] - returns[command] == count
    good &= (count == 0) | (cuts.at[stops[command + 1]] == cuts.at[stops[command]] + 1)
    good &= cuts.at[stops[last - 3]] == cuts.at[stops[last - 4]] + 1
    some = np.flatnonzero(good)
    file, last, above, command, count = (
        column[some] for column in (file, last, above, command, count)
    )
    lines = [stops[last - below] for below in range(_BELOW)][::-1]
    final, is_final = dd_reports.read(cuts, lines[:4])
    progress = spread(command + 2, count)
    shown, is_shown = dd_reports.read_figures(
        cuts, stops[progress - 1], stops[progress], is_progress=True
    )
    times = [
        time_columns.durations(cuts, lines[place], lines[place + 1], label)
        for place, label in ((4, b"real"), (5, b"user"), (6, b"sys"))
    ]
    owner = np.arange(len(file)).repeat(count)
    begins = np.cumsum(count) - count
    is_first = np.ones(len(owner), dtype=bool)
    is_first[1:] = owner[1:] != owner[:-1]
    grows = _grows(shown, shown.take(np.arange(1, len(owner))))
    is_odd = ~(is_shown & (shown["bytes"] > 0) & (shown["seconds"] > 0))
    is_odd[1:] |= ~grows & ~is_first[1:]
    good = is_final & times[0][1] & times[1][1] & times[2][1] & ~final["behind"]
    good &= (final["bytes"] > 0) & (final["seconds"] > 0)
    good[owner[is_odd]] = False
    has = np.flatnonzero(count)
    broken = np.zeros(len(file), dtype=bool)
    broken[has] = ~_grows(shown.take((begins + count - 1)[has]), final.take(has))
    found = Sessions(
        cuts,
        file,
        cuts.behind(stops[command - 1]) - (ends - sizes)[file],
        command - above + 1,
        Printed(final, lines[2], lines[3]),
        Printed(shown, stops[progress - 1], stops[progress]),
        count,
        broken,
        [seconds for seconds, _ in times],
    )
    return found.take(np.flatnonzero(good))


def _grows(before: Reports, after: Reports) -> Flags:
    """Whether each can be what the same dd said later, as `dd_series` asks below progress."""
    slack = np.where(before["whole"], _SLACK, 0.0)
    size = len(after)
    is_more = after["bytes"] >= before["bytes"][:size]
    return is_more & (after["seconds"] >= (before["seconds"] - slack)[:size])
