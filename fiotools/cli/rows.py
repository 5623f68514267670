"""From FILES to the rows that a question is about.

Each file that cannot be read is a line on stderr. The table of the rows is the one that has the
metric; columns of its runs (host, command, tool) may be named as if they were its own. ``--where``
takes ``direction=read``, ``bs>=4k`` and ``lat_mean>1ms``: one column and one value, in the column's
unit if it has none of its own. A longer condition is in Python's words, as for
`pandas.DataFrame.query`, but with comparisons only: nothing in it is called or looked up.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from fiotools.cli import options
from fiotools.cli.output import Trouble, say, wrong_command
from fiotools.errors import FileError, ReadErrors, SchemaError
from fiotools.files import DATASET, fields_of, label_of, short_names
from fiotools.tables import metrics, naming
from fiotools.units import many, percentile
from fiotools.vocabulary import COLUMNS, CONDITIONS, TABLES

if TYPE_CHECKING:
    import polars as pl

    from fiotools.tables.results import Results

STDIN = "-"
_MANY = 200  # runs: a computation of more takes a moment


@dataclass(frozen=True)
class Reading:
    """The files that were read."""

    results: Results
    sides: list[str]  # the columns from the paths: fields of templates, or `label`
    first: str | None  # the label of the first source, even if it was empty
    code: int  # 1 if a file could not be read, else 0

    def table(self, name: str) -> pl.DataFrame:
        """Return a table; a dataset may have been converted without it."""
        if name not in self.results.tables:
            there = ", ".join(self.results.tables)
            raise Trouble(f"the dataset has no table {name!r}, only {there}", 2)
        return self.results.tables.polars(name)

    def with_runs(self, frame: pl.DataFrame, names: Iterable[str | None]) -> pl.DataFrame:
        """Fill in columns that are named from the runs."""
        from fiotools.tables.results import with_runs

        return with_runs(self.results, frame, names)

    def settings_of(self, frame: pl.DataFrame) -> pl.DataFrame | None:
        """Return the options of the files that some rows are from, if they have any."""
        if not self.results.tables.height("settings"):
            return None
        own = self.table("settings").join(frame, on="source", how="semi")
        return own if len(own) else None

    def between(self, frame: pl.DataFrame, column: str | None) -> str:
        """Return the column that holds the sides: the typed one, or the only one of the paths."""
        if column:
            return naming.full(column, frame)
        if len(self.sides) == 1:
            return self.sides[0]
        if self.sides:
            listed = " or ".join(f"--between {name}" for name in self.sides)
            raise SchemaError(f"compare between which? type {listed}")
        whole = self.with_runs(frame, ["host", "command"])
        known = (*CONDITIONS, "host", "command", "run")
        several = [name for name in known if differs(whole, name)]
        wanted = " or ".join(f"--between {naming.short(name)}" for name in several)
        raise SchemaError(
            "there is only one side: give two files, NAME=FILES for each side, or "
            f"{wanted or '--between COLUMN'}"
        )

    def baseline(self, frame: pl.DataFrame, between: str, value: str | None) -> Any:
        """Return the baseline in its column's type: the typed one, or the first.

        The first of the paths is the first of all files, not of the rows that a filter left.
        """
        if between not in frame:
            return value
        if value is not None:
            return naming.value_of(frame, between, value)
        if between == "label" and self.first is not None:
            return self.first
        runs = self.table("runs") if "runs" in self.results.tables else frame
        is_of_paths = between in runs and (between in self.sides or between not in COLUMNS)
        there = (runs if is_of_paths else frame)[between].drop_nulls()
        return there[0] if len(there) else None

    def question(
        self, frame: pl.DataFrame, sides: options.Sides, by: Sequence[str] | None, pair: str | None
    ) -> dict[str, Any]:
        """Return what is compared with what, as the library's statistics take it."""
        between = self.between(frame, sides.between)
        return {
            "between": between,
            "baseline": self.baseline(frame, between, sides.baseline),
            "by": naming.fulls(by, frame),
            "pair": naming.full(pair, frame) if pair else None,
        }

    @contextmanager
    def working(self, what: str) -> Iterator[None]:
        """Show on a terminal that many runs are being processed."""
        runs = self.results.tables.height("runs")
        if runs < _MANY:
            yield
            return
        from fiotools.progress import bar

        with bar(desc=f"{what} {many(runs, 'run')}", bar_format="{desc}"):
            yield


