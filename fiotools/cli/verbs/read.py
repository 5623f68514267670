"""`fiotools read`: what is in the files, on the screen or as a file for other programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from fiotools.cli import completion, export, files, options, rows
from fiotools.cli.answer import give
from fiotools.cli.command import Command
from fiotools.cli.options import option
from fiotools.display import columns, preview
from fiotools.vocabulary import TABLES

if TYPE_CHECKING:
    import polars as pl


def read(
    sources: options.Files,
    *,
    output: Annotated[
        str | None,
        option(
            "FILE|FOLDER/",
            f"Write one table to FILE{', '.join(options.ENDINGS)}, or each to a file of FOLDER/."
            " Written whole or not at all.",
            "--output",
            "-o",
        ),
    ] = None,
    table: Annotated[
        list[str] | None,
        option(
            "TABLE",
            f"The table: {', '.join(TABLES)}. By default io, or what there is; for a folder"
            " all that hold rows.",
            "--table",
            "-t",
            autocompletion=completion.tables,
        ),
    ] = None,
    where: options.Where = None,
    scope: options.Scope = None,
    combine: options.Combine = None,
    column: Annotated[
        list[str] | None,
        option(
            "COLUMNS",
            "Only these columns: job,direction,iops.",
            "--columns",
            "-c",
            autocompletion=completion.columns,
        ),
    ] = None,
    rows_shown: Annotated[
        int, option("N", "How many rows the table shows; 0: all.", "--rows", min=0)
    ] = 40,
    format: Annotated[
        Literal["table", "json", "csv", "markdown", "parquet"],
        typer.Option("--format", "-f", help="json and csv: every column, in base units."),
    ] = "table",
    read_as: options.ReadAs,
) -> int:
    """Read files, and show what is in them or write it for other programs."""
    names = columns.split(table)
    for name in names:
        rows.refuse_other_tables(name)
    target = export.target(output, format, len(names))
    found = files.read_all(sources, read_as, label=True, hint=names != ["notes"])
    tables = found.results.tables
    if not names and target is not None and target.is_folder:
        names = [name for name in tables if tables.height(name)]
    names = names or [columns.main_table(found.results)]
    kept = options.Rows(where, scope, combine)
    frames = {name: _chosen(tables.polars(name), kept, columns.split(column)) for name in names}
    if target is not None:
        name, frame = next(iter(frames.items()))
        target.write(found, frames, lambda: preview.table(found.results, frame, name, 0, True))
    else:
        name, frame = frames.popitem()
        give(
            format,
            lambda: frame,
            lambda: preview.table(found.results, frame, name, rows_shown, bool(column)),
        )
    return found.code


def _chosen(frame: pl.DataFrame, kept: options.Rows, wanted: list[str]) -> pl.DataFrame:
    frame = rows.kept(frame, kept)
    if kept.scope and not kept.combine:
        frame = rows.of_scope(frame, kept.scope)
    chosen = [columns.found(name, frame, "--columns") for name in wanted]
    return frame[chosen] if chosen else frame


COMMAND = Command(
    read,
    (
        "read run.json",
        "read 'data/{volume}.xml' --scope total --columns volume,direction,iops",
        "read runs/ -o runs.parquet",
        "read runs/ -o tables/ --format csv",
        "read run.json --table percentiles --where percentile=99 --format json",
        "read run.json --table notes",
        "read - < run.json",
    ),
)
