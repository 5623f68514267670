"""`read` and `reads`: files or texts of any known format to `Results`.

Some hundred files are read at a time, each by its reader, and put into one `Part`. Such a batch can
be read in any process; its result can be sent back.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from fiotools.errors import (
    FileError,
    NoResultError,
    ParseError,
    ReadErrors,
    SchemaError,
    UnknownFormatError,
    WorkerError,
    argument,
    in_shell,
    is_shell,
    typed,
    unread,
    warn,
)
from fiotools.files import is_packed, needed, sides_of_paths
from fiotools.files.memory import free
from fiotools.input import consistency
from fiotools.input.sources import Fetch, Found, find, is_url
from fiotools.readers import opened, reader_named, readers, sniff
from fiotools.readers import read as read_with
from fiotools.readers.document import Document, decode, note_unread
from fiotools.readers.formats import taken
from fiotools.tables import resting
from fiotools.tables.parts import (
    Labels,
    Part,
    add_notes,
    fill_labels,
    stacked,
)
from fiotools.tables.results import KINDS, Kind, Results, results_of
from fiotools.tables.rows import Rows
from fiotools.units import human
from fiotools.vocabulary import TABLES, tables_of

if TYPE_CHECKING:
    import pandas as pd

_HEAD = 1 << 16  # bytes that tell what is not text
_NO_BAR = 50  # files: importing tqdm costs more than reading a few
_HERE = 2048  # files that are read at once where nothing has to be sent
_BATCHES = 64  # for an executor at least: it does not say how many workers it has
_FEW, _MANY = 8, 512  # files of such a batch
_SMALL, _LARGE = 1 << 20, 32 << 20  # bytes of it, if it is more than one file

QUANTITIES = ("bw", "iops", "lat", "clat", "slat", "hist")  # what a log of fio can be of
Paths = str | PathLike[str] | Iterable[str | PathLike[str]]
_Place = tuple[int, int]  # of a batch: its first file, and the one behind its last
Given = TypeVar("Given")
Done = TypeVar("Done")


def read(
    sources: Paths | Mapping[str, Paths],
    *more: str | PathLike[str],
    tables: Iterable[str] | None = None,
    format: str | None = None,
    version: str | None = None,
    quantity: str | None = None,
    errors: Literal["warn", "raise", "note"] = "warn",
    frames: Kind = "pandas",
    executor: Any = None,
) -> Results:
    """Read the output of storage benchmarks.

    Parameters
    ----------
    sources : path, glob, folder, path template, list of these, or mapping of label to these
        A template such as ``"data/dda-vhdx/xml/{volume}.xml"`` makes a column of each name in
        braces (``{iodepth:d}`` of whole numbers); a mapping makes the column ``label``. A folder
        is read whole, without dotfiles, ``README*``, ``published.csv`` and ``manifest.jsonl``.
    *more : path
        Further sides: ``read("old", "new")`` is ``read({"old": "old", "new": "new"})``, and so is
        a list of folders.
    tables : iterable of str, optional
        The tables to build (`Results` lists them); all by default. Notes are always there.
    format : str, optional
        The format of the files, as in `formats`; by default it is found from the content.
    version : str, optional
        The tool's version, for the formats that do not say it.
    quantity : {"bw", "iops", "lat", "clat", "slat", "hist"}, optional
        The quantity of fio logs that were renamed.
    errors : {"warn", "raise", "note"}
        What to do when a file cannot be read. All files are tried in any case; each error is in
        ``.failures``, and a row of ``notes``. ``"warn"``: a file named by itself raises; the good
        files of a folder, a glob or a template are returned with one warning. ``"raise"`` raises
        for any file, with the good ones in ``.results``. ``"note"`` returns them without a warning.
    frames : {"pandas", "polars"}
        What the tables are, and the answers to questions about these results.
    executor : concurrent.futures.Executor or distributed.Client, optional
        Who reads instead of this process: a pool of processes, or the machines of Dask. All of
        them must see the files under the same names.

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
        If a process of the executor was killed. Dask reads its files elsewhere first.

    Notes
    -----
    Files that were named one by one, or by a template, must be recognised. A file from a folder or
    a glob that no reader knows (an image, a text) becomes a note; an empty one is a failure.

    The result is the same row for row, with and without an executor. All rows are put together
    here: an executor is worth it for several files of a hundred megabytes, or if the files are on
    many machines; `convert` puts nothing together.

    Examples
    --------
    >>> import fiotools as ft
    >>> ft.read("data/dda-vhdx/xml/{volume}.xml")
    <Results: 3 files, DISKSPD 2.0.21a, 3 runs, 36 settings, 6 io rows, ...>
    """
    if errors not in ("warn", "raise", "note"):
        raise ValueError(f"errors={errors!r} is not one of 'warn', 'raise', 'note'")
    check_options(format, quantity, frames)
    refuse_no_executor(executor)
    task = Task(tables_of(tables), format, version, quantity)
    found = find(sides_of_paths(sources, more))
    results = read_files(found, task, executor)
    results.kind = frames
    if not results.failures or errors == "note":
        return results
    if len(found) == 1:
        raise results.failures[0]
    error = ReadErrors(results.failures, results, len(found))
    asked = {file.name for file in found if file.named and not file.by_template}
    lost = {failure.path for failure in results.failures}
    if errors == "raise" or asked & lost or not results.files:
        raise error
    remedy = "the others were; errors='raise' refuses them all"
    warn(unread(results.failures, len(found), remedy))
    return results


def read_files(
    found: list[Found], task: Task | None = None, executor: Executor | None = None
) -> Results:
    """Read files that were found, as `read` does."""
    task = task or Task()
    with progress_of(len(found), "reading") as step:
        if executor is None:
            starts = range(0, len(found), _HERE)
            batches = [read_batch(found[start : start + _HERE], task, step) for start in starts]
        else:
            batches = []
            pieces = [whole(found[start:stop]) for start, stop in shares(found)]
            for batch in run(partial(read_batch, task=task), pieces, executor):
                batches.append(batch)
                step(len(batch.part.files))
    return _together(found, batches, task)


def _together(found: list[Found], batches: list[Batch], task: Task) -> Results:
    """Put what batches of files gave together, in their order."""
    failed = [pair for batch in batches for pair in batch.failures]
    if len(found) == 1 and failed and isinstance(failed[0][1], OSError):
        raise failed[0][1]
    failures = [as_file_error(*pair) for pair in failed]
    results = results_of([batch.part for batch in batches], task.wanted, len(found))
    results.files -= len(failures)
    results.failures = failures
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
    frames: Kind = "pandas",
) -> Results:
    r"""Read a text, as `read` reads a file.

    Parameters
    ----------
    text : str or bytes
        The output of the tool.
    name : str
        Its name in ``source`` and in messages.
    tables, format, version, quantity, frames
        As in `read`.

    Examples
    --------
    >>> import fiotools as ft
    >>> log = "2+0 records in\n2+0 records out\n2097152 bytes copied, 0.5 s, 4.2 MB/s"
    >>> ft.reads(log).io.bw_bytes_per_s.item()
    4194304.0
    """
    wanted = tables_of(tables)
    check_options(format, quantity, frames)
    rows = rows_for(wanted)
    rows.begin(0, name)
    read_document(opened(name, text, version, quantity), Task(wanted, format), rows)
    results = results_of([part_of([(name, {})], rows, wanted)], wanted, 1)
    results.kind = frames
    return results


def formats() -> pd.DataFrame:
    """List what can be read.

    Returns
    -------
    pandas.DataFrame
        ``format`` (what ``format=`` takes), ``reads``, ``produced_by``, ``tables``.

    Examples
    --------
    >>> "fio_json" in set(formats()["format"])
    True
    """
    import pandas as pd

    rows = [(r.name, r.title, r.produced_by, ", ".join(r.tables)) for r in readers()]
    return pd.DataFrame(rows, columns=["format", "reads", "produced_by", "tables"])


def check_options(format: str | None, quantity: str | None, frames: str = "pandas") -> None:
    """Refuse an unknown reader, an unknown quantity of a log, and unknown frames."""
    if frames not in KINDS:
        raise ValueError(f"frames is {frames!r}: it is one of {', '.join(KINDS)}")
    if format is not None:
        reader_named(format)
    if quantity not in (None, *QUANTITIES):
        raise ValueError(f"{argument('quantity', quantity)} is not one of {', '.join(QUANTITIES)}")


@contextmanager
def progress_of(total: int, doing: str) -> Iterator[Callable[..., object]]:
    """Show a bar of files if it takes longer than a second; yield the function that advances it.

    Examples
    --------
    >>> with progress_of(2, "reading") as step:
    ...     step(1)
    """
    if total < _NO_BAR:
        yield lambda number=1: None
        return
    from fiotools.progress import bar

    with bar(total=total, desc=doing, unit=" files", delay=1) as shown:
        yield shown.update


# --- a batch ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Task:
    """Options of reading."""

    wanted: tuple[str, ...] | None = None  # the tables to build; all by default
    # as in `read`
    format: str | None = None
    version: str | None = None
    quantity: str | None = None


@dataclass
class Batch:
    """The result of a batch."""

    part: Part
    # the files that could not be read
    failures: list[tuple[str, FileError | OSError]] = field(default_factory=list)


def rows_for(wanted: tuple[str, ...] | None) -> Rows:
    """Return where readers put the rows of some files, if these tables are wanted."""
    # bins are held against the I/Os of their run
    return Rows((*wanted, "io") if wanted is not None and "bins" in wanted else wanted)


@resting()
def read_batch(
    found: Sequence[Found],
    task: Task,
    step: Callable[[], object] = lambda: None,
    left_out: frozenset[int] = frozenset(),
) -> Batch:
    """Read some files; ``step`` is called after each.

    A file that does not fit into the memory is refused, and so are those of the numbers
    ``left_out``, whose rows did not.
    """
    batch, rows, filled = Batch(Part([], {})), rows_for(task.wanted), set(range(len(found)))
    fetch = Fetch(found)
    for number, file in enumerate(found):
        rows.begin(number, file.name)
        try:
            if number in left_out:
                raise MemoryError
            content = [fetch(file)]
            # no name is given to the text: it must be gone when the rows are put together
            if task.format or task.version or not taken(content[0], rows):
                read_document(
                    opened(file.name, content.pop, task.version, task.quantity), task, rows
                )
        except (FileError, OSError) as error:
            # the calls in which it arose hold all of the file
            error.__context__ = error.__cause__ = None
            _refuse(file, error.with_traceback(None), batch, rows)
        except MemoryError as error:
            error.with_traceback(None)
            _refuse(file, too_large(file), batch, rows)
            filled.remove(number)
        step()
    try:
        batch.part = part_of([(file.name, file.labels) for file in found], rows, task.wanted)
        return batch
    except MemoryError as error:
        error.with_traceback(None)
        if not filled:
            raise
    del rows
    largest = max(filled, key=lambda number: size_of(found[number]))
    return read_batch(found, task, left_out=left_out | {largest})


def too_large(file: Found) -> FileError:
    """Return the error of a file that does not fit into the memory."""
    size, room = size_of(file), free()
    if file.stat is None and file.member is None:
        with suppress(OSError), open(file.place, "rb") as opened_file:
            head = opened_file.read(_HEAD)
            try:
                if not is_packed(head):
                    decode(file.name, head)
            except FileError as error:  # what a benchmark wrote to, say
                return error
    return FileError(
        file.name,
        f"is too large for the memory here: it has {human(size, 'B')}"
        + ("" if room is None else f", and {human(room, 'B')} are free"),
        remedy="ft.scan reads a log of fio of any length; other files need more memory",
    )


def _refuse(file: Found, error: FileError | OSError, batch: Batch, rows: Rows) -> None:
    """Keep the note of a file in place of its rows, and the error of one that should have some."""
    rows.undo()
    if file.named or not isinstance(error, UnknownFormatError):
        batch.failures.append((file.name, error))
        note_refused(rows, as_file_error(file.name, error), "error")
    elif isinstance(error, NoResultError):  # nothing is to be done
        rows.note(error.reason, code="refused", line=error.line)
    else:
        note_refused(rows, error, "warning")


def note_refused(rows: Rows, error: FileError, severity: str) -> None:
    """Add the note of a file that gave nothing."""
    remedy = f"; {error.remedy}" if error.remedy else ""
    message = f"{error.reason}{remedy}"
    rows.note(message, code="refused", line=error.line, severity=severity)


def as_file_error(name: str, error: FileError | OSError) -> FileError:
    """Make an error of the system one that names the file."""
    if isinstance(error, FileError):
        return error
    return FileError(name, error.strerror or str(error), remedy="can you open it yourself?")


def read_document(document: Document, task: Task, rows: Rows) -> None:
    """Read one document."""
    format = task.format
    reader = reader_named(format) if format else sniff(document)
    if format and reader.grammar:
        # the reports of other grammars are not this reader's
        document.reports = [report for report in document.reports if report.kind == reader.name]
    for note in document.notes:
        rows.say(note)
    read_with(reader, document, rows)
    if not format:
        note_unread(rows, document)
    if format and not rows.runs:
        raise ParseError(
            document.name,
            f"nothing that {format!r} reads",
            remedy=f"try it without {argument('format')}",
        )
    if not rows.runs:
        raise _nothing(document.name, rows)


def _nothing(name: str, rows: Rows) -> ParseError:
    """Say why a file that was recognised gave no run: its reader's gravest note."""
    said = [note for note in rows.notes() if note["severity"] != "info"]
    if not said:
        return ParseError(name, "nothing certain is in it")
    gravest = min(said, key=lambda note: note["severity"])  # "error" before "warning"
    return ParseError(name, gravest["message"], line=gravest["line"])


