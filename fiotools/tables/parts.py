"""The rows of many files put together: a polars frame for each table.

Files are read a few hundred at a time. Such a batch gives a `Part`: small enough to be sent from
one process to another, and put under others when all parts are there. Its frames have the number of
each row's file, and the columns that the files say anything about.

The thousand bins of a histogram belong to one file, run, job and direction. If rows share such
values in long stretches, a frame has one row for each stretch, and lists of what differs in it:
shared values are kept once. `flat` gives the rows one by one.

A label of the path that is named like a condition fills the gaps of that condition.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from fiotools.tables.columns import column, get
from fiotools.vocabulary import CONDITIONS, TABLES

if TYPE_CHECKING:
    from numpy.typing import NDArray

Labels = Mapping[str, Any]
TEXT = pl.String()
FEW = 100  # rows: separate columns are not worth it for so few
FILE = "#"  # the column of the file's number: no column or label has this name
_SAID = {FILE: pl.Int32(), "run": pl.Int64(), "message": pl.String()}
_NO_ROWS = pl.DataFrame(schema={FILE: pl.Int32()})
_MANY, _LONG = 50_000, 100  # rows, and rows per stretch, for which stretches are worth keeping


@dataclass(slots=True)
class Part:
    """The rows of a batch of files.

    Attributes
    ----------
    files : list of (source, labels)
    tables : dict of str to polars.DataFrame
        In the order of the files.
    """

    files: list[tuple[str, Labels]]
    tables: dict[str, pl.DataFrame]


# --- frames in stretches ----------------------------------------------------------------------


def lists(frame: pl.DataFrame) -> list[str]:
    """Name the columns with a list for each stretch; none if there are no stretches.

    In whole tables a list is a value of a user's own column.
    """
    if FILE not in frame.columns:
        return []
    kinds = zip(frame.columns, frame.dtypes, strict=True)
    return [name for name, kind in kinds if isinstance(kind, pl.List)]


def flat(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the rows one by one."""
    names = lists(frame)
    return frame.explode(names) if names else frame


def sizes_of(frame: pl.DataFrame) -> NDArray[np.int64] | None:
    """Return how many rows each stretch has; None if there are no stretches."""
    names = lists(frame)
    return frame[names[0]].list.len().cast(pl.Int64()).to_numpy() if names else None


def height(frame: pl.DataFrame) -> int:
    """Count the rows."""
    sizes = sizes_of(frame)
    return frame.height if sizes is None else int(sizes.sum())


def stretched(shared: pl.DataFrame, own: pl.DataFrame, sizes: NDArray[np.int64]) -> pl.DataFrame:
    """Make a frame of the values that stretches share, and of those of their rows.

    A few rows, or short stretches, are kept row by row.
    """
    if own.height <= max(_MANY, _LONG * len(sizes)):
        stretch = _stretch_of_each(sizes)
        return pl.DataFrame([*(one[stretch] for one in shared), *own])
    places = pl.DataFrame({"start": np.cumsum(sizes) - sizes, "size": sizes})
    for name in own.columns:
        cut = pl.lit(own[name].implode()).list.slice("start", "size")
        shared = shared.hstack(places.select(cut.alias(name)))
    return shared


def _stretch_of_each(sizes: NDArray[np.int64]) -> pl.Series:
    return pl.Series(np.arange(len(sizes), dtype=np.uint32).repeat(sizes))


def keys_of(frame: pl.DataFrame) -> NDArray[np.int64]:
    """Combine each row's file and run into one number."""
    keys: NDArray[np.int64] = frame[FILE].to_numpy().astype(np.int64) << 32
    if "run" in frame.columns:
        run = frame["run"]
        keys |= (run.fill_null(0) if run.null_count() else run).to_numpy()
    return keys


def in_order(table: str, frame: pl.DataFrame) -> pl.DataFrame:
    """Sort rows by file, then by run; notes of a file keep their order."""
    if frame.height < 2:
        return frame
    if "run" in lists(frame):
        frame = flat(frame)
    keys = frame[FILE].to_numpy() if table == "notes" else keys_of(frame)
    return frame if (np.diff(keys) >= 0).all() else frame[np.argsort(keys, kind="stable")]


# --- parts ------------------------------------------------------------------------------------


