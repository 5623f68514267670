"""What leaves the program: answers to stdout, one line for each trouble to stderr, and the end."""

from __future__ import annotations

import os
import re
import signal
import sys
import warnings
from contextlib import suppress
from types import TracebackType
from typing import IO, Any

# what a terminal takes for a command, or cannot show: a name in a file may hold anything
_UNSHOWN = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_POOR: dict[str, str | int | None] = {"µ": "u", "…": "~"}  # for a terminal without Unicode


class OutputClosedError(Exception):
    """Nobody reads our stdout any more, as behind ``| head``."""


class Trouble(Exception):
    """A command that cannot be answered: one line (or none, if it was said), and the exit code."""

    def __init__(self, message: str, code: int = 1) -> None:
        super().__init__(message)
        self.code = code


def printable(text: str) -> str:
    r"""Make one line of a text, in which nothing is a command to the terminal.

    Examples
    --------
    >>> printable("a\x1b[2Jb\n c")
    'a�[2Jb c'
    """
    return _UNSHOWN.sub("\N{REPLACEMENT CHARACTER}", " ".join(text.split()))


def prepare() -> None:
    """Let no library write more to stderr than it should."""
    if sys.stderr is None or not sys.stderr.isatty():
        os.environ.setdefault("TQDM_DISABLE", "1")  # a bar is for people
    warnings.showwarning = _warned


def _warned(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: IO[str] | None = None,
    line: str | None = None,
) -> None:
    say(f"warning: {message}")


def many(count: int, word: str) -> str:
    """Write a count with its word.

    Examples
    --------
    >>> many(1, "row"), many(1200, "row")
    ('1 row', '1,200 rows')
    """
    return f"{count:,} {word}{'' if count == 1 else 's'}"


def say(text: str) -> None:
    """Write one line to stderr."""
    if sys.stderr is not None:
        with suppress(OSError):  # nobody is left to tell
            print(f"fiotools: {printable(text)}", file=sys.stderr, flush=True)


def write(text: str) -> None:
    """Write to stdout, and notice there and then if nobody reads it, or nothing fits."""
    if sys.stdout is None:
        raise Trouble("standard output is closed")
    encoding = sys.stdout.encoding or "utf-8"
    try:
        left = memoryview(text.encode(encoding))
    except UnicodeEncodeError:
        text = text.translate(str.maketrans(_POOR))
        left = memoryview(text.encode(encoding, "backslashreplace"))
    try:
        sys.stdout.flush()
        # in pieces: unbuffered (PYTHONUNBUFFERED), Python forgets what did not fit at once
        while left:
            left = left[sys.stdout.buffer.write(left) :]
        sys.stdout.buffer.flush()
    except OSError as error:
        # what the buffer still holds must not be tried again at the very end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            raise OutputClosedError from None
        raise Trouble(f"standard output: {error.strerror}") from None


def unexpected(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    """Say in one line what nobody foresaw; takes the place of `sys.excepthook`."""
    what = str(error) or "no more is known"
    say(f"{kind.__name__}: {what} (a fault of fiotools; --debug shows where)")


def interrupted() -> int:
    """End as a program does that Ctrl-C stopped, so that a loop in the shell stops too."""
    say("interrupted")
    return _die_of("SIGINT")


def closed() -> int:
    """End as a program does whose output nobody reads."""
    return _die_of("SIGPIPE")


def _die_of(name: str) -> int:
    number: Any = getattr(signal, name, None)
    if number is None or sys.platform == "win32":
        return 130 if name == "SIGINT" else 1
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    return 128 + int(number)  # where the signal is blocked
