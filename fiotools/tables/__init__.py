"""The tables themselves: polars frames of many files; pandas at the border.

A reader adds rows to `fiotools.tables.rows.Rows`, checked against the vocabulary, which makes
frames of them; nothing here knows a tool.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fiotools.tables.rows import Rows

    Tables = Rows  # TRANSITION


@contextmanager
def resting() -> Iterator[None]:
    """Pause the garbage collector, and leave it as it was: for a batch, not for a session.

    It looks for cycles after every few hundred new objects. Reading makes millions, hardly any of
    them in a cycle: the search took a fifth of the time, and found nothing.

    Examples
    --------
    >>> with resting():
    ...     gc.isenabled()
    False
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def __getattr__(name: str) -> object:  # TRANSITION
    if name == "Tables":
        from fiotools.tables.rows import Rows

        return Rows
    raise AttributeError(name)