def read_all(
    sources: Sequence[str], read_as: options.ReadAs, *, label: bool = False, hint: bool = True
) -> Reading:
    """Read all sources; with ``label``, several unnamed ones are named after their paths."""
    named = [label_of(source) for source in sources]
    paths = [path for _, path in named]
    own = [name for name, _ in named]
    if paths.count(STDIN) > 1:
        raise Trouble("standard input can be read once: leave one - out", 2)
    fields = fields_of(paths)
    if label and not any(own) and not fields and len(set(paths)) > 1:
        own = list(short_names(paths))
    elif any(own) and not all(own):
        _refuse_bare(paths[own.index(None)])

    parts, code = _parts(paths, own, arguments(read_as), read_as.workers)
    from fiotools.tables.results import concat

    results = parts[0] if len(parts) == 1 else concat(parts)
    notes = results.tables.polars("notes")
    if not any(results.tables.height(name) for name in results.tables if name != "notes"):
        for severity, source, message in notes.select("severity", "source", "message").iter_rows():
            if severity != "info":
                say(f"{source}: {message}")
        raise Trouble(
            "none of these files can be read: fiotools formats lists the formats that can"
        )
    if hint and (count := int((notes["severity"] != "info").sum())):
        say(f"{many(count, 'warning')} about the files: fiotools read FILES --table notes")
    return Reading(results, [*(["label"] if any(own) else []), *fields], own[0], code)


def named(sources: Sequence[str], refusal: str) -> Any:
    """Convert sources for the library: by their names, or as they are.

    ``refusal`` is the message for standard input, which cannot be read again.
    """
    pairs = [label_of(source) for source in sources]
    if any(path == STDIN for _, path in pairs):
        raise Trouble(refusal, 2)
    if not any(name for name, _ in pairs):
        return sources[0] if len(sources) == 1 else sources
    found: dict[str, list[str]] = {}
    for name, path in pairs:
        found.setdefault(name or _refuse_bare(path), []).append(path)
    return found


def _refuse_bare(path: str) -> NoReturn:
    raise Trouble(f"{path} has no name: write NAME={path}, or name none", 2)


def arguments(read_as: options.ReadAs) -> dict[str, Any]:
    """Return the arguments of `read`; an unknown format is refused."""
    if read_as.reader is not None:
        from fiotools.readers import reader_named

        with wrong_command():
            reader_named(read_as.reader)
    return {
        "format": read_as.reader,
        "version": read_as.tool_version,
        "quantity": read_as.quantity,
    }


def _parts(
    paths: list[str], own: Sequence[str | None], arguments: Mapping[str, Any], workers: int
) -> tuple[list[Results], int]:
    """Read the sources that exist, and report the others; return also the exit code."""
    from fiotools.input.read import read
    from fiotools.input.sources import find

    there: dict[str | None, list[str]] = {}
    bad: list[Exception] = []
    parts: list[Results] = []
    is_whole = True
    for label, path in zip(own, paths, strict=True):
        try:
            if Path(path, DATASET).is_file():
                from fiotools.dataset.contents import open_dataset

                dataset = open_dataset(path)
                is_whole = is_whole and not dataset.unfinished
                parts.append(_labelled(dataset.read(within=path), label))
            elif path != STDIN:
                find(path)
                there.setdefault(label, []).append(path)
        except FileNotFoundError as error:
            bad.append(error)
    if there:
        named = {label: several for label, several in there.items() if label is not None}
        try:
            parts.append(read(named or there[None], workers=workers, errors="raise", **arguments))
        except ReadErrors as errors:
            bad += errors.failures
            parts.append(errors.results)
        except FileError as error:
            bad.append(error)
    if STDIN in paths:
        try:
            parts.append(_labelled(_standard_input(arguments), own[paths.index(STDIN)]))
        except FileError as error:
            bad.append(error)
    for one in bad:
        say(str(one))
    if bad and not any(part.tables.height("runs") for part in parts):
        raise Trouble("nothing was read" if len(paths) > 1 else "") from bad[0]  # said already
    return parts, 1 if bad or not is_whole else 0


