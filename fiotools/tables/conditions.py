"""The conditions under which I/O was done: they stand in `io`, and other tables have them too.

A percentile, a bin or a sample is of one entry and direction of `io`, and was measured under the
conditions of that row. A label of the path that is named like a condition fills its gaps first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from fiotools.schema import CONDITIONS, SWEPT, TABLES
from fiotools.tables.columns import column, get
from fiotools.tables.parts import FILE, Part, flat, lists

# the tables that take conditions from `io`; the block size of a sample is that of a single I/O
SHARING = {
    "percentiles": SWEPT,
    "bins": SWEPT,
    "samples": tuple(name for name in SWEPT if name != "bs_bytes"),
}
_ENTRY = (FILE, "run", "entry")
_DIRECTION = (*_ENTRY, "direction")


def fill_conditions(part: Part) -> list[tuple[int, str]]:
    """Fill gaps of conditions from labels that are named like them.

    Returns
    -------
    list of (file, message)
        Where a path says another condition than the file does.
    """
    named = {name for _, labels in part.files for name in labels}
    said: list[tuple[int, str]] = []
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
) -> Iterator[tuple[int, str]]:
    both = pl.DataFrame({FILE: file, "own": given, "label": stated})
    others = both.filter(pl.col("own") != pl.col("label")).unique(maintain_order=True)
    grouped = others.group_by(FILE, maintain_order=True).agg(pl.col("own").sort(), "label")
    for number, values, labels in grouped.iter_rows():
        said = ", ".join(map(str, values))
        yield number, f"the path says {name}={labels[0]}, the file {said}: the file's is kept"


def _as_text(values: pl.Series) -> pl.Series:
    return values.cast(pl.String()) if values.dtype in (pl.Enum, pl.Categorical) else values


def share_conditions(part: Part) -> None:
    """Give percentiles, bins and samples the conditions of their entry and direction.

    A direction of which `io` has no row, such as sync, has what all rows of its entry share.
    """
    io = part.tables.get("io")
    if io is None or not io.height:
        return
    io = flat(io)
    known = _keys(io).hstack(io.select(name for name in SWEPT if name in io.columns))
    tables = [table for table in SHARING if table in part.tables and part.tables[table].height]
    for keys in (_DIRECTION, _ENTRY):
        shared = known.group_by(keys).agg(map(_alike, known.columns[len(_DIRECTION) :]))
        for table in tables:
            own = [name for name in SHARING[table] if name in shared.columns]
            part.tables[table] = _filled(part.tables[table], shared.select(*keys, *own), keys)


def _keys(frame: pl.DataFrame) -> pl.DataFrame:
    return pl.DataFrame(
        [_as_text(get(frame, key)) if key != FILE else frame[key] for key in _DIRECTION]
    )


def _alike(name: str) -> pl.Expr:
    values = pl.col(name)
    return pl.when(values.n_unique() == 1).then(values.first()).alias(name)


def _filled(frame: pl.DataFrame, shared: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    names = shared.columns[len(keys) :]
    if not {*keys, *names}.isdisjoint(lists(frame)):
        frame = flat(frame)
    found = _keys(frame).join(shared, on=keys, how="left", nulls_equal=True, maintain_order="left")
    own = [_as_text(get(frame, name)) for name in names]
    return frame.with_columns(one.zip_with(one.is_not_null(), found[one.name]) for one in own)
