"""Files distributed to workers in batches, and the results put back in order."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from contextlib import closing
from functools import lru_cache, partial
from pathlib import Path

from fiotools.errors import FileError, WorkerError, argument
from fiotools.input.read import BATCH, Batch, JobFiles, Task, noted, part_of, read_batch
from fiotools.input.sources import Found, is_url
from fiotools.input.workers import check, run

_EACH = 4  # batches for every worker at least: who is done early takes another
_FEW = 8  # files are not worth a batch
_UNKNOWN = 16  # workers of an executor that does not say how many it has
_SMALL, _LARGE = 1 << 20, 32 << 20  # bytes of a batch, if it is more than one file

Place = tuple[int, int]  # of a batch: its first file, and the one behind its last


def read_shared(
    found: Sequence[Found],
    task: Task,
    step: Callable[[int], object],
    *,
    workers: int | None = None,
    executor: Executor | None = None,
) -> list[Batch]:
    """Read files in other processes, as `read_batch` does here.

    Parameters
    ----------
    found : sequence of Found
    task : Task
    step : callable
        Called with a number of files when that many are done.
    workers, executor
        As in `run`.

    Returns
    -------
    list of Batch
        In the order of the files.

    Raises
    ------
    WorkerError
        If the executor takes no more tasks; ``results`` has the files that were read.
    """
    check(workers, executor)
    read = partial(_read, task, Path.cwd(), os.urandom(8).hex())
    batches: dict[int, Batch] = {}
    left = shares(found, workers or _UNKNOWN)
    if workers is not None and executor is None:
        # one batch needs no other process, and what fsspec has in memory no other process has
        private = any(file.place.lower().startswith("memory:") for file in found)
        workers = 1 if private else min(workers, len(left))
    try:
        while left:
            places, left = left, []
            files = (found[start:stop] for start, stop in places)
            # who loses a batch a second time tells more by its files than by a third
            shared = run(
                read, files, workers=workers, executor=executor, retries=1, errors="return"
            )
            with closing(shared) as done:
                for number, batch in done:
                    start, stop = places[number]
                    if not isinstance(batch, WorkerError):
                        batches[start] = batch
                        step(stop - start)
                    elif stop - start > 1:  # which of them it is, they tell one by one
                        left += [(place, place + 1) for place in range(start, stop)]
                    else:
                        batches[start] = _lost(found[start], task, batch)
                        step(1)
    except WorkerError as error:
        from fiotools.tables.results import results_of

        parts = [batches[start].part for start in sorted(batches)]
        error.results = results_of(parts, task.wanted, sum(len(part.files) for part in parts))
        raise
    return [batches[start] for start in sorted(batches)]


def shares(found: Sequence[Found], workers: int) -> list[Place]:
    """Divide files into batches by their number and their bytes, the largest batches first.

    Examples
    --------
    >>> from fiotools.input.sources import find
    >>> shares(find("data/dda-vhdx/xml"), workers=2)
    [(0, 3)]
    """
    sizes = _sizes(found)
    most_files = min(BATCH, max(_FEW, len(found) // (workers * _EACH)))
    most_bytes = min(_LARGE, max(_SMALL, sum(sizes) // (workers * _EACH)))
    places: list[tuple[int, Place]] = []
    start, weight = 0, 0
    for number, size in enumerate(sizes):
        if number > start and (number - start == most_files or weight + size > most_bytes):
            places.append((weight, (start, number)))
            start, weight = number, 0
        weight += size
    places.append((weight, (start, len(found))))
    # the last ones should be short
    return [place for _, place in sorted(places, key=lambda one: one[0], reverse=True)]


def _sizes(found: Sequence[Found]) -> list[int]:
    """Ask how large files are; those of an archive share its size."""
    among = Counter(file.place for file in found)
    places = {file.place: file for file in found}
    sizes = {place: _size(file) // among[place] for place, file in places.items()}
    return [sizes[file.place] for file in found]


def _size(file: Found) -> int:
    if file.stat is not None:
        return file.stat.size or 0
    try:
        return os.stat(file.place).st_size
    except OSError:  # reading it says why
        return 0


def _read(task: Task, folder: Path, call: str, found: Sequence[Found]) -> Batch:
    """Read a batch, in any process."""
    if Path.cwd() != folder:  # where relative paths begin
        found = [
            file if is_url(file.place) else file._replace(place=(folder / file.place).as_posix())
            for file in found
        ]
    return read_batch(found, task, _job_files(call))


@lru_cache(maxsize=2)
def _job_files(call: str) -> JobFiles:
    """Return the job files known to this process during one call of `read`."""
    return JobFiles()


def fatal(file: Found, error: WorkerError) -> FileError:
    """Return the error of a file that ended every process that read it."""
    return FileError(
        file.name,
        f"reading it {error.reason}",
        remedy=f"is there enough memory? without {argument('workers')} it is read by this process",
    )


def _lost(file: Found, task: Task, error: WorkerError) -> Batch:
    """Return the batch of a file that ended every process that read it."""
    failure = fatal(file, error)
    filled = [(0, noted(failure, task, "error"))] if task.notes_errors else []
    part = part_of([(file.name, file.labels)], filled, task.wanted)
    return Batch(part, [(file.name, failure)])
