"""How a message spells an argument: as Python, or as an option of a shell.

Messages name arguments with these functions and never write them out, so that the command line need
not search texts for them: text from a file or a user is never taken for an argument.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

# options with another name than the argument
_OPTIONS = {"format": "reader", "version": "tool-version", "round_s": "round"}
_NOTHING = object()
_shell = False


@contextmanager
def in_shell() -> Iterator[None]:
    """Write messages for a shell, as the command line does."""
    global _shell
    before, _shell = _shell, True
    try:
        yield
    finally:
        _shell = before


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


def typed(python: str, shell: str) -> str:
    """Choose between two spellings of the same thing.

    Examples
    --------
    >>> typed("use compare()", "use fiotools compare")
    'use compare()'
    """
    return shell if _shell else python
