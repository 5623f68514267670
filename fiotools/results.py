"""`Results`: the tidy frames that a reading gives."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from fiotools import twins
from fiotools.collecting import resting
from fiotools.display.text import many
from fiotools.framing import frames, rows_of
from fiotools.joining import Part, add_notes, stack
from fiotools.vocabulary import TABLES

if TYPE_CHECKING:
    import polars as pl


class Results:
    """Tidy frames, one per table of the vocabulary.

    Each table is an attribute: ``runs``, ``jobs``, ``settings``, ``io``, ``percentiles``, ``bins``,
    ``samples``, ``timings``, ``cpu``, ``disks``, ``extras``, ``notes``. A table for which the files
    held nothing is an empty frame with the right columns; a table that was not asked for is an
    `AttributeError` that says so.

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
        self.tables = dict(tables)
        for name, frame in tables.items():
            setattr(self, name, frame)

    def __getattr__(self, name: str) -> pd.DataFrame:
        if name in TABLES:
            raise AttributeError(f"table {name!r} was not asked for: add it to tables=")
        raise AttributeError(f"Results has no {name!r}; its tables are {', '.join(TABLES)}")

    def __repr__(self) -> str:
        return f"<Results: {', '.join(self._counts())}>"

    def _counts(self) -> list[str]:
        """Say what there is: files, tools, and the tables that are not empty."""
        parts = [many(self.files, "file")]
        runs = self.tables.get("runs")
        if runs is not None:
            parts += _tools(runs)
            parts.append(many(len(runs), "run"))
        for name, frame in self.tables.items():
            if name not in ("runs", "notes") and len(frame):
                word = f"{name} row" if name in ("io", "cpu") else name.removesuffix("s")
                parts.append(many(len(frame), word))
        parts.append(many(len(self.notes), "note"))
        return parts

    def _repr_html_(self) -> str:
        """Summarise for a notebook: what there is, then the first rows of `io` or `timings`."""
        from fiotools.display import page
        from fiotools.display.overview import sheet

        return page.html(sheet(self))

    def to_polars(self) -> dict[str, pl.DataFrame]:
        """Give the same tables as polars frames, missing values as null.

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
        return {name: _to_polars(frame) for name, frame in self.tables.items()}


@resting()
def results_of(parts: list[Part], wanted: tuple[str, ...] | None, files: int) -> Results:
    """Make frames of parts; a run that stands in two files is noted."""
    named = [file for part in parts for file in part.files]
    tables = stack(parts, wanted)
    parts.clear()
    same = twins.find(tables, [source for source, _ in named])
    tables["notes"] = add_notes(tables["notes"], same, last=True)
    return Results(frames(named, tables), files)


def concat(results: Iterable[Results]) -> Results:
    """Put several readings together, row under row.

    Tables that only some of them have are left out. Runs stay apart by ``source``: reading one file
    twice gives its rows twice. A run that stands in two files is noted.

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
        parts = [part.tables[name] for part in results]
        labels = _labels(name, parts)
        whole = pd.concat([p for p in parts if len(p)] or parts[:1], ignore_index=True)
        whole = whole.reindex(columns=[*labels, *TABLES[name]])
        # a label that only some have is missing elsewhere, and keeps its type
        types = {label: _dtype(label, parts) for label in labels}
        tables[name] = whole.astype(types)
    _note_twins(tables)
    return Results(tables, sum(part.files for part in results))


def _labels(table: str, parts: list[pd.DataFrame]) -> list[str]:
    """List the columns that the vocabulary does not have."""
    found: dict[str, None] = {}
    last = None
    for part in parts:
        if last is None or not part.columns.equals(last):  # most are like the one before
            found |= dict.fromkeys(name for name in part.columns if name not in TABLES[table])
        last = part.columns
    return list(found)


def _note_twins(tables: dict[str, pd.DataFrame]) -> None:
    """Add a note to each run that stands in an earlier place too."""
    sources, rows = rows_of(tables, twins.NEEDED)
    notes, runs = tables.get("notes"), tables.get("runs")
    if notes is None or runs is None:
        return
    found = [
        {"source": sources[file], "run": run, "severity": "warning", "message": message}
        for file, run, message in twins.find(rows, sources)
    ]
    known = set(zip(notes["source"], notes["run"], notes["message"], strict=True))
    new = [row for row in found if (row["source"], row["run"], row["message"]) not in known]
    if new:
        labels = [name for name in runs.columns if name in notes.columns]
        added = pd.DataFrame(new).merge(runs[labels], on=["source", "run"], how="left")
        added = added.reindex(columns=notes.columns).astype(notes.dtypes.to_dict())
        tables["notes"] = pd.concat([notes, added], ignore_index=True) if len(notes) else added


def _dtype(label: str, parts: list[pd.DataFrame]) -> Any:
    found = {str(part[label].dtype) for part in parts if label in part}
    return found.pop() if len(found) == 1 else "str"


def _to_polars(frame: pd.DataFrame) -> pl.DataFrame:
    # polars takes pandas' own nullable types only through pyarrow, which the core does without
    import polars as pl

    return pl.DataFrame([_series(frame[name]) for name in frame.columns])


def _series(values: pd.Series[Any]) -> pl.Series:
    """Make a polars column of a pandas one, null where it has nothing."""
    import polars as pl

    name, kind = str(values.name), str(values.dtype)
    missing = values.isna().to_numpy()
    plain: Any = getattr(values.dtype, "numpy_dtype", values.dtype)
    if kind == "str":
        places, words = pd.factorize(values)
        every = pl.Series(name, [*words, None], dtype=pl.String())
        return every.gather(np.where(missing, len(words), places))
    if kind.startswith("datetime"):
        unit = values.dt.unit
        moments = pl.Series(name, values.to_numpy(dtype=f"M8[{'ms' if unit == 's' else unit}]"))
        return moments if values.dt.tz is None else moments.dt.replace_time_zone("UTC")
    if not isinstance(plain, np.dtype) or plain.kind not in "iufb":  # a column of the user's own
        there = zip(values.tolist(), missing, strict=True)
        return pl.Series(name, [None if gone else value for value, gone in there], strict=False)
    numbers = values.to_numpy(dtype=plain, na_value=plain.type(0))
    series = pl.Series(name, numbers)
    if missing.any():
        series = series.set(pl.Series(missing), None)
    return series


def _tools(runs: pd.DataFrame) -> list[str]:
    names = {"diskspd": "DISKSPD", "crystaldiskmark": "CrystalDiskMark"}
    pairs = runs[["tool", "tool_version"]].drop_duplicates().fillna("").to_numpy().tolist()
    tools: dict[str, list[str]] = {}
    for tool, version in pairs:
        tools.setdefault(names.get(tool, tool), []).extend([version] if version else [])
    return [" ".join([tool, "/".join(versions)]).strip() for tool, versions in tools.items()]
