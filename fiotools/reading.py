"""`read` and `reads`: files of any known format to `Results`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from os import PathLike
from typing import Any, Literal

from fiotools import consistency, twins
from fiotools.beside import JobFiles
from fiotools.errors import (
    FileError,
    NoResultError,
    ParseError,
    ReadErrors,
    SchemaError,
    UnknownFormatError,
)
from fiotools.readers import fio_jobfile_beside
from fiotools.results import Results
from fiotools.sniff import Document, load, reader_named, sniff
from fiotools.sources import Found, find
from fiotools.spelling import argument
from fiotools.tables import Tables, frames
from fiotools.vocabulary import CONDITIONS, TABLES

Paths = str | PathLike[str] | Iterable[str | PathLike[str]]


def read(
    sources: Paths | Mapping[str, Paths],
    *,
    tables: Iterable[str] | None = None,
    format: str | None = None,
    version: str | None = None,
    errors: Literal["raise", "note"] = "raise",
) -> Results:
    """Read what storage benchmarks printed.

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
    errors : {"raise", "note"}
        What to do when a file cannot be read. All files are tried in any case; ``"raise"`` then
        raises, with the good ones in ``.results``; ``"note"`` returns the good ones and puts each
        failure into ``notes``.

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

    Notes
    -----
    Files that were named one by one must be recognised. What a folder or a glob brought in and no
    reader knows becomes a note.

    Examples
    --------
    >>> import fiotools as ft
    >>> ft.read("data/dda-vhdx/xml/{volume}.xml")
    <Results: 3 files, DISKSPD 2.0.21a, 3 runs, 36 settings, 27 io rows, 3 extras, 0 notes>
    """
    wanted = _wanted(tables)
    if errors not in ("raise", "note"):
        raise ValueError(f"errors={errors!r} is not one of 'raise', 'note'")
    return read_files(find(sources), wanted, format=format, version=version, errors=errors)


def read_files(
    found: list[Found],
    wanted: tuple[str, ...] | None = None,
    *,
    format: str | None = None,
    version: str | None = None,
    errors: Literal["raise", "note"] = "raise",
) -> Results:
    """Read files that were found, as `read` does.

    Parameters
    ----------
    found : list of Found
    wanted : tuple of str, optional
        The tables to build; all by default.
    format, version, errors
        As in `read`.
    """
    good: list[tuple[Mapping[str, Any], Tables]] = []
    failures: list[FileError] = []
    job_files = JobFiles()
    unused: list[tuple[Found, FileError]] = []
    for file in _progress(found):
        try:
            document = load(file, version)
            more = partial(job_files.complete, file)
            good.append((file.labels, _read(document, format, wanted, file.labels, more)))
        except NoResultError as error:
            good.append((file.labels, _noted(file.name, wanted, error)))
            if file.named:
                unused.append((file, error))
        except UnknownFormatError as error:
            if file.named:
                failures.append(error)
            # a note is made either way where notes are what the caller wants
            if not file.named or errors == "note":
                good.append((file.labels, _noted(file.name, wanted, error)))
        except (FileError, OSError) as error:
            if isinstance(error, OSError) and len(found) == 1:
                raise
            failure = error if isinstance(error, FileError) else _unreadable(file.name, error)
            failures.append(failure)
            if errors == "note":
                good.append((file.labels, _noted(file.name, wanted, failure)))
    failures += [error for file, error in unused if not job_files.is_used(file)]
    built = frames(good, wanted)
    twins.note(built)
    results = Results(built, files=len(found))
    if failures and errors == "raise":
        if len(found) == 1:
            raise failures[0]
        results.files -= len(failures)
        raise ReadErrors(failures, results, len(found))
    return results


def reads(
    text: str | bytes,
    *,
    name: str = "<text>",
    tables: Iterable[str] | None = None,
    format: str | None = None,
    version: str | None = None,
) -> Results:
    r"""Read a text, as `read` reads a file.

    Parameters
    ----------
    text : str or bytes
        What the tool printed.
    name : str
        What to call it in ``source`` and in messages.
    tables, format, version
        As in `read`.

    Examples
    --------
    >>> import fiotools as ft
    >>> log = "2+0 records in\n2+0 records out\n2097152 bytes copied, 0.5 s, 4.2 MB/s"
    >>> ft.reads(log).io.bw_bytes_per_s.item()
    4194304.0
    """
    wanted = _wanted(tables)
    filled = _read(Document(name, text, version), format, wanted, {})
    built = frames([({}, filled)], wanted)
    twins.note(built)
    return Results(built, files=1)


def _progress(files: list[Found]) -> Iterable[Found]:
    """Show a bar if it takes longer than a second."""
    if len(files) < 50:  # importing the bar costs more than reading a few files
        return files
    from fiotools.progress import bar

    return bar(files, desc="reading", unit=" files", delay=1)


def _wanted(tables: Iterable[str] | None) -> tuple[str, ...] | None:
    if tables is None:
        return None
    wanted = (tables,) if isinstance(tables, str) else tuple(tables)
    for table in wanted:
        if table not in TABLES:
            raise SchemaError(f"tables={table!r} is not one of {', '.join(TABLES)}")
    return wanted


def _read(
    document: Document,
    format: str | None,
    wanted: tuple[str, ...] | None,
    labels: Mapping[str, Any],
    more: Callable[[Tables], None] = fio_jobfile_beside.note_lack,
) -> Tables:
    reader = reader_named(format) if format else sniff(document)
    if format and reader.grammar:
        # what the other grammars found in the text is not this reader's business
        document.reports = [report for report in document.reports if report.kind == reader.name]
    # conditions are completed across tables; those that were not asked for are dropped at the end
    tables = Tables(document.name, wanted and (*wanted, *fio_jobfile_beside.NEEDED))
    for line, doubt in document.doubts:
        tables.note(doubt, line=line, severity="warning")
    reader.read(document, tables)
    if format and not tables.runs:
        raise ParseError(
            document.name,
            f"nothing that {format!r} reads",
            remedy=f"try it without {argument('format')}",
        )
    filled = tables.finish()
    if not filled.runs:
        raise _nothing(document.name, filled)
    more(filled)
    consistency.check(filled)
    _check_labels(filled, labels)
    return filled


def _nothing(name: str, tables: Tables) -> ParseError:
    """Say why a file that was recognised gave no run: its reader's gravest note."""
    notes = [
        (columns["severity"][row], columns["message"][row], columns["line"][row])
        for size, columns in tables.blocks.get("notes", ())
        for row in range(size)
        if columns["severity"][row] != "info"
    ]
    _, message, line = min(notes, default=("", "nothing certain is in it", None), key=_gravity)
    return ParseError(name, message, line=line)


def _gravity(note: tuple[str, str, int | None]) -> str:
    return note[0]  # "error" before "warning"


def _check_labels(tables: Tables, labels: Mapping[str, Any]) -> None:
    """Note where the path says another condition than the file does."""
    for label in labels.keys() & set(CONDITIONS):
        for _, columns in tables.blocks.get("io", ()):
            others = {v for v in columns.get(label, ()) if v is not None} - {labels[label]}
            if others:
                said = ", ".join(map(str, sorted(others)))
                tables.note(
                    f"the path says {label}={labels[label]}, the file {said}: the file's is kept",
                    severity="warning",
                )
    tables.finish()


def _unreadable(name: str, error: OSError) -> FileError:
    return FileError(name, error.strerror or str(error), remedy="can you open it yourself?")


def _noted(name: str, wanted: tuple[str, ...] | None, error: FileError) -> Tables:
    tables = Tables(name, wanted)
    severity = "warning" if isinstance(error, UnknownFormatError) else "error"
    remedy = f"; {error.remedy}" if error.remedy else ""
    if isinstance(error, NoResultError):  # in its place beside a report
        severity, remedy = "info", ""
    tables.note(f"{error.reason}{remedy}", line=error.line, severity=severity)
    return tables.finish()
