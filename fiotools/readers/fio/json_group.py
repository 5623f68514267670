"""Documents of one shape: from their numbers to the figures of entries, directions and bins.

What a document says is judged for all of them at once. One that says what is seldom said (an error,
a clock of another century, I/Os that fell short) is left to the reader that takes them one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from fiotools.readers.fio.json_io import Version
from fiotools.readers.fio.json_latency import is_other_count
from fiotools.readers.fio.json_listed import DIRECTIONS, Jobs, plain
from fiotools.readers.fio.json_marks import ZERO
from fiotools.readers.fio.json_rows import is_moment, ran_longer
from fiotools.readers.fio.json_shape import (
    CPU,
    EXTREMES,
    JOB,
    KINDS,
    MEANS,
    REAL,
    TOP,
    WHOLE,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from fiotools.readers.fio.json_matrix import Matrix
    from fiotools.readers.fio.json_shape import Shape

    Array = NDArray[Any]
    Texts = Sequence[Sequence[bytes]]

SYNC = DIRECTIONS.index("sync")
_SHORT, _IOS = WHOLE.index("short_ios"), WHOLE.index("total_ios")
_GROUP, _ELAPSED, _ERROR, _START, _RUNTIME = (
    JOB.index(name) for name in ("groupid", "elapsed", "error", "job_start", "job_runtime")
)

_MOST, _COUNT = EXTREMES.index("max"), EXTREMES.index("N")


class Group:
    """The figures of documents of one shape.

    Attributes
    ----------
    sound : numpy.ndarray
        Which of the documents can be taken, as far as was looked.
    reported : numpy.ndarray
        When, in ms; 0 where that is not said.
    versions : list of str or None
        Of fio.
    job, cpu : numpy.ndarray
        By document and entry: `JOB` and `CPU`.
    known, is_group : numpy.ndarray
        By document and entry: the number of the job, and whether the entry is of several jobs.
    moved : numpy.ndarray
        By document, entry and direction: whether anything was done. What was is in the rows:
    document, entry, direction : numpy.ndarray
        Of each row.
    whole, real, extremes, means, measured : numpy.ndarray
        By row `WHOLE` and `REAL`; of each kind of latency `EXTREMES`, `MEANS`, and whether it was
        measured.
    """

    def __init__(
        self, shape: Shape, matrix: Matrix, texts: Texts, jobs: Jobs, clones: Sequence[int]
    ) -> None:
        self._matrix, self._shape = matrix, shape
        documents, entries = len(texts), len(shape.descriptions)
        whole, real = _filled(matrix.whole, shape.whole), _filled(matrix.real, shape.real)
        exact, seconds = whole[:, 0], whole[:, 1] * 1000
        self.reported = np.where(is_moment(exact), exact, np.where(is_moment(seconds), seconds, 0))
        whole, real = (
            figures.reshape(documents, entries, -1) for figures in (whole[:, len(TOP) :], real)
        )
        self.job, self.cpu = whole[..., : len(JOB)], real[..., : len(CPU)]
        self.moved = np.empty((documents, entries, len(DIRECTIONS)), dtype=bool)
        self.moved[..., :SYNC] = whole[..., len(JOB) : len(JOB) + SYNC] != 0
        self._count_syncs(whole[..., len(JOB) + SYNC :], real[..., len(CPU) :])
        self.document, self.entry, self.direction = np.nonzero(self.moved)
        self._read_rows()
        self.versions = [_version(shape, one) for one in texts]
        self.known = _known(shape, texts, jobs)
        self._judge(jobs, np.array(clones)[:, None])

    def _count_syncs(self, whole: Array, real: Array) -> None:
        """Count the syncs: ``total_ios`` has those of fsync alone, ``N`` all that were timed."""
        counted, self._sync_extremes, self._sync_means = whole[..., 0], whole[..., 1:], real
        timed = _measured(self._sync_extremes, self._sync_means)
        self.moved[..., SYNC] = (counted != 0) | timed
        self._syncs = np.maximum(counted, np.where(timed, self._sync_extremes[..., _COUNT], 0))

    def _read_rows(self) -> None:
        shape, is_sync = self._shape, self.direction == SYNC
        asked = np.flatnonzero(~is_sync) if is_sync.any() else slice(None)
        documents, entries = self.document[asked], self.entry[asked]
        directions = self.direction[asked]
        whole = _filled(self._matrix.whole, shape.moved_whole[entries, directions], documents)
        real = _filled(self._matrix.real, shape.moved_real[entries, directions], documents)
        if len(documents) < len(self.document):
            whole, real = (_spread(one, asked, len(is_sync)) for one in (whole, real))
        self.whole, self.real = whole[:, : len(WHOLE)], real[:, : len(REAL)]
        self.extremes = whole[:, len(WHOLE) :].reshape(-1, len(KINDS), len(EXTREMES))
        self.means = real[:, len(REAL) :].reshape(-1, len(KINDS), len(MEANS))
        if len(documents) < len(self.document):
            place = self.document[is_sync], self.entry[is_sync]
            self.whole[is_sync, _IOS] = self._syncs[place]
            self.extremes[is_sync, -1] = self._sync_extremes[place]
            self.means[is_sync, -1] = self._sync_means[place]
        self.measured = _measured(self.extremes, self.means)

    def _judge(self, jobs: Jobs, clones: Array) -> None:
        """Say which entries are of several jobs, and which documents can be taken.

        Documents with one entry may be parts of others, and are told how many ``clones`` it has.
        """
        numjobs, listed_as_group = (
            np.array(column)[self.known] for column in (jobs.numjobs, jobs.is_group)
        )
        if self.known.shape[1] > 1:
            alike = _alike(np.array(jobs.name)[self.known]) & _alike(self.job[..., _GROUP])
            clones = alike.sum(axis=2)
        self.is_group = (numjobs > clones) | listed_as_group
        start, elapsed, ran = (self.job[..., at] for at in (_START, _ELAPSED, _RUNTIME))
        usual = (self.known > 0) & (self.job[..., _ERROR] == 0) & self.moved.any(axis=2)
        usual &= (start == 0) | is_moment(start)
        usual &= ~ran_longer(ran, elapsed, numjobs / clones)
        self.sound = usual.all(axis=1) & [version is not None for version in self.versions]
        fell_short = (self.whole[:, _SHORT] != 0) | (self.whole[:, _IOS] == 0) & (
            self.direction == SYNC
        )
        counts = self.extremes[..., _COUNT]
        odd = (counts > 0) & is_other_count(counts, self.whole[:, [_IOS]])
        odd &= (self.direction != SYNC)[:, None]
        self.sound[self.document[fell_short | odd.any(axis=1)]] = False


def _measured(extremes: Array, means: Array) -> Array:
    """Say which latencies were measured: those of I/Os, or, without a count, that are not 0."""
    count, most = extremes[..., _COUNT], extremes[..., _MOST]
    return np.where(count == -1, (most != 0) | (means[..., 0] != 0), count > 0)


def _spread(figures: Array, rows: Any, size: int) -> Array:
    """Put rows between others, which are 0."""
    found = np.zeros((size, figures.shape[1]), figures.dtype)
    found[rows] = figures
    return found


def _alike(values: Array) -> Array:
    """Compare the entries of each document with one another."""
    same: Array = values[:, :, None] == values[:, None, :]
    return same


def _filled(read: Callable[..., Array], places: Array, *documents: Array) -> Array:
    """Read numbers, and put in what stands for those that are not there."""
    absent = places < 0
    if not absent.any():
        return read(places, *documents)
    found = read(np.where(absent, places.max(), places), *documents)
    # ZERO and UNSAID
    return np.where(absent, places - ZERO, found)


def _known(shape: Shape, texts: Texts, jobs: Jobs) -> Array:
    """Find the numbers of the jobs of documents; 0 of what is none."""
    last = shape.named + 2 * len(shape.descriptions)
    found = [
        jobs.number(b"" if shape.shared is None else one[shape.shared], one[at], one[at + 1])
        for one in texts
        for at in range(shape.named, last, 2)
    ]
    return np.array(found).reshape(len(texts), -1)


def _version(shape: Shape, texts: Sequence[bytes]) -> str | None:
    """Give fio's version; None if this or another text of a document is none."""
    try:
        for at in shape.plain:
            plain(texts[at])
        return _version_of(texts[0])
    except ValueError:
        return None


@lru_cache(maxsize=256)
def _version_of(said: bytes) -> str | None:
    fio = Version.of({}, f"fio-{plain(said)}")
    return None if fio.before(3, 0, True) else fio.text
