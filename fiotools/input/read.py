"""`read` and `reads`: files or texts of any known format to `Results`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from typing import TYPE_CHECKING, Literal

from fiotools.errors import ReadErrors, argument
from fiotools.input.batches import (
    BATCH,
    Batch,
    JobFiles,
    Task,
    as_file_error,
    identity,
    part_of,
    read_batch,
    read_document,
)
from fiotools.input.detect import document
from fiotools.input.sources import Found, find
from fiotools.progress import of_files
from fiotools.tables import resting
from fiotools.tables.results import Results, results_of
from fiotools.vocabulary import tables_of

if TYPE_CHECKING:
    from concurrent.futures import Executor

_HERE = 4 * BATCH  # files: nothing has to be sent, so a batch can be larger

QUANTITIES = ("bw", "iops", "lat", "clat", "slat", "hist")  # what a log of fio can be of
Paths = str | PathLike[str] | Iterable[str | PathLike[str]]


def read(
    sources: Paths | Mapping[str, Paths],
    *,
    tables: Iterable[str] | None = None,
    format: str | None = None,
    version: str | None = None,
    quantity: str | None = None,
    errors: Literal["raise", "note"] = "raise",
    workers: int | None = None,
    executor: Executor | None = None,
) -> Results:
    """Read the output of storage benchmarks.

    Parameters
    ----------
    sources : path, glob, folder, path template, list of these, or mapping of label to these
        A template such as ``"data/dda-vhdx/xml/{volume}.xml"`` makes a column of each name in
        braces (``{iodepth:d}`` of whole numbers); a mapping makes the column ``label``. A folder
        is read whole, without dotfiles, ``README*``, ``published.csv`` and ``manifest.jsonl``.
    tables : iterable of str, optional
        The tables to build (`Results` lists them); all by default. Notes are always there.
    format : str, optional
        Name of the reader to use, as in `formats`; found from the content by default.
    version : str, optional
        The tool's version, for the formats that do not say it.
    quantity : {"bw", "iops", "lat", "clat", "slat", "hist"}, optional
        The quantity of fio logs that were renamed.
    errors : {"raise", "note"}
        What to do when a file cannot be read. All files are tried in any case; ``"raise"`` then
        raises, with the good ones in ``.results``; ``"note"`` returns the good ones and puts each
        failure into ``notes``.
    workers : int, optional
        How many processes read; by default only this one. See the notes.
    executor : concurrent.futures.Executor, optional
        An executor that reads instead, such as Dask's ``client.get_executor()``; ``workers`` then
        says how many batches it reads at once.

    Returns
    -------
    Results

    Raises
    ------
    FileNotFoundError
        If nothing matches.
    FileError
        If the only file given cannot be read: an unknown format, or nothing certain in it.
    ReadErrors
        If some of several files cannot be read.
    WorkerError
        If no process is left to read; ``.results`` has the files read until then.

    Notes
    -----
    Files that were named one by one must be recognised. A file from a folder or a glob that no
    reader knows becomes a note.

    The result is the same row for row, with and without processes. Each process takes up to a
    second to start, and all rows are put together here: two processes need two thirds of the time
    for 20,000 small files. They are worth it for some thousands of files, or for several files of a
    hundred megabytes. A script needs no ``if __name__ == "__main__":`` for them. If a process is
    killed, another one reads its files again. A file that ends every process that reads it is
    reported as a failure; the other files are read.

    Examples
    --------
    >>> import fiotools as ft
    >>> ft.read("data/dda-vhdx/xml/{volume}.xml")
    <Results: 3 files, DISKSPD 2.0.21a, 3 runs, 36 settings, 27 io rows, 3 extras, 0 notes>
    """
    if errors not in ("raise", "note"):
        raise ValueError(f"errors={errors!r} is not one of 'raise', 'note'")
    if quantity not in (None, *QUANTITIES):
        raise ValueError(f"{argument('quantity', quantity)} is not one of {', '.join(QUANTITIES)}")
    task = Task(tables_of(tables), format, version, errors == "note", quantity)
    return read_files(find(sources), task, workers=workers, executor=executor)


def read_files(
    found: list[Found],
    task: Task | None = None,
    *,
    workers: int | None = None,
    executor: Executor | None = None,
) -> Results:
    """Read files that were found, as `read` does."""
    task = task or Task()
    with of_files(len(found), "reading") as step:
        if workers in (None, 1) and executor is None:
            job_files = JobFiles()
            batches = [
                read_batch(found[start : start + _HERE], task, job_files, step)
                for start in range(0, len(found), _HERE)
            ]
        else:
            from fiotools.input.parallel_read import read_shared

            batches = read_shared(found, task, step, workers=workers, executor=executor)
    return _together(found, batches, task)


def _together(found: list[Found], batches: list[Batch], task: Task) -> Results:
    """Put what batches of files gave together, in their order."""
    failed = [pair for batch in batches for pair in batch.failures]
    used = {place for batch in batches for place in batch.used}
    unused = (pair for batch in batches for pair in batch.unused)
    failed += [(file.name, error) for file, error in unused if identity(file) not in used]
    if len(found) == 1 and failed and isinstance(failed[0][1], OSError):
        raise failed[0][1]
    failures = [as_file_error(*pair) for pair in failed]
    results = results_of([batch.part for batch in batches], task.wanted, len(found))
    if failures and not task.notes_errors:
        if len(found) == 1:
            raise failures[0]
        results.files -= len(failures)
        raise ReadErrors(failures, results, len(found))
    return results


@resting()
def reads(
    text: str | bytes,
    *,
    name: str = "<text>",
    tables: Iterable[str] | None = None,
    format: str | None = None,
    version: str | None = None,
    quantity: str | None = None,
) -> Results:
    r"""Read a text, as `read` reads a file.

    Parameters
    ----------
    text : str or bytes
        The output of the tool.
    name : str
        Its name in ``source`` and in messages.
    tables, format, version, quantity
        As in `read`.

    Examples
    --------
    >>> import fiotools as ft
    >>> log = "2+0 records in\n2+0 records out\n2097152 bytes copied, 0.5 s, 4.2 MB/s"
    >>> ft.reads(log).io.bw_bytes_per_s.item()
    4194304.0
    """
    wanted = tables_of(tables)
    filled = read_document(document(name, text, version, quantity), Task(wanted, format))
    return results_of([part_of([(name, {})], [(0, filled)], wanted)], wanted, 1)