def _standard_input(arguments: Mapping[str, Any]) -> Results:
    from fiotools.input.read import reads

    if sys.stdin is None:
        raise Trouble("standard input is closed")
    if sys.stdin.isatty():
        say("reading standard input; Ctrl-D ends it")
    return reads(sys.stdin.buffer.read(), name="<stdin>", **arguments)


def _labelled(results: Results, label: str | None) -> Results:
    from fiotools.tables.results import labelled

    return results if label is None else labelled(results, label)


def refuse_other_tables(name: str) -> None:
    """Refuse an unknown table."""
    if name not in TABLES:
        raise Trouble(f"--table {name} is not one of {', '.join(TABLES)}", 2)


def asked(
    read: Reading, metric: str | None, kept: options.RowFilter, *names: str | None
) -> tuple[pl.DataFrame, str]:
    """Return the rows that count of the table that has the metric, and the metric's full name.

    ``names`` are the columns that the question names.
    """
    results, table = read.results, kept.table
    if table is not None:
        refuse_other_tables(table)
    if metric is None:
        have = metrics.measured(results, table)
        raise Trouble(f"name the column to look at with --metric: these files have {have}", 2)
    try:
        name, column = metrics.find_metric(results, metric, table)
        frame = read.table(name)
    except SchemaError:
        match = re.fullmatch(r"p(\d+(?:\.\d+)?)", metric)
        if match is None or table not in (None, "percentiles"):
            raise
        frame, column = _percentile(read.table("percentiles"), float(match[1]))
    frame = filtered(read, frame, kept)
    return read.with_runs(frame, naming.split([name for name in names if name])), column


def _percentile(frame: pl.DataFrame, share: float) -> tuple[pl.DataFrame, str]:
    """Return one percentile of each row as a column."""
    there = frame["percentile"].unique().drop_nulls().sort()
    if share not in there:
        known = ", ".join(f"p{percentile(one)}" for one in there) or "none"
        raise SchemaError(f"there is no p{percentile(share)} in these files; there are: {known}")
    name = f"p{percentile(share)}_ns"
    return frame.filter(frame["percentile"] == share).rename({"value_ns": name}), name


def filtered(read: Reading, frame: pl.DataFrame, kept: options.RowFilter) -> pl.DataFrame:
    """Keep the rows that fulfil the conditions, and add them up."""
    from fiotools.tables import conditions

    whole = read.with_runs(frame, conditions.named(kept.where))
    try:
        frame = conditions.kept(whole, kept.where)[frame.columns]
    except conditions.NoConditionError as error:
        raise Trouble(str(error), 2) from None
    if kept.combine:
        from fiotools.stats.combine import combine

        frame = combine(of_scope(frame, kept.scope), to=kept.combine)
    return frame


def differs(frame: pl.DataFrame, name: str) -> bool:
    """Say whether rows have different values of a column; a missing value is none."""
    return name in frame and frame[name].drop_nulls().n_unique() > 1


def complete(frame: pl.DataFrame, kept: options.RowFilter, *names: str | None) -> pl.DataFrame:
    """With --drop-missing, leave out rows that lack one of the columns, and count them."""
    for name in names if kept.drop_missing else ():
        if name is None or name not in frame:
            continue
        gone = frame[name].null_count()
        frame = frame.drop_nulls(name)
        if gone:
            say(f"left out {many(gone, 'row')} without {naming.short(name)}")
    return frame


def of_scope(frame: pl.DataFrame, scope: str | None) -> pl.DataFrame:
    """Keep the rows of one scope, or all."""
    if scope is None:
        return frame
    if "scope" not in frame:
        raise SchemaError("--scope: this table has no scopes")
    found = frame.filter(frame["scope"] == scope)
    if not len(found):
        there = ", ".join(frame["scope"].drop_nulls().unique(maintain_order=True)) or "none"
        raise SchemaError(f"no row of scope {scope!r}; there are: {there}")
    return found
