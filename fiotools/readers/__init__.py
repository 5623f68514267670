"""The readers: what each format looks like, and which rows it gives.

Another package adds a reader through the entry-point group ``fiotools.readers``: each entry names a
`Reader` with a new name.
"""

from __future__ import annotations

import warnings
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from fiotools.readers.document import Grammar, Reader, Report, Session
from fiotools.readers.formats import READERS

__all__ = ["READERS", "Grammar", "Reader", "Report", "Session", "readers"]


@cache
def readers() -> tuple[Reader, ...]:
    """Return the built-in readers and those of other packages."""
    known = {reader.name: reader for reader in READERS}
    for entry in entry_points(group="fiotools.readers"):
        reader = _loaded(entry)
        if reader and known.setdefault(reader.name, reader) is not reader:
            warnings.warn(
                f"{entry.value}: there is a reader {reader.name!r} already; this one is not used",
                stacklevel=2,
            )
    return tuple(known.values())


def _loaded(entry: EntryPoint) -> Reader | None:
    """Load another package's reader; one that fails must not stop the others."""
    try:
        reader = entry.load()
    except (ImportError, AttributeError) as error:
        warnings.warn(f"the reader {entry.value} cannot be loaded: {error}", stacklevel=3)
        return None
    if not isinstance(reader, Reader):
        warnings.warn(f"{entry.value} is not a fiotools.readers.Reader", stacklevel=3)
        return None
    return reader
