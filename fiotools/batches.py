"""Some hundred files at a time: each to its reader, and what they gave to one `Part`.

A batch can be read in any process; what it gives can be sent back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from fiotools import consistency
from fiotools.beside import NEEDED, JobFiles, note_lack
from fiotools.collecting import resting
from fiotools.errors import FileError, NoResultError, ParseError, UnknownFormatError
from fiotools.fetching import Fetch
from fiotools.schema import TABLES
from fiotools.sniff import Document, reader_named, sniff
from fiotools.sources import Found
from fiotools.spelling import argument
from fiotools.tables import Tables
from fiotools.tables.parts import Labels, Part, add_notes, fill_conditions, gathered, stacked

_Error = TypeVar("_Error", bound=Exception)

BATCH = 512  # files: enough to spread what a batch costs, few enough to be small


@dataclass(frozen=True)
class Task:
    """How files are to be read.

    Attributes
    ----------
    wanted : tuple of str, optional
        The tables to build; all by default.
    format, version : str, optional
        As in `read`.
    notes_errors : bool
        Whether a file that cannot be read becomes a note too.
    """

    wanted: tuple[str, ...] | None = None
    format: str | None = None
    version: str | None = None
    notes_errors: bool = False


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
    batch = _Reading(task, JobFiles() if job_files is None else job_files, fetch)
    for number, file in enumerate(found):
        batch.read(number, file)
        step()
    files = [(file.name, file.labels) for file in found]
    part = part_of(files, sorted(batch.good.items()), task.wanted)
    failures = [(found[number].name, error) for number, error in sorted(batch.failures.items())]
    unused = [(found[number], error) for number, error in sorted(batch.unused.items())]
    return Batch(part, failures, unused, set(batch.job_files.used))


class _Reading:
    """The files of a batch that are read one by one, by their number."""

    def __init__(self, task: Task, job_files: JobFiles, fetch: Callable[[Found], bytes]) -> None:
        self.task, self.job_files, self.fetch = task, job_files, fetch
        self.good: dict[int, Tables] = {}
        self.failures: dict[int, FileError | OSError] = {}
        self.unused: dict[int, FileError] = {}

    def read(self, number: int, file: Found) -> None:
        """Read one file; what is wrong with it is kept."""
        try:
            document = Document(file.name, self.fetch(file), self.task.version)
            more = partial(self.job_files.complete, file)
            self.good[number] = read_document(document, self.task, more)
        except NoResultError as error:
            self.good[number] = self._noted(file, error)
            if file.named:
                self.unused[number] = _bare(error)
        except UnknownFormatError as error:
            if file.named:
                self.failures[number] = _bare(error)
            # a note is made either way where notes are what the caller wants
            if not file.named or self.task.notes_errors:
                self.good[number] = self._noted(file, error)
        except (FileError, OSError) as error:
            self.failures[number] = _bare(error)
            if self.task.notes_errors:
                self.good[number] = self._noted(file, as_file_error(file.name, error))

    def _noted(self, file: Found, error: FileError) -> Tables:
        tables = Tables(file.name, self.task.wanted)
        severity = "warning" if isinstance(error, UnknownFormatError) else "error"
        remedy = f"; {error.remedy}" if error.remedy else ""
        if isinstance(error, NoResultError):  # in its place beside a report
            severity, remedy = "info", ""
        tables.note(f"{error.reason}{remedy}", line=error.line, severity=severity)
        return tables


def _bare(error: _Error) -> _Error:
    """Take from an error that is kept the calls in which it arose: they hold all of the file."""
    error.__context__ = error.__cause__ = None
    return error.with_traceback(None)


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
    judged = ("notes", "io") if "bins" in (wanted or ()) else ("notes",)
    built = [table for table in TABLES if wanted is None or table in (*wanted, *judged)]
    rows = gathered(filled, frozenset(built))
    part = Part(files, {table: rows.get(table, stacked(())) for table in built})
    said: list[tuple[int, int | None, str]] = [*consistency.check(part.tables)]
    if any(labels for _, labels in files):
        said += [(file, None, message) for file, message in fill_conditions(part)]
    part.tables["notes"] = add_notes(part.tables["notes"], said)
    if wanted is not None and "io" not in wanted:
        part.tables.pop("io", None)
    return part
