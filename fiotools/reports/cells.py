"""The names of cells: the conditions that tell them apart, as people write them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import TypeAlias

import pandas as pd

from fiotools.display import columns
from fiotools.vocabulary import CONDITIONS

Written: TypeAlias = Callable[[Iterable[str]], str]


def cell_names(answer: pd.DataFrame, written: Written = ", ".join) -> list[str]:
    """Name the cell of each row, by the columns before the two sides in which cells differ."""
    names = columns.of(answer)
    return names_of(answer, names[: names.index("baseline") - 1], written)


def names_of(frame: pd.DataFrame, by: Iterable[str], written: Written = ", ".join) -> list[str]:
    """Name rows by the columns that tell them apart; plots write them in their language."""
    by = telling(frame, by)
    texts = [columns.levels(frame[name].tolist(), name) for name in by]
    rows = list(zip(*texts, strict=True)) or [()] * len(frame)
    if "direction" in by and len(by) > 1:
        at = by.index("direction")  # a mixed workload has two, and the others have one
        rests = [(*row[:at], *row[at + 1 :]) for row in rows]
        ways = Counter(rest for rest, _ in {*zip(rests, (row[at] for row in rows), strict=True)})
        rows = [rest if ways[rest] == 1 else row for row, rest in zip(rows, rests, strict=True)]
    return [written(row) for row in rows]


def telling(frame: pd.DataFrame, by: Iterable[str]) -> list[str]:
    """Leave out columns that are the same in all rows or follow from the rest."""
    by = [name for name in by if len(frame[name].unique()) > 1]
    for name in ("direction", *CONDITIONS):
        rest = [other for other in by if other != name]
        if name in by and rest:
            cells_of = frame.groupby(rest, dropna=False)[name]
            if not cells_of.nunique(dropna=False).gt(1).any():
                by = rest
    return by
