"""Typed columns as frames, and frames as typed columns: pandas is not needed before.

A worker gives what it read as arrays; who asked for it makes the frames.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from operator import ne
from typing import Any

import numpy as np
import pandas as pd

from fiotools.arrays import Sizes, Vector, nothing, vector
from fiotools.column import DType
from fiotools.joining import Labels
from fiotools.rows import Rows
from fiotools.vocabulary import COLUMNS, PANDAS, TABLES

_MANY, _LONG, _PART = 50_000, 100, 1 << 10  # rows
_HEAD, _OFTEN = 1000, 100  # rows that are looked at first, and changes among them


def frames(files: Sequence[tuple[str, Labels]], tables: dict[str, Rows]) -> dict[str, pd.DataFrame]:
    """Make frames: labels first, every column in its type.

    Parameters
    ----------
    files : sequence of (source, labels)
        The labels (from ``{label: paths}`` or a path template) become the first columns; those
        named like a condition (``{iodepth:d}``) have filled that condition's gaps instead.
    tables : dict of str to Rows
        Emptied on the way: not everything has to be in memory twice.
    """
    labels = dict.fromkeys(name for _, named in files for name in named)
    of_files = {"source": _of_files([source for source, _ in files])}
    for label in labels:
        of_files[label] = _of_files([named.get(label) for _, named in files])
    built = {}
    for table in list(tables):
        rows = tables.pop(table)
        if not len(rows) and not labels:
            built[table] = _empty(table).copy(deep=False)  # nothing is in it that could be changed
            continue
        data: dict[str, Any] = {}
        lacking = _Lacking(len(rows))
        shown = [label for label in labels if label not in TABLES[table]]
        for name in (*shown, *TABLES[table]):
            if name == "source" or name in shown:
                values, dtype = of_files[name]
                data[name] = column(values.take(rows.files), dtype, rows.sizes)
            elif name in rows.shared:
                data[name] = column(rows.shared.pop(name), COLUMNS[name].dtype, rows.sizes)
            elif name in rows.columns:
                data[name] = column(rows.columns.pop(name), COLUMNS[name].dtype)
            else:
                data[name] = lacking.column(COLUMNS[name].dtype)
        built[table] = pd.DataFrame(data, copy=False)
    return built


class _Lacking:
    """Makes columns without values; long ones are one in memory until one of them is changed.

    pandas sees to that if it is given a series: that knows who else has its values.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._long: dict[DType, pd.Series[Any]] = {}

    def column(self, dtype: DType) -> Any:
        if self._size <= _MANY:
            return empty(self._size, dtype)
        if dtype not in self._long:
            self._long[dtype] = pd.Series(empty(self._size, dtype), copy=False)
        return self._long[dtype]


def rows_of(
    tables: Mapping[str, pd.DataFrame], needed: Mapping[str, Sequence[str]]
) -> tuple[list[str], dict[str, Rows]]:
    """Make rows of frames again: some columns of each table, and the names of the files."""
    there = [table for table in needed if table in tables]
    sources = pd.concat([tables[table]["source"] for table in there]) if there else pd.Series()
    files, names = pd.factorize(sources)
    rows, at = {}, 0
    for table in there:
        frame = tables[table]
        file = files[at : at + len(frame)].astype(np.int32)
        at += len(frame)
        columns = {
            name: vector(
                frame[name].astype(object).where(frame[name].notna(), None).tolist(),
                COLUMNS[name].dtype,
            )
            for name in needed[table]
        }
        rows[table] = Rows(file, columns)
    return list(names), rows


@cache
def _empty(table: str) -> pd.DataFrame:
    """Build a table without rows: most files leave most tables empty, and building takes time."""
    kinds = {name: dtype_of(PANDAS[COLUMNS[name].dtype]) for name in TABLES[table]}
    return pd.DataFrame({name: pd.array([], dtype=kind) for name, kind in kinds.items()})


def _of_files(values: list[Any]) -> tuple[Vector, DType]:
    """Type what is said of files: whole numbers where all are, text otherwise."""
    dtype: DType = "Int64" if all(isinstance(v, int) or v is None for v in values) else "str"
    return vector(values, dtype), dtype


def column(vector: Vector, dtype: DType, sizes: Sizes | None = None) -> Any:
    """Make a column of a frame; with ``sizes``, each value stands in so many rows on end."""
    kind = dtype_of(PANDAS[dtype])
    if vector.words is not None:
        stretches = _stretches(vector, sizes, kind)
        if stretches is not None:
            return stretches
    if sizes is not None:
        vector = vector.repeat(sizes)
    if vector.words is not None:
        words, places = pd.array(vector.words, dtype=kind), vector.data
        if len(words) == len(places) and (places == np.arange(len(places))).all():
            return words
        if not len(words):
            return one_of(None, dtype).repeat(len(places))
        return words.take(places, allow_fill=True)
    if dtype == "datetime":
        dates = vector.data.view("M8[ms]")
        if vector.missing is not None:
            dates = np.where(vector.missing, np.datetime64("NaT", "ms"), dates)
        return pd.array(dates, dtype=kind)
    if dtype == "float64":
        return vector.data
    masked = pd.arrays.IntegerArray if dtype == "Int64" else pd.arrays.BooleanArray
    missing = vector.missing
    return masked(vector.data, np.zeros(len(vector), dtype=bool) if missing is None else missing)


def _stretches(vector: Vector, sizes: Sizes | None, kind: Any) -> Any:
    """Make a column of texts of which each stands in many rows on end; None if they do not.

    Arrow writes a text anew for each row, ten million times the path of a file. But a column may
    have parts, and the parts may be slices of one array in which the text is written often enough.
    """
    count = len(vector) if sizes is None else int(sizes.sum())
    if count <= _MANY or getattr(kind, "storage", "") != "pyarrow":
        return None
    if sizes is None:
        head = [vector.at(place) for place in range(_HEAD)]
        if sum(map(ne, head, head[1:])) > _OFTEN:
            return None
    starts = np.flatnonzero(np.diff(vector.numbers(), prepend=-2))
    if count <= _LONG * len(starts):
        return None
    import pyarrow as pa

    if sizes is None:
        long = np.diff(starts, append=count)
    else:
        long = np.add.reduceat(sizes, starts)
    texts = vector.take(starts).listed()
    longest: dict[Any, int] = {}
    for text, size in zip(texts, long.tolist(), strict=True):
        longest[text] = max(size, longest.get(text, 0))
    written = {
        text: pa.repeat(pa.scalar(text, type=pa.large_string()), min(size, _PART))
        for text, size in longest.items()
    }
    parts = []
    for text, size in zip(texts, long.tolist(), strict=True):
        whole, rest = divmod(size, _PART)
        parts += [written[text]] * whole
        if rest:
            parts.append(written[text].slice(0, rest))
    return pd.array(pa.chunked_array(parts), dtype=kind)


def empty(size: int, dtype: DType) -> Any:
    """Make a column without values."""
    if dtype == "str":
        return (
            column(nothing(1, dtype), dtype, np.array([size])) if size else one_of(None, dtype)[:0]
        )
    if dtype in ("Int64", "float64"):
        return column(nothing(size, dtype), dtype)
    return one_of(None, dtype).repeat(size)


@cache
def one_of(value: Any, dtype: DType) -> Any:
    """Build one value; many columns hold nothing else."""
    return pd.array([value], dtype=dtype_of(PANDAS[dtype]))


@cache
def dtype_of(name: str) -> Any:
    """Look a type up by its name, once: pandas tries every type that it knows."""
    return pd.api.types.pandas_dtype(name)
