"""The figures of runs of DISKSPD that are laid out alike: what threads did, and what all of them.

They are arrays by run, entry (a thread on a target, and behind them the whole run) and direction.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fiotools.readers.diskspd import checks
from fiotools.readers.diskspd.buckets import DIRECTIONS
from fiotools.readers.diskspd.shapes import AMOUNTS, RATES, USAGE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fiotools.readers.diskspd.elements import Spot
    from fiotools.readers.diskspd.shapes import Layout, Values

    Array = NDArray[Any]

_WAYS = len(DIRECTIONS)
_TOTAL = DIRECTIONS.index("total")  # of the others


class Figures:
    """What runs of one layout measured.

    Parameters
    ----------
    layout : Layout
    values : sequence of Values
        Of each run.

    Attributes
    ----------
    seconds : numpy.ndarray
        Of each run; nan where that is not said.
    said : numpy.ndarray
        How many threads each run says it had; -1 where it does not.
    threads : numpy.ndarray
        By run and thread: its number; -1 where it has none.
    sizes : numpy.ndarray
        By run and entry, but for whole runs: the size of the target; -1 where that is not said.
    moved : numpy.ndarray
        By run, entry and direction: whether there was any I/O.
    of : dict of str to numpy.ndarray
        The columns of `AMOUNTS` and `RATES`, by run, entry and direction; the rates hold only where
        there was I/O, and are nan where they are missing.
    groups : numpy.ndarray
        By run and processor (then averages): the group; -1 where that is not said.
    usage : numpy.ndarray
        Of the same, `USAGE`.
    """

    def __init__(self, layout: Layout, values: Sequence[Values]) -> None:
        self.layout = layout
        runs, entries = len(values), len(layout.entries)
        wholes: Array = np.array([run.wholes for run in values], dtype=np.int64)
        numbers: Array = np.array([run.numbers for run in values], dtype=np.float64)
        first = 1 + len(layout.targets)
        self.said, self.threads = wholes[:, 0], wholes[:, 1:first]
        width = 1 + len(AMOUNTS) * _WAYS
        last = first + entries * width
        of_entries = wholes[:, first:last].reshape(runs, entries, width)
        self.sizes, self.groups = of_entries[..., 0], wholes[:, last:]
        amounts = of_entries[..., 1:].reshape(runs, entries, len(AMOUNTS), _WAYS)
        # the totals are not in the XML; where nothing was done, bytes are none either
        done = amounts[:, :, -1:] != 0
        totals = np.where(done, amounts, 0).sum(axis=1, keepdims=True)
        amounts = np.concatenate([amounts, totals], axis=1)
        last = 1 + (1 + entries) * len(RATES) * _WAYS
        rates = numbers[:, 1:last].reshape(runs, 1 + entries, len(RATES), _WAYS)
        rates = np.roll(rates, -1, axis=1)  # that of the run is printed above those of the entries
        self.seconds, self.usage = numbers[:, 0], numbers[:, last:].reshape(-1, len(USAGE))
        self.of = {one.column: amounts[:, :, at] for at, one in enumerate(AMOUNTS)}
        for at, one in enumerate(RATES):
            of_ns = one.column.endswith("_ns")
            self.of[one.column] = np.rint(rates[:, :, at] * 1e6) if of_ns else rates[:, :, at]
        self.moved = self.of["total_ios"] != 0
        self._pool()

    def _pool(self) -> None:
        """Make a target's mean and deviation that 2.2 leaves out; its parts are all the I/O."""
        moved = self.moved[:, :-1]
        ios, means, deviations = (
            self.of[name][:, :-1] for name in ("total_ios", "lat_mean_ns", "lat_stddev_ns")
        )
        parts, total = moved[..., :_TOTAL], means[..., _TOTAL]
        lacks = moved[..., _TOTAL] & np.isnan(total) & parts.any(axis=-1)
        n, mean, deviation = (
            np.where(parts, figures[..., :_TOTAL], 0)[lacks] for figures in (ios, means, deviations)
        )
        count = n.sum(axis=-1)
        pooled = (n * mean).sum(axis=-1) / count
        squares = (n * (deviation**2 + (mean - pooled[:, None]) ** 2)).sum(axis=-1)
        total[lacks] = pooled
        spread = deviations[..., _TOTAL]
        spread[lacks] = np.where(np.isnan(spread[lacks]), (squares / count) ** 0.5, spread[lacks])

    def dead(self) -> Array:
        """Say where a thread did nothing while its run did something: that is its share."""
        entry_of = np.arange(len(self.layout.targets)).repeat(self.layout.targets)
        busy = np.zeros(self.threads.shape, dtype=bool)
        run, entry = np.nonzero(self.moved[:, :-1].any(axis=-1))
        busy[run, entry_of[entry]] = True
        dead: Array = ~busy[:, entry_of, None] & self.moved[:, -1:]
        return dead

    def gaps(self, each: Sequence[int | None]) -> list[str | None]:
        """Say of each run why its sum is no total.

        Parameters
        ----------
        each : sequence of (int or None)
            How many targets each thread of a run works on.
        """
        targets = self.layout.targets
        return [
            checks.threads(_known(said), [*zip(map(_known, names), targets, strict=True)], of_each)
            for said, names, of_each in zip(
                self.said.tolist(), self.threads.tolist(), each, strict=True
            )
        ]

    def contradictions(self, blocks: Array) -> Iterator[tuple[int, Spot, str]]:
        """Say where an entry contradicts itself: its run, its spot and what is wrong.

        Parameters
        ----------
        blocks : numpy.ndarray
            By run and entry: the size of a block; -1 where that is not known.
        """
        moved = self.moved[:, :-1]
        amounts, ios = (self.of[name][:, :-1] for name in ("io_bytes", "total_ios"))
        odd = np.zeros(blocks.shape, dtype=bool)
        for amount in (amounts, ios):
            sums = np.where(moved, amount, 0)[..., :_TOTAL].sum(axis=-1)
            odd |= moved[..., _TOTAL] & (sums != amount[..., _TOTAL])
        block = blocks[..., None]
        unlike = moved & (block > 0) & (amounts > 0) & (amounts != ios * block)
        odd |= unlike.any(axis=-1)
        for run, entry in np.argwhere(odd).tolist():
            ways = np.flatnonzero(moved[run, entry]).tolist()
            rows = {DIRECTIONS[way]: self._row(run, entry, way) for way in ways}
            size = _known(int(blocks[run, entry]))
            for problem in (
                checks.parts(rows, "this target"),
                checks.blocks((row, size) for row in rows.values()),
            ):
                if problem:
                    yield run, self.layout.entries[entry], problem

    def unlike_means(self, whole: Array) -> Iterator[tuple[int, str]]:
        """Say of which whole runs the latencies of the threads do not make that of the run."""
        moved, ios, means = self.moved, self.of["total_ios"], self.of["lat_mean_ns"]
        sums = np.where(moved, ios * means, 0)[:, :-1].sum(axis=1)
        gap = np.abs(sums / np.maximum(ios[:, -1], 1) - means[:, -1])
        odd = (gap > checks.STEP_NS) & moved[:, -1] & whole[:, None]
        for run, way in np.argwhere(odd).tolist():
            entries = np.flatnonzero(moved[run, :-1, way]).tolist()
            rows = [self._row(run, entry, way) for entry in entries]
            problem = checks.means(rows, self._row(run, -1, way))
            if problem:
                yield run, f"{DIRECTIONS[way]}: {problem}"

    def _row(self, *place: int) -> dict[str, Any]:
        """Give the figures of one direction of an entry."""
        amounts = {one.column: int(self.of[one.column][place]) for one in AMOUNTS}
        mean = float(self.of["lat_mean_ns"][place])
        return {**amounts, "lat_mean_ns": None if mean != mean else mean}


def _known(number: int) -> int | None:
    return None if number < 0 else number
