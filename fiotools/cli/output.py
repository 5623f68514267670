"""The output of the program: answers to stdout, one line for each trouble to stderr, exit codes."""

from __future__ import annotations

import os
import signal
import sys
import warnings
from contextlib import suppress
from types import TracebackType
from typing import IO, Any

from fiotools.display.columns import printable

# for a terminal without Unicode
_POOR = str.maketrans("µ…▲▼△▽✓✕", "u~^v^v+x")


class OutputClosedError(Exception):
    """Nobody reads our stdout any more, as with ``| head``."""


class Trouble(Exception):
    """A command that fails: one line (or none, if it was printed), and the exit code."""

    def __init__(self, message: str, code: int = 1) -> None:
        super().__init__(message)
        self.code = code


def prepare() -> None:
    """Keep libraries from writing to stderr."""
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


def say(text: str) -> None:
    """Write one line to stderr."""
    if sys.stderr is not None:
        with suppress(OSError):  # nobody reads it
            print(f"fiotools: {printable(text)}", file=sys.stderr, flush=True)


def write(text: str) -> None:
    """Write text to stdout, in the letters of the terminal."""
    encoding = "utf-8" if sys.stdout is None else sys.stdout.encoding or "utf-8"
    try:
        content = text.encode(encoding)
    except UnicodeEncodeError:
        text = text.translate(_POOR)
        content = text.encode(encoding, "backslashreplace")
    write_bytes(content)


def write_bytes(content: bytes) -> None:
    """Write to stdout, and notice at once if nobody reads it or the disk is full."""
    if sys.stdout is None:
        raise Trouble("standard output is closed")
    left = memoryview(content)
    try:
        sys.stdout.flush()
        # in pieces: with PYTHONUNBUFFERED Python drops the part that did not fit
        while left:
            left = left[sys.stdout.buffer.write(left) :]
        sys.stdout.buffer.flush()
    except OSError as error:
        # Python must not try the rest of the buffer again at its end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            raise OutputClosedError from None
        raise Trouble(f"standard output: {error.strerror}") from None


def unexpected(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    """Print an unexpected error in one line; replaces `sys.excepthook`."""
    what = str(error) or "no more is known"
    say(f"{kind.__name__}: {what} (a bug of fiotools; --debug shows where)")


def interrupted() -> int:
    """End like a program that Ctrl-C stopped, so a loop in the shell stops too."""
    say("interrupted")
    return _die_of("SIGINT")


def closed() -> int:
    """End like a program whose output nobody reads."""
    return _die_of("SIGPIPE")


def _die_of(name: str) -> int:
    number: Any = getattr(signal, name, None)
    if number is None or sys.platform == "win32":
        return 130 if name == "SIGINT" else 1
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    return 128 + int(number)  # the signal is blocked
