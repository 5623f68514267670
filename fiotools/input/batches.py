"""Some hundred files at a time: each to its reader, and what they gave to one `Part`.

A batch can be read in any process; what it gives can be sent back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial

from fiotools.errors import FileError, NoResultError, ParseError, UnknownFormatError
from fiotools.hints import argument
from fiotools.input import consistency
from fiotools.input.detect import document, reader_named, sniff
from fiotools.input.fetching import Fetch
from fiotools.input.jobfiles import NEEDED, JobFiles, note_lack
from fiotools.input.sources import Found
from fiotools.readers.document import Document
from fiotools.schema import TABLES
from fiotools.tables import Tables, resting
from fiotools.tables.parts import (
    SHARING,
    Labels,
    Part,
    add_notes,
    fill_conditions,
    gathered,
    share_conditions,
    stacked,
)

BATCH = 512  # files: enough to spread what a batch costs, few enough to be small


@dataclass(frozen=True)
class Task:
    """How files are to be read.

    Attributes
    ----------
    wanted : tuple of str, optional
        The tables to build; all by default.
    format, version, quantity : str, optional
        As in `read`.
    notes_errors : bool
        Whether a file that cannot be read becomes a note too.
    """

    wanted: tuple[str, ...] | None = None
    format: str | None = None
    version: str | None = None
    notes_errors: bool = False
    quantity: str | None = None


@dataclass
class Batch:
    """What a batch gave.

    Attributes
    ----------
    part : Part
    failures : list of (name, error)
        The files that could not be read.
    unused : list of (Found, FileError)
        Job files that were named: an error, unless a report beside one used it.
    used : set
        The `identity` of the job files that completed a report.
    """

    part: Part
    failures: list[tuple[str, FileError | OSError]] = field(default_factory=list)
    unused: list[tuple[Found, FileError]] = field(default_factory=list)
    used: set[tuple[object, ...]] = field(default_factory=set)


@resting()
def read_batch(
    found: Sequence[Found],
    task: Task,
    job_files: JobFiles | None = None,
    step: Callable[[], object] = lambda: None,
    fetch: Callable[[Found], bytes] | None = None,
) -> Batch:
    """Read some files.

    Parameters
    ----------
    found : sequence of Found
    task : Task
    job_files : JobFiles, optional
        What is known already of the folders.
    step : callable
        Called after each file.
    fetch : callable, optional
        Gives the bytes of a file.
    """
    fetch = Fetch(found) if fetch is None else fetch
    job_files = JobFiles() if job_files is None else job_files
    batch = Batch(Part([], {}), used=job_files.used)
    filled: list[tuple[int, Tables]] = []
    tables: Tables | None
    for number, file in enumerate(found):
        try:
            # no name is given to the text: it must be gone when the rows are put together
            tables = read_document(
                document(file.name, fetch(file), task.version, task.quantity),
                task,
                partial(job_files.complete, file),
            )
        except (FileError, OSError) as error:
            # the calls in which it arose hold all of the file
            error.__context__ = error.__cause__ = None
            tables = _refused(file, error.with_traceback(None), task, batch)
        if tables is not None:
            filled.append((number, tables))
        step()
    batch.part = part_of([(file.name, file.labels) for file in found], filled, task.wanted)
    return batch


def _refused(file: Found, error: FileError | OSError, task: Task, batch: Batch) -> Tables | None:
    """Keep what is wrong with a file; give the note of it, where one is made."""
    if isinstance(error, NoResultError):  # in its place beside a report
        if file.named:
            batch.unused.append((file, error))
        return noted(FileError(file.name, error.reason, line=error.line), task, "info")
    is_unknown = isinstance(error, UnknownFormatError)
    is_failure = file.named or not is_unknown
    if is_failure:
        batch.failures.append((file.name, error))
    if is_failure and not task.notes_errors:
        return None
    return noted(as_file_error(file.name, error), task, "warning" if is_unknown else "error")


def noted(error: FileError, task: Task, severity: str) -> Tables:
    """Make a note of what is wrong with a file."""
    tables = Tables(error.path, task.wanted)
    remedy = f"; {error.remedy}" if error.remedy else ""
    tables.note(f"{error.reason}{remedy}", line=error.line, severity=severity)
    return tables


def as_file_error(name: str, error: FileError | OSError) -> FileError:
    """Say of an error of the system what file it was."""
    if isinstance(error, FileError):
        return error
    return FileError(name, error.strerror or str(error), remedy="can you open it yourself?")


def read_document(
    document: Document,
    task: Task,
    more: Callable[[Tables], None] = note_lack,
) -> Tables:
    """Read one document; ``more`` completes it from what lies beside."""
    format = task.format
    reader = reader_named(format) if format else sniff(document)
    if format and reader.grammar:
        # what the other grammars found in the text is not this reader's business
        document.reports = [report for report in document.reports if report.kind == reader.name]
    # conditions are completed across tables; those that were not asked for are dropped at the end
    tables = Tables(document.name, task.wanted and (*task.wanted, *NEEDED))
    for remark in document.remarks:
        tables.note(remark.message, line=remark.line, severity=remark.severity)
    reader.read(document, tables)
    if not format and (unread := document.unread()):
        tables.note(unread.message, line=unread.line, severity=unread.severity)
    if format and not tables.runs:
        raise ParseError(
            document.name,
            f"nothing that {format!r} reads",
            remedy=f"try it without {argument('format')}",
        )
    if not tables.runs:
        raise _nothing(document.name, tables)
    more(tables)
    return tables


def _nothing(name: str, tables: Tables) -> ParseError:
    """Say why a file that was recognised gave no run: its reader's gravest note."""
    notes = tables.rows("notes", "severity", "message", "line")
    said = [note for note in notes if note[0] != "info"]
    _, message, line = min(said, default=("", "nothing certain is in it", None), key=_gravity)
    return ParseError(name, message, line=line)


def _gravity(note: tuple[str, str, int | None]) -> str:
    return note[0]  # "error" before "warning"


def part_of(
    files: list[tuple[str, Labels]],
    filled: Iterable[tuple[int, Tables]],
    wanted: tuple[str, ...] | None,
) -> Part:
    """Put the rows of some files together, and note what contradicts itself in them."""
    judged = ("notes",) if {*SHARING}.isdisjoint(wanted or ()) else ("notes", "io")
    built = [table for table in TABLES if wanted is None or table in (*wanted, *judged)]
    rows = gathered(filled, frozenset(built))
    part = Part(files, {table: rows.get(table, stacked(())) for table in built})
    said: list[tuple[int, int | None, str]] = [*consistency.check(part.tables)]
    if any(labels for _, labels in files):
        said += [(file, None, message) for file, message in fill_conditions(part)]
    share_conditions(part)
    part.tables["notes"] = add_notes(part.tables["notes"], said)
    if wanted is not None and "io" not in wanted:
        part.tables.pop("io", None)
    return part
