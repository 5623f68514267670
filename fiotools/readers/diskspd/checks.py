"""What DISKSPD's figures must satisfy, whichever output they come from.

Both outputs say some things twice: reads and writes make the total, threads make the run, every
I/O moves one block. A check gives what is wrong: the place of the run, the line and the message.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from fiotools.readers.diskspd.buckets import DIRECTIONS
from fiotools.readers.diskspd.figures import AMOUNTS, TOTAL

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fiotools.readers.diskspd.figures import Figures

    Array = NDArray[Any]

Problem: TypeAlias = tuple[int, int, str]
_STEP_NS = 1000  # the last digit of what is printed
_MOST = 1.01 * _STEP_NS


def parts(figures: Figures) -> Iterator[Problem]:
    """Say where reads and writes are not all the I/O of an entry, or of a run as it is printed."""
    asked = ~figures.is_total | figures.of_rows(run.is_printed for run in figures.runs)
    told = np.zeros(len(asked), dtype=bool)
    for name in AMOUNTS:
        values = figures.of[name]
        both = values[:, :TOTAL].sum(axis=1)
        odd = asked & ~told & (values >= 0).all(axis=1) & (both != values[:, TOTAL])
        told |= odd
        for row in np.flatnonzero(odd).tolist():
            said = f"{name}: read + write = {both[row]}, but the total of {_who(figures, row)} is"
            yield _problem(figures, row, TOTAL, f"{said} {values[row, TOTAL]}")


def _who(figures: Figures, row: int) -> str:
    run = figures.runs[figures.whose[row]]
    if figures.is_total[row]:
        return "the run"
    return f"thread {run.threads[figures.entry[row]]}" if run.is_printed else "this target"


def blocks(figures: Figures, of_rows: Array) -> Iterator[Problem]:
    """Say of which runs not every I/O moved one block, as all of DISKSPD's do.

    Parameters
    ----------
    figures : Figures
    of_rows : numpy.ndarray
        The size of a block; 0 where that is not known.
    """
    amounts, ios = (figures.of[name] for name in AMOUNTS)
    block = of_rows[:, None]
    odd = (block > 0) & (amounts > 0) & (ios > 0) & (amounts != ios * block)
    rows, ways = np.nonzero(odd)
    _, first, often = np.unique(figures.whose[rows], return_index=True, return_counts=True)
    for at, count in zip(first.tolist(), often.tolist(), strict=True):
        row, way = int(rows[at]), int(ways[at])
        message = (
            f"{amounts[row, way]} bytes are not {ios[row, way]} I/Os of {of_rows[row]} bytes,"
            " the block size"
        )
        more = f"; nor in {count - 1} more rows" if count > 1 else ""
        yield _problem(figures, row, way, message + more)


def means(figures: Figures) -> Iterator[Problem]:
    """Say of which runs the mean latencies of the threads do not make that of the run."""
    ios, mean = figures.of["total_ios"], figures.of["lat_mean_ns"]
    counts = figures.sums(ios)
    made = figures.sums(np.where(ios > 0, ios * mean, 0)) / np.maximum(counts, 1)
    printed = mean[figures.last]
    is_whole = np.array([run.gap is None for run in figures.runs])
    odd = is_whole[:, None] & (counts > 0) & (counts == ios[figures.last])
    for run, way in np.argwhere(odd & (np.abs(made - printed) > _MOST)).tolist():
        ours, theirs = (f"{of[run, way] / 1e6:.3f} ms" for of in (made, printed))
        message = f"{DIRECTIONS[way]}: mean latencies of the threads make {ours}, not {theirs}"
        yield _problem(figures, int(figures.last[run]), way, message)


def _problem(figures: Figures, row: int, way: int, message: str) -> Problem:
    run = int(figures.whose[row])
    return run, figures.runs[run].line(int(figures.entry[row]), way), message


def gap(said: int | None, found: Sequence[tuple[int | None, int]], each: int | None) -> str | None:
    """Ask whether every thread is there, with every target that it works on.

    Parameters
    ----------
    said : int or None
        How many threads the file says there are.
    found : sequence of (thread, number of targets)
    each : int or None
        How many targets each thread works on, where that is known.
    """
    names = {name for name, _ in found}
    if len(names) != len(found):
        return "a thread is in the file twice"
    if said is not None and said != len(found):
        return f"{len(found)} of {said} threads are in the file"
    if each is not None and any(count != each for _, count in found):
        return f"not every thread has rows for its {each} targets"
    return None
