"""Sides that nobody named: those that a report takes, its metric, and what is said of them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fiotools.cli.output import say
from fiotools.cli.sources import Reading
from fiotools.files import label_of, pattern_of

if TYPE_CHECKING:
    from fiotools.reports.subjects import Source
    from fiotools.tables.results import Results


def named(
    read: Reading, files: Sequence[str], asked: Mapping[str, Any]
) -> tuple[Reading, dict[str, Any]]:
    """Fill in the sides of a command, and say what was taken."""
    filled = {**asked}
    between = asked.get("between")
    folders = list(dict.fromkeys(str(Path(file).parent) for file in files))
    if len(files) > 2 == len(folders) and not between and all(map(os.path.isfile, files)):
        globs = " ".join(f"'{folder}/*'" for folder in folders)
        say(f"Each of the {len(files)} files is a side; for two sides quote the globs: {globs}")
    source = sides(read.results, [path for _, path in map(label_of, files)], between)
    if source is None:
        return read, filled
    if not between:
        filled["between"] = only(source)
    if read.results.labels:  # they hold the sides
        return read, filled
    from fiotools.tables.results import Results

    labels = list(source.fields)
    kind, failures = read.results.kind, read.results.failures
    whole = Results(
        source.results.tables, read.results.files, kind, labels=labels, failures=failures
    )
    return replace(read, results=whole), filled


def sides(results: Results, paths: Sequence[str], between: str | None = None) -> Source | None:
    """Find the sides as a report does, and say where; None if they are named, or there are none."""
    from fiotools.tables import naming
    from fiotools.vocabulary import COLUMNS, TABLES

    labels = results.labels
    told = [name for name in labels if name not in ("round", *naming.COUNTS)]
    if len(told) == 1 or between in (*COLUMNS, *labels) or not {*TABLES} <= {*results.tables}:
        return None
    from fiotools.reports.subjects import sources_of  # loads pandas

    found = sources_of(results, paths)
    if len(found) != 1 or not (between or found[0].fields):
        return None
    (source,) = found
    if not labels:
        for one in source.said or [_of_files(source)]:
            say(f"{one}; --between names others")
    elif not between and (column := only(source)):
        say(f"The sides are in {column}; --between names others")
    return source


def _of_files(source: Source) -> str:
    return f"Each file or folder is a side: {', '.join(files_of(source))}"


def files_of(source: Source) -> dict[str, Any]:
    """Name the files of each side: as a pattern, if one matches these and no others."""
    (label,) = source.fields
    results = source.results
    every = results.runs.drop_duplicates("source")
    sides = {*results.io[label], *results.timings[label]}  # others are logs
    own = every[every[label].isin(sides)].groupby(label, sort=False)["source"]
    return {str(side): pattern_of([*files], every["source"], str(side)) for side, files in own}


def only(source: Source) -> str | None:
    """Name the column of the sides, if there is one only."""
    from fiotools.reports.questions import sides_of

    found = sides_of(source)
    return found[0] if len(found) == 1 else None


def metric(results: Results) -> tuple[str, str]:
    """Name the metric that a report compares, and say so; nothing if there is no choice."""
    from fiotools.tables import metrics, naming
    from fiotools.vocabulary import TABLES

    if not {*TABLES} <= {*results.tables} or len(metrics.headlines(results)) < 2:
        return "", ""
    from fiotools.reports.questions import Choices, table_of
    from fiotools.reports.subjects import sources_of

    frame, name = table_of(sources_of(results)[0], Choices())
    if frame is None:
        return "", ""
    taken, have = naming.short(name), metrics.measured(results)
    return taken, f"The metric is {taken}; --metric names others: {have}"
