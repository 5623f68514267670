"""What runs of DISKSPD measured, whichever output they were read from.

The figures of many runs are arrays by row (each thread on a target, and behind these the whole run)
and direction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from fiotools.readers.diskspd.buckets import DIRECTIONS, Curve, Sampled
from fiotools.readers.diskspd.options import Asked

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

AMOUNTS = ("io_bytes", "total_ios")
RATES = ("lat_mean_ns", "lat_stddev_ns", "iops_stddev")
SPEEDS = ("bw_bytes_per_s", "iops")
USAGE = ("usage_pct", "user_pct", "kernel_pct", "idle_pct")
MISSING = -1  # a whole number that is not there
WAYS = len(DIRECTIONS)
TOTAL = DIRECTIONS.index("total")  # of the others


@dataclass
class Run:
    """A run, of which rows are made.

    Attributes
    ----------
    number : int
        Within its file.
    asked : Asked
    line : callable
        Gives the line of an entry and a direction, by their places; behind the last entry that of
        the whole run.
    seconds : float
        nan where that is not said.
    threads, targets, sizes : list
        Of each entry (a thread on a target): its thread, its target and the size of that.
    amounts : list of int
        Of each entry and of the whole run `AMOUNTS`, of each direction. `MISSING` where there is
        none.
    rates, speeds : list of float
        Of the same `RATES`, with latencies in ms, and `SPEEDS`. nan where there is none.
    is_printed : bool
        Whether the tool printed the figures of the whole run; or they are sums.
    gap : str or None
        What is missing of the entries, so that their sum is no total.
    groups, cpus : list
        Of each processor: its group and its name.
    usage : list of float
        Of the same `USAGE`.
    extras : list of (entry, path, text)
    curves : list of Curve
    sampled : list of (Sampled or None)
        What ``-D`` sampled of each entry, and of the whole run.
    is_measured : bool
        Whether latencies were measured.
    """

    number: int
    asked: Asked
    line: Callable[[int, int], int]
    seconds: float = np.nan
    threads: Sequence[int | None] = ()
    targets: Sequence[str | None] = ()
    sizes: Sequence[int | None] = ()
    amounts: Sequence[int] = (MISSING,) * (len(AMOUNTS) * WAYS)
    rates: Sequence[float] = (np.nan,) * (len(RATES) * WAYS)
    speeds: Sequence[float] = (np.nan,) * (len(SPEEDS) * WAYS)
    is_printed: bool = False
    gap: str | None = None
    groups: Sequence[int | None] = ()
    cpus: Sequence[str | None] = ()
    usage: Sequence[float] = ()
    extras: Sequence[tuple[int | None, str, str]] = ()
    curves: Sequence[Curve] = ()
    sampled: Sequence[Sampled | None] = ()
    is_measured: bool = False


class Figures:
    """The figures of runs.

    Attributes
    ----------
    whose, entry : numpy.ndarray
        Of each row the place of its run, and its number within that, from 0.
    is_total : numpy.ndarray
        Whether a row is of a whole run.
    of : dict of str to numpy.ndarray
        The columns of `AMOUNTS`, `RATES` and `SPEEDS`, by row and direction.
    moved : numpy.ndarray
        By row and direction: whether there was any I/O.
    """

    def __init__(self, runs: Sequence[Run]) -> None:
        self.runs = runs
        sizes = np.array([len(run.threads) + 1 for run in runs])
        self.last = np.cumsum(sizes) - 1
        self.first = self.last - sizes + 1
        self.whose = np.arange(len(runs)).repeat(sizes)
        self.entry = np.arange(len(self.whose)) - self.first[self.whose]
        self.is_total = np.zeros(len(self.whose), dtype=bool)
        self.is_total[self.last] = True
        self.of = dict(_columns(AMOUNTS, [run.amounts for run in runs], np.int64))
        self.of |= _columns(RATES, [run.rates for run in runs], np.float64)
        self.of |= _columns(SPEEDS, [run.speeds for run in runs], np.float64)
        amounts, ios = self.of["io_bytes"], self.of["total_ios"]
        self.moved = np.where(ios < 0, amounts, ios) > 0
        for name in ("lat_mean_ns", "lat_stddev_ns"):
            self.of[name] = np.where(self.moved, np.rint(self.of[name] * 1e6), np.nan)
        self._pool()

    def _pool(self) -> None:
        """Make a target's mean and deviation that 2.2 leaves out; its parts are all the I/O."""
        ios, means, deviations = (
            self.of[name] for name in ("total_ios", "lat_mean_ns", "lat_stddev_ns")
        )
        is_sum = ~self.of_rows(run.is_printed for run in self.runs) & ~self.is_total
        parts, total = self.moved[:, :TOTAL], means[:, TOTAL]
        lacks = is_sum & self.moved[:, TOTAL] & np.isnan(total) & parts.any(axis=-1)
        n, mean, deviation = (
            np.where(parts, figures[:, :TOTAL], 0)[lacks] for figures in (ios, means, deviations)
        )
        count = n.sum(axis=-1)
        pooled = (n * mean).sum(axis=-1) / count
        squares = (n * (deviation**2 + (mean - pooled[:, None]) ** 2)).sum(axis=-1)
        total[lacks] = pooled
        spread = deviations[:, TOTAL]
        spread[lacks] = np.where(np.isnan(spread[lacks]), (squares / count) ** 0.5, spread[lacks])

    def of_rows(self, of_runs: Iterable[Any]) -> Array:
        """Give each row what its run has."""
        found: Array = np.array([*of_runs])[self.whose]
        return found

    def sums(self, of_rows: Array) -> Array:
        """Sum over the entries of each run."""
        entries = ~self.is_total.reshape(-1, *[1] * (of_rows.ndim - 1))
        found: Array = np.add.reduceat(np.where(entries, of_rows, 0), self.first)
        return found

    @property
    def there(self) -> Array:
        """Say of which rows and directions there is a row of `io`.

        Where a thread did nothing while its run did something, that is its share.
        """
        alive: Array = np.any(self.moved, axis=1)
        who = [
            (place, thread)
            for place, run in enumerate(self.runs)
            for thread in (*run.threads, MISSING)
        ]
        busy = {one for one, is_one in zip(who, alive.tolist(), strict=True) if is_one}
        dead = np.array([one not in busy for one in who])
        known = (self.of["io_bytes"] >= 0) | (self.of["total_ios"] >= 0)
        whole = self.of_rows(run.gap is None for run in self.runs)
        found: Array = self.moved & (whole | ~self.is_total)[:, None]
        found |= dead[:, None] & known & self.moved[self.last][self.whose]
        return found


def _columns(
    names: Sequence[str], runs: Sequence[Sequence[Any]], kind: Any
) -> Iterable[tuple[str, Array]]:
    """Give columns by row and direction of what runs list one behind the other."""
    listed = np.fromiter(chain.from_iterable(runs), kind, sum(map(len, runs)))
    return zip(names, listed.reshape(-1, len(names), WAYS).swapaxes(0, 1).copy(), strict=True)
