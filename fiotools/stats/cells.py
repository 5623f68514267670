"""The columns that tell the cells of a table apart: what was tested, whichever side did it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import narwhals as nw

from fiotools.stats.roles import COUNTERS
from fiotools.vocabulary import CONDITIONS, EVERY


def of_tests(frame: Any, between: str, first: Iterable[str]) -> list[str]:
    """Choose the columns of the tests: labels and conditions, and the ``first``."""
    data = nw.from_native(frame, eager_only=True)
    texts = [name for name, kind in data.schema.items() if not kind.is_numeric()]
    labels = [name for name in texts if name not in (*EVERY, *COUNTERS)]
    found = of_sides(data, between, dict.fromkeys((*first, *labels, *CONDITIONS, "command")))
    return sorted(found, key="direction".__eq__)


def of_sides(frame: Any, between: str | None, names: Iterable[str]) -> list[str]:
    """Choose the columns of the cells: those that differ, and not only from side to side."""
    data = nw.from_native(frame, eager_only=True)
    vary = [one for one in names if one != between and differs(data, one)]
    if between is not None and between in data.columns:
        pairs = {one: data.select(one, between).drop_nulls().unique() for one in vary}
        vary = [one for one, own in pairs.items() if len(own) > own[one].n_unique()]
    return telling(data, vary)


def telling(frame: Any, by: Iterable[str]) -> list[str]:
    """Leave out columns that are the same in all rows or follow from the rest."""
    data = nw.from_native(frame, eager_only=True)

    def count(names: list[str]) -> int:
        return len(data.select(names).unique())

    by = [name for name in by if count([name]) > 1]
    for name in ("direction", *CONDITIONS):
        rest = [other for other in by if other != name]
        if name in by and rest and count(by) == count(rest):
            by = rest
    return by


def differs(frame: Any, name: str) -> bool:
    """Say whether a column has several values."""
    data = nw.from_native(frame, eager_only=True)
    return name in data.columns and data[name].drop_nulls().n_unique() > 1
