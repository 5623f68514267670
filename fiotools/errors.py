"""All errors that fiotools raises on purpose.

A message says where (``path:line``), what is wrong, and what to do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class FiotoolsError(Exception):
    """The base of all errors that the library raises on purpose."""


class SchemaError(FiotoolsError, ValueError):
    """A frame, a column or an argument does not fit the vocabulary or the call."""


class FileError(FiotoolsError, ValueError):
    """Something is wrong with one file.

    Parameters
    ----------
    path : str
        The file, as it was given.
    reason : str
        What is wrong.
    line : int, optional
        The line (1-based) where it is wrong.
    remedy : str, optional
        What to do.
    """

    def __init__(
        self, path: str, reason: str, *, line: int | None = None, remedy: str = ""
    ) -> None:
        self.path, self.reason, self.line, self.remedy = path, reason, line, remedy
        place = path if line is None else f"{path}:{line}"
        super().__init__(f"{place}: {reason}" + (f"; {remedy}" if remedy else ""))

    def __reduce__(self) -> tuple[object, ...]:
        # keyword-only arguments do not survive the default pickling, and workers send errors home
        return _rebuild, (type(self), self.path, self.reason, self.line, self.remedy)


def _rebuild(
    cls: type[FileError], path: str, reason: str, line: int | None, remedy: str
) -> FileError:
    return cls(path, reason, line=line, remedy=remedy)


class UnknownFormatError(FileError):
    """No reader knows the file."""


class NoResultError(UnknownFormatError):
    """The file is known, but holds no result: a job file."""


class AmbiguousFormatError(FileError):
    """More than one reader claims the file: choose one with ``format=``."""


class ParseError(FileError):
    """The format is known, but nothing certain can be read from the file."""


class ReadErrors(FiotoolsError):
    """Some of several files could not be read; the others are in ``results``.

    Attributes
    ----------
    failures : list of FileError
        One error for each file that could not be read.
    results : Results
        The rows of the good files.
    """

    def __init__(self, failures: Sequence[FileError], results: Any, total: int) -> None:
        self.failures, self.results, self.total = list(failures), results, total
        shown = [f"  {failure}" for failure in self.failures[:10]]
        if len(self.failures) > 10:
            shown.append(f"  ... and {len(self.failures) - 10} more, in .failures")
        super().__init__(
            f"{len(self.failures)} of {total} files could not be read "
            f"(the others are in .results; errors='note' returns them with a note each):\n"
            + "\n".join(shown)
        )

    def __reduce__(self) -> tuple[object, ...]:
        return ReadErrors, (self.failures, self.results, self.total)


class WorkerError(FiotoolsError, RuntimeError):
    """Other processes did not finish their work.

    Attributes
    ----------
    reason : str
        What is wrong.
    results : Results or None
        The rows of the files that were read before.
    """

    def __init__(self, reason: str, *, task: int | None = None) -> None:
        self.reason = reason
        self.results: Any = None
        super().__init__(reason if task is None else f"task {task} {reason}")


class ScanWarning(UserWarning):
    """A lazy scan assumed something about a file, or left lines out."""


class MeasureError(FiotoolsError, RuntimeError):
    """A campaign cannot run, or one of its runs failed; it leaves nothing behind."""


class DatasetError(FiotoolsError, RuntimeError):
    """A dataset cannot be written or read; committed files are still there."""


class MissingPackageError(FiotoolsError, ModuleNotFoundError):
    """An optional package is missing; the message says what to install."""


class ReportError(FiotoolsError, RuntimeError):
    """A report cannot be made; it leaves nothing behind."""
