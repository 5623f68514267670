"""Everything that fiotools raises on purpose.

A message says where (``path:line``), what is wrong, and what to do about it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class FiotoolsError(Exception):
    """The base of all errors that the library raises on purpose."""


class SchemaError(FiotoolsError, ValueError):
    """A frame, a column or an argument does not fit the vocabulary or the question asked of it."""


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
        What the reader of the message can do.
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
    """The file is known, and holds no result by itself: a job file."""


class AmbiguousFormatError(FileError):
    """More than one reader claims the file: say which with ``format=``."""


class ParseError(FileError):
    """The format is known, but nothing certain can be read from the file."""


class ReadErrors(FiotoolsError):
    """Some of several files could not be read; the others were.

    Attributes
    ----------
    failures : list of FileError
        One error for each file that gave nothing.
    results : Results
        What the good files held.
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
    """Work that other processes were to do was not done.

    Attributes
    ----------
    reason : str
        What is wrong.
    results : Results or None
        What files held that were read before.
    """

    def __init__(self, reason: str, *, task: int | None = None) -> None:
        self.reason = reason
        self.results: Any = None
        super().__init__(reason if task is None else f"task {task} {reason}")


class ScanWarning(UserWarning):
    """What a lazy scan has to say of a file: what was assumed of it, and what was left out."""


class MeasureError(FiotoolsError, RuntimeError):
    """A campaign cannot be run, or a run of it went wrong; nothing of it is left behind."""


class DatasetError(FiotoolsError, RuntimeError):
    """A dataset cannot be written or read as it is; what was committed is still there."""


class MissingPackageError(FiotoolsError, ModuleNotFoundError):
    """A package is missing that only some need; the message says what to install."""


class ReportError(FiotoolsError, RuntimeError):
    """A report cannot be made; nothing of it is left behind."""
