"""`Results`: the tidy frames that `read` returns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import polars as pl

from fiotools.tables import resting
from fiotools.tables.columns import get
from fiotools.tables.frames import Frames
from fiotools.tables.parts import FILE, Part, add_notes, stack
from fiotools.vocabulary import TABLES

if TYPE_CHECKING:
    import pandas as pd


class Results:
    """Tidy frames, one per table of the vocabulary.

    Each table is an attribute: ``runs``, ``jobs``, ``settings``, ``io``, ``percentiles``, ``bins``,
    ``samples``, ``timings``, ``cpu``, ``disks``, ``extras``, ``notes``. A table without rows is an
    empty frame with the right columns; a table that was not asked for raises an `AttributeError`
    that says so.

    Parameters
    ----------
    tables : mapping of str to pandas.DataFrame
    files : int
        How many files were read.
    """

    runs: pd.DataFrame
    jobs: pd.DataFrame
    settings: pd.DataFrame
    io: pd.DataFrame
    percentiles: pd.DataFrame
    bins: pd.DataFrame
    samples: pd.DataFrame
    timings: pd.DataFrame
    cpu: pd.DataFrame
    disks: pd.DataFrame
    extras: pd.DataFrame
    notes: pd.DataFrame

    def __init__(self, tables: Mapping[str, pd.DataFrame], files: int) -> None:
        self.files = files
        self.tables = tables if isinstance(tables, Frames) else Frames(made=tables)

    def __getattr__(self, name: str) -> pd.DataFrame:
        if name in TABLES:
            if name in self.tables:
                return self.tables[name]
            raise AttributeError(f"table {name!r} was not asked for: add it to tables=")
        raise AttributeError(f"Results has no {name!r}; its tables are {', '.join(TABLES)}")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.tables]

    def __repr__(self) -> str:
        return f"<Results: {', '.join(self._counts())}>"

    def _counts(self) -> list[str]:
        """List the files, the tools, and the tables that are not empty."""
        from fiotools.units import many

        parts = [many(self.files, "file")]
        if "runs" in self.tables:
            parts += _tools(self.tables.polars("runs"))
            parts.append(many(self.tables.height("runs"), "run"))
        for name in self.tables:
            if name not in ("runs", "notes") and (count := self.tables.height(name)):
                word = f"{name} row" if name in ("io", "cpu") else name.removesuffix("s")
                parts.append(many(count, word))
        parts.append(many(self.tables.height("notes"), "note"))
        return parts

    def to_polars(self) -> dict[str, pl.DataFrame]:
        """Return the same tables as polars frames, with null for missing values.

        Returns
        -------
        dict of str to polars.DataFrame

        Examples
        --------
        >>> import fiotools as ft
        >>> res = ft.read("data/page-cache/{cache}.txt")
        >>> res.to_polars()["timings"]["real_s"].to_list()
        [0.466, 4.364]
        """
        return {name: self.tables.polars(name) for name in self.tables}


@resting()
def results_of(parts: list[Part], wanted: tuple[str, ...] | None, files: int) -> Results:
    """Make the results of parts; a run that occurs in two files gets a note."""
    whole = stack(parts, wanted)
    parts.clear()
    if "runs" in whole.tables and whole.tables["runs"].height > 1:
        from fiotools.tables import duplicate_runs

        same = duplicate_runs.find(whole.tables, [source for source, _ in whole.files])
        whole.tables["notes"] = add_notes(whole.tables["notes"], same, last=True)
    return Results(Frames(whole), files)


def concat(results: Iterable[Results]) -> Results:
    """Concatenate several `Results`, row by row.

    Tables that only some of them have are left out. Runs stay apart by ``source``: reading one file
    twice returns its rows twice. A run that occurs in two files gets a note.

    Examples
    --------
    >>> import fiotools as ft
    >>> concat([ft.read("data/page-cache/before.txt"), ft.read("data/page-cache/after.txt")]).files
    2
    """
    results = list(results)
    if not results:
        raise ValueError("concat needs at least one Results")
    names = [name for name in TABLES if all(name in part.tables for part in results)]
    tables = {}
    for name in names:
        parts = [part.tables.polars(name) for part in results]
        # a label with different types becomes text
        whole = pl.concat(parts, how="diagonal_relaxed")
        labels = [label for label in whole.columns if label not in TABLES[name]]
        tables[name] = whole.select(get(whole, column) for column in (*labels, *TABLES[name]))
    _note_twins(tables)
    return Results(Frames(Part([], tables)), sum(part.files for part in results))


def labelled(results: Results, label: str) -> Results:
    """Add the same label to each row."""
    column = pl.lit(label).alias("label")
    tables = {name: results.tables.polars(name).select(column, pl.all()) for name in results.tables}
    return Results(Frames(Part([], tables)), results.files)


def _note_twins(tables: dict[str, pl.DataFrame]) -> None:
    """Add a note to each run that occurs in an earlier place too."""
    if not {"notes", "runs"} <= tables.keys():
        return
    from fiotools.tables import duplicate_runs

    notes, runs = tables["notes"], tables["runs"]
    sources = runs["source"].unique(maintain_order=True)
    number = pl.DataFrame(sources).with_row_index(FILE)
    rows = {
        table: tables[table].join(number, on="source", maintain_order="left")
        for table in duplicate_runs.NEEDED
        if table in tables
    }
    found = [
        {"source": sources[file], "run": run, "severity": "warning", "message": message}
        for file, run, message in duplicate_runs.find(rows, sources.to_list())
    ]
    if not found:
        return
    keys = ["source", "run", "message"]
    new = pl.DataFrame(found, schema_overrides=notes.schema).join(notes, on=keys, how="anti")
    labels = [name for name in runs.columns if name in notes.columns]
    known = runs.select(labels).unique(["source", "run"])
    labelled = new.join(known, on=["source", "run"], how="left", maintain_order="left")
    tables["notes"] = pl.concat([notes, labelled], how="diagonal")


def _tools(runs: pl.DataFrame) -> list[str]:
    names = {"diskspd": "DISKSPD", "crystaldiskmark": "CrystalDiskMark"}
    pairs = runs.select("tool", "tool_version").unique(maintain_order=True).rows()
    tools: dict[str, list[str]] = {}
    for tool, version in pairs:
        name = names.get(tool, tool or "")
        tools.setdefault(name, []).extend([version] if version else [])
    return [" ".join([tool, "/".join(versions)]).strip() for tool, versions in tools.items()]
