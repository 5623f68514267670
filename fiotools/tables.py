"""The rows that readers build: plain Python columns, checked against the vocabulary, then frames.

A reader adds rows (or whole columns, where there are many) to `Tables`; nothing here knows a tool.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import pandas as pd

from fiotools.errors import SchemaError
from fiotools.vocabulary import COLUMNS, PANDAS, TABLES

Row = Mapping[str, Any]
_LARGE = 10_000  # rows


class Tables:
    """What one file gives, table by table.

    Parameters
    ----------
    source : str
        The file's path, written into every row.
    wanted : collection of str, optional
        The tables to build; without it, all. Notes are always kept: a reader's doubts about a
        figure belong to the figure.

    Attributes
    ----------
    blocks : dict
        For each table its blocks: columns of equal length, as they came.
    """

    def __init__(self, source: str, wanted: Collection[str] | None = None) -> None:
        self.source = source
        self._wanted = frozenset(TABLES if wanted is None else {*wanted, "notes"})
        self.blocks: dict[str, list[tuple[int, Mapping[str, Sequence[Any]]]]] = {}
        self._rows: dict[str, list[dict[str, Any]]] = {name: [] for name in TABLES}
        self.runs = 0

    def wants(self, table: str) -> bool:
        """Say whether a table was asked for; costly parts are skipped when it was not."""
        return table in self._wanted

    def add(self, table: str, **row: Any) -> None:
        """Add one row; what the file does not say is left out."""
        if table in self._wanted:
            self._rows[table].append(row)

    def extend(self, table: str, columns: Mapping[str, Sequence[Any]], **same: Any) -> None:
        """Add many rows at once: columns of equal length, and values that all of them share."""
        if table not in self._wanted:
            return
        size = len(next(iter(columns.values())))
        full = {**columns, **{name: [value] * size for name, value in same.items()}}
        if any(len(values) != size for values in full.values()):
            raise SchemaError(f"columns of unequal length for {table!r}")
        self._flush(table)
        self.blocks.setdefault(table, []).append((size, full))

    def start_run(self, **row: Any) -> int:
        """Add a row of `runs` and return its number."""
        self.runs += 1
        self.add("runs", run=self.runs, **{"status": "ok", **row})
        return self.runs

    def note(
        self,
        message: str,
        *,
        line: int | None = None,
        severity: str = "info",
        run: int | None = None,
    ) -> None:
        """Say something about the file: what was left out, repaired, or contradicts itself."""
        self.add("notes", run=run, line=line, severity=severity, message=message)

    def _flush(self, table: str) -> None:
        rows = self._rows[table]
        if rows:
            names = dict.fromkeys(name for row in rows for name in row)
            columns = {name: [row.get(name) for row in rows] for name in names}
            self.blocks.setdefault(table, []).append((len(rows), columns))
            self._rows[table] = []

    def finish(self) -> Tables:
        """Close the tables; unknown column names are refused here, once per file."""
        for table in TABLES:
            self._flush(table)
            known = TABLES[table]
            for _, columns in self.blocks.get(table, ()):
                for name in columns:
                    if name not in known:
                        raise SchemaError(f"{self.source}: table {table!r} has no column {name!r}")
        return self


def frames(
    files: Iterable[tuple[Mapping[str, Any], Tables]], wanted: Collection[str] | None = None
) -> dict[str, pd.DataFrame]:
    """Put the tables of many files together, labels first, every column in its type.

    Parameters
    ----------
    files : iterable of (labels, Tables)
        The labels (from ``{label: paths}`` or a path template) become the first columns.
    wanted : collection of str, optional
        As in `Tables`.
    """
    files = list(files)
    labels = list(dict.fromkeys(name for named, _ in files for name in named))
    types = {label: _type([named.get(label) for named, _ in files]) for label in labels}
    built = {}
    for table, names in TABLES.items():
        if wanted is not None and table not in wanted and table != "notes":
            continue
        parts = [
            (named, tables.source, size, columns)
            for named, tables in files
            for size, columns in tables.blocks.get(table, ())
        ]
        if not parts and not labels:
            built[table] = _empty(table).copy(deep=False)  # nothing is in it that could be changed
            continue
        # a label named like a condition ({iodepth:d}) fills that condition's gaps instead
        data: dict[str, Any] = {}
        for label in labels:
            if label not in names:
                data[label] = pd.array(
                    [named.get(label) for named, _, size, _ in parts for _ in range(size)],
                    dtype=types[label],
                )
        for name in names:
            filled = [
                (columns.get(name), source if name == "source" else named.get(name), size)
                for named, source, size, columns in parts
            ]
            data[name] = _column(filled, _dtype(PANDAS[COLUMNS[name].dtype]))
        built[table] = pd.DataFrame(data)
    return built


@cache
def _empty(table: str) -> pd.DataFrame:
    """Build a table without rows: most files leave most tables empty, and building takes time."""
    columns = {name: _dtype(PANDAS[COLUMNS[name].dtype]) for name in TABLES[table]}
    return pd.DataFrame({name: pd.array([], dtype=dtype) for name, dtype in columns.items()})


@cache
def _missing(dtype: Any) -> Any:
    """Build one missing value; most columns hold nothing else."""
    return pd.array([None], dtype=dtype)


@cache
def _dtype(name: str) -> Any:
    """Look a type up by its name, once: pandas tries every type that it knows."""
    return pd.api.types.pandas_dtype(name)


def _column(parts: list[tuple[Sequence[Any] | None, Any, int]], dtype: Any) -> Any:
    """Join a column's parts: the values given, and what stands where there are none."""
    if all(given is None and default is None for given, default, _ in parts):
        return _missing(dtype).repeat(sum(size for _, _, size in parts))
    pieces: list[Any] = []
    values: list[Any] = []
    for given, default, size in parts:
        if size >= _LARGE and (given is None or default is None):
            # a log has a million rows: not each of them should pass through a list
            pieces.append(pd.array(values, dtype=dtype))
            values = []
            large = [default] if given is None else given
            pieces.append(pd.array(large, dtype=dtype).repeat(size if given is None else 1))
        elif given is None:
            values.extend([default] * size)
        elif default is None:
            values.extend(given)
        else:
            values.extend(default if value is None else value for value in given)
    if not pieces:
        return pd.array(values, dtype=dtype)
    pieces.append(pd.array(values, dtype=dtype))
    return pd.concat([pd.Series(piece) for piece in pieces if len(piece)], ignore_index=True).array


def _type(values: list[Any]) -> Any:
    """Choose a label's type: whole numbers where all are, text otherwise."""
    return "Int64" if all(isinstance(v, int) or v is None for v in values) else "str"