def part_of(files: list[tuple[str, Labels]], rows: Rows, wanted: tuple[str, ...] | None) -> Part:
    """Put the rows of some files together, and note what contradicts itself in them."""
    made = rows.tables()
    part = Part(
        files, {table: made.get(table, stacked(())) for table in TABLES if rows.wants(table)}
    )
    said = consistency.check(part.tables)
    notes = add_notes(part.tables["notes"], "contradiction", said)
    if any(labels for _, labels in files):
        notes = add_notes(notes, "path", fill_labels(part))
    part.tables["notes"] = notes
    if wanted is not None and "io" not in wanted:
        part.tables.pop("io", None)
    return part


# --- in other processes -----------------------------------------------------------------------


def run(
    function: Callable[[Given], Done], tasks: Iterable[Given], executor: Any = None
) -> Iterator[Done]:
    """Yield the result of each task in turn, done by this process or by an executor.

    Dask repeats what a lost worker had; a pool of processes cannot.

    Examples
    --------
    >>> list(run(abs, [-3, 1]))
    [3, 1]
    """
    if executor is None:
        yield from map(function, tasks)
        return
    gone: tuple[type[Exception], ...] = (BrokenExecutor, CancelledError)
    if hasattr(executor, "get_executor"):  # a client of Dask
        gone = (*gone, needed("distributed", argument("executor")).KilledWorker)
        executor = executor.get_executor()
    call = partial(_call, function, is_shell())
    futures: list[Future[Done]] = []
    try:
        futures += (executor.submit(call, task) for task in tasks)
        for future in futures:
            yield future.result()
    except gone as error:
        said = str(error).partition("\n")[0] or type(error).__name__
        alone = typed("executor=", "--workers")
        raise WorkerError(
            f"a worker is gone ({said}); has each enough memory? Take fewer workers, or more"
            f" memory: without {alone} a file that does not fit is named. convert goes on where it"
            " ended"
        ) from error
    finally:
        for future in futures:
            future.cancel()


