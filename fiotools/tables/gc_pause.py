"""Python's collector of garbage, at rest while files are read.

It looks for cycles each time some hundred objects more have been made than dropped. Reading makes
millions, hardly any of them in a cycle: the search took a fifth of the time, and found nothing.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def resting() -> Iterator[None]:
    """Let the collector rest, and leave it as it was; this is of a batch, not of a session.

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
