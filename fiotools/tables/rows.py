"""The rows of many files, and the frames that are made of them: the one builder of tables.

A reader adds rows when it reads them, and nothing changes them afterwards. Few rows are added one
by one (`add`); a reader of thousands of files names the columns of a kind of row once, and adds
values (`append`, `block`). Columns are made of all rows of a table at once, and get their types
then.

The thousand bins of a histogram share the values of their run, job and direction. If rows share
such values in long stretches, a frame has one row for each stretch, and lists of what differs in
it (`fiotools.tables.parts`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import polars as pl

from fiotools.errors import SchemaError
from fiotools.tables.columns import column, few_rows
from fiotools.tables.parts import FEW, FILE, in_order, stacked, stretched
from fiotools.vocabulary import COLUMNS, NOTES, TABLES

if TYPE_CHECKING:
    from fiotools.tables.notes import Note

Column: TypeAlias = Sequence[Any] | np.ndarray[Any, Any] | pl.Series
Layout: TypeAlias = tuple[str, ...]  # the columns of a kind of row; the file's number is the first

_EVERY = frozenset(TABLES)
_KNOWN = {table: frozenset((FILE, *names)) for table, names in TABLES.items()}
_NUMBERED: dict[str, pl.DataType] = {FILE: pl.Int32()}


class Rows:
    """The rows of many files, by table.

    Parameters
    ----------
    wanted : collection of str, optional
        The tables to build; all by default. Notes are always kept: a reader's doubts about a number
        belong to the number.

    Attributes
    ----------
    file : int
        The number of the file that is read: the first value of each row of a layout.
    source : str
        Its path.
    runs : int
        How many runs it has until now.
    heading : str or None
        What its text calls the runs that are added now.
    """

    def __init__(self, wanted: Collection[str] | None = None) -> None:
        self._wanted = _EVERY if wanted is None else frozenset((*wanted, "notes"))
        self.file, self.source, self.runs = 0, "", 0
        self.heading: str | None = None
        self._single: dict[str, list[tuple[int, Mapping[str, Any]]]] = {}
        self._rows: dict[tuple[str, Layout], list[tuple[Any, ...]]] = {}
        self._blocks: dict[
            tuple[str, Layout, Layout], list[tuple[tuple[Any, ...], int, tuple[Column, ...]]]
        ] = {}

    def begin(self, file: int, source: str) -> None:
        """Begin a file: rows belong to it from now on."""
        self.file, self.source, self.runs, self.heading = file, source, 0, None

    def wants(self, table: str) -> bool:
        """Whether a table is wanted; costly parts are skipped if not."""
        return table in self._wanted

    # --- a few rows ---------------------------------------------------------------------------

    def add(self, table: str, **row: Any) -> None:
        """Add one row; missing values are left out or None."""
        if table in self._wanted:
            self._refuse_unknown(table, row)
            self._single.setdefault(table, []).append((self.file, row))

    def start_run(self, **row: Any) -> int:
        """Add a row of `runs` and return its number."""
        self.runs += 1
        self.add("runs", run=self.runs, heading=self.heading, **{"status": "ok", **row})
        return self.runs

    def note(
        self,
        message: str,
        *,
        code: str,
        line: int | None = None,
        severity: str = "info",
        run: int | None = None,
    ) -> None:
        """Add a note about the file; `fiotools.vocabulary.NOTES` lists the codes."""
        if code not in NOTES:
            raise SchemaError(f"{self.source}: a note has no code {code!r}")
        self.add("notes", run=run, line=line, severity=severity, code=code, message=message)

    def say(self, note: Note, run: int | None = None) -> None:
        """Add a note about the file."""
        code, severity, line, message = note
        self.note(message, code=code, line=line, severity=severity, run=run)

    # --- many rows ----------------------------------------------------------------------------

    def extend(self, table: str, columns: Mapping[str, Column], **same: Any) -> None:
        """Add many rows at once.

        Parameters
        ----------
        table : str
        columns : mapping of str to sequence, array or polars.Series
            Columns of equal length. A list may hold None; an array has all its values (nan is
            missing in float64 columns).
        **same
            Values that all of the rows share.
        """
        shared = {name: value for name, value in same.items() if name not in columns}
        layout, values = (FILE, *shared), (self.file, *shared.values())
        self.block(table, layout, values, tuple(columns), *columns.values())

    def append(self, table: str, layout: Layout, row: tuple[Any, ...]) -> None:
        """Add the row of a layout; its first value is the number of the file."""
        key = table, layout
        if key in self._rows:
            self._rows[key].append(row)
        elif table in self._wanted:
            self._refuse_unknown(table, layout)
            self._rows[key] = [row]

    def block(
        self, table: str, layout: Layout, shared: tuple[Any, ...], names: Layout, *own: Column
    ) -> None:
        """Add rows that share the values of a layout: the columns ``names`` are their own."""
        size, *others = {*map(len, own)}
        if others:
            raise SchemaError(f"columns of unequal length for {table!r}")
        key = table, layout, names
        if table in self._wanted and size:
            if key not in self._blocks:
                self._refuse_unknown(table, (*layout, *names))
                self._blocks[key] = []
            self._blocks[key].append((shared, size, own))

    def _refuse_unknown(self, table: str, names: Collection[str]) -> None:
        # a name that the vocabulary lacks is refused here, not when a frame is made
        if not _KNOWN[table].issuperset(names):
            unknown = min({*names} - _KNOWN[table])
            raise SchemaError(f"{self.source}: table {table!r} has no column {unknown!r}")

    # --- a file that cannot be read -------------------------------------------------------------

    def undo(self) -> None:
        """Take the rows of this file back, which stand behind those of the others."""
        for single in self._single.values():
            while single and single[-1][0] == self.file:
                single.pop()
        for rows in self._rows.values():
            while rows and rows[-1][0] == self.file:
                rows.pop()
        for blocks in self._blocks.values():
            while blocks and blocks[-1][0][0] == self.file:
                blocks.pop()
        self.runs = 0

    def notes(self) -> Iterator[Mapping[str, Any]]:
        """Yield the notes of this file."""
        for file, note in self._single.get("notes", ()):
            if file == self.file:
                yield note

    # --- frames ---------------------------------------------------------------------------------

    def tables(self) -> dict[str, pl.DataFrame]:
        """Make a frame of each table that has rows, in the order of files and runs; end here."""
        found: dict[str, list[pl.DataFrame]] = {}
        for table, frame in self._frames():
            found.setdefault(table, []).append(frame)
        self._rows.clear()
        self._blocks.clear()
        # values that do not fit have added notes
        for table, single in self._single.items():
            if single:
                found.setdefault(table, []).append(self._of_single(single))
        self._single.clear()
        return {table: in_order(table, stacked(frames)) for table, frames in found.items()}

    def _frames(self) -> Iterator[tuple[str, pl.DataFrame]]:
        for (table, layout), rows in self._rows.items():
            if rows:
                yield table, self._frame(layout, zip(*rows, strict=True), len(rows))
        for (table, layout, names), blocks in self._blocks.items():
            if blocks:
                yield table, self._of_blocks(layout, names, *zip(*blocks, strict=True))

    def _of_single(self, single: Sequence[tuple[int, Mapping[str, Any]]]) -> pl.DataFrame:
        names = dict.fromkeys(chain.from_iterable(row for _, row in single))
        columns = ([row.get(name) for _, row in single] for name in names)
        files = [file for file, _ in single]
        return self._frame((FILE, *names), [files, *columns], len(single))

    def _of_blocks(
        self,
        layout: Layout,
        names: Layout,
        shared: tuple[tuple[Any, ...], ...],
        sizes: tuple[int, ...],
        own: tuple[tuple[Column, ...], ...],
    ) -> pl.DataFrame:
        columns = [_joined(*one) for one in zip(names, zip(*own, strict=True), strict=True)]
        size = sum(sizes)
        if size <= FEW:
            each = [one for one, count in zip(shared, sizes, strict=True) for _ in range(count)]
            listed = [_listed(one) for one in columns]
            return self._frame((*layout, *names), [*zip(*each, strict=True), *listed], size)
        common = self._frame(layout, zip(*shared, strict=True), len(shared), few=False)
        return stretched(common, self._frame(names, columns, size, few=False), np.array(sizes))

    def _frame(
        self, names: Layout, columns: Iterable[Any], size: int, *, few: bool = True
    ) -> pl.DataFrame:
        given: dict[str, Any] = dict(zip(names, columns, strict=True))
        few = few and size <= FEW
        try:
            return _made(given, size, few=few)
        except (OverflowError, TypeError, pl.exceptions.PolarsError):
            if not self._has_left_out(given):
                raise
            return _made(given, size, few=few)

    def _has_left_out(self, given: dict[str, Any]) -> bool:
        """Leave out whole numbers that do not fit, with notes: one must not lose all the others."""
        has = False
        for name, values in given.items():
            if name != FILE and COLUMNS[name].dtype == "Int64" and isinstance(values, list | tuple):
                fits = [type(one) is not int or abs(one) < 2**63 for one in values]
                if not all(fits):
                    has = True
                    pairs = zip(values, fits, strict=True)
                    given[name] = [one if is_sound else None for one, is_sound in pairs]
                    for at, is_sound in enumerate(fits):
                        if not is_sound:
                            self._leave_out(given, name, values[at], at)
        return has

    def _leave_out(self, given: dict[str, Any], name: str, value: int, at: int) -> None:
        note = {
            "run": given["run"][at] if "run" in given else None,
            "severity": "warning",
            "code": "left out",
            "message": f"{name} is {value!r:.40}, which is not what the tool writes: left out",
        }
        file = given[FILE][at] if FILE in given else self.file
        self._single.setdefault("notes", []).append((file, note))


def _listed(values: Column) -> Sequence[Any]:
    """Make a list of a column; a sequence stays as it is."""
    if isinstance(values, np.ndarray):
        found: list[Any] = values.tolist()
        return found
    return values.to_list() if isinstance(values, pl.Series) else values


def _joined(name: str, parts: Sequence[Column]) -> Column:
    """Put the values of one column together."""
    if len(parts) == 1:
        return parts[0]
    if {*map(type, parts)} <= {list, tuple}:
        return [*chain.from_iterable(parts)]
    if all(isinstance(one, np.ndarray) for one in parts):
        return np.concatenate(parts)
    if any(isinstance(one, pl.Series) for one in parts):
        typed = [column(name, one) for one in parts]
        if len({one.dtype for one in typed}) > 1:  # an Enum has its words only
            typed = [one.cast(pl.String()) for one in typed]
        return pl.concat(typed)
    return [*chain.from_iterable(map(_listed, parts))]


def _made(given: Mapping[str, Any], size: int, *, few: bool) -> pl.DataFrame:
    if few:
        return few_rows(given, _NUMBERED if FILE in given else None)
    made = [
        pl.Series(FILE, values, dtype=_NUMBERED[FILE]) if name == FILE else column(name, values)
        for name, values in given.items()
    ]
    return pl.DataFrame([one for one in made if one.null_count() < size])
