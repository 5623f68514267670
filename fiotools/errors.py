"""All errors that fiotools raises on purpose, and how a message names an argument.

A message says where (``path:line``), what is wrong, and what to do: as Python, or as an option of a
shell. It names arguments with `argument` and `typed` and never writes them out, so that the command
line need not search texts for them: text from a file or a user is never taken for an argument.
"""

from __future__ import annotations

import os
import shlex
import sys
import traceback
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import Any

_LISTED = 10  # files that could not be read


class FiotoolsError(Exception):
    """The base of all errors that the library raises on purpose.

    IPython shows its message alone; after ``%xmode Verbose`` the whole traceback.
    """

    def _render_traceback_(self) -> list[str]:
        mode = getattr(sys.modules["IPython"].get_ipython().InteractiveTB, "mode", "")
        if mode == "Verbose":
            return "".join(traceback.format_exception(self)).splitlines()
        return [f"{type(self).__name__}: {self}"]


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
        made = partial(type(self), line=self.line, remedy=self.remedy)
        return made, (self.path, self.reason)


class UnknownFormatError(FileError):
    """No reader knows the file."""


class NoResultError(UnknownFormatError):
    """The file is known, but holds no result: a job file, an image, or an empty log of fio."""


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
        remedy = "the others are in .results; errors='note' returns them with a note each"
        super().__init__(unread(self.failures, total, remedy))

    def __reduce__(self) -> tuple[object, ...]:
        return ReadErrors, (self.failures, self.results, self.total)


def unread(failures: Sequence[FileError], total: int, remedy: str) -> str:
    """Say which files could not be read, each in a line."""
    shown = [f"  {failure}" for failure in failures[:_LISTED]]
    if len(failures) > _LISTED:
        shown.append(f"  and {len(failures) - _LISTED} more, in .failures")
    return "\n".join([f"{len(failures)} of {total} files could not be read ({remedy}):", *shown])


class WorkerError(FiotoolsError, RuntimeError):
    """Other processes did not finish their work."""


class ScanWarning(UserWarning):
    """A lazy scan assumed something about a file, or does not have all of the data."""


class MeasureError(FiotoolsError, RuntimeError):
    """A campaign cannot run, or one of its runs failed; it leaves nothing behind."""


class DatasetError(FiotoolsError, RuntimeError):
    """A dataset cannot be written or read; committed files are still there."""


class MissingPackageError(FiotoolsError, ModuleNotFoundError):
    """An optional package is missing; the message says what to install."""


class ReportError(FiotoolsError, RuntimeError):
    """A report cannot be made; it leaves nothing behind."""


_PACKAGE = f"{Path(__file__).parent}{os.sep}"


def warn(text: str, category: type[Warning] = UserWarning) -> None:
    """Warn of the line of the user's that called the library, however deep the call is."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, category, stacklevel=level)


# options with another name than the argument
_OPTIONS = {"format": "reader", "version": "tool-version", "round_s": "round"}
_NOTHING = object()
_shell = False
_of_results = False


@contextmanager
def in_shell() -> Iterator[None]:
    """Write messages for a shell, as the command line does."""
    global _shell
    before, _shell = _shell, True
    try:
        yield
    finally:
        _shell = before


@contextmanager
def about_results() -> Iterator[None]:
    """Write messages for someone who asked about a `Results`, and holds no frame."""
    global _of_results
    before, _of_results = _of_results, True
    try:
        yield
    finally:
        _of_results = before


def is_about_results() -> bool:
    """Whether the question was about a `Results`."""
    return _of_results and not _shell


def is_shell() -> bool:
    """Whether messages are written for a shell; workers in other processes have to know."""
    return _shell


def argument(name: str, value: Any = _NOTHING) -> str:
    """Name an argument of a function, or the option of a command.

    Examples
    --------
    >>> argument("by"), argument("scope", "job"), argument("limit", (20, 10))
    ('by=', "scope='job'", 'limit=(20, 10)')
    >>> with in_shell():
    ...     argument("by"), argument("scope", "job"), argument("prefilled", True)
    ('--by', '--scope job', '--prefilled')
    """
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # as people type it
    if not _shell:
        return f"{name}=" + ("" if value is _NOTHING else repr(value))
    option = f"--{_OPTIONS.get(name, name).replace('_', '-')}"
    if value is _NOTHING or value is True:
        return option
    listed = value if isinstance(value, list | tuple) else [value]
    return f"{option} {shlex.quote(','.join(map(str, listed)))}"


def similar(name: object, known: Iterable[object]) -> str:
    """Suggest the names that are like an unknown one in any case, or nothing."""
    folded = {str(one).lower(): str(one) for one in known}
    near = get_close_matches(str(name).lower(), folded)
    return f"; did you mean {' or '.join(repr(folded[one]) for one in near)}?" if near else ""


def typed(python: str, shell: str) -> str:
    """Choose between two spellings of the same thing."""
    return shell if _shell else python
