"""The columns that each reader fills in all committed outputs, and why it leaves the others empty.

A column is filled if any output in ``tests/fixtures`` or ``data`` fills it. ``docs/coverage.toml``
has the reasons of gaps, where there is more to say than that a report lacks them; a reason that is
not true is a problem.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

import pandas as pd

import fiotools as ft
from fiotools.readers import built_in, opened, sniff
from fiotools.vocabulary import TABLES

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
OUTPUTS = ("tests/fixtures", "data")

# A transcript fills what the tools found in it fill, and counts for them.
PASTING = "transcript"
COVERED = tuple(reader for reader in built_in() if reader.name != PASTING)
# Any reader may have something to say.
SHOWN = {table: columns for table, columns in TABLES.items() if table != "notes"}
# Tables whose columns say where a text stands, and are all filled or none.
PLAIN = ("settings", "extras")
ALWAYS = ("source", "run")

OWN, PASTED = "●", "◐"
KINDS = {"unseen": "○", "absent": "–", "inapplicable": ""}
Cell = tuple[str, str, str]  # reader, table, column; of a whole table the column is ""


@dataclass(frozen=True)
class Gap:
    """Why a reader leaves something empty: a line of ``coverage.toml``."""

    reader: str
    kind: str
    pattern: str
    why: str

    def covers(self, cell: Cell) -> bool:
        """Whether the gap includes a cell: a table, a column of all tables, or of one."""
        reader, table, column = cell
        if reader != self.reader:
            return False
        if self.pattern in TABLES:
            return column == "" and table == self.pattern
        at, _, name = self.pattern.rpartition(".")
        return column != "" and at in ("", table) and fnmatchcase(column, name)


def outputs() -> list[Path]:
    """List the committed files that may be a tool's output."""
    found = [path for place in OUTPUTS for path in sorted((ROOT / place).rglob("*"))]
    return [path for path in found if path.is_file() and not path.match("README*")]


@cache
def committed() -> Mapping[Cell, str]:
    """Mark the cells that the committed outputs fill; they are read once."""
    return filled(outputs())


def filled(files: Iterable[Path]) -> dict[Cell, str]:
    """Read files, and mark every table and column that holds a value in one of them."""
    owned: dict[str, list[Path]] = {}
    for path in files:
        name = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.name
        try:
            owned.setdefault(sniff(opened(name, path.read_bytes())).name, []).append(path)
        except ft.FiotoolsError:
            continue  # an expected frame beside an output
    marks: dict[Cell, str] = {}
    for owner, paths in owned.items():
        # refused files give a note
        add_marks(marks, owner, ft.read(paths, errors="note"))
    return marks


def add_marks(marks: dict[Cell, str], owner: str, results: ft.Results) -> None:
    """Mark the cells that the files of the reader `owner` fill."""
    formats = results.runs.set_index(["source", "run"])["format"]
    for table, frame in results.tables.items():
        if frame.empty:  # as most are
            continue
        # a note about the whole file has no run
        keys = pd.MultiIndex.from_frame(frame[["source", "run"]])
        readers = formats.reindex(keys).fillna(owner).set_axis(frame.index)
        if owner == PASTING and table == "timings":
            readers = readers.where(readers == "hyperfine", "time")  # of any timed command
        for reader in readers.unique().tolist():
            rows = frame[readers == reader]
            mark = PASTED if owner == PASTING else OWN
            for column in ("", *rows.columns[rows.notna().any()]):
                if marks.get((reader, table, column)) != OWN:
                    marks[reader, table, column] = mark


def gaps() -> list[Gap]:
    """Read ``coverage.toml``."""
    sections = tomllib.loads((DOCS / "coverage.toml").read_text(encoding="utf-8"))
    return [
        Gap(reader, kind, pattern.strip(), why)
        for reader, kinds in sections.items()
        for kind, reasons in kinds.items()
        for patterns, why in reasons.items()
        for pattern in patterns.split(",")
    ]


def gap_of(cell: Cell, declared: Sequence[Gap]) -> Gap:
    """Return why a cell is empty; without a declared reason the report lacks it."""
    bare = Gap(cell[0], "absent", cell[2], "not in the report")
    return next((gap for gap in declared if gap.covers(cell)), bare)


def problems(marks: Mapping[Cell, str], declared: Sequence[Gap]) -> list[str]:
    """Compare the filled cells with the declared gaps, and with the readers' own lists."""
    found = []
    for gap in declared:
        about = [cell for cell in cells(marks) if gap.covers(cell)]
        full = [cell for cell in about if cell in marks]
        named = f"[{gap.reader}.{gap.kind}] {gap.pattern!r}"
        if gap.kind not in KINDS:
            found.append(f"{named}: the kind must be one of {', '.join(KINDS)}")
        found += [f"{named}: {spell(cell)} is filled; remove the gap" for cell in full]
        if not about:
            found.append(f"{named}: there is no such gap")
    for cell in cells(marks):
        own = [gap for gap in declared if gap.covers(cell)]
        if len(own) > 1:
            found.append(f"[{cell[0]}] {spell(cell)} is declared {len(own)} times")
    for reader in COVERED:
        kinds = {gap.pattern: gap.kind for gap in declared if gap.reader == reader.name}
        for table in SHOWN:
            read = (reader.name, table, "") in marks or kinds.get(table) == "unseen"
            # text beside a report in a transcript does not belong to its reader
            pasted = marks.get((reader.name, table, "")) == PASTED
            if read != (table in reader.tables) and not pasted:
                found.append(f"[{reader.name}] {table}: READER.tables says otherwise")
    return found


def cells(marks: Mapping[Cell, str]) -> Iterator[Cell]:
    """Return every cell: all tables, and the columns of the filled ones."""
    for reader in COVERED:
        for table, columns in SHOWN.items():
            yield reader.name, table, ""
            if table not in PLAIN and (reader.name, table, "") in marks:
                yield from ((reader.name, table, c) for c in columns if c not in ALWAYS)


def spell(cell: Cell) -> str:
    """Name a cell."""
    return f"{cell[1]}.{cell[2]}" if cell[2] else f"table {cell[1]}"
