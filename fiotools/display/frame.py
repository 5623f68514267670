"""A frame to be shown: pandas or polars, any columns, read no further than its first rows."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from fiotools.display.cells import is_missing
from fiotools.errors import SchemaError
from fiotools.vocabulary import ANSWERS

_NEEDED = "show takes a Results, or a pandas or polars DataFrame"
_HINTS = {
    "LazyFrame": "; collect() it first",
    "Series": "; to_frame() makes one of it",
    "dict": "; show its frames one by one",
}
# The answers that are read by people, and not taken further.
_READ = (
    *("compare", "overall", "speedup", "tails", "summarize", "check", "steady", "reconcile"),
    *("best_under", "variance_levels", "variance_parts", "settings_diff", "fairness"),
    *("shifts", "plan"),
)


class Frame:
    """The first rows of a frame as lists, and facts about all its rows.

    Parameters
    ----------
    frame : pandas or polars frame
    rows : int, optional
        How many rows to read; all by default.

    Attributes
    ----------
    names : list of str
        The columns; those of a pandas index that says something come first.
    size : int
        How many rows the frame has.
    rows : int or None
        How many were to be read.
    columns : dict of str to list
        The first rows, missing values as None.
    """

    def __init__(self, frame: Any, rows: int | None = None) -> None:
        self._data = _opened(frame)
        self.rows = rows
        self.names: list[str] = list(self._data.columns)
        self.size = len(self._data)
        part = self._data if rows is None else self._data.head(rows)
        self.columns = {name: _values(part[name]) for name in self.names}

    def whole(self) -> dict[str, list[Any]]:
        """Return all rows, as `columns` has the first."""
        return {name: _values(self._data[name]) for name in self.names}

    def is_empty(self, name: str) -> bool:
        """Say whether a column has no value in any row."""
        column = self._data[name]
        return not any(one is not None for one in self.columns[name]) and bool(
            column.is_null().all()
        )

    def is_alike(self, name: str) -> bool:
        """Say whether a column has one value in all of several rows."""
        first = self.columns[name][:1]
        if self.size < 2 or any(one != first[0] for one in self.columns[name]):
            return False
        return self.size == len(self.columns[name]) or len(self._data[name].unique()) == 1


def answer_of(names: Sequence[str]) -> str | None:
    """Name the statistic whose answer ends with these columns; None if none does.

    Examples
    --------
    >>> answer_of(["volume", *ANSWERS["compare"]]), answer_of(["volume", "ratio", "verdict"])
    ('compare', None)
    """
    for name in _READ:
        end = ANSWERS[name]
        if tuple(names[-len(end) :]) == end and (end[0] != "baseline" or len(names) > len(end)):
            return name
    return None


def _opened(frame: Any) -> Any:
    """Open a frame: polars as it is, others by narwhals."""
    polars = sys.modules.get("polars")
    if polars is not None and isinstance(frame, polars.DataFrame):
        return frame
    import narwhals as nw  # as the statistics do; a table of `Results` is shown without it

    if nw.dependencies.is_pandas_dataframe(frame):
        frame = _plain(frame)
    try:
        return nw.from_native(frame, eager_only=True)
    except TypeError:
        kind = type(frame).__name__
        raise SchemaError(f"{_NEEDED}, not {kind}{_HINTS.get(kind, '')}") from None
    except nw.exceptions.DuplicateError:
        raise SchemaError("the frame has several columns of one name: rename them") from None


def _plain(frame: Any) -> Any:
    """Turn a named index into columns, and all names into texts."""
    index = frame.index
    if index.nlevels > 1 or index.name is not None or not _counts(index):
        names = ["" if name is None else name for name in index.names]
        frame = frame.reset_index(names=names, allow_duplicates=True)
    return frame.set_axis([_name(column) for column in frame.columns], axis="columns")


def _values(series: Any) -> list[Any]:
    return [None if is_missing(value) else value for value in series.to_list()]


def _counts(index: Any) -> bool:
    return index.dtype.kind in "iu"


def _name(column: Any) -> str:
    return " ".join(map(str, column)) if isinstance(column, tuple) else str(column)