def _call(function: Callable[[Given], Done], shell: bool, task: Given) -> Done:
    with in_shell() if shell else nullcontext():  # messages are written there, and read here
        return function(task)


def refuse_no_executor(executor: Any) -> None:
    """Refuse what cannot be given tasks."""
    if executor is not None and not hasattr(executor, "submit"):
        raise SchemaError(
            f"{argument('executor', executor)} has no submit(): give an executor of"
            " concurrent.futures, or a Client of Dask"
        )


def whole(found: Sequence[Found]) -> list[Found]:
    """Name where files lie for a process that was started in another folder."""
    here = os.getcwd()
    return [
        file if is_url(file.place) else file._replace(place=os.path.join(here, file.place))
        for file in found
    ]


def cut(sizes: Sequence[int], files: int, size: int) -> Iterator[_Place]:
    """Cut a list of files, given their sizes; yield where each piece begins and ends.

    A piece has so many files and bytes at most; a single file may be larger.

    Examples
    --------
    >>> list(cut([10, 10, 10, 95, 200, 5], files=2, size=100))
    [(0, 2), (2, 3), (3, 4), (4, 5), (5, 6)]
    """
    start, held = 0, 0
    for end, more in enumerate(sizes):
        if end > start and (end - start == files or held + more > size):
            yield start, end
            start, held = end, 0
        held += more
    if sizes:
        yield start, len(sizes)


def shares(found: Sequence[Found]) -> list[_Place]:
    """Divide files into batches by their number and their bytes.

    Examples
    --------
    >>> from fiotools.input.sources import find
    >>> shares(find("data/dda-vhdx/xml"))
    [(0, 3)]
    """
    sizes = sizes_of(found)
    files = min(_MANY, max(_FEW, len(found) // _BATCHES))
    return list(cut(sizes, files, min(_LARGE, max(_SMALL, sum(sizes) // _BATCHES))))


def sizes_of(found: Sequence[Found]) -> list[int]:
    """Ask how large files are; those of an archive share its size."""
    among = Counter(file.place for file in found)
    places = {file.place: file for file in found}
    sizes = {place: size_of(file) // among[place] for place, file in places.items()}
    return [sizes[file.place] for file in found]


def size_of(file: Found) -> int:
    """Return the bytes of a file, or of its archive; 0 if they are not known."""
    if file.stat is not None:
        return file.stat.size or 0
    try:
        return os.stat(file.place).st_size
    except OSError:  # reading it says why
        return 0
