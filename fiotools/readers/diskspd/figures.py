"""The figures of runs of DISKSPD that are laid out alike: what threads did, and what all of them.

They are arrays by run, entry (a thread on a target) and direction. One run is read in the same way
as the thousand of a campaign.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
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

_TOTAL = DIRECTIONS.index("total")  # of the others
_WAYS = len(DIRECTIONS)
_WIDTH = len(RATES) * _WAYS


@dataclass
class Amounts:
    """What was moved, and how long it took; by direction, which is the last of the dimensions.

    Attributes
    ----------
    moved : numpy.ndarray
        Whether there was any I/O; the other figures hold only where there was.
    bytes, ios : numpy.ndarray
    means, deviations : numpy.ndarray
        Of the latencies, in ns; nan where they are missing.
    spreads : numpy.ndarray
        What the I/Os per second deviate.
    """

    moved: Array
    bytes: Array
    ios: Array
    means: Array
    deviations: Array
    spreads: Array


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
    named : numpy.ndarray
        By run and thread: its number; -1 where it has none.
    sizes : numpy.ndarray
        By run and entry: the size of the target; -1 where that is not said.
    entries : Amounts
        By run and entry.
    totals : Amounts
        By run.
    groups : numpy.ndarray
        By run and processor (then averages): the group; -1 where that is not said.
    usage : numpy.ndarray
        Of the same, `USAGE`.
    """

    def __init__(self, layout: Layout, values: Sequence[Values]) -> None:
        self.layout = layout
        runs, entries = len(values), len(layout.entries)
        wholes: Array = np.array([run.wholes for run in values], dtype=np.int64)
        threads = 1 + len(layout.targets)
        self.said, self.named = wholes[:, 0], wholes[:, 1:threads]
        width = 1 + len(AMOUNTS) * _WAYS
        end = threads + entries * width
        of_entries = wholes[:, threads:end].reshape(runs, entries, width)
        self.sizes, self.groups = of_entries[..., 0], wholes[:, end:]
        moved_bytes, ios = np.split(of_entries[..., 1:], len(AMOUNTS), axis=-1)
        numbers: Array = np.array([run.numbers for run in values], dtype=np.float64)
        self.seconds = numbers[:, 0]
        end = 1 + _WIDTH + entries * _WIDTH
        times = numbers[:, 1 + _WIDTH : end].reshape(runs, entries, _WIDTH)
        self.usage = numbers[:, end:].reshape(-1, len(USAGE))
        moved = ios != 0
        self.entries = Amounts(moved, moved_bytes, ios, *_rates(times))
        _pool(self.entries)
        self.totals = Amounts(
            moved.any(axis=1),
            np.where(moved, self.entries.bytes, 0).sum(axis=1),
            np.where(moved, self.entries.ios, 0).sum(axis=1),
            *_rates(numbers[:, 1 : 1 + _WIDTH]),
        )

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
                self.said.tolist(), self.named.tolist(), each, strict=True
            )
        ]

    def contradictions(self, blocks: Array) -> Iterator[tuple[int, Spot, str]]:
        """Say where an entry contradicts itself: its run, its spot and what is wrong.

        Parameters
        ----------
        blocks : numpy.ndarray
            By run and entry: the size of a block; -1 where that is not known.
        """
        one, block = self.entries, blocks[..., None]
        parts = one.moved[..., :_TOTAL]
        odd = np.zeros(blocks.shape, dtype=bool)
        for amount in (one.bytes, one.ios):
            sums = np.where(parts, amount[..., :_TOTAL], 0).sum(axis=-1)
            odd |= one.moved[..., _TOTAL] & (sums != amount[..., _TOTAL])
        unlike = one.moved & (block > 0) & (one.bytes > 0) & (one.bytes != one.ios * block)
        odd |= unlike.any(axis=-1)
        for run, entry in np.argwhere(odd).tolist():
            rows = _rows(one, run, entry)
            size = _known(int(blocks[run, entry]))
            for problem in (
                checks.parts(rows, "this target"),
                checks.blocks((row, size) for row in rows.values()),
            ):
                if problem:
                    yield run, self.layout.entries[entry], problem

    def unlike_means(self, whole: Array) -> Iterator[tuple[int, str]]:
        """Say of which whole runs the latencies of the threads do not make that of the run."""
        one, total = self.entries, self.totals
        sums = np.where(one.moved, one.ios * one.means, 0).sum(axis=1)
        gap = np.abs(sums / np.maximum(total.ios, 1) - total.means)
        odd = (gap > checks.STEP_NS) & total.moved & whole[:, None]
        for run, direction in np.argwhere(odd).tolist():
            rows = [_rows(one, run, entry) for entry in range(one.moved.shape[1])]
            word = DIRECTIONS[direction]
            known = [row[word] for row in rows if word in row]
            problem = checks.means(known, _rows(total, run)[word])
            if problem:
                yield run, f"{word}: {problem}"


def _known(number: int) -> int | None:
    return None if number < 0 else number


def _rows(amounts: Amounts, *place: int) -> dict[str, dict[str, Any]]:
    """Give the figures of one entry or run, by direction."""
    found = {}
    for at, direction in enumerate(DIRECTIONS):
        where = (*place, at)
        if amounts.moved[where]:
            mean = float(amounts.means[where])
            found[direction] = {
                "io_bytes": int(amounts.bytes[where]),
                "total_ios": int(amounts.ios[where]),
                "lat_mean_ns": None if mean != mean else mean,
            }
    return found


def _rates(numbers: Array) -> tuple[Array, ...]:
    """Take `RATES` apart; latencies are in ms, as printed with three decimals."""
    means, deviations, spreads = np.split(numbers, len(RATES), axis=-1)
    return np.rint(means * 1e6), np.rint(deviations * 1e6), spreads


def _pool(one: Amounts) -> None:
    """Make the mean and deviation that 2.2 leaves out; the parts are all the I/O there was."""
    parts, total = one.moved[..., :_TOTAL], one.means[..., _TOTAL]
    lacks = one.moved[..., _TOTAL] & np.isnan(total) & parts.any(axis=-1)
    if not lacks.any():
        return
    n, mean, deviation = (
        np.where(parts, figures[..., :_TOTAL], 0)[lacks]
        for figures in (one.ios, one.means, one.deviations)
    )
    count = n.sum(axis=-1)
    pooled = (n * mean).sum(axis=-1) / count
    squares = (n * (deviation**2 + (mean - pooled[:, None]) ** 2)).sum(axis=-1)
    total[lacks] = pooled
    spread = one.deviations[..., _TOTAL]
    spread[lacks] = np.where(np.isnan(spread[lacks]), (squares / count) ** 0.5, spread[lacks])
