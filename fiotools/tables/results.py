"""`Results`: the tidy frames that `read` returns, pandas frames each made on first use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np
import polars as pl

from fiotools.errors import FileError, SchemaError
from fiotools.tables import conditions, naming, resting
from fiotools.tables.columns import array, coded, column, get, label_column, nothing, of_pandas
from fiotools.tables.parts import FILE, Part, add_notes, height, lists, sizes_of, stack
from fiotools.vocabulary import ANSWERS, COLUMNS, TABLES

if TYPE_CHECKING:
    import pandas as pd


Kind: TypeAlias = Literal["pandas", "polars"]
KINDS = get_args(Kind)
_NAMED = 3  # files that the repr names
RUN = ("source", "run")  # what names a run


class Frames(Mapping[str, "pd.DataFrame"]):
    """Tables as pandas frames, made on first use, and kept: users may change them.

    Labels are the first columns; every column has its type. A label named like a condition has
    filled that condition's gaps instead.

    Parameters
    ----------
    part : Part, optional
    made : mapping of str to pandas.DataFrame, optional
        Tables that are pandas frames already.
    """

    def __init__(
        self, part: Part | None = None, made: Mapping[str, pd.DataFrame] | None = None
    ) -> None:
        self._part = Part([], {}) if part is None else part
        self._made = dict(made or {})
        self._names = tuple(name for name in TABLES if name in self._part.tables | self._made)

    def __getitem__(self, table: str) -> pd.DataFrame:
        if table not in self._made:
            rows = self._part.tables.pop(table)
            self._made[table] = to_pandas(rows, table, self._labels)
        return self._made[table]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, table: object) -> bool:
        return table in self._names

    def height(self, table: str) -> int:
        """Count the rows of a table; 0 if it was not asked for."""
        if table in self._made:
            return len(self._made[table])
        rows = self._part.tables.get(table)
        return 0 if rows is None else height(rows)

    def replaced(self, table: str, frame: pd.DataFrame) -> Frames:
        """Return these tables, with another frame for one of them."""
        rows = {name: rows.clone() for name, rows in self._part.tables.items() if name != table}
        return Frames(Part(self._part.files, rows), {**self._made, table: frame})

    def polars(self, table: str) -> pl.DataFrame:
        """Return a table as a polars frame, with the changes that a user made in pandas."""
        if table in self._made:
            return of_pandas(self._made[table])
        rows = self._part.tables[table]
        if FILE in rows.columns:
            rows = self._part.tables[table] = _polars(table, rows, self._labels)
        return rows.clone()

    @cached_property
    def _labels(self) -> list[pl.Series]:
        """The labels of files, and their names."""
        labels = dict.fromkeys(name for _, named in self._part.files for name in named)
        found = [
            label_column(name, [named.get(name) for _, named in self._part.files])
            for name in labels
        ]
        return [*found, column("source", [source for source, _ in self._part.files])]


def _columns(
    table: str, rows: pl.DataFrame, of_files: Sequence[pl.Series]
) -> Iterator[tuple[str, pl.Series | None]]:
    """Yield the columns of a table in order, row by row; None for a column without values."""
    if FILE not in rows.columns:  # whole tables that were put together
        for name in rows.columns:
            lacks = name in COLUMNS and rows[name].null_count() == rows.height
            yield name, None if lacks else rows[name]
        return
    labels = {one.name: one for one in of_files if one.name not in TABLES[table]}
    source, sizes = of_files[-1], sizes_of(rows)
    own, there, file = lists(rows), {*rows.columns}, rows[FILE]
    stretch = None
    if sizes is not None:
        stretch = pl.Series(np.arange(len(sizes), dtype=np.uint32).repeat(sizes))
    for name in (*labels, *TABLES[table]):
        if name in own:
            yield name, rows[name].explode()
        elif name in labels or name == source.name or name in there:
            values = rows[name] if name in there else labels.get(name, source)[file]
            if stretch is not None:
                values = (coded(values) if values.dtype == pl.String else values)[stretch]
            yield name, values
        else:
            yield name, None


def _polars(table: str, rows: pl.DataFrame, of_files: Sequence[pl.Series]) -> pl.DataFrame:
    size = height(rows)
    none = cache(lambda dtype: nothing(dtype, size))
    made = []
    for name, values in _columns(table, rows, of_files):
        whole = none(COLUMNS[name].dtype) if values is None else values
        is_coded = whole.dtype in (pl.Enum, pl.Categorical)
        made.append((whole.cast(pl.String()) if is_coded else whole).alias(name))
    return pl.DataFrame(made)


def to_pandas(
    rows: pl.DataFrame, table: str = "", of_files: Sequence[pl.Series] = ()
) -> pd.DataFrame:
    """Make a pandas frame: from a whole frame, or from the rows of a table and labels of files.

    Columns are moved out of ``rows``, so that the table is never in memory twice.
    """
    import pandas as pd

    size = height(rows)
    if not size and len(of_files) == 1 and FILE in rows.columns:
        return _empty(table).copy(deep=False)  # it has no values to change
    # such columns share memory until one of them is changed: pandas tracks that for a series
    index = pd.RangeIndex(size)
    none = cache(lambda dtype: pd.Series(array(nothing(dtype, size)), index, copy=False))
    data: dict[str, Any] = {}
    own = {*rows.columns}
    for name, values in _columns(table, rows, of_files):
        data[name] = none(COLUMNS[name].dtype) if values is None else array(values)
        if values is not None and name in own:
            rows.drop_in_place(name)
    return pd.DataFrame(data, index, copy=False)


@cache
def _empty(table: str) -> pd.DataFrame:
    """Build a table without rows, once: most files leave most tables empty."""
    import pandas as pd

    return pd.DataFrame({name: array(nothing(COLUMNS[name].dtype, 0)) for name in TABLES[table]})


# what people try on results, and what they mean
_CALLS = {
    **dict.fromkeys(("describe", "summary", "head", "info"), "ft.overview(res)"),
    **dict.fromkeys(("query", "filter", "loc"), 'res.where("direction=read")'),
    **dict.fromkeys(
        ("df", "columns", "to_pandas", "to_csv", "table"), "res.io, a frame as others are"
    ),
    "plot": 'ft.plot.repeats(res, "iops")',
    "save": 'res.io.to_csv("io.csv"), or ft.convert("files/", "dataset/")',
    **{name: f"ft.{name}(res)" for name in ("report", "show", "tell")},
}


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
    kind : {"pandas", "polars"}
        What the attributes are, and the answers to questions about these results.
    labels : sequence of str, optional
        The columns that labels and path templates gave; by default those that are in no table of
        the vocabulary.
    failures : sequence of FileError
        One error for each file that could not be read.
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

    def __init__(
        self,
        tables: Mapping[str, pd.DataFrame],
        files: int,
        kind: Kind = "pandas",
        *,
        labels: Sequence[str] | None = None,
        failures: Sequence[FileError] = (),
    ) -> None:
        self.files, self.kind, self.failures = files, kind, list(failures)
        self.tables = tables if isinstance(tables, Frames) else Frames(made=tables)
        self._labels = labels

    def with_tables(self, tables: dict[str, pl.DataFrame], **changed: Any) -> Results:
        """Return other tables of the same files."""
        own = {"kind": self.kind, "labels": self.labels, "failures": self.failures}
        return Results(Frames(Part([], tables)), self.files, **{**own, **changed})

    def __getattr__(self, name: str) -> Any:
        if name in TABLES:
            if name in self.tables:
                return self.tables[name] if self.kind == "pandas" else self.tables.polars(name)
            raise AttributeError(f"table {name!r} was not asked for: add it to tables=")
        asked = f"ft.{name}(res)" if name in ANSWERS else _CALLS.get(name)
        if asked:
            raise AttributeError(f"Results has no {name!r}: type {asked}")
        raise AttributeError(f"Results has no {name!r}; its tables are {', '.join(TABLES)}")

    def __getitem__(self, name: Any) -> Any:
        """Return a table by its name; a column has its table's name before it."""
        if name in TABLES:
            return getattr(self, name)
        for table in dict.fromkeys((*naming.MEASURED, *self.tables)):
            if table not in self.tables or not self.tables.height(table):
                continue
            columns = self.tables.polars(table).columns
            column = naming.of_metric(str(name), columns)
            if column in columns:
                raise SchemaError(f"{name!r} is a column: type res.{table}[{column!r}]")
        raise SchemaError(f"Results has no {name!r}; its tables are {', '.join(TABLES)}")

    __iter__ = None  # tables have names, no places

    def __setattr__(self, name: str, value: Any) -> None:
        if name in TABLES:  # each function that takes results has to see it
            name, value = "tables", self.tables.replaced(name, value)
        super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.tables]

    def __repr__(self) -> str:
        told = f"<Results: {', '.join(self.counts())}>"
        return "\n".join([told, *self.unread()])

    def unread(self) -> list[str]:
        """Name the files that could not be read, in a line."""
        if not self.failures:
            return []
        names = [failure.path for failure in self.failures]
        more = f", and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        one = "file was" if len(names) == 1 else "files were"
        return [f"{len(names)} {one} not read: {', '.join(names[:_NAMED])}{more} (.failures)"]

    def counts(self) -> list[str]:
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

    @property
    def labels(self) -> list[str]:
        """The columns that labels and path templates gave."""
        if self._labels is not None:
            return list(self._labels)
        table = "runs" if "runs" in self.tables else next(iter(self.tables), None)
        if table is None:
            return []
        return [name for name in self.tables.polars(table).columns if name not in TABLES[table]]

    def where(self, *wanted: str, **equal: Any) -> Results:
        """Keep the rows that fulfil conditions, in each table that has their columns.

        Parameters
        ----------
        *wanted : str
            Such as ``"direction=read"``, ``"bs>=4k"``, ``"lat_mean>1ms"`` or ``"rw in ['read',
            'write']"``. Every table has the columns of its runs too: host, command, tool.
        **equal
            Columns with the value to keep, or a list of values: ``iodepth=1``, ``bs="4k"``.

        Returns
        -------
        Results

        Raises
        ------
        SchemaError
            If no table has a column, a value does not fit it, or no row is left.

        Examples
        --------
        >>> import fiotools as ft
        >>> res = ft.read("data/dda-vhdx/xml/{volume}.xml")
        >>> res.where("direction=read", "scope=total").io["volume"].tolist()
        ['mirror', 'nvme', 'vhdx']
        >>> res.where(volume=["nvme", "vhdx"], scope="total").io["volume"].tolist()
        ['nvme', 'vhdx']
        """
        wanted += tuple(conditions.equal(name, value) for name, value in equal.items())
        tables = {name: self.tables.polars(name) for name in self.tables}
        for text in wanted:
            tables |= self._fulfilling(text, tables)
        return self.with_tables(tables)

    def _fulfilling(self, text: str, tables: Mapping[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
        """Return the rows that fulfil a condition, of the tables that have its columns."""
        found: dict[str, pl.DataFrame] = {}
        refusals: dict[str, SchemaError] = {}
        for table, frame in tables.items():
            try:
                whole = with_runs(self, frame, conditions.named([text]))
                found[table] = conditions.kept(whole, [text])[frame.columns]
            except conditions.NoRowError as error:
                found[table] = frame.clear()
                if len(frame):
                    refusals[table] = error
            except SchemaError as error:
                refusals[table] = error
        if any(map(len, found.values())) or not refusals:
            return found
        # a table that has the columns tells their values, else similar names
        there = [name for name in (*found, *naming.MEASURED) if name in refusals]
        raise refusals[next(iter(there), next(iter(refusals)))]


def with_runs(results: Results, frame: pl.DataFrame, names: Iterable[str | None]) -> pl.DataFrame:
    """Fill in columns that are named from the runs, where a table lacks them or their values.

    The client's host and the command as it was timed stay, where the table has them.
    """
    if "runs" not in results.tables or not {*RUN} <= {*frame.columns}:
        return frame
    runs = results.tables.polars("runs")
    wanted = {naming.full(name, runs) for name in names if name} - {*RUN}
    for name in sorted(wanted & {*runs.columns}):
        own = frame.select(RUN).join(
            runs.select(*RUN, name), on=RUN, how="left", maintain_order="left"
        )[name]
        frame = frame.with_columns(frame[name].fill_null(own) if name in frame else own)
    return frame


@resting()
def results_of(parts: list[Part], wanted: tuple[str, ...] | None, files: int) -> Results:
    """Make the results of parts; a run that occurs in two files gets a note."""
    whole = stack(parts, wanted)
    parts.clear()
    if "runs" in whole.tables and whole.tables["runs"].height > 1:
        from fiotools.tables import duplicate_runs

        same = duplicate_runs.find(whole.tables, [source for source, _ in whole.files])
        whole.tables["notes"] = add_notes(whole.tables["notes"], "twin", same, last=True)
    labels = dict.fromkeys(name for _, named in whole.files for name in named)
    return Results(Frames(whole), files, labels=[*labels])


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
    return Results(
        Frames(Part([], tables)),
        sum(part.files for part in results),
        results[0].kind,
        labels=[*dict.fromkeys(label for part in results for label in part.labels)],
        failures=[failure for part in results for failure in part.failures],
    )


def labelled(results: Results, text: str) -> Results:
    """Add the same label to each row."""
    column = pl.lit(text).alias("label")
    tables = {name: results.tables.polars(name).select(column, pl.all()) for name in results.tables}
    return results.with_tables(tables, labels=["label", *results.labels])


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
        {
            "source": sources[file],
            "run": run,
            "severity": "warning",
            "code": "twin",
            "message": message,
        }
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
    names = {"diskspd": "DISKSPD", "crystaldiskmark": "CrystalDiskMark", "kdiskmark": "KDiskMark"}
    pairs = runs.select("tool", "tool_version").unique(maintain_order=True).rows()
    tools: dict[str, list[str]] = {}
    for tool, version in pairs:
        name = names.get(tool, tool or "")
        tools.setdefault(name, []).extend([version] if version else [])
    return [" ".join([tool, "/".join(versions)]).strip() for tool, versions in tools.items()]