def stacked(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Concatenate frames of one table."""
    frames = [frame for frame in frames if frame.height]
    if len(frames) < 2:
        return frames[0] if frames else _NO_ROWS.clone()
    own = {frozenset(lists(frame)) for frame in frames}
    if len(own) > 1:
        frames = [flat(frame) for frame in frames]
    # texts may be Enum in one and String in another, or have other words
    kinds: dict[str, set[pl.DataType]] = {}
    for frame in frames:
        for name, kind in frame.schema.items():
            kinds.setdefault(name, set()).add(kind)
    texts: dict[Any, pl.DataType] = {
        name: pl.List(pl.String()) if any(isinstance(kind, pl.List) for kind in found) else TEXT
        for name, found in kinds.items()
        if len(found) > 1
    }
    cast = [
        frame.cast(
            {name: kind for name, kind in texts.items() if name in frame.columns}, strict=False
        )
        for frame in frames
    ]
    return pl.concat(cast, how="diagonal")


def stack(parts: Sequence[Part], wanted: Sequence[str] | None = None) -> Part:
    """Concatenate parts, with all tables or some; files are numbered across all of them."""
    starts = np.cumsum([0, *(len(part.files) for part in parts)]).tolist()
    found: dict[str, list[pl.DataFrame]] = {}
    for start, part in zip(starts, parts, strict=False):
        for table, frame in part.tables.items():
            numbered = frame.with_columns(pl.col(FILE) + start) if start else frame
            found.setdefault(table, []).append(numbered)
    built = [table for table in TABLES if wanted is None or table in (*wanted, "notes")]
    tables = {table: stacked(found.get(table, ())) for table in built}
    return Part([file for part in parts for file in part.files], tables)


def add_notes(
    notes: pl.DataFrame,
    code: str,
    said: Iterable[tuple[int, int | None, str]],
    *,
    last: bool = False,
) -> pl.DataFrame:
    """Add warnings (file, run, message): after the notes of their file, or after all."""
    said = list(said)
    if not said:
        return notes
    added = pl.DataFrame(said, schema=_SAID, orient="row")
    kind = {"severity": pl.lit("warning"), "code": pl.lit(code)}
    whole = stacked([notes, added.with_columns(**kind)])
    return whole if last else in_order("notes", whole)


# --- conditions -------------------------------------------------------------------------------


def fill_conditions(part: Part) -> list[tuple[int, int | None, str]]:
    """Fill missing conditions from labels that are named like them.

    Returns
    -------
    list of (file, None, message)
        Files whose path contradicts a condition in the file.
    """
    named = {name for _, labels in part.files for name in labels}
    said: list[tuple[int, int | None, str]] = []
    for name in filter(named.__contains__, CONDITIONS):
        labels = column(name, [labels.get(name) for _, labels in part.files])
        for table, frame in part.tables.items():
            if name not in TABLES[table] or not frame.height:
                continue
            if name in lists(frame):
                frame = flat(frame)
            given, stated = _as_text(get(frame, name)), labels.gather(frame[FILE])
            if table == "io":
                said += _contradicted(name, frame[FILE], given, stated)
            part.tables[table] = frame.with_columns(given.zip_with(given.is_not_null(), stated))
    return said


def _contradicted(
    name: str, file: pl.Series, given: pl.Series, stated: pl.Series
) -> Iterator[tuple[int, None, str]]:
    both = pl.DataFrame({FILE: file, "own": given, "label": stated})
    others = both.filter(pl.col("own") != pl.col("label")).unique(maintain_order=True)
    grouped = others.group_by(FILE, maintain_order=True).agg(pl.col("own").sort(), "label")
    for number, values, labels in grouped.iter_rows():
        said = ", ".join(map(str, values))
        yield number, None, f"the path says {name}={labels[0]}, the file {said}: the file's is kept"


def _as_text(values: pl.Series) -> pl.Series:
    return values.cast(pl.String()) if values.dtype in (pl.Enum, pl.Categorical) else values


def stretches(columns: Sequence[pl.Series]) -> tuple[pl.Series, NDArray[np.int64]]:
    """Return where consecutive rows with the same values begin, and how many each stretch has."""
    size = len(columns[0])
    if size <= FEW:  # which polars looks at thirty times as long
        rows = [*zip(*(one.to_list() for one in columns), strict=True)]
        starts = np.array([at for at, row in enumerate(rows) if not at or row != rows[at - 1]])
    else:
        numbers = pl.select(pl.struct(columns).rle_id()).to_series().to_numpy()
        starts = np.flatnonzero(np.diff(numbers, prepend=-1))
    return pl.Series(starts, dtype=pl.UInt32()), np.diff(starts, append=size)
