"""Names of files in a dataset, and which of them count.

A part is a number, and each time it is written a generation: ``part-000007-002.parquet``. Its
record, the file of that name in ``_manifest``, is written last. So a list of names says all: of a
part in a table, the newest file counts that is not newer than the part's newest record; what has no
record was never committed. A table in which a new generation changes nothing keeps its old file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

ABOUT = "_fiotools.json"
LOCK = "_lock"
RECORDS = "_manifest"
PLAN = "_plan"
PLANNED = "plan.json"

_PART = re.compile(r"part-(\d{6,})-(\d{3,})\.parquet")
# what a kill left of a file that was being written
_UNFINISHED = re.compile(
    rf"\.(?:{_PART.pattern}|{re.escape(ABOUT)}|{re.escape(PLANNED)})\.\w+\.part"
)


def part_name(number: int, generation: int) -> str:
    """Name a file.

    Examples
    --------
    >>> part_name(7, 2)
    'part-000007-002.parquet'
    """
    return f"part-{number:06d}-{generation:03d}.parquet"


def newest(records: Iterable[str]) -> dict[int, int]:
    """Give the newest generation of each part, by number.

    Examples
    --------
    >>> newest(["part-000001-001.parquet", "part-000000-001.parquet", "part-000001-002.parquet"])
    {0: 1, 1: 2}
    """
    found: dict[int, int] = {}
    for number, generation in _parsed(records):
        found[number] = max(generation, found.get(number, 0))
    return dict(sorted(found.items()))


def current(names: Iterable[str], committed: Mapping[int, int]) -> dict[int, str]:
    """Give the file of each part that counts in a table.

    Parameters
    ----------
    names : iterable of str
        The files of the table.
    committed : mapping of int to int
        As `newest` gives it of the records.

    Examples
    --------
    >>> current(["part-000001-001.parquet", "part-000001-003.parquet"], {1: 2})
    {1: 'part-000001-001.parquet'}
    """
    kept = ((n, g) for n, g in _parsed(names) if g <= committed.get(n, 0))
    return {n: part_name(n, g) for n, g in newest(part_name(*one) for one in kept).items()}


def leftover(names: Iterable[str], committed: Mapping[int, int]) -> list[str]:
    """Name the files of a table that do not count: older ones, and what was never committed."""
    names = list(names)
    counting = set(current(names, committed).values())
    return [
        name
        for name in names
        if (_PART.fullmatch(name) and name not in counting) or is_unfinished(name)
    ]


def uncommitted(names: Iterable[str], committed: Mapping[int, int]) -> list[str]:
    """Name the files of parts, or of generations of them, that have no record."""
    return [part_name(n, g) for n, g in _parsed(names) if g > committed.get(n, 0)]


def is_unfinished(name: str) -> bool:
    """Say whether a file is what a kill left of one that was being written.

    Examples
    --------
    >>> is_unfinished("._fiotools.json.k3j9.part"), is_unfinished("part-000001-001.parquet")
    (True, False)
    """
    return _UNFINISHED.fullmatch(name) is not None


def _parsed(names: Iterable[str]) -> Iterable[tuple[int, int]]:
    return ((int(match[1]), int(match[2])) for match in map(_PART.fullmatch, names) if match)
