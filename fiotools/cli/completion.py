"""The offers of a shell at the Tab key: names of columns, tables, formats and links.

The names do not depend on the files; a shell offers files if no name fits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fiotools.display.columns import short
from fiotools.vocabulary import COLUMNS, CONDITIONS, KEYS, TABLES

SCOPES = ("total", "thread", "job", "group", "client", "target")


def metric(incomplete: str) -> Iterator[str]:
    """Offer metrics."""
    return _begun(incomplete, (short(name) for name, one in COLUMNS.items() if one.better))


def columns(incomplete: str) -> Iterator[str]:
    """Offer columns.

    Examples
    --------
    >>> list(columns("job,real")), list(columns("job,j"))
    (['job,real', 'job,real_mean', 'job,real_stddev'], ['job,job_start', 'job,job_runtime'])
    """
    return _several(incomplete, map(short, COLUMNS))


def apart(incomplete: str) -> Iterator[str]:
    """Offer columns that tell rows apart."""
    return _several(incomplete, ("label", *map(short, (*KEYS, *CONDITIONS))))


def tables(incomplete: str) -> Iterator[str]:
    """Offer tables."""
    return _several(incomplete, TABLES)


def described(incomplete: str) -> Iterator[str]:
    """Offer columns and tables."""
    return _begun(incomplete, dict.fromkeys([*map(short, COLUMNS), *TABLES]))


def scope(incomplete: str) -> Iterator[str]:
    """Offer scopes."""
    return _begun(incomplete, SCOPES)


def reader(incomplete: str) -> Iterator[str]:
    """Offer formats."""
    from fiotools.readers import readers

    return _begun(incomplete, (one.name for one in readers()))


def link(incomplete: str) -> Iterator[str]:
    """Offer links."""
    from fiotools.links import NAMES

    return _begun(incomplete, NAMES)


def _begun(incomplete: str, names: Iterable[str]) -> Iterator[str]:
    return (name for name in names if name.startswith(incomplete))


def _several(incomplete: str, names: Iterable[str]) -> Iterator[str]:
    """Offer one more name after a comma."""
    given, comma, last = incomplete.rpartition(",")
    more = (name for name in names if name not in given.split(","))
    return (f"{given}{comma}{name}" for name in _begun(last, more))
